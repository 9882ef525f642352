"""Write networks by hand with their claims: ``python -m examples.adders.by_hand`` writes NAME.json and NAME.toml.

One layer, except for `carries`. The residual stream has a value, coordinates of the place, and the outputs of heads and
hidden units. A head selects a column k by the score sharp (2 k k' - k'^2), which is greatest where k' = k.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from constructions.trained.json_form import network_text
from constructions.trained.network import (
    Affine,
    AttentionStep,
    Scale,
    Step,
    Tensor,
    TrainedHead,
    TrainedNetwork,
    UnitsStep,
    View,
)

FOLDER = Path(__file__).parent
WIDTH = 6
VALUE, COLUMN, SQUARE, ASKED, SUM, NEXT = range(WIDTH)
"""The token's value; the column k' of a place and -k'^2; the column to look up; the sum; a second head's output."""
NOWHERE = -4000.0  # for a place that no head selects
MARGIN = "margin = 0.99\n"
Rows = dict[tuple[int, int], float]


@dataclass
class SparseNetwork:
    """Matrices by their entries."""

    tensors: dict[str, Tensor] = field(default_factory=dict)

    def view(self, array: NDArray[np.float64]) -> View:
        """Return a new tensor."""
        name = f"t{len(self.tensors)}"
        self.tensors[name] = Tensor("binary64", array.shape, array.astype("<f8").tobytes())
        return View(name, 0, array.shape, (array.shape[1], 1) if array.ndim == 2 else (1,))

    def matrix(self, rows: int, columns: int, entries: Rows) -> View:
        """Return a matrix that is 0 except at these entries."""
        array = np.zeros((rows, columns))
        for place, entry in entries.items():
            array[place] = entry
        return self.view(array)

    def affine(self, rows: int, columns: int, entries: Rows, bias: list[float] | None = None) -> Affine:
        """Return a map of the stream."""
        return Affine(self.matrix(rows, columns, entries), None if bias is None else self.view(np.array(bias)))

    def finder(self, sharp: float, before: int, value: float, into: int) -> TrainedHead:
        """Return a head that retrieves values of the column this many before the looked-up one, times a number."""
        return TrainedHead(self.affine(WIDTH, 2, {(ASKED, 0): 2 * sharp}, [-2.0 * sharp * before, sharp]),
                           self.affine(WIDTH, 2, {(COLUMN, 0): 1, (SQUARE, 1): 1}),
                           self.affine(WIDTH, 1, {(VALUE, 0): 1}), self.matrix(1, WIDTH, {(0, into): value}))

    def units(self, reads: list[Rows], starts: list[float], writes: list[float]) -> UnitsStep:
        """Return hidden units relu(x - start), x a combination of the stream, that are written into the sum."""
        inward = {(row, unit): entry for unit, one in enumerate(reads) for (row, _), entry in one.items()}
        return UnitsStep(None, self.affine(WIDTH, len(starts), inward, [-start for start in starts]), None, "relu",
                         self.affine(len(starts), WIDTH, {(unit, SUM): one for unit, one in enumerate(writes)}))

    def made(self, values: list[float], places: list[tuple[float, float, float]], steps: tuple[Step, ...],
             unembedding: Affine) -> TrainedNetwork:
        """Return the network with these values of tokens, and column, -column^2 and looked-up column of each place."""
        tokens = self.matrix(len(values), WIDTH, {(token, VALUE): one for token, one in enumerate(values)})
        positions = self.matrix(len(places), WIDTH, {
            (place, coordinate): one for place, three in enumerate(places)
            for coordinate, one in zip((COLUMN, SQUARE, ASKED), three, strict=True)})
        return TrainedNetwork("causal", tokens, positions, steps, unembedding, self.tensors)

    def nearest(self, letters: int) -> Affine:
        """Return logits 2 d s - d^2: greatest at the letter d nearest to the sum s."""
        return self.affine(WIDTH, letters, {(SUM, letter): 2.0 * letter for letter in range(letters)},
                           [-float(letter * letter) for letter in range(letters)])


@dataclass(frozen=True)
class BoardEntry:
    """A network of the board, and its claim."""

    name: str
    claim: str
    network: TrainedNetwork


def heads(*made: TrainedHead) -> AttentionStep:
    """Return a step with these heads."""
    return AttentionStep(None, made, None, Scale(times=Fraction(1)))


def found(column: int) -> tuple[float, float, float]:
    """Return the coordinates of a place with a column."""
    return float(column), -float(column * column), 0.0


def asks(column: int) -> tuple[float, float, float]:
    """Return the coordinates of a place that no head selects and that looks up a column."""
    return 0.0, NOWHERE, float(column)


def adder(name: str, base: int, columns: int, sharp: float, margin: str = MARGIN) -> BoardEntry:
    """Return a + b, least significant digit first: two heads retrieve the digits of a column and of the one before.

    A column's carry is 1 exactly if a + b - z >= base - 1 in the column before, where z is the digit that was written
    there and is read now. The + before the first column and the = after the last have value 0.
    """
    make = SparseNetwork()
    steps = (heads(make.finder(sharp, 0, 2, SUM), make.finder(sharp, 1, 2, NEXT)),
             make.units([{(NEXT, 0): 1, (VALUE, 0): -1}] * 2, [base / 2 - 0.5, base / 2], [2, -2]),
             make.units([{(SUM, 0): 1}] * 2, [base - 0.75, base - 0.25], [-2.0 * base, 2.0 * base]))
    places = [*map(found, range(columns)), found(-1), *map(found, range(columns)), found(columns)]
    places += [asks(column) for column in range(1, columns + 1)]
    values = [*map(float, range(base)), 0.0, 0.0]
    network = make.made(values, places, steps, make.nearest(base))
    return BoardEntry(name, sum_claim(base, columns, margin), network)


def sum_claim(base: int, columns: int, margin: str) -> str:
    """Return the claim that two numbers are added."""
    return (f'title = "The sum of two numbers of {columns} digits to the base {base}, least significant digit first"\n'
            f'alphabet = "{"0123456789"[:base]}"\ncolumns = {columns}\ntracks = ["a", "b"]\nmachine = "add"\n'
            f'layout = ["a", {base}, "b", {base + 1}, "answer"]\n' + margin)


def carries(name: str, base: int, columns: int) -> BoardEntry:
    """Return a + b with carry lookahead, by two layers: written answers are not read.

    The first layer retrieves the sum s of both digits of a column, at the second number's digit and where the column is
    looked up; hidden units compute whether s = base - 1, which propagates a carry, and s >= base, which generates one.
    The second layer selects the last earlier column that does not propagate, and retrieves whether it generates a
    carry. The + is before the first column. A place's key is its column; queries grow up to the looked-up column.
    """
    make, count = SparseNetwork(), columns + 1
    value, total, passes, makes, far, carry = range(6)
    key, asks_of, width = 6, 6 + count, 6 + 2 * count
    places: Rows = {(columns, key + columns): 1.0, (columns, asks_of + columns): 1.0}
    for column in range(columns):
        places |= {(column, key + column): 1.0, (column, far): -1.0}
        places |= {(count + column, key + column): 1.0, (count + column, asks_of + column): 1.0}
    for answer in range(count):
        place = columns + count + answer
        places |= {(place, asks_of + column): column + 4.0 for column in range(answer + 1)} | {(place, far): -1.0}
    ask: Rows = {(asks_of + column, column): 1.0 for column in range(count)}

    def head(sharp: float, more: list[float], keys: Rows, attended: int, times: float, into: int) -> AttentionStep:
        query = {at: sharp * entry for at, entry in ask.items()}
        return heads(TrainedHead(make.affine(width, count + len(more), query, [0.0] * count + more),
                                 make.affine(width, count + len(more), keys), make.affine(width, 1, {(attended, 0): 1}),
                                 make.matrix(1, width, {(0, into): times})))

    def units(reads: int, times: float, starts: list[float], writes: Rows) -> UnitsStep:
        inward = {(reads, unit): times for unit in range(len(starts))}
        return UnitsStep(None, make.affine(width, len(starts), inward, [-start for start in starts]), None, "relu",
                         make.affine(len(starts), width, writes))

    own: Rows = {(key + column, column): 1.0 for column in range(count)}
    later: Rows = {(key + column, (column + 1) % count): 1.0 for column in range(count)}
    later |= {(passes, count): 1.0, (far, count + 1): -1.0}
    steps = (head(40.0, [], own, value, 2.0, total),
             units(total, 1.0, [base - 2.0, base - 1.0, float(base)],
                   {(0, passes): 1.0, (1, passes): -2.0, (2, passes): 1.0, (1, makes): 1.0, (2, makes): -1.0}),
             head(2.0, [-2.0 * (columns + 6), -600.0], later, makes, 1.0, carry),
             units(carry, 2.0, [0.5, 1.5], {(0, total): 1.0, (1, total): -1.0}),
             units(total, 1.0, [base - 0.75, base - 0.25], {(0, total): -2.0 * base, (1, total): 2.0 * base}))
    tokens = make.matrix(base + 2, width, {(digit, value): float(digit) for digit in range(base)})
    unembedding = make.affine(width, base, {(total, digit): 2.0 * digit for digit in range(base)},
                              [-float(digit * digit) for digit in range(base)])
    network = TrainedNetwork("causal", tokens, make.matrix(3 * columns + 2, width, places), steps, unembedding,
                             make.tensors)
    return BoardEntry(name, sum_claim(base, columns, MARGIN), network)


def reverser(name: str, columns: int, sharp: float) -> BoardEntry:
    """Return the digits from last to first: the head retrieves the digit of the looked-up column."""
    make = SparseNetwork()
    places = [*map(found, range(columns)), *map(asks, reversed(range(columns)))]
    claim = (f'title = "{columns} digits from the last to the first"\nalphabet = "0123456789"\ncolumns = {columns}\n'
             'tracks = ["a"]\nmachine = "reverse"\nlayout = ["a", 10, "answer"]\n' + MARGIN)
    steps = (heads(make.finder(sharp, 0, 1, SUM)),)
    network = make.made([*map(float, range(10)), 0.0], places, steps, make.nearest(10))
    return BoardEntry(name, claim, network)


def counter(make: SparseNetwork, columns: int) -> AttentionStep:
    """Return a head that averages the word, and writes its number of ones: the word's places have column 1."""
    return heads(TrainedHead(make.affine(WIDTH, 1, {}, [1.0]), make.affine(WIDTH, 1, {(SQUARE, 0): 1}),
                             make.affine(WIDTH, 1, {(VALUE, 0): 1}), make.matrix(1, WIDTH, {(0, SUM): columns})))


