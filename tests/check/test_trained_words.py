"""Words of trained networks in the checker: every bound is honest, and what must hold is what the page says."""

import itertools
import random
from fractions import Fraction
from typing import Any

import pytest
from mpmath import exp, mp, mpf, tanh

from proofs.check import Rejected, check_text
from proofs.check.checker.chapters.trained.balls.adaptive_precision import PATIENCE, Runner
from proofs.check.checker.chapters.trained.balls.exact import linear
from proofs.check.checker.chapters.trained.balls.heads import VisibleBounds
from proofs.check.checker.chapters.trained.balls.key_value_cache import AttentionMemory
from proofs.check.checker.chapters.trained.balls.precision import Precision, Undecided
from proofs.check.checker.chapters.trained.reading.cover import Cover
from proofs.check.checker.chapters.trained.reading.decision import Decision
from proofs.check.checker.chapters.trained.reading.words_claim import TrainedClaim, WordsUnit
from proofs.check.checker.chapters.trained.words.judge import Judge
from proofs.check.checker.chapters.trained.words.obligations import is_by_place, obligations
from proofs.check.checker.chapters.word_semantics.truth import TruthsAlongWord
from proofs.check.checker.kernel.budget import Budget
from proofs.checking.parts import check_part, check_sample, estimate
from proofs.checking.shares import Share
from tests.check import brute
from tests.check.trained_networks import KINDS, Weights, decision, dump, make_claim, make_network, mean_network, parsed
from tests.check.trained_reference import Reference
from tests.covered import numbers

MORE_ONES = {"when": {"formula": "#<[Q_1] > #<[Q_0] + 1"}, "above": [[[0, "1"], [1, "-1"]]]}
FEWER_ONES = {"when": {"formula": "#<[Q_1] <= #<[Q_0]"}, "above": [[[0, "-1"], [1, "1"]]]}
ALWAYS = {"when": {"formula": "true"}, "above": [[[0, "1"], [1, "-1/3"]]]}


def read(document: dict[str, Any]) -> Decision[TrainedClaim, Cover]:
    budget = Budget()
    given: Decision[TrainedClaim, Cover] = parsed(document, budget)
    return given


def make_judge(document: dict[str, Any]) -> Judge:
    given = read(document)
    return Judge(given.network, given.claim)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_logits_are_within_the_error_bounds(kind: str, level: int) -> None:
    network = make_network(kind, seed=5)
    judge, reference = make_judge(decision(network, make_claim(cases=[ALWAYS]))), Reference(network)
    rng = random.Random(1)
    offset = 0 if judge.network.rows is None else 2
    runner, one = Runner(judge.stacks, offset, [range(4)] * 6), Precision(level).one
    for length in (6, 3):
        tokens = [rng.randrange(3) for _ in range(length)]  # those of the claim
        logits, places = reference.logits(tokens, offset), range(length)
        for place, found in runner.logits(level, tokens, places).items():
            ((value, error),) = judge.stacks.at(level).rows.values(found, [0])
            true = 3 * logits[place][0] - logits[place][1]
            assert abs(value - true * one) <= error < one / 2**(8 if level else 0)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("read", ["first", "last"])
@pytest.mark.parametrize("kind", ["bidirectional", "alibi", "images", "plain", "rotary"])
def test_logits_that_few_places_ask_for_are_within_the_error_bounds(kind: str, read: str, level: int) -> None:
    network = make_network(kind, seed=6) | {"attention": "bidirectional"}
    claim = make_claim(read=read, after=[3], max_n=4, cases=[ALWAYS])
    judge, reference = make_judge(decision(network, claim)), Reference(network)
    stack = judge.stacks.at(level)
    runner, rng = Runner(judge.stacks, 0, [range(4)] * 6), random.Random(2)
    tokens, place = [2, *(rng.randrange(2) for _ in range(4)), 3], 0 if read == "first" else 5
    ((value, error),) = stack.rows.values(runner.logits(level, tokens, [place])[place], [0])
    one, other = reference.logits(tokens, 0)[place]
    assert abs(value - (3 * one - other) * stack.precision.one) <= error < stack.precision.one / 2**(8 if level else 0)


@pytest.mark.parametrize("level", [0, 1, 2])
def test_sums_of_the_greatest_weights_and_values_fit_their_slots(level: int) -> None:
    judge = make_judge(decision(make_network("plain", seed=3), make_claim(max_n=4, cases=[ALWAYS])))
    head, precision = judge.stacks.at(level).blocks[1][0].heads[0], Precision(level)
    length = 5  # a token before the word
    for sign in (1, -1):
        value = [0] * head.width
        value[-1] = sign * min(head.value.largest, head.values)
        weight = 1 << head.weight_bits
        packed = length * weight * head.weigh(value)
        sums = precision.quotients(head.slots, 0)(packed)
        assert sums[0] == length * weight * precision.one
        assert sums[-1] == length * weight * value[-1]
        assert sums[1] << head._square_bits >= length * weight * value[-1] ** 2 >> precision.fraction
        for bits in {26, precision.fraction}:
            found, *_ = head.average(packed, 0, VisibleBounds(), length, bits)
            exact = [v * 2**bits / mpf(precision.one) for v in value]
            assert mp.fsum((a - b) ** 2 for a, b in zip(found, exact, strict=True)) <= head.rounding**2


