(* The constructions of compile_formula.v without attention: formulas over symbols, predicates on positions, Boolean
   connectives ([SHA] Theorem 12, first case), and the end markers and reciprocals of Proposition 11.

   Proved: each keeps drafts sound, and the direction that it returns holds the truth (the number) that it should, for
   every length, word and position. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia Arith.
From Certify Require Import finite_sums softmax relu formula network linear_combination comparison meaning well_defined
  proposition_11_end_markers check_head regime draft draft_stages draft_sound compile_formula.
Import ListNotations.
Open Scope R_scope.

(* ---- what is known stays known ---- *)
Lemma formula_term_eqb_refl : (forall f, formula_eqb f f = true) /\ (forall t, term_eqb t t = true).
Proof.
  assert (P : forall p, predicate_eqb p p = true).
  { intros []; simpl; rewrite ?Nat.eqb_refl; reflexivity. }
  apply formula_term_mutual; intros; simpl; rewrite ?Nat.eqb_refl, ?P, ?H, ?H0, ?Z.eqb_refl; try reflexivity.
  - now destruct b.
  - now destruct s.
  - now destruct r.
  - now destruct s.
Qed.
Lemma formula_eqb_refl f : formula_eqb f f = true. Proof. apply formula_term_eqb_refl. Qed.

Lemma find_from_complete test l : forall x j e, nth_error l j = Some e -> test e = true ->
  exists y, find_from test x l = Some y.
Proof.
  induction l as [|e l IH]; intros x j a E T; [now destruct j|]. simpl. destruct (test e) eqn:Te; [now exists x|].
  destruct j as [|j]; [injection E as ->; congruence|]. exact (IH (S x) j a E T).
Qed.

(* Some direction holds the truth of the formula. *)
Definition truth_is_known (d : draft) (f : formula) : Prop := exists x, draft_holds d x (IsTruth f).

Lemma known_extends d d' f : draft_extends d d' -> truth_is_known d f -> truth_is_known d' f.
Proof. intros X [x H]. exists x. now apply (holds_extends d). Qed.

Lemma known_truth d f : truth_is_known d f -> draft_holds d (truth_of d f) (IsTruth f).
Proof.
  intros (x & e & E & M). unfold truth_of. destruct (find_truth d f) as [y|] eqn:F; [now apply find_truth_correct|].
  exfalso. destruct (find_from_complete (is_truth_of f) (draft_facts d) 0%nat x e E) as [y Y].
  - unfold is_truth_of. rewrite M. apply formula_eqb_refl.
  - unfold find_truth, find_fact in F. congruence.
Qed.

Lemma holds_unique d x m m' : draft_holds d x m -> draft_holds d x m' -> m = m'.
Proof. intros (e & E & <-) (e' & E' & <-). congruence. Qed.

(* ---- units ---- *)
Lemma read_here_value {users d rows n w i v} : read_here users d rows n w i v -> forall x f,
  draft_holds d x (IsTruth f) -> In x (rows_mentioned rows) -> v x = bit (truth users n w f i).
Proof. intros Rd x f H In. exact (Rd x _ H In). Qed.

Local Ltac relu_steps := unfold relu, Rmax;
  repeat match goal with |- context [Rle_dec ?a ?b] => destruct (Rle_dec a b) end; lra.

Section Correct.
Variables (users : predicate_meanings) (k : nat).
Notation sound := (is_sound users k).
Notation reaches d d' x m := (sound d' /\ draft_extends d d' /\ draft_holds d' x m).

(* ---- Boolean connectives ---- *)
Definition operands_known (d : draft) (f : formula) : Prop :=
  match f with
  | Not f => truth_is_known d f
  | And f g | Or f g | Implies f g | Iff f g => truth_is_known d f /\ truth_is_known d g
  | _ => False
  end.

Section Connective.
Variables (d : draft) (n : nat) (w : word) (i : nat) (v : vector).
Notation value u := (units_value (fst u) (snd u) v).
Notation reads u := (read_here users d (unit_reads_of (fst u)) n w i v).
Notation tr f := (bit (truth users n w f i)).

(* Equal operands share a direction; others do not. *)
Lemma same_direction f g : truth_is_known d f -> truth_is_known d g -> truth_of d g = truth_of d f -> g = f.
Proof.
  intros Hf%known_truth Hg%known_truth E. rewrite E in Hg. pose proof (holds_unique _ _ _ _ Hf Hg). congruence.
Qed.

