"""What is exported: a network, the formula that it is claimed to compute, and a name for both."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from certify.files import read_text
from constructions.errors import InputError
from constructions.language.printer import format_formula
from constructions.language.syntax import Formula
from constructions.network.json_form import read_json, transformer_from_json
from constructions.network.lengths import Lengths
from constructions.network.meanings import Truth
from constructions.network.transformer import Transformer

MOST_CHARACTERS = 100


@dataclass(frozen=True)
class Subject:
    """A network with its claim; the lengths are those of a certificate."""

    name: str
    network: Transformer
    formula: Formula
    lengths: Lengths | None = None


def subject_of(network: Transformer, name: str, lengths: Lengths | None = None) -> Subject:
    """The network with the formula that its output means.

    Raises:
        InputError: if the output means something else than a truth.
    """
    meaning = network.directions[network.output]
    if not isinstance(meaning, Truth):
        raise InputError(f"output {network.output!r}: its meaning is no truth, expected the truth of a formula")
    return Subject(identifier(name), network, meaning.formula, lengths)


def read_subject(path: str) -> Subject:
    """What is in a model file or in a certificate.

    Raises:
        InputError: if it is neither.
    """
    data, claim, lengths = read_json(read_text(path), path), None, None
    if isinstance(data, dict) and data.get("format") == "certify-certificate" and "transformer" in data:
        claim, data = data.get("claim"), data["transformer"]
        lengths = _lengths(claim, path)
    subject = subject_of(transformer_from_json(data, path), Path(path).stem, lengths)
    meant = format_formula(subject.formula)
    if isinstance(claim, dict) and claim.get("formula", meant) != meant:
        raise InputError(f"{path}: claim: its formula is not {meant}, which the output means")
    return subject


def _lengths(claim: object, path: str) -> Lengths:
    if isinstance(claim, dict):
        first, last = claim.get("min_n", 1), claim.get("max_n")
        if isinstance(first, int) and isinstance(last, int):
            return Lengths(first, last)
    raise InputError(f"{path}: claim: found no lengths, expected max_n, a whole number")


def identifier(name: str) -> str:
    """The name with letters, digits and _ only, and no longer than a file's name can be, to be part of a name in Coq.

    >>> identifier("dyck-1 (depth 3)"), identifier("-")
    ('dyck_1_depth_3', 'network')
    """
    return re.sub(r"[^A-Za-z0-9]+", "_", name)[:MOST_CHARACTERS].strip("_") or "network"
