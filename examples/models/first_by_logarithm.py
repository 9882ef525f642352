"""Attention to the first position by the score [FIRST], at a temperature that falls like 1/ln n. From n = 2 on.

Not from [SHA], whose temperature is 1/n for such a task: an inverse temperature in ln n is enough at every length.

Critical constant   of the temperature 1/(c*ln(n)): as in first_by_marker.py the critical inverse temperature is
                    ln(3(n - 1)), so c is ln(3(n - 1))/ln(n): greatest at n = 3, where it is ln 6/ln 3 = 1.630929...,
                    and 1 in the limit.
Gap                 1.
"""

from pathlib import Path

from certify import Network

MIN_N = 2
"""At n = 1 the temperature divides by ln 1 = 0."""


def build(constant: str = "2") -> Network:
    """Return the network with temperature 1/(constant * ln n)."""
    net = Network("01", temperature=f"1/({constant}*ln(n))")
    bit = net.head("bit at the first position", key="FIRST", value="Q_1", means="O (FIRST & Q_1)")
    net.output(net.round(bit))
    return net


if __name__ == "__main__":
    build().save(str(Path(__file__).with_suffix(".json")))
