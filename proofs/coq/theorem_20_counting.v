(* [SHA] Theorem 20, as repaired (DIVERGENCES.md): comparisons of counts, and predicates on counts.

   Proved, for every n, every position and all truth values p of the counted formula: a uniform head holds count/L
   exactly (L positions are looked at); two ReLUs hold 1/L exactly where p holds; so a head can look up position m + 1,
   where m *other* positions are counted, and holds m to within e^(-gamma C) (Lemma 7); comparisons with coefficients of
   total weight C, and predicates on counts, are then exact. Idea of the repair: m is in 0, ..., L - 1, so position
   m + 1 always exists, while position count or count + 1 may not (theorem_20_as_printed.v). *)
From Coq Require Import Reals Lra Lia Arith Bool List ZArith.
From Certify Require Import finite_sums softmax exponential lemma_07_table_lookup lemma_09_rounding formula.
Import ListNotations.
Open Scope R_scope.

(* ---- how many positions are looked at, and how many of them beside i are counted ---- *)
Definition span (s : side) (n i : nat) : nat := match s with ToLeft => i | ToRight => S n - i end.
Definition others (s : side) (n : nat) (p : nat -> bool) (i : nat) : nat := counted s n p i - Nat.b2n (p i).

Lemma span_range s n i : (1 <= i <= n)%nat -> (1 <= span s n i <= n)%nat.
Proof. unfold span. destruct s; lia. Qed.

Lemma counted_apart s n p i : (1 <= i <= n)%nat ->
  exists rest, counted s n p i = (rest + Nat.b2n (p i))%nat /\ (rest < span s n i)%nat.
Proof.
  intros H. unfold counted, looked_at, span. destruct s.
  - exists (length (filter p (seq 1 (i - 1)))). split.
    + replace i with (i - 1 + 1)%nat at 1 by lia. rewrite seq_app, filter_app, app_length. f_equal.
      replace (1 + (i - 1))%nat with i by lia. simpl. now destruct (p i).
    + pose proof (filter_shorter p (seq 1 (i - 1))) as L. rewrite seq_length in L. lia.
  - exists (length (filter p (seq (S i) (n - i)))). split.
    + replace (S n - i)%nat with (S (n - i)) by lia. simpl. destruct (p i); simpl; lia.
    + pose proof (filter_shorter p (seq (S i) (n - i))) as L. rewrite seq_length in L. lia.
Qed.

Lemma others_bound s n p i : (1 <= i <= n)%nat -> (others s n p i + 1 <= span s n i)%nat.
Proof. intros H. destruct (counted_apart s n p i H) as (r & E & L). unfold others. lia. Qed.

Lemma counted_others s n p i : (1 <= i <= n)%nat -> INR (counted s n p i) = INR (others s n p i) + bit (p i).
Proof.
  intros H. destruct (counted_apart s n p i H) as (r & E & L). unfold others. rewrite E, Nat.add_sub, plus_INR.
  destruct (p i); simpl; lra.
Qed.

(* ---- the mean head ---- *)
Definition side_mask (s : side) (i : nat) : mask := match s with ToLeft => future i | ToRight => past i end.

Lemma sum_bits p a k : sum k (fun j => bit (p (a + j)%nat)) = INR (length (filter p (seq (S a) k))).
Proof.
  revert a. induction k as [|k IH]; intros a; [reflexivity|]. rewrite seq_S, filter_app, app_length, plus_INR.
  cbn [sum]. rewrite IH. f_equal. replace (S a + k)%nat with (a + S k)%nat by lia. simpl.
  now destruct (p (a + S k)%nat).
Qed.

Theorem mean_head s n p i c : (1 <= i <= n)%nat ->
  attend n (side_mask s i) (fun _ => c) (fun j => bit (p j)) = INR (counted s n p i) / INR (span s n i).
Proof.
  intros H. destruct s; simpl.
  - rewrite attend_uniform_future by exact H. f_equal. apply (sum_bits p 0).
  - rewrite attend_uniform_past by exact H. f_equal.
    replace n with ((i - 1) + (S n - i))%nat at 1 by lia. rewrite sum_cut, sum_bits.
    replace (S (i - 1)) with i by lia. unfold counted. simpl. lra.
Qed.