Ltac with_rows f g Hf Hg := unfold connective_units, merged_row; cbn [fold_left add_to_row fst snd];
  destruct (Nat.eqb_spec (truth_of d g) (truth_of d f)) as [Same|Different]; [apply (same_direction f g Hf Hg) in Same;
  subst g|]; cbn [filter fst snd negb Qeq_bool Qred]; cbn -[Q2R relu truth_of] in *.
Ltac with_value Rd H := let V := fresh "V" in
  try (pose proof (read_here_value Rd _ _ (known_truth _ _ H) ltac:(cbn; auto)) as V; rewrite V in *; clear V).

Lemma not_value f : truth_is_known d f -> reads (connective_units d (Not f)) -> value (connective_units d (Not f)) = tr
  (Not f).
Proof.
  intros Hf Rd. unfold units_value. cbn -[Q2R relu truth_of] in *. with_value Rd Hf. rationals.
  destruct (truth users n w f i); cbn -[relu]; relu_steps.
Qed.

Ltac two_operands f g Hf Hg := with_rows f g Hf Hg; intros Rd; unfold units_value; cbn -[Q2R relu truth_of];
  with_value Rd Hf; with_value Rd Hg; rationals; repeat match goal with
  | |- context [truth users n w ?h i] => destruct (truth users n w h i) end; cbn -[relu]; relu_steps.

Lemma and_value f g : truth_is_known d f -> truth_is_known d g -> reads (connective_units d (And f g)) ->
  value (connective_units d (And f g)) = tr (And f g).
Proof. intros Hf Hg. two_operands f g Hf Hg. Qed.
Lemma or_value f g : truth_is_known d f -> truth_is_known d g -> reads (connective_units d (Or f g)) ->
  value (connective_units d (Or f g)) = tr (Or f g).
Proof. intros Hf Hg. two_operands f g Hf Hg. Qed.

(* A connective that stands on both sides is read all the same. *)
Lemma same_operand_value f : truth_is_known d f -> read_here users d [[(truth_of d f, 1%Q)]] n w i v ->
  units_value [([(truth_of d f, 1%Q)], -1, -1)]%Q 1 v = 1.
Proof.
  intros Hf Rd. unfold units_value. cbn -[Q2R relu truth_of]. with_value Rd Hf. rationals.
  destruct (truth users n w f i); cbn -[relu]; relu_steps.
Qed.

(* Equal operands of an implication or equivalence make one unit, which is always 1. *)
Ltac equal_or_two_operands f g Hf Hg := unfold connective_units; destruct (formula_eqb f g && is_connective f) eqn:E;
  [|two_operands f g Hf Hg]; apply andb_prop in E as [E _]; apply formula_eqb_eq in E; subst g; intros Rd;
  cbn [fst snd]; rewrite (same_operand_value f Hf Rd); cbn; now destruct (truth users n w f i).

Lemma implies_value f g : truth_is_known d f -> truth_is_known d g -> reads (connective_units d (Implies f g)) ->
  value (connective_units d (Implies f g)) = tr (Implies f g).
Proof. intros Hf Hg. equal_or_two_operands f g Hf Hg. Qed.
Lemma iff_value f g : truth_is_known d f -> truth_is_known d g -> reads (connective_units d (Iff f g)) ->
  value (connective_units d (Iff f g)) = tr (Iff f g).
Proof. intros Hf Hg. equal_or_two_operands f g Hf Hg. Qed.

Theorem connective_value f : operands_known d f -> reads (connective_units d f) -> value (connective_units d f) = tr f.
Proof.
  destruct f; try easy; cbn [operands_known].
  - apply not_value.
  - intros []. now apply and_value.
  - intros []. now apply or_value.
  - intros []. now apply implies_value.
  - intros []. now apply iff_value.
Qed.
End Connective.

Lemma add_to_row_mentions x q r y : In y (map fst (add_to_row x q r)) -> y = x \/ In y (map fst r).
Proof.
  induction r as [|[z p] r IH]; cbn [add_to_row map fst]; [intros [H|[]]; now left|].
  destruct (Nat.eqb_spec x z); cbn [map fst]; [intros H; now right|]. intros [->|H]; [now right; left|].
  destruct (IH H); [now left|now right; right].
Qed.

