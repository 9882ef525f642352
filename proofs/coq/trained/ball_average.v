(* The average of vectors with softmax weights, in integers: scores with one error bound, values with another.

   The weight of a score s is e^((s - t)/2^b), t the greatest score, between two integers (base/exp_enclosure.v); the
   error of scores widens both by a factor. With lower bounds l_j of the weights, gaps g_j from them to upper bounds, L
   and G their sums, values of at most V and errors of at most e: sum l_j v_j / L is within
   (2 G V + (L + 2 G) e) / L of the average with the true weights, roundings excluded. *)
From Coq Require Import Reals ZArith List Lra Lia Bool.
From Certify Require Import exponential exp_enclosure syntax real_vectors packed_rows balls.
Import ListNotations. Open Scope R_scope.
Local Notation vector := (list R).

(* ---- an average does not change where all weights are multiplied by one number ---- *)
Definition average (d : nat) (w : list R) (v : list vector) : vector := map (fun x => x / total w) (weighted d w v).
Lemma plus_scaled c x : forall y, plus (map (Rmult c) x) (map (Rmult c) y) = map (Rmult c) (plus x y).
Proof.
  unfold plus. induction x as [|x0 x IH]; intros [|y0 y]; simpl; try reflexivity. rewrite IH. f_equal. ring.
Qed.
Lemma weighted_scaled d c w : forall v, weighted d (map (Rmult c) w) v = map (Rmult c) (weighted d w v).
Proof.
  induction w as [|w0 w IH]; intros [|v0 v]; simpl;
    try (clear; induction d; simpl; [reflexivity|f_equal; [ring|assumption]]).
  rewrite IH, <- plus_scaled. f_equal. rewrite map_map. apply map_ext. intros. ring.
Qed.
Lemma total_scaled c w : total (map (Rmult c) w) = c * total w.
Proof. unfold total. induction w as [|w0 w IH]; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma total_exp_pos s : s <> [] -> 0 < total (map exp s).
Proof.
  assert (N : forall l, 0 <= total (map exp l)).
  { unfold total. induction l as [|x l IH]; simpl; [lra|]. pose proof (exp_pos x). lra. }
  intros H. destruct s as [|x s]; [congruence|]. simpl. pose proof (exp_pos x). specialize (N s). unfold total in *.
    lra.
Qed.
Lemma softmax_relative d c t s v : 0 < c -> s <> [] ->
  softmax_average d s v = average d (map (fun x => c * exp (x - t)) s) v.
Proof.
  intros C H. unfold softmax_average, average.
  assert (E : map (fun x => c * exp (x - t)) s = map (Rmult (c * exp (- t))) (map exp s)).
  { rewrite map_map. apply map_ext. intros x. unfold Rminus. rewrite exp_plus. ring. }
  rewrite E, weighted_scaled, total_scaled, map_map. apply map_ext. intros x. pose proof (exp_pos (- t)).
  pose proof (total_exp_pos s H). field. repeat split; lra.
Qed.

(* e^(-x/2^b) between two integers. *)
Definition decays (b x : Z) : Z * Z := (Z.max 0 (decay_below b x), decay_above b x).
Definition kept_decays : Z -> Z -> Z * Z := with_table decays.

Section Average.
Variable b : Z.
Hypothesis b_nonneg : (0 <= b)%Z.
Notation u := (real_unit b).
Notation near := (near b).

(* ---- weights between two integers, in any unit ---- *)
(* (l, g): the weight is in [l, l + g]. *)
Definition in_between (weight : Z * Z) (w : R) : Prop :=
  (0 <= fst weight)%Z /\ (0 <= snd weight)%Z /\ IZR (fst weight) <= w <= IZR (fst weight) + IZR (snd weight).
Definition sum (l : list Z) : Z := fold_right Z.add 0%Z l.
Lemma weights_total ws w : Forall2 in_between ws w -> (0 <= sum (map fst ws))%Z /\ (0 <= sum (map snd ws))%Z /\
  IZR (sum (map fst ws)) <= total w <= IZR (sum (map fst ws)) + IZR (sum (map snd ws)).
