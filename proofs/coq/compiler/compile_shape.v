(* What the networks of compile_formula.v are made of: their position embeddings, temperatures and masks.

   Proved: a draft embeds only what its formula calls for; all of its heads have the temperature of the setting and, in
   causal regimes, future masks; there is one row of the token embedding for each symbol. *)
From Coq Require Import QArith ZArith List Bool Lia.
From Certify Require Import formula network comparison meaning regime draft compile_formula compile_counting.
Import ListNotations.

Section Shape.
Variables (c : setting) (k : nat) (allowed : position_function -> bool).
Notation causal := (regime_causal (set_regime c)).
Notation by_position := (regime_by_position (set_regime c)).

Local Definition head_fits (a : head) : Prop :=
  head_temperature a = set_temperature c /\ (causal = true -> head_masking a = FutureMasked).
Definition draft_fits (d : draft) : Prop := length (draft_tokens d) = k /\ Forall (fun e =>
  allowed (snd e) = true) (draft_positions d) /\ Forall (fun l => Forall head_fits (layer_heads l)) (draft_layers d).
(* An operation on drafts that embeds nothing else and has no other heads. *)
Local Definition keeps {X} (add : draft -> draft * X) : Prop := forall d, draft_fits d -> draft_fits (fst (add d)).

(* ---- operations on drafts ---- *)
Lemma keeps_bind {X Y} (add : draft -> draft * X) (next : X -> draft -> draft * Y) :
  keeps add -> (forall x, keeps (next x)) -> keeps (fun d => let '(d, x) := add d in next x d).
Proof. intros A N d H. specialize (A d H). destruct (add d) as [d' x]. now apply N. Qed.

Lemma keeps_return {X} (x : draft -> X) : keeps (fun d => (d, x d)). Proof. now intros d H. Qed.
Lemma keeps_once (test : draft_fact -> bool) build : keeps build -> keeps (fun d => add_once d test build).
Proof. intros B d H. unfold add_once. destruct (find_fact d test); [exact H|now apply B]. Qed.

Lemma keeps_position m p : allowed p = true -> keeps (fun d => add_position d m p).
Proof.
  intros A d (T & P & L). split; [exact T|]. split; [|exact L]. apply Forall_app. split; [exact P|]. now constructor.
Qed.

Lemma keeps_embed_position x : allowed (Formula x) = true -> keeps (fun d => embed_position d x).
Proof. intros A. apply keeps_once, keeps_position, A. Qed.

Lemma keeps_tokens m at_symbol : keeps (fun d => add_tokens d m at_symbol).
Proof.
  intros d (T & P & L). split; [|now split]. cbn [fst add_tokens draft_tokens]. rewrite <- T. clear. generalize 0%nat.
  induction (draft_tokens d) as [|r rows IH]; intros a; [reflexivity|]. cbn [set_tokens length]. now rewrite IH.
Qed.

Lemma at_layer_fits l change ls : (forall m, Forall head_fits (layer_heads m) -> Forall head_fits (layer_heads (change
  m))) -> Forall (fun l => Forall head_fits (layer_heads l)) ls -> Forall (fun l =>
  Forall head_fits (layer_heads l)) (at_layer l change ls).
Proof.
  intros C. revert ls. induction l as [|l IH]; intros ls H; destruct ls as [|m ls]; cbn [at_layer].
  - repeat constructor. apply C. constructor.
  - inversion_clear H. constructor; auto.
  - constructor; [constructor|]. apply IH. constructor.
  - inversion_clear H. constructor; auto.
Qed.

Lemma keeps_feed_forward m units bias : keeps (fun d => add_feed_forward d m units bias).
Proof. intros d (T & P & L). split; [exact T|]. split; [exact P|]. now apply at_layer_fits. Qed.

Lemma head_made msk queries keys outs d : (causal = true -> msk = FutureMasked) -> draft_fits d ->
  draft_fits (add_head d msk (set_temperature c) queries keys outs).
Proof.
  intros M (T & P & L). split; [exact T|]. split; [exact P|]. apply at_layer_fits; [|exact L]. intros m H.
  unfold put_head. cbn [layer_heads]. apply Forall_app. split; [exact H|]. constructor; [now split|constructor].
Qed.

Lemma keeps_one_head msk queries keys value m : (causal = true -> msk = FutureMasked) ->
  keeps (fun d => add_one_head c d msk queries keys value m).
Proof. intros M d H. now apply head_made. Qed.

(* ---- what each construction embeds ---- *)
Local Definition sees (s : side) : Prop := causal = true -> s = ToLeft.
Lemma mask_of_sees s : sees s -> causal = true -> mask_of s = FutureMasked. Proof. intros H C. now rewrite (H C). Qed.

Definition reciprocal_allowed (s : side) : bool :=
  allowed (Formula (if reciprocal_embedded c then reciprocal_expression s else sign_of_position)).
Definition tie_allowed : bool := (if causal then reciprocal_allowed ToLeft else allowed (Formula share_of_position)) &&
  allowed (Formula (if by_position then if causal then square_of_i else VarN else Num 1)).
Definition parity_allowed : bool := allowed (Formula sign_of_position) && allowed (Bracket (Positional EVEN) false) &&
  allowed (Bracket (Positional ODD) false).
Definition lookup_allowed (s : side) : bool :=
  reciprocal_allowed s && allowed (Formula (growing_weight c VarI)) && allowed (Formula (growing_weight c square_of_i)).
Fixpoint sides_of (t : term) : list side := match t with Number _ => [] | Plus _ s _ rest => s :: sides_of rest end.
Definition part_allowed (f : formula) : bool :=
  match f with
  | Previous _ | Next _ => parity_allowed && tie_allowed
  | Since _ _ | Until _ _ => tie_allowed
  | Positional p => allowed (Bracket (Positional p) false)
  | OnCount p s _ => allowed (Bracket (Positional p) false) && allowed (Bracket (Positional p) true) && lookup_allowed s
  | Compare _ t u => if is_constant_comparison t u then allowed (Bracket f false)
      else allowed (Formula VarI) && allowed (Formula (Num 1)) && forallb lookup_allowed (sides_of t ++ sides_of u)
  | _ => true
  end.

Lemma keeps_require_truth f : (is_symbolic f = true \/
  match f with Positional _ | Compare _ _ _ => allowed (Bracket f false) = true | _ => True end) ->
  keeps (fun d => require_truth d f).
Proof.
  intros A. apply keeps_once. intros d H. destruct (is_symbolic f) eqn:S; [now apply keeps_tokens|].
  destruct A as [A|A]; [discriminate|].
  destruct f; cbn [connective_units]; repeat match goal with | |- context [if ?b then _ else _] => destruct b |
    |- draft_fits (fst (embed_positional _ _)) => now apply keeps_position | |- draft_fits (fst (add_feed_forward _ _ _
    _)) => now apply keeps_feed_forward end.
Qed.

Lemma keeps_uniform_head s value m : sees s -> keeps (fun d => add_uniform_head c d s value m).
Proof. intros S. apply keeps_one_head. now apply mask_of_sees. Qed.

Lemma keeps_edge_marker s : sees s -> allowed (Formula sign_of_position) = true -> keeps (edge_marker c s).
Proof.
  intros S A. apply keeps_once. apply keeps_bind; [now apply keeps_embed_position|]. intros x.
  apply (keeps_bind (fun d => add_uniform_head c d s _ _)); [now apply keeps_uniform_head|]. intros y. apply
    keeps_feed_forward.
Qed.

Lemma keeps_reciprocal s : sees s -> reciprocal_allowed s = true -> keeps (add_reciprocal c s).
Proof.
  intros S A. apply keeps_once. unfold reciprocal_allowed in A. destruct (reciprocal_embedded c);
    [now apply keeps_position|]. apply keeps_bind; [now apply keeps_edge_marker|]. intros x. now apply
      keeps_uniform_head.
Qed.

Lemma keeps_tie_broken_head s score value m : sees s -> tie_allowed = true ->
  keeps (fun d => tie_broken_head c s d score value m).
Proof.
  intros S A d H. apply andb_prop in A as [A1 A2]. unfold tie_broken_head.
  assert (T : draft_fits (fst (fst (tie_breaking c s d)))).
  { unfold tie_breaking. destruct causal.
    - assert (R : keeps (add_reciprocal c ToLeft)) by (apply keeps_reciprocal; [now intros _|exact A1]).
      specialize (R d H). now destruct (add_reciprocal c ToLeft d).
    - pose proof (keeps_embed_position _ A1 d H) as R. now destruct (embed_position d share_of_position). }
  destruct (tie_breaking c s d) as [[d1 tie] factor]. cbn [fst] in T. assert (R : keeps (add_scale c)).
  { unfold add_scale. destruct by_position; [|now apply keeps_embed_position].
    destruct causal; now apply keeps_embed_position. }
  specialize (R d1 T). destruct (add_scale c d1) as [d2 x]. apply keeps_one_head; [|exact R]. now apply mask_of_sees.
Qed.

Lemma keeps_gated_units s near e : sees s -> parity_allowed = true -> keeps (gated_units c s near e).
Proof.
  intros S A. apply andb_prop in A as [A A3]. apply andb_prop in A as [A1 A2].
  apply (keeps_bind (fun d => require_truth d _)).
  - apply keeps_require_truth. right. now destruct e.
  - intros x. apply keeps_bind; [now apply keeps_edge_marker|]. intros y. apply keeps_return.
Qed.

Lemma keeps_neighbour s f : sees s -> parity_allowed && tie_allowed = true -> keeps (add_neighbour c s f).
Proof.
  intros S A. apply andb_prop in A as [A T]. pose proof A as A'. apply andb_prop in A' as [A' _].
  apply andb_prop in A' as [A1 _]. assert (Head : forall e, keeps (parity_head c s f e)).
  { intros e d H. unfold parity_head. pose proof (keeps_embed_position _ A1 d H) as E.
    destruct (embed_position d sign_of_position) as [d1 x]. now apply keeps_tie_broken_head. }
  unfold add_neighbour. apply keeps_bind; [apply Head|]. intros x. apply keeps_bind; [apply Head|]. intros y.
  apply keeps_bind; [now apply keeps_gated_units|]. intros u. apply keeps_bind; [now apply keeps_gated_units|].
  intros u'. apply keeps_feed_forward.
Qed.

Lemma keeps_since_or_until s f g : sees s -> tie_allowed = true -> keeps (add_since_or_until c s f g).
Proof.
  intros S A. unfold add_since_or_until. apply (keeps_bind (fun d => require_truth d _)); [apply keeps_require_truth;
    auto|].
  intros x. apply (keeps_bind (fun d => require_truth d _)); [apply keeps_require_truth; auto|].
  intros y. apply (keeps_bind (fun d => tie_broken_head c s d _ _ _)); [now apply keeps_tie_broken_head|].
  intros z. apply keeps_feed_forward.
Qed.

(* ---- counts ---- *)
Lemma keeps_mean s f : sees s -> keeps (add_mean c s f).
Proof. intros S. apply keeps_once. intros d H. now apply keeps_uniform_head. Qed.

Lemma keeps_here s f : sees s -> reciprocal_allowed s = true -> keeps (add_here c s f).
Proof.
  intros S A. unfold add_here. apply keeps_bind; [now apply keeps_reciprocal|]. intros x. apply keeps_once.
  intros d H. now apply keeps_feed_forward.
Qed.

Lemma lookup_made s f weight d outs : sees s -> lookup_allowed s = true -> draft_fits d -> draft_fits (lookup_head c s f
  weight d outs).
Proof.
  intros S A H. apply andb_prop in A as [A A3]. apply andb_prop in A as [A1 A2]. unfold lookup_head.
  pose proof (keeps_mean s f S d H) as H1. destruct (add_mean c s f d) as [d1 x1].
  pose proof (keeps_here s f S A1 d1 H1) as H2. destruct (add_here c s f d1) as [d2 x2].
  pose proof (keeps_embed_position _ A2 d2 H2) as H3. cbv beta in H3. destruct (embed_position d2 _) as [d3 x3].
  pose proof (keeps_embed_position _ A3 d3 H3) as H4. cbv beta in H4. destruct (embed_position d3 _) as [d4 x4].
  pose proof (keeps_reciprocal s S A1 d4 H4) as H5. destruct (add_reciprocal c s d4) as [d5 x5].
  apply head_made; [|exact H5]. intros C. now rewrite (S C).
Qed.

Definition numbers_allowed : bool := allowed (Formula VarI) && allowed (Formula (Num 1)).
Lemma keeps_others s f weight : sees s -> lookup_allowed s = true -> numbers_allowed = true ->
  keeps (add_others c s f weight).
Proof.
  intros S A N. apply andb_prop in N as [N1 N2]. apply keeps_once. apply keeps_bind; [now apply keeps_embed_position|].
  intros x. apply keeps_bind; [now apply keeps_embed_position|]. intros y d H. cbv zeta. cbn [fst]. now apply
    lookup_made.
Qed.

Lemma keeps_all_others weight : numbers_allowed = true -> forall l : list (count_atom * Q),
  (forall e, In e l -> sees (fst (fst e)) /\ lookup_allowed (fst (fst e)) = true) -> keeps (add_all_others c weight l).
Proof.
  intros N. induction l as [|[[s f] q] l IH]; intros A; [apply keeps_return|]. intros d H. cbn [add_all_others].
  destruct (A _ (or_introl eq_refl)) as [S L]. pose proof (keeps_others s f weight S L N d H) as H1.
  destruct (add_others c s f weight d) as [d1 x]. specialize (IH (fun e He => A e (or_intror He)) d1 H1).
  now destruct (add_all_others c weight l d1).
Qed.

Lemma keeps_slack t u h r : keeps (add_slack t u h r). Proof. apply keeps_once. apply keeps_feed_forward. Qed.

Lemma keeps_bounds r t u h : keeps (add_bounds r t u h).
Proof.
  destruct r; cbn [add_bounds]; (apply keeps_bind; [apply keeps_slack|]); intros x; try apply keeps_return;
    (apply keeps_bind; [apply keeps_slack|]); intros y; apply keeps_return.
Qed.

Lemma keeps_comparison r t u : numbers_allowed = true -> (forall e, In e (ordered_difference t u) ->
  sees (fst (fst e)) /\ lookup_allowed (fst (fst e)) = true) -> keeps (add_comparison c r t u).
Proof.
  intros N A. unfold add_comparison. apply keeps_bind; [now apply keeps_all_others|]. intros h.
  apply keeps_bind; [apply keeps_bounds|]. intros x. destruct (is_negated r); apply keeps_feed_forward.
Qed.

Lemma keeps_predicate p s f : sees s -> allowed (Bracket (Positional p) false) = true ->
  allowed (Bracket (Positional p) true) = true -> lookup_allowed s = true -> keeps (add_predicate c p s f).
Proof.
  intros S A1 A2 L. unfold add_predicate.
  apply (keeps_bind (fun d => position_truth d p)); [apply keeps_once; now apply keeps_position|]. intros x.
  apply (keeps_bind (fun d => embed_before d (Positional p))); [apply keeps_once; now apply keeps_position|].
  intros y d H. cbv zeta. set (d1 := lookup_head _ _ _ _ _ _). assert (H1 : draft_fits d1) by now apply lookup_made.
  assert (R : keeps (fun d => require_truth d (Not f))) by (apply keeps_require_truth; auto). specialize (R d1 H1).
  cbv beta in R. destruct (require_truth d1 (Not f)) as [d2 z]. now apply keeps_feed_forward.
Qed.

(* ---- the induction ---- *)
Variable mentions_length : nat -> bool.
(* Which parts of a formula may not be compiled here, or call for what is not allowed. *)
Definition misshapen (f : formula) : bool :=
  negb (supported_itself (set_regime c) k mentions_length f && part_allowed f).

Lemma side_supported_sees s : side_supported (set_regime c) s = true -> sees s.
Proof. destruct s; intros H C; [reflexivity|]. simpl in H. rewrite C in H. discriminate. Qed.

Lemma sides_supported_sees t : sides_supported (set_regime c) t = true -> forall s, In s (sides_of t) -> sees s.
Proof.
  induction t as [z|a s f rest IH]; intros H s' I; [destruct I|]. apply andb_prop in H as [H1 H2].
  destruct I as [<-|I]; [now apply side_supported_sees|now apply IH].
Qed.

Lemma counts_sides t e : In e (map fst (counts_of t)) -> In (fst e) (sides_of t).
Proof. induction t as [z|a s f rest IH]; [intros []|]. intros [<-|H]; [now left|right; now apply IH]. Qed.

Lemma comparison_sides t u : sides_supported (set_regime c) t && sides_supported (set_regime c) u = true ->
  forallb lookup_allowed (sides_of t ++ sides_of u) = true ->
  forall e, In e (ordered_difference t u) -> sees (fst (fst e)) /\ lookup_allowed (fst (fst e)) = true.
Proof.
  intros S A e He. apply andb_prop in S as [St Su].
  assert (I : In (fst (fst e)) (sides_of t) \/ In (fst (fst e)) (sides_of u))
    by (destruct (ordered_difference_counts t u e He) as [I|I]; [left|right]; now apply counts_sides).
  split; [destruct I as [I|I]; [now apply (sides_supported_sees t)|now apply (sides_supported_sees u)]|].
  rewrite forallb_forall in A. apply A, in_app_iff, I.
Qed.

Lemma made_known f d : draft_fits d -> (find_truth d f = None -> draft_fits (add_formula c f d)) ->
  draft_fits (add_formula c f d).
Proof. intros H N. destruct (find_truth d f) eqn:E; [|now apply N]. now destruct f; cbn [add_formula]; rewrite E. Qed.

Ltac part H := apply negb_false_iff, andb_prop in H; let S := fresh "S" in let A := fresh "A" in destruct H as [S A];
  cbn [supported_itself part_allowed] in S, A.

Theorem add_formula_made :
  (forall f, some_subformula misshapen f = false -> forall d, draft_fits d -> draft_fits (add_formula c f d)) /\
  (forall t, somewhere_in_term misshapen t = false -> forall d, draft_fits d -> draft_fits (add_counted c t d)).
Proof.
  apply formula_term_mutual; intros; cbn [some_subformula somewhere_in_term] in *; rewrite ?orb_false_iff in *;
    repeat match goal with X : _ /\ _ |- _ => destruct X end; try match goal with X : misshapen _ = false |- _ =>
    part X end; try (apply made_known; [assumption|]; intros N; cbn [add_formula]; rewrite N).
  - apply keeps_require_truth; auto.
  - apply keeps_require_truth; auto.
  - apply keeps_require_truth; auto.
  - apply keeps_require_truth; auto.
  - apply keeps_require_truth; auto.
  - apply keeps_require_truth; auto.
  - apply keeps_require_truth; auto.
  - apply keeps_neighbour; [now intros _|exact A|auto].
  - apply keeps_neighbour; [|exact A|auto]. intros C. rewrite C in S. discriminate.
  - apply keeps_since_or_until; [now intros _|exact A|auto].
  - apply keeps_since_or_until; [|exact A|auto]. intros C. rewrite C in S. discriminate.
  - apply keeps_require_truth; auto.
  - apply andb_prop in A as [A L]. apply andb_prop in A as [A1 A2]. apply andb_prop in S as [S _].
    apply andb_prop in S as [_ S]. apply keeps_predicate; auto. now apply side_supported_sees.
  - discriminate S.
  - assert (D : draft_fits (add_counted c u (add_counted c t d))) by auto. destruct (is_constant_comparison t u) eqn:C.
    + apply keeps_require_truth; auto.
    + apply andb_prop in A as [A L]. apply andb_prop in S as [S _]. apply keeps_comparison; auto.
      now apply comparison_sides.
  - assumption.
  - change (add_counted c (Plus a s f rest) d) with (add_counted c rest (add_formula c f d)). auto.
Qed.
End Shape.
