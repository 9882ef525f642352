(* gelu with the true integral at points z/2^b: a parabola around the nearest point of a grid, whose value, slope and
   curvature come from the enclosures of gelu_points.v. `gelu_value` is what `ball_by_values`
   (ball_sigmoids.v) asks for. *)
From Coq Require Import Reals ZArith List Lra Lia Bool.
From Certify Require Import syntax real_vectors packed_rows balls ball_sigmoids normal_integral gelu_points.
Import ListNotations. Open Scope R_scope.

Lemma gelu_has_slope : has_slope gelu 6.
Proof. intros x y. pose proof (gelu_moves x y). lra. Qed.

(* Fractional bits of values at the grid, beyond those of numbers; of the distance of grid points, below them. *)
Definition finer : Z := 8.
Definition grid (b : Z) : Z := if (b <=? 64)%Z then (b - 9)%Z else 0%Z.
(* Enough fractional bits and terms for the accuracy that is wanted; nothing depends on that. *)
Definition inner_bits (b z : Z) : Z := (2 * b + 40 + 2 * Z.shiftr (z * z) (2 * b))%Z.
Definition enough_terms (b z : Z) : nat := Z.to_nat (Z.shiftr (z * z) (2 * b) + b / 2 + 12).

(* gelu, its derivative, half its second derivative at z/2^b, over 2^(b + finer), and the errors. *)
Definition gelu_point (b z : Z) : option ((Z * Z) * (Z * Z) * (Z * Z)) :=
  let m := Z.abs z in
  match density_and_integral b (inner_bits b z) (b + finer) (enough_terms b z) m with
  | Some (phi, i) =>
      let P := fst phi in
      let I := fst i in
      let p := (snd phi - P)%Z in
      let e := (snd i - I)%Z in
      let S := (I + Z.shiftr (m * P) b)%Z in
      Some ((z * 2 ^ (finer - 1) + Z.shiftr (m * I) b, Z.shiftr (m * e) b + 2),
            (2 ^ (b + finer - 1) + (if 0 <=? z then S else - S), e + (Z.shiftr (m * p) b + 2)),
            (P - Z.shiftr (m * m * P) (2 * b + 1), p + (Z.shiftr (m * m * p) (2 * b + 1) + 2)))%Z
  | None => None
  end.
Definition kept_gelu_point : Z -> Z -> option ((Z * Z) * (Z * Z) * (Z * Z)) := with_table gelu_point.

Definition gelu_value (b z : Z) : Z * Z :=
  let s := grid b in
  let a := Z.shiftl (Z.shiftr (z + Z.shiftr (Z.shiftl 1 s) 1) s) s in
  let t := (z - a)%Z in
  match kept_gelu_point b a with
  | Some ((g0, e0), (g1, e1), (g2, e2)) =>
      let E1 := (e1 + (Z.shiftr (Z.abs t * e2) b + 2))%Z in
      let E0 := (e0 + (Z.shiftr (Z.abs t * E1) b + 2))%Z in
      (Z.shiftr (g0 + Z.shiftr (t * (g1 + Z.shiftr (t * g2) b)) b) finer,
       Z.shiftr E0 finer + 2 + (Z.shiftr (Z.abs t * Z.abs t * Z.abs t) (2 * b) + 1))%Z
  | None => (0, 2 * Z.abs z)%Z
  end.

Section Gelu.
Variable b : Z.
Hypothesis b_nonneg : (0 <= b)%Z.
Notation u := (real_unit b).
Notation v := (b + finer)%Z.
Notation x_of z := (number_of b z).
Lemma finer_unit : real_unit v = u * 256.
Proof. unfold real_unit, finer. rewrite Z.pow_add_r, mult_IZR by lia. reflexivity. Qed.

(* m y / 2^k, for y near an integer. *)
Lemma part_near k m e P y : (0 <= k)%Z -> (0 <= m)%Z -> near v e P y ->
  near v (Z.shiftr (m * e) k + 2) (Z.shiftr (m * P) k) (IZR m / real_unit k * y).
