"""Mutants of certificates, by the checker that is proved in Coq: what it accepts the Python checker accepts.

If only the proved checker accepts, it is for one of these reasons, and its output is compared with a run of all short
words. Coq ignores impossible cases of ReLUs, such as two symbols at one position; a head whose values are all equal
needs no scores there; an embedding need only be equal to what it means, number by number, and one that is 0 may be
written; heads that look a count up together may weigh otherwise where what is counted holds; some errors are proved
there that the gaps of scores do not prove. And where a file states smaller errors than it proves, it says so and prints
its own, which no direction may exceed; Python rejects the file for the stated ones.

Both builds of it give the same answers. The number of each verdict is printed with ``-s``.
"""

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.sabotage.certificates.bases import BASES, base
from tests.sabotage.certificates.judging import Judgement, judge
from tests.sabotage.certificates.mutants import mutants
from tests.sabotage.certificates.paths import dump
from tests.sabotage.certificates.truth import find_untruth
from tests.with_ocaml import NOT_PROVED, Checked, check_verified

COVERED = ("anything", "one symbol", "sealed prev", "sealed since, causal position", "sealed parity",
           "comparisons_by_saturation", "majority", "parity", "low_precision_temporal", "by_hand_prev",
           "weighting_softmax_plus_one_prev", "sealed since, sparsemax", "weighting_entmax_odd",
           "a_difference_that_is_square", "sealed lookup of a sum, sparsemax", "by_hand_counting_last",
           "weighting_relu_odd_to_the_right", "sealed count to the right, relu over n")
"""Certificates that the proved checker accepts, or may come to accept."""
TOO_SMALL_AN_ERROR = re.compile(
    r"error_if_\w+ .+ is below the worst case|: the error exceeds its bound|do not prove the errors")
MORE_THAN_PYTHON = re.compile(
    "feed-forward|: queries read the means of 0 counts|: token embeddings do not make it what it means|"
    "do not prove the errors|position_embedding: .+: a zero entry is left out|: the heads look for different positions")
"""What Python says of files of which the proved checker accepts some."""
FEW, MANY = 2000, 10
"""Every so many mutants: a hundred or two in all, and over 20,000."""


def agree(answer: Checked, python: Judgement, data: bytes) -> bool:
    """Return whether the proved checker accepts no more than Python, and rejects no more."""
    if answer.verdict == "incomplete" or (answer.verdict == "accepted") == (python.verdict == "accepted"):
        return True
    if answer.verdict == "accepted" and answer.leaves_errors_unproved and TOO_SMALL_AN_ERROR.search(python.lines[0]):
        return find_untruth(data, answer.errors) is None
    known = MORE_THAN_PYTHON.search(python.lines[0])
    errors = answer.errors if answer.leaves_errors_unproved else None
    return answer.verdict == "accepted" and known is not None and find_untruth(data, errors) is None


def judge_every(step: int, name: str, folder: Path, with_zarith: bool) -> Counter[tuple[str, str]]:
    """Return the verdicts of both checkers on every ``step``-th mutant."""
    first = COVERED.index(name) % step
    chosen = [mutant for number, mutant in enumerate(mutants(base(name))) if number % step == first]
    paths = [folder / f"{number}.cert" for number in range(len(chosen))]
    for path, mutant in zip(paths, chosen, strict=True):
        path.write_bytes(mutant.make())
    found = check_verified(paths, with_zarith=with_zarith)
    counted, faults = Counter[tuple[str, str]](), []
    for mutant, path, answer in zip(chosen, paths, found, strict=True):
        data = path.read_bytes()
        python = judge(data)
        counted[answer.verdict, python.verdict] += 1
        if not agree(answer, python, data):
            faults.append((mutant.kind, mutant.where, answer, python))
    assert not faults
    return counted


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", COVERED)
def test_a_few_mutants_are_accepted_or_refused_as_by_python(name: str, tmp_path: Path) -> None:
    print(dict(judge_every(FEW, name, tmp_path, with_zarith=True)))


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", COVERED)
def test_many_mutants_are_accepted_or_refused_as_by_python(name: str, tmp_path: Path) -> None:
    print(dict(judge_every(MANY, name, tmp_path, with_zarith=False)))


@pytest.mark.exhaustive
def test_many_are_at_least_20000() -> None:
    assert sum(sum(1 for _ in mutants(base(name))) // MANY for name in COVERED) >= 20_000


def test_every_certificate_that_is_mutated_is_one_of_those_of_python() -> None:
    assert {*COVERED} <= {*BASES}


def test_an_error_that_python_rejects_is_one_that_is_said_not_to_be_proved_and_at_most_the_printed_one() -> None:
    certificate = base("low_precision_temporal")
    del certificate["transformer"]["layers"][0]["heads"][1]["queries"][0]["one"]
    data = dump(certificate)
    python, worst = judge(data), "error bound  {} of a truth, before the feed-forward part (rounded up)"
    printed = {error: Checked("accepted", (worst.format(error), NOT_PROVED)) for error in ("0.250000", "0.020000")}
    assert python.verdict == "rejected" and "is below the worst case" in python.lines[0]
    assert [agree(answer, python, data) for answer in printed.values()] == [True, False]
    assert not agree(Checked("accepted", (worst.format("0.250000"),)), python, data)
