(* [SHA] Lemmas 28, 29, 30, 31, 32 and 34 as printed, with matrices of d rows and d columns: layers without residual
   connections, one head. Lemma 33 is in lemma_33_near_hard.v; lemma_25_one_layer.v has them for networks of network.v.

   Proved: 28, 30, 31, 34 to the letter; 32 with K = 3 d^2 max(1, p)^2, which depends on d and p_max as asked; 29 with
   (3 (d max(1, p))^3)^l d x_max, and to the letter without biases. Refuted: 29 as printed, d = l = n = 1. *)
From Coq Require Import Reals List Bool Lra Lia Arith.
From Certify Require Import positions finite_sums relu lemma_25_one_layer.
Import ListNotations PositionNotations.
Open Scope R_scope.

(* Vectors and matrices with indices 1, ..., d. *)
Definition norm_1 (d : nat) (u : nat -> R) : R := sum_to d (fun c => Rabs (u c)).
Definition matrix_vector (d : nat) (W : nat -> nat -> R) (u : nat -> R) : nat -> R := fun r => sum_to d (fun c =>
  W r c * u c).
Definition inner_product (d : nat) (u v : nat -> R) : R := sum_to d (fun c => u c * v c).
Definition entries_at_most (d : nat) (W : nat -> nat -> R) (p : R) : Prop :=
  forall r c, r upto d -> c upto d -> Rabs (W r c) <= p.
Definition coordinates_at_most (d : nat) (u : nat -> R) (p : R) : Prop := each c upto d, Rabs (u c) <= p.

Lemma norm_1_nonneg d u : 0 <= norm_1 d u. Proof. apply sum_nonneg. intros; apply Rabs_pos. Qed.
Lemma norm_1_ext d u v : (each c upto d, u c = v c) -> norm_1 d u = norm_1 d v.
Proof. intros H. apply sum_ext. intros c Hc. now rewrite H. Qed.
Lemma norm_1_triangle d u v : norm_1 d (fun c => u c + v c) <= norm_1 d u + norm_1 d v.
Proof. unfold norm_1. rewrite <- sum_plus. apply sum_le. intros c _. apply Rabs_triang. Qed.
Lemma norm_1_scale d x u : norm_1 d (fun c => x * u c) = Rabs x * norm_1 d u.
Proof. unfold norm_1. rewrite <- sum_scale. apply sum_ext. intros c _. apply Rabs_mult. Qed.
Lemma norm_1_coordinates d u p : coordinates_at_most d u p -> norm_1 d u <= INR d * p.
Proof. intros H. unfold norm_1. rewrite <- sum_one, <- sum_scale_r. apply sum_le. intros c Hc. specialize (H c Hc).
lra. Qed.

Lemma product_coordinates d W u p : entries_at_most d W p -> coordinates_at_most d (matrix_vector d W u) (p * norm_1 d
  u).
Proof.
  intros H r Hr. unfold matrix_vector. eapply Rle_trans; [apply sum_Rabs|]. unfold norm_1. rewrite <- sum_scale.
  apply sum_le. intros c Hc. rewrite Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos|now apply H].
Qed.
Lemma product_minus d W u v r : matrix_vector d W u r - matrix_vector d W v r = matrix_vector d W (fun c =>
  u c - v c) r.
Proof. unfold matrix_vector. rewrite <- sum_minus. apply sum_ext. intros; ring. Qed.

Theorem lemma_28 d W u p : entries_at_most d W p -> norm_1 d (matrix_vector d W u) <= INR d * p * norm_1 d u.
Proof. intros H. rewrite Rmult_assoc. now apply norm_1_coordinates, product_coordinates. Qed.

(* ---- feed-forward parts ---- *)
Definition printed_feedforward (d : nat) (W1 : nat -> nat -> R) b1 (W2 : nat -> nat -> R) b2 (u : nat -> R) : nat ->
  R := fun r => matrix_vector d W2 (fun m => relu (matrix_vector d W1 u m + b1 m)) r + b2 r.

Theorem lemma_30 d W1 b1 W2 b2 p u v eps : entries_at_most d W1 p -> entries_at_most d W2 p -> 0 <= p ->
  norm_1 d (fun c => u c - v c) <= eps -> norm_1 d (fun r => printed_feedforward d W1 b1 W2 b2 u r - printed_feedforward
  d W1 b1 W2 b2 v r) <= INR d ^ 2 * p ^ 2 * eps.