Proof.
  intros K M N. unfold near in *. pose proof (unit_pos k K) as U. apply shifted_down; [exact K|].
  replace (IZR (m * P) - IZR m / real_unit k * y * real_unit v * real_unit k)
    with (IZR m * (IZR P - y * real_unit v)) by (rewrite mult_IZR; field; lra).
  rewrite mult_IZR. apply Rabs_product; [|exact N]. rewrite Rabs_pos_eq; [lra|now apply IZR_le].
Qed.
Lemma near_sum e z x f w y : near v e z x -> near v f w y -> near v (e + f) (z + w) (x + y).
Proof.
  unfold near. intros H K. rewrite !plus_IZR.
  replace (IZR z + IZR w - (x + y) * real_unit v) with ((IZR z - x * real_unit v) + (IZR w - y * real_unit v)) by ring.
  now apply Rabs_sum.
Qed.
Lemma near_opposite e z x : near v e z x -> near v e (- z) (- x).
Proof.
  unfold near. intros H. rewrite opp_IZR.
  replace (- IZR z - - x * real_unit v) with (- (IZR z - x * real_unit v)) by ring. now rewrite Rabs_Ropp.
Qed.
Lemma near_exact z x : IZR z = x * real_unit v -> near v 0 z x.
Proof. unfold near. intros ->. unfold Rminus. rewrite Rplus_opp_r, Rabs_R0. lra. Qed.

Lemma at_absolute z : (0 <= z)%Z /\ x_of (Z.abs z) = x_of z \/ (z < 0)%Z /\ x_of (Z.abs z) = - x_of z.
Proof.
  destruct (Z.le_gt_cases 0 z) as [P|P]; [left|right]; (split; [lia|]).
  - now rewrite Z.abs_eq.
  - unfold number_of. rewrite Z.abs_neq, opp_IZR by lia. unfold Rdiv. ring.
Qed.
Lemma gelu_point_near z g0 e0 g1 e1 g2 e2 : gelu_point b z = Some ((g0, e0), (g1, e1), (g2, e2)) ->
  near v e0 g0 (gelu (x_of z)) /\ near v e1 g1 (gelu_derivative (x_of z)) /\
  near v e2 g2 (gelu_second_derivative (x_of z) / 2).
