"""The rules by which few cases stand for many, against the same check without them: all cases, and shortest paths."""

import json
import random
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest

from certify.claims.formula.outcomes import Certified
from certify.claims.formula.pipeline import certify
from proofs.check import Rejected, check_text
from proofs.check.checker.chapters.formula.attention import attention, shortest_path
from proofs.check.checker.chapters.sums.lookup import lookup
from tests.check import handmade
from tests.check import handmade_counting as counting
from tests.check.handmade import Json, dump, edit

UNIT = 10**13
ATTENTION = {name: handmade.ALL[name] for name in ("since", "until", "prev", "next", "causal", "cold")}
BOTH: dict[str, Any] = {**ATTENTION, **counting.ALL}


def is_accepted(made: Json) -> bool:
    try:
        check_text(dump(made))
    except Rejected:
        return False
    return True


def is_accepted_case_by_case(made: Json) -> bool:
    """Without the rules: every path, and every case of a lookup."""

    def none(*_: object) -> None:
        return None

    def nothing(*_: object) -> Mapping[int, Any]:
        return {}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(attention, "find_extremes", none)
        patch.setattr(lookup, "find_covered", nothing)
        return is_accepted(made)


def bound_at(made: Json, place: int, side: str, value: Fraction) -> Json:
    return edit(made, "bounds", place, side, value=str(value))


def find_least(made: Json, place: int, side: str) -> Fraction:
    """Return the least multiple of 10^-13 that is accepted, of those up to the stated bound."""
    low, high = -1, int(UNIT * Fraction(made["bounds"][place][side]))
    while high - low > 1:
        middle = (low + high) // 2
        if is_accepted(bound_at(made, place, side, Fraction(middle, UNIT))):
            high = middle
        else:
            low = middle
    return Fraction(high, UNIT)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("side", ["error_if_false", "error_if_true"])
def test_the_least_bound_is_that_of_all_cases(name: str, side: str) -> None:
    """Neither with the rules nor without them is one unit of 10^-13 less accepted, and both accept the bound itself."""
    made = BOTH[name](max_n=5)
    least = find_least(made, 0, side)
    assert is_accepted_case_by_case(bound_at(made, 0, side, least))
    if least:
        assert not is_accepted_case_by_case(bound_at(made, 0, side, least - Fraction(1, UNIT)))


@pytest.mark.parametrize("name", ["since", "until", "prev", "next", "causal", "at least two", "odd"])
def test_a_gap_lowered_by_one_part_in_10_to_the_9_is_rejected(name: str) -> None:
    """At the least bound: the rows that tie with the worst have no room."""
    made = BOTH[name](max_n=5)
    made = bound_at(made, 0, "error_if_false", find_least(made, 0, "error_if_false"))
    assert is_accepted(made)
    at = 0 if name in ATTENTION else 1
    head = made["transformer"]["layers"][at]["heads"][0]
    for query in head["queries"]:
        for direction, weight in query.items():
            query[direction] = str(Fraction(weight) * (1 - Fraction(1, 10**9)))
    assert not is_accepted(made)


CHANGES: list[tuple[str, tuple[Any, ...], Any]] = [
    ("odd", ("heads", 0, "values", "if here"), {"value before": "1"}),  # other values at the same gaps
    ("odd", ("heads", 1, "values", "if not"), {"value": "1"}),
    ("odd", ("heads", 0, "keys", 1, "place"), "4"),  # the greatest score one position further
    ("odd", ("heads", 0, "keys", 1, "square"), "-999999999/1000000000"),  # it moves with the position
    ("odd", ("heads", 0, "temperature"), "1"),  # less than 1 as a curvature at long words
    ("at least two", ("heads", 0, "values", "others"), {"before": "2"}),  # a miss that is not the distance
    ("at least two", ("heads", 0, "values", "others"), {"place": "1"}),
    ("at least two", ("heads", 0, "mask"), "none"),
]


@pytest.mark.parametrize(("name", "path", "value"), CHANGES, ids=str)
def test_another_lookup_has_the_verdict_of_all_cases(name: str, path: tuple[Any, ...], value: Any) -> None:
    made = edit(BOTH[name](max_n=7), "transformer", "layers", 1, *path, value=value)
    assert is_accepted(made) == is_accepted_case_by_case(made)


def test_a_longer_word_is_not_always_worse() -> None:
    """`ODD` is worst at n = 3, where both neighbours are wrong and none beyond them is right."""
    made = counting.on_a_count(max_n=12)
    short = find_least(counting.on_a_count(max_n=3), 0, "error_if_false")
    wide = find_least(made, 0, "error_if_false")
    assert wide == short
    assert not is_accepted(bound_at(made, 0, "error_if_false", short - Fraction(1, UNIT)))


