(* [SHA] Theorem 21, as repaired: counts to the left, future-masked and independent of n.

   Proved: as Theorem 20 and from the same gamma on, with temperature 1/i (Theorem 21) or 1/i^2 (Corollary 23) in place
   of 1/n; comparisons and predicates are decided from these heads as there. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Certify Require Import finite_sums softmax exponential lemma_07_table_lookup lemma_09_rounding formula
  theorem_20_counting.
Open Scope R_scope.

Section Statements.
Variables (n i : nat) (p : nat -> bool) (g : R).
Hypothesis Hi : (1 <= i <= n)%nat.
Hypothesis Hg : 0 < g.

Let score := raw_score ToLeft n i p g.
Let m := INR (others ToLeft n p i).

Let i_at_least_1 : 1 <= INR i.
Proof. apply INR_at_least_1. lia. Qed.

Lemma scale_i : 1 <= INR i / INR i.
Proof. unfold Rdiv. rewrite Rinv_r; lra. Qed.
Lemma scale_i_squared : 1 <= INR i ^ 2 / INR i.
Proof. replace (INR i ^ 2 / INR i) with (INR i) by (field; lra). lra. Qed.

Section Others.
Variable e : R.
Hypothesis He : e <= 1.
Hypothesis Within : mean_within (exp (- g)) e.

Theorem theorem_21_others :
  Rabs (m - attend n (future i) (fun j => score j / (1 / INR i)) (fun j => INR j - 1)) <= e.
Proof. apply (others_scaled ToLeft n i p g Hi Hg (INR i) e scale_i He Within). intros. unfold score. field. lra. Qed.

Theorem corollary_23_others :
  Rabs (m - attend n (future i) (fun j => score j / (1 / INR i ^ 2)) (fun j => INR j - 1)) <= e.
Proof.
  apply (others_scaled ToLeft n i p g Hi Hg (INR i ^ 2) e scale_i_squared He Within). intros. unfold score. field. lra.
Qed.
End Others.

Section Predicate.
Variable theta : nat -> bool.
Hypothesis Sharp : sharp_for (exp (- g)) theta.

Theorem theorem_21_predicate :
  (p i = true -> near (theta (counted ToLeft n p i))
     (attend n (future i) (fun j => score j / (1 / INR i)) (fun j => bit (theta j)))) /\
  (p i = false -> near (theta (counted ToLeft n p i))
     (attend n (future i) (fun j => score j / (1 / INR i)) (fun j => bit (theta (j - 1)%nat)))).
Proof. apply (predicate_scaled ToLeft n i p g Hi Hg (INR i) theta scale_i Sharp). intros. unfold score. field. lra. Qed.

Theorem corollary_23_predicate :
  (p i = true -> near (theta (counted ToLeft n p i))
     (attend n (future i) (fun j => score j / (1 / INR i ^ 2)) (fun j => bit (theta j)))) /\
  (p i = false -> near (theta (counted ToLeft n p i))
     (attend n (future i) (fun j => score j / (1 / INR i ^ 2)) (fun j => bit (theta (j - 1)%nat)))).
Proof.
  apply (predicate_scaled ToLeft n i p g Hi Hg (INR i ^ 2) theta scale_i_squared Sharp). intros. unfold score. field. lra.
Qed.
End Predicate.
End Statements.
