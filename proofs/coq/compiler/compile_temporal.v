(* The constructions of compile_formula.v for `prev`, `next`, `since` and `until`, in all four regimes ([SHA] Theorems
   12, 13, 15, 16), with the end markers and reciprocals of Proposition 11 that they need.

   Proved: each keeps drafts sound, and the direction that it returns holds the truth of its formula exactly, for every
   length, word and position; for gamma >= ln 2 (`prev`, `next`) and gamma >= ln 4 (`since`, `until`). *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia Arith.
From Certify Require Import positions lists finite_sums softmax exponential lemma_08_tie_breaking relu lemma_09_rounding
  formula network totals linear_combination meaning well_defined check_defined proposition_11_end_markers
  theorem_12_previous_next theorem_13_previous_causal theorem_15_since_until theorem_16_since_causal check_head regime
  draft draft_stages draft_sound compile_formula compile_connectives.
Import ListNotations PositionNotations.
Open Scope R_scope.

(* ---- Lemma 9 ---- *)
Lemma rounding_value v near gates :
  total_over (fun u => let '(reads, b, y) := u in relu (linear reads v + Q2R b) * Q2R y) (rounding_units near gates)
  = rounded_truth (v near + - total_over v gates).
Proof.
  assert (E : linear (map (fun x => (x, (-1)%Q)) gates) v = - total_over v gates).
  { induction gates as [|x l IH]; simpl; [lra|]. rewrite IH. rationals. lra. }
  unfold rounding_units, rounded_truth. cbn [total_over linear]. rewrite E. rationals.
  match goal with |- relu ?a * _ + (relu ?b * _ + 0) = 2 * relu ?c - 2 * relu ?d =>
    replace a with c by lra; replace b with d by lra end. lra.
Qed.

Lemma units_value_app us us' b v : units_value (us ++ us') b v = units_value us 0 v + units_value us' b v.
Proof. unfold units_value. rewrite total_app, Q2R_0. lra. Qed.

Lemma rounding_mentions near gates x : In x (rows_mentioned (unit_reads_of (rounding_units near gates))) ->
  x = near \/ In x gates.
Proof.
  assert (E : map fst (map (fun g => (g, (-1)%Q)) gates) = gates).
  { clear. induction gates as [|g l IH]; [reflexivity|]. cbn [map fst]. now rewrite IH. }
  unfold rows_mentioned, rounding_units, unit_reads_of. cbn [map fst concat app]. rewrite app_nil_r, map_app.
  cbn [map fst]. rewrite E. intros [<-|H]; [now left|]. apply in_app_iff in H as [H|[<-|H]]; auto.
Qed.

Lemma mentioned_app rows rows' : rows_mentioned (rows ++ rows') = rows_mentioned rows ++ rows_mentioned rows'.
Proof. unfold rows_mentioned. now rewrite concat_app, map_app. Qed.

(* One draft extends another through those between them. *)
Local Ltac all_extends := repeat match goal with
  | X : draft_extends ?a ?b |- draft_extends ?a ?b => exact X
  | X : draft_extends ?a ?b |- draft_extends ?a ?z => apply (extends_trans a b z X); clear X
  end.

Section Temporal.
Variables (users : predicate_meanings) (k : nat) (c : setting).
Notation sound := (is_sound users k).
Notation reaches d d' x m := (sound d' /\ draft_extends d d' /\ draft_holds d' x m).
Notation causal := (regime_causal (set_regime c)).
Notation by_position := (regime_by_position (set_regime c)).
Notation g := (Q2R (set_gamma c)).
Hypothesis Temperature : temperature_fits (set_temperature c) = true.

Lemma add_one_head_sound d msk queries keys value m d' x : add_one_head c d msk queries keys value m = (d', x) ->
  sound d -> (forall y, In y (rows_mentioned (queries ++ keys ++ [value])) -> (y < new_direction d)%nat) -> (forall n w
  h (i : position n), word_over k n w -> read_at users d (queries ++ keys ++ [value]) n w h -> meaning_holds users n w i
  m (softmax_value (Head msk (set_temperature c) queries keys []) n h i value)) -> reaches d d' x m.
