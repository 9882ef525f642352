"""Certified float executions of one certificate, and the claims that follow."""

import json
from fractions import Fraction
from math import isqrt

import pytest

from certify import Network
from certify.claims.floats.models import DEFAULT_MODELS, read_model, read_models
from certify.claims.floats.survey import Proved, find_row, survey
from certify.claims.formula.explanation import find_reach
from certify.claims.formula.outcomes import Certified
from certify.claims.formula.pipeline import certify
from constructions.errors import InputError
from constructions.network.lengths import Lengths, up_to
from proofs.check import check_text
from proofs.enclosures.float_models.model import presets


@pytest.fixture(scope="module")
def since() -> str:
    outcome = certify("Q_1 S Q_0", "01", 5)
    assert isinstance(outcome, Certified)
    return outcome.certificate


def test_rows_are_in_the_order_of_the_classes_and_all_are_claimed(since: str) -> None:
    proved = Proved.read(since)
    rows = survey(proved, read_models(["tf32", "binary32"]))
    assert [(row.float_model.name, row.verdict, row.certified) for row in rows] == [
        ("tf32", "certified", up_to(5)), ("binary32", "certified", up_to(5))]
    claiming = proved.with_floats(rows)
    assert [entry["name"] for entry in json.loads(claiming)["floats"]] == ["tf32", "binary32"]
    check_text(claiming.encode())


def test_without_certified_rows_the_certificate_is_the_one_that_was_read(since: str) -> None:
    assert Proved.read(since).with_floats([]) == since


def test_what_is_claimed_of_other_classes_stays_and_of_the_same_class_is_replaced(since: str) -> None:
    claiming = Proved.read(since).with_floats(survey(Proved.read(since), read_models(["tf32", "binary32"])))
    proved = Proved.read(claiming, Lengths(1, 3))
    more = proved.with_floats(survey(proved, read_models(["flash", "tf32"])))
    assert [(entry["name"], entry["max_n"]) for entry in json.loads(more)["floats"]] == [
        ("binary32", 5), ("flash", 3), ("tf32", 3)]
    check_text(more.encode())


def test_the_lengths_asked_about_may_be_fewer(since: str) -> None:
    row = find_row(Proved.read(since, Lengths(1, 3)), presets()["binary32"])
    assert (row.lengths, row.certified) == (up_to(3), up_to(3))


def test_classes_are_the_usual_ones_if_none_is_named_and_each_once() -> None:
    assert tuple(each.name for each in read_models([])) == DEFAULT_MODELS
    assert [each.name for each in read_models(["flash", "tf32", "flash"])] == ["flash", "tf32"]
    (coarser,) = read_models(["flash"], Fraction(2))
    assert (coarser.name, coarser.exp_ulp) == ("flash exp 2", 2)
    with pytest.raises(InputError, match="float model 'third': expected one of binary32"):
        read_model("third")


def test_the_reach_of_a_network_is_that_of_the_bounds(since: str) -> None:
    network = Proved.read(since).transformer
    assert find_reach(network, up_to(5)) == dict.fromkeys(DEFAULT_MODELS, 5)


def test_an_irrational_number_is_the_float_to_which_both_ends_of_its_enclosure_are_rounded() -> None:
    outcome = certify("Q_1 S Q_0", "01", 4, temperature="1/(2*n*ln(n+1))")
    assert isinstance(outcome, Certified) and outcome.transformer is not None
    assert find_row(Proved.read(outcome.certificate), read_model("binary32")).certified == up_to(4)
    assert (find_reach(outcome.transformer, up_to(4)) or {})["binary32"] == 4


SCORE = "-3/10*1/ln(i+1)"
"""A tie-break: the later of two writes has more."""


def latest_write(constant: str, tie_break: str = SCORE, max_n: int = 6) -> str:
    """Return the certificate of a head that finds the last write of 0 or 1."""
    net = Network("0,1,-", temperature=f"1/{constant}")
    bit = net.head("bit", key={"Q_0 | Q_1": 8, tie_break: 1}, value="Q_1", means="!Q_0 S Q_1")
    net.output(net.round(bit))
    outcome = net.certify(max_n=max_n)
    assert isinstance(outcome, Certified), outcome
    return outcome.certificate


@pytest.mark.parametrize("name", ["binary32", "bfloat16/binary32"])
def test_an_irrational_tie_break_has_runs_that_are_right_until_two_writes_have_one_key(name: str) -> None:
    """8 - 0.3/ln(i + 1) in 8 bits is one number for i = 2, 3, ...; in 24 bits they differ for long."""
    row = find_row(Proved.read(latest_write("200")), read_model(name))
    if name == "binary32":
        assert row.certified == up_to(6)
    else:
        assert row.refutation is not None and len(row.refutation.word) <= 6


def test_a_float_of_which_the_checker_does_not_know_which_it_is_is_not_claimed() -> None:
    """A number hardly above the middle of two of bfloat16, by less than the 10^-48 of an enclosure of sqrt(2)."""
    root = isqrt(2 * 10**96)
    sealed = latest_write("3", f"i+sqrt(2)-{root}/10^48+257/256-1", max_n=3)
    row = find_row(Proved.read(sealed), read_model("bfloat16/binary32"))
    assert row.certified is None and "is irrational, and its stored number is not determined" in row.reason
    assert find_row(Proved.read(sealed), read_model("binary32")).certified == up_to(3)
