(* Heads of [SHA] Theorems 15 and 16 with any ratio of the tie-breaking term, and heads that look at the first or the
   last position; all that counts is the *level* of a key beside the tie-breaking term.

   Proved, for every n, i and truth values p, q: where keys with p -> q share one level C, all others are lower by D at
   least, and the tie-breaking term is g j (j <= i and g i <= D) or - g j (j >= i and g n <= D) or - g i^2/j, the mean
   is near `p since q` (`p until q`) for g >= ln 4. A head with score - g j, or with a first position above the others
   by E with e^E >= 3 (n - 1), is within 1/4 of the value of the first position. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Certify Require Import positions finite_sums softmax exponential lemma_06_near_hardmax lemma_08_tie_breaking relu
  lemma_09_rounding formula theorem_15_since_until.
Open Scope R_scope.

Section Decided.
Variables (p q : nat -> bool) (n : nat) (m : mask) (l v : nat -> R) (C D : R).
Hypothesis Decided : forall j, visible n m j -> is_decisive p q j = true -> l j = C /\ v j = bit (both_hold p q j).
Hypothesis Undecided : forall j, visible n m j -> is_decisive p q j = false -> l j <= C - D /\ v j = 0.

Lemma all_undecided s k : visible n m k -> (forall j, visible n m j -> bit (is_decisive p q j) <= bit false) ->
  is_decisive p q k = false -> near_truth (both_hold p q k) (attend n m s v).
Proof.
  intros V M E. assert (B : both_hold p q k = false).
  { unfold both_hold. destruct (not_decisive p q k E) as [_ ->]. apply andb_false_r. }
  rewrite B. replace (attend n m s v) with 0; [simpl; lra|]. symmetry. apply sum_zero. intros j Hj.
  destruct (m j) eqn:Mj; [|now apply attend_hidden]. specialize (M j (conj Hj Mj)).
  destruct (is_decisive p q j) eqn:Dj; [simpl in M; lra|]. destruct (Undecided j (conj Hj Mj) Dj) as [_ ->]. ring.
Qed.

Local Lemma values_range j : visible n m j -> 0 <= v j <= 1.
Proof.
  intros V. destruct (is_decisive p q j) eqn:E; [destruct (Decided j V E) as [_ ->]; apply bit_range|].
  destruct (Undecided j V E) as [_ ->]. lra.
Qed.

Lemma highest_level k : 0 <= D -> visible n m k -> is_decisive p q k = true ->
  (forall j, visible n m j -> l j <= l k) /\ (forall j, visible n m j -> is_decisive p q j = false -> l j <= l k - D).
Proof.
  intros HD V E. destruct (Decided k V E) as [-> _]. split; intros j Vj; [|intros F; now apply Undecided].
  destruct (is_decisive p q j) eqn:F; [destruct (Decided j Vj F); lra|destruct (Undecided j Vj F); lra].
Qed.

Lemma near_value k g s : 0 < g -> exp (- g) <= 1 / 4 -> visible n m k -> is_decisive p q k = true -> sum_to n (zeroed_at
  k (weight m s)) <= exp (- g) / (1 - exp (- g)) * weight m s k -> near_truth (both_hold p q k) (attend n m s v).
Proof.
  intros Hg G V E B.
  apply (near_from_error _ (exp (- g))); [|exact G|eapply attend_range; [exact V|apply values_range]].
  rewrite <- (proj2 (Decided k V E)). apply attend_8; auto using values_range.
Qed.
End Decided.

Section Temporal.
Variables (p q : nat -> bool) (n : nat) (i : position n) (l v : nat -> R) (C D g : R).
Hypothesis Hg : 0 < g.
Hypothesis Enough : exp (- g) <= 1 / 4.

Section Since.
Hypothesis Decided : forall j, visible n (future_mask i) j -> is_decisive p q j = true -> l j = C /\
  v j = bit (both_hold p q j).
Hypothesis Undecided : forall j, visible n (future_mask i) j -> is_decisive p q j = false -> l j <= C - D /\ v j = 0.

Lemma since_by (t : nat -> R) : 0 <= D -> (forall k, visible n (future_mask i) k -> (forall j,
  visible n (future_mask i) j -> l j <= l k) -> (forall j, visible n (future_mask i) j -> (k < j)%nat ->
  l j <= l k - D) -> sum_to n (zeroed_at k (weight (future_mask i) t)) <= exp (- g) / (1 - exp (- g))
  * weight (future_mask i) t k) -> near_truth (since_at p q i) (attend n (future_mask i) t v).
Proof.
  intros HD Dom.
  destruct (rightmost_exists n (future_mask i) (fun j => bit (is_decisive p q j)) i (visible_future n i (in_word i)))
    as (k & K). rewrite <- (rightmost_decides p q n i k K). destruct K as [V M]. destruct (is_decisive p q k) eqn:E.
  - destruct (highest_level p q n (future_mask i) l v C D Decided Undecided k HD V E) as [H1 H2].
    apply (near_value p q n (future_mask i) l v C D Decided Undecided k g); auto. apply Dom; auto. intros j Vj L.
    apply H2; [exact Vj|]. destruct (M j Vj) as [_ A]. specialize (A L). cbv beta in A.
    destruct (is_decisive p q j); simpl in A; [lra|reflexivity].
  - apply (all_undecided p q n (future_mask i) l v C D Undecided t k V); [|exact E]. intros j Vj. apply M, Vj.
Qed.

Lemma up_to_here j : visible n (future_mask i) j -> (j <= i)%nat. Proof. intros [_ M]. now apply Nat.leb_le in M. Qed.

Theorem since_by_levels : g * INR i <= D -> near_truth (since_at p q i) (attend n (future_mask i) (fun j =>
  l j + g * INR j) v).
Proof.
  intros HD. pose proof (pos_INR i). apply since_by; [nra|]. intros k V H1 H2.
  apply (dominated_rising n (future_mask i) l g i D k); auto using up_to_here.
Qed.

Theorem since_by_levels_reciprocal : g * INR i ^ 2 <= D ->
  near_truth (since_at p q i) (attend n (future_mask i) (fun j => l j - g * INR i ^ 2 * (1 / INR j)) v).
Proof.
  intros HD. pose proof (pow_le (INR i) 2 (pos_INR i)). apply since_by; [nra|]. intros k V H1 H2.
  apply (dominated_reciprocal n (future_mask i) l g i D k); auto using up_to_here.
Qed.
End Since.

Section Until.
Hypothesis Decided : forall j, visible n (past_mask i) j -> is_decisive p q j = true -> l j = C /\
  v j = bit (both_hold p q j).
Hypothesis Undecided : forall j, visible n (past_mask i) j -> is_decisive p q j = false -> l j <= C - D /\ v j = 0.

Theorem until_by_levels : g * INR n <= D -> near_truth (until_at n p q i) (attend n (past_mask i) (fun j =>
  l j - g * INR j) v).
Proof.
  intros HD. pose proof (pos_INR n). assert (HD0 : 0 <= D) by nra.
  destruct (leftmost_exists n (past_mask i) (fun j => bit (is_decisive p q j)) i (visible_past n i (in_word i)))
    as (k & K). rewrite <- (leftmost_decides p q n i k K). destruct K as [V M]. destruct (is_decisive p q k) eqn:E.
  - destruct (highest_level p q n (past_mask i) l v C D Decided Undecided k HD0 V E) as [H1 H2].
    apply (near_value p q n (past_mask i) l v C D Decided Undecided k g); auto.
    apply (dominated_falling n (past_mask i) l g n D k); auto.
    intros j Vj L. apply H2; [exact Vj|]. destruct (M j Vj) as [_ A]. specialize (A L). cbv beta in A.
    destruct (is_decisive p q j); simpl in A; [lra|reflexivity].
  - apply (all_undecided p q n (past_mask i) l v C D Undecided _ k V); [|exact E]. intros j Vj. apply M, Vj.
Qed.
End Until.
End Temporal.

(* ---- one position for all: the first, or the last ---- *)
Section One.
Variables (n : nat) (m : mask) (s v : nat -> R) (k : nat).
Hypothesis Vk : visible n m k.
Hypothesis Range : forall j, visible n m j -> 0 <= v j <= 1.

Lemma near_one b : v k = bit b -> sum_to n (zeroed_at k (weight m s)) <= 1 / 3 * weight m s k ->
  near_truth b (attend n m s v).
Proof.
  intros E B. apply (near_from_error _ (1 / 4)); [|lra|eapply attend_range; [exact Vk|exact Range]].
  rewrite <- E. replace (1 / 4) with (1 / 3 / (1 + 1 / 3)) by field. apply attend_concentrated; auto. lra.
Qed.

Local Lemma third g : 0 < g -> exp (- g) <= 1 / 4 -> exp (- g) / (1 - exp (- g)) <= 1 / 3.
Proof.
  intros Hg H. apply Rmult_le_reg_r with (1 - exp (- g)); [lra|]. unfold Rdiv at 1.
  rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma one_of_falling g c : 0 < g -> exp (- g) <= 1 / 4 -> k = 1%nat ->
  (forall j, visible n m j -> s j = c - g * INR j) -> sum_to n (zeroed_at k (weight m s)) <= 1 / 3 * weight m s k.
Proof.
  intros Hg G K S. eapply Rle_trans; [|apply Rmult_le_compat_r; [apply weight_nonneg|exact (third g Hg G)]].
  apply dominated_right with n; auto. intros j Vj Ne. destruct Vj as [Hj Mj]. rewrite !S by (auto || now split).
  destruct (Nat.ltb_spec k j); [|lia]. rewrite minus_INR by lia. lra.
Qed.

Lemma one_of_rising g c : 0 < g -> exp (- g) <= 1 / 4 -> k = n ->
  (forall j, visible n m j -> s j = c + g * INR j) -> sum_to n (zeroed_at k (weight m s)) <= 1 / 3 * weight m s k.
Proof.
  intros Hg G K S. eapply Rle_trans; [|apply Rmult_le_compat_r; [apply weight_nonneg|exact (third g Hg G)]].
  apply dominated_left with n; auto; [destruct Vk; lia|]. intros j Vj Ne. destruct Vj as [Hj Mj]. split; [lia|].
  rewrite !S by (auto || now split). destruct (Nat.ltb_spec j k); [|lia]. rewrite minus_INR by lia. lra.
Qed.

Lemma one_above E : (forall j, visible n m j -> j <> k -> s j <= s k - E) -> 3 * (INR n - 1) <= exp E ->
  sum_to n (zeroed_at k (weight m s)) <= 1 / 3 * weight m s k.
Proof.
  intros B H. pose proof (weight_pos m s k (proj2 Vk)) as W. set (w := weight m s k) in *.
  apply Rle_trans with (sum_to n (fun j => w * exp (- E) - one_hot k j * (w * exp (- E)))).
  - apply sum_le. intros j Hj. unfold zeroed_at, one_hot. destruct (Nat.eqb_spec j k) as [|Ne]; [lra|].
    unfold weight at 1. destruct (m j) eqn:M.
    + specialize (B j (conj Hj M) Ne). unfold w, weight. rewrite (proj2 Vk), <- exp_plus.
      pose proof (exp_monotone (s j) (s k + - E)). lra.
    + pose proof (exp_pos (- E)). nra.
  - rewrite sum_minus, (sum_scale_r n (w * exp (- E)) (one_hot k)), (sum_apart n k (one_hot k) (proj1 Vk)),
      one_hot_here, (sum_zero n (zeroed_at k (one_hot k))).
    + rewrite (sum_ext n _ (fun _ => 1 * (w * exp (- E)))) by (intros; lra). rewrite sum_scale_r, sum_one.
      replace (INR n * (w * exp (- E)) - (1 + 0) * (w * exp (- E))) with (w * ((INR n - 1) * exp (- E))) by ring.
      rewrite (Rmult_comm (1 / 3)). apply Rmult_le_compat_l; [lra|]. rewrite exp_Ropp. pose proof (exp_pos E).
      apply Rmult_le_reg_r with (exp E); [assumption|]. rewrite Rmult_assoc, Rinv_l by lra. lra.
    + intros j _. unfold zeroed_at. destruct (Nat.eqb_spec j k); [reflexivity|now apply one_hot_elsewhere].
Qed.
End One.

(* Where q can hold at the first position only, and p holds everywhere else, `p since q` is decided there. *)
Lemma since_at_first p q n (i : position n) : (forall j, (1 < j <= n)%nat -> p j = true /\ q j = false) ->
  since_at p q i = both_hold p q 1.
Proof.
  intros H. apply eq_true_iff_eq. rewrite since_at_iff. unfold both_hold. rewrite andb_true_iff. split.
  - intros (j & Hj & Q & P). destruct (Nat.eq_dec j 1) as [->|]; [split; [apply P; lia|exact Q]|].
    destruct (H j ltac:(lia)). congruence.
  - intros [P Q]. exists 1%nat. repeat split; [lia|lia|exact Q|]. intros k Hk.
    destruct (Nat.eq_dec k 1) as [->|]; [exact P|]. now apply H; lia.
Qed.

Lemma until_at_last p q n (i : position n) : (forall j, (1 <= j < n)%nat -> p j = true /\ q j = false) ->
  until_at n p q i = both_hold p q n.
Proof.
  intros H. apply eq_true_iff_eq. rewrite until_at_iff. unfold both_hold. rewrite andb_true_iff. split.
  - intros (j & Hj & Q & P). destruct (Nat.eq_dec j n) as [->|]; [split; [apply P; lia|exact Q]|].
    destruct (H j ltac:(lia)). congruence.
  - intros [P Q]. exists n. repeat split; [lia|lia|exact Q|]. intros k Hk.
    destruct (Nat.eq_dec k n) as [->|]; [exact P|]. now apply H; lia.
Qed.
