"""Which files hold a trained network, by how they begin."""

import os
import re
import sys
from collections.abc import Sequence
from io import BufferedReader
from pathlib import Path

from certify.frame.places import STANDARD_STREAM

OVER_THE_REALS = ("certify-decision", "certify-wrong-word")
"""The formats of certificates about real numbers."""
WITH_A_CLAIM = (*OVER_THE_REALS, "certify-float-runs", "certify-wrong-run")
"""The formats of files that hold a network and a claim about words."""
ABOUT_TRACKS = ("certify-tracks", "certify-wrong-input", "certify-track-runs", "certify-wrong-input-run")
"""The formats of files that hold a network and a claim about inputs in tracks."""
ABOUT_LENGTHS = ("certify-lengths", "certify-long-word", "certify-suffixes")
"""The formats of files that hold a network and a claim about words of any length."""
_BEGINNING_BYTES = 200


def is_trained(path: str) -> bool:
    """Whether the file begins as one with a trained network does."""
    return begins_as(path, ("certify-trained", *WITH_A_CLAIM, *ABOUT_TRACKS, *ABOUT_LENGTHS))


def begins_as(path: str, formats: Sequence[str]) -> bool:
    """Whether the file, or standard input for ``-``, begins as one of these formats does."""
    beginning = re.compile(rf'\s*\{{\s*"format"\s*:\s*"({"|".join(formats)})"')
    return beginning.match(_beginning_of(path).decode("utf-8", errors="replace")) is not None


def _beginning_of(path: str) -> bytes:
    """The first bytes, which stay to be read; none if there are none to be had."""
    if path == STANDARD_STREAM:
        stream = sys.stdin.buffer
        return stream.peek(_BEGINNING_BYTES) if isinstance(stream, BufferedReader) else b""
    if not os.path.isfile(path):
        return b""
    try:
        with Path(path).open("rb") as file:
            return file.read(_BEGINNING_BYTES)
    except OSError:
        return b""
