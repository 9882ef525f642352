(* [SHA] Theorem 21, as repaired: counts to the left, future-masked and independent of n.

   Proved: as Theorem 20 and from the same gamma on, with temperature 1/i (Theorem 21) or 1/i^2 (Corollary 23) in place
   of 1/n; comparisons and predicates are decided from these heads as there. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Certify Require Import positions finite_sums softmax exponential lemma_07_table_lookup formula theorem_20_counting.
Open Scope R_scope.

Section Statements.
Variables (n : nat) (i : position n) (p : nat -> bool) (g : R).
Hypothesis Hg : 0 < g.

Let score := lookup_raw_score ToLeft n i p g.
Let m := INR (others_on ToLeft n p i).

Let i_at_least_1 : 1 <= INR i.
Proof. apply INR_at_least_1. lia. Qed.

Lemma scale_i : 1 <= INR i / INR i. Proof. unfold Rdiv. rewrite Rinv_r; lra. Qed.
Lemma scale_i_squared : 1 <= INR i ^ 2 / INR i.
Proof. replace (INR i ^ 2 / INR i) with (INR i) by (field; lra). lra. Qed.

Section Others.
Variable e : R.
Hypothesis He : e <= 1.
Hypothesis Within : mean_within (exp (- g)) e.

Theorem theorem_21_others :
  Rabs (m - attend n (future_mask i) (fun j => score j / (1 / INR i)) (fun j => INR j - 1)) <= e.
Proof. apply (others_scaled ToLeft n i p g Hg (INR i) e scale_i He Within). intros. unfold score. field. lra. Qed.

Theorem corollary_23_others :
  Rabs (m - attend n (future_mask i) (fun j => score j / (1 / INR i ^ 2)) (fun j => INR j - 1)) <= e.
Proof.
  apply (others_scaled ToLeft n i p g Hg (INR i ^ 2) e scale_i_squared He Within). intros. unfold score. field. lra.
Qed.
End Others.

Section Predicate.
Variable theta : nat -> bool.
Hypothesis Sharp : sharp_for (exp (- g)) theta.

Theorem theorem_21_predicate :
  let head v := attend n (future_mask i) (fun j => score j / (1 / INR i)) (fun j => bit (v j)) in
  picked_predicate (head theta) (head (fun j => theta (j - 1)%nat)) (p i) = bit (theta (counted_on ToLeft n p i)).
Proof.
  apply (predicate_picked ToLeft n i p).
  apply (predicate_scaled ToLeft n i p g Hg (INR i) theta scale_i Sharp). intros. unfold score. field. lra.
Qed.

Theorem corollary_23_predicate :
  let head v := attend n (future_mask i) (fun j => score j / (1 / INR i ^ 2)) (fun j => bit (v j)) in
  picked_predicate (head theta) (head (fun j => theta (j - 1)%nat)) (p i) = bit (theta (counted_on ToLeft n p i)).
Proof.
  apply (predicate_picked ToLeft n i p).
  apply (predicate_scaled ToLeft n i p g Hg (INR i ^ 2) theta scale_i_squared Sharp). intros. unfold score. field. lra.
Qed.
End Predicate.
End Statements.

(* ---- comparisons of counts to the left ---- *)
Section Comparisons.
Variables (users : predicate_meanings) (n : nat) (w : word) (i : position n) (r : relation) (t : term) (g e : R).
Hypothesis Left : to_left t.
Hypothesis Hg : 0 < g.
Hypothesis He : e <= 1.
Hypothesis Within : mean_within (exp (- g)) e.
Hypothesis Enough : total_weight t * e <= 1 / 4.

Let score f := lookup_raw_score ToLeft n i (truth users n w f) g.

(* Only what is held of counts to the left matters. *)
Lemma comparison_to_left (head : formula -> R) :
  (forall f, Rabs (INR (others_on ToLeft n (truth users n w f) i) - head f) <= e) ->
  let H := approximate_value users n w i (fun _ f => head f) t in
  comparison_decided r (slack_at_least H) (slack_at_most H) = bit (relation_holds r (value_of_term users n w t i) 0).
Proof.
  intros Held. cbv zeta. set (m s f := INR (others_on s n (truth users n w f) i)).
  rewrite (approximated_to_left users n w i _ (fun s f => match s with ToLeft => head f | ToRight => m s f end) t Left)
    by reflexivity. apply (comparison_exact users n w i _ r t e Enough). intros [|] f; [apply Held|]. unfold m.
  rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. eapply Rle_trans; [apply Rabs_pos|apply (Held f)].
Qed.

Theorem theorem_21_comparison :
  let head f := attend n (future_mask i) (fun j => score f j / (1 / INR i)) (fun j => INR j - 1) in
  let H := approximate_value users n w i (fun _ f => head f) t in
  comparison_decided r (slack_at_least H) (slack_at_most H) = bit (relation_holds r (value_of_term users n w t i) 0).
Proof. apply comparison_to_left. intros f. now apply theorem_21_others. Qed.

Theorem corollary_23_comparison :
  let head f := attend n (future_mask i) (fun j => score f j / (1 / INR i ^ 2)) (fun j => INR j - 1) in
  let H := approximate_value users n w i (fun _ f => head f) t in
  comparison_decided r (slack_at_least H) (slack_at_most H) = bit (relation_holds r (value_of_term users n w t i) 0).
Proof. apply comparison_to_left. intros f. now apply corollary_23_others. Qed.
End Comparisons.
