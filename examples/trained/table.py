"""Decide the networks of the zoo and write README's table: ``python -m examples.trained.table [NAME ...]``.

Each folder gets decided.toml; in the table, the last columns of a network without one are empty. With --write-only
networks are not decided.
"""

from __future__ import annotations

import argparse
import os
import tomllib
from collections.abc import Sequence
from typing import Any

from certify.claims.trained.decide import Settings, decide
from certify.claims.trained.decision import Decision
from certify.claims.trained.lengths_decision import LengthsDecision, decide_lengths
from certify.claims.trained.lengths_show import show_runs
from certify.common.shards import Workers
from examples.trained.zoo import ZOO, Plan, chosen, plans
from proofs.trained.runs import runs

MARK = "<!-- table.py writes what follows -->\n"
HEAD = ("network", "kind", "layers", "trained to n =", "right on a sample", "certified up to n =", "wrong at n =",
        "a wrong word", "undecided")


def decided(plan: Plan, jobs: int) -> Decision | LengthsDecision:
    """Decide the claim of one network; without positions, at every length."""
    network = plan.network()
    claim = plan.claim(network)
    return decide_lengths(network, claim, None) if network.rows is None else decide(network, claim,
                                                                                    Settings(Workers(jobs)))


def text_of(decision: Decision | LengthsDecision) -> str:
    """Return the text of decided.toml."""
    if isinstance(decision, LengthsDecision):
        values = values_of_lengths(decision)
        return "".join(f"{key} = {_toml(value)}\n" for key, value in values.items())
    values = {"verdict": decision.verdict, "whole_domain": decision.whole_domain}
    if decision.certified_to is not None:
        values["certified_to"] = decision.certified_to
    if decision.wrong:
        values |= {"wrong_at": len(decision.wrong.word), "offset": decision.wrong.offset,
                   "word": "".join(decision.wrong.word)}
    values["undecided"] = ranges([row.n for row in decision.rows if row.verdict == "unknown"])
    return "".join(f"{key} = {_toml(value)}\n" for key, value in values.items())


def values_of_lengths(decision: LengthsDecision) -> dict[str, int | str | bool]:
    """Return the values of a decision about every length; the word is written as runs."""
    values: dict[str, int | str | bool] = {"verdict": decision.verdict, "whole_domain": decision.verdict == "certified"}
    if decision.certificate is not None:
        values["certified_to"] = "every length" if decision.certified_to is None else decision.certified_to
    if decision.wrong:
        values |= {"wrong_at": decision.wrong.word.length, "offset": 0, "runs": show_runs(decision, decision.wrong)}
    return {**values, "undecided": decision.reason}


def _toml(value: int | str | bool) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


def ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers as text, with runs as first..last."""
    return ", ".join(f"{first}..{last}" if last > first else str(first) for first, last in runs(numbers))


def row(plan: Plan, found: dict[str, Any]) -> tuple[str, ...]:
    """Return a row of the table, from the results of training and decision."""
    right, words = plan.accuracy
    certified = str(found.get("certified_to", "none" if found else ""))
    if found.get("verdict") == "certified" and found["whole_domain"]:
        certified += ", its whole domain"
    wrong = f"`{found['word']}` at offset {found['offset']}" if "word" in found else ""
    wrong = f"`{found['runs']}`" if "runs" in found else wrong
    return (f"`{plan.name}`", plan.kind, str(plan.layers), str(plan.max_n), f"{100 * right / words:.2f} %", certified,
            str(found.get("wrong_at", "")), wrong, found.get("undecided", ""))


def decision_of(plan: Plan) -> dict[str, Any]:
    """Return the decision of a network; empty if there is none."""
    path = plan.folder / "decided.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def table() -> str:
    """Return the table of all networks."""
    rows = [row(plan, decision_of(plan)) for plan in plans().values()]
    lines = [HEAD, ("---",) * len(HEAD), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def write_table() -> None:
    """Write the table at the end of README.md."""
    path = ZOO / "README.md"
    text = path.read_text(encoding="utf-8").partition(MARK)[0]
    path.write_text(f"{text}{MARK}\n{table()}", encoding="utf-8")


def main() -> None:
    """Decide the networks that are named, or all."""
    parser = argparse.ArgumentParser(description="Decide the networks of the zoo.")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many processes")
    parser.add_argument("--write-only", action="store_true", help="only the table, from what was decided before")
    todo, options = chosen(parser)
    for plan in [] if options.write_only else todo:
        text = text_of(decided(plan, options.jobs))
        (plan.folder / "decided.toml").write_text(text, encoding="utf-8")
        print(f"{plan.name}: {', '.join(text.splitlines())}")
        write_table()
    write_table()


if __name__ == "__main__":
    main()
