"""One layer in torch, in habits that the networks of graphs_in_torch have not: who attends how, and what follows."""

import math
from typing import Any

from tests.importing.graphs_in_torch import ROWS, VOCABULARY, WIDTH


def make(torch: Any, kind: str) -> Any:
    """Return a network of this kind, with random weights of binary32."""
    torch.manual_seed(11)
    return modules(torch)[kind]().eval()


def modules(torch: Any) -> dict[str, Any]:
    """Each kind, and what makes it."""
    nn, functional = torch.nn, torch.nn.functional

    class ByPlaces(nn.Module):  # type: ignore[misc,name-defined]  # torch's types are skipped
        """Attention by positions only: scores are computed before tokens are read."""

        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Parameter(torch.randn(VOCABULARY, WIDTH))
            self.places = nn.Parameter(torch.randn(ROWS, 4))
            self.bias = nn.Parameter(torch.randn(2, ROWS, ROWS))
            self.heat = nn.Parameter(torch.rand(2, 1, 1) + 1)
            self.q, self.k, self.v = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(3))
            self.out, self.head = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, VOCABULARY)
            self.single = nn.Conv1d(WIDTH, WIDTH, 1)

        def scores(self, x: Any) -> Any:
            places = self.places[: x.shape[1]]
            return (places @ places.T).expand(1, 2, -1, -1)

        def seen(self, scores: Any) -> Any:
            return scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), -1e9)

        def heads(self, y: Any) -> Any:
            return y.view(1 if y.shape[0] == 1 else y.shape[0], y.shape[1], 2, 4).permute(0, 2, 1, 3)

        def after(self, x: Any) -> Any:
            return functional.relu(x)

        def forward(self, tokens: Any) -> Any:
            x = self.table[tokens]
            z = functional.softmax(self.seen(self.scores(x)), -1) @ self.heads(self.v(x))
            return self.head(self.after(x + self.out(z.transpose(1, 2).reshape(x.shape))))

    class ByKeys(ByPlaces):
        """Attention with equal queries at all positions."""

        def scores(self, x: Any) -> Any:
            return torch.ones(1, 2, x.shape[1], 1, dtype=x.dtype) @ self.heads(self.k(x))[..., :1].transpose(2, 3)

    class ByQueries(ByPlaces):
        """Attention with keys from positions, and queries from tokens."""

        def scores(self, x: Any) -> Any:
            return self.heads(self.q(x)) @ self.places[: x.shape[1]].T

    class WithTable(ByPlaces):
        """Attention with a learned bias for each pair of positions, and a temperature for each head."""

        def scores(self, x: Any) -> Any:
            count = x.shape[1]
            products = torch.einsum("bhid,bhjd->bhij", self.heads(self.q(x)), self.heads(self.k(x)))
            return products * self.heat + self.bias[:, :count, :count]

    class NormedLater(ByPlaces):
        """Norms of queries and keys after they are turned by their places."""

        def rotated(self, one: Any, other: Any) -> tuple[Any, Any]:
            angles = torch.arange(one.shape[2], dtype=one.dtype)[:, None] * torch.tensor([1.0, 0.25], dtype=one.dtype)
            return one * angles.cos() - other * angles.sin(), one * angles.sin() + other * angles.cos()

        def turned(self, y: Any) -> Any:
            y = torch.cat(self.rotated(y[..., :2], y[..., 2:]), -1)
            return y * torch.rsqrt((y * y).mean(-1, keepdim=True) + 1e-6)

        def scores(self, x: Any) -> Any:
            return torch.einsum("bhid,bhjd->bhij", self.turned(self.heads(self.q(x))),
                                self.turned(self.heads(self.k(x))))

    class NormedScaled(NormedLater):
        """Norms of what is multiplied by numbers of its place: these are 1 at the first one, as cosines are."""

        def turned(self, y: Any) -> Any:
            y = y * (1 + torch.arange(y.shape[2], dtype=y.dtype)[:, None] * torch.tensor([0, 1, 0.5, 2], dtype=y.dtype))
            return y / ((y**2).mean(-1, keepdim=True) + 1e-6).sqrt()

    class SquaredLater(NormedLater):
        """Squares of what was turned, and no norm."""

        def turned(self, y: Any) -> Any:
            return torch.cat(self.rotated(y[..., :2], y[..., 2:]), -1) ** 2

    class NormedByTorch(NormedLater):
        """The norm of torch, of what rotates as neighbours do, and a number more."""

        def turned(self, y: Any) -> Any:
            pairs = self.rotated(y[..., ::2], y[..., 1::2])
            return 2 * functional.rms_norm(torch.stack(pairs, -1).flatten(-2), (4,), eps=1e-6)

    class ScaledByPlace(ByPlaces):
        """Tokens are multiplied by numbers of their places before anything else, in one Conv1d of single tokens."""

        def heads(self, y: Any) -> Any:
            scale = self.places[: y.shape[1], :1]
            return super().heads(self.single((y * scale).transpose(1, 2)).transpose(1, 2))

    class TurnedAbout(ByPlaces):
        """Axes exchanged by all names that torch has for it, and numbers rounded."""

        def heads(self, y: Any) -> Any:
            return y.view(*y.shape[:2], 2, 4).swapaxes(1, 2)

        def scores(self, x: Any) -> Any:
            places = (self.places[: x.shape[1]].T * torch.round(self.heat[0, 0] * 4)).mT.swapdims(0, 1).t()
            return (places @ places.transpose(0, -1))[None, None].expand(1, 2, -1, -1)

    class InPieces(ByPlaces):
        """Functions that are linear in pieces, and sums over axes."""

        def after(self, x: Any) -> Any:
            bounded = torch.clamp(x / 0.125, -1, 2) + x.abs() + functional.leaky_relu(x, 0.125)
            lower = torch.minimum(x, 2 * x.flip(-1)) + torch.clamp(x, max=0.5) + functional.relu6(6 * x)
            return bounded + lower * 0.5 + x.sum(-1, keepdim=True) + x.view(*x.shape[:2], 2, 4).mean(2).repeat(1, 1, 2)

    class Grouped(ByPlaces):
        """Two queries of one key; the attention of torch, with a mask of numbers."""

        def forward(self, tokens: Any) -> Any:
            x = functional.embedding(tokens, self.table) * math.sqrt(WIDTH)
            k, v = (self.heads(y)[:, :1].repeat_interleave(2, 1) for y in (self.k(x), self.v(x)))
            mask = self.seen(torch.zeros(x.shape[1], x.shape[1], dtype=x.dtype))
            z = functional.scaled_dot_product_attention(self.heads(self.q(x)) * self.heat.exp(), k, v, attn_mask=mask)
            return self.head(self.after(x + self.out(z.transpose(1, 2).flatten(2))))

    return {name.lower(): one for name, one in locals().items() if isinstance(one, type)}
