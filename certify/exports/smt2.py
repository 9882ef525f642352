"""`certify export --to smt2`: the queries to Z3 as scripts for other solvers, each with its probe, and a manifest.

The certificate is proved again, and every query that Z3 answers becomes a script. Obligations that are decided by exact
evaluation (compositions, embeddings, uniform heads) have none; the manifest lists them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from certify.claims.formula.real_functions import functions_in
from certify.claims.formula.sealed import Sealed
from certify.common.progress import ProgressLine
from certify.exports.manifest import MANIFEST, ROUNDED, digest_of_script, write_manifest
from certify.exports.writing import folder, of_formula
from constructions.errors import Unsupported
from constructions.text import printable
from proofs.formula.common.kinds import ObligationKind
from proofs.formula.discharge import discharge
from proofs.formula.failures import Undecided
from proofs.formula.transcript import Transcript, TranscriptEntry

if TYPE_CHECKING:
    from proofs.formula.z3.solver import SolverQuery

UNSAT_MEANS = "unsat means: none of these inputs breaks the bound, so the bound is proved."
SAT_MEANS = "sat means: the hypotheses of {script} are consistent, so its unsat is not vacuous."
VACUOUS = ("No input satisfies the condition of {script}, so there is nothing to prove; these are the hypotheses "
           "without it.")


def scripts_of(sealed: Sealed) -> dict[str, str]:
    """Return all files of the folder.

    Raises:
        Unsupported: if the producer does not prove what the checker accepts, so that scripts would be missing.
    """
    transcript, files, rows = Transcript(), dict[str, str](), list[dict[str, Any]]()
    try:
        with ProgressLine() as progress:
            lines = discharge(sealed.transformer, sealed.lengths, progress=progress, transcript=transcript)
            for line in lines:
                if not line.proved:
                    raise Unsupported(
                        f"scripts for {line.kind}, {line.direction}, which is not proved here: {line.reason}")
            for number, entry in enumerate(transcript.entries, start=1):
                for row, text in _scripts_of_entry(sealed, number, entry):
                    files[row["file"]] = text
                    rows.append({**row, "sha256": digest_of_script(text)})
    except Undecided as undecided:
        raise Unsupported(f"a probe that is not decided: {undecided}") from None
    evaluated = [{"kind": line.kind, "layer": line.layer, "head": line.place, "direction": line.direction,
                  "rows": line.rows} for line in lines
                 if line.obligation is None and line.kind is not ObligationKind.FEED_FORWARD]
    return {MANIFEST: write_manifest(sealed, rows, evaluated), **files}


def _scripts_of_entry(sealed: Sealed, number: int, entry: TranscriptEntry) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the scripts and probes of one obligation with their rows of the manifest."""
    from proofs.formula.z3.scripts import logic_of, probe_of, script_of

    place = entry.places[0]
    stem = f"{number:03}_layer_{place.layer}_" + (f"head_{place.place}" if place.place else "feed_forward")
    for part, question in enumerate(entry.questions, start=1):
        name = stem + (f"_part_{part}" if len(entry.questions) > 1 else "")
        script, probe = f"{name}.smt2", f"{name}_probe.smt2"
        vacuous = question.is_vacuous()
        about = {"logic": logic_of(question), "kind": place.kind, "directions": [str(each) for each in entry.places],
                 "proves": question.about}
        header = _header(sealed, entry, question)
        explained = (VACUOUS if vacuous else SAT_MEANS).format(script=script)
        yield ({"file": script, "status": "unsat", **about},
               script_of(question, _comment([*header, UNSAT_MEANS])))
        yield ({"file": probe, "status": "sat", "probe_of": script, "vacuous": vacuous, **about},
               probe_of(question, vacuous, _comment([*header, explained])))


def _header(sealed: Sealed, entry: TranscriptEntry, question: SolverQuery) -> list[str]:
    source = entry.places[0].source
    return [
        f"certify: an obligation of {sealed.names}", *sealed.statement, "",
        *(f"written   {place}" for place in entry.places),
        *([f"source    {source}"] if source else []),
        f"proves    {question.about}", *([f"note      {ROUNDED}"] if functions_in(sealed.transformer) else []), "",
        *question.legend, "",
    ]


def _comment(lines: list[str]) -> list[str]:
    """Escape every line to printable ASCII, since names of directions are arbitrary."""
    return [re.sub(r"[^ -~]", lambda found: found[0].encode("unicode_escape").decode("ascii"), printable(line))
            for line in lines]


export_smt2 = folder(of_formula(scripts_of))
