(* Lower bounds of expressions with logarithms, roots and sums, as rationals, for all lengths from m on.

   Proved: where `lower_bound m x` is a number, x is at least that at every position of every length n >= m; if
   `surely_positive m x` returns true, x is positive there. Bounds are coarse: ln x is at least 1 - 1/x, sqrt x at least
   the root of the greatest square up to x; those of constants are sharp (constant_bounds.v). *)
From Coq Require Import Reals QArith Qreals Qround ZArith List Bool Lra Lia.
From Certify Require Import positions finite_sums formula network linear_combination monomial constant_bounds.
Open Scope R_scope.

Definition is_above_zero (q : Q) : bool := Qle_bool 0 q && negb (is_zero q).
Local Definition both (f : Q -> Q -> Q) (a b : option Q) : option Q :=
  match a, b with Some p, Some q => Some (Qred (f p q)) | _, _ => None end.
Definition both_from_zero (a b : option Q) : option Q :=
  match a, b with
  | Some p, Some q => if Qle_bool 0 p && Qle_bool 0 q then Some (Qred (p * q)) else None
  | _, _ => None
  end.
Definition ln_lower (q : Q) : Q := Qred (1 - / q).
Definition function_below (g : real_function) (q : Q) : option Q :=
  match g with
  | Ln => if is_above_zero q then Some (ln_lower q) else None
  | Sqrt => if Qle_bool 0 q then Some (inject_Z (Z.sqrt (Qfloor q))) else None
  | Log2Floor | Log2Ceil => if Qle_bool 1 q then Some (inject_Z (Z.log2 (Qfloor q))) else None
  end.
Definition power_below (a : option Q) (z : Z) : option Q :=
  if Z.leb 0 z then Nat.iter (Z.to_nat z) (both_from_zero a) (Some 1%Q) else None.

Section Bounds.
Variable m : nat.

Fixpoint lower_bound (x : expression) : option Q :=
  if is_distance_from_end x then Some 1%Q else
  match x with
  | Num q => Some q
  | VarI => Some 1%Q
  | VarN => Some (inject_Z (Z.of_nat (Nat.max 1 m)))
  | Add x y => both Qplus (lower_bound x) (lower_bound y)
  | Sub x (Num q) => both Qplus (lower_bound x) (Some (- q)%Q)
  | Mul x y => both_from_zero (lower_bound x) (lower_bound y)
  | Div x (Num q) =>
      match lower_bound x with Some b => if is_above_zero q then Some (Qred (b / q)) else None | None => None end
  | Power x (Int z) => power_below (lower_bound x) z
  | Apply g x => match lower_bound x with Some q => function_below g q | None => None end
  | _ => None
  end.

Definition bounded_above_zero (x : expression) : bool :=
  match lower_bound x with Some q => is_above_zero q | None => false end.
Definition is_positive_monomial (x : expression) : bool :=
  match monomial_of x with Some m => is_above_zero (monomial_factor m) && negb (monomial_alternates m) | None =>
    false end.
Fixpoint surely_positive (x : expression) : bool :=
  if is_positive_monomial x || bounded_above_zero x ||
    match x with
    | Add x y | Mul x y | Div x y => surely_positive x && surely_positive y
    | Power x _ => surely_positive x
    | _ => false
    end
  then true else constant_above_zero x.

(* ---- soundness ---- *)
Lemma above_zero_R q : is_above_zero q = true -> 0 < Q2R q.
Proof.
  unfold is_above_zero. intros H. apply andb_prop in H as [P Z]. apply negb_true_iff in Z. apply Qle_bool_R in P.
  rewrite Q2R_0 in P. destruct P as [P|P]; [exact P|]. exfalso. unfold is_zero in Z.
  assert (E : (q == 0)%Q) by (apply eqR_Qeq; now rewrite Q2R_0). apply Qeq_bool_iff in E. congruence.
Qed.

Lemma floor_below q : IZR (Qfloor q) <= Q2R q. Proof. rewrite <- Q2R_inject_Z. apply Qle_Rle, Qfloor_le. Qed.

(* Rounding down, to units or to integers, leaves an integer unchanged. *)
Lemma Int_part_at_least z x : IZR z <= x -> IZR z <= IZR (Int_part x).
Proof.
  intros H. apply IZR_le. destruct (base_Int_part x) as [_ B]. apply Z.lt_succ_r. apply lt_IZR. rewrite succ_IZR. lra.
Qed.

