"""The language of a formula of the past."""

from collections.abc import Sequence
from fractions import Fraction

from constructions.language.syntax import Formula
from constructions.regular.automata import Language, explore, small_language
from constructions.trained.claim import Case, Claim, When
from proofs.words.tracking import track


def language_of_formula(formula: Formula, alphabet: Sequence[str]) -> Language:
    """The words at whose last position the formula holds; the empty word is not one of them.

    Raises:
        Unsupported: if the formula looks ahead, or counts without end.
    """
    letters = tuple(range(len(alphabet)))
    claim = Claim(tuple(alphabet), letters, (), (), (0, 0), (1, 1), "each", False, Fraction(0), None, (),
                  (Case(When(formula), ()),))
    tracker = track(claim)
    automaton, states = explore(tracker.start, tracker.step, len(alphabet), str(formula))
    accepting = frozenset(number for number, state in enumerate(states) if tracker.cases(state))
    return small_language(Language(automaton, accepting), str(formula))


