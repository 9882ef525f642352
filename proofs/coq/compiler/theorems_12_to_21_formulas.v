(* [SHA] Theorems 12, 13, 15, 16, 20 and 21 as the paper states them: of every formula of a logic, not of one operator.

   theorem_12_previous_next.v and its fellows prove what one head and its feed-forward part do. Proved here: for every
   formula of the logic, over k symbols, one network (`network_for`, compile_formula.v) is defined at every position of
   every word and computes the formula there; its weights do not depend on the length, its temperature is that of the
   statement, its masks are future masks where the statement says so, and it embeds nothing of positions but what is
   listed: what the statement lists and, where it is not there, the constant 1; for Theorems 12 and 13 also the truths
   of EVEN and ODD, (1 + (-1)^i)/2 and (1 - (-1)^i)/2, for Theorems 20 and 21 [p](i-1) beside [p](i) for each predicate
   p. Comparisons without counts, such as 1 < 2, are embedded as constants. Theorems 20 and 21 are those repaired.

   Connectives are all six of formula.v, comparisons all six relations of any two terms, predicates any of `users`. *)
From Coq Require Import QArith List Bool.
From Certify Require Import formula network comparison meaning regime draft compile_formula compile_shape
  compile_correct corollaries_17_18_22_23.
Import ListNotations.

(* ---- the logics: which operators a formula may have, whatever its operands are ---- *)
Definition is_boolean (f : formula) : bool :=
  match f with Truth _ | Symbol _ | Not _ | And _ _ | Or _ _ | Implies _ _ | Iff _ _ => true | _ => false end.
Definition previous_next_operator (f : formula) : bool :=
  is_boolean f || match f with Previous _ | Next _ => true | _ => false end.
Definition previous_operator (f : formula) : bool := is_boolean f || is_previous f.
Definition since_until_operator (f : formula) : bool :=
  is_boolean f || match f with Since _ _ | Until _ _ => true | _ => false end.
Definition since_operator (f : formula) : bool := is_boolean f || match f with Since _ _ => true | _ => false end.
Definition counting_operator (f : formula) : bool :=
  is_boolean f || match f with Positional _ | OnCount _ _ _ | OnSum _ _ | Compare _ _ _ => true | _ => false end.
Definition made_of (operator : formula -> bool) (f : formula) : bool :=
  negb (some_subformula (fun h => negb (operator h)) f).

Lemma made_of_has_none operator has f : (forall h, operator h = true -> has h = false) -> made_of operator f = true ->
  some_subformula has f = false.
Proof.
  intros N M. apply negb_true_iff in M. apply (nowhere_beyond _ (fun h => negb (operator h))); [|exact M].
  intros h H. destruct (operator h) eqn:O; [rewrite (N h O) in H; discriminate|reflexivity].
Qed.

Section Statements.
Variables (users : predicate_meanings) (k : nat) (mentions_length : nat -> bool) (f : formula).
Notation supported r := (formula_supported r k mentions_length f = true).
Notation simulated r temperature embeddings :=
  (network_of_regime users r temperature k embeddings f (network_for r 3 k f)).

(* What every operator of f may embed. *)
Lemma simulated_with r operator l : made_of operator f = true -> supported r -> (forall h, operator h = true ->
  supported_itself r k mentions_length h = true -> part_allowed (setting_for r 3 f) (among_embeddings l) h = true) ->
  simulated r (temperature_for r f) l.
