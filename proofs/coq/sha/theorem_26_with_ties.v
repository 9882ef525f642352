(* Theorem 26 for every average-hard transformer, ties included, which [SHA] leaves open: one temperature for all
   layers, and nothing is rounded between them (constructions/statements/average_hard_attention.py).

   gamma is min(gap, 1), the gap being between different scores only; x is x_max; K1, K2 as in Theorem 26; L is the
   number of layers. Proved: with G = 4 K1 K2 x^2/gamma and R = 8e K1 n x (2(L-1)G/e)^(L-1), at every temperature up to
   gamma/(2 ln R) the 1-norm of the difference of the two runs is at most 1/4, at every position, for every word and
   every n; and 1/tau is at most a constant times (1/gamma) ln(n x/gamma) from n = 2 on. Idea: errors E(l) with E(0) = 0
   and E(l+1) = Lambda E(l) + kappa, where kappa has the factor e^(-gamma/tau) and Lambda is of order 1/tau: what breaks
   ties is one exponential, which beats L powers. *)
From Coq Require Import Reals QArith Qreals List Bool Lra Lia Arith.
From Certify Require Import positions finite_sums softmax exponential formula network hard_attention lemma_24_gap
  lemma_33_near_hard soft_layers theorem_26_uniform_tieless.
Open Scope R_scope.

(* e^rho - 1 <= 4/3 rho for small rho. *)
Lemma exp_near_0 rho : 0 <= rho <= 1 / 4 -> exp rho - 1 <= 4 / 3 * rho.
Proof.
  intros H. assert (A : 1 - rho <= exp (- rho)).
  { destruct (Req_dec rho 0) as [->|N]; [rewrite Ropp_0, exp_0; lra|]. pose proof (exp_ineq1 (- rho)). lra. }
  assert (B : exp rho * exp (- rho) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0). pose proof (exp_pos rho).
  assert (exp rho * (1 - rho) <= 1) by (rewrite <- B; apply Rmult_le_compat_l; lra). assert (exp rho <= / (1 - rho)).
  { apply Rmult_le_reg_r with (1 - rho); [lra|]. rewrite Rinv_l; lra. }
  assert (/ (1 - rho) <= 1 + 4 / 3 * rho); [|lra]. apply Rmult_le_reg_r with (1 - rho); [lra|]. rewrite Rinv_l by lra.
  nra.
Qed.

(* y^k e^(-y/2) is greatest at y = 2k. *)
Lemma power_against_exponential k y : 0 <= y -> y ^ k * exp (- (y / 2)) <= (2 * INR k / exp 1) ^ k.
Proof.
  intros Y. destruct k as [|k].
  - simpl. rewrite Rmult_1_l. apply Rle_trans with (exp 0); [apply exp_monotone|rewrite exp_0]; lra.
  - set (c := 2 * INR (S k)). assert (C : 0 < c) by (unfold c; pose proof (lt_0_INR (S k) ltac:(lia)); lra).
    pose proof (exp_pos 1) as E1. assert (A : y <= c / exp 1 * exp (y / c)).
    { assert (B : y / c <= exp (y / c - 1)).
      { destruct (Req_dec (y / c - 1) 0) as [Z|N]; [rewrite Z, exp_0; lra|]. pose proof (exp_ineq1 _ N). lra. }
      replace (exp (y / c - 1)) with (exp (y / c) / exp 1) in B.
      - apply (Rmult_le_compat_l c) in B; [|lra]. replace (c * (y / c)) with y in B by (field; lra). unfold Rdiv in *.
        lra.
      - unfold Rminus. rewrite exp_plus, exp_Ropp. reflexivity. }
    apply Rle_trans with ((c / exp 1 * exp (y / c)) ^ S k * exp (- (y / 2))).
    + apply Rmult_le_compat_r; [left; apply exp_pos|]. apply pow_incr. lra.
    + rewrite Rpow_mult_distr, Rmult_assoc. replace (exp (y / c) ^ S k * exp (- (y / 2))) with 1; [lra|].
      replace (y / c) with (- - (y / c)) by lra. rewrite exp_power, <- exp_plus.
      replace (- (INR (S k) * - (y / c)) + - (y / 2)) with 0; [now rewrite exp_0|]. unfold c. field. apply not_0_INR.
      lia.
Qed.

Section AtOneLength.
Context (L : nat) (k1 k2 x gamma tau : R) (n : nat) (N1 : (1 <= n)%nat) (Hk1 : 1 <= k1) (Hk2 : 1 <= k2)
  (Hx : 1 <= x) (Hgamma : 0 < gamma <= 1) (Htau : 0 < tau).

