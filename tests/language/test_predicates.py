"""Numerical predicates, built in and defined by users."""

import pytest

from constructions.errors import InputError
from constructions.language.parser import parse_formula
from constructions.language.predicates import BUILTIN, KEYWORDS, parse_predicate_definition
from constructions.language.syntax import And, Predicate, Symbol


def extension(name: str, parameters: tuple[int, ...] = (), n: int = 12) -> list[int]:
    return [k for k in range(n + 1) if BUILTIN[name].holds(k, n, parameters)]


def test_built_in_predicates_from_0_to_12() -> None:
    assert extension("ODD") == [1, 3, 5, 7, 9, 11]
    assert extension("EVEN") == [0, 2, 4, 6, 8, 10, 12]
    assert extension("MOD", (5, 2)) == [2, 7, 12]
    assert extension("FIRST") == [1]
    assert extension("LAST") == [12]
    assert extension("SQUARE") == [0, 1, 4, 9]
    assert extension("POW2") == [1, 2, 4, 8]
    assert extension("PRIME") == [2, 3, 5, 7, 11]
    assert set(BUILTIN) == {"ODD", "EVEN", "MOD", "FIRST", "LAST", "SQUARE", "POW2", "PRIME"}


def test_only_last_among_the_built_in_predicates_depends_on_n() -> None:
    assert [name for name, entry in BUILTIN.items() if entry.depends_on_n] == ["LAST"]
    for name, entry in BUILTIN.items():
        parameters = (3, 1)[: entry.parameter_count]
        differs = any(entry.holds(k, 12, parameters) != entry.holds(k, 13, parameters) for k in range(13))
        assert differs == (name == "LAST")


@pytest.mark.parametrize(
    ("text", "description", "depends_on_n"),
    [
        ("THIRD(k,n) := k % 3 == 1", "THIRD(k) := k%3 == 1", False),
        ("THIRD(k):=k%3=1", "THIRD(k) := k%3 == 1", False),
        (" Half ( i , n ) := 2*i == n ", "Half(k,n) := 2*k == n", True),
        ("M(n) := n > 1 and not n == 4", "M(k) := k > 1 and not k == 4", False),
    ],
)
def test_definitions(text: str, description: str, depends_on_n: bool) -> None:
    definition = parse_predicate_definition(text)
    assert (definition.description, definition.depends_on_n) == (description, depends_on_n)
    assert parse_predicate_definition(definition.description).description == description
    assert definition.parameter_count == 0


def test_a_definition_is_applied_to_position_and_length() -> None:
    half = parse_predicate_definition("HALF(k,n) := 2*k == n")
    assert [k for k in range(9) if half.holds(k, 8, ())] == [4]
    swapped = parse_predicate_definition("HALF(n,k) := 2*n == k")
    assert [k for k in range(9) if swapped.holds(k, 8, ())] == [4]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("THIRD", "predicate 'THIRD': expected a definition such as THIRD(k,n) := k % 3 == 1"),
        ("", "predicate '': expected a definition such as THIRD(k,n) := k % 3 == 1"),
        ("ODD(k) := k == 1", "predicate 'ODD': the name is a built-in predicate, expected another one"),
        ("since(k) := k == 1", "predicate 'since': the name is taken by the language, expected another one"),
        ("S(k) := k == 1", "predicate 'S': the name is taken by the language, expected another one"),
        ("Q_a(k) := k == 1", "predicate 'Q_a': the name is taken by the language, expected another one"),
        ("T() := 1 == 1", "predicate T(): expected one or two variables, such as (k) or (k,n)"),
        ("T(k,k) := 1 == 1", "predicate T(k,k): expected one or two variables, such as (k) or (k,n)"),
        ("T(a,b,c) := 1 == 1", "predicate T(a,b,c): expected one or two variables, such as (k) or (k,n)"),
        ("T(not) := 1 == 1", "predicate T(not): and, or, not, log2ceil, log2floor, ln, sqrt cannot be variables"),
        ("T(k) := n == 1", "predicate T: expression 'n == 1', column 1: found 'n', expected k"),
        ("T(k) := k +", "predicate T: expression 'k +', column 4: found the end of the expression, "
                        "expected a number, a variable, a function, '(' or '-'"),
    ],
)  # fmt: skip
def test_bad_definitions(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_predicate_definition(text)
    assert str(caught.value) == message


def test_every_word_of_the_core_language_is_refused_as_a_name() -> None:
    for keyword in [*KEYWORDS, "Q"]:
        with pytest.raises(InputError, match="taken by the language"):
            parse_predicate_definition(f"{keyword}(k) := k == 1")


@pytest.mark.parametrize("name", ["T", "N", "xor", "always", "mod", "i", "last", "tt"])
def test_a_predicate_takes_its_name_from_whatever_else_it_might_be(name: str) -> None:
    """Certificates may define any name that the core language does not use."""
    defined = parse_predicate_definition(f"{name}(k) := k == 1")
    assert parse_formula(f"{name} & Q_{name}", ["a", name], {name: defined}) is And(
        Predicate(name, (), defined), Symbol(name))


def test_a_definition_without_a_value_somewhere_says_so() -> None:
    with pytest.raises(InputError, match="1/k > 1 divides by zero at k = 0, n = 3"):
        parse_predicate_definition("T(k,n) := 1/k > 1").holds(0, 3, ())
