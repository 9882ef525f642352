"""Networks in the programs that people run, operation by operation: kernels of torch on a CPU, and ONNX Runtime."""

import io
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from constructions.trained.network import TrainedNetwork
from proofs.enclosures.float_models.model import presets
from proofs.trained.float_executions.casting import cast_network
from tests.with_torch import torch_or_skip

Logits = Callable[[Any], Any]
"""Returns the logits [T, outputs] of the tokens of one input."""
KERNELS = ("eager", "math", "flash")


def in_torch(network: TrainedNetwork, preset: str, kernel: str, offset: int = 0) -> Logits:
    """Return the logits of torch, in the format of storage of the preset.

    ``eager``: products and softmax one by one, stored, the norm of Hugging Face's LLaMA; ``math``, ``flash``: kernels
    of scaled_dot_product_attention.
    """
    torch, module = torch_or_skip(), module_of(network, preset, kernel)
    torch.set_num_threads(1)

    def logits(tokens: Any) -> Any:
        given = torch.as_tensor(np.asarray(tokens, np.int64))[None]
        with torch.no_grad():
            return module(given, offset + torch.arange(given.shape[1])[None])[0].double().numpy()

    return logits


def in_onnxruntime(network: TrainedNetwork, optimised: bool, offset: int = 0) -> Logits:
    """Return the logits of ONNX Runtime on a CPU, whose graph is ``optimised`` or run as it is."""
    runtime = pytest.importorskip("onnxruntime")
    options, file = runtime.SessionOptions(), exported(network)
    levels = runtime.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_ENABLE_ALL if optimised else levels.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(file, options, providers=["CPUExecutionProvider"])

    def logits(tokens: Any) -> Any:
        given = np.asarray(tokens, np.int64)[None]
        numbers = offset + np.arange(given.shape[1], dtype=np.int64)[None]
        return session.run(None, {"tokens": given, "numbers": numbers})[0][0].astype(np.float64)

    return logits


def exported(network: TrainedNetwork) -> bytes:
    """Return the graph of ONNX that torch exports."""
    torch, file = torch_or_skip(), io.BytesIO()
    given = torch.zeros((1, 3), dtype=torch.int64), torch.arange(3)[None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(module_of(network, "onnxruntime", "exported"), given, file, dynamo=False, opset_version=20,
                          input_names=["tokens", "numbers"], dynamic_axes={"tokens": {1: "T"}, "numbers": {1: "T"}})
    return file.getvalue()


def module_of(network: TrainedNetwork, preset: str, kernel: str) -> Any:
    """Return a module of torch, with the weights of the network rounded to the format of storage."""
    torch = torch_or_skip()
    from torch.nn import functional
    from torch.nn.attention import SDPBackend, sdpa_kernel

    from certify.learning.training.forward import ACTIVATIONS, TorchNetwork

    form = {"binary32": "float32", "binary16": "float16", "bfloat16": "bfloat16"}[str(presets()[preset].storage)]

    class Kernel(TorchNetwork):
        """All heads at once: their averages enter one product."""

        def norm(self, norm: Any, x: Any) -> Any:
            """As Hugging Face's LLaMA stores it before its gain, if ``eager``; else torch's."""
            if norm is None or (norm.kind == "rms" and kernel in ("math", "flash")):
                return super().norm(norm, x)
            x = x if norm.of is None else self.affine(norm.of, x)
            if norm.kind == "layer":
                return functional.layer_norm(x, [int(x.shape[-1])], self.view(norm.gain), self.view(norm.bias),
                                             float(norm.epsilon))
            wide = x.float()
            y = (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + float(norm.epsilon))).to(x.dtype)
            y = y if norm.gain is None else self.view(norm.gain) * y
            return y if norm.bias is None else y + self.view(norm.bias)

        def turned(self, rotary: Any, x: Any, numbers: Any) -> Any:
            """Rotate pairs as Hugging Face does: products with cosines and sines are stored."""
            if rotary is None:
                return x
            axis = -2 if rotary.pairing == "halves" else -1
            pairs = rotary.cosines.shape[1]
            head, rest = x[..., : 2 * pairs], x[..., 2 * pairs :]
            shape = (2, pairs) if rotary.pairing == "halves" else (pairs, 2)
            a, b = head.reshape(*head.shape[:-1], *shape).unbind(axis)
            cosine, sine = self.view(rotary.cosines)[numbers], self.view(rotary.sines)[numbers]
            return torch.cat([torch.stack([a * cosine - b * sine, b * cosine + a * sine], axis).flatten(-2), rest], -1)

        def attention(self, step: Any, x: Any, numbers: Any) -> Any:
            """Return the stream plus the product of all averages."""
            read, length = self.norm(step.norm, x), x.shape[-2]
            maps = [[head.query for head in step.heads], [head.key for head in step.heads]]
            q, k = (torch.stack([self.turned(step.rotary, self.affine(one, read), numbers) for one in each], 1)
                    for each in maps)
            v = torch.stack([self.affine(head.value, read) for head in step.heads], 1)
            places = numbers[0] - numbers[0, :1]
            mask = torch.zeros((len(step.heads), length, length), dtype=x.dtype)
            if any(head.slope for head in step.heads):
                slopes = torch.tensor([float(head.slope or 0) for head in step.heads]).to(x.dtype)
                mask = slopes[:, None, None] * (places[None, :] - places[:, None]).to(x.dtype)
            if self.network.attention == "causal":
                mask = mask.masked_fill(places[None, :] > places[:, None], -torch.inf)
            average = self._averages(step, q, k, v, mask).transpose(1, 2).flatten(2)
            out = torch.cat([self.view(head.out) for head in step.heads])
            return x + functional.linear(average, out.T, self.view(step.bias))

        def _averages(self, step: Any, q: Any, k: Any, v: Any, mask: Any) -> Any:
            scale = step.scale.root ** -0.5 if step.scale.root else float(step.scale.times or 0)
            if kernel in ("eager", "exported") or step.cap is not None:
                scores = q @ k.transpose(-1, -2) * scale
                if step.cap is not None:
                    scores = float(step.cap) * torch.tanh(scores / float(step.cap))
                return torch.softmax((scores + mask).float(), -1).to(q.dtype) @ v
            is_flash = kernel == "flash" and q.shape[-1] == v.shape[-1]  # means of all tokens have keys of one number
            with sdpa_kernel(SDPBackend.FLASH_ATTENTION if is_flash else SDPBackend.MATH):
                return functional.scaled_dot_product_attention(q, k, v, attn_mask=mask[None], scale=scale)

        def units(self, step: Any, x: Any) -> Any:
            """Return the stream plus the output of the feed-forward block."""
            read, act = self.norm(step.norm, x), ACTIVATIONS[step.activation]
            inward = self.affine(step.inward, read)
            units = act(inward) if step.gate is None else act(self.affine(step.gate, read)) * inward
            return x + self.affine(step.outward, units)

    class Module(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.network = Kernel(cast_network(network, presets()[preset]), form)

        def forward(self, tokens: Any, numbers: Any) -> Any:
            return self.network(tokens, numbers)

    return Module().eval()
