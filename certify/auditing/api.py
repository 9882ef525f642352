"""Audits from Python."""

from __future__ import annotations

import os
from dataclasses import replace
from os import PathLike
from typing import Unpack

from certify.asking.arguments import read_lengths
from certify.auditing.claim_keys import ClaimKeys, as_entry
from certify.auditing.claims_file import read_claim, read_claims
from certify.auditing.decide import Search
from certify.auditing.judge import judge
from certify.auditing.results import AuditReport, ClaimResult
from certify.auditing.session import Session
from constructions.arguments import typed

Path = str | PathLike[str]


@typed
def audit(formula: str | None = None, **keys: Unpack[ClaimKeys]) -> ClaimResult:
    """The verdict on one claim, length by length, and the critical constants that are asked for.

    The keys are those of a claims file (docs/claims.md), and ``max_n``, as elsewhere, is ``lengths``; numbers are
    texts, integers or Fractions. Without a formula, ``model`` or another says what it is about.

    >>> from fractions import Fraction
    >>> found = audit("(Q_a | Q_b) since Q_a", alphabet="abc", gamma=Fraction(138, 100), lengths=6, critical=[4])
    >>> found.verdict, [row.verdict for row in found.rows].index("refuted") + 1, found.witness.word
    ('refuted', 5, 'aaaac')
    >>> found.criticals[0].gamma.upper
    Fraction(2384, 1735)

    Raises:
        InputError: for an unknown key, or a value that is not what it should be.
    """
    entry = as_entry(keys) | ({} if formula is None else {"formula": formula})
    return judge(read_claim({**entry, "name": "claim"}), Search())


@typed
def audit_file(path: Path, max_n: int | None = None) -> AuditReport:
    """The results of a claims file, without keeping anything on disk; for words up to ``max_n``, if it is given.

    What is expected to be refuted keeps its lengths then.

    Raises:
        InputError: if the file is wrong, or something in it has no value at some length.
    """
    file = read_claims(os.fspath(path))
    if max_n is not None:
        last = read_lengths(1, max_n).last
        file = replace(file, title=f"{file.title} (here: most claims for words up to length {last})",
                       claims=tuple(claim.of_short_words(max_n) for claim in file.claims))
    session = Session(file, keeping=False)
    session.run()
    return session.report
