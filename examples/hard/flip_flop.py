"""A flip-flop in one layer ([SHA] Section 6): the bit that was written last, by the score [write] + j/n.

Position i attends to the last write, or to itself before the first one; 0 and 1 write a bit, - is ignored.

Gap                   1/n for n >= 2: two writes in a row.
Critical temperature  1/(n c) with x + x^2 + ... + x^(n-1) = 1/3 at x = e^(-c): c rises to ln 4, so that no logarithm is
                      needed (proofs/numbers/instances/section_6_flip_flop.py).
"""

from constructions.network.transformer import Layer, Mask, Transformer
from examples.hard.writing import hard_head, network, save


def build(tie_break: str | None = "i/n") -> Transformer:
    """Return the network; if a position function is given, it is added to the scores of positions."""
    place = {"place": tie_break} if tie_break else {}
    last = hard_head("last bit", Mask.FUTURE, key={"write": 1, **dict.fromkeys(place, 1)}, value={"bit": 1})
    return network({"0": {"write": 1}, "1": {"write": 1, "bit": 1}, "-": {}}, {"one": "1", **place}, [Layer((last,))])


if __name__ == "__main__":
    save(__file__, build())