def parity(name: str, columns: int) -> BoardEntry:
    """Return whether a word of 0 and 1 has an odd number of ones: a zigzag of their number.

    The transducer counts the ones: so words with the same number form a class with the same average.
    """
    make = SparseNetwork()
    turns = list(range(columns))
    steps = (counter(make, columns),
             make.units([{(SUM, 0): 1}] * len(turns), [float(turn) for turn in turns],
                        [0.0 if turn == 0 else 2.0 * (-1) ** turn for turn in turns]))
    claim = (f'title = "Whether the number of ones among {columns} letters is odd"\nalphabet = "01"\n'
             f'columns = {columns}\ntracks = ["word"]\nlayout = ["word", 2, "answer"]\n{MARGIN}[machine]\n'
             'start = { ones = 0 }\nnext = { ones = "ones + word" }\nend = { answer = ["ones % 2"] }\n')
    places = [(0.0, 0.0, 0.0)] * columns + [(0.0, NOWHERE, 0.0)]
    network = make.made([0.0, 1.0, 0.0], places, steps, make.nearest(2))
    return BoardEntry(name, claim, network)


def sorter(name: str, columns: int) -> BoardEntry:
    """Return the letters of a word of 0 and 1 in order: a 1 where the place is beyond the number of zeros."""
    make = SparseNetwork()
    places = [(0.0, 0.0, 0.0)] * columns + [(0.0, NOWHERE, float(column)) for column in range(columns)]
    unembedding = make.affine(WIDTH, 2, {(SUM, 1): 2.0, (ASKED, 1): 2.0}, [0.0, 1.0 - 2.0 * columns])
    claim = (f'title = "{columns} letters 0 and 1 in order"\nalphabet = "01"\ncolumns = {columns}\ntracks = ["word"]\n'
             'machine = "sort"\nlayout = ["word", 2, "answer"]\n' + MARGIN)
    network = make.made([0.0, 1.0, 0.0], places, (counter(make, columns),), unembedding)
    return BoardEntry(name, claim, network)


