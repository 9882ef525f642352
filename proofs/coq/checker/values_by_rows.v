(* What an expression is worth at one position of one length: exactly, as a rational number, or between two multiples of
   2^-80 where there are logarithms and roots.

   Proved: both, for `exact_value` and `expression_enclosure`; and that expressions which do not mention i (or n) have
   the same value at all positions (at all lengths). *)
From Coq Require Import Reals QArith Qreals Qpower Qround ZArith List Bool Lra Lia.
From Certify Require Import options positions lists finite_sums exponential exp_enclosure formula network well_defined
  linear_combination expression_bounds check_defined gap_rule.
Open Scope R_scope.

Ltac take H := apply some_inj in H; match type of H with ?a = ?b => first [subst b | subst a | rewrite <- H in *;
  clear H] end.

(* ---- exactly ---- *)
(* No powers with a million digits. *)
Local Definition power (q : Q) (z : Z) : option Q :=
  if (4096 <? Z.abs z)%Z then None else
  match z with
  | Z0 => Some 1%Q
  | Zpos k => Some (Qpower_positive q k)
  | Zneg k => if is_zero q then None else Some (/ Qpower_positive q k)%Q
  end.
(* Of the functions, those that round logarithms. *)
Definition exact_function (g : real_function) (q : Q) : option Q :=
  let k := Z.log2 (Qfloor q) in
  if Qle_bool 1 q then
    match g with
    | Log2Floor => Some (inject_Z k)
    | Log2Ceil => Some (inject_Z (if Qeq_bool q (inject_Z (2 ^ k)) then k else k + 1))
    | _ => None
    end
  else None.
Fixpoint exact_value (e : expression) (n i : nat) : option Q :=
  match e with
  | Num q => Some q
  | VarI => Some (inject_Z (Z.of_nat i)) | VarN => Some (inject_Z (Z.of_nat n))
  | Add x y => option_bind (exact_value x n i) (fun p => option_bind (exact_value y n i) (fun q => Some (p + q)%Q))
  | Sub x y => option_bind (exact_value x n i) (fun p => option_bind (exact_value y n i) (fun q => Some (p - q)%Q))
  | Mul x y => option_bind (exact_value x n i) (fun p => option_bind (exact_value y n i) (fun q => Some (p * q)%Q))
  | Div x y => option_bind (exact_value x n i) (fun p => option_bind (exact_value y n i) (fun q =>
    if is_zero q then None else Some (p / q)%Q))
  | Neg x => option_bind (exact_value x n i) (fun p => Some (- p)%Q)
  | Power x k => option_bind (exact_value x n i) (fun p => power p (integer_value k n i))
  | Apply g x => option_bind (exact_value x n i) (exact_function g)
  end.

Lemma is_zero_R q : is_zero q = false -> Q2R q <> 0.
Proof. intros H E. rewrite <- Q2R_0 in E. apply eqR_Qeq, Qeq_bool_iff in E. unfold is_zero in H. congruence. Qed.
Lemma is_zero_Q q : is_zero q = false -> ~ (q == 0)%Q.
Proof. intros H E. apply Qeq_bool_iff in E. unfold is_zero in H. congruence. Qed.
Lemma positive_power_value q k : Q2R (Qpower_positive q k) = Q2R q ^ Pos.to_nat k.
Proof.
  induction k as [|k IH] using Pos.peano_ind; [simpl; ring|]. rewrite Pos2Nat.inj_succ. cbn [pow].
  rewrite <- IH, <- Q2R_mult. apply Qeq_eqR. rewrite <- Pos.add_1_l. now rewrite Qpower_plus_positive.
Qed.
Lemma power_value q z p : power q z = Some p -> powerRZ (Q2R q) z = Q2R p /\ ((z < 0)%Z -> Q2R q <> 0).
Proof.
  unfold power. destruct (4096 <? Z.abs z)%Z; [discriminate|]. destruct z as [|k|k]; intros H.
  - take H. rewrite Q2R_1. split; [reflexivity|lia].
  - take H. rewrite positive_power_value. split; [reflexivity|lia].
  - destruct (is_zero q) eqn:Z; [discriminate|]. take H. split; [|intros _; now apply is_zero_R]. cbn [powerRZ].
    rewrite Q2R_inv, positive_power_value; [reflexivity|]. intros E. apply Qeq_eqR in E.
    rewrite positive_power_value, Q2R_0 in E. now apply (pow_nonzero (Q2R q) (Pos.to_nat k)); [apply is_zero_R|].
Qed.

Lemma Int_part_is z x : IZR z <= x < IZR z + 1 -> Int_part x = z.
Proof.
  intros H. destruct (base_Int_part x) as [L U]. apply Z.le_antisymm; apply Z.lt_succ_r, lt_IZR; rewrite succ_IZR; lra.
Qed.
(* 2^k <= x < 2^(k+1), and so for the logarithm. *)
Lemma log2_around q : Qle_bool 1 q = true -> let k := Z.log2 (Qfloor q) in IZR k <= ln (Q2R q) / ln 2 < IZR k + 1 /\ (0
  <= k)%Z /\ (ln (Q2R q) / ln 2 = IZR k -> Q2R q = IZR (2 ^ k)) /\ (Q2R q = IZR (2 ^ k) -> ln (Q2R q) / ln 2 = IZR k).
