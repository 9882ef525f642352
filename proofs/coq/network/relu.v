(* The ReLU, and how a number may hold a truth other than exactly: `near_truth` it, or as `is_slack`. *)
From Coq Require Import Reals Lra.
Open Scope R_scope.

Definition relu (x : R) : R := Rmax 0 x.

Lemma relu_linear x : 0 <= x -> relu x = x. Proof. apply Rmax_right. Qed.
Lemma relu_zero x : x <= 0 -> relu x = 0. Proof. apply Rmax_left. Qed.
Lemma relu_apart x y : Rabs (relu x - relu y) <= Rabs (x - y).
Proof. unfold relu, Rmax, Rabs. repeat destruct (Rle_dec _ _); repeat destruct (Rcase_abs _); lra. Qed.
Lemma relu_within x : Rabs (relu x) <= Rabs x.
Proof. pose proof (relu_apart x 0) as H. rewrite (relu_zero 0) in H by lra. now rewrite !Rminus_0_r in H. Qed.

(* Approximate Booleans of [0, 1]. *)
Definition near_truth (b : bool) (x : R) : Prop := if b then 3 / 4 <= x <= 1 else 0 <= x <= 1 / 4.
(* Exactly 0 where b holds, and at least 1 elsewhere. *)
Definition is_slack (b : bool) (x : R) : Prop := if b then x = 0 else 1 <= x.