Proof.
  intros H1 H2 P E. set (a := fun m => relu (matrix_vector d W1 u m + b1 m)).
  set (b := fun m => relu (matrix_vector d W1 v m + b1 m)).
  rewrite (norm_1_ext d _ (matrix_vector d W2 (fun m => a m - b m))). 2:{ intros c _. unfold printed_feedforward.
  fold a b. rewrite <- product_minus. ring. } eapply Rle_trans; [apply (lemma_28 d W2 _ p H2)|].
  assert (A : norm_1 d (fun m => a m - b m) <= INR d * p * norm_1 d (fun c => u c - v c)).
  { eapply Rle_trans; [|apply (lemma_28 d W1 _ p H1)]. apply sum_le. intros m _. unfold a, b.
    eapply Rle_trans; [apply relu_apart|]. rewrite <- product_minus. apply Req_le. f_equal. ring. }
  assert (D : 0 <= INR d * p) by auto with signs.
  replace (INR d ^ 2 * p ^ 2 * eps) with (INR d * p * (INR d * p * eps)) by ring.
  apply Rmult_le_compat_l; [exact D|]. eapply Rle_trans; [exact A|]. now apply Rmult_le_compat_l.
Qed.

(* ---- attention ---- *)
Definition is_distribution (n : nat) (alpha : nat -> R) : Prop := (each j upto n, 0 <= alpha j) /\ sum_to n alpha = 1.
Definition weighted_mean (n : nat) (alpha : nat -> R) (x : nat -> nat -> R) : nat -> R :=
  fun c => sum_to n (fun j => alpha j * x j c).

Lemma norm_1_sum d n x : norm_1 d (fun c => sum_to n (fun j => x j c)) <= sum_to n (fun j => norm_1 d (x j)).
Proof.
  induction n as [|n IH]; cbn [sum_to].
  - apply Req_le, sum_zero. intros; apply Rabs_R0.
  - eapply Rle_trans; [apply (norm_1_triangle d (fun c => sum_to n (fun j => x j c)) (x (S n)))|]. lra.
Qed.

Lemma norm_1_mean d n alpha x eps : is_distribution n alpha -> (each j upto n, norm_1 d (x j) <= eps) ->
  norm_1 d (weighted_mean n alpha x) <= eps.
Proof.
  intros [A S] X. eapply Rle_trans; [apply (norm_1_sum d n (fun j c => alpha j * x j c))|].
  rewrite <- (Rmult_1_l eps), <- S, <- sum_scale_r. apply sum_le. intros j Hj.
  rewrite norm_1_scale, Rabs_right by (apply Rle_ge, A, Hj). apply Rmult_le_compat_l; [now apply A|now apply X].
Qed.

Lemma product_mean d n W alpha x r : matrix_vector d W (weighted_mean n alpha x) r = weighted_mean n alpha (fun j =>
  matrix_vector d W (x j)) r.
Proof.
  unfold matrix_vector, weighted_mean. induction n as [|n IH]; cbn [sum_to].
  - apply sum_zero. intros; ring.
  - rewrite <- IH, <- sum_scale, <- sum_plus. apply sum_ext. intros; ring.
Qed.

(* The visible positions S have equal weights, in both. *)
Definition uniform_weights (n : nat) (S : nat -> bool) (j : nat) : R := bit (S j) / sum_to n (fun k => bit (S k)).

Lemma uniform_distribution n S : 0 < sum_to n (fun k => bit (S k)) -> is_distribution n (uniform_weights n S).
Proof.
  intros H. split.
  - intros j _. apply Rmult_le_pos; [apply bit_range|left; now apply Rinv_0_lt_compat].
  - unfold uniform_weights, Rdiv. rewrite sum_scale_r. apply Rinv_r. lra.
Qed.

Theorem lemma_31 d n W S u v p eps : entries_at_most d W p -> 0 <= p -> 0 < sum_to n (fun k => bit (S k)) ->
  (each j upto n, norm_1 d (fun c => u j c - v j c) <= eps) ->
  norm_1 d (fun c => weighted_mean n (uniform_weights n S) (fun j => matrix_vector d W (u j)) c
                     - weighted_mean n (uniform_weights n S) (fun j => matrix_vector d W (v j)) c) <= INR d * p * eps.
