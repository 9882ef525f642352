(* Attention with ties, by softmax: what errors of scores and gaps force on the temperature.

   Two positions tie up to an error D of their scores: softmax at temperature tau gives one of them (1/2) tanh(D/(2
   tau)) too much. So an error of weights of at most eta < 1/2 needs D/tau <= ln((1 + 2 eta)/(1 - 2 eta)).
   m of N positions tie and the others score less by g: the others get the mass r/(1 + r), r = (N - m)/m e^(-g/tau). So
   at most eta needs g/tau >= ln((N - m)/m (1 - eta)/eta). Between both, D << tau << g/ln N, are the temperatures of
   theorem_26_with_ties.v; colder ones break ties that are not exact. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Certify Require Import positions finite_sums exponential softmax hard_attention.
Import PositionNotations. Open Scope R_scope.

(* Two positions, the first ahead by D. *)
Definition nearly_tied (D : R) (j : nat) : R := if Nat.eqb j 1 then D else 0.
Lemma exp_nothing t : exp (0 / t) = 1. Proof. unfold Rdiv. rewrite Rmult_0_l. apply exp_0. Qed.

Local Definition tanh (x : R) : R := (exp x - exp (- x)) / (exp x + exp (- x)).

Lemma nearly_tied_weight D tau :
  softmax_at tau 2%nat no_mask (nearly_tied D) 1%nat = exp (D / tau) / (exp (D / tau) + 1).
Proof. unfold softmax_at, softmax, weight, nearly_tied, no_mask. simpl. rewrite exp_nothing. f_equal. ring. Qed.

Theorem tie_distorted D tau : softmax_at tau 2%nat no_mask (nearly_tied D) 1%nat - 1 / 2 = 1 / 2 * tanh (D / tau / 2).
Proof.
  rewrite nearly_tied_weight. unfold tanh. set (x := D / tau). pose proof (exp_pos (x / 2)) as P.
  replace (exp x) with (exp (x / 2) * exp (x / 2)) by (rewrite <- exp_plus; f_equal; lra).
  rewrite exp_Ropp. set (e := exp (x / 2)) in *. assert (0 < e * e) by nra. field. repeat split; nra.
Qed.

Theorem tie_needs_warmth D tau eta : 0 < eta < 1 / 2 ->
  softmax_at tau 2%nat no_mask (nearly_tied D) 1%nat - 1 / 2 <= eta -> D / tau <= ln ((1 + 2 * eta) / (1 - 2 * eta)).
Proof.
  intros He. rewrite nearly_tied_weight. set (x := D / tau). pose proof (exp_pos x) as P. intros H.
  assert (Q : exp x * (1 - 2 * eta) <= 1 + 2 * eta).
  { assert (A : exp x / (exp x + 1) * (exp x + 1) <= (1 / 2 + eta) * (exp x + 1)) by (apply Rmult_le_compat_r; lra).
    replace (exp x / (exp x + 1) * (exp x + 1)) with (exp x) in A by (field; lra). lra. }
  assert (B : exp x <= (1 + 2 * eta) / (1 - 2 * eta)).
  { apply Rmult_le_reg_r with (1 - 2 * eta); [lra|].
    replace ((1 + 2 * eta) / (1 - 2 * eta) * (1 - 2 * eta)) with (1 + 2 * eta) by (field; lra). exact Q. }
  rewrite <- (ln_exp x) at 1. destruct B as [B| ->]; [left; now apply ln_increasing|lra].
Qed.

(* The first m of N positions tie, the others score less by g. *)
Definition tied_ahead (m : nat) (g : R) (j : nat) : R := if (j <=? m)%nat then 0 else - g.

Lemma sum_ahead m x N : (m <= N)%nat ->
  sum_to N (fun j => if (j <=? m)%nat then 1 else x) = INR m + (INR N - INR m) * x.
Proof.
  intros H. induction N as [|N IH].
  - replace m with 0%nat by lia. simpl. ring.
  - cbn [sum_to]. destruct (Nat.leb_spec (S N) m) as [L|L].
    + replace m with (S N) in * by lia. rewrite (sum_ext N _ (fun _ => 1)). 2: { intros j Hj.
      now rewrite (proj2 (Nat.leb_le j (S N))) by lia. } rewrite S_INR, sum_one. ring.
    + rewrite IH by lia. rewrite S_INR. ring.
Qed.

Definition mass_beside (m N : nat) (g tau : R) : R :=
  1 - sum_to N (fun j => if (j <=? m)%nat then softmax_at tau N no_mask (tied_ahead m g) j else 0).

Lemma mass_beside_value m N g tau : m upto N ->
  let r := (INR N - INR m) / INR m * exp (- g / tau) in mass_beside m N g tau = r / (1 + r).
Proof.
  intros H. cbv zeta. unfold mass_beside, softmax_at, softmax, weight, no_mask, tied_ahead.
  assert (M : 1 <= INR m) by (apply (le_INR 1); lia). assert (NM : INR m <= INR N) by (apply le_INR; lia).
  set (x := exp (- g / tau)). pose proof (exp_pos (- g / tau)) as P. fold x in P.
  rewrite (sum_ext N (fun j => exp ((if (j <=? m)%nat then 0 else - g) / tau)) (fun j =>
    if (j <=? m)%nat then 1 else x)). 2: { intros j Hj. destruct (j <=? m)%nat; [|reflexivity]. apply exp_nothing.
  } rewrite sum_ahead by lia. set (total := INR m + (INR N - INR m) * x). assert (T : 0 < total) by (unfold total; nra).
  rewrite (sum_ext N _ (fun j => if (j <=? m)%nat then 1 / total else 0)). 2: { intros j Hj.
  destruct (j <=? m)%nat; [|reflexivity]. now rewrite exp_nothing.
  } rewrite (sum_ext N _ (fun j => (if (j <=? m)%nat then 1 else 0) * (1 / total))). 2: { intros j Hj.
  destruct (j <=? m)%nat; ring. } rewrite sum_scale_r, sum_ahead by lia. fold total. unfold total in *. field. lra.
Qed.

Theorem gap_needs_cold m N g tau eta : (1 <= m < N)%nat -> 0 < eta < 1 ->
  mass_beside m N g tau <= eta -> ln ((INR N - INR m) / INR m * ((1 - eta) / eta)) <= g / tau.
Proof.
  intros H He. rewrite mass_beside_value by lia. cbv zeta. set (b := (INR N - INR m) / INR m).
  assert (M : 1 <= INR m) by (apply (le_INR 1); lia). assert (NM : INR m < INR N) by (apply lt_INR; lia).
  assert (B : 0 < b) by (apply Rdiv_lt_0_compat; lra). pose proof (exp_pos (- g / tau)) as P.
  set (x := exp (- g / tau)) in *. intros Q. assert (R : 0 < b * x) by (apply Rmult_lt_0_compat; lra).
  assert (S : b * x * (1 - eta) <= eta).
  { assert (A : b * x / (1 + b * x) * (1 + b * x) <= eta * (1 + b * x)) by (apply Rmult_le_compat_r; lra).
    replace (b * x / (1 + b * x) * (1 + b * x)) with (b * x) in A by (field; lra). lra. }
  assert (C : b * ((1 - eta) / eta) <= exp (g / tau)).
  { replace (exp (g / tau)) with (/ x) by (unfold x; rewrite <- exp_Ropp; f_equal; unfold Rdiv; ring).
    apply Rmult_le_reg_r with (x * eta); [apply Rmult_lt_0_compat; lra|].
    replace (b * ((1 - eta) / eta) * (x * eta)) with (b * x * (1 - eta)) by (field; lra).
    replace (/ x * (x * eta)) with eta by (field; lra). exact S. }
  rewrite <- (ln_exp (g / tau)). assert (0 < b * ((1 - eta) / eta)).
  { auto with signs. }
  destruct C as [C| ->]; [left; now apply ln_increasing|lra].
Qed.

(* ---- leftmost and rightmost heads: a term that breaks ties ---- *)
(* Beside scores with gap g the term adds g/(2n) for each position by which p is further: ahead by g/(2n) in all. *)
Lemma ahead_by_a_term n g a b further : (1 <= n)%nat -> 0 < g -> 1 - INR n <= further ->
  a <= b - g \/ (a <= b /\ 1 <= further) -> a <= b + g / (2 * INR n) * further - g / (2 * INR n).
Proof.
  intros Hn G F A. pose proof (INR_at_least_1 n Hn) as N1. set (e := g / (2 * INR n)).
  assert (E : e * INR n = g / 2) by (unfold e; field; lra).
  assert (E0 : 0 < e) by (apply Rmult_lt_0_compat; [exact G|apply Rinv_0_lt_compat; lra]). destruct A as [A|[A F1]].
  - assert (e * (1 - INR n) <= e * further) by (apply Rmult_le_compat_l; lra). lra.
  - assert (e * 1 <= e * further) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(* Scores with gap g, plus g/(2n) j: the rightmost of the greatest is unique, and ahead by g/(2n). *)
Theorem rightmost_by_a_term n m s g p : (1 <= n)%nat -> 0 < g -> has_gap n m s g -> is_rightmost n m s p -> forall j,
  visible n m j -> j <> p -> s j + g / (2 * INR n) * INR j <= s p + g / (2 * INR n) * INR p - g / (2 * INR n).
Proof.
  intros Hn G Gap [Vp H] j Vj N. destruct (H j Vj) as [L R].
  pose proof (INR_at_least_1 p (proj1 (proj1 Vp))). pose proof (le_INR j n (proj2 (proj1 Vj))).
  enough (A : s j <= s p + g / (2 * INR n) * (INR p - INR j) - g / (2 * INR n)) by lra.
  apply ahead_by_a_term; [exact Hn|exact G|lra|].
  destruct (Gap p Vp (fun k Vk => proj1 (H k Vk)) j Vj) as [T|T]; [right|left; lra]. split; [exact L|].
  destruct (Nat.lt_trichotomy j p) as [B|[B|B]]; [|contradiction|specialize (R B); lra].
  apply le_INR in B. rewrite S_INR in B. lra.
Qed.

(* With the opposite sign: the leftmost. *)
Theorem leftmost_by_a_term n m s g p : (1 <= n)%nat -> 0 < g -> has_gap n m s g -> is_leftmost n m s p -> forall j,
  visible n m j -> j <> p -> s j - g / (2 * INR n) * INR j <= s p - g / (2 * INR n) * INR p - g / (2 * INR n).
Proof.
  intros Hn G Gap [Vp H] j Vj N. destruct (H j Vj) as [L R].
  pose proof (INR_at_least_1 j (proj1 (proj1 Vj))). pose proof (le_INR p n (proj2 (proj1 Vp))).
  enough (A : s j <= s p + g / (2 * INR n) * (INR j - INR p) - g / (2 * INR n)) by lra.
  apply ahead_by_a_term; [exact Hn|exact G|lra|].
  destruct (Gap p Vp (fun k Vk => proj1 (H k Vk)) j Vj) as [T|T]; [right|left; lra]. split; [exact L|].
  destruct (Nat.lt_trichotomy j p) as [B|[B|B]]; [specialize (R B); lra|contradiction|].
  apply le_INR in B. rewrite S_INR in B. lra.
Qed.
