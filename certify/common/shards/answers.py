"""Answers of workers as text: the result of a task, or its error. Nothing that a worker sends is unpickled.

Texts shared by many tasks, such as a network, are sent to each worker once; tasks name them by digest.
"""

import contextlib
import hashlib
import importlib
import json
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from certify.common.shards.code_version import code_version
from constructions.errors import InputError, InternalError, Unsupported

Do = Callable[[str], str]
"""A pure function of a module's top level: it is known by its name to other processes, and its result depends on the
task alone."""
_REPORTED = (InputError, Unsupported, InternalError, RecursionError)
KINDS: Mapping[str, type[Exception]] = {kind.__name__: kind for kind in _REPORTED}


def answer(do: Do, task: str) -> str:
    """Return the result of the task, or the error it ends with, as one text."""
    try:
        return json.dumps({"result": do(task)})
    except _REPORTED as error:
        kind = next(name for name, kind in KINDS.items() if isinstance(error, kind))
        return refuse(kind, str(error))
    except Exception as error:
        return refuse(InternalError.__name__, f"{_place(error)}: {describe(error)}")


def refuse(kind: str, message: str) -> str:
    """Return the answer of a worker that has no result."""
    return json.dumps({"kind": kind, "message": message})


def read_answer(text: str) -> str | Exception:
    """Parse a text of ``answer``: the result, or the error.

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
    """Return the kind of an error and the first line of its message."""
    return ": ".join([type(error).__name__, *str(error).splitlines()[:1]])


def _place(error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(frame.filename).name}, line {frame.lineno}"


# -- texts that many tasks name ----------------------------------------------------------------------------------------


_held: dict[str, str] = {}


def digest_of(text: str) -> str:
    """Return the digest by which tasks name the text."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def content(digest: str) -> str:
    """Return the text of this digest, in whatever process does the task."""
    return _held[digest]


@contextlib.contextmanager
def held(texts: Sequence[str]) -> Iterator[None]:
    """Let tasks done in this process name these texts within the context."""
    before = dict(_held)
    _held.update({digest_of(text): text for text in texts})
    try:
        yield
    finally:
        _held.clear()
        _held.update(before)


# -- a worker of Dask --------------------------------------------------------------------------------------------------


_one_at_a_time = threading.Lock()


def do_by_name(module: str, name: str, task: str, version: str, shared: Sequence[str] = ()) -> str:
    """Return the answer of the function of this name, if the code here has this version.

    One task at a time, however many threads the worker has: nothing of ours is made for several.
    """
    with _one_at_a_time:
        try:
            do = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError) as error:
            return refuse("InputError", f"--dask: a worker has no {module}.{name}: {describe(error)}")
        if code_version(module) != version:
            return refuse("InputError", "--dask: a worker has another version of certify or of a library it uses, "
                                        "expected the same on all machines")
        with held(shared):
            return answer(do, task)
