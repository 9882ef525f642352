"""Certified circuits: a part of a network that gives all answers, and for each of its parts a word that needs it."""

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from certify.claims.trained.answering import decide_question
from certify.claims.trained.decide import Settings
from certify.claims.trained.decision import Decision
from certify.claims.trained.lengths_decision import LengthsDecision
from certify.claims.trained.proving import accepted_wrong_word
from certify.common.verdicts import WithExitStatus
from constructions.errors import InputError
from constructions.trained.claim import WordsClaim, check_fits
from constructions.trained.edits import edit_network, unedited
from constructions.trained.network import AttentionStep, TrainedNetwork, UnitsStep
from proofs.trained.balls import BallNetwork
from proofs.trained.circuits import Circuit, CircuitSearch, Part, To, edges_of, parts_of
from proofs.trained.search import RefutingWord, confirm

FLOOR = np.float64(1) / 50
"""The least margin that a circuit keeps in the search, or a tenth of the whole network's."""
ROUNDS = 12
"""Searches until a circuit is decided; each learns the wrong word of the one before."""


@dataclass(frozen=True)
class NeededPart:
    """A part of a circuit, and a word on which the circuit without it is wrong; None if none was found.

    ``certificate`` proves that the word is wrong.
    """

    part: Part
    word: RefutingWord | None
    certificate: str | None


@dataclass(frozen=True)
class Ablation(WithExitStatus):
    """A circuit of a network (the original of an edited one): the decision, and the words that need its parts.

    ``whole`` has the parts that were there. ``edited`` is the network with this circuit alone. ``asked`` if the user
    chose the parts: then none is ``needed``. ``answers`` is the certificate that the claim has the answers of the
    network itself, if these are to be equal.
    """

    network: TrainedNetwork
    claim: WordsClaim
    to: To
    whole: Circuit
    circuit: Circuit
    edited: TrainedNetwork
    decision: Decision | LengthsDecision
    needed: tuple[NeededPart, ...]
    asked: bool
    rounds: int
    seconds: float
    answers: str | None = None

    @property
    def verdict(self) -> str:
        """The verdict of the decision about the circuit; a search that ends at a wrong circuit decides nothing."""
        failed = self.decision.verdict == "refuted" and not self.asked
        return "unknown" if failed and self.circuit != self.whole else self.decision.verdict

    @property
    def is_minimal(self) -> bool:
        """Whether each part of a certified circuit has a word that needs it, proved."""
        return self.verdict == "certified" and not self.asked and all(one.certificate for one in self.needed)

    @property
    def certificates(self) -> Mapping[str, str]:
        """The certificate of the circuit, and one for each needed part, by file name."""
        found = {} if self.decision.certificate is None else {"circuit.cert": self.decision.certificate}
        found |= {} if self.answers is None else {"network.cert": self.answers}
        return found | {f"without_{name_of(self.network, one.part).replace('->', 'to').replace(' ', '_')}.cert":
                        one.certificate
                        for one in self.needed if one.certificate}


def name_of(network: TrainedNetwork, part: Part) -> str:
    """Return the name of a part: head 1.2, neuron 1.7, tokens -> block 2; all count from 1, layers of each kind."""
    if part.to:
        return " -> ".join(end_name(network, *end) for end in ((part.step, part.number), part.to[:2]))
    return f"{'head' if part.is_head else 'neuron'} {_layer(network, part.step)}.{part.number + 1}"


def end_name(network: TrainedNetwork, step: int, number: int) -> str:
    """Return the name of what an edge is from or to."""
    if step < 0:
        return ("tokens", "positions")[number]
    found = network.steps[step] if step < len(network.steps) else None
    if isinstance(found, AttentionStep):
        return f"head {_layer(network, step)}.{number + 1}"
    return f"block {_layer(network, step)}" if isinstance(found, UnitsStep) else "logits"


def _layer(network: TrainedNetwork, number: int) -> int:
    kind = type(network.steps[number])
    return sum(isinstance(step, kind) for step in network.steps[:number + 1])


def decide_circuit(network: TrainedNetwork, claim: WordsClaim, dropped: Sequence[Part], to: To = "zero",
                   settings: Settings | None = None) -> Ablation:
    """Decide the claim about the network without some parts.

    Raises:
        InputError: if the claim does not fit the network.
        Unsupported: if no method decides words of these lengths.
    """
    start = time.perf_counter()
    check_fits(network, claim)
    search = CircuitSearch(network, claim, to, edges=any(part.to for part in dropped))
    circuit = search.tidy(search.whole - {*dropped})
    edited = edit_network(search.network, search.edits(circuit))
    decision = decide_question(edited, claim, settings=settings)
    return Ablation(search.network, claim, to, search.whole, circuit, edited, decision, (), True, 1,
                    time.perf_counter() - start)


