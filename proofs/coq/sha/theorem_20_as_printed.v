(* [SHA] Theorems 20 and 21 to the letter: look up the count and the count + 1; they cannot decide #<[Q_1] >= 1.

   Proved: at a position that sees one position only, both lookups return exactly 1, whatever the count. So *no*
   feed-forward layer whatsoever can tell a count of 0 from a count of 1 from them: on the words 0 and 1 (Theorem 20),
   and at the first position of every word (Theorem 21). With the printed test ("if both return about 1, the count is
   0") the answer on the word 1 is 0, expected 1. And ODD(#<[Q_1]) by values odd(j) is taken for true at *every*
   position of every word of zeros, expected false: position 0 is looked for and does not exist; position 1 is found. *)
From Coq Require Import Reals Lra Lia Arith Bool ZArith.
From Certify Require Import positions finite_sums softmax exponential lemma_06_near_hardmax relu lemma_09_rounding
  formula theorem_20_counting.
Import PositionNotations. Open Scope R_scope.

Definition constant_word (a : nat) : word := fun _ => a.
Definition count_of_ones : term := Plus 1 ToLeft (Symbol 1) (Number 0).
Definition at_least_one : formula := Compare AtLeast count_of_ones (Number 1).

(* Queries 3C [count/i, 1/i], keys [2j, -j^2], values [j]: the scores look for position `wanted`. *)
Definition printed_lookup (n : nat) (m : mask) (tau C : R) (i wanted : nat) : R :=
  attend n m (fun j => 3 * C * (2 * INR wanted * INR j - INR j ^ 2) / INR i / tau) INR.

Lemma attend_single n m s v : (forall j, visible n m j <-> j = 1%nat) -> attend n m s v = v 1%nat.
Proof.
  intros H. assert (V : visible n m 1) by now apply H. unfold attend.
  assert (Z : each j upto n, j <> 1%nat -> m j = false).
  { intros j Hj Ne. destruct (m j) eqn:E; [|reflexivity]. exfalso. apply Ne, H. now split. }
  rewrite (sum_apart n 1) by apply V. rewrite (sum_zero n); [rewrite Rplus_0_r|].
  - replace (softmax n m s 1) with 1; [lra|]. unfold softmax. rewrite (sum_apart n 1) by apply V.
    rewrite (sum_zero n); [rewrite Rplus_0_r; unfold Rdiv; rewrite Rinv_r; [reflexivity|]|].
    + pose proof (weight_pos m s 1 (proj2 V)). lra.
    + intros j Hj. unfold zeroed_at. destruct (Nat.eqb_spec j 1); [reflexivity|]. unfold weight. now rewrite Z.
  - intros j Hj. unfold zeroed_at. destruct (Nat.eqb_spec j 1); [reflexivity|].
    now rewrite attend_hidden by now apply Z.
Qed.

Lemma retrieved_alone n m tau C i wanted : (forall j, visible n m j <-> j = 1%nat) -> printed_lookup n m tau C i wanted
  = 1.
Proof. intros H. unfold printed_lookup. now rewrite attend_single. Qed.
Lemma one_position m : m 1%nat = true -> forall j, visible 1 m j <-> j = 1%nat.
Proof. intros H j. split; [intros [L _]; lia|intros ->; split; [lia|exact H]]. Qed.
Lemma first_position n : (1 <= n)%nat -> forall j, visible n (future_mask 1) j <-> j = 1%nat.
Proof. intros H j. split; [intros [L M]; apply Nat.leb_le in M; lia|intros ->; apply visible_future; lia]. Qed.
Local Definition ones (n : nat) (w : word) (i : nat) : nat := counted_on ToLeft n (truth no_users n w (Symbol 1)) i.

(* Theorem 20, on words of one symbol; F is any way to decide from the two lookups. *)
Theorem theorem_20_as_printed_cannot_decide (C : R) (F : R -> R -> R) :
  let answer w := F (printed_lookup 1 no_mask (1 / INR 1) C 1 (ones 1 w 1))
                    (printed_lookup 1 no_mask (1 / INR 1) C 1 (ones 1 w 1 + 1)) in
  ~ (forall w, answer w = bit (truth no_users 1 w at_least_one 1)).
Proof.
  cbv zeta. intros H. pose proof (H (constant_word 0)) as H0. pose proof (H (constant_word 1)) as H1.
  rewrite !(retrieved_alone 1 no_mask) in H0, H1 by (apply one_position; reflexivity).
  rewrite H0 in H1. simpl in H1. lra.
Qed.

(* Theorem 21 (future-masked, temperature 1/i), at the first position of words of every length. *)
Theorem theorem_21_as_printed_cannot_decide n (C : R) (F : R -> R -> R) : (1 <= n)%nat ->
  let answer w := F (printed_lookup n (future_mask 1) (1 / INR 1) C 1 (ones n w 1))
                    (printed_lookup n (future_mask 1) (1 / INR 1) C 1 (ones n w 1 + 1)) in
  ~ (forall w, answer w = bit (truth no_users n w at_least_one 1)).
Proof.
  cbv zeta. intros Hn H. pose proof (H (constant_word 0)) as H0. pose proof (H (constant_word 1)) as H1.
  rewrite !(retrieved_alone n (future_mask 1)) in H0, H1 by now apply first_position. rewrite H0 in H1. simpl in H1.
  lra.
Qed.

(* The printed decision: the second lookup between 5/4 and 7/4 tells 0 from more; 1 is subtracted if it was 0. *)
Local Definition corrected (first second : R) : R := first + rounded_truth (second - 1) - 1.

Theorem printed_answer_on_the_word_1 (C : R) :
  let first := printed_lookup 1 no_mask (1 / INR 1) C 1 (ones 1 (constant_word 1) 1) in
  let second := printed_lookup 1 no_mask (1 / INR 1) C 1 (ones 1 (constant_word 1) 1 + 1) in
  comparison_decided AtLeast (slack_at_least (corrected first second - 1)) (slack_at_most (corrected first second - 1))
    = 0
  /\ truth no_users 1 (constant_word 1) at_least_one 1 = true.
Proof.
  cbv zeta. rewrite !(retrieved_alone 1 no_mask) by (apply one_position; reflexivity). split; [|reflexivity].
  unfold corrected, comparison_decided, slack_at_least.
  rewrite (lemma_09_false (1 - 1)), (relu_linear (-2 * _ - _)) by lra. apply relu_zero. lra.
Qed.

(* ---- a predicate on a count, looked up at the count itself: PARITY ---- *)
(* At every position of words of every length without a 1: temperature 1/n (Theorem 20) or, future-masked, 1/i (21). *)
Lemma no_ones n i : ones n (constant_word 0) i = 0%nat.
Proof.
  unfold ones, counted_on. rewrite (filter_ext_on _ (fun _ => false)) by reflexivity.
  now induction (looked_at ToLeft n i).
Qed.

Lemma first_found n m h : visible n m 1 -> 3 <= h ->
  near_truth true (attend n m (fun j => h * (2 * 0 * INR j - INR j ^ 2)) (fun j => bit (Nat.odd j))).
Proof.
  intros V Hh. apply (near_from_error _ (1 / 4)); [|lra|eapply attend_range; [exact V|intros; apply bit_range]].
  assert (Small : exp (- h) <= 1 / 9).
  { replace (1 / 9) with (/ 9) by lra. apply exp_negative_upper; [lra|].
    eapply Rle_trans; [|apply (exp_lower h 4); [lra|lia]]. replace (INR 4) with 4 by (simpl; lra).
    assert (L : (7 / 4) ^ 4 <= (1 + h / 4) ^ 4) by (apply pow_incr; lra). simpl in L |- *. lra. }
  pose proof (exp_pos (- h)).
  eapply Rle_trans; [apply (attend_06 n m _ h 1 ltac:(lra) V) with (v := fun j => bit (Nat.odd j))|].
  - intros j [Hj _]. pose proof (INR_at_least_1 j ltac:(lia)). simpl (INR 1). rewrite Rabs_right by lra.
    assert (0 <= h * (INR j * (INR j - 1))) by (repeat apply Rmult_le_pos; lra). simpl. lra.
  - intros. apply bit_range.
  - apply Rmult_le_reg_r with (1 + exp (- h)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Section PrintedParity.
Variables (n : nat) (i : position n) (C : R).
Hypothesis HC : 1 <= C.

Let wanted : INR (ones n (constant_word 0) i) = 0.
Proof. now rewrite no_ones. Qed.

Let parity_is_false : truth no_users n (constant_word 0) (OnCount ODD ToLeft (Symbol 1)) i = false.
Proof. exact (f_equal (fun k => Nat.odd k) (no_ones n i)). Qed.

Lemma at_least_3C t : 1 <= t -> 3 <= 3 * C * t. Proof. intros H. nra. Qed.

Theorem theorem_20_printed_parity : near_truth true (attend n no_mask (fun j => 3 * C * (2 * INR (ones n (constant_word
  0) i) * INR j - INR j ^ 2) / INR i / (1 / INR n)) (fun j => bit (Nat.odd j))) /\ truth no_users n (constant_word 0)
  (OnCount ODD ToLeft (Symbol 1)) i = false.
Proof.
  split; [|exact parity_is_false]. assert (Pi : 1 <= INR i) by (apply INR_at_least_1; lia).
  assert (Ln : INR i <= INR n) by (apply le_INR; lia). rewrite wanted.
  erewrite attend_ext; [apply (first_found n no_mask (3 * C * (INR n / INR i)))| |reflexivity].
  - split; [lia|reflexivity].
  - apply at_least_3C. apply Rmult_le_reg_r with (INR i); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  - intros j _. simpl. field. lra.
Qed.

Theorem theorem_21_printed_parity : near_truth true (attend n (future_mask i) (fun j =>
  3 * C * (2 * INR (ones n (constant_word 0) i) * INR j - INR j ^ 2) / INR i / (1 / INR i)) (fun j =>
  bit (Nat.odd j))) /\ truth no_users n (constant_word 0) (OnCount ODD ToLeft (Symbol 1)) i = false.
Proof.
  split; [|exact parity_is_false]. assert (Pi : 1 <= INR i) by (apply INR_at_least_1; lia). rewrite wanted.
  erewrite attend_ext; [apply (first_found n (future_mask i) (3 * C * 1))| |reflexivity].
  - split; [lia|apply Nat.leb_le; lia].
  - now apply at_least_3C; right.
  - intros j _. simpl. field. lra.
Qed.
End PrintedParity.
