"""Short names for display: long formulas are φ1, φ2, ..., each defined by shorter ones."""

from constructions.language import syntax
from constructions.language.printer import format_count, format_formula
from constructions.network.meanings import formulas_of
from constructions.network.transformer import Transformer
from constructions.text import printable

LONGEST_TEXT = 40
"""Formulas with a longer text get a number."""
LONGEST_NAME = 56


class DirectionNames:
    """The names of one network's formulas and directions, and of the subformulas of its formula."""

    def __init__(self, network: Transformer, formula: syntax.Formula | None = None):
        """Assign numbers to the subformulas of ``formula``, then to the other formulas that directions mention."""
        meant = [part for meaning in network.directions.values() for part in formulas_of(meaning)]
        self.parts = syntax.subformulas_of_all([*([formula] if formula else []), *meant])
        self._shown: dict[syntax.Formula, syntax.Formula] = {}
        self.texts: dict[syntax.Formula, str] = {}
        self.definitions: dict[syntax.Formula, str] = {}
        for part in self.parts:
            self._name(part)
        self._directions = self._name_directions(network)

    def _name(self, part: syntax.Formula) -> None:
        shown = _with_operands(part, [self._shown[operand] for operand in syntax.operands(part)])
        text = printable(format_formula(shown))
        if len(text) <= LONGEST_TEXT:
            self._shown[part], self.texts[part] = shown, text
        else:
            name = f"φ{len(self.definitions) + 1}"
            self._shown[part], self.texts[part], self.definitions[part] = syntax.Predicate(name), name, text

    def spelled(self, formula: syntax.Formula) -> str:
        """Return the text of the formula, or the definition of its number."""
        return self.definitions.get(formula, self.texts[formula])

    def count(self, count: syntax.Count) -> str:
        """Return the count, with the name of its formula."""
        return printable(format_count(syntax.Count(count.side, self._shown[count.operand])))

    def direction(self, name: str) -> str:
        """Return a unique name of at most LONGEST_NAME characters."""
        return self._directions[name]

    def _name_directions(self, network: Transformer) -> dict[str, str]:
        found: dict[str, str] = {}
        taken: set[str] = set()
        for name, meaning in network.directions.items():
            short = printable(name)
            for part in formulas_of(meaning):
                if part in self.definitions and len(name) > LONGEST_TEXT:
                    short = self._replace(short, part)
            short = clip(short, LONGEST_NAME)
            unique = short if short not in taken else f"{clip(short, LONGEST_NAME - 6)} #{len(found) + 1}"
            taken.add(unique)
            found[name] = unique
        return found

    def _replace(self, name: str, part: syntax.Formula) -> str:
        """Replace the text in the name's brackets by a number."""
        opening, closing = name.find("["), name.rfind("]")
        if 0 <= opening < closing:
            return f"{name[:opening + 1]}{self.texts[part]}{name[closing:]}"
        return name


def _with_operands(formula: syntax.Formula, shown: list[syntax.Formula]) -> syntax.Formula:
    """Return the formula with other operands, in the order of ``operands``."""
    remaining = iter(shown)

    def counted(count: syntax.Count) -> syntax.Count:
        return syntax.Count(count.side, next(remaining))

    def term(given: syntax.Term) -> syntax.Term:
        return syntax.Term(tuple((number, counted(count)) for number, count in given.coefficients), given.constant)

    match formula:
        case syntax.PredicateOnCount(name, parameters, count, definition):
            return syntax.PredicateOnCount(name, parameters, counted(count), definition)
        case syntax.PredicateOnSum(name, parameters, given, definition):
            return syntax.PredicateOnSum(name, parameters, term(given), definition)
        case syntax.Comparison(relation, left, right):
            return syntax.Comparison(relation, term(left), term(right))
    return type(formula)(*shown) if shown else formula


def clip(text: str, room: int) -> str:
    """Shorten the text in the middle if it is too long.

    >>> clip("abcdefghij", 5), clip("abc", 5)
    ('ab…ij', 'abc')
    """
    if len(text) <= room:
        return text
    left = (room - 1) // 2
    return f"{text[:left]}…{text[len(text) - (room - 1 - left):]}"
