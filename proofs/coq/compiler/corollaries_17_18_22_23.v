(* [SHA] Corollaries 17 a b, 18 a b, 22 a b and 23: for every formula a network that computes it exactly; and it is the
   network that `certify build` writes.

   Proved: for every formula over k symbols that a regime supports, `network_for` (compile_formula.v) is defined at
   every position of every word and computes the formula there. Its weights do not depend on the length; it has the
   temperature and no other position embeddings than the statement (and the constant 1) and, in causal regimes, future
   masks only. The paper's gamma is 3; any other that is enough for the formula will do (`every_formula`). `build` gives
   this network, unless the formula has coefficients beyond 10^9 or constants beyond 10^12.

   Differs: beside (-1)^i, the truths of EVEN and ODD, (1 + (-1)^i)/2 and (1 - (-1)^i)/2, are embedded, beside a
   predicate [p](i) also [p](i-1), and comparisons without counts, such as 1 < 2. Where Theorems 16, 20 and 21 apply,
   1/i and 1/(n+1-i) are embedded, as they have it, and Theorem 21's temperature is 1/i; the theorems "to the letter"
   compute them for every formula, and have Corollary 23's temperature 1/i^2 (DIVERGENCES.md). *)
From Coq Require Import Reals QArith ZArith List Bool.
From Certify Require Import formula network comparison meaning well_defined regime draft compile_formula
  compile_connectives compile_shape compile_correct.
Import ListNotations.

Definition position_functions (T : transformer) : list position_function := map snd (position_embedding T).

(* ---- the position functions of the statements ---- *)
Definition constant_one := Formula (Num 1).
Definition alternating_sign := Formula sign_of_position.
Definition parity_brackets := [Bracket (Positional EVEN) false; Bracket (Positional ODD) false].
Definition relative_position := Formula share_of_position.
Definition times_n (x : expression) := Formula (Mul x VarN).
Definition reciprocal_function (s : side) := Formula (reciprocal_expression s).
(* [p] and [p](i-1) for each predicate p. *)
Definition predicate_brackets (predicates : list predicate) : list position_function :=
  flat_map (fun p => [Bracket (Positional p) false; Bracket (Positional p) true]) predicates.

Definition contains_counts (f : formula) : bool := some_subformula is_counting f.
(* 1/i and 1/(n+1-i) are embedded where [SHA] lists them: Theorems 16, 20 and 21, which have `since` or counts alone. *)
Definition reciprocals_embedded (f : formula) : bool :=
  negb (some_subformula is_previous f || (contains_counts f && some_subformula is_temporal f)).

(* All of them, for a formula whose predicates are among the listed ones. *)
Definition embeddings_for (r : regime) (predicates : list predicate) (f : formula) : list position_function :=
  [constant_one; alternating_sign] ++ parity_brackets ++ (if regime_causal r then [] else [relative_position])
  ++ (if regime_by_position r then [Formula (if regime_causal r then square_of_i else VarN)] else [])
  ++ (if reciprocals_embedded f && (regime_causal r || contains_counts f) then reciprocal_function ToLeft :: if
  regime_causal r then [] else [reciprocal_function ToRight] else []) ++ (if contains_counts f then Formula VarI :: if
  regime_by_position r then [times_n VarI; times_n square_of_i] else [Formula square_of_i] else [])
  ++ predicate_brackets predicates.

Definition is_constant_bracket (p : position_function) : bool :=
  match p with Bracket (Compare _ t u) false => is_constant_comparison t u | _ => false end.
Definition among_embeddings (l : list position_function) (p : position_function) : bool :=
  existsb (fun q => position_function_eqb q p) l || is_constant_bracket p.

Lemma among_correct l p : among_embeddings l p = true -> In p l \/ is_constant_bracket p = true.
Proof.
  intros H. apply orb_prop in H as [H|H]; [left|now right]. apply existsb_exists in H as (q & I & E).
  apply position_function_eqb_eq in E. now subst.
Qed.

Lemma among_app l m p : among_embeddings m p = true -> among_embeddings (l ++ m) p = true.
Proof.
  unfold among_embeddings. rewrite existsb_app. intros H.
  apply orb_prop in H as [H|H]; rewrite H; [|now rewrite orb_true_r]. now rewrite orb_true_r.
Qed.

Lemma among_brackets p b predicates : existsb (predicate_eqb p) predicates = true ->
  among_embeddings (predicate_brackets predicates) (Bracket (Positional p) b) = true.
Proof.
  intros H. apply existsb_exists in H as (q & I & E). apply predicate_eqb_eq in E. subst q. unfold among_embeddings.
  apply orb_true_intro. left. apply existsb_exists. exists (Bracket (Positional p) b). split.
  - unfold predicate_brackets. apply in_flat_map. exists p. split; [exact I|]. destruct b; [right|]; now left.
  - cbn [position_function_eqb]. now rewrite formula_eqb_refl, eqb_reflx.
Qed.

(* What calls for a predicate that is not listed. *)
Definition unlisted_predicate (predicates : list predicate) (f : formula) : bool :=
  match f with Positional p | OnCount p _ _ => negb (existsb (predicate_eqb p) predicates) | _ => false end.
Definition predicates_among (predicates : list predicate) (f : formula) : bool :=
  negb (some_subformula (unlisted_predicate predicates) f).

(* ---- a part of a supported formula calls for nothing else ---- *)
Section Embeddings.
Variables (r : regime) (gamma : Q) (k : nat) (mentions_length : nat -> bool) (predicates : list predicate) (f :
  formula).
Notation c := (setting_for r gamma f).
Notation allowed := (among_embeddings (embeddings_for r predicates f)).
Notation unsupported := (fun h => negb (supported_itself r k mentions_length h)).

Lemma reciprocal_is_allowed s : regime_causal r || contains_counts f = true -> side_supported r s = true ->
  reciprocal_allowed c allowed s = true.
Proof.
  intros C S. unfold reciprocal_allowed, embeddings_for. cbn [reciprocal_embedded setting_for].
  fold (contains_counts f). fold (reciprocals_embedded f). rewrite C.
  destruct (reciprocals_embedded f); [|reflexivity]. destruct s; [destruct r as [[] []]; reflexivity|].
  apply negb_true_iff in S. rewrite S. now destruct (regime_by_position r).
Qed.

Lemma tie_is_allowed : tie_allowed c allowed = true.
Proof.
  unfold tie_allowed. cbn [set_regime setting_for]. destruct (regime_causal r) eqn:C.
  - rewrite reciprocal_is_allowed by (now rewrite ?C). unfold embeddings_for. rewrite C.
    now destruct (regime_by_position r), (reciprocals_embedded f).
  - unfold embeddings_for. rewrite C. now destruct (regime_by_position r).
Qed.

Lemma lookup_is_allowed s : contains_counts f = true -> side_supported r s = true -> lookup_allowed c allowed s = true.
Proof.
  intros C S. unfold lookup_allowed. rewrite reciprocal_is_allowed by (now rewrite ?C, ?orb_true_r).
  unfold embeddings_for, growing_weight. cbn [set_regime setting_for]. rewrite C.
  now destruct r as [[] []], (reciprocals_embedded f).
Qed.

Lemma numbers_are_allowed : contains_counts f = true -> allowed (Formula VarI) = true /\
  allowed (Formula (Num 1)) = true.
Proof. intros C. unfold embeddings_for. rewrite C. now destruct r as [[] []], (reciprocals_embedded f). Qed.
Lemma bracket_is_allowed p b : existsb (predicate_eqb p) predicates = true -> allowed (Bracket (Positional p) b) = true.
Proof. intros H. unfold embeddings_for. do 6 apply among_app. now apply among_brackets. Qed.

Lemma sides_are_supported t : sides_supported r t = true -> forall s, In s (sides_of t) -> side_supported r s = true.
Proof.
  induction t as [z|a s g rest IH]; intros H s' I; [destruct I|]. apply andb_prop in H as [H1 H2].
  destruct I as [<-|I]; [exact H1|now apply IH].
Qed.

Lemma part_is_allowed h : (is_counting h = true -> contains_counts f = true) -> supported_itself r k mentions_length h =
  true -> unlisted_predicate predicates h = false -> part_allowed c allowed h = true.
Proof.
  intros C S U. destruct h; try reflexivity; cbn [part_allowed unlisted_predicate supported_itself is_counting] in *;
    try (rewrite tie_is_allowed; reflexivity).
  - apply bracket_is_allowed. now apply negb_false_iff in U.
  - apply negb_false_iff in U. apply andb_prop in S as [S _]. apply andb_prop in S as [_ S].
    rewrite !bracket_is_allowed, lookup_is_allowed by auto. reflexivity.
  - destruct (is_constant_comparison t u) eqn:D.
    + unfold among_embeddings. cbn [is_constant_bracket]. now rewrite D, orb_true_r.
    + destruct (numbers_are_allowed (C eq_refl)) as [-> ->]. apply andb_prop in S as [S _].
      apply andb_prop in S as [St Su]. cbn [andb]. apply forallb_forall. intros s I. apply lookup_is_allowed; [auto|].
      apply in_app_iff in I as [I|I]; [now apply (sides_are_supported t)|now apply (sides_are_supported u)].
Qed.

Lemma no_part_is_misshapen : formula_supported r k mentions_length f = true -> predicates_among predicates f = true ->
  some_subformula (misshapen c k allowed mentions_length) f = false.
Proof.
  intros S P. apply negb_true_iff in S, P.
  destruct (some_subformula (misshapen c k allowed mentions_length) f) eqn:M; [exfalso|reflexivity].
  assert (Split : forall h, misshapen c k allowed mentions_length h = true ->
    (unsupported h || unlisted_predicate predicates h) = true \/ (is_counting h && negb (contains_counts f)) = true).
  { intros h Mh. destruct (unsupported h) eqn:Sh; [now left|]. destruct (unlisted_predicate predicates h) eqn:Uh;
      [now left|].
    destruct (is_counting h && negb (contains_counts f)) eqn:Ch; [now right|exfalso]. cbv beta in Sh.
    apply negb_false_iff in Sh. unfold misshapen in Mh. cbn [set_regime setting_for] in Mh. rewrite Sh in Mh.
    cbn [andb] in Mh. rewrite part_is_allowed in Mh; [discriminate| |exact Sh|exact Uh]. intros I. rewrite I in Ch.
    cbn [andb] in Ch. now apply negb_false_iff in Ch. }
  assert (Neither : some_subformula (fun h => unsupported h || unlisted_predicate predicates h) f <> true).
  { intros H. destruct (proj1 (somewhere_split _ unsupported (unlisted_predicate predicates) (fun h =>
    orb_prop _ _)) f H); congruence. }
  destruct (contains_counts f) eqn:Cf.
  - assert (Two : forall h, misshapen c k allowed mentions_length h = true ->
      unsupported h = true \/ unlisted_predicate predicates h = true).
    { intros h Mh. destruct (Split h Mh) as [H|H]; [now apply orb_prop|]. rewrite andb_false_r in H. discriminate. }
    destruct (proj1 (somewhere_split _ _ _ Two) f M); congruence.
  - assert (Two : forall h, misshapen c k allowed mentions_length h = true ->
      (unsupported h || unlisted_predicate predicates h) = true \/ is_counting h = true).
    { intros h Mh. destruct (Split h Mh) as [H|H]; [now left|right]. now apply andb_prop in H as [H _]. }
    destruct (proj1 (somewhere_split _ (fun h => unsupported h || unlisted_predicate predicates h) is_counting Two) f M)
      as [H|H]; [now apply Neither|unfold contains_counts in Cf; congruence].
Qed.
End Embeddings.

(* ---- every formula ---- *)
Definition temperature_for (r : regime) (f : formula) : expression :=
  if regime_causal r && contains_counts f && negb (some_subformula is_temporal f) then Div (Num 1) VarI else
    temperature_of r.

Definition all_layers_of (r : regime) (temperature : expression) (T : transformer) : Prop :=
  Forall (fun l => Forall (fun a => head_temperature a = temperature /\
    (regime_causal r = true -> head_masking a = FutureMasked)) (layer_heads l)) (transformer_layers T).

(* What the corollaries state of a network: an alphabet of k symbols, no other position embeddings, the temperature and
   the masks of the regime, nothing undefined, and the formula computed at every position. *)
Definition network_of_regime users (r : regime) (temperature : expression) (k : nat) (embeddings :
  list position_function) (f : formula) (T : transformer) : Prop := length (token_embedding T) = k /\ (forall p,
  In p (position_functions T) -> In p embeddings \/ is_constant_bracket p = true) /\ all_layers_of r temperature T /\
  defined T /\ computes users T f.

(* `build` gives this network, if the numbers in the formula are not too large for it. *)
Theorem build_is_network_for r gamma k mentions_length f : formula_supported r k mentions_length f = true ->
  coefficients_moderate f = true -> Qle_bool gamma 0 = false ->
  exists M, build r gamma k mentions_length f = Some (network_for r gamma k f, M).
Proof. intros S Mo G. unfold build. rewrite S, Mo, G. cbn [andb negb]. now eexists. Qed.

(* No other embeddings than l, if no part of the formula calls for another. *)
Theorem network_embeds users r gamma k mentions_length l f : formula_supported r k mentions_length f = true ->
  gamma_enough gamma f = true -> some_subformula (misshapen (setting_for r gamma f) k (among_embeddings l)
  mentions_length) f = false -> network_of_regime users r (temperature_for r f) k l f (network_for r gamma k f).
Proof.
  intros S E N. destruct (network_computes users r gamma k mentions_length f S E) as (K & D & V).
  assert (Made : draft_fits (setting_for r gamma f) k (among_embeddings l) (draft_of r gamma k f)).
  { apply (proj1 (add_formula_made (setting_for r gamma f) k _ mentions_length) f).
    - exact N.
    - split; [apply repeat_length|]. split; constructor. }
  destruct Made as (_ & Po & La). split; [exact K|]. split; [|split; [exact La|now split]].
  intros p I. unfold position_functions in I. unfold network_for in I. cbn [finish_draft position_embedding] in I.
  apply in_map_iff in I as (e & <- & I). rewrite Forall_forall in Po. apply among_correct. exact (Po e I).
Qed.

Theorem every_formula users r gamma k mentions_length predicates f : formula_supported r k mentions_length f = true ->
  predicates_among predicates f = true -> gamma_enough gamma f = true -> network_of_regime users r (temperature_for r f)
  k (embeddings_for r predicates f) f (network_for r gamma k f).
Proof.
  intros S P E. apply (network_embeds users r gamma k mentions_length); [exact S|exact E|].
  now apply no_part_is_misshapen.
Qed.

Lemma more_embeddings users r temperature k l l' f T : incl l l' ->
  network_of_regime users r temperature k l f T -> network_of_regime users r temperature k l' f T.
Proof.
  intros I (K & P & H). split; [exact K|]. split; [|exact H]. intros p Hp. destruct (P p Hp); [left; now apply I|now
    right].
Qed.

(* ---- the corollaries ---- *)
(* A formula of LTL has no predicates and no counts. *)
Definition beyond_ltl (f : formula) : bool :=
  match f with Positional _ | OnCount _ _ _ | OnSum _ _ | Compare _ _ _ => true | _ => false end.
Definition is_ltl (f : formula) : bool := negb (some_subformula beyond_ltl f).

Lemma nowhere_beyond (p q : formula -> bool) f : (forall h, p h = true -> q h = true) -> some_subformula q f = false ->
  some_subformula p f = false.
Proof.
  intros I N. destruct (some_subformula p f) eqn:P; [exfalso|reflexivity].
  destruct (proj1 (somewhere_split p q q (fun h H => or_introl (I h H))) f P); congruence.
Qed.

Lemma ltl_has_none f : is_ltl f = true -> contains_counts f = false /\ predicates_among [] f = true.
Proof.
  intros L. apply negb_true_iff in L. split; [|apply negb_true_iff]; apply (nowhere_beyond _ beyond_ltl); auto;
    now intros [].
Qed.

Section Statements.
Variables (users : predicate_meanings) (k : nat) (mentions_length : nat -> bool) (predicates : list predicate).
Variable f : formula.
Notation supported r := (formula_supported r k mentions_length f = true).
Notation gives_network r temperature embeddings :=
  (network_of_regime users r temperature k embeddings f (network_for r 3 k f)).

Lemma ltl_network r : is_ltl f = true -> supported r -> gives_network r (temperature_of r) (embeddings_for r [] f).
Proof.
  intros L S. destruct (ltl_has_none f L) as [C P].
  pose proof (every_formula users r 3 k mentions_length [] f S P (three_is_enough f)) as G.
  unfold temperature_for in G. now rewrite C, andb_false_r in G.
Qed.

(* LTL, temperature 1/n. *)
Theorem corollary_17a : is_ltl f = true -> supported temperature_regime -> gives_network temperature_regime (Div (Num 1)
  VarN) ([constant_one; alternating_sign] ++ parity_brackets ++ [relative_position]).
Proof.
  intros L S. pose proof (ltl_network temperature_regime L S) as G. destruct (ltl_has_none f L) as [C _].
  unfold embeddings_for in G. rewrite C, andb_false_r in G. exact G.
Qed.

(* LTL, temperature 1. *)
Theorem corollary_17b : is_ltl f = true -> supported position_regime -> gives_network position_regime (Num 1)
  ([constant_one; alternating_sign] ++ parity_brackets ++ [relative_position; Formula VarN]).
Proof.
  intros L S. pose proof (ltl_network position_regime L S) as G. destruct (ltl_has_none f L) as [C _].
  unfold embeddings_for in G. rewrite C, andb_false_r in G. exact G.
Qed.

(* The past fragment, future-masked, temperature 1/i^2; 1/i is embedded only where there is no `prev` (Theorem 16). *)
Definition reciprocal_without_previous : list position_function :=
  if some_subformula is_previous f then [] else [reciprocal_function ToLeft].

Lemma reciprocal_of_ltl : is_ltl f = true ->
  (if reciprocals_embedded f && true then [reciprocal_function ToLeft] else []) = reciprocal_without_previous.
Proof.
  intros L. destruct (ltl_has_none f L) as [C _]. unfold reciprocals_embedded, reciprocal_without_previous. rewrite C.
  now destruct (some_subformula is_previous f).
Qed.

Theorem corollary_18a : is_ltl f = true -> supported causal_temperature_regime ->
  gives_network causal_temperature_regime (Div (Num 1) square_of_i)
    ([constant_one; alternating_sign] ++ parity_brackets ++ reciprocal_without_previous).
Proof.
  intros L S. pose proof (ltl_network causal_temperature_regime L S) as G. destruct (ltl_has_none f L) as [C _].
  unfold embeddings_for in G. cbn [regime_causal regime_by_position causal_temperature_regime orb] in G.
  rewrite C, (reciprocal_of_ltl L), !app_nil_r in G. exact G.
Qed.

(* The same, temperature 1. *)
Theorem corollary_18b : is_ltl f = true -> supported causal_position_regime -> gives_network causal_position_regime (Num
  1) ([constant_one; alternating_sign] ++ parity_brackets ++ [Formula square_of_i] ++ reciprocal_without_previous).
Proof.
  intros L S. pose proof (ltl_network causal_position_regime L S) as G. destruct (ltl_has_none f L) as [C _].
  unfold embeddings_for in G. cbn [regime_causal regime_by_position causal_position_regime orb] in G.
  rewrite C, (reciprocal_of_ltl L), !app_nil_r in G. exact G.
Qed.

(* With counts and any predicates; the reciprocals are embedded only where there is no temporal operator (Theorem 20).
  *)
Definition reciprocals_without_temporal (sides : list side) : list position_function :=
  if reciprocals_embedded f then map reciprocal_function sides else [].
Hypothesis Listed : predicates_among predicates f = true.

(* What has no counts has fewer of them. *)
Ltac among_the_listed G := unfold embeddings_for in G; destruct (contains_counts f) eqn:Counts;
  [rewrite ?andb_true_r in G; exact G|]; refine (more_embeddings _ _ _ _ _ _ _ _ _ G); intros e I;
  rewrite ?andb_false_r in I; cbn [regime_causal regime_by_position temperature_regime position_regime
  causal_temperature_regime andb orb] in I; rewrite ?andb_true_r in I; rewrite ?in_app_iff in *; cbn [In] in *; tauto.

(* LTL with counting, temperature 1/n. *)
Theorem corollary_22a : supported temperature_regime -> gives_network temperature_regime (Div (Num 1) VarN)
  ([constant_one; alternating_sign] ++ parity_brackets ++ [relative_position] ++ reciprocals_without_temporal [ToLeft;
  ToRight] ++ [Formula VarI; Formula square_of_i] ++ predicate_brackets predicates).
Proof.
  intros S. pose proof (every_formula users temperature_regime 3 k mentions_length predicates f S Listed
    (three_is_enough f)) as G. unfold temperature_for in G. cbn [regime_causal temperature_regime andb] in G.
  unfold reciprocals_without_temporal. among_the_listed G.
Qed.

(* LTL with counting, temperature 1. *)
Theorem corollary_22b : supported position_regime -> gives_network position_regime (Num 1) ([constant_one;
  alternating_sign] ++ parity_brackets ++ [relative_position] ++ [Formula VarN] ++ reciprocals_without_temporal [ToLeft;
  ToRight] ++ [Formula VarI; times_n VarI; times_n square_of_i] ++ predicate_brackets predicates).
Proof.
  intros S. pose proof (every_formula users position_regime 3 k mentions_length predicates f S Listed
    (three_is_enough f)) as G. unfold temperature_for in G. cbn [regime_causal position_regime andb] in G.
  unfold reciprocals_without_temporal. among_the_listed G.
Qed.

(* The past fragment with counts to the left, future-masked; temperature 1/i^2, or 1/i if it counts without temporal
   operators (Theorem 21). *)
Theorem corollary_23 : supported causal_temperature_regime -> gives_network causal_temperature_regime (if
  contains_counts f && negb (some_subformula is_temporal f) then Div (Num 1) VarI else Div (Num 1) square_of_i)
  ([constant_one; alternating_sign] ++ parity_brackets ++ reciprocals_without_temporal [ToLeft] ++ [Formula VarI;
  Formula square_of_i] ++ predicate_brackets predicates).
Proof.
  intros S. pose proof (every_formula users causal_temperature_regime 3 k mentions_length predicates f S Listed
    (three_is_enough f)) as G. unfold temperature_for in G.
  cbn [regime_causal regime_by_position causal_temperature_regime andb] in G.
  unfold reciprocals_without_temporal. among_the_listed G.
Qed.
End Statements.

(* ---- to the letter: 1/i and 1/(n+1-i) computed for every formula, and Corollary 23 with temperature 1/i^2 ---- *)
(* But for one embedding: beside [p](i), which Corollaries 22 and 23 list, `predicate_brackets` has [p](i-1), which
   they do not. Where the counted formula fails at i, the count c may be 0, and [p](c) is looked up as [p](i-1) at
   position c + 1. To compute it would take a `prev` of [p], and [p](0) at position 1; that is not done here. *)
(* f with a tautology beside it that has a `prev`, so that the compiler computes reciprocals: the same truth. *)
Definition with_previous (f : formula) : formula := And f (Or (Previous (Truth true)) (Not (Previous (Truth true)))).

Lemma truth_with_previous users n w f i : truth users n w (with_previous f) i = truth users n w f i.
Proof. cbn [truth with_previous]. now destruct (truth users n w f i), (negb (i =? 1)%nat). Qed.

Lemma somewhere_with_previous has f : (forall g h, has (And g h) = false) -> (forall g h, has (Or g h) = false) ->
  (forall g, has (Not g) = false) -> has (Truth true) = false ->
  some_subformula has (with_previous f) = some_subformula has f || has (Previous (Truth true)).
Proof.
  intros A O N T. cbn [some_subformula with_previous]. rewrite A, O, N, T. destruct (has (Previous (Truth true))); cbn;
    rewrite ?orb_false_r, ?orb_true_r; reflexivity.
Qed.

Section ToTheLetter.
Variables (users : predicate_meanings) (k : nat) (mentions_length : nat -> bool) (predicates : list predicate).
Variable f : formula.
Hypothesis Listed : predicates_among predicates f = true.
Notation supported r := (formula_supported r k mentions_length f = true).

Lemma with_previous_network r : supported r -> network_of_regime users r (temperature_of r)
  k (embeddings_for r predicates (with_previous f)) f (network_for r 3 k (with_previous f)).
Proof.
  intros S. assert (S' : formula_supported r k mentions_length (with_previous f) = true).
  { apply negb_true_iff in S. apply negb_true_iff. rewrite somewhere_with_previous by reflexivity. now rewrite S. }
  assert (P : predicates_among predicates (with_previous f) = true).
  { pose proof Listed as P. apply negb_true_iff in P. apply negb_true_iff.
    rewrite somewhere_with_previous by reflexivity. now rewrite P. }
  destruct (every_formula users r 3 k mentions_length predicates _ S' P (three_is_enough _)) as (K & E & L & D & C).
  split; [exact K|]. split; [exact E|]. split; [|split; [exact D|]].
  - unfold temperature_for in L. rewrite (somewhere_with_previous is_temporal) in L by reflexivity.
    rewrite orb_true_r, andb_false_r in L. exact L.
  - intros n w N O i. rewrite (C n w N O i). now rewrite truth_with_previous.
Qed.

Lemma embeddings_with_previous r : incl (embeddings_for r predicates (with_previous f))
  ([constant_one; alternating_sign] ++ parity_brackets
   ++ (if regime_causal r then [] else [relative_position])
   ++ (if regime_by_position r then [Formula (if regime_causal r then square_of_i else VarN)] else [])
   ++ (if contains_counts f then
         Formula VarI :: if regime_by_position r then [times_n VarI; times_n square_of_i] else [Formula square_of_i]
           else [])
   ++ predicate_brackets predicates).
Proof.
  unfold embeddings_for, reciprocals_embedded, contains_counts.
  rewrite !(somewhere_with_previous is_previous) by reflexivity. rewrite orb_true_r.
  rewrite (somewhere_with_previous is_counting) by reflexivity. rewrite orb_false_r. cbn [negb orb andb app].
  apply incl_refl.
Qed.

Ltac from_embeddings r S := refine (more_embeddings _ _ _ _ _ _ _ _ _ (with_previous_network r S));
  refine (incl_tran (embeddings_with_previous r) _); cbn [regime_causal regime_by_position];
  destruct (contains_counts f); intros e I; rewrite ?in_app_iff in *; cbn [In] in *; tauto.

(* Without counts there are no listed predicates on them; f may still have predicates on positions. *)
Theorem corollary_18a_to_the_letter : contains_counts f = false -> supported (Regime true false) ->
  network_of_regime users (Regime true false) (Div (Num 1) square_of_i) k ([constant_one; alternating_sign]
  ++ parity_brackets ++ predicate_brackets predicates) f (network_for (Regime true false) 3 k (with_previous f)).
Proof.
  intros C S. refine (more_embeddings _ _ _ _ _ _ _ _ _ (with_previous_network _ S)).
  refine (incl_tran (embeddings_with_previous _) _). rewrite C. apply incl_refl.
Qed.

Theorem corollary_18b_to_the_letter : contains_counts f = false -> supported (Regime true true) ->
  network_of_regime users (Regime true true) (Num 1) k ([constant_one; alternating_sign] ++ parity_brackets
  ++ [Formula square_of_i] ++ predicate_brackets predicates) f (network_for (Regime true true) 3 k (with_previous f)).
Proof.
  intros C S. refine (more_embeddings _ _ _ _ _ _ _ _ _ (with_previous_network _ S)).
  refine (incl_tran (embeddings_with_previous _) _). rewrite C. apply incl_refl.
Qed.

Theorem corollary_22a_to_the_letter : supported (Regime false false) -> network_of_regime users (Regime false false)
  (Div (Num 1) VarN) k ([constant_one; alternating_sign] ++ parity_brackets ++ [relative_position; Formula VarI;
  Formula square_of_i] ++ predicate_brackets predicates) f (network_for (Regime false false) 3 k (with_previous f)).
Proof. intros S. from_embeddings (Regime false false) S. Qed.

Theorem corollary_22b_to_the_letter : supported (Regime false true) -> network_of_regime users (Regime false true)
  (Num 1) k ([constant_one; alternating_sign] ++ parity_brackets ++ [relative_position; Formula VarI; Formula VarN;
  times_n VarI; times_n square_of_i] ++ predicate_brackets predicates) f (network_for (Regime false true)
  3 k (with_previous f)).
Proof. intros S. from_embeddings (Regime false true) S. Qed.

Theorem corollary_23_to_the_letter : supported (Regime true false) -> network_of_regime users (Regime true false)
  (Div (Num 1) square_of_i) k ([constant_one; alternating_sign] ++ parity_brackets ++ [Formula VarI;
  Formula square_of_i] ++ predicate_brackets predicates) f (network_for (Regime true false) 3 k (with_previous f)).
Proof. intros S. from_embeddings (Regime true false) S. Qed.
End ToTheLetter.
