"""Floating-point search of a part: all words if they are few, abstract words if they are many, then wrong words.

Everything here is search. Wrong words are proved by ball arithmetic before they count; covers are proved by the checker
afterwards.
"""

import functools
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from certify.claims.trained.decision import DecisionPart, ObligationResult, PartResult, SmallestMargin, stops_at_wrong
from certify.claims.trained.networks import parameters
from certify.claims.trained.tasks import about, claim_in, network_in, result_to_text
from certify.claims.trained.word_counts import WordCounts
from constructions.errors import Unsupported
from constructions.trained.claim import WordsClaim, is_by_place
from constructions.trained.network import TrainedNetwork
from proofs.trained.certificate import Unit, WordsUnit, cover_of
from proofs.trained.classes.refine import ClassSearch
from proofs.trained.classes.results import Decided
from proofs.trained.forward import FloatNetwork
from proofs.trained.margins import Least
from proofs.trained.runs import runs
from proofs.trained.search import WORK, WrongWordSearch, confirm
from proofs.trained.words import is_read_at_ends, survey_all

FEW_WORDS, FEW_OF_SEVERAL_STEPS = 2**8, 2**12
"""Words that are run one by one before abstract words are tried, with one attention step, and with several."""
CHEAP = 2**28
"""Budget of words times parameters that are run before abstract words are tried, which may take longer and fail."""
LEAST_WORK = 4_000
"""The least number of words that a search for a wrong one runs."""
NOT_DECIDED = "abstract words are too coarse, there are too many words to run each, and no wrong word was found"


class Searcher:
    """A searcher of the parts of one claim; shared work is done once, and does not change results."""

    def __init__(self, network: TrainedNetwork, claim: WordsClaim) -> None:
        self.network, self.claim = network, claim
        self.floats, self.words = FloatNetwork(network), WrongWordSearch(network, claim)

    @functools.cached_property
    def counts(self) -> WordCounts:
        """The numbers of words that have to be run."""
        return WordCounts(self.floats, self.claim)

    @functools.cached_property
    def classes(self) -> ClassSearch:
        """The search for covers by abstract words.

        Raises:
            Unsupported: if the network or the claim allows none.
        """
        return ClassSearch(self.network, self.claim)

    def search(self, part: DecisionPart) -> PartResult:
        """Search all obligations of a part."""
        search = _PartSearch(self, part)
        search.by_words(min(self.few_words(), part.most_words))
        search.look_at_words(min(self.cheap_words, part.most_words))
        search.by_classes()
        search.by_words(part.most_words)
        search.for_wrong_words()
        return PartResult(tuple(search.found.values()), cover_of(search.units))

    def few_words(self) -> int:
        """Return the threshold below which words are enumerated: the number of states times pairs of letters.

        That is the number of abstract words at one place. Those of several attention steps take long, so there the
        threshold includes all words that are cheap.
        """
        states = len(self.claim.automaton.steps) if self.claim.automaton else 1
        many = len(self.network.attention_steps) > 1
        few = max(FEW_OF_SEVERAL_STEPS, self.cheap_words) if many else FEW_WORDS
        return max(few, states * len(self.claim.alphabet) ** 2)

    @functools.cached_property
    def cheap_words(self) -> int:
        """The number of words that are run before abstract words are tried; for whole words each place is run again."""
        places = 1 if is_read_at_ends(self.floats, self.claim) else self.claim.lengths[1]
        return CHEAP // (parameters(self.network) * places)


