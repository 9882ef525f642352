"""Diagnosis of text that does not parse: what was found and what was expected, in plain words."""

import contextlib
from collections.abc import Iterable, Mapping, Sequence

from lark import Lark, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

_SHOWN = 40


def diagnose(parser: Lark, start: str, text: str, error: UnexpectedInput, end: str) -> tuple[int, str, frozenset[str]]:
    """Return the offset of the error, the text found there, and the terminals accepted there.

    ``end`` is the name of the end of the text in messages.
    """
    offset, found = locate(text, error, end)
    return offset, found, _accepted(parser, start, text, offset)


def locate(text: str, error: UnexpectedInput, end: str) -> tuple[int, str]:
    """Return the offset of the error and the text found there; ``end`` is the name of the end of the text."""
    match error:
        case UnexpectedCharacters():
            offset = int(error.pos_in_stream or 0)
            return offset, repr(text[offset])
        case UnexpectedToken(token=token) if token.type != "$END":
            return token.start_pos, quote(token)
    return len(text.rstrip()), end


def _accepted(parser: Lark, start: str, text: str, offset: int) -> frozenset[str]:
    """Return the terminals accepted at the offset.

    The whole text is split into tokens, since cutting it at the offset could change the last token.
    """
    interactive = parser.parse_interactive(text, start)
    with contextlib.suppress(UnexpectedCharacters):
        for token in interactive.iter_parse():
            if (token.start_pos or 0) >= offset:
                break  # before it is fed to the parser
    return frozenset(interactive.accepts())  # type: ignore[no-untyped-call]


def describe_terminals(terminals: Iterable[str], words: Mapping[str, str]) -> str:
    """Return ``a, b or c``: the words for the terminals, each once, in the order of ``words``.

    >>> describe_terminals({"B", "A"}, {"A": "a number", "B": "the end"})
    'a number or the end'
    """
    known = set(terminals)
    named = list(dict.fromkeys(word for terminal, word in words.items() if terminal in known))
    return ", ".join(named[:-1]) + " or " + named[-1] if len(named) > 1 else "".join(named)


def place_of(text: str, offset: int) -> tuple[int, int]:
    r"""Return line and column of an offset, both counted from 1.

    >>> place_of("ab\ncd", 4)
    (2, 2)
    """
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def offset_of(text: str, line: int, column: int) -> int:
    r"""Return the offset of a line and column.

    >>> offset_of("ab\ncd", 2, 2)
    4
    """
    return sum(len(before) + 1 for before in text.split("\n", line - 1)[:line - 1]) + column - 1


def quote(text: str) -> str:
    r"""Return the text in quotes, on one line, shortened if long.

    >>> quote("one\ntwo")
    "'one\\ntwo'"
    """
    return repr(str(text) if len(text) <= _SHOWN else text[: _SHOWN - 3] + "...")


def list_names(names: Sequence[str]) -> str:
    """Return the names separated by commas, shortened if many.

    >>> list_names(["a", "b"])
    'a, b'
    """
    shown = ", ".join(names[:12])
    return shown[:80] + ", ..." if len(names) > 12 or len(shown) > 80 else shown
