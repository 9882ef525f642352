(* A transformer being built: every part goes to the earliest layer that can read what it needs
   (constructions/draft.py).

   Stages count half-layers: the embedding is stage 0, the heads of layer l (from 1) stage 2l - 1, its feed-forward part
   stage 2l. A direction is its place in the list of facts: what it means, the stage from which it does, and a note that
   tells apart directions of one meaning. Nothing else is remembered: what was built once is found again by its fact.
   To be compared with constructions/draft.py: `latest_stage` is Draft._latest, `at_layer` is Draft._layer, `add_head`
   is Draft.add_head, `add_feed_forward` is Draft.add_feed_forward, `add_position` is Draft._embed_position_function and
   Draft.embed_positional, `add_tokens` is Draft.embed_truth, `merged_row` is linear_form. *)
From Coq Require Import QArith ZArith List Bool Arith.
From Certify Require Import formula network meaning.
Import ListNotations.
Open Scope nat_scope.

Record draft_fact := DraftFact { fact_meaning : meaning; fact_stage : nat; fact_note : Z }.
Record draft := Draft {
  draft_facts : list draft_fact;                                            (* by direction, in the order of addition *)
  draft_tokens : list row;
  draft_positions : list (direction * position_function);
  draft_layers : list layer }.

Definition empty_draft (alphabet : nat) : draft := Draft [] (repeat [] alphabet) [] [].
Definition finish_draft (d : draft) (output : direction) : transformer :=
  Transformer (draft_tokens d) (draft_positions d) (draft_layers d) output.
Definition draft_meanings (d : draft) : list meaning := map fact_meaning (draft_facts d).

(* ---- rows ---- *)
Fixpoint add_to_row (x : direction) (q : Q) (r : row) : row :=
  match r with
  | [] => [(x, q)]
  | (y, p) :: r => if Nat.eqb x y then (y, Qred (p + q)) :: r else (y, p) :: add_to_row x q r
  end.
(* Coefficients of one direction add up; those that are 0 are left out. *)
Definition merged_row (r : row) : row :=
  filter (fun e => negb (Qeq_bool (snd e) 0)) (fold_left (fun r e => add_to_row (fst e) (snd e) r) r []).

(* ---- what is there already ---- *)
Fixpoint find_from (test : draft_fact -> bool) (x : direction) (l : list draft_fact) : option direction :=
  match l with [] => None | e :: l => if test e then Some x else find_from test (S x) l end.
Definition find_fact (d : draft) (test : draft_fact -> bool) : option direction := find_from test 0 (draft_facts d).

Definition is_truth_of (f : formula) (e : draft_fact) : bool :=
  match fact_meaning e with IsTruth g => formula_eqb g f | _ => false end.
Definition is_position_of (p : position_function) (e : draft_fact) : bool :=
  match fact_meaning e with IsPosition q => position_function_eqb q p | _ => false end.
Definition is_mean_of (s : side) (f : formula) (e : draft_fact) : bool :=
  match fact_meaning e with IsMean t g => side_eqb t s && formula_eqb g f | _ => false end.
Definition is_product_of (x : expression) (f : formula) (e : draft_fact) : bool :=
  match fact_meaning e with IsProduct y g => expression_eqb y x && formula_eqb g f | _ => false end.

Definition find_truth (d : draft) (f : formula) : option direction := find_fact d (is_truth_of f).

(* What `build` makes, unless there is a direction of such a fact: Draft.once. *)
Definition add_once (d : draft) (test : draft_fact -> bool) (build : draft -> draft * direction) : draft * direction :=
  match find_fact d test with Some x => (d, x) | None => build d end.

(* ---- embeddings ---- *)
Definition new_direction (d : draft) : direction := length (draft_facts d).

Definition add_position (d : draft) (m : meaning) (p : position_function) : draft * direction :=
  (Draft (draft_facts d ++ [DraftFact m 0 0]) (draft_tokens d) (draft_positions d ++ [(new_direction d,
    p)]) (draft_layers d), new_direction d).
(* A direction embedded as an expression, once. *)
Definition embed_position (d : draft) (x : expression) : draft * direction :=
  add_once d (is_position_of (Formula x)) (fun d => add_position d (IsPosition (Formula x)) (Formula x)).
