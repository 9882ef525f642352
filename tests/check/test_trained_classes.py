"""Covers by classes: what all words of small networks do is accepted, and nothing else."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from random import Random
from struct import pack, unpack
from typing import Any

import numpy as np
import pytest

from proofs.check import Malformed, Rejected
from proofs.check.checker.chapters.trained.reading.cover import Graph
from proofs.check.checker.chapters.trained.reading.network import Network, NormStep, Scale
from proofs.check.checker.chapters.trained.words import classes
from proofs.check.checker.chapters.trained.zonotopes import arithmetic
from proofs.check.checker.chapters.trained.zonotopes.affine import AffineForm, apply, make_linear, spread
from proofs.check.checker.chapters.trained.zonotopes.stated_ranges import StatedRanges

from .trained_classes import Made, Maker, Word, make, make_claim, run, with_least

Levels = list[list[list[int]]]


def build(seed: int, layers: int = 1, activation: str = "relu", kind: str = "layer", heads: int = 1,
          width: int = 6, gated: bool = False, slopes: bool = False, rotary: bool = False, size: float = 0.7,
          after: bool = False, rows: int | None = 12, scale: Scale | None = None) -> Network:
    """Return a random network; norms before each part and at the end, or after each part."""
    maker = Maker(seed, width)
    norm = maker.norm(kind)
    steps: list[Any] = []
    for _ in range(layers):
        table = maker.rotary(12, width // heads // 2, halves=seed % 2 == 0) if rotary else None
        steps.append(maker.attention(heads, norm=None if after else norm, slopes=slopes, rotary=table, size=size,
                                     scale=scale))
        steps += [NormStep(maker.norm(kind))] if after else []
        steps.append(maker.units(8, activation, None if after else maker.norm(kind), gated))
        steps.append(NormStep(maker.norm(kind)))
    return maker.network(steps, rows=rows)


def count(word: Word) -> int:
    return sum(word)


def tree(word: Word) -> Word:
    """Every word is a class of its own."""
    return word


NETWORKS: dict[str, Callable[[int], Network]] = {
    "gelu-tanh": lambda seed: build(seed, activation="gelu-tanh"),
    "gelu, scale": lambda seed: build(seed, activation="gelu", scale=Scale(Fraction(2, 7), None)),
    "relu, rms": lambda seed: build(seed, activation="relu", kind="rms"),
    "silu, gate": lambda seed: build(seed, activation="silu", gated=True),
    "tanh, norms after": lambda seed: build(seed, activation="tanh", after=True),
    "sigmoid, slopes, no positions": lambda seed: build(seed, activation="sigmoid", heads=2, slopes=True, rows=None),
    "rotary": lambda seed: build(seed, heads=3, rotary=True, rows=None),
    "two layers": lambda seed: build(seed, layers=2, size=0.2, activation="gelu-tanh" if seed == 1 else "relu"),
    "two layers, gate, norms after": lambda seed: build(
        seed, layers=2, size=0.1, activation="silu", gated=True, after=True, heads=2)}


@cache
def trees(name: str, seed: int) -> Made:
    """Return a unit where each word is a class of its own; ranges of later steps have to be wider than the truth."""
    network = NETWORKS[name](seed)
    return make(network, make_claim(network), tree, 0 if seed % 2 else 2, 3, widen=1e-3 if "two" in name else 1e-7,
                offset=seed % 3, turn=Random(seed) if seed % 2 else None)


def with_empty(made: Made) -> Made:
    """Return the claim about position 0, too, if the unit has it."""
    return replace(made, decision=replace(made.decision, claim=replace(
        made.decision.claim, empty=made.unit.first == 0)))


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_holds_by_little_is_accepted_and_what_does_not_is_rejected_where_classes_are_words(
        name: str, seed: int) -> None:
    made = with_empty(trees(name, seed))
    gap = 0.3 if "two" in name else 1e-4
    assert with_least(made, gap).prove() == (15 if seed % 2 else 12)
    with pytest.raises(Rejected, match="a row is not shown"):
        with_least(made, -1e-6).prove()


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("seed", range(3))
def test_nothing_that_a_word_contradicts_is_accepted(name: str, seed: int) -> None:
    network = NETWORKS[name](seed)
    made = make(network, make_claim(network), count, 4, 4, widen=0.02 if "two" in name else 1e-6)
    with pytest.raises(Rejected):
        with_least(made, -1e-6).prove()


@pytest.mark.parametrize("seed", range(4))
def test_classes_of_several_words_are_accepted(seed: int) -> None:
    network = build(seed, size=0.3)
    made = make(network, make_claim(network), count, 4, 4)
    assert with_least(made, 0.1).prove() == 8


def test_a_row_is_bounded_along_its_own_direction_where_forms_alone_do_not_show_it(
        monkeypatch: pytest.MonkeyPatch) -> None:
    network = build(0, size=0.5)
    made = with_least(make(network, make_claim(network), count, 4, 4), 0.01)
    assert made.prove() == 8
    monkeypatch.setattr("proofs.check.checker.chapters.trained.zonotopes.rows.exceed", lambda *arguments: False)
    with pytest.raises(Rejected, match="a row is not shown"):
        made.prove()


def test_the_margin_has_to_be_exceeded() -> None:
    network = build(1)
    made = with_least(make(network, make_claim(network), tree, 3, 3), 0.01)
    claim = made.decision.claim
    for margin, accepted in ((Fraction(98, 10000), True), (Fraction(102, 10000), False)):
        one = replace(made, decision=replace(made.decision, claim=replace(claim, margin=margin)))
        if accepted:
            assert one.prove() == 8
        else:
            with pytest.raises(Rejected, match="a row"):
                one.prove()


def ranges_with(made: Made, place: int, change: int) -> Made:
    """One number of the ranges is changed."""
    numbers = [*unpack(f"<{len(made.unit.ranges) // 4}i", made.unit.ranges)]
    numbers[place] += change
    return made.with_unit(ranges=pack(f"<{len(numbers)}i", *numbers))


@pytest.mark.parametrize("name", ["gelu-tanh", "sigmoid, slopes, no positions", "rotary"])
def test_a_range_that_some_word_leaves_is_rejected(name: str) -> None:
    """Every lower bound moved up and every upper bound moved down, by a little more than it was widened."""
    network = NETWORKS[name](2)
    made = with_least(make(network, make_claim(network), count, 3, 3, widen=0), 3)
    by = 12
    for place in range(0, len(made.unit.ranges) // 4, 5):
        with pytest.raises((Rejected, Malformed), match=r"a range of head|a lower bound is above"):
            ranges_with(made, place, -by if place % 2 else by).prove()


def test_a_range_of_a_later_step_that_some_word_leaves_is_rejected() -> None:
    network = NETWORKS["two layers"](2)
    made = make(network, make_claim(network), tree, 3, 3, widen=1e-3)
    assert with_least(made, 1).prove() == 8
    last = len(made.unit.ranges) // 4 - 8 * 12
    for place in range(last, last + 24, 3):
        with pytest.raises(Rejected, match="attention step 2: a range of head 1"):
            ranges_with(with_least(made, 1), place, (-1 if place % 2 else 1) * 2 ** 13).prove()


def recorded(made: Made, monkeypatch: pytest.MonkeyPatch) -> list[tuple[tuple[int, int], int, AffineForm]]:
    """Return the forms of the streams at nodes, with the number of the step that they come from."""
    found: list[tuple[tuple[int, int], int, AffineForm]] = []
    steps = [k for k, step in enumerate(made.decision.network.steps) if hasattr(step, "heads")]
    ends = [*steps[1:], len(made.decision.network.steps)]
    attend, write = classes.AttentionOnNodes.attend, classes.AttentionOnNodes.write
    between = arithmetic.Reals.between
    now: list[tuple[tuple[int, int], int]] = []

    def record_attend(self: classes.AttentionOnNodes, node: tuple[int, int], seen: list[set[int]],
                      numbers: StatedRanges) -> Any:
        stages = self.proof.shared.arithmetic.stages
        stage = next(k for k, one in enumerate(stages) if one.attention is self.attention)
        now.append((node, stage))
        return attend(self, node, seen, numbers)

    def record_write(self: classes.AttentionOnNodes, attended: Any, box: Any) -> AffineForm:
        stream = write(self, attended, box)
        node, stage = now[-1]
        found.append((node, steps[stage] + 1, stream))
        return stream

    def record_pass(self: arithmetic.Reals, steps: Any, x: AffineForm) -> AffineForm:
        stream = between(self, steps, x)
        if now:
            found.append((now[-1][0], ends[now[-1][1]], stream))
        return stream

    monkeypatch.setattr(classes.AttentionOnNodes, "attend", record_attend)
    monkeypatch.setattr(classes.AttentionOnNodes, "write", record_write)
    monkeypatch.setattr(arithmetic.Reals, "between", record_pass)
    monkeypatch.setattr(classes, "prove_rows", lambda *arguments: None)
    made.prove()
    return found


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("seed", [0, 1])
def test_every_form_contains_what_all_words_do_at_every_step(
        name: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Along the coordinates, and along random directions, where correlations count."""
    network = NETWORKS[name](seed)
    state = tree if "two" in name else count
    made = with_least(make(network, make_claim(network), state, 3, 3, widen=1e-3 if "two" in name else 1e-9), 0)
    random = Random(seed)
    width = network.width
    directions = [[round((i == j if j < width else random.uniform(-1, 1)) * 2**44) for i in range(width)]
                  for j in range(4 * width)]
    linear, matrix = make_linear(directions, [0] * len(directions)), np.array(directions, dtype=float) / 2**44
    runs = {tokens: run(network, tokens, 0) for inputs in made.members.values() for tokens in inputs}
    met = recorded(made, monkeypatch)
    assert len(met) >= 12
    for node, step, form in met:
        known = spread(made.decision.budget, apply(made.decision.budget, linear, form))
        centres, reaches = (np.array(one, dtype=float) / 2**44 for one in known)
        for tokens in made.members[node]:
            value = matrix @ runs[tokens].streams[step][node[0]]
            assert (np.abs(value - centres) <= reaches + 1e-9).all()


