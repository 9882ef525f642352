(* [Hahn] Lemma 5, read backwards: how cold a transformer must be that hangs on one symbol.

   Proved: for the weights of T and a bound B of its embeddings there is a K such that `lemma_5_constant T B t` is at
   most K e^(K/t) for every t in (0, 1]. So if a formula hangs at length n on one symbol that is N positions or more
   from both ends, and T separates its truth from its falsehood by a margin, with temperatures of at least t at that
   length, then margin N <= K e^(K/t): temperatures must fall at least like 1/ln n, whatever the masks. *)
From Coq Require Import Reals List Bool Lra Lia.
From Certify Require Import positions finite_sums exponential formula network hahn_one_row hahn_soft_layer
  hahn_one_layer hahn_lemma_5_repaired hahn_hard_formulas.
Import ListNotations.
Open Scope R_scope.

(* At least 0, and at most k e^(k/t) for some k. *)
Local Definition tame (f : R -> R) := (forall t, 0 < t <= 1 -> 0 <= f t) /\
  exists k, 0 <= k /\ forall t, 0 < t <= 1 -> f t <= k * exp (k / t).

Lemma exp_quotient_monotone k l t : k <= l -> 0 < t -> exp (k / t) <= exp (l / t).
Proof. intros H Ht. apply exp_monotone. apply Rmult_le_compat_r; [auto with signs|exact H]. Qed.

Lemma tame_monotone f g : tame g -> (forall t, 0 < t <= 1 -> 0 <= f t <= g t) -> tame f.
Proof.
  intros [_ (k & Hk & G)] H. split; [intros t Ht; now apply H|]. exists k. split; [exact Hk|]. intros t Ht.
  eapply Rle_trans; [now apply H|now apply G].
Qed.

Lemma tame_equal f g : (forall t, f t = g t) -> tame g -> tame f.
Proof. intros E H. apply tame_monotone with g; [exact H|]. intros t Ht. rewrite E. split; [now apply H|lra]. Qed.

Lemma tame_constant c : 0 <= c -> tame (fun _ => c).
Proof.
  intros Hc. split; [intros; exact Hc|]. exists c. split; [exact Hc|]. intros t Ht. pose proof (exp_ineq1_le (c / t)).
  pose proof (quotient_nonneg c t Hc ltac:(lra)). pose proof (Rmult_le_compat_l c 1 (exp (c / t)) Hc ltac:(lra)). lra.
Qed.

Lemma tame_exp w : 0 <= w -> tame (fun t => exp (w / t)).
Proof.
  intros Hw. split; [intros; left; apply exp_pos|]. exists (1 + w). split; [lra|]. intros t Ht.
  pose proof (exp_quotient_monotone w (1 + w) t ltac:(lra) ltac:(lra)). pose proof (exp_pos (w / t)).
  pose proof (Rmult_le_compat 1 (1 + w) (exp (w / t)) (exp ((1 + w) / t)) ltac:(lra) ltac:(lra) ltac:(lra) H). lra.
Qed.

Lemma tame_plus f g : tame f -> tame g -> tame (fun t => f t + g t).
Proof.
  intros [F0 (k & Hk & F)] [G0 (l & Hl & G)]. split; [intros t Ht; specialize (F0 t Ht); specialize (G0 t Ht); lra|].
  exists (k + l). split; [lra|]. intros t Ht. specialize (F t Ht). specialize (G t Ht).
  pose proof (Rmult_le_compat_l k _ _ Hk (exp_quotient_monotone k (k + l) t ltac:(lra) ltac:(lra))).
  pose proof (Rmult_le_compat_l l _ _ Hl (exp_quotient_monotone l (k + l) t ltac:(lra) ltac:(lra))). lra.
Qed.

Lemma tame_times f g : tame f -> tame g -> tame (fun t => f t * g t).
Proof.
  intros [F0 (k & Hk & F)] [G0 (l & Hl & G)]. split; [intros t Ht; apply Rmult_le_pos; auto|].
  assert (Hkl : 0 <= k * l) by (apply Rmult_le_pos; lra). set (m := k * l + (k + l)). exists m.
  split; [unfold m; lra|]. intros t Ht. specialize (F0 t Ht). specialize (G0 t Ht). specialize (F t Ht).
  specialize (G t Ht). eapply Rle_trans; [apply Rmult_le_compat; [exact F0|exact G0|exact F|exact G]|].
  replace (k * exp (k / t) * (l * exp (l / t))) with (k * l * exp ((k + l) / t)).
  - pose proof (exp_quotient_monotone (k + l) m t ltac:(unfold m; lra) ltac:(lra)).
    pose proof (exp_pos ((k + l) / t)). apply Rmult_le_compat; [exact Hkl|lra|unfold m; lra|assumption].
  - replace ((k + l) / t) with (k / t + l / t) by (unfold Rdiv; ring). rewrite exp_plus. ring.
Qed.

Lemma tame_total {A} (f : R -> A -> R) l : (forall a, tame (fun t => f t a)) -> tame (fun t => total_over (f t) l).
Proof.
  intros H. induction l as [|a l IH]; simpl; [apply tame_constant; lra|]. apply (tame_plus (fun t => f t a)); auto.
Qed.

(* ---- the shares of a layer, and the constant of Lemma 5 ---- *)
Definition sharp_norm (X : R) (a : head) : R := 2 * (score_norm (head_queries a) (head_keys a) * (X * X)).

