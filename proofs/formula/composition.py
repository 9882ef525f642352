"""Composition: every direction is written once, and is read only after it is written.

So each head can be certified separately: a direction that it reads holds its meaning, and does not change afterwards.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from constructions.errors import InputError
from constructions.language.brackets import PositionFunction
from constructions.language.positional import symbolic_truth
from constructions.language.printer import format_briefly
from constructions.language.syntax import is_symbolic, subformulas
from constructions.network import meanings
from constructions.network.lengths import Lengths
from constructions.network.transformer import Coefficients, Transformer
from proofs.formula.common.word_independent import known_column, known_mentions_n, known_value


@dataclass(frozen=True)
class Write:
    """One direction and its writer: stage 0 embeds, 2l - 1 has the heads of layer l, 2l its feed-forward block."""

    stage: int
    place: int
    direction: str

    @property
    def layer(self) -> int:
        """The layer that writes, counted from 1; 0 for the embedding."""
        return (self.stage + 1) // 2

    @property
    def where(self) -> str:
        """The writer, in words."""
        if self.stage == 0:
            return "the embedding"
        return f"layer {self.layer}, " + (f"head {self.place}" if self.place else "feed-forward")


def writes(transformer: Transformer) -> Iterator[Write]:
    """Yield every write, in the order of stages."""
    for name in transformer.embedded():
        yield Write(0, 0, name)
    for number, layer in enumerate(transformer.layers, start=1):
        for place, head in enumerate(layer.heads, start=1):
            for name in head.values:
                yield Write(2 * number - 1, place, name)
        for name in layer.feedforward.written():
            yield Write(2 * number, 0, name)


def first_writes(transformer: Transformer) -> Iterator[Write]:
    """Yield the first write of each direction: heads of one layer that write it together are named by the first."""
    seen: set[str] = set()
    for write in writes(transformer):
        if write.direction not in seen:
            seen.add(write.direction)
            yield write


def find_composition_faults(transformer: Transformer) -> list[str]:
    """Find reads before a write, and second writes; empty if the composition is sound."""
    written: dict[str, Write] = {}
    faults = []
    for write in writes(transformer):
        if write.direction in written and not _add_up(transformer, written[write.direction], write):
            faults.append(f"{write.direction} is written by {written[write.direction].where} and by {write.where}; "
                          "each direction is written once")
        written.setdefault(write.direction, write)
    for stage, where, rows in _reads(transformer):
        faults += [f"{where} reads {name}, which is written by {written[name].where}"
                   for name in dict.fromkeys(name for row in rows for name in row)
                   if name in written and written[name].stage >= stage]
    return faults


def _add_up(transformer: Transformer, one: Write, other: Write) -> bool:
    """Return whether two heads of one layer write the direction, both with additive weights."""
    return one.stage == other.stage and bool(one.place and other.place) and all(
        transformer.head(write.layer, write.place).weighting.is_additive for write in (one, other))


def _reads(transformer: Transformer) -> Iterator[tuple[int, str, Iterable[Coefficients]]]:
    for number, place, head in transformer.heads():
        yield 2 * number - 1, f"layer {number}, head {place}", [*head.queries, *head.keys, *head.values.values()]
    for number, layer in enumerate(transformer.layers, start=1):
        yield 2 * number, f"layer {number}, feed-forward", [unit.reads for unit in layer.feedforward.units]


def find_output_faults(transformer: Transformer) -> list[str]:
    """Find reasons why the output does not hold a formula, or no direction holds one of its subformulas."""
    output = transformer.directions[transformer.output]
    if not isinstance(output, meanings.Truth):
        return [f"the output {transformer.output} is {output}, expected the exact truth of a formula"]
    held = {meaning.formula for meaning in transformer.directions.values() if isinstance(meaning, meanings.Truth)}
    return [f"no direction holds the truth of the subformula {format_briefly(part)}"
            for part in subformulas(output.formula) if part not in held]


def find_embedding_fault(transformer: Transformer, direction: str, lengths: Lengths) -> str | None:
    """Find the reason why an embedded direction does not hold its meaning; None if it does."""
    tokens = {symbol: row[direction] for symbol, row in transformer.token_embedding.items() if direction in row}
    position = transformer.position_embedding.get(direction)
    meaning: meanings.Meaning = transformer.directions[direction]
    match meaning:
        case meanings.Truth(formula) if is_symbolic(formula):
            if position is not None:
                return "the truth of a formula over symbols has no position embedding"
            for symbol in transformer.alphabet:
                if tokens.get(symbol, 0) != symbolic_truth(formula, symbol):
                    return f"the token embedding of {symbol} is {tokens.get(symbol, 0)}, expected {meaning}"
            return None
        case meanings.Position() | meanings.Truth() | meanings.Product():
            return _find_position_fault(transformer, direction, lengths)
        case meanings.Near() | meanings.Mean() | meanings.Average() | meanings.Others():
            return f"a direction that is {meaning} is written by a head, not embedded"
        case meanings.Slack() | meanings.Total():
            return f"a direction that is {meaning} is written by a feed-forward part, not embedded"
        case meanings.Anything():
            return None


def _find_position_fault(transformer: Transformer, direction: str, lengths: Lengths) -> str | None:
    """Find the reason why a direction is not embedded as the function of the position that it means; None if it is."""
    meaning, position = transformer.directions[direction], transformer.position_embedding.get(direction)
    if not meanings.is_known(meaning):
        return f"{meaning} is not decided by the embedding"
    if position is None or any(direction in row for row in transformer.token_embedding.values()):
        return "a function of the position is embedded by position alone"
    if _holds_everywhere(meaning, position, lengths):
        return None
    for n, i in lengths.rows():
        if position.evaluate(i=i, n=n) != (expected := known_value(meaning, i, n)):
            return f"the position embedding {position} differs from {expected} at i = {i}, n = {n}"
    return None


def _holds_everywhere(meaning: meanings.Meaning, position: PositionFunction, lengths: Lengths) -> bool:
    """Return whether the embedding has, at every (n, i), the value that the meaning states; False if it is undefined.

    If nothing mentions n, the longest words have all positions. If both are one expression, only its definedness is
    checked.
    """
    mentions_n = position.mentions_n or known_mentions_n(meaning)
    try:
        for n in lengths if mentions_n else [lengths.last]:
            positions = range(1, n + 1)
            if meaning == meanings.Position(position):
                position.check_defined(positions, n)
            elif position.column(positions, n) != known_column(meaning, positions, n):
                return False
    except InputError:
        return False
    return True
