(* Activations by e^(-x) on balls: sigmoid, silu, tanh, gelu-tanh. Each is computed at the midpoint,
   and its slope bounds what the error does to it (docs/background/trained_rules.md, section 6, has sharper slopes). *)
From Coq Require Import Reals ZArith List Lra Lia Bool.
From Certify Require Import exponential exp_enclosure weighing syntax real_vectors packed_rows balls.
Import ListNotations. Open Scope R_scope.

(* ---- slopes ---- *)
Definition has_slope (f : R -> R) (s : Z) : Prop := forall x y, 3 * Rabs (f x - f y) <= IZR s * Rabs (x - y).
Lemma slope_by_derivative f f' s : (forall x, derivable_pt_lim f x (f' x)) -> (forall x, 3 * Rabs (f' x) <= IZR s) ->
  has_slope f s.
Proof.
  intros D B x y. destruct (MVT_abs f f' y x (fun c _ => D c)) as (c & E & _). rewrite E. specialize (B c).
  pose proof (Rabs_pos (x - y)). nra.
Qed.

Lemma sigmoid_derivative x : derivable_pt_lim sigmoid x (sigmoid x * (1 - sigmoid x)).
Proof.
  assert (D : derivable_pt_lim (fun x => 1 + exp (- x)) x (0 + exp (- x) * - 1)).
  { apply derivable_pt_lim_plus; [apply derivable_pt_lim_const|].
    replace (exp (- x) * - 1) with (exp ((- id)%F x) * - 1) by reflexivity.
    apply (derivable_pt_lim_comp (- id)%F exp); [|apply derivable_pt_lim_exp].
    apply (derivable_pt_lim_opp id x 1), derivable_pt_lim_id. }
  pose proof (exp_pos (- x)) as P.
  replace (sigmoid x * (1 - sigmoid x)) with ((0 * (1 + exp (- x)) - (0 + exp (- x) * - 1) * 1) / Rsqr (1 + exp (- x)))
    by (unfold sigmoid, Rsqr; field; lra).
  apply (derivable_pt_lim_ext (fun x => 1 / (1 + exp (- x)))); [intros; unfold sigmoid, Rdiv; ring|].
  apply (derivable_pt_lim_div (fun _ => 1) (fun x => 1 + exp (- x))); [apply derivable_pt_lim_const|exact D|lra].
Qed.
(* x / (1 + e^x) is at most 1/3, as 3x <= 2 + x + x^2/2. *)
Lemma sigmoid_product x : 3 * (Rabs x * (sigmoid x * (1 - sigmoid x))) <= 1.
Proof.
  assert (P : forall x, 0 <= x -> 3 * (x * (1 - sigmoid x)) <= 1).
  { clear x. intros x H. replace (1 - sigmoid x) with (/ (1 + exp x)) by (rewrite <- sigmoid_opp; unfold sigmoid;
      now rewrite Ropp_involutive).
    assert (E : 1 + x + x * x / 2 <= exp x).
    { pose proof (exp_series x 2 H) as S. cbn [sum_f_R0 fact pow Nat.add Nat.mul] in S. simpl in S. lra. }
    pose proof (exp_pos x). apply Rmult_le_reg_r with (1 + exp x); [lra|].
    replace (3 * (x * / (1 + exp x)) * (1 + exp x)) with (3 * x) by (field; lra).
    pose proof (Rle_0_sqr (x - 2)) as Q. unfold Rsqr in Q. nra. }
  pose proof (sigmoid_range x). unfold Rabs. destruct (Rcase_abs x) as [N|N].
  - specialize (P (- x) ltac:(lra)). rewrite sigmoid_opp in P. nra.
  - specialize (P x ltac:(lra)). nra.
Qed.
Lemma sigmoid_has_slope : has_slope sigmoid 1.
Proof.
  apply (slope_by_derivative _ _ _ sigmoid_derivative). intros x. pose proof (sigmoid_range x).
  pose proof (Rle_0_sqr (sigmoid x - 1 / 2)) as Q. unfold Rsqr in Q. rewrite Rabs_pos_eq; nra.
Qed.
(* x sigmoid(w(x)), where |x w'(x)| is at most k |w(x)|. *)
Lemma gated_has_slope w w' k : (0 <= k)%Z -> (forall x, derivable_pt_lim w x (w' x)) ->
  (forall x, Rabs (x * w' x) <= IZR k * Rabs (w x)) -> has_slope (fun x => x * sigmoid (w x)) (3 + k).
Proof.
  intros K D B. apply (slope_by_derivative _ (fun x => 1 * sigmoid (w x) + x * (sigmoid (w x) * (1 - sigmoid (w x)) *
    w' x))).
  - intros x. apply (derivable_pt_lim_mult (fun x => x) (fun x => sigmoid (w x))); [apply derivable_pt_lim_id|].
    apply (derivable_pt_lim_comp w sigmoid); [apply D|apply sigmoid_derivative].
  - intros x. pose proof (sigmoid_range (w x)) as S. pose proof (sigmoid_product (w x)) as P. specialize (B x).
    set (s := sigmoid (w x)) in *. assert (Q : 0 <= s * (1 - s)) by nra.
    rewrite plus_IZR. apply Rle_trans with (3 * (Rabs (1 * s) + Rabs (x * (s * (1 - s) * w' x)))).
    + pose proof (Rabs_triang (1 * s) (x * (s * (1 - s) * w' x))). lra.
    + replace (x * (s * (1 - s) * w' x)) with (s * (1 - s) * (x * w' x)) by ring.
      rewrite (Rabs_mult (s * (1 - s))), (Rabs_pos_eq (s * (1 - s))), (Rabs_pos_eq (1 * s)) by lra.
      apply IZR_le in K. assert (s * (1 - s) * Rabs (x * w' x) <= s * (1 - s) * (IZR k * Rabs (w x))) by
        now apply Rmult_le_compat_l. nra.
Qed.
Lemma silu_has_slope : has_slope (activated SiluActivation) 4.
Proof.
  apply (gated_has_slope (fun x => x) (fun _ => 1) 1); [lia|intros; apply derivable_pt_lim_id|].
  intros x. rewrite Rmult_1_r. lra.
Qed.
Definition gelu_tanh_inner (x : R) : R := 2 * gelu_tanh_factor * (x + 44715 / 1000000 * (x * x * x)).
Lemma gelu_tanh_has_slope : has_slope (activated GeluTanhActivation) 6.
Proof.
  apply (gated_has_slope gelu_tanh_inner (fun x => 2 * gelu_tanh_factor * (1 + 44715 / 1000000 * (3 * (x * x)))) 3);
    [lia| |].
  - intros x. apply (derivable_pt_lim_scal (fun x => x + 44715 / 1000000 * (x * x * x))).
    apply derivable_pt_lim_plus; [apply derivable_pt_lim_id|].
    apply (derivable_pt_lim_scal (fun x => x * x * x)).
    replace (3 * (x * x)) with ((1 * x + x * 1) * x + x * x * 1) by ring.
    apply (derivable_pt_lim_mult (fun x => x * x) (fun x => x)); [|apply derivable_pt_lim_id].
    apply (derivable_pt_lim_mult (fun x => x) (fun x => x)); apply derivable_pt_lim_id.
  - intros x. unfold gelu_tanh_inner. set (c := 2 * gelu_tanh_factor).
    replace (x * (c * (1 + 44715 / 1000000 * (3 * (x * x))))) with (c * x * (1 + 44715 / 1000000 * (3 * (x * x))))
      by ring.
    replace (c * (x + 44715 / 1000000 * (x * x * x))) with (c * x * (1 + 44715 / 1000000 * (x * x))) by ring.
    rewrite !(Rabs_mult (c * x)). pose proof (Rabs_pos (c * x)). pose proof (Rle_0_sqr x) as Q. unfold Rsqr in Q.
    rewrite !(Rabs_pos_eq (1 + _)) by nra. nra.
Qed.
Lemma tanh_is_sigmoid x : activated TanhActivation x = 2 * sigmoid (2 * x) - 1.
Proof.
  unfold activated, sigmoid. rewrite exp_Ropp. pose proof (exp_pos (2 * x)). field. split; lra.
Qed.
Lemma tanh_has_slope : has_slope (activated TanhActivation) 4.
Proof.
  intros x y. rewrite !tanh_is_sigmoid. pose proof (sigmoid_has_slope (2 * x) (2 * y)) as S.
  replace (2 * sigmoid (2 * x) - 1 - (2 * sigmoid (2 * y) - 1)) with (2 * (sigmoid (2 * x) - sigmoid (2 * y))) by ring.
  replace (2 * x - 2 * y) with (2 * (x - y)) in S by ring. rewrite Rabs_mult, (Rabs_pos_eq 2) by lra.
  rewrite Rabs_mult, (Rabs_pos_eq 2) in S by lra. pose proof (Rabs_pos (x - y)). lra.
Qed.

(* ---- at a point z/2^b: a number, and its error ---- *)
Section Points.
Variable b : Z.
Hypothesis b_nonneg : (0 <= b)%Z.
Notation u := (real_unit b).
Notation near := (near b).
Definition number_of (z : Z) : R := IZR z / u.

Definition is_value (f : R -> R) (value : Z -> Z * Z) : Prop := forall z, (0 <= snd (value z))%Z /\
  near (snd (value z)) (fst (value z)) (f (number_of z)).

Definition sigmoid_value (z : Z) : Z * Z :=
  let one := (2 ^ b)%Z in
  let low := (one * one / (one + decay_above b (Z.abs z)))%Z in
  let high := ceiling_div (one * one) (one + Z.max 0 (decay_below b (Z.abs z))) in
  (if (0 <=? z)%Z then low else one - high, high - low)%Z.
Lemma sigmoid_value_is : is_value sigmoid sigmoid_value.
Proof.
  intros z. unfold sigmoid_value. cbv zeta. set (m := Z.abs z). assert (M : (0 <= m)%Z) by apply Z.abs_nonneg.
  pose proof (unit_pos b b_nonneg) as U. change (IZR (2 ^ b)) with u. set (x := number_of m).
  assert (A : exp (- x) * u <= IZR (decay_above b m)).
  { pose proof (decay_above_correct b b_nonneg m M) as D. unfold fixed in D. fold u in D. unfold x, number_of.
    apply Rmult_le_compat_r with (r := u) in D; [|lra]. unfold Rdiv in D at 2. rewrite Rmult_assoc, Rinv_l in D; lra. }
  assert (B : IZR (Z.max 0 (decay_below b m)) <= exp (- x) * u).
  { pose proof (decay_below_correct b b_nonneg m M) as D. unfold fixed in D. fold u in D. unfold x, number_of.
    apply Rmult_le_compat_r with (r := u) in D; [|lra]. unfold Rdiv in D at 1. rewrite Rmult_assoc, Rinv_l in D by lra.
    pose proof (exp_pos (- (IZR m / u))). destruct (Z.max_spec 0 (decay_below b m)) as [[_ ->]|[_ ->]]; nra. }
  set (q := decay_above b m) in *. set (r := Z.max 0 (decay_below b m)) in *.
  assert (R0 : (0 <= r)%Z) by apply Z.le_max_l. pose proof (exp_pos (- x)) as E.
  assert (Qr : 0 <= IZR r) by now apply IZR_le. assert (Qq : 0 < IZR q) by nra.
  assert (One : (0 < 2 ^ b)%Z) by now apply Z.pow_pos_nonneg.
  assert (Qp : (0 < 2 ^ b + q)%Z) by (apply lt_IZR in Qq; lia). assert (Rp : (0 < 2 ^ b + r)%Z) by lia.
  pose proof (floor_div_le (2 ^ b * 2 ^ b) _ Qp) as F. pose proof (ceiling_div_ge (2 ^ b * 2 ^ b) _ Rp) as G.
  rewrite mult_IZR, plus_IZR in F, G. change (IZR (2 ^ b)) with u in F, G.
  set (low := (2 ^ b * 2 ^ b / (2 ^ b + q))%Z) in *. set (high := ceiling_div (2 ^ b * 2 ^ b) (2 ^ b + r)) in *.
  assert (S : sigmoid x * u = u * u / (u + exp (- x) * u)) by (unfold sigmoid; field; split; nra).
  assert (L : IZR low <= sigmoid x * u).
  { rewrite S. eapply Rle_trans; [exact F|]. apply Rmult_le_compat_l; [nra|]. apply Rinv_le_contravar; nra. }
  assert (H : sigmoid x * u <= IZR high).
  { rewrite S. eapply Rle_trans; [|exact G]. apply Rmult_le_compat_l; [nra|]. apply Rinv_le_contravar; nra. }
  cbn [fst snd]. split; [apply le_IZR; rewrite minus_IZR; lra|]. unfold balls.near. rewrite minus_IZR.
  apply Rabs_within. destruct (Z.leb_spec 0 z) as [P|N].
  - replace (number_of z) with x by (unfold x, m; now rewrite Z.abs_eq). lra.
  - replace (number_of z) with (- x).
    + rewrite sigmoid_opp, minus_IZR. change (IZR (2 ^ b)) with u. lra.
    + unfold x, m, number_of. rewrite Z.abs_neq, opp_IZR by lia. unfold Rdiv. ring.
Qed.

(* x times the sigmoid of a number near w(x). *)
Definition times_sigmoid (z : Z) (w e : Z) : Z * Z :=
  let (s, f) := sigmoid_value w in
  (Z.shiftr (z * s) b, Z.shiftr (Z.abs z * (f + e)) b + 2)%Z.
Lemma times_sigmoid_near z w e x : (0 <= e)%Z -> near e w x -> (0 <= snd (times_sigmoid z w e))%Z /\
  near (snd (times_sigmoid z w e)) (fst (times_sigmoid z w e)) (number_of z * sigmoid x).
Proof.
  intros E N. unfold times_sigmoid. pose proof (sigmoid_value_is w) as [F S]. destruct (sigmoid_value w) as [s f].
  cbn [fst snd] in *. pose proof (unit_pos b b_nonneg) as U.
  assert (E2 : (0 <= Z.abs z * (f + e))%Z) by (apply Z.mul_nonneg_nonneg; lia).
  split; [pose proof (proj2 (Z.shiftr_nonneg (Z.abs z * (f + e)) b) E2); lia|]. unfold balls.near in *.
  replace (number_of z * sigmoid x * u) with (IZR z * sigmoid x) by (unfold number_of; field; lra).
  apply shifted_down; [exact b_nonneg|]. rewrite !mult_IZR. change (IZR (2 ^ b)) with u.
  replace (IZR z * IZR s - IZR z * sigmoid x * u) with (IZR z * (IZR s - sigmoid x * u)) by ring.
  rewrite plus_IZR, <- IZR_abs || rewrite plus_IZR. rewrite IZR_abs. apply Rabs_product; [lra|].
  replace (IZR s - sigmoid x * u) with ((IZR s - sigmoid (number_of w) * u) + (sigmoid (number_of w) - sigmoid x) * u)
    by ring. apply Rabs_sum; [exact S|]. rewrite Rabs_mult, (Rabs_pos_eq u) by lra.
  pose proof (sigmoid_has_slope (number_of w) x) as D. pose proof (Rabs_pos (sigmoid (number_of w) - sigmoid x)).
  assert (X : Rabs (number_of w - x) * u <= IZR e).
  { rewrite <- (Rabs_pos_eq u) at 1 by lra. rewrite <- Rabs_mult.
    replace ((number_of w - x) * u) with (IZR w - x * u) by (unfold number_of; field; lra). exact N. }
  nra.
Qed.
Lemma number_near z : near 0 z (number_of z).
Proof.
  unfold balls.near, number_of. pose proof (unit_pos b b_nonneg).
  replace (IZR z - IZR z / u * u) with 0 by (field; lra). rewrite Rabs_R0. lra.
Qed.

Definition silu_value (z : Z) : Z * Z := times_sigmoid z z 0.
Lemma silu_value_is : is_value (activated SiluActivation) silu_value.
Proof. intros z. apply times_sigmoid_near; [lia|apply number_near]. Qed.

Definition tanh_value (z : Z) : Z * Z :=
  (let (s, f) := sigmoid_value (2 * z) in (2 * s - 2 ^ b, 2 * f))%Z.
Lemma tanh_value_is : is_value (activated TanhActivation) tanh_value.
Proof.
  intros z. unfold tanh_value. pose proof (sigmoid_value_is (2 * z)%Z) as [F S]. destruct (sigmoid_value (2 * z)%Z)
    as [s f].
  cbn [fst snd] in *. split; [lia|]. rewrite tanh_is_sigmoid. unfold balls.near in *. pose proof (unit_pos b b_nonneg).
  replace (2 * number_of z) with (number_of (2 * z)%Z) by (unfold number_of; rewrite mult_IZR; field; lra).
  rewrite minus_IZR, !mult_IZR. change (IZR (2 ^ b)) with u.
  replace (2 * IZR s - u - (2 * sigmoid (number_of (2 * z)%Z) - 1) * u) with
    (2 * (IZR s - sigmoid (number_of (2 * z)%Z) * u)) by ring. apply Rabs_product; [rewrite Rabs_pos_eq|]; lra.
Qed.

(* x + a x^3 rounded down, and that times 2c, rounded down; 2c is less than 2. *)
Definition gelu_tanh_argument (z : Z) : Z :=
  ((z + 44715 * (z * z * z) / (1000000 * (2 ^ b * 2 ^ b))) * 7186705221432913 / 2 ^ 52)%Z.
Lemma gelu_tanh_argument_near z : near 3 (gelu_tanh_argument z) (gelu_tanh_inner (number_of z)).
Proof.
  unfold gelu_tanh_argument. pose proof (unit_pos b b_nonneg) as U.
  assert (One : (0 < 2 ^ b)%Z) by now apply Z.pow_pos_nonneg.
  set (t := (44715 * (z * z * z) / (1000000 * (2 ^ b * 2 ^ b)))%Z).
  pose proof (floor_near (44715 * (z * z * z)) (1000000 * (2 ^ b * 2 ^ b)) ltac:(nia)) as F. fold t in F.
  pose proof (floor_near ((z + t) * 7186705221432913) (2 ^ 52) ltac:(lia)) as G.
  set (w := ((z + t) * 7186705221432913 / 2 ^ 52)%Z) in *. rewrite !mult_IZR in F. rewrite mult_IZR, plus_IZR in G.
  change (IZR (2 ^ b)) with u in F. unfold balls.near, gelu_tanh_inner, gelu_tanh_factor, number_of.
  replace (IZR (2 ^ 53)) with (2 * IZR (2 ^ 52)) by (rewrite <- mult_IZR; f_equal; reflexivity).
  change (IZR (2 ^ 52)) with 4503599627370496 in *.
  set (x := IZR z) in *. set (k := IZR t) in *. clearbody x k.
  replace (44715 * (x * x * x) / (1000000 * (u * u))) with (44715 / 1000000 * (x * x * x) / (u * u)) in F by (field;
    lra).
  set (y := 44715 / 1000000 * (x * x * x) / (u * u)) in *.
  replace (2 * (7186705221432913 / (2 * 4503599627370496)) * (x / u + 44715 / 1000000 * (x / u * (x / u) * (x / u)))
    * u)
    with (7186705221432913 / 4503599627370496 * (x + y)) by (unfold y; field; lra).
  replace ((x + k) * 7186705221432913 / 4503599627370496) with (7186705221432913 / 4503599627370496 * (x + k)) in G
    by field. clearbody y. set (v := IZR w) in *. clearbody v. apply Rabs_between in F, G. apply Rabs_within.
  assert (C : 1 <= 7186705221432913 / 4503599627370496 <= 2) by lra.
  set (c := 7186705221432913 / 4503599627370496) in *. clearbody c. split; nra.
Qed.
Definition gelu_tanh_value (z : Z) : Z * Z := times_sigmoid z (gelu_tanh_argument z) 3.
Lemma gelu_tanh_value_is : is_value (activated GeluTanhActivation) gelu_tanh_value.
Proof. intros z. apply times_sigmoid_near; [lia|apply gelu_tanh_argument_near]. Qed.

(* ---- of a ball: the values at its midpoints ---- *)
Definition ball_by_values (value : Z -> Z * Z) (slope : Z) (B : ball) : ball :=
  let values := map value (numbers B) in
  Ball (map fst values) (maximum (map snd values) + ceiling_div (slope * error B) 3).
Theorem ball_by_values_encloses f value slope B x : is_value f value -> has_slope f slope -> encloses b B x ->
  encloses b (ball_by_values value slope B) (map f x).
Proof.
  intros V S [E F]. unfold ball_by_values. cbv zeta.
  assert (Slope : 0 <= IZR slope).
  { pose proof (S 1 0) as Q. rewrite Rminus_0_r, Rabs_R1 in Q. pose proof (Rabs_pos (f 1 - f 0)). lra. }
  split; cbn [numbers error].
  - pose proof (maximum_nonneg (map snd (map value (numbers B)))).
    assert (0 <= ceiling_div (slope * error B) 3)%Z.
    { apply le_IZR. eapply Rle_trans; [|apply ceiling_div_ge; lia]. rewrite mult_IZR. apply IZR_le in E.
      apply Rmult_le_pos; [nra|lra]. }
    lia.
  - set (most := maximum (map snd (map value (numbers B)))).
    assert (M : forall z, In z (numbers B) -> (snd (value z) <= most)%Z).
    { intros z I. apply maximum_bounds. rewrite map_map. exact (in_map (fun z => snd (value z)) _ _ I). }
    rewrite map_map. clearbody most. apply Forall2_map with (P := near (error B)); [|exact F].
    intros z y I N. specialize (M z I). destruct (V z) as [P Q]. specialize (S (number_of z) y).
    pose proof (unit_pos b b_nonneg) as U. unfold balls.near in *. rewrite plus_IZR. apply IZR_le in M.
    replace (IZR (fst (value z)) - f y * u) with ((IZR (fst (value z)) - f (number_of z) * u) + (f (number_of z)
      - f y) *
      u) by ring.
    apply Rabs_sum; [lra|]. eapply Rle_trans; [|apply ceiling_div_ge; lia]. rewrite mult_IZR.
    rewrite Rabs_mult, (Rabs_pos_eq u) by lra.
    assert (X : Rabs (number_of z - y) * u <= IZR (error B)).
    { rewrite <- (Rabs_pos_eq u) at 1 by lra. rewrite <- Rabs_mult.
      replace ((number_of z - y) * u) with (IZR z - y * u) by (unfold number_of; field; lra). exact N. }
    nra.
Qed.
End Points.
