(* Layer norm and RMS norm on balls, before gain and bias.

   With n coordinates z in units of 1/u, u = 2^b: the integers c_i = n z_i - sum z (n z_i for RMS) are near y_i K within
   d, with K = n u and y the centred vector (x itself); r is the root of sum c_i^2 / n + epsilon K^2, rounded down. The
   deviation s of y is near r: |s K - r| <= d + 2, since a deviation moves by at most as much as the coordinate that
   moves most. So the results are c_i u / r. *)
From Coq Require Import Reals ZArith QArith Qreals List Lra Lia Bool.
From Certify Require Import lists syntax real_vectors packed_rows balls.
Import ListNotations. Open Scope R_scope.
Local Notation vector := (list R).

Definition close (d : R) : vector -> vector -> Prop := Forall2 (fun x y => Rabs (x - y) <= d).
Definition deviation (epsilon : R) (c : vector) : R := sqrt (mean (squares c) + epsilon).

Lemma squares_nonneg c : 0 <= total (squares c).
Proof. unfold total, squares. induction c as [|x c IH]; simpl; [lra|]. pose proof (Rle_0_sqr x). unfold Rsqr in *.
  lra. Qed.
Lemma mean_squares_nonneg c : 0 <= mean (squares c).
Proof.
  unfold mean. destruct c as [|x c]; [unfold total; simpl; unfold Rdiv; rewrite Rmult_0_l; lra|].
  apply Rmult_le_pos; [apply squares_nonneg|]. left. apply Rinv_0_lt_compat, lt_0_INR. simpl. lia.
Qed.

