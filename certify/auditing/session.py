"""An audit from the first claim to the last, stored on disk claim by claim, to be interrupted and resumed."""

import functools
import gc
import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path

from certify.auditing.claims import AboutNetwork, AuditClaim, Expected, MalformedClaim
from certify.auditing.claims_file import ClaimsFile, parse_claims
from certify.auditing.decide import AuditSearch
from certify.auditing.judge import judge, judge_of_file
from certify.auditing.results import AuditReport, ClaimResult
from certify.auditing.statements import judge_statements
from certify.common.files import check_writable, read_own_text, remove_file, write_text
from certify.common.json_form import read_result, to_json
from certify.common.output_guard import WouldReplace
from certify.common.shards import ShardsState, Workers, run_tasks
from constructions.errors import InputError
from constructions.network.lengths import Lengths


@dataclass(frozen=True)
class KeptClaim:
    """A finished claim: the digest of its content, and its result."""

    digest: str
    result: ClaimResult


@dataclass(frozen=True)
class FinishedClaims:
    """The file of an interrupted audit."""

    version: int
    source: str
    claims: tuple[KeptClaim, ...]


VERSION = 4


def kept_path(claims_path: str) -> Path:
    """Return the path of finished claims until the audit is complete, in the current folder."""
    return Path(f"{Path(claims_path).stem if claims_path != '-' else 'stdin'}.audit.json")


def read_kept(path: Path) -> dict[str, ClaimResult]:
    """Parse the finished claims, by digest.

    Raises:
        InputError: if the file was not written by an audit.
    """
    kept = read_result(FinishedClaims, read_own_text(str(path)), str(path))
    if kept.version != VERSION:
        raise InputError(f"{path}: version {kept.version}, expected {VERSION}")
    return {claim.digest: claim.result for claim in kept.claims}


def source_of(claims_path: str) -> str:
    """Return the absolute path of the claims file."""
    return "-" if claims_path == "-" else os.path.realpath(claims_path)


def check_kept_place(path: Path, claims_path: str) -> None:
    """Raise InputError if finished claims cannot be stored there, or another file would be overwritten.

    That may be the file of an interrupted audit of another claims file with the same name.
    """
    check_writable(str(path))
    if not path.is_file():
        return
    try:
        data = json.loads(read_own_text(str(path)))
    except (InputError, ValueError, RecursionError):
        data = None
    if not (isinstance(data, dict) and {*data} == {field.name for field in fields(FinishedClaims)}):
        raise InputError(f"{path}: not a file of an audit, and finished claims are kept under this name; expected "
                         "another folder")
    if data["source"] != source_of(claims_path):
        raise InputError(f"{path}: has finished claims of {data['source']}, an audit that was interrupted; expected "
                         "--resume of that one first, another folder, or no such file")


class Session:
    """The results so far; every finished claim is written to disk at once."""

    def __init__(self, file: ClaimsFile, kept: Mapping[str, ClaimResult] | None = None, keeping: bool = True,
                 workers: Workers = Workers(), progress: Callable[[ShardsState], None] = lambda _: None):
        """Take results ``kept`` from an interrupted session, by digest; new ones are written if ``keeping``.

        The ``workers`` change only the running time.
        """
        self.file = file
        self.kept = dict(kept or {})
        self.keeping = keeping
        self.workers = workers
        self.progress = progress
        self.results: dict[str, ClaimResult] = {}
        self._texts = {digest: _kept_text(digest, json.dumps(to_json(result))) for digest, result in self.kept.items()}
        self.path = kept_path(file.path)
        self.start = time.perf_counter()
        self.resumed = 0

    def run(self) -> None:
        """Decide every claim.

        Raises:
            InputError: naming the claim, if an expression in it is undefined at some length.
            WorkLost: if processes died again and again.
            KeyboardInterrupt, TimeIsUp: leaving the finished claims in ``results`` and on disk.
        """
        for claim in self.file.claims:
            if claim.digest in self.kept:
                self.resumed += 1
                self.results[claim.name] = self.kept[claim.digest]
        missing = [claim for claim in self.file.claims if claim.name not in self.results]
        tasks = {claim_task(self.file, claim): claim for claim in missing}
        forget()
        thresholds = gc.get_threshold()
        try:
            run_tasks(list(tasks), do_claim, jobs=self.workers.jobs, dask=self.workers.dask, progress=self.progress,
                      sizes=list(map(size_of_claim, missing)), related=True,
                      finished=lambda task, result: self._take(tasks[task], result))
        finally:
            gc.set_threshold(*thresholds)
        if self.keeping:
            remove_file(str(self.path))

    def _take(self, claim: AuditClaim, result: str) -> None:
        self.kept[claim.digest] = self.results[claim.name] = read_claim_result(result)
        if self.keeping:
            self._texts[claim.digest] = _kept_text(claim.digest, result)
            nothing = json.dumps(to_json(FinishedClaims(VERSION, source_of(self.file.path), ())))
            write_text(str(self.path), f"{nothing.removesuffix(']}')}{', '.join(self._texts.values())}]}}\n")

    def describe_interruption(self, how: str = "interrupted") -> str:
        """Describe the finished claims of an interrupted audit, and the effect of ``--resume``."""
        if self.results:
            return (f"{how}; {len(self.results)} of {len(self.file.claims)} claims are finished and kept in "
                    f"{self.path}: --resume continues")
        if self.path.is_file():
            return (f"{how} before a claim was finished; {self.path} is from an earlier audit: "
                    "--resume continues it")
        return f"{how} before a claim was finished: nothing is kept, and --resume starts from the beginning"

    @property
    def report(self) -> AuditReport:
        """All results so far, in the order of the file."""
        results = tuple(self.results[claim.name] for claim in self.file.claims if claim.name in self.results)
        statements = judge_statements(results, self.file.paper is not None)
        return AuditReport(self.file.title, self.file.path, results, statements,
                           round(time.perf_counter() - self.start, 1), len(results) == len(self.file.claims),
                           self.file.paper)


