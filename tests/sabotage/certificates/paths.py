"""Every place of a JSON document, and copies with one place changed."""

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

Json = Any
Path = tuple[str | int, ...]


def dump(document: Json) -> bytes:
    """Return the one spelling of a certificate."""
    return (json.dumps(document, indent=1, ensure_ascii=True) + "\n").encode()


def places(document: Json, path: Path = ()) -> Iterator[Path]:
    """Yield the path of every value below the document, parents first."""
    if path:
        yield path
    steps: list[tuple[str | int, Json]] = []
    if isinstance(document, dict):
        steps = list(document.items())
    elif isinstance(document, list):
        steps = list(enumerate(document))
    for step, value in steps:
        yield from places(value, (*path, step))


def look(document: Json, path: Path) -> Json:
    """Return the value at a path."""
    for step in path:
        document = document[step]
    return document


def changed(document: Json, path: Path, change: Callable[[Any, Any], None]) -> Json:
    """Return a copy in which ``change`` got what holds the place, and the last step to it."""
    made = copy.deepcopy(document)
    change(look(made, path[:-1]), path[-1])
    return made


def replaced(document: Json, path: Path, value: Json) -> Json:
    """Return a copy with another value there."""
    def change(parent: Any, step: Any) -> None:
        parent[step] = copy.deepcopy(value)
    return changed(document, path, change)


def removed(document: Json, path: Path) -> Json:
    """Return a copy without this entry."""
    def change(parent: Any, step: Any) -> None:
        del parent[step]
    return changed(document, path, change)


def with_keys(document: Json, path: Path, order: Callable[[list[tuple[str, Json]]], list[tuple[str, Json]]]) -> Json:
    """Return a copy in which the object that holds the place has the entries that ``order`` makes of its own."""
    def change(parent: Any, _: Any) -> None:
        entries = order(list(parent.items()))
        parent.clear()
        parent.update(entries)
    return changed(document, path, change)


def renamed_key(document: Json, path: Path, name: str) -> Json:
    """Return a copy with another key at the same place of its object."""
    return with_keys(document, path, lambda entries: [(name if key == path[-1] else key, value)
                                                      for key, value in entries])


def doubled(document: Json, path: Path, name: str) -> Json:
    """Return a copy with the entry twice: a list item after itself, a value of an object under another name, too."""
    if isinstance(path[-1], str):
        def repeat(entries: list[tuple[str, Json]]) -> list[tuple[str, Json]]:
            return [pair for key, value in entries for pair in
                    ([(key, value), (name, copy.deepcopy(value))] if key == path[-1] else [(key, value)])]
        return with_keys(document, path, repeat)

    def change(parent: Any, step: Any) -> None:
        parent.insert(step, copy.deepcopy(parent[step]))
    return changed(document, path, change)


def swapped(document: Json, path: Path) -> Json:
    """A copy in which the entry and the next one of its list or object have changed places; of the last one, itself."""
    if isinstance(path[-1], str):
        def exchange(entries: list[tuple[str, Json]]) -> list[tuple[str, Json]]:
            k = [key for key, _ in entries].index(str(path[-1]))
            return [*entries[:k], *reversed(entries[k : k + 2]), *entries[k + 2 :]]
        return with_keys(document, path, exchange)

    def change(parent: Any, step: Any) -> None:
        parent[step : step + 2] = reversed(parent[step : step + 2])
    return changed(document, path, change)


def values_swapped(document: Json, path: Path) -> Json:
    """Return a copy in which a value of an object and the next one have changed their keys; of the last one, itself."""
    def exchange(entries: list[tuple[str, Json]]) -> list[tuple[str, Json]]:
        k = [key for key, _ in entries].index(str(path[-1]))
        pair = entries[k : k + 2]
        crossed = [(key, value) for (key, _), (_, value) in zip(pair, reversed(pair), strict=True)]
        return [*entries[:k], *crossed, *entries[k + 2 :]]
    return with_keys(document, path, exchange)
