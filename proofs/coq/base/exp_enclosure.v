(* e^(-x) for a real number x >= 0 between two multiples of 2^-b, by integer arithmetic only.

   An integer z denotes z/2^b. Method: x = 2^k t with t <= 1/32. From above, e^(-t) <= 1/h, where h is a partial sum
   of the series of e^t by Horner's rule; from below, e^(-t) is at least a partial sum of the alternating series that
   ends with a negative term, again by Horner's rule with every step between two numbers. Then k squarings. Every
   product is rounded outwards, by shifts. Proved: both sides, for every b and x. *)
From Coq Require Import Reals ZArith Lra Lia Arith AltSeries SeqProp Rtrigo_def.
From Certify Require Import finite_sums exponential.
Open Scope R_scope.

Definition ceiling_div (a b : Z) : Z := (- (- a / b))%Z.

Lemma floor_div_le a b : (0 < b)%Z -> IZR (a / b) <= IZR a / IZR b.
Proof.
  intros H. assert (P : 0 < IZR b) by now apply IZR_lt. apply Rmult_le_reg_r with (IZR b); [exact P|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. rewrite <- mult_IZR. apply IZR_le.
  rewrite Z.mul_comm. now apply Z.mul_div_le.
Qed.
Lemma ceiling_div_ge a b : (0 < b)%Z -> IZR a / IZR b <= IZR (ceiling_div a b).
Proof.
  intros H. pose proof (floor_div_le (- a) b H) as F. unfold ceiling_div. rewrite opp_IZR in *. unfold Rdiv in *.
  rewrite Ropp_mult_distr_l_reverse in F. lra.
Qed.

(* ---- partial sums by Horner's rule ---- *)
(* 1 + c t/m (1 + c t/(m+1) (... )), with k factors; c is 1 or -1. *)
Local Fixpoint horner (c t : R) (m k : nat) : R :=
  match k with O => 1 | S k => 1 + c * (t * horner c t (S m) k / INR m) end.

Lemma horner_sum c t k : forall m, sum_f_R0 (fun j => / INR (fact j) * (c * t) ^ j) (m + k) = sum_f_R0 (fun j =>
  / INR (fact j) * (c * t) ^ j) m + / INR (fact m) * (c * t) ^ m * (horner c t (S m) k - 1).
Proof.
  induction k as [|k IH]; intros m; [rewrite Nat.add_0_r; simpl; ring|].
  replace (m + S k)%nat with (S m + k)%nat by lia. rewrite IH. cbn [sum_f_R0 horner]. rewrite fact_simpl, mult_INR.
  cbn [pow]. pose proof (INR_fact_neq_0 m). assert (INR (S m) <> 0) by (apply not_0_INR; lia). field. now split.
Qed.
Lemma horner_from_1 c t k : horner c t 1 k = sum_f_R0 (fun j => / INR (fact j) * (c * t) ^ j) k.
Proof. change k with (0 + k)%nat at 2. rewrite horner_sum. simpl. field. Qed.

Lemma exp_above_horner t k : 0 <= t -> horner 1 t 1 k <= exp t.
Proof.
  intros H. rewrite horner_from_1. eapply Rle_trans; [|now apply (exp_series t k)]. right.
  apply sum_eq. intros j _. now rewrite Rmult_1_l.
Qed.

(* The series of e^(-t) alternates, and its terms fall: a sum that ends with a negative term is too small. *)
Lemma decay_above_horner t k : 0 <= t <= 1 -> horner (-1) t 1 (S (2 * k)) <= exp (- t).
Proof.
  intros Ht. rewrite horner_from_1. set (term := fun j => / INR (fact j) * t ^ j).
  rewrite (sum_eq _ (tg_alt term)) by (intros j _; unfold tg_alt, term; rewrite Rpow_mult_distr; ring).
  apply alternated_series_ineq.
  - intros j. unfold term. rewrite fact_simpl, mult_INR. cbn [pow]. pose proof (INR_fact_lt_0 j).
    assert (P : 1 <= INR (S j)) by (apply (le_INR 1); lia). rewrite Rinv_mult. pose proof (pow_le t j (proj1 Ht)).
    pose proof (Rinv_0_lt_compat _ H). assert (I : 0 < / INR (S j) <= 1).
    { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
    replace (/ INR (S j) * / INR (fact j) * (t * t ^ j)) with (/ INR (fact j) * t ^ j * (/ INR (S j) * t)) by ring.
    rewrite <- (Rmult_1_r (/ INR (fact j) * t ^ j)) at 2. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|].
    rewrite <- (Rmult_1_r 1). apply Rmult_le_compat; lra.
  - intros eps He. destruct (cv_speed_pow_fact t eps He) as (N & H). exists N. intros j Hj. specialize (H j Hj).
    unfold term. rewrite Rmult_comm. exact H.
  - intros eps He. destruct (proj2_sig (exist_exp (- t)) eps He) as (N & H). exists N. intros j Hj.
    unfold exp. rewrite (sum_eq _ (fun i => / INR (fact i) * (- t) ^ i)); [exact (H j Hj)|].
    intros i _. unfold tg_alt, term. replace (- t) with (-1 * t) by ring. rewrite Rpow_mult_distr. ring.
Qed.

(* ---- fixed point ---- *)
Section Fixed.
Variable b : Z.
Definition fixed_unit : Z := Z.shiftl 1 b.
Hypothesis Hb : (0 <= b)%Z.
Notation u := (IZR (2 ^ b)).
Definition fixed (z : Z) : R := IZR z / u.

Lemma u_pos : 0 < u. Proof. apply IZR_lt. now apply Z.pow_pos_nonneg. Qed.
Lemma one_power : fixed_unit = (2 ^ b)%Z. Proof. unfold fixed_unit. rewrite Z.shiftl_mul_pow2 by exact Hb. lia. Qed.
Lemma fixed_one : fixed fixed_unit = 1. Proof. unfold fixed. rewrite one_power. pose proof u_pos. field. lra. Qed.
Lemma fixed_le x y : (x <= y)%Z -> fixed x <= fixed y.
Proof. intros H. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, u_pos|now apply IZR_le]. Qed.
Lemma fixed_le_iff x y : fixed x <= fixed y -> (x <= y)%Z.
Proof. intros H. apply le_IZR. apply Rmult_le_reg_r with (/ u); [apply Rinv_0_lt_compat, u_pos|exact H]. Qed.
Lemma fixed_0 : fixed 0 = 0. Proof. unfold fixed, Rdiv. ring. Qed.
Lemma fixed_nonneg x : (0 <= x)%Z -> 0 <= fixed x. Proof. intros H. rewrite <- fixed_0. now apply fixed_le. Qed.
Lemma fixed_plus x y : fixed (x + y) = fixed x + fixed y. Proof. unfold fixed. rewrite plus_IZR. unfold Rdiv. ring. Qed.
Lemma fixed_minus x y : fixed (x - y) = fixed x - fixed y.
Proof. unfold fixed. rewrite minus_IZR. unfold Rdiv. ring. Qed.
Lemma fixed_opp x : fixed (- x) = - fixed x. Proof. unfold fixed. rewrite opp_IZR. unfold Rdiv. ring. Qed.
Lemma fixed_times k x : fixed (k * x) = IZR k * fixed x. Proof. unfold fixed. rewrite mult_IZR. unfold Rdiv. ring. Qed.

Definition rounded_up (z k : Z) : Z := (- Z.shiftr (- z) k)%Z.        (* z/2^k, rounded up *)
Definition product_down (x y : Z) : Z := Z.shiftr (x * y) b.
Definition product_up (x y : Z) : Z := rounded_up (x * y) b.

Lemma shiftr_down z k : (0 <= k)%Z -> IZR (Z.shiftr z k) <= IZR z / IZR (2 ^ k).
Proof. intros K. rewrite Z.shiftr_div_pow2 by exact K. now apply floor_div_le, Z.pow_pos_nonneg. Qed.
Lemma rounded_up_ge z k : (0 <= k)%Z -> IZR z / IZR (2 ^ k) <= IZR (rounded_up z k).
Proof.
  intros K. unfold rounded_up. pose proof (shiftr_down (- z) k K) as F. rewrite opp_IZR in *. unfold Rdiv in *.
  rewrite Ropp_mult_distr_l_reverse in F. lra.
Qed.
Lemma product_over x y : IZR (x * y) / u / u = fixed x * fixed y.
Proof. unfold fixed. rewrite mult_IZR. pose proof u_pos. field. lra. Qed.
Lemma product_down_le x y : fixed (product_down x y) <= fixed x * fixed y.
Proof.
  rewrite <- product_over. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, u_pos|]. now apply shiftr_down.
