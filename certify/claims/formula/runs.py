"""`certify run`: truth, soft and hard value of every subformula at every position of one word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from certify.claims.formula.counterexamples import counterexample_to_json, describe_counterexample
from certify.common.numbers import decimal, decimal_lower, decimal_upper
from certify.common.readable import Readable
from certify.common.terminal_tables import plain
from certify.common.words import describe_uncovered, show_word
from certify.requests.inputs import NetworkSubject
from certify.requests.request import Request
from constructions.errors import InputError, Unsupported
from constructions.language.alphabets import alphabet_of, parse_word
from constructions.language.formula_table import FormulaTexts, texts_of
from constructions.language.printer import Style, format_briefly, format_count, format_formula
from constructions.language.semantics import truth_values
from constructions.language.syntax import TRUE, Count, Formula, counts_of, subformulas
from constructions.network.lengths import Lengths
from constructions.network.meanings import Mean, Near, Others, Total, Truth
from constructions.network.run import Residual, run_hard
from constructions.network.transformer import Transformer
from constructions.network.validation import check_defined
from constructions.text import printable
from proofs.enclosures.by_mpmath import values_by_mpmath
from proofs.enclosures.intervals import Interval, point
from proofs.words.replay import Counterexample, WordMeanings, find_miss, run_soft
from proofs.words.replay import Residual as SoftResidual

if TYPE_CHECKING:
    from certify.requests.options import At


BITS = 192
MAX_LENGTH = 1024
MOST_SUBFORMULAS = 100
"""Only the last are printed, of more."""
LABEL_WIDTH = 40
JUST_ABOVE_0, JUST_BELOW_1 = "0+", "1-"
PLACES: Mapping[At, str] = {"first": "at its first position", "last": "at its last position",
                            "every": "at every position"}
Row = tuple[str, str, list[str]]
"""Label, kind of value, and a cell per position."""


@dataclass(frozen=True)
class Trace:
    """The values of one direction along the word, beside the truth of its formula or the number of its count.

    ``subject`` is None, and ``truth`` empty, if its meaning is neither; ``hard`` is empty if some weighting of the
    network does not have hard attention as its limit.
    """

    direction: str
    subject: Formula | Count | None
    exact: bool
    truth: tuple[bool, ...] | tuple[int, ...]
    soft: tuple[Interval, ...]
    hard: tuple[str, ...]


@dataclass(frozen=True, repr=False)
class WordTrace(Readable):
    """A word, the truth of the formula at its positions, and the traces of a network that computes it.

    ``formula`` is None, and ``truth`` empty, if the meaning of the output is not a formula; ``network`` is None for a
    formula without one; ``second`` has the values by mpmath, if requested.
    """

    word: tuple[str, ...]
    formula: Formula | None
    truth: tuple[bool, ...]
    traces: tuple[Trace, ...]
    note: str = ""
    miss: Counterexample | None = None
    network: Transformer | None = None
    second: list[dict[str, str]] | None = None

    @property
    def given(self) -> Formula | None:
        """The assumption of the network's certificate; None if it is about every position."""
        return None if self.network is None or self.network.given == TRUE else self.network.given

    def fails(self, at: At) -> list[int]:
        """Return the positions, among those where the formula is judged, at which it does not hold."""
        judged = {"first": [1], "last": [len(self.word)], "every": range(1, len(self.word) + 1)}[at]
        return [i for i in judged if not self.truth[i - 1]]


