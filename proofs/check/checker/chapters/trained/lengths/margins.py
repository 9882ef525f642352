"""The stream at the judged token, on all words of a cell, as an affine form; docs/background/lengths.md, section 4.

Without positions a head's score and value depend on the tokens alone. So its average is Σ_t p_t v_t over tokens t, p_t
= A_t e^(s_t) / Σ_u A_u e^(s_u). The *amount* A_t is how often t is visible, over the length of the word.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from ....kernel.budget import Budget
from ....kernel.verdicts import require
from ..balls.exponentials import ABSOLUTE_ERROR, Exponentials
from ..reading.network import Network
from ..reading.words_claim import TrainedClaim
from ..zonotopes.affine import (
    FRACTION,
    AffineForm,
    apply,
    make_linear,
    move,
    plus,
    promoted,
    shift_symbols,
    spread,
)
from ..zonotopes.directions import image_of_box
from ..zonotopes.layers import HeadMaps, embed, make_attention, normed, pass_between
from ..zonotopes.scores import PathBounds, Vectors, scores
from ..zonotopes.step_maps import make_maps
from ..zonotopes.weights import SHARE
from .counts import CountCell, reads_last_letter

AMOUNT = 90  # fractional bits of amounts
EXP = 120  # fractional bits of weights
CELL_STEPS = 500  # work of a cell, besides its products


class TokenRead(NamedTuple):
    """Key and value of a token."""

    key: Vectors
    value: AffineForm


class VisibleAmounts(NamedTuple):
    """Amounts of each visible token, for each head, in units of 2^-AMOUNT up to a common factor; and the query's token.

    Heads have the same tokens.
    """

    amounts: Sequence[dict[int, PathBounds]]
    query_token: int


def expect_tokens_suffice(network: Network, claim: TrainedClaim, slopes: bool) -> None:
    """Require that the logits are a function of the judged token and of the amounts of the tokens.

    With ``slopes`` a token's amount depends on its distances, else on its number alone.

    Raises:
        Rejected: if that does not follow.
    """
    attention = network.attention_steps
    require(len(attention) == 1, "lengths: expected one step of attention")
    require(network.positions is None and network.rows is None, "lengths: expected no tables of positions")
    require(attention[0].rotary is None and (slopes or all(head.slope is None for head in attention[0].heads)),
            "lengths: expected scores that do not depend on distances")
    require(not slopes or all(head.slope is not None and head.slope > 0 for head in attention[0].heads),
            "lengths: expected scores that fall with the distance, in each head")
    require(claim.read == "last" or (claim.read == "each" and network.causal),
            "lengths: expected that the word is read to where logits are judged")
    require(not claim.empty, "lengths: the empty prefix is not decided")


class Margins:
    """Streams of one network at the judged token."""

    def __init__(self, network: Network, claim: TrainedClaim, budget: Budget, slopes: bool = False) -> None:
        expect_tokens_suffice(network, claim, slopes)
        self._claim, self._budget, self._network = claim, budget, network
        self._exp = Exponentials(FRACTION, EXP, budget)
        first, ((attention, after),) = network.stages
        self._first = [make_maps(budget, step) for step in first]
        self._attention = make_attention(budget, attention)
        self._after = [make_maps(budget, step) for step in after]
        self._streams: dict[int, AffineForm] = {}
        self._reads: dict[tuple[int, int], TokenRead] = {}
        self._weights: dict[tuple[int, int], dict[int, PathBounds]] = {}
        self._around = (*claim.before, *(() if reads_last_letter(claim) else claim.after))

    @property
    def slopes(self) -> list[Fraction]:
        """The ALiBi slopes of the heads, for those that have one."""
        return [head.slope for head in self._attention.heads if head.slope is not None]

    def visible_amounts(self, cell: CountCell, last: int | None) -> VisibleAmounts:
        """Return the amounts of the tokens at the judged token of the words of a cell."""
        amounts: dict[int, PathBounds] = {}
        for token, low, high in zip(self._claim.tokens, cell.low, cell.high, strict=True):
            add_amount(amounts, token, low, high)
        for token in self._around:
            add_amount(amounts, token, Fraction(0) if cell.greatest is None else Fraction(1, cell.greatest),
                       Fraction(1, cell.least))
        query_token = self._around[-1] if last is None else self._claim.tokens[last]
        return VisibleAmounts([amounts] * len(self._attention.heads), query_token)

    def stream(self, visible_amounts: VisibleAmounts) -> AffineForm:
        """Return the last stream at the judged token."""
        self._budget.spend(CELL_STEPS)
        result = promoted(self._stream(visible_amounts.query_token))
        for number, head in enumerate(self._attention.heads):
            z = self._average(number, head, visible_amounts)
            added = apply(self._budget, head.out, z)
            result = plus(result, shift_symbols(added, result.slots - 1))
        if self._attention.bias is not None:
            result = move(result, self._attention.bias)
        return pass_between(self._budget, self._after, result)

    def _stream(self, token: int) -> AffineForm:
        """Return the stream of a token before attention."""
        if token not in self._streams:
            self._budget.hold(1 << 14)
            self._streams[token] = pass_between(self._budget, self._first, embed(self._network, token, 0))
        return self._streams[token]

    def _normed(self, token: int) -> AffineForm:
        return normed(self._budget, self._attention.norm, promoted(self._stream(token)))

    def _read(self, number: int, head: HeadMaps, token: int) -> TokenRead:
        """Return a head's key and value of a token."""
        if (number, token) not in self._reads:
            self._budget.hold(1 << 14)
            stream = self._normed(token)
            key, value = apply(self._budget, head.key, stream), apply(self._budget, head.value, stream)
            require(value.slots == 1, "lengths: the value of a token is not a point")
            self._reads[number, token] = TokenRead(Vectors(key, spread(self._budget, key)), value)
        return self._reads[number, token]

    def _weights_of(self, number: int, head: HeadMaps, visible_amounts: VisibleAmounts) -> dict[int, PathBounds]:
        """Enclose e^(score) times a common factor, in units of 2^-EXP, for each visible token.

        Proof. docs/background/lengths.md, section 4: the error of `Exponentials` is less than what is subtracted and
        added.
        """
        if (number, visible_amounts.query_token) not in self._weights:
            form = apply(self._budget, head.query, self._normed(visible_amounts.query_token))
            query = Vectors(form, spread(self._budget, form))
            cap = self._attention.cap
            found = {token: scores(self._budget, query, self._read(number, head, token).key, cap)
                     for token in visible_amounts.amounts[number]}
            top = max(bounds.greatest for bounds in found.values())
            self._weights[number, visible_amounts.query_token] = {
                token: self.enclose_exp(top - bounds.greatest, top - bounds.least) for token, bounds in found.items()}
        return self._weights[number, visible_amounts.query_token]

    def enclose_exp(self, least: int, greatest: int) -> PathBounds:
        """Enclose exp(-x / 2^FRACTION) for x in [least, greatest], in units of 2^-EXP."""
        return PathBounds(max(0, self._exp_at(greatest, -1)), self._exp_at(least, 1))

    def _exp_at(self, distance: int, side: int) -> int:
        """Bound exp(-distance / 2^FRACTION) from below (``side`` -1) or above (1)."""
        found = self._exp.at(distance)
        return found + side * ((found >> SHARE) + ABSOLUTE_ERROR + 2)

    def _average(self, number: int, head: HeadMaps, visible_amounts: VisibleAmounts) -> AffineForm:
        """Return z = v_r + Σ p_t (v_t - v_r) over tokens t other than r, as all p add up to 1; each p_t has a symbol.

        Proof, for any r. Values err by at most their radii, and the average of the errors is at most the greatest. The
        token with the widest bounds of p is r.
        """
        shares = bounds_of_shares(visible_amounts.amounts[number], self._weights_of(number, head, visible_amounts))
        left_out = max(shares, key=lambda token: (shares[token].greatest - shares[token].least, -token))
        others = [token for token in shares if token != left_out]
        values = {token: self._read(number, head, token).value for token in shares}
        base, width = values[left_out].rows, len(values[left_out].rows)
        radii = [max(value.radii[i] for value in values.values()) for i in range(width)]
        linear = make_linear([[values[token].rows[i] - base[i] for token in others] for i in range(width)], base)
        return image_of_box(self._budget, linear, [shares[token].least for token in others],
                            [shares[token].greatest for token in others], radii)


