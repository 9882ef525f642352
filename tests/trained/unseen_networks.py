"""Twenty small networks, written here and trained for a second, that come in by graphs of torch.export and of ONNX.

Letters are digits 0 to 2; a network is trained on sums of the letters up to each place, or of all, modulo 3.
"""

import io
import math
import warnings
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from constructions.importing.importer import import_network
from constructions.importing.questions import Options
from constructions.trained.network import TrainedNetwork

LETTERS, LONGEST, ROWS = 3, 3, 8
WORDS = [word for n in range(1, LONGEST + 1) for word in product(range(LETTERS), repeat=n)]


class Form(NamedTuple):
    """A network's parts; ``shared`` is the number of keys and values, ``pool`` how tokens become one answer."""

    norm: str = "layer"
    before: bool = True
    positions: str = "learned"
    units: str = "gelu-tanh"
    layers: int = 1
    heads: int = 2
    shared: int = 2
    width: int = 8
    cap: float | None = None
    of_heads: bool = False
    causal: bool = True
    pool: str = ""
    blocks: str = "own"
    bias: bool = True
    door: str = "pt2"


GPT2, QWEN = Form(), Form(norm="rms", positions="rotary", units="silu-gated", shared=1, of_heads=True, bias=False)
ENCODER = Form(before=False, units="gelu", causal=False, pool="mean", door="onnx")
FORMS: Mapping[str, Form] = {
    "gpt2": GPT2, "gpt2 of two layers": GPT2._replace(layers=2), "gpt2 by onnx": GPT2._replace(door="onnx", width=12),
    "gpt2 with three heads": GPT2._replace(heads=3, shared=3, width=6),
    "qwen": QWEN, "qwen of two layers": QWEN._replace(layers=2), "qwen by onnx": QWEN._replace(door="onnx"),
    "qwen of one head": QWEN._replace(heads=1, width=6), "qwen of four heads": QWEN._replace(heads=4, shared=2),
    "qwen whose block runs twice": QWEN._replace(layers=2, blocks="one"),
    "encoder": ENCODER, "encoder read at its first token": ENCODER._replace(pool="first", units="relu", door="pt2"),
    "encoder of two layers": ENCODER._replace(layers=2, units="tanh"),
    "encoder with norms before": ENCODER._replace(before=True, positions="sines"),
    "slopes": GPT2._replace(positions="slopes", units="relu"),
    "slopes of two layers": GPT2._replace(positions="slopes", layers=2, units="silu", door="onnx"),
    "capped scores": QWEN._replace(cap=2.0, of_heads=False, units="gelu-tanh-gated"),
    "squares": QWEN._replace(units="relu squared", of_heads=False, door="onnx"),
    "linear units": GPT2._replace(units="identity", norm="rms", positions="sines"),
    "without norms": GPT2._replace(norm="", units="sigmoid", positions="slopes", layers=2, bias=False)}