def graph_with(made: Made, change: Callable[[Levels], None]) -> Made:
    """Return the graph is changed."""
    levels = [[[*node] for node in level] for level in made.decision.evidence.graphs[0]]
    change(levels)
    graph: Graph = tuple(tuple(tuple(node) for node in level) for level in levels)
    return made.with_evidence(graphs=(graph,))


def small() -> Made:
    network = build(1)
    return with_least(make(network, make_claim(network), count, 3, 3), 1)


def test_a_graph_that_is_no_cover_is_refused() -> None:
    def swap(levels: Levels) -> None:
        levels[1][1][0] = levels[1][0][1]

    def merge(levels: Levels) -> None:
        levels[2][0][1] = levels[2][0][0]

    def unreached(levels: Levels) -> None:
        levels[2].append([0, 1])

    def less(levels: Levels) -> None:
        levels[3].pop()

    def missing(levels: Levels) -> None:
        levels[2][1].pop()

    def more(levels: Levels) -> None:
        levels[2][1].append(0)

    def two(levels: Levels) -> None:
        levels[0].append([0, 1])

    made = small()
    assert made.prove() == 6
    for change, refusal, message in (
            (swap, Rejected, "edges of different letters lead to a node of level 2"),
            (merge, Rejected, "edges of different letters lead to a node of level 3"),
            (unreached, Rejected, "no edge leads to a node of level 2"),
            (less, Malformed, "a successor of a node of level 2 is not there"),
            (missing, Malformed, "1 successors of a node of level 2, expected 2"),
            (more, Malformed, "3 successors of a node of level 2, expected 2"),
            (two, Malformed, "level 0 has 2 nodes"),
            (lambda levels: levels.pop(), Malformed, "3 levels, expected 4")):
        with pytest.raises(refusal, match=message):
            graph_with(made, change).prove()


