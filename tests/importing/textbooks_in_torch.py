"""Parts as textbooks and adders have them: tables made in ``forward``, masks of any table, pools, shared blocks."""

import math
from typing import Any

from tests.importing import styles_in_torch as styles
from tests.importing.graphs_in_torch import WIDTH


def make(torch: Any, kind: str) -> Any:
    """Return a network of this kind, with random weights of binary32."""
    return styles.drawn(torch, modules(torch)[kind])


def modules(torch: Any) -> dict[str, Any]:
    """Each kind, and what makes it."""
    nn = torch.nn
    basic: Any = styles.modules(torch)["basic"]

    def angles(count: int) -> Any:
        steps = torch.exp(torch.arange(0, WIDTH, 2).float() * (-math.log(10000.0) / WIDTH))
        return torch.arange(count).float().unsqueeze(1) * steps

    class Sinusoid(basic):  # type: ignore[misc]
        """The table of the paper, filled in place."""

        def start(self, tokens: Any) -> Any:
            table = torch.zeros(tokens.shape[1], WIDTH)
            table[:, 0::2], table[:, 1::2] = torch.sin(angles(tokens.shape[1])), torch.cos(angles(tokens.shape[1]))
            return self.table(tokens) * math.sqrt(WIDTH) + table.unsqueeze(0)

    class ByPowers(basic):  # type: ignore[misc]
        """Angles by powers, whole numbers of columns, and a choice."""

        def start(self, tokens: Any) -> Any:
            place, column = torch.arange(tokens.shape[1]).unsqueeze(1).float(), torch.arange(WIDTH).unsqueeze(0)
            angle = place / torch.pow(10000.0, (2 * (column // 2)) / WIDTH)
            return self.table(tokens) + torch.where(column % 2 == 0, torch.sin(angle), torch.cos(angle))

    class Spirals(basic):  # type: ignore[misc]
        """Ten numbers near 26, as adders have them, expanded to all positions."""

        def __init__(self) -> None:
            super().__init__()
            self.near, self.mix = nn.Parameter(26 + torch.randn(1, 10)), nn.Linear(10, WIDTH)

        def start(self, tokens: Any) -> Any:
            turns = 2 * math.pi * torch.arange(tokens.shape[1]).expand(1, -1).float() / 26.3
            rounds = torch.stack([turns.cos(), turns.sin(), *[torch.zeros_like(turns)] * (WIDTH - 2)], -1)
            return self.table(tokens) + rounds + self.mix(self.near.expand(tokens.shape[1], 10) / 26)

    class Window(basic):  # type: ignore[misc]
        """The token and the two before it."""

        def seen(self, tokens: Any) -> Any:
            return super().seen(tokens).triu(-2)

    class Beginning(basic):  # type: ignore[misc]
        """The first three keys are seen by all, later ones by what comes after them."""

        def seen(self, tokens: Any) -> Any:
            return super().seen(tokens) | (torch.arange(tokens.shape[1]) < 3)

    class Others(basic):  # type: ignore[misc]
        """All but the token itself."""

        def seen(self, tokens: Any) -> Any:
            return ~torch.eye(tokens.shape[1]).bool()

    class Sloped(Window):
        """A window beside slopes of ALiBi."""

        def scores(self, q: Any, k: Any, tokens: Any) -> Any:
            place = torch.arange(tokens.shape[1])
            slopes = (place - place.unsqueeze(1)) * torch.tensor([0.5, 0.25]).view(2, 1, 1)
            return super().scores(q, k, tokens) + slopes

    class Against(Window):
        """A window whose scores have a negative factor."""

        def scores(self, q: Any, k: Any, tokens: Any) -> Any:
            return super().scores(-3 * q, k, tokens)

    class InSome(basic):  # type: ignore[misc]
        """A causal layer before one that is not."""

        def forward(self, tokens: Any) -> Any:
            x = self.start(tokens)
            x = x + self.attended(x, tokens)
            self.seen, causal = (lambda tokens: torch.ones(tokens.shape[1], tokens.shape[1]) == 1), self.seen
            x = x + self.attended(x, tokens)
            self.seen = causal
            return self.head(x)

    class Guarded(basic):  # type: ignore[misc]
        """Weights that would be no numbers are 0, as exporters guard rows that see nothing."""

        def attended(self, x: Any, tokens: Any) -> Any:
            q, k, v = self.qkv(x).chunk(3, -1)
            weights = torch.softmax((q @ k.transpose(-2, -1)).masked_fill(~self.seen(tokens), -torch.inf), -1)
            return self.out(torch.where(torch.isnan(weights), 0.0, weights) @ v)

    class Twice(basic):  # type: ignore[misc]
        """One block that is run twice, without norms and units."""

        def forward(self, tokens: Any) -> Any:
            x = self.start(tokens)
            for _ in range(2):
                x = x + self.attended(x, tokens)
            return self.head(x)

    class Summed(basic):  # type: ignore[misc]
        """Logits of the sum over all tokens."""

        def forward(self, tokens: Any) -> Any:
            x = self.start(tokens)
            return self.head((x + self.attended(x, tokens)).sum(1))

    class Averaged(basic):  # type: ignore[misc]
        """Logits of the mean over all tokens."""

        def forward(self, tokens: Any) -> Any:
            x = self.start(tokens)
            return self.head((x + self.attended(x, tokens)).mean(1))

    class Centred(basic):  # type: ignore[misc]
        """Less the mean, times a gain, over no root."""

        def norm(self, x: Any) -> Any:
            return (x - x.mean(-1, keepdim=True)) * self.gain

    class Capped(basic):  # type: ignore[misc]
        """Scores that are at most 5."""

        def attended(self, x: Any, tokens: Any) -> Any:
            q, k, v = self.qkv(x).chunk(3, -1)
            scores, count = 5 * torch.tanh(q @ k.transpose(-2, -1) / 5), tokens.shape[1]
            later = torch.ones(count, count, dtype=torch.bool).triu(1)
            return self.out(torch.softmax(scores.masked_fill(later, -torch.inf), -1) @ v)

    return {name.lower(): value for name, value in locals().items() if isinstance(value, type) and name != "basic"}
