"""The constant of machine_written_cells: cells never written, between written ones at equal distances on both sides.

Source      As in machine_written_cells. A cell that was never written holds 0: the address that is found is compared
            with the queried one.
Bound       machine_lookups, with D = 1 where no two written cells leave a gap of more than one cell, else D up to
            2^15 and 2^22. Here errors of the byte index count in the first order, so lengths are half as great.
History     20 instructions of one token, store 255 at 99 (2 tokens), one token, store 255 at 101, a constant (5
            tokens), which reads at T the address 100. If the newer store and the advantage of the older balance, the
            mean of the addresses is the queried one. ``WRONG`` are lengths at which more than 1/2 is returned, not
            all lengths from there on: the balance passes.
Critical    For T = 2^(15 + n) the constants of ``ENOUGH`` are enough, by D, and at one that is 3 % less than that of
            D = 1 the history is wrong.
"""

from fractions import Fraction

from proofs.numbers.instances.examination import Examination
from proofs.numbers.instances.machine_lookups import BYTE, History, Horizons, MemoryCell, Write, steps

SOURCE = "Compiled machines, cells never written"
CELLS = tuple(MemoryCell(distance=distance) for distance in (1, 1 << 15, 1 << 22))
DROPS = 20
AFTER = 12
RIGHT = {False: [(123, 77, 67), (594, 383, 332), (3194, 2114, 1839), (18734, 12728, 11129), (117717, 81971, 72068),
                 (781076, 556404, 491955), (5414828, 3938098, 3501173), (38909516, 28834715, 25770623)],
         True: [(155, 98, 84), (760, 492, 427), (4147, 2756, 2399), (24606, 16781, 14684), (156012, 109023, 95934),
                (1042651, 745155, 659398), (7270647, 5303414, 4718825), (52498188, 39008794, 34890259)]}
"""The greatest lengths that the bounds certify, for each power of ten, and by whether it is times √2."""
WRONG = {False: [139, 629, 3318, 19322, 120907, 799796, 5529833, 39658495],
         True: [172, 801, 4302, 25362, 160146, 1067091, 7423275, 53495612]}
ENOUGH = [(484030061, 761191631, 891010533), (1141588436, 1767735167, 2060870780),
          (2668242049, 4073004177, 4730562553), (6186584669, 9317973974, 10783294414),
          (14238456118, 21181204447, 24429418845), (32558537905, 47870731198, 55034731946)]
"""Constants for T = 2^16, ..., 2^21, by distance."""
LESS = Fraction(97, 100)


def history(tokens: int) -> History:
    """Return the history whose read is at T = ``tokens``."""
    boundaries = steps(tokens, [*[1] * min(DROPS, tokens - AFTER), 2, 1, 2, 5])
    return History(boundaries, [Write(boundaries[-4] - 1, 99, BYTE), Write(boundaries[-2] - 1, 101, BYTE)], 100)


_HORIZONS = Horizons(CELLS, RIGHT, WRONG, ENOUGH, LESS, history, 0)
EXAMINATIONS = (
    Examination("machine-unwritten", SOURCE, "with the constant 10^10 a cell that was never written reads as 0 up to "
                "T = 2^n, where no two written cells leave a gap of more than one", "every such history",
                _HORIZONS.examine),
    Examination("machine-unwritten-horizon", SOURCE, "with the constant 10^(4 + n), or √2 times that, cells never "
                "written read as 0 up to the lengths listed, by distance, and as another byte at some length above",
                "every history; one history", _HORIZONS.examine_lengths),
    Examination("machine-unwritten-critical", SOURCE, "for T = 2^(15 + n) the constants listed are enough for cells "
                "never written, by distance, and 3 % less is not at distance 1", "every history; one history",
                _HORIZONS.examine_constants),
)
