(* Elementary facts about exp: powers, and rational bounds e^(7/5) > 4, e^2 > 7, e^g >= (1 + g/8)^8.

   Idea: e^x > 1 + x, raised to a power. No enclosure of a series is needed. *)
From Coq Require Import Reals Lra Lia Arith.
Open Scope R_scope.

Lemma exp_power g k : exp (- g) ^ k = exp (- (INR k * g)).
Proof.
  induction k as [|k IH]; [simpl; now rewrite Rmult_0_l, Ropp_0, exp_0|].
  rewrite S_INR. simpl. rewrite IH, <- exp_plus. f_equal. lra.
Qed.

Lemma exp_lower x k : 0 <= x -> (1 <= k)%nat -> (1 + x / INR k) ^ k <= exp x.
Proof.
  intros Hx Hk. apply lt_0_INR in Hk. assert (E : (exp (x / INR k)) ^ k = exp x).
  { replace (x / INR k) with (- - (x / INR k)) by lra. rewrite exp_power. f_equal. field. lra. }
  assert (0 <= x / INR k) by (apply Rmult_le_pos; [exact Hx|left; now apply Rinv_0_lt_compat]).
  rewrite <- E. apply pow_incr. split; [lra|].
  destruct (Req_dec x 0) as [->|N]; [unfold Rdiv; rewrite Rmult_0_l, exp_0; lra|].
  pose proof (exp_ineq1 (x / INR k)). assert (x / INR k <> 0); [|lra].
  unfold Rdiv. apply Rmult_integral_contrapositive_currified; [exact N|]. apply Rinv_neq_0_compat. lra.
Qed.

Lemma exp_monotone x y : x <= y -> exp x <= exp y.
Proof. intros [L| ->]; [left; now apply exp_increasing|lra]. Qed.

Lemma exp_negative_below_1 g : 0 < g -> 0 < exp (- g) < 1.
Proof. intros H. split; [apply exp_pos|]. rewrite <- exp_0. apply exp_increasing. lra. Qed.

(* An upper bound of e^(-g) from a lower bound of e^g. *)
Lemma exp_negative_upper g b : 0 < b -> b <= exp g -> exp (- g) <= / b.
Proof. intros Hb H. rewrite exp_Ropp. now apply Rinv_le_contravar. Qed.

Lemma exp_7_5 : 4 <= exp (7 / 5).
Proof.
  assert (H : 2 <= exp (7 / 10)).
  { eapply Rle_trans; [|apply (exp_lower _ 64); [lra|lia]].
    replace (1 + 7 / 10 / INR 64) with (647 / 640) by (simpl; lra). lra. }
  replace (7 / 5) with (7 / 10 + 7 / 10) by lra. rewrite exp_plus.
  replace 4 with (2 * 2) by lra. apply Rmult_le_compat; lra.
Qed.

Lemma exp_2 : 7 <= exp 2.
Proof.
  eapply Rle_trans; [|apply (exp_lower _ 64); [lra|lia]].
  replace (1 + 2 / INR 64) with (33 / 32) by (simpl; lra). lra.
Qed.

(* gamma >= 7/5 makes e^(-gamma) <= 1/4; the least such gamma is ln 4 = 1.386... *)
Lemma quarter g : 7 / 5 <= g -> exp (- g) <= 1 / 4.
Proof.
  intros H. replace (1 / 4) with (/ 4) by lra. apply exp_negative_upper; [lra|].
  eapply Rle_trans; [apply exp_7_5|]. now apply exp_monotone.
Qed.

Lemma seventh g : 2 <= g -> exp (- g) <= 1 / 7.
Proof.
  intros H. replace (1 / 7) with (/ 7) by lra. apply exp_negative_upper; [lra|].
  eapply Rle_trans; [apply exp_2|]. now apply exp_monotone.
Qed.

Lemma exp_negative_power_8 g : 0 <= g -> exp (- g) <= / (1 + g / 8) ^ 8.
Proof.
  intros H. apply exp_negative_upper; [apply pow_lt; lra|].
  replace (1 + g / 8) with (1 + g / INR 8) by (simpl; lra). apply exp_lower; [exact H|lia].
Qed.
