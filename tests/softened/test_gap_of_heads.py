"""Gaps over all words are exact: by closed forms, by brute force over all words, and by the word that attains them."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.network import Network
from constructions.compiler import compile_formula
from constructions.errors import InputError
from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.network.meanings import Anything, Truth
from constructions.network.transformer import Head, Layer, Mask, Transformer
from constructions.network.weightings import Weighting
from constructions.regimes import ALL_REGIMES, Regime, Sharpening
from examples.models import first_by_index, first_by_marker, flip_flop, matching_bracket, recent_write
from proofs.formula.failures import NotDerived
from proofs.softened.gap import Gap, find_closest, find_gap
from tests.softened.gap_by_brute_force import differences, scores
from tests.tiers import drawn

POSITIONS = ("1", "i", "i/n", "(-1)^i", "1/i", "i^2/n", "(n-i)/3")
TOKENS = ("t", "u")
NUMBERS = st.sampled_from([Fraction(k, d) for k in range(-3, 4) for d in (1, 2)])


def check_attained(transformer: Transformer, layer: int, place: int, gap: Gap) -> None:
    """The word and position have the gap, or the tie, that they are said to have."""
    first, second = sorted(scores(transformer, layer, place, gap.word, gap.i), reverse=True)[:2]
    assert (first - second or None) == gap.value and (first == second) == gap.tied


def check_least(transformer: Transformer, layer: int, place: int, n: int) -> None:
    gap = find_gap(transformer, layer, place, n)
    found = differences(transformer, layer, place, n)
    assert (gap.value, gap.tied) == ((min(found) or None, min(found) == 0) if found else (None, False))
    assert len(gap.word) == n
    if found:
        check_attained(transformer, layer, place, gap)


@pytest.mark.parametrize("n", [2, 3, 8, 33, 64])
def test_the_gap_of_the_flip_flop_is_one_over_n(n: int) -> None:
    transformer = flip_flop.build().build()
    gap = find_gap(transformer, 1, 1, n)
    assert (gap.value, gap.tied) == (Fraction(1, n), False)
    check_attained(transformer, 1, 1, gap)


@pytest.mark.parametrize("n", [2, 3, 16])
def test_both_ways_to_look_at_the_first_position_have_gap_1(n: int) -> None:
    for module in (first_by_marker, first_by_index):
        assert find_gap(module.build().build(), 1, 1, n).value == 1


def test_the_temperature_does_not_enter_the_gap() -> None:
    assert {find_gap(flip_flop.build(c).build(), 1, 1, 5).value for c in ("1/7", "2", "100")} == {Fraction(1, 5)}


def test_recent_write_ties_exactly_from_the_length_on_at_which_it_is_refuted() -> None:
    transformer = recent_write.build("8").build()
    assert find_gap(transformer, 1, 1, 8).value == 1
    tie = find_gap(transformer, 1, 1, 9)
    assert (tie.value, tie.tied, tie.i) == (None, True, 9)
    assert tie.word[0] != "i" and tie.word[1:] == ("i",) * 8


def test_a_single_position_has_no_gap_and_no_tie() -> None:
    assert find_gap(flip_flop.build().build(), 1, 1, 1) == Gap(None, ("w0",), 1, tied=False)


def test_a_query_that_may_be_zero_ties() -> None:
    net = Network("01")
    net.head("head", query="Q_1", key="i", value="Q_1", means="O Q_1")
    net.output("Q_1")
    gap = find_gap(net.build(), 1, 1, 3)
    assert gap.tied and gap.word[gap.i - 1] == "0"


@st.composite
def one_layer(draw: st.DrawFn) -> Transformer:
    """Return a head whose queries and keys read anything that is embedded, with any mask."""
    alphabet = draw(st.sampled_from(["a", "ab", "abc"]))
    names = [*TOKENS, *draw(st.lists(st.sampled_from(POSITIONS), min_size=1, max_size=3, unique=True))]
    row = st.dictionaries(st.sampled_from(names), NUMBERS, max_size=3)
    size = draw(st.integers(1, 2))
    head = Head("head", "", draw(st.sampled_from(Mask)), Weighting.RIGHTMOST_HARDMAX, parse_expression("1"),
                tuple(draw(row) for _ in range(size)), tuple(draw(row) for _ in range(size)), {})
    return Transformer(
        tuple(alphabet), {name: Anything() for name in names},
        {symbol: draw(st.dictionaries(st.sampled_from(TOKENS), NUMBERS)) for symbol in alphabet},
        {name: parse_expression(name) for name in names if name not in TOKENS}, (Layer((head,)),), "t")


@drawn(30)
@given(one_layer(), st.integers(1, 4))
def test_gaps_of_scores_of_single_letters_are_those_of_all_words(transformer: Transformer, n: int) -> None:
    check_least(transformer, 1, 1, n)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_the_gaps_of_the_example_models_are_those_of_all_words(n: int) -> None:
    for module in (flip_flop, recent_write, first_by_marker):
        check_least(module.build().build(), 1, 1, n)


@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
def test_position_functions_that_the_network_computes_are_read_off_one_word(regime: Regime) -> None:
    """In causal regimes the keys of ``prev`` read 1/i, which two layers compute (Proposition 11)."""
    transformer = compile_formula(parse_formula("prev Q_a"), "ab", regime)
    places = [(layer, place) for layer, place, head in transformer.heads() if any(head.queries)]
    assert len(places) == 2
    for layer, place in places:
        check_least(transformer, layer, place, 4)
        assert find_gap(transformer, layer, place, 20).value is not None


def test_connectives_of_letters_are_letters() -> None:
    """The key is computed by the feed-forward part of layer 1; 2^40 words are too many to run."""
    net = Network("01")
    net.head("head", key={"Q_1 & EVEN": 1, "i/n": 1}, value="Q_1 & EVEN", means="O (Q_1 & EVEN)")
    net.output("Q_1")
    transformer = net.build()
    assert [len(layer.heads) for layer in transformer.layers] == [0, 1]
    assert find_gap(transformer, 2, 1, 40).value == Fraction(1, 40)
    check_least(transformer, 2, 1, 6)


def test_scores_that_read_counts_are_decided_by_all_words_while_these_are_few() -> None:
    """The score [opens at depth k] + j/n has gap 1/n, like the flip-flop."""
    transformer = matching_bracket.build().build()
    (layer,) = {number for number, _, head in transformer.heads() if head.name.startswith("last opened at depth")}
    for n in (2, 3, 4):
        gaps = [find_gap(transformer, layer, place, n) for place in (1, 2)]
        assert [gap.value for gap in gaps] == [Fraction(1, n)] * 2
        check_attained(transformer, layer, 1, gaps[0])
    with pytest.raises(NotDerived, match=f"layer {layer}, head 1: .* there are 4096 words of length 6"):
        find_gap(transformer, layer, 1, 6)
    with pytest.raises(NotDerived, match="far too many words of length 64"):
        find_gap(transformer, layer, 1, 64)


def test_scores_that_read_what_another_head_wrote_are_not_taken_for_letters() -> None:
    """The first head copies the last bit; on the letter alone, the second one would have gap 1 on constant words."""
    transformer = compile_formula(parse_formula("Q_1 since prev Q_1"), "01", Regime(Sharpening.TEMPERATURE))
    layer, place = max((layer, place) for layer, place, head in transformer.heads() if any(head.queries))
    with pytest.raises(NotDerived):
        find_gap(transformer, layer, place, 16)
    check_least(transformer, layer, place, 4)


def test_an_embedding_without_a_value_is_named() -> None:
    transformer = Transformer(
        ("a",), {"is": Truth(parse_formula("Q_a")), "p": Anything()}, {"a": {"is": Fraction(1)}},
        {"p": parse_expression("1/(n-3)")},
        (Layer((Head("h", "", Mask.NONE, Weighting.SOFTMAX, parse_expression("1"), ({"p": Fraction(1)},),
                     ({"is": Fraction(1)},), {}),)),), "is")
    with pytest.raises(InputError, match="divides by zero at i = 1, n = 3"):
        find_gap(transformer, 1, 1, 3)


OFFERS = st.dictionaries(st.integers(1, 5), st.dictionaries(st.integers(0, 6), st.just("a"), min_size=1), min_size=2)


@drawn(100)
@given(OFFERS)
def test_the_closest_choices_are_the_closest_of_all_choices(offers: dict[int, dict[int, str]]) -> None:
    choices: list[list[int]] = [[]]
    for scores_offered in offers.values():
        choices = [[*chosen, score] for chosen in choices for score in scores_offered]
    found = find_closest(offers)
    assert found is not None
    assert found[0] == min(sorted(chosen)[-1] - sorted(chosen)[-2] for chosen in choices)
