"""Claims as tasks for other processes: canonical JSON there and back."""

import contextlib
import functools
import gc
import json
from collections.abc import Iterator
from dataclasses import replace

from certify.auditing.claims import AboutANetwork, Claim, Expected, Wrong
from certify.auditing.claims_file import ClaimsFile, parse_claims
from certify.auditing.decide import Search
from certify.auditing.judge import judge, judge_of_file
from certify.auditing.results import ClaimResult
from certify.frame.json_form import read_result, to_json
from certify.frame.places import WouldReplace
from constructions.errors import InputError
from constructions.network.lengths import Lengths

OBJECTS_TO_COLLECT = 200_000


def claim_task(file: ClaimsFile, claim: Claim) -> str:
    """The task to decide one claim of a file."""
    return json.dumps({"claim": claim.name, "digest": claim.digest, "path": file.path, "text": file.text,
                       "lengths": [claim.lengths.first, claim.lengths.last]})


def size_of_claim(claim: Claim) -> int:
    """About how much work a claim is: its lengths, and those of each critical constant that is looked for.

    It says which claim is begun first and how long the rest may take, and is no part of a result.
    """
    critical = claim.about.demands.critical if isinstance(claim.about, AboutANetwork) else ()
    return claim.lengths.last + 8 * sum(critical)


def do_claim(task: str) -> str:
    """The result of a claim.

    Of several claims one that has no value at some length is malformed, and does not end the audit.

    Raises:
        InputError: if the only claim has no value at some length, or a file that it names is not what it was.
    """
    keys = json.loads(task)
    file = _parsed(keys["text"], keys["path"])
    claim = next(claim for claim in file.claims if claim.name == keys["claim"])
    if claim.digest != keys["digest"]:
        raise InputError(f"{file.path}, claim {claim.name!r}: a file that it names has changed during the audit")
    with _collecting_rarely():
        return _result_of(file, claim, Lengths(*keys["lengths"]))


def _result_of(file: ClaimsFile, claim: Claim, asked: Lengths) -> str:
    claim = claim if asked == claim.lengths else claim.about_some(asked)
    try:
        return json.dumps(to_json(judge_of_file(file.path, claim, _search())))
    except InputError as error:
        if len(file.claims) == 1 or isinstance(error, WouldReplace):
            raise
        why = str(error).removeprefix(f"{file.path}, claim {claim.name!r}: ")
        return json.dumps(to_json(judge(replace(claim, about=Wrong(why), expected=Expected()), _search())))


@contextlib.contextmanager
def _collecting_rarely() -> Iterator[None]:
    """Look for cycles after so many new objects: claims make few cycles, and what is remembered is looked at again."""
    thresholds = gc.get_threshold()
    gc.set_threshold(OBJECTS_TO_COLLECT, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


def read_claim_result(text: str) -> ClaimResult:
    """What ``do_claim`` returned."""
    return read_result(ClaimResult, text, "the result of a claim")


@functools.cache
def _parsed(text: str, path: str) -> ClaimsFile:
    return parse_claims(text, path)


@functools.cache
def _search() -> Search:
    """What this process proved before, so that equal obligations are discharged once."""
    return Search()


def forget() -> None:
    """Begin again with an empty memory."""
    _search.cache_clear()
