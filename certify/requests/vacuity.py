"""Detection of vacuous claims: formulas with one truth at all positions of all words, assumptions that never hold.

Such a claim is certified correctly, but seldom intended: ``Q_1 since Q_0`` is false everywhere, since in [SHA]
Definition 14 the left side must hold at the witness, too.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from constructions.language.semantics import truth_values
from constructions.language.syntax import TRUE, Formula, subformulas

MAX_TRUTHS = 100_000
"""Limit of evaluations (of a subformula at a position of a word): a fraction of a second."""


HOLDS_NOWHERE = "what is given holds at no position of any word"
"""The reason of a vacuous length."""


@dataclass(frozen=True)
class Vacuity:
    """The formula has this truth at every position of every word up to this length; longer words are open."""

    truth: bool
    max_n: int

    def __str__(self) -> str:
        return f"{str(self.truth).lower()} at every position of every word up to n = {self.max_n}"


def find_vacuity(formula: Formula, alphabet: Sequence[str], max_n: int) -> Vacuity | None:
    """Return the one truth of the formula on all words within a limit of work; None if both truths occur.

    >>> from constructions.language.parser import parse_formula
    >>> str(find_vacuity(parse_formula("Q_1 since Q_0"), "01", 64))
    'false at every position of every word up to n = 10'
    >>> find_vacuity(parse_formula("Q_1 since (Q_1 & Q_0 | prev Q_1)"), "01", 64) is None
    True
    """
    found: Vacuity | None = None
    parts, left = len(subformulas(formula)), MAX_TRUTHS
    truths: set[bool] = set()
    for n in range(1, max_n + 1):
        left -= len(alphabet) ** n * n * parts
        if left < 0:
            return found
        for word in product(alphabet, repeat=n):
            truths.update(truth_values(formula, word))
            if len(truths) > 1:
                return None
        found = Vacuity(min(truths), n)
    return found


def find_vacuous_lengths(given: Formula, alphabet: Sequence[str], lengths: Iterable[int]) -> list[int]:
    """Return the lengths at which a claim under this assumption is vacuous, within a limit of work.

    >>> from constructions.language.parser import parse_formula
    >>> find_vacuous_lengths(parse_formula("prev prev Q_a"), "ab", range(1, 5))
    [1, 2]
    """
    if given == TRUE:
        return []
    from proofs.words.trellis import lengths_where_nowhere  # automata, which few questions need

    return lengths_where_nowhere(given, alphabet, lengths)
