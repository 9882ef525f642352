"""Equality of the answers of two trained networks on every word up to a length.

The first is learnt; its automaton is the claim that is decided for both: two certificates of one claim. On a word on
which the second network is wrong the two differ, since the first is certified there.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from certify.claims.trained.decide import Settings, decide
from certify.claims.trained.decision import Decision
from certify.common.answer import AnswerByLength
from certify.learning.learn import Effort, claim_of, learn
from certify.learning.learned import Learned
from certify.learning.membership import Oracle, Tie
from certify.learning.question import OUT, LearningQuestion
from constructions.regular.cover_automata import Word
from constructions.trained.claim import Row, check_fits, input_tokens, judged
from constructions.trained.network import TrainedNetwork
from proofs.trained.balls import BallNetwork, decide_row

Ends = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class EqualityRow:
    """The verdict on all words of one length: ``certified`` if both answers are equal, ``refuted`` if they differ."""

    n: int
    verdict: Literal["certified", "refuted", "unknown"]
    reason: str


@dataclass(frozen=True)
class Difference:
    """A word on which a combination of logits is positive in one network but not in the other, both enclosed."""

    word: tuple[str, ...]
    offset: int
    row: Row
    first: Ends
    second: Ends


@dataclass(frozen=True)
class Equality(AnswerByLength[EqualityRow]):
    """The answer; lengths beyond the first difference are not examined.

    ``learned`` is about the first network, ``decision`` about the second and the automaton of the first. ``difference``
    is on a shortest word if all shorter lengths are certified.
    """

    learned: Learned
    second: TrainedNetwork
    rows: tuple[EqualityRow, ...]
    decision: Decision | None
    difference: Difference | None
    seconds: float

    @property
    def certificates(self) -> dict[str, str]:
        """The certificates by file name: of the two networks, and a wrong word of the second."""
        named = {"first.cert": self.learned.certificate}
        if self.decision is not None:
            named["second.cert"] = self.decision.certificate
            named["second.wrong"] = self.decision.wrong_certificate if self.difference else None
        return {name: text for name, text in named.items() if text is not None}


def compare(first: TrainedNetwork, second: TrainedNetwork, question: LearningQuestion, settings: Settings | None = None,
            effort: Effort | None = None) -> Equality:
    """Decide whether the two networks give the same answers on all words of the question.

    Raises:
        InputError: if the question does not fit the second network.
        Unsupported: if answers depend on later letters.
    """
    start, effort = time.perf_counter(), effort or Effort()
    check_fits(second, question.claim, "the second network")
    differing, answers = differing_words(first, second, question, effort.table)
    word = differing[0] if differing else None
    longest = len(word) if word else question.longest
    learned = learn(first, question.to(max(longest, 1)), settings, effort, answers)
    decision = None
    if learned.automaton is not None and learned.certified_to:
        claim = claim_of(question, learned.automaton, learned.certified_to)
        decision = decide(second, claim, settings)
    difference = _of_decision(first, second, question, decision)
    if difference is None and word is not None:
        rows = [row for part in question.parts for alternative in part for row in alternative]
        difference = _enclosed(first, second, question, word, question.claim.offsets[0], rows)
    return Equality(learned, second, tuple(_rows(question, learned, decision, difference)), decision, difference,
                    time.perf_counter() - start)


def differing_words(first: TrainedNetwork, second: TrainedNetwork, question: LearningQuestion,
                     most: int) -> tuple[list[Word], Mapping[Word, int]]:
    """Return these words, and the answers of the first network."""
    oracles = [Oracle(network, question, question.claim.offsets[0]) for network in (first, second)]
    reached = question.longest
    for oracle in oracles:
        try:
            reached = min(reached, oracle.table(most))
        except Tie as tie:
            reached = min(reached, len(tie.word) - 1)
    words = sorted((word for word in oracles[0].codes if len(word) <= reached), key=lambda word: (len(word), word))
    one, other = (oracle.codes for oracle in oracles)
    return [word for word in words if OUT not in (one[word], other.get(word, OUT)) and one[word] != other[word]], one


def _of_decision(first: TrainedNetwork, second: TrainedNetwork, question: LearningQuestion,
                 decision: Decision | None) -> Difference | None:
    """Return the difference at the wrong word of the second network, if the first has the automaton's answer there."""
    if decision is None or decision.wrong is None:
        return None
    wrong = decision.wrong
    word = decision.claim.letters(wrong.word[: wrong.place])
    row = decision.claim.cases[wrong.case].above[wrong.row]
    return _enclosed(first, second, question, word, wrong.offset, [row])


def _enclosed(first: TrainedNetwork, second: TrainedNetwork, question: LearningQuestion, word: Word, offset: int,
              rows: Sequence[Row]) -> Difference | None:
    """Return the first row that is positive in the first network and not in the second."""
    claim = question.claim
    symbols = tuple(claim.alphabet[letter] for letter in word)
    tokens, at = input_tokens(claim, symbols), dict(judged(claim, len(word)))[len(word)]
    balls = [BallNetwork(network) for network in (first, second)]
    for row in rows:
        one, other = (decide_row(each, tokens, offset, at, row, Fraction(0)) for each in balls)
        if one.above is True and other.above is False and one.ends and other.ends:
            return Difference(symbols, offset, row, one.ends, other.ends)
    return None


def _rows(question: LearningQuestion, learned: Learned, decision: Decision | None,
          difference: Difference | None) -> list[EqualityRow]:
    to = 0 if decision is None else decision.certified_to or 0
    differs = len(difference.word) if difference else None
    last = question.longest if differs is None else max(differs, 1)
    rows = []
    for n in range(1, last + 1):
        if differs is not None and n >= differs:
            rows.append(EqualityRow(n, "refuted", ""))
        elif n <= to:
            rows.append(EqualityRow(n, "certified", ""))
        else:
            rows.append(EqualityRow(n, "unknown", _why_open(learned, decision, n)))
    return rows


def _why_open(learned: Learned, decision: Decision | None, n: int) -> str:
    """Return why a length is neither certified nor refuted."""
    if n > (learned.certified_to or 0):
        return f"the first network: {learned.reason or 'not learnt to this length'}"
    return f"the second network: {(decision is not None and decision.reason) or 'not decided'}"


