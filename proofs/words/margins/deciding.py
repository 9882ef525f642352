"""Decision of a claim by margins for all words of one length, one class of words at a time.

Every class is enclosed, with higher precision until its margin is decided. A word that violates the claim is run once
more, whole, and its truth evaluated by plain recursion, before it is reported (``replay``).
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from constructions.errors import InternalError, Unsupported
from constructions.language.semantics import satisfies
from constructions.network.transformer import Transformer
from proofs.enclosures.by_mpmath import confirm_by_mpmath
from proofs.enclosures.exponential import PRECISIONS
from proofs.enclosures.intervals import Interval
from proofs.words.classes.buckets import Buckets, Signature, WordClass
from proofs.words.classes.enclosing import enclose_class, enclose_word
from proofs.words.classes.norms import NO_NORMS, Norms
from proofs.words.margins.claim import MarginClaim, Read
from proofs.words.truth_at_a_letter import TruthReader


@dataclass(frozen=True)
class JudgedClass:
    """Words of one class and one truth at one position: one of them (letters only), and their common margin.

    The margin is the output minus the threshold where the formula holds, and the threshold minus the output elsewhere.
    """

    word: tuple[str, ...]
    read: Read
    truth: bool
    output: Interval
    margin: Interval


@dataclass(frozen=True)
class LengthFound:
    """The result for all words of n letters; ``least`` has the least margin, ``reason`` explains an unknown verdict.

    ``classes`` counts classes with their truth, over all positions; they are words if ``by_words``.
    """

    n: int
    verdict: str
    required: Interval
    classes: int
    by_words: bool
    least: JudgedClass | None
    reason: str = ""


def decide_length(transformer: Transformer, claim: MarginClaim, n: int, norms: Norms = NO_NORMS) -> LengthFound:
    """Decide the claim for all words of n letters, of a transformer with or without layer norms.

    Raises:
        InputError: if the margin has no value at n.
    """
    required = claim.required(n)
    try:
        places = [_ClassesOfLength(transformer, norms, claim, n, read) for read in claim.reads(n)]
        judged = [one for place in places for one in place.judge(required)]
    except Unsupported as construct:
        return LengthFound(n, "unknown", required, 0, False, None, str(construct))
    by_words = any(place.buckets.by_words for place in places)
    least = min(judged, key=lambda one: one.margin.lower)
    _compare_with_mpmath(transformer, claim, least, norms)
    if least.margin.lower > required.upper:
        return LengthFound(n, "certified", required, len(judged), by_words, least)
    broken = [one for one in judged if one.margin.upper <= required.lower]
    if broken:
        worst = min(broken, key=lambda one: one.margin.upper)
        return LengthFound(n, "refuted", required, len(judged), by_words, worst)
    reason = f"at {PRECISIONS[-1]} bits the margin of some word is neither above {claim.margin} nor not"
    return LengthFound(n, "unknown", required, len(judged), by_words, least, reason)


def _compare_with_mpmath(transformer: Transformer, claim: MarginClaim, shown: JudgedClass, norms: Norms) -> None:
    """Raise InternalError if mpmath computes another output on the reported word; it does not support layer norms."""
    word = (*claim.before, *shown.word, *claim.after)
    if not norms.epsilons:
        confirm_by_mpmath(transformer, word, [{transformer.output: shown.output} if i == shown.read.position else {}
                                             for i in range(1, len(word) + 1)])


class _ClassesOfLength:
    """All classes of words of n letters, with the truth at one position."""

    def __init__(self, transformer: Transformer, norms: Norms, claim: MarginClaim, n: int, read: Read) -> None:
        self.claim, self.read = claim, read
        self.buckets = Buckets(transformer, claim.choices(n), read.position, norms=norms)
        first = len(claim.before) + 1
        reader = TruthReader(claim.formula, claim.letters, read.letter)
        found = self.buckets.fold(reader.start, lambda state, j, symbol: (
            reader.step(state, symbol) if first <= j < first + n else state))
        self.words: dict[tuple[Signature, bool], tuple[str, ...]] = {}
        for (signature, state), (word, _) in found.items():
            self.words.setdefault((signature, reader.truth(state)), word)

    def judge(self, required: Interval) -> Iterable[JudgedClass]:
        """Yield each class and truth once, with a margin that is decided against the required one, if possible."""
        outputs: dict[Signature, Interval] = {}
        for (signature, truth), word in self.words.items():
            for bits in PRECISIONS:
                if signature not in outputs or bits != PRECISIONS[0]:
                    outputs[signature] = enclose_class(self.buckets, WordClass(signature, word, Fraction(1)), bits)
                margin = _margin(outputs[signature], truth, self.claim.threshold)
                if margin.lower > required.upper or margin.upper <= required.lower:
                    break
            yield JudgedClass(self.claim.letters_of(word), self.read, truth, outputs[signature], margin)


def _margin(output: Interval, truth: bool, threshold: Fraction) -> Interval:
    lower, upper = output.lower - threshold, output.upper - threshold
    return Interval(lower, upper) if truth else Interval(-upper, -lower)


def replay(transformer: Transformer, claim: MarginClaim, found: LengthFound, norms: Norms = NO_NORMS) -> LengthFound:
    """Return a refuted length with its word judged again: by a run of all of it, and by the definition of truth.

    Raises:
        InternalError: if that contradicts what was found.
    """
    broken = found.least
    assert broken is not None, "a refuted length has a word"
    sequence = (*claim.before, *broken.word, *claim.after)
    truth = satisfies(claim.formula, broken.word, broken.read.letter)
    read = {transformer.output: Fraction(1)}
    output = enclose_word(transformer, sequence, broken.read.position, PRECISIONS[-1], read, norms)
    margin = _margin(output, truth, claim.threshold)
    if truth != broken.truth or not margin.upper <= found.required.lower:
        raise InternalError(f"a class of words is judged otherwise than its word {sequence}")
    return replace(found, least=replace(broken, output=output, margin=margin))
