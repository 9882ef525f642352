"""FIRST and PARITY of David Chiang and Peter Cholak, *Overcoming a Theoretical Limitation of Self-Attention* (2022).

Source      the weights of the authors' programs (github.com/ndnlp/parity: first_exact.py, parity_exact.py), direction
            by direction. $ is their CLS: in FIRST before the word, in PARITY behind it. Their positions count from 0,
            so they are i - 1 here, where n counts $ as well.
Differs     the usual 1/sqrt(d_k) is folded into the queries, so a score is c times the key, with a rational c: 1 here.
            The programs have 10/sqrt(6) in FIRST and 1/sqrt(5) in PARITY.
Output      its sign is the answer. Its size is e^c / (e^c + n - 1) / 2 for FIRST. For PARITY, with E even and O odd
            positions from 0, it is (e^c / (O e^c + E e^-c) - e^-c / (E e^c + O e^-c)) / n on words with an odd number
            of 1s, and the same with E and O exchanged on the others. Both vanish as words grow.
Log-length  in ``first_log_length.json`` the scores of FIRST are multiplied by ln(n), the remedy of the same paper.
            Then the size is n / (2n - 1) / 2, more than 1/4 at every n.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from certify.common.files import write_text
from constructions.language.brackets import parse_position_function
from constructions.language.expressions import parse_expression
from constructions.network.json_form import transformer_to_json, write_canonical
from constructions.network.meanings import Anything, Meaning, Position
from constructions.network.transformer import Coefficients, FeedForward, Head, Layer, Mask, Transformer, Unit
from constructions.network.weightings import Weighting

Row = Mapping[str, int | str]
NEGATED = {"is first": "-(0^((i-2)^2))", "position": "-((i-1)/n)", "alternating": "-((-1)^(i-1))"}
"""The negatives of the position embeddings."""
SYMBOLS: Mapping[str, Row] = {"0": {"is 0": 1}, "1": {"is 1": 1}, "$": {"is $": 1}}


def row(form: Row) -> Coefficients:
    """Return the linear form, exactly."""
    return {name: Fraction(weight) for name, weight in form.items()}


def head(name: str, query: Row, key: Row, values: Mapping[str, Row], temperature: str = "1") -> Head:
    """Return an unmasked head with softmax; without a key it attends uniformly."""
    return Head(name, "Chiang and Cholak 2022", Mask.NONE, Weighting.SOFTMAX, parse_expression(temperature),
                (row(query),), (row(key),), {written: row(form) for written, form in values.items()})


def unit(reads: Row, bias: int, writes: Row) -> Unit:
    """Return one ReLU unit."""
    return Unit(row(reads), Fraction(bias), row(writes))


def network(positions: Mapping[str, str], layers: tuple[Layer, ...], written: tuple[str, ...]) -> Transformer:
    """Return the transformer over 0, 1 and $; its output is the last direction of ``written``."""
    exact = {name: parse_position_function(text) for name, text in positions.items()}
    meanings: dict[str, Meaning] = {name: Position(value) for name, value in exact.items()}
    free = [name for form in SYMBOLS.values() for name in form] + list(written)
    return Transformer(tuple(SYMBOLS), dict.fromkeys(free, Anything()) | meanings,
                       {symbol: row(form) for symbol, form in SYMBOLS.items()}, exact, layers, written[-1])


def first(c: int = 1, temperature: str = "1") -> Transformer:
    """Return the network for: the first symbol after $ is 1. Layer 1 marks it, layer 2 attends to it from $."""
    is_1_and_first = unit({"is 1": 1, "is first": 1}, -1, {"first is 1": 1})
    look = head("the first symbol", {"is $": c}, {"is first": 1},
                {"output": {"is first": "-1/2", "first is 1": 1}}, temperature)
    return network({"is first": "[FIRST](i-1)"}, (Layer((), FeedForward((is_1_and_first,))), Layer((look,))),
                   ("first is 1", "output"))


def parity(c: int = 1) -> Transformer:
    """Return the network for: the number k of 1s is odd. Layer 1 marks position k, layer 2 compares odd and even."""
    count = head("all symbols", {}, {}, {"k/n": {"is 1": 1}, "1/n": {"is $": 1}})
    mark = FeedForward(tuple(unit({"k/n": 1, "1/n": shift, "position": -1}, 0, {"is k": weight})
                             for shift, weight in ((-1, 1), (0, -2), (1, 1))))
    even = head("even positions", {"is $": c}, {"alternating": 1}, {"output": {"is k": -1}})
    odd = head("odd positions", {"is $": c}, {"alternating": -1}, {"output": {"is k": 1}})
    return network({"position": "(i-1)/n", "alternating": "(-1)^(i-1)"}, (Layer((count,), mark), Layer((even, odd))),
                   ("k/n", "1/n", "is k", "output"))


def doubled(transformer: Transformer, scores: int = 1) -> Transformer:
    """Return the transformer for layer norms: every direction has a twin with its negative, so that all add up to 0.

    The last feed-forward block leaves only the output and its twin, so that a subsequent norm scales the output to
    sqrt(d/2), however small it was.
    """
    def twin(form: Coefficients) -> Coefficients:
        return {**form, **{f"-{name}": -weight for name, weight in form.items()}}

    def of_head(one: Head) -> Head:
        values = {**one.values, **{f"-{name}": {read: -weight for read, weight in form.items()}
                                   for name, form in one.values.items()}}
        return replace(one, queries=tuple({name: weight * scores for name, weight in form.items()}
                                          for form in one.queries), values=values)

    def of_layer(layer: Layer) -> Layer:
        units = tuple(replace(one, writes=twin(one.writes)) for one in layer.feedforward.units)
        return Layer(tuple(map(of_head, layer.heads)), FeedForward(units))

    names = [name for name in transformer.directions if name != transformer.output]
    cancel = tuple(unit({f"{sign}{name}": 1}, 0, {f"{sign}{name}": -1, f"{other}{name}": 1})
                   for name in names for sign, other in (("", "-"), ("-", "")))
    *below, last = map(of_layer, transformer.layers)
    free: Mapping[str, Meaning] = {name: Anything() for name in transformer.directions}
    negated = {f"-{name}": parse_position_function(text) for name, text in NEGATED.items()
               if name in transformer.position_embedding}
    return replace(transformer, layers=(*below, replace(last, feedforward=FeedForward(cancel))),
                   directions={**free, **{f"-{name}": Anything() for name in free}},
                   token_embedding={symbol: twin(form) for symbol, form in transformer.token_embedding.items()},
                   position_embedding={**transformer.position_embedding, **negated})


def build() -> Mapping[str, Transformer]:
    """Return the model files of this folder by their names."""
    return {"first": first(), "first_log_length": first(temperature="1/ln(n)"), "parity": parity(),
            "first_doubled": doubled(first()), "parity_doubled": doubled(parity())}


if __name__ == "__main__":
    for name, built in build().items():
        write_text(str(Path(__file__).with_name(f"{name}.json")), write_canonical(transformer_to_json(built)))
