"""`certify sensitivity` and `certify cross-entropy`: what one symbol changes, and how well a network predicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from certify.commands.command import refuse_options
from certify.commands.finish import end_with_plot, later, say_reading
from certify.common.partial_answer import answer_in_time
from certify.common.progress import ProgressLine
from certify.requests import options as option
from certify.requests.inputs import as_option
from constructions.network.lengths import Lengths

if TYPE_CHECKING:
    from certify.claims.numbers.sensitivity.results import Sensitivity


@option.with_options("direction regex dfa alphabet dialect as_formula symbol regime causal gamma predicate as_printed "
                     "temperature attention precision", gamma=option.Factor)
def sensitivity(
    subject: Annotated[str | None, typer.Argument(
        metavar="FORMULA|FILE", help="a formula (- is standard input), a program (.rasp, .cr), a model file (.json), a "
        "certificate, or a file with a trained network")] = None,
    max_n: option.MaxN = 16,
    min_n: option.MinN = 1,
    lengths: option.Measured = None,
    at: Annotated[option.At, typer.Option("--at", help="the position where a change counts")] = "last",
    direction: Annotated[str | None, typer.Option(
        "--direction", metavar="NAME", help="the direction that changes (default: the output); of a trained network a "
        "logit, as 3, or a difference, as 3-5 (default: every logit)")] = None,
    as_formula: option.AsFormula = False,
    claim: option.Claim = None,
    offset: option.Offset = None,
    plot: Annotated[str | None, typer.Option(
        "--plot", metavar="FILE", parser=option.written_file, help="write a plot of the largest change over n here, as "
        "SVG")] = None,
    **written: Any,
) -> None:
    """Measure how much the output changes when one symbol does.

    For each length and each position of the changed symbol: the largest change of the output, exactly where that can be
    decided, elsewhere between a proved bound and the change of two replayed words. docs/background/sensitivity.md says
    what is claimed.
    """
    from certify.claims.numbers.sensitivity.logits import measure_logits, read_trained_subject
    from certify.claims.numbers.sensitivity.measure import measure
    from certify.claims.numbers.sensitivity.show import print_sensitivity, sensitivity_to_json
    from certify.claims.trained.files import is_trained
    from certify.requests.quantities import read_lengths_to_bracket
    from certify.requests.request import read_request
    from certify.requests.subjects import Programs

    every, options, progress = Lengths(min_n, max_n), option.options_of(written), ProgressLine()
    if subject is not None and is_trained(subject):
        refuse_options(f"{subject} contains a trained network, which does not take this option",
                       {as_option(name): True for name in options.named} | {"--as-formula": as_formula})
        trained = read_trained_subject(subject, claim, offset)

        def ask(some: Lengths, numbers: list[int] | None) -> Sensitivity:
            return measure_logits(trained, some, at, direction, numbers, progress)
    else:
        refuse_options(f"{subject} contains no trained network, which this option needs",
                       {"--claim": claim, "--offset": offset})
        programs = Programs.FORMULA if as_formula else Programs.COMPILED
        request = read_request(subject, options, lengths=every, programs=programs)
        say_reading(request)

        def ask(some: Lengths, numbers: list[int] | None) -> Sensitivity:
            return measure(request.about(some), at, direction, numbers, progress)

    named = None if lengths is None else read_lengths_to_bracket(lengths, every, "--lengths")
    with progress:
        found = answer_in_time(every, lambda some: ask(some, of_these(named, every, some)))
    end_with_plot(found, sensitivity_to_json, print_sensitivity, plot,
                  later("certify.claims.numbers.sensitivity.plot", "draw_sensitivity"))


# -- cross-entropy -----------------------------------------------------------------------------------------------------


Subject = Annotated[str | None, typer.Argument(
    metavar="FORMULA|FILE", help="a formula (- is standard input), a program (.rasp, .cr), a model file (.json) or a "
    "certificate")]
Language = Annotated[Literal["parity", "2dyck"], typer.Option("--language", help="the language that prefixes are "
                                                                                 "drawn from")]
Probability = Annotated[str, typer.Option(
    "--p", metavar="RATIONAL", help="parity: the probability of an end after an even prefix; 2dyck: of an opening "
    "bracket")]
Direction = Annotated[str | None, typer.Option(
    "--direction", metavar="NAME", help="the direction that is read (default: the output)")]
Slope = Annotated[str | None, typer.Option(
    "--slope", metavar="RATIONAL", help="what the direction is multiplied by (default: chosen at each length)")]
Intercept = Annotated[str | None, typer.Option(
    "--intercept", metavar="RATIONAL", help="with --slope: what is added (default: chosen for each last symbol)")]
Steepest = Annotated[str | None, typer.Option(
    "--steepest", metavar="RATIONAL", help="choose slopes of at most this (default: 8)")]
PlotFile = Annotated[str | None, typer.Option(
    "--plot", metavar="FILE", parser=option.written_file, help="write a plot here, as SVG")]


@option.with_options("steepest regex dfa alphabet dialect as_formula symbol regime causal attention gamma predicate "
                     "as_printed temperature precision", attention=option.AttentionKind, gamma=option.Factor)
def cross_entropy(
    subject: Subject = None,
    language: Language = "parity",
    p: Probability = "1/2",
    max_n: option.MaxN = 16,
    min_n: option.MinN = 1,
    lengths: option.Measured = None,
    direction: Direction = None,
    slope: Slope = None,
    intercept: Intercept = None,
    steepest: Steepest = None,
    as_formula: option.AsFormula = False,
    plot: PlotFile = None,
    **written: Any,
) -> None:
    """Measure how well a network predicts what follows a prefix.

    For the prefixes of each length, by [Hahn] Section 6: the cross-entropy of the network, enclosed; the least possible
    one for a predictor given the whole prefix, only its last symbol, or nothing; and a lower bound for all
    predictions that change as little as the network's when one symbol is exchanged. docs/background/hahn.md says what
    is claimed.
    """
    from certify.claims.numbers.cross_entropy.measure import measure, read_head, read_probability
    from certify.claims.numbers.cross_entropy.show import cross_entropy_to_json, print_cross_entropy
    from certify.requests.quantities import read_lengths_to_bracket
    from certify.requests.request import read_request
    from certify.requests.subjects import Programs

    every, share = Lengths(min_n, max_n), read_probability(p, "--p")
    head = read_head(slope, intercept, steepest, as_option)
    numbers = None if lengths is None else read_lengths_to_bracket(lengths, every, "--lengths")
    request = read_request(subject, option.options_of(written), lengths=every,
                           programs=Programs.FORMULA if as_formula else Programs.COMPILED)
    say_reading(request)
    with ProgressLine() as progress:
        found = answer_in_time(every, lambda some: measure(
            request.about(some), language, share, head, direction, of_these(numbers, every, some), progress))
    end_with_plot(found, cross_entropy_to_json, print_cross_entropy, plot, lambda one: later(
        "certify.claims.numbers.cross_entropy.plot", "draw_cross_entropy")([("the network", one)]))


def of_these(numbers: list[int] | None, every: Lengths, some: Lengths) -> list[int] | None:
    """Return the named lengths among those in question, at least one; None if none are named."""
    return numbers if numbers is None or some == every else [n for n in numbers if n in some] or [some.last]
