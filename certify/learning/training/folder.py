"""The folder of a trained network: its weights, the claim, the certificates, the rounds, and how to decide it again."""

import shlex

from certify.claims.trained.count_show import show_amount
from certify.common.files import write_folder
from certify.learning.show_equality import readme as readme_of_equality
from certify.learning.training.fresh import FILE, Recipe, weights_bytes
from certify.learning.training.rounds import Repair, Training
from certify.learning.training.show import HEAD, describe_repair, describe_training, round_rows
from certify.learning.training.task import Task
from constructions.text import printable
from constructions.trained.claim import WordsClaim
from constructions.trained.json_form import network_text
from constructions.trained.tracks import TracksClaim

WHAT = """It was trained in floating point, about which nothing is claimed: the decision is about the exact numbers in
`model.json`, which are those of `model.safetensors`. In the table, *words* is the number of inputs examined after a
round and *wrong* the number of them that were wrong, or were proved wrong by the decision."""
COMPARED = """`compared/given.cert` proves the given network's answers on all these words, `network.cert` those of the
repaired one."""


def write_training(place: str, training: Training, task: Task, claim: WordsClaim | TracksClaim, made: Recipe | None,
                   repair: Repair | None) -> list[str]:
    """Write the folder; return the commands that decide it again, as in its README.

    Raises:
        InputError: if the folder cannot be written, or is not empty.
    """
    text, named = task.text(claim)
    files: dict[str, str | bytes] = {
        FILE: weights_bytes(training.network), "model.json": network_text(training.network), "claim.toml": text,
        **named}
    if made is not None and made.settings:
        files["config.json"] = made.config
    decision = training.decision
    certificates = {} if decision is None else {"network.cert": decision.certificate,
                                                "wrong.cert": decision.wrong_certificate}
    files |= {name: content for name, content in certificates.items() if content}
    if repair is not None and repair.equality is not None and repair.equality.certificates:
        compared = {**repair.equality.certificates, "README.md": readme_of_equality(repair.equality)}
        if repair.learned is not None and repair.learned.certificate is not None:
            compared["given.cert"] = repair.learned.certificate
        files |= {f"compared/{name}": content for name, content in compared.items()}
    counted = "" if (stated := training.at_least) is None else (
        f" --count --at-least {show_amount(stated).replace(' ', '') if stated.is_share else stated.value}")
    commands = commands_for(made, [name for name in certificates if name in files], counted)
    files["README.md"] = readme(training, repair, commands)
    write_folder(place, files)
    return commands


def commands_for(made: Recipe | None, certificates: list[str], counted: str = "") -> list[str]:
    """Return the commands that read the files again, in their folder."""
    found = [f"certify decide model.json --claim claim.toml{counted}",
             *(f"certify check {name}" for name in certificates)]
    if made is None:
        return found
    files = [FILE, *(["config.json"] if made.settings else [])]
    return [f"certify import {shlex.join([*files, *made.flags])} -o model.json", *found]


def readme(training: Training, repair: Repair | None, commands: list[str]) -> str:
    """Describe the result, round by round, and the commands."""
    rows = [HEAD, ("---",) * len(HEAD), *round_rows(training.rounds)]
    lines = [printable(line.strip()) for line in [*describe_training(training), *describe_repair(repair)]]
    what = [WHAT, *([COMPARED] if repair is not None and repair.wrong is not None else [])]
    return "\n".join(["# A trained network", "", *(f"- {line}" for line in lines), "", *what, "",
                      *(f"| {' | '.join(map(printable, row))} |" for row in rows), "", "```sh", *commands, "```", ""])
