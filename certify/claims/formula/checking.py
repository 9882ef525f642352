"""`certify check`: run the independent checker on each file, in one process or several."""

import hashlib
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from certify.claims.trained.files import head_of
from certify.common.shards import ShardsProgress, run_tasks
from certify.common.verdicts import exit_status, worst
from constructions.deadline import TimeIsUp, has_deadline
from constructions.errors import InputError
from proofs import check
from proofs.check.checker.chapters.trained.words.vacuous import find_vacuous_lengths
from proofs.checking.parts import (
    EVERYTHING,
    Some,
    check_part,
    check_some,
    has_lengths,
    join_parts,
)

INCOMPLETE = "incomplete"


def print_checks(options: Sequence[str], files: Sequence[str], jobs: int, some: Some = EVERYTHING) -> int:
    """Print the checker's output for all files, in their order; return its exit status.

    The ``options`` are those of ``proofs/check``.
    """
    try:
        check.read_arguments([*options, "--", *files])
    except check.Malformed:
        return check.main([*options, "--", *files])  # it reports what is malformed
    answers = [json.loads(text) for text in _divide("print", options, files, jobs, some)]
    print(*(answer["text"] for answer in answers), sep="", end="", flush=True)
    verdicts = {status: verdict for verdict, status in check.STATUS.items()}
    return check.STATUS[check.gravest([verdicts[answer["status"]] for answer in answers])]


def check_files(options: Sequence[str], files: Sequence[str], jobs: int = 1, some: Some = EVERYTHING
                ) -> tuple[dict[str, Any], int]:
    """Return the report on all files, and the exit status; the ``options`` are those of ``proofs/check``.

    Raises:
        InputError: if the required claim is malformed.
    """
    start = time.perf_counter()
    try:
        check.read_arguments([*options, "--", *files])
    except check.Malformed as error:
        raise InputError(str(error)) from None
    reports = [json.loads(text) for text in _divide("report", options, files, jobs, some)]
    verdict = worst([report["verdict"] for report in reports])
    report = {"verdict": verdict, "files": reports, "seconds": round(time.perf_counter() - start, 3)}
    return report, exit_status(verdict)


# -- the files as tasks for other processes ----------------------------------------------------------------------------


