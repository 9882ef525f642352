(* [SHA] Lemma 25, Appendices D.4 and D.5, and the order of Theorem 26, as printed: what fails.

   Refuted: Lemma 25 "for any u, u'", by one tieless head and u = u' = (M, 1/M), for all K1, K2 (n = 2, d = 1), for
   networks of network.v and for layers of the paper; the sign of the exponent in D.4 and D.5, at n = 2, gamma = 1,
   K2 x eps = tau = 1/8; 1/tau(n) in O((1/gamma) log(n x/gamma)), by a tieless network whose gap is n x_max, so that
   this bound is 0 at every n. lemma_25_one_layer.v and theorem_26_uniform_tieless.v prove the repaired statements:
   activations of a run, the sign of Lemma 33, min(gap, 1). *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia Arith.
From Certify Require Import positions finite_sums softmax exponential linear_combination formula network hard_attention
  lemma_24_gap soft_layers relu lemmas_28_34 theorem_26_real_weights.
Import ListNotations PositionNotations RowNotations.
Open Scope R_scope.

(* One head, d = 1, all weights 1; the embedding is a function of the position. *)
Definition one_head : head := Head Unmasked (Num 1) [[0 |-> 1]] [[0 |-> 1]] [(0%nat, [0 |-> 1])].
Definition one_head_layer : layer := Layer [one_head] [] [].
Local Definition embedding (x : expression) : transformer := Transformer [[]] [(0%nat, Formula x)] [one_head_layer]
  0%nat.

Lemma one_head_scores h i j : raw_score one_head h i j = h i 0%nat * h j 0%nat.
Proof. unfold raw_score, one_head. cbn [dot_product head_queries head_keys linear]. rewrite Q2R_1. ring. Qed.
Lemma one_head_layer_output W n h i : after_layer_by W n one_head_layer h i 0%nat =
  h i 0%nat + sum_to n (fun j => W n no_mask (raw_score one_head h i) j * h j 0%nat).
Proof.
  unfold after_layer_by, after_heads_by, head_output_by, feedforward, one_head_layer. cbn [layer_heads layer_units
    layer_bias total_over collect row_entry head_values one_head Nat.eqb].
  rewrite !Rplus_0_r. f_equal. unfold attended_by. apply sum_ext. intros j _. cbn [linear]. rewrite Q2R_1, Rplus_0_r.
  unfold weights_by. cbn [head_masking one_head mask_at]. ring.
Qed.

Lemma embedding_value users x n w i : embed users (embedding x) n w i 0%nat = expression_value x n i.
Proof.
  unfold embed, embedding. cbn [token_embedding position_embedding collect Nat.eqb position_value].
  destruct (w i) as [|[|k]]; cbn; lra.
Qed.

(* If the embedding is positive and greatest at position 1, the head is tieless, and its gap is that of position 1. *)
Section Embedding.
Variables (users : predicate_meanings) (x : expression) (n : nat).
Let e i := expression_value x n i.
Hypothesis Positive : each i upto n, 0 < e i.
Hypothesis First : forall i, (2 <= i <= n)%nat -> e i < e 1%nat.

Lemma embedding_row w i : i upto n -> visible n no_mask 1%nat /\ forall j, visible n no_mask j -> j <> 1%nat ->
    raw_score one_head (embed users (embedding x) n w) i j
    = raw_score one_head (embed users (embedding x) n w) i 1%nat - e i * (e 1%nat - e j) /\ 0 < e i * (e 1%nat - e j).
Proof.
  intros Hi. split; [split; [lia|reflexivity]|]. intros j [Hj _] N. rewrite !one_head_scores, !embedding_value.
  fold (e i) (e j) (e 1%nat). split; [ring|]. apply Rmult_lt_0_compat; [now apply Positive|].
  specialize (First j ltac:(lia)). lra.
Qed.

Lemma embedding_tieless : tieless_at users (embedding x) n.
Proof.
  intros w _. split; [|exact I]. intros a i [<-|[]] _ Hi. destruct (embedding_row w i Hi) as [V H]. exists 1%nat.
  split; [exact V|]. intros j Vj N. cbn [head_masking one_head mask_at] in *. destruct (H j Vj N) as [-> P]. lra.
Qed.

Lemma embedding_gap g : 0 < g -> (forall i j, i upto n -> (2 <= j <= n)%nat -> g <= e i * (e 1%nat - e j)) ->
  gap_at users (embedding x) n g.
Proof.
  intros G H. split; [exact G|]. intros w _. split; [|exact I]. intros a i [<-|[]] _ Hi p Vp Max j Vj.
  cbn [head_masking one_head mask_at] in *. destruct (embedding_row w i Hi) as [V1 R].
  destruct (Nat.eq_dec p 1) as [->|Np].
  - destruct (Nat.eq_dec j 1) as [->|Nj]; [now left|right]. destruct (R j Vj Nj) as [-> _].
    destruct Vj as [Hj _]. specialize (H i j Hi ltac:(lia)). lra.
  - exfalso. destruct (R p Vp Np) as [E P]. specialize (Max 1%nat V1). lra.
Qed.

Lemma embedding_initial b : 1 <= b -> (each i upto n, e i <= b) -> initial_at_most users (embedding x) n b.
Proof.
  intros B H. split; [exact B|]. intros w _ i d Hi. destruct d as [|d].
  - rewrite embedding_value. fold (e i). specialize (Positive i Hi). rewrite Rabs_right by lra. now apply H.
  - rewrite embed_elsewhere; [rewrite Rabs_R0; lra|]. cbn. intros [N|[]]. discriminate.
Qed.
End Embedding.

(* ---- Lemma 25, "for any u, u'" ---- *)
Definition reciprocal_embedding : transformer := embedding (Div (Num 1) VarI).

Local Lemma reciprocal_value n i : expression_value (Div (Num 1) VarI) n i = / INR i.
Proof. cbn [expression_value]. rewrite Q2R_1. unfold Rdiv. ring. Qed.

Local Lemma reciprocal_positive n i : i upto n -> 0 < expression_value (Div (Num 1) VarI) n i.
Proof. intros H. rewrite reciprocal_value. auto with signs. Qed.
Lemma reciprocal_first n i : (2 <= i <= n)%nat ->
  expression_value (Div (Num 1) VarI) n i < expression_value (Div (Num 1) VarI) n 1%nat.
Proof.
  intros H. rewrite !reciprocal_value. assert (A : 2 <= INR i) by now apply (le_INR 2).
  apply Rinv_lt_contravar; simpl; lra.
Qed.

(* The network that refutes it is tieless at every length, with x_max = 1. *)
Theorem reciprocal_uniform_tieless users n : (1 <= n)%nat ->
  tieless_at users reciprocal_embedding n /\ initial_at_most users reciprocal_embedding n 1.
Proof.
  intros Hn. split.
  - apply embedding_tieless; [apply reciprocal_positive|apply reciprocal_first].
  - apply embedding_initial; [apply reciprocal_positive|lra|]. intros i Hi. rewrite reciprocal_value. auto with signs.
Qed.

Local Definition steep (M : R) : nat -> vector := fun i d => match i with 1%nat => M | _ => / M end.

Lemma steep_winner M j : 1 < M -> j upto 2 -> hardmax 2%nat no_mask (raw_score one_head (steep M) 2) j = one_hot 1 j.
Proof.
  intros HM Hj. assert (I : 0 < / M < 1).
  { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_lt_contravar; lra. }
  apply hardmax_tieless; [split; [lia|reflexivity]| |exact Hj]. intros k [Hk _] N.
  assert (k = 2%nat) as -> by lia. rewrite !one_head_scores. cbn [steep]. apply Rmult_lt_compat_l; lra.
Qed.

Lemma steep_error tau B : 0 < tau -> exists M, 2 <= M /\ let h := steep M in B < Rabs (after_layer_by hardmax 2
  one_head_layer h 2 0%nat - after_layer_by (softmax_at tau) 2 one_head_layer h 2 0%nat).
Proof.
  intros T. set (a := exp (1 / tau)). assert (A : 0 < a) by apply exp_pos. set (M := 2 + Rabs B * (a + 1)).
  pose proof (Rabs_pos B) as B0.
  assert (HM : 2 <= M) by (unfold M; assert (0 <= Rabs B * (a + 1)) by auto with signs; lra).
  assert (I : 0 < / M <= 1) by (split; auto with signs). exists M. split; [exact HM|]. cbv zeta.
  rewrite !one_head_layer_output. cbn [sum_to]. rewrite !steep_winner by (lra || lia).
  unfold softmax_at, softmax, weight, no_mask. cbn [sum_to]. rewrite !one_head_scores. cbn [steep one_hot Nat.eqb].
  replace (/ M * M / tau) with (1 / tau) by (field; lra). fold a. set (b := exp (/ M * / M / tau)).
  assert (Hb : 1 <= b).
  { unfold b. rewrite <- exp_0. apply exp_monotone. auto with signs. }
  match goal with |- _ < Rabs ?x => replace x with ((M - / M) * (b / (a + b))) by (field; lra) end.
  assert (S : / (a + 1) <= b / (a + b)).
  { apply Rmult_le_reg_r with ((a + 1) * (a + b)); [apply Rmult_lt_0_compat; lra|].
    replace (/ (a + 1) * ((a + 1) * (a + b))) with (a + b) by (field; lra).
    replace (b / (a + b) * ((a + 1) * (a + b))) with (a * b + b) by (field; lra).
    assert (a * 1 <= a * b) by (apply Rmult_le_compat_l; lra). lra. }
  assert (P : 0 < / (a + 1)) by (apply Rinv_0_lt_compat; lra).
  assert (Q : (M - / M) * / (a + 1) <= (M - / M) * (b / (a + b))) by (apply Rmult_le_compat_l; lra).
  apply Rlt_le_trans with ((M - / M) * / (a + 1)).
  - apply Rle_lt_trans with (Rabs B); [apply Rle_abs|]. apply Rmult_lt_reg_r with (a + 1); [lra|].
    rewrite Rmult_assoc, Rinv_l by lra. unfold M at 1. lra.
  - eapply Rle_trans; [exact Q|apply Rle_abs].
Qed.

(* However large a bound B, some stream is moved by more: B may be K1(eps + n x e^((-gamma + 2 K2 x eps)/tau)). *)
Theorem lemma_25_as_printed_false tau B : 0 < tau -> exists h, B < Rabs (after_layer_by hardmax 2 one_head_layer h 2
  0%nat - after_layer_by (softmax_at tau) 2 one_head_layer h 2 0%nat).
Proof. intros T. destruct (steep_error tau B T) as (M & _ & H). now exists (steep M). Qed.

(* The same for a layer of the paper: d = 1, no residual connection, all weights 1, no biases. *)
Definition all_ones : real_layer :=
  let one := fun _ _ => 1 in RealLayer Unmasked one one one one (fun _ => 0) one (fun _ => 0).
Definition steep_stream (M : R) : real_stream := fun i _ => steep M i 0%nat.

Lemma all_ones_scores u i j : real_scores 1 all_ones u i j = u i 1%nat * u j 1%nat.
Proof. unfold real_scores, printed_score, inner_product, matrix_vector. cbn. rewrite sqrt_1. field. Qed.

Lemma all_ones_output W M : (forall s s' j, j upto 2 -> (each k upto 2, s k = s' k) ->
    W 2%nat no_mask s j = W 2%nat no_mask s' j) -> let s := raw_score one_head (steep M) 2 in
  0 <= sum_to 2 (fun j => W 2%nat no_mask s j * steep M j 0%nat) ->
  steep_stream M 2%nat 1%nat + layer_with 1%nat W 2%nat all_ones (steep_stream M) 2%nat 1%nat
  = after_layer_by W 2 one_head_layer (steep M) 2 0%nat.
Proof.
  intros E s P. rewrite one_head_layer_output. unfold steep_stream at 1. f_equal. fold s.
  assert (S : weighted_mean 2%nat (layer_attention (attended_with 1%nat W 2%nat all_ones (steep_stream M)) 2%nat)
                (fun j => matrix_vector 1%nat (value_map all_ones) (steep_stream M j)) 1%nat
              = sum_to 2 (fun j => W 2%nat no_mask s j * steep M j 0%nat)).
  { unfold weighted_mean. apply sum_ext. intros j Hj. f_equal.
    - apply E; [exact Hj|]. intros k _. rewrite all_ones_scores. unfold s. now rewrite one_head_scores.
    - unfold matrix_vector, steep_stream. cbn. ring. }
  set (m := weighted_mean _ _ _ _) in S.
  assert (L : layer_with 1%nat W 2%nat all_ones (steep_stream M) 2%nat 1%nat = 0 + 1 * relu (0 + 1 * m + 0) + 0)
    by reflexivity. rewrite L, S, relu_linear; lra.
Qed.

(* With the position embedding 1/i it is tieless at every length, with x_max = 1. *)
Theorem all_ones_tieless alphabet n : let position n i (c : nat) := / INR i in let word a (c : nat) := 0 in
  real_tieless_at 1 alphabet word position [all_ones] n /\ real_initial_at_most 1 alphabet word position n 1.
Proof.
  cbv zeta. split.
  - intros w _. split; [|exact I]. right. intros i Hi. exists 1%nat. split; [split; [lia|reflexivity]|].
    intros j [Hj _] N. rewrite !all_ones_scores. unfold real_embedding.
    assert (A : 2 <= INR j) by (apply (le_INR 2); lia). pose proof (INR_at_least_1 i ltac:(lia)). rewrite !Rplus_0_l.
    apply Rmult_lt_compat_l; [apply Rinv_0_lt_compat; lra|]. apply Rinv_lt_contravar; simpl (INR 1); lra.
  - split; [lra|]. intros w _ i c Hi _. unfold real_embedding. pose proof (INR_at_least_1 i ltac:(lia)).
    rewrite Rplus_0_l, Rabs_right by (left; apply Rinv_0_lt_compat; lra). rewrite <- Rinv_1.
    apply Rinv_le_contravar; lra.
Qed.

Theorem lemma_25_as_printed_false_real tau B : 0 < tau -> exists u, B < norm_1 1 (fun c =>
  layer_with 1 hardmax 2 all_ones u 2%nat c - layer_with 1 (softmax_at tau) 2 all_ones u 2%nat c).
Proof.
  intros T. destruct (steep_error tau B T) as (M & HM & H). exists (steep_stream M). cbv zeta in H.
  assert (P : forall j, 0 <= steep M j 0%nat).
  { intros j. unfold steep. destruct j as [|[|j]]; try lra; left; apply Rinv_0_lt_compat; lra. }
  assert (V : visible 2 no_mask 1) by (split; [lia|reflexivity]).
  rewrite <- (all_ones_output hardmax M), <- (all_ones_output (softmax_at tau) M) in H.
  - unfold norm_1. cbn [sum_to]. eapply Rlt_le_trans; [exact H|]. apply Req_le. rewrite Rplus_0_l. f_equal. ring.
  - intros s s' j Hj E. apply softmax_ext; [exact Hj|]. intros k Hk. now rewrite E.
  - apply sum_nonneg. intros j _. apply Rmult_le_pos; [now apply (softmax_nonneg 2 no_mask _ 1 j)|apply P].
  - intros s s' j Hj E. now apply hardmax_ext.
  - apply sum_nonneg. intros j _. apply Rmult_le_pos; [now apply (hardmax_nonneg 2 no_mask _ 1 j)|apply P].
Qed.

(* ---- the sign in D.4 and D.5 ---- *)
Definition two_scores (a b : R) : nat -> R := fun j => match j with 1%nat => a | _ => b end.

Lemma two_scores_softmax a b tau : b < a -> 0 < tau -> sum_to 2 (fun j => Rabs (hardmax 2%nat no_mask (two_scores 1 0)
  j - softmax_at tau 2%nat no_mask (two_scores a b) j)) = 2 / (1 + exp ((a - b) / tau)).
Proof.
  intros L T. rewrite (sum_ext 2 _ (fun j => Rabs (one_hot 1 j - softmax_at tau 2%nat no_mask (two_scores a b) j))).
  2:{ intros j Hj. f_equal. f_equal. apply hardmax_tieless; [split; [lia|reflexivity]| |exact Hj].
      intros k [Hk _] N. assert (k = 2%nat) as -> by lia. cbn. lra. }
  unfold softmax_at, softmax, weight, no_mask. cbn [sum_to two_scores one_hot Nat.eqb].
  replace (exp ((a - b) / tau)) with (exp (a / tau) * / exp (b / tau)) by (rewrite <- exp_Ropp, <- exp_plus; f_equal;
    field; lra). pose proof (exp_pos (a / tau)) as A. pose proof (exp_pos (b / tau)) as B.
  set (x := exp (a / tau)) in *. set (y := exp (b / tau)) in *. unfold Rdiv. rewrite !Rplus_0_l.
  assert (P : 0 < y * / (x + y)) by auto with signs. replace (1 - x * / (x + y)) with (y * / (x + y)) by (field; lra).
  rewrite (Rabs_right (y * / (x + y))) by lra. replace (0 - y * / (x + y)) with (- (y * / (x + y))) by ring.
  rewrite Rabs_Ropp, Rabs_right by lra. field. lra.
Qed.

Theorem sign_as_printed_false : let gamma := 1 in let delta := 1 / 8 in let tau := 1 / 8 in
  let s := two_scores 1 0 in let s' := two_scores (1 - delta) delta in
  (forall j, visible 2 no_mask j -> Rabs (s j - s' j) <= delta) /\ has_gap 2 no_mask s gamma /\
  2 * 2 * exp (- (gamma + 2 * delta) / tau)
  < sum_to 2 (fun j => Rabs (hardmax 2%nat no_mask s j - softmax_at tau 2%nat no_mask s' j)).
Proof.
  cbv zeta. split; [|split].
  - intros [|[|j]] _; cbn; apply Rabs_le; lra.
  - intros [|[|[|p]]] [Hp _] Max [|[|[|j]]] [Hj _]; try lia; cbn; try (now left); try (right; lra).
    specialize (Max 1%nat ltac:(split; [lia|reflexivity])). cbn in Max. lra.
  - rewrite two_scores_softmax by lra. replace ((1 - 1 / 8 - 1 / 8) / (1 / 8)) with 6 by lra.
    replace (- (1 + 2 * (1 / 8)) / (1 / 8)) with (- (4 + 6)) by lra. rewrite exp_Ropp, exp_plus.
    pose proof (exp_ineq1 4) as E4. pose proof (exp_ineq1 6) as E6. set (a := exp 4) in *. set (b := exp 6) in *.
    assert (A : 5 < a) by lra. assert (B : 7 < b) by lra.
    apply Rmult_lt_reg_r with (a * b * (1 + b)); [repeat apply Rmult_lt_0_compat; lra|].
    replace (2 * 2 * / (a * b) * (a * b * (1 + b))) with (4 + 4 * b) by (field; lra).
    replace (2 / (1 + b) * (a * b * (1 + b))) with (2 * (a * b)) by (field; lra).
    assert (5 * b < a * b) by (apply Rmult_lt_compat_r; lra). lra.
Qed.

(* ---- the order of 1/tau ---- *)
Definition large_gap : transformer := embedding (Div (Mul (Num 2) (Power VarN (Int 2))) VarI).

Lemma large_value n i : expression_value (Div (Mul (Num 2) (Power VarN (Int 2))) VarI) n i = 2 * INR n ^ 2 / INR i.
Proof. cbn [expression_value integer_value]. rewrite Q2R_two. reflexivity. Qed.
Lemma large_positive n i : i upto n -> 0 < expression_value (Div (Mul (Num 2) (Power VarN (Int 2))) VarI) n i.
Proof. intros H. rewrite large_value. auto with signs. Qed.

Lemma large_difference n j : (2 <= j <= n)%nat -> INR n ^ 2 <= expression_value (Div (Mul (Num 2) (Power VarN (Int 2)))
  VarI) n 1%nat - expression_value (Div (Mul (Num 2) (Power VarN (Int 2))) VarI) n j.
Proof.
  intros H. rewrite !large_value. change (INR 1) with 1. assert (J : 2 <= INR j) by (apply (le_INR 2); lia).
  assert (I : / INR j <= / 2) by (apply Rinv_le_contravar; lra). assert (N : 0 <= INR n ^ 2) by apply pow2_ge_0.
  unfold Rdiv. rewrite Rinv_1. assert (INR n ^ 2 * / INR j <= INR n ^ 2 * / 2) by now apply Rmult_le_compat_l. lra.
Qed.

(* Tieless, with gap 2n^3 = n x_max: then (1/gamma) log(n x_max/gamma) is 0, and 1/tau is not. *)
Theorem theorem_26_order_as_printed_false users n : (1 <= n)%nat ->
  let gamma := 2 * INR n ^ 3 in let x_max := 2 * INR n ^ 2 in
  gap_at users large_gap n gamma /\ tieless_at users large_gap n /\ initial_at_most users large_gap n x_max /\
  forall tau c, 0 < tau -> ~ / tau <= c * (/ gamma * ln (INR n * x_max / gamma)).
Proof.
  intros Hn. cbv zeta. pose proof (INR_at_least_1 n Hn) as N1.
  assert (N2 : 1 <= INR n ^ 2) by (apply pow_R1_Rle; exact N1).
  assert (N3 : 1 <= INR n ^ 3) by (apply pow_R1_Rle; exact N1).
  assert (First : forall i, (2 <= i <= n)%nat -> expression_value (Div (Mul (Num 2) (Power VarN (Int 2))) VarI) n i
    < expression_value (Div (Mul (Num 2) (Power VarN (Int 2))) VarI) n 1%nat).
  { intros i Hi. pose proof (large_difference n i Hi). lra. }
  split; [|split; [|split]].
  - apply embedding_gap; [apply large_positive|exact First|lra|]. intros i j Hi Hj.
    pose proof (large_difference n j Hj) as D. assert (E : 2 * INR n <= expression_value
      (Div (Mul (Num 2) (Power VarN (Int 2))) VarI) n i).
    { rewrite large_value. assert (Ii : 1 <= INR i <= INR n) by (split; [apply INR_at_least_1; lia|apply le_INR; lia]).
      apply Rmult_le_reg_r with (INR i); [lra|].
      replace (2 * INR n ^ 2 / INR i * INR i) with (2 * INR n * INR n) by (field; lra). apply Rmult_le_compat_l; lra. }
    replace (2 * INR n ^ 3) with (2 * INR n * INR n ^ 2) by ring. apply Rmult_le_compat; lra.
  - apply embedding_tieless; [apply large_positive|exact First].
  - apply embedding_initial; [apply large_positive|lra|]. intros i Hi. rewrite large_value.
    assert (Ii : 1 <= INR i) by (apply INR_at_least_1; lia). apply Rmult_le_reg_r with (INR i); [lra|].
    replace (2 * INR n ^ 2 / INR i * INR i) with (2 * INR n ^ 2 * 1) by (field; lra). apply Rmult_le_compat_l; lra.
  - intros tau c T. replace (INR n * (2 * INR n ^ 2) / (2 * INR n ^ 3)) with 1 by (field; lra).
    rewrite ln_1, !Rmult_0_r. apply Rlt_not_le. now apply Rinv_0_lt_compat.
Qed.
