"""All words of a shard at once, where every layer looks to the left only: layer by layer, words that are alike as one.

A *course* says which vectors words hold when a layer begins; docs/softened.md, section 4, All words at once, has the
claim, that every position of every word is checked, and its proof. The words are counted as paths of the last course.
"""

from collections.abc import Iterable, Sequence

from .layers import LayerAtLength
from .lengths import TransformerAtLength
from .memoisation import POINTER_BITS, History, IntegerVector, ResidualVector

Word = tuple[str, ...]
Steps = tuple[tuple[ResidualVector, "PrefixNode"], ...]
Reached = tuple["PrefixNode", tuple[History, ...]]
"""A node, and what the heads of a layer have seen when they come there."""
Leading = dict[Reached, list[tuple[ResidualVector, Reached]]]
"""For all that is reached after some position, what comes out of a layer at the next one, and what is reached there."""


class TablesFull(Exception):
    """There are too many different prefixes to be remembered."""


class PrefixNode:
    """Where a course goes on: for each symbol the vector that is next, and the node after it."""

    __slots__ = ("steps",)

    def __init__(self, steps: Steps) -> None:
        self.steps = steps


PrefixPath = list[list[PrefixNode]]
"""The nodes before the first position, after it, and so on."""


def begin_course(at: TransformerAtLength, prefix: Word) -> PrefixPath:
    """The course of the words with this prefix when the first layer begins: at each position any symbol may stand."""
    course = [[PrefixNode(())]]
    for i in reversed(range(at.n)):
        symbols: Iterable[str] = prefix[i : i + 1] or at.cells[i]
        course.append([PrefixNode(tuple([(at.cells[i][symbol], course[-1][0]) for symbol in symbols]))])
    return course[::-1]


def expected_queries(course: PrefixPath, heads: int) -> list[list[list[IntegerVector]]]:
    """For each head the queries that may come at each position or later."""
    found: list[list[list[IntegerVector]]] = []
    for k in range(heads):
        queries: dict[IntegerVector, None] = {}
        from_right = []
        for nodes in reversed(course[:-1]):
            queries |= dict.fromkeys([vector.queries[k] for node in nodes for vector, _ in node.steps])
            from_right.append(list(queries))
        found.append(from_right[::-1])
    return found


def count_words(course: PrefixPath) -> int:
    """How many paths there are."""
    number = dict.fromkeys(course[-1], 1)
    for nodes in reversed(course[:-1]):
        number = {node: sum([number[after] for _, after in node.steps]) for node in nodes}
    return sum(number.values())


class PrefixGraph:
    """The courses of a shard; ``words`` is their number when all was run."""

    def __init__(self, at: TransformerAtLength) -> None:
        self._memory, self._layers = at.memory, at.shared

    def run(self, course: PrefixPath) -> int:
        """All layers at all positions of all words; how many these are.

        Raises:
            Rejected: if one is not within the stated bounds, or a head that must not tie does.
            Forgotten: if a bound needs what was forgotten.
            TablesFull: if too much is to be remembered.
        """
        for layer in self._layers:
            course = self._pass_on(layer, course)
        return count_words(course)

    def _pass_on(self, layer: LayerAtLength, course: PrefixPath) -> PrefixPath:
        """Return the course when the next layer begins."""
        for head, queries in zip(layer.heads, expected_queries(course, len(layer.heads)), strict=True):
            head.expect(queries)
        reached: list[Leading] = [{(course[0][0], tuple(layer.start)): []}]
        for _ in course[1:]:
            reached.append(self._follow(layer, reached[-1]))
        return self._merge(reached)

    def _follow(self, layer: LayerAtLength, reached: Leading) -> Leading:
        """What is reached one position further; the steps that lead there are noted where they begin."""
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

    def _merge(self, reached: Sequence[Leading]) -> PrefixPath:
        """Return the course of what comes out: of what is reached after a position, what goes on alike is one node."""
        course: PrefixPath = []
        nodes: dict[Reached, PrefixNode] = {}
        for level in reversed(reached):
            known: dict[Steps, PrefixNode] = {}
            met: dict[Reached, PrefixNode] = {}
            for one, steps in level.items():
                out = tuple([(vector, nodes[after]) for vector, after in steps])
                met[one] = known[out] = known.get(out) or PrefixNode(out)
            nodes = met
            course.append(list(known.values()))
        return course[::-1]
