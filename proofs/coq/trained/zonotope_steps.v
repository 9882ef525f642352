(* The steps of a network on one token alone, on affine forms: norms and feed-forward blocks (`alone_steps_hold`). *)
From Coq Require Import Reals ZArith QArith Qreals List Lra Lia Bool.
From Certify Require Import relu weighing exp_enclosure lists syntax real_vectors real_network packed_rows balls
    ball_network ball_norm
  ball_sigmoids ball_gelu exact_forms zonotopes.
Import ListNotations. Open Scope R_scope.
Local Notation vector := (list R).

Section Steps.
Variables b g : Z.                                                (* numbers are over 2^b, weights over 2^g *)
Hypothesis b_nonneg : (0 <= b)%Z.
Hypothesis g_nonneg : (0 <= g)%Z.
Notation u := (real_unit b).
Notation v := (real_unit g).
Notation holds := (holds b).
Notation contains := (contains b).

(* ---- activations ---- *)
Definition chord_slope (f : Z -> Z) (low high : Z) : Z :=
  if (low <? high)%Z then (Z.shiftl (f high - f low) g / (high - low))%Z else 0%Z.
(* By the value at the middle, and the slope (a third of `steepness`). *)
Definition value_bounds (value : Z -> Z * Z) (steepness slope p q : Z) : Z * Z :=
  let m := ((p + q) / 2)%Z in
  let half := Z.max (m - p) (q - m) in
  let (y, e) := value m in
  let away := (e + ceiling_div (steepness * half) 3 + Z.shiftr (Z.abs slope * half) g + 2)%Z in
  let c := (y - Z.shiftr (slope * m) g)%Z in (c - away, c + away)%Z.
Lemma value_bounds_hold f value steepness slope p q : is_value b f value -> has_slope f steepness ->
  bounds_between b g f slope p q (value_bounds value steepness slope p q).
Proof.
  intros V S x X. unfold value_bounds. set (m := ((p + q) / 2)%Z). set (half := Z.max (m - p) (q - m)).
  destruct (V m) as [_ W]. destruct (value m) as [y e]. cbn [fst snd] in *.
  pose proof (unit_pos b b_nonneg) as U. pose proof (unit_pos g g_nonneg) as Ug.
  assert (H : Rabs (x * u - IZR m) <= IZR half).
  { apply Rabs_within. assert (H1 : (m - p <= half)%Z) by lia. assert (H2 : (q - m <= half)%Z) by lia.
    apply IZR_le in H1, H2. rewrite minus_IZR in H1, H2. lra. }
  assert (H0 : 0 <= IZR half) by (pose proof (Rabs_pos (x * u - IZR m)); lra).
  set (n := number_of b m) in *. assert (N : n * u = IZR m) by (unfold n, number_of; field; lra).
  assert (F : Rabs ((f x - f n) * u) <= IZR (ceiling_div (steepness * half) 3)).
  { eapply Rle_trans; [|apply ceiling_div_ge; lia]. rewrite mult_IZR, Rabs_mult, (Rabs_pos_eq u) by lra.
    assert (St : 0 <= IZR steepness).
    { pose proof (S 1 0) as Q. rewrite Rminus_0_r, Rabs_R1 in Q. pose proof (Rabs_pos (f 1 - f 0)). lra. }
    specialize (S x n). assert (D : Rabs (x - n) * u <= IZR half).
    { rewrite <- (Rabs_pos_eq u) at 1 by lra. rewrite <- Rabs_mult. replace ((x - n) * u) with (x * u - IZR m) by lra.
      exact H. }
    nra. }
  assert (G : Rabs (IZR slope * (x * u - IZR m) / v) <= IZR (Z.shiftr (Z.abs slope * half) g) + 1).
  { unfold Rdiv. rewrite !Rabs_mult, (Rabs_pos_eq (/ v)) by (left; now apply Rinv_0_lt_compat).
    rewrite Z.shiftr_div_pow2 by exact g_nonneg.
    pose proof (floor_near (Z.abs slope * half) (2 ^ g) ltac:(now apply Z.pow_pos_nonneg)) as K.
    apply Rabs_between in K. rewrite mult_IZR, IZR_abs in K. change (IZR (2 ^ g)) with v in K.
    apply Rle_trans with (Rabs (IZR slope) * IZR half * / v); [|lra].
    apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. apply Rmult_le_compat_l; [apply Rabs_pos|exact H]. }
  assert (K : Rabs (IZR (Z.shiftr (slope * m) g) - IZR slope * IZR m / v) <= 1).
  { rewrite Z.shiftr_div_pow2 by exact g_nonneg. rewrite <- mult_IZR. apply floor_near. now apply Z.pow_pos_nonneg. }
  unfold near in W. apply Rabs_between in W, F, G, K. cbn [fst snd]. rewrite !minus_IZR, !plus_IZR, minus_IZR.
  replace (IZR slope * (x * u) / v) with (IZR slope * IZR m / v + IZR slope * (x * u - IZR m) / v) by (field; lra).
  lra.
Qed.

