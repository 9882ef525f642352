(* [Hahn] Lemma 5, one layer of network.v: how far activations move if those that enter it move.

   Activations are measured by the greatest absolute value of a direction, rows of matrices by the sum of the absolute
   values of their entries. With entering activations in [-X, X] and temperatures of at least t, no two scores of a row
   of head a differ by more than its `oscillation` Ω, and with V its `value_norm`, `stretch` = 1 + F:

     change behind it at i <= (1 + F) ((1 + Σ V Ω e^Ω) (change at i) + (Σ V (1 + Ω) e^Ω) (mean change seen from i))

   with sums over the heads, any masks, residual connections and biases. *)
From Coq Require Import Reals QArith Qreals List Bool Lra Lia.
From Certify Require Import finite_sums softmax lemma_09_rounding formula network hahn_one_row.
Import ListNotations.
Open Scope R_scope.

(* ---- lists ---- *)
Lemma total_nonneg {X} (f : X -> R) l : (forall x, 0 <= f x) -> 0 <= total f l.
Proof. intros H. induction l as [|x l IH]; simpl; [lra|]. specialize (H x). lra. Qed.
#[export] Hint Resolve total_nonneg : signs.

Lemma total_Rabs {X} (f g : X -> R) l : (forall x, In x l -> Rabs (f x) <= g x) -> Rabs (total f l) <= total g l.
Proof.
  induction l as [|x l IH]; intros H; simpl; [rewrite Rabs_R0; lra|].
  eapply Rle_trans; [apply Rabs_triang|].
  apply Rplus_le_compat; [apply H; now left|apply IH; intros; apply H; now right].
Qed.

Lemma total_minus {X} (f g : X -> R) l : total f l - total g l = total (fun x => f x - g x) l.
Proof. induction l as [|x l IH]; simpl; lra. Qed.
Lemma total_plus {X} (f g : X -> R) l : total (fun x => f x + g x) l = total f l + total g l.
Proof. induction l as [|x l IH]; simpl; lra. Qed.
Lemma total_scale_r {X} c (f : X -> R) l : total (fun x => f x * c) l = total f l * c.
Proof. induction l as [|x l IH]; simpl; lra. Qed.

Lemma collect_Rabs {X} (f g : X -> R) l d : (forall x, Rabs (f x) <= g x) ->
  Rabs (collect f l d) <= total (fun v => g (snd v)) l.
Proof.
  intros H. induction l as [|[e x] l IH]; simpl; [rewrite Rabs_R0; lra|].
  eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [|exact IH]. specialize (H x).
  destruct (Nat.eqb e d); [exact H|]. rewrite Rabs_R0. pose proof (Rabs_pos (f x)). lra.
Qed.

Lemma collect_minus {X} (f g : X -> R) l d : collect f l d - collect g l d = collect (fun x => f x - g x) l d.
Proof. induction l as [|[e x] l IH]; simpl; [lra|]. rewrite <- IH. destruct (Nat.eqb e d); lra. Qed.

(* ---- rows of matrices ---- *)
Definition row_norm (r : row) : R := total (fun entry => Rabs (Q2R (snd entry))) r.

Lemma row_norm_nonneg r : 0 <= row_norm r.
Proof. unfold row_norm. auto with signs. Qed.
#[export] Hint Resolve row_norm_nonneg : signs.

Lemma linear_minus r (x y : vector) : linear r x - linear r y = linear r (fun d => x d - y d).
Proof. induction r as [|[d q] r IH]; simpl; [lra|]. rewrite <- IH. ring. Qed.

Lemma linear_bounded r (x : vector) b : (forall d, Rabs (x d) <= b) -> Rabs (linear r x) <= row_norm r * b.
Proof.
  intros H. unfold row_norm. induction r as [|[d q] r IH]; simpl; [rewrite Rabs_R0; lra|].
  eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_mult.
  pose proof (Rmult_le_compat_l _ _ _ (Rabs_pos (Q2R q)) (H d)). lra.
Qed.

Lemma linear_close r (x y : vector) e : (forall d, Rabs (x d - y d) <= e) ->
  Rabs (linear r x - linear r y) <= row_norm r * e.
Proof. intros H. rewrite linear_minus. now apply linear_bounded. Qed.

Lemma entry_bounded r d : Rabs (entry r d) <= row_norm r.
Proof.
  unfold entry. exact (collect_Rabs Q2R (fun q => Rabs (Q2R q)) r d ltac:(intros; lra)).
