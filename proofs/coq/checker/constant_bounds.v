(* Constants with logarithms and roots, as ln 12 - 2 ln 2 or 3 sqrt(2)/2 + ln 3: exact logarithms and rational bounds.

   `around_of x` takes a sum of rational multiples of logarithms, roots and rationals apart: x is (ln k)/d and a rest
   between two rationals, which is 0 of logarithms (unless a factor is such as 1.26186). A root sqrt(q) is between p/2^b
   and (p + 1)/2^b where p^2 is the greatest square up to 4^b q. Proved: `constant_power x` gives d and a number that is
   at most exp(d x), and equal to it where the rest is 0; if `constant_above_zero x` returns true, x is positive. *)
From Coq Require Import Reals QArith Qreals Qround Qpower ZArith List Bool Lra Lia.
From Certify Require Import options positions finite_sums exponential exp_enclosure formula network linear_combination
  monomial.
Open Scope R_scope.

Definition rational_constant (x : expression) : option Q :=
  match monomial_of x with Some (Monomial q 0 0 0 false) => Some q | _ => None end.
Definition is_positive (q : Q) : bool := (0 <? Qnum q)%Z.

Definition constant_bits : Z := 384.
Definition scaled_down (q : Q) (b : Z) : Z := (Qnum q * 2 ^ b / Zpos (Qden q))%Z.
Definition of_bits (z : Z) : Q := z # Z.to_pos (2 ^ constant_bits).

(* exp q from below: from the enclosure, or 1 + q, which is closer for very small q. *)
Definition exp_from (q : Q) : Q :=
  let z := scaled_down q constant_bits in
  if (0 <=? z)%Z then
    let e := (/ of_bits (decay_above constant_bits z))%Q in if Qle_bool e (1 + q) then (1 + q)%Q else e
  else of_bits (decay_below constant_bits (- z)).
Local Definition root (q : Q) : Z := Z.sqrt (scaled_down q (2 * constant_bits)).

(* ---- sums of multiples ---- *)
Record enclosed_constant := EnclosedConstant { constant_argument : Q; constant_divisor : Z; rest_from : Q;
  rest_to : Q }.
Definition is_around (a : enclosed_constant) (x : R) : Prop := 0 < Q2R (constant_argument a) /\ (0 < constant_divisor
  a)%Z /\ Q2R (rest_from a) <= x - ln (Q2R (constant_argument a)) / IZR (constant_divisor a) <= Q2R (rest_to a).

Definition most_power : Z := 64.
Definition whole_power (k : Q) (p : Z) : Q :=
  match p with Z0 => 1 | Zpos p => Qred (k ^ Zpos p) | Zneg p => Qred ((/ k) ^ Zpos p) end%Q.
(* Without logarithms any factor may be large, else numerator and denominator are limited. *)
Definition exact_multiple (s : Q) (a : enclosed_constant) : option enclosed_constant :=
  let '(lo, hi) := if Qle_bool 0 s then (rest_from a, rest_to a) else (rest_to a, rest_from a) in
  if Qeq_bool (constant_argument a) 1 then Some (EnclosedConstant 1 1 (s * lo) (s * hi))
  else if (Z.abs (Qnum s) <=? most_power)%Z && (Zpos (Qden s) * constant_divisor a <=? most_power)%Z
  then Some (EnclosedConstant (whole_power (constant_argument a) (Qnum s)) (constant_divisor a * Zpos (Qden s)) (s * lo)
    (s * hi)) else None.
Definition exact_total (a b : enclosed_constant) : option enclosed_constant :=
  if (constant_divisor a * constant_divisor b <=? most_power)%Z
  then Some (EnclosedConstant (Qred (whole_power (constant_argument a) (constant_divisor b) * whole_power
                    (constant_argument b) (constant_divisor a))) (constant_divisor a * constant_divisor b) (rest_from a
                      + rest_from b) (rest_to a + rest_to b))
  else None.


