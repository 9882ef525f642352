"""Two types of brackets, nested at most DEPTH deep: a head per depth retrieves the type of the matching bracket.

Depth is counted exactly: opening brackets up to here, less closing ones. A bracket that opens at depth k is matched by
the next one that closes back to depth k - 1, so a closing bracket looks for the *last* bracket that opened at its
depth, by score [opens at k] + j/n. The output holds where the word up to here is balanced.

Critical constant   of the temperature 1/(c*n): as in flip_flop.py, rising to ln 4 = 1.386294... The closest call is one
                    opening bracket in front, and behind it none that opens at its depth.
"""

from pathlib import Path

from certify import Network

DEPTH = 2
ROUND = "Q['(']"
OPENS, CLOSES = "(Q['('] | Q['['])", "(Q[')'] | Q[']'])"
NESTED = f"#<[{OPENS}] - #<[{CLOSES}]"
"""The nesting depth after this position."""


def opens_at(depth: int) -> str:
    """Return the formula of an opening bracket with this depth after it."""
    return f"({OPENS} & {NESTED} == {depth})"


def last_opening_is_round(depth: int) -> str:
    """Return the formula that the last bracket opened at this depth, up to here, is a round one."""
    return f"(({opens_at(depth)} -> {ROUND}) since {opens_at(depth)})"


def matches(depth: int) -> str:
    """Return the formula that a bracket closing this depth has the type of the one that opened it."""
    return f"({CLOSES} & {NESTED} == {depth - 1} -> (Q[')'] <-> {last_opening_is_round(depth)}))"


def balanced() -> str:
    """Return the formula that all brackets so far match, the depth was in range, and it is 0 now."""
    never_wrong = " & ".join([f"{NESTED} >= 0", f"{NESTED} <= {DEPTH}", *map(matches, range(1, DEPTH + 1))])
    return f"H ({never_wrong}) & {NESTED} == 0"


def build(constant: str = "2") -> Network:
    """Return the network with temperature 1/(constant * n)."""
    net = Network("()[]", temperature=f"1/({constant}*n)")
    for depth in range(1, DEPTH + 1):
        near = net.head(f"last opened at depth {depth}", key={opens_at(depth): 1, "i/n": 1},
                        value=f"{opens_at(depth)} & {ROUND}", means=last_opening_is_round(depth))
        net.round(near)
    net.output(balanced())
    return net


if __name__ == "__main__":
    build().save(str(Path(__file__).with_suffix(".json")))
