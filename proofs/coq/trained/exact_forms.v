(* Affine forms in exact numbers (docs/background/tracks_rules.md, section 5, Exact numbers): each coordinate of a
   vector is an integer combination of variables times a power of two, and nothing is rounded.

   The values of the variables are a list whose last entry is 1, so that constants are coefficients. New variables come
   first: a row with zeros before it has the value that it had. *)
From Coq Require Import Reals ZArith List Lra Lia Bool.
From Certify Require Import exp_enclosure relu syntax real_vectors real_network balls.
Import ListNotations. Open Scope R_scope.
Local Notation vector := (list R).

(* ---- rows ---- *)
Fixpoint value_of (r : list Z) (t : vector) : R :=
  match r, t with a :: r, x :: t => IZR a * x + value_of r t | _, _ => 0 end.
Fixpoint added (x y : list Z) : list Z :=
  match x, y with a :: x, b :: y => (a + b)%Z :: added x y | [], y => y | x, [] => x end.
Fixpoint combined (w : list Z) (rows : list (list Z)) : list Z :=
  match w, rows with
  | a :: w, r :: rows => if (a =? 0)%Z then combined w rows else added (map (Z.mul a) r) (combined w rows)
  | _, _ => []
  end.
Definition lifted (k : nat) (r : list Z) : list Z := repeat 0%Z k ++ r.

Lemma value_nil r : value_of r [] = 0. Proof. now destruct r. Qed.
Lemma value_added x : forall y t, value_of (added x y) t = value_of x t + value_of y t.
Proof.
  induction x as [|a x IH]; intros [|b y] [|c t]; cbn [added value_of]; try lra. rewrite IH, plus_IZR. lra.
Qed.
Lemma value_scaled a r : forall t, value_of (map (Z.mul a) r) t = IZR a * value_of r t.
Proof. induction r as [|b r IH]; intros [|c t]; cbn [map value_of]; try lra. rewrite IH, mult_IZR. lra. Qed.
Lemma value_shifted k r t : (0 <= k)%Z -> value_of (map (fun z => Z.shiftl z k) r) t = value_of r t * real_unit k.
Proof.
  intros K. replace (map _ r) with (map (Z.mul (2 ^ k)) r); [rewrite value_scaled; unfold real_unit; ring|].
  apply map_ext. intros z. rewrite Z.shiftl_mul_pow2 by exact K. lia.
Qed.
Lemma value_lifted k r : forall more t, length more = k -> value_of (lifted k r) (more ++ t) = value_of r t.
Proof.
  unfold lifted. induction k as [|k IH]; intros [|x more] t L; try discriminate; [reflexivity|].
  cbn [repeat app value_of]. rewrite IH by (simpl in L; lia). lra.
Qed.

(* ---- forms ---- *)
Record form := FormOf { form_rows : list (list Z); form_exponent : Z }.
Definition form_meaning (F : form) (t : vector) : vector :=
  map (fun r => value_of r t * powerRZ 2 (form_exponent F)) (form_rows F).
Definition image (m : matrix_syntax) (F : form) : form :=
  FormOf (map (fun w => combined w (form_rows F)) (matrix_rows m)) (matrix_exponent m + form_exponent F).
(* A vector, where there are n variables. *)
Definition constant (n : nat) (c : vector_syntax) : form :=
  FormOf (map (fun z => lifted n [z]) (vector_entries c)) (vector_exponent c).
Definition rows_over (e : Z) (F : form) : list (list Z) :=
  map (map (fun z => Z.shiftl z (form_exponent F - e))) (form_rows F).
Definition form_sum (F G : form) : form :=
  let e := Z.min (form_exponent F) (form_exponent G) in FormOf (map2 added (rows_over e F) (rows_over e G)) e.
Definition form_shifted (n : nat) (c : option vector_syntax) (F : form) : form :=
  match c with Some c => form_sum F (constant n c) | None => F end.
Definition form_affine (n : nat) (a : affine_syntax) (F : form) : form :=
  form_shifted n (affine_bias a) (image (affine_weight a) F).
Definition form_lifted (k : nat) (F : form) : form := FormOf (map (lifted k) (form_rows F)) (form_exponent F).

Lemma power_2_added x y : powerRZ 2 (x + y) = powerRZ 2 x * powerRZ 2 y. Proof. apply powerRZ_add. lra. Qed.
Lemma power_2_inverse k : powerRZ 2 (- k) = / powerRZ 2 k.
Proof.
  assert (P : powerRZ 2 k <> 0) by (apply Rgt_not_eq, powerRZ_lt; lra).
  apply Rmult_eq_reg_r with (powerRZ 2 k); [|exact P]. rewrite <- power_2_added, Rinv_l by exact P.
  now replace (- k + k)%Z with 0%Z by lia.
