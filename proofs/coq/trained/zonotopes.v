(* Affine forms in fixed point (docs/background/trained_rules.md, section 5, Forms): what the steps on one token do to
   all vectors of a set at once.

   A coordinate is a row of integers and a radius. The row's first entry is the centre, the others are generators: the
   coordinate is near centre + sum of generator times symbol, within the radius, in units of 2^-b. Symbols are in
   [-1, 1], the same for all coordinates; new ones are appended, so that shorter rows keep their meaning. *)
From Coq Require Import Reals ZArith QArith Qreals List Lra Lia Bool.
From Certify Require Import relu lists syntax real_vectors real_network packed_rows balls ball_network ball_sigmoids
  ball_gelu exact_forms.
Import ListNotations. Open Scope R_scope.
Local Notation vector := (list R).

Definition coordinate := (list Z * Z)%type.
Definition zonotope := list coordinate.
Definition are_symbols (t : vector) : Prop := hd 0 t = 1 /\ Forall (fun x => Rabs x <= 1) t.
Definition centre (r : list Z) : Z := hd 0%Z r.
Definition generators_size (r : list Z) : Z := size (tl r).

(* ---- rows ---- *)
Lemma value_bound r : forall t, Forall (fun x => Rabs x <= 1) t -> Rabs (value_of r t) <= IZR (size r).
Proof.
  induction r as [|a r IH]; intros t F; cbn [value_of size fold_right]; [rewrite Rabs_R0; lra|].
  destruct F as [|x t X F]; cbn [value_of].
  - rewrite Rabs_R0. apply IZR_le. pose proof (size_nonneg r). unfold size in *. lia.
  - unfold size in *. rewrite plus_IZR. apply Rabs_sum; [|now apply IH]. rewrite IZR_abs, Rabs_mult.
    pose proof (Rabs_pos (IZR a)). pose proof (Rabs_pos x). nra.
Qed.
Lemma value_centre r t : are_symbols t -> Rabs (value_of r t - IZR (centre r)) <= IZR (generators_size r).
Proof.
  intros [H F]. unfold centre, generators_size. destruct r as [|a r]; cbn [value_of hd tl];
    [rewrite Rminus_0_r, Rabs_R0; simpl; lra|].
  destruct F as [|x t X F]; [simpl in H; lra|]. simpl in H. subst x. cbn [value_of].
  replace (IZR a * 1 + value_of r t - IZR a) with (value_of r t) by ring. now apply value_bound.
Qed.
Lemma value_appended r : forall t more, (length r <= length t)%nat -> value_of r (t ++ more) = value_of r t.
Proof.
  induction r as [|a r IH]; intros [|x t] more L; cbn [value_of app]; try reflexivity; [simpl in L; lia|].
  rewrite IH; [reflexivity|simpl in L; lia].
Qed.
Lemma length_added x : forall y, length (added x y) = Nat.max (length x) (length y).
Proof. induction x as [|a x IH]; intros [|c y]; cbn [added length]; try reflexivity; rewrite IH; reflexivity. Qed.
(* Each entry divided by 2^k. *)
Definition rounded (k : Z) (r : list Z) : list Z := map (fun z => Z.shiftr z k) r.
Lemma value_rounded k r : (0 <= k)%Z -> forall t, Forall (fun x => Rabs x <= 1) t ->
  Rabs (value_of (rounded k r) t - value_of r t / real_unit k) <= INR (length r).