def find_circuit(network: TrainedNetwork, claim: WordsClaim, to: To = "zero", settings: Settings | None = None,
                 edges: bool = False) -> Ablation:
    """Search a circuit that is right on all words of the claim, decide it, and find words that need each part.

    With ``edges`` it is one of edges, too.

    Raises:
        InputError, Unsupported: as for ``decide_circuit``.
    """
    start = time.perf_counter()
    check_fits(network, claim)
    search = CircuitSearch(network, claim, to, edges=edges)
    whole = search.whole
    floor, rounds = min(FLOOR, max(np.float64(), search.margin(whole)) / 10), 0
    is_right = search.stays(whole, np.float64())
    while True:
        rounds += 1
        circuit = search.shrink(whole, floor) if is_right else whole
        edited = edit_network(search.network, search.edits(circuit))
        decision = decide_question(edited, claim, settings=settings)
        wrong = decision.wrong if isinstance(decision, Decision) else None
        if wrong is None or rounds == ROUNDS or circuit == whole:
            break
        search.add(wrong.word, wrong.offset)
    needed = tuple[NeededPart, ...]()
    while decision.verdict == "certified":
        smaller = find_smaller(search, circuit, settings)
        if isinstance(smaller, tuple):
            needed = smaller
            break
        circuit = smaller
        edited = edit_network(search.network, search.edits(circuit))
        decision = decide_question(edited, claim, settings=settings)
    return Ablation(search.network, claim, to, whole, circuit, edited, decision, needed, False, rounds,
                    time.perf_counter() - start)


def find_smaller(search: CircuitSearch, circuit: Circuit, settings: Settings | None
                 ) -> Circuit | tuple[NeededPart, ...]:
    """Return a circuit without one more part that is certified, or for each part a word that needs it."""
    needed = list[NeededPart]()
    for part in sorted(circuit, key=lambda part: (part.to != (), part)):
        smaller = search.tidy(circuit - {part})
        network = edit_network(search.network, search.edits(smaller))
        least = search.least(smaller)
        wrong = None if least is None or least.margin > 0 else confirm(BallNetwork(network), search.claim, least)
        if wrong is None:
            decision = decide_question(network, search.claim, settings=settings)
            wrong = decision.wrong if isinstance(decision, Decision) else None
            if decision.verdict == "certified":
                return smaller
        needed.append(NeededPart(part, wrong, accepted_wrong_word(network, search.claim, wrong)))
    return tuple(needed)


def answer_about_parts(network: TrainedNetwork, claim: WordsClaim, heads: Sequence[str], neurons: Sequence[str],
                       edges: Sequence[str], to: To, settings: Settings, answers: str | None = None) -> Ablation:
    """Decide the claim without the listed parts; without lists, find a minimal circuit.

    If ``edges`` are "search", it is one of edges, too.

    ``answers`` is the certificate of the network's own answers, if the claim has them.

    Raises:
        InputError: if a part is malformed, or the network does not have it.
    """
    original = unedited(network)[0]
    dropped = [*read_parts(original, heads, True), *read_parts(original, neurons, False)]
    searched = [*edges] == ["search"]
    if searched and dropped:
        raise InputError("--edges search: expected no --heads and --neurons, as they name what goes")
    dropped += [] if searched else read_edges(original, edges)
    found = decide_circuit(network, claim, dropped, to, settings) if dropped else find_circuit(
        network, claim, to, settings, searched)
    return replace(found, answers=answers)


def read_parts(network: TrainedNetwork, given: Sequence[str], is_head: bool) -> list[Part]:
    """Return the parts of lists such as 1.2,2.1-4.

    Raises:
        InputError: if one is malformed, or the network does not have it.
    """
    kind = "head" if is_head else "neuron"
    known = {name_of(network, part): part for part in parts_of(network) if part.is_head is is_head}
    found = dict[Part, None]()
    for text in (one.strip() for texts in given for one in texts.split(",")):
        match = re.fullmatch(r"([0-9]{1,6})\.([0-9]{1,6})(?:-([0-9]{1,6}))?", text, re.ASCII)
        if match is None:
            raise InputError(f"--{kind}s: found {text}, expected a layer and a {kind}, such as 1.2 or 1.2-5")
        layer, first, last = match[1], int(match[2]), int(match[3] or match[2])
        for number in range(first, last + 1):
            name = f"{kind} {int(layer)}.{number}"
            if name not in known:
                raise InputError(f"--{kind}s: the network has no {name}")
            found[known[name]] = None
    return list(found)


def read_edges(network: TrainedNetwork, given: Sequence[str]) -> list[Part]:
    """Return the edges of lists such as "tokens -> head 1.1, block 1 -> logits".

    Raises:
        InputError: if the network does not have one.
    """
    known = {name_of(network, edge): edge for edge in edges_of(network)}
    found = dict[Part, None]()
    for text in (one.strip() for texts in given for one in texts.split(",")):
        name = " -> ".join(" ".join(end.split()) for end in text.split("->"))
        if name not in known:
            raise InputError(f"--edges: the network has no edge {name}, expected one such as {next(iter(known))}")
        found[known[name]] = None
    return list(found)
