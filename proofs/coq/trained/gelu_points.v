(* The normal density and its integral from 0 at a point z/2^b, between integers, and what gelu and two derivatives of
   it are there, each with an error. pi is enclosed by a formula of Machin, e^(-x) by base/exp_enclosure.v, the integral
   by finite sums (normal_integral.v). *)
From Coq Require Import Reals ZArith List Lra Lia Machin.
From Certify Require Import exp_enclosure syntax real_vectors packed_rows balls normal_integral.
Import ListNotations. Open Scope R_scope.

(* x is between two integers in units of 2^-v. *)
Definition bounded (v : Z) (lu : Z * Z) (x : R) : Prop := IZR (fst lu) <= x * real_unit v <= IZR (snd lu).
Lemma bounded_near v lu x : bounded v lu x -> near v (snd lu - fst lu) (fst lu) x.
Proof. unfold bounded, near. intros [L U]. rewrite minus_IZR. apply Rabs_within. lra. Qed.

(* ---- 1 / sqrt (2 pi) over 2^200 ---- *)
Definition pi_bits : Z := 200.
(* The terms of pi/4 = 2 arctan (1/3) + arctan (1/7), rounded down twice. *)
Definition pi_term (n : nat) : Z :=
  (2 ^ pi_bits * 2 / (3 ^ Z.of_nat (2 * n + 1) * Z.of_nat (2 * n + 1))
   + 2 ^ pi_bits / (7 ^ Z.of_nat (2 * n + 1) * Z.of_nat (2 * n + 1)))%Z.
Fixpoint pi_sum (n : nat) : Z :=
  match n with O => pi_term 0 | S k => (pi_sum k + (if Nat.even n then pi_term n else - pi_term n))%Z end.
Lemma pi_term_near n : Rabs (IZR (pi_term n) - PI_2_3_7_tg n * real_unit pi_bits) <= 2.
Proof.
  unfold pi_term, PI_2_3_7_tg, Ratan_seq. set (k := (2 * n + 1)%nat).
  assert (D : forall m, (0 < m)%Z -> IZR (m ^ Z.of_nat k * Z.of_nat k) = IZR m ^ k * INR k).
  { intros m _. rewrite mult_IZR, INR_IZR_INZ, pow_IZR. reflexivity. }
  assert (P : forall m, (0 < m)%Z -> (0 < m ^ Z.of_nat k * Z.of_nat k)%Z).
  { intros m H. apply Z.mul_pos_pos; [apply Z.pow_pos_nonneg; lia|unfold k; lia]. }
  assert (K : 0 < INR k) by (apply lt_0_INR; unfold k; lia).
  pose proof (floor_near (2 ^ pi_bits * 2) _ (P 3%Z eq_refl)) as F3.
  pose proof (floor_near (2 ^ pi_bits) _ (P 7%Z eq_refl)) as F7. rewrite D in F3, F7 by reflexivity.
  rewrite mult_IZR in F3. change (IZR (2 ^ pi_bits)) with (real_unit pi_bits) in *. set (V := real_unit pi_bits) in *.
  rewrite plus_IZR. rewrite !pow_inv.
  match goal with |- Rabs (?a + ?c - (2 * (/ ?x / _) + / ?y / _) * V) <= 2 =>
    replace (a + c - (2 * (/ x / INR k) + / y / INR k) * V) with ((a - V * 2 / (x * INR k)) + (c - V / (y * INR k)));
      [replace 2 with (1 + 1) by ring; now apply Rabs_sum|] end.
  field. repeat split; try lra; apply pow_nonzero; lra.
