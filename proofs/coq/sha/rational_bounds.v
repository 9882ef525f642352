(* Rational bounds that the checker of networks computes: of e^g from below, and of the errors of lookups from above.

   Proved: e^g is at least the first 17 terms of its series, computed on multiples of 2^-40; so `exp_at_least b g`
   implies b <= e^g, and misses no g beyond ln b + 10^-10 for the b of the theorems. With that bound of q = e^(-g),
   `mean_error` bounds the error of a lookup of a number, for all lengths, by the first terms of the sharp bound of
   Lemma 7 and a geometric tail; `reads_tables` says that a table of values in [0, 1] is read to within 1/4. *)
From Coq Require Import Reals QArith Qreals Qround ZArith Lra Lia.
From Certify Require Import finite_sums exponential lemma_07_table_lookup linear_combination.
Open Scope R_scope.

(* ---- multiples of 2^-40 below and above, to keep numbers short ---- *)
Definition multiple_below (d : positive) (x : Q) : Q := Qfloor (x * inject_Z (Zpos d)) # d.
Definition rounded_down : Q -> Q := multiple_below 1099511627776.
Local Definition rounded_up (x : Q) : Q := (- rounded_down (- x))%Q.

Lemma multiple_below_le d x : Q2R (multiple_below d x) <= Q2R x.
Proof.
  unfold multiple_below. pose proof (Qfloor_le (x * inject_Z (Zpos d))) as F. apply Qle_Rle in F.
  rewrite Q2R_mult in F. set (z := Qfloor _) in *. unfold Q2R in *. cbn [Qnum Qden inject_Z] in *.
  assert (P : 0 < IZR (Zpos d)) by (apply IZR_lt; lia).
  apply Rmult_le_reg_r with (IZR (Zpos d)); [exact P|]. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma rounded_down_le x : Q2R (rounded_down x) <= Q2R x. Proof. apply multiple_below_le. Qed.
Lemma rounded_up_le x : Q2R x <= Q2R (rounded_up x).
Proof. unfold rounded_up. rewrite Q2R_opp. pose proof (rounded_down_le (- x)) as H. rewrite Q2R_opp in H. lra. Qed.

(* ---- e^g from below ---- *)
(* x^k/k!, and the sum of 1 + x + ... + x^k/k!, both rounded down at every step. *)
Local Fixpoint series (x : Q) (k : nat) : Q * Q :=
  match k with
  | O => (1, 1)%Q
  | S j => let '(term, total) := series x j in
           let next := rounded_down (term * x / inject_Z (Z.of_nat k)) in (next, rounded_down (total + next))
  end.

Definition exp_below (g : Q) : Q := let x := rounded_down g in if Qle_bool 0 x then snd (series x 16) else 0%Q.
Definition exp_at_least (b g : Q) : bool := Qle_bool b (exp_below g).

Lemma series_below x k : 0 <= Q2R x -> Q2R (fst (series x k)) <= / INR (fact k) * Q2R x ^ k /\
  Q2R (snd (series x k)) <= sum_f_R0 (fun j => / INR (fact j) * Q2R x ^ j) k.
Proof.
  intros Hx. induction k as [|k [T Sum]]; [simpl; rewrite Q2R_1; lra|]. cbn [series].
  destruct (series x k) as [term total]. cbn [fst snd] in *. assert (P : 0 < INR (S k)) by (apply lt_0_INR; lia).
  assert (E : Q2R (rounded_down (term * x / inject_Z (Z.of_nat (S k)))) <= / INR (fact (S k)) * Q2R x ^ S k).
  { eapply Rle_trans; [apply rounded_down_le|]. rewrite Q2R_div, Q2R_mult, Q2R_of_nat.
    - replace (/ INR (fact (S k)) * Q2R x ^ S k) with ((/ INR (fact k) * Q2R x ^ k) * Q2R x / INR (S k)).
      + apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. now apply Rmult_le_compat_r.
      + rewrite fact_simpl, mult_INR. cbn [pow]. field. split; [apply INR_fact_neq_0|lra].
    - intros Z. apply Qeq_eqR in Z. rewrite Q2R_of_nat, Q2R_0 in Z. lra. }
  split; [exact E|]. cbn [sum_f_R0]. eapply Rle_trans; [apply rounded_down_le|]. rewrite Q2R_plus. lra.
Qed.

