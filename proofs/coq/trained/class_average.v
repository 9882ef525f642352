(* Softmax averages over a class of words, as affine forms (docs/background/trained_rules.md, section 5): a sum of an
   integer row times the average is at most T if a sum of excesses is at most 0 (`row_average_at_most`); and what sums
   along directions tell of the average itself (`average_zonotope_contains`). *)
From Coq Require Import Reals ZArith List Lra Lia Bool.
From Certify Require Import lists syntax real_vectors real_network packed_rows balls ball_average average_range
    exact_forms
  zonotopes.
Import ListNotations. Open Scope R_scope.
Local Notation vector := (list R).

(* ---- an integer row of an average ---- *)
Lemma value_plus c : forall x y, length x = length y -> value_of c (plus x y) = value_of c x + value_of c y.
Proof.
  unfold plus. induction c as [|a c IH]; intros [|x0 x] [|y0 y] L; try discriminate; cbn [map2 value_of]; try lra.
  rewrite IH by (simpl in L; lia). ring.
Qed.
Lemma value_multiple c k : forall x, value_of c (map (Rmult k) x) = k * value_of c x.
Proof. induction c as [|a c IH]; intros [|x0 x]; cbn [map value_of]; try lra. rewrite IH. ring. Qed.
Lemma value_zeros c d : value_of c (repeat 0 d) = 0.
Proof. revert c. induction d as [|d IH]; intros [|a c]; cbn [repeat value_of]; try reflexivity. rewrite IH. ring. Qed.
Lemma length_weighted d w : forall v, Forall (fun x => length x = d) v -> length (weighted d w v) = d.
Proof.
  induction w as [|w0 w IH]; intros v F; [apply repeat_length|]. destruct F as [|x v L F]; [apply repeat_length|].
  cbn [weighted]. unfold plus. specialize (IH v F).
  rewrite packed_rows.length_map2; rewrite length_map; congruence.
Qed.
Lemma length_softmax d s v : Forall (fun x => length x = d) v -> length (softmax_average d s v) = d.
Proof. intros F. unfold softmax_average. rewrite length_map. now apply length_weighted. Qed.

Section Row.
Variables (d : nat) (c : list Z) (P : R) (limit : Z).
Definition is_bounded_above (z : Z) (x : vector) : Prop := length x = d /\ value_of c x * P <= IZR z.
Lemma weighted_excess ws w : Forall2 in_between ws w -> forall zs xs, length zs = length ws -> Forall2
    is_bounded_above zs xs ->
  value_of c (weighted d w xs) * P - IZR limit * total w <=
  IZR (integer_total (map2 (fun weight z => excess weight z limit) ws zs)).
Proof.
  unfold total, integer_total. induction 1 as [|w0 y0 ws w B F IH]; intros zs xs L V.
  - destruct zs; [|discriminate]. cbn [map2 fold_right weighted]. rewrite value_zeros. lra.
  - destruct V as [|z x zs xs [Lx Hx] V]; [discriminate|]. cbn [map2 fold_right weighted]. rewrite plus_IZR.
    specialize (IH zs xs ltac:(simpl in L; lia) V). rewrite value_plus, value_multiple.
    + destruct B as (L0 & G & B). assert (E : y0 * (value_of c x * P - IZR limit) <= IZR (excess w0 z limit)).
      { unfold excess. destruct w0 as [l0 g]. cbn [fst snd] in *. set (D := (z - limit)%Z).
        assert (HD : value_of c x * P - IZR limit <= IZR D) by (unfold D; rewrite minus_IZR; lra).
        apply IZR_le in L0, G. apply Rle_trans with (y0 * IZR D); [apply Rmult_le_compat_l; lra|].
        destruct (Z.le_gt_cases 0 D) as [K|K].
        - apply Rle_trans with (IZR ((l0 + g) * D)); [|apply IZR_le; lia]. rewrite mult_IZR, plus_IZR.
          apply IZR_le in K. apply Rmult_le_compat_r; lra.
        - apply Rle_trans with (IZR (l0 * D)); [|apply IZR_le; lia]. rewrite mult_IZR. apply IZR_lt in K. nra. }
      lra.
    + rewrite length_map, Lx. symmetry. apply length_weighted.
      clear - V. induction V as [|z x zs xs [Lx _] V IHV]; constructor; auto.
