"""The proof of a claim by margins (docs/background/margins_rules.md, 4): every length, position, class of words.

The words to cover follow from the claim: at each position the classes contain |alphabet|^n words in total.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from ...kernel.numbers import Enclosure, add
from ...kernel.verdicts import require
from ...kernel.weights import Weigher
from .cells import FormsByPosition
from .classes import FormulaReader, WordClass, find_classes
from .enclosing import ClassExecution
from .reading import MarginClaim, MarginFile


def prove_margin(given: MarginFile) -> Mapping[str, int]:
    """Prove the claim; return the numbers of lengths, positions and classes."""
    coverage, weigher = {"lengths": 0, "places": 0, "classes": 0}, Weigher(given.language.budget)
    for n in given.claim.lengths:
        least, margin = given.language.enclose_at(given.claim.margin, n, 1)
        require(least >= 0, "the margin is {} at n = {}, expected 0 or more", least, n)
        coverage["lengths"] += 1
        for letter, at in places(given.claim, n):
            coverage["places"] += 1
            for found, output in bound_classes(given, weigher, n, letter, at):
                check_side(given, found, output, margin, f"n = {n}, letter {letter}, position {at}")
                coverage["classes"] += 1
    return coverage


def places(claim: MarginClaim, n: int) -> Iterator[tuple[int, int]]:
    """Yield the letters at which the formula is read, with the positions at which the output is read."""
    before, length = len(claim.before), len(claim.before) + n + len(claim.after)
    if claim.at == "every":
        yield from ((i, before + i) for i in range(1, n + 1))
    else:
        yield (1, 1) if claim.at == "first" else (n, length)


def bound_classes(given: MarginFile, weigher: Weigher, n: int, letter: int,
                  at: int) -> Iterator[tuple[WordClass, Enclosure]]:
    """Yield all classes of words, each with an enclosure of its output; reject classes that are not all words."""
    claim, budget = given.claim, given.language.budget
    choices = [*([symbol] for symbol in claim.before), *[claim.alphabet] * n, *([symbol] for symbol in claim.after)]
    with budget.releasing():
        cells = FormsByPosition(given, choices, at)
        buckets, classes = find_classes(cells, claim, FormulaReader(claim, given.language, letter, n))
        for found in classes:
            with budget.releasing():
                output = ClassExecution(cells, weigher, buckets, found.signature).output()
            yield found, output
    words = sum(found.number for found in classes)
    require(words == len(claim.alphabet) ** n, "covered {} words, expected {}", words, len(claim.alphabet) ** n)


def check_side(given: MarginFile, found: WordClass, output: Enclosure, margin: Fraction, where: str) -> None:
    """Check that the output is above threshold + margin where the formula holds, below threshold - margin elsewhere."""
    budget, threshold = given.language.budget, given.claim.threshold
    proved = (output.lower > add(budget, threshold, margin) if found.holds else
              output.upper < add(budget, threshold, -margin))
    require(proved, "the output is not {} the threshold by more than the margin at {}",
            "above" if found.holds else "below", where)
