"""Two uniform layers: the share of ones up to here, and the mean of these shares over the whole word.

There is no gap, and softmax of equal scores equals uniform heads: softening changes nothing.
"""

from constructions.network.transformer import Layer, Mask, Transformer
from examples.hard.writing import hard_head, network, save


def build() -> Transformer:
    """Return the network."""
    share = hard_head("share", Mask.FUTURE, key={}, value={"mark": 1})
    mean = hard_head("mean", Mask.NONE, key={}, value={"share": 1})
    return network({"0": {}, "1": {"mark": 1}}, {"one": "1"}, [Layer((share,)), Layer((mean,))])


if __name__ == "__main__":
    save(__file__, build())
