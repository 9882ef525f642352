(* [Hahn] Lemma 5 for the transformers of the paper, and for those of network.v; and what is true under masks.

   Two words of length n differ at p only; what enters is bounded, and so are scores and their slopes on bounded
   activations, which of network.v says: embeddings of positions lie in [-B, B] and temperatures are at least t > 0.
   C does not depend on n, p, i and the words; for network.v it is `lemma_5_constant T B t`. Then an activation
   changes by at most

     C / n                      at every i <> p, if no head has a mask                       hahn_lemma_5
     C / min(p, n + 1 - p)      at every i <> p, whatever the masks                          hahn_lemma_5_any_masks
     C (1 + ln i)^(L-1) / i     at every i <> p, if all heads are future-masked              hahn_lemma_5_future_masked
     C (1 + ln n)^(L-1) / i     at every i <> p, if no head is past-masked                   hahn_lemma_5_no_past_mask
     C (1 + ln n)^(L-1) / n     at n, whatever the masks        hahn_lemma_5_last_position, in hahn_lemma_5_masked.v

   with L layers; `soft_lemma_5` and its fellows say so of the layers of hahn_soft_layer.v, real weights and scores and
   updates of any form, and hahn_lemma_5_of_the_paper.v of those of [Hahn]. At p itself nothing is claimed.
   Idea: layer by layer, changes at i <> p are at most c w(i) for a shape w that means do not spoil: each head that sees
   p from i has 1/w(i) positions to average over, and the mean of w over what it sees is at most w(i). *)
From Coq Require Import Reals QArith Qreals List Bool Lra Lia.
From Certify Require Import positions finite_sums softmax relu formula network harmonic_numbers hahn_one_row
  hahn_soft_layer hahn_one_layer.
Import ListNotations PositionNotations.
Open Scope R_scope.

(* ---- the constant: what bounds the activations, and the changes, behind all layers ---- *)
Fixpoint change_through (bs : list layer_bound) (X c : R) : R :=
  match bs with
  | [] => c
  | b :: bs => change_through bs (size_after b) (layer_slope b * (own_effect b * c + seen_mean b * (2 * X + c)))
  end.
