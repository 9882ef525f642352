"""The inputs and outputs of a command: no output is an input, none is given twice, nothing else is written.

Options that write are marked (``requests.options``), and their paths are noted before the work begins. Every file that
is read, or named by another file, is compared with them; what is written must be among them.
"""

import contextlib
import os
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from constructions.errors import InputError, InternalError

STANDARD_STREAM = "-"
Identity = tuple[int, int]
"""The device and the number of a file: the same for all of its names, links too."""


def identity_of(place: str | Path | int) -> Identity | None:
    """Return the identity of a file or folder, by path or descriptor; None for devices, pipes and missing files."""
    try:
        found = os.stat(place)
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode) else None


@dataclass(frozen=True)
class Output:
    """An output path that an option names."""

    option: str
    name: str

    @property
    def target(self) -> Path:
        """The path with links resolved; for standard output a path that cannot exist."""
        return Path(os.devnull, STANDARD_STREAM) if self.name == STANDARD_STREAM else Path(os.path.realpath(self.name))

    @property
    def key(self) -> object:
        """A key, equal for two names of one path, existing or not; None for devices, where writing loses nothing.

        Standard output takes one output only, a device several.
        """
        if self.name == STANDARD_STREAM:
            return STANDARD_STREAM
        if os.path.exists(self.name):
            return identity_of(self.name)
        return (identity_of(self.target.parent) or self.target.parent, self.target.name)


class WouldReplace(InputError):
    """An output path is read: the command ends, even if it tolerates other bad input."""


class OutputGuard:
    """The input and output paths of one command."""

    def __init__(self) -> None:
        self.outputs: list[Output] = []
        self.inputs: dict[Identity, str] = {}

    def note_output(self, option: str, name: str) -> None:
        """Note a path that will be written.

        Raises:
            InputError: if it is an input, or where something else is written.
        """
        new = Output(option, name)
        if (key := new.key) is None:
            return self.outputs.append(new)
        for other in self.outputs:
            if other.key == key:
                raise InputError(f"{option} {name}: {other.option} writes there, too, expected another place")
        if key in [identity_of(stream) for stream in (1, 2)]:
            raise InputError(f"{option} {name}: what is printed goes there already, expected another place")
        self.outputs.append(new)
        self.check_no_input(name)

    def note_input(self, name: str) -> None:
        """Note a path that is read.

        Raises:
            InputError: if it is an output.
        """
        found = identity_of(_input_stream() if name == STANDARD_STREAM else name)
        if found is None:
            return
        self.inputs.setdefault(found, name)
        for output in self.outputs:
            if output.key == found:
                raise WouldReplace(f"{output.option} {output.name}: would replace {_shown(name)}, which is read, "
                                   "expected another place")

    def check_no_input(self, name: str) -> None:
        """Raise InputError if the file was read."""
        if name != STANDARD_STREAM and (found := identity_of(name)) in self.inputs:
            raise WouldReplace(f"{name}: would replace {_shown(self.inputs[found])}, which is read, expected another "
                               "place")

    def check_noted(self, name: str) -> None:
        """Raise InternalError if no option names the path, or a folder above it."""
        folder, last = os.path.split(name)
        place = Path(os.path.realpath(folder), last)
        if not any(output.name == name or place.is_relative_to(output.target) for output in self.outputs):
            raise InternalError(f"{name}: about to be written, but no option that writes names it")


def _shown(name: str) -> str:
    return "standard input" if name == STANDARD_STREAM else name


def _input_stream() -> int:
    try:
        return sys.stdin.fileno()
    except (OSError, ValueError, AttributeError):
        return -1


_of_commands: list[OutputGuard] = []
"""The guards of running commands; empty if the Python API is used directly."""


@contextlib.contextmanager
def guard_outputs() -> Iterator[OutputGuard]:
    """Compare all paths that are read and written within the context."""
    _of_commands.append(OutputGuard())
    try:
        yield _of_commands[-1]
    finally:
        _of_commands.pop()


def current_guard() -> OutputGuard | None:
    """Return the guard of the running command, if one runs."""
    return _of_commands[-1] if _of_commands else None


def note_output(option: str, name: str) -> None:
    """Note a path that the running command will write, though no argument names it.

    Raises:
        InputError: if it is an input, or where something else is written.
    """
    if places := current_guard():
        places.note_output(option, name)


def note_input(name: str | Path) -> None:
    """Note a path that the running command reads.

    Raises:
        InputError: if that is where it writes.
    """
    if places := current_guard():
        places.note_input(str(name))
