"""The JSON form of a transformer (docs/reference/certificate.md, section 2): written canonically, read strictly.

Reading never evaluates code: numbers are strings of digits (or JSON integers), formulas and expressions have their own
parsers, and every error is one line that says where it is and what was expected.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any, TypeVar

from constructions.errors import InputError
from constructions.language.brackets import PositionFunction, parse_position_function
from constructions.language.expressions import parse_expression
from constructions.language.formula_table import PLAIN_TEXTS, FormulaTexts
from constructions.language.parser import parse_count, parse_formula, parse_term
from constructions.language.predicate_definition import PredicateDefinition
from constructions.language.predicates import parse_predicate_definition
from constructions.language.syntax import TRUE, Count, Formula, Term
from constructions.network import meanings
from constructions.network.transformer import (
    Coefficients,
    FeedForward,
    Head,
    Layer,
    Mask,
    Transformer,
    Unit,
    check_mask,
)
from constructions.network.weightings import Weighting

FORMAT = "certify-transformer"
VERSION = 1
MAX_BYTES = 64_000_000
MAX_DEPTH = 40
MAX_DIGITS = 1000
MAX_ENTRIES = 100_000
_RATIONAL = re.compile(r"-?[0-9]+(/[0-9]+)?", re.ASCII)
V = TypeVar("V")
_MEANINGS: Mapping[str, type[meanings.Meaning]] = {
    "position": meanings.Position, "truth": meanings.Truth, "near": meanings.Near, "product": meanings.Product,
    "mean": meanings.Mean, "average": meanings.Average, "total": meanings.Total, "others": meanings.Others,
    "slack": meanings.Slack, "any": meanings.Anything,
}  # fmt: skip
"""Meanings by kind; the other keys are the fields."""


def _keys(kind: str) -> tuple[str, ...]:
    return tuple(field.name for field in fields(_MEANINGS[kind]))


# -- writing -----------------------------------------------------------------------------------------------------------


def transformer_to_json(transformer: Transformer) -> dict[str, Any]:
    """Return the canonical JSON object; maps follow the order of ``directions`` and omit zeros."""
    order = {name: place for place, name in enumerate(transformer.directions)}

    def ordered(row: Mapping[str, V], write: Callable[[V], Any]) -> dict[str, Any]:
        return {name: write(row[name]) for name in sorted(row, key=order.__getitem__) if row[name] != 0}

    def numbers(row: Coefficients) -> dict[str, Any]:
        return ordered(row, str)

    def head_to_json(head: Head) -> dict[str, Any]:
        return {
            "name": head.name,
            "source": head.source,
            "mask": head.mask.value,
            "weighting": head.weighting.value,
            "temperature": str(head.temperature),
            "queries": [numbers(row) for row in head.queries],
            "keys": [numbers(row) for row in head.keys],
            "values": {name: row for name, row in ordered(head.values, numbers).items() if row},
        }

    def unit_to_json(unit: Unit) -> dict[str, Any]:
        return {"reads": numbers(unit.reads), "bias": str(unit.bias), "writes": numbers(unit.writes)}

    texts = meanings.texts_of_network(transformer.directions.values(), transformer.position_embedding.values())
    return {
        "format": FORMAT,
        "version": VERSION,
        "alphabet": list(transformer.alphabet),
        "predicates": [definition.description for definition in transformer.predicates()],
        **({"formulas": list(texts.entries)} if texts.entries else {}),
        "directions": {name: meaning_to_json(meaning, texts) for name, meaning in transformer.directions.items()},
        "token_embedding": {symbol: numbers(transformer.token_embedding[symbol]) for symbol in transformer.alphabet},
        "position_embedding": ordered(transformer.position_embedding, texts.position_function),
        "layers": [
            {
                "heads": [head_to_json(head) for head in layer.heads],
                "feedforward": {
                    "units": [unit_to_json(unit) for unit in layer.feedforward.units],
                    "bias": numbers(layer.feedforward.bias),
                },
            }
            for layer in transformer.layers
        ],
        "output": transformer.output,
    }


def meaning_to_json(meaning: meanings.Meaning, texts: FormulaTexts = PLAIN_TEXTS) -> dict[str, Any]:
    """Return the JSON object of one meaning, in a file with these texts of formulas."""
    (kind,) = (kind for kind, of in _MEANINGS.items() if isinstance(meaning, of))
    parts = {key: getattr(meaning, key) for key in _keys(kind)}
    return {"kind": kind, **{key: texts.about(part) if isinstance(part, Formula | Count | Term) else
                             texts.position_function(part) for key, part in parts.items()}}


def write_canonical(data: Mapping[str, Any]) -> str:
    """Return the canonical spelling of a model or certificate file: indent 1, ASCII, a final newline."""
    return json.dumps(data, indent=1, ensure_ascii=True) + "\n"


# -- reading -----------------------------------------------------------------------------------------------------------


def read_json(text: str, where: str, parse_float: Callable[[str], Any] | None = None) -> Any:
    """Parse JSON text; reject NaN, repeated keys, deep nesting and huge integers.

    Numbers with a point or an exponent are refused unless ``parse_float`` reads them.

    Raises:
        InputError: naming ``where`` and the first problem.
    """
    if len(text) > MAX_BYTES:
        raise InputError(f"{where}: {len(text)} characters, expected at most {MAX_BYTES}")
    _check_depth(text, where)

    def refuse(kind: str) -> Callable[[str], Any]:
        def hook(literal: str) -> Any:
            raise InputError(f"{where}: {kind} {literal[:20]}, expected an exact rational such as \"1/3\"")
        return hook

    def integer(literal: str) -> int:
        if len(literal) > MAX_DIGITS:
            raise InputError(f"{where}: an integer of {len(literal)} digits, expected at most {MAX_DIGITS}")
        return int(literal)

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(items)
        if len(result) != len(items):
            seen: set[str] = set()
            repeated = next(key for key, _ in items if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise InputError(f"{where}: key {_quoted(repeated)} occurs twice in one object, expected once")
        return result

    try:
        return json.loads(text, parse_float=parse_float or refuse("floating-point number"),
                          parse_constant=refuse("the constant"), parse_int=integer, object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        raise InputError(f"{where}, line {error.lineno}, column {error.colno}: not JSON: {error.msg}") from None


def _check_depth(text: str, where: str) -> None:
    """Reject nesting beyond MAX_DEPTH before any recursive reader sees the text."""
    depth = 0
    for bracket in re.finditer(r'"(?:[^"\\]++|\\.)*+"?|[\[{\]}]', text, re.DOTALL):
        token = bracket.group()[0]
        depth += (token in "[{") - (token in "]}")
        if depth > MAX_DEPTH:
            raise InputError(f"{where}: brackets nested deeper than {MAX_DEPTH}, expected at most that")


def _quoted(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


class _ModelReader:
    """Reader of one model; ``directions`` grows first, so that every later name can be checked against it."""

    def __init__(self) -> None:
        self.alphabet: tuple[str, ...] = ()
        self.directions: dict[str, meanings.Meaning] = {}
        self.predicates: dict[str, PredicateDefinition] = {}
        self.table: dict[str, Formula] = {}

    def fields(self, data: Any, where: str, names: tuple[str, ...]) -> list[Any]:
        if not isinstance(data, dict):
            raise InputError(f"{where}: {_quoted(data)}, expected an object with the keys {', '.join(names)}")
        for name in names:
            if name not in data:
                raise InputError(f"{where}: no key \"{name}\", expected the keys {', '.join(names)}")
        for name in data:
            if name not in names:
                raise InputError(f"{where}: unknown key {_quoted(name)}, expected the keys {', '.join(names)}")
        return [data[name] for name in names]

    def mapping(self, data: Any, where: str, read: Callable[[Any, str], V]) -> dict[str, V]:
        if not isinstance(data, dict):
            raise InputError(f"{where}: {_quoted(data)}, expected an object")
        return {self.text(key, where): read(value, f"{where}[{_quoted(key)}]") for key, value in data.items()}

    def by_direction(self, data: Any, where: str, read: Callable[[Any, str], V]) -> dict[str, V]:
        result = self.mapping(data, where, read)
        for name in result:
            if name not in self.directions:
                raise InputError(f"{where}: {_quoted(name)}, expected one of the {len(self.directions)} directions")
        return result

    def sequence(self, data: Any, where: str, read: Callable[[Any, str], V]) -> tuple[V, ...]:
        if not isinstance(data, list):
            raise InputError(f"{where}: {_quoted(data)}, expected a list")
        return tuple(read(value, f"{where}[{place}]") for place, value in enumerate(data, start=1))

    def text(self, data: Any, where: str) -> str:
        if not isinstance(data, str):
            raise InputError(f"{where}: {_quoted(data)}, expected a string")
        if any(0xD800 <= ord(character) < 0xE000 for character in data):
            raise InputError(f"{where}: a lone surrogate, expected Unicode text")
        return data

    def rational(self, data: Any, where: str) -> Fraction:
        if isinstance(data, int) and not isinstance(data, bool):
            return Fraction(data)
        if isinstance(data, str) and len(data) <= 2 * MAX_DIGITS and _RATIONAL.fullmatch(data):
            numerator, _, denominator = data.partition("/")
            if max(len(numerator), len(denominator)) <= MAX_DIGITS and int(denominator or "1") != 0:
                return Fraction(int(numerator), int(denominator or "1"))
        raise InputError(f"{where}: {_quoted(data)}, expected a rational such as \"-3/4\" "
                         f"(at most {MAX_DIGITS} digits, no zero denominator)")

    def row(self, data: Any, where: str) -> Coefficients:
        return {name: value for name, value in self.by_direction(data, where, self.rational).items() if value}

    def one_of(self, choices: type[Mask] | type[Weighting], data: Any, where: str) -> Any:
        names = [choice.value for choice in choices]
        if data not in names:
            raise InputError(f"{where}: {_quoted(data)}, expected one of {', '.join(names)}")
        return choices(data)

    def located(self, parse: Callable[[str], V], data: Any, where: str) -> V:
        try:
            return parse(self.text(data, where))
        except InputError as error:
            raise InputError(f"{where}: {error}") from None

    def meaning(self, data: Any, where: str) -> meanings.Meaning:
        kind = data.get("kind") if isinstance(data, dict) else None
        if not isinstance(kind, str) or kind not in _MEANINGS:
            raise InputError(f"{where}: {_quoted(data)}, expected a meaning of kind {', '.join(_MEANINGS)}")
        keys = _keys(kind)
        _, *parts = self.fields(data, where, ("kind", *keys))
        return _MEANINGS[kind](*(self._part(kind, key, part, where) for key, part in zip(keys, parts, strict=True)))

    def _part(self, kind: str, key: str, data: Any, where: str) -> Any:
        match key:
            case "value" if kind == "product":
                return self.located(parse_expression, data, where)
            case "value":
                return self.position_function(data, where)
            case "count":
                return self.count(data, where)
            case "term":
                return self.located(lambda text: parse_term(text, self.alphabet, self.predicates, self.table), data,
                                    where)
        return self.formula(data, f"{where}.when" if key == "when" else where)

    def formula(self, data: Any, where: str) -> Formula:
        if isinstance(data, str) and data in self.table:
            return self.table[data]
        return self.located(lambda text: parse_formula(text, self.alphabet, self.predicates, table=self.table), data,
                            where)

    def count(self, data: Any, where: str) -> Count:
        return self.located(lambda text: parse_count(text, self.alphabet, self.predicates, self.table), data, where)

    def position_function(self, data: Any, where: str) -> PositionFunction:
        return self.located(lambda text: parse_position_function(text, self.predicates, self.table), data, where)

    def tabulate(self, data: Any, where: str) -> None:
        if not isinstance(data, list) or not 0 < len(data) <= MAX_ENTRIES:
            found = f"a list of {len(data)}" if isinstance(data, list) else _quoted(data)
            raise InputError(f"{where}: {found}, expected a list of 1 to {MAX_ENTRIES} formulas")
        for k, text in enumerate(data, start=1):
            formula = self.formula(text, f"{where}[{k}]")
            self.table[f"${k}"] = formula

    def define_predicate(self, data: Any, where: str) -> None:
        definition = self.located(parse_predicate_definition, data, where)
        if definition.name in self.predicates:
            raise InputError(f"{where}: {definition.name} is defined twice, expected once")
        self.predicates[definition.name] = definition

    def head(self, data: Any, where: str) -> Head:
        name, source, mask, weighting, temperature, queries, keys, values = self.fields(
            data, where, ("name", "source", "mask", "weighting", "temperature", "queries", "keys", "values"))
        head = Head(
            name=self.text(name, f"{where}.name"),
            source=self.text(source, f"{where}.source"),
            mask=self.one_of(Mask, mask, f"{where}.mask"),
            weighting=self.one_of(Weighting, weighting, f"{where}.weighting"),
            temperature=self.located(parse_expression, temperature, f"{where}.temperature"),
            queries=self.sequence(queries, f"{where}.queries", self.row),
            keys=self.sequence(keys, f"{where}.keys", self.row),
            values=self.by_direction(values, f"{where}.values", self.row),
        )
        if len(head.queries) != len(head.keys):
            raise InputError(f"{where}: {len(head.queries)} queries and {len(head.keys)} keys, expected as many (d_k)")
        self.located(lambda _: check_mask(head.weighting, head.mask), name, where)
        return head

    def unit(self, data: Any, where: str) -> Unit:
        reads, bias, writes = self.fields(data, where, ("reads", "bias", "writes"))
        return Unit(self.row(reads, f"{where}.reads"), self.rational(bias, f"{where}.bias"),
                    self.row(writes, f"{where}.writes"))

    def layer(self, data: Any, where: str) -> Layer:
        heads, feedforward = self.fields(data, where, ("heads", "feedforward"))
        units, bias = self.fields(feedforward, f"{where}.feedforward", ("units", "bias"))
        return Layer(self.sequence(heads, f"{where}.heads", self.head),
                     FeedForward(self.sequence(units, f"{where}.feedforward.units", self.unit),
                                 self.row(bias, f"{where}.feedforward.bias")))


def transformer_from_json(data: Any, where: str = "model", given: Any = None) -> Transformer:
    """Return the transformer of a JSON object; a certificate may claim something of it where ``given`` holds.

    Raises:
        InputError: for the first violation of section 2 of docs/reference/certificate.md.
    """
    reader = _ModelReader()
    table = None
    if isinstance(data, dict):
        data = {"predicates": [], **data}
        table = data.pop("formulas", None)
    version, form, alphabet, predicates, directions, tokens, positions, layers, output = reader.fields(
        data, where, ("version", "format", "alphabet", "predicates", "directions", "token_embedding",
                      "position_embedding", "layers", "output"))
    if form != FORMAT or version != VERSION or isinstance(version, bool):
        raise InputError(f"{where}: format {_quoted(form)} version {_quoted(version)}, "
                         f"expected \"{FORMAT}\" version {VERSION}")
    reader.alphabet = reader.sequence(alphabet, f"{where}.alphabet", reader.text)
    if not reader.alphabet or "" in reader.alphabet or len(set(reader.alphabet)) != len(reader.alphabet):
        raise InputError(f"{where}.alphabet: {_quoted(alphabet)}, expected distinct non-empty symbols, at least one")
    reader.sequence(predicates, f"{where}.predicates", reader.define_predicate)
    if table is not None:
        reader.tabulate(table, f"{where}.formulas")
    reader.directions = reader.mapping(directions, f"{where}.directions", reader.meaning)
    token_embedding = reader.mapping(tokens, f"{where}.token_embedding", reader.row)
    if set(token_embedding) != set(reader.alphabet):
        raise InputError(f"{where}.token_embedding: rows for {_quoted(sorted(token_embedding))}, "
                         f"expected one for each symbol of the alphabet")
    if reader.text(output, f"{where}.output") not in reader.directions:
        raise InputError(f"{where}.output: {_quoted(output)}, expected the name of a direction")
    return Transformer(
        alphabet=reader.alphabet,
        directions=reader.directions,
        token_embedding=token_embedding,
        position_embedding=reader.by_direction(positions, f"{where}.position_embedding", reader.position_function),
        layers=reader.sequence(layers, f"{where}.layers", reader.layer),
        output=output,
        given=TRUE if given is None else reader.formula(given, "claim.given"),
    )


def read_transformer(text: str, where: str = "model") -> Transformer:
    """Parse a model file; ``transformer_from_json`` and ``read_json`` list the errors."""
    return transformer_from_json(read_json(text, where), where)
