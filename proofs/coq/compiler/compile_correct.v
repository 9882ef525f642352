(* Every formula that the regime supports is compiled rightly: `build_computes`.

   `build` is certify's own compiler (compile_formula.v). Proved: if it gives a network, and gamma is enough for every
   operator of the formula (ln 2 for `prev` and `next`, ln 4 for `since` and `until`, for counts 1.797 or the less that
   check.v asks for; the paper: 3), the network divides by nothing that is 0 and computes the formula, for every length,
   every word and every position. By induction on the formula, from the constructions one by one; where a part is put,
   what it shares with others and what was built already does not matter to any of them. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia Arith.
From Certify Require Import positions lists finite_sums theorem_20_counting formula network linear_combination
  comparison meaning rational_bounds well_defined check_head regime draft draft_stages draft_sound compile_formula
  compile_connectives compile_temporal compile_counting.
Import ListNotations PositionNotations.
Open Scope R_scope.

(* ---- gamma ---- *)
Definition enough_for_part (gamma : Q) (f : formula) : bool :=
  match f with
  | Previous _ | Next _ => sharp_enough (Parity true) gamma
  | Since _ _ | Until _ _ => sharp_enough (Decides f) gamma
  | OnCount p _ _ => predicate_enough gamma p
  | Compare _ t u => is_constant_comparison t u || comparison_enough gamma t u
  | _ => true
  end.
Definition gamma_enough (gamma : Q) (f : formula) : bool :=
  negb (some_subformula (fun h => negb (enough_for_part gamma h)) f).

(* ---- what one setting must be for a formula ---- *)
Section Fits.
Variables (c : setting) (k : nat) (mentions_length : nat -> bool).

Definition sharp_temperature : bool := expression_eqb (set_temperature c) (temperature_of (set_regime c)).
Definition counting_temperature : bool :=
  sharp_temperature || (regime_causal (set_regime c) && expression_eqb (set_temperature c) (Div (Num 1) VarI)).
Definition part_fits (f : formula) : bool := supported_itself (set_regime c) k mentions_length f && enough_for_part
  (set_gamma c) f && implb (is_temporal f) sharp_temperature && implb (is_counting f) counting_temperature.
Definition misfit (f : formula) : bool := negb (part_fits f).
End Fits.

Lemma somewhere_on_sum has p t : some_subformula has (OnSum p t) = has (OnSum p t) || somewhere_in_term has t.
Proof. reflexivity. Qed.
Lemma somewhere_compare has r t u : some_subformula has (Compare r t u)
  = has (Compare r t u) || (somewhere_in_term has t || somewhere_in_term has u).
Proof. reflexivity. Qed.
Lemma somewhere_plus has a s f t : somewhere_in_term has (Plus a s f t) = some_subformula has f || somewhere_in_term has
  t.
Proof. reflexivity. Qed.

(* What follows from being nowhere p and nowhere q. *)
Lemma nowhere_either (r p q : formula -> bool) : (forall h, p h = false -> q h = false -> r h = false) ->
  (forall f, some_subformula p f = false -> some_subformula q f = false -> some_subformula r f = false) /\
  (forall t, somewhere_in_term p t = false -> somewhere_in_term q t = false -> somewhere_in_term r t = false).
Proof.
  intros H. apply formula_term_mutual; intros; rewrite ?somewhere_on_sum, ?somewhere_compare, ?somewhere_plus in *;
    cbn [some_subformula somewhere_in_term] in *; rewrite ?orb_false_iff in *;
    repeat match goal with X : _ /\ _ |- _ => destruct X end; auto 6.
Qed.
Lemma somewhere_split (r p q : formula -> bool) : (forall h, r h = true -> p h = true \/ q h = true) ->
  (forall f, some_subformula r f = true -> some_subformula p f = true \/ some_subformula q f = true) /\
  (forall t, somewhere_in_term r t = true -> somewhere_in_term p t = true \/ somewhere_in_term q t = true).
Proof.
  intros H. assert (N : forall h, p h = false -> q h = false -> r h = false).
  { intros h P Q. destruct (r h) eqn:E; [|reflexivity]. destruct (H h E); congruence. }
  destruct (nowhere_either r p q N) as [A B]. split; intros x E.
  - specialize (A x). destruct (some_subformula p x), (some_subformula q x); auto. rewrite A in E; auto.
  - specialize (B x). destruct (somewhere_in_term p x), (somewhere_in_term q x); auto. rewrite B in E; auto.
Qed.
Local Lemma nowhere (r : formula -> bool) f : (forall h, r h = false) -> some_subformula r f = false.
Proof.
  intros H. revert f.
  enough (A : (forall f, some_subformula r f = false) /\ (forall t, somewhere_in_term r t = false)) by apply A.
  apply formula_term_mutual; intros; rewrite ?somewhere_on_sum, ?somewhere_compare, ?somewhere_plus;
    cbn [some_subformula somewhere_in_term]; rewrite ?H;
    repeat match goal with X : ?a = false |- context [?a] => rewrite X end; reflexivity.
Qed.

Section Induction.
Variables (users : predicate_meanings) (k : nat) (c : setting) (mentions_length : nat -> bool).
Notation sound := (is_sound users k).
Notation reaches d d' x m := (sound d' /\ draft_extends d d' /\ draft_holds d' x m).
Notation causal := (regime_causal (set_regime c)).
Notation g := (Q2R (set_gamma c)).
Notation fits := (part_fits c k mentions_length).
Notation misfit := (misfit c k mentions_length).
Hypothesis Temperature : temperature_fits (set_temperature c) = true.

