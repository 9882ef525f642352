"""The options of the command line: names and help texts; request.py parses their values."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, TypeVar

import typer

from certify.requests.inputs import MOST, Options

SharpenedBy = Literal["temperature", "position"]
Style = Literal["ascii", "unicode", "latex"]
MOST_SECONDS = 86_400
HARD = "hard"
SOFT = "softmax"


def whole_number(text: str) -> int:
    """Return the value of --max-n, --min-n and the like."""
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"found {str(text)[:20]!r}, expected a whole number") from None


def between(least: int, most: int, what: str = "a number") -> Callable[[str], int]:
    """Return the parser of whole numbers from ``least`` to ``most``."""
    def read(text: str) -> int:
        found = whole_number(text)
        if not least <= found <= most:
            raise typer.BadParameter(f"found {str(text)[:20]!r}, expected {what} from {least} to {most}")
        return found

    return read


seconds = between(1, MOST_SECONDS, "a number of seconds")
effort = between(1, MOST)


def attention(text: str) -> str | None:
    """Parse --weighting where only softmax and hard attention are allowed; softmax is the default, None."""
    if text not in (SOFT, HARD):
        raise typer.BadParameter(f"found {str(text)[:20]!r}, expected softmax or hard")
    return None if text == SOFT else text


def flag(name: str, text: str, metavar: str | None = None, kind: Any = str | None, **settings: Any) -> Any:
    """Return the annotation of an option with this help text."""
    return Annotated[kind, typer.Option(name, metavar=metavar, help=text, **settings)]


# -- outputs: options with these parsers write files, and the command line checks their paths --------------------------


def written_file(name: str) -> str:
    """Return the value of an option that names a file to be written; - is standard output."""
    return name


def written_folder(name: str) -> str:
    """Return the value of an option that names a folder to be written: a new one, or an empty one."""
    return name


def written_place(name: str) -> str:
    """Return the value of an option that names a file or a folder, as other options say; the command looks which."""
    return name


FormulaText = Annotated[str | None, typer.Argument(
    metavar="FORMULA", help="a formula, - for standard input, or a program (.rasp, .cr): the formula of its output")]
MaxN = Annotated[int, typer.Option(
    "--max-n", metavar="N", parser=whole_number, help="cover all words up to this length")]
MinN = Annotated[int, typer.Option(
    "--min-n", metavar="N", parser=whole_number, help="leave out words shorter than this")]
ProvedFrom = Annotated[int, typer.Option(
    "--min-n", metavar="N", parser=whole_number, help="state it for words of at least this length")]
ProvedUpTo = Annotated[int | None, typer.Option(
    "--max-n", metavar="N", parser=whole_number, help="state it for words of at most this length (default: all "
    "words)")]
Precision = Annotated[str | None, typer.Option(
    "--precision", metavar="FORMAT", help="use the constructions for low precision: bfloat16, binary16, tf32 or "
    "binary32")]
Longest = Annotated[int | None, typer.Option(
    "--max-n", metavar="N", parser=whole_number, help="with --precision: the longest words that it counts in ("
    "default: 64)")]
Factor = Annotated[str | None, typer.Option(
    "--gamma", metavar="NUMBER", help="the constant in front of the scores: 13/10, ln(4)/2, sqrt(2), ... (default: "
    "3; of a model's scores: 1)")]
Temperature = Annotated[str | None, typer.Option(
    "--temperature", metavar="EXPRESSION", help="a temperature of your own, in n and i: 1/n, 1/(3*n*log2ceil(n)), ...")]
Given = Annotated[str | None, typer.Option(
    "--given", metavar="FORMULA", help="claim something only at the positions where this holds: 'O Q_w', ...")]
Float = Annotated[str | None, typer.Option(
    "--float", metavar="NAME|FILE", help="claim the same under this float model: bfloat16/binary32, ... "
    "(certify floats --presets lists them)")]
Effort = Annotated[int, typer.Option(
    "--effort", metavar="K", parser=effort, help="search K times as long for a counterexample")]
AsJson = Annotated[bool, typer.Option("--json", help="print one JSON object and nothing else")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="show no progress, and no notes")]
Timeout = Annotated[int | None, typer.Option(
    "--timeout", metavar="S", parser=seconds, help="time limit in seconds; on expiry, the verdict is unknown, "
    "with the results so far")]
"""certify/commands/command.py adds these three to nearly all commands, and implements them."""
PrintedStyle = Annotated[Style, typer.Option("--style", help="how formulas are printed")]
Parenthesize = Annotated[bool, typer.Option("--parenthesize", help="print formulas with all parentheses")]
Predicate = Annotated[list[str] | None, typer.Option(
    "--predicate", metavar="DEFINITION", help="define a predicate, as in 'THIRD(k,n) := k % 3 == 1'")]
Jobs = Annotated[int | None, typer.Option(
    "--jobs", metavar="K", parser=whole_number,
    help="the number of processes (default: one per core); results do not depend on it")]
Dask = Annotated[str | None, typer.Option("--dask", metavar="ADDRESS", help="work on this Dask cluster")]
Store = Annotated[str | None, typer.Option(
    "--store", metavar="DIR", parser=written_place, help="for several formulas: keep the results in this folder, "
    "and reuse those that are there")]
AsFormula = Annotated[bool, typer.Option(
    "--as-formula", help="for a program: use the transformer of the formula of its output")]
Measured = Annotated[str | None, typer.Option(
    "--lengths", metavar="LENGTHS", help="which lengths to measure: 4,8,16, or all (default: those up to 8, "
    "powers of 2, and N)")]
Offset = Annotated[int | None, typer.Option(
    "--offset", metavar="K", parser=whole_number, help="for a trained network: the position number of the first "
    "token")]
At = Literal["first", "last", "every"]
AtWhich = Annotated[At, typer.Option("--at", help="where the word must satisfy the formula")]
Dialect = Annotated[str | None, typer.Option(
    "--dialect", metavar="NAME", help="the semantics of X, since and until: sha (default), spot, black or lydia")]
Symbol = Annotated[str | None, typer.Option(
    "--symbol", metavar="SYMBOL", help="for a program that outputs symbols: the formula of this one")]
AttentionKind = Annotated[str | None, typer.Option(
    "--weighting", metavar="<softmax|hard>", parser=attention, help="hard: in place of softmax, only the greatest "
    "score counts (there are no ties)")]
Weighting = Annotated[str | None, typer.Option(
    "--weighting", metavar="NAME", help="how heads weigh scores, in place of softmax: sparsemax, entmax-1.5, ... "
    "(docs/background/weightings.md)")]
Certificate = Annotated[str | None, typer.Option(
    "-o", "--output", metavar="FILE", parser=written_file, help="write the certificate here; - is standard output")]
Claim = Annotated[str | None, typer.Option(
    "--claim", metavar="FILE", help="what the trained network is claimed to do (.toml; docs/howto/decide.md)")]


# -- options of subjects -----------------------------------------------------------------------------------------------

OF_A_SUBJECT: Mapping[str, Any] = {
    "regex": flag("--regex", "in place of FORMULA: true where the word so far matches this, as in '(ab)*'", "REGEX"),
    "dfa": flag("--dfa", "in place of FORMULA: true where this automaton (TOML, JSON, AT&T, HOA) accepts the word so "
                "far", "FILE"),
    "alphabet": flag("--alphabet", "the symbols of words: 01, or a,b,c (default: those of the formula, and one for all "
                     "others)", "SYMBOLS"),
    "dialect": Dialect,
    "symbol": Symbol,
    "regime": flag("--regime", "what makes softmax sharp: a temperature that falls with n, or position embeddings that "
                   "grow; cases (a) and (b) of [SHA] (default: temperature; with --precision: position)",
                   kind=SharpenedBy | None),
    "causal": flag("--causal", "use future-masked heads only, and nothing that depends on n", kind=bool),
    "gamma": flag("--gamma", "the constant in front of the scores: 13/10, ln(4)/2, sqrt(2), ... (default: 3, as [SHA] "
                  "prints; with --precision: 4)", "NUMBER"),
    "predicate": Predicate,
    "as_printed": flag("--as-printed", "build counts exactly as [SHA] prints Theorems 20 and 21, which is not always "
                       "right", kind=bool),
    "temperature": Temperature,
    "delta": flag("--delta", "the allowed error of a head, at most 1/4", "RATIONAL"),
    "precision": Precision,
    "weighting": Weighting,
    "attention": flag("--weighting", "how heads weigh scores, in place of softmax: hard (only the greatest counts), "
                      "sparsemax, entmax-1.5, ... (docs/background/weightings.md)", "NAME"),
    "given": Given,
}
"""By the names of the parameters; ``options_of`` reads them."""
Command = TypeVar("Command", bound=Callable[..., None])


def with_options(order: str, known: Mapping[str, Any] = OF_A_SUBJECT, **others: Any) -> Callable[[Command], Command]:
    """Return a decorator that adds the options in this ``order``; the command gets them as a mapping behind ``**``.

    Each is ``known`` or one of the ``others``, or has a parameter of its own. The first one has; the others
    follow it. The default is False, 1 or None, as the type says.
    """
    kinds, names = {**known, **others}, order.split()

    def changed(command: Command) -> Command:
        own = {one.name: one for one in inspect.signature(command, eval_str=True).parameters.values()
               if one.kind is not one.VAR_KEYWORD}
        first = own[names[0]]
        made = [own.get(name) or inspect.Parameter(
            name, first.kind, default={bool: False, int: 1}.get(kinds[name].__origin__), annotation=kinds[name])
            for name in names]
        found = [one for name in own for one in (made if name == first.name else [own[name]] * (name not in names))]
        command.__signature__ = inspect.Signature(found)  # type: ignore[attr-defined]
        command.__annotations__ = {one.name: one.annotation for one in found}
        return command
    return changed


def options_of(written: Mapping[str, Any]) -> Options:
    """Return the options of a subject that a command was given; its ``attention`` is hard, or a weighting by its name.

    >>> found = options_of({"gamma": "2", "predicate": None, "attention": "hard", "causal": False})
    >>> found.named, found.attention
    (['attention', 'gamma'], 'hard')
    """
    renamed = {"predicate": "predicates", "delta": "allowed_error", "attention": "weighting"}
    found = {renamed.get(name, name): value for name, value in written.items() if value is not None}
    found["predicates"] = tuple(found.get("predicates", ()))
    if written.get("attention") == HARD:
        found["attention"] = found.pop("weighting")
    return Options(**found)
