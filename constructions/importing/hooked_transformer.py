"""TransformerLens: state dicts of HookedTransformer, with a matrix for each head."""

from __future__ import annotations

from constructions.errors import InputError
from constructions.importing.computed_tables import alibi_slopes
from constructions.importing.config_file import Settings
from constructions.importing.contents import Contents
from constructions.importing.names_file import Names, renamed
from constructions.importing.parts import Found, ending, numbered
from constructions.importing.questions import Questions, score_scale
from constructions.importing.weights import Weights, columns
from constructions.trained import network as trained
from constructions.trained.numbers import all_numbers, view_of_tensor

BUFFERS = {
    r"(.*\.)?blocks\.\d+\.attn\.mask": "a buffer that every such file has, whether the attention is causal or not",
    r"(.*\.)?blocks\.\d+\.attn\.IGNORE": "what is written over masked scores",
}


def recognises(weights: Weights) -> bool:
    """Whether there are TransformerLens's names."""
    prefix = ending(weights.stored, "embed.W_E")
    return prefix is not None and f"{prefix}unembed.W_U" in weights


def in_todays_layout(contents: Contents) -> Contents:
    """The layout from before the library was one, as networks of modular addition have it: matrices are [out, in].

    What tells them apart is W_O: one matrix, in place of one for each head.
    """
    prefix = ending(contents.tensors, "embed.W_E")
    first = f"{prefix}blocks.0.attn."
    if prefix is None or len(contents.tensors[f"{prefix}embed.W_E"].shape) != 2 or any(
            len(contents.tensors[name].shape) != size if name in contents.tensors else True
            for name, size in ((f"{first}W_O", 2), (f"{first}W_Q", 3))):
        return contents
    heads, width, _ = contents.tensors[f"{first}W_Q"].shape
    rules: dict[str, dict[str, list[int]]] = {"embed.W_E": {"axes": [1, 0]}}
    for layer in range(numbered(contents.tensors, f"{prefix}blocks.", ".attn.W_Q", "the file")):
        block = f"blocks.{layer}."
        rules |= {f"{block}attn.W_{kind}": {"axes": [0, 2, 1]} for kind in "QKV"}
        out = contents.tensors.get(f"{prefix}{block}attn.W_O")
        rules[f"{block}attn.W_O"] = {"axes": [1, 0], "shape": [heads, width, out.shape[0] if out else 1]}
        rules |= {f"{block}mlp.W_{kind}": {"axes": [1, 0]} for kind in ("in", "out")}
    made = {prefix + name: {"from": prefix + name, **rule} for name, rule in rules.items()
            if prefix + name in contents.tensors}
    return renamed(contents, Names("the layout of networks of modular addition", made, (), {}))


def build(weights: Weights, _: Settings, questions: Questions) -> Found:
    """The network.

    Raises:
        InputError: if a tensor is missing, or an answer.
    """
    return _Reading(weights, questions).network()