Local Definition spread : R := 4 * k1 * k2 * x ^ 2 / gamma.                          (* G *)
Definition ties_share : R :=                                                   (* R *)
  8 * exp 1 * k1 * INR n * x * (2 * INR (L - 1) * spread / exp 1) ^ (L - 1).
Let y := gamma / tau.
Let kappa := exp 1 * k1 * INR n * x * exp (- y).
Let Lambda := k1 * (1 + 3 * k2 * x ^ 2 / tau).

Definition ties_error (l : nat) : R := kappa * (Lambda ^ l - 1) / (Lambda - 1).
Lemma products_at_least_1 : 1 <= k2 * x ^ 2 /\ 1 <= k1 * (k2 * x ^ 2). Proof. split; auto with signs. Qed.

Lemma spread_at_least_4 : 4 <= spread.
Proof.
  unfold spread. destruct products_at_least_1 as [_ A].
  assert (1 <= k1 * (k2 * x ^ 2) * / gamma) by auto with signs. unfold Rdiv. lra.
Qed.

Lemma e_range : 2 <= exp 1 <= 3. Proof. split; [|apply exp_le_3]. pose proof (exp_ineq1 1). lra. Qed.

Lemma ties_share_at_least_e : exp 1 <= ties_share.
Proof.
  unfold ties_share. pose proof e_range as E. pose proof (INR_at_least_1 n N1) as HN.
  assert (A : 1 <= (2 * INR (L - 1) * spread / exp 1) ^ (L - 1)).
  { destruct (L - 1)%nat as [|k]; [simpl; lra|]. apply pow_R1_Rle. pose proof spread_at_least_4.
    pose proof (INR_at_least_1 (S k) ltac:(lia)). apply Rmult_le_reg_r with (exp 1); [lra|]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l by lra. assert (1 * 4 <= INR (S k) * spread) by (apply Rmult_le_compat; lra). lra. }
  assert (B : 1 <= k1 * INR n * x * (2 * INR (L - 1) * spread / exp 1) ^ (L - 1)) by auto 6 with signs.
  set (p := k1 * INR n * x * (2 * INR (L - 1) * spread / exp 1) ^ (L - 1)) in *.
  replace (8 * exp 1 * k1 * INR n * x * (2 * INR (L - 1) * spread / exp 1) ^ (L - 1)) with (8 * exp 1 * p) by (unfold p;
    ring). assert (8 * exp 1 * 1 <= 8 * exp 1 * p) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma ln_share_at_least_1 : 1 <= ln ties_share.
Proof. rewrite <- (ln_exp 1). apply ln_monotone; [apply exp_pos|exact ties_share_at_least_e]. Qed.

Hypothesis Cold : tau <= gamma / (2 * ln ties_share).

Lemma y_large : 2 * ln ties_share <= y.
Proof.
  unfold y. apply Rmult_le_reg_r with tau; [lra|]. replace (gamma / tau * tau) with gamma by (field; lra).
  apply cold_enough; [exact Htau| |exact Cold]. pose proof ties_share_at_least_e. pose proof e_range. lra.
Qed.

Lemma Lambda_range : 2 <= Lambda <= spread * y.
Proof.
  pose proof y_large. pose proof ln_share_at_least_1. destruct products_at_least_1 as [A B].
  assert (T : / tau = y / gamma) by (unfold y; field; lra). assert (Y : 2 <= y / gamma).
  { assert (1 <= / gamma) by auto with signs. unfold Rdiv. replace 2 with (2 * 1) by lra. apply Rmult_le_compat; lra. }
  assert (Z : 2 <= k2 * x ^ 2 * (y / gamma)) by (replace 2 with (1 * 2) by lra; apply Rmult_le_compat; lra).
  unfold Lambda, spread, Rdiv. rewrite T.
  replace (4 * k1 * k2 * x ^ 2 * / gamma * y) with (k1 * (4 * (k2 * x ^ 2 * (y / gamma)))) by (unfold Rdiv; ring).
  replace (1 + 3 * k2 * x ^ 2 * (y / gamma)) with (1 + 3 * (k2 * x ^ 2 * (y / gamma))) by ring. split.
  - assert (1 * (1 + 3 * (k2 * x ^ 2 * (y / gamma))) <= k1 * (1 + 3 * (k2 * x ^ 2 * (y / gamma))))
      by (apply Rmult_le_compat_r; lra). lra.
  - apply Rmult_le_compat_l; lra.
