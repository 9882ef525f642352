(* [SHA] Corollaries 17 a b, 18 a b, 22 a b and 23: for every formula a network that computes it exactly.

   Proved: for every formula over k symbols the network `compiled` is defined at every position and computes it. Its
   weights do not depend on the length; it has the temperature and the position embeddings of the statement (and the
   constant 1) and, in causal regimes, future masks only. `supported` says which formulas: LTL (17), its past fragment
   (18), with counts to both sides and any numerical predicates (22), the past fragment with counts to the left (23). *)
From Coq Require Import Reals QArith ZArith List Bool Lia.
From Certify Require Import lists finite_sums formula network expression_bounds well_defined regime compiler
    compiler_blocks compiler_induction
  compiler_start.
Import ListNotations.

Definition position_functions (T : transformer) : list position_function := map snd (position_embedding T).
(* [p] and [p](i-1) for each predicate p. *)
Definition brackets (predicates : list predicate) : list position_function :=
  flat_map (fun p => [Bracket (Positional p) false; Bracket (Positional p) true]) predicates.
Definition all_layers_of (r : regime) (T : transformer) : Prop := Forall (layer_of r) (transformer_layers T).

Lemma predicate_functions k predicates : map snd (predicate_embeddings k predicates) = brackets predicates.
Proof.
  unfold predicate_embeddings, brackets. generalize 0%nat. induction predicates as [|p l IH]; intros a; [reflexivity|].
  cbn [length seq combine flat_map map app fst snd]. now rewrite IH.
Qed.

Lemma start_layers r : Forall (layer_of r) (start r).
Proof. unfold start, layer_of, marker_layer, reciprocal_layer.
destruct (regime_causal r); repeat constructor; auto; congruence. Qed.

Theorem compiled_computes users r counting k predicates f :
  (counting = true -> regime_causal r = true -> regime_by_position r = false) -> supported r counting k predicates f =
      true ->
  let T := compiled r counting k predicates f in
  length (token_embedding T) = k
  /\ position_functions T = map snd (number_embeddings r counting) ++ brackets predicates
  /\ all_layers_of r T /\ computes users T f.
Proof.
  intros Counts Sf. cbv zeta. unfold compiled, all_layers_of, computes.
  assert (Go : forall n w, (forall i, (1 <= i <= n)%nat -> (w i < k)%nat) ->
    achieves n r (fresh k predicates) (run_layers n (start r)
      (embed users (Transformer (symbol_rows k) (number_embeddings r counting ++ predicate_embeddings k predicates) []
        0%nat) n w))
      (compile r k predicates f (fresh k predicates)) (truth users n w f)).
  { intros n w Over. apply (proj1 (compile_achieves users n w r counting k predicates Counts) f Sf).
    apply start_good. intros i Hi. cbn [token_embedding]. unfold symbol_rows. rewrite length_map, length_seq.
    now apply Over. }
  destruct (compile r k predicates f (fresh k predicates)) as [[ls x] D]. cbn [token_embedding transformer_layers
      transformer_output].
  split; [unfold symbol_rows; now rewrite length_map, length_seq|].
  split; [unfold position_functions; cbn [position_embedding]; now rewrite map_app, predicate_functions|].
  split.
  - apply Forall_app. split; [apply start_layers|]. exact
      (proj1 (proj2 (proj2 (Go 0%nat (fun _ => 0%nat) ltac:(lia))))).
  - intros n w Hn Over i Hi. assert (Below : forall j, (1 <= j <= n)%nat -> (w j < k)%nat).
    { intros j Hj. specialize (Over j Hj). cbn [token_embedding] in Over. unfold symbol_rows in Over.
      now rewrite length_map, length_seq in Over. }
    destruct (Go n w Below) as (_ & _ & _ & V). specialize (V i Hi).
    unfold run. cbn [transformer_layers]. rewrite fold_left_app. exact V.
Qed.

(* ---- nothing divides by zero, and temperatures are positive ---- *)
Lemma temperatures_defined r ls : Forall (layer_of r) ls -> forallb (fun l => forallb (fun a =>
  always_has_value 1 (head_temperature a) && surely_positive 1 (head_temperature a)) (layer_heads l)) ls = true.
Proof.
  intros H. apply forallb_forall. intros l Hl. apply forallb_forall. intros a Ha.
  unfold layer_of in H. rewrite Forall_forall in H. specialize (H l Hl). rewrite Forall_forall in H.
  destruct (H a Ha) as [-> _]. now destruct r as [[] []].
Qed.

Lemma numbers_defined r counting : forallb (fun p => match p with
  | Formula x => always_has_value 1 x | Bracket _ _ => true end) (map snd (number_embeddings r counting)) = true.
Proof. now destruct r as [[] []], counting. Qed.

Lemma brackets_defined predicates : forallb (fun p => match p with
  | Formula x => always_has_value 1 x | Bracket _ _ => true end) (brackets predicates) = true.
Proof. unfold brackets. now induction predicates. Qed.

(* Every supported formula is computed by its network, and its network is defined, at every length. *)
Theorem every_formula users r counting k predicates f :
  (counting = true -> regime_causal r = true -> regime_by_position r = false) ->
  supported r counting k predicates f = true ->
  defined (compiled r counting k predicates f) /\ computes users (compiled r counting k predicates f) f.
