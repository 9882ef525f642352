"""Finite functions: what is combined, divided and written as cubes is the same function."""

import itertools
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructions.rasp_network.tables import (
    MAX_CASES,
    Slot,
    Table,
    TooManyCasesError,
    Variable,
    combine,
    constant,
    cubes,
    identity,
    residuals,
    substitute,
    tabulate,
)

TRUTH = Variable("truth", (False, True), {})
SYMBOL = Variable("symbol", ("a", "b", None), {})
SLOTS: tuple[Slot, ...] = ((TRUTH, "i"), (SYMBOL, "i"), (SYMBOL, "j"))
CASES = list(itertools.product(*(variable.values for variable, _ in SLOTS)))


@st.composite
def tables(draw: st.DrawFn) -> tuple[dict[Any, int], Table]:
    """Return the values by case, and the table."""
    values = {case: draw(st.integers(0, 2)) for case in CASES}
    return values, tabulate(SLOTS, lambda *case: values[case])


def value_at(table: Table, case: tuple[Any, ...]) -> Any:
    known = dict(zip(SLOTS, case, strict=True))
    return table.value(*(known[slot] for slot in table.slots))


@given(tables())
def test_a_table_is_its_function(made: tuple[dict[Any, int], Table]) -> None:
    values, table = made
    assert {case: value_at(table, case) for case in CASES} == values
    assert set(table.range) == set(values.values())


@given(tables())
def test_cubes_are_disjoint_and_cover_where_the_value_is(made: tuple[dict[Any, int], Table]) -> None:
    values, table = made
    for wanted in range(3):
        covered = Counter(case for cube in cubes(table, wanted) for case in CASES
                          if all(case[SLOTS.index(slot)] in allowed for slot, allowed in cube))
        assert covered == Counter(case for case, value in values.items() if value == wanted)


@given(tables())
def test_residuals_put_together_are_the_table(made: tuple[dict[Any, int], Table]) -> None:
    values, table = made
    found = residuals(table, SLOTS[:2])
    assert len(set(found)) == len(found)
    assert sorted(map(str, itertools.chain.from_iterable(found.values()))) == sorted(
        str(case) for case in itertools.product(TRUTH.values, SYMBOL.values))
    for rest, cases in found.items():
        for truth, symbol in cases:
            for other in SYMBOL.values:
                assert value_at(rest, (truth, symbol, other)) == values[truth, symbol, other]


def test_what_does_not_matter_is_left_out() -> None:
    assert tabulate(SLOTS, lambda truth, here, there: there == "a").slots == SLOTS[2:]
    assert tabulate(SLOTS, lambda truth, here, there: 7) == constant(7)
    same = combine(lambda left, right: left == right, identity(SLOTS[0]), identity(SLOTS[0]))
    assert same == constant(True)


def test_places_can_be_brought_together() -> None:
    differ = combine(lambda left, right: left != right, identity(SLOTS[1]), identity(SLOTS[2]))
    assert differ.places == {"i", "j"}
    assert differ.at("i") == constant(False)


def test_variables_can_be_replaced_by_functions() -> None:
    is_a = combine(lambda symbol: symbol == "a", identity(SLOTS[1]))
    negation = combine(lambda truth: not truth, identity(SLOTS[0]))
    replaced = substitute(negation, lambda slot: is_a if slot == SLOTS[0] else None)
    assert replaced == combine(lambda symbol: symbol != "a", identity(SLOTS[1]))


def test_tables_are_limited() -> None:
    many = [(Variable(f"truth {k}", (False, True), {}), "i") for k in range(MAX_CASES.bit_length())]
    with pytest.raises(TooManyCasesError):
        tabulate(many, lambda *case: sum(case))  # type: ignore[arg-type]
