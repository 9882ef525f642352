"""The text of an SMT-LIB script from a folder that somebody else may have written, before a solver reads it.

A solver does what a script says, and SMT-LIB has commands that write and read files. So a script may state and ask,
and do nothing else; and it must be the one of the manifest.
"""

import hashlib
import re
from collections.abc import Iterator

from constructions.errors import InputError

COMMANDS = frozenset({"set-info", "set-logic", "declare-fun", "declare-const", "define-fun", "assert", "check-sat",
                      "exit"})
_STATUS = re.compile(r"^\(set-info :status (\w+)\)$", re.MULTILINE)
_STRANGE = re.compile(r"[^ -~\n]")
_COMMENT = re.compile(r";.*")
_QUOTED = re.compile(r"[\"|]")
_PIECE = re.compile(r"[()]|[^\s()]+")


def digest_of_script(text: str) -> str:
    """The SHA-256 of a script, as the manifest has it."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def check_script(text: str, where: str, status: str, digest: str) -> None:
    """Raise InputError unless the script states and asks only, and is the one with that status and digest."""
    if (found := _STATUS.findall(text)) != [status]:
        raise InputError(f"{where}: states the status {', '.join(found) or 'nothing'}, and the manifest {status}")
    if strange := _STRANGE.search(text):
        raise InputError(f"{where}: found {strange[0]!r}, expected printable ASCII")
    code = _COMMENT.sub("", text)
    if _QUOTED.search(code):
        raise InputError(f"{where}: found a string or a quoted symbol, expected none")
    for command in _commands(code):
        if command not in COMMANDS:
            raise InputError(f"{where}: found {command[:40]!r}, expected the commands {', '.join(sorted(COMMANDS))}")
    if digest_of_script(text) != digest:
        raise InputError(f"{where}: was changed since it was exported: its SHA-256 is not the one of the manifest")


def _commands(code: str) -> Iterator[str]:
    """What follows each bracket that opens outside of all others, and whatever else stands there.

    >>> list(_commands("(assert (not a))\\n(exit) more"))
    ['assert', 'exit', 'more']
    """
    depth, is_first = 0, False
    for piece in _PIECE.findall(code):
        if is_first or (depth == 0 and piece != "("):
            yield piece
        depth += (piece == "(") - (piece == ")")
        is_first = piece == "(" and depth == 1
