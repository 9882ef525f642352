(* [SHA] Lemma 9: two ReLUs turn an approximate Boolean into exactly 0 or 1.

   Proved: f(x) = 2 ReLU(x - 1/4) - 2 ReLU(x - 3/4) is 0 up to 1/4, 1 from 3/4 on, and affine between. Gates only
   subtract truths from x: if all are 0 nothing changes, and if one is 1 the answer is 0 for every x up to 1. *)
From Coq Require Import Reals Lra.
From Certify Require Import finite_sums relu.
Open Scope R_scope.

Definition rounded_truth (x : R) : R := 2 * relu (x - 1 / 4) - 2 * relu (x - 3 / 4).

Theorem lemma_09_false x : x <= 1 / 4 -> rounded_truth x = 0.
Proof. intros H. unfold rounded_truth. rewrite !relu_zero by lra. lra. Qed.
Theorem lemma_09_true x : 3 / 4 <= x -> rounded_truth x = 1.
Proof. intros H. unfold rounded_truth. rewrite !relu_linear by lra. lra. Qed.
Theorem lemma_09_between x : 1 / 4 <= x <= 3 / 4 -> rounded_truth x = 2 * x - 1 / 2.
Proof. intros H. unfold rounded_truth. rewrite relu_linear, relu_zero by lra. lra. Qed.

(* What gates add: 0 where all of them are open, at most -1 where one is shut. *)
Theorem lemma_09_shut x gates : x <= 1 -> gates <= -1 -> rounded_truth (x + gates) = 0.
Proof. intros Hx Hg. apply lemma_09_false. lra. Qed.
Theorem lemma_09_open x gates : gates = 0 -> rounded_truth (x + gates) = rounded_truth x.
Proof. intros ->. f_equal. lra. Qed.

Lemma near_from_error (b : bool) e x : Rabs (bit b - x) <= e -> e <= 1 / 4 -> 0 <= x <= 1 -> near_truth b x.
Proof.
  intros H He Hx. assert (A : Rabs (bit b - x) <= 1 / 4) by lra.
  destruct b; simpl in *; [|rewrite Rabs_left1 in A by lra]; [rewrite Rabs_right in A by lra|]; lra.
Qed.

Lemma near_rounded b x : near_truth b x -> rounded_truth x = bit b.
Proof. destruct b; intros H; simpl; [apply lemma_09_true, H|apply lemma_09_false, H]. Qed.