Qed.
Lemma product_up_ge x y : fixed x * fixed y <= fixed (product_up x y).
Proof.
  rewrite <- product_over. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, u_pos|]. now apply rounded_up_ge.
Qed.
Lemma product_down_nonneg x y : (0 <= x)%Z -> (0 <= y)%Z -> (0 <= product_down x y)%Z.
Proof. intros. unfold product_down. apply Z.shiftr_nonneg. nia. Qed.
Lemma fixed_div_le x m : (0 < m)%Z -> fixed (x / m) <= fixed x / IZR m.
Proof.
  intros M. pose proof (floor_div_le x m M) as F. unfold fixed. replace (IZR x / u / IZR m) with (IZR x / IZR m / u)
    by (unfold Rdiv; ring).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, u_pos|exact F].
Qed.
Lemma fixed_div_ge x m : (0 < m)%Z -> fixed x / IZR m <= fixed (ceiling_div x m).
Proof.
  intros M. unfold ceiling_div. pose proof (fixed_div_le (- x) m M) as F. rewrite fixed_opp in *. unfold Rdiv in *.
  rewrite Ropp_mult_distr_l_reverse in F. lra.
Qed.

(* (z/2^b)^(2^k), rounded up or down *)
Fixpoint squared_up (k : nat) (z : Z) : Z := match k with O => z | S k => squared_up k (product_up z z) end.
Fixpoint squared_down (k : nat) (z : Z) : Z := match k with O => z | S k => squared_down k (product_down z z) end.

