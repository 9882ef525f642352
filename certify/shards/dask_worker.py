"""What a Dask worker does with a task; nothing of Dask is needed for it."""

from __future__ import annotations

import importlib
import threading

from certify.shards.answers import answer, describe, refuse
from certify.shards.code_version import code_version

_one_at_a_time = threading.Lock()


def do_by_name(module: str, name: str, task: str, version: str) -> str:
    """The answer of the function of this name, if the code here has this version.

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
        return answer(do, task)
