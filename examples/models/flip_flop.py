"""A flip-flop: the bit that was written last, by the score [write] + j/n. The symbol i is ignored.

Not from [SHA], whose tie-breaking term is j/(2n): the full j/n lets the last position come as close to a write at the
first one as two writes in a row are to each other.

Critical constant   of the temperature 1/(c*n): with x = e^(-c), the writes before the last one weigh x, x^2, ... beside
                    1, and the positions after it ..., x^(n-2), x^(n-1). Wherever it is, that is at most
                    S = x + x^2 + ... + x^(n-1), as for j/(2n), and the error S/(1 + S) is 1/4 where S = 1/3: c rises
                    to ln 4 = 1.386294..., from about 3/4^n below.
Gap                 1/n for n >= 2.
"""

from pathlib import Path

from certify import Network


def build(constant: str = "2") -> Network:
    """Return the network with temperature 1/(constant * n)."""
    net = Network("w0,w1,i", temperature=f"1/({constant}*n)")
    bit = net.head("last bit", key={"Q_w0 | Q_w1": 1, "i/n": 1}, value="Q_w1", means="!Q_w0 S Q_w1")
    net.output(net.round(bit))
    return net


if __name__ == "__main__":
    build().save(str(Path(__file__).with_suffix(".json")))
