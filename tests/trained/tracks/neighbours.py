"""A handmade network of two layers that copies a word: each place has attended to the place before it."""

from fractions import Fraction

from constructions.trained.network import TrainedHead, TrainedNetwork
from constructions.trained.tracks import Layout, TokenSource, Track, TracksClaim, Transducer
from examples.adders.by_hand import (
    ASKED,
    COLUMN,
    NEXT,
    NOWHERE,
    SQUARE,
    SUM,
    VALUE,
    WIDTH,
    SparseNetwork,
    asks,
    found,
    heads,
)


def copier(letters: int, columns: int, sharp: float = 40.0) -> TrainedNetwork:
    """The first layer writes the letter of the place before; the second finds the place after that of the letter that
    is asked for, and what it has heard: a letter is read from a place that has another. The last one is not asked."""
    make = SparseNetwork()

    def finder(asks_of: int, before: int, attended: int, into: int) -> TrainedHead:
        return TrainedHead(make.affine(WIDTH, 2, {(asks_of, 0): 2 * sharp}, [-2.0 * sharp * before, sharp]),
                    make.affine(WIDTH, 2, {(COLUMN, 0): 1, (SQUARE, 1): 1}), make.affine(WIDTH, 1, {(attended, 0): 1}),
                           make.matrix(1, WIDTH, {(0, into): 1}))

    places = [*map(found, range(columns)), (0.0, NOWHERE, 0.0), *map(asks, range(1, columns - 1))]
    steps = (heads(finder(COLUMN, 1, VALUE, NEXT)), heads(finder(ASKED, -1, NEXT, SUM)))
    return make.made([*map(float, range(letters)), 0.0], places, steps, make.nearest(letters))


def copies(letters: int, columns: int) -> TracksClaim:
    """All letters but the last, after a separator."""
    table = (tuple((0, letter) for letter in range(letters)),)
    layout = (*(TokenSource("track", 0, column) for column in range(columns)), TokenSource("token", letters),
              *(TokenSource("answer", 0, column) for column in range(columns - 1)))
    tokens = tuple(range(letters))
    return TracksClaim((Track("word", tuple("abcdefghij"[:letters]), tokens),), Transducer(0, (table,), ((),)),
                       (Layout((0,) * columns, layout),), 0, tokens, Fraction(1, 2))