Definition pieces : positive := 32.
Definition curve_line (value : Z -> Z * Z) (steepness : Z) (low high : Z) : line :=
  let slope := chord_slope (fun z => fst (value z)) low high in
  line_by_pieces (value_bounds value steepness slope) slope pieces low high.
Definition relu_line (low high : Z) : line :=
  if (0 <=? low)%Z then Line (2 ^ g) 0 0 else if (high <=? 0)%Z then Line 0 0 0 else
  let slope := Z.min (2 ^ g) (Z.max 0 (Z.shiftl high g / (high - low))) in
  line_through slope (0, Z.max (high - Z.shiftr (slope * high) g) (- Z.shiftr (slope * low) g) + 1)%Z.
Definition activated_coordinate (a : activation_name) (c : coordinate) : coordinate :=
  let by_curve value steepness := along g (let (low, high) := ends_of c in curve_line value steepness low high) c in
  match a with
  | IdentityActivation => c
  | ReluActivation => along g (let (low, high) := ends_of c in relu_line low high) c
  | SigmoidActivation => by_curve (sigmoid_value b) 1%Z
  | SiluActivation => by_curve (silu_value b) 4%Z
  | TanhActivation => by_curve (tanh_value b) 4%Z
  | GeluTanhActivation => by_curve (gelu_tanh_value b) 6%Z
  | GeluActivation => by_curve (gelu_value b) 6%Z
  end.
Lemma curve_line_follows f value steepness low high : is_value b f value -> has_slope f steepness ->
  (low <= high)%Z -> follows b g f (low, high) (curve_line value steepness low high).
Proof.
  intros V S L. apply line_by_pieces_follows; auto. intros. now apply value_bounds_hold.
