(* [SHA] Lemma 7: with scores gamma (2cj - j^2) over j = 1, ..., n attention finds position c.

   Proved, with q = e^(-gamma): the mean of the positions is within (q + 2q^4 + 3q^9 + ...) / (1 + q + q^4 + q^9 + ...)
   of c, which is attained at c = 1; that is at most q as soon as q^2 <= 1/2 (the paper: 3/2 q for gamma >= 1); the mean
   of values in [0, 1] is within 2q/(1+q) of the value at c.
   Idea: the weights are q^((j-c)^2). The error is the difference of two sums of k q^(k^2), one per side of c, and term
   by term k q^(k^2) <= q q^((k-1)^2): each sum is at most q times the total weight. No integral is needed. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Certify Require Import finite_sums softmax exponential lemma_06_gap.
Open Scope R_scope.

Definition lookup_score (g : R) (c : nat) (j : nat) : R := g * (2 * INR c * INR j - INR j * INR j).

Section Squares.
Variable q : R.
Hypothesis Hq : 0 < q < 1.

Definition bell (k : nat) : R := q ^ (k * k).
Definition mass (K : nat) : R := sum K bell.
Definition moment (K : nat) : R := sum K (fun k => INR k * bell k).

Lemma bell_nonneg k : 0 <= bell k.
Proof. apply pow_le. lra. Qed.

Lemma mass_nonneg K : 0 <= mass K.
Proof. apply sum_nonneg. intros. apply bell_nonneg. Qed.

Lemma moment_nonneg K : 0 <= moment K.
Proof. apply sum_nonneg. intros. apply Rmult_le_pos; [apply pos_INR|apply bell_nonneg]. Qed.

(* The mean of 0, ..., K with weights bell grows with K: each further number exceeds the mean of those before. *)
Lemma mean_grows K N : (K <= N)%nat -> moment K / (1 + mass K) <= moment N / (1 + mass N).
Proof.
  intros H. induction H as [|N H IH]; [lra|]. eapply Rle_trans; [exact IH|]. clear IH H.
  pose proof (mass_nonneg N). pose proof (mass_nonneg (S N)). pose proof (bell_nonneg (S N)).
  assert (M : moment N <= INR N * mass N).
  { unfold moment, mass. rewrite <- sum_scale. apply sum_le. intros k Hk.
    apply Rmult_le_compat_r; [apply bell_nonneg|apply le_INR; lia]. }
  assert (E : mass (S N) = mass N + bell (S N)) by reflexivity.
  assert (F : moment (S N) = moment N + INR (S N) * bell (S N)) by reflexivity. rewrite E, F. pose proof (pos_INR N).
  rewrite S_INR. set (a := mass N) in *. set (m := moment N) in *. set (b := bell (S N)) in *. set (x := INR N) in *.
  apply Rmult_le_reg_r with ((1 + a) * (1 + (a + b))); [apply Rmult_lt_0_compat; lra|].
  replace (m / (1 + a) * ((1 + a) * (1 + (a + b)))) with (m * (1 + (a + b))) by (field; lra).
  replace ((m + (x + 1) * b) / (1 + (a + b)) * ((1 + a) * (1 + (a + b)))) with ((m + (x + 1) * b) * (1 + a)) by (field;
    lra).
  assert (0 <= b * ((x + 1) * (1 + a) - m)) by (apply Rmult_le_pos; [lra|nra]). lra.
Qed.

Hypothesis Half : q * q <= / 2.

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

Lemma moment_bound K : moment K <= q * (1 + mass K).
Proof.
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

Lemma Z_at_least_1 : 1 <= mass q (c - 1) + 1 + mass q (n - c).
Proof.
  pose proof (exp_negative_below_1 g Hg : 0 < q < 1) as Hq.
  pose proof (mass_nonneg q Hq (c - 1)). pose proof (mass_nonneg q Hq (n - c)). lra.
Qed.

(* The error, exactly. *)
Lemma lookup_error : INR c - attend n no_mask (lookup_score g c) INR
  = (moment q (c - 1) - moment q (n - c)) / (mass q (c - 1) + 1 + mass q (n - c)).
Proof.
  pose proof Z_at_least_1 as HZ. set (Z := mass q (c - 1) + 1 + mass q (n - c)) in *.
  set (K := exp (g * (INR c * INR c))). assert (HK : 0 < K) by apply exp_pos.
  assert (EZ : sum n (weight no_mask (lookup_score g c)) = K * Z).
  { rewrite (sum_ext n _ _ (fun j _ => weight_lookup j)), sum_scale, mass_around_c by exact Hc. reflexivity. }
  apply Rmult_eq_reg_r with Z; [|lra]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  unfold Z at 1. rewrite <- (mass_around_c q n c Hc).
  assert (A : attend n no_mask (lookup_score g c) INR * sum n (fun j => bell q (distance j c))
              = sum n (fun j => bell q (distance j c) * INR j)).
  { unfold attend, softmax. rewrite EZ, <- sum_scale_r. rewrite mass_around_c by exact Hc.
    fold Z. apply sum_ext. intros j _. rewrite weight_lookup. fold K. field. split; lra. }
  rewrite Rmult_minus_distr_r, A, <- sum_scale, <- sum_minus.
  rewrite (sum_ext n _ (fun j => bell q (distance j c) * (INR (n + c - j) - INR n))).
  - rewrite (bell_around_c q n c INR Hc). unfold moment.
    match goal with |- _ = ?x - ?y => replace (x - y) with (x + -1 * y) by ring end. rewrite <- sum_scale.
    apply f_equal2; apply sum_ext; intros k Hk; [rewrite plus_INR|rewrite minus_INR by lia]; ring.
  - intros j Hj. rewrite minus_INR, plus_INR by lia. ring.
Qed.

(* The sharp bound: (q + 2 q^4 + 3 q^9 + ...) / (1 + q + q^4 + q^9 + ...), up to (n-1)^2. *)
Theorem lemma_07_sharp :
  Rabs (INR c - attend n no_mask (lookup_score g c) INR) <= moment q (n - 1) / (1 + mass q (n - 1)).
Proof.
  pose proof (exp_negative_below_1 g Hg : 0 < q < 1) as Hq. pose proof Z_at_least_1 as HZ.
  rewrite lookup_error. unfold Rdiv at 1. rewrite Rabs_mult, (Rabs_right (/ _)).
  2:{ apply Rle_ge. left. apply Rinv_0_lt_compat. lra. }
  pose proof (moment_nonneg q Hq (c - 1)). pose proof (moment_nonneg q Hq (n - c)).
  pose proof (mass_nonneg q Hq (c - 1)). pose proof (mass_nonneg q Hq (n - c)).
  pose proof (mean_grows q Hq (c - 1) (n - 1) ltac:(lia)) as L.
  pose proof (mean_grows q Hq (n - c) (n - 1) ltac:(lia)) as R.
  set (bound := moment q (n - 1) / (1 + mass q (n - 1))) in *.
  assert (Side : forall K, 0 <= moment q K -> 0 <= mass q K -> moment q K / (1 + mass q K) <= bound ->
    1 + mass q K <= mass q (c - 1) + 1 + mass q (n - c) -> moment q K * / (mass q (c - 1) + 1 + mass q (n - c)) <=
      bound).
  { intros K M0 M1 B Le. eapply Rle_trans; [|exact B]. apply Rmult_le_compat_l; [exact M0|]. apply Rinv_le_contravar;
    lra. }
  pose proof (Side (c - 1)%nat ltac:(assumption) ltac:(assumption) L ltac:(lra)).
  pose proof (Side (n - c)%nat ltac:(assumption) ltac:(assumption) R ltac:(lra)).
  assert (0 < / (mass q (c - 1) + 1 + mass q (n - c))) by (apply Rinv_0_lt_compat; lra).
  set (i := / (mass q (c - 1) + 1 + mass q (n - c))) in *.
  unfold Rabs. destruct Rcase_abs.
  - eapply Rle_trans; [|exact H4]. apply Rmult_le_compat_r; lra.
  - eapply Rle_trans; [|exact H3]. apply Rmult_le_compat_r; lra.
Qed.

(* It is attained at the first place (and at the last, by symmetry). *)
Theorem lemma_07_attained : c = 1%nat ->
  INR c - attend n no_mask (lookup_score g c) INR = - (moment q (n - 1) / (1 + mass q (n - 1))).
Proof.
  intros E. rewrite lookup_error, E. change (1 - 1)%nat with 0%nat. change (moment q 0) with 0.
  change (mass q 0) with 0.
  pose proof (mass_nonneg q (exp_negative_below_1 g Hg) (n - 1)). field. lra.
Qed.

Theorem lemma_07 : exp (- g) * exp (- g) <= / 2 ->
  Rabs (INR c - attend n no_mask (lookup_score g c) INR) <= exp (- g).
Proof.
  intros Half. pose proof (exp_negative_below_1 g Hg : 0 < q < 1) as Hq.
  eapply Rle_trans; [apply lemma_07_sharp|]. fold q in Half |- *.
  pose proof (moment_bound q Hq Half (n - 1)). pose proof (mass_nonneg q Hq (n - 1)).
  apply Rmult_le_reg_r with (1 + mass q (n - 1)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
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
