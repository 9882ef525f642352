"""`certify formula` with several formulas, a row each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from certify.demo import Column, Shown, keep_certificate, overall_status, print_table, to_json
from certify.examples import Example
from certify.files import make_folder
from certify.formula_tasks import Built, do_formula, forget, formula_task, read_shown, size_of_task
from certify.shards import ShardsProgress, Workers, run_tasks
from certify.showing.terminal_tables import NARROW, console, plain
from certify.terminal import print_json

COLUMNS = (Column("example"), Column("alphabet", needs=NARROW), Column("layers", "right"), Column("heads", "right"),
           Column("obligations", "right", NARROW), Column("worst error"), Column("verdict"), Column("seconds", "right"),
           Column("about", needs=NARROW))
OUTSIDE = "unsupported"
"""A formula outside the fragment of the regime is no failure."""


def certify_rows(examples: Sequence[Example], built: Built, max_n: int, folder: str | None, as_json: bool,
                 workers: Workers) -> int:
    """Certify every example and print a row for each; return 0 if each is certified or does not fit the regime.

    Certificates are written into the folder as they come.
    """
    if folder is not None:
        make_folder(folder)
    forget()
    tasks = [formula_task(example, built, max_n) for example in examples]
    with ShardsProgress("certifying", "formulas", "formulas") as progress:
        results = run_tasks(tasks, do_formula, jobs=workers.jobs, dask=workers.dask, progress=progress,
                            sizes=[size_of_task(example.formula) for example in examples],
                            finished=lambda _, result: keep_certificate(read_shown(result), folder))
    found = list(map(read_shown, results))
    status = overall_status(found, harmless=(OUTSIDE,))
    if as_json:
        print_json(to_json(found, status, max_n=max_n, regime=built.regime.sharpening.value,
                           causal=built.regime.causal, **({"for": built.precision} if built.precision else {}),
                           **({"float": built.runs.to_json()} if built.runs else {})))
    else:
        _print(found, built, max_n, folder)
    return status


def _print(found: Sequence[Shown], built: Built, max_n: int, folder: str | None) -> None:
    out = console()
    out.print(plain(f"claim     for every n <= {max_n}, every word of length n and every position: the output is "
                    "exactly 1 if the formula holds there, else 0"))
    out.print(plain(f"regime    {built.regime}" + (f", for {built.precision}" if built.precision else "")))
    if built.runs:
        out.print(plain(f"runs      and so it is, exactly 1.0 or 0.0, in every float run of {built.runs.name}"))
    out.print()
    print_table(out, found, COLUMNS)
    out.print()
    out.print(plain(_summary(found, folder)))


def _summary(found: Sequence[Shown], folder: str | None) -> str:
    counts = Counter(shown.verdict for shown in found)
    parts = [f"{counts['certified']} of {len(found)} certified"]
    parts += [f"{counts[verdict]} {verdict}" for verdict in ("refuted", "unknown") if counts[verdict]]
    parts += [f"{counts[OUTSIDE]} outside the regime's fragment"] if counts[OUTSIDE] else []
    text = ", ".join(parts) + f", in {sum(shown.seconds for shown in found):.1f} s of work"
    if counts["certified"]:
        text += "; each certificate was accepted by the independent checker"
        text += f" and is in {folder}" if folder else ""
    return text
