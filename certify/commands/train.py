"""`certify train`: a network is trained until it is proved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer

from certify.commands import decide_options as given_as
from certify.common.terminal import Json, show_found, tell
from certify.requests import options as option
from certify.requests.options import flag, whole_number, written_folder
from constructions.errors import InputError

if TYPE_CHECKING:
    from certify.claims.trained.decide import Settings
    from certify.learning.training.rounds import TrainingBudget
    from certify.learning.training.task import Task


TaskName = Annotated[str | None, typer.Argument(
    metavar="TASK", help="what to train for: a claim file, or a task of the examples by its name (default: options "
    "say it, as for decide)")]
Folder = Annotated[str, typer.Option(
    "--output", "-o", metavar="DIR", parser=written_folder, help="write weights, claim, certificates and rounds here: "
    "a new folder")]
From = Annotated[str | None, typer.Option(
    "--from", metavar="MODEL", help="repair this network in place of training a new one; it is not changed itself")]
SIZES: Mapping[str, Any] = {
    "layers": flag("--layers", "of a new network: how many layers (1)", "K", int | None, parser=whole_number),
    "width": flag("--width", "the width of its residual stream (16)", "D", int | None, parser=whole_number),
    "heads": flag("--heads", "heads in each layer (1)", "H", int | None, parser=whole_number),
    "units": flag("--units", "units in each layer (four times the width)", "U", int | None, parser=whole_number),
    "attention": flag("--attention", "whether tokens see later tokens (as the claim says, or causal)",
                      kind=Literal["causal", "bidirectional"] | None),
    "positions": flag("--positions", "the position embedding (learned)",
                      kind=Literal["learned", "none", "rotary"] | None),
    "rows": flag("--rows", "position numbers (as many as the longest input needs)",
                 "N", int | None, parser=whole_number),
}
"""The sizes of a new network, by the names of the parameters."""
Window = Annotated[int, typer.Option(
    "--window", metavar="W", parser=whole_number, help="of inputs in tracks: layers but the last learn to write what "
    "follows from the machine's step and W columns alone (0: whatever they like)")]
AtLeast = Annotated[str | None, typer.Option(
    "--at-least", metavar="SHARE|NUMBER", help="stop when this share, or number, of inputs is proved right: 99.9% "
    "(default: all)")]
Rounds = Annotated[int, typer.Option(
    "--rounds", metavar="K", parser=whole_number, help="the most rounds of training")]
Steps = Annotated[int, typer.Option(
    "--steps", metavar="K", parser=whole_number, help="the steps of a round")]
Seed = Annotated[int, typer.Option(
    "--seed", metavar="K", parser=whole_number, help="what is random comes from this number: on one machine, the same "
    "files again")]


@option.with_options("seed jobs dask effort", given_as.OF_QUESTIONS)
@option.with_options(f"model max_n min_n offset {' '.join((*given_as.CLAIM, *SIZES))}", {
    **given_as.OF_QUESTIONS, **given_as.CLAIM, **SIZES})
def train(
    output: Folder,
    task: TaskName = None,
    model: From = None,
    window: Window = 0,
    at_least: AtLeast = None,
    rounds: Rounds = 20,
    steps: Steps = 500,
    seed: Seed = 1,
    **written: Any,
) -> None:
    """Train a network until it is proved.

    A round trains, looks at all short words and, if none is wrong, decides: wrong words go back into the training data,
    with words like them, until the network is certified. --from: it is repaired instead. --at-least: until so many
    inputs are proved right. docs/howto/training.md.
    """
    from certify.claims.trained.count_question import read_amount
    from certify.claims.trained.flags import flags_of
    from certify.learning.training import check_torch
    from certify.learning.training.rounds import Pace, TrainingBudget, checked
    from certify.learning.training.task import read_task

    check_torch()
    flags = flags_of({name: written[name] for name in given_as.CLAIM})
    scope, settings = given_as.scope_and_settings(written)
    asked = read_task(task, flags, scope)
    sizes = {name: written[name] for name in SIZES if written[name] is not None}
    amount = None if at_least is None else read_amount(at_least, "--at-least")
    budget = checked(TrainingBudget(rounds, Pace(steps), seed, amount))
    train_for(asked, model, sizes, budget, replace(settings, effort=max(settings.effort, window)), output, window)


def train_for(task: Task, model: str | None, sizes: dict[str, Any], budget: TrainingBudget, settings: Settings,
              output: str,
              window: int) -> NoReturn:
    """Train a new network or a given one, show what came out, write it, and end."""
    from certify.claims.trained.question import read_trained
    from certify.learning.training.folder import write_training
    from certify.learning.training.fresh import Sizes
    from certify.learning.training.show import print_training, training_to_json
    from certify.learning.training.task import lessons_of, new_network
    from certify.learning.training.train import repair_of
    from certify.learning.training.train import train as train_network

    if model is not None and sizes:
        raise InputError(f"--{next(iter(sizes))}: the network of --from has its sizes, expected no such option")
    made, network = (None, read_trained(model)[0]) if model else new_network(task, Sizes(**sizes), budget.seed)
    claim = task.claim(network)
    training = train_network(network, lessons_of(network, claim, window), made, budget, settings)
    repair = repair_of(network, training, settings) if model else None
    show_found(training, lambda found: training_to_json(found, repair),
               lambda out, found: print_training(out, found, repair))
    commands = write_training(output, training, task, claim, made, repair)
    if not Json.wanted:
        tell("\n  ".join([f"in {output}, where this reads it again:", *commands]))
    raise typer.Exit(training.exit_code)