Qed.
Lemma relu_line_follows low high : follows b g relu (low, high) (relu_line low high).
Proof.
  pose proof (unit_pos b b_nonneg) as U. pose proof (unit_pos g g_nonneg) as Ug.
  assert (R : forall x, relu x * u = Rmax 0 (x * u)).
  { intros x. unfold relu, Rmax. destruct (Rle_dec 0 x), (Rle_dec 0 (x * u)); try nra. }
  unfold relu_line. destruct (Z.leb_spec 0 low) as [A|A]; [|destruct (Z.leb_spec high 0) as [B|B]].
  - split; [simpl; lia|]. cbn [line_slope line_height line_rest fst snd]. intros x X. apply IZR_le in A. rewrite R.
    rewrite Rmax_right by lra. change (IZR (2 ^ g)) with v. apply Rabs_within.
    replace (x * u - (v * (x * u) / v + 0)) with 0 by (field; lra). lra.
  - split; [simpl; lia|]. cbn [line_slope line_height line_rest fst snd]. intros x X. apply IZR_le in B. rewrite R.
    rewrite Rmax_left by lra. apply Rabs_within. unfold Rdiv. lra.
  - apply line_through_follows. intros x X. rewrite R. cbn [fst snd]. set (slope := Z.min _ _).
    assert (S : (0 <= slope <= 2 ^ g)%Z) by (pose proof (Z.pow_pos_nonneg 2 g ltac:(lia) g_nonneg); lia).
    destruct S as [S0 S1]. apply IZR_le in S0, S1. change (IZR (2 ^ g)) with v in S1.
    set (k := IZR slope / v). assert (K : 0 <= k <= 1).
    { unfold k. split; [apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]|].
      apply Rmult_le_reg_r with v; [exact Ug|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    replace (IZR slope * (x * u) / v) with (k * (x * u)) by (unfold k; field; lra).
    assert (Fl : forall z, k * IZR z - 1 <= IZR (Z.shiftr (slope * z) g) <= k * IZR z + 1).
    { intros z. rewrite Z.shiftr_div_pow2 by exact g_nonneg.
      pose proof (floor_near (slope * z) (2 ^ g) ltac:(now apply Z.pow_pos_nonneg)) as F. apply Rabs_between in F.
      change (IZR (2 ^ g)) with v in F. rewrite mult_IZR in F.
      replace (IZR slope * IZR z / v) with (k * IZR z) in F by (unfold k; field; lra). lra. }
    pose proof (Fl low) as Fl1. pose proof (Fl high) as Fh. clear Fl. set (top := Z.max _ _).
    assert (T1 : (high - Z.shiftr (slope * high) g <= top)%Z) by (unfold top; lia).
    assert (T2 : (- Z.shiftr (slope * low) g <= top)%Z) by (unfold top; lia).
    apply IZR_le in T1, T2. rewrite minus_IZR in T1. rewrite opp_IZR in T2. rewrite plus_IZR.
    apply IZR_lt in A, B. set (z := x * u) in *. unfold Rmax. destruct (Rle_dec 0 z).
    + split; nra.
    + split; nra.
Qed.
Lemma ends_ordered c x t : are_symbols t -> holds t c x -> (fst (ends_of c) <= snd (ends_of c))%Z.
Proof. intros S H. pose proof (ends_of_hold b t c x S H). apply le_IZR. lra. Qed.
Lemma activated_coordinate_holds a t c x : are_symbols t -> holds t c x ->
  holds t (activated_coordinate a c) (activated a x).
Proof.
  intros S H. pose proof (ends_ordered c x t S H) as O.
  assert (C : forall f value steepness, is_value b f value -> has_slope f steepness ->
    holds t (along g (let (low, high) := ends_of c in curve_line value steepness low high) c) (f x)).
  { intros f value steepness V Sl. apply (along_holds b g b_nonneg g_nonneg f); auto.
    destruct (ends_of c) as [low high]. now apply curve_line_follows. }
  destruct a; cbn [activated_coordinate activated].
  - apply (along_holds b g b_nonneg g_nonneg relu); auto. destruct (ends_of c) as [low high]. apply relu_line_follows.
  - apply (C (activated GeluActivation) (gelu_value b) 6%Z); [now apply gelu_value_is|apply gelu_has_slope].
  - apply (C (activated GeluTanhActivation) (gelu_tanh_value b) 6%Z); [now apply gelu_tanh_value_is|apply
      gelu_tanh_has_slope].
  - apply (C (activated SiluActivation) (silu_value b) 4%Z); [now apply silu_value_is|apply silu_has_slope].
  - apply (C sigmoid (sigmoid_value b) 1%Z); [now apply sigmoid_value_is|apply sigmoid_has_slope].
  - apply (C (activated TanhActivation) (tanh_value b) 4%Z); [now apply tanh_value_is|apply tanh_has_slope].
  - exact H.
Qed.
Definition zonotope_activated (a : activation_name) : zonotope -> zonotope := map (activated_coordinate a).
Lemma zonotope_activated_contains a t X x : are_symbols t -> contains t X x ->
  contains t (zonotope_activated a X) (map (activated a) x).
Proof. intros S C. eapply Forall2_map; [|exact C]. intros. now apply activated_coordinate_holds. Qed.

(* ---- one over the root ---- *)
Definition inverse_root_of (z : Z) : Z := Z.sqrt (2 ^ (3 * b) / z).
Definition root_bounds (low slope p q : Z) : Z * Z :=
  (inverse_root_of (Z.max q low) + Z.shiftr (slope * p) g, inverse_root_of (Z.max p low) + 1 + Z.shiftr (slope * q)
      g + 1)%Z.
Definition root_pieces : positive := 128.
Definition inverse_root (c : coordinate) : option coordinate :=
  let (low, high) := ends_of c in
  if (0 <? low)%Z then
    let m := centre (fst c) in
    let slope := Z.max 0 (Z.shiftl (inverse_root_of m) g / (2 * Z.max 1 m)) in
    Some (along g (line_by_pieces (root_bounds low slope) (- slope) root_pieces low high) c)
  else None.
Lemma root_of_near z : (0 < z)%Z -> IZR (inverse_root_of z) <= u / sqrt (IZR z / u) <= IZR (inverse_root_of z) + 1.
Proof.
  intros P. pose proof (unit_pos b b_nonneg) as U. apply IZR_lt in P as P'. unfold inverse_root_of.
  set (D := (2 ^ (3 * b) / z)%Z). assert (D0 : (0 <= D)%Z) by (apply Z.div_pos; [apply Z.pow_nonneg; lia|exact P]).
  pose proof (Z.sqrt_spec D D0) as [S1 S2]. set (r := Z.sqrt D) in *. pose proof (Z.sqrt_nonneg D) as R0. fold r in R0.
  assert (E : IZR (2 ^ (3 * b)) = u * u * u).
  { unfold real_unit. rewrite <- !mult_IZR, <- !Z.pow_add_r by lia. do 2 f_equal. lia. }
  assert (D1 : IZR D <= u * u * u / IZR z < IZR D + 1).
  { pose proof (Z.div_mod (2 ^ (3 * b)) z ltac:(lia)) as M. pose proof (Z.mod_pos_bound (2 ^ (3 * b)) z P) as [M0 M1].
    fold D in M. apply (f_equal IZR) in M. rewrite plus_IZR, mult_IZR, E in M. apply IZR_le in M0. apply IZR_lt in M1.
    split; [apply Rmult_le_reg_r with (IZR z)|apply Rmult_lt_reg_r with (IZR z)]; try exact P';
      unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra; lra. }
  set (y := u / sqrt (IZR z / u)).
  assert (Q : 0 < IZR z / u) by (apply Rmult_lt_0_compat; [exact P'|now apply Rinv_0_lt_compat]).
  pose proof (sqrt_lt_R0 _ Q) as Q0. assert (Y0 : 0 < y) by (apply Rmult_lt_0_compat; [exact U|now apply
    Rinv_0_lt_compat]).
  assert (YY : y * y = u * u * u / IZR z).
  { unfold y. replace (u / sqrt (IZR z / u) * (u / sqrt (IZR z / u))) with (u * u / (sqrt (IZR z / u) * sqrt (IZR z /
      u))) by (field; lra). rewrite sqrt_sqrt by lra. field. split; lra. }
  apply IZR_le in S1, R0. rewrite mult_IZR in S1.
  assert (S3 : (D + 1 <= Z.succ r * Z.succ r)%Z) by lia. apply IZR_le in S3. unfold Z.succ in S3.
  rewrite mult_IZR, !plus_IZR in S3. split; apply Rsqr_incr_0; unfold Rsqr; lra.
Qed.
Lemma inverse_root_holds t c x k : are_symbols t -> holds t c x -> inverse_root c = Some k ->
  0 < x /\ holds t k (/ sqrt x).
Proof.
  intros S H. pose proof (ends_of_hold b t c x S H) as En. pose proof (ends_ordered c x t S H) as O.
  unfold inverse_root. destruct (ends_of c) as [low high] eqn:Ec. cbn [fst snd] in En, O.
  destruct (Z.ltb_spec 0 low) as [L|]; [|discriminate]. set (slope := Z.max 0 _).
  assert (Sl : (0 <= slope)%Z) by (unfold slope; lia). clearbody slope.
  pose proof (unit_pos b b_nonneg) as U. pose proof (unit_pos g g_nonneg) as Ug. apply IZR_lt in L as L'.
  match goal with |- Some ?X = _ -> _ => intros K; assert (K' : k = X) by congruence end. subst k. clear K.
  set (l := IZR low / u). assert (El : l * u = IZR low) by (unfold l; field; lra).
  assert (X : 0 < x) by (apply Rmult_lt_reg_r with u; lra). split; [exact X|].
  assert (Lx : l <= x) by (apply Rmult_le_reg_r with u; lra).
  assert (F : / sqrt x = (fun y => / sqrt (Rmax y l)) x) by (cbv beta; now rewrite Rmax_left). rewrite F.
  apply (along_holds b g b_nonneg g_nonneg (fun y => / sqrt (Rmax y l))); auto. rewrite Ec.
  apply line_by_pieces_follows; auto. clear F S H c En x X Lx Ec. intros p q PQ x X.
  unfold root_bounds. set (p' := Z.max p low). set (q' := Z.max q low). cbn [fst snd]. rewrite opp_IZR, !plus_IZR.
  assert (S0 : 0 <= IZR slope) by now apply IZR_le.
  assert (Sh : forall z, IZR (Z.shiftr (slope * z) g) <= IZR slope * IZR z / v <= IZR (Z.shiftr (slope * z) g) + 1).
  { intros z. rewrite Z.shiftr_div_pow2 by exact g_nonneg. pose proof (Z.div_mod (slope * z) (2 ^ g)) as M.
    pose proof (Z.pow_pos_nonneg 2 g ltac:(lia) g_nonneg) as Pg. specialize (M ltac:(lia)).
    pose proof (Z.mod_pos_bound (slope * z) (2 ^ g) Pg) as [M0 M1]. apply (f_equal IZR) in M.
    rewrite plus_IZR, !mult_IZR in M. change (IZR (2 ^ g)) with v in M. apply IZR_le in M0. apply IZR_lt in M1.
    change (IZR (2 ^ g)) with v in M1. rewrite M.
    set (d := IZR (slope * z / 2 ^ g)) in *. set (e := IZR ((slope * z) mod 2 ^ g)) in *.
    replace ((v * d + e) / v) with (d + e / v) by (field; lra).
    assert (0 <= e / v <= 1); [|lra]. split; [apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]|].
    apply Rmult_le_reg_r with v; [exact Ug|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  set (y := Rmax x l). assert (Y : IZR p' <= y * u <= IZR q').
  { assert (Y : y * u = Rmax (x * u) (IZR low)).
    { unfold y, Rmax. destruct (Rle_dec x l), (Rle_dec (x * u) (IZR low)); nra. }
    rewrite Y. unfold p', q', Rmax.
    destruct (Z.max_spec p low) as [[P ->]|[P ->]], (Z.max_spec q low) as [[Q ->]|[Q ->]];
      apply IZR_lt in P || apply IZR_le in P; apply IZR_lt in Q || apply IZR_le in Q;
      destruct (Rle_dec (x * u) (IZR low)); lra. }
  assert (P0 : (0 < p')%Z) by lia. assert (Q0 : (0 < q')%Z) by lia.
  destruct (root_of_near p' P0) as [_ Rp]. destruct (root_of_near q' Q0) as [Rq _]. apply IZR_lt in P0, Q0.
  assert (Y0 : 0 < y) by (apply Rmult_lt_reg_r with u; lra).
  assert (Mono : forall s r, 0 < s -> s <= r -> u / sqrt r <= u / sqrt s).
  { intros s r S1 S2. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; [now apply sqrt_lt_R0|].
    now apply sqrt_le_1_alt. }
  assert (Lo : u / sqrt (IZR q' / u) <= u / sqrt y).
  { apply Mono; [exact Y0|]. apply Rmult_le_reg_r with u; [exact U|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (Hi : u / sqrt y <= u / sqrt (IZR p' / u)).
  { apply Mono; [apply Rmult_lt_0_compat; [exact P0|now apply Rinv_0_lt_compat]|].
    apply Rmult_le_reg_r with u; [exact U|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  pose proof (Sh p) as Sp. pose proof (Sh q) as Sq. clear Sh.
  replace (/ sqrt y * u) with (u / sqrt y) by (unfold Rdiv; ring).
  replace (- IZR slope * (x * u) / v) with (- (IZR slope * (x * u) / v)) by (unfold Rdiv; ring).
  assert (Between : IZR slope * IZR p / v <= IZR slope * (x * u) / v <= IZR slope * IZR q / v).
  { unfold Rdiv. split; (apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]); apply Rmult_le_compat_l; lra. }
  lra.
Qed.

(* ---- new symbols for radii ---- *)
(* A set: how many symbols there are (the first is 1), and its coordinates. *)
Definition vectors := (nat * zonotope)%type.
Definition contains_all (t : vector) (X : vectors) (x : vector) : Prop :=
  length t = fst X /\ are_symbols t /\ contains t (snd X) x.
Fixpoint promoted (k : nat) (X : zonotope) : vectors :=
  match X with
  | [] => (k, [])
  | (r, e) :: X =>
      if (e =? 0)%Z then let (n, Y) := promoted k X in (n, (r, e) :: Y)
      else let (n, Y) := promoted (S k) X in (n, (r ++ repeat 0%Z (k - length r) ++ [e], 0%Z) :: Y)
  end.
Lemma value_with_last r e t x : (length r <= length t)%nat ->
  value_of (r ++ repeat 0%Z (length t - length r) ++ [e]) (t ++ [x]) = value_of r t + IZR e * x.
Proof.
  revert t. induction r as [|a r IH]; intros t L.
  - cbn [app length]. rewrite Nat.sub_0_r. clear L. induction t as [|y t IH]; cbn [length repeat app
      value_of]; [ring|]. rewrite IH. cbn [value_of]. ring.
  - destruct t as [|y t]; [simpl in L; lia|]. cbn [app length Nat.sub value_of]. rewrite IH by (simpl in L; lia). ring.
Qed.
Lemma promoted_contains X : forall t x, are_symbols t -> contains t X x -> exists more,
  Forall (fun y => Rabs y <= 1) more /\ contains_all (t ++ more) (promoted (length t) X) x.
Proof.
  induction X as [|[r e] X IH]; intros t x S C.
  - exists []. split; [constructor|]. rewrite app_nil_r. inversion C; subst. repeat split; auto; apply S.
  - inversion C as [|? x0 ? x1 H C']; subst. cbn [promoted]. destruct (Z.eqb_spec e 0) as [->|Ne].
    + destruct (IH t x1 S C') as (more & M & L & S' & K). exists more. split; [exact M|].
      destruct (promoted (length t) X) as [n Y]. cbn [fst snd] in *. split; [exact L|]. split; [exact S'|].
      constructor; [now apply holds_appended|exact K].
    + destruct H as (L & E & H). cbn [fst snd] in *. set (y := (x0 * u - value_of r t) / IZR e).
      assert (E' : 0 < IZR e) by (apply IZR_lt; lia).
      assert (Y : Rabs y <= 1).
      { unfold y, Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ _)) by (left; now apply Rinv_0_lt_compat).
        rewrite Rabs_minus_sym. apply Rmult_le_reg_r with (IZR e); [exact E'|].
        rewrite Rmult_assoc, Rinv_l; lra. }
      assert (S1 : are_symbols (t ++ [y])) by (apply symbols_appended; [exact S|constructor; [exact Y|constructor]]).
      destruct (IH (t ++ [y]) x1 S1 (contains_appended b t [y] X x1 C')) as (more & M & L' & S' & K).
      assert (One : length (t ++ [y]) = Datatypes.S (length t)) by (rewrite length_app; simpl; lia).
      rewrite One in L', K. exists (y :: more). split; [now constructor|].
      replace (t ++ y :: more) with ((t ++ [y]) ++ more) by now rewrite <- app_assoc.
      destruct (promoted (Datatypes.S (length t)) X) as [n Y0]. cbn [fst snd] in *.
      split; [exact L'|]. split; [exact S'|]. constructor; [|exact K]. apply holds_appended.
      split; [|split]; cbn [fst snd]; [rewrite !length_app, repeat_length; simpl; lia|lia|].
      rewrite value_with_last by exact L. replace (value_of r t + IZR e * y - x0 * u) with 0 by (unfold y; field; lra).
      rewrite Rabs_R0. lra.
Qed.

(* ---- norms ---- *)
Definition mean_of (X : zonotope) : coordinate :=
  row_product g (total_reach X) (repeat (2 ^ g / Z.of_nat (length X))%Z (length X)) X.
Lemma mean_of_holds t X x : are_symbols t -> contains t X x -> x <> [] -> holds t (mean_of X) (mean x).
Proof.
  intros S C N. pose proof (Forall2_same_length _ _ _ C) as L. unfold mean_of. rewrite L.
  set (n := length x). assert (P : 0 < INR n) by (apply lt_0_INR; unfold n; destruct x; [congruence|simpl; lia]).
  replace (mean x) with (dot (repeat (/ INR n) n) x).
  - apply (row_product_holds b g g_nonneg); auto.
    assert (W : is_weight g (2 ^ g / Z.of_nat n) (/ INR n)).
    { unfold is_weight. rewrite INR_IZR_INZ in *. replace (/ IZR (Z.of_nat n) * v) with (IZR (2 ^ g) / IZR (Z.of_nat n))
        by (unfold real_unit; field; lra). apply floor_near. apply lt_IZR. exact P. }
    clear - W. generalize n at 2 4 as k. induction k; simpl; constructor; auto.
  - unfold mean, dot, times, total, n. unfold Rdiv. rewrite Rmult_comm. clear. generalize (/ INR (length x)) as c.
    intros c. induction x as [|y x IH]; simpl; [ring|]. rewrite IH. ring.
Qed.
Definition read_coordinates (kind : norm_kind) (X : zonotope) : zonotope :=
  match kind with
  | LayerNorm => let m := negated (mean_of X) in map (fun c => coordinate_sum c m) X
  | RootMeanSquare => X
  end.
(* One over the root is the same for all coordinates, and so is the symbol of its radius. *)
Definition zonotope_normalised (kind : norm_kind) (epsilon : Q) (X : vectors) : option vectors :=
  match snd X with
  | [] => None
  | _ =>
      let C := read_coordinates kind (snd X) in
      let variance := coordinate_sum (mean_of (zonotope_times b C C)) (point 1 (fixed_rational b epsilon)) in
      match inverse_root variance with
      | Some r => let (k, R) := promoted (fst X) [r] in
          Some (k, map (fun c => coordinate_times b c (hd r R)) C)
      | None => None
      end
  end.
Lemma zonotope_normalised_contains kind epsilon t X x Y : contains_all t X x ->
  zonotope_normalised kind epsilon X = Some Y -> exists more, contains_all (t ++ more) Y (normalised kind (Q2R
      epsilon) x).
Proof.
  destruct X as [k X]. intros (L & S & H). unfold zonotope_normalised. cbn [fst snd] in *.
  destruct X as [|c0 X0] eqn:EX; [discriminate|]. rewrite <- EX in *.
  assert (N : x <> []) by (intros ->; rewrite EX in H; inversion H). clear EX c0 X0.
  set (y := match kind with LayerNorm => centred x | RootMeanSquare => x end).
  assert (C : contains t (read_coordinates kind X) y /\ y <> []).
  { unfold y, read_coordinates. destruct kind; [|now split]. split.
    - unfold centred. eapply Forall2_map; [|exact H]. intros c z _ Hc. unfold Rminus.
      apply coordinate_sum_holds; [exact Hc|]. apply negated_holds. now apply mean_of_holds.
    - unfold centred. destruct x; [congruence|discriminate]. }
  destruct C as [C Ny]. set (Y0 := read_coordinates kind X) in *. cbv zeta.
  destruct (inverse_root _) as [r|] eqn:R; [|discriminate].
  unfold normalised, over_deviation. fold y.
  apply (inverse_root_holds t _ (mean (squares y) + Q2R epsilon)) in R as [_ R]; [|exact S|].
  - assert (R1 : contains t [r] [/ sqrt (mean (squares y) + Q2R epsilon)]) by (constructor; [exact R|constructor]).
    destruct (promoted_contains [r] t _ S R1) as (more & _ & P). rewrite L in P.
    destruct (promoted k [r]) as [k' R']. destruct P as (L2 & S2 & R2). cbn [fst snd] in *.
    assert (Hr : holds (t ++ more) (hd r R') (/ sqrt (mean (squares y) + Q2R epsilon)))
      by (inversion R2; subst; assumption).
    match goal with |- Some ?X = _ -> _ => intros K; assert (K' : Y = X) by congruence end. subst Y. clear K.
    exists more. split; [exact L2|]. split; [exact S2|]. cbn [snd]. eapply Forall2_map; [|exact C]. intros c z _ Hc.
    unfold Rdiv. apply coordinate_times_holds; auto. now apply holds_appended.
  - apply coordinate_sum_holds.
    + replace (squares y) with (times y y).
      * apply mean_of_holds; [exact S|now apply zonotope_times_contains|]. destruct y; [congruence|discriminate].
      * unfold times, squares. clear. induction y as [|z y IH]; simpl; [reflexivity|]. now rewrite IH.
    + apply point_holds; [exact S|lia|]. apply fixed_rational_near.
Qed.

(* ---- parts of a network ---- *)
Record form_map := FormMap { map_weights : list (list Z); map_bias : option (list Z) }.
Definition make_form_map (a : affine_syntax) : form_map :=
  FormMap (fixed_table g (affine_weight a)) (option_map (fixed_vector b) (affine_bias a)).
Definition zonotope_shifted (c : option (list Z)) (X : zonotope) : zonotope :=
  match c with Some c => zonotope_sum X (points 1 c) | None => X end.
Definition zonotope_affine (a : form_map) (X : zonotope) : zonotope :=
  zonotope_shifted (map_bias a) (zonotope_product g (map_weights a) X).
Lemma zonotope_shifted_contains c t X x : are_symbols t -> contains t X x ->
  contains t (zonotope_shifted (option_map (fixed_vector b) c) X) (optional shifted c x).
Proof.
  intros S H. destruct c as [c|]; [|exact H]. apply zonotope_sum_contains; [exact H|].
  pose proof (points_contain b t (Ball (fixed_vector b c) 1) (vector_of c) S) as P. apply P.
  now apply fixed_vector_encloses.
Qed.
Lemma zonotope_affine_contains a t X x : are_symbols t -> contains t X x ->
  contains t (zonotope_affine (make_form_map a) X) (affine a x).
Proof. intros S H. apply zonotope_shifted_contains; [exact S|]. now apply zonotope_product_contains. Qed.

Record form_norm := FormNorm { norm_kind_of : norm_kind; norm_epsilon_of : Q; norm_gain_of : option (list Z);
  norm_shift_of : option (list Z); norm_map_of : option form_map }.
Definition make_form_norm (n : norm_syntax) : form_norm :=
  FormNorm (norm_of_kind n) (norm_epsilon n) (option_map (fixed_vector g) (norm_gain n))
    (option_map (fixed_vector b) (norm_bias n)) (option_map make_form_map (norm_of n)).
Definition gained (w : option (list Z)) (X : zonotope) : zonotope :=
  match w with Some w => map2 (fun c k => row_product g (reach c) [k] [c]) X w | None => X end.
Definition zonotope_normed (n : form_norm) (X : vectors) : option vectors :=
  let X := (fst X, match norm_map_of n with Some a => zonotope_affine a (snd X) | None => snd X end) in
  option_map (fun Y => (fst Y, zonotope_shifted (norm_shift_of n) (gained (norm_gain_of n) (snd Y))))
    (zonotope_normalised (norm_kind_of n) (norm_epsilon_of n) X).
Lemma gained_contains w t X x : are_symbols t -> contains t X x ->
  contains t (gained (option_map (fixed_vector g) w) X) (optional scaled w x).
Proof.
  intros S H. destruct w as [w|]; [|exact H]. simpl. unfold scaled, times, fixed_vector, vector_of.
  assert (W : Forall2 (is_weight g) (map (fixed_entry g (vector_exponent w)) (vector_entries w))
    (map (entry (vector_exponent w)) (vector_entries w))) by now apply fixed_row_near.
  eapply Forall2_map2; [|exact H|exact W]. intros c y k z _ _ Hc Hk.
  replace (y * z) with (dot [z] [y]) by (unfold dot, times, total; simpl; ring).
  replace (reach c) with (total_reach [c]) by (simpl; lia).
  apply (row_product_holds b g g_nonneg); [exact S| |]; (constructor; [assumption|constructor]).
Qed.
Lemma zonotope_normed_contains n t X x Y : contains_all t X x -> zonotope_normed (make_form_norm n) X = Some Y ->
  exists more, contains_all (t ++ more) Y (norm n x).
Proof.
  destruct X as [k X]. intros (L & S & H). unfold zonotope_normed, norm. cbn [make_form_norm norm_map_of norm_kind_of
    norm_epsilon_of norm_shift_of norm_gain_of fst snd] in *.
  set (X1 := match option_map make_form_map (norm_of n) with Some a => zonotope_affine a X | None => X end).
  assert (A : contains_all t (k, X1) (optional affine (norm_of n) x)).
  { split; [exact L|]. split; [exact S|]. unfold X1. cbn [snd].
    destruct (norm_of n); simpl; [now apply zonotope_affine_contains|exact H]. }
  destruct (zonotope_normalised _ _ _) as [C|] eqn:K; [|discriminate]. cbn [option_map].
  match goal with |- Some ?X = _ -> _ => intros E; assert (E' : Y = X) by congruence end. subst Y.
  destruct (zonotope_normalised_contains _ _ _ _ _ _ A K) as (more & L' & S' & C'). exists more.
  split; [exact L'|]. split; [exact S'|]. cbn [snd]. apply zonotope_shifted_contains; [exact S'|].
  now apply gained_contains.
Qed.
Definition zonotope_read (n : option form_norm) (X : vectors) : option vectors :=
  match n with Some n => zonotope_normed n X | None => Some X end.
Lemma zonotope_read_contains n t X x Y : contains_all t X x ->
  zonotope_read (option_map make_form_norm n) X = Some Y -> exists more, contains_all (t ++ more) Y (optional norm n x).
Proof.
  intros H. destruct n as [n|]; simpl; [now apply zonotope_normed_contains|]. intros E. injection E as <-.
  exists []. now rewrite app_nil_r.
Qed.

(* ---- steps ---- *)
Inductive form_step :=
| FormNormStep (n : form_norm)
| FormUnits (n : option form_norm) (inward : form_map) (gate : option form_map) (a : activation_name)
    (outward : form_map).
Definition make_form_step (s : step_syntax) : option form_step :=
  match s with
  | NormStep n => Some (FormNormStep (make_form_norm n))
  | UnitsStep n inward gate a outward => Some (FormUnits (option_map make_form_norm n) (make_form_map inward)
      (option_map make_form_map gate) a (make_form_map outward))
  | AttentionStep _ _ _ _ _ _ => None
  end.
Definition zonotope_step (s : form_step) (X : vectors) : option vectors :=
  match s with
  | FormNormStep n => zonotope_normed n X
  | FormUnits n inward gate a outward =>
      match zonotope_read n X with
      | None => None
      | Some Y =>
          let (k, Y) := promoted (fst Y) (snd Y) in
          let hidden := match gate with
            | Some gate => zonotope_times b (zonotope_activated a (zonotope_affine gate Y)) (zonotope_affine inward Y)
            | None => zonotope_activated a (zonotope_affine inward Y)
            end in
          let (k, hidden) := promoted k hidden in
          Some (k, zonotope_sum (snd X) (zonotope_affine outward hidden))
      end
  end.
(* What a step computes that acts on each token by itself. *)
Definition alone_step (s : step_syntax) : vector -> vector :=
  match step_of s with Alone f => f | Attend _ _ => fun x => x end.
Theorem zonotope_step_contains s f t X x Y : make_form_step s = Some f -> contains_all t X x ->
  zonotope_step f X = Some Y -> exists more, contains_all (t ++ more) Y (alone_step s x).
Proof.
  intros F C. destruct s as [n| |n inward gate a outward];
    try discriminate; cbn [make_form_step] in F; (assert (f = _) as -> by (symmetry; injection F; intros E; exact E));
    clear F; cbn [zonotope_step alone_step step_of].
  - now apply zonotope_normed_contains.
  - destruct (zonotope_read _ X) as [Y0|] eqn:R; [|discriminate].
    destruct (zonotope_read_contains n t X x Y0 C R) as (more0 & L & S & R'). destruct C as (_ & _ & C).
    apply (contains_appended b t more0) in C. set (t0 := t ++ more0) in *.
    destruct (promoted_contains (snd Y0) t0 _ S R') as (more & _ & P). rewrite L in P.
    destruct (promoted (fst Y0) (snd Y0)) as [k1 Y1]. destruct P as (L1 & S1 & C1). cbn [fst snd] in *.
    set (hidden := match option_map make_form_map gate with Some _ => _ | None => _ end).
    set (y := match gate with Some _ => _ | None => _ end).
    assert (H : contains (t0 ++ more) hidden y).
    { unfold hidden, y. destruct gate as [gate|]; cbn [option_map].
      - apply zonotope_times_contains; auto; [apply zonotope_activated_contains|]; auto;
          now apply zonotope_affine_contains.
      - apply zonotope_activated_contains; [exact S1|]. now apply zonotope_affine_contains. }
    clearbody hidden y. destruct (promoted_contains hidden (t0 ++ more) y S1 H) as (more' & _ & P). rewrite L1 in P.
    destruct (promoted k1 hidden) as [k2 H2]. destruct P as (L2 & S2 & C2). cbn [fst snd] in *. intros E.
    match type of E with Some ?Z = _ => assert (Y = Z) as -> by congruence end.
    exists (more0 ++ more ++ more'). rewrite !app_assoc. fold t0. repeat split; auto; try apply S2. cbn [snd].
    apply zonotope_sum_contains.
    + rewrite <- app_assoc. now apply contains_appended.
    + now apply zonotope_affine_contains.
Qed.
Fixpoint zonotope_steps (steps : list form_step) (X : vectors) : option vectors :=
  match steps with
  | [] => Some X
  | s :: steps => match zonotope_step s X with Some Y => zonotope_steps steps Y | None => None end
  end.
Definition alone_steps (steps : list step_syntax) (x : vector) : vector := fold_left (fun x s => alone_step s x)
    steps x.
Theorem alone_steps_hold steps : forall fs t X x Y, traverse make_form_step steps = Some fs -> contains_all t X x ->
  zonotope_steps fs X = Some Y -> exists more, contains_all (t ++ more) Y (alone_steps steps x).
Proof.
  induction steps as [|s steps IH]; intros fs t X x Y F C E; cbn [traverse] in F.
  - assert (fs = []) as -> by congruence. cbn [zonotope_steps] in E. exists []. rewrite app_nil_r.
    assert (Y = X) as -> by congruence. exact C.
  - destruct (make_form_step s) as [f|] eqn:Fs; [|discriminate]. destruct (traverse make_form_step steps) as [l|];
      [|discriminate]. assert (fs = f :: l) as -> by congruence. cbn [zonotope_steps] in E.
    destruct (zonotope_step f X) as [X1|] eqn:S1; [|discriminate].
    destruct (zonotope_step_contains s f t X x X1 Fs C S1) as (more & C1).
    destruct (IH l (t ++ more) X1 _ Y eq_refl C1 E) as (more' & C2). exists (more ++ more'). now rewrite app_assoc.
Qed.
End Steps.
