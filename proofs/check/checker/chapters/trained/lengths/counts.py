"""Words as Parikh vectors (counts of letters), and cells of them; docs/background/lengths.md, section 2.

A *region* is a last letter (none, where tokens follow the word) and for each letter a class of its counts. A cell of a
region has bounds of the length N, and of the share n_a / N of each letter a. A *narrowed* cell still contains every
Parikh vector of the region that the cell contained: each bound follows from others that hold of all of them.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from ....kernel.budget import Budget
from ....kernel.verdicts import expect
from ..reading.lengths import LENGTH, PLACES, CountCut, CountKind
from ..reading.words_claim import EVERY, TrainedClaim

MOST_NODES = 1 << 16  # last letters, states and classes of counts together
ROUNDS = 3  # how often bounds are derived from each other

Shares = tuple[Fraction, ...]
Ends = tuple[int, int | None]
"""Least and greatest count; None if there is no bound."""


class Region(NamedTuple):
    """A letter ``last``, or None; ``classes`` of each letter's count; ``states`` that may be reached."""

    last: int | None
    classes: tuple[int, ...]
    states: frozenset[int]


class CountCell(NamedTuple):
    """A box: lengths ``least`` ... ``greatest`` (None: unbounded), and the shares of letters."""

    least: int
    greatest: int | None
    low: Shares
    high: Shares


class CountedCell(NamedTuple):
    """A cell with bounds of the counts of letters: a Parikh box."""

    cell: CountCell
    counts: tuple[Ends, ...]


def regions_of(budget: Budget, claim: TrainedClaim, kinds: Sequence[CountKind]) -> list[Region]:
    """Return the regions of all nonempty words, in order: each word is in one, and its state among the region's.

    Proof. All (last letter, state, classes) that words reach are enumerated step by step: the class of a count plus 1
    is a function of the class.
    """
    letters, nodes = range(len(kinds)), len(kinds) + 1
    for kind in kinds:
        nodes *= kind.classes
    steps = claim.automaton.steps if claim.automaton else ((0,) * len(kinds),)
    expect(nodes * len(steps) <= MOST_NODES, "limit: {} states and classes of counts", MOST_NODES)
    start = (claim.automaton.start if claim.automaton else 0, (0,) * len(kinds))
    found: dict[tuple[int | None, tuple[int, ...]], set[int]] = {}
    waiting, visible_amounts = [start], {start}
    while waiting:
        state, classes = waiting.pop()
        for letter in letters:
            budget.spend(4 + len(kinds))
            grown = (*classes[:letter], next_class(kinds[letter], classes[letter]), *classes[letter + 1:])
            node = (steps[state][letter], grown)
            found.setdefault((letter if reads_last_letter(claim) else None, grown), set()).add(node[0])
            if node not in visible_amounts:
                visible_amounts.add(node)
                waiting.append(node)
    return [Region(last, classes, frozenset(states)) for (last, classes), states in
            sorted(found.items(), key=lambda one: (-1 if one[0][0] is None else one[0][0], one[0][1]))]


def reads_last_letter(claim: TrainedClaim) -> bool:
    """Return whether logits are judged at the word's last letter, not at a token after it."""
    return claim.read == "each" or not claim.after


def next_class(kind: CountKind, number: int) -> int:
    """Return the class of a count plus 1; the class of 0 is 0."""
    return number + 1 if number + 1 < kind.classes else kind.threshold


def round_up(kind: CountKind, number: int, count: int) -> int | None:
    """Return the least number in the class that is at least ``count``; None if there is none."""
    if count <= number:
        return number
    return None if number < kind.threshold else number - (number - count) // kind.period * kind.period


def round_down(kind: CountKind, number: int, count: int) -> int | None:
    """Return the greatest number in the class that is at most ``count``; None if there is none."""
    if count < number:
        return None
    return number if number < kind.threshold else number + (count - number) // kind.period * kind.period


