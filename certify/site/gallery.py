"""The certificates of the gallery: files that are given, or the shipped formulas, proved now."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from certify.exports.html import page_of
from certify.formula.examples import load_examples
from certify.formula.outcomes import Certified
from certify.formula.pipeline import certify
from certify.formula.sealed import NotAccepted
from certify.frame.files import read_text
from constructions.errors import InputError, Unsupported

Progress = Callable[[str], None]
SUFFIX = ".cert"
_NAME = re.compile(r"[\w.-]+", re.ASCII)


@dataclass(frozen=True)
class Exhibit:
    """A certificate, its page (empty if there is none for its network), and what is said of it."""

    name: str
    about: str
    certificate: str
    page: str


def exhibits_of_files(paths: Sequence[str], progress: Progress) -> list[Exhibit]:
    """The certificates in these files, checked.

    Raises:
        InputError: if one is no certificate or not accepted, or two have the same name.
    """
    found: dict[str, Exhibit] = {}
    for path in paths:
        progress(path)
        name = PurePath(path).name.removesuffix(SUFFIX)
        if not _NAME.fullmatch(name) or name in found:
            raise InputError(f"{path}: expected a name of letters, digits, -, _ and . that no other certificate has")
        try:
            found[name] = _exhibit(name, "", read_text(path), path)
        except NotAccepted as reason:
            raise InputError(str(reason)) from None
    return list(found.values())


def shipped_exhibits(max_n: int, progress: Progress) -> list[Exhibit]:
    """The shipped formulas that are certified up to this length."""
    found = []
    for example in load_examples():
        progress(example.name)
        outcome = certify(example.formula, alphabet=list(example.alphabet), max_n=max_n)
        if isinstance(outcome, Certified):
            found.append(_exhibit(example.name, example.about, outcome.certificate, example.name))
    return found


def _exhibit(name: str, about: str, certificate: str, path: str) -> Exhibit:
    try:
        page = page_of(certificate, path, f"{name}{SUFFIX}")
    except Unsupported:
        page = ""
    return Exhibit(name, about, certificate, page)
