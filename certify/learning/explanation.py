"""Descriptions of a learnt automaton: formulas, comparisons of counts, and differences from the claim."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from certify.claims.trained.show import show_row
from certify.learning.counts import CountTests, Test, comparisons
from certify.learning.differences import Differences, differences
from certify.learning.formulas import Explained, formulas_of
from certify.learning.learned import Learned
from certify.learning.question import OUT, LearningQuestion, Part
from certify.learning.small_formulas import Guess, best_formula
from constructions.errors import Unsupported
from constructions.language.printer import format_formula
from constructions.language.syntax import subformulas

MOST_SUBFORMULAS = 40
"""Larger formulas are not printed."""


@dataclass(frozen=True)
class Explanation:
    """The descriptions of each kind; ``differences`` are None if nothing was claimed, or for the reason beside them.

    ``guesses`` has, for an alternative that neither a formula nor a comparison describes, by its part and choice, the
    best small formula.
    """

    formulas: tuple[Explained, ...]
    counted: CountTests | None
    differences: Differences | None
    no_differences: str
    guesses: Mapping[tuple[int, int], Guess]


@lru_cache(maxsize=1)
def explain(learned: Learned) -> Explanation | None:
    """Return the explanation; None if nothing is certified."""
    found, longest = learned.automaton, learned.certified_to
    if found is None or longest is None:
        return None
    formulas = tuple(formulas_of(learned.question, found))
    try:
        counted = comparisons(learned.question, found, longest)
    except Unsupported:
        counted = None
    differing, reason = None, ""
    if learned.question.intended:
        try:
            differing = differences(learned.question, found, longest)
        except Unsupported as error:
            reason = str(error)
    plain = [one for one in formulas if formula_text(one) is None and not (
        one.choice == 0 and count_text(counted, one.part, learned.question.claim.alphabet))]
    guesses = {(one.part, one.choice): guess for one in plain if (
        guess := best_formula(learned.question, found, longest, one.part, one.choice)) is not None}
    return Explanation(formulas, counted, differing, reason, guesses)


def formula_text(explained: Explained) -> str | None:
    """Return the formula, unless it is very large."""
    if explained.formula is None or len(subformulas(explained.formula)) > MOST_SUBFORMULAS:
        return None
    return format_formula(explained.formula)


def why_no_formula(explained: Explained) -> str:
    """Return why no formula is printed."""
    if explained.formula is None:
        return explained.reason
    return f"a formula of {len(subformulas(explained.formula))} subformulas"


def count_text(counted: CountTests | None, place: int, alphabet: Sequence[str]) -> str | None:
    """Return the comparison of counts that decides a part, if there is one."""
    test = counted.tests[place] if counted else None
    return test.text(alphabet) if isinstance(test, Test) else None


def describe_alternative(part: Part, choice: int) -> str:
    """Describe the condition of an alternative.

    >>> from fractions import Fraction
    >>> row = ((0, Fraction(-1)), (1, Fraction(1)))
    >>> part = ((row,), (tuple((token, -number) for token, number in row),))
    >>> describe_alternative(part, 0), describe_alternative(part, 1)
    ('logit[1] > logit[0]', 'logit[0] > logit[1]')
    """
    rows = part[choice]
    if len(rows) > 1:
        (token,) = {token for row in rows for token, number in row if number > 0}
        rivals = sorted(token for row in rows for token, number in row if number < 0)
        return f"logit[{token}] > {', '.join(f'logit[{rival}]' for rival in rivals)}"
    row, = rows
    if len(row) == 1 and abs(row[0][1]) == 1:
        return f"logit[{row[0][0]}] {'>' if row[0][1] > 0 else '<'} 0"
    if len(row) == 2 and {number for _, number in row} == {1, -1}:
        (greater,), (less,) = ([token for token, number in row if number == sign] for sign in (1, -1))
        return f"logit[{greater}] > logit[{less}]"
    return f"{show_row(row)} > 0"


def describe_answer(question: LearningQuestion, code: int) -> str:
    """Describe the whole answer: signs of single logits together, then the other parts."""
    if code == OUT:
        return "not allowed" if question.words == "allowed" else "not judged"
    positive, single, others = [], False, []
    for part, choice in zip(question.parts, question.choices(code), strict=True):
        row = part[0][0]
        if len(part) == 2 and len(row) == 1:
            single = True
            positive += [f"logit[{row[0][0]}]"] if choice == 0 else []
        else:
            others.append(describe_alternative(part, choice))
    return "; ".join([*([f"{', '.join(positive) or 'none'} > 0"] if single else []), *others])
