"""The networks of the zoo: the tables of zoo.toml, their files as networks, their claims."""

import tomllib
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from certify.claims.trained.question import read_claim
from constructions.importing.importer import import_network
from constructions.importing.questions import Options
from constructions.trained.claim import WordsClaim
from constructions.trained.network import TrainedNetwork
from examples.trained.tasks import TASKS, Task

ZOO = Path(__file__).parent


@dataclass(frozen=True)
class Plan:
    """A table ``network`` of zoo.toml; ``offset`` is None if offsets are drawn."""

    name: str
    kind: str
    rows: int
    max_n: int
    layers: int
    steps: int
    seed: int
    heads: int = 1
    offset: int | None = None
    task: str = ""

    @property
    def trains_on(self) -> Task:
        """Its task; by default the one with its name."""
        return TASKS[self.task or self.name](self.max_n)

    @property
    def folder(self) -> Path:
        """The folder of its files."""
        return ZOO / self.name

    @property
    def accuracy(self) -> tuple[int, int]:
        """The number of right answers and of drawn words, as written by training."""
        table = tomllib.loads((self.folder / "accuracy.toml").read_text(encoding="utf-8"))
        return table["right"], table["words"]

    def network(self) -> TrainedNetwork:
        """Import its file."""
        answers = dict(_zoo()["import"][self.kind])
        epsilon = answers.pop("epsilon", None)
        return import_network([self.folder], Options(epsilon=Fraction(epsilon) if epsilon else None, **answers)).network

    def claim(self, network: TrainedNetwork) -> WordsClaim:
        """Read the claim about its network."""
        return read_claim(str(self.folder / "claim.toml"), network)


@cache
def _zoo() -> dict[str, Any]:
    return tomllib.loads((ZOO / "zoo.toml").read_text(encoding="utf-8"))


def plans() -> dict[str, Plan]:
    """Return all networks of the zoo, by name."""
    return {name: Plan(name, **table) for name, table in _zoo()["network"].items()}


def chosen(parser: ArgumentParser) -> tuple[list[Plan], Namespace]:
    """Return the plans named on the command line, or all; and the other options."""
    zoo = plans()
    parser.add_argument("names", nargs="*", metavar="NAME", help="a table of zoo.toml; without names, all")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in zoo]:
        parser.error(f"no network is named {unknown[0]}; there are {', '.join(zoo)}")
    return [zoo[name] for name in options.names or zoo], options
