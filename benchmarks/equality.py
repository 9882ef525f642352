"""Two networks of examples/trained compared, beside deciding each against the claim of the first: seconds of processor.

    python benchmarks/equality.py tomita_4 tomita_4_turned 20
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeVar

from certify.frame.shards import Workers
from certify.learning.equality import compare
from certify.learning.question import read_words
from certify.trained.decide import Settings, decide
from examples.trained.zoo import plans

Result = TypeVar("Result")


def timed(run: Callable[[], Result]) -> tuple[Result, float]:
    """What it returns, and how long it took in this process."""
    start = time.process_time()
    return run(), time.process_time() - start


def main(first: str, second: str, longest: str) -> None:
    """Compare, decide both, and print what came out."""
    one, other = (plans()[name].network() for name in (first, second))
    claim = replace(plans()[first].claim(one), lengths=(1, int(longest)), offsets=(0, 0))
    question, settings = read_words(one, claim, None), Settings(Workers(1))
    compare(one, other, question.to(2), settings)  # what is imported and made once
    equality, seconds = timed(lambda: compare(one, other, question, settings))
    deciding = [timed(partial(decide, network, claim, settings))[1] for network in (one, other)]
    print(f"{equality.verdict} to n = {equality.certified_to}: {seconds:.1f} s; deciding each "
          f"{' and '.join(f'{one:.1f}' for one in deciding)} s, {seconds / sum(deciding):.2f} of both together")


if __name__ == "__main__":
    main(*sys.argv[1:])
