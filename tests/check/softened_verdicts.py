"""Verdicts of the checker on certificates of softened transformers, for tests."""

from collections.abc import Mapping

import pytest

from proofs.check import Rejected, check_text
from tests.check.handmade import edit
from tests.check.softened_models import sealed
from tests.check.softening import Json, dump

HEAD = ("transformer", "layers", 0, "heads", 0)


def covered(made: Json) -> Mapping[str, int]:
    """Return the coverage of an accepted certificate."""
    coverage = check_text(dump(made)).coverage
    assert isinstance(coverage, Mapping)
    return coverage


def rejected(made: Json, reason: str) -> None:
    with pytest.raises(Rejected, match=reason):
        check_text(dump(made))


def rightmost(name: str, max_n: int) -> Json:
    """Return the certificate with a rightmost head at first, which may not tie."""
    return edit(sealed(name, max_n), *HEAD, "weighting", value="rightmost-hardmax")