Proof.
  intros [= <- <-] Sd Be M.
  destruct (add_head_sound users k d msk (set_temperature c) queries keys [DraftOutput value m 0] Sd Temperature Be)
    as (S' & X' & H'); [|split; [exact S'|split; [exact X'|]]].
  - intros n w h i o [<-|[]] Ov Rd. now apply M.
  - specialize (H' 0%nat _ eq_refl). now rewrite Nat.add_0_r in H'.
Qed.

(* ---- Proposition 11 ---- *)
Lemma uniform_attended n h i s value : softmax_value (Head (mask_of s) (set_temperature c) [[]] [[]] []) n h i value
  = attend n (match s with ToLeft => future_mask i | ToRight => past_mask i end) (fun _ => 0) (fun j =>
    linear value (h j)).
Proof.
  unfold softmax_value.
  replace (mask_at _ i) with (match s with ToLeft => future_mask i | ToRight => past_mask i end) by now destruct s.
  apply attend_ext; [|reflexivity]. intros j _. unfold scaled_score. simpl. unfold Rdiv. ring.
Qed.

Lemma uniform_head_sound d s y q (a m : meaning) d' x : add_uniform_head c d s [(y, q)] m = (d', x) -> sound d ->
  draft_holds d y a ->
  (forall n w h (i : position n), word_over k n w -> (each j upto n, meaning_holds users n w j a (h j y)) ->
     meaning_holds users n w i m
       (attend n (match s with ToLeft => future_mask i | ToRight => past_mask i end) (fun _ => 0)
          (fun j => linear [(y, q)] (h j)))) ->
  reaches d d' x m.
Proof.
  intros E Sd Hy M. apply (add_one_head_sound _ _ _ _ _ _ _ _ E Sd).
  - intros z [<-|[]]. exact (holds_below _ _ _ Hy).
  - intros n w h i Ov Rd. rewrite uniform_attended. apply M; [exact Ov|]. intros j Hj.
    apply (Rd y a Hy); [now left|exact Hj].
Qed.

Definition edge_truth (s : side) (n i : nat) : bool :=
  match s with ToLeft => (i =? 1)%nat | ToRight => (i =? n)%nat end.
Lemma edge_of_truth s n w i : truth users n w (Positional (edge_of s)) i = edge_truth s n i. Proof. now destruct s. Qed.

Lemma sign_of_position_value n i : expression_value sign_of_position n i = sign_of_parity i.
Proof.
  unfold sign_of_position. cbn [expression_value integer_value]. rewrite Q2R_1. replace (Ropp 1) with (-1) by lra.
  apply alternating_power.
Qed.

Lemma minus_sign y n h : (each j upto n, h j y = expression_value sign_of_position n j) ->
  each j upto n, linear [(y, (-1)%Q)] (h j) = - sign_of_parity j.
Proof. intros V j Hj. cbn [linear]. rewrite V, sign_of_position_value by exact Hj. rationals. lra. Qed.

Theorem edge_marker_sound s d d' x : edge_marker c s d = (d', x) -> sound d ->
  reaches d d' x (IsTruth (Positional (edge_of s))).
Proof.
  intros E Sd. apply (once_sound users k _ _ _ _ _ _ E Sd).
  { intros e T. unfold is_truth_of in T. destruct (fact_meaning e); try discriminate.
    apply formula_eqb_eq in T. now subst. }
  clear E. intros E. destruct (embed_position d sign_of_position) as [d1 alt] eqn:E1.
  destruct (embed_position_sound users k _ _ _ _ E1 Sd eq_refl) as (S1 & X1 & H1).
  destruct (add_uniform_head c d1 s _ _) as [d2 mean] eqn:E2.
  destruct (uniform_head_sound _ _ _ _ _ _ _ _ E2 S1 H1) as (S2 & X2 & H2).
  { intros n w h i _ V. cbn [meaning_holds position_value] in *. pose proof (minus_sign alt n h V) as V'.
    destruct s; rewrite (attend_ext n _ _ (fun _ => 0) _ (fun j => - sign_of_parity j)) by
      (reflexivity || (intros j [Hj _]; now apply V')).
    - rewrite alternating_mean_future. symmetry. apply mean_up_to_value.
    - rewrite alternating_mean_past. symmetry. now apply mean_from_value. }
  destruct (add_feed_forward_sound users k _ _ _ _ _ _ E S2) as (S3 & X3 & H3).
  - intros y Hy. assert (y = mean) as -> by (destruct s; simpl in Hy; intuition congruence).
    exact (holds_below _ _ _ H2).
  - intros n w i v _ Rd. cbn [meaning_holds]. rewrite edge_of_truth.
    assert (V : v mean = match s with ToLeft => mean_up_to i | ToRight => mean_from n i end).
    { specialize (Rd mean _ H2 ltac:(now left)). cbn [meaning_holds position_value] in Rd. rewrite Rd.
      destruct s; [apply mean_up_to_value|now apply mean_from_value]. }
    unfold units_value. destruct s; cbn [total_over above_half linear edge_truth]; rewrite V; rationals.
    + rewrite <- (proposition_11a n i 0), alternating_mean_future. unfold end_marker.
      match goal with |- relu ?a * _ + _ + _ = 2 * relu ?b => replace a with b by lra end. lra.
    + rewrite <- (proposition_11b n i 0), alternating_mean_past. unfold end_marker.
      match goal with |- relu ?a * _ + (relu ?b * _ + _) + _ = 2 * relu ?a' + 2 * relu ?b' =>
        replace a with a' by lra; replace b with b' by lra end. lra.
  - split; [exact S3|]. split; [|exact H3]. eapply extends_trans; [exact X1|eapply extends_trans; [exact X2|exact X3]].
Qed.

Lemma reciprocal_defined s : always_has_value 1 (reciprocal_expression s) = true. Proof. now destruct s. Qed.

Theorem reciprocal_sound s d d' x : add_reciprocal c s d = (d', x) -> sound d ->
  reaches d d' x (IsPosition (Formula (reciprocal_expression s))).
Proof.
  intros E Sd. apply (once_sound users k _ _ _ _ _ _ E Sd (is_position_of_eq (Formula (reciprocal_expression s)))).
  clear E. intros E. destruct (reciprocal_embedded c).
  - apply (add_position_sound users k _ _ _ _ _ E Sd (reciprocal_defined s)). reflexivity.
  - destruct (edge_marker c s d) as [d1 marker] eqn:E1. destruct (edge_marker_sound _ _ _ _ E1 Sd) as (S1 & X1 & H1).
    destruct (uniform_head_sound _ _ _ _ _ _ _ _ E S1 H1) as (S2 & X2 & H2).
    + intros n w h i _ V. cbn [meaning_holds position_value] in *.
      rewrite (attend_ext n _ _ (fun _ => 0) _ (fun j => bit (edge_truth s n j))); [|reflexivity|].
      * destruct s; cbn [edge_truth reciprocal_expression expression_value]; rewrite Q2R_1.
        -- now apply proposition_11a_reciprocal.
        -- rewrite proposition_11b_reciprocal, minus_INR, S_INR by lia. reflexivity.
      * intros j [Hj _]. cbn [linear]. rewrite V, edge_of_truth by exact Hj. rationals. lra.
    + split; [exact S2|]. split; [|exact H2]. eapply extends_trans; eassumption.
Qed.
(* ---- Lemma 8 ---- *)
Definition tied_score (s : side) (n i : nat) (t : nat -> R) (j : nat) : R :=
  match s with ToLeft => if causal then score_8a t g i j else score_8b t g n j | ToRight => score_8c t g n j end.
Local Definition sees (s : side) (i : nat) : mask := match s with ToLeft => future_mask i | ToRight => past_mask i end.

(* What the head adds to the scores, and the factor that it reads at the position that asks. *)
Local Definition tie_value (s : side) (n j : nat) : R :=
  if causal then - (1 / INR j) else match s with ToLeft => 1 / 2 | ToRight => - (1 / 2) end * (INR j / INR n).
Local Definition scale_value (n i : nat) : R := if by_position then (if causal then INR i ^ 2 else INR n) else 1.

Lemma tie_breaking_sound s d d' tie factor : tie_breaking c s d = (d', tie, factor) -> sound d -> sound d' /\
  draft_extends d d' /\ Q2R factor = (if causal then g else 2 * g) /\ exists y m q, tie = [(y, q)] /\
  draft_holds d' y m /\ forall n w (i : position n) x, meaning_holds users n w i m x -> Q2R q * x = tie_value s n i.
Proof.
  unfold tie_breaking, tie_value. destruct causal; intros E Sd.
  - destruct (add_reciprocal c ToLeft d) as [d1 y] eqn:E1. apply pair_equal_spec in E as [[<- <-]%pair_equal_spec <-].
    destruct (reciprocal_sound _ _ _ _ E1 Sd) as (S1 & X1 & H1).
    split; [exact S1|split; [exact X1|split; [apply Q2R_reduced|]]]. do 3 eexists. split; [reflexivity|].
    split; [exact H1|]. intros n w i x M. cbn in M. rewrite M. rationals. lra.
  - destruct (embed_position d share_of_position) as [d1 y] eqn:E1.
    apply pair_equal_spec in E as [[<- <-]%pair_equal_spec <-].
    destruct (embed_position_sound users k _ _ _ _ E1 Sd eq_refl) as (S1 & X1 & H1).
    split; [exact S1|split; [exact X1|split]]; [rationals; lra|]. do 3 eexists. split; [reflexivity|].
    split; [exact H1|]. intros n w i x M. cbn in M. rewrite M. destruct s; rationals; lra.
Qed.

Lemma scale_sound d d' y : add_scale c d = (d', y) -> sound d -> sound d' /\ draft_extends d d' /\ exists m,
  draft_holds d' y m /\ forall n w i x, meaning_holds users n w i m x -> x = scale_value n i.
