"""The common parts of the document: the certificate, its lines, names of directions, and the layout of lemmas."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from certify.claims.formula.sealed import Sealed, StatedErrors
from certify.common.numbers import decimal_lower, decimal_upper
from certify.exports.latex_network import NetworkInLatex
from certify.exports.latex_tables import decimal_number, math, number
from constructions.errors import Unsupported
from constructions.language.printer import latex_text
from constructions.network.transformer import Transformer
from proofs.formula.common.kinds import Obligation, ObligationKind
from proofs.formula.discharge import Line, Progress, discharge
from proofs.formula.transcript import Record, Transcript, ignore

Path = tuple[str | int, ...]
"""Keys and indices from the outermost object inwards."""


@dataclass(frozen=True)
class Span:
    """The first and the last line of a part of the text, counted from 1."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"line {self.first}" if self.first == self.last else f"lines {self.first}--{self.last}"


def find_spans(data: Any) -> Mapping[Path, Span]:
    """Return the lines of every part of data in the output of ``json.dumps(data, indent=1)``.

    >>> find_spans({"a": [1, {}]})[("a", 1)], find_spans({"a": [1, {}]})[()]
    (Span(first=4, last=4), Span(first=1, last=6))
    """
    found: dict[Path, Span] = {}
    _locate(data, (), 1, found)
    return found


def _locate(data: Any, path: Path, line: int, found: dict[Path, Span]) -> int:
    """Add the spans of a part that begins on this line; return the line after it."""
    items = list(data.items() if isinstance(data, dict) else enumerate(data)) if isinstance(data, dict | list) else []
    following = line + 1
    for key, part in items:
        following = _locate(part, (*path, key), following, found)
    last = following if items else line
    found[path] = Span(line, last)
    return last + 1


def spell(path: Path) -> str:
    """Format the path as programs write it.

    >>> spell(("bounds", 3, "error_if_true"))
    'bounds[3].error_if_true'
    """
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


@dataclass(frozen=True)
class Lemma:
    """A claim, and its proof in paragraphs."""

    title: str
    claim: str
    proof: Sequence[str]

    def __str__(self) -> str:
        return "\n\n".join([rf"\begin{{lemma}}[{{{self.title}}}]", self.claim, r"\end{lemma}", r"\begin{proof}",
                            *self.proof, r"\end{proof}"])


@dataclass(frozen=True)
class Paper:
    """A certificate that becomes a document; ``data`` is its file."""

    sealed: Sealed
    data: Any

    @property
    def transformer(self) -> Transformer:
        """The network of the certificate."""
        return self.sealed.transformer

    @cached_property
    def network(self) -> NetworkInLatex:
        """The parts of the network in LaTeX."""
        return NetworkInLatex(self.transformer)

    @cached_property
    def _spans(self) -> Any:
        return find_spans(self.data)

    def cite(self, *path: str | int) -> str:
        """Cite the lines of a number or a part of the certificate."""
        return rf"\cert{{{self._spans[path]}}}{{{latex_text(spell(path))}}}"

    def cite_head(self, layer: int, head: int) -> str:
        """Cite the weights of a head."""
        return self.cite("transformer", "layers", layer - 1, "heads", head - 1)

    def cite_feed_forward(self, layer: int) -> str:
        """Cite the hidden units of a layer."""
        return self.cite("transformer", "layers", layer - 1, "feedforward")

    def bound(self, layer: int, head: int, direction: str) -> tuple[Path, StatedErrors]:
        """Return the stated errors of a direction, and their path."""
        for place, bound in enumerate(self.sealed.bounds):
            if (bound.layer, bound.head, bound.direction) == (layer, head, direction):
                return ("bounds", place), bound
        raise AssertionError(f"an accepted certificate without a bound of {direction}")

    def directions(self, names: Sequence[str], most: int = 12) -> str:
        """Return some directions, by their numbers."""
        shown = ", ".join(map(self.network.direction, names[:most]))
        return shown if len(names) <= most else rf"{shown} and {len(names) - most} more"


def at_most(error: Fraction) -> str:
    """Format a bound: exactly if it is short, else rounded up, so that the sentence stays true."""
    if max(error.numerator, error.denominator) < 10**4:
        return number(error)
    return decimal_number(decimal_upper(error, 6))


def between(lower: Fraction, upper: Fraction) -> str:
    """Format an enclosed number, inline: its ends rounded outward."""
    if lower == upper:
        return math(number(lower))
    return (f"between {math(decimal_number(decimal_lower(lower, 9)))} and "
            f"{math(decimal_number(decimal_upper(upper, 9)))}")


def counted(count: int, noun: str) -> str:
    """Format a number of things.

    >>> counted(1, "row"), counted(1234, "case")
    ('one row', '1,234 cases')
    """
    return f"one {noun}" if count == 1 else f"{count:,} {noun}s"


@dataclass
class LemmaGroup:
    """Obligations that one lemma proves: equal ones, or all that have the same proof.

    ``obligation`` is the first one that is not None, ``lines`` are the places where they arise.
    """

    kind: ObligationKind
    lines: list[Line] = field(default_factory=list)
    obligation: Obligation | None = None


def group_obligations(sealed: Sealed, progress: Progress = lambda _: None) -> Sequence[LemmaGroup]:
    """Return the groups, in the order in which the network computes.

    Raises:
        Unsupported: if the exact method does not prove what the checker accepts.
    """
    collected = _Collector()
    lines = discharge(sealed.transformer, sealed.lengths, progress=progress, twice=False, transcript=collected)
    groups: dict[object, LemmaGroup] = {}
    for line in lines:
        if not line.proved:
            raise Unsupported(f"a proof of {line.kind}, {line.direction}, which is not proved here: {line.reason}")
        key, obligation = collected.found.get((line.layer, line.place, line.direction), ((line.kind, line.layer), None))
        group = groups.setdefault(key, LemmaGroup(line.kind, obligation=obligation))
        group.lines.append(line)
    return list(groups.values())


class _Collector(Transcript):
    """A transcript that keeps the obligations, by their place, with keys that equal ones share."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[tuple[int, int, str], tuple[object, Obligation]] = {}

    def recorder(self, key: object, obligation: Obligation) -> Record:
        self.found[obligation.layer, obligation.place, obligation.direction] = key, obligation
        return ignore
