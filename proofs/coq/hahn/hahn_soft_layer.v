(* [Hahn] Lemma 5, one layer, for the transformers of the paper: how far activations move if those that enter it move.

   Activations are vectors of real numbers with any set of coordinates, measured by their greatest coordinate. A layer
   has heads with scores of any form: dot products or additive scores with real weights, temperatures that depend on the
   length and the position, anything; what a head retrieves from i is the mean of the activations that it sees, with
   softmax weights. The update is any function of an activation and of what the heads retrieve. Of a layer is asked that
   on activations of at most X its scores lie in [-Ω/2, Ω/2] and move at most σ/(2X) times as much as their arguments,
   and its update by at most s (e + Σ V e_h), if the activation moves by e and what head h retrieves by e_h.

     change behind it at i <= s ((1 + Σ V σ e^Ω) (change at i) + (Σ V (1 + σ) e^Ω) (mean change seen from i))

   hahn_one_layer.v has the networks of network.v as an instance, hahn_lemma_5_of_the_paper.v those of [Hahn]. *)
From Coq Require Import Reals List Bool Lra Lia.
From Certify Require Import positions lists finite_sums softmax network totals hahn_one_row.
Import ListNotations.
Open Scope R_scope.

(* ---- lists ---- *)
(* Positions see themselves. *)
Lemma sees_itself k n (i : position n) : visible n (mask_at k i) i.
Proof. destruct k; simpl; [split; [lia|reflexivity]|apply visible_future; lia|apply visible_past; lia]. Qed.

(* The mean of delta over what is seen from i is at most mu. *)
Definition mean_at_most (n : nat) (delta : nat -> R) (i : nat) (mu : R) (k : masking) :=
  sum n (fun j => bit (mask_at k i j) * delta j) <= mu * shown n (mask_at k i).

(* What is asked of a head, and of a layer. *)
Record head_bound := HeadBound { sharpness : R; sway : R; share : R }.                                   (* Ω, σ, V *)
Record layer_bound := LayerBound { head_bounds : list head_bound; slope : R; size_after : R }.
Definition own (b : layer_bound) : R := 1 + total (fun k => share k * (exp (sharpness k) * sway k)) (head_bounds b).
Definition seen_mean (b : layer_bound) : R :=
  total (fun k => share k * (exp (sharpness k) * (1 + sway k))) (head_bounds b).

Section Class.
Variable I : Type.                                                                                   (* coordinates *)
Definition activation := I -> R.
Definition within (X : R) (x : activation) : Prop := forall d, Rabs (x d) <= X.
Definition near (e : R) (x y : activation) : Prop := 0 <= e /\ forall d, Rabs (x d - y d) <= e.

Record soft_head := SoftHead {
  soft_masking : masking;
  soft_score : nat -> nat -> activation -> activation -> R }.            (* of length, position and both activations *)
Record soft_layer := SoftLayer {
  soft_heads : list soft_head;
  soft_update : activation -> list activation -> activation }.

Definition retrieved (n : nat) (h : nat -> activation) (i : nat) (a : soft_head) : activation := fun d =>
  attend n (mask_at (soft_masking a) i) (fun j => soft_score a n i (h i) (h j)) (fun j => h j d).
Definition after_soft (n : nat) (l : soft_layer) (h : nat -> activation) : nat -> activation :=
  fun i => soft_update l (h i) (map (retrieved n h i) (soft_heads l)).
Definition after_soft_layers (n : nat) (ls : list soft_layer) (h : nat -> activation) : nat -> activation :=
  fold_left (fun h l => after_soft n l h) ls h.

