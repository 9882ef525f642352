"""Exported LaTeX compiles, without a line that is too wide; skipped without pdflatex."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from certify.claims.formula.sealed import Sealed
from certify.exports.latex import latex_of
from certify.exports.latex_audit import latex_of_audit
from certify.exports.tikz import tikz_of
from tests.auditing.sample import HOSTILE, REPORT

HEAD = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{amsmath,booktabs,tikz}
\usepackage[margin=25mm]{geometry}
\begin{document}
"""


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex on this machine")
def test_tables_and_pictures_compile_and_fit_on_the_page(sealed: Callable[..., Sealed], tmp_path: Path) -> None:
    hostile = sealed("O Q['%'] & !Q['\\\\'] & Q['_']", "%\\_^~{}#$&", 3)
    parts = [latex_of(hostile), tikz_of(hostile), tikz_of(sealed("#<[Q_1] > #<[Q_0]", "01", 3)),
             latex_of_audit(REPORT), latex_of_audit(HOSTILE)]
    (tmp_path / "all.tex").write_text(HEAD + "\n\\clearpage\n".join(parts) + "\n\\end{document}\n", encoding="ascii")
    ended = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"], cwd=tmp_path,
                           capture_output=True, check=False)
    printed = ended.stdout.decode("utf-8", "replace")
    assert ended.returncode == 0, re.findall(r"^!.*(?:\n.*){4}", printed, re.MULTILINE)
    assert not [width for width in re.findall(r"Overfull .hbox \(([\d.]+)pt", printed) if float(width) > 5]