Proof.
  unfold add_scale, scale_value, add_one. intros E Sd. destruct by_position.
  - destruct (embed_position_sound users k _ _ _ _ E Sd) as (S1 & X1 & H1); [now destruct causal|].
    split; [exact S1|split; [exact X1|]]. eexists. split; [exact H1|]. intros n w i x M. cbn in M.
    rewrite M. now destruct causal.
  - destruct (embed_position_sound users k _ _ _ _ E Sd eq_refl) as (S1 & X1 & H1).
    split; [exact S1|split; [exact X1|]]. eexists. split; [exact H1|]. intros n w i x M. cbn in M.
    rewrite M. apply Q2R_1.
Qed.

Lemma linear_appended (r t : row) v : linear (r ++ t) v = linear r v + linear t v.
Proof. induction r as [|[x q] r IH]; cbn [app linear]; [lra|]. rewrite IH. lra. Qed.

(* The temperature is that of the regime. *)
Hypothesis Sharp : set_temperature c = temperature_of (set_regime c).

Lemma tied_score_value s n (i : position n) j (x S : R) (factor : Q) : j upto n -> (causal = true -> s = ToLeft) ->
  x = scale_value n i -> Q2R factor = (if causal then g else 2 * g) -> (Q2R factor * x + 0) * (S + tie_value s n j)
  / expression_value (set_temperature c) n i = tied_score s n i (fun _ => S) j.
