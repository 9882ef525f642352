"""A flip-flop that is *wrong*: it prefers later positions by the score j, and writes by a bonus that does not grow.

Instructive because no short word shows the fault: with a bonus of 8 the network is certified for n <= 8 and refuted at
n = 9, where after one write and eight positions to be ignored the last of these ties with the write.

Critical constant   the bonus, at temperature 1/2: with x = e^(-2), the n - 1 positions behind a write at the first one
                    weigh x^(bonus-1), ..., x^(bonus-n+1) beside 1. They are 1/3 together where the bonus is
                    n - 1 + ln(3(1 - x^(n-1))/(1 - x))/2: 8.622012... at n = 9. It grows with n, so none is enough.
"""

from pathlib import Path

from certify import Network


def build(bonus: str = "8") -> Network:
    """Return the network with this bonus for writes."""
    net = Network("w0,w1,i", temperature="1/2")
    bit = net.head("last bit", key={"Q_w0 | Q_w1": bonus, "i": 1}, value="Q_w1", means="!Q_w0 S Q_w1")
    net.output(net.round(bit))
    return net


if __name__ == "__main__":
    build().save(str(Path(__file__).with_suffix(".json")))
