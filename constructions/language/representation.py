"""What Python shows of a formula: its text, or the beginning of a long one. Importing this tells formulas so."""

from constructions.language.printer import MAX_PLAIN, format_briefly, format_formula, written_length
from constructions.language.syntax import Formula, write_with


def represent(formula: Formula) -> str:
    """What reads back as the formula, or its beginning, if it is long."""
    if written_length(formula) > MAX_PLAIN:
        return f"<formula, {formula.depth} deep: {format_briefly(formula)}>"
    return f"parse_formula({str(formula)!r})"


write_with(format_formula, represent)
