"""Learning what a network of examples/trained computes, with its certificate.

    python benchmarks/learning.py tomita_2 63 learnt.cert
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from certify.frame.shards import Workers
from certify.learning.learn import learn
from certify.learning.question import read_words
from certify.trained.decide import Settings
from examples.trained.zoo import plans


def main(name: str, longest: str, output: str) -> None:
    """Learn, write the certificate, and print what came out."""
    plan = plans()[name]
    network = plan.network()
    claim = replace(plan.claim(network), lengths=(1, int(longest)), offsets=(0, 0))
    learned = learn(network, read_words(network, claim, None), Settings(Workers(2)))
    Path(output).write_text(learned.certificate or "", encoding="utf-8")
    states = learned.rows[-1].states
    print(f"{learned.verdict} to n = {learned.certified_to}: {states} states, {learned.asked}, {learned.seconds:.1f} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
