"""Edited networks: the producer's and the checker's are equal; each edit does what its definition says."""

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from constructions.errors import InputError
from constructions.trained.claim_form import claim_from_json
from constructions.trained.edit_kinds import (
    AttendHard,
    CutEdges,
    Edit,
    KeepNeurons,
    MarkTokens,
    ReadHead,
    SetHead,
    SharpenHead,
    What,
)
from constructions.trained.edits import edge_parts, edit_network
from constructions.trained.json_form import network_from_json, network_text
from constructions.trained.network import AttentionStep, NormStep, TrainedNetwork, UnitsStep
from constructions.trained.widening import stream_widths
from proofs.check import Malformed, Refusal, check_text
from proofs.check.checker.chapters.trained.evidence import read_edited_network
from proofs.check.checker.chapters.trained.reading.dyadics import Matrix, Vector
from proofs.check.checker.kernel.budget import Budget
from proofs.trained.forward import FloatAttention, FloatNetwork, FloatUnits, softmax
from proofs.trained.words import WordMargins, words_in_batches
from tests.check.trained_networks import rounding_network
from tests.trained.random_networks import random_network

SEEDS = range(40)
Array = NDArray[Any]


def drawn(seed: int) -> tuple[TrainedNetwork, list[Edit]]:
    """Return a random network and random edits of it, each kind in some seeds."""
    network, draw = random_network(seed, images=seed % 2 == 1), np.random.default_rng(seed)
    edits, hard = list[Edit](), list[Edit]()
    parts = [(number, head) for number, step in enumerate(network.steps) if isinstance(step, AttentionStep)
             for head in range(len(step.heads))]
    read = parts[draw.integers(len(parts))]
    for number, head in parts:
        step = network.steps[number]
        assert isinstance(step, AttentionStep)
        width = step.heads[head].value.weight.shape[1]
        to = None if draw.integers(2) else tuple(Fraction(int(n), 8) for n in draw.integers(-9, 9, width))
        if (number, head) != read and draw.integers(2):
            edits.append(SetHead(number, head, to))
        elif step.cap is None and draw.integers(2):
            edits.append(SharpenHead(number, head, int(draw.integers(1, 4))))
        elif (number, head) != read:
            hard.append(AttendHard(number, head, ((1, network.vocabulary), (0, 3), ())[seed % 3]))
    for number, block in enumerate(network.steps):
        if isinstance(block, UnitsStep) and draw.integers(2):
            width = block.inward.weight.shape[1]
            kept = tuple(map(int, np.flatnonzero(draw.integers(2, size=width))))
            to = tuple(Fraction(int(n), 4) for n in draw.integers(-9, 9, width - len(kept))) or None
            edits.append(KeepNeurons(number, kept, to if draw.integers(2) else None))
    edits += drawn_edges(network, edits, draw) if seed % 4 else []
    whats: list[What] = ["mass", "average", "average less uniform"]
    last: list[Edit] = [MarkTokens((0, 2, 2, 3)), *hard, ReadHead(*read, whats[seed % 3])]
    return network, edits + last[:int(draw.choice([0, 1 + len(hard), 2 + len(hard)]))]


def drawn_edges(network: TrainedNetwork, others: list[Edit], draw: np.random.Generator) -> list[CutEdges]:
    """Return edges that are cut, to each part with odds of a half; two readers of a step often lack the same."""
    parts, widths, found = edge_parts(network), stream_widths(network), list[CutEdges]()
    for step, head in parts:
        earlier = [part for part in parts if part[0] < step]
        if not earlier or SetHead in {type(one) for one in others if (getattr(one, "step", 0), getattr(
                one, "head", -1)) == (step, head)} or draw.integers(2):
            continue
        cut = tuple(part for part in earlier if draw.integers(2)) or (earlier[0],)
        to = tuple(Fraction(int(n), 8) for n in draw.integers(-9, 9, widths[step])) if draw.integers(2) else None
        before = [one for one in found if one.step == step]
        found.append(replace(before[0], head=head) if before and draw.integers(2) else CutEdges(step, head, cut, to))
    return found