Qed.
Theorem row_average_at_most k t s ws zs xs : 0 < k -> s <> [] -> length zs = length ws -> Forall2 is_bounded_above
    zs xs ->
  Forall2 in_between ws (map (fun x => k * exp (x - t)) s) ->
  (integer_total (map2 (fun weight z => excess weight z limit) ws zs) <= 0)%Z ->
  value_of c (softmax_average d s xs) * P <= IZR limit.
Proof.
  intros K N L V W E. rewrite (softmax_relative d k t) by assumption. set (w := map _ s) in *.
  pose proof (weighted_excess ws w W zs xs L V) as H. apply IZR_le in E. unfold average.
  assert (T : 0 < total w).
  { unfold w. replace (map (fun x => k * exp (x - t)) s) with (map (Rmult (k * exp (- t))) (map exp s)).
    - rewrite total_scaled. apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; [exact K|apply exp_pos]|].
      now apply total_exp_pos.
    - rewrite map_map. apply map_ext. intros x. unfold Rminus. rewrite exp_plus. ring. }
  replace (map (fun x => x / total w) (weighted d w xs)) with (map (Rmult (/ total w)) (weighted d w xs)).
  - rewrite value_multiple. apply Rmult_le_reg_r with (total w); [exact T|].
    replace (/ total w * value_of c (weighted d w xs) * P * total w) with (value_of c (weighted d w xs) * P)
      by (field; lra). lra.
  - apply map_ext. intros x. unfold Rdiv. ring.
Qed.
End Row.

Section Balls.
Variable B : Z.                                                   (* bits of balls *)
Hypothesis B_nonneg : (0 <= B)%Z.
Notation U := (real_unit B).
Lemma row_of_ball c : forall V x e, (0 <= e)%Z -> Forall2 (near B e) V x ->
  Rabs (IZR (integer_dot c V) - value_of c x * U) <= IZR (size c * e).
Proof.
  induction c as [|a c IH]; intros V x e E F.
  - cbn [integer_dot value_of]. rewrite Rmult_0_l, Rminus_0_r, Rabs_R0. simpl. lra.
  - change (size (a :: c)) with (Z.abs a + size c)%Z. pose proof (size_nonneg c) as S. cbn [integer_dot value_of].
    destruct F as [|z y V x N F].
    + rewrite Rmult_0_l, Rminus_0_r, Rabs_R0. apply IZR_le. nia.
    + specialize (IH V x e E F). rewrite plus_IZR, mult_IZR.
      replace (IZR a * IZR z + IZR (integer_dot c V) - (IZR a * y + value_of c x) * U) with
        (IZR a * (IZR z - y * U) + (IZR (integer_dot c V) - value_of c x * U)) by ring.
      rewrite Z.mul_add_distr_r, plus_IZR. apply Rabs_sum; [|exact IH]. rewrite mult_IZR.
      apply Rabs_product; [rewrite IZR_abs; lra|exact N].
Qed.
End Balls.

(* ---- an average from its sums along directions ---- *)
(* Directions are integer rows over 2^p: z = Q'(Q z) + (I - Q'Q) z, and the rest is a sum along more rows. *)
Section Directions.
Variables B b p : Z.                                              (* bits of sums, of forms, of directions *)
Hypothesis b_nonneg : (0 <= b)%Z.
Hypothesis p_nonneg : (0 <= p)%Z.
Hypothesis b_less : (b <= B)%Z.
Notation U := (real_unit B).
Definition column_entries (i : nat) (Q : list (list Z)) : list Z := map (fun c => nth i c 0%Z) Q.
Definition rest_row (i : nat) (Q : list (list Z)) : list Z :=
  added (repeat 0%Z i ++ [(2 ^ (2 * p))%Z]) (map Z.opp (combined (column_entries i Q) Q)).
Lemma value_combination w z : forall rows, value_of (combined w rows) z =
  value_of w (map (fun r => value_of r z) rows).
Proof.
  induction w as [|a w IH]; intros [|r rows]; cbn [combined map value_of]; try reflexivity.
  destruct (Z.eqb_spec a 0) as [->|]; rewrite ?value_added, ?value_scaled, IH; ring.
Qed.
Lemma value_of_unit i k : forall z, value_of (repeat 0%Z i ++ [k]) z = IZR k * nth i z 0.
Proof. induction i as [|i IH]; intros [|x z]; cbn [repeat app value_of nth]; try ring. rewrite IH. ring. Qed.
Lemma value_opposite r z : value_of (map Z.opp r) z = - value_of r z.
Proof.
  replace (map Z.opp r) with (map (Z.mul (-1)) r) by (apply map_ext; lia). rewrite value_scaled. simpl. ring.
