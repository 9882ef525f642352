"""Stacks of torch.nn.TransformerEncoderLayer in modules of any name: other parts are found by names and shapes."""

import math
import re
from collections.abc import Sequence
from fractions import Fraction

from constructions.errors import InputError
from constructions.importing.config_file import Settings
from constructions.importing.parts import RecognisedNetwork, TensorReader, outputs, rows
from constructions.importing.position_tables import alibi_slopes, scaled_by_root, sinusoidal_table
from constructions.importing.questions import PLACES, NormKind, Place, Questions, score_scale, table_rows
from constructions.trained.network import Affine, AttentionStep, Norm, NormStep, Step, TrainedHead, UnitsStep, View

_PACKED = "self_attn.in_proj_weight"
_TOKENS = re.compile(r"emb|tok|wte|src")
_POSITIONS = re.compile(r"pos|(^|\.)w?pe(\.|$)")
_OUTPUT = re.compile(r"head|fc|out|decoder|classif|linear|proj|logit|lm|vocab")
BUFFERS = {
    r"(.*\.)?(src_mask|attn_mask|causal_mask|mask)": "a mask, which --attention describes",
    r"(.*\.)?(position_ids|positions|pos_ids)": "the numbers of the positions",
}


def recognises(weights: TensorReader) -> bool:
    """Return whether there is a layer with torch's names."""
    return any(name.endswith(_PACKED) for name in weights.stored)


