"""Layered graphs of abstract words (docs/reference/trained.md, section 4): every word follows one path of nodes.

Keys that matter become nodes of their own, or are merged on the last level; all others are one node for each letter.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proofs.trained.classes.histories import Histories, Key

Labels = Sequence[Hashable]
IRRELEVANT = "irrelevant"


@dataclass(frozen=True)
class NodeLevel:
    """The nodes of one level.

    ``letters`` are indices into the alphabet (0 where the level's token is fixed). ``cases`` are those to be proved
    if the level is judged. ``relevant`` nodes reach a judged node with cases, or are one.
    """

    letters: tuple[int, ...]
    cases: tuple[tuple[int, ...], ...]
    relevant: tuple[bool, ...]
    successors: tuple[tuple[int, ...], ...] = ()

    def __len__(self) -> int:
        return len(self.letters)


@dataclass(frozen=True, eq=False)
class ClassGraph:
    """Levels 0 … ; the first ``length`` steps read letters, the others the tokens after the word.

    ``merged`` names the classes of the last level's nodes, if keys were merged there.
    """

    length: int
    levels: tuple[NodeLevel, ...]
    merged: tuple[Hashable, ...] = ()

    @cached_property
    def successors(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """The graph as the certificate contains it."""
        return tuple(level.successors for level in self.levels)

    def to_json(self) -> list[Any]:
        """Return GRAPH of docs/reference/trained.md."""
        return [[list(node) for node in level] for level in self.successors]

    @cached_property
    def predecessors(self) -> list[NDArray[np.intp]]:
        """The predecessors of the nodes of each level, [most edges into a node, nodes], padded with -1."""
        tables = [np.full((1, 1), -1, np.intp)]
        for before, level in zip(self.levels, self.levels[1:], strict=False):
            into: list[list[int]] = [[] for _ in range(len(level))]
            for node, successors in enumerate(before.successors):
                for successor in successors:
                    if not into[successor] or into[successor][-1] != node:
                        into[successor].append(node)
            tables.append(padded(into))
        return tables

    def asked(self, first: int, last: int) -> list[tuple[int, int]]:
        """Return the nodes with cases on levels first … last."""
        return [(level, node) for level in range(first, last + 1)
                for node, cases in enumerate(self.levels[level].cases) if cases]


def padded(rows: Sequence[Sequence[int]]) -> NDArray[np.intp]:
    """Return the rows as columns of one table, filled with -1."""
    table = np.full((max(map(len, rows)), len(rows)), -1, np.intp)
    for column, row in enumerate(rows):
        table[: len(row), column] = row
    return table


def class_graph(histories: Histories, length: int, judged: range, after: int = 0,
                merge: Callable[[Key], Hashable] | None = None, merge_equal: bool = False) -> ClassGraph:
    """Build the graph of all words of a length, with the cases of the judged levels.

    With ``merge``, keys of the last letter that it maps to one value (and that end in one letter, if no tokens
    follow) are one node where they are judged. With ``merge_equal``, keys of earlier levels with one letter and equal
    successors are one node, too. With tokens ``after`` the word only the level length + after is judged.
    """
    histories.extend(length)
    cases = [[histories.cases(key) if level in judged or (after and level == length) else ()
              for key in histories.levels[level]] for level in range(length + 1)]  # fmt: skip
    relevant = _relevant(histories, cases)
    labels: list[list[tuple[Hashable, ...]]] = [[("key", k) for k in range(len(keys))]
                                                for keys in histories.levels[: length + 1]]  # fmt: skip
    if merge and not after:
        labels[length] = [("merged", merge(key), *key.last[-1:]) for key in histories.levels[length]]
    for level in range(1, length + 1):
        labels[level] = [label if matters else (IRRELEVANT, key.last[-1]) for label, matters, key
                         in zip(labels[level], relevant[level], histories.levels[level], strict=True)]  # fmt: skip
    if merge and merge_equal:
        _merge_equal(histories, labels)
    levels = _levels(histories, labels, cases, relevant)
    if not after:
        return ClassGraph(length, levels, tuple(name[1] for name in dict.fromkeys(labels[-1])) if merge else ())
    ends = [merge(key) if merge else cases[length][k] for k, key in enumerate(histories.levels[length])]
    ends = [end if own else IRRELEVANT for end, own in zip(ends, cases[length], strict=True)]
    levels = _with_tokens_after(levels, labels[length], ends, cases[length], after)
    return ClassGraph(length, levels, tuple(dict.fromkeys(ends)))


def with_tokens_after(graph: ClassGraph, after: int) -> ClassGraph:
    """Append one node for each token after the word, through which all words go on; no case is required there."""
    if not after:
        return graph
    last = graph.levels[-1]
    joined = replace(last, successors=((0,),) * len(last))
    tail = [NodeLevel((0,), ((),), (False,), ((),) if k == after else ((0,),)) for k in range(1, after + 1)]
    return ClassGraph(graph.length, (*graph.levels[:-1], joined, *tail))


def _merge_equal(histories: Histories, labels: list[list[tuple[Hashable, ...]]]) -> None:
    """Label the keys of all levels except the last by the letter and the labels of the successors (as numbers)."""
    for level in range(len(labels) - 2, 0, -1):
        index: dict[Hashable, int] = {}
        after = [index.setdefault(label, len(index)) for label in labels[level + 1]]
        labels[level] = [("equal", key.last[-1], *(after[k] for k in successors)) for key, successors
                         in zip(histories.levels[level], histories.successors[level], strict=True)]  # fmt: skip


def _relevant(histories: Histories, cases: Sequence[Sequence[tuple[int, ...]]]) -> list[list[bool]]:
    """Return level by level whether a key has cases, or a successor that matters."""
    relevant = [[bool(one) for one in cases[-1]]]
    for level in range(len(cases) - 2, -1, -1):
        relevant.append([bool(own) or any(relevant[-1][k] for k in successors) for own, successors
                         in zip(cases[level], histories.successors[level], strict=True)])
    return relevant[::-1]


def _levels(histories: Histories, labels: Sequence[Labels], cases: Sequence[Sequence[tuple[int, ...]]],
            relevant: Sequence[Sequence[bool]]) -> tuple[NodeLevel, ...]:
    """Return a node for each label; every node has an edge into it, as every key has one."""
    index = [{label: k for k, label in enumerate(dict.fromkeys(level))} for level in labels]
    levels = []
    for level, names in enumerate(labels):
        some = {label: k for k, label in reversed(list(enumerate(names)))}  # the first key of each label
        members = [some[label] for label in index[level]]
        successors: tuple[tuple[int, ...], ...] = tuple(() for _ in members)
        if level + 1 < len(labels):
            place_of = [index[level + 1][label] for label in labels[level + 1]]
            successors = tuple(tuple(place_of[k] for k in histories.successors[level][member]) for member in members)
        keys = [histories.levels[level][member] for member in members]
        levels.append(NodeLevel(tuple(key.last[-1] if key.last else 0 for key in keys),
                                _united(index[level], names, cases[level]),
                                tuple(relevant[level][member] for member in members), successors))  # fmt: skip
    return tuple(levels)


def _united(index: dict[Hashable, int], names: Labels, cases: Sequence[tuple[int, ...]]) -> tuple[tuple[int, ...], ...]:
    """Return, for each node, the cases of all its keys."""
    found: list[set[int]] = [set() for _ in index]
    for label, own in zip(names, cases, strict=True):
        found[index[label]].update(own)
    return tuple(tuple(sorted(one)) for one in found)


def _with_tokens_after(levels: tuple[NodeLevel, ...], labels: Labels, ends: Labels, cases: Sequence[tuple[int, ...]],
                       after: int) -> tuple[NodeLevel, ...]:
    """Return the levels of the tokens after the word: a node for each end, one for all keys that do not matter."""
    index = {end: k for k, end in enumerate(dict.fromkeys(ends))}
    end_of = {label: index[end] for label, end in zip(labels, ends, strict=True)}
    united = _united(index, ends, cases)
    count = len(index)
    nothing: tuple[tuple[int, ...], ...] = ((),) * count
    straight = tuple((k,) for k in range(count))
    relevant = tuple(bool(one) for one in united)
    last = levels[-1]
    joined = NodeLevel(last.letters, ((),) * len(last), last.relevant,
                       tuple((end_of[label],) for label in dict.fromkeys(labels)))  # fmt: skip
    tail = [NodeLevel((0,) * count, united if k == after else nothing, relevant, nothing if k == after else straight)
            for k in range(1, after + 1)]
    return (*levels[:-1], joined, *tail)
