"""Comparisons of many counts: one integer is read, however many counts there are; and what their heads err together."""

import json
import random
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from certify import certify
from certify.claims.formula.outcomes import Certified, Refuted
from constructions.language.parser import parse_formula
from constructions.language.semantics import truth_values
from constructions.language.syntax import Formula
from proofs.check import Refusal, check_text
from proofs.enclosures.intervals import point
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.feed_forward.counting import oblige_by_value

F = Fraction
RELATIONS = ["<=", "<", ">=", ">", "==", "!="]
MAJORITY, SLACK = "#<[Q_1] > #<[Q_0]", "slack[#<[Q_1] <= #<[Q_0]]"


def sum_of(count: int) -> str:
    return " + ".join(f"#<[Q_s{k}]" for k in range(count)) + " >= 2"


def wrong_words(formula: Formula, outcome: Any, max_n: int, most: int = 300) -> list[tuple[str, ...]]:
    """Words on which a run of the network in binary64 differs from the semantics: all, or some of each length."""
    network, wrong = outcome.to_numpy(precision="binary64"), []
    for n in range(1, max_n + 1):
        words = list(product(outcome.alphabet, repeat=n))
        words = words if len(words) <= most else random.Random(n).sample(words, most)
        for word, row in zip(words, network.run(words)[:, :, -1], strict=True):
            if any(abs(x - truth) > 1e-7 for x, truth in zip(row, truth_values(formula, word), strict=True)):
                wrong.append(word)
    return wrong


@pytest.mark.parametrize("count", [5, 20, 60])
def test_a_sum_of_any_number_of_counts_is_certified_with_two_cases_for_its_slack(count: int) -> None:
    outcome = certify(sum_of(count), max_n=4)
    assert isinstance(outcome, Certified) and wrong_words(parse_formula(sum_of(count)), outcome, 3) == []
    network = outcome.transformer
    assert network is not None
    (slack,) = [name for name in network.directions if name.startswith("slack")]
    bounds = {name: point(F(0)) for name in network.directions if name.startswith("others")}
    task = oblige_by_value(network, KnownValues(network.directions), outcome.lengths, 2, slack, bounds)
    assert len(bounds) == count and [case.values for case in task.cases] == [(0, 1), (2, 4 * count)]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("seed", range(24))
def test_random_inequalities_of_up_to_12_counts_are_right_on_words(seed: int) -> None:
    rng = random.Random(seed)
    letters = [f"s{k}" for k in range(rng.randint(1, 10))]
    operands = [f"{sign}Q_{letter}" for sign in ("", "!") for letter in letters]
    terms = [f"{rng.choice('+-')} {rng.randint(1, 5)}*#{rng.choice('<>')}[{rng.choice(operands)}]"
             for _ in range(rng.randint(1, 12))]
    text = f"0 {' '.join(terms)} {rng.choice(RELATIONS)} {rng.randint(-6, 6)}"
    outcome = certify(text, alphabet=letters, max_n=3)
    assert isinstance(outcome, Certified)
    assert wrong_words(parse_formula(text), outcome, 3) == []


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(32))
def test_near_the_critical_constant_what_is_certified_is_right_and_what_is_wrong_is_refuted(seed: int) -> None:
    rng = random.Random(seed)
    letters = "abc"[:rng.randint(2, 3)]
    terms = [f"{rng.choice('+-')} {rng.randint(1, 2)}*#{rng.choice('<<>')}[Q_{rng.choice(letters)}]"
             for _ in range(rng.randint(2, 3))]
    text, max_n = f"0 {' '.join(terms)} {rng.choice(RELATIONS)} {rng.randint(-2, 2)}", rng.randint(2, 4)
    outcome = certify(text, alphabet=letters, max_n=max_n, gamma=F(rng.randint(20, 110), 100))
    assert isinstance(outcome, Certified | Refuted)
    if isinstance(outcome, Certified):
        assert wrong_words(parse_formula(text), outcome, max_n) == []


