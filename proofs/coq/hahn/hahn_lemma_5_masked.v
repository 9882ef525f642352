(* [Hahn] Lemma 5 at the last position, as it is stated, whatever the masks: all but for logarithms.

   Proved, for the layers of hahn_soft_layer.v and those of network.v: in words of length n that differ at p only,
   with any mixture of masks and L layers, an activation changes by at most C (1 + ln n)^(L-1) / i at every i > p,
   and C (1 + ln n)^(L-1) / (n+1-i) at every i < p, with the C of hahn_lemma_5_repaired.v. So at position n by at
   most C (1 + ln n)^(L-1) / n, for every p < n; hahn_lemma_5_proof_steps.v has networks of which that is the order.
   Idea: the shape 1/i to the right of p and 1/(n+1-i) to the left falls away from p's side of every mask, so means
   of it over what lies beyond are not greater than it is; and its sum is at most 1 + ln n. *)
From Coq Require Import Reals List Bool Lra Lia Arith.
From Certify Require Import positions finite_sums softmax formula network harmonic_numbers hahn_one_row hahn_soft_layer
  hahn_one_layer hahn_lemma_5_repaired.
Import PositionNotations. Open Scope R_scope.

(* The reciprocal of the distance from the far end, seen from p. *)
Local Definition beyond (n p i : nat) : R := if (i <? p)%nat then / INR (n + 1 - i) else if (p <? i)%nat then / INR i
  else 0.

Lemma beyond_left n p i : (i < p)%nat -> beyond n p i = / INR (n + 1 - i).
Proof. intros H. unfold beyond. now rewrite (proj2 (Nat.ltb_lt i p) H). Qed.
Lemma beyond_right n p i : (p < i)%nat -> beyond n p i = / INR i.
Proof. intros H. unfold beyond. now rewrite (proj2 (Nat.ltb_ge i p)), (proj2 (Nat.ltb_lt p i) H) by lia. Qed.
Lemma beyond_here n p : beyond n p p = 0. Proof. unfold beyond. now rewrite Nat.ltb_irrefl. Qed.

Lemma reciprocal_nonneg k : 0 <= / INR k.
Proof. destruct k; [simpl; rewrite Rinv_0; lra|]. left. apply Rinv_0_lt_compat, lt_0_INR. lia. Qed.
Lemma reciprocal_antitone j k : j upto k -> / INR k <= / INR j.
Proof. intros H. apply Rinv_le_contravar; [apply lt_0_INR; lia|apply le_INR; lia]. Qed.
Lemma beyond_nonneg n p i : 0 <= beyond n p i.
Proof. unfold beyond. repeat destruct (_ <? _)%nat; try apply reciprocal_nonneg. lra. Qed.

(* The k positions to the left of p weigh less than 1, 1/2, ..., 1/k. *)
Lemma left_part n p k : (k < p <= n)%nat -> sum_to k (beyond n p) <= harmonic_number k.
Proof.
  intros H. unfold harmonic_number. rewrite <- (sum_backwards k (beyond n p)). apply sum_le. intros j Hj.
  rewrite beyond_left by lia. apply reciprocal_antitone. lia.
Qed.

Lemma right_part n p k : (p <= n)%nat -> (1 <= p)%nat -> sum_to (p + k) (beyond n p) <= harmonic_number (p + k).
Proof.
  intros H H1. induction k as [|k IH].
  - rewrite Nat.add_0_r. destruct p as [|q]; [lia|]. unfold harmonic_number. cbn [sum_to]. rewrite beyond_here.
    pose proof (left_part n (S q) q ltac:(lia)) as L. unfold harmonic_number in L. pose proof (reciprocal_nonneg (S q)).
    lra.
  - rewrite Nat.add_succ_r. unfold harmonic_number in *. cbn [sum_to]. rewrite beyond_right by lia. lra.
Qed.

Lemma beyond_sum n (p : position n) (i : position n) : sum_to i (beyond n p) <= 1 + ln (INR n).
Proof.
  assert (G : sum_to i (beyond n p) <= harmonic_number i).
  { destruct (le_lt_dec p i) as [L|L]; [|apply left_part; lia].
    replace (i : nat) with (p + (i - p))%nat by lia. apply right_part; lia. }
  pose proof (harmonic_upper i ltac:(lia)). pose proof (ln_le_INR i n (in_word i)). lra.
