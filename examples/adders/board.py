"""Count the right inputs of the networks of the board: ``python -m examples.adders.board [NAME ...]``.

The numbers go to examples/counts/adders.toml, claims of `certify audit`; README's table is made from them. With
--write-only nothing is counted.
"""

import argparse
import json
from fractions import Fraction

import numpy as np

from certify.claims.trained.counting import count_tracks
from certify.claims.trained.tracks_decision import decide_tracks
from certify.claims.trained.tracks_file import tracks_claim_of_table
from constructions.tables import read_toml
from constructions.trained.json_form import read_network
from constructions.trained.network import TrainedNetwork
from constructions.trained.numbers import all_numbers
from constructions.trained.tracks import TracksClaim, count_inputs
from examples.adders.by_hand import FOLDER
from examples.counts.entries import FOLDER as COUNTED
from examples.counts.entries import Entry, entry_of, read_entries, share_of, write_entries, write_table

COUNTS = COUNTED / "adders.toml"
EXECUTIONS = FOLDER.parents[1] / "benchmarks" / "float_executions.json"
TITLE = "How many inputs of the small networks are right"
FORMATS = ("binary32", "bfloat16/binary32", "bfloat16", "int8")
HEAD = ("network", "numbers that are not 0", "inputs", "right, certified", "by more than", "a wrong input",
        *(f"`{each}`" for each in FORMATS))
NAMES = ("decimal", "decimal_soft", "binary", "reverse", "parity", "sort", "carries", "brackets", "ternary",
         "binary_trained", "sort_trained", "copy_trained")
"""The networks; README says how those that are trained were made by `certify train`."""
WRONG = "wrong on "


def read(name: str) -> tuple[TrainedNetwork, TracksClaim]:
    """Return a network of the board and its claim."""
    network = read_network(FOLDER / f"{name}.json")
    table = read_toml((FOLDER / f"{name}.toml").read_text(encoding="utf-8"), name)
    return network, tracks_claim_of_table(table, name, network)


def counted(name: str) -> Entry:
    """Return what is proved of a network: the number of right inputs, and a wrong one."""
    network, claim = read(name)
    count = count_tracks(network, claim)
    entry = entry_of(name, {"model": f"../adders/{name}.json", "claim": f"../adders/{name}.toml"}, count)
    wrong = decide_tracks(network, claim).wrong if count.bounds[1] < count.total else None
    return entry if wrong is None else {**entry, "note": f"{WRONG}{claim.show_input(wrong.columns)}"}


def row(entry: Entry) -> tuple[str, ...]:
    """Return the cells of a network's row."""
    network, claim = read(entry["name"])
    inputs = sum(count_inputs(claim, form) for form in claim.forms)
    parameters = sum(int(np.count_nonzero(all_numbers(tensor))) for tensor in network.tensors.values())
    wrong = entry.get("note", "").removeprefix(WRONG)
    return (f"`{entry['name']}`", str(parameters), f"{inputs:,}", share_of(entry, Fraction(inputs)),
            str(float(claim.margin)), f"`{wrong}`" if wrong else "", *in_formats(entry["name"]))


def in_formats(name: str) -> list[str]:
    """Return whether the answers are right in all executions under each model, as benchmarks/float_executions.py found.

    An input is one on which an execution is wrong, replayed bit by bit.
    """
    cells = json.loads(EXECUTIONS.read_text(encoding="utf-8"))["examples/adders"].get(name, {})
    found = [cells.get(each) for each in FORMATS]
    return ["" if cell is None else f"wrong on `{cell['wrong']}`" if "wrong" in cell else
            "certified" if cell["verdict"] == "certified" else "open" for cell in found]


def rows() -> list[tuple[str, ...]]:
    """Return the table of the board, from what was counted before."""
    entries = read_entries(COUNTS)
    return [HEAD, *(row(entries[name]) for name in NAMES if name in entries)]


def main() -> None:
    """Count the networks that are named, or all."""
    parser = argparse.ArgumentParser(description="Count the right inputs of the networks of the board.")
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*NAMES, []], help="without names, all")
    parser.add_argument("--write-only", action="store_true", help="only the table, from what was counted before")
    options = parser.parse_args()
    for name in [] if options.write_only else options.names or NAMES:
        entries = {**read_entries(COUNTS), name: counted(name)}
        write_entries(COUNTS, TITLE, [entries[one] for one in NAMES if one in entries])
        print(entries[name])
    write_table(FOLDER / "README.md", rows())


if __name__ == "__main__":
    main()
