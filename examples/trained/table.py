"""Decide the networks of the zoo and write README's table: ``python -m examples.trained.table [NAME ...]``.

Each folder gets decided.toml; in the table, the last columns of a network without one are empty. With --count right
words of up to LONGEST letters are counted, into examples/counts/zoo.toml; with --write-only nothing is decided.
"""

import argparse
import os
import tomllib
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from certify.claims.trained.answering import count_right
from certify.claims.trained.count_question import CountQuestion
from certify.claims.trained.decide import Settings, decide
from certify.claims.trained.decision import Decision
from certify.claims.trained.lengths_decision import LengthsDecision, decide_lengths
from certify.claims.trained.lengths_show import show_runs
from certify.common.shards import Workers
from constructions.errors import InputError, Unsupported
from constructions.trained.claim import claim_of_lengths
from examples.counts.entries import FOLDER as COUNTED
from examples.counts.entries import Entry, entry_of, read_entries, share_of, write_entries
from examples.trained.zoo import ZOO, Plan, chosen, plans
from proofs.trained.runs import runs

MARK = "<!-- table.py writes what follows -->\n"
COUNTS, TITLE = COUNTED / "zoo.toml", (
    "How many words the networks of the zoo are right on, each length drawn alike (certify import writes the models "
    "here first)")
LONGEST, ALIKE = 12, "alike.toml"
HEAD = ("network", "kind", "layers", "trained to n =", "right on a sample", f"right up to n = {LONGEST}, certified",
        "certified up to n =", "wrong at n =",
        "a wrong word", "undecided")


def decided(plan: Plan, jobs: int) -> Decision | LengthsDecision:
    """Decide the claim of one network; without positions, at every length."""
    network = plan.network()
    claim = plan.claim(network)
    return decide_lengths(network, claim, None) if network.rows is None else decide(network, claim,
                                                                                    Settings(Workers(jobs)))


def counted(plan: Plan) -> Entry:
    """Count the right words of one network; lengths are drawn alike.

    Raises:
        InputError, Unsupported: if they are not counted.
    """
    network = plan.network()
    claim, to = plan.claim(network), {}
    if claim.lengths[1] > LONGEST:
        claim, to = claim_of_lengths(network, claim, claim.lengths[0], LONGEST), {"max_n": LONGEST}
    count = count_right(network, claim, CountQuestion(), Settings(), None, str(COUNTED / ALIKE))
    files = {"model": f"{plan.name}.json", "claim": f"../trained/{plan.name}/claim.toml", "weights": ALIKE, **to}
    return entry_of(plan.name, files, count)


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


def row(plan: Plan, found: dict[str, Any], entry: Entry | None) -> tuple[str, ...]:
    """Return a row of the table, from the results of training, decision and count."""
    right, words = plan.accuracy
    certified = str(found.get("certified_to", "none" if found else ""))
    if found.get("verdict") == "certified" and found["whole_domain"]:
        certified += ", its whole domain"
    wrong = f"`{found['word']}` at offset {found['offset']}" if "word" in found else ""
    wrong = f"`{found['runs']}`" if "runs" in found else wrong
    return (f"`{plan.name}`", plan.kind, str(plan.layers), str(plan.max_n), f"{100 * right / words:.2f} %",
            "" if entry is None else share_of(entry, Fraction(1)), certified,
            str(found.get("wrong_at", "")), wrong, found.get("undecided", ""))


def decision_of(plan: Plan) -> dict[str, Any]:
    """Return the decision of a network; empty if there is none."""
    path = plan.folder / "decided.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def table() -> str:
    """Return the table of all networks."""
    entries = read_entries(COUNTS)
    rows = [row(plan, decision_of(plan), entries.get(plan.name)) for plan in plans().values()]
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
    parser.add_argument("--count", action="store_true", help="count right words in place of a decision")
    parser.add_argument("--write-only", action="store_true", help="only the table, from what was decided before")
    todo, options = chosen(parser)
    for plan in todo if options.count else []:
        try:
            entries = {**read_entries(COUNTS), plan.name: counted(plan)}
        except (InputError, Unsupported) as error:
            print(f"{plan.name}: not counted: {error}")
            continue
        write_entries(COUNTS, TITLE, [entries[name] for name in plans() if name in entries])
        print(entries[plan.name])
    for plan in [] if options.write_only or options.count else todo:
        text = text_of(decided(plan, options.jobs))
        (plan.folder / "decided.toml").write_text(text, encoding="utf-8")
        print(f"{plan.name}: {', '.join(text.splitlines())}")
        write_table()
    write_table()


if __name__ == "__main__":
    main()