Proof.
  unfold total. induction 1 as [|[l g] w0 ws w (L & G & H) F IH]; simpl in *; [lra + (split; [|split]; [lia|lia|lra])|].
  rewrite !plus_IZR. split; [lia|]. split; [lia|]. lra.
Qed.

Fixpoint integer_weighted (d : nat) (l : list Z) (v : list (list Z)) : list Z :=
  match l, v with
  | l0 :: l, v0 :: v => map2 (fun z s => l0 * z + s)%Z v0 (integer_weighted d l v)
  | _, _ => repeat 0%Z d
  end.

(* What is proved of each coordinate of the sums, with G and W sums of gaps and of true weights so far. *)
Definition sum_near (V e : Z) (G W : R) (s : Z) (a : R) : Prop :=
  Rabs (IZR s - a * u) <= G * IZR V + W * IZR e /\ Rabs (a * u) <= W * (IZR V + IZR e).
Lemma zeros_near V e G W : (0 <= V)%Z -> (0 <= e)%Z -> 0 <= G -> 0 <= W -> forall d,
  Forall2 (sum_near V e G W) (repeat 0%Z d) (repeat 0 d).
Proof.
  intros HV He HG HW. apply IZR_le in HV, He. assert (0 <= G * IZR V) by (apply Rmult_le_pos; lra).
  assert (0 <= W * IZR e) by (apply Rmult_le_pos; lra). assert (0 <= W * IZR V) by (apply Rmult_le_pos; lra).
  induction d; simpl; constructor; auto. unfold sum_near. rewrite Rmult_0_l, Rminus_0_r, Rabs_R0. lra.
Qed.
Definition value_near (V e : Z) (z : list Z) (x : vector) : Prop :=
  Forall (fun y => (Z.abs y <= V)%Z) z /\ Forall2 (near e) z x.
Lemma weighted_near d V e ws w : (0 <= V)%Z -> (0 <= e)%Z -> Forall2 in_between ws w -> forall zs xs,
  Forall2 (value_near V e) zs xs -> Forall2 (sum_near V e (IZR (sum (map snd ws))) (total w))
    (integer_weighted d (map fst ws) zs) (weighted d w xs).
