"""BERT of Hugging Face: an encoder whose norms come after the sums, with a head for masked words, words or tokens."""

from __future__ import annotations

from constructions.errors import InputError
from constructions.importing.composing import Composer, in_heads
from constructions.importing.config_file import Settings
from constructions.importing.graph.values import Flat, HeadReads
from constructions.importing.parts import Found, ending, numbered
from constructions.importing.questions import Questions, activation_in, head_count, score_scale
from constructions.importing.weights import Weights
from constructions.trained.network import Activation, Affine, Attends

MARK = "encoder.layer.0.attention.self.query.weight"
BUFFERS = {r"(.*\.)?embeddings\.(position_ids|token_type_ids)": "the numbers of the positions, or of the parts",
           r"cls\.seq_relationship\.(weight|bias)": "a head that is not read",
           r"(.*\.)?pooler\.dense\.(weight|bias)": "a head that is not read"}


def recognises(weights: Weights) -> bool:
    """Whether there are BERT's names."""
    return ending(weights.stored, MARK) is not None


def build(weights: Weights, settings: Settings, questions: Questions) -> Found:
    """The network.

    Raises:
        InputError: if a setting is not handled, a tensor is missing, or an answer.
    """
    settings.refuse("model_type", "bert")
    settings.refuse("position_embedding_type", "absolute")
    settings.refuse("is_decoder", False)
    return _Bert(weights, settings, questions).network()


class _Bert:
    """The tensors, settings and questions of one file."""

    def __init__(self, weights: Weights, settings: Settings, questions: Questions) -> None:
        self.weights, self.settings, self.questions = weights, settings, questions
        self.composer = Composer(weights)
        self.prefix = ending(weights.stored, MARK) or ""
        self.tokens = weights.matrix(f"{self.prefix}embeddings.word_embeddings.weight")
        self.width, by = self.tokens.shape[1], settings.where
        self.heads = head_count(questions, settings.count("num_attention_heads"), self.width, by)
        self.epsilon = questions.either("epsilon", settings.number("layer_norm_eps"), by)
        self.activation: Activation = questions.either("activation", activation_in(settings, ["hidden_act"]), by)
        questions.expect_answers()

    def network(self) -> Found:
        """The whole network."""
        composer, weights, front = self.composer, self.weights, f"{self.prefix}embeddings."
        places = weights.matrix(f"{front}position_embeddings.weight", None, self.width)
        kinds = weights.matrix(f"{front}token_type_embeddings.weight", None, self.width)
        self.questions.assume("all tokens are of the first part (row 0 of token_type_embeddings)")
        x = composer.moved(composer.looked_up(composer.array(self.tokens)), composer.array(places))
        x = self.norm(composer.moved(x, composer.array(kinds)[0]), f"{front}LayerNorm")
        count = numbered(weights.stored, f"{self.prefix}encoder.layer.", ".attention.self.query.weight", weights.where,
                         self.settings.count("num_hidden_layers"))
        for index in range(count):
            x = self.layer(x, f"{self.prefix}encoder.layer.{index}.")
        attends: Attends = self.questions.told("attention", "bidirectional", "BERT")
        logits = self.unembedded(x)
        if composer.exactness.rounded:
            self.questions.assume("sums of weights are rounded to binary64")
        return composer.finish(logits, places.shape[0], attends, "BERT")

    def linear(self, x: Flat, name: str, outward: int | None = None) -> Flat:
        """A Linear of torch."""
        return self.composer.linear(x, self.weights.linear_with_bias(name, x.size, outward))

    def norm(self, x: Flat, name: str) -> Flat:
        """A layer norm."""
        gain, bias = (self.composer.array(self.weights.vector(f"{name}.{part}", x.size)) for part in ("weight", "bias"))
        return self.composer.norm(x, "layer", self.epsilon, gain, bias)

    def layer(self, x: Flat, name: str) -> Flat:
        """Attention and units, each with a norm after the sum."""
        composer, width = self.composer, self.width
        parts = [in_heads(self.linear(x, f"{name}attention.self.{part}", width), self.heads)
                 for part in ("query", "key", "value")]
        heads = [HeadReads(query, key, value, None) for query, key, value in zip(*parts, strict=True)]
        scale = score_scale(self.questions, width // self.heads).root or 1
        added = self.linear(composer.attention(heads, scale), f"{name}attention.output.dense", width)
        x = self.norm(composer.plus(x, added), f"{name}attention.output.LayerNorm")
        units = composer.units(self.linear(x, f"{name}intermediate.dense"), self.activation)
        return self.norm(composer.plus(x, self.linear(units, f"{name}output.dense", width)), f"{name}output.LayerNorm")

    def unembedded(self, x: Flat) -> Flat:
        """The logits, by the head that there is."""
        weights, composer, predictions = self.weights, self.composer, "cls.predictions."
        if f"{predictions}transform.dense.weight" in weights:
            inner = composer.units(self.linear(x, f"{predictions}transform.dense", self.width), self.activation)
            x = self.norm(inner, f"{predictions}transform.LayerNorm")
            decoder = f"{predictions}decoder.weight"
            tied = decoder not in weights or weights.same_as(decoder, self.tokens.tensor)
            matrix = weights.linear(self.tokens.tensor if tied else decoder, self.width)
            bias = f"{predictions}bias"
            if f"{predictions}decoder.bias" in weights and not weights.same_as(f"{predictions}decoder.bias", bias):
                bias = f"{predictions}decoder.bias"
            return composer.linear(x, Affine(matrix, weights.vector_if(bias, matrix.shape[1])))
        if "classifier.weight" not in weights:
            raise InputError(f"{weights.where}: no head, expected cls.predictions or classifier")
        pooler = f"{self.prefix}pooler.dense"
        if f"{pooler}.weight" in weights:
            self.questions.assume("logits are those of the first token, which the pooler reads")
            x = composer.units(self.linear(x, pooler), "tanh")
        return self.linear(x, "classifier")
