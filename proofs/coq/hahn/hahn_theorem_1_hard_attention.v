(* [Hahn] Theorem 1, for the transformers of the paper: whatever activations, scores, updates and embeddings.

   An activation is of any type. A head looks from a position at one position, the leftmost or the rightmost of those
   with the greatest score; a score is any function of two activations into the real numbers, an update any function of
   an activation and of what each head retrieves, an embedding any function of the length, the position and the letter.
   [Hahn] has leftmost heads that see all positions; here each head has its own mask, and its own end for ties.

   Proved: for every C < 1 there is a c such that for all n from some N on some restriction leaves C n symbols of the
   words of length n free, and each activation behind all layers depends on c of them at most; so it is from any
   restriction to start with, at the cost of n/e symbols, e as large as one likes. The transformers of network.v with
   leftmost or with rightmost hardmax ([SHA] Definition 2) are among them. Average-hardmax is no such attention, and
   the theorem is false of it: a head with equal scores has the mean of all symbols.
   Idea: one layer after another by the depth reduction lemma. *)
From Coq Require Import ZArith Reals List Bool Arith Lia Lra FunctionalExtensionality.
From Certify Require Import positions lists finite_sums softmax formula network hard_attention hahn_restrictions
  hahn_lemma_4_depth_reduction hahn_one_layer.
Import ListNotations PositionNotations.

(* Attention to one position: of those of the greatest score the first (ToLeft) or the last (ToRight). *)
Local Definition prior (t : side) (i k : nat) : bool := match t with ToLeft => i <=? k | ToRight => k <=? i end.
Local Definition better (t : side) (x : R) (i : nat) (z : R) (k : nat) : bool :=
  if Rlt_dec z x then true else if Rlt_dec x z then false else prior t i k.

Local Ltac compare t := unfold better, prior; destruct t; repeat destruct (Rlt_dec _ _); try easy; try lra;
  rewrite ?Nat.leb_le; try lia.

Lemma better_total t x i z k : better t x i z k = true \/ better t z k x i = true. Proof. compare t. Qed.
Lemma better_trans t x i y j z k : better t x i y j = true -> better t y j z k = true -> better t x i z k = true.
Proof. compare t. Qed.
Lemma better_anti t x i z k : better t x i z k = true -> better t z k x i = true -> i = k. Proof. compare t. Qed.
Lemma better_of t x i z k : (z <= x)%R -> (prior t i k = false -> (z < x)%R) -> better t x i z k = true.
Proof. intros L S. unfold better. destruct (prior t i k); [compare t|]. specialize (S eq_refl). compare t. Qed.

Section Transformers.
Variable A : Type.                                                                               (* of activations *)
Record hard_head := HardHead {
  hard_looks : nat -> nat -> nat -> bool;                                 (* whether, at length n, i sees j: the mask *)
  hard_score : A -> A -> R; hard_ties : side }.
Record hard_layer := HardLayer { hard_heads : list hard_head; hard_update : A -> list A -> A }.

Local Definition prefers (a : hard_head) (j : nat) (x : A) (u v : nat * A) : bool :=
  better (hard_ties a) (hard_score a x (snd u)) (fst u) (hard_score a x (snd v)) (fst v).
Local Definition seen (n : nat) (a : hard_head) (j : nat) : list nat := filter (hard_looks a n j) (seq 1 n).

(* Where head a looks from j: a head that sees nothing looks at its own position. *)
Local Definition best (n : nat) (a : hard_head) (y : nat -> A) (j i : nat) : bool :=
  forallb (fun k => prefers a j (y j) (i, y i) (k, y k)) (seen n a j).
Local Definition target (n : nat) (a : hard_head) (y : nat -> A) (j : nat) : nat :=
  match find (best n a y j) (seen n a j) with Some i => i | None => j end.
Definition after_hard (n : nat) (l : hard_layer) (y : nat -> A) : nat -> A :=
  fun j => hard_update l (y j) (map (fun a => y (target n a y j)) (hard_heads l)).
Local Definition behind (n : nat) (ls : list hard_layer) (y : nat -> A) : nat -> A :=
  fold_left (fun y l => after_hard n l y) ls y.

(* ---- one head ---- *)
Lemma in_seen n a j i : In i (seen n a j) <-> visible n (hard_looks a n j) i.
Proof. unfold seen, visible. rewrite filter_In, in_seq. split; intros [H M]; (split; [lia|exact M]). Qed.

Lemma best_correct n a y j i : best n a y j i = true <->
  forall k, In k (seen n a j) -> prefers a j (y j) (i, y i) (k, y k) = true.
