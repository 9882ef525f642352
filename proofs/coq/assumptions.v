(* The axioms that the library rests on: those of the standard library's real numbers, and no others.

   Printed when this file is compiled: sig_forall_dec, sig_not_dec, functional_extensionality_dep, classic. *)
From Certify Require Import hard_from_mass ties_trade_off check_graph attention_by_levels soft_layers
  theorem_26_as_printed lemma_27_rounding_networks lemmas_28_34 lemma_33_near_hard soft_for_every_n cross_entropy
  softmax formula lemma_06_near_hardmax lemma_07_table_lookup lemma_08_tie_breaking lemma_09_rounding
  proposition_11_end_markers theorem_12_previous_next theorem_13_previous_causal theorem_15_since_until
  theorem_16_since_causal theorem_20_counting theorem_21_counting_causal theorem_20_as_printed
  low_precision_tie_breaking low_precision_since_until low_precision_previous_next critical_constants well_defined
  check_defined exp_enclosure entmax gap_rule sparse_rule values_by_rows check_by_rows output_by_rows lookup_by_rows
  check corollaries_17_18_22_23 hahn_one_row hahn_one_layer hahn_lemma_5_repaired hahn_hard_formulas hahn_how_cold
  parity_is_hard hahn_lemma_5_proof_steps section_4_optimality hahn_theorem_6_parity hahn_theorem_6_brackets
  cross_entropy_of_transformers hard_attention lemma_24_gap lemma_25_one_layer theorem_26_uniform_tieless
  theorem_26_with_ties check_file hahn_lemma_5_masked previous_by_digits hahn_footnote_4_heights share_asked_limits
  hahn_first_layer compile_correct theorems_12_to_21_formulas theorem_26_real_weights section_6_flip_flop
  proposition_11_networks section_4_parity hahn_restrictions hahn_lemma_4_depth_reduction
  hahn_theorem_1_hard_attention hahn_corollary_2_hard_attention hahn_soft_layer hahn_lemma_5_of_the_paper model_text
  same_text stated_errors check_certificate same_decision asked check_decision wrong_word
  same_certificate tracks_json judge_tracks.

Definition lemmas := (@lemma_06, @lemma_06_sharp, @lemma_07_sharp, @lemma_07_attained_first, @lemma_07_attained_last,
  @lemma_07_equality, @lemma_07, @lemma_07_printed, @lookup_table, @lookup_alternating, @lemma_08a, @lemma_08b,
  @lemma_08c, @lemma_08a_any_ratio, @lemma_08b_any_ratio, @lemma_08c_any_ratio, @lemma_09_false, @lemma_09_true,
  @lemma_09_between, @lemma_09_shut, @lemma_09_open, @proposition_11a, @proposition_11b, @proposition_11a_reciprocal,
  @proposition_11b_reciprocal, @proposition_11a_network, @proposition_11b_network, @lemma_06_any_gamma,
  @distance_without_sharpness).
Definition temporal := (@since_by_levels, @since_by_levels_reciprocal, @until_by_levels, @theorem_12a_previous,
  @theorem_12a_next, @theorem_12b_previous, @theorem_12b_next, @theorem_13a, @theorem_13b, @theorem_15a_since,
  @theorem_15a_until, @theorem_15b_since, @theorem_15b_until, @theorem_16a, @theorem_16b).
Definition low_precision := (@low_precision_rightmost, @low_precision_leftmost, @low_precision_since_error,
  @low_precision_since, @low_precision_since_rounded, @low_precision_until_error, @low_precision_until,
  @low_precision_until_rounded, @low_precision_previous_error, @low_precision_previous, @low_precision_next_error,
  @low_precision_next).
Definition counting := (@theorem_20a_others, @theorem_20b_others, @theorem_20a_comparison, @theorem_20b_comparison,
  @theorem_20a_predicate, @theorem_20b_predicate, @slack_exact, @decided_exact, @picked_exact, @one_count_enough,
  @sharp_for_alternating, @sharp_for_any, @three_enough, @theorem_21_others, @theorem_21_comparison,
  @theorem_21_predicate, @corollary_23_others, @corollary_23_comparison, @corollary_23_predicate,
  @theorem_20_as_printed_cannot_decide, @theorem_21_as_printed_cannot_decide, @printed_answer_on_the_word_1,
  @theorem_20_printed_parity, @theorem_21_printed_parity).
