"""Files about softened networks, margins and trained networks made to take long end with a verdict, in less than 1 GB.

Run this file to measure the seconds.
"""

import sys

import pytest

from tests.check import margins_costly, softened_costly, trained_costly
from tests.check.adversarial import measure
from tests.check.softening import dump

COSTLY = {f"{kind} {name}": make for kind, files in (
    ("softened", softened_costly), ("margins", margins_costly), ("trained", trained_costly))
          for name, make in files.COSTLY.items()}
GIGABYTE = 1024  # MB
ACCEPTED, REJECTED, INCOMPLETE = 0, 1, 3
REFUSED = {"softened embeddings_of_many_lengths": "is irrational at n = 1, i = 1, expected a rational",
           "margins many_letters_that_are_remembered": "e output is not below the threshold by more than the margin"}
"""These are rejected, and why; none of the others claims anything that is false."""


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", COSTLY)
def test_ends_with_its_verdict_within_the_memory(name: str) -> None:
    status, line, _, megabytes = measure(dump(COSTLY[name]()))
    if name in REFUSED:
        assert status == REJECTED and REFUSED[name] in line
    else:
        assert status in (ACCEPTED, INCOMPLETE) and "could not be completed" not in line
    assert megabytes < GIGABYTE


if __name__ == "__main__":
    for name in sys.argv[1:] or COSTLY:
        data = dump(COSTLY[name]())
        status, line, seconds, megabytes = measure(data)
        print(f"{name:40} {len(data) >> 10:6} kB  status {status}  {seconds:6.1f} s  {megabytes:5} MB  {line[-90:]}")
