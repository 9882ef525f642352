"""Files about softened networks and margins made to take long end with a verdict, in less than 1 GB.

Run this file to measure the seconds.
"""

from __future__ import annotations

import sys

import pytest

from tests.check import margins_costly, softened_costly
from tests.check.adversarial import measure
from tests.check.softening import dump

COSTLY = {f"{kind} {name}": make for kind, files in (("softened", softened_costly), ("margins", margins_costly))
          for name, make in files.COSTLY.items()}
GIGABYTE = 1024  # MB
ACCEPTED, INCOMPLETE = 0, 3  # none of the files claims anything that is false


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", COSTLY)
def test_ends_with_its_verdict_within_the_memory(name: str) -> None:
    status, line, _, megabytes = measure(dump(COSTLY[name]()))
    assert status in (ACCEPTED, INCOMPLETE) and "could not be completed" not in line
    assert megabytes < GIGABYTE


if __name__ == "__main__":
    for name in sys.argv[1:] or COSTLY:
        data = dump(COSTLY[name]())
        status, line, seconds, megabytes = measure(data)
        print(f"{name:40} {len(data) >> 10:6} kB  status {status}  {seconds:6.1f} s  {megabytes:5} MB  {line[-90:]}")
