"""Networks in plain torch: of formulas, and trained ones, in each format and by each attention.

The questions (questions.py) contain everything from certify: weights, words, truths. For trained networks all logits
are kept, for comparison with the certified bounds.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import torch
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

FORMATS = {"binary32": torch.float32, "bfloat16": torch.bfloat16, "binary16": torch.float16, "binary64": torch.float64}
BACKENDS = {"math": SDPBackend.MATH, "flash": SDPBackend.FLASH_ATTENTION,
            "efficient": SDPBackend.EFFICIENT_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION}
VARIANTS = [("binary32", False, by) for by in ("eager", "math", "efficient")] + [
    ("binary32", True, by) for by in ("eager", "math", "efficient")] + [
    (form, False, by) for form in ("bfloat16", "binary16") for by in ("eager", *BACKENDS)]
"""Format, whether TF32 is allowed, attention."""
BITS_OF = {torch.float32: 24, torch.bfloat16: 8, torch.float16: 11}
EIGHT = 8
DRAWN, BATCH = 1_000_000, 20_000


def named(variant: tuple[str, bool, str]) -> str:
    """Return the printed name."""
    form, tf32, by = variant
    return f"{form}{' with TF32' if tf32 else ''}, {by}"


def attend(by: str, parts: Sequence[Any], scale: float, causal: bool) -> Any:
    """Return attention of queries, keys and values [B, heads, n, width], which zeros widen for kernels."""
    query, key, value = parts
    if by == "eager":
        scores = query @ key.transpose(-1, -2)
        scores = scores if scale == 1 else scores * scale
        if causal:
            later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(1)
            scores = scores.masked_fill(later, -torch.inf)
        return torch.softmax(scores, -1) @ value
    width = max(query.shape[-1], value.shape[-1])
    width += -width % EIGHT
    query, key, filled = (functional.pad(x, (0, width - x.shape[-1])).contiguous() for x in (query, key, value))
    with sdpa_kernel([BACKENDS[by]]):
        found = functional.scaled_dot_product_attention(query, key, filled, is_causal=causal, scale=scale)
    return found[..., :value.shape[-1]]


class OfFormula:
    """The network of a formula; equivalent to constructions/running/torch_network.py."""

    def __init__(self, given: Mapping[str, Any], form: Any, device: str, by: str) -> None:
        self.arrays = {name: (x.to(form) if x.is_floating_point() else x).to(device)
                       for name, x in given["arrays"].items()}
        self.layers, self.by = given["layers"], by
        self.truths = torch.tensor(given["truths"], device=device)

    def __call__(self, tokens: Any) -> Any:
        """Map tokens [B, n] to truths [B, n, formulas]."""
        a, n = self.arrays, tokens.shape[1]
        positions = torch.cat([a["by_i"][:n], a["by_n"][n - 1].expand(n, -1), a["by_n_and_i"][n - 1, :n]], 1)
        h = a["token_embedding"][tokens] + positions[:, a["embedded"]]
        for number in range(self.layers):
            h = self.layer({key: a[f"layers.{number}.{key}"] for key in (
                "query", "key", "value", "scale", "sees_before", "sees_after", "w1", "b1", "w2", "b2")}, h, positions)
        return h[:, :, self.truths]

    def layer(self, w: Mapping[str, Any], h: Any, positions: Any) -> Any:
        """Return the stream after a layer; heads with no, future and past masks are three calls."""
        every = h.unsqueeze(1)
        scale = positions[:, w["scale"]].T.unsqueeze(-1)
        query, key, value = every @ w["query"] * scale, every @ w["key"], every @ w["value"]
        out = torch.zeros_like(value)
        for before, after in ((True, True), (True, False), (False, True), (False, False)):
            heads = ((w["sees_before"] == before) & (w["sees_after"] == after)).nonzero().flatten()
            if not len(heads):
                continue
            parts = [x[:, heads] for x in (query, key, value)]
            if not before and not after:
                out[:, heads] = parts[2]
                continue
            if not before:
                parts = [x.flip(2) for x in parts]
            found = attend(self.by, parts, 1.0, not (before and after))
            out[:, heads] = found if before else found.flip(2)
        h = h + out.sum(1)
        hidden = torch.relu(functional.linear(h, w["w1"].T.contiguous(), w["b1"]))
        return h + functional.linear(hidden, w["w2"].T.contiguous(), w["b2"])


class Trained:
    """A trained network; equivalent to certify/learning/training/forward.py, with one product of all averages."""

    def __init__(self, given: Mapping[str, Any], form: Any, device: str, by: str) -> None:
        self.network, self.by, self.form = given, by, form
        self.numbers = {name: x.to(form).to(device) for name, x in given["tensors"].items()}

    def __call__(self, tokens: Any, offset: int) -> Any:
        """Return logits [B, T, outputs] of tokens [B, T]."""
        x = self.view(self.network["tokens"])[tokens]
        if self.network["positions"] is not None:
            x = x + self.view(self.network["positions"])[offset : offset + tokens.shape[1]]
        for step in self.network["steps"]:
            if "heads" in step:
                x = self.attention(step, x)
            else:
                x = self.units(step, x) if "activation" in step else self.norm(step["norm"], x)
        return self.affine(self.network["unembedding"], x)

    def view(self, view: Mapping[str, Any] | None) -> Any:
        """Return a matrix or a vector."""
        if view is None:
            return None
        return torch.as_strided(self.numbers[view["tensor"]], view["shape"], view["strides"], view["start"])

    def affine(self, affine: Mapping[str, Any], x: Any) -> Any:
        """Return x weight + bias."""
        return functional.linear(x, self.view(affine["weight"]).T.contiguous(), self.view(affine["bias"]))

    def norm(self, norm: Mapping[str, Any] | None, x: Any) -> Any:
        """Return layer norm or RMS norm of x; without one x."""
        if norm is None:
            return x
        gain, bias, width = self.view(norm["gain"]), self.view(norm["bias"]), [x.shape[-1]]
        if norm["kind"] == "layer":
            return functional.layer_norm(x, width, gain, bias, norm["epsilon"])
        y = functional.rms_norm(x, width, gain, norm["epsilon"])
        return y if bias is None else y + bias

    def attention(self, step: Mapping[str, Any], x: Any) -> Any:
        """Return the stream plus the output of all heads."""
        normed, averages = self.norm(step["norm"], x), []
        scale = step["scale"]["root"] ** -0.5 if step["scale"]["root"] else step["scale"]["times"]
        for head in step["heads"]:
            parts = [self.affine(head[name], normed).unsqueeze(1) for name in ("query", "key", "value")]
            averages.append(attend(self.by, parts, scale, self.network["attention"] == "causal").squeeze(1))
        out = torch.cat([self.view(head["out"]) for head in step["heads"]])
        return x + functional.linear(torch.cat(averages, -1), out.T.contiguous(), self.view(step["bias"]))

    def units(self, step: Mapping[str, Any], x: Any) -> Any:
        """Return the stream plus the output of the hidden units."""
        act = {"relu": functional.relu, "gelu": functional.gelu, "tanh": torch.tanh,
               "identity": lambda y: y}[step["activation"]]
        return x + self.affine(step["outward"], act(self.affine(step["inward"], self.norm(step["norm"], x))))


def products(tf32: bool) -> AbstractContextManager[None]:
    """Set whether products of binary32 may round their inputs; reductions of 16 bits are off."""
    matmul = torch.backends.cuda.matmul
    matmul.allow_tf32 = tf32
    matmul.allow_bf16_reduced_precision_reduction = matmul.allow_fp16_reduced_precision_reduction = False
    return nullcontext()


def of_formula(given: Mapping[str, Any], device: str, variant: tuple[str, bool, str]) -> dict[str, Any]:
    """Count the truths that are not exactly right, and give the first such word."""
    form, tf32, by = variant
    network, wrong, asked, first = OfFormula(given, FORMATS[form], device, by), 0, 0, ""
    with products(tf32):
        for batch in given["batches"][-3 if by == "cudnn" else 0:]:
            tokens, truths = (batch[key].to(device) for key in ("tokens", "truths"))
            found = network(tokens.long()).double()
            bad = ~(found == truths.double())
            asked, wrong = asked + bad.numel(), wrong + int(bad.sum())
            if not first and bool(bad.any()):
                word, place, truth = (int(k) for k in bad.nonzero()[0])
                letters = "".join(given["alphabet"][t] for t in tokens[word].tolist())
                first = (f"{letters} at {place + 1}, truth {truth}: {float(found[word, place, truth])!r}, expected "
                         f"{int(truths[word, place, truth])}")
    return {"truths": asked, "wrong": wrong, **({"first": first} if first else {})}


def of_trained(given: Mapping[str, Any], device: str, variant: tuple[str, bool, str],
               keep: Callable[[str, Any], None]) -> dict[str, Any]:
    """Compare logits with binary64's: greatest difference, and places with another greatest logit; keep the logits."""
    form, tf32, by = variant
    network = Trained(given["network"], FORMATS[form], device, by)
    cast = {**given["network"], "tensors": {
        name: x.to(FORMATS[form]) for name, x in given["network"]["tensors"].items()}}
    exact, most, other, places = Trained(cast, torch.float64, device, "eager"), 0.0, 0, 0
    with products(tf32):
        for number, batch in enumerate(given["batches"]):
            if by == "cudnn" and number % 3:  # each new shape is compiled
                continue
            tokens = batch["tokens"].to(device).long()
            if given["network"]["attention"] == "causal":
                tokens = tokens[:, :batch["places"][-1] + 1]
            found = network(tokens, batch["offset"])[:, batch["places"]].double()
            real = exact(tokens, batch["offset"])[:, batch["places"]]
            most, places = max(most, float((found - real).abs().max())), places + found[..., 0].numel()
            other += int((found.argmax(-1) != real.argmax(-1)).sum())
            keep(f"{given['name']}/{named(variant)}/{number}", found.float())
    return {"off": most, "another_answer_than_binary64": other, "places": places}


