"""Reachability and strongly connected components of finite graphs."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def reachable(nodes: Iterable[Node], after: Callable[[Node], Iterable[Node]]) -> set[Node]:
    """Return these nodes and all nodes reachable from them.

    >>> sorted(reachable("b", {"a": "ab", "b": "c", "c": "b"}.__getitem__))
    ['b', 'c']
    """
    found = set(nodes)
    pending = list(found)
    while pending:
        fresh = set(after(pending.pop())) - found
        found |= fresh
        pending += fresh
    return found


def strong_components(nodes: Iterable[Node], after: Callable[[Node], Iterable[Node]]) -> list[list[Node]]:
    """Return the strongly connected components (Tarjan), each before those reachable from it; not recursive.

    >>> strong_components("abc", {"a": "ab", "b": "c", "c": "b"}.__getitem__)
    [['a'], ['b', 'c']]
    """
    order: dict[Node, int] = {}
    lowest: dict[Node, int] = {}
    open_nodes: list[Node] = []
    closed: set[Node] = set()
    found: list[list[Node]] = []
    for root in nodes:
        pending: list[tuple[Node, Iterator[Node]]] = [] if root in order else [(root, iter(after(root)))]
        while pending:
            node, rest = pending[-1]
            if node not in order:
                order[node] = lowest[node] = len(order)
                open_nodes.append(node)
            fresh = None
            for other in rest:
                if other not in order:
                    fresh = other
                    break
                if other not in closed:
                    lowest[node] = min(lowest[node], order[other])
            if fresh is not None:
                pending.append((fresh, iter(after(fresh))))
                continue
            pending.pop()
            if pending:
                parent = pending[-1][0]
                lowest[parent] = min(lowest[parent], lowest[node])
            if lowest[node] == order[node]:
                place = open_nodes.index(node)
                found.append(open_nodes[place:])
                closed.update(open_nodes[place:])
                del open_nodes[place:]
    return found[::-1]
