"""Formulas as tasks for other processes: what comes of each, as canonical JSON there and back."""

from __future__ import annotations

import functools
import json
from dataclasses import asdict, dataclass
from fractions import Fraction

from certify.demo import Shown
from certify.examples import Example
from certify.outcomes import Certified, Outcome, Refuted, RefutedRun, Unknown, UnsupportedClaim
from certify.pipeline import certify_request
from certify.request import request_about
from certify.showing.counterexamples import describe_counterexample
from certify.showing.numbers import bounded
from certify.showing.outcomes_in_json import outcome_to_json
from certify.showing.words import show_alphabet
from constructions.language.syntax import Formula, Next, Previous, Since, Until, counts_of, subformulas
from constructions.network.lengths import up_to
from constructions.regimes import Regime, Sharpening
from proofs.discharge import Memory
from proofs.floats.run_class import RunClass, read_run_class


@dataclass(frozen=True)
class Built:
    """How the networks of all formulas are built, and of which float ``runs`` they are claimed to be right.

    A ``precision`` is the name of a format.
    """

    regime: Regime
    gamma: Fraction
    precision: str | None = None
    runs: RunClass | None = None


def formula_task(example: Example, built: Built, max_n: int) -> str:
    """The task to certify one formula for all words up to a length."""
    return json.dumps({"name": example.name, "text": example.text, "alphabet": list(example.alphabet),
                       "about": example.about, "regime": built.regime.sharpening.value, "causal": built.regime.causal,
                       "gamma": str(built.gamma), "precision": built.precision, "max_n": max_n,
                       "runs": built.runs.to_json() if built.runs else None})


def size_of_task(formula: Formula) -> int:
    """About how much work a formula is: 1 for each temporal operator, 2 for each count.

    It says which formula is begun first and how long the rest may take, and is no part of a result.
    """
    parts = subformulas(formula)
    return 1 + sum(isinstance(part, Previous | Next | Since | Until) + 2 * len(counts_of(part)) for part in parts)


def do_formula(task: str) -> str:
    """What came of it, as a row of the table and its certificate."""
    keys = json.loads(task)
    example = Example(keys["name"], keys["text"], tuple(keys["alphabet"]), keys["about"])
    regime = Regime(Sharpening(keys["regime"]), keys["causal"])
    request = request_about(example.formula, example.alphabet, (), regime, False, keys["precision"],
                            Fraction(keys["gamma"]), lengths=up_to(keys["max_n"]))
    outcome = certify_request(request, _memory())
    if runs := keys["runs"]:
        from certify.floats.claim import claim_runs

        outcome = claim_runs(outcome, read_run_class(runs.pop("name"), runs))
    return json.dumps(asdict(_shown(example, outcome)))


def read_shown(text: str) -> Shown:
    """What ``do_formula`` returned."""
    return Shown(**json.loads(text))


@functools.cache
def _memory() -> Memory:
    """What this process proved before, so that equal obligations are discharged once."""
    return Memory()


def forget() -> None:
    """Begin again with an empty memory."""
    _memory.cache_clear()


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
        case Unknown(reason=reason) | UnsupportedClaim(reason=reason) | RefutedRun(reason=reason):
            return reason
    return ""
