(* [Hahn] Lemma 5, one layer of network.v: it is one of the layers of hahn_soft_layer.v, with these constants.

   Activations are measured by the greatest absolute value of a direction, rows of matrices by the sum of the absolute
   values of their entries. With entering activations in [-X, X] and temperatures of at least t, no two scores of a row
   of head a differ by more than its `score_oscillation` Ω, and with V its `value_norm`, `feedforward_stretch` = 1 + F:

     change behind it at i <= (1 + F) ((1 + Σ V Ω e^Ω) (change at i) + (Σ V (1 + Ω) e^Ω) (mean change seen from i))

   with sums over the heads, any masks, residual connections and biases. *)
From Coq Require Import Reals QArith Qreals List Bool Lra Lia FunctionalExtensionality.
From Certify Require Import positions lists finite_sums softmax weighing relu formula network totals hahn_one_row
  hahn_soft_layer.
Import ListNotations PositionNotations.
From Certify Require norms.
Open Scope R_scope.

(* ---- lists ---- *)
Lemma total_of_nonneg {X} (f : X -> R) l : (forall x, 0 <= f x) -> 0 <= total_over f l.
Proof. intros H. apply total_nonneg. auto. Qed.
#[export] Hint Resolve total_of_nonneg : signs.

Local Lemma total_Rabs {X} (f g : X -> R) l : (forall x, In x l -> Rabs (f x) <= g x) ->
  Rabs (total_over f l) <= total_over g l.
Proof.
  induction l as [|x l IH]; intros H; simpl; [rewrite Rabs_R0; lra|]. eapply Rle_trans; [apply Rabs_triang|].
  apply Rplus_le_compat; [apply H; now left|apply IH; intros; apply H; now right].
Qed.

Lemma total_minus {X} (f g : X -> R) l : total_over f l - total_over g l = total_over (fun x => f x - g x) l.
Proof. induction l as [|x l IH]; simpl; lra. Qed.
Lemma total_scale_r {X} c (f : X -> R) l : total_over (fun x => f x * c) l = total_over f l * c.
Proof. induction l as [|x l IH]; simpl; lra. Qed.

Local Lemma collect_Rabs {X} (f g : X -> R) l d : (forall x, Rabs (f x) <= g x) ->
  Rabs (collect f l d) <= total_over (fun v => g (snd v)) l.
Proof.
  intros H. induction l as [|[e x] l IH]; simpl; [rewrite Rabs_R0; lra|].
  eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [|exact IH]. specialize (H x).
  destruct (Nat.eqb e d); [exact H|]. rewrite Rabs_R0. pose proof (Rabs_pos (f x)). lra.
Qed.

Lemma collect_minus {X} (f g : X -> R) l d : collect f l d - collect g l d = collect (fun x => f x - g x) l d.
Proof. induction l as [|[e x] l IH]; simpl; [lra|]. rewrite <- IH. destruct (Nat.eqb e d); lra. Qed.

(* ---- rows of matrices ---- *)
Definition row_norm (r : row) : R := total_over (fun entry => Rabs (Q2R (snd entry))) r.

Local Lemma row_norm_nonneg r : 0 <= row_norm r. Proof. unfold row_norm. auto with signs. Qed.
#[export] Hint Resolve row_norm_nonneg : signs.

Lemma linear_bounded r (x : vector) b : (forall d, Rabs (x d) <= b) -> Rabs (linear r x) <= row_norm r * b.
Proof.
  intros H. unfold row_norm. induction r as [|[d q] r IH]; simpl; [rewrite Rabs_R0; lra|].
  eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_mult.
  pose proof (Rmult_le_compat_l _ _ _ (Rabs_pos (Q2R q)) (H d)). lra.
Qed.

Lemma linear_close r (x y : vector) e : (forall d, Rabs (x d - y d) <= e) ->
  Rabs (linear r x - linear r y) <= row_norm r * e.
Proof. intros H. rewrite norms.linear_minus. now apply linear_bounded. Qed.

Lemma entry_bounded r d : Rabs (row_entry r d) <= row_norm r.
Proof. unfold row_entry. exact (collect_Rabs Q2R (fun q => Rabs (Q2R q)) r d ltac:(intros; lra)). Qed.

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

Lemma dot_product_bounded qs : forall ks (x y : vector) b c, (forall d, Rabs (x d) <= b) -> (forall d,
  Rabs (y d) <= c) -> Rabs (dot_product qs ks x y) <= score_norm qs ks * (b * c).
