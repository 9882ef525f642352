"""The stages of a layer, its heads and then its feed-forward block: the error that they add to a direction.

Claim. Let e[d] and f[d] be the stated bounds before and after a stage. Let every |u[d] - û[d]| be at most e[d] before
it. Let the parts of the stage that write d add at most f[d] - e[d] to this at every position of every word. Then |u[d]
- û[d]| is at most f[d] after it. Proof. The triangle inequality, as the parts add their values to u and to û.

If only one part writes a direction, its error is checked as soon as it is computed. If several do, their errors are
*carried* to where their sum is known, for each word and position.
"""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

from ...kernel.budget import Budget
from ...kernel.numbers import ZERO, add, charge, multiply, total
from ...kernel.reading.records import LinearForm
from ...kernel.verdicts import Rejected, quote
from .forms import HeadForms, UnitGroup
from .memoisation import Addition

DIGITS = 6  # of an error bound in a message, which is rounded up

Carried = tuple[tuple[str, Fraction], ...]


def error_of_form(budget: Budget, row: LinearForm, errors: LinearForm) -> Fraction:
    """Return |R|·e, the sum of |R[d]| e[d].

    It bounds |R·u - R·û| if e[d] bounds |u[d] - û[d]| for every d. Proof. The triangle inequality.
    """
    return total(budget, (multiply(budget, abs(c), errors[d]) for d, c in row.items() if d in errors))


class StageErrors:
    """The error bounds of one stage at one length; ``writers`` is the number of parts that write each direction."""

    def __init__(self, budget: Budget, where: str, before: LinearForm, after: LinearForm,
                 parts: Iterable[HeadForms | UnitGroup]) -> None:
        self.where, self.before = where, before
        self.writers = Counter(direction for part in parts for direction in part.written)
        self._budget = budget
        self._room = {t: add(budget, bound, -before.get(t, ZERO)) for t, bound in after.items()}

    def room(self, t: str) -> Fraction:
        """Return the error that the stage may add to a direction."""
        return self._room.get(t, ZERO)

    def settle(self, errors: Iterable[tuple[str, Fraction]]) -> Carried:
        """Check the errors of the directions with only one writer; return the others, to be added up."""
        carried = []
        for t, error in errors:
            if self.writers[t] == 1:
                self._fit(t, error)
            elif error:
                carried.append((t, error))
        return tuple(carried)

    def settle_sums(self, additions: Iterable[Addition]) -> None:
        """Check the sums of the errors that several parts add to a direction, at one position."""
        sums: dict[str, Fraction] = {}
        for addition in additions:
            for t, error in addition.carried:
                so_far = sums.get(t, ZERO)
                charge(self._budget, so_far, error)
                sums[t] = so_far + error
        for t, error in sums.items():
            self._fit(t, error)

    def _fit(self, t: str, error: Fraction) -> None:
        room = self.room(t)
        charge(self._budget, error, room)
        if error > room:
            raise Rejected(f"{self.where}, direction {quote(t)}: the error may grow by {show_upper(error)}, and by "
                           f"{show_upper(room)} between the stated bounds")


def show_upper(x: Fraction) -> str:
    """Write an upper bound of x >= 0, greater than x by at most a millionth of it.

    Numbers of any length are shown: 30103/100000 is about log10(2), and where it misleads there are more digits.

    >>> show_upper(Fraction(1, 3))
    '33333334e-8'
    """
    if not x:
        return "0"
    exponent = (x.numerator.bit_length() - x.denominator.bit_length()) * 30103 // 100000 - 1 - DIGITS
    return f"{-(-x // Fraction(10) ** exponent)}e{exponent}"
