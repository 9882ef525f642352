"""The statements of [SHA] and [Hahn], each under one stem: source of ``certify list``.

The stem names the construction, beside this file, the instances in ``proofs/numbers/instances``, the theorem
for every n in ``proofs/coq`` and the tests of each: where a statement has such a file, it is found under this name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Statement:
    """One statement, the stem of its files, what it builds or bounds, and in which regimes it has a construction."""

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
"""Those with a construction."""

LOW_PRECISION = (
    Statement("Integer scores", "low_precision_tie_breaking", "leftmost and rightmost attention by integers times γ",
              "position, causal or not"),
    Statement("`since`, `until`", "low_precision_since_until", "Theorem 15 with integer scores; to within e^-γ",
              "position, causal or not"),
    Statement("`prev`, `next`", "low_precision_previous_next", "Theorem 12 with integer scores; to within e^-γ",
              "position, causal or not"),
    Statement("Counts", "low_precision_counting", "thresholds of means by saturation; for n up to a greatest one",
              "position, causal or not"),
)
"""Constructions of ours, not of [SHA]: what `--for` chooses."""

NUMBERS = (
    Statement("Lemma 6", "lemma_06_near_hardmax", "softmax near hardmax where one score leads by a gap"),
    Statement("Lemma 25", "lemma_25_one_layer", "how far one layer strays"),
    Statement("Theorem 26, two layers", "theorem_26_two_layers", "every word of a network of two layers"),
    Statement("Lemma 27", "lemma_27_rounding_networks", "rounding to integers by a network"),
    Statement("Lemmas 28, 29", "lemma_28_29_growth", "how activations grow"),
    Statement("Lemmas 30, 31", "lemma_30_31_error_growth", "how errors grow"),
    Statement("Lemma 32", "lemma_32_scores", "errors of scores"),
    Statement("Lemma 33", "lemma_33_tieless_softmax", "softmax of tieless scores that err"),
    Statement("Lemma 34", "lemma_34_attention_output", "errors of what attention retrieves"),
    Statement("Lemma 24", "lemma_24_gap", "a gap at every length"),
    Statement("Lemma 33, with ties", "lemma_33_near_hard", "softmax of scores that err, where some tie"),
    Statement("Lemmas 28 to 34, for matrices", "lemmas_28_34", "growth and errors through layers of one head"),
    Statement("Theorem 26, with ties", "theorem_26_with_ties", "average-hard attention by softmax, within 1/4"),
    Statement("Lemmas 24, 25, Theorem 26, real weights", "theorem_26_real_weights", "the transformers of the paper"),
    Statement("Lemma 25 and Theorem 26, as printed", "theorem_26_as_printed", "what fails of them"),
    Statement("Proposition 11, networks", "proposition_11_networks", "end markers of any word, by one layer"),
    Statement("Theorems 12 to 21, formulas", "theorems_12_to_21_formulas", "one network for each formula of a logic"),
    Statement("Section 4.5, PARITY", "section_4_parity", "an odd number of 1's, without predicates"),
    Statement("Section 2.3, geometric attention", "section_2_geometric", "what it tends to as the temperature falls"),
    Statement("Section 4, optimality", "section_4_optimality", "how small a temperature must be"),
    Statement("Section 6, flip-flop", "section_6_flip_flop", "how small a temperature flip-flop needs"),
    Statement("Hahn, Theorem 1", "hahn_theorem_1_hard_attention", "how few symbols hard attention reads, some fixed"),
    Statement("Hahn, Corollary 2", "hahn_corollary_2_hard_attention", "PARITY and 2DYCK are beyond hard attention"),
    Statement("Hahn, Lemma 4", "hahn_lemma_4_depth_reduction", "what one layer of hard attention reads, some fixed"),
    Statement("Hahn, Lemma 5, proof", "hahn_lemma_5_proof_steps", "steps of a proof that one symbol matters little"),
    Statement("Hahn, Lemma 5", "hahn_lemma_5_repaired", "how little one symbol matters without masks"),
    Statement("Hahn, Lemma 5, the transformers of the paper", "hahn_lemma_5_of_the_paper",
              "the same for real weights, dot-product and additive attention"),
    Statement("Section 1, Hahn's Lemma 5", "hahn_lemma_5_masked", "how little under future masks"),
    Statement("Hahn, Theorem 6 (PARITY)", "hahn_theorem_6_parity", "cross-entropy where the end depends on the parity"),
    Statement("Hahn, Theorem 6 (2DYCK)", "hahn_theorem_6_brackets", "cross-entropy of closing brackets"),
    Statement("Hahn, Footnote 4", "hahn_footnote_4_heights", "heights of prefixes, and the length of words"),
)
"""Those about numbers alone."""

_NUMBERED = (
    *(("Definition", n) for n in (1, 2, 3, 4, 5, 10, 14, 19)), *(("Theorem", n) for n in (12, 13, 15, 16, 20, 21, 26)),
    *(("Lemma", n) for n in (6, 7, 8, 9, 24, 25, *range(27, 35))), ("Proposition", 11),
    *(("Corollary", n) for n in (17, 18, 22, 23)), *(("Section", n) for n in range(1, 7)),
    *(("Appendix", letter) for letter in "ABCDE"), ("Figure", 1),
)  # fmt: skip

_KINDS = ("Definition", "Lemma", "Theorem", "Proposition", "Corollary")

_NUMBERED_BY_HAHN = (
    ("Theorem", 1), ("Corollary", 2), ("Definition", 3), ("Lemma", 4), ("Lemma", 5), ("Theorem", 6), ("Footnote", 3),
    ("Footnote", 4), ("Section", 5), ("Section", 6),
)  # fmt: skip


def numbered_statements(paper: str = "") -> list[str]:
    """The numbered definitions and statements of [SHA] in its order, or of [Hahn] for the paper "Hahn, ".

    >>> numbered_statements("Hahn, ")
    ['Theorem 1', 'Corollary 2', 'Definition 3', 'Lemma 4', 'Lemma 5', 'Theorem 6']
    """
    listed = _NUMBERED_BY_HAHN if paper else _NUMBERED
    numbers = [(number, kind) for kind, number in listed if kind in _KINDS and isinstance(number, int)]
    return [f"{kind} {number}" for number, kind in sorted(numbers)]


def is_statement(name: str) -> bool:
    """Whether [SHA] has a statement (or section) of this name, or [Hahn] behind "Hahn, "; cases and remarks may follow.

    >>> is_statement("Theorem 15 a"), is_statement("Lemma 7, proof"), is_statement("Theorem 14")
    (True, True, False)
    >>> is_statement("Hahn, Lemma 5"), is_statement("Hahn, Lemma 7")
    (True, False)
    """
    found = re.match(r"(Hahn, )?([A-Z][a-z]+) ([0-9]+|[A-E])(?![0-9A-Za-z])", name)
    if found is None:
        return False
    numbered = (found[2], int(found[3]) if found[3].isdigit() else found[3])
    return numbered in (_NUMBERED_BY_HAHN if found[1] else _NUMBERED)
