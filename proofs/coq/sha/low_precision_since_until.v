(* `since` and `until` for low precision: Theorem 15 with scores that are integers times gamma, at temperature 1.

   Proved, for every n, every position i and all truth values p, q of the operands: one future-masked head with scores
   gamma (j + i [p -> q]) and values [p & q] is within e^(-gamma) of `p since q`; past-masked with gamma (n [p -> q] -
   j), of `p until q`. So for gamma >= ln 4 it is near enough for Lemma 9 to make the answer exact. The head of
   `since` does not mention n. Idea: that of Theorem 15. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Certify Require Import positions finite_sums softmax exponential lemma_08_tie_breaking relu lemma_09_rounding
  formula theorem_15_since_until low_precision_tie_breaking.
Open Scope R_scope.

Section Operands.
Variables (p q : nat -> bool) (n : nat) (i : position n) (g : R).

Let finds (j : nat) : R := bit (is_decisive p q j).
Let answer (j : nat) : R := bit (both_hold p q j).

Theorem low_precision_since_error : 0 < g ->
  Rabs (bit (since_at p q i) - attend n (future_mask i) (fun j => g * (INR j + INR i * finds j)) answer) <= exp (- g).
Proof.
  intros Hg. destruct (rightmost_exists n (future_mask i) finds i (visible_future n i (in_word i))) as (k & K).
  rewrite <- (rightmost_decides p q n i k K).
  apply (attend_8 n (future_mask i) _ g k Hg (proj1 K)) with (v := answer); [|intros; apply bit_range].
  apply (dominated_rightmost n (future_mask i) finds g (INR i) Hg (gap_bit n _ _) i k (Rle_refl _)); [|exact K].
  intros j [_ M]. now apply Nat.leb_le in M.
Qed.

Theorem low_precision_until_error : 0 < g ->
  Rabs (bit (until_at n p q i) - attend n (past_mask i) (fun j => g * (INR n * finds j - INR j)) answer) <= exp (- g).
Proof.
  intros Hg. destruct (leftmost_exists n (past_mask i) finds i (visible_past n i (in_word i))) as (k & K).
  rewrite <- (leftmost_decides p q n i k K).
  apply (attend_8 n (past_mask i) _ g k Hg (proj1 K)) with (v := answer); [|intros; apply bit_range].
  exact (dominated_leftmost n (past_mask i) finds g (INR n) Hg (gap_bit n _ _) k (Rle_refl _) K).
Qed.

(* ---- for gamma >= ln 4: near enough, and exact once rounded ---- *)
Hypothesis Enough : ln 4 <= g.

Theorem low_precision_since :
  near_truth (since_at p q i) (attend n (future_mask i) (fun j => g * (INR j + INR i * finds j)) answer).
Proof.
  apply (near_from_error _ (exp (- g))); [apply low_precision_since_error,
    (above_ln_4 g Enough)|now apply exp_at_most_quarter|].
  eapply attend_range; [apply (visible_future n i (in_word i))|intros; apply bit_range].
Qed.

Theorem low_precision_until :
  near_truth (until_at n p q i) (attend n (past_mask i) (fun j => g * (INR n * finds j - INR j)) answer).
Proof.
  apply (near_from_error _ (exp (- g))); [apply low_precision_until_error,
    (above_ln_4 g Enough)|now apply exp_at_most_quarter|].
  eapply attend_range; [apply (visible_past n i (in_word i))|intros; apply bit_range].
Qed.

Corollary low_precision_since_rounded :
  rounded_truth (attend n (future_mask i) (fun j => g * (INR j + INR i * finds j)) answer) = bit (since_at p q i).
Proof. exact (near_rounded _ _ low_precision_since). Qed.

Corollary low_precision_until_rounded :
  rounded_truth (attend n (past_mask i) (fun j => g * (INR n * finds j - INR j)) answer) = bit (until_at n p q i).
Proof. exact (near_rounded _ _ low_precision_until). Qed.
End Operands.
