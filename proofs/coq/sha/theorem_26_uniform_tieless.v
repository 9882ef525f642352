(* [SHA] Theorem 26: a transformer with uniform and tieless heads, made soft at one temperature, moves by at most 1/4.

   For networks of network.v: residual connections, any number of heads, biases. gamma is min(gap, 1), x is x_max, K1
   and K2 are computed from the weights alone (soft_layers.v), L is the number of layers.

   Proved: at every temperature up to gamma / (2 ln R), R = 2 (2 K1)^L K2 n x^2 / gamma, the 1-norm of the difference of
   the two runs is at most gamma/(4 K2 x), so at most 1/4, behind the last layer, at every position, for every word and
   every n. 1/tau is at most a constant times (1/gamma) ln(n x / gamma) from n = 2 on. Idea: with E(0) = 0 and E(l) =
   gamma (2 K1)^(l-L) / (4 K2 x), an error of E(l) moves scores by at most gamma/4, and Lemma 25 gives E(l+1). *)
From Coq Require Import Reals QArith Qreals List Bool Lra Lia Arith.
From Certify Require Import positions finite_sums softmax exponential formula network hard_attention lemma_24_gap
  lemma_33_near_hard soft_layers.
Open Scope R_scope.

(* ---- what does not ask whether there are ties ---- *)
(* A gap, or 1 if it is greater. *)
Lemma Rmin_1_range g : 0 < g -> 0 < Rmin g 1 <= 1. Proof. intros G. split; [apply Rmin_glb_lt; lra|apply Rmin_r]. Qed.

(* A temperature of gamma/(2 ln R), in its form without fractions. *)
Lemma cold_enough tau gamma r : 0 < tau -> 1 < r -> tau <= gamma / (2 * ln r) -> 2 * ln r * tau <= gamma.
Proof.
  intros T R Cold. pose proof (ln_positive r R). apply (Rmult_le_compat_l (2 * ln r)) in Cold; [|lra].
  replace (2 * ln r * (gamma / (2 * ln r))) with gamma in Cold by (field; lra). exact Cold.
Qed.

(* 1/tau = (2/gamma) ln R <= (c/gamma) ln(n x/gamma) where R is at most a constant times a power of n x/gamma. *)
Lemma order_of_power ratio b k : 1 <= b -> (forall n gamma x, (2 <= n)%nat -> 0 < gamma <= 1 -> 1 <= x ->
  0 < ratio n gamma x <= b * (INR n * x / gamma) ^ k) -> exists c, forall n gamma x, (2 <= n)%nat -> 0 < gamma <= 1 ->
  1 <= x -> 2 / gamma * ln (ratio n gamma x) <= c * (/ gamma * ln (INR n * x / gamma)).
Proof.
  intros B H. exists (2 * (ln b / ln 2 + INR k)). intros n gamma x Hn HG X1.
  specialize (H n gamma x Hn HG X1) as [R0 R1]. set (y := INR n * x / gamma) in *. assert (Y : 2 <= y).
  { assert (N2 : 2 <= INR n) by now apply (le_INR 2). unfold y, Rdiv. replace 2 with (2 * 1 * 1) by lra.
    apply Rmult_le_compat; try lra; [apply Rmult_le_compat; lra|auto with signs]. }
  assert (L2 : 0 < ln 2) by auto with signs. assert (LY : ln 2 <= ln y) by (apply ln_monotone; lra).
  assert (C : ln (ratio n gamma x) <= ln b + INR k * ln y).
  { rewrite <- ln_power, <- ln_mult by (try apply pow_lt; lra). now apply ln_monotone. }
  assert (F : ln b <= ln b / ln 2 * ln y).
  { replace (ln b) with (ln b / ln 2 * ln 2) at 1 by (field; lra). apply Rmult_le_compat_l; auto with signs. }
  replace (2 * (ln b / ln 2 + INR k) * (/ gamma * ln y)) with (2 / gamma * (ln b / ln 2 * ln y + INR k * ln y))
    by (unfold Rdiv; ring). apply Rmult_le_compat_l; [|lra]. apply quotient_nonneg; lra.
