"""Joint bounds of made-up score profiles: never below the rule, for any errors and temperature; merged in any order."""

from collections.abc import Callable
from fractions import Fraction
from functools import reduce

from hypothesis import assume, given
from hypothesis import strategies as st

from proofs.softened import profile_bounds
from proofs.softened.errors import Softening
from proofs.softened.profile_bounds import JointBounds, Rival, bounded, joint_bounds_of
from proofs.softened.score_profiles import ScoreProfiles, collect, merge
from tests.tiers import drawn

QUARTERS = st.integers(0, 12).map(lambda k: Fraction(k, 4))
ERRORS = st.sampled_from([Fraction(0), Fraction(1, 100), Fraction(1, 10), Fraction(1, 3)])
VALUES = st.integers(-2, 3).map(Fraction)
SLACK = 1 + Fraction(1, 10**20)
"""Of the rule itself, whose weights are rounded up."""


@st.composite
def score_profiles(draw: st.DrawFn) -> tuple[list[Rival], list[tuple[int, ...]]]:
    """Draw rivals by increasing loss, and score profiles of rivals with the same query."""
    by_query = draw(st.lists(st.tuples(QUARTERS, QUARTERS), min_size=1, max_size=3, unique=True))
    rival = st.builds(Rival, QUARTERS.map(lambda x: x + Fraction(1, 4)), st.sampled_from(by_query),
                      st.tuples(QUARTERS, QUARTERS), st.tuples(VALUES, VALUES))
    rivals = sorted(draw(st.sets(rival, min_size=1, max_size=12)))
    chosen = []
    for queries in by_query:
        places = [place for place, rival in enumerate(rivals) if rival.queries == queries]
        if places:
            chosen += draw(st.lists(st.lists(st.sampled_from(places), min_size=1, max_size=5).map(sorted).map(tuple),
                                    min_size=1, max_size=4))
    return rivals, chosen


PAIRS, VALUE_PAIRS = st.tuples(QUARTERS, QUARTERS), st.tuples(VALUES, VALUES)


@st.composite
def score_profiles_with_ties(draw: st.DrawFn) -> tuple[list[Rival], list[tuple[int, ...]]]:
    """Draw the score profiles of each winner: positions have keys and values, losers a loss."""
    by_query = draw(st.lists(PAIRS, min_size=1, max_size=2, unique=True))
    found: list[list[Rival]] = []
    for queries in by_query:
        for _ in range(draw(st.integers(1, 3))):
            winners = draw(st.lists(st.tuples(st.just(Fraction(0)), PAIRS, VALUE_PAIRS), min_size=1, max_size=3))
            losers = draw(st.lists(st.tuples(QUARTERS.map(lambda x: x + Fraction(1, 4)), PAIRS, VALUE_PAIRS),
                                   min_size=len(winners) == 1, max_size=3))
            for place, winner in enumerate(winners):
                others = [*winners[:place], *winners[place + 1 :], *losers]
                found.append(sorted(
                    Rival(loss, queries, differences(keys, winner[1], abs), differences(values, winner[2]))
                    for loss, keys, values in others))
    rivals = sorted({rival for some in found for rival in some})
    return rivals, [tuple(map(rivals.index, some)) for some in found]


def differences(these: tuple[Fraction, ...], those: tuple[Fraction, ...],
                of: Callable[[Fraction], Fraction] = Fraction) -> tuple[Fraction, ...]:
    return tuple(of(a - b) for a, b in zip(these, those, strict=True))


SOFTENINGS = st.builds(Softening, st.sampled_from([Fraction(1, k) for k in (1, 2, 5, 9)]), st.tuples(ERRORS, ERRORS),
                       st.tuples(ERRORS, ERRORS))


def limits(found: JointBounds) -> list[JointBounds]:
    """Return joint bounds, and the coarse ones."""
    return [found, bounded(dict(found.by_query), coarse=True)]


@drawn(50)
@given(score_profiles() | score_profiles_with_ties(), SOFTENINGS)
def test_no_score_profile_is_beyond_the_bounds(given_: tuple[list[Rival], list[tuple[int, ...]]],
                                               softening: Softening) -> None:
    rivals, chosen = given_
    listed = collect(rivals, chosen)
    assert isinstance(listed, ScoreProfiles)
    rule = softening.of_profiles(listed)
    for limit in limits(joint_bounds_of(rivals, chosen)):
        assert all(exact <= bound * SLACK for exact, bound in zip(rule, softening.of_bounds(limit), strict=True))


