"""The flip-flop without a tie-breaking term: all writes have equal scores, and the head averages them.

So its output is the share of 1s among the writes so far, and 0 before the first write.

Gap                   1: a write, and a symbol that is not.
Critical temperature  1/c with (n - 1) e^-c = 1/3: one write of 1, and no later one. So it needs ln n.
"""

from constructions.network.transformer import Transformer
from examples.hard import flip_flop
from examples.hard.writing import save


def build() -> Transformer:
    """Return the network."""
    return flip_flop.build(None)


if __name__ == "__main__":
    save(__file__, build())