Proof.
  intros H P V E. apply uniform_distribution in V.
  rewrite (norm_1_ext d _ (weighted_mean n (uniform_weights n S) (fun j => matrix_vector d W (fun c =>
    u j c - v j c)))).
  - apply norm_1_mean; [exact V|]. intros j Hj. eapply Rle_trans; [apply (lemma_28 d W _ p H)|].
    apply Rmult_le_compat_l; [auto with signs|now apply E].
  - intros c _. unfold weighted_mean. rewrite <- sum_minus. apply sum_ext. intros j _. rewrite <- product_minus. ring.
Qed.

Theorem lemma_34 d n W alpha beta u v p x eps eps1 : entries_at_most d W p -> 0 <= p -> is_distribution n beta ->
  0 <= x -> (each j upto n, norm_1 d (fun c => u j c - v j c) <= eps) -> (each j upto n,
  coordinates_at_most d (u j) x) -> sum_to n (fun j => Rabs (alpha j - beta j)) <= eps1 -> norm_1 d (fun c =>
  weighted_mean n alpha (fun j => matrix_vector d W (u j)) c - weighted_mean n beta (fun j =>
  matrix_vector d W (v j)) c) <= INR d * p * (INR d * x * eps1 + eps).
Proof.
  intros H P B X E U A. pose proof (pos_INR d) as D.
  rewrite (norm_1_ext d _ (matrix_vector d W (fun c => weighted_mean n (fun j => alpha j - beta j) u c
    + weighted_mean n beta (fun j c => u j c - v j c) c))).
  - eapply Rle_trans; [apply (lemma_28 d W _ p H)|]. apply Rmult_le_compat_l; [now apply Rmult_le_pos|].
    eapply Rle_trans; [apply norm_1_triangle|]. apply Rplus_le_compat; [|now apply norm_1_mean].
    eapply Rle_trans; [apply (norm_1_sum d n (fun j c => (alpha j - beta j) * u j c))|].
    apply Rle_trans with (INR d * x * sum_to n (fun j => Rabs (alpha j - beta j))).
    + rewrite <- sum_scale. apply sum_le. intros j Hj. rewrite norm_1_scale, Rmult_comm.
      apply Rmult_le_compat_r; [apply Rabs_pos|now apply norm_1_coordinates, U].
    + apply Rmult_le_compat_l; [now apply Rmult_le_pos|exact A].
  - intros c _. rewrite <- !product_mean. rewrite product_minus. apply sum_ext. intros k _. f_equal.
    unfold weighted_mean. rewrite <- sum_minus, <- sum_plus. apply sum_ext. intros; ring.
Qed.

(* ---- scores ---- *)
Definition printed_score (d : nat) (WQ WK : nat -> nat -> R) (u v : nat -> R) : R :=
  inner_product d (matrix_vector d WQ u) (matrix_vector d WK v) / sqrt (INR d).

Lemma dot_norms d u v p : coordinates_at_most d u p -> Rabs (inner_product d u v) <= p * norm_1 d v.
Proof.
  intros H. unfold inner_product. eapply Rle_trans; [apply sum_Rabs|]. unfold norm_1. rewrite <- sum_scale.
  apply sum_le. intros c Hc. rewrite Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos|now apply H].
Qed.

