(* The constructions of compile_formula.v for counts: comparisons of counts and predicates on them, in the three regimes
   that count ([SHA] Theorems 20 and 21, as repaired).

   Proved: each keeps drafts sound, and the direction that it returns holds the truth of its formula exactly, for every
   length, word and position; for every gamma that is sharp enough for the formula, as is every gamma >= 1.797. *)
From Coq Require Import Reals QArith Qreals Qabs ZArith List Bool Lra Lia Arith.
From Certify Require Import positions lists finite_sums softmax exponential lemma_07_table_lookup relu formula network
  linear_combination comparison meaning well_defined theorem_20_counting check_head regime draft draft_stages
  draft_sound compile_formula compile_connectives compile_temporal.
Import ListNotations PositionNotations.
Open Scope R_scope.

(* ---- coefficients and constants ---- *)
(* C e^(-gamma C) <= 1/4, and Lemma 7 in its simple form. *)
Lemma weight_within g C : 1797 / 1000 <= g -> 1 <= C -> mean_within (exp (- (g * C))) (1 / (4 * C)).
Proof.
  intros Hg HC. assert (Four : 4 <= exp g).
  { eapply Rle_trans; [|apply exp_monotone; exact Hg]. eapply Rle_trans; [|apply (exp_lower _ 4); [lra|lia]].
    simpl. lra. }
  assert (Big : 4 * C <= exp (g * C)).
  { replace (g * C) with (g + g * (C - 1)) by ring. rewrite exp_plus.
    pose proof (exp_ineq1_le (g * (C - 1))). assert (1 + (C - 1) <= 1 + g * (C - 1)) by nra.
    apply Rmult_le_compat; lra. }
  assert (P : 0 < g * C) by nra. pose proof (exp_negative_below_1 (g * C) P) as Q.
  assert (E : exp (- (g * C)) <= 1 / (4 * C)).
  { replace (1 / (4 * C)) with (/ (4 * C)) by (field; lra). apply exp_negative_upper; lra. }
  assert (L : 1 / (4 * C) <= 1 / 4). { apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra. }
  intros K. eapply Rle_trans; [apply (mean_within_itself _ Q)|].
  - nra.
  - apply Rmult_le_compat_r; [|exact E]. pose proof (gaussian_mass_nonneg _ Q K). lra.
Qed.

Lemma small_error C : 1 <= C -> 1 / (4 * C) <= 1.
Proof.
  intros H. apply Rle_trans with (1 / 4); [|lra]. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
Qed.

Lemma weight_of_difference_real l : Q2R (weight_of_difference l) = fold_right (fun e s => Rabs (Q2R (snd e)) + s) 0 l.
Proof.
  induction l as [|e l IH]; cbn [weight_of_difference fold_right]; [apply Q2R_0|]. fold (weight_of_difference l).
  rewrite Q2R_reduced, Q2R_plus, IH. f_equal. unfold Q2R, Qabs. destruct (snd e) as [a b]. cbn [Qnum Qden].
  rewrite abs_IZR, Rabs_mult. f_equal. symmetry. apply Rabs_pos_eq. left. apply Rinv_0_lt_compat. now apply IZR_lt.
Qed.

Lemma others_error_real C : 1 <= Q2R C -> Q2R (lookup_error_limit C) = 1 / (4 * Q2R C).
Proof.
  intros H. unfold lookup_error_limit. rewrite Q2R_reduced, Q2R_inv, Q2R_mult; [rationals; field; lra|].
  intros E. apply Qeq_eqR in E. revert E. rationals. lra.
Qed.

(* Coefficients are integers that are not 0, so of absolute value at least 1. *)
Local Definition is_integer (q : Q) : Prop := exists z, Q2R q = IZR z.