Lemma power_2_S x k : x ^ (2 ^ S k) = (x * x) ^ (2 ^ k).
Proof. replace (x * x) with (x ^ 2) by (simpl; ring). now rewrite <- pow_mult. Qed.
Lemma squared_up_ge k : forall x z, 0 <= x <= fixed z -> x ^ (2 ^ k) <= fixed (squared_up k z).
Proof.
  induction k as [|k IH]; intros x z H; [simpl; rewrite Rmult_1_r; apply H|]. rewrite power_2_S. cbn [squared_up].
  apply IH. split; [apply Rmult_le_pos; lra|]. eapply Rle_trans; [|apply product_up_ge]. apply Rmult_le_compat; lra.
Qed.
Lemma squared_down_le k : forall x z, (0 <= z)%Z -> fixed z <= x -> fixed (squared_down k z) <= x ^ (2 ^ k).
Proof.
  induction k as [|k IH]; intros x z Z0 H; [simpl; lra|]. rewrite power_2_S. cbn [squared_down].
  pose proof (fixed_nonneg z Z0). apply IH; [now apply product_down_nonneg|].
  eapply Rle_trans; [apply product_down_le|]. apply Rmult_le_compat; lra.
Qed.

(* ---- e^(-x) ---- *)
Fixpoint exp_horner (t m : Z) (k : nat) : Z :=
  match k with O => fixed_unit | S k => (fixed_unit + product_down t (exp_horner t (m + 1) k) / m)%Z end.

Lemma exp_horner_le t k : (0 <= t)%Z -> forall m, (1 <= m)%nat ->
  (fixed_unit <= exp_horner t (Z.of_nat m) k)%Z /\ fixed (exp_horner t (Z.of_nat m) k) <= horner 1 (fixed t) m k.
Proof.
  intros T.
  induction k as [|k IH]; intros m Hm; cbn [exp_horner horner]; [rewrite fixed_one; lra || (split; [lia|lra])|].
  replace (Z.of_nat m + 1)%Z with (Z.of_nat (S m)) by lia. destruct (IH (S m) ltac:(lia)) as [L H].
  set (g := exp_horner t (Z.of_nat (S m)) k) in *.
  assert (O : (0 <= fixed_unit)%Z) by (rewrite one_power; now apply Z.pow_nonneg).
  pose proof (product_down_nonneg t g T ltac:(lia)) as N. pose proof (fixed_nonneg t T).
  split; [pose proof (Z.div_pos _ (Z.of_nat m) N ltac:(lia)); lia|]. rewrite fixed_plus, fixed_one, Rmult_1_l.
  apply Rplus_le_compat_l. eapply Rle_trans; [apply fixed_div_le; lia|]. rewrite <- INR_IZR_INZ.
  apply Rmult_le_compat_r; [apply inverse_nonneg, lt_0_INR; lia|]. eapply Rle_trans; [apply product_down_le|].
  now apply Rmult_le_compat_l.