Proof.
  intros HV He F. assert (HV' : 0 <= IZR V) by now apply IZR_le. assert (He' : 0 <= IZR e) by now apply IZR_le.
  induction F as [|[l g] w0 ws w (L & G & H) F IH]; intros zs xs FV.
  - apply zeros_near; auto; [simpl; lra|unfold total; simpl; lra].
  - destruct (weights_total _ _ F) as (L' & G' & H'). cbn [fst snd] in *. apply IZR_le in L, G, L', G'.
    destruct FV as [|z0 x0 zs xs [Bz N] FV].
    + apply zeros_near; auto; cbn [map snd]; unfold total, sum in *; cbn [fold_right]; [rewrite plus_IZR|]; lra.
    + specialize (IH zs xs FV). cbn [map fst snd integer_weighted weighted].
      change (total (w0 :: w)) with (w0 + total w). change (sum (g :: map snd ws)) with (g + sum (map snd ws))%Z.
      revert IH. unfold plus. generalize (integer_weighted d (map fst ws) zs), (weighted d w xs). intros s a IH.
      revert s a IH Bz. induction N as [|z1 x1 z0 x0 N0 N IHN]; intros s a IH Bz; simpl; [constructor|].
      inversion Bz as [|? ? B1 B2]; subst.
      destruct IH as [|s1 a1 s a [H1 H2] IH]; constructor; [|now apply IHN]. clear IHN IH Bz B2.
      pose proof (near_bound _ _ _ _ N0) as N1. apply IZR_le in B1. unfold balls.near in N0. split.
      * replace (IZR (l * z1 + s1) - (w0 * x1 + a1) * u) with
          (- ((w0 - IZR l) * IZR z1) + (w0 * (IZR z1 - x1 * u) + (IZR s1 - a1 * u)))
          by (rewrite plus_IZR, mult_IZR; ring).
        rewrite plus_IZR.
        assert (A : Rabs ((w0 - IZR l) * IZR z1) <= IZR g * IZR V)
          by (apply Rabs_product; [apply Rabs_within; lra|now rewrite <- IZR_abs]).
        assert (B : Rabs (w0 * (IZR z1 - x1 * u)) <= w0 * IZR e)
          by (apply Rabs_product; [apply Rabs_within; lra|exact N0]).
        apply Rle_trans with (IZR g * IZR V + (w0 * IZR e + (IZR (sum (map snd ws)) * IZR V + total w * IZR e))).
        -- apply Rabs_sum; [now rewrite Rabs_Ropp|]. now apply Rabs_sum.
        -- right. ring.
      * replace ((w0 * x1 + a1) * u) with (w0 * (x1 * u) + a1 * u) by ring. rewrite Rmult_plus_distr_r.
        apply Rabs_sum; [|exact H2]. apply Rabs_product; [apply Rabs_within; lra|lra].
Qed.

(* ---- quotients ---- *)
(* V bounds all numbers of the values, which have an error of at most e. *)
Definition ball_average (d : nat) (ws : list (Z * Z)) (v : list (list Z)) (V e : Z) : ball :=
  let L := sum (map fst ws) in
  let G := sum (map snd ws) in
  Ball (map (fun s => s / L)%Z (integer_weighted d (map fst ws) v)) ((2 * G * V + (L + 2 * G) * e) / L + 2).
Theorem ball_average_encloses d ws w zs xs V e : (0 <= V)%Z -> (0 <= e)%Z -> (0 < sum (map fst ws))%Z ->
  Forall2 in_between ws w -> Forall2 (value_near V e) zs xs -> encloses b (ball_average d ws zs V e) (average d w xs).
Proof.
  intros HV He HL F FV. destruct (weights_total _ _ F) as (_ & G0 & T). unfold ball_average, average. cbv zeta.
  set (L := sum (map fst ws)) in *. set (G := sum (map snd ws)) in *. split; cbn [numbers error].
  - assert (0 <= (2 * G * V + (L + 2 * G) * e) / L)%Z by (apply Z.div_pos; nia). lia.
  - eapply Forall2_map; [|exact (weighted_near d V e ws w HV He F zs xs FV)].
    intros s a _ [H1 H2]. fold G in H1. apply IZR_lt in HL as L1. apply IZR_le in HV, He, G0.
    assert (W : 0 < total w) by lra. unfold balls.near. apply divided; [exact HL|].
    assert (R : Rabs (a / total w * u) <= IZR V + IZR e).
    { replace (a / total w * u) with (a * u * / total w) by (field; lra). rewrite Rabs_mult.
      rewrite (Rabs_pos_eq (/ _)) by (left; now apply Rinv_0_lt_compat).
      apply Rmult_le_reg_r with (total w); [exact W|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. lra. }
    replace (IZR s - a / total w * u * IZR L) with ((IZR s - a * u) + (a / total w * u) * (total w - IZR L))
      by (field; lra).
    apply Rle_trans with ((IZR G * IZR V + total w * IZR e) + (IZR V + IZR e) * IZR G).
    + apply Rabs_sum; [exact H1|]. apply Rabs_product; [exact R|]. apply Rabs_within. lra.
    + rewrite plus_IZR, !mult_IZR, plus_IZR, mult_IZR. nra.
Qed.

(* ---- the weights of scores ---- *)
(* The weight of a score at a distance of x >= 0 below the maximum, where scores err by at most es, es/2^b <= 1/2. *)
Definition weight_of (es x : Z) : Z * Z :=
  let (low, high) := kept_decays b x in
  let l := Z.max 0 (low - Z.shiftr (low * es) b - 1) in
  (l, high + Z.shiftr (2 * high * es) b + 1 - l)%Z.
Lemma exp_tangent x : 1 + x <= exp x.
Proof. destruct (Req_dec x 0) as [->|N]; [rewrite exp_0; lra|]. pose proof (exp_ineq1 x N). lra. Qed.
Lemma exp_at_most x : 0 <= x <= 1 / 2 -> exp x <= 1 + 2 * x.
Proof.
  intros H. apply Rle_trans with (/ (1 - x)).
  - rewrite <- (Ropp_involutive x) at 1. rewrite exp_Ropp. apply Rinv_le_contravar; [lra|].
    pose proof (exp_tangent (- x)). lra.
  - apply Rmult_le_reg_r with (1 - x); [lra|]. rewrite Rinv_l by lra. nra.
Qed.
Lemma shiftr_below p : IZR p / u - 1 <= IZR (Z.shiftr p b).
Proof.
  rewrite Z.shiftr_div_pow2 by exact b_nonneg.
  pose proof (floor_near p (2 ^ b) ltac:(now apply Z.pow_pos_nonneg)) as F. apply Rabs_between in F.
    unfold real_unit. lra.
Qed.
Theorem weight_of_correct es s t x : (0 <= es)%Z -> (2 * es <= 2 ^ b)%Z -> (s <= t)%Z -> near es s x ->
  in_between (weight_of es (t - s)) (u * exp (x - IZR t / u)).
Proof.
  intros E0 E1 H N. pose proof (unit_pos b b_nonneg) as P. unfold balls.near in N. apply Rabs_between in N.
  apply IZR_le in E0 as E0', E1. rewrite mult_IZR in E1. change (IZR (2 ^ b)) with u in E1.
  set (c := IZR es / u). assert (C : 0 <= c <= 1 / 2).
  { unfold c. split; [apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]|].
    apply Rmult_le_reg_r with u; [exact P|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  set (D := exp (- (IZR (t - s) / u))). set (y := x - IZR s / u).
  assert (Y : - c <= y <= c).
  { assert (Ey : y * u = x * u - IZR s) by (unfold y; field; lra). assert (Ec : c * u = IZR es) by (unfold c; field;
    lra).
    split; apply Rmult_le_reg_r with u; try exact P; lra. }
  assert (Ex : exp (x - IZR t / u) = D * exp y).
  { unfold D, y. rewrite <- exp_plus. f_equal. rewrite minus_IZR. field. lra. }
  rewrite Ex. pose proof (exp_pos y). pose proof (exp_pos (- (IZR (t - s) / u))) as D0. fold D in D0.
  assert (Y1 : 1 - c <= exp y <= 1 + 2 * c).
  { split; [pose proof (exp_tangent y); lra|]. eapply Rle_trans; [|apply exp_at_most; exact C].
    apply exp_monotone. lra. }
  assert (Low : IZR (Z.max 0 (decay_below b (t - s))) <= u * D).
  { pose proof (decay_below_correct b b_nonneg (t - s) ltac:(lia)) as L. unfold fixed in L. fold (real_unit b) in L.
    fold D in L. apply Rmult_le_compat_l with (r := u) in L; [|lra].
    replace (u * (IZR (decay_below b (t - s)) / u)) with (IZR (decay_below b (t - s))) in L by (field; lra).
    destruct (Z.max_spec 0 (decay_below b (t - s))) as [[_ ->]|[_ ->]]; [exact L|]. apply Rmult_le_pos; lra. }
  assert (High : u * D <= IZR (decay_above b (t - s))).
  { pose proof (decay_above_correct b b_nonneg (t - s) ltac:(lia)) as L. unfold fixed in L. fold (real_unit b) in L.
    fold D in L. apply Rmult_le_compat_l with (r := u) in L; [|lra].
    replace (u * (IZR (decay_above b (t - s)) / u)) with (IZR (decay_above b (t - s))) in L by (field; lra). exact L. }
  unfold weight_of, kept_decays, with_table, decays. set (low := Z.max 0 (decay_below b (t - s))) in *.
    set (high := decay_above b (t - s))
    in *.
  assert (L0 : 0 <= IZR low) by (apply IZR_le; lia).
  pose proof (shiftr_below (low * es)) as S1. pose proof (shiftr_below (2 * high * es)) as S2.
  rewrite mult_IZR in S1. rewrite (mult_IZR (2 * high)), (mult_IZR 2) in S2.
  assert (LL : IZR (Z.max 0 (low - Z.shiftr (low * es) b - 1)) <= u * (D * exp y)).
  { destruct (Z.max_spec 0 (low - Z.shiftr (low * es) b - 1)) as [[_ ->]|[_ ->]];
      [|apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]].
    rewrite !minus_IZR. apply Rle_trans with (IZR low * (1 - c)).
    - unfold c. replace (IZR low * (1 - IZR es / u)) with (IZR low - IZR low * IZR es / u) by (field; lra). lra.
    - rewrite <- Rmult_assoc. apply Rmult_le_compat; lra. }
  assert (UU : u * (D * exp y) <= IZR (high + Z.shiftr (2 * high * es) b + 1)).
  { rewrite !plus_IZR. apply Rle_trans with (IZR high * (1 + 2 * c)).
    - rewrite <- Rmult_assoc. apply Rmult_le_compat; lra.
    - unfold c. replace (IZR high * (1 + 2 * (IZR es / u))) with (IZR high + 2 * IZR high * IZR es / u) by (field; lra).
      lra. }
  unfold in_between. cbn [fst snd]. rewrite minus_IZR. split; [lia|]. split; [|lra].
  apply le_IZR. rewrite minus_IZR. lra.
Qed.

(* ---- softmax ---- *)
Definition greatest_score (s : list Z) : Z := fold_right Z.max (hd 0%Z s) s.
Lemma greatest_score_bounds x s : In x s -> (x <= greatest_score s)%Z.
Proof.
  unfold greatest_score. generalize (hd 0 s)%Z as m. induction s as [|y s IH]; intros m []; simpl; [subst; lia|].
  specialize (IH m H). lia.
Qed.
(* Nothing is known where scores err by more than 1/2, or all weights may be 0. *)
Definition ball_softmax (d : nat) (s : list Z) (es : Z) (v : list (list Z)) (V e : Z) : option ball :=
  if (2 * es <=? 2 ^ b)%Z then
    let t := greatest_score s in
    let ws := map (fun x => weight_of es (t - x)) s in
    if (0 <? sum (map fst ws))%Z then Some (ball_average d ws v V e) else None
  else None.
Theorem ball_softmax_encloses d s es v V e r xs B : (0 <= V)%Z -> (0 <= e)%Z -> (0 <= es)%Z ->
  Forall2 (near es) s r -> Forall2 (value_near V e) v xs -> ball_softmax d s es v V e = Some B ->
  encloses b B (softmax_average d r xs).
Proof.
  intros HV He Hes F FV. unfold ball_softmax. destruct (Z.leb_spec (2 * es) (2 ^ b)) as [S|]; [|discriminate]. cbv zeta.
  set (t := greatest_score s). set (ws := map _ s). destruct (Z.ltb_spec 0 (sum (map fst ws))) as [L|]; [|discriminate].
  intros [= <-]. pose proof (unit_pos b b_nonneg) as P. rewrite (softmax_relative d u (IZR t / u)).
  - apply ball_average_encloses; auto. unfold ws. eapply Forall2_map; [|exact F].
    intros z x I N. now apply weight_of_correct; [| |apply greatest_score_bounds|].
  - exact P.
  - intros ->. inversion F; subst. unfold ws in L. simpl in L. lia.
Qed.
End Average.
