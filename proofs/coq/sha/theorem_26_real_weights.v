(* [SHA] Lemmas 24 and 25 and Theorem 26 for the transformers of the paper: real parameters, any embeddings of words and
   positions, one head per layer, no residual connections, scores over sqrt(d), d = d_k = d_f as in its Appendix D.

   theorem_26_uniform_tieless.v has them for networks of network.v, whose weights are rational and whose position
   embeddings are expressions; its Lemma 25 measures errors by sums over directions of the greatest change at any
   position. Here errors are those of the paper, 1-norms position by position.

   Proved: a transformer whose layers are each uniform or tieless has a positive gap and a finite x_max at every n;
   constants K1, K2 >= 1 such that Lemma 25 holds of every layer, for the activations u of U on any word, every u'
   within eps <= 1 of them, every n and every temperature; Theorem 26, with 1/tau of the order of (1/gamma) log(n
   x/gamma), gamma = min(gap, 1), and of n^k log n if gap and x_max are polynomial. Idea: Lemmas 29, 32, 33, 34 and
   30, one after the other, then the induction of D.5. *)
From Coq Require Import Reals List Bool Lra Lia Arith.
From Certify Require Import positions lists finite_sums softmax exponential network hard_attention lemma_24_gap
  lemma_33_near_hard lemmas_28_34 theorem_26_uniform_tieless.
Import ListNotations PositionNotations.
Open Scope R_scope.

(* ---- layers: matrices and vectors with indices 1, ..., d ---- *)
Local Definition matrix := nat -> nat -> R.
Definition real_stream := nat -> nat -> R.                                                    (* position, coordinate *)
Record real_layer := RealLayer {
  layer_mask : masking; query_map : matrix; key_map : matrix; value_map : matrix;
  hidden_map : matrix; hidden_bias : nat -> R; output_map : matrix; output_bias : nat -> R }.

Section Layers.
Variable d : nat.

Definition real_scores (l : real_layer) (u : real_stream) (i j : nat) : R :=
  printed_score d (query_map l) (key_map l) (u i) (u j).
Definition attended_with (W : attention_weights) (n : nat) (l : real_layer) (u : real_stream) : printed_layer :=
  PrintedLayer (value_map l) (hidden_map l) (hidden_bias l) (output_map l) (output_bias l)
    (fun i => W n (mask_at (layer_mask l) i) (real_scores l u i)).
Definition layer_with (W : attention_weights) (n : nat) (l : real_layer) (u : real_stream) : real_stream :=
  printed_layer_output d n (attended_with W n l u) u.
Definition layers_with (W : attention_weights) (n : nat) (ls : list real_layer) (u : real_stream) : real_stream :=
  fold_left (fun u l => layer_with W n l u) ls u.

(* Uniform: queries and keys are identically 0. *)
Local Definition uniform (l : real_layer) : Prop :=
  forall r c, r upto d -> c upto d -> query_map l r c = 0 /\ key_map l r c = 0.
(* What holds of every row of scores of every layer that is not uniform, in the run with hard attention. *)
Definition rows_of (P : mask -> (nat -> R) -> Prop) (n : nat) (l : real_layer) (u : real_stream) : Prop :=
  uniform l \/ each i upto n, P (mask_at (layer_mask l) i) (real_scores l u i).
Fixpoint all_rows (P : mask -> (nat -> R) -> Prop) (n : nat) (ls : list real_layer) (u : real_stream) : Prop :=
  match ls with [] => True | l :: ls => rows_of P n l u /\ all_rows P n ls (layer_with hardmax n l u) end.

Definition at_most_p (p : R) (l : real_layer) : Prop := entries_at_most d (query_map l) p /\ entries_at_most d (key_map
  l) p /\ entries_at_most d (value_map l) p /\ entries_at_most d (hidden_map l) p /\ coordinates_at_most d (hidden_bias
  l) p /\ entries_at_most d (output_map l) p /\ coordinates_at_most d (output_bias l) p.

Lemma at_most_larger p q l : p <= q -> at_most_p p l -> at_most_p q l.
Proof.
  intros L (a1 & a2 & a3 & a4 & a5 & a6 & a7). repeat split; intros r; intros; (eapply Rle_trans; [|exact L]); auto.
