(* The constructions of compile_formula.v for `prev`, `next`, `since` and `until`, in all four regimes ([SHA] Theorems 12,
   13, 15, 16), with the end markers and reciprocals of Proposition 11 that they need.

   Proved: each keeps drafts sound, and the direction that it returns holds the truth of its formula exactly, for every
   length, word and position; for gamma >= ln 2 (`prev`, `next`) and gamma >= ln 4 (`since`, `until`). *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia Arith.
From Certify Require Import finite_sums softmax exponential lemma_08_tie_breaking lemma_09_rounding formula network
  linear_combination meaning well_defined proposition_11_end_markers theorem_12_previous_next
  theorem_13_previous_causal theorem_15_since_until theorem_16_since_causal check_head regime draft draft_stages
  draft_sound compile_formula compile_connectives.
Import ListNotations.
Open Scope R_scope.

(* ---- Lemma 9 ---- *)
Lemma rounding_value v near gates :
  total (fun u => let '(reads, b, y) := u in relu (linear reads v + Q2R b) * Q2R y) (rounding_units near gates)
  = rounded (v near + - total v gates).
Proof.
  assert (E : linear (map (fun x => (x, (-1)%Q)) gates) v = - total v gates).
  { induction gates as [|x l IH]; simpl; [lra|]. rewrite IH. rationals. lra. }
  unfold rounding_units, rounded. cbn [total linear]. rewrite E. rationals.
  match goal with |- relu ?a * _ + (relu ?b * _ + 0) = 2 * relu ?c - 2 * relu ?d =>
    replace a with c by lra; replace b with d by lra end. lra.
Qed.

Lemma units_value_app us us' b v : units_value (us ++ us') b v = units_value us 0 v + units_value us' b v.
Proof. unfold units_value. rewrite total_appended, Q2R_0. lra. Qed.

Lemma rounding_mentions near gates x : In x (mentioned (unit_reads_of (rounding_units near gates))) ->
  x = near \/ In x gates.
Proof.
  assert (E : map fst (map (fun g => (g, (-1)%Q)) gates) = gates).
  { clear. induction gates as [|g l IH]; [reflexivity|]. cbn [map fst]. now rewrite IH. }
  unfold mentioned, rounding_units, unit_reads_of. cbn [map fst concat app]. rewrite app_nil_r, map_app.
  cbn [map fst]. rewrite E. intros [<-|H]; [now left|]. apply in_app_iff in H as [H|[<-|H]]; auto.
Qed.

Lemma mentioned_app rows rows' : mentioned (rows ++ rows') = mentioned rows ++ mentioned rows'.
Proof. unfold mentioned. now rewrite concat_app, map_app. Qed.

Section Temporal.
Variables (users : nat -> nat -> nat -> bool) (k : nat) (c : setting).
Notation sound := (sound users k).
Notation reaches d d' x m := (sound d' /\ extends d d' /\ holds d' x m).
Notation causal := (regime_causal (set_regime c)).
Notation by_position := (regime_by_position (set_regime c)).
Notation g := (Q2R (set_gamma c)).
Hypothesis Temperature : always_has_value (set_temperature c) && is_positive (set_temperature c) = true.

Lemma add_one_head_sound d msk queries keys value m d' x : add_one_head c d msk queries keys value m = (d', x) ->
  sound d -> (forall y, In y (mentioned (queries ++ keys ++ [value])) -> (y < fresh d)%nat) ->
  (forall n w h i, word_over k n w -> read_at users d (queries ++ keys ++ [value]) n w h -> (1 <= i <= n)%nat ->
     means users n w i m (attended (Head msk (set_temperature c) queries keys []) n h i value)) ->
  reaches d d' x m.
