"""Two layers with all masks mixed: is there a mark ahead, anywhere, or at the last position with none ahead?

Layer 1 selects, without a mask, the last mark of the word, and to the right the next one. Layer 2 selects the last
earlier position with no mark ahead, and averages uniformly over those that have one.

Gap  1/n for n >= 2.
"""

from constructions.network.transformer import Layer, Mask, Transformer
from examples.hard.writing import at_least_half, hard_head, network, save


def build() -> Transformer:
    """Return the network."""
    anywhere = hard_head("anywhere", Mask.NONE, key={"mark": 1, "place": 1}, value={"mark": 1})
    ahead = hard_head("ahead", Mask.PAST, key={"mark": 1, "place": -1}, value={"mark": 1})
    behind = hard_head("behind", Mask.FUTURE, key={"is ahead": -1, "place": 1}, value={"mark": 1, "anywhere": 1})
    share = hard_head("share", Mask.FUTURE, key={}, value={"is ahead": 1})
    return network({"0": {}, "1": {"mark": 1}}, {"one": "1", "place": "i/n"},
                   [Layer((anywhere, ahead), at_least_half("ahead", "is ahead")),
                    Layer((behind, share), at_least_half("behind", "result"))])


if __name__ == "__main__":
    save(__file__, build())