Lemma ordered_difference_integers t u : Forall (fun e => is_integer (snd e)) (ordered_difference t u).
Proof.
  assert (Counts : forall t, Forall (fun e : count_atom * Q => is_integer (snd e)) (counts_of t)).
  { induction t0 as [z|a s f rest IH]; constructor; [|exact IH]. exists a. apply Q2R_inject_Z. }
  assert (Scaled : forall l, Forall (fun e : count_atom * Q => is_integer (snd e)) l ->
    Forall (fun e => is_integer (snd e)) (scaled_terms (-1) l)).
  { intros l H. unfold scaled_terms. apply Forall_map. revert H. apply Forall_impl. intros e [z E]. exists (- z)%Z.
    cbn [snd]. rationals. rewrite E, opp_IZR. lra. }
  assert (Insert : forall k q l, is_integer q -> Forall (fun e : count_atom * Q => is_integer (snd e)) l ->
    Forall (fun e => is_integer (snd e)) (insert_term count_eqb k q l)).
  { intros k q l [z E]. induction l as [|[k' q'] l IH]; intros H; cbn [insert_term].
    - constructor; [now exists z|constructor].
    - inversion_clear H. destruct (count_eqb k k'); constructor; auto. destruct H0 as [z' E']. exists (z + z')%Z.
      cbn [snd] in *. now rewrite Q2R_reduced, Q2R_plus, E, E', plus_IZR. }
  unfold ordered_difference. apply Forall_forall. intros e He. apply filter_In in He as [He _]. revert e He.
  apply Forall_forall.
  assert (All : Forall (fun e : count_atom * Q => is_integer (snd e)) (counts_of t ++ scaled_terms (-1) (counts_of u)))
    by (apply Forall_app; auto). assert (Acc : Forall (fun e : count_atom * Q => is_integer (snd e)) []) by constructor.
  revert All Acc. generalize (@nil (count_atom * Q)).
  induction (counts_of t ++ _) as [|e l IH]; intros acc All Acc; [exact Acc|]. inversion_clear All. cbn [fold_left].
  apply IH; auto.
Qed.

Lemma weight_at_least_1 t u : is_constant_comparison t u = false ->
  1 <= Q2R (weight_of_difference (ordered_difference t u)).
Proof.
  intros H. rewrite weight_of_difference_real. pose proof (ordered_difference_integers t u) as I.
  assert (NZ : Forall (fun e => is_zero (snd e) = false) (ordered_difference t u)).
  { apply Forall_forall. intros e He. apply filter_In in He as [_ He]. now apply negb_true_iff in He. }
  unfold is_constant_comparison in H. destruct (ordered_difference t u) as [|e l]; [discriminate|]. inversion_clear I.
  inversion_clear NZ. destruct H0 as [z E]. cbn [fold_right]. rewrite E. assert (1 <= Rabs (IZR z)).
  { rewrite <- abs_IZR. apply IZR_le. assert (z <> 0%Z); [|lia]. intros ->.
    assert (D : (snd e == 0)%Q) by (apply eqR_Qeq; now rewrite E, Q2R_0). apply Qeq_bool_iff in D.
    unfold is_zero in H2. congruence. }
  assert (0 <= fold_right (fun e s => Rabs (Q2R (snd e)) + s) 0 l); [|lra]. clear.
  induction l as [|e l IH]; simpl; [lra|]. pose proof (Rabs_pos (Q2R (snd e))). lra.
Qed.

(* What is counted in a difference is counted in one of the terms. *)
Lemma ordered_difference_counts t u e : In e (ordered_difference t u) ->
  In (fst e) (map fst (counts_of t)) \/ In (fst e) (map fst (counts_of u)).
Proof.
  intros H. apply filter_In in H as [H _]. assert (Insert : forall k q (l : list (count_atom * Q)) x,
    In x (map fst (insert_term count_eqb k q l)) -> x = k \/ In x (map fst l)).
  { clear. intros k q l x. induction l as [|[k' q'] l IH]; cbn [insert_term map In fst]; [intros [->|[]]; auto|].
    destruct (count_eqb k k'); cbn [map In fst]; [intros [->|]; auto|]. intros [->|H]; [auto|]. destruct (IH H); auto. }
  assert (G : forall (l acc : list (count_atom * Q)) x, In x (map fst (fold_left (fun l e =>
    insert_term count_eqb (fst e) (snd e) l) l acc)) -> In x (map fst acc) \/ In x (map fst l)).
  { clear H. induction l as [|a l IH]; intros acc x H; [now left|]. cbn [fold_left] in H.
    destruct (IH _ _ H) as [I|I]; [|right; now right]. apply Insert in I as [->|I]; [right; now left|now left]. }
  destruct (G _ _ _ (in_map fst _ _ H)) as [[]|I]. rewrite map_app in I. apply in_app_iff in I as [I|I]; [now left|].
  right. unfold scaled_terms in I. now rewrite map_map in I.
Qed.

Lemma differences_eqb_combined v l : forall m, differences_eqb l m = true -> combination_value v l = combination_value v
  m.
Proof.
  induction l as [|[a p] l IH]; intros [|[b q] m] H; try discriminate; [reflexivity|]. cbn [differences_eqb] in H.
  apply andb_prop in H as [H H3]. apply andb_prop in H as [H1 H2]. apply count_eqb_eq in H1. subst b.
  cbn [combination_value]. now rewrite (IH m H3), (Qeq_bool_R _ _ H2).
Qed.

(* ---- which gamma is enough ---- *)
(* The sharp bound of Lemma 7 at sharpness gamma C is at most 1/(4C); and what check_head asks of a predicate. *)
Definition comparison_enough (gamma : Q) (t u : term) : bool :=
  let C := weight_of_difference (ordered_difference t u) in
  Qle_bool (1797 # 1000) gamma || within_error (lookup_error_limit C) (gamma * C).
Definition predicate_enough (gamma : Q) (p : predicate) : bool :=
  Qle_bool (1797 # 1000) gamma || sharp_for_predicate p gamma.

Lemma gamma_bound gamma : Qle_bool (1797 # 1000) gamma = true -> 1797 / 1000 <= Q2R gamma.
Proof. intros H. apply Qle_bool_R in H. revert H. rationals. lra. Qed.

Lemma comparison_enough_correct gamma t u : comparison_enough gamma t u = true -> is_constant_comparison t u = false ->
  let C := Q2R (weight_of_difference (ordered_difference t u)) in
  0 < Q2R gamma /\ mean_within (exp (- (Q2R gamma * C))) (1 / (4 * C)).
Proof.
  intros H NC. pose proof (weight_at_least_1 t u NC) as HC. cbv zeta. unfold comparison_enough in H. cbv zeta in H.
  set (C := weight_of_difference _) in *. apply orb_prop in H as [H|H].
  - apply gamma_bound in H. split; [lra|]. now apply weight_within.
  - apply within_error_correct in H as (Pos & x & Le & _ & W). rewrite Q2R_mult in *. split; [nra|].
    rewrite (others_error_real C HC) in Le. intros K. eapply Rle_trans; [apply W|].
    apply Rmult_le_compat_r; [|exact Le]. pose proof (gaussian_mass_nonneg _ (exp_negative_below_1 _ Pos) K). lra.
Qed.

Lemma predicate_enough_correct users gamma p : predicate_enough gamma p = true ->
  0 < Q2R gamma /\ forall n, sharp_for (exp (- Q2R gamma)) (fun j => formula.predicate_holds users p j n).
Proof.
  intros H. apply orb_prop in H as [H|H].
  - apply gamma_bound in H. split; [lra|]. intros n. now apply sharp_for_any.
  - split; [exact (proj1 (sharp_for_predicate_correct users 0 p gamma H))|]. intros n.
    exact (proj2 (sharp_for_predicate_correct users n p gamma H)).
Qed.

Section Counting.
Variables (users : predicate_meanings) (k : nat) (c : setting).
Notation sound := (is_sound users k).
Notation reaches d d' x m := (sound d' /\ draft_extends d d' /\ draft_holds d' x m).
Notation causal := (regime_causal (set_regime c)).
Notation by_position := (regime_by_position (set_regime c)).
Notation g := (Q2R (set_gamma c)).
Notation temperature := (set_temperature c).
Hypothesis Temperature : temperature_fits temperature = true.
Hypothesis Positive : 0 < g.

(* Lemma 7 at sharpness gamma C errs by at most 1/(4C); a lookup decides what is near to the predicate's truths. *)
Definition weight_sharp (C : R) : Prop := mean_within (exp (- (g * C))) (1 / (4 * C)).
Definition comparison_sharp (t u : term) : Prop := weight_sharp (Q2R (weight_of_difference (ordered_difference t u))).
Definition predicate_sharp (p : predicate) : Prop :=
  forall n, sharp_for (exp (- g)) (fun j => formula.predicate_holds users p j n).

(* The scores of a lookup are multiplied by so much, which is at least the number of positions that are looked at. *)
Definition lookup_stretch (n : nat) : R := if by_position then INR n else 1.
Definition lookup_scale (n i : nat) : R := lookup_stretch n / expression_value temperature n i.
Definition counts_to (s : side) : Prop := forall n (i : position n), 1 <= lookup_scale n i / INR (span s n i).

Section OneCount.
Variables (s : side) (f : formula).
Hypothesis Side : counts_to s.

Theorem add_mean_sound d d' x : add_mean c s f d = (d', x) -> sound d -> truth_is_known d f ->
  reaches d d' x (IsMean s f).
Proof.
  intros E Sd Kf. apply (once_sound users k _ _ _ _ _ _ E Sd (is_mean_of_eq s f)). clear E. intros E.
  apply (uniform_head_sound users k c Temperature _ _ _ _ _ _ _ _ E Sd (known_truth d f Kf)).
  intros n w h i _ V. cbn [meaning_holds] in *. rewrite <- (mean_head s n (truth users n w f) i 0).
  unfold side_mask. apply attend_ext; [reflexivity|]. intros j Hj. cbn [linear].
  rewrite V by (destruct Hj as [Hj _]; exact Hj). rationals. lra.
Qed.

Local Lemma reciprocal_value n (i : position n) : expression_value (reciprocal_expression s) n i = 1 / INR (span s n i).
Proof.
  destruct s; cbn [reciprocal_expression expression_value span]; rewrite Q2R_1; [reflexivity|].
  rewrite minus_INR, S_INR by lia. reflexivity.
Qed.

Theorem add_here_sound d d' x : add_here c s f d = (d', x) -> sound d -> truth_is_known d f ->
  reaches d d' x (IsProduct (reciprocal_expression s) f).
Proof.
  intros E Sd Kf. unfold add_here in E. destruct (add_reciprocal c s d) as [d1 y] eqn:E1.
  destruct (reciprocal_sound users k c Temperature _ _ _ _ E1 Sd) as (S1 & X1 & H1).
  pose proof (known_truth _ _ (known_extends _ _ _ X1 Kf)) as T1.
  assert (R : reaches d1 d' x (IsProduct (reciprocal_expression s) f)).
  { apply (once_sound users k _ _ _ _ _ _ E S1 (is_product_of_eq _ _)). clear E. intros E.
    apply (add_feed_forward_sound users k _ _ _ _ _ _ E S1).
    - intros z Hz. cbn in Hz. destruct Hz as [<-|[<-|[<-|[]]]]; (exact (holds_below _ _ _ H1) || exact (holds_below _ _
      _ T1)).
    - intros n w i v _ Rd. cbn [meaning_holds]. unfold units_value. cbn [total_over linear].
      rewrite (Rd _ _ T1) by (cbn; auto). rewrite (Rd _ _ H1) by (cbn; auto). cbn [position_value].
      rewrite (reciprocal_value n i), <- (here_units (truth users n w f i) (span s n i)) by apply span_range.
      rationals. match goal with |- relu ?a * _ + (relu ?b * _ + 0) + _ = relu ?c - relu ?d =>
        replace a with c by lra; replace b with d by lra end. lra. }
  destruct R as (S2 & X2 & H2). split; [exact S2|]. split; [|exact H2]. eapply extends_trans; eassumption.
Qed.

(* ---- Lemma 7's head ---- *)
Lemma growing_value x n i : expression_value (growing_weight c x) n i = expression_value x n i * lookup_stretch n.
Proof. unfold growing_weight, lookup_stretch. destruct by_position; cbn [expression_value]; ring. Qed.

Lemma fresh_add_head d msk queries keys outs :
  new_direction (add_head d msk temperature queries keys outs) = (new_direction d + length outs)%nat.
Proof. unfold new_direction, add_head, facts_at. cbn [draft_facts]. now rewrite length_app, length_map. Qed.

Definition lookup_of (C : Q) (n : nat) (w : word) (i : nat) (v : nat -> R) : R := attend n (lookup_mask s i) (fun j =>
  lookup_raw_score s n i (truth users n w f) (g * Q2R C) j * lookup_scale n i) v.

Section LookupScore.
Variables (C : Q) (n : nat) (w : word) (h : nat -> vector) (i : position n) (mean here place square recip : direction).
Hypothesis Mean : meaning_holds users n w i (IsMean s f) (h i mean).
Hypothesis Here : meaning_holds users n w i (IsProduct (reciprocal_expression s) f) (h i here).
Hypothesis Recip : meaning_holds users n w i (IsPosition (Formula (reciprocal_expression s))) (h i recip).
Hypothesis Place : each j upto n, meaning_holds users n w j (IsPosition (Formula (growing_weight c VarI))) (h j place).
Hypothesis Square : each j upto n, meaning_holds users n w j (IsPosition (Formula (growing_weight c
  regime.square_of_i))) (h j square).

Lemma lookup_attended row msk vals : (forall p, mask_at msk p = lookup_mask s p) -> softmax_value (Head msk temperature
  [[(mean, Qred (set_gamma c * C)); (here, (- Qred (set_gamma c * C))%Q)]; [(recip, Qred (set_gamma c * C))]] [[(place,
  2%Q)]; [(square, (-1)%Q); (place, 2%Q)]] vals) n h i row = lookup_of C n w i (fun j => linear row (h j)).
Proof.
  intros M. unfold softmax_value, lookup_of. cbn [head_masking]. rewrite M. apply attend_ext; [|reflexivity].
  intros j [Hj _]. unfold scaled_score, lookup_raw_score, lookup_scale.
  cbn [head_queries head_keys head_temperature dot_product linear]. cbn [meaning_holds position_value] in *.
  rewrite Mean, Here, Recip, Place, Square by exact Hj.
  rewrite !growing_value, reciprocal_value, Q2R_opp, Q2R_reduced, Q2R_mult by lia. unfold regime.square_of_i.
  cbn [expression_value integer_value]. replace (powerRZ (INR j) 2) with (INR j * INR j) by (simpl; ring). rationals.
  unfold Rdiv. rewrite Rinv_1. ring.
Qed.
End LookupScore.

Section LookupHead.
Variables (C : Q) (d : draft) (outs : list draft_output) (d' : draft).
Hypothesis Built : lookup_head c s f C d outs = d'.
Hypothesis Sd : sound d.
Hypothesis Kf : truth_is_known d f.
Hypothesis Below : forall x, In x (rows_mentioned (map output_row outs)) -> (x < new_direction d)%nat.
Hypothesis Values : forall n w h (i : position n) o, In o outs -> word_over k n w -> read_at users d [output_row o]
  n w h -> meaning_holds users n w i (output_meaning o) (lookup_of C n w i (fun j => linear (output_row o) (h j))).

Theorem lookup_head_sound : sound d' /\ draft_extends d d' /\
  forall j o, nth_error outs j = Some o -> draft_holds d' (new_direction d' - length outs + j)%nat (output_meaning o).
Proof.
  unfold lookup_head in Built. destruct (add_mean c s f d) as [d1 mean] eqn:E1.
  destruct (add_mean_sound _ _ _ E1 Sd Kf) as (S1 & X1 & H1). destruct (add_here c s f d1) as [d2 here] eqn:E2.
  destruct (add_here_sound _ _ _ E2 S1 (known_extends _ _ _ X1 Kf)) as (S2 & X2 & H2).
  destruct (embed_position d2 _) as [d3 place] eqn:E3.
  destruct (embed_position_sound users k _ _ _ _ E3 S2) as (S3 & X3 & H3).
  { unfold growing_weight. now destruct by_position. }
  destruct (embed_position d3 _) as [d4 square] eqn:E4.
  destruct (embed_position_sound users k _ _ _ _ E4 S3) as (S4 & X4 & H4).
  { unfold growing_weight. now destruct by_position. }
  destruct (add_reciprocal c s d4) as [d5 recip] eqn:E5.
  destruct (reciprocal_sound users k c Temperature _ _ _ _ E5 S4) as (S5 & X5 & H5).
  pose proof (holds_extends _ _ _ _ X5 H4) as K4.
  pose proof (holds_extends _ _ _ _ X5 (holds_extends _ _ _ _ X4 H3)) as K3.
  pose proof (extends_trans _ _ _ X3 (extends_trans _ _ _ X4 X5)) as X25.
  pose proof (holds_extends _ _ _ _ X25 H2) as K2.
  pose proof (holds_extends _ _ _ _ (extends_trans _ _ _ X2 X25) H1) as K1.
  pose proof (extends_trans _ _ _ X1 (extends_trans _ _ _ X2 X25)) as X05.
  assert (L05 : (new_direction d <= new_direction d5)%nat). { destruct X05 as [l E]. unfold new_direction.
  rewrite E, length_app. lia. } set (queries := [[_; _]; _]) in Built. set (keys := [[_]; _]) in Built.
  set (msk := match s with ToLeft => _ | _ => _ end) in Built.
  destruct (add_head_sound users k d5 msk temperature queries keys outs S5 Temperature) as (S6 & X6 & H6).
  - intros x Hx. rewrite app_assoc, mentioned_app in Hx. apply in_app_iff in Hx as [Hx|Hx];
      [|specialize (Below x Hx); lia].
    cbn in Hx. repeat match goal with H : _ \/ _ |- _ => destruct H as [<-|H] end;
      try destruct Hx; eapply holds_below; eassumption.
  - intros n w h i o Ho Ov Rd. unfold queries, keys in *. rewrite (lookup_attended C n w h i); try exact (in_word i).
    + apply Values; try assumption. intros x m Hx Hm j Hj. apply Rd; [now apply (holds_extends d)| |exact Hj].
      apply in_map_iff in Hm as ([y q] & <- & Hm). cbn in Hm. rewrite app_nil_r in Hm.
      apply (mentioned_row _ (output_row o) y q); [|exact Hm]. rewrite !in_app_iff. right. right. now apply in_map.
    + apply (Rd _ _ K1); [cbn; auto|exact (in_word i)].
    + apply (Rd _ _ K2); [cbn; auto|exact (in_word i)].
    + apply (Rd _ _ H5); [cbn; auto|exact (in_word i)].
    + intros j Hj. apply (Rd _ _ K3); [cbn; auto 10|exact Hj].
    + intros j Hj. apply (Rd _ _ K4); [cbn; auto 10|exact Hj].
    + intros p. unfold msk. now destruct s.
  - rewrite Built in *. split; [exact S6|]. split; [exact (extends_trans _ _ _ X05 X6)|]. intros j o Hj.
    rewrite <- Built at 2. rewrite fresh_add_head, Nat.add_sub. now apply H6.
Qed.
End LookupHead.

(* ---- the number of other positions that are counted ---- *)
Lemma is_others_of_eq e x : is_others_of s f x e = true -> fact_meaning e = IsOthers s f x.
Proof.
  unfold is_others_of. destruct (fact_meaning e) as [| | | | | | | |t h y|]; try discriminate. intros H.
  apply andb_prop in H as [H H4]. apply andb_prop in H as [H H3]. apply andb_prop in H as [H1 H2].
  apply side_eqb_eq in H1. apply formula_eqb_eq in H2. apply Z.eqb_eq in H3. apply Pos.eqb_eq in H4.
  destruct x, y. cbn in *. congruence.
Qed.

Theorem add_others_sound C d d' x : add_others c s f C d = (d', x) -> sound d -> truth_is_known d f -> 1 <= Q2R C ->
  weight_sharp (Q2R C) -> reaches d d' x (IsOthers s f (lookup_error_limit C)).
Proof.
  intros E Sd Kf HC W. apply (once_sound users k _ _ _ _ _ _ E Sd (fun e => is_others_of_eq e _)). clear E. intros E.
  destruct (embed_position d VarI) as [d1 place] eqn:E1.
  destruct (embed_position_sound users k _ _ _ _ E1 Sd eq_refl) as (S1 & X1 & H1).
  destruct (add_one d1) as [d2 unity] eqn:E2.
  destruct (embed_position_sound users k _ _ _ _ E2 S1 eq_refl) as (S2 & X2 & H2).
  cbv zeta in E. injection E as Ed Ex. pose proof (holds_extends _ _ _ _ X2 H1) as K1.
  destruct (lookup_head_sound C d2 _ d' Ed S2 (known_extends _ _ _ (extends_trans _ _ _ X1 X2) Kf)) as (S3 & X3 & H3).
  - intros y Hy. cbn in Hy. destruct Hy as [<-|[<-|[]]]; [exact (holds_below _ _ _ K1)|exact (holds_below _ _ _ H2)].
  - intros n w h i o [<-|[]] _ Rd. cbn [output_meaning output_row meaning_holds] in *. rewrite (others_error_real C HC).
    pose proof (small_error _ HC) as W1. unfold lookup_of. assert (P : 0 < g * Q2R C) by (apply Rmult_lt_0_compat; lra).
    rewrite (attend_ext n _ _ (fun j => lookup_raw_score s n i (truth users n w f) (g * Q2R C) j * lookup_scale n i) _
      (fun j => INR j - 1)); [|reflexivity|].
    + apply (others_scaled s n i _ _ P (lookup_scale n i)); auto.
    + intros j [Hj _]. cbn [linear]. rewrite (Rd _ _ K1), (Rd _ _ H2) by (cbn; auto). cbn [position_value].
      cbn [expression_value]. rationals. lra.
  - split; [exact S3|]. split; [exact (extends_trans _ _ _ X1 (extends_trans _ _ _ X2 X3))|].
    specialize (H3 0%nat _ eq_refl). cbn [length output_meaning] in H3. rewrite <- Ex, Ed.
    replace (pred (new_direction d'))%nat with (new_direction d' - 1 + 0)%nat by lia. exact H3.
Qed.
End OneCount.

(* ---- comparisons ---- *)
Definition counts_known (d : draft) (l : list (count_atom * Q)) : Prop :=
  forall e, In e l -> counts_to (fst (fst e)) /\ truth_is_known d (snd (fst e)).

Lemma counts_known_extends d d' l : draft_extends d d' -> counts_known d l -> counts_known d' l.
Proof. intros X H e He. destruct (H e He) as [S K]. split; [exact S|exact (known_extends _ _ _ X K)]. Qed.

(* Near enough to the combination of the counts: each errs by at most 1/(4C), times its coefficient. *)
Local Definition approximates (d : draft) (r : row) (l : list (count_atom * Q)) (e : R) : Prop := forall n w (i :
  position n) v, word_over k n w -> read_here users d [r] n w i v -> Rabs (linear r v - combination_value (count_value
  users n w i) l) <= fold_right (fun e s => Rabs (Q2R (snd e)) + s) 0 l * e.

Lemma add_all_others_sound C : 1 <= Q2R C -> weight_sharp (Q2R C) -> forall l d d' r, add_all_others c C l d = (d',
  r) -> sound d -> counts_known d l -> sound d' /\ draft_extends d d' /\ (forall x, In x (rows_mentioned [r]) ->
  (x < new_direction d')%nat) /\ approximates d' r l (1 / (4 * Q2R C)).
Proof.
  intros HC W. induction l as [|[[s f] q] l IH]; intros d d' r E Sd Ks.
  - injection E as <- <-. split; [exact Sd|]. split; [apply extends_refl|]. split; [intros x []|]. intros n w i v _ _.
    simpl. rewrite Rminus_0_r, Rabs_R0. lra.
  - cbn [add_all_others] in E. destruct (Ks _ (or_introl eq_refl)) as [Side Kf]. cbn [fst snd] in *.
    destruct (add_others c s f C d) as [d1 x] eqn:E1.
    destruct (add_others_sound s f Side C _ _ _ E1 Sd Kf HC W) as (S1 & X1 & H1).
    destruct (add_all_others c C l d1) as [d2 rest] eqn:E2. injection E as <- <-.
    destruct (IH _ _ _ E2 S1) as (S2 & X2 & B2 & A2).
    { apply (counts_known_extends d d1 l X1). intros e He. apply Ks. now right. }
    pose proof (known_truth _ _ (known_extends _ _ _ X1 Kf)) as T1. pose proof (holds_extends _ _ _ _ X2 H1) as K1.
    pose proof (holds_extends _ _ _ _ X2 T1) as T2. split; [exact S2|]. split; [exact (extends_trans _ _ _ X1 X2)|].
    split.
    + intros y Hy. cbn [rows_mentioned concat map app fst] in Hy. rewrite app_nil_r in Hy. cbn [map fst] in Hy.
      destruct Hy as [<-|[<-|Hy]]; [exact (holds_below _ _ _ K1)|exact (holds_below _ _ _ T2)|]. apply B2.
      unfold rows_mentioned. cbn [concat]. now rewrite app_nil_r.
    + intros n w i v Ov Rd. assert (R2 : read_here users d2 [rest] n w i v).
      { intros y m Hy Hm. apply (Rd y m Hy). unfold rows_mentioned in *. cbn [concat map fst app] in *. now do 2 right.
        }
      specialize (A2 n w i v Ov R2). pose proof (Rd _ _ K1 ltac:(now left)) as V1.
      pose proof (Rd _ _ T2 ltac:(right; now left)) as V2. cbn [meaning_holds] in V1, V2.
      rewrite (others_error_real C HC) in V1. cbn [linear combination_value fold_right snd]. rewrite V2.
      unfold count_value at 1. cbn [fst snd]. rewrite (counted_others s n _ i). set (m := INR (others_on _ _ _ _)) in *.
      set (b := bit _). set (e := 1 / (4 * Q2R C)) in *.
      replace (_ - _) with (Q2R q * (v x - m) + (linear rest v - combination_value (count_value users n w i) l))
        by ring. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rmult_plus_distr_r. apply Rplus_le_compat; [|exact A2].
      rewrite Rabs_mult, (Rabs_minus_sym (v x)). apply Rmult_le_compat_l; [apply Rabs_pos|exact V1].
Qed.

(* Where the differences are the same, so are the truths. *)
Lemma same_difference_truth n w i r t u t' u' : differences_eqb (ordered_difference t' u') (ordered_difference t u)
  = true -> constant_difference t' u' = constant_difference t u -> truth users n w (Compare r t' u') i
  = truth users n w (Compare r t u) i.
Proof.
  intros D K. pose proof (ordered_difference_value users n w i t' u') as V'.
  pose proof (ordered_difference_value users n w i t u) as V. rewrite (differences_eqb_combined _ _ _ D), K, <- V in V'.
  apply eq_IZR in V'.
  change (relation_holds r (value_of_term users n w t' i) (value_of_term users n w u' i) =
    relation_holds r (value_of_term users n w t i) (value_of_term users n w u i)). now rewrite !relates_difference, V'.
Qed.

Section Comparison.
Variables (t u : term) (h : row).
Notation T := (fun n w i => (value_of_term users n w t i - value_of_term users n w u i)%Z).

(* Of the row, and the constant beside the counts. *)
Definition near_difference (d : draft) : Prop := forall n w (i : position n) v, word_over k n w ->
  read_here users d [h] n w i v -> Rabs (linear h v + IZR (constant_difference t u) - IZR (T n w i)) <= 1 / 4.
Definition is_readable (d : draft) : Prop := (forall x, In x (rows_mentioned [h]) -> (x < new_direction d)%nat) /\
  near_difference d.

(* A direction that holds the slack of T R 0. *)
Definition holds_slack (d : draft) (r : relation) (x : direction) : Prop := exists t' u', draft_holds d x (IsSlack
  (Compare r t' u')) /\ forall n w i, truth users n w (Compare r t' u') i = relation_holds r (T n w i) 0.

Lemma compare_truth r n w i : truth users n w (Compare r t u) i = relation_holds r (T n w i) 0.
Proof.
  change (relation_holds r (value_of_term users n w t i) (value_of_term users n w u i) = relation_holds r (T n w i) 0).
  rewrite !relates_difference. now rewrite Z.sub_0_r.
Qed.

Lemma slack_unit_value factor v : units_value [(scaled_terms factor h, Qred (factor * inject_Z (constant_difference t u)
  - (1 # 2)), 1%Q)] 0 v = relu (Q2R factor * (linear h v + IZR (constant_difference t u)) - 1 / 2).
Proof.
  assert (E : linear (scaled_terms factor h) v = Q2R factor * linear h v).
  { unfold scaled_terms. induction h as [|[x q] l IH]; cbn [map linear fst snd]; [ring|].
    rewrite IH, Q2R_reduced, Q2R_mult. ring. }
  unfold units_value. cbn [total_over]. rewrite E. rationals. rewrite Q2R_inject_Z.
  match goal with |- relu ?a * _ + 0 + _ = relu ?b => replace a with b by lra end. lra.
Qed.

Lemma mentioned_scaled factor : rows_mentioned (unit_reads_of [(scaled_terms factor h, 0%Q, 0%Q)]) = rows_mentioned [h].
Proof. unfold rows_mentioned, unit_reads_of, scaled_terms. cbn [map concat fst]. rewrite !app_nil_r, map_map.
  reflexivity. Qed.
Definition is_bound (r : relation) : Prop := r = AtLeast \/ r = AtMost.

Theorem add_slack_sound r d d' x : add_slack t u h r d = (d', x) -> sound d -> is_bound r -> is_readable d ->
  sound d' /\ draft_extends d d' /\ holds_slack d' r x.
Proof.
  intros E Sd R [Be Ne]. unfold add_slack, add_once in E. destruct (find_fact d (is_slack_of r t u)) as [y|] eqn:F.
  - injection E as <- <-. split; [exact Sd|]. split; [apply extends_refl|].
    destruct (find_fact_correct _ _ _ F) as (e & N & H). unfold is_slack_of in H.
    destruct (fact_meaning e) as [| |[| | | | | | | | | | | | | |r' t' u']| | | | | | |] eqn:M; try discriminate.
    apply andb_prop in H as [H H3]. apply andb_prop in H as [H1 H2]. apply relation_eqb_eq in H1. subst r'.
    apply Z.eqb_eq in H3. exists t', u'. split; [now exists e|]. intros n w i. rewrite <- compare_truth.
    now apply same_difference_truth.
  - destruct (add_feed_forward_sound users k _ _ _ _ _ _ E Sd) as (S' & X' & H').
    + intros y Hy. apply Be. rewrite <- (mentioned_scaled (match r with AtLeast => -2 | _ => 2 end)). exact Hy.
    + intros n w i v Ov Rd. cbn [meaning_holds]. rewrite slack_unit_value, compare_truth.
      assert (Nd : Rabs (linear h v + IZR (constant_difference t u) - IZR (T n w i)) <= 1 / 4).
      { apply Ne; auto. intros y m Hy Hm. apply (Rd y m Hy).
        rewrite <- (mentioned_scaled (match r with AtLeast => -2 | _ => 2 end)) in Hm. exact Hm. }
      destruct (slack_exact _ _ Nd) as [A B]. unfold slack_at_least, slack_at_most in *.
      destruct R as [-> | ->]; rationals; [replace (-2 / 1) with (-2) by lra; exact A|].
      replace (2 / 1) with 2 by lra. exact B.
    + split; [exact S'|]. split; [exact X'|]. exists t, u. split; [exact H'|]. intros. apply compare_truth.
Qed.

Lemma is_readable_extends d d' : draft_extends d d' -> is_readable d -> is_readable d'.
Proof.
  intros X [Be Ne]. split.
  - intros x Hx. specialize (Be x Hx). destruct X as [l E]. unfold new_direction in *. rewrite E, length_app. lia.
  - intros n w i v Ov Rd. apply Ne; auto. intros x m Hx Hm. apply Rd; [now apply (holds_extends d)|exact Hm].
Qed.

(* The unit that shuts where there is slack. *)
Local Definition decision (r : relation) (reads : row) : list draft_unit * Q :=
  (if is_negated r then ([(reads, 1, -1)], 1) else ([(reads, 1, 1)], 0))%Q.
Local Definition decides (d : draft) (r : relation) (reads : row) : Prop := forall n w (i : position n) v,
  read_here users d [reads] n w i v ->
  units_value (fst (decision r reads)) (snd (decision r reads)) v = bit (relation_holds r (T n w i) 0).

Definition least_slack (b : bool) : R := if b then 0 else 1.
Lemma least_slack_is b : is_slack b (least_slack b). Proof. destruct b; simpl; lra. Qed.

Lemma one_bound_decides d r b x : holds_slack d b x -> (b = AtLeast /\ (r = AtLeast \/ r = Below) \/ b = AtMost /\
  (r = AtMost \/ r = Above)) -> decides d r [(x, (-1)%Q)].
Proof.
  intros (t' & u' & H & E) B n w i v Rd. pose proof (Rd _ _ H ltac:(now left)) as S. cbn [meaning_holds] in S.
  rewrite E in S. cbn [relation_holds] in S. pose proof (decided_by_slack r (T n w i)) as D. cbv beta in D.
  destruct B as [[-> R]|[-> R]]; cbn [relation_holds] in S.
  - specialize (D (v x) (least_slack (Z.leb (T n w i) 0)) S (least_slack_is _)). rewrite <- D. unfold units_value.
    destruct R as [-> | ->]; cbn [decision is_negated fst snd total_over linear comparison_decided]; rationals;
      match goal with |- relu ?a * _ + 0 + _ = _ => replace a with (1 - v x) by lra end; lra.
  - specialize (D (least_slack (Z.leb 0 (T n w i))) (v x) (least_slack_is _) S). rewrite <- D. unfold units_value.
    destruct R as [-> | ->]; cbn [decision is_negated fst snd total_over linear comparison_decided]; rationals;
      match goal with |- relu ?a * _ + 0 + _ = _ => replace a with (1 - v x) by lra end; lra.
Qed.

Lemma two_bounds_decide d r x y : holds_slack d AtLeast x -> holds_slack d AtMost y -> r = Equal \/ r = Unequal ->
  decides d r [(x, (-1)%Q); (y, (-1)%Q)].
Proof.
  intros (t1 & u1 & H1 & E1) (t2 & u2 & H2 & E2) R n w i v Rd.
  pose proof (Rd _ _ H1 ltac:(now left)) as S1. pose proof (Rd _ _ H2 ltac:(right; now left)) as S2.
  cbn [meaning_holds] in S1, S2. rewrite E1 in S1. rewrite E2 in S2. cbn [relation_holds] in S1, S2.
  rewrite <- (decided_by_slack r (T n w i) (v x) (v y) S1 S2). unfold units_value.
  destruct R as [-> | ->]; cbn [decision is_negated fst snd total_over linear comparison_decided]; rationals;
    match goal with |- relu ?a * _ + 0 + _ = _ => replace a with (1 - v x - v y) by lra end; lra.
Qed.

Lemma holds_slack_extends d d' r x : draft_extends d d' -> holds_slack d r x -> holds_slack d' r x.
Proof. intros X (t' & u' & H & E). exists t', u'. split; [now apply (holds_extends d)|exact E]. Qed.
Lemma holds_slack_below d r x : holds_slack d r x -> (x < new_direction d)%nat.
Proof. intros (t' & u' & H & _). exact (holds_below _ _ _ H). Qed.

Theorem add_bounds_sound r d d' reads : add_bounds r t u h d = (d', reads) -> sound d -> is_readable d -> sound d' /\
  draft_extends d d' /\ (forall x, In x (rows_mentioned [reads]) -> (x < new_direction d')%nat) /\ decides d' r reads.
Proof.
  intros E Sd Rh.
  assert (One : forall b, is_bound b -> forall x, (b = AtLeast /\ (r = AtLeast \/ r = Below) \/ b = AtMost /\ (r =
    AtMost \/ r = Above)) -> add_slack t u h b d = (d', x) -> reads = [(x, (-1)%Q)] -> sound d' /\ draft_extends d d' /\
    (forall x, In x (rows_mentioned [reads]) -> (x < new_direction d')%nat) /\ decides d' r reads).
  { intros b Hb x B A ->. destruct (add_slack_sound b _ _ _ A Sd Hb Rh) as (S' & X' & H'). split; [exact S'|].
    split; [exact X'|]. split; [|exact (one_bound_decides _ _ b _ H' B)].
    intros y [<-|[]]. exact (holds_slack_below _ _ _ H'). }
  assert (Two : r = Equal \/ r = Unequal -> forall d1 x y, add_slack t u h AtLeast d = (d1, x) ->
    add_slack t u h AtMost d1 = (d', y) -> reads = [(x, (-1)%Q); (y, (-1)%Q)] -> sound d' /\ draft_extends d d' /\
    (forall x, In x (rows_mentioned [reads]) -> (x < new_direction d')%nat) /\ decides d' r reads).
  { intros R d1 x y A B ->. destruct (add_slack_sound AtLeast _ _ _ A Sd (or_introl eq_refl) Rh) as (S1 & X1 & H1).
    destruct (add_slack_sound AtMost _ _ _ B S1 (or_intror eq_refl) (is_readable_extends _ _ X1 Rh)) as (S2 & X2 & H2).
    pose proof (holds_slack_extends _ _ _ _ X2 H1) as K1. split; [exact S2|].
    split; [exact (extends_trans _ _ _ X1 X2)|]. split; [|now apply two_bounds_decide].
    intros z [<-|[<-|[]]]; [exact (holds_slack_below _ _ _ K1)|exact (holds_slack_below _ _ _ H2)]. }
  destruct r; cbn [add_bounds] in E; repeat match type of E with context [let '(_, _) := ?a in _]
    => destruct a eqn:? end; injection E as <- <-; [eapply (One AtMost)|eapply (One AtLeast)|eapply (One AtLeast)|eapply
    (One AtMost)|eapply Two|eapply Two]; eauto; unfold is_bound; auto.
Qed.
End Comparison.

(* What cancels in a row need not be read. *)
Local Lemma linear_agree r (v v' : vector) : (forall x, In x (map fst r) -> v x = v' x) -> linear r v = linear r v'.
Proof.
  induction r as [|[x q] r IH]; intros H; [reflexivity|]. cbn [linear].
  rewrite (H x) by (now left). rewrite IH; [reflexivity|]. intros y Hy. apply H. now right.
Qed.

Lemma mentioned_one r : rows_mentioned [r] = map fst r. Proof. unfold rows_mentioned. cbn [concat].
now rewrite app_nil_r. Qed.

Lemma merged_approximates d r l e : sound d -> approximates d r l e -> approximates d (merged_row r) l e.
Proof.
  intros Sd A n w i v Ov Rd. set (v' := fun y => if existsb (Nat.eqb y) (map fst (merged_row r)) then v y
    else draft_stream users d n w (latest_stage d [r]) i y).
  assert (In' : forall y, existsb (Nat.eqb y) (map fst (merged_row r)) = true <-> In y (map fst (merged_row r))).
  { intros y. rewrite existsb_exists. split; [intros (z & Hz & E); apply Nat.eqb_eq in E; now subst|].
    intros H. exists y. split; [exact H|apply Nat.eqb_refl]. }
  rewrite (linear_agree _ v v'), linear_merged.
  - apply A; auto. intros y m Hy Hm. unfold v'. destruct (existsb _ _) eqn:B.
    + apply (Rd y m Hy). rewrite mentioned_one. now apply In'.
    + exact (sound_reads users k d [r] n w _ Sd Ov (le_n _) y m Hy Hm i (in_word i)).
  - intros y Hy. unfold v'. now rewrite (proj2 (In' y) Hy).
Qed.

Theorem add_comparison_sound r t u d d' x : add_comparison c r t u d = (d', x) -> sound d ->
  is_constant_comparison t u = false -> comparison_sharp t u -> counts_known d (ordered_difference t u) ->
  reaches d d' x (IsTruth (Compare r t u)).
Proof.
  intros E Sd NC W Ks. unfold add_comparison in E. pose proof (weight_at_least_1 t u NC) as HC.
  unfold comparison_sharp in W. set (l := ordered_difference t u) in *. set (C := weight_of_difference l) in *.
  destruct (add_all_others c C l d) as [d1 h] eqn:E1.
  destruct (add_all_others_sound C HC W l _ _ _ E1 Sd Ks) as (S1 & X1 & B1 & A1).
  destruct (add_bounds r t u (merged_row h) d1) as [d2 reads] eqn:E2. assert (Rh : is_readable t u (merged_row h) d1).
  { split.
    - intros y Hy. apply B1. rewrite mentioned_one in *. now apply merged_row_mentions.
    - intros n w i v Ov Rd. pose proof (merged_approximates d1 h l _ S1 A1 n w i v Ov Rd) as G.
      rewrite <- weight_of_difference_real in G. fold C in G.
      replace (Q2R C * (1 / (4 * Q2R C))) with (1 / 4) in G by (field; lra). rewrite ordered_difference_value. fold l.
      replace (_ + _ - _) with (linear (merged_row h) v - combination_value (count_value users n w i) l) by ring.
      exact G. }
  destruct (add_bounds_sound t u _ r _ _ _ E2 S1 Rh) as (S2 & X2 & B2 & D2).
  assert (Last : reaches d2 d' x (IsTruth (Compare r t u))).
  { assert (E' : add_feed_forward d2 (IsTruth (Compare r t u)) (fst (decision r reads)) (snd (decision r reads)) = (d',
      x)).
    { unfold decision. destruct (is_negated r); exact E. }
    apply (add_feed_forward_sound users k _ _ _ _ _ _ E' S2).
    - intros y Hy. apply B2. unfold decision in Hy. destruct (is_negated r); exact Hy.
    - intros n w i v Ov Rd. cbn [meaning_holds]. rewrite compare_truth. apply D2. intros y m Hy Hm. apply (Rd y m Hy).
      unfold decision. destruct (is_negated r); exact Hm. }
  destruct Last as (S3 & X3 & H3). split; [exact S3|]. split; [|exact H3].
  exact (extends_trans _ _ _ X1 (extends_trans _ _ _ X2 X3)).
Qed.

(* ---- predicates on counts ---- *)
Lemma position_truth_sound p d d' x : position_truth d p = (d', x) -> sound d ->
  reaches d d' x (IsTruth (Positional p)).
Proof.
  intros E Sd. apply (once_sound users k _ _ _ _ _ _ E Sd).
  - intros e T. unfold is_truth_of in T. destruct (fact_meaning e); try discriminate. apply formula_eqb_eq in T. now
    subst.
  - clear E. intros E. now apply (embed_positional_sound users k _ _ _ _ E Sd).
Qed.

Section Predicate.
Variables (s : side) (f : formula) (p : predicate).
Hypothesis Side : counts_to s.
Hypothesis Sharp : predicate_sharp p.

Lemma lookup_range n w (i : position n) v : (each j upto n, 0 <= v j <= 1) -> 0 <= lookup_of s f 1 n w i v <= 1.
Proof.
  intros Hv. unfold lookup_of. apply (attend_range n _ _ _ i); [destruct s; [apply visible_future; lia|now split]|].
  intros j [Hj _]. now apply Hv.
Qed.

(* The heads hold the predicate of the count, where this position is counted and where it is not. *)
Lemma predicate_lookup n w (i : position n) : (truth users n w f i = true -> near_truth (truth users n w (OnCount p s f)
     i) (lookup_of s f 1 n w i (fun j => bit (formula.predicate_holds users p j n)))) /\
  (truth users n w f i = false -> near_truth (truth users n w (OnCount p s f) i)
     (lookup_of s f 1 n w i (fun j => bit (formula.predicate_holds users p (j - 1) n)))).
Proof.
  assert (P : 0 < g * Q2R 1) by (rewrite Q2R_1; lra).
  assert (Sharp1 : sharp_for (exp (- (g * Q2R 1))) (fun j => formula.predicate_holds users p j n)).
  { rewrite Q2R_1, Rmult_1_r. apply Sharp. }
  exact (predicate_scaled s n i (truth users n w f) _ P (lookup_scale n i) _ (Side n i) Sharp1 _ (fun j => eq_refl)).
Qed.

Theorem add_predicate_sound d d' x : add_predicate c p s f d = (d', x) -> sound d -> truth_is_known d f ->
  reaches d d' x (IsTruth (OnCount p s f)).
Proof.
  intros E Sd Kf. unfold add_predicate in E. destruct (position_truth d p) as [d1 here] eqn:E1.
  destruct (position_truth_sound p _ _ _ E1 Sd) as (S1 & X1 & H1). destruct (embed_before d1 _) as [d2 before] eqn:E2.
  destruct (embed_before_sound users k _ _ _ _ E2 S1) as (S2 & X2 & H2). pose proof (holds_extends _ _ _ _ X2 H1) as K1.
  pose proof (extends_trans _ _ _ X1 X2) as X02. cbv zeta in E. set (outs := [_; _]) in E.
  set (d3 := lookup_head c s f 1 d2 outs) in *.
  destruct (lookup_head_sound s f Side 1 d2 outs d3 eq_refl S2 (known_extends _ _ _ X02 Kf)) as (S3 & X3 & H3).
  { intros y Hy. cbn in Hy. destruct Hy as [<-|[<-|[]]]; [exact (holds_below _ _ _ K1)|exact (holds_below _ _ _ H2)]. }
  { intros n w h i o Ho _ Rd. destruct (predicate_lookup n w i) as [Yes No].
    destruct Ho as [<-|[<-|[]]]; cbn [output_row output_meaning meaning_holds] in *.
    - assert (V : each j upto n, linear [(here, 1%Q)] (h j) = bit (formula.predicate_holds users p j n)).
      { intros j Hj. cbn [linear]. rewrite (Rd _ _ K1) by (cbn; auto). cbn [truth]. rationals. lra. }
      unfold lookup_of in *.
      rewrite (attend_ext n _ _ _ _ (fun j => bit (formula.predicate_holds users p j n)) (fun j _ => eq_refl)).
      + split; [apply lookup_range; intros; apply bit_range|exact Yes].
      + intros j [Hj _]. now apply V.
    - assert (V : each j upto n, linear [(before, 1%Q)] (h j) = bit (formula.predicate_holds users p (j - 1) n)).
      { intros j Hj. cbn [linear]. rewrite (Rd _ _ H2) by (cbn; auto). cbn [position_value truth]. rationals. lra. }
      unfold lookup_of in *.
      rewrite (attend_ext n _ _ _ _ (fun j => bit (formula.predicate_holds users p (j - 1) n)) (fun j _ => eq_refl)).
      + split; [apply lookup_range; intros; apply bit_range|]. cbn [truth]. intros N. apply No.
        now apply negb_true_iff in N.
      + intros j [Hj _]. now apply V. }
  destruct (require_truth d3 (Not f)) as [d4 negation] eqn:E4.
  pose proof (known_extends _ _ _ (extends_trans _ _ _ X02 X3) Kf) as K3f.
  destruct (require_truth_sound users k _ _ _ _ E4 S3 (or_intror (or_intror K3f))) as (S4 & X4 & H4).
  pose proof (known_truth _ _ (known_extends _ _ _ X4 K3f)) as Tf. set (a := pred (pred (new_direction d3))) in *.
  assert (L3 : (2 <= new_direction d3)%nat).
  { pose proof (holds_below _ _ _ (H3 1%nat _ eq_refl)). cbn [length outs] in *. lia. }
  assert (Ha : draft_holds d4 a (IsNear (OnCount p s f) f)).
  { apply (holds_extends d3 _ _ _ X4). replace a with (new_direction d3 - length outs + 0)%nat by (unfold a, outs;
      simpl; lia).
    exact (H3 0%nat _ eq_refl). }
  assert (Hb : draft_holds d4 (S a) (IsNear (OnCount p s f) (Not f))).
  { apply (holds_extends d3 _ _ _ X4).
    replace (S a) with (new_direction d3 - length outs + 1)%nat by (unfold a, outs; simpl; lia).
    exact (H3 1%nat _ eq_refl). }
  destruct (add_feed_forward_sound users k _ _ _ _ _ _ E S4) as (S5 & X5 & H5).
  - intros y Hy. unfold unit_reads_of in Hy. rewrite map_app, mentioned_app in Hy.
    apply in_app_iff in Hy as [Hy|Hy]; apply rounding_mentions in Hy as [->|[<-|[]]]; eapply holds_below; eassumption.
  - intros n w i v Ov Rd. cbn [meaning_holds]. rewrite units_value_app. unfold units_value.
    rewrite !rounding_value, !Q2R_0. cbn [total_over]. rewrite !Rplus_0_r.
    assert (In' : forall y, In y [a; negation; S a; truth_of d4 f] ->
      In y (rows_mentioned (unit_reads_of (rounding_units a [negation] ++ rounding_units (S a) [truth_of d4 f])))).
    { intros y Hy. cbn in Hy |- *. repeat (destruct Hy as [<-|Hy]; [auto 12|]). destruct Hy. }
    destruct (Rd _ _ Ha ltac:(apply In'; cbn; auto)) as [Ra Na].
    destruct (Rd _ _ Hb ltac:(apply In'; cbn; auto)) as [Rb Nb].
    rewrite (Rd _ _ H4 ltac:(apply In'; cbn; auto)), (Rd _ _ Tf ltac:(apply In'; cbn; auto)). cbn [truth] in *.
    apply (picked_exact (v a) (v (S a)) (truth users n w f i) _ Ra Rb Na). intros N. apply Nb. now rewrite N.
  - split; [exact S5|]. split; [|exact H5].
    exact (extends_trans _ _ _ X02 (extends_trans _ _ _ X3 (extends_trans _ _ _ X4 X5))).
Qed.
End Predicate.
End Counting.
