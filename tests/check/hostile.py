"""The parts of hostile inputs, and assertions of their refusal."""

import pytest

from proofs.check import Incomplete, Malformed, Rejected, check_text
from tests.check import handmade
from tests.check.handmade import dump

SINCE = handmade.since_certificate(5)
MODEL = SINCE["transformer"]
HEAD = ("transformer", "layers", 0, "heads", 0)
UNITS = ("transformer", "layers", 0, "feedforward", "units")
BOUND = ("bounds", 0)


def malformed(made: handmade.Json | bytes, reason: str) -> None:
    with pytest.raises(Malformed, match=reason):
        check_text(made if isinstance(made, bytes) else dump(made))


def rejected(made: handmade.Json, reason: str) -> None:
    with pytest.raises(Rejected, match=reason):
        check_text(dump(made))


def incomplete(made: handmade.Json | bytes, reason: str) -> None:
    with pytest.raises(Incomplete, match=reason):
        check_text(made if isinstance(made, bytes) else dump(made))