def sums_of_digits(layout: list[Any], base: int, columns: int, count: int, device: str, seed: int) -> tuple[Any, Any]:
    """Draw inputs of an adder with the places of its answers: a third of the numbers have long carries."""
    draw = torch.Generator(device=device).manual_seed(seed)
    a, b = (torch.randint(0, base, (count, columns), generator=draw, device=device) for _ in range(2))
    carried = torch.rand(count, columns, generator=draw, device=device) < torch.linspace(
        0, 1, count, device=device)[:, None]
    b = torch.where(carried & (torch.arange(count, device=device)[:, None] % 3 == 0), base - 1 - a, b)
    carry, digits = torch.zeros(count, dtype=torch.int64, device=device), []
    for k in range(columns):
        total = a[:, k] + b[:, k] + carry
        digits.append(total % base)
        carry = total // base
    tracks = {"a": a, "b": b, "answer": torch.stack([*digits, carry], 1)}
    parts, at, places = list[Any](), 0, list[int]()
    for part in layout:
        parts.append(tracks[part] if isinstance(part, str) else torch.full(
            (count, 1), part, device=device, dtype=torch.int64))
        if part == "answer":
            places = list(range(at - 1, at + columns))
        at += parts[-1].shape[1]
    return torch.cat(parts, 1), places