Qed.

(* The one inequality that everything follows from. *)
Lemma exponential_wins k : (k <= L - 1)%nat -> 8 * kappa * Lambda ^ k <= 1.
Proof.
  intros Hk. pose proof Lambda_range as [L2 LG]. pose proof y_large as Y. pose proof ln_share_at_least_1 as R1.
  pose proof e_range as E. pose proof (INR_at_least_1 n N1) as HN. pose proof spread_at_least_4 as G4.
  assert (C : 0 < 8 * exp 1 * k1 * INR n * x) by auto with signs.
  apply Rle_trans with (8 * exp 1 * k1 * INR n * x * exp (- y) * (spread * y) ^ (L - 1)).
  { unfold kappa. replace (8 * (exp 1 * k1 * INR n * x * exp (- y)) * Lambda ^ k)
      with (8 * exp 1 * k1 * INR n * x * exp (- y) * Lambda ^ k) by ring.
    apply Rmult_le_compat_l; [auto with signs|].
    apply Rle_trans with (Lambda ^ (L - 1)); [apply Rle_pow; lia || lra|apply pow_incr; lra]. }
  rewrite Rpow_mult_distr. replace (- y) with (- (y / 2) + - (y / 2)) by lra. rewrite exp_plus.
  pose proof (power_against_exponential (L - 1) y ltac:(lra)) as P. apply Rle_trans with (ties_share * exp (- (y / 2))).
  - unfold ties_share. replace (2 * INR (L - 1) * spread / exp 1) with (spread * (2 * INR (L - 1) / exp 1))
      by (field; lra). rewrite Rpow_mult_distr. set (G := spread ^ (L - 1)) in *.
    assert (0 < G) by (apply pow_lt; lra). pose proof (exp_pos (- (y / 2))) as Q. set (q := exp (- (y / 2))) in *.
    set (c := 8 * exp 1 * k1 * INR n * x) in *.
    replace (c * (q * q) * (G * y ^ (L - 1))) with (c * G * q * (y ^ (L - 1) * q)) by ring.
    replace (c * (G * (2 * INR (L - 1) / exp 1) ^ (L - 1)) * q) with (c * G * q * (2 * INR (L - 1) / exp 1) ^ (L - 1))
      by ring. apply Rmult_le_compat_l; [auto with signs|exact P].
  - pose proof ties_share_at_least_e as S. assert (Q : exp (- (y / 2)) <= / ties_share) by (apply exp_small; lra).
    apply Rle_trans with (ties_share * / ties_share); [apply Rmult_le_compat_l; lra|]. rewrite Rinv_r; lra.
Qed.

Lemma kappa_pos : 0 < kappa. Proof. unfold kappa. auto 6 with signs. Qed.
Lemma ties_error_step l : ties_error (S l) = Lambda * ties_error l + kappa.
Proof. pose proof Lambda_range. unfold ties_error. simpl. field. lra. Qed.

Lemma ties_error_nonneg l : 0 <= ties_error l.
Proof.
  pose proof Lambda_range. pose proof kappa_pos. pose proof (pow_R1_Rle Lambda l ltac:(lra)).
  unfold ties_error. auto with signs.
Qed.

Lemma ties_error_bound l : Lambda * ties_error l <= 2 * kappa * Lambda ^ l.
Proof.
  pose proof Lambda_range as [L2 _]. pose proof kappa_pos as K. pose proof (ties_error_nonneg l) as P.
  assert (E : ties_error l * (Lambda - 1) = kappa * (Lambda ^ l - 1)) by (unfold ties_error; field; lra).
  assert (A : Lambda * ties_error l <= 2 * (ties_error l * (Lambda - 1))) by nra. lra.
Qed.

