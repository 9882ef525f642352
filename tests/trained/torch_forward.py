"""A trained network in torch, by torch's own functions: the reference of enclosures and of the float pass."""

from __future__ import annotations

from typing import Any

import numpy as np

from constructions.trained.network import (
    Affine,
    AttentionStep,
    Norm,
    NormStep,
    Rotary,
    TrainedNetwork,
    UnitsStep,
    View,
)
from tests.with_torch import torch_or_skip


class TorchForward:
    """Logits of whole inputs, in binary64 or binary32."""

    def __init__(self, network: TrainedNetwork, form: str = "float64") -> None:
        self.torch = torch_or_skip()
        self.form = getattr(self.torch, form)
        self.torch.set_num_threads(1)
        self.network = network

    def view(self, view: View | None) -> Any:
        if view is None:
            return None
        kinds = {"binary64": "float64", "binary32": "float32", "binary16": "float16", "bfloat16": "bfloat16"}
        tensor = self.network.tensors[view.tensor]
        flat = self.torch.frombuffer(bytearray(tensor.data), dtype=getattr(self.torch, kinds[tensor.format]))
        return self.torch.as_strided(flat.to(self.form), view.shape, view.strides, view.start)

    def affine(self, affine: Affine, x: Any) -> Any:
        return self.torch.nn.functional.linear(x, self.view(affine.weight).T, self.view(affine.bias))

    def norm(self, norm: Norm | None, x: Any) -> Any:
        if norm is None:
            return x
        x = x if norm.of is None else self.affine(norm.of, x)
        functional, width, epsilon = self.torch.nn.functional, [x.shape[-1]], float(norm.epsilon)
        gain, bias = self.view(norm.gain), self.view(norm.bias)
        if norm.kind == "layer":
            return functional.layer_norm(x, width, gain, bias, epsilon)
        y = functional.rms_norm(x, width, gain, epsilon)
        return y if bias is None else y + bias

    def turned(self, rotary: Rotary | None, x: Any, offset: int) -> Any:
        """Pairs as complex numbers, times cosine + i sine."""
        if rotary is None:
            return x
        torch, pairs = self.torch, rotary.cosines.shape[1]
        rows = slice(offset, offset + x.shape[-2])
        turn = torch.complex(self.view(rotary.cosines)[rows], self.view(rotary.sines)[rows])
        head, rest = x[..., : 2 * pairs], x[..., 2 * pairs :]
        shape = (2, pairs) if rotary.pairing == "halves" else (pairs, 2)
        axis = -2 if rotary.pairing == "halves" else -1
        first, second = head.reshape(*head.shape[:-1], *shape).unbind(axis)
        turned = torch.complex(first, second) * turn
        return torch.cat([torch.stack([turned.real, turned.imag], axis).flatten(-2), rest], -1)

    def attention(self, step: AttentionStep, x: Any, offset: int) -> Any:
        torch, normed, total = self.torch, self.norm(step.norm, x), x
        places = torch.arange(x.shape[-2])
        for head in step.heads:
            queries, keys = (self.turned(step.rotary, self.affine(one, normed), offset)
                             for one in (head.query, head.key))
            added = float(head.slope or 0) * (places[None, :] - places[:, None]).to(self.form)
            if self.network.attention == "causal":
                added = added.masked_fill(places[None, :] > places[:, None], -torch.inf)
            if step.scale.root:
                scale = step.scale.root ** -0.5
            else:
                assert step.scale.times is not None
                scale = float(step.scale.times)
            average = torch.nn.functional.scaled_dot_product_attention(
                queries, keys, self.affine(head.value, normed), attn_mask=added, scale=scale)
            total = total + average @ self.view(head.out)
        bias = self.view(step.bias)
        return total if bias is None else total + bias

    def units(self, step: UnitsStep, x: Any) -> Any:
        functional, normed = self.torch.nn.functional, self.norm(step.norm, x)
        act = {"relu": functional.relu, "gelu": functional.gelu, "silu": functional.silu,
               "gelu-tanh": lambda y: functional.gelu(y, approximate="tanh"),
               "sigmoid": self.torch.sigmoid, "tanh": self.torch.tanh, "identity": lambda y: y}[step.activation]
        inward = self.affine(step.inward, normed)
        units = act(inward) if step.gate is None else act(self.affine(step.gate, normed)) * inward
        return x + self.affine(step.outward, units)

    def logits(self, tokens: Any, offset: int) -> Any:
        """[B, T, outputs] of inputs [B, T], as a numpy array."""
        inputs = self.torch.as_tensor(np.asarray(tokens))
        x = self.view(self.network.tokens)[inputs]
        if self.network.positions is not None:
            x = x + self.view(self.network.positions)[offset : offset + inputs.shape[1]]
        for step in self.network.steps:
            if isinstance(step, NormStep):
                x = self.norm(step.norm, x)
            else:
                x = self.units(step, x) if isinstance(step, UnitsStep) else self.attention(step, x, offset)
        x = self.affine(self.network.unembedding, x)
        return x.to(self.torch.float64).numpy() if self.form == self.torch.bfloat16 else x.numpy()
