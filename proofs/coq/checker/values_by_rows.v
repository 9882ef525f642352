(* What an expression is worth at one position of one length: exactly, as a rational number, or between two multiples of
   2^-100 where there are logarithms and roots.

   Proved: both, for `exact` and `enclosure`; and that expressions which do not mention i (or n) have the same value at
   all positions (at all lengths). *)
From Coq Require Import Reals QArith Qreals Qpower Qround ZArith List Bool Lra Lia.
From Certify Require Import finite_sums exp_enclosure formula network linear_combination gap_rule.
Open Scope R_scope.

Definition bind {X Y} (x : option X) (f : X -> option Y) : option Y := match x with Some x => f x | None => None end.
(* `injection` would compute what is inside. *)
Lemma some_inj {X} (x y : X) : Some x = Some y -> x = y.
Proof. now intros [=]. Qed.
Ltac take H := apply some_inj in H; match type of H with ?a = ?b => first [subst b | subst a | rewrite <- H in *; clear H] end.

(* ---- exactly ---- *)
Definition power (q : Q) (z : Z) : option Q :=
  match z with
  | Z0 => Some 1%Q
  | Zpos k => Some (Qpower_positive q k)
  | Zneg k => if is_zero q then None else Some (/ Qpower_positive q k)%Q
  end.
Fixpoint exact (e : expression) (n i : nat) : option Q :=
  match e with
  | Num q => Some q
  | VarI => Some (inject_Z (Z.of_nat i)) | VarN => Some (inject_Z (Z.of_nat n))
  | Add x y => bind (exact x n i) (fun p => bind (exact y n i) (fun q => Some (p + q)%Q))
  | Sub x y => bind (exact x n i) (fun p => bind (exact y n i) (fun q => Some (p - q)%Q))
  | Mul x y => bind (exact x n i) (fun p => bind (exact y n i) (fun q => Some (p * q)%Q))
  | Div x y => bind (exact x n i) (fun p => bind (exact y n i) (fun q => if is_zero q then None else Some (p / q)%Q))
  | Neg x => bind (exact x n i) (fun p => Some (- p)%Q)
  | Power x k => bind (exact x n i) (fun p => power p (integer_value k n i))
  | Apply _ _ => None
  end.

Lemma is_zero_R q : is_zero q = false -> Q2R q <> 0.
Proof.
  intros H E. rewrite <- Q2R_0 in E. apply eqR_Qeq, Qeq_bool_iff in E. unfold is_zero in H. congruence.
Qed.
Lemma is_zero_Q q : is_zero q = false -> ~ (q == 0)%Q.
Proof. intros H E. apply Qeq_bool_iff in E. unfold is_zero in H. congruence. Qed.
Lemma positive_power_value q k : Q2R (Qpower_positive q k) = Q2R q ^ Pos.to_nat k.
Proof.
  induction k as [|k IH] using Pos.peano_ind; [simpl; ring|].
  rewrite Pos2Nat.inj_succ. cbn [pow]. rewrite <- IH, <- Q2R_mult. apply Qeq_eqR.
  rewrite <- Pos.add_1_l. now rewrite Qpower_plus_positive.
Qed.
Lemma power_value q z p : power q z = Some p -> powerRZ (Q2R q) z = Q2R p /\ ((z < 0)%Z -> Q2R q <> 0).
Proof.
  destruct z as [|k|k]; cbn [power]; intros H.
  - take H. rewrite Q2R_1. split; [reflexivity|lia].
  - take H. rewrite positive_power_value. split; [reflexivity|lia].
  - destruct (is_zero q) eqn:Z; [discriminate|]. take H. split; [|intros _; now apply is_zero_R]. cbn [powerRZ].
    rewrite Q2R_inv, positive_power_value; [reflexivity|]. intros E. apply Qeq_eqR in E.
    rewrite positive_power_value, Q2R_0 in E. now apply (pow_nonzero (Q2R q) (Pos.to_nat k)); [apply is_zero_R|].
Qed.

Theorem exact_correct e n i : forall q, exact e n i = Some q -> expression_value e n i = Q2R q.
Proof.
  induction e as [p| | |x IHx y IHy|x IHx y IHy|x IHx y IHy|x IHx y IHy|x IHx|x IHx k|g x IHx]; intros q H;
    cbn [exact expression_value] in *; unfold bind in H; try discriminate.
  1: now take H. 1,2: take H; now rewrite Q2R_of_nat.
  all: destruct (exact x n i) as [a|]; [|discriminate]; rewrite (IHx a eq_refl).
  5: take H; now rewrite Q2R_opp.
  5: now apply power_value.
  all: destruct (exact y n i) as [b|]; [|discriminate]; rewrite (IHy b eq_refl).
  4: destruct (is_zero b) eqn:Z; [discriminate|]; take H; rewrite Q2R_div by (now apply is_zero_Q); reflexivity.
  all: take H; now rewrite ?Q2R_plus, ?Q2R_minus, ?Q2R_mult.