(* The logarithm of k between two numbers: the guess is Newton's, whether it is good is computed. *)
Local Definition newton (k : Q) (y : Z) : Z :=
  let one := (2 ^ constant_bits)%Z in let r := scaled_down (k * exp_from (of_bits (- y))) constant_bits in
  (y + 2 * Z.shiftl (r - one) constant_bits / (r + one))%Z.
Definition ln_around (k : Q) : option (Q * Q) :=
  let near := (inject_Z (Z.log2 (Qnum k) - Z.log2 (Zpos (Qden k))) * (6931 # 10000))%Q in
  let y := of_bits (Nat.iter 5 (newton k) (scaled_down near constant_bits)) in
  let '(lo, hi) := (Qred (y - of_bits (2 ^ 64)), Qred (y + of_bits (2 ^ 64))) in
  if Qle_bool (/ k) (exp_from (- lo)) && Qle_bool k (exp_from hi) then Some (lo, hi) else None.
(* All of it as a rest, where numerators or denominators are above the limit. *)
Definition as_rest (a : enclosed_constant) : option enclosed_constant := option_bind (ln_around (constant_argument a))
  (fun '(lo, hi) => Some (EnclosedConstant 1 1 (rest_from a + lo / inject_Z (constant_divisor a)) (rest_to a
  + hi / inject_Z (constant_divisor a)))).
Local Definition multiple (s : Q) (a : enclosed_constant) : option enclosed_constant :=
  match exact_multiple s a with Some b => Some b | None => option_bind (as_rest a) (exact_multiple s) end.
Local Definition total (a b : enclosed_constant) : option enclosed_constant :=
  match exact_total a b with
  | Some c => Some c
  | None => option_bind (as_rest a) (fun a => option_bind (as_rest b) (exact_total a))
  end.

Fixpoint around_of (x : expression) : option enclosed_constant :=
  match rational_constant x with
  | Some q => Some (EnclosedConstant 1 1 q q)
  | None =>
      match x with
      | Apply Ln y => option_bind (rational_constant y) (fun k => if is_positive k then Some (EnclosedConstant k 1 0
        0) else
        None)
      | Apply Sqrt y => option_bind (rational_constant y) (fun q =>
          if (0 <=? Qnum q)%Z then Some (EnclosedConstant 1 1 (of_bits (root q)) (of_bits (root q + 1))) else None)
      | Add y z => option_bind (around_of y) (fun a => option_bind (around_of z) (total a))
      | Sub y z => option_bind (around_of y) (fun a => option_bind (around_of z) (fun b => option_bind (multiple
        (-1) b) (total a)))
      | Neg y => option_bind (around_of y) (multiple (-1))
      | Mul y z => match rational_constant y with
                   | Some q => option_bind (around_of z) (multiple q)
                   | None => option_bind (rational_constant z) (fun q => option_bind (around_of y) (multiple q))
                   end
      | Div y z => option_bind (rational_constant z) (fun q =>
          if is_zero q then None else option_bind (around_of y) (multiple (/ q)))
      | _ => None
      end
  end.

(* d, and at most exp(d x) *)
Definition constant_power (x : expression) : option (Z * Q) :=
  option_bind (around_of x) (fun a =>
    if Qeq_bool (rest_from a) 0 then Some (constant_divisor a, constant_argument a)
    else Some (constant_divisor a, Qred (constant_argument a * exp_from (inject_Z (constant_divisor a) * rest_from
      a)))).
Definition constant_above_zero (x : expression) : bool :=
  match constant_power x with Some (_, k) => negb (Qle_bool k 1) | None => false end.

(* `injection` would reduce the arguments. *)

Lemma pair_is {X Y} (a c : X) (b d : Y) : Some (a, b) = Some (c, d) -> c = a /\ d = b. Proof. now intros [= -> ->]. Qed.

Lemma constant_of_value n (i : position n) x q : rational_constant x = Some q -> expression_value x n i = Q2R q.
Proof.
  unfold rational_constant. destruct (monomial_of x) as [m|] eqn:M; [|discriminate].
  destruct m as [p [| |] [| |] [| |] [|]]; try discriminate. intros H. apply some_inj in H. subst p.
  rewrite (monomial_of_value n i x _ M). unfold monomial_value, sign_factor.
  cbn [monomial_factor monomial_i monomial_n monomial_end monomial_alternates]. rewrite !powerRZ_O. ring.
Qed.

(* ---- rounding ---- *)
Lemma scaled_down_around q b : (0 <= b)%Z -> IZR (scaled_down q b) <= Q2R q * IZR (2 ^ b) < IZR (scaled_down q b + 1).
Proof.
  intros B. unfold scaled_down. set (m := (Qnum q * 2 ^ b)%Z). set (d := Zpos (Qden q)).
  assert (D : (0 < d)%Z) by reflexivity. assert (Dr : 0 < IZR d) by now apply IZR_lt.
  assert (E : Q2R q * IZR (2 ^ b) = IZR m / IZR d).
  { unfold Q2R, m, d. rewrite mult_IZR. field. now apply Rgt_not_eq. }
  rewrite E. split; [now apply floor_div_le|]. pose proof (Z.mul_succ_div_gt m d D) as G. apply IZR_lt in G.
  rewrite mult_IZR in G. unfold Z.succ in G. apply Rmult_lt_reg_r with (IZR d); [exact Dr|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma constant_bits_nonneg : (0 <= constant_bits)%Z. Proof. discriminate. Qed.
Lemma of_bits_value z : Q2R (of_bits z) = fixed constant_bits z.
Proof.
  unfold of_bits, fixed, Q2R. cbn [Qnum Qden]. rewrite Z2Pos.id; [reflexivity|].
  apply Z.pow_pos_nonneg; [reflexivity|apply constant_bits_nonneg].
Qed.

Lemma is_positive_R q : is_positive q = true -> 0 < Q2R q.
Proof.
  intros H. apply Z.ltb_lt, IZR_lt in H. unfold Q2R. apply Rmult_lt_0_compat; [exact H|].
  apply Rinv_0_lt_compat. now apply IZR_lt.
Qed.

Lemma Q2R_inverse q : 0 < Q2R q -> Q2R (/ q) = / Q2R q.
Proof. intros H. apply Q2R_inv. intros Z. apply Qeq_eqR in Z. rewrite Q2R_0 in Z. lra. Qed.

Lemma exp_from_correct q : Q2R (exp_from q) <= exp (Q2R q).
Proof.
  unfold exp_from. cbv zeta. pose proof (scaled_down_around q constant_bits constant_bits_nonneg) as [L _].
  set (z := scaled_down q constant_bits) in *. pose proof (u_pos constant_bits constant_bits_nonneg) as U.
  assert (F : fixed constant_bits z <= Q2R q).
  { unfold fixed. apply Rmult_le_reg_r with (IZR (2 ^ constant_bits)); [exact U|]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l by lra. lra. }
  apply exp_monotone in F. destruct (Z.leb_spec 0 z) as [P|P].
  - destruct (Qle_bool _ _).
    + rewrite Q2R_plus, Q2R_1. apply exp_ineq1_le.
    + eapply Rle_trans; [|exact F]. pose proof (decay_above_correct constant_bits constant_bits_nonneg z P) as D.
      pose proof (exp_pos (- fixed constant_bits z)) as E. rewrite Q2R_inverse, of_bits_value; rewrite ?of_bits_value;
        [|lra]. replace (exp (fixed constant_bits z)) with (/ exp (- fixed constant_bits z))
        by now rewrite exp_Ropp, Rinv_inv.
      now apply Rinv_le_contravar.
  - rewrite of_bits_value. eapply Rle_trans; [|exact F].
    replace (fixed constant_bits z) with (- fixed constant_bits (- z)) by (rewrite fixed_opp; ring).
    apply decay_below_correct; [apply constant_bits_nonneg|lia].
Qed.

Lemma root_around q : (0 <= Qnum q)%Z -> Q2R (of_bits (root q)) <= sqrt (Q2R q) <= Q2R (of_bits (root q + 1)).
Proof.
  intros H. rewrite !of_bits_value. unfold root. set (b := constant_bits). assert (B2 : (0 <= 2 * b)%Z) by discriminate.
  destruct (scaled_down_around q (2 * b) B2) as [L U]. set (m := scaled_down q (2 * b)) in *. assert (M : (0 <= m)%Z).
  { apply Z.div_pos; [|reflexivity]. apply Z.mul_nonneg_nonneg; [exact H|now apply Z.pow_nonneg]. }
  destruct (Z.sqrt_spec m M) as [S1 S2]. pose proof (Z.sqrt_nonneg m) as N. set (r := Z.sqrt m) in *.
  pose proof (u_pos b constant_bits_nonneg) as Up. assert (E : IZR (2 ^ (2 * b)) = IZR (2 ^ b) * IZR (2 ^ b)).
  { rewrite <- mult_IZR, <- Z.pow_add_r by apply constant_bits_nonneg. f_equal. }
  rewrite E in *. unfold fixed. set (u := IZR (2 ^ b)) in *.
  assert (Q : Q2R q = (Q2R q * (u * u)) / (u * u)) by (field; lra).
  assert (Sq : forall z, (0 <= z)%Z -> sqrt (IZR (z * z) / (u * u)) = IZR z / u).
  { intros z Z. rewrite mult_IZR. replace (IZR z * IZR z / (u * u)) with (IZR z / u * (IZR z / u)) by (field; lra).
    apply sqrt_square. apply IZR_le in Z. apply Rmult_le_pos; [exact Z|]. left. now apply Rinv_0_lt_compat. }
  rewrite <- (Sq r), <- (Sq (r + 1)%Z), Q by lia. assert (I : 0 <= / (u * u)).
  { left. apply Rinv_0_lt_compat. now apply Rmult_lt_0_compat. }
  split; apply sqrt_le_1_alt; apply Rmult_le_compat_r; try exact I.
  - apply IZR_le in S1. lra.
  - assert (G : IZR (m + 1) <= IZR ((r + 1) * (r + 1))) by (apply IZR_le; lia). lra.
Qed.

(* ---- sums of multiples ---- *)
Lemma Q2R_power q p : Q2R (q ^ Z.pos p)%Q = Q2R q ^ Pos.to_nat p.
Proof.
  induction p as [|p IH] using Pos.peano_ind.
  - simpl. ring.
  - rewrite Pos2Nat.inj_succ. rewrite <- tech_pow_Rmult, <- IH, <- Q2R_mult. apply Qeq_eqR.
    rewrite Pos2Z.inj_succ. unfold Z.succ. rewrite Qpower_plus' by lia. change (q ^ 1)%Q with q. ring.
Qed.

Lemma whole_power_ln k p : 0 < Q2R k -> 0 < Q2R (whole_power k p) /\ ln (Q2R (whole_power k p)) = IZR p * ln (Q2R k).
Proof.
  intros K. destruct p as [|p|p]; cbn [whole_power].
  - rewrite Q2R_1, ln_1. lra.
  - rewrite Q2R_reduced, Q2R_power, ln_power, INR_IZR_INZ, positive_nat_Z by exact K. split; [now apply pow_lt|ring].
  - rewrite Q2R_reduced, Q2R_power, Q2R_inverse by exact K. assert (I : 0 < / Q2R k) by now apply Rinv_0_lt_compat.
    rewrite ln_power, ln_Rinv, INR_IZR_INZ, positive_nat_Z by assumption. split; [now apply pow_lt|].
    change (Z.neg p) with (- Z.pos p)%Z. rewrite opp_IZR. ring.
Qed.

Lemma exact_multiple_correct s a b x : is_around a x -> exact_multiple s a = Some b -> is_around b (Q2R s * x).
Proof.
  intros (K & D & L & U). unfold exact_multiple.
  assert (R : forall lo hi, (lo, hi) = (if Qle_bool 0 s then (rest_from a, rest_to a) else (rest_to a, rest_from a)) ->
    Q2R (s * lo) <= Q2R s * (x - ln (Q2R (constant_argument a)) / IZR (constant_divisor a)) <= Q2R (s * hi)).
  { intros lo hi. destruct (Qle_bool 0 s) eqn:S; intros E; injection E as -> ->; rewrite !Q2R_mult.
    - apply Qle_bool_R in S. rewrite Q2R_0 in S. split; apply Rmult_le_compat_l; assumption.
    - assert (N : Q2R s <= 0).
      { rewrite <- Q2R_0. apply Qle_Rle. apply Qlt_le_weak, Qnot_le_lt. intros H. apply Qle_bool_iff in H. congruence. }
      split; apply Rmult_le_compat_neg_l; assumption. }
  destruct (if Qle_bool 0 s then _ else _) as [lo hi]. specialize (R lo hi eq_refl).
  destruct (Qeq_bool (constant_argument a) 1) eqn:One.
  - intros H. apply some_inj in H. subst b. apply Qeq_bool_R in One. rewrite Q2R_1 in One. rewrite One, ln_1 in R.
    unfold is_around. cbn [constant_argument constant_divisor rest_from rest_to]. rewrite Q2R_1, ln_1.
    unfold Rdiv in *. rewrite Rmult_0_l in *. repeat split; lra || lia.
  - destruct (_ && _)%bool; [|discriminate]. intros H. apply some_inj in H. subst b. unfold is_around.
    cbn [constant_argument constant_divisor rest_from rest_to].
    destruct (whole_power_ln (constant_argument a) (Qnum s) K) as [P E]. rewrite E. split; [exact P|].
    split; [now apply Z.mul_pos_pos|]. rewrite mult_IZR. assert (Dr : 0 < IZR (constant_divisor a)) by now apply IZR_lt.
    assert (Sr : 0 < IZR (Zpos (Qden s))) by now apply IZR_lt.
    replace (Q2R s * x - IZR (Qnum s) * ln (Q2R (constant_argument a)) / (IZR (constant_divisor a) * IZR (Z.pos (Qden
      s)))) with (Q2R s * (x - ln (Q2R (constant_argument a)) / IZR (constant_divisor a))) by (unfold Q2R; field; lra).
    exact R.
Qed.

Lemma exact_total_correct a b c x y : is_around a x -> is_around b y -> exact_total a b = Some c -> is_around c (x + y).
Proof.
  intros (Ka & Da & La & Ua) (Kb & Db & Lb & Ub). unfold exact_total. destruct (_ <=? _)%Z; [|discriminate]. intros H.
  apply some_inj in H. subst c. unfold is_around. cbn [constant_argument constant_divisor rest_from rest_to].
  destruct (whole_power_ln (constant_argument a) (constant_divisor b) Ka) as [Pa Ea].
  destruct (whole_power_ln (constant_argument b) (constant_divisor a) Kb) as [Pb Eb].
  rewrite Q2R_reduced, Q2R_mult, ln_mult, Ea, Eb, !Q2R_plus, mult_IZR by assumption.
  assert (Ar : 0 < IZR (constant_divisor a)) by now apply IZR_lt.
  assert (Br : 0 < IZR (constant_divisor b)) by now apply IZR_lt. split; [now apply Rmult_lt_0_compat|].
  split; [now apply Z.mul_pos_pos|].
  replace (x + y - (IZR (constant_divisor b) * ln (Q2R (constant_argument a)) +
    IZR (constant_divisor a) * ln (Q2R (constant_argument b))) / (IZR (constant_divisor a) * IZR (constant_divisor b)))
    with ((x - ln (Q2R (constant_argument a)) / IZR (constant_divisor a)) + (y - ln (Q2R (constant_argument b)) / IZR
    (constant_divisor b))) by (field; lra); lra.
Qed.

Lemma ln_around_correct k lo hi : 0 < Q2R k -> ln_around k = Some (lo, hi) -> Q2R lo <= ln (Q2R k) <= Q2R hi.
Proof.
  unfold ln_around. cbv zeta. set (y := of_bits (Nat.iter _ _ _)). clearbody y. intros K.
  destruct (_ && _)%bool eqn:C; [|discriminate].
  intros H. apply pair_is in H as [-> ->]. apply andb_prop in C as [L U]. apply Qle_bool_R in L, U. split.
  - pose proof (exp_from_correct (- Qred (y - of_bits (2 ^ 64)))) as E. rewrite Q2R_opp, exp_Ropp in E.
    rewrite Q2R_inverse in L by exact K. rewrite <- (ln_exp (Q2R (Qred (y - _)))). apply ln_monotone; [apply exp_pos|].
    apply (Rle_trans _ _ _ L), Rinv_le_contravar in E; [|now apply Rinv_0_lt_compat]. now rewrite !Rinv_inv in E.
  - pose proof (exp_from_correct (Qred (y + of_bits (2 ^ 64)))) as E. rewrite <- (ln_exp (Q2R (Qred (y + _)))).
    apply ln_monotone; [exact K|lra].
Qed.

Lemma as_rest_correct a b x : is_around a x -> as_rest a = Some b -> is_around b x.
Proof.
  intros (K & D & L & U). unfold as_rest.
  destruct (ln_around (constant_argument a)) as [[lo hi]|] eqn:E; [|discriminate].
  apply (ln_around_correct _ _ _ K) in E as [El Eu]. intros H. apply some_inj in H. subst b. unfold is_around.
  cbn [constant_argument constant_divisor rest_from rest_to].
  assert (Dr : 0 < IZR (constant_divisor a)) by now apply IZR_lt.
  assert (Di : 0 < / IZR (constant_divisor a)) by now apply Rinv_0_lt_compat.
  assert (Z : ~ inject_Z (constant_divisor a) == 0) by (intros Z; apply Qeq_eqR in Z; rewrite Q2R_inject_Z, Q2R_0 in Z;
    lra). rewrite !Q2R_plus, !Q2R_div, Q2R_inject_Z, Q2R_1, ln_1 by exact Z.
  apply (Rmult_le_compat_r (/ IZR (constant_divisor a))) in El, Eu; [|lra|lra]. unfold Rdiv in *.
  rewrite Rinv_1, Rmult_0_l. repeat split; lra || lia.
Qed.

Local Lemma multiple_correct s a b x : is_around a x -> multiple s a = Some b -> is_around b (Q2R s * x).
Proof.
  intros A. unfold multiple. destruct (exact_multiple s a) as [c|] eqn:E.
  - intros H. apply some_inj in H. subst c. exact (exact_multiple_correct _ _ _ _ A E).
  - destruct (as_rest a) as [c|] eqn:R; [|discriminate]. apply exact_multiple_correct.
    exact (as_rest_correct _ _ _ A R).
Qed.

Lemma total_correct a b c x y : is_around a x -> is_around b y -> total a b = Some c -> is_around c (x + y).
Proof.
  intros A B. unfold total. destruct (exact_total a b) as [d|] eqn:E.
  - intros H. apply some_inj in H. subst d. exact (exact_total_correct _ _ _ _ _ A B E).
  - destruct (as_rest a) as [a'|] eqn:Ra; [|discriminate]. cbn [option_bind].
    destruct (as_rest b) as [b'|] eqn:Rb; [|discriminate].
    apply exact_total_correct; [exact (as_rest_correct _ _ _ A Ra)|exact (as_rest_correct _ _ _ B Rb)].
Qed.

Section Position.
Variables (n : nat) (i : position n).
Notation value := (fun x => expression_value x n i).

Lemma around_of_correct x : forall a, around_of x = Some a -> is_around a (value x).
Proof.
  assert (Constant : forall q x, x = Q2R q -> is_around (EnclosedConstant 1 1 q q) x).
  { intros q y ->. unfold is_around. cbn [constant_argument constant_divisor rest_from rest_to]. rewrite Q2R_1, ln_1.
    repeat split; lra || lia. }
  induction x as [q| | |y IHy z IHz|y IHy z IHz|y IHy z IHz|y IHy z IHz|y IHy|y IHy m|g y IHy]; intros a H;
    cbn [around_of] in H; match type of H with match rational_constant ?x
    with _ => _ end = _ => destruct (rational_constant x) as [q'|] eqn:C; [apply some_inj in H; subst a; apply Constant;
    exact (constant_of_value n i x q' C)|] end; try discriminate H; cbn [expression_value].
  - destruct (around_of y) as [b|]; [|discriminate]. destruct (around_of z) as [c|]; [|discriminate].
    exact (total_correct b c a _ _ (IHy b eq_refl) (IHz c eq_refl) H).
  - destruct (around_of y) as [b|]; [|discriminate]. destruct (around_of z) as [c|]; [|discriminate].
    cbn [option_bind] in H. destruct (multiple (-1) c) as [d|] eqn:M; [|discriminate].
    pose proof (multiple_correct (-1) c d _ (IHz c eq_refl) M) as N.
    replace (value y - value z) with (value y + Q2R (-1) * value z) by (rationals; lra).
    exact (total_correct b d a _ _ (IHy b eq_refl) N H).
  - destruct (rational_constant y) as [q|] eqn:Y.
    + destruct (around_of z) as [c|]; [|discriminate]. rewrite (constant_of_value n i y q Y).
      exact (multiple_correct q c a _ (IHz c eq_refl) H).
    + destruct (rational_constant z) as [q|] eqn:Z; [|discriminate]. destruct (around_of y) as [b|]; [|discriminate].
      rewrite (constant_of_value n i z q Z), Rmult_comm. exact (multiple_correct q b a _ (IHy b eq_refl) H).
  - destruct (rational_constant z) as [q|] eqn:Z; [|discriminate]. cbn [option_bind] in H.
    destruct (is_zero q) eqn:Q0; [discriminate|]. destruct (around_of y) as [b|]; [|discriminate].
    rewrite (constant_of_value n i z q Z). unfold Rdiv. rewrite Rmult_comm, <- Q2R_inv.
    + exact (multiple_correct (/ q) b a _ (IHy b eq_refl) H).
    + intros E. apply Qeq_bool_iff in E. unfold is_zero in Q0. congruence.
  - destruct (around_of y) as [b|]; [|discriminate]. replace (- value y) with (Q2R (-1) * value y) by (rationals; lra).
    exact (multiple_correct (-1) b a _ (IHy b eq_refl) H).
  - destruct g; try discriminate; destruct (rational_constant y) as [q|] eqn:Y; try discriminate; cbn [option_bind]
    in H;
      cbn [function_value]; rewrite (constant_of_value n i y q Y); unfold is_around.
    + destruct (is_positive q) eqn:P; [|discriminate]. apply some_inj in H. subst a.
      cbn [constant_argument constant_divisor rest_from rest_to]. apply is_positive_R in P. rewrite Q2R_0. unfold Rdiv.
      rewrite Rinv_1. repeat split; lra || lia.
    + destruct (Z.leb_spec 0 (Qnum q)) as [P|]; [|discriminate]. apply some_inj in H. subst a.
      cbn [constant_argument constant_divisor rest_from rest_to]. rewrite Q2R_1, ln_1. pose proof (root_around q P).
      repeat split; lra || lia.
Qed.

Theorem constant_power_correct x d k : constant_power x = Some (d, k) -> (0 < d)%Z /\ Q2R k <= exp (IZR d * value x).
Proof.
  unfold constant_power. destruct (around_of x) as [a|] eqn:A; [|discriminate]. cbn [option_bind].
  destruct (around_of_correct x a A) as (K & D & L & _). assert (Dr : 0 < IZR (constant_divisor a)) by now apply IZR_lt.
  assert (B : Q2R (constant_argument a) * exp (IZR (constant_divisor a) * Q2R (rest_from a)) <=
    exp (IZR (constant_divisor a) * value x)).
  { rewrite <- (exp_ln (Q2R (constant_argument a))) at 1 by exact K. rewrite <- exp_plus. apply exp_monotone.
    apply (Rmult_le_compat_l (IZR (constant_divisor a))) in L; [|lra].
    replace (ln (Q2R (constant_argument a))) with (IZR (constant_divisor a) * (ln (Q2R (constant_argument a)) / IZR
      (constant_divisor a))) by (field; lra). lra. }
  destruct (Qeq_bool (rest_from a) 0) eqn:Z; intros H; apply pair_is in H as [-> ->];
    (split; [exact D|]); (eapply Rle_trans; [|exact B]).
  - apply Qeq_bool_R in Z. rewrite Z, Q2R_0, Rmult_0_r, exp_0. lra.
  - rewrite Q2R_reduced, Q2R_mult. apply Rmult_le_compat_l; [lra|]. eapply Rle_trans; [apply exp_from_correct|].
    rewrite Q2R_mult, Q2R_inject_Z. lra.
Qed.

Lemma constant_above_zero_correct x : constant_above_zero x = true -> 0 < value x.
Proof.
  unfold constant_above_zero. destruct (constant_power x) as [[d k]|] eqn:P; [|discriminate]. intros H.
  apply constant_power_correct in P as [D P]. apply negb_true_iff in H. assert (Dr : 0 < IZR d) by now apply IZR_lt.
  assert (K : 1 < Q2R k).
  { rewrite <- Q2R_1. apply Qlt_Rlt, Qnot_le_lt. intros L. apply Qle_bool_iff in L. congruence. }
  assert (E : 0 < IZR d * value x) by (apply exp_lt_inv; rewrite exp_0; lra). apply Rmult_lt_reg_l with (IZR d); lra.
Qed.
End Position.
