"""`certify model` without a subject: the shipped examples, a row each."""

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from certify.claims.softened.pipeline import soften_model
from certify.claims.softened.results import SoftenedLength, Softening
from certify.claims.softened.shards import Workers
from certify.claims.softened.show import describe_outcome, show_bracket, show_ratio, softening_to_json
from certify.common.demo import Shown, examples_to_json, overall_status, print_rows, show_each
from certify.common.numbers import decimal_lower
from certify.common.progress import ProgressLine
from certify.common.shipped import examples_folder
from certify.common.terminal import Json, print_json, tell
from certify.common.terminal_tables import NARROW, WIDTH, TableColumn, console, plain
from certify.requests.request import read_request
from certify.requests.subjects import Programs, SubjectKind
from constructions.language.expressions import Expression, parse_expression
from constructions.network.transformer import Transformer


@dataclass(frozen=True)
class Example:
    """A hard-attention example, on words up to ``max_n``; the default temperature is Theorem 26's."""

    name: str
    path: Path
    max_n: int
    about: str
    temperature: Expression | None = None

    def build(self) -> Transformer:
        """Return the transformer with hard attention."""
        return read_request(str(self.path), taken=(SubjectKind.PROGRAM, SubjectKind.NETWORK),
                            programs=Programs.RUN).network


def load_examples() -> list[Example]:
    """Return all shipped examples, in the order of their file."""
    folder = examples_folder() / "hard"
    entries = tomllib.loads((folder / "examples.toml").read_text(encoding="utf-8"))
    return [Example(name, (folder / entry["subject"]).resolve(), entry["max_n"], entry["about"],
                    parse_expression(entry["temperature"]) if "temperature" in entry else None)
            for name, entry in entries.items()]


COLUMNS = (TableColumn("example"), TableColumn("size", needs=NARROW), TableColumn("n <=", "right"),
           TableColumn("words", "right", NARROW),
           TableColumn("gap"), TableColumn("theorem", "right"), TableColumn("claimed", needs=WIDTH),
           TableColumn("critical", "right", NARROW), TableColumn("ratio", "right"), TableColumn("verdict"),
           TableColumn("seconds", "right", WIDTH), TableColumn("about", needs=170, folds=True))


def soften_examples(examples: Sequence[Example], workers: Workers, folder: str | None, is_critical: bool,
                    print_question: Callable[[Console, None], None] = lambda out, found: None) -> int:
    """Soften every example; return 0 if all are certified, else the status of the worst verdict."""
    def show(example: Example, progress: ProgressLine) -> Shown:
        outcome = soften_model(example.build(), example.max_n, example.temperature,
                               [example.max_n] if is_critical else [], workers, progress)
        return Shown(example.name, example.about, outcome.verdict, outcome.seconds, outcome.certificate,
                     _cells(example, outcome), softening_to_json(outcome), describe_outcome(outcome))

    found = show_each(examples, show, folder)
    status = overall_status(found)
    if Json.wanted:
        print_json(examples_to_json(found, status))
    else:
        out = console()
        print_question(out, None)
        _print(out, found)
        if folder:
            tell(f"certificates in {folder}")
    return status


def _print(out: Console, found: Sequence[Shown]) -> None:
    out.print(plain("claim     for every n up to the one stated, every word of length n and every position: softmax "
                    "moves the result of hard attention by at most 1/4"))
    out.print(plain("columns   size: layers, heads, directions; at the greatest n: gap, the temperature of Theorem 26, "
                    "the critical one, and its ratio to the theorem's"))
    out.print()
    print_rows(out, found, COLUMNS)
    out.print()
    for shown in found:
        if shown.verdict != "certified":
            out.print(plain(f"{shown.verdict:<10}{shown.name}: {shown.remark}"))
    certified = sum(shown.verdict == "certified" for shown in found)
    seconds = sum(shown.seconds for shown in found)
    out.print(plain(f"{certified} of {len(found)} certified, in {seconds:.1f} s; each certificate was accepted by "
                    "the independent checker, which ran every word again"))


def _cells(example: Example, outcome: Softening) -> dict[str, str]:
    network = outcome.transformer
    cells = {
        "example": example.name,
        "size": f"{len(network.layers)}, {sum(1 for _ in network.heads())}, {len(network.directions)}",
        "n <=": str(outcome.max_n),
        "words": str(sum(survey.words for survey in outcome.surveys)),
        "verdict": outcome.verdict,
        "seconds": f"{outcome.seconds:.2f}",
        "about": example.about,
    }
    return cells | (_cells_at(outcome.lengths[-1], outcome) if outcome.lengths else {})


def _cells_at(row: SoftenedLength, outcome: Softening) -> dict[str, str]:
    """Return the cells of the greatest length."""
    gap = row.survey.gap
    cells = {"gap": str(gap.value) if gap else "none", "theorem": decimal_lower(row.theorem, 6),
             "claimed": str(outcome.temperature) if outcome.stated else ""}
    return cells | ({"critical": show_bracket(row.critical), "ratio": show_ratio(row)} if row.critical else {})