Qed.

(* ---- between two multiples of 2^-100 ---- *)
Notation interval := (Z * Z)%type.
Definition within (I : interval) (x : R) : Prop := score (fst I) <= x <= score (snd I).

Definition around (q : Q) : interval := let z := (Z.shiftl (Qnum q) score_bits / Zpos (Qden q))%Z in (z, z + 1)%Z.
Definition plus (I J : interval) : interval := (fst I + fst J, snd I + snd J)%Z.
Definition opposite (I : interval) : interval := (- snd I, - fst I)%Z.
Definition least_of_4 (a b c d : Z) : Z := Z.min (Z.min a b) (Z.min c d).
Definition most_of_4 (a b c d : Z) : Z := Z.max (Z.max a b) (Z.max c d).
Definition product (I J : interval) : interval :=
  let '(a, b) := I in let '(c, d) := J in
  if (0 <=? a)%Z then
    if (0 <=? c)%Z then (product_down score_bits a c, product_up score_bits b d)
    else (product_down score_bits b c, product_up score_bits (if (0 <=? d)%Z then b else a) d)
  else
    let ac := (a * c)%Z in let ad := (a * d)%Z in let bc := (b * c)%Z in let bd := (b * d)%Z in
    (Z.shiftr (least_of_4 ac ad bc bd) score_bits, rounded_up (most_of_4 ac ad bc bd) score_bits).

