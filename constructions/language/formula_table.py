"""Tables of formulas: each non-atomic formula occurs once, as an entry that other texts call ``$k``.

So the text of a file is linear in the number of nodes, even if formulas share parts (docs/reference/certificate.md,
section 1).
"""

from collections.abc import Iterable

from constructions.language.brackets import Bracket, PositionFunction
from constructions.language.printer import FormulaWriter, format_formula, written_length
from constructions.language.syntax import Count, Formula, Term, operands, subformulas_of_all

MOST_IN_ONE_TEXT = 2_000
MOST_IN_ALL_TEXTS = 20_000
"""A file gets a table only if its formulas need more characters without one."""


class FormulaTexts:
    """Texts of the formulas of a file without a table."""

    entries: tuple[str, ...] = ()
    listed: tuple[Formula, ...] = ()
    """The formulas of the entries."""
    _writer = FormulaWriter({})

    def formula(self, formula: Formula) -> str:
        """Return the text of the formula."""
        return format_formula(formula)

    def count(self, count: Count) -> str:
        """Return the text of the count."""
        return self._writer.count(count)

    def term(self, term: Term) -> str:
        """Return the text of the sum."""
        return self._writer.term(term)

    def about(self, what: Formula | Count | Term) -> str:
        """Return the text of a formula, a count or a sum."""
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
    """Texts with a table: an entry for each non-atomic formula, after those of its operands.

    >>> from constructions.language.parser import parse_formula
    >>> table = FormulaTable([parse_formula("H !Q_a | Q_b")])
    >>> table.entries, table.formula(parse_formula("!Q_a")), table.formula(parse_formula("Q_b"))
    (('!Q_a', '!$1', 'true since $2', '!$3', '$4 | Q_b'), '$1', 'Q_b')
    """

    def __init__(self, formulas: Iterable[Formula]) -> None:
        """List the entries in the order of first occurrence."""
        self.listed = tuple(part for part in subformulas_of_all(formulas) if operands(part))
        names = {part: f"${k}" for k, part in enumerate(self.listed, start=1)}
        self._writer = FormulaWriter(names, abbreviate=False)
        self.entries = tuple(map(self._writer.definition, names))

    def formula(self, formula: Formula) -> str:
        """Return ``$k``, or the text of an atom."""
        return self._writer.formula(formula)


def texts_of(mentions: Iterable[Formula]) -> FormulaTexts:
    """Return plain texts for these formulas (with repetitions), or a table if they are long."""
    mentioned = list(mentions)
    lengths = list(map(written_length, mentioned))
    if max(lengths, default=0) <= MOST_IN_ONE_TEXT and sum(lengths) <= MOST_IN_ALL_TEXTS:
        return PLAIN_TEXTS
    return FormulaTable(mentioned)