Qed.

(* The alternating sum with k terms after the first, between two numbers, for `below` <= t <= `above`. *)
Fixpoint decay_horner (below above m : Z) (k : nat) : Z * Z :=
  match k with
  | O => (fixed_unit, fixed_unit)
  | S k => let '(lo, hi) := decay_horner below above (m + 1) k in
           (fixed_unit - ceiling_div (product_up above hi) m, fixed_unit - product_down below lo / m)%Z
  end.

Lemma decay_horner_around below above t k : (0 <= below)%Z -> fixed below <= t <= fixed above -> t <= 1 -> forall m,
  (1 <= m)%nat -> 0 <= horner (-1) t m k <= 1 /\ fixed (fst (decay_horner below above (Z.of_nat m) k)) <= horner (-1)
  t m k <= fixed (snd (decay_horner below above (Z.of_nat m) k)).
Proof.
  intros B Ht T1. pose proof (fixed_nonneg below B) as B0.
  induction k as [|k IH]; intros m Hm; cbn [decay_horner horner]; [cbn [fst snd]; rewrite fixed_one; lra|].
  replace (Z.of_nat m + 1)%Z with (Z.of_nat (S m)) by lia. destruct (IH (S m) ltac:(lia)) as (X & L & H). clear IH.
  destruct (decay_horner below above (Z.of_nat (S m)) k) as [lo hi]. cbn [fst snd] in *.
  set (x := horner (-1) t (S m) k) in *. assert (Mp : 1 <= INR m) by (apply (le_INR 1); lia).
  assert (P : 0 <= t * x <= 1) by (split; [apply Rmult_le_pos; lra|]; rewrite <- (Rmult_1_r 1); apply Rmult_le_compat;
    lra). assert (D : 0 <= t * x / INR m <= 1).
  { split; [apply quotient_nonneg; lra|]. apply Rmult_le_reg_r with (INR m); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  split; [lra|]. rewrite !fixed_minus, fixed_one.
  assert (Up : t * x / INR m <= fixed (ceiling_div (product_up above hi) (Z.of_nat m))).
  { eapply Rle_trans; [|apply fixed_div_ge; lia]. rewrite <- INR_IZR_INZ.
    apply Rmult_le_compat_r; [apply inverse_nonneg; lra|]. eapply Rle_trans; [|apply product_up_ge].
    apply Rmult_le_compat; lra. }
  assert (Down : fixed (product_down below lo / Z.of_nat m) <= t * x / INR m).
  { eapply Rle_trans; [apply fixed_div_le; lia|]. rewrite <- INR_IZR_INZ.
    apply Rmult_le_compat_r; [apply inverse_nonneg; lra|]. eapply Rle_trans; [apply product_down_le|].
    destruct (Rle_lt_dec 0 (fixed lo)); [apply Rmult_le_compat; lra|].
    apply Rle_trans with 0; [|lra]. rewrite <- (Rmult_0_r (fixed below)). apply Rmult_le_compat_l; lra. }
  lra.
Qed.

(* t = x/2^k, and k such that t <= 1/32 *)
Local Definition halvings (x : Z) : Z := Z.max 0 (Z.log2 x - b + 6).
(* A number of terms for which the remainder is less than 2^-b. *)
Definition exp_horner_terms : nat := Z.to_nat (b / 8 + 2).
Definition decay_horner_terms : nat := Z.to_nat (b / 16 + 1).                       (* pairs of them *)

Definition decay_above (x : Z) : Z :=
  let k := halvings x in
  squared_up (Z.to_nat k) (ceiling_div (Z.shiftl fixed_unit b) (exp_horner (Z.shiftr x k) 1 exp_horner_terms)).
Definition decay_below (x : Z) : Z :=
  let k := halvings x in let above := rounded_up x k in
  if (above <=? fixed_unit)%Z then
    squared_down (Z.to_nat k) (Z.max 0 (fst (decay_horner (Z.shiftr x k) above 1 (S (2 * decay_horner_terms)))))
  else 0%Z.

Section Decay.
Variable x : Z.
Hypothesis Hx : (0 <= x)%Z.
Let k := Z.to_nat (halvings x).
Let t := fixed x / IZR (2 ^ halvings x).

Lemma halvings_nonneg : (0 <= halvings x)%Z. Proof. apply Z.le_max_l. Qed.
Lemma halved_nonneg : 0 <= t.
Proof. apply quotient_nonneg; [now apply fixed_nonneg|]. apply IZR_lt, Z.pow_pos_nonneg;
  [lia|apply halvings_nonneg]. Qed.
Lemma decay_power : exp (- fixed x) = exp (- t) ^ (2 ^ k).
Proof.
  rewrite exp_power. f_equal. f_equal. rewrite pow_INR. replace (INR 2) with 2 by (simpl; lra).
  unfold t. rewrite <- (Z2Nat.id (halvings x)) at 1 by apply halvings_nonneg. fold k. rewrite <- pow_IZR.
  field. apply pow_nonzero. lra.
Qed.
Lemma halved_around : fixed (Z.shiftr x (halvings x)) <= t <= fixed (rounded_up x (halvings x)).
Proof.
  unfold t, fixed. pose proof halvings_nonneg as H. pose proof (inverse_nonneg u u_pos).
  replace (IZR x / u / IZR (2 ^ halvings x)) with (IZR x / IZR (2 ^ halvings x) * / u) by (unfold Rdiv; ring).
  split; apply Rmult_le_compat_r; auto using shiftr_down, rounded_up_ge.
Qed.

Theorem decay_above_correct : exp (- fixed x) <= fixed (decay_above x).
Proof.
  unfold decay_above. rewrite decay_power. fold k. apply squared_up_ge. split; [left; apply exp_pos|].
  pose proof halved_nonneg as T0. set (s := Z.shiftr x (halvings x)).
  assert (S0 : (0 <= s)%Z) by now apply Z.shiftr_nonneg.
  destruct (exp_horner_le s exp_horner_terms S0 1 ltac:(lia)) as [G1 G2]. change (Z.of_nat 1) with 1%Z in *.
  set (g := exp_horner s 1 exp_horner_terms) in *. pose proof (proj1 halved_around) as L.
    fold s in L.
  pose proof (exp_above_horner (fixed s) exp_horner_terms (fixed_nonneg s S0)) as E. pose proof u_pos as Up.
  assert (Gp : 0 < fixed g) by (pose proof (fixed_le _ _ G1) as X; rewrite fixed_one in X; lra).
  apply Rle_trans with (/ fixed g).
  - apply exp_negative_upper; [exact Gp|]. pose proof (exp_monotone _ _ L). lra.
  - rewrite Z.shiftl_mul_pow2, one_power by exact Hb. unfold fixed. apply Rmult_le_reg_r with u; [exact Up|].
    replace (IZR (ceiling_div (2 ^ b * 2 ^ b) g) / u * u) with (IZR (ceiling_div (2 ^ b * 2 ^ b) g)) by (field; lra).
    assert (Gz : 0 < IZR g). { apply IZR_lt. apply Z.lt_le_trans with fixed_unit; [rewrite one_power;
      now apply Z.pow_pos_nonneg|exact G1]. }
    eapply Rle_trans; [|apply ceiling_div_ge; now apply lt_IZR]. rewrite mult_IZR. right. field. lra.
Qed.

Theorem decay_below_correct : fixed (decay_below x) <= exp (- fixed x).
Proof.
  unfold decay_below. pose proof halved_around as [L U].
  destruct (Z.leb_spec (rounded_up x (halvings x)) fixed_unit) as [A|].
  - rewrite decay_power. fold k. apply squared_down_le; [lia|]. apply fixed_le in A. rewrite fixed_one in A.
    assert (S0 : (0 <= Z.shiftr x (halvings x))%Z) by now apply Z.shiftr_nonneg.
    destruct (decay_horner_around _ _ t (S (2 * decay_horner_terms)) S0 (conj L U) ltac:(lra) 1 ltac:(lia))
      as (_ & B & _). change (Z.of_nat 1) with 1%Z in B.
    pose proof (decay_above_horner t decay_horner_terms (conj halved_nonneg (Rle_trans _ _ _ U A))) as E.
    destruct (Z.max_spec 0 (fst (decay_horner (Z.shiftr x (halvings x)) (rounded_up x (halvings x)) 1 (S (2 *
      decay_horner_terms))))) as [[_ ->]|[_ ->]]; [lra|]. rewrite fixed_0. left. apply exp_pos.
  - rewrite fixed_0. left. apply exp_pos.
Qed.
End Decay.

End Fixed.
(* The kernel compares such terms by their names, and must not unfold a chain of squarings. *)
#[global] Opaque decay_above decay_below.
