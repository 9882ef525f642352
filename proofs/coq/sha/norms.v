(* Norms of streams and of layers, for [SHA] Lemmas 25 and 28 to 34 as networks of network.v need them.

   An envelope c bounds every entry of a direction, at all positions; `size D c` is the sum of c over the first D
   directions, so at least the 1-norm of each vector. `reach r c` is the most that a row makes of an envelope.
   `value_norm_q`, `unit_norm` and `score_norm_q` are the rational numbers V, F and a of
   constructions/statements/theorem_26_uniform_tieless.py: the greatest absolute column sums of maps, and the greatest
   entry of the bilinear form of scores.

   Proved: maps multiply sizes by at most these norms (Lemma 28), scores are at most a times the product of sizes. *)
From Coq Require Import Reals QArith Qreals Qabs List Bool Lra Lia Arith.
From Certify Require Import finite_sums linear_combination network totals hard_attention lemma_24_gap.
Import ListNotations.
Open Scope R_scope.

(* ---- sums over the first D directions ---- *)
Definition l1_size (D : nat) (c : vector) : R := sum_to D (fun k => c (Nat.pred k)).

Lemma l1_size_le D c c' : (forall d, (d < D)%nat -> c d <= c' d) -> l1_size D c <= l1_size D c'.
Proof. intros H. apply sum_le. intros j Hj. apply H. lia. Qed.
Lemma l1_size_nonneg D c : (forall d, (d < D)%nat -> 0 <= c d) -> 0 <= l1_size D c.
Proof. intros H. apply sum_nonneg. intros j Hj. apply H. lia. Qed.
Lemma size_plus D c c' : l1_size D (fun d => c d + c' d) = l1_size D c + l1_size D c'.
Proof. unfold l1_size. now rewrite <- sum_plus. Qed.
Lemma size_scale D q c : l1_size D (fun d => q * c d) = q * l1_size D c. Proof. unfold l1_size.
now rewrite <- sum_scale. Qed.
Lemma size_zero D : l1_size D (fun _ => 0) = 0. Proof. now apply sum_zero. Qed.

