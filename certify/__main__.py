"""Entry point of `certify` and `python -m certify`, which refuses shadowed imports (common/shadowed_imports.py)."""

import contextlib
import sys
from pathlib import Path
from typing import NoReturn

from certify.common.shadowed_imports import HOME, find_shadowed
from certify.common.verdicts import BAD_INPUT


def main() -> NoReturn:
    """The command line, unless another package stands where one of ours is expected."""
    if stranger := find_shadowed():
        print(f"certify: {stranger}", file=sys.stderr)
        sys.exit(BAD_INPUT)
    from certify.cli import main as run_command_line

    run_command_line()


def forget_the_current_folder() -> None:
    """``python -m`` puts the current folder first on the path: nothing in it is meant to be imported."""
    with contextlib.suppress(OSError):  # a current folder that is gone: find_shadowed says so
        if sys.path and Path(sys.path[0] or ".").resolve() == Path.cwd() != HOME:
            del sys.path[0]


if __name__ == "__main__":
    forget_the_current_folder()
    main()
