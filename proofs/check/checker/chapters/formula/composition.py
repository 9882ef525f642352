"""Composition.

See docs/reference/certificate.md, section 4: every direction has one writer, and is read only after it is written.

Proof. A direction holds 0 until its writer adds to it, and nothing adds to it afterwards. So at every later stage it
holds what its writer wrote, and a writer may be proved right from the meanings of what it reads, by induction over the
stages.

The writer may be several heads of one layer whose weights are additive: together they are one, which writes their sum.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ...kernel.reading.records import ADDITIVE, LinearForm, Transformer
from ...kernel.verdicts import quote, require

SHOWN_HEADS = 4  # of those after the first that write one direction: a message is one line


@dataclass(frozen=True)
class Writer:
    """The writer of a direction: the embedding (layer 0), a head of a layer, or its feed-forward block (head 0).

    ``more`` are the other heads of the layer that also write it.
    """

    layer: int
    head: int
    more: tuple[int, ...] = ()

    @property
    def stage(self) -> int:
        """The stage of the writer: 0 is the embedding, 2 l - 1 the heads of layer l, 2 l its feed-forward block."""
        return 2 * self.layer - (self.head > 0)

    @property
    def label(self) -> str:
        """The location of the writer, for messages."""
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
    """Yield all heads and feed-forward blocks, in the order of their stages."""
    for number, layer in enumerate(transformer.layers, 1):
        for place, head in enumerate(layer.heads, 1):
            reads = (*head.queries, *head.keys, *head.values.values())
            yield WriterPart(Writer(number, place), reads, tuple(head.values), head.weighting in ADDITIVE)
        units, bias = layer.feedforward.units, layer.feedforward.bias
        written = dict.fromkeys([*bias, *(name for unit in units for name in unit.writes)])
        yield WriterPart(Writer(number, 0), tuple(unit.reads for unit in units), tuple(written))


def find_writers(transformer: Transformer) -> dict[str, Writer]:
    """Find the one writer of every direction: the embedded ones first, the others in the order of writing."""
    parts = list(parts_of(transformer))
    later = {name for part in parts for name in part.writes}
    embedded = {*transformer.position_embedding, *names_in(transformer.token_embedding.values())}
    writers = {name: Writer(0, 0) for name in transformer.directions if name in embedded or name not in later}
    more: dict[str, list[int]] = {}  # for a direction that only additive heads write so far: the heads after the first
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
    """Find the local directions: the output, and those read only by units all of whose written directions are local.

    These need to hold their meaning only where `given` holds. Proof. Units read and write at one position. Let `given`
    hold there: by induction over the stages, all that units read there holds its meaning, local directions by
    hypothesis and the others everywhere; so each local direction does, since the rules prove that. No head reads one,
    so nothing depends on its value at other positions. The layers are visited from the last: readers come later.
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
    """Yield all directions that linear forms mention."""
    return (name for row in rows for name in row)
