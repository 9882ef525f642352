"""Table of the statements of [SHA] and [Hahn], each with one stem: source of ``certify list``.

The stem names the construction in this folder, the instances in ``proofs/numbers/instances``, the theorem for every n
in ``proofs/coq`` and the tests of each, where a statement has them.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Statement:
    """A statement, the stem of its files, the object that it builds or bounds, and the regimes with a construction."""

    name: str
    stem: str
    builds: str
    regimes: str = ""


STATEMENTS = (
    Statement("Lemma 7", "lemma_07_table_lookup", "attention to the position whose number was computed",
              "temperature 1/n, 1/i or 1/i^2; position n"),
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
    Statement("Theorem 20 a, b", "theorem_20_counting", "comparisons of counts, predicates on counts",
              "temperature 1/n; position n"),
    Statement("Theorem 21", "theorem_21_counting_causal", "counts to the left, future-masked, independent of n",
              "temperature 1/i, or 1/i^2 beside prev and since"),
    Statement("Theorems 20 a, b and 21, as printed", "theorem_20_as_printed",
              "the same to the letter of the paper (`--as-printed`)", "temperature 1/n, 1/i or 1/i^2; position n"),
    Statement("Theorem 26", "theorem_26_uniform_tieless", "uniform-tieless hard attention by softmax, within 1/4",
              "temperature of order γ(n)/log(n x_max(n)/γ(n))"),
    Statement("Corollaries 17 a, b, 18 a, b, 22 a, b and 23", "compiler",
              "any LTL formula with counting; any past formula, causal", "all four; counts causally by temperature"),
)
"""The statements with a construction."""
