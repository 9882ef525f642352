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
Import ListNotations PositionNotations.
Open Scope R_scope.

(* ---- lists ---- *)
(* Positions see themselves. *)
Local Lemma sees_itself k n (i : position n) : visible n (mask_at k i) i.
Proof. destruct k; simpl; [split; [lia|reflexivity]|apply visible_future; lia|apply visible_past; lia]. Qed.

(* The mean of delta over what is seen from i is at most mu. *)
Definition mean_at_most (n : nat) (delta : nat -> R) (i : nat) (mu : R) (k : masking) :=
  sum_to n (fun j => bit (mask_at k i j) * delta j) <= mu * shown_count n (mask_at k i).

(* The conditions on a head, and on a layer. *)
Record head_bound := HeadBound { head_sharpness : R; head_sway : R; head_share : R }.                      (* Ω, σ, V *)
Record layer_bound := LayerBound { head_bounds : list head_bound; layer_slope : R; size_after : R }.
Definition own_effect (b : layer_bound) : R := 1 + total_over (fun k => head_share k * (exp (head_sharpness k) *
  head_sway k)) (head_bounds b).
Definition seen_mean (b : layer_bound) : R :=
  total_over (fun k => head_share k * (exp (head_sharpness k) * (1 + head_sway k))) (head_bounds b).

Section Class.
Variable I : Type.                                                                                   (* coordinates *)
Definition activation := I -> R.
Definition activation_within (X : R) (x : activation) : Prop := forall d, Rabs (x d) <= X.
Definition activations_near (e : R) (x y : activation) : Prop := 0 <= e /\ forall d, Rabs (x d - y d) <= e.

Record soft_head := SoftHead {
  soft_masking : masking;
  soft_score : nat -> nat -> activation -> activation -> R }.            (* of length, position and both activations *)
Record soft_layer := SoftLayer {
  soft_heads : list soft_head;
  soft_update : activation -> list activation -> activation }.

Definition soft_retrieved (n : nat) (h : nat -> activation) (i : nat) (a : soft_head) : activation := fun d =>
  attend n (mask_at (soft_masking a) i) (fun j => soft_score a n i (h i) (h j)) (fun j => h j d).
Definition after_soft (n : nat) (l : soft_layer) (h : nat -> activation) : nat -> activation :=
  fun i => soft_update l (h i) (map (soft_retrieved n h i) (soft_heads l)).
Definition after_soft_layers (n : nat) (ls : list soft_layer) (h : nat -> activation) : nat -> activation :=
  fold_left (fun h l => after_soft n l h) ls h.

