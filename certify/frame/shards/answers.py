"""What a worker says of a task, as text: its result, or why there is none. Nothing that a worker sends is unpickled."""

import json
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path

from constructions.errors import InputError, InternalError, Unsupported

Do = Callable[[str], str]
"""A pure function of a module's top level: it is known by its name to other processes, and its result depends on the
task alone."""
_REPORTED = (InputError, Unsupported, InternalError, RecursionError)
KINDS: Mapping[str, type[Exception]] = {kind.__name__: kind for kind in _REPORTED}


def answer(do: Do, task: str) -> str:
    """The result of the task, or the error it ends with, as one text."""
    try:
        return json.dumps({"result": do(task)})
    except _REPORTED as error:
        kind = next(name for name, kind in KINDS.items() if isinstance(error, kind))
        return refuse(kind, str(error))
    except Exception as error:
        return refuse(InternalError.__name__, f"{_place(error)}: {describe(error)}")


def refuse(kind: str, message: str) -> str:
    """The answer of a worker that has no result."""
    return json.dumps({"kind": kind, "message": message})


def read_answer(text: str) -> str | Exception:
    """What ``answer`` said: the result, or the error.

    >>> read_answer(answer(str.upper, "a"))
    'A'
    >>> read_answer(refuse("InputError", "n: 0, expected a positive number"))
    InputError('n: 0, expected a positive number')
    """
    said = json.loads(text)
    if "result" in said:
        return str(said["result"])
    return KINDS[said["kind"]](said["message"])


def describe(error: BaseException) -> str:
    """The kind of an error and the first line of its message."""
    return ": ".join([type(error).__name__, *str(error).splitlines()[:1]])


def _place(error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(frame.filename).name}, line {frame.lineno}"
