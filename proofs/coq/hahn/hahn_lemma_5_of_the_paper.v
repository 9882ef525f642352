(* [Hahn] Lemma 5, for the transformers of the paper: real weights, dot-product and additive attention, ReLU networks.

   A function of real coordinates is mild if on arguments of at most X it is bounded, and Lipschitz, for every X.
   Constants, coordinates, sums, products and Lipschitz functions of mild functions are mild; so are dot products of
   affine maps, additive scores, which [Hahn]'s proof names, too, and ReLU networks of any depth, all with real weights.

   Proved: of layers with mild scores and updates, in any number of dimensions, with any embeddings of length, position
   and letter that are bounded, there is a C such that at every n exchanging the symbol at p changes every other
   activation by at most C/n if no head has a mask, and the last one by at most C (1 + ln n)^(L-1)/n whatever the masks.
   That embeddings are bounded cannot be left out (hahn_lemma_5_proof_steps.v). *)
From Coq Require Import Reals List Bool Lra Lia Arith.
From Certify Require Import positions lists finite_sums softmax relu formula network harmonic_numbers hahn_one_row
  hahn_soft_layer hahn_one_layer hahn_lemma_5_repaired hahn_lemma_5_masked.
Import ListNotations PositionNotations.
Open Scope R_scope.

