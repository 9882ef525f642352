"""Files of weights: each input weighs what the definition says, and what is malformed is one line."""

from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from certify.claims.trained.count_weights import Shape, weights_of_shapes
from constructions.errors import InputError
from constructions.trained.weights import Weights

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
Input = tuple[tuple[int, ...], ...]
"""The letters of each column."""


def weight_of(weights: Weights, shape: Shape, columns: Input) -> Fraction:
    """Return the sum over all runs, one by one."""
    total = Fraction(0)
    runs = [(state, one) for state, one in enumerate(weights.start)]
    for number, letters in zip(weights.columns, columns, strict=True):
        steps = weights.tables[number][shape.combinations.index(letters)]
        runs = [(target, found * factor) for state, found in runs for source, target, factor in steps
                if source == state]
    for state, found in runs:
        total += found * weights.end[state]
    return total


def all_weights(text: str, shape: Shape, folder: Path) -> dict[Input, Fraction]:
    (folder / "w.toml").write_text(text, encoding="utf-8")
    (weights,) = weights_of_shapes(str(folder / "w.toml"), [shape], lambda _number, one: sum(
        (weight_of(one, shape, columns) for columns in inputs(shape)), Fraction(0)))
    return {columns: weight_of(weights, shape, columns) for columns in inputs(shape)}


def inputs(shape: Shape) -> list[Input]:
    return list(product(shape.combinations, repeat=shape.columns))


def two(columns: int, last_first: bool = True) -> Shape:
    return Shape({"a": ("0", "1", "2"), "b": ("0", "1", "2")}, columns, last_first)


def test_letters_weigh_by_track_and_column(tmp_path: Path) -> None:
    found = all_weights("""letters = { 0 = "1/2" }
tracks.b = { 2 = 0, 1 = 0.25 }
column = [{ at = -1, letters = { 1 = 5 } }, { at = "2..9", tracks.a = { 0 = 0 } }]
""", two(3), tmp_path)
    first: dict[str, tuple[Fraction | int, ...]] = {"a": (HALF, 1, 1), "b": (1, Fraction(1, 4), 0)}
    middle = {**first, "a": (0, 1, 1)}
    last = {**middle, "b": (1, 5, 1)}
    for columns, weight in found.items():
        expected = Fraction(1)
        for letters, table in zip(columns, (first, middle, last), strict=True):
            expected *= table["a"][letters[0]] * table["b"][letters[1]]
        assert weight == expected


@pytest.mark.parametrize("last_first", [True, False])
def test_a_number_of_a_drawn_length_has_no_zero_in_front(last_first: bool, tmp_path: Path) -> None:
    found = all_weights("""tracks.a = { 2 = 2 }
numbers.a = "1..-1"
numbers.b = { 2 = 1 }
""", two(3, last_first), tmp_path)
    assert sum(found.values()) == 1
    for columns, weight in found.items():
        digits = [[letters[track] for letters in columns][::-1 if last_first else 1] for track in range(2)]
        a, b = ("".join(map(str, one)).lstrip("0") or "0" for one in digits)
        draws = Fraction(1, 3)
        for place, digit in enumerate(a):
            among = "122" if place == 0 and len(a) > 1 else "0122"
            draws *= Fraction(among.count(digit), len(among))
        assert weight == draws * (Fraction(1, 6) if len(b) == 2 else 0), (a, b)


def test_an_automaton_weighs_the_sum_over_its_runs(tmp_path: Path) -> None:
    """Two runs on a 1: to the state that counts, or to stay."""
    found = all_weights("""[automaton]
start = { q = "1/3" }
end = { r = 2, q = "1/2" }
step = [{ from = "q", to = "q" }, { from = "q", to = "r", weight = "1/5", on = { a = "1", b = ["0", "2"] } },
        { from = "r", to = "r", at = "2..-1", on = { b = [1] } }]
""", two(2), tmp_path)
    for columns, weight in found.items():
        (a, b), (c, d) = columns
        one, other = (Fraction(1, 5) if place in ((1, 0), (1, 2)) else Fraction(0) for place in ((a, b), (c, d)))
        assert weight == THIRD * (HALF + 2 * other + 2 * one * (d == 1))