Qed.
Lemma value_combined em e w t : forall rows, value_of (combined w rows) t * powerRZ 2 (em + e) =
  dot (map (entry em) w) (map (fun r => value_of r t * powerRZ 2 e) rows).
Proof.
  unfold dot, times, total. induction w as [|a w IH]; intros [|r rows]; cbn [combined map map2 fold_right]; try
    (cbn [value_of]; lra).
  rewrite <- IH. destruct (Z.eqb_spec a 0) as [->|]; unfold entry; rewrite ?value_added, ?value_scaled;
    rewrite power_2_added; ring.
Qed.
Lemma image_meaning m F t : form_meaning (image m F) t = product m (form_meaning F t).
Proof.
  unfold form_meaning, image, product. cbn [form_rows form_exponent]. rewrite map_map. apply map_ext. intros w.
  apply value_combined.
Qed.
Lemma constant_meaning n c vars : length vars = n -> form_meaning (constant n c) (vars ++ [1]) = vector_of c.
Proof.
  intros L. unfold form_meaning, constant, vector_of. cbn [form_rows form_exponent]. rewrite map_map. apply map_ext.
  intros z. rewrite value_lifted by exact L. unfold entry. cbn [value_of]. ring.
Qed.
Lemma rows_over_meaning e F t : (e <= form_exponent F)%Z ->
  map (fun r => value_of r t * powerRZ 2 e) (rows_over e F) = form_meaning F t.
Proof.
  intros E. unfold rows_over, form_meaning. rewrite map_map. apply map_ext. intros r.
  rewrite value_shifted by lia. rewrite <- power_2_unit by lia. rewrite Rmult_assoc, <- power_2_added.
  do 2 f_equal. lia.
Qed.
Lemma map2_added e t l : forall m, map (fun r => value_of r t * powerRZ 2 e) (map2 added l m) =
  plus (map (fun r => value_of r t * powerRZ 2 e) l) (map (fun r => value_of r t * powerRZ 2 e) m).
Proof.
  unfold plus. induction l as [|r l IH]; intros [|s m]; cbn [map map2]; try reflexivity.
  rewrite value_added, IH. f_equal. ring.
Qed.
Lemma sum_meaning F G t : form_meaning (form_sum F G) t = plus (form_meaning F t) (form_meaning G t).
Proof.
  unfold form_sum. set (e := Z.min _ _). unfold form_meaning at 1. cbn [form_rows form_exponent].
  rewrite map2_added, !rows_over_meaning by lia. reflexivity.
Qed.
Lemma shifted_meaning n c F vars : length vars = n ->
  form_meaning (form_shifted n c F) (vars ++ [1]) = optional shifted c (form_meaning F (vars ++ [1])).
Proof. intros L. destruct c; [|reflexivity]. simpl. unfold shifted. now rewrite sum_meaning, constant_meaning. Qed.
Lemma affine_meaning n a F vars : length vars = n ->
  form_meaning (form_affine n a F) (vars ++ [1]) = affine a (form_meaning F (vars ++ [1])).
Proof. intros L. unfold form_affine, affine. now rewrite shifted_meaning, image_meaning. Qed.
Lemma lifted_meaning k F more t : length more = k -> form_meaning (form_lifted k F) (more ++ t) = form_meaning F t.
Proof.
  intros L. unfold form_meaning, form_lifted. cbn [form_rows form_exponent]. rewrite map_map. apply map_ext. intros r.
  now rewrite value_lifted.
Qed.

(* ---- boxes ---- *)
(* Each variable lies between two integers over 2^bits. *)
Section Boxes.
Variable bits : Z.
Hypothesis bits_nonneg : (0 <= bits)%Z.
Notation u := (real_unit bits).
Definition box := list (Z * Z).
Definition between (ends : Z * Z) (x : R) : Prop := IZR (fst ends) <= x * u <= IZR (snd ends).
Definition in_box : box -> vector -> Prop := Forall2 between.

