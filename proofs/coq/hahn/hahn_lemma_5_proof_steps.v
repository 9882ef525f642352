(* [Hahn] Lemma 5: the steps of its printed proof that fail, and [SHA] Section 1's sentence after it, which fails under
   future masks.

   Refuted: the change of a mean is at most the mean of the changes (n = 2); an activation is bounded by what its own
   position embeds (n = 2); what attention retrieves at the exchanged position changes by (e^(2A)/(n-1) + 1/n) D, so
   by o(1) (every odd n >= 49; it stays above 1/24), and position p itself by C^2 D, whatever the number of heads
   (every odd n). With L future-masked layers of uniform attention, exchanging the first symbol changes position n by
   exactly h_(L-1)(1, 1/2, ..., 1/n)/n, which is of order (ln n)^(L-1)/n, and with one layer position 2 by 1/2 at
   every n: "only an O(1/n) change in any other output activation" ([SHA] Section 1) needs that there are no masks. *)
From Coq Require Import Reals QArith Qreals List Bool Lra Lia Arith.
From Certify Require Import positions finite_sums softmax weighing exponential relu harmonic_numbers formula network
  hahn_one_row hahn_one_layer hahn_lemma_5_repaired hahn_hard_formulas parity_is_hard section_4_optimality.
Import ListNotations PositionNotations RowNotations.
Open Scope R_scope.

(* ---- a step that holds: no position weighs more than e^(2A)/n (printed: e^(2A)/(n-1)) ---- *)
Theorem greatest_weight n s A (p : position n) : (each j upto n, Rabs (s j) <= A) ->
  softmax n no_mask s p <= exp (2 * A) / INR n.
Proof.
  intros H. assert (PN : 0 < INR n) by (apply lt_0_INR; lia).
  assert (L : exp (- A) * INR n <= sum_to n (weight no_mask s)).
  { rewrite <- sum_one, <- sum_scale. apply sum_le. intros j Hj. unfold weight, no_mask. rewrite Rmult_1_r.
    apply exp_monotone. specialize (H j Hj). apply Rabs_bounds in H. lra. }
  pose proof (exp_pos (- A)) as PA. assert (0 < exp (- A) * INR n) by now apply Rmult_lt_0_compat.
  unfold softmax, Rdiv. replace (exp (2 * A) * / INR n) with (exp A * / (exp (- A) * INR n)).
  - apply Rmult_le_compat; [apply weight_nonneg|left; apply Rinv_0_lt_compat; lra| |now apply Rinv_le_contravar].
    apply exp_monotone. specialize (H p (in_word p)). apply Rabs_bounds in H. lra.
  - rewrite exp_Ropp. replace (2 * A) with (A + A) by ring. rewrite exp_plus. pose proof (exp_pos A). field. lra.
Qed.

