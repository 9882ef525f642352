"""A transformer with exact weights, as a plain torch module.

This file needs torch, and safetensors to load weights.

    network = Network.load(".")             # config.json and weights.safetensors; Network.load(".", fused=True)
    network.run(["0110"])                   # the truths of the formula and its subformulas, named by network.names
    network.to(torch.bfloat16)              # rounds the weights again, from what they were stored in
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import linear, scaled_dot_product_attention


class TorchLayer(nn.Module):
    """Attention, then a feed-forward part, each added to the residual stream."""

    def __init__(self, width: int, heads: int, key_width: int, units: int, fused: bool) -> None:
        super().__init__()
        self.fused = fused
        self.query = nn.Parameter(torch.zeros(heads, width, key_width))
        self.key = nn.Parameter(torch.zeros(heads, width, key_width))
        self.value = nn.Parameter(torch.zeros(heads, width, width))
        self.register_buffer("scale", torch.zeros(heads, dtype=torch.int64))
        self.register_buffer("sees_before", torch.ones(heads, dtype=torch.bool))
        self.register_buffer("sees_after", torch.ones(heads, dtype=torch.bool))
        self.w1, self.b1 = nn.Parameter(torch.zeros(width, units)), nn.Parameter(torch.zeros(units))
        self.w2, self.b2 = nn.Parameter(torch.zeros(units, width)), nn.Parameter(torch.zeros(width))

    def forward(self, h: Tensor, positions: Tensor) -> Tensor:
        """Map residual vectors [batch, n, d] to residual vectors; ``positions`` has a row per position."""
        every = h.unsqueeze(1)                                         # batch, 1, n, d
        scale = positions[:, self.scale].T.unsqueeze(-1)               # heads, n, 1: 1 / temperature
        query, key, value = every @ self.query * scale, every @ self.key, every @ self.value
        i = torch.arange(h.shape[1], device=h.device)
        before, after = i[:, None] > i, i[:, None] < i                 # n, n: key before, after the query
        seen = ~(before & ~self.sees_before[:, None, None]) & ~(after & ~self.sees_after[:, None, None])
        if self.fused:
            out = scaled_dot_product_attention(query, key, value, attn_mask=seen, scale=1)
        else:
            scores = (query @ key.transpose(-1, -2)).masked_fill(~seen, -torch.inf)
            out = torch.softmax(scores, dim=-1) @ value
        h = h + out.sum(dim=1)                                         # only one head writes each direction
        hidden = torch.relu(linear(h, self.w1.T, self.b1))             # linear rounds once, its bias included
        return h + linear(hidden, self.w2.T, self.b2)


class TorchNetwork(nn.Module):
    """Map tokens [batch, n] to truths [batch, n, formulas]: 1.0 or 0.0 where the claim holds in floating point."""

    def __init__(self, config: Mapping[str, Any], fused: bool = False) -> None:
        super().__init__()
        self.config = config
        self.names = list(config["truths"])
        shapes = config["shapes"]
        for name in ("token_embedding", "by_i", "by_n", "by_n_and_i"):
            self.register_buffer(name, torch.zeros(shapes[name]))
        self.register_buffer("embedded", torch.zeros(len(config["directions"]), dtype=torch.int64))
        self.register_buffer("truths", torch.tensor(list(config["truths"].values()), dtype=torch.int64), False)
        self.layers = nn.ModuleList()
        for number in range(config["layers"]):
            heads, width, key_width = shapes[f"layers.{number}.query"]
            (units,) = shapes[f"layers.{number}.b1"]
            self.layers.append(TorchLayer(width, heads, key_width, units, fused))

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the truth of every formula of ``names`` at every position; tokens are indices into the alphabet."""
        return self.stream(tokens)[:, :, self.truths]

    def stream(self, tokens: Tensor) -> Tensor:
        """Return the final residual vectors, [batch, n, d]: a column for each of config["directions"]."""
        n, (first, last) = tokens.shape[1], self.config["lengths"]
        if not first <= n <= last:
            raise ValueError(f"words of length {n}: expected one of {first} to {last}")
        positions = torch.cat([self.by_i[:n], self.by_n[n - 1].expand(n, -1), self.by_n_and_i[n - 1, :n]], dim=1)
        h = self.token_embedding[tokens] + positions[:, self.embedded]
        for layer in self.layers:
            h = layer(h, positions)
        return h

    @torch.no_grad()
    def run(self, words: Sequence[Sequence[str]]) -> Tensor:
        """Return the truths for words of one length, given as symbols."""
        places = {symbol: place for place, symbol in enumerate(self.config["alphabet"])}
        unknown = [symbol for word in words for symbol in word if symbol not in places]
        if unknown:
            raise ValueError(f"symbol {unknown[0]!r}: expected one of {', '.join(places)}")
        tokens = [[places[symbol] for symbol in word] for word in words]
        return self(torch.tensor(tokens, device=self.token_embedding.device))

    @classmethod
    def load(cls, folder: str | Path, fused: bool = False) -> TorchNetwork:
        """Load the network of a folder; with ``fused`` its attention is torch's scaled_dot_product_attention."""
        from safetensors.torch import load_file

        network = cls(json.loads((Path(folder) / "config.json").read_text(encoding="utf-8")), fused)
        weights = load_file(Path(folder) / "weights.safetensors")
        network.to(weights["token_embedding"].dtype).load_state_dict(weights)
        return network.eval()
