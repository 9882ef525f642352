"""Small networks in torch as people write them, for the reader of graphs: whatever has no names that anybody knows."""

import io
import warnings
from typing import Any

from tests.importing.models_in_torch import rotary_tables_of

VOCABULARY, ROWS, WIDTH = 5, 12, 8


def exported(torch: Any, model: Any, length: int, dynamic: bool, opset: int = 17) -> bytes:
    """Return the model as exported by torch, with one word of this length as an example."""
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(model, (torch.zeros(1, length, dtype=torch.long),), file, input_names=["tokens"],
                          dynamo=False, opset_version=opset,
                          dynamic_axes={"tokens": {0: "batch", 1: "length"}} if dynamic else None)
    return file.getvalue()


def make(torch: Any, kind: str) -> Any:
    """Return a network of this kind, with random weights of binary32."""
    torch.manual_seed(7)
    model = modules(torch)[kind]()
    for parameter in model.parameters():
        if parameter.dim() == 1:
            torch.nn.init.normal_(parameter, 0.7)
    return model.eval()


def modules(torch: Any) -> dict[str, Any]:
    """Each kind, and what makes it."""
    nn, functional = torch.nn, torch.nn.functional

    class Rms(nn.Module):  # type: ignore[misc,name-defined]  # torch's types are skipped
        def __init__(self, width: int = WIDTH, gain: bool = True) -> None:
            super().__init__()
            self.gain = nn.Parameter(torch.ones(width)) if gain else None

        def forward(self, x: Any) -> Any:
            y = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
            return y if self.gain is None else y * self.gain

    class Spelled(nn.Module):  # type: ignore[misc,name-defined]
        """Layer norm, spelled out."""

        def __init__(self) -> None:
            super().__init__()
            self.gain, self.bias = nn.Parameter(torch.ones(WIDTH)), nn.Parameter(torch.ones(WIDTH))

        def forward(self, x: Any) -> Any:
            centred = x - x.mean(-1, keepdim=True)
            return centred / torch.sqrt((centred**2).mean(-1, keepdim=True) + 1e-5) * self.gain + self.bias

    class Decoder(nn.Module):  # type: ignore[misc,name-defined]
        """Two layers of two heads."""

        norm: Any = nn.LayerNorm
        activation = "gelu"
        table = True

        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(VOCABULARY, WIDTH)
            self.positions = nn.Parameter(torch.randn(ROWS, WIDTH)) if self.table else None
            self.layers = nn.ModuleList()
            for _ in range(2):
                layer = nn.Module()
                layer.first, layer.second = (self.make_norm() for _ in range(2))
                layer.packed, layer.out = nn.Linear(WIDTH, 3 * WIDTH), self.make_out()
                layer.up, layer.gate, layer.down = nn.Linear(WIDTH, 12), nn.Linear(WIDTH, 12), nn.Linear(12, WIDTH)
                layer.of_query, layer.of_key = Rms(4), Rms(4)
                self.layers.append(layer)
            self.final, self.head = self.make_norm(), nn.Linear(WIDTH, VOCABULARY)

        def make_norm(self) -> Any:
            return self.norm(WIDTH) if self.norm is nn.LayerNorm else self.norm()

        def make_out(self) -> Any:
            return nn.Linear(WIDTH, WIDTH)

        def parts(self, layer: Any, x: Any) -> Any:
            return tuple(y.view(1 if x.shape[0] == 1 else x.shape[0], x.shape[1], 2, 4).transpose(1, 2)
                         for y in layer.packed(x).split(WIDTH, 2))

        def added(self, scores: Any) -> Any:
            count = scores.shape[-1]
            return scores.masked_fill(torch.tril(torch.ones(count, count)) == 0, float("-inf"))

        def attend(self, layer: Any, x: Any) -> Any:
            q, k, v = self.parts(layer, x)
            z = functional.softmax(self.added(q @ k.transpose(-2, -1) / 2.0), -1) @ v
            return layer.out(z.transpose(1, 2).reshape(x.shape))

        def units(self, layer: Any, x: Any) -> Any:
            return layer.down(getattr(functional, self.activation)(layer.up(x)))

        def block(self, layer: Any, x: Any) -> Any:
            x = x + self.attend(layer, layer.first(x))
            return x + self.units(layer, layer.second(x))

        def embed(self, tokens: Any) -> Any:
            x = self.embedding(tokens)
            return x if self.positions is None else x + self.positions[: tokens.shape[1]]

        def forward(self, tokens: Any) -> Any:
            x = self.embed(tokens)
            for layer in self.layers:
                x = self.block(layer, x)
            return self.head(self.final(x))

    class SpelledOut(Decoder):
        norm, activation = Spelled, "tanh"

    class Bare(Decoder):
        norm, activation = nn.Identity, "sigmoid"

    class Gated(Decoder):
        norm, table = Rms, False
        pairing = "halves"

        def parts(self, layer: Any, x: Any) -> Any:
            tables = rotary_tables_of(torch, 4, self.pairing)
            q, k, v = super().parts(layer, x)

            def turned(y: Any) -> Any:
                other = (torch.cat([-y[..., 2:], y[..., :2]], -1) if self.pairing == "halves" else
                         torch.stack([-y[..., 1::2], y[..., ::2]], -1).flatten(-2))
                return (y * tables["cos"][: x.shape[1]].to(y.dtype)
                        + other * tables["sin"][: x.shape[1]].to(y.dtype))
            return turned(self.of_head(layer.of_query, q)), turned(self.of_head(layer.of_key, k)), v

        def of_head(self, norm: Any, x: Any) -> Any:
            return x

        def units(self, layer: Any, x: Any) -> Any:
            return layer.down(functional.silu(layer.gate(x)) * layer.up(x))

    class Neighbours(Gated):
        pairing = "neighbours"

    class NormsOfHeads(Gated):
        def of_head(self, norm: Any, x: Any) -> Any:
            return norm(x)

        def forward(self, tokens: Any) -> Any:
            x = self.embed(tokens)
            for layer in self.layers:
                x = self.block(layer, x)
            return functional.linear(self.final(x), self.embedding.weight)

    class SideBySide(Decoder):
        def block(self, layer: Any, x: Any) -> Any:
            return x + self.attend(layer, layer.first(x)) + self.units(layer, layer.second(x))

    class NormsAfter(Decoder):
        activation = "relu"

        def block(self, layer: Any, x: Any) -> Any:
            x = layer.first(x + self.attend(layer, x))
            return layer.second(x + self.units(layer, x))

    class NormsAround(Decoder):
        norm = Rms

        def embed(self, tokens: Any) -> Any:
            return super().embed(tokens) * 0.5

        def block(self, layer: Any, x: Any) -> Any:
            x = x + layer.second(self.attend(layer, layer.first(x)))
            return x + layer.first(self.units(layer, layer.second(x))) * 0.25

    class LowRank(Decoder):
        norm = Rms

        def make_out(self) -> Any:
            return nn.Sequential(nn.Linear(WIDTH, 2, bias=False), nn.Linear(2, WIDTH))

    class Bilinear(Decoder):
        norm = Rms

        def units(self, layer: Any, x: Any) -> Any:
            return layer.down(layer.gate(x) * layer.up(x) + functional.relu(layer.up(x)) ** 2)

    class ByTanh(Decoder):
        def attend(self, layer: Any, x: Any) -> Any:
            z = functional.scaled_dot_product_attention(*self.parts(layer, x), is_causal=True)
            return layer.out(z.transpose(1, 2).reshape(x.shape))

        def units(self, layer: Any, x: Any) -> Any:
            return layer.down(functional.gelu(layer.up(x), approximate="tanh"))

    class Alibi(Decoder):
        table = False

        def added(self, scores: Any) -> Any:
            places = torch.arange(scores.shape[-1])
            slopes = torch.tensor([0.25, 0.0625])[:, None, None]
            return super().added(scores + slopes * (places[None] - places[:, None]))

    class Groups(Decoder):
        """One key and one value for both heads."""

        def parts(self, layer: Any, x: Any) -> Any:
            q, k, v = super().parts(layer, x)
            return q, *(y[:, :1].expand(-1, 2, -1, -1) for y in (k, v))

    class ByLength(Decoder):
        """Scores are divided by the number of tokens, too."""

        def added(self, scores: Any) -> Any:
            return super().added(scores / scores.shape[-1])

    class Window(Decoder):
        def added(self, scores: Any) -> Any:
            places = torch.arange(scores.shape[-1])
            return super().added(scores).masked_fill(places[None] < places[:, None] - 2, float("-inf"))

    class Shifted(Decoder):
        """A token is mixed with the one before it, which no step does."""

        def embed(self, tokens: Any) -> Any:
            x = super().embed(tokens)
            return x + functional.pad(x[:, :-1], (0, 0, 1, 0))

    class Masked(Decoder):
        def embed(self, tokens: Any) -> Any:
            return super().embed(tokens) * (tokens != 0).unsqueeze(-1)

    class Split(nn.Module):  # type: ignore[misc,name-defined]
        """Tokens in two coordinates, positions in three; queries are keys that are turned; one matrix in two roles."""

        def __init__(self) -> None:
            super().__init__()
            self.size, self.step = nn.Parameter(torch.tensor(2.5)), nn.Parameter(torch.tensor(0.3))
            self.places, self.keys = nn.Parameter(torch.randn(ROWS, 3)), nn.Linear(3, 4, bias=False)
            self.values, self.column = nn.Linear(2, 5, bias=False), nn.Parameter(torch.randn(5, 1))
            self.row, self.angle = nn.Parameter(torch.randn(1, 5)), nn.Parameter(torch.tensor(0.4))
            self.first, self.second, self.final = Rms(5), Rms(5, gain=False), Rms(5)
            self.up, self.down = nn.Linear(5, 2), nn.Linear(5, 2, bias=False)

        def forward(self, tokens: Any) -> Any:
            count, angles = tokens.shape[1], torch.arange(VOCABULARY).to(self.step.dtype) * self.step
            table = torch.stack([self.size * torch.cos(angles), self.size * torch.sin(angles)], -1)
            places = self.places[:count].unsqueeze(0).expand(tokens.shape[0], count, 3)
            x = torch.cat([table[tokens], places], -1)
            normed = self.first(x)
            k = self.keys(normed[..., 2:])
            c, s = torch.cos(self.angle), torch.sin(self.angle)
            q = torch.stack([k[..., 0] * c - k[..., 1] * s, k[..., 0] * s + k[..., 1] * c,
                             k[..., 2] * c - k[..., 3] * s, k[..., 2] * s + k[..., 3] * c], -1)
            scores = q @ k.transpose(1, 2) / 2.0 + torch.triu(torch.full((count, count), float("-inf")), 1)
            x = x + functional.softmax(scores, -1) @ self.values(normed[..., :2]) @ self.column @ self.row
            x = x + functional.gelu(self.up(self.second(x))) @ self.down.weight
            return self.down(self.final(x)) @ table.T

    class Equations(nn.Module):  # type: ignore[misc,name-defined]
        """Matrices as [out, in], as networks of modular addition have them; what is masked becomes 0 first."""

        def __init__(self) -> None:
            super().__init__()
            shapes = {"e": (8, 5), "p": (12, 8), "q": (2, 4, 8), "k": (2, 4, 8), "v": (2, 4, 8), "o": (8, 8),
                      "i": (6, 8), "w": (8, 6), "u": (8, 5)}
            for name, shape in shapes.items():
                self.register_parameter(name, nn.Parameter(torch.randn(shape) / 2))

        def forward(self, tokens: Any) -> Any:
            count = tokens.shape[1]
            x = self.e.T[tokens] + self.p[:count]
            q, k, v = (torch.einsum("ihd,bpd->biph", m, x) for m in (self.q, self.k, self.v))
            scores = torch.tril(torch.einsum("biph,biqh->biqp", k, q))
            scores = scores - 1e10 * (1 - torch.tril(torch.ones(count, count, dtype=scores.dtype)))
            z = torch.einsum("biph,biqp->biqh", v, functional.softmax(scores / 2.0, -1))
            z = z.permute(0, 2, 1, 3).reshape(tokens.shape[0], count, 8)
            x = x + torch.einsum("df,bqf->bqd", self.o, z)
            inner = functional.relu(torch.einsum("md,bpd->bpm", self.i, x))
            return (x + torch.einsum("dm,bpm->bpd", self.w, inner)) @ self.u

    class Classifier(nn.Module):  # type: ignore[misc,name-defined]
        """torch's own attention, everywhere open; a head with units of its own."""

        read = "all"

        def __init__(self) -> None:
            super().__init__()
            self.embedding, self.places = nn.Embedding(VOCABULARY, WIDTH), nn.Parameter(torch.randn(ROWS, WIDTH))
            self.attention, self.norm = nn.MultiheadAttention(WIDTH, 2, batch_first=True), nn.LayerNorm(WIDTH)
            self.head = nn.Sequential(nn.Linear(WIDTH, 6), nn.Tanh(), nn.LayerNorm(6), nn.Linear(6, 3))

        def forward(self, tokens: Any) -> Any:
            x = self.embedding(tokens) + self.places[: tokens.shape[1]]
            x = self.norm(x + self.attention(x, x, x, need_weights=False)[0])
            return self.head({"all": lambda: x, "last": lambda: x[:, -1], "mean": lambda: x.mean(1)}[self.read]())

    class AtLast(Classifier):
        read = "last"

    class Pooled(Classifier):
        read = "mean"

    class Chosen(Decoder):
        def forward(self, tokens: Any) -> Any:
            return super().forward(tokens).argmax(-1)

    return {name.lower(): one for name, one in locals().items() if isinstance(one, type) and one not in (Rms, Spelled)}