@pytest.mark.parametrize("level", [0, 1, 2])
def test_the_error_of_an_average_has_that_of_values_and_what_scores_may_move(level: int) -> None:
    """The average of two opposite values with weights exp(-x) and exp(x), and scores with errors of x, has an error of
    tanh(x), the maximum: sinh(x) times the spread of the values."""
    judge = make_judge(decision(make_network("plain", seed=3), make_claim(cases=[ALWAYS])))
    head, precision = judge.stacks.at(level).blocks[1][0].heads[0], Precision(level)
    value = [precision.one, *[0] * (head.width - 1)]
    for bits in {26, precision.fraction}:
        for x in (mpf("0.999"), *(mpf(2) ** -k for k in (1, 2, 5, 6, 12))):
            less = int(exp(-2 * x) * 2**head.weight_bits)
            packed = head.weigh(value) * less + (head.weigh([-v for v in value]) << head.weight_bits)
            error = head.average(packed, int(x * precision.one), VisibleBounds(), 2, bits).error
            assert tanh(x) * 2**bits <= error <= (tanh(x) * mpf("1.16") + mpf(2) ** -12) * 2**bits + 4 * head.rounding
        packed = (head.weigh(value) + head.weigh([-v for v in value])) << head.weight_bits
        assert head.average(packed, 0, VisibleBounds(value_error=precision.one), 2,
                            bits).error >= (1 << bits) + head.rounding
        with pytest.raises(Undecided):
            head.average(packed, precision.one, VisibleBounds(), 2, bits)


def test_places_at_once_are_remembered_as_one_by_one() -> None:
    judge = make_judge(decision(make_network("bidirectional", seed=5), make_claim(cases=[ALWAYS])))
    stack = judge.stacks.at(0)
    attention = stack.blocks[-1][0]
    tokens = [0, 2, 1, 1, 0]
    seen = [attention.project(stack.start(token, place), place, with_query=True) for place, token in enumerate(tokens)]
    at_once, one_by_one = (AttentionMemory(stack, attention, 26) for _ in range(2))
    at_once.fill(seen, tokens)
    for one, token in zip(seen, tokens, strict=True):
        one_by_one.add(one, token)
    for place in range(5):
        found, expected = at_once.averages(seen[place], place), one_by_one.averages(seen[place], place)
        assert [(list(z), e) for z, e, _ in found] == [(list(z), e) for z, e, _ in expected]


@pytest.mark.parametrize("level", [0, 1, 2])
def test_rows_of_an_exact_stream_are_within_their_rounding(level: int) -> None:
    case = {"when": {"formula": "true"}, "above": [[[0, "1000"], [1, "-999/7"]]]}
    judge, rng = make_judge(decision(make_network("plain", seed=4), make_claim(cases=[case]))), random.Random(5)
    rows, exact = judge.stacks.at(level).rows, linear(judge.network.unembedding)
    weight, bias = exact.weight, exact.bias
    for _ in range(20):
        x = [rng.randrange(-1 << 20, 1 << 20) for _ in range(8)]
        ((value, error),) = rows.values(rows.logits((x, 0)), [0])
        z = [sum(a * row[j] for a, row in zip(x, weight.rows, strict=True)) * Fraction(2) ** weight.power
             + bias.entries[j] * Fraction(2) ** bias.power * Precision(level).one for j in (0, 1)]
        assert abs(value - 7000 * z[0] + 999 * z[1]) <= error <= 8000 * 40


def test_a_unit_whose_words_need_a_higher_precision_begins_there() -> None:
    network = make_network("gpt2", seed=2)
    value = Reference(network).logits([2, 0, 0])[-1][0]
    margin = Fraction(int((abs(value) - mpf(10) ** -6) * 2**120), 2**120)
    case = {"when": {"formula": "true"}, "above": [[[0, "1" if value > 0 else "-1"]]]}
    judge = make_judge(decision(network, make_claim(read="last", margin=str(margin), cases=[case])))
    runner = Runner(judge.stacks, 0, [[2], [0], [0]])
    firsts = []
    for _ in range(PATIENCE + 2):
        firsts.append(runner._first)
        runner.prove([2, 0, 0], {2: (0,)})
    assert firsts == [0] * (PATIENCE + 1) + [1]