Proof. apply forallb_forall. Qed.

Lemma target_best n a y j : seen n a j <> [] -> In (target n a y j) (seen n a j) /\
  best n a y j (target n a y j) = true.
Proof.
  intros N. unfold target. destruct (find _ _) as [i|] eqn:E; [now apply find_some in E|]. exfalso.
  destruct (greatest_exists (fun i k => prefers a j (y j) (i, y i) (k, y k)) (seen n a j)) as (i & I & G).
  - intros. apply better_total.
  - intros i1 i2 i3. apply better_trans.
  - exact N.
  - pose proof (find_none _ _ E i I) as F. rewrite (proj2 (best_correct n a y j i) G) in F. discriminate.
Qed.

Lemma target_unique n a y j i : In i (seen n a j) -> best n a y j i = true -> target n a y j = i.
Proof.
  intros I B. destruct (target_best n a y j) as [I' B']; [intros E; now rewrite E in I|].
  rewrite best_correct in B, B'. exact (better_anti _ _ _ _ _ (B' i I) (B _ I')).
Qed.

(* Symbols outside of the word have no effect. *)
Lemma target_ext n a y z j : j upto n -> (each i upto n, y i = z i) ->
  target n a y j = target n a z j /\ y (target n a y j) = z (target n a z j).
Proof.
  intros Hj E. assert (C : seen n a j = [] \/ seen n a j <> []) by (destruct (seen n a j); [now left|now right]).
  destruct C as [S|N]; [unfold target; rewrite S; split; [reflexivity|now apply E]|].
  destruct (target_best n a y j N) as [I B].
  assert (R : forall i, In i (seen n a j) -> i upto n) by (intros i Hi; apply in_seen in Hi; apply Hi).
  assert (T : target n a z j = target n a y j).
  { apply target_unique; [exact I|]. rewrite best_correct in *. intros k Hk. rewrite <- !E by auto. now apply B. }
  rewrite T. split; [reflexivity|now apply E, R].
Qed.

Lemma after_hard_ext n l y z : (each i upto n, y i = z i) -> each j upto n, after_hard n l y j = after_hard n l z j.
Proof. intros E j Hj. unfold after_hard. rewrite (E j Hj). f_equal. apply map_ext. intros a. now apply target_ext. Qed.

(* ---- one layer ---- *)
Definition depends_on_few (s n c : nat) (y : word -> nat -> A) (b : word) (F : list nat) :=
  exists D, few_positions n c D /\ reads_at_most s n D y b F.

Lemma layer_depends s n c e l (y : word -> nat -> A) b F : (1 <= s)%nat -> (1 <= c)%nat -> (1 <= e)%nat ->
  (2 * (e * c) <= n)%nat -> is_spelled s b -> NoDup F -> depends_on_few s n c y b F ->
  exists b' F', restriction_narrower s b F b' F' /\ (e * length F <= e * length F' + n)%nat /\
  depends_on_few s n (reduced_reads s c e (S (length (hard_heads l)))) (fun w => after_hard n l (y w)) b' F'.
Proof.
  intros Hs Hc He Hn Sp Nd (D & Few & Reads).
  destruct (depth_reduction s n c e (S (length (hard_heads l))) A hard_head (hard_heads l) (seen n) prefers y)
    with (b := b) (F := F) (D := D) as (b' & F' & D' & Nr & L & Few' & H); auto; try lia.
  - intros a j. split; [apply NoDup_filter, seq_NoDup|]. intros i Hi. apply in_seen in Hi. apply Hi.
  - intros. apply better_total.
  - intros a j x u v w. apply better_trans.
  - intros a j x u v. apply better_anti.
  - exists b', F'. split; [exact Nr|]. split; [exact L|]. exists D'. split; [exact Few'|].
    intros j w w' Hj Ww Ww' E. destruct (H j w w' Hj Ww Ww' E) as [Own At]. unfold after_hard. rewrite Own. f_equal.
    apply map_ext_in. intros a Ha. destruct (seen n a j) as [|i r] eqn:Es.
    + unfold target. now rewrite Es.
    + assert (N : seen n a j <> []) by congruence. destruct (target_best n a (y w) j N) as [I B].
      destruct (target_best n a (y w') j N) as [I' B']. rewrite best_correct in B, B'.
      destruct (At a _ _ Ha (conj I B) (conj I' B')) as [T Y]. rewrite Y. now rewrite T.
Qed.

(* ---- all layers ---- *)
Lemma layers_depend s e ls : (1 <= s)%nat -> (1 <= e)%nat -> forall c, (1 <= c)%nat -> exists c' N, (1 <= c')%nat /\
  forall n (y : word -> nat -> A) b F, (N <= n)%nat -> is_spelled s b -> NoDup F -> depends_on_few s n c y b F ->
  exists b' F', restriction_narrower s b F b' F' /\ (e * length F <= e * length F' + length ls * n)%nat /\
  depends_on_few s n c' (fun w => behind n ls (y w)) b' F'.
Proof.
  intros Hs He. induction ls as [|l ls IH]; intros c Hc.
  - exists c, 0%nat. split; [exact Hc|]. intros n y b F _ Sp Nd H. exists b, F. split; [now apply narrower_refl|].
    split; [lia|exact H].
  - set (c1 := reduced_reads s c e (S (length (hard_heads l)))).
    assert (Hc1 : (1 <= c1)%nat) by (unfold c1, reduced_reads; nia). destruct (IH c1 Hc1) as (c' & N & Hc' & H).
    exists c', (Nat.max N (2 * (e * c))). split; [exact Hc'|]. intros n y b F Hn Sp Nd Dp.
    destruct (layer_depends s n c e l y b F Hs Hc He ltac:(lia) Sp Nd Dp) as (b1 & F1 & N1 & L1 & D1).
    pose proof N1 as (Sp1 & Nd1 & _).
    destruct (H n (fun w => after_hard n l (y w)) b1 F1 ltac:(lia) Sp1 Nd1 D1) as (b' & F' & N' & L' & D').
    exists b', F'. split; [exact (narrower_trans s _ _ _ _ _ _ N1 N')|]. split; [simpl length; lia|exact D'].
Qed.

(* ---- Theorem 1 ---- *)
Variables (embedding : nat -> nat -> nat -> A) (layers : list hard_layer).           (* of length, position, letter *)
Definition run_at_one (n : nat) (w : word) : nat -> A := behind n layers (fun i => embedding n i (w i)).

(* What is left of a restriction (b, F) of words over the first s letters, all but n/e of the free symbols. *)
Theorem hahn_theorem_1_from s e : (1 <= s)%nat -> (1 <= e)%nat -> exists c N,
  forall n b F, (N <= n)%nat -> is_spelled s b -> NoDup F -> exists b' F', restriction_narrower s b F b' F' /\
  (e * length F <= e * length F' + n)%nat /\ depends_on_few s n c (run_at_one n) b' F'.
Proof.
  intros Hs He. set (k := S (length layers)).
  destruct (layers_depend s (e * k) layers Hs ltac:(unfold k; nia) 1 ltac:(lia)) as (c & N & _ & H). exists c, N.
  intros n b F Hn Sp Nd. destruct (H n (fun w i => embedding n i (w i)) b F Hn Sp Nd) as (b' & F' & Nr & L & D).
  - exists (fun i => [i]). split; [intros i _; simpl; lia|]. intros i w w' _ _ _ E.
    now rewrite (E i (or_introl eq_refl)).
  - exists b', F'. split; [exact Nr|]. split; [|exact D]. apply (Nat.mul_le_mono_pos_l _ _ k); [unfold k; lia|].
    unfold k in *. nia.
Qed.

Theorem hahn_theorem_1 s C : (1 <= s)%nat -> (C < 1)%R -> exists c N, forall n, (N <= n)%nat -> exists b F,
  is_spelled s b /\ NoDup F /\ incl F (seq 1 n) /\ (C * INR n <= INR (length F))%R /\
  depends_on_few s n c (run_at_one n) b F.
Proof.
  intros Hs HC. destruct (archimed (/ (1 - C))) as [Up _]. set (e := Z.to_nat (up (/ (1 - C)))).
  assert (P : (0 < / (1 - C))%R) by (apply Rinv_0_lt_compat; lra). assert (E : (/ (1 - C) <= INR e)%R).
  { unfold e. rewrite INR_IZR_INZ, Z2Nat.id; [lra|]. apply le_IZR. lra. }
  assert (E1 : (1 <= e)%nat) by (destruct e; [simpl in E; lra|lia]).
  destruct (hahn_theorem_1_from s e Hs E1) as (c & N & H). exists c, N. intros n Hn.
  destruct (H n (fun _ => 0%nat) (seq 1 n) Hn ltac:(intros i; lia) (seq_NoDup n 1)) as (b & F & Nr & L & D).
  exists b, F. destruct Nr as (Sp & Nd & I & _). repeat split; auto. rewrite length_seq in L. apply le_INR in L.
  rewrite plus_INR, !mult_INR in L. set (x := INR n) in *. set (f := INR (length F)) in *.
  assert (X : (0 <= x)%R) by apply pos_INR. apply Rmult_le_reg_l with (INR e); [lra|].
  assert ((1 - C) * / (1 - C) <= (1 - C) * INR e)%R by (apply Rmult_le_compat_l; lra). rewrite Rinv_r in * by lra. nra.
Qed.
End Transformers.

(* ---- the transformers of network.v, all heads with leftmost or all with rightmost hardmax ---- *)
Definition hardmax_to (t : side) : attention_weights :=
  match t with ToLeft => leftmost_hardmax | ToRight => rightmost_hardmax end.

Definition single_head (t : side) (a : head) : hard_head vector := HardHead _ (fun _ i =>
  mask_at (head_masking a) i) (fun x y => dot_product (head_queries a) (head_keys a) x y) t.
Definition single_layer (t : side) (l : layer) : hard_layer vector :=
  HardLayer _ (map (single_head t) (layer_heads l)) (updated_vector l).
Definition network_embedding users T (n i x : nat) : vector := fun d => (row_entry (nth x (token_embedding T) []) d
  + collect (fun p => position_value users p n i) (position_embedding T) d)%R.

Lemma attends_to_target t n a h j r : j upto n ->
  attended_by (hardmax_to t) a n h j r = linear r (h (target _ n (single_head t a) h j)).
Proof.
  intros Hj. pose proof (visible_self n (head_masking a) j Hj) as V. set (m := mask_at (head_masking a) j) in *.
  assert (P : exists p, visible n m p /\ best _ n (single_head t a) h j p = true /\
    each i upto n, weights_by (hardmax_to t) a n h j i = one_hot p i).
  { unfold weights_by. fold m.
    destruct t; [destruct (leftmost_exists n m (raw_score a h j) j V) as (p & Vp & L) |destruct (rightmost_exists n m
      (raw_score a h j) j V) as (p & Vp & L)]; exists p; (split; [exact Vp|]); (split; [|intros i Hi;
      now apply leftmost_hardmax_one_hot || now apply rightmost_hardmax_one_hot]); apply best_correct; intros k Hk;
      apply in_seen in Hk; (apply better_of; [now apply L|]); intros F; apply Nat.leb_gt in F; now apply L. }
  destruct P as (p & Vp & B & O). rewrite (target_unique _ n (single_head t a) h j p); [|now apply in_seen|exact B].
  unfold attended_by. rewrite (sum_apart n p) by apply Vp. rewrite O, one_hot_here by apply Vp.
  rewrite sum_zero; [lra|]. intros i Hi. unfold zeroed_at. destruct (Nat.eqb_spec i p); [reflexivity|].
  rewrite O, one_hot_elsewhere by assumption. lra.
Qed.

Lemma single_layer_right t n l h j : j upto n ->
  after_layer_by (hardmax_to t) n l h j = after_hard _ n (single_layer t l) h j.
Proof.
  intros Hj. assert (E : after_heads_by (hardmax_to t) n l h j
    = with_retrieved (layer_heads l) (h j) (map (fun a => h (target _ n a h j)) (hard_heads _ (single_layer t l)))).
  { apply functional_extensionality. intros d. unfold after_heads_by, with_retrieved. f_equal. cbn.
    induction (layer_heads l) as [|a heads IH]; [reflexivity|]. cbn. rewrite IH. f_equal. unfold head_output_by.
    apply collect_ext. intros _ r _. now apply attends_to_target. }
  apply functional_extensionality. intros d. unfold after_layer_by. rewrite E. reflexivity.
Qed.

Theorem single_network_right t users T n w j : j upto n -> run_by (hardmax_to t) users T n w j
  = run_at_one _ (network_embedding users T) (map (single_layer t) (transformer_layers T)) n w j.
Proof.
  unfold run_by, run_at_one. change (fun i => network_embedding users T n i (w i)) with (embed users T n w).
  generalize (transformer_layers T) as ls. intros ls.
  assert (G : forall y z : nat -> vector, (each i upto n, y i = z i) -> each j upto n,
    after_layers_by (hardmax_to t) n ls y j = behind _ n (map (single_layer t) ls) z j); [|now apply G].
  clear. induction ls as [|l ls IH]; intros y z E j Hj; [now apply E|]. cbn. apply IH; [|exact Hj]. intros i Hi.
  rewrite single_layer_right by exact Hi. now apply after_hard_ext.
Qed.
