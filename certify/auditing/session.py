"""An audit from the first claim to the last, kept on disk claim by claim so that it can be interrupted and resumed."""

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from certify.auditing.claims import Claim
from certify.auditing.claims_file import ClaimsFile
from certify.auditing.results import AuditReport, ClaimResult
from certify.auditing.statements import judge_statements
from certify.auditing.tasks import claim_task, do_claim, forget, read_claim_result, size_of_claim
from certify.frame.files import check_writable, read_own_text, remove_file, write_text
from certify.frame.json_form import read_result, to_json
from certify.frame.shards import Standing, Workers, run_tasks
from constructions.errors import InputError


@dataclass(frozen=True)
class KeptClaim:
    """A finished claim: the digest of what it was about, and its result."""

    digest: str
    result: ClaimResult


@dataclass(frozen=True)
class Kept:
    """What an interrupted audit leaves behind."""

    version: int
    source: str
    claims: tuple[KeptClaim, ...]


VERSION = 4


def kept_path(claims_path: str) -> Path:
    """Where finished claims are kept until the audit is complete: in the current folder."""
    return Path(f"{Path(claims_path).stem if claims_path != '-' else 'stdin'}.audit.json")


def read_kept(path: Path) -> dict[str, ClaimResult]:
    """The finished claims by digest.

    Raises:
        InputError: if the file is not what an audit writes.
    """
    kept = read_result(Kept, read_own_text(str(path)), str(path))
    if kept.version != VERSION:
        raise InputError(f"{path}: version {kept.version}, expected {VERSION}")
    return {claim.digest: claim.result for claim in kept.claims}


def source_of(claims_path: str) -> str:
    """The claims file, whatever it is called here."""
    return "-" if claims_path == "-" else os.path.realpath(claims_path)


def check_kept_place(path: Path, claims_path: str) -> None:
    """Raise InputError if finished claims cannot be kept there, or something else would be lost.

    That may be what an interrupted audit of another file of the same name has left.
    """
    check_writable(str(path))
    if not path.is_file():
        return
    try:
        data = json.loads(read_own_text(str(path)))
    except (InputError, ValueError, RecursionError):
        data = None
    if not (isinstance(data, dict) and {*data} == {field.name for field in fields(Kept)}):
        raise InputError(f"{path}: not a file of an audit, and finished claims are kept under this name; expected "
                         "another folder")
    if data["source"] != source_of(claims_path):
        raise InputError(f"{path}: has finished claims of {data['source']}, an audit that was interrupted; expected "
                         "--resume of that one first, another folder, or no such file")


class Session:
    """The results so far; every claim that is finished is on disk at once."""

    def __init__(self, file: ClaimsFile, kept: Mapping[str, ClaimResult] | None = None, keeping: bool = True,
                 workers: Workers = Workers(), progress: Callable[[Standing], None] = lambda _: None):
        """``kept`` are results of an earlier, interrupted session, by digest; ours are written if ``keeping``.

        Who the ``workers`` are changes nothing but how long it takes.
        """
        self.file = file
        self.kept = dict(kept or {})
        self.keeping = keeping
        self.workers = workers
        self.progress = progress
        self.results: dict[str, ClaimResult] = {}
        self.path = kept_path(file.path)
        self.start = time.perf_counter()
        self.resumed = 0

    def run(self) -> None:
        """Decide every claim.

        Raises:
            InputError: naming the claim, if something in it has no value at some length.
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
        run_tasks(list(tasks), do_claim, jobs=self.workers.jobs, dask=self.workers.dask, progress=self.progress,
                  sizes=list(map(size_of_claim, missing)),
                  finished=lambda task, result: self._take(tasks[task], read_claim_result(result)))
        if self.keeping:
            remove_file(str(self.path))

    def _take(self, claim: Claim, result: ClaimResult) -> None:
        self.kept[claim.digest] = self.results[claim.name] = result
        if self.keeping:
            self._keep()

    def _keep(self) -> None:
        claims = tuple(KeptClaim(digest, result) for digest, result in self.kept.items())
        kept = Kept(VERSION, source_of(self.file.path), claims)
        write_text(str(self.path), json.dumps(to_json(kept)) + "\n")

    def describe_interruption(self, how: str = "interrupted") -> str:
        """What of an interrupted audit is kept, and what ``--resume`` does about it."""
        if self.results:
            return (f"{how}; {len(self.results)} of {len(self.file.claims)} claims are finished and kept in "
                    f"{self.path}: --resume continues")
        if self.path.is_file():
            return (f"{how} before a claim was finished; {self.path} is what an earlier audit left: "
                    "--resume continues from there")
        return f"{how} before a claim was finished: nothing is kept, and --resume starts from the beginning"

    @property
    def report(self) -> AuditReport:
        """Everything found so far, in the order of the file."""
        results = tuple(self.results[claim.name] for claim in self.file.claims if claim.name in self.results)
        statements = judge_statements(results, self.file.paper is not None)
        return AuditReport(self.file.title, self.file.path, results, statements,
                           round(time.perf_counter() - self.start, 1), len(results) == len(self.file.claims),
                           self.file.paper)
