"""An audit from the first claim to the last, kept on disk claim by claim so that it can be interrupted and resumed."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from certify.auditing.claims import Claim
from certify.auditing.claims_file import ClaimsFile
from certify.auditing.decide import Search
from certify.auditing.judge import judge
from certify.auditing.results import AuditReport, ClaimResult
from certify.auditing.statements import judge_statements
from certify.auditing.to_json import read_result, to_json
from certify.files import write_text
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
    claims: tuple[KeptClaim, ...]


VERSION = 1


def kept_path(claims_path: str) -> Path:
    """Where finished claims are kept until the audit is complete: in the current folder."""
    return Path(f"{Path(claims_path).stem if claims_path != '-' else 'stdin'}.audit.json")


def read_kept(path: Path) -> dict[str, ClaimResult]:
    """The finished claims by digest.

    Raises:
        InputError: if the file is not what an audit writes.
    """
    try:
        kept = read_result(Kept, path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {error}") from None
    if kept.version != VERSION:
        raise InputError(f"{path}: version {kept.version}, expected {VERSION}")
    return {claim.digest: claim.result for claim in kept.claims}


class Session:
    """The results so far; every claim that is finished is on disk before the next begins."""

    def __init__(self, file: ClaimsFile, search: Search, kept: Mapping[str, ClaimResult] | None = None,
                 keeping: bool = True):
        """``kept`` are results of an earlier, interrupted session, by digest; ours are written if ``keeping``."""
        self.file = file
        self.search = search
        self.kept = dict(kept or {})
        self.keeping = keeping
        self.results: dict[str, ClaimResult] = {}
        self.path = kept_path(file.path)
        self.start = time.perf_counter()
        self.resumed = 0

    def run(self) -> None:
        """Decide every claim.

        Raises:
            InputError: naming the claim, if something in it has no value at some length.
            KeyboardInterrupt: leaving the finished claims in ``results`` and on disk.
        """
        claims = self.file.claims
        for number, claim in enumerate(claims, start=1):
            self.search.progress(f"claim {number} of {len(claims)}, {claim.name}")
            self.kept[claim.digest] = self.results[claim.name] = self._one(claim)
            if self.keeping:
                self._keep()
        if self.keeping:
            self.path.unlink(missing_ok=True)

    def _one(self, claim: Claim) -> ClaimResult:
        if claim.digest in self.kept:
            self.resumed += 1
            return self.kept[claim.digest]
        try:
            return judge(claim, self.search)
        except InputError as error:
            raise InputError(f"{self.file.path}, claim {claim.name!r}: {error}") from None

    def _keep(self) -> None:
        kept = Kept(VERSION, tuple(KeptClaim(digest, result) for digest, result in self.kept.items()))
        write_text(str(self.path), json.dumps(to_json(kept)) + "\n")

    @property
    def report(self) -> AuditReport:
        """Everything found so far."""
        results = tuple(self.results.values())
        return AuditReport(self.file.title, self.file.path, results, judge_statements(results),
                           round(time.perf_counter() - self.start, 1), len(results) == len(self.file.claims))


def exit_code(report: AuditReport) -> int:
    """0 if all is as expected; 1 for a mismatch, or a refutation nobody expected; 3 for a verdict not reached."""
    if any(claim.mismatch for claim in report.claims):
        return 1
    unexpected = {claim.verdict for claim in report.claims if not claim.expected}
    return 1 if "refuted" in unexpected else 3 if unexpected & {"unknown", "unsupported"} else 0
