"""Edits of a trained network as data; ``edits.py`` applies them, docs/background/parts.md has their meanings.

Steps, heads and neurons are numbered from 0, as in the network file.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from constructions.trained import json_values as values

What = Literal["mass", "average", "average less uniform"]
Constants = tuple[Fraction, ...] | None


@dataclass(frozen=True)
class SetHead:
    """A head whose average is replaced by dyadic constants, by zeros if there are none."""

    step: int
    head: int
    to: Constants = None


@dataclass(frozen=True)
class KeepNeurons:
    """A feed-forward block of which the other neurons output dyadic constants, zeros if there are none."""

    step: int
    neurons: tuple[int, ...]
    to: Constants = None


@dataclass(frozen=True)
class SharpenHead:
    """A head whose scores are times 2^doublings."""

    step: int
    head: int
    doublings: int


@dataclass(frozen=True)
class MarkTokens:
    """Marked copies of tokens, ascending, added to the vocabulary in that order; a token may have several copies."""

    tokens: tuple[int, ...]


@dataclass(frozen=True)
class AttendHard:
    """A head with hard attention: these tokens have equal weights; where it sees none of them, its own token has 1."""

    step: int
    head: int
    tokens: tuple[int, ...]


@dataclass(frozen=True)
class CutEdges:
    """Edges to a head, to a feed-forward block or to the end (head 0 of its step): the stream without what parts write.

    Parts are (step, head), (step, 0) of a block, (-1, 0) and (-1, 1) of tokens and positions; constants are added.
    """

    step: int
    head: int
    parts: tuple[tuple[int, ...], ...]
    to: Constants = None


@dataclass(frozen=True)
class ReadHead:
    """The end of the network: its logits are what a head attends to or averages, and the number 1.

    ``mass`` is the sum of the attention weights of marked tokens.
    """

    step: int
    head: int
    what: What


Edit = SetHead | KeepNeurons | SharpenHead | MarkTokens | AttendHard | CutEdges | ReadHead

_TO = values.RATIONAL.list().or_null()
KINDS: Mapping[str, tuple[type[Edit], values.JsonCodec[Edit]]] = {
    "set head": (SetHead, values.record(SetHead, tag={"edit": "set head"}, step=values.SIZE, head=values.SIZE, to=_TO)),
    "keep neurons": (KeepNeurons, values.record(
        KeepNeurons, tag={"edit": "keep neurons"}, step=values.SIZE, neurons=values.SIZE.list(), to=_TO)),
    "sharpen head": (SharpenHead, values.record(
        SharpenHead, tag={"edit": "sharpen head"}, step=values.SIZE, head=values.SIZE, doublings=values.POSITIVE)),
    "mark tokens": (MarkTokens, values.record(MarkTokens, tag={"edit": "mark tokens"}, tokens=values.SIZE.list())),
    "attend hard": (AttendHard, values.record(
        AttendHard, tag={"edit": "attend hard"}, step=values.SIZE, head=values.SIZE, tokens=values.SIZE.list())),
    "cut edges": (CutEdges, values.record(
        CutEdges, tag={"edit": "cut edges"}, keys={"parts": "from"}, step=values.SIZE, head=values.SIZE,
        parts=values.WHOLE.list().list(), to=_TO)),
    "read head": (ReadHead, values.record(
        ReadHead, tag={"edit": "read head"}, step=values.SIZE, head=values.SIZE,
        what=values.choice(("mass", "average", "average less uniform"))))}


def edit_from_json(data: object, where: str) -> Edit:
    """Return the edit of parsed JSON.

    Raises:
        InputError: naming ``where``, what was found and what was expected.
    """
    kind = data.get("edit") if isinstance(data, dict) else None
    return KINDS[values.one_of(kind, f"{where}.edit", tuple(KINDS))][1].read(data, where)


def edit_to_json(edit: Edit) -> object:
    """Return the JSON object of an edit."""
    return next(codec.write(edit) for kind, codec in KINDS.values() if isinstance(edit, kind))