def exact(part: Any) -> Any:
    """Return parsed numbers as rationals, whatever power of two they are over."""
    if isinstance(part, Matrix):
        return [[entry * Fraction(2)**part.power for entry in row] for row in part.rows]
    if isinstance(part, Vector):
        return [entry * Fraction(2)**part.power for entry in part.entries]
    if isinstance(part, tuple):
        return [exact(one) for one in part]
    if hasattr(part, "__dataclass_fields__"):
        return {name: exact(getattr(part, name)) for name in part.__dataclass_fields__ if name != "edits"}
    if isinstance(part, frozenset):
        return sorted(part)
    return part


def read_by_checker(network: TrainedNetwork) -> Any:
    budget = Budget()
    return exact(read_edited_network(json.loads(network_text(network)), budget))


def without_hard_heads(network: TrainedNetwork) -> tuple[TrainedNetwork, list[list[int] | None]]:
    """Return an edited network as one that has no edits, and what its heads with hard attention attend to."""
    attends = [None if head.attends is None else list(head.attends) for step in network.attention_steps
               for head in step.heads]
    steps = [replace(step, heads=tuple(replace(head, attends=None) for head in step.heads))
             if isinstance(step, AttentionStep) else step for step in network.steps]
    return replace(network, steps=tuple(steps), original=None, edits=()), attends


@pytest.mark.parametrize("seed", SEEDS)
def test_the_checker_applies_edits_as_the_producer_does(seed: int) -> None:
    network, edits = drawn(seed)
    edited = edit_network(network, edits)
    assert network_from_json(json.loads(network_text(edited)), "m") == edited
    plain, attends = without_hard_heads(edited)
    found = read_by_checker(edited)
    assert [head.pop("attends") for step in found["steps"] for head in step.get("heads", ())] == attends
    expected = read_by_checker(plain)
    assert not any(head.pop("attends") for step in expected["steps"] for head in step.get("heads", ()))
    assert found == expected


