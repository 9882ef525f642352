"""The JSON object of an outcome."""

from typing import Any

from certify.formula.counterexamples import counterexample_to_json
from certify.formula.outcomes import Outcome, Refuted, WithoutProof
from certify.frame.numbers import decimal_lower, decimal_upper
from constructions.language.printer import format_formula
from proofs.formula.common.extremes import Extreme
from proofs.formula.common.kinds import APPROXIMATING
from proofs.formula.discharge import Line
from proofs.formula.on_words import GreatestError


def outcome_to_json(outcome: Outcome) -> dict[str, Any]:
    """The JSON object of an outcome: the keys of every outcome, and what the verdict adds."""
    worst = outcome.worst
    extreme, greatest = outcome.worst_error, outcome.greatest_error
    result: dict[str, Any] = {
        "verdict": outcome.verdict,
        "formula": format_formula(outcome.formula) if outcome.formula else None,
        **({"given": format_formula(outcome.given)} if outcome.given else {}),
        "alphabet": list(outcome.alphabet),
        "min_n": outcome.lengths.first,
        "max_n": outcome.max_n,
        "regime": outcome.regime.sharpening.value if outcome.regime else None,
        "causal": outcome.regime.causal if outcome.regime else None,
        "weightings": list(outcome.transformer.weightings()) if outcome.transformer else None,
        "obligations": len(outcome.lines),
        "proved": sum(line.proved for line in outcome.lines),
        "worst_error": _extreme_to_json(worst, extreme) if worst and extreme else None,
        "greatest_error": _greatest_to_json(greatest) if greatest else None,
        "heads": [_line_to_json(line) for line in outcome.lines if line.kind in APPROXIMATING],
        "seconds": round(outcome.seconds, 3),
        "stages": {name: round(seconds, 3) for name, seconds in outcome.stages.items()},
    }
    if outcome.vacuous_lengths:
        result["vacuous"] = outcome.vacuous_lengths
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
    """The bound of a head over all inputs, whether or not words have them."""
    return {
        "upper": decimal_upper(extreme.upper),
        "head": f"{line.layer}.{line.place}",
        "direction": line.direction,
        "n": extreme.n,
        "i": extreme.i,
    }


def _greatest_to_json(found: GreatestError) -> dict[str, Any]:
    """The greatest error on a word: ``lower`` is attained on ``word``, and no word has more than ``upper``."""
    line, word = found.line, found.word
    return {
        "lower": decimal_lower(found.lower),
        "upper": decimal_upper(found.upper),
        "head": f"{line.layer}.{line.place}" if line else None,
        "direction": line.direction if line else None,
        "word": list(word) if word else None,
        "position": found.position if word else None,
        **({"reason": found.reason} if found.reason else {}),
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
