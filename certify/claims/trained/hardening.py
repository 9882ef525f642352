"""Hardened networks: heads that attend to a pattern alone, certified on all words, beside the network as trained."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from certify.claims.trained.answering import decide_question
from certify.claims.trained.decide import Settings, decide
from certify.claims.trained.decision import Decision
from certify.claims.trained.hard_programs import HardProgram, find_program
from certify.claims.trained.heads import read_head
from certify.claims.trained.lengths_decision import LengthsDecision
from certify.common.answer import certified_to
from certify.common.verdicts import WithExitStatus
from constructions.errors import InputError, Unsupported
from constructions.trained.claim import WordsClaim, check_fits
from constructions.trained.edit_kinds import SharpenHead
from constructions.trained.edits import check_unedited, edit_network
from constructions.trained.hard_patterns import GREATEST, TOTAL, HardHead, hard_question, sees_itself, unmarked
from constructions.trained.head_patterns import (
    HeadClaim,
    HeadPattern,
    mass_question,
    or_itself,
    parse_pattern,
    step_of,
)
from constructions.trained.network import TrainedNetwork
from proofs.trained.hardening import HardeningSearch, hard_heads
from proofs.trained.masses import Masses, MassRange

ROUNDS = 6
"""Searches until a hardened network is certified; each learns the wrong word of the one before."""

MOST_DOUBLINGS = 16
"""Factors 2^0, 2^1, … of a head's scores until its least mass is ``ENOUGH``."""
ENOUGH = 0.99


@dataclass(frozen=True)
class HardenedHead:
    """A head that attends to a pattern alone, and the least mass of the soft head on it, measured.

    ``mass`` is None if no word that is measured has the pattern. ``own`` is there if the head attends by its own
    scores: the proof that the greatest of them is that of the pattern's position, and of the query where there is none.
    """

    layer: int
    head: int
    pattern: HeadPattern
    mass: MassRange | None
    own: "OwnScores | None" = None


@dataclass(frozen=True)
class OwnScores:
    """The decision that with scores times 2^doublings the mass of one position is above 1/2.

    So its score is the greatest one (docs/background/parts.md, Theorem 9).
    """

    doublings: int
    decision: Decision


@dataclass(frozen=True)
class Hardening(WithExitStatus):
    """A network whose ``heads`` are hard: the decision about it, and that about the network as trained.

    ``marked`` is the claim about the ``edited`` network. ``asked`` if the user chose the patterns. ``program`` has the
    answers of a certified hard network, or is the reason why none was found; empty if it was not searched.
    """

    network: TrainedNetwork
    claim: WordsClaim
    heads: tuple[HardenedHead, ...]
    edited: TrainedNetwork
    marked: WordsClaim
    decision: Decision
    soft: Decision | LengthsDecision
    program: HardProgram | str
    asked: bool
    rounds: int
    seconds: float

    @property
    def verdict(self) -> str:
        """The verdict of the decision about the hard network; a search that ends at a wrong one decides nothing."""
        return self.decision.verdict if self.asked or self.decision.verdict != "refuted" else "unknown"

    @property
    def certificates_of_scores(self) -> dict[str, str]:
        """The certificates about the heads' own scores, by file name."""
        return {f"head_{one.layer}_{one.head}.cert": one.own.decision.certificate for one in self.heads
                if one.own is not None and one.own.decision.certificate is not None}

    @property
    def is_repaired(self) -> bool:
        """Whether the network is wrong as trained, and right with hard heads."""
        return self.soft.verdict == "refuted" and self.decision.verdict == "certified"


def right_to(decision: Decision | LengthsDecision) -> int | None:
    """Return the length up to which all words are proved right; None for no length."""
    return certified_to(decision.rows) if isinstance(decision, Decision) else decision.certified_to