(* ---- mild functions ---- *)
Local Definition mild {J} (F : (J -> R) -> R) : Prop := forall X, exists K, 0 <= K /\ forall z z' e, activation_within X
  z -> activation_within X z' -> activations_near e z z' -> Rabs (F z) <= K /\ Rabs (F z - F z') <= K * e.
Definition lipschitz_function (g : R -> R) : Prop :=
  exists k, 0 <= k /\ forall a b, Rabs (g a - g b) <= k * Rabs (a - b).

Lemma near_sym {J} e (x y : J -> R) : activations_near e x y -> activations_near e y x.
Proof. intros [He H]. split; [exact He|]. intros d. rewrite Rabs_minus_sym. apply H. Qed.

Section Mild.
Variable J : Type.
Implicit Types F G : (J -> R) -> R.

Lemma mild_constant c : mild (fun _ : J -> R => c).
Proof.
  intros X. exists (Rabs c). pose proof (Rabs_pos c). split; [assumption|]. intros z z' e _ _ [He _].
  split; [lra|]. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. now apply Rmult_le_pos.
Qed.

Lemma mild_coordinate d : mild (fun z : J -> R => z d).
Proof.
  intros X. exists (Rabs X + 1). pose proof (Rabs_pos X). pose proof (Rle_abs X). split; [lra|].
  intros z z' e B _ [He D]. pose proof (B d). pose proof (D d). split; [lra|]. nra.
Qed.

Lemma mild_plus F G : mild F -> mild G -> mild (fun z => F z + G z).
Proof.
  intros HF HG X. destruct (HF X) as (k & Hk & A), (HG X) as (l & Hl & B). exists (k + l). split; [lra|].
  intros z z' e Z Z' D. destruct (A z z' e Z Z' D) as [A1 A2], (B z z' e Z Z' D) as [B1 B2]. split.
  - eapply Rle_trans; [apply Rabs_triang|lra].
  - rewrite Rmult_plus_distr_r. now apply sum_close.
Qed.

Lemma mild_times F G : mild F -> mild G -> mild (fun z => F z * G z).
Proof.
  intros HF HG X. destruct (HF X) as (k & Hk & A), (HG X) as (l & Hl & B). exists (2 * (k * l)).
  pose proof (Rmult_le_pos _ _ Hk Hl). split; [lra|]. intros z z' e Z Z' D.
  destruct (A z z' e Z Z' D) as [A1 A2], (B z z' e Z Z' D) as [B1 B2].
  destruct (B z' z e Z' Z (near_sym _ _ _ D)) as [B3 _]. split.
  - pose proof (product_bounded _ _ _ _ A1 B1). lra.
  - replace (F z * G z - F z' * G z') with (F z * (G z - G z') + (F z - F z') * G z') by ring.
    eapply Rle_trans; [apply Rabs_triang|]. pose proof (product_bounded _ _ _ _ A1 B2).
    pose proof (product_bounded _ _ _ _ A2 B3). lra.
Qed.

Lemma mild_through g F : lipschitz_function g -> mild F -> mild (fun z => g (F z)).
Proof.
  intros (k & Hk & L) HF X. destruct (HF X) as (l & Hl & A). exists (Rabs (g 0) + k * l).
  pose proof (Rmult_le_pos _ _ Hk Hl). pose proof (Rabs_pos (g 0)). split; [lra|]. intros z z' e Z Z' D.
  destruct (A z z' e Z Z' D) as [A1 A2]. split.
  - replace (g (F z)) with (g 0 + (g (F z) - g 0)) by ring. eapply Rle_trans; [apply Rabs_triang|].
    pose proof (L (F z) 0) as L0. rewrite Rminus_0_r in L0. pose proof (Rmult_le_compat_l k _ _ Hk A1). lra.
  - pose proof (L (F z) (F z')). pose proof (Rmult_le_compat_l k _ _ Hk A2).
    pose proof (Rmult_le_pos _ _ (Rabs_pos (g 0)) (proj1 D)). lra.
Qed.

Lemma mild_total {X} (F : X -> (J -> R) -> R) l : (forall x, mild (F x)) -> mild (fun z => total_over (fun x =>
  F x z) l).
Proof. intros H. induction l as [|x l IH]; [apply (mild_constant 0)|]. now apply (mild_plus (F x)). Qed.

(* Rows of real weights, as in network.v sparse; f chooses the coordinates. *)
Local Definition affine {X} (b : R) (w : list (X * R)) (x : X -> R) : R := b + total_over (fun e =>
  snd e * x (fst e)) w.

Lemma mild_affine {X} (f : X -> J) b w : mild (fun z => affine b w (fun a => z (f a))).
Proof.
  apply (mild_plus (fun _ => b)); [apply mild_constant|]. apply (mild_total (fun e z => snd e * z (f (fst e)))).
  intros e. apply (mild_times (fun _ => snd e)); [apply mild_constant|apply mild_coordinate].
Qed.
End Mild.

Lemma relu_lipschitz : lipschitz_function relu.
Proof. exists 1. split; [lra|]. intros a b. rewrite Rmult_1_l. apply relu_apart. Qed.

(* ---- layers with mild scores and updates, in `dim` dimensions ---- *)
Local Definition both (x y : activation nat) : bool * nat -> R := fun c => (if fst c then x else y) (snd c).
(* The activation, and what head h retrieves. *)
Local Definition all_of (x : activation nat) (bs : list (activation nat)) : option nat * nat -> R :=
  fun c => match fst c with None => x | Some h => nth h bs (fun _ => 0) end (snd c).
Definition mild_score (score : activation nat -> activation nat -> R) : Prop :=
  exists F, mild F /\ forall x y, score x y = F (both x y).
Definition mild_layer (dim : nat) (l : soft_layer nat) : Prop := (forall a, In a (soft_heads l) -> exists score,
  mild_score score /\ forall n i, soft_score a n i = score) /\ exists G, (forall d, mild (G d)) /\ forall x bs d,
  soft_update l x bs d = if (d <? dim)%nat then G d (all_of x bs) else 0.

Definition dot_product_score (rows : list (list (nat * R) * list (nat * R))) (x y : activation nat) : R :=
  total_over (fun qk => affine 0 (fst qk) x * affine 0 (snd qk) y) rows.
(* The sum of v g(W x + U y + b). *)
Definition additive_score (g : R -> R) (units : list (R * R * list (nat * R) * list (nat * R)))
  (x y : activation nat) : R :=
  total_over (fun u => match u with (v, b, wx, wy) => v * g (affine b wx x + affine 0 wy y) end) units.
(* With a skip connection: hidden units with the weights they write, and the bias of each coordinate. *)
Local Definition relu_network (units : list (R * list (option nat * nat * R) * (nat -> R))) (bias : nat -> R) (d : nat)
  (z : option nat * nat -> R) : R :=
  z (None, d) + (bias d + total_over (fun u => match u with (b, w, out) => out d * relu (affine b w z) end) units).

Theorem dot_product_mild rows : mild_score (dot_product_score rows).
Proof.
  exists (fun z => dot_product_score rows (fun a => z (true, a)) (fun a => z (false, a))). split; [|reflexivity].
  apply (mild_total _ (fun qk z => affine 0 (fst qk) (fun a => z (true, a))
    * affine 0 (snd qk) (fun a => z (false, a)))).
  intros qk. apply (mild_times _ (fun z => affine 0 (fst qk) (fun a => z (true, a)))); apply mild_affine.
Qed.

Theorem additive_mild g units : lipschitz_function g -> mild_score (additive_score g units).
Proof.
  intros L. exists (fun z => additive_score g units (fun a => z (true, a)) (fun a => z (false, a))).
  split; [|reflexivity]. apply mild_total. intros [[[v b] wx] wy]. apply (mild_times _ (fun _ => v)).
  - apply mild_constant.
  - apply mild_through; [exact L|].
    apply (mild_plus _ (fun z => affine b wx (fun a => z (true, a)))); apply mild_affine.
Qed.

Theorem relu_network_mild units bias d : mild (relu_network units bias d).
Proof.
  apply (mild_plus _ (fun z => z (None, d))); [apply mild_coordinate|].
  apply (mild_plus _ (fun _ => bias d)); [apply mild_constant|]. apply mild_total. intros [[b w] out].
  apply (mild_times _ (fun _ => out d)); [apply mild_constant|]. apply mild_through; [exact relu_lipschitz|].
  exact (mild_affine _ (fun c => c) b w).
Qed.

(* ---- they fit ---- *)
Lemma both_near x x' y y' e e' : activations_near e x x' -> activations_near e' y y' -> activations_near (e + e') (both
  x y) (both x' y').
Proof. intros [He D] [He' D']. split; [lra|]. intros [[|] d]; cbn; [specialize (D d)|specialize (D' d)]; lra. Qed.
Lemma both_within X x y : activation_within X x -> activation_within X y -> activation_within X (both x y).
Proof. intros Hx Hy [[|] d]; [apply Hx|apply Hy]. Qed.

Lemma all_within X x bs : activation_within X x -> Forall (activation_within X) bs -> activation_within X (all_of x bs).
Proof.
  intros Hx Hb. assert (PX : 0 <= X) by (eapply Rle_trans; [apply Rabs_pos|exact (Hx 0%nat)]).
  intros [[h|] d]; [|apply Hx]. cbn. destruct (nth_in_or_default h bs (fun _ => 0)) as [I| ->].
  - rewrite Forall_forall in Hb. now apply Hb.
  - now rewrite Rabs_R0.
Qed.

Definition counts_once (k : head_bound) : Prop := head_share k = 1.

Lemma moved_near ks (xs ys : list (activation nat)) s : activations_moved ks xs ys s -> Forall counts_once ks ->
  0 <= s /\ forall h, activations_near s (nth h xs (fun _ => 0)) (nth h ys (fun _ => 0)).
Proof.
  intros M. induction M as [|k ks x xs y ys e s D M IH]; intros O.
  - split; [lra|]. intros [|h]; (split; [lra|]); intros d; cbn; rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; lra.
  - inversion_clear O as [|k' ks' Ok O']. destruct (IH O') as [Hs H]. unfold counts_once in Ok. rewrite Ok.
    destruct D as [He D]. split; [lra|]. intros [|h]; (split; [lra|]); intros d; cbn.
    + specialize (D d). lra.
    + destruct (H h) as [_ N]. specialize (N d). lra.
Qed.

Lemma mild_coordinates dim (G : nat -> (option nat * nat -> R) -> R) X : (forall d, mild (G d)) -> exists K, 0 <= K /\
  forall d, (d < dim)%nat -> forall z z' e, activation_within X z -> activation_within X z' ->
  activations_near e z z' -> Rabs (G d z) <= K /\ Rabs (G d z - G d z') <= K * e.
Proof.
  intros H. induction dim as [|m (K & HK & IH)]; [exists 0; split; [lra|]; intros; lia|].
  destruct (H m X) as (k & Hk & L). exists (K + k). split; [lra|]. intros d Hd z z' e Z Z' D.
  pose proof (proj1 D) as He. pose proof (Rmult_le_pos _ _ HK He). pose proof (Rmult_le_pos _ _ Hk He).
  destruct (Nat.eq_dec d m) as [->|N]; [destruct (L z z' e Z Z' D)|destruct (IH d ltac:(lia) z z' e Z Z' D)];
    split; lra.
Qed.

Theorem mild_layer_fits dim l X : 0 <= X -> mild_layer dim l -> exists b, forall n, layer_fits X n l b.
Proof.
  intros HX (Hs & G & HG & U). destruct (mild_coordinates dim G X HG) as (K & HK & L).
  assert (B : exists ks, Forall counts_once ks /\ forall n, Forall2 (head_fits X n) (soft_heads l) ks).
  { clear U. induction (soft_heads l) as [|a heads IH]; [exists []; now split|].
    destruct IH as (ks & O & F); [intros b Hb; apply Hs; now right|].
    destruct (Hs a (or_introl eq_refl)) as (score & (S & HS & E) & A). destruct (HS X) as (k & Hk & M).
    exists (HeadBound (2 * k) (2 * X * k) 1 :: ks). split; [constructor; [reflexivity|exact O]|]. intros n.
    constructor; [|apply F]. assert (0 <= X * k) by now apply Rmult_le_pos. split; [cbn; lra|]. split; [cbn; lra|].
    intros i _. rewrite A. cbn [head_sharpness head_sway]. split.
    - intros x y Hx Hy. rewrite E. replace (2 * k / 2) with k by field.
      apply (M (both x y) (both x y) 0); try now apply both_within. split; [lra|]. intros d.
      rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
    - intros x x' y y' e e' Hx Hx' Hy Hy' D D'. rewrite !E, (Rmult_assoc (2 * X) k). apply Rmult_le_compat_l; [lra|].
      apply M; [now apply both_within|now apply both_within|now apply both_near]. }
  destruct B as (ks & O & F). exists (LayerBound ks K K). intros n. split; [apply F|]. split; [exact HK|].
  split; [exact HK|]. cbn [layer_slope size_after head_bounds]. split.
  - intros x xs Hx Hxs _ d. rewrite U. destruct (Nat.ltb_spec d dim); [|now rewrite Rabs_R0].
    apply (L d ltac:(assumption) _ (all_of x xs) 0); try now apply all_within. split; [lra|]. intros c.
    rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
  - intros x y xs ys e s Hx Hy Hxs Hys [He D] M. destruct (moved_near ks xs ys s M O) as [Hs0 N].
    split; [apply Rmult_le_pos; lra|]. intros d. rewrite !U. destruct (Nat.ltb_spec d dim).
    + apply L; [assumption|now apply all_within|now apply all_within|]. split; [lra|]. intros [[h|] c]; cbn.
      * destruct (N h) as [_ Nh]. specialize (Nh c). lra.
      * specialize (D c). lra.
    + rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. apply Rmult_le_pos; lra.
Qed.

Lemma mild_layers_fit dim ls : Forall (mild_layer dim) ls -> forall X, 0 <= X -> exists bs, forall n, all_fit n ls bs X.
Proof.
  intros M. induction M as [|l ls H M IH]; intros X HX; [now exists []|].
  destruct (mild_layer_fits dim l X HX H) as (b & F). destruct (IH (size_after b)) as (bs & A); [apply (F 0%nat)|].
  exists (b :: bs). intros n. split; [apply F|apply A].
Qed.

(* ---- Lemma 5 ---- *)
Section Transformer.
Variables (dim : nat) (layers : list (soft_layer nat)).
Variables (embedding : nat -> nat -> nat -> activation nat) (B : R).                 (* of length, position, letter *)
Definition soft_run (n : nat) (w : word) : nat -> activation nat :=
  after_soft_layers n layers (fun i => embedding n i (w i)).

Hypothesis Mild : Forall (mild_layer dim) layers.
Hypothesis HB : 0 <= B.
Hypothesis Bounded : forall n i x, activation_within B (embedding n i x).

Theorem hahn_lemma_5_of_the_paper : masks_are layers (fun k => k = Unmasked) -> exists C, 0 <= C /\
  forall n (p : position n) u v (i : position n) d, i <> p :> nat -> differ_at p u v ->
  Rabs (soft_run n u i d - soft_run n v i d) <= C / INR n.
Proof.
  intros U. destruct (mild_layers_fit dim layers Mild B HB) as (bs & F). exists (change_through bs B 0).
  split; [apply (change_through_nonneg nat 0 layers); auto; lra|]. intros n p u v i d N D.
  apply (soft_lemma_5 nat layers bs B n p); auto;
    try (intros j _; apply Bounded); try (intros j Nj; now rewrite (D j Nj)).
Qed.

Theorem hahn_lemma_5_of_the_paper_any_masks : exists C, 0 <= C /\ forall n p u v d, (1 <= p < n)%nat ->
  differ_at p u v -> Rabs (soft_run n u n d - soft_run n v n d) <= C * decay_shape (fun _ => n) (length layers) n.
Proof.
  destruct (mild_layers_fit dim layers Mild B HB) as (bs & F). exists (change_through bs B 0).
  split; [apply (change_through_nonneg nat 0 layers); auto; lra|]. intros n p u v d Hp D.
  assert (Hp' : p upto n) by lia. rewrite <- (beyond_last n (Position p Hp')) by (cbn; lia).
  refine (soft_lemma_5_every_mask n (Position p Hp') layers bs B _ _ HB (F n) _ _ _ (Position n ltac:(lia)) d
    ltac:(cbn; lia)); try (intros j _; apply Bounded); intros j Nj; now rewrite (D j Nj).
Qed.
End Transformer.
