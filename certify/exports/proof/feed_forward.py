"""Lemmas about feed-forward outputs: piecewise linear functions that are constant on the ranges of their forms."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from certify.exports.latex_network import meaning_in_latex
from certify.exports.latex_tables import linear_form, math, number, table
from certify.exports.proof.paper import Lemma, LemmaGroup, Paper, counted
from constructions.network.meanings import Near, Others, Slack
from proofs.formula.feed_forward.obligation import FeedForwardObligation, InputCase
from proofs.formula.feed_forward.worst_case import FormInterval, Function, enclose_input, group_units

MOST_CASES = 24
MOST_FORMS = 4


def feed_forward_lemma(paper: Paper, group: LemmaGroup) -> Lemma:
    """Return the lemma about an output, and those that are equal to it."""
    obligation = group.obligation
    assert isinstance(obligation, FeedForwardObligation)
    layers = sorted({line.layer for line in group.lines})
    items = [rf"\item {paper.network.direction(line.direction)} holds "
             rf"{meaning_in_latex(paper.transformer.directions[line.direction])} "
             + paper.cite_feed_forward(line.layer) for line in group.lines]
    claim = "\n".join([f"After layer {', '.join(map(str, layers))}, at every position of every word of the claim:",
                       r"\begin{itemize}", *items, r"\end{itemize}"])
    others = [] if len(group.lines) == 1 else [
        f"The other {counted(len(group.lines) - 1, 'output')} of the lemma have the same units and cases up to names."]
    title = f"Feed-forward block of layer {', '.join(map(str, layers))}"
    return Lemma(title, claim, [*_proof(paper, obligation), *others])


def _proof(paper: Paper, obligation: FeedForwardObligation) -> Iterator[str]:
    functions = group_units(obligation.units)
    names = list(dict.fromkeys(name for function in functions for name in function.reads))
    if not functions:
        yield f"No unit writes it; its bias is ${number(obligation.bias)}$ everywhere, as required."
        return
    yield from _functions(paper, obligation, functions)
    yield from _inputs(paper, names)
    yield (f"This leaves {counted(len(obligation.cases), 'case')} for all words. In each of them every $f_k$ is "
           "constant on the range of its form, or only a lower bound is required, and the sum is the required "
           "output.")
    if len(functions) <= MOST_FORMS:
        yield from _cases(obligation, functions)


def _functions(paper: Paper, obligation: FeedForwardObligation, functions: Sequence[Function]) -> Iterator[str]:
    """Yield the output as a sum of functions of one form each."""
    forms = [rf"$u_{{{k}}} = {paper.network.form(function.reads) if function.reads else '0'}$ and "
             rf"$f_{{{k}}}(u) = {_pieces(function)}$" for k, function in enumerate(functions, start=1)]
    total = " + ".join(f"f_{{{k}}}(u_{{{k}}})" for k in range(1, len(functions) + 1))
    total += f" + {number(obligation.bias)}" if obligation.bias else ""
    yield "Units whose forms are multiples of one another are one function of that form:"
    yield "\n".join([r"\begin{itemize}", *(rf"\item {form}" for form in forms), r"\end{itemize}"])
    yield rf"The output is ${total}$.".replace("+ -", "- ")


def _pieces(function: Function) -> str:
    parts = [(write, _affine(scale, bias)) for scale, bias, write in function.pieces]
    return linear_form({rf"\operatorname{{ReLU}}({inside}){'{}' * k}": write
                        for k, (write, inside) in enumerate(parts)})


def _affine(scale: Fraction, bias: Fraction) -> str:
    if not scale:
        return number(bias)
    return linear_form({"u": scale}, number(bias) if bias else "")


def _inputs(paper: Paper, names: Sequence[str]) -> Iterator[str]:
    """Yield the ranges of the inexact directions that are read, by earlier lemmas."""
    meanings = {name: paper.transformer.directions[name] for name in names}
    near = [name for name, meaning in meanings.items() if isinstance(meaning, Near)]
    others = [name for name, meaning in meanings.items() if isinstance(meaning, Others)]
    slack = [name for name, meaning in meanings.items() if isinstance(meaning, Slack)]
    if near:
        yield (rf"By the lemmas on heads, {paper.directions(near)} {'is' if len(near) == 1 else 'are'} in "
               r"$[0, \tfrac{1}{4}]$ or $[\tfrac{3}{4}, 1]$ by the truth of the formula, where the condition holds, "
               "and in $[0, 1]$ elsewhere.")
    if others:
        yield (rf"By the lemmas on heads, {paper.directions(others)} {'is' if len(others) == 1 else 'are'} within the "
               "stated bounds of an integer between $0$ and the number of positions that the count ranges over; the "
               "formula compares a sum of such integers with $0$, and the cases are its signs.")
    if slack:
        yield (rf"The slack in {paper.directions(slack)} is $0$ where the comparison holds, and at least $1$ "
               "elsewhere.")
    if len(near) + len(others) + len(slack) < len(meanings):
        yield "All other inputs are exact."


def _cases(obligation: FeedForwardObligation, functions: Sequence[Function]) -> Iterator[str]:
    rows = list(dict.fromkeys(_row(obligation, functions, case) for case in obligation.cases))
    shown = rows[:MOST_CASES]
    title = "Cases" + (f" (the first {MOST_CASES} of {len(rows):,} that differ)" if len(rows) > MOST_CASES else "")
    columns = [*(column for k in range(1, len(functions) + 1) for column in (f"$u_{{{k}}}$", f"$f_{{{k}}}$")), "output"]
    yield from table(title, columns, shown)


def _row(obligation: FeedForwardObligation, functions: Sequence[Function], case: InputCase) -> tuple[str, ...]:
    cells: list[str] = []
    for function in functions:
        reach = enclose_input(function.reads, obligation, case)
        values = function.range_within(reach)
        assert values is not None, "a case that was proved"
        cells += [_reach(reach), _interval(values.lower, values.upper)]
    least = r"\ge " if case.or_more else ""
    return (*cells, math(least + number(case.expected)))


def _reach(reach: FormInterval) -> str:
    lower, upper = number(reach.interval.lower), number(reach.interval.upper)
    if not reach.sides:
        return _interval(reach.interval.lower, reach.interval.upper)
    left = r"(-\infty" if -1 in reach.sides else f"[{lower}"
    right = r"\infty)" if 1 in reach.sides else f"{upper}]"
    return math(f"{left}, {right}")


def _interval(lower: Fraction, upper: Fraction) -> str:
    return math(number(lower) if lower == upper else rf"[{number(lower)}, {number(upper)}]")
