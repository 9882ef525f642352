"""Laws of the checker of softened transformers on random models: no false bound passes, what the rules give does."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from proofs.check import Rejected, check_text
from tests.check.softened_verdicts import covered
from tests.check.softening import (
    EXPRESSIONS,
    Json,
    dump,
    find_gap,
    find_ties,
    head,
    last_sum,
    layer,
    seal,
    soft_errors,
    transformer,
    unit,
)

NAMES = ["one", "place", "a", "x", "y"]
COEFFICIENTS = st.sampled_from(["1", "-1", "1/2", "-2", "1/3", "3"])
MAX_N = 3


def rows(names: list[str]) -> st.SearchStrategy[Json]:
    """Return a form with its directions in order."""
    return st.dictionaries(st.sampled_from(names), COEFFICIENTS, min_size=1, max_size=2).map(
        lambda form: {d: form[d] for d in NAMES if d in form})


@st.composite
def heads(draw: st.DrawFn) -> Json:
    values = draw(st.dictionaries(st.sampled_from(["x", "y"]), rows(["a", "x", "y"]), min_size=1))
    values = {d: values[d] for d in NAMES if d in values}
    mask = draw(st.sampled_from(["none", "future", "past"]))
    if draw(st.integers(0, 2)) == 0:
        return head(values, mask=mask)
    weighting = draw(st.sampled_from(["average-hardmax", "leftmost-hardmax", "rightmost-hardmax"]))
    query = draw(st.sampled_from([{"one": "1"}, {"one": "1", "x": "1/7"}, {"one": "2", "a": "1"}]))
    key = draw(rows(["a", "x", "y"])) | draw(st.sampled_from([{}, {"place": "1"}, {"place": "-1/2"}]))
    return head(values, query, {d: key[d] for d in NAMES if d in key}, mask, weighting)


UNITS = st.builds(unit, rows(["a", "x", "y"]), st.sampled_from(["0", "1/2", "-1/4", "-1"]), rows(["x", "y"]))
LAYERS = st.builds(layer, st.lists(heads(), min_size=1, max_size=2), st.lists(UNITS, max_size=3))
TRANSFORMERS = st.builds(
    lambda layers, place: transformer(" ".join(NAMES), {"0": {"one": "1"}, "1": {"one": "1", "a": "1"}},
                                      {"place": place}, layers),
    st.lists(LAYERS, min_size=1, max_size=2), st.sampled_from(["i/n", "i", "1/i"]))
UNHURRIED = [HealthCheck.filter_too_much, HealthCheck.too_slow]
LIMITS = settings(max_examples=20, suppress_health_check=UNHURRIED)


def is_short(made: Json) -> bool:
    """Return whether the format has room for all bounds."""
    return all(len(part) <= 1000 for stages in made["errors"] for stage in stages for bound in stage.values()
               for part in bound.split("/"))


@LIMITS
@given(TRANSFORMERS, st.sampled_from(["1/60", "1/(40*n)", "1/20"]), st.integers(0, 3),
       st.sampled_from([Fraction(1), 1 - Fraction(1, 10**9), Fraction(1, 2), Fraction(1, 50)]))
def test_the_rules_are_accepted_and_no_false_bound_is(model: Json, tau: str, stage: int, factor: Fraction) -> None:
    assume(all(find_ties(model, n) <= {"average-hardmax"} for n in range(1, MAX_N + 1)))
    rules = seal(model, MAX_N, tau)
    assume(last_sum(rules) <= Fraction(1, 4) and is_short(rules))
    assert covered(rules)["words"] == 14
    doubtful = seal(model, MAX_N, tau, lambda number, d, x: x * factor if number == stage else x)
    assume(is_short(doubtful))
    try:
        check_text(dump(doubtful))
    except Rejected as error:
        assert "could not be completed" not in str(error)
        return
    for n in range(1, MAX_N + 1):
        found = soft_errors(model, n, EXPRESSIONS[tau](n, 1))
        for stated, actual in zip(doubtful["errors"][n - 1], found, strict=True):
            for d, x in actual.items():
                bound = Fraction(stated.get(d, 0))
                with mpmath.workdps(150):
                    assert x <= mpmath.mpf(bound.numerator) / bound.denominator + mpmath.mpf(10) ** -140


@LIMITS
@given(TRANSFORMERS)
def test_only_average_hard_heads_may_tie(model: Json) -> None:
    """One layer, whose heads write the same number at all positions: nothing errs, so ties are the only fault."""
    heads = [one | {"values": {"x": {"one": "1"}}} for one in model["layers"][0]["heads"]]
    model = model | {"layers": [model["layers"][0] | {"heads": heads}]}
    gaps = [find_gap(model, n) for n in range(1, MAX_N + 1)]
    ties = set().union(*(find_ties(model, n) for n in range(1, MAX_N + 1)))
    made = {"format": "certify-softened", "version": 1,
            "claim": {"alphabet": ["0", "1"], "max_n": MAX_N, "temperature": "1"}, "transformer": model,
            "gaps": [None if gap is None else str(gap) for gap in gaps], "errors": [[{}] * 2] * MAX_N}
    if ties <= {"average-hardmax"}:
        assert ("of these with ties" in covered(made)) == bool(ties)
        return
    with pytest.raises(Rejected, match="is not tieless"):
        check_text(dump(made))