Definition differ_at (p : nat) (w w' : word) := forall j, j <> p -> w j = w' j.

(* ---- one layer ---- *)
(* The shape w of the changes that enter may become w' behind a head with mask k: see the idea above. *)
Definition mask_carries (n p : nat) (w w' : nat -> R) (k : masking) := forall i : position n, i <> p :> nat ->
  let m := mask_at k i in (m p = true -> 1 <= w' i * shown_count n m) /\ sum_to n (fun j =>
    bit (m j) * w j) <= w' i * shown_count n m.

(* What is known of the changes, p included. *)
Definition known_change (p : nat) (X c : R) (w : nat -> R) (j : nat) : R := if Nat.eqb j p then 2 * X else c * w j.

Section Layers.
Variable A : Type.                                                                                 (* of coordinates *)
Notation stream := (nat -> activation A).

Fixpoint all_fit (n : nat) (ls : list (soft_layer A)) (bs : list layer_bound) (X : R) : Prop :=
  match ls, bs with
  | [], [] => True
  | l :: ls, b :: bs => layer_fits X n l b /\ all_fit n ls bs (size_after b)
  | _, _ => False
  end.
Definition masks_are (ls : list (soft_layer A)) (P : masking -> Prop) : Prop :=
  forall l a, In l ls -> In a (soft_heads l) -> P (soft_masking a).

Definition close_but_at (n p : nat) (X c : R) (w : nat -> R) (h h' : stream) := stream_bounded n X h /\
  stream_bounded n X h' /\ forall i : position n, i <> p :> nat -> activations_near (c * w i) (h i) (h' i).

Lemma known_change_right n p X c w (h h' : stream) : 0 <= X -> close_but_at n p X c w h h' ->
  streams_near n (known_change p X c w) h h'.
Proof.
  intros HX (B & B' & D). red. apply each_position. intros i. unfold known_change.
  destruct (Nat.eqb_spec i p) as [_|N]; [|now apply D]. split; [lra|]. intros d. pose proof (B i (in_word i) d) as U.
  pose proof (B' i (in_word i) d) as U'. apply Rabs_bounds in U, U'. apply Rabs_le. lra.
Qed.

Lemma known_change_mean n (p : position n) X c (w w' : nat -> R) k (i : position n) : i <> p :> nat -> 0 <= X ->
  0 <= c -> (forall j, (1 <= j)%nat -> 0 <= w j) -> 0 <= w' i -> mask_carries n p w w' k ->
  mean_at_most n (known_change p X c w) i ((2 * X + c) * w' i) k.
Proof.
  intros N HX Hc Pw Pw' K. unfold mean_at_most. destruct (K i N) as [K1 K2]. set (m := mask_at k i) in *.
  assert (S : 0 <= shown_count n m) by (apply sum_nonneg; intros; apply bit_range).
  assert (E : sum_to n (fun j => bit (m j) * known_change p X c w j) <= bit (m p) * (2 * X) + c * sum_to n (fun j =>
    bit (m j) * w j)).
  { rewrite (sum_apart n p), <- sum_scale by lia. unfold known_change at 1. rewrite Nat.eqb_refl.
    apply Rplus_le_compat_l, sum_le. intros j Hj. unfold zeroed_at, known_change. pose proof (bit_range (m j)).
    destruct (Nat.eqb j p); [|lra]. apply Rmult_le_pos; [exact Hc|]. apply Rmult_le_pos; [lra|apply Pw; lia]. }
  assert (F : bit (m p) * (2 * X) <= 2 * X * (w' i * shown_count n m)).
  { destruct (m p) eqn:Ep; simpl.
    - pose proof (Rmult_le_compat_l (2 * X) _ _ ltac:(lra) (K1 eq_refl)). lra.
    - rewrite Rmult_0_l. auto with signs. }
  pose proof (Rmult_le_compat_l c _ _ Hc K2). lra.
Qed.

Lemma layer_keeps n (p : position n) X c w w' l b (h h' : stream) : 0 <= X -> 0 <= c -> (forall j, (1 <= j)%nat ->
  0 <= w j <= w' j) -> layer_fits X n l b -> (forall a, In a (soft_heads l) -> mask_carries n p w w' (soft_masking a))
  -> close_but_at n p X c w h h' -> close_but_at n p (size_after b) (layer_slope b * (own_effect b * c
  + seen_mean b * (2 * X + c))) w' (after_soft n l h) (after_soft n l h').
Proof.
  intros HX Hc Hw F K C. pose proof C as (B & B' & D). pose proof (shares_nonneg A X n l b F) as [O M].
  split; [now apply (layer_bounded A X)|split; [now apply (layer_bounded A X)|]]. intros i N.
  pose proof (Hw i ltac:(lia)) as Wi.
  destruct (layer_moves A X n l b h h' (known_change p X c w) i ((2 * X + c) * w' i) F B B') as [G0 G].
  - now apply known_change_right.
  - intros a Ha. apply known_change_mean with (w := w); auto; try lra. intros j Hj. now apply Hw.
  - pose proof F as (_ & Hs & _). unfold known_change in G0, G. rewrite (proj2 (Nat.eqb_neq i p) N) in G0, G.
    assert (L : layer_slope b * (own_effect b * (c * w i) + seen_mean b * ((2 * X + c) * w' i))
      <= layer_slope b * (own_effect b * c + seen_mean b * (2 * X + c)) * w' i).
    { rewrite (Rmult_assoc (layer_slope b)). apply Rmult_le_compat_l; [exact Hs|].
      pose proof (Rmult_le_compat_l (own_effect b * c) _ _ ltac:(apply Rmult_le_pos; lra) (proj2 Wi)). lra. }
    split; [lra|]. intros d. specialize (G d). lra.
Qed.

(* ---- all layers; w k is the shape behind k of them ---- *)
Lemma change_nonneg X n (l : soft_layer A) b c : 0 <= X -> 0 <= c -> layer_fits X n l b ->
  0 <= layer_slope b * (own_effect b * c + seen_mean b * (2 * X + c)).
Proof.
  intros HX Hc F. pose proof (shares_nonneg A X n l b F) as [O M]. pose proof F as (_ & Hs & _).
  apply Rmult_le_pos; [exact Hs|]. apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra.
Qed.

Lemma change_through_nonneg n ls : forall bs X c, 0 <= X -> 0 <= c -> all_fit n ls bs X -> 0 <= change_through bs X c.
Proof.
  induction ls as [|l ls IH]; intros [|b bs] X c HX Hc; simpl; try easy. intros [F Fs].
  apply IH; [apply F|now apply (change_nonneg X n l)|exact Fs].
Qed.

Lemma layers_keep n (p : position n) (w : nat -> nat -> R) : (forall k j, (1 <= j)%nat -> 0 <= w k j <= w (S k) j) ->
  forall ls bs k X c (h h' : stream), 0 <= X -> 0 <= c -> all_fit n ls bs X -> masks_are ls (fun m => forall k,
  mask_carries n p (w k) (w (S k)) m) -> close_but_at n p X c (w k) h h' -> forall i : position n, i <> p :> nat ->
  activations_near (change_through bs X c * w (length ls + k)%nat i) (after_soft_layers n ls h i)
  (after_soft_layers n ls h' i).
Proof.
  intros Hw. induction ls as [|l ls IH]; intros [|b bs] k X c h h' HX Hc F M C i N; try easy; simpl.
  - now apply C.
  - destruct F as [F Fs]. replace (S (length ls + k)) with (length ls + S k)%nat by lia.
    apply IH; auto; [apply F|now apply (change_nonneg X n l)|intros m a Hm; apply M; now right|].
    apply layer_keeps with (w := w k); auto. intros a Ha. apply (M l a (or_introl eq_refl) Ha).
Qed.

Section Lemma5.
Variables (ls : list (soft_layer A)) (bs : list layer_bound) (X : R) (n : nat) (p : position n) (h h' : stream).
Hypothesis HX : 0 <= X.
Hypothesis Fits : all_fit n ls bs X.
Hypothesis Small : stream_bounded n X h.
Hypothesis Small' : stream_bounded n X h'.
Hypothesis Exchanged : forall j : nat, j <> p -> h j = h' j.

Let C : R := change_through bs X 0.
Let change (i : nat) (d : A) : R := Rabs (after_soft_layers n ls h i d - after_soft_layers n ls h' i d).

Lemma changes_have_shape (w : nat -> nat -> R) : (forall k j, (1 <= j)%nat -> 0 <= w k j <= w (S k) j) ->
  masks_are ls (fun m => forall k, mask_carries n p (w k) (w (S k)) m) ->
  forall (i : position n) d, i <> p :> nat -> change i d <= C * w (length ls) i.
Proof.
  intros Hw M i d N. rewrite <- (Nat.add_0_r (length _)). unfold C, change.
  apply (layers_keep n p w); auto; [lra|]. split; [exact Small|split; [exact Small'|]]. intros j Nj.
  rewrite (Exchanged j Nj), Rmult_0_l. split; [lra|]. intros e. unfold Rminus. rewrite Rplus_opp_r, Rabs_R0. lra.
Qed.

(* ---- the shape 1/N: a head that sees p sees at least N positions ---- *)
Local Definition reach (k : masking) : nat := match k with Unmasked => n | FutureMasked => p | PastMasked =>
  n + 1 - p end.

Lemma flat_carries N k : (1 <= N)%nat -> (N <= reach k)%nat -> mask_carries n p (fun _ => / INR N) (fun _ => / INR N) k.
Proof.
  intros HN HR i Ne m. apply INR_at_least_1 in HN. split.
  - intros Mp. apply Rmult_le_reg_l with (INR N); [lra|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l, Rmult_1_r by lra.
    unfold m in *. destruct k; simpl in *.
    + rewrite shown_unmasked. now apply le_INR.
    + rewrite shown_future by lia. apply le_INR. apply Nat.leb_le in Mp. lia.
    + rewrite shown_past by lia. apply le_INR. apply Nat.leb_le in Mp. lia.
  - rewrite sum_scale_r. right. apply Rmult_comm.
Qed.

Lemma soft_lemma_5_reach N : (1 <= N)%nat -> masks_are ls (fun k => (N <= reach k)%nat) ->
  forall (i : position n) d, i <> p :> nat -> change i d <= C / INR N.
Proof.
  intros HN HR i d Ne. apply (changes_have_shape (fun _ _ => / INR N)); auto.
  - intros _ _ _. pose proof (INR_at_least_1 N HN). split; [left; apply Rinv_0_lt_compat; lra|lra].
  - intros l a Hl Ha _. apply flat_carries; [exact HN|now apply (HR l)].
Qed.

(* No masks. *)
Theorem soft_lemma_5 : masks_are ls (fun k => k = Unmasked) ->
  forall (i : position n) d, i <> p :> nat -> change i d <= C / INR n.
Proof. intros H. apply soft_lemma_5_reach; [lia|]. intros l a Hl Ha. rewrite (H l a Hl Ha). apply Nat.le_refl. Qed.

(* Any masks: what is in the middle matters as little as without them. *)
Theorem soft_lemma_5_any_masks N : N upto p -> (N <= n + 1 - p)%nat ->
  forall (i : position n) d, i <> p :> nat -> change i d <= C / INR N.
Proof. intros H1 H2. apply soft_lemma_5_reach; [lia|]. intros l a _ _. destruct (soft_masking a); simpl; lia. Qed.

(* ---- the shape (1 + ln m)^(k-1) / i behind k layers, where i sees m positions at most ---- *)
(* m i: how far to the right i looks, through whatever number of layers. *)
Definition decay_shape (m : nat -> nat) (k i : nat) : R :=
  match k with O => 0 | S k => (1 + ln (INR (m i))) ^ k * / INR i end.

Lemma shape_grows m k i : (1 <= i)%nat -> (1 <= m i)%nat -> 0 <= decay_shape m k i <= decay_shape m (S k) i.
Proof.
  intros Hi H. pose proof (ln_nonneg (m i) H) as L. unfold decay_shape. assert (I : 0 <= / INR i) by auto with signs.
  destruct k as [|k]; [simpl; lra|]. pose proof (power_at_least_1 (1 + ln (INR (m i))) k ltac:(lra)) as P.
  split; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat_r; [exact I|]. simpl. nra.
Qed.

(* The mean over 1, ..., r of such a shape. *)
Lemma shape_sum m k i r : r upto m i -> (each j upto r, m j upto m i) -> sum_to r (decay_shape m k) <= (1 + ln (INR (m
  i))) ^ k.
Proof.
  intros Hr Hm. pose proof (ln_nonneg (m i) ltac:(lia)) as L. set (x := 1 + ln (INR (m i))).
  pose proof (power_at_least_1 x k ltac:(unfold x; lra)). destruct k as [|k]; [rewrite sum_zero by reflexivity; lra|].
  apply Rle_trans with (x ^ k * harmonic_number r).
  - unfold harmonic_number. rewrite <- sum_scale. apply sum_le. intros j Hj. unfold decay_shape.
    apply Rmult_le_compat_r; [auto with signs|]. specialize (Hm j Hj). pose proof (ln_nonneg (m j) ltac:(lia)).
    pose proof (ln_le_INR (m j) (m i) Hm). apply pow_incr. unfold x. lra.
  - pose proof (harmonic_upper r ltac:(lia)). pose proof (ln_le_INR r (m i) Hr).
    pose proof (power_at_least_1 x k ltac:(unfold x; lra)). simpl. rewrite Rmult_comm.
    apply Rmult_le_compat_r; unfold x in *; lra.
Qed.

(* Enough for the shape: from i, a head sees exactly 1, ..., r with i <= r <= m i. *)
Lemma shape_carries (m : nat -> nat) k (i : position n) r mask : (i <= r <= m i)%nat -> (each j upto r, m j upto m i) ->
  shown_count n mask = INR r -> (forall f, sum_to n (fun j => bit (mask j) * f j) = sum_to r f) -> (mask p = true ->
  1 <= decay_shape m (S k) i * shown_count n mask) /\ sum_to n (fun j => bit (mask j) * decay_shape m k j)
  <= decay_shape m (S k) i * shown_count n mask.
Proof.
  intros Hr Hm S E. rewrite S, E. pose proof (shape_sum m k i r ltac:(lia) Hm) as G.
  pose proof (ln_nonneg (m i) ltac:(lia)). pose proof (power_at_least_1 (1 + ln (INR (m i))) k ltac:(lra)) as P.
  assert (Q : (1 + ln (INR (m i))) ^ k <= decay_shape m (Datatypes.S k) i * INR r).
  { unfold decay_shape. rewrite Rmult_assoc. rewrite <- (Rmult_1_r (_ ^ k)) at 1. apply Rmult_le_compat_l; [lra|].
    pose proof (INR_at_least_1 i ltac:(lia)). apply Rmult_le_reg_l with (INR i); [lra|].
    rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l, Rmult_1_r by lra. apply le_INR. lia. }
  split; [intros _|]; lra.
Qed.

Definition causal_shape : nat -> nat -> R := decay_shape (fun i => i).
Definition common_shape : nat -> nat -> R := decay_shape (fun _ => n).

Theorem soft_lemma_5_future_masked : masks_are ls (fun k => k = FutureMasked) ->
  forall (i : position n) d, i <> p :> nat -> change i d <= C * causal_shape (length ls) i.
Proof.
  intros H i d N. apply (changes_have_shape causal_shape); auto.
  - intros k j Hj. now apply shape_grows.
  - intros l a Hl Ha k j Nj. rewrite (H l a Hl Ha). apply (shape_carries _ k j j); [lia|intros; lia| |].
    + apply shown_future. lia.
    + intros f. apply sum_up_to. lia.
Qed.

Theorem soft_lemma_5_no_past_mask : masks_are ls (fun k => k <> PastMasked) ->
  forall (i : position n) d, i <> p :> nat -> change i d <= C * common_shape (length ls) i.
Proof.
  intros H i d N. apply (changes_have_shape common_shape); auto.
  - intros k j Hj. apply shape_grows; lia.
  - intros l a Hl Ha k j Nj. specialize (H l a Hl Ha). cbv beta in H. destruct (soft_masking a); [| |congruence].
    + apply (shape_carries _ k j n); [lia|intros; lia|apply shown_unmasked|].
      intros f. apply sum_ext. intros. simpl. lra.
    + apply (shape_carries _ k j j); [lia|intros; lia| |].
      * apply shown_future. lia.
      * intros f. apply sum_up_to. lia.
Qed.
End Lemma5.
End Layers.
Arguments all_fit {A}. Arguments masks_are {A}.

(* ---- the transformers of network.v ---- *)
Fixpoint bounds_behind (t : R) (ls : list layer) (X : R) : list layer_bound :=
  match ls with [] => [] | l :: ls => network_bound t X l :: bounds_behind t ls (size_behind l X) end.
Definition change_behind (t : R) (ls : list layer) (X c : R) : R := change_through (bounds_behind t ls X) X c.
Lemma change_behind_cons t l ls X c : change_behind t (l :: ls) X c = change_behind t ls (size_behind l X)
  (feedforward_stretch l * (own_share t X l * c + mean_share t X l * (2 * X + c))).
Proof. unfold change_behind. cbn [bounds_behind change_through]. now rewrite own_of_network, seen_mean_of_network. Qed.
Definition largest_row (rows : list row) : R := fold_right (fun r b => Rmax (row_norm r) b) 0 rows.
Definition lemma_5_constant (T : transformer) (B t : R) : R :=
  change_behind t (transformer_layers T) (largest_row (token_embedding T) + B) 0.

(* ---- the hypotheses, for one length and for all ---- *)
Definition bounded_at (users : predicate_meanings) (T : transformer) (n : nat) (B : R) := 0 <= B /\
  forall i d, i upto n -> Rabs (collect (fun p => position_value users p n i) (position_embedding T) d) <= B.
Definition every_head (T : transformer) (P : head -> Prop) :=
  forall l a, In l (transformer_layers T) -> In a (layer_heads l) -> P a.
Definition warm_at (T : transformer) (n : nat) (t : R) :=
  0 < t /\ every_head T (fun a => has_softmax a /\ warm_head t n a).

Definition bounded_embeddings users T B := forall n, bounded_at users T n B.
Definition warm_everywhere T t := forall n, warm_at T n t.

(* ---- what enters ---- *)
Lemma largest_row_nonneg rows : 0 <= largest_row rows.
Proof. induction rows as [|r rows IH]; simpl; [lra|]. eapply Rle_trans; [exact IH|apply Rmax_r]. Qed.

Lemma largest_row_bounds rows : forall k d, Rabs (row_entry (nth k rows []) d) <= largest_row rows.
Proof.
  induction rows as [|r rows IH]; intros [|k] d; simpl; try (unfold row_entry; simpl; rewrite Rabs_R0; lra).
  - eapply Rle_trans; [apply entry_bounded|apply Rmax_l].
  - eapply Rle_trans; [apply IH|apply Rmax_r].
Qed.

Lemma embed_bounded users T B n w : bounded_at users T n B ->
  stream_bounded n (largest_row (token_embedding T) + B) (embed users T n w).
Proof.
  intros [_ H] i Hi d. unfold embed. eapply Rle_trans; [apply Rabs_triang|].
  apply Rplus_le_compat; [apply largest_row_bounds|now apply H].
Qed.

Lemma network_fits t n : 0 < t -> forall ls X, 0 <= X -> (forall l a, In l ls -> In a (layer_heads l) ->
  warm_head t n a) -> all_fit n (map soft_layer_of ls) (bounds_behind t ls X) X.
Proof.
  intros Ht. induction ls as [|l ls IH]; intros X HX W; simpl; [easy|]. split.
  - apply network_layer_fits; auto. intros a. apply W. now left.
  - apply IH; [now apply size_behind_nonneg|]. intros m a Hm. apply W. now right.
Qed.

Lemma bounds_exist t ls : 0 < t -> forall X c, 0 <= X -> 0 <= c -> 0 <= change_behind t ls X c.
Proof.
  intros Ht X c HX Hc. apply (change_through_nonneg _ 0 (map soft_layer_of ls)); [exact HX|exact Hc|].
  apply network_fits; auto. intros l a _ _ i Hi. lia.
Qed.

Lemma lemma_5_constant_nonneg T B t : 0 <= B -> 0 < t -> 0 <= lemma_5_constant T B t.
Proof. intros HB Ht. pose proof (largest_row_nonneg (token_embedding T)). apply bounds_exist; lra. Qed.

Section Network.
Variable users : predicate_meanings.
Variables (T : transformer) (B t : R) (n : nat) (p : position n) (u v : word).
Hypothesis Bounded : bounded_at users T n B.
Hypothesis Warm : warm_at T n t.
Hypothesis Exchanged : differ_at p u v.

Let change (i : nat) (d : direction) : R := Rabs (run_transformer users T n u i d - run_transformer users T n v i d).
Let C : R := lemma_5_constant T B t.
Let L : nat := length (transformer_layers T).
Let X : R := largest_row (token_embedding T) + B.

(* What holds of the layers of hahn_soft_layer.v under these hypotheses holds of T. *)
Lemma from_soft (P : masking -> Prop) (bound : R -> nat -> nat -> R) : (forall ls bs (h h' : nat -> vector), 0 <= X ->
  all_fit n ls bs X -> stream_bounded n X h -> stream_bounded n X h' -> (forall j : nat, j <> p -> h j = h' j) ->
  masks_are ls P -> forall (i : position n) d, i <> p :> nat -> Rabs (after_soft_layers n ls h i d - after_soft_layers n
  ls h' i d) <= bound (change_through bs X 0) (length ls) i) -> every_head T (fun a => P (head_masking a)) ->
  forall (i : position n) d, i <> p :> nat -> change i d <= bound C L i.
Proof.
  intros S M i d N. destruct Warm as [Ht W]. pose proof (largest_row_nonneg (token_embedding T)) as R0.
  assert (HX : 0 <= X) by (pose proof (proj1 Bounded); unfold X; lra). unfold change.
  rewrite !run_as_soft by (intros l a Il Ia; now apply (W l a)).
  replace L with (length (map soft_layer_of (transformer_layers T))) by (unfold L; apply lists.length_map).
  apply S; auto; try (now apply embed_bounded).
  - apply network_fits; auto. intros l a Il Ia. now apply (W l a).
  - intros j Nj. unfold embed. now rewrite (Exchanged j Nj).
  - intros l a Hl Ha. apply in_map_iff in Hl as (m & <- & Hm). apply in_map_iff in Ha as (b & <- & Hb).
    exact (M m b Hm Hb).
Qed.

Lemma hahn_lemma_5_any_masks_at N : N upto p -> (N <= n + 1 - p)%nat ->
  forall (i : position n) d, i <> p :> nat -> change i d <= C / INR N.
Proof.
  intros H1 H2. apply (from_soft (fun _ => True) (fun c _ _ => c / INR N)); [|easy].
  intros. now apply soft_lemma_5_any_masks with (p := p).
Qed.
End Network.

(* ---- the theorems, for every n with the same constant ---- *)
Section EveryLength.
Variable users : predicate_meanings.
Variables (T : transformer) (B t : R).
Hypothesis Bounded : bounded_embeddings users T B.
Hypothesis Warm : warm_everywhere T t.
Variables (n : nat) (p : position n) (u v : word).
Hypothesis Exchanged : differ_at p u v.

Let change (i : nat) (d : direction) : R := Rabs (run_transformer users T n u i d - run_transformer users T n v i d).
Let C : R := lemma_5_constant T B t.
Let L : nat := length (transformer_layers T).

Theorem hahn_lemma_5 : every_head T (fun a => head_masking a = Unmasked) ->
  forall (i : position n) d, i <> p :> nat -> change i d <= C / INR n.
Proof.
  apply (from_soft users T B t n p u v) with (P := fun k => k = Unmasked) (bound := fun c _ _ => c / INR n); auto.
  intros. now apply soft_lemma_5 with (p := p).
Qed.

Theorem hahn_lemma_5_any_masks N : N upto p -> (N <= n + 1 - p)%nat ->
  forall (i : position n) d, i <> p :> nat -> change i d <= C / INR N.
Proof. intros H1 H2. now apply (hahn_lemma_5_any_masks_at users T B t n p). Qed.

Theorem hahn_lemma_5_future_masked : every_head T (fun a => head_masking a = FutureMasked) ->
  forall (i : position n) d, i <> p :> nat -> change i d <= C * causal_shape L i.
Proof.
  apply (from_soft users T B t n p u v) with (P := fun k => k = FutureMasked) (bound := fun c k i =>
    c * causal_shape k i); auto. intros. now apply soft_lemma_5_future_masked with (p := p).
Qed.

Theorem hahn_lemma_5_no_past_mask : every_head T (fun a => head_masking a <> PastMasked) ->
  forall (i : position n) d, i <> p :> nat -> change i d <= C * common_shape n L i.
Proof.
  apply (from_soft users T B t n p u v) with (P := fun k => k <> PastMasked) (bound := fun c k i =>
    c * common_shape n k i); auto. intros. now apply soft_lemma_5_no_past_mask with (p := p).
Qed.
End EveryLength.