class EncoderReading:
    """The tensors and questions of one file."""

    def __init__(self, weights: TensorReader, _: Settings, questions: Questions) -> None:
        self.weights, self.questions = weights, questions
        self.layers = sorted((name.removesuffix(_PACKED) for name in weights.stored if name.endswith(_PACKED)), key=(
            lambda name: [(int(part), "") if part.isdigit() else (0, part) for part in name.split(".")]))
        self.width = weights.matrix(self.layers[0] + _PACKED).shape[1]
        self.rest = [name for name in weights.stored if not name.startswith(tuple(self.layers))
                     or (self.layers == [""] and not re.match(r"(self_attn|linear[12]|norm[12])\.", name))]
        stacks = {re.sub(r"\d+\.$", "", layer) for layer in self.layers}
        if len(stacks) > 1:
            raise InputError(f"{weights.where}: several stacks of layers, {' and '.join(sorted(stacks)[:3])}, "
                             f"expected one")

    def network(self) -> RecognisedNetwork:
        """Return the whole network."""
        questions, weights = self.questions, self.weights
        attention, readout = questions.ask("attention"), questions.ask("readout")
        position_table = self.position_table()
        matrices = self.matrices()
        output = self.chosen("output_layer", [
            name for name in matrices if name.endswith("weight") and _OUTPUT.search(name)
            and not _POSITIONS.search(name) and not _TOKENS.search(name)])
        positions = self.positions(position_table)
        slopes: list[Fraction] = []
        if questions.options.positions == "alibi":
            if attention != "causal":
                raise InputError(f"{weights.where}: --positions alibi with --attention {attention}, expected causal")
            slopes = alibi_slopes(self.heads())
        left = [name for name in self.matrices() if name not in (position_table, output)]
        tokens = self.tokens(self.chosen("token_table", [name for name in left if _TOKENS.search(name)] or left))
        norms = self.outer_norms(readout)
        steps = [step for layer in self.layers for step in self.layer(layer, slopes)]
        bias = weights.vector_if(output.removesuffix("weight") + "bias")
        unembedding = Affine(weights.linear(output, self.width), bias)
        return RecognisedNetwork("torch.nn.TransformerEncoder", attention, tokens, positions,
                                 (*norms["embedding"], *steps, *norms["final"]), unembedding,
                                 *(("last", norms["pooled"]) if readout == "mean" else (readout,)))

    # -- the parts outside the layers ----------------------------------------------------------------------------------

    def matrices(self) -> list[str]:
        """Return the tensors outside the layers with rows as wide as the stream."""
        return [name for name in self.rest if self.weights.shape(name)[-1:] == (self.width,)
                and len(self.weights.shape(name)) == 2 and self.weights.stored[name].format
                and not any(re.fullmatch(buffer, name) for buffer in BUFFERS)]

    def chosen(self, option: str, candidates: Sequence[str]) -> str:
        """Return the tensor named by the user, or else the only candidate."""
        name: str | None = self.questions.option(option)
        if name is None and len(candidates) != 1:
            name = self.questions.ask(option, next(iter([*candidates, *self.matrices()]), None))
        return name or candidates[0]

    def position_table(self) -> str | None:
        """Return the name of the table of positions, a matrix or a batch of one."""
        candidates = [other for other in self.rest if _POSITIONS.search(other) and self.weights.stored[other].format
                      and self.weights.shape(other)[-1:] == (self.width,) and len(self.weights.shape(other)) > 1]
        if not candidates:
            name: str | None = self.questions.option("position_table")
            return name
        return self.chosen("position_table", candidates)

    def outer_norms(self, readout: str) -> dict[Place, tuple[NormStep, ...]]:
        """Return the norms outside the layers by place; the norm of nn.TransformerEncoder is after its layers."""
        names = [name.removesuffix(".weight") for name in self.rest
                 if self.weights.shape(name) == (self.width,) and name.endswith(".weight")]
        known: dict[str, Place] = dict(self.questions.option("place") or ())
        stack = re.sub(r"layers\.\d+\.$", "", self.layers[0])
        missing = [name for name in names if name not in known and (name != f"{stack}norm" or not stack)]
        if missing:
            self.questions.open("place", " ".join(f"--place {name}=PLACE" for name in missing)
                                + f", the place ({', '.join(PLACES)}) of a norm outside the layers")
        known = {**dict.fromkeys(names, "final"), **known}
        placed: dict[Place, tuple[NormStep, ...]] = {}
        for place in PLACES:
            here = [name for name, where in known.items() if where == place]
            if set(here) - set(names) or (len(here) > 1 and not missing):
                raise InputError(f"{self.weights.where}: --place {here[-1]}={place}, expected one norm there, of "
                                 f"{', '.join(names)}")
            if here and place == "pooled" and readout != "mean":
                raise InputError(f"{self.weights.where}: --place {here[0]}=pooled, expected it with --readout mean")
            placed[place] = tuple(NormStep(self.norm(name)) for name in here)
        return placed

    def tokens(self, name: str) -> View:
        """Return the token table, perhaps scaled."""
        table = self.weights.matrix(name, None, self.width)
        if self.questions.option("embedding_scale") is None:
            self.questions.assume("token vectors are not scaled (--embedding-scale 'sqrt(d)' if they are)")
            return table
        self.questions.assume(f"the token vectors are those of {name} times sqrt({self.width}), in binary32")
        self.weights.aside[name] = "scaled into computed.tokens"
        return self.weights.put("computed.tokens", scaled_by_root(self.weights.tensors[name], self.width))

    def positions(self, name: str | None) -> View | None:
        """Return the table of positions: from the file, or computed."""
        if name is not None:
            self.questions.stated("positions", "learned", name)
            shape = self.weights.take(name, *self.weights.shape(name)).shape
            count = math.prod(shape[:-1])
            if shape[-1] != self.width or count != max(shape[:-1], default=0):
                raise InputError(f"{self.weights.where}: tensor {name} has shape {list(shape)}, expected a table of "
                                 f"positions [rows, {self.width}], perhaps with a dimension of 1")
            return View(name, 0, (count, self.width), (self.width, 1))
        kind = self.questions.ask("positions")
        if kind == "learned":
            raise InputError(f"{self.weights.where}: --positions learned, but no tensor is recognised as the table, "
                             f"expected --position-table NAME")
        if kind != "sinusoidal":
            return None
        count = table_rows(self.questions, None, self.width)
        return self.weights.put("computed.positions", sinusoidal_table(count, self.width))

    # -- the layers ----------------------------------------------------------------------------------------------------

    def heads(self) -> int:
        """Return the number of heads, a divisor of the width."""
        heads: int = self.questions.ask("heads")
        if heads < 1 or self.width % heads:
            raise InputError(f"{self.weights.where}: {heads} heads, expected a divisor of the width {self.width}")
        return heads

    def norm(self, name: str) -> Norm:
        """Return a norm: a layer norm if it has a bias; without one the user gives its kind."""
        gain = self.weights.vector(f"{name}.weight", self.width)
        bias = self.weights.vector_if(f"{name}.bias", self.width)
        kind: NormKind = "layer" if bias else self.questions.ask("norm", "layer")
        if kind == "none":
            raise InputError(f"{self.weights.where}: --norm none, but there is a tensor {name}.weight")
        return Norm(kind, self.questions.ask("epsilon"), gain, bias)

    def layer(self, name: str, slopes: Sequence[Fraction]) -> list[Step]:
        """Return the steps of attention and hidden units, with norms inside or after them."""
        weights, heads = self.weights, self.heads()
        width = self.width // heads
        packed = Affine(weights.linear(name + _PACKED, self.width, 3 * self.width),
                        weights.vector_if(f"{name}self_attn.in_proj_bias", 3 * self.width))
        out = weights.linear_with_bias(f"{name}self_attn.out_proj", self.width, self.width)
        inward = weights.linear_with_bias(f"{name}linear1", self.width)
        outward = weights.linear_with_bias(f"{name}linear2", inward.weight.shape[1], self.width)
        first, second = self.norm(f"{name}norm1"), self.norm(f"{name}norm2")
        inside = self.questions.ask("norm_first")
        query, key, value = ([outputs(packed, part * self.width + index * width, width) for index in range(heads)]
                             for part in range(3))
        made = tuple(TrainedHead(query[index], key[index], value[index], rows(out.weight, index * width, width),
                                 slopes[index] if slopes else None) for index in range(heads))
        attention = AttentionStep(first if inside else None, made, out.bias, score_scale(self.questions, width))
        units = UnitsStep(second if inside else None, inward, None, self.questions.ask("activation"), outward)
        return [attention, units] if inside else [attention, NormStep(first), units, NormStep(second)]
