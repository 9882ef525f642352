"""TransformerLens 3 and 4: state dicts of TransformerBridge, with the same names for every wrapped program.

Matrices of its own programs (``boot_native``) are [out, in], and ``hooked_transformer`` reads some parts. Programs of
Hugging Face keep their tensors and their config.json: tensors get the names of their family back. Settings of
TransformerBridge do not replace config.json, as they omit parts of it.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from constructions.errors import InputError
from constructions.importing.config_file import Settings
from constructions.importing.contents import Contents, Stored
from constructions.importing.families import ROWS, FamilyRow
from constructions.importing.hooked_transformer import FileReading
from constructions.importing.names_file import TensorNames, renamed
from constructions.importing.parts import RecognisedNetwork, TensorReader, ending, outputs, rows
from constructions.importing.position_tables import rotary_tables
from constructions.importing.questions import Questions, table_rows
from constructions.trained import network as trained

NATIVE, KIND, INSIDE = "TransformerLensNative", "boot-native", "_original_component"
FACTS = ("matrices are [out, in], each of all heads, as boot_native of TransformerLens makes them; a network of "
         "boot_transformers wants the config.json of its model in place of --kind",)
_EMBED, _QUERY, _UNEMBED = "embed.weight", "blocks.0.attn.q.weight", "unembed.weight"


def recognises(weights: TensorReader) -> bool:
    """Return whether there are the names of TransformerBridge."""
    return _prefix(weights.stored) is not None


def _prefix(tensors: Mapping[str, Stored]) -> str | None:
    prefix = ending(tensors, _QUERY)
    return prefix if prefix is not None and {prefix + _EMBED, prefix + _UNEMBED} <= tensors.keys() else None


def build(weights: TensorReader, settings: Settings, questions: Questions) -> RecognisedNetwork:
    """Build the network."""
    settings.only("architecture", None, NATIVE, reason=", as settings of TransformerBridge leave out some of such a "
                                                       "model: in their place give its own (original_model.config)")
    return _BridgeReading(weights, settings, questions).network()


class _BridgeReading(FileReading):
    """A program of ``boot_native``."""

    kind, transposed, unscaled = "TransformerLens TransformerBridge", True, False
    embed, places, query, gain, bias = _EMBED, "pos_embed.weight", ".attn.q.weight", "weight", "bias"
    tables: trained.Rotary | None = None

    def names(self, name: str, part: str) -> tuple[str, str]:
        """Return the names of the matrix and of the biases of a linear map."""
        name = name if part == "U" else f"{name}.{part}"
        return f"{name}.weight", f"{name}.bias"

    def positions(self) -> trained.View | None:
        """Return the position table; without one positions are rotary."""
        if f"{self.prefix}{self.places}" in self.weights:
            self.expect("positions", "learned", self.places)
            return self.weights.matrix(f"{self.prefix}{self.places}", None, self.width)
        self.expect("positions", "rotary", f"the file, without {self.places},")
        return None

    def heads(self, name: str) -> tuple[tuple[trained.TrainedHead, ...], trained.View | None]:
        """Return all heads of a block, and the bias of their sum."""
        query, key, value = (self.linear(name, part, self.width) for part in "qkv")
        inner = query.weight.shape[1]
        count: int = self.questions.either("heads", self.settings.count("n_heads"), self.settings.where)
        if count < 1 or inner % count or key.weight.shape[1] % (inner // count):
            raise InputError(f"{self.weights.where}: {count} heads for {inner} queries and {key.weight.shape[1]} keys, "
                             f"expected a divisor")
        self.size = size = inner // count
        out = self.linear(name, "o", inner, self.width)
        queries, keys, values = ([outputs(one, first, size) for first in range(0, one.weight.shape[1], size)]
                                 for one in (query, key, value))
        outs = [rows(out.weight, first, size) for first in range(0, inner, size)]
        return self.grouped(name, queries, keys, values, outs), out.bias

    def gate(self, mlp: str, inward: trained.Affine) -> trained.Affine:
        """Return the gates of hidden units, whose biases are added before."""
        return self.linear(mlp, "gate", self.width, inward.weight.shape[1])

    def rotary(self, name: str) -> trained.Rotary | None:
        """Return computed tables: adjacent coordinates are rotated, whatever ``rotary_adjacent_pairs`` states."""
        if f"{self.prefix}{self.places}" not in self.weights and self.tables is None:
            settings, base = self.settings, self.settings.number("rotary_base")
            stated = self.questions.either("rotary_base", base and Fraction(int(base)), settings.where)
            width = self.size if self.turned is None else self.turned
            if width % 2 or width > self.size:
                raise InputError(f"{settings.where}, rotary_dim: {width}, expected an even number up to {self.size}")
            tables = rotary_tables(table_rows(self.questions, self.most, width // 2), width // 2, stated)
            cosines, sines = (self.weights.put(f"computed.{what}", table)
                              for what, table in zip(("cosines", "sines"), tables, strict=True))
            self.tables = trained.Rotary(cosines, sines, "neighbours")
            self.questions.assume(f"rotary positions turn pairs of neighbours among the first {width} of {self.size} "
                                  f"coordinates of queries and keys, to base {stated}")
        return self.tables


_FAMILIES = {row.model_type: row for row in ROWS if row.classes}


def in_family_names(contents: Contents, where: str, settings_file: str) -> Contents:
    """Return the tensors under the names of the family in config.json, if they have those of TransformerBridge."""
    prefix, row = _prefix(contents.tensors), _FAMILIES.get(str(contents.settings.get("model_type")))
    if prefix is None or row is None:
        return contents
    settings = Settings(contents.settings, settings_file)
    settings.keys, settings.has_defaults = row.keys, True
    settings.only("scaled", True, reason=", as TransformerBridge ignores it and transformers does not")
    others, left = dict(contents.others), dict(contents.tensors)
    if row.biases.get("words", True) is False and (bias := left.pop(f"{prefix}unembed.bias", None)):
        if any(bias.read()):
            raise InputError(f"{where}: tensor {prefix}unembed.bias is not 0, expected the weights as "
                             f"{row.kind} has them, not processed (enable_compatibility_mode)")
        others[f"{prefix}unembed.bias"] = "zeros, which TransformerBridge adds"
    rules: dict[str, Any] = {}
    for name, stored in left.items():
        stem, _, end = name.removeprefix(prefix).rpartition(".")
        block, layer, part = stem.split(".", 2) if stem.count(".") > 1 else ("", "", stem)
        known = _in_layer(row).get(part) if block == "blocks" else _outside_layers(row).get(part) if not block else None
        if known:
            rules[f"{row.outside}{row.layers}{layer}.{known}.{end}" if block else f"{known}.{end}"] = name
        if row.packed and part == "attn.q" and stored.shape:
            packed = f"{row.outside}{row.layers}{layer}.{row.query}.{end}"
            rules[packed] = _packed([f"{prefix}blocks.{layer}.attn.{one}.{end}" for one in "qkv"], row, left,
                                    settings.count("heads") or 1)
    return renamed(Contents(left, contents.settings, others),
                   TensorNames("the names of TransformerBridge", rules, (), {}))


def _outside_layers(row: FamilyRow) -> dict[str, str]:
    """Return a family's names for parts outside its layers."""
    inside = {"embed": row.tokens, "pos_embed": row.table, "token_type_embed": row.parts,
              "embed_ln": row.embedding_norm, "ln_final": row.final}
    known = {part: row.outside + name.removesuffix(".weight") for part, name in inside.items() if name}
    return known | ({"unembed": row.outer} if not row.sums else {
        "unembed": f"{row.outer}.decoder", "mlm_head": f"{row.outer}.transform.dense",
        "ln_final": f"{row.outer}.transform.LayerNorm"})


