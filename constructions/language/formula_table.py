"""Tables of formulas: each formula that is not an atom once, as an entry that other texts call ``$k``.

So a file has as much text as its formulas have nodes, however often they share parts (docs/certificate.md, section 1).
"""

from collections.abc import Iterable

from constructions.language.brackets import Bracket, PositionFunction
from constructions.language.printer import FormulaWriter, format_formula, written_length
from constructions.language.syntax import Count, Formula, Term, operands, subformulas_of_all

MOST_IN_ONE_TEXT = 2_000
MOST_IN_ALL_TEXTS = 20_000
"""A file gets a table only if its formulas would need more characters without one."""


class FormulaTexts:
    """How the formulas of a file are written: without a table, by their texts."""

    entries: tuple[str, ...] = ()
    listed: tuple[Formula, ...] = ()
    """What the entries are the texts of."""
    _writer = FormulaWriter({})

    def formula(self, formula: Formula) -> str:
        """Return the text that stands for the formula."""
        return format_formula(formula)

    def count(self, count: Count) -> str:
        """Return the text that stands for the count."""
        return self._writer.count(count)

    def term(self, term: Term) -> str:
        """Return the text that stands for the sum."""
        return self._writer.term(term)

    def about(self, what: Formula | Count | Term) -> str:
        """Return the text that stands for any of the three."""
        match what:
            case Count():
                return self.count(what)
            case Term():
                return self.term(what)
        return self.formula(what)

    def position_function(self, value: PositionFunction) -> str:
        """Return the text of an expression or a bracket."""
        if isinstance(value, Bracket):
            return f"[{self.formula(value.formula)}]" + ("(i-1)" if value.shifted else "")
        return str(value)


PLAIN_TEXTS = FormulaTexts()


class FormulaTable(FormulaTexts):
    """The same with a table: an entry for each formula that is not an atom, after those of its operands.

    >>> from constructions.language.parser import parse_formula
    >>> table = FormulaTable([parse_formula("H !Q_a | Q_b")])
    >>> table.entries, table.formula(parse_formula("!Q_a")), table.formula(parse_formula("Q_b"))
    (('!Q_a', '!$1', 'true since $2', '!$3', '$4 | Q_b'), '$1', 'Q_b')
    """

    def __init__(self, formulas: Iterable[Formula]) -> None:
        """The entries are in the order in which the formulas are met."""
        self.listed = tuple(part for part in subformulas_of_all(formulas) if operands(part))
        names = {part: f"${k}" for k, part in enumerate(self.listed, start=1)}
        self._writer = FormulaWriter(names, abbreviate=False)
        self.entries = tuple(map(self._writer.definition, names))

    def formula(self, formula: Formula) -> str:
        """``$k``, or the text of an atom."""
        return self._writer.formula(formula)


def texts_of(mentions: Iterable[Formula]) -> FormulaTexts:
    """How to write a file that mentions these formulas, each as often as it does."""
    mentioned = list(mentions)
    lengths = list(map(written_length, mentioned))
    if max(lengths, default=0) <= MOST_IN_ONE_TEXT and sum(lengths) <= MOST_IN_ALL_TEXTS:
        return PLAIN_TEXTS
    return FormulaTable(mentioned)