Qed.
Lemma rest_row_value i Q z : value_of (rest_row i Q) z =
  real_unit (2 * p) * nth i z 0 - value_of (column_entries i Q) (map (fun c => value_of c z) Q).
Proof.
  unfold rest_row. rewrite value_added, value_of_unit, value_opposite, value_combination. unfold real_unit. ring.
Qed.

(* What is known of an average: its sums along directions lie between integers, those of the rest are small. *)
Record known_average := KnownAverage { known_ends : list (Z * Z); known_rest : list Z }.
Definition is_known_average (Q : list (list Z)) (K : known_average) (z : vector) : Prop :=
  length (known_rest K) = length z /\
  Forall2 (fun ends c => IZR (fst ends) <= value_of c z * U <= IZR (snd ends)) (known_ends K) Q /\
  forall i, (i < length z)%nat -> Rabs (value_of (rest_row i Q) z * U) <= IZR (nth i (known_rest K) 0%Z).
Definition middle (ends : Z * Z) : Z := ((fst ends + snd ends) / 2)%Z.
Definition half_width (ends : Z * Z) : Z := Z.max (snd ends - middle ends) (middle ends - fst ends).
(* There are n symbols before. *)
Definition average_zonotope (n : nat) (Q : list (list Z)) (K : known_average) : zonotope :=
  let middles := map middle (known_ends K) in
  let halves := map half_width (known_ends K) in
  map (fun ir => let q := column_entries (fst ir) Q in
      scaled_coordinate (2 * p + (B - b)) ([integer_dot q middles] ++ repeat 0%Z (n - 1) ++ map2 Z.mul q halves)
          (snd ir))
    (combine (seq 0 (length (known_rest K))) (known_rest K)).
Lemma symbol_of ends y : IZR (fst ends) <= y <= IZR (snd ends) -> exists e, Rabs e <= 1 /\
  y = IZR (middle ends) + IZR (half_width ends) * e.
Proof.
  intros H. set (m := middle ends). set (h := half_width ends).
  assert (D : IZR m - IZR h <= y <= IZR m + IZR h).
  { assert (H1 : (snd ends - m <= h)%Z) by (unfold h, half_width; fold m; lia).
    assert (H2 : (m - fst ends <= h)%Z) by (unfold h, half_width; fold m; lia).
    apply IZR_le in H1, H2. rewrite minus_IZR in H1, H2. lra. }
  destruct (Req_dec (IZR h) 0) as [Z0|N].
  - exists 0. rewrite Rabs_R0. split; [lra|]. rewrite Z0 in D |- *. lra.
  - assert (P : 0 < IZR h) by lra. exists ((y - IZR m) / IZR h). split; [|field; lra].
    apply Rabs_within. split; apply Rmult_le_reg_r with (IZR h); try exact P; unfold Rdiv;
      rewrite Rmult_assoc, Rinv_l; lra.
Qed.
Lemma symbols_of ends : forall ys, Forall2 (fun ends y => IZR (fst ends) <= y <= IZR (snd ends)) ends ys ->
  exists more, Forall (fun e => Rabs e <= 1) more /\ length more = length ends /\ forall q,
  value_of q ys = IZR (integer_dot q (map middle ends)) + value_of (map2 Z.mul q (map half_width ends)) more.
Proof.
  induction 1 as [|e y ends ys H F (more & M & L & V)].
  - exists []. repeat split; auto. intros [|a q]; simpl; ring.
  - destruct (symbol_of e y H) as (x & X & E). exists (x :: more). split; [now constructor|].
    split; [simpl; congruence|]. intros [|a q]; [simpl; ring|]. cbn [value_of map integer_dot map2].
    rewrite V, plus_IZR, !mult_IZR, E. ring.
Qed.
Lemma value_after_zeros r k gens : forall t more, length t = Datatypes.S k -> hd 0 t = 1 ->
  value_of ([r] ++ repeat 0%Z k ++ gens) (t ++ more) = IZR r + value_of gens more.
Proof.
  intros [|x t] more L H; [discriminate|]. simpl in H. subst x. cbn [app value_of]. rewrite Rmult_1_r. f_equal.
  injection L as L. subst k. induction t as [|y t IH]; cbn [length repeat app value_of]; [reflexivity|].
  rewrite IH. ring.