def test_a_mean_is_decided_on_all_words_and_its_ties_are_not() -> None:
    claim = make_claim(max_n=7, cases=[MORE_ONES, FEWER_ONES])
    assert check_text(dump(decision(mean_network(), claim))).coverage == {"words": 254, "obligations": 7}
    tie = {"when": {"formula": "#<[Q_1] == #<[Q_0] + 1"}, "above": [[[0, "1"], [1, "-1"]]]}
    with pytest.raises(Rejected, match=r"^offset 0, word '0 1 1': a row is not decided at the highest precision$"):
        check_text(dump(decision(mean_network(), make_claim(cases=[tie]))))


@pytest.mark.parametrize("score", [40.0, 200.0, 5000.0])
def test_words_without_the_token_of_the_greatest_score_are_decided(score: float) -> None:
    network, weights = mean_network(), Weights(0)
    weights.tensors = network["tensors"]
    head = network["steps"][0]["heads"][0]
    head["query"] = head["query"] | {"bias": weights.view([score])}
    head["key"] = head["value"]
    some = {"when": {"formula": "true since Q_1"}, "above": [[[0, "1"], [1, "-1"]]]}
    none = {"when": {"formula": "!(true since Q_1)"}, "above": [[[0, "-1"], [1, "1"]]]}
    claim = make_claim(max_n=5, cases=[some, none])
    assert numbers(check_text(dump(decision(network, claim))))["words"] == 62


def test_a_mean_is_refused_where_it_is_below() -> None:
    claim = make_claim(cases=[FEWER_ONES | {"when": {"formula": "#<[Q_1] != #<[Q_0] + 1"}}])
    with pytest.raises(Rejected, match=r"^offset 0, word '0 1 1 1': the row 1 is not above the margin$"):
        check_text(dump(decision(mean_network(), claim)))


@pytest.mark.parametrize("kind", ["gpt2", "rotary", "bidirectional"])
def test_a_margin_beyond_the_lowest_precision_is_decided_at_the_next(kind: str) -> None:
    network = make_network(kind, seed=2)
    value = Reference(network).logits([2, 0, 0])[-1][0]
    for off, is_above in ((10**-14, True), (-(10**-14), False)):
        margin = Fraction(int((value - mpf(off)) * 2**120), 2**120)
        sign = "1" if margin > 0 else "-1"
        claim = make_claim(alphabet=["a"], tokens=[0], min_n=2, max_n=2, read="last", margin=str(abs(margin)),
                           cases=[{"when": {"formula": "true"}, "above": [[[0, sign]]]}])
        if is_above == (margin > 0):
            assert numbers(check_text(dump(decision(network, claim))))["words"] == 1
        else:
            with pytest.raises(Rejected, match="the row 1 is not above the margin"):
                check_text(dump(decision(network, claim)))


FORMULAS = ("Q_1 since Q_0", "prev (Q_0 | ODD)", "Q_0 until (next Q_1)", "#<[Q_1] > 2 * #>[Q_0] - 1", "EVEN(#<[Q_1])",
            "LAST & Q_1", "H Q_0 -> F Q_1", "MOD(3,1) <-> Q_0", "0 < 1", "big & Q_1")


def test_formulas_hold_as_they_do_by_definition() -> None:
    cases = [{"when": {"formula": formula}, "above": []} for formula in FORMULAS]
    given = read(decision(mean_network(), make_claim(cases=cases, predicates=["big(k,n) := 2*k > n"])))
    truth = TruthsAlongWord(given.claim.conditions, given.claim.language)
    for n in range(7):
        for word in itertools.product((0, 1), repeat=n):
            symbols = tuple("01"[letter] for letter in word)
            columns = [brute.truths(given.claim.language, formula, symbols) for formula in given.claim.formulas]
            wanted = {i: [k for k, column in enumerate(columns) if i and column[i - 1]] for i in range(n + 1)}
            assert truth.cases(word, range(n + 1)) == wanted


def test_states_and_formulas_must_both_hold_and_only_states_at_place_0() -> None:
    cases: list[dict[str, Any]] = [{"when": when, "above": []} for when in (
        {"states": [0]}, {"formula": "Q_1", "states": [1]}, {"formula": "true"})]
    claim = make_claim(automaton={"start": 0, "steps": [[0, 1], [1, 0]]}, cases=cases)
    given = read(decision(mean_network(), claim))
    truth = TruthsAlongWord(given.claim.conditions, given.claim.language)
    assert truth.cases((1, 0, 1), range(4)) == {0: [0], 1: [1, 2], 2: [2], 3: [0, 2]}


