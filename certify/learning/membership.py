"""The network's answers on words, in batches: for causal networks by a prefix tree with a key-value cache.

Answers are computed in float64. A combination of logits near 0 is enclosed by balls; if no precision decides its sign
there is a *tie*. Answers only guide the learning: the final claim is decided.
"""

from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from certify.learning.question import OUT, LearningQuestion
from constructions.errors import InternalError
from constructions.regular.cover_automata import Word
from constructions.trained.claim import input_tokens, judged
from constructions.trained.network import TrainedNetwork
from proofs.trained.balls import BallNetwork, decide_row
from proofs.trained.forward import Array, FloatNetwork
from proofs.trained.key_value_cache import EMPTY, Prefixes, extend
from proofs.trained.words import WordMargins, is_read_at_ends
from proofs.words.truths import CasesOfWords

NEAR = 2.0**-20
"""Floats nearer to 0 do not decide a sign."""
BLOCK = 2048
"""The number of prefixes that are run at once."""
Rows = NDArray[np.integer]


class Tie(Exception):
    """No precision decides the network's answer on this word."""

    def __init__(self, word: Word) -> None:
        super().__init__(word)
        self.word = word


class Oracle:
    """The answers of one network to one question at one offset; each word is run once."""

    def __init__(self, network: TrainedNetwork, question: LearningQuestion, offset: int) -> None:
        self.network, self.question, self.offset = network, question, offset
        self.floats, self.balls = FloatNetwork(network), BallNetwork(network)
        self.codes: dict[Word, int] = {}
        self.enclosed = 0
        self.shares = is_read_at_ends(self.floats, question.claim)
        self._cases = CasesOfWords(question.claim) if question.words == "asked" else None
        self._forms, self._part_of = _matrix(question, network.outputs)
        self._letter_allowed: dict[int, tuple[bool, ...]] = {}

    def __call__(self, word: Word) -> int:
        """Return the answer on one word."""
        self.ask([word])
        return self.codes[word]

    def ask(self, words: Iterable[Word]) -> None:
        """Ensure that ``codes`` has the answers on these words.

        Raises:
            Tie: for the first of the shortest words without an answer.
        """
        new = sorted({word for word in words if word not in self.codes}, key=lambda word: (len(word), word))
        if self.question.first and () in new:
            raise InternalError("the empty word has no answer")
        if self.shares:
            self._extend(new)
            return
        for _, group in groupby(new, key=len):
            self._run_whole(list(group))

    def table(self, most: int) -> int:
        """Compute answers on all words of 0, 1, … letters, up to ``most`` words; return the greatest complete length.

        Words outside the question are not counted if all their extensions are outside, too.
        """
        letters = range(len(self.question.claim.alphabet))
        level: list[Word] = [()]
        for n in range(self.question.longest + 1):
            if n:
                level = [(*word, letter) for word in level for letter in letters if self._goes_on(word, letter)]
                most -= len(level)
            if most < 0:
                return n - 1
            if n >= self.question.first:
                self.ask(level)
        return self.question.longest

    def sign_of(self, word: Word) -> int:
        """Return the answer on a word, proved by ball arithmetic.

        Raises:
            Tie: if no precision decides it.
        """
        claim = self.question.claim
        symbols = [claim.alphabet[letter] for letter in word]
        tokens, at = input_tokens(claim, symbols), dict(judged(claim, len(word)))[len(word)]
        self.enclosed += 1
        choices = []
        for part in self.question.parts:
            holding = (choice for choice, rows in enumerate(part)
                       if all(decide_row(self.balls, tokens, self.offset, at, row, Fraction(0)).above for row in rows))
            if (found := next(holding, None)) is None:
                raise Tie(word)
            choices.append(found)
        return self.question.code(choices)

    def _goes_on(self, word: Word, letter: int) -> bool:
        """Return whether extensions of this word may be in the question; if so, the word's own code is known."""
        if self.question.words != "allowed" or (not word and self.question.first):
            return True
        code = self.codes[word]
        if code not in self._letter_allowed:
            letters = range(len(self.question.claim.alphabet))
            self._letter_allowed[code] = tuple(self.question.allows(code, one) for one in letters)
        return self._letter_allowed[code][letter]

    # -- causal networks that are judged at the end of each prefix -----------------------------------------------------

    def _extend(self, words: Sequence[Word]) -> None:
        """Process all words, in blocks with common prefixes."""
        for start in range(0, len(words), BLOCK):
            self._extend_block(words[start : start + BLOCK])

    def _extend_block(self, words: Sequence[Word]) -> None:
        requested = set(words)
        nodes: list[set[Word]] = [set() for _ in range(max(map(len, words), default=-1) + 1)]
        for word in words:
            for end in range(len(word), -1, -1):
                if word[:end] in nodes[end]:
                    break
                nodes[end].add(word[:end])
        prefixes, claim = EMPTY, self.question.claim
        for token in claim.before:
            prefixes = self._longer(prefixes, [0], [token], judged_here=True)
        level: list[Word] = [()]
        for n, names in enumerate(nodes):
            if n:
                places = {word: place for place, word in enumerate(level)}
                level = sorted(names)
                kept = [word for word in level if self._lives(word)]
                self.codes.update((word, OUT) for word in level if not self._lives(word))
                level = kept
                if not level:
                    break
                prefixes = self._longer(prefixes, [places[word[:-1]] for word in level],
                                        [claim.tokens[word[-1]] for word in level], judged_here=True)
            self._judge(prefixes, level, requested)
        self.codes.update((word, OUT) for word in words if word not in self.codes)

    def _lives(self, word: Word) -> bool:
        return self.codes.get(word[:-1]) != OUT and self._goes_on(word[:-1], word[-1]) if (
            self.question.words == "allowed") else True

    def _longer(self, prefixes: Prefixes, parents: Sequence[int], tokens: Sequence[int], *,
                judged_here: bool) -> Prefixes:
        return extend(self.floats, prefixes, np.array(parents, dtype=np.intp), np.array(tokens, dtype=np.intp),
                      self.offset, judged=judged_here)

    def _judge(self, prefixes: Prefixes, level: Sequence[Word], requested: Collection[Word]) -> None:
        """Compute the answers on the prefixes of one length; on all of them if answers determine the allowed words."""
        n, claim = len(level[0]), self.question.claim
        if n < self.question.first or (n == 0 and prefixes.stream is None):
            return
        extended = [place for place, word in enumerate(level)
                    if word not in self.codes and (word in requested or self.question.words == "allowed")]
        if not extended:
            return
        stream = prefixes.stream
        assert stream is not None
        stream = stream[extended]
        for index, token in enumerate(claim.after if claim.read == "last" else ()):
            parents = range(len(extended)) if index else extended
            prefixes = self._longer(prefixes, parents, [token] * len(extended), judged_here=True)
            assert prefixes.stream is not None
            stream = prefixes.stream
        self._take([level[place] for place in extended], self.floats.tail(stream))

    # -- other networks ------------------------------------------------------------------------------------------------

    def _run_whole(self, words: Sequence[Word]) -> None:
        """Run words of one length, each by itself."""
        claim, n = self.question.claim, len(words[0])
        inputs = WordMargins(self.floats, claim)
        size = inputs.batch(n)
        at = [dict(judged(claim, n))[n]]
        for start in range(0, len(words), size):
            part = words[start : start + size]
            rows = np.array(part, dtype=np.intp).reshape(len(part), n)
            self._take(part, self.floats.logits(inputs.inputs(rows), self.offset, at)[:, 0])

    def _take(self, words: Sequence[Word], logits: Array) -> None:
        """Compute the answers on words of one length from their logits."""
        values = logits @ self._forms
        codes, sure = np.zeros(len(words), dtype=np.int64), np.ones(len(words), dtype=np.bool_)
        for part, columns in zip(reversed(self.question.parts), reversed(self._part_of), strict=True):
            least = np.stack([values[:, mine].min(1) for mine in columns], 1)
            choice = least.argmax(1)
            codes = codes * len(part) + choice
            sure &= least[np.arange(len(words)), choice] >= NEAR
        if self._cases is not None:
            rows = np.array(words, dtype=np.intp).reshape(len(words), len(words[0]))
            out = ~self._cases.hold(rows)[:, -1].any(1)
            codes[out], sure[out] = OUT, True
        for place, word in enumerate(words):
            self.codes[word] = int(codes[place]) if sure[place] else self.sign_of(word)


def _matrix(question: LearningQuestion, outputs: int) -> tuple[Array, list[list[list[int]]]]:
    """Return all rows of all alternatives as columns, and for each part the columns of each alternative."""
    rows = [row for part in question.parts for alternative in part for row in alternative]
    matrix = np.zeros((outputs, len(rows)))
    for column, row in enumerate(rows):
        for token, coefficient in row:
            matrix[token, column] = np.float64(coefficient)
    columns, places = iter(range(len(rows))), []
    for part in question.parts:
        places.append([[next(columns) for _ in alternative] for alternative in part])
    return matrix, places