class Direct:
    """The definition of each edit, in the original's own forward pass; no edited network."""

    def __init__(self, network: TrainedNetwork, edits: list[Edit]) -> None:
        self.floats, self.numbers = FloatNetwork(network), np.arange(0)
        self.sharp = {(edit.step, edit.head): 2.0**edit.doublings for edit in edits if isinstance(edit, SharpenHead)}
        self.cut = {(edit.step, edit.head): edit.to for edit in edits if isinstance(edit, SetHead)}
        self.kept = {edit.step: edit for edit in edits if isinstance(edit, KeepNeurons)}
        self.hard = {(edit.step, edit.head): edit.tokens for edit in edits if isinstance(edit, AttendHard)}
        self.tokens = np.arange(0)
        self.cut_edges = {(edit.step, edit.head): edit for edit in edits if isinstance(edit, CutEdges)}
        self.log: list[tuple[tuple[int, int], Any]] = []
        self.read = next(((edit.step, edit.head, edit.what) for edit in edits if isinstance(edit, ReadHead)), None)

    def logits(self, tokens: Array, marked: Array, whole: Array) -> Array:
        """Return the logits [T, outputs] of an input; ``whole`` are the tokens with their marks."""
        self.numbers, self.tokens = np.arange(len(tokens)), whole
        self.log = [((-1, 0), self.floats.tokens[tokens])]
        if self.floats.positions is not None:
            self.log.append(((-1, 1), self.floats.positions[self.numbers]))
        for number, step in enumerate(self.floats.steps):
            if isinstance(step, FloatAttention):
                if self.read is not None and self.read[0] == number:
                    return self.what_is_read(step, marked)
                written = [((number, head), self.average(step, number, head) @ one.out)
                           for head, one in enumerate(step.heads)]
                self.log += [*written, ((number, -1), 0 if step.bias is None else step.bias)]
            elif isinstance(step, FloatUnits):
                bias = 0 if step.outward.bias is None else step.outward.bias
                self.log += [((number, 0), self.block(step, number) @ step.outward.weight), ((number, -1), bias)]
            else:
                self.log.append(((number, -1), step))
        ends_with_norm = isinstance(self.floats.network.steps[-1], NormStep)
        x = self.stream(len(self.floats.steps) - ends_with_norm, 0)
        return np.asarray(self.floats.unembedding(self.floats.alone(self.floats.steps[-1], x) if ends_with_norm else x))

    def stream(self, step: int, head: int) -> Array:
        """Return what a part reads: everything that was written before its step, but not what its edges lack."""
        edit, x = self.cut_edges.get((step, head)), np.zeros((len(self.numbers), 1))
        for part, written in self.log:
            if part[0] < step and (edit is None or part not in edit.parts):
                x = written(x) if callable(written) else x + written
            elif part == (-1, 0):
                x = x + np.zeros_like(written)
        return x if edit is None or edit.to is None else x + np.array(edit.to, float)

    def weights(self, step: FloatAttention, number: int, place: int) -> tuple[Array, Array]:
        """Return the weights [T, T] and the values [T, value width] of a head."""
        normed, head = step.normed(self.stream(number, place)), step.heads[place]
        if (number, place) in self.hard:
            rows = [self.hard_row(step, query, self.hard[number, place]) for query in range(len(self.tokens))]
            return np.array(rows), head.value(normed)
        scores = step.capped(step.queries(head, normed, self.numbers) @ step.keys(head, normed, self.numbers).T)
        distances = self.numbers - self.numbers[:, np.newaxis]
        scores = self.sharp.get((number, place), 1.0) * (scores + head.slope * distances)
        return softmax(np.where(distances > 0, -np.inf, scores) if step.causal else scores), head.value(normed)

    def hard_row(self, step: FloatAttention, query: int, attends: tuple[int, ...]) -> list[float]:
        """Return the weights of hard attention at a query."""
        places = range(len(self.tokens))
        seen = [j for j in places if (j <= query or not step.causal) and self.tokens[j] in attends] or [query]
        return [seen.count(j) / len(seen) for j in places]

    def average(self, step: FloatAttention, number: int, place: int) -> Array:
        weights, values = self.weights(step, number, place)
        if (number, place) not in self.cut:
            return weights @ values
        return np.zeros_like(values) + np.array(self.cut[number, place] or 0, float)

    def block(self, step: FloatUnits, number: int) -> Array:
        """Return the outputs of neurons."""
        x = self.stream(number, 0)
        y, act = x if step.norm is None else step.norm(x), step.domain.activation(step.activation)
        hidden = act(step.inward(y)) if step.gate is None else act(step.gate(y)) * step.inward(y)
        if number in self.kept:
            others = np.setdiff1d(np.arange(hidden.shape[1]), self.kept[number].neurons)
            hidden[:, others] = np.array(self.kept[number].to or 0, float)
        return np.asarray(hidden)

    def what_is_read(self, step: FloatAttention, marked: Array) -> Array:
        assert self.read is not None
        weights, values = self.weights(step, *self.read[:2])
        even = np.tril(np.ones_like(weights)) if step.causal else np.ones_like(weights)
        even /= even.sum(1, keepdims=True)
        read = {"mass": weights @ marked[:, np.newaxis].astype(float), "average": weights @ values,
                "average less uniform": (weights - even) @ values}[self.read[2]]
        return np.hstack([read, np.ones((len(read), 1))])


@pytest.mark.parametrize("seed", SEEDS)
def test_each_edit_does_what_its_definition_says(seed: int) -> None:
    network, edits = drawn(seed)
    edited, draw = edit_network(network, edits), np.random.default_rng(seed)
    marks = next((edit.tokens for edit in edits if isinstance(edit, MarkTokens)), ())
    tokens = draw.integers(0, network.vocabulary + len(marks), 7)
    marked = tokens >= network.vocabulary
    plain = np.array([*range(network.vocabulary), *marks])[tokens]
    expected = Direct(network, edits).logits(plain, marked, tokens)
    assert FloatNetwork(edited).logits(tokens[np.newaxis], 0)[0] == pytest.approx(expected, abs=1e-9)


def test_every_kind_of_edit_is_drawn() -> None:
    kinds = Counter(type(edit) for seed in SEEDS for edit in drawn(seed)[1])
    assert min(kinds.values()) > 4 and len(kinds) == 7