class _Reading:
    """The tensors and questions of one file."""

    def __init__(self, weights: Weights, questions: Questions) -> None:
        self.weights = weights
        self.questions = questions
        self.prefix = ending(weights.stored, "embed.W_E") or ""
        self.tokens = weights.matrix(f"{self.prefix}embed.W_E")
        self.width = self.tokens.shape[1]

    def network(self) -> Found:
        """The whole network."""
        weights = self.weights
        attention = self.questions.ask("attention")
        count = numbered(weights.stored, f"{self.prefix}blocks.", ".attn.W_Q", weights.where)
        positions = self.positions()
        steps = [step for index in range(count) for step in self.block(f"{self.prefix}blocks.{index}")]
        if final := self.norm(f"{self.prefix}ln_final"):
            steps.append(trained.NormStep(final))
        name = f"{self.prefix}unembed"
        unembedding = trained.Affine(weights.matrix(f"{name}.W_U", self.width), weights.vector_if(f"{name}.b_U"))
        return Found("TransformerLens HookedTransformer", attention, self.tokens, positions, tuple(steps), unembedding)

    def positions(self) -> trained.View | None:
        """The position table, if there is one."""
        table = f"{self.prefix}pos_embed.W_pos"
        if table in self.weights:
            self.questions.told("positions", "learned", table)
            return self.weights.matrix(table, None, self.width)
        if f"{self.prefix}blocks.0.attn.rotary_sin" not in self.weights:
            choice = self.questions.ask("positions")
            if choice not in ("alibi", "none"):
                raise InputError(f"{self.weights.where}: --positions {choice}, expected alibi or none here, as "
                                 f"TransformerLens keeps other tables in the file")
        return None

    def norm(self, name: str) -> trained.Norm | None:
        """A norm with weights w and perhaps b; without them the user says what there is."""
        gain, bias = (self.weights.vector_if(f"{name}.{letter}", self.width) for letter in "wb")
        if gain is None:
            kind = self.questions.ask("norm")
        else:
            kind = self.questions.told("norm", "layer" if bias else "rms", f"{name}.w")
        return None if kind == "none" else trained.Norm(kind, self.questions.ask("epsilon"), gain, bias)

    def block(self, name: str) -> list[trained.Step]:
        """Attention, and units if the network has them."""
        attention = f"{name}.attn"
        heads = self.heads(attention)
        scale = score_scale(self.questions, heads[0].query.weight.shape[1])
        bias = self.weights.vector_if(f"{attention}.b_O", self.width)
        steps: list[trained.Step] = [
            trained.AttentionStep(self.norm(f"{name}.ln1"), heads, bias, scale, self.rotary(attention))]
        if f"{name}.mlp.W_in" in self.weights or f"{name}.mlp.W_out" in self.weights:
            if f"{name}.ln1.w" in self.weights and f"{name}.ln2.w" not in self.weights:
                raise InputError(f"{self.weights.where}: no tensor {name}.ln2.w: attention and units side by side "
                                 f"are not handled, expected one after the other")
            steps.append(self.units(name))
        return steps

    def heads(self, name: str) -> tuple[trained.Head, ...]:
        """All heads of a block; keys and values may be shared by groups of heads."""
        queries = self.affines(f"{name}.W_Q", f"{name}.b_Q")
        grouped = "_" if f"{name}._W_K" in self.weights else ""
        keys, values = (self.affines(f"{name}.{grouped}W_{kind}", f"{name}.{grouped}b_{kind}") for kind in "KV")
        outs = self.weights.planes(f"{name}.W_O", len(queries), None, self.width)
        if len(queries) % len(keys) or len(keys) != len(values):
            raise InputError(f"{self.weights.where}: {len(queries)} queries, {len(keys)} keys and {len(values)} values "
                             f"in {name}, expected a divisor")
        self.questions.told("heads", len(queries), f"{name}.W_Q")
        alibi = self.questions.options.positions == "alibi"
        slopes = alibi_slopes(len(queries)) if alibi else [None] * len(queries)
        return tuple(trained.Head(queries[index], keys[index * len(keys) // len(queries)],
                                  values[index * len(keys) // len(queries)], outs[index], slopes[index])
                     for index in range(len(queries)))

    def affines(self, weight: str, bias: str) -> list[trained.Affine]:
        """The maps of all heads: weight [heads, width, head width], bias [heads, head width]."""
        planes = self.weights.planes(weight, None, self.width, None)
        if bias not in self.weights:
            return [trained.Affine(plane) for plane in planes]
        width = planes[0].shape[1]
        self.weights.take(bias, len(planes), width)
        return [trained.Affine(plane, trained.View(bias, index * width, (width,), (1,)))
                for index, plane in enumerate(planes)]

    def rotary(self, name: str) -> trained.Rotary | None:
        """The tables of the file, whose columns are doubled: as halves, or each beside its copy."""
        if f"{name}.rotary_sin" not in self.weights:
            return None
        sines = self.weights.matrix(f"{name}.rotary_sin")
        cosines = self.weights.matrix(f"{name}.rotary_cos", *sines.shape)
        pairs = sines.shape[1] // 2
        if self.equal(columns(sines, 0, pairs), columns(sines, pairs, pairs)):
            return trained.Rotary(columns(cosines, 0, pairs), columns(sines, 0, pairs), "halves")
        if self.equal(columns(sines, 0, pairs, 2), columns(sines, 1, pairs, 2)):
            return trained.Rotary(columns(cosines, 0, pairs, 2), columns(sines, 0, pairs, 2), "neighbours")
        raise InputError(f"{self.weights.where}: tensor {name}.rotary_sin pairs neither halves nor neighbours")

    def equal(self, one: trained.View, other: trained.View) -> bool:
        """Whether two views show the same numbers."""
        tensors = self.weights.tensors
        return bool((view_of_tensor(tensors[one.tensor], one) == view_of_tensor(tensors[other.tensor], other)).all())

    def units(self, name: str) -> trained.UnitsStep:
        """The units of a block, gated if there is W_gate."""
        mlp = f"{name}.mlp"
        inward = self.weights.matrix(f"{mlp}.W_in", self.width)
        count = inward.shape[1]
        bias = self.weights.vector_if(f"{mlp}.b_in", count)
        gate = None
        if f"{mlp}.W_gate" in self.weights:
            gate = trained.Affine(self.weights.matrix(f"{mlp}.W_gate", self.width, count))
            if bias and all_numbers(self.weights.tensors[bias.tensor]).any():
                raise InputError(f"{self.weights.where}: tensor {mlp}.b_in is not 0 beside W_gate, where "
                                 f"TransformerLens adds it after the gate, which is not handled")
        outward = trained.Affine(self.weights.matrix(f"{mlp}.W_out", count, self.width),
                                 self.weights.vector_if(f"{mlp}.b_out", self.width))
        activation = self.questions.ask("activation")
        return trained.UnitsStep(self.norm(f"{name}.ln2"), trained.Affine(inward, bias), gate, activation, outward)