def run_transformer(transformer: Transformer, word: tuple[str, ...]) -> WordTrace:
    """Run the directions that mean subformulas of the output or their counts; all directions if it means none.

    Raises:
        InputError: if the word is too long, has a symbol outside the alphabet, or the network is not defined on it.
    """
    check_length(word)
    for place, symbol in enumerate(word, start=1):
        if symbol not in transformer.alphabet:
            raise InputError(f"word: symbol {symbol!r} at position {place}, expected one of "
                             f"{', '.join(transformer.alphabet)}")
    check_defined(transformer, Lengths(len(word), len(word)))
    output = transformer.directions[transformer.output]
    soft, hard = run_soft(transformer, word, BITS), _run_hard(transformer, word)
    second = values_by_mpmath(transformer, word, soft)
    if not isinstance(output, Truth | Near):
        return WordTrace(word, None, (), tuple(_trace_of(name, soft, hard) for name in transformer.directions),
                         miss=find_miss(transformer, word, BITS), network=transformer, second=second)
    shown: set[Formula | Count] = set()
    for part in subformulas(output.formula):
        shown |= {part, *counts_of(part)}
    reading = WordMeanings(word)
    traces = [
        _trace(name, meaning, reading, soft, hard)
        for name, meaning in transformer.directions.items()
        if isinstance(meaning, Truth | Near | Mean | Total | Others) and _subject(meaning) in shown
    ]
    return WordTrace(word, output.formula, truth_values(output.formula, word), tuple(traces),
                     miss=find_miss(transformer, word, BITS), network=transformer, second=second)


def check_length(word: tuple[str, ...]) -> None:
    """Raise InputError if the word is too long to be shown."""
    if len(word) > MAX_LENGTH:
        raise InputError(f"word: {len(word)} symbols, expected at most {MAX_LENGTH}")


def _subject(meaning: Truth | Near | Mean | Total | Others) -> Formula | Count:
    return meaning.count if isinstance(meaning, Mean | Total | Others) else meaning.formula


def _run_hard(transformer: Transformer, word: tuple[str, ...]) -> list[Residual] | None:
    """Run with hard attention, if that is the limit of every weighting, and all embeddings are rational."""
    if all(head.weighting.row.winners for _, _, head in transformer.heads()):
        with suppress(Unsupported):
            return run_hard(transformer, word)
    return None


def _trace(name: str, meaning: Truth | Near | Mean | Total | Others, reading: WordMeanings, soft: list[SoftResidual],
           hard: list[Residual] | None) -> Trace:
    places = range(1, reading.n + 1)
    return replace(
        _trace_of(name, soft, hard),
        subject=_subject(meaning),
        exact=isinstance(meaning, Truth | Mean | Total),
        truth=tuple(reading.count(meaning.count, i) for i in places) if isinstance(meaning, Mean | Total | Others)
        else tuple(reading.truth(meaning.formula, i) for i in places),
    )


def _trace_of(name: str, soft: list[SoftResidual], hard: list[Residual] | None) -> Trace:
    """Return the values of a direction, exact if soft and hard attention agree (or soft attention is exact)."""
    values = tuple(vector.get(name, point(Fraction(0))) for vector in soft)
    if hard is None:
        return Trace(name, None, all(value.is_point for value in values), (), values, ())
    exact = tuple(vector.get(name, Fraction(0)) for vector in hard)
    return Trace(name, None, values == tuple(map(point, exact)), (), values, tuple(map(str, exact)))


def print_run(out: Console, run: WordTrace, style: Style, at: At = "last") -> None:
    """Print a row for each subformula and kind of value, a column for each position; then the judgement."""
    rows = run_rows(run, style)
    print_rows(out, run.word, rows, describe_judgement(run, at) if run.formula else None)
    if run.formula is not None and (more := len(subformulas(run.formula)) - MOST_SUBFORMULAS) > 0:
        out.print(plain(f"these are the last {MOST_SUBFORMULAS} subformulas, the formula among them; --json has {more} "
                        "more"))
    if any(cell in (JUST_ABOVE_0, JUST_BELOW_1) for _, _, row in rows for cell in row):
        out.print()
        out.print(plain(f"{JUST_ABOVE_0} and {JUST_BELOW_1} are numbers less than 0.00005 from 0 and 1"))
    if run.note:
        out.print(plain(run.note))
    if run.second is not None:
        out.print()
        out.print(plain("mpmath computes the same values, to 25 digits"))
    if run.miss:
        out.print()
        out.print(plain(describe_counterexample(run.miss)))
    if run.formula is not None:
        out.print()
        out.print(plain(f"the word {'does not satisfy' if run.fails(at) else 'satisfies'} "
                        f"{format_briefly(run.formula, style=style)} {PLACES[at]}"))