def test_edits_of_an_edited_network_are_of_its_original() -> None:
    network = random_network(2)
    step = next(k for k, step in enumerate(network.steps) if isinstance(step, UnitsStep))
    once = edit_network(network, [MarkTokens((1,))])
    both = edit_network(network, [KeepNeurons(step, ()), MarkTokens((1,))])
    assert edit_network(once, [KeepNeurons(step, ())]) == both


BLOCK = next(number for number, step in enumerate(random_network(4).steps) if isinstance(step, UnitsStep))


@pytest.mark.parametrize(("edits", "complaint"), [
    ([SetHead(0, 9)], "edits: head 9 of step 0, expected a head of the network"),
    ([SetHead(9, 0)], "edits: head 0 of step 9, expected a head of the network"),
    ([SetHead(0, 0), SetHead(0, 0)], "edits: two edits of one part, expected at most one"),
    ([SetHead(0, 0, (Fraction(1, 3),))], "edits: expected 5 constants that are binary64 numbers"),
    ([SetHead(0, 0), SharpenHead(0, 0, 1)], "edits: head 0 of step 0 is set to constants"),
    ([KeepNeurons(0, ())], "edits: neurons of step 0, expected a feed-forward block"),
    ([KeepNeurons(BLOCK, (1, 0))], "edits: neurons [1, 0], expected ascending ones below 5"),
    ([MarkTokens((5,))], "edits: tokens [5], expected ascending ones below 5"),
    ([MarkTokens((1, 0))], "edits: tokens [1, 0] to mark, expected ascending ones"),
    ([AttendHard(0, 0, (5,))], "edits: tokens [5], expected ascending ones below 5"),
    ([AttendHard(0, 0, (1, 1))], "edits: tokens [1, 1], expected ascending ones below 5"),
    ([SetHead(0, 0), AttendHard(0, 0, (1,))], "edits: head 0 of step 0 is set to constants"),
    ([AttendHard(0, 0, (1,)), ReadHead(0, 0, "average")], "edits: head 0 of step 0 attends hard"),
    ([CutEdges(0, 1, ((-1, 0),))], "edits: edges to head 1 of step 0, expected a head, a feed-forward block or the end "
     "of the network"),
    ([CutEdges(0, 0, ((0, 0),))], "edits: edges from [[0, 0]], expected ascending parts before step 0"),
    ([CutEdges(BLOCK, 0, ((0, 0), (-1, 0)))], "edits: edges from [[0, 0], [-1, 0]], expected ascending parts before "
     f"step {BLOCK}"),
    ([CutEdges(0, 0, ())], "edits: edges from [], expected ascending parts before step 0"),
    ([CutEdges(0, 0, ((-1, 0),), (Fraction(1),))], "edits: expected 7 constants that are binary64 numbers"),
    ([SetHead(0, 0), CutEdges(0, 0, ((-1, 0),))], "edits: edges to head 0 of step 0, which is set to constants"),
    ([ReadHead(0, 0, "mass")], "edits: no marked tokens, expected some to read the mass of")])
def test_an_edit_that_does_not_fit_is_refused(edits: list[Edit], complaint: str) -> None:
    with pytest.raises(InputError) as found:
        edit_network(random_network(4), edits)
    assert str(found.value) == complaint


def test_a_network_that_is_changed_after_its_edits_is_written_as_it_is() -> None:
    edited = edit_network(random_network(4), [KeepNeurons(BLOCK, (0, 1))])
    name, tensor = next(iter(edited.tensors.items()))
    changed = replace(edited, tensors={**edited.tensors, name: replace(tensor, data=bytes(len(tensor.data)))})
    read = network_from_json(json.loads(network_text(changed)), "m")
    assert not read.edits and replace(changed, original=None, edits=()) == read
    assert edit_network(changed, [MarkTokens((1,))]).original == read