Lemma ln_at_least q x : 0 < q <= x -> 1 - / q <= ln x.
Proof.
  intros [Hq Hx]. assert (I : / x <= / q) by (apply Rinv_le_contravar; lra). pose proof (exp_ineq1_le (ln (/ x))) as E.
  assert (P : 0 < / x) by (apply Rinv_0_lt_compat; lra). rewrite exp_ln, ln_Rinv in E by lra. lra.
Qed.

Lemma log2_at_least z x : (0 < z)%Z -> IZR z <= x -> IZR (Z.log2 z) <= ln x / ln 2.
Proof.
  intros Hz Hx. assert (L : 0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra).
  apply Rmult_le_reg_r with (ln 2); [exact L|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  pose proof (Z.log2_nonneg z) as N. pose proof (proj1 (Z.log2_spec z Hz)) as B. set (k := Z.log2 z) in *.
  rewrite <- (Z2Nat.id k) in * by exact N. rewrite <- INR_IZR_INZ, <- ln_pow by lra. apply IZR_le in B.
  rewrite <- pow_IZR in B. assert (P : 0 < 2 ^ Z.to_nat k) by (apply pow_lt; lra).
  destruct (Req_dec (2 ^ Z.to_nat k) x) as [->|D]; [lra|]. left. apply ln_increasing; lra.
Qed.

Lemma ln_below_correct q x : 0 < Q2R q <= x -> Q2R (ln_lower q) <= ln x.
Proof.
  intros H. unfold ln_lower. rewrite Q2R_reduced, Q2R_minus, Q2R_1, Q2R_inv.
  - now apply ln_at_least.
  - intros Z. apply Qeq_eqR in Z. rewrite Q2R_0 in Z. lra.
Qed.

Lemma function_below_correct g q b x : function_below g q = Some b -> Q2R q <= x -> Q2R b <= function_value g x.
Proof.
  assert (Log : forall k, Qle_bool 1 q = true -> Q2R q <= x -> k = Z.log2 (Qfloor q) -> IZR k <= ln x / ln 2).
  { intros k P Hx ->. apply log2_at_least; [|eapply Rle_trans; [apply floor_below|exact Hx]].
    apply Qle_bool_iff, Qfloor_resp_le in P. change (Qfloor 1) with 1%Z in P. lia. }
  destruct g; cbn [function_below function_value]; intros H Hx.
  - destruct (is_above_zero q) eqn:P; [|discriminate]. apply above_zero_R in P.
    apply Rle_trans with (Q2R (ln_lower q)); [right; f_equal; congruence|now apply ln_below_correct].
  - destruct (Qle_bool 0 q) eqn:P; [|discriminate]. injection H as <-. rewrite Q2R_inject_Z.
    assert (F : (0 <= Qfloor q)%Z) by (apply Qle_bool_iff, Qfloor_resp_le in P; exact P).
    pose proof (Z.sqrt_spec _ F) as [S _]. pose proof (Z.sqrt_nonneg (Qfloor q)) as N. apply IZR_le in S, N.
    rewrite mult_IZR in S. rewrite <- (sqrt_square (IZR (Z.sqrt (Qfloor q)))) by exact N. apply sqrt_le_1_alt.
    pose proof (floor_below q). lra.
  - destruct (Qle_bool 1 q) eqn:P; [|discriminate]. injection H as <-. rewrite Q2R_inject_Z.
    apply Int_part_at_least. now apply Log.
  - destruct (Qle_bool 1 q) eqn:P; [|discriminate]. injection H as <-. rewrite Q2R_inject_Z.
    pose proof (Log _ eq_refl Hx eq_refl). pose proof (proj1 (base_Int_part (- (ln x / ln 2)))). lra.
Qed.

Section Position.
Variables (n : nat) (i : position n).
Hypothesis Hm : (m <= n)%nat.

Definition at_least (b : option Q) (x : R) : Prop := forall q, b = Some q -> Q2R q <= x.

Lemma both_correct a b x y : at_least a x -> at_least b y -> at_least (both Qplus a b) (x + y).
Proof.
  intros A B q. destruct a as [p|], b as [r|]; cbn [both]; try discriminate. intros E.
  replace q with (Qred (p + r)) by congruence. rewrite Q2R_reduced, Q2R_plus.
  specialize (A _ eq_refl). specialize (B _ eq_refl). lra.
Qed.

Lemma both_from_zero_correct a b x y : at_least a x -> at_least b y -> at_least (both_from_zero a b) (x * y).
Proof.
  intros A B q. destruct a as [p|], b as [r|]; cbn [both_from_zero]; try discriminate.
  destruct (Qle_bool 0 p) eqn:P, (Qle_bool 0 r) eqn:R; try discriminate. cbn [andb]. intros E.
  replace q with (Qred (p * r)) by congruence. rewrite Q2R_reduced, Q2R_mult. specialize (A _ eq_refl).
  specialize (B _ eq_refl). apply Qle_bool_R in P, R. rewrite Q2R_0 in P, R. apply Rmult_le_compat; lra.
Qed.

Lemma power_below_correct a x z : at_least a x -> at_least (power_below a z) (powerRZ x z).
Proof.
  intros A. unfold power_below. destruct (Z.leb_spec 0 z) as [L|]; [|discriminate].
  rewrite <- (Z2Nat.id z L) at 2. rewrite <- pow_powerRZ. clear L. induction (Z.to_nat z) as [|k IH].
  - intros q [= <-]. rewrite Q2R_1. simpl. lra.
  - simpl. now apply both_from_zero_correct.
Qed.

Lemma lower_bound_correct x : at_least (lower_bound x) (expression_value x n i).
Proof.
  induction x as [q0| | |x IHx y IHy|x IHx y IHy|x IHx y IHy|x IHx y IHy|x IHx|x IHx k|g x IHx]; cbn [lower_bound];
    match goal with |- at_least (if ?c then _ else _) _ => destruct c eqn:D; [rewrite (distance_from_end_value n i _ D);
    intros q [= <-]; rewrite Q2R_1; apply INR_at_least_1; lia|] end; cbn [expression_value].
  - intros q [= <-]. lra.
  - intros q [= <-]. rewrite Q2R_1. apply INR_at_least_1. lia.
  - intros q E. replace q with (inject_Z (Z.of_nat (Nat.max 1 m))) by congruence.
    rewrite Q2R_inject_Z, <- INR_IZR_INZ. apply le_INR. lia.
  - now apply both_correct.
  - destruct y; try discriminate. apply both_correct; [assumption|]. intros r [= <-]. cbn. rewrite Q2R_opp. lra.
  - now apply both_from_zero_correct.
  - destruct y; try discriminate. destruct (lower_bound x) as [b|]; [|discriminate].
    destruct (is_above_zero q) eqn:P; [|discriminate]. apply above_zero_R in P. specialize (IHx b eq_refl).
    intros r E. replace r with (Qred (b / q)) by congruence.
    rewrite Q2R_reduced, Q2R_div by (intros Z; apply Qeq_eqR in Z; rewrite Q2R_0 in Z; lra).
    cbn [expression_value]. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|exact IHx].
  - discriminate.
  - destruct k; try discriminate. now apply power_below_correct.
  - intros b. destruct (lower_bound x) as [q|] eqn:E; [|discriminate]. intros H.
    apply (function_below_correct g q b _ H). now apply IHx.