def of_adder(given: Mapping[str, Any], device: str, variant: tuple[str, bool, str], count: int) -> dict[str, Any]:
    """Draw pairs; return the number with a wrong digit, and the least margin."""
    form, tf32, by = variant
    network, wrong, least, first = Trained(given["network"], FORMATS[form], device, by), 0, float("inf"), ""
    with products(tf32):
        for start in range(0, count, BATCH):
            tokens, places = sums_of_digits(given["layout"], given["base"], given["columns"], min(BATCH, count - start),
                                            device, start)
            logits = network(tokens[:, :places[-1] + 1], given["offset"])[:, places, :given["base"]].double()
            right = tokens[:, [place + 1 for place in places], None]
            found = logits.gather(2, right)[..., 0]
            rest = logits.scatter(2, right, -torch.inf).amax(2)
            margins = (found - rest).amin(1)
            bad = ~(margins > 0)
            wrong, least = wrong + int(bad.sum()), min(least, float(margins.min()))
            if not first and bool(bad.any()):
                first = " ".join(map(str, tokens[int(bad.nonzero()[0])].tolist()))
    return {"inputs": count, "wrong": wrong, "least_margin": least, **({"first": first} if first else {})}


def norms(form: Any, device: str) -> dict[str, Any]:
    """Measure layer norms: the greatest error in the 2-norm over the bound of docs/background/floats_rules.md."""
    found, u = {}, 2.0**-24
    for width, mean in ((d, m) for d in (16, 32, 64, 128, 768) for m in (0.0, 1.0, 32.0, 1000.0)):
        x = (torch.randn(4096, width, generator=torch.Generator().manual_seed(width)) + mean).to(device).to(form)
        y, wide = functional.layer_norm(x, [width], None, None, 1e-5).double(), x.double()
        centred = wide - wide.mean(-1, keepdim=True)
        s = (centred.square().mean(-1) + float(torch.tensor(1e-5))).sqrt()
        exact = centred / s[:, None]
        phi = ((width + 1) * u + 8 * u) * wide.norm(dim=-1)
        allowed = phi / (s - phi / width**0.5) + (width + 8 + 16) * u * exact.norm(dim=-1)
        stored = 0 if form == torch.float32 else 2.0 ** -BITS_OF[form] * exact.norm(dim=-1) * (1 + 2.0**-7)
        found[f"width {width}, mean {mean}"] = float(((y - exact).norm(dim=-1) / (allowed + stored)).max())
    return found


def probes(questions: Mapping[str, Any], device: str, keep: Callable[[str, Any], None]
           ) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the probes with their names."""
    for form in BITS_OF:
        yield f"layer_norm, {str(form)[6:]}, of what is allowed", partial(norms, form, device)
    for given in questions["formulas"]:
        for variant in VARIANTS:
            yield f"formula {given['name']}: {named(variant)}", partial(of_formula, given, device, variant)
    for given in questions["trained"]:
        for variant in VARIANTS:
            yield f"trained {given['name']}: {named(variant)}", partial(
                of_trained, given, device, variant, keep)


def drawn_pairs(questions: Mapping[str, Any], device: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the probes with their names."""
    for given in questions["trained"]:
        if "base" in given:
            for variant in VARIANTS:
                count = (DRAWN if given["name"] == "decimal" else DRAWN // 10) if device == "cuda" else 200
                yield f"drawn pairs {given['name']}: {named(variant)}", partial(
                    of_adder, given, device, variant, count)
