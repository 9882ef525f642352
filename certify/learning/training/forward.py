"""A trained network of any architecture in torch, by torch's own functions, for training.

Proofs do not rest on it. This file needs torch.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import torch
from torch.nn import functional

from certify.learning.training.fresh import COMPUTED
from constructions.errors import Unsupported
from constructions.trained.edits import check_soft
from constructions.trained.network import (
    Affine,
    AttentionStep,
    Norm,
    NormStep,
    Rotary,
    Rounding,
    Tensor,
    TrainedNetwork,
    UnitsStep,
    View,
)

_DTYPES = {"binary64": torch.float64, "binary32": torch.float32, "binary16": torch.float16, "bfloat16": torch.bfloat16}
ACTIVATIONS: Mapping[str, Callable[[Any], Any]] = {
    "relu": functional.relu, "gelu": functional.gelu, "silu": functional.silu,
    "gelu-tanh": lambda y: functional.gelu(y, approximate="tanh"), "sigmoid": torch.sigmoid, "tanh": torch.tanh,
    "identity": lambda y: y}


class TorchNetwork:
    """The logits of whole inputs, in one of torch's formats; ``numbers`` are its tensors, flattened."""

    def __init__(self, network: TrainedNetwork, form: str = "float64") -> None:
        if any(isinstance(step, UnitsStep) and isinstance(step.activation, Rounding) for step in network.steps):
            raise Unsupported("training: a network that rounds numbers of tokens has no gradients")
        check_soft(network)
        self.network, self.form = network, getattr(torch, form)
        self.numbers = {name: torch.frombuffer(bytearray(tensor.data), dtype=_DTYPES[tensor.format]).to(self.form)
                        for name, tensor in network.tensors.items()}

    def __call__(self, tokens: Any, numbers: Any, streams: list[Any] | None = None) -> Any:
        """Return [B, T, outputs] for tokens [B, T] at positions [B, T]; streams after attention go to ``streams``."""
        x = self.view(self.network.tokens)[tokens]
        if self.network.positions is not None:
            x = x + self.view(self.network.positions)[numbers]
        for step in self.network.steps:
            if isinstance(step, NormStep):
                x = self.norm(step.norm, x)
            else:
                x = self.units(step, x) if isinstance(step, UnitsStep) else self.attention(step, x, numbers)
                if streams is not None and isinstance(step, AttentionStep):
                    streams.append(x)
        return self.affine(self.network.unembedding, x)

    def view(self, view: View | None) -> Any:
        """Return a differentiable view of a matrix or a vector."""
        if view is None:
            return None
        return torch.as_strided(self.numbers[view.tensor], view.shape, view.strides, view.start)

    def affine(self, affine: Affine, x: Any) -> Any:
        """Return x weight + bias."""
        return functional.linear(x, self.view(affine.weight).T, self.view(affine.bias))

    def norm(self, norm: Norm | None, x: Any) -> Any:
        """Apply layer norm or RMS norm; without a norm return x."""
        if norm is None:
            return x
        x = x if norm.of is None else self.affine(norm.of, x)
        width, epsilon = [x.shape[-1]], float(norm.epsilon)
        gain, bias = self.view(norm.gain), self.view(norm.bias)
        if norm.kind == "layer":
            return functional.layer_norm(x, width, gain, bias, epsilon)
        y = functional.rms_norm(x, width, gain, epsilon)
        return y if bias is None else y + bias

    def turned(self, rotary: Rotary | None, x: Any, numbers: Any) -> Any:
        """Apply rotary positions: pairs as complex numbers, times cosine + i sine."""
        if rotary is None:
            return x
        pairs = rotary.cosines.shape[1]
        turn = torch.complex(self.view(rotary.cosines)[numbers], self.view(rotary.sines)[numbers])
        head, rest = x[..., : 2 * pairs], x[..., 2 * pairs :]
        shape = (2, pairs) if rotary.pairing == "halves" else (pairs, 2)
        axis = -2 if rotary.pairing == "halves" else -1
        first, second = head.reshape(*head.shape[:-1], *shape).unbind(axis)
        turned = torch.complex(first, second) * turn
        return torch.cat([torch.stack([turned.real, turned.imag], axis).flatten(-2), rest], -1)

    def attention(self, step: AttentionStep, x: Any, numbers: Any) -> Any:
        """Return the stream plus the outputs of all heads."""
        normed, total, places = self.norm(step.norm, x), x, torch.arange(x.shape[-2])
        scale = step.scale.root ** -0.5 if step.scale.root else float(step.scale.times or 0)
        for head in step.heads:
            queries, keys = (self.turned(step.rotary, self.affine(one, normed), numbers)
                             for one in (head.query, head.key))
            added = float(head.slope or 0) * (places[None, :] - places[:, None]).to(self.form)
            if self.network.attention == "causal":
                added = added.masked_fill(places[None, :] > places[:, None], -torch.inf)
            values = self.affine(head.value, normed)
            if step.cap is None:
                average = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=added, scale=scale)
            else:
                cap = float(step.cap)
                scores = cap * torch.tanh(queries @ keys.transpose(-1, -2) * scale / cap)
                average = torch.softmax(scores + added, -1) @ values
            total = total + average @ self.view(head.out)
        bias = self.view(step.bias)
        return total if bias is None else total + bias

    def units(self, step: UnitsStep, x: Any) -> Any:
        """Return the stream plus the output of the feed-forward block."""
        assert not isinstance(step.activation, Rounding)
        normed, act = self.norm(step.norm, x), ACTIVATIONS[step.activation]
        inward = self.affine(step.inward, normed)
        units = act(inward) if step.gate is None else act(self.affine(step.gate, normed)) * inward
        return x + self.affine(step.outward, units)

    # -- training ------------------------------------------------------------------------------------------------------

    def learning(self) -> list[Any]:
        """Return the tensors that are trained: all but tables of angles and computed tensors."""
        fixed = {view.tensor for step in self.network.attention_steps if step.rotary
                 for view in (step.rotary.cosines, step.rotary.sines)}
        return [numbers.requires_grad_() for name, numbers in self.numbers.items()
                if name not in fixed and not name.startswith(COMPUTED)]

    def as_data(self) -> TrainedNetwork:
        """Return the network with its current numbers, in its format where they were trained."""
        form = next(name for name, dtype in _DTYPES.items() if dtype == self.form)
        tensors = {name: Tensor(form, self.network.tensors[name].shape, numbers.detach().numpy().tobytes())
                   for name, numbers in self.numbers.items() if numbers.requires_grad}
        return replace(self.network, tensors={**self.network.tensors, **tensors}, sources=())
