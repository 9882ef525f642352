(* [SHA] Section 4.3, the remark on optimality, for `prev`: with other embeddings a factor of order sqrt n is enough.

   Position j carries the D digits of j - 1 in base B, divided by B, and their squares: numbers in [0, 1]. Position i
   asks for the digits of i - 2. Scores are products of such numbers, so at most 3D in absolute value.

   Proved: with a factor of ln(28) B^2 in front of them, where B^4 >= n, the head is within 1/4 of the operand at i - 1
   at every n and every i >= 2; there is such a B with B^2 <= 4 sqrt n. So Theorem 12's task needs no factor of order n.
   Idea: but for a constant, the score is minus the sum of the squared differences of digits, so weights are products
   over the digits, and the sum of all of them is at most ((1+x)/(1-x))^4 <= 4/3 times the one looked for, x = 1/28. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Certify Require Import positions finite_sums softmax exponential lemma_06_near_hardmax.
Import PositionNotations. Open Scope R_scope.

(* What i asks for, 2 x_k, times what j has, x_k, and minus what j has, x_k^2; x_k is the k-th digit over B. *)
Local Definition digit (B a : nat) : R := INR (a mod B) / INR B.
Fixpoint digits_score (D B a b : nat) : R :=
  match D with O => 0 | S D => 2 * digit B a * digit B b - digit B b ^ 2 + digits_score D B (a / B) (b / B) end.

Local Fixpoint squares (D B a : nat) : R := match D with O => 0 | S D => INR (a mod B) ^ 2 + squares D B (a / B) end.
Fixpoint digit_gap (D B a b : nat) : nat :=
  match D with
  | O => 0
  | S D => index_distance (a mod B) (b mod B) * index_distance (a mod B) (b mod B) + digit_gap D B (a / B) (b / B)
  end.

Lemma score_by_gaps B D : (1 <= B)%nat -> forall a b,
  INR B ^ 2 * digits_score D B a b = squares D B a - INR (digit_gap D B a b).
Proof.
  intros H. pose proof (INR_at_least_1 B H). induction D as [|D IH]; intros a b; cbn [digits_score squares digit_gap].
  - simpl. lra.
  - rewrite Rmult_plus_distr_l, IH, plus_INR, mult_INR, INR_distance.
    assert (A : forall x, Rabs x * Rabs x = x * x) by (intros x; rewrite <- Rabs_mult; apply Rabs_right; nra).
    rewrite A. unfold digit. field. lra.
Qed.

Lemma no_gap D B a : digit_gap D B a a = 0%nat.
Proof.
  revert a. induction D as [|D IH]; intros a; simpl; [reflexivity|]. rewrite IH. unfold index_distance.
  rewrite Nat.sub_diag. reflexivity.
Qed.

(* ---- the sum of all weights ---- *)
Section Weights.
Variable x : R.
Hypothesis Hx : 0 < x < 1.

Lemma one_digit B q : (q < B)%nat ->
  sum_to B (fun j => x ^ (index_distance q (j - 1) * index_distance q (j - 1))) <= (1 + x) / (1 - x).
Proof.
  intros H. destruct (geometric_both x B (S q) Hx ltac:(lia)) as [_ G]. specialize (G ltac:(lia)).
  assert (P : 0 <= x ^ (B - S q + 1)) by (apply pow_le; lra).
  apply Rle_trans with (sum_to B (fun j => x ^ index_distance j (S q))).
  - apply sum_le. intros j Hj.
    replace (index_distance q (j - 1)) with (index_distance j (S q)) by (unfold index_distance; lia).
    set (d := index_distance j (S q)). destruct d as [|d]; [simpl; lra|].
    replace (S d * S d)%nat with (S d + d * S d)%nat by lia. rewrite pow_add. rewrite <- (Rmult_1_r (x ^ S d)) at 2.
    apply Rmult_le_compat_l; [apply pow_le; lra|]. rewrite <- (pow1 (d * S d)). apply pow_incr. lra.
  - rewrite (sum_apart B (S q)) by lia. replace (index_distance (S q) (S q)) with 0%nat by (unfold index_distance; lia).
    apply Rmult_le_reg_r with (1 - x); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. rewrite pow_O. lra.
Qed.

Lemma sum_by_digits B (G H : nat -> R) M : (1 <= B)%nat -> sum_to (M * B) (fun j => G ((j - 1) mod B)%nat * H ((j - 1)
  / B)%nat) = sum_to B (fun j => G (j - 1)%nat) * sum_to M (fun j => H (j - 1)%nat).
Proof.
  intros HB. induction M as [|M IH]; [simpl; lra|]. replace (S M * B)%nat with (M * B + B)%nat by lia.
  rewrite sum_cut, IH. cbn [sum_to]. rewrite Rmult_plus_distr_l. f_equal.
  rewrite <- sum_scale_r. apply sum_ext. intros k Hk.
  rewrite <- (Nat.mod_unique (M * B + k - 1) B M (k - 1)), <- (Nat.div_unique (M * B + k - 1) B M (k - 1)) by lia.
  do 2 f_equal. lia.
Qed.

Lemma all_digits B D : (1 <= B)%nat -> forall q,
  sum_to (B ^ D) (fun j => x ^ digit_gap D B q (j - 1)) <= ((1 + x) / (1 - x)) ^ D.
Proof.
  intros HB. induction D as [|D IH]; intros q; [simpl; lra|].
  replace (B ^ S D)%nat with (B ^ D * B)%nat by (simpl; lia).
  set (G := fun a => x ^ (index_distance (q mod B) a * index_distance (q mod B) a)).
  set (H := fun b => x ^ digit_gap D B (q / B) b).
  rewrite (sum_ext _ _ (fun j => G ((j - 1) mod B)%nat * H ((j - 1) / B)%nat)).
  - rewrite (sum_by_digits B G H (B ^ D) HB). cbn [pow]. apply Rmult_le_compat.
    + apply sum_nonneg. intros. apply pow_le. lra.
    + apply sum_nonneg. intros. apply pow_le. lra.
    + apply one_digit. apply Nat.mod_upper_bound. lia.
    + apply IH.
  - intros j _. unfold G, H. cbn [digit_gap]. now rewrite pow_add.
Qed.
End Weights.

(* ---- the head ---- *)
Theorem found_by_digits D B n p g v : (1 <= B)%nat -> (n <= B ^ D)%nat -> p upto n -> 0 < g ->
  ((1 + exp (- g)) / (1 - exp (- g))) ^ D <= 4 / 3 -> (each j upto n, 0 <= v j <= 1) ->
  Rabs (v p - attend n no_mask (fun j => g * INR B ^ 2 * digits_score D B (p - 1) (j - 1)) v) <= 1 / 4.
Proof.
  intros HB Hn Hp Hg R Hv. set (x := exp (- g)) in *.
  set (s := fun j => g * INR B ^ 2 * digits_score D B (p - 1) (j - 1)).
  set (c := exp (g * squares D B (p - 1))). pose proof (exp_negative_below_1 g Hg : 0 < x < 1) as Hx.
  assert (W : forall j, weight no_mask s j = c * x ^ digit_gap D B (p - 1) (j - 1)).
  { intros j. unfold weight, no_mask, s, c, x. rewrite Rmult_assoc, score_by_gaps, exp_power, <- exp_plus by exact HB.
    f_equal. ring. }
  assert (C : 0 < c) by apply exp_pos. assert (W1 : weight no_mask s p = c) by (rewrite W, no_gap; simpl; lra).
  assert (O : sum_to n (zeroed_at p (weight no_mask s)) <= 1 / 3 * weight no_mask s p).
  { pose proof (sum_apart n p (weight no_mask s) Hp) as E. rewrite W1 in *.
    assert (T : sum_to n (weight no_mask s) <= c * (4 / 3)); [|lra].
    rewrite (sum_ext n _ _ (fun j _ => W j)), sum_scale. apply Rmult_le_compat_l; [lra|]. eapply Rle_trans; [|exact R].
    eapply Rle_trans; [|apply (all_digits x Hx B D HB (p - 1))]. replace (B ^ D)%nat with (n + (B ^ D - n))%nat by lia.
    rewrite sum_cut. rewrite <- Rplus_0_r at 1. apply Rplus_le_compat_l. apply sum_nonneg. intros. apply pow_le. lra. }
  eapply Rle_trans; [apply (attend_concentrated n no_mask s p (1 / 3))|lra]; [now split|lra|exact O|].
  intros j [J _]. now apply Hv.
Qed.

Lemma four_digits : ((1 + exp (- ln 28)) / (1 - exp (- ln 28))) ^ 4 <= 4 / 3.
Proof. rewrite exp_Ropp, exp_ln by lra. replace ((1 + / 28) / (1 - / 28)) with (29 / 27) by field. simpl. lra. Qed.

(* A base: B^4 >= n, and B^2 of the order of sqrt n. *)
Lemma base_for n : (1 <= n)%nat -> exists B, (1 <= B)%nat /\ (n <= B ^ 4)%nat /\ INR B ^ 2 <= 4 * sqrt (INR n).
Proof.
  intros Hn. assert (E : exists B, (B ^ 4 < n <= S B ^ 4)%nat).
  { induction n as [|n IH]; [lia|]. destruct (Nat.eq_dec n 0) as [->|N]; [exists 0%nat; simpl; lia|].
    destruct (IH ltac:(lia)) as (B & L & U). destruct (Nat.eq_dec n (S B ^ 4)) as [E|E]; [|exists B; lia].
    exists (S B). split; [lia|]. assert (S B ^ 4 < S (S B) ^ 4)%nat by (apply Nat.pow_lt_mono_l; lia). lia. }
  destruct E as (B & L & U). exists (S B). split; [lia|]. split; [exact U|]. rewrite S_INR.
  apply INR_at_least_1 in Hn as N. assert (S1 : 1 <= sqrt (INR n)) by (rewrite <- sqrt_1; now apply sqrt_le_1_alt).
  assert (B2 : INR B ^ 2 <= sqrt (INR n)).
  { apply lt_INR in L. rewrite pow_INR in L. rewrite <- (sqrt_pow2 (INR B ^ 2)) by (apply pow_le, pos_INR).
    apply sqrt_le_1_alt. replace ((INR B ^ 2) ^ 2) with (INR B ^ 4) by ring. lra. }
  destruct B as [|B]; [simpl; lra|]. pose proof (INR_at_least_1 (S B) ltac:(lia)). nra.
Qed.

(* The task of Theorem 12, with scores in [-12, 12] before the factor. *)
Theorem previous_by_digits n : (1 <= n)%nat -> exists B, let factor := ln 28 * INR B ^ 2 in
  factor <= 4 * ln 28 * sqrt (INR n) /\ forall i v, (2 <= i <= n)%nat -> (each j upto n, 0 <= v j <= 1) ->
  Rabs (v (i - 1)%nat - attend n no_mask (fun j => factor * digits_score 4 B (i - 2) (j - 1)) v) <= 1 / 4.
Proof.
  intros Hn. destruct (base_for n Hn) as (B & HB & U & S). exists B. intros factor.
  assert (L : 0 < ln 28) by auto with signs. split.
  - unfold factor. apply Rmult_le_compat_l with (r := ln 28) in S; lra.
  - intros i v Hi Hv. unfold factor. replace (i - 2)%nat with (i - 1 - 1)%nat by lia.
    apply found_by_digits; auto using four_digits. lia.
Qed.
