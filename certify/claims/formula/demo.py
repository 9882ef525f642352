"""`certify formula` with several formulas: one row each, or one line of JSON each for a file."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from certify.claims.formula.examples import Example
from certify.claims.formula.tasks import (
    FormulaRequests,
    FormulaRow,
    KeptFormulas,
    do_formula,
    forget,
    formula_task,
    read_shown,
    request_of,
    size_of_task,
)
from certify.common import terminal
from certify.common.demo import CERTIFICATE, Shown, examples_to_json, keep_certificate, overall_status, print_rows
from certify.common.files import check_unicode, make_folder, read_text
from certify.common.shards import ShardsProgress, Workers, run_tasks
from certify.common.terminal import Json, print_json
from certify.common.terminal_tables import NARROW, TableColumn, console, plain
from certify.common.verdicts import VERDICTS
from certify.requests.request import read_regime
from certify.requests.subjects import SubjectKind, kind_of_content
from constructions.errors import InputError, Unsupported
from constructions.text import printable

COLUMNS = (TableColumn("example"), TableColumn("alphabet", needs=NARROW), TableColumn("layers", "right"),
           TableColumn("heads", "right"),
           TableColumn("obligations", "right", NARROW), TableColumn("worst error"), TableColumn("verdict"),
           TableColumn("seconds", "right"),
           TableColumn("about", needs=NARROW, folds=True))
OUTSIDE = "unsupported"
"""A formula outside the fragment of the regime does not count as a failure of an example."""
COMMENT = "#"


@dataclass(frozen=True)
class Session:
    """The options of a session: a folder for certificates, a store of finished work, the workers."""

    folder: str | None
    store: str | None
    workers: Workers


def decide_rows(rows: Sequence[FormulaRow], requests: FormulaRequests, session: Session,
                tell: Callable[[int, Shown], None] = lambda _place, _shown: None) -> list[Shown]:
    """Decide each formula; call ``tell`` in their order, as soon as each is known.

    Certificates are written into the folder as they come.

    Raises:
        InputError: if a folder cannot be created or written to.
    """
    if session.folder is not None:
        make_folder(session.folder, [f"{row.name}{CERTIFICATE}" for row in rows])
    forget()
    kept = KeptFormulas(session.store)
    with_certificate = session.folder is not None or session.store is not None
    tasks = [kept.with_kept(formula_task(row, requests, with_certificate)) for row in rows]
    in_order = InOrder(tasks, tell)

    def take(task: str, result: str) -> None:
        shown = read_shown(result)
        keep_certificate(shown, session.folder)
        kept.keep(task, result)
        in_order.take(task, shown)

    with ShardsProgress("certifying", "formulas", "formulas") as progress:
        results = run_tasks(tasks, do_formula, jobs=session.workers.jobs, dask=session.workers.dask, progress=progress,
                            sizes=[_size(row, requests) for row in rows], finished=take)
    if kept.found:
        note = f"{kept.found} of {len(rows)} formulas found in {session.store}"
        terminal.tell(f"certify: {note}; certificates among them were checked again")
    return list(map(read_shown, results))


class InOrder:
    """Reorders results: reports each as soon as it and all before it are known."""

    def __init__(self, tasks: Sequence[str], tell: Callable[[int, Shown], None]) -> None:
        """Start with no results."""
        self._tasks, self._tell = tasks, tell
        self._results: dict[str, Shown] = {}
        self._reported = 0

    def take(self, task: str, shown: Shown) -> None:
        """Add one result."""
        self._results[task] = shown
        while self._reported < len(self._tasks) and self._tasks[self._reported] in self._results:
            self._tell(self._reported, self._results.pop(self._tasks[self._reported]))
            self._reported += 1


def _size(row: FormulaRow, requests: FormulaRequests) -> int:
    """Estimate the work of a formula; 1 if it is malformed."""
    try:
        formula = request_of(row, requests.options, requests.lengths).formula
    except (InputError, Unsupported):
        return 1
    return 1 if formula is None else size_of_task(formula)


# -- examples, and the values of a program's output --------------------------------------------------------------------


def certify_examples(examples: Sequence[Example], requests: FormulaRequests, session: Session) -> int:
    """Certify every example and print a row for each; return 0 if each is certified or does not fit the regime."""
    rows = [FormulaRow(example.name, example.text, example.about, example.alphabet) for example in examples]
    found = decide_rows(rows, requests, session)
    status = overall_status(found, harmless=(OUTSIDE,))
    if Json.wanted:
        regime, precision, runs = read_regime(requests.options), requests.options.precision, requests.runs
        print_json(examples_to_json(
            found, status, max_n=requests.lengths.last, regime=regime.sharpening.value, causal=regime.causal,
            **({"for": precision} if precision else {}), **({"float": runs.to_json()} if runs else {})))
    else:
        _print(found, requests, session.folder)
    return status


def _print(found: Sequence[Shown], requests: FormulaRequests, folder: str | None) -> None:
    out, precision, given = console(), requests.options.precision, requests.options.given
    where = " where what is given holds" if given else ""
    if given:
        out.print(plain(f"given     {printable(' '.join(given.split()))}"))
    out.print(plain(f"claim     for {requests.lengths.claim}, every word of length n and every position{where}: the "
                    "output is exactly 1 if the formula holds there, else 0"))
    out.print(plain(f"regime    {read_regime(requests.options)}" + (f", for {precision}" if precision else "")))
    if requests.runs:
        out.print(plain(f"floats    the output is exactly 1.0 or 0.0 in every execution under {requests.runs.name}"))
    out.print()
    print_rows(out, found, COLUMNS)
    out.print()
    out.print(plain(_summary(found, folder)))


def _summary(found: Sequence[Shown], folder: str | None) -> str:
    counts = Counter(shown.verdict for shown in found)
    parts = [f"{counts['certified']} of {len(found)} certified"]
    parts += [f"{counts[verdict]} {verdict}" for verdict in VERDICTS if verdict not in ("certified", OUTSIDE)
              and counts[verdict]]
    parts += [f"{counts[OUTSIDE]} outside the regime's fragment"] if counts[OUTSIDE] else []
    text = ", ".join(parts) + f", in {sum(shown.seconds for shown in found):.1f} s of work"
    if counts["certified"]:
        text += "; each certificate was accepted by the independent checker"
        text += f" and is in {folder}" if folder else ""
    return text


# -- a file of formulas ------------------------------------------------------------------------------------------------


def certify_file(path: str, requests: FormulaRequests, session: Session) -> int:
    """Certify every formula of a file; return the status of the worst verdict.

    With ``--json`` each is one line of JSON, in their order and as soon as it is known.

    Raises:
        InputError: if the file cannot be read or has no formula.
    """
    rows = read_rows(path)

    def tell(place: int, shown: Shown) -> None:
        found: dict[str, Any] = {"line": int(rows[place].name.removeprefix(LINE)), **shown.facts}
        if session.folder and shown.certificate:
            found["certificate"] = str(Path(session.folder) / f"{shown.name}{CERTIFICATE}")
        print(json.dumps(found), flush=True)

    if Json.wanted:
        return overall_status(decide_rows(rows, requests, session, tell))
    found = decide_rows(rows, requests, session)
    _print(found, requests, session.folder)
    return overall_status(found)


LINE = "line_"
"""Prefix of the line number in the name of a formula and of its certificate."""


def read_rows(path: str) -> list[FormulaRow]:
    """Return the formulas of a file, one a line; lines that begin with # are comments.

    Raises:
        InputError: if the file cannot be read, has none, or is of another kind.
    """
    check_unicode(path)
    text = read_text(path)
    if (kind := kind_of_content(text)) is not SubjectKind.FORMULA:
        raise InputError(f"{path}: found {kind.value}, expected formulas, one a line")
    lines = enumerate(map(str.strip, text.splitlines()), start=1)
    rows = [FormulaRow(f"{LINE}{number}", line, line) for number, line in lines if line
            and not line.startswith(COMMENT)]
    if not rows:
        raise InputError(f"{path}: found no formula, expected one a line")
    return rows