Qed.

(* The temperature as a function of n, from a gap and a bound of initial activations for each n, and its order. *)
Definition tau_from (ratio : nat -> R -> R -> R) (g x : nat -> R) (n : nat) : R :=
  Rmin (g n) 1 / (2 * ln (ratio n (Rmin (g n) 1) (x n))).

Lemma tau_from_order ratio g x : (forall n, 0 < g n) -> (forall n, 1 <= x n) -> (forall n gamma x, (1 <= n)%nat ->
  0 < gamma <= 1 -> 1 <= x -> 1 < ratio n gamma x) -> (exists c, forall n gamma x, (2 <= n)%nat -> 0 < gamma <= 1 ->
  1 <= x -> 2 / gamma * ln (ratio n gamma x) <= c * (/ gamma * ln (INR n * x / gamma))) -> (forall n, (1 <= n)%nat ->
  0 < tau_from ratio g x n) /\ (exists c, forall n, (2 <= n)%nat -> / tau_from ratio g x n <= c * (/ Rmin (g n)
  1 * ln (INR n * x n / Rmin (g n) 1))).
Proof.
  intros G X R1 [c C]. assert (HG : forall n, 0 < Rmin (g n) 1 <= 1) by (intros n; now apply Rmin_1_range).
  assert (LR : forall n, (1 <= n)%nat -> 0 < ln (ratio n (Rmin (g n) 1) (x n))) by auto using ln_positive.
  split; [|exists c]; intros n Hn; specialize (LR n ltac:(lia)).
  - apply Rdiv_lt_0_compat; [apply HG|lra].
  - specialize (C n _ _ Hn (HG n) (X n)). specialize (HG n). eapply Rle_trans; [|exact C]. apply Req_le.
    unfold tau_from. field. lra.
Qed.

Section AtOneLength.
Context (L : nat) (k1 k2 x gamma tau : R) (n : nat) (N1 : (1 <= n)%nat) (Hk1 : 1 <= k1) (Hk2 : 1 <= k2)
  (Hx : 1 <= x) (Hgamma : 0 < gamma <= 1) (Htau : 0 < tau).

Definition inverse_share : R := 2 * (2 * k1) ^ L * k2 * INR n * x ^ 2 / gamma.
Definition layer_error (l : nat) : R := match l with O => 0 | S _ => gamma / (4 * k2 * x) * / (2 * k1) ^ (L - l) end.
Local Lemma power_at_least_1 l : 1 <= (2 * k1) ^ l. Proof. apply pow_R1_Rle. lra. Qed.
Lemma last_error : 0 < gamma / (4 * k2 * x) /\ k2 * x * (gamma / (4 * k2 * x)) = gamma / 4.
Proof. assert (0 < k2 * x) by auto with signs. split; [|field; lra]. apply Rdiv_lt_0_compat; lra. Qed.

Lemma share_small : gamma / (4 * k2 * x) <= 1 / 4.
Proof.
  destruct last_error as [P E]. assert (1 <= k2 * x) by auto with signs.
  set (e := gamma / (4 * k2 * x)) in *. assert (1 * e <= k2 * x * e) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Lemma errors_range l : 0 <= layer_error l <= gamma / (4 * k2 * x).
Proof.
  destruct last_error as [P _]. destruct l as [|l]; [simpl; lra|]. unfold layer_error.
  assert (/ (2 * k1) ^ (L - S l) <= 1) by auto with signs. split.
  - auto with signs.
  - rewrite <- (Rmult_1_r (gamma / (4 * k2 * x))) at 2. apply Rmult_le_compat_l; lra.
Qed.

Lemma inverse_share_at_least_2 : 2 <= inverse_share.
Proof.
  unfold inverse_share.
  replace (2 * (2 * k1) ^ L * k2 * INR n * x ^ 2 / gamma) with (2 * (((2 * k1) ^ L * k2 * INR n * x ^ 2) * / gamma))
    by (field; lra). assert (1 <= (2 * k1) ^ L * k2 * INR n * x ^ 2 * / gamma) by auto 6 with signs. lra.
