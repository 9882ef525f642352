"""Formulas as tasks for other processes; tasks and results are canonical JSON.

A task may include the result of an earlier run. A kept certificate counts only if the independent checker accepts it
now, for the same request; a kept refutation is decided again. So no verdict rests on a file in a store.
"""

import functools
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from certify.claims.formula.outcomes import Certified, Outcome
from certify.claims.formula.pipeline import certify_request
from certify.claims.formula.show import outcome_to_json
from certify.claims.formula.summary import describe_vacuous, is_attained, why_not_certified
from certify.common.demo import Shown
from certify.common.json_form import from_json
from certify.common.numbers import decimal_upper
from certify.common.shards.store import Store
from certify.common.verdicts import OWN_WORK, exit_status
from certify.common.words import show_alphabet
from certify.requests.inputs import FormulaSubject, Options
from certify.requests.request import Request, read_request
from certify.requests.subjects import NamedSubject, SubjectKind, read_network
from constructions.errors import FormulaError, InputError
from constructions.language.printer import format_formula
from constructions.language.syntax import Formula, Next, Previous, Since, Until, counts_of, subformulas
from constructions.network.lengths import Lengths
from proofs.check import Refusal, RequiredClaim, check_text
from proofs.enclosures.float_models.model import FloatModel, read_float_model
from proofs.formula.discharge import DischargedObligations
from proofs.formula.on_words import GreatestError


@dataclass(frozen=True)
class FormulaRow:
    """One formula of several: its text, and its alphabet if the options do not give it."""

    name: str
    text: str
    about: str = ""
    alphabet: tuple[str, ...] | None = None


@dataclass(frozen=True)
class FormulaRequests:
    """The request for every formula: options, lengths, the float model if any, the effort for counterexamples."""

    options: Options
    lengths: Lengths
    runs: FloatModel | None = None
    effort: int = 1


def formula_task(row: FormulaRow, requests: FormulaRequests, with_certificate: bool = True) -> str:
    """Return the task to decide one formula for all words of these lengths."""
    return json.dumps({"row": asdict(row), "options": asdict(requests.options), "min_n": requests.lengths.first,
                       "max_n": requests.lengths.last, "runs": requests.runs.to_json() if requests.runs else None,
                       "effort": requests.effort, "with_certificate": with_certificate})


def size_of_task(formula: Formula) -> int:
    """Estimate the work of a formula: 1 for each temporal operator, 2 for each count.

    It decides which formula is begun first and the estimate of the rest, and does not affect results.
    """
    parts = subformulas(formula)
    return 1 + sum(isinstance(part, Previous | Next | Since | Until) + 2 * len(counts_of(part)) for part in parts)


def request_of(row: FormulaRow, options: Options, lengths: Lengths) -> Request:
    """Return the request about one formula.

    Raises:
        InputError: if the formula, or an option, is malformed.
    """
    request = read_request(NamedSubject(row.name, SubjectKind.FORMULA, row.text), options, (SubjectKind.FORMULA,),
                           lengths)
    if row.alphabet is None:
        return request
    assert isinstance(request.subject, FormulaSubject)
    return replace(request, subject=replace(request.subject, alphabet=row.alphabet))


def do_formula(task: str) -> str:
    """Decide the formula of a task; return its row of the table and its certificate."""
    keys = json.loads(task)
    row = from_json(FormulaRow, keys["row"], "row")
    options = Options(**(keys["options"] | {"predicates": tuple(keys["options"]["predicates"])}))
    try:
        request = request_of(row, options, Lengths(keys["min_n"], keys["max_n"]))
        kept = None if keys["runs"] else _kept(keys.get("kept"), request)
        runs = read_float_model(keys["runs"].pop("name"), keys["runs"]) if keys["runs"] else None
        shown = kept or _shown(row, certify_request(request, _memory(), effort=keys["effort"], runs=runs))
    except InputError as error:
        shown = _malformed(row, _reason(error))
    return json.dumps(asdict(shown if keys["with_certificate"] else replace(shown, certificate=None)))


def read_shown(text: str) -> Shown:
    """Parse the result of ``do_formula``."""
    return Shown(**json.loads(text))


@functools.cache
def _memory() -> DischargedObligations:
    """Return the obligations that this process discharged, so that equal ones are proved once."""
    return DischargedObligations()


