"""Search for wrong float executions of trained networks: in numpy on the words of least margins, replayed bit by bit.

docs/background/floats_rules.md, section 7. The search is evidence; a replayed wrong execution is a proof.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from certify.claims.trained.decision import LengthRow, SmallestMargin, stops_at_wrong
from constructions.trained.claim import Row, WordsClaim, input_tokens, is_by_place, judged, last_offset
from constructions.trained.network import TrainedNetwork
from proofs.enclosures.float_models.model import FloatModel
from proofs.enclosures.float_models.numbers import NotFinite
from proofs.trained.float_executions.adversary import Adversary, encoded, replay_of
from proofs.trained.float_executions.casting import cast_network
from proofs.trained.float_executions.emulation import Emulation
from proofs.trained.float_executions.execution import Execution, executions
from proofs.trained.forward import FloatNetwork
from proofs.trained.live_states import StateLevels
from proofs.trained.search import RefutingWord, WrongWordSearch
from proofs.trained.word_neighbours import neighbours
from proofs.trained.words import WordMargins
from proofs.words.tracking import cases_at

RUN_WORDS = 48
"""The number of words of a length, those with the least margins, that are run under the float model."""
SEARCHED_WORDS = 20_000
BATCH_NUMBERS = 2**21
AIMED_WORDS, AIMED_ROUNDOFFS = 1, 2**7
"""The number of words, those with the least margins, that an adversary aims at, and the greatest margin of these."""

Words = NDArray[np.integer]


class WrongRuns:
    """A search for wrong executions of one network and claim under one float model."""

    def __init__(self, network: TrainedNetwork, claim: WordsClaim, run: FloatModel, effort: int) -> None:
        self.cast = cast_network(network, run)
        self.claim, self.run, self.effort = claim, run, effort
        self.by_place, self.stops_at_wrong = is_by_place(network, claim), stops_at_wrong(network, claim)
        self.judge = WordMargins(FloatNetwork(self.cast), claim)
        self.executions, self.adversary = executions(run), Adversary(self.cast, run)
        self.search: WrongWordSearch | None = None
        self.given: list[tuple[str, ...]] = []

    def row(self, n: int, all_words: bool, is_open: bool) -> LengthRow:
        """Return the least margin found at length n, and, if the length is open, a wrong execution, if one is found."""
        seen: SmallestMargin | None = None
        around = len(self.claim.before) + len(self.claim.after)
        for offset in range(self.claim.offsets[0], last_offset(self.cast, around + n, self.claim.offsets) + 1):
            words = self._live(n) if all_words else self._found(n, offset)
            words, margins = self._least(words, n, offset)
            if not len(words) or not np.isfinite(margins[0]):
                continue
            if seen is None or margins[0] < seen.value:
                seen = self._seen(float(margins[0]), words[:1], offset)
            if is_open and (wrong := self._wrong(words, n, offset)):
                self.given.append(wrong.word)
                return LengthRow(n, "refuted", seen, wrong=wrong)
        return LengthRow(n, "unknown", seen)

    def _seen(self, margin: float, words: Words, offset: int) -> SmallestMargin:
        """Return the margin of one word, with the place where it is attained."""
        places = [place for place, _ in judged(self.claim, words.shape[1])]
        least = self.judge.rows.least(self.judge.margins(words, offset), words, offset, places)
        assert least is not None, "its margin is finite"
        return SmallestMargin(margin, least.word, offset, least.place)

    def _live(self, n: int) -> Words:
        """Return all words of the length with a prefix that has obligations."""
        places = [place for place, _ in judged(self.claim, n)]
        words, states = np.zeros((1, 0), dtype=np.intp), np.zeros(1, dtype=np.intp)
        for steps in StateLevels(self.claim, n).live(places)[:n]:
            parents, letters = np.nonzero(steps[states] >= 0)
            words = np.concatenate([words[parents], letters[:, np.newaxis]], 1)
            states = steps[states][parents, letters]
        return words

    def _found(self, n: int, offset: int) -> Words:
        """Return words near the one with the least margin that a search finds."""
        self.search = self.search or WrongWordSearch(self.cast, self.claim)
        least = self.search.find(offset, n, self.given, SEARCHED_WORDS * self.effort).least
        if least is None:
            return np.zeros((0, n), dtype=np.intp)
        word = np.array(self.claim.letters(least.word), dtype=np.intp)
        near = neighbours(word, len(self.claim.alphabet), np.random.default_rng(n), 512)
        return np.unique(np.concatenate([word[np.newaxis], near]), axis=0)

    def _least(self, words: Words, n: int, offset: int) -> tuple[Words, NDArray[np.float64]]:
        """Return the words with the least margins in the network with rounded weights, and these margins."""
        size = self.judge.batch(n)
        margins = [self.judge.margins(words[k : k + size], offset).min((1, 2)) for k in range(0, len(words), size)]
        if not margins:
            return words, np.zeros(0)
        least = np.concatenate(margins)
        order = np.argsort(least, kind="stable")[: RUN_WORDS * self.effort]
        return words[order], least[order]

    def _wrong(self, words: Words, n: int, offset: int) -> RefutingWord | None:
        """Find a wrong execution on one of the words, replayed."""
        pairs = judged(self.claim, n)
        if self.by_place and n > self.claim.lengths[0]:
            pairs = pairs[-1:]  # earlier places were judged on shorter words
        places, at = map(list, zip(*pairs, strict=True))
        inputs, cases = self.judge.inputs(words), self.judge.cases.hold(words)[:, places]
        for execution in self.executions:
            emulation = Emulation(self.cast, self.run, execution)
            logits = np.concatenate([emulation.logits(part, offset, np.array(at)) for part in self._batches(inputs)])
            margins = np.nan_to_num(self.judge.rows.margins(logits, cases), nan=-np.inf)
            for word, place, column in sorted(zip(*np.nonzero(margins <= 0), strict=True), key=lambda one: one[1])[:4]:
                case, row = self.judge.rows.rows[int(column)]
                letters = tuple(self.claim.alphabet[letter] for letter in words[word])
                if wrong := self.replayed(letters, offset, places[place], case, row, execution):
                    return wrong
        return self._aimed(words[:AIMED_WORDS * self.effort], n, offset, pairs)

    def _aimed(self, words: Words, n: int, offset: int, pairs: Sequence[tuple[int, int]]) -> RefutingWord | None:
        """Find a wrong execution by an adversary that aims at the least row of each word, if it is near the margin."""
        places, at = map(list, zip(*pairs, strict=True))
        margins = self.judge.rows.margins(self.judge.network.logits(self.judge.inputs(words), offset, at),
                                          self.judge.cases.hold(words)[:, places])
        near = AIMED_ROUNDOFFS * max(float(form.roundoff) for form in (self.run.storage, self.run.inputs))
        for word, own in zip(words, margins, strict=True):
            place, column = np.unravel_index(int(own.argmin()), own.shape)
            if not own.min() <= near:
                continue
            case, row = self.judge.rows.rows[int(column)]
            form = np.zeros(self.cast.outputs)
            for token, coefficient in self.claim.cases[case].above[row]:
                form[token] += float(coefficient)
            letters = tuple(self.claim.alphabet[letter] for letter in word)
            end, tokens = at[int(place)], input_tokens(self.claim, letters)
            tokens = tokens[:end + 1] if self.cast.attention == "causal" else tokens
            value, choices = self.adversary.worst(tokens, offset, end, form)
            if value <= self.claim.margin and (wrong := self.replayed(
                    letters, offset, places[int(place)], case, row, encoded(self.run, choices))):
                return wrong
        return None

    def _batches(self, inputs: Words) -> Iterator[Words]:
        widest = max(tensor.shape[0] * tensor.shape[-1] for tensor in self.cast.tensors.values())
        size = max(1, BATCH_NUMBERS // (inputs.shape[1] * widest))
        return (inputs[k : k + size] for k in range(0, len(inputs), size))

    def replayed(self, word: tuple[str, ...], offset: int, place: int, case: int, row: int, execution: Execution
                 ) -> RefutingWord | None:
        """Return the wrong execution, if the case holds there and a replay in integers gives at most the margin."""
        if case not in cases_at(self.claim, word, place):
            return None
        at = dict(judged(self.claim, len(word)))[place]
        tokens = input_tokens(self.claim, word)
        tokens = tokens[: at + 1] if self.cast.attention == "causal" else tokens
        try:
            logits = replay_of(self.cast, self.run, execution).logits(tokens, offset, at)
        except (NotFinite, OverflowError):
            return None
        value = value_of(self.claim.cases[case].above[row], logits)
        return RefutingWord(word, offset, place, case, row, (value, value), execution
                         ) if value <= self.claim.margin else None


def value_of(row: Row, logits: list[Fraction]) -> Fraction:
    """Return the value of a row."""
    return sum((coefficient * logits[token] for token, coefficient in row), Fraction(0))