def _kept_text(digest: str, result: str) -> str:
    """Return a finished claim, a ``KeptClaim``, as JSON."""
    return f'{{"digest": "{digest}", "result": {result}}}'


# -- claims as tasks for other processes -------------------------------------------------------------------------------


OBJECTS_TO_COLLECT = 4_000_000


def claim_task(file: ClaimsFile, claim: AuditClaim) -> str:
    """Return the task to decide one claim of a file."""
    return json.dumps({"claim": claim.name, "digest": claim.digest, "path": file.path, "text": file.text,
                       "lengths": [claim.lengths.first, claim.lengths.last]})


def size_of_claim(claim: AuditClaim) -> int:
    """Estimate the work of a claim: its lengths, and those of each requested critical constant.

    The estimate predicts the remaining time; results do not depend on it.
    """
    critical = claim.about.demands.critical if isinstance(claim.about, AboutNetwork) else ()
    return claim.lengths.last + 8 * sum(critical)


def do_claim(task: str) -> str:
    """Decide a claim.

    If a file has several claims, one that is undefined at some length is malformed, and the audit continues.

    Raises:
        InputError: if the only claim is undefined at some length, or a file that it names has changed.
    """
    keys = json.loads(task)
    file = _parsed(keys["text"], keys["path"])
    claim = next(claim for claim in file.claims if claim.name == keys["claim"])
    if claim.digest != keys["digest"]:
        raise InputError(f"{file.path}, claim {claim.name!r}: a file that it names has changed during the audit")
    gc.set_threshold(OBJECTS_TO_COLLECT)  # claims make few cycles, and each collection scans the memoised results
    return _result_of(file, claim, Lengths(*keys["lengths"]))


def _result_of(file: ClaimsFile, claim: AuditClaim, lengths: Lengths) -> str:
    claim = claim if lengths == claim.lengths else claim.about_some(lengths)
    try:
        return json.dumps(to_json(judge_of_file(file.path, claim, _search())))
    except InputError as error:
        if len(file.claims) == 1 or isinstance(error, WouldReplace):
            raise
        why = str(error).removeprefix(f"{file.path}, claim {claim.name!r}: ")
        return json.dumps(to_json(judge(replace(claim, about=MalformedClaim(why), expected=Expected()), _search())))


def read_claim_result(text: str) -> ClaimResult:
    """Parse a result of ``do_claim``."""
    return read_result(ClaimResult, text, "the result of a claim")


@functools.cache
def _parsed(text: str, path: str) -> ClaimsFile:
    return parse_claims(text, path)


@functools.cache
def _search() -> AuditSearch:
    """Return the obligations proved in this process, so that equal ones are discharged once."""
    return AuditSearch()


def forget() -> None:
    """Clear this process's proved obligations."""
    _search.cache_clear()