def forget() -> None:
    """Forget all discharged obligations."""
    _memory.cache_clear()


# -- what an earlier run kept ------------------------------------------------------------------------------------------


class KeptFormulas:
    """The results in a folder, to resume interrupted work; without a folder there are none."""

    def __init__(self, folder: str | None) -> None:
        """Make the folder if it does not exist.

        Raises:
            InputError: if the folder cannot be made or written to.
        """
        self._store = Store(Path(folder), do_formula) if folder is not None else None
        self._bare: dict[str, str] = {}
        self.found = 0

    def with_kept(self, task: str) -> str:
        """Return the task with its kept result, if that can be used."""
        kept = self._store.find(task) if self._store else None
        if kept is None or exit_status(read_shown(kept).verdict) == exit_status("refuted"):
            return task
        self.found += 1
        full = json.dumps(json.loads(task) | {"kept": kept})
        self._bare[full] = task
        return full

    def keep(self, task: str, result: str) -> None:
        """Keep the result of a task that ``with_kept`` returned.

        Raises:
            InputError: if it cannot be written.
        """
        if self._store:
            self._store.keep(self._bare.get(task, task), result)


def _kept(text: str | None, request: Request) -> Shown | None:
    """Return the kept result, unless it makes a claim that does not hold now."""
    if text is None:
        return None
    shown = read_shown(text)
    if shown.verdict != "certified":
        return shown  # it makes no claim about the formula
    return shown if shown.certificate and _is_accepted(shown.certificate, request) else None


def _is_accepted(certificate: str, request: Request) -> bool:
    """Return whether the independent checker accepts it as the answer to this request, about the same network."""
    assert request.formula is not None and isinstance(request.subject, FormulaSubject)
    if request.allowed_error is not None:
        return False  # a required claim cannot state bounds on the errors
    regime = request.stated_regime
    required = RequiredClaim(format_formula(request.formula), request.subject.predicates, request.alphabet,
                             request.claimed_lengths.first, request.claimed_lengths.last,
                             regime.sharpening.value if regime else None, regime.causal if regime else None,
                             format_formula(request.given) if request.given else None)
    try:
        claim = check_text(certificate.encode(), required, OWN_WORK).given.claim
        if claim.max_n != required.max_n:
            return False  # the kept certificate also covers longer words
        return read_network(NamedSubject("certificate", SubjectKind.NETWORK, certificate)) == request.network
    except (Refusal, InputError):
        return False


# -- what is shown -----------------------------------------------------------------------------------------------------


def _shown(row: FormulaRow, outcome: Outcome) -> Shown:
    network, greatest, remark = outcome.transformer, outcome.greatest_error, why_not_certified(outcome)
    facts = outcome_to_json(outcome)
    cells = {
        "example": row.name,
        "alphabet": show_alphabet(outcome.alphabet),
        "layers": str(len(network.layers)) if network else "-",
        "heads": str(sum(1 for _ in network.heads())) if network else "-",
        "obligations": str(len(outcome.lines)) if network else "-",
        "worst error": _error(greatest) if greatest else "0" if network else "-",
        "verdict": outcome.verdict,
        "seconds": f"{outcome.seconds:.2f}",
        "about": "; ".join(filter(None, (remark or row.about, f"note: {facts['note']}" if "note" in facts else "",
                                         describe_vacuous(outcome)))),
    }
    certificate = outcome.certificate if isinstance(outcome, Certified) else None
    return Shown(row.name, row.about, outcome.verdict, outcome.seconds, certificate, cells, facts, remark)


def _error(greatest: GreatestError) -> str:
    return ("" if is_attained(greatest) else "at most ") + decimal_upper(greatest.upper, 6)


def _malformed(row: FormulaRow, reason: str) -> Shown:
    """Return the row of a text that is malformed or does not fit an option."""
    cells = {"example": row.name, "verdict": "malformed", "about": reason}
    return Shown(row.name, row.about, "malformed", 0.0, None, cells,
                 {"verdict": "malformed", "formula": row.text, "reason": reason}, reason)


def _reason(error: InputError) -> str:
    """Return the reason; each formula is on one line, so only the column locates it."""
    return f"column {error.column}: {error.message}" if isinstance(error, FormulaError) else str(error)
