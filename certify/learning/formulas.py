"""An automaton's answers as past formulas, where they exist: one for each part of the answer.

Words outside the question may have any truth: among the others, a formula holds exactly on those with its answer.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

from certify.learning.learned import is_judged
from certify.learning.question import OUT, LearningQuestion
from constructions.errors import Unsupported
from constructions.language.syntax import FALSE, TRUE, Formula, subformulas
from constructions.regular.automata import Automaton, RegularLanguage, explore, minimal_language
from constructions.regular.cover_automata import Marked
from constructions.regular.to_ltl import formula_of_language

MOST_STATES = 12
"""Larger automata are not searched for formulas."""
MOST_CHOICES = 64
TRIED = 3


@dataclass(frozen=True)
class Explained:
    """The condition of an alternative of a part: a formula, or None and the reason."""

    part: int
    choice: int
    formula: Formula | None
    reason: str = ""


def formulas_of(question: LearningQuestion, found: Marked) -> list[Explained]:
    """Return, for each part of two alternatives, the condition of the first; for other parts, of each that occurs."""
    explained = []
    for place, part in enumerate(question.parts):
        chosen = [None if code == OUT else question.choices(code)[place] for code in found.marks]
        for choice in range(1 if len(part) == 2 else len(part)):
            if choice in chosen or len(part) == 2:
                explained.append(_explained(question, found, place, choice, chosen))
    return explained


def _explained(question: LearningQuestion, found: Marked, place: int, choice: int,
               chosen: Sequence[int | None]) -> Explained:
    judged = {one for state, one in enumerate(chosen) if one is not None and is_judged(question, found, state)}
    if judged <= {choice}:
        return Explained(place, choice, TRUE)
    if choice not in judged:
        return Explained(place, choice, FALSE)
    if len(found.marks) > MOST_STATES:
        return Explained(place, choice, None, f"more than {MOST_STATES} states")
    languages = sorted((minimal_language(language) for language in _fillings(found, choice, chosen)),
                       key=lambda language: len(language.automaton.steps))
    formulas, reason = [], ""
    for language in list(dict.fromkeys(languages))[:TRIED]:
        try:
            formulas.append(formula_of_language(language, question.claim.alphabet, "the answer").formula)
        except Unsupported as error:
            reason = reason or str(error).removeprefix("the answer: ")
    if not formulas:
        return Explained(place, choice, None, reason)
    return Explained(place, choice, min(formulas, key=lambda formula: len(subformulas(formula))))


def _fillings(found: Marked, choice: int, chosen: Sequence[int | None]) -> Iterator[RegularLanguage]:
    """Yield languages that agree on all words of the question."""
    out = [state for state, one in enumerate(chosen) if one is None]
    holding = {state for state, one in enumerate(chosen) if one == choice}
    yield RegularLanguage(found.automaton, frozenset(holding))
    if out:
        yield RegularLanguage(found.automaton, frozenset(holding | set(out)))
    closed = all(after in out for state in out for after in found.automaton.steps[state])
    if out and closed and found.automaton.start not in out:
        for automaton, states in islice(_redirected(found, set(out)), MOST_CHOICES):
            yield RegularLanguage(automaton, frozenset(new for new, old in enumerate(states) if old in holding))


def _redirected(found: Marked, out: set[int]) -> Iterator[tuple[Automaton, list[int]]]:
    """Yield automata without the outside states: steps to them are redirected to targets of the same letter."""
    steps = found.automaton.steps
    letters = range(len(steps[0]))
    live = [state for state in range(len(steps)) if state not in out]
    targets = [sorted({steps[state][letter] for state in live} - out) or [found.automaton.start] for letter in letters]
    missing = [(state, letter) for state in live for letter in letters if steps[state][letter] in out]
    for choice in product(*(targets[letter] for _, letter in missing)):
        instead = dict(zip(missing, choice, strict=True))
        yield explore(found.automaton.start, lambda state, letter, way=instead: way.get(  # type: ignore[misc]
            (state, letter), steps[state][letter]), len(steps[0]), "the answer")
