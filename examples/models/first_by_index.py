"""Attention to the first position by the score -j, at one temperature for all lengths.

Not from [SHA]: the unbounded embedding makes the weights fall off geometrically, so no length is too long.

Critical constant   of the temperature 1/c: with x = e^(-c) the others weigh S = x + x^2 + ... + x^(n-1) beside 1, and
                    the error S/(1 + S) is 1/4 where S = 1/3. As n grows, c rises to ln 4 = 1.386294... (x = 1/4).
Gap                 1.
"""

from pathlib import Path

from certify import Network


def build(constant: str = "3/2") -> Network:
    """Return the network with temperature 1/constant."""
    net = Network("01", temperature=f"1/({constant})")
    bit = net.head("bit at the first position", key={"i": -1}, value="Q_1", means="O (FIRST & Q_1)")
    net.output(net.round(bit))
    return net


if __name__ == "__main__":
    build().save(str(Path(__file__).with_suffix(".json")))
