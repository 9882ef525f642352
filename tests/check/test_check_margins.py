"""Claims by margins: the checker against floating-point runs of every word, just below and just above what is true."""

import json
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.language.predicates import parse_predicate_definitions
from constructions.language.semantics import satisfies
from constructions.network.lengths import Lengths
from constructions.network.transformer import Mask, Transformer
from constructions.network.weightings import Weighting
from proofs.check import Malformed, Rejected, RequiredClaim, check_text
from proofs.check.checker.checking import check_within, read_within
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.requirements import ANYTHING
from proofs.words.classes.norms import NO_NORMS, Norms
from proofs.words.margins.certificate import seal_margin
from proofs.words.margins.claim import At, MarginClaim
from tests.check import margins_costly as costly
from tests.check.softening import dump, layer, transformer
from tests.words.float_run import FloatRun
from tests.words.soft_models import soft_transformer

FORMULAS = ["Q_a", "ODD(#<[Q_a])", "Q_b since Q_a", "next Q_a", "#<[Q_a] > #>[Q_b]", "LAST & prev Q_a"]
LETTERS = ("a", "b")
SMALL = Fraction(1, 100)


def claim_of(formula: str, at: At, n: int, margin: Fraction, threshold: Fraction = Fraction(0), before: str = "",
             after: str = "") -> MarginClaim:
    return MarginClaim(parse_formula(formula, LETTERS), LETTERS, Lengths(n, n), at, tuple(before), tuple(after),
                       threshold, parse_expression(str(margin)))


def least_margin(transformer: Transformer, claim: MarginClaim, n: int, norms: Norms) -> float:
    """Over all words, run one by one."""
    found = []
    for word in product(LETTERS, repeat=n):
        run = FloatRun(transformer, (*claim.before, *word, *claim.after), norms.epsilons)
        for read in claim.reads(n):
            above = run.output(read.position) - float(claim.threshold)
            found.append(above if satisfies(claim.formula, word, read.letter) else -above)
    return min(found)


def is_accepted(transformer: Transformer, claim: MarginClaim, norms: Norms = NO_NORMS) -> bool:
    try:
        check_text(seal_margin(transformer, claim, norms).encode())
    except Rejected:
        return False
    return True


@pytest.mark.one_in(6)
@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("at", ["first", "last", "every"])
def test_a_margin_is_accepted_just_below_the_least_one_and_rejected_just_above(formula: str, at: At) -> None:
    compare_with_all_words(formula, at, NO_NORMS, seeds=2)


def test_so_it_is_with_layer_norms() -> None:
    compare_with_all_words("Q_b since Q_a", "last", Norms(((SMALL, SMALL), (None, SMALL))), seeds=1)


def compare_with_all_words(formula: str, at: At, norms: Norms, seeds: int) -> None:
    for seed in range(seeds):
        transformer = soft_transformer(seed + 40)
        for n in (1, 3):
            claim = claim_of(formula, at, n, Fraction(0), Fraction(-20), before="b" * seed, after="ab" * (seed % 2))
            seen = least_margin(transformer, claim, n, norms)
            high = claim_of("true", at, n, Fraction(0), Fraction(-20), before="b" * seed, after="ab" * (seed % 2))
            for asked, true in ((claim, seen), (high, least_margin(transformer, high, n, norms))):
                if true > 1e-6:
                    below, above = (Fraction(true * factor) for factor in (1 - 1e-9, 1 + 1e-9))
                    made = [MarginClaim(asked.formula, LETTERS, asked.lengths, at, asked.before, asked.after,
                                        asked.threshold, parse_expression(str(margin.limit_denominator(10**12))))
                            for margin in (below - Fraction(1, 10**9), above + Fraction(1, 10**9))]
                    assert is_accepted(transformer, made[0], norms), (seed, n)
                    assert not is_accepted(transformer, made[1], norms), (seed, n)
                elif true < -1e-6:
                    assert not is_accepted(transformer, asked, norms)


@pytest.mark.parametrize("masks", [(Mask.NONE,), (Mask.FUTURE,), (Mask.PAST,), tuple(Mask)])
def test_thresholds_between_outputs_are_told_apart_on_deeper_networks(masks: tuple[Mask, ...]) -> None:
    for seed in range(3):
        transformer = soft_transformer(seed, layers=3, masks=masks)
        runs = {word: FloatRun(transformer, word).output(3) for word in product(LETTERS, repeat=3)}
        least = min(runs.values())
        for shift, accepted in ((-1e-6, True), (1e-6, False)):
            threshold = Fraction(least + shift).limit_denominator(10**12)
            assert is_accepted(transformer, claim_of("true", "last", 3, Fraction(0), threshold)) is accepted


@pytest.mark.parametrize("hard", [Weighting.AVERAGE_HARDMAX, Weighting.LEFTMOST_HARDMAX, Weighting.RIGHTMOST_HARDMAX])
def test_hard_heads_are_run_exactly_or_refused(hard: Weighting) -> None:
    from proofs.words.classes.enclosing import enclose_output

    for seed in range(4):
        transformer = soft_transformer(seed, layers=1, first=hard)
        outputs = [enclose_output(transformer, word, 3, 128) for word in product(LETTERS, repeat=3)]
        least = min(Fraction(int(x.lower.numerator), int(x.lower.denominator)) for x in outputs)
        assert is_accepted(transformer, claim_of("true", "last", 3, Fraction(0), least - SMALL))
        assert not is_accepted(transformer, claim_of("true", "last", 3, Fraction(0), least + SMALL))


