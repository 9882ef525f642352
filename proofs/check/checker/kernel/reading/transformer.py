"""Reader of the JSON object of docs/reference/certificate.md, section 2, as a `Transformer`."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from ..budget import MAX_ENTRIES
from ..language import Language, Place
from ..verdicts import expect, quote
from .document import Json
from .formulas import in_language, read_predicates
from .records import HARD, KINDS, RECURRENT, FeedForward, Head, Layer, LinearForm, Meaning, Neuron, Transformer
from .shapes import (
    DirectionOrder,
    Fields,
    entries,
    headed,
    list_of,
    one_of,
    read_item,
    read_rational,
    read_symbols,
    read_text,
)

MASKS = ("none", "future", "past")
WEIGHTINGS = ("softmax", *HARD)


def read_transformer(value: Json, language: Language, weightings: Sequence[str] = WEIGHTINGS) -> Transformer:
    """Read a transformer; predicates and the table of formulas come first, since formulas may mention them.

    `weightings` are those that the caller has rules for; any other one is malformed.
    """
    fields = headed(value, "certify-transformer", "alphabet", "predicates", "formulas", "directions", "token_embedding",
                    "position_embedding", "layers", "output", optional=("formulas",))
    alphabet = fields.read("alphabet", read_symbols)
    predicates = fields.read("predicates", partial(read_predicates, language=language))
    if "formulas" in fields:
        fields.read("formulas", partial(read_entries, language=language))
    directions = fields.read("directions", partial(read_directions, language=language))
    order = DirectionOrder(list(directions), language.budget)
    tokens = fields.read("token_embedding", partial(read_rows, alphabet=alphabet, order=order))
    positions = fields.read("position_embedding", partial(order.read_map, shape=in_language(language.value)))
    layers = fields.read("layers", list_of(partial(read_layer, language=language, order=order,
                                                   weightings=weightings)))
    output = fields.read("output", read_text)
    expect(output in directions, "output: {} is not a direction", quote(output))
    return Transformer(alphabet, predicates, directions, tokens, positions, layers, output)


def read_entries(value: Json, language: Language) -> tuple[Place, ...]:
    """Enter the table of formulas; each may mention the ones before it."""
    expect(isinstance(value, list) and 1 <= len(value) <= MAX_ENTRIES, "expected 1 to {} (limit) formulas", MAX_ENTRIES)
    return list_of(in_language(language.enter))(value)


def read_directions(value: Json, language: Language) -> dict[str, Meaning]:
    """Read the claimed meaning of each direction."""
    return {read_item("name", name, read_text): read_item(quote(name), item, partial(read_meaning, language=language))
            for name, item in entries(value)}


def read_meaning(value: Json, language: Language) -> Meaning:
    """Read one meaning; its kind determines its fields."""
    kind = value.get("kind") if isinstance(value, dict) else None
    expect(isinstance(kind, str) and kind in KINDS, "kind: expected {}, got {}", " or ".join(KINDS), quote(kind))
    shapes = FIELDS_OF_KIND[str(kind)]
    fields = Fields(value, "kind", *shapes)
    return KINDS[str(kind)](*(fields.read(name, in_language(partial(read, language))) for name, read in shapes.items()))


FIELDS_OF_KIND: Mapping[str, Mapping[str, Callable[[Language, str], Place]]] = {
    "position": {"value": Language.value},
    "truth": {"formula": Language.formula},
    "near": {"formula": Language.formula, "when": Language.formula},
    "product": {"value": Language.number, "formula": Language.formula},
    "mean": {"count": Language.count},
    "average": {"term": Language.term},
    "total": {"count": Language.count},
    "others": {"count": Language.count},
    "slack": {"formula": Language.formula},
    "any": {}}
"""The fields of each kind of meaning, in the order of its record, with their parsers."""


def read_rows(value: Json, alphabet: tuple[str, ...], order: DirectionOrder) -> dict[str, LinearForm]:
    """Read the token embedding: a row for each symbol of the alphabet, in its order, and no others."""
    found = dict(entries(value))
    missing = [symbol for symbol in alphabet if symbol not in found]
    expect(not missing, "no row for the symbol {}", quote(missing[0] if missing else ""))
    expect(tuple(found) == alphabet, "expected a row for each symbol of the alphabet, in its order, and no others")
    return {symbol: read_item(quote(symbol), row, order.read_weights) for symbol, row in found.items()}


def read_layer(value: Json, language: Language, order: DirectionOrder, weightings: Sequence[str]) -> Layer:
    """Read the heads and the feed-forward block of a layer."""
    fields = Fields(value, "heads", "feedforward")
    heads = fields.read("heads", list_of(partial(read_head, language=language, order=order, weightings=weightings)))
    return Layer(heads, fields.read("feedforward", partial(read_feedforward, order=order)))


def read_head(value: Json, language: Language, order: DirectionOrder, weightings: Sequence[str]) -> Head:
    """Read an attention head."""
    fields = Fields(value, "name", "source", "mask", "weighting", "temperature", "queries", "keys", "values")
    head = Head(
        name=fields.read("name", read_text),
        source=fields.read("source", read_text),
        mask=fields.read("mask", one_of(*MASKS)),
        weighting=fields.read("weighting", one_of(*weightings)),
        temperature=fields.read("temperature", in_language(language.number)),
        queries=fields.read("queries", list_of(order.read_weights)),
        keys=fields.read("keys", list_of(order.read_weights)),
        values=fields.read("values", partial(order.read_map, shape=order.read_weights)))
    expect(head.values, "it writes nothing")
    expect(len(head.queries) == len(head.keys), "it has not as many queries as keys")
    expect(head.weighting not in RECURRENT or head.mask != "none", "a weighting that scans to the row needs a mask")
    return head


def read_feedforward(value: Json, order: DirectionOrder) -> FeedForward:
    """Read hidden units and a bias."""
    fields = Fields(value, "units", "bias")
    units = fields.read("units", list_of(partial(read_neuron, order=order)))
    return FeedForward(units, fields.read("bias", order.read_weights))


def read_neuron(value: Json, order: DirectionOrder) -> Neuron:
    """Read a hidden unit."""
    fields = Fields(value, "reads", "bias", "writes")
    return Neuron(fields.read("reads", order.read_weights), fields.read("bias", read_rational),
                  fields.read("writes", order.read_weights))
