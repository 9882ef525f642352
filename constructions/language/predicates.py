"""Unary numerical predicates, on positions and on counts.

Source      [SHA] Definition 19: a family of functions from [n] = {1, ..., n} to {0, 1}.
Differs     A count can be 0, which is outside [n], and a sum of multiples of counts any integer. The same rule is then
            applied to it: EVEN, SQUARE and MOD(m,0) hold of 0; ODD, FIRST, LAST, POW2 and PRIME do not. Remainders are
            from 0 to m - 1, so that -1 is odd; no negative number is first, last, a square, a power of two or prime.
"""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from constructions.errors import InputError
from constructions.language.expressions import Expression, parse_expression, rename_variables
from constructions.language.functions import FUNCTIONS, is_power_of_two, is_prime, is_square
from constructions.language.predicate_definition import PredicateDefinition
from constructions.language.syntax import Formula, Predicate, PredicateOnCount, PredicateOnSum, subformulas_of_all

KEYWORDS = frozenset({"true", "false", "not", "and", "or", "prev", "next", "since", "until", *"YXSUOHFG"})

_DEFINITION = re.compile(r"\s*([A-Za-z][A-Za-z0-9_]*)\s*\(([^()]*)\)\s*:=(.*)", re.DOTALL)
_VARIABLE = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


_BUILTIN = (
    PredicateDefinition("ODD", 0, lambda k, n, _: k % 2 == 1, "k is odd"),
    PredicateDefinition("EVEN", 0, lambda k, n, _: k % 2 == 0, "k is even"),
    PredicateDefinition("MOD", 2, lambda k, n, mr: k % mr[0] == mr[1], "MOD(m,r): k mod m is r",
                        first_parameter_at_least=1),
    PredicateDefinition("FIRST", 0, lambda k, n, _: k == 1, "k is 1"),
    PredicateDefinition("LAST", 0, lambda k, n, _: k == n, "k is n", depends_on_n=True),
    PredicateDefinition("SQUARE", 0, lambda k, n, _: is_square(k), "k is a square"),
    PredicateDefinition("POW2", 0, lambda k, n, _: is_power_of_two(k), "k is a power of two"),
    PredicateDefinition("PRIME", 0, lambda k, n, _: is_prime(k), "k is prime"),
)

BUILTIN: Mapping[str, PredicateDefinition] = MappingProxyType({entry.name: entry for entry in _BUILTIN})


def find_predicate(name: str, predicates: Mapping[str, PredicateDefinition] | None) -> PredicateDefinition | None:
    """Return the definition of a built-in predicate, or of one of the user's ``predicates``."""
    return BUILTIN.get(name) or (predicates or {}).get(name)


AppliedPredicate = Predicate | PredicateOnCount | PredicateOnSum
"""A formula that applies a predicate to a position, a count or a sum."""


def definition_of(formula: AppliedPredicate) -> PredicateDefinition:
    """Return the definition of the predicate that the formula applies.

    Raises:
        InputError: if the formula was built without one and the name is not built in.
    """
    definition = formula.definition or BUILTIN.get(formula.name)
    if definition is None:
        raise InputError(f"predicate {formula.name}: unknown, expected a built-in predicate or one with a definition")
    return definition


def definitions_of(formulas: Iterable[Formula]) -> list[PredicateDefinition]:
    """Return the user's predicates that the formulas mention anywhere, sorted by name.

    Raises:
        InputError: if one name has two definitions.
    """
    found: dict[str, PredicateDefinition] = {}
    for part in subformulas_of_all(formulas):
        definition = part.definition if isinstance(part, AppliedPredicate) else None
        if definition is not None and found.setdefault(definition.name, definition) != definition:
            raise InputError(f"predicate {definition.name}: found two definitions, expected one")
    return [found[name] for name in sorted(found)]


def parse_predicate_definition(text: str) -> PredicateDefinition:
    """Parse a user's predicate: a name, a variable for the position, perhaps one for the length, and a condition.

    >>> third = parse_predicate_definition("THIRD(k,n) := k % 3 == 1")
    >>> [k for k in range(1, 9) if third.holds(k, 8, ())]
    [1, 4, 7]
    >>> third.description
    'THIRD(k) := k%3 == 1'

    The description calls the variables k and n, whatever their names in ``text``.
    """
    parsed = _DEFINITION.fullmatch(text)
    if parsed is None:
        raise InputError(f"predicate {_shorten(text)!r}: expected a definition such as THIRD(k,n) := k % 3 == 1")
    name, header, body = parsed.groups()
    _check_name(name)
    variables = _parse_variables(name, header)
    try:
        condition = parse_expression(body.strip(), frozenset(variables), boolean=True)
    except InputError as error:
        raise InputError(f"predicate {_shorten(name)}: {error}") from None
    return define(name, rename_variables(condition, dict(zip(variables, ("k", "n"), strict=False))))


def parse_predicate_definitions(texts: Iterable[str]) -> dict[str, PredicateDefinition]:
    """Parse several predicates; return them by name.

    Raises:
        InputError: as ``parse_predicate_definition``, and if a name is defined twice.
    """
    found: dict[str, PredicateDefinition] = {}
    for definition in map(parse_predicate_definition, texts):
        if definition.name in found:
            raise InputError(f"predicate {definition.name}: defined twice, expected distinct names")
        found[definition.name] = definition
    return found


def define(name: str, condition: Expression) -> PredicateDefinition:
    """Return the predicate of this name, with a condition in the variables k and n."""
    depends_on_n = "n" in condition.variables
    return PredicateDefinition(
        name,
        0,
        lambda k, n, _: condition.holds(k=k, n=n),
        f"{name}({'k,n' if depends_on_n else 'k'}) := {condition}",
        depends_on_n=depends_on_n,
        condition=condition,
    )


def _check_name(name: str) -> None:
    if name in BUILTIN or name in KEYWORDS or name in FUNCTIONS or name == "Q" or name.startswith("Q_"):
        kind = "a built-in predicate" if name in BUILTIN else "taken by the language"
        raise InputError(f"predicate {_shorten(name)!r}: the name is {kind}, expected another one")


def _parse_variables(name: str, text: str) -> list[str]:
    variables = [variable.strip() for variable in text.split(",")]
    header = f"predicate {_shorten(name)}({_shorten(text)})"
    distinct = len(set(variables)) == len(variables) <= 2
    if not distinct or not all(_VARIABLE.fullmatch(variable) for variable in variables):
        raise InputError(f"{header}: expected one or two variables, such as (k) or (k,n)")
    if set(variables) & {"and", "or", "not", *FUNCTIONS}:
        raise InputError(f"{header}: and, or, not, {', '.join(FUNCTIONS)} cannot be variables")
    return variables


def _shorten(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."
