"""The operators of LTL on finite words as textbooks define them: one recursion, nothing of the project in it.

A formula is a nested tuple: an operator's name and its operands. Positions count from 1. ``reading`` says what tools
differ in: whether ``X`` (and what is built with it) is weak, and whether ``since`` and ``until`` are those of [SHA].
"""

from typing import Any, NamedTuple

Tree = tuple[Any, ...]


class Reading(NamedTuple):
    """The conventions in which tools differ."""

    x_is_weak: bool = False
    words_are_usual: bool = False


def holds(tree: Tree, word: str, i: int, reading: Reading = Reading()) -> bool:
    """Return whether the word satisfies the formula at position i."""
    name, *parts = tree
    n = len(word)

    def at(part: Tree, j: int) -> bool:
        return holds(part, word, j, reading)

    def everywhere(part: Tree, first: int, last: int) -> bool:
        return all(at(part, j) for j in range(first, last + 1))

    def until(left: Tree, right: Tree, low: int = 0, high: int = n) -> bool:
        return any(at(right, j) and everywhere(left, i, j - 1)
                   for j in range(i + low, min(n, i + high) + 1))

    def since(left: Tree, right: Tree, low: int = 0, high: int = n) -> bool:
        return any(at(right, j) and everywhere(left, j + 1, i)
                   for j in range(max(1, i - high), i - low + 1))

    match name:
        case "letter":
            return bool(word[i - 1] == parts[0])
        case "true" | "false":
            return bool(name == "true")
        case "not":
            return not at(parts[0], i)
        case "and":
            return at(parts[0], i) and at(parts[1], i)
        case "or":
            return at(parts[0], i) or at(parts[1], i)
        case "implies":
            return not at(parts[0], i) or at(parts[1], i)
        case "iff":
            return at(parts[0], i) == at(parts[1], i)
        case "xor":
            return at(parts[0], i) != at(parts[1], i)
        case "next" | "previous":
            j = i + 1 if name == "next" else i - 1
            return 1 <= j <= n and at(parts[0], j)
        case "weak next" | "weak previous":
            j = i + 1 if name == "weak next" else i - 1
            return not 1 <= j <= n or at(parts[0], j)
        case "X":
            return at(parts[0], i + 1) if i < n else reading.x_is_weak
        case "X^":
            return at(parts[1], i + parts[0]) if i + parts[0] <= n else reading.x_is_weak
        case "Y^":
            return i - parts[0] >= 1 and at(parts[1], i - parts[0])
        case "F":
            return any(at(parts[0], j) for j in range(i, n + 1))
        case "G":
            return everywhere(parts[0], i, n)
        case "O":
            return any(at(parts[0], j) for j in range(1, i + 1))
        case "H":
            return everywhere(parts[0], 1, i)
        case "U":
            return until(*parts)
        case "S":
            return since(*parts)
        case "until":
            return until(*parts) if reading.words_are_usual else any(
                at(parts[1], j) and everywhere(parts[0], i, j) for j in range(i, n + 1))
        case "since":
            return since(*parts) if reading.words_are_usual else any(
                at(parts[1], j) and everywhere(parts[0], j, i) for j in range(1, i + 1))
        case "W":
            return until(*parts) or everywhere(parts[0], i, n)
        case "B":
            return since(*parts) or everywhere(parts[0], 1, i)
        case "R":  # right as long as left has not held, the position where it first holds included
            return all(at(parts[1], j) or any(at(parts[0], k) for k in range(i, j)) for j in range(i, n + 1))
        case "T":
            return all(at(parts[1], j) or any(at(parts[0], k) for k in range(j + 1, i + 1)) for j in range(1, i + 1))
        case "M":
            return any(at(parts[0], j) and everywhere(parts[1], i, j) for j in range(i, n + 1))
        case "F[]":
            low, high, part = parts
            ends_before = i + low > n or (high is not None and i + high > n)
            last = n if high is None else min(n, i + high)
            return any(at(part, j) for j in range(i + low, last + 1)) or (reading.x_is_weak and ends_before)
        case "G[]":
            low, high, part = parts
            return everywhere(part, i + low, n if high is None else min(n, i + high))
        case "O[]":
            low, high, part = parts
            return any(at(part, j) for j in range(1 if high is None else max(1, i - high), i - low + 1))
        case "H[]":
            low, high, part = parts
            return everywhere(part, 1 if high is None else max(1, i - high), i - low)
        case "U[]":
            return until(parts[2], parts[3], parts[0], n if parts[1] is None else parts[1])
        case "S[]":
            return since(parts[2], parts[3], parts[0], n if parts[1] is None else parts[1])
        case "linear":
            return _compare(parts, word, i, at)
    raise ValueError(name)


def _compare(parts: list[Any], word: str, i: int, at: Any) -> bool:
    """Return a chain of comparisons of sums of counts, perhaps of their remainder."""
    relations = {"<=": int.__le__, "<": int.__lt__, ">=": int.__ge__, ">": int.__gt__, "==": int.__eq__,
                 "!=": int.__ne__}
    numbers = [_number(part, word, i, at) for part in parts[::2]]
    return all(relations[relation](*numbers[place : place + 2]) for place, relation in enumerate(parts[1::2]))


def _number(part: Any, word: str, i: int, at: Any) -> int:
    match part:
        case int():
            return part
        case "i" | "n":
            return i if part == "i" else len(word)
        case ("left", operand):
            return sum(at(operand, j) for j in range(1, i + 1))
        case ("right", operand):
            return sum(at(operand, j) for j in range(i, len(word) + 1))
        case ("sum", *summands):
            return sum(int(factor) * _number(summand, word, i, at) for factor, summand in summands)
        case ("mod", dividend, modulus):
            return _number(dividend, word, i, at) % int(modulus)
    raise ValueError(part)