Qed.
Theorem average_zonotope_contains Q K z t : are_symbols t -> is_known_average Q K z -> exists more,
  Forall (fun e => Rabs e <= 1) more /\ length more = length Q /\
  contains b (t ++ more) (average_zonotope (length t) Q K) z.
Proof.
  intros S (Lr & Ends & Rest).
  assert (F : Forall2 (fun ends y => IZR (fst ends) <= y <= IZR (snd ends)) (known_ends K)
    (map (fun c => value_of c z * U) Q)).
  { rewrite <- (map_id (known_ends K)). eapply Forall2_map; [|exact Ends]. auto. }
  pose proof (Forall2_same_length _ _ _ F) as LQ. rewrite length_map in LQ.
  destruct (symbols_of _ _ F) as (more & M & L & V). exists more. split; [exact M|]. split; [congruence|].
  unfold average_zonotope, contains. rewrite Lr.
  assert (G : forall i rest, (forall j, nth_error rest j = Some (nth j rest 0%Z) -> (j < length rest)%nat ->
      Rabs (value_of (rest_row (i + j) Q) z * U) <= IZR (nth j rest 0%Z)) ->
      forall zs, length zs = length rest -> (forall j, (j < length zs)%nat -> nth j zs 0 = nth (i + j) z 0) ->
    Forall2 (holds b (t ++ more)) (map (fun ir => let q := column_entries (fst ir) Q in
      scaled_coordinate (2 * p + (B - b)) ([integer_dot q (map middle (known_ends K))] ++ repeat 0%Z (length t - 1) ++
        map2 Z.mul q (map half_width (known_ends K))) (snd ir)) (combine (seq i (length rest)) rest)) zs).
  { intros i rest. revert i. induction rest as [|r rest IH]; intros i Hr [|z0 zs] Lz Hz; try discriminate;
      [constructor|].
    cbn [length seq combine map fst snd]. constructor.
    - pose proof (Hr 0%nat eq_refl ltac:(simpl; lia)) as H0. cbn [nth] in H0. rewrite Nat.add_0_r in H0.
      pose proof (Hz 0%nat ltac:(simpl; lia)) as Hz0. cbn [nth] in Hz0. rewrite Nat.add_0_r in Hz0.
      rewrite rest_row_value, <- Hz0 in H0. set (q := column_entries i Q) in *.
      assert (Lq : length q = length Q) by (unfold q, column_entries; apply length_map). clearbody q.
      destruct t as [|t0 t]; [destruct S as [S _]; simpl in S; lra|].
      apply scaled_coordinate_holds; [|lia| | |].
      + now apply symbols_appended.
      + apply le_IZR. pose proof (Rabs_pos ((real_unit (2 * p) * z0 - value_of q (map (fun c => value_of c z) Q)) * U)).
        lra.
      + rewrite !length_app, repeat_length. cbn [length].
        assert (length (map2 Z.mul q (map half_width (known_ends K))) = length Q).
        { rewrite packed_rows.length_map2; rewrite ?length_map; congruence. }
        lia.
      + rewrite value_after_zeros; [|simpl; lia|exact (proj1 S)]. rewrite <- V.
        assert (E : value_of q (map (fun c => value_of c z * U) Q) = value_of q (map (fun c => value_of c z) Q) * U).
        { clear. revert q. induction Q as [|c Q IH]; intros [|a q]; cbn [map value_of]; try ring. rewrite IH. ring. }
        rewrite E. replace (z0 * real_unit b * real_unit (2 * p + (B - b))) with (z0 * real_unit (2 * p) * U).
        * rewrite <- Rabs_Ropp. eapply Rle_trans; [|exact H0]. right. f_equal. ring.
        * unfold real_unit. rewrite !Rmult_assoc, <- !mult_IZR, <- !Z.pow_add_r by lia. do 3 f_equal. lia.
    - apply IH; [|simpl in Lz; lia|].
      + intros j N J. specialize (Hr (Datatypes.S j) N ltac:(simpl; lia)). cbn [nth] in Hr.
        now rewrite Nat.add_succ_r in Hr.
      + intros j J. specialize (Hz (Datatypes.S j) ltac:(simpl; lia)). cbn [nth] in Hz. now rewrite Nat.add_succ_r
          in Hz. }
  rewrite <- Lr. apply (G 0%nat (known_rest K)); [|congruence|reflexivity].
  intros j _ J. apply Rest. congruence.
Qed.
End Directions.
