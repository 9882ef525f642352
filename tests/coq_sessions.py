"""A Coq that has loaded the library and stays, for tests that ask many questions.

It reads each file by ``Load``, which ends at the first error as ``coqc`` does. ``Fail`` before it complains of success,
and forgets the file in either case. The kernel that accepts a file, and what it prints of axioms, are those of
``coqc``; ``tests/every_n/test_coq_is_run_safely.py`` compares both.
"""

import atexit
import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

from proofs.every_n.kernel import Coq, CoqRun, environment, one_line
from proofs.every_n.library import LOGICAL_NAME

SUCCESS = re.compile(r"\s*Toplevel input, [^\n]*\n(?:>[^\n]*\n)*Error: The command has not failed!\s*$")
"""What ``Fail`` says where nothing has failed."""
FAILURE = re.compile(r"The command has indeed failed with message:\s*(.*?)(</infomsg>)?\s*$", re.DOTALL)
BESIDE = re.compile(r"<warning>.*?</warning>\n?|</?infomsg>", re.DOTALL)
PROMPT = re.compile(r"\n?<prompt>.*?</prompt>")
END = "end_of_what_is_printed"
ANSWERED = f"No object of basename {END}".encode()
LOADED = "From Coq Require String Reals QArith ZArith List Bool."


class CoqThatStays(Coq):
    """A ``Coq`` process for files that need no other compiled files."""

    def compile(self, source: Path, library: Path, folder: str | None = None) -> CoqRun:
        """Compile as ``Coq.compile``, but write only files of the library itself."""
        if folder is not None or source.parent == library:
            return super().compile(source, library, folder)
        assert "Fail " not in source.read_text(encoding="utf-8"), "what is loaded may not have a Fail of its own"
        printed = _tell(_session(self.program, library), f'Fail Load "{source.with_suffix("")}".')
        if failed := FAILURE.search(printed):
            return CoqRun(False, "", one_line(failed[1]))
        success = SUCCESS.search(printed)
        assert success, printed
        return CoqRun(True, BESIDE.sub("", printed[:success.start()]), "")


@cache
def _session(coqc: str, library: Path) -> subprocess.Popen[bytes]:
    """Return a ``coqtop`` that has loaded the library."""
    program = shutil.which("coqtop", path=str(Path(coqc).parent))
    assert program is not None, "there is a coqc and no coqtop beside it"
    process = subprocess.Popen([program, "-q", "-emacs", "-Q", str(library), LOGICAL_NAME], env=environment(),
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    atexit.register(process.kill)
    files = " ".join(sorted(path.stem for path in library.glob("*.vo")))
    for sentence in (LOADED, f"From {LOGICAL_NAME} Require {files}."):
        printed = _tell(process, sentence)
        assert "Error:" not in printed, printed
    return process


def _tell(process: subprocess.Popen[bytes], sentence: str) -> str:
    """Send a sentence; return the output up to the answer to a question after it."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(f"{sentence}\nLocate {END}.\n".encode())
    process.stdin.flush()
    printed = b""
    while ANSWERED not in printed:
        read = os.read(process.stdout.fileno(), 1 << 16)
        assert read, f"coqtop has ended: {printed!r}"
        printed += read
    return PROMPT.sub("", printed.partition(ANSWERED)[0].decode("utf-8", "replace"))