def add_amount(amounts: dict[int, PathBounds], token: int, low: Fraction, high: Fraction) -> None:
    """Add the bounds ``low`` and ``high`` to the amount of a token."""
    known = amounts.get(token, PathBounds(0, 0))
    amounts[token] = PathBounds(known.least + (low.numerator << AMOUNT) // low.denominator,
                                known.greatest - (-high.numerator << AMOUNT) // high.denominator)


def bounds_of_shares(amounts: dict[int, PathBounds], weights: dict[int, PathBounds]) -> dict[int, PathBounds]:
    """Bound the share of each token in the average, over 2^FRACTION: increasing in its part, decreasing in others."""
    parts = {token: PathBounds(one.least * weights[token].least, one.greatest * weights[token].greatest)
             for token, one in amounts.items()}
    least, greatest = (sum(ends) for ends in zip(*parts.values(), strict=True))
    found = {}
    for token, part in parts.items():
        below, above = part.least + greatest - part.greatest, part.greatest + least - part.least
        low = (part.least << FRACTION) // below if below else 0
        high = -((-part.greatest << FRACTION) // above) if above else 1 << FRACTION
        found[token] = PathBounds(low, high)
    return found


def shares_of(counts: Sequence[int]) -> CountCell:
    """Return the cell of one Parikh vector."""
    length = sum(counts)
    shares = tuple(Fraction(count, length) for count in counts)
    return CountCell(length, length, shares, shares)
