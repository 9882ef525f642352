"""The same subject and options get the same verdict and worst error from `certify formula` and from `certify audit`."""

import random
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from certify.auditing.api import audit
from certify.requests.inputs import as_key
from tests.tiers import few_and_all

SEED = 12
ALPHABETS = ("ab", "abc", "a,b,long")
UNARY = ("!", "prev ", "next ", "O ", "H ", "F ", "G ")
BINARY = (" & ", " | ", " -> ", " since ", " until ", " S ", " U ")
LEAVES = ("Q_a", "Q_b", "Q_a | Q_b", "true", "FIRST", "EVEN", "NEW", "#<[Q_a] > #>[Q_b]", "#<[Q_a] >= 2",
          "ODD(#<[Q_b])")
GAMMAS = ("3", "6", "2", "13/10", "1", "1/2")
TEMPERATURES = ("1/n", "1/n^2", "1/(3*n)", "1/i", "1/8", "1", "1/(n-1)", "3-n")
ALLOWED_ERRORS = ("1/4", "1/10", "1/20", "1/100", "1/3")


@dataclass(frozen=True)
class Question:
    """A formula, and the options beside it."""

    formula: str
    options: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join([self.formula, *self.options])


def random_formula(draw: random.Random, depth: int) -> str:
    if depth == 0 or draw.random() < 0.2:
        return f"({draw.choice(LEAVES)})"
    if draw.random() < 0.4:
        return f"({draw.choice(UNARY)}{random_formula(draw, depth - 1)})"
    return f"({random_formula(draw, depth - 1)}{draw.choice(BINARY)}{random_formula(draw, depth - 1)})"


def random_question(draw: random.Random) -> Question:
    first = draw.choice((1, 1, 1, 2, 3))
    options = ["--alphabet", draw.choice(ALPHABETS), "--min-n", str(first), "--max-n", str(first + draw.randrange(4)),
               "--predicate", "NEW(k,n) := k % 2 == n % 2"]
    for option, values, share in (("--gamma", GAMMAS, 0.6), ("--temperature", TEMPERATURES, 0.5),
                                  ("--delta", ALLOWED_ERRORS, 0.4), ("--regime", ("position",), 0.3)):
        if draw.random() < share:
            options += [option, draw.choice(values)]
    options += [flag for flag, share in (("--causal", 0.3), ("--as-printed", 0.2)) if draw.random() < share]
    return Question(random_formula(draw, draw.choice((1, 2, 2, 3))), tuple(options))


def random_questions(count: int) -> list[Question]:
    draw = random.Random(SEED)
    return [random_question(draw) for _ in range(count)]


def worst_of_formula(found: Any) -> tuple[Decimal, Decimal] | None:
    """Return the attained error and its bound, rounded outward to 12 digits."""
    worst = found.get("greatest_error")
    return (Decimal(worst["lower"]), Decimal(worst["upper"])) if worst else None


def worst_of_audit(found: Any) -> tuple[Fraction, Fraction] | None:
    """Return the same over all lengths, exact or rounded outward to 30 digits."""
    errors = [(Fraction(row["error"]["lower"]), Fraction(row["error"]["upper"])) for row in found["rows"]
              if row["error"]]
    return max(errors, key=lambda pair: pair[1], default=None)


def check_agreement(certify: Any, question: Question) -> str:
    """Return the verdict that both give."""
    by_formula = certify("formula", question.formula, *question.options, "--json")
    by_audit = certify("audit", "--formula", question.formula, *question.options, "--critical", "none", "--json")
    assert by_formula.code == by_audit.code, question
    if by_formula.code == 2:
        assert by_formula.err == by_audit.err, question
        return "bad input"
    one, other = by_formula.json, by_audit.json
    same = ("verdict", "min_n", "max_n", "alphabet")
    assert [one[key] for key in same] == [other[key] for key in same], question
    if one["verdict"] == "refuted":
        assert "".join(one["counterexample"]["word"]) == other["counterexample"]["word"].replace(",", ""), question
        assert one["counterexample"]["position"] == other["counterexample"]["position"], question
    worst, of_audit = worst_of_formula(one), worst_of_audit(other)
    assert (worst is None) == (of_audit is None), question
    if worst and of_audit:
        assert worst[0] <= of_audit[1] and of_audit[0] <= worst[1], question
    return str(one["verdict"])


@pytest.mark.parametrize("number", few_and_all(15, 30))
def test_random_questions_get_one_answer_each(certify: Any, number: int) -> None:
    verdicts = {check_agreement(certify, question) for question in random_questions(number)}
    assert verdicts >= {"certified", "refuted", "unsupported", "bad input"}


@pytest.mark.exhaustive
@pytest.mark.parametrize("question", random_questions(200), ids=str)
def test_two_hundred_random_questions_get_one_answer_each(certify: Any, question: Question) -> None:
    check_agreement(certify, question)


@pytest.mark.parametrize(("formula", "options", "verdict"), [
    ("Q_a since Q_b", ("--alphabet", "ab", "--causal", "--temperature", "1/n^2", "--max-n", "4"), "certified"),
    ("Q_a since Q_b", ("--alphabet", "abc", "--regime", "position", "--temperature", "1/9", "--max-n", "4"),
     "certified"),
    ("(Q_a | Q_b) since Q_a", ("--alphabet", "abc", "--temperature", "1", "--max-n", "4"), "refuted"),
    ("next Q_a", ("--causal", "--temperature", "1/n", "--max-n", "3"), "unsupported"),
    ("next Q_a", ("--causal", "--temperature", "1/(n-2)^2", "--max-n", "3"), "bad input"),
    ("ODD(#<[Q_a])", ("--alphabet", "ab", "--as-printed", "--max-n", "3"), "refuted"),
])
def test_where_they_once_differed_they_agree(certify: Any, formula: str, options: tuple[str, ...],
                                             verdict: str) -> None:
    assert check_agreement(certify, Question(formula, options)) == verdict


def test_python_and_claims_files_give_the_same_answer(certify: Any) -> None:
    assert audit("Q_a since Q_b", alphabet="ab", causal=True, temperature="1/n^2", lengths=4).verdict == "certified"
    claims = ('[[claim]]\nname = "x"\nformula = "Q_a since Q_b"\nalphabet = "ab"\ncausal = true\n'
              f'temperature = "1/n^2"\n{as_key("allowed_error")} = "1/5"\nlengths = 4\n')
    Path("c.toml").write_text(claims, encoding="utf-8")
    (claim,) = certify("audit", "c.toml", "--json").json["claims"]
    assert claim["verdict"] == "certified"


def test_a_model_and_the_formula_that_it_was_built_for_get_the_same_answer(certify: Any) -> None:
    for gamma in ("3", "1"):
        subject = ("(Q_a | Q_b) since Q_a", "--alphabet", "abc", "--gamma", gamma)
        certify("build", *subject, "-o", "m.json")
        verdicts = [certify("formula", *subject, "--max-n", "5", "--json"),
                    certify("model", "m.json", "--max-n", "5", "--json"),
                    certify("audit", "--model", "m.json", "--max-n", "5", "--critical", "none", "--json")]
        assert len({result.json["verdict"] for result in verdicts}) == 1
