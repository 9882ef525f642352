"""What is said of an outcome in texts alone: a row for each head, and the sentence beside the verdict."""

from __future__ import annotations

from fractions import Fraction

from certify.formula.counterexamples import describe_counterexample
from certify.formula.outcomes import Certified, Outcome, Refuted, WithoutProof
from certify.frame.numbers import decimal_lower, decimal_upper
from certify.frame.words import counted
from constructions.language.printer import format_briefly
from constructions.language.syntax import TRUE
from constructions.network.meanings import Near, Others
from proofs.formula.discharge import Line
from proofs.formula.lookup.obligation import LookupObligation
from proofs.formula.lookup_of_sums.obligation import LookupOfSumObligation

QUARTER = Fraction(1, 4)


def attention_cells(line: Line) -> dict[str, str]:
    """What a row says of an obligation of a head, by the names of the columns."""
    worst = line.worst.worst if line.worst else None
    mark = (" =" if line.repeated else "") + ("" if line.proved else " !")
    error, slack = (decimal_upper(worst.upper, 6), decimal_lower(QUARTER - worst.upper, 6)) if worst else (
        ("0", "0.25") if line.proved else ("-", "-"))
    if _is_about_a_number(line):
        slack = "-"
    return {
        "statement": line.source,
        "head": f"{line.layer}.{line.place}",
        "attends to": line.obligation.head.name if line.obligation else "-",
        "approximates": _shortened(line.obligation.aim if line.obligation else line.direction) + _guard(line),
        "rows": str(line.rows),
        "worst at n, i": f"{worst.n}, {worst.i}" if worst else "-",
        "worst error": error,
        "below 1/4 by": slack + mark,
    }


def _guard(line: Line) -> str:
    """Under which condition on the word a lookup is claimed, if under one."""
    of_counts = isinstance(line.obligation, LookupObligation | LookupOfSumObligation)
    meaning = line.obligation.meaning if line.obligation and of_counts else None
    if not isinstance(meaning, Near) or meaning.when is TRUE:
        return ""
    return f" if {_shortened(format_briefly(meaning.when), 20)}"


def _is_about_a_number(line: Line) -> bool:
    """Whether the head approximates a number: then a comparison bounds the error, after weighting it."""
    return isinstance(line.obligation, LookupObligation) and isinstance(line.obligation.meaning, Others)


def _shortened(text: str, length: int = 40) -> str:
    return text if len(text) <= length else text[: length - 3] + "..."


def describe_verdict(outcome: Outcome) -> str:
    """What stands beside the verdict: what it rests on, or why it is not certified."""
    seconds = f"; {outcome.seconds:.2f} s"
    match outcome:
        case Certified():
            return (f"{counted(len(outcome.lines), 'obligation')}, each proved by two methods or evaluated "
                    f"exactly; accepted by the independent checker{seconds}")
        case Refuted():
            return why_not_certified(outcome) + seconds
    return why_not_certified(outcome)


def why_not_certified(outcome: Outcome) -> str:
    """The counterexample or the reason; empty if it is certified."""
    match outcome:
        case Refuted(counterexample=found):
            return describe_counterexample(found)
        case WithoutProof(reason=reason):
            return reason
    return ""
