"""The Python of the workbench: the project's own parser as it is, the library that it needs, and what answers."""

from __future__ import annotations

from importlib.metadata import distribution
from pathlib import Path

import lark
import markupsafe

import certify
import constructions
from certify.exports.checker import pack

PARTS_OF_CONSTRUCTIONS = ("*.py", "language/*.py", "language/*.lark", "network/*.py", "statements/*.py")
PARTS_OF_CERTIFY = ("__init__.py", "formula/__init__.py", "formula/in_words.py", "frame/__init__.py",
                    "frame/readable.py", "exports/__init__.py", "exports/pages/__init__.py",
                    "exports/pages/base/__init__.py", "exports/pages/base/svg.py",
                    "exports/pages/certificate/__init__.py", "exports/pages/certificate/blocks.py",
                    "exports/pages/certificate/layout.py", "exports/pages/certificate/names.py",
                    "exports/pages/certificate/wiring.py", "site/__init__.py", "site/answers.py")
PARTS_OF_MARKUPSAFE = ("__init__.py", "_native.py")
PARTS_OF_LARK = ("*.py", "parsers/*.py", "grammars/*.lark", "py.typed")
WITHOUT_BALLS = '''\
"""Stands for python-flint, which the page does not have: what needs real numbers is refused there."""

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
    """The files by the names under which Python finds them, sorted."""
    found = {"flint.py": WITHOUT_BALLS.encode()}
    for package, parts in ((constructions, PARTS_OF_CONSTRUCTIONS), (certify, PARTS_OF_CERTIFY), (lark, PARTS_OF_LARK),
                           (markupsafe, PARTS_OF_MARKUPSAFE)):
        folder = Path(str(package.__file__)).parent
        found |= {f"{folder.name}/{path.relative_to(folder).as_posix()}": path.read_bytes()
                  for part in parts for path in folder.glob(part)}
    for name in ("lark", "markupsafe"):
        found |= {f"{name}/LICENSE": path.read_binary() for path in distribution(name).files or ()
                  if path.name.startswith("LICENSE")}
    return {name: found[name] for name in sorted(found)}


def pack_workbench() -> bytes:
    """The files as one, the same bytes every time."""
    return pack(workbench_files())
