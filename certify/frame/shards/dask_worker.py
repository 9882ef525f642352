"""What a Dask worker does with a task; nothing of Dask is needed for it."""

import importlib
import threading
from collections.abc import Sequence

from certify.frame.shards.answers import answer, describe, refuse
from certify.frame.shards.code_version import code_version
from certify.frame.shards.contents import held

_one_at_a_time = threading.Lock()


def do_by_name(module: str, name: str, task: str, version: str, shared: Sequence[str] = ()) -> str:
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
        with held(shared):
            return answer(do, task)