def brackets(name: str, columns: int, sharp: float) -> BoardEntry:
    """Return the depth after each bracket, and -1 from an unmatched closing one on.

    The head retrieves the looked-up bracket, 1 or -1, and adds it to the depth written last, where -1 counts as -3.
    """
    make, depths = SparseNetwork(), list(range(-1, columns + 2))
    steps = (heads(make.finder(sharp, 0, 1, SUM)),
             make.units([{(VALUE, 0): 1}, {(VALUE, 0): -1}], [0.0, 0.0], [1.0, -3.0]))
    unembedding = make.affine(WIDTH, 3 + len(depths), {(SUM, 3 + place): 2.0 * d for place, d in enumerate(depths)},
                              [0.0, 0.0, 0.0, *(-float(d * d) for d in depths)])
    claim = (f'title = "The depth after each of {columns} brackets, and -1 once one closes that none had opened"\n'
             f'alphabet = "()"\nanswers = {list(range(3, 3 + len(depths)))}\namong = "answers"\ncolumns = {columns}\n'
             f'tracks = ["word"]\nlayout = ["word", 2, "answer"]\n{MARGIN}[machine]\nstart = {{ depth = 0 }}\n'
             'write = { answer = "0 if depth < 0 else depth + 2 - 2 * word" }\n'
             'next = { depth = "-1 if depth < 0 else depth + 1 - 2 * word" }\n')
    places = [*map(found, range(columns)), *map(asks, range(columns))]
    network = make.made([1.0, -1.0, 0.0, *map(float, depths)], places, steps, unembedding)
    return BoardEntry(name, claim, network)


def entries() -> tuple[BoardEntry, ...]:
    """Return all networks of the board."""
    return (adder("decimal", 10, 10, 40.0), adder("decimal_soft", 10, 10, 4.2, ""), adder("binary", 2, 16, 40.0),
            reverser("reverse", 10, 40.0), parity("parity", 16), sorter("sort", 16),
            brackets("brackets", 32, 40.0), carries("carries", 10, 10))


def write(folder: Path) -> None:
    """Write the files of all networks."""
    for entry in entries():
        (folder / f"{entry.name}.json").write_text(network_text(entry.network), encoding="utf-8")
        (folder / f"{entry.name}.toml").write_text(entry.claim, encoding="utf-8")


if __name__ == "__main__":
    write(FOLDER)
