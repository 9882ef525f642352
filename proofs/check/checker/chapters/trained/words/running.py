"""Proof by enumeration: at each judged place of each word of a unit the rows of the cases that hold."""

from ....kernel.verdicts import Rejected, quote
from ..balls.adaptive_precision import Runner, Stacks
from ..balls.stack import Stack
from ..reading.words_claim import WordsUnit
from .judge import ALL, Judge, Share, tokens_at_places


def stacks_of(judge: Judge) -> Stacks:
    """Return the network of a claim, for its words and rows."""
    claim = judge.claim
    tokens, length = {*claim.before, *claim.tokens, *claim.after}, len(claim.before) + claim.max_n + len(claim.after)
    return Stacks(judge.network, judge.rows, lambda precision, part, rows: Stack(
        precision, judge.budget, part, tokens, rows, claim.margin, length, few=claim.read != "each"))


def prove_words(judge: Judge, stacks: Stacks, unit: WordsUnit, share: Share = ALL) -> int:
    """Prove the rows of every word of the unit and of a share; return how many words there are."""
    runner = Runner(stacks, unit.offset, tokens_at_places(judge, unit))
    words = 0
    for word, cases in judge.words(unit.first, unit.last, share):
        words += 1
        needed = judge.needed(len(word), cases)
        if needed:
            try:
                runner.prove(judge.tokens(word), needed)
            except Rejected as refusal:
                shown = " ".join(judge.claim.alphabet[letter] for letter in word)
                raise Rejected(f"offset {unit.offset}, word {quote(shown)}: {refusal}") from None
    return words