def test_neurons_that_share_a_range_are_not_taken_apart() -> None:
    network = network_from_json(rounding_network({"range": "token", "greatest": 127}), "m")
    with pytest.raises(InputError, match="step 0 rounds by a range, which other neurons change"):
        edit_network(network, [KeepNeurons(0, (0,))])
    edits = [{"edit": "keep neurons", "step": 0, "neurons": [0], "to": None}]
    with pytest.raises(Malformed, match="step: it rounds by a range, which other neurons change"):
        read_edited_network(rounding_network({"range": "token", "greatest": 127}) | {"edits": edits}, Budget())


CORPUS = Path(__file__).parents[1] / "corpus" / "accepted"
CHANGES: list[dict[str, Any]] = [
    {"head": 1}, {"what": "average"}, {"what": "average less uniform"}, {"tokens": [0, 1]}, {"tokens": [0, 2]},
    {"tokens": [1]}, {"tokens": [2]},
    {"tokens": []}, {"tokens": [3]}, {"tokens": [4]}, {"tokens": [0, 1, 3]},
    {"to": None}, {"to": ["-1/2"]}, {"to": ["4"]},
    *({"from": parts} for parts in ([[-1, 0]], [[0, 0]], [[0, 1]], [[0, 0], [0, 1]], [[-1, 0], [0, 0]]))]


@pytest.mark.parametrize("name", ["trained_head_mass", "trained_circuit", "trained_edges", "trained_hard_head"])
def test_what_a_changed_edit_leaves_accepted_is_true_on_every_word(name: str) -> None:
    document, verdicts = json.loads((CORPUS / f"{name}.cert").read_text(encoding="utf-8")), Counter[bool]()
    edits = document["network"]["edits"]
    for place, edit in enumerate(edits):
        changed = [[*edits[:place], {**edit, **change}, *edits[place + 1:]] for change in CHANGES
                   if set(change) <= set(edit)]
        for some in [edits[:place] + edits[place + 1:], *changed]:
            network = {key: value for key, value in document["network"].items() if key != "edits" or some}
            mutant = document | {"network": network | ({"edits": some} if some else {})}
            try:
                check_text((json.dumps(mutant, indent=1) + "\n").encode())
            except Refusal:
                verdicts[False] += 1
                continue
            verdicts[True] += 1
            claim = claim_from_json(mutant["claim"], "m")
            floats = FloatNetwork(network_from_json(mutant["network"], "m"))
            margins = WordMargins(floats, claim)
            assert all(margins.margins(words, 0).min() > 0 for n in range(1, 5)
                       for words in words_in_batches(len(claim.alphabet), n, 1 << 10))
    assert verdicts[False] >= 2


def refused_by_checker(edits: object) -> str:
    document = json.loads(network_text(random_network(4))) | {"edits": edits}
    with pytest.raises(Malformed) as found:
        read_edited_network(document, Budget())
    return str(found.value)


PART = {"step": 0, "head": 0}