(* Behind every layer but the last the error is small against tau. *)
Lemma ties_error_small l : (l < L)%nat -> 8 * k2 * x * ties_error l <= tau.
Proof.
  intros Hl. pose proof (exponential_wins l ltac:(lia)) as W. pose proof (ties_error_bound l) as B.
  pose proof Lambda_range as [L2 _]. destruct products_at_least_1 as [A1 A2].
  assert (K : 0 <= k2 * x) by auto with signs. apply Rmult_le_reg_l with Lambda; [lra|].
  apply Rle_trans with (8 * (k2 * x) * (2 * kappa * Lambda ^ l)).
  - replace (Lambda * (8 * k2 * x * ties_error l)) with (8 * (k2 * x) * (Lambda * ties_error l)) by ring.
    apply Rmult_le_compat_l; lra.
  - apply Rle_trans with (2 * (k2 * x)).
    + replace (8 * (k2 * x) * (2 * kappa * Lambda ^ l)) with (2 * (k2 * x) * (8 * kappa * Lambda ^ l)) by ring.
      rewrite <- (Rmult_1_r (2 * (k2 * x))) at 2. apply Rmult_le_compat_l; lra.
    + apply Rle_trans with (3 * (k1 * (k2 * x ^ 2))).
      * assert (k2 * x * 1 <= k2 * x * (x * k1)) by (apply Rmult_le_compat_l; auto with signs).
        replace (k1 * (k2 * x ^ 2)) with (k2 * x * (x * k1)) by ring. lra.
      * replace (Lambda * tau) with (k1 * tau + 3 * (k1 * (k2 * x ^ 2))) by (unfold Lambda; field; lra).
        assert (0 < k1 * tau) by auto with signs. lra.
Qed.

Lemma ties_error_at_most_1 l : (l < L)%nat -> ties_error l <= 1.
Proof.
  intros Hl. pose proof (exponential_wins l ltac:(lia)) as W. pose proof (ties_error_bound l) as B.
  pose proof Lambda_range as [L2 _]. pose proof (ties_error_nonneg l). nra.
Qed.

Lemma ties_error_last : ties_error L <= 1 / 4.
Proof.
  destruct L as [|l] eqn:E; [unfold ties_error; simpl; unfold Rdiv; lra|].
  pose proof (exponential_wins l ltac:(lia)) as W. pose proof (ties_error_bound (S l)) as B. simpl pow in B.
  pose proof Lambda_range as [L2 _]. apply Rmult_le_reg_l with Lambda; [lra|].
  apply Rle_trans with (Lambda * (2 * kappa * Lambda ^ l)); [lra|]. apply Rmult_le_compat_l; lra.
Qed.

Lemma ties_one_step l : (l < L)%nat -> let delta := k2 * x * ties_error l in k1 * (ties_error l
  + x / 2 * (2 * (INR n * exp ((2 * delta - gamma) / tau)) + (exp (2 * delta / tau) - 1))) <= ties_error (S l).
