(* [SHA] Theorem 21, as repaired: counts to the left, future-masked and independent of n.

   Proved: as Theorem 20, with temperature 1/i (Theorem 21) or 1/i^2 (Corollary 23) in place of 1/n. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Certify Require Import finite_sums softmax exponential lemma_09_rounding formula theorem_20_counting.
Open Scope R_scope.

Section Printed.
Variables (n i : nat) (p : nat -> bool) (C : R).
Hypothesis Hi : (1 <= i <= n)%nat.
Hypothesis HC : 1 <= C.

Let score := raw_score ToLeft n i p C.
Let m := INR (others ToLeft n p i).

Let i_at_least_1 : 1 <= INR i.
Proof. apply INR_at_least_1. lia. Qed.

Lemma scale_i : 1 <= INR i / INR i.
Proof. unfold Rdiv. rewrite Rinv_r; lra. Qed.
Lemma scale_i_squared : 1 <= INR i ^ 2 / INR i.
Proof. replace (INR i ^ 2 / INR i) with (INR i) by (field; lra). lra. Qed.

Theorem theorem_21_others :
  Rabs (m - attend n (future i) (fun j => score j / (1 / INR i)) (fun j => INR j - 1)) <= exp (- (3 * C)).
Proof. apply (others_scaled ToLeft n i p C Hi HC (INR i) scale_i). intros. unfold score. field. lra. Qed.

Theorem corollary_23_others :
  Rabs (m - attend n (future i) (fun j => score j / (1 / INR i ^ 2)) (fun j => INR j - 1)) <= exp (- (3 * C)).
Proof. apply (others_scaled ToLeft n i p C Hi HC (INR i ^ 2) scale_i_squared). intros. unfold score. field. lra. Qed.

Theorem theorem_21_predicate theta :
  (p i = true -> near (theta (counted ToLeft n p i))
     (attend n (future i) (fun j => score j / (1 / INR i)) (fun j => bit (theta j)))) /\
  (p i = false -> near (theta (counted ToLeft n p i))
     (attend n (future i) (fun j => score j / (1 / INR i)) (fun j => bit (theta (j - 1)%nat)))).
Proof. apply (predicate_scaled ToLeft n i p C Hi HC (INR i) theta scale_i). intros. unfold score. field. lra. Qed.

Theorem corollary_23_predicate theta :
  (p i = true -> near (theta (counted ToLeft n p i))
     (attend n (future i) (fun j => score j / (1 / INR i ^ 2)) (fun j => bit (theta j)))) /\
  (p i = false -> near (theta (counted ToLeft n p i))
     (attend n (future i) (fun j => score j / (1 / INR i ^ 2)) (fun j => bit (theta (j - 1)%nat)))).
Proof. apply (predicate_scaled ToLeft n i p C Hi HC (INR i ^ 2) theta scale_i_squared). intros. unfold score. field.
lra. Qed.
End Printed.