@pytest.mark.parametrize(("edits", "complaint"), [
    ([], "edits: expected at least one edit"),
    ([{"edit": "set head", **PART, "to": None}] * 2, "edits: expected each part once, in the order set head, keep "
     "neurons, sharpen head, mark tokens, attend hard, cut edges, read head, by step and head"),
    ([{"edit": "set head", **PART, "to": ["1/3"]}], "edits: 1: to: 1: expected a power of two as the denominator, "
     "got 1/3"),
    ([{"edit": "set head", **PART, "to": ["1/2"]}], "edits: to: expected one for each value"),
    ([{"edit": "set head", "step": 0, "head": 7, "to": None}], "edits: head: the step has 1"),
    ([{"edit": "set head", **PART, "to": None}, {"edit": "sharpen head", **PART, "doublings": 1}],
     "edits: head: it is set"),
    ([{"edit": "keep neurons", "step": 0, "neurons": [], "to": None}], "edits: step: expected a feed-forward block"),
    ([{"edit": "mark tokens", "tokens": [5]}], "edits: tokens: expected ascending ones, below 5"),
    ([{"edit": "mark tokens", "tokens": [1, 0]}], "edits: tokens: expected ascending ones, below 5"),
    ([{"edit": "attend hard", **PART, "tokens": [5]}], "edits: tokens: expected ascending ones, below 5"),
    ([{"edit": "attend hard", **PART, "tokens": [1, 1]}], "edits: tokens: expected ascending ones, below 5"),
    ([{"edit": "set head", **PART, "to": None}, {"edit": "attend hard", **PART, "tokens": [1]}],
     "edits: head: it is set"),
    ([{"edit": "sharpen head", **PART, "doublings": 1}, {"edit": "attend hard", **PART, "tokens": [1]}],
     "edits: head: it is sharpened"),
    ([{"edit": "attend hard", **PART, "tokens": [1]}, {"edit": "read head", **PART, "what": "average"}],
     "edits: head: it attends hard"),
    ([{"edit": "cut edges", "step": 0, "head": 1, "from": [[-1, 0]], "to": None}],
     "edits: edges: expected them to a head, or to head 0 of a block or of the end"),
    ([{"edit": "cut edges", "step": 9, "head": 0, "from": [[-1, 0]], "to": None}],
     "edits: edges: expected them to a head, or to head 0 of a block or of the end"),
    ([{"edit": "cut edges", **PART, "from": [], "to": None}], "edits: from: expected ascending earlier parts"),
    ([{"edit": "cut edges", **PART, "from": [[-1, 1], [-1, 0]], "to": None}],
     "edits: from: expected ascending earlier parts"),
    ([{"edit": "cut edges", **PART, "from": [[0, 0]], "to": None}], "edits: from: expected ascending earlier parts"),
    ([{"edit": "cut edges", **PART, "from": [[-1, 2]], "to": None}], "edits: from: expected ascending earlier parts"),
    ([{"edit": "cut edges", **PART, "from": [[-1, 0]], "to": ["1"]}], "edits: to: expected one for each coordinate"),
    ([{"edit": "set head", **PART, "to": None}, {"edit": "cut edges", **PART, "from": [[-1, 0]], "to": None}],
     "edits: head: it is set"),
    ([{"edit": "read head", **PART, "what": "mass"}], "edits: what: there are no marked tokens")])
def test_the_checker_refuses_an_edit_that_does_not_fit(edits: object, complaint: str) -> None:
    assert refused_by_checker(edits) == complaint


def test_what_a_changed_claim_about_hard_attention_leaves_accepted_is_true_on_every_word() -> None:
    """Another alphabet, other tokens for letters, another token before the word, other formulas and rows."""
    document, verdicts = json.loads((CORPUS / "trained_hard_head.cert").read_text(encoding="utf-8")), Counter[bool]()
    claim, words = document["claim"], [{"offset": 0, "from": 1, "to": 6, "by": "words"}]
    changes: list[dict[str, Any]] = [
        {"alphabet": ["a", "b", "a*", "c"]}, {"tokens": [0, 1, 4, 3]}, {"tokens": [1, 0, 3, 4]},
        {"tokens": [0, 1, 3, 1]}, {"tokens": [0, 4, 3, 4]}, {"before": [4]}, {"before": [0]}, {"before": [3]},
        {"alphabet": ["a", "b", "b*"], "tokens": [0, 1, 4]}, {"alphabet": ["a", "b"], "tokens": [0, 1]}]
    for place, case in enumerate(claim["cases"]):
        others = [{"when": {"formula": "true"}}, {"when": {"formula": "Q_a"}}, {"when": {"formula": "Q['b*']"}},
                  {"above": [[[1 - place, "1"]]]}]
        changes += [{"cases": [*claim["cases"][:place], case | other, *claim["cases"][place + 1:]]} for other in others]
    for change in changes:
        mutant = document | {"claim": claim | change, "evidence": {"graphs": [], "directions": [], "units": words}}
        try:
            check_text((json.dumps(mutant, indent=1) + "\n").encode())
        except Refusal:
            verdicts[False] += 1
            continue
        verdicts[True] += 1
        parsed = claim_from_json(mutant["claim"], "m")
        margins = WordMargins(FloatNetwork(network_from_json(mutant["network"], "m")), parsed)
        assert all(margins.margins(some, 0).min() > 0 for n in range(1, 6)
                   for some in words_in_batches(len(parsed.alphabet), n, 1 << 10))
    assert verdicts[False] >= 8 and verdicts[True] >= 2