Proof.
  intros H k. assert (F : (1 <= Qfloor q)%Z).
  { apply Qle_bool_iff, Qfloor_resp_le in H. exact H. }
  assert (L2 : 0 < ln 2) by (apply ln_positive; lra). pose proof (floor_below q) as B.
  assert (Q1 : 1 <= Q2R q) by (apply IZR_le in F; lra). pose proof (Z.log2_nonneg (Qfloor q)) as K0. fold k in K0.
  pose proof (Z.log2_spec (Qfloor q) ltac:(lia)) as [_ Up]. fold k in Up.
  assert (P : forall z, (0 <= z)%Z -> ln (IZR (2 ^ z)) = IZR z * ln 2).
  { intros z Z0. rewrite <- (Z2Nat.id z Z0) at 1. rewrite <- pow_IZR, ln_power by lra.
    rewrite INR_IZR_INZ, Z2Nat.id by exact Z0. reflexivity. }
  assert (Pp : forall z, (0 <= z)%Z -> 0 < IZR (2 ^ z)) by (intros z Z0; apply IZR_lt, Z.pow_pos_nonneg; lia).
  assert (Top : Q2R q < IZR (2 ^ (k + 1))).
  { apply Rlt_le_trans with (IZR (Qfloor q + 1)); [rewrite <- Q2R_inject_Z; apply Qlt_Rlt, Qlt_floor|]. apply IZR_le.
    unfold Z.succ in Up. lia. }
  split; [split|split; [exact K0|split]].
  - apply log2_at_least; [lia|exact B].
  - apply Rmult_lt_reg_r with (ln 2); [exact L2|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    rewrite <- plus_IZR, <- P by lia. apply ln_increasing; [lra|exact Top].
  - intros E. apply ln_inv; [lra|now apply Pp|]. rewrite P by exact K0. rewrite <- E. field. lra.
  - intros ->. rewrite P by exact K0. field. lra.
Qed.

Lemma exact_function_correct g q p : exact_function g q = Some p ->
  function_value g (Q2R q) = Q2R p /\ in_domain g (Q2R q).
Proof.
  unfold exact_function. cbv zeta. destruct (Qle_bool 1 q) eqn:O; [|discriminate].
  destruct (log2_around q O) as ([L U] & K0 & E & E'). set (k := Z.log2 (Qfloor q)) in *.
  assert (Q1 : 0 < Q2R q) by (apply Qle_bool_R in O; rewrite Q2R_1 in O; lra).
  destruct g; intros H; try discriminate; take H; cbn [function_value in_domain]; (split; [|exact Q1]);
    rewrite Q2R_inject_Z.
  - f_equal. apply Int_part_is. lra.
  - destruct (Qeq_bool q (inject_Z (2 ^ k))) eqn:Q2.
    + apply Qeq_bool_R in Q2. rewrite Q2R_inject_Z in Q2. rewrite (E' Q2), <- opp_IZR, <- opp_IZR. f_equal.
      rewrite (Int_part_is (- k)); [lia|]. rewrite opp_IZR. lra.
    + assert (Ne : ln (Q2R q) / ln 2 <> IZR k).
      { intros X. apply E in X. rewrite <- Q2R_inject_Z in X. apply eqR_Qeq, Qeq_bool_iff in X. congruence. }
      rewrite <- opp_IZR. f_equal. rewrite (Int_part_is (- (k + 1))); [lia|]. rewrite opp_IZR, plus_IZR. lra.
Qed.

(* What has an exact value has one at all. *)
Theorem exact_correct e n i : forall q, exact_value e n i = Some q -> expression_value e n i = Q2R q /\ has_value e n i.
Proof.
  induction e as [p| | |x IHx y IHy|x IHx y IHy|x IHx y IHy|x IHx y IHy|x IHx|x IHx k|g x IHx]; intros q H;
    cbn [exact_value expression_value has_value] in *; unfold option_bind in H; try discriminate. 1: take H; now split.
  1,2: take H; rewrite Q2R_of_nat; now split.
  all: destruct (exact_value x n i) as [a|]; [|discriminate]; destruct (IHx a eq_refl) as [-> Vx].
  5: take H; rewrite Q2R_opp; now split. 5: destruct (power_value a _ q H); now repeat split.
  5: destruct (exact_function_correct g a q H); now repeat split.
  all: destruct (exact_value y n i) as [b|]; [|discriminate]; destruct (IHy b eq_refl) as [-> Vy].
  4: destruct (is_zero b) eqn:Z; [discriminate|]; take H; rewrite Q2R_div by (now apply is_zero_Q); repeat split;
    auto using is_zero_R. all: take H; rewrite ?Q2R_plus, ?Q2R_minus, ?Q2R_mult; now repeat split.
Qed.

(* ---- between two multiples of 2^-80 ---- *)
Notation fixed_interval := (Z * Z)%type.
Definition in_enclosure (I : fixed_interval) (x : R) : Prop := score_value (fst I) <= x <= score_value (snd I).

Definition rational_enclosure (q : Q) : fixed_interval := let z := (Z.shiftl (Qnum q) score_bits / Zpos (Qden q))%Z in
  (z, z + 1)%Z.
Definition plus_enclosure (I J : fixed_interval) : fixed_interval := (fst I + fst J, snd I + snd J)%Z.
Local Definition opposite (I : fixed_interval) : fixed_interval := (- snd I, - fst I)%Z.
Definition least_of_4 (a b c d : Z) : Z := Z.min (Z.min a b) (Z.min c d).
Definition most_of_4 (a b c d : Z) : Z := Z.max (Z.max a b) (Z.max c d).
Definition product_enclosure (I J : fixed_interval) : fixed_interval :=
  let '(a, b) := I in let '(c, d) := J in
  if (0 <=? a)%Z then
    if (0 <=? c)%Z then
      (* b d from a c, as the ends are near each other *)
      let ac := (a * c)%Z in
      (Z.shiftr ac score_bits, rounded_up (ac + (a * (d - c) + (b - a) * d)) score_bits)
    else (product_down score_bits b c, product_up score_bits (if (0 <=? d)%Z then b else a) d)
  else
    let ac := (a * c)%Z in let ad := (a * d)%Z in let bc := (b * c)%Z in let bd := (b * d)%Z in
    (Z.shiftr (least_of_4 ac ad bc bd) score_bits, rounded_up (most_of_4 ac ad bc bd) score_bits).

Lemma around_within q : in_enclosure (rational_enclosure q) (Q2R q).
Proof.
  unfold in_enclosure, rational_enclosure. cbv zeta. cbn [fst snd]. rewrite Z.shiftl_mul_pow2 by easy.
  rewrite fixed_plus. set (P := (2 ^ score_bits)%Z). assert (Pp : (0 < P)%Z) by reflexivity. set (a := (Qnum q * P)%Z).
  set (d := Zpos (Qden q)). assert (Dp : 0 < IZR d) by (apply IZR_lt; reflexivity).
  assert (Pr : 0 < IZR P) by now apply IZR_lt.
  assert (V : Q2R q = IZR a / IZR d * / IZR P) by (unfold Q2R, a; rewrite mult_IZR; fold d; field; lra).
  pose proof (floor_div_le a d ltac:(reflexivity)) as F. pose proof (Z.mul_succ_div_gt a d ltac:(reflexivity)) as G.
  assert (C : IZR a / IZR d <= IZR (a / d) + 1).
  { rewrite <- plus_IZR. apply Rmult_le_reg_r with (IZR d); [exact Dp|]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l by lra. rewrite Rmult_1_r, <- mult_IZR. apply IZR_le. lia. }
  pose proof (Rinv_0_lt_compat _ Pr) as I. rewrite V.
  assert (E : forall z, score_value z = IZR z * / IZR P) by reflexivity. rewrite !E, <- Rmult_plus_distr_r.
  split; apply Rmult_le_compat_r; lra.
Qed.
Lemma plus_within I J x y : in_enclosure I x -> in_enclosure J y -> in_enclosure (plus_enclosure I J) (x + y).
Proof. unfold in_enclosure, plus_enclosure. cbn [fst snd]. rewrite !fixed_plus. lra. Qed.
Lemma opposite_within I x : in_enclosure I x -> in_enclosure (opposite I) (- x).
Proof. unfold in_enclosure, opposite. cbn [fst snd]. rewrite !fixed_opp. lra. Qed.

(* A product lies between two of those at the ends. *)
Lemma product_range a b c d x y : a <= x <= b -> c <= y <= d -> (a * c <= x * y \/ a * d <= x * y \/ b * c <= x * y \/
  b * d <= x * y) /\ (x * y <= a * c \/ x * y <= a * d \/ x * y <= b * c \/ x * y <= b * d).
Proof.
  intros X Y. assert (S : forall z, (0 <= z -> z * c <= z * y <= z * d) /\ (z <= 0 -> z * d <= z * y <= z * c)).
  { intros z. split; intros Z; split; first [apply Rmult_le_compat_l; lra|apply Rmult_le_compat_neg_l; lra]. }
  assert (T : (0 <= y -> a * y <= x * y <= b * y) /\ (y <= 0 -> b * y <= x * y <= a * y)).
  { split; intros Z; rewrite !(Rmult_comm _ y); split; first [apply Rmult_le_compat_l;
    lra|apply Rmult_le_compat_neg_l; lra]. }
  destruct (S a), (S b), T. destruct (Rle_lt_dec 0 y), (Rle_lt_dec 0 a), (Rle_lt_dec 0 b); lra.
Qed.

Lemma product_within I J x y : in_enclosure I x -> in_enclosure J y -> in_enclosure (product_enclosure I J) (x * y).
Proof.
  destruct I as [a b], J as [c d]. intros X Y. unfold in_enclosure in X, Y. cbn [fst snd] in X, Y.
  unfold product_enclosure. pose proof (product_down_le score_bits score_bits_nonneg) as Dn.
  pose proof (product_up_ge score_bits score_bits_nonneg) as Up.
  assert (Neg : forall z, (z <= 0)%Z -> score_value z <= 0).
  { intros z Z. rewrite <- (fixed_0 score_bits). now apply fixed_le; [apply score_bits_nonneg|]. }
  destruct (Z.leb_spec 0 a) as [A|A]; [destruct (Z.leb_spec 0 c) as [C|C]|].
  - apply (fixed_nonneg score_bits score_bits_nonneg) in A, C. cbv zeta. split; cbn [fst snd].
    + eapply Rle_trans; [apply (Dn a c)|]. apply Rmult_le_compat; lra.
    + replace (a * c + (a * (d - c) + (b - a) * d))%Z with (b * d)%Z by ring. eapply Rle_trans; [|apply (Up b d)].
      apply Rmult_le_compat; lra.
  - apply (fixed_nonneg score_bits score_bits_nonneg) in A. pose proof (Neg c ltac:(lia)). split; cbn [fst snd].
    + eapply Rle_trans; [apply Dn|]. apply Rle_trans with (x * score_value c); [|apply Rmult_le_compat_l; lra].
      rewrite !(Rmult_comm _ (score_value c)). apply Rmult_le_compat_neg_l; lra.
    + eapply Rle_trans; [|apply Up]. apply Rle_trans with (x * score_value d); [apply Rmult_le_compat_l; lra|].
      destruct (Z.leb_spec 0 d) as [D|D].
      * apply (fixed_nonneg score_bits score_bits_nonneg) in D. apply Rmult_le_compat_r; lra.
      * pose proof (Neg d ltac:(lia)). rewrite !(Rmult_comm _ (score_value d)). apply Rmult_le_compat_neg_l; lra.
  - cbv zeta. unfold in_enclosure. cbn [fst snd]. pose proof (u_pos score_bits score_bits_nonneg) as U.
    pose proof (product_range _ _ _ _ _ _ X Y) as [L H].
    assert (I0 : 0 <= / IZR (2 ^ score_bits)) by now apply inverse_nonneg.
    assert (Lo : forall z, score_value a * score_value c <= z \/ score_value a * score_value d <= z \/
      score_value b * score_value c <= z \/ score_value b * score_value d <= z -> score_value (Z.shiftr (least_of_4 (a *
      c) (a * d) (b * c) (b * d)) score_bits) <= z).
    { intros z. set (m := least_of_4 _ _ _ _).
      assert (M : (m <= a * c /\ m <= a * d /\ m <= b * c /\ m <= b * d)%Z) by (unfold m, least_of_4; lia).
      assert (P : forall p q, (m <= p * q)%Z -> score_value (Z.shiftr m score_bits) <= score_value p * score_value q).
      { intros p q N. rewrite <- (product_over score_bits score_bits_nonneg). apply Rmult_le_compat_r; [exact I0|].
        eapply Rle_trans; [apply shiftr_down, score_bits_nonneg|].
        apply Rmult_le_compat_r; [exact I0|now apply IZR_le]. }
      intros [Z|[Z|[Z|Z]]]; (eapply Rle_trans; [apply P|exact Z]); apply M. }
    assert (Hi : forall z, z <= score_value a * score_value c \/ z <= score_value a * score_value d \/ z <=
      score_value b * score_value c \/ z <= score_value b * score_value d -> z <= score_value (rounded_up (most_of_4 (a
      * c) (a * d) (b * c) (b * d)) score_bits)).
    { intros z. set (m := most_of_4 _ _ _ _).
      assert (M : (a * c <= m /\ a * d <= m /\ b * c <= m /\ b * d <= m)%Z) by (unfold m, most_of_4; lia).
      assert (P : forall p q, (p * q <= m)%Z -> score_value p * score_value q <= score_value (rounded_up m score_bits)).
      { intros p q N. rewrite <- (product_over score_bits score_bits_nonneg). apply Rmult_le_compat_r; [exact I0|].
        eapply Rle_trans; [|apply rounded_up_ge, score_bits_nonneg].
        apply Rmult_le_compat_r; [exact I0|now apply IZR_le]. }
      intros [Z|[Z|[Z|Z]]]; (eapply Rle_trans; [exact Z|apply P]); apply M. }
    split; auto.
Qed.

(* ---- what an expression mentions ---- *)
Fixpoint integer_mentions (at_i : bool) (k : integer) : bool :=
  match k with
  | Int _ => false | IntI => at_i | IntN => negb at_i
  | IntPlus a b | IntMinus a b => integer_mentions at_i a || integer_mentions at_i b
  end.
Fixpoint expression_mentions (at_i : bool) (e : expression) : bool :=
  match e with
  | Num _ => false | VarI => at_i | VarN => negb at_i
  | Add x y | Sub x y | Mul x y | Div x y => expression_mentions at_i x || expression_mentions at_i y
  | Neg x | Apply _ x => expression_mentions at_i x
  | Power x k => expression_mentions at_i x || integer_mentions at_i k
  end.
Definition mentions_i : expression -> bool := expression_mentions true.
Definition mentions_n : expression -> bool := expression_mentions false.

Section Mentions.
Variables (at_i : bool) (n n' i i' : nat).
Hypothesis Same : if at_i then n = n' else i = i'.
Lemma integer_unmentioned k : integer_mentions at_i k = false -> integer_value k n i = integer_value k n' i'.
Proof.
  induction k; cbn [integer_mentions integer_value]; intros H; try (apply orb_false_iff in H as [H1 H2]).
  - reflexivity.
  - now rewrite H in Same; subst.
  - now destruct at_i; [subst|discriminate].
  - now rewrite IHk1, IHk2.
  - now rewrite IHk1, IHk2.
Qed.
Lemma value_unmentioned e : expression_mentions at_i e = false -> expression_value e n i = expression_value e n' i'.
Proof.
  induction e; cbn [expression_mentions expression_value]; intros H; try (apply orb_false_iff in H as [H1 H2]);
    rewrite ?IHe, ?IHe1, ?IHe2 by assumption; try reflexivity.
  - now rewrite H in Same; subst.
  - now destruct at_i; [subst|discriminate].
  - now rewrite integer_unmentioned.
Qed.
End Mentions.

(* ---- logarithms and roots ---- *)
Local Notation score_unit := (IZR (2 ^ score_bits)).
Definition reciprocal_enclosure (I : fixed_interval) : option fixed_interval :=
  let '(a, b) := I in
  let square := Z.shiftl 1 (2 * score_bits) in
  if (0 <? a)%Z then Some (square / b, ceiling_div square a)%Z
  else if (b <? 0)%Z then Some (- ceiling_div square (- b), - (square / - a))%Z else None.

Local Lemma reciprocal_positive a b x : (0 < a)%Z -> in_enclosure (a, b) x ->
  in_enclosure (Z.shiftl 1 (2 * score_bits) / b, ceiling_div (Z.shiftl 1 (2 * score_bits)) a)%Z (/ x).
Proof.
  unfold in_enclosure. cbn [fst snd]. intros A [L H]. pose proof (u_pos score_bits score_bits_nonneg) as U.
  assert (A' : 0 < score_value a) by (apply Rmult_lt_0_compat; [now apply IZR_lt|now apply Rinv_0_lt_compat]).
  assert (B : (0 < b)%Z).
  { apply lt_IZR, Rmult_lt_reg_r with (/ score_unit); [now apply Rinv_0_lt_compat|]. fold (Rdiv (IZR b) score_unit).
    unfold fixed in *. lra. }
  assert (S : IZR (Z.shiftl 1 (2 * score_bits)) = score_unit * score_unit) by (rewrite <- mult_IZR; reflexivity).
  assert (E : forall z, (0 < z)%Z -> IZR (Z.shiftl 1 (2 * score_bits)) / IZR z * / score_unit = / score_value z).
  { intros z Z. rewrite S. apply IZR_lt in Z. unfold fixed. field. lra. }
  pose proof (inverse_nonneg _ U). split.
  - apply Rle_trans with (/ score_value b); [|apply Rinv_le_contravar; lra]. rewrite <- E by exact B.
    apply Rmult_le_compat_r; [assumption|]. now apply floor_div_le.
  - apply Rle_trans with (/ score_value a); [apply Rinv_le_contravar; lra|]. rewrite <- E by exact A.
    apply Rmult_le_compat_r; [assumption|]. now apply ceiling_div_ge.
Qed.
Lemma reciprocal_within I J x : reciprocal_enclosure I = Some J -> in_enclosure I x -> in_enclosure J (/ x) /\ x <> 0.
Proof.
  destruct I as [a b]. cbn [reciprocal_enclosure]. pose proof (u_pos score_bits score_bits_nonneg) as U.
  assert (Sign : forall z, (0 < z)%Z -> 0 < score_value z)
    by (intros z Z; apply Rmult_lt_0_compat; [now apply IZR_lt|now apply Rinv_0_lt_compat]).
  destruct (Z.ltb_spec 0 a) as [A|A]; [|destruct (Z.ltb_spec b 0) as [B|B]; [|discriminate]]; intros H X.
  - take H. split; [now apply reciprocal_positive|]. pose proof (Sign a A). unfold in_enclosure in X.
    cbn [fst snd] in X. lra.
  - take H. assert (X' : in_enclosure (- b, - a)%Z (- x)) by now apply (opposite_within (a, b)).
    pose proof (reciprocal_positive (- b) (- a) (- x) ltac:(lia) X') as P. pose proof (Sign (- b)%Z ltac:(lia)) as S.
    rewrite fixed_opp in S. unfold in_enclosure in X. cbn [fst snd] in X. split; [|lra].
    apply opposite_within in P. replace (- / - x) with (/ x) in P by (field; lra). exact P.
Qed.

(* The guess comes from Newton's method for e^y = x, on multiples of 2^-100; whether it is good is computed. *)
Definition fine_bits : Z := 100.
Definition ln_2_times : Z := 878668439483319573618263538048.
Local Definition newton (x y : Z) : Z :=
  let r := Z.shiftr (decay_above fine_bits y * x) score_bits in
  let one := Z.shiftl 1 fine_bits in
  (y + 2 * Z.shiftl (r - one) fine_bits / (r + one))%Z.
Definition ln_guess (x : Z) : Z := Z.shiftr (Nat.iter 5 (fun y => Z.max 0 (newton x y)) ((Z.log2 x - score_bits)
  * ln_2_times)%Z) (fine_bits - score_bits).
Local Definition fine (y : Z) : Z := Z.shiftl y (fine_bits - score_bits).
Definition square_of_ones : Z := Z.shiftl 1 (fine_bits + score_bits).
(* Of numbers from 1 on. *)
Definition ln_below_1 (x : Z) : option Z :=
  let y := Z.max 0 (ln_guess x - 2) in
  if (square_of_ones <=? decay_below fine_bits (fine y) * x)%Z then Some y else None.
Definition ln_above_1 (x : Z) : option Z :=
  let y := (ln_guess x + 3)%Z in
  if (0 <=? y)%Z then if (decay_above fine_bits (fine y) * x <=? square_of_ones)%Z then Some y else None else None.

Lemma fine_value y : fixed fine_bits (fine y) = score_value y.
Proof.
  unfold fine, fixed. rewrite Z.shiftl_mul_pow2 by discriminate. rewrite mult_IZR.
  replace (2 ^ fine_bits)%Z with (2 ^ (fine_bits - score_bits) * 2 ^ score_bits)%Z by reflexivity. rewrite mult_IZR.
  assert (0 < IZR (2 ^ (fine_bits - score_bits))) by (apply IZR_lt; reflexivity).
  pose proof (u_pos score_bits score_bits_nonneg). field. lra.
Qed.
Lemma fine_bits_nonneg : (0 <= fine_bits)%Z. Proof. discriminate. Qed.
Lemma fine_product d x : IZR (d * x) = IZR square_of_ones * (fixed fine_bits d * score_value x).
Proof.
  assert (S : IZR square_of_ones = IZR (2 ^ fine_bits) * score_unit) by (rewrite <- mult_IZR; reflexivity).
  rewrite S, mult_IZR. unfold fixed. pose proof (u_pos fine_bits fine_bits_nonneg).
  pose proof (u_pos score_bits score_bits_nonneg). field. lra.
Qed.
Lemma square_of_ones_pos : 0 < IZR square_of_ones. Proof. apply IZR_lt. reflexivity. Qed.

Lemma ln_below_1_correct x y : (0 < x)%Z -> ln_below_1 x = Some y -> score_value y <= ln (score_value x).
Proof.
  unfold ln_below_1. cbv zeta. set (y' := Z.max 0 (ln_guess x - 2)). intros X H.
  destruct (Z.leb_spec square_of_ones (decay_below fine_bits (fine y') * x)) as [C|]; [|discriminate]. take H.
  assert (Y : (0 <= fine y')%Z) by (apply Z.shiftl_nonneg, Z.le_max_l). apply IZR_le in C. rewrite fine_product in C.
  pose proof (decay_below_correct fine_bits fine_bits_nonneg (fine y') Y) as D. rewrite fine_value in D.
  pose proof square_of_ones_pos as S. assert (Xp : 0 < score_value x) by (apply Rmult_lt_0_compat;
    [now apply IZR_lt|apply Rinv_0_lt_compat, u_pos, score_bits_nonneg]).
  assert (E : 1 <= exp (- score_value y') * score_value x).
  { apply Rle_trans with (fixed fine_bits (decay_below fine_bits (fine y')) * score_value x); [|apply Rmult_le_compat_r;
      lra].
    apply Rmult_le_reg_l with (IZR square_of_ones); lra. }
  rewrite <- (ln_exp (score_value y')). apply ln_monotone; [apply exp_pos|].
  apply Rmult_le_reg_l with (exp (- score_value y')); [apply exp_pos|]. rewrite <- exp_plus, Rplus_opp_l, exp_0.
  exact E.
Qed.
Lemma ln_above_1_correct x y : (0 < x)%Z -> ln_above_1 x = Some y -> ln (score_value x) <= score_value y.
Proof.
  unfold ln_above_1. cbv zeta. set (y' := (ln_guess x + 3)%Z). intros X H. destruct (Z.leb_spec 0 y') as [Y0|];
    [|discriminate].
  destruct (Z.leb_spec (decay_above fine_bits (fine y') * x) square_of_ones) as [C|]; [|discriminate]. take H.
  assert (Y : (0 <= fine y')%Z) by now apply Z.shiftl_nonneg. apply IZR_le in C. rewrite fine_product in C.
  pose proof (decay_above_correct fine_bits fine_bits_nonneg (fine y') Y) as D. rewrite fine_value in D.
  pose proof square_of_ones_pos as S. assert (Xp : 0 < score_value x) by (apply Rmult_lt_0_compat;
    [now apply IZR_lt|apply Rinv_0_lt_compat, u_pos, score_bits_nonneg]).
  apply exponential.ln_below; [exact Xp|]. assert (E : exp (- score_value y') * score_value x <= 1).
  { apply Rle_trans with (fixed fine_bits (decay_above fine_bits (fine y')) * score_value x); [apply Rmult_le_compat_r;
      lra|].
    apply Rmult_le_reg_l with (IZR square_of_ones); lra. }
  apply Rmult_le_reg_l with (exp (- score_value y')); [apply exp_pos|]. rewrite <- exp_plus, Rplus_opp_l, exp_0.
  exact E.
Qed.
#[global] Opaque ln_below_1 ln_above_1.

Definition function_enclosure (g : real_function) (I : fixed_interval) : option fixed_interval :=
  let '(a, b) := I in
  match g with
  | Sqrt => if (0 <=? a)%Z then Some (Z.sqrt (Z.shiftl a score_bits), Z.sqrt (Z.shiftl b score_bits) + 1)%Z else None
  | Ln => if (0 <? a)%Z then option_bind (ln_below_1 a) (fun y => option_bind (ln_above_1 b) (fun z => Some (y,
    z))) else None
  | _ => None
  end.

Lemma function_enclosure_correct g I J x : function_enclosure g I = Some J -> in_enclosure I x ->
  in_enclosure J (function_value g x) /\ in_domain g x.
Proof.
  destruct I as [a b]. unfold in_enclosure. cbn [function_enclosure fst snd]. intros H [L U].
  pose proof (u_pos score_bits score_bits_nonneg) as Sp. destruct g; try discriminate; cbn [function_value in_domain].
  - destruct (Z.ltb_spec 0 a) as [A|]; [|discriminate]. unfold option_bind in H.
    destruct (ln_below_1 a) as [y|] eqn:Ya; [|discriminate]. destruct (ln_above_1 b) as [z|] eqn:Zb; [|discriminate].
    take H. cbn [fst snd].
    assert (Ap : 0 < score_value a) by (apply Rmult_lt_0_compat; [now apply IZR_lt|now apply Rinv_0_lt_compat]).
    assert (B : (0 < b)%Z).
    { apply lt_IZR, Rmult_lt_reg_r with (/ score_unit); [now apply Rinv_0_lt_compat|]. unfold fixed, Rdiv in *. lra. }
    apply ln_below_1_correct in Ya; [|exact A]. apply ln_above_1_correct in Zb; [|exact B].
    pose proof (ln_monotone _ _ Ap L). pose proof (ln_monotone x _ ltac:(lra) U). lra.
  - destruct (Z.leb_spec 0 a) as [A|]; [|discriminate]. take H. cbn [fst snd].
    assert (Ap : 0 <= score_value a) by (apply fixed_nonneg; [apply score_bits_nonneg|exact A]).
    assert (B : (0 <= b)%Z) by (apply (fixed_le_iff score_bits score_bits_nonneg); rewrite fixed_0; lra).
    assert (S : forall z, (0 <= z)%Z -> score_value (Z.sqrt (Z.shiftl z score_bits)) <= sqrt (score_value z) <=
      score_value (Z.sqrt (Z.shiftl z score_bits) + 1)).
    { intros z Z0. set (m := Z.shiftl z score_bits). assert (M : (0 <= m)%Z) by now apply Z.shiftl_nonneg.
      assert (E : score_value z = IZR m / (score_unit * score_unit)).
      { unfold m, fixed. rewrite Z.shiftl_mul_pow2, mult_IZR by apply score_bits_nonneg. field. lra. }
      pose proof (Z.sqrt_spec m M) as [S1 S2]. pose proof (Z.sqrt_nonneg m) as S0. set (r := Z.sqrt m) in *.
      apply IZR_le in S0, S1. apply IZR_lt in S2. rewrite mult_IZR in S1, S2. unfold Z.succ in S2.
      rewrite plus_IZR in S2.
      assert (Q : forall y, 0 <= y -> sqrt (y * y / (score_unit * score_unit)) = y / score_unit).
      { intros y Y. replace (y * y / (score_unit * score_unit)) with (y / score_unit * (y / score_unit)) by (field;
          lra).
        apply sqrt_square. now apply quotient_nonneg. }
      rewrite E. unfold fixed. rewrite plus_IZR, <- !Q by lra.
      assert (I0 : 0 <= / (score_unit * score_unit)) by (apply inverse_nonneg, Rmult_lt_0_compat; lra).
      split; apply sqrt_le_1_alt; apply Rmult_le_compat_r; lra. }
    pose proof (proj1 (S a A)). pose proof (proj2 (S b B)). pose proof (sqrt_le_1_alt _ _ L).
    pose proof (sqrt_le_1_alt _ _ U). lra.
Qed.

Local Fixpoint repeated (I : fixed_interval) (k : nat) : fixed_interval :=
  match k with O => rational_enclosure 1 | S k => product_enclosure I (repeated I k) end.
Definition power_enclosure (I : fixed_interval) (z : Z) : option fixed_interval :=
  if (Z.abs z <=? 64)%Z then
    if (0 <=? z)%Z then Some (repeated I (Z.to_nat z)) else option_bind (reciprocal_enclosure I) (fun J =>
      Some (repeated J (Z.to_nat (- z))))
  else None.
Lemma repeated_within I x k : in_enclosure I x -> in_enclosure (repeated I k) (x ^ k).
Proof.
  intros H. induction k as [|k IH]; cbn [repeated pow]; [|now apply product_within].
  rewrite <- Q2R_1. apply around_within.
Qed.
Lemma power_enclosure_correct I J x z : power_enclosure I z = Some J -> in_enclosure I x ->
  in_enclosure J (powerRZ x z) /\ ((z < 0)%Z -> x <> 0).
Proof.
  unfold power_enclosure. destruct (Z.abs z <=? 64)%Z; [|discriminate].
  destruct (Z.leb_spec 0 z) as [Z0|Z0]; intros H X.
  - take H. split; [|lia]. rewrite <- (Z2Nat.id z Z0) at 2. rewrite <- pow_powerRZ. now apply repeated_within.
  - unfold option_bind in H. destruct (reciprocal_enclosure I) as [K|] eqn:R; [|discriminate]. take H.
    destruct (reciprocal_within I K x R X) as [Y N]. split; [|auto].
    replace (powerRZ x z) with ((/ x) ^ Z.to_nat (- z)); [now apply repeated_within|]. destruct z as [|p|p]; try lia.
    cbn [powerRZ Z.opp Z.to_nat]. generalize (Pos.to_nat p). intros k.
    induction k as [|k IH]; cbn [pow]; [now rewrite Rinv_1|now rewrite IH, Rinv_mult].
Qed.

Fixpoint expression_enclosure (e : expression) (n i : nat) : option fixed_interval :=
  match exact_value e n i with
  | Some q => Some (rational_enclosure q)
  | None =>
      match e with
      | Add x y => option_bind (expression_enclosure x n i) (fun I => option_bind (expression_enclosure y n i) (fun J =>
        Some (plus_enclosure I J)))
      | Sub x y => option_bind (expression_enclosure x n i) (fun I => option_bind (expression_enclosure y n i) (fun J =>
        Some (plus_enclosure I (opposite J))))
      | Mul x y => option_bind (expression_enclosure x n i) (fun I => option_bind (expression_enclosure y n i) (fun J =>
        Some (product_enclosure I J)))
      | Div x y => option_bind (expression_enclosure x n i) (fun I => option_bind (expression_enclosure y n i) (fun J =>
                     option_bind (reciprocal_enclosure J) (fun J => Some (product_enclosure I J))))
      | Neg x => option_bind (expression_enclosure x n i) (fun I => Some (opposite I))
      | Power x k => option_bind (expression_enclosure x n i) (fun I => power_enclosure I (integer_value k n i))
      | Apply g x => option_bind (expression_enclosure x n i) (function_enclosure g)
      | _ => None
      end
  end.

Theorem enclosure_correct e n i : forall I, expression_enclosure e n i = Some I ->
  in_enclosure I (expression_value e n i) /\ has_value e n i.
Proof.
  induction e as [p| | |x IHx y IHy|x IHx y IHy|x IHx y IHy|x IHx y IHy|x IHx|x IHx k|g x IHx]; intros I H;
    cbn [expression_enclosure] in H; match type of H with match exact_value ?e n i with _ => _ end = _ => let E :=
    fresh "E" in destruct (exact_value e n i) as [q|] eqn:E; [take H; destruct (exact_correct _ _ _ _ E) as [-> V];
    split; [apply around_within|exact V]|] end; try discriminate; clear E; unfold option_bind in H;
    cbn [expression_value has_value]; destruct (expression_enclosure x n i) as [J|]; try discriminate;
    destruct (IHx J eq_refl) as [X Vx]. 5: take H; split; [now apply opposite_within|exact Vx].
  5: destruct (power_enclosure_correct _ _ _ _ H X); split; [assumption|split; assumption].
  5: destruct (function_enclosure_correct _ _ _ _ H X); split; [assumption|split; assumption].
  all: destruct (expression_enclosure y n i) as [K|]; [|discriminate]; destruct (IHy K eq_refl) as [Y Vy].
  4: destruct (reciprocal_enclosure K) as [K'|] eqn:R; [|discriminate]; take H; destruct (reciprocal_within K K' _ R Y)
    as [Y' N]; split; [now apply product_within|split; [exact Vx|now split]].
  - take H. split; [now apply plus_within|now split].
  - take H. split; [now apply plus_within, opposite_within|now split].
  - take H. split; [now apply product_within|now split].
Qed.

Definition is_defined_at (e : expression) (n i : nat) : bool :=
  match exact_value e n i with
  | Some _ => true
  | None => match expression_enclosure e n i with Some _ => true | None => false end
  end.
Definition is_positive_at (e : expression) (n i : nat) : bool :=
  match exact_value e n i with
  | Some q => is_above_zero q
  | None => match expression_enclosure e n i with Some (a, _) => (0 <? a)%Z | None => false end
  end.
Lemma is_defined_at_correct e n i : is_defined_at e n i = true -> has_value e n i.
Proof.
  unfold is_defined_at. pose proof (exact_correct e n i) as E. pose proof (enclosure_correct e n i) as F.
  destruct (exact_value e n i) as [q|]; [intros _; apply (E q eq_refl)|].
  destruct (expression_enclosure e n i) as [I|]; [intros _; apply (F I eq_refl)|discriminate].
Qed.
Lemma is_positive_at_correct e n i : is_positive_at e n i = true -> has_value e n i /\ 0 < expression_value e n i.
Proof.
  unfold is_positive_at. pose proof (exact_correct e n i) as E. pose proof (enclosure_correct e n i) as F.
  destruct (exact_value e n i) as [q|]; [intros H; destruct (E q eq_refl) as [-> V]; now split; [|apply above_zero_R]|].
  destruct (expression_enclosure e n i) as [[a b]|]; [|discriminate]. intros H. apply Z.ltb_lt in H.
  destruct (F _ eq_refl) as [[L _] V]. split; [exact V|]. cbn [fst] in L.
  apply Rlt_le_trans with (score_value a); [|exact L].
  apply Rmult_lt_0_compat; [now apply IZR_lt|apply Rinv_0_lt_compat, u_pos, score_bits_nonneg].
Qed.

(* ---- whether all expressions of a network have values, at the lengths up to a bound ---- *)
Definition well_defined_by_rows (L : lengths) (T : transformer) : bool :=
  match greatest_length L with
  | None => false
  | Some N =>
      let least := Nat.max 1 (least_length L) in
      all_of (fun n => all_of (fun i =>
        if forallb (fun e => match snd e with Formula x => is_defined_at x n i | Bracket _ _ => true end)
                   (position_embedding T)
        then forallb (fun l => forallb (fun a => is_positive_at (head_temperature a) n i) (layer_heads l))
                     (transformer_layers T)
        else false) (seq 1 n)) (seq least (S N - least))
  end.

Theorem well_defined_by_rows_correct L T : well_defined_by_rows L T = true -> defined_for L T.
Proof.
  unfold well_defined_by_rows. intros H n i (H1 & Hl & Hg). destruct (greatest_length L) as [N|]; [|discriminate].
  cbv zeta in H. pose proof (all_of_forall _ _ H n ltac:(apply in_seq; lia)) as H'. cbv beta in H'.
  pose proof (all_of_forall _ _ H' (i : nat) ltac:(apply in_seq; lia)) as C. cbv beta in C. apply if_and in C as [E P].
  rewrite forallb_forall in E, P. split.
  - intros d x I. exact (is_defined_at_correct x n i (E _ I)).
  - intros l a Hl' Ha. specialize (P l Hl'). rewrite forallb_forall in P. exact (is_positive_at_correct _ n i (P a Ha)).
Qed.

Definition defined_there (L : lengths) (T : transformer) : bool :=
  if well_defined_from (least_length L) T then true else well_defined_by_rows L T.
Theorem defined_there_correct L T : defined_there L T = true -> defined_for L T.
Proof. intros H. apply if_or in H as [H|H]; [now apply well_defined_for|now apply well_defined_by_rows_correct]. Qed.
Lemma defined_there_always T : defined_there every_length T = true -> well_defined T = true.
Proof. intros H. apply if_or in H as [H|H]; [exact H|discriminate]. Qed.
