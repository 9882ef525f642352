"""The display of `certify model`, as text and as JSON: the verdict with a row per length."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from rich.console import Console

from certify.claims.critical.threshold import NoChange
from certify.claims.formula.show import print_shape
from certify.claims.softened.results import CriticalTemperature, Moved, SoftenedLength, Softening, Tie
from certify.common.numbers import decimal, decimal_lower, decimal_upper, enclosed, ends_to_json
from certify.common.terminal_tables import NARROW, Cell, TableColumn, numbers, plain, print_table, print_verdict
from certify.common.words import counted, show_alphabet, show_word
from constructions.language.expressions import at_place
from constructions.network.weightings import Weighting
from constructions.statements.sparse_attention import SLOPES
from proofs.softened.findings import ObservedGap, Survey

LONG = 12
"""Exact numbers with at most this many characters are shown exactly."""
COLUMNS = (TableColumn("n", "right"), TableColumn("words", "right", NARROW), TableColumn("gap", "right"),
           TableColumn("attained on", folds=True), TableColumn("x_max", "right", NARROW),
           *numbers("theorem", "with ties", "claimed", "bound", "critical", "ratio"))
_NOTES = {NoChange.ALL_PASS: "no critical temperature: none that was tried moves anything by more than 1/4",
          NoChange.NONE_PASSES: "no temperature that was tried is certified: the bounds exceed 1/4 at all of them"}


def print_softening(out: Console, found: Softening) -> None:
    """Print the claim, a row per length, and the verdict."""
    out.print(plain(f"alphabet  {show_alphabet(found.transformer.alphabet)}"))
    effect = "moves nothing" if found.is_sparse else "moves the result by at most 1/4"
    out.print(plain(f"claim     for every n <= {found.max_n}, every word of length n and every position: "
                    f"{found.weighting} at this temperature {effect}"))
    print_shape(out, found.transformer)
    for name, text in _facts(found):
        out.print(plain(f"{name:<10}{text}"))
    if found.surveys:
        rows = {row.n: row for row in found.lengths}
        out.print()
        print_table(out, COLUMNS, [_cells(survey, rows.get(survey.n), found) for survey in found.surveys],
                    without_empty=True)
    remarks = list(_remarks(found))
    out.print(*(["\n"] if remarks else []), end="")
    for name, text in remarks:
        out.print(plain(f"{name:<10}{text}"))
    print_verdict(out, found.verdict, f"{describe_outcome(found)}; {found.seconds:.2f} s")


def _facts(found: Softening) -> Iterator[tuple[str, str]]:
    if k := found.constants:
        yield "constants", f"d = {k.d}, p_max = {k.p_max}, L = {k.layers}, K1 = {_short(k.k1)}, K2 = {_short(k.k2)}"
    if found.gap_law:
        gap = f"gap at least {found.gap_law}" if any(survey.gap for survey in found.surveys) else "no gap"
        yield "estimates", gap + (f", x_max at most {found.x_law}" if found.x_law else "")
    if found.temperature:
        yield ("weighting", f"{found.weighting} at temperature {found.temperature}, {_origin(found)}") if (
            found.is_sparse) else ("softmax", f"at temperature {found.temperature}, {_origin(found)}")
    if found.broken:
        heads = ", ".join(f"{layer}.{place}" for layer, place in found.broken)
        yield "broken", f"the ties of {heads}, by a term in the position: the same transformer with hard attention"
    if first := next((survey.averaged for survey in found.surveys if survey.averaged), None):
        yield "ties", (f"head {first.layer}.{first.head} ties, first on the word {show_word(first.word)} at {first.i}: "
                       "tied positions are averaged")


def _origin(found: Softening) -> str:
    """Return the origin of the temperature."""
    if found.stated:
        return "as given"
    if found.is_sparse:
        return f"{SLOPES[found.weighting]} times the gap: exactly hard"
    return "by the theorem with ties" if found.has_ties else "by Theorem 26"


def _cells(survey: Survey, row: SoftenedLength | None, found: Softening) -> dict[str, Cell]:
    gap = survey.gap
    cells: dict[str, Cell] = {
        "n": str(survey.n),
        "words": str(survey.words),
        "gap": "tie" if survey.tie else _short(gap.value) if gap else "none",
        "attained on": f"{show_word(gap.word)} at {gap.i}, head {gap.layer}.{gap.head}" if gap else "-",
        "x_max": _short(survey.x_max.value) if survey.x_max else "0",
    }
    if row:
        cells |= {"with ties": decimal_lower(row.with_ties, 6)} if row.with_ties else {}
        cells |= {} if found.has_ties and row.with_ties else {"theorem": decimal_lower(row.theorem, 6)}
        cells |= {} if found.is_sparse else {"bound": decimal_upper(row.error, 6)}
        cells |= {"claimed": decimal(row.temperature)} if found.stated else {}
    if row and row.critical:
        cells |= {"critical": show_bracket(row.critical), "ratio": show_ratio(row)}
    return cells


def show_bracket(critical: CriticalTemperature) -> str:
    """Return the critical temperature, between a certified and a refuted one."""
    if critical.passes is None:
        return "-"
    if critical.refuted is None:
        return f"at least {decimal_lower(critical.passes, 6)}"
    return enclosed(critical.passes, critical.refuted.temperature)


def show_ratio(row: SoftenedLength) -> str:
    """Return the critical temperature divided by the theorem's, rounded down."""
    assert row.critical
    return decimal_lower(row.critical.passes / row.theorem, 4) if row.critical.passes else "-"


