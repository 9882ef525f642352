"""Requirements of the caller on a claim, and their comparison with the claim of a file.

A recipient of a certificate states its expected claim: `--formula F --alphabet A --max-n N`. Formulas are compared by
their places in the file's own table: by meaning, not by spelling.

A file may claim longer words as well. Every claim of every chapter is about each of its lengths separately, and about
the one network of the file: its regime is stated at each (n, i) of that network, whatever lengths it was made for. So
it implies the same claim about a prefix of its lengths, which is not empty: it contains the least required length.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from .kernel.budget import Budget
from .kernel.kind import FileKind
from .kernel.verdicts import expect, quote, require, within

if TYPE_CHECKING:
    from .kernel.language import Language, Place


@dataclass(frozen=True)
class RequiredClaim:
    """A required claim; None matches anything. `predicates` are definitions that the formula may mention."""

    formula: str | None = None
    predicates: tuple[str, ...] = ()
    alphabet: tuple[str, ...] | None = None
    min_n: int | None = None
    max_n: int | None = None
    regime: str | None = None
    causal: bool | None = None
    given: str | None = None

    @property
    def least_length(self) -> int | None:
        """The least required length; 1 if only a greatest one is required."""
        return 1 if self.max_n is not None and self.min_n is None else self.min_n


ANYTHING = RequiredClaim()


@dataclass(frozen=True)
class Request:
    """The files, the claim required of each, and the work allowed for each, in multiples of the default budget."""

    files: tuple[str, ...]
    required: RequiredClaim
    work: int


def split_alphabet(text: str) -> tuple[str, ...]:
    """Split an alphabet at commas, else at white space, else into characters: ``a, b``, ``go stop``, ``01``."""
    apart = text.split(",") if "," in text else text.split() if any(map(str.isspace, text)) else text
    symbols = tuple(map(str.strip, apart))
    expect(symbols and all(symbols) and len(set(symbols)) == len(symbols), "--alphabet: expected symbols, each once")
    return symbols


def parse_required(required: RequiredClaim, language: Language | None, part: str = "formula") -> Place | None:
    """Parse a required formula (or `given`) with the required predicates; return its place, None if absent."""
    text: str | None = getattr(required, part)
    if text is None and not required.predicates:
        return None
    from .kernel.language import Language
    from .kernel.language.definitions import read_predicate, read_with_definitions

    language = language or Language(Budget())
    defined: dict[str, Place] = {}
    for definition in required.predicates:
        with within("--predicate"):
            name, place = read_predicate(language, defined, definition)
            defined[name] = place
    if text is None:
        return None
    with within(f"--{part}"):
        return read_with_definitions(language, defined, text)


def check_required(kind: FileKind, given: Any, required: RequiredClaim) -> None:
    """Check that the claim of a file is the required one; raise Rejected if some part of it differs."""
    claim, language = given.claim, given.language if kind.parts else None
    parts = {"formula": parse_required(required, language), "given": parse_required(required, language, "given"),
             "regime": required.regime, "causal": required.causal}
    for part, one in parts.items():
        if part not in kind.parts:
            compare_part(part, one is None, f"none: it is about {kind.about}")
        elif one is not None:
            found = getattr(claim, part)
            is_place = part in ("formula", "given") and found is not None
            shown = given.language.write_short(found) if is_place else str(found).lower()  # true, false
            compare_part(part, one == found or (part == "given" and found is None), shown)
        elif part == "given" and required != ANYTHING:  # a required claim without `given` is about all positions
            compare_part(part, claim.given is None, "a formula: it is about positions where that holds")
    if kind.is_refutation:
        compare_part("claim", required == RequiredClaim(), "that it refutes: nothing of it can be asked for")
    symbols = ", ".join(map(quote, claim.alphabet[:12]))
    compare_part("alphabet", required.alphabet is None or {*required.alphabet} == {*claim.alphabet}, symbols)
    compare_part("min_n", required.least_length in (None, claim.min_n), claim.min_n)
    most = claim.max_n if required.max_n is None else required.max_n
    compare_part("max_n", claim.min_n <= most <= claim.max_n, claim.max_n)


def compare_part(part: str, is_same: bool, found: str | int | Fraction) -> None:
    """Reject the file unless this part of its claim is the required one; `found` is shown in the message."""
    require(is_same, "claim differs: the file has {} {}", part, found)