(* Exactly 1/L where the position is counted, else 0: ReLU(1/L) - ReLU(1/L - [p]). *)
Theorem here_units (b : bool) (L : nat) : (1 <= L)%nat ->
  relu (1 / INR L) - relu (1 / INR L - bit b) = 1 / INR L * bit b.
Proof.
  intros H. apply le_INR in H. simpl in H.
  assert (0 < 1 / INR L) by (apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]).
  assert (1 / INR L <= 1). { apply Rmult_le_reg_r with (INR L); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  rewrite relu_linear by lra. destruct b; simpl; [rewrite relu_zero by lra|rewrite relu_linear by lra]; lra.
Qed.

(* ---- the lookup heads ---- *)
Definition lookup_mask (s : side) (i : nat) : mask := match s with ToLeft => future i | ToRight => no_mask end.

(* What the future mask hides is as good as absent. *)
Lemma attend_future n i s v : (1 <= i <= n)%nat -> attend n (future i) s v = attend i no_mask s v.
Proof.
  intros H. assert (E : forall f, sum n (fun j => weight (future i) s j * f j) = sum i
    (fun j => weight no_mask s j * f j)).
  { intros f. rewrite <- (sum_up_to n i) by lia. apply sum_ext. intros j _.
    unfold weight, future, no_mask. destruct (j <=? i)%nat; simpl; lra. }
  assert (Z : sum n (weight (future i) s) = sum i (weight no_mask s)).
  { rewrite (sum_ext n _ (fun j => weight (future i) s j * 1)), (E (fun _ => 1)) by (intros; ring).
    apply sum_ext. intros. ring. }
  unfold attend, softmax. rewrite Z, (sum_ext n _ (fun j => weight (future i) s j * (v j / sum i (weight no_mask s)))),
    E; [apply sum_ext|]; intros; unfold Rdiv; ring.
Qed.

Definition window (s : side) (n i : nat) : nat := match s with ToLeft => i | ToRight => n end.

Lemma attend_lookup s n i score v : (1 <= i <= n)%nat ->
  attend n (lookup_mask s i) score v = attend (window s n i) no_mask score v.
Proof. intros H. destruct s; [now apply attend_future|reflexivity]. Qed.

Section Lookup.
Variables (s : side) (n i : nat) (p : nat -> bool) (g h : R).
Hypothesis Hi : (1 <= i <= n)%nat.
Hypothesis Hg : 0 < g.
Hypothesis Sharper : g <= h.                        (* h is the sharpness of the scores, at least g *)

Let m := others s n p i.
Let place := lookup_score h (m + 1).

Lemma place_exists : (1 <= m + 1 <= window s n i)%nat.
Proof. pose proof (others_bound s n p i Hi) as B. fold m in B. unfold span, window in *. destruct s; lia. Qed.

Lemma attend_minus_1 N c : (1 <= N)%nat ->
  attend N no_mask c (fun j => INR j - 1) = attend N no_mask c INR - 1.
Proof.
  intros H. assert (V : visible N no_mask N) by (split; [lia|reflexivity]). symmetry.
  replace (_ - 1) with (attend N no_mask c INR - sum N (softmax N no_mask c)) by now rewrite (softmax_total _ _ _ N V).
  unfold attend. rewrite <- sum_minus. apply sum_ext. intros. lra.
Qed.

Theorem others_head : exp (- g) * exp (- g) <= / 2 ->
  Rabs (INR m - attend n (lookup_mask s i) place (fun j => INR j - 1)) <= exp (- g).
Proof.
  intros Half. assert (M : exp (- h) <= exp (- g)) by (apply exp_monotone; lra). pose proof (exp_pos (- h)).
  rewrite attend_lookup, attend_minus_1 by (apply place_exists || exact Hi || (pose proof place_exists; lia)).
  pose proof (lemma_07 (window s n i) (m + 1) h place_exists ltac:(lra)) as E.
  replace (INR m - (_ - 1)) with (INR (m + 1) - attend (window s n i) no_mask place INR) by
    (rewrite plus_INR; simpl; lra).
  eapply Rle_trans; [apply E|exact M]. eapply Rle_trans; [|exact Half]. apply Rmult_le_compat; lra.
Qed.

(* Any table of values in [0, 1]; the error is at most 2q/(1+q), so 1/4 where q <= 1/7. *)
Theorem table_head v : exp (- g) <= 1 / 7 -> (forall j, (1 <= j <= window s n i)%nat -> 0 <= v j <= 1) ->
  Rabs (v (m + 1)%nat - attend n (lookup_mask s i) place v) <= 1 / 4.
Proof.
  intros Small Hv. assert (M : exp (- h) <= exp (- g)) by (apply exp_monotone; lra). pose proof (exp_pos (- h)).
  rewrite attend_lookup by exact Hi. eapply Rle_trans; [apply lookup_value; [apply place_exists|lra|exact Hv]|].
  apply Rmult_le_reg_r with (1 + exp (- h)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(* The values theta(j) and theta(j - 1) at j = m + 1, of which p at i picks the predicate of the count. *)
Theorem predicate_heads (theta : nat -> bool) : exp (- g) <= 1 / 7 ->
  (p i = true -> near (theta (counted s n p i)) (attend n (lookup_mask s i) place (fun j => bit (theta j)))) /\
  (p i = false -> near (theta (counted s n p i)) (attend n (lookup_mask s i) place (fun j => bit (theta (j - 1)%nat)))).
Proof.
  intros Small. destruct (counted_apart s n p i Hi) as (r & E & L).
  assert (V : visible n (lookup_mask s i) i) by (destruct s; [now apply visible_future|now split]).
  assert (Em : m = r) by (unfold m, others; lia).
  split; intros P; rewrite P in E; simpl in E; (eapply near_from_error; [|apply Rle_refl|]);
    try (eapply attend_range; [exact V|intros; apply bit_range]).
  - replace (counted s n p i) with (m + 1)%nat by lia.
    apply (table_head (fun j => bit (theta j)) Small). intros. apply bit_range.
  - replace (counted s n p i) with (m + 1 - 1)%nat by lia.
    apply (table_head (fun j => bit (theta (j - 1)%nat)) Small). intros. apply bit_range.
Qed.
End Lookup.

(* ---- comparisons: |H - T| <= 1/4 decides the integer T exactly ---- *)
Definition step (x : R) : R := rounded (x + 1).

Lemma step_exact (T : Z) H : Rabs (H - IZR T) <= 1 / 4 -> step H = bit (Z.leb 0 T).
Proof.
  intros E. assert (B : IZR T - 1 / 4 <= H <= IZR T + 1 / 4) by (revert E; unfold Rabs; destruct Rcase_abs; lra).
  unfold step. destruct (Z.leb_spec 0 T) as [L|L]; simpl.
  - apply IZR_le in L. apply lemma_09_true. lra.
  - assert (L' : (T <= -1)%Z) by lia. apply IZR_le in L'. apply lemma_09_false. lra.
Qed.

(* The units of all six relations, from the steps at H and at H - 1. *)
Definition decided (r : relation) (at_0 at_1 : R) : R :=
  match r with
  | AtLeast => at_0 | Above => at_1 | Below => 1 - at_0 | AtMost => 1 - at_1
  | Equal => at_0 - at_1 | Unequal => 1 - at_0 + at_1
  end.

Lemma decided_exact r (T : Z) H : Rabs (H - IZR T) <= 1 / 4 ->
  decided r (step H) (step (H - 1)) = bit (relates r T 0).
Proof.
  intros E. rewrite (step_exact T H E), (step_exact (T - 1) (H - 1)).
  - unfold relates. destruct r, (Z.leb_spec 0 T), (Z.leb_spec 0 (T - 1)), (Z.leb_spec T 0), (Z.ltb_spec T 0),
      (Z.ltb_spec 0 T), (Z.eqb_spec T 0); simpl; try lia; lra.
  - rewrite minus_IZR. replace (H - 1 - (IZR T - 1)) with (H - IZR T) by lra. exact E.
Qed.

(* A term whose counts are replaced by what the lookup heads hold, and its total weight C. *)
Section Terms.
Variables (users : nat -> nat -> nat -> bool) (n : nat) (w : word) (i : nat).
Variable held : side -> formula -> R.
Hypothesis Hi : (1 <= i <= n)%nat.

Fixpoint approximated (t : term) : R :=
  match t with
  | Number c => IZR c
  | Plus a s f rest => IZR a * (held s f + bit (truth users n w f i)) + approximated rest
  end.
Fixpoint total_weight (t : term) : R :=
  match t with Number _ => 0 | Plus a _ _ rest => Rabs (IZR a) + total_weight rest end.

Lemma total_weight_nonneg t : 0 <= total_weight t.
Proof. induction t; simpl; [lra|]. pose proof (Rabs_pos (IZR a)). lra. Qed.

Lemma approximated_error e t :
  (forall s f, Rabs (INR (others s n (truth users n w f) i) - held s f) <= e) ->
  Rabs (approximated t - IZR (value users n w t i)) <= total_weight t * e.
Proof.
  intros He. induction t as [c|a s f rest IH]; simpl; [rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; lra|].
  change (value users n w (Plus a s f rest) i)
    with (a * Z.of_nat (counted s n (truth users n w f) i) + value users n w rest i)%Z.
  rewrite plus_IZR, mult_IZR, <- INR_IZR_INZ, (counted_others s n _ i Hi). specialize (He s f).
  set (x := held s f) in *. set (m := INR (others _ _ _ _)) in *. set (b := bit _).
  replace (IZR a * (x + b) + approximated rest - (IZR a * (m + b) + IZR (value users n w rest i)))
    with (- (IZR a * (m - x)) + (approximated rest - IZR (value users n w rest i))) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp, Rabs_mult, Rmult_plus_distr_r.
  apply Rplus_le_compat; [|exact IH]. apply Rmult_le_compat_l; [apply Rabs_pos|exact He].
Qed.
End Terms.

(* C e^(-3C) <= 1/4 for every C: sharpness 3C is enough for coefficients of total weight C. *)
Lemma weight_enough C : 0 <= C -> C * exp (- (3 * C)) <= 1 / 4.
Proof.
  intros H. pose proof (exp_lower (3 * C) 2 ltac:(lra) ltac:(lia)) as E.
  replace (INR 2) with 2 in E by (simpl; lra). rewrite exp_Ropp.
  assert (P : 0 < exp (3 * C)) by apply exp_pos.
  apply Rmult_le_reg_r with (exp (3 * C)); [exact P|]. rewrite Rmult_assoc, Rinv_l by lra.
  assert (4 * C <= (1 + 3 * C / 2) ^ 2); [|lra]. simpl. nra.
Qed.

Theorem comparison_exact users n w i held r t : (1 <= i <= n)%nat ->
  (forall s f, Rabs (INR (others s n (truth users n w f) i) - held s f) <= exp (- (3 * total_weight t))) ->
  let H := approximated users n w i held t in
  decided r (step H) (step (H - 1)) = bit (relates r (value users n w t i) 0).
Proof.
  intros Hi He. apply decided_exact. eapply Rle_trans; [apply (approximated_error users n w i held Hi _ t He)|].
  apply weight_enough, total_weight_nonneg.
Qed.

(* ---- the statements: queries 3C [count/L - here/L, 1/L], keys [2j, 2j - j^2]; temperature 1/n (a), or keys
   scaled by n (b). Only these scores are left to compare with the lookup of m + 1. ---- *)
Section Printed.
Variables (s : side) (n i : nat) (p : nat -> bool) (C : R).
Hypothesis Hi : (1 <= i <= n)%nat.
Hypothesis HC : 1 <= C.

Let L := INR (span s n i).
Let mean := INR (counted s n p i) / L.
Let here := 1 / L * bit (p i).

Definition raw_score (j : nat) : R :=
  (3 * C * mean - 3 * C * here) * (2 * INR j) + 3 * C * (1 / L) * (2 * INR j - INR j ^ 2).

Lemma L_range : 1 <= L <= INR n.
Proof. pose proof (span_range s n i Hi) as [A B]. split; [now apply INR_at_least_1|now apply le_INR]. Qed.

Lemma raw_score_is_lookup scale j : raw_score j * scale = lookup_score (3 * C * (scale / L)) (others s n p i + 1) j.
Proof.
  pose proof L_range. unfold raw_score, mean, here, lookup_score. rewrite (counted_others s n p i Hi), plus_INR.
  simpl (INR 1). field. lra.
Qed.

Lemma sharp_enough : exp (- (3 * C)) * exp (- (3 * C)) <= / 2 /\ exp (- (3 * C)) <= 1 / 7.
Proof.
  pose proof (seventh (3 * C) ltac:(lra)). pose proof (exp_pos (- (3 * C))). split; [nra|exact H].
Qed.

Lemma others_scaled scale : 1 <= scale / L -> forall score, (forall j, score j = raw_score j * scale) ->
  Rabs (INR (others s n p i) - attend n (lookup_mask s i) score (fun j => INR j - 1)) <= exp (- (3 * C)).
Proof.
  intros Hs score E.
  rewrite (attend_ext _ _ score (lookup_score (3 * C * (scale / L)) (others s n p i + 1)) _ (fun j => INR j - 1)).
  - apply others_head; [exact Hi|lra| |apply sharp_enough].
    rewrite <- (Rmult_1_r (3 * C)) at 1. apply Rmult_le_compat_l; lra.
  - intros j _. rewrite E. apply raw_score_is_lookup.
  - reflexivity.
Qed.

Lemma scale_n : 1 <= INR n / L.
Proof.
  pose proof L_range. apply Rmult_le_reg_r with L; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Theorem theorem_20a_others :
  Rabs (INR (others s n p i)
        - attend n (lookup_mask s i) (fun j => raw_score j / (1 / INR n)) (fun j => INR j - 1)) <= exp (- (3 * C)).
Proof. apply (others_scaled (INR n) scale_n). intros. pose proof L_range. field. lra. Qed.

Theorem theorem_20b_others :
  Rabs (INR (others s n p i)
        - attend n (lookup_mask s i) (fun j => raw_score j * INR n / 1) (fun j => INR j - 1)) <= exp (- (3 * C)).
Proof. apply (others_scaled (INR n) scale_n). intros. field. Qed.

Lemma predicate_scaled scale (theta : nat -> bool) : 1 <= scale / L ->
  forall score, (forall j, score j = raw_score j * scale) ->
  (p i = true -> near (theta (counted s n p i)) (attend n (lookup_mask s i) score (fun j => bit (theta j)))) /\
  (p i = false -> near (theta (counted s n p i)) (attend n (lookup_mask s i) score (fun j => bit (theta (j - 1)%nat)))).
Proof.
  intros Hs score E. assert (Hh : 3 * C <= 3 * C * (scale / L)).
  { rewrite <- (Rmult_1_r (3 * C)) at 1. apply Rmult_le_compat_l; lra. }
  destruct (predicate_heads s n i p (3 * C) (3 * C * (scale / L)) Hi ltac:(lra) Hh theta) as [A B];
    [apply sharp_enough|].
  assert (X : forall v, attend n (lookup_mask s i) score v
    = attend n (lookup_mask s i) (lookup_score (3 * C * (scale / L)) (others s n p i + 1)) v).
  { intros v. apply attend_ext; [|reflexivity]. intros j _. rewrite E. apply raw_score_is_lookup. }
  split; intros P; rewrite X; auto.
Qed.

Theorem theorem_20a_predicate theta :
  (p i = true -> near (theta (counted s n p i))
     (attend n (lookup_mask s i) (fun j => raw_score j / (1 / INR n)) (fun j => bit (theta j)))) /\
  (p i = false -> near (theta (counted s n p i))
     (attend n (lookup_mask s i) (fun j => raw_score j / (1 / INR n)) (fun j => bit (theta (j - 1)%nat)))).
Proof. apply (predicate_scaled (INR n) theta scale_n). intros. pose proof L_range. field. lra. Qed.

Theorem theorem_20b_predicate theta :
  (p i = true -> near (theta (counted s n p i))
     (attend n (lookup_mask s i) (fun j => raw_score j * INR n / 1) (fun j => bit (theta j)))) /\
  (p i = false -> near (theta (counted s n p i))
     (attend n (lookup_mask s i) (fun j => raw_score j * INR n / 1) (fun j => bit (theta (j - 1)%nat)))).
Proof. apply (predicate_scaled (INR n) theta scale_n). intros. field. Qed.
End Printed.

(* The feed-forward layer that picks one of the two: x where the position is counted, y where not. *)
Definition picked (x y : R) (here : R) : R := rounded (x + here - 1) + rounded (y - here).

Theorem picked_exact x y (here b : bool) : 0 <= x <= 1 -> 0 <= y <= 1 ->
  (here = true -> near b x) -> (here = false -> near b y) -> picked x y (bit here) = bit b.
Proof.
  intros Hx Hy A B. unfold picked. destruct here; simpl.
  - rewrite (lemma_09_false (y - 1)) by lra. replace (x + 1 - 1) with x by lra. rewrite (near_rounded b x); [lra|auto].
  - rewrite (lemma_09_false (x + 0 - 1)) by lra. replace (y - 0) with y by lra. rewrite (near_rounded b y); [lra|auto].
Qed.
