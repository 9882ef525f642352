"""Detection of files that hold a trained network, by their beginning."""

import os
import re
import sys
from io import BufferedReader
from pathlib import Path
from typing import NamedTuple

from certify.common.output_guard import STANDARD_STREAM

_BEGINNING_BYTES = 400
_TRAINED = re.compile(r'\s*\{\s*"format"\s*:\s*"certify-(trained|decision)"')
_HEAD = re.compile(r'\s*\{\s*"format"\s*:\s*"certify-decision"\s*,\s*"version"\s*:\s*\d+\s*,' + r"\s*,".join(
    rf'\s*"{key}"\s*:\s*"([^"]*)"' for key in ("inputs", "execution", "property", "by")))


class CertificateHeader(NamedTuple):
    """The header of a certificate about a trained network: docs/reference/trained.md, section 2."""

    inputs: str
    execution: str
    property: str
    by: str

    def is_by_length(self) -> bool:
        """Return whether it is about exact outputs on all words, not a count of them, length by length."""
        return (self.inputs, self.execution, self.property) == ("words", "exact", "answers")


def head_in(text: str) -> CertificateHeader | None:
    """Return the header of a certificate, None if it has none."""
    found = _HEAD.match(text[:_BEGINNING_BYTES])
    return CertificateHeader(*found.groups()) if found else None


def head_of(path: str) -> CertificateHeader | None:
    """Return the header of the certificate in a file, or on standard input for ``-``, which is not consumed."""
    return head_in(_beginning_of(path))


def is_trained(path: str) -> bool:
    """Return whether the file begins as one with a trained network does."""
    return _TRAINED.match(_beginning_of(path)) is not None


def _beginning_of(path: str) -> str:
    """Return the first characters without consuming standard input; empty if there are none."""
    if path == STANDARD_STREAM:
        stream = sys.stdin.buffer
        return _text(stream.peek(_BEGINNING_BYTES)) if isinstance(stream, BufferedReader) else ""
    if not os.path.isfile(path):
        return ""
    try:
        with Path(path).open("rb") as file:
            return _text(file.read(_BEGINNING_BYTES))
    except OSError:
        return ""


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="replace")
