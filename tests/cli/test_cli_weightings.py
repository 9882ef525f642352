"""`--weighting`: what it goes with, what it is written back as, and what knows softmax alone."""

from __future__ import annotations

import random

import pytest

from certify.formula.pipeline import certify as certify_in_python
from constructions.compiler import compile_formula
from constructions.errors import Unsupported
from constructions.network.lengths import up_to
from constructions.network.weightings import Weighting
from constructions.regimes import Regime, Sharpening
from proofs.formula.discharge import discharge
from proofs.words.replay import find_miss
from tests.cli.conftest import Certify
from tests.network.random_formulas import FUTURE, PAST, random_formula, random_word

LIKE_SOFTMAX = ["sparsemax", "entmax-1.5", "softmax-plus-one"]
SINCE = ("formula", "(Q_a | Q_b) since Q_a", "--alphabet", "abc", "--max-n", "6")


@pytest.mark.one_in(6)
@pytest.mark.parametrize("weighting", LIKE_SOFTMAX)
@pytest.mark.parametrize("causal", [False, True])
def test_random_formulas_are_certified_and_run_right(weighting: str, causal: bool) -> None:
    rng = random.Random(f"{weighting}{causal}")
    regime = Regime(Sharpening.TEMPERATURE, causal)
    for _ in range(3):
        formula = random_formula(rng, 3, temporal=PAST if causal else PAST + FUTURE)
        try:
            network = compile_formula(formula, "ab", regime, weighting=Weighting(weighting))
        except Unsupported:
            assert weighting == "softmax-plus-one"
            continue
        assert all(line.proved for line in discharge(network, up_to(6)))
        assert all(find_miss(network, random_word(rng, n)) is None for n in (1, 2, 3, 5, 6))


@pytest.mark.parametrize("weighting", LIKE_SOFTMAX)
def test_certificates_are_accepted_and_their_networks_run_right(certify: Certify, weighting: str) -> None:
    assert certify(*SINCE, "--weighting", weighting, "-o", "c.cert").code == 0
    assert certify("check", "c.cert").code == 0
    run = certify("run", "c.cert", "acb")
    assert run.code == 0 and "satisfies (Q_a | Q_b) since Q_a at its last position" not in run.out
    assert certify("run", "c.cert", "abb").out.endswith("satisfies (Q_a | Q_b) since Q_a at its last position\n")


def test_sparsemax_has_no_error_at_the_printed_constant(certify: Certify) -> None:
    result = certify(*SINCE, "--weighting", "sparsemax", "--delta", "1/1000000000")
    assert result.code == 0 and "accepted by the independent checker" in result.out
    refuted = certify(*SINCE, "--weighting", "sparsemax", "--gamma", "49/100")
    assert "REFUTED  on the word ac (n = 2) at position 2, near[(Q_a | Q_b) since Q_a] is 0.255," in refuted.out


def test_a_claim_writes_the_command_that_runs_its_network(certify: Certify) -> None:
    result = certify("audit", "--formula", "(Q_a | Q_b) since Q_a", "--alphabet", "abc", "--max-n", "2", "--gamma",
                     "2/5", "--weighting", "sparsemax", "--critical", "none")
    command = "certify run '(Q_a | Q_b) since Q_a' ac --alphabet abc --gamma 2/5 --weighting sparsemax"
    assert command in result.out
    run = certify("run", "(Q_a | Q_b) since Q_a", "ac", *command.split()[-6:])
    assert run.code == 0 and "0.3000" in run.out


@pytest.mark.parametrize("given, complaint", [
    (("--as-printed",), "--as-printed: --weighting says how attention is built, too, expected one of the two"),
    (("--precision", "bfloat16"), "--precision: --weighting says how attention is built, too, expected one of the two"),
])
def test_what_is_about_softmax_does_not_go_with_it(certify: Certify, given: tuple[str, ...], complaint: str) -> None:
    result = certify(*SINCE, "--weighting", "sparsemax", *given)
    assert result.code == 2 and result.err == f"certify: {complaint}\n"


def test_an_unknown_weighting_is_named(certify: Certify) -> None:
    result = certify(*SINCE, "--weighting", "hardmax")
    assert result.code == 2
    soft = ", ".join(weighting for weighting in Weighting if not weighting.is_hard)
    assert soft.startswith("softmax, sparsemax, entmax-1.5, softmax-plus-one, relu, ")
    assert result.err == f"certify: --weighting: found 'hardmax', expected one of {soft}\n"


def test_counts_are_refused_under_softmax_plus_one(certify: Certify) -> None:
    result = certify("formula", "ODD(#<[Q_1])", "--weighting", "softmax-plus-one", "--max-n", "4")
    assert "UNSUPPORTED  ODD(#<[Q_1]): uniform attention over k positions gives each of them 1/(k+1)" in result.out


@pytest.mark.parametrize("form", ["proof", "onnx"])
def test_what_knows_softmax_alone_says_so(certify: Certify, form: str) -> None:
    certify(*SINCE, "--weighting", "sparsemax", "-o", "c.cert")
    result = certify("export", "c.cert", "--to", form, "-o", "out")
    assert result.code != 0 and "rightmost deciding position" in result.err and "sparsemax" in result.err


def test_float_runs_are_those_of_softmax(certify: Certify) -> None:
    result = certify(*SINCE, "--weighting", "entmax-1.5", "--float", "binary32")
    assert "layer 1, head 1: weighting entmax-1.5: float runs have rules for softmax alone" in result.out


def test_python_takes_it_too() -> None:
    assert certify_in_python("prev Q_a", alphabet="ab", max_n=4, weighting="sparsemax").verdict == "certified"


def test_what_is_proved_and_what_is_explained_name_the_weighting(certify: Certify) -> None:
    line = "weighting sparsemax, in place of softmax"
    assert line in certify(*SINCE, "--weighting", "sparsemax").out
    assert line in certify("explain", "prev Q_a", "--weighting", "sparsemax").out
    assert "weighting" not in certify(*SINCE).out


def test_float_runs_are_not_explained_for_another_weighting(certify: Certify) -> None:
    refused = certify("explain", "prev Q_a", "--weighting", "relu", "--floats")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