(* The ends of a row's values, over 2^bits. *)
Fixpoint least (r : list Z) (b : box) : Z :=
  match r, b with a :: r, (low, high) :: b => (Z.min (a * low) (a * high) + least r b)%Z | _, _ => 0%Z end.
Fixpoint greatest (r : list Z) (b : box) : Z :=
  match r, b with a :: r, (low, high) :: b => (Z.max (a * low) (a * high) + greatest r b)%Z | _, _ => 0%Z end.
Lemma ends_hold r : forall b t, in_box b t -> IZR (least r b) <= value_of r t * u <= IZR (greatest r b).
Proof.
  induction r as [|a r IH]; intros b t I; [simpl; lra|]. destruct I as [|[low high] x b t [L H] I]; [simpl; lra|].
  cbn [least greatest value_of fst snd] in *. specialize (IH b t I). rewrite !plus_IZR, Rmult_plus_distr_r.
  assert (IZR (Z.min (a * low) (a * high)) <= IZR a * x * u <= IZR (Z.max (a * low) (a * high))); [|lra].
  replace (IZR a * x * u) with (IZR a * (x * u)) by ring.
  destruct (Z.le_gt_cases 0 a) as [A|A].
  - apply IZR_le in A as A'. split.
    + apply Rle_trans with (IZR (a * low)); [apply IZR_le; lia|]. rewrite mult_IZR. nra.
    + apply Rle_trans with (IZR (a * high)); [|apply IZR_le; lia]. rewrite mult_IZR. nra.
  - apply IZR_lt in A as A'. split.
    + apply Rle_trans with (IZR (a * high)); [apply IZR_le; lia|]. rewrite mult_IZR. nra.
    + apply Rle_trans with (IZR (a * low)); [|apply IZR_le; lia]. rewrite mult_IZR. nra.
Qed.

(* ---- relu ---- *)
(* A coordinate y between l < 0 and u > 0 becomes s y + t, where 0 <= t <= (1 - s) u, for a slope 0 <= s <= u / (u - l):
   relu y - s y is convex in y and 0 at 0. Slopes have 20 fractional bits. *)
Definition slope_bits : Z := 20.
Definition slope_unit : Z := (2 ^ slope_bits)%Z.
Section Relu.
Variable e : Z.                                                        (* rows are over 2^-e *)
Hypothesis e_nonpos : (e <= 0)%Z.
Fixpoint relu_rows (rows : list (list Z)) (b : box) : list (list Z) * box * nat :=
  match rows with
  | [] => ([], b, O)
  | r :: rows =>
      let '(done, b, k) := relu_rows rows b in
      let r := lifted k r in
      let low := least r b in
      let high := greatest r b in
      if (0 <=? low)%Z then (map (Z.mul slope_unit) r :: done, b, k) else
      if (high <=? 0)%Z then ([] :: done, b, k) else
      let s := (high * slope_unit / (high - low))%Z in
      ((2 ^ (slope_bits - e) :: map (Z.mul s) r)%Z :: map (cons 0%Z) done,
       (0%Z, rounded_up ((slope_unit - s) * high) (slope_bits - e)) :: b, S k)
  end.
Notation after rows t := (map (fun r => value_of r t * powerRZ 2 (e - slope_bits)) rows).
Notation over t := (fun r => value_of r t * powerRZ 2 e).
Lemma chord_bounds s l y h w : 0 <= s <= 1 -> s * (h - l) <= h -> l < 0 < h -> l <= y <= h -> 0 < w ->
  0 <= relu (y * w) - s * (y * w) <= (1 - s) * h * w.
Proof.
  intros S C LH Y W. destruct (Rle_dec 0 y) as [Y0|Y0].
  - rewrite relu_linear by (apply Rmult_le_pos; lra). split.
    + replace (y * w - s * (y * w)) with ((1 - s) * (y * w)) by ring. apply Rmult_le_pos; [lra|]. nra.
    + replace (y * w - s * (y * w)) with ((1 - s) * y * w) by ring.
      apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; lra.
  - rewrite relu_zero by nra. split.
    + replace (0 - s * (y * w)) with (s * (- y * w)) by ring. apply Rmult_le_pos; [lra|]. nra.
    + replace (0 - s * (y * w)) with (s * - y * w) by ring. apply Rmult_le_compat_r; [lra|]. nra.
Qed.
Lemma slope_units : IZR slope_unit * powerRZ 2 (e - slope_bits) = powerRZ 2 e.
Proof.
  change (IZR slope_unit) with (real_unit slope_bits). rewrite <- power_2_unit by discriminate.
  rewrite <- power_2_added. f_equal. lia.
Qed.
Lemma unit_coefficient : IZR (2 ^ (slope_bits - e)) * powerRZ 2 (e - slope_bits) = 1.
Proof.
  change (IZR (2 ^ (slope_bits - e))) with (real_unit (slope_bits - e)).
  rewrite <- power_2_unit by (unfold slope_bits; lia). rewrite <- power_2_added.
  now replace (slope_bits - e + (e - slope_bits))%Z with 0%Z by lia.
Qed.
Theorem relu_rows_hold rows b t : in_box b t -> let '(done, b', k) := relu_rows rows b in
  exists more, length more = k /\ in_box b' (more ++ t) /\ after done (more ++ t) = map relu (map (over t) rows).
