"""The JSON object of an outcome."""

from __future__ import annotations

from typing import Any

from certify.formula.counterexamples import counterexample_to_json
from certify.formula.outcomes import Outcome, Refuted, WithoutProof
from certify.frame.numbers import decimal_lower, decimal_upper
from constructions.language.printer import format_formula
from proofs.formula.common.extremes import Extreme
from proofs.formula.common.kinds import APPROXIMATING
from proofs.formula.discharge import Line


def outcome_to_json(outcome: Outcome) -> dict[str, Any]:
    """The JSON object of an outcome: the keys of every outcome, and what the verdict adds."""
    worst = outcome.worst
    extreme = worst.worst.worst if worst and worst.worst else None
    result: dict[str, Any] = {
        "verdict": outcome.verdict,
        "formula": format_formula(outcome.formula) if outcome.formula else None,
        "alphabet": list(outcome.alphabet),
        "min_n": outcome.lengths.first,
        "max_n": outcome.max_n,
        "regime": outcome.regime.sharpening.value if outcome.regime else None,
        "causal": outcome.regime.causal if outcome.regime else None,
        "weightings": list(outcome.transformer.weightings()) if outcome.transformer else None,
        "obligations": len(outcome.lines),
        "proved": sum(line.proved for line in outcome.lines),
        "worst_error": _extreme_to_json(worst, extreme) if worst and extreme else None,
        "heads": [_line_to_json(line) for line in outcome.lines if line.kind in APPROXIMATING],
        "seconds": round(outcome.seconds, 3),
        "stages": {name: round(seconds, 3) for name, seconds in outcome.stages.items()},
    }
    if outcome.vacuity:
        result["note"] = str(outcome.vacuity)
    match outcome:
        case Refuted(counterexample=found):
            result["counterexample"] = counterexample_to_json(found)
        case WithoutProof(reason=reason):
            result["reason"] = reason
    if outcome.runs:
        from certify.floats.show import row_to_json

        result["float"] = row_to_json(outcome.runs)
    return result


def _extreme_to_json(line: Line, extreme: Extreme) -> dict[str, Any]:
    return {
        "upper": decimal_upper(extreme.upper),
        "lower": decimal_lower(extreme.lower),
        "head": f"{line.layer}.{line.place}",
        "direction": line.direction,
        "n": extreme.n,
        "i": extreme.i,
    }


def _line_to_json(line: Line) -> dict[str, Any]:
    extreme = line.worst.worst if line.worst else None
    return {
        "statement": line.source,
        "layer": line.layer,
        "head": line.place,
        "direction": line.direction,
        "rows": line.rows,
        "proved": line.proved,
        "worst_error": _extreme_to_json(line, extreme) if extreme else None,
    }
