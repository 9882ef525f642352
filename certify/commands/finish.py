"""Printing of outcomes and of ambiguity notes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import typer

from certify.common.files import write_text
from certify.common.partial_answer import PartialAnswer, answer_in_time
from certify.common.progress import ProgressLine
from certify.common.terminal import note, show_found, write_certificate, write_found
from certify.common.verdicts import HasVerdict, exit_status

if TYPE_CHECKING:
    from rich.console import Console

    from certify.claims.formula.outcomes import Outcome
    from certify.requests.options import Style
    from certify.requests.request import Request
    from proofs.enclosures.float_models.model import FloatModel

AnAnswer = TypeVar("AnAnswer", bound=HasVerdict)


def later(module: str, name: str) -> Callable[..., Any]:
    """Return a function that is imported when called: its module is slow to load or optional."""
    def function(*arguments: Any, **named: Any) -> Any:
        return getattr(import_module(module), name)(*arguments, **named)

    return function


def say_reading(request: Request) -> None:
    """Note on standard error how the formula was read, where other tools would read it differently."""
    if reading := getattr(request.subject, "reading", ""):
        note(reading)


def prove_in_time(request: Request, effort: int, runs: FloatModel | None) -> Outcome | PartialAnswer[Outcome]:
    """Return the outcome for the lengths of the request, or a partial answer at the timeout."""
    from certify.claims.formula.pipeline import certify_request

    with ProgressLine() as progress:
        return answer_in_time(request.claimed_lengths, partial(certify_request, request, None, progress, effort, runs))


def finish(outcome: Outcome | PartialAnswer[Outcome], style: Style, parenthesize: bool,
           output: str | None) -> NoReturn:
    """Print the outcome, write its certificate if requested, and exit with its status.

    With ``-o -`` the certificate goes to standard output and the outcome to standard error.
    """
    from certify.claims.formula.show import outcome_to_json, print_outcome

    end(outcome, outcome_to_json, lambda out, found: print_outcome(out, found, style, parenthesize), output)


def end(found: AnAnswer | PartialAnswer[AnAnswer], to_json: Callable[[AnAnswer], dict[str, Any]],
        print_on: Callable[[Console, AnAnswer], None], output: str | None = None) -> NoReturn:
    """Print the answer, write its certificate if requested, and exit with its status."""
    show_found(found, to_json, print_on, output)
    write_found(found, output)
    raise typer.Exit(exit_status(found.verdict))


def end_with_plot(found: AnAnswer | PartialAnswer[AnAnswer], to_json: Callable[[AnAnswer], dict[str, Any]],
                  print_on: Callable[[Console, AnAnswer], None], plot: str | None,
                  draw: Callable[[AnAnswer], str]) -> NoReturn:
    """Draw the answer if requested and complete, print it, and exit with its status."""
    if isinstance(found, PartialAnswer):
        write_certificate(plot, None, found.verdict, "plot")
    elif plot is not None:
        write_text(plot, draw(found))
    end(found, to_json, print_on)
