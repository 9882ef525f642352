(* [Hahn] Theorem 1 and Corollary 2, for the transformers of network.v with attention to a single position.

   A weighting is `single` if it gives weight 1 to one visible position of greatest score, the first or the last of
   them: leftmost and rightmost hardmax of [SHA] Definition 2, of which the former is Hahn's hard attention.

   Proved, for any embeddings, masks, layers and heads: for every C < 1 there is a c such that for all n from some N on
   some restriction leaves C n symbols of the words of length n free, and each activation behind all layers depends on c
   of them at most; so it is from any restriction to start with, at the cost of n/e symbols, e as large as one likes.
   Average-hardmax is not single, and the theorem is false of it: a head with equal scores has the mean of all symbols.
   Idea: one layer after another by the depth reduction lemma. *)
From Coq Require Import ZArith Reals List Bool Arith Lia Lra FunctionalExtensionality.
From Certify Require Import lists finite_sums softmax formula network hard_attention hahn_restrictions
  hahn_lemma_4_depth_reduction.
Import ListNotations.

(* Of two positions of the same score, the one that is preferred. *)
Definition single (W : weighting) (first : nat -> nat -> bool) : Prop :=
  (forall i j, first i j = true \/ first j i = true) /\
  (forall i j k, first i j = true -> first j k = true -> first i k = true) /\
  (forall i j, first i j = true -> first j i = true -> i = j) /\
  forall n m s j, visible n m j -> exists p, visible n m p /\
    (forall i, (1 <= i <= n)%nat -> W n m s i = one_hot p i) /\
    forall k, visible n m k -> (s k < s p)%R \/ (s k = s p /\ first p k = true).

Section Single.
Variables (W : weighting) (first : nat -> nat -> bool).
Hypothesis Single : single W first.

(* ---- what a head prefers ---- *)
Definition better (x : R) (i : nat) (z : R) (k : nat) : bool :=
  if Rlt_dec z x then true else if Rlt_dec x z then false else first i k.
Definition score_of (a : head) (x : vector) (u : nat * vector) : R :=
  dot_product (head_queries a) (head_keys a) x (snd u).
Definition prefers (a : head) (j : nat) (x : vector) (u v : nat * vector) : bool :=
  better (score_of a x u) (fst u) (score_of a x v) (fst v).
Definition sees (n : nat) (a : head) (j : nat) : list nat := filter (mask_at (head_masking a) j) (seq 1 n).

Lemma better_total x i z k : better x i z k = true \/ better z k x i = true.
Proof. unfold better. repeat destruct (Rlt_dec _ _); try tauto; try lra. apply Single. Qed.
Lemma better_trans x i y j z k : better x i y j = true -> better y j z k = true -> better x i z k = true.
Proof.
  unfold better. repeat destruct (Rlt_dec _ _); try easy; try lra. apply Single.
Qed.
Lemma better_anti x i z k : better x i z k = true -> better z k x i = true -> i = k.
Proof. unfold better. repeat destruct (Rlt_dec _ _); try easy; try lra. apply Single. Qed.

Lemma in_sees n a j i : In i (sees n a j) <-> visible n (mask_at (head_masking a) j) i.
Proof. unfold sees, visible. rewrite filter_In, in_seq. split; intros [A B]; (split; [lia|exact B]). Qed.
Lemma sees_itself n a j : (1 <= j <= n)%nat -> visible n (mask_at (head_masking a) j) j.
Proof.
  intros H. split; [exact H|]. destruct (head_masking a); simpl; [reflexivity|apply Nat.leb_refl|apply Nat.leb_refl].
Qed.

(* ---- one layer ---- *)
Lemma attends_to n a (h : nat -> vector) j : (1 <= j <= n)%nat -> exists i,
  (1 <= i <= n)%nat /\ (forall r, attended_by W a n h j r = linear r (h i)) /\
  In i (sees n a j) /\ forall k, In k (sees n a j) -> prefers a j (h j) (i, h i) (k, h k) = true.