@pytest.mark.parametrize(("changes", "by_place"), [
    ({}, True), ({"read": "last"}, True), ({"read": "last", "after": [3]}, False), ({"read": "first"}, False),
    ({"cases": [{"when": {"formula": "next Q_1"}, "above": []}]}, False),
    ({"cases": [{"when": {"formula": "#>[Q_1] > 1"}, "above": []}]}, False),
    ({"cases": [{"when": {"formula": "EVEN(#>[Q_1])"}, "above": []}]}, False),
    ({"cases": [{"when": {"formula": "LAST"}, "above": []}]}, False),
    ({"cases": [{"when": {"formula": "prev Q_1 & MOD(3,1)"}, "above": []}]}, True)])
def test_obligations_are_by_place_where_a_later_token_changes_nothing(changes: dict[str, Any], by_place: bool) -> None:
    given = read(decision(make_network("gpt2"), make_claim(**changes)))
    assert is_by_place(given.network, given.claim) == by_place
    given = read(decision(make_network("bidirectional"), make_claim(**changes)))
    assert not is_by_place(given.network, given.claim)


def test_obligations_are_those_with_rows_of_the_tables() -> None:
    changes = {"offsets": [7, 9], "min_n": 2, "max_n": 4, "empty": True}
    given = read(decision(make_network("gpt2", rows=12), make_claim(**changes)))
    assert [*obligations(given.network, given.claim)] == [
        WordsUnit(7, 0, 4), WordsUnit(8, 0, 3), WordsUnit(9, 0, 2)]
    claim = make_claim(read="last", after=[3], max_n=2, offsets=[8, 9])
    by_length = read(decision(make_network("gpt2", rows=12), claim))
    assert [*obligations(by_length.network, by_length.claim)] == [
        WordsUnit(8, 1, 2), WordsUnit(9, 1, 1)]


def unit(offset: int, first: int, last: int) -> dict[str, Any]:
    return {"offset": offset, "from": first, "to": last, "by": "words"}


@pytest.mark.parametrize(("cover", "reason"), [
    ([unit(0, 1, 3)], "cover: offset 0, place 4 is left out"),
    ([unit(0, 1, 1), unit(0, 3, 4)], "cover: offset 0, place 2 is left out"),
    ([unit(0, 1, 4)], "cover: offset 1, place 1 is left out"),
    ([unit(0, 1, 2), unit(0, 2, 4), unit(1, 1, 3)], "cover: offset 1, place 4 is left out"),
    ([unit(0, 0, 4), unit(1, 1, 4)], "cover: offset 0, places 0 to 4: not all are of the claim"),
    ([unit(0, 1, 5), unit(1, 1, 4)], "cover: offset 0, places 1 to 5: not all are of the claim"),
    ([unit(0, 1, 4), unit(1, 1, 4), unit(2, 1, 4)], "cover: offset 2 is not of the claim"),
    ([], "cover: offset 0, place 1 is left out")])
def test_a_cover_that_is_none_is_refused(cover: list[Any], reason: str) -> None:
    document = decision(mean_network(rows=9), make_claim(offsets=[0, 1], cases=[MORE_ONES, FEWER_ONES]), cover)
    with pytest.raises(Rejected, match=f"^{reason}$"):
        check_text(dump(document))


def test_every_word_is_in_one_share() -> None:
    for letters, shares in ((1, 3), (2, 1), (2, 3), (3, 2)):
        for n in range(6):
            for word in itertools.product(range(letters), repeat=n):
                having = [k for k in range(shares) if Share(k, shares).has(word, letters)]
                assert len(having) == 1
                assert all(Share(having[0], shares).has_some(word[:k], letters) for k in range(n + 1))


def test_parts_prove_together_what_the_whole_does() -> None:
    data = dump(decision(mean_network(), make_claim(max_n=7, cases=[MORE_ONES, FEWER_ONES])))
    assert sum(check_part(data, k, 3)["words"] for k in (1, 2, 3)) == 254
    assert check_sample(data, 1)["words"] in [2**n for n in range(1, 8)]
    assert estimate(data) == {"words": 254, "nodes": 0, "seconds": 1}


def test_a_fault_is_found_by_the_part_that_has_it() -> None:
    wrong = MORE_ONES | {"when": {"formula": "Q_1 & prev (Q_0 & prev (Q_0 & prev Q_1))"}}  # 1 0 0 1
    data = dump(decision(mean_network(), make_claim(max_n=4, cases=[wrong])))
    refused = 0
    for part in (1, 2, 3):
        try:
            check_part(data, part, 3)
        except Rejected:
            refused += 1
    assert refused == 1


def test_words_that_no_case_can_reach_are_left_out() -> None:
    dead = make_claim(max_n=9, automaton={"start": 0, "steps": [[0, 1], [1, 1]]},
                      cases=[FEWER_ONES | {"when": {"states": [0]}}])
    given = read(decision(mean_network(), dead))
    judge = Judge(given.network, given.claim)
    assert [word for word, _ in judge.words(1, 3)] == [(0,), (0, 0), (0, 0, 0), (0, 0, 1), (0, 1), (1,)]