Proof.
  induction qs as [|q qs IH]; intros [|k ks] x y b c X Y; simpl; try (rewrite Rabs_R0; lra).
  eapply Rle_trans; [apply Rabs_triang|]. specialize (IH ks x y b c X Y).
  pose proof (product_bounded _ _ _ _ (linear_bounded q x b X) (linear_bounded k y c Y)). lra.
Qed.

Lemma dot_product_minus qs : forall ks (x x' y y' : vector), dot_product qs ks x y - dot_product qs ks x' y'
  = dot_product qs ks (fun d => x d - x' d) y + dot_product qs ks x' (fun d => y d - y' d).
Proof.
  induction qs as [|q qs IH]; intros [|k ks] x x' y y'; simpl; try lra. specialize (IH ks x x' y y').
  rewrite <- !norms.linear_minus. nra.
Qed.

Lemma dot_product_close qs ks (x x' y y' : vector) b ex ey : (forall d, Rabs (y d) <= b) -> (forall d,
  Rabs (x' d) <= b) -> (forall d, Rabs (x d - x' d) <= ex) -> (forall d, Rabs (y d - y' d) <= ey) ->
  Rabs (dot_product qs ks x y - dot_product qs ks x' y') <= score_norm qs ks * (b * (ex + ey)).
Proof.
  intros Y X' DX DY. rewrite dot_product_minus. eapply Rle_trans; [apply Rabs_triang|].
  pose proof (dot_product_bounded qs ks _ y ex b DX Y). pose proof (dot_product_bounded qs ks x' _ b ey X' DY). lra.
Qed.

(* ---- the constants of a head and of a layer; X bounds what enters, t the temperatures from below ---- *)
Definition score_oscillation (t X : R) (a : head) : R := 2 * (score_norm (head_queries a) (head_keys a) * (X * X) / t).
Definition value_norm (a : head) : R := total_over (fun v => row_norm (snd v)) (head_values a).
Definition own_share (t X : R) (l : layer) : R :=
  1 + total_over (fun a => value_norm a * (exp (score_oscillation t X a) * score_oscillation t X a)) (layer_heads l).
Definition mean_share (t X : R) (l : layer) : R :=
  total_over (fun a => value_norm a * (exp (score_oscillation t X a) * (1 + score_oscillation t X a))) (layer_heads l).
Definition feedforward_stretch (l : layer) : R :=
  1 + total_over (fun u => row_norm (unit_reads u) * row_norm (unit_writes u)) (layer_units l).
Definition size_behind (l : layer) (X : R) : R := feedforward_stretch l * ((1 + total_over value_norm (layer_heads l))
  * X) + (total_over (fun u => Rabs (Q2R (unit_bias u)) * row_norm (unit_writes u)) (layer_units l)
  + row_norm (layer_bias l)).

Lemma value_norm_nonneg a : 0 <= value_norm a. Proof. unfold value_norm. auto with signs. Qed.
Lemma oscillation_nonneg t X a : 0 < t -> 0 <= score_oscillation t X a.
Proof. intros Ht. assert (0 <= X * X) by exact (Rle_0_sqr X). unfold score_oscillation. auto with signs. Qed.
#[export] Hint Resolve value_norm_nonneg oscillation_nonneg : signs.

Lemma one_and_more x : 0 <= x -> 1 <= 1 + x. Proof. lra. Qed.
Lemma stretch_at_least_1 l : 1 <= feedforward_stretch l. Proof. apply one_and_more. auto with signs. Qed.
Lemma own_share_at_least_1 t X l : 0 < t -> 1 <= own_share t X l.
Proof. intros Ht. apply one_and_more. auto with signs. Qed.
Lemma mean_share_nonneg t X l : 0 < t -> 0 <= mean_share t X l.
Proof. intros Ht. unfold mean_share. auto 6 with signs. Qed.
#[export] Hint Resolve mean_share_nonneg : signs.

Lemma size_behind_nonneg l X : 0 <= X -> 0 <= size_behind l X.
Proof. intros H. unfold size_behind. pose proof (stretch_at_least_1 l). auto 10 with signs. Qed.

(* ---- a layer as one of hahn_soft_layer.v ---- *)
Definition soft_head_of (a : head) : soft_head direction := SoftHead (head_masking a)
  (fun n i x y => dot_product (head_queries a) (head_keys a) x y / expression_value (head_temperature a) n i).
(* What the heads retrieve, mapped by their values and added to x. *)
Definition with_retrieved (heads : list head) (x : vector) (bs : list vector) : vector := fun d =>
  x d + total_over (fun ab => collect (fun r => linear r (snd ab)) (head_values (fst ab)) d) (combine heads bs).
Definition updated_vector (l : layer) (x : vector) (bs : list vector) : vector :=
  fun d => with_retrieved (layer_heads l) x bs d + feedforward l (with_retrieved (layer_heads l) x bs) d.
Definition soft_layer_of (l : layer) : soft_layer direction :=
  SoftLayer (map soft_head_of (layer_heads l)) (updated_vector l).

Lemma attended_as_soft a n h i r : softmax_value a n h i r = linear r (soft_retrieved n h i (soft_head_of a)).
Proof.
  unfold softmax_value, soft_retrieved, attend. cbn [soft_head_of soft_masking soft_score]. set (m := mask_at _ i).
  change (fun j => dot_product (head_queries a) (head_keys a) (h i) (h j) / expression_value (head_temperature a) n i)
    with (scaled_score a n h i). induction r as [|[d q] r IH]; cbn [linear].
  - apply sum_zero. intros. ring.
  - rewrite <- IH, <- sum_scale, <- sum_plus. apply sum_ext. intros. ring.
Qed.

Definition has_softmax (a : head) : Prop := head_weighing a = Softmax.
Lemma layer_as_soft n l h : (forall a, In a (layer_heads l) -> has_softmax a) ->
  after_layer n l h = after_soft n (soft_layer_of l) h.
Proof.
  intros S. apply functional_extensionality. intros i.
  assert (E : after_heads n l h i
    = with_retrieved (layer_heads l) (h i) (map (soft_retrieved n h i) (map soft_head_of (layer_heads l)))).
  { apply functional_extensionality. intros d. unfold after_heads, with_retrieved. f_equal.
    induction (layer_heads l) as [|a heads IH]; [reflexivity|]. cbn [map combine total_over fst snd].
    rewrite IH by (intros; apply S; now right). f_equal. unfold head_output. f_equal. apply functional_extensionality.
    intros r. unfold head_value. rewrite (S a (or_introl eq_refl)). apply attended_as_soft. }
  apply functional_extensionality. intros d. unfold after_layer, after_soft. cbn [soft_layer_of soft_update soft_heads].
  unfold updated_vector. now rewrite E.
Qed.

Lemma run_as_soft users T n w : (forall l a, In l (transformer_layers T) -> In a (layer_heads l) -> has_softmax a) ->
  run_transformer users T n w = after_soft_layers n (map soft_layer_of (transformer_layers T)) (embed users T n w).
Proof.
  unfold run_transformer, after_soft_layers. generalize (embed users T n w) as h.
  induction (transformer_layers T) as [|l ls IH]; intros h S; [reflexivity|]. cbn.
  rewrite layer_as_soft, IH; [reflexivity|intros k a I; apply S; now right|intros a; apply S; now left].
Qed.

(* ---- its heads ---- *)
Definition warm_head (t : R) (n : nat) (a : head) := each i upto n, t <= expression_value (head_temperature a) n i.
Definition network_head_bound (t X : R) (a : head) : head_bound :=
  HeadBound (score_oscillation t X a) (score_oscillation t X a) (value_norm a).
Definition network_bound (t X : R) (l : layer) : layer_bound :=
  LayerBound (map (network_head_bound t X) (layer_heads l)) (feedforward_stretch l) (size_behind l X).

Lemma own_of_network t X l : own_effect (network_bound t X l) = own_share t X l.
Proof. unfold own_effect, own_share, network_bound. cbn [head_bounds]. now rewrite total_map. Qed.
Lemma seen_mean_of_network t X l : seen_mean (network_bound t X l) = mean_share t X l.
Proof. unfold seen_mean, mean_share, network_bound. cbn [head_bounds]. now rewrite total_map. Qed.

Lemma network_head_fits t X n a : 0 < t -> 0 <= X -> warm_head t n a ->
  head_fits X n (soft_head_of a) (network_head_bound t X a).
Proof.
  intros Ht HX W. pose proof (oscillation_nonneg t X a Ht) as O. split; [exact O|]. split; [apply value_norm_nonneg|].
  intros i Hi. specialize (W i Hi). cbn [soft_head_of soft_score network_head_bound head_sharpness head_sway].
  set (k := score_norm (head_queries a) (head_keys a)). set (tau := expression_value (head_temperature a) n i) in *.
  assert (Scaled : forall x b, Rabs x <= k * b -> 0 <= b -> Rabs (x / tau) <= k * b / t).
  { intros x b Hx Hb. apply product_bounded; [exact Hx|]. assert (0 < / tau) by (apply Rinv_0_lt_compat; lra).
    rewrite Rabs_right by lra. now apply Rinv_le_contravar. }
  assert (PX : 0 <= X * X) by now apply Rmult_le_pos. split.
  - intros x y Hx Hy.
    replace (score_oscillation t X a / 2) with (k * (X * X) / t) by (unfold score_oscillation, k; field; lra).
    apply Scaled; [now apply dot_product_bounded|exact PX].
  - intros x x' y y' e e' _ Hx' Hy _ [He Dx] [He' Dy]. unfold Rdiv at 1 2. rewrite <- Rmult_minus_distr_r.
    pose proof (Scaled _ (X * (e + e')) (dot_product_close _ _ x x' y y' X e e' Hy Hx' Dx Dy) ltac:(apply Rmult_le_pos;
      lra)) as G. unfold Rdiv at 1 in G. apply Rmult_le_compat_l with (r := 2 * X) in G; [|lra].
    eapply Rle_trans; [exact G|]. right. unfold score_oscillation, k. field. lra.
Qed.

(* ---- the feed-forward part ---- *)
Lemma unit_bounded u (x : vector) d X : (forall e, Rabs (x e) <= X) -> Rabs (unit_output x d u)
  <= row_norm (unit_reads u) * row_norm (unit_writes u) * X + Rabs (Q2R (unit_bias u)) * row_norm (unit_writes u).
Proof.
  intros H. set (b := Rabs (Q2R (unit_bias u))).
  assert (E : Rabs (relu (linear (unit_reads u) x + Q2R (unit_bias u))) <= row_norm (unit_reads u) * X + b).
  { eapply Rle_trans; [apply relu_within|]. eapply Rle_trans; [apply Rabs_triang|].
    pose proof (linear_bounded (unit_reads u) x X H). unfold b. lra. }
  pose proof (product_bounded _ _ _ _ E (entry_bounded (unit_writes u) d)). unfold unit_output. lra.
Qed.

Lemma unit_close u (x y : vector) d e : (forall c, Rabs (x c - y c) <= e) ->
  Rabs (unit_output x d u - unit_output y d u) <= row_norm (unit_reads u) * row_norm (unit_writes u) * e.
Proof.
  intros H. unfold unit_output. rewrite <- Rmult_minus_distr_r.
  assert (E : Rabs (relu (linear (unit_reads u) x + Q2R (unit_bias u))
    - relu (linear (unit_reads u) y + Q2R (unit_bias u))) <= row_norm (unit_reads u) * e).
  { eapply Rle_trans; [apply relu_apart|]. pose proof (linear_close (unit_reads u) x y e H) as L.
    eapply Rle_trans; [right|exact L]. f_equal. ring. }
  pose proof (product_bounded _ _ _ _ E (entry_bounded (unit_writes u) d)). lra.
Qed.

(* ---- its update ---- *)
Lemma with_retrieved_bounded heads (x : vector) bs X : activation_within X x -> Forall (activation_within X) bs ->
  activation_within ((1 + total_over value_norm heads) * X) (with_retrieved heads x bs).
Proof.
  intros Hx B d. assert (PX : 0 <= X) by (eapply Rle_trans; [apply Rabs_pos|exact (Hx d)]). unfold with_retrieved.
  eapply Rle_trans; [apply Rabs_triang|]. rewrite Rmult_plus_distr_r, Rmult_1_l. apply Rplus_le_compat; [apply Hx|].
  revert heads. assert (None : forall heads, Rabs 0 <= total_over value_norm heads * X).
  { intros heads. rewrite Rabs_R0. apply Rmult_le_pos; [auto with signs|exact PX]. }
  induction B as [|b bs Hb B IH]; intros [|a heads]; [exact (None [])|exact (None (a :: heads))|exact (None [])|].
  cbn [combine total_over fst snd]. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rmult_plus_distr_r.
  apply Rplus_le_compat; [|apply IH]. unfold value_norm. rewrite <- total_scale_r.
  apply (collect_Rabs _ (fun r => row_norm r * X)). intros r. now apply linear_bounded.
Qed.

Lemma sum_close a a' b b' x y : Rabs (a - a') <= x -> Rabs (b - b') <= y -> Rabs (a + b - (a' + b')) <= x + y.
Proof. intros A B. apply Rabs_bounds in A, B. apply Rabs_le. lra. Qed.

Lemma with_retrieved_close t X (x y : vector) e s : activations_near e x y -> forall heads bs bs',
  activations_moved (map (network_head_bound t X) heads) bs bs' s -> forall d,
  Rabs (with_retrieved heads x bs d - with_retrieved heads y bs' d) <= e + s.
Proof.
  intros [_ D] heads bs bs' M d. unfold with_retrieved.
  assert (G : Rabs (total_over (fun ab => collect (fun r => linear r (snd ab)) (head_values (fst ab)) d) (combine heads
    bs)
    - total_over (fun ab => collect (fun r => linear r (snd ab)) (head_values (fst ab)) d) (combine heads bs')) <= s).
  { revert bs bs' s M. induction heads as [|a heads IH]; intros bs bs' s M; inversion M; subst; cbn.
    - rewrite Rminus_0_r, Rabs_R0. lra.
    - match goal with N : activations_near ?f ?u ?v, M : activations_moved _ ?us ?vs ?r |- _ => destruct N as [_ N];
        specialize (IH _ _ _ M); assert (H : Rabs (collect (fun r => linear r u) (head_values a) d - collect (fun r =>
        linear r v) (head_values a) d) <= value_norm a * f) end.
      { rewrite collect_minus. unfold value_norm. rewrite <- total_scale_r.
        apply (collect_Rabs _ (fun r => row_norm r * _)). intros r. now apply linear_close. }
      exact (sum_close _ _ _ _ _ _ H IH). }
  exact (sum_close _ _ _ _ _ _ (D d) G).
Qed.

Lemma updated_bounded l X x bs : activation_within X x -> Forall (activation_within X) bs ->
  activation_within (size_behind l X) (updated_vector l x bs).
Proof.
  intros Hx Hb d. pose proof (with_retrieved_bounded (layer_heads l) x bs X Hx Hb) as G.
  unfold updated_vector, feedforward, size_behind, feedforward_stretch.
  set (g := with_retrieved (layer_heads l) x bs) in *. set (Y := (1 + total_over value_norm (layer_heads l)) * X) in *.
  assert (U : Rabs (total_over (unit_output g d) (layer_units l)) <= total_over (fun u => row_norm (unit_reads u)
     * row_norm (unit_writes u) * Y + Rabs (Q2R (unit_bias u)) * row_norm (unit_writes u)) (layer_units l)).
  { apply total_Rabs. intros u _. apply unit_bounded. exact G. }
  rewrite total_plus, total_scale_r in U. pose proof (entry_bounded (layer_bias l) d). pose proof (G d).
  eapply Rle_trans; [apply Rabs_triang|].
  pose proof (Rabs_triang (total_over (unit_output g d) (layer_units l)) (row_entry (layer_bias l) d)). lra.
Qed.

Theorem network_layer_fits t X n l : 0 < t -> 0 <= X -> (forall a, In a (layer_heads l) -> warm_head t n a) ->
  layer_fits X n (soft_layer_of l) (network_bound t X l).
Proof.
  intros Ht HX W. cbn [soft_layer_of network_bound]. split; [|split; [|split; [|split]]]; cbn.
  - induction (layer_heads l) as [|a heads IH]; constructor; [apply network_head_fits; auto; apply W; now left|].
    apply IH. intros b Hb. apply W. now right.
  - pose proof (stretch_at_least_1 l). lra.
  - now apply size_behind_nonneg.
  - intros x bs Hx Hb _. now apply updated_bounded.
  - intros x y bs bs' e s Hx Hy Hb Hb' D M. pose proof (with_retrieved_close t X x y e s D _ _ _ M) as A.
    pose proof (stretch_at_least_1 l). assert (P : 0 <= e + s) by (eapply Rle_trans; [apply Rabs_pos|exact (A 0%nat)]).
    split; [apply Rmult_le_pos; lra|]. intros d. unfold updated_vector, feedforward, feedforward_stretch.
    set (g := with_retrieved (layer_heads l) x bs) in *. set (g' := with_retrieved (layer_heads l) y bs') in *.
    replace (g d + _ - _) with ((g d - g' d)
      + (total_over (unit_output g d) (layer_units l) - total_over (unit_output g' d) (layer_units l))) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite total_minus, Rmult_plus_distr_r, Rmult_1_l.
    apply Rplus_le_compat; [apply A|]. rewrite <- total_scale_r. apply total_Rabs. intros u _. now apply unit_close.
Qed.
