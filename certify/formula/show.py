"""What a person reads of an outcome: what it is about, a table of the heads, the verdict."""

from rich.console import Console

from certify.formula.outcomes import Outcome
from certify.formula.said import attention_cells, describe_greatest, describe_vacuous, describe_verdict
from certify.frame.terminal_tables import NARROW, Column, plain, print_table, print_verdict
from certify.frame.words import counted, show_alphabet
from constructions.language.printer import Style, describe_formula
from constructions.network.transformer import Transformer
from proofs.formula.common.kinds import APPROXIMATING, Kind
from proofs.formula.discharge import Line

COLUMNS_OF_ATTENTION = (
    Column("statement"), Column("head", "right"), Column("attends to", needs=NARROW, folds=True),
    Column("approximates", folds=True), Column("rows", "right", NARROW), Column("worst at n, i", "right"),
    Column("error bound"), Column("below 1/4 by"))
MANY_HEADS = 100
"""Of more heads, those whose obligations are equal to earlier ones have no rows of their own."""


def print_outcome(out: Console, outcome: Outcome, style: Style = "ascii", parenthesize: bool = False) -> None:
    """The verdict, what it is about, the table of attention obligations, and a summary of the rest."""
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
        out.print(plain("runs      and so it is, exactly 1.0 or 0.0, in every float run of "
                        f"{outcome.runs.run_class.name}"))
    if outcome.transformer:
        print_shape(out, outcome.transformer)
        print_weightings(out, outcome.transformer)
    if outcome.lines:
        print_attention(out, outcome.lines)
        print_exact(out, outcome.lines)
        if greatest := describe_greatest(outcome):
            out.print(plain(f"on words  {greatest}"))
    if vacuous := describe_vacuous(outcome):
        out.print(plain(f"vacuous   {vacuous}"))
    if outcome.runs:
        from certify.floats.show import print_room

        print_room(out, outcome.runs)
    if outcome.vacuity:
        out.print(plain(f"note      the formula is {outcome.vacuity}"))
    print_verdict(out, outcome.verdict, describe_verdict(outcome))


def print_shape(out: Console, network: Transformer) -> None:
    """One line on the size of the network."""
    nouns = {name: name.removesuffix("s") for name in ("layers", "heads", "ReLUs", "directions")}
    sizes = [(number, nouns.get(name, "non-zero parameter")) for name, number in sizes_of(network).items()]
    out.print(plain("network   " + ", ".join(counted(number, noun) for number, noun in sizes)))


def sizes_of(network: Transformer) -> dict[str, int]:
    """How large a network is; parameters are those that are not zero."""
    return {
        "layers": len(network.layers),
        "heads": sum(1 for _ in network.heads()),
        "ReLUs": sum(len(layer.feedforward.units) for layer in network.layers),
        "directions": len(network.directions),
        "parameters": network.parameter_count(),
    }


def print_weightings(out: Console, network: Transformer) -> None:
    """One line that names the weightings of the heads, unless all of them have softmax."""
    if not network.has_softmax_alone:
        out.print(plain(f"weighting {', '.join(network.weightings())}, in place of softmax"))


def print_attention(out: Console, lines: tuple[Line, ...]) -> None:
    """A row for each obligation of a head that approximates: its greatest error over all inputs, and where it is."""
    attention = [line for line in lines if line.kind in APPROXIMATING]
    if not attention:
        return
    shown = attention
    if len(attention) > MANY_HEADS:
        shown = [line for line in attention if not (line.repeated and line.proved)]
    out.print()
    print_table(out, COLUMNS_OF_ATTENTION, map(attention_cells, shown[:MANY_HEADS]), keys=2)
    if len(attention) > MANY_HEADS:
        _print_left_out(out, attention, shown)
    elif any(line.repeated for line in attention):
        out.print(plain("=  the same obligation as in an earlier row, proved once"))
    if not all(line.proved for line in attention):
        out.print(plain("!  not proved"))


def _print_left_out(out: Console, attention: list[Line], shown: list[Line]) -> None:
    """How many heads have no row of their own."""
    if equal := len(attention) - len(shown):
        out.print(plain(f"=  and {counted(equal, 'head')} with the same obligations as rows above, proved once"))
    if more := len(shown[MANY_HEADS:]):
        out.print(plain(f"   and {counted(more, 'head')} more, which --json lists"))


def print_exact(out: Console, lines: tuple[Line, ...]) -> None:
    """What else had to be proved, counted, and a line for each failure."""
    out.print()
    parts = []
    for kind, noun in ((Kind.EMBEDDING, "embedded direction"), (Kind.UNIFORM, "uniform head"), (Kind.MEAN, "mean head"),
                       (Kind.COUNTING, "counting head"),
                       (Kind.FEED_FORWARD, "feed-forward output")):
        part = [line for line in lines if line.kind is kind]
        if part:
            proved, distinct = sum(line.proved for line in part), sum(not line.repeated for line in part)
            note = f" ({distinct} distinct)" if distinct < len(part) else ""
            parts.append((f"{proved} of " if proved < len(part) else "") + counted(len(part), noun) + note)
    if parts:
        out.print(plain(f"exact     at every (n, i): {', '.join(parts)}"))
    for line in (line for line in lines if line.on_every_word and line.proved):
        out.print(plain(f"together  {describe_place(line)}: proved on every word, with its errors together"))
    if any(line.kind is Kind.COMPOSITION and line.proved for line in lines):
        out.print(plain("composed  every direction is written once, and read only after it is written"))
    for line in [line for line in lines if not line.proved][:MANY_HEADS]:
        out.print(plain(f"failed    {describe_place(line)}: {line.reason}"))


def describe_place(line: Line) -> str:
    """Layer, kind and direction of an obligation."""
    where = f"layer {line.layer}, head {line.place}" if line.place else f"layer {line.layer}, {line.kind}"
    return f"{where if line.layer else line.kind}, {line.direction}"
