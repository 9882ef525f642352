"""Files made to take long end with a verdict, in less than 1 GB; `adversarial.py` measures the seconds."""

import pytest

from tests.check.adversarial import FILES, measure

GIGABYTE = 1024  # MB
TRUE = {"spread", "wider_spread", "units_that_compare", "uniform_scores"}
"""What these claim is true, and accepted; the others are wrong, or too much."""


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", FILES)
def test_ends_with_a_verdict_within_the_memory(name: str) -> None:
    status, line, _, megabytes = measure(FILES[name]())
    assert status in ((0,) if name in TRUE else (1, 2, 3)) and "could not be completed" not in line
    assert megabytes < GIGABYTE
