(* Hard attention, and the same transformer with softmax at a temperature tau n ([SHA] Definitions 2 to 5, Section 5).

   A weighting turns the scores of a row into weights; `run_by` is `run_transformer` of network.v with another
   weighting. `run_hard` has average-hardmax: the visible positions of greatest score, the winners, have equal weights.
   `run_soft` has softmax of score / tau n. In both a head's own temperature expression is not used
   (docs/reference/softened.md, 1).

   Proved: `run_soft` is `run_transformer` of the network whose temperatures are tau; hard weights are a distribution
   over the winners; if there is one winner, they are its one-hot vector, which leftmost and rightmost hardmax are,
   too; a head with scores that are all 0 does the same with either weighting; runs depend only on symbols 1 to n. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia Arith.
From Certify Require Import positions finite_sums softmax network totals.
Import ListNotations PositionNotations.
Open Scope R_scope.

(* ---- the winners of a row ---- *)
Local Definition at_most (x y : R) : bool := if Rle_dec x y then true else false.
Definition winner (n : nat) (m : mask) (s : nat -> R) (j : nat) : bool :=
  m j && forallb (fun k => negb (m k) || at_most (s k) (s j)) (seq 1 n).
Definition winner_count (n : nat) (m : mask) (s : nat -> R) : R := sum_to n (fun j => bit (winner n m s j)).

(* ---- weightings: the length, the mask, the scores, the position that is weighed ---- *)
Definition attention_weights := nat -> mask -> (nat -> R) -> nat -> R.
Definition hardmax : attention_weights := fun n m s j => bit (winner n m s j) / winner_count n m s.
Definition softmax_at (tau : R) : attention_weights := fun n m s => softmax n m (fun j => s j / tau).

(* ---- transformers with another weighting ---- *)
Definition raw_score (a : head) (h : nat -> vector) (i j : nat) : R :=
  dot_product (head_queries a) (head_keys a) (h i) (h j).

Section Weighting.
Variable W : attention_weights.

Definition weights_by (a : head) (n : nat) (h : nat -> vector) (i : nat) : nat -> R :=
  W n (mask_at (head_masking a) i) (raw_score a h i).
Definition attended_by (a : head) (n : nat) (h : nat -> vector) (i : nat) (r : row) : R :=
  sum_to n (fun j => weights_by a n h i j * linear r (h j)).
Definition head_output_by (n : nat) (h : nat -> vector) (i : nat) (d : direction) (a : head) : R :=
  collect (attended_by a n h i) (head_values a) d.
Definition after_heads_by (n : nat) (l : layer) (h : nat -> vector) : nat -> vector :=
  fun i d => h i d + total_over (head_output_by n h i d) (layer_heads l).
Definition after_layer_by (n : nat) (l : layer) (h : nat -> vector) : nat -> vector :=
  fun i d => after_heads_by n l h i d + feedforward l (after_heads_by n l h i) d.
Definition after_layers_by (n : nat) (ls : list layer) (h : nat -> vector) : nat -> vector :=
  fold_left (fun h l => after_layer_by n l h) ls h.
Definition run_by (users : formula.predicate_meanings) (T : transformer) (n : nat) (w : formula.word) : nat -> vector :=
  after_layers_by n (transformer_layers T) (embed users T n w).
End Weighting.

Definition run_hard := run_by hardmax.
Definition run_soft (tau : nat -> R) users T n w := run_by (softmax_at (tau n)) users T n w.

(* ---- `run_soft` is `run_transformer` with other temperatures ---- *)
Definition head_at (x : expression) (a : head) : head :=
  Head (head_masking a) x (head_queries a) (head_keys a) (head_values a).
Definition layer_at (x : expression) (l : layer) : layer :=
  Layer (map (head_at x) (layer_heads l)) (layer_units l) (layer_bias l).
Definition at_temperature (x : expression) (T : transformer) : transformer := Transformer (token_embedding T)
  (position_embedding T) (map (layer_at x) (transformer_layers T)) (transformer_output T).

Lemma collect_ext {X} (f g : X -> R) l d : (forall e x, In (e, x) l -> f x = g x) -> collect f l d = collect g l d.
Proof.
  induction l as [|[e x] l IH]; intros H; simpl; [reflexivity|].
  rewrite (H e x (or_introl eq_refl)), IH; [reflexivity|]. intros e' x' I. apply (H e'). now right.
Qed.

Lemma linear_ext r x y : (forall d, x d = y d) -> linear r x = linear r y.
Proof. intros H. induction r as [|[d q] r IH]; simpl; [reflexivity|]. now rewrite H, IH. Qed.

Lemma dot_product_ext qs ks x x' y y' : (forall d, x d = x' d) -> (forall d, y d = y' d) ->
  dot_product qs ks x y = dot_product qs ks x' y'.
Proof.
  intros Hx Hy. revert ks. induction qs as [|q qs IH]; intros [|k ks]; simpl; try reflexivity.
  now rewrite (linear_ext q x x'), (linear_ext k y y'), IH.
Qed.

Lemma feedforward_ext l x y d : (forall d, x d = y d) -> feedforward l x d = feedforward l y d.
Proof.
  intros H. unfold feedforward. f_equal. apply total_ext. intros u _. unfold unit_output.
  now rewrite (linear_ext _ x y).
Qed.

(* Streams that agree at the positions of the word. *)
Local Definition agree (n : nat) (h h' : nat -> vector) := forall i d, i upto n -> h i d = h' i d.

Lemma softmax_ext n m s s' j : j upto n -> (each k upto n, s k = s' k) -> softmax n m s j = softmax n m s' j.
Proof.
  intros Hj H. assert (W : each k upto n, weight m s k = weight m s' k).
  { intros k Hk. unfold weight. now rewrite H. }
  unfold softmax. now rewrite W, (sum_ext n _ _ W).
Qed.

Section AtTemperature.
Variables (n : nat) (tau : R) (x : expression).
Hypothesis X : each i upto n, expression_value x n i = tau.

Lemma run_soft_step l h h' : agree n h h' ->
  agree n (after_layer_by (softmax_at tau) n l h) (after_layer n (layer_at x l) h').
Proof.
  intros A i d Hi.
  assert (E : forall d, after_heads_by (softmax_at tau) n l h i d = after_heads n (layer_at x l) h' i d).
  { intros d'. unfold after_heads_by, after_heads. cbn [layer_at layer_heads]. rewrite total_map, A by exact Hi.
    f_equal. apply total_ext. intros a _. apply collect_ext. intros _ r _. apply sum_ext. intros j Hj. f_equal.
    - apply softmax_ext; [exact Hj|]. intros k Hk. unfold scaled_score. cbn. rewrite X by exact Hi. f_equal.
      apply dot_product_ext; intros; now apply A.
    - apply linear_ext. intros; now apply A. }
  unfold after_layer_by, after_layer. rewrite E. f_equal. apply (feedforward_ext l), E.
Qed.

Lemma run_soft_steps ls : forall h h', agree n h h' -> agree n (after_layers_by (softmax_at tau) n ls h)
  (fold_left (fun h l => after_layer n l h) (map (layer_at x) ls) h').
Proof. induction ls as [|l ls IH]; intros h h' H; [exact H|]. apply IH. now apply run_soft_step. Qed.
End AtTemperature.

Theorem run_soft_is_run users T x tau n w : (each i upto n, expression_value x n i = tau n) ->
  agree n (run_soft tau users T n w) (run_transformer users (at_temperature x T) n w).
Proof. intros X. now apply run_soft_steps. Qed.

(* ---- winners ---- *)
Lemma at_most_true x y : at_most x y = true <-> x <= y.
Proof. unfold at_most. destruct (Rle_dec x y); split; intros; [assumption|reflexivity|discriminate|lra]. Qed.

Lemma winner_correct n m s j : j upto n ->
  winner n m s j = true <-> visible n m j /\ forall k, visible n m k -> s k <= s j.
Proof.
  intros Hj. unfold winner. rewrite andb_true_iff, forallb_forall. split.
  - intros [M H]. split; [now split|]. intros k [Hk Mk]. specialize (H k ltac:(apply in_seq; lia)).
    rewrite Mk in H. now apply at_most_true in H.
  - intros [[_ M] H]. split; [exact M|]. intros k Hk. apply in_seq in Hk. destruct (m k) eqn:E; [|reflexivity].
    apply at_most_true, H. split; [lia|exact E].
Qed.

Lemma winner_exists n m s p : visible n m p -> exists j, j upto n /\ winner n m s j = true.
Proof.
  intros V. destruct (rightmost_exists n m s p V) as (j & Vj & H). exists j. split; [apply Vj|].
  apply winner_correct; [apply Vj|]. split; [exact Vj|]. intros k Vk. now apply H.
Qed.

Lemma sum_at_least n f p : p upto n -> (each j upto n, 0 <= f j) -> f p <= sum_to n f.
Proof.
  intros Hp H. rewrite (sum_apart n p) by exact Hp. assert (0 <= sum_to n (zeroed_at p f)); [|lra].
  apply sum_nonneg. intros j Hj. unfold zeroed_at. destruct (j =? p)%nat; [lra|now apply H].
Qed.

Lemma winners_at_least_1 n m s p : visible n m p -> 1 <= winner_count n m s.
Proof.
  intros V. destruct (winner_exists n m s p V) as (j & Hj & E). unfold winner_count.
  replace 1 with (bit (winner n m s j)) by now rewrite E.
  apply (sum_at_least n (fun j => bit (winner n m s j)) j Hj). intros k _. apply bit_range.
Qed.

Lemma hardmax_nonneg n m s p j : visible n m p -> 0 <= hardmax n m s j.
Proof.
  intros V. pose proof (winners_at_least_1 n m s p V). apply Rmult_le_pos; [apply bit_range|].
  left. apply Rinv_0_lt_compat. lra.
Qed.

Lemma hardmax_total n m s p : visible n m p -> sum_to n (hardmax n m s) = 1.
Proof.
  intros V. pose proof (winners_at_least_1 n m s p V). unfold hardmax, Rdiv. rewrite sum_scale_r.
  apply Rinv_r. fold (winner_count n m s). lra.
Qed.

(* Definition 5: one visible position has a greater score than all others. *)
Definition tieless (n : nat) (m : mask) (s : nat -> R) : Prop :=
  exists p, visible n m p /\ forall j, visible n m j -> j <> p -> s j < s p.

Lemma winner_alone n m s p : visible n m p -> (forall j, visible n m j -> j <> p -> s j < s p) ->
  each j upto n, winner n m s j = (j =? p)%nat.
Proof.
  intros V H j Hj. apply eq_true_iff_eq. rewrite winner_correct, Nat.eqb_eq by exact Hj. split.
  - intros [Vj W]. destruct (Nat.eq_dec j p) as [E|N]; [exact E|]. specialize (H j Vj N). specialize (W p V). lra.
  - intros ->. split; [exact V|]. intros k Vk. destruct (Nat.eq_dec k p) as [->|N]; [lra|]. left. now apply H.
Qed.

Lemma winners_alone n m s : tieless n m s -> winner_count n m s = 1.
Proof.
  intros (p & V & H). unfold winner_count. rewrite (sum_apart n p) by apply V.
  rewrite (winner_alone n m s p V H), Nat.eqb_refl by apply V. rewrite sum_zero; [simpl; lra|].
  intros j Hj. unfold zeroed_at. rewrite (winner_alone n m s p V H j Hj). now destruct (j =? p)%nat.
Qed.

(* A tieless row: average-, leftmost and rightmost hardmax are one. *)
Theorem hardmax_tieless n m s p : visible n m p -> (forall j, visible n m j -> j <> p -> s j < s p) ->
  is_rightmost n m s p /\ is_leftmost n m s p /\ each j upto n, hardmax n m s j = one_hot p j.
Proof.
  intros V H. assert (L : forall j, visible n m j -> s j <= s p).
  { intros j Vj. destruct (Nat.eq_dec j p) as [->|N]; [lra|left; now apply H]. }
  split; [|split].
  - split; [exact V|]. intros j Vj. split; [now apply L|]. intros Lt. apply H; [exact Vj|lia].
  - split; [exact V|]. intros j Vj. split; [now apply L|]. intros Lt. apply H; [exact Vj|lia].
  - intros j Hj. unfold hardmax. rewrite winners_alone by (exists p; now split).
    rewrite (winner_alone n m s p V H j Hj). unfold one_hot. destruct (j =? p)%nat; simpl; lra.
Qed.

(* Leftmost and rightmost hardmax as weightings: the first and the last winner. *)
Definition leftmost_hardmax : attention_weights := fun n m s j =>
  bit (winner n m s j && negb (existsb (winner n m s) (seq 1 (j - 1)))).
Definition rightmost_hardmax : attention_weights := fun n m s j =>
  bit (winner n m s j && negb (existsb (winner n m s) (seq (S j) (n - j)))).

(* One of the winners is alone at the end of a list l of the others: none of l wins if it is p, and p is in l if not. *)
Lemma only_extreme n m s p l j : visible n m p -> (forall k, visible n m k -> s k <= s p) -> j upto n -> (forall k,
  In k l -> k upto n) -> (j <> p -> visible n m j -> s p <= s j -> In p l) -> (j = p -> forall k, In k l ->
  visible n m k -> s k < s p) -> bit (winner n m s j && negb (existsb (winner n m s) l)) = one_hot p j.
Proof.
  intros V Max Hj Range Other Same. assert (W : winner n m s p = true) by (apply winner_correct; [apply V|now split]).
  unfold one_hot. destruct (Nat.eqb_spec j p) as [->|N].
  - rewrite W. destruct (existsb (winner n m s) l) eqn:X; [|reflexivity]. exfalso.
    apply existsb_exists in X as (k & I & K). apply winner_correct in K as [Vk K]; [|now apply Range].
    pose proof (Same eq_refl k I Vk). specialize (K p V). lra.
  - destruct (winner n m s j) eqn:Wj; [|reflexivity]. cbn [andb]. apply winner_correct in Wj as [Vj Wj]; [|exact Hj].
    replace (existsb (winner n m s) l) with true; [reflexivity|]. symmetry. apply existsb_exists.
    exists p. split; [now apply Other; try apply Wj|exact W].
Qed.

Theorem leftmost_hardmax_one_hot n m s p j : is_leftmost n m s p -> j upto n -> leftmost_hardmax n m s j = one_hot p j.
Proof.
  intros [V H] Hj. apply only_extreme; [exact V|intros k Vk; now apply H|exact Hj| | |].
  - intros k I. apply in_seq in I. lia.
  - intros N Vj W. apply in_seq. destruct V. destruct (Nat.lt_trichotomy j p) as [L|[E|L]]; [|contradiction|lia].
    pose proof (proj2 (H j Vj) L). lra.
  - intros -> k I Vk. apply in_seq in I. apply (H k Vk). lia.
Qed.

Theorem rightmost_hardmax_one_hot n m s p j : is_rightmost n m s p -> j upto n ->
  rightmost_hardmax n m s j = one_hot p j.
Proof.
  intros [V H] Hj. apply only_extreme; [exact V|intros k Vk; now apply H|exact Hj| | |].
  - intros k I. apply in_seq in I. lia.
  - intros N Vj W. apply in_seq. destruct V. destruct (Nat.lt_trichotomy j p) as [L|[E|L]]; [lia|contradiction|].
    pose proof (proj2 (H j Vj) L). lra.
  - intros -> k I Vk. apply in_seq in I. apply (H k Vk). lia.
Qed.

(* ---- uniform heads: no component has both a query and a key, so all scores are 0 ---- *)
Definition zero_row (r : row) : bool := forallb (fun e => Qeq_bool (snd e) 0) r.
Definition uniform_head (a : head) : bool :=
  forallb (fun qk => zero_row (fst qk) || zero_row (snd qk)) (combine (head_queries a) (head_keys a)).

Lemma zero_row_correct r x : zero_row r = true -> linear r x = 0.
Proof.
  induction r as [|[d q] r IH]; simpl; intros H; [reflexivity|]. apply andb_prop in H as [Q H].
  apply Qeq_bool_eq, Qeq_eqR in Q. rewrite IH by exact H. rewrite Q. unfold Q2R. simpl. lra.
Qed.

Lemma uniform_scores a h i j : uniform_head a = true -> raw_score a h i j = 0.
Proof.
  unfold uniform_head, raw_score. generalize (head_keys a) as ks. induction (head_queries a) as [|q qs IH];
    intros [|k ks] H; try reflexivity.
  simpl in *. apply andb_prop in H as [Z H]. rewrite IH by exact H.
  apply orb_prop in Z as [Z|Z]; rewrite (zero_row_correct _ _ Z); lra.
Qed.

Lemma hardmax_constant n m s p c : visible n m p -> (forall j, s j = c) ->
  forall j, hardmax n m s j = bit (m j) / sum_to n (fun j => bit (m j)).
Proof.
  intros V C j. assert (W : forall k, winner n m s k = m k).
  { intros k. unfold winner. rewrite andb_comm. replace (forallb _ _) with true; [reflexivity|]. symmetry.
    apply forallb_forall. intros l _. rewrite !C, (proj2 (at_most_true c c)) by lra. apply orb_true_r. }
  unfold hardmax, winner_count. rewrite W. f_equal. apply sum_ext. intros k _. now rewrite W.
Qed.

Lemma softmax_constant n m s p c : visible n m p -> (forall j, s j = c) ->
  forall j, softmax n m s j = bit (m j) / sum_to n (fun j => bit (m j)).
Proof.
  intros V C j. assert (E : forall k, weight m s k = exp c * bit (m k)).
  { intros k. unfold weight, bit. rewrite C. destruct (m k); lra. }
  pose proof (total_pos n m s p V) as P. unfold softmax. rewrite (sum_ext n _ _ (fun k _ => E k)) in *.
  rewrite E, sum_scale in *. pose proof (exp_pos c). field. split; [|lra]. intros Z. rewrite Z in P. lra.
Qed.

Theorem uniform_head_same a n h h' i p tau : uniform_head a = true -> visible n (mask_at (head_masking a) i) p ->
  forall j, weights_by hardmax a n h i j = weights_by (softmax_at tau) a n h' i j.
Proof.
  intros U V j. unfold weights_by, softmax_at. rewrite (hardmax_constant n _ _ p 0 V), (softmax_constant n _ _ p 0 V).
  - reflexivity.
  - intros k. rewrite uniform_scores by exact U. unfold Rdiv. lra.
  - intros k. now apply uniform_scores.
Qed.

(* A position sees itself under every mask. *)
Lemma visible_self n k i : i upto n -> visible n (mask_at k i) i.
Proof. intros H. split; [exact H|]. destruct k; simpl; unfold future_mask, past_mask; [reflexivity| |];
  apply Nat.leb_refl. Qed.

(* ---- what holds of every row of scores of every head that is not uniform, in the run with hard attention ---- *)
Definition rows_hold (P : mask -> (nat -> R) -> Prop) (n : nat) (l : layer) (h : nat -> vector) : Prop := forall a i,
  In a (layer_heads l) -> uniform_head a = false -> i upto n -> P (mask_at (head_masking a) i) (raw_score a h i).
Fixpoint every_row (P : mask -> (nat -> R) -> Prop) (n : nat) (ls : list layer) (h : nat -> vector) : Prop :=
  match ls with [] => True | l :: ls => rows_hold P n l h /\ every_row P n ls (after_layer_by hardmax n l h) end.

Section OfNetworks.
Variable users : formula.predicate_meanings.

(* At length n scores below the greatest are below it by g, for every word and position
   (docs/background/softened_rules.md: gap). *)
Definition gap_at (T : transformer) (n : nat) (g : R) : Prop := 0 < g /\ forall w, word_in_alphabet T n w ->
  every_row (fun m s => has_gap n m s g) n (transformer_layers T) (embed users T n w).
Definition tieless_at (T : transformer) (n : nat) : Prop :=
  forall w, word_in_alphabet T n w -> every_row (fun m s => tieless n m s) n (transformer_layers T) (embed users T n w).
(* x is at least 1 and all entries of initial activations, in absolute value. *)
Definition initial_at_most (T : transformer) (n : nat) (x : R) : Prop := 1 <= x /\
  forall w, word_in_alphabet T n w -> forall i d, i upto n -> Rabs (embed users T n w i d) <= x.
End OfNetworks.

Lemma every_row_impl (P P' : mask -> (nat -> R) -> Prop) n ls : (forall m s, P m s -> P' m s) ->
  forall h, every_row P n ls h -> every_row P' n ls h.
Proof.
  intros I. induction ls as [|l ls IH]; intros h; simpl; [easy|]. intros [H Hs].
  split; [|now apply IH]. intros a i Ha Ua Hi. now apply I, H.
Qed.

(* ---- runs depend on the first n entries only ---- *)
Lemma hardmax_ext n m s s' j : j upto n -> (each k upto n, s k = s' k) -> hardmax n m s j = hardmax n m s' j.
Proof.
  intros Hj H. assert (W : each k upto n, winner n m s k = winner n m s' k).
  { intros k Hk. unfold winner. f_equal. apply eq_true_iff_eq. rewrite !forallb_forall.
    split; intros A l Hl; specialize (A l Hl); apply in_seq in Hl; rewrite ?H in * by lia; exact A. }
  unfold hardmax, winner_count. rewrite W by exact Hj. f_equal. apply sum_ext. intros k Hk. now rewrite W.
Qed.

Lemma after_layer_hard_ext n l h h' : agree n h h' ->
  agree n (after_layer_by hardmax n l h) (after_layer_by hardmax n l h').
Proof.
  intros A i d Hi. assert (E : forall d, after_heads_by hardmax n l h i d = after_heads_by hardmax n l h' i d).
  { intros e. unfold after_heads_by. rewrite A by exact Hi. f_equal. apply total_ext. intros a _.
    apply collect_ext. intros _ r _. apply sum_ext. intros j Hj. f_equal.
    - apply hardmax_ext; [exact Hj|]. intros k Hk. apply dot_product_ext; intros; now apply A.
    - apply linear_ext. intros; now apply A. }
  unfold after_layer_by. rewrite E. f_equal. apply (feedforward_ext l), E.
Qed.

Lemma every_row_ext (P : mask -> (nat -> R) -> Prop) n ls : (forall m s s', (each j upto n, s j = s' j) -> P m s ->
  P m s') -> forall h h', agree n h h' -> every_row P n ls h -> every_row P n ls h'.
Proof.
  intros E. induction ls as [|l ls IH]; intros h h' A; simpl; [easy|]. intros [H Hs]. split.
  - intros a i Ha Ua Hi. apply (E _ (raw_score a h i)); [|now apply H].
    intros j Hj. apply dot_product_ext; intros; now apply A.
  - eapply IH; [|exact Hs]. now apply after_layer_hard_ext.
Qed.

Lemma embed_ext users T n w w' : (each i upto n, w i = w' i) -> agree n (embed users T n w) (embed users T n w').
Proof. intros H i d Hi. unfold embed. now rewrite H. Qed.
