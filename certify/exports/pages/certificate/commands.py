"""Commands that check a certificate independently, to be copied."""

import hashlib
import shlex
from collections.abc import Sequence
from functools import cache

from certify.claims.formula.sealed import Sealed
from certify.common.words import show_word
from certify.exports.checker import pack_checker
from constructions.errors import InputError
from constructions.language.alphabets import split_symbols
from constructions.language.parser import parse_formula
from constructions.language.printer import format_formula
from constructions.text import printable

CHECKER = "check.pyz"
UNNAMED = "CERTIFICATE"
"""Replaces names that cannot be typed."""
LONGEST = 3000
"""Longer commands are shortened; without options the checker prints the claim."""


@cache
def checker_digest() -> str:
    """Return the SHA-256 of the checker as one file, which is reproducible for this version."""
    return hashlib.sha256(pack_checker()).hexdigest()


def write_checker_command() -> str:
    """Return the command that writes the checker as one file."""
    return f"certify export --to checker -o {CHECKER}"


def claimed_formula(sealed: Sealed) -> str | None:
    """Return the text of the claim's formula; None if it refers to a table.

    See docs/reference/certificate.md, section 2.
    """
    text = str(sealed.claim["formula"])
    try:
        parse_formula(text, sealed.transformer.alphabet, {each.name: each for each in sealed.transformer.predicates()})
    except InputError:
        return None
    return text


def check_softened_command(alphabet: Sequence[str], last: int, file: str) -> str:
    """Return the command that checks the certificate of a softened transformer."""
    return shlex.join([*_command(file), *_alphabet_options(alphabet), "--max-n", str(last)])


def check_command(sealed: Sealed, file: str, formula: str | None) -> str:
    """Return the command that checks the file for exactly its claim, or, if that is too long, prints the claim.

    Without the text of the formula, it prints the claim.
    """
    if formula is None:
        return shlex.join(_command(file))
    command = shlex.join([*_command(file), *_question(sealed, formula)])
    return command if len(command) <= LONGEST and printable(command) == command else shlex.join(_command(file))


def _command(file: str) -> list[str]:
    name = file if printable(file) == file else UNNAMED
    return ["python", "-I", "-S", CHECKER, name if not name.startswith("-") else f"./{name}"]


def _question(sealed: Sealed, formula: str) -> list[str]:
    network, claim, lengths = sealed.transformer, sealed.claim, sealed.lengths
    return [*(["--formula", formula] if not formula.startswith("-") else [f"--formula={formula}"]),
            *(part for each in network.predicates() for part in ("--predicate", each.description)),
            *([f"--given={format_formula(network.given)}"] if "given" in claim else []),
            *_alphabet_options(network.alphabet),
            *(["--min-n", str(lengths.first)] if lengths.first > 1 else []), "--max-n", str(lengths.last),
            *(["--regime", str(claim["regime"])] if claim["regime"] != "unstated" else []),
            *(["--causal"] if claim["causal"] else [])]


def _alphabet_options(alphabet: Sequence[str]) -> list[str]:
    """Return the option for the alphabet; empty if it would be parsed differently, as with a comma in a symbol."""
    text = show_word(alphabet)
    if split_symbols(text) != tuple(alphabet) or text.startswith("-"):
        return []
    return ["--alphabet", text]


def check_alone_command(file: str) -> str:
    """Return the command that checks the file and prints its claim.

    >>> check_alone_command("my.cert")
    'python -I -S check.pyz my.cert'
    """
    return shlex.join(_command(file))
