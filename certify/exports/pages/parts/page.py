"""The pages of what heads attend to, and of a circuit: the drawing, tables, masses and errors against the length."""

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import NamedTuple

from markupsafe import Markup

from certify.claims.trained.ablation import Ablation, name_of
from certify.claims.trained.decision import Decision
from certify.claims.trained.head_averages import NearRow
from certify.claims.trained.heads import HeadRow, HeadsTable
from certify.claims.trained.heads_show import AVERAGES, describe_hardness, describe_in_words, describe_pattern
from certify.claims.trained.show import describe_claim, describe_network
from certify.claims.trained.showing import describe_decision
from certify.common.words import show_powers
from certify.exports.pages.base.page import open_templates, render_page
from certify.exports.pages.decision.curve import Point, draw_curve
from certify.exports.pages.decision.page import AFTER, BEFORE, MOST_PICTURED, Filed
from certify.exports.pages.parts.drawing import draw_circuit, draw_weights
from proofs.trained.masses import Masses


class HeadPicture(NamedTuple):
    """The pictures of one head: masses by length, the weights on the word with the least mass, and their captions."""

    name: str
    attends: str
    curve: Markup | None
    weights: Markup | None
    word: str


def heads_page(table: HeadsTable, folder: str | None = None) -> str:
    """Return the whole page; its commands check the certificates in the ``folder``."""
    first = {(row.layer, row.head): row for row in reversed(table.rows)}
    said = {head: _said(row) for head, row in first.items()}
    return render_page(
        open_templates("certify.exports.pages.parts"), "heads.html", (), (), title="A trained network, on all words of "
        f"length {table.words.lengths[0]} to {table.words.lengths[1]}", found=table.verdict,
        asks=[describe_network(table.network)[10:], "what its heads attend to"],
        circuit=draw_circuit(table.network, said), rows=[_cells(row) for row in table.shown],
        averages=[_cells_of_average(row) for row in table.averages if row.by_length],
        pictures=[*_pictures(table, [first[head] for head in sorted(first)]),
                  *map(_picture_of_average, table.averages)],
        hard=[line for row in table.shown if (line := describe_hardness(row))], needed=(),
        files=_files(table.certificates, folder))


def circuit_page(ablation: Ablation, folder: str | None = None) -> str:
    """Return the whole page of a circuit; its commands check the certificates in the ``folder``."""
    needed = [(name_of(ablation.network, one.part), "–" if one.word is None else show_powers(one.word.word),
               "yes" if one.certificate else "no") for one in ablation.needed]
    return render_page(
        open_templates("certify.exports.pages.parts"), "heads.html", (), (), title="A circuit of a trained network",
        found=ablation.verdict, asks=[describe_claim(ablation.network, ablation.claim),
                                      describe_decision(ablation.decision)],
        circuit=draw_circuit(ablation.edited, {}), rows=(), averages=(), pictures=(), hard=(), needed=needed,
        files=_files(ablation.certificates, folder))


def _said(row: HeadRow) -> str:
    """Describe what a head reads, in a box of the drawing."""
    is_proved = row.decision is not None and row.decision.verdict == "certified" and row.claimed is not None
    least = str(float(row.claimed or 0)) if is_proved else f"{row.least.least:.4g} (measured)"
    return f"reads {describe_in_words(row.pattern)}: at least {least}"


def _files(certificates: object, folder: str | None) -> list[Filed]:
    assert isinstance(certificates, dict)
    return [] if folder is None else [Filed(f"{PurePath(folder).name}/{name}", text, name.startswith("without_"))
                                      for name, text in certificates.items()]


def _verdict(decision: Decision | None) -> str:
    return decision.verdict if decision else ""


def _cells(row: HeadRow) -> tuple[str, ...]:
    return (f"{row.layer}.{row.head}", describe_pattern(row.pattern), f"{row.by_length[0].n} .. {row.by_length[-1].n}",
            f"{row.least.least:.6g}", show_powers(row.least.least_word), f"{row.most.most:.6g}",
            "" if row.claimed is None else str(float(row.claimed)), _verdict(row.decision))


def _cells_of_average(row: NearRow) -> tuple[str, ...]:
    return (f"{row.layer}.{row.head}", AVERAGES[row.near], f"{row.by_length[0].n} .. {row.by_length[-1].n}",
            f"{row.error:.6g}", show_powers(row.worst.word(row.center)),
            "" if row.claimed is None else str(float(row.claimed)), _verdict(row.decision))


def _pictures(table: HeadsTable, rows: Sequence[HeadRow]) -> Iterator[HeadPicture]:
    """Yield the pictures of the best pattern of each head."""
    words, masses = table.words, Masses(table.network, table.words)
    for row in rows:
        name, attends, word = f"head {row.layer}.{row.head}", describe_pattern(row.pattern), row.least.least_word
        weights, marks = masses.on_word(row.layer, row.head, word, row.pattern)
        labels = [*BEFORE * len(words.before), *word, *AFTER * len(words.after)][:len(marks)]
        points = [_point(one.n, float(one.least), row.decision) for one in row.by_length]
        yield HeadPicture(name, f"least mass on {attends}", _curve(points, f"least mass of {name} on {attends}"),
                          draw_weights(labels, weights.tolist(), marks, f"Weights of {name} by position")
                          if len(labels) <= MOST_PICTURED else None, show_powers(word))


def _picture_of_average(row: NearRow) -> HeadPicture:
    name, near = f"head {row.layer}.{row.head}", AVERAGES[row.near]
    points = [_point(one.n, float(one.error(row.center)), row.decision) for one in row.by_length]
    return HeadPicture(name, f"greatest error from {near}", _curve(points, f"error of {name} from {near}"), None, "")


def _point(n: int, value: float, decision: Decision | None) -> Point:
    return Point(n, value, None, "certified" if decision and n <= (decision.certified_to or 0) else "unknown")


def _curve(points: Sequence[Point], name: str) -> Markup | None:
    return draw_curve(points, name) if len(points) > 1 else None