Qed.

Lemma is_positive_monomial_correct x : is_positive_monomial x = true -> 0 < expression_value x n i.
Proof.
  unfold is_positive_monomial. destruct (monomial_of x) as [p|] eqn:E; [|discriminate]. intros H.
  apply andb_prop in H as [P A]. apply above_zero_R in P. apply negb_true_iff in A.
  rewrite (monomial_of_value n i x p E). unfold monomial_value, sign_factor. rewrite A, Rmult_1_r.
  assert (Pos : forall k, (1 <= k)%nat -> forall z, 0 < powerRZ (INR k) z).
  { intros k Hk z. apply powerRZ_lt, lt_0_INR. lia. }
  do 3 (apply Rmult_lt_0_compat; [|apply Pos; lia]). exact P.
Qed.

Lemma bounded_above_zero_correct x : bounded_above_zero x = true -> 0 < expression_value x n i.
Proof.
  unfold bounded_above_zero. pose proof (lower_bound_correct x) as B. destruct (lower_bound x) as [q|]; [|discriminate].
  intros P. apply above_zero_R in P. specialize (B q eq_refl). lra.
Qed.

Lemma surely_positive_correct x : surely_positive x = true -> 0 < expression_value x n i.
Proof.
  induction x; cbn [surely_positive]; intros H; match type of H with (if ?c then _ else _) = _ => destruct c eqn:D;
    [clear H; rename D into H|now apply constant_above_zero_correct] end; apply orb_prop in H as [H|H];
    try (apply orb_prop in H as [H|H]; [now apply is_positive_monomial_correct|now apply bounded_above_zero_correct]);
    try discriminate; cbn [expression_value]; try (apply andb_prop in H as [H1 H2]).
  - apply Rplus_lt_0_compat; auto.
  - apply Rmult_lt_0_compat; auto.
  - apply Rmult_lt_0_compat; [|apply Rinv_0_lt_compat]; auto.
  - apply powerRZ_lt. auto.
Qed.
End Position.
End Bounds.
