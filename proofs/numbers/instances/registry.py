"""All examinations by name: the values of ``examine`` in a claims file."""

from importlib import import_module

from proofs.numbers.instances.examination import Examination

_FILES = (
    "lemma_06_near_hardmax", "lemma_07_table_lookup", "lemma_08_tie_breaking", "lemma_09_rounding",
    "proposition_11_end_markers", "section_2_geometric", "section_4_optimality", "lemma_25_one_layer",
    "theorem_26_uniform_tieless", "theorem_26_two_layers", "section_6_flip_flop", "lemma_27_rounding_networks",
    "lemma_28_29_growth", "lemma_30_31_error_growth", "lemma_32_scores", "lemma_33_tieless_softmax",
    "lemma_34_attention_output", "hahn_lemma_5_proof_steps", "hahn_lemma_5_repaired", "hahn_lemma_5_masked",
    "hahn_theorem_6_parity", "hahn_theorem_6_brackets", "hahn_footnote_4_heights", "ties_distorted", "ties_broken",
    "ties_small_gaps", "additive_heads", "geometric_shares", "weightings_uniform", "machine_written_cells",
    "machine_unwritten_cells", "machine_binary64",
)  # fmt: skip

EXAMINATIONS: dict[str, Examination] = {
    examination.name: examination for file in _FILES
    for examination in import_module(f"{__package__}.{file}").EXAMINATIONS}