Proof.
  unfold gelu_point. cbv zeta. set (m := Z.abs z). assert (M : (0 <= m)%Z) by apply Z.abs_nonneg.
  set (w := inner_bits b z). set (k := enough_terms b z).
  destruct (density_and_integral b w v k m) as [[phi i]|] eqn:D; [|discriminate].
  pose proof (Z.shiftr_nonneg (z * z) (2 * b)) as [_ S0]. specialize (S0 (Z.square_nonneg z)).
  destruct (density_and_integral_bounded b w b_nonneg ltac:(unfold w, inner_bits; lia) v ltac:(unfold finer; lia)
    ltac:(unfold w, inner_bits, finer; lia) k m phi i M D) as [Bp Bi].
  apply bounded_near in Bp, Bi. fold (x_of m) in Bp, Bi. set (y := x_of m) in *.
  set (P := fst phi) in *. set (I := fst i) in *. set (p := (snd phi - P)%Z) in *. set (e := (snd i - I)%Z) in *.
  pose proof (unit_pos b b_nonneg) as U. pose proof finer_unit as V.
  pose proof (part_near b m e I _ b_nonneg M Bi) as N0. pose proof (part_near b m p P _ b_nonneg M Bp) as N1.
  pose proof (part_near (2 * b + 1) (m * m) p P _ ltac:(lia) ltac:(nia) Bp) as N2.
  change (IZR m / u) with y in N0, N1.
  assert (E2 : IZR (m * m) / real_unit (2 * b + 1) = y * y / 2).
  { unfold y, number_of. rewrite mult_IZR. replace (real_unit (2 * b + 1)) with (u * u * 2).
    - field. lra.
    - unfold real_unit. replace (2 * b + 1)%Z with (b + b + 1)%Z by lia. rewrite !Z.pow_add_r, !mult_IZR by lia.
      reflexivity. }
  rewrite E2 in N2. clear E2. intros H.
  assert (Half : near v 0 (2 ^ (v - 1)) (1 / 2)).
  { apply near_exact. unfold real_unit. replace v with (v - 1 + 1)%Z at 2 by lia.
    rewrite Z.pow_add_r, mult_IZR by (unfold finer; lia). change (IZR (2 ^ 1)) with 2. field. }
  assert (Mid : near v 0 (z * 2 ^ (finer - 1)) (x_of z / 2)).
  { apply near_exact. rewrite V, mult_IZR. change (IZR (2 ^ (finer - 1))) with 128. unfold number_of. field. lra. }
  pose proof (near_sum _ _ _ _ _ _ Bi N1) as N3.
  pose proof (near_sum _ _ _ _ _ _ Bp (near_opposite _ _ _ N2)) as G2.
  injection H as <- <- <- <- <- <-.
  destruct (at_absolute z) as [[Pz Ez]|[Pz Ez]]; fold m y in Ez; unfold gelu, gelu_derivative, gelu_second_derivative.
  - destruct (Z.leb_spec 0 z); [|lia]. rewrite <- Ez in *. split; [|split].
    + pose proof (near_sum _ _ _ _ _ _ Mid N0) as G0. rewrite Z.add_0_l in G0.
      replace (y * (1 / 2 + normal_integral y)) with (y / 2 + y * normal_integral y) by field. exact G0.
    + pose proof (near_sum _ _ _ _ _ _ Half N3) as G1. rewrite Z.add_0_l in G1.
      replace (1 / 2 + normal_integral y + y * normal_density y)
        with (1 / 2 + (normal_integral y + y * normal_density y)) by ring. exact G1.
    + replace ((2 - y * y) * normal_density y / 2) with (normal_density y + - (y * y / 2 * normal_density y)) by field.
      exact G2.
  - destruct (Z.leb_spec 0 z); [lia|]. replace (x_of z) with (- y) in * by (rewrite Ez; ring). split; [|split].
    + pose proof (near_sum _ _ _ _ _ _ Mid N0) as G0. rewrite Z.add_0_l in G0. rewrite integral_odd.
      replace (- y * (1 / 2 + - normal_integral y)) with (- y / 2 + y * normal_integral y) by field. exact G0.
    + pose proof (near_sum _ _ _ _ _ _ Half (near_opposite _ _ _ N3)) as G1. rewrite Z.add_0_l in G1.
      rewrite integral_odd, density_even.
      replace (1 / 2 + - normal_integral y + - y * normal_density y)
        with (1 / 2 + - (normal_integral y + y * normal_density y)) by ring. exact G1.
    + rewrite density_even. replace ((2 - - y * - y) * normal_density y / 2) with
        (normal_density y + - (y * y / 2 * normal_density y)) by field. exact G2.
Qed.

(* t y / 2^b, for any sign of t. *)
Lemma moved_part_near t e P y : near v e P y ->
  near v (Z.shiftr (Z.abs t * e) b + 2) (Z.shiftr (t * P) b) (x_of t * y).
Proof.
  intros N. unfold near in *. pose proof (unit_pos b b_nonneg) as U. apply shifted_down; [exact b_nonneg|].
  replace (IZR (t * P) - x_of t * y * real_unit v * u) with (IZR t * (IZR P - y * real_unit v))
    by (unfold number_of; rewrite mult_IZR; field; lra).
  rewrite mult_IZR, IZR_abs. apply Rabs_product; [lra|exact N].