Qed.

Definition beyond_shape (n p k i : nat) : R := match k with O => 0 | S k => (1 + ln (INR n)) ^ k * beyond n p i end.

Section EveryMask.
Variables (n : nat) (p : position n).

Let x : R := 1 + ln (INR n).

Lemma x_at_least_1 : 1 <= x. Proof. pose proof (ln_nonneg n ltac:(lia)). unfold x. lra. Qed.

Lemma beyond_shape_grows k i : 0 <= beyond_shape n p k i <= beyond_shape n p (S k) i.
Proof.
  pose proof (beyond_nonneg n p i) as P. pose proof x_at_least_1 as X. unfold beyond_shape. fold x.
  destruct k as [|k]; [simpl; lra|]. pose proof (power_at_least_1 x k X) as Q.
  split; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat_r; [exact P|]. simpl. nra.
Qed.

(* What a head must not exceed: it is enough to look at the shape of one layer. *)
(* What is seen from i, if the sum of the shape over it is at most that of as many positions like i. *)
Local Definition levels (i : nat) (m : mask) : Prop := (m p = true -> 1 <= beyond n p i * shown_count n m) /\
  sum_to n (fun j => bit (m j) * beyond n p j) <= x * (beyond n p i * shown_count n m).

Lemma levels_carries mask k : (forall i : position n, i <> p :> nat -> levels i (mask_at mask i)) ->
  mask_carries n p (beyond_shape n p k) (beyond_shape n p (S k)) mask.
Proof.
  intros H i Ne m. destruct (H i Ne) as [A B]. fold m in A, B. set (c := beyond n p i * shown_count n m) in *.
  pose proof x_at_least_1 as X. pose proof (power_at_least_1 x k X) as P. unfold beyond_shape at 1 3. fold x.
  rewrite Rmult_assoc. fold c. split.
  - intros Mp. specialize (A Mp). pose proof (Rmult_le_compat 1 (x ^ k) 1 c ltac:(lra) ltac:(lra) P A). lra.
  - assert (Pc : 0 <= c).
    { apply Rmult_le_pos; [apply beyond_nonneg|]. apply sum_nonneg. intros. apply bit_range. }
    unfold beyond_shape. fold x. destruct k as [|k]; [rewrite sum_zero by (intros; ring); simpl; lra|].
    rewrite (sum_ext n _ (fun j => x ^ k * (bit (m j) * beyond n p j))) by (intros; ring). rewrite sum_scale. simpl.
    pose proof (power_at_least_1 x k X). rewrite (Rmult_comm x), Rmult_assoc. apply Rmult_le_compat_l; lra.
Qed.

Lemma times_reciprocal k l : k upto l -> 1 <= / INR k * INR l.
Proof.
  intros H. pose proof (INR_at_least_1 k ltac:(lia)). rewrite <- (Rinv_l (INR k)) by lra.
  apply Rmult_le_compat_l; [apply reciprocal_nonneg|apply le_INR; lia].
Qed.

Lemma levels_at_once (i : position n) m : 1 <= beyond n p i * shown_count n m -> levels i m.
Proof.
  intros H. split; [intros _; exact H|]. pose proof x_at_least_1 as X.
  apply Rle_trans with (x * 1); [|apply Rmult_le_compat_l; lra]. rewrite Rmult_1_r.
  eapply Rle_trans; [|exact (beyond_sum n p (Position n ltac:(lia)))]. apply sum_le. intros j _.
  pose proof (beyond_nonneg n p j). pose proof (bit_range (m j)).
  pose proof (Rmult_le_compat_r (beyond n p j) _ 1 ltac:(lra) ltac:(apply H1)). lra.
Qed.

Lemma levels_pointwise (i : nat) (m : mask) : m p = false -> (each j upto n, m j = true ->
  beyond n p j <= beyond n p i) -> levels i m.
Proof.
  intros Mp H. split; [congruence|]. pose proof x_at_least_1 as X.
  assert (S : sum_to n (fun j => bit (m j) * beyond n p j) <= beyond n p i * shown_count n m).
  { unfold shown_count. rewrite <- sum_scale. apply sum_le. intros j Hj. specialize (H j Hj).
    destruct (m j); simpl; [specialize (H eq_refl)|]; lra. }
  assert (N : 0 <= beyond n p i * shown_count n m).
  { apply Rmult_le_pos; [apply beyond_nonneg|]. apply sum_nonneg. intros. apply bit_range. }
  apply Rle_trans with (1 * (beyond n p i * shown_count n m)); [lra|]. apply Rmult_le_compat_r; lra.
