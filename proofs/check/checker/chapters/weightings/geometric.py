"""Geometric and stick-breaking attention; docs/background/obligations.md, Attention head, 8.

The weight of position j is sigma(z_j) times the product of 1 - sigma(z_k) over the positions k between j and the row.
Reading towards the row, let o be 0 at first and (1 - sigma(z)) o + sigma(z) v after a letter with the scaled score z
and the value v: after the last letter before the row, o is the sum of weight times value, by induction.

Claim. For each state of the automaton o is between the ends that are stored for it, whatever letters led there. Proof.
By induction: the next o is linear and increasing in o, so ends give ends; and linear in sigma(z), so an end of its
enclosure is the worst. Ends are integers over 2^BITS, rounded outward; values are in 0..1, and so is every o.

At the row every letter may follow every state, and o does not depend on it: the errors are those of the ends.
"""

from collections.abc import Mapping, Sequence

from ...kernel.budget import ENTRY_BITS
from ...kernel.numbers import Numbers, add, inner_product, size, text_key
from ...kernel.verdicts import require
from ..formula.attention.automaton import AutomatonState, Pair, ReadPosition
from ..formula.proof import Errors, ProofContext
from .sigmoids import BITS, enclose_in_units

Ends = tuple[int, int]
"""An enclosure of o, in units of 2^-BITS."""

UNIT = 1 << BITS


class Passes:
    """Enclosures of o at the rows with one scaled query; a prefix of positions that was read is not read again."""

    def __init__(self, proof: ProofContext) -> None:
        self._proof = proof
        self._found: dict[object, tuple[Sequence[ReadPosition], list[Ends]]] = {}

    def check(self, query: Numbers, positions: Sequence[ReadPosition], ends: Mapping[int, str], errors: Errors) -> None:
        """Check the errors at the rows with this scaled query; ``ends`` has the names of these rows by length."""
        before, errors_found = self._found.get(text_key(self._proof.budget, query), ((), []))
        self._proof.budget.spend(len(positions))
        if len(before) < len(positions) or [*before[: len(positions)]] != [*positions]:
            errors_found = self._follow(query, positions)
            self._found[text_key(self._proof.budget, query)] = positions, errors_found
        for length, where in ends.items():
            for bound, label, reached in zip(errors, ("false", "true"), errors_found[length - 1], strict=True):
                fits = reached * bound.denominator <= bound.numerator * UNIT
                require(fits, "error_if_{} {} is not proved at {}", label, bound, where)

    def _follow(self, query: Numbers, positions: Sequence[ReadPosition]) -> list[Ends]:
        """Return, for each position, the greatest error where the target is false, and where it is true."""
        enclosures: dict[AutomatonState, Ends] = {0: (0, 0)}
        found = []
        self._proof.budget.hold(ENTRY_BITS * len(positions))
        for position in positions:
            self._proof.budget.spend(3 * sum(len(letter.moves) for letter in position.letters))
            found.append(find_errors(position, enclosures))
            enclosures = self._after(query, position, enclosures)
        return found

    def _after(self, query: Numbers, position: ReadPosition,
               before: Mapping[AutomatonState, Ends]) -> dict[AutomatonState, Ends]:
        """Return the enclosures of o, by state, after one more letter."""
        after: dict[AutomatonState, Ends] = {}
        for letter in position.letters:
            weights, value = self._weight_and_value(query, (position.known, letter.adds))
            for move in letter.moves:
                if move.state in before:
                    low, high = advance(before[move.state], weights, value)
                    known = after.get(move.following, (low, high))
                    after[move.following] = min(low, known[0]), max(high, known[1])
        return after

    def _weight_and_value(self, query: Numbers, pair: Pair) -> tuple[Ends, Ends]:
        """Enclose sigma of the score, and the value."""
        budget, (known, adds) = self._proof.budget, pair
        *keys, value = (add(budget, a, b) for a, b in zip(known, adds, strict=True))
        z = inner_product(self._proof.budget, query, tuple(keys))
        budget.spend(4 + (size(z) + size(value) >> 10))
        scaled = value.numerator << BITS
        return (enclose_in_units(self._proof.weigher, z),
                (scaled // value.denominator, -(-scaled // value.denominator)))


def advance(before: Ends, weights: Ends, value: Ends) -> Ends:
    """Enclose (1 - s) o + s v, for all s, o and v within their ends, rounded outward."""
    lows = [((UNIT - s) * before[0] + s * value[0]) >> BITS for s in weights]
    highs = [-(-((UNIT - s) * before[1] + s * value[1]) >> BITS) for s in weights]
    return min(lows), max(highs)


def find_errors(position: ReadPosition, enclosures: Mapping[AutomatonState, Ends]) -> Ends:
    """Return the greatest errors at a row: o where the target is false, 1 - o where it is true; 0 if it never is."""
    if_false = if_true = 0
    for letter in position.letters:
        for move in letter.moves:
            if move.state in enclosures:
                low, high = enclosures[move.state]
                if move.holds:
                    if_true = max(if_true, UNIT - low)
                else:
                    if_false = max(if_false, high)
    return if_false, if_true
