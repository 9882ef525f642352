"""`certify check --json`: what the independent checker says, as one JSON object."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from constructions.errors import InputError
from proofs.check import (
    ACCEPTED,
    STATUS,
    Accepted,
    Certificate,
    Coverage,
    Malformed,
    Refusal,
    Request,
    check_file,
    gravest,
    read_arguments,
    verdict_of,
)


def check_files(arguments: Sequence[str]) -> tuple[dict[str, Any], int]:
    """The report on all files, and the exit status, for the arguments of ``proofs/check``.

    Raises:
        InputError: if the claim that is asked for does not make sense.
    """
    start = time.perf_counter()
    try:
        request = read_arguments(arguments)
    except Malformed as error:
        raise InputError(str(error)) from None
    reports = [_check(path, request) for path in request.files]
    worst = gravest([report["verdict"] for report in reports])
    return {"verdict": worst, "files": reports, "seconds": round(time.perf_counter() - start, 3)}, STATUS[worst]


def _check(path: str, request: Request) -> dict[str, Any]:
    try:
        return {"file": path, "verdict": ACCEPTED, **_claim(check_file(path, request.asked, request.work))}
    except Refusal as refusal:
        return {"file": path, "verdict": verdict_of(refusal), "reason": str(refusal)}


def _claim(accepted: Accepted) -> dict[str, Any]:
    given = accepted.given
    language = given.language
    if not isinstance(given, Certificate):
        return {"alphabet": list(given.claim.alphabet), "max_n": given.claim.max_n,
                "temperature": "; ".join(language.write(given.claim.temperature)),
                "gaps": [None if gap is None else str(gap) for gap in given.gaps],
                "errors": [[{name: str(error) for name, error in stage.items()} for stage in stages]
                           for stages in given.errors],
                "covered": accepted.coverage}
    claim = given.claim
    return {
        "formula": "; ".join(language.write(claim.formula)),
        "predicates": [language.write_definition(name) for name in given.transformer.predicates],
        "alphabet": list(claim.alphabet),
        "min_n": claim.min_n,
        "max_n": claim.max_n,
        "regime": claim.regime,
        "causal": claim.causal,
        "covered": _covered(accepted.coverage),
    }


def _covered(coverage: object) -> dict[str, int]:
    assert isinstance(coverage, Coverage)
    return {"embedding cells": coverage.embedding_cells, "head rows": coverage.head_rows,
            "feed-forward rows": coverage.feed_forward_rows, "subformulas": coverage.subformulas}