def _divide(how: str, options: Sequence[str], files: Sequence[str], jobs: int, some: Some) -> list[str]:
    """Return the answer for every file; other processes cannot read standard input or a pipe of this one.

    A large decision about a trained network is checked in parts, unless a part or sample is requested.
    """
    jobs = jobs if all(map(_is_for_all, files)) else 1
    request = check.read_arguments([*options, "--", *files])
    parts = {file: jobs if not some and jobs > 1 and _has_parts(file) else 1 for file in files}
    tasks = [json.dumps({"how": how, "options": list(options), "file": file, "part": part, "parts": parts[file],
                         "some": some})
             for file in files for part in range(1, parts[file] + 1)]
    sizes = [max(1, _size(file) // parts[file]) for file in files for _ in range(parts[file])]
    with ShardsProgress("checking", "tasks", "tasks") as progress:
        answers = iter(_do_in_time(tasks, jobs, progress, sizes))
    answers_by_file = ([next(answers) for _ in range(parts[file])] for file in files)
    return [_join(how, file, request, own) if parts[file] > 1 else own[0]
            for file, own in zip(files, answers_by_file, strict=True)]


def _do_in_time(tasks: Sequence[str], jobs: int, progress: ShardsProgress, sizes: Sequence[int]) -> list[str]:
    """Return the answers to all tasks; those that are not finished in time are incomplete.

    The checker has no clock: under a deadline it runs in processes, which can be ended.
    """
    results: dict[str, str] = {}
    try:
        run_tasks(tasks, do_check, jobs=jobs, progress=progress, sizes=sizes, finished=results.__setitem__,
                  apart=has_deadline())
    except TimeIsUp as up:
        return [results.get(task) or _not_checked(task, str(up)) for task in tasks]
    return [results[task] for task in tasks]


def _not_checked(task: str, reason: str) -> str:
    """Return the answer for a file, or a part of one, whose check was ended."""
    keys = json.loads(task)
    if keys["how"] == "report" or keys["parts"] > 1:
        return json.dumps({"file": keys["file"], "verdict": INCOMPLETE, "reason": reason})
    text = check.printable(f"{INCOMPLETE}: {keys['file']}: {reason}")
    return json.dumps({"text": f"{text}\n", "status": check.STATUS[INCOMPLETE]})


def _is_for_all(file: str) -> bool:
    return file != "-" and (Path(file).is_file() or not Path(file).exists())


def _size(file: str) -> int:
    """Return the size of a file in bytes, by which work is ordered; 1 if there is none."""
    return (Path(file).is_file() and Path(file).stat().st_size) or 1


def _has_parts(file: str) -> bool:
    """Return whether the file begins as a decision by a cover does."""
    head = head_of(file)
    return head is not None and head.is_by_length() and head.by == "cover"


def do_check(task: str) -> str:
    """Check one file, or a part: return the report, or the checker's text and exit status."""
    keys = json.loads(task)
    request, some = check.read_arguments([*keys["options"], "--", keys["file"]]), Some(*keys["some"])
    if keys["parts"] > 1:
        return json.dumps(_check_part(keys["file"], request, keys["part"], keys["parts"]))
    report, lines = _check(keys["file"], request, some)
    return json.dumps(report) if keys["how"] == "report" else _printed(report, lines)


def _check_part(path: str, request: check.Request, part: int, parts: int) -> dict[str, Any]:
    """Return what was proved about a part, with the digest of the bytes; or why it was not."""
    try:
        data = check.read_bytes(path)
        proved = check_part(data, part, parts, request.required, request.work)
        return {"digest": _digest(data), "proved": dict(proved)}
    except check.Refusal as refusal:
        return {"verdict": check.verdict_of(refusal), "reason": str(refusal)}


def _join(how: str, path: str, request: check.Request, answers: Sequence[str]) -> str:
    """Join the answers of the parts of a file."""
    report, lines = _join_parts(path, request, [json.loads(answer) for answer in answers])
    return json.dumps(report) if how == "report" else _printed(report, lines)


def _printed(report: dict[str, Any], lines: Sequence[str]) -> str:
    """Return the text that the checker prints about a file, and its exit status."""
    verdict, path = str(report["verdict"]), report["file"]
    lines = [*lines, f"{verdict}: {path}"] if verdict == check.ACCEPTED else [f"{verdict}: {path}: {report['reason']}"]
    text = "".join(f"{check.printable(line)}\n" for line in lines)
    return json.dumps({"text": text, "status": check.STATUS[verdict]})


def _join_parts(path: str, request: check.Request,
                parts: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], Sequence[str]]:
    """Return the report on a file, and the claim in words if every part of the same bytes is proved."""
    if refused := [part for part in parts if "verdict" in part]:
        verdict = check.gravest([part["verdict"] for part in refused])
        return {"file": path, **next(part for part in refused if part["verdict"] == verdict)}, ()
    try:
        data = check.read_bytes(path)
        if {part["digest"] for part in parts} != {_digest(data)}:
            raise check.Incomplete("the file changed while it was checked")
        accepted = join_parts(data, [part["proved"] for part in parts], request.required, request.work)
    except check.Refusal as refusal:
        return {"file": path, "verdict": check.verdict_of(refusal), "reason": str(refusal)}, ()
    return {"file": path, "verdict": check.ACCEPTED, **_claim(accepted)}, accepted.lines


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _check(path: str, request: check.Request, some: Some) -> tuple[dict[str, Any], Sequence[str]]:
    """Return the report on a file, and the claim in words if it is accepted."""
    try:
        if some:
            raise check.Incomplete(check_some(path, request, some))
        accepted = check.check_file(path, request.required, request.work)
        return {"file": path, "verdict": check.ACCEPTED, **_claim(accepted)}, accepted.lines
    except check.Refusal as refusal:
        return {"file": path, "verdict": check.verdict_of(refusal), "reason": str(refusal)}, ()


def _decision(accepted: check.Accepted, given: check.Decision[Any, Any]) -> dict[str, Any]:
    """Describe a claim about a trained network, with the coverage."""
    claim = given.claim
    found: dict[str, Any] = {"claim_is_false": True} if accepted.is_refutation else {}
    if isinstance(claim, check.TracksClaim):
        found |= {"tracks": {track.name: list(track.letters) for track in claim.tracks}}
    else:
        found |= {"alphabet": list(claim.alphabet)}
    found |= {"min_n": claim.min_n, "max_n": None if claim.max_n == check.EVERY else claim.max_n}
    if has_lengths(given):
        found |= {"vacuous": find_vacuous_lengths(given)}
    return {**found, **({"floats": [_floats(one) for one in given.floats]} if given.floats else {}),
            "covered": accepted.coverage}


def _claim(accepted: check.Accepted) -> dict[str, Any]:
    given = accepted.given
    if isinstance(given, check.Decision):
        return _decision(accepted, given)
    language = given.language
    if isinstance(given, check.MarginFile):
        return {"formula": "; ".join(language.write(given.claim.formula)), "alphabet": list(given.claim.alphabet),
                "before": list(given.claim.before), "after": list(given.claim.after), "at": given.claim.at,
                "min_n": given.claim.min_n, "max_n": given.claim.max_n, "threshold": str(given.claim.threshold),
                "margin": "; ".join(language.write(given.claim.margin)), "covered": accepted.coverage}
    if not isinstance(given, check.Certificate):
        weighting = {} if given.claim.weighting == "softmax" else {"weighting": given.claim.weighting}
        return {"alphabet": list(given.claim.alphabet), "max_n": given.claim.max_n,
                "temperature": "; ".join(language.write(given.claim.temperature)), **weighting,
                "gaps": [None if gap is None else str(gap) for gap in given.gaps],
                "errors": [[{name: str(error) for name, error in stage.items()} for stage in stages]
                           for stages in given.errors],
                "covered": accepted.coverage}
    claim = given.claim
    return {
        "formula": "; ".join(language.write(claim.formula)),
        **({} if claim.given is None else {"given": "; ".join(language.write(claim.given))}),
        "predicates": [language.write_definition(name) for name in given.transformer.predicates],
        "alphabet": list(claim.alphabet),
        "min_n": claim.min_n,
        "max_n": claim.max_n,
        "regime": claim.regime,
        "causal": claim.causal,
        "covered": _covered(accepted.coverage),
        **({"floats": [_floats(one) for one in given.floats]} if given.floats else {}),
    }


def _floats(claim: check.FloatClaim) -> dict[str, Any]:
    """Return a float model under which the claim is proved, with the keys of the file."""
    written = {name: check.write_format(form) for name, form in claim.formats.items()}
    return {"name": claim.name, **written, "normalised": claim.normalised, "exp_ulp": str(claim.exp_ulp),
            "exp_base": claim.exp_base, "block": claim.block, "max_n": claim.max_n}


def _covered(coverage: object) -> dict[str, int]:
    assert isinstance(coverage, check.Coverage)
    return {"embedding cells": coverage.embedding_cells, "head rows": coverage.head_rows,
            "feed-forward rows": coverage.feed_forward_rows, "subformulas": coverage.subformulas}
