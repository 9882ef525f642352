"""Small random networks, their runs in binary64, and certificates by classes whose ranges come from all words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from random import Random
from struct import pack

import numpy as np

from proofs.check.checker.budget import Budget
from proofs.check.checker.language import Language
from proofs.check.checker.reading.dyadics import Matrix, Vector
from proofs.check.checker.reading.trained import Automaton, Case, ClassesUnit, Decision, Graph, TrainedClaim, When
from proofs.check.checker.reading.trained_network import (
    Affine,
    AttentionStep,
    Head,
    Network,
    Norm,
    NormStep,
    Rotary,
    Scale,
    Step,
    UnitsStep,
)

POWER = -12
BITS = 22
Word = tuple[int, ...]
Array = np.ndarray


class Maker:
    """Random records of networks, entries multiples of 2^-12."""

    def __init__(self, seed: int, width: int) -> None:
        self.random, self.width = Random(seed), width

    def vector(self, length: int, size: float = 1.0, middle: float = 0.0) -> Vector:
        return Vector(tuple(self._entry(size, middle) for _ in range(length)), POWER)

    def matrix(self, height: int, width: int, size: float) -> Matrix:
        return Matrix(tuple(tuple(self._entry(size, 0) for _ in range(width)) for _ in range(height)), width, POWER)

    def _entry(self, size: float, middle: float) -> int:
        return round((middle + self.random.uniform(-size, size)) * 2**-POWER)

    def affine(self, height: int, width: int, size: float, biased: bool = True) -> Affine:
        return Affine(self.matrix(height, width, size), self.vector(width, 0.3) if biased else None)

    def norm(self, kind: str = "layer", epsilon: Fraction = Fraction(1, 100000)) -> Norm:
        return Norm(kind, epsilon, self.vector(self.width, 0.4, 1.0), self.vector(self.width, 0.3))

    def attention(self, heads: int = 1, m: int | None = None, norm: Norm | None = None, scale: Scale | None = None,
                  rotary: Rotary | None = None, slopes: bool = False, size: float = 0.7) -> AttentionStep:
        m, d = m or self.width // heads, self.width
        made = tuple(Head(self.affine(d, m, size), self.affine(d, m, size, biased=False), self.affine(d, m, size),
                          self.matrix(m, d, size), Fraction(k + 1, 7) if slopes else None) for k in range(heads))
        return AttentionStep(norm, made, self.vector(d, 0.2), scale or Scale(None, m), rotary)

    def units(self, number: int, activation: str, norm: Norm | None = None, gated: bool = False) -> UnitsStep:
        d = self.width
        return UnitsStep(norm, self.affine(d, number, 0.6), self.affine(d, number, 0.6) if gated else None, activation,
                         self.affine(number, d, 0.4))

    def rotary(self, rows: int, pairs: int, halves: bool = True) -> Rotary:
        angles = [[(p + 1) / (r + 1.5) for r in range(pairs)] for p in range(rows)]

        def table(f: Callable[[float], float]) -> Matrix:
            return Matrix(tuple(tuple(round(f(x) * 2**20) for x in row) for row in angles), pairs, -20)
        return Rotary(table(math.cos), table(math.sin), halves)

    def network(self, steps: Sequence[Step], vocabulary: int = 4, rows: int | None = 12, outputs: int = 3) -> Network:
        return Network((), True, self.matrix(vocabulary, self.width, 1.0),
                       None if rows is None else self.matrix(rows, self.width, 0.5), tuple(steps),
                       self.affine(self.width, outputs, 0.8))


def floats(x: Matrix | Vector) -> Array:
    """The numbers, exactly."""
    return np.array(x.rows if isinstance(x, Matrix) else x.entries, dtype=float) * 2.0**x.power


def affine(x: Array, a: Affine) -> Array:
    return x @ floats(a.weight) + (0 if a.bias is None else floats(a.bias))


def normed(x: Array, norm: Norm | None) -> Array:
    if norm is None:
        return x
    c = x - x.mean(-1, keepdims=True) if norm.kind == "layer" else x
    y = c / np.sqrt((c * c).mean(-1, keepdims=True) + float(norm.epsilon))
    return y * (1 if norm.gain is None else floats(norm.gain)) + (0 if norm.bias is None else floats(norm.bias))


def acted(name: str, x: Array) -> Array:
    c, a = float.fromhex("0x1.9884533d43651p-1"), 0.044715
    return {"relu": lambda: np.maximum(x, 0), "gelu": lambda: x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2,
            "gelu-tanh": lambda: x / (1 + np.exp(-2 * c * (x + a * x**3))), "silu": lambda: x / (1 + np.exp(-x)),
            "sigmoid": lambda: 1 / (1 + np.exp(-x)), "tanh": lambda: np.tanh(x)}[name]()


def turned(x: Array, rotary: Rotary | None, positions: Array) -> Array:
    if rotary is None:
        return x
    cosines, sines = floats(rotary.cosines)[positions], floats(rotary.sines)[positions]
    pairs = cosines.shape[1]
    a, b = (slice(0, pairs), slice(pairs, 2 * pairs)) if rotary.halves else (slice(0, 2 * pairs, 2),
                                                                            slice(1, 2 * pairs, 2))
    y = x.copy()
    y[:, a], y[:, b] = x[:, a] * cosines - x[:, b] * sines, x[:, b] * cosines + x[:, a] * sines
    return y


@dataclass
class Run:
    """Of one input: z[attention step][head][token], the stream after every step, and the logits."""

    averages: list[list[Array]]
    streams: list[Array]
    logits: Array


def run(network: Network, tokens: Sequence[int], offset: int) -> Run:
    """A causal run in binary64."""
    positions = np.arange(offset, offset + len(tokens))
    h = floats(network.tokens)[list(tokens)] + (0 if network.positions is None else floats(network.positions)[positions])
    averages, streams = [], [h]
    for step in network.steps:
        if isinstance(step, NormStep):
            h = normed(h, step.norm)
        elif isinstance(step, UnitsStep):
            x = normed(h, step.norm)
            inward = affine(x, step.inward)
            units = acted(step.activation, inward) if step.gate is None else (
                acted(step.activation, affine(x, step.gate)) * inward)
            h = h + affine(units, step.outward)
        else:
            h, found = attended(step, h, positions)
            averages.append(found)
        streams.append(h)
    return Run(averages, streams, affine(h, network.unembedding))


def attended(step: AttentionStep, h: Array, positions: Array) -> tuple[Array, list[Array]]:
    x, found = normed(h, step.norm), []
    result = h + (0 if step.bias is None else floats(step.bias))
    for head in step.heads:
        q, k = (turned(affine(x, a), step.rotary, positions) for a in (head.query, head.key))
        scale = float(step.scale.times) if step.scale.times is not None else 1 / math.sqrt(step.scale.root or 1)
        scores = q @ k.T * scale
        if head.slope is not None:
            scores = scores + float(head.slope) * (positions[None, :] - positions[:, None])
        scores[np.triu_indices(len(h), 1)] = -np.inf
        w = np.exp(scores - scores.max(1, keepdims=True))
        z = w @ affine(x, head.value) / w.sum(1, keepdims=True)
        found.append(z)
        result = result + z @ floats(head.out)
    return result, found


def make_graph(letters: int, length: int, state: Callable[[Word], object], after: int = 0) -> tuple[Graph, dict[Word, int]]:
    """Classes by the last letter and a state; and the node of each word."""
    nodes: dict[Word, int] = {(): 0}
    levels = []
    for j in range(length):
        places: dict[object, int] = {}
        successors: dict[int, list[int]] = {}
        for word in [w for w in nodes if len(w) == j]:
            for letter in range(letters):
                longer = (*word, letter)
                nodes[longer] = places.setdefault((letter, state(longer)), len(places))
            successors.setdefault(nodes[word], [nodes[(*word, a)] for a in range(letters)])
        levels.append(tuple(tuple(successors[k]) for k in range(len(successors))))
    size = len({nodes[w] for w in nodes if len(w) == length})
    levels += [tuple((k,) for k in range(size))] * after + [((),) * size]
    return tuple(levels), nodes


def identity_directions(network: Network, random: Random | None = None) -> tuple[tuple[bytes, ...], ...]:
    """The unit vectors, or turned ones, as int32 over 2^30."""
    def one(m: int) -> bytes:
        q = np.eye(m) if random is None else np.linalg.qr(np.array([[random.gauss(0, 1) for _ in range(m)]
                                                                    for _ in range(m)]))[0]
        return np.round(q * 2**30).clip(-(2**31), 2**31 - 1).astype("<i4").tobytes()
    return tuple(tuple(one(head.value.weight.width) for head in step.heads) for step in network.attention_steps)


def claim_of(network: Network, letters: int, **changes: object) -> TrainedClaim:
    """A claim without cases: tokens 0, 1, ..., the last token before the word."""
    start = len(network.tokens.rows) - 1
    claim = TrainedClaim(tuple("abcdefg"[:letters]), tuple(range(letters)), (start,), (), (0, 0), 1, 3, "each", False,
                         Fraction(0), None, {}, ())
    return replace(claim, **changes)  # type: ignore[arg-type]


def words_of(letters: int, length: int) -> Iterable[Word]:
    return product(range(letters), repeat=length)


@dataclass
class Made:
    """A certificate of one unit, with what it was made from."""

    decision: Decision
    unit: ClassesUnit
    budget: Budget
    members: dict[tuple[int, int], list[tuple[int, ...]]]


def always(row: Sequence[tuple[int, Fraction]], *formulas: str, language: Language) -> Case:
    return Case(When(language.formula(formulas[0] if formulas else "true"), None), (tuple(row),))


def true_ranges(network: Network, members: dict[tuple[int, int], list[tuple[int, ...]]], offset: int,
                directions: tuple[tuple[bytes, ...], ...], needed: Sequence[Sequence[tuple[int, int]]],
                widen: float) -> list[tuple[int, int]]:
    """For each step and needed node, head and direction: the range over all inputs that end in the node, widened."""
    runs = {node: [run(network, tokens, offset) for tokens in inputs] for node, inputs in members.items()}
    found = []
    for k, nodes in enumerate(needed):
        for node in nodes:
            for h, data in enumerate(directions[k]):
                m = math.isqrt(len(data) // 4)
                q = np.frombuffer(data, "<i4").reshape(m, m) / 2**30
                values = np.array([q @ one.averages[k][h][node[0]] for one in runs[node]])
                for low, high in zip(values.min(0), values.max(0), strict=True):
                    found.append((math.floor((low - widen) * 2**BITS), math.ceil((high + widen) * 2**BITS)))
    return found


def make(network: Network, claim: TrainedClaim, language: Language, budget: Budget, state: Callable[[Word], object],
         first: int, last: int, offset: int = 0, widen: float = 1e-5, turn: Random | None = None) -> Made:
    """A unit whose ranges are those of all words, widened; every judged node is asked if some case has a row."""
    by_place = claim.read == "each" or not claim.after
    graph, nodes = make_graph(len(claim.alphabet), last, state, 0 if by_place else len(claim.after))
    shift = len(claim.before) - 1
    members: dict[tuple[int, int], list[tuple[int, ...]]] = {}
    for p in range(len(claim.before)):
        members[p, 0] = [claim.before[:p + 1]]
    for word, node in nodes.items():
        tokens = (*claim.before, *(claim.tokens[a] for a in word))
        if word:
            members.setdefault((len(word) + shift, node), []).append(tokens)
        for k in range(len(claim.after) if not by_place and len(word) == last else 0):
            members.setdefault((len(word) + shift + k + 1, node), []).append(tokens + claim.after[:k + 1])
    end = last + shift + (0 if by_place else len(claim.after))
    asked = sorted(node for node in members if (first + shift <= node[0] <= end if by_place else node[0] == end))
    steps = len(network.attention_steps)
    directions = identity_directions(network, turn)
    needed = [sorted(members)] * (steps - 1) + [asked] if steps else []
    ranges = true_ranges(network, members, offset, directions, needed, widen)
    data = b"".join(pack("<2i", *one) for one in ranges)
    unit = ClassesUnit(offset, first, last, 0, 0, BITS, data)
    return Made(Decision(network, claim, (graph,), (directions,), (unit,), language), unit, budget, members)


__all__ = ["Automaton", "Made", "Maker", "Run", "always", "claim_of", "make", "make_graph", "run"]