def scale(made: Json, rng: random.Random) -> Json:
    """Return the certificate with one weight, exponent or bound of its heads changed."""
    layer = rng.choice([k for k, one in enumerate(made["transformer"]["layers"]) if one["heads"]])
    heads = made["transformer"]["layers"][layer]["heads"]
    at = rng.randrange(len(heads))
    rows = [(part, k) for part in ("queries", "keys") for k, row in enumerate(heads[at][part]) if row]
    if not rows or rng.random() < 0.2:
        bound = rng.randrange(len(made["bounds"]))
        return bound_at(made, bound, "error_if_true", Fraction(rng.randrange(1, 60), 1000))
    part, k = rng.choice(rows)
    direction, weight = rng.choice(list(heads[at][part][k].items()))
    changed = str(Fraction(weight) * Fraction(rng.choice(["-1", "1/2", "9/10", "11/10", "2", "3"])))
    return edit(made, "transformer", "layers", layer, "heads", at, part, k, direction, value=changed)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", BOTH)
def test_changed_heads_have_the_verdict_of_all_cases(name: str) -> None:
    rng = random.Random(name)
    made = BOTH[name](max_n=6)
    for _ in range(12):
        changed = scale(made, rng)
        assert is_accepted(changed) == is_accepted_case_by_case(changed), changed


def rows_left(made: Json, monkeypatch: pytest.MonkeyPatch) -> int:
    """Count the rows that are checked by paths, or case by case."""
    left = []

    def paths(proof: Any, query: Any, positions: Any, ends: Any, errors: Any) -> None:
        left.extend(ends)

    def lengths(self: Any, n: int) -> Any:
        left.extend(range(n))
        return check_length(self, n)

    check_length = lookup.Lookup.check_length
    with monkeypatch.context() as patch:
        patch.setattr(shortest_path, "check_paths", paths)
        patch.setattr(lookup.Lookup, "check_length", lengths)
        check_text(dump(made))
    return len(left)


@pytest.mark.parametrize("name", ["since", "until", "prev", "next", "causal", "at least two", "balanced", "odd"])
def test_the_rows_that_no_rule_decides_do_not_become_more_with_the_length(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = [rows_left(BOTH[name](max_n=max_n), monkeypatch) for max_n in (12, 24)]
    assert counts[0] == counts[1] <= 6


def test_where_no_letter_makes_the_target_false_a_bound_of_0_needs_no_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over 0 and 1, `(Q_0 | Q_1) since Q_0` is false only where all letters keep; its words have no error at all."""
    outcome = certify("(Q_0 | Q_1) since Q_0", "01", 12)
    assert isinstance(outcome, Certified)
    made = json.loads(outcome.certificate)
    assert made["bounds"][0]["error_if_false"] == "0" != made["bounds"][0]["error_if_true"]
    assert rows_left(made, monkeypatch) == 2  # those of the words that err most
    assert is_accepted(made) and is_accepted_case_by_case(made)
    lower = Fraction(made["bounds"][0]["error_if_true"]) - Fraction(1, 10**13)
    assert not is_accepted(bound_at(made, 0, "error_if_true", lower))


@pytest.mark.parametrize("max_n", [1, 2, 5])
@pytest.mark.parametrize("name", ["since", "until", "causal"])
def test_where_nothing_decides_yet_the_values_are_those_of_false(name: str, max_n: int) -> None:
    """`(Q_a | Q_b) since Q_b` is false in words of a alone, whose values would be 1."""
    made = ATTENTION[name](max_n)
    made["transformer"]["layers"][0]["heads"][0]["values"] = {"near": {"is[left]": "1"}}
    with pytest.raises(Rejected, match="is below the worst case"):
        check_text(dump(made))


@pytest.mark.parametrize("max_n", [1, 2, 5])
@pytest.mark.parametrize(("name", "guarded"), [("prev", "ODD & !FIRST"), ("next", "ODD & !LAST")])
def test_a_position_without_a_neighbour_is_no_neighbour(name: str, guarded: str, max_n: int) -> None:
    """The only position that is seen there is the position itself."""
    made = json.loads(json.dumps(ATTENTION[name](max_n)).replace(f'"when": "{guarded}"', '"when": "ODD"'))
    assert made != ATTENTION[name](max_n)
    with pytest.raises(Rejected, match="is below the worst case"):
        check_text(dump(made))
