"""The coverage of a checked file: fields for a formula's certificate, numbers by name for the other kinds."""

from collections.abc import Mapping

from proofs.check.checker.chapters.formula.certificate import Coverage
from proofs.check.checker.checking import Accepted


def fields(accepted: Accepted) -> Coverage:
    assert isinstance(accepted.coverage, Coverage)
    return accepted.coverage


def numbers(accepted: Accepted) -> Mapping[str, int]:
    assert not isinstance(accepted.coverage, Coverage)
    return accepted.coverage
