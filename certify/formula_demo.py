"""`certify formula` with several formulas, a row each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from certify.demo import Column, Shown, overall_status, print_table, show_each, to_json
from certify.examples import Example
from certify.outcomes import Certified, Outcome, Refuted, Unknown, UnsupportedClaim
from certify.pipeline import certify_request
from certify.progress import ProgressLine
from certify.request import request_about
from certify.showing.counterexamples import describe_counterexample
from certify.showing.numbers import bounded
from certify.showing.outcomes_in_json import outcome_to_json
from certify.showing.terminal_tables import NARROW, console, plain
from certify.showing.words import show_alphabet
from certify.terminal import print_json
from constructions.network.lengths import up_to
from constructions.regimes import Regime
from proofs.discharge import Memory

COLUMNS = (Column("example"), Column("alphabet", needs=NARROW), Column("layers", "right"), Column("heads", "right"),
           Column("obligations", "right", NARROW), Column("worst error"), Column("verdict"), Column("seconds", "right"),
           Column("about", needs=NARROW))
OUTSIDE = "unsupported"
"""A formula outside the fragment of the regime is no failure."""


def certify_rows(examples: Sequence[Example], regime: Regime, gamma: Fraction, max_n: int, folder: str | None,
                 as_json: bool) -> int:
    """Certify every example and print a row for each; return 0 if each is certified or does not fit the regime."""
    memory = Memory()

    def show(example: Example, progress: ProgressLine) -> Shown:
        request = request_about(example.formula, example.alphabet, (), regime, False, lengths=up_to(max_n), gamma=gamma)
        return _shown(example, certify_request(request, memory, progress))

    found = show_each(examples, show, folder)
    status = overall_status(found, harmless=(OUTSIDE,))
    if as_json:
        print_json(to_json(found, status, max_n=max_n, regime=regime.sharpening.value, causal=regime.causal))
    else:
        _print(found, regime, max_n, folder)
    return status


def _shown(example: Example, outcome: Outcome) -> Shown:
    network, extreme, remark = outcome.transformer, outcome.worst_error, _remark(outcome)
    cells = {
        "example": example.name,
        "alphabet": show_alphabet(example.alphabet),
        "layers": str(len(network.layers)) if network else "-",
        "heads": str(sum(1 for _ in network.heads())) if network else "-",
        "obligations": str(len(outcome.lines)) if network else "-",
        "worst error": bounded(extreme.lower, extreme.upper) if extreme else "0" if network else "-",
        "verdict": outcome.verdict,
        "seconds": f"{outcome.seconds:.2f}",
        "about": remark or example.about,
    }
    certificate = outcome.certificate if isinstance(outcome, Certified) else None
    return Shown(example.name, example.about, outcome.verdict, outcome.seconds, certificate, cells,
                 outcome_to_json(outcome), remark)


def _remark(outcome: Outcome) -> str:
    """Why it is not certified; empty if it is."""
    match outcome:
        case Refuted(counterexample=found):
            return describe_counterexample(found)
        case Unknown(reason=reason) | UnsupportedClaim(reason=reason):
            return reason
    return ""


def _print(found: Sequence[Shown], regime: Regime, max_n: int, folder: str | None) -> None:
    out = console()
    out.print(plain(f"claim     for every n <= {max_n}, every word of length n and every position: the output is "
                    "exactly 1 if the formula holds there, else 0"))
    out.print(plain(f"regime    {regime}"))
    out.print()
    print_table(out, found, COLUMNS)
    out.print()
    out.print(plain(_summary(found, folder)))


def _summary(found: Sequence[Shown], folder: str | None) -> str:
    counts = Counter(shown.verdict for shown in found)
    parts = [f"{counts['certified']} of {len(found)} certified"]
    parts += [f"{counts[verdict]} {verdict}" for verdict in ("refuted", "unknown") if counts[verdict]]
    parts += [f"{counts[OUTSIDE]} outside the regime's fragment"] if counts[OUTSIDE] else []
    text = ", ".join(parts) + f", in {sum(shown.seconds for shown in found):.1f} s"
    if counts["certified"]:
        text += "; each certificate was accepted by the independent checker"
        text += f" and is in {folder}" if folder else ""
    return text