Definition head_fits (X : R) (n : nat) (a : soft_head) (b : head_bound) : Prop :=
  0 <= sway b /\ 0 <= share b /\ each i upto n,
  (forall x y, within X x -> within X y -> Rabs (soft_score a n i x y) <= sharpness b / 2) /\
  (forall x x' y y' e e', within X x -> within X x' -> within X y -> within X y' -> near e x x' -> near e' y y' ->
     2 * X * Rabs (soft_score a n i x y - soft_score a n i x' y') <= sway b * (e + e')).

(* What heads retrieve moves; weighed by their shares, by this in all. *)
Inductive moved : list head_bound -> list activation -> list activation -> R -> Prop :=
| Moved0 : moved [] [] [] 0
| Moved1 b bs x xs y ys e s : near e x y -> moved bs xs ys s -> moved (b :: bs) (x :: xs) (y :: ys) (share b * e + s).

Definition layer_fits (X : R) (n : nat) (l : soft_layer) (b : layer_bound) : Prop :=
  Forall2 (head_fits X n) (soft_heads l) (head_bounds b) /\ 0 <= slope b /\ 0 <= size_after b /\
  (forall x xs, within X x -> Forall (within X) xs -> length xs = length (soft_heads l) ->
     within (size_after b) (soft_update l x xs)) /\
  (forall x y xs ys e s, within X x -> within X y -> Forall (within X) xs -> Forall (within X) ys -> near e x y ->
     moved (head_bounds b) xs ys s -> near (slope b * (e + s)) (soft_update l x xs) (soft_update l y ys)).

Definition bounded (n : nat) (X : R) (h : nat -> activation) := each i upto n, within X (h i).
Definition apart (n : nat) (delta : nat -> R) (h h' : nat -> activation) := each i upto n, near (delta i) (h i) (h' i).

Lemma bounds_nonneg X n heads bs : Forall2 (head_fits X n) heads bs -> forall b, In b bs -> 0 <= sway b /\ 0 <= share b.
Proof.
  intros F. induction F as [|a b heads bs H F IH]; intros c Hc; [destruct Hc|]. destruct Hc as [<-|Hc]; [|now apply IH].
  split; apply H.
Qed.

Lemma shares_nonneg X n l b : layer_fits X n l b -> 1 <= own b /\ 0 <= seen_mean b.
Proof.
  intros (F & _). pose proof (bounds_nonneg _ _ _ _ F) as P. unfold own, seen_mean.
  assert (forall k, In k (head_bounds b) -> 0 <= share k * (exp (sharpness k) * sway k) /\
    0 <= share k * (exp (sharpness k) * (1 + sway k))).
  { intros k Hk. destruct (P k Hk). pose proof (exp_pos (sharpness k)). split; repeat apply Rmult_le_pos; lra. }
  split; [cut (0 <= total (fun k => share k * (exp (sharpness k) * sway k)) (head_bounds b)); [lra|]|];
    apply total_nonneg; intros k Hk; now apply H.
Qed.

Lemma retrieved_bounded X n h (i : position n) a : bounded n X h -> within X (retrieved n h i a).
Proof. intros B d. apply (attend_bounded _ _ _ _ _ i); [now apply sees_itself|]. intros j [Hj _]. now apply B. Qed.

Lemma retrieved_moves X n h h' delta (i : position n) a b mu : head_fits X n a b ->
  bounded n X h -> bounded n X h' -> apart n delta h h' -> mean_at_most n delta i mu (soft_masking a) ->
  near (exp (sharpness b) * (sway b * delta i + (1 + sway b) * mu)) (retrieved n h i a) (retrieved n h' i a).
Proof.
  intros (Hs & _ & F) B B' D M. destruct (F i (in_word i)) as [F1 F2]. set (m := mask_at (soft_masking a) i) in *.
  assert (V : visible n m i) by now apply sees_itself. pose proof (shown_positive n m i V) as N.
  pose proof (exp_pos (sharpness b)) as Pe. pose proof (proj1 (D i (in_word i))) as Di.
  assert (Pm : 0 <= mu).
  { apply Rmult_le_reg_r with (shown n m); [lra|]. rewrite Rmult_0_l. eapply Rle_trans; [|exact M].
    apply sum_nonneg. intros j Hj. apply Rmult_le_pos; [apply bit_range|apply (D j Hj)]. }
  split; [repeat apply Rmult_le_pos; try lra; apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra|]. intros d.
  unfold retrieved. fold m. set (s := fun j => soft_score a n i (h i) (h j)).
  set (s' := fun j => soft_score a n i (h' i) (h' j)).
  pose proof (row_moves n m s s' (fun j => h j d) (fun j => h' j d) (fun j => Rabs (s j - s' j)) delta
    (sharpness b / 2) X i V) as G.
  apply Rmult_le_reg_r with (shown n m); [lra|]. eapply Rle_trans; [apply G|].
  - intros j [Hj _]. repeat split; [now apply F1; apply B|now apply F1; apply B'|now apply B|now apply B'].
  - intros j [Hj _]. split; [apply Rle_refl|now apply D].
  - replace (2 * (sharpness b / 2)) with (sharpness b) by field. rewrite !Rmult_assoc.
    apply Rmult_le_compat_l; [lra|].
    apply Rle_trans with (sum n (fun j => sway b * delta i * bit (m j) + (1 + sway b) * (bit (m j) * delta j))).
    + apply sum_le. intros j Hj.
      pose proof (F2 (h i) (h' i) (h j) (h' j) (delta i) (delta j) (B i (in_word i)) (B' i (in_word i))
        (B j Hj) (B' j Hj)
        (D i (in_word i)) (D j Hj)) as K. fold (s j) (s' j) in K. destruct (m j); simpl; lra.
    + rewrite sum_plus, !sum_scale. fold (shown n m). unfold mean_at_most in M. fold m in M.
      pose proof (Rmult_le_compat_l (1 + sway b) _ _ ltac:(lra) M). lra.
Qed.

Theorem layer_bounded X n l b h : layer_fits X n l b -> bounded n X h -> bounded n (size_after b) (after_soft n l h).
Proof.
  intros (_ & _ & _ & F & _) B. red. apply each_position. intros i. apply F; [now apply B| |apply length_map].
  apply Forall_forall. intros x Hx. apply in_map_iff in Hx as (a & <- & _). now apply retrieved_bounded.
Qed.

Theorem layer_moves X n l b h h' delta (i : position n) mu : layer_fits X n l b ->
  bounded n X h -> bounded n X h' -> apart n delta h h' ->
  (forall a, In a (soft_heads l) -> mean_at_most n delta i mu (soft_masking a)) ->
  near (slope b * (own b * delta i + seen_mean b * mu)) (after_soft n l h i) (after_soft n l h' i).
Proof.
  intros (F & _ & _ & _ & U) B B' D M. unfold after_soft.
  assert (R : forall h, bounded n X h -> Forall (within X) (map (retrieved n h i) (soft_heads l))).
  { intros g G. apply Forall_forall. intros x Hx. apply in_map_iff in Hx as (a & <- & _). now apply retrieved_bounded. }
  assert (S : moved (head_bounds b) (map (retrieved n h i) (soft_heads l)) (map (retrieved n h' i) (soft_heads l))
    (total (fun k => share k * (exp (sharpness k) * (sway k * delta i + (1 + sway k) * mu))) (head_bounds b))).
  { clear U R. induction F as [|a k heads ks Hk F IH]; [constructor|]. cbn [map total]. constructor.
    - apply (retrieved_moves X); auto. apply M. now left.
    - apply IH. intros a' Ha. apply M. now right. }
  pose proof (U _ _ _ _ _ _ (B i (in_word i)) (B' i (in_word i)) (R h B) (R h' B') (D i (in_word i)) S) as [G0 G].
  replace (own b * delta i + seen_mean b * mu) with (delta i
    + total (fun k => share k * (exp (sharpness k) * (sway k * delta i + (1 + sway k) * mu))) (head_bounds b)).
  - now split.
  - unfold own, seen_mean. generalize (head_bounds b) as ks. induction ks as [|k ks IH]; simpl; lra.
Qed.
End Class.
Arguments within {I}. Arguments near {I}. Arguments bounded {I}. Arguments apart {I}.
Arguments SoftHead {I}. Arguments soft_masking {I}. Arguments soft_score {I}.
Arguments SoftLayer {I}. Arguments soft_heads {I}. Arguments soft_update {I}.
Arguments retrieved {I}. Arguments after_soft {I}. Arguments after_soft_layers {I}.
Arguments head_fits {I}. Arguments moved {I}. Arguments Moved0 {I}. Arguments Moved1 {I}. Arguments layer_fits {I}.
