"""The picture of docs/background/hahn.md: `python docs/tools/draw_hahn.py > docs/background/hahn.svg`.

The network of `ODD(#<[Q_1])` at temperature 1/n, and the same weights at temperature 1, on PARITY with p = 1/2.
"""

from certify import cross_entropy
from certify.claims.numbers.cross_entropy.plot import draw_cross_entropy

LENGTHS = (2, 4, 8, 16, 32, 64, 128)


def picture(lengths: tuple[int, ...] = LENGTHS) -> str:
    """Return the whole SVG document."""
    found = {each: cross_entropy("ODD(#<[Q_1])", alphabet="01", temperature=each, max_n=max(lengths), lengths=lengths)
             for each in ("1/n", "1")}
    return draw_cross_entropy([(f"temperature {each}", one) for each, one in found.items()])


if __name__ == "__main__":
    print(picture(), end="")