Qed.

Lemma entries_bounded W : entries_at_most d W (sum_to d (fun r => sum_to d (fun c => Rabs (W r c)))).
Proof.
  intros r c Hr Hc. eapply Rle_trans; [exact (sum_at_least d (fun c => Rabs (W r c)) c Hc (fun _ _ => Rabs_pos _))|].
  apply (sum_at_least d (fun r => sum_to d (fun c => Rabs (W r c))) r Hr). intros k _. apply sum_nonneg.
  intros; apply Rabs_pos.
Qed.
Lemma coordinates_bounded b : coordinates_at_most d b (sum_to d (fun c => Rabs (b c))).
Proof. intros c Hc. exact (sum_at_least d (fun c => Rabs (b c)) c Hc (fun _ _ => Rabs_pos _)). Qed.

(* p_max exists. *)
Lemma parameters_bounded ls : exists p, forall l, In l ls -> at_most_p p l.
Proof.
  induction ls as [|l ls [p H]]; [exists 0; intros l []|]. assert (A : exists q, at_most_p q l).
  { set (e := fun W => sum_to d (fun r => sum_to d (fun c => Rabs (W r c)))). set (b := fun v => sum_to d (fun c =>
      Rabs (v c))).
    assert (E0 : forall W, 0 <= e W) by (intros; repeat (apply sum_nonneg; intros); apply Rabs_pos).
    assert (B0 : forall v, 0 <= b v) by (intros; apply sum_nonneg; intros; apply Rabs_pos).
    exists (e (query_map l) + e (key_map l) + e (value_map l) + e (hidden_map l) + b (hidden_bias l)
            + e (output_map l) + b (output_bias l)).
    pose proof (E0 (query_map l)). pose proof (E0 (key_map l)). pose proof (E0 (value_map l)).
    pose proof (E0 (hidden_map l)). pose proof (B0 (hidden_bias l)). pose proof (E0 (output_map l)).
    pose proof (B0 (output_bias l)).
    repeat split; intros r; intros;
      (eapply Rle_trans; [apply entries_bounded || apply coordinates_bounded; assumption|]); unfold e, b in *; lra. }
  destruct A as [q Q]. exists (Rmax p q). intros l' [<-|I].
  - exact (at_most_larger q _ _ (Rmax_r p q) Q).
  - exact (at_most_larger p _ _ (Rmax_l p q) (H _ I)).
Qed.

Lemma uniform_score l u i j : uniform l -> real_scores l u i j = 0.
Proof.
  intros U. unfold real_scores, printed_score, inner_product. rewrite sum_zero; [unfold Rdiv; ring|]. intros r Hr.
  unfold matrix_vector at 1. rewrite sum_zero; [ring|]. intros c Hc. destruct (U r c Hr Hc) as [-> _]. ring.
Qed.

Lemma hardmax_distribution n m s i : visible n m i -> is_distribution n (hardmax n m s).
Proof. intros V. split; [|exact (hardmax_total n m s i V)]. intros j _. exact (hardmax_nonneg n m s i j V). Qed.
Lemma softmax_distribution n m s i : visible n m i -> is_distribution n (softmax n m s).
Proof. intros V. split; [|exact (softmax_total n m s i V)]. intros j _. exact (softmax_nonneg n m s i j V). Qed.

(* Lemma 29, one layer. *)
Lemma real_layer_bounded p n l u x : (1 <= d)%nat -> 1 <= p -> at_most_p p l -> 1 <= x -> (each j upto n,
  norm_1 d (u j) <= x) -> each i upto n, norm_1 d (layer_with hardmax n l u i) <= 3 * (INR d * p) ^ 3 * x.
Proof.
  intros Hd P (_ & _ & a3 & a4 & a5 & a6 & a7) X U i Hi.
  pose proof (lemma_29_repaired d n p [attended_with hardmax n l u] Hd ltac:(lra)) as G.
  cbn [after_printed fold_left length pow] in G. rewrite Rmult_1_r, Rmax_right in G by lra.
  apply G; [|exact X|exact U|exact Hi]. intros l' [<-|[]]. repeat (split; [assumption|]).
  intros k Hk. apply (hardmax_distribution n _ _ k), visible_self, Hk.
