"""Data of figures: maps agree with proved bounds, words with the semantics, and pictures with both."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from certify.common.doubles import DoubleNetwork
from certify.exports.pages.certificate.blocks import find_columns
from certify.exports.pages.certificate.heat_maps import CHARACTERS, pack, shade_of
from certify.exports.pages.certificate.layout import DiagramLayout, Sizes, find_wires
from certify.exports.pages.certificate.names import DirectionNames
from certify.exports.pages.certificate.tables import linear_form
from certify.exports.pages.certificate.worst_words import truths_of
from constructions.language.parser import parse_formula
from constructions.language.semantics import truth_values
from constructions.network.meanings import Truth
from constructions.network.transformer import Mask
from tests.exports.pages.certificates import DRAWN, drawn, studied

FORMULAS = [
    "prev Q_a since (Q_b until next Q_a)", "Q_a -> !Q_b & ODD | LAST", "(Q_a <-> prev Q_b) until FIRST",
    "MOD(3,1)(#<[Q_a])", "SQUARE(3*#<[Q_a] - 2*#>[Q_b] - 4)",
    "2*#<[Q_a] - #>[prev Q_b] + 1 >= #>[Q_a]", "PRIME(#>[true]) since false", "H Q_a & F Q_b",
]


@pytest.mark.parametrize("text", FORMULAS)
def test_truths_of_many_words_are_those_of_the_semantics(text: str) -> None:
    formula = parse_formula(text, "ab")
    for n in (1, 2, 5):
        words = list(itertools.product("ab", repeat=n))
        assert truths_of("ab", words).of(formula).tolist() == [list(truth_values(formula, word)) for word in words]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", [name for name in DRAWN if name != "sum"])  # of a sum that is looked up there is none
def test_the_largest_error_of_a_map_is_the_bound_of_the_certificate(name: str) -> None:
    found = studied(name)
    assert len(found.approximations) == len(drawn(name).bounds)
    for each in found.approximations:
        assert each.chart is not None
        largest, bound = found.maps[each.chart].worst[2], float(each.bound)
        assert largest <= bound * (1 + 1e-9) and bound <= largest * (1 + 2e-6) + 1e-14


@pytest.mark.parametrize("name", ["temporal", "by_position", "counting", "comparison", "symbols"])
def test_a_worst_word_errs_as_is_said_and_no_word_is_worse_than_its_ceiling(name: str) -> None:
    network = drawn(name).transformer
    for each in studied(name).approximations:
        for picture in filter(None, (each.short, each.long)):
            case = picture.case
            held = DoubleNetwork(network, len(case.word)).run([case.word]).values[each.direction][0, case.i - 1]
            assert abs(held - case.truth) == pytest.approx(case.error, abs=1e-12)
            assert case.error <= float(each.bound) + 1e-12 and case.is_worst
            assert picture.weights.sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("name", DRAWN)
def test_the_network_in_doubles_decides_its_formula(name: str) -> None:
    network = drawn(name).transformer
    output = network.directions[network.output]
    assert isinstance(output, Truth)
    words = list(itertools.islice(itertools.product(network.alphabet, repeat=5), 0, None, 7))
    held = DoubleNetwork(network, 5).run(words, attention=True)
    truths = truths_of(network.alphabet, words).of(output.formula)
    assert held.values[network.output] == pytest.approx(truths.astype(float), abs=1e-9)
    for layer, place, head in network.heads():
        seen = held.attention[layer, place] > 0
        hidden = [[j not in head.mask.visible(i, 5) for j in range(1, 6)] for i in range(1, 6)]
        assert not (seen & np.array(hidden)).any()
        assert head.mask is not Mask.NONE or seen.any()


def test_a_packed_map_has_every_number_to_six_digits() -> None:
    for chart in studied("temporal").maps:
        packed = pack(chart)
        cells = [chart.errors[a, b] for a in range(len(chart.places)) for b in range(a + 1)]
        written = [packed["values"][CHARACTERS.index(character)] for character in packed["cells"]]
        assert written == pytest.approx(np.nan_to_num(cells, nan=-1).tolist(), rel=1e-5)


def test_shades_follow_the_levels() -> None:
    errors = np.array([np.nan, 0, 1e-6, 2e-6, .2, .25, .9])
    assert shade_of(errors).tolist() == [-1, 0, 0, 1, 8, 8, 8]


def test_nothing_overlaps_in_the_picture_and_every_reader_has_a_wire() -> None:
    network = drawn("temporal").transformer
    columns = find_columns(network, DirectionNames(network))
    wires = find_wires(columns)
    blocks = [block for column in columns for block in column.blocks]
    layout = DiagramLayout(columns, wires, Sizes({block.number: 40.0 for block in blocks}, 6, 12))
    for place, order in enumerate(layout.order):
        taken = [(layout.across[place, node], layout.sizes.of(node) / 2) for node in order]
        assert all(x + a + 11.9 <= y - b for (x, a), (y, b) in itertools.pairwise(taken))
    read = {(name, block.number) for block in blocks for name, _ in block.reads}
    ends = {(wire.direction, reader) for wire in wires for readers in wire.readers.values() for reader in readers}
    assert read == ends


def test_long_formulas_are_numbered_and_numbers_are_defined_by_what_is_shorter() -> None:
    left = "Q_a & prev Q_b since next Q_a"
    formula = parse_formula(f"({left}) until ({left} | ODD(#<[Q_b]))", "ab")
    network = drawn("exact").transformer
    names = DirectionNames(network, formula)
    assert list(names.definitions.values()) == [f"{left} | ODD(#<[Q_b])"]
    assert names.texts[formula] == f"({left}) until φ1" and names.spelled(formula) == names.texts[formula]
    assert linear_form({"x": Fraction(-2)}, str) == "−2·x"
