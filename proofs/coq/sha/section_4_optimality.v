(* [SHA] Section 4.3, the remark on optimality: "for a fixed-size gap, some activation in the transformer must be scaled
   up by a factor of n", so that 1/n is as large as a temperature can be. What is true of it.

   Proved: attention finds one of n positions to within 1/4 only if its scores are ln(3(n-1)) apart, whatever they are;
   and scores in [0, t] find the first position to within 1/4 if and only if t >= ln(3(n-1)). So a factor that grows
   with ln n is needed and, there, enough: 3 ln n from n = 2 on, which is below any c n. The heads of Theorems 12 and 15
   do need a factor of order n, as their ties are broken by steps of order 1/n: with less than 2 ln(3) n the head of
   `since` is wrong at every n >= 2, with less than ln(3) n the head of `prev` at every n >= 4.
   Idea: if all scores are at most t apart, each position weighs at least e^(-t) times the one that is looked for. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Certify Require Import positions finite_sums softmax exponential relu formula proposition_11_end_markers
  theorem_12_previous_next theorem_15_since_until critical_constants.
Import PositionNotations. Open Scope R_scope.

Lemma one_hot_range p j : 0 <= one_hot p j <= 1. Proof. unfold one_hot. destruct (j =? p)%nat; lra. Qed.

(* ---- necessary: any scores, any position ---- *)
Lemma count_others n p : p upto n -> sum_to n (zeroed_at p (fun _ => 1)) = INR n - 1.
Proof. intros H. pose proof (sum_one n) as E. rewrite (sum_apart n p) in E by exact H. lra. Qed.

Lemma attend_one_hot n s p : p upto n -> attend n no_mask s (one_hot p) = softmax n no_mask s p.
Proof.
  intros H. unfold attend. rewrite (sum_apart n p) by exact H. rewrite one_hot_here, sum_zero; [lra|]. intros j _.
  unfold zeroed_at. destruct (Nat.eqb_spec j p); [reflexivity|]. rewrite one_hot_elsewhere by assumption. lra.
Qed.

Theorem finding_needs_logarithm n s p t : p upto n -> (each j upto n, s p - t <= s j) ->
  Rabs (1 - attend n no_mask s (one_hot p)) <= 1 / 4 -> 3 * (INR n - 1) <= exp t.
Proof.
  intros Hp H A. rewrite attend_one_hot in A by exact Hp. unfold softmax in A. rewrite (sum_apart n p) in A by exact Hp.
  set (w := weight no_mask s p) in *. set (o := sum_to n (zeroed_at p (weight no_mask s))) in *.
  assert (W : 0 < w) by now apply weight_pos. assert (O : 0 <= o) by apply others_nonneg.
  assert (L : w * exp (- t) * (INR n - 1) <= o).
  { rewrite <- (count_others n p Hp), <- sum_scale. apply sum_le. intros j Hj. unfold zeroed_at.
    destruct (j =? p)%nat; [lra|]. unfold w, weight, no_mask. rewrite Rmult_1_r, <- exp_plus. apply exp_monotone.
    specialize (H j Hj). lra. }
  assert (T : 3 * o <= w).
  { pose proof (Rle_abs (1 - w / (w + o))) as B. assert (C : 3 / 4 <= w / (w + o)) by lra.
    apply Rmult_le_compat_r with (r := w + o) in C; [|lra]. unfold Rdiv in C. rewrite !Rmult_assoc, Rinv_l in C; lra. }
  assert (D : 3 * (INR n - 1) * exp (- t) * w <= 1 * w) by lra. apply Rmult_le_reg_r in D; [|exact W].
  apply Rmult_le_reg_r with (exp (- t)); [apply exp_pos|]. rewrite <- exp_plus, Rplus_opp_r, exp_0. exact D.
Qed.

Lemma at_least_ln x t : 0 < x -> x <= exp t <-> ln x <= t.
Proof. intros Hx. split; [now apply ln_below|]. intros H. rewrite <- (exp_ln x Hx). now apply exp_monotone. Qed.

(* ---- sufficient: the first position, under any mask that shows it ---- *)
Theorem first_position_found n m t v : (1 <= n)%nat -> m 1%nat = true -> 3 * (INR n - 1) <= exp t -> (forall j,
  visible n m j -> 0 <= v j <= 1) -> Rabs (v 1%nat - attend n m (fun j => t * one_hot 1 j) v) <= 1 / 4.
Proof.
  intros Hn Hm H Hv. set (s := fun j => t * one_hot 1 j). set (b := (INR n - 1) * exp (- t)).
  pose proof (INR_at_least_1 n Hn) as N. pose proof (exp_pos (- t)) as E. assert (B : 0 <= b <= 1 / 3).
  { split; [apply Rmult_le_pos; lra|]. unfold b. apply Rmult_le_compat_r with (r := exp (- t)) in H; [|lra].
    rewrite <- exp_plus, Rplus_opp_r, exp_0 in H. lra. }
  apply Rle_trans with (b / (1 + b)).
  - apply (attend_concentrated n m s 1 b); [split; [lia|exact Hm]|apply B| |exact Hv]. unfold b, weight at 2, s.
    rewrite Hm, one_hot_here, Rmult_1_r, Rmult_assoc, <- exp_plus, Rplus_opp_l, exp_0.
    rewrite Rmult_1_r, <- (count_others n 1) by lia. apply sum_le. intros j _. unfold zeroed_at.
    destruct (Nat.eqb_spec j 1) as [|Ne]; [lra|]. unfold weight.
    rewrite one_hot_elsewhere, Rmult_0_r, exp_0 by exact Ne. destruct (m j); lra.
  - apply Rmult_le_reg_r with (1 + b); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(* Both together. *)
Theorem optimality_first_position n t : (2 <= n)%nat -> (forall v, (forall j, 0 <= v j <= 1) ->
  Rabs (v 1%nat - attend n no_mask (fun j => t * one_hot 1 j) v) <= 1 / 4) <-> ln (3 * (INR n - 1)) <= t.
Proof.
  intros Hn. assert (N : 2 <= INR n) by now apply (le_INR 2). rewrite <- at_least_ln by lra. split; intros H.
  - destruct (Rle_lt_dec 0 t) as [T|T].
    + apply (finding_needs_logarithm n (fun j => t * one_hot 1 j) 1 t); [lia| |].
      * intros j _. rewrite one_hot_here. unfold one_hot. destruct (j =? 1)%nat; lra.
      * specialize (H (one_hot 1)). rewrite one_hot_here in H. apply H, one_hot_range.
    + assert (X : 3 * (INR n - 1) <= exp 0); [|rewrite exp_0 in X; lra].
      apply (finding_needs_logarithm n (fun j => t * one_hot 1 j) 1 0); [lia| |].
      * intros j _. rewrite one_hot_here. unfold one_hot. destruct (j =? 1)%nat; lra.
      * specialize (H (one_hot 1)). rewrite one_hot_here in H. apply H, one_hot_range.
  - intros v Hv. apply first_position_found; [lia|reflexivity|exact H|auto].
Qed.

(* ---- a factor of 3 ln n is enough, and no factor of order n ---- *)
Lemma three_logarithms n : (2 <= n)%nat -> 3 * (INR n - 1) <= exp (3 * ln (INR n)).
Proof.
  intros Hn. assert (N : 2 <= INR n) by now apply (le_INR 2). replace (3 * ln (INR n)) with (- (INR 3 * - ln (INR n))).
  - rewrite <- exp_power, Ropp_involutive, exp_ln by lra. set (x := INR n) in *. simpl. nra.
  - simpl. ring.
Qed.

Theorem logarithm_enough n m v : (2 <= n)%nat -> m 1%nat = true -> (forall j, visible n m j -> 0 <= v j <= 1) ->
  Rabs (v 1%nat - attend n m (fun j => 3 * ln (INR n) * one_hot 1 j) v) <= 1 / 4.
Proof. intros Hn Hm Hv. apply first_position_found; auto using three_logarithms. lia. Qed.

Lemma ln_below_root x : 1 <= x -> ln x <= 2 * sqrt x.
Proof.
  intros H. assert (S : 0 < sqrt x) by (apply sqrt_lt_R0; lra). pose proof (exp_ineq1_le (ln (sqrt x))) as E.
  rewrite exp_ln in E by exact S. rewrite <- (sqrt_sqrt x) at 1 by lra. rewrite ln_mult by exact S. lra.
Qed.

Theorem logarithm_below_any_part c : 0 < c -> exists N, forall n, (N <= n)%nat -> 3 * ln (INR n) <= c * INR n.
Proof.
  intros Hc. destruct (some_position ((6 / c) * (6 / c))) as (N & HN). exists (N + 1)%nat. intros n Hn.
  assert (N1 : 1 <= INR n) by (apply INR_at_least_1; lia). assert (L : 6 / c * (6 / c) <= INR n).
  { apply Rle_trans with (INR N); [lra|]. apply le_INR. lia. }
  pose proof (ln_below_root _ N1) as B. assert (C : 0 < 6 / c) by (apply Rdiv_lt_0_compat; lra).
  apply sqrt_le_1_alt in L. rewrite sqrt_square in L by lra. pose proof (sqrt_sqrt (INR n) ltac:(lra)) as E.
  assert (c * (6 / c * sqrt (INR n)) <= c * (sqrt (INR n) * sqrt (INR n))).
  { apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; [apply sqrt_pos|exact L]. }
  replace (c * (6 / c * sqrt (INR n))) with (6 * sqrt (INR n)) in * by (field; lra). rewrite E in *. lra.
Qed.

(* One symbol decides, by at least 1/2, at every position that sees it: the gap does not shrink. *)
Theorem fixed_gap_without_factor_n n m (v u : nat -> R) : (2 <= n)%nat -> m 1%nat = true ->
  (forall j, visible n m j -> 0 <= v j <= 1) -> (forall j, visible n m j -> 0 <= u j <= 1) ->
  v 1%nat = 1 -> u 1%nat = 0 -> let s j := 3 * ln (INR n) * one_hot 1 j in 1 / 2 <= attend n m s v - attend n m s u.
Proof.
  intros Hn Hm Hv Hu V U s. pose proof (logarithm_enough n m v Hn Hm Hv) as A.
  pose proof (logarithm_enough n m u Hn Hm Hu) as B. fold s in A, B. rewrite V in A. rewrite U in B.
  pose proof (Rle_abs (1 - attend n m s v)).
  pose proof (Rle_abs (- (0 - attend n m s u))) as C. rewrite Rabs_Ropp in C. lra.
Qed.

(* ---- where a factor of order n is needed ---- *)
Lemma above_third g : 0 < g < ln 3 -> 1 < 3 * sum_to 1 (fun k => exp (- g) ^ k).
Proof.
  intros H. simpl. assert (exp (- ln 3) < exp (- g)) by (apply exp_increasing; lra).
  rewrite (exp_Ropp (ln 3)), exp_ln in * by lra. lra.
Qed.

(* The head of Theorem 15 at position n, with a factor b in place of 2 gamma n. *)
Theorem theorem_15_factor_needed n b : (2 <= n)%nat -> 0 < b < 2 * INR n * ln 3 -> exists p q,
  ~ near_truth (since_at p q n) (attend n (future_mask n) (fun j => b * (bit (is_decisive p q j) + INR j / (2 * INR n)))
      (fun j => bit (both_hold p q j))).
Proof.
  intros Hn Hb. assert (N : 2 <= INR n) by now apply (le_INR 2). exists (indicator_at n), (indicator_at n).
  rewrite since_only by lia. set (g := b / (2 * INR n)). assert (G : 0 < g < ln 3).
  { split; [apply Rdiv_lt_0_compat; lra|]. apply Rmult_lt_reg_r with (2 * INR n); [lra|].
    unfold g, Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  apply (lone_vote n (future_mask n) _ _ n (visible_future n n ltac:(lia)) (fun j _ => both_only n j)).
  apply (ties_outvote n n _ n 1 g 1); [lra|now apply above_third|lia|lia|lia|]. intros k Hk. rewrite !all_decide.
  replace k with 1%nat by lia. rewrite minus_INR by lia. right. unfold g. simpl. field. lra.
Qed.

(* The head of Theorem 12 at position n, with a factor b in place of 2 gamma n. *)
Theorem theorem_12_factor_needed n b : (4 <= n)%nat -> 0 < b < INR n * ln 3 -> exists p, ~ near_truth (p (n - 1)%nat)
  (attend n (future_mask n) (fun j => b * (half_parity (Nat.odd n) j + INR j / (2 * INR n))) (fun j => bit (p j))).
Proof.
  intros Hn Hb. assert (N : 4 <= INR n) by (replace 4 with (INR 4) by (simpl; lra); now apply le_INR).
  exists (indicator_at (n - 1)). set (g := b / (2 * INR n)). assert (G : 0 < 2 * g < ln 3).
  { unfold g. split; [auto with signs|].
    apply Rmult_lt_reg_r with (INR n); [lra|]. replace (2 * (b / (2 * INR n)) * INR n) with b by (field; lra). lra. }
  apply (near_previous_fails n _ g 1); [lra|now apply above_third|lia|]. intros k Hk. replace k with 1%nat by lia.
  rewrite half_parity_even by lia. rewrite (minus_INR (n - 1)) by lia. right. unfold g. simpl. field. lra.
Qed.