Qed.
Theorem gelu_value_is : is_value b (activated GeluActivation) (gelu_value b).
Proof.
  intros z. unfold gelu_value, kept_gelu_point, with_table. cbv zeta. set (a := Z.shiftl _ (grid b)).
    set (t := (z - a)%Z).
  change (activated GeluActivation) with gelu. pose proof (unit_pos b b_nonneg) as U.
  destruct (gelu_point b a) as [[[[g0 e0] [g1 e1]] [g2 e2]]|] eqn:G; cbn [fst snd].
  - apply gelu_point_near in G as (N0 & N1 & N2). pose proof (moved_part_near t _ _ _ N2) as M2.
    pose proof (moved_part_near t _ _ _ (near_sum _ _ _ _ _ _ N1 M2)) as M1. pose proof (near_sum _ _ _ _ _ _ N0 M1)
      as M0.
    set (E0 := (e0 + _)%Z) in *. set (n := (g0 + _)%Z) in *.
    assert (Xt : x_of z - x_of a = x_of t) by (unfold t, number_of; rewrite minus_IZR; field; lra).
    pose proof (parabola_near gelu gelu_derivative gelu_second_derivative 1 (x_of a) (x_of z) (Rabs (x_of t))
      gelu_derivative_is gelu_second_derivative_is gelu_second_derivative_moves ltac:(lra)
      ltac:(rewrite Xt; lra)) as R. rewrite Xt, Rmult_1_l in R.
    assert (C : IZR (Z.shiftr (Z.abs t * Z.abs t * Z.abs t) (2 * b) + 1) >= Rabs (x_of t) * Rabs (x_of t)
      * Rabs (x_of t) * u).
    { set (c := (Z.abs t * Z.abs t * Z.abs t)%Z). pose proof (Z.pow_pos_nonneg 2 (2 * b) ltac:(lia) ltac:(lia)) as P.
      rewrite Z.shiftr_div_pow2, plus_IZR by lia. pose proof (floor_near c (2 ^ (2 * b)) P) as F.
      apply Rabs_between in F. replace (Rabs (x_of t) * Rabs (x_of t) * Rabs (x_of t) * u) with (IZR c / IZR (2 ^ (2
        * b)));
        [lra|]. replace (2 * b)%Z with (b + b)%Z by lia. rewrite Z.pow_add_r, mult_IZR by lia.
      change (IZR (2 ^ b)) with u. unfold c, number_of, Rdiv. rewrite !mult_IZR, !Rabs_mult, !IZR_abs.
      rewrite (Rabs_pos_eq (/ u)) by (left; now apply Rinv_0_lt_compat). field. lra. }
    assert (A : Rabs (IZR (Z.shiftr n finer) - (gelu (x_of a) + x_of t * (gelu_derivative (x_of a) + x_of t *
        (gelu_second_derivative (x_of a) / 2))) * u) <= IZR (Z.shiftr E0 finer + 2)).
    { apply shifted_down; [easy|]. change (real_unit finer) with 256. unfold near in M0. rewrite finer_unit in M0.
      rewrite Rmult_assoc. exact M0. }
    assert (N : near b (Z.shiftr E0 finer + 2 + (Z.shiftr (Z.abs t * Z.abs t * Z.abs t) (2 * b) + 1)) (Z.shiftr n finer)
      (gelu (x_of z))).
    { unfold near. set (q := gelu (x_of a) + _) in A. rewrite (plus_IZR (Z.shiftr E0 finer + 2)).
      replace (IZR (Z.shiftr n finer) - gelu (x_of z) * u) with
        ((IZR (Z.shiftr n finer) - q * u) + (q - gelu (x_of z)) * u) by ring.
      apply Rabs_sum; [exact A|]. eapply Rle_trans; [|apply Rge_le, C]. rewrite Rabs_mult, (Rabs_pos_eq u) by lra.
      apply Rmult_le_compat_r; [lra|]. rewrite Rabs_minus_sym. unfold q.
      match type of R with Rabs (?g - ?p) <= _ => match goal with |- Rabs (_ - ?q) <= _ => replace q with p by ring
        end end.
      exact R. }
    split; [|exact N]. apply le_IZR. unfold near in N. pose proof (Rabs_pos (IZR (Z.shiftr n finer) - gelu (x_of z)
      * u)).
    lra.
  - split; [lia|]. unfold near. rewrite Rminus_0_l, Rabs_Ropp, mult_IZR, IZR_abs.
    pose proof (gelu_moves (x_of z) 0) as L. unfold gelu at 2 in L. rewrite Rmult_0_l, !Rminus_0_r in L.
    rewrite Rabs_mult, (Rabs_pos_eq u) by lra.
    apply Rle_trans with (2 * Rabs (x_of z) * u); [apply Rmult_le_compat_r; lra|].
    unfold number_of, Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ u)) by (left; now apply Rinv_0_lt_compat).
    right. field. lra.
Qed.
End Gelu.
