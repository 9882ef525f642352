(* [Hahn] Lemma 5 for the transformers of network.v, and what is true under masks.

   Two words of length n differ at p only; embeddings of positions lie in [-B, B] and temperatures are at least t > 0.
   C = `lemma_5_constant T B t` does not depend on n, p, i and the words. Then an activation changes by at most

     C / n                      at every i <> p, if no head has a mask                       hahn_lemma_5
     C / min(p, n + 1 - p)      at every i <> p, whatever the masks                          hahn_lemma_5_any_masks
     C (1 + ln i)^(L-1) / i     at every i <> p, if all heads are future-masked              hahn_lemma_5_future_masked
     C (1 + ln n)^(L-1) / i     at every i <> p, if no head is past-masked                   hahn_lemma_5_no_past_mask
     C (1 + ln n)^(L-1) / n     at n, whatever the masks        hahn_lemma_5_last_position, in hahn_lemma_5_masked.v

   with L layers, residual connections, any number of heads, ReLUs and biases. At p itself nothing is claimed.
   Idea: layer by layer, changes at i <> p are at most c w(i) for a shape w that means do not spoil: each head that sees
   p from i has 1/w(i) positions to average over, and the mean of w over what it sees is at most w(i). *)
From Coq Require Import Reals QArith Qreals List Bool Lra Lia.
From Certify Require Import finite_sums softmax lemma_09_rounding formula network harmonic_numbers hahn_one_row
  hahn_one_layer.
Import ListNotations.
Open Scope R_scope.

(* ---- the constant: what bounds the activations, and the changes, behind all layers ---- *)
Fixpoint change_behind (t : R) (ls : list layer) (X c : R) : R :=
  match ls with
  | [] => c
  | l :: ls => change_behind t ls (size_behind l X) (stretch l * (own_share t X l * c + mean_share t X l * (2 * X + c)))
  end.
Definition largest_row (rows : list row) : R := fold_right (fun r b => Rmax (row_norm r) b) 0 rows.
Definition lemma_5_constant (T : transformer) (B t : R) : R :=
  change_behind t (transformer_layers T) (largest_row (token_embedding T) + B) 0.

(* ---- the hypotheses, for one length and for all ---- *)
Definition bounded_at (users : nat -> nat -> nat -> bool) (T : transformer) (n : nat) (B : R) := 0 <= B /\
  forall i d, (1 <= i <= n)%nat -> Rabs (collect (fun p => position_value users p n i) (position_embedding T) d) <= B.
Definition every_head (T : transformer) (P : head -> Prop) :=
  forall l a, In l (transformer_layers T) -> In a (layer_heads l) -> P a.
Definition warm_at (T : transformer) (n : nat) (t : R) := 0 < t /\ every_head T (warm_head t n).