Lemma sharp_norm_nonneg X a : 0 <= sharp_norm X a.
Proof.
  pose proof (score_norm_nonneg (head_queries a) (head_keys a)). unfold sharp_norm. apply Rmult_le_pos; [lra|].
  apply Rmult_le_pos; [assumption|exact (Rle_0_sqr X)].
Qed.

Lemma oscillation_is X a t : score_oscillation t X a = sharp_norm X a / t.
Proof. unfold score_oscillation, sharp_norm, Rdiv. ring. Qed.

(* V e^Ω (1 + Ω) <= V e^(2Ω) *)
Lemma tame_mean_share X l : tame (fun t => mean_share t X l).
Proof.
  apply (tame_total (fun t a => value_norm a * (exp (score_oscillation t X a) * (1 + score_oscillation t X a)))).
  intros a. pose proof (value_norm_nonneg a) as V. pose proof (sharp_norm_nonneg X a) as W.
  apply tame_monotone with (fun t => value_norm a * (exp (sharp_norm X a / t) * exp (sharp_norm X a / t))).
  - apply (tame_times (fun _ => value_norm a)); [now apply tame_constant|]. now apply tame_times; apply tame_exp.
  - intros t Ht. rewrite oscillation_is. pose proof (exp_pos (sharp_norm X a / t)) as P.
    pose proof (exp_ineq1_le (sharp_norm X a / t)) as E. pose proof (quotient_nonneg _ t W ltac:(lra)) as Q.
    split; [auto with signs|]. apply Rmult_le_compat_l; [exact V|apply Rmult_le_compat_l; lra].
Qed.

Lemma own_share_below t X l : 0 < t -> own_share t X l <= 1 + mean_share t X l.
Proof.
  intros Ht. unfold own_share, mean_share. apply Rplus_le_compat_l.
  induction (layer_heads l) as [|a heads IH]; simpl; [lra|]. apply Rplus_le_compat; [|exact IH].
  apply Rmult_le_compat_l; [apply value_norm_nonneg|]. apply Rmult_le_compat_l; [left; apply exp_pos|lra].
Qed.

Lemma tame_own_share X l : tame (fun t => own_share t X l).
Proof.
  apply tame_monotone with (fun t => 1 + mean_share t X l).
  - apply (tame_plus (fun _ => 1)); [apply tame_constant; lra|apply tame_mean_share].
  - intros t Ht. pose proof (own_share_at_least_1 t X l ltac:(lra)). pose proof (own_share_below t X l ltac:(lra)). lra.
Qed.

Lemma tame_change ls : forall X c, 0 <= X -> tame c -> tame (fun t => change_behind t ls X (c t)).
Proof.
  induction ls as [|l ls IH]; intros X c HX Hc; [exact Hc|].
  apply tame_equal with (fun t => change_behind t ls (size_behind l X) (feedforward_stretch l * (own_share t X l * c t +
    mean_share t X l * (2 * X + c t)))); [intros; apply change_behind_cons|].
  apply (IH (size_behind l X) (fun t => feedforward_stretch l * (own_share t X l * c t + mean_share t X l * (2 * X +
    c t)))).
  - now apply size_behind_nonneg.
  - pose proof (stretch_at_least_1 l). apply (tame_times (fun _ => feedforward_stretch l)); [apply tame_constant; lra|].
    apply tame_plus; apply tame_times; auto using tame_own_share, tame_mean_share.
    apply (tame_plus (fun _ => 2 * X)); [apply tame_constant; lra|exact Hc].
Qed.

Theorem lemma_5_constant_growth T B : 0 <= B ->
  exists K, 0 <= K /\ forall t, 0 < t <= 1 -> lemma_5_constant T B t <= K * exp (K / t).
Proof.
  intros HB. pose proof (largest_row_nonneg (token_embedding T)).
  apply (tame_change (transformer_layers T) (largest_row (token_embedding T) + B) (fun _ => 0)); [lra|].
  apply tame_constant. lra.
Qed.

(* ---- what separates must be cold ---- *)
Theorem sensitive_needs_cold users T B letters f : 0 <= B -> (letters <= length (token_embedding T))%nat -> exists K,
  0 <= K /\ forall n p i u v N t low high, changes_at users letters f n p i u v -> inner_place N n p i ->
  (1 <= N)%nat -> 0 < t <= 1 -> bounded_at users T n B -> warm_at T n t -> separates_at users n T f low high ->
  (high - low) * INR N <= K * exp (K / t).
Proof.
  intros HB L. destruct (lemma_5_constant_growth T B HB) as (K & HK & G). exists K. split; [exact HK|].
  intros n p i u v N t low high H [P1 P2] HN Ht Bd W S. eapply Rle_trans; [|exact (G t Ht)].
  pose proof (separated_words users T f low high letters n p i u v S L H) as M. destruct H as (Hp & Hi & Ne & D & _).
  pose proof (hahn_lemma_5_any_masks_at users T B t n (Position p Hp) u v Bd W D N ltac:(cbn; lia) P2
    (Position i Hi) (transformer_output T) Ne) as C.
  cbn [place] in C. pose proof (INR_at_least_1 N HN) as PN. set (c := lemma_5_constant T B t) in *.
  replace c with (c / INR N * INR N) by (field; lra). apply Rmult_le_compat_r; lra.
Qed.