Proof.
  intros [= <- <-] Sd Be M.
  destruct (add_head_sound users k d msk (set_temperature c) queries keys [Output value m 0] Sd Temperature Be)
    as (S' & X' & H'); [|split; [exact S'|split; [exact X'|]]].
  - intros n w h i o [<-|[]] Ov Rd Hi. now apply M.
  - specialize (H' 0%nat _ eq_refl). now rewrite Nat.add_0_r in H'.
Qed.

(* ---- Proposition 11 ---- *)
Lemma uniform_attended n h i s value : attended (Head (mask_of s) (set_temperature c) [[]] [[]] []) n h i value
  = attend n (match s with ToLeft => future i | ToRight => past i end) (fun _ => 0) (fun j => linear value (h j)).
Proof.
  unfold attended. replace (mask_at _ i) with (match s with ToLeft => future i | ToRight => past i end) by now destruct s.
  apply attend_ext; [|reflexivity]. intros j _. unfold scaled_score. simpl. unfold Rdiv. ring.
Qed.

Lemma uniform_head_sound d s y q (a m : meaning) d' x : uniform_head c d s [(y, q)] m = (d', x) -> sound d -> holds d y a ->
  (forall n w h i, word_over k n w -> (forall j, (1 <= j <= n)%nat -> means users n w j a (h j y)) -> (1 <= i <= n)%nat ->
     means users n w i m (attend n (match s with ToLeft => future i | ToRight => past i end) (fun _ => 0)
       (fun j => linear [(y, q)] (h j)))) ->
  reaches d d' x m.
Proof.
  intros E Sd Hy M. apply (add_one_head_sound _ _ _ _ _ _ _ _ E Sd).
  - intros z [<-|[]]. exact (holds_below _ _ _ Hy).
  - intros n w h i Ov Rd Hi. rewrite uniform_attended. apply M; [exact Ov| |exact Hi]. intros j Hj.
    apply (Rd y a Hy); [now left|exact Hj].
Qed.

Definition edge_truth (s : side) (n i : nat) : bool := match s with ToLeft => (i =? 1)%nat | ToRight => (i =? n)%nat end.
Lemma edge_of_truth s n w i : truth users n w (Positional (edge_of s)) i = edge_truth s n i.
Proof. now destruct s. Qed.

Lemma sign_of_position_value n i : expression_value sign_of_position n i = alternating i.
Proof.
  unfold sign_of_position. cbn [expression_value integer_value]. rewrite Q2R_1. replace (Ropp 1) with (-1) by lra.
  apply alternating_power.
Qed.

Lemma minus_sign y n h : (forall j, (1 <= j <= n)%nat -> h j y = expression_value sign_of_position n j) ->
  forall j, (1 <= j <= n)%nat -> linear [(y, (-1)%Q)] (h j) = - alternating j.
Proof. intros V j Hj. cbn [linear]. rewrite V, sign_of_position_value by exact Hj. rationals. lra. Qed.

Theorem edge_marker_sound s d d' x : edge_marker c s d = (d', x) -> sound d ->
  reaches d d' x (IsTruth (Positional (edge_of s))).
Proof.
  intros E Sd. apply (once_sound users k _ _ _ _ _ _ E Sd).
  { intros e T. unfold is_truth_of in T. destruct (fact_meaning e); try discriminate. apply formula_eqb_eq in T. now subst. }
  clear E. intros E. destruct (embed_position d sign_of_position) as [d1 alt] eqn:E1.
  destruct (embed_position_sound users k _ _ _ _ E1 Sd eq_refl) as (S1 & X1 & H1).
  destruct (uniform_head c d1 s _ _) as [d2 mean] eqn:E2.
  destruct (uniform_head_sound _ _ _ _ _ _ _ _ E2 S1 H1) as (S2 & X2 & H2).
  { intros n w h i _ V Hi. cbn [means position_value] in *. pose proof (minus_sign alt n h V) as V'.
    destruct s; rewrite (attend_ext n _ _ (fun _ => 0) _ (fun j => - alternating j)) by
      (reflexivity || (intros j [Hj _]; now apply V')).
    - rewrite alternating_mean_future by exact Hi. symmetry. apply mean_up_to_value.
    - rewrite alternating_mean_past by exact Hi. symmetry. now apply mean_from_value. }
  destruct (add_feed_forward_sound users k _ _ _ _ _ _ E S2) as (S3 & X3 & H3).
  - intros y Hy. assert (y = mean) as -> by (destruct s; simpl in Hy; intuition congruence).
    exact (holds_below _ _ _ H2).
  - intros n w i v _ Hi Rd. cbn [means]. rewrite edge_of_truth.
    assert (V : v mean = match s with ToLeft => mean_up_to i | ToRight => mean_from n i end).
    { specialize (Rd mean _ H2 ltac:(now left)). cbn [means position_value] in Rd. rewrite Rd.
      destruct s; [apply mean_up_to_value|now apply mean_from_value]. }
    unfold units_value. destruct s; cbn [total above_half linear edge_truth]; rewrite V; rationals.
    + rewrite <- (proposition_11a n i 0 Hi), alternating_mean_future by exact Hi. unfold marked.
      match goal with |- relu ?a * _ + _ + _ = 2 * relu ?b => replace a with b by lra end. lra.
    + rewrite <- (proposition_11b n i 0 Hi), alternating_mean_past by exact Hi. unfold marked.
      match goal with |- relu ?a * _ + (relu ?b * _ + _) + _ = 2 * relu ?a' + 2 * relu ?b' =>
        replace a with a' by lra; replace b with b' by lra end. lra.
  - split; [exact S3|]. split; [|exact H3].
    eapply extends_trans; [exact X1|eapply extends_trans; [exact X2|exact X3]].
Qed.

Lemma reciprocal_defined s : always_has_value (reciprocal_expression s) = true.
Proof. now destruct s. Qed.

Theorem reciprocal_sound s d d' x : reciprocal c s d = (d', x) -> sound d ->
  reaches d d' x (IsPosition (Formula (reciprocal_expression s))).
Proof.
  intros E Sd. apply (once_sound users k _ _ _ _ _ _ E Sd (is_position_of_eq (Formula (reciprocal_expression s)))).
  clear E. intros E. destruct (reciprocal_embedded c).
  - apply (add_position_sound users k _ _ _ _ _ E Sd (reciprocal_defined s)). reflexivity.
  - destruct (edge_marker c s d) as [d1 marker] eqn:E1.
    destruct (edge_marker_sound _ _ _ _ E1 Sd) as (S1 & X1 & H1).
    destruct (uniform_head_sound _ _ _ _ _ _ _ _ E S1 H1) as (S2 & X2 & H2).
    + intros n w h i _ V Hi. cbn [means position_value] in *.
      rewrite (attend_ext n _ _ (fun _ => 0) _ (fun j => bit (edge_truth s n j))); [|reflexivity|].
      * destruct s; cbn [edge_truth reciprocal_expression expression_value]; rewrite Q2R_1.
        -- now apply proposition_11a_reciprocal.
        -- rewrite proposition_11b_reciprocal, minus_INR, S_INR by (exact Hi || lia). reflexivity.
      * intros j [Hj _]. cbn [linear]. rewrite V, edge_of_truth by exact Hj. rationals. lra.
    + split; [exact S2|]. split; [|exact H2]. eapply extends_trans; eassumption.
Qed.
End Temporal.
