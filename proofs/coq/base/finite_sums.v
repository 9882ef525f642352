(* Finite sums of real numbers over the positions 1, ..., n; signs.

   Proved: the usual laws; a sum may be taken apart at one position, cut in two, or read backwards. [auto with signs]
   proves of products, quotients, powers and sums that they are positive, at least 0 or at least 1 if their parts are,
   and of the parts by lra. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Certify Require Import positions.
Import PositionNotations. Open Scope R_scope.

(* ---- signs ---- *)
Lemma inverse_nonneg x : 0 < x -> 0 <= / x. Proof. intros H. left. now apply Rinv_0_lt_compat. Qed.
Lemma quotient_nonneg x y : 0 <= x -> 0 < y -> 0 <= x / y.
Proof. intros Hx Hy. apply Rmult_le_pos; [exact Hx|now apply inverse_nonneg]. Qed.
Lemma exp_nonneg x : 0 <= exp x. Proof. left. apply exp_pos. Qed.
Lemma product_at_least_1 x y : 1 <= x -> 1 <= y -> 1 <= x * y.
Proof. intros Hx Hy. replace 1 with (1 * 1) by lra. apply Rmult_le_compat; lra. Qed.
Lemma inverse_at_least_1 x : 0 < x <= 1 -> 1 <= / x.
Proof. intros H. rewrite <- Rinv_1. apply Rinv_le_contravar; apply H. Qed.
Lemma inverse_at_most_1 x : 1 <= x -> / x <= 1. Proof. intros H. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. Qed.
Lemma INR_at_least_1 j : (1 <= j)%nat -> 1 <= INR j. Proof. intros H. now apply (le_INR 1). Qed.

Create HintDb signs.
#[export] Hint Resolve Rmult_lt_0_compat Rmult_le_pos Rplus_le_le_0_compat Rinv_0_lt_compat inverse_nonneg
  Rdiv_lt_0_compat quotient_nonneg pow_lt pow_le pow2_ge_0 exp_pos exp_nonneg pos_INR Rabs_pos : signs.
#[export] Hint Resolve product_at_least_1 inverse_at_least_1 inverse_at_most_1 pow_R1_Rle : signs.
#[export] Hint Extern 3 (1 <= INR _) => apply INR_at_least_1; lia : signs.
#[export] Hint Extern 3 (0 < INR _) => apply lt_0_INR; lia : signs.
#[export] Hint Extern 5 (_ < _) => lra : signs.
#[export] Hint Extern 5 (_ <= _) => lra : signs.

(* ---- sums ---- *)
(* sum n f = f 1 + ... + f n *)
Fixpoint sum_to (n : nat) (f : nat -> R) : R := match n with O => 0 | S k => sum_to k f + f (S k) end.

(* A truth value as a number. *)
Definition bit (b : bool) : R := if b then 1 else 0.

Lemma bit_range b : 0 <= bit b <= 1. Proof. destruct b; simpl; lra. Qed.
Lemma bit_nonneg b : 0 <= bit b. Proof. apply bit_range. Qed.
#[export] Hint Resolve bit_nonneg : signs.

Lemma sum_ext n f g : (each j upto n, f j = g j) -> sum_to n f = sum_to n g.
Proof.
  induction n as [|n IH]; intros H; simpl; [reflexivity|]. rewrite IH by (intros; apply H; lia). now rewrite H by lia.
Qed.

Lemma sum_le n f g : (each j upto n, f j <= g j) -> sum_to n f <= sum_to n g.
Proof.
  induction n as [|n IH]; intros H; simpl; [lra|].
  apply Rplus_le_compat; [apply IH; intros; apply H; lia | apply H; lia].
Qed.

Lemma sum_zero n f : (each j upto n, f j = 0) -> sum_to n f = 0.
Proof.
  induction n as [|n IH]; intros H; simpl; [reflexivity|]. rewrite IH by (intros; apply H; lia). rewrite H by lia. lra.
Qed.

Lemma sum_nonneg n f : (each j upto n, 0 <= f j) -> 0 <= sum_to n f.
Proof. intros H. rewrite <- (sum_zero n (fun _ => 0)) by reflexivity. now apply sum_le. Qed.
#[export] Hint Resolve sum_nonneg : signs.

Lemma sum_plus n f g : sum_to n (fun j => f j + g j) = sum_to n f + sum_to n g.
Proof. induction n as [|n IH]; simpl; [lra|]. rewrite IH. lra. Qed.
Lemma sum_minus n f g : sum_to n (fun j => f j - g j) = sum_to n f - sum_to n g.
Proof. induction n as [|n IH]; simpl; [lra|]. rewrite IH. lra. Qed.
Lemma sum_scale n c f : sum_to n (fun j => c * f j) = c * sum_to n f.
Proof. induction n as [|n IH]; simpl; [lra|]. rewrite IH. lra. Qed.
Lemma sum_scale_r n c f : sum_to n (fun j => f j * c) = sum_to n f * c.
Proof. induction n as [|n IH]; simpl; [lra|]. rewrite IH. lra. Qed.
Lemma sum_one n : sum_to n (fun _ => 1) = INR n.
Proof. induction n as [|n IH]; [reflexivity|]. rewrite S_INR. cbn [sum_to]. now rewrite IH. Qed.
Lemma sum_Rabs n f : Rabs (sum_to n f) <= sum_to n (fun j => Rabs (f j)).
Proof. induction n as [|n IH]; simpl; [rewrite Rabs_R0; lra|]. eapply Rle_trans; [apply Rabs_triang|]. lra. Qed.

Lemma sum_cut a b f : sum_to (a + b) f = sum_to a f + sum_to b (fun k => f (a + k)%nat).
Proof.
  induction b as [|b IH]; [rewrite Nat.add_0_r; simpl; lra|].
  rewrite Nat.add_succ_r. cbn [sum_to]. rewrite IH, Nat.add_succ_r. lra.
Qed.

Lemma sum_backwards n : forall f, sum_to n (fun j => f (S n - j)%nat) = sum_to n f.
Proof.
  induction n as [|n IH]; intros f; [reflexivity|]. replace (sum_to (S n) f) with (sum_to (1 + n) f) by reflexivity.
  rewrite sum_cut. cbn [sum_to]. replace (S (S n) - S n)%nat with 1%nat by lia.
  rewrite (sum_ext n _ (fun j => (fun k => f (S k)) (S n - j)%nat)).
  - rewrite (IH (fun k => f (S k))). simpl. lra.
  - intros j Hj. f_equal. lia.
Qed.

(* One position taken out, and the vector that is 1 there and 0 elsewhere. *)
Definition zeroed_at (p : nat) (f : nat -> R) (j : nat) : R := if (j =? p)%nat then 0 else f j.
Definition one_hot (p j : nat) : R := if (j =? p)%nat then 1 else 0.

Lemma except_here p f : zeroed_at p f p = 0. Proof. unfold zeroed_at. now rewrite Nat.eqb_refl. Qed.
Lemma except_elsewhere p f j : j <> p -> zeroed_at p f j = f j.
Proof. intros H. unfold zeroed_at. apply Nat.eqb_neq in H. now rewrite H. Qed.
Lemma one_hot_here p : one_hot p p = 1. Proof. unfold one_hot. now rewrite Nat.eqb_refl. Qed.
Lemma one_hot_elsewhere p j : j <> p -> one_hot p j = 0.
Proof. intros H. unfold one_hot. apply Nat.eqb_neq in H. now rewrite H. Qed.

Lemma sum_apart n p f : p upto n -> sum_to n f = f p + sum_to n (zeroed_at p f).
Proof.
  induction n as [|n IH]; intros H; [lia|]. simpl. destruct (Nat.eq_dec p (S n)) as [->|Hne].
  - rewrite except_here, (sum_ext n (zeroed_at (S n) f) f); [lra|]. intros j Hj. apply except_elsewhere. lia.
  - rewrite IH, except_elsewhere by lia. lra.
Qed.

(* Positions up to i, and from i on, as sums over all n positions with a condition. *)
Lemma sum_up_to n i f : (i <= n)%nat -> sum_to n (fun j => bit (j <=? i) * f j) = sum_to i f.
Proof.
  intros H. replace n with (i + (n - i))%nat by lia. rewrite sum_cut. rewrite (sum_zero (n - i)).
  - rewrite Rplus_0_r. apply sum_ext. intros j Hj. rewrite (proj2 (Nat.leb_le j i)) by lia. simpl. lra.
  - intros k Hk. rewrite (proj2 (Nat.leb_gt (i + k) i)) by lia. simpl. lra.
Qed.

Lemma sum_from n i f : i upto n -> sum_to n (fun j => bit (i <=? j) * f j) = sum_to n f - sum_to (i - 1) f.
Proof.
  intros H. rewrite <- (sum_up_to n (i - 1) f), <- sum_minus by lia. apply sum_ext. intros j Hj. unfold bit.
  destruct (Nat.leb_spec i j), (Nat.leb_spec j (i - 1)); try lia; lra.
Qed.
