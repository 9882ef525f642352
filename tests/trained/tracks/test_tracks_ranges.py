"""Ranges of what heads write, by shortest paths over columns: they contain every input's, and are attained."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from constructions.errors import Unsupported
from constructions.trained.json_form import network_text
from constructions.trained.network import AttentionStep, TrainedNetwork
from constructions.trained.tracks import TracksClaim, all_inputs, count_inputs
from constructions.trained.tracks_form import tracks_claim_to_json
from proofs.check import Rejected, check_text
from proofs.trained.forward import FloatNetwork
from proofs.trained.tracks.cells import ClassBoxes, ClassGroup
from proofs.trained.tracks.certificate import tracks_text, unit_to_json
from proofs.trained.tracks.deciding import FormSearch
from proofs.trained.tracks.queries import Restricted, right
from proofs.trained.tracks.ranges import FormRanges, Ranged, ranged
from tests.trained.tracks.adders import adder, adds
from tests.trained.tracks.plain_tracks import ranges_are_attained
from tests.trained.tracks.random_tracks import averages, random_claim, random_layer

Array = NDArray[np.float64]
ROUGH = (19, 29, 39, 89)
"""Seeds of networks of several layers with so large numbers that the checker rounds by more than 16 units: with 2^16 it
accepts their ranges."""
FAINT = 26
"""A seed with classes that hear nothing but what weighs less than 2^-60 of the greatest."""


def attended_on_all_inputs(network: TrainedNetwork, claim: TracksClaim, found: FormRanges
                        ) -> Iterator[tuple[Ranged, Array]]:
    """Yield each class with the averages of its inputs in the last step, in units of ranges [inputs, directions]."""
    form = claim.forms[0]
    inputs = list(all_inputs(claim, form))
    tokens = np.array([claim.tokens(form, one) for one in inputs], np.intp)
    states = np.array([claim.states(form, one) for one in inputs])
    letters = np.array([[claim.column_index[column] for column in one] for one in inputs])
    for row in ranged(found):
        for one in row:
            query = found.queries[one.one.query]
            mine = tokens[:, query.place] == query.own
            column = query.by
            if column is None:
                mine &= states[:, -1] == one.one.member
            else:
                mine &= states[:, column] == found.columns.source[column][one.one.member]
                mine &= letters[:, column] == found.columns.letters[column][one.one.member]
            assert mine.any() and (tokens[mine, query.place + 1] == right(query, one.one)).all()
            attended = [written @ rows.T for written, rows in
                     zip(averages(network, tokens[mine], query.place), found.rows, strict=True)]
            yield one, np.concatenate(attended, axis=1) * np.float64(2) ** found.bits


def compare_with_all_inputs(network: TrainedNetwork, claim: TracksClaim) -> int:
    """Return the number of compared ranges of classes."""
    found, compared = FormRanges(FloatNetwork(network), claim, claim.forms[0]), 0
    for one, along in attended_on_all_inputs(network, claim, found):
        compared += 2 * along.shape[1]
        assert (one.least <= along.min(axis=0)).all() and (along.max(axis=0) <= one.greatest).all()
    unit = unit_to_json(found, (), ranged(found), ())
    if found.nodes is not None:
        return compared
    ranges_are_attained(json.loads(network_text(network)), tracks_claim_to_json(claim), unit)
    asked = {(number, one.one.member) for number, row in enumerate(ranged(found)) for one in row}
    assert len(asked) == sum(len(row) for row in ranged(found))
    return compared


def check_ranges(network: TrainedNetwork, claim: TracksClaim, found: FormRanges,
                 rows: Sequence[Sequence[Ranged]]) -> None:
    """All ranges of a certificate, which then fails, as the margin is too great."""
    answers = {(found.key(one.one)): None for row in rows for one in row}
    unit = unit_to_json(found, (), rows, [ClassGroup(key, []) for key in answers])
    check_text(tracks_text(network, replace(claim, margin=Fraction(10**4)), [unit]).encode())


def test_ranges_of_three_digits_contain_all_inputs_and_are_attained() -> None:
    network = adder(3, 3)
    assert compare_with_all_inputs(network, adds(network, 3, 3)) == 2 * 114


@pytest.mark.one_in(6)
@pytest.mark.parametrize("seed", range(5))
def test_ranges_of_random_networks_machines_and_layouts_are_exact(seed: int) -> None:
    network = random_layer(seed)
    claim = random_claim(seed, network, (0, 1, 2, 3, 4), ())
    if count_inputs(claim, claim.forms[0]):
        assert compare_with_all_inputs(network, claim) > 0


@pytest.mark.parametrize("seed", [0, FAINT, *(
    pytest.param(seed, marks=pytest.mark.exhaustive) for seed in range(1, 100) if seed != FAINT)])
def test_ranges_of_random_networks_of_two_and_three_layers_contain_all_inputs_and_are_proved(seed: int) -> None:
    network = random_layer(seed, 2 + (seed % 5 == 4))
    claim = random_claim(seed, network, (0, 1, 2, 3, 4), ())
    if not count_inputs(claim, claim.forms[0]):
        return
    try:
        assert compare_with_all_inputs(network, claim) > 0
    except Unsupported as reason:
        assert "a head's output may be beyond 2^30" in str(reason)
        return
    found = FormRanges(FloatNetwork(network), claim, claim.forms[0], 1 << 16 if seed in ROUGH else 16)
    with pytest.raises(Rejected, match=r"a row is not shown to be above the margin|a form reaches beyond"):
        check_ranges(network, claim, found, ranged(found))  # after all ranges


def with_equal_queries(network: TrainedNetwork) -> TrainedNetwork:
    """Return the network in which all queries of the last attention step are the bias."""
    *_, step = (step for step in network.steps if isinstance(step, AttentionStep))
    tensors = dict(network.tensors)
    for head in step.heads:
        old = tensors[head.query.weight.tensor]
        tensors[head.query.weight.tensor] = replace(old, data=bytes(len(old.data)))
    return replace(network, tensors=tensors)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in range(1, 40))])
def test_nodes_that_ask_the_same_are_ranged_together_and_each_hears_itself(seed: int) -> None:
    """A range that an input leaves is rejected."""
    network = with_equal_queries(random_layer(seed, 2))
    claim = random_claim(seed, network, (0, 1, 2, 3, 4), ())
    if not count_inputs(claim, claim.forms[0]):
        return
    assert compare_with_all_inputs(network, claim) > 0
    found = FormRanges(FloatNetwork(network), claim, claim.forms[0], 16)
    with pytest.raises(Rejected, match="a row is not shown to be above the margin"):
        check_ranges(network, claim, found, ranged(found))
    rows = ranged(found)
    attended = [np.ceil(along.max(axis=0)).astype(np.int64)
                for _, along in attended_on_all_inputs(network, claim, found)]
    for number, (one, most) in enumerate(zip((one for row in rows for one in row), attended, strict=True)):
        if number % 9 == 0 and len(most):
            kept, one.greatest = one.greatest, one.greatest.copy()
            one.greatest[number % len(most)] = most[number % len(most)] - 64
            one.least = np.minimum(one.least, one.greatest)
            with pytest.raises(Rejected, match=r"a range of head \d is not proved"):
                check_ranges(network, claim, found, rows)
            one.greatest = kept


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", range(5, 505, 50))
def test_ranges_of_many_random_networks_are_exact(first: int) -> None:
    for seed in range(first, first + 50):
        test_ranges_of_random_networks_machines_and_layouts_are_exact(seed)


def test_the_parts_of_a_class_are_all_of_it_in_order_and_their_ranges_lie_within_its_own() -> None:
    network = adder(3, 3)
    claim = adds(network, 3, 3)
    search = FormSearch(FloatNetwork(network), claim, 0, 1)
    number, row = next((number, row) for number, row in enumerate(search.ranged)
                       if search.form.queries[number].place == 9)
    query, chosen = search.form.queries[number], [frozenset([1, 4, 5]), frozenset([0, 2, 3, 6, 7, 8])]
    found = search.parts(number, [(whole, (0, some)) for whole, some in zip(row, chosen, strict=False)])
    for whole, some in zip(row, chosen, strict=False):
        made = found[id(whole)]
        assert [one.one.split for one in made] == [((0, letters),) for letters in (some, frozenset(range(9)) - some)
                                                   if whole.one.member in Restricted(query, ((0, letters),)).classes]
        for one in made:
            assert (one.least >= whole.least).all() and (one.greatest <= whole.greatest).all()
            least, greatest = search.form.ranges([one.one])
            assert (one.least >= least[0] - 8).all() and (one.greatest <= greatest[0] + 8).all()


def test_a_cell_is_halved_along_its_widest_direction_where_no_direction_is_known_to_be_felt() -> None:
    """Behind a norm of a wide box, whose rows are ends alone."""
    network = adder(3, 2, heads=2)
    cover = FormSearch(FloatNetwork(network), adds(network, 3, 2), 0, 1).cover
    width = len(cover.rows)
    for widest in range(width):
        box = np.full((1, width), 10) + 90 * (np.arange(width) == widest)
        cell = ClassBoxes(0, np.arange(1), -box, box)
        first, second = cover._cut(cell, np.zeros(width)) or ()
        assert cell.cut == (widest, 0) and first.greatest[0, widest] == second.least[0, widest] == 0


def test_an_input_of_a_class_attains_its_greatest_ratio() -> None:
    network = adder(3, 3)
    claim = adds(network, 3, 3)
    form = claim.forms[0]
    found = FormRanges(FloatNetwork(network), claim, form)
    for number, row in enumerate(ranged(found)):
        for one in row[::3]:
            restricted = Restricted(found.queries[number])
            paths = found.last.paths(restricted, found.own(one.one), 0, found.rows[0][0])
            top = paths.greatest_ratios(np.array([one.one.member]))[0][0]
            columns = tuple(claim.all_columns[letters] for letters in paths.input(one.one.member, top))
            tokens = np.array([claim.tokens(form, columns)])
            (written,) = averages(network, tokens, found.queries[number].place)
            assert abs((written @ found.rows[0].T)[0, 0] - top) < 1e-9


def test_of_open_classes_it_is_said_what_is_known_of_their_margins() -> None:
    network = adder(2, 1)
    search = FormSearch(FloatNetwork(network), replace(adds(network, 2, 1), margin=Fraction(101, 100)), 0, 1)
    proved = search.run()
    assert proved.unit is None and 1 - 2**-20 < proved.lower_bound <= 1, "every margin is 1"
    assert proved.why_open.endswith("at least 1")