Lemma around_within q : within (around q) (Q2R q).
Proof.
  unfold within, around. cbv zeta. cbn [fst snd]. rewrite Z.shiftl_mul_pow2 by easy. rewrite fixed_plus.
  set (P := (2 ^ score_bits)%Z). assert (Pp : (0 < P)%Z) by reflexivity. set (a := (Qnum q * P)%Z). set (d := Zpos (Qden q)).
  assert (Dp : 0 < IZR d) by (apply IZR_lt; reflexivity). assert (Pr : 0 < IZR P) by now apply IZR_lt.
  assert (V : Q2R q = IZR a / IZR d * / IZR P) by (unfold Q2R, a; rewrite mult_IZR; fold d; field; lra).
  pose proof (floor_div_le a d ltac:(reflexivity)) as F. pose proof (Z.mul_succ_div_gt a d ltac:(reflexivity)) as G.
  assert (C : IZR a / IZR d <= IZR (a / d) + 1).
  { rewrite <- plus_IZR. apply Rmult_le_reg_r with (IZR d); [exact Dp|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    rewrite Rmult_1_r, <- mult_IZR. apply IZR_le. lia. }
  pose proof (Rinv_0_lt_compat _ Pr) as I. rewrite V.
  assert (E : forall z, score z = IZR z * / IZR P) by reflexivity. rewrite !E, <- Rmult_plus_distr_r.
  split; apply Rmult_le_compat_r; lra.
Qed.
Lemma plus_within I J x y : within I x -> within J y -> within (plus I J) (x + y).
Proof. unfold within, plus. cbn [fst snd]. rewrite !fixed_plus. lra. Qed.
Lemma opposite_within I x : within I x -> within (opposite I) (- x).
Proof. unfold within, opposite. cbn [fst snd]. rewrite !fixed_opp. lra. Qed.

(* A product lies between two of those at the ends. *)
Lemma product_range a b c d x y : a <= x <= b -> c <= y <= d ->
  (a * c <= x * y \/ a * d <= x * y \/ b * c <= x * y \/ b * d <= x * y) /\
  (x * y <= a * c \/ x * y <= a * d \/ x * y <= b * c \/ x * y <= b * d).
Proof.
  intros X Y. assert (S : forall z, (0 <= z -> z * c <= z * y <= z * d) /\ (z <= 0 -> z * d <= z * y <= z * c)).
  { intros z. split; intros Z; split; first [apply Rmult_le_compat_l; lra|apply Rmult_le_compat_neg_l; lra]. }
  assert (T : (0 <= y -> a * y <= x * y <= b * y) /\ (y <= 0 -> b * y <= x * y <= a * y)).
  { split; intros Z; rewrite !(Rmult_comm _ y); split; first [apply Rmult_le_compat_l; lra|apply Rmult_le_compat_neg_l; lra]. }
  destruct (S a), (S b), T. destruct (Rle_lt_dec 0 y), (Rle_lt_dec 0 a), (Rle_lt_dec 0 b); lra.
Qed.

Lemma product_within I J x y : within I x -> within J y -> within (product I J) (x * y).
Proof.
  destruct I as [a b], J as [c d]. intros X Y. unfold within in X, Y. cbn [fst snd] in X, Y. unfold product.
  pose proof (product_down_le score_bits score_bits_nonneg) as Dn.
  pose proof (product_up_ge score_bits score_bits_nonneg) as Up.
  assert (Neg : forall z, (z <= 0)%Z -> score z <= 0).
  { intros z Z. rewrite <- (fixed_0 score_bits). now apply fixed_le; [apply score_bits_nonneg|]. }
  destruct (Z.leb_spec 0 a) as [A|A]; [destruct (Z.leb_spec 0 c) as [C|C]|].
  - apply (fixed_nonneg score_bits score_bits_nonneg) in A, C. split; cbn [fst snd].
    + eapply Rle_trans; [apply Dn|]. apply Rmult_le_compat; lra.
    + eapply Rle_trans; [|apply Up]. apply Rmult_le_compat; lra.
  - apply (fixed_nonneg score_bits score_bits_nonneg) in A. pose proof (Neg c ltac:(lia)). split; cbn [fst snd].
    + eapply Rle_trans; [apply Dn|]. apply Rle_trans with (x * score c); [|apply Rmult_le_compat_l; lra].
      rewrite !(Rmult_comm _ (score c)). apply Rmult_le_compat_neg_l; lra.
    + eapply Rle_trans; [|apply Up]. apply Rle_trans with (x * score d); [apply Rmult_le_compat_l; lra|].
      destruct (Z.leb_spec 0 d) as [D|D].
      * apply (fixed_nonneg score_bits score_bits_nonneg) in D. apply Rmult_le_compat_r; lra.
      * pose proof (Neg d ltac:(lia)). rewrite !(Rmult_comm _ (score d)). apply Rmult_le_compat_neg_l; lra.
  - cbv zeta. unfold within. cbn [fst snd]. pose proof (u_pos score_bits score_bits_nonneg) as U.
    pose proof (product_range _ _ _ _ _ _ X Y) as [L H].
    assert (I0 : 0 <= / IZR (2 ^ score_bits)) by now apply inverse_nonneg.
    assert (Lo : forall z, score a * score c <= z \/ score a * score d <= z \/ score b * score c <= z \/
      score b * score d <= z -> score (Z.shiftr (least_of_4 (a * c) (a * d) (b * c) (b * d)) score_bits) <= z).
    { intros z. set (m := least_of_4 _ _ _ _). assert (M : (m <= a * c /\ m <= a * d /\ m <= b * c /\ m <= b * d)%Z)
        by (unfold m, least_of_4; lia).
      assert (P : forall p q, (m <= p * q)%Z -> score (Z.shiftr m score_bits) <= score p * score q).
      { intros p q N. rewrite <- (product_over score_bits score_bits_nonneg).
        apply Rmult_le_compat_r; [exact I0|]. eapply Rle_trans; [apply shiftr_down, score_bits_nonneg|].
        apply Rmult_le_compat_r; [exact I0|now apply IZR_le]. }
      intros [Z|[Z|[Z|Z]]]; (eapply Rle_trans; [apply P|exact Z]); apply M. }
    assert (Hi : forall z, z <= score a * score c \/ z <= score a * score d \/ z <= score b * score c \/
      z <= score b * score d -> z <= score (rounded_up (most_of_4 (a * c) (a * d) (b * c) (b * d)) score_bits)).
    { intros z. set (m := most_of_4 _ _ _ _). assert (M : (a * c <= m /\ a * d <= m /\ b * c <= m /\ b * d <= m)%Z)
        by (unfold m, most_of_4; lia).
      assert (P : forall p q, (p * q <= m)%Z -> score p * score q <= score (rounded_up m score_bits)).
      { intros p q N. rewrite <- (product_over score_bits score_bits_nonneg).
        apply Rmult_le_compat_r; [exact I0|]. eapply Rle_trans; [|apply rounded_up_ge, score_bits_nonneg].
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
Fixpoint mentions (at_i : bool) (e : expression) : bool :=
  match e with
  | Num _ => false | VarI => at_i | VarN => negb at_i
  | Add x y | Sub x y | Mul x y | Div x y => mentions at_i x || mentions at_i y
  | Neg x | Apply _ x => mentions at_i x
  | Power x k => mentions at_i x || integer_mentions at_i k
  end.
Definition mentions_i : expression -> bool := mentions true.
Definition mentions_n : expression -> bool := mentions false.

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
Lemma unmentioned e : mentions at_i e = false -> expression_value e n i = expression_value e n' i'.
Proof.
  induction e; cbn [mentions expression_value]; intros H; try (apply orb_false_iff in H as [H1 H2]);
    rewrite ?IHe, ?IHe1, ?IHe2 by assumption; try reflexivity.
  - now rewrite H in Same; subst.
  - now destruct at_i; [subst|discriminate].
  - now rewrite integer_unmentioned.
Qed.
End Mentions.

(* ---- logarithms and roots ---- *)
Notation scale := (IZR (2 ^ score_bits)).
Definition enclosure (e : expression) (n i : nat) : option interval := option_map around (exact e n i).

Theorem enclosure_correct e n i I : enclosure e n i = Some I -> within I (expression_value e n i).
Proof.
  unfold enclosure. pose proof (exact_correct e n i) as E. destruct (exact e n i) as [q|]; [|discriminate].
  cbn [option_map]. intros H. take H. rewrite (E q eq_refl). apply around_within.
Qed.

Definition reciprocal (I : interval) : option interval :=
  let '(a, b) := I in
  let square := Z.shiftl 1 (2 * score_bits) in
  if (0 <? a)%Z then Some (square / b, ceiling_div square a)%Z
  else if (b <? 0)%Z then Some (- ceiling_div square (- b), - (square / - a))%Z else None.

Lemma reciprocal_positive a b x : (0 < a)%Z -> within (a, b) x ->
  within (Z.shiftl 1 (2 * score_bits) / b, ceiling_div (Z.shiftl 1 (2 * score_bits)) a)%Z (/ x).
Proof.
  unfold within. cbn [fst snd]. intros A [L H]. pose proof (u_pos score_bits score_bits_nonneg) as U.
  assert (A' : 0 < score a) by (apply Rmult_lt_0_compat; [now apply IZR_lt|now apply Rinv_0_lt_compat]).
  assert (B : (0 < b)%Z).
  { apply lt_IZR, Rmult_lt_reg_r with (/ scale); [now apply Rinv_0_lt_compat|]. fold (Rdiv (IZR b) scale). unfold fixed in *.
    lra. }
  assert (S : IZR (Z.shiftl 1 (2 * score_bits)) = scale * scale) by (rewrite <- mult_IZR; reflexivity).
  assert (E : forall z, (0 < z)%Z -> IZR (Z.shiftl 1 (2 * score_bits)) / IZR z * / scale = / score z).
  { intros z Z. rewrite S. apply IZR_lt in Z. unfold fixed. field. lra. }
  pose proof (inverse_nonneg _ U). split.
  - apply Rle_trans with (/ score b); [|apply Rinv_le_contravar; lra]. rewrite <- E by exact B.
    apply Rmult_le_compat_r; [assumption|]. now apply floor_div_le.
  - apply Rle_trans with (/ score a); [apply Rinv_le_contravar; lra|]. rewrite <- E by exact A.
    apply Rmult_le_compat_r; [assumption|]. now apply ceiling_div_ge.
Qed.
Lemma reciprocal_within I J x : reciprocal I = Some J -> within I x -> within J (/ x) /\ x <> 0.
Proof.
  destruct I as [a b]. cbn [reciprocal]. pose proof (u_pos score_bits score_bits_nonneg) as U.
  assert (Sign : forall z, (0 < z)%Z -> 0 < score z)
    by (intros z Z; apply Rmult_lt_0_compat; [now apply IZR_lt|now apply Rinv_0_lt_compat]).
  destruct (Z.ltb_spec 0 a) as [A|A]; [|destruct (Z.ltb_spec b 0) as [B|B]; [|discriminate]]; intros H X.
  - take H. split; [now apply reciprocal_positive|]. pose proof (Sign a A). unfold within in X. cbn [fst snd] in X. lra.
  - take H. assert (X' : within (- b, - a)%Z (- x)) by now apply (opposite_within (a, b)).
    pose proof (reciprocal_positive (- b) (- a) (- x) ltac:(lia) X') as P. pose proof (Sign (- b)%Z ltac:(lia)) as S.
    rewrite fixed_opp in S. unfold within in X. cbn [fst snd] in X. split; [|lra].
    apply opposite_within in P. replace (- / - x) with (/ x) in P by (field; lra). exact P.
Qed.
