(* Every formula that the regime supports is compiled rightly: `build_computes`.

   `build` is certify's own compiler (compile_formula.v). Proved: if it gives a network, and gamma is enough for every
   operator of the formula (ln 2 for `prev` and `next`, ln 4 for `since` and `until`, 1.797 for counts; the paper: 3), the
   network divides by nothing that is 0 and computes the formula, for every length, every word and every position. By
   induction on the formula, from the constructions one by one; where a part is put, what it shares with others and what
   was built already does not matter to any of them. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia Arith.
From Certify Require Import formula network linear_combination comparison meaning rational_bounds well_defined check_head
  regime draft draft_stages draft_sound compile_formula compile_connectives compile_temporal.
Import ListNotations.
Open Scope R_scope.

(* ---- gamma ---- *)
Definition enough_for_part (gamma : Q) (f : formula) : bool :=
  match f with
  | Previous _ | Next _ => enough (Parity true) gamma
  | Since _ _ | Until _ _ => enough (Decides f) gamma
  | OnCount _ _ _ => Qle_bool (1797 # 1000) gamma
  | Compare _ t u => is_constant_comparison t u || Qle_bool (1797 # 1000) gamma
  | _ => true
  end.
Definition gamma_enough (gamma : Q) (f : formula) : bool :=
  negb (somewhere (fun h => negb (enough_for_part gamma h)) f).

(* ---- what one setting must be for a formula ---- *)
Section Fits.
Variables (c : setting) (k : nat) (mentions_length : nat -> bool).

Definition sharp_temperature : bool := expression_eqb (set_temperature c) (temperature_of (set_regime c)).
Definition counting_temperature : bool :=
  sharp_temperature || (regime_causal (set_regime c) && expression_eqb (set_temperature c) (Div (Num 1) VarI)).
Definition part_fits (f : formula) : bool :=
  supported_itself (set_regime c) k mentions_length f && enough_for_part (set_gamma c) f &&
  implb (is_temporal f) sharp_temperature && implb (is_counting f) counting_temperature.
Definition misfit (f : formula) : bool := negb (part_fits f).
End Fits.

Lemma somewhere_split (r p q : formula -> bool) : (forall h, r h = true -> p h = true \/ q h = true) ->
  (forall f, somewhere r f = true -> somewhere p f = true \/ somewhere q f = true) /\
  (forall t, somewhere_in_term r t = true -> somewhere_in_term p t = true \/ somewhere_in_term q t = true).
Proof.
  intros H. apply formula_term_mutual; intros; cbn [somewhere somewhere_in_term] in *; rewrite ?orb_true_iff in *;
    repeat match goal with
    | X : _ \/ _ |- _ => destruct X
    | X : r ?h = true |- _ => apply H in X
    | IH : ?a = true -> _, X : ?a = true |- _ => specialize (IH X)
    end; try discriminate; tauto.
Qed.

Section Induction.
Variables (users : nat -> nat -> nat -> bool) (k : nat) (c : setting) (mentions_length : nat -> bool).
Notation sound := (sound users k).
Notation reaches d d' x m := (sound d' /\ extends d d' /\ holds d' x m).
Notation causal := (regime_causal (set_regime c)).
Notation g := (Q2R (set_gamma c)).
Notation fits := (part_fits c k mentions_length).
Notation misfit := (misfit c k mentions_length).
Hypothesis Temperature : always_has_value (set_temperature c) && is_positive (set_temperature c) = true.

Hypothesis Comparison : forall r t u d d' x, add_comparison c r t u d = (d', x) -> sound d ->
  (forall s f, In (s, f) (map fst (counts_of t)) \/ In (s, f) (map fst (counts_of u)) -> known d f) ->
  is_constant_comparison t u = false -> fits (Compare r t u) = true -> reaches d d' x (IsTruth (Compare r t u)).
Hypothesis Predicate : forall p s f d d' x, add_predicate c p s f d = (d', x) -> sound d -> known d f ->
  fits (OnCount p s f) = true -> reaches d d' x (IsTruth (OnCount p s f)).

Lemma fits_parts f : fits f = true -> supported_itself (set_regime c) k mentions_length f = true /\
  enough_for_part (set_gamma c) f = true /\ (is_temporal f = true -> set_temperature c = temperature_of (set_regime c)).