(* |W u . W' v| <= d p^2 |u| |v|, by the greatest coordinate of one and the sum of the other. *)
Lemma score_norms d WQ WK u v p : entries_at_most d WQ p -> entries_at_most d WK p -> 0 <= p ->
  Rabs (inner_product d (matrix_vector d WQ u) (matrix_vector d WK v)) <= INR d * p ^ 2 * (norm_1 d u * norm_1 d v).
Proof.
  intros HQ HK P. eapply Rle_trans; [apply dot_norms, (product_coordinates d WQ u p HQ)|].
  replace (INR d * p ^ 2 * (norm_1 d u * norm_1 d v)) with (p * norm_1 d u * (INR d * p * norm_1 d v)) by ring.
  apply Rmult_le_compat_l; [|now apply lemma_28]. apply Rmult_le_pos; [exact P|apply norm_1_nonneg].
Qed.

Lemma dot_difference d WQ WK u v u' v' : inner_product d (matrix_vector d WQ u) (matrix_vector d WK v)
  - inner_product d (matrix_vector d WQ u') (matrix_vector d WK v') = inner_product d (matrix_vector d WQ (fun c =>
  u c - u' c)) (matrix_vector d WK v) + inner_product d (matrix_vector d WQ u) (matrix_vector d WK (fun c =>
  v c - v' c)) - inner_product d (matrix_vector d WQ (fun c => u c - u' c)) (matrix_vector d WK (fun c => v c - v' c)).
Proof.
  unfold inner_product. rewrite <- !sum_plus, <- !sum_minus. apply sum_ext. intros c _. rewrite <- !product_minus. ring.
Qed.

Theorem lemma_32 d p : (1 <= d)%nat -> 0 <= p -> exists K, 1 <= K /\ forall WQ WK u v u' v' x eps,
  entries_at_most d WQ p -> entries_at_most d WK p -> 1 <= x -> coordinates_at_most d u x ->
  coordinates_at_most d v x -> norm_1 d (fun c => u c - u' c) <= eps -> norm_1 d (fun c => v c - v' c) <= eps ->
  eps <= 1 -> Rabs (printed_score d WQ WK u v - printed_score d WQ WK u' v') <= K * x * eps.
Proof.
  intros Hd P. pose proof (INR_at_least_1 d Hd) as D. set (q := Rmax 1 p). assert (Q : 1 <= q) by apply Rmax_l.
  assert (Qp : p <= q) by apply Rmax_r. assert (B : forall a b, 1 <= a -> 1 <= b -> 1 <= a * b).
  { intros a b Ha Hb. replace 1 with (1 * 1) by lra. apply Rmult_le_compat; lra. }
  assert (DQ : 1 <= INR d ^ 2 * q ^ 2) by (simpl; repeat apply B; lra). exists (3 * (INR d ^ 2 * q ^ 2)).
  split; [lra|]. intros WQ WK u v u' v' x eps HQ HK X U V EU EV E1. unfold printed_score, Rdiv.
  assert (S : 1 <= sqrt (INR d)) by (rewrite <- sqrt_1; apply sqrt_le_1_alt; exact D).
  rewrite <- Rmult_minus_distr_r, Rabs_mult, (Rabs_right (/ _)) by (left; apply Rinv_0_lt_compat; lra).
  set (s := inner_product d (matrix_vector d WQ u) _ - _). apply Rle_trans with (Rabs s).
  { rewrite <- (Rmult_1_r (Rabs s)) at 2. apply Rmult_le_compat_l; [apply Rabs_pos|]. rewrite <- Rinv_1.
    apply Rinv_le_contravar; lra. }
  unfold s. rewrite dot_difference. set (du := fun c => u c - u' c) in *. set (dv := fun c => v c - v' c) in *.
  assert (HQ' : entries_at_most d WQ q) by (intros r c Hr Hc; specialize (HQ r c Hr Hc); lra).
  assert (HK' : entries_at_most d WK q) by (intros r c Hr Hc; specialize (HK r c Hr Hc); lra).
  pose proof (score_norms d WQ WK du v q HQ' HK' ltac:(lra)) as A1.
  pose proof (score_norms d WQ WK u dv q HQ' HK' ltac:(lra)) as A2.
  pose proof (score_norms d WQ WK du dv q HQ' HK' ltac:(lra)) as A3. pose proof (norm_1_coordinates d u x U) as NU.
  pose proof (norm_1_coordinates d v x V) as NV. pose proof (norm_1_nonneg d u). pose proof (norm_1_nonneg d v).
  pose proof (norm_1_nonneg d du) as Z. pose proof (norm_1_nonneg d dv).
  assert (C : 0 <= INR d * q ^ 2) by auto with signs.
  assert (M : forall a b, 0 <= a -> a <= eps -> 0 <= b -> b <= INR d * x ->
    INR d * q ^ 2 * (a * b) <= INR d ^ 2 * q ^ 2 * x * eps).
  { intros a b A0 A B0 B1. replace (INR d ^ 2 * q ^ 2 * x * eps) with (INR d * q ^ 2 * (eps * (INR d * x))) by ring.
    apply Rmult_le_compat_l; [exact C|]. apply Rmult_le_compat; lra. }
  assert (DX : 1 <= INR d * x) by now apply B.
  pose proof (M (norm_1 d du) (norm_1 d v) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
  pose proof (M (norm_1 d dv) (norm_1 d u) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
  pose proof (M (norm_1 d du) (norm_1 d dv) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
  rewrite (Rmult_comm (norm_1 d u)) in A2.
  match goal with |- Rabs (?a + ?b - ?c) <= _ => assert (Rabs (a + b - c) <= Rabs a + Rabs b + Rabs c) end.
  { unfold Rminus. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. apply Rplus_le_compat_r, Rabs_triang. }
  lra.
Qed.

(* ---- Lemma 29: growth through layers ---- *)
Record printed_layer := PrintedLayer {
  value_matrix : nat -> nat -> R; first_matrix : nat -> nat -> R; first_bias : nat -> R;
  second_matrix : nat -> nat -> R; second_bias : nat -> R;
  layer_attention : nat -> nat -> R }.                                 (* the weights of position i, whatever gives them
    *)

Definition printed_layer_output (d n : nat) (l : printed_layer) (u : nat -> nat -> R) : nat -> nat -> R := fun i =>
  printed_feedforward d (first_matrix l) (first_bias l) (second_matrix l) (second_bias l)
    (weighted_mean n (layer_attention l i) (fun j => matrix_vector d (value_matrix l) (u j))).
Definition parameters_at_most (d n : nat) (p : R) (l : printed_layer) : Prop := entries_at_most d (value_matrix l) p /\
  entries_at_most d (first_matrix l) p /\ entries_at_most d (second_matrix l) p /\ coordinates_at_most d (first_bias l)
  p /\ coordinates_at_most d (second_bias l) p /\ each i upto n, is_distribution n (layer_attention l i).

Lemma relu_norm d u : norm_1 d (fun c => relu (u c)) <= norm_1 d u.
Proof. apply sum_le. intros c _. apply relu_within. Qed.

Lemma through_norm d n l u p x b : parameters_at_most d n p l -> 0 <= p -> 0 <= b ->
  norm_1 d (first_bias l) <= b -> norm_1 d (second_bias l) <= b -> (each j upto n, norm_1 d (u j) <= x) ->
  each i upto n, norm_1 d (printed_layer_output d n l u i) <= (INR d * p) ^ 3 * x + (INR d * p + 1) * b.
Proof.
  intros (HV & H1 & H2 & B1 & B2 & A) P B0 N1 N2 X i Hi. pose proof (pos_INR d) as D.
  assert (DP : 0 <= INR d * p) by now apply Rmult_le_pos. unfold printed_layer_output, printed_feedforward.
  set (c := weighted_mean n (layer_attention l i) _). assert (C : norm_1 d c <= INR d * p * x).
  { apply norm_1_mean; [now apply A|]. intros j Hj. eapply Rle_trans; [apply (lemma_28 d _ _ p HV)|].
    apply Rmult_le_compat_l; [exact DP|now apply X]. }
  eapply Rle_trans; [apply norm_1_triangle|].
  assert (F : norm_1 d (fun m => relu (matrix_vector d (first_matrix l) c m + first_bias l m)) <=
    INR d * p * (INR d * p * x) + b).
  { eapply Rle_trans; [apply relu_norm|]. eapply Rle_trans; [apply norm_1_triangle|].
    apply Rplus_le_compat; [|exact N1]. eapply Rle_trans; [apply (lemma_28 d _ _ p H1)|]. now apply Rmult_le_compat_l. }
  pose proof (lemma_28 d (second_matrix l) (fun m => relu (matrix_vector d (first_matrix l) c m + first_bias l m)) p H2)
    as G. apply (Rmult_le_compat_l (INR d * p)) in F; [|exact DP].
  replace ((INR d * p) ^ 3 * x + (INR d * p + 1) * b) with (INR d * p * (INR d * p * (INR d * p * x) + b) + b) by ring.
  lra.
Qed.

Definition after_printed (d n : nat) (ls : list printed_layer) (u : nat -> nat -> R) : nat -> nat -> R :=
  fold_left (fun u l => printed_layer_output d n l u) ls u.

Theorem lemma_29_repaired d n p ls : (1 <= d)%nat -> 0 <= p -> (forall l, In l ls -> parameters_at_most d n p l) ->
  forall u x, 1 <= x -> (each j upto n, norm_1 d (u j) <= x) -> each i upto n,
  norm_1 d (after_printed d n ls u i) <= (3 * (INR d * Rmax 1 p) ^ 3) ^ length ls * x.
Proof.
  intros Hd P. pose proof (INR_at_least_1 d Hd) as D. set (q := INR d * Rmax 1 p). assert (Q : 1 <= q). { unfold q.
  replace 1 with (1 * 1) at 1 by lra. apply Rmult_le_compat; try lra. apply Rmax_l. } assert (Qp : 0 <= INR d * p <= q).
  { unfold q. split; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat_l; [lra|apply Rmax_r]. }
  assert (Q3 : 1 <= q ^ 3) by (apply pow_R1_Rle; lra).
  induction ls as [|l ls IH]; intros H u x X U i Hi; [simpl; rewrite Rmult_1_l; now apply U|].
  cbn [after_printed fold_left length pow]. fold (after_printed d n ls (printed_layer_output d n l u)).
  rewrite (Rmult_comm (3 * q ^ 3)), Rmult_assoc. apply IH; [intros; apply H; now right| | |exact Hi].
  - replace 1 with (1 * 1) by lra. apply Rmult_le_compat; lra.
  - intros j Hj. pose proof (H l (or_introl eq_refl)) as Pl. destruct Pl as (a1 & a2 & a3 & B1 & B2 & a4).
    eapply Rle_trans; [apply (through_norm d n l u p x (INR d * p)); try assumption; try lra|].
    + exact (H l (or_introl eq_refl)).
    + now apply norm_1_coordinates.
    + now apply norm_1_coordinates.
    + set (r := INR d * p) in *. assert (r ^ 3 <= q ^ 3) by (apply pow_incr; lra).
      assert (r ^ 3 * x <= q ^ 3 * x) by (apply Rmult_le_compat_r; lra).
      assert (r * r <= q ^ 3 * x) by (simpl; nra). assert (r <= q ^ 3 * x) by (simpl; nra). lra.
Qed.

Theorem lemma_29_without_biases d n p ls : 0 <= p -> (forall l, In l ls -> parameters_at_most d n p l) -> (forall l c,
  In l ls -> first_bias l c = 0 /\ second_bias l c = 0) -> forall u x, (each j upto n, norm_1 d (u j) <= x) ->
  each i upto n, norm_1 d (after_printed d n ls u i) <= (INR d * p) ^ (3 * length ls) * x.
Proof.
  intros P. induction ls as [|l ls IH]; intros H Z u x U i Hi; [simpl; rewrite Rmult_1_l; now apply U|].
  cbn [after_printed fold_left length]. fold (after_printed d n ls (printed_layer_output d n l u)).
  replace (3 * S (length ls))%nat with (3 * length ls + 3)%nat by lia. rewrite pow_add, Rmult_assoc.
  apply IH; [intros; apply H; now right|intros; apply Z; now right| |exact Hi]. intros j Hj.
  assert (N : norm_1 d (first_bias l) <= 0 /\ norm_1 d (second_bias l) <= 0).
  { split; apply Req_le, sum_zero; intros c _; destruct (Z l c (or_introl eq_refl)) as [Z1 Z2];
      rewrite ?Z1, ?Z2; apply Rabs_R0. }
  pose proof (through_norm d n l u p x 0 (H l (or_introl eq_refl)) P (Rle_refl 0) (proj1 N) (proj2 N) U j Hj). lra.
Qed.

(* As printed, (d p_max)^(3l) d x_max: refuted by a bias of 1/2 at d = l = n = 1. *)
Theorem lemma_29_as_printed_false : exists l, parameters_at_most 1 1 (1 / 2) l /\ forall u, coordinates_at_most 1 (u
  1%nat) 1 -> (INR 1 * (1 / 2)) ^ 3 * (INR 1 * 1) < norm_1 1 (printed_layer_output 1 1 l u 1%nat).
Proof.
  exists (PrintedLayer (fun _ _ => 0) (fun _ _ => 0) (fun _ => 0) (fun _ _ => 0) (fun _ => 1 / 2) (fun _ _ => 1)).
  split.
  - repeat split; try (intros r c Hr Hc || intros c Hc); cbn; try (rewrite Rabs_R0; lra); try lra.
    rewrite Rabs_right; lra.
  - intros u _. unfold norm_1, printed_layer_output, printed_feedforward, matrix_vector. cbn. rewrite Rabs_right; lra.
Qed.
