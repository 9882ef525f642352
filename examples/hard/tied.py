"""The flip-flop without a tie-breaking term, which is neither uniform nor tieless: two writes have equal scores."""

from __future__ import annotations

from constructions.network.transformer import Transformer
from examples.hard import flip_flop
from examples.hard.writing import save


def build() -> Transformer:
    """The network."""
    return flip_flop.build("0")


if __name__ == "__main__":
    save(__file__, build())
