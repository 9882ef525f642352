"""A user's predicate as a Coq function of a count or position k and the length n."""

from __future__ import annotations

from collections.abc import Mapping

from constructions.errors import Unsupported
from constructions.language.arithmetic import NEGATE, Postfix
from constructions.language.number_tests import NUMBER_TESTS
from constructions.language.predicates import PredicateDefinition

_OPERATORS: Mapping[str, str] = {
    "+": "Z.add", "-": "Z.sub", "*": "Z.mul",
    "<=": "Z.leb", "<": "Z.ltb", ">=": "Z.geb", ">": "Z.gtb", "==": "Z.eqb", "and": "andb", "or": "orb",
}  # fmt: skip
_DIVISIONS: Mapping[str, str] = {"//": "Z.div", "%": "Z.modulo", "^": "Z.pow"}
_VARIABLES = {"k": "(Z.of_nat k)", "n": "(Z.of_nat n)"}


def predicate_function(definition: PredicateDefinition) -> str:
    """The condition over the integers, where ``//`` and ``%`` round down as they do here.

    Raises:
        Unsupported: if the condition divides with ``/``, or by (or to the power of) anything but a positive number.
    """
    assert definition.condition is not None, f"{definition.name} is built in"
    return f"fun k n => {_translate(definition.condition.postfix, definition.name)}"


def _translate(program: Postfix, name: str) -> str:
    stack: list[str] = []
    for position, item in enumerate(program):
        if isinstance(item, int):
            stack.append(f"{item}%Z")
        elif item in _VARIABLES:
            stack.append(_VARIABLES[item])
        elif item in (NEGATE, "not"):
            stack.append(f"({'Z.opp' if item == NEGATE else 'negb'} {stack.pop()})")
        elif item in NUMBER_TESTS:
            stack.append(_test(item, stack.pop()))
        else:
            right, left = stack.pop(), stack.pop()
            stack.append(_binary(item, left, right, program[position - 1], name))
    (text,) = stack
    return text


def _test(name: str, number: str) -> str:
    """A built-in predicate of an integer, which is false of negative ones."""
    return f"(andb (Z.leb 0%Z {number}) (holds (fun _ _ _ => false) {name} (Z.to_nat {number}) 0%nat))"


def _binary(symbol: str, left: str, right: str, last: int | str, name: str) -> str:
    if symbol == "!=":
        return f"(negb (Z.eqb {left} {right}))"
    if symbol in _OPERATORS:
        return f"({_OPERATORS[symbol]} {left} {right})"
    # A literal on the right is the item just before the operator.
    if symbol in _DIVISIONS and isinstance(last, int) and last > 0:
        return f"({_DIVISIONS[symbol]} {left} {right})"
    raise Unsupported(f"predicate {name}: {symbol} with anything but a positive number on its right has no Coq form")
