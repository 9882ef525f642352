"""Certify a large formula with shared parts, drawn from a fixed seed, with a given number of subformulas.

    python benchmarks/large_formula.py 606 4      the number of subformulas, and the greatest length

It uses only the Python interface of `certify`, so that it runs in any tree; the formula is too long for a text.
"""

import random
import sys

from certify import certify
from constructions.language.syntax import And, Formula, Not, Or, Previous, Since, Symbol, subformulas

LONGEST = 200
"""Limit of the number of leaves and operators of a part, written out, so that the whole can be printed."""
BINARY = (And, Or, Since)


def large_formula(size: int) -> Formula:
    """Return a formula of exactly ``size`` different subformulas: half of them temporal, each made of earlier ones."""
    draw = random.Random(1)
    lengths: dict[Formula, int] = {Symbol("0"): 1, Symbol("1"): 1}
    unused = dict.fromkeys(lengths)
    while len(lengths) + len(unused) - 1 < size:  # the disjunctions below are one fewer than the unused parts
        left, right = draw.choices(list(lengths)[-size // 4 :], k=2)
        made = draw.choice([Not(left), Previous(left), *(operator(left, right) for operator in BINARY)])
        used = [left] if isinstance(made, Not | Previous) else [left, right]
        length = 1 + sum(lengths[part] for part in used)
        if made not in lengths and length <= LONGEST:
            lengths[made] = length
            unused[made] = None
            for part in used:
                unused.pop(part, None)
    return _disjunction(list(unused))


def _disjunction(parts: list[Formula]) -> Formula:
    """Return the balanced disjunction of all parts."""
    while len(parts) > 1:
        paired = [Or(left, right) for left, right in zip(parts[::2], parts[1::2], strict=False)]
        parts = paired + parts[len(parts) - len(parts) % 2 :]
    return parts[0]


def main() -> None:
    """Certify the formula, and print the outcome."""
    size, max_n = map(int, sys.argv[1:])
    formula = large_formula(size)
    outcome = certify(formula, "01", max_n)
    print(f"{len(subformulas(formula))} subformulas, n <= {max_n}: {outcome.verdict}")


if __name__ == "__main__":
    main()
