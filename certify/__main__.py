"""Entry point of `certify` and `python -m certify`; rejects shadowed imports (common/shadowed_imports.py)."""

import contextlib
import os
import sys
from pathlib import Path
from typing import NoReturn

from certify.common.shadowed_imports import HOME, find_shadowed
from certify.common.verdicts import BAD_INPUT


def main() -> NoReturn:
    """Run the command line, unless another package shadows one of ours."""
    if stranger := find_shadowed():
        print(f"certify: {stranger}", file=sys.stderr)
        sys.exit(BAD_INPUT)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy reads it when loaded; matrices are small
    from certify.cli import main as run_command_line

    run_command_line()


def forget_the_current_folder() -> None:
    """Remove the current folder from ``sys.path``, where ``python -m`` puts it."""
    with contextlib.suppress(OSError):  # find_shadowed reports a current folder that was deleted
        if sys.path and Path(sys.path[0] or ".").resolve() == Path.cwd() != HOME:
            del sys.path[0]


if __name__ == "__main__":
    forget_the_current_folder()
    main()