SUM = "slack[" + sum_of(5) + "]"


@pytest.fixture(scope="module")
def five() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(certify(sum_of(5), max_n=4).certificate)  # type: ignore[attr-defined]
    return found


@pytest.mark.parametrize(("change", "reason"), [
    (lambda made: unit_of(made, SUM)["reads"].update({"others[#<[Q_s3]] for 5": "-4"}), "in the proportions"),
    (lambda made: unit_of(made, SUM)["reads"].update({"is[Q_s3]": "-4"}), "in the proportions"),
    (lambda made: unit_of(made, SUM).update(bias="9/2"), "the output changes while"),
    (lambda made: unit_of(made, SUM).update(bias="5/2"), "the output is"),
    (lambda made: made["transformer"]["directions"][SUM].update(formula=sum_of(5).replace("= 2", "= 3")), "the output"),
    (lambda made: made["bounds"][2].update(error_if_true="1/1000000000"), "layer 2, head 3, direction"),
    (lambda made: made["bounds"][2].update(error_if_true="1/3"), "the output changes while"),
])
def test_a_wrong_coefficient_threshold_or_error_of_a_sum_is_rejected_for_its_reason(five: dict[str, Any], change: Any,
                                                                                    reason: str) -> None:
    made = json.loads(json.dumps(five))
    change(made)
    assert reason in refused(made)


# -- what heads err together -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def together() -> dict[str, Any]:
    """The certificate at a constant where the sum of the two heads' errors is too great."""
    outcome = certify(MAJORITY, alphabet="01", max_n=3, gamma="0.976013")
    assert isinstance(outcome, Certified)
    assert [line.direction for line in outcome.lines if line.on_every_word] == [SLACK]
    found: dict[str, Any] = json.loads(outcome.certificate)
    return found


def refused(made: dict[str, Any]) -> str:
    with pytest.raises(Refusal) as why:
        check_text((json.dumps(made, indent=1) + "\n").encode())
    return str(why.value)


def unit_of(made: dict[str, Any], slack: str = SLACK) -> dict[str, Any]:
    (unit,) = (unit for layer in made["transformer"]["layers"] for unit in layer["feedforward"]["units"]
               if slack in unit["writes"])
    found: dict[str, Any] = unit
    return found


def test_just_below_the_critical_constant_a_word_refutes() -> None:
    outcome = certify(MAJORITY, alphabet="01", max_n=3, gamma="0.97601")
    assert isinstance(outcome, Refuted) and outcome.counterexample.word == ("1", "1", "0")


def test_a_certificate_that_does_not_name_the_slack_is_rejected(together: dict[str, Any]) -> None:
    made = {key: value for key, value in together.items() if key != "words"}
    assert "the output changes while" in refused(made)


@pytest.mark.parametrize(("change", "reason"), [
    (lambda made: unit_of(made).update(bias="-3/8"), "slack is not on its side"),
    (lambda made: unit_of(made).update(bias="-5/8"), "slack is not on its side"),
    (lambda made: unit_of(made)["reads"].update({"is[Q_1]": "1"}), "slack is not on its side"),
    (lambda made: unit_of(made)["reads"].update({"others[#<[Q_0]] for 2": "-1"}), "slack is not on its side"),
    (lambda made: unit_of(made)["writes"].update({SLACK: "1/2"}), "slack is not on its side"),
    (lambda made: made["bounds"][0].update(error_if_false="1/10"), "the error exceeds its bound"),
    (lambda made: made["words"].append("one"), "words: expected slack, in the order of directions"),
    (lambda made: made["words"].append(SLACK), "words: expected slack, in the order of directions"),
    (lambda made: made["words"].clear(), "words: expected slack, in the order of directions"),
])
def test_what_is_wrong_on_some_word_is_rejected_for_its_reason(together: dict[str, Any], change: Any,
                                                               reason: str) -> None:
    made = json.loads(json.dumps(together))
    change(made)
    assert reason in refused(made)
