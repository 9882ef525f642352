"""Whether a trained network is right in every float run of a class: docs/floats.md, section 7.

Lengths are certified by the trusted folder alone, from the weights: word by word, or by classes of words. A wrong run
is looked for in numpy, where margins are least, and replayed bit by bit in integers before it is reported.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from certify.frame.answer import AnswerByLength
from certify.frame.progress import ProgressLine
from certify.frame.so_far import SoFar, answer_in_time
from certify.trained.float_classes import accepted_wrong_run, certified_by_classes, float_runs_text
from certify.trained.proving import WORK
from certify.trained.word_counts import WordCounts
from constructions.deadline import has_deadline
from constructions.errors import InputError, Unsupported
from constructions.network.lengths import MAX_N_LIMIT, Lengths
from constructions.trained.claim import (
    Claim,
    Row,
    check_fits,
    claim_of_lengths,
    input_tokens,
    is_by_place,
    judged,
    last_offset,
)
from constructions.trained.network import TrainedNetwork
from proofs.check import Refusal, check_text, find_unproved_floats_of, find_vacuous
from proofs.enclosures.float_runs.numbers import NotFinite
from proofs.enclosures.float_runs.run_class import RunClass, is_within
from proofs.trained.float_runs.casting import cast_network
from proofs.trained.float_runs.emulation import Emulation
from proofs.trained.float_runs.execution import Execution, WrongRun, executions
from proofs.trained.float_runs.replay import Replay
from proofs.trained.forward import FloatNetwork
from proofs.trained.live_states import StateLevels
from proofs.trained.moves import neighbours
from proofs.trained.search import Search
from proofs.trained.words import WordMargins
from proofs.words.tracking import cases_at

MOST_WORDS = 2**10
"""Of a length at an offset: with more, words are not run one by one, unless more effort is asked for."""
RUN_WORDS = 48
"""Words of a length, those with the least margins, that are run in the executions of the class."""
SEARCHED_WORDS = 20_000
BATCH_NUMBERS = 2**21

Words = NDArray[np.integer]


@dataclass(frozen=True)
class SeenMargin:
    """The least margin of the network with rounded weights over the reals, as binary64 saw it: evidence, not proof."""

    value: float
    word: tuple[str, ...]
    offset: int


@dataclass(frozen=True)
class FloatRow:
    """What is known of all words of one length in all runs of the class."""

    n: int
    verdict: str
    seen: SeenMargin | None
    wrong: WrongRun | None
    reason: str


@dataclass(frozen=True)
class FloatDecision(AnswerByLength[FloatRow]):
    """The answer about a network, a claim and a class; ``certificate`` is of the lengths that are certified,
    ``wrong_certificate`` of the wrong run on the shortest word."""

    network: TrainedNetwork
    claim: Claim
    run: RunClass
    rows: tuple[FloatRow, ...]
    certificate: str | None
    wrong_certificate: str | None
    seconds: float

    @property
    def wrong(self) -> WrongRun | None:
        """The wrong run on the shortest word on which one was found."""
        return next((row.wrong for row in self.rows if row.wrong), None)

    @property
    def is_shortest(self) -> bool:
        """Whether no run is wrong on a shorter word of the claim than the wrong one: these are all certified."""
        wrong = self.wrong
        return wrong is not None and all(row.verdict in ("certified", "vacuous")
                                         for row in self.rows if row.n < len(wrong.word))


def check_class(run: RunClass) -> None:
    """Raise Unsupported if there is no rule for the norms of a class."""
    if not is_within(run.storage, run.softmax):
        raise Unsupported(f"float runs {run.name}: storage is {run.storage}, expected a format whose numbers softmax, "
                          f"{run.softmax}, has: norms are computed in it")


def decide_floats(network: TrainedNetwork, claim: Claim, run: RunClass, effort: int = 1) -> FloatDecision:
    """Whether the claim is true of every run of the class; certified lengths were accepted by the trusted folder.

    Raises:
        InputError: if the claim does not fit the network, or a weight is too large for its format.
        Unsupported: if there is no rule for the class, or for what the network does.
    """
    start = time.perf_counter()
    check_fits(network, claim)
    check_class(run)
    search, counts = WrongRuns(network, claim, run, effort), WordCounts(FloatNetwork(network), claim)
    first, last = claim.lengths
    most = MOST_WORDS * effort
    short = [n for n in range(first, last + 1) if counts.at(n) <= most]
    with ProgressLine() as progress:
        progress("proving")
        reach, reason, text = certified_lengths(network, search.cast, claim, run, short)
        vacuous = set(find_vacuous(text.encode(), WORK)) if text else set()
        rows: list[FloatRow] = []
        for n in range(first, last + 1):
            progress(f"looking at runs, n = {n}")
            is_seen = n in short or n > reach
            rows.append(search.row(n, n in short, n > reach) if is_seen else FloatRow(n, "unknown", None, None, ""))
            if rows[-1].wrong and search.by_place and claim.read == "each":
                rows += [replace(rows[-1], n=m, seen=None) for m in range(n + 1, last + 1)]
                break
    judged_rows = tuple(_judge(row, reach, reason, row.n in vacuous) for row in rows)
    shortest = next((row.wrong for row in judged_rows if row.wrong), None)
    wrong = accepted_wrong_run(network, claim, run, shortest) if shortest else None
    return FloatDecision(network, claim, run, judged_rows, text, wrong, time.perf_counter() - start)


@dataclass(frozen=True)
class ClassRow:
    """What is known of one class; ``decision`` is None where there is no rule, for the ``reason``."""

    run: RunClass
    decision: FloatDecision | None
    reason: str = ""

    @property
    def verdict(self) -> str:
        """Of all lengths."""
        return self.decision.verdict if self.decision else "unknown"


def decide_classes(network: TrainedNetwork, claim: Claim, runs: Iterable[RunClass], effort: int = 1
                   ) -> list[ClassRow]:
    """The same in several classes.

    Raises:
        InputError: if the claim does not fit the network.
    """
    check_fits(network, claim)
    return [_row_of(network, claim, run, effort) for run in runs]


def _row_of(network: TrainedNetwork, claim: Claim, run: RunClass, effort: int) -> ClassRow:
    try:
        return ClassRow(run, decide_floats(network, claim, run, effort))
    except (InputError, Unsupported) as reason:
        return ClassRow(run, None, str(reason))


def decide_floats_in_time(network: TrainedNetwork, claim: Claim, run: RunClass, effort: int
                          ) -> FloatDecision | SoFar[FloatDecision]:
    """The same, or what is known when time is up."""
    first, last = claim.lengths
    if not has_deadline() or not 1 <= first <= last <= MAX_N_LIMIT:
        return decide_floats(network, claim, run, effort)
    asked = Lengths(first, last)
    return answer_in_time(asked, lambda some: decide_floats(
        network, claim if some == asked else claim_of_lengths(network, claim, some.first, some.last), run, effort))


def _judge(row: FloatRow, reach: int, reason: str, is_vacuous: bool) -> FloatRow:
    """The row with its verdict: certified up to ``reach``, where the next length is open for the ``reason``."""
    if row.n <= reach:
        return replace(row, verdict="vacuous" if is_vacuous else "certified")
    if row.wrong:
        return row
    return replace(row, reason=reason or "a shorter length is not certified")


def certified_lengths(network: TrainedNetwork, cast: TrainedNetwork, claim: Claim, run: RunClass, short: list[int]
                      ) -> tuple[int, str, str | None]:
    """The length up to which the trusted folder proves all, why not more, and the certificate, which it accepts.

    ``short`` are the lengths of few words. If these are all, words are run one by one; else there is a cover by
    classes, and where that does not reach so far, the first lengths are proved word by word.
    """
    first, last = claim.lengths
    few = first - 1 + sum(1 for _ in takewhile(short.__contains__, range(first, last + 1)))
    if few == last:
        return _certified_by_words(network, claim, run, last)
    reach, reason, text = certified_by_classes(network, cast, claim, run)
    if reach >= few:
        return reach, reason, text
    by_words = _certified_by_words(network, claim, run, few)
    if by_words[0] <= reach:
        return reach, reason, text
    return by_words[0], by_words[1] or reason, by_words[2]


def _certified_by_words(network: TrainedNetwork, claim: Claim, run: RunClass, last: int
                        ) -> tuple[int, str, str | None]:
    """The same up to a length, word by word."""
    first = claim.lengths[0]
    if last < first:
        return first - 1, "", None
    text = float_runs_text(network, claim_of_lengths(network, claim, first, last), run)
    try:
        (unproved,) = find_unproved_floats_of(text.encode(), WORK)
        if unproved is None:
            return last, "", text
        reach, reason = unproved[0] - 1, unproved[1]
        if reach < first:
            return first - 1, reason, None
        text = float_runs_text(network, claim_of_lengths(network, claim, first, reach), run)
        check_text(text.encode(), work=WORK)
    except Refusal as refusal:
        return first - 1, str(refusal), None
    return reach, reason, text


class WrongRuns:
    """Looks for wrong runs of one network, claim and class."""

    def __init__(self, network: TrainedNetwork, claim: Claim, run: RunClass, effort: int) -> None:
        self.cast = cast_network(network, run)
        self.claim, self.run, self.effort = claim, run, effort
        self.by_place = is_by_place(network, claim)
        self.judge = WordMargins(FloatNetwork(self.cast), claim)
        self.executions = executions(run)
        self.search: Search | None = None
        self.given: list[tuple[str, ...]] = []

    def row(self, n: int, all_words: bool, is_open: bool) -> FloatRow:
        """The least margin that is seen at length n, and if the length is open a wrong run, if one is found."""
        seen: SeenMargin | None = None
        around = len(self.claim.before) + len(self.claim.after)
        for offset in range(self.claim.offsets[0], last_offset(self.cast, around + n, self.claim.offsets) + 1):
            words = self._live(n) if all_words else self._found(n, offset)
            words, margins = self._least(words, n, offset)
            if not len(words) or not np.isfinite(margins[0]):
                continue
            letters = tuple(self.claim.alphabet[letter] for letter in words[0])
            if seen is None or margins[0] < seen.value:
                seen = SeenMargin(float(margins[0]), letters, offset)
            if is_open and (wrong := self._wrong(words, n, offset)):
                self.given.append(wrong.word)
                return FloatRow(n, "refuted", seen, wrong, "")
        return FloatRow(n, "unknown", seen, None, "")

    def _live(self, n: int) -> Words:
        """All words of the length after which something can be asked."""
        places = [place for place, _ in judged(self.claim, n)]
        words, states = np.zeros((1, 0), dtype=np.intp), np.zeros(1, dtype=np.intp)
        for steps in StateLevels(self.claim, n).live(places)[:n]:
            parents, letters = np.nonzero(steps[states] >= 0)
            words = np.concatenate([words[parents], letters[:, np.newaxis]], 1)
            states = steps[states][parents, letters]
        return words

    def _found(self, n: int, offset: int) -> Words:
        """Words near the one with the least margin that a search finds."""
        self.search = self.search or Search(self.cast, self.claim)
        least = self.search.find(offset, n, self.given, SEARCHED_WORDS * self.effort).least
        if least is None:
            return np.zeros((0, n), dtype=np.intp)
        word = np.array(self.claim.letters(least.word), dtype=np.intp)
        near = neighbours(word, len(self.claim.alphabet), np.random.default_rng(n), 512)
        return np.unique(np.concatenate([word[np.newaxis], near]), axis=0)

    def _least(self, words: Words, n: int, offset: int) -> tuple[Words, NDArray[np.float64]]:
        """Some of the words, by their margins in the network with rounded weights, and these."""
        size = self.judge.batch(n)
        margins = [self.judge.margins(words[k : k + size], offset).min((1, 2)) for k in range(0, len(words), size)]
        if not margins:
            return words, np.zeros(0)
        least = np.concatenate(margins)
        order = np.argsort(least, kind="stable")[: RUN_WORDS * self.effort]
        return words[order], least[order]

    def _wrong(self, words: Words, n: int, offset: int) -> WrongRun | None:
        """A wrong run on one of the words, replayed."""
        pairs = judged(self.claim, n)
        if self.by_place and n > self.claim.lengths[0]:
            pairs = pairs[-1:]  # what is judged before has been, on shorter words
        places, at = map(list, zip(*pairs, strict=True))
        inputs, held = self.judge.inputs(words), self.judge.cases.hold(words)[:, places]
        for execution in self.executions:
            emulation = Emulation(self.cast, self.run, execution)
            logits = np.concatenate([emulation.logits(part, offset, np.array(at)) for part in self._batches(inputs)])
            margins = np.nan_to_num(self.judge.rows.margins(logits, held), nan=-np.inf)
            for word, place, column in sorted(zip(*np.nonzero(margins <= 0), strict=True), key=lambda one: one[1])[:4]:
                case, row = self.judge.rows.rows[int(column)]
                letters = tuple(self.claim.alphabet[letter] for letter in words[word])
                if wrong := self.replayed(letters, offset, places[place], case, row, execution):
                    return wrong
        return None

    def _batches(self, inputs: Words) -> Iterator[Words]:
        widest = max(tensor.shape[0] * tensor.shape[-1] for tensor in self.cast.tensors.values())
        size = max(1, BATCH_NUMBERS // (inputs.shape[1] * widest))
        return (inputs[k : k + size] for k in range(0, len(inputs), size))

    def replayed(self, word: tuple[str, ...], offset: int, place: int, case: int, row: int, execution: Execution
                 ) -> WrongRun | None:
        """The wrong run, if the case holds there and a replay in integers gives at most the margin."""
        if case not in cases_at(self.claim, word, place):
            return None
        at = dict(judged(self.claim, len(word)))[place]
        tokens = input_tokens(self.claim, word)
        tokens = tokens[: at + 1] if self.cast.attention == "causal" else tokens
        try:
            logits = Replay(self.cast, self.run, execution).logits(tokens, offset, at)
        except (NotFinite, OverflowError):
            return None
        value = value_of(self.claim.cases[case].above[row], logits)
        return WrongRun(word, offset, place, case, row, execution, value) if value <= self.claim.margin else None


def value_of(row: Row, logits: list[Fraction]) -> Fraction:
    """The value of a row."""
    return sum((coefficient * logits[token] for token, coefficient in row), Fraction(0))