Lemma exp_below_correct g : Q2R (exp_below g) <= exp (Q2R g).
Proof.
  unfold exp_below. destruct (Qle_bool 0 (rounded_down g)) eqn:E; [|rewrite Q2R_0; left; apply exp_pos].
  apply Qle_bool_R in E. rewrite Q2R_0 in E. eapply Rle_trans; [exact (proj2 (series_below _ 16 E))|].
  eapply Rle_trans; [now apply exp_series|]. apply exp_monotone, rounded_down_le.
Qed.

Lemma exp_at_least_correct b g : exp_at_least b g = true -> Q2R b <= exp (Q2R g).
Proof. unfold exp_at_least. intros H. apply Qle_bool_R in H. eapply Rle_trans; [exact H|apply exp_below_correct]. Qed.
Lemma exp_at_least_negative b g : exp_at_least b g = true -> 0 < Q2R b -> exp (- Q2R g) <= / Q2R b.
Proof. intros H P. apply exp_negative_upper; [exact P|now apply exp_at_least_correct]. Qed.
Lemma exp_at_least_positive b g : exp_at_least b g = true -> 1 < Q2R b -> 0 < Q2R g.
Proof. intros H P. apply exp_at_least_correct in H. apply exp_lt_inv. rewrite exp_0. lra. Qed.

