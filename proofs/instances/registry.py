"""All examinations by name: what a claims file may write behind ``examine``."""

from __future__ import annotations

from itertools import chain

from proofs.instances import (
    hahn_footnote_4_heights,
    hahn_lemma_5_masked,
    hahn_lemma_5_proof_steps,
    hahn_lemma_5_repaired,
    hahn_theorem_6_brackets,
    hahn_theorem_6_parity,
    lemma_06_near_hardmax,
    lemma_07_table_lookup,
    lemma_08_tie_breaking,
    lemma_09_rounding,
    lemma_25_one_layer,
    lemma_27_rounding_networks,
    lemma_28_29_growth,
    lemma_30_31_error_growth,
    lemma_32_scores,
    lemma_33_tieless_softmax,
    lemma_34_attention_output,
    proposition_11_end_markers,
    section_2_geometric,
    section_4_optimality,
    section_6_flip_flop,
    theorem_26_two_layers,
    theorem_26_uniform_tieless,
    ties_broken,
    ties_distorted,
    ties_small_gaps,
)
from proofs.instances.examination import Examination

EXAMINATIONS: dict[str, Examination] = {examination.name: examination for examination in chain(
    lemma_06_near_hardmax.EXAMINATIONS,
    lemma_07_table_lookup.EXAMINATIONS,
    lemma_08_tie_breaking.EXAMINATIONS,
    lemma_09_rounding.EXAMINATIONS,
    proposition_11_end_markers.EXAMINATIONS,
    section_2_geometric.EXAMINATIONS,
    section_4_optimality.EXAMINATIONS,
    lemma_25_one_layer.EXAMINATIONS,
    theorem_26_uniform_tieless.EXAMINATIONS,
    theorem_26_two_layers.EXAMINATIONS,
    section_6_flip_flop.EXAMINATIONS,
    lemma_27_rounding_networks.EXAMINATIONS,
    lemma_28_29_growth.EXAMINATIONS,
    lemma_30_31_error_growth.EXAMINATIONS,
    lemma_32_scores.EXAMINATIONS,
    lemma_33_tieless_softmax.EXAMINATIONS,
    lemma_34_attention_output.EXAMINATIONS,
    hahn_lemma_5_proof_steps.EXAMINATIONS,
    hahn_lemma_5_repaired.EXAMINATIONS,
    hahn_lemma_5_masked.EXAMINATIONS,
    hahn_theorem_6_parity.EXAMINATIONS,
    hahn_theorem_6_brackets.EXAMINATIONS,
    hahn_footnote_4_heights.EXAMINATIONS,
    ties_distorted.EXAMINATIONS,
    ties_broken.EXAMINATIONS,
    ties_small_gaps.EXAMINATIONS,
)}