Proof.
  intros K. pose proof (unit_pos k K) as U. induction r as [|a r IH]; intros t F; cbn [rounded map value_of].
  - unfold Rdiv. rewrite Rmult_0_l, Rminus_0_r, Rabs_R0. simpl. lra.
  - cbn [length]. rewrite S_INR. pose proof (pos_INR (length r)) as P.
    destruct F as [|x t X F]; [unfold Rdiv; rewrite Rmult_0_l, Rminus_0_r, Rabs_R0; lra|].
    specialize (IH t F). fold (rounded k r).
    replace (IZR (Z.shiftr a k) * x + value_of (rounded k r) t - (IZR a * x + value_of r t) / real_unit k) with
      ((value_of (rounded k r) t - value_of r t / real_unit k) + (IZR (Z.shiftr a k) - IZR a / real_unit k) * x)
      by (field; lra).
    apply Rabs_sum; [exact IH|]. rewrite <- (Rmult_1_r 1). apply Rabs_product; [|exact X].
    rewrite Z.shiftr_div_pow2 by exact K. apply floor_near. now apply Z.pow_pos_nonneg.
Qed.

Section Zonotopes.
Variables b g : Z.                                                (* numbers are over 2^b, weights over 2^g *)
Hypothesis b_nonneg : (0 <= b)%Z.
Hypothesis g_nonneg : (0 <= g)%Z.
Notation u := (real_unit b).
Notation v := (real_unit g).

Definition holds (t : vector) (c : coordinate) (x : R) : Prop :=
  (length (fst c) <= length t)%nat /\ (0 <= snd c)%Z /\ Rabs (value_of (fst c) t - x * u) <= IZR (snd c).
Definition contains (t : vector) : zonotope -> vector -> Prop := Forall2 (holds t).
Lemma holds_appended t more c x : holds t c x -> holds (t ++ more) c x.
Proof.
  intros (L & E & H). split; [rewrite length_app; lia|]. split; [exact E|]. now rewrite value_appended.
Qed.
Lemma contains_appended t more X x : contains t X x -> contains (t ++ more) X x.
Proof. intros C. eapply Forall2_weaker; [|exact C]. intros. now apply holds_appended. Qed.
Lemma symbols_appended t more : are_symbols t -> Forall (fun x => Rabs x <= 1) more -> are_symbols (t ++ more).
Proof.
  intros [H F] M. split; [destruct t; [simpl in H; lra|exact H]|]. now apply Forall_app.
Qed.
(* A bound of the absolute value. *)
Definition reach (c : coordinate) : Z := (size (fst c) + snd c)%Z.
Lemma reach_bounds t c x : are_symbols t -> holds t c x -> Rabs (x * u) <= IZR (reach c).
Proof.
  intros [_ F] (_ & _ & H). unfold reach. rewrite plus_IZR. pose proof (value_bound (fst c) t F) as B.
  replace (x * u) with (value_of (fst c) t + - (value_of (fst c) t - x * u)) by ring.
  apply Rabs_sum; [exact B|]. now rewrite Rabs_Ropp.
Qed.
Lemma coordinate_reach_nonneg t c x : holds t c x -> (0 <= reach c)%Z.
Proof. intros (_ & E & _). unfold reach. pose proof (size_nonneg (fst c)). lia. Qed.

(* What is near within E before entries are divided by 2^k. *)
Definition scaled_coordinate (k : Z) (r : list Z) (E : Z) : coordinate :=
  (rounded k r, (Z.shiftr E k + 1 + Z.of_nat (length r))%Z).
Lemma scaled_coordinate_holds t k r E x : are_symbols t -> (0 <= k)%Z -> (0 <= E)%Z -> (length r <= length t)%nat ->
  Rabs (value_of r t - x * u * real_unit k) <= IZR E -> holds t (scaled_coordinate k r E) x.
Proof.
  intros [_ F] K E0 L H. unfold scaled_coordinate. pose proof (unit_pos k K) as U. split; [|split]; cbn [fst snd].
  - unfold rounded. now rewrite length_map.
  - assert (0 <= Z.shiftr E k)%Z by now apply Z.shiftr_nonneg. lia.
  - replace (value_of (rounded k r) t - x * u) with ((value_of r t - x * u * real_unit k) / real_unit k +
      (value_of (rounded k r) t - value_of r t / real_unit k)) by (field; lra).
    rewrite plus_IZR, <- INR_IZR_INZ. apply Rabs_sum; [|now apply value_rounded].
    unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ _)) by (left; now apply Rinv_0_lt_compat).
    rewrite plus_IZR, Z.shiftr_div_pow2 by exact K.
    pose proof (floor_near E (2 ^ k) ltac:(now apply Z.pow_pos_nonneg)) as N. apply Rabs_between in N.
    change (IZR (2 ^ k)) with (real_unit k) in N. apply Rle_trans with (IZR E / real_unit k); [|lra].
    unfold Rdiv. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|exact H].
