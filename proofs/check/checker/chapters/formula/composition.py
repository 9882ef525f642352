"""Composition; docs/certificate.md, section 4: every direction has one writer, and is read only after it is written.

Why that composes: a direction holds 0 until its writer adds to it, and nobody adds to it afterwards. So at every later
stage it holds what its writer wrote, and a writer may be proved right from the meanings of what it reads: by
induction over the stages, those hold.

The writer may be several heads of one layer whose weights are additive: together they are one, which writes their sum.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ...kernel.reading.records import ADDITIVE, LinearForm, Transformer
from ...kernel.verdicts import quote, require

SHOWN_HEADS = 4  # of those after the first that write one direction: a message is a line


@dataclass(frozen=True)
class Writer:
    """Who writes a direction: the embedding (layer 0), a head of a layer, or its feed-forward part (head 0).

    ``more`` are the other heads of the layer that write it, too.
    """

    layer: int
    head: int
    more: tuple[int, ...] = ()

    @property
    def stage(self) -> int:
        """When: 0 is the embedding, 2 l - 1 are the heads of layer l, 2 l is its feed-forward part."""
        return 2 * self.layer - (self.head > 0)

    @property
    def label(self) -> str:
        """Where, for messages."""
        if not self.layer:
            return "embedding"
        shown = ", ".join(map(str, (self.head, *self.more[:SHOWN_HEADS])))
        left_out = len(self.more) - SHOWN_HEADS
        heads = f"head{'s' if self.more else ''} {shown}" + (f" and {left_out} more" if left_out > 0 else "")
        return f"layer {self.layer}, " + (heads if self.head else "feed-forward")


@dataclass(frozen=True)
class WriterPart:
    """A writer with the linear forms that it reads and the names that it writes."""

    writer: Writer
    reads: tuple[LinearForm, ...]
    writes: tuple[str, ...]
    is_additive: bool = False


def parts_of(transformer: Transformer) -> Iterator[WriterPart]:
    """All heads and feed-forward parts, in the order of their stages."""
    for number, layer in enumerate(transformer.layers, 1):
        for place, head in enumerate(layer.heads, 1):
            reads = (*head.queries, *head.keys, *head.values.values())
            yield WriterPart(Writer(number, place), reads, tuple(head.values), head.weighting in ADDITIVE)
        units, bias = layer.feedforward.units, layer.feedforward.bias
        written = dict.fromkeys([*bias, *(name for unit in units for name in unit.writes)])
        yield WriterPart(Writer(number, 0), tuple(unit.reads for unit in units), tuple(written))


def find_writers(transformer: Transformer) -> dict[str, Writer]:
    """The one writer of every direction: the embedded ones first, the others in the order in which they are written.

    A direction that nothing writes holds 0 everywhere, and counts as embedded.
    """
    parts = list(parts_of(transformer))
    later = {name for part in parts for name in part.writes}
    embedded = {*transformer.position_embedding, *names_in(transformer.token_embedding.values())}
    writers = {name: Writer(0, 0) for name in transformer.directions if name in embedded or name not in later}
    more: dict[str, list[int]] = {}  # of what only additive heads write, as yet, the heads after the first
    for part in parts:
        for name in names_in(part.reads):
            is_written = name in writers and writers[name].stage < part.writer.stage
            require(is_written, "layer {} reads {} too early", part.writer.layer, quote(name))
        for name in part.writes:
            before = writers.get(name)
            if before is None:
                writers[name] = part.writer
                more |= {name: []} if part.is_additive else {}
            else:
                joins = part.is_additive and name in more and before.stage == part.writer.stage
                require(joins, "direction {} is written twice, in layer {}", quote(name), part.writer.layer)
                more[name].append(part.writer.head)
    return {name: replace(writer, more=tuple(more.get(name, ()))) for name, writer in writers.items()}


def find_local(transformer: Transformer) -> set[str]:
    """Directions that matter at their position alone: the output, and what only units read that write nothing but such.

    These need mean what they do only where the assumption of the claim holds. Proof. Units read and write at one
    position. Let the assumption hold there: by induction over the stages, all that units read there holds its meaning,
    if it is local, and if not, everywhere; so each local direction does, of which the rules prove that. No head reads
    one, so nothing depends on what it is at other positions. The layers are seen from the last: readers come later.
    """
    read = {name for layer in transformer.layers for unit in layer.feedforward.units for name in unit.reads}
    local = {transformer.output, *read}
    for head in transformer.heads:
        local -= {*names_in([*head.queries, *head.keys, *head.values.values()])}
    for layer in reversed(transformer.layers):
        for unit in layer.feedforward.units:
            if not local.issuperset(unit.writes):
                local -= unit.reads.keys()
    return local


def names_in(rows: Iterable[LinearForm]) -> Iterator[str]:
    """All directions that linear forms mention."""
    return (name for row in rows for name in row)
