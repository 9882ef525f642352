"""Theorem 26: softening of a uniform-tieless transformer, and a temperature with a change of at most 1/4.

Source      [SHA] Theorem 26, Lemmas 25 and 28 to 34, for transformers as in ``constructions.network``: residual
            connections, any number of heads, queries with 1/√d_k in them, biases. docs/reference/softened.md, section
            1, says which heads are uniform or tieless, and what the gap γ(n) is; γ is min(γ(n), 1), and 1 if there is
            no gap.
Norm        Fix n. For vectors, one for each word of length n and position, ‖·‖ is the sum over directions of their
            greatest absolute value: at least the 1-norm of each. x = x_max(n) is the greatest of 1 and the absolute
            values of entries of initial activations. ‖W‖ is the greatest absolute column sum of a map W.
Constants   d    directions that the embedding writes                    p_max  greatest absolute value of a parameter
            V_ℓ  sum of ‖W‖ over the value maps of layer ℓ's heads        T_ℓ    the same, of its tieless heads
            F_ℓ  ‖|W2| |W1|‖ of its feed-forward part                     B_ℓ    ‖|W2| |b1| + |b2|‖
            a_ℓ  greatest entry of Σ_r |Q_r|ᵀ|K_r| in a tieless head      L      layers
            C_1 = d, C_(ℓ+1) = (1 + F_ℓ)(1 + V_ℓ) C_ℓ + B_ℓ
            K1 = max(1, (1 + F_ℓ)(1 + V_ℓ), 2 (1 + F_ℓ) T_ℓ C_ℓ), K2 = max(1, a_ℓ (2 C_ℓ + 1)), over all ℓ
            With at most h heads of r components, m hidden units and p = max(1, p_max) in D directions, V <= hDp, F <=
            mDp², a <= rp²: K1 and K2 do not depend on n, as the theorem requires.
Lemma 28    ‖Wu‖ <= ‖W‖‖u‖: direction t is at most Σ_c |W_tc| max|u_c|; sum over t first. (‖W‖ <= D w_max.)
Lemma 29    The input of layer ℓ has ‖u‖ <= C_ℓ x. Initially d x. A head adds a convex combination of values, at most
            ‖W‖‖u‖; hidden units add at most F_ℓ times their input, and biases B_ℓ <= B_ℓ x.
Lemma 30    An error of norm ε becomes (1 + F_ℓ)ε after the feed-forward block: ReLU is 1-Lipschitz, biases cancel.
Lemma 31    A uniform head adds ‖W‖ε: in U and Û the weights are the same.
Lemma 32    A difference of scores Σ_r (Q_r·u_i)(K_r·(u_* - u_j)) changes by at most 2a(2‖u‖ε + ε²), as |yᵀAz| <=
            a‖y‖‖z‖: at most 2 K2 x ε if ε <= 1 <= x.
Lemma 33    The others weigh at most n q relative to the winner, q = e^((-γ + 2 K2 x ε)/τ), for γ(n) >= γ.
Lemma 34    So a tieless head adds an error of at most ‖W‖(ε + 2 C_ℓ x n q): Û's values have error ‖W‖ε, and v_j - v_*
            is at most 2‖W‖C_ℓ x, also with the greatest absolute value taken per direction first.
Lemma 25    After layer ℓ the error is at most (1 + F_ℓ)((1 + V_ℓ)ε + 2 T_ℓ C_ℓ x n q) <= K1(ε + n x q).
Theorem     E_L = γ/(4 K2 x), E_ℓ = E_(ℓ+1)/(2 K1). At every τ with e^(-γ/(2τ)) <= E_1/(K1 n x) the error after layer ℓ
            has ‖·‖ <= E_ℓ, and E_L <= 1/4. Layer 1: ε = 0, so K1 n x e^(-γ/τ) <= E_1. Layer ℓ+1: 2 K2 x E_ℓ <= γ/2, so
            q <= e^(-γ/(2τ)) and K1(E_ℓ + E_1/K1) <= 2 K1 E_ℓ. Each step is an upper bound of the rules of
            docs/background/softened_rules.md, section 3: at such a τ they certify.
Temperature E_1/(K1 n x) = 1/R with R = 2(2 K1)^L K2 n x²/γ. The greatest τ is γ/(2 ln R), which grows with γ and falls
            with x. For γ >= c/n^k and x <= s n^m at the lengths at hand, with 2^b >= 2(2 K1)^L K2 s²/c and ln 2 < 7/10,
            τ(n) = 5 c/(7 n^k (b + log2ceil(n^(1 + k + 2m)))) is not above it: an exact rational number, for n = 1 too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain

from constructions.errors import Unsupported
from constructions.language.expressions import MAX_LENGTH, Expression, parse_expression
from constructions.language.functions import log2ceil
from constructions.network.transformer import Coefficients, FeedForward, Head, Layer, Transformer
from constructions.network.weightings import Weighting

ZERO, ONE = Fraction(0), Fraction(1)
EXPONENTS = range(9)
"""Exponents of the growth laws considered."""
LONG = 10**12
"""Constants of growth laws with greater denominators are rounded up to a multiple of its reciprocal."""


def is_uniform(head: Head) -> bool:
    """Return whether all scores are 0 and positions have equal weight (docs/background/softened_rules.md, 1)."""
    scored = any(any(query.values()) and any(key.values())
                 for query, key in zip(head.queries, head.keys, strict=True))
    return not scored and head.weighting in (Weighting.SOFTMAX, Weighting.AVERAGE_HARDMAX)


def soften(transformer: Transformer, temperature: Expression, weighting: Weighting = Weighting.SOFTMAX) -> Transformer:
    """Return Û: the same weights, with this weighting and temperature in all heads that are not uniform."""
    return transformer.with_heads(lambda _, __, head: replace(head, weighting=weighting, temperature=temperature))


# -- the constants -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Constants:
    """The constants of a network in Theorem 26, independent of the length of the word."""

    d: int
    p_max: Fraction
    layers: int
    k1: Fraction
    k2: Fraction

    def errors(self, gap: Fraction | None, x_max: Fraction) -> list[Fraction]:
        """Return E_1, ..., E_L at a length with this gap and this greatest initial activation.

        >>> [str(e) for e in Constants(1, ONE, 2, Fraction(2), ONE).errors(None, ONE)]
        ['1/16', '1/4']
        """
        last = at_most_one(gap) / (4 * self.k2 * max(ONE, x_max))
        return [last / (2 * self.k1) ** (self.layers - number) for number in range(1, self.layers + 1)]

    def inverse_share(self, n: int, gap: Fraction | None, x_max: Fraction) -> Fraction:
        """Return R, the reciprocal of the right side of (3) in [SHA] D.5."""
        return self._scale * n * max(ONE, x_max) ** 2 / at_most_one(gap)

    def temperature(self, gap: Law, x_max: Law) -> Expression:
        """Return a τ(n) at most that of the theorem if the gap is at least its law, and x_max at most its own.

        >>> str(Constants(1, ONE, 1, Fraction(2), ONE).temperature(Law(ONE, -1), Law(ONE, 0)))
        '5/(7*n*(3+log2ceil(n^2)))'

        Raises:
            Unsupported: if its numbers are too long.
        """
        return temperature_from_powers(gap, self._scale * x_max.factor**2 / gap.factor,
                                       1 - gap.exponent + 2 * x_max.exponent)

    @property
    def _scale(self) -> Fraction:
        return 2 * (2 * self.k1) ** self.layers * self.k2


def constants_of(transformer: Transformer) -> Constants:
    """Return d, p_max, L, K1 and K2 of the network.

    Raises:
        Unsupported: if a head is neither uniform nor hard.
    """
    for _, _, head in transformer.heads():
        if not head.weighting.is_hard and not is_uniform(head):
            raise Unsupported(f"head {head.name}: {head.weighting} of scores, expected a uniform head or hard "
                              "attention")
    k1 = k2 = ONE
    growth = growth_factors(transformer)
    for layer, entering in zip(transformer.layers, growth, strict=False):
        tieless = [head for head in layer.heads if not is_uniform(head)]
        k1 = max(k1, _amplification(layer),
                 2 * (1 + _norm_of_units(layer.feedforward)) * _norm_of_values(tieless) * entering)
        k2 = max(k2, *(_greatest_score_entry(head) * (2 * entering + 1) for head in tieless), ONE)
    p_max = max(map(abs, chain.from_iterable(map(_parameters, transformer.layers))), default=ZERO)
    return Constants(int(growth[0]), p_max, len(transformer.layers), k1, k2)


def growth_factors(transformer: Transformer) -> list[Fraction]:
    """Return C_1, ..., C_(L+1): C_ℓ x_max(n) bounds the activations before and after the layers (Lemma 29)."""
    tokens, positions = transformer.token_embedding.values(), transformer.position_embedding
    factors = [Fraction(sum(name in positions or any(row.get(name) for row in tokens)
                            for name in transformer.directions))]
    for layer in transformer.layers:
        factors.append(_amplification(layer) * factors[-1] + _biases(layer.feedforward))
    return factors


def _amplification(layer: Layer) -> Fraction:
    return (1 + _norm_of_units(layer.feedforward)) * (1 + _norm_of_values(layer.heads))


def _norm(row: Coefficients) -> Fraction:
    return sum(map(abs, row.values()), ZERO)


def _greatest_column(entries: Iterable[tuple[str, Fraction]]) -> Fraction:
    """Return the greatest column sum of entries given by column."""
    sums: dict[str, Fraction] = {}
    for column, entry in entries:
        sums[column] = sums.get(column, ZERO) + entry
    return max(sums.values(), default=ZERO)


def _norm_of_values(heads: Iterable[Head]) -> Fraction:
    return sum((_greatest_column((column, abs(weight)) for row in head.values.values()
                                 for column, weight in row.items()) for head in heads), ZERO)


def _norm_of_units(feedforward: FeedForward) -> Fraction:
    return _greatest_column((column, abs(weight) * _norm(unit.writes))
                            for unit in feedforward.units for column, weight in unit.reads.items())


def _biases(feedforward: FeedForward) -> Fraction:
    return sum((abs(unit.bias) * _norm(unit.writes) for unit in feedforward.units), _norm(feedforward.bias))


def _greatest_score_entry(head: Head) -> Fraction:
    entries: dict[tuple[str, str], Fraction] = {}
    for query, key in zip(head.queries, head.keys, strict=True):
        for place in ((a, b) for a in query for b in key):
            entries[place] = entries.get(place, ZERO) + abs(query[place[0]] * key[place[1]])
    return max(entries.values(), default=ZERO)


def _parameters(layer: Layer) -> Iterable[Fraction]:
    for head in layer.heads:
        for row in (*head.queries, *head.keys, *head.values.values()):
            yield from row.values()
    for unit in layer.feedforward.units:
        yield from (*unit.reads.values(), unit.bias, *unit.writes.values())
    yield from layer.feedforward.bias.values()


# -- growth laws -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Law:
    """The function factor * n^exponent.

    >>> str(Law(Fraction(1, 2), -2)), str(Law(Fraction(3), 0)), Law(ONE, -1).at(4)
    ('1/(2*n^2)', '3', Fraction(1, 4))
    """

    factor: Fraction
    exponent: int

    def at(self, n: int) -> Fraction:
        """Return the value at n."""
        return self.factor * Fraction(n) ** self.exponent

    def __str__(self) -> str:
        power = _power(abs(self.exponent))
        over, under = self.factor.numerator, self.factor.denominator
        below = [*([str(under)] if under > 1 else []), *([power] if self.exponent < 0 else [])]
        above = [*([str(over)] if over > 1 or self.exponent <= 0 else []), *([power] if self.exponent > 0 else [])]
        divisor = f"({'*'.join(below)})" if len(below) > 1 else "".join(below)
        return "*".join(above) + (f"/{divisor}" if below else "")


def _power(exponent: int) -> str:
    return "n" if exponent == 1 else f"n^{exponent}"


def at_most_one(gap: Fraction | None) -> Fraction:
    """Return min(γ(n), 1), and 1 where no head has two positions to choose from."""
    return ONE if gap is None else min(gap, ONE)


def temperature_from_powers(gap: Law, scale: Fraction, exponent: int) -> Expression:
    """Return a rational function of n that is not above gap / (2 ln(scale n^exponent)), since 2 ln 2 < 7/5.

    Raises:
        Unsupported: if its numbers are too long.
    """
    factor = gap.factor * Fraction(5, 7)
    divisor = [str(factor.denominator), *([_power(-gap.exponent)] if gap.exponent else []),
               f"({log2ceil(scale)}+log2ceil({_power(exponent)}))"]
    text = f"{factor.numerator}/({'*'.join(divisor)})"
    if len(text) > MAX_LENGTH:
        raise Unsupported(f"the temperature takes {len(text)} characters, expected at most {MAX_LENGTH}: the gap or "
                          "the activations are extreme")
    return parse_expression(text)


def law_of_gaps(gaps: Mapping[int, Fraction | None]) -> Law:
    """Return a law c/n^k nowhere above min(γ(n), 1): the one with the least greatest quotient.

    >>> str(law_of_gaps({1: None, 2: Fraction(1, 2), 3: Fraction(1, 3)})), str(law_of_gaps({1: None}))
    ('1/n', '1')
    """
    return law_below({n: at_most_one(gap) for n, gap in gaps.items()})


def law_below(values: Mapping[int, Fraction]) -> Law:
    """Return a law c/n^k nowhere above positive values: the one with the least greatest quotient."""
    inverse = _law_above({n: 1 / value for n, value in values.items()} or {1: ONE})
    return Law(1 / inverse.factor, -inverse.exponent)


def law_of_activations(x_max: Mapping[int, Fraction]) -> Law:
    """Return a law s n^m nowhere below max(x_max(n), 1): the one with the least greatest quotient.

    >>> str(law_of_activations({1: Fraction(1), 2: Fraction(4), 3: Fraction(9)}))
    'n^2'
    """
    return _law_above({n: max(ONE, x) for n, x in x_max.items()})


def _law_above(values: Mapping[int, Fraction]) -> Law:
    """Return the law above ``values`` with the least greatest quotient, and of several the least exponent."""
    laws = [Law(_short(max(value / Fraction(n) ** power for n, value in values.items())), power)
            for power in EXPONENTS]
    return min(laws, key=lambda law: max(law.at(n) / value for n, value in values.items()))


def _short(x: Fraction) -> Fraction:
    return x if max(x.numerator, x.denominator) <= LONG else Fraction(-(-x * LONG // 1), LONG)
