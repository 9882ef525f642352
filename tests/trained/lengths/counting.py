"""Small networks without positions, claims about them, and every word of a few letters."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

import numpy as np

from constructions.language.parser import parse_formula
from constructions.language.syntax import Not
from constructions.regular.automata import Automaton
from constructions.trained.claim import Case, When, WordsClaim, judged
from constructions.trained.network import (
    Activation,
    Affine,
    Attends,
    AttentionStep,
    Norm,
    NormStep,
    Scale,
    Step,
    Tensor,
    TrainedHead,
    TrainedNetwork,
    UnitsStep,
    View,
)
from proofs.trained.forward import FloatNetwork
from proofs.words.tracking import cases_at

TruthOf = str | tuple[tuple[tuple[int, ...], ...], frozenset[int]]
"""A formula, or the steps of an automaton and its accepting states."""
LAST: TruthOf = ((0, 1), (0, 1)), frozenset({1})
CONTAINS: TruthOf = ((0, 1), (1, 1)), frozenset({1})
PARITY: TruthOf = ((0, 1), (1, 0)), frozenset({1})
MAJORITY = "#<[Q_1] > #<[Q_0]"


@dataclass
class Maker:
    """Binary64 tensors by name."""

    tensors: dict[str, Tensor] = field(default_factory=dict)

    def matrix(self, numbers: Sequence[Sequence[float]]) -> View:
        made = np.array(numbers, "<f8")
        return self._view(made, (made.shape[1], 1))

    def vector(self, numbers: Sequence[float]) -> View:
        return self._view(np.array(numbers, "<f8"), (1,))

    def _view(self, made: np.ndarray[tuple[int, ...], np.dtype[np.float64]], strides: tuple[int, ...]) -> View:
        name = f"t{len(self.tensors)}"
        self.tensors[name] = Tensor("binary64", made.shape, made.tobytes())
        return View(name, 0, made.shape, strides)


def majority_by_hand(bias: float = 0.0, tokens: int = 2) -> TrainedNetwork:
    """Return a network with logit = share of 1 - share of 0 - bias; other tokens add nothing."""
    maker = Maker()
    nothing = maker.matrix([[0.0]] * 2)
    head = TrainedHead(Affine(nothing), Affine(nothing), Affine(maker.matrix([[1.0], [0.0]])),
                       maker.matrix([[0.0, 1.0]]))
    rows = [[-1.0, 0.0], [1.0, 0.0], *([[0.0, 0.0]] * (tokens - 2))]
    return TrainedNetwork("causal", maker.matrix(rows), None,
                          (AttentionStep(None, (head,), None, Scale(times=Fraction(1))),),
                          Affine(maker.matrix([[0.0], [1.0]]), maker.vector([-bias])), maker.tensors)


def random_counter(seed: int, tokens: int, attention: Attends = "causal") -> TrainedNetwork:
    """One attention step between other steps; one logit."""
    draw, maker, width = np.random.default_rng(seed), Maker(), 4

    def matrix(rows: int, columns: int) -> View:
        return maker.matrix((draw.normal(size=(rows, columns)) / np.sqrt(rows)).tolist())

    def vector(size: int) -> View:
        return maker.vector(draw.normal(size=size).tolist())

    def norm() -> Norm | None:
        kind: Literal["layer", "rms"] = "layer" if draw.random() < 0.5 else "rms"
        return Norm(kind, Fraction("1e-3"), vector(width), vector(width)) if draw.random() < 0.6 else None

    def units() -> UnitsStep:
        acts: list[Activation] = ["relu", "gelu", "silu", "tanh"]
        gate = Affine(matrix(width, 5), vector(5)) if draw.random() < 0.3 else None
        return UnitsStep(norm(), Affine(matrix(width, 5), vector(5)), gate, acts[draw.integers(4)],
                         Affine(matrix(5, width), vector(width)))

    table = maker.matrix(draw.normal(size=(tokens, width)).tolist())
    heads = tuple(TrainedHead(Affine(matrix(width, 3), vector(3)), Affine(matrix(width, 3)),
                       Affine(matrix(width, 2), vector(2)), matrix(2, width)) for _ in range(draw.integers(1, 3)))
    steps: list[Step] = [units()] if draw.random() < 0.3 else []
    steps.append(AttentionStep(norm(), heads, vector(width) if draw.random() < 0.5 else None, Scale(root=3)))
    steps += [units()] if draw.random() < 0.7 else []
    last = norm()
    steps += [NormStep(last)] if last else []
    return TrainedNetwork(attention, table, None, tuple(steps), Affine(matrix(width, 1), vector(1)), maker.tensors)


def with_slopes(network: TrainedNetwork, *slopes: str | Fraction | None) -> TrainedNetwork:
    """Return the network, the scores of whose heads fall with the distance: the first ones of these slopes."""
    def sloped(step: Step) -> Step:
        if not isinstance(step, AttentionStep):
            return step
        return replace(step, heads=tuple(replace(head, slope=None if slope is None else Fraction(slope))
                                         for head, slope in zip(step.heads, slopes, strict=False)))

    return replace(network, steps=tuple(map(sloped, network.steps)))


def sign_claim(truth: TruthOf, longest: int, *, letters: str = "01", before: tuple[int, ...] = (),
               after: tuple[int, ...] = (), each: bool = True, margin: Fraction = Fraction(0)) -> WordsClaim:
    """Return the logit is above 0 where the truth holds, below 0 elsewhere."""
    automaton = None
    if isinstance(truth, str):
        formula = parse_formula(truth, tuple(letters), {})
        whens = When(formula), When(Not(formula))
    else:
        steps, accepting = truth
        automaton = Automaton(0, steps)
        whens = When(None, tuple(sorted(accepting))), When(None, tuple(sorted({*range(len(steps))} - accepting)))
    cases = tuple(Case(when, (((0, Fraction(sign)),),)) for when, sign in zip(whens, (1, -1), strict=True))
    return WordsClaim(tuple(letters), tuple(range(len(letters))), before, after, (0, 0), (1, longest),
                      "each" if each else "last", False, margin, automaton, (), cases)


def first_wrong_length(network: TrainedNetwork, claim: WordsClaim, longest: int) -> int | None:
    """Return the least length with a wrong word, of all words up to this length; token by token, in float64."""
    floats = FloatNetwork(network)
    for n in range(1, longest + 1):
        words = list(itertools.product(range(len(claim.alphabet)), repeat=n))
        tokens = [[*claim.before, *(claim.tokens[a] for a in word), *claim.after] for word in words]
        place, at = judged(claim, n)[-1]
        logits = floats.logits(np.array(tokens), 0, [at])[:, 0]
        for word, values in zip(words, logits, strict=True):
            for case in cases_at(claim, tuple(claim.alphabet[a] for a in word), place):
                for row in claim.cases[case].above:
                    if sum(float(c) * values[token] for token, c in row) <= float(claim.margin):
                        return n
    return None
