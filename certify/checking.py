"""`certify check`: what the independent checker says of each file, by this process or by several."""

from __future__ import annotations

import contextlib
import io
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from certify.shards import ShardsProgress, run_tasks
from certify.verdicts import exit_status, worst
from constructions.errors import InputError
from proofs.check import (
    ACCEPTED,
    STATUS,
    Accepted,
    Certificate,
    Coverage,
    Decision,
    FloatClaim,
    Malformed,
    Refusal,
    Request,
    WrongWord,
    check_file,
    gravest,
    main,
    read_arguments,
    verdict_of,
    write_format,
)


def print_checks(options: Sequence[str], files: Sequence[str], jobs: int) -> int:
    """Print what the checker prints of all files, in their order; return its exit status.

    The ``options`` are those of ``proofs/check``.
    """
    try:
        read_arguments([*options, "--", *files])
    except Malformed:
        return main([*options, "--", *files])  # which says what is wrong with them
    answers = [json.loads(text) for text in _divide("print", options, files, jobs)]
    print(*(answer["text"] for answer in answers), sep="", end="", flush=True)
    verdicts = {status: verdict for verdict, status in STATUS.items()}
    return STATUS[gravest([verdicts[answer["status"]] for answer in answers])]


def check_files(options: Sequence[str], files: Sequence[str], jobs: int = 1) -> tuple[dict[str, Any], int]:
    """The report on all files, and the exit status; the ``options`` are those of ``proofs/check``.

    Raises:
        InputError: if the claim that is asked for does not make sense.
    """
    start = time.perf_counter()
    try:
        read_arguments([*options, "--", *files])
    except Malformed as error:
        raise InputError(str(error)) from None
    reports = [json.loads(text) for text in _divide("report", options, files, jobs)]
    verdict = worst([report["verdict"] for report in reports])
    report = {"verdict": verdict, "files": reports, "seconds": round(time.perf_counter() - start, 3)}
    return report, exit_status(verdict)


# -- the files as tasks for other processes ----------------------------------------------------------------------------


def _divide(how: str, options: Sequence[str], files: Sequence[str], jobs: int) -> list[str]:
    """What ``do_check`` returns of every file; other processes cannot read standard input or a pipe of this one."""
    jobs = jobs if all(map(_is_for_all, files)) else 1
    tasks = [json.dumps({"how": how, "options": list(options), "file": file}) for file in files]
    with ShardsProgress("checking", "files", "files") as progress:
        return run_tasks(tasks, do_check, jobs=jobs, progress=progress, sizes=list(map(_size, files)))


def _is_for_all(file: str) -> bool:
    return file != "-" and (Path(file).is_file() or not Path(file).exists())


def _size(file: str) -> int:
    """The bytes of a file, which say which one is begun first; 1 if there are none."""
    return (Path(file).is_file() and Path(file).stat().st_size) or 1


def do_check(task: str) -> str:
    """What is said of one file: its report, or the text that the checker prints and its exit status."""
    keys = json.loads(task)
    arguments = [*keys["options"], "--", keys["file"]]
    if keys["how"] == "report":
        return json.dumps(_check(keys["file"], read_arguments(arguments)))
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        status = main(arguments)
    return json.dumps({"text": printed.getvalue(), "status": status})


def _check(path: str, request: Request) -> dict[str, Any]:
    try:
        return {"file": path, "verdict": ACCEPTED, **_claim(check_file(path, request.asked, request.work))}
    except Refusal as refusal:
        return {"file": path, "verdict": verdict_of(refusal), "reason": str(refusal)}


def _claim(accepted: Accepted) -> dict[str, Any]:
    given = accepted.given
    language = given.language
    if isinstance(given, Decision | WrongWord):
        return {"alphabet": list(given.claim.alphabet), "min_n": given.claim.min_n, "max_n": given.claim.max_n,
                "covered": accepted.coverage}
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
        **({"floats": [_floats(one) for one in given.floats]} if given.floats else {}),
    }


def _floats(claim: FloatClaim) -> dict[str, Any]:
    """A class of runs of which the claim is proved, with the keys of the file."""
    written = {name: write_format(form) for name, form in claim.formats.items()}
    return {"name": claim.name, **written, "normalised": claim.normalised, "exp_ulp": str(claim.exp_ulp),
            "exp_base": claim.exp_base, "block": claim.block, "max_n": claim.max_n}


def _covered(coverage: object) -> dict[str, int]:
    assert isinstance(coverage, Coverage)
    return {"embedding cells": coverage.embedding_cells, "head rows": coverage.head_rows,
            "feed-forward rows": coverage.feed_forward_rows, "subformulas": coverage.subformulas}
