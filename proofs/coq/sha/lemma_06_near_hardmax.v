(* [SHA] Lemma 6: scores that fall by gamma per step away from p give a softmax close to the one-hot vector.

   Proved, for every mask: distance at most 4q/(1+q), where q = e^(-gamma), so at most 4 e^(-gamma), which holds
   trivially for gamma <= 0; and attention to values in [0, 1] errs by at most 2q/(1+q). Idea: the weights
   beside p are below two geometric series. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Certify Require Import finite_sums softmax exponential.
Open Scope R_scope.

Definition index_distance (j p : nat) : nat := ((j - p) + (p - j))%nat.

Lemma INR_distance j p : INR (index_distance j p) = Rabs (INR j - INR p).
Proof.
  unfold index_distance. destruct (le_ge_dec j p) as [L|L].
  - replace (j - p + (p - j))%nat with (p - j)%nat by lia.
    rewrite minus_INR by lia. apply le_INR in L. rewrite Rabs_left1; lra.
  - replace (j - p + (p - j))%nat with (j - p)%nat by lia.
    rewrite minus_INR by lia. apply le_INR in L. rewrite Rabs_right; lra.
Qed.

(* A weight that is at least k gammas of score below another is at most q^k times that. *)
Lemma weight_below m s g p j k : m p = true -> (m j = true -> s j <= s p - INR k * g) ->
  weight m s j <= weight m s p * exp (- g) ^ k.
Proof.
  intros Mp H. rewrite exp_power. unfold weight. rewrite Mp, <- exp_plus.
  destruct (m j); [apply exp_monotone; specialize (H eq_refl); lra|left; apply exp_pos].
Qed.

Lemma geometric_both q n p : 0 < q < 1 -> (1 <= p)%nat ->
  ((n < p)%nat -> sum_to n (zeroed_at p (fun j => q ^ index_distance j p)) * (1 - q) <= q ^ (p - n)) /\
  ((p <= n)%nat -> sum_to n (zeroed_at p (fun j => q ^ index_distance j p)) * (1 - q) <= 2 * q - q ^ (n - p + 1)).
Proof.
  intros Hq Hp. induction n as [|n [IH1 IH2]]; split; intros H.
  - simpl. rewrite Rmult_0_l. apply pow_le. lra.
  - lia.
  - simpl. rewrite except_elsewhere by lia. specialize (IH1 ltac:(lia)).
    replace (index_distance (S n) p) with (p - S n)%nat by (unfold index_distance; lia).
    replace (p - n)%nat with (S (p - S n))%nat in IH1 by lia. simpl in IH1. lra.
  - simpl sum_to. destruct (Nat.eq_dec (S n) p) as [<-|Hne].
    + rewrite except_here. specialize (IH1 ltac:(lia)). replace (S n - n)%nat with 1%nat in IH1 by lia.
      replace (S n - S n + 1)%nat with 1%nat by lia. simpl in *. lra.
    + rewrite except_elsewhere by lia. specialize (IH2 ltac:(lia)).
      replace (index_distance (S n) p) with (n - p + 1)%nat by (unfold index_distance; lia).
      replace (S n - p + 1)%nat with (S (n - p + 1))%nat by lia. simpl. lra.
Qed.

Section Lemma6.
Variables (n : nat) (m : mask) (s : nat -> R) (g : R) (p : nat).
Hypothesis Hg : 0 < g.
Hypothesis Vp : visible n m p.
Hypothesis Falls : forall j, visible n m j -> s j <= s p - Rabs (INR j - INR p) * g.

Let q := exp (- g).

Lemma dominated_6 : sum_to n (zeroed_at p (weight m s)) <= 2 * q / (1 - q) * weight m s p.
Proof.
  pose proof (exp_negative_below_1 g Hg : 0 < q < 1) as Hq. pose proof (weight_pos m s p (proj2 Vp)) as W.
  apply Rle_trans with (weight m s p * sum_to n (zeroed_at p (fun j => q ^ index_distance j p))).
  - rewrite <- sum_scale. apply sum_le. intros j Hj. unfold zeroed_at. destruct (Nat.eqb_spec j p); [lra|].
    apply weight_below; [apply Vp|]. intros M. rewrite INR_distance. now apply Falls.
  - destruct (geometric_both q n p Hq ltac:(apply Vp)) as [_ G]. specialize (G ltac:(apply Vp)).
    assert (0 <= q ^ (n - p + 1)) by (apply pow_le; lra). rewrite (Rmult_comm (_ / _)). apply Rmult_le_compat_l; [lra|].
    apply Rmult_le_reg_r with (1 - q); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma ratio_6 : 2 * q / (1 - q) / (1 + 2 * q / (1 - q)) = 2 * q / (1 + q).
Proof. pose proof (exp_negative_below_1 g Hg : 0 < q < 1). field. lra. Qed.
Lemma beta_6 : 0 <= 2 * q / (1 - q). Proof. pose proof (exp_negative_below_1 g Hg : 0 < q < 1). auto with signs. Qed.

Theorem lemma_06_sharp : sum_to n (fun j => Rabs (one_hot p j - softmax n m s j)) <= 4 * q / (1 + q).
Proof.
  pose proof (distance_concentrated n m s p _ Vp beta_6 dominated_6) as D. rewrite ratio_6 in D. unfold Rdiv in *. lra.
Qed.

Theorem lemma_06 : sum_to n (fun j => Rabs (one_hot p j - softmax n m s j)) <= 4 * exp (- g).
Proof.
  pose proof (exp_negative_below_1 g Hg : 0 < q < 1). eapply Rle_trans; [apply lemma_06_sharp|]. fold q.
  apply Rmult_le_reg_r with (1 + q); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
  pose proof (Rmult_lt_0_compat q q). lra.
Qed.

Theorem attend_06 v : (forall j, visible n m j -> 0 <= v j <= 1) -> Rabs (v p - attend n m s v) <= 2 * q / (1 + q).
Proof. intros Hv. rewrite <- ratio_6. apply attend_concentrated; auto using beta_6, dominated_6. Qed.
End Lemma6.

(* ---- gamma <= 0: the bounds of Lemmas 6 and 8 hold of any scores: no two distributions are more than 2 apart ---- *)
Lemma distance_at_most_2 n m s p : visible n m p -> sum_to n (fun j => Rabs (one_hot p j - softmax n m s j)) <= 2.
Proof.
  intros V. apply Rle_trans with (sum_to n (fun j => one_hot p j + softmax n m s j)).
  - apply sum_le. intros j _. pose proof (softmax_nonneg n m s p j V) as S. unfold one_hot.
    destruct (j =? p)%nat; apply Rabs_le; lra.
  - rewrite sum_plus, (softmax_total n m s p V), (sum_apart n p) by apply V. rewrite one_hot_here, sum_zero; [lra|].
    intros j _. unfold zeroed_at. destruct (Nat.eqb_spec j p) as [|N]; [reflexivity|now apply one_hot_elsewhere].
Qed.

Theorem distance_without_sharpness n m s p g : visible n m p -> g <= 0 ->
  sum_to n (fun j => Rabs (one_hot p j - softmax n m s j)) <= 2 * exp (- g).
Proof. intros V G. pose proof (distance_at_most_2 n m s p V). pose proof (exp_ineq1_le (- g)). lra. Qed.

(* Lemma 6 for every gamma. *)
Theorem lemma_06_any_gamma n m s g p : visible n m p -> (forall j, visible n m j -> s j <= s p - Rabs (INR j - INR p)
  * g) -> sum_to n (fun j => Rabs (one_hot p j - softmax n m s j)) <= 4 * exp (- g).
Proof.
  intros V F. destruct (Rlt_le_dec 0 g) as [G|G]; [now apply lemma_06|].
  pose proof (distance_without_sharpness n m s p g V G). pose proof (exp_pos (- g)). lra.
Qed.
