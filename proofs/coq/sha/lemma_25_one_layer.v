(* [SHA] Lemma 25 and Lemmas 28 to 34 for the layers of network.v: residual connections, any number of heads, biases.

   Hard attention runs on the stream h, softmax at tau on the stream h'. h is within the envelope c, h - h' within e.
   Proved: behind the layer the envelopes have sizes at most (1 + F)(1 + V) |c| + B (Lemma 29) and
   (1 + F)((1 + V)|e| + eta T |c|), where eta bounds the 1-norm of the difference of weights in heads that are not
   uniform (Lemmas 30, 31, 34). lemma_33_near_hard.v bounds eta by 2n q, and with ties by 2n q + e^(2 delta/tau) - 1,
   where q = e^((2 delta - g)/tau); soft_layers.v has delta = a(2|c||e| + |e|^2) (Lemmas 32, 33). *)
From Coq Require Import Reals QArith Qreals Qabs List Bool Lra Lia Arith.
From Certify Require Import positions finite_sums softmax exponential relu linear_combination network totals
  hard_attention lemma_24_gap norms lemma_33_near_hard.
Import ListNotations PositionNotations.
Open Scope R_scope.

Definition stream_within (n : nat) (h : nat -> vector) (c : vector) : Prop := forall i d, i upto n ->
  Rabs (h i d) <= c d.
