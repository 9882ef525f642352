"""Trees of cells for certificates by classes: cut in halves or at random, with shares from slopes of runs."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from struct import pack, unpack

import numpy as np

from proofs.check.checker.chapters.trained.reading.cover import Cover, Cut, Leaf, Tree
from proofs.check.checker.chapters.trained.reading.decision import Decision
from proofs.check.checker.chapters.trained.reading.dyadics import Matrix, Vector
from proofs.check.checker.chapters.trained.reading.network import (
    Affine,
    AttentionStep,
    Network,
    NetworkHead,
    NormStep,
    Scale,
    Step,
    UnitsStep,
)
from proofs.check.checker.chapters.trained.reading.words_claim import Case, TrainedClaim
from proofs.check.checker.chapters.trained.words.classes import Classes
from proofs.check.checker.chapters.word_semantics.conditions import When
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.language import Language
from proofs.check.checker.kernel.verdicts import Rejected
from tests.check.trained_classes import (
    BITS,
    Array,
    Made,
    Maker,
    Run,
    acted,
    affine,
    floats,
    make,
    make_claim,
    normed,
    run,
)

Node = tuple[int, int]
Ranges = list[tuple[int, int]]
LENGTH = 4
WIDTHS = {"one": [2], "two": [2, 2], "deep": [2, 2]}
ROW = ((0, Fraction(1)),)


def small_network(kind: str, seed: int) -> Network:
    """Return a network of one head, of two, or with an attention step before them; logit 0 is about 20."""
    maker = Maker(seed, 4)
    steps: list[Step]
    if kind == "deep":
        steps = [maker.attention(1, 2, maker.norm(), size=0.25), maker.attention(2, 2, None, size=0.4),
                 maker.units(8, "relu"), maker.units(4, "silu", gated=True)]
    else:
        steps = [maker.attention(len(WIDTHS[kind]), 2, maker.norm()),
                 maker.units(8, "gelu" if kind == "one" else "tanh", maker.norm()),
                 NormStep(maker.norm("layer" if kind == "one" else "rms"))]
    network = maker.network(steps, vocabulary=3, outputs=2)
    return replace(network, unembedding=Affine(network.unembedding.weight, Vector((20 << 12, 0), -12)))


@dataclass
class Certified(Made):
    """A certificate with the runs of the words of each judged node."""

    runs: dict[Node, list[Run]]


def everywhere(language: Language) -> Case:
    """Logit 0 is judged everywhere."""
    return Case(When(language.formula("true"), None), (ROW,))


def certified(network: Network, margin: Fraction = Fraction(0), widen: float = 1e-5) -> Certified:
    """Certify that logit 0 is above a margin after every word of the length, by classes of the last letter."""
    language = Language(Budget())
    claim = make_claim(network, 2, cases=(everywhere(language),), max_n=LENGTH, margin=margin,
                       language=language)
    made = make(network, claim, lambda word: 0, LENGTH, LENGTH, widen=widen)
    runs = {node: [run(network, tokens, 0) for tokens in inputs] for node, inputs in made.members.items()
            if node[0] == LENGTH}
    return Certified(**vars(made), runs=runs)


def is_proved(made: Certified, cells: Sequence[Tree | None] | None, margin: Fraction | None = None) -> bool:
    """Return whether the unit is proved with these cells, within a new budget."""
    try:
        Classes(with_margin(made, margin)).prove(replace(made.unit, cells=None if cells is None else tuple(cells)))
    except Rejected:
        return False
    return True


def with_margin(made: Certified, margin: Fraction | None) -> Decision[TrainedClaim, Cover]:
    """Return the decision about another margin, with a language and a budget of its own."""
    language, claim = Language(Budget()), made.decision.claim
    claim = replace(claim, margin=claim.margin if margin is None else margin,
                    cases=(everywhere(language),), language=language)
    return replace(made.decision, budget=language.budget, claim=claim)


def boxes_of(made: Certified) -> dict[Node, Ranges]:
    """Return the ranges of the last step over 2^22, of all heads' directions, for each judged node."""
    last = made.decision.network.attention_steps[-1]
    width = sum(head.value.weight.width for head in last.heads)
    nodes = sorted(made.runs)
    numbers = unpack(f"<{len(made.unit.ranges) // 4}i", made.unit.ranges)[-2 * width * len(nodes):]
    pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
    return {node: pairs[k * width:(k + 1) * width] for k, node in enumerate(nodes)}


def cut_at(box: Ranges, k: int, at: int, widths: Sequence[int], deeper: Callable[[Ranges], Tree]) -> Cut:
    """Return the box cut along its k-th direction."""
    head = next(h for h in range(len(widths)) if k < sum(widths[:h + 1]))
    low, high = box[k]
    parts = ([*box[:k], ends, *box[k + 1:]] for ends in ((low, at), (at, high)))
    below, above = map(deeper, parts)
    return Cut(head, k - sum(widths[:head]), at, below, above)


