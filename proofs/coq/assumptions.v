(* The axioms that the library rests on: those of the standard library's real numbers, and no others.

   Printed when this file is compiled: sig_forall_dec, sig_not_dec, functional_extensionality_dep, classic. *)
From Certify Require Import lemma_06_near_hardmax lemma_07_table_lookup lemma_08_tie_breaking lemma_09_rounding
  proposition_11_end_markers theorem_12_previous_next theorem_13_previous_causal theorem_15_since_until
  theorem_16_since_causal theorem_20_counting theorem_21_counting_causal theorem_20_as_printed
  low_precision_tie_breaking low_precision_since_until low_precision_previous_next
  critical_constants well_defined check
  corollaries_17_18_22_23.

Definition lemmas := (@lemma_06, @lemma_06_sharp, @lemma_07_sharp, @lemma_07_attained_first,
  @lemma_07_attained_last, @lemma_07_equality, @lemma_07, @lemma_07_printed, @lookup_table, @lookup_alternating,
  @lemma_08a, @lemma_08b, @lemma_08c, @lemma_08a_any_ratio, @lemma_08b_any_ratio, @lemma_08c_any_ratio,
  @lemma_09_false, @lemma_09_true, @lemma_09_between, @lemma_09_shut, @lemma_09_open,
  @proposition_11a, @proposition_11b, @proposition_11a_reciprocal, @proposition_11b_reciprocal).
Definition temporal := (@theorem_12a_previous, @theorem_12a_next, @theorem_12b_previous, @theorem_12b_next,
  @theorem_13a, @theorem_13b, @theorem_15a_since, @theorem_15a_until, @theorem_15b_since, @theorem_15b_until,
  @theorem_16a, @theorem_16b).
Definition low_precision := (@low_precision_rightmost, @low_precision_leftmost,
  @low_precision_since_error, @low_precision_since, @low_precision_since_rounded,
  @low_precision_until_error, @low_precision_until, @low_precision_until_rounded,
  @low_precision_previous_error, @low_precision_previous, @low_precision_next_error, @low_precision_next).
Definition counting := (@theorem_20a_others, @theorem_20b_others, @theorem_20a_comparison, @theorem_20b_comparison,
  @theorem_20a_predicate, @theorem_20b_predicate, @slack_exact, @decided_exact, @picked_exact, @one_count_enough,
  @sharp_for_alternating, @sharp_for_any, @three_enough,
  @theorem_21_others, @theorem_21_comparison, @theorem_21_predicate,
  @corollary_23_others, @corollary_23_comparison, @corollary_23_predicate,
  @theorem_20_as_printed_cannot_decide, @theorem_21_as_printed_cannot_decide,
  @printed_answer_on_the_word_1, @theorem_20_printed_parity, @theorem_21_printed_parity).
Definition constants := (@theorem_12_needs_ln_2, @theorem_13_needs_ln_2, @theorem_15_needs_ln_4, @theorem_16_needs_ln_4,
  @theorem_20_needs_ln_6, @mean_within_needed, @mass_within_needed).
Definition networks := (@check_correct, @check_for_computes, @check_recognizes, @check_well_defined,
  @well_defined_correct,
  @well_defined_for, @corollary_17a, @corollary_17b, @corollary_18a,
  @corollary_18b, @corollary_22a, @corollary_22b, @corollary_23).
Definition everything := (lemmas, temporal, low_precision, counting, constants, networks).

Print Assumptions everything.
