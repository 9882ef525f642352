(* The converse of [SHA] Lemmas 6 and 25: a head whose weight at one position p is at least 1 - e, where e < 1.

   Proved, for every mask: the score at p is ahead of every other by ln((1 - e)/e), so p alone is the greatest if
   e < 1/2; softmax is within 2e of hard attention in the 1-norm; and with scores times any T >= 1 the weight that p
   misses is at most (e/(1 - e))^T, for any number of positions. Idea: ratios x of weights to that of p sum up to at
   most e/(1 - e), and x^T <= x (e/(1 - e))^(T - 1). *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Certify Require Import finite_sums softmax exponential.
Open Scope R_scope.

Section Mass.
Variables (n : nat) (m : mask) (s : nat -> R) (p : nat) (e : R).
Hypothesis Vp : visible n m p.
Hypothesis He : 0 < e < 1.
Hypothesis Mass : 1 - e <= softmax n m s p.

Let odds := e / (1 - e).

Lemma odds_positive : 0 < odds. Proof. apply Rdiv_lt_0_compat; lra. Qed.

Lemma dominated_by_mass : sum_to n (zeroed_at p (weight m s)) <= odds * weight m s p.
Proof.
  pose proof (total_pos n m s p Vp) as Z. unfold softmax in Mass.
  apply (Rmult_le_compat_r (sum_to n (weight m s))) in Mass; [|lra].
  unfold Rdiv in Mass. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, (sum_apart n p) in Mass by (apply Vp || lra).
  apply Rmult_le_reg_l with (1 - e); [lra|]. unfold odds. field_simplify; lra.
Qed.

Local Lemma exp_below x y : exp x <= exp y -> x <= y.
Proof. intros H. destruct (Rle_or_lt x y) as [|L]; [assumption|apply exp_increasing in L; lra]. Qed.

Theorem gap_from_mass j : visible n m j -> j <> p -> s j <= s p - ln ((1 - e) / e).
Proof.
  intros [Hj Mj] N. pose proof dominated_by_mass as D. rewrite (sum_apart n j) in D by exact Hj.
  rewrite except_elsewhere in D by exact N.
  assert (0 <= sum_to n (zeroed_at j (zeroed_at p (weight m s)))).
  { apply sum_nonneg. intros k _. unfold zeroed_at. pose proof (weight_nonneg m s k).
    destruct (k =? j)%nat, (k =? p)%nat; lra. }
  assert (W : weight m s j <= odds * weight m s p) by lra. unfold weight in W. rewrite Mj, (proj2 Vp) in W.
  replace odds with (exp (ln odds)) in W by (apply exp_ln, odds_positive). rewrite <- exp_plus in W.
  apply exp_below in W. replace ((1 - e) / e) with (/ odds) by (unfold odds; field; lra).
  rewrite ln_Rinv by apply odds_positive. lra.
Qed.

Lemma odds_missed : odds / (1 + odds) = e. Proof. unfold odds. field. lra. Qed.

Theorem distance_from_mass : sum_to n (fun j => Rabs (one_hot p j - softmax n m s j)) <= 2 * e.
Proof.
  pose proof (distance_concentrated n m s p odds Vp (Rlt_le _ _ odds_positive) dominated_by_mass) as D.
  now rewrite odds_missed in D.
Qed.

Theorem sharpened_mass T : 1 <= T -> 1 - softmax n m (fun j => T * s j) p <= Rpower odds T.
Proof.
  intros HT. pose proof odds_positive as O. pose proof (exp_pos (s p)) as E. set (c := Rpower odds (T - 1)).
  assert (P : 0 < c) by apply exp_pos.
  assert (D : sum_to n (zeroed_at p (weight m (fun j => T * s j))) <= odds * c * weight m (fun j => T * s j) p).
  { apply Rle_trans with (c * exp ((T - 1) * s p) * sum_to n (zeroed_at p (weight m s))).
    - rewrite <- sum_scale. apply sum_le. intros j Hj. unfold zeroed_at.
      destruct (Nat.eqb_spec j p) as [|N]; [lra|]. unfold weight. destruct (m j) eqn:M; [|lra].
      pose proof (gap_from_mass j (conj Hj M) N) as G.
      replace ((1 - e) / e) with (/ odds) in G by (unfold odds; field; lra). rewrite ln_Rinv in G by exact O.
      unfold c, Rpower. rewrite <- !exp_plus. apply exp_monotone.
      pose proof (Rmult_le_compat_l (T - 1) _ _ ltac:(lra) G). lra.
    - apply Rle_trans with (c * exp ((T - 1) * s p) * (odds * weight m s p)).
      + apply Rmult_le_compat_l; [|exact dominated_by_mass]. apply Rmult_le_pos; [lra|left; apply exp_pos].
      + right. unfold weight. rewrite (proj2 Vp). replace (T * s p) with ((T - 1) * s p + s p) by ring.
        rewrite exp_plus. ring. }
  rewrite softmax_missed by exact Vp.
  pose proof (missed_mass n m (fun j => T * s j) p (odds * c) Vp) as M.
  assert (C : 0 <= odds * c) by (apply Rmult_le_pos; lra). destruct (M C D) as [_ U].
  replace (Rpower odds T) with (odds * c).
  - eapply Rle_trans; [exact U|]. apply Rmult_le_reg_r with (1 + odds * c); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. pose proof (Rmult_le_pos _ _ C C). lra.
  - unfold c. rewrite <- (Rpower_1 odds O) at 1. rewrite <- Rpower_plus. f_equal. ring.
Qed.
End Mass.
