"""Decide all networks of the board and print README's table: ``python -m examples.adders.board [NAME ...]``."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np

from certify.claims.trained.tracks_decision import decide_tracks
from certify.claims.trained.tracks_file import tracks_claim_of_table
from constructions.tables import read_toml
from constructions.trained.json_form import read_network
from constructions.trained.numbers import all_numbers
from examples.adders.by_hand import FOLDER, BoardEntry, entries

HEAD = ("network", "numbers that are not 0", "inputs", "verdict", "by more than", "a wrong input")
TRAINED = ("sort_trained", "binary_trained", "copy_trained")
"""Networks made by `certify train`; README gives the options."""


def board() -> Iterator[BoardEntry]:
    """Return all networks of the board: those written by hand, and the trained ones."""
    yield from entries()
    for name in TRAINED:
        network = read_network(FOLDER / f"{name}.json")
        parameters = sum(int(np.count_nonzero(all_numbers(tensor))) for tensor in network.tensors.values())
        yield BoardEntry(name, (FOLDER / f"{name}.toml").read_text(encoding="utf-8"), network, parameters)


def row(entry: BoardEntry) -> tuple[str, ...]:
    """Return the cells of a network's row: its results."""
    claim = tracks_claim_of_table(read_toml(entry.claim, entry.name), entry.name, entry.network)
    decision = decide_tracks(entry.network, claim)
    shown = "" if decision.wrong is None else f"`{claim.show_input(decision.wrong.columns)}`"
    return (f"`{entry.name}`", str(entry.parameters), f"{sum(one.inputs for one in decision.rows):,}", decision.verdict,
            str(float(claim.margin)), shown)


def table(names: list[str]) -> Iterator[str]:
    """Yield the lines of the table."""
    for cells in (HEAD, ["---"] * len(HEAD), *(row(entry) for entry in board() if entry.name in names)):
        yield f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    for line in table(sys.argv[1:] or [entry.name for entry in board()]):
        print(line)
