"""Which files hold a trained network, by how they begin."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

OVER_THE_REALS = ("certify-decision", "certify-wrong-word")
"""The formats of certificates about real numbers."""
WITH_A_CLAIM = (*OVER_THE_REALS, "certify-float-runs", "certify-wrong-run")
"""The formats of files that hold a network and a claim about words."""
ABOUT_TRACKS = ("certify-tracks", "certify-wrong-input")
"""The formats of files that hold a network and a claim about inputs in tracks."""
ABOUT_LENGTHS = ("certify-lengths", "certify-long-word", "certify-suffixes")
"""The formats of files that hold a network and a claim about words of any length."""
_BEGINNING_BYTES = 200


def is_trained(path: str) -> bool:
    """Whether the file begins as one with a trained network does."""
    return begins_as(path, ("certify-trained", *WITH_A_CLAIM, *ABOUT_TRACKS, *ABOUT_LENGTHS))


def begins_as(path: str, formats: Sequence[str]) -> bool:
    """Whether the file begins as one of these formats does."""
    if not os.path.isfile(path):
        return False
    beginning = re.compile(rf'\s*\{{\s*"format"\s*:\s*"({"|".join(formats)})"')
    try:
        with Path(path).open("rb") as file:
            return beginning.match(file.read(_BEGINNING_BYTES).decode("utf-8", errors="replace")) is not None
    except OSError:
        return False
