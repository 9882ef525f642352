(* [SHA] Lemma 7: with scores gamma (2cj - j^2) over j = 1, ..., n attention finds position c.

   Proved: the mean of the positions is within e^(-gamma) of c as soon as e^(-2 gamma) <= 1/2 (the paper: 3/2 e^(-gamma)
   for gamma >= 1); the mean of values in [0, 1] is within 2q/(1+q) of the value at c, q = e^(-gamma).
   Idea: the weights are q^((j-c)^2). The error is the difference of two sums of k q^(k^2), one per side of c, and term
   by term k q^(k^2) <= q q^((k-1)^2): each sum is at most q times the total weight. No integral is needed. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Certify Require Import finite_sums softmax exponential lemma_06_gap.
Open Scope R_scope.

Definition lookup_score (g : R) (c : nat) (j : nat) : R := g * (2 * INR c * INR j - INR j * INR j).

Section Squares.
Variable q : R.
Hypothesis Hq : 0 < q < 1.
Hypothesis Half : q * q <= / 2.

Definition bell (k : nat) : R := q ^ (k * k).
Definition mass (K : nat) : R := sum K bell.
Definition moment (K : nat) : R := sum K (fun k => INR k * bell k).

Lemma bell_nonneg k : 0 <= bell k.
Proof. apply pow_le. lra. Qed.

Lemma mass_nonneg K : 0 <= mass K.
Proof. apply sum_nonneg. intros. apply bell_nonneg. Qed.

Lemma double_power k : INR (S k) * (q * q) ^ k <= 1.
Proof.
  induction k as [|k IH]; [simpl; lra|].
  rewrite S_INR. cbn [pow]. assert (0 <= (q * q) ^ k) by (apply pow_le; nra).
  pose proof (pos_INR k). rewrite S_INR in *. set (x := (q * q) ^ k) in *.
  assert (A : INR k * x + x <= 1) by lra. assert (x <= 1) by nra.
  replace ((INR k + 1 + 1) * (q * q * x)) with ((q * q) * (INR k * x + x + x)) by ring.
  apply Rle_trans with (/ 2 * (INR k * x + x + x)); [|lra].
  apply Rmult_le_compat_r; [nra|lra].
Qed.

Lemma moment_term k : INR (S k) * bell (S k) <= q * bell k.
Proof.
  unfold bell. replace (S k * S k)%nat with (S (k * k) + 2 * k)%nat by lia.
  rewrite pow_add, pow_mult. replace (q ^ 2) with (q * q) by ring.
  pose proof (double_power k). assert (0 <= q ^ S (k * k)) by (apply pow_le; lra).
  replace (q * q ^ (k * k)) with (q ^ S (k * k)) by reflexivity.
  rewrite <- (Rmult_1_r (q ^ S (k * k))) at 2. rewrite (Rmult_comm (q ^ S _)), <- Rmult_assoc, Rmult_comm.
  now apply Rmult_le_compat_l.
Qed.

Lemma moment_bound K : 0 <= moment K <= q * (1 + mass K).
Proof.
  split; [apply sum_nonneg; intros; apply Rmult_le_pos; [apply pos_INR|apply bell_nonneg]|].
  cut (moment K <= q * (1 + mass K - bell K)).
  { intros H. pose proof (bell_nonneg K). assert (0 <= q * bell K) by (apply Rmult_le_pos; lra). lra. }
  induction K as [|K IH]; [unfold moment, mass, bell; simpl; lra|].
  unfold moment, mass in *. cbn [sum]. pose proof (moment_term K). lra.
Qed.

Lemma bell_around_c n c (f : nat -> R) : (1 <= c <= n)%nat ->
  sum n (fun j => bell (distance j c) * (f (n + c - j)%nat - f n)) =
  sum (c - 1) (fun k => bell k * (f (n + k)%nat - f n)) + sum (n - c) (fun k => bell k * (f (n - k)%nat - f n)).
Proof.
  intros H. replace n with ((c - 1) + (1 + (n - c)))%nat at 1 by lia. rewrite sum_cut, (sum_cut 1). cbn [sum].
  replace (n + c - (c - 1 + 1))%nat with n by lia.
  replace (0 + bell (distance (c - 1 + 1) c) * (f n - f n)) with 0 by lra. rewrite Rplus_0_l. f_equal.
  - rewrite <- (sum_backwards (c - 1) (fun k => bell k * (f (n + k)%nat - f n))).
    apply sum_ext. intros j Hj. unfold distance.
    replace (j - c + (c - j))%nat with (S (c - 1) - j)%nat by lia. do 3 f_equal. lia.
  - apply sum_ext. intros k Hk. unfold distance. f_equal; [f_equal; lia|do 2 f_equal; lia].
Qed.

Lemma mass_around_c n c : (1 <= c <= n)%nat ->
  sum n (fun j => bell (distance j c)) = mass (c - 1) + 1 + mass (n - c).
Proof.
  intros H. replace n with ((c - 1) + (1 + (n - c)))%nat at 1 by lia. rewrite sum_cut, (sum_cut 1). cbn [sum].
  replace (distance (c - 1 + 1) c) with 0%nat by (unfold distance; lia). change (bell 0) with 1.
  replace (sum (c - 1) (fun j => bell (distance j c))) with (mass (c - 1)).
  - replace (sum (n - c) _) with (mass (n - c)); [lra|].
    apply sum_ext. intros k Hk. f_equal. unfold distance. lia.
  - unfold mass. rewrite <- (sum_backwards (c - 1) bell). apply sum_ext. intros j Hj. f_equal. unfold distance. lia.
Qed.
End Squares.

Section Lemma7.
Variables (n c : nat) (g : R).
Hypothesis Hc : (1 <= c <= n)%nat.
Hypothesis Hg : 0 < g.

Let q := exp (- g).

Lemma weight_lookup j : weight no_mask (lookup_score g c) j = exp (g * (INR c * INR c)) * bell q (distance j c).
Proof.
  unfold weight, no_mask, bell, q. rewrite exp_power, <- exp_plus. f_equal.
  rewrite mult_INR, INR_distance, <- Rabs_mult, Rabs_right by apply Rle_ge, Rle_0_sqr.
  unfold lookup_score. ring.
Qed.

Theorem lemma_07 : exp (- g) * exp (- g) <= / 2 ->
  Rabs (INR c - attend n no_mask (lookup_score g c) INR) <= exp (- g).
Proof.
  intros Half. pose proof (exp_negative_below_1 g Hg : 0 < q < 1) as Hq. fold q in Half |- *.
  set (K := exp (g * (INR c * INR c))). assert (HK : 0 < K) by apply exp_pos.
  set (Z := mass q (c - 1) + 1 + mass q (n - c)).
  pose proof (mass_nonneg q Hq (c - 1)) as M1. pose proof (mass_nonneg q Hq (n - c)) as M2.
  assert (EZ : sum n (weight no_mask (lookup_score g c)) = K * Z).
  { rewrite (sum_ext n _ _ (fun j _ => weight_lookup j)), sum_scale, mass_around_c by exact Hc. reflexivity. }
  assert (E : INR c - attend n no_mask (lookup_score g c) INR = (moment q (c - 1) - moment q (n - c)) / Z).
  { apply Rmult_eq_reg_r with Z; [|unfold Z; lra]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by (unfold Z; lra).
    unfold Z at 1. rewrite <- (mass_around_c q n c Hc).
    assert (A : attend n no_mask (lookup_score g c) INR * sum n (fun j => bell q (distance j c))
                = sum n (fun j => bell q (distance j c) * INR j)).
    { unfold attend, softmax. rewrite EZ, <- sum_scale_r. rewrite mass_around_c by exact Hc.
      fold Z. apply sum_ext. intros j _. rewrite weight_lookup. fold K. field. split; unfold Z; lra. }
    rewrite Rmult_minus_distr_r, A, <- sum_scale, <- sum_minus.
    rewrite (sum_ext n _ (fun j => bell q (distance j c) * (INR (n + c - j) - INR n))).
    - rewrite (bell_around_c q n c INR Hc). unfold moment.
      match goal with |- _ = ?x - ?y => replace (x - y) with (x + -1 * y) by ring end. rewrite <- sum_scale.
      apply f_equal2; apply sum_ext; intros k Hk; [rewrite plus_INR|rewrite minus_INR by lia]; ring.
    - intros j Hj. rewrite minus_INR, plus_INR by lia. ring. }
  rewrite E. pose proof (moment_bound q Hq Half (c - 1)). pose proof (moment_bound q Hq Half (n - c)).
  assert (HZ : 0 < Z) by (unfold Z; lra). unfold Rdiv. rewrite Rabs_mult, (Rabs_right (/ Z)).
  2:{ apply Rle_ge. left. now apply Rinv_0_lt_compat. }
  apply Rmult_le_reg_r with Z; [exact HZ|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  assert (0 <= q * mass q (c - 1)) by (apply Rmult_le_pos; lra).
  assert (0 <= q * mass q (n - c)) by (apply Rmult_le_pos; lra).
  apply Rabs_le. unfold Z. lra.
Qed.

(* As the paper prints it. *)
Corollary lemma_07_printed : 1 <= g ->
  Rabs (INR c - attend n no_mask (lookup_score g c) INR) <= 3 / 2 * exp (- g).
Proof.
  intros H1. pose proof (exp_pos (- g)).
  eapply Rle_trans; [apply lemma_07|lra]. rewrite <- exp_plus. replace (- g + - g) with (- (2 * g)) by lra.
  replace (/ 2) with (1 / 2) by lra. pose proof (seventh (2 * g) ltac:(lra)). lra.
Qed.

(* A table of values in [0, 1] instead of the positions themselves. *)
Theorem lookup_value v : (forall j, (1 <= j <= n)%nat -> 0 <= v j <= 1) ->
  Rabs (v c - attend n no_mask (lookup_score g c) v) <= 2 * q / (1 + q).
Proof.
  intros Hv. apply attend_06; [exact Hg|split; [exact Hc|reflexivity]| |intros j [Hj _]; now apply Hv].
  intros j [Hj _]. unfold lookup_score. rewrite <- INR_distance.
  assert (S : INR (distance j c) * 1 <= INR (distance j c) * INR (distance j c)).
  { destruct (distance j c) as [|d] eqn:D; [simpl; lra|].
    apply Rmult_le_compat_l; [apply pos_INR|apply INR_at_least_1; lia]. }
  assert (Sq : INR (distance j c) * INR (distance j c) = (INR j - INR c) * (INR j - INR c)).
  { rewrite INR_distance, <- Rabs_mult, Rabs_right by apply Rle_ge, Rle_0_sqr. reflexivity. }
  assert (g * INR (distance j c) <= g * ((INR j - INR c) * (INR j - INR c))) by (apply Rmult_le_compat_l; lra).
  lra.
Qed.
End Lemma7.
