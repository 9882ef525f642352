(* [SHA] Section 4.5: PARITY without numerical predicates, #<[ #<[prev Q_1] == #>[Q_1] ] == 0.

   Proved: at the last position of every word it is true exactly if the number of 1's is odd. Idea: at position i
   the two inner counts are c and N - c, where c symbols before i are 1 and N are in all; c runs through 0, ..., N
   in steps of at most 1, so that 2c = N somewhere if N is even. *)
From Coq Require Import Arith Bool List ZArith Lia.
From Certify Require Import positions lists formula.
Import ListNotations.

Definition parity_by_halves : formula := Compare Equal (Plus 1 ToLeft (Compare Equal (Plus 1 ToLeft (Previous (Symbol
  1)) (Number 0)) (Plus 1 ToRight (Symbol 1) (Number 0))) (Number 0)) (Number 0).

Section Word.
Variables (users : predicate_meanings) (n : nat) (w : word).
Let one (i : nat) : bool := w i =? 1.
Local Definition ones_up_to (i : nat) : nat := length (filter one (seq 1 i)).

Lemma ones_step i : ones_up_to (S i) = ones_up_to i + Nat.b2n (one (S i)).
Proof.
  unfold ones_up_to. rewrite seq_S, filter_app, length_app. cbn [Nat.add filter]. destruct (one (S i)); reflexivity.
Qed.

Lemma ones_monotone i j : i <= j -> ones_up_to i <= ones_up_to j.
Proof. induction 1 as [|j _ IH]; [lia|]. rewrite ones_step. lia. Qed.

Lemma count_before i : 1 <= i -> counted_on ToLeft n (truth users n w (Previous (Symbol 1))) i = ones_up_to (i - 1).
Proof.
  unfold counted_on, looked_at. induction i as [|[|i] IH]; intros H; [lia|reflexivity|].
  rewrite seq_S, filter_app, length_app, IH by lia. cbn [Nat.add]. replace (S (S i) - 1) with (S i) by lia.
  replace (S i - 1) with i by lia. rewrite ones_step. f_equal. cbn [filter truth]. replace (S (S i) =? 1) with false by
    reflexivity. cbn [negb andb]. replace (S (S i) - 1) with (S i) by lia. unfold one. now destruct (w (S i) =? 1).
Qed.

Lemma count_from (i : position n) : counted_on ToRight n (truth users n w (Symbol 1)) i
  = ones_up_to n - ones_up_to (i - 1).
Proof.
  unfold counted_on, looked_at, ones_up_to. replace (seq 1 n) with (seq 1 (i - 1) ++ seq i (S n - i)).
  - rewrite filter_app, length_app. change (truth users n w (Symbol 1)) with one. lia.
  - replace (seq 1 n) with (seq 1 ((i - 1) + (S n - i))) by (f_equal; lia). rewrite seq_app.
    now replace (1 + (i - 1)) with (i : nat) by lia.
Qed.

(* The two inner counts are equal. *)
Local Definition half (i : nat) : bool := 2 * ones_up_to (i - 1) =? ones_up_to n.
Lemma inner_truth (i : position n) : truth users n w (Compare Equal (Plus 1 ToLeft (Previous (Symbol 1)) (Number 0))
                                 (Plus 1 ToRight (Symbol 1) (Number 0))) i = half i.
Proof.
  cbn [truth value_of_term relation_holds]. fold (truth users n w (Previous (Symbol 1))).
  change (fun i0 => negb (i0 =? 1) && (w (i0 - 1) =? 1)) with (truth users n w (Previous (Symbol 1))).
  change (fun i0 => w i0 =? 1) with (truth users n w (Symbol 1)). rewrite count_before, count_from by lia.
  pose proof (ones_monotone (i - 1) n ltac:(lia)). unfold half. apply eq_true_iff_eq. rewrite Z.eqb_eq, Nat.eqb_eq. lia.
Qed.

Lemma every_number_met k i : k <= ones_up_to i -> exists j, j <= i /\ ones_up_to j = k.
Proof.
  induction i as [|i IH]; intros H; [exists 0; split; [lia|]; cbn in *; lia|].
  destruct (Nat.eq_dec k (ones_up_to (S i))) as [->|N]; [now exists (S i)|].
  destruct IH as (j & J & E); [|exists j; split; [lia|exact E]].
  rewrite ones_step in *. destruct (one (S i)); cbn [Nat.b2n] in *; lia.
Qed.

Theorem parity_by_halves_is_parity : 1 <= n ->
  truth users n w parity_by_halves n = Nat.odd (counted_on ToLeft n (truth users n w (Symbol 1)) n).
Proof.
  intros Hn. change (counted_on ToLeft n (truth users n w (Symbol 1)) n) with (ones_up_to n).
  unfold parity_by_halves. set (inner := Compare Equal (Plus 1 ToLeft (Previous _) _) _).
  change (truth users n w _ n) with (Z.eqb (1 * Z.of_nat (counted_on ToLeft n (truth users n w inner) n) + 0) 0).
  rewrite (counted_ext ToLeft n (truth users n w inner) half n (each_position inner_truth)) by lia.
  set (c := counted_on ToLeft n half n).
  replace (Z.eqb _ _) with (c =? 0) by (apply eq_true_iff_eq; rewrite Nat.eqb_eq, Z.eqb_eq; lia).
  destruct (Nat.odd (ones_up_to n)) eqn:O.
  - apply Nat.eqb_eq. unfold c, counted_on.
    destruct (filter half (looked_at ToLeft n n)) as [|i l] eqn:F; [reflexivity|]. exfalso.
    assert (I : In i (filter half (looked_at ToLeft n n))) by (rewrite F; now left). apply filter_In in I as [_ I].
    apply Nat.eqb_eq in I. rewrite <- I, Nat.odd_mul in O. discriminate.
  - apply Nat.eqb_neq. assert (E : Nat.even (ones_up_to n) = true) by (rewrite <- Nat.negb_odd, O; reflexivity).
    apply Nat.even_spec in E as [k E]. destruct (every_number_met k (n - 1)) as (j & J & M).
    { pose proof (ones_step (n - 1)) as S. replace (Datatypes.S (n - 1)) with n in S by lia.
      destruct (one n); cbn [Nat.b2n] in S; lia. }
    unfold c, counted_on. intros Z. apply length_zero_iff_nil in Z.
    assert (I : In (S j) (filter half (looked_at ToLeft n n))).
    { apply filter_In. split; [apply in_seq; lia|]. unfold half. apply Nat.eqb_eq.
      replace (S j - 1) with j by lia. lia. }
    rewrite Z in I. destruct I.
Qed.
End Word.