def _in_layer(row: FamilyRow) -> dict[str, str | None]:
    """Return a family's names for parts of a layer."""
    query, key = row.head_norms or (None, None)
    first, second = row.after or (None, None)
    apart = {} if row.packed else {"attn.q": row.query, "attn.k": row.key, "attn.v": row.value}
    return apart | {"ln1": row.first, "ln2": row.second, "attn.o": row.out, "mlp.in": row.up, "mlp.out": row.down,
                    "mlp.gate": row.gate, "attn.q_norm": query, "attn.k_norm": key, "ln1_post": first,
                    "ln2_post": second}


def _packed(names: list[str], row: FamilyRow, tensors: Mapping[str, Stored], heads: int) -> Mapping[str, Any]:
    """Return the rule for the tensor of queries, keys and values in one: kind by kind, or head by head."""
    size, *width = tensors[names[0]].shape
    if row.packed == "kinds":
        axes = [1, 0] if width and row.columns else list(range(1 + len(width)))
        return {"join": [{"from": name, "axes": axes} for name in names], "axis": len(axes) - 1 if row.columns else 0}
    shape = [heads, 1, max(size // heads, 1), *width]
    return {"join": [{"from": name, "shape": shape} for name in names], "axis": 1, "shape": [3 * size, *width]}
