"""`certify cross-entropy`: how well a network predicts what follows prefixes of PARITY or 2DYCK."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from certify.asking import options as option
from certify.commands.finish import end_with_plot, say_reading

if TYPE_CHECKING:
    from certify.numbers.cross_entropy.results import CrossEntropy
    from constructions.network.lengths import Lengths

Subject = Annotated[str | None, typer.Argument(
    metavar="FORMULA|FILE", help="a formula (- is standard input), a program (.rasp, .cr), a model file (.json) or a "
    "certificate")]
Language = Annotated[Literal["parity", "2dyck"], typer.Option("--language", help="the language that prefixes are "
                                                                                 "drawn from")]
Probability = Annotated[str, typer.Option(
    "--p", metavar="RATIONAL", help="parity: the probability of an end after an even prefix; 2dyck: of an opening "
    "bracket")]
Direction = Annotated[str | None, typer.Option(
    "--direction", metavar="NAME", help="the direction that is read (left out: the output)")]
Slope = Annotated[str | None, typer.Option(
    "--slope", metavar="RATIONAL", help="what the direction is multiplied by (left out: chosen at each length)")]
Intercept = Annotated[str | None, typer.Option(
    "--intercept", metavar="RATIONAL", help="with --slope: what is added (left out: chosen for each last symbol)")]
Steepest = Annotated[str | None, typer.Option(
    "--steepest", metavar="RATIONAL", help="choose slopes of at most this (left out: 8)")]
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
    one for a predictor that knows the whole prefix, only its last symbol, or nothing; and a lower bound for all
    predictions that change as little as the network's when one symbol is exchanged. docs/hahn.md says what is claimed.
    """
    from certify.asking.quantities import read_lengths_to_bracket
    from certify.asking.request import read_request
    from certify.asking.subjects import Programs
    from certify.frame.progress import ProgressLine
    from certify.frame.so_far import answer_in_time
    from certify.numbers.cross_entropy.measure import measure, read_head, read_probability
    from certify.numbers.cross_entropy.show import cross_entropy_to_json, print_cross_entropy
    from constructions.network.lengths import Lengths

    every, share = Lengths(min_n, max_n), read_probability(p, "--p")
    head = read_head(slope, intercept, steepest, spell)
    numbers = None if lengths is None else read_lengths_to_bracket(lengths, every, "--lengths")
    request = read_request(subject, option.options_of(written), lengths=every,
                           programs=Programs.FORMULA if as_formula else Programs.COMPILED)
    say_reading(request)
    with ProgressLine() as progress:
        found = answer_in_time(every, lambda some: measure(
            request.about(some), language, share, head, direction, of_these(numbers, every, some), progress))
    end_with_plot(found, cross_entropy_to_json, print_cross_entropy, plot, draw)


def spell(name: str) -> str:
    """How complaints write what makes log-odds: its offset is called otherwise here, where --offset is of positions."""
    return "--intercept" if name == "offset" else f"--{name}"


def of_these(numbers: list[int] | None, every: Lengths, some: Lengths) -> list[int] | None:
    """Of the lengths that are named (if any are) those that are asked about; one at least."""
    return numbers if numbers is None or some == every else [n for n in numbers if n in some] or [some.last]


def draw(found: CrossEntropy) -> str:
    """The plot; what draws is loaded when there is something to draw."""
    from certify.numbers.cross_entropy.plot import draw_cross_entropy

    return draw_cross_entropy([("the network", found)])