def rival(loss: int, query: int, key: int, *values: Fraction) -> Rival:
    return Rival(Fraction(loss), (Fraction(query),), (Fraction(key),), values)


def test_a_rival_that_loses_more_may_weigh_more_where_its_key_is_farther_off() -> None:
    """The one with loss 2 of two score profiles with one rival each is worse: 2 - 9/4 < 1 - 1/4."""
    rivals = [rival(1, 1, 1, Fraction(1)), rival(2, 1, 9, Fraction(1))]
    softening = Softening(Fraction(1), (Fraction(1, 4),), (Fraction(0),))
    listed = collect(rivals, [(0,), (1,)])
    assert isinstance(listed, ScoreProfiles)
    (alone,), (exact,) = (softening.of_profiles(ScoreProfiles((rivals[0],), frozenset({(0,)}))),
                          softening.of_profiles(listed))
    (bound,) = softening.of_bounds(joint_bounds_of(rivals, [(0,), (1,)]))
    assert alone < 1 < exact <= bound * SLACK


def test_where_a_rival_may_weigh_far_more_at_least_1_is_stated_and_no_less_than_values_differ() -> None:
    rivals = [rival(1, 1, 1, Fraction(1, 2), Fraction(-3), Fraction(0))]
    softening = Softening(Fraction(1, 100), (Fraction(5),), (Fraction(0),))
    assert softening.of_profiles(ScoreProfiles(tuple(rivals), frozenset({(0,)}))) == [1, 3, 0]
    assert softening.of_bounds(joint_bounds_of(rivals, [(0,)])) == [1, 3, 0]


@drawn(30)
@given(score_profiles() | score_profiles_with_ties(), st.randoms(use_true_random=False), st.sampled_from([1, 3, 2000]))
def test_joint_bounds_of_parts_are_merged_in_any_order(given_: tuple[list[Rival], list[tuple[int, ...]]],
                                                       random: object, levels: int) -> None:
    rivals, chosen = given_
    shuffled = sorted(chosen, key=lambda _: random.random())  # type: ignore[attr-defined]
    saved, profile_bounds.MAX_LEVELS = profile_bounds.MAX_LEVELS, levels
    try:
        parts = [joint_bounds_of(rivals, [places]) for places in shuffled]
        assert reduce(JointBounds.merge, parts) == joint_bounds_of(rivals, chosen)
        assert reduce(JointBounds.merge, parts[::-1]) == joint_bounds_of(rivals, chosen)
    finally:
        profile_bounds.MAX_LEVELS = saved


@drawn(30)
@given(score_profiles() | score_profiles_with_ties())
def test_score_profiles_of_parts_unite(given_: tuple[list[Rival], list[tuple[int, ...]]]) -> None:
    rivals, chosen = given_
    assert reduce(merge, [collect(rivals, [places]) for places in chosen]) == collect(rivals[:], chosen[::-1])
    whole = collect(rivals, chosen)
    assert type(whole).from_json(whole.to_json()) == whole
    assert JointBounds.from_json(joint_bounds_of(rivals, chosen).to_json()) == joint_bounds_of(rivals, chosen)


@given(score_profiles())
def test_one_score_profile_without_errors_is_bounded_as_by_the_rule(
        given_: tuple[list[Rival], list[tuple[int, ...]]]) -> None:
    """If all values differ equally, joint bounds are exact."""
    rivals, chosen = given_
    equal = [Rival(x.loss, x.queries, x.keys, (Fraction(2),)) for x in rivals]
    assume(len(set(equal)) == len(equal))
    softening = Softening(Fraction(1, 2), (Fraction(0),) * 2, (Fraction(0),) * 2)
    listed = collect(equal, chosen[:1])
    assert isinstance(listed, ScoreProfiles)
    (exact,), (bound,) = softening.of_profiles(listed), softening.of_bounds(joint_bounds_of(equal, chosen[:1]))
    assert exact <= bound * SLACK and bound <= exact * SLACK