Lemma size_grows D D' c : (D <= D')%nat -> (forall d, (d < D')%nat -> 0 <= c d) -> l1_size D c <= l1_size D' c.
Proof.
  intros L H. replace D' with (D + (D' - D))%nat by lia. unfold l1_size. rewrite sum_cut.
  assert (0 <= sum_to (D' - D) (fun k => c (Nat.pred (D + k)))); [|lra]. apply sum_nonneg. intros j Hj. apply H. lia.
Qed.

Lemma size_single D d x : l1_size D (fun e => if (d =? e)%nat then x else 0) = if (d <? D)%nat then x else 0.
Proof.
  induction D as [|D IH]; [reflexivity|].
  change (l1_size (S D) _) with (l1_size D (fun e => if (d =? e)%nat then x else 0)
    + (if (d =? D)%nat then x else 0)). rewrite IH.
  destruct (Nat.ltb_spec d D), (Nat.eqb_spec d D), (Nat.ltb_spec d (S D)); try lia; lra.
Qed.

Lemma size_total {X} D (f : X -> vector) l :
  l1_size D (fun d => total_over (fun x => f x d) l) = total_over (fun x => l1_size D (f x)) l.
Proof. induction l as [|x l IH]; simpl; [apply size_zero|]. now rewrite size_plus, IH. Qed.

Lemma total_Rabs {X} (f : X -> R) l : Rabs (total_over f l) <= total_over (fun x => Rabs (f x)) l.
Proof. induction l as [|x l IH]; simpl; [rewrite Rabs_R0; lra|]. eapply Rle_trans; [apply Rabs_triang|]. lra. Qed.
Lemma total_difference {X} (f g : X -> R) l : Rabs (total_over f l - total_over g l) <= total_over (fun x =>
  Rabs (f x - g x)) l.
Proof.
  replace (total_over f l - total_over g l) with (total_over (fun x => f x - g x) l); [apply total_Rabs|].
  induction l as [|x l IH]; simpl; lra.
Qed.

Lemma collect_nonneg {X} (f : X -> R) l d : (forall e x, In (e, x) l -> 0 <= f x) -> 0 <= collect f l d.
Proof.
  induction l as [|[e x] l IH]; intros H; simpl; [lra|]. apply Rplus_le_le_0_compat.
  - destruct (e =? d)%nat; [apply (H e); now left|lra].
  - apply IH. intros e' x' I. apply (H e'). now right.
Qed.
Lemma collect_le {X} (f g : X -> R) l d : (forall e x, In (e, x) l -> f x <= g x) -> collect f l d <= collect g l d.
Proof.
  induction l as [|[e x] l IH]; intros H; simpl; [lra|]. apply Rplus_le_compat.
  - destruct (e =? d)%nat; [apply (H e); now left|lra].
  - apply IH. intros e' x' I. apply (H e'). now right.
Qed.
Lemma collect_difference {X} (f g : X -> R) l d :
  Rabs (collect f l d - collect g l d) <= collect (fun x => Rabs (f x - g x)) l d.
Proof.
  induction l as [|[e x] l IH]; simpl; [rewrite Rminus_0_r, Rabs_R0; lra|].
  replace (_ + _ - _) with (((if (e =? d)%nat then f x else 0) - (if (e =? d)%nat then g x else 0))
    + (collect f l d - collect g l d)) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [|exact IH].
  destruct (e =? d)%nat; [lra|]. rewrite Rminus_0_r, Rabs_R0. lra.
Qed.
Lemma collect_Rabs {X} (f : X -> R) l d : Rabs (collect f l d) <= collect (fun x => Rabs (f x)) l d.
Proof.
  induction l as [|[e x] l IH]; simpl; [rewrite Rabs_R0; lra|]. eapply Rle_trans; [apply Rabs_triang|].
  apply Rplus_le_compat; [|exact IH]. destruct (e =? d)%nat; [lra|]. rewrite Rabs_R0. lra.
Qed.

Lemma size_collect {X} D (f : X -> R) l : (forall e x, In (e, x) l -> 0 <= f x) ->
  l1_size D (collect f l) <= total_over (fun ex => f (snd ex)) l.
Proof.
  induction l as [|[e x] l IH]; intros H; [apply Req_le; exact (size_zero D)|].
  change (l1_size D (fun d => (if (e =? d)%nat then f x else 0) + collect f l d) <= f x + total_over (fun ex =>
    f (snd ex)) l). rewrite size_plus, size_single. specialize (IH (fun e' x' I => H e' x' (or_intror I))).
  pose proof (H e x (or_introl eq_refl)). destruct (e <? D)%nat; lra.
Qed.

(* ---- the greatest of a list of rationals, and 0 ---- *)
Definition larger_rational (p q : Q) : Q := if Qle_bool p q then q else p.
Definition greatest_rational (l : list Q) : Q := fold_right larger_rational 0%Q l.

Lemma larger_correct p q : Q2R (larger_rational p q) = Rmax (Q2R p) (Q2R q).
Proof.
  unfold larger_rational. destruct (Qle_bool p q) eqn:E.
  - apply Qle_bool_R in E. now rewrite Rmax_right.
  - rewrite Rmax_left; [reflexivity|]. apply Qle_Rle. apply Qlt_le_weak, Qnot_le_lt. intros L.
    apply Qle_bool_iff in L. congruence.
Qed.
Lemma greatest_nonneg l : 0 <= Q2R (greatest_rational l).
Proof.
  induction l as [|q l IH]; cbn [greatest_rational fold_right]; [rewrite Q2R_0; lra|].
  rewrite larger_correct. eapply Rle_trans; [exact IH|apply Rmax_r].
Qed.
Lemma greatest_bounds l q : In q l -> Q2R q <= Q2R (greatest_rational l).
Proof.
  induction l as [|p l IH]; cbn [greatest_rational fold_right In]; [easy|]. rewrite larger_correct. intros [->|I].
  - apply Rmax_l.
  - eapply Rle_trans; [now apply IH|apply Rmax_r].
Qed.

(* ---- rows and their columns ---- *)
Definition total_q {X} (f : X -> Q) (l : list X) : Q := fold_right (fun x s => Qred (f x + s)) 0%Q l.
Lemma total_q_correct {X} (f : X -> Q) l : Q2R (total_q f l) = total_over (fun x => Q2R (f x)) l.
Proof.
  induction l as [|x l IH]; cbn [total_q fold_right total_over]; [apply Q2R_0|].
  rewrite Q2R_reduced, Q2R_plus. fold (total_q f l). now rewrite IH.
Qed.
Lemma Q2R_Qabs q : Q2R (Qabs q) = Rabs (Q2R q).
Proof.
  apply Qabs_case; intros L; apply Qle_Rle in L; rewrite Q2R_0 in L.
  - now rewrite Rabs_right by lra.
  - now rewrite Rabs_left1, Q2R_opp by lra.
Qed.

Fixpoint linear_bound (r : row) (c : vector) : R :=
  match r with [] => 0 | (d, q) :: r => Rabs (Q2R q) * c d + linear_bound r c end.
Definition row_norm_q (r : row) : Q := total_q (fun e => Qabs (snd e)) r.
Definition column_sum (r : row) (d : direction) : Q := total_q (fun e => if Nat.eqb (fst e) d then Qabs (snd e) else
  0%Q) r.
Definition directions_of (r : row) : list direction := map fst r.
Definition column_norm (r : row) : Q := greatest_rational (map (column_sum r) (directions_of r)).
Local Definition below (D : nat) (r : row) : Prop := forall d, In d (directions_of r) -> (d < D)%nat.

Lemma reach_app r r' c : linear_bound (r ++ r') c = linear_bound r c + linear_bound r' c.
Proof. induction r as [|[d q] r IH]; simpl; lra. Qed.
Lemma reach_nonneg r c : (forall d, 0 <= c d) -> 0 <= linear_bound r c.
Proof.
  intros H. induction r as [|[d q] r IH]; simpl; [lra|]. pose proof (Rabs_pos (Q2R q)). specialize (H d).
  apply Rplus_le_le_0_compat; [now apply Rmult_le_pos|exact IH].
Qed.

Lemma linear_reach r x c : (forall d, Rabs (x d) <= c d) -> Rabs (linear r x) <= linear_bound r c.
Proof.
  intros H. induction r as [|[d q] r IH]; simpl; [rewrite Rabs_R0; lra|]. eapply Rle_trans; [apply Rabs_triang|].
  rewrite Rabs_mult. apply Rplus_le_compat; [|exact IH]. apply Rmult_le_compat_l; [apply Rabs_pos|apply H].
Qed.
Lemma linear_minus r x y : linear r x - linear r y = linear r (fun d => x d - y d).
Proof. induction r as [|[d q] r IH]; simpl; [lra|]. rewrite <- IH. lra. Qed.
Lemma linear_difference r x y c : (forall d, Rabs (x d - y d) <= c d) -> Rabs (linear r x - linear r y) <= linear_bound
  r c.
Proof. intros H. rewrite linear_minus. now apply linear_reach. Qed.

Lemma reach_columns D r c : below D r -> linear_bound r c = l1_size D (fun d => Q2R (column_sum r d) * c d).
Proof.
  induction r as [|[d q] r IH]; intros B.
  - simpl. rewrite <- (size_zero D) at 1. apply sum_ext. intros j _. unfold column_sum. simpl. rewrite Q2R_0. lra.
  - cbn [linear_bound]. rewrite IH by (intros e I; apply B; now right).
    transitivity (l1_size D (fun e => (if (d =? e)%nat then Rabs (Q2R q) * c d else 0) + Q2R (column_sum r e) * c e)).
    + rewrite size_plus, size_single. now rewrite (proj2 (Nat.ltb_lt d D)) by (apply B; now left).
    + apply sum_ext. intros j _. unfold column_sum. cbn [total_q fold_right fst snd]. rewrite Q2R_reduced, Q2R_plus.
      fold (total_q (fun e => if Nat.eqb (fst e) (Nat.pred j) then Qabs (snd e) else 0%Q) r).
      destruct (Nat.eqb_spec d (Nat.pred j)) as [->|N]; [rewrite Q2R_Qabs|rewrite Q2R_0]; lra.
Qed.

Lemma column_absent r d : ~ In d (directions_of r) -> Q2R (column_sum r d) = 0.
Proof.
  intros H. unfold column_sum. rewrite total_q_correct. induction r as [|[e q] r IH]; [reflexivity|]. simpl in *.
  rewrite IH by tauto. destruct (Nat.eqb_spec e d); [tauto|]. rewrite Q2R_0. lra.
Qed.
Lemma column_at_most r d : Q2R (column_sum r d) <= Q2R (column_norm r).
Proof.
  destruct (in_dec Nat.eq_dec d (directions_of r)) as [I|I].
  - apply greatest_bounds. now apply in_map.
  - rewrite column_absent by exact I. apply greatest_nonneg.
Qed.

(* [SHA] Lemma 28, with the norm of the map at hand. *)
Theorem reach_norm D r c : below D r -> (forall d, 0 <= c d) -> linear_bound r c <= Q2R (column_norm r) * l1_size D c.
Proof.
  intros B H. rewrite (reach_columns D r c B), <- size_scale. apply l1_size_le. intros d _.
  apply Rmult_le_compat_r; [apply H|apply column_at_most].
Qed.

(* ---- scores ---- *)
Fixpoint score_entry (qs ks : list row) (d e : direction) : Q :=
  match qs, ks with
  | q :: qs, k :: ks => Qred (column_sum q d * column_sum k e + score_entry qs ks d e)
  | _, _ => 0%Q
  end.
Definition score_norm_q (a : head) : Q := greatest_rational (flat_map (fun d => map (score_entry (head_queries a)
  (head_keys a) d) (flat_map directions_of (head_keys a))) (flat_map directions_of (head_queries a))).
Fixpoint score_reach (qs ks : list row) (x y : vector) : R :=
  match qs, ks with q :: qs, k :: ks => linear_bound q x * linear_bound k y + score_reach qs ks x y | _, _ => 0 end.

Lemma score_absent_query qs d e : forall ks, ~ In d (flat_map directions_of qs) -> Q2R (score_entry qs ks d e) = 0.
Proof.
  induction qs as [|q qs IH]; intros [|k ks] H; try apply Q2R_0. cbn [score_entry flat_map] in *.
  rewrite in_app_iff in H. rewrite Q2R_reduced, Q2R_plus, Q2R_mult, (column_absent q), IH by tauto. lra.
Qed.
Lemma score_absent_key ks d e : forall qs, ~ In e (flat_map directions_of ks) -> Q2R (score_entry qs ks d e) = 0.
Proof.
  induction ks as [|k ks IH]; intros [|q qs] H; try apply Q2R_0. cbn [score_entry flat_map] in *.
  rewrite in_app_iff in H. rewrite Q2R_reduced, Q2R_plus, Q2R_mult, (column_absent k), IH by tauto. lra.
Qed.
Lemma score_entry_at_most a d e : Q2R (score_entry (head_queries a) (head_keys a) d e) <= Q2R (score_norm_q a).
Proof.
  destruct (in_dec Nat.eq_dec d (flat_map directions_of (head_queries a))) as [D|D];
    [destruct (in_dec Nat.eq_dec e (flat_map directions_of (head_keys a))) as [E|E]|].
  - apply greatest_bounds, in_flat_map. exists d. split; [exact D|now apply in_map].
  - rewrite (score_absent_key _ d e _ E). apply greatest_nonneg.
  - rewrite (score_absent_query _ d e _ D). apply greatest_nonneg.
Qed.

Definition all_below (D : nat) (rs : list row) : Prop := forall r, In r rs -> below D r.
Lemma size_ext D c c' : (forall d, c d = c' d) -> l1_size D c = l1_size D c'.
Proof. intros H. apply sum_ext. intros j _. apply H. Qed.

Lemma score_reach_entries D x y qs : forall ks, all_below D qs -> all_below D ks ->
  score_reach qs ks x y = l1_size D (fun d => x d * l1_size D (fun e => y e * Q2R (score_entry qs ks d e))).
Proof.
  assert (Z : forall c : vector, (forall d, c d = 0) -> l1_size D c = 0).
  { intros c H. now rewrite (size_ext D c (fun _ => 0) H), size_zero. }
  induction qs as [|q qs IH]; intros [|k ks] Bq Bk; cbn [score_reach score_entry];
    try (symmetry; apply Z; intros d; rewrite Z; [lra|intros e; rewrite Q2R_0; lra]).
  rewrite (reach_columns D q) by (apply Bq; now left). rewrite (reach_columns D k) by (apply Bk; now left).
  rewrite (IH ks) by (intros r I; first [apply Bq; now right | apply Bk; now right]).
  rewrite Rmult_comm, <- size_scale, <- size_plus. apply size_ext. intros d.
  rewrite (size_ext D (fun e => y e * Q2R (Qred (column_sum q d * column_sum k e + score_entry qs ks d e)))
    (fun e => Q2R (column_sum q d) * (Q2R (column_sum k e) * y e) + y e * Q2R (score_entry qs ks d e))).
  - rewrite size_plus, size_scale. ring.
  - intros e. autorewrite with to_reals. ring.
Qed.

Theorem score_reach_norm D a x y : all_below D (head_queries a) -> all_below D (head_keys a) ->
  (forall d, 0 <= x d) -> (forall d, 0 <= y d) ->
  score_reach (head_queries a) (head_keys a) x y <= Q2R (score_norm_q a) * (l1_size D x * l1_size D y).
Proof.
  intros Bq Bk X Y. rewrite (score_reach_entries D) by assumption.
  apply Rle_trans with (l1_size D (fun d => x d * (Q2R (score_norm_q a) * l1_size D y))).
  - apply l1_size_le. intros d _. apply Rmult_le_compat_l; [apply X|]. rewrite <- size_scale. apply l1_size_le.
    intros e _. rewrite Rmult_comm. apply Rmult_le_compat_r; [apply Y|apply score_entry_at_most].
  - rewrite (size_ext D _ (fun d => (Q2R (score_norm_q a) * l1_size D y) * x d)) by (intros; ring).
    rewrite size_scale. apply Req_le. ring.
Qed.

(* Scores of x, y and x', y', where x is within c and x - x' within e, and y within c' and y - y' within e'. *)
Lemma score_difference qs : forall ks x y x' y' c e, (forall d, Rabs (x d) <= c d) -> (forall d, Rabs (y d) <= c d) ->
  (forall d, Rabs (x d - x' d) <= e d) -> (forall d, Rabs (y d - y' d) <= e d) -> Rabs (dot_product qs ks x y -
  dot_product qs ks x' y') <= score_reach qs ks c e + score_reach qs ks e c + score_reach qs ks e e.
Proof.
  intros ks x y x' y' c e X Y EX EY. revert ks.
  induction qs as [|q qs IH]; intros [|k ks]; cbn [dot_product score_reach]; try (rewrite Rminus_0_r, Rabs_R0; lra).
  pose proof (linear_reach q x c X) as A. pose proof (linear_reach k y c Y) as B.
  pose proof (linear_difference q x x' e EX) as A'. pose proof (linear_difference k y y' e EY) as B'.
  specialize (IH ks). set (p := linear q x) in *. set (r := linear k y) in *. set (p' := linear q x') in *.
  set (r' := linear k y') in *. replace (p * r + _ - _) with ((p * (r - r') + (p - p') * r - (p - p') * (r - r'))
    + (dot_product qs ks x y - dot_product qs ks x' y')) by ring.
  eapply Rle_trans; [apply Rabs_triang|].
  assert (P : forall u v s t, Rabs u <= s -> Rabs v <= t -> Rabs (u * v) <= s * t).
  { intros u v s t U V. rewrite Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos. }
  pose proof (P _ _ _ _ A B'). pose proof (P _ _ _ _ A' B). pose proof (P _ _ _ _ A' B').
  assert (Rabs (p * (r - r') + (p - p') * r - (p - p') * (r - r')) <=
    Rabs (p * (r - r')) + Rabs ((p - p') * r) + Rabs ((p - p') * (r - r'))).
  { unfold Rminus at 1. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp.
    apply Rplus_le_compat_r, Rabs_triang. }
  lra.
Qed.

(* ---- layers ---- *)
Definition value_norm_q (a : head) : Q := column_norm (flat_map snd (head_values a)).
Definition weighted_row (q : Q) (r : row) : row := map (fun e => (fst e, Qred (q * snd e))) r.
Definition unit_norm (l : layer) : Q :=
  column_norm (flat_map (fun u => weighted_row (row_norm_q (unit_writes u)) (unit_reads u)) (layer_units l)).
Definition bias_norm (l : layer) : Q := Qred (total_q (fun u => (Qabs (unit_bias u) * row_norm_q (unit_writes u))%Q)
  (layer_units l) + row_norm_q (layer_bias l)).
Definition values_norm (l : layer) : Q := total_q value_norm_q (layer_heads l).
Definition scored_norm (l : layer) : Q :=
  total_q value_norm_q (filter (fun a => negb (uniform_head a)) (layer_heads l)).
Definition amplification (l : layer) : Q := Qred ((1 + unit_norm l) * (1 + values_norm l)).
Definition size_after_layer (l : layer) (c : Q) : Q := Qred (amplification l * c + bias_norm l).

Lemma row_norm_correct r : Q2R (row_norm_q r) = total_over (fun e => Rabs (Q2R (snd e))) r.
Proof.
  unfold row_norm_q. rewrite total_q_correct. induction r as [|e r IH]; simpl; [reflexivity|]. now rewrite IH, Q2R_Qabs.
Qed.
Lemma row_norm_q_nonneg r : 0 <= Q2R (row_norm_q r).
Proof. rewrite row_norm_correct. apply total_nonneg. intros; apply Rabs_pos. Qed.
Lemma column_norm_nonneg r : 0 <= Q2R (column_norm r). Proof. apply greatest_nonneg. Qed.
Lemma values_norm_nonneg l : 0 <= Q2R (values_norm l).
Proof. unfold values_norm. rewrite total_q_correct. apply total_nonneg. intros a _. apply column_norm_nonneg. Qed.
Lemma scored_norm_nonneg l : 0 <= Q2R (scored_norm l).
Proof. unfold scored_norm. rewrite total_q_correct. apply total_nonneg. intros a _. apply column_norm_nonneg. Qed.
Lemma bias_norm_correct l : Q2R (bias_norm l) = total_over (fun u => Rabs (Q2R (unit_bias u))
  * Q2R (row_norm_q (unit_writes u))) (layer_units l) + Q2R (row_norm_q (layer_bias l)).
Proof.
  unfold bias_norm. rewrite Q2R_reduced, Q2R_plus, total_q_correct. f_equal. apply total_ext. intros u _.
  now rewrite Q2R_mult, Q2R_Qabs.
Qed.
Lemma bias_norm_nonneg l : 0 <= Q2R (bias_norm l).
Proof.
  rewrite bias_norm_correct. apply Rplus_le_le_0_compat; [|apply row_norm_q_nonneg]. apply total_nonneg. intros u _.
  apply Rmult_le_pos; [apply Rabs_pos|apply row_norm_q_nonneg].
Qed.
Lemma Q2R_amplification l : Q2R (amplification l) = (1 + Q2R (unit_norm l)) * (1 + Q2R (values_norm l)).
Proof. unfold amplification. now autorewrite with to_reals. Qed.

Lemma reach_flat_map {X} (f : X -> row) l c : linear_bound (flat_map f l) c = total_over (fun x =>
  linear_bound (f x) c) l.
Proof. induction l as [|x l IH]; cbn [flat_map total_over]; [reflexivity|]. now rewrite reach_app, IH. Qed.
Lemma reach_weighted q r c : 0 <= Q2R q -> linear_bound (weighted_row q r) c = Q2R q * linear_bound r c.
Proof.
  intros H. induction r as [|[d p] r IH]; cbn [weighted_row map linear_bound fst snd]; [lra|].
  fold (weighted_row q r). rewrite IH, Q2R_reduced, Q2R_mult, Rabs_mult, (Rabs_right (Q2R q)) by lra. ring.
Qed.

(* Directions that a layer reads are numbers below D. *)
Definition reads_below (D : nat) (l : layer) : Prop := (forall a, In a (layer_heads l) ->
  all_below D (head_queries a) /\ all_below D (head_keys a) /\ all_below D (map snd (head_values a))) /\ forall u,
  In u (layer_units l) -> below D (unit_reads u).

Lemma below_flat_map {X} D (f : X -> row) l : (forall x, In x l -> below D (f x)) -> below D (flat_map f l).
Proof.
  intros H d I. unfold directions_of in I. apply in_map_iff in I as (e & <- & I).
  apply in_flat_map in I as (x & X' & I). apply (H x X'). now apply in_map.
Qed.
Lemma below_weighted D q r : below D r -> below D (weighted_row q r).
Proof. intros H d I. apply H. unfold directions_of, weighted_row in *. now rewrite map_map in I. Qed.

Lemma values_reach D a c : all_below D (map snd (head_values a)) -> (forall d, 0 <= c d) ->
  total_over (fun dr => linear_bound (snd dr) c) (head_values a) <= Q2R (value_norm_q a) * l1_size D c.
Proof.
  intros B C. rewrite <- reach_flat_map. apply reach_norm; [|exact C]. apply below_flat_map.
  intros dr I. apply B. now apply in_map.
Qed.
Lemma units_reach D l c : reads_below D l -> (forall d, 0 <= c d) -> total_over (fun u =>
  linear_bound (unit_reads u) c * Q2R (row_norm_q (unit_writes u))) (layer_units l) <= Q2R (unit_norm l) * l1_size D c.
Proof.
  intros [_ B] C.
  rewrite (total_ext _ (fun u => linear_bound (weighted_row (row_norm_q (unit_writes u)) (unit_reads u)) c)).
  - rewrite <- reach_flat_map. apply reach_norm; [|exact C]. apply below_flat_map.
    intros u I. apply below_weighted. now apply B.
  - intros u _. rewrite reach_weighted by apply row_norm_q_nonneg. ring.
Qed.