def whole(claim: TrainedClaim, letters: int) -> CountCell:
    """Return the cell of all words that are judged."""
    least = 1 if claim.read == "each" else claim.min_n
    greatest = None if claim.max_n == EVERY else claim.max_n
    return CountCell(least, greatest, (Fraction(0),) * letters, (Fraction(1),) * letters)


def halves(cell: CountCell, cut: CountCut) -> tuple[CountCell, CountCell]:
    """Split a cell below and above a cut: each vector of the cell is in one part."""
    letter, at = cut
    if letter == LENGTH:
        below = at if cell.greatest is None else min(cell.greatest, at)
        return cell._replace(greatest=below), cell._replace(least=max(cell.least, at + 1))
    share = Fraction(at, 1 << PLACES)
    return (cell._replace(high=replaced(cell.high, letter, min(cell.high[letter], share))),
            cell._replace(low=replaced(cell.low, letter, max(cell.low[letter], share))))


def replaced(shares: Shares, place: int, share: Fraction) -> Shares:
    """Return the shares with another one at a place."""
    return (*shares[:place], share, *shares[place + 1:])


def narrowed(budget: Budget, kinds: Sequence[CountKind], region: Region, cell: CountCell,
             sums: Sequence[Sequence[int]]) -> CountedCell | None:
    """Narrow the cell by its region and by the linear forms ``sums`` of counts; None if it is empty."""
    counts: tuple[Ends, ...] = ()
    for _ in range(ROUNDS):
        budget.spend(20 * len(kinds) * (2 + len(sums)))
        bounds = [count_within(kind, number, cell, letter, region.last)
                  for letter, (kind, number) in enumerate(zip(kinds, region.classes, strict=True))]
        counts = tuple(one for one in bounds if one is not None)
        if len(counts) < len(kinds):
            return None
        found = with_shares(with_lengths(cell, counts), counts)
        for coefficients in sums if found is not None else ():
            found = None if found is None else with_sum(found, counts, coefficients)
        if found is None:
            return None
        cell = found
    return CountedCell(cell, counts)


