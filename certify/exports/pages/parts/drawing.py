"""Pictures of parts as SVG: a circuit, from tokens to logits; the weights of a head on a word.

The output is deterministic; floating point is for drawing only.
"""

import textwrap
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from certify.claims.trained.ablation import end_name
from certify.common.words import counted
from certify.exports.pages.base.svg import element, join, number
from constructions.trained.edit_kinds import CutEdges, Edit, KeepNeurons, ReadHead, SetHead, SharpenHead
from constructions.trained.edits import edge_parts, unedited
from constructions.trained.network import AttentionStep, TrainedNetwork, UnitsStep

BOX, GAP, LINE, TOP = 176.0, 26.0, 15.0, 34.0
LETTERS = 27
"""Letters of a line in a box."""
MOST_NAMED = 8
"""Neurons that are named in a box."""
BAR, HEIGHT, NARROWEST = 16.0, 110.0, 640.0
Boxes = list[tuple[list[str], str]]
"""The lines of each box of a column, and its style: kept, gone, or read."""
STYLES = {"kept": ("currentColor", None), "gone": ("currentColor", "4 3"), "read": ("var(--certified)", None)}


def draw_circuit(network: TrainedNetwork, said: Mapping[tuple[int, int], str]) -> Markup:
    """Draw the original of a network: parts that its edits set are dashed, a head that is read has another colour.

    ``said`` describes heads (layer and number, from 1) in words.
    """
    original, edits = unedited(network)
    columns, layers, blocks = list[Boxes](), 0, 0
    for number_, step in enumerate(original.steps):
        if isinstance(step, AttentionStep):
            layers += 1
            columns.append([_head((layers, head + 1), number_, edits, said, _edges(original, edits, (number_, head)))
                            for head in range(len(step.heads))])
        elif isinstance(step, UnitsStep):
            blocks += 1
            lines, style = _neurons(blocks, number_, step.inward.weight.shape[1], edits)
            columns.append([(lines + _edges(original, edits, (number_, 0)), style)])
        if any(isinstance(edit, ReadHead) and edit.step == number_ for edit in edits):
            return _drawn([[(["tokens"], "kept")], *columns])
    end = _edges(original, edits, edge_parts(original)[-1])
    return _drawn([[(["tokens"], "kept")], *columns, [(["logits", *end], "kept")]])


def _edges(network: TrainedNetwork, edits: Sequence[Edit], end: tuple[int, ...]) -> list[str]:
    """Return the parts of which a part has edges, unless it has all."""
    cut = next((edit for edit in edits if isinstance(edit, CutEdges) and (edit.step, edit.head) == end), None)
    gone = {(edit.step, edit.head) for edit in edits if isinstance(edit, SetHead)} | {
        (edit.step, 0) for edit in edits if isinstance(edit, KeepNeurons) and not edit.neurons}
    gone |= {(-1, 1)} if network.positions is None else set()
    parts = [part for part in edge_parts(network) if part[0] < end[0] and cut and part not in {*cut.parts} | gone]
    names = ", ".join(end_name(network, *part) for part in parts)
    return textwrap.wrap(f"edges from {names}" if names else "no edges", LETTERS) if cut else []


def _head(name: tuple[int, int], step: int, edits: Sequence[Edit], said: Mapping[tuple[int, int], str],
          edges: Sequence[str]) -> tuple[list[str], str]:
    mine = [edit for edit in edits if not isinstance(edit, KeepNeurons) and (
        getattr(edit, "step", None), getattr(edit, "head", None)) == (step, name[1] - 1)]
    lines, style = [f"head {name[0]}.{name[1]}"], "kept"
    for edit in mine:
        if isinstance(edit, SetHead):
            lines, style = [*lines, "set to 0" if edit.to is None else "set to constants"], "gone"
        elif isinstance(edit, SharpenHead):
            lines.append(f"scores times {2**edit.doublings}")
        elif isinstance(edit, ReadHead):
            style = "read"
    return [*lines, *edges, *textwrap.wrap(said.get(name, ""), LETTERS)], style


def _neurons(block: int, step: int, width: int, edits: Sequence[Edit]) -> tuple[list[str], str]:
    kept = next((edit.neurons for edit in edits if isinstance(edit, KeepNeurons) and edit.step == step), None)
    if kept is None:
        return [f"block {block}", counted(width, "neuron")], "kept"
    names = ", ".join(f"{block}.{k + 1}" for k in kept[:MOST_NAMED]) + " …" * (len(kept) > MOST_NAMED)
    return [f"block {block}", f"{len(kept)} of {width} neurons kept", *textwrap.wrap(names, LETTERS)], (
        "kept" if kept else "gone")


def _drawn(columns: Sequence[Boxes]) -> Markup:
    parts, height = list[Markup](), 0.0
    for place, column in enumerate(columns):
        x, y = place * (BOX + GAP), TOP
        for lines, style in column:
            colour, dashes = STYLES[style]
            tall = LINE * len(lines) + 12
            parts += [element("line", x1=x + BOX / 2, x2=x + BOX / 2, y1=12.0, y2=y, stroke="currentColor",
                              stroke_opacity="0.4"),
                      element("rect", x=x + 1, y=y, width=BOX - 2, height=tall, rx=5.0, fill="var(--page, Canvas)",
                              stroke=colour, stroke_dasharray=dashes, stroke_width=2.0 if style == "read" else 1.0)]
            parts += [element("text", text, x=x + 9, y=y + 17 + LINE * row, font_size=12.0, fill="currentColor",
                              font_weight="bold" if row == 0 else None) for row, text in enumerate(lines)]
            y += tall + 10
        height = max(height, y)
    width = len(columns) * (BOX + GAP) - GAP
    stream = element("line", x1=BOX / 2, x2=width - BOX / 2, y1=12.0, y2=12.0, stroke="currentColor")
    return element("svg", stream, join(parts), class_="curve", role="img",
                   viewBox=f"0 0 {number(max(width, NARROWEST))} {number(height)}",
                   aria_label="The circuit: parts that are kept, set, or read")


def draw_weights(labels: Sequence[str], weights: Sequence[float], marked: Sequence[bool], title: str) -> Markup:
    """Draw the weights of a query by position; marked positions have the colour of what is certified."""
    parts, width = list[Markup](), max(NARROWEST, len(labels) * BAR + 4)
    for place, (label, weight, is_marked) in enumerate(zip(labels, weights, marked, strict=True)):
        x, tall = 2 + place * BAR, weight * (HEIGHT - 30)
        tip = element("title", f"position {place}, {label}: {weight:.6g}")
        parts += [element("rect", tip, x=x, y=HEIGHT - 20 - tall, width=BAR - 3, height=max(tall, 0.5),
                          fill="var(--certified)" if is_marked else "currentColor"),
                  element("text", label, x=x + (BAR - 3) / 2, y=HEIGHT - 6, font_size=11.0, text_anchor="middle",
                          fill="currentColor")]
    return element("svg", join(parts), class_="curve", role="img", viewBox=f"0 0 {number(width)} {number(HEIGHT)}",
                   aria_label=title)
