"""The networks of the zoo in plain torch; their tensors have the names of nanoGPT, torch and Hugging Face's LLaMA."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional


@dataclass(frozen=True)
class NetworkSizes:
    """Sizes common to all kinds; ``rows`` is the number of position numbers."""

    vocabulary: int
    rows: int
    layers: int
    heads: int = 1
    width: int = 16
    units: int = 64


class CausalAttention(nn.Module):
    """Causal heads, as in nanoGPT."""

    def __init__(self, shape: NetworkSizes) -> None:
        super().__init__()
        self.heads = shape.heads
        self.c_attn = nn.Linear(shape.width, 3 * shape.width)
        self.c_proj = nn.Linear(shape.width, shape.width)

    def forward(self, stream: torch.Tensor) -> torch.Tensor:
        """Map [B, T, width] to the same shape."""
        batch, length, width = stream.shape
        query, key, value = (part.view(batch, length, self.heads, -1).transpose(1, 2)
                             for part in self.c_attn(stream).split(width, dim=2))
        average = attend(query, key, value)
        return self.c_proj(average.transpose(1, 2).reshape(batch, length, width))


class GeluBlock(nn.Module):
    """A feed-forward block of GELU units, as in nanoGPT."""

    def __init__(self, shape: NetworkSizes) -> None:
        super().__init__()
        self.c_fc = nn.Linear(shape.width, shape.units)
        self.c_proj = nn.Linear(shape.units, shape.width)

    def forward(self, stream: torch.Tensor) -> torch.Tensor:
        """Map [B, T, width] to the same shape."""
        return self.c_proj(functional.gelu(self.c_fc(stream)))


class Block(nn.Module):
    """Layer norm before heads and before hidden units."""

    def __init__(self, shape: NetworkSizes) -> None:
        super().__init__()
        self.ln_1 = nn.LayerNorm(shape.width)
        self.attn = CausalAttention(shape)
        self.ln_2 = nn.LayerNorm(shape.width)
        self.mlp = GeluBlock(shape)

    def forward(self, stream: torch.Tensor) -> torch.Tensor:
        """Map [B, T, width] to the same shape."""
        stream = stream + self.attn(self.ln_1(stream))
        return stream + self.mlp(self.ln_2(stream))


class GPT(nn.Module):
    """Causal, layer norm first, learned positions, GELU by the error function: the names are nanoGPT's."""

    def __init__(self, shape: NetworkSizes) -> None:
        super().__init__()
        self.transformer = nn.ModuleDict({
            "wte": nn.Embedding(shape.vocabulary, shape.width),
            "wpe": nn.Embedding(shape.rows, shape.width),
            "h": nn.ModuleList([Block(shape) for _ in range(shape.layers)]),
            "ln_f": nn.LayerNorm(shape.width),
        })
        self.lm_head = nn.Linear(shape.width, shape.vocabulary, bias=False)

    def forward(self, tokens: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
        """Map tokens and their position numbers [B, T] to logits [B, T, vocabulary]."""
        stream = self.transformer["wte"](tokens) + self.transformer["wpe"](numbers)
        for block in self.transformer["h"]:
            stream = block(stream)
        return self.lm_head(self.transformer["ln_f"](stream))


class Encoder(nn.Module):
    """Bidirectional, torch's own encoder: layer norm last, ReLU, learned positions."""

    def __init__(self, shape: NetworkSizes) -> None:
        super().__init__()
        self.embedding = nn.Embedding(shape.vocabulary, shape.width)
        self.positions = nn.Embedding(shape.rows, shape.width)
        layer = nn.TransformerEncoderLayer(shape.width, shape.heads, shape.units, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, shape.layers, enable_nested_tensor=False)
        self.output = nn.Linear(shape.width, shape.vocabulary)

    def forward(self, tokens: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
        """Map tokens and their position numbers [B, T] to logits [B, T, vocabulary]."""
        return self.output(self.encoder(self.embedding(tokens) + self.positions(numbers)))


class Unplaced(nn.Module):
    """Causal, torch's own encoder without positions: layer norm first, GELU; it can only use counts of tokens."""

    def __init__(self, shape: NetworkSizes) -> None:
        super().__init__()
        self.embedding = nn.Embedding(shape.vocabulary, shape.width)
        layer = nn.TransformerEncoderLayer(shape.width, shape.heads, shape.units, dropout=0.0, activation="gelu",
                                           batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, shape.layers, enable_nested_tensor=False)
        self.output = nn.Linear(shape.width, shape.vocabulary)

    def forward(self, tokens: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
        """Map tokens [B, T] to logits [B, T, vocabulary]; position numbers have no effect."""
        later = torch.ones(numbers.shape[1], numbers.shape[1], dtype=torch.bool).triu(1)
        return self.output(self.encoder(self.embedding(tokens), mask=later))


class Sloped(Unplaced):
    """The encoder without positions, with ALiBi: a head's scores decrease with the distance, by its slope per token."""

    def __init__(self, shape: NetworkSizes) -> None:
        super().__init__(shape)
        self.heads = shape.heads

    def forward(self, tokens: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
        """Map tokens [B, T] to logits [B, T, vocabulary]; position numbers have no effect."""
        slopes = 2.0 ** (-8.0 * torch.arange(1, self.heads + 1) / self.heads)
        places = torch.arange(numbers.shape[1])
        distance = (places[:, None] - places).float()
        fallen = (-slopes[:, None, None] * distance).masked_fill(distance < 0, float("-inf"))
        return self.output(self.encoder(self.embedding(tokens), mask=fallen.repeat(len(tokens), 1, 1)))


class TurnedAttention(nn.Module):
    """Causal heads with rotary positions, as in Hugging Face's LLaMA."""

    def __init__(self, shape: NetworkSizes) -> None:
        super().__init__()
        self.heads = shape.heads
        for name in ("q_proj", "k_proj", "v_proj", "o_proj"):
            self.add_module(name, nn.Linear(shape.width, shape.width, bias=False))

    def forward(self, stream: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
        """Map [B, T, width] and position numbers [B, T] to [B, T, width]."""
        batch, length, width = stream.shape
        query, key, value = (projection(stream).view(batch, length, self.heads, -1).transpose(1, 2)
                             for projection in (self.q_proj, self.k_proj, self.v_proj))
        average = attend(turn(query, numbers), turn(key, numbers), value)
        return self.o_proj(average.transpose(1, 2).reshape(batch, length, width))


class GatedUnits(nn.Module):
    """Hidden units with a SiLU gate, as in LLaMA."""

    def __init__(self, shape: NetworkSizes) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(shape.width, shape.units, bias=False)
        self.up_proj = nn.Linear(shape.width, shape.units, bias=False)
        self.down_proj = nn.Linear(shape.units, shape.width, bias=False)

    def forward(self, stream: torch.Tensor) -> torch.Tensor:
        """Map [B, T, width] to the same shape."""
        return self.down_proj(functional.silu(self.gate_proj(stream)) * self.up_proj(stream))


class LlamaLayer(nn.Module):
    """RMS norm before heads and before hidden units."""

    def __init__(self, shape: NetworkSizes) -> None:
        super().__init__()
        self.input_layernorm = nn.RMSNorm(shape.width, eps=RMS_EPSILON)
        self.self_attn = TurnedAttention(shape)
        self.post_attention_layernorm = nn.RMSNorm(shape.width, eps=RMS_EPSILON)
        self.mlp = GatedUnits(shape)

    def forward(self, stream: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
        """Map [B, T, width] to the same shape."""
        stream = stream + self.self_attn(self.input_layernorm(stream), numbers)
        return stream + self.mlp(self.post_attention_layernorm(stream))


class Llama(nn.Module):
    """Causal, RMS norm, rotary positions, gated units, no biases: the names are those of Hugging Face's LLaMA."""

    def __init__(self, shape: NetworkSizes) -> None:
        super().__init__()
        self.model = nn.ModuleDict({
            "embed_tokens": nn.Embedding(shape.vocabulary, shape.width),
            "layers": nn.ModuleList([LlamaLayer(shape) for _ in range(shape.layers)]),
            "norm": nn.RMSNorm(shape.width, eps=RMS_EPSILON),
        })
        self.lm_head = nn.Linear(shape.width, shape.vocabulary, bias=False)

    def forward(self, tokens: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
        """Map tokens and their position numbers [B, T] to logits [B, T, vocabulary]."""
        stream = self.model["embed_tokens"](tokens)
        for layer in self.model["layers"]:
            stream = layer(stream, numbers)
        return self.lm_head(self.model["norm"](stream))


RMS_EPSILON = 1e-6
ROTARY_BASE = 10000.0


def attend(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """Return causal softmax attention [B, heads, T, head width], scaled by one over the root of the head width."""
    scores = query @ key.transpose(2, 3) / query.shape[3] ** 0.5
    later = torch.ones(scores.shape[2:], dtype=torch.bool).triu(1)
    return scores.masked_fill(later, float("-inf")).softmax(dim=3) @ value


def turn(vectors: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
    """Rotate coordinates r and r + pairs of [B, heads, T, head width] by the angle number / base^(r / pairs)."""
    pairs = vectors.shape[3] // 2
    angles = numbers[:, None, :, None] / ROTARY_BASE ** (torch.arange(pairs) / pairs)
    first, second = vectors.split(pairs, dim=3)
    cosines, sines = angles.cos(), angles.sin()
    return torch.cat([first * cosines - second * sines, second * cosines + first * sines], dim=3)


KINDS: dict[str, type[nn.Module]] = {"gpt": GPT, "encoder": Encoder, "llama": Llama, "unplaced": Unplaced,
                                     "sloped": Sloped}