Definition head_fits (X : R) (n : nat) (a : soft_head) (b : head_bound) : Prop := 0 <= head_sway b /\
  0 <= head_share b /\ each i upto n, (forall x y, activation_within X x -> activation_within X y ->
  Rabs (soft_score a n i x y) <= head_sharpness b / 2) /\ (forall x x' y y' e e', activation_within X x ->
  activation_within X x' -> activation_within X y -> activation_within X y' -> activations_near e x x' ->
  activations_near e' y y' -> 2 * X * Rabs (soft_score a n i x y - soft_score a n i x' y') <= head_sway b * (e + e')).

(* The results of heads change; weighed by their shares, by this in all. *)
Inductive activations_moved : list head_bound -> list activation -> list activation -> R -> Prop :=
| Moved0 : activations_moved [] [] [] 0
| Moved1 b bs x xs y ys e s : activations_near e x y -> activations_moved bs xs ys s -> activations_moved (b :: bs) (x
  :: xs) (y :: ys) (head_share b * e + s).

Definition layer_fits (X : R) (n : nat) (l : soft_layer) (b : layer_bound) : Prop := Forall2 (head_fits X n) (soft_heads
  l) (head_bounds b) /\ 0 <= layer_slope b /\ 0 <= size_after b /\ (forall x xs, activation_within X x ->
  Forall (activation_within X) xs -> length xs = length (soft_heads l) -> activation_within (size_after b) (soft_update
  l x xs)) /\ (forall x y xs ys e s, activation_within X x -> activation_within X y -> Forall (activation_within X)
  xs -> Forall (activation_within X) ys -> activations_near e x y -> activations_moved (head_bounds b) xs ys s ->
  activations_near (layer_slope b * (e + s)) (soft_update l x xs) (soft_update l y ys)).

Definition stream_bounded (n : nat) (X : R) (h : nat -> activation) := each i upto n, activation_within X (h i).
Definition streams_near (n : nat) (delta : nat -> R) (h h' : nat -> activation) := each i upto n,
  activations_near (delta i) (h i) (h' i).

Lemma bounds_nonneg X n heads bs : Forall2 (head_fits X n) heads bs -> forall b, In b bs -> 0 <= head_sway b /\
  0 <= head_share b.
Proof.
  intros F. induction F as [|a b heads bs H F IH]; intros c Hc; [destruct Hc|]. destruct Hc as [<-|Hc]; [|now apply IH].
  split; apply H.
Qed.

Lemma shares_nonneg X n l b : layer_fits X n l b -> 1 <= own_effect b /\ 0 <= seen_mean b.
Proof.
  intros (F & _). pose proof (bounds_nonneg _ _ _ _ F) as P. unfold own_effect, seen_mean.
  assert (forall k, In k (head_bounds b) -> 0 <= head_share k * (exp (head_sharpness k) * head_sway k) /\
    0 <= head_share k * (exp (head_sharpness k) * (1 + head_sway k))).
  { intros k Hk. destruct (P k Hk). pose proof (exp_pos (head_sharpness k)). split; repeat apply Rmult_le_pos; lra. }
  split; [cut (0 <= total_over (fun k => head_share k * (exp (head_sharpness k) * head_sway k)) (head_bounds b));
    [lra|]|]; apply total_nonneg; intros k Hk; now apply H.
Qed.

Lemma retrieved_bounded X n h (i : position n) a : stream_bounded n X h -> activation_within X (soft_retrieved n h i a).
Proof. intros B d. apply (attend_bounded _ _ _ _ _ i); [now apply sees_itself|]. intros j [Hj _]. now apply B. Qed.

Lemma retrieved_moves X n h h' delta (i : position n) a b mu : head_fits X n a b -> stream_bounded n X h ->
  stream_bounded n X h' -> streams_near n delta h h' -> mean_at_most n delta i mu (soft_masking a) ->
  activations_near (exp (head_sharpness b) * (head_sway b * delta i + (1 + head_sway b) * mu)) (soft_retrieved n h i a)
  (soft_retrieved n h' i a).
Proof.
  intros (Hs & _ & F) B B' D M. destruct (F i (in_word i)) as [F1 F2]. set (m := mask_at (soft_masking a) i) in *.
  assert (V : visible n m i) by now apply sees_itself. pose proof (shown_positive n m i V) as N.
  pose proof (exp_pos (head_sharpness b)) as Pe. pose proof (proj1 (D i (in_word i))) as Di. assert (Pm : 0 <= mu).
  { apply Rmult_le_reg_r with (shown_count n m); [lra|]. rewrite Rmult_0_l. eapply Rle_trans; [|exact M].
    apply sum_nonneg. intros j Hj. apply Rmult_le_pos; [apply bit_range|apply (D j Hj)]. }
  split; [repeat apply Rmult_le_pos; try lra; apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra|]. intros d.
  unfold soft_retrieved. fold m. set (s := fun j => soft_score a n i (h i) (h j)).
  set (s' := fun j => soft_score a n i (h' i) (h' j)).
  pose proof (row_moves n m s s' (fun j => h j d) (fun j => h' j d) (fun j => Rabs (s j - s' j)) delta (head_sharpness b
    / 2) X i V) as G. apply Rmult_le_reg_r with (shown_count n m); [lra|]. eapply Rle_trans; [apply G|].
  - intros j [Hj _]. repeat split; [now apply F1; apply B|now apply F1; apply B'|now apply B|now apply B'].
  - intros j [Hj _]. split; [apply Rle_refl|now apply D].
  - replace (2 * (head_sharpness b / 2)) with (head_sharpness b) by field. rewrite !Rmult_assoc.
    apply Rmult_le_compat_l; [lra|].
    apply Rle_trans with (sum_to n (fun j => head_sway b * delta i * bit (m j) + (1 +
      head_sway b) * (bit (m j) * delta j))).
    + apply sum_le. intros j Hj.
      pose proof (F2 (h i) (h' i) (h j) (h' j) (delta i) (delta j) (B i (in_word i)) (B' i (in_word i)) (B j Hj) (B' j
        Hj) (D i (in_word i)) (D j Hj)) as K. fold (s j) (s' j) in K. destruct (m j); simpl; lra.
    + rewrite sum_plus, !sum_scale. fold (shown_count n m). unfold mean_at_most in M. fold m in M.
      pose proof (Rmult_le_compat_l (1 + head_sway b) _ _ ltac:(lra) M). lra.
Qed.

Theorem layer_bounded X n l b h : layer_fits X n l b -> stream_bounded n X h -> stream_bounded n (size_after b)
  (after_soft n l h).
Proof.
  intros (_ & _ & _ & F & _) B. red. apply each_position. intros i. apply F; [now apply B| |apply length_map].
  apply Forall_forall. intros x Hx. apply in_map_iff in Hx as (a & <- & _). now apply retrieved_bounded.
Qed.

Theorem layer_moves X n l b h h' delta (i : position n) mu : layer_fits X n l b -> stream_bounded n X h ->
  stream_bounded n X h' -> streams_near n delta h h' -> (forall a, In a (soft_heads l) ->
  mean_at_most n delta i mu (soft_masking a)) -> activations_near (layer_slope b * (own_effect b * delta i
  + seen_mean b * mu)) (after_soft n l h i) (after_soft n l h' i).
Proof.
  intros (F & _ & _ & _ & U) B B' D M. unfold after_soft.
  assert (R : forall h, stream_bounded n X h -> Forall (activation_within X) (map (soft_retrieved n h i) (soft_heads
    l))).
  { intros g G. apply Forall_forall. intros x Hx. apply in_map_iff in Hx as (a & <- & _). now apply retrieved_bounded. }
  assert (S : activations_moved (head_bounds b) (map (soft_retrieved n h i) (soft_heads l)) (map (soft_retrieved n h' i)
    (soft_heads l)) (total_over (fun k => head_share k * (exp (head_sharpness k) * (head_sway k * delta i + (1 +
    head_sway k) * mu))) (head_bounds b))).
  { clear U R. induction F as [|a k heads ks Hk F IH]; [constructor|]. cbn [map total_over]. constructor.
    - apply (retrieved_moves X); auto. apply M. now left.
    - apply IH. intros a' Ha. apply M. now right. }
  pose proof (U _ _ _ _ _ _ (B i (in_word i)) (B' i (in_word i)) (R h B) (R h' B') (D i (in_word i)) S) as [G0 G].
  replace (own_effect b * delta i + seen_mean b * mu) with (delta i
    + total_over (fun k => head_share k * (exp (head_sharpness k) * (head_sway k * delta i + (1 +
        head_sway k) * mu))) (head_bounds b)).
  - now split.
  - unfold own_effect, seen_mean. generalize (head_bounds b) as ks. induction ks as [|k ks IH]; simpl; lra.
Qed.
End Class.
Arguments activation_within {I}. Arguments activations_near {I}. Arguments stream_bounded {I}.
  Arguments streams_near {I}.
Arguments SoftHead {I}. Arguments soft_masking {I}. Arguments soft_score {I}.
Arguments SoftLayer {I}. Arguments soft_heads {I}. Arguments soft_update {I}.
Arguments soft_retrieved {I}. Arguments after_soft {I}. Arguments after_soft_layers {I}.
Arguments head_fits {I}. Arguments activations_moved {I}. Arguments Moved0 {I}. Arguments Moved1 {I}.
  Arguments layer_fits {I}.
