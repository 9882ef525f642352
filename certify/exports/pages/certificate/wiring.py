"""The network as a picture: blocks in columns, and every direction one wire from its writer to its readers."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from certify.exports.pages.base.svg import element, join, number
from certify.exports.pages.certificate.blocks import Box, BoxColumn, Role, find_columns, is_approximate
from certify.exports.pages.certificate.layout import DiagramLayout, Sizes, Wire, find_wires
from certify.exports.pages.certificate.names import DirectionNames, clip
from constructions.network.transformer import Transformer

MOST_BLOCKS = 400
"""Pictures with more blocks would be unreadable."""
CHARACTER = 5.8
LINE = 13
MARGIN = 8
PORTS = 9.0


@dataclass(frozen=True)
class DiagramSizes:
    """The measures of a picture: ``depth`` of a block along the columns, ``pitch`` from a column to the next."""

    flat: bool
    depth: float
    pitch: float
    sizes: Sizes
    head: float
    """Room for the titles of columns."""


def draw_network(network: Transformer, names: DirectionNames, flat: bool) -> Markup | None:
    """Draw the picture from left to right, or from the top down; None if there are too many blocks."""
    columns = find_columns(network, names)
    if not 0 < sum(len(column.blocks) for column in columns) <= MOST_BLOCKS:
        return None
    return _SvgPicture(network, names, columns, shape_of(columns, flat)).draw()


def shape_of(columns: Sequence[BoxColumn], flat: bool) -> DiagramSizes:
    """Return the measures that fit these columns."""
    blocks = [block for column in columns for block in column.blocks]
    if flat:
        pitch = min(210.0, max(128.0, 1200 / len(columns)))
        heights = {block.number: 26.0 if block.kind in ("symbol", "position") else 46.0 for block in blocks}
        return DiagramSizes(True, pitch - 34, pitch, Sizes(heights, 6, 12), 46)
    widths = {block.number: min(116.0, max(38.0 if column.layer == 0 else 62.0, 345 / len(column.blocks) - 6))
              for column in columns for block in column.blocks}
    return DiagramSizes(False, 46, 92, Sizes(widths, 4, 6), 6)


class WiringDiagram:
    """The positions of blocks, wires and their ends; a subclass draws them."""

    def __init__(self, network: Transformer, names: DirectionNames, columns: Sequence[BoxColumn], shape: DiagramSizes):
        self.network, self.names, self.columns, self.shape = network, names, columns, shape
        self.wires = find_wires(columns)
        self.layout = DiagramLayout(columns, self.wires, shape.sizes)
        self.places = {block.number: (place, block) for place, column in enumerate(columns) for block in column.blocks}

    def exit_of(self, wire: Wire) -> float:
        """Return the position across at which a wire begins, at the block that writes it."""
        _, writer = self.places[wire.writer]
        step = min(12.0, (self.shape.sizes.blocks[writer.number] - 10) / max(1, len(writer.writes)))
        offset = writer.writes.index(wire.direction) - (len(writer.writes) - 1) / 2
        return self.layout.block(wire.first, writer.number) + step * offset

    def entries(self, direction: str, place: int, reader: Box) -> Iterator[tuple[Role, float]]:
        """Yield the roles in which a block reads a direction, and the position across of each end."""
        step = min(PORTS, (self.shape.sizes.blocks[reader.number] - 8) / max(1, len(reader.reads)))
        for k, (name, role) in enumerate(reader.reads):
            if name == direction:
                yield role, self.layout.block(place, reader.number) + step * (k - (len(reader.reads) - 1) / 2)


class _SvgPicture(WiringDiagram):
    def draw(self) -> Markup:
        low, high = self.layout.extent
        along = (len(self.columns) - 1) * self.shape.pitch + self.shape.depth
        side, top = (MARGIN, self.shape.head) if self.shape.flat else (MARGIN, 22)
        box = ((-side, low - top - MARGIN, along + 2 * side, high - low + top + 2 * MARGIN) if self.shape.flat else
               (low - side, -top, high - low + 2 * side, along + top + MARGIN))
        least = box[2] * .85 if box[2] > (1400 if self.shape.flat else 480) else 0  # smaller is unreadable
        size = f"max-width:{box[2] * 1.1:.0f}px"
        content = [*map(self._wire, self.wires), *self._titles(low), *map(self._block, self._blocks())]
        return element("svg", join(content), class_="net flat" if self.shape.flat else "net tall",
                       viewBox=" ".join(map(number, box)), role="group",
                       style=f"min-width:{least:.0f}px;{size}" if least else size,
                       aria_label="The network: blocks, and the directions between them")

    def _blocks(self) -> Iterator[Box]:
        return (block for column in self.columns for block in column.blocks)

    def _titles(self, low: float) -> Iterator[Markup]:
        for place, column in enumerate(self.columns):
            start = place * self.shape.pitch
            if not self.shape.flat:
                text = f"layer {column.layer}, {column.what}" if column.layer else column.what
                yield element("text", text, class_="column", x=low, y=start - 6)
                continue
            middle = start + self.shape.depth / 2
            yield element("text", column.what, class_="column", x=middle, y=low - 12)
            same = [k for k, each in enumerate(self.columns) if each.layer == column.layer]
            if column.layer and place == same[0]:
                end = same[-1] * self.shape.pitch + self.shape.depth
                yield element("path", class_="rule", d=f"M{number(start)} {number(low - 27)}H{number(end)}")
                yield element("text", f"layer {column.layer}", class_="column layer", x=(start + end) / 2, y=low - 32)

    def _point(self, along: float, across: float) -> str:
        x, y = (along, across) if self.shape.flat else (across, along)
        return f"{x:.0f} {y:.0f}"

    def _curve(self, place: int, here: float, there: float, goes_on: bool = False) -> str:
        """Return the curve from the previous column to this one; a path that goes on has its start already."""
        start, end = (place - 1) * self.shape.pitch + self.shape.depth, place * self.shape.pitch
        middle = (start + end) / 2
        begin = "" if goes_on else f"M{self._point(start, here)}"
        return f"{begin}C{self._point(middle, here)} {self._point(middle, there)} {self._point(end, there)}"

    def _wire(self, wire: Wire) -> Markup:
        _, writer = self.places[wire.writer]
        here = self.exit_of(wire)
        trunk, branches = "", list[Markup]()
        for place in range(wire.first + 1, wire.last + 1):
            for reader in wire.readers.get(place, ()):
                branches += self._branches(wire.direction, place, self.places[reader][1], here,
                                           writer.kind == "position")
            if place < wire.last:
                there = self.layout.wire(place, wire.direction)
                trunk += self._curve(place, here, there, goes_on=bool(trunk))
                trunk += f"{'H' if self.shape.flat else 'V'}{place * self.shape.pitch + self.shape.depth:.0f}"
                here = there
        faint = "position" if writer.kind == "position" else "near" if is_approximate(
            self.network, wire.direction) else "exact"
        parts = [element("title", self.names.direction(wire.direction))] if self.shape.flat else []
        parts += [element("path", class_="trunk", d=trunk)] if trunk else []
        return element("g", join([*parts, *branches]), class_=f"wire {faint}",
                       data_d=str(list(self.network.directions).index(wire.direction)))

    def _branches(self, direction: str, place: int, reader: Box, here: float, faint: bool) -> Iterator[Markup]:
        for role, there in self.entries(direction, place, reader):
            x, y = self._point(place * self.shape.pitch, there).split()
            to = str(reader.number)
            yield element("path", class_=f"branch {role}", data_to=to, d=self._curve(place, here, there))
            if role != "relu" and not faint:
                yield element("circle", class_=f"port {role}", data_to=to, cx=x, cy=y, r=2.5)

    def _block(self, block: Box) -> Markup:
        place, _ = self.places[block.number]
        along, across = self.shape.depth, self.shape.sizes.blocks[block.number]
        width, height = (along, across) if self.shape.flat else (across, along)
        middle, centre = place * self.shape.pitch + along / 2, self.layout.block(place, block.number)
        x, y = (middle, centre) if self.shape.flat else (centre, middle)
        lines = wrap(block.lines, width, 1 if height < 40 else 3)
        first = y - (len(lines) - 1) * LINE / 2 + 4
        texts = [element("text", line, class_="strong" if k == 0 else None, x=round(x), y=round(first + LINE * k))
                 for k, line in enumerate(lines)]
        box = element("rect", x=round(x - width / 2), y=round(y - height / 2), width=round(width), height=round(height),
                      rx=6 if block.kind in ("head", "exact", "feed") else 13)
        final = " output" if self.network.output in block.writes else ""
        return element("g", join([element("title", block.spoken), box, *texts]), class_=f"block {block.kind}{final}",
                       data_b=str(block.number))


def wrap(texts: Sequence[str], width: float, most: int) -> list[str]:
    """Wrap to at most ``most`` lines that fit the width; the first line is the first text.

    >>> wrap(("1.1", "rightmost deciding position"), 100, 3), wrap(("1.1", "rightmost"), 30, 3)
    (['1.1', 'rightmost', 'deciding…'], ['1.1', 'r…st'])
    >>> wrap(("2 ReLUs", "previous(i)='a'"), 66, 3)
    ['2 ReLUs', 'previous(', "i)='a'"]
    """
    room = max(3, int((width - 6) / CHARACTER))
    lines = [clip(texts[0], room)]
    pieces = [piece for text in texts[1:] for word in text.split() for piece in _pieces(word, room)]
    while pieces and len(lines) < most:
        current = clip(pieces.pop(0).strip(), room)
        while pieces and len(current + pieces[0]) <= room:
            current += pieces.pop(0)
        lines.append(current)
    if pieces:
        lines[-1] = lines[-1][:room - 1] + "…"
    return lines


def _pieces(word: str, room: int) -> list[str]:
    """Split a word where a line may end: before it, and at its signs if it is longer than a line."""
    first, *others = [word] if len(word) <= room else re.findall(r"\w*\W+|\w+", word)
    return [f" {first}", *others]
