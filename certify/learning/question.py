"""The question about a network: answers, which are signs and maxima of combinations of logits, and words.

An answer has *parts*. Each part has alternatives, of which exactly one holds unless there is a tie: lists of rows, and
an alternative holds if all its rows are positive. They are read from a claim: the sign of a single row, and for the
rows of `argmax` the greatest token. A *code* is one number for the choices of all parts; OUT is the code of no answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, get_args

from constructions.errors import InputError, Unsupported
from constructions.trained.claim import Case, Row, WordsClaim, check_fits, is_by_place
from constructions.trained.network import TrainedNetwork
from proofs.words.tracking import Tracker, track

Words = Literal["all", "asked", "allowed"]
WORDS: tuple[Words, ...] = get_args(Words)
Alternative = tuple[Row, ...]
Part = tuple[Alternative, ...]
OUT = -1
"""The code of words outside the question."""


@dataclass(frozen=True)
class LearningQuestion:
    """The words of 1 … N letters over a claim's alphabet, at its offsets and judged places; ``claim`` has them.

    ``words`` are all of them, those that the claim judges (``asked``), or those that the network itself allows letter
    by letter, because the logit of each letter's token is positive after its prefix (``allowed``). ``intended`` is
    whether the cases of the claim state the purpose of the network, or only its rows; they are not about words of less
    than ``claimed_from`` letters.
    """

    claim: WordsClaim
    parts: tuple[Part, ...]
    words: Words
    intended: bool
    claimed_from: int = 1

    def choices(self, code: int) -> tuple[int, ...]:
        """Return the alternative of each part."""
        found = []
        for part in self.parts:
            code, choice = divmod(code, len(part))
            found.append(choice)
        return tuple(found)

    def code(self, choices: Sequence[int]) -> int:
        """Return the code of choices."""
        code = 0
        for part, choice in zip(reversed(self.parts), reversed(choices), strict=True):
            code = code * len(part) + choice
        return code

    def rows(self, code: int) -> Alternative:
        """Return the rows that are positive where the code is the answer."""
        chosen = zip(self.parts, self.choices(code), strict=True)
        return tuple(row for part, choice in chosen for row in part[choice])

    @property
    def letter_parts(self) -> tuple[int, ...]:
        """The part that decides, for each letter, whether it is allowed; only if ``words`` is ``allowed``."""
        places = {part: place for place, part in enumerate(self.parts)}
        return tuple(places[_sign_of_token(token)] for token in self.claim.tokens)

    def allows(self, code: int, letter: int) -> bool:
        """Return whether the network allows this letter where the code is its answer."""
        return code != OUT and self.choices(code)[self.letter_parts[letter]] == 0

    @property
    def first(self) -> int:
        """The least length that is judged."""
        return 0 if self.claim.empty else 1

    @property
    def longest(self) -> int:
        """The greatest length."""
        return self.claim.lengths[1]

    def to(self, longest: int) -> LearningQuestion:
        """Return the question for shorter words."""
        return replace(self, claim=replace(self.claim, lengths=(1, longest)))


def read_words(network: TrainedNetwork, claim: WordsClaim, words: str | None,
               intended: bool = True) -> LearningQuestion:
    """Return the question about a claim's rows; the default ``words`` suit the claim.

    That is ``allowed`` if letters' own logits are judged at each letter and the claim leaves words out (or is not
    given); else ``asked`` if it leaves words out; else ``all``.

    Raises:
        InputError: if there is no such question.
        Unsupported: if answers depend on later letters.
    """
    if claim.lengths[0] != 1:
        raise InputError(f"min_n: {claim.lengths[0]}, expected 1: an automaton begins with the shortest words")
    if claim.margin:
        raise InputError(f"margin: {claim.margin}, expected 0: answers are signs")
    if claim.read == "each" and not network.is_causal:
        raise Unsupported("answers at each letter of this network depend on later letters (its attention is "
                          "bidirectional, or it rounds by the range of all tokens), so no automaton reads them from "
                          "prefixes")
    parts = parts_of(claim.cases)
    signs = {part for part in parts if len(part) == 2}
    generates = claim.read == "each" and all(_sign_of_token(token) in signs for token in claim.tokens)
    if words == "allowed" and not generates:
        raise InputError("words: allowed, but the claim does not judge the sign of the logit of each letter's token at "
                         "each letter")
    if words not in (None, *WORDS):
        raise InputError(f"words: {words!r}, expected one of {', '.join(WORDS)}")
    chosen = next((one for one in WORDS if one == words), None) or _suitable(claim, generates, intended)
    if chosen == "asked" and not intended:
        raise InputError("words: asked, but no claim states which words are judged: expected a claim")
    empty = claim.empty or (chosen == "allowed" and bool(claim.before))
    restricted = replace(claim, empty=empty)
    check_fits(network, restricted)
    if chosen == "asked" or (claim.read == "each" and not is_by_place(network, claim)):
        track(claim)  # rejects formulas of the future
    return LearningQuestion(restricted, parts, chosen, intended, 0 if claim.empty else 1)


def _suitable(claim: WordsClaim, generates: bool, intended: bool) -> Words:
    if not intended:
        return "allowed" if generates else "all"
    if not leaves_words_out(claim):
        return "all"
    return "allowed" if generates else "asked"


def leaves_words_out(claim: WordsClaim) -> bool:
    """Return whether some short non-empty word has no case; longer ones are not examined.

    Raises:
        Unsupported: if a formula refers to the future.
    """
    tracker = track(claim)
    letters, level = range(len(claim.alphabet)), {tracker.start}
    for _ in range(min(claim.lengths[1], 2 * LOOKED_AT if len(claim.alphabet) == 1 else LOOKED_AT)):
        level = {tracker.step(state, letter) for state in level for letter in letters}
        if any(not tracker.cases(state) for state in level):
            return True
    return False


LOOKED_AT = 8


def parts_of(cases: Sequence[Case]) -> tuple[Part, ...]:
    """Return the parts of the rows of some cases, in their order."""
    parts: dict[Part, None] = {}
    for case in cases:
        if tokens := compared_tokens(case.above):
            parts[_greatest(tokens)] = None
            continue
        for row in case.above:
            part = _sign(row)
            if part not in parts and part[::-1] not in parts:
                parts[part] = None
    return tuple(parts)


def compared_tokens(rows: Sequence[Row]) -> tuple[int, ...]:
    """Return all tokens, if the rows state that one logit exceeds several others; else none.

    >>> one = Fraction(1)
    >>> compared_tokens([((0, -one), (1, one)), ((1, one), (2, -one))]), compared_tokens([((0, -one), (1, one))])
    ((0, 1, 2), ())
    """
    above = {token for row in rows for token, number in row if number == 1}
    below = [token for row in rows for token, number in row if number == -1]
    is_one = len(above) == 1 and len(set(below)) == len(rows) > 1 and all(len(row) == 2 for row in rows)
    return tuple(sorted({*above, *below})) if is_one and not above & set(below) else ()


def negated(row: Row) -> Row:
    """Return the negated row."""
    return tuple((token, -number) for token, number in row)


def _sign(row: Row) -> Part:
    positive = negated(row) if len(row) == 1 and row[0][1] < 0 else row
    return ((positive,), (negated(positive),))


def _sign_of_token(token: int) -> Part:
    return _sign(((token, Fraction(1)),))


def _greatest(tokens: Sequence[int]) -> Part:
    one = Fraction(1)
    return tuple(tuple(tuple(sorted(((token, one), (rival, -one)))) for rival in tokens if rival != token)
                 for token in tokens)


class Intention:
    """The expected answers of a claim, by the parts of a question."""

    def __init__(self, question: LearningQuestion) -> None:
        """Raise Unsupported if the claim refers to the future."""
        self.tracker: Tracker = track(question.claim)
        by_alternative = [(alternative, (place, choice)) for place, part in enumerate(question.parts)
                  for choice, alternative in enumerate(part)]
        by_rows = dict(by_alternative)
        self._expected = [[by_rows[case.above]] if compared_tokens(case.above) else
                        [by_rows[(row,)] for row in case.above] for case in question.claim.cases]
        self._question = question

    def fails(self, code: int, cases: Sequence[int]) -> bool:
        """Return whether the answer of this code contradicts these cases; words outside the question never do."""
        if code == OUT:
            return False
        choices = self._question.choices(code)
        return any(choices[place] != choice for case in cases for place, choice in self._expected[case])
