(* [SHA] Theorem 16: `since` future-masked and independent of n.

   Proved: as Theorem 15, error e^(-gamma), gamma >= ln 4; with Lemma 8 a in place of Lemma 8 b: the tie-breaking term
   is -1/j. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Certify Require Import positions finite_sums softmax exponential lemma_08_tie_breaking relu lemma_09_rounding
  formula theorem_15_since_until.
Open Scope R_scope.

Theorem since_head_causal p q n (i : position n) g : 0 < g -> Rabs (bit (since_at p q i) - attend n (future_mask i)
  (score_8a (fun j => bit (is_decisive p q j)) g i) (fun j => bit (both_hold p q j))) <= exp (- g).
Proof.
  intros Hg.
  destruct (rightmost_exists n (future_mask i) (fun j => bit (is_decisive p q j)) i (visible_future n i (in_word i)))
    as (k & K). rewrite <- (rightmost_decides p q n i k K).
  apply (attend_8 n (future_mask i) _ g k Hg (proj1 K)) with (v := fun j => bit (both_hold p q j)); [|intros;
    apply bit_range]. apply dominated_8a; auto using gap_bit. intros j [_ M]. now apply Nat.leb_le in M.
Qed.

(* ---- the statements: (a) temperature 1/i^2, (b) queries gamma i^2; the paper has gamma = 3 ---- *)
Section Statements.
Variables (p q : nat -> bool) (n : nat) (i : position n) (g : R).
Hypothesis Enough : ln 4 <= g.

Let i_pos : 0 < INR i.
Proof. apply lt_0_INR. lia. Qed.

Theorem theorem_16a : near_truth (since_at p q i) (attend n (future_mask i)
  (fun j => g * (bit (is_decisive p q j) - 1 / INR j) / (1 / INR i ^ 2)) (fun j => bit (both_hold p q j))).
Proof.
  apply (near_from_error _ (exp (- g))); [|now apply exp_at_most_quarter|].
  - erewrite (attend_ext _ _ (fun j => g * _ / _)); [apply (since_head_causal p q n i g);
      exact (above_ln_4 g Enough)| |reflexivity].
    intros j [Hj _]. unfold score_8a. pose proof (lt_0_INR j ltac:(lia)). field. lra.
  - eapply attend_range; [apply (visible_future n i (in_word i))|intros; apply bit_range].
Qed.

Theorem theorem_16b : near_truth (since_at p q i) (attend n (future_mask i)
  (fun j => (g * INR i ^ 2) * (bit (is_decisive p q j) - 1 / INR j) / 1) (fun j => bit (both_hold p q j))).
Proof.
  erewrite (attend_ext _ _ (fun j => g * INR i ^ 2 * _ / _)); [apply theorem_16a| |reflexivity].
  intros j [Hj _]. simpl. pose proof (lt_0_INR j ltac:(lia)). field. lra.
Qed.
End Statements.