def describe_judgement(run: WordTrace, at: At) -> str:
    """Describe where the formula is judged, and whether it holds there; if not everywhere, where not."""
    failed = run.fails(at)
    where = f" at {', '.join(map(str, failed[:8]))}{', ...' if failed[8:] else ''}" if failed and at == "every" else ""
    others = " or ".join(name for name in PLACES if name != at)
    return f"{PLACES[at]}: {f'not satisfied{where}' if failed else 'satisfied'} (elsewhere: --at {others})"


def print_rows(out: Console, word: tuple[str, ...], rows: list[Row], judged: str | None = None) -> None:
    """Print the word, then as many tables as the width needs, below the symbols and the positions."""
    out.print(plain(f"word      {show_word(word)}"))
    if judged:
        out.print(plain(f"judged    {judged}"))
    places = range(len(word))
    rows = [("", "symbol", list(map(printable, word))), ("", "position", [str(place + 1) for place in places]), *rows]
    widths = [max(len(row[place]) for _, _, row in rows) + 1 for place in places]
    labels = min(max(len(label) for label, _, _ in rows), LABEL_WIDTH) + max(len(kind) for _, kind, _ in rows) + 2
    for block in _blocks(widths, max(out.width - labels, 0)):
        out.print()
        out.print(_block_table(rows, block))


def run_rows(run: WordTrace, style: Style = "ascii") -> list[Row]:
    """Return a row for each subformula, count or direction and kind of value."""
    if run.formula is None:
        return [row for trace in run.traces for row in _plain_rows(trace)]
    rows: list[Row] = []
    counts: set[Count] = set()
    reading, traces = WordMeanings(run.word), _by_subject(run.traces)
    if run.given is not None:
        rows.append((f"given {format_briefly(run.given, style=style)}", "truth", _marks(reading, run.given)))
    for formula in subformulas(run.formula)[-MOST_SUBFORMULAS:]:
        for count in dict.fromkeys(counts_of(formula)):
            if count not in counts:
                rows += _count_rows(reading, count, traces.get(count, []), style)
        counts |= set(counts_of(formula))
        rows.append((format_briefly(formula, style=style), "truth", _marks(reading, formula)))
        for trace in sorted(traces.get(formula, []), key=lambda trace: trace.exact):
            if trace.exact:
                rows.append(("", "exact", [_soft(value) for value in trace.soft]))
            else:
                rows += _approximate_rows("", trace, _note(trace.direction))
    return rows


def _marks(reading: WordMeanings, formula: Formula) -> list[str]:
    """Mark with T each position where the formula holds."""
    return ["T" if reading.truth(formula, place) else "." for place in range(1, reading.n + 1)]


def _by_subject(traces: Iterable[Trace]) -> dict[Formula | Count | None, list[Trace]]:
    found: dict[Formula | Count | None, list[Trace]] = {}
    for trace in traces:
        found.setdefault(trace.subject, []).append(trace)
    return found


def _plain_rows(trace: Trace) -> list[Row]:
    """Return the values of a direction without a formula or count."""
    if trace.exact:
        return [(trace.direction, "exact", _exact(trace))]
    return _approximate_rows(trace.direction, trace)


def _approximate_rows(label: str, trace: Trace, note: str = "") -> list[Row]:
    """Return the values with soft attention, and with hard attention if that is the limit."""
    rows: list[Row] = [(label, f"soft{note}", [_soft(value) for value in trace.soft])]
    return [*rows, ("", f"hard{note}", list(trace.hard))] if trace.hard else rows


def _exact(trace: Trace) -> list[str]:
    """Return the values of a direction that is exact."""
    return [str(value.lower) for value in trace.soft]


def _count_rows(reading: WordMeanings, count: Count, traces: list[Trace], style: Style) -> list[Row]:
    """Return the number at each position, the mean, and the number of other positions that the lookups find."""
    rows: list[Row] = [(format_count(count, style), "number",
                        [str(reading.count(count, place)) for place in range(1, reading.n + 1)])]
    for trace in sorted(traces, key=lambda trace: not trace.exact):
        if trace.exact:
            rows.append(("", "mean", _exact(trace)))
        else:
            rows += _approximate_rows("", trace, f" others{_note(trace.direction)}")
    return rows


def _blocks(widths: list[int], available: int) -> Iterator[range]:
    """Yield blocks of columns that fit; each has at least one column."""
    first = used = 0
    for place, width in enumerate(widths):
        if place > first and used + width > available:
            yield range(first, place)
            first, used = place, 0
        used += width
    yield range(first, len(widths))


