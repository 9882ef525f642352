(* Intervals with rational ends, or without an end: the values that a direction may have in a case.

   Proved: the operations enclose, and the range of a meaning encloses what the direction holds. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia Arith.
From Certify Require Import positions finite_sums softmax exponential relu formula network meaning linear_combination
  monomial score_form cases proposition_11_end_markers theorem_20_counting check_head.
Import ListNotations.
Open Scope R_scope.

Notation interval := (option Q * option Q)%type.

Definition above_end (lo : option Q) (x : R) : Prop := match lo with Some q => Q2R q <= x | None => True end.
Definition below_end (hi : option Q) (x : R) : Prop := match hi with Some q => x <= Q2R q | None => True end.
Definition in_interval (v : interval) (x : R) : Prop := above_end (fst v) x /\ below_end (snd v) x.

Definition unbounded_interval : interval := (None, None).
Definition point_interval (q : Q) : interval := (Some q, Some q).
Definition from_to (a b : Q) : interval := (Some a, Some b).

Definition add_ends (a b : option Q) : option Q :=
  match a, b with Some x, Some y => Some (Qred (x + y)) | _, _ => None end.
Definition add_intervals (u v : interval) : interval := (add_ends (fst u) (fst v), add_ends (snd u) (snd v)).
Definition scale_interval (q : Q) (v : interval) : interval :=
  if is_zero q then point_interval 0
  else if Qle_bool 0 q then (option_map (Qmult q) (fst v), option_map (Qmult q) (snd v))
  else (option_map (Qmult q) (snd v), option_map (Qmult q) (fst v)).
Definition widen_interval (e : Q) (v : interval) : interval := add_intervals v (from_to (- e) e).
Definition is_point (v : interval) (q : Q) : bool :=
  match v with (Some a, Some b) => Qle_bool q a && Qle_bool b q | _ => false end.

Definition is_at_least (v : interval) (q : Q) : bool := match fst v with Some a => Qle_bool q a | None => false end.

Lemma within_unbounded x : in_interval unbounded_interval x. Proof. split; exact I. Qed.
Lemma within_point q : in_interval (point_interval q) (Q2R q). Proof. split; simpl; lra. Qed.
Lemma within_from_to a b x : Q2R a <= x <= Q2R b -> in_interval (from_to a b) x. Proof. intros [H1 H2]. now split. Qed.

Lemma within_add u v x y : in_interval u x -> in_interval v y -> in_interval (add_intervals u v) (x + y).
Proof.
  destruct u as [[a|] [b|]], v as [[c|] [d|]]; intros [H1 H2] [H3 H4]; split; cbn [in_interval above_end below_end
    add_intervals add_ends fst snd] in *; try exact I; rewrite Q2R_reduced, Q2R_plus; lra.
Qed.

Lemma within_scale q v x : in_interval v x -> in_interval (scale_interval q v) (Q2R q * x).
Proof.
  intros [H1 H2]. unfold scale_interval. destruct (is_zero q) eqn:Z.
  - apply Qeq_bool_R in Z. rewrite Z, Q2R_0, Rmult_0_l. rewrite <- Q2R_0. apply within_point.
  - destruct v as [[a|] [b|]], (Qle_bool 0 q) eqn:L; split; cbn [in_interval above_end below_end fst snd option_map]
      in *; try exact I; rewrite Q2R_mult; ((apply Qle_bool_R in L; rewrite Q2R_0 in L; apply Rmult_le_compat_l;
      lra) || (assert (Q2R q <= 0) by (destruct (Rle_dec (Q2R q) 0); [assumption|]; exfalso;
      assert (T : (0 <= q)%Q) by (apply Rle_Qle; rewrite Q2R_0; lra); apply Qle_bool_iff in T; congruence);
      apply Rmult_le_compat_neg_l; lra)).
Qed.

Lemma within_widen e v x y : in_interval v x -> Rabs (y - x) <= Q2R e -> in_interval (widen_interval e v) y.
Proof.
  intros H E. replace y with (x + (y - x)) by lra. apply within_add; [exact H|].
  apply within_from_to. rewrite Q2R_opp. revert E. unfold Rabs. destruct Rcase_abs; lra.
Qed.

Lemma is_point_correct v q x : is_point v q = true -> in_interval v x -> x = Q2R q.
Proof.
  destruct v as [[a|] [b|]]; simpl; intros H [H1 H2]; try discriminate. simpl in *.
  apply andb_prop in H as [A B]. apply Qle_bool_R in A, B. lra.
Qed.

Lemma is_at_least_correct v q x : is_at_least v q = true -> in_interval v x -> Q2R q <= x.
Proof.
  unfold is_at_least. intros H [L _]. destruct (fst v) as [a|]; [|discriminate]. apply Qle_bool_R in H. simpl in L. lra.
Qed.

(* ---- the range of a meaning ---- *)
Definition truth_range (b : option bool) : interval :=
  match b with Some true => point_interval 1 | Some false => point_interval 0 | None => from_to 0 1 end.

Definition slack_range (b : option bool) : interval :=
  match b with Some true => point_interval 0 | Some false => (Some 1%Q, None) | None => (Some 0%Q, None) end.

(* 1/i, 1/(n+1-i) and i/n are between 0 and 1. *)
Definition is_fraction (m : monomial) : bool :=
  Qle_bool 0 (monomial_factor m) && negb (monomial_alternates m) &&
  (Z.eqb (monomial_i m) (-1) && Z.eqb (monomial_n m) 0 && Z.eqb (monomial_end m) 0
   || Z.eqb (monomial_i m) 0 && Z.eqb (monomial_n m) 0 && Z.eqb (monomial_end m) (-1)
   || Z.eqb (monomial_i m) 1 && Z.eqb (monomial_n m) (-1) && Z.eqb (monomial_end m) 0).
Definition is_signed_constant (m : monomial) : bool :=
  Z.eqb (monomial_i m) 0 && Z.eqb (monomial_n m) 0 && Z.eqb (monomial_end m) 0.

Definition monomial_range (c : case) (m : monomial) : interval :=
  if is_signed_constant m then
    point_interval (if monomial_alternates m && case_odd c then - monomial_factor m else monomial_factor m)
  else if is_fraction m then from_to 0 (monomial_factor m) else unbounded_interval.

Definition expression_range (c : case) (x : expression) : interval :=
  if expression_eqb x mean_up_to_expression then (if case_first c then point_interval 1 else from_to 0 (1 # 3))
  else if expression_eqb x mean_from_expression then
    (if case_last c then (if case_odd c then point_interval 1 else point_interval (-1)) else from_to (-1 # 3) (1 # 3))
  else match monomial_of x with Some m => monomial_range c m | None => unbounded_interval end.

Definition meaning_range (c : case) (a : meaning) : interval :=
  match a with
  | IsPosition (Formula x) => expression_range c x
  | IsPosition (Bracket _ _) => from_to 0 1
  | IsTruth f => truth_range (evaluate c f)
  | IsSlack f => slack_range (evaluate c f)
  | IsNear f guard =>
      match evaluate c guard, evaluate c f with
      | Some true, Some true => from_to (3 # 4) 1
      | Some true, Some false => from_to 0 (1 # 4)
      | _, _ => from_to 0 1
      end
  | IsProduct x f => match evaluate c f with Some false => point_interval 0 | _ => unbounded_interval end
  | IsMean _ _ => from_to 0 1
  | IsAverage _ | IsTotal _ _ | IsOthers _ _ _ | IsAnything => unbounded_interval
  end.

Section Range.
Variables (users : predicate_meanings) (n : nat) (w : word) (i : position n) (c : case).
Hypothesis Rc : case_holds users n w i c.

Lemma monomial_range_correct m : in_interval (monomial_range c m) (monomial_value m n i).
Proof.
  unfold monomial_range, monomial_value. destruct (is_signed_constant m) eqn:S.
  - unfold is_signed_constant in S. apply andb_prop in S as [S S3]. apply andb_prop in S as [S1 S2].
    apply Z.eqb_eq in S1, S2, S3. rewrite S1, S2, S3, !powerRZ_O. destruct Rc as (O & _). rewrite O.
    unfold sign_factor, sign_of_parity. destruct (monomial_alternates m); simpl; [destruct (Nat.odd i)|].
    + replace (Q2R (monomial_factor m) * 1 * 1 * 1 * -1) with (Q2R (- monomial_factor m)) by (rewrite Q2R_opp; ring).
      apply within_point.
    + rewrite !Rmult_1_r. apply within_point.
    + rewrite !Rmult_1_r. apply within_point.
  - clear S. destruct (is_fraction m) eqn:F; [|apply within_unbounded]. unfold is_fraction in F.
    apply andb_prop in F as [F K]. apply andb_prop in F as [P N]. apply Qle_bool_R in P. rewrite Q2R_0 in P.
    apply negb_true_iff in N. rewrite N. unfold sign_factor. apply within_from_to. rewrite Q2R_0.
    assert (Pi : 1 <= INR i) by (apply INR_at_least_1; lia). assert (Li : INR i <= INR n) by (apply le_INR; lia).
    assert (Pe : 1 <= INR (S n - i)) by (apply INR_at_least_1; lia). assert (D : forall x, 1 <= x -> 0 <= / x <= 1).
    { intros x Hx. split; [left; apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
    assert (U : forall x, 0 <= x <= 1 -> 0 <= Q2R (monomial_factor m) * x <= Q2R (monomial_factor m)).
    { intros x Hx. split; [apply Rmult_le_pos; lra|]. rewrite <- (Rmult_1_r (Q2R (monomial_factor m))) at 2.
      apply Rmult_le_compat_l; lra. }
    apply orb_prop in K as [K|K]; [apply orb_prop in K as [K|K]|];
      apply andb_prop in K as [K K3]; apply andb_prop in K as [K1 K2]; apply Z.eqb_eq in K1, K2, K3;
      rewrite K1, K2, K3, ?powerRZ_O, ?powerRZ_1, power_minus_1, !Rmult_1_r.
    + apply U, D, Pi.
    + apply U, D, Pe.
    + rewrite Rmult_assoc. apply U. split; [apply Rmult_le_pos; [lra|apply D; lra]|].
      apply Rmult_le_reg_r with (INR n); [lra|]. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma expression_range_correct x : in_interval (expression_range c x) (expression_value x n i).
Proof.
  unfold expression_range. destruct Rc as (O & F & L & _). destruct (expression_eqb x mean_up_to_expression) eqn:E1.
  - apply expression_eqb_eq in E1. subst x. rewrite mean_up_to_value, F.
    pose proof (mean_up_to_range i ltac:(lia)) as M. destruct (i =? 1)%nat; [rewrite M, <- Q2R_1; apply within_point|].
    apply within_from_to. rationals. lra.
  - destruct (expression_eqb x mean_from_expression) eqn:E2.
    + apply expression_eqb_eq in E2. subst x. rewrite mean_from_value, L, O by lia.
      pose proof (mean_from_range n i) as M. destruct (i =? n)%nat; [|apply within_from_to; rationals; lra].
      rewrite M. unfold sign_of_parity. destruct (Nat.odd i); apply within_from_to; rationals; lra.
    + destruct (monomial_of x) as [m|] eqn:E; [|apply within_unbounded].
      rewrite (monomial_of_value n i x m E). apply monomial_range_correct.
Qed.

Lemma bit_within b : in_interval (from_to 0 1) (bit b).
Proof. apply within_from_to. rewrite Q2R_0, Q2R_1. apply bit_range. Qed.

Lemma slack_range_correct b (known : option bool) x : is_slack b x -> (forall v, known = Some v -> b = v) ->
  in_interval (slack_range known) x.
Proof.
  intros S K. destruct known as [v|].
  - rewrite (K v eq_refl) in S. destruct v; simpl in *.
    + rewrite S, <- Q2R_0. apply within_point.
    + split; simpl; [rewrite Q2R_1; exact S|exact I].
  - split; simpl; [|exact I]. rewrite Q2R_0. destruct b; simpl in S; lra.
Qed.

Theorem range_correct a x : meaning_holds users n w i a x -> in_interval (meaning_range c a) x.
Proof.
  pose proof (evaluate_correct users n w i c Rc) as Ev.
  destruct a as [[e|f s]|f|f|f guard|e f|s f|t|s f|s f g|]; simpl; intros H; try apply within_unbounded.
  - subst x. apply expression_range_correct.
  - subst x. apply bit_within.
  - subst x. destruct (evaluate c f) as [[]|] eqn:E; simpl; [| |apply bit_within].
    + rewrite (Ev f true E). simpl. rewrite <- Q2R_1. apply within_point.
    + rewrite (Ev f false E). simpl. rewrite <- Q2R_0. apply within_point.
  - exact (slack_range_correct _ _ x H (Ev f)).
  - destruct H as [H N].
    assert (W : in_interval (from_to 0 1) x) by (apply within_from_to; rewrite Q2R_0, Q2R_1; exact H).
    destruct (evaluate c guard) as [[]|] eqn:G; try exact W. specialize (N (Ev guard true G)).
    destruct (evaluate c f) as [[]|] eqn:E; try exact W; rewrite (Ev f _ E) in N; simpl in N; apply within_from_to;
      rationals; lra.
  - subst x. destruct (evaluate c f) as [[]|] eqn:E; try apply within_unbounded.
    rewrite (Ev f false E). simpl. rewrite Rmult_0_r, <- Q2R_0. apply within_point.
  - subst x. apply within_from_to. rewrite Q2R_0, Q2R_1.
    destruct (counted_apart s n (truth users n w f) i) as (r & E & Le).
    assert (C : (counted_on s n (truth users n w f) i <= span s n i)%nat) by (rewrite E; destruct (truth users n w f i);
      simpl; lia). pose proof (span_range s n i) as Sp. apply le_INR in C. pose proof (INR_at_least_1 _ (proj1 Sp)).
    pose proof (pos_INR (counted_on s n (truth users n w f) i)).
    split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|].
    apply Rmult_le_reg_r with (INR (span s n i)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.
End Range.