Qed.
Lemma pi_sum_near n : Rabs (IZR (pi_sum n) - sum_f_R0 (tg_alt PI_2_3_7_tg) n * real_unit pi_bits) <= 2 * INR (S n).
Proof.
  assert (T : forall n, Rabs (IZR (if Nat.even n then pi_term n else - pi_term n) - tg_alt PI_2_3_7_tg n
    * real_unit pi_bits) <= 2).
  { intros k. pose proof (pi_term_near k) as N. unfold tg_alt. destruct (Nat.even k) eqn:E.
    - apply Nat.even_spec in E as [j ->]. rewrite pow_1_even, Rmult_1_l. exact N.
    - assert (O : Nat.odd k = true) by (unfold Nat.odd; now rewrite E). apply Nat.odd_spec in O as [j ->].
      replace (2 * j + 1)%nat with (S (2 * j)) in * by lia. rewrite pow_1_odd, opp_IZR.
      match goal with |- Rabs (- ?a - -1 * ?t * ?v) <= 2 => replace (- a - -1 * t * v) with (- (a - t * v)) by ring end.
      now rewrite Rabs_Ropp. }
  induction n as [|n IH]; [specialize (T 0%nat); cbn [pi_sum sum_f_R0]; change (INR 1) with 1; cbn [Nat.even] in T;
    lra|]. cbn [pi_sum sum_f_R0]. rewrite plus_IZR, (S_INR (S n)).
  match goal with |- Rabs (?a + ?c - (?s + ?t) * ?v) <= _ => replace (a + c - (s + t) * v) with ((a - s * v)
    + (c - t * v))
    by ring end.
  eapply Rle_trans; [apply Rabs_sum; [exact IH|apply (T (S n))]|]. lra.
Qed.
#[local] Opaque pi_sum.
Lemma pi_bits_nonneg : (0 <= pi_bits)%Z. Proof. easy. Qed.
Definition pi_below : Z := (4 * (pi_sum (S (2 * 32)) - 2 * 66))%Z.
Definition pi_above : Z := (4 * (pi_sum (2 * 32) + 2 * 65))%Z.
Lemma pi_bounded : bounded pi_bits (pi_below, pi_above) PI.
Proof.
  pose proof (PI_2_3_7_ineq 32) as [L U]. pose proof (pi_sum_near (S (2 * 32))) as A.
    pose proof (pi_sum_near (2 * 32)) as C.
  pose proof (unit_pos pi_bits ltac:(unfold pi_bits; lia)) as P. set (V := real_unit pi_bits) in *.
  assert (E1 : INR (S (S (2 * 32))) = 66) by (rewrite INR_IZR_INZ; reflexivity).
  assert (E2 : INR (S (2 * 32)) = 65) by (rewrite INR_IZR_INZ; reflexivity).
  rewrite E1 in A. rewrite E2 in C. apply Rabs_between in A, C.
  apply Rmult_le_compat_r with (r := V) in L, U; try lra.
  unfold bounded, pi_below, pi_above. cbn [fst snd]. fold V. rewrite !mult_IZR, minus_IZR, plus_IZR, !mult_IZR. lra.
Qed.
(* 1/sqrt(2 pi) is the root of 1 / (2 pi). *)
Definition root_between (v : Z) (pi : Z * Z) : Z * Z :=
  (Z.sqrt (2 ^ (3 * v) / (2 * snd pi)), Z.sqrt (2 ^ (3 * v) / (2 * fst pi)) + 1)%Z.
Lemma rounded_root N d : (0 <= N)%Z -> (0 < d)%Z -> let s := Z.sqrt (N / d) in
  0 <= IZR s /\ IZR s * IZR s * IZR d <= IZR N <= (IZR s + 1) * (IZR s + 1) * IZR d.
Proof.
  intros N0 D s. pose proof (Z.div_pos _ _ N0 D) as D0. pose proof (Z.sqrt_spec _ D0) as [S1 S2].
  pose proof (Z.sqrt_nonneg (N / d)) as S0. fold s in S0, S1, S2. unfold Z.succ in S2.
  pose proof (Z.div_mod N d ltac:(lia)) as M. pose proof (Z.mod_pos_bound N d D) as B. set (q := (N / d)%Z) in *.
  clearbody q s. split; [now apply IZR_le|]. split.
  - rewrite <- !mult_IZR. apply IZR_le. nia.
  - rewrite <- !plus_IZR, <- !mult_IZR. apply IZR_le. nia.
Qed.
Lemma root_bounded v pi : (0 <= v)%Z -> (0 < fst pi)%Z -> (0 < snd pi)%Z -> bounded v pi PI ->
  bounded v (root_between v pi) (/ sqrt (2 * PI)).