Definition constants := (@theorem_12_needs_ln_2, @theorem_13_needs_ln_2, @theorem_15_needs_ln_4,
  @theorem_16_needs_ln_4, @theorem_20_needs_ln_6, @mean_within_needed, @mass_within_needed).
Definition by_rows := (@check_output_by_rows_correct, @check_lookup_correct, @check_near_length_correct,
  @check_others_length_correct, @check_sharp_lookup_correct, @sparse_rule, @entmax_unique, @entmax_kernel).
Definition networks := (@check_graph_computes, @check_graph_computes_always, @check_correct, @check_for_computes,
  @check_by_rows_correct, @gap_rule, @decay_above_correct, @decay_below_correct, @well_defined_by_rows_correct,
  @check_recognizes, @check_well_defined, @well_defined_correct, @corollary_17a, @corollary_17b, @corollary_18a,
  @corollary_18b, @corollary_22a, @corollary_22b, @corollary_23, @every_formula, @well_defined_for,
  @check_file_computes, @file_computes_for_some_word, @same_text_same_network, @same_text_same_function,
  @file_computes_for_every_model, @build_computes, @three_is_enough, @hahn_lemma_5_every_mask,
  @hahn_lemma_5_last_position, @printed_heads_fails, @complete_lower, @complete_upper, @weighs_by_ballot_numbers,
  @weighs_of_the_other_parity, @share_asked_by_heights, @expected_length_at_most, @no_expected_length,
  @heights_are_no_chain, @second_task_as_printed_fails, @share_asked_even_near, @share_asked_odd_near,
  @share_asked_limit_even, @share_asked_limit_odd, @parity_with_rate, @dyck_with_rate).
Definition formulas := (@theorem_12a_formulas, @theorem_12b_formulas, @theorem_13a_formulas, @theorem_13b_formulas,
  @theorem_15a_formulas, @theorem_15b_formulas, @theorem_16a_formulas, @theorem_16b_formulas, @theorem_20a_formulas,
  @theorem_20b_formulas, @theorem_21_formulas, @network_computes, @build_is_network_for, @corollary_18a_to_the_letter,
  @corollary_18b_to_the_letter, @corollary_22a_to_the_letter, @corollary_22b_to_the_letter,
  @corollary_23_to_the_letter).
Definition optimality := (@finding_needs_logarithm, @first_position_found, @optimality_first_position,
  @logarithm_enough, @logarithm_below_any_part, @fixed_gap_without_factor_n, @theorem_15_factor_needed,
  @theorem_12_factor_needed, @found_by_digits, @previous_by_digits, @flip_flop_found, @flip_flop_needs_ln_4,
  @flip_flop_logarithm_fails, @parity_by_halves_is_parity).
Definition hahn_one_symbol := (@row_moves, @first_layer_moves, @first_layer_attained, @layer_bounded, @layer_moves,
  @network_layer_fits, @run_as_soft, @soft_lemma_5, @soft_lemma_5_any_masks, @soft_lemma_5_future_masked,
  @soft_lemma_5_no_past_mask, @soft_lemma_5_every_mask, @dot_product_mild, @additive_mild, @relu_network_mild,
  @mild_layer_fits, @hahn_lemma_5_of_the_paper, @hahn_lemma_5_of_the_paper_any_masks, @squash_range,
  @squash_lipschitz, @hahn_lemma_5, @hahn_lemma_5_any_masks, @hahn_lemma_5_future_masked, @hahn_lemma_5_no_past_mask,
  @sensitive_inside_is_hard, @sensitive_anywhere_is_hard, @sensitive_late_is_hard, @sensitive_at_end_is_hard,
  @lemma_5_constant_growth, @sensitive_needs_cold, @parity_is_hard, @majority_is_hard, @previous_is_hard,
  @next_is_hard, @since_is_hard, @until_is_hard, @first_is_one_is_hard, @parity_needs_cold, @parity_needs_temperature,
  @greatest_weight, @printed_mean_step_fails, @printed_norm_step_fails, @printed_same_position_fails,
  @future_masked_means_change, @second_position_changes, @last_position_changes, @printed_in_sha_fails_at_position_2,
  @printed_in_sha_fails_at_position_n, @lemma_5_needs_bounded_embeddings, @lemma_5_needs_temperature).
