"""Formulas and definitions of predicates, as files have them."""

from collections.abc import Callable

from ..language import Language, Place
from ..verdicts import expect, quote
from .document import Json
from .shapes import list_of, read_text


def in_language(read: Callable[[str], Place]) -> Callable[[Json], Place]:
    """Return a text of the language, of this kind."""
    return lambda value: read(read_text(value))


def read_predicates(value: Json, language: Language) -> dict[str, Place]:
    """Definitions of predicates, which the language learns; their places by name."""
    names = list_of(lambda text: language.define(read_text(text)))(value)
    return {name: language.predicates[name] for name in names}


def expect_known_symbols(language: Language, alphabet: tuple[str, ...]) -> None:
    """Every symbol of a formula is in the alphabet."""
    foreign = sorted(language.symbols() - {*alphabet})
    expect(not foreign, "a formula has the symbol {}, which is not in the alphabet", quote("".join(foreign[:1])))
