"""Formulas as tasks for other processes: what comes of each, as canonical JSON there and back.

A task may bring what an earlier run kept of it. A kept certificate counts if the independent checker accepts it, now,
for this very question; a kept refutation is decided again. So nothing that says yes or no rests on a file in a store.
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
    """One formula of several: its text, and its alphabet if the options do not say it."""

    name: str
    text: str
    about: str = ""
    alphabet: tuple[str, ...] | None = None


@dataclass(frozen=True)
class FormulaRequests:
    """What is asked of every formula; of which float ``runs``, if of any; how long to look for counterexamples."""

    options: Options
    lengths: Lengths
    runs: FloatModel | None = None
    effort: int = 1


def formula_task(row: FormulaRow, asking: FormulaRequests, with_certificate: bool = True) -> str:
    """Return the task to decide one formula for all words of these lengths."""
    return json.dumps({"row": asdict(row), "options": asdict(asking.options), "min_n": asking.lengths.first,
                       "max_n": asking.lengths.last, "runs": asking.runs.to_json() if asking.runs else None,
                       "effort": asking.effort, "with_certificate": with_certificate})


def size_of_task(formula: Formula) -> int:
    """About how much work a formula is: 1 for each temporal operator, 2 for each count.

    It says which formula is begun first and how long the rest may take, and is no part of a result.
    """
    parts = subformulas(formula)
    return 1 + sum(isinstance(part, Previous | Next | Since | Until) + 2 * len(counts_of(part)) for part in parts)


def request_of(row: FormulaRow, options: Options, lengths: Lengths) -> Request:
    """Return the question about one formula.

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
    """What came of it, as a row of the table and its certificate."""
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
    """What ``do_formula`` returned."""
    return Shown(**json.loads(text))


@functools.cache
def _memory() -> DischargedObligations:
    """What this process proved before, so that equal obligations are discharged once."""
    return DischargedObligations()


def forget() -> None:
    """Begin again with an empty memory."""
    _memory.cache_clear()


# -- what an earlier run kept ------------------------------------------------------------------------------------------


class KeptFormulas:
    """The results in a folder, for going on with work that was interrupted; without a folder there are none."""

    def __init__(self, folder: str | None) -> None:
        """Make the folder if there is none.

        Raises:
            InputError: if it cannot be made or written to.
        """
        self._store = Store(Path(folder), do_formula) if folder is not None else None
        self._bare: dict[str, str] = {}
        self.found = 0

    def with_kept(self, task: str) -> str:
        """Return the task, and what is kept of it, if that is of use."""
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
    """What was kept, unless it claims something that does not hold now."""
    if text is None:
        return None
    shown = read_shown(text)
    if shown.verdict != "certified":
        return shown  # it says nothing of the formula
    return shown if shown.certificate and _is_accepted(shown.certificate, request) else None


def _is_accepted(certificate: str, request: Request) -> bool:
    """Whether the independent checker accepts it as the answer to this question, about this very network."""
    assert request.formula is not None and isinstance(request.subject, FormulaSubject)
    if request.allowed_error is not None:
        return False  # which bounds were asked for is no part of what the checker can be asked
    regime = request.stated_regime
    asked = RequiredClaim(format_formula(request.formula), request.subject.predicates, request.alphabet,
                          request.claimed_lengths.first, request.claimed_lengths.last,
                          regime.sharpening.value if regime else None, regime.causal if regime else None,
                          format_formula(request.given) if request.given else None)
    try:
        claim = check_text(certificate.encode(), asked, OWN_WORK).given.claim
        if claim.max_n != asked.max_n:
            return False  # what was kept says more of longer words
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
    """Return a text that is no formula, or one that an option does not go with."""
    cells = {"example": row.name, "verdict": "malformed", "about": reason}
    return Shown(row.name, row.about, "malformed", 0.0, None, cells,
                 {"verdict": "malformed", "formula": row.text, "reason": reason}, reason)


def _reason(error: InputError) -> str:
    """What is wrong; a formula of several stands on one line, so only the column says where."""
    return f"column {error.column}: {error.message}" if isinstance(error, FormulaError) else str(error)