Proof.
  intros Hj. destruct Single as (_ & _ & _ & S).
  destruct (S n (mask_at (head_masking a) j) (raw_score a h j) j (sees_itself n a j Hj)) as (p & V & O & G). exists p.
  split; [apply V|]. split; [|split; [now apply in_sees|]].
  - intros r. unfold attended_by, weights_by. rewrite (sum_apart n p) by apply V. rewrite O by apply V.
    rewrite one_hot_here, sum_zero; [lra|]. intros i Hi. unfold except. destruct (Nat.eqb_spec i p); [reflexivity|].
    rewrite O, one_hot_elsewhere by assumption. lra.
  - intros k Hk. apply in_sees in Hk. unfold prefers, better, score_of. simpl.
    destruct (G k Hk) as [L|[E F]]; unfold raw_score in *; repeat destruct (Rlt_dec _ _); try easy; lra.
Qed.

Lemma layer_of_same n l (h h' : nat -> vector) j : h j = h' j ->
  (forall a, In a (layer_heads l) -> forall r, attended_by W a n h j r = attended_by W a n h' j r) ->
  after_layer_by W n l h j = after_layer_by W n l h' j.
Proof.
  intros E H. assert (G : forall d, after_heads_by W n l h j d = after_heads_by W n l h' j d).
  { intros d. unfold after_heads_by. rewrite E. f_equal. apply total_ext. intros a Ha. unfold head_output_by.
    apply collect_ext. intros _ r _. now apply H. }
  apply functional_extensionality. intros d. unfold after_layer_by. rewrite G. f_equal. apply feedforward_ext, G.
Qed.

(* ---- all layers ---- *)
Definition depends_on_few (s n c : nat) (y : word -> nat -> vector) (b : word) (F : list nat) :=
  exists D, few n c D /\ reads s n D y b F.

Lemma layer_depends s n c e l (y : word -> nat -> vector) b F : (1 <= s)%nat -> (1 <= c)%nat -> (1 <= e)%nat ->
  (2 * (e * c) <= n)%nat -> spelled s b -> NoDup F -> depends_on_few s n c y b F ->
  exists b' F', narrower s b F b' F' /\ (e * length F <= e * length F' + n)%nat /\
  depends_on_few s n (reduced s c e (S (length (layer_heads l)))) (fun w => after_layer_by W n l (y w)) b' F'.
Proof.
  intros Hs Hc He Hn Sp Nd (D & Few & Reads).
  destruct (depth_reduction s n c e (S (length (layer_heads l))) vector head (layer_heads l) (sees n) prefers y)
    with (b := b) (F := F) (D := D) as (b' & F' & D' & Nr & L & Few' & H); auto; try lia.
  - intros a j. split; [apply NoDup_filter, seq_NoDup|]. intros i Hi. apply in_sees in Hi. apply Hi.
  - intros. apply better_total.
  - intros a j x u v w. apply better_trans.
  - intros a j x u v. apply better_anti.
  - exists b', F'. split; [exact Nr|]. split; [exact L|]. exists D'. split; [exact Few'|].
    intros j w w' Hj Ww Ww' E. destruct (H j w w' Hj Ww Ww' E) as [Own At]. apply layer_of_same; [exact Own|].
    intros a Ha r. destruct (attends_to n a (y w) j Hj) as (i & _ & A & S).
    destruct (attends_to n a (y w') j Hj) as (i' & _ & A' & S').
    destruct (At a i i' Ha S S') as [<- Ei]. now rewrite A, A', Ei.
Qed.

Lemma layers_depend s e ls : (1 <= s)%nat -> (1 <= e)%nat -> forall c, (1 <= c)%nat -> exists c' N, (1 <= c')%nat /\
  forall n (y : word -> nat -> vector) b F, (N <= n)%nat -> spelled s b -> NoDup F -> depends_on_few s n c y b F ->
  exists b' F', narrower s b F b' F' /\ (e * length F <= e * length F' + length ls * n)%nat /\
  depends_on_few s n c' (fun w => after_layers_by W n ls (y w)) b' F'.
Proof.
  intros Hs He. induction ls as [|l ls IH]; intros c Hc.
  - exists c, 0%nat. split; [exact Hc|]. intros n y b F _ Sp Nd H. exists b, F. split; [now apply narrower_refl|].
    split; [lia|exact H].
  - set (c1 := reduced s c e (S (length (layer_heads l)))).
    assert (Hc1 : (1 <= c1)%nat) by (unfold c1, reduced; nia).
    destruct (IH c1 Hc1) as (c' & N & Hc' & H). exists c', (Nat.max N (2 * (e * c))). split; [exact Hc'|].
    intros n y b F Hn Sp Nd Dp.
    destruct (layer_depends s n c e l y b F Hs Hc He ltac:(lia) Sp Nd Dp) as (b1 & F1 & N1 & L1 & D1).
    pose proof N1 as (Sp1 & Nd1 & _).
    destruct (H n (fun w => after_layer_by W n l (y w)) b1 F1 ltac:(lia) Sp1 Nd1 D1) as (b' & F' & N' & L' & D').
    exists b', F'. split; [exact (narrower_trans s _ _ _ _ _ _ N1 N')|]. split; [simpl length; lia|exact D'].
Qed.

(* ---- Theorem 1 ---- *)
Section Network.
Variables (users : nat -> nat -> nat -> bool) (T : transformer).

(* What is left of a restriction (b, F) of words over the first s letters, all but n/e of the free symbols. *)
Theorem hahn_theorem_1_from s e : (1 <= s)%nat -> (1 <= e)%nat -> exists c N,
  forall n b F, (N <= n)%nat -> spelled s b -> NoDup F -> exists b' F', narrower s b F b' F' /\
  (e * length F <= e * length F' + n)%nat /\ depends_on_few s n c (run_by W users T n) b' F'.
Proof.
  intros Hs He. set (k := S (length (transformer_layers T))).
  destruct (layers_depend s (e * k) (transformer_layers T) Hs ltac:(unfold k; nia) 1 ltac:(lia)) as (c & N & _ & H).
  exists c, N. intros n b F Hn Sp Nd. destruct (H n (embed users T n) b F Hn Sp Nd) as (b' & F' & Nr & L & D).
  - exists (fun i => [i]). split; [intros i _; simpl; lia|]. intros i w w' _ _ _ E. unfold embed.
    now rewrite (E i (or_introl eq_refl)).
  - exists b', F'. split; [exact Nr|]. split; [|exact D].
    apply (Nat.mul_le_mono_pos_l _ _ k); [unfold k; lia|]. unfold k in *. nia.
Qed.

Theorem hahn_theorem_1 s C : (1 <= s)%nat -> (C < 1)%R -> exists c N, forall n, (N <= n)%nat -> exists b F,
  spelled s b /\ NoDup F /\ incl F (seq 1 n) /\ (C * INR n <= INR (length F))%R /\
  depends_on_few s n c (run_by W users T n) b F.
Proof.
  intros Hs HC. destruct (archimed (/ (1 - C))) as [Up _]. set (e := Z.to_nat (up (/ (1 - C)))).
  assert (P : (0 < / (1 - C))%R) by (apply Rinv_0_lt_compat; lra).
  assert (E : (/ (1 - C) <= INR e)%R).
  { unfold e. rewrite INR_IZR_INZ, Z2Nat.id; [lra|]. apply le_IZR. lra. }
  assert (E1 : (1 <= e)%nat) by (destruct e; [simpl in E; lra|lia]).
  destruct (hahn_theorem_1_from s e Hs E1) as (c & N & H). exists c, N. intros n Hn.
  destruct (H n (fun _ => 0%nat) (seq 1 n) Hn ltac:(intros i; lia) (seq_NoDup n 1)) as (b & F & Nr & L & D).
  exists b, F. destruct Nr as (Sp & Nd & I & _). repeat split; auto. rewrite length_seq in L. apply le_INR in L.
  rewrite plus_INR, !mult_INR in L. set (x := INR n) in *. set (f := INR (length F)) in *.
  assert (X : (0 <= x)%R) by apply pos_INR. apply Rmult_le_reg_l with (INR e); [lra|].
  assert ((1 - C) * / (1 - C) <= (1 - C) * INR e)%R by (apply Rmult_le_compat_l; lra).
  rewrite Rinv_r in * by lra. nra.
Qed.
End Network.
End Single.
