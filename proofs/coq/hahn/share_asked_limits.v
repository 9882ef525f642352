(* [Hahn] Theorem 6, 2DYCK, and footnote 4: where P_0(n) tends for p < 1/2 (docs/background/hahn.md, section 3).

   Proved, for 0 < p < 1/2: with rho = p/(1-p), P_0(n) tends to rho(2-rho)/(1+rho) over even n and to (3-rho)/4 over odd
   n: two constants, not one. At n = 2m it is below its limit by at most 6p/(m+2), at n = 2m+1 by at most 3/2/(m+2).
   Idea: with c_m the mass of the balanced prefixes of length 2m, c_(m+1) = t_m c_m for t_m = 4p(1-p) - 6p(1-p)/(m+2).
   So alive(2m) = (1-p)(c_m + c_(m+1) + ...) is between (1-p)c_m/(1 - t_m) and (1-p)c_m/(1 - 4p(1-p)). *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From Certify Require Import finite_sums exponential network critical_constants cross_entropy hahn_theorem_6_brackets
  hahn_footnote_4_heights.
Open Scope R_scope.

(* A sequence that falls to 0 is not negative. *)
Lemma falls_to_0 D : (forall m, D (S m) <= D m) -> Un_cv D 0 -> forall m, 0 <= D m.
Proof.
  intros F C m. destruct (Rle_lt_dec 0 (D m)) as [H|H]; [exact H|exfalso]. destruct (C (- D m) ltac:(lra)) as (N & HN).
  specialize (HN (N + m)%nat ltac:(lia)). assert (L : D (N + m)%nat <= D m).
  { clear HN. induction N as [|N IH]; simpl; [lra|]. eapply Rle_trans; [apply F|exact IH]. }
  unfold R_dist in HN. rewrite Rminus_0_r, Rabs_left in HN; lra.
Qed.

Local Lemma vanishes D K : (forall m, Rabs (D m) <= K / (INR m + 1)) -> Un_cv D 0.
Proof.
  intros H e He. destruct (some_position (K / e)) as (N & HN). exists N. intros m Hm. unfold R_dist.
  rewrite Rminus_0_r. apply le_INR in Hm. pose proof (pos_INR m). eapply Rle_lt_trans; [apply H|].
  apply Rmult_lt_reg_r with (INR m + 1); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply Rmult_lt_reg_r with (/ e); [now apply Rinv_0_lt_compat|].
  replace (e * (INR m + 1) * / e) with (INR m + 1) by (field; lra). unfold Rdiv in HN. lra.
Qed.

Lemma below_quotient a b k : 0 < k -> a * k <= b -> a <= b / k.
Proof. intros H L. apply Rmult_le_reg_r with k; [exact H|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. Qed.
Lemma above_quotient a b k : 0 < k -> a <= b * k -> a / k <= b.
Proof. intros H L. apply Rmult_le_reg_r with k; [exact H|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. Qed.
Lemma quotient_below a b k : a / k <= b -> 0 < k -> a <= b * k.
Proof.
  intros L H. apply Rmult_le_compat_r with (r := k) in L; [|lra].
  unfold Rdiv in L. rewrite Rmult_assoc, Rinv_l in L; lra.
Qed.
Lemma quotient_above a b k : a <= b / k -> 0 < k -> a * k <= b.
Proof.
  intros L H. apply Rmult_le_compat_r with (r := k) in L; [|lra].
  unfold Rdiv in L. rewrite Rmult_assoc, Rinv_l in L; lra.
Qed.

Section Limits.
Variable p : R.
Hypothesis Hp : 0 < p < 1 / 2.
Let P : 0 < p < 1.
Proof. lra. Qed.

Let x := p * (1 - p).
Local Definition balanced (m : nat) : R := height_mass p (2 * m) 0.                                         (* c_m *)
Local Definition ratio (m : nat) : R := 4 * x - 6 * x / (INR m + 2).                                   (* t_m *)
Let A (m : nat) : R := alive_dyck p (2 * m).
Let c := balanced.
Let y := (1 - 2 * p) ^ 2.

Local Lemma y_is : 1 - 4 * x = y. Proof. unfold x, y. ring. Qed.
Lemma y_positive : 0 < y. Proof. apply pow_lt. lra. Qed.

(* ---- masses ---- *)
Lemma balanced_is m : c m = ballot_number m m * (p ^ m * (1 - p) ^ m).
Proof. unfold c, balanced. rewrite <- (weighs_by_ballot_numbers p (2 * m) m m) by lia. f_equal. lia. Qed.

Lemma balanced_step m : c (S m) = ratio m * c m.
Proof.
  rewrite !balanced_is. unfold ballot_number, ratio, x. replace (S m + S m)%nat with (S (S (m + m))) by lia.
  rewrite (fact_simpl (S (m + m))), (fact_simpl (m + m)), (fact_simpl (S m)), (fact_simpl m).
  rewrite !mult_INR, !S_INR, plus_INR. pose proof (fact_positive m). pose proof (pos_INR m). simpl pow. field. lra.
Qed.

Lemma balanced_positive m : 0 < c m.
Proof.
  rewrite balanced_is. apply Rmult_lt_0_compat; [|auto with signs]. unfold ballot_number. pose proof (fact_positive m).
  pose proof (fact_positive (S m)). pose proof (fact_positive (m + m)). apply Rdiv_lt_0_compat; nra.
Qed.

Lemma alive_two_steps m : A (S m) = A m - (1 - p) * c m.
Proof.
  unfold A, c, balanced. replace (2 * S m)%nat with (S (S (2 * m))) by lia. rewrite !alive_step.
  rewrite (weighs_of_the_other_parity p (S (2 * m))); [ring|].
  rewrite Nat.add_0_r, Nat.odd_succ, Nat.even_mul. reflexivity.
Qed.

Lemma alive_dyck_positive n : 0 < alive_dyck p n. Proof. apply (alive_positive p P). Qed.

Local Lemma weighs_at_most n k : height_mass p n k <= alive_dyck p n.
Proof.
  unfold height_mass, alive_dyck, alive_mass. apply sum_words_le. intros w _. pose proof (word_mass_nonneg p P w).
  pose proof (bit_range (bracket_height w =? k)%nat). nra.
Qed.

Lemma alive_small m : A m <= 2 * p / (1 - 2 * p) / (INR m + 1) \/ m = 0%nat.
Proof.
  destruct m as [|m]; [now right|left]. set (n := (2 * S m)%nat). pose proof (expected_length_at_most p n Hp) as E.
  assert (F : forall j k, alive_dyck p (k + j) <= alive_dyck p j).
  { intros j k. induction k as [|k IH]; simpl; [lra|]. eapply Rle_trans; [apply (alive_falls p P)|exact IH]. }
  assert (S1 : INR n * A (S m) <= sum_to n (alive_dyck p)).
  { rewrite <- sum_one, <- sum_scale_r. apply sum_le. intros j Hj. unfold A. fold n. rewrite Rmult_1_l.
    replace n with ((n - j) + j)%nat at 1 by lia. apply F. }
  assert (N : INR n = 2 * INR (S m)) by (unfold n; now rewrite mult_INR). pose proof (INR_at_least_1 (S m) ltac:(lia)).
  pose proof (alive_dyck_positive n : 0 < A (S m)).
  apply Rmult_le_reg_r with (INR (S m) + 1); [lra|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra. nra.
Qed.

(* ---- between two geometric series ---- *)
Lemma ratio_range m : 0 <= ratio m <= 4 * x.
Proof.
  unfold ratio. pose proof (pos_INR m). assert (0 < x) by (unfold x; nra).
  assert (0 <= 6 * x / (INR m + 2) <= 4 * x); [|lra]. split.
  - auto with signs.
  - apply Rmult_le_reg_r with (INR m + 2); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra.
Qed.

Lemma ratio_grows m : ratio m <= ratio (S m).
Proof.
  unfold ratio. rewrite S_INR. pose proof (pos_INR m). assert (0 < x) by (unfold x; nra).
  assert (/ (INR m + 1 + 2) <= / (INR m + 2)) by (apply Rinv_le_contravar; lra). unfold Rdiv. nra.
Qed.

Lemma small_in_c k D : 0 <= k -> (forall m, Rabs (D m) <= k * A m) -> Un_cv D 0.
Proof.
  intros Hk H. set (K := k * (2 * p / (1 - 2 * p) + 1)). apply (vanishes D K). intros m. eapply Rle_trans; [apply H|].
  unfold K, Rdiv at 1. rewrite Rmult_assoc. apply Rmult_le_compat_l; [exact Hk|]. pose proof (pos_INR m).
  assert (Q : 0 < 2 * p / (1 - 2 * p)) by (apply Rdiv_lt_0_compat; lra). destruct (alive_small m) as [L| ->].
  - eapply Rle_trans; [exact L|]. unfold Rdiv at 1. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|lra].
  - unfold A, alive_dyck, alive_mass. simpl. lra.
Qed.

Lemma balanced_in_alive m : c m <= A m. Proof. apply weighs_at_most. Qed.

Lemma alive_at_most m : A m <= (1 - p) * c m / y.
Proof.
  pose proof y_positive as Y. cut (0 <= (1 - p) * c m / y - A m); [lra|]. revert m. apply falls_to_0.
  - intros m. rewrite alive_two_steps, balanced_step. pose proof (ratio_range m). pose proof (balanced_positive m).
    pose proof y_is. apply Rmult_le_reg_r with y; [exact Y|].
    replace (((1 - p) * (ratio m * c m) / y - (A m - (1 - p) * c m)) * y)
      with ((1 - p) * c m * ratio m - A m * y + (1 - p) * c m * y) by (field; lra).
    replace (((1 - p) * c m / y - A m) * y) with ((1 - p) * c m - A m * y) by (field; lra).
    assert (0 < (1 - p) * c m) by nra. nra.
  - apply (small_in_c (/ y + 1)); [pose proof (Rinv_0_lt_compat y Y); lra|]. intros m. apply Rabs_le.
    pose proof (balanced_in_alive m). pose proof (balanced_positive m).
    pose proof (alive_dyck_positive (2 * m) : 0 < A m).
    pose proof (Rinv_0_lt_compat y Y) as I. unfold Rdiv. assert (0 <= (1 - p) * c m * / y <= A m * / y); [|nra].
    split; [apply Rmult_le_pos; nra|apply Rmult_le_compat_r; nra].
Qed.

Local Lemma alive_at_least m : (1 - p) * c m / (1 - ratio m) <= A m.
Proof.
  pose proof y_positive as Y. pose proof y_is as E. cut (0 <= A m - (1 - p) * c m / (1 - ratio m)); [lra|].
  revert m. apply falls_to_0.
  - intros m. rewrite alive_two_steps, balanced_step. pose proof (ratio_range m). pose proof (ratio_range (S m)).
    pose proof (ratio_grows m). pose proof (balanced_positive m). set (t := ratio m) in *. set (t' := ratio (S m)) in *.
    assert (G : (1 - p) * c m * t * / (1 - t) <= (1 - p) * c m * t * / (1 - t')).
    { apply Rmult_le_compat_l; [apply Rmult_le_pos; nra|apply Rinv_le_contravar; lra]. }
    replace ((1 - p) * c m / (1 - t)) with ((1 - p) * c m + (1 - p) * c m * t * / (1 - t)) by (field; lra).
    unfold Rdiv. lra.
  - apply (small_in_c (/ y + 1)); [pose proof (Rinv_0_lt_compat y Y); lra|]. intros m. apply Rabs_le.
    pose proof (balanced_in_alive m). pose proof (balanced_positive m).
    pose proof (alive_dyck_positive (2 * m) : 0 < A m).
    pose proof (ratio_range m). assert (I : 0 < / (1 - ratio m) <= / y).
    { split; [apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra]. }
    unfold Rdiv. assert (0 <= (1 - p) * c m * / (1 - ratio m) <= A m * / y); [|nra].
    split; [apply Rmult_le_pos; nra|apply Rmult_le_compat; nra].
Qed.

(* The share of the balanced prefixes. *)
Definition share_balanced (m : nat) : R := balanced m / alive_dyck p (2 * m).
Theorem share_balanced_between m : y <= (1 - p) * share_balanced m <= y + 6 * x / (INR m + 2).
Proof.
  pose proof y_positive as Y. pose proof y_is as E. pose proof (alive_at_most m) as U.
  pose proof (alive_at_least m) as L. pose proof (ratio_range m). unfold share_balanced. fold (A m). fold (c m) in *.
  pose proof (alive_dyck_positive (2 * m) : 0 < A m) as Pa.
  replace ((1 - p) * (c m / A m)) with ((1 - p) * c m / A m) by (field; lra). split.
  - apply below_quotient; [exact Pa|]. apply quotient_above in U; [lra|exact Y].
  - replace (y + 6 * x / (INR m + 2)) with (1 - ratio m) by (unfold ratio; rewrite <- E; ring).
    apply above_quotient; [exact Pa|]. apply quotient_below in L; lra.
Qed.

(* ---- P_0(n) over even n, and over odd n ---- *)
Lemma odd_height_0 m : height_mass p (S (2 * m)) 0 = 0.
Proof. apply weighs_of_the_other_parity. rewrite Nat.add_0_r, Nat.odd_succ, Nat.even_mul. reflexivity. Qed.
Lemma even_height_1 m : height_mass p (2 * m) 1 = 0.
Proof. apply weighs_of_the_other_parity. rewrite Nat.add_1_r, Nat.odd_succ, Nat.even_mul. reflexivity. Qed.

Theorem share_asked_even m : share_asked p (2 * S m) = 1 - p - share_balanced (S m).
Proof.
  pose proof (share_asked_by_heights p (S (2 * m)) P) as E. rewrite odd_height_0 in E.
  pose proof (alive_step p (S (2 * m))) as S1. rewrite odd_height_0 in S1. pose proof (weighs_0 p (S (2 * m))) as W.
  replace (S (S (2 * m))) with (2 * S m)%nat in * by lia. unfold share_balanced, balanced. rewrite W.
  pose proof (alive_dyck_positive (2 * S m)) as Pa. apply Rmult_eq_reg_r with (alive_dyck p (2 * S m)); [|lra].
  rewrite E. field_simplify; [|lra]. rewrite S1. ring.
Qed.

Theorem share_asked_odd m : share_asked p (S (2 * m)) =
  (1 - p) * (1 - share_balanced m) / (1 - (1 - p) * share_balanced m).
Proof.
  pose proof (share_asked_by_heights p (2 * m) P) as E. rewrite even_height_1 in E.
  pose proof (alive_step p (2 * m)) as S1. pose proof (alive_dyck_positive (S (2 * m))) as Pb.
  pose proof (alive_dyck_positive (2 * m)) as Pa. unfold share_balanced, balanced.
  set (a := alive_dyck p (2 * m)) in *. set (b := height_mass p (2 * m) 0) in *. rewrite S1 in E, Pb.
  apply Rmult_eq_reg_r with (a - (1 - p) * b); [|lra]. rewrite E. field. split; lra.
Qed.

(* ---- the limits, reached from below ---- *)
Definition limit_even : R := let rho := p / (1 - p) in rho * (2 - rho) / (1 + rho).
Definition limit_odd : R := let rho := p / (1 - p) in (3 - rho) / 4.

Lemma share_balanced_near m : 0 <= share_balanced m - y / (1 - p) <= 6 * p / (INR m + 2).
Proof.
  destruct (share_balanced_between m) as [L U]. pose proof (pos_INR m). set (r := share_balanced m) in *.
  split; apply Rmult_le_reg_l with (1 - p); try lra.
  - replace ((1 - p) * (r - y / (1 - p))) with ((1 - p) * r - y) by (field; lra). lra.
  - replace ((1 - p) * (r - y / (1 - p))) with ((1 - p) * r - y) by (field; lra).
    replace ((1 - p) * (6 * p / (INR m + 2))) with (6 * x / (INR m + 2)) by (unfold x; field; lra). lra.
Qed.

Theorem share_asked_even_near m : limit_even - 6 * p / (INR (S m) + 2) <= share_asked p (2 * S m) <= limit_even.
Proof.
  rewrite share_asked_even. pose proof (share_balanced_near (S m)).
  replace limit_even with (1 - p - y / (1 - p)) by (unfold limit_even, y; field; lra). lra.
Qed.

Theorem share_asked_odd_near m : limit_odd - 3 / 2 / (INR m + 2) <= share_asked p (S (2 * m)) <= limit_odd.
Proof.
  rewrite share_asked_odd. pose proof (share_balanced_near m) as N. pose proof (pos_INR m) as M.
  assert (R1 : share_balanced m <= 1).
  { apply above_quotient; [apply alive_dyck_positive|]. rewrite Rmult_1_l. apply weighs_at_most. }
  set (r := share_balanced m) in *. set (d := r - y / (1 - p)) in *. assert (X : 0 < x) by (unfold x; nra).
  assert (Dn : p <= 1 - (1 - p) * r) by nra.
  assert (F : limit_odd - (1 - p) * (1 - r) / (1 - (1 - p) * r) = d / (4 * (1 - (1 - p) * r))).
  { unfold limit_odd, d, y. field. repeat split; lra. }
  assert (0 <= d / (4 * (1 - (1 - p) * r)) <= 3 / 2 / (INR m + 2)); [|lra]. split.
  - apply below_quotient; lra.
  - apply above_quotient; [lra|]. apply Rle_trans with (6 * p / (INR m + 2)); [lra|].
    replace (6 * p / (INR m + 2)) with (3 / 2 / (INR m + 2) * (4 * p)) by (field; lra).
    apply Rmult_le_compat_l; [|lra]. apply below_quotient; lra.
Qed.

Lemma from_below s L K : (forall m, L - K / (INR m + 1) <= s m <= L) -> Un_cv s L.
Proof.
  intros H. assert (Z : Un_cv (fun m => s m - L) 0).
  { apply (vanishes _ K). intros m. specialize (H m). rewrite Rabs_left1; lra. }
  intros e He. destruct (Z e He) as (N & HN). exists N. intros m Hm. specialize (HN m Hm).
  unfold R_dist in *. now rewrite Rminus_0_r in HN.
Qed.

Theorem share_asked_limit_even : Un_cv (fun m => share_asked p (2 * S m)) limit_even.
Proof.
  apply (from_below _ _ (6 * p)). intros m. pose proof (share_asked_even_near m) as H. rewrite S_INR in H.
  pose proof (pos_INR m). assert (6 * p / (INR m + 1 + 2) <= 6 * p / (INR m + 1)); [|lra].
  apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
Qed.

Theorem share_asked_limit_odd : Un_cv (fun m => share_asked p (S (2 * m))) limit_odd.
Proof.
  apply (from_below _ _ (3 / 2)). intros m. pose proof (share_asked_odd_near m) as H. pose proof (pos_INR m).
  assert (3 / 2 / (INR m + 2) <= 3 / 2 / (INR m + 1)); [|lra].
  apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
Qed.
End Limits.