Qed.

(* ---- queries and keys ---- *)
Fixpoint score_norm (qs ks : list row) : R :=
  match qs, ks with q :: qs, k :: ks => row_norm q * row_norm k + score_norm qs ks | _, _ => 0 end.

Lemma score_norm_nonneg qs : forall ks, 0 <= score_norm qs ks.
Proof.
  induction qs as [|q qs IH]; intros [|k ks]; simpl; try lra. specialize (IH ks).
  pose proof (Rmult_le_pos _ _ (row_norm_nonneg q) (row_norm_nonneg k)). lra.
Qed.
#[export] Hint Resolve score_norm_nonneg : signs.

Lemma product_bounded a b x y : Rabs a <= x -> Rabs b <= y -> Rabs (a * b) <= x * y.
Proof. intros. rewrite Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos. Qed.

Lemma dot_product_bounded qs : forall ks (x y : vector) b c,
  (forall d, Rabs (x d) <= b) -> (forall d, Rabs (y d) <= c) ->
  Rabs (dot_product qs ks x y) <= score_norm qs ks * (b * c).
Proof.
  induction qs as [|q qs IH]; intros [|k ks] x y b c X Y; simpl; try (rewrite Rabs_R0; lra).
  eapply Rle_trans; [apply Rabs_triang|]. specialize (IH ks x y b c X Y).
  pose proof (product_bounded _ _ _ _ (linear_bounded q x b X) (linear_bounded k y c Y)). lra.
Qed.