def edges_of_one_letter(graph: Graph) -> Iterator[tuple[int, int, int, int]]:
    """Level, node, letter and another target that the letter has."""
    for level, nodes in enumerate(graph[:-1]):
        for letter in (0, 1):
            for node, successors in enumerate(nodes):
                for other in {one[letter] for one in nodes} - {successors[letter]}:
                    yield level, node, letter, other


def test_an_edge_to_another_node_is_refused_as_its_words_leave_the_ranges() -> None:
    made = small()
    found = [*edges_of_one_letter(made.decision.evidence.graphs[0])]
    assert len(found) >= 6
    for level, node, letter, other in found:
        def move(levels: Levels, place: tuple[int, int, int, int] = (level, node, letter, other)) -> None:
            levels[place[0]][place[1]][place[2]] = place[3]
        with pytest.raises(Rejected, match=r"a range of head 1 is not proved|no edge leads"):
            graph_with(made, move).prove()


def test_ranges_and_directions_of_other_sizes_are_malformed() -> None:
    made = small()
    for ranges in (made.unit.ranges[:-4], made.unit.ranges + bytes(4), b"", made.unit.ranges[:-1]):
        with pytest.raises(Malformed, match=r"ranges: [0-9]+ bytes, expected 288"):
            made.with_unit(ranges=ranges).prove()
    huge = pack("<2i", -(2**31), 2**31 - 1) * 36
    with pytest.raises(Rejected, match=r"beyond 2|not shown"):
        made.with_unit(ranges=huge, bits=0).prove()
    with pytest.raises(Rejected, match="not proved"):
        made.with_unit(bits=made.unit.bits + 1).prove()
    with pytest.raises((Rejected, Malformed), match=r"not proved|is above the upper one"):
        made.with_unit(bits=200).prove()


