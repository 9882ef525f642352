"""The flip-flop as a rightmost-hard head: the last write, among writes that tie.

Softmax tends to the average over ties (tied.py), so no temperature works; `--break-ties` adds the necessary term.
"""

from dataclasses import replace

from constructions.network.transformer import Layer, Transformer
from constructions.network.weightings import Weighting
from examples.hard import tied
from examples.hard.writing import save


def build() -> Transformer:
    """Return the network."""
    model = tied.build()
    (head,) = model.layers[0].heads
    return replace(model, layers=(Layer((replace(head, weighting=Weighting.RIGHTMOST_HARDMAX),)),))


if __name__ == "__main__":
    save(__file__, build())