def _remarks(found: Softening) -> Iterator[tuple[str, str]]:
    criticals = [row.critical for row in found.lengths if row.critical]
    if any(critical.passes for critical in criticals):
        yield "critical", ("temperatures: accepted by the checker at the lower end, refuted by a replayed word at the "
                           "upper end; ratio: to the theorem's")
    for critical in criticals:
        if critical.refuted:
            yield "witness", _describe_moved(critical.refuted)
        elif critical.passes:
            yield "note", f"n = {critical.n}: no word was found that moves farther at a higher temperature"
        if critical.passes and not critical.checked:
            yield "note", f"n = {critical.n}: the checker does not accept the lower end"
    for note, text in _NOTES.items():
        if lengths := [str(critical.n) for critical in criticals if critical.note == note]:
            yield "note", f"n = {', '.join(lengths)}: {text}"


NOTHING_HARD = "no head of the network is hard, so there is nothing to replace by softmax"


def describe_outcome(found: Softening) -> str:
    """Return the reason for the verdict."""
    if found.tie:
        return _describe_tie(found.tie, found.weighting)
    if found.moved:
        return _describe_moved(found.moved)
    if found.certificate:
        words = sum(survey.words for survey in found.surveys)
        worst = max(row.error for row in found.lengths)
        if found.verdict == "vacuous":
            return f"{NOTHING_HARD}; {counted(words, 'word')}; accepted by the independent checker"
        moved = "exactly the same" if found.is_sparse else f"moved by at most {decimal_upper(worst, 6)}"
        return f"{counted(words, 'word')}, {moved}; accepted by the independent checker"
    return found.reason


def _describe_tie(tie: Tie, weighting: Weighting) -> str:
    averaging = "softmax tends to" if weighting.is_softmax else f"{weighting} takes"
    return (f"on the word {show_word(tie.word)} (n = {len(tie.word)}) at position {tie.position}, layer {tie.layer}, "
            f"head {tie.head} ({tie.name}) scores positions {', '.join(map(str, tie.winners))} equally, and highest: "
            f"{_short(tie.score)}; {averaging} their average, the head takes one side (--break-ties adds a term)")


