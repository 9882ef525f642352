"""A second opinion: the logits of a network's file on tokens, in 300 bits, straight from docs/reference/trained.md."""

import base64
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from mpmath import erf, exp, mp, mpf, nint, sqrt, tanh

mp.prec = 300
CODES = {"binary32": "f", "binary64": "d", "binary16": "e"}
C, A = mpf(0x19884533D43651) / 2**53, mpf(44715) / 10**6
ACTIVATIONS: dict[str, Callable[[mpf], mpf]] = {
    "relu": lambda x: max(x, mpf(0)), "gelu": lambda x: x * (1 + erf(x / sqrt(mpf(2)))) / 2,
    "gelu-tanh": lambda x: x / (1 + exp(-2 * C * (x + A * x**3))), "silu": lambda x: x / (1 + exp(-x)),
    "sigmoid": lambda x: 1 / (1 + exp(-x)), "tanh": lambda x: 1 - 2 / (1 + exp(2 * x)), "identity": lambda x: x}


def rational(text: str) -> mpf:
    x = Fraction(text)
    return mpf(x.numerator) / x.denominator


class Reference:
    def __init__(self, network: dict[str, Any]) -> None:
        self.network = network
        self.tensors = {name: struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data)
                        for name, t in network["tensors"].items()
                        for code in [CODES[t["format"]]] for data in [base64.b64decode(t["data"])]}

    def view(self, view: dict[str, Any] | None, length: int = 0, fill: int = 0) -> Any:
        if view is None:
            return [mpf(fill)] * length
        elements, start, strides = self.tensors[view["tensor"]], view["start"], view["strides"]
        if len(strides) == 1:
            return [mpf(elements[start + i * strides[0]]) for i in range(view["shape"][0])]
        return [[mpf(elements[start + i * strides[0] + j * strides[1]]) for j in range(view["shape"][1])]
                for i in range(view["shape"][0])]

    def affine(self, affine: dict[str, Any], x: list[mpf]) -> list[mpf]:
        weight = self.view(affine["weight"])
        bias = self.view(affine.get("bias"), len(weight[0]))
        return [mp.fsum(a * row[j] for a, row in zip(x, weight, strict=True)) + bias[j] for j in range(len(bias))]

    def norm(self, norm: dict[str, Any] | None, x: list[mpf]) -> list[mpf]:
        if norm is None:
            return x
        x = self.affine(norm["of"], x) if "of" in norm else x
        d = len(x)
        mean = mp.fsum(x) / d if norm["kind"] == "layer" else mpf(0)
        c = [a - mean for a in x]
        s = sqrt(mp.fsum(a * a for a in c) / d + rational(norm["epsilon"]))
        gain, bias = self.view(norm["gain"], d, 1), self.view(norm["bias"], d)
        return [a / s * g + b for a, g, b in zip(c, gain, bias, strict=True)]

    def turn(self, rotary: dict[str, Any] | None, x: list[mpf], position: int) -> list[mpf]:
        if rotary is None:
            return x
        cosines, sines = (self.view(rotary[name])[position] for name in ("cosines", "sines"))
        y, pairs = list(x), len(cosines)
        for r in range(pairs):
            i, j = (r, r + pairs) if rotary["pairing"] == "halves" else (2 * r, 2 * r + 1)
            y[i], y[j] = x[i] * cosines[r] - x[j] * sines[r], x[j] * cosines[r] + x[i] * sines[r]
        return y

    def attention(self, step: dict[str, Any], streams: list[list[mpf]], offset: int) -> list[list[mpf]]:
        read = [self.norm(step["norm"], x) for x in streams]
        scale = step["scale"]
        times = rational(scale["times"]) if "times" in scale else 1 / sqrt(mpf(scale["root"]))
        cap = rational(step["cap"]) if "cap" in step else None
        bias = self.view(step["bias"], len(streams[0]))
        new = [[a + b for a, b in zip(x, bias, strict=True)] for x in streams]
        for head in step["heads"]:
            q, k = ([self.turn(step["rotary"], self.affine(head[name], x), offset + p) for p, x in enumerate(read)]
                    for name in ("query", "key"))
            v = [self.affine(head["value"], x) for x in read]
            slope = rational(head["slope"]) if head["slope"] else mpf(0)
            for i in range(len(read)):
                seen = range(i + 1 if self.network["attention"] == "causal" else len(read))
                scores = [times * mp.fdot(q[i], k[j]) for j in seen]
                scores = scores if cap is None else [cap * tanh(score / cap) for score in scores]
                w = [exp(score + slope * (j - i)) for j, score in zip(seen, scores, strict=True)]
                z = [mp.fdot(w, [v[j][c] for j in seen]) / mp.fsum(w) for c in range(len(v[0]))]
                new[i] = [a + b for a, b in zip(new[i], self.affine({"weight": head["out"]}, z), strict=True)]
        return new

    def units(self, step: dict[str, Any], x: list[mpf]) -> list[mpf]:
        read, act = self.norm(step["norm"], x), ACTIVATIONS[step["activation"]]
        inward = self.affine(step["in"], read)
        hidden = [act(y) for y in inward] if step["gate"] is None else [
            act(g) * y for g, y in zip(self.affine(step["gate"], read), inward, strict=True)]
        return [a + b for a, b in zip(x, self.affine(step["out"], hidden), strict=True)]

    def rounded(self, rounding: dict[str, Any], streams: list[list[mpf]]) -> list[list[mpf]]:
        """Round by a scale, or by the range of each token's numbers, or of all."""
        if "scale" in rounding:
            scale, zero = rational(rounding["scale"]), rounding["zero"]
            return [[(min(max(int(nint(y / scale)) + zero, rounding["least"]), rounding["greatest"]) - zero) * scale
                     for y in x] for x in streams]
        if rounding["range"] == "token" and len(streams) > 1:
            return [x for one in streams for x in self.rounded(rounding, [one])]
        low, high = min(0, *(min(x) for x in streams)), max(0, *(max(x) for x in streams))
        scale = (high - low) / rounding["greatest"]
        zero = int(nint(-low / scale))
        return [[(min(max(int(nint(y / scale)) + zero, 0), rounding["greatest"]) - zero) * scale for y in x]
                for x in streams]

    def logits(self, tokens: list[int], offset: int = 0) -> list[list[mpf]]:
        rows = self.view(self.network["tokens"])
        streams = [rows[token] for token in tokens]
        if self.network["positions"] is not None:
            places = self.view(self.network["positions"])
            streams = [[a + b for a, b in zip(x, places[offset + p], strict=True)] for p, x in enumerate(streams)]
        for step in self.network["steps"]:
            if isinstance(step.get("activation"), dict):
                inward = [self.affine(step["in"], self.norm(step["norm"], x)) for x in streams]
                written = [self.affine(step["out"], x) for x in self.rounded(step["activation"], inward)]
                streams = [[a + b for a, b in zip(x, y, strict=True)] for x, y in zip(streams, written, strict=True)]
                continue
            if step["step"] == "attention":
                streams = self.attention(step, streams, offset)
            elif step["step"] == "units":
                streams = [self.units(step, x) for x in streams]
            else:
                streams = [self.norm(step["norm"], x) for x in streams]
        return [self.affine(self.network["unembedding"], x) for x in streams]
