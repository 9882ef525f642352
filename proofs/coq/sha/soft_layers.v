(* Errors through all layers: what Theorem 26 and its extension to ties have in common.

   `embedded_count`, `constant_1` and `constant_2` are d, K1 and K2 of
   constructions/statements/theorem_26_uniform_tieless.py, as computed rational numbers. Proved: if one row of weights
   errs by at most `row_error delta` where scores err by delta, and a sequence E starts at 0 and grows by
   K1 (E + x/2 row_error (K2 x E)) per layer, then the sum over directions of the error behind all layers is at most its
   last member. *)
From Coq Require Import Reals QArith Qreals Qabs List Bool Lra Lia Arith.
From Certify Require Import positions finite_sums softmax linear_combination formula network hard_attention lemma_24_gap
  norms lemma_25_one_layer.
Import ListNotations PositionNotations.
Open Scope R_scope.

(* ---- the constants ---- *)
Definition scored_heads (l : layer) : list head := filter (fun a => negb (uniform_head a)) (layer_heads l).
Definition layer_constant_1 (l : layer) (c : Q) : Q :=
  larger_rational (amplification l) (Qred (2 * (1 + unit_norm l) * scored_norm l * c)).
Definition layer_constant_2 (l : layer) (c : Q) : Q :=
  greatest_rational (map (fun a => Qred (score_norm_q a * (2 * c + 1))) (scored_heads l)).
Fixpoint constant_1 (ls : list layer) (c : Q) : Q :=
  match ls with [] => 1%Q | l :: ls => larger_rational (layer_constant_1 l c) (constant_1 ls (size_after_layer l c))
    end.
Fixpoint constant_2 (ls : list layer) (c : Q) : Q :=
  match ls with [] => 1%Q | l :: ls => larger_rational (layer_constant_2 l c) (constant_2 ls (size_after_layer l c))
    end.

(* The directions that the embedding writes. *)
Local Definition nonzero (r : row) : row := filter (fun e => negb (Qeq_bool (snd e) 0)) r.
Local Definition embedded (T : transformer) : list direction := nodup Nat.eq_dec (map fst (position_embedding T)
  ++ flat_map (fun r => directions_of (nonzero r)) (token_embedding T)).
Definition embedded_count (T : transformer) : nat := length (embedded T).
Definition theorem_26_K1 (T : transformer) : Q := constant_1 (transformer_layers T) (inject_Z (Z.of_nat (embedded_count
  T))).
Definition theorem_26_K2 (T : transformer) : Q := constant_2 (transformer_layers T) (inject_Z (Z.of_nat (embedded_count
  T))).
Definition transformer_depth (T : transformer) : nat := length (transformer_layers T).

Lemma constant_1_at_least_1 ls : forall c, 1 <= Q2R (constant_1 ls c).
Proof.
  induction ls as [|l ls IH]; intros c; cbn [constant_1]; [rewrite Q2R_1; lra|].
  rewrite larger_correct. eapply Rle_trans; [apply IH|apply Rmax_r].
Qed.
Lemma constant_2_at_least_1 ls : forall c, 1 <= Q2R (constant_2 ls c).
Proof.
  induction ls as [|l ls IH]; intros c; cbn [constant_2]; [rewrite Q2R_1; lra|].
  rewrite larger_correct. eapply Rle_trans; [apply IH|apply Rmax_r].
Qed.

Lemma score_norm_q_nonneg a : 0 <= Q2R (score_norm_q a). Proof. apply greatest_nonneg. Qed.
Lemma unit_norm_nonneg l : 0 <= Q2R (unit_norm l). Proof. apply greatest_nonneg. Qed.
Lemma amplification_nonneg l : 0 <= Q2R (amplification l).
Proof.
  rewrite Q2R_amplification. pose proof (unit_norm_nonneg l). pose proof (values_norm_nonneg l).
  apply Rmult_le_pos; lra.