Proof.
  intros I. induction rows as [|r rows IH]; [now exists []|]. cbn [relu_rows].
  destruct (relu_rows rows b) as [[done b'] k]. destruct IH as (more & L & J & E).
  pose proof (ends_hold (lifted k r) b' _ J) as H. rewrite value_lifted in H by exact L.
  set (low := least _ _) in *. set (high := greatest _ _) in *. set (y := value_of r t) in *.
  pose proof (unit_pos bits bits_nonneg) as U. pose proof (powerRZ_lt 2 e ltac:(lra)) as P.
  destruct (Z.leb_spec 0 low) as [A|A]; [|destruct (Z.leb_spec high 0) as [B|B]].
  - exists more. split; [exact L|]. split; [exact J|]. cbn [map]. rewrite <- E. f_equal. rewrite value_scaled.
    rewrite value_lifted by exact L. fold y. apply IZR_le in A. assert (0 <= y) by (apply Rmult_le_reg_r with u; lra).
    rewrite relu_linear by (apply Rmult_le_pos; lra). rewrite <- slope_units. ring.
  - exists more. split; [exact L|]. split; [exact J|]. cbn [map]. rewrite <- E. f_equal. cbn [value_of].
    fold y. apply IZR_le in B. assert (y <= 0) by (apply Rmult_le_reg_r with u; lra).
    rewrite relu_zero by nra. ring.
  - set (s := (high * slope_unit / (high - low))%Z). set (x := relu (y * powerRZ 2 e) - IZR s / IZR slope_unit * (y *
    powerRZ 2 e)).
    exists (x :: more). split; [simpl; now rewrite L|].
    assert (SU : 0 < IZR slope_unit) by (now apply IZR_lt).
    apply IZR_lt in A as A', B as B'.
    assert (S0 : (0 <= s)%Z) by (apply Z.div_pos; unfold slope_unit, slope_bits; lia).
    assert (S1 : (s * (high - low) <= high * slope_unit)%Z).
    { unfold s. rewrite Z.mul_comm. apply Z.mul_div_le. lia. }
    assert (S2 : (s <= slope_unit)%Z).
    { apply Z.div_le_upper_bound; [lia|]. unfold slope_unit, slope_bits. nia. }
    apply IZR_le in S0 as S0', S1 as S1', S2 as S2'. rewrite !mult_IZR, minus_IZR in S1'.
    split.
    + constructor; [|exact J]. unfold between. cbn [fst snd].
      pose proof (rounded_up_ge ((slope_unit - s) * high) (slope_bits - e) ltac:(unfold slope_bits; lia)) as Up.
      rewrite mult_IZR, minus_IZR in Up. set (sr := IZR s / IZR slope_unit) in *.
      assert (Es : IZR s = sr * IZR slope_unit) by (unfold sr; field; lra). clearbody sr. rewrite Es in *.
      assert (R1 : 0 <= sr) by (apply Rmult_le_reg_r with (IZR slope_unit); lra).
      assert (R2 : sr <= 1) by (apply Rmult_le_reg_r with (IZR slope_unit); lra).
      assert (R3 : sr * (IZR high - IZR low) <= IZR high).
      { apply Rmult_le_reg_r with (IZR slope_unit); [exact SU|]. lra. }
      assert (Eq : (IZR slope_unit - sr * IZR slope_unit) * IZR high / IZR (2 ^ (slope_bits - e)) =
                   (1 - sr) * IZR high * powerRZ 2 e).
      { rewrite <- slope_units. pose proof unit_coefficient as UC. set (v := IZR (2 ^ (slope_bits - e))) in *.
        assert (K : v <> 0) by (intros K; rewrite K, Rmult_0_l in UC; lra).
        replace (powerRZ 2 (e - slope_bits)) with (/ v) by (apply Rmult_eq_reg_l with v; [rewrite UC; field|]; lra).
        field. exact K. }
      rewrite Eq in Up. set (Y := y * u) in *. set (w := powerRZ 2 e) in *.
      assert (X : x * u = relu (Y * w) - sr * (Y * w)).
      { unfold x, Y. replace (y * u * w) with (y * w * u) by ring. destruct (Rle_dec 0 (y * w)).
        - rewrite !relu_linear; [ring| |exact r0]. apply Rmult_le_pos; lra.
        - rewrite !relu_zero; [ring| |lra]. nra. }
      rewrite X. pose proof (chord_bounds sr (IZR low) Y (IZR high) w ltac:(lra) R3 ltac:(lra) H P). lra.
    + cbn [map app]. f_equal.
      * cbn [value_of]. rewrite value_scaled, value_lifted by exact L. fold y. unfold x.
        rewrite Rmult_plus_distr_r. pose proof slope_units as SE. pose proof unit_coefficient as UC.
        set (q := powerRZ 2 (e - slope_bits)) in *. set (v := IZR (2 ^ (slope_bits - e))) in *. rewrite <- SE.
        transitivity (v * q * (relu (y * (IZR slope_unit * q)) - IZR s * y * q) + IZR s * y * q);
          [field; lra|rewrite UC; ring].
      * rewrite <- E, map_map. apply map_ext. intros z. cbn [value_of]. ring.
Qed.
End Relu.
End Boxes.
