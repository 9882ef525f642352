"""All words of a shard at once, where every layer is future-masked: layer by layer, on an automaton of their prefixes.

The *prefix automaton* of a layer accepts the sequences of vectors that words have at its beginning.
docs/background/softened_rules.md, section 4, All words at once, claims that every position of every word is checked,
and proves it. The words are counted as paths of the last automaton.
"""

from collections.abc import Iterable, Sequence

from .layers import LayerAtLength
from .lengths import TransformerAtLength
from .memoisation import POINTER_BITS, History, IntegerVector, ResidualVector

Word = tuple[str, ...]
Steps = tuple[tuple[ResidualVector, "PrefixNode"], ...]
Reached = tuple["PrefixNode", tuple[History, ...]]
"""A node, and the histories of the heads of a layer there."""
Leading = dict[Reached, list[tuple[ResidualVector, Reached]]]
"""For each node and histories after some position, the layer's output at the next one, and what follows it."""


class TablesFull(Exception):
    """There are too many different prefixes for the tables."""


class PrefixNode:
    """A node of a prefix automaton: for each symbol the next vector, and the node after it."""

    __slots__ = ("steps",)

    def __init__(self, steps: Steps) -> None:
        self.steps = steps


PrefixAutomaton = list[list[PrefixNode]]
"""A prefix automaton: the nodes before the first position, after it, and so on."""


def build_automaton(at: TransformerAtLength, prefix: Word) -> PrefixAutomaton:
    """Build the automaton of the words with this prefix at the first layer: the other positions have all symbols."""
    automaton = [[PrefixNode(())]]
    for i in reversed(range(at.n)):
        symbols: Iterable[str] = prefix[i : i + 1] or at.cells[i]
        automaton.append([PrefixNode(tuple([(at.cells[i][symbol], automaton[-1][0]) for symbol in symbols]))])
    return automaton[::-1]


def expected_queries(automaton: PrefixAutomaton, heads: int) -> list[list[list[IntegerVector]]]:
    """Return the queries of each head that may come at each position or later."""
    found: list[list[list[IntegerVector]]] = []
    for k in range(heads):
        queries: dict[IntegerVector, None] = {}
        from_right = []
        for nodes in reversed(automaton[:-1]):
            queries |= dict.fromkeys([vector.queries[k] for node in nodes for vector, _ in node.steps])
            from_right.append(list(queries))
        found.append(from_right[::-1])
    return found


def count_words(automaton: PrefixAutomaton) -> int:
    """Count the words: the paths of the automaton."""
    number = dict.fromkeys(automaton[-1], 1)
    for nodes in reversed(automaton[:-1]):
        number = {node: sum([number[after] for _, after in node.steps]) for node in nodes}
    return sum(number.values())


class PrefixGraph:
    """The run of a shard, from the automaton of each layer to the automaton of the next."""

    def __init__(self, at: TransformerAtLength) -> None:
        self._memory, self._layers = at.memory, at.shared

    def run(self, automaton: PrefixAutomaton) -> int:
        """Run all layers at all positions of all words; return the number of words.

        Raises:
            Rejected: if an error exceeds its stated bound, or a head that must be tieless ties.
            ValuesDropped: if a bound needs values that were dropped.
            TablesFull: if the tables would be too large.
        """
        for layer in self._layers:
            automaton = self._pass_on(layer, automaton)
        return count_words(automaton)

    def _pass_on(self, layer: LayerAtLength, automaton: PrefixAutomaton) -> PrefixAutomaton:
        """Return the automaton of the next layer."""
        for head, queries in zip(layer.heads, expected_queries(automaton, len(layer.heads)), strict=True):
            head.expect(queries)
        reached: list[Leading] = [{(automaton[0][0], tuple(layer.start)): []}]
        for _ in automaton[1:]:
            reached.append(self._follow(layer, reached[-1]))
        return self._merge(reached)

    def _follow(self, layer: LayerAtLength, reached: Leading) -> Leading:
        """Return the nodes and histories one position further; add the steps to them to ``reached``."""
        following: Leading = {}
        for (node, histories), steps in reached.items():
            for vector, after in node.steps:
                grown = layer.see(histories, vector)
                next_one = after, tuple(grown) if after.steps else ()
                steps.append((layer.pass_on(vector, grown), next_one))
                following.setdefault(next_one, [])
            self._keep(len(steps), len(histories))
        return following

    def _keep(self, steps: int, heads: int) -> None:
        self._memory.budget.spend(steps * (2 + heads))
        self._memory.keep(1 + steps, steps * (4 + heads) * POINTER_BITS)
        if self._memory.is_full:
            raise TablesFull

    def _merge(self, reached: Sequence[Leading]) -> PrefixAutomaton:
        """Return the automaton of the output: nodes with equal steps are merged."""
        automaton: PrefixAutomaton = []
        nodes: dict[Reached, PrefixNode] = {}
        for level in reversed(reached):
            known: dict[Steps, PrefixNode] = {}
            merged: dict[Reached, PrefixNode] = {}
            for one, steps in level.items():
                out = tuple([(vector, nodes[after]) for vector, after in steps])
                merged[one] = known[out] = known.get(out) or PrefixNode(out)
            nodes = merged
            automaton.append(list(known.values()))
        return automaton[::-1]
