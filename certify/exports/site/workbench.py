"""The Python files of the workbench: the parser and the prover, the libraries they need, and the answers."""

from collections.abc import Sequence
from importlib.metadata import distribution
from pathlib import Path
from types import ModuleType

import lark
import markupsafe
import mpmath

import certify
import constructions
import proofs
from certify.exports.checker import pack

PARTS_OF_CONSTRUCTIONS = ("*.py", "language/*.py", "language/*.lark", "network/*.py", "statements/*.py")
PARTS_OF_CERTIFY = ("__init__.py", "claims/__init__.py", "claims/formula/__init__.py", "claims/formula/in_words.py",
                    "common/__init__.py", "common/readable.py", "exports/__init__.py", "exports/pages/__init__.py",
                    "exports/pages/base/__init__.py", "exports/pages/base/svg.py",
                    "exports/pages/certificate/__init__.py", "exports/pages/certificate/blocks.py",
                    "exports/pages/certificate/layout.py", "exports/pages/certificate/names.py",
                    "exports/pages/certificate/wiring.py", "exports/site/__init__.py", "exports/site/answers.py")
PARTS_OF_MARKUPSAFE = ("__init__.py", "_native.py")
PARTS_OF_LARK = ("*.py", "parsers/*.py", "grammars/*.lark", "py.typed")
Parts = Sequence[tuple[ModuleType, Sequence[str]]]
READING: Parts = ((constructions, PARTS_OF_CONSTRUCTIONS), (certify, PARTS_OF_CERTIFY), (lark, PARTS_OF_LARK),
                  (markupsafe, PARTS_OF_MARKUPSAFE))
"""The packages that parse formulas."""
PROVING: Parts = (
    *READING, (certify, ("requests/*.py", "claims/formula/*.py", "common/*.py", "exports/site/proving.py")),
    (constructions, ("regular/*.py", "trained/*.py")),
    (proofs, ("__init__.py", "check/**/*.py", "checking/**/*.py", "enclosures/**/*.py", "formula/**/*.py",
              "trained/__init__.py", "trained/runs.py", "words/**/*.py")),
    (mpmath, ("*.py", "calculus/*.py", "functions/*.py", "libmp/*.py", "matrices/*.py")))
"""The packages that also prove; python-flint and Z3 come in separate wheels."""
WITHOUT_BALLS = '''\
"""Replaces python-flint, which the page lacks: enclosures of real numbers are unsupported there."""

from constructions.errors import Unsupported


def _refuse(*_, **__):
    raise Unsupported("this formula needs enclosures of real numbers, which this page does not compute")


class arb:
    __init__ = _refuse


class fmpq:
    __init__ = _refuse


class ctx:
    workprec = staticmethod(_refuse)
'''


def workbench_files() -> dict[str, bytes]:
    """Return the files of the parser, by their import paths, sorted."""
    return _files_of(READING, {"flint.py": WITHOUT_BALLS.encode()})


def prover_files() -> dict[str, bytes]:
    """Return the files of the prover, by their import paths, sorted."""
    return _files_of(PROVING, {})


def _files_of(parts: Parts, found: dict[str, bytes]) -> dict[str, bytes]:
    """Return the files and their licences."""
    for package, patterns in parts:
        folder = Path(str(package.__file__)).parent
        found |= {f"{folder.name}/{path.relative_to(folder).as_posix()}": path.read_bytes()
                  for pattern in patterns for path in folder.glob(pattern)}
    for name in {package.__name__ for package, _ in parts} - {"certify", "constructions", "proofs"}:
        found |= {f"{name}/LICENSE": path.read_binary() for path in distribution(name).files or ()
                  if path.name.startswith("LICENSE")}
    return {name: found[name] for name in sorted(found)}


def pack_workbench() -> bytes:
    """Return the parser as one reproducible zip file."""
    return pack(workbench_files())


def pack_prover() -> bytes:
    """Return the prover as one reproducible zip file."""
    return pack(prover_files())