Proof.
  intros M S A. apply (network_embeds users r 3 k mentions_length); [exact S|apply three_is_enough|].
  apply negb_true_iff in M. pose proof S as S'. apply negb_true_iff in S'.
  refine (proj1 (nowhere_either _ _ _ _) f M S'). intros h O P. apply negb_false_iff in O, P. unfold misshapen.
  cbn [set_regime setting_for]. now rewrite P, A.
Qed.

Lemma no_counts_temperature r : contains_counts f = false -> temperature_for r f = temperature_of r.
Proof. intros C. unfold temperature_for. now rewrite C, andb_false_r. Qed.

Ltac by_cases h := let O := fresh in let I := fresh in destruct h; intros O I; try discriminate; reflexivity.

(* ---- Theorem 12: TL[prev, next] ---- *)
Lemma no_counts operator : (forall h, operator h = true -> is_counting h = false) -> made_of operator f = true ->
  contains_counts f = false.
Proof. intros N M. exact (made_of_has_none operator is_counting f N M). Qed.

Lemma simulated_without_counts r operator l : (forall h, operator h = true -> is_counting h = false) ->
  made_of operator f = true -> supported r -> (forall h, operator h = true -> supported_itself r k mentions_length h
  = true -> part_allowed (setting_for r 3 f) (among_embeddings l) h = true) -> simulated r (temperature_of r) l.
Proof.
  intros N M S A. rewrite <- (no_counts_temperature r (no_counts operator N M)).
  exact (simulated_with r operator l M S A).
Qed.

Theorem theorem_12a_formulas : made_of previous_next_operator f = true -> supported temperature_regime -> simulated
  temperature_regime (Div (Num 1) VarN) ([constant_one; alternating_sign] ++ parity_brackets ++ [relative_position]).
Proof.
  intros M S. apply (simulated_without_counts temperature_regime previous_next_operator);
    [now intros []|exact M|exact S|].
  intros h. by_cases h.
Qed.

Theorem theorem_12b_formulas : made_of previous_next_operator f = true -> supported position_regime ->
  simulated position_regime (Num 1) ([alternating_sign] ++ parity_brackets ++ [relative_position; Formula VarN]).
Proof.
  intros M S. apply (simulated_without_counts position_regime previous_next_operator); [now intros []|exact M|exact S|].
  intros h. by_cases h.
Qed.

(* ---- Theorem 13: TL[prev], future-masked; 1/i is computed ---- *)
Lemma reciprocal_computed r gamma : some_subformula is_previous f = true ->
  reciprocal_embedded (setting_for r gamma f) = false.
Proof. intros P. cbn [reciprocal_embedded setting_for]. now rewrite P. Qed.

Lemma previous_allowed r l : made_of previous_operator f = true -> supported r -> (forall h,
  some_subformula is_previous f = true -> part_allowed (setting_for r 3 f) (among_embeddings l) (Previous h) = true) ->
  simulated r (temperature_for r f) l.
Proof.
  intros M S A. destruct (some_subformula is_previous f) eqn:P.
  - apply (simulated_with _ previous_operator); [exact M|exact S|]. intros h.
    destruct h; intros O I; try discriminate; try reflexivity. now apply A.
  - apply (network_embeds users r 3 k mentions_length); [exact S|apply three_is_enough|]. apply negb_true_iff in M.
    pose proof S as S'. apply negb_true_iff in S'.
    assert (Q : some_subformula (fun h => is_previous h || negb (previous_operator h)) f = false).
    { refine (proj1 (nowhere_either _ _ _ _) f P M). intros h -> ->. reflexivity. }
    refine (proj1 (nowhere_either _ _ _ _) f Q S'). intros h H I. apply orb_false_iff in H as [H O].
    apply negb_false_iff in O, I. unfold misshapen. cbn [set_regime setting_for]. rewrite I. now destruct h.
Qed.

Theorem theorem_13a_formulas : made_of previous_operator f = true -> supported causal_temperature_regime ->
  simulated causal_temperature_regime (Div (Num 1) square_of_i) ([constant_one; alternating_sign] ++ parity_brackets).
Proof.
  intros M S. assert (C : contains_counts f = false) by (apply (no_counts previous_operator); [now intros []|exact M]).
  change (Div (Num 1) square_of_i) with (temperature_of causal_temperature_regime).
  rewrite <- (no_counts_temperature _ C). apply previous_allowed; [exact M|exact S|]. intros h P. cbn [part_allowed].
  unfold tie_allowed, reciprocal_allowed. now rewrite (reciprocal_computed _ _ P).
Qed.

Theorem theorem_13b_formulas : made_of previous_operator f = true -> supported causal_position_regime ->
  simulated causal_position_regime (Num 1) ([alternating_sign] ++ parity_brackets ++ [Formula square_of_i]).
Proof.
  intros M S. assert (C : contains_counts f = false) by (apply (no_counts previous_operator); [now intros []|exact M]).
  change (Num 1) with (temperature_of causal_position_regime). rewrite <- (no_counts_temperature _ C).
  apply previous_allowed; [exact M|exact S|]. intros h P. cbn [part_allowed]. unfold tie_allowed, reciprocal_allowed.
  now rewrite (reciprocal_computed _ _ P).
Qed.

(* ---- Theorem 15: TL[since, until] ---- *)
Theorem theorem_15a_formulas : made_of since_until_operator f = true -> supported temperature_regime ->
  simulated temperature_regime (Div (Num 1) VarN) [constant_one; relative_position].
Proof.
  intros M S. apply (simulated_without_counts temperature_regime since_until_operator);
    [now intros []|exact M|exact S|].
  intros h. by_cases h.
Qed.

Theorem theorem_15b_formulas : made_of since_until_operator f = true -> supported position_regime ->
  simulated position_regime (Num 1) [relative_position; Formula VarN].
Proof.
  intros M S. apply (simulated_without_counts position_regime since_until_operator); [now intros []|exact M|exact S|].
  intros h. by_cases h.
Qed.

(* ---- Theorem 16: TL[since], future-masked; 1/i is embedded ---- *)
Lemma reciprocals_are_embedded operator r gamma : (forall h, operator h = true -> is_previous h = false) ->
  (contains_counts f = false \/ some_subformula is_temporal f = false) -> made_of operator f = true ->
  reciprocal_embedded (setting_for r gamma f) = true.
Proof.
  intros N E M. cbn [reciprocal_embedded setting_for]. rewrite (made_of_has_none operator is_previous f N M).
  fold (contains_counts f). destruct E as [-> | ->]; [reflexivity|now rewrite andb_false_r].
Qed.

Theorem theorem_16a_formulas : made_of since_operator f = true -> supported causal_temperature_regime ->
  simulated causal_temperature_regime (Div (Num 1) square_of_i) [constant_one; reciprocal_function ToLeft].
Proof.
  intros M S. assert (C : contains_counts f = false) by (apply (no_counts since_operator); [now intros []|exact M]).
  change (Div (Num 1) square_of_i) with (temperature_of causal_temperature_regime).
  rewrite <- (no_counts_temperature _ C). apply (simulated_with _ since_operator); [exact M|exact S|]. intros h.
  destruct h; intros O I; try discriminate; try reflexivity. cbn [part_allowed]. unfold tie_allowed, reciprocal_allowed.
  now rewrite (reciprocals_are_embedded since_operator _ 3 ltac:(now intros []) (or_introl C) M).
Qed.

Theorem theorem_16b_formulas : made_of since_operator f = true -> supported causal_position_regime ->
  simulated causal_position_regime (Num 1) [reciprocal_function ToLeft; Formula square_of_i].
Proof.
  intros M S. assert (C : contains_counts f = false) by (apply (no_counts since_operator); [now intros []|exact M]).
  change (Num 1) with (temperature_of causal_position_regime). rewrite <- (no_counts_temperature _ C).
  apply (simulated_with _ since_operator); [exact M|exact S|]. intros h.
  destruct h; intros O I; try discriminate; try reflexivity. cbn [part_allowed]. unfold tie_allowed, reciprocal_allowed.
  now rewrite (reciprocals_are_embedded since_operator _ 3 ltac:(now intros []) (or_introl C) M).
Qed.

(* ---- Theorems 20 and 21: counting ---- *)
Variable predicates : list predicate.
Hypothesis Listed : predicates_among predicates f = true.

Lemma counting_with r l : made_of counting_operator f = true -> supported r -> among_embeddings l (Formula VarI)
  = true -> among_embeddings l (Formula (Num 1)) = true -> (forall s, side_supported r s = true ->
  lookup_allowed (setting_for r 3 f) (among_embeddings l) s = true) -> (forall p b, existsb (predicate_eqb p) predicates
  = true -> among_embeddings l (Bracket (Positional p) b) = true) -> simulated r (temperature_for r f) l.
Proof.
  intros M S I One Look Br. pose proof Listed as P. apply negb_true_iff in P.
  apply (simulated_with _ (fun h => counting_operator h && negb (unlisted_predicate predicates h))); [|exact S|].
  - apply negb_true_iff. apply negb_true_iff in M. refine (proj1 (nowhere_either _ _ _ _) f M P).
    intros h O U. apply negb_false_iff in O. now rewrite O, U.
  - intros h O Su. apply andb_prop in O as [O U]. apply negb_true_iff in U.
    destruct h; try discriminate; try reflexivity; cbn [part_allowed unlisted_predicate supported_itself] in *.
    + apply Br. now apply negb_false_iff in U.
    + apply negb_false_iff in U. apply andb_prop in Su as [Su _]. apply andb_prop in Su as [_ Su].
      now rewrite !Br, Look.
    + destruct (is_constant_comparison t u) eqn:D.
      * unfold among_embeddings. cbn [is_constant_bracket]. now rewrite D, orb_true_r.
      * rewrite I, One. cbn [andb]. apply andb_prop in Su as [Su _]. apply andb_prop in Su as [St Su].
        apply forallb_forall. intros s H. apply Look.
        apply in_app_iff in H as [H|H]; [now apply (sides_are_supported r t)|now apply (sides_are_supported r u)].
Qed.

Lemma counting_embeds_reciprocals r gamma : made_of counting_operator f = true ->
  reciprocal_embedded (setting_for r gamma f) = true.
Proof.
  intros M. apply (reciprocals_are_embedded counting_operator); [now intros []|right|exact M].
  apply (made_of_has_none counting_operator); [now intros []|exact M].
Qed.

Lemma counting_not_temporal : made_of counting_operator f = true -> some_subformula is_temporal f = false.
Proof. apply made_of_has_none. now intros []. Qed.

Theorem theorem_20a_formulas : made_of counting_operator f = true -> supported temperature_regime ->
  simulated temperature_regime (Div (Num 1) VarN) ([constant_one; reciprocal_function ToLeft;
  reciprocal_function ToRight; Formula VarI; Formula square_of_i] ++ predicate_brackets predicates).
Proof.
  intros M S. change (Div (Num 1) VarN) with (temperature_for temperature_regime f).
  apply counting_with; try reflexivity; [exact M|exact S| |].
  - intros s _. unfold lookup_allowed, reciprocal_allowed. rewrite counting_embeds_reciprocals by exact M.
    now destruct s.
  - intros p b H. now apply among_app, among_brackets.
Qed.

Theorem theorem_20b_formulas : made_of counting_operator f = true -> supported position_regime ->
  simulated position_regime (Num 1) ([constant_one; reciprocal_function ToLeft; reciprocal_function ToRight;
  Formula VarI; times_n VarI; times_n square_of_i] ++ predicate_brackets predicates).
Proof.
  intros M S. change (Num 1) with (temperature_for position_regime f).
  apply counting_with; try reflexivity; [exact M|exact S| |].
  - intros s _. unfold lookup_allowed, reciprocal_allowed. rewrite counting_embeds_reciprocals by exact M.
    now destruct s.
  - intros p b H. now apply among_app, among_brackets.
Qed.

(* A formula that counts; without counts there is nothing to attend to. *)
Theorem theorem_21_formulas : made_of counting_operator f = true -> contains_counts f = true ->
  supported causal_temperature_regime -> simulated causal_temperature_regime (Div (Num 1) VarI) ([constant_one;
  reciprocal_function ToLeft; Formula VarI; Formula square_of_i] ++ predicate_brackets predicates).
Proof.
  intros M C S. replace (Div (Num 1) VarI) with (temperature_for causal_temperature_regime f).
  2:{ unfold temperature_for. now rewrite C, (counting_not_temporal M). }
  apply counting_with; try reflexivity; [exact M|exact S| |].
  - intros [] Su; [|discriminate]. unfold lookup_allowed, reciprocal_allowed.
    now rewrite counting_embeds_reciprocals by exact M.
  - intros p b H. now apply among_app, among_brackets.
Qed.
End Statements.