def document() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(seal_margin(soft_transformer(1), claim_of("Q_a", "last", 2, Fraction(0))))
    return found


def seal(changed: dict[str, Any]) -> bytes:
    return (json.dumps(changed, indent=1, ensure_ascii=True) + "\n").encode()


@pytest.mark.parametrize(("key", "value", "reason"), [
    ("alphabet", ["a", "z"], "'z' is not a symbol of the transformer"),
    ("before", ["z"], "'z' is not a symbol of the transformer"),
    ("formula", "Q_z", "which is not in the alphabet"),
    ("formula", "$1", "formula"),
    ("min_n", 0, "min_n"),
    ("min_n", 3, "min_n is above max_n"),
    ("at", "middle", "at"),
    ("margin", "1/i", "an expression in n only"),
    ("threshold", "2/4", "lowest terms"),
    ("after", ["a"] * 4096, "limit"),
])
def test_what_is_not_in_the_format_is_malformed(key: str, value: object, reason: str) -> None:
    changed = document()
    changed["claim"][key] = value
    with pytest.raises(Malformed, match=reason):
        check_text(seal(changed))


@pytest.mark.parametrize(("norms", "reason"), [
    ([], "an entry for each layer"), ([{"attention": None, "feedforward": "-1"}] * 2, "0 or more"),
    ([{"attention": None}] * 2, "feedforward")])
def test_norms_that_are_not_in_the_format_are_malformed(norms: object, reason: str) -> None:
    with pytest.raises(Malformed, match=reason):
        check_text(seal(document() | {"norms": norms}))


def test_a_negative_margin_a_temperature_that_is_not_positive_and_other_weightings_are_rejected() -> None:
    changed = document()
    changed["claim"]["margin"] = "1-n"
    with pytest.raises(Rejected, match="the margin is -1 at n = 2"):
        check_text(seal(changed))
    changed = document()
    changed["transformer"]["layers"][-1]["heads"][-1]["temperature"] = "i-1"
    with pytest.raises(Rejected, match="temperature of head"):
        check_text(seal(changed))
    changed = document()
    changed["transformer"]["layers"][-1]["heads"][-1]["weighting"] = "sparsemax"
    with pytest.raises((Rejected, Malformed), match="weighting"):
        check_text(seal(changed))


def test_the_claim_asked_for_is_compared() -> None:
    transformer = soft_transformer(1)
    least = min(FloatRun(transformer, word).output(2) for word in product(LETTERS, repeat=2))
    text = seal_margin(transformer, claim_of("true", "last", 2, Fraction(0), Fraction(int(least) - 2))).encode()
    assert check_text(text, RequiredClaim(formula="true", alphabet=LETTERS, min_n=2, max_n=2)).coverage == {
        "lengths": 1, "places": 1, "classes": check_text(text).coverage["classes"]}  # type: ignore[index]
    for asked in (RequiredClaim(formula="Q_a"), RequiredClaim(max_n=2), RequiredClaim(regime="temperature"),
                  RequiredClaim(alphabet=("a",))):
        with pytest.raises(Rejected, match="claim differs"):
            check_text(text, asked)


def test_the_claim_s_predicates_are_not_those_of_the_network() -> None:
    (third,) = parse_predicate_definitions(["THIRD(k) := k % 3 == 1"]).values()
    assert third.name == "THIRD"
    changed = document()
    changed["claim"]["predicates"] = ["THIRD(k) := k % 3 == 1"]
    changed["claim"]["formula"] = "THIRD"
    with pytest.raises(Rejected, match=r"not (above|below) the threshold"):
        check_text(seal(changed))


def test_a_norm_that_divides_by_0_is_refused_where_the_output_needs_it_and_is_said_to_be_0_elsewhere() -> None:
    changed = costly.claim(transformer("is out", {"a": {"is": "1"}, "b": {}}, {}, [layer([])]), 1,
                           norms=[{"attention": None, "feedforward": "0"}])
    with pytest.raises(Rejected, match="a norm is not known to be of a vector with two different numbers"):
        check_text(dump(changed))
    changed["claim"] |= {"alphabet": ["a"], "before": ["b"]}
    assert any(line.endswith("layer 1, behind units: epsilon 0 (a vector of equal numbers becomes 0)")
               for line in check_text(dump(changed)).lines)


def test_nothing_is_held_once_a_place_is_done() -> None:
    shorter = costly.many_places()
    shorter["claim"]["max_n"] = 4
    budgets = [Budget(), Budget()]
    read_within(dump(shorter), ANYTHING, budgets[0])
    check_within(dump(shorter), ANYTHING, budgets[1])
    assert budgets[0].bits_left == budgets[1].bits_left


def test_no_network_is_too_deep_and_no_number_too_long_to_be_looked_up() -> None:
    deep = costly.deep()
    deep["transformer"]["layers"] = deep["transformer"]["layers"][:300]
    deep["transformer"]["output"] = "d300"
    deep["claim"] |= {"max_n": 1, "alphabet": ["a"]}
    assert check_text(dump(deep)).coverage == {"lengths": 1, "places": 1, "classes": 1}
    assert check_text(dump(costly.long_products())).coverage == {"lengths": 2, "places": 2, "classes": 5}
