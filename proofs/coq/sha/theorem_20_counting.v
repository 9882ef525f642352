(* [SHA] Theorem 20, as repaired (DIVERGENCES.md): comparisons of counts, and predicates on counts.

   Proved, for every n, every position and all truth values p of the counted formula: a uniform head holds count/L
   exactly (L positions are looked at); two ReLUs hold 1/L exactly where p holds; so a head can look up position m + 1,
   where m *other* positions are counted, and holds m to within e, any bound of Lemma 7's sharp form at q = e^(-gamma)
   (for example q). Comparisons with coefficients of total weight C are then exact if C e <= 1/4: for C = 1 from
   gamma = 1.167 on (the paper: 3), for every C with gamma = 3C as in the paper. Predicates on counts are exact from
   gamma = 1.797 on, and ODD, EVEN and all that alternate from ln 6 = 1.791... on (the paper: 3).
   Units: a comparison saturates. ReLU(-2H - 1/2) is 0 where T >= 0 and at least 1 elsewhere, and the same is true of
   ReLU(2H - 1/2) for T <= 0; one feed-forward part later ReLU(1 - the slack) is the truth. Predicates on counts are
   rounded by Lemma 9, shut by the truth of "counted here" or of its negation. Idea of the repair: m is in 0, ..., L -
   1, so position m + 1 always exists, while position count or count + 1 may not (theorem_20_as_printed.v). *)
From Coq Require Import Reals Lra Lia Arith Bool List ZArith QArith Qreals.
From Certify Require Import positions lists finite_sums softmax exponential lemma_07_table_lookup relu lemma_09_rounding
  formula linear_combination rational_bounds.
Import ListNotations PositionNotations.
Open Scope R_scope.

(* ---- the number of visible positions, and of counted ones other than i ---- *)
Lemma span_range s n (i : position n) : span s n i upto n. Proof. unfold span. destruct s; lia. Qed.

Lemma counted_apart s n p (i : position n) : exists rest, counted_on s n p i
  = (rest + Nat.b2n (p i))%nat /\ (rest < span s n i)%nat.
Proof.
  unfold counted_on, looked_at, span. destruct s.
  - exists (length (filter p (seq 1 (i - 1)))). split.
    + replace (seq 1 i) with (seq 1 (i - 1 + 1)) by (f_equal; lia). rewrite seq_app, filter_app, length_app. f_equal.
      replace (1 + (i - 1))%nat with (place i) by lia. simpl. now destruct (p i).
    + pose proof (filter_shorter p (seq 1 (i - 1))) as L. rewrite length_seq in L. lia.
  - exists (length (filter p (seq (S i) (n - i)))). split.
    + replace (S n - i)%nat with (S (n - i)) by lia. simpl. destruct (p i); simpl; lia.
    + pose proof (filter_shorter p (seq (S i) (n - i))) as L. rewrite length_seq in L. lia.
Qed.

Lemma others_bound s n p (i : position n) : (others_on s n p i + 1 <= span s n i)%nat.
Proof. destruct (counted_apart s n p i) as (r & E & L). unfold others_on. lia. Qed.

Lemma counted_others s n p (i : position n) : INR (counted_on s n p i) = INR (others_on s n p i) + bit (p i).
Proof.
  destruct (counted_apart s n p i) as (r & E & L). unfold others_on. rewrite E, Nat.add_sub, plus_INR.
  destruct (p i); simpl; lra.
Qed.

(* ---- the mean head ---- *)
Definition side_mask (s : side) (i : nat) : mask := match s with ToLeft => future_mask i | ToRight => past_mask i end.

Lemma sum_bits p a k : sum_to k (fun j => bit (p (a + j)%nat)) = INR (length (filter p (seq (S a) k))).
Proof.
  revert a. induction k as [|k IH]; intros a; [reflexivity|]. rewrite seq_S, filter_app, length_app, plus_INR.
  cbn [sum_to]. rewrite IH. f_equal. replace (S a + k)%nat with (a + S k)%nat by lia. simpl.
  now destruct (p (a + S k)%nat).
Qed.

