(* Elementary facts about exp: powers, e^x >= (1 + x/k)^k, and when e^(-g) is small enough for the theorems.

   Proved: e^(-g) <= 1/4 from g = ln 4 on, e^(-2g) <= 1/4 from ln 2 on, e^(-g) <= 1/6 from ln 6 on; 3, the constant of
   the paper, is greater than all three. Idea: e^x > 1 + x, raised to a power. *)
From Coq Require Import Reals Lra Lia Arith.
From Certify Require Import finite_sums.
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
  assert (0 <= x / INR k) by auto with signs. rewrite <- E. apply pow_incr. split; [lra|].
  destruct (Req_dec x 0) as [->|N]; [unfold Rdiv; rewrite Rmult_0_l, exp_0; lra|]. pose proof (exp_ineq1 (x / INR k)).
  assert (x / INR k <> 0); [|lra]. unfold Rdiv. apply Rmult_integral_contrapositive_currified; [exact N|].
  apply Rinv_neq_0_compat. lra.
Qed.

(* The partial sums of its series, all from below. *)
Lemma exp_series x k : 0 <= x -> sum_f_R0 (fun j => / INR (fact j) * x ^ j) k <= exp x.
Proof.
  intros H. apply (sum_incr (fun j => / INR (fact j) * x ^ j)); [exact (proj2_sig (exist_exp x))|].
  intros j. apply Rmult_le_pos; [left; apply Rinv_0_lt_compat, INR_fact_lt_0|now apply pow_le].
Qed.

Lemma exp_monotone x y : x <= y -> exp x <= exp y. Proof. intros [L| ->]; [left; now apply exp_increasing|lra]. Qed.
Lemma exp_negative_below_1 g : 0 < g -> 0 < exp (- g) < 1.
Proof. intros H. split; [apply exp_pos|]. rewrite <- exp_0. apply exp_increasing. lra. Qed.

(* An upper bound of e^(-g) from a lower bound of e^g. *)
Lemma exp_negative_upper g b : 0 < b -> b <= exp g -> exp (- g) <= / b.
Proof. intros Hb H. rewrite exp_Ropp. now apply Rinv_le_contravar. Qed.

(* e^(-g) <= 1/b from g >= ln b on. *)
Lemma exp_small b g : 0 < b -> ln b <= g -> exp (- g) <= / b.
Proof. intros Hb H. apply exp_negative_upper; [exact Hb|]. rewrite <- (exp_ln b Hb) at 1. now apply exp_monotone. Qed.

Lemma exp_at_most_quarter g : ln 4 <= g -> exp (- g) <= 1 / 4.
Proof. intros H. replace (1 / 4) with (/ 4) by lra. apply exp_small; lra. Qed.
Lemma exp_at_most_sixth g : ln 6 <= g -> exp (- g) <= 1 / 6.
Proof. intros H. replace (1 / 6) with (/ 6) by lra. apply exp_small; lra. Qed.

(* Where the error is e^(-2g), half of ln 4 is enough. *)
Lemma quarter_doubled g : ln 2 <= g -> exp (- (2 * g)) <= 1 / 4.
Proof.
  intros H. pose proof (exp_small 2 g ltac:(lra) H) as S. pose proof (exp_pos (- g)).
  replace (- (2 * g)) with (- g + - g) by lra. rewrite exp_plus.
  replace (1 / 4) with (/ 2 * / 2) by lra. apply Rmult_le_compat; lra.
Qed.

(* ---- logarithms ---- *)
Lemma ln_monotone a b : 0 < a -> a <= b -> ln a <= ln b.
Proof. intros Ha [L| ->]; [left; now apply ln_increasing|lra]. Qed.
Lemma ln_positive b : 1 < b -> 0 < ln b. Proof. intros H. rewrite <- ln_1. apply ln_increasing; lra. Qed.
Lemma ln_at_least_0 b : 1 <= b -> 0 <= ln b. Proof. intros H. rewrite <- ln_1. apply ln_monotone; lra. Qed.
#[export] Hint Resolve ln_positive ln_at_least_0 : signs.

Lemma ln_power a k : 0 < a -> ln (a ^ k) = INR k * ln a.
Proof.
  intros A. induction k as [|k IH]; [simpl; rewrite ln_1; lra|].
  rewrite S_INR. simpl. rewrite ln_mult, IH by (assumption || now apply pow_lt). lra.
Qed.

Lemma above_ln_2 g : ln 2 <= g -> 0 < g. Proof. pose proof (ln_positive 2). lra. Qed.
Lemma above_ln_4 g : ln 4 <= g -> 0 < g. Proof. pose proof (ln_positive 4). lra. Qed.

Lemma ln_below b g : 0 < b -> b <= exp g -> ln b <= g.
Proof. intros Hb H. rewrite <- (ln_exp g). now apply ln_monotone. Qed.