Definition hahn_5 := (@settle_all, @depth_reduction, @hahn_theorem_1_from, @hahn_theorem_1, @hahn_theorem_1_fixed,
  @single_network_right, @hahn_corollary_2_parity, @hahn_corollary_2_parity_not_recognized,
  @parity_is_hard_for_single, @balanced_round, @hahn_corollary_2_dyck, @hahn_corollary_2_dyck_not_recognized).
Definition hahn_6 := (@even_and_odd_weigh_the_same, @even_given_last, @hahn_theorem_6_parity, @unigram_chance_bound,
  @parity_optimum_least, @optimum_below_chance_given_last, @chance_given_last_below_unigram,
  @chance_given_last_attained, @chance_given_last_least, @unigram_chance_least, @unigram_chance_attained,
  @hahn_theorem_6_parity_limit, @hahn_theorem_6_parity_as_printed_fails, @hahn_theorem_6_dyck, @share_asked_at_least,
  @dyck_separated, @dyck_separated_limit, @bounded_sharpness_settles, @parity_no_better_than_last_symbol,
  @dyck_stays_apart, @dyck_stays_apart_by_a_constant, @parity_network_attains_optimum, @some_network_attains_optimum,
  @chance_given_last_approached, @dyck_optimum_least, @dyck_optimum_approached, @hahn_theorem_6,
  @hahn_theorem_6_of_what_settles, @hahn_theorem_6_of_the_paper).
Definition softening := (@gap_from_mass, @distance_from_mass, @sharpened_mass, @tie_distorted, @tie_needs_warmth,
  @gap_needs_cold, @layers_move, @lemma_25_as_printed_false,
  @lemma_25_as_printed_false_real, @all_ones_tieless, @sign_as_printed_false, @theorem_26_order_as_printed_false,
  @few_pieces, @rounding_takes_pieces, @lemma_27, @lemma_27_integers, @lemma_27_proof_step, @lemma_28, @lemma_30,
  @lemma_31, @lemma_34, @lemma_29_as_printed_false, @lemma_29_without_biases, @lemma_29_repaired, @lemma_32,
  @near_hard_tieless, @softened_for_every_n, @word_mass, @cross_entropy, @softplus_gibbs, @entropy_concave,
  @softmax_total, @attend_concentrated, @satisfies_previous, @satisfies_next, @satisfies_since, @satisfies_until,
  @satisfies_compare, @run_soft_is_run, @hardmax_tieless, @lemma_24, @x_max_exists, @lemma_33, @near_hard_with_ties,
  @one_layer, @network_moves, @theorem_26, @theorem_26_order, @theorem_26_some_temperature, @theorem_26_with_ties,
  @theorem_26_with_ties_order, @theorem_26_with_ties_some_temperature, @theorem_26_polynomial, @lemma_24_real,
  @x_max_real, @lemma_25_real, @theorem_26_real, @theorem_26_real_order, @theorem_26_real_polynomial,
  @leftmost_hardmax_one_hot, @rightmost_hardmax_one_hot, @rightmost_by_a_term, @leftmost_by_a_term, @value_sum,
  @value_difference, @value_count, @satisfies_on_count).
Definition certificates := (@judge_certificate_holds, @accepts_certificate_holds, @errs_correct,
  @errs_of_others_correct, @same_text_same_claim).
Definition trained := (@judge_decision_holds, @states_once, @is_asked_holds, @judge_wrong_word_holds,
  @wrong_word_is_wrong, @states_wrong_word_once, @cover_states_no_wrong_word,
  @judge_tracks_holds, @states_tracks_once).
Definition everything := (certificates, lemmas, temporal, low_precision, counting, constants, by_rows, networks,
  formulas, optimality, hahn_one_symbol, hahn_5, hahn_6, softening, trained).

Print Assumptions everything.