Qed.

(* ---- sums ---- *)
Definition coordinate_sum (c d : coordinate) : coordinate := (added (fst c) (fst d), (snd c + snd d)%Z).
Lemma coordinate_sum_holds t c d x y : holds t c x -> holds t d y -> holds t (coordinate_sum c d) (x + y).
Proof.
  intros (L & E & H) (L' & E' & H'). split; [|split]; cbn [coordinate_sum fst snd]; [rewrite length_added; lia|lia|].
  rewrite value_added, plus_IZR.
  replace (value_of (fst c) t + value_of (fst d) t - (x + y) * u) with
    ((value_of (fst c) t - x * u) + (value_of (fst d) t - y * u)) by ring. now apply Rabs_sum.
Qed.
Definition zonotope_sum : zonotope -> zonotope -> zonotope := map2 coordinate_sum.
Lemma zonotope_sum_contains t X Y x y : contains t X x -> contains t Y y -> contains t (zonotope_sum X Y) (plus x y).
Proof. intros H K. eapply Forall2_map2; [|exact H|exact K]. intros. now apply coordinate_sum_holds. Qed.
Definition point (e z : Z) : coordinate := ([z], e).
Lemma point_holds t e z x : are_symbols t -> (0 <= e)%Z -> near b e z x -> holds t (point e z) x.
Proof.
  intros [H F] E N. destruct t as [|y t]; [simpl in H; lra|]. simpl in H. subst y. split; [simpl; lia|].
  split; [exact E|]. cbn [point fst snd value_of]. replace (IZR z * 1 + 0) with (IZR z) by ring. exact N.
Qed.
Definition points (e : Z) (z : list Z) : zonotope := map (point e) z.
Lemma points_contain t B x : are_symbols t -> encloses b B x -> contains t (points (error B) (numbers B)) x.
Proof.
  intros S [E F]. unfold points, contains. rewrite <- (map_id x). eapply Forall2_map; [|exact F]. intros z y _ N.
  now apply point_holds.
Qed.
Definition negated (c : coordinate) : coordinate := (map Z.opp (fst c), snd c).
Lemma negated_holds t c x : holds t c x -> holds t (negated c) (- x).
Proof.
  intros (L & E & H). split; [|split]; cbn [negated fst snd]; [now rewrite length_map|exact E|].
  replace (map Z.opp (fst c)) with (map (Z.mul (-1)) (fst c)) by (apply map_ext; lia).
  rewrite value_scaled. replace (IZR (-1) * value_of (fst c) t - - x * u) with (- (value_of (fst c) t - x * u)) by
    (simpl; ring). now rewrite Rabs_Ropp.
Qed.

(* ---- linear maps ---- *)
Fixpoint weighted_radii (a : list Z) (X : zonotope) : Z :=
  match a, X with w :: a, c :: X => (Z.abs w * snd c + weighted_radii a X)%Z | _, _ => 0%Z end.
Definition total_reach (X : zonotope) : Z := fold_right (fun c s => reach c + s)%Z 0%Z X.
Definition row_product (more : Z) (a : list Z) (X : zonotope) : coordinate :=
  scaled_coordinate g (combined a (map fst X)) (weighted_radii a X + more).
Lemma combined_near t X x : are_symbols t -> contains t X x -> forall a w, Forall2 (is_weight g) a w ->
  (length (combined a (map fst X)) <= length t)%nat /\ (0 <= weighted_radii a X)%Z /\ (0 <= total_reach X)%Z /\
  Rabs (value_of (combined a (map fst X)) t - dot w x * u * v) <= IZR (weighted_radii a X + total_reach X).
Proof.
  intros S C. unfold dot, times, total.
  induction C as [|c x0 X x H C IH]; intros a w A.
  - assert (E : combined a (map fst (@nil coordinate)) = []) by now destruct a.
    assert (R : weighted_radii a [] = 0%Z) by now destruct a. rewrite E, R.
    assert (D : fold_right Rplus 0 (map2 Rmult w []) = 0) by now destruct w. rewrite D.
    split; [simpl; lia|]. split; [lia|]. split; [simpl; lia|]. cbn [value_of total_reach fold_right].
    replace (0 - 0 * u * v) with 0 by ring. rewrite Rabs_R0. simpl. lra.
  - pose proof (coordinate_reach_nonneg t c x0 H) as P. pose proof (reach_bounds t c x0 S H) as B.
    assert (Hold : holds t c x0) by exact H. destruct H as (L & E & H).
    destruct A as [|w0 y0 a w W A].
    + destruct (IH [] [] (Forall2_nil _)) as (_ & _ & T & _). cbn [map combined weighted_radii total_reach fold_right].
      fold (total_reach X). split; [simpl; lia|]. split; [lia|]. split; [lia|]. cbn [map2 fold_right value_of].
      replace (0 - 0 * u * v) with 0 by ring. rewrite Rabs_R0. apply IZR_le. lia.
    + destruct (IH a w A) as (L' & R & T & D). cbn [map combined weighted_radii total_reach fold_right map2].
      fold (total_reach X).
      set (rest := combined a (map fst X)) in *. set (d := fold_right Rplus 0 (map2 Rmult w x)) in *.
      assert (V : value_of (if (w0 =? 0)%Z then rest else added (map (Z.mul w0) (fst c)) rest) t =
        IZR w0 * value_of (fst c) t + value_of rest t).
      { destruct (Z.eqb_spec w0 0) as [->|]; [lra|]. now rewrite value_added, value_scaled. }
      assert (Len : (length (if (w0 =? 0)%Z then rest else added (map (Z.mul w0) (fst c)) rest) <= length t)%nat).
      { destruct (w0 =? 0)%Z; [exact L'|]. rewrite length_added, length_map. lia. }
      split; [exact Len|]. split; [nia|]. split; [lia|]. rewrite V.
      replace (IZR w0 * value_of (fst c) t + value_of rest t - (y0 * x0 + d) * u * v) with
        (IZR w0 * (value_of (fst c) t - x0 * u) + ((IZR w0 - y0 * v) * (x0 * u) + (value_of rest t - d * u * v)))
        by ring.
      replace (IZR (Z.abs w0 * snd c + weighted_radii a X + (reach c + total_reach X))) with
        (IZR (Z.abs w0) * IZR (snd c) + (1 * IZR (reach c) + IZR (weighted_radii a X + total_reach X))).
      * apply Rabs_sum; [apply Rabs_product; [rewrite IZR_abs; lra|exact H]|]. apply Rabs_sum; [|exact D].
        apply Rabs_product; [exact W|exact B].
      * rewrite !plus_IZR, mult_IZR. ring.
Qed.
Lemma row_product_holds t X x a w : are_symbols t -> contains t X x -> Forall2 (is_weight g) a w ->
  holds t (row_product (total_reach X) a X) (dot w x).
Proof.
  intros S C A. destruct (combined_near t X x S C a w A) as (L & R & T & D). apply scaled_coordinate_holds; auto; lia.
Qed.
Definition zonotope_product (m : list (list Z)) (X : zonotope) : zonotope :=
  let more := total_reach X in map (fun a => row_product more a X) m.
Lemma zonotope_product_contains t m X x : are_symbols t -> contains t X x ->
  contains t (zonotope_product (fixed_table g m) X) (product m x).
Proof.
  intros S C. unfold zonotope_product, fixed_table, product, contains. rewrite map_map.
  induction (matrix_rows m) as [|r l IH]; cbn [map]; constructor; [|exact IH].
  apply row_product_holds; auto. now apply fixed_row_near.
Qed.

(* ---- products, coordinate by coordinate ---- *)
Definition coordinate_times (c d : coordinate) : coordinate :=
  let (r, e) := c in
  let (s, f) := d in
  let a := centre r in
  let k := centre s in
  scaled_coordinate b (added (map (Z.mul a) s) (added (map (Z.mul k) r) [(- (a * k))%Z]))
    (generators_size r * generators_size s + size r * f + size s * e + e * f).
Lemma coordinate_times_holds t c d x y : are_symbols t -> holds t c x -> holds t d y ->
  holds t (coordinate_times c d) (x * y).
Proof.
  intros S (L & E & H) (L' & E' & H'). destruct c as [r e], d as [s f]. cbn [fst snd] in *.
  unfold coordinate_times. pose proof (size_nonneg r). pose proof (size_nonneg s).
  pose proof (size_nonneg (tl r)). pose proof (size_nonneg (tl s)).
  apply scaled_coordinate_holds; auto.
  - unfold generators_size. nia.
  - rewrite !length_added, !length_map. destruct S as [S _]. destruct t; [simpl in S; lra|]. cbn [length] in *. lia.
  - rewrite !value_added, !value_scaled. pose proof (value_centre r t S) as A. pose proof (value_centre s t S) as K.
    destruct S as [S F]. pose proof (value_bound r t F) as BR. pose proof (value_bound s t F) as BS.
    assert (One : value_of [(- (centre r * centre s))%Z] t = - (IZR (centre r) * IZR (centre s))).
    { destruct t as [|t0 t]; [simpl in S; lra|]. simpl in S. subst t0. cbn [value_of]. rewrite opp_IZR, mult_IZR.
        ring. }
    rewrite One. set (a := IZR (centre r)) in *. set (k := IZR (centre s)) in *. set (p := value_of r t) in *.
    set (q := value_of s t) in *.
    replace (a * q + (k * p + - (a * k)) - x * y * u * u) with
      (- ((p - a) * (q - k)) + (p * (q - y * u) + (q * (p - x * u) + - ((p - x * u) * (q - y * u))))) by ring.
    replace (IZR (generators_size r * generators_size s + size r * f + size s * e + e * f)) with
      (IZR (generators_size r) * IZR (generators_size s) + (IZR (size r) * IZR f + (IZR (size s) * IZR e + IZR e *
        IZR f))) by (rewrite !plus_IZR, !mult_IZR; ring).
    repeat apply Rabs_sum; rewrite ?Rabs_Ropp; now apply Rabs_product.
Qed.
Definition zonotope_times : zonotope -> zonotope -> zonotope := map2 coordinate_times.
Lemma zonotope_times_contains t X Y x y : are_symbols t -> contains t X x -> contains t Y y ->
  contains t (zonotope_times X Y) (times x y).
Proof. intros S H K. eapply Forall2_map2; [|exact H|exact K]. intros. now apply coordinate_times_holds. Qed.

(* ---- a function on an interval as a line and a remainder ---- *)
(* For numbers z between the ends of a coordinate the function is near slope z / 2^g + height, within the remainder. *)
Record line := Line { line_slope : Z; line_height : Z; line_rest : Z }.
Definition ends_of (c : coordinate) : Z * Z :=
  let away := (generators_size (fst c) + snd c)%Z in (centre (fst c) - away, centre (fst c) + away)%Z.
Lemma ends_of_hold t c x : are_symbols t -> holds t c x -> IZR (fst (ends_of c)) <= x * u <= IZR (snd (ends_of c)).
Proof.
  intros S (_ & _ & H). pose proof (value_centre (fst c) t S) as V. apply Rabs_between in H, V.
  unfold ends_of. cbn [fst snd]. rewrite minus_IZR, !plus_IZR. lra.
Qed.
Definition follows (f : R -> R) (ends : Z * Z) (l : line) : Prop := (0 <= line_rest l)%Z /\ forall x,
  IZR (fst ends) <= x * u <= IZR (snd ends) ->
  Rabs (f x * u - (IZR (line_slope l) * (x * u) / v + IZR (line_height l))) <= IZR (line_rest l).
Definition along (l : line) (c : coordinate) : coordinate :=
  coordinate_sum (point (line_rest l) (line_height l))
    (scaled_coordinate g (map (Z.mul (line_slope l)) (fst c)) (Z.abs (line_slope l) * snd c)).
Lemma along_holds f l t c x : are_symbols t -> holds t c x -> follows f (ends_of c) l -> holds t (along l c) (f x).
Proof.
  intros S H [E F]. specialize (F x (ends_of_hold t c x S H)). pose proof (unit_pos g g_nonneg) as U.
  pose proof (unit_pos b b_nonneg) as Ub. destruct H as (L & R & H).
  set (s := line_slope l) in *. set (y := IZR s * x / v).
  replace (f x) with ((f x - y) + y) by ring. apply coordinate_sum_holds.
  - apply point_holds; auto. unfold near, y.
    replace (IZR (line_height l) - (f x - IZR s * x / v) * u) with
      (- (f x * u - (IZR s * (x * u) / v + IZR (line_height l)))) by (field; lra). now rewrite Rabs_Ropp.
  - apply scaled_coordinate_holds; auto; [nia|now rewrite length_map|]. rewrite value_scaled. unfold y. fold s.
    replace (IZR s * value_of (fst c) t - IZR s * x / v * u * v) with (IZR s * (value_of (fst c) t - x * u))
      by (field; lra).
    rewrite mult_IZR, IZR_abs. apply Rabs_product; [lra|exact H].
Qed.

(* Between neighbouring points the function minus the line is between two numbers. *)
Definition bounds_between (f : R -> R) (slope : Z) (p q : Z) (ends : Z * Z) : Prop := forall x,
  IZR p <= x * u <= IZR q -> IZR (fst ends) <= f x * u - IZR slope * (x * u) / v <= IZR (snd ends).
Fixpoint pieces_hull (bounds : Z -> Z -> Z * Z) (p : Z) (points : list Z) (so_far : Z * Z) : Z * Z :=
  match points with
  | [] => so_far
  | q :: points => let (low, high) := bounds p q in
      pieces_hull bounds q points (Z.min low (fst so_far), Z.max high (snd so_far))
  end.
Definition line_through (slope : Z) (ends : Z * Z) : line :=
  let middle := ((fst ends + snd ends) / 2)%Z in Line slope middle (Z.max 0 (snd ends - middle) + 1).
(* n pieces between two ends. *)
Definition grid_points (n : positive) (low high : Z) : list Z :=
  map (fun k => (low + (high - low) * Z.of_nat k / Zpos n)%Z) (seq 1 (Pos.to_nat n)).
Definition line_by_pieces (bounds : Z -> Z -> Z * Z) (slope : Z) (n : positive) (low high : Z) : line :=
  match grid_points n low high with
  | q :: points => line_through slope (pieces_hull bounds q points (bounds low q))
  | [] => Line 0 0 0
  end.
Lemma hull_grows bounds points : forall p so_far, let h := pieces_hull bounds p points so_far in
  (fst h <= fst so_far)%Z /\ (snd so_far <= snd h)%Z.
Proof.
  induction points as [|q points IH]; intros p so_far; cbn [pieces_hull]; [lia|]. destruct (bounds p q) as [low high].
  specialize (IH q (Z.min low (fst so_far), Z.max high (snd so_far))). cbn [fst snd] in IH. cbv zeta in *. lia.
Qed.
Lemma hull_holds f slope bounds points : (forall p q, (p <= q)%Z -> bounds_between f slope p q (bounds p q)) ->
  forall p so_far x, IZR p <= x * u <= IZR (last points p) -> points <> [] ->
  let h := pieces_hull bounds p points so_far in
  IZR (fst h) <= f x * u - IZR slope * (x * u) / v <= IZR (snd h).
Proof.
  intros B. induction points as [|q points IH]; intros p so_far x X N; [easy|]. cbn [pieces_hull].
  pose proof (B p q) as Bpq. destruct (bounds p q) as [low high]. set (next := (Z.min _ _, Z.max _ _)).
  destruct (Rle_dec (x * u) (IZR q)) as [Q|Q].
  - pose proof (hull_grows bounds points q next) as G. cbv zeta in *. unfold next in *. cbn [fst snd] in G.
    assert (PQ : (p <= q)%Z) by (apply le_IZR; lra).
    specialize (Bpq PQ x ltac:(lra)). cbn [fst snd] in Bpq. destruct G as [G1 G2].
    assert (K1 := G1). assert (K2 := G2). apply IZR_le in K1, K2.
    assert (IZR (Z.min low (fst so_far)) <= IZR low) by (apply IZR_le; lia).
    assert (IZR high <= IZR (Z.max high (snd so_far))) by (apply IZR_le; lia). lra.
  - destruct points as [|q' points]; [cbn [last] in X; lra|]. apply IH; [|discriminate].
    split; [lra|]. replace (last (q' :: points) q) with (last (q :: q' :: points) p); [apply X|].
    cbn [last]. clear. revert q'. induction points as [|a l IHl]; intros q'; [reflexivity|]. apply (IHl a).
Qed.
Lemma line_through_follows f slope ends low high : (forall x, IZR low <= x * u <= IZR high ->
  IZR (fst ends) <= f x * u - IZR slope * (x * u) / v <= IZR (snd ends)) ->
  follows f (low, high) (line_through slope ends).
Proof.
  intros H. unfold line_through. set (m := ((fst ends + snd ends) / 2)%Z). split; cbn [line_rest line_slope line_height
    fst snd]; [lia|].
  intros x X. specialize (H x X). apply Rabs_within.
  assert (M : (m - fst ends <= Z.max 0 (snd ends - m) + 1)%Z).
  { pose proof (Z.div_mod (fst ends + snd ends) 2 ltac:(lia)) as D.
    pose proof (Z.mod_pos_bound (fst ends + snd ends) 2 ltac:(lia)). fold m in D. lia. }
  assert (K : (snd ends - m <= Z.max 0 (snd ends - m) + 1)%Z) by lia.
  apply IZR_le in M, K. rewrite minus_IZR in M, K. lra.
Qed.
Lemma line_by_pieces_follows f bounds slope n low high : (low <= high)%Z ->
  (forall p q, (p <= q)%Z -> bounds_between f slope p q (bounds p q)) ->
  follows f (low, high) (line_by_pieces bounds slope n low high).
Proof.
  intros LH B. unfold line_by_pieces.
  assert (End : last (grid_points n low high) low = high /\ grid_points n low high <> []).
  { unfold grid_points. destruct (Pos2Nat.is_succ n) as (k & K). rewrite K, seq_S, map_app. cbn [map]. split.
    - rewrite last_last. replace (Z.of_nat (1 + k)) with (Zpos n) by lia. rewrite Z.div_mul by lia. lia.
    - intros E. apply app_eq_nil in E. easy. }
  destruct End as [End N]. destruct (grid_points n low high) as [|q points]; [easy|].
  apply line_through_follows. intros x X.
  pose proof (hull_holds f slope bounds (q :: points) B low (bounds low q) x ltac:(rewrite End; exact X) N) as H.
  cbn [pieces_hull] in H. destruct (bounds low q) as [l h]. cbn [fst snd] in H. now rewrite Z.min_id, Z.max_id in H.
Qed.
End Zonotopes.
