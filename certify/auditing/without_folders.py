"""A report for others: files are called by their names, and no folder of this machine is in it.

The terminal and the JSON object keep places as seen from the current folder, where their commands are to be run.
"""

from dataclasses import replace
from pathlib import PurePath

from certify.asking.run_command import name_file_alone
from certify.auditing.results import AuditReport, ClaimResult, Witness


def without_folders(report: AuditReport) -> AuditReport:
    """The same report, whose texts name files alone."""
    return replace(report, source=PurePath(report.source).name, claims=tuple(map(_claim, report.claims)))


def _claim(claim: ClaimResult) -> ClaimResult:
    rows = tuple(replace(row, witness=_witness(row.witness)) for row in claim.rows)
    criticals = tuple(replace(one, witness=_witness(one.witness)) for one in claim.criticals)
    return replace(claim, witness=_witness(claim.witness), rows=rows, criticals=criticals)


def _witness(witness: Witness | None) -> Witness | None:
    return replace(witness, command=name_file_alone(witness.command)) if witness else None
