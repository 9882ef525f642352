"""The constant of machine_written_cells in binary64: keys of two writes to one cell become the same number.

Source      As in machine_written_cells: C = 10^10, key (2k, -k² + 0.3 λ(t)), query C(q, 1), every operation
            rounded once.
History     Store 0 and store 255 to the address k = ``ADDRESS``, at T - 14 and T - 12, and a read at T: that of
            machine_written_cells. Byte indices are taken as exact.
Decision    k² is exact. -k² has an ulp of 2^-7, and 0.3 λ differs by less than that if writes are at least some tens
            of tokens old: the two keys are rounded to one number, or, if not, C times them may be. If both ends of an
            enclosure of λ (relative error 2^-49) round to one key, it is decided; if not, it is not.
            The rest is rounding of exact numbers, and the weights are those of exact scores.
            If the keys are one number, so are all numbers computed from them: both bytes have the weight 1/2.
"""

from fractions import Fraction

from constructions.network.float_formats import parse_format
from proofs.enclosures.by_mpmath import seconded
from proofs.enclosures.intervals import Interval
from proofs.numbers.instances.comparing import equality, increasing, instance, power_of_e, undecided
from proofs.numbers.instances.examination import Examination, Instance
from proofs.numbers.instances.machine_lookups import BITS, BYTE, HALF, TIE_BREAK
from proofs.numbers.instances.machine_written_cells import AFTER

ADDRESS = 8_000_000
CONSTANT = 10**10
BINARY64 = parse_format("binary64")
OFF = Fraction(1, 2**49)
WRITES = (14, 12)
"""The numbers of tokens from the writes to the read."""


def key(position: int) -> Fraction | None:
    """Return fl(-k² + fl(0.3 λ)), if it is determined."""
    found = seconded(lambda real: real(TIE_BREAK) * (1 / real(2).log() - 1 / real(position + 2).log()), BITS)
    ends = {BINARY64.round(x - ADDRESS**2) for x in (found.lower * (1 - OFF), found.upper * (1 + OFF))}
    return ends.pop() if len(ends) == 1 else None


def score(of: Fraction) -> Fraction:
    """Return fl(fl(fl(C q) 2k) + fl(C key))."""
    asked = BINARY64.round(BINARY64.round(Fraction(CONSTANT * ADDRESS)) * 2 * ADDRESS)
    return BINARY64.round(asked + BINARY64.round(CONSTANT * of))


def older_share(tokens: int) -> Interval | None:
    """Enclose the weight of the older write in a read at T, if the keys are determined."""
    older, newer = (key(tokens - before) for before in WRITES)
    if older is None or newer is None:
        return None
    return increasing(power_of_e(score(older) - score(newer)))


def _examine(n: int) -> Instance:
    if n < AFTER:
        return equality(n, f"no history of this kind has T = {n}", Fraction(0), Fraction(0))
    share = older_share(n)
    what = f"error of the byte that is read at T = {n} at the address {ADDRESS}"
    return (instance(n, what, share.scaled(Fraction(BYTE)), HALF) if share else
            undecided(n, f"{what}: keys depend on how λ is rounded", HALF))


EXAMINATIONS = (
    Examination("machine-binary64", "Compiled machines, binary64", "in binary64 the constant 10^10 reads, at T = n, "
                f"the last of two bytes written at the address {ADDRESS}", "one history", _examine),
)
