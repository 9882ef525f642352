"""Which files hold a trained network, by how they begin."""

from __future__ import annotations

import os
import re
from pathlib import Path

WITH_A_CLAIM = ("certify-decision", "certify-wrong-word")
"""The formats of files that hold a network and a claim about words."""
ABOUT_TRACKS = ("certify-tracks", "certify-wrong-input")
"""The formats of files that hold a network and a claim about inputs in tracks."""
_BEGINNING = re.compile(rf'\s*\{{\s*"format"\s*:\s*"({"|".join(("certify-trained", *WITH_A_CLAIM, *ABOUT_TRACKS))})"')
_BEGINNING_BYTES = 200


def is_trained(path: str) -> bool:
    """Whether the file begins as one with a trained network does."""
    if not os.path.isfile(path):
        return False
    try:
        with Path(path).open("rb") as file:
            return _BEGINNING.match(file.read(_BEGINNING_BYTES).decode("utf-8", errors="replace")) is not None
    except OSError:
        return False
