"""The picture of README, from a certificate: `python docs/tools/draw_picture.py CERT > docs/picture.svg`.

Formula, network, one head's attention, the worst error of every head, and the checker's output are read or computed
from the certificate. One drawing serves light and dark pages.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

from certify.claims.formula.sealed import Sealed, read_sealed
from certify.common.doubles import DoubleNetwork
from certify.common.numbers import decimal_upper
from constructions.network.transformer import Head, Layer, Transformer

WIDTH, HEIGHT = 1000, 330
TOP, BOTTOM = 62, 258
"""The drawings are between them; titles are above, captions below."""
WORD = "110100101101"
"""The word shown to the last approximate head."""
STYLE = """
.page{fill:#f6f8fa;stroke:#d0d7de}.text{fill:#1f2328}.soft{fill:#57606a}.head{fill:#ddf4ff;stroke:#0969da}
.unit{fill:#ffffff;stroke:#6e7781}.in{fill:#eaeef2;stroke:#8c959f}.out{fill:#dafbe1;stroke:#1a7f37}
.wire{fill:none;stroke:#8c959f}.blue{fill:#0969da}.bar{fill:#bc4c00}.room{fill:#d8dee4}.limit{stroke:#1f2328}
.green{fill:#1a7f37}.grid{fill:#ffffff;stroke:#d0d7de}
@media (prefers-color-scheme:dark){
.page{fill:#161b22;stroke:#30363d}.text{fill:#e6edf3}.soft{fill:#9da7b3}.head{fill:#12304f;stroke:#58a6ff}
.unit{fill:#21262d;stroke:#8b949e}.in{fill:#2d333b;stroke:#768390}.out{fill:#12361f;stroke:#3fb950}
.wire{stroke:#6e7681}.blue{fill:#58a6ff}.bar{fill:#f0883e}.room{fill:#30363d}.limit{stroke:#e6edf3}
.green{fill:#3fb950}.grid{fill:#0d1117;stroke:#30363d}}
text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','DejaVu Sans',sans-serif}
.mono{font-family:ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace}
"""


def picture(sealed: Sealed) -> str:
    """Return the whole SVG document."""
    last = sealed.lengths.last
    parts = [
        *panel(16, 172, "a formula", ("more 1s than 0s", "so far")),
        *formula_lines(30, ("#<[Q_1]", "  >", "#<[Q_0]")),
        *panel(196, 282, "exact weights", network_captions(sealed.transformer)),
        *wiring(sealed.transformer, 212, 462),
        *panel(486, 164, "soft attention", ("one head, one word:", "a row for each position")),
        *attention(sealed, 496, 640),
        *panel(658, 164, "the worst words", (f"all words up to n = {last},", "no head errs by 1/4")),
        *errors(sealed, 672, 808),
        *panel(830, 154, "a certificate", ("checked by one file", "of plain Python")),
        *checker(842),
    ]
    body = "\n".join(parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            'aria-label="A formula becomes exact weights; soft attention of one head; the worst error of every head '
            'is below 1/4; a certificate that one Python file accepts.">\n'
            f'<style>{STYLE}</style>\n'
            f'<rect class="page" x="1" y="1" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="12"/>\n{body}\n</svg>\n')


def text(x: float, y: float, content: str, kind: str = "text", size: float = 14, anchor: str = "start",
         weight: int = 400) -> str:
    """Return a line of text."""
    return (f'<text class="{kind}" x="{x:g}" y="{y:g}" font-size="{size:g}" text-anchor="{anchor}" '
            f'font-weight="{weight}" xml:space="preserve">{escape(content)}</text>')


def rectangle(kind: str, x: float, y: float, width: float, height: float, corner: float = 0, shade: float = 1) -> str:
    """Return a box; ``shade`` is its opacity."""
    return (f'<rect class="{kind}" x="{x:.4g}" y="{y:.4g}" width="{width:.4g}" height="{height:.4g}" rx="{corner:g}"'
            + (f' fill-opacity="{shade:.3f}"' if shade < 1 else "") + "/>")


def panel(x: float, width: float, title: str, captions: Sequence[str]) -> Iterable[str]:
    """Yield a title above and captions below a drawing."""
    middle = x + width / 2
    yield text(middle, 36, title, size=18, anchor="middle", weight=650)
    for place, caption in enumerate(captions):
        yield text(middle, BOTTOM + 28 + 20 * place, caption, "soft", 14, "middle")


def formula_lines(x: float, lines: Sequence[str]) -> Iterable[str]:
    """Yield the formula, operators in colour."""
    for place, line in enumerate(lines):
        is_operator = line.strip() in ("since", "until")
        yield text(x, TOP + 34 + 32 * place, line, "mono blue" if is_operator else "mono text", 19,
                   weight=650 if is_operator else 400)


def network_captions(network: Transformer) -> tuple[str, str]:
    """Return the size of the network in words."""
    return (f"{len(network.layers)} layers, {len(list(network.heads()))} attention heads,",
            f"{network.parameter_count()} rational parameters")


# -- the network -------------------------------------------------------------------------------------------------------


@dataclass
class DrawnNode:
    """A head or an output of a feed-forward block: the direction that it writes, and those that it reads."""

    kind: str
    column: int
    writes: frozenset[str]
    reads: frozenset[str]
    y: float = 0.0
    before: list[DrawnNode] = field(default_factory=list)


def nodes_of(network: Transformer) -> list[DrawnNode]:
    """Return all nodes, from left to right; a column for the symbols, and two for each layer."""
    symbols = sorted({name for row in network.token_embedding.values() for name in row})
    found = [DrawnNode("in", 0, frozenset([name]), frozenset()) for name in symbols]
    for place, layer in enumerate(network.layers):
        found += [DrawnNode("head", 2 * place + 1, frozenset(head.values), reads_of(head)) for head in layer.heads]
        found += [DrawnNode("out" if name == network.output else "unit", 2 * place + 2, frozenset([name]), reads)
                  for name, reads in written_by_units(layer).items()]
    for node in found:
        node.before = [other for other in found if other.column < node.column and other.writes & node.reads]
    return found


def reads_of(head: Head) -> frozenset[str]:
    """Return the directions that a head reads."""
    return frozenset(name for row in (*head.queries, *head.keys, *head.values.values()) for name in row)


def written_by_units(layer: Layer) -> dict[str, frozenset[str]]:
    """Return the outputs of a feed-forward block, each with its inputs."""
    found: dict[str, frozenset[str]] = {}
    for unit in layer.feedforward.units:
        for name in unit.writes:
            found[name] = found.get(name, frozenset()) | frozenset(unit.reads)
    return found


def wiring(network: Transformer, left: float, right: float) -> Iterable[str]:
    """Yield columns of nodes, each near its inputs, and wires between them."""
    nodes = nodes_of(network)
    columns = sorted({node.column for node in nodes})
    xs = {column: left + (right - left) * place / (len(columns) - 1) for place, column in enumerate(columns)}
    for column in columns:
        place_column([node for node in nodes if node.column == column])
    for node in nodes:
        for other in node.before:
            (x0, y0), (x1, y1) = (xs[other.column], other.y), (xs[node.column], node.y)
            half = (x1 - x0) / 2
            yield (f'<path class="wire" d="M{x0:.4g} {y0:.4g}C{x0 + half:.4g} {y0:.4g} {x1 - half:.4g} {y1:.4g} '
                   f'{x1:.4g} {y1:.4g}"/>')
    for node in nodes:
        size = 15 if node.kind in ("head", "out") else 11
        yield rectangle(node.kind, xs[node.column] - size / 2, node.y - size / 2, size, size,
                        size / 2 if node.kind == "head" else 3)


def place_column(nodes: list[DrawnNode]) -> None:
    """Return heights near the mean height of the inputs, in that order, spread over the column."""
    middle = (TOP + BOTTOM) / 2
    wanted = {id(node): sum(other.y for other in node.before) / len(node.before) if node.before else middle
              for node in nodes}
    step = min(34.0, (BOTTOM - TOP - 20) / max(1, len(nodes) - 1))
    for place, node in enumerate(sorted(nodes, key=lambda node: wanted[id(node)])):
        node.y = middle + step * (place - (len(nodes) - 1) / 2)


# -- attention, errors, checker ----------------------------------------------------------------------------------------


def attention(sealed: Sealed, left: float, right: float) -> Iterable[str]:
    """Yield the attention of each position in the last approximate head; the shade is the square root of the weight."""
    bound = sealed.bounds[-1]
    run = DoubleNetwork(sealed.transformer, len(WORD)).run([WORD], attention=True)
    weights = run.attention[bound.layer, bound.head][0].tolist()
    side = (right - left) / len(WORD)
    top = (TOP + BOTTOM - (right - left)) / 2 + 8
    yield rectangle("grid", left, top, right - left, right - left)
    for i, row in enumerate(weights):
        yield text(left + side * (i + 0.5), top - 6, WORD[i], "mono soft", 12, "middle")
        for j, weight in enumerate(row):
            if weight > 1e-4:
                yield rectangle("blue", left + side * j + 0.5, top + side * i + 0.5, side - 1, side - 1, 1.5,
                                weight**0.5)


def errors(sealed: Sealed, left: float, right: float) -> Iterable[str]:
    """Yield a bar for each head up to its worst error, and the line at 1/4."""
    step = (BOTTOM - TOP - 30) / len(sealed.bounds)
    for place, bound in enumerate(sealed.bounds):
        error = max(bound.error_if_false, bound.error_if_true)
        y = TOP + 40 + step * place
        yield text(left, y - 3, f"head {bound.layer}.{bound.head}", "soft", 12)
        yield text(right - 8, y - 3, decimal_upper(error, 3), "soft", 12, "end")
        yield rectangle("room", left, y, right - left, 8, 2)
        yield rectangle("bar", left, y, max(2.5, float(4 * error) * (right - left)), 8, 2)
    yield f'<path class="limit" d="M{right:g} {TOP + 18}V{BOTTOM - 6}" stroke-width="2"/>'
    yield text(right, TOP + 12, "1/4", "text", 13, "middle", 650)


def checker(x: float) -> Iterable[str]:
    """Yield the command of a user, and its output."""
    lines = (("$ python -I -S \\", "soft"), ("    check.pyz \\", "soft"), ("    ones.cert", "soft"), ("", "soft"),
             ("accepted", "green"))
    for place, (line, kind) in enumerate(lines):
        yield text(x, TOP + 44 + 25 * place, line, f"mono {kind}", 15 if kind == "soft" else 17,
                   weight=400 if kind == "soft" else 650)


if __name__ == "__main__":
    sys.stdout.write(picture(read_sealed(sys.argv[1])))
