"""Writer of the models of this folder: heads with hard attention, on named directions without meanings."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from certify.common.files import write_text
from constructions.language.expressions import parse_expression
from constructions.network.json_form import transformer_to_json, write_canonical
from constructions.network.meanings import Anything, Meaning, Position
from constructions.network.transformer import Coefficients, FeedForward, Head, Layer, Mask, Transformer, Unit
from constructions.network.weightings import Weighting

Form = Mapping[str, int | str]


def row(form: Form) -> Coefficients:
    """Return the linear form, exactly."""
    return {name: Fraction(weight) for name, weight in form.items()}


def hard_head(name: str, mask: Mask, key: Form, value: Form, query: Form | None = None) -> Head:
    """Return a head that writes the direction ``name``; without a key it attends uniformly."""
    return Head(name, "by hand", mask, Weighting.AVERAGE_HARDMAX, parse_expression("1"),
                (row(query or {"one": 1}) if key else {},), (row(key),), {name: row(value)})


def at_least_half(reads: str, writes: str) -> FeedForward:
    """Return units that make ``writes`` the truth value that ``reads`` approximates ([SHA] Lemma 9)."""
    return FeedForward((Unit({reads: Fraction(1)}, Fraction(-1, 4), {writes: Fraction(2)}),
                        Unit({reads: Fraction(1)}, Fraction(-3, 4), {writes: Fraction(-2)})))


def network(tokens: Mapping[str, Form], positions: Mapping[str, str], layers: Iterable[Layer]) -> Transformer:
    """Return the transformer; its output is the direction written last."""
    layers = tuple(layers)
    embedded = [name for form in tokens.values() for name in form]
    written: Sequence[str] = [name for layer in layers for names in (
        *(list(head.values) for head in layer.heads), layer.feedforward.written()) for name in names]
    exact = {name: parse_expression(text) for name, text in positions.items()}
    meanings: dict[str, Meaning] = {name: Position(value) for name, value in exact.items()}
    directions = meanings | dict.fromkeys([*embedded, *written], Anything())
    return Transformer(tuple(tokens), directions, {symbol: row(form) for symbol, form in tokens.items()}, exact,
                       layers, written[-1])


def save(script: str, transformer: Transformer) -> None:
    """Write the model file beside its script."""
    write_text(str(Path(script).with_suffix(".json")), write_canonical(transformer_to_json(transformer)))
