"""The real functions ln and sqrt that a network mentions, and a sentence about them."""

from collections.abc import Iterator

from constructions.language.brackets import Bracket
from constructions.language.expressions import Expression
from constructions.language.predicates import AppliedPredicate, definition_of
from constructions.language.syntax import Formula, subformulas_of_all
from constructions.network.meanings import formulas_of
from constructions.network.transformer import Transformer

IN_LATEX = {"ln": r"$\ln$", "sqrt": r"$\sqrt{\cdot}$"}


def functions_in(transformer: Transformer, *others: Expression) -> list[str]:
    """Return those of ln and sqrt that its embeddings, temperatures and predicates, or other expressions, mention."""
    found = {item for expression in (*others, *_expressions(transformer)) for item in expression.postfix}
    return [name for name in IN_LATEX if name in found]


def sentence(transformer: Transformer, *others: Expression, latex: bool = False) -> str:
    """Return a sentence about the functions that are mentioned; empty if there are none."""
    names = [IN_LATEX[name] if latex else name for name in functions_in(transformer, *others)]
    if not names:
        return ""
    return f"Here {' and '.join(names)} {'is the real function' if len(names) == 1 else 'are the real functions'}."


def _expressions(transformer: Transformer) -> Iterator[Expression]:
    meanings = transformer.directions.values()
    formulas: list[Formula] = [formula for meaning in meanings for formula in formulas_of(meaning)]
    for value in transformer.position_embedding.values():
        if isinstance(value, Bracket):
            formulas.append(value.formula)
        else:
            yield value
    yield from (head.temperature for _, _, head in transformer.heads())
    for part in subformulas_of_all(formulas):
        if isinstance(part, AppliedPredicate) and (condition := definition_of(part).condition) is not None:
            yield condition
