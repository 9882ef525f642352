"""A row on a long word in ball arithmetic, from its Parikh vector."""

from fractions import Fraction

from constructions.trained.claim import WordsClaim
from constructions.trained.network import TrainedNetwork
from proofs.enclosures.exponential import ball, exact_ends, working_precision
from proofs.trained.balls import BITS, BallNetwork
from proofs.trained.lengths.margins import CountMargins
from proofs.trained.lengths.search import LongWord
from proofs.trained.lengths.truths import reads_last_letter


def enclose_row(network: TrainedNetwork, claim: WordsClaim,
                wrong: LongWord) -> tuple[bool | None, tuple[Fraction, Fraction]]:
    """Return whether the row is above the margin at the word's end (None if undecided), and bounds of the row."""
    balls, ends = BallNetwork(network), (Fraction(0), Fraction(0))
    counts = tuple(sum(times for letter, times in wrong.runs if letter == own) for own in range(len(claim.alphabet)))
    last = wrong.runs[-1][0] if reads_last_letter(claim) else None
    for bits in BITS:
        with working_precision(bits):
            margins = CountMargins(network, claim, balls)
            value = margins.at(last, [counts])[0, margins.rows.index((wrong.case, wrong.row))]
            rest, ends = value - ball(claim.margin), exact_ends(value)
            if rest > 0 or rest <= 0:
                return bool(rest > 0), ends
    return None, ends