Proof.
  intros Hj Ca -> ->. rewrite Sharp.
  unfold scale_value, tie_value, tied_score, temperature_of, score_8a, score_8b, score_8c.
  assert (INR i <> 0) by (apply not_0_INR; lia). assert (INR j <> 0) by (apply not_0_INR; lia).
  assert (INR n <> 0) by (apply not_0_INR; lia).
  destruct causal; [rewrite (Ca eq_refl)|destruct s]; destruct by_position; simpl; rewrite ?Q2R_1; field; auto.
Qed.
Theorem tie_broken_head_sound s d score value m d' x : tie_broken_head c s d score value m = (d', x) -> sound d ->
  (causal = true -> s = ToLeft) -> (forall y, In y (rows_mentioned [score; value]) -> (y < new_direction d)%nat) ->
  (forall n w h (i : position n), word_over k n w -> read_at users d [score; value] n w h ->
     meaning_holds users n w i m (attend n (sees s i) (tied_score s n i (fun j => linear score (h j)))
       (fun j => linear value (h j)))) -> reaches d d' x m.
Proof.
  intros E Sd Ca Be M. unfold tie_broken_head in E. destruct (tie_breaking c s d) as [[d1 tie] factor] eqn:E1.
  destruct (tie_breaking_sound _ _ _ _ _ E1 Sd) as (S1 & X1 & Ef & y & my & q & -> & Hy & Vy).
  destruct (add_scale c d1) as [d2 z] eqn:E2. destruct (scale_sound _ _ _ E2 S1) as (S2 & X2 & mz & Hz & Vz).
  pose proof (extends_trans _ _ _ X1 X2) as X02. apply (holds_extends _ _ _ _ X2) in Hy.
  assert (Old : forall u, In u (rows_mentioned [score; value]) -> (u < new_direction d2)%nat).
  { intros u Hu. destruct X02 as [l X02]. specialize (Be u Hu). unfold new_direction in *. rewrite X02, length_app. lia.
    }
  assert (Rows : rows_mentioned ([[(z, factor)]] ++ [score ++ [(y, q)]] ++ [value])
    = z :: map fst score ++ y :: map fst value ++ []).
  { unfold rows_mentioned. cbn [app concat map fst]. now rewrite <- app_assoc, map_app, !app_nil_r. }
  assert (Score : rows_mentioned [score; value] = map fst score ++ map fst value ++ []).
  { unfold rows_mentioned. cbn [concat]. now rewrite !map_app. }
  destruct (add_one_head_sound _ _ _ _ _ _ _ _ E S2) as (S3 & X3 & H3).
  - rewrite Rows. intros u [<-|Hu]; [exact (holds_below _ _ _ Hz)|]. rewrite Score in Old.
    apply in_app_iff in Hu as [Hu|[<-|Hu]]; [|exact (holds_below _ _ _ Hy)|]; apply Old, in_app_iff; auto.
  - intros n w h i Ov Rd. assert (V : each j upto n, Q2R q * h j y = tie_value s n j).
    { intros j Hj. refine (Vy n w (Position j Hj) _ _). apply (Rd y my Hy); [|exact Hj]. rewrite Rows. right.
      apply in_app_iff. right. now left. }
    assert (W : h i z = scale_value n i) by (apply (Vz n w i), (Rd z mz Hz); [rewrite Rows;
      now left|exact (in_word i)]).
    unfold softmax_value. cbn [head_masking]. replace (mask_at (mask_of s) i) with (sees s i) by now destruct s.
    rewrite (attend_ext n _ _ (tied_score s n i (fun j => linear score (h j))) _ (fun j => linear value (h j))).
    + apply M; [exact Ov|]. intros u mu Hu In j Hj. apply (Rd u mu (holds_extends _ _ _ _ X02 Hu)); [|exact Hj].
      rewrite Rows. rewrite Score in In. right. apply in_app_iff in In as [In|In]; apply in_app_iff; auto. right.
      now right.
    + intros j [Hj _]. unfold scaled_score. cbn [head_queries head_keys head_temperature dot_product linear].
      rewrite linear_appended. cbn [linear]. rewrite !Rplus_0_r, V by exact Hj.
      transitivity (tied_score s n i (fun _ => linear score (h j)) j); [|reflexivity].
      rewrite <- (tied_score_value s n i j (h i z) (linear score (h j)) factor Hj Ca W Ef). now rewrite Rplus_0_r.
    + reflexivity.
  - split; [exact S3|]. split; [exact (extends_trans _ _ _ X02 X3)|exact H3].