(* ---- lookups ---- *)
(* At least e^(-g), and at most 2/3. *)
Definition negative_exp_above (g : Q) : option Q :=
  let e := exp_below g in if Qle_bool (3 # 2) e then Some (rounded_up (/ e)) else None.

Fixpoint rational_power (q : Q) (k : nat) : Q := match k with O => 1 | S k => q * rational_power q k end%Q.
Fixpoint rational_sum (n : nat) (f : nat -> Q) : Q := match n with O => 0 | S k => rational_sum k f + f (S k) end%Q.
Definition rational_mass (q : Q) (K : nat) : Q := rational_sum K (fun k => rational_power q (k * k)).
Definition rational_moment (q : Q) (K : nat) : Q :=
  rational_sum K (fun k => inject_Z (Z.of_nat k) * rational_power q (k * k))%Q.

(* An upper bound of (q + 2q^4 + 3q^9 + ...) / (1 + q + q^4 + q^9 + ...). *)
Definition mean_error (g : Q) : option Q :=
  match negative_exp_above g with
  | Some q =>
      let e := rounded_up ((rational_moment q 3 + rational_power q 10 / (1 - q)) / (1 + rational_mass q 3))%Q in
      if Qle_bool q (7 # 10) && Qle_bool e 1 then Some e else None
  | None => None
  end.

(* q + q^4 + q^9 + ... <= 1/6. *)
Definition reads_tables (g : Q) : bool :=
  match negative_exp_above g with
  | Some q => Qle_bool q (7 # 10) && Qle_bool (q + rational_power q 4 / (1 - rational_power q 5)) (1 # 6)
  | None => false
  end.

Lemma rational_power_value q k : Q2R (rational_power q k) = Q2R q ^ k.
Proof. induction k as [|k IH]; [apply Q2R_1|]. cbn [rational_power pow]. now rewrite Q2R_mult, IH. Qed.
Lemma rational_sum_value n f : Q2R (rational_sum n f) = sum_to n (fun k => Q2R (f k)).
Proof. induction n as [|n IH]; [apply Q2R_0|]. cbn [rational_sum sum_to]. now rewrite Q2R_plus, IH. Qed.
Lemma rational_mass_value q K : Q2R (rational_mass q K) = gaussian_mass (Q2R q) K.
Proof. unfold rational_mass. rewrite rational_sum_value. apply sum_ext. intros. apply rational_power_value. Qed.

Lemma rational_moment_value q K : Q2R (rational_moment q K) = gaussian_moment (Q2R q) K.
Proof.
  unfold rational_moment. rewrite rational_sum_value. apply sum_ext. intros k _.
  now rewrite Q2R_mult, Q2R_of_nat, rational_power_value.
Qed.

Lemma negative_exp_above_correct g q : negative_exp_above g = Some q -> exp (- Q2R g) <= Q2R q.
Proof.
  unfold negative_exp_above. cbv zeta. destruct (Qle_bool (3 # 2) (exp_below g)) eqn:E; [|discriminate].
  intros [= <-]. apply Qle_bool_R in E. assert (P : 0 < Q2R (exp_below g)).
  { eapply Rlt_le_trans; [|exact E]. unfold Q2R. simpl. lra. }
  eapply Rle_trans; [|apply rounded_up_le]. rewrite Q2R_inv.
  - apply exp_negative_upper; [exact P|apply exp_below_correct].
  - intros Z. apply Qeq_eqR in Z. rewrite Q2R_0 in Z. lra.
Qed.

Lemma Q2R_quotient x y : Q2R y <> 0 -> Q2R (x / y) = Q2R x / Q2R y.
Proof. intros H. apply Q2R_div. intros Z. apply Qeq_eqR in Z. rewrite Q2R_0 in Z. now apply H. Qed.

Lemma at_most_7_10 g q : negative_exp_above g = Some q -> Qle_bool q (7 # 10) = true ->
  0 < exp (- Q2R g) <= Q2R q /\ 0 < Q2R q < 1 /\ Q2R q * Q2R q <= / 2.
Proof.
  intros E H. apply negative_exp_above_correct in E. apply Qle_bool_R in H. pose proof (exp_pos (- Q2R g)).
  revert H. rationals. intros H. repeat split; try lra. nra.
Qed.

Lemma negative_exp_above_positive g q : negative_exp_above g = Some q -> 0 < Q2R g.
Proof.
  unfold negative_exp_above. fold (exp_at_least (3 # 2) g). destruct (exp_at_least (3 # 2) g) eqn:X; [|discriminate].
  intros _. apply (exp_at_least_positive _ _ X). rationals. lra.
Qed.

Lemma mean_error_correct g e : mean_error g = Some e -> 0 < Q2R g /\ Q2R e <= 1 /\ mean_within (exp (- Q2R g)) (Q2R e).
Proof.
  unfold mean_error. destruct (negative_exp_above g) as [q|] eqn:E; [|discriminate].
  destruct (_ && _)%bool eqn:C; [|discriminate]. intros [= <-]. apply andb_prop in C as [C1 C2].
  destruct (at_most_7_10 g q E C1) as (L & Hq & Half). apply Qle_bool_R in C2. rewrite Q2R_1 in C2.
  set (e := rounded_up _) in *. split; [exact (negative_exp_above_positive g q E)|]. split; [exact C2|].
  apply (mean_within_smaller (Q2R q)); [exact L|exact C2|]. pose proof (gaussian_mass_nonneg (Q2R q) Hq 3).
  pose proof (moment_nonneg (Q2R q) Hq 3). assert (0 <= Q2R q ^ 10) by (apply pow_le; lra).
  assert (T : 0 <= Q2R q ^ 10 / (1 - Q2R q)).
  { auto with signs. }
  assert (B : (gaussian_moment (Q2R q) 3 + Q2R q ^ 10 / (1 - Q2R q)) / (1 + gaussian_mass (Q2R q) 3) <= Q2R e).
  { eapply Rle_trans; [|apply rounded_up_le].
    rewrite !Q2R_quotient, !Q2R_plus, rational_moment_value, rational_mass_value, Q2R_quotient, rational_power_value;
      rewrite ?Q2R_plus, ?Q2R_minus, ?rational_mass_value, ?Q2R_1; lra. }
  apply (mean_within_terms (Q2R q) (Q2R e) 3 Hq Half).
  - eapply Rle_trans; [|exact B]. auto with signs.
  - apply Rmult_le_compat_r with (r := 1 + gaussian_mass (Q2R q) 3) in B; [|lra].
    unfold Rdiv at 1 in B. rewrite Rmult_assoc, Rinv_l, Rmult_1_r in B by lra. exact B.
Qed.

Lemma reads_tables_correct g : reads_tables g = true -> mass_within (exp (- Q2R g)) (1 / 6).
Proof.
  unfold reads_tables. destruct (negative_exp_above g) as [q|] eqn:E; [|discriminate]. intros C.
  apply andb_prop in C as [C1 C2]. destruct (at_most_7_10 g q E C1) as (L & Hq & _).
  pose proof (pow_lt_1_compat (Q2R q) 5 ltac:(lra) ltac:(lia)). apply Qle_bool_R in C2.
  rewrite Q2R_plus, Q2R_quotient, Q2R_minus, !rational_power_value in C2;
    rewrite ?Q2R_minus, ?rational_power_value, ?Q2R_1 in *; [|lra].
  intros K. eapply Rle_trans; [apply (mass_within_smaller (Q2R q) _ _ L (mass_within_terms (Q2R q) Hq))|].
  revert C2. rationals. lra.
Qed.

Lemma reads_tables_positive g : reads_tables g = true -> 0 < Q2R g.
Proof.
  unfold reads_tables. destruct (negative_exp_above g) as [q|] eqn:E; [|discriminate]. intros _.
  exact (negative_exp_above_positive g q E).
Qed.