Definition bounded_embeddings users T B := forall n, bounded_at users T n B.
Definition warm T t := forall n, warm_at T n t.
Definition differ_at (p : nat) (w w' : word) := forall j, j <> p -> w j = w' j.

(* ---- one layer ---- *)
(* The shape w of the changes that enter may become w' behind the heads: see the idea above. *)
Definition carries (n p : nat) (w w' : nat -> R) (a : head) := forall i, (1 <= i <= n)%nat -> i <> p ->
  let m := mask_at (head_masking a) i in
  (m p = true -> 1 <= w' i * shown n m) /\ sum n (fun j => bit (m j) * w j) <= w' i * shown n m.

Definition close_but_at (n p : nat) (X c : R) (w : nat -> R) (h h' : nat -> vector) :=
  bounded n X h /\ bounded n X h' /\ forall i d, (1 <= i <= n)%nat -> i <> p -> Rabs (h i d - h' i d) <= c * w i.

(* What is known of the changes, p included. *)
Definition known_change (p : nat) (X c : R) (w : nat -> R) (j : nat) : R := if Nat.eqb j p then 2 * X else c * w j.

Lemma known_change_right n p X c w h h' : close_but_at n p X c w h h' -> apart n (known_change p X c w) h h'.
Proof.
  intros (B & B' & D) i d Hi. unfold known_change. destruct (Nat.eqb_spec i p) as [->|N]; [|now apply D].
  pose proof (B p d Hi) as U. pose proof (B' p d Hi) as U'. apply Rabs_bounds in U, U'. apply Rabs_le. lra.
Qed.

Lemma known_change_mean n p X c w w' a i : (1 <= p <= n)%nat -> (1 <= i <= n)%nat -> i <> p -> 0 <= X -> 0 <= c ->
  (forall j, (1 <= j)%nat -> 0 <= w j) -> 0 <= w' i -> carries n p w w' a ->
  mean_at_most n (known_change p X c w) i ((2 * X + c) * w' i) a.
Proof.
  intros Hp Hi N HX Hc Pw Pw' K. unfold mean_at_most. destruct (K i Hi N) as [K1 K2].
  set (m := mask_at (head_masking a) i) in *.
  assert (S : 0 <= shown n m) by (apply sum_nonneg; intros; apply bit_range).
  assert (E : sum n (fun j => bit (m j) * known_change p X c w j)
    <= bit (m p) * (2 * X) + c * sum n (fun j => bit (m j) * w j)).
  { rewrite (sum_apart n p), <- sum_scale by exact Hp. unfold known_change at 1. rewrite Nat.eqb_refl.
    apply Rplus_le_compat_l, sum_le. intros j Hj. unfold except, known_change. pose proof (bit_range (m j)).
    destruct (Nat.eqb j p); [|lra]. apply Rmult_le_pos; [exact Hc|]. apply Rmult_le_pos; [lra|apply Pw; lia]. }
  assert (F : bit (m p) * (2 * X) <= 2 * X * (w' i * shown n m)).
  { destruct (m p) eqn:Ep; simpl.
    - pose proof (Rmult_le_compat_l (2 * X) _ _ ltac:(lra) (K1 eq_refl)). lra.
    - rewrite Rmult_0_l. auto with signs. }
  pose proof (Rmult_le_compat_l c _ _ Hc K2). lra.
Qed.

Lemma layer_keeps n p X c t w w' l h h' : (1 <= p <= n)%nat -> 0 < t -> 0 <= X -> 0 <= c ->
  (forall j, (1 <= j)%nat -> 0 <= w j <= w' j) ->
  (forall a, In a (layer_heads l) -> warm_head t n a /\ carries n p w w' a) ->
  close_but_at n p X c w h h' ->
  close_but_at n p (size_behind l X) (stretch l * (own_share t X l * c + mean_share t X l * (2 * X + c))) w'
    (after_layer n l h) (after_layer n l h').
Proof.
  intros Hp Ht HX Hc Hw Hl I. pose proof I as (B & B' & D).
  split; [now apply layer_bounded|split; [now apply layer_bounded|]]. intros i d Hi N.
  pose proof (Hw i (proj1 Hi)) as Wi. eapply Rle_trans.
  - apply (layer_moves n l h h' X t (known_change p X c w) i ((2 * X + c) * w' i)); auto.
    + intros a Ha. now apply Hl.
    + now apply known_change_right.
    + intros a Ha. apply known_change_mean; auto; try lra; [intros j Hj; now apply Hw|now apply Hl].
  - unfold known_change. rewrite (proj2 (Nat.eqb_neq i p) N), (Rmult_assoc (stretch l)).
    apply Rmult_le_compat_l; [pose proof (stretch_at_least_1 l); lra|].
    pose proof (own_share_at_least_1 t X l Ht) as O.
    pose proof (Rmult_le_compat_l (own_share t X l * c) _ _ ltac:(apply Rmult_le_pos; lra) (proj2 Wi)). lra.
Qed.

(* ---- all layers; w k is the shape behind k of them ---- *)
Lemma size_nonneg l X : 0 <= X -> 0 <= size_behind l X.
Proof. intros H. unfold size_behind. pose proof (stretch_at_least_1 l). auto 10 with signs. Qed.

Lemma change_nonneg t l X c : 0 < t -> 0 <= X -> 0 <= c ->
  0 <= stretch l * (own_share t X l * c + mean_share t X l * (2 * X + c)).
Proof.
  intros Ht HX Hc. pose proof (stretch_at_least_1 l). pose proof (own_share_at_least_1 t X l Ht). auto 6 with signs.
Qed.

Lemma change_behind_nonneg t ls : 0 < t -> forall X c, 0 <= X -> 0 <= c -> 0 <= change_behind t ls X c.
Proof.
  intros Ht. induction ls as [|l ls IH]; intros X c HX Hc; simpl; [exact Hc|].
  apply IH; [now apply size_nonneg|now apply change_nonneg].
Qed.

Lemma layers_keep n p t (w : nat -> nat -> R) : (1 <= p <= n)%nat -> 0 < t ->
  (forall k j, (1 <= j)%nat -> 0 <= w k j <= w (S k) j) ->
  forall ls k X c h h', 0 <= X -> 0 <= c ->
  (forall l a, In l ls -> In a (layer_heads l) -> warm_head t n a /\ forall k, carries n p (w k) (w (S k)) a) ->
  close_but_at n p X c (w k) h h' ->
  forall i d, (1 <= i <= n)%nat -> i <> p ->
  Rabs (fold_left (fun h l => after_layer n l h) ls h i d - fold_left (fun h l => after_layer n l h) ls h' i d)
  <= change_behind t ls X c * w (length ls + k)%nat i.
Proof.
  intros Hp Ht Hw. induction ls as [|l ls IH]; intros k X c h h' HX Hc Hl I i d Hi N; simpl.
  - now apply I.
  - replace (S (length ls + k)) with (length ls + S k)%nat by lia.
    apply IH; auto; [now apply size_nonneg|now apply change_nonneg|intros m a Hm; apply Hl; now right|].
    apply layer_keeps with (w := w k); auto. intros a Ha. destruct (Hl l a (or_introl eq_refl) Ha). now split.
Qed.

(* ---- what enters ---- *)
Lemma largest_row_nonneg rows : 0 <= largest_row rows.
Proof. induction rows as [|r rows IH]; simpl; [lra|]. eapply Rle_trans; [exact IH|apply Rmax_r]. Qed.

Lemma largest_row_bounds rows : forall k d, Rabs (entry (nth k rows []) d) <= largest_row rows.
Proof.
  induction rows as [|r rows IH]; intros [|k] d; simpl;
    try (unfold entry; simpl; rewrite Rabs_R0; lra).
  - eapply Rle_trans; [apply entry_bounded|apply Rmax_l].
  - eapply Rle_trans; [apply IH|apply Rmax_r].
Qed.

Lemma embed_bounded users T B n w : bounded_at users T n B ->
  bounded n (largest_row (token_embedding T) + B) (embed users T n w).
Proof.
  intros [_ H] i d Hi. unfold embed. eapply Rle_trans; [apply Rabs_triang|].
  apply Rplus_le_compat; [apply largest_row_bounds|now apply H].
Qed.

Lemma lemma_5_constant_nonneg T B t : 0 <= B -> 0 < t -> 0 <= lemma_5_constant T B t.
Proof. intros HB Ht. pose proof (largest_row_nonneg (token_embedding T)). apply change_behind_nonneg; lra. Qed.

Section Lemma5.
Variable users : nat -> nat -> nat -> bool.
Variables (T : transformer) (B t : R).
Variables (n p : nat) (u v : word).
Hypothesis Bounded : bounded_at users T n B.
Hypothesis Warm : warm_at T n t.
Hypothesis Hp : (1 <= p <= n)%nat.
Hypothesis Exchanged : differ_at p u v.

Let C : R := lemma_5_constant T B t.

Lemma changes_have_shape (w : nat -> nat -> R) : (forall k j, (1 <= j)%nat -> 0 <= w k j <= w (S k) j) ->
  every_head T (fun a => forall k, carries n p (w k) (w (S k)) a) ->
  forall i d, (1 <= i <= n)%nat -> i <> p ->
  Rabs (run users T n u i d - run users T n v i d) <= C * w (length (transformer_layers T)) i.
Proof.
  intros Hw Hc i d Hi N. pose proof (proj1 Bounded) as HB.
  pose proof (largest_row_nonneg (token_embedding T)) as HR. destruct Warm as [Ht W].
  rewrite <- (Nat.add_0_r (length _)). unfold C, lemma_5_constant, run.
  apply (layers_keep n p t w); auto; [lra|lra| |].
  - intros l a Hl Ha. split; [now apply (W l)|now apply (Hc l)].
  - split; [now apply embed_bounded|split; [now apply embed_bounded|]]. intros j e Hj Nj. unfold embed.
    rewrite (Exchanged j Nj). unfold Rminus. rewrite Rplus_opp_r, Rabs_R0. lra.
Qed.

(* ---- the shape 1/N: a head that sees p sees at least N positions ---- *)
Definition reach (k : masking) : nat := match k with Unmasked => n | FutureMasked => p | PastMasked => n + 1 - p end.

Lemma flat_carries N a : (1 <= N)%nat -> (N <= reach (head_masking a))%nat ->
  carries n p (fun _ => / INR N) (fun _ => / INR N) a.
Proof.
  intros HN HR i Hi Ne m. apply INR_at_least_1 in HN. split.
  - intros Mp. apply Rmult_le_reg_l with (INR N); [lra|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l, Rmult_1_r by lra.
    unfold m in *. destruct (head_masking a); simpl in *.
    + rewrite shown_unmasked. now apply le_INR.
    + rewrite shown_future by lia. apply le_INR. apply Nat.leb_le in Mp. lia.
    + rewrite shown_past by lia. apply le_INR. apply Nat.leb_le in Mp. lia.
  - rewrite sum_scale_r. right. apply Rmult_comm.
Qed.

Lemma hahn_lemma_5_reach_at N : (1 <= N)%nat -> every_head T (fun a => (N <= reach (head_masking a))%nat) ->
  forall i d, (1 <= i <= n)%nat -> i <> p -> Rabs (run users T n u i d - run users T n v i d) <= C / INR N.
Proof.
  intros HN HR i d Hi Ne. apply (changes_have_shape (fun _ _ => / INR N)); auto.
  - intros _ _ _. pose proof (INR_at_least_1 N HN). split; [left; apply Rinv_0_lt_compat; lra|lra].
  - intros l a Hl Ha _. apply flat_carries; [exact HN|now apply (HR l)].
Qed.

(* No masks. *)
Lemma hahn_lemma_5_at : every_head T (fun a => head_masking a = Unmasked) ->
  forall i d, (1 <= i <= n)%nat -> i <> p -> Rabs (run users T n u i d - run users T n v i d) <= C / INR n.
Proof.
  intros H. apply hahn_lemma_5_reach_at; [lia|]. intros l a Hl Ha. rewrite (H l a Hl Ha). apply Nat.le_refl.
Qed.

(* Any masks: what is in the middle matters as little as without them. *)
Lemma hahn_lemma_5_any_masks_at N : (1 <= N <= p)%nat -> (N <= n + 1 - p)%nat ->
  forall i d, (1 <= i <= n)%nat -> i <> p -> Rabs (run users T n u i d - run users T n v i d) <= C / INR N.
Proof.
  intros H1 H2. apply hahn_lemma_5_reach_at; [lia|]. intros l a _ _. destruct (head_masking a); simpl; lia.
Qed.

(* ---- the shape (1 + ln m)^(k-1) / i behind k layers, where i sees m positions at most ---- *)
(* m i: how far to the right i looks, through whatever number of layers. *)
Definition shape (m : nat -> nat) (k i : nat) : R :=
  match k with O => 0 | S k => (1 + ln (INR (m i))) ^ k * / INR i end.

Lemma shape_grows m k i : (1 <= i)%nat -> (1 <= m i)%nat -> 0 <= shape m k i <= shape m (S k) i.
Proof.
  intros Hi H. pose proof (ln_nonneg (m i) H) as L. unfold shape.
  assert (I : 0 <= / INR i) by auto with signs.
  destruct k as [|k]; [simpl; lra|]. pose proof (power_at_least_1 (1 + ln (INR (m i))) k ltac:(lra)) as P.
  split; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat_r; [exact I|]. simpl. nra.
Qed.

(* The mean over 1, ..., r of such a shape. *)
Lemma shape_sum m k i r : (1 <= r <= m i)%nat -> (forall j, (1 <= j <= r)%nat -> (1 <= m j <= m i)%nat) ->
  sum r (shape m k) <= (1 + ln (INR (m i))) ^ k.
Proof.
  intros Hr Hm. pose proof (ln_nonneg (m i) ltac:(lia)) as L. set (x := 1 + ln (INR (m i))).
  pose proof (power_at_least_1 x k ltac:(unfold x; lra)).
  destruct k as [|k]; [rewrite sum_zero by reflexivity; lra|].
  apply Rle_trans with (x ^ k * harmonic r).
  - unfold harmonic. rewrite <- sum_scale. apply sum_le. intros j Hj. unfold shape.
    apply Rmult_le_compat_r; [auto with signs|]. specialize (Hm j Hj).
    pose proof (ln_nonneg (m j) ltac:(lia)). pose proof (ln_le_INR (m j) (m i) Hm). apply pow_incr. unfold x. lra.
  - pose proof (harmonic_upper r ltac:(lia)). pose proof (ln_le_INR r (m i) Hr).
    pose proof (power_at_least_1 x k ltac:(unfold x; lra)). simpl. rewrite Rmult_comm.
    apply Rmult_le_compat_r; unfold x in *; lra.
Qed.

(* Enough for the shape: from i, a head sees exactly 1, ..., r with i <= r <= m i. *)
Lemma shape_carries m k i r mask : (1 <= i <= n)%nat -> (i <= r <= m i)%nat ->
  (forall j, (1 <= j <= r)%nat -> (1 <= m j <= m i)%nat) -> shown n mask = INR r ->
  (forall f, sum n (fun j => bit (mask j) * f j) = sum r f) ->
  (mask p = true -> 1 <= shape m (S k) i * shown n mask) /\
  sum n (fun j => bit (mask j) * shape m k j) <= shape m (S k) i * shown n mask.
Proof.
  intros Hi Hr Hm S E. rewrite S, E. pose proof (shape_sum m k i r ltac:(lia) Hm) as G.
  pose proof (ln_nonneg (m i) ltac:(lia)). pose proof (power_at_least_1 (1 + ln (INR (m i))) k ltac:(lra)) as P.
  assert (Q : (1 + ln (INR (m i))) ^ k <= shape m (Datatypes.S k) i * INR r).
  { unfold shape. rewrite Rmult_assoc. rewrite <- (Rmult_1_r (_ ^ k)) at 1. apply Rmult_le_compat_l; [lra|].
    pose proof (INR_at_least_1 i ltac:(lia)). apply Rmult_le_reg_l with (INR i); [lra|].
    rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l, Rmult_1_r by lra. apply le_INR. lia. }
  split; [intros _|]; lra.
Qed.

Definition causal_shape : nat -> nat -> R := shape (fun i => i).
Definition common_shape : nat -> nat -> R := shape (fun _ => n).

Lemma hahn_lemma_5_future_masked_at : every_head T (fun a => head_masking a = FutureMasked) ->
  forall i d, (1 <= i <= n)%nat -> i <> p -> Rabs (run users T n u i d - run users T n v i d)
  <= C * causal_shape (length (transformer_layers T)) i.
Proof.
  intros H i d Hi N. apply (changes_have_shape causal_shape); auto.
  - intros k j Hj. now apply shape_grows.
  - intros l a Hl Ha k j Hj Nj. rewrite (H l a Hl Ha). apply (shape_carries _ k j j); [exact Hj|lia|intros; lia| |].
    + apply shown_future. lia.
    + intros f. apply sum_up_to. lia.
Qed.

Lemma hahn_lemma_5_no_past_mask_at : every_head T (fun a => head_masking a <> PastMasked) ->
  forall i d, (1 <= i <= n)%nat -> i <> p -> Rabs (run users T n u i d - run users T n v i d)
  <= C * common_shape (length (transformer_layers T)) i.
Proof.
  intros H i d Hi N. apply (changes_have_shape common_shape); auto.
  - intros k j Hj. apply shape_grows; lia.
  - intros l a Hl Ha k j Hj Nj. specialize (H l a Hl Ha). cbv beta in H. destruct (head_masking a); [| |congruence].
    + apply (shape_carries _ k j n); [exact Hj|lia|intros; lia|apply shown_unmasked|].
      intros f. apply sum_ext. intros. simpl. lra.
    + apply (shape_carries _ k j j); [exact Hj|lia|intros; lia| |].
      * apply shown_future. lia.
      * intros f. apply sum_up_to. lia.
Qed.
End Lemma5.

(* ---- the theorems, for every n with the same constant ---- *)
Section EveryLength.
Variable users : nat -> nat -> nat -> bool.
Variables (T : transformer) (B t : R).
Hypothesis Bounded : bounded_embeddings users T B.
Hypothesis Warm : warm T t.
Variables (n p : nat) (u v : word).
Hypothesis Hp : (1 <= p <= n)%nat.
Hypothesis Exchanged : differ_at p u v.

Let change (i : nat) (d : direction) : R := Rabs (run users T n u i d - run users T n v i d).
Let C : R := lemma_5_constant T B t.
Let L : nat := length (transformer_layers T).

Theorem hahn_lemma_5 : every_head T (fun a => head_masking a = Unmasked) ->
  forall i d, (1 <= i <= n)%nat -> i <> p -> change i d <= C / INR n.
Proof. intros H i d. now apply hahn_lemma_5_at. Qed.

Theorem hahn_lemma_5_any_masks N : (1 <= N <= p)%nat -> (N <= n + 1 - p)%nat ->
  forall i d, (1 <= i <= n)%nat -> i <> p -> change i d <= C / INR N.
Proof. intros H1 H2 i d. now apply hahn_lemma_5_any_masks_at. Qed.

Theorem hahn_lemma_5_future_masked : every_head T (fun a => head_masking a = FutureMasked) ->
  forall i d, (1 <= i <= n)%nat -> i <> p -> change i d <= C * causal_shape L i.
Proof. intros H i d. now apply (hahn_lemma_5_future_masked_at users T B t n p). Qed.

Theorem hahn_lemma_5_no_past_mask : every_head T (fun a => head_masking a <> PastMasked) ->
  forall i d, (1 <= i <= n)%nat -> i <> p -> change i d <= C * common_shape n L i.
Proof. intros H i d. now apply (hahn_lemma_5_no_past_mask_at users T B t n p). Qed.
End EveryLength.