Qed.
Lemma Q2R_growth l c : Q2R (size_after_layer l c) = Q2R (amplification l) * Q2R c + Q2R (bias_norm l).
Proof. unfold size_after_layer. now autorewrite with to_reals. Qed.

Lemma Q2R_two : Q2R 2 = 2. Proof. unfold Q2R. simpl. lra. Qed.

(* ---- the induction ---- *)
Section Layers.
Variables (n D : nat) (tau x k1 k2 : R) (P : mask -> (nat -> R) -> Prop) (row_error : R -> R) (E : nat -> R).
Hypothesis X1 : 1 <= x.
Hypothesis Row : forall m s s' p delta, visible n m p -> P m s -> (forall j, visible n m j -> Rabs (s j - s' j)
  <= delta) -> sum_to n (fun j => Rabs (hardmax n m s j - softmax_at tau n m s' j)) <= row_error delta.
Hypothesis Row_grows : forall d d', 0 <= d <= d' -> 0 <= row_error d <= row_error d'.

(* Lemma 32: scores are off by at most K2 x eps. *)
Lemma scores_apart a h h' c e C (i : position n) j : all_below D (head_queries a) -> all_below D (head_keys a) ->
  stream_within n h c -> streams_apart n h h' e -> nonnegative_vector c -> nonnegative_vector e -> 0 <= Q2R C ->
  l1_size D c <= Q2R C * x -> l1_size D e <= 1 -> Q2R (score_norm_q a) * (2 * Q2R C + 1) <= k2 -> j upto n ->
  Rabs (raw_score a h i j - raw_score a h' i j) <= k2 * x * l1_size D e.
Proof.
  intros Bq Bk Hc He C0 E0 C1 Sc Se K Hj. unfold raw_score.
  eapply Rle_trans; [apply (score_difference _ _ _ _ _ _ c e); auto|].
  pose proof (score_reach_norm D a c e Bq Bk C0 E0) as A. pose proof (score_reach_norm D a e c Bq Bk E0 C0) as B.
  pose proof (score_reach_norm D a e e Bq Bk E0 E0) as F.
  pose proof (l1_size_nonneg D c (fun d _ => C0 d)) as U. pose proof (l1_size_nonneg D e (fun d _ => E0 d)) as V.
  pose proof (score_norm_q_nonneg a) as S. set (p := l1_size D c) in *. set (q := l1_size D e) in *.
  set (s := Q2R (score_norm_q a)) in *. apply Rle_trans with (s * (2 * p + q) * q); [lra|].
  apply Rmult_le_compat_r; [exact V|]. apply Rle_trans with (s * ((2 * Q2R C + 1) * x)).
  - apply Rmult_le_compat_l; [exact S|]. lra.
  - rewrite <- Rmult_assoc. apply Rmult_le_compat_r; lra.
Qed.

(* Lemma 33 in each row of a layer. *)
Lemma layer_rows l C h h' c e : reads_below D l -> rows_hold P n l h -> stream_within n h c -> streams_apart n h h' e ->
  nonnegative_vector c -> nonnegative_vector e -> 0 <= Q2R C -> l1_size D c <= Q2R C * x -> l1_size D e <= 1 ->
  Q2R (layer_constant_2 l C) <= k2 -> forall a (i : position n), In a (layer_heads l) -> uniform_head a = false ->
  sum_to n (fun j => Rabs (weights_by hardmax a n h i j - weights_by (softmax_at tau) a n h' i j))
  <= row_error (k2 * x * l1_size D e).
Proof.
  intros [Reads _] Rows Hc He C0 E0 C1 Sc Se L2 a i A U. apply (Row _ _ _ i); [now apply visible_self|now apply Rows|].
  intros j [Hj _]. destruct (Reads a A) as (Bq & Bk & _). apply (scores_apart a h h' c e C i j); try assumption.
  apply Rle_trans with (Q2R (layer_constant_2 l C)); [|exact L2].
  replace (Q2R (score_norm_q a) * (2 * Q2R C + 1)) with (Q2R (Qred (score_norm_q a * (2 * C + 1)))).
  - apply greatest_bounds. apply (in_map (fun a => Qred (score_norm_q a * (2 * C + 1)))).
    apply filter_In. split; [exact A|now rewrite U].
  - now rewrite Q2R_reduced, Q2R_mult, Q2R_plus, Q2R_mult, Q2R_two, Q2R_1.
Qed.

(* (1 + F) T eta |c| <= K1 x/2 eta. *)
Lemma new_error l C r c : 0 <= r -> 0 <= Q2R C -> nonnegative_vector c -> l1_size D c <= Q2R C * x ->
  Q2R (layer_constant_1 l C) <= k1 ->
  (1 + Q2R (unit_norm l)) * Q2R (scored_norm l) * (r * l1_size D c) <= k1 * (x / 2 * r) /\ Q2R (amplification l) <= k1.
Proof.
  intros R0 C1 C0 Sc L. unfold layer_constant_1 in L.
  rewrite larger_correct, Q2R_reduced, !Q2R_mult, Q2R_plus, Q2R_two, Q2R_1 in L.
  pose proof (Rmax_l (Q2R (amplification l)) (2 * (1 + Q2R (unit_norm l)) * Q2R (scored_norm l) * Q2R C)) as M1.
  pose proof (Rmax_r (Q2R (amplification l)) (2 * (1 + Q2R (unit_norm l)) * Q2R (scored_norm l) * Q2R C)) as M2.
  split; [|lra]. pose proof (unit_norm_nonneg l). pose proof (scored_norm_nonneg l).
  set (ft := (1 + Q2R (unit_norm l)) * Q2R (scored_norm l)) in *.
  assert (FT : 0 <= ft) by (apply Rmult_le_pos; lra). apply Rle_trans with (ft * (r * (Q2R C * x))).
  - apply Rmult_le_compat_l; [exact FT|]. now apply Rmult_le_compat_l.
  - replace (ft * (r * (Q2R C * x))) with ((2 * (1 + Q2R (unit_norm l)) * Q2R (scored_norm l) * Q2R C) * (x / 2 * r))
      by (unfold ft; field). apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|lra].
Qed.

(* Lemma 25: one layer, from an error of at most b. *)
Lemma layer_softened l C b h h' c e : reads_below D l -> rows_hold P n l h -> stream_within n h c ->
  streams_apart n h h' e -> nonnegative_vector c -> nonnegative_vector e -> 0 <= Q2R C -> l1_size D c <= Q2R C * x ->
  l1_size D e <= b -> b <= 1 -> 0 <= k2 -> Q2R (layer_constant_1 l C) <= k1 -> Q2R (layer_constant_2 l C) <= k2 ->
  exists c' e', nonnegative_vector c' /\ nonnegative_vector e' /\ stream_within n (after_layer_by hardmax n l h) c' /\
  streams_apart n (after_layer_by hardmax n l h) (after_layer_by (softmax_at tau) n l h') e' /\
  l1_size D c' <= Q2R (size_after_layer l C) * x /\ l1_size D e' <= k1 * (b + x / 2 * row_error (k2 * x * b)).
Proof.
  intros Reads Rows Hc He C0 E0 C1 Sc Se B1 K2 L1 L2. pose proof (l1_size_nonneg D e (fun d _ => E0 d)) as V.
  assert (DD : 0 <= k2 * x * l1_size D e <= k2 * x * b).
  { assert (0 <= k2 * x) by (apply Rmult_le_pos; lra). split; [now apply Rmult_le_pos|now apply Rmult_le_compat_l]. }
  pose proof (Row_grows _ _ DD) as RG.
  destruct (one_layer n D l h h' c e tau (row_error (k2 * x * l1_size D e)) Reads Hc He C0 E0 (proj1 RG) (layer_rows l C
    h h' c e Reads Rows Hc He C0 E0 C1 Sc (Rle_trans _ _ _ Se B1) L2)) as (c' & e' & C0' & E0' & Hc' & He' & Sc' & Se').
  destruct (new_error l C _ c (proj1 RG) C1 C0 Sc L1) as [N A]. pose proof (amplification_nonneg l) as A0.
  exists c', e'. repeat (split; [assumption|]). split.
  - rewrite Q2R_growth. eapply Rle_trans; [exact Sc'|]. rewrite Rmult_plus_distr_r, Rmult_assoc.
    apply Rplus_le_compat; [now apply Rmult_le_compat_l|]. rewrite <- (Rmult_1_r (Q2R (bias_norm l))) at 1.
    apply Rmult_le_compat_l; [apply bias_norm_nonneg|exact X1].
  - eapply Rle_trans; [exact Se'|]. rewrite Rmult_plus_distr_l. apply Rplus_le_compat; [apply Rmult_le_compat; lra|].
    eapply Rle_trans; [exact N|]. apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; lra.
Qed.

Lemma layers_move ls : forall C k h h' c e, (forall l, In l ls -> reads_below D l) -> every_row P n ls h ->
  stream_within n h c -> streams_apart n h h' e -> nonnegative_vector c -> nonnegative_vector e -> 0 <= Q2R C ->
  l1_size D c <= Q2R C * x -> l1_size D e <= E k -> Q2R (constant_1 ls C) <= k1 -> Q2R (constant_2 ls C) <= k2 ->
  (forall j, (k <= j < k + length ls)%nat -> E j <= 1 /\ k1 * (E j + x / 2 * row_error (k2 * x * E j)) <= E (S j)) ->
  exists e', nonnegative_vector e' /\ streams_apart n (after_layers_by hardmax n ls h) (after_layers_by (softmax_at tau)
  n ls h') e' /\ l1_size D e' <= E (k + length ls)%nat.
Proof.
  induction ls as [|l ls IH]; intros C k h h' c e Reads Rows Hc He C0 E0 C1 Sc Se L1 L2 Grow.
  { exists e. rewrite Nat.add_0_r. now repeat split. }
  cbn [constant_1 constant_2] in L1, L2. rewrite larger_correct in L1, L2. destruct Rows as [Rows_l Rows].
  pose proof (Rmax_l (Q2R (layer_constant_1 l C)) (Q2R (constant_1 ls (size_after_layer l C)))) as L1a.
  pose proof (Rmax_r (Q2R (layer_constant_1 l C)) (Q2R (constant_1 ls (size_after_layer l C)))) as L1b.
  pose proof (Rmax_l (Q2R (layer_constant_2 l C)) (Q2R (constant_2 ls (size_after_layer l C)))) as L2a.
  pose proof (Rmax_r (Q2R (layer_constant_2 l C)) (Q2R (constant_2 ls (size_after_layer l C)))) as L2b.
  pose proof (constant_2_at_least_1 ls (size_after_layer l C)) as K21. destruct (Grow k) as [Ek Step]; [simpl; lia|].
  destruct (layer_softened l C (E k) h h' c e (Reads l (or_introl eq_refl)) Rows_l Hc He C0 E0 C1 Sc Se Ek ltac:(lra)
    ltac:(lra) ltac:(lra)) as (c' & e' & C0' & E0' & Hc' & He' & Sc' & Se').
  destruct (IH (size_after_layer l C) (S k) (after_layer_by hardmax n l h) (after_layer_by (softmax_at tau) n l h') c'
    e') as (f & F0 & Hf & Sf); try assumption; try lra.
  - intros l' I. apply Reads. now right.
  - rewrite Q2R_growth. apply Rplus_le_le_0_compat; [|apply bias_norm_nonneg].
    apply Rmult_le_pos; [apply amplification_nonneg|exact C1].
  - intros j Hj. apply Grow. simpl. lia.
  - exists f. split; [exact F0|]. split; [exact Hf|]. cbn [length]. now rewrite Nat.add_succ_r.
Qed.
End Layers.

(* ---- initial activations, and directions as numbers below a bound ---- *)
Definition layer_directions (l : layer) : list direction := flat_map (fun a => flat_map directions_of (head_queries a)
  ++ flat_map directions_of (head_keys a) ++ flat_map directions_of (map snd (head_values a))) (layer_heads l)
  ++ flat_map (fun u => directions_of (unit_reads u)) (layer_units l).
Definition first_unused_direction (T : transformer) : nat := S (list_max (flat_map layer_directions (transformer_layers
  T))).

Lemma in_below l (d : nat) : In d l -> (d < S (list_max l))%nat.
Proof.
  intros I. assert (L : Forall (fun k => (k <= list_max l)%nat) l) by now apply list_max_le.
  rewrite Forall_forall in L. specialize (L d I). lia.
Qed.

Lemma layers_read_below T D l : (first_unused_direction T <= D)%nat -> In l (transformer_layers T) -> reads_below D l.
Proof.
  intros B L. assert (A : forall d, In d (layer_directions l) -> (d < D)%nat).
  { intros d I. apply Nat.lt_le_trans with (first_unused_direction T); [|exact B]. apply in_below, in_flat_map.
    now exists l. }
  unfold layer_directions in A. split.
  - intros a H. assert (A' : forall d, In d (flat_map directions_of (head_queries a) ++ flat_map directions_of
      (head_keys a) ++ flat_map directions_of (map snd (head_values a))) -> (d < D)%nat).
    { intros d I. apply A, in_or_app. left. apply in_flat_map. now exists a. }
    repeat split; intros r R d I; apply A'; rewrite !in_app_iff;
      [left|right; left|right; right]; apply in_flat_map; now exists r.
  - intros u U d I. apply A, in_or_app. right. apply in_flat_map. now exists u.
Qed.

Lemma entry_nonzero r d : row_entry (nonzero r) d = row_entry r d.
Proof.
  unfold row_entry. induction r as [|[e q] r IH]; [reflexivity|]. cbn [nonzero filter snd]. fold (nonzero r).
  destruct (Qeq_bool q 0) eqn:Z; cbn [negb collect].
  - rewrite IH. apply Qeq_bool_R in Z. rewrite Z, Q2R_0. destruct (e =? d)%nat; lra.
  - now rewrite IH.
Qed.

Lemma embed_elsewhere users T n w i d : ~ In d (embedded T) -> embed users T n w i d = 0.
Proof.
  unfold embedded. rewrite nodup_In, in_app_iff. intros N. unfold embed. rewrite (collect_absent _ _ d) by tauto.
  rewrite <- entry_nonzero. unfold row_entry. rewrite collect_absent; [lra|]. intros I. apply N. right.
  destruct (nth_in_or_default (w i) (token_embedding T) []) as [J|J].
  - apply in_flat_map. now exists (nth (w i) (token_embedding T) []).
  - now rewrite J in I.
Qed.

Local Definition envelope (T : transformer) (x : R) : vector := fun d => if in_dec Nat.eq_dec d (embedded T) then x else
  0.

Lemma size_of_set D x (l : list direction) : 0 <= x ->
  l1_size D (fun d => if in_dec Nat.eq_dec d l then x else 0) <= INR (length l) * x.
Proof.
  intros X. induction l as [|e l IH].
  - apply Req_le. simpl. rewrite Rmult_0_l. apply size_zero.
  - cbn [length]. rewrite S_INR.
    apply Rle_trans with (l1_size D (fun d => (if (e =? d)%nat then x else 0) + if in_dec Nat.eq_dec d l then x else
      0)).
    + apply l1_size_le. intros d _. destruct (in_dec Nat.eq_dec d (e :: l)) as [[<-|I]|N].
      * rewrite Nat.eqb_refl. destruct (in_dec Nat.eq_dec e l); lra.
      * destruct (in_dec Nat.eq_dec d l); [|easy]. destruct (e =? d)%nat; lra.
      * destruct (e =? d)%nat, (in_dec Nat.eq_dec d l); lra.
    + rewrite size_plus, size_single. destruct (e <? D)%nat; lra.
Qed.

Lemma size_apart n D h h' e (i : position n) : streams_apart n h h' e -> l1_size D (fun d =>
  Rabs (h i d - h' i d)) <= l1_size D e.
Proof. intros H. apply l1_size_le. intros d _. now apply H. Qed.

(* ---- the distance of the two runs at one position: a sum over directions ---- *)
Definition run_distance users (tau : nat -> R) T n w i (D : nat) : R :=
  l1_size D (fun d => Rabs (run_hard users T n w i d - run_soft tau users T n w i d)).

Lemma moved_grows users tau T n w i D D' : (D <= D')%nat -> run_distance users tau T n w i D <= run_distance users tau T
  n w i D'.
Proof. intros L. apply size_grows; [exact L|]. intros d _. apply Rabs_pos. Qed.

(* Each direction, in particular the output, moves by at most the sum. *)
Theorem network_moves users T n w x (P : mask -> (nat -> R) -> Prop) (E : nat -> R) tau (i : position n) D (error : R ->
  R) : word_in_alphabet T n w -> initial_at_most users T n x -> every_row P n (transformer_layers T) (embed users T n w)
  -> (forall m s s' p delta, visible n m p -> P m s -> (forall j, visible n m j -> Rabs (s j - s' j) <= delta) ->
  sum_to n (fun j => Rabs (hardmax n m s j - softmax_at (tau n) n m s' j)) <= error delta) -> (forall d d',
  0 <= d <= d' -> 0 <= error d <= error d') -> 0 <= E 0%nat -> (forall k, (k < transformer_depth T)%nat -> E k <= 1 /\
  Q2R (theorem_26_K1 T) * (E k + x / 2 * error (Q2R (theorem_26_K2 T) * x * E k)) <= E (S k)) ->
  run_distance users tau T n w i D <= E (transformer_depth T).
Proof.
  intros Over [X1 X] Rows Row Mono E0 Grow.
  apply Rle_trans with (run_distance users tau T n w i (Nat.max D (first_unused_direction T))); [apply moved_grows;
    lia|]. set (D' := Nat.max D (first_unused_direction T)). assert (B : (first_unused_direction T <= D')%nat) by lia.
  assert (Hc : stream_within n (embed users T n w) (envelope T x)).
  { intros j d Hj. unfold envelope. destruct (in_dec Nat.eq_dec d (embedded T)) as [I|N]; [now apply X|].
    rewrite (embed_elsewhere users T n w j d N), Rabs_R0. lra. }
  destruct (layers_move n D' (tau n) x (Q2R (theorem_26_K1 T)) (Q2R (theorem_26_K2 T)) P error E X1 Row Mono
    (transformer_layers T) (inject_Z (Z.of_nat (embedded_count T))) 0 (embed users T n w) (embed users T n w) (envelope
    T x) (fun _ => 0)) as (e & _ & A & S); try assumption.
  - intros l L. now apply (layers_read_below T).
  - intros j d _. rewrite (Rminus_diag_eq _ _ eq_refl), Rabs_R0. lra.
  - intros d. unfold envelope. destruct (in_dec _ _ _); lra.
  - intros d. lra.
  - rewrite Q2R_of_nat. apply pos_INR.
  - rewrite Q2R_of_nat. apply size_of_set. lra.
  - now rewrite size_zero.
  - apply Rle_refl.
  - apply Rle_refl.
  - intros j Hj. apply Grow. unfold transformer_depth. lia.
  - eapply Rle_trans; [|exact S]. now apply (size_apart n).
Qed.
