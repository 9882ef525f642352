"""The kinds of claims: a row a format, with the chapter that reads, decides and describes its files.

A chapter is imported when a file needs it: who checks certificates of formulas alone runs the kernel and one chapter.
A new kind of claim is one folder of `chapters/`, whose `KINDS` has what `FileKind` asks for, and one row here.
"""

from collections.abc import Mapping
from importlib import import_module

from .kernel.kind import Extension, FileKind

LARGE = ("certify-decision", "certify-wrong-word", "certify-tracks", "certify-wrong-input", "certify-float-runs",
         "certify-wrong-run", "certify-track-runs", "certify-wrong-input-run", "certify-lengths", "certify-long-word",
         "certify-suffixes")
"""The formats whose files hold the weights of a trained network."""

CHAPTERS: Mapping[str, str] = {
    "certify-certificate": "formula",
    "certify-softened": "softened",
    "certify-margin": "margin",
    **dict.fromkeys(LARGE, "trained")}

ADDITIONS: Mapping[str, Mapping[str, str]] = {"certify-certificate": {"floats": "floats"}}
"""Of some formats, the keys that another chapter reads."""


def find_kind(name: str) -> FileKind:
    """Who knows the files of a format."""
    kinds: Mapping[str, FileKind] = import_module(f".chapters.{CHAPTERS[name]}", __package__).KINDS
    return kinds[name]


def find_additions(name: str, keys: Mapping[str, object]) -> dict[str, Extension]:
    """Who knows the additional keys that a file of a format has."""
    found = {key: chapter for key, chapter in ADDITIONS.get(name, {}).items() if key in keys}
    return {key: import_module(f".chapters.{chapter}", __package__).ADDITION for key, chapter in found.items()}
