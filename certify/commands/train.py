"""`certify train`: a network is trained until it is proved."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from certify.commands import decide_options as given_as
from certify.commands import train_options as trained_as
from certify.common.terminal import Json, show_found, tell
from certify.requests import options as option
from constructions.errors import InputError

if TYPE_CHECKING:
    from certify.claims.trained.decide import Settings
    from certify.learning.training.rounds import TrainingBudget
    from certify.learning.training.task import Task


@option.with_options("seed jobs dask effort", given_as.OF_QUESTIONS)
@option.with_options(f"model max_n min_n offset {' '.join((*given_as.CLAIM, *trained_as.SIZES))}", {
    **given_as.OF_QUESTIONS, **given_as.CLAIM, **trained_as.SIZES})
def train(
    output: trained_as.Folder,
    task: trained_as.Task = None,
    model: trained_as.From = None,
    window: trained_as.Window = 0,
    at_least: trained_as.AtLeast = None,
    rounds: trained_as.Rounds = 20,
    steps: trained_as.Steps = 500,
    seed: trained_as.Seed = 1,
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
    sizes = {name: written[name] for name in trained_as.SIZES if written[name] is not None}
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
