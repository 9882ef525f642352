"""`certify prove`: the theorem for every n, decided by Coq, or refuted by a replayed word."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from rich.console import Console

from certify.claims.every_n.claim import TheoremClaim
from certify.claims.formula.counterexamples import counterexample_to_json, describe_counterexample
from certify.claims.formula.pipeline import Clock, sketch
from certify.claims.formula.show import print_shape
from certify.common.terminal_tables import plain, printed_to_html
from certify.common.verdicts import WithExitStatus, colour
from certify.common.words import show_alphabet, type_word
from certify.requests.request import DEFAULT_MAX_N
from constructions.deadline import TimeIsUp
from constructions.errors import InputError, Unsupported
from constructions.language.predicates import definitions_of
from constructions.language.printer import Style, describe_formula, format_briefly, format_formula
from constructions.network.lengths import Lengths
from constructions.network.validation import check_defined
from proofs.every_n import EVERY_LENGTH, Coq, ProvedLengths, compiled_library, find_coq, prove_in_coq, prove_model_file
from proofs.every_n.kernel import REFUSED
from proofs.every_n.library import library_digest
from proofs.formula.discharge import DischargedObligations
from proofs.formula.refutation import SearchByLength
from proofs.words.replay import Counterexample, find_miss

SEARCHED = (*range(1, DEFAULT_MAX_N + 1), 2 * DEFAULT_MAX_N)
"""Lengths searched for a wrong word if Coq rejects the theorem; the last is for constants slightly too small."""


@dataclass(frozen=True, repr=False)
class Theorem(WithExitStatus):
    """The outcome of a claim about every n, or about the ``lengths``."""

    verdict: str
    claim: TheoremClaim
    coq: Coq
    lengths: ProvedLengths = EVERY_LENGTH
    axioms: tuple[str, ...] = ()
    reason: str = ""
    seconds: float = 0.0
    library_seconds: float = 0.0
    counterexample: Counterexample | None = None

    def __repr__(self) -> str:
        return f"<{self.verdict}: {format_briefly(self.claim.formula)}; {_summary(self)}>"

    def _repr_html_(self) -> str:
        return printed_to_html(lambda out: print_theorem(out, self))


def prove(claim: TheoremClaim, progress: Callable[[str], None] = lambda _: None,
          lengths: ProvedLengths = EVERY_LENGTH, *, of_file: bool = False) -> Theorem:
    """Decide with Coq whether the network computes its formula on all words of these lengths.

    A theorem that Coq rejects is refuted if a word with a wrong output is found. With ``of_file``, state the
    theorem of an exported folder, about the text of the model file.

    Raises:
        CoqMissing: if there is no ``coqc``.
        InputError: if the cache of the compiled library cannot be written.
    """
    clock, coq = Clock(), find_coq()
    unsettled = Theorem("unsupported", claim, coq, lengths)
    library = compiled_library(coq, progress)
    clock.stamp("library")
    progress("Coq checks the theorem")
    try:
        put = prove_model_file if of_file else prove_in_coq
        answer = put(coq, library, claim.network, claim.formula, lengths)
    except Unsupported as construct:
        return replace(unsettled, reason=str(construct), seconds=clock.total)
    wrong = None if answer.proved else find_wrong_output(claim, lengths, progress)
    return replace(unsettled, verdict="proved" if answer.proved else "refuted" if wrong else "unproved",
                   axioms=tuple(sorted(answer.axioms)), reason=answer.reason, seconds=clock.total,
                   library_seconds=clock.stages["library"], counterexample=wrong)


def find_wrong_output(claim: TheoremClaim, lengths: ProvedLengths,
                      progress: Callable[[str], None] = lambda _: None) -> Counterexample | None:
    """Search for a replayed word with a wrong output, of these lengths and SEARCHED; None if none is found in time."""
    network = claim.network
    memory, by_length = DischargedObligations(), SearchByLength(network, None, progress)
    output = replace(network, directions={network.output: network.directions[network.output]})
    try:
        for n in (n for n in SEARCHED if n in lengths):
            progress(f"looking for a wrong word of length {n}")
            check_defined(network, one := Lengths(n, n))
            lines = sketch(network, one, None, memory)
            found = None if all(line.proved for line in lines) else by_length.find(one, lines).counterexample
            if found and (wrong := find_miss(output, found.word)):
                return wrong
    except (TimeIsUp, InputError, Unsupported):
        pass
    return None


# -- what is shown -----------------------------------------------------------------------------------------------------


def theorem_to_json(theorem: Theorem) -> dict[str, Any]:
    """Return the content of ``print_theorem`` as a JSON object."""
    claim, regime = theorem.claim, theorem.claim.regime
    return {
        "verdict": theorem.verdict,
        "formula": format_formula(claim.formula),
        "predicates": [definition.description for definition in claim.network.predicates()],
        "alphabet": list(claim.network.alphabet),
        "lengths": str(theorem.lengths),
        "regime": regime.sharpening.value if regime else None,
        "causal": regime.causal if regime else None,
        "axioms": list(theorem.axioms),
        "coq": theorem.coq.version,
        "library": library_digest(),
        "reason": theorem.reason or None,
        "counterexample": counterexample_to_json(theorem.counterexample) if theorem.counterexample else None,
        "seconds": round(theorem.seconds, 3),
        "library_seconds": round(theorem.library_seconds, 3),
    }


def print_theorem(out: Console, theorem: Theorem, style: Style = "ascii") -> None:
    """Print the claim of the theorem, the axioms that it rests on, and the verdict."""
    claim = theorem.claim
    out.print(plain(f"formula   {describe_formula(claim.formula, style)}"))
    for definition in definitions_of([claim.formula]):
        out.print(plain(f"where     {definition.description}"))
    out.print(plain(f"alphabet  {show_alphabet(claim.network.alphabet)}"))
    out.print(plain(f"regime    {claim.regime or 'none claimed'}"))
    out.print(plain(f"claim     for {theorem.lengths}, every word of length n and every position: "
                    "the output is exactly 1 if the formula holds there, else 0"))
    print_shape(out, claim.network)
    if theorem.axioms:
        out.print(plain(f"axioms    {', '.join(theorem.axioms)}"))
    out.print()
    out.print(plain(f"{theorem.verdict.upper()}  {_summary(theorem)}; {theorem.seconds:.2f} s",
                    style=colour(theorem.verdict)))
    if theorem.counterexample and claim.run_command:
        word = type_word(theorem.counterexample.word, claim.network.alphabet)
        out.print(plain(f"  replay  {claim.run_command.on(word)}"))


def reason_in_words(theorem: Theorem) -> str:
    """Return why there is no proof, or the wrong word; if a user's model fails, also how to restrict the lengths."""
    some_lengths_may_do = theorem.lengths.all and theorem.claim.regime is None and theorem.reason.startswith(REFUSED)
    found = theorem.counterexample
    reason = f"false, at n = {len(found.word)}: {describe_counterexample(found)}" if found else theorem.reason
    return reason + ("; --min-n and --max-n restrict the lengths" if some_lengths_may_do else "")


def _summary(theorem: Theorem) -> str:
    if theorem.verdict == "proved":
        return (f"for {theorem.lengths}: the kernel of Coq {theorem.coq.version} accepts the theorem, "
                "with allowed axioms only")
    return reason_in_words(theorem)
