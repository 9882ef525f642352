"""Small random networks, their runs in binary64, and certificates by classes whose ranges come from all words."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from struct import pack
from typing import Any

import numpy as np

from proofs.check.checker.chapters.trained.reading.cover import ClassesUnit, Cover, DirectionMatrices, Graph
from proofs.check.checker.chapters.trained.reading.decision import Decision
from proofs.check.checker.chapters.trained.reading.dyadics import Matrix, Vector
from proofs.check.checker.chapters.trained.reading.network import (
    Affine,
    AttentionStep,
    LogitRow,
    Network,
    NetworkHead,
    Norm,
    NormStep,
    Rotary,
    Scale,
    Step,
    UnitsStep,
)
from proofs.check.checker.chapters.trained.reading.words_claim import Case, TrainedClaim
from proofs.check.checker.chapters.trained.words.classes import Classes
from proofs.check.checker.chapters.word_semantics.conditions import ClaimAutomaton, When
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.language import Language

POWER = -12
BITS = 22
Word = tuple[int, ...]
Node = tuple[int, int]
Array = np.ndarray[Any, Any]


class Maker:
    """Random records of networks, entries multiples of 2^-12."""

    def __init__(self, seed: int, width: int) -> None:
        self.random, self.width = Random(seed), width

    def vector(self, length: int, size: float = 1.0, middle: float = 0.0) -> Vector:
        return Vector(tuple(self._entry(size, middle) for _ in range(length)), POWER)

    def matrix(self, height: int, width: int, size: float) -> Matrix:
        return Matrix(tuple(tuple(self._entry(size, 0) for _ in range(width)) for _ in range(height)), width, POWER)

    def _entry(self, size: float, middle: float) -> int:
        return round((middle + self.random.uniform(-size, size)) * (1 << -POWER))

    def affine(self, height: int, width: int, size: float, biased: bool = True) -> Affine:
        return Affine(self.matrix(height, width, size), self.vector(width, 0.3) if biased else None)

    def norm(self, kind: str = "layer", epsilon: Fraction = Fraction(1, 100000)) -> Norm:
        return Norm(kind, epsilon, self.vector(self.width, 0.4, 1.0), self.vector(self.width, 0.3))

    def attention(self, heads: int = 1, m: int | None = None, norm: Norm | None = None, scale: Scale | None = None,
                  rotary: Rotary | None = None, slopes: bool = False, size: float = 0.7) -> AttentionStep:
        m, d = m or self.width // heads, self.width
        made = tuple(NetworkHead(self.affine(d, m, size), self.affine(d, m, size, biased=False),
                                 self.affine(d, m, size),
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
        return Network((), None, True, "each", self.matrix(vocabulary, self.width, 1.0),
                       None if rows is None else self.matrix(rows, self.width, 0.5), tuple(steps),
                       self.affine(self.width, outputs, 0.8))


def floats(x: Matrix | Vector) -> Array:
    """Return the numbers, exactly."""
    return np.asarray(np.array(x.rows if isinstance(x, Matrix) else x.entries, dtype=float) * 2.0**x.power)


def affine(x: Array, a: Affine) -> Array:
    return np.asarray(x @ floats(a.weight) + (0 if a.bias is None else floats(a.bias)))


def normed(x: Array, norm: Norm | None) -> Array:
    if norm is None:
        return x
    c = x - x.mean(-1, keepdims=True) if norm.kind == "layer" else x
    y = c / np.sqrt((c * c).mean(-1, keepdims=True) + float(norm.epsilon))
    gained = y * (1 if norm.gain is None else floats(norm.gain))
    return np.asarray(gained + (0 if norm.bias is None else floats(norm.bias)))


def erf(x: Array) -> Array:
    return np.array([math.erf(float(one)) for one in x.ravel()]).reshape(x.shape)


def acted(name: str, x: Array) -> Array:
    c, a = float.fromhex("0x1.9884533d43651p-1"), 0.044715
    functions: dict[str, Callable[[], Array]] = {
        "relu": lambda: np.maximum(x, 0), "gelu": lambda: x * (1 + erf(x / math.sqrt(2))) / 2,
        "gelu-tanh": lambda: x / (1 + np.exp(-2 * c * (x + a * x**3))), "silu": lambda: x / (1 + np.exp(-x)),
        "sigmoid": lambda: 1 / (1 + np.exp(-x)), "tanh": lambda: np.tanh(x)}
    with np.errstate(over="ignore"):
        return functions[name]()


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
    """The run of one input: z[attention step][head][token], the stream after every step, and the logits."""

    averages: list[list[Array]]
    streams: list[Array]
    logits: Array


def run(network: Network, tokens: Sequence[int], offset: int) -> Run:
    """Return a run in binary64."""
    positions = np.arange(offset, offset + len(tokens))
    h = floats(network.tokens)[list(tokens)]
    h = h if network.positions is None else h + floats(network.positions)[positions]
    averages, streams = [], [h]
    for step in network.steps:
        if isinstance(step, NormStep):
            h = normed(h, step.norm)
        elif isinstance(step, UnitsStep):
            x = normed(h, step.norm)
            inward = affine(x, step.inward)
            units = acted(str(step.activation), inward) if step.gate is None else (
                acted(str(step.activation), affine(x, step.gate)) * inward)
            h = h + affine(units, step.outward)
        else:
            h, found = attended(step, h, positions, network.masked)
            averages.append(found)
        streams.append(h)
    return Run(averages, streams, affine(h, network.unembedding))


def attended(step: AttentionStep, h: Array, positions: Array, masked: bool) -> tuple[Array, list[Array]]:
    x, found = normed(h, step.norm), []
    result = h + (0 if step.bias is None else floats(step.bias))
    for head in step.heads:
        q, k = (turned(affine(x, a), step.rotary, positions) for a in (head.query, head.key))
        scale = float(step.scale.times) if step.scale.times is not None else 1 / math.sqrt(step.scale.root or 1)
        scores = q @ k.T * scale
        if head.slope is not None:
            scores = scores + float(head.slope) * (positions[None, :] - positions[:, None])
        if masked:
            scores[np.triu_indices(len(h), 1)] = -np.inf
        w = np.exp(scores - scores.max(1, keepdims=True))
        z = w @ affine(x, head.value) / w.sum(1, keepdims=True)
        found.append(z)
        result = result + z @ floats(head.out)
    return result, found


def make_graph(letters: int, length: int, state: Callable[[Word], object],
               after: int = 0) -> tuple[Graph, dict[Word, int]]:
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


def make_directions(network: Network, random: Random | None = None) -> DirectionMatrices:
    """Return the unit vectors, or turned ones, as int32 over 2^30."""
    def one(m: int) -> bytes:
        gauss = np.eye(m) if random is None else np.array([[random.gauss(0, 1) for _ in range(m)] for _ in range(m)])
        q = np.linalg.qr(gauss)[0]
        return np.round(q * 2**30).astype("<i4").tobytes()
    return tuple(tuple(one(head.value.weight.width) for head in step.heads) for step in network.attention_steps)


def make_claim(network: Network, letters: int = 2, **changes: Any) -> TrainedClaim:
    """Return a claim without rows: tokens 0, 1, ... are the letters, and the last token precedes the word."""
    start = len(network.tokens.rows) - 1
    claim = TrainedClaim(tuple("abcdefg"[:letters]), tuple(range(letters)), (start,), (), (0, 0), 1, 4, "each", False,
                         Fraction(0), None, {}, (), Language(Budget(20)))
    return replace(claim, **changes)


@dataclass
class Made:
    """A certificate of one unit, and the inputs of every class, by column and index."""

    decision: Decision[TrainedClaim, Cover]
    members: dict[Node, list[Word]]

    @property
    def unit(self) -> ClassesUnit:
        """The one unit of the cover."""
        (unit,) = self.decision.evidence.units
        assert isinstance(unit, ClassesUnit)
        return unit

    def prove(self) -> int:
        """Prove the unit; return the number of proved nodes."""
        return Classes(self.decision).prove(self.unit)

    def with_unit(self, **changes: Any) -> Made:
        """Return the same with another unit."""
        return self.with_evidence(units=(replace(self.unit, **changes),))

    def with_evidence(self, **changes: Any) -> Made:
        """Return the same with another cover."""
        return replace(self, decision=replace(self.decision, evidence=replace(self.decision.evidence, **changes)))


def inputs_by_node(claim: TrainedClaim, nodes: dict[Word, int], after: Word, last: int) -> dict[Node, list[Word]]:
    """Return the inputs that lead to each node, by column and index."""
    members: dict[Node, list[Word]] = {(p, 0): [claim.before[:p + 1]] for p in range(len(claim.before))}
    shift = len(claim.before) - 1
    for word, node in nodes.items():
        tokens = (*claim.before, *(claim.tokens[a] for a in word))
        if word:
            members.setdefault((len(word) + shift, node), []).append(tokens)
        for k in range(len(after) if len(word) == last else 0):
            members.setdefault((len(word) + shift + k + 1, node), []).append(tokens + after[:k + 1])
    return members


def find_ranges(runs: dict[Node, list[Run]], directions: DirectionMatrices, needed: Sequence[Sequence[Node]],
                widen: float, judged: int | None = None) -> bytes:
    """Return the range over all inputs of a node, widened, for each step, needed node, head and direction.

    The averages at the last step are those of the nodes, or at a judged column.
    """
    found = b""
    for k, nodes in enumerate(needed):
        for node in nodes:
            column = node[0] if judged is None or k < len(needed) - 1 else judged
            for h, data in enumerate(directions[k]):
                m = math.isqrt(len(data) // 4)
                q = np.frombuffer(data, "<i4").reshape(m, m) / 2**30
                values = np.array([q @ one.averages[k][h][column] for one in runs[node]])
                for low, high in zip(values.min(0), values.max(0), strict=True):
                    found += pack("<2i", math.floor((low - widen) * 2**BITS), math.ceil((high + widen) * 2**BITS))
    return found


def make(network: Network, claim: TrainedClaim, state: Callable[[Word], object], first: int, last: int, *,
         offset: int = 0, widen: float = 1e-6, turn: Random | None = None) -> Made:
    """Return a unit with the widened ranges of all words; every judged node has a case if the claim has one."""
    after = () if claim.read == "each" else claim.after
    graph, nodes = make_graph(len(claim.tokens), last, state, len(after))
    members = inputs_by_node(claim, nodes, after, last)
    least = 0 if claim.read == "first" else len(claim.before) - 1 + (last + len(after) if after else first)
    asked = sorted(node for node in members if (node[0] == 0 if claim.read == "first" else node[0] >= least))
    read = sorted(node for node in members if claim.read != "first" or node[0] == 0)
    steps = len(network.attention_steps)
    directions = make_directions(network, turn)
    runs = {node: [run(network, tokens, offset) for tokens in members[node]] for node in read}
    data = find_ranges(runs, directions, [read] * (steps - 1) + [asked] * (steps > 0), widen)
    unit = ClassesUnit(offset, first, last, 0, 0, BITS, data)
    return Made(Decision(network, claim, (), Cover((graph,), (directions,), (unit,)), claim.language.budget), members)


def with_least(made: Made, gap: float, row: LogitRow = ((0, Fraction(1)), (1, Fraction(-1, 3)))) -> Made:
    """The claim that the row is above 0 wherever logits are judged, where its least value of all words is the gap.
    """
    return with_least_at(made, gap, [(node[0], tokens) for node in judged(made) for tokens in made.members[node]], row)


def with_least_at(made: Made, gap: float, judged: Sequence[tuple[int, Word]],
                  row: LogitRow = ((0, Fraction(1)), (1, Fraction(-1, 3)))) -> Made:
    """Return the same, where these places of inputs are judged. The bias of logit 0 is moved for it."""
    network, claim = made.decision.network, made.decision.claim
    runs = {tokens: run(network, tokens, made.unit.offset).logits for _, tokens in judged}
    values = [sum(float(c) * runs[tokens][place][token] for token, c in row) for place, tokens in judged]
    bias = floats(network.unembedding.bias or Vector((0,) * network.outputs, 0))
    bias[0] += gap - min(values)
    moved = Vector(tuple(round(float(x) * 2**40) for x in bias), -40)
    case = Case(When(None, frozenset({0})), (row,))
    return replace(made, decision=replace(
        made.decision, network=replace(network, unembedding=Affine(network.unembedding.weight, moved)),
        claim=replace(claim, automaton=ClaimAutomaton(0, ((0,) * len(claim.tokens),)), cases=(case,))))


def judged(made: Made) -> list[Node]:
    """Return the nodes where logits are judged."""
    claim, end = made.decision.claim, max(p for p, _ in made.members)
    first = end if claim.read == "last" and claim.after else len(claim.before) - 1 + made.unit.first
    return [node for node in made.members if (node[0] == 0 if claim.read == "first" else node[0] >= first)]
