"""Tasks for tests: what they do besides is about processes and files, never about the result."""

import json
import os
import signal
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

from certify.common.shards import content
from constructions.errors import InputError, Unsupported
from constructions.network.json_form import transformer_from_json
from proofs.softened.gap import find_gap


def task(**keys: Any) -> str:
    return json.dumps(keys, sort_keys=True)


def square(text: str) -> str:
    return json.dumps({"square": str(Fraction(json.loads(text)["x"]) ** 2)})


def note(keys: dict[str, Any]) -> int:
    """Leave a file for every time the task is done; how many there are now."""
    folder = Path(keys["notes"])
    (folder / f"{keys['x']}-{os.getpid()}-{time.monotonic_ns()}").touch()
    return len(list(folder.glob(f"{keys['x']}-*")))


def noted_square(text: str) -> str:
    note(json.loads(text))
    return square(text)


def square_that_kills_first(text: str) -> str:
    """Return the square; the worker dies in the middle of x = "3" for a number of times."""
    keys = json.loads(text)
    if note(keys) <= keys["deaths"] and keys["x"] == "3":
        os.kill(os.getpid(), signal.SIGKILL)
    return square(text)


def square_that_exits(text: str) -> str:
    os._exit(7)


def slow_square(text: str) -> str:
    """Return the square after waiting for a gate (a file) and for other processes, if the keys require it."""
    keys = json.loads(text)
    note(keys)
    while not (is_open(keys) and processes_seen(keys) >= keys.get("company", 0)):
        time.sleep(0.02)
    return square(text)


def is_open(keys: dict[str, Any]) -> bool:
    return "gate" not in keys or Path(keys["gate"]).exists()


def processes_seen(keys: dict[str, Any]) -> int:
    return len({path.name.split("-")[1] for path in Path(keys["notes"]).iterdir()})


def fail_on_odd(text: str) -> str:
    keys = json.loads(text)
    x = int(keys["x"])
    time.sleep(0.2 * (x == 3))
    if x % 2:
        raise {1: ValueError, 3: InputError, 5: Unsupported}[x](f"{x} is odd\nreally")
    return square(text)


def gap(text: str) -> str:
    """Return the gap of a head of a real model, over all words of one length."""
    keys = json.loads(text)
    found = find_gap(transformer_from_json(keys["transformer"], "task"), keys["layer"], keys["head"], keys["n"])
    return json.dumps({"gap": None if found.value is None else str(found.value), "word": list(found.word),
                       "i": found.i, "tied": found.tied})


def length_of_shared(text: str) -> str:
    """Return the length of the text whose digest the task names."""
    return str(len(content(json.loads(text)["digest"])))