Qed.

(* The share that everything but the winner may have. *)
Hypothesis Cold : tau <= gamma / (2 * ln inverse_share).

Local Lemma cold : exp (- (gamma / (2 * tau))) <= / inverse_share.
Proof.
  pose proof inverse_share_at_least_2 as R2. apply exp_small; [lra|].
  pose proof (cold_enough tau gamma inverse_share Htau ltac:(lra) Cold).
  apply Rmult_le_reg_r with (2 * tau); [lra|]. replace (gamma / (2 * tau) * (2 * tau)) with gamma by (field; lra). lra.
Qed.

(* n x times the share of a layer whose scores are off by at most gamma/2. *)
Local Lemma share l : (l < L)%nat ->
  x * INR n * exp ((2 * (k2 * x * layer_error l) - gamma) / tau) <= gamma / (4 * k2 * x) * (2 * / (2 * k1) ^ L).
Proof.
  intros Hl. pose proof (errors_range l) as Er. destruct last_error as [P E]. pose proof (INR_at_least_1 n N1) as HN.
  assert (K : k2 * x * layer_error l <= gamma / 4).
  { rewrite <- E. apply Rmult_le_compat_l; [auto with signs|lra]. }
  assert (Q : exp ((2 * (k2 * x * layer_error l) - gamma) / tau) <= / inverse_share).
  { eapply Rle_trans; [|exact cold]. apply exp_monotone.
    replace (- (gamma / (2 * tau))) with (- (gamma / 2) / tau) by (field; lra).
    apply Rmult_le_compat_r; [auto with signs|lra]. }
  pose proof (power_at_least_1 L) as PL. apply Rle_trans with (x * INR n * / inverse_share).
  - apply Rmult_le_compat_l; [auto with signs|exact Q].
  - apply Req_le. unfold inverse_share. field. repeat split; lra.
Qed.

Lemma one_step l : (l < L)%nat -> k1 * (layer_error l + x / 2 * (2 * (INR n * exp ((2 * (k2 * x * layer_error l)
  - gamma) / tau)))) <= layer_error (S l).
Proof.
  intros Hl. destruct last_error as [P _]. pose proof (share l Hl) as Sh. set (q := exp _) in *.
  apply (Rmult_le_compat_l k1) in Sh; [|lra].
  replace (k1 * (layer_error l + x / 2 * (2 * (INR n * q)))) with (k1 * layer_error l + k1 * (x * INR n * q)) by field.
  set (e := gamma / (4 * k2 * x)) in *. cbn [layer_error]. fold e. pose proof (power_at_least_1 (L - S l)) as Pp.
  set (p := (2 * k1) ^ (L - S l)) in *. destruct l as [|l].
  - cbn [layer_error]. replace L with (S (L - 1)) in Sh by lia. cbn [pow] in Sh. fold p in Sh.
    replace (k1 * (e * (2 * / (2 * k1 * p)))) with (e * / p) in Sh by (field; lra). lra.
  - assert (A : k1 * layer_error (S l) = e * / p / 2).
    { cbn [layer_error]. fold e. replace (L - S l)%nat with (S (L - S (S l))) by lia. cbn [pow]. fold p. field. lra. }
    assert (B : k1 * (e * (2 * / (2 * k1) ^ L)) <= e * / p / 2); [|lra].
    replace L with (S (S (l + (L - S (S l))))) at 1 by lia. cbn [pow]. rewrite pow_add. fold p.
    pose proof (power_at_least_1 l) as Pl. set (r := (2 * k1) ^ l) in *.
    replace (k1 * (e * (2 * / (2 * k1 * (2 * k1 * (r * p)))))) with (e * / p / 2 * / (k1 * r)) by (field; lra).
    assert (0 <= e * / p) by auto with signs. rewrite <- Rmult_1_r. apply Rmult_le_compat_l; [lra|auto with signs].
Qed.
End AtOneLength.

