"""The flip-flop with the tie-breaking term j/n^2: gap and critical temperature are 1/n^2, up to a constant."""

from constructions.network.transformer import Transformer
from examples.hard import flip_flop
from examples.hard.writing import save


def build() -> Transformer:
    """Return the network."""
    return flip_flop.build("i/n^2")


if __name__ == "__main__":
    save(__file__, build())
