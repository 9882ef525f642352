"""The claim that a person asks for, and whether the claim of a file is that one.

Who gets a certificate from a stranger says what it must be about: `--formula F --alphabet A --max-n N`. Formulas are
compared by their places in the file's own table, so spelling does not matter and meaning does.

A file may claim longer words, too. Every claim of every chapter is about each of its lengths by itself, and about the
one network of the file: what its regime says is said at each (n, i) of that network, whatever lengths it was made for.
So it implies the same claim about the first of its lengths. These are not none: the shortest is among those asked for.
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
    """What must be claimed; None where anything will do. Predicates are those that the formula may mention."""

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
        """Who asks for a greatest length only means all up to it."""
        return 1 if self.max_n is not None and self.min_n is None else self.min_n


ANYTHING = RequiredClaim()


@dataclass(frozen=True)
class Request:
    """Which files, what they must claim, and how much work each may take."""

    files: tuple[str, ...]
    asked: RequiredClaim
    work: int


def split_alphabet(text: str) -> tuple[str, ...]:
    """The symbols of ``01``, of ``a, b, min_n`` or of ``go stop``: by commas, else by blanks, else one a character."""
    apart = text.split(",") if "," in text else text.split() if any(map(str.isspace, text)) else text
    symbols = tuple(map(str.strip, apart))
    expect(symbols and all(symbols) and len(set(symbols)) == len(symbols), "--alphabet: expected symbols, each once")
    return symbols


def place_of_asked(asked: RequiredClaim, language: Language | None, part: str = "formula") -> Place | None:
    """The formula that is asked for, or may be given, read with the predicates that stand beside it and no others."""
    text: str | None = getattr(asked, part)
    if text is None and not asked.predicates:
        return None
    from .kernel.language import Language
    from .kernel.language.definitions import read_predicate, read_with_definitions

    language = language or Language(Budget())
    known: dict[str, Place] = {}
    for definition in asked.predicates:
        with within("--predicate"):
            name, place = read_predicate(language, known, definition)
            known[name] = place
    if text is None:
        return None
    with within(f"--{part}"):
        return read_with_definitions(language, known, text)


def check_asked(kind: FileKind, given: Any, asked: RequiredClaim) -> None:
    """The claim of the file is the one asked for."""
    claim, language = given.claim, given.language if kind.parts else None
    wanted = {"formula": place_of_asked(asked, language), "given": place_of_asked(asked, language, "given"),
              "regime": asked.regime, "causal": asked.causal}
    for part, one in wanted.items():
        if part not in kind.parts:
            compare_part(part, one is None, f"none: it is about {kind.about}")
        elif one is not None:
            found = getattr(claim, part)
            is_place = part in ("formula", "given") and found is not None
            shown = given.language.write_short(found) if is_place else str(found).lower()  # true, false
            compare_part(part, one == found or (part == "given" and found is None), shown)
        elif part == "given" and asked != ANYTHING:  # who names a claim and gives nothing means all positions
            compare_part(part, claim.given is None, "a formula: it is about positions where that holds")
    if kind.is_refutation:
        compare_part("claim", asked == RequiredClaim(), "that it refutes: nothing of it can be asked for")
    symbols = ", ".join(map(quote, claim.alphabet[:12]))
    compare_part("alphabet", asked.alphabet is None or {*asked.alphabet} == {*claim.alphabet}, symbols)
    compare_part("min_n", asked.least_length in (None, claim.min_n), claim.min_n)
    most = claim.max_n if asked.max_n is None else asked.max_n
    compare_part("max_n", claim.min_n <= most <= claim.max_n, claim.max_n)


def compare_part(part: str, is_same: bool, found: str | int | Fraction) -> None:
    """One part of the claim."""
    require(is_same, "claim differs: the file has {} {}", part, found)