Lemma merged_row_mentions r y : In y (map fst (merged_row r)) -> In y (map fst r).
Proof.
  unfold merged_row. intros H. assert (G : In y (map fst (fold_left (fun r e => add_to_row (fst e) (snd e) r) r []))).
  { apply in_map_iff in H as (e & <- & H). apply filter_In in H as [H _]. now apply in_map. }
  clear H. assert (A : forall r acc, In y (map fst (fold_left (fun r e => add_to_row (fst e) (snd e) r) r acc)) ->
    In y (map fst acc) \/ In y (map fst r)).
  { clear. induction r as [|e r IH]; intros acc H; [now left|]. cbn [fold_left] in H. destruct (IH _ H) as [I|I].
    - apply add_to_row_mentions in I as [->|I]; [right; now left|now left].
    - right. now right. }
  destruct (A r [] G) as [[]|I]. exact I.
Qed.

Lemma connective_below d f : operands_known d f -> forall x,
  In x (rows_mentioned (unit_reads_of (fst (connective_units d f)))) -> (x < new_direction d)%nat.
Proof.
  assert (Row : forall rows F, (forall r, In r rows -> forall y, In y (map fst r) -> (y < F)%nat) ->
    forall x, In x (rows_mentioned rows) -> (x < F)%nat).
  { clear. intros rows F H. apply mentioned_below. apply Forall_forall. intros r Hr. apply Forall_forall.
    intros e He. apply (H r Hr). now apply in_map. }
  intros Hf. assert (B : forall g, truth_is_known d g -> (truth_of d g < new_direction d)%nat).
  { intros g Hg. exact (holds_below _ _ _ (known_truth d g Hg)). }
  apply Row. intros r Hr y Hy. unfold unit_reads_of in Hr. apply in_map_iff in Hr as (u & <- & Hu).
  destruct f; try easy; cbn [operands_known connective_units fst] in *; try (destruct (formula_eqb f1 f2 &&
    is_connective f1)); cbn [fst In map] in Hu; repeat match goal with H : _ \/ _ |- _ => destruct H |
    H : False |- _ => destruct H | H : _ /\ _ |- _ => destruct H end; subst u; cbn [fst] in Hy;
    try apply merged_row_mentions in Hy; cbn [map fst In] in Hy; repeat match goal with H : _ \/ _ |- _ => destruct H |
    H : False |- _ => destruct H end; subst y; auto.
Qed.

Lemma linear_merged r v : linear (merged_row r) v = linear r v.
Proof.
  assert (Z : forall r, linear (filter (fun e => negb (Qeq_bool (snd e) 0)) r) v = linear r v).
  { clear. induction r as [|[x q] r IH]; [reflexivity|]. cbn [filter snd].
    destruct (Qeq_bool q 0) eqn:E; cbn [negb linear].
    - rewrite IH, (Qeq_bool_R _ _ E), Q2R_0. lra.
    - now rewrite IH. }
  assert (A : forall x q r, linear (add_to_row x q r) v = Q2R q * v x + linear r v).
  { clear. induction r as [|[y p] r IH]; [reflexivity|]. cbn [add_to_row].
    destruct (Nat.eqb_spec x y) as [->|]; cbn [linear]; [rewrite Q2R_reduced, Q2R_plus; lra|rewrite IH; lra]. }
  unfold merged_row. rewrite Z. assert (G : forall r acc,
    linear (fold_left (fun r e => add_to_row (fst e) (snd e) r) r acc) v = linear r v + linear acc v).
  { clear - A. induction r as [|[x q] r IH]; intros acc; cbn [fold_left linear]; [lra|].
    rewrite IH, A. cbn [fst snd]. lra. }
  rewrite G. simpl. lra.
Qed.

(* ---- formulas that the embedding holds ---- *)
Lemma symbolic_truth_correct f : is_symbolic f = true -> forall n w i, truth users n w f i = symbolic_truth f (w i).
Proof.
  unfold symbolic_truth. induction f; cbn [is_symbolic]; intros H n0 w i; try discriminate; cbn [truth];
    try (apply andb_prop in H as [H1 H2]); rewrite ?IHf, ?(IHf1 H1 n0 w), ?(IHf2 H2 n0 w) by assumption; reflexivity.
Qed.

Lemma ordered_difference_value n w i t u : IZR (value_of_term users n w t i - value_of_term users n w u i)
  = combination_value (count_value users n w i) (ordered_difference t u) + IZR (constant_difference t u).
