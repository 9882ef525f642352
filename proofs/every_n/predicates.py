"""A user's predicate as data of ``user_predicates.v``, which defines its meaning for every k and n."""

from collections.abc import Mapping

from constructions.errors import Unsupported
from constructions.language.arithmetic import NEGATE, Postfix
from constructions.language.functions import NUMBER_TESTS
from constructions.language.predicate_definition import PredicateDefinition

_OPERATORS: Mapping[str, str] = {
    "+": "Sum", "-": "Difference", "*": "Times", "and": "Both", "or": "Either",
    "<=": "Related AtMost", "<": "Related Below", ">=": "Related AtLeast", ">": "Related Above",
    "==": "Related Equal", "!=": "Related Unequal",
}  # fmt: skip
_DIVISIONS: Mapping[str, str] = {"//": "Quotient", "%": "Remainder", "^": "Raised"}
_LEAVES = {"k": "TheNumber", "n": "TheLength"}


def condition_data(definition: PredicateDefinition) -> str:
    """Return the condition, over the integers; its divisors and exponents are positive numbers.

    Raises:
        Unsupported: if the condition divides with ``/``, or by (or to the power of) anything but a positive number.
    """
    assert definition.condition is not None, f"{definition.name} is built in"
    return _translate(definition.condition.postfix, definition.name)


def _translate(program: Postfix, name: str) -> str:
    stack: list[str] = []
    for position, item in enumerate(program):
        if isinstance(item, int):
            stack.append(f"(Literal {item})")
        elif item in _LEAVES:
            stack.append(_LEAVES[item])
        elif item in (NEGATE, "not"):
            stack.append(f"({'Negated' if item == NEGATE else 'Fails'} {stack.pop()})")
        elif item in NUMBER_TESTS:
            stack.append(f"(Tested {item} {stack.pop()})")
        else:
            right, left = stack.pop(), stack.pop()
            stack.append(_binary(item, left, right, program[position - 1], name))
    (text,) = stack
    return text


def _binary(symbol: str, left: str, right: str, last: int | str, name: str) -> str:
    if symbol in _OPERATORS:
        return f"({_OPERATORS[symbol]} {left} {right})"
    # A literal on the right is the item just before the operator.
    if symbol in _DIVISIONS and isinstance(last, int) and last > 0:
        return f"({_DIVISIONS[symbol]} {left} {last})"
    kind = " with anything but a positive number on its right" if symbol in _DIVISIONS else ""
    raise Unsupported(f"predicate {name}: {symbol}{kind} has no Coq form")
