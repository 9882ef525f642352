"""Verified checkers for the page that checks: scripts from `certify export --to certify-check --javascript`."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from certify.common.output_guard import note_input
from constructions.errors import InputError, Unreadable
from proofs.every_n.axioms import allowed_axioms
from proofs.every_n.extracted import EVERY_N_IN_PAGES, VERIFIED_IN_PAGES, OcamlProgram

MOST_SECONDS = 300
"""Time limit for one file in a page; natively it is 120 seconds, and pages take three to four times as long."""


@dataclass(frozen=True)
class Proved:
    """A script that is a verified checker, and its theorem."""

    program: OcamlProgram
    word: str
    about: str
    theorem: str
    place: str
    script: bytes = b""

    @property
    def name(self) -> str:
        """The name of the checker, without the suffix of its form in a page."""
        return self.program.name.removesuffix(".js")

    @property
    def digest(self) -> str:
        """SHA-256 of the script."""
        return hashlib.sha256(self.script).hexdigest()

    @property
    def rests_on(self) -> str:
        """The reason why its acceptance is a proof."""
        return (f"{self.word.capitalize()} by a checker verified in Coq: Theorem {self.theorem} "
                f"({self.place}), with no axioms except the {len(allowed_axioms())} of Coq's real numbers.")


KNOWN = (
    Proved(VERIFIED_IN_PAGES, "accepted", "certificates of formulas, for the lengths that they claim",
           "judge_certificate_holds", "proofs/coq/checker/check_certificate.v"),
    Proved(EVERY_N_IN_PAGES, "proved", "models and certificates of formulas, for every length",
           "check_file_computes", "proofs/coq/checker/check_file.v"),
)


def read_proved(folders: Sequence[str]) -> tuple[Proved, ...]:
    """Return the checkers in folders that `certify export --to certify-check --javascript` wrote, each once.

    Raises:
        InputError: if a folder is not one of these, or was written by another version of certify.
    """
    found = {each.name: each for each in map(_read, folders)}
    return tuple(found[each.name] for each in KNOWN if each.name in found)


def _read(folder: str) -> Proved:
    note_input(folder)
    for each in KNOWN:
        path = Path(folder) / each.program.name
        if not path.is_file():
            continue
        try:
            written = {name: (Path(folder) / name).read_text(encoding="utf-8") for name in each.program.own_sources()}
            script = path.read_bytes()
        except (OSError, UnicodeDecodeError) as error:
            raise Unreadable(f"--verified: {folder}: {error}") from None
        if written != each.program.own_sources():
            raise InputError(f"--verified: {folder} was written by another version of certify; write it again")
        return Proved(each.program, each.word, each.about, each.theorem, each.place, script)
    raise InputError(f"--verified: {folder} has none of {', '.join(each.program.name for each in KNOWN)}: expected a "
                     "folder that checker --verified --javascript writes")