Proof.
  rewrite difference_value. f_equal. unfold term_difference, ordered_difference.
  rewrite (combined_merged count_eqb count_eqb_eq). set (l := counts_of t ++ _). clearbody l.
  assert (F : forall m : list (count_atom * Q), combination_value (count_value users n w i) (filter (fun e =>
    negb (is_zero (snd e))) m) = combination_value (count_value users n w i) m).
  { induction m as [|[c q] m IH]; cbn [filter snd]; [reflexivity|]. destruct (is_zero q) eqn:Z;
      cbn [negb combination_value]; rewrite IH; [|reflexivity]. apply Qeq_bool_R in Z. rewrite Z, Q2R_0. ring. }
  rewrite F. assert (G : forall l acc, combination_value (count_value users n w i)
      (fold_left (fun l e => insert_term count_eqb (fst e) (snd e) l) l acc)
    = combination_value (count_value users n w i) l + combination_value (count_value users n w i) acc).
  { clear. induction l as [|[c q] l IH]; intros acc; cbn [fold_left combination_value]; [lra|].
    rewrite IH, (combined_insert count_eqb count_eqb_eq). cbn [fst snd]. lra. }
  rewrite G. simpl. lra.
Qed.

(* Where the counts cancel, the word does not matter. *)
Lemma constant_comparison_truth n w w' i r t u : is_constant_comparison t u = true ->
  truth users n w (Compare r t u) i = truth users n w' (Compare r t u) i.
Proof.
  unfold is_constant_comparison. destruct (ordered_difference t u) eqn:D; [intros _|discriminate].
  assert (V : forall w, truth users n w (Compare r t u) i = relates_so r (Z.compare (constant_difference t u) 0)).
  { intros w0. pose proof (ordered_difference_value n w0 i t u) as V. rewrite D in V. simpl in V.
    rewrite Rplus_0_l in V. apply eq_IZR in V.
    change (truth users n w0 (Compare r t u) i) with (relation_holds r (value_of_term users n w0 t i) (value_of_term
      users n w0 u i)). now rewrite relates_difference, V. }
  now rewrite !V.
Qed.

Definition embeddable (f : formula) : bool :=
  is_symbolic f || match f with Positional _ => true | Compare _ t u => is_constant_comparison t u | _ => false end.

Lemma embed_positional_truth d f d' x : embed_positional d f = (d', x) -> sound d ->
  (forall n w w' i, truth users n w f i = truth users n w' f i) -> reaches d d' x (IsTruth f).
Proof.
  intros E Sd P. apply (add_position_sound users k _ _ _ _ _ E Sd eq_refl). intros n w i. simpl.
  now rewrite (P n w no_word).
Qed.

Theorem require_truth_sound d f d' x : require_truth d f = (d', x) -> sound d ->
  truth_is_known d f \/ embeddable f = true \/ operands_known d f -> reaches d d' x (IsTruth f).
Proof.
  intros E Sd H. unfold require_truth, add_once in E. fold (find_truth d f) in E.
  destruct (find_truth d f) as [y|] eqn:F.
  - injection E as <- <-. split; [exact Sd|]. split; [apply extends_refl|now apply find_truth_correct].
  - destruct H as [K|H]; [apply known_truth in K; unfold truth_of in K; rewrite F in K|].
    { exfalso. destruct K as (e & N & M). destruct (find_from_complete (is_truth_of f) (draft_facts d) 0%nat _ e N) as
        [y Y].
      - unfold is_truth_of. rewrite M. apply formula_eqb_refl.
      - unfold find_truth, find_fact in F. congruence. }
    destruct (is_symbolic f) eqn:Sy.
    { apply (add_tokens_sound users k _ _ _ _ _ E Sd). intros n w i _. cbn [meaning_holds].
      now rewrite (symbolic_truth_correct f Sy). }
    unfold embeddable in H. rewrite Sy in H. cbn [orb] in H.
    assert (Co : operands_known d f -> forall units bias, connective_units d f = (units, bias) ->
      add_feed_forward d (IsTruth f) units bias = (d', x) -> reaches d d' x (IsTruth f)).
    { intros Kn units bias Eu A. pose proof (connective_below d f Kn) as Be.
      pose proof (fun n w i v => connective_value d n w i v f Kn) as V. rewrite Eu in Be, V. cbn [fst snd] in Be, V.
      apply (add_feed_forward_sound users k _ _ _ _ _ _ A Sd Be). intros n w i v _ Rd. cbn [meaning_holds]. now apply V.
      }
    destruct f; try (destruct H as [H|H]; [discriminate|]); try easy;
      try (destruct (connective_units d _) as [units bias] eqn:Eu in E; exact (Co H units bias Eu E)).
    + apply (embed_positional_truth _ _ _ _ E Sd). reflexivity.
    + destruct H as [H|[]]. apply (embed_positional_truth _ _ _ _ E Sd). intros. now apply constant_comparison_truth.
Qed.
End Correct.
