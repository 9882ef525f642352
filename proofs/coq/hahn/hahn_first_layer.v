(* [Hahn] Lemma 5, the first layer: the sharp bound.

   Before the first layer only position p has changed. Proved: if one visible position changes its score and its value
   as it likes, N positions are visible, values lie in [-X, X] and p's score exceeds the others by at most Ω, before and
   after, then attention moves by at most 2X e^Ω/(e^Ω + N - 1); and that is attained, for every N, Ω >= 0 and X >= 0.
   Idea: with t the weight of p and m the mean of the others, v t + m (1 - t) becomes v' t' + m (1 - t'). *)
From Coq Require Import Reals Lra Lia Arith.
From Certify Require Import finite_sums softmax exponential hahn_one_row.
Open Scope R_scope.

Definition greatest_share (N omega : R) : R := exp omega / (exp omega + (N - 1)).

(* The other positions: what they weigh, and what they add. *)
Definition others_weigh n m s p : R := sum_to n (zeroed_at p (weight m s)).
Definition others_add n m s v p : R := sum_to n (zeroed_at p (fun j => weight m s j * v j)).

Lemma attend_apart n m s v p : visible n m p ->
  attend n m s v * (exp (s p) + others_weigh n m s p) = exp (s p) * v p + others_add n m s v p.
Proof.
  intros V. pose proof (attend_times_total n m s v p V) as E. unfold others_weigh, others_add.
  rewrite (sum_apart n p (weight m s)), (sum_apart n p (fun j => weight m s j * v j)) in E by apply V.
  replace (weight m s p) with (exp (s p)) in E by (unfold weight; now rewrite (proj2 V)). exact E.
Qed.

Lemma others_bounded n m s v p X : (forall j, visible n m j -> j <> p -> Rabs (v j) <= X) ->
  Rabs (others_add n m s v p) <= X * others_weigh n m s p.
Proof.
  intros H. unfold others_add, others_weigh. rewrite <- sum_scale. eapply Rle_trans; [apply sum_Rabs|].
  apply sum_le. intros j Hj. unfold zeroed_at, weight. destruct (Nat.eqb_spec j p) as [|N]; [rewrite Rabs_R0; lra|].
  destruct (m j) eqn:E; [|rewrite Rmult_0_l, Rabs_R0; lra]. pose proof (exp_pos (s j)).
  rewrite Rabs_mult, (Rabs_right (exp _)), Rmult_comm by lra. apply Rmult_le_compat_r; [lra|]. now apply H.
Qed.

Lemma others_weigh_much n m s p omega : visible n m p -> (forall j, visible n m j -> s p <= s j + omega) ->
  (shown_count n m - 1) * exp (s p) <= exp omega * others_weigh n m s p.
Proof.
  intros V H. unfold shown_count, others_weigh. rewrite (sum_apart n p) by apply V. rewrite (proj2 V).
  replace (bit true + sum_to n (zeroed_at p (fun j => bit (m j))) - 1) with (sum_to n (zeroed_at p (fun j =>
    bit (m j)))) by (simpl; ring). rewrite <- sum_scale, <- sum_scale_r. apply sum_le. intros j Hj.
  unfold zeroed_at, weight. destruct (Nat.eqb j p); [lra|]. destruct (m j) eqn:E; simpl; [|lra].
  rewrite Rmult_1_l, <- exp_plus. apply exp_monotone. specialize (H j (conj Hj E)). lra.
Qed.

(* The weight t of p, and the mean of the others (whatever number if there are none). *)
Lemma attend_mixes n m s v p omega X : visible n m p -> 0 <= X -> (forall j, visible n m j -> j <> p ->
  Rabs (v j) <= X) -> (forall j, visible n m j -> s p <= s j + omega) -> exists t, 0 <= t <= greatest_share (shown_count
  n m) omega /\ attend n m s v = t * v p + (1 - t) * (others_add n m s v p / others_weigh n m s p).
Proof.
  intros V HX Hv Hs. pose proof (others_weigh_much n m s p omega V Hs) as W. pose proof (attend_apart n m s v p V) as A.
  pose proof (others_bounded n m s v p X Hv) as O. pose proof (shown_positive n m p V) as N.
  pose proof (exp_pos (s p)) as Pe. pose proof (exp_pos omega) as Po.
  assert (Pz : 0 <= others_weigh n m s p) by apply others_nonneg. set (z := others_weigh n m s p) in *.
  set (e := exp (s p)) in *. set (r := others_add n m s v p) in *. exists (e / (e + z)). split; [split|].
  - auto with signs.
  - unfold greatest_share.
    apply Rmult_le_reg_r with ((e + z) * (exp omega + (shown_count n m - 1))); [apply Rmult_lt_0_compat; lra|].
    replace (e / (e + z) * ((e + z) * (exp omega + (shown_count n m - 1)))) with (e * (exp omega +
      (shown_count n m - 1))) by (field; lra).
    replace (exp omega / (exp omega + (shown_count n m - 1)) * ((e + z) * (exp omega + (shown_count n m - 1))))
      with (exp omega * (e + z)) by (field; lra). lra.
  - apply Rmult_eq_reg_r with (e + z); [|lra]. rewrite A. destruct (Req_dec z 0) as [Z|Z].
    + rewrite Z, Rmult_0_r in O. assert (R0 : r = 0) by (apply Rabs_bounds in O; lra).
      rewrite R0. replace (0 / z) with 0 by (unfold Rdiv; ring). rewrite Z. field. lra.
    + field. lra.
Qed.

Section OneChange.
Variables (n : nat) (m : mask) (s s' v v' : nat -> R) (p : nat) (omega X : R).
Hypothesis Seen : visible n m p.
Hypothesis HX : 0 <= X.
Hypothesis Values : forall j, visible n m j -> Rabs (v j) <= X /\ Rabs (v' j) <= X.
Hypothesis Scores : forall j, visible n m j -> s p <= s j + omega /\ s' p <= s' j + omega.
Hypothesis Others : forall j, visible n m j -> j <> p -> s j = s' j /\ v j = v' j.

Lemma others_stay : others_weigh n m s p = others_weigh n m s' p /\ others_add n m s v p = others_add n m s' v' p.
Proof.
  unfold others_weigh, others_add. split; apply sum_ext; intros j Hj; unfold zeroed_at, weight;
    (destruct (Nat.eqb_spec j p) as [|N]; [reflexivity|]); destruct (m j) eqn:E; [|reflexivity| |ring];
    destruct (Others j (conj Hj E) N) as [A B]; now rewrite A, ?B.
Qed.

Theorem first_layer_moves : Rabs (attend n m s v - attend n m s' v') <= 2 * X * greatest_share (shown_count n m) omega.
Proof.
  destruct (attend_mixes n m s v p omega X Seen HX) as (t & Ht & ->); [intros; now apply Values|intros;
    now apply Scores|].
  destruct (attend_mixes n m s' v' p omega X Seen HX) as (t' & Ht' & ->); [intros; now apply Values|intros;
    now apply Scores|]. destruct others_stay as [Ez Er]. rewrite Ez, Er. destruct (Values p Seen) as [V V'].
  assert (M : Rabs (others_add n m s' v' p / others_weigh n m s' p) <= X).
  { pose proof (others_bounded n m s' v' p X ltac:(intros; now apply Values)) as O.
    assert (Pz : 0 <= others_weigh n m s' p) by apply others_nonneg. set (z := others_weigh n m s' p) in *.
    destruct (Req_dec z 0) as [Z|Z]; [rewrite Z; unfold Rdiv; rewrite Rinv_0, Rmult_0_r, Rabs_R0; exact HX|].
    unfold Rdiv. rewrite Rabs_mult, (Rabs_right (/ z)) by (left; apply Rinv_0_lt_compat; lra).
    apply Rmult_le_reg_r with z; [lra|]. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  set (k := others_add n m s' v' p / others_weigh n m s' p) in *.
  set (T := greatest_share (shown_count n m) omega) in *. apply Rabs_bounds in V, V', M. apply Rabs_le.
  pose proof (Rmult_le_compat_r (X - k) _ _ ltac:(lra) (proj2 Ht)).
  pose proof (Rmult_le_compat_r (X + k) _ _ ltac:(lra) (proj2 Ht)).
  pose proof (Rmult_le_compat_r (X - k) _ _ ltac:(lra) (proj2 Ht')).
  pose proof (Rmult_le_compat_r (X + k) _ _ ltac:(lra) (proj2 Ht')).
  pose proof (Rmult_le_compat_l t (v p - k) (X - k) ltac:(lra) ltac:(lra)).
  pose proof (Rmult_le_compat_l t (- (X + k)) (v p - k) ltac:(lra) ltac:(lra)).
  pose proof (Rmult_le_compat_l t' (v' p - k) (X - k) ltac:(lra) ltac:(lra)).
  pose proof (Rmult_le_compat_l t' (- (X + k)) (v' p - k) ltac:(lra) ltac:(lra)). lra.
Qed.
End OneChange.

(* p = 1 scores omega, the others 0; its value falls from X to -X, the value of the others. *)
Theorem first_layer_attained n omega X : (1 <= n)%nat ->
  let s := fun j => one_hot 1 j * omega in
  attend n no_mask s (fun j => 2 * X * one_hot 1 j - X) - attend n no_mask s (fun _ => - X)
  = 2 * X * greatest_share (INR n) omega.
Proof.
  intros Hn s. assert (V : visible n no_mask 1) by (split; [lia|reflexivity]).
  pose proof (INR_at_least_1 n Hn) as N. pose proof (exp_pos omega) as P.
  assert (E : exp (s 1%nat) = exp omega) by (unfold s; rewrite one_hot_here; f_equal; ring).
  assert (Z : others_weigh n no_mask s 1 = INR n - 1).
  { unfold others_weigh. pose proof (sum_apart n 1 (fun _ => 1) ltac:(lia)) as A. rewrite sum_one in A. rewrite A.
    replace (1 + sum_to n (zeroed_at 1 (fun _ => 1)) - 1) with (sum_to n (zeroed_at 1 (fun _ => 1))) by ring.
    apply sum_ext. intros j _. unfold zeroed_at, weight, s, no_mask, one_hot. destruct (Nat.eqb j 1); [reflexivity|].
    now rewrite Rmult_0_l, exp_0. }
  assert (O : forall f, (forall j, j <> 1%nat -> f j = - X) -> others_add n no_mask s f 1 = - X * (INR n - 1)).
  { intros f H. rewrite <- Z. unfold others_add, others_weigh. rewrite <- sum_scale. apply sum_ext. intros j _.
    unfold zeroed_at. destruct (Nat.eqb_spec j 1) as [|D]; [ring|]. rewrite (H j D). ring. }
  pose proof (attend_apart n no_mask s (fun j => 2 * X * one_hot 1 j - X) 1 V) as A.
  pose proof (attend_apart n no_mask s (fun _ => - X) 1 V) as A'. rewrite E, Z, O in A, A' by
    (intros j D; rewrite ?(one_hot_elsewhere 1 j D); ring).
  rewrite one_hot_here in A. apply Rmult_eq_reg_r with (exp omega + (INR n - 1)); [|lra].
  rewrite Rmult_minus_distr_r, A, A'. unfold greatest_share. field. lra.
Qed.