(* ---- the order of 1/tau = (2/gamma) ln R, for any constants ---- *)
Lemma order_of_share L k1 k2 : 1 <= k1 -> 1 <= k2 -> exists c, forall n gamma x, (2 <= n)%nat -> 0 < gamma <= 1 ->
  1 <= x -> 2 / gamma * ln (inverse_share L k1 k2 x gamma n) <= c * (/ gamma * ln (INR n * x / gamma)).
Proof.
  intros H1 H2. assert (B : 1 <= (2 * k1) ^ L * k2) by auto with signs.
  apply (order_of_power (fun n gamma x => inverse_share L k1 k2 x gamma n) (2 * (2 * k1) ^ L * k2) 2); [lra|].
  intros n gamma x Hn HG X1. pose proof (inverse_share_at_least_2 L k1 k2 x gamma n ltac:(lia) H1 H2 X1 HG).
  split; [lra|]. unfold inverse_share.
  assert (1 <= INR n * / gamma) by auto with signs. assert (0 <= x ^ 2) by auto with signs.
  replace (2 * (2 * k1) ^ L * k2 * INR n * x ^ 2 / gamma) with (2 * ((2 * k1) ^ L * k2) * (INR n * x ^ 2 * / gamma * 1))
    by (unfold Rdiv; ring).
  replace (2 * (2 * k1) ^ L * k2 * (INR n * x / gamma) ^ 2)
    with (2 * ((2 * k1) ^ L * k2) * (INR n * x ^ 2 * / gamma * (INR n * / gamma))) by (unfold Rdiv; ring).
  apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; [auto with signs|assumption].
Qed.

Lemma temperature_of_share L k1 k2 (g x : nat -> R) : 1 <= k1 -> 1 <= k2 -> (forall n, 0 < g n) ->
  (forall n, 1 <= x n) ->
  let tau := tau_from (fun n gamma x => inverse_share L k1 k2 x gamma n) g x in
  (forall n, (1 <= n)%nat -> 0 < tau n) /\
  exists c, forall n, (2 <= n)%nat -> / tau n <= c * (/ Rmin (g n) 1 * ln (INR n * x n / Rmin (g n) 1)).
Proof.
  intros H1 H2 G X tau. apply tau_from_order; [exact G|exact X| |now apply order_of_share].
  intros n gamma y Hn HG Y. pose proof (inverse_share_at_least_2 L k1 k2 y gamma n Hn H1 H2 Y HG). lra.
Qed.

(* Where gamma >= 1/n^k and x <= a n^m, that is O(n^k log n). *)
Lemma polynomial_order (k m : nat) (a : R) : exists c, 0 <= c /\ forall n gamma x, (2 <= n)%nat -> / INR n ^ k <= gamma
  <= 1 -> 1 <= x <= a * INR n ^ m -> / gamma * ln (INR n * x / gamma) <= c * (INR n ^ k * ln (INR n)).