Theorem mean_head s n p (i : position n) c : attend n (side_mask s i) (fun _ => c) (fun j => bit (p j))
  = INR (counted_on s n p i) / INR (span s n i).
Proof.
  destruct s; simpl.
  - rewrite attend_uniform_future. f_equal. apply (sum_bits p 0).
  - rewrite attend_uniform_past. f_equal. replace n with ((i - 1) + (S n - i))%nat at 1 by lia.
    rewrite sum_cut, sum_bits. replace (S (i - 1)) with (place i) by lia. unfold counted_on. simpl. lra.
Qed.

(* Exactly 1/L where the position is counted, else 0: ReLU(1/L) - ReLU(1/L - [p]). *)
Theorem here_units (b : bool) (L : nat) : (1 <= L)%nat ->
  relu (1 / INR L) - relu (1 / INR L - bit b) = 1 / INR L * bit b.
Proof.
  intros H. apply le_INR in H. simpl in H. assert (0 < 1 / INR L) by auto with signs. assert (1 / INR L <= 1).
  { apply Rmult_le_reg_r with (INR L); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  rewrite relu_linear by lra. destruct b; simpl; [rewrite relu_zero by lra|rewrite relu_linear by lra]; lra.
Qed.

(* ---- the lookup heads ---- *)
Definition lookup_mask (s : side) (i : nat) : mask := match s with ToLeft => future_mask i | ToRight => no_mask end.

(* Positions hidden by the future mask have no effect. *)
Lemma attend_future n (i : position n) s v : attend n (future_mask i) s v = attend i no_mask s v.
Proof.
  assert (E : forall f, sum_to n (fun j => weight (future_mask i) s j * f j) = sum_to i
    (fun j => weight no_mask s j * f j)).
  { intros f. rewrite <- (sum_up_to n i) by lia. apply sum_ext. intros j _.
    unfold weight, future_mask, no_mask. destruct (j <=? i)%nat; simpl; lra. }
  assert (Z : sum_to n (weight (future_mask i) s) = sum_to i (weight no_mask s)).
  { rewrite (sum_ext n _ (fun j => weight (future_mask i) s j * 1)), (E (fun _ => 1)) by (intros; ring).
    apply sum_ext. intros. ring. }
  unfold attend, softmax.
  rewrite Z, (sum_ext n _ (fun j => weight (future_mask i) s j * (v j / sum_to i (weight no_mask s)))), E;
    [apply sum_ext|]; intros; unfold Rdiv; ring.
Qed.

Local Definition window (s : side) (n i : nat) : nat := match s with ToLeft => i | ToRight => n end.

Lemma attend_lookup s n (i : position n) score v : attend n (lookup_mask s i) score v
  = attend (window s n i) no_mask score v.
Proof. destruct s; [now apply attend_future|reflexivity]. Qed.

(* A table that goes on alternating between 0 and 1. *)
Definition is_alternating (theta : nat -> bool) : Prop := exists b, forall k, theta k = xorb b (Nat.odd k).
(* Sharp enough for the values of theta: q is e^(-gamma). *)
Definition sharp_for (q : R) (theta : nat -> bool) : Prop :=
  mass_within q (1 / 6) \/ (q <= 1 / 6 /\ is_alternating theta).

Lemma sharp_for_alternating g theta : ln 6 <= g -> is_alternating theta -> sharp_for (exp (- g)) theta.
Proof. intros H A. right. split; [now apply exp_at_most_sixth|exact A]. Qed.

Lemma sharp_for_any g theta : 1797 / 1000 <= g -> sharp_for (exp (- g)) theta.
Proof.
  intros H. left. apply (mass_within_smaller (exp (- (1797 / 1000)))).
  - split; [apply exp_pos|apply exp_monotone; lra].
  - replace (1797 / 1000) with (Q2R (1797 # 1000)) by (rationals; lra).
    apply reads_tables_correct. vm_compute. reflexivity.
Qed.

Section Lookup.
Variables (s : side) (n : nat) (i : position n) (p : nat -> bool) (g h : R).
Hypothesis Hg : 0 < g.
Hypothesis Sharper : g <= h.                        (* h is the sharpness of the scores, at least g *)

Let m := others_on s n p i.
Let place := lookup_score h (m + 1).

Lemma place_exists : (1 <= m + 1 <= window s n i)%nat.
Proof. pose proof (others_bound s n p i) as B. fold m in B. unfold span, window in *. destruct s; lia. Qed.

Lemma attend_minus_1 N c : (1 <= N)%nat -> attend N no_mask c (fun j => INR j - 1) = attend N no_mask c INR - 1.
Proof.
  intros H. assert (V : visible N no_mask N) by (split; [lia|reflexivity]). symmetry.
  replace (_ - 1) with (attend N no_mask c INR - sum_to N (softmax N no_mask c)) by now rewrite (softmax_total _ _ _ N
    V). unfold attend. rewrite <- sum_minus. apply sum_ext. intros. lra.
Qed.

Let no_sharper : 0 < exp (- h) <= exp (- g).
Proof. split; [apply exp_pos|apply exp_monotone; lra]. Qed.

Theorem others_head e : e <= 1 -> mean_within (exp (- g)) e ->
  Rabs (INR m - attend n (lookup_mask s i) place (fun j => INR j - 1)) <= e.
Proof.
  intros He W. apply (mean_within_smaller _ _ e no_sharper He) in W.
  rewrite attend_lookup, attend_minus_1 by (apply place_exists || exact (in_word i) || (pose proof place_exists; lia)).
  replace (INR m - (_ - 1)) with (INR (m + 1) - attend (window s n i) no_mask place INR) by (rewrite plus_INR; simpl;
    lra). apply lemma_07_within; [apply place_exists|lra|exact W].
Qed.

Theorem table_head (v : nat -> bool) : mass_within (exp (- g)) (1 / 6) \/ (exp (- g) <= 1 / 6 /\ exists b, forall j,
  (1 <= j)%nat -> v j = xorb b (Nat.odd j)) -> Rabs (bit (v (m + 1)%nat) - attend n (lookup_mask s i) place (fun j =>
  bit (v j))) <= 1 / 4.
Proof.
  rewrite attend_lookup. intros [W|[Small (b & A)]].
  - apply (mass_within_smaller _ _ _ no_sharper) in W.
    pose proof (lookup_table (window s n i) (m + 1) h place_exists ltac:(lra) (fun j => bit (v j)) _ W (fun j _ =>
      bit_range _)) as E. replace (2 * (1 / 6) / (1 + 2 * (1 / 6))) with (1 / 4) in E by field. exact E.
  - apply (lookup_alternating (window s n i) (m + 1) h place_exists ltac:(lra) v b).
    + pose proof no_sharper. lra.
    + intros j [Hj _]. now apply A.
Qed.

(* The values theta(j) and theta(j - 1) at j = m + 1, of which p at i picks the predicate of the count. *)
Theorem predicate_heads (theta : nat -> bool) : sharp_for (exp (- g)) theta -> (p i = true -> near_truth (theta
  (counted_on s n p i)) (attend n (lookup_mask s i) place (fun j => bit (theta j)))) /\ (p i = false -> near_truth
  (theta (counted_on s n p i)) (attend n (lookup_mask s i) place (fun j => bit (theta (j - 1)%nat)))).
Proof.
  intros Sharp. destruct (counted_apart s n p i) as (r & E & L).
  assert (V : visible n (lookup_mask s i) i) by (destruct s; [apply visible_future; lia|now split]).
  assert (Em : m = r) by (unfold m, others_on; lia).
  split; intros P; rewrite P in E; simpl in E; (eapply near_from_error; [|apply Rle_refl|]);
    try (eapply attend_range; [exact V|intros; apply bit_range]).
  - replace (counted_on s n p i) with (m + 1)%nat by lia. apply (table_head theta).
    destruct Sharp as [W|(Small & b & A)]; [now left|right]. split; [exact Small|]. exists b. intros j _. apply A.
  - replace (counted_on s n p i) with (m + 1 - 1)%nat by lia. apply (table_head (fun j => theta (j - 1)%nat)).
    destruct Sharp as [W|(Small & b & A)]; [now left|right]. split; [exact Small|]. exists (negb b).
    intros [|j] Hj; [lia|]. rewrite A, Nat.odd_succ, <- Nat.negb_odd. replace (S j - 1)%nat with j by lia.
    now destruct b, (Nat.odd j).
Qed.
End Lookup.

(* ---- comparisons: |H - T| <= 1/4 decides the integer T exactly, by saturation in two feed-forward parts ---- *)
(* The first part: slack of T >= 0 and of T <= 0. *)
Definition slack_at_least (H : R) : R := relu (-2 * H - 1 / 2).
Definition slack_at_most (H : R) : R := relu (2 * H - 1 / 2).

Lemma slack_exact (T : Z) H : Rabs (H - IZR T) <= 1 / 4 ->
  is_slack (Z.leb 0 T) (slack_at_least H) /\ is_slack (Z.leb T 0) (slack_at_most H).
Proof.
  intros E. assert (B : IZR T - 1 / 4 <= H <= IZR T + 1 / 4) by (revert E; unfold Rabs; destruct Rcase_abs; lra).
  unfold slack_at_least, slack_at_most. split.
  - destruct (Z.leb_spec 0 T) as [L|L]; simpl; [apply IZR_le in L; apply relu_zero; lra|].
    assert (L' : (T <= -1)%Z) by lia. apply IZR_le in L'. rewrite relu_linear; lra.
  - destruct (Z.leb_spec T 0) as [L|L]; simpl; [apply IZR_le in L; apply relu_zero; lra|].
    assert (L' : (1 <= T)%Z) by lia. apply IZR_le in L'. rewrite relu_linear; lra.
Qed.

(* The second part, for all six relations: a ReLU that shuts where there is slack. *)
Definition comparison_decided (r : relation) (at_least at_most : R) : R :=
  match r with
  | AtLeast => relu (1 - at_least)
  | AtMost => relu (1 - at_most)
  | Below => 1 - relu (1 - at_least)
  | Above => 1 - relu (1 - at_most)
  | Equal => relu (1 - at_least - at_most)
  | Unequal => 1 - relu (1 - at_least - at_most)
  end.

Lemma decided_by_slack r (T : Z) a b : is_slack (Z.leb 0 T) a -> is_slack (Z.leb T 0) b ->
  comparison_decided r a b = bit (relation_holds r T 0).
Proof.
  unfold relation_holds. intros A B.
  destruct r, T; simpl in *; first [rewrite relu_linear by lra | rewrite relu_zero by lra]; lra.
Qed.

Lemma decided_exact r (T : Z) H : Rabs (H - IZR T) <= 1 / 4 ->
  comparison_decided r (slack_at_least H) (slack_at_most H) = bit (relation_holds r T 0).
Proof. intros E. destruct (slack_exact T H E). now apply decided_by_slack. Qed.

(* A term whose counts are replaced by what the lookup heads hold, and its total weight C. *)
Section Terms.
Variables (users : predicate_meanings) (n : nat) (w : word) (i : position n).
Variable held : side -> formula -> R.

Fixpoint approximate_value (t : term) : R :=
  match t with
  | Number c => IZR c
  | Plus a s f rest => IZR a * (held s f + bit (truth users n w f i)) + approximate_value rest
  end.
Fixpoint total_weight (t : term) : R :=
  match t with Number _ => 0 | Plus a _ _ rest => Rabs (IZR a) + total_weight rest end.

Lemma approximated_error e t : (forall s f, Rabs (INR (others_on s n (truth users n w f) i) - held s f) <= e) ->
  Rabs (approximate_value t - IZR (value_of_term users n w t i)) <= total_weight t * e.
Proof.
  intros He. induction t as [c|a s f rest IH]; simpl; [rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; lra|].
  change (value_of_term users n w (Plus a s f rest) i) with (a * Z.of_nat (counted_on s n (truth users n w f) i) +
    value_of_term users n w rest i)%Z. rewrite plus_IZR, mult_IZR, <- INR_IZR_INZ, (counted_others s n _ i).
  specialize (He s f). set (x := held s f) in *. set (m := INR (others_on _ _ _ _)) in *. set (b := bit _).
  replace (IZR a * (x + b) + approximate_value rest - (IZR a * (m + b) + IZR (value_of_term users n w rest i)))
    with (- (IZR a * (m - x)) + (approximate_value rest - IZR (value_of_term users n w rest i))) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp, Rabs_mult, Rmult_plus_distr_r.
  apply Rplus_le_compat; [|exact IH]. apply Rmult_le_compat_l; [apply Rabs_pos|exact He].
Qed.
End Terms.

(* Terms that count to the left only, for Theorem 21. *)
Fixpoint to_left (t : term) : Prop := match t with Number _ => True | Plus _ s _ rest => s = ToLeft /\ to_left rest end.

Lemma approximated_to_left users n w i held held' t : to_left t -> (forall f, held ToLeft f = held' ToLeft f) ->
  approximate_value users n w i held t = approximate_value users n w i held' t.
Proof.
  intros L E. induction t as [c|a s f rest IH]; [reflexivity|]. destruct L as [-> L]. cbn [approximate_value].
  now rewrite E, IH.
Qed.

(* A comparison of one count needs gamma = 1.16694...: its error is then 1/4 in the limit. *)
Lemma one_count_enough g : 1167 / 1000 <= g -> mean_within (exp (- g)) (1 / 4).
Proof.
  intros H. assert (E : exists e, mean_error (1167 # 1000) = Some e /\ Qle_bool e (1 # 4) = true).
  { eexists. split; vm_compute; reflexivity. }
  destruct E as (e & E & L). apply mean_error_correct in E as (_ & He & W). apply Qle_bool_R in L.
  replace (Q2R (1 # 4)) with (1 / 4) in L by (rationals; lra).
  replace (Q2R (1167 # 1000)) with (1167 / 1000) in W by (rationals; lra).
  apply (mean_within_smaller (exp (- (1167 / 1000)))); [split; [apply exp_pos|apply exp_monotone; lra]|lra|].
  intros K. eapply Rle_trans; [apply W|]. apply Rmult_le_compat_r; [|exact L].
  pose proof (gaussian_mass_nonneg _ (exp_negative_below_1 (1167 / 1000) ltac:(lra)) K). lra.
Qed.

Theorem comparison_exact users n w (i : position n) held r t e : total_weight t * e <= 1 / 4 ->
  (forall s f, Rabs (INR (others_on s n (truth users n w f) i) - held s f) <= e) ->
  let H := approximate_value users n w i held t in
  comparison_decided r (slack_at_least H) (slack_at_most H) = bit (relation_holds r (value_of_term users n w t i) 0).
Proof.
  intros We He. apply decided_exact. eapply Rle_trans; [|exact We]. apply (approximated_error users n w i held _ t He).
Qed.

(* The sharpness of the paper. *)
Lemma three_enough C : 1 <= C -> exp (- (3 * C)) <= 1 /\ mean_within (exp (- (3 * C))) (exp (- (3 * C))) /\
  forall theta, sharp_for (exp (- (3 * C))) theta.
Proof.
  intros HC. pose proof (exp_negative_below_1 (3 * C) ltac:(lra)) as Hq. repeat split; [lra| |].
  - apply mean_within_itself; [exact Hq|]. rewrite <- exp_plus. replace (- (3 * C) + - (3 * C)) with (- (6 * C)) by lra.
    apply exp_negative_upper; [lra|]. pose proof (exp_ineq1 (6 * C)). lra.
  - intros theta. apply sharp_for_any. lra.
Qed.

(* The feed-forward layer that picks one of the two: x where the position is counted, y where not. Gates only subtract
   truths: that it is not counted, and that it is. *)
Definition picked_predicate (x y : R) (here : bool) : R := rounded_truth (x + - bit (negb here)) + rounded_truth (y + -
  bit here).

Theorem picked_exact x y (here b : bool) : 0 <= x <= 1 -> 0 <= y <= 1 ->
  (here = true -> near_truth b x) -> (here = false -> near_truth b y) -> picked_predicate x y here = bit b.
Proof.
  intros Hx Hy A B. unfold picked_predicate. destruct here; simpl.
  - rewrite (lemma_09_shut y), (lemma_09_open x), (near_rounded b x) by (lra || auto). lra.
  - rewrite (lemma_09_shut x), (lemma_09_open y), (near_rounded b y) by (lra || auto). lra.
Qed.

(* ---- the statements: queries gamma [count/L - here/L, 1/L], keys [2j, 2j - j^2]; temperature 1/n (a), or keys
   scaled by n (b). Only these scores are left to compare with the lookup of m + 1. The paper has gamma = 3C. ---- *)
Definition lookup_raw_score (s : side) (n i : nat) (p : nat -> bool) (g : R) (j : nat) : R :=
  let L := INR (span s n i) in let mean := INR (counted_on s n p i) / L in let here := 1 / L * bit (p i) in
  (g * mean - g * here) * (2 * INR j) + g * (1 / L) * (2 * INR j - INR j ^ 2).

Section Statements.
Variables (s : side) (n : nat) (i : position n) (p : nat -> bool) (g : R).
Hypothesis Hg : 0 < g.

Let L := INR (span s n i).
Notation score := (lookup_raw_score s n i p g).

Lemma L_range : 1 <= L <= INR n.
Proof. pose proof (span_range s n i) as [A B]. split; [now apply INR_at_least_1|now apply le_INR]. Qed.

Lemma raw_score_is_lookup scale j : score j * scale = lookup_score (g * (scale / L)) (others_on s n p i + 1) j.
Proof.
  pose proof L_range. unfold lookup_raw_score, lookup_score. cbv zeta. fold L.
  rewrite (counted_others s n p i), plus_INR. simpl (INR 1). field. lra.
Qed.

Local Lemma sharper scale : 1 <= scale / L -> g <= g * (scale / L).
Proof. intros Hs. rewrite <- (Rmult_1_r g) at 1. apply Rmult_le_compat_l; lra. Qed.

Lemma others_scaled scale e : 1 <= scale / L -> e <= 1 -> mean_within (exp (- g)) e -> forall scores, (forall j, scores
  j = score j * scale) -> Rabs (INR (others_on s n p i) - attend n (lookup_mask s i) scores (fun j => INR j - 1)) <= e.
Proof.
  intros Hs He W scores E.
  rewrite (attend_ext _ _ scores (lookup_score (g * (scale / L)) (others_on s n p i + 1)) _ (fun j => INR j - 1)).
  - exact (others_head s n i p g _ Hg (sharper scale Hs) e He W).
  - intros j _. rewrite E. apply raw_score_is_lookup.
  - reflexivity.
Qed.

Lemma scale_n : 1 <= INR n / L.
Proof. pose proof L_range. apply Rmult_le_reg_r with L; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. Qed.

Lemma predicate_scaled scale (theta : nat -> bool) : 1 <= scale / L -> sharp_for (exp (- g)) theta -> forall scores,
  (forall j, scores j = score j * scale) -> (p i = true -> near_truth (theta (counted_on s n p i))
  (attend n (lookup_mask s i) scores (fun j => bit (theta j)))) /\ (p i = false -> near_truth (theta (counted_on s n p
  i)) (attend n (lookup_mask s i) scores (fun j => bit (theta (j - 1)%nat)))).
Proof.
  intros Hs Sharp scores E.
  destruct (predicate_heads s n i p g (g * (scale / L)) Hg (sharper scale Hs) theta Sharp) as [A B].
  assert (X : forall v, attend n (lookup_mask s i) scores v
    = attend n (lookup_mask s i) (lookup_score (g * (scale / L)) (others_on s n p i + 1)) v).
  { intros v. apply attend_ext; [|reflexivity]. intros j _. rewrite E. apply raw_score_is_lookup. }
  split; intros P; rewrite X; auto.
Qed.

Lemma predicate_picked scores (theta : nat -> bool) :
  (p i = true -> near_truth (theta (counted_on s n p i)) (attend n (lookup_mask s i) scores (fun j =>
    bit (theta j)))) /\
  (p i = false -> near_truth (theta (counted_on s n p i)) (attend n (lookup_mask s i) scores
     (fun j => bit (theta (j - 1)%nat)))) ->
  let head v := attend n (lookup_mask s i) scores (fun j => bit (v j)) in
  picked_predicate (head theta) (head (fun j => theta (j - 1)%nat)) (p i) = bit (theta (counted_on s n p i)).
Proof.
  intros [P1 P0]. assert (V : visible n (lookup_mask s i) i) by (destruct s; [apply visible_future; lia|now split]).
  cbv zeta. apply picked_exact; try assumption; (eapply attend_range; [exact V|intros; apply bit_range]).
Qed.

Section Others.
Variable e : R.
Hypothesis He : e <= 1.
Hypothesis Within : mean_within (exp (- g)) e.

Theorem theorem_20a_others : Rabs (INR (others_on s n p i)
  - attend n (lookup_mask s i) (fun j => score j / (1 / INR n)) (fun j => INR j - 1)) <= e.
Proof. apply (others_scaled (INR n) e scale_n He Within). intros. pose proof L_range. field. lra. Qed.

Theorem theorem_20b_others : Rabs (INR (others_on s n p i)
  - attend n (lookup_mask s i) (fun j => score j * INR n / 1) (fun j => INR j - 1)) <= e.
Proof. apply (others_scaled (INR n) e scale_n He Within). intros. field. Qed.
End Others.

Section Predicate.
Variable theta : nat -> bool.
Hypothesis Sharp : sharp_for (exp (- g)) theta.

(* ReLU(1/L) and so on give p at i; the heads with values theta(j) and theta(j - 1) give theta of the count. *)
Theorem theorem_20a_predicate :
  let head v := attend n (lookup_mask s i) (fun j => score j / (1 / INR n)) (fun j => bit (v j)) in
  picked_predicate (head theta) (head (fun j => theta (j - 1)%nat)) (p i) = bit (theta (counted_on s n p i)).
Proof.
  apply predicate_picked. apply (predicate_scaled (INR n) theta scale_n Sharp). intros. pose proof L_range. field. lra.
Qed.

Theorem theorem_20b_predicate :
  let head v := attend n (lookup_mask s i) (fun j => score j * INR n / 1) (fun j => bit (v j)) in
  picked_predicate (head theta) (head (fun j => theta (j - 1)%nat)) (p i) = bit (theta (counted_on s n p i)).
Proof. apply predicate_picked. apply (predicate_scaled (INR n) theta scale_n Sharp). intros. field. Qed.
End Predicate.
End Statements.

(* ---- comparisons, from the same heads: T R 0 where T is the term t; its weight C and the error e as above ---- *)
Section Comparisons.
Variables (users : predicate_meanings) (n : nat) (w : word) (i : position n) (r : relation) (t : term) (g e : R).
Hypothesis Hg : 0 < g.
Hypothesis He : e <= 1.
Hypothesis Within : mean_within (exp (- g)) e.
Hypothesis Enough : total_weight t * e <= 1 / 4.

Let score s f := lookup_raw_score s n i (truth users n w f) g.

Theorem theorem_20a_comparison :
  let head s f := attend n (lookup_mask s i) (fun j => score s f j / (1 / INR n)) (fun j => INR j - 1) in
  let H := approximate_value users n w i head t in
  comparison_decided r (slack_at_least H) (slack_at_most H) = bit (relation_holds r (value_of_term users n w t i) 0).
Proof. apply (comparison_exact users n w i _ r t e Enough). intros s f. now apply theorem_20a_others. Qed.

Theorem theorem_20b_comparison :
  let head s f := attend n (lookup_mask s i) (fun j => score s f j * INR n / 1) (fun j => INR j - 1) in
  let H := approximate_value users n w i head t in
  comparison_decided r (slack_at_least H) (slack_at_most H) = bit (relation_holds r (value_of_term users n w t i) 0).
Proof. apply (comparison_exact users n w i _ r t e Enough). intros s f. now apply theorem_20b_others. Qed.
End Comparisons.