def _block_table(rows: list[Row], block: range) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 1, 0, 0))
    table.add_column(overflow="fold", max_width=LABEL_WIDTH)
    table.add_column(no_wrap=True, style="dim")
    for _ in block:
        table.add_column(justify="right", no_wrap=True, overflow="fold")
    for label, kind, cells in rows:
        table.add_row(plain(label), plain(kind), *(Text(cells[place]) for place in block))
    return table


def _soft(value: Interval) -> str:
    """Format an enclosed value with four decimals; an exact integer without decimals."""
    if value.is_point and value.lower.denominator == 1:
        return str(value.lower)
    rounded = Decimal(decimal(value.upper, 40)).quantize(Decimal("0.0001"))
    if rounded == 0 and value.lower > 0:
        return JUST_ABOVE_0
    return JUST_BELOW_1 if rounded == 1 and value.upper < 1 else str(rounded)


def _note(direction: str) -> str:
    _, bracket, note = direction.rpartition("]")
    return note if bracket else ""


def run_to_json(run: WordTrace, at: At = "last") -> dict[str, Any]:
    """Return a run as a JSON object; ``satisfied`` is whether the formula holds at the judged positions.

    Each trace has its soft bounds and hard values, and those of mpmath if requested. A trace of a count has ``count``
    and ``number`` instead of ``formula`` and ``truth``. If the meaning of the output is not a formula, ``formula`` and
    ``satisfied`` are null and the traces have neither. Long formulas are entries ``$k`` of the list ``formulas``, as in
    certificates.
    """
    texts = texts_of(trace.subject.operand if isinstance(trace.subject, Count) else trace.subject
                     for trace in run.traces if trace.subject is not None)
    return {
        "formula": None if run.formula is None else format_formula(run.formula),
        **({} if run.given is None else {"given": format_formula(run.given)}),
        "word": list(run.word),
        "truth": list(run.truth),
        "at": at,
        "satisfied": not run.fails(at) if run.truth else None,
        "note": run.note,
        "counterexample": counterexample_to_json(run.miss) if run.miss else None,
        **({"formulas": list(texts.entries)} if texts.entries else {}),
        "directions": [_trace_to_json(trace, texts, run.second) for trace in run.traces],
    }


def _trace_to_json(trace: Trace, texts: FormulaTexts, second: list[dict[str, str]] | None) -> dict[str, Any]:
    return {
        "direction": trace.direction,
        **_subject_to_json(trace, texts),
        "soft_lower": [decimal_lower(value.lower) for value in trace.soft],
        "soft_upper": [decimal_upper(value.upper) for value in trace.soft],
        "hard": list(trace.hard),
        **({} if second is None else
           {"mpmath": [vector.get(trace.direction, "0.0") for vector in second]}),
    }


def _subject_to_json(trace: Trace, texts: FormulaTexts) -> dict[str, Any]:
    if trace.subject is None:
        return {}
    if isinstance(trace.subject, Count):
        return {"count": texts.count(trace.subject), "number": list(trace.truth)}
    return {"formula": texts.formula(trace.subject), "truth": list(trace.truth)}


# -- runs of a request -------------------------------------------------------------------------------------------------


def describe_beyond(request: Request, n: int) -> str:
    """Return a note that the certificate does not cover this length; empty if it does, or there is none."""
    certified = request.subject.certified if isinstance(request.subject, NetworkSubject) else None
    return "" if certified is None else describe_uncovered(n, certified.first, certified.last)


def run_request(request: Request, word: str) -> WordTrace:
    """Run the network on the word; for a formula without a network, return the truths only."""
    is_default = request.formula is not None and request.alphabet == alphabet_of(request.formula)
    letters = parse_word(word, request.alphabet, is_default)
    try:
        run = run_transformer(request.network, letters)
        return replace(run, note=describe_beyond(request, len(letters)) or run.note)
    except Unsupported as construct:
        if request.regime is None or request.formula is None:
            raise
        return WordTrace(letters, request.formula, truth_values(request.formula, letters), (),
                         f"truth only, no network: {construct}")
