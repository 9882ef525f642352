"""`certify prove`: the theorem for every n, decided by Coq; the verdicts proved, unproved and unsupported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from rich.console import Console

from certify.exports.subject import Subject
from certify.pipeline import Clock
from certify.report import COLOURS, plain, print_shape, show_alphabet
from constructions.errors import Unsupported
from constructions.language.printer import Style, format_formula
from constructions.regimes import Regime
from proofs.by_coq import Coq, ask, compiled_library, find_coq

EXIT_CODES = {"proved": 0, "unproved": 3, "unsupported": 3}
"""What Coq does not accept is not refuted: the checker of the library accepts less than what is true."""


@dataclass(frozen=True)
class Theorem:
    """What came of a claim about every n."""

    verdict: str
    subject: Subject
    regime: Regime | None
    coq: Coq
    axioms: tuple[str, ...] = ()
    reason: str = ""
    seconds: float = 0.0
    library_seconds: float = 0.0

    @property
    def exit_code(self) -> int:
        """The exit status of the command."""
        return EXIT_CODES[self.verdict]


def prove(subject: Subject, regime: Regime | None = None, progress: Callable[[str], None] = lambda _: None) -> Theorem:
    """Let Coq decide whether the network computes its formula on all words of every length.

    Raises:
        CoqMissing: if there is no ``coqc``.
        InputError: if the cache of the compiled library cannot be written.
    """
    clock, coq = Clock(), find_coq()
    unsettled = Theorem("unsupported", subject, regime, coq)
    library = compiled_library(coq, progress)
    clock.stamp("library")
    progress("Coq checks the theorem")
    try:
        answer = ask(coq, library, subject.network, subject.formula)
    except Unsupported as construct:
        return replace(unsettled, reason=str(construct), seconds=clock.total)
    return replace(unsettled, verdict="proved" if answer.proved else "unproved", axioms=tuple(sorted(answer.axioms)),
                   reason=answer.reason, seconds=clock.total, library_seconds=clock.stages["library"])


# -- what is shown -----------------------------------------------------------------------------------------------------


def theorem_to_json(theorem: Theorem) -> dict[str, Any]:
    """The same as ``print_theorem``, as one JSON object."""
    subject, regime = theorem.subject, theorem.regime
    return {
        "verdict": theorem.verdict,
        "formula": format_formula(subject.formula),
        "predicates": [definition.description for definition in subject.network.predicates()],
        "alphabet": list(subject.network.alphabet),
        "lengths": "every n",
        "regime": regime.sharpening.value if regime else None,
        "causal": regime.causal if regime else None,
        "axioms": list(theorem.axioms),
        "coq": theorem.coq.version,
        "reason": theorem.reason or None,
        "seconds": round(theorem.seconds, 3),
        "library_seconds": round(theorem.library_seconds, 3),
    }


def print_theorem(out: Console, theorem: Theorem, style: Style = "ascii") -> None:
    """What the theorem is about, the axioms that it rests on, and the verdict."""
    subject = theorem.subject
    out.print(plain(f"formula   {format_formula(subject.formula, style=style)}"))
    out.print(plain(f"alphabet  {show_alphabet(subject.network.alphabet)}"))
    out.print(plain(f"regime    {theorem.regime or 'none claimed'}"))
    out.print(plain("claim     for every n, every word of length n and every position: "
                    "the output is exactly 1 if the formula holds there, else 0"))
    print_shape(out, subject.network)
    if theorem.axioms:
        out.print(plain(f"axioms    {', '.join(theorem.axioms)}"))
    out.print()
    out.print(plain(f"{theorem.verdict.upper()}  {_summary(theorem)}; {theorem.seconds:.2f} s",
                    style=COLOURS[theorem.verdict]))


def _summary(theorem: Theorem) -> str:
    if theorem.verdict == "proved":
        return f"for every n: the kernel of Coq {theorem.coq.version} accepts the theorem, with allowed axioms only"
    return theorem.reason
