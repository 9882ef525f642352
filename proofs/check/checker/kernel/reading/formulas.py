"""Readers of formulas and of definitions of predicates."""

from collections.abc import Callable

from ..language import Language, Place
from ..verdicts import expect, quote
from .document import Json
from .shapes import list_of, read_text


def in_language(read: Callable[[str], Place]) -> Callable[[Json], Place]:
    """Return a reader of JSON strings from a parser of texts of the language."""
    return lambda value: read(read_text(value))


def read_predicates(value: Json, language: Language) -> dict[str, Place]:
    """Define the predicates in the language, and return their places by name."""
    names = list_of(lambda text: language.define(read_text(text)))(value)
    return {name: language.predicates[name] for name in names}


def expect_known_symbols(language: Language, alphabet: tuple[str, ...]) -> None:
    """Check that every symbol of a formula is in the alphabet."""
    foreign = sorted(language.symbols() - {*alphabet})
    expect(not foreign, "a formula has the symbol {}, which is not in the alphabet", quote("".join(foreign[:1])))