Qed.
Lemma tied_score_ext s n i t t' j : t j = t' j -> tied_score s n i t j = tied_score s n i t' j.
Proof. intros E. unfold tied_score, score_8a, score_8b, score_8c. now rewrite E. Qed.

Local Lemma sees_itself s n (i : position n) : visible n (sees s i) i.
Proof. destruct s; [apply visible_future; lia|apply visible_past; lia]. Qed.

(* The head reads two directions: one at the positions that it scores, one at those that it attends to. *)
Lemma tied_attention s n i h score y (t : nat -> R) (b : nat -> bool) : (each j upto n, linear score (h j) = t j) ->
  (each j upto n, h j y = bit (b j)) -> attend n (sees s i) (tied_score s n i (fun j => linear score (h j))) (fun j =>
  linear [(y, 1%Q)] (h j)) = attend n (sees s i) (tied_score s n i t) (fun j => bit (b j)).
Proof.
  intros T B. apply attend_ext; intros j [Hj _]; [now apply tied_score_ext, T|].
  cbn [linear]. rewrite B, Q2R_1 by exact Hj. lra.
Qed.

(* ---- Theorems 15 and 16 ---- *)
Hypothesis Positive : 0 < g.

Lemma since_or_until_near s f f' n w (i : position n) : (causal = true -> s = ToLeft) -> exp (- g) <= 1 / 4 ->
  meaning_holds users n w i (IsNear (since_or_until s f f') (Truth true)) (attend n (sees s i)
    (tied_score s n i (fun j => bit (truth users n w (Implies f f') j))) (fun j => bit (truth users n w (And f f') j))).
Proof.
  intros Ca Quarter.
  assert (Rg : forall t, 0 <= attend n (sees s i) t (fun j => bit (truth users n w (And f f') j)) <= 1).
  { intros t. eapply attend_range; [now apply sees_itself|]. intros j _. apply bit_range. }
  split; [apply Rg|]. intros _. apply (near_from_error _ (exp (- g))); [|exact Quarter|apply Rg].
  unfold tied_score, sees. destruct s; cbn [since_or_until].
  - destruct causal.
    + exact (since_head_causal (truth users n w f) (truth users n w f') n i g Positive).
    + exact (since_head (truth users n w f) (truth users n w f') n i g Positive).
  - exact (until_head (truth users n w f) (truth users n w f') n i g Positive).
Qed.

Theorem add_since_or_until_sound s f f' d d' x : add_since_or_until c s f f' d = (d', x) -> sound d ->
  truth_is_known d f -> truth_is_known d f' -> (causal = true -> s = ToLeft) -> exp (- g) <= 1 / 4 ->
  reaches d d' x (IsTruth (since_or_until s f f')).
Proof.
  intros E Sd Kf Kf' Ca Quarter. unfold add_since_or_until in E.
  destruct (require_truth d (Implies f f')) as [d1 decides] eqn:E1.
  destruct (require_truth_sound users k _ _ _ _ E1 Sd) as (S1 & X1 & H1); [right; right; now split|].
  destruct (require_truth d1 (And f f')) as [d2 both] eqn:E2.
  destruct (require_truth_sound users k _ _ _ _ E2 S1) as (S2 & X2 & H2); [right; right; split;
    now apply (known_extends d)|]. apply (holds_extends _ _ _ _ X2) in H1.
  destruct (tie_broken_head c s d2 _ _ _) as [d3 near] eqn:E3.
  destruct (tie_broken_head_sound _ _ _ _ _ _ _ E3 S2 Ca) as (S3 & X3 & H3).
  { intros y [<-|[<-|[]]]; [exact (holds_below _ _ _ H1)|exact (holds_below _ _ _ H2)]. }
  { intros n w h i _ Rd. rewrite (tied_attention s n i h _ both
      (fun j => bit (truth users n w (Implies f f') j)) (truth users n w (And f f'))).
    - now apply since_or_until_near.
    - intros j Hj. cbn [linear]. rewrite (Rd _ _ H1 ltac:(now left) j Hj), Q2R_1. lra.
    - intros j Hj. exact (Rd _ _ H2 ltac:(right; now left) j Hj). }
  destruct (add_feed_forward_sound users k _ _ _ _ _ _ E S3) as (S4 & X4 & H4).
  - intros y Hy. apply rounding_mentions in Hy as [->|[]]. exact (holds_below _ _ _ H3).
  - intros n w i v _ Rd. destruct (Rd _ _ H3 ltac:(now left)) as [_ N]. cbn [meaning_holds]. unfold units_value.
    rewrite rounding_value, lemma_09_open, Q2R_0, Rplus_0_r by (simpl; lra). now apply near_rounded, N.
  - split; [exact S4|]. split; [|exact H4]. all_extends.
Qed.

(* ---- Theorems 12 and 13 ---- *)
Lemma half_parity_row (e : bool) y n (h : nat -> vector) : (each j upto n, h j y = expression_value sign_of_position n
  j) -> each j upto n, linear [(y, if e then (1 # 2)%Q else (-1 # 2)%Q)] (h j) = half_parity e j.
Proof.
  intros V j Hj. cbn [linear]. rewrite V, sign_of_position_value by exact Hj. unfold half_parity.
  destruct e; rationals; lra.
Qed.

Local Definition asked (s : side) (e : bool) : formula :=
  And (Positional (if e then ODD else EVEN)) (Not (Positional (edge_of s))).

Lemma asked_truth s e n w i : truth users n w (asked s e) i = true -> Nat.odd i = e /\ edge_truth s n i = false.
Proof.
  intros H. cbn [asked truth] in H. fold (truth users n w (Positional (edge_of s)) i) in H.
  apply andb_prop in H as [H1 H2]. rewrite <- (edge_of_truth s n w i). apply negb_true_iff in H2. split; [|exact H2].
  destruct e; [exact H1|]. cbn in H1. now rewrite <- Nat.negb_even, H1.
Qed.

Lemma neighbour_near s f e n w (i : position n) : (causal = true -> s = ToLeft) -> exp (- (2 * g)) <= 1 / 4 ->
  meaning_holds users n w i (IsNear (neighbour_formula s f) (asked s e)) (attend n (sees s i)
    (tied_score s n i (half_parity e)) (fun j => bit (truth users n w f j))).
Proof.
  intros Ca Quarter. assert (Rg : forall t, 0 <= attend n (sees s i) t (fun j => bit (truth users n w f j)) <= 1).
  { intros t. eapply attend_range; [now apply sees_itself|]. intros j _. apply bit_range. }
  split; [apply Rg|]. intros A. apply asked_truth in A as [Odd Edge].
  apply (near_from_error _ (exp (- (2 * g)))); [|exact Quarter|apply Rg]. unfold tied_score, sees.
  destruct s; cbn [neighbour_formula edge_truth] in *; [change (truth users n w (Previous f) i)
    with (negb (i =? 1) && truth users n w f (i - 1)) |change (truth users n w (Next f) i)
    with (negb (i =? n) && truth users n w f (i + 1))]; rewrite Edge; cbn [negb andb]; apply Nat.eqb_neq in Edge.
  - destruct causal; [apply previous_head_causal|apply previous_head]; lia || exact Positive || exact Odd.
  - apply next_head; lia || exact Positive || exact Odd.
Qed.

Lemma parity_head_sound s f e d d' x : parity_head c s f e d = (d', x) -> sound d -> truth_is_known d f -> (causal
  = true -> s = ToLeft) -> exp (- (2 * g)) <= 1 / 4 -> reaches d d' x (IsNear (neighbour_formula s f) (asked s e)).
Proof.
  intros E Sd Kf Ca Quarter. unfold parity_head in E. destruct (embed_position d sign_of_position) as [d1 alt] eqn:E1.
  destruct (embed_position_sound users k _ _ _ _ E1 Sd eq_refl) as (S1 & X1 & H1).
  pose proof (known_truth _ _ (known_extends _ _ _ X1 Kf)) as Hf.
  destruct (tie_broken_head_sound _ _ _ _ _ _ _ E S1 Ca) as (S2 & X2 & H2).
  - intros y [<-|[<-|[]]]; [exact (holds_below _ _ _ H1)|exact (holds_below _ _ _ Hf)].
  - intros n w h i _ Rd.
    rewrite (tied_attention s n i h _ _ (half_parity e) (truth users n w f)); [now apply neighbour_near| |].
    + apply half_parity_row. intros j Hj. exact (Rd _ _ H1 ltac:(now left) j Hj).
    + intros j Hj. exact (Rd _ _ Hf ltac:(right; now left) j Hj).
  - split; [exact S2|]. split; [exact (extends_trans _ _ _ X1 X2)|exact H2].
Qed.

Lemma gated_units_sound s near e d d' units : gated_units c s near e d = (d', units) -> sound d -> sound d' /\
  draft_extends d d' /\ exists parity edge, units = rounding_units near [parity; edge] /\ draft_holds d' parity (IsTruth
  (Positional (if e then EVEN else ODD))) /\ draft_holds d' edge (IsTruth (Positional (edge_of s))).
Proof.
  intros E Sd. unfold gated_units in E. destruct (require_truth d _) as [d1 parity] eqn:E1.
  destruct (require_truth_sound users k _ _ _ _ E1 Sd) as (S1 & X1 & H1); [right; left; reflexivity|].
  destruct (edge_marker c s d1) as [d2 edge] eqn:E2. destruct (edge_marker_sound _ _ _ _ E2 S1) as (S2 & X2 & H2).
  injection E as <- <-. split; [exact S2|]. split; [exact (extends_trans _ _ _ X1 X2)|].
  exists parity, edge. split; [reflexivity|]. split; [now apply (holds_extends d1)|exact H2].
Qed.

Theorem add_neighbour_sound s f d d' x : add_neighbour c s f d = (d', x) -> sound d -> truth_is_known d f ->
  (causal = true -> s = ToLeft) -> exp (- (2 * g)) <= 1 / 4 -> reaches d d' x (IsTruth (neighbour_formula s f)).
Proof.
  intros E Sd Kf Ca Quarter. unfold add_neighbour in E. destruct (parity_head c s f true d) as [d1 near1] eqn:E1.
  destruct (parity_head_sound _ _ _ _ _ _ E1 Sd Kf Ca Quarter) as (S1 & X1 & H1).
  destruct (parity_head c s f false d1) as [d2 near2] eqn:E2.
  destruct (parity_head_sound _ _ _ _ _ _ E2 S1 (known_extends _ _ _ X1 Kf) Ca Quarter) as (S2 & X2 & H2).
  destruct (gated_units c s near1 true d2) as [d3 units1] eqn:E3.
  destruct (gated_units_sound _ _ _ _ _ _ E3 S2) as (S3 & X3 & p1 & e1 & -> & P1 & G1).
  destruct (gated_units c s near2 false d3) as [d4 units2] eqn:E4.
  destruct (gated_units_sound _ _ _ _ _ _ E4 S3) as (S4 & X4 & p2 & e2 & -> & P2 & G2).
  assert (X24 : draft_extends d2 d4) by exact (extends_trans _ _ _ X3 X4).
  apply (holds_extends _ _ _ _ (extends_trans _ _ _ X2 X24)) in H1. apply (holds_extends _ _ _ _ X24) in H2.
  apply (holds_extends _ _ _ _ X4) in P1, G1.
  destruct (add_feed_forward_sound users k _ _ _ _ _ _ E S4) as (S5 & X5 & H5).
  - intros y Hy. unfold unit_reads_of in Hy. rewrite map_app, mentioned_app in Hy.
    apply in_app_iff in Hy as [Hy|Hy]; apply rounding_mentions in Hy as [->|[<-|[<-|[]]]]; eauto using holds_below.
  - intros n w i v _ Rd. cbn [meaning_holds]. rewrite units_value_app. unfold units_value. rewrite !rounding_value.
    assert (M : forall y, In y [near1; p1; e1; near2; p2; e2] -> In y (rows_mentioned (unit_reads_of
      (rounding_units near1 [p1; e1] ++ rounding_units near2 [p2; e2])))).
    { intros y Hy. unfold rows_mentioned, unit_reads_of. rewrite map_app, concat_app, map_app. apply in_app_iff.
      simpl in Hy. destruct Hy as [<-|[<-|[<-|[<-|[<-|[<-|[]]]]]]]; (left; cbn; now auto) || (right; cbn; now auto). }
    pose proof (read_here_value Rd _ _ P1 (M p1 ltac:(simpl; tauto))) as V1.
    pose proof (read_here_value Rd _ _ G1 (M e1 ltac:(simpl; tauto))) as V2.
    pose proof (read_here_value Rd _ _ P2 (M p2 ltac:(simpl; tauto))) as V3.
    pose proof (read_here_value Rd _ _ G2 (M e2 ltac:(simpl; tauto))) as V4.
    destruct (Rd _ _ H1 (M near1 ltac:(simpl; tauto))) as [R1 N1].
    destruct (Rd _ _ H2 (M near2 ltac:(simpl; tauto))) as [R2 N2]. rewrite edge_of_truth in V2, V4. cbn [total_over].
    rewrite V1, V2, V3, V4. change (truth users n w (Positional EVEN) i) with (Nat.even i).
    change (truth users n w (Positional ODD) i) with (Nat.odd i).
    transitivity (gated_rounding (v near1) (v near2) i (bit (edge_truth s n i))).
    { unfold gated_rounding. rewrite !Q2R_0, !Rplus_0_r. f_equal; f_equal; lra. }
    rewrite (gated_exact _ _ i (edge_truth s n i) (truth users n w f (match s with ToLeft => i - 1 |
      ToRight => i + 1 end)%nat)); [now destruct s|exact R1|exact R2|]. intros Edge.
    assert (Ask : forall e, Nat.odd i = e -> truth users n w (asked s e) i = true).
    { intros e O. unfold asked. cbn [truth]. fold (truth users n w (Positional (edge_of s)) i).
      rewrite edge_of_truth, Edge. destruct e; cbn; rewrite ?O; [reflexivity|]. now rewrite <- Nat.negb_odd, O. }
    assert (Nb : truth users n w (neighbour_formula s f) i
      = truth users n w f (match s with ToLeft => i - 1 | ToRight => i + 1 end)%nat).
    { destruct s; cbn [neighbour_formula edge_truth] in *.
      - change (truth users n w (Previous f) i) with (negb (i =? 1) && truth users n w f (i - 1)). now rewrite Edge.
      - change (truth users n w (Next f) i) with (negb (i =? n) && truth users n w f (i + 1)). now rewrite Edge. }
    rewrite <- Nb. destruct (Nat.odd i) eqn:O; [apply N1|apply N2]; now apply Ask.
  - split; [exact S5|]. split; [|exact H5]. all_extends.
Qed.
End Temporal.