Lemma fits_parts f : fits f = true -> supported_itself (set_regime c) k mentions_length f = true /\
  enough_for_part (set_gamma c) f = true /\ (is_temporal f = true -> set_temperature c = temperature_of (set_regime c)).
Proof.
  intros H. apply andb_prop in H as [H _]. apply andb_prop in H as [H T]. apply andb_prop in H as [S E].
  split; [exact S|]. split; [exact E|]. intros I. rewrite I in T. now apply expression_eqb_eq.
Qed.

Lemma left_if_causal (s : side) : negb causal = true \/ s = ToLeft -> causal = true -> s = ToLeft.
Proof. intros [H| ->] C; [rewrite C in H; discriminate|reflexivity]. Qed.

Lemma neighbour_step s f d : sound d -> truth_is_known d f -> fits (neighbour_formula s f) = true ->
  sound (fst (add_neighbour c s f d)) /\ draft_extends d (fst (add_neighbour c s f d)) /\
  truth_is_known (fst (add_neighbour c s f d)) (neighbour_formula s f).
Proof.
  intros Sd Kf F. destruct (fits_parts _ F) as (Su & En & Sh).
  assert (G : sharp_enough (Parity true) (set_gamma c) = true) by (destruct s; exact En).
  apply enough_for_parity in G as [Pos Quarter]. destruct (add_neighbour c s f d) as [d' x] eqn:E.
  destruct (add_neighbour_sound users k c Temperature (Sh ltac:(now destruct s)) Pos s f d d' x E Sd Kf)
    as (S' & X' & H').
  - apply left_if_causal. destruct s; [now right|left; exact Su].
  - exact Quarter.
  - split; [exact S'|]. split; [exact X'|now exists x].
Qed.

Lemma since_or_until_step s f f' d : sound d -> truth_is_known d f -> truth_is_known d f' -> fits (since_or_until s f
  f') = true -> sound (fst (add_since_or_until c s f f' d)) /\ draft_extends d (fst (add_since_or_until c s f f' d)) /\
  truth_is_known (fst (add_since_or_until c s f f' d)) (since_or_until s f f').
Proof.
  intros Sd Kf Kf' F. destruct (fits_parts _ F) as (Su & En & Sh).
  assert (G : sharp_enough (Decides f) (set_gamma c) = true) by (destruct s; exact En).
  apply enough_to_decide in G as [Pos Quarter]. destruct (add_since_or_until c s f f' d) as [d' x] eqn:E.
  destruct (add_since_or_until_sound users k c Temperature (Sh ltac:(now destruct s)) Pos s f f' d d' x E Sd Kf Kf')
    as (S' & X' & H').
  - apply left_if_causal. destruct s; [now right|left; exact Su].
  - exact Quarter.
  - split; [exact S'|]. split; [exact X'|now exists x].
Qed.

Lemma require_step d f : sound d -> embeddable f = true \/ operands_known d f -> sound (fst (require_truth d f)) /\
  draft_extends d (fst (require_truth d f)) /\ truth_is_known (fst (require_truth d f)) f.
Proof.
  intros Sd H. destruct (require_truth d f) as [d' x] eqn:E.
  destruct (require_truth_sound users k d f d' x E Sd (or_intror H)) as (S' & X' & H'). cbn [fst].
  split; [exact S'|]. split; [exact X'|now exists x].
Qed.

(* ---- counts ---- *)
Lemma counting_scale s : negb causal || (negb (regime_by_position (set_regime c)) && side_eqb s ToLeft) = true ->
  counting_temperature c = true -> counts_to c s.
Proof.
  unfold counting_temperature, sharp_temperature, counts_to, lookup_scale, lookup_stretch. intros Su Te n i.
  assert (L : span s n i upto n) by (unfold span; destruct s; lia).
  assert (Ps : 1 <= INR (span s n i)) by (apply (le_INR 1); lia). assert (Pi : 1 <= INR i) by (apply (le_INR 1); lia).
  assert (Pn : INR (span s n i) <= INR n) by (apply le_INR; lia). apply orb_prop in Te as [Te|Te].
  - apply expression_eqb_eq in Te. rewrite Te. unfold temperature_of.
    destruct causal, (regime_by_position (set_regime c)); try discriminate.
    + destruct s; [|discriminate]. cbn [span]. simpl. rewrite Q2R_1.
      replace (1 / (1 / (INR i * (INR i * 1))) / INR i) with (INR i) by (field; lra). exact Pi.
    + simpl. rewrite Q2R_1. apply Rmult_le_reg_r with (INR (span s n i)); [lra|].
      replace (INR n / 1 / INR (span s n i) * INR (span s n i)) with (INR n) by (field; lra). lra.
    + simpl. rewrite Q2R_1. apply Rmult_le_reg_r with (INR (span s n i)); [lra|].
      replace (1 / (1 / INR n) / INR (span s n i) * INR (span s n i)) with (INR n) by (field; lra). lra.
  - apply andb_prop in Te as [Ca Te]. apply expression_eqb_eq in Te. rewrite Te, Ca in *.
    destruct (regime_by_position (set_regime c)); [discriminate|]. destruct s; [|discriminate]. cbn [span]. simpl.
    rewrite Q2R_1. replace (1 / (1 / INR i) / INR i) with 1 by (field; lra). lra.
Qed.

Lemma side_scale s : side_supported (set_regime c) s = true -> counting_supported (set_regime c) = true ->
  counting_temperature c = true -> counts_to c s.
Proof.
  intros Si Co. apply counting_scale. unfold side_supported, counting_supported in *.
  destruct s, causal, (regime_by_position (set_regime c)); try reflexivity; discriminate.
Qed.

Local Lemma Predicate p s f d d' x : add_predicate c p s f d = (d', x) -> sound d -> truth_is_known d f ->
  fits (OnCount p s f) = true -> reaches d d' x (IsTruth (OnCount p s f)).
Proof.
  intros E Sd Kf F. destruct (fits_parts _ F) as (Su & En & _). apply andb_prop in F as [_ Te].
  cbn [supported_itself enough_for_part is_counting implb] in *. apply andb_prop in Su as [Su Co].
  apply andb_prop in Su as [_ Si]. destruct (predicate_enough_correct users _ _ En) as [Pos Sharp].
  exact (add_predicate_sound users k c Temperature Pos s f p (side_scale s Si Co Te) Sharp _ _ _ E Sd Kf).
Qed.

Lemma sides_listed t : sides_supported (set_regime c) t = true -> forall s f, In (s, f) (map fst (counts_of t)) ->
  side_supported (set_regime c) s = true.
Proof.
  induction t as [z|a s f rest IH]; intros H s' f' I; [destruct I|]. cbn [sides_supported counts_of map fst] in *.
  apply andb_prop in H as [H1 H2]. destruct I as [I|I]; [now injection I as <- _|now apply (IH H2 s' f')].
Qed.

Local Lemma Comparison r t u d d' x : add_comparison c r t u d = (d', x) -> sound d ->
  (forall s f, In (s, f) (map fst (counts_of t)) \/ In (s, f) (map fst (counts_of u)) -> truth_is_known d f) ->
  is_constant_comparison t u = false -> fits (Compare r t u) = true -> reaches d d' x (IsTruth (Compare r t u)).
Proof.
  intros E Sd K C F. destruct (fits_parts _ F) as (Su & En & _). apply andb_prop in F as [_ Te].
  cbn [supported_itself enough_for_part is_counting] in *. rewrite C in Te, En. cbn [negb implb orb] in *.
  unfold comparison_supported in Su. rewrite C in Su. cbn [orb] in Su. apply andb_prop in Su as [Si Co].
  apply andb_prop in Si as [S1 S2]. destruct (comparison_enough_correct _ t u En C) as [Pos Sharp].
  apply (add_comparison_sound users k c Temperature Pos r t u d d' x E Sd C Sharp). intros [[s f] q] I. cbn [fst snd].
  pose proof (ordered_difference_counts t u _ I) as L. cbn [fst] in L. split; [|exact (K s f L)].
  apply side_scale; [|exact Co|exact Te].
  destruct L as [L|L]; [exact (sides_listed t S1 s f L)|exact (sides_listed u S2 s f L)].
Qed.

(* ---- the induction ---- *)
Local Definition achieved (f : formula) (d : draft) : Prop :=
  sound (add_formula c f d) /\ draft_extends d (add_formula c f d) /\ truth_is_known (add_formula c f d) f.
Definition counted_achieved (t : term) (d : draft) : Prop := sound (add_counted c t d) /\ draft_extends d (add_counted c
  t d) /\ forall s f, In (s, f) (map fst (counts_of t)) -> truth_is_known (add_counted c t d) f.

Lemma known_already f d : sound d -> (find_truth d f = None -> achieved f d) -> achieved f d.
Proof.
  intros Sd H. destruct (find_truth d f) as [x|] eqn:E; [|now apply H].
  assert (A : add_formula c f d = d) by (destruct f; cbn [add_formula]; rewrite E; reflexivity).
  unfold achieved. rewrite A. split; [exact Sd|]. split; [apply extends_refl|]. exists x. now apply find_truth_correct.
Qed.

Ltac unfolded N := cbn [add_formula]; rewrite N; reflexivity.

(* One operand, then what is made of it. *)
Lemma unary_step f f' d (make : draft -> draft) : sound d -> achieved f' d -> add_formula c f d
  = make (add_formula c f' d) -> (forall e, sound e -> truth_is_known e f' -> sound (make e) /\
  draft_extends e (make e) /\ truth_is_known (make e) f) -> achieved f d.
Proof.
  intros Sd (S1 & X1 & K1) E M. destruct (M _ S1 K1) as (S2 & X2 & K2). unfold achieved. rewrite E.
  split; [exact S2|]. split; [exact (extends_trans _ _ _ X1 X2)|exact K2].
Qed.

Lemma binary_step f f' f'' d (make : draft -> draft) : sound d -> achieved f' d -> (forall e, sound e -> achieved f'' e)
  -> add_formula c f d = make (add_formula c f'' (add_formula c f' d)) -> (forall e, sound e -> truth_is_known e f' ->
  truth_is_known e f'' -> sound (make e) /\ draft_extends e (make e) /\ truth_is_known (make e) f) -> achieved f d.
Proof.
  intros Sd (S1 & X1 & K1) A2 E M. destruct (A2 _ S1) as (S2 & X2 & K2).
  destruct (M _ S2 (known_extends _ _ _ X2 K1) K2) as (S3 & X3 & K3). unfold achieved. rewrite E.
  split; [exact S3|]. split; [|exact K3]. exact (extends_trans _ _ _ X1 (extends_trans _ _ _ X2 X3)).
Qed.

Lemma comparison_step r t u d : sound d -> counted_achieved t d -> (forall e, sound e -> counted_achieved u e) ->
  fits (Compare r t u) = true -> find_truth d (Compare r t u) = None -> achieved (Compare r t u) d.
Proof.
  intros Sd (S1 & X1 & K1) A2 F N. destruct (A2 _ S1) as (S2 & X2 & K2). unfold achieved.
  replace (add_formula c (Compare r t u) d) with (let e := add_counted c u (add_counted c t d)
    in if is_constant_comparison t u then fst (require_truth e (Compare r t u)) else fst (add_comparison c r t u e))
    by unfolded N. cbv zeta. set (e := add_counted c u (add_counted c t d)) in *.
  pose proof (extends_trans _ _ _ X1 X2) as X. destruct (is_constant_comparison t u) eqn:C.
  - destruct (require_step e (Compare r t u) S2) as (S3 & X3 & K3); [left; unfold embeddable; cbn; exact C|].
    split; [exact S3|]. split; [exact (extends_trans _ _ _ X X3)|exact K3].
  - destruct (add_comparison c r t u e) as [d' x] eqn:E.
    destruct (Comparison _ _ _ _ _ _ E S2) as (S3 & X3 & H3); [|exact C|exact F|].
    + intros s f [I|I]; [apply (known_extends _ _ _ X2)|]; eauto.
    + split; [exact S3|]. split; [exact (extends_trans _ _ _ X X3)|now exists x].
Qed.

Ltac connective_case f left_ right_ N := apply (binary_step f left_ right_ _ (fun e => fst (require_truth e f))); auto;
  [unfolded N|]; intros e Se K1 K2; apply require_step; [exact Se|right; now split].

Lemma leaf_step f d : sound d -> embeddable f = true -> find_truth d f = None ->
  add_formula c f d = fst (require_truth d f) -> achieved f d.
Proof. intros Sd Em N E. unfold achieved. rewrite E. apply require_step; [exact Sd|now left]. Qed.

Theorem add_formula_sound : (forall f, some_subformula misfit f = false -> forall d, sound d -> achieved f d) /\
  (forall t, somewhere_in_term misfit t = false -> forall d, sound d -> counted_achieved t d).
Proof.
  apply formula_term_mutual; intros; cbn [some_subformula somewhere_in_term] in *; rewrite ?orb_false_iff in *;
    repeat match goal with X : _ /\ _ |- _ => destruct X end; try match goal with X : misfit _ = false |- _ =>
    apply negb_false_iff in X end; try (apply known_already; [assumption|]; intros N).
  - apply leaf_step; auto. unfolded N.
  - apply leaf_step; auto. unfolded N.
  - apply (unary_step _ f _ (fun e => fst (require_truth e (Not f)))); auto; [unfolded N|].
    intros e Se K. apply require_step; [exact Se|right; exact K].
  - connective_case (And f g) f g N.
  - connective_case (Or f g) f g N.
  - connective_case (Implies f g) f g N.
  - connective_case (Iff f g) f g N.
  - apply (unary_step _ f _ (fun e => fst (add_neighbour c ToLeft f e))); auto; [unfolded N|].
    intros e Se K. now apply (neighbour_step ToLeft).
  - apply (unary_step _ f _ (fun e => fst (add_neighbour c ToRight f e))); auto; [unfolded N|].
    intros e Se K. now apply (neighbour_step ToRight).
  - apply (binary_step _ f g _ (fun e => fst (add_since_or_until c ToLeft f g e))); auto; [unfolded N|].
    intros e Se K K'. now apply (since_or_until_step ToLeft).
  - apply (binary_step _ f g _ (fun e => fst (add_since_or_until c ToRight f g e))); auto; [unfolded N|].
    intros e Se K K'. now apply (since_or_until_step ToRight).
  - apply leaf_step; auto. unfolded N.
  - apply (unary_step _ f _ (fun e => fst (add_predicate c p s f e))); auto; [unfolded N|].
    intros e Se K. destruct (add_predicate c p s f e) as [d' x] eqn:E.
    destruct (Predicate _ _ _ _ _ _ E Se K) as (S' & X' & H'); [assumption|].
    split; [exact S'|]. split; [exact X'|now exists x].
  - match goal with X : part_fits _ _ _ (OnSum _ _) = true |- _ => discriminate X end.
  - apply comparison_step; auto.
  - split; [assumption|]. split; [apply extends_refl|intros s f []].
  - destruct (H ltac:(assumption) d ltac:(assumption)) as (S1 & X1 & K1).
    destruct (H0 ltac:(assumption) _ S1) as (S2 & X2 & K2). unfold counted_achieved.
    change (add_counted c (Plus a s f rest) d) with (add_counted c rest (add_formula c f d)).
    split; [exact S2|]. split; [exact (extends_trans _ _ _ X1 X2)|]. intros s' f' [I|I]; [|now apply (K2 s')].
    injection I as <- <-. now apply (known_extends _ _ _ X2).
Qed.
End Induction.

(* ---- the whole ---- *)
Lemma setting_temperature r gamma f : temperature_fits (set_temperature (setting_for r gamma f)) = true.
Proof.
  unfold setting_for, temperature_of. cbn [set_temperature].
  destruct (_ && negb _); [reflexivity|]. now destruct (regime_by_position r), (regime_causal r).
Qed.

Lemma expression_eqb_refl x : expression_eqb x x = true.
Proof.
  assert (I : forall a, integer_eqb a a = true).
  { induction a; simpl; rewrite ?Z.eqb_refl, ?IHa1, ?IHa2; reflexivity. }
  induction x; simpl; rewrite ?Z.eqb_refl, ?Pos.eqb_refl, ?IHx, ?IHx1, ?IHx2, ?I; try reflexivity. now destruct g.
Qed.

(* The temperature is that of the regime, or 1/i where a causal regime counts and nothing is temporal. *)
Lemma setting_counting r gamma f : counting_temperature (setting_for r gamma f) = true.
Proof.
  unfold counting_temperature, sharp_temperature, setting_for. cbn [set_regime set_temperature].
  destruct (regime_causal r && _ && _) eqn:E; rewrite expression_eqb_refl; [|reflexivity].
  apply andb_prop in E as [E _]. apply andb_prop in E as [-> _]. apply orb_true_r.
Qed.

Lemma setting_temporal r gamma f : some_subformula is_temporal f = true -> sharp_temperature (setting_for r gamma f) =
  true.
Proof.
  intros H. unfold sharp_temperature, setting_for. cbn [set_regime set_temperature]. rewrite H, andb_false_r.
  apply expression_eqb_refl.
Qed.

Lemma setting_fits r gamma k mentions_length f : formula_supported r k mentions_length f = true ->
  gamma_enough gamma f = true -> some_subformula (misfit (setting_for r gamma f) k mentions_length) f = false.
Proof.
  intros Su En. apply negb_true_iff in Su, En. set (c := setting_for r gamma f).
  set (cold := fun h => is_temporal h && negb (sharp_temperature c)). assert (Cold : some_subformula cold f = false).
  { destruct (some_subformula is_temporal f) eqn:T.
    - apply nowhere. intros h. unfold cold, c. now rewrite (setting_temporal r gamma f T), andb_false_r.
    - assert (E : forall h, is_temporal h = false -> is_temporal h = false -> cold h = false) by (intros h E _;
        unfold cold; now rewrite E). exact (proj1 (nowhere_either _ _ _ E) f T T). }
  refine (proj1 (nowhere_either _ (fun h => negb (supported_itself r k mentions_length h))
    (fun h => negb (enough_for_part gamma h) || cold h) _) f Su _).
  - intros h H1 H2. unfold misfit, part_fits. fold c.
    rewrite (setting_counting r gamma f : counting_temperature c = true), implb_true_r, andb_true_r.
    cbn [set_regime set_gamma c setting_for]. apply orb_false_iff in H2 as [H2 H3]. apply negb_false_iff in H1, H2.
    rewrite H1, H2. cbn [andb]. unfold cold in H3. now destruct (is_temporal h), (sharp_temperature c).
  - exact (proj1 (nowhere_either _ (fun h => negb (enough_for_part gamma h)) cold
      (fun h H1 H2 => proj2 (orb_false_iff _ _) (conj H1 H2))) f En Cold).
Qed.

(* Every length, every word, every position, exactly; however large the numbers in the formula are. *)
Theorem network_computes users r gamma alphabet mentions_length f :
  formula_supported r alphabet mentions_length f = true -> gamma_enough gamma f = true ->
  let T := network_for r gamma alphabet f in
  length (token_embedding T) = alphabet /\ defined T /\ computes users T f.
Proof.
  intros Su En. unfold network_for, draft_of. set (c := setting_for r gamma f).
  destruct (proj1 (add_formula_sound users alphabet c mentions_length (setting_temperature r gamma f)) f (setting_fits r
    gamma alphabet mentions_length f Su En) (empty_draft alphabet) (empty_sound users alphabet)) as (Sd & _ & Kf).
  split; [apply (sound_range users alphabet _ Sd)|]. apply (finish_computes users alphabet _ _ f Sd).
  now apply known_truth.
Qed.

(* What certify's compiler gives. *)
Theorem build_computes users r gamma alphabet mentions_length f T M : build r gamma alphabet mentions_length f = Some
  (T, M) -> gamma_enough gamma f = true -> length (token_embedding T) = alphabet /\ defined T /\ computes users T f.
Proof.
  unfold build. intros H En. destruct (formula_supported _ _ _ f && _ && _) eqn:Su; [|discriminate].
  apply andb_prop in Su as [Su _]. apply andb_prop in Su as [Su _]. injection H as <- _.
  now apply (network_computes users r gamma alphabet mentions_length).
Qed.

(* With the paper's gamma = 3 nothing is left to be asked. *)
Lemma three_is_enough f : gamma_enough 3 f = true.
Proof.
  assert (P : forall h, negb (enough_for_part 3 h) = false).
  { assert (E0 : Qle_bool (1797 # 1000) 3 = true) by reflexivity.
    assert (E1 : sharp_enough (Parity true) 3 = true) by (vm_compute; reflexivity).
    assert (E2 : forall h, sharp_enough (Decides h) 3 = true) by (intros h; vm_compute; reflexivity).
    intros []; cbn [enough_for_part]; unfold predicate_enough, comparison_enough;
      rewrite ?E0, ?E1, ?E2, ?orb_true_r; reflexivity. }
  unfold gamma_enough. now rewrite (nowhere _ f P).
Qed.
