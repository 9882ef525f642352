"""Checks of parts and samples of decisions about trained networks, and estimates; no accepted claim depends on them.

Each file is read by the checker's reader; errors are those of its `check_text`, except for unproved units.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any, NamedTuple, cast

from constructions.errors import InputError
from proofs.check.checker.chapters.float_models.reading import FloatClaim
from proofs.check.checker.chapters.float_models.roundoff import expect_sensible
from proofs.check.checker.chapters.trained.floats.proof import ModelProver, cover_of
from proofs.check.checker.chapters.trained.reading.cover import ClassesUnit, Cover, CoverPart
from proofs.check.checker.chapters.trained.reading.decision import Decision
from proofs.check.checker.chapters.trained.reading.words_claim import EachWord, TrainedClaim, WordsUnit
from proofs.check.checker.chapters.trained.words.deciding import count_obligations, expect_covered
from proofs.check.checker.chapters.trained.words.judge import Cases, Word
from proofs.check.checker.chapters.trained.words.obligations import obligations
from proofs.check.checker.chapters.trained.words.running import (
    DecisionByCover,
    DecisionOfWords,
    Prover,
    prove_units,
)
from proofs.check.checker.chapters.trained.words.vacuous import find_vacuous_lengths
from proofs.check.checker.checking import Accepted, nothing_unexpected, read_bytes, read_within
from proofs.check.checker.kernel.budget import MAX_N, Budget
from proofs.check.checker.kernel.verdicts import Rejected, expect
from proofs.check.checker.requirements import ANYTHING, Request, RequiredClaim
from proofs.checking.costs import estimate_decision
from proofs.checking.shares import Share


def read_decision_of(data: bytes, required: RequiredClaim, work: int) -> DecisionByCover:
    """Return the decision with these bytes; one without a cover, or about float models, has no parts."""
    given = read_within(data, required, Budget(work)).given
    expect(isinstance(given, Decision) and isinstance(given.evidence, Cover) and not given.floats,
           "a file of this kind has no parts and no samples")
    return cast(DecisionByCover, given)


def has_lengths(given: object) -> bool:
    """Return whether a file is about all words of a network, of each of some lengths."""
    return isinstance(given, Decision) and isinstance(given.evidence, Cover | EachWord)


def read_float_executions(data: bytes, work: int) -> DecisionOfWords:
    """Return the claim about executions of all words under float models with these bytes."""
    given = read_within(data, ANYTHING, Budget(work)).given
    expect(isinstance(given, Decision) and isinstance(given.evidence, Cover | EachWord) and given.floats,
           "a file of this kind is not about float executions of all words")
    return cast(DecisionOfWords, given)


def check_part(data: bytes, part: int, parts: int, required: RequiredClaim = ANYTHING,
               work: int = 1) -> Mapping[str, int]:
    """Prove one of ``parts`` parts (from 1) of a decision about a trained network; return the coverage.

    If every part is proved, so is the claim.
    """
    with nothing_unexpected():
        expect(1 <= part <= parts, "part: expected 1 to {}, got {}", parts, part)
        return prove_part(read_decision_of(data, required, work), part, parts)


def join_parts(data: bytes, proved: Iterable[Mapping[str, int]], required: RequiredClaim = ANYTHING,
               work: int = 1) -> Accepted:
    """Accept a decision; the caller has checked every part. ``proved`` is what `check_part` returned."""
    with nothing_unexpected():
        file = read_within(data, required, Budget(work))
        given = read_decision_of(data, required, work)
        coverage = join_coverage(given, proved)
        return Accepted(given, coverage, tuple(file.kind.describe(given, coverage)))


def find_unproved_units(data: bytes, part: int, parts: int, work: int = 1) -> list[tuple[int, str]]:
    """Return the places in a decision's cover of the units that a part does not prove, each with the reason.

    If no part has any, the claim is proved.
    """
    with nothing_unexpected():
        expect(1 <= part <= parts, "part: expected 1 to {}, got {}", parts, part)
        return find_unproved(read_decision_of(data, ANYTHING, work), part, parts)


def find_vacuous(data: bytes, work: int = 1) -> list[int]:
    """Return the lengths of a claim (also of one about float models) on whose words nothing is judged."""
    with nothing_unexpected():
        given = read_within(data, ANYTHING, Budget(work)).given
        expect(has_lengths(given), "a file of this kind is not about all words of a network")
        return find_vacuous_lengths(cast(Decision[TrainedClaim, Any], given))


def find_unproved_floats_of(data: bytes, work: int = 1) -> list[tuple[int, str] | None]:
    """Return the first unproved place or length under each float model, with the reason, or None.

    If that is None for every model, the claim is proved.
    """
    with nothing_unexpected():
        given = read_float_executions(data, work)
        return [find_unproved_floats(given, run) for run in given.floats]


def find_unproved_words_of(data: bytes, work: int = 1) -> set[tuple[int, ...]]:
    """Return the words of a claim about one float model, as letters, on which it is not proved."""
    with nothing_unexpected():
        given = read_float_executions(data, work)
        return {*find_unproved_words(given, given.floats[0])}


def find_unproved_float_units(data: bytes, work: int = 1) -> list[tuple[int, str]]:
    """Return the unproved units of a certificate about float models, with reasons, for the first model that has some.

    The units are places in the cover. Without any, the claim is proved.
    """
    with nothing_unexpected():
        given = read_float_executions(data, work)
        return next(filter(None, (find_unproved_units_of_runs(given, run) for run in given.floats)), [])


def check_sample(data: bytes, number: int, required: RequiredClaim = ANYTHING, work: int = 1) -> Mapping[str, int]:
    """Prove ``number`` obligations of a decision, drawn by a digest of the file; return their coverage."""
    with nothing_unexpected():
        expect(1 <= number <= MAX_N, "sample: expected 1 to {}, got {}", MAX_N, number)
        return prove_sample(read_decision_of(data, required, work), number, data)


def estimate(data: bytes, required: RequiredClaim = ANYTHING, work: int = 1) -> Mapping[str, int]:
    """Return the numbers of words and nodes of a decision, and about how many seconds it takes. Nothing is proved."""
    with nothing_unexpected():
        return estimate_decision(read_decision_of(data, required, work))


class Some(NamedTuple):
    """A restriction to less than the whole check, which accepts nothing: a part, a sample, or an estimate."""

    part: tuple[int, int] | None = None
    sample: int | None = None
    estimate: bool = False

    def __bool__(self) -> bool:
        """Return whether there is a restriction."""
        return bool(self.part or self.sample or self.estimate)


EVERYTHING = Some()
PART = re.compile("([0-9]{1,5})/([0-9]{1,5})", re.ASCII)


def read_some(part: str | None, sample: int | None, estimate: bool) -> Some:
    """Parse the restriction: at most one of a part, as K/M, a sample and an estimate.

    Raises:
        InputError: unless 1 <= K <= M, and the sample is 1 or more.
    """
    if (part is not None) + (sample is not None) + estimate > 1:
        raise InputError("--part, --sample, --estimate: expected one of them")
    found = PART.fullmatch(part or "")
    if part is not None and not (found and 1 <= int(found[1]) <= int(found[2])):
        raise InputError("--part: expected K/M, K from 1 to M")
    if sample is not None and sample < 1:
        raise InputError(f"--sample: expected a number of 1 or more, got {sample}")
    return Some((int(found[1]), int(found[2])) if found else None, sample, estimate)


def check_some(path: str, request: Request, some: Some) -> str:
    """Return what was proved of a part or a sample, or the estimate, as text."""
    data, options = read_bytes(path), (request.required, request.work)
    if some.part:
        what, found = "part {}/{} is proved".format(*some.part), check_part(data, *some.part, *options)
    elif some.sample:
        what, found = f"a sample of {some.sample} is proved", check_sample(data, some.sample, *options)
    else:
        what, found = "nothing is proved; about", estimate(data, *options)
    return f"{what}: {', '.join(f'{count} {name}' for name, count in found.items())}"


def join_coverage(given: DecisionByCover, proved: Iterable[Mapping[str, int]]) -> Mapping[str, int]:
    """Check that the cover is complete; return the sum of the coverage of all parts.

    Raises:
        Rejected: if an obligation is left out of the cover.
    """
    expect_covered(given)
    total = Counter[str]()
    for coverage in proved:
        total.update(coverage)
    return {**total, "obligations": count_obligations(given)}


class ShareProver(Prover):
    """Prover of a share of the words of each unit, and of classes."""

    def __init__(self, given: DecisionByCover, share: Share) -> None:
        super().__init__(given)
        self._share = share

    def words(self, unit: WordsUnit) -> Iterator[tuple[Word, Cases]]:
        """Yield the words of the unit that are in the share."""
        letters = len(self.judge.claim.alphabet)
        found = self.judge.words(unit.first, unit.last, lambda word: self._share.has_some(word, letters))
        return ((word, cases) for word, cases in found if self._share.has(word, letters))


def prove_part(given: DecisionByCover, part: int, parts: int) -> Mapping[str, int]:
    """Check that the cover is complete; prove a share of each unit of words, and every ``parts``-th unit of classes."""
    expect_covered(given)
    units = [given.evidence.units[place] for place in places_of_part(given, part, parts)]
    return prove_units(ShareProver(given, Share(part - 1, parts)), units)


def find_unproved(given: DecisionByCover, part: int, parts: int) -> list[tuple[int, str]]:
    """Return the places in the cover of units that this part does not prove, each with the reason.

    Without any in all parts, the claim is proved.

    Raises:
        Rejected: if an obligation is left out of the cover.
    """
    expect_covered(given)
    prover, unproved = ShareProver(given, Share(part - 1, parts)), []
    for place in sorted(places_of_part(given, part, parts)):
        try:
            prover.prove(given.evidence.units[place])
        except Rejected as reason:
            unproved.append((place, str(reason)))
    return unproved


def places_of_part(given: DecisionByCover, part: int, parts: int) -> list[int]:
    """Return the places in the cover of all units of words (in shares), and of every ``parts``-th one of classes."""
    classes = [place for place, unit in enumerate(given.evidence.units) if isinstance(unit, ClassesUnit)]
    words = [place for place, unit in enumerate(given.evidence.units) if isinstance(unit, WordsUnit)]
    return [*words, *classes[part - 1::parts]]


def prove_sample(given: DecisionByCover, number: int, data: bytes) -> Mapping[str, int]:
    """Check that the cover is complete; prove units chosen by a digest of the file.

    A unit of words is proved at one obligation of it, a unit of classes as a whole.
    """
    expect_covered(given)
    digest = sha256(data).digest()
    chosen: dict[CoverPart, None] = {}
    weights = [unit.last - unit.first + 1 for unit in given.evidence.units]
    for draw in range(number):
        place = int.from_bytes(sha256(digest + draw.to_bytes(8, "big")).digest(), "big") % sum(weights)
        chosen[obligation_at(given.evidence.units, place)] = None
    return prove_units(Prover(given), chosen)


def obligation_at(cover: Iterable[CoverPart], place: int) -> CoverPart:
    """Return the obligation at this place, counted through the units of the cover."""
    for unit in cover:
        count = unit.last - unit.first + 1
        if place < count:
            chosen = unit.first + place
            return WordsUnit(unit.offset, chosen, chosen) if isinstance(unit, WordsUnit) else unit
        place -= count
    raise IndexError(place)


def find_unproved_floats(given: DecisionOfWords, run: FloatClaim) -> tuple[int, str] | None:
    """Return the first place or length that is not proved under a float model, with the reason, or None.

    Raises:
        Rejected: if the model, or an operation of the network, has no rule.
    """
    expect_sensible(run)
    prover, found = ModelProver(given, run), list[tuple[int, str]]()
    for one in obligations(given.network, given.claim):
        last = min(one.last, found[-1][0] - 1) if found else one.last
        found += tried(prover, WordsUnit(one.offset, one.first, last))
    return found[-1] if found else None


def tried(prover: ModelProver, unit: WordsUnit) -> Iterator[tuple[int, str]]:
    """Yield the length of each unproved word, and the reason; after it only shorter ones are tried."""
    judge, last, prove = prover.judge, unit.last, prover.inputs(unit).prove
    for word, cases in prover.words(unit):
        if len(word) <= last:
            try:
                judge.prove_words(unit.offset, [(word, cases)], prove)
            except Rejected as refusal:
                last = len(word) - 1
                yield len(word), str(refusal)


def find_unproved_words(given: DecisionOfWords, run: FloatClaim) -> Iterator[tuple[int, ...]]:
    """Yield the words that are not proved at some offset under a float model.

    Raises:
        Rejected: if the model, or an operation of the network, has no rule.
    """
    expect_sensible(run)
    prover = ModelProver(given, run)
    for one in obligations(given.network, given.claim):
        prove = prover.inputs(one).prove
        for word, cases in prover.words(one):
            try:
                prover.judge.prove_words(one.offset, [(word, cases)], prove)
            except Rejected:
                yield word


def find_unproved_units_of_runs(given: DecisionOfWords, run: FloatClaim) -> list[tuple[int, str]]:
    """Return the places in the cover of units that are not proved under a float model, each with the reason.

    Raises:
        Rejected: if the model has no rule, or an obligation is left out of the cover.
    """
    expect_sensible(run)
    prover, unproved = ModelProver(given, run), []
    for place, unit in enumerate(cover_of(given)):
        try:
            prover.prove(unit)
        except Rejected as reason:
            unproved.append((place, str(reason)))
    return unproved
