"""The flip-flop with the tie-breaking term j/n^2: its gap is 1/n^2, and so is its critical temperature, but for a
constant.
"""

from __future__ import annotations

from constructions.network.transformer import Transformer
from examples.hard import flip_flop
from examples.hard.writing import save


def build() -> Transformer:
    """Return the network."""
    return flip_flop.build("i/n^2")


if __name__ == "__main__":
    save(__file__, build())
