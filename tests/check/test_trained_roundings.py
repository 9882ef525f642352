"""Roundings in the checker: every enclosure has what is rounded, and what is accepted is true of every word."""

import itertools
import json
import random
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from mpmath import floor, mpf

from proofs.check import Malformed, Rejected, check_text
from proofs.check.checker.chapters.trained.balls.adaptive_precision import Runner
from proofs.check.checker.chapters.trained.balls.precision import HIGHEST, Precision, Undecided, ceil_norm
from proofs.check.checker.chapters.trained.balls.roundings import Inexact, Rounder, nearest
from proofs.check.checker.chapters.trained.reading.network import Rounding
from proofs.check.checker.chapters.trained.words.judge import Judge
from proofs.check.checker.chapters.trained.zonotopes.step_maps import make_maps
from proofs.check.checker.kernel.budget import Budget
from tests.check.test_trained_words import read
from tests.check.trained_networks import Weights, decision, dump, make_claim
from tests.check.trained_reference import Reference, rational
from tests.covered import numbers

Document = dict[str, Any]
STATIC: Document = {"scale": "3/64", "zero": 7, "least": 0, "greatest": 15}
INPUT: Document = {"range": "input", "greatest": 15}
TOKEN: Document = {"range": "token", "greatest": 15}
ROUNDINGS = {"static": STATIC, "input": INPUT, "token": TOKEN}
ROW: list[Any] = [[0, "1"], [1, "-2/7"]]
SHIFT = 16
ALWAYS = {"when": {"formula": "true"}, "above": [ROW]}
WORDS = [word for n in (1, 2) for word in itertools.product((0, 1), repeat=n)]


def rounded(rounding: Rounding, vectors: list[list[Fraction]]) -> list[list[Fraction]]:
    """Round vectors as docs/reference/trained.md, section 1, defines; Python rounds halves to even."""
    if rounding.scale is None and not rounding.of_input and len(vectors) > 1:
        return [x for one in vectors for x in rounded(rounding, [one])]
    scale, zero = rounding.scale, rounding.zero
    if scale is None:
        every = [Fraction(0), *itertools.chain(*vectors)]
        scale = (max(every) - min(every)) / rounding.greatest
        zero = round(-min(every) / scale)
    return [[scale * (min(max(round(x / scale) + zero, rounding.least), rounding.greatest) - zero) for x in one]
            for one in vectors]


def made(kind: str, rng: random.Random) -> Rounding:
    if kind != "static":
        return Rounding(None, 0, 0, rng.choice((1, 3, 15, 255)), kind == "input")
    least = rng.choice((0, -8))
    return Rounding(Fraction(rng.randrange(1, 40), rng.choice((3, 32, 64))), least + rng.randrange(16), least,
                    least + 15, False)


