"""A public constant, 10^10 in place of hard attention: cells that were written, of machines compiled to transformers.

Source      A public program compiles WebAssembly to the weights of a softmax transformer and calls its constant, 10^10,
            "effectively argmax" (docs/background/compiled_machines.md); it states no length up to which that holds.
Bound       machine_lookups: memory is written at least d = 2 tokens apart (two instructions of two tokens), locals 5,
            the call stack 11. All bounds grow with T, so each length of ``RIGHT`` is one evaluation.
History     40 instructions of one token (or as many as fit), then store 0, store 255 (2 tokens each) to one address,
            two constants (5 tokens each), and one instruction of one token, which reads at T: boundaries one token
            apart make the byte index of the writes worst. At ``WRONG`` it returns less than 254.5.
Critical    For T = 2^(15 + n) the constant of ``ENOUGH`` is enough, and at one that is a thousandth less the history is
            wrong.
"""

from fractions import Fraction

from proofs.numbers.instances.examination import Examination
from proofs.numbers.instances.machine_lookups import BYTE, History, Horizons, MemoryCell, Write, steps

SOURCE = "Compiled machines, written cells"
MEMORY = MemoryCell(apart=2)
CELLS = (MEMORY, MemoryCell(apart=5, compared=False), MemoryCell(apart=11, compared=False))
"""The cells of memory, locals and the call stack."""
AFTER = 15
"""The number of tokens from the boundary before the first store to the read."""
DROPS = 40
RIGHT = {False: [(177, 229, 247), (997, 1124, 1198), (5680, 6130, 6475), (34111, 36324, 38105),
                 (217716, 229894, 239866), (1461273, 1533376, 1592926), (10219941, 10671301, 11046102),
                 (73950017, 76905268, 79368921)],
         True: [(228, 289, 311), (1297, 1442, 1535), (7408, 7973, 8412), (44924, 47768, 50066),
                (289104, 304954, 317955), (1953513, 2048232, 2126536), (13738399, 14335710, 14832036),
                (99867959, 103802505, 107084220)]}
"""The greatest lengths that the bounds certify, for each power of ten, and by whether it is times √2."""
WRONG = {False: [178, 1000, 5685, 34117, 217727, 1461293, 10219982, 73950108],
         True: [229, 1300, 7413, 44931, 289115, 1953535, 13738445, 99868062]}
ENOUGH = [(226865846,), (535975503,), (1255016063,), (2914766836,), (6719688558,), (15390494577,)]
"""Constants for T = 2^16, ..., 2^21."""
LESS = Fraction(999, 1000)


def history(tokens: int) -> History:
    """Return the history whose read is at T = ``tokens``."""
    boundaries = steps(tokens, [*[1] * min(DROPS, tokens - AFTER), 2, 2, 5, 5, 1])
    return History(boundaries, [Write(boundaries[-5] - 1, 0, 0), Write(boundaries[-4] - 1, 0, BYTE)], 0)


_HORIZONS = Horizons(CELLS, RIGHT, WRONG, ENOUGH, LESS, history, BYTE)
EXAMINATIONS = (
    Examination("machine-written", SOURCE, "with the constant 10^10 bytes of written cells are right up to T = 2^n",
                "every history of writes to the cell, two tokens apart or more", _HORIZONS.examine),
    Examination("machine-written-horizon", SOURCE, "with the constant 10^(4 + n), or √2 times that, bytes of written "
                "cells are right up to the lengths listed, wrong at some length above", "every history; one history",
                _HORIZONS.examine_lengths),
    Examination("machine-written-critical", SOURCE, "for T = 2^(15 + n) the constant listed is enough for written "
                "cells, a thousandth less is not", "every history; one history", _HORIZONS.examine_constants),
)