(* (y + d)^2 <= (1 + d/t) y^2 + d t + d^2, for any t > 0; so no Cauchy-Schwarz is needed. *)
Lemma squares_grow d t c c' : 0 < t -> 0 <= d -> close d c c' ->
  total (squares c) <= (1 + d / t) * total (squares c') + INR (length c) * (d * t + d * d).
Proof.
  intros T D. unfold total, squares. induction 1 as [|x y c c' H F IH]; [simpl; lra|].
  cbn [map length fold_right]. rewrite S_INR. assert (x * x <= (1 + d / t) * (y * y) + (d * t + d * d)); [|lra].
  assert (A : Rabs x <= Rabs y + d).
  { replace x with (y + (x - y)) by ring. eapply Rle_trans; [apply Rabs_triang|]. lra. }
  assert (B : x * x <= (Rabs y + d) * (Rabs y + d)).
  { rewrite <- (Rabs_pos_eq (x * x)) by (apply Rle_0_sqr). now apply Rabs_product. }
  assert (E : Rabs y * Rabs y = y * y) by (rewrite <- Rabs_mult; apply Rabs_pos_eq, Rle_0_sqr).
  assert (C : 0 <= d / t * ((Rabs y - t) * (Rabs y - t))).
  { apply Rmult_le_pos; [|apply Rle_0_sqr]. apply Rmult_le_pos; [exact D|left; now apply Rinv_0_lt_compat]. }
  replace (d / t * ((Rabs y - t) * (Rabs y - t))) with (d / t * (Rabs y * Rabs y) - 2 * d * Rabs y + d * t) in C
    by (field; lra).
  rewrite E in C. nra.
Qed.
(* A deviation moves by at most as much as the coordinate that moves most. *)
Lemma deviation_grows epsilon d c c' : 0 < epsilon -> 0 <= d -> c <> [] -> close d c c' ->
  deviation epsilon c <= deviation epsilon c' + d.
Proof.
  intros E D N H. unfold deviation. set (t := sqrt (mean (squares c') + epsilon)).
  assert (P : 0 < INR (length c)) by (apply lt_0_INR; destruct c; [congruence|simpl; lia]).
  pose proof (mean_squares_nonneg c') as M0. assert (T : 0 < t) by (apply sqrt_lt_R0; lra).
  assert (TT : t * t = mean (squares c') + epsilon) by (apply sqrt_sqrt; lra).
  rewrite <- (sqrt_square (t + d)) by lra. apply sqrt_le_1_alt.
  assert (K : mean (squares c) <= (1 + d / t) * mean (squares c') + (d * t + d * d)).
  { unfold mean, squares at 2 4. rewrite !length_map, <- (Forall2_same_length _ _ _ H).
    apply Rmult_le_reg_r with (INR (length c)); [exact P|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. pose proof (squares_grow d t c c' T D H) as G.
    eapply Rle_trans; [exact G|]. right. field. lra. }
  assert (L : d / t * mean (squares c') <= d * t).
  { apply Rmult_le_reg_r with t; [exact T|]. replace (d / t * mean (squares c') * t) with (d * mean (squares c'))
      by (field; lra). rewrite Rmult_assoc. apply Rmult_le_compat_l; lra. }
  lra.
Qed.
Lemma close_maps {X Y} d (f : X -> R) (g : Y -> R) x y : close d (map f x) (map g y) -> Forall2 (fun a c => Rabs (f a
  - g c) <= d) x y.
Proof.
  revert y. induction x as [|a x IH]; intros [|c y] H; inversion H; subst; constructor; auto.
Qed.
Lemma close_symmetric d x y : close d x y -> close d y x.
Proof. induction 1; constructor; auto. now rewrite Rabs_minus_sym. Qed.
Lemma deviations_close epsilon d c c' : 0 < epsilon -> 0 <= d -> c <> [] -> close d c c' ->
  Rabs (deviation epsilon c - deviation epsilon c') <= d.
Proof.
  intros E D N H. pose proof (deviation_grows epsilon d c c' E D N H). apply Rabs_within.
  assert (N' : c' <> []) by (intros ->; inversion H; subst; congruence).
  pose proof (deviation_grows epsilon d c' c E D N' (close_symmetric _ _ _ H)). lra.
Qed.
Lemma deviation_scaled epsilon K c : 0 < K -> 0 <= epsilon ->
  deviation (epsilon * (K * K)) (map (fun y => y * K) c) = deviation epsilon c * K.
Proof.
  intros P E. unfold deviation. rewrite <- (sqrt_square K) at 3 by lra. rewrite <- sqrt_mult_alt.
  - f_equal. unfold mean, squares. rewrite !length_map. assert (T : total (map (fun c => c * c) (map (fun y => y * K)
    c))
      = total (map (fun c => c * c) c) * (K * K)).
    { unfold total. clear. induction c as [|y c IH]; simpl; [ring|]. rewrite IH. ring. }
    rewrite T. unfold Rdiv. ring.
  - pose proof (mean_squares_nonneg c). lra.
Qed.

Section Norm.
Variable b : Z.
Hypothesis b_nonneg : (0 <= b)%Z.
Notation u := (real_unit b).
Notation near := (near b).
Definition sum_all (l : list Z) : Z := fold_right Z.add 0%Z l.

(* The integers c, and how many times the error e of the vector they may err. *)
Definition centred_integers (kind : norm_kind) (z : list Z) : list Z :=
  let n := Z.of_nat (length z) in
  match kind with
  | LayerNorm => let t := sum_all z in map (fun x => n * x - t)%Z z
  | RootMeanSquare => map (fun x => n * x)%Z z
  end.
Definition spread (kind : norm_kind) : Z := match kind with LayerNorm => 2 | RootMeanSquare => 1 end.
Definition read_by (kind : norm_kind) (x : vector) : vector :=
  match kind with LayerNorm => centred x | RootMeanSquare => x end.

Definition ball_normalised (kind : norm_kind) (epsilon : Q) (B : ball) : option ball :=
  let z := numbers B in
  let n := Z.of_nat (length z) in
  let c := centred_integers kind z in
  let d := (spread kind * n * error B)%Z in
  let r := Z.sqrt (fold_right (fun x q => x * x + q)%Z 0%Z c / n + fixed_rational (2 * b) (epsilon * inject_Z (n *
    n))) in
  let rest := (r - d - 2)%Z in
  if ((0 <? n) && (0 <? rest))%Z then
    Some (Ball (map (fun x => Z.shiftl x b / r)%Z c)
      ((Z.shiftl d b + Z.shiftl ((largest c + d) * (d + 2)) b / rest + 1) / r + 2))
  else None.

Lemma total_near e z x : Forall2 (near e) z x -> Rabs (IZR (sum_all z) - total x * u) <= INR (length z) * IZR e.
Proof.
  unfold total. induction 1 as [|z0 x0 z x H F IH]; [simpl; rewrite !Rmult_0_l, Rminus_0_r, Rabs_R0; lra|].
  cbn [sum_all fold_right length]. rewrite S_INR. unfold balls.near in H. fold (sum_all z). rewrite plus_IZR.
  replace (IZR z0 + IZR (sum_all z) - (x0 + fold_right Rplus 0 x) * u)
    with ((IZR z0 - x0 * u) + (IZR (sum_all z) - fold_right Rplus 0 x * u)) by ring.
  eapply Rle_trans; [apply Rabs_sum; [exact H|exact IH]|]. lra.
Qed.
Lemma centred_near kind e z x : z <> [] -> (0 <= e)%Z -> Forall2 (near e) z x ->
  close (IZR (spread kind * Z.of_nat (length z) * e)) (map IZR (centred_integers kind z))
    (map (fun y => y * (IZR (Z.of_nat (length z)) * u)) (read_by kind x)).
Proof.
  intros N E F. pose proof (total_near e z x F) as T. pose proof (Forall2_same_length _ _ _ F) as Len.
  rewrite INR_IZR_INZ in T. set (n := Z.of_nat (length z)) in *.
  assert (P : (0 < n)%Z) by (unfold n; destruct z; [congruence|simpl; lia]). apply IZR_lt in P.
  assert (M : mean x * IZR n = total x).
  { unfold mean. rewrite <- Len, INR_IZR_INZ. fold n. field. lra. }
  destruct kind; unfold centred_integers, read_by, spread; cbv zeta; fold n.
  - set (t := sum_all z) in *. unfold centred. set (m := mean x) in *. rewrite <- M in T. clearbody t m n.
    rewrite !map_map. eapply Forall2_map; [|exact F]. intros z0 x0 _ H. unfold balls.near in H.
    rewrite minus_IZR, !mult_IZR. replace (IZR n * IZR z0 - IZR t - (x0 - m) * (IZR n * u))
      with (IZR n * (IZR z0 - x0 * u) + - (IZR t - m * IZR n * u)) by ring.
    apply Rle_trans with (IZR n * IZR e + IZR n * IZR e); [|right; ring].
    apply Rabs_sum; [|now rewrite Rabs_Ropp]. apply Rabs_product; [apply Rabs_within; lra|exact H].
  - rewrite map_map. eapply Forall2_map; [|exact F]. intros z0 x0 _ H. unfold balls.near in H. rewrite !mult_IZR.
    replace (IZR n * IZR z0 - x0 * (IZR n * u)) with (IZR n * (IZR z0 - x0 * u)) by ring.
    apply Rle_trans with (IZR n * IZR e); [|right; ring]. apply Rabs_product; [apply Rabs_within; lra|exact H].
Qed.

(* The rounded root, for the integers themselves. *)
Lemma root_near c n epsilon : c <> [] -> n = Z.of_nat (length c) -> 0 < Q2R epsilon ->
  let r := Z.sqrt (fold_right (fun x q => x * x + q)%Z 0%Z c / n + fixed_rational (2 * b) (epsilon * inject_Z (n *
    n))) in
  (0 <= r)%Z /\ Rabs (IZR r - deviation (Q2R epsilon * (IZR n * u * (IZR n * u))) (map IZR c)) <= 2.
Proof.
  intros N En E. cbv zeta. set (q := fold_right _ 0%Z c). set (w := fixed_rational _ _).
  assert (P : (0 < n)%Z) by (subst n; destruct c; [congruence|simpl; lia]). apply IZR_lt in P as P'.
  assert (Eq : total (squares (map IZR c)) = IZR q).
  { unfold q, total, squares. clear. induction c as [|x c IH]; simpl; [reflexivity|]. rewrite IH, plus_IZR, mult_IZR.
    ring. }
  unfold deviation, mean. rewrite Eq. unfold squares. rewrite !length_map, INR_IZR_INZ, <- En.
  set (v := IZR q / IZR n + Q2R epsilon * (IZR n * u * (IZR n * u))).
  pose proof (floor_near q n P) as F1. apply Rabs_between in F1.
  pose proof (fixed_rational_near (2 * b) (epsilon * inject_Z (n * n))) as F2. unfold balls.near in F2. fold w in F2.
  assert (En2 : Q2R (epsilon * inject_Z (n * n)) = Q2R epsilon * (IZR n * IZR n)).
  { rewrite Q2R_mult. f_equal. unfold Q2R, inject_Z. simpl. rewrite mult_IZR. field. }
  assert (U2 : real_unit (2 * b) = u * u).
  { unfold real_unit. replace (2 * b)%Z with (b + b)%Z by lia. rewrite Z.pow_add_r by lia. apply mult_IZR. }
  rewrite En2, U2 in F2. apply Rabs_between in F2.
  assert (D : v - 2 <= IZR (q / n + w) <= v + 2) by (rewrite plus_IZR; unfold v; lra).
  assert (V : 0 <= v).
  { unfold v. apply Rplus_le_le_0_compat; [|apply Rmult_le_pos; [lra|apply Rle_0_sqr]].
    apply Rmult_le_pos; [|left; now apply Rinv_0_lt_compat]. apply IZR_le. unfold q. clear.
    induction c as [|x c IH]; simpl; [lia|]. pose proof (Z.square_nonneg x). lia. }
  set (D0 := (q / n + w)%Z) in *. split; [apply Z.sqrt_nonneg|].
  set (r := Z.sqrt D0). set (t := sqrt v). assert (T0 : 0 <= t) by apply sqrt_pos.
  assert (TT : t * t = v) by (now apply sqrt_sqrt). assert (r0 : (0 <= r)%Z) by apply Z.sqrt_nonneg.
  apply IZR_le in r0. assert (S : IZR r * IZR r <= v + 2 /\ v - 2 <= (IZR r + 1) * (IZR r + 1)).
  { destruct (Z.le_gt_cases 0 D0) as [G|G].
    - pose proof (Z.sqrt_spec D0 G) as [S1 S2]. fold r in S1, S2. apply IZR_le in S1. apply IZR_lt in S2.
      unfold Z.succ in S2. rewrite mult_IZR in S1, S2. rewrite plus_IZR in S2. lra.
    - assert (Er : r = 0%Z) by (unfold r; apply Z.sqrt_neg; lia). rewrite Er. apply IZR_lt in G. nra. }
  apply Rabs_within. split.
  - assert (t <= IZR r + 2); [|lra]. apply Rsqr_incr_0; unfold Rsqr; nra.
  - assert (IZR r <= t + 2); [|lra]. apply Rsqr_incr_0; unfold Rsqr; nra.
Qed.

Theorem ball_normalised_encloses kind epsilon B x C : 0 < Q2R epsilon -> encloses b B x ->
  ball_normalised kind epsilon B = Some C -> encloses b C (normalised kind (Q2R epsilon) x).
Proof.
  intros Ep [E F]. unfold ball_normalised. cbv zeta. set (z := numbers B) in *. set (n := Z.of_nat (length z)).
  set (c := centred_integers kind z). set (d := (spread kind * n * error B)%Z). set (r := Z.sqrt _).
  destruct (Z.ltb_spec 0 n) as [Pn|]; [|discriminate].
  destruct (Z.ltb_spec 0 (r - d - 2)) as [Rest|]; [|discriminate]. cbn [andb].
  match goal with |- Some ?X = _ -> _ => intros H; assert (EC : C = X) by congruence end. subst C. clear H.
  assert (D0 : (0 <= d)%Z) by (unfold d; destruct kind; simpl spread; nia).
  assert (N : z <> []) by (intros Ez; unfold n in Pn; rewrite Ez in Pn; simpl in Pn; lia).
  assert (Lc : length c = length z) by (unfold c, centred_integers; destruct kind; cbv zeta; apply length_map).
  assert (Nc : c <> []) by (intros Ec; rewrite Ec in Lc; destruct z; [congruence|discriminate]).
  pose proof (unit_pos b b_nonneg) as U. apply IZR_lt in Pn as Pn'. set (K := IZR n * u).
  assert (PK : 0 < K) by (now apply Rmult_lt_0_compat).
  pose proof (centred_near kind (error B) z x N E F) as Cl. fold n d c K in Cl. set (y := read_by kind x) in *.
  destruct (root_near c n epsilon Nc ltac:(unfold n; congruence) Ep) as [r0 Rn]. fold r K in r0, Rn.
  apply IZR_le in D0 as D1.
  assert (EK : 0 < Q2R epsilon * (K * K)) by (apply Rmult_lt_0_compat; [exact Ep|now apply Rmult_lt_0_compat]).
  assert (Dv : Rabs (deviation (Q2R epsilon * (K * K)) (map IZR c) - deviation (Q2R epsilon) y * K) <= IZR d).
  { rewrite <- deviation_scaled by lra. apply deviations_close; auto.
    intros Em. apply map_eq_nil in Em. congruence. }
  unfold normalised. change (match kind with LayerNorm => centred x | RootMeanSquare => x end) with y.
  unfold over_deviation. fold (deviation (Q2R epsilon) y). set (s := deviation (Q2R epsilon) y) in *.
  set (R := deviation _ (map IZR c)) in *.
  assert (Sr : Rabs (s * K - IZR r) <= IZR d + 2).
  { replace (s * K - IZR r) with (- (R - s * K) + - (IZR r - R)) by ring.
    apply Rabs_sum; now rewrite Rabs_Ropp. }
  apply IZR_lt in Rest as Rest'. rewrite !minus_IZR in Rest'. apply Rabs_between in Sr as Sr'.
  assert (PS : IZR (r - d - 2) <= s * K) by (rewrite !minus_IZR; lra).
  assert (Ps : 0 < s) by (apply Rmult_lt_reg_r with K; [exact PK|]; rewrite !minus_IZR in PS; lra).
  pose proof (largest_nonneg c) as M0. set (rest := (r - d - 2)%Z) in *. set (m := largest c) in *.
  set (q := Z.shiftl ((m + d) * (d + 2)) b).
  assert (q0 : (0 <= q)%Z) by (unfold q; apply Z.shiftl_nonneg; nia).
  assert (Rp : (0 < r)%Z) by (unfold rest in Rest; lia).
  split; cbn [numbers error].
  - assert (0 <= (Z.shiftl d b + q / rest + 1) / r)%Z; [|lia].
    apply Z.div_pos; [|exact Rp]. assert (0 <= Z.shiftl d b)%Z by now apply Z.shiftl_nonneg.
    pose proof (Z.div_pos q rest q0 Rest). lia.
  - eapply Forall2_map; [|exact (close_maps _ _ _ _ _ Cl)]. cbv beta. intros c0 y0 Ic Hc.
    unfold balls.near. apply divided; [exact Rp|].
    assert (Mc : Rabs (IZR c0) <= IZR m) by (rewrite <- IZR_abs; apply IZR_le, largest_bounds, Ic).
    assert (Y0 : Rabs (y0 * K) <= IZR m + IZR d).
    { replace (y0 * K) with (IZR c0 + - (IZR c0 - y0 * K)) by ring. apply Rabs_sum; [exact Mc|].
      now rewrite Rabs_Ropp. }
    assert (Ys : Rabs (y0 / s) <= (IZR m + IZR d) / IZR rest).
    { replace (y0 / s) with (y0 * K * / (s * K)) by (field; split; lra). rewrite Rabs_mult.
      assert (PsK : 0 < s * K) by lra. rewrite (Rabs_pos_eq (/ _)) by (left; now apply Rinv_0_lt_compat).
      unfold Rdiv. apply Rmult_le_compat; [apply Rabs_pos|left; now apply Rinv_0_lt_compat|exact Y0|].
      apply Rinv_le_contravar; [now apply IZR_lt|exact PS]. }
    assert (Sh : forall a, IZR (Z.shiftl a b) = IZR a * u).
    { intros a. rewrite Z.shiftl_mul_pow2 by exact b_nonneg. apply mult_IZR. }
    rewrite Sh. replace (IZR c0 * u - y0 / s * u * IZR r) with
      ((IZR c0 - y0 * K) * u + (y0 / s * (s * K - IZR r)) * u) by (field; lra).
    rewrite !plus_IZR, Sh. rewrite Rplus_assoc. apply Rabs_sum.
    + apply Rabs_product; [exact Hc|]. rewrite Rabs_pos_eq; lra.
    + pose proof (floor_near q rest Rest) as Fq. apply Rabs_between in Fq.
      apply Rle_trans with ((IZR m + IZR d) / IZR rest * (IZR d + 2) * u).
      * apply Rabs_product; [now apply Rabs_product|]. rewrite Rabs_pos_eq; lra.
      * replace ((IZR m + IZR d) / IZR rest * (IZR d + 2) * u) with (IZR q / IZR rest); [lra|].
        unfold q. rewrite Sh, mult_IZR, !plus_IZR. field. apply Rgt_not_eq. now apply IZR_lt.
Qed.
End Norm.