def count_within(kind: CountKind, number: int, cell: CountCell, letter: int, last: int | None) -> Ends | None:
    """Bound the count of a letter of this class in a cell; None if there is none."""
    least = -(-cell.least * cell.low[letter].numerator // cell.low[letter].denominator)
    low = round_up(kind, number, max(least, int(letter == last)))
    if low is None:
        return None
    if cell.greatest is None:
        return low, number if number < kind.threshold else None
    most = cell.greatest * cell.high[letter].numerator // cell.high[letter].denominator
    high = round_down(kind, number, most)
    return None if high is None or high < low else (low, high)


def with_lengths(cell: CountCell, counts: Sequence[Ends]) -> CountCell | None:
    """Narrow the lengths: they are sums of counts, and a count is its share of the length."""
    least, greatest = max(cell.least, sum(low for low, _ in counts)), cell.greatest
    tops = [high for _, high in counts]
    if all(high is not None for high in tops):
        greatest = lesser(greatest, sum(high or 0 for high in tops))
    for (low, high), share_low, share_high in zip(counts, cell.low, cell.high, strict=True):
        if low and not share_high:
            return None
        if low:
            least = max(least, -(-low * share_high.denominator // share_high.numerator))
        if high is not None and share_low > 0:
            greatest = lesser(greatest, high * share_low.denominator // share_low.numerator)
    return cell._replace(least=least, greatest=greatest) if greatest is None or least <= greatest else None


def with_shares(cell: CountCell | None, counts: Sequence[Ends]) -> CountCell | None:
    """Narrow the shares: they are counts over lengths, and add up to 1."""
    if cell is None:
        return None
    low = [max(share, Fraction(fewest, cell.greatest) if cell.greatest else share)
           for share, (fewest, _) in zip(cell.low, counts, strict=True)]
    high = [share if most is None else min(share, Fraction(most, cell.least))
            for share, (_, most) in zip(cell.high, counts, strict=True)]
    below, above = sum(low, Fraction(0)), sum(high, Fraction(0))
    ends = [(max(x, 1 - (above - y)), min(y, 1 - (below - x))) for x, y in zip(low, high, strict=True)]
    if any(x > y for x, y in ends):
        return None
    return cell._replace(low=tuple(x for x, _ in ends), high=tuple(y for _, y in ends))


def with_sum(cell: CountCell, counts: Sequence[Ends], coefficients: Sequence[int]) -> CountCell | None:
    """Narrow the lengths: a linear form of counts is an integer, and the length times that of the shares."""
    low, high = sum_of_shares(cell, coefficients)
    least, most = sum_within(cell, counts, coefficients)
    if least is not None and most is not None and least > most:
        return None
    shortest, longest = cell.least, cell.greatest
    if least is not None and least > 0:
        shortest = max(shortest, ceil(least / high)) if high > 0 else shortest
    if most is not None and most < 0:
        shortest = max(shortest, ceil(most / low)) if low < 0 else shortest
    if most is not None and low > 0:
        longest = lesser(longest, most / low)
    if least is not None and high < 0:
        longest = lesser(longest, least / high)
    return cell._replace(least=shortest, greatest=longest) if longest is None or shortest <= longest else None


def sum_within(cell: CountCell, counts: Sequence[Ends], coefficients: Sequence[int]) -> tuple[int | None, int | None]:
    """Bound a linear form of counts by integers; None where there is no bound."""
    low, high = sum_of_shares(cell, coefficients)
    least = product_end(low, cell.least if low > 0 else cell.greatest)
    most = product_end(-high, cell.least if high < 0 else cell.greatest)
    below, above = (sum_of_counts(counts, [sign * c for c in coefficients]) for sign in (1, -1))
    return greater(least, below), lesser(None if most is None else -most, None if above is None else -above)


def product_end(share: Fraction, length: int | None) -> int | None:
    """Return the product, rounded up; None if the length is unbounded."""
    return 0 if not share else None if length is None else ceil(share * length)


def sum_of_counts(counts: Sequence[Ends], coefficients: Sequence[int]) -> int | None:
    """Return the least value of a linear form of counts; None if there is none."""
    total = 0
    for (low, high), c in zip(counts, coefficients, strict=True):
        if c < 0 and high is None:
            return None
        total += c * (low if c >= 0 or high is None else high)
    return total


def sum_of_shares(cell: CountCell, coefficients: Sequence[int]) -> tuple[Fraction, Fraction]:
    """Enclose a linear form of shares; shares add up to 1, so any one may be eliminated."""
    lows, highs = [], []
    for without in coefficients:
        pairs = [sorted(((c - without) * x, (c - without) * y))
                 for c, x, y in zip(coefficients, cell.low, cell.high, strict=True)]
        lows.append(without + sum((pair[0] for pair in pairs), Fraction(0)))
        highs.append(without + sum((pair[1] for pair in pairs), Fraction(0)))
    return max(lows), min(highs)


def lesser(one: int | None, other: int | Fraction | None) -> int | None:
    """Return the lesser of two upper bounds of an integer, rounded down."""
    found = [x.numerator // x.denominator for x in (one, other) if x is not None]
    return min(found, default=None)


def greater(one: int | None, other: int | None) -> int | None:
    """Return the greater of two lower bounds."""
    return max((x for x in (one, other) if x is not None), default=None)


def leaves(start: CountCell, tree: Sequence[CountCut | None]) -> Iterator[CountCell]:
    """Yield the leaves of a tree in preorder over a cell: each vector of the cell is in one.

    Raises:
        Malformed: if the tree ends too early, or goes on.
    """
    waiting, cuts = [start], iter(tree)
    while waiting:
        cell = waiting.pop()
        cut = next(cuts, (LENGTH, LENGTH))
        expect(cut != (LENGTH, LENGTH), "trees: a tree ends too early")
        if cut is None:
            yield cell
        else:
            below, above = halves(cell, cut)
            waiting += [above, below]
    expect(next(cuts, "end") == "end", "trees: a tree goes on after its last leaf")