Proof.
  intros Hl delta. pose proof (ties_error_small l Hl) as S. pose proof (ties_error_nonneg l) as P.
  pose proof e_range as E. pose proof (INR_at_least_1 n N1) as HN. destruct products_at_least_1 as [A1 _].
  set (rho := 2 * delta / tau). set (e := ties_error l) in *.
  assert (Dn : 0 <= delta) by (unfold delta; auto with signs). assert (HR : 0 <= rho <= 1 / 4).
  { unfold rho. split; [auto with signs|]. apply Rmult_le_reg_r with tau; [lra|].
    replace (2 * delta / tau * tau) with (2 * delta) by (field; lra). unfold delta.
    apply Rmult_le_reg_l with 4; [lra|]. replace (4 * (2 * (k2 * x * e))) with (8 * k2 * x * e) by ring. lra. }
  pose proof (exp_near_0 rho HR) as X. rewrite ties_error_step. fold e.
  assert (Q : exp ((2 * delta - gamma) / tau) <= exp 1 * exp (- y)).
  { rewrite <- exp_plus. apply exp_monotone.
    replace ((2 * delta - gamma) / tau) with (rho - y) by (unfold rho, y; field; lra). lra. }
  assert (Q' : x * INR n * exp ((2 * delta - gamma) / tau) <= x * INR n * (exp 1 * exp (- y))).
  { apply Rmult_le_compat_l; [auto with signs|exact Q]. }
  assert (X' : x / 2 * (exp rho - 1) <= 3 * k2 * x ^ 2 / tau * e).
  { apply Rle_trans with (x / 2 * (4 / 3 * rho)); [apply Rmult_le_compat_l; lra|].
    replace (x / 2 * (4 / 3 * rho)) with (4 / 3 * (k2 * x ^ 2 / tau * e)) by (unfold rho, delta; field; lra).
    replace (3 * k2 * x ^ 2 / tau * e) with (3 * (k2 * x ^ 2 / tau * e)) by (field; lra).
    assert (0 <= k2 * x ^ 2 / tau * e) by auto with signs. lra. }
  apply Rle_trans with (k1 * (e + (x * INR n * (exp 1 * exp (- y)) + 3 * k2 * x ^ 2 / tau * e))).
  - apply Rmult_le_compat_l; lra.
  - apply Req_le. unfold Lambda, kappa. field. lra.
Qed.
End AtOneLength.

Section WithTies.
Variables (users : predicate_meanings) (T : transformer).
Let L := transformer_depth T.
Let k1 := Q2R (theorem_26_K1 T).
Let k2 := Q2R (theorem_26_K2 T).

Definition R_ties (n : nat) (gamma x : R) : R := ties_share L k1 k2 x gamma n.

Lemma ties_row_error_grows n gamma tau d d' : 0 < tau -> 0 <= d <= d' -> 0 <= 2 * (INR n * exp ((2 * d - gamma) / tau))
  + (exp (2 * d / tau) - 1) <= 2 * (INR n * exp ((2 * d' - gamma) / tau)) + (exp (2 * d' / tau) - 1).
Proof.
  intros T0 H. pose proof (row_error_grows n gamma tau d d' T0 H) as A.
  assert (B : 1 <= exp (2 * d / tau)) by (rewrite <- exp_0; apply exp_monotone; auto with signs).
  assert (C : exp (2 * d / tau) <= exp (2 * d' / tau)) by (apply exp_monotone, Rmult_le_compat_r; auto with signs). lra.
Qed.

Theorem theorem_26_with_ties (n : nat) (w : word) (g x : R) (tau : nat -> R) (i : position n) (D : nat) :
  gap_at users T n g -> initial_at_most users T n x -> 0 < tau n <= Rmin g 1 / (2 * ln (R_ties n (Rmin g 1) x)) ->
  word_in_alphabet T n w -> run_distance users tau T n w i D <= 1 / 4.
Proof.
  intros [G0 Gap] X [T0 Cold] Over. assert (H1 : 1 <= k1) by apply k1_at_least_1.
  assert (H2 : 1 <= k2) by apply k2_at_least_1. pose proof (proj1 X) as X1. set (gamma := Rmin g 1) in *.
  pose proof (Rmin_1_range g G0 : 0 < gamma <= 1) as HG. assert (N1 : (1 <= n)%nat) by lia.
  eapply Rle_trans; [|now apply (ties_error_last L k1 k2 x gamma (tau n) n)].
  apply (network_moves users T n w x (fun m s => has_gap n m s gamma) (ties_error k1 k2 x gamma (tau n) n) tau i D
    (fun d => 2 * (INR n * exp ((2 * d - gamma) / tau n)) + (exp (2 * d / tau n) - 1))); try assumption.
  - eapply every_row_impl; [|now apply Gap]. intros m s A. apply (has_gap_less n m s g _ A). split; [lra|apply Rmin_l].
  - intros m s s' p delta V A Near. now apply (near_hard_with_ties n m s s' p delta gamma (tau n)).
  - intros d d' H. now apply ties_row_error_grows.
  - now apply (ties_error_nonneg L).
  - intros l Hl. split; [|now apply (ties_one_step L)]. now apply (ties_error_at_most_1 L k1 k2 x gamma (tau n) n).
Qed.

Lemma R_ties_at_least_e n gamma x : (1 <= n)%nat -> 0 < gamma <= 1 -> 1 <= x -> exp 1 <= R_ties n gamma x.
Proof. intros. apply ties_share_at_least_e; try assumption; [apply k1_at_least_1|apply k2_at_least_1]. Qed.

(* R is at most a constant times a power of n x/gamma. *)
Lemma R_ties_polynomial : exists b, 1 <= b /\ forall n gamma x, (1 <= n)%nat -> 0 < gamma <= 1 -> 1 <= x ->
  R_ties n gamma x <= b * (INR n * x / gamma) ^ (1 + 2 * (L - 1)).
Proof.
  assert (H1 : 1 <= k1) by apply k1_at_least_1. assert (H2 : 1 <= k2) by apply k2_at_least_1. pose proof e_range as E.
  set (a := 2 * INR (L - 1) * (4 * k1 * k2) / exp 1). assert (A : 0 <= a).
  { unfold a. auto 8 with signs. }
  exists (8 * exp 1 * k1 * (1 + a) ^ (L - 1)). split.
  { auto with signs. }
  intros n gamma x Hn HG X1. pose proof (INR_at_least_1 n Hn) as N1. set (y := INR n * x / gamma).
  assert (I : 1 <= / gamma) by auto with signs. assert (NX : 1 <= INR n * x) by auto with signs.
  assert (Y : INR n * x <= y).
  { unfold y, Rdiv. rewrite <- (Rmult_1_r (INR n * x)) at 1. apply Rmult_le_compat_l; lra. }
  assert (Z : x ^ 2 / gamma <= y ^ 2).
  { unfold y, Rdiv.
    replace ((INR n * x * / gamma) ^ 2) with (x ^ 2 * / gamma * (INR n * INR n * / gamma)) by (simpl; ring).
    rewrite <- (Rmult_1_r (x ^ 2 * / gamma)) at 1. apply Rmult_le_compat_l; auto with signs. }
  unfold R_ties, ties_share, spread. fold k1 k2 L. rewrite pow_add, pow_1, pow_mult.
  replace (8 * exp 1 * k1 * (1 + a) ^ (L - 1) * (y * (y ^ 2) ^ (L - 1)))
    with (8 * exp 1 * k1 * y * ((1 + a) * y ^ 2) ^ (L - 1)) by (rewrite (Rpow_mult_distr (1 + a)); ring).
  apply Rmult_le_compat; [auto 6 with signs|apply pow_le| |].
  - replace (2 * INR (L - 1) * (4 * k1 * k2 * x ^ 2 / gamma) / exp 1) with (a * (x ^ 2 / gamma)) by (unfold a; field;
      lra). auto with signs.
  - rewrite Rmult_assoc. apply Rmult_le_compat_l; [auto with signs|exact Y].
  - apply pow_incr.
    replace (2 * INR (L - 1) * (4 * k1 * k2 * x ^ 2 / gamma) / exp 1) with (a * (x ^ 2 / gamma)) by (unfold a; field;
      lra). assert (P : 0 <= x ^ 2 / gamma) by auto with signs. split; [auto with signs|]. apply Rmult_le_compat; lra.
Qed.

Lemma order_ties : exists c, forall n gamma x, (2 <= n)%nat -> 0 < gamma <= 1 -> 1 <= x ->
  2 / gamma * ln (R_ties n gamma x) <= c * (/ gamma * ln (INR n * x / gamma)).
Proof.
  destruct R_ties_polynomial as (b & B & H). apply (order_of_power R_ties b (1 + 2 * (L - 1))%nat B).
  intros n gamma x Hn HG X1. split; [|apply H; assumption || lia].
  apply Rlt_le_trans with (exp 1); [apply exp_pos|apply R_ties_at_least_e; assumption || lia].
Qed.

Theorem theorem_26_with_ties_order (g x : nat -> R) : (forall n, gap_at users T n (g n)) -> (forall n,
  initial_at_most users T n (x n)) -> exists tau : nat -> R, (forall n, (1 <= n)%nat -> 0 < tau n) /\ (exists c,
  forall n, (2 <= n)%nat -> / tau n <= c * (/ Rmin (g n) 1 * ln (INR n * x n / Rmin (g n) 1))) /\ (forall n w (i :
  position n) D, word_in_alphabet T n w -> run_distance users tau T n w i D <= 1 / 4).
Proof.
  intros Gap X. destruct (tau_from_order R_ties g x) as [Pos Order]; [apply Gap|apply X| |exact order_ties|].
  { intros n gamma y Hn HG Y. pose proof (R_ties_at_least_e n gamma y Hn HG Y). pose proof e_range. lra. }
  exists (tau_from R_ties g x). split; [exact Pos|]. split; [exact Order|]. intros n w i D Over.
  apply (theorem_26_with_ties n w (g n) (x n)); auto. split; [apply Pos; lia|apply Rle_refl].
Qed.

(* With Lemma 24: every average-hard transformer, whatever ties, at every length. *)
Corollary theorem_26_with_ties_some_temperature n : (1 <= n)%nat -> exists t, 0 < t /\ forall tau w (i : position n) D,
  0 < tau n <= t -> word_in_alphabet T n w -> run_distance users tau T n w i D <= 1 / 4.
Proof.
  intros Hn. destruct (lemma_24 users T n) as [g Gap]. destruct (x_max_exists users T n) as [x X].
  pose proof (Rmin_1_range g (proj1 Gap)) as HG. pose proof (R_ties_at_least_e n _ _ Hn HG (proj1 X)).
  pose proof e_range. exists (Rmin g 1 / (2 * ln (R_ties n (Rmin g 1) x))). split.
  - assert (0 < ln (R_ties n (Rmin g 1) x)) by auto with signs. apply Rdiv_lt_0_compat; lra.
  - intros tau w i D Ht Over. now apply (theorem_26_with_ties n w g x tau i D Gap X Ht).
Qed.
End WithTies.