def _describe_moved(moved: Moved) -> str:
    return (f"on the word {show_word(moved.word)} (n = {len(moved.word)}) at position {moved.position}, temperature "
            f"{decimal(moved.temperature)} moves the result by at least {decimal_lower(moved.distance.lower)}")


def _short(x: Fraction) -> str:
    return str(x) if len(str(x)) <= LONG else decimal(x)


# -- JSON --------------------------------------------------------------------------------------------------------------


def softening_to_json(found: Softening) -> dict[str, Any]:
    """Return the result as a JSON object, with exact numbers as texts."""
    result: dict[str, Any] = {
        "verdict": found.verdict,
        "formula": None,
        "alphabet": list(found.transformer.alphabet),
        "max_n": found.max_n,
        "weighting": str(found.weighting),
        "temperature": str(found.temperature) if found.temperature else None,
        "temperature_given": found.stated,
        "words": [survey.words for survey in found.surveys],
        "gaps": [{"value": str(survey.gap.value), **_lead_to_json(survey.gap)} if survey.gap else None
                 for survey in found.surveys],
        "ties_broken": [{"layer": layer, "head": place} for layer, place in found.broken],
        "ties": [survey.averaged and _lead_to_json(survey.averaged) for survey in found.surveys],
        "x_max": [{"value": str(most.value), "word": list(most.word), "position": most.i, "direction": most.direction}
                  if (most := survey.x_max) else None for survey in found.surveys],
        "constants": {"d": k.d, "p_max": str(k.p_max), "layers": k.layers, "k1": str(k.k1), "k2": str(k.k2)}
        if (k := found.constants) else None,
        "estimates": {"gap": str(found.gap_law), "x_max": str(found.x_law) if found.x_law else None}
        if found.gap_law else None,
        "temperatures": [_temperature_to_json(found, row.n, row.temperature) for row in found.lengths],
        "errors": [decimal_upper(row.error) for row in found.lengths],
        "critical": [_critical_to_json(row, row.critical) for row in found.lengths if row.critical],
        "counterexample": _counterexample_to_json(found),
        "seconds": round(found.seconds, 3),
        "stages": {name: round(seconds, 3) for name, seconds in found.stages.items()},
    }
    return result | ({"reason": found.reason} if found.reason else {})


def _temperature_to_json(found: Softening, n: int, rounded: Fraction) -> str:
    """Return the exact number; an irrational one as an expression, not as the rounded one."""
    if found.temperature is None or not found.temperature.may_be_irrational:
        return str(rounded)
    return str(at_place(found.temperature, n, n))


def _lead_to_json(lead: ObservedGap) -> dict[str, Any]:
    return {"word": list(lead.word), "position": lead.i, "layer": lead.layer, "head": lead.head}


def _critical_to_json(row: SoftenedLength, critical: CriticalTemperature) -> dict[str, Any]:
    return {
        "n": critical.n,
        "certified": str(critical.passes) if critical.passes else None,
        "checked": critical.checked,
        "refuted": str(critical.refuted.temperature) if critical.refuted else None,
        "counterexample": _moved_to_json(critical.refuted) if critical.refuted else None,
        "theorem": str(row.theorem),
        "ratio_lower": decimal_lower(critical.passes / row.theorem) if critical.passes else None,
        "note": critical.note or None,
    }


def _counterexample_to_json(found: Softening) -> dict[str, Any] | None:
    if found.moved:
        n = len(found.moved.word)
        return _moved_to_json(found.moved) | {"temperature": _temperature_to_json(found, n, found.moved.temperature)}
    tie = found.tie
    return {"word": list(tie.word), "position": tie.position, "layer": tie.layer, "head": tie.head,
            "score": str(tie.score), "tied": list(tie.winners)} if tie else None


def _moved_to_json(moved: Moved) -> dict[str, Any]:
    return {"word": list(moved.word), "position": moved.position, "temperature": str(moved.temperature),
            **ends_to_json(moved.distance, "value_")}