Proof.
  intros H. apply andb_prop in H as [H _]. apply andb_prop in H as [H T]. apply andb_prop in H as [S E].
  split; [exact S|]. split; [exact E|]. intros I. rewrite I in T. now apply expression_eqb_eq.
Qed.

Lemma left_if_causal (s : side) : negb causal = true \/ s = ToLeft -> causal = true -> s = ToLeft.
Proof. intros [H| ->] C; [rewrite C in H; discriminate|reflexivity]. Qed.

Lemma neighbour_step s f d : sound d -> known d f -> fits (neighbour s f) = true ->
  sound (fst (add_neighbour c s f d)) /\ extends d (fst (add_neighbour c s f d)) /\
  known (fst (add_neighbour c s f d)) (neighbour s f).
Proof.
  intros Sd Kf F. destruct (fits_parts _ F) as (Su & En & Sh).
  assert (G : enough (Parity true) (set_gamma c) = true) by (destruct s; exact En).
  apply enough_for_parity in G as [Pos Quarter].
  destruct (add_neighbour c s f d) as [d' x] eqn:E.
  destruct (add_neighbour_sound users k c Temperature (Sh ltac:(now destruct s)) Pos s f d d' x E Sd Kf) as (S' & X' & H').
  - apply left_if_causal. destruct s; [now right|left; exact Su].
  - exact Quarter.
  - split; [exact S'|]. split; [exact X'|now exists x].
Qed.

Lemma since_or_until_step s f f' d : sound d -> known d f -> known d f' -> fits (since_or_until s f f') = true ->
  sound (fst (add_since_or_until c s f f' d)) /\ extends d (fst (add_since_or_until c s f f' d)) /\
  known (fst (add_since_or_until c s f f' d)) (since_or_until s f f').
Proof.
  intros Sd Kf Kf' F. destruct (fits_parts _ F) as (Su & En & Sh).
  assert (G : enough (Decides f) (set_gamma c) = true) by (destruct s; exact En).
  apply enough_to_decide in G as [Pos Quarter].
  destruct (add_since_or_until c s f f' d) as [d' x] eqn:E.
  destruct (add_since_or_until_sound users k c Temperature (Sh ltac:(now destruct s)) Pos s f f' d d' x E Sd Kf Kf')
    as (S' & X' & H').
  - apply left_if_causal. destruct s; [now right|left; exact Su].
  - exact Quarter.
  - split; [exact S'|]. split; [exact X'|now exists x].
Qed.

Lemma require_step d f : sound d -> embeddable f = true \/ operands_known d f ->
  sound (fst (require_truth d f)) /\ extends d (fst (require_truth d f)) /\ known (fst (require_truth d f)) f.
Proof.
  intros Sd H. destruct (require_truth d f) as [d' x] eqn:E.
  destruct (require_truth_sound users k d f d' x E Sd (or_intror H)) as (S' & X' & H'). cbn [fst].
  split; [exact S'|]. split; [exact X'|now exists x].
Qed.

Definition achieved (f : formula) (d : draft) : Prop :=
  sound (add_formula c f d) /\ extends d (add_formula c f d) /\ known (add_formula c f d) f.
Definition counted_achieved (t : term) (d : draft) : Prop :=
  sound (add_counted c t d) /\ extends d (add_counted c t d) /\
  forall s f, In (s, f) (map fst (counts_of t)) -> known (add_counted c t d) f.

Lemma known_already f d : sound d -> (find_truth d f = None -> achieved f d) -> achieved f d.
Proof.
  intros Sd H. destruct (find_truth d f) as [x|] eqn:E; [|now apply H].
  assert (A : add_formula c f d = d) by (destruct f; cbn [add_formula]; rewrite E; reflexivity).
  unfold achieved. rewrite A. split; [exact Sd|]. split; [apply extends_refl|]. exists x. now apply find_truth_correct.
Qed.

Ltac unfolded N := cbn [add_formula]; rewrite N; reflexivity.

(* One operand, then what is made of it. *)
Lemma unary_step f f' d (make : draft -> draft) : sound d -> achieved f' d ->
  add_formula c f d = make (add_formula c f' d) ->
  (forall e, sound e -> known e f' -> sound (make e) /\ extends e (make e) /\ known (make e) f) -> achieved f d.
Proof.
  intros Sd (S1 & X1 & K1) E M. destruct (M _ S1 K1) as (S2 & X2 & K2). unfold achieved. rewrite E.
  split; [exact S2|]. split; [exact (extends_trans _ _ _ X1 X2)|exact K2].
Qed.

Lemma binary_step f f' f'' d (make : draft -> draft) : sound d -> achieved f' d ->
  (forall e, sound e -> achieved f'' e) -> add_formula c f d = make (add_formula c f'' (add_formula c f' d)) ->
  (forall e, sound e -> known e f' -> known e f'' -> sound (make e) /\ extends e (make e) /\ known (make e) f) ->
  achieved f d.
Proof.
  intros Sd (S1 & X1 & K1) A2 E M. destruct (A2 _ S1) as (S2 & X2 & K2).
  destruct (M _ S2 (known_extends _ _ _ X2 K1) K2) as (S3 & X3 & K3). unfold achieved. rewrite E.
  split; [exact S3|]. split; [|exact K3]. exact (extends_trans _ _ _ X1 (extends_trans _ _ _ X2 X3)).
Qed.

Lemma comparison_step r t u d : sound d -> counted_achieved t d -> (forall e, sound e -> counted_achieved u e) ->
  fits (Compare r t u) = true -> find_truth d (Compare r t u) = None -> achieved (Compare r t u) d.
Proof.
  intros Sd (S1 & X1 & K1) A2 F N. destruct (A2 _ S1) as (S2 & X2 & K2). unfold achieved.
  replace (add_formula c (Compare r t u) d) with (let e := add_counted c u (add_counted c t d) in
    if is_constant_comparison t u then fst (require_truth e (Compare r t u)) else fst (add_comparison c r t u e))
    by unfolded N.
  cbv zeta. set (e := add_counted c u (add_counted c t d)) in *. pose proof (extends_trans _ _ _ X1 X2) as X.
  destruct (is_constant_comparison t u) eqn:C.
  - destruct (require_step e (Compare r t u) S2) as (S3 & X3 & K3);
      [left; unfold embeddable; cbn; exact C|].
    split; [exact S3|]. split; [exact (extends_trans _ _ _ X X3)|exact K3].
  - destruct (add_comparison c r t u e) as [d' x] eqn:E.
    destruct (Comparison _ _ _ _ _ _ E S2) as (S3 & X3 & H3); [|exact C|exact F|].
    + intros s f [I|I]; [apply (known_extends _ _ _ X2)|]; eauto.
    + split; [exact S3|]. split; [exact (extends_trans _ _ _ X X3)|now exists x].
Qed.

Ltac connective_case f left_ right_ N := apply (binary_step f left_ right_ _ (fun e => fst (require_truth e f))); auto; [unfolded N|];
  intros e Se K1 K2; apply require_step; [exact Se|right; now split].

Lemma leaf_step f d : sound d -> embeddable f = true -> find_truth d f = None ->
  add_formula c f d = fst (require_truth d f) -> achieved f d.
Proof. intros Sd Em N E. unfold achieved. rewrite E. apply require_step; [exact Sd|now left]. Qed.

Theorem add_formula_sound :
  (forall f, somewhere misfit f = false -> forall d, sound d -> achieved f d) /\
  (forall t, somewhere_in_term misfit t = false -> forall d, sound d -> counted_achieved t d).
Proof.
  apply formula_term_mutual; intros; cbn [somewhere somewhere_in_term] in *; rewrite ?orb_false_iff in *;
    repeat match goal with X : _ /\ _ |- _ => destruct X end;
    try match goal with X : misfit _ = false |- _ => apply negb_false_iff in X end;
    try (apply known_already; [assumption|]; intros N).
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
  - apply comparison_step; auto.
  - split; [assumption|]. split; [apply extends_refl|intros s f []].
  - destruct (H ltac:(assumption) d ltac:(assumption)) as (S1 & X1 & K1).
    destruct (H0 ltac:(assumption) _ S1) as (S2 & X2 & K2). unfold counted_achieved.
    change (add_counted c (Plus a s f rest) d) with (add_counted c rest (add_formula c f d)).
    split; [exact S2|]. split; [exact (extends_trans _ _ _ X1 X2)|]. intros s' f' [I|I]; [|now apply (K2 s')].
    injection I as <- <-. now apply (known_extends _ _ _ X2).
Qed.
End Induction.
