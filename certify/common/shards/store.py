"""Finished shards on disk, one file each, so that interrupted work resumes where it stopped.

Claim   ``find`` returns only what ``keep`` wrote, whole, for this task, this function and this version of the code. A
        file that is cut off, altered, foreign or missing counts for nothing: its task is done again and the file is
        replaced. Files appear whole or not at all, and equal tasks have equal results, so several runs may use one
        folder at the same time.
Limit   Digests find damage, not malice: whoever may write to the folder can put there a well-formed file that says
        anything. No premise of a verdict may come from a store (docs/howto/scale.md).
"""

import hashlib
import json
from pathlib import Path

from certify.common.files import check_writable, read_own_text, replace_file, writing
from certify.common.shards.answers import Do
from certify.common.shards.code_version import code_version
from constructions.errors import InputError

FORMAT = "certify-shard"
VERSION = 1


class Store:
    """The finished shards of one function in one folder; ``damaged`` are the unusable files."""

    def __init__(self, folder: Path, do: Do):
        """Make the folder if it does not exist.

        Raises:
            InputError: if it cannot be made or written to.
        """
        with writing(folder, "no folder for shards"):
            folder.mkdir(parents=True, exist_ok=True)
        check_writable(str(folder / "shard"))
        self.folder = folder
        self.damaged: set[Path] = set()
        self._do = [code_version(do.__module__), f"{do.__module__}:{do.__qualname__}"]

    def path(self, task: str) -> Path:
        """Return the path of the result of this task."""
        return self.folder / f"{self._key(task)}.json"

    def find(self, task: str) -> str | None:
        """Return the result, if it is stored and whole."""
        path = self.path(task)
        if not (path.exists() or path.is_symlink()):
            return None
        try:
            text = read_own_text(str(path)) if path.is_file() else ""  # reading a pipe would wait for a writer
            result = json.loads(text)["result"]
            if text == self._seal(task, result):
                return str(result)
        except (InputError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            pass  # not written by ``keep``
        self.damaged.add(path)
        return None

    def keep(self, task: str, result: str) -> None:
        """Write the result atomically.

        Raises:
            InputError: if it cannot be written.
        """
        path = self.path(task)
        with writing(path):
            replace_file(path, self._seal(task, result).encode())

    def _key(self, task: str) -> str:
        return _digest(json.dumps([FORMAT, VERSION, *self._do, task]))

    def _seal(self, task: str, result: str) -> str:
        return json.dumps({"format": FORMAT, "version": VERSION, "task": self._key(task),
                           "result_digest": _digest(result), "result": result}) + "\n"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
