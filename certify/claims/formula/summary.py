"""An outcome in words: a row for each head, and the sentence beside the verdict."""

from fractions import Fraction

from certify.claims.formula.counterexamples import describe_counterexample
from certify.claims.formula.outcomes import Certified, Outcome, Refuted, WithoutProof
from certify.common.numbers import decimal, decimal_lower, decimal_upper
from certify.common.words import counted, show_lengths, show_powers
from certify.requests.vacuity import HOLDS_NOWHERE
from constructions.language.printer import format_briefly
from constructions.language.syntax import TRUE
from constructions.network.meanings import Near, Others
from proofs.formula.discharge import Line
from proofs.formula.lookup.obligation import LookupObligation
from proofs.formula.lookup_of_sums.obligation import LookupOfSumObligation
from proofs.formula.on_words import GreatestError

QUARTER = Fraction(1, 4)


def attention_cells(line: Line) -> dict[str, str]:
    """Return the row of an obligation of a head, by the names of the columns."""
    worst = line.worst.worst if line.worst else None
    mark = (" =" if line.repeated else "") + ("" if line.proved else " !")
    error, slack = (decimal_upper(worst.upper, 6), decimal_lower(QUARTER - worst.upper, 6)) if worst else (
        ("0", "0.25") if line.proved else ("-", "-"))
    if isinstance(line.obligation, LookupObligation) and isinstance(line.obligation.meaning, Others):
        # it approximates a number; a comparison then bounds the weighted error
        slack = "-"
    return {
        "statement": line.source,
        "head": f"{line.layer}.{line.place}",
        "attends to": line.obligation.head.name if line.obligation else "-",
        "approximates": _shortened(line.obligation.aim if line.obligation else line.direction) + _guard(line),
        "rows": str(line.rows),
        "worst at n, i": f"{worst.n}, {worst.i}" if worst else "-",
        "error bound": error,
        "below 1/4 by": slack + mark,
    }


def describe_greatest(outcome: Outcome) -> str:
    """Describe the greatest error of a head on a word, as far as it is found; empty if no head errs on any input."""
    found, bound = outcome.greatest_error, outcome.worst_error
    if found is None or bound is None:
        return ""
    if not found.upper:
        return "no head errs on any word"
    why = f" ({found.reason})" if found.reason else ""
    if found.line is None or found.word is None:
        return f"the errors of heads are at most {decimal_upper(found.upper, 6)}, a bound{why}"
    where = (f"head {found.line.layer}.{found.line.place} at position {found.position} of {show_powers(found.word)} "
             f"(n = {len(found.word)})")
    if is_attained(found):
        greatest, most = decimal_upper(found.upper, 6), decimal_upper(bound.upper, 6)
        beyond = "" if found.reason or greatest == most else f"; no word attains {most}"
        return f"the greatest error of a head is {greatest}: {where}{why}{beyond}"
    return (f"the greatest error of a head is at least {decimal_lower(found.lower, 6)}: {where}; it is at most "
            f"{decimal_upper(found.upper, 6)}, a bound{why}")


def describe_vacuous(outcome: Outcome) -> str:
    """Return the vacuous lengths, and why; empty if there are none."""
    vacuous = outcome.vacuous_lengths
    return f"nothing is judged at n = {show_lengths(vacuous)}: {HOLDS_NOWHERE}" if vacuous else ""


def is_attained(found: GreatestError) -> bool:
    """Return whether the error on the word equals the bound over all words, to six digits."""
    return decimal(found.lower) == decimal(found.upper)


def _guard(line: Line) -> str:
    """Return the condition on the word under which a lookup is claimed, if there is one."""
    of_counts = isinstance(line.obligation, LookupObligation | LookupOfSumObligation)
    meaning = line.obligation.meaning if line.obligation and of_counts else None
    if not isinstance(meaning, Near) or meaning.when is TRUE:
        return ""
    return f" if {_shortened(format_briefly(meaning.when), 20)}"


def _shortened(text: str, length: int = 40) -> str:
    return text if len(text) <= length else text[: length - 3] + "..."


def describe_verdict(outcome: Outcome) -> str:
    """Return the text beside the verdict: what it rests on, or why it is not certified."""
    seconds = f"; {outcome.seconds:.2f} s"
    match outcome:
        case Certified():
            return (f"{counted(len(outcome.lines), 'obligation')}, each proved by two methods or evaluated "
                    f"exactly; accepted by the independent checker{seconds}")
        case Refuted():
            return why_not_certified(outcome) + seconds
    return why_not_certified(outcome)


def why_not_certified(outcome: Outcome) -> str:
    """Return the counterexample or the reason; empty if it is certified."""
    match outcome:
        case Refuted(counterexample=found):
            return describe_counterexample(found)
        case WithoutProof(reason=reason):
            return reason
    return ""