Qed.

Lemma levels_unmasked (i : position n) : i <> p :> nat -> levels i no_mask.
Proof.
  intros Ne. apply levels_at_once. rewrite shown_unmasked.
  destruct (Nat.lt_ge_cases i p); [rewrite beyond_left by lia|rewrite beyond_right by lia]; apply times_reciprocal; lia.
Qed.

Lemma levels_future (i : position n) : i <> p :> nat -> levels i (future_mask i).
Proof.
  intros Ne. destruct (Nat.lt_ge_cases i p) as [L|L].
  - apply levels_pointwise; [apply Nat.leb_gt; exact L|]. intros j Hj M. apply Nat.leb_le in M.
    rewrite !beyond_left by lia. apply reciprocal_antitone. lia.
  - apply levels_at_once. rewrite shown_future, beyond_right by lia. apply times_reciprocal. lia.
Qed.

Lemma levels_past (i : position n) : i <> p :> nat -> levels i (past_mask i).
Proof.
  intros Ne. destruct (Nat.lt_ge_cases i p) as [L|L].
  - apply levels_at_once. rewrite shown_past, beyond_left by lia. apply times_reciprocal. lia.
  - apply levels_pointwise; [apply Nat.leb_gt; lia|]. intros j Hj M. apply Nat.leb_le in M.
    rewrite !beyond_right by lia. apply reciprocal_antitone. lia.
Qed.

Lemma every_mask_carries mask k : mask_carries n p (beyond_shape n p k) (beyond_shape n p (S k)) mask.
Proof.
  apply levels_carries. intros i Ne. destruct mask; [now apply levels_unmasked|now apply levels_future|
    now apply levels_past].
Qed.

(* The layers of hahn_soft_layer.v. *)
Theorem soft_lemma_5_every_mask {A} ls bs X (h h' : nat -> activation A) : 0 <= X -> all_fit n ls bs X ->
  stream_bounded n X h -> stream_bounded n X h' -> (forall j : nat, j <> p -> h j = h' j) ->
  forall (i : position n) d, i <> p :> nat -> Rabs (after_soft_layers n ls h i d - after_soft_layers n ls h' i d)
  <= change_through bs X 0 * beyond_shape n p (length ls) i.
Proof.
  intros HX F B B' D i d Ne. apply (changes_have_shape A ls bs X n p h h' HX F B B' D); [| |exact Ne].
  - intros k j _. apply beyond_shape_grows.
  - intros l a _ _ k. apply every_mask_carries.
Qed.

Lemma beyond_last L : (p < n)%nat -> beyond_shape n p L n = decay_shape (fun _ => n) L n.
Proof. intros H. destruct L as [|k]; [reflexivity|]. unfold beyond_shape, decay_shape. now rewrite beyond_right. Qed.

(* ---- the transformers of network.v ---- *)
Variable users : predicate_meanings.
Variables (T : transformer) (B t : R).
Hypothesis Bounded : bounded_at users T n B.
Hypothesis Warm : warm_at T n t.
Variables (u v : word).
Hypothesis Exchanged : differ_at p u v.

Theorem hahn_lemma_5_every_mask (i : position n) d : i <> p :> nat -> Rabs (run_transformer users T n u i d -
  run_transformer users T n v i d) <= lemma_5_constant T B t * beyond_shape n p (length (transformer_layers T)) i.
Proof.
  apply (from_soft users T B t n p u v Bounded Warm Exchanged (fun _ => True) (fun c k i => c * beyond_shape n p k i)).
  - intros. now apply soft_lemma_5_every_mask.
  - easy.
Qed.

(* [Hahn] Lemma 5 is about position n and i < n. *)
Theorem hahn_lemma_5_last_position d : (p < n)%nat -> Rabs (run_transformer users T n u n d - run_transformer users T n
  v n d) <= lemma_5_constant T B t * decay_shape (fun _ => n) (length (transformer_layers T)) n.
Proof.
  intros H. rewrite <- beyond_last by exact H.
  exact (hahn_lemma_5_every_mask (Position n ltac:(lia)) d ltac:(cbn; lia)).
Qed.
End EveryMask.
