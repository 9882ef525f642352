"""Lemmas about heads: attention to the deciding position, lookups of a count, and uniform attention.

The text follows the rules of docs/background/obligations.md; the numbers are those of the exact method, and the bounds
are those of the certificate.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from certify.claims.critical.expressions import NoClosedForm
from certify.claims.critical.scores import Score, ScoreValue, check_on_grid, score_of
from certify.common.numbers import decimal_upper
from certify.exports.latex_network import formula_in_latex, meaning_in_latex
from certify.exports.latex_tables import decimal_number, math, number, table
from certify.exports.proof.paper import Lemma, LemmaGroup, Paper, at_most, counted
from certify.exports.proof.worst_input import worst_input
from constructions.errors import Unsupported
from constructions.language.printer import format_briefly, format_count
from constructions.language.syntax import TRUE, Next, Previous
from constructions.network.meanings import Near, Others, Truth
from constructions.network.transformer import Head, Mask
from proofs.formula.attention.guarded import GuardedObligation
from proofs.formula.attention.obligation import AttentionObligation
from proofs.formula.attention.windows import AllWindows, PivotMemory
from proofs.formula.common.kinds import ObligationKind
from proofs.formula.discharge import Line
from proofs.formula.irrational import Extents, reads_irrational
from proofs.formula.lookup.obligation import LookupObligation

MOST_LETTERS = 16
SEES = {Mask.NONE: "all positions", Mask.FUTURE: r"the positions $j \le i$", Mask.PAST: r"the positions $j \ge i$"}


def head_lemma(paper: Paper, group: LemmaGroup) -> Lemma:
    """Return the lemma about a head with a worst case, and those that are equal to it.

    Raises:
        Unsupported: if its guard depends on the word.
    """
    first = group.lines[0]
    obligation = first.obligation
    if isinstance(obligation, GuardedObligation):
        raise Unsupported(f"proof: a guard that depends on the word, {format_briefly(obligation.meaning.when)}")
    assert isinstance(obligation, AttentionObligation | LookupObligation)
    proof = _attention_proof(paper, obligation) if isinstance(obligation, AttentionObligation) else _lookup_proof(
        paper, obligation)
    others = [] if len(group.lines) == 1 else [
        rf"The other {counted(len(group.lines) - 1, 'direction')} of the lemma have the same weights and meanings up "
        "to names, so the proof for the first applies to all."]
    return Lemma(_title(group.lines), _claims(paper, group.lines), [*proof, *_with_rationals(paper, first),
                                                                *worst_input(paper.transformer, first), *others])


def _with_rationals(paper: Paper, line: Line) -> Iterator[str]:
    """Yield the argument that covers irrational numbers that the head reads."""
    head = paper.transformer.head(line.layer, line.place)
    if reads_irrational(paper.transformer, head, line.direction):
        moved = Extents(paper.transformer, paper.sealed.lengths).of_scores(head)
        yield (r"The head reads irrational numbers. The numbers above were computed with $\ln$ and $\sqrt{\cdot}$ "
               "rounded down to multiples of $10^{-30}$, which changes no scaled score by more than "
               rf"$\delta = {decimal_number(decimal_upper(moved, 3))}$ and no error by a factor beyond "
               r"$1/(1 - 2\delta)$. The bounds of the lemma allow for that.")


def _title(lines: Sequence[Line]) -> str:
    heads = list(dict.fromkeys(f"{line.layer}.{line.place}" for line in lines))
    shown = ", ".join(heads[:6]) + (f" and {len(heads) - 6} more" if len(heads) > 6 else "")
    return ("Head " if len(heads) == 1 else "Heads ") + shown


def _claims(paper: Paper, lines: Sequence[Line]) -> str:
    """Return the claim about each direction, with the place of its bounds."""
    items = [r"\item " + _claim(paper, line) for line in lines]
    return "\n".join([f"For {_all_words(paper)}:", r"\begin{itemize}", *items, r"\end{itemize}"])


def _all_words(paper: Paper) -> str:
    return rf"every $n$ of ${paper.sealed.lengths.first}, \ldots, {paper.sealed.lengths.last}$, every word of length " \
           r"$n$ and every position $i$ of it"


def _claim(paper: Paper, line: Line) -> str:
    assert line.obligation
    path, bound = paper.bound(line.layer, line.place, line.direction)
    direction = paper.network.direction(line.direction)
    above, below = math(at_most(bound.error_if_false)), math(at_most(bound.error_if_true))
    above += " " + paper.cite(*path, "error_if_false")
    below += " " + paper.cite(*path, "error_if_true")
    match meaning := line.obligation.meaning:
        case Near(formula, when):
            where = "" if when is TRUE else f", where {formula_in_latex(when)} holds,"
            return (rf"{direction} is in $[0, 1]$, and{where} it is at most {above} where "
                    rf"{formula_in_latex(formula)} is false, and within {below} of $1$ where it is true.")
        case Others():
            return (rf"{direction} is {meaning_in_latex(meaning)}: at most {above} above that number, at most {below} "
                    "below it.")
    raise AssertionError(f"no bound is stated of {meaning}")


# -- attention to the deciding position --------------------------------------------------------------------------------


def _attention_proof(paper: Paper, obligation: AttentionObligation) -> Iterator[str]:
    head, direction = obligation.head, obligation.direction
    yield (rf"The head attends to {SEES[head.mask]}. {score_text(paper, head)} The value at $j$ is "
           rf"$v_j = {paper.network.form(head.values[direction])}$, evaluated at $j$. "
           + paper.cite_head(obligation.layer, obligation.place))
    yield from _letters(obligation)
    yield ("Every word gives a sequence of letters. All values are in $[0, 1]$, and so is every weighted mean of "
           "them.")
    yield from _pivot(obligation)
    yield (r"Let $w_j = e^{s_{ij}}$, and let $\epsilon_j$ be $v_j$ where the target is false and $1 - v_j$ where it is "
           r"true. The error of the head is $\sum_j w_j \epsilon_j / \sum_j w_j$, which is at most $\epsilon$ exactly "
           r"if $\sum_j w_j (\epsilon - \epsilon_j) \ge 0$: a sum with one term for each position. Its least value "
           r"over all sequences of letters with the same truth of the target is the length of a shortest path over "
           r"pairs of a position and a remembered truth. With weights rounded outward it is not negative for "
           rf"the bounds of the lemma, at any of the {counted(obligation.rows, 'row')} $(n, i)$.")


def _letters(obligation: AttentionObligation) -> Iterator[str]:
    """Yield the letters that may occur at a position."""
    target = obligation.target
    atoms = "; ".join(f"$A_{{{k}}}$ is {formula_in_latex(atom)}" for k, atom in enumerate(target.atoms, start=1))
    side = ("from position $1$ up to $i$", "before") if target.past else ("from position $n$ down to $i$", "after")
    yield (f"The truth of the target {formula_in_latex(target.formula)} at $i$ is decided by reading the word "
           + (f"{side[0]} and remembering the truth of {_remembered(obligation)} from one position to the next; "
              f"nothing is true {side[1]} the first position read. " if target.remembering else f"{side[0]}. ")
           + f"A letter is a choice of truths for {atoms}, as far as some symbol allows it.")
    letters = obligation.reading.letters.letters_at(1, obligation.reading.lengths.first)
    if len(letters) > MOST_LETTERS or target.predicates or len(target.remembering) != 1:
        yield f"There are {counted(len(letters), 'letter')} at each position."
        return
    rows = [(*(str(int(truth)) for truth in assignment), math(number(letter.value)),
             _after(code % 2 for code in letter.effect), _after(code // 2 for code in letter.effect))
            for assignment, letter in zip(obligation.letters, letters, strict=True)]
    columns = [*(f"$A_{{{k}}}$" for k in range(1, len(target.atoms) + 1)),
               r"adds to $v_j$", "the target there", "remembered next"]
    yield from table("Letters", columns, rows)


def _remembered(obligation: AttentionObligation) -> str:
    kept = [part.operand if isinstance(part, Previous | Next) else part for part in obligation.target.remembering]
    return ", ".join(map(formula_in_latex, kept))


def _after(truths: Iterable[int]) -> str:
    """Return a truth as a function of the remembered one."""
    if_false, if_true = truths
    if if_false == if_true:
        return "true" if if_true else "false"
    return "the remembered truth" if if_true else "the negation of the remembered truth"


PIVOTS = {
    PivotMemory.LASTING: (
        "Each letter either keeps the remembered truth or decides it. Let $p$ be the last position, in the order of "
        "reading, whose letter decides: it gives the target's truth $t$, its value is $t$, and all letters after it "
        "keep. If there is no such position, the target is false and every value is $0$."),
    PivotMemory.FLEETING: (
        "Each letter replaces the remembered truth. Let $p$ be the position that is read just before $i$: its letter "
        "gives the target's truth $t$, and its value is $t$."),
}


def _pivot(obligation: AttentionObligation) -> Iterator[str]:
    """Yield the argument from the deciding position, if it applies to every row."""
    windows = AllWindows(obligation)
    if windows.memory is None:
        return
    error = max(map(windows.greatest_error, obligation.groups), default=Fraction(1))
    if error >= 1:
        return
    yield (rf"{PIVOTS[windows.memory]} Let $B$ be the total weight, relative to that of $p$, of the positions whose "
           r"values are not $t$. Then the error is at most $B/(1 + B)$. For each distance take the greatest gap "
           r"$s_{ij} - s_{ip}$ over all $p$ and all letters that may occur there; the sum of their exponentials bounds "
           rf"$B$ in all words, and gives an error of at most {math(at_most(error))} in all rows.")


# -- lookups of a count ------------------------------------------------------------------------------------------------


def _lookup_proof(paper: Paper, obligation: LookupObligation) -> Iterator[str]:
    head, direction = obligation.head, obligation.direction
    count = math(format_count(obligation.count, "latex"))
    yield (rf"The head attends to {SEES[head.mask]}. Its scores depend on the word only by $m$, the number of "
           rf"positions other than $i$ that {count} counts, and whether $i$ itself is counted. "
           rf"{score_text(paper, head)} The value at $j$ is "
           rf"$v_j = {paper.network.form(head.values[direction])}$, evaluated at $j$. "
           + paper.cite_head(obligation.layer, obligation.place))
    aim = "$m$" if isinstance(obligation.meaning, Others) else "the truth of the formula, which the case decides"
    yield (rf"So a case is $(n, i)$, whether $i$ is counted, and $m$ from $0$ to one less than the number of positions "
           rf"that the count ranges over. Let $\epsilon_j$ be the excess of $v_j$ over {aim}, or its deficit. In "
           rf"every case of all {counted(obligation.rows, 'row')} the weighted mean of the values was enclosed in ball "
           "arithmetic; the scores are concave in $j$, so that positions far from the greatest score weigh at most "
           "a number that was added to the bounds.")


# -- uniform attention -------------------------------------------------------------------------------------------------


def uniform_lemma(paper: Paper, group: LemmaGroup) -> Lemma:
    """Return the lemma about heads whose scores are all equal."""
    items = [rf"\item {paper.network.direction(line.direction)} is "
             rf"{meaning_in_latex(paper.transformer.directions[line.direction])} "
             + paper.cite_head(line.layer, line.place) for line in group.lines]
    claim = "\n".join([f"For {_all_words(paper)}:", r"\begin{itemize}", *items, r"\end{itemize}"])
    proof = ["The scores of all visible positions are equal, so each of the $L$ visible positions weighs exactly "
             "$1/L$, and the head writes the mean of its values."]
    if group.kind is ObligationKind.MEAN:
        proof.append("The values are truths, each exactly $0$ or $1$, with the multiples of the meaning: their mean is "
                     "the sum over the positions that are counted, divided by $L$.")
    else:
        proof.append("The values do not depend on the word; their mean was computed exactly at every $(n, i)$, and is "
                     "the stated number.")
    return Lemma(_title(group.lines), claim, proof)


GRID = 5
"""Simplified scores are compared with the weights at all (n, i, j) up to this length, or that of the claim."""


def score_text(paper: Paper, head: Head) -> str:
    """Describe the scores of the head."""
    import sympy  # type: ignore[import-untyped, unused-ignore]

    try:
        score = score_of(paper.transformer, head)
    except NoClosedForm:
        return "Its scores $s_{ij}$ are those of Section~2, divided by the temperature."
    check_on_grid(paper.transformer, head, score, min(GRID, paper.sealed.lengths.last))
    if score.simplified == 0:
        return "All its scores are equal."
    written = sympy.latex(score.simplified, symbol_names=_names(paper, score))
    return rf"Up to a number that does not depend on $j$, its scores are \[ s_{{ij}} = {written}. \]"


def _names(paper: Paper, score: Score) -> dict[Any, str]:
    """Return the name of each symbol of the score."""
    return {symbol: f"h_{{{paper.network.numbers[_direction(paper, value)]}}}({value.at})"
            for value, symbol in score.symbols.items()}


def _direction(paper: Paper, value: ScoreValue) -> str:
    """Return the direction of a symbol."""
    if isinstance(value.what, str):
        return value.what
    return next(name for name, meaning in paper.transformer.directions.items()
                if isinstance(meaning, Truth) and meaning.formula is value.what)