def harden(network: TrainedNetwork, claim: WordsClaim, hard: Sequence[HardHead] = (),
           settings: Settings | None = None) -> Hardening:
    """Decide the claim about the network with hard heads: those given, or the best that a search finds.

    Raises:
        InputError: if the claim or a head does not fit the network.
        Unsupported: if no method decides words of these lengths, a pattern is not for this layer, or none was found.
    """
    start = time.perf_counter()
    check_unedited(network)
    check_fits(network, claim)
    chosen, rounds = list(hard), 0
    search = None if hard else HardeningSearch(network, claim)
    greatest = {one: find_greatest(network, claim, one, settings) for one in hard if one.pattern == GREATEST}
    own = dict(greatest.values())
    chosen = [greatest[one][0] if one in greatest else one for one in chosen]
    while True:
        rounds += 1
        if search is not None:
            chosen = hard_heads(search.best())
        if not chosen:
            raise Unsupported("no pattern that was tried keeps the tried words right; --pattern L.H=... chooses one")
        edited, marked = hard_question(network, claim, chosen)
        decision = decide(edited, marked, settings)
        if search is None or decision.wrong is None or rounds == ROUNDS:
            break
        search.add(unmarked(claim, decision.wrong.word))
        if hard_heads(search.best()) == chosen:
            break
    masses = Masses(network, claim)
    heads = tuple(HardenedHead(one.layer, one.head, one.pattern, least_mass(masses, one), own.get(one))
                  for one in chosen)
    return Hardening(network, claim, heads, edited, marked, decision,
                     decide_question(network, claim, settings=settings),
                     program_of(network, claim, chosen, settings) if decision.verdict == "certified" else "",
                     search is None, rounds, time.perf_counter() - start)


def find_greatest(network: TrainedNetwork, claim: WordsClaim, one: HardHead, settings: Settings | None
                  ) -> tuple[HardHead, OwnScores]:
    """Return the head with the pattern of the position of its own greatest score, and the proof that it is that.

    Raises:
        Unsupported: if no pattern is found, or it is not proved.
    """
    step, search = step_of(network, one.layer, one.head), HardeningSearch(network, claim)
    while True:
        found = replace(one, pattern=search.greatest(one.head))
        marks = (or_itself(claim.alphabet, found.pattern) if sees_itself(claim) else found.pattern)
        for doublings in range(MOST_DOUBLINGS):
            sharp = edit_network(network, [SharpenHead(step, one.head - 1, doublings)]) if doublings else network
            least = least_mass(Masses(sharp, claim), replace(one, pattern=marks))
            if least is None or least.least > ENOUGH:
                break
        else:
            assert least is not None
            search.add(least.least_word)
            continue
        break
    decision = decide(*mass_question(sharp, claim, HeadClaim(one.layer, one.head, marks, Fraction(1, 2))), settings)
    if decision.verdict != "certified":
        raise Unsupported(f"head {one.layer}.{one.head}: its own score is greatest at {found.pattern} on all words "
                          f"that were tried; proved to n = {certified_to(decision.rows)}")
    return found, OwnScores(doublings, decision)


def program_of(network: TrainedNetwork, claim: WordsClaim, hard: Sequence[HardHead], settings: Settings | None
               ) -> HardProgram | str:
    """Return the program of a hard network, or why there is none."""
    try:
        return find_program(network, claim, hard, settings)
    except Unsupported as reason:
        return str(reason)


def least_mass(masses: Masses, one: HardHead) -> MassRange | None:
    """Return the length with the least mass of the soft head on its pattern."""
    return min(masses.ranges(one.layer, one.head, one.pattern), key=lambda found: found.least, default=None)


def read_patterns(network: TrainedNetwork, claim: WordsClaim, given: Iterable[str]) -> list[HardHead]:
    """Return the hard heads of texts such as ``1.1=rightmost Q_a``.

    Raises:
        InputError: if one is malformed, or the network has no such head, or two are of one head.
    """
    found: dict[tuple[int, int], HardHead] = {}
    for text in given:
        name, equals, pattern = text.partition("=")
        if not equals:
            raise InputError(f"--pattern: found {text}, expected a head and a pattern such as 1.1=first")
        part = read_head(name.strip(), "--pattern")
        step_of(network, *part)
        if part in found:
            raise InputError(f"--pattern: head {name.strip()} is given twice, expected once")
        found[part] = HardHead(*part, GREATEST if pattern.strip() == str(GREATEST) else parse_pattern(
            pattern, claim.alphabet, {one.name: one for one in claim.predicates}, (*TOTAL, str(GREATEST))))
    return list(found.values())


def answer_about_hardening(network: TrainedNetwork, claim: WordsClaim, patterns: Sequence[str], settings: Settings
                           ) -> Hardening:
    """Decide the claim with the listed heads hard; without a list, search their patterns.

    Raises:
        InputError, Unsupported: as for ``harden``, and if a pattern is malformed.
    """
    return harden(network, claim, read_patterns(network, claim, patterns), settings)