Lemma dot_product_minus qs : forall ks (x x' y y' : vector),
  dot_product qs ks x y - dot_product qs ks x' y'
  = dot_product qs ks (fun d => x d - x' d) y + dot_product qs ks x' (fun d => y d - y' d).
Proof.
  induction qs as [|q qs IH]; intros [|k ks] x x' y y'; simpl; try lra. specialize (IH ks x x' y y').
  rewrite <- !linear_minus. nra.
Qed.

Lemma dot_product_close qs ks (x x' y y' : vector) b ex ey :
  (forall d, Rabs (y d) <= b) -> (forall d, Rabs (x' d) <= b) ->
  (forall d, Rabs (x d - x' d) <= ex) -> (forall d, Rabs (y d - y' d) <= ey) ->
  Rabs (dot_product qs ks x y - dot_product qs ks x' y') <= score_norm qs ks * (b * (ex + ey)).
Proof.
  intros Y X' DX DY. rewrite dot_product_minus. eapply Rle_trans; [apply Rabs_triang|].
  pose proof (dot_product_bounded qs ks _ y ex b DX Y). pose proof (dot_product_bounded qs ks x' _ b ey X' DY). lra.
Qed.

(* ---- the constants of a head and of a layer; X bounds what enters, t the temperatures from below ---- *)
Definition oscillation (t X : R) (a : head) : R := 2 * (score_norm (head_queries a) (head_keys a) * (X * X) / t).
Definition value_norm (a : head) : R := total (fun v => row_norm (snd v)) (head_values a).
Definition own_share (t X : R) (l : layer) : R :=
  1 + total (fun a => value_norm a * (exp (oscillation t X a) * oscillation t X a)) (layer_heads l).
Definition mean_share (t X : R) (l : layer) : R :=
  total (fun a => value_norm a * (exp (oscillation t X a) * (1 + oscillation t X a))) (layer_heads l).
Definition stretch (l : layer) : R :=
  1 + total (fun u => row_norm (unit_reads u) * row_norm (unit_writes u)) (layer_units l).
Definition size_behind (l : layer) (X : R) : R :=
  stretch l * ((1 + total value_norm (layer_heads l)) * X)
  + (total (fun u => Rabs (Q2R (unit_bias u)) * row_norm (unit_writes u)) (layer_units l) + row_norm (layer_bias l)).

Lemma value_norm_nonneg a : 0 <= value_norm a.
Proof. unfold value_norm. auto with signs. Qed.
Lemma oscillation_nonneg t X a : 0 < t -> 0 <= oscillation t X a.
Proof.
  intros Ht. assert (0 <= X * X) by exact (Rle_0_sqr X). unfold oscillation. auto with signs.
Qed.
#[export] Hint Resolve value_norm_nonneg oscillation_nonneg : signs.

Lemma one_and_more x : 0 <= x -> 1 <= 1 + x.
Proof. lra. Qed.
Lemma stretch_at_least_1 l : 1 <= stretch l.
Proof. apply one_and_more. auto with signs. Qed.
Lemma own_share_at_least_1 t X l : 0 < t -> 1 <= own_share t X l.
Proof. intros Ht. apply one_and_more. auto with signs. Qed.
Lemma mean_share_nonneg t X l : 0 < t -> 0 <= mean_share t X l.
Proof. intros Ht. unfold mean_share. auto 6 with signs. Qed.
#[export] Hint Resolve mean_share_nonneg : signs.

(* ---- streams of activations ---- *)
Definition bounded (n : nat) (X : R) (h : nat -> vector) := forall i d, (1 <= i <= n)%nat -> Rabs (h i d) <= X.
Definition apart (n : nat) (delta : nat -> R) (h h' : nat -> vector) :=
  forall i d, (1 <= i <= n)%nat -> Rabs (h i d - h' i d) <= delta i.
Definition warm_head (t : R) (n : nat) (a : head) :=
  forall i, (1 <= i <= n)%nat -> t <= expression_value (head_temperature a) n i.

Lemma sees_itself a n i : (1 <= i <= n)%nat -> visible n (mask_at (head_masking a) i) i.
Proof.
  intros H. destruct (head_masking a); simpl; [now split|now apply visible_future|now apply visible_past].
Qed.

(* The mean of delta over what head a sees from i is at most mu. *)
Definition mean_at_most (n : nat) (delta : nat -> R) (i : nat) (mu : R) (a : head) :=
  sum n (fun j => bit (mask_at (head_masking a) i j) * delta j) <= mu * shown n (mask_at (head_masking a) i).

Section Head.
Variables (n : nat) (h h' : nat -> vector) (X t : R) (delta : nat -> R) (a : head) (i : nat).
Hypothesis Hi : (1 <= i <= n)%nat.
Hypothesis Ht : 0 < t.
Hypothesis Warm : warm_head t n a.
Hypothesis HX : 0 <= X.
Hypothesis Small : bounded n X h.

Let sharp : R := score_norm (head_queries a) (head_keys a) / t.

Lemma sharp_nonneg : 0 <= sharp.
Proof. unfold sharp. auto with signs. Qed.

Lemma scaled x b : Rabs x <= score_norm (head_queries a) (head_keys a) * b -> 0 <= b ->
  Rabs (x / expression_value (head_temperature a) n i) <= sharp * b.
Proof.
  intros Hx Hb. pose proof (Warm i Hi) as W. pose proof (score_norm_nonneg (head_queries a) (head_keys a)) as K.
  replace (sharp * b) with (score_norm (head_queries a) (head_keys a) * b * / t) by (unfold sharp, Rdiv; ring).
  apply product_bounded; [exact Hx|].
  assert (0 < / expression_value (head_temperature a) n i) by (apply Rinv_0_lt_compat; lra).
  rewrite Rabs_right by lra. now apply Rinv_le_contravar.
Qed.

Lemma score_bounded j : (1 <= j <= n)%nat -> Rabs (scaled_score a n h i j) <= sharp * (X * X).
Proof. intros Hj. apply scaled; [apply dot_product_bounded; intros; now apply Small|nra]. Qed.

Lemma value_bounded r j : (1 <= j <= n)%nat -> Rabs (linear r (h j)) <= row_norm r * X.
Proof. intros Hj. apply linear_bounded. intros. now apply Small. Qed.

Lemma attended_bounded r : Rabs (attended a n h i r) <= row_norm r * X.
Proof. apply (attend_bounded _ _ _ _ _ i); [now apply sees_itself|]. intros j [Hj _]. now apply value_bounded. Qed.

Lemma head_output_bounded d : Rabs (head_output n h i d a) <= value_norm a * X.
Proof.
  unfold head_output, value_norm. rewrite <- total_scale_r. apply (collect_Rabs _ (fun r => row_norm r * X)).
  exact attended_bounded.
Qed.

Hypothesis Small' : bounded n X h'.
Hypothesis Apart : apart n delta h h'.

Lemma delta_nonneg j : (1 <= j <= n)%nat -> 0 <= delta j.
Proof. intros Hj. eapply Rle_trans; [apply Rabs_pos|exact (Apart j 0%nat Hj)]. Qed.

Lemma score_close j : (1 <= j <= n)%nat ->
  Rabs (scaled_score a n h i j - scaled_score a n h' i j) <= sharp * (X * (delta i + delta j)).
Proof.
  intros Hj. unfold scaled_score. rewrite <- Rdiv_minus_distr. apply scaled.
  - apply dot_product_close; intros; auto.
  - pose proof (delta_nonneg i Hi). pose proof (delta_nonneg j Hj). apply Rmult_le_pos; lra.
Qed.

End Head.

Lemma attended_close n h h' X t delta a i r mu : (1 <= i <= n)%nat -> 0 < t -> warm_head t n a -> 0 <= X ->
  bounded n X h -> bounded n X h' -> apart n delta h h' -> mean_at_most n delta i mu a ->
  Rabs (attended a n h i r - attended a n h' i r)
  <= row_norm r * (exp (oscillation t X a) * (oscillation t X a * delta i + (1 + oscillation t X a) * mu)).
Proof.
  intros Hi Ht W HX B B' D M. set (m := mask_at (head_masking a) i) in *.
  assert (V : visible n m i) by now apply sees_itself. pose proof (shown_positive n m i V) as N.
  set (g := score_norm (head_queries a) (head_keys a) / t). set (w := oscillation t X a). set (R := row_norm r).
  assert (Ew : w = 2 * (g * (X * X))) by (unfold w, oscillation, g, Rdiv; ring).
  pose proof (row_moves n m (scaled_score a n h i) (scaled_score a n h' i)
    (fun j => linear r (h j)) (fun j => linear r (h' j))
    (fun j => g * (X * (delta i + delta j))) (fun j => R * delta j) (g * (X * X)) (R * X) i V) as G.
  rewrite <- Ew in G. apply Rmult_le_reg_r with (shown n m); [lra|].
  eapply Rle_trans; [apply G; intros j [Hj _]|].
  - repeat split;
      [now apply score_bounded|now apply score_bounded|now apply (value_bounded n)|now apply (value_bounded n)].
  - split; [now apply score_close|]. apply linear_close. intros d. now apply D.
  - pose proof (exp_pos w). pose proof (row_norm_nonneg r : 0 <= R). pose proof (oscillation_nonneg t X a Ht : 0 <= w).
    rewrite (sum_ext n _ (fun j => R * (w * delta i) * bit (m j) + R * (1 + w) * (bit (m j) * delta j))).
    2:{ intros j _. rewrite Ew. ring. }
    rewrite sum_plus, !sum_scale. fold (shown n m). unfold mean_at_most in M. fold m in M.
    pose proof (Rmult_le_compat_l (exp w * (R * (1 + w))) _ _ 
      ltac:(auto with signs) M). lra.
Qed.

Lemma head_output_close n h h' X t delta a i mu d : (1 <= i <= n)%nat -> 0 < t -> warm_head t n a -> 0 <= X ->
  bounded n X h -> bounded n X h' -> apart n delta h h' -> mean_at_most n delta i mu a ->
  Rabs (head_output n h i d a - head_output n h' i d a)
  <= value_norm a * (exp (oscillation t X a) * (oscillation t X a * delta i + (1 + oscillation t X a) * mu)).
Proof.
  intros. unfold head_output, value_norm. rewrite collect_minus, <- total_scale_r.
  apply (collect_Rabs _ (fun r => row_norm r * _)). intros r. now apply attended_close.
Qed.

(* ---- the feed-forward part ---- *)
Lemma relu_close x y : Rabs (relu x - relu y) <= Rabs (x - y).
Proof. unfold relu, Rmax, Rabs. repeat destruct (Rle_dec _ _); repeat destruct (Rcase_abs _); lra. Qed.

Lemma relu_bounded x : Rabs (relu x) <= Rabs x.
Proof. pose proof (relu_close x 0) as H. rewrite (relu_zero 0) in H by lra. now rewrite !Rminus_0_r in H. Qed.

Lemma unit_bounded u (x : vector) d X : (forall e, Rabs (x e) <= X) ->
  Rabs (unit_output x d u)
  <= row_norm (unit_reads u) * row_norm (unit_writes u) * X + Rabs (Q2R (unit_bias u)) * row_norm (unit_writes u).
Proof.
  intros H. set (b := Rabs (Q2R (unit_bias u))).
  assert (E : Rabs (relu (linear (unit_reads u) x + Q2R (unit_bias u))) <= row_norm (unit_reads u) * X + b).
  { eapply Rle_trans; [apply relu_bounded|]. eapply Rle_trans; [apply Rabs_triang|].
    pose proof (linear_bounded (unit_reads u) x X H). unfold b. lra. }
  pose proof (product_bounded _ _ _ _ E (entry_bounded (unit_writes u) d)). unfold unit_output. lra.
Qed.

Lemma unit_close u (x y : vector) d e : (forall c, Rabs (x c - y c) <= e) ->
  Rabs (unit_output x d u - unit_output y d u) <= row_norm (unit_reads u) * row_norm (unit_writes u) * e.
Proof.
  intros H. unfold unit_output. rewrite <- Rmult_minus_distr_r.
  assert (E : Rabs (relu (linear (unit_reads u) x + Q2R (unit_bias u))
                    - relu (linear (unit_reads u) y + Q2R (unit_bias u)))
    <= row_norm (unit_reads u) * e).
  { eapply Rle_trans; [apply relu_close|]. pose proof (linear_close (unit_reads u) x y e H) as L.
    eapply Rle_trans; [right|exact L]. f_equal. ring. }
  pose proof (product_bounded _ _ _ _ E (entry_bounded (unit_writes u) d)). lra.
Qed.

(* ---- a layer ---- *)
Lemma after_heads_bounded n l h X :
  bounded n X h -> bounded n ((1 + total value_norm (layer_heads l)) * X) (after_heads n l h).
Proof.
  intros B i d Hi. unfold after_heads. eapply Rle_trans; [apply Rabs_triang|]. pose proof (B i d Hi).
  rewrite Rmult_plus_distr_r, <- total_scale_r, Rmult_1_l. apply Rplus_le_compat; [assumption|].
  apply total_Rabs. intros a _. now apply head_output_bounded.
Qed.

Theorem layer_bounded n l h X : bounded n X h -> bounded n (size_behind l X) (after_layer n l h).
Proof.
  intros B i d Hi. pose proof (after_heads_bounded n l h X B i) as G.
  unfold after_layer, feedforward, size_behind, stretch. set (g := after_heads n l h i) in *.
  set (Y := (1 + total value_norm (layer_heads l)) * X) in *.
  assert (U : Rabs (total (unit_output g d) (layer_units l)) <= total (fun u => row_norm (unit_reads u)
     * row_norm (unit_writes u) * Y + Rabs (Q2R (unit_bias u)) * row_norm (unit_writes u)) (layer_units l)).
  { apply total_Rabs. intros u _. apply unit_bounded. intros e. now apply G. }
  rewrite total_plus, total_scale_r in U. pose proof (entry_bounded (layer_bias l) d). pose proof (G d Hi).
  eapply Rle_trans; [apply Rabs_triang|].
  pose proof (Rabs_triang (total (unit_output g d) (layer_units l)) (entry (layer_bias l) d)). lra.
Qed.

Theorem layer_moves n l h h' X t delta i mu d : (1 <= i <= n)%nat -> 0 < t -> 0 <= X ->
  (forall a, In a (layer_heads l) -> warm_head t n a) ->
  bounded n X h -> bounded n X h' -> apart n delta h h' ->
  (forall a, In a (layer_heads l) -> mean_at_most n delta i mu a) ->
  Rabs (after_layer n l h i d - after_layer n l h' i d)
  <= stretch l * (own_share t X l * delta i + mean_share t X l * mu).
Proof.
  intros Hi Ht HX W B B' D M. set (e := own_share t X l * delta i + mean_share t X l * mu).
  assert (A : forall c, Rabs (after_heads n l h i c - after_heads n l h' i c) <= e).
  { intros c. unfold after_heads, e, own_share, mean_share.
    replace (h i c + _ - _) with ((h i c - h' i c) + (total (head_output n h i c) (layer_heads l)
      - total (head_output n h' i c) (layer_heads l))) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite total_minus, Rmult_plus_distr_r, Rmult_1_l, Rplus_assoc.
    apply Rplus_le_compat; [now apply D|]. rewrite <- !total_scale_r, <- total_plus. apply total_Rabs. intros a Ha.
    eapply Rle_trans; [apply (head_output_close n h h' X t delta a i mu c); auto|]. right. ring. }
  unfold after_layer, feedforward, stretch. set (g := after_heads n l h i) in *. set (g' := after_heads n l h' i) in *.
  replace (g d + _ - _) with ((g d - g' d)
    + (total (unit_output g d) (layer_units l) - total (unit_output g' d) (layer_units l))) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. rewrite total_minus, Rmult_plus_distr_r, Rmult_1_l.
  apply Rplus_le_compat; [apply A|]. rewrite <- total_scale_r. apply total_Rabs. intros u _. now apply unit_close.
Qed.
