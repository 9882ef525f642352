"""The claim that a person asks for, and whether the claim of a file is that one.

Who gets a certificate from a stranger says what it must be about: `--formula F --alphabet A --max-n N`. Formulas are
compared by their places in the file's own table, so spelling does not matter and meaning does.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from .budget import Budget
from .language import Language, Place
from .language.definitions import read_predicate
from .language.naming import read_with_definitions
from .reading.margin import MarginFile
from .reading.records import Certificate
from .reading.softened import Softened
from .reading.trained import Decision, WrongWord
from .verdicts import expect, quote, require, within


@dataclass(frozen=True)
class Asked:
    """What must be claimed; None where anything will do. Predicates are those that the formula may mention."""

    formula: str | None = None
    predicates: tuple[str, ...] = ()
    alphabet: tuple[str, ...] | None = None
    min_n: int | None = None
    max_n: int | None = None
    regime: str | None = None
    causal: bool | None = None

    @property
    def least_length(self) -> int | None:
        """Who asks for a greatest length only means all up to it."""
        return 1 if self.max_n is not None and self.min_n is None else self.min_n


ANYTHING = Asked()


def split_alphabet(text: str) -> tuple[str, ...]:
    """The symbols of ``01``, of ``a, b, min_n`` or of ``go stop``: by commas, else by blanks, else one a character.

    Raises:
        Malformed: if there is none, or one is empty or there twice.
    """
    apart = text.split(",") if "," in text else text.split() if any(map(str.isspace, text)) else text
    symbols = tuple(map(str.strip, apart))
    expect(symbols and all(symbols) and len(set(symbols)) == len(symbols), "--alphabet: expected symbols, each once")
    return symbols


def check_question(asked: Asked) -> None:
    """What is asked for makes sense, before any file is read.

    Raises:
        Malformed: if the formula or a predicate is not in the language.
    """
    place_of_asked(asked, Language(Budget()))


def place_of_asked(asked: Asked, language: Language) -> Place | None:
    """The formula that is asked for, read with the predicates that were given beside it and no others."""
    known: dict[str, Place] = {}
    for definition in asked.predicates:
        with within("--predicate"):
            name, place = read_predicate(language, known, definition)
            known[name] = place
    if asked.formula is None:
        return None
    with within("--formula"):
        return read_with_definitions(language, known, asked.formula)


def ask_the_same(one: Asked, other: Asked) -> bool:
    """Whether both ask for the same formula, each read with its own predicates.

    Raises:
        Malformed: if a formula or a predicate is not in the language.
    """
    language = Language(Budget())
    return place_of_asked(one, language) == place_of_asked(other, language)


def check_asked(given: Certificate | Softened | MarginFile | Decision | WrongWord, asked: Asked) -> None:
    """The claim of the file is the one asked for.

    Raises:
        Rejected: if it is another one.
    """
    claim, language = given.claim, given.language
    formula = place_of_asked(asked, language)
    if isinstance(given, Certificate):
        claimed = given.claim.formula
        compare("formula", claimed == formula or formula is None, language.write_short(claimed))
        compare("regime", asked.regime in (None, given.claim.regime), given.claim.regime)
        compare("causal", asked.causal in (None, given.claim.causal), "true" if given.claim.causal else "false")
    elif isinstance(given, MarginFile):
        claimed = given.claim.formula
        compare("formula", claimed == formula or formula is None, language.write_short(claimed))
        for part, is_free in (("regime", asked.regime is None), ("causal", asked.causal is None)):
            compare(part, is_free, "none: it is about margins")
    else:
        what = "softened attention" if isinstance(given, Softened) else "a trained network"
        for part, wanted in (("formula", formula), ("regime", asked.regime), ("causal", asked.causal)):
            compare(part, wanted is None, f"none: it is about {what}")
    if isinstance(given, WrongWord):
        compare("claim", asked == Asked(), "that it refutes: nothing of it can be asked for")
    symbols = ", ".join(map(quote, claim.alphabet[:12]))
    compare("alphabet", asked.alphabet is None or {*asked.alphabet} == {*claim.alphabet}, symbols)
    compare("min_n", asked.least_length in (None, claim.min_n), claim.min_n)
    compare("max_n", asked.max_n in (None, claim.max_n), claim.max_n)


def compare(part: str, is_same: bool, found: str | int | Fraction) -> None:
    """One part of the claim.

    Raises:
        Rejected: if it is another one.
    """
    require(is_same, "claim differs: the file has {} {}", part, found)
