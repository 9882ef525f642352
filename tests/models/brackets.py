"""Balanced brackets by a stack, as everybody would write it."""

from collections.abc import Sequence


def balanced_prefixes(word: Sequence[str], depth: int) -> tuple[bool, ...]:
    """Return, for every prefix, whether it is balanced and never nested deeper than ``depth``."""
    stack: list[str] = []
    fine, result = True, []
    for symbol in word:
        if symbol in "([":
            stack.append(symbol)
            fine = fine and len(stack) <= depth
        else:
            fine = fine and bool(stack) and stack.pop() + symbol in ("()", "[]")
        result.append(fine and not stack)
    return tuple(result)