Definition streams_apart (n : nat) (h h' : nat -> vector) (e : vector) : Prop :=
  forall i d, i upto n -> Rabs (h i d - h' i d) <= e d.
Definition nonnegative_vector (c : vector) : Prop := forall d, 0 <= c d.

(* ---- what a head retrieves: Lemma 34 ---- *)
Local Lemma mean_within n alpha v c : (each j upto n, 0 <= alpha j) -> sum_to n alpha = 1 ->
  (each j upto n, Rabs (v j) <= c) -> Rabs (sum_to n (fun j => alpha j * v j)) <= c.
Proof.
  intros A S V. eapply Rle_trans; [apply sum_Rabs|]. rewrite <- (Rmult_1_l c), <- S, <- sum_scale_r.
  apply sum_le. intros j Hj. rewrite Rabs_mult, (Rabs_right (alpha j)) by (apply Rle_ge, A, Hj).
  apply Rmult_le_compat_l; [now apply A|now apply V].
Qed.

Lemma mean_apart n alpha beta v v' c e eta : (each j upto n, 0 <= beta j) -> sum_to n beta = 1 -> (each j upto n,
  Rabs (v j) <= c) -> (each j upto n, Rabs (v j - v' j) <= e) -> sum_to n (fun j => Rabs (alpha j - beta j)) <= eta ->
  0 <= c -> Rabs (sum_to n (fun j => alpha j * v j) - sum_to n (fun j => beta j * v' j)) <= e + eta * c.
Proof.
  intros B S V E N C. rewrite <- sum_minus.
  rewrite (sum_ext n _ (fun j => beta j * (v j - v' j) + (alpha j - beta j) * v j)) by (intros; ring).
  rewrite sum_plus. eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [now apply mean_within|].
  eapply Rle_trans; [apply sum_Rabs|]. apply Rle_trans with (sum_to n (fun j => Rabs (alpha j - beta j)) * c).
  - rewrite <- sum_scale_r. apply sum_le. intros j Hj. rewrite Rabs_mult.
    apply Rmult_le_compat_l; [apply Rabs_pos|now apply V].
  - now apply Rmult_le_compat_r.
Qed.

Section Layer.
Variables (n D : nat) (l : layer) (h h' : nat -> vector) (c e : vector) (tau eta : R).
Hypothesis Reads : reads_below D l.
Hypothesis C : stream_within n h c.
Hypothesis E : streams_apart n h h' e.
Hypothesis C0 : nonnegative_vector c.
Hypothesis E0 : nonnegative_vector e.
Hypothesis Eta : 0 <= eta.
Hypothesis Weights : forall a (i : position n), In a (layer_heads l) -> uniform_head a = false ->
  sum_to n (fun j => Rabs (weights_by hardmax a n h i j - weights_by (softmax_at tau) a n h' i j)) <= eta.

Let hard := hardmax.
Let soft := softmax_at tau.
Let eta_of (a : head) : R := if uniform_head a then 0 else eta.

Lemma eta_of_nonneg a : 0 <= eta_of a. Proof. unfold eta_of. destruct (uniform_head a); lra. Qed.

(* Lemma 31 for uniform heads. *)
Lemma weights_apart a (i : position n) : In a (layer_heads l) ->
  sum_to n (fun j => Rabs (weights_by hard a n h i j - weights_by soft a n h' i j)) <= eta_of a.
Proof.
  intros A. unfold eta_of. destruct (uniform_head a) eqn:U; [|now apply Weights]. apply Req_le, sum_zero. intros j _.
  unfold hard, soft. rewrite (uniform_head_same a n h h' i i tau U (visible_self n _ i (in_word i)) j).
  now rewrite (Rminus_diag_eq _ _ eq_refl), Rabs_R0.
Qed.

Lemma attended_within a (i : position n) r : Rabs (attended_by hard a n h i r) <= linear_bound r c.
Proof.
  pose proof (visible_self n (head_masking a) i (in_word i)) as V. apply mean_within.
  - intros j _. exact (hardmax_nonneg n _ _ i j V).
  - exact (hardmax_total n _ _ i V).
  - intros j Hj. apply linear_reach. intros d. now apply C.
Qed.

Lemma attended_apart a (i : position n) r : In a (layer_heads l) ->
  Rabs (attended_by hard a n h i r - attended_by soft a n h' i r) <= linear_bound r e + eta_of a * linear_bound r c.
Proof.
  intros A. pose proof (visible_self n (head_masking a) i (in_word i)) as V. apply mean_apart.
  - intros j _. exact (softmax_nonneg n _ _ i j V).
  - exact (softmax_total n _ _ i V).
  - intros j Hj. apply linear_reach. intros d. now apply C.
  - intros j Hj. apply linear_difference. intros d. now apply E.
  - now apply weights_apart.
  - now apply reach_nonneg.
Qed.

(* ---- behind the heads ---- *)
Let heads_c : vector := fun d => c d + total_over (fun a => collect (fun r => linear_bound r c) (head_values a) d)
  (layer_heads l).
Let heads_e : vector := fun d => e d + total_over (fun a =>
  collect (fun r => linear_bound r e + eta_of a * linear_bound r c) (head_values a) d) (layer_heads l).

Lemma heads_within : stream_within n (after_heads_by hard n l h) heads_c.
Proof.
  intros i d Hi. unfold after_heads_by, heads_c. eapply Rle_trans; [apply Rabs_triang|].
  apply Rplus_le_compat; [now apply C|]. eapply Rle_trans; [apply total_Rabs|]. apply total_le. intros a _.
  eapply Rle_trans; [apply collect_Rabs|]. apply collect_le. intros _ r _. exact (attended_within a (Position i Hi) r).
Qed.

Lemma heads_apart : streams_apart n (after_heads_by hard n l h) (after_heads_by soft n l h') heads_e.
Proof.
  intros i d Hi. unfold after_heads_by, heads_e.
  match goal with |- Rabs (?a + ?b - (?c' + ?d')) <= _ => replace (a + b - (c' + d')) with ((a - c') + (b - d'))
    by ring end. eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [now apply E|].
  eapply Rle_trans; [apply total_difference|]. apply total_le. intros a A.
  eapply Rle_trans; [apply collect_difference|]. apply collect_le. intros _ r _.
  exact (attended_apart a (Position i Hi) r A).
Qed.

Lemma heads_c_nonneg : nonnegative_vector heads_c.
Proof.
  intros d. apply Rplus_le_le_0_compat; [apply C0|]. apply total_nonneg. intros a _. apply collect_nonneg.
  intros _ r _. now apply reach_nonneg.
Qed.
Lemma heads_e_nonneg : nonnegative_vector heads_e.
Proof.
  intros d. apply Rplus_le_le_0_compat; [apply E0|]. apply total_nonneg. intros a _. apply collect_nonneg.
  intros _ r _. apply Rplus_le_le_0_compat; [now apply reach_nonneg|].
  apply Rmult_le_pos; [apply eta_of_nonneg|now apply reach_nonneg].
Qed.

Lemma values_below a : In a (layer_heads l) -> all_below D (map snd (head_values a)).
Proof. intros A. now apply Reads. Qed.

Lemma heads_c_size : l1_size D heads_c <= (1 + Q2R (values_norm l)) * l1_size D c.
Proof.
  unfold heads_c. rewrite size_plus, (size_total D (fun a d => collect (fun r => linear_bound r c) (head_values a) d)).
  rewrite Rmult_plus_distr_r, Rmult_1_l. apply Rplus_le_compat_l. unfold values_norm.
  rewrite total_q_correct, Rmult_comm, <- total_scale. apply total_le. intros a A. rewrite Rmult_comm.
  eapply Rle_trans; [apply size_collect; intros; now apply reach_nonneg|].
  apply values_reach; [now apply values_below|exact C0].
Qed.

Lemma scored_total : total_over (fun a => eta_of a * Q2R (value_norm_q a)) (layer_heads l) = eta * Q2R (scored_norm l).
Proof.
  unfold scored_norm. rewrite total_q_correct. clear. induction (layer_heads l) as [|a hs IH]; simpl; [lra|].
  unfold eta_of in *. destruct (uniform_head a); simpl; rewrite IH; lra.
Qed.

Lemma heads_e_size : l1_size D heads_e <= (1 + Q2R (values_norm l)) * l1_size D e + eta * Q2R (scored_norm l) * l1_size
  D c.
Proof.
  unfold heads_e.
  rewrite size_plus, (size_total D (fun a d => collect (fun r => linear_bound r e +
    eta_of a * linear_bound r c) (head_values a) d)). rewrite Rmult_plus_distr_r, Rmult_1_l, Rplus_assoc.
  apply Rplus_le_compat_l. rewrite <- scored_total. unfold values_norm. rewrite total_q_correct.
  rewrite !(Rmult_comm (total_over _ _)), <- !total_scale, <- total_plus. apply total_le. intros a A. eapply Rle_trans.
  { apply size_collect. intros _ r _. apply Rplus_le_le_0_compat; [now apply reach_nonneg|].
    apply Rmult_le_pos; [apply eta_of_nonneg|now apply reach_nonneg]. }
  cbv beta. rewrite (total_plus (fun dr => linear_bound (snd dr) e) (fun dr => eta_of a * linear_bound (snd dr) c)),
    (total_scale (eta_of a) (fun dr => linear_bound (snd dr) c)).
  pose proof (values_reach D a e (values_below a A) E0) as VE.
  pose proof (values_reach D a c (values_below a A) C0) as VC. pose proof (eta_of_nonneg a).
  apply Rplus_le_compat; [lra|]. replace (l1_size D c * (eta_of a * Q2R (value_norm_q a))) with
    (eta_of a * (Q2R (value_norm_q a) * l1_size D c)) by ring. now apply Rmult_le_compat_l.
Qed.

(* ---- behind the feed-forward part: Lemma 30 ---- *)
Let abs_entry (r : row) (d : direction) : R := collect (fun q => Rabs (Q2R q)) r d.
Let layer_c : vector := fun d => heads_c d + (total_over (fun u => (linear_bound (unit_reads u) heads_c
  + Rabs (Q2R (unit_bias u))) * abs_entry (unit_writes u) d) (layer_units l) + abs_entry (layer_bias l) d).
Let layer_e : vector := fun d => heads_e d
  + total_over (fun u => linear_bound (unit_reads u) heads_e * abs_entry (unit_writes u) d) (layer_units l).

Lemma abs_entry_nonneg r d : 0 <= abs_entry r d. Proof. apply collect_nonneg. intros; apply Rabs_pos. Qed.
Lemma entry_within r d : Rabs (row_entry r d) <= abs_entry r d. Proof. apply collect_Rabs. Qed.
Lemma abs_entry_size r : l1_size D (abs_entry r) <= Q2R (row_norm_q r).
Proof. rewrite row_norm_correct. apply (size_collect D (fun q => Rabs (Q2R q))). intros; apply Rabs_pos. Qed.

Lemma layer_within : stream_within n (after_layer_by hard n l h) layer_c.
Proof.
  intros i d Hi. unfold after_layer_by, layer_c, feedforward. pose proof (heads_within i) as H.
  eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [now apply H|].
  eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [|apply entry_within].
  eapply Rle_trans; [apply total_Rabs|]. apply total_le. intros u _. unfold unit_output. rewrite Rabs_mult.
  apply Rmult_le_compat; try apply Rabs_pos; [|apply entry_within]. eapply Rle_trans; [apply relu_within|].
  eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat_r. apply linear_reach. intros d'. now apply H.
Qed.

Lemma layer_apart : streams_apart n (after_layer_by hard n l h) (after_layer_by soft n l h') layer_e.
Proof.
  intros i d Hi. unfold after_layer_by, layer_e, feedforward. pose proof (heads_apart i) as H.
  match goal with |- Rabs (?a + (?b + ?o) - (?c' + (?d' + ?o))) <= _ => replace (a + (b + o) - (c' + (d' + o)))
    with ((a - c') + (b - d')) by ring end. eapply Rle_trans; [apply Rabs_triang|].
  apply Rplus_le_compat; [now apply H|]. eapply Rle_trans; [apply total_difference|]. apply total_le. intros u _.
  unfold unit_output. rewrite <- Rmult_minus_distr_r, Rabs_mult.
  apply Rmult_le_compat; try apply Rabs_pos; [|apply entry_within]. eapply Rle_trans; [apply relu_apart|].
  match goal with |- Rabs (?a + ?b - (?c' + ?b)) <= _ => replace (a + b - (c' + b)) with (a - c') by ring end.
  apply linear_difference. intros d'. now apply H.
Qed.

Lemma layer_c_nonneg : nonnegative_vector layer_c.
Proof.
  pose proof heads_c_nonneg as H. intros d. apply Rplus_le_le_0_compat; [apply H|].
  apply Rplus_le_le_0_compat; [|apply abs_entry_nonneg]. apply total_nonneg. intros u _.
  apply Rmult_le_pos; [|apply abs_entry_nonneg]. apply Rplus_le_le_0_compat; [now apply reach_nonneg|apply Rabs_pos].
Qed.
Lemma layer_e_nonneg : nonnegative_vector layer_e.
Proof.
  pose proof heads_e_nonneg as H. intros d. apply Rplus_le_le_0_compat; [apply H|]. apply total_nonneg. intros u _.
  apply Rmult_le_pos; [now apply reach_nonneg|apply abs_entry_nonneg].
Qed.

Lemma layer_c_size : l1_size D layer_c <= (1 + Q2R (unit_norm l)) * l1_size D heads_c + Q2R (bias_norm l).
Proof.
  pose proof heads_c_nonneg as H. unfold layer_c. rewrite !size_plus, (size_total D (fun u d =>
    (linear_bound (unit_reads u) heads_c + Rabs (Q2R (unit_bias u))) * abs_entry (unit_writes u) d)).
  rewrite Rmult_plus_distr_r, Rmult_1_l, Rplus_assoc, bias_norm_correct. apply Rplus_le_compat_l.
  pose proof (units_reach D l heads_c Reads H) as U. pose proof (abs_entry_size (layer_bias l)) as B.
  set (bs := total_over (fun u => Rabs (Q2R (unit_bias u)) * Q2R (row_norm_q (unit_writes u))) (layer_units l)).
  enough (total_over (fun u => l1_size D (fun d => (linear_bound (unit_reads u) heads_c + Rabs (Q2R (unit_bias u)))
    * abs_entry (unit_writes u) d)) (layer_units l) <= total_over (fun u => linear_bound (unit_reads u) heads_c
    * Q2R (row_norm_q (unit_writes u))) (layer_units l) + bs) by (change (fun d => abs_entry (layer_bias l) d) with
    (abs_entry (layer_bias l)) in *; lra).
  unfold bs. rewrite <- total_plus. apply total_le. intros u _. rewrite size_scale, <- Rmult_plus_distr_r.
  apply Rmult_le_compat_l; [|apply abs_entry_size]. apply Rplus_le_le_0_compat; [now apply reach_nonneg|apply Rabs_pos].
Qed.

Lemma layer_e_size : l1_size D layer_e <= (1 + Q2R (unit_norm l)) * l1_size D heads_e.
Proof.
  pose proof heads_e_nonneg as H. unfold layer_e. rewrite size_plus, (size_total D (fun u d =>
    linear_bound (unit_reads u) heads_e * abs_entry (unit_writes u) d)).
  rewrite Rmult_plus_distr_r, Rmult_1_l. apply Rplus_le_compat_l.
  eapply Rle_trans; [|apply (units_reach D l heads_e Reads H)]. apply total_le. intros u _. rewrite size_scale.
  apply Rmult_le_compat_l; [now apply reach_nonneg|apply abs_entry_size].
Qed.

Theorem one_layer : exists c' e', nonnegative_vector c' /\ nonnegative_vector e' /\ stream_within n (after_layer_by
  hardmax n l h) c' /\ streams_apart n (after_layer_by hardmax n l h) (after_layer_by (softmax_at tau) n l h') e' /\
  l1_size D c' <= Q2R (amplification l) * l1_size D c + Q2R (bias_norm l) /\ l1_size D e' <= Q2R (amplification l)
  * l1_size D e + (1 + Q2R (unit_norm l)) * Q2R (scored_norm l) * (eta * l1_size D c).
Proof.
  exists layer_c, layer_e. split; [apply layer_c_nonneg|]. split; [apply layer_e_nonneg|]. split; [apply layer_within|].
  split; [apply layer_apart|]. rewrite Q2R_amplification.
  pose proof (greatest_nonneg (map (column_sum (flat_map (fun u => weighted_row (row_norm_q (unit_writes u)) (unit_reads
    u)) (layer_units l))) (directions_of (flat_map (fun u => weighted_row (row_norm_q (unit_writes u)) (unit_reads u))
    (layer_units l)))) : 0 <= Q2R (unit_norm l)) as F. split.
  - eapply Rle_trans; [apply layer_c_size|]. apply Rplus_le_compat_r. rewrite Rmult_assoc.
    apply Rmult_le_compat_l; [lra|apply heads_c_size].
  - eapply Rle_trans; [apply layer_e_size|].
    apply Rle_trans with ((1 + Q2R (unit_norm l)) * ((1 + Q2R (values_norm l)) * l1_size D e
      + eta * Q2R (scored_norm l) * l1_size D c)); [|apply Req_le; ring].
    apply Rmult_le_compat_l; [lra|apply heads_e_size].
Qed.
End Layer.
