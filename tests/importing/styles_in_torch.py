"""One layer in torch, as people write it: modules of torch.nn, changes in place, norms by hand, padding."""

import math
from typing import Any

from tests.importing.graphs_in_torch import ROWS, VOCABULARY, WIDTH


def make(torch: Any, kind: str) -> Any:
    """Return a network of this kind, with random weights of binary32."""
    return drawn(torch, modules(torch)[kind])


def drawn(torch: Any, module: Any) -> Any:
    """Return a network of this class, with random weights of binary32."""
    torch.manual_seed(5)
    model = module().eval()
    for weight in model.parameters():
        weight.data += torch.randn_like(weight) / 8
    return model


def modules(torch: Any) -> dict[str, Any]:
    """Each kind, and what makes it."""
    nn = torch.nn

    class Basic(nn.Module):  # type: ignore[misc,name-defined]  # torch's types are skipped
        """One layer without norms; positions are added in place."""

        def __init__(self) -> None:
            super().__init__()
            self.table, self.places = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(ROWS, WIDTH)
            self.gain, self.bias = nn.Parameter(torch.ones(WIDTH)), nn.Parameter(torch.zeros(WIDTH))
            self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
            self.head = nn.Linear(WIDTH, VOCABULARY)

        def start(self, tokens: Any) -> Any:
            x = self.table(tokens)
            x += self.places(torch.arange(tokens.shape[1]))
            return x

        def seen(self, tokens: Any) -> Any:
            return torch.ones(tokens.shape[1], tokens.shape[1]).tril() == 1

        def norm(self, x: Any) -> Any:
            return x

        def scores(self, q: Any, k: Any, tokens: Any) -> Any:
            return (q @ k.transpose(-2, -1) / math.sqrt(WIDTH // 2)).masked_fill(~self.seen(tokens), -1e9)

        def attended(self, x: Any, tokens: Any) -> Any:
            q, k, v = (one.unflatten(-1, (2, -1)).transpose(1, 2) for one in self.qkv(self.norm(x)).chunk(3, -1))
            return self.out((self.scores(q, k, tokens).softmax(-1) @ v).transpose(1, 2).flatten(2))

        def forward(self, tokens: Any) -> Any:
            x = self.start(tokens)
            return self.head(self.norm(x + self.attended(x, tokens)))

    class Annotated(Basic):
        """The gain is multiplied before the norm is."""

        def norm(self, x: Any) -> Any:
            root = torch.sqrt(x.var(-1, keepdim=True, unbiased=False) + 1e-5)
            return self.gain * (x - x.mean(-1, keepdim=True)) / root + self.bias

    class Deviation(Annotated):
        """An epsilon beside the root, which no norm here has."""

        def norm(self, x: Any) -> Any:
            return self.gain * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6) + self.bias

    class MultiHead(Basic):
        """torch's own attention, which also makes the mean of its weights."""

        def __init__(self) -> None:
            super().__init__()
            self.attention = nn.MultiheadAttention(WIDTH, 2, batch_first=True)
            self.needs = True

        def attended(self, x: Any, tokens: Any) -> Any:
            hidden = torch.ones(tokens.shape[1], tokens.shape[1]).triu(1).bool()
            made, _ = self.attention(x, x, x, attn_mask=hidden, need_weights=self.needs)
            return made

    class MultiHeadAlone(MultiHead):
        """The multi-head layer without them, which masks in place."""

        def __init__(self) -> None:
            super().__init__()
            self.needs = False

    class Shared(Basic):
        """A tensor is changed in place and read under another name, too."""

        def start(self, tokens: Any) -> Any:
            x = self.table(tokens)
            early = x.view(-1, tokens.shape[1], 2, WIDTH // 2)
            x.mul_(2)
            return x + early.flatten(2)

    class ComplexTurns(Basic):
        """Rotary positions as complex numbers, from a buffer; the norm is called twice."""

        def __init__(self) -> None:
            super().__init__()
            angles = torch.outer(torch.arange(2 * ROWS), torch.tensor([1.0, 0.25]))
            self.register_buffer("turns", torch.polar(torch.ones_like(angles), angles))
            self.rms, self.gate, self.up = nn.RMSNorm(WIDTH), nn.Linear(WIDTH, 12), nn.Linear(WIDTH, 12)
            self.down = nn.Linear(12, WIDTH)

        def turned(self, y: Any) -> Any:
            pairs = torch.view_as_complex(y.float().reshape(*y.shape[:-1], -1, 2))
            turns = self.turns[: y.shape[2]].view(1, 1, y.shape[2], -1)
            return torch.view_as_real(pairs * turns).flatten(3).type_as(y)

        def scores(self, q: Any, k: Any, tokens: Any) -> Any:
            return super().scores(self.turned(q), self.turned(k), tokens)

        def norm(self, x: Any) -> Any:
            return x + self.down(torch.nn.functional.silu(self.gate(self.rms(x))) * self.up(self.rms(x)))

    class ComplexWhole(ComplexTurns):
        """A product of complex numbers with real ones."""

        def turned(self, y: Any) -> Any:
            pairs = torch.view_as_complex(y.float().reshape(*y.shape[:-1], -1, 2)) * y[..., :2]
            return torch.view_as_real(pairs).flatten(3)

    class Padded(Basic):
        """Keys that are padding (token 0) are hidden, and later ones."""

        def seen(self, tokens: Any) -> Any:
            return (tokens != 0)[:, None, None, :] & super().seen(tokens)

    class PaddedByNumbers(Basic):
        """Padding by numbers that are added."""

        def scores(self, q: Any, k: Any, tokens: Any) -> Any:
            hidden = (1.0 - tokens.ge(1).to(q.dtype))[:, None, None, :] * torch.finfo(q.dtype).min
            return super().scores(q, k, tokens) + hidden

    class PaddedEncoder(Basic):
        """torch's own layer with a mask of padding."""

        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.TransformerEncoderLayer(WIDTH, 2, 16, batch_first=True, norm_first=True)

        def forward(self, tokens: Any) -> Any:
            return self.head(self.layer(self.start(tokens), src_key_padding_mask=tokens == 0))

    class PaddedMean(PaddedEncoder):
        """The mean of the tokens except padding."""

        def forward(self, tokens: Any) -> Any:
            kept = tokens.ne(0).unsqueeze(-1).expand(-1, -1, WIDTH).float()
            x = self.layer(self.start(tokens), src_key_padding_mask=tokens == 0)
            return self.head((x * kept).sum(1) / kept.sum(1).clamp(min=1e-9))

    class PaddedSum(PaddedMean):
        """Their sum over another number."""

        def forward(self, tokens: Any) -> Any:
            kept = tokens.ne(0).unsqueeze(-1).float()
            return self.head((self.start(tokens) * kept).sum(1) / tokens.ne(1).unsqueeze(-1).float().sum(1))

    class PaddedQueries(Padded):
        """Padding sees nothing, too, and its weights are the same for all."""

        def seen(self, tokens: Any) -> Any:
            return (tokens != 0)[:, None, :, None] & super().seen(tokens)

    class WithMask(Basic):
        """Masks and places are inputs, as those of Hugging Face; keys are an output, too."""

        def forward(self, tokens: Any, attention_mask: Any = None, position_ids: Any = None) -> Any:
            x = self.table(tokens) + self.places(position_ids)
            q, k, v = (one.unflatten(-1, (2, -1)).transpose(1, 2) for one in self.qkv(x).chunk(3, -1))
            seen = attention_mask[:, None, None, :].bool() & self.seen(tokens)
            scores = q @ k.transpose(2, 3) / 2 + torch.where(seen, 0.0, torch.finfo(x.dtype).min)
            return self.head(x + self.out((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))), k

    class HeadsApart(Basic):
        """Heads are modules of their own, whose results are joined; the logarithm of a softmax at the end."""

        def attended(self, x: Any, tokens: Any) -> Any:
            made = []
            for first in (0, 4):
                q, k, v = (one[..., first : first + 4] for one in self.qkv(x).chunk(3, -1))
                made.append((q @ k.mT / 2).masked_fill(~self.seen(tokens), -torch.inf).softmax(-1) @ v)
            return self.out(torch.cat(made, -1))

        def forward(self, tokens: Any) -> Any:
            return super().forward(tokens).log_softmax(-1)

    class Chosen(HeadsApart):
        """A softmax, whose greatest is chosen."""

        def forward(self, tokens: Any) -> Any:
            return Basic.forward(self, tokens).softmax(-1).argmax(-1)

    class Next(Basic):
        """A selected tensor is changed afterwards."""

        def forward(self, tokens: Any) -> Any:
            return super().forward(tokens).argmax(-1) + 1

    class Mixed(Basic):
        """A softmax of numbers of a token amid the network, as of experts."""

        def norm(self, x: Any) -> Any:
            return x * x.softmax(-1)

    class Distances(Basic):
        """A learned number for each distance is added to scores, as T5 does."""

        def __init__(self) -> None:
            super().__init__()
            self.far = nn.Embedding(4, 2)

        def bucket(self, count: Any) -> Any:
            return (torch.arange(count)[:, None] - torch.arange(count)).clamp(0, 3)

        def scores(self, q: Any, k: Any, tokens: Any) -> Any:
            return super().scores(q, k, tokens) + self.far(self.bucket(tokens.shape[1])).permute(2, 0, 1)

    class DistancesFromTheEnd(Distances):
        """The number depends on how many tokens follow."""

        def bucket(self, count: Any) -> Any:
            return (count - torch.arange(count)[:, None] + torch.arange(count)).clamp(0, 3)

    class Classified(Basic):
        """A learned vector before the first token, as vision transformers have it."""

        def start(self, tokens: Any) -> Any:
            return torch.cat([self.gain.expand(tokens.shape[0], 1, -1), self.table(tokens)], 1)

        def forward(self, tokens: Any) -> Any:
            return self.head(self.start(tokens)[:, 0])

    class PaddedRows(Padded):
        """Padding alone sees nothing."""

        def seen(self, tokens: Any) -> Any:
            return (tokens != 0)[:, None, :, None] & Basic.seen(self, tokens)

    class OthersPadded(Padded):
        """Padding is hidden from others, but not from itself."""

        def seen(self, tokens: Any) -> Any:
            return super().seen(tokens) | torch.eye(tokens.shape[1]).bool()

    class TurnsPadded(ComplexTurns):
        """Rotary positions in halves, by an outer product in the program; keys that are padding are hidden."""

        def seen(self, tokens: Any) -> Any:
            return (tokens != 0)[:, None, None, :] & super().seen(tokens)

        def turned(self, y: Any) -> Any:
            angles = torch.outer(torch.arange(y.shape[2]).float(), torch.tensor([1.0, 0.25])).repeat(1, 2)
            one, other = y.chunk(2, -1)
            return y * angles.cos() + torch.cat([-other, one], -1) * angles.sin()

    class SharedPairs(ComplexTurns):
        """A tensor that is changed in place shares memory with complex numbers."""

        def turned(self, y: Any) -> Any:
            pairs = torch.view_as_complex(y.float().reshape(*y.shape[:-1], -1, 2)) * self.turns[: y.shape[2]]
            torch.view_as_real(pairs).mul_(2)
            return torch.view_as_real(pairs).flatten(3)

    return {"turnspadded": TurnsPadded, "sharedpairs": SharedPairs,
            "basic": Basic, "annotated": Annotated, "deviation": Deviation, "multihead": MultiHead,
            "multiheadalone": MultiHeadAlone, "shared": Shared, "padded": Padded, "paddedbynumbers": PaddedByNumbers,
            "complexturns": ComplexTurns, "complexwhole": ComplexWhole, "withmask": WithMask,
            "headsapart": HeadsApart, "chosen": Chosen, "next": Next, "classified": Classified, "distances": Distances,
            "distancesfromtheend": DistancesFromTheEnd, "mixed": Mixed,
            "paddedmean": PaddedMean, "paddedsum": PaddedSum, "paddedencoder": PaddedEncoder,
            "paddedqueries": PaddedQueries, "paddedrows": PaddedRows,
            "otherspadded": OthersPadded}
