"""Random questions about arithmetic on a few digits, the sequences that they ask for by Python's own numbers, and
random networks of one layer of which many are nearly right."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from constructions.trained.json_form import network_text
from constructions.trained.network import Affine, NormStep, Scale, Step, Tensor, TrainedNetwork, UnitsStep
from tests.trained.random_networks import ACTIVATIONS, Maker
from tests.trained.tracks.adders import Tensors, adder
from tests.trained.tracks.plain_tracks import Document, PlainNetwork

VOCABULARY = 5
Digits = tuple[int, ...]
Written = Callable[[list[Digits], int], list[int] | None]


def digits(number: int, base: int, count: int) -> list[int]:
    """Least significant digit first."""
    return [number // base**k % base for k in range(count)]


def number(one: Digits, base: int) -> int:
    return sum(digit * base**k for k, digit in enumerate(one))


def difference(tracks: list[Digits], base: int) -> list[int] | None:
    a, b = (number(one, base) for one in tracks)
    return digits(a - b, base, len(tracks[0])) if a >= b else None


def compared(tracks: list[Digits], base: int) -> list[int]:
    a, b = (number(one, base) for one in tracks)
    return [(a < b) + 2 * (a > b)]


MACHINES: dict[str, tuple[int, str, Written]] = {
    "add": (2, "", lambda tracks, base: digits(sum(number(one, base) for one in tracks), base, len(tracks[0]) + 1)),
    "subtract": (2, "", difference),
    "compare": (2, "", compared),
    "max": (2, "", lambda tracks, base: list(max(tracks))),
    "min": (2, "", lambda tracks, base: list(min(tracks))),
    "copy": (1, "", lambda tracks, base: list(tracks[0])),
    "sort": (1, "", lambda tracks, base: sorted(tracks[0])),
    "multiply-by": (1, "by = 2\n", lambda tracks, base: digits(2 * number(tracks[0], base), base, len(tracks[0]) + 1)),
    "modular-sum": (2, "by = 3\n", lambda tracks, base: [sum(map(sum, tracks)) % 3])}

LAYOUTS = (
    lambda a, b, answer: ['"a"', *'S' * b, '"b"' * b, "E", '"answer"'],
    lambda a, b, answer: ["S", '{ each = ["a", "b"] }' if b else '"a"', "E", '"answer"'],
    lambda a, b, answer: ['{ track = "a", from = "last" }', "S", '{ track = "b", from = "last" }' * b, "E",
                          '{ track = "answer", from = "last" }'],
    lambda a, b, answer: ["E", '{ track = "a", pad = S, to = 4 }', '"b"' * b, '"answer"'],
    lambda a, b, answer: ['"b"' * b, '"a"', '"answer"'])


@dataclass(frozen=True)
class Question:
    """A claim file, and what its inputs and their sequences are."""

    base: int
    columns: int
    machine: str
    layout: int
    tokens: tuple[int, ...]
    separators: tuple[int, int]

    @property
    def text(self) -> str:
        """The claim file."""
        tracks, more, _ = MACHINES[self.machine]
        shape = [part for part in LAYOUTS[self.layout](1, tracks - 1, 1) if part]
        layout = ", ".join(shape).replace("S", str(self.separators[0])).replace("E", str(self.separators[1]))
        return (f'alphabet = "{"012"[:self.base]}"\ntokens = {list(self.tokens[:self.base])}\n'
                f'answers = {list(self.tokens)}\ncolumns = {self.columns}\ntracks = {["a", "b"][:tracks]}\n'
                f'machine = "{self.machine}"\n{more}layout = [{layout}]\n')

    def sequences(self) -> Iterator[tuple[int, ...]]:
        """Yield the tokens of every input, in the order of its columns."""
        tracks, _, answers = MACHINES[self.machine]
        letters = list(product(range(self.base), repeat=tracks))
        for columns in product(letters, repeat=self.columns):
            each = [tuple(column[track] for column in columns) for track in range(tracks)]
            wanted = answers(each, self.base)
            if wanted is not None:
                yield tuple(self.laid_out([[self.tokens[letter] for letter in one] for one in each],
                                          [self.tokens[value] for value in wanted]))

    def laid_out(self, tracks: list[list[int]], answer: list[int]) -> list[int]:
        """One sequence."""
        (a, *rest), (s, e) = tracks, self.separators
        b = rest[0] if rest else []
        match self.layout:
            case 0:
                return [*a, *[s] * bool(rest), *b, e, *answer]
            case 1:
                return [s, *[token for column in zip(*tracks, strict=True) for token in column], e, *answer]
            case 2:
                return [*a[::-1], s, *b[::-1], e, *answer[::-1]]
            case 3:
                return [e, *a, *[s] * (4 - len(a)), *b, *answer]
        return [*b, *a, *answer]


def random_question(seed: int) -> Question:
    """Two or three columns of digits to the base 2 or 3."""
    draw = np.random.default_rng(seed)
    machine = "add" if draw.random() < 0.5 else str(draw.choice([*MACHINES]))
    layout = 0 if draw.random() < 0.5 else int(draw.integers(len(LAYOUTS)))
    tokens = draw.permutation(VOCABULARY) if draw.random() < 0.5 else np.arange(VOCABULARY)
    return Question(int(draw.integers(2, 4)), int(draw.integers(2, 4)), machine, layout, tuple(tokens[:3].tolist()),
                    tuple(draw.integers(VOCABULARY, size=2).tolist()))


def noisy_adder(seed: int) -> tuple[Question, TrainedNetwork]:
    """Return an adder that is written by hand, with every weight moved a little or too much."""
    draw = np.random.default_rng(seed)
    base, columns = int(draw.integers(2, 4)), int(draw.integers(2, 4))
    made, size = adder(base, columns, heads=int(draw.integers(1, 3))), 10 ** draw.uniform(-5, -1)
    tensors = {}
    for name, tensor in made.tensors.items():
        numbers = np.frombuffer(tensor.data, "<f8")
        moved = numbers + (numbers != 0) * draw.normal(size=len(numbers)) * size
        tensors[name] = Tensor("binary64", tensor.shape, moved.astype("<f8").tobytes())
    question = Question(base, columns, "add", 0, (0, 1, 2)[:base], (base, base + 1))
    return question, replace(made, tensors=tensors)


def fitted(seed: int) -> tuple[Question, TrainedNetwork]:
    """A random layer whose unembedding is fitted to the right answers of all inputs. Scores differ by a few units."""
    question, maker = random_question(seed), Maker(np.random.default_rng(seed), 0.7)
    width = int(maker.draw.integers(10, 25))
    attention = replace(maker.attention(width), scale=Scale(times=Fraction(1, 8 * width)))
    steps: list[Step] = [maker.units(width)] if maker.choice(True, False, False) else []
    steps.append(attention)
    wide = Affine(maker.matrix(width, 2 * width), maker.vector(2 * width))
    activation = ACTIVATIONS[maker.draw.integers(len(ACTIVATIONS) - 1)]
    steps.append(UnitsStep(maker.maybe_norm(width), wide, None, activation, Affine(maker.matrix(2 * width, width))))
    steps += [NormStep(maker.norm(width))] if maker.choice(True, False) else []
    positions = maker.matrix(12, width) if maker.choice(True, True, False) else None
    tokens, make = maker.matrix(VOCABULARY, width), Tensors()
    network = TrainedNetwork("causal", tokens, positions, tuple(steps), Affine(make.view(np.eye(width))),
                             {**maker.tensors, **{f"u{name}": one for name, one in make.made.items()}})
    network = replace(network, unembedding=Affine(replace(network.unembedding.weight, tensor="ut0")))
    sequences = np.array([*question.sequences()])
    streams, _ = PlainNetwork(document(network)).run(sequences[:, :-1], 0)
    first = sequences.shape[1] - (len(next(answers(question))))
    rows = streams[:, first - 1:].reshape(-1, width)
    targets = np.eye(VOCABULARY)[sequences[:, first:].ravel()]
    weights = np.linalg.lstsq(rows, targets, rcond=1e-6)[0] * 8
    fitted_ones = Tensor("binary64", (width, VOCABULARY), weights.astype("<f8").tobytes())
    return question, replace(
        network, tensors={**network.tensors, "ut0": fitted_ones},
        unembedding=Affine(replace(network.unembedding.weight, shape=(width, VOCABULARY), strides=(VOCABULARY, 1))))


def answers(question: Question) -> Iterator[list[int]]:
    """Yield the output digits of every input."""
    tracks, _, written = MACHINES[question.machine]
    for each in product(product(range(question.base), repeat=question.columns), repeat=tracks):
        wanted = written(list(each), question.base)
        if wanted is not None:
            yield wanted


def document(network: TrainedNetwork) -> Document:
    """Return the network's JSON object."""
    found: dict[str, Any] = json.loads(network_text(network))
    return found


def random_case(seed: int) -> tuple[Question, TrainedNetwork]:
    """Return an adder with noise, or a random layer that is fitted, or one that is not."""
    if seed % 3 == 0:
        return noisy_adder(seed)
    question, network = fitted(seed)
    if seed % 12 == 1:
        draw = np.random.default_rng(seed)
        tensor = network.tensors["ut0"]
        random = draw.normal(size=tensor.shape).astype("<f8").tobytes()
        return question, replace(network, tensors={**network.tensors, "ut0": replace(tensor, data=random)})
    return question, network