Qed.

(* Lemma 33, and Lemma 31 for uniform layers. *)
Lemma weights_near n l u u' delta g tau i : i upto n -> 0 < tau -> rows_of (fun m s => tieless n m s /\
  has_gap n m s g) n l u -> (each j upto n, Rabs (real_scores l u i j - real_scores l u' i j) <= delta) ->
  sum_to n (fun j => Rabs (hardmax n (mask_at (layer_mask l) i) (real_scores l u i)
  j - softmax_at tau n (mask_at (layer_mask l) i) (real_scores l u' i) j)) <= 2 * (INR n * exp ((2 * delta - g) / tau)).
Proof.
  intros Hi T Rows Near. set (m := mask_at (layer_mask l) i).
  assert (V : visible n m i) by now apply visible_self. destruct Rows as [U|Rows].
  - rewrite sum_zero.
    + apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; [apply pos_INR|left; apply exp_pos].
    + intros j _. unfold softmax_at. rewrite (hardmax_constant n m _ i 0 V), (softmax_constant n m _ i 0 V).
      * rewrite Rminus_diag_eq by reflexivity. apply Rabs_R0.
      * intros k. rewrite uniform_score by exact U. unfold Rdiv. ring.
      * intros k. now apply uniform_score.
  - destruct (Rows i Hi) as [Tie Gap]. apply (near_hard_tieless n m _ _ i delta g tau V T); [|exact Gap|exact Tie].
    intros j [Hj _]. now apply Near.
Qed.

(* Lemma 25, for any stream u whose scores have the gap g and whose norms are at most C x. *)
Lemma real_layer_moves p C : (1 <= d)%nat -> 1 <= p -> 1 <= C -> exists K1 K2, 1 <= K1 /\ 1 <= K2 /\
  forall n l u u' x g tau eps, at_most_p p l -> 1 <= x -> 0 < tau -> 0 <= eps <= 1 -> (each j upto n,
  norm_1 d (u j) <= C * x) -> rows_of (fun m s => tieless n m s /\ has_gap n m s g) n l u -> (each j upto n,
  norm_1 d (fun c => u j c - u' j c) <= eps) -> each i upto n, norm_1 d (fun c => layer_with hardmax n l u i c -
  layer_with (softmax_at tau) n l u' i c) <= K1 * (eps + INR n * x * exp ((- g + 2 * K2 * x * eps) / tau)).
Proof.
  intros Hd P HC. destruct (lemma_32 d p Hd ltac:(lra)) as (K & HK & Scores). pose proof (INR_at_least_1 d Hd) as D.
  pose (a := INR d * p). pose proof product_at_least_1 as B. assert (A : 1 <= a) by now apply B.
  assert (DC : 1 <= INR d * C) by now apply B. assert (A3 : 1 <= a ^ 3) by now apply pow_R1_Rle.
  exists (2 * (a ^ 3 * (INR d * C))), (K * C). pose proof (B _ _ A3 DC) as AC. pose proof (B _ _ HK HC) as KC.
  split; [lra|]. split; [exact KC|].
  intros n l u u' x g tau eps (a1 & a2 & a3 & a4 & _ & a6 & _) X T Eps U Rows Near i Hi. pose proof (B _ _ HC X) as CX.
  assert (Co : each j upto n, coordinates_at_most d (u j) (C * x)).
  { intros j Hj c Hc. eapply Rle_trans; [|exact (U j Hj)].
    apply (sum_at_least d (fun c => Rabs (u j c)) c Hc). intros; apply Rabs_pos. }
  assert (S : each j upto n, Rabs (real_scores l u i j - real_scores l u' i j) <= K * C * x * eps).
  { intros j Hj. replace (K * C * x * eps) with (K * (C * x) * eps) by ring.
    apply Scores; auto. apply Eps. }
  pose proof (weights_near n l u u' _ g tau i Hi T Rows S) as Eta. set (m := mask_at (layer_mask l) i) in *.
  assert (V : visible n m i) by now apply visible_self.
  pose proof (lemma_34 d n (value_map l) _ _ u u' p (C * x) eps _ a3 ltac:(lra) (softmax_distribution n m (fun j =>
    real_scores l u' i j / tau) i V) ltac:(lra) Near Co Eta) as H34.
  pose proof (lemma_30 d (hidden_map l) (hidden_bias l) (output_map l) (output_bias l) p _ _ _ a4 a6 ltac:(lra) H34)
    as H30. eapply Rle_trans; [exact H30|]. set (E := INR n * x * exp ((- g + 2 * (K * C) * x * eps) / tau)).
  replace (2 * (K * C * x * eps) - g) with (- g + 2 * (K * C) * x * eps) by ring. assert (E0 : 0 <= E).
  { unfold E. apply Rmult_le_pos; [|left; apply exp_pos]. apply Rmult_le_pos; [apply pos_INR|lra]. }
  replace (INR d ^ 2 * p ^ 2 * (INR d * p * (INR d * (C * x)
    * (2 * (INR n * exp ((- g + 2 * (K * C) * x * eps) / tau))) + eps)))
    with (2 * (a ^ 3 * (INR d * C)) * E + a ^ 3 * 1 * eps) by (unfold a, E; ring).
  assert (a ^ 3 * 1 * eps <= 2 * (a ^ 3 * (INR d * C)) * eps); [|lra].
  apply Rmult_le_compat_r; [lra|]. assert (a ^ 3 * 1 <= a ^ 3 * (INR d * C)) by (apply Rmult_le_compat_l; lra). lra.
Qed.
End Layers.

(* ---- transformers: a word is embedded by its symbols and, at each length, by its positions ---- *)
Section Transformers.
Variables (d alphabet : nat) (word_embedding : nat -> nat -> R) (position_embedding : nat -> nat -> nat -> R).
Variable ls : list real_layer.

Definition over_alphabet (n : nat) (w : formula.word) : Prop := each i upto n, (w i < alphabet)%nat.
Definition real_embedding (n : nat) (w : formula.word) : real_stream :=
  fun i c => word_embedding (w i) c + position_embedding n i c.
Definition hard_output (n : nat) (w : formula.word) : real_stream := layers_with d hardmax n ls (real_embedding n w).
Definition soft_output (tau : R) (n : nat) (w : formula.word) : real_stream :=
  layers_with d (softmax_at tau) n ls (real_embedding n w).

(* Every layer is uniform or, on every word of length n and at every position, tieless; and then with gap g. *)
Definition real_tieless_at (n : nat) : Prop :=
  forall w, over_alphabet n w -> all_rows d (fun m s => tieless n m s) n ls (real_embedding n w).
Definition real_gap_at (n : nat) (g : R) : Prop := 0 < g /\
  forall w, over_alphabet n w -> all_rows d (fun m s => tieless n m s /\ has_gap n m s g) n ls (real_embedding n w).
Definition real_initial_at_most (n : nat) (x : R) : Prop := 1 <= x /\
  forall w, over_alphabet n w -> forall i c, i upto n -> c upto d -> Rabs (real_embedding n w i c) <= x.

Hypothesis Hd : (1 <= d)%nat.

(* Lemma 25 with these constants. *)
Definition bounds_each_layer (K1 K2 : R) : Prop :=
  forall n g x tau eps w k l u', real_gap_at n g -> real_initial_at_most n x -> 0 < tau -> 0 <= eps <= 1 ->
  over_alphabet n w -> nth_error ls k = Some l -> let u := layers_with d hardmax n (firstn k ls) (real_embedding n w) in
  (each i upto n, norm_1 d (fun c => u i c - u' i c) <= eps) -> each i upto n,
  norm_1 d (fun c => layer_with d hardmax n l u i c - layer_with d (softmax_at tau) n l u' i c)
  <= K1 * (eps + INR n * x * exp ((- g + 2 * K2 * x * eps) / tau)).

Section Bounded.
Variable p : R.
Hypothesis Within_p : forall l, In l ls -> at_most_p d p l.

(* Lemma 29, as repaired: the activations of U. *)
Definition growth_bound : R := (3 * (INR d * Rmax 1 p) ^ 3) ^ length ls * INR d.
Lemma growth_step : 1 <= 3 * (INR d * Rmax 1 p) ^ 3.
Proof.
  assert (1 <= INR d * Rmax 1 p).
  { apply product_at_least_1; [now apply INR_at_least_1|apply Rmax_l]. }
  assert (1 <= (INR d * Rmax 1 p) ^ 3) by now apply pow_R1_Rle. lra.
Qed.

Lemma initial_norm n w x i : real_initial_at_most n x -> over_alphabet n w -> i upto n ->
  norm_1 d (real_embedding n w i) <= INR d * x.
Proof. intros [_ X] O Hi. apply norm_1_coordinates. intros c Hc. now apply X. Qed.

Lemma growth_bound_at_least_1 : 1 <= growth_bound.
Proof. apply product_at_least_1; [apply pow_R1_Rle, growth_step|now apply INR_at_least_1]. Qed.

(* The activations of U behind its first k layers. *)
Lemma activations_bounded n w x k : real_initial_at_most n x -> over_alphabet n w -> each i upto n,
  norm_1 d (layers_with d hardmax n (firstn k ls) (real_embedding n w) i) <= growth_bound * x.
Proof.
  intros X O. pose proof growth_step as G. pose proof (INR_at_least_1 d Hd) as D. pose proof (proj1 X) as X1.
  assert (B : forall rest u b, (forall l, In l rest -> In l ls) -> 1 <= b -> (each j upto n, norm_1 d (u j) <= b) ->
    each i upto n, norm_1 d (layers_with d hardmax n rest u i) <= (3 * (INR d * Rmax 1 p) ^ 3) ^ length rest * b).
  { induction rest as [|l rest IH]; intros u b In_ls B U i Hi; [simpl; rewrite Rmult_1_l; now apply U|].
    cbn [layers_with fold_left length]. rewrite <- tech_pow_Rmult, (Rmult_comm (3 * _ ^ 3)), Rmult_assoc.
    apply IH; try exact Hi.
    - intros; apply In_ls. now right.
    - now apply product_at_least_1.
    - apply real_layer_bounded; try assumption; [apply Rmax_l|]. apply (at_most_larger d p); [apply Rmax_r|].
      apply Within_p, In_ls. now left. }
  intros i Hi. eapply Rle_trans; [apply (B _ _ (INR d * x)); try exact Hi|].
  - intros l I. rewrite <- (firstn_skipn k ls). apply in_or_app. now left.
  - now apply product_at_least_1.
  - intros j Hj. now apply initial_norm.
  - unfold growth_bound. rewrite Rmult_assoc. apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|].
    apply Rle_pow; [exact G|]. pose proof (f_equal (@length _) (firstn_skipn k ls)) as Len.
    rewrite length_app in Len. lia.
Qed.

Lemma all_rows_at P n k l : nth_error ls k = Some l -> forall u, all_rows d P n ls u ->
  rows_of d P n l (layers_with d hardmax n (firstn k ls) u).
Proof.
  revert k. clear. induction ls as [|l' rest IH]; intros [|k] H u Rows; try discriminate.
  - injection H as <-. apply Rows.
  - cbn [firstn layers_with fold_left]. apply IH; [exact H|apply Rows].
Qed.

Lemma lemma_25_bounded : exists K1 K2, 1 <= K1 /\ 1 <= K2 /\ bounds_each_layer K1 K2.
Proof.
  destruct (real_layer_moves d (Rmax 1 p) growth_bound Hd (Rmax_l 1 p) growth_bound_at_least_1)
    as (K1 & K2 & H1 & H2 & Move). exists K1, K2. split; [exact H1|]. split; [exact H2|].
  intros n g x tau eps w k l u' Gap X T Eps O Nth u Near. apply Move; try assumption.
  - apply (at_most_larger d p); [apply Rmax_r|]. apply Within_p. now apply nth_error_In with k.
  - apply X.
  - now apply activations_bounded.
  - apply all_rows_at; [exact Nth|]. now apply Gap.
Qed.
End Bounded.

Theorem lemma_25_real : exists K1 K2, 1 <= K1 /\ 1 <= K2 /\ bounds_each_layer K1 K2.
Proof. destruct (parameters_bounded d ls) as [p H]. exact (lemma_25_bounded p H). Qed.

(* ---- Theorem 26 ---- *)
Lemma one_more_layer W n k l u : nth_error ls k = Some l ->
  layers_with d W n (firstn (S k) ls) u = layer_with d W n l (layers_with d W n (firstn k ls) u).
Proof.
  revert k u. clear. induction ls as [|l' rest IH]; intros [|k] u H; try discriminate.
  - injection H as <-. reflexivity.
  - cbn [nth_error] in H. exact (IH k (layer_with d W n l' u) H).
Qed.

Lemma rows_with_less_gap n g g' u : 0 < g' <= g -> forall rest, all_rows d (fun m s => tieless n m s /\
  has_gap n m s g) n rest u -> all_rows d (fun m s => tieless n m s /\ has_gap n m s g') n rest u.
Proof.
  intros L rest. revert u. induction rest as [|l rest IH]; intros u; [easy|]. intros [Row Rows].
  split; [|now apply IH]. destruct Row as [U|Row]; [now left|right]. intros i Hi. destruct (Row i Hi) as [T G].
  split; [exact T|]. exact (has_gap_less n _ _ g g' G L).
Qed.

(* ---- Lemma 24 ---- *)
Local Definition agreeing (n : nat) (u u' : real_stream) : Prop := forall i c, i upto n -> u i c = u' i c.

Lemma printed_score_ext WQ WK u u' i j n : agreeing n u u' -> i upto n -> j upto n ->
  printed_score d WQ WK (u i) (u j) = printed_score d WQ WK (u' i) (u' j).
Proof.
  intros A Hi Hj. unfold printed_score. f_equal. apply sum_ext. intros r _.
  f_equal; apply sum_ext; intros c _; f_equal; now apply A.
Qed.

Lemma layer_ext n l u u' : agreeing n u u' -> agreeing n (layer_with d hardmax n l u) (layer_with d hardmax n l u').
Proof.
  intros A i c Hi. unfold layer_with, printed_layer_output, printed_feedforward, matrix_vector at 1 3. f_equal.
  apply sum_ext. intros m _. do 3 f_equal. apply sum_ext. intros k _. f_equal. apply sum_ext. intros j Hj. f_equal.
  - apply hardmax_ext; [exact Hj|]. intros k' Hk. now apply (printed_score_ext _ _ u u' i k' n).
  - apply sum_ext. intros e _. f_equal. now apply A.
Qed.

Lemma all_rows_ext (P : mask -> (nat -> R) -> Prop) n : (forall m s s', (each j upto n, s j = s' j) -> P m s ->
  P m s') -> forall rest u u', agreeing n u u' -> all_rows d P n rest u -> all_rows d P n rest u'.
Proof.
  intros E. induction rest as [|l rest IH]; intros u u' A; [easy|]. intros [Row Rows]. split.
  - destruct Row as [U|Row]; [now left|right]. intros i Hi. apply (E _ (real_scores d l u i)); [|now apply Row].
    intros j Hj. now apply (printed_score_ext _ _ u u' i j n).
  - eapply IH; [|exact Rows]. now apply layer_ext.
Qed.

Lemma tieless_ext n m s s' : (each j upto n, s j = s' j) -> tieless n m s -> tieless n m s'.
Proof.
  intros E (q & V & H). exists q. split; [exact V|]. intros j Vj N.
  rewrite <- (E j (proj1 Vj)), <- (E q (proj1 V)). now apply H.
Qed.

Lemma tieless_rows_have_gap n rest : forall u, all_rows d (fun m s => tieless n m s) n rest u ->
  exists g, 0 < g /\ all_rows d (fun m s => tieless n m s /\ has_gap n m s g) n rest u.
Proof.
  induction rest as [|l rest IH]; intros u; [exists 1; split; [lra|exact I]|]. intros [Row Rows].
  destruct (IH _ Rows) as (g & G & H).
  destruct (common_bound (fun i g => has_gap n (mask_at (layer_mask l) i) (real_scores d l u i) g) (seq 1 n))
    as (g' & G' & H').
  - intros i ? ? A L. exact (has_gap_less n _ _ _ _ A L).
  - intros i _. apply row_has_gap.
  - exists (Rmin g g'). assert (M : 0 < Rmin g g') by now apply Rmin_glb_lt. split; [exact M|]. split.
    + destruct Row as [U|Row]; [now left|right]. intros i Hi. split; [now apply Row|].
      apply (has_gap_less n _ _ g'); [apply H', in_seq; lia|split; [exact M|apply Rmin_r]].
    + apply (rows_with_less_gap n g); [|exact H]. split; [exact M|apply Rmin_l].
Qed.

Theorem lemma_24_real n : real_tieless_at n -> exists g, real_gap_at n g.
Proof.
  intros Tie. destruct (common_bound_words alphabet n (fun w g =>
    all_rows d (fun m s => tieless n m s /\ has_gap n m s g) n ls (real_embedding n w))) as (g & G & H).
  - intros w g g' A L. exact (rows_with_less_gap n g g' _ L ls A).
  - intros w w' g E. apply all_rows_ext.
    + intros m s s' Es [T A]. split; [exact (tieless_ext n m s s' Es T)|exact (has_gap_ext n m s s' g Es A)].
    + intros i c Hi. unfold real_embedding. now rewrite E.
  - intros w O. apply tieless_rows_have_gap. exact (Tie w O).
  - exists g. split; [exact G|exact H].
Qed.

Theorem x_max_real n : exists x, real_initial_at_most n x.
Proof.
  destruct (common_bound_words alphabet n (fun w g =>
    forall i c, i upto n -> c upto d -> Rabs (real_embedding n w i c) <= / g)) as (g & G & H).
  - intros w g g' A [L B] i c Hi Hc. apply Rle_trans with (/ g); [now apply A|]. now apply Rinv_le_contravar.
  - intros w w' g E A i c Hi Hc. unfold real_embedding. rewrite <- E by exact Hi. now apply A.
  - intros w _. destruct (common_bound (fun ic g => Rabs (real_embedding n w (fst ic) (snd ic)) <= / g)
      (list_prod (seq 1 n) (seq 1 d))) as (g & G & H).
    + intros ic g g' A [L B]. apply Rle_trans with (/ g); [exact A|]. now apply Rinv_le_contravar.
    + intros ic _. set (x := Rabs _). assert (X : 0 <= x) by apply Rabs_pos. exists (/ (1 + x)).
      split; [apply Rinv_0_lt_compat; lra|]. rewrite Rinv_inv; lra.
    + exists g. split; [exact G|]. intros i c Hi Hc. apply (H (i, c)), in_prod; apply in_seq; lia.
  - exists (Rmax 1 (/ g)). split; [apply Rmax_l|]. intros w Hw i c Hi Hc.
    apply Rle_trans with (/ g); [now apply H|apply Rmax_r].
Qed.

(* At one length: every temperature up to gamma / (2 ln R). *)
Theorem theorem_26_real : exists K1 K2, 1 <= K1 /\ 1 <= K2 /\ forall n g x tau w i, real_gap_at n g ->
  real_initial_at_most n x -> 0 < tau <= Rmin g 1 / (2 * ln (inverse_share (length ls) K1 K2 x (Rmin g 1) n)) ->
  over_alphabet n w -> i upto n -> norm_1 d (fun c => hard_output n w i c - soft_output tau n w i c) <= 1 / 4.
Proof.
  destruct lemma_25_real as (K1 & K2 & H1 & H2 & One). exists K1, K2. split; [exact H1|]. split; [exact H2|].
  intros n g x tau w i [G0 Gap] X [T0 Cold] O Hi. pose proof (proj1 X) as X1. set (gamma := Rmin g 1) in *.
  assert (HG : 0 < gamma <= 1) by (split; [apply Rmin_glb_lt; lra|apply Rmin_r]).
  assert (Small : gamma / (4 * K2 * x) <= 1 / 4) by (apply share_small; assumption).
  set (E := layer_error (length ls) K1 K2 x gamma).
  pose proof (errors_range (length ls) K1 K2 x gamma H1 H2 X1 HG) as Er.
  assert (Behind : forall k, (k <= length ls)%nat -> each j upto n, norm_1 d (fun c =>
    layers_with d hardmax n (firstn k ls) (real_embedding n w) j c
                       - layers_with d (softmax_at tau) n (firstn k ls) (real_embedding n w) j c) <= E k).
  { induction k as [|k IH]; intros Hk j Hj.
    - cbn [firstn layers_with fold_left]. apply Req_le. apply sum_zero. intros c _.
      rewrite Rminus_diag_eq by reflexivity. apply Rabs_R0.
    - destruct (nth_error ls k) as [l|] eqn:Nth; [|apply nth_error_None in Nth; lia].
      rewrite !(one_more_layer _ n k l _ Nth). pose proof (Er k) as Ek.
      eapply Rle_trans; [apply (One n gamma x tau (E k) w k l); try assumption|].
      + split; [apply HG|]. intros w' O'. apply (rows_with_less_gap n g); [|now apply Gap].
        split; [apply HG|apply Rmin_l].
      + fold E in Ek. lra.
      + apply IH. lia.
      + eapply Rle_trans; [|apply (one_step (length ls) K1 K2 x gamma tau n); try assumption; lia].
        fold E. apply Req_le. replace (2 * (K2 * x * E k) - gamma) with (- gamma + 2 * K2 * x * E k) by ring. field. }
  specialize (Behind (length ls) (le_n _) i Hi). rewrite firstn_all in Behind. unfold hard_output, soft_output.
  specialize (Er (length ls)). fold E in Er. lra.
Qed.

(* With the temperature as a function of n, and its order. *)
Theorem theorem_26_real_order (g x : nat -> R) : (forall n, real_gap_at n (g n)) -> (forall n,
  real_initial_at_most n (x n)) -> exists tau : nat -> R, (forall n, (1 <= n)%nat -> 0 < tau n) /\ (exists c, forall n,
  (2 <= n)%nat -> / tau n <= c * (/ Rmin (g n) 1 * ln (INR n * x n / Rmin (g n) 1))) /\ (forall n w i,
  over_alphabet n w -> i upto n -> norm_1 d (fun c => hard_output n w i c - soft_output (tau n) n w i c) <= 1 / 4).
Proof.
  intros Gap X. destruct theorem_26_real as (K1 & K2 & H1 & H2 & Close).
  destruct (temperature_of_share (length ls) K1 K2 g x H1 H2) as [Pos Order]; [apply Gap|apply X|].
  eexists. split; [exact Pos|]. split; [exact Order|].
  intros n w i O Hi. apply (Close n (g n) (x n)); try assumption; auto. split; [apply Pos; lia|apply Rle_refl].
Qed.
(* "In particular, if gamma(n) = 1/n^k and x_max(n) is polynomial, 1/tau(n) is O(n^k log n)." *)
Corollary theorem_26_real_polynomial (g x : nat -> R) (k m : nat) (a : R) : (forall n, real_gap_at n (g n)) ->
  (forall n, real_initial_at_most n (x n)) -> (forall n, (1 <= n)%nat -> / INR n ^ k <= g n) -> (forall n,
  (1 <= n)%nat -> x n <= a * INR n ^ m) -> exists tau : nat -> R, (forall n, (1 <= n)%nat -> 0 < tau n) /\ (exists c,
  forall n, (2 <= n)%nat -> / tau n <= c * (INR n ^ k * ln (INR n))) /\ (forall n w i, over_alphabet n w -> i upto n ->
  norm_1 d (fun c => hard_output n w i c - soft_output (tau n) n w i c) <= 1 / 4).
Proof.
  intros Gap X Gk Xm. destruct (theorem_26_real_order g x Gap X) as (tau & Pos & (c & Order) & Close). exists tau.
  split; [exact Pos|]. split; [|exact Close]. apply (polynomial_inverse k m a (fun n => Rmin (g n) 1) x tau c).
  - intros n Hn. split; [|apply Rmin_r]. apply at_least_power; [lia|]. apply Gk. lia.
  - intros n Hn. split; [apply X|apply Xm; lia].
  - exact Order.
Qed.
End Transformers.