def test_all_of_them_multiply_and_lengths_share_what_is_left(tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text('lengths = { 1 = "1/4", 2 = "3/4" }\ntracks.a = { 0 = 3 }\n'
                                     'automaton = { start = "q", step = [{ from = "q", to = "q", weight = 7 }] }\n',
                                     encoding="utf-8")
    shapes = [two(1), two(2)]

    def total(number: int, weights: Weights) -> Fraction:
        return sum((weight_of(weights, shapes[number], one) for one in inputs(shapes[number])), Fraction(0))

    found = weights_of_shapes(str(tmp_path / "w.toml"), shapes, total)
    assert [total(number, one) for number, one in enumerate(found)] == [Fraction(1, 4), Fraction(3, 4)]
    assert weight_of(found[1], shapes[1], ((0, 0), (1, 2))) == Fraction(3, 4) * Fraction(3, 15**2)


BITS = 2**64 - 1
NOTHING = "the inputs of a form weigh nothing, expected weights above 0"


@pytest.mark.parametrize(("text", "line"), [
    ("letter = {}", 'weights: unknown key "letter", did you mean letters?'),
    ("lengths = 3", 'lengths: 3, expected "alike" or a table of numbers of columns'),
    ("lengths = { 3 = 1 }", 'lengths: unknown key "3", expected one of 2'),
    ('lengths = "alike"\nletters = { 0 = 0, 1 = 0, 2 = 0 }', NOTHING),
    ("letters = { 0 = 0, 1 = 0, 2 = 0 }", NOTHING),
    ("lengths = { 2 = 0 }", NOTHING),
    ("letters = { 7 = 1 }", 'letters: unknown key "7", expected one of 0, 1, 2'),
    ("tracks.c = {}", 'tracks: unknown key "c", expected one of a, b'),
    ("tracks.a = { 0 = -1 }", 'tracks: a: 0: -1, expected a number that is 0 or more, such as 0.25 or "1/4"'),
    ("tracks.a = 1", "tracks: a: 1, expected a table with the keys 0, 1, 2"),
    ("column = { at = 1 }", 'column: {"at": 1}, expected tables [[column]]'),
    ("[[column]]\nat = 0", 'column: at: 0, expected a column such as 1, -1 (the last one) or "1..3"'),
    ("[[column]]", "column: no key at, expected one"),
    ('numbers.a = "1..3"', 'numbers: a: "1..3", expected lengths such as "1..2", or a table of them'),
    ("numbers.a = { 3 = 1 }", 'numbers: a: unknown key "3", expected one of 1, 2'),
    ('tracks.a = { 1 = 0, 2 = 0 }\nnumbers.a = "2"', "numbers: a: no letter is left for a first digit"),
    ("[automaton]\nstart = 1\nstep = []", "automaton: step: [], expected tables [[automaton.step]]"),
    ('automaton = { start = 1, step = [{ from = "q", to = "q" }] }',
     "automaton: start: 1, expected a state, or a table of states and weights"),
    ('automaton = { start = "q", end = "r", step = [{ from = "q", to = "q" }] }',
     "automaton: end: r, expected one of q"),
    ('automaton = { start = "q", step = [{ from = "q", to = "q", on = { a = ["3"] } }] }',
     'automaton: step: on: a: ["3"], expected letters of 0, 1, 2'),
    ('automaton = { start = "q", step = [{ from = "q", to = 1 }] }', "automaton: step: to: 1, expected a string"),
    (f'tracks.a = {{ 0 = "1/{BITS}", 1 = "1/{BITS + 2}", 2 = "1/{BITS - 2}" }}',
     "weights with more than 128 bits, expected shorter fractions")])
def test_what_is_malformed_is_one_line(text: str, line: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        all_weights(text, two(2), tmp_path)
    assert str(error.value) == f"{tmp_path / 'w.toml'}: {line}"
