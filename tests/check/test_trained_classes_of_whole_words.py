"""Covers by classes of bidirectional networks: a query sees the whole word, and so does what is claimed of it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from random import Random
from struct import iter_unpack, pack

import pytest

from proofs.check import Malformed, Rejected
from proofs.check.checker.chapters.trained.reading.cover import ClassesUnit, Cover
from proofs.check.checker.chapters.trained.reading.decision import Decision
from proofs.check.checker.chapters.trained.reading.network import Network, UnitsStep
from proofs.check.checker.chapters.trained.reading.words_claim import Case
from proofs.check.checker.chapters.trained.words.classes import Classes
from proofs.check.checker.chapters.trained.zonotopes.arithmetic import Reals
from proofs.check.checker.chapters.word_semantics.conditions import ClaimAutomaton, When
from proofs.check.checker.kernel.budget import Budget

from .test_trained_classes import NETWORKS, build
from .trained_classes import (
    BITS,
    Made,
    Node,
    Word,
    find_ranges,
    make_claim,
    make_directions,
    make_graph,
    run,
    with_least_at,
)

READS = ("last", "first", "each")


@dataclass
class Whole:
    """A certificate of one length of a bidirectional network, and the places of inputs where logits are judged."""

    made: Made
    judged: list[tuple[int, Word]]

    def claimed(self, gap: float) -> Made:
        """Return the case with the claim of a row whose least value over all words is the gap."""
        return with_least_at(self.made, gap, self.judged)


def make_whole(network: Network, read: str, state: Callable[[Word], object], n: int = 4, *, after: Word = (),
               empty: bool = False, widen: float = 1e-6, seed: int = 0) -> Whole:
    """Return a unit whose ranges are those of all words, widened."""
    network = replace(network, masked=False)
    claim = make_claim(network, read=read, after=after, empty=empty, min_n=n, max_n=n)
    graph, nodes = make_graph(2, n, state, len(after))
    shift, end = len(claim.before) - 1, len(claim.before) + n + len(after) - 1
    members: dict[Node, list[Word]] = {}
    for word in product(range(2), repeat=n):
        tokens = (*claim.before, *(claim.tokens[a] for a in word), *after)
        path = [(p, 0) for p in range(shift)] + [(shift + k, nodes[word[:k]]) for k in range(n + 1)]
        for node in path + [(p, nodes[word]) for p in range(shift + n + 1, end + 1)]:
            members.setdefault(node, []).append(tokens)
    asked = sorted(node for node in members if (
        shift + (not empty) <= node[0] <= shift + n if read == "each" else node[0] == end))
    directions = make_directions(network, Random(seed) if seed % 2 else None)
    runs = {tokens: run(network, tokens, seed % 3) for inputs in members.values() for tokens in inputs}
    steps, data = len(network.attention_steps), b""
    for one in asked:
        met = {node: [runs[tokens] for tokens in inputs if tokens in members[one]] for node, inputs in members.items()}
        met = {node: some for node, some in met.items() if some}
        needed = [sorted(met)] * (steps - 1) + [[one]] * (steps > 0)
        data += find_ranges(met, directions, needed, widen, 0 if read == "first" else None)
    unit = ClassesUnit(seed % 3, n, n, 0, 0, BITS, data)
    made = Made(Decision(network, claim, (), Cover((graph,), (directions,), (unit,)), claim.language.budget), members)
    return Whole(made, [(0 if read == "first" else node[0], tokens) for node in asked for tokens in members[node]])


def tree(word: Word) -> Word:
    """Every prefix is a class of its own."""
    return word


def count(word: Word) -> int:
    return sum(word)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize(("read", "after"), [("last", ()), ("last", (1, 2)), ("first", ()), ("first", (2,))])
def test_what_holds_by_little_is_accepted_and_what_does_not_is_rejected_where_classes_are_words(
        name: str, read: str, after: Word) -> None:
    """Each word is a class at the last level: with one step its ranges are points."""
    whole = make_whole(NETWORKS[name](2), read, tree, 3, after=after, seed=1)
    if "two" not in name:
        assert whole.claimed(1e-4).prove() == 8
    with pytest.raises(Rejected):
        whole.claimed(-1e-6).prove()


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("seed", range(2))
def test_nothing_that_a_word_contradicts_is_accepted(name: str, read: str, seed: int) -> None:
    whole = make_whole(NETWORKS[name](seed), read, count, widen=0.02 if "two" in name else 1e-6, seed=seed)
    with pytest.raises(Rejected):
        whole.claimed(-1e-6).prove()


@pytest.mark.parametrize(("read", "proved"), [("last", 8), ("first", 8), ("each", 20), ("each and empty", 21)])
def test_classes_of_several_words_are_accepted(read: str, proved: int) -> None:
    whole = make_whole(build(1, size=0.2), read.partition(" ")[0], count, empty="empty" in read)
    assert whole.claimed(0.5).prove() == proved


@pytest.mark.parametrize("layers", [1, 2])
def test_what_is_asked_at_the_first_letter_alone_sees_those_after_it(layers: int) -> None:
    """The automaton knows the first letter, while it is the last one."""
    whole = make_whole(build(4, layers=layers, size=0.1), "each", count, 3, widen=0.01)
    asked = [(place, tokens) for place, tokens in whole.judged if place == 1 and tokens[1] == 1]
    for gap in (1.0, -1e-6):
        claimed = with_least_at(whole.made, gap, asked)
        claim = replace(claimed.decision.claim, automaton=ClaimAutomaton(0, ((2, 1), (2, 2), (2, 2))), cases=tuple(
            Case(When(None, frozenset({1})), case.above) for case in claimed.decision.claim.cases))
        kept = sorted({(1, 1)})
        met = sorted(node for node, inputs in whole.made.members.items() if any(one[1] == 1 for one in inputs))
        runs = {node: [run(claimed.decision.network, one, 0) for one in whole.made.members[node] if one[1] == 1]
                for node in met}
        ranges = find_ranges(runs, claimed.decision.evidence.directions[0], [met] * (layers - 1) + [kept], 0.01)
        one = replace(claimed, decision=replace(claimed.decision, claim=claim)).with_unit(ranges=ranges)
        if gap > 0:
            assert one.prove() == 1
        else:
            with pytest.raises(Rejected, match="a row is not shown"):
                one.prove()


@pytest.mark.parametrize(("read", "proved"), [("last", 6), ("first", 6), ("each", 12)])
def test_classes_of_two_steps_are_accepted(read: str, proved: int) -> None:
    whole = make_whole(build(1, layers=2, size=0.05), read, count, 3, widen=0.02)
    assert whole.claimed(1.0).prove() == proved


def narrower(data: bytes, place: int, upper: bool, by: int) -> bytes:
    """Return the ranges, one of which is narrower by ``by`` at one end."""
    numbers = [list(pair) for pair in iter_unpack("<2i", data)]
    numbers[place][upper] += -by if upper else by
    return b"".join(pack("<2i", *pair) for pair in numbers)


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("upper", [False, True])
def test_a_range_that_leaves_out_a_word_is_not_proved(read: str, upper: bool) -> None:
    """One attention step over single tokens: what is found by all words is what a class has, up to roundings."""
    made = make_whole(build(3, size=0.5), read, count, widen=0).claimed(1.0)
    wide = [low < high - 64 for low, high in iter_unpack("<2i", made.unit.ranges)]
    for place in [k for k, is_wide in enumerate(wide) if is_wide][::7]:
        with pytest.raises(Rejected, match="a range of head 1 is not proved"):
            made.with_unit(ranges=narrower(made.unit.ranges, place, upper, 8)).prove()


def test_the_first_token_asked_about_is_one_token_on_all_words_of_a_node() -> None:
    """Without tokens before the word: first letters have to be told apart."""
    network = build(1, size=0.3)

    def without_before(state: Callable[[Word], object]) -> Made:
        whole = make_whole(network, "first", state)
        claim = replace(whole.made.decision.claim, before=())
        made = replace(whole.made, decision=replace(whole.made.decision, claim=claim),
                       members={node: [w[1:] for w in inputs] for node, inputs in whole.made.members.items()})
        runs = {node: [run(made.decision.network, tokens, 0) for tokens in inputs]
                for node, inputs in made.members.items() if node[0] == 4}
        made = made.with_unit(ranges=find_ranges(runs, made.decision.evidence.directions[0], [sorted(runs)], 1e-6, 0))
        return with_least_at(made, 0.5, [(0, tokens[1:]) for _, tokens in whole.judged])

    assert without_before(lambda word: (word[0], sum(word))).prove() == 12
    with pytest.raises(Malformed, match="different first tokens"):
        without_before(count).prove()


def test_without_attention_the_first_token_is_judged_itself() -> None:
    network = build(1)
    alone = replace(network, steps=tuple(step for step in network.steps if isinstance(step, UnitsStep)))
    for read in READS:
        whole = make_whole(alone, read, count)
        assert whole.claimed(1e-4).prove() > 0
        with pytest.raises(Rejected, match="a row is not shown"):
            whole.claimed(-1e-6).prove()


def test_classes_of_float_executions_are_of_causal_networks() -> None:
    decision = make_whole(build(1), "last", count).made.decision
    with pytest.raises(Rejected, match="float models by classes need causal attention"):
        Classes(decision, Reals(Budget(1), decision.network))