class _PartSearch:
    """The state of a search; ``found`` has every obligation of the part."""

    def __init__(self, searcher: Searcher, part: DecisionPart) -> None:
        self.searcher, self.part = searcher, part
        self.network, self.claim, self.floats = searcher.network, searcher.claim, searcher.floats
        self.found = {count: ObligationResult(part.offset, count, reason=NOT_DECIDED)
                      for count in range(part.first, part.last + 1)}
        self.units: list[Unit] = []
        self.least: dict[int, Least | None] = {}

    def open(self, way: str = "") -> list[int]:
        """Return the places or lengths that are neither covered nor refuted, also not by a shorter wrong word.

        Those that must not be covered by this method are left out.
        """
        wrong = [count for count, found in self.found.items() if found.wrong]
        end = min(wrong, default=self.part.last) if stops_at_wrong(self.network, self.claim) else self.part.last
        return [count for count, found in self.found.items()
                if found.way is None and found.wrong is None and count <= end and (count, way) not in self.part.avoid]

    def by_words(self, most: int) -> None:
        """Cover the open obligations with at most ``most`` words by running all of them."""
        counts = self.look_at_words(most)
        for count in counts:
            if (seen := self.least[count]) is None:
                self.found[count] = replace(self.found[count], way="words")
            elif seen.margin > 0:
                self._see(count, seen, way="words", bound=float(seen.margin))
        self.units += [WordsUnit(self.part.offset, first, last)
                       for first, last in runs(count for count in counts if self.found[count].way == "words")]

    def look_at_words(self, most: int) -> list[int]:
        """Run all words of the open obligations with at most ``most`` words, once; prove that wrong ones are wrong."""
        counts = [count for count in self.open("words") if self.searcher.counts.at(count) <= most]
        if new := [count for count in counts if count not in self.least]:
            self.least |= survey_all(self.floats, self.claim, self.part.offset, new)
        for count in new:
            if seen := self.least[count]:
                self._see(count, seen)
                if seen.margin <= 0:
                    self._confirm(count, seen)
        return counts

    def by_classes(self) -> None:
        """Cover the open obligations by abstract words, if prefixes decide the claim."""
        if not (open_ones := self.open("classes")):
            return
        try:
            search = self.searcher.classes
        except Unsupported as reason:
            for count in open_ones:
                self.found[count] = replace(self.found[count], reason=str(reason))
            return
        for first, last in runs(open_ones):
            self._take(search.decide(self.part.offset, first, last))

    def for_wrong_words(self) -> None:
        """Search for a wrong word for each open obligation, the shortest first; they share the work."""
        open_ones = self.open()
        work = self.part.effort * max(LEAST_WORK, WORK // max(1, len(open_ones)))
        for count in open_ones:
            if count in self.open():  # a wrong word may have closed the longer ones
                found = self.searcher.words.find(self.part.offset, count, self._starts(count), work)
                seen = self.found[count].seen
                if found.least and (seen is None or found.least.margin < seen.value):
                    self._see(count, found.least)
                if found.wrong:
                    self.found[count] = replace(self.found[count], wrong=found.wrong)

    def _starts(self, count: int) -> list[tuple[str, ...]]:
        """Return words to begin with: the worst one found, and extensions of wrong words by one letter."""
        own, shorter = self.found[count].seen, self.found.get(count - 1)
        wrong = shorter.wrong.word if shorter and shorter.wrong else None
        longer = [word for letter in self.claim.alphabet if wrong for word in ((*wrong, letter), (letter, *wrong))]
        return [word for word in [*([own.word] if own else []), *longer] if len(word) == count]

    def _take(self, decided: Decided) -> None:
        for count, bound in decided.bounds.items():
            word = tuple(self.claim.alphabet[letter] for letter in bound.word)
            seen = SmallestMargin(bound.value, word, self.part.offset, count)
            self.found[count] = replace(self.found[count], bound=bound.low, seen=seen)
        for unit in decided.units:
            self.units.append(unit)
            for count in range(unit.first, unit.last + 1):
                self.found[count] = replace(self.found[count], way="classes")
        by_place = is_by_place(self.network, self.claim)
        for wrong in decided.wrong:
            if self.found[count := wrong.place if by_place else len(wrong.word)].way is None:
                word = tuple(self.claim.alphabet[letter] for letter in wrong.word)
                self._confirm(count, Least(np.float64(wrong.value), word, wrong.offset, wrong.place, wrong.case,
                                                 wrong.row))

    def _see(self, count: int, seen: Least, **changes: Any) -> None:
        self.found[count] = replace(self.found[count], seen=SmallestMargin.of(seen), **changes)

    def _confirm(self, count: int, seen: Least) -> None:
        """Prove that the word is wrong, if it is."""
        if wrong := confirm(self.searcher.words.balls, self.claim, seen):
            self.found[count] = replace(self.found[count], wrong=wrong)


# -- as tasks ----------------------------------------------------------------------------------------------------------


def parts_to_tasks(texts: Sequence[str], parts: Iterable[DecisionPart]) -> list[str]:
    """Return the parts as tasks for ``do_part``, which refer to the network and the claim by their digests."""
    keys = about(texts)
    return [json.dumps(keys | {"part": asdict(part)}) for part in parts]


def do_part(task: str) -> str:
    """Return the result of a part, as text."""
    keys = json.loads(task)
    avoid = tuple((count, way) for count, way in keys["part"].pop("avoid"))
    return result_to_text(_searcher(keys["network"], keys["claim"]).search(DecisionPart(**keys["part"], avoid=avoid)))


@functools.lru_cache(maxsize=1)
def _searcher(network: str, claim: str) -> Searcher:
    """Make the searcher of a network and a claim, by their digests; kept for the next part."""
    return Searcher(network_in(network), claim_in(claim))
