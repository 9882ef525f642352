(* Harmonic numbers, and the logarithms that bound them.

   Proved: ln(k + 1) <= 1 + 1/2 + ... + 1/k <= 1 + ln k. *)
From Coq Require Import Reals Lra Lia Arith.
From Certify Require Import positions finite_sums exponential.
Import PositionNotations. Open Scope R_scope.

Lemma ln_nonneg k : (1 <= k)%nat -> 0 <= ln (INR k).
Proof.
  intros H. apply INR_at_least_1 in H. destruct H as [H|<-]; [|rewrite ln_1; lra].
  left. rewrite <- ln_1. apply ln_increasing; lra.
Qed.

Lemma ln_le_INR j k : j upto k -> ln (INR j) <= ln (INR k).
Proof.
  intros H. pose proof (INR_at_least_1 j ltac:(lia)). destruct (Nat.eq_dec j k) as [->|N]; [lra|].
  left. apply ln_increasing; [lra|]. apply lt_INR. lia.
Qed.

(* 1 + 1/2 + ... + 1/k *)
Definition harmonic_number (k : nat) : R := sum_to k (fun j => / INR j).

Lemma harmonic_upper k : (1 <= k)%nat -> harmonic_number k <= 1 + ln (INR k).
Proof.
  unfold harmonic_number. induction k as [|k IH]; intros H; [lia|]. destruct (Nat.eq_dec k 0) as [->|N].
  - simpl. rewrite ln_1. lra.
  - cbn [sum_to]. specialize (IH ltac:(lia)). assert (P : 0 < INR k) by (apply lt_0_INR; lia).
    assert (E : / INR (S k) <= ln (INR (S k)) - ln (INR k)); [|lra].
    rewrite S_INR. set (q := INR k / (INR k + 1)). assert (Q : 0 < q) by (apply Rdiv_lt_0_compat; lra).
    assert (S : ln (INR k) = ln (INR k + 1) + ln q) by (rewrite <- ln_mult by lra; f_equal; unfold q; field; lra).
    pose proof (exp_ineq1_le (ln q)) as L. rewrite exp_ln in L by exact Q.
    replace (/ (INR k + 1)) with (1 - q) by (unfold q; field; lra). lra.
Qed.

(* ln(n + 1) - ln n <= 1/n, for n + 1 in place of n *)
Lemma ln_step n : ln (INR (S (S n))) - ln (INR (S n)) <= / INR (S n).
Proof.
  assert (P : 0 < INR (S n)) by (apply lt_0_INR; lia). rewrite (S_INR (S n)). set (x := INR (S n)) in *.
  assert (L : ln (x + 1) <= ln x + / x); [|lra]. apply ln_below; [lra|]. rewrite exp_plus, exp_ln by exact P.
  pose proof (Rmult_le_compat_l x _ _ ltac:(lra) (exp_ineq1_le (/ x))) as E.
  replace (x * (1 + / x)) with (x + 1) in E by (field; lra). exact E.
Qed.

Lemma harmonic_lower n : ln (INR (S n)) <= harmonic_number n.
Proof.
  induction n as [|n IH]; [simpl; rewrite ln_1; unfold harmonic_number; simpl; lra|]. unfold harmonic_number in *.
  cbn [sum_to]. pose proof (ln_step n). lra.
Qed.

Lemma power_at_least_1 x k : 1 <= x -> 1 <= x ^ k. Proof. intros H. rewrite <- (pow1 k). apply pow_incr. lra. Qed.
