"""Attention to the first position by the score [FIRST], at one temperature for all lengths.

Not from [SHA]: nothing here grows with n, and yet the head is right up to a length exponential in 1/temperature.

Critical constant   of the temperature 1/c: the first position weighs e^c against the n - 1 others, and the error
                    (n - 1)/(e^c + n - 1) is 1/4 at c = ln(3(n - 1)): 5.241747... at n = 64. So c = 6 suffices for
                    n <= 135.
Gap                 1.
"""

from pathlib import Path

from certify import Network


def build(constant: str = "6") -> Network:
    """Return the network with temperature 1/constant."""
    net = Network("01", temperature=f"1/({constant})")
    bit = net.head("bit at the first position", key="FIRST", value="Q_1", means="O (FIRST & Q_1)")
    net.output(net.round(bit))
    return net


if __name__ == "__main__":
    build().save(str(Path(__file__).with_suffix(".json")))