(* A direction embedded as the truth of a positional formula one position to the left, once. *)
Definition embed_before (d : draft) (f : formula) : draft * direction :=
  add_once d (is_position_of (Bracket f true)) (fun d => add_position d (IsPosition (Bracket f true)) (Bracket f true)).
(* A direction embedded as the truth of a positional formula. *)
Definition embed_positional (d : draft) (f : formula) : draft * direction :=
  add_position d (IsTruth f) (Bracket f false).

Fixpoint set_tokens (x : direction) (at_symbol : nat -> bool) (a : nat) (rows : list row) : list row :=
  match rows with
  | [] => []
  | r :: rows => (if at_symbol a then r ++ [(x, 1%Q)] else r) :: set_tokens x at_symbol (S a) rows
  end.
(* A direction that the token embedding sets to 1 at some symbols. *)
Definition add_tokens (d : draft) (m : meaning) (at_symbol : nat -> bool) : draft * direction :=
  (Draft (draft_facts d ++ [DraftFact m 0 0]) (set_tokens (new_direction d) at_symbol 0 (draft_tokens d))
    (draft_positions d) (draft_layers d), new_direction d).

(* ---- layers ---- *)
Definition empty_layer : layer := Layer [] [] [].
Fixpoint at_layer (k : nat) (change : layer -> layer) (ls : list layer) : list layer :=
  match k, ls with
  | O, [] => [change empty_layer]
  | O, l :: ls => change l :: ls
  | S k, [] => empty_layer :: at_layer k change []
  | S k, l :: ls => l :: at_layer k change ls
  end.

Definition stage_of (d : draft) (x : direction) : nat :=
  match nth_error (draft_facts d) x with Some e => fact_stage e | None => 0 end.
Definition latest_stage (d : draft) (rows : list row) : nat :=
  fold_right (fun r s => fold_right (fun e t => Nat.max (stage_of d (fst e)) t) s r) 0 rows.

(* A head with outputs in directions fresh d, fresh d + 1, ... : the row of values, meaning and note of each. *)
Record draft_output := DraftOutput { output_row : row; output_meaning : meaning; output_note : Z }.
Definition values_from (x : direction) (outs : list draft_output) : list (direction * row) :=
  combine (seq x (length outs)) (map output_row outs).
Definition facts_at (stage : nat) (outs : list draft_output) : list draft_fact :=
  map (fun o => DraftFact (output_meaning o) stage (output_note o)) outs.
Definition put_head (a : head) (l : layer) : layer := Layer (layer_heads l ++ [a]) (layer_units l) (layer_bias l).

(* The layer of the head, from 0. *)
Definition head_layer (d : draft) (queries keys : list row) (outs : list draft_output) : nat :=
  (latest_stage d (queries ++ keys ++ map output_row outs) + 1) / 2.
Definition add_head (d : draft) (k : masking) (temperature : expression) (queries keys : list row)
  (outs : list draft_output) : draft :=
  let l := head_layer d queries keys outs in
  Draft (draft_facts d ++ facts_at (2 * l + 1) outs) (draft_tokens d) (draft_positions d)
    (at_layer l (put_head (Head k temperature queries keys (values_from (new_direction d) outs))) (draft_layers d)).

(* Units: what each reads, its bias, and its coefficient in the direction fresh d. *)
Notation draft_unit := (row * Q * Q)%type.
Definition unit_at (x : direction) (u : draft_unit) : relu_unit :=
  let '(reads, b, write) := u in ReluUnit reads b [(x, write)].
Definition put_units (x : direction) (units : list draft_unit) (bias : Q) (l : layer) : layer := Layer (layer_heads l)
  (layer_units l ++ map (unit_at x) units) (layer_bias l ++ if Qeq_bool bias 0 then [] else [(x, bias)]).

Definition feed_forward_layer (d : draft) (units : list draft_unit) : nat :=
  latest_stage d (map (fun u => fst (fst u)) units) / 2.
Definition add_feed_forward (d : draft) (m : meaning) (units : list draft_unit) (bias : Q) : draft * direction :=
  let l := feed_forward_layer d units in
  (Draft (draft_facts d ++ [DraftFact m (2 * l + 2) 0]) (draft_tokens d) (draft_positions d)
     (at_layer l (put_units (new_direction d) units bias) (draft_layers d)), new_direction d).
