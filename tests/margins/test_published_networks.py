"""FIRST and PARITY of Chiang and Cholak: their outputs as the closed forms say, and how far margins are certified."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from mpmath import mp, mpf

from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.network.json_form import read_transformer, transformer_to_json, write_canonical
from constructions.network.lengths import Lengths
from constructions.network.sharpening import change_model
from constructions.network.transformer import Transformer
from examples.published import chiang_cholak
from proofs.words.classes.norms import NO_NORMS, Norms, everywhere
from proofs.words.margins.claim import MarginClaim
from proofs.words.margins.deciding import decide_length
from tests.words.float_run import FloatRun

FOLDER = Path(__file__).resolve().parent.parent.parent / "examples" / "published"
LETTERS = ("0", "1")
mp.dps = 50


@cache
def model(name: str, c: int = 1) -> Transformer:
    found = read_transformer((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return change_model(found, Fraction(c), None)


def first_claim(margin: str = "0") -> MarginClaim:
    return MarginClaim(parse_formula("Q_1", LETTERS), LETTERS, Lengths(1, 1), "first", ("$",),
                       margin=parse_expression(margin))


def parity_claim(margin: str = "0") -> MarginClaim:
    return MarginClaim(parse_formula("ODD(#<[Q_1])", LETTERS), LETTERS, Lengths(1, 1), "last", after=("$",),
                       margin=parse_expression(margin))


def first_size(c: int, n: int) -> mpf:
    return mp.exp(c) / (mp.exp(c) + n) / 2


def parity_size(c: int, n: int, odd: bool) -> mpf:
    """Return the output's size for an odd or even number of 1s; positions 0 .. n."""
    same, other = ((n + 1) // 2, n // 2 + 1) if odd else (n // 2 + 1, (n + 1) // 2)
    up, down = mp.exp(c), mp.exp(-c)
    return (up / (same * up + other * down) - down / (other * up + same * down)) / (n + 1)


def test_the_files_are_what_the_script_writes() -> None:
    for name, built in chiang_cholak.build().items():
        written = write_canonical(transformer_to_json(built))
        assert (FOLDER / f"{name}.json").read_text(encoding="utf-8") == written


@pytest.mark.parametrize("c", [1, 4])
def test_the_margin_of_first_is_its_closed_form(c: int) -> None:
    for n in (1, 2, 7, 200):
        found = decide_length(model("first", c), first_claim(), n)
        assert found.least is not None
        assert (found.verdict, found.classes, found.by_words) == ("certified", 2, False)
        assert abs(mpf(found.least.margin.lower.numerator) / found.least.margin.lower.denominator
                   - first_size(c, n)) < mpf(10) ** -30


@pytest.mark.parametrize("c", [1, 3])
def test_the_margin_of_parity_is_its_closed_form(c: int) -> None:
    for n in (1, 2, 3, 8, 15):
        found = decide_length(model("parity", c), parity_claim(), n)
        assert found.least is not None
        assert (found.verdict, found.classes, found.by_words) == ("certified", n + 1, False)
        expected = min(parity_size(c, n, odd) for odd in (False, True))
        assert abs(mpf(found.least.margin.lower.numerator) / found.least.margin.lower.denominator
                   - expected) < mpf(10) ** -30


def last_certified(name: str, claim: MarginClaim, lengths: range, c: int = 1, norms: Norms = NO_NORMS) -> int | None:
    """Return the last of these lengths before the first that is refuted."""
    for n in lengths:
        verdict = decide_length(model(name, c), claim, n, norms).verdict
        assert verdict in ("certified", "refuted")
        if verdict == "refuted":
            return n - 1
    return None


def test_the_largest_n_of_a_margin() -> None:
    assert last_certified("first", first_claim("1/10"), range(9, 13)) == 10  # 4 e = 10.87
    assert last_certified("first", first_claim("1/100"), range(132, 136)) == 133  # 49 e = 133.2
    assert last_certified("first", first_claim("1/100"), range(2675, 2677), c=4) == 2675  # 49 e^4 = 2675.3
    assert last_certified("parity", parity_claim("1/100"), range(9, 13)) == 11
    assert last_certified("parity", parity_claim("1/1000"), range(37, 39)) == 37


def test_margins_that_shrink_with_the_length() -> None:
    """e/(e + n)/2 is above 1/n as soon as n (e - 2) > 2 e."""
    verdicts = [decide_length(model("first"), first_claim("1/n"), n).verdict for n in range(1, 12)]
    assert verdicts == ["refuted"] * 7 + ["certified"] * 4


def test_log_length_attention_keeps_a_quarter_at_every_length() -> None:
    for n in (1, 2, 10, 300):
        assert decide_length(model("first_log_length"), first_claim("1/4"), n).verdict == "certified"
        assert decide_length(model("first_log_length"), first_claim(f"{n + 1}/({4 * n + 2})"), n).verdict == "unknown"


@pytest.mark.parametrize("n", [1, 2, 10])
def test_log_length_attention_has_the_margin_of_the_real_logarithm(n: int) -> None:
    """(n + 1)/(2n + 1)/2 exactly, as e^ln(n + 1) is n + 1, whatever number stands for the logarithm."""
    margin, little = f"{n + 1}/({4 * n + 2})", "1/10^40"
    for text, verdict in ((f"{margin}-{little}", "certified"), (f"{margin}+{little}", "refuted")):
        found = decide_length(model("first_log_length"), first_claim(text), n)
        assert found.verdict == verdict and found.least is not None


@pytest.mark.parametrize(("name", "claim"), [("first", first_claim()), ("parity", parity_claim())])
def test_signs_in_floating_point_runs_of_all_words(name: str, claim: MarginClaim) -> None:
    for n in range(1, 7):
        for word in product(LETTERS, repeat=n):
            sequence = (*claim.before, *word, *claim.after)
            output = FloatRun(model(name), sequence).output(1 if claim.before else len(sequence))
            truth = word[0] == "1" if claim.before else word.count("1") % 2 == 1
            assert (output > 0) is truth


def test_norms_without_an_epsilon_make_the_output_as_large_as_can_be() -> None:
    """Two directions of d = 18 are left, ± x, so that the norm makes x the sign of x times sqrt(d/2) = 3.

    Which no enclosure decides: 3 is attained.
    """
    norms = everywhere(2, Fraction(0))
    for n in (1, 4):
        found = decide_length(model("parity_doubled"), parity_claim("3"), n, norms)
        assert found.verdict == "unknown" and found.reason.startswith("at 512 bits")
        assert found.least is not None and found.least.margin.lower < 3 < found.least.margin.upper
        assert decide_length(model("parity_doubled"), parity_claim("299/100"), n, norms).verdict == "certified"
        assert decide_length(model("parity_doubled"), parity_claim("301/100"), n, norms).verdict == "refuted"


def test_behind_a_norm_the_first_layer_of_first_mistakes_later_1s_for_the_first() -> None:
    """Its ReLU adds 1s to what is first and takes 1 away; behind a norm every 1 is more than 1."""
    norms = everywhere(2, Fraction(0))
    assert last_certified("first_doubled", first_claim(), range(5, 9), norms=norms) == 6
    found = decide_length(model("first_doubled"), first_claim(), 7, norms)
    assert found.least is not None and found.least.word == tuple("0111111")
    sequence = ("$", *found.least.word)
    assert FloatRun(model("first_doubled"), sequence, norms.epsilons).output(1) > 0
    assert decide_length(model("first_doubled", 4), first_claim(), 12, norms).verdict == "certified"


def test_doubling_changes_nothing_where_there_is_no_norm() -> None:
    claim = replace(first_claim(), lengths=Lengths(1, 3))
    for n in claim.lengths:
        doubled = decide_length(model("first_doubled"), claim, n).least
        plain = decide_length(model("first"), claim, n).least
        assert doubled is not None and plain is not None and doubled.margin == plain.margin