Proof.
  intros Counts S. destruct (compiled_computes users r counting k predicates f Counts S) as (_ & P & L & V).
  split; [|exact V]. apply well_defined_correct. unfold well_defined, well_defined_from.
  apply andb_true_intro. split; [|exact (temperatures_defined r _ L)].
  apply forallb_forall. intros e He. pose proof (in_map snd _ _ He) as H. fold (position_functions
    (compiled r counting k predicates f)) in H. rewrite P in H.
  pose proof (proj1 (forallb_forall _ _) (numbers_defined r counting)) as Numbers.
  pose proof (proj1 (forallb_forall _ _) (brackets_defined predicates)) as Brackets.
  apply in_app_or in H as [H|H]; [exact (Numbers _ H)|exact (Brackets _ H)].
Qed.

(* The position functions of the statements. *)
Definition constant_one := Formula (Num 1).
Definition alternating_sign := Formula (Power (Neg (Num 1)) IntI).
Definition relative_position := Formula (Div VarI VarN).
Definition times_n (x : expression) := Formula (Mul x VarN).

(* What the corollaries state of a network: an alphabet of k symbols, these position embeddings, the temperature and
   the masks of the regime, nothing undefined, and the formula computed at every position. *)
Definition network_of_regime users (r : regime) (k : nat) (embeddings : list position_function) (f : formula)
  (T : transformer) : Prop :=
  length (token_embedding T) = k /\ position_functions T = embeddings /\ all_layers_of r T
  /\ defined T /\ computes users T f.

Lemma compiled_is_of_regime users r counting k predicates f :
  (counting = true -> regime_causal r = true -> regime_by_position r = false) ->
  supported r counting k predicates f = true ->
  network_of_regime users r k (map snd (number_embeddings r counting) ++ brackets predicates) f
    (compiled r counting k predicates f).
Proof.
  intros Counts S. destruct (compiled_computes users r counting k predicates f Counts S) as (K & P & L & _).
  destruct (every_formula users r counting k predicates f Counts S) as [D V].
  unfold network_of_regime. auto.
Qed.

Section Statements.
Variables (users : nat -> nat -> nat -> bool) (k : nat) (predicates : list predicate) (f : formula).
Let temperature_regime := Regime false false.
Let position_regime := Regime false true.
Let causal_temperature_regime := Regime true false.
Let causal_position_regime := Regime true true.

(* LTL, temperature 1/n. *)
Theorem corollary_17a : supported temperature_regime false k [] f = true ->
  network_of_regime users temperature_regime k [constant_one; alternating_sign; relative_position] f
    (compiled temperature_regime false k [] f).
Proof. intros S. now apply (compiled_is_of_regime users temperature_regime false k [] f). Qed.

(* LTL, temperature 1. *)
Theorem corollary_17b : supported position_regime false k [] f = true ->
  network_of_regime users position_regime k [constant_one; alternating_sign; relative_position; Formula VarN] f
    (compiled position_regime false k [] f).
Proof. intros S. now apply (compiled_is_of_regime users position_regime false k [] f). Qed.

(* The past fragment, future-masked, temperature 1/i^2. *)
Theorem corollary_18a : supported causal_temperature_regime false k [] f = true ->
  network_of_regime users causal_temperature_regime k [constant_one; alternating_sign] f
    (compiled causal_temperature_regime false k [] f).
Proof. intros S. now apply (compiled_is_of_regime users causal_temperature_regime false k [] f). Qed.

(* The past fragment, future-masked, temperature 1. *)
Theorem corollary_18b : supported causal_position_regime false k [] f = true ->
  network_of_regime users causal_position_regime k [constant_one; alternating_sign; Formula square] f
    (compiled causal_position_regime false k [] f).
Proof. intros S. now apply (compiled_is_of_regime users causal_position_regime false k [] f). Qed.

(* LTL with counting, temperature 1/n. *)
Theorem corollary_22a : supported temperature_regime true k predicates f = true ->
  network_of_regime users temperature_regime k
    ([constant_one; alternating_sign; relative_position; Formula VarI; Formula square; Formula VarI]
     ++ brackets predicates) f (compiled temperature_regime true k predicates f).
Proof. intros S. now apply (compiled_is_of_regime users temperature_regime true k predicates f). Qed.

(* LTL with counting, temperature 1. *)
Theorem corollary_22b : supported position_regime true k predicates f = true ->
  network_of_regime users position_regime k
    ([constant_one; alternating_sign; relative_position; Formula VarN; times_n VarI; times_n square; Formula VarI]
     ++ brackets predicates) f (compiled position_regime true k predicates f).
Proof. intros S. now apply (compiled_is_of_regime users position_regime true k predicates f). Qed.

(* The past fragment with counts to the left, future-masked, temperature 1/i^2. *)
Theorem corollary_23 : supported causal_temperature_regime true k predicates f = true ->
  network_of_regime users causal_temperature_regime k
    ([constant_one; alternating_sign; Formula VarI; Formula square; Formula VarI] ++ brackets predicates) f
    (compiled causal_temperature_regime true k predicates f).
Proof. intros S. now apply (compiled_is_of_regime users causal_temperature_regime true k predicates f). Qed.
End Statements.
