"""What GPT-2 of Hugging Face and nanoGPT share: names and order. The matrices of one are transposed in the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from constructions.importing.parts import numbered, split_packed
from constructions.importing.questions import Questions
from constructions.importing.weights import Weights
from constructions.trained import network as trained


@dataclass(frozen=True)
class Blocks:
    """Where the tensors of the blocks are and how to read them; ``matrix`` gives a weight as [in, out]."""

    weights: Weights
    prefix: str
    matrix: Callable[[str, int | None, int | None], trained.View]
    heads: int
    scale: Callable[[int], trained.Scale]
    activation: trained.Activation
    epsilon: Fraction
    layers: int | None

    @property
    def tokens(self) -> trained.View:
        """The token table."""
        return self.weights.matrix(f"{self.prefix}wte.weight")

    def steps(self) -> tuple[trained.Step, ...]:
        """Two steps for each block, and the last norm."""
        count = numbered(self.weights.stored, f"{self.prefix}h.", ".attn.c_attn.weight", self.weights.where,
                         self.layers)
        blocks = [step for index in range(count) for step in self._block(index)]
        return (*blocks, trained.NormStep(self._norm(f"{self.prefix}ln_f")))

    def _block(self, index: int) -> tuple[trained.Step, trained.Step]:
        name, width = f"{self.prefix}h.{index}", self.tokens.shape[1]
        packed = self._affine(f"{name}.attn.c_attn", width, 3 * width)
        out = self._affine(f"{name}.attn.c_proj", width, width)
        inward = self._affine(f"{name}.mlp.c_fc", width, None)
        outward = self._affine(f"{name}.mlp.c_proj", inward.weight.shape[1], width)
        heads = split_packed(packed, out.weight, self.heads)
        return (trained.AttentionStep(self._norm(f"{name}.ln_1"), heads, out.bias, self.scale(index)),
                trained.UnitsStep(self._norm(f"{name}.ln_2"), inward, None, self.activation, outward))

    def _affine(self, name: str, inward: int | None, outward: int | None) -> trained.Affine:
        weight = self.matrix(f"{name}.weight", inward, outward)
        return trained.Affine(weight, self.weights.vector_if(f"{name}.bias", weight.shape[1]))

    def _norm(self, name: str) -> trained.Norm:
        width = self.tokens.shape[1]
        return trained.Norm("layer", self.epsilon, self.weights.vector(f"{name}.weight", width),
                            self.weights.vector_if(f"{name}.bias", width))


BUFFERS = {
    r"(.*\.)?attn\.(bias|masked_bias)": "the causal mask",
    r"(.*\.)?crossattention\.(bias|masked_bias)": "the causal mask",
}


def untied_or_tied(weights: Weights, questions: Questions, names: tuple[str, ...], tied_to: str, tied: bool | None,
                   ) -> trained.Affine:
    """The unembedding: one of these layers, or the token table where they are tied.

    ``tied`` None: the files do not tell what a missing layer means, and the user must.
    """
    width = weights.matrix(tied_to).shape[1]
    for name in names:
        if f"{name}.weight" in weights:
            if weights.same_as(f"{name}.weight", tied_to):
                questions.assume(f"the unembedding is the token table, as {name}.weight is equal to it")
                return trained.Affine(weights.linear(tied_to, width), weights.vector_if(f"{name}.bias"))
            return weights.linear_with_bias(name, width)
    if tied:
        questions.assume("the unembedding is the token table (they are tied)")
        return trained.Affine(weights.linear(questions.told("output_layer", tied_to, "the file"), width))
    chosen: str = questions.ask("output_layer")
    return trained.Affine(weights.linear(chosen, width), weights.vector_if(chosen.removesuffix("weight") + "bias"))
