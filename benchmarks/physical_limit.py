"""Measure a lower bound of the cost of one temporal operator's worst case: its sums in ball arithmetic.

The head of `Q_1 since Q_0` (temperature 1/n, constant 3) attends to the rightmost deciding position d. The position k
places before d has weight e^(-3k) relative to d, and is wrong in the worst case; so the error at d is b/(1 + b), where
b is the sum of these weights. It is computed for every d <= i <= n <= N, and the largest is kept. The program has the
head built in and proves nothing about a transformer: `certify` has to derive it from the weights, twice, and check it.

    python benchmarks/physical_limit.py 64      prints the seconds of processor time, and the worst error
"""

import sys
import time

from flint import arb


def worst_error(max_n: int) -> arb:
    """Return the largest error for all d <= i <= n <= N."""
    worst = arb(0)
    for n in range(1, max_n + 1):
        weights = [arb(-3 * k).exp() for k in range(n)]
        for i in range(1, n + 1):
            before = arb(0)
            for distance in range(1, i):
                before += weights[distance]
                worst = worst.max(before / (1 + before))
    return worst


def main() -> None:
    """Print the time and the error."""
    start = time.process_time()
    worst = worst_error(int(sys.argv[1]))
    print(time.process_time() - start, worst.str(12))


if __name__ == "__main__":
    main()