def halved(box: Ranges, widths: Sequence[int], cuts: int, leaf: Callable[[Ranges], Leaf]) -> Tree:
    """Return the cells of a box whose widest direction is halved ``cuts`` times."""
    if not cuts:
        return leaf(box)
    k = max(range(len(box)), key=lambda k: box[k][1] - box[k][0])
    return cut_at(box, k, sum(box[k]) // 2, widths, lambda part: halved(part, widths, cuts - 1, leaf))


def scattered(random: Random, box: Ranges, widths: Sequence[int], cuts: int, leaf: Callable[[Ranges], Leaf]) -> Tree:
    """Cuts of random directions at random numbers, some at the end of a range."""
    if not cuts or random.random() < 0.1:
        return leaf(box)
    k = random.randrange(len(box))
    at = random.choice([random.randint(*box[k]), random.randint(*box[k]), box[k][0], box[k][1]])
    return cut_at(box, k, at, widths, lambda part: scattered(random, part, widths, cuts - 1, leaf))


def shared(numbers: Iterable[float]) -> Leaf:
    """Return a cell of one row with this share."""
    return Leaf((b"".join(pack("<i", round(x * 2**20)) for x in numbers),))


PLAIN = Leaf((None,))


def slopes(made: Certified, node: Node, box: Ranges) -> Array:
    """Return the slopes of logit 0 along the directions, in the middle of a box, at a word of a node."""
    middle = np.array([sum(ends) / 2 for ends in box]) / 2**BITS
    ends = [[value_at(made, node, middle + sign * step) for sign in (1, -1)] for step in np.eye(len(box)) * 1e-4]
    return np.array([above - below for above, below in ends]) / 2e-4


def value_at(made: Certified, node: Node, along: Array) -> float:
    """Logit 0 if the averages of the last attention step had these values along the directions (unit vectors)."""
    network = made.decision.network
    place = max(k for k, step in enumerate(network.steps) if isinstance(step, AttentionStep))
    last = network.attention_steps[-1]
    h = made.runs[node][0].streams[place][-1] + (0 if last.bias is None else floats(last.bias))
    start = 0
    for head in last.heads:
        width = head.value.weight.width
        h = h + along[start:start + width] @ floats(head.out)
        start += width
    for step in network.steps[place + 1:]:
        if isinstance(step, NormStep):
            h = normed(h, step.norm)
        elif isinstance(step, UnitsStep):
            x = normed(h, step.norm)
            units = acted(str(step.activation), affine(x, step.gate or step.inward))
            h = h + affine(units if step.gate is None else units * affine(x, step.inward), step.outward)
    return float(affine(h, network.unembedding)[0])


def halved_cells(made: Certified, widths: Sequence[int], cuts: int, part: float | None) -> list[Tree]:
    """Return, for each judged node, its box in halves; shares are a part of the slopes, or none."""
    return [halved(box, widths, cuts, lambda cell, node=node: PLAIN if part is None else  # type: ignore[misc]
                   shared(part * slopes(made, node, cell))) for node, box in boxes_of(made).items()]


def random_cells(random: Random, made: Certified, widths: Sequence[int], cuts: int) -> list[Tree]:
    """Return, for each judged node, random cuts, with no shares, parts of the slopes, or any numbers."""
    def leaf(node: Node, box: Ranges) -> Leaf:
        kind = random.randrange(3)
        any_numbers = [random.uniform(-1, 1) * 2 ** random.randint(-6, 8) for _ in box]
        part = random.uniform(-0.5, 1.5)
        return PLAIN if kind == 0 else shared(any_numbers if kind == 1 else part * slopes(made, node, box))
    return [scattered(random, box, widths, cuts, lambda cell, node=node: leaf(node, cell))  # type: ignore[misc]
            for node, box in boxes_of(made).items()]


def least_value(made: Certified) -> float:
    """Return the least value of logit 0 over all words of the length."""
    return min(float(one.logits[-1, 0]) for runs in made.runs.values() for one in runs)


def values_in(made: Certified, node: Node, box: Sequence[tuple[Sequence[int], Sequence[int]]]) -> list[float]:
    """Logit 0 of the words of a node whose averages lie inside the bounds, over 2^44, of a cell."""
    bounds = [np.array(one) / 2.0**44 for one in box]
    return [float(one.logits[-1, 0]) for one in made.runs[node]
            if all(np.all(low + 1e-9 <= z[-1]) and np.all(z[-1] <= high - 1e-9)
                   for z, (low, high) in zip(one.averages[-1], bounds, strict=True))]


def bent_network() -> Network:
    """Return a network with logit 0 = z2 + 2 relu(z1 - 1/2) >= 1/2, z1 the share of tokens 0, 2, and z2 of token 1.

    Cut at z1 = 1/2 it is linear on both sides; but that it is at least a half needs that z1 + z2 is 1, which the
    class knows, and on which side z1 is, which the cell knows.
    """
    def matrix(*rows: Sequence[int], power: int = 0) -> Matrix:
        return Matrix(tuple(map(tuple, rows)), len(rows[0]), power)
    still = Affine(matrix((0,), (0,), (0,), (0,)), None)
    value = Affine(matrix((1, 0), (0, 1), (0, 0), (0, 0)), None)
    head = NetworkHead(still, still, value, matrix((0, 0, 1, 0), (0, 0, 0, 1)), None)
    units = UnitsStep(None, Affine(matrix((0,), (0,), (2,), (0,)), Vector((-1,), 0)), None, "relu",
                      Affine(matrix((0, 0, 0, 1)), None))
    return Network((), None, True, "each", matrix((1, 0, 0, 0), (0, 1, 0, 0), (1, 0, 0, 0)), None,
                   (AttentionStep(None, (head,), None, Scale(Fraction(1), None), None), units),
                   Affine(matrix((0,), (0,), (0,), (1,)), None))