Proof.
  destruct pi as [lo hi]. cbn [fst snd]. intros V0 Pl Pu [L U]. cbn [fst snd] in L, U.
  pose proof (unit_pos v V0) as P. set (V := real_unit v) in *. set (t := / sqrt (2 * PI) * V).
  assert (P2 : 0 < 2 * PI) by (pose proof PI_RGT_0; lra).
  assert (T0 : 0 < t) by (apply Rmult_lt_0_compat; [now apply Rinv_0_lt_compat, sqrt_lt_R0|exact P]).
  assert (TT : t * t * (2 * PI * V) = V * V * V).
  { unfold t. replace (/ sqrt (2 * PI) * V * (/ sqrt (2 * PI) * V) * (2 * PI * V)) with
      (V * V * V * (2 * PI / (sqrt (2 * PI) * sqrt (2 * PI)))) by (field; apply Rgt_not_eq, sqrt_lt_R0, P2).
    rewrite sqrt_sqrt by lra. unfold Rdiv. rewrite Rinv_r by lra. ring. }
  assert (V3 : IZR (2 ^ (3 * v)) = V * V * V).
  { unfold V, real_unit. rewrite <- !mult_IZR. apply f_equal. replace (3 * v)%Z with (v + v + v)%Z by lia.
    now rewrite !Z.pow_add_r by lia. }
  destruct (rounded_root (2 ^ (3 * v)) (2 * hi) ltac:(apply Z.pow_nonneg; lia) ltac:(lia)) as (S0 & S1 & _).
  destruct (rounded_root (2 ^ (3 * v)) (2 * lo) ltac:(apply Z.pow_nonneg; lia) ltac:(lia)) as (S0' & _ & S2).
  unfold root_between, bounded. cbn [fst snd]. fold V t. rewrite plus_IZR. rewrite V3, mult_IZR in S1, S2.
  set (s := IZR (Z.sqrt (2 ^ (3 * v) / (2 * hi)))) in *. set (s' := IZR (Z.sqrt (2 ^ (3 * v) / (2 * lo)))) in *.
  apply IZR_lt in Pl, Pu. assert (PV : 0 < 2 * PI * V) by (now apply Rmult_lt_0_compat). split.
  - apply Rsqr_incr_0; unfold Rsqr; try lra. apply Rmult_le_reg_r with (2 * PI * V); [exact PV|]. rewrite TT.
    eapply Rle_trans; [|exact S1]. apply Rmult_le_compat_l; [now apply Rmult_le_pos|lra].
  - apply Rsqr_incr_0; unfold Rsqr; try lra. apply Rmult_le_reg_r with (2 * PI * V); [exact PV|]. rewrite TT.
    eapply Rle_trans; [exact S2|]. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|lra].
Qed.
Definition density_root : Z * Z := root_between pi_bits (pi_below, pi_above).
Lemma density_root_bounded : bounded pi_bits density_root (/ sqrt (2 * PI)).
Proof. apply root_bounded; [easy|vm_compute; reflexivity|vm_compute; reflexivity|exact pi_bounded]. Qed.
#[global] Opaque density_root.

(* ---- the sums of y, y^3/3, y^5/15, ..., for y = z/2^b >= 0, over 2^w ---- *)
Section Points.
Variables b w : Z.
Hypothesis b_nonneg : (0 <= b)%Z.
Hypothesis w_enough : (2 * b + 1 <= w)%Z.
Section Series.
Variable z : Z.
Hypothesis z_nonneg : (0 <= z)%Z.
Notation y := (IZR z / real_unit b).
Definition next_bounds (j : nat) (t : Z * Z) : Z * Z :=
  let d := (2 ^ (2 * b) * Z.of_nat (2 * j + 3))%Z in (fst t * (z * z) / d, ceiling_div (snd t * (z * z)) d)%Z.
(* The k-th term, and the sum up to it. *)
Fixpoint series (k : nat) : (Z * Z) * (Z * Z) :=
  match k with
  | O => let t := (z * 2 ^ (w - b))%Z in ((t, t), (t, t))
  | S j => let (t, s) := series j in let t := next_bounds j t in (t, (fst s + fst t, snd s + snd t)%Z)
  end.
Lemma next_bounded j t : (0 <= fst t)%Z -> bounded w t (odd_term j y) ->
  bounded w (next_bounds j t) (odd_term (S j) y) /\ (0 <= fst (next_bounds j t))%Z.
Proof.
  intros T [L U]. unfold next_bounds, bounded. cbn [fst snd odd_term]. set (d := (2 ^ (2 * b) * Z.of_nat (2 * j +
    3))%Z).
  assert (D : (0 < d)%Z) by (unfold d; pose proof (Z.pow_pos_nonneg 2 (2 * b) ltac:(lia) ltac:(lia)); nia).
  pose proof (floor_div_le (fst t * (z * z)) d D) as F. pose proof (ceiling_div_ge (snd t * (z * z)) d D) as C.
  pose proof (unit_pos b b_nonneg) as B. pose proof (odd_pos j) as O.
  assert (Ed : IZR d = real_unit b * real_unit b * INR (2 * j + 3)).
  { unfold d, real_unit. replace (2 * b)%Z with (b + b)%Z by lia. rewrite mult_IZR, Z.pow_add_r, mult_IZR by lia.
    now rewrite INR_IZR_INZ. }
  assert (E : odd_term j y * (y * y) / INR (2 * j + 3) * real_unit w
    = odd_term j y * real_unit w * (IZR (z * z) / IZR d)) by (rewrite Ed, mult_IZR; field; lra).
  assert (Q : 0 <= IZR (z * z) / IZR d).
  { apply Rmult_le_pos; [apply IZR_le, Z.square_nonneg|left; now apply Rinv_0_lt_compat, IZR_lt]. }
  rewrite E. rewrite !mult_IZR with (m := (z * z)%Z) in F, C. unfold Rdiv in F, C. rewrite Rmult_assoc in F, C.
  split; [split|].
  - eapply Rle_trans; [exact F|]. now apply Rmult_le_compat_r.
  - eapply Rle_trans; [|exact C]. now apply Rmult_le_compat_r.
  - apply Z.div_pos; [|exact D]. apply Z.mul_nonneg_nonneg; [exact T|apply Z.square_nonneg].
Qed.
Lemma series_bounded k : let (t, s) := series k in
  bounded w t (odd_term k y) /\ bounded w s (odd_sum k y) /\ (0 <= fst t)%Z /\ (0 <= fst s)%Z.
Proof.
  induction k as [|j IH].
  - cbn [series odd_term odd_sum]. assert (E : bounded w (z * 2 ^ (w - b), z * 2 ^ (w - b))%Z y).
    { unfold bounded. cbn [fst snd]. rewrite mult_IZR. pose proof (unit_pos b b_nonneg) as B.
      assert (W : real_unit w = real_unit b * IZR (2 ^ (w - b))).
      { unfold real_unit. rewrite <- mult_IZR, <- Z.pow_add_r by lia. do 2 f_equal. lia. }
      rewrite W. replace (y * (real_unit b * IZR (2 ^ (w - b)))) with (IZR z * IZR (2 ^ (w - b))) by (field; lra).
        lra. }
    assert (0 <= z * 2 ^ (w - b))%Z by (apply Z.mul_nonneg_nonneg; [exact z_nonneg|apply Z.pow_nonneg; lia]).
    cbn [fst]. auto.
  - cbn [series]. destruct (series j) as [t s]. destruct IH as (Bt & Bs & T & S). cbn [fst snd].
    destruct (next_bounded j t T Bt) as [N N0]. split; [exact N|]. split; [|lia]. unfold bounded in *. cbn [fst snd].
    change (odd_sum (Datatypes.S j) y) with (odd_sum j y + odd_term (Datatypes.S j) y). rewrite !plus_IZR. lra.
Qed.
End Series.

(* ---- the density and its integral, over 2^v ---- *)
Variable v : Z.
Hypothesis v_nonneg : (0 <= v)%Z.
Hypothesis v_enough : (v <= w)%Z.
Definition lowered (k : Z) (lu : Z * Z) : Z * Z := (fst lu / 2 ^ k, ceiling_div (snd lu) (2 ^ k))%Z.
Lemma lowered_bounded k n lu x : (0 <= k)%Z -> (k <= n)%Z -> bounded n lu x -> bounded (n - k) (lowered k lu) x.
Proof.
  intros K N [L U]. unfold bounded, lowered. cbn [fst snd].
  assert (P : (0 < 2 ^ k)%Z) by now apply Z.pow_pos_nonneg.
  pose proof (floor_div_le (fst lu) (2 ^ k) P) as F. pose proof (ceiling_div_ge (snd lu) (2 ^ k) P) as C.
  pose proof (unit_pos k K) as PK. change (IZR (2 ^ k)) with (real_unit k) in F, C.
  assert (E : real_unit n = real_unit (n - k) * real_unit k).
  { unfold real_unit. rewrite <- mult_IZR, <- Z.pow_add_r by lia. do 2 f_equal. lia. }
  assert (Q : forall a, a / real_unit k * real_unit k = a) by (intros; field; lra).
  rewrite E in L, U. split; [eapply Rle_trans; [exact F|]|eapply Rle_trans; [|exact C]];
    apply Rmult_le_reg_r with (real_unit k); try exact PK; rewrite Q; lra.
Qed.
Lemma bounded_product n m lu ku x y : (0 <= n)%Z -> (0 <= m)%Z -> (0 <= fst lu)%Z -> (0 <= fst ku)%Z -> bounded n lu
  x ->
  bounded m ku y -> bounded (n + m) (fst lu * fst ku, snd lu * snd ku)%Z (x * y).
Proof.
  intros N M L0 K0 [L U] [L' U']. unfold bounded. cbn [fst snd]. apply IZR_le in L0, K0.
  assert (E : real_unit (n + m) = real_unit n * real_unit m).
  { unfold real_unit. rewrite <- mult_IZR, <- Z.pow_add_r by lia. reflexivity. }
  rewrite E, !mult_IZR. replace (x * y * (real_unit n * real_unit m)) with (x * real_unit n * (y * real_unit m))
    by ring.
  split; apply Rmult_le_compat; lra.
Qed.
Lemma density_root_nonneg : (0 <= fst density_root)%Z. Proof. apply Z.sqrt_nonneg. Qed.

(* The density and the integral at z/2^b >= 0, with k terms. *)
Definition density_and_integral (k : nat) (z : Z) : option ((Z * Z) * (Z * Z)) :=
  if (2 * (z * z) <=? Z.of_nat (2 * k + 3) * 2 ^ (2 * b))%Z then
    let e := (z * z * 2 ^ (w - 2 * b - 1))%Z in
    let phi := (Z.max 0 (decay_below w e) * fst density_root, decay_above w e * snd density_root)%Z in
    let (t, s) := series z k in
    let t := next_bounds z k t in
    Some (lowered (w + pi_bits - v) phi,
      lowered (w + pi_bits + w - v) (fst phi * fst s, snd phi * (snd s + 2 * snd t))%Z)
  else None.
Lemma density_and_integral_bounded k z phi i : (0 <= z)%Z -> density_and_integral k z = Some (phi, i) ->
  bounded v phi (normal_density (IZR z / real_unit b)) /\ bounded v i (normal_integral (IZR z / real_unit b)).
Proof.
  intros Z0. unfold density_and_integral. set (y := IZR z / real_unit b).
  destruct (Z.leb_spec (2 * (z * z)) (Z.of_nat (2 * k + 3) * 2 ^ (2 * b))) as [K|]; [|discriminate]. cbv zeta.
  set (e := (z * z * 2 ^ (w - 2 * b - 1))%Z). set (phi0 := (_, _)). pose proof (series_bounded z Z0 k) as S.
  destruct (series z k) as [t s]. destruct S as (Bt & Bs & T0 & S0).
  destruct (next_bounded z k t T0 Bt) as [Bn N0]. set (n := next_bounds z k t) in *. intros H.
  fold y in Bt, Bs, Bn.
  assert (Ep : phi = lowered (w + pi_bits - v) phi0) by congruence.
  assert (Ei : i = lowered (w + pi_bits + w - v) (fst phi0 * fst s, snd phi0 * (snd s + 2 * snd n))%Z) by congruence.
  clear H. pose proof (unit_pos b b_nonneg) as B. pose proof pi_bits_nonneg as PB.
  assert (Wb : real_unit w = 2 * (real_unit b * real_unit b) * IZR (2 ^ (w - 2 * b - 1))).
  { unfold real_unit. rewrite <- !mult_IZR. apply f_equal. change 2%Z with (2 ^ 1)%Z at 2.
    rewrite <- !Z.pow_add_r by lia. apply f_equal. lia. }
  assert (Ee : fixed w e = y * y / 2).
  { unfold fixed, e, y. fold (real_unit w). rewrite Wb, !mult_IZR. field.
    repeat split; try lra; apply Rgt_not_eq, IZR_lt, Z.pow_pos_nonneg; lia. }
  assert (e0 : (0 <= e)%Z) by (unfold e; apply Z.mul_nonneg_nonneg; [apply Z.square_nonneg|apply Z.pow_nonneg; lia]).
  pose proof (decay_below_correct w ltac:(lia) e e0) as DL. pose proof (decay_above_correct w ltac:(lia) e e0) as DU.
  rewrite Ee in DL, DU. unfold fixed in DL, DU. fold (real_unit w) in DL, DU.
  pose proof (unit_pos w ltac:(lia)) as W.
  assert (Q : forall a, a / real_unit w * real_unit w = a) by (intros; field; lra).
    assert (De : bounded w (Z.max 0 (decay_below w e), decay_above w e)
    (exp (- (y * y / 2)))).
  { unfold bounded. cbn [fst snd]. pose proof (exp_pos (- (y * y / 2))). split.
    - destruct (Z.max_spec 0 (decay_below w e)) as [[_ ->]|[_ ->]]; [|apply Rmult_le_pos; lra].
      apply Rmult_le_compat_r with (r := real_unit w) in DL; [|lra]. rewrite Q in DL. exact DL.
    - apply Rmult_le_compat_r with (r := real_unit w) in DU; [|lra]. rewrite Q in DU. exact DU. }
  pose proof (Z.le_max_l 0 (decay_below w e) : (0 <= fst (Z.max 0 (decay_below w e), decay_above w e))%Z) as E0.
  pose proof (bounded_product w pi_bits _ _ _ _ ltac:(lia) PB E0 density_root_nonneg De density_root_bounded) as Bp.
    cbn [fst snd] in Bp. fold phi0 in Bp.
  change (exp (- (y * y / 2)) * / sqrt (2 * PI)) with (normal_density y) in Bp.
  assert (P0 : (0 <= fst phi0)%Z) by (apply Z.mul_nonneg_nonneg; [apply Z.le_max_l|apply density_root_nonneg]).
  assert (Y0 : 0 <= y) by (apply Rmult_le_pos; [now apply IZR_le|left; now apply Rinv_0_lt_compat]).
  split.
  - rewrite Ep. replace v with (w + pi_bits - (w + pi_bits - v))%Z at 1 by lia. apply lowered_bounded; lia || exact Bp.
  - rewrite Ei. replace v with (w + pi_bits + w - (w + pi_bits + w - v))%Z at 1 by lia. apply lowered_bounded;
    [lia|lia|].
    assert (Cond : 2 * (y * y) <= INR (2 * k + 3)).
    { apply IZR_le in K. rewrite !mult_IZR in K. replace (2 * b)%Z with (b + b)%Z in K by lia.
      rewrite Z.pow_add_r, mult_IZR in K by lia. change (IZR (2 ^ b)) with (real_unit b) in K.
      rewrite <- INR_IZR_INZ in K. apply Rmult_le_reg_r with (real_unit b * real_unit b);
        [now apply Rmult_lt_0_compat|].
      unfold y. replace (2 * (IZR z / real_unit b * (IZR z / real_unit b)) * (real_unit b * real_unit b))
        with (2 * (IZR z * IZR z)) by (field; lra). exact K. }
    pose proof (integral_at_least k y Y0) as IL. pose proof (integral_at_most k y Y0 Cond) as IU.
    pose proof (bounded_product (w + pi_bits) w _ _ _ _ ltac:(lia) ltac:(lia) P0 S0 Bp Bs) as [BL _].
    assert (Bu : bounded w (fst s, snd s + 2 * snd n)%Z (odd_sum k y + 2 * odd_term (Datatypes.S k) y)).
    { unfold bounded in *. cbn [fst snd] in *. rewrite plus_IZR, mult_IZR. split; [|lra].
      pose proof (odd_term_nonneg (Datatypes.S k) y Y0). assert (0 <= odd_term (Datatypes.S k) y * real_unit w)
        by (apply Rmult_le_pos; lra). lra. }
    pose proof (bounded_product (w + pi_bits) w phi0 (fst s, snd s + 2 * snd n)%Z _ _ ltac:(lia) ltac:(lia) P0 S0 Bp Bu)
      as [_ BU].
    pose proof (unit_pos (w + pi_bits + w) ltac:(lia)) as U. unfold bounded. cbn [fst snd] in *. split.
    + eapply Rle_trans; [exact BL|]. apply Rmult_le_compat_r; lra.
    + eapply Rle_trans; [|exact BU]. apply Rmult_le_compat_r; lra.
Qed.
End Points.
