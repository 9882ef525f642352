"""`certify check --json`: what the independent checker says, as one JSON object."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from certify.verdicts import exit_status, worst
from constructions.errors import InputError
from proofs.check import Certificate, Expected, Malformed, Rejected, check_file, read_arguments
from proofs.check_softened import Softened


def check_files(arguments: Sequence[str]) -> tuple[dict[str, Any], int]:
    """The report on all files, and the exit status, for the arguments of ``proofs/check.py``.

    Raises:
        InputError: if the claim that is asked for does not make sense.
    """
    start = time.perf_counter()
    try:
        files, expected = read_arguments(arguments)
    except Malformed as error:
        raise InputError(str(error)) from None
    reports = [_check(path, expected) for path in files]
    verdict = worst([report["verdict"] for report in reports])
    report = {"verdict": verdict, "files": reports, "seconds": round(time.perf_counter() - start, 3)}
    return report, exit_status(verdict)


def _check(path: str, expected: Expected) -> dict[str, Any]:
    try:
        return {"file": path, "verdict": "accepted", **_claim(check_file(path, expected))}
    except (Rejected, Malformed) as error:
        return {"file": path, "verdict": type(error).__name__.lower(), "reason": str(error)}


def _claim(given: Certificate) -> dict[str, Any]:
    claim = given.claim
    if isinstance(given, Softened):
        stated = given.document["claim"]
        return {**stated, "gaps": given.document["gaps"], "errors": given.document["errors"], "covered": given.covered}
    return {
        "formula": given.document["claim"]["formula"],
        "predicates": given.document["transformer"]["predicates"],
        "alphabet": list(claim.alphabet),
        "min_n": claim.min_n,
        "max_n": claim.max_n,
        "regime": claim.regime,
        "causal": claim.causal,
        "covered": given.covered,
    }