def test_wrong_directions_never_prove_what_is_false() -> None:
    """Directions that are all 0, or all the same, say little or nothing about an average."""
    network = build(1)
    made = make(network, make_claim(network), count, 3, 3)
    for data in (bytes(4 * 36), pack("<36i", *[2**29] * 36), pack("<36i", *[-(2**31)] * 36)):
        for ranges in (bytes(len(made.unit.ranges)), made.unit.ranges, pack("<2i", -(2**31), 2**31 - 1) * 36):
            changed = made.with_evidence(directions=(((data,),),)).with_unit(ranges=ranges)
            with pytest.raises((Rejected, Malformed)):
                with_least(changed, -1e-3).prove()


def test_directions_that_are_not_orthogonal_are_sound_and_may_do() -> None:
    network = build(1)
    made = make(network, make_claim(network), tree, 3, 3)
    numbers = [*unpack("<36i", made.decision.evidence.directions[0][0][0])]
    for size, accepted in ((2**12, True), (2**29, False)):
        skew = [x + size * (k % 7 == 1) for k, x in enumerate(numbers)]
        directions = ((pack("<36i", *skew),),)
        values = {node: [np.array(skew).reshape(6, 6) / 2**30 @ run(network, tokens, 0).averages[0][0][node[0]]
                         for tokens in inputs] for node, inputs in made.members.items()}
        ranges = b"".join(pack("<2i", int(np.floor(min(column) * 2**22 - 2)), int(np.ceil(max(column) * 2**22 + 2)))
                          for node in sorted(values) if node[0] == 3 for column in np.array(values[node]).T)
        changed = made.with_evidence(directions=(directions,)).with_unit(ranges=ranges)
        with pytest.raises(Rejected, match=r"a row|variance|reaches"):
            with_least(changed, -1e-5).prove()
        if accepted:
            assert with_least(changed, 0.01).prove() == 8


@pytest.mark.parametrize(("read", "before", "after"), [
    ("last", (3,), (2, 3)), ("last", (), (2,)), ("last", (3, 2), ()), ("first", (2, 3), ()), ("first", (), (3,)),
    ("each", (), ())])
def test_what_is_read_where_is_proved_there(read: str, before: Word, after: Word) -> None:
    network = build(2, size=0.3)
    claim = make_claim(network, read=read, before=before, after=after)
    made = make(network, claim, tree, 3, 3, offset=2)
    nodes = {"first": 1 if before else 2}.get(read, 8)
    assert with_least(made, 0.05).prove() == nodes
    with pytest.raises(Rejected, match="a row"):
        with_least(made, -1e-5).prove()


def test_units_outside_of_the_tables_or_about_no_obligation_are_refused() -> None:
    made = small()
    with pytest.raises(Rejected, match="no row in a table"):
        made.with_unit(offset=9).prove()
    with pytest.raises(Malformed, match="a unit with place 0"):
        made.with_unit(first=0).prove()
    language = made.decision.claim.language
    for formula in ("next Q_a", "Q_a until Q_b", "#>[Q_a] > 1", "LAST", "Q_a & ODD(#>[Q_b])"):
        case = replace(made.decision.claim.cases[0], when=replace(made.decision.claim.cases[0].when,
                                                                  formula=language.formula(formula)))
        ahead = replace(made.decision, claim=replace(made.decision.claim, cases=(case,)))
        with pytest.raises(Rejected, match="about the past only"):
            replace(made, decision=ahead).prove()