Proof.
  set (b := Rmax 1 a). assert (B : 1 <= b) by apply Rmax_l. assert (L2 : 0 < ln 2) by auto with signs.
  assert (LB : 0 <= ln b).
  { destruct B as [B|B]; [left; rewrite <- ln_1; apply ln_increasing; lra|rewrite <- B, ln_1; lra]. }
  exists (ln b / ln 2 + INR (1 + m + k)). split.
  { apply Rplus_le_le_0_compat; [|apply pos_INR]. apply Rmult_le_pos; [exact LB|left; now apply Rinv_0_lt_compat]. }
  intros n gamma x Hn G X. assert (N2 : 2 <= INR n) by now apply (le_INR 2).
  assert (Nk : 1 <= INR n ^ k) by (apply pow_R1_Rle; lra). assert (Nm : 1 <= INR n ^ m) by (apply pow_R1_Rle; lra).
  assert (G0 : 0 < / INR n ^ k) by (apply Rinv_0_lt_compat; lra). assert (I : 1 <= / gamma <= INR n ^ k).
  { split; [rewrite <- Rinv_1; apply Rinv_le_contravar; lra|]. rewrite <- (Rinv_inv (INR n ^ k)).
    apply Rinv_le_contravar; lra. }
  assert (Xb : x <= b * INR n ^ m).
  { apply Rle_trans with (a * INR n ^ m); [lra|]. apply Rmult_le_compat_r; [lra|apply Rmax_r]. }
  assert (N1 : 1 <= INR n * x) by (replace 1 with (1 * 1) by lra; apply Rmult_le_compat; lra).
  set (y := INR n * x / gamma). assert (Y1 : 1 <= y).
  { unfold y, Rdiv. replace 1 with (1 * 1) by lra. apply Rmult_le_compat; lra. }
  assert (Y : y <= b * INR n ^ (1 + m + k)).
  { unfold y, Rdiv. rewrite !pow_add, pow_1.
    replace (b * (INR n * INR n ^ m * INR n ^ k)) with (INR n * (b * INR n ^ m) * INR n ^ k) by ring.
    apply Rmult_le_compat; try lra. apply Rmult_le_compat_l; lra. }
  assert (LN : ln 2 <= ln (INR n)) by (destruct N2 as [N|N]; [left; apply ln_increasing; lra|rewrite N; lra]).
  assert (LY : ln y <= ln b + INR (1 + m + k) * ln (INR n)).
  { rewrite <- ln_pow, <- ln_mult; try lra; [|apply pow_lt; lra].
    destruct Y as [Y|Y]; [left; apply ln_increasing; lra|rewrite Y; lra]. }
  assert (F : ln b <= ln b / ln 2 * ln (INR n)).
  { replace (ln b) with (ln b / ln 2 * ln 2) at 1 by (field; lra). apply Rmult_le_compat_l; [|exact LN].
    apply Rmult_le_pos; [exact LB|left; now apply Rinv_0_lt_compat]. }
  assert (Y0 : 0 <= ln y).
  { destruct Y1 as [Y1|Y1]; [left; rewrite <- ln_1; apply ln_increasing; lra|rewrite <- Y1, ln_1; lra]. }
  apply Rle_trans with (INR n ^ k * ln y); [apply Rmult_le_compat_r; lra|].
  replace ((ln b / ln 2 + INR (1 + m + k)) * (INR n ^ k * ln (INR n))) with (INR n ^ k * (ln b / ln 2 * ln (INR n) +
    INR (1 + m + k) * ln (INR n))) by ring. apply Rmult_le_compat_l; lra.
Qed.

Lemma at_least_power n k g : (1 <= n)%nat -> / INR n ^ k <= g -> / INR n ^ k <= Rmin g 1.
Proof.
  intros Hn G. apply Rmin_glb; [exact G|]. rewrite <- Rinv_1. apply Rinv_le_contravar; [lra|].
  now apply pow_R1_Rle, INR_at_least_1.
Qed.

Lemma polynomial_inverse k m a (gamma x tau : nat -> R) c : (forall n, (2 <= n)%nat -> / INR n ^ k <= gamma n <= 1) ->
  (forall n, (2 <= n)%nat -> 1 <= x n <= a * INR n ^ m) -> (forall n, (2 <= n)%nat -> / tau n <= c * (/ gamma n * ln
  (INR n * x n / gamma n))) -> exists c', forall n, (2 <= n)%nat -> / tau n <= c' * (INR n ^ k * ln (INR n)).
Proof.
  intros G X T. destruct (polynomial_order k m a) as (b & B0 & B). exists (Rmax 0 c * b). intros n Hn.
  specialize (B n (gamma n) (x n) Hn (G n Hn) (X n Hn)). specialize (T n Hn).
  assert (N2 : 2 <= INR n) by now apply (le_INR 2).
  assert (G0 : 0 < / INR n ^ k) by (apply Rinv_0_lt_compat, pow_lt; lra). specialize (G n Hn). specialize (X n Hn).
  set (y := / gamma n * ln (INR n * x n / gamma n)) in *. assert (Y : 0 <= y).
  { assert (I : 1 <= / gamma n) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra). apply Rmult_le_pos; [lra|].
    rewrite <- ln_1. assert (1 <= INR n * x n / gamma n).
    { unfold Rdiv. replace 1 with (1 * 1 * 1) by lra. repeat apply Rmult_le_compat; lra. }
    destruct (Req_dec 1 (INR n * x n / gamma n)) as [<-|]; [lra|left; apply ln_increasing; lra]. }
  apply Rle_trans with (c * y); [exact T|]. apply Rle_trans with (Rmax 0 c * y).
  - apply Rmult_le_compat_r; [exact Y|apply Rmax_r].
  - rewrite Rmult_assoc. apply Rmult_le_compat_l; [apply Rmax_l|exact B].