def module_of(torch: Any, form: Form) -> Any:
    """Return a module with random weights of binary32."""
    nn, functional = torch.nn, torch.nn.functional
    width, wide, each = form.width, 2 * form.width, form.width // form.heads
    kind = form.units.removesuffix("-gated")

    class Rms(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, size: int) -> None:
            super().__init__()
            self.gain = nn.Parameter(torch.ones(size))

        def forward(self, x: Any) -> Any:
            return self.gain * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))

    def norm(size: int) -> Any:
        return {"layer": nn.LayerNorm, "rms": Rms, "": lambda _: nn.Identity()}[form.norm](size)

    def turned(x: Any) -> Any:
        pairs = each // 2
        angles = torch.arange(ROWS)[:, None] * 30.0 ** (-torch.arange(pairs) / pairs)
        cosines, sines = (torch.cat([one, one], -1)[: x.shape[-2]].to(x.dtype) for one in (angles.cos(), angles.sin()))
        return x * cosines + torch.cat([-x[..., pairs:], x[..., :pairs]], -1) * sines

    def active(x: Any) -> Any:
        return {"gelu-tanh": lambda: functional.gelu(x, approximate="tanh"), "gelu": lambda: functional.gelu(x),
                "silu": lambda: functional.silu(x), "relu": lambda: functional.relu(x), "tanh": lambda: torch.tanh(x),
                "sigmoid": lambda: torch.sigmoid(x), "identity": lambda: x,
                "relu squared": lambda: functional.relu(x) ** 2}[kind]()

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            sizes = {"query": form.heads, "key": form.shared, "value": form.shared}
            self.maps = nn.ModuleDict({name: nn.Linear(width, each * count, bias=form.bias)
                                       for name, count in sizes.items()})
            self.out, self.first, self.second = nn.Linear(width, width, bias=form.bias), norm(width), norm(width)
            self.up, self.down = (nn.Linear(*sizes, bias=form.bias) for sizes in ((width, wide), (wide, width)))
            self.gate = nn.Linear(width, wide, bias=form.bias) if form.units.endswith("-gated") else None
            self.of_query, self.of_key = (Rms(each) if form.of_heads else nn.Identity() for _ in range(2))

        def attended(self, x: Any) -> Any:
            count = x.shape[1]
            q, k, v = (part(x).view(x.shape[0], count, -1, each).transpose(1, 2) for part in self.maps.values())
            q, k = self.of_query(q), self.of_key(k)
            if form.positions == "rotary":
                q, k = turned(q), turned(k)
            k, v = (y.repeat_interleave(form.heads // form.shared, 1) for y in (k, v))
            scores = q @ k.transpose(-2, -1) * each**-0.5
            if form.cap:
                scores = form.cap * torch.tanh(scores / form.cap)
            places = torch.arange(count)
            if form.positions == "slopes":
                slopes = torch.tensor([0.5 ** (1 + head) for head in range(form.heads)], dtype=x.dtype)[:, None, None]
                scores = scores + slopes * (places - places[:, None]).to(x.dtype)
            if form.causal:
                scores = scores.masked_fill(places > places[:, None], -math.inf)
            return self.out((torch.softmax(scores, -1) @ v).transpose(1, 2).reshape(x.shape))

        def units(self, x: Any) -> Any:
            return self.down(active(self.up(x)) if self.gate is None else active(self.gate(x)) * self.up(x))

        def forward(self, x: Any) -> Any:
            if form.before:
                x = x + self.attended(self.first(x))
                return x + self.units(self.second(x))
            x = self.first(x + self.attended(x))
            return self.second(x + self.units(x))

    class Network(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.letters = nn.Embedding(LETTERS, width)
            self.table = nn.Parameter(torch.randn(ROWS, width) / 2) if form.positions == "learned" else None
            self.blocks = nn.ModuleList(Block() for _ in range(form.layers if form.blocks == "own" else 1))
            self.last, self.head = norm(width) if form.before else nn.Identity(), nn.Linear(width, LETTERS, form.bias)

        def forward(self, tokens: Any) -> Any:
            x, count = self.letters(tokens), tokens.shape[1]
            if self.table is not None:
                x = x + self.table[:count]
            if form.positions == "sines":
                angles = torch.arange(count)[:, None] * 20.0 ** (-torch.arange(width // 2) / (width // 2))
                x = x + torch.cat([angles.sin(), angles.cos()], -1).to(x.dtype)
            for k in range(form.layers):
                x = self.blocks[k % len(self.blocks)](x)
            x = self.last(x)
            if form.pool:
                x = x.mean(1, keepdim=True) if form.pool == "mean" else x[:, :1]
            return self.head(x)

    return Network()


def trained(torch: Any, name: str, steps: int = 120) -> Any:
    """Return the module of this name after some steps of training."""
    form = FORMS[name]
    torch.manual_seed(1 + [*FORMS].index(name))
    torch.set_num_threads(1)
    model = module_of(torch, form)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape), alpha=0.1)
    optimiser = torch.optim.Adam(model.parameters(), 0.02)
    batches = [torch.tensor([word for word in WORDS if len(word) == n]) for n in range(1, LONGEST + 1)]
    for _ in range(steps):
        loss = torch.zeros(())
        for words in batches:
            sums = words.cumsum(1)[:, -1 if form.pool else 0 :] % LETTERS
            loss = loss + torch.nn.functional.cross_entropy(model(words).transpose(1, 2), sums)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return model.eval()


def saved(torch: Any, model: Any, door: str, length: int = LONGEST) -> bytes:
    """Return the graph of torch.export, or of ONNX, for any number of letters."""
    file, given = io.BytesIO(), (torch.zeros(1, length, dtype=torch.int64),)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if door == "onnx":
            torch.onnx.export(model, given, file, dynamo=False, opset_version=20, input_names=["tokens"],
                              dynamic_axes={"tokens": {1: "T"}})
        else:
            shapes = ({1: torch.export.Dim("T", min=2, max=ROWS)},)
            torch.export.save(torch.export.export(model, given, dynamic_shapes=shapes), file)
    return file.getvalue()


def imported(torch: Any, model: Any, door: str, folder: Path) -> TrainedNetwork:
    """Return the network of the module, through a file."""
    path = folder / f"m.{door}"
    path.write_bytes(saved(torch, model, door))
    return import_network([path], Options(rows=ROWS)).network
