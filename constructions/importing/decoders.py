"""Reader of a Hugging Face family, from its row in ``families``, the tensors, and config.json.

Features outside the rows (a cap on scores, say) are rejected by the name of the setting.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import isqrt

import numpy as np

from constructions.errors import InputError
from constructions.importing.composing import Composer, in_heads
from constructions.importing.config_file import IGNORED, ONLY, Settings
from constructions.importing.families import FamilyRow
from constructions.importing.graph.affine_forms import Array, Flat, HeadReads
from constructions.importing.parts import RecognisedNetwork, TensorReader, ending, numbered
from constructions.importing.position_tables import alibi_slopes, position_tables, scaled_by_root
from constructions.importing.quantised import DEQUANTISED
from constructions.importing.questions import ACTIVATIONS, Questions
from constructions.text import printable
from constructions.trained.json_values import found
from constructions.trained.network import Activation, Affine, Attends, Readout, View
from constructions.trained.numbers import all_numbers

_WORDS: tuple[str, Readout] = ("words", "each")
_HEADS: Mapping[str, tuple[str, Readout]] = {
    "ForSequenceClassification": ("classes", "last"), "ForTokenClassification": ("token classes", "each")}
"""For endings of class names the head, and the tokens with logits; others are in ``FamilyRow.words``."""


def recognises(row: FamilyRow, weights: TensorReader) -> bool:
    """Return whether the characteristic tensor of this family exists, in its orientation."""
    prefix = ending(weights.stored, row.mark)
    shape = () if prefix is None else weights.shape(prefix + row.mark)
    if row.packed != "kinds":
        return prefix is not None
    return len(shape) == 2 and shape[row.columns] == 3 * shape[not row.columns]


def build(row: FamilyRow, weights: TensorReader, settings: Settings, questions: Questions) -> RecognisedNetwork:
    """Build the network."""
    settings.keys = row.keys
    settings.has_defaults = settings.get("model_type") is not None
    for name, handled in {**ONLY, **row.only}.items():
        settings.only(name, *handled)
    first, end, ignored = IGNORED.get(row.model_type, ((0, 0), (0, 0), {}))
    release = settings.release
    for name, handled in ignored.items() if release is None or first <= release < end else ():
        settings.only(name, *handled, reason=f", as transformers {first[0]}.{first[1]} up to {end[0]}.{end[1]} ignores "
                                             f"it or not (transformers_version)")
    return _Family(row, weights, settings, questions).network()


class _Family:
    """The tensors, settings and questions of one file."""

    def __init__(self, row: FamilyRow, weights: TensorReader, settings: Settings, questions: Questions) -> None:
        self.row, self.weights, self.settings, self.questions = row, weights, settings, questions
        self.composer = Composer(weights)
        self.prefix = ending(weights.stored, row.tokens) or ""
        self.table = weights.matrix(f"{self.prefix}{row.tokens}")
        self.width = self.table.shape[1]
        by = settings.where
        self.heads: int = questions.either("heads", settings.count("heads"), by)
        self.groups, made = settings.count("groups") or 0, self.rows_of(row.query)
        if not self.groups and not settings.settings:  # from the sizes of the matrices of keys and queries
            keys = self.rows_of(row.key or row.query) * self.heads
            self.groups = keys // made if made and keys % made == 0 else 0
        self.groups, inner = self.groups or self.heads, made // (3 if row.packed else 1)
        if row.packed == "kinds" and inner % max(self.heads, 1):
            raise InputError(f"{weights.where}: {self.heads} heads, expected a divisor of the width {inner}")
        if self.heads < 1 or inner % self.heads or self.heads % self.groups:
            raise InputError(f"{weights.where}: {self.heads} heads and {self.groups} keys for queries of {inner} "
                             f"numbers, expected divisors")
        self.head_width = inner // self.heads
        self.epsilon: Fraction = row.always.get("epsilon") or questions.either(
            "epsilon", settings.number("epsilon"), by)
        if (stated := row.always.get("activation")) is None:
            settings.only("activation", *ACTIVATIONS)
            stated = ACTIVATIONS.get(settings.get("activation"))
        self.activation: Activation = questions.either("activation", stated, by)
        self.check_sizes()
        self.positions, self.rotary = position_tables(row, weights, settings, questions, self.prefix, self.head_width)
        if questions.is_open:
            raise questions.complaint()

    def check_sizes(self) -> None:
        """Check the sizes stated in config.json against the tensors."""
        table, settings = self.table.tensor, self.settings
        settings.agree("width", self.width, f"the rows of {table} have")
        settings.agree("inner_width", self.width, f"the rows of {table} have")
        settings.agree("vocabulary", self.table.shape[0], f"{table} has rows")
        settings.agree("head_width", self.head_width, f"heads of {self.row.query} have the width")
        for name, stored in self.weights.stored.items():
            if not stored.kind.endswith(DEQUANTISED):
                settings.keeps(stored.format, name, "transformers 5")

    def rows_of(self, name: str) -> int:
        """Return the number of outputs of a layer."""
        shape = self.weights.shape(f"{self.prefix}{self.row.layers}0.{name}.weight")
        return shape[-1 if self.row.columns else 0] if shape else 0

    # -- the parts -----------------------------------------------------------------------------------------------------

    def network(self) -> RecognisedNetwork:
        row, composer, settings = self.row, self.composer, self.settings
        x = composer.looked_up(self.tokens())
        if row.positions == "learned":
            table = composer.array(self.weights.matrix(f"{self.prefix}{row.table}", None, self.width))
            x = composer.moved(x, table[row.table_offset : row.table_offset + self.positions])
        if row.parts:
            kinds = self.weights.matrix(f"{self.prefix}{row.parts}", None, self.width)
            settings.agree("parts", kinds.shape[0], f"{row.parts} has rows")
            self.questions.assume("all tokens are of the first part (row 0 of token_type_embeddings)")
            x = composer.moved(x, composer.array(kinds)[0])
        if row.embedding_norm:
            x = self.norm(x, f"{self.prefix}{row.embedding_norm}")
        count = self.layer_count()
        for index in range(count):
            x = self.layer(x, f"{self.prefix}{row.layers}{index}.", index)
        attends = self.attends()
        logits, readout = self.unembedded(self.norm(x, f"{self.prefix}{row.final}") if row.final else x)
        if composer.exactness.rounded:
            self.questions.assume("sums of weights are rounded to binary64")
        return replace(composer.finish(logits, self.positions, attends, row.kind), readout=readout)

    def layer_count(self) -> int:
        stated, settings = self.settings.stated("layers"), self.settings
        count = numbered(self.weights.stored, f"{self.prefix}{self.row.layers}", f".{self.row.out}.weight",
                         self.weights.where, None if stated is None else settings.count("layers"))
        default = settings.get("layers") if settings.has_defaults and stated is None else count
        if count != default:
            raise InputError(f"{settings.shown('layers')}: left out, which is {found(default)}, expected {count}, as "
                             f"there are layers")
        return count

    def attends(self) -> Attends:
        """Return the mask of attention; nanoGPT's files show it by their buffer only."""
        if self.row.classes:
            return self.questions.stated("attention", self.row.attends, self.row.kind)
        masked: Attends | None = "causal" if f"{self.prefix}h.0.attn.bias" in self.weights else None
        return self.questions.either("attention", masked, "the mask attn.bias")

    def tokens(self) -> Array:
        """Return the token table, perhaps scaled."""
        if not self.row.scaled_tokens:
            return self.composer.array(self.table)
        name = self.table.tensor
        self.questions.assume(f"the token vectors are those of {name} times sqrt({self.width}), in binary32")
        root = isqrt(self.width)
        if root * root == self.width:
            return self.composer.exactness.scaled(self.composer.array(self.table), Fraction(root))
        scaled = scaled_by_root(self.weights.tensors[name], self.width)
        return all_numbers(scaled).reshape(scaled.shape)

    def bias(self, name: str, part: str, size: int) -> View | None:
        """Return the bias of a layer; if settings state that there is one or none, the tensors must agree."""
        has: bool | str | None = self.row.biases.get(part, True)
        has = self.settings.flag(has) if isinstance(has, str) else has if self.settings.has_defaults else None
        if has is None:
            return self.weights.vector_if(f"{name}.bias", size)
        return self.weights.vector(f"{name}.bias", size) if has else None

    def linear(self, x: Flat, name: str, part: str, outward: int | None = None) -> Flat:
        by_rows = self.row.columns and part in ("attention", "out", "units")
        weight = (self.weights.matrix if by_rows else self.weights.linear)(f"{name}.weight", x.size, outward)
        return self.composer.linear(x, Affine(weight, self.bias(name, part, weight.shape[1])))

    def norm(self, x: Flat, name: str) -> Flat:
        gain = self.composer.array(self.weights.vector(f"{name}.weight", x.size))
        bias = self.bias(name, "norms", x.size)
        if self.row.gain_plus_one:
            gain = self.composer.exactness.sum(gain, np.ones(x.size))
        return self.composer.norm(x, self.row.norm, self.epsilon, gain, self.composer.array(bias) if bias else None)

    def layer(self, x: Flat, name: str, index: int) -> Flat:
        """Return the stream after attention and hidden units, sequential or parallel."""
        row, composer = self.row, self.composer
        if row.sums:
            assert row.second is not None
            x = self.norm(composer.plus(x, self.attention(x, name, index)), name + row.first)
            return self.norm(composer.plus(x, self.units(x, name)), name + row.second)
        first = self.norm(x, name + row.first)
        added = self.attention(first, name, index)
        if row.after:
            added = self.norm(added, name + row.after[0])
        parallel = self.settings.flag(row.parallel) is not False if isinstance(row.parallel, str) else row.parallel
        read = x if parallel else composer.plus(x, added)
        inside = first if row.second is None else self.norm(read, name + row.second)
        units = self.units(inside, name)
        if row.after:
            units = self.norm(units, name + row.after[1])
        return composer.plus(x, added, units) if parallel else composer.plus(read, units)

    def units(self, x: Flat, name: str) -> Flat:
        row, composer = self.row, self.composer
        up = self.linear(x, name + row.up, "units")
        self.settings.agree("units", up.size, f"{name}{row.up} has units")
        gate = self.linear(x, name + row.gate, "units", up.size) if row.gate else None
        return self.linear(composer.units(up, self.activation, gate), name + row.down, "units", self.width)

    def attention(self, x: Flat, name: str, index: int) -> Flat:
        row, composer = self.row, self.composer
        inner, shared = self.heads * self.head_width, self.groups * self.head_width
        if row.packed:
            packed = self.linear(x, name + row.query, "attention", 3 * inner)
            parts = ([in_heads(one, 3) for one in in_heads(packed, self.heads)] if row.packed == "heads" else
                     list(zip(*(in_heads(one, self.heads) for one in in_heads(packed, 3)), strict=True)))
            queries, keys, values = ([one[k] for one in parts] for k in range(3))
        else:
            queries, keys, values = (
                in_heads(self.linear(x, name + part, "attention", size), count)
                for part, size, count in ((row.query, inner, self.heads), (row.key, shared, self.groups),
                                          (row.value, shared, self.groups)))
        if row.head_norms:
            queries, keys = ([self.norm(one, name + norm) for one in all_of]
                             for all_of, norm in zip((queries, keys), row.head_norms, strict=True))
        if row.neighbours and self.rotary is not None:  # halves are made of the coordinates that are rotated together
            turned = np.arange(2 * self.rotary[0].shape[1])
            order = np.concatenate([turned[::2], turned[1::2], np.arange(len(turned), self.head_width)])
            queries, keys = ([one.columns(order) for one in all_of] for all_of in (queries, keys))
        slopes = alibi_slopes(self.heads) if row.positions == "alibi" else [None] * self.heads
        heads = [HeadReads(query, keys[head * len(keys) // self.heads], values[head * len(keys) // self.heads], slope)
                 for head, (query, slope) in enumerate(zip(queries, slopes, strict=True))]
        averages = composer.attention(heads, self.scale(index), self.rotary, self.settings.number("cap"))
        return self.linear(averages, name + row.out, "out", self.width)

    def scale(self, layer: int) -> Fraction | int:
        """Return the factor of scores, or the number whose root divides them."""
        settings = self.settings
        by_layer = layer + 1 if settings.flag("by_layer") else 1
        if self.row.unscaled or settings.flag("scaled") is False:
            self.questions.assume("scores are not divided by the root of the heads' width")
            return Fraction(1, by_layer)
        stated = settings.count("divisor")
        self.questions.assume("scores are divided by the square root of the heads' width" if stated is None else
                              f"scores are divided by the square root of {stated}")
        return (stated or self.head_width) * by_layer**2

    # -- the head ------------------------------------------------------------------------------------------------------

    def head(self, outside: str) -> tuple[str, Readout]:
        """Return the head and the tokens with logits: by the class in config.json, or by the tensors."""
        settings, row = self.settings, self.row
        named = settings.get("architectures")
        heads: dict[str, tuple[str, Readout]] = {**_HEADS, **dict.fromkeys(row.words, _WORDS)}
        known = {row.classes + end: one for end, one in heads.items()}
        is_class = isinstance(named, list) and len(named) == 1 and isinstance(named[0], str)
        if is_class and named[0] not in known and self.questions.option("kind") is not None:
            self.questions.assume(f"class {printable(named[0])[:80]} is the program of --kind")
            named = None
        if not named:
            pooled, classes = f"{self.prefix}pooler.dense.weight" in self.weights, f"{outside}classifier.weight"
            if f"{outside}score.weight" in self.weights and f"{outside}score.bias" not in self.weights:
                return "classes", "last"
            if f"{outside}score.weight" in self.weights or classes in self.weights:
                return ("classes", "first") if pooled else ("token classes", "each")
            is_bare = not self.prefix.endswith(row.outside) and f"{outside}{row.outer}.weight" not in self.weights
            if settings.version and is_bare:
                raise InputError(f"{settings.where}, architectures: omitted, but no tensor shows a head, expected it")
            return "words", "each"
        if not is_class:
            raise InputError(f"{settings.where}, architectures: {found(named)}, expected one class")
        if named[0] not in known:
            raise InputError(f"{settings.where}, architectures: {found(named[0])} is unknown, expected "
                             f"{', '.join(known)}, or --kind as well, if it names your program")
        if self.prefix and not self.prefix.endswith(row.outside):
            raise InputError(f"{self.weights.where}: tensor {self.table.tensor}, expected {outside}{row.outside}"
                             f"{row.tokens}, which {named[0]} has")
        head, readout = known[named[0]]
        return head, "first" if row.sums and head == "classes" else readout

    def unembedded(self, x: Flat) -> tuple[Flat, Readout]:
        """Return the logits, and the tokens that have them."""
        outside = self.prefix.removesuffix(self.row.outside)
        head, readout = self.head(outside)
        self.questions.stated("readout", readout, self.row.kind)
        if head == "words":
            return self.words(x, outside), readout
        self.settings.stated("tied")
        if readout == "last":
            self.check_padding()
        if readout == "first":
            self.questions.assume("logits are those of the first token, which the pooler reads")
            x = self.composer.units(self.linear(x, f"{self.prefix}pooler.dense", "pooler", self.width), "tanh")
        name = "classifier" if self.row.sums else self.row.token_head if head == "token classes" else "score"
        bare = f"{outside}{name}.weight"
        logits = (self.composer.linear(x, Affine(self.weights.linear(bare, self.width))) if readout == "last" else
                  self.linear(x, f"{outside}{name}", "token classes"))
        labels, count = self.settings.stated("labels"), self.settings.stated("label_count")
        for stated in (len(labels) if isinstance(labels, dict) else None, count):
            if stated not in (None, logits.size):
                raise InputError(f"{self.settings.where}, id2label: {found(stated)} classes, but {bare} has "
                                 f"{logits.size}")
        return logits, readout

    def check_padding(self) -> None:
        """Note the token that is skipped at the end of a word."""
        token = self.settings.get("pad")
        if token is not None and type(token) is not int:
            raise InputError(f"{self.settings.shown('pad')}: {found(token)}, expected an integer or null")
        if token is not None and 0 <= token < self.table.shape[0]:
            if self.questions.option("readout") != "last":
                raise InputError(f"{self.settings.shown('pad')}: {token}, a token that is skipped at the end of a "
                                 f"word; expected --readout last if no word ends in it, or null")
            self.questions.assume(f"no word ends in token {token} (pad_token_id), which would be skipped")

    def words(self, x: Flat, outside: str) -> Flat:
        """Return the logits of words: by a layer of their own, or the token table; BERT's after a layer and a norm."""
        weights, settings, table = self.weights, self.settings, self.table.tensor
        name = biased = f"{outside}{self.row.outer}"
        if self.row.sums:
            if f"{name}.transform.dense.weight" not in weights:
                raise InputError(f"{weights.where}: no head, expected {name} or classifier")
            x = self.linear(x, f"{name}.transform.dense", "transform", self.width)
            x = self.norm(self.composer.units(x, self.activation), f"{name}.transform.LayerNorm")
            name = f"{name}.decoder"
            if f"{name}.bias" in weights and not weights.same_as(f"{name}.bias", f"{biased}.bias"):
                raise InputError(f"{weights.where}: tensor {name}.bias differs from {biased}.bias, expected the same")
        tied, is_there = settings.flag("tied"), f"{name}.weight" in weights
        if not is_there and tied is False:
            raise InputError(f"{weights.where}: no tensor {name}.weight, and tie_word_embeddings of {settings.where} "
                             f"does not tie it to the token table")
        matrix = f"{name}.weight"
        if is_there and weights.same_as(matrix, table):
            self.questions.assume(f"the unembedding is the token table, as {matrix} is equal to it")
            matrix = table
        elif not is_there:
            is_assumed = tied or not (settings.settings or self.row.packed == "kinds")
            matrix = self.questions.either("output_layer", table if is_assumed else None, settings.where)
            self.questions.assume(f"the unembedding is {'the token table (they are tied)' if is_assumed else matrix}")
        elif tied:
            raise InputError(f"{settings.shown('tied')}: true (or omitted, which is true), but {matrix} is not "
                             f"{table}, expected false")
        weight = weights.linear(matrix, self.width)
        biased = biased if matrix in (table, f"{name}.weight") else matrix.removesuffix(".weight")
        return self.composer.linear(x, Affine(weight, self.bias(biased, "words", weight.shape[1])))
