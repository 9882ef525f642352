"""The display of an outcome, as text and as JSON: the claim, a table of the heads, the verdict."""

from typing import Any

from rich.console import Console

from certify.claims.formula.counterexamples import counterexample_to_json
from certify.claims.formula.outcomes import Outcome, Refuted, WithoutProof
from certify.claims.formula.summary import attention_cells, describe_greatest, describe_vacuous, describe_verdict
from certify.common.numbers import decimal_lower, decimal_upper
from certify.common.terminal_tables import NARROW, TableColumn, plain, print_table, print_verdict
from certify.common.words import counted, show_alphabet
from constructions.language.printer import Style, describe_formula, format_formula
from constructions.network.transformer import Transformer
from proofs.formula.common.extremes import Extreme
from proofs.formula.common.kinds import APPROXIMATING, ObligationKind
from proofs.formula.discharge import Line
from proofs.formula.on_words import GreatestError

COLUMNS_OF_ATTENTION = (
    TableColumn("statement"), TableColumn("head", "right"), TableColumn("attends to", needs=NARROW, folds=True),
    TableColumn("approximates", folds=True), TableColumn("rows", "right", NARROW),
    TableColumn("worst at n, i", "right"),
    TableColumn("error bound"), TableColumn("below 1/4 by"))
MANY_HEADS = 100
"""With more heads, those with the obligation of an earlier one have no row."""


def print_outcome(out: Console, outcome: Outcome, style: Style = "ascii", parenthesize: bool = False) -> None:
    """Print the claim, the table of attention obligations, a summary of the rest, and the verdict."""
    formula = describe_formula(outcome.formula, style, parenthesize) if outcome.formula else "none"
    out.print(plain(f"formula   {formula}"))
    out.print(plain(f"alphabet  {show_alphabet(outcome.alphabet)}"))
    out.print(plain(f"regime    {outcome.regime or 'none claimed'}"))
    if outcome.given:
        out.print(plain(f"given     {describe_formula(outcome.given, style, parenthesize)}"))
    where = " where what is given holds" if outcome.given else ""
    out.print(plain(f"claim     for {outcome.lengths.claim}, every word of length n and every position{where}: "
                    "the output is exactly 1 if the formula holds there, else 0"))
    if outcome.runs:
        out.print(plain("floats    the output is exactly 1.0 or 0.0 in every execution under "
                        f"{outcome.runs.float_model.name}"))
    if outcome.transformer:
        print_shape(out, outcome.transformer)
        if not outcome.transformer.has_softmax_alone:
            out.print(plain(f"weighting {', '.join(outcome.transformer.weightings())}, in place of softmax"))
    if outcome.lines:
        print_attention(out, outcome.lines)
        print_exact(out, outcome.lines)
        if greatest := describe_greatest(outcome):
            out.print(plain(f"on words  {greatest}"))
    if vacuous := describe_vacuous(outcome):
        out.print(plain(f"vacuous   {vacuous}"))
    if outcome.runs:
        from certify.claims.floats.show import print_room

        print_room(out, outcome.runs)
    if outcome.vacuity:
        out.print(plain(f"note      the formula is {outcome.vacuity}"))
    print_verdict(out, outcome.verdict, describe_verdict(outcome))


def print_shape(out: Console, network: Transformer) -> None:
    """Print one line on the size of the network."""
    nouns = {name: name.removesuffix("s") for name in ("layers", "heads", "ReLUs", "directions")}
    sizes = [(number, nouns.get(name, "non-zero parameter")) for name, number in sizes_of(network).items()]
    out.print(plain("network   " + ", ".join(counted(number, noun) for number, noun in sizes)))


def sizes_of(network: Transformer) -> dict[str, int]:
    """Return the size of a network; parameters are those that are not zero."""
    return {
        "layers": len(network.layers),
        "heads": sum(1 for _ in network.heads()),
        "ReLUs": sum(len(layer.feedforward.units) for layer in network.layers),
        "directions": len(network.directions),
        "parameters": network.parameter_count(),
    }


def print_attention(out: Console, lines: tuple[Line, ...]) -> None:
    """Print a row for each obligation of a head that approximates: its greatest error over all inputs, and where."""
    attention = [line for line in lines if line.kind in APPROXIMATING]
    if not attention:
        return
    shown = attention
    if len(attention) > MANY_HEADS:
        shown = [line for line in attention if not (line.repeated and line.proved)]
    out.print()
    print_table(out, COLUMNS_OF_ATTENTION, map(attention_cells, shown[:MANY_HEADS]), keys=2)
    if len(attention) > MANY_HEADS:
        if equal := len(attention) - len(shown):
            out.print(plain(f"=  and {counted(equal, 'head')} with the same obligations as rows above, proved once"))
        if more := len(shown[MANY_HEADS:]):
            out.print(plain(f"   and {counted(more, 'head')} more, which --json lists"))
    elif any(line.repeated for line in attention):
        out.print(plain("=  the same obligation as in an earlier row, proved once"))
    if not all(line.proved for line in attention):
        out.print(plain("!  not proved"))


def print_exact(out: Console, lines: tuple[Line, ...]) -> None:
    """Print the number of exact obligations of each kind, and a line for each failure."""
    out.print()
    parts = []
    for kind, noun in ((ObligationKind.EMBEDDING, "embedded direction"), (ObligationKind.UNIFORM, "uniform head"),
                       (ObligationKind.MEAN, "mean head"),
                       (ObligationKind.COUNTING, "counting head"),
                       (ObligationKind.FEED_FORWARD, "feed-forward output")):
        part = [line for line in lines if line.kind is kind]
        if part:
            proved, distinct = sum(line.proved for line in part), sum(not line.repeated for line in part)
            note = f" ({distinct} distinct)" if distinct < len(part) else ""
            parts.append((f"{proved} of " if proved < len(part) else "") + counted(len(part), noun) + note)
    if parts:
        out.print(plain(f"exact     at every (n, i): {', '.join(parts)}"))
    for line in (line for line in lines if line.on_every_word and line.proved):
        out.print(plain(f"together  {describe_place(line)}: proved on every word, with its errors together"))
    if any(line.kind is ObligationKind.COMPOSITION and line.proved for line in lines):
        out.print(plain("composed  every direction is written once, and read only after it is written"))
    for line in [line for line in lines if not line.proved][:MANY_HEADS]:
        out.print(plain(f"failed    {describe_place(line)}: {line.reason}"))


def describe_place(line: Line) -> str:
    """Return layer, kind and direction of an obligation."""
    where = f"layer {line.layer}, head {line.place}" if line.place else f"layer {line.layer}, {line.kind}"
    return f"{where if line.layer else line.kind}, {line.direction}"


# -- as JSON -----------------------------------------------------------------------------------------------------------


def outcome_to_json(outcome: Outcome) -> dict[str, Any]:
    """Return the JSON object of an outcome: the keys of every outcome, and what the verdict adds."""
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
        from certify.claims.floats.show import row_to_json

        result["float"] = row_to_json(outcome.runs)
    return result


def _extreme_to_json(line: Line, extreme: Extreme) -> dict[str, Any]:
    """Return the bound of a head over all inputs, even those that occur on no word."""
    return {
        "upper": decimal_upper(extreme.upper),
        "head": f"{line.layer}.{line.place}",
        "direction": line.direction,
        "n": extreme.n,
        "i": extreme.i,
    }


def _greatest_to_json(found: GreatestError) -> dict[str, Any]:
    """Return the greatest error on a word: ``lower`` is attained on ``word``; ``upper`` bounds all words."""
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
