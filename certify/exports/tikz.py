"""`certify export --to tikz`: the network as a picture for a paper, laid out as on the page of the certificate."""

from collections.abc import Iterator, Sequence

from certify.claims.formula.sealed import Sealed
from certify.exports.latex_tables import plain
from certify.exports.pages.certificate.blocks import Box, find_columns, is_approximate
from certify.exports.pages.certificate.layout import Wire
from certify.exports.pages.certificate.names import DirectionNames
from certify.exports.pages.certificate.wiring import MOST_BLOCKS, WiringDiagram, shape_of, wrap
from certify.exports.writing import of_formula, text_file
from constructions.errors import Unsupported
from constructions.network.meanings import Truth

HEAD = r"""% For a document with \usepackage{tikz}.
% From the NAMES
{\small\noindent
\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%
\begin{tikzpicture}[x=1bp, y=-1bp, font=\sffamily\footnotesize, line cap=round,
  block/.style={draw, rounded corners=3bp, align=center, inner sep=1bp},
  head/.style={block, fill=orange!18}, exact/.style={block, fill=blue!8}, feed/.style={block, fill=green!10},
  symbol/.style={block, rounded corners=8bp, fill=black!5}, position/.style={symbol, densely dotted},
  output/.style={line width=1.2bp}, title/.style={inner sep=0bp, text=black!60},
  wire/.style={line width=.5bp, draw=black!65}, near/.style={draw=orange!80!black}, far/.style={draw=black!25},
  query/.style={densely dashed}, key/.style={}, value/.style={line width=1bp}, relu/.style={}]"""
PICTURE_ENDS = r"\end{tikzpicture}}%"
LINE_HEIGHT = 26.0
"""Lower boxes have a single line."""


def tikz_of(sealed: Sealed) -> str:
    """Return the whole text, in ASCII.

    Raises:
        Unsupported: if the network is too large for a picture.
    """
    network = sealed.transformer
    output = network.directions[network.output]
    assert isinstance(output, Truth), "what the checker accepts decides a formula"
    names = DirectionNames(network, output.formula)
    columns = find_columns(network, names)
    if not 0 < sum(len(column.blocks) for column in columns) <= MOST_BLOCKS:
        raise Unsupported(f"a picture of this network, expected at most {MOST_BLOCKS} blocks")
    picture = _TikzPicture(network, names, columns, shape_of(columns, flat=True))
    shown = list(picture.lines())
    return "\n".join([HEAD.replace("NAMES", sealed.names), *shown, PICTURE_ENDS, *definitions(names, shown),
                      r"\par}"]) + "\n"


def definitions(names: DirectionNames, shown: Sequence[str]) -> list[str]:
    """Return the definitions of the numbered formulas in the lines, and of those in these definitions."""
    found: list[str] = []
    for part, text in reversed(names.definitions.items()):
        name = plain(names.texts[part])
        if any(name in line for line in [*shown, *found]):
            found.append(rf"\par\smallskip {name} is \texttt{{{plain(text)}}}.")
    return found[::-1]


class _TikzPicture(WiringDiagram):
    """The picture in TikZ; columns are ``pitch`` apart."""

    def lines(self) -> Iterator[str]:
        """Yield titles, then wires, then the blocks that cover their ends."""
        low, _ = self.layout.extent
        for place, column in enumerate(self.columns):
            what = f"layer {column.layer}: {column.what}" if column.layer else column.what
            x = place * self.shape.pitch + self.shape.depth / 2
            yield rf"\node[title] at ({x:.0f}, {low - 16:.0f}) {{{plain(what)}}};"
        for wire in self.wires:
            yield from self._wire(wire)
        for place, block in self.places.values():
            yield self._block(place, block)

    def _curve(self, place: int, here: float, there: float) -> str:
        """Return the curve from the previous column to this one."""
        start, end = (place - 1) * self.shape.pitch + self.shape.depth, place * self.shape.pitch
        middle = (start + end) / 2
        return (f"({start:.0f}, {here:.1f}) .. controls ({middle:.0f}, {here:.1f}) and ({middle:.0f}, {there:.1f}) .. "
                f"({end:.0f}, {there:.1f})")

    def _wire(self, wire: Wire) -> Iterator[str]:
        _, writer = self.places[wire.writer]
        colour = "far" if writer.kind == "position" else "near" if is_approximate(
            self.network, wire.direction) else ""
        style = f"wire, {colour}" if colour else "wire"
        here = self.exit_of(wire)
        for place in range(wire.first + 1, wire.last + 1):
            for reader in wire.readers.get(place, ()):
                for role, there in self.entries(wire.direction, place, self.places[reader][1]):
                    yield rf"\draw[{style}, {role}] {self._curve(place, here, there)};"
            if place < wire.last:
                there = self.layout.wire(place, wire.direction)
                end = place * self.shape.pitch + self.shape.depth
                yield rf"\draw[{style}] {self._curve(place, here, there)} -- ({end:.0f}, {there:.1f});"
                here = there

    def _block(self, place: int, block: Box) -> str:
        width, height = self.shape.depth, self.shape.sizes.blocks[block.number]
        first, *more = wrap(block.lines, width, 1 if height <= LINE_HEIGHT else 3)
        text = r"\\{}".join([rf"\textbf{{{plain(first)}}}", *map(plain, more)])
        final = ", output" if self.network.output in block.writes else ""
        x, y = place * self.shape.pitch + width / 2, self.layout.block(place, block.number)
        return (rf"\node[{block.kind}{final}, minimum width={width:.0f}bp, minimum height={height:.0f}bp] "
                rf"at ({x:.0f}, {y:.1f}) {{{text}}};")


export_tikz = text_file(of_formula(tikz_of))