@pytest.mark.parametrize("kind", ROUNDINGS)
def test_what_true_numbers_are_rounded_to_is_within_the_error(kind: str) -> None:
    """Many of the numbers are ties, or nearer to one than the error, or at the ends."""
    rng, precision, decided = random.Random(3), Precision(1), 0
    for _ in range(600):
        rounding = made(kind, rng)
        unit = rng.choice((rounding.scale or Fraction(1, 8), Fraction(1, 7), Fraction(1, 1 << 30)))
        true = [[unit * Fraction(rng.randrange(-60, 60), 2) for _ in range(3)] for _ in range(rng.randrange(1, 4))]
        given: list[Inexact] = []
        for x in true:
            e = rng.choice((2, 1 << 20, 1 << 40))
            off = [rng.randrange(-e, e + 1) // 2 for _ in x]
            given.append(([precision.number(y) + move for y, move in zip(x, off, strict=True)], ceil_norm(off) + 2))
        rounder = Rounder(rounding, precision, Budget(), max(ceil_norm(x) for x, _ in given), 3)
        try:
            found = rounder.apply(given)
        except Undecided:
            continue
        decided += 1
        for (result, error), exact in zip(found, rounded(rounding, true), strict=True):
            distance = sum((number - y * precision.one) ** 2 for number, y in zip(result, exact, strict=True))
            assert distance <= error**2 and ceil_norm(result) <= rounder.bound
    assert decided > 400


def test_a_tie_keeps_both_neighbours_and_a_number_beside_it_one() -> None:
    rounder = Rounder(Rounding(Fraction(1), 0, 0, 15, False), Precision(1), Budget(), 4 << 44, 1)
    half, one = 5 << 43, 1 << 44
    assert rounder.apply([([half], 1)]) == [([half], (one >> 1) + 2)]
    assert rounder.apply([([half], 0)]) == [([2 * one], 2)]  # exactly: to even
    assert rounder.apply([([half + 2], 1), ([half - 2], 1)]) == [([3 * one], 2), ([2 * one], 2)]


def test_quotients_are_rounded_as_python_rounds_them() -> None:
    assert all(nearest(n, d) == round(Fraction(n, d)) for n in range(-60, 60) for d in range(1, 12))


def test_numbers_between_two_are_within_the_doubt_of_the_line_segments() -> None:
    rng, one = random.Random(4), 1 << 44
    for _ in range(300):
        rounding = made("static", rng)
        rounder = Rounder(rounding, Precision(1), Budget(), 0, 1)
        least = rng.randrange(-20 * one, 20 * one)
        greatest = least + rng.choice((0, 5, one >> 6, one, 30 * one))
        points, values, remainder = rounder.near(least, greatest)
        assert (points[0], points[-1]) == (least, greatest) and points == sorted(points)
        for _ in range(30):
            x = rng.choice((least, greatest, rng.randint(least, greatest)))
            ((exact,),) = rounded(rounding, [[Fraction(x, one)]])
            pairs = list(zip(points, values, strict=True))
            (a, p), (b, q) = next(pair for pair in itertools.pairwise(pairs) if pair[0][0] <= x <= pair[1][0])
            line = p if a == b else p + Fraction((q - p) * (x - a), b - a)
            assert abs(exact * one - line) <= remainder


# -- networks ----------------------------------------------------------------------------------------------------------


@cache
def network_text(kind: str, causal: bool = True) -> bytes:
    w, d, how = Weights(11), 4, ROUNDINGS[kind]
    steps = [w.units(d, 3, w.norm(d, "layer"), ""), w.attention(d, 2, w.norm(d, "rms"), 12), w.units(d, 4, None, ""),
             w.units(d, 3, None, "relu"), w.attention(d, 1, w.norm(d, "rms"), 12),
             w.units(d, 3, w.norm(d, "layer"), "")]
    for step in steps:
        if step.get("activation") == "":
            step["activation"] = how
    return dump(w.network(4, d, 12, steps, causal, 2))


def network(kind: str, causal: bool = True) -> Document:
    found: Document = json.loads(network_text(kind, causal))
    return found


def least_of(document: Document, words: list[tuple[int, ...]], everywhere: bool) -> mpf:
    """Return the least value of the row, at the last letter or at each."""
    reference = Reference(document)
    (row,) = document.get("rows", [ROW])
    return min(sum(rational(c) * x[token] for token, c in row) for word in words
               for x in reference.logits([2, *word])[1 if everywhere else -1:])


@pytest.mark.parametrize("causal", [True, False], ids=["causal", "bidirectional"])
@pytest.mark.parametrize("kind", ROUNDINGS)
def test_logits_are_within_the_error_bounds(kind: str, causal: bool) -> None:
    document = network(kind, causal)
    given = read(decision(document, make_claim(cases=[ALWAYS])))
    judge, reference = Judge(given.network, given.claim), Reference(document)
    runner = Runner(judge.stacks, 2, [range(4)] * 5)
    for level in range(1, HIGHEST + 1):
        one = Precision(level).one
        for tokens in ([2, 0, 1, 1, 3], [1, 2], [3, 3, 3], [2, 0, 1, 0, 3]):
            logits = reference.logits(tokens, 2)
            last = runner.logits(level, tokens, [len(tokens) - 1])  # the others count in ranges, judged or not
            for place, found in (*last.items(), *runner.logits(level, tokens, range(len(tokens))).items()):
                ((value, error),) = judge.stacks.at(level).rows.values(found, [0])
                true = 7 * logits[place][0] - 2 * logits[place][1]
                assert abs(value - true * one) <= error < one / 2**8


@cache
def margin_of(kind: str, sign: int) -> Fraction:
    """Return the least row, rounded down."""
    least = least_of(network(kind) | {"rows": [row_of(sign)]}, WORDS, everywhere=kind == "input")
    return Fraction(int(floor(least * 2**40)), 2**40)


def row_of(sign: int) -> list[Any]:
    return [[token, str(sign * Fraction(c))] for token, c in ROW]


def shifted(kind: str, sign: int = 1) -> Document:
    """The claim that is just true of the row, or of minus it: logit 0 has a bias, so that margins are above 0."""
    document = decision(network(kind), make_claim(
        max_n=2, margin=str(margin_of(kind, sign) - Fraction(1, 1 << 20) + SHIFT),
        cases=[{"when": {"formula": "true"}, "above": [row_of(sign)]}]))
    w = Weights(0)
    bias = w.view([float(sign * SHIFT), 0.0])
    document["network"]["tensors"]["bias"] = w.tensors[bias["tensor"]]
    document["network"]["unembedding"]["bias"] = bias | {"tensor": "bias"}
    return document


@pytest.mark.parametrize("kind", ROUNDINGS)
def test_a_margin_just_below_the_least_row_is_accepted_and_just_above_it_not(kind: str) -> None:
    document = shifted(kind)
    assert numbers(check_text(dump(document)))["words"] == 6
    document["claim"]["margin"] = str(margin_of(kind, 1) + Fraction(1, 1 << 20) + SHIFT)
    with pytest.raises(Rejected, match="is not above the margin"):
        check_text(dump(document))


OTHERS: dict[str, list[Document]] = {
    "static": [STATIC | {"scale": "3/65"}, STATIC | {"zero": 6}, STATIC | {"least": 1}, STATIC | {"greatest": 14},
               STATIC | {"scale": "3/32"}, INPUT, TOKEN],
    "input": [INPUT | {"greatest": 14}, INPUT | {"greatest": 255}, TOKEN, STATIC],
    "token": [TOKEN | {"greatest": 16}, TOKEN | {"greatest": 255}, INPUT, STATIC]}


@pytest.mark.parametrize("kind", OTHERS)
def test_of_networks_that_round_otherwise_what_is_true_is_accepted_and_no_more(kind: str) -> None:
    """One rounding is another one, or left out: bounds of the row from below and above that were just true."""
    refused = 0
    for place, other in zip(itertools.cycle((0, 2, 5)), [*OTHERS[kind], "identity"], strict=False):
        for sign in (1, -1):
            document = shifted(kind, sign)
            margin = Fraction(document["claim"]["margin"])
            document["network"]["steps"][place]["activation"] = other
            ranges = any(step.get("activation") == INPUT for step in document["network"]["steps"])
            least = least_of(document["network"] | {"rows": [row_of(sign)]}, WORDS, everywhere=ranges)
            if least > rational(str(margin)):
                check_text(dump(document))
            else:
                refused += 1
                with pytest.raises(Rejected, match="is not above the margin"):
                    check_text(dump(document))
    assert refused >= 3


def test_a_range_of_all_tokens_lets_later_letters_change_earlier_places() -> None:
    """A property of every word at its last letter is false at the others: the claim is by length."""
    document = network("input")
    at_ends, everywhere = (least_of(document, WORDS, where) for where in (False, True))
    assert everywhere < at_ends
    between = Fraction(int(floor((at_ends + everywhere) / 2 * 2**40)), 2**40)
    certificate = shifted("input")
    certificate["claim"]["margin"] = str(between + SHIFT)
    with pytest.raises(Rejected, match="is not above the margin"):
        check_text(dump(certificate))
    certificate["claim"] |= {"read": "last"}
    assert numbers(check_text(dump(certificate)))["obligations"] == 2


@pytest.mark.parametrize("kind", ["input", "token"])
def test_there_is_no_rule_by_classes_for_a_range(kind: str) -> None:
    given = read(decision(network(kind), make_claim(cases=[ALWAYS])))
    with pytest.raises(Rejected, match="no rule by classes for roundings by a range"):
        make_maps(Budget(), given.network.stages[0][0])


@pytest.mark.parametrize(("change", "printed"), [
    ({"scale": "0"}, "scale: expected more than 0, got 0"), ({"scale": "-1/2"}, "scale: expected more than 0"),
    ({"zero": 16}, "zero: expected 0 to 15, got 16"), ({"least": 8}, "zero: expected 8 to 15, got 7"),
    ({"greatest": 1 << 40}, "greatest"), ({"zero": True}, "zero"), ({"more": 1}, "more"), ({"range": "input"}, "."),
    ({"scale": 0.5}, "scale")])
def test_roundings_that_are_none_are_malformed(change: Document, printed: str) -> None:
    document = shifted("static")
    document["network"]["steps"][0]["activation"] = STATIC | change
    with pytest.raises(Malformed, match=printed):
        check_text(dump(document))


@pytest.mark.parametrize("activation", [{"range": "words", "greatest": 15}, {"range": "input", "greatest": 0},
                                        {"range": "input"}, {}, None, ["relu"]])
def test_ranges_that_are_none_are_malformed(activation: Any) -> None:
    document = shifted("input")
    document["network"]["steps"][0]["activation"] = activation
    with pytest.raises(Malformed):
        check_text(dump(document))


def test_a_gate_beside_a_rounding_is_malformed() -> None:
    document = shifted("static")
    document["network"]["steps"][0]["gate"] = document["network"]["steps"][0]["in"]
    with pytest.raises(Malformed, match="gate: expected null"):
        check_text(dump(document))


def test_a_token_alone_has_no_range_of_all_tokens() -> None:
    given = read(decision(network("input"), make_claim(cases=[ALWAYS])))
    with pytest.raises(Rejected, match="a token alone has no range of all tokens"):
        Judge(given.network, given.claim).stacks.at(1).start(0, 0)


def test_what_depends_on_a_tie_is_off_by_half_a_step_and_says_so() -> None:
    """Every number that is rounded is a tie; the even neighbour is within the error."""
    w, d = Weights(2), 3
    into = {"weight": w.view([[float(i == j) for j in range(d)] for i in range(d)]), "bias": None}
    step = {"step": "units", "norm": None, "in": into, "gate": None,
            "activation": {"scale": "1/4096", "zero": 8, "least": 0, "greatest": 16}, "out": w.affine(d, d)}
    document = w.network(4, d, None, [step, w.attention(d, 1, None, 12)], True, 2)
    ties = w.view([[(2 * (token + 3 * k) - 7) / 8192 for k in range(d)] for token in range(4)])
    del w.tensors[document["tokens"]["tensor"]]
    document["tokens"] = ties
    given = read(decision(document, make_claim(cases=[ALWAYS])))
    stacks = Judge(given.network, given.claim).stacks
    runner = Runner(stacks, 0, [range(4)] * 3)
    for tokens in itertools.product(range(4), repeat=2):
        logits = Reference(document).logits([*tokens])
        for place, found in runner.logits(1, tokens, range(2)).items():
            ((value, error),) = stacks.at(1).rows.values(found, [0])
            true = 7 * logits[place][0] - 2 * logits[place][1]
            assert abs(value - true * (1 << 44)) <= error and error > 1 << 30
