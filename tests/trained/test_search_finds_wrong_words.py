"""The search finds words that were planted, or that running all words finds; an enclosure confirms each."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from constructions.errors import InputError
from constructions.language.parser import parse_formula
from constructions.regular.automata import Automaton
from constructions.trained.claim import Case, When, WordsClaim
from constructions.trained.network import (
    Affine,
    AttentionStep,
    Scale,
    Tensor,
    TrainedHead,
    TrainedNetwork,
    UnitsStep,
    View,
)
from proofs.trained.balls import BallNetwork
from proofs.trained.forward import FloatNetwork
from proofs.trained.initial_words import Starts
from proofs.trained.margins import Least, smaller
from proofs.trained.search import (
    WORK,
    RefutingWord,
    SearchResult,
    WrongWordSearch,
    confirm,
    find_wrong_prefix,
    is_wrong,
)
from proofs.trained.word_neighbours import neighbours
from proofs.trained.words import survey
from tests.trained.random_networks import random_network

ABOVE_ZERO = (((0, Fraction(1)),),)
EVERYWHERE = (Case(When(), ABOVE_ZERO),)


def find_wrong(
    network: TrainedNetwork, claim: WordsClaim, offsets: Iterable[int], n: int,
    starts: Sequence[Sequence[str]] = (), work: int = WORK, seed: int = 0,
) -> SearchResult:  # fmt: skip
    """Return a wrong word of length n, at one of the offsets, each of which gets the same share of the work.

    Raises:
        InputError: if a start has a symbol that is not in the alphabet, or if such words do not fit.
    """
    search, least, offsets = WrongWordSearch(network, claim), None, list(offsets)
    for offset in offsets:
        given = [*starts, *([least.word] if least else [])]
        found = search.find(offset, n, given, max(1, work // len(offsets)), seed)
        least = smaller(least, found.least)
        if found.wrong:
            return SearchResult(found.wrong, least)
    return SearchResult(None, least)


def binary32(numbers: list[list[float]]) -> tuple[View, Tensor]:
    array = np.array(numbers, dtype="<f4")
    return View("", 0, array.shape, (array.shape[1], 1)), Tensor("binary32", array.shape, array.tobytes())


def agreement_network(secret: str) -> TrainedNetwork:
    """At the last of n letters its logit is 3/2 - 1/(2n) - own/2 - share: only the secret makes it negative.

    ``share`` is the share of the letters that are those of the secret, ``own`` 1 if the last one is, and 0 otherwise.
    """
    signs = [1 if letter == "b" else -1 for letter in secret]
    matrices: dict[str, list[list[float]]] = {
        "tokens": [[-1, 0], [1, 0]],  # coordinate 0 becomes letter + secret, 1 agreement
        "positions": [[sign, 0] for sign in signs],
        "in": [[1, -1], [0, 0]], "in bias": [[-1, -1]],
        "out": [[0, 1], [0, 1]],  # relu(l + s - 1) + relu(-l - s - 1) is 1 if they agree
        "zero": [[0], [0]], "value": [[0], [1]], "head out": [[0, 2]],
        "unembedding": [[0], [-0.5]], "threshold": [[1.5 - 0.5 / len(secret)]],
    }
    made = {name: binary32(numbers) for name, numbers in matrices.items()}
    views = {name: replace(view, tensor=name) for name, (view, _) in made.items()}
    vectors = {name: View(name, 0, (views[name].shape[1],), (1,)) for name in ("in bias", "threshold")}
    zero, inward = Affine(views["zero"]), Affine(views["in"], vectors["in bias"])
    return TrainedNetwork(
        "causal", views["tokens"], views["positions"],
        (UnitsStep(None, inward, None, "relu", Affine(views["out"])),
         AttentionStep(None, (TrainedHead(zero, zero, Affine(views["value"]), views["head out"]),), None,
                       Scale(Fraction(1)))),
        Affine(views["unembedding"], vectors["threshold"]), {name: tensor for name, (_, tensor) in made.items()})


def claim_of(cases: tuple[Case, ...], n: int, **changed: Any) -> WordsClaim:
    claim = WordsClaim(("a", "b"), (0, 1), (), (), (0, 0), (n, n), "last", False, Fraction(0), None, (), cases)
    return replace(claim, **changed)


SECRET = "abbabaaabbbabaabbabaabbaaabababbbaabbbab"


def test_the_one_wrong_word_of_forty_letters_is_found_and_replayed() -> None:
    found = find_wrong(agreement_network(SECRET), claim_of(EVERYWHERE, 40), [0], 40, work=10_000)
    assert found.wrong is not None
    assert found.least is not None
    wrong = found.wrong
    assert (wrong.word, wrong.offset, wrong.place, wrong.case, wrong.row) == (tuple(SECRET), 0, 40, 0, 0)
    lower, upper = wrong.value
    assert Fraction(-1, 80) - Fraction(1, 10**6) < lower <= upper < Fraction(-1, 80) + Fraction(1, 10**6)
    assert found.least.word == wrong.word


def test_a_given_word_one_letter_away_is_enough() -> None:
    near = SECRET[:20] + ("a" if SECRET[20] == "b" else "b") + SECRET[21:]
    network, claim = agreement_network(SECRET), claim_of(EVERYWHERE, 40)
    wrong = find_wrong(network, claim, [0], 40, [tuple(near)], work=600).wrong
    assert wrong is not None
    assert wrong.word == tuple(SECRET)


@pytest.mark.parametrize("seed", range(6))
def test_the_only_wrong_word_of_two_thousand_is_found(seed: int) -> None:
    """The margin is put just above the least value over all words of 11 letters."""
    network = random_network(seed)
    cases = (Case(When(parse_formula("#<[Q_a] > #<[Q_b]")), ABOVE_ZERO), Case(When(parse_formula("Q_a")), ABOVE_ZERO))
    claim = claim_of(cases, 11, tokens=(3, 1))
    least = survey(FloatNetwork(network), claim, 0, 11)
    assert least is not None
    margin = Fraction(least.margin) + Fraction(1, 10**9)
    wrong = find_wrong(network, replace(claim, margin=margin), [0], 11, work=20_000).wrong
    assert wrong is not None
    assert wrong.word == least.word
    assert wrong.value[1] <= margin


def test_the_same_seed_finds_the_same() -> None:
    network, claim = random_network(1), claim_of(EVERYWHERE, 9, tokens=(3, 1), margin=Fraction(-100))
    one, same = (find_wrong(network, claim, [0, 2], 9, work=3000, seed=5) for _ in range(2))
    assert one == same
    assert one.wrong is None


def test_a_wrong_word_is_cut_after_the_place_where_it_is_wrong() -> None:
    network = random_network(0)
    claim = claim_of((Case(When(parse_formula("FIRST")), ABOVE_ZERO),), 9, tokens=(3, 1), margin=Fraction(1000),
                     read="each", lengths=(3, 9))
    wrong = find_wrong(network, claim, [1], 9).wrong
    assert wrong is not None
    assert (len(wrong.word), wrong.place) == (3, 1)


def test_what_floats_alone_call_wrong_is_not_confirmed() -> None:
    network, claim = BallNetwork(agreement_network("abba")), claim_of(EVERYWHERE, 4)
    right = Least(np.float64(-1), tuple("abbb"), 0, 4, 0, 0)
    wrong = Least(np.float64(-1), tuple("abba"), 0, 4, 0, 0)
    assert confirm(network, claim, right) is None
    assert confirm(network, claim, wrong) is not None


def test_claims_without_a_case_anywhere_have_no_wrong_word() -> None:
    nowhere = (Case(When(parse_formula("Q_a & Q_b")), ABOVE_ZERO),)
    found = find_wrong(agreement_network(SECRET), claim_of(nowhere, 40), [0], 40, work=2000)
    assert (found.wrong, found.least) == (None, None)
    assert find_wrong(agreement_network(SECRET), claim_of((), 40), [0], 40, work=2000).wrong is None


def test_a_start_with_a_symbol_of_another_alphabet_is_refused() -> None:
    with pytest.raises(InputError, match="symbol 'c'"):
        find_wrong(agreement_network(SECRET), claim_of(EVERYWHERE, 40), [0], 40, [("c",)])


@pytest.mark.parametrize(("offset", "n"), [(1, 40), (0, 41), (-1, 4)])
def test_words_that_do_not_fit_are_refused(offset: int, n: int) -> None:
    network, claim = agreement_network(SECRET), claim_of(EVERYWHERE, n)
    with pytest.raises(InputError, match=f"length {n} at offset {offset}: .* expected 0 to 39"):
        find_wrong(network, claim, [offset], n)
    with pytest.raises(InputError, match=f"length {n} at offset {offset}: .* expected 0 to 39"):
        survey(FloatNetwork(network), claim, offset, n)


def test_neighbours_are_the_words_that_one_move_makes() -> None:
    found = neighbours(np.array([0, 1, 2]), 3, np.random.default_rng(0), 1000)
    exchanged = {(1, 1, 2), (2, 1, 2), (0, 0, 2), (0, 2, 2), (0, 1, 0), (0, 1, 1)}
    swapped = {(1, 0, 2), (2, 1, 0), (0, 2, 1)}
    assert {tuple(word) for word in found[:9].tolist()} == exchanged | swapped
    assert {tuple(sorted(word)) for word in found[9:].tolist()} == {(0, 1, 2)}
    assert len(neighbours(np.array([0, 1, 2]), 3, np.random.default_rng(0), 5)) == 5


def test_random_words_to_begin_with_are_those_on_which_a_case_can_hold() -> None:
    """One of 2^30 words of 30 letters is in (ab)*: it is among those of the first case."""
    automaton = Automaton(0, ((1, 2), (2, 0), (2, 2)))
    cases = (Case(When(None, (0,)), ABOVE_ZERO), Case(When(parse_formula("#<[Q_a] == 0")), ABOVE_ZERO))
    found = Starts(claim_of(cases, 30, automaton=automaton), 30).random(np.random.default_rng(0))
    assert {tuple(word) for word in found.tolist()} == {(0, 1) * 15, (1,) * 30}


def test_words_to_begin_with_hold_those_given_and_the_extreme_ones() -> None:
    first = Starts(claim_of(EVERYWHERE, 6), 6).first(np.random.default_rng(0), [(1, 0, 0), (0, 0, 1, 1, 0, 1, 0)])
    assert first[:2].tolist() == [[1, 0, 0, 1, 0, 0], [0, 0, 1, 1, 0, 1]]
    words = {"".join(map(str, word)) for word in first.tolist()}
    assert {"000000", "111111", "010101", "101010", "000111", "111000", "011111", "000001"} <= words


@pytest.mark.parametrize(("formula", "read", "place", "found"), [
    ("next Q_b", "each", 1, ("abb", 1)),  # the letter at place 2 is not read, but it decides the case
    ("next Q_b", "each", 3, ("abbb", 3)),
    ("#>[Q_b] >= 4", "each", 2, ("abbbb", 2)),
    ("#<[Q_b] >= 4", "first", 8, ("abbbb", 5)),
    ("Q_a", "last", 8, None)])
def test_a_causal_network_is_as_wrong_on_a_prefix_that_has_the_case(
        formula: str, read: str, place: int, found: tuple[str, int] | None) -> None:
    claim = claim_of((Case(When(parse_formula(formula)), ABOVE_ZERO),), 9, tokens=(3, 1), margin=Fraction(1000),
                     read=read, lengths=(3, 9), after=(0,), offsets=(1, 1))
    word = tuple("abbbbbaa")
    wrong = RefutingWord(word, 1, place, 0, 0, (Fraction(0), Fraction(0)))
    network = random_network(0)
    assert network.attention == "causal"
    prefix = find_wrong_prefix(network, claim, wrong)
    assert (prefix and ("".join(prefix.word), prefix.place)) == found
    if prefix:
        assert is_wrong(BallNetwork(network), claim, prefix)
    assert find_wrong_prefix(replace(network, attention="full"), claim, wrong) is None  # type: ignore[arg-type]
