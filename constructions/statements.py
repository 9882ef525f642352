"""The statements of [SHA] that have a construction here: the source of README's table and of ``certify list``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Statement:
    """One statement, the stem of its construction and of its test, and what it builds."""

    name: str
    stem: str
    builds: str
    regimes: str


STATEMENTS = (
    Statement("Lemma 8 a, b, c", "lemma_08_tie_breaking", "leftmost and rightmost attention by a tie-breaking term",
              "all"),
    Statement("Lemma 9", "lemma_09_rounding", "an approximate Boolean to exactly 0 or 1 by two ReLUs", "all"),
    Statement("Proposition 11 a, b", "proposition_11_end_markers", "first and last marker; 1/i and 1/(n+1-i)", "all"),
    Statement("Theorem 12 a, b", "theorem_12_previous_next", "prev, next", "temperature 1/n; position n"),
    Statement("Theorem 13 a, b", "theorem_13_previous_causal", "prev, future-masked, independent of n",
              "temperature 1/i^2; position i^2"),
    Statement("Theorem 15 a, b", "theorem_15_since_until", "since, until", "temperature 1/n; position n"),
    Statement("Theorem 16 a, b", "theorem_16_since_causal", "since, future-masked, independent of n",
              "temperature 1/i^2; position i^2"),
    Statement("Corollaries 17 a, b and 18 a, b", "compiler", "any LTL formula; any past formula, causal", "all four"),
)
