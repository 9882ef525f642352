(* Lemma 8 for low precision: scores that are integers times gamma.

   Proved, for every mask: gamma (j + L s_j) finds the rightmost maximal position if no visible position exceeds N and
   N <= L, and gamma (L s_j - j) the leftmost one if n <= L; to within 2 e^(-gamma) in the norm of Lemma 6, within
   e^(-gamma) in every mean of values of [0, 1]. Idea: that of Lemma 8; the scores of the others, of lower s_j, follow
   on those of the tied ones without a gap. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Certify Require Import finite_sums softmax lemma_08_tie_breaking.
Open Scope R_scope.

Section Scores.
Variables (n : nat) (m : mask) (s : nat -> R) (g L : R).
Hypothesis Hg : 0 < g.

Definition rightmost_score (j : nat) : R := g * (INR j + L * s j).
Definition leftmost_score (j : nat) : R := g * (L * s j - INR j).

Hypothesis Gap : has_gap n m s 1.

Lemma dominated_rightmost N p : INR N <= L -> (forall j, visible n m j -> (j <= N)%nat) -> is_rightmost n m s p ->
  sum_to n (zeroed_at p (weight m rightmost_score)) <= exp (- g) / (1 - exp (- g)) * weight m rightmost_score p.
Proof.
  intros HL HN R. pose proof R as [V M]. pose proof (pos_INR N) as P.
  apply dominated_left with N; auto. intros j Vj Ne. split; [now apply HN|]. pose proof (HN p V) as Lp.
  assert (T : INR (if (j <? p)%nat then p - j else p + N - j) <= (INR p + L * s p) - (INR j + L * s j)).
  { destruct (Nat.ltb_spec j p) as [A|A].
    - rewrite minus_INR by lia. assert (s j <= s p) by apply (proj1 (M j Vj)).
      assert (0 <= L * (s p - s j)) by (apply Rmult_le_pos; lra). lra.
    - pose proof (HN j Vj). destruct (pivot_is_greatest n m s Gap p (or_introl R) j Vj) as [E|B].
      { destruct (M j Vj) as [_ C]. specialize (C ltac:(lia)). lra. }
      assert (L * 1 <= L * (s p - s j)) by (apply Rmult_le_compat_l; lra). rewrite minus_INR, plus_INR by lia. lra. }
  unfold rightmost_score. apply Rmult_le_compat_l with (r := g) in T; lra.
Qed.

Lemma dominated_leftmost p : INR n <= L -> is_leftmost n m s p ->
  sum_to n (zeroed_at p (weight m leftmost_score)) <= exp (- g) / (1 - exp (- g)) * weight m leftmost_score p.
Proof.
  intros HL R. pose proof R as [V M]. pose proof (pos_INR n) as P. apply dominated_right with n; auto. intros j Vj Ne.
  assert (T : INR (if (p <? j)%nat then j - p else n + j - p) <= (L * s p - INR p) - (L * s j - INR j)).
  { destruct (Nat.ltb_spec p j) as [A|A].
    - rewrite minus_INR by lia. assert (s j <= s p) by apply (proj1 (M j Vj)).
      assert (0 <= L * (s p - s j)) by (apply Rmult_le_pos; lra). lra.
    - destruct (pivot_is_greatest n m s Gap p (or_intror R) j Vj) as [E|B].
      { destruct (M j Vj) as [_ C]. specialize (C ltac:(lia)). lra. }
      assert (L * 1 <= L * (s p - s j)) by (apply Rmult_le_compat_l; lra).
      rewrite minus_INR, plus_INR by (destruct V; lia). lra. }
  unfold leftmost_score. apply Rmult_le_compat_l with (r := g) in T; lra.
Qed.

Theorem low_precision_rightmost N p : INR N <= L -> (forall j, visible n m j -> (j <= N)%nat) ->
  is_rightmost n m s p -> sum_to n (fun j => Rabs (one_hot p j - softmax n m rightmost_score j)) <= 2 * exp (- g).
Proof. intros HL HN R. apply distance_8; [exact Hg|apply R|now apply dominated_rightmost with N]. Qed.

Theorem low_precision_leftmost p : INR n <= L -> is_leftmost n m s p ->
  sum_to n (fun j => Rabs (one_hot p j - softmax n m leftmost_score j)) <= 2 * exp (- g).
Proof. intros HL R. apply distance_8; [exact Hg|apply R|now apply dominated_leftmost]. Qed.
End Scores.