(* ---- "the change of a mean is at most the mean of the changes" ---- *)
(* Position j has the key k j and the value v j; a row scores by the keys. Weights: the larger of the two. *)
Definition printed_mean_step : Prop := forall n (k k' v v' : nat -> R), Rabs (attend n no_mask k v - attend n no_mask k'
  v') <= sum_to n (fun j => Rmax (softmax n no_mask k j) (softmax n no_mask k' j) * Rmax (Rabs (k j - k' j))
  (Rabs (v j - v' j))).

(* The change of the weights is dropped: 0.924 > 0.731. *)
Theorem printed_mean_step_fails : ~ printed_mean_step.
Proof.
  intros H. set (k := fun _ : nat => 0). set (v := fun j => 4 * one_hot 1 j). specialize (H 2%nat k (one_hot 1) v v).
  assert (E : 2 < exp 1) by (pose proof (exp_ineq1 1); lra). set (q := exp 1) in *.
  assert (Q : q / (q + 1) + / (q + 1) = 1) by (field; lra). assert (P : 2 / 3 < q / (q + 1)).
  { apply Rmult_lt_reg_r with (q + 1); [lra|]. replace (q / (q + 1) * (q + 1)) with q by (field; lra). lra. }
  assert (W : forall f, attend 2 no_mask (one_hot 1) f = q / (q + 1) * f 1%nat + / (q + 1) * f 2%nat).
  { intros f. unfold attend, softmax, weight, no_mask, one_hot. simpl. fold q. rewrite exp_0. field. lra. }
  assert (U : forall f, attend 2 no_mask k f = (f 1%nat + f 2%nat) / 2).
  { intros f. unfold attend, softmax, weight, no_mask, k. simpl. rewrite exp_0. field. }
  rewrite W, U in H. unfold softmax, weight, no_mask, k, v, one_hot in H. simpl in H. fold q in H.
  rewrite exp_0, !Rplus_0_l, !Rminus_0_r, !Rmult_0_r, !Rplus_0_r, !Rmult_1_r in H.
  replace (Rabs (0 - 1)) with 1 in H by (rewrite Rabs_left; lra). replace (4 - 4) with 0 in H by ring.
  replace (0 - 0) with 0 in H by ring. rewrite !Rabs_R0 in H.
  rewrite (Rmax_left 1 0), (Rmax_left 0 0), Rmult_0_r, Rplus_0_r, Rmult_1_r in H by lra.
  rewrite Rmax_right in H by (unfold Rdiv at 1; lra). rewrite Rabs_left in H by (unfold Rdiv in *; lra).
  unfold Rdiv in *. lra.
Qed.

(* ---- "the norm of an activation is at most a constant times the norm of what its position embeds" ---- *)
Definition mean_layer (m : masking) (k : direction) : layer := Layer [Head m (Num 1) [] [] [(S k, [k |-> 1])]] [] [].
Local Definition means (m : masking) (layers : nat) : transformer :=
  Transformer [[]; [0 |-> 1]] [] (map (mean_layer m) (seq 0 layers)) layers.

Lemma mean_layer_adds m n k h i d : after_layer n (mean_layer m k) h i d
  = h i d + (if Nat.eqb (S k) d then attend n (mask_at m i) (fun _ => 0) (fun j => h j k) else 0).
Proof.
  unfold after_layer, after_heads, feedforward, mean_layer, head_output, head_value, softmax_value.
  cbn [layer_heads layer_units layer_bias total_over collect head_values row_entry head_weighing head_masking].
  rewrite !Rplus_0_r. f_equal. destruct (Nat.eqb (S k) d); [|reflexivity]. apply attend_ext; intros j _.
  - unfold scaled_score. cbn [dot_product head_queries head_keys]. apply Rmult_0_l.
  - cbn [linear]. replace (Q2R 1) with 1 by (unfold Q2R; simpl; lra). ring.
Qed.

Definition printed_norm_step : Prop := forall users T, exists C, forall n w i d X, i upto n ->
  (forall e, Rabs (embed users T n w i e) <= X) -> Rabs (run_transformer users T n w i d) <= C * X.

Lemma means_embed users m layers n w i d :
  embed users (means m layers) n w i d = if Nat.eqb d 0 then bit (w i =? 1)%nat else 0.
Proof.
  unfold embed, means. cbn [token_embedding position_embedding collect]. rewrite Rplus_0_r.
  destruct (w i) as [|[|s]]; [| |replace (nth (S (S s)) _ []) with (@nil (nat * Q)) by now destruct s]; cbn;
    destruct d; cbn; unfold Q2R; simpl; lra.
Qed.

(* Means bring in what other positions embed: 1/2 > 0. *)
Theorem printed_norm_step_fails : ~ printed_norm_step.
Proof.
  intros H. destruct (H (fun _ _ _ => true) (means Unmasked 1)) as (C & K).
  specialize (K 2%nat (lone_one 1) 2%nat 1%nat 0 ltac:(lia)).
  assert (E : forall e, Rabs (embed (fun _ _ _ => true) (means Unmasked 1) 2 (lone_one 1) 2 e) <= 0).
  { intros e. rewrite means_embed. destruct (Nat.eqb e 0); simpl; rewrite Rabs_R0; lra. }
  specialize (K E). change (run_transformer (fun _ _ _ => true) (means Unmasked 1) 2 (lone_one 1)) with
    (after_layer 2 (mean_layer Unmasked 0%nat) (embed (fun _ _ _ => true) (means Unmasked 1) 2 (lone_one 1))) in K.
  rewrite mean_layer_adds, means_embed in K. cbn [Nat.eqb mask_at] in K. unfold attend, softmax, weight, no_mask in K.
  cbn [sum_to] in K. rewrite !means_embed, exp_0 in K. simpl in K.
  rewrite Rabs_right in K; lra.
Qed.

(* ---- future masks: L layers of means change position n by h_(L-1)(1, 1/2, ..., 1/n)/n ---- *)
(* The complete homogeneous symmetric polynomial of degree k in 1, 1/2, ..., 1/n, by its smallest factor 1/j. *)
Local Fixpoint complete (k n : nat) : R := match k with O => 1 | S k => sum_to n (fun j => complete k j / INR j) end.
Definition running_mean (f : nat -> R) (i : nat) : R := sum_to i f / INR i.

Lemma running_means_S k f i : Nat.iter (S k) running_mean f i = sum_to i (Nat.iter k running_mean f) / INR i.
Proof. reflexivity. Qed.

Lemma running_means_ext k f g : (forall j, f j = g j) ->
  forall i, Nat.iter k running_mean f i = Nat.iter k running_mean g i.
Proof.
  intros H. induction k as [|k IH]; intros i; [apply H|]. rewrite !running_means_S.
  f_equal. apply sum_ext. intros. apply IH.
Qed.

Lemma running_means_of_first k i : (1 <= i)%nat -> Nat.iter (S k) running_mean (one_hot 1) i = complete k i / INR i.
Proof.
  revert i. induction k as [|k IH]; intros i Hi; rewrite running_means_S; f_equal; cbn [complete].
  - change (sum_to i (one_hot 1) = 1). rewrite (sum_apart i 1) by lia. rewrite one_hot_here, sum_zero; [lra|].
    intros j _. unfold zeroed_at, one_hot. now destruct (Nat.eqb j 1).
  - apply sum_ext. intros j Hj. apply IH. lia.
Qed.

Lemma running_means_of_nothing k i : Nat.iter k running_mean (fun _ => 0) i = 0.
Proof.
  revert i. induction k as [|k IH]; intros i; [reflexivity|].
  rewrite running_means_S, sum_zero by (intros; apply IH). unfold Rdiv. ring.
Qed.

Lemma means_run users n w layers k : (k <= layers)%nat -> forall i d, i upto n -> fold_left (fun h l =>
  after_layer n l h) (map (mean_layer FutureMasked) (seq 0 k)) (embed users (means FutureMasked layers) n w) i d = if (d
  <=? k)%nat then Nat.iter d running_mean (fun j => bit (w j =? 1)%nat) i else 0.
Proof.
  induction k as [|k IH]; intros Hk i d Hi.
  - cbn [seq map fold_left]. rewrite means_embed. now destruct d.
  - rewrite seq_S, map_app, fold_left_app. cbn [map fold_left]. rewrite mean_layer_adds, IH by lia.
    rewrite Nat.add_0_l. destruct (Nat.eqb_spec (S k) d) as [<-|N].
    + rewrite (proj2 (Nat.leb_gt (S k) k)), Nat.leb_refl by lia. cbn [mask_at].
      rewrite (attend_uniform_future n (Position i Hi) 0 : forall v, attend n (future_mask i) _ v = sum_to i v / INR i).
      rewrite running_means_S, Rplus_0_l. f_equal.
      apply sum_ext. intros j Hj. rewrite IH by lia. now rewrite Nat.leb_refl.
    + destruct (Nat.leb_spec d k), (Nat.leb_spec d (S k)); try lra; lia.
Qed.

Theorem future_masked_means_change users L n (i : position n) : (1 <= L)%nat ->
  run_transformer users (means FutureMasked L) n (lone_one 1) i L - run_transformer users (means FutureMasked L)
  n zeros_word i L = complete (L - 1) i / INR i.
Proof.
  intros HL. unfold run_transformer. cbn [means transformer_layers]. rewrite !means_run, Nat.leb_refl by lia.
  rewrite (running_means_ext L _ (one_hot 1)), (running_means_ext L (fun j => bit (zeros_word j =? 1)%nat) (fun _ =>
    0)).
  - rewrite running_means_of_nothing, Rminus_0_r. destruct L as [|k]; [lia|]. rewrite Nat.sub_succ, Nat.sub_0_r.
    apply running_means_of_first; lia.
  - reflexivity.
  - intros j. rewrite letter_lone. reflexivity.
Qed.

(* One layer: position 2 changes by 1/2 at every n. Two layers: position n by (1 + 1/2 + ... + 1/n)/n. *)
Corollary second_position_changes users n : (2 <= n)%nat -> run_transformer users (means FutureMasked 1) n (lone_one 1)
  2 1%nat - run_transformer users (means FutureMasked 1) n zeros_word 2 1%nat = 1 / 2.
Proof.
  intros H. refine (eq_trans (future_masked_means_change users 1 n (Position 2 ltac:(lia)) (le_n 1)) _). simpl. lra.
Qed.

Corollary last_position_changes users n : (1 <= n)%nat -> run_transformer users (means FutureMasked 2) n (lone_one 1)
  n 2%nat - run_transformer users (means FutureMasked 2) n zeros_word n 2%nat = harmonic_number n / INR n.
Proof.
  intros H. refine (eq_trans (future_masked_means_change users 2 n (Position n ltac:(lia)) ltac:(lia)) _).
  cbn [Nat.sub complete place]. f_equal. apply sum_ext. intros j _. unfold Rdiv. ring.
Qed.

(* It is of order (ln n)^(L-1): between (ln(n+1))^k/k! and (1 + ln n)^k for k = L - 1. *)
Lemma power_difference a b k : 0 <= b <= a -> a ^ S k - b ^ S k <= INR (S k) * a ^ k * (a - b).
Proof.
  intros H. induction k as [|k IH]; [simpl; lra|]. rewrite (S_INR (S k)).
  replace (a ^ S (S k) - b ^ S (S k)) with (a * (a ^ S k - b ^ S k) + b ^ S k * (a - b)) by (simpl; ring).
  pose proof (pow_incr b a (S k) H) as P. apply Rmult_le_compat_r with (r := a - b) in P; [|lra].
  apply Rmult_le_compat_l with (r := a) in IH; [|lra].
  replace ((INR (S k) + 1) * a ^ S k * (a - b)) with (a * (INR (S k) * a ^ k * (a - b)) + a ^ S k * (a - b))
    by (simpl (a ^ S k); ring). lra.
Qed.

Theorem complete_lower k : forall n, ln (INR (S n)) ^ k / INR (fact k) <= complete k n.
Proof.
  induction k as [|k IHk]; [intros; simpl; lra|]. assert (F : 0 < INR (fact k)) by apply INR_fact_lt_0.
  pose proof (INR_at_least_1 (S k) ltac:(lia)) as K. induction n as [|n IHn].
  - cbn [complete sum_to]. simpl (INR 1). rewrite ln_1. simpl. unfold Rdiv. lra.
  - cbn [complete sum_to] in *. specialize (IHk (S n)). set (a := ln (INR (S (S n)))) in *.
    set (b := ln (INR (S n))) in *. assert (G : a - b <= / INR (S n)) by apply ln_step.
    assert (AB : 0 <= b <= a) by (split; [apply ln_nonneg|apply ln_le_INR]; lia).
    pose proof (power_difference a b k AB) as D. pose proof (INR_at_least_1 (S n) ltac:(lia)) as N.
    assert (E : (a ^ S k - b ^ S k) / INR (fact (S k)) <= complete k (S n) / INR (S n)).
    { apply Rle_trans with (a ^ k / INR (fact k) * / INR (S n)).
      - rewrite fact_simpl, mult_INR. apply Rmult_le_reg_r with (INR (S k) * INR (fact k)); [nra|].
        replace ((a ^ S k - b ^ S k) / (INR (S k) * INR (fact k)) * (INR (S k) * INR (fact k))) with (a ^ S k - b ^ S k)
          by (field; lra).
        replace (a ^ k / INR (fact k) * / INR (S n) * (INR (S k) * INR (fact k))) with (INR (S k) * a ^ k * / INR (S n))
          by (field; lra). eapply Rle_trans; [exact D|]. apply Rmult_le_compat_l; [|exact G]. auto with signs.
      - apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|exact IHk]. }
    unfold Rdiv in *. lra.
Qed.

Theorem complete_upper k : forall n, (1 <= n)%nat -> complete k n <= (1 + ln (INR n)) ^ k.
Proof.
  induction k as [|k IH]; intros n Hn; [simpl; lra|]. cbn [complete]. pose proof (ln_nonneg n Hn) as L.
  set (x := 1 + ln (INR n)) in *. apply Rle_trans with (x ^ k * harmonic_number n).
  - unfold harmonic_number. rewrite <- sum_scale. apply sum_le. intros j Hj. unfold Rdiv.
    apply Rmult_le_compat_r; [auto with signs|]. eapply Rle_trans; [apply IH; lia|].
    pose proof (ln_nonneg j ltac:(lia)). pose proof (ln_le_INR j n Hj). apply pow_incr. unfold x. lra.
  - pose proof (harmonic_upper n Hn). pose proof (power_at_least_1 x k ltac:(unfold x; lra)). simpl.
    rewrite Rmult_comm. apply Rmult_le_compat_r; [lra|unfold x; lra].
Qed.

(* [SHA] Section 1, of transformers with softmax attention: "only an O(1/n) change in any other output activation". *)
Definition printed_in_sha (place : nat -> nat -> Prop) : Prop := forall users T B t, bounded_embeddings users T B ->
  warm_everywhere T t -> exists C, forall n p u v i, p upto n -> i upto n -> i <> p -> place n i -> differ_at p u v ->
  Rabs (run_transformer users T n u i (transformer_output T) - run_transformer users T n v i (transformer_output T))
  <= C / INR n.

Lemma harmonic_unbounded x : exists n, (1 <= n)%nat /\ x < harmonic_number n.
Proof.
  destruct (INR_exceeds (exp x)) as (n & Hn & L). exists n. split; [exact Hn|].
  eapply Rlt_le_trans; [|apply harmonic_lower]. rewrite <- (ln_exp x) at 1. apply ln_increasing; [apply exp_pos|].
  rewrite S_INR. lra.
Qed.

Lemma means_bounded users m L : bounded_embeddings users (means m L) 0.
Proof. intros n. split; [lra|]. intros i d _. simpl. rewrite Rabs_R0. lra. Qed.
Lemma means_warm m L : warm_everywhere (means m L) 1.
Proof.
  intros n. split; [lra|]. intros l a Hl Ha. cbn [means transformer_layers] in Hl. apply in_map_iff in Hl.
  destruct Hl as (k & <- & _). destruct Ha as [<-|[]]. split; [reflexivity|]. intros i _. cbn. unfold Q2R. simpl. lra.
Qed.

Theorem printed_in_sha_fails_at_position_2 : ~ printed_in_sha (fun n i => i = 2%nat).
Proof.
  intros H.
  destruct (H (fun _ _ _ => true) _ 0 1 (means_bounded _ FutureMasked 1) (means_warm FutureMasked 1)) as (C & K).
  destruct (INR_exceeds (2 * C)) as (n & Hn & L).
  specialize (K (n + 2)%nat 1%nat (lone_one 1) zeros_word 2%nat ltac:(lia) ltac:(lia) ltac:(lia) eq_refl).
  assert (D : differ_at 1 (lone_one 1) zeros_word) by (intros j Nj; symmetry; now apply zeros_lone). specialize (K D).
  cbn [means transformer_output] in K. fold (means FutureMasked 1) in K.
  rewrite second_position_changes, Rabs_right, plus_INR in K by (lia || lra). simpl in K.
  pose proof (quotient_small C (1 / 2) (n + 2) ltac:(lra)) as Q. rewrite plus_INR in Q. simpl in Q.
  pose proof (pos_INR n). replace (C / (1 / 2)) with (2 * C) in Q by field. specialize (Q ltac:(lra) ltac:(lra)). lra.
Qed.

Theorem printed_in_sha_fails_at_position_n : ~ printed_in_sha (fun n i => i = n).
Proof.
  intros H.
  destruct (H (fun _ _ _ => true) _ 0 1 (means_bounded _ FutureMasked 2) (means_warm FutureMasked 2)) as (C & K).
  destruct (harmonic_unbounded (Rmax C 1)) as (n & Hn & L). pose proof (Rmax_l C 1). pose proof (Rmax_r C 1).
  assert (N : (2 <= n)%nat).
  { destruct (Nat.eq_dec n 1) as [->|]; [|lia]. unfold harmonic_number in L. simpl in L. lra. }
  specialize (K n 1%nat (lone_one 1) zeros_word n ltac:(lia) ltac:(lia) ltac:(lia) eq_refl).
  assert (D : differ_at 1 (lone_one 1) zeros_word) by (intros j Nj; symmetry; now apply zeros_lone). specialize (K D).
  cbn [means transformer_output] in K. fold (means FutureMasked 2) in K. assert (P : 0 < / INR n) by auto with signs.
  rewrite last_position_changes in K by lia. unfold Rdiv in K.
  rewrite Rabs_right in K by (apply Rle_ge, Rmult_le_pos; lra). apply Rmult_le_reg_r in K; lra.
Qed.

(* ---- "what attention retrieves at the exchanged position changes by o(1)" ---- *)
(* Scores y_p y_j / k, values y_j; y_p = y_1 changes from 0, m others are 1 and m are -1. *)
Local Definition others (m j : nat) : R := if (j <=? S m)%nat then 1 else -1.
Local Definition activation (m : nat) (y : R) (j : nat) : R := if Nat.eqb j 1 then y else others m j.
Local Definition retrieved (k : R) (m : nat) (y : R) : R :=
  attend (1 + m + m) no_mask (fun j => y * activation m y j / k) (activation m y).

Lemma sum_activations m y (f : R -> R) :
  sum_to (1 + m + m) (fun j => f (activation m y j)) = f y + INR m * f 1 + INR m * f (-1).
Proof.
  rewrite (sum_cut (1 + m) m), (sum_cut 1 m). cbn [sum_to].
  rewrite (sum_ext m _ (fun _ => f 1 * 1)), (sum_ext m (fun k => f (activation m y (1 + m + k))) (fun _ => f (-1) * 1)).
  - rewrite !sum_scale, sum_one. unfold activation. simpl. lra.
  - intros j Hj. unfold activation, others. rewrite (proj2 (Nat.eqb_neq _ 1)), (proj2 (Nat.leb_gt _ _)) by lia. lra.
  - intros j Hj. unfold activation, others. rewrite (proj2 (Nat.eqb_neq _ 1)), (proj2 (Nat.leb_le _ _)) by lia. lra.
Qed.

Lemma retrieved_is k m y : retrieved k m y = (exp (y * y / k) * y + INR m * (exp (y / k) - exp (- y / k)))
  / (exp (y * y / k) + INR m * (exp (y / k) + exp (- y / k))).
Proof.
  unfold retrieved, attend, softmax, weight, no_mask, Rdiv. cbv zeta.
  rewrite (sum_ext _ _ (fun j => exp (y * activation m y j * / k) * activation m y j
    * / sum_to (1 + m + m) (fun j => exp (y * activation m y j * / k)))) by (intros; ring).
  rewrite sum_scale_r, (sum_activations m y (fun x => exp (y * x * / k) * x)).
  rewrite (sum_activations m y (fun x => exp (y * x * / k))).
  cbv beta. rewrite (Rmult_1_r y). replace (y * -1) with (- y) by ring. f_equal; [ring|]. f_equal. ring.
Qed.

Lemma retrieved_nothing k m : retrieved k m 0 = 0.
Proof. rewrite retrieved_is. replace (- 0 / k) with (0 / k) by (unfold Rdiv; ring). unfold Rdiv at 1. ring. Qed.

Lemma retrieved_at_least m y : 0 <= y <= 1 -> y / 12 <= retrieved 8 m y.
Proof.
  intros Hy. rewrite retrieved_is. pose proof (exp_pos (y * y / 8)) as Pa. set (a := exp (y * y / 8)) in *.
  replace (- y / 8) with (- (y / 8)) by (unfold Rdiv; ring). set (x := y / 8). replace (y / 12) with (2 / 3 * x)
    by (unfold x; field). assert (Hx : 0 <= x <= 1 / 8) by (unfold x; lra). assert (Yx : y = 8 * x) by (unfold x; lra).
  pose proof (exp_ineq1_le x) as U. pose proof (exp_ineq1_le (- x)) as L. pose proof (pos_INR m) as Pm.
  assert (E : exp x * exp (- x) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  set (p := exp x) in *. set (q := exp (- x)) in *. assert (Hp : p <= 8 / 7).
  { assert (p * (7 / 8) <= 1); [|lra]. rewrite <- E. apply Rmult_le_compat_l; lra. }
  assert (Pq : 0 < q) by apply exp_pos. assert (Xx : 0 <= x * x <= x * (1 / 8)).
  { split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_l; lra]. }
  assert (Hq : q <= 1 - x + x * x).
  { apply Rmult_le_reg_r with (1 + x); [lra|]. apply Rle_trans with 1.
    - rewrite <- E, (Rmult_comm p). apply Rmult_le_compat_l; lra.
    - replace ((1 - x + x * x) * (1 + x)) with (1 + x * (x * x)) by ring. pose proof (Rmult_le_pos x (x * x)). lra. }
  assert (F : 2 / 3 * x * (p + q) <= p - q).
  { apply Rle_trans with (2 / 3 * x * (15 / 7)); [apply Rmult_le_compat_l; lra|lra]. }
  apply Rmult_le_reg_r with (a + INR m * (p + q)).
  { pose proof (Rmult_le_pos (INR m) (p + q) Pm ltac:(lra)). lra. }
  replace ((a * y + INR m * (p - q)) / (a + INR m * (p + q)) * (a + INR m * (p + q))) with (a * y + INR m * (p - q)).
  2: { field. pose proof (Rmult_le_pos (INR m) (p + q) Pm ltac:(lra)). lra. }
  pose proof (Rmult_le_compat_l (INR m) _ _ Pm F).
  assert (2 / 3 * x * a <= a * y) by (rewrite Rmult_comm; apply Rmult_le_compat_l; lra). lra.
Qed.

(* All embeddings lie in [-1, 1], so that F = 2 is as printed, 2 C_f (|p| + |v|), where f is C_f = 1; scores are
   y_p y_j / 8, so that A = F^2/8 = 1/2; D = 1/2. At every odd n >= 49. *)
Theorem printed_same_position_fails m : (24 <= m)%nat ->
  (exp (2 * (1 / 2)) / INR (m + m) + 1 / INR (1 + m + m)) * (1 / 2) < retrieved 8 m (1 / 2) - retrieved 8 m 0.
Proof.
  intros H. rewrite retrieved_nothing, Rminus_0_r. replace (2 * (1 / 2)) with 1 by lra.
  pose proof (retrieved_at_least m (1 / 2) ltac:(lra)) as R. eapply Rlt_le_trans; [|exact R].
  assert (M : 48 <= INR (m + m)) by (replace 48 with (INR 48) by (simpl; lra); apply le_INR; lia).
  replace (1 + m + m)%nat with (S (m + m)) by lia. rewrite S_INR. set (x := INR (m + m)) in *.
  pose proof exp_le_3 as E. assert (X : / x <= / 48) by (apply Rinv_le_contravar; lra).
  assert (Y : / (x + 1) <= / 49) by (apply Rinv_le_contravar; lra). assert (Z : exp 1 * / x <= 3 * / 48).
  { apply Rmult_le_compat; [left; apply exp_pos|left; apply Rinv_0_lt_compat; lra|exact E|exact X]. }
  unfold Rdiv. lra.
Qed.

(* "It changes by at most C^(2k) D", whatever the number of heads: C = 2 (1 + e^(2A) + L_f), k = 1. Let 2^22 equal heads
   have scores y_p y_j / 8, y_1 become 1/128, and f squash 2^-11 times the sum of what they retrieve into [0, 1]. F and
   A are as above; L_f is 2^-11 where the norm of what all heads retrieve is the sum of theirs, and 1 where it is
   Euclidean. The change is 1, the bound below 0.79, at every odd n. *)
Local Definition squash (x : R) : R := relu x - relu (x - 1).

Lemma squash_range x : 0 <= squash x <= 1. Proof. unfold squash, relu, Rmax. repeat destruct (Rle_dec _ _); lra. Qed.
Lemma squash_lipschitz x y : Rabs (squash x - squash y) <= Rabs (x - y).
Proof. unfold squash, relu, Rmax, Rabs. repeat destruct (Rle_dec _ _); repeat destruct (Rcase_abs _); lra. Qed.

Theorem printed_heads_fails m : (2 * (1 + exp (2 * (1 / 2)) + 1)) ^ 2 * (1 / 128)
  < squash (/ 2 ^ 11 * (2 ^ 22 * retrieved 8 m (1 / 128))) - squash (/ 2 ^ 11 * (2 ^ 22 * retrieved 8 m 0)).
Proof.
  rewrite retrieved_nothing, !Rmult_0_r. replace (squash 0) with 0. 2: { unfold squash, relu, Rmax.
  repeat destruct (Rle_dec _ _); lra. } pose proof (retrieved_at_least m (1 / 128) ltac:(lra)) as R.
  set (r := retrieved 8 m (1 / 128)) in *. assert (S : squash (/ 2 ^ 11 * (2 ^ 22 * r)) = 1).
  { replace (/ 2 ^ 11 * (2 ^ 22 * r)) with (2048 * r) by (simpl; field). unfold squash, relu, Rmax.
    repeat destruct (Rle_dec _ _); lra. }
  rewrite S. replace (2 * (1 / 2)) with 1 by lra. pose proof exp_le_3. pose proof (exp_pos 1).
  set (e := exp 1) in *. simpl. nra.
Qed.

(* ---- bounded embeddings and temperatures bounded from below: neither can be left out ---- *)
(* One head, no masks: every position looks for the first one, with a score of x / tau. *)
Definition first_finder (x tau : expression) : transformer :=
  Transformer [[]; [0 |-> 1]] [(1%nat, Bracket (Positional FIRST) false); (2%nat, Formula x)]
    [Layer [Head Unmasked tau [[2 |-> 1]] [[1 |-> 1]] [(3%nat, [0 |-> 1])]] [] []] 3%nat.

Lemma n_finds_first n : (2 <= n)%nat -> 3 * (INR n - 1) <= exp (INR n).
Proof.
  intros Hn. pose proof (exp_lower (INR n) 2 (pos_INR n) ltac:(lia)) as E. eapply Rle_trans; [|exact E].
  set (x := INR n). pose proof (Rle_0_sqr (x / 2 - 2)) as S. unfold Rsqr in S. simpl. nra.
Qed.

Lemma first_finder_embeds users x tau n w i d : embed users (first_finder x tau) n w i d
  = match d with O => bit (w i =? 1)%nat | S O => one_hot 1 i | S (S O) => expression_value x n i | _ => 0 end.
Proof.
  unfold embed, first_finder. cbn [token_embedding position_embedding collect position_value].
  change (bit (truth users n no_word (Positional FIRST) i)) with (one_hot 1 i).
  destruct (w i) as [|[|s]]; [| |replace (nth (S (S s)) _ []) with (@nil (nat * Q)) by now destruct s]; cbn;
    destruct d as [|[|[|d]]]; cbn; unfold Q2R; simpl; lra.
Qed.

Lemma first_finder_run users x tau n w : expression_value x n n / expression_value tau n n = INR n ->
  run_transformer users (first_finder x tau) n w n 3%nat
  = attend n no_mask (fun j => INR n * one_hot 1 j) (fun j => bit (w j =? 1)%nat).
Proof.
  intros X.
  change (run_transformer users (first_finder x tau) n w) with (after_layer n (hd (Layer [] []
    []) (transformer_layers (first_finder x tau))) (embed users (first_finder x tau) n w)).
  unfold after_layer, after_heads, feedforward, head_output, head_value, softmax_value. cbn.
  rewrite first_finder_embeds. rewrite !Rplus_0_r, Rplus_0_l. apply attend_ext; intros j _.
  - unfold scaled_score. cbn. rewrite !first_finder_embeds, <- X. unfold Q2R. simpl. unfold Rdiv. lra.
  - rewrite first_finder_embeds. unfold Q2R. simpl. lra.
Qed.

Lemma first_finder_changes users x tau n : (2 <= n)%nat -> expression_value x n n / expression_value tau n n = INR n ->
  1 / 2 <= run_transformer users (first_finder x tau) n (lone_one 1) n 3%nat - run_transformer users (first_finder x
    tau) n zeros_word n 3%nat.
Proof.
  intros Hn X. rewrite !first_finder_run by exact X. assert (F : forall w : word, Rabs (bit (w 1 =? 1)%nat
    - attend n no_mask (fun j => INR n * one_hot 1 j) (fun j => bit (w j =? 1)%nat)) <= 1 / 4).
  { intros w. apply (first_position_found n no_mask (INR n) (fun j => bit (w j =? 1)%nat)); [lia|reflexivity| |].
    - now apply n_finds_first.
    - intros. apply bit_range. }
  pose proof (F (lone_one 1)) as A. pose proof (F zeros_word) as B. apply Rabs_bounds in A, B.
  change (bit (lone_one 1 1 =? 1)%nat) with 1 in A. change (bit (zeros_word 1 =? 1)%nat) with 0 in B. lra.
Qed.

(* With position n embedded and temperature 1, and with temperature 1/n: one symbol changes the last position by 1/2. *)
Theorem lemma_5_needs_bounded_embeddings users : exists T, warm_everywhere T 1 /\ every_head T (fun a =>
  head_masking a = Unmasked) /\ forall n, (2 <= n)%nat -> 1 / 2 <= run_transformer users T n (lone_one 1)
  n (transformer_output T) - run_transformer users T n zeros_word n (transformer_output T).
Proof.
  exists (first_finder VarN (Num 1)). split; [|split].
  - intros n. split; [lra|]. intros l a [<-|[]] [<-|[]]. split; [reflexivity|]. intros i _. cbn. unfold Q2R. simpl. lra.
  - intros l a [<-|[]] [<-|[]]. reflexivity.
  - intros n Hn. apply first_finder_changes; [exact Hn|]. cbn. unfold Q2R. simpl. lra.
Qed.

Theorem lemma_5_needs_temperature users : exists T, bounded_embeddings users T 1 /\ every_head T (fun a =>
  head_masking a = Unmasked) /\ forall n, (2 <= n)%nat -> 1 / 2 <= run_transformer users T n (lone_one 1)
  n (transformer_output T) - run_transformer users T n zeros_word n (transformer_output T).
Proof.
  exists (first_finder (Num 1) (Div (Num 1) VarN)). split; [|split].
  - intros n. split; [lra|]. intros i d _. cbn [first_finder position_embedding collect position_value].
    change (bit (truth users n no_word (Positional FIRST) i)) with (one_hot 1 i).
    pose proof (one_hot_range 1 i). cbn [expression_value]. replace (Q2R 1) with 1 by (unfold Q2R; simpl; lra).
    destruct d as [|[|[|d]]]; cbn; apply Rabs_le; lra.
  - intros l a [<-|[]] [<-|[]]. reflexivity.
  - intros n Hn. apply first_finder_changes; [exact Hn|]. cbn. assert (0 < INR n) by (apply lt_0_INR; lia).
    replace (Q2R 1) with 1 by (unfold Q2R; simpl; lra). field. lra.
Qed.
