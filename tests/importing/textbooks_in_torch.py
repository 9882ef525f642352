"""Parts as textbooks and adders have them: tables made in ``forward``, masks of any table, pools, shared blocks."""

from __future__ import annotations

import math
from typing import Any

from tests.importing import styles_in_torch as styles
from tests.importing.graphs_in_torch import WIDTH


def make(torch: Any, kind: str) -> Any:
    """A network of this kind, with random weights of binary32."""
    torch.manual_seed(5)
    model = modules(torch)[kind]().eval()
    for weight in model.parameters():
        weight.data += torch.randn_like(weight) / 8
    return model


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

    return {name.lower(): value for name, value in locals().items() if isinstance(value, type) and name != "basic"}