Qed.

(* ---- the theorem ---- *)
Section Theorem26.
Variables (users : predicate_meanings) (T : transformer).
Let L := transformer_depth T.
Let k1 := Q2R (theorem_26_K1 T).
Let k2 := Q2R (theorem_26_K2 T).

Lemma k1_at_least_1 : 1 <= k1. Proof. apply constant_1_at_least_1. Qed.
Lemma k2_at_least_1 : 1 <= k2. Proof. apply constant_2_at_least_1. Qed.
Definition R_26 (n : nat) (gamma x : R) : R := inverse_share L k1 k2 x gamma n.

Lemma row_error_grows n gamma tau d d' : 0 < tau -> 0 <= d <= d' ->
  0 <= 2 * (INR n * exp ((2 * d - gamma) / tau)) <= 2 * (INR n * exp ((2 * d' - gamma) / tau)).
Proof.
  intros T0 H. split; [auto with signs|]. apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; [auto with signs|].
  apply exp_monotone. apply Rmult_le_compat_r; [auto with signs|lra].
Qed.

Lemma every_row_and (P P' : mask -> (nat -> R) -> Prop) n ls : forall h,
  every_row P n ls h -> every_row P' n ls h -> every_row (fun m s => P m s /\ P' m s) n ls h.
Proof.
  induction ls as [|l ls IH]; intros h; [easy|]. intros [A As] [B Bs]. split; [|now apply IH].
  intros a i Ha Ua Hi. split; [now apply A|now apply B].
Qed.

Theorem theorem_26 (n : nat) (w : word) (g x : R) (tau : nat ->
  R) (i : position n) (D : nat) : gap_at users T n g -> tieless_at users T n -> initial_at_most users T n x ->
  0 < tau n <= Rmin g 1 / (2 * ln (R_26 n (Rmin g 1) x)) -> word_in_alphabet T n w ->
  run_distance users tau T n w i D <= Rmin g 1 / (4 * k2 * x) /\ Rmin g 1 / (4 * k2 * x) <= 1 / 4.
Proof.
  intros [G0 Gap] Tie X [T0 Cold] Over. pose proof k1_at_least_1 as H1. pose proof k2_at_least_1 as H2.
  pose proof (proj1 X) as X1. set (gamma := Rmin g 1) in *. pose proof (Rmin_1_range g G0 : 0 < gamma <= 1) as HG.
  split; [|now apply share_small]. eapply Rle_trans; [|apply (proj2 (errors_range L k1 k2 x gamma H1 H2 X1 HG L))].
  apply (network_moves users T n w x (fun m s => has_gap n m s gamma /\ tieless n m s) (layer_error L k1 k2 x gamma) tau
    i D (fun d => 2 * (INR n * exp ((2 * d - gamma) / tau n)))); try assumption.
  - apply every_row_and; [|now apply Tie]. eapply every_row_impl; [|now apply Gap]. intros m s A.
    apply (has_gap_less n m s g _ A). split; [lra|apply Rmin_l].
  - intros m s s' p delta V [A B] Near. now apply (near_hard_tieless n m s s' p delta gamma (tau n)).
  - intros d d' H. now apply row_error_grows.
  - apply (proj1 (errors_range L k1 k2 x gamma H1 H2 X1 HG 0)).
  - intros l Hl. split; [|apply (one_step L k1 k2 x gamma (tau n) n); try assumption; lia].
    pose proof (errors_range L k1 k2 x gamma H1 H2 X1 HG l) as Er.
    pose proof (share_small k2 x gamma H2 X1 HG). fold k1 k2. lra.
Qed.

Lemma R_26_above_1 n gamma x : (1 <= n)%nat -> 0 < gamma <= 1 -> 1 <= x -> 2 <= R_26 n gamma x.
Proof. intros. apply inverse_share_at_least_2; try assumption; [apply k1_at_least_1|apply k2_at_least_1]. Qed.

Theorem theorem_26_order (g x : nat -> R) : (forall n, gap_at users T n (g n)) -> (forall n, tieless_at users T n) ->
  (forall n, initial_at_most users T n (x n)) -> exists tau : nat -> R, (forall n, (1 <= n)%nat -> 0 < tau n) /\
    (exists c, forall n, (2 <= n)%nat -> / tau n <= c * (/ Rmin (g n) 1 * ln (INR n * x n / Rmin (g n) 1))) /\
    (forall n w (i : position n) D, word_in_alphabet T n w -> run_distance users tau T n w i D <= 1 / 4).
Proof.
  intros Gap Tie X.
  destruct (temperature_of_share L k1 k2 g x k1_at_least_1 k2_at_least_1) as [Pos Order]; [apply Gap|apply X|].
  exists (tau_from R_26 g x). split; [exact Pos|]. split; [exact Order|]. intros n w i D Over.
  destruct (theorem_26 n w (g n) (x n) (tau_from R_26 g x) i D) as [A B]; try auto; [|lra].
  split; [apply Pos; lia|apply Rle_refl].
Qed.

(* In particular, if gamma(n) is at least 1/n^k and x_max(n) polynomial. *)
Corollary theorem_26_polynomial (g x : nat -> R) (k m : nat) (a : R) : (forall n, gap_at users T n (g n)) -> (forall n,
  tieless_at users T n) -> (forall n, initial_at_most users T n (x n)) -> (forall n, (1 <= n)%nat ->
  / INR n ^ k <= g n) -> (forall n, (1 <= n)%nat -> x n <= a * INR n ^ m) -> exists tau : nat -> R, (forall n,
  (1 <= n)%nat -> 0 < tau n) /\ (exists c, forall n, (2 <= n)%nat -> / tau n <= c * (INR n ^ k * ln (INR n))) /\
  (forall n w (i : position n) D, word_in_alphabet T n w -> run_distance users tau T n w i D <= 1 / 4).
Proof.
  intros Gap Tie X Gk Xm. destruct (theorem_26_order g x Gap Tie X) as (tau & Pos & (c & Order) & Close).
  exists tau. split; [exact Pos|]. split; [|exact Close].
  apply (polynomial_inverse k m a (fun n => Rmin (g n) 1) x tau c); [| |exact Order].
  - intros n Hn. split; [|apply Rmin_r]. apply at_least_power; [lia|]. apply Gk. lia.
  - intros n Hn. split; [apply X|apply Xm; lia].
Qed.

(* With Lemma 24: at every length all temperatures up to some positive one do. *)
Corollary theorem_26_some_temperature n : (1 <= n)%nat -> tieless_at users T n -> exists t, 0 < t /\ forall tau w (i :
  position n) D, 0 < tau n <= t -> word_in_alphabet T n w -> run_distance users tau T n w i D <= 1 / 4.
Proof.
  intros Hn Tie. destruct (lemma_24 users T n) as [g Gap]. destruct (x_max_exists users T n) as [x X].
  pose proof (Rmin_1_range g (proj1 Gap)) as HG. pose proof (R_26_above_1 n _ _ Hn HG (proj1 X)) as R2.
  exists (Rmin g 1 / (2 * ln (R_26 n (Rmin g 1) x))). split.
  - assert (0 < ln (R_26 n (Rmin g 1) x)) by auto with signs. apply Rdiv_lt_0_compat; lra.
  - intros tau w i D Ht Over. destruct (theorem_26 n w g x tau i D Gap Tie X Ht Over). lra.
Qed.
End Theorem26.
