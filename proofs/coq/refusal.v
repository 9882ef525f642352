(* Where `check` says no: the first stage that it does not accept, and the directions that it does not accept there.

   Nothing is proved of this and nothing rests on it: it helps a person to find what is wrong. *)
From Coq Require Import QArith List Bool.
From Certify Require Import formula network meaning well_defined check check_graph.
Import ListNotations.

Inductive refusal :=
| Undefined                                         (* something may have no value, or a temperature not be positive *)
| InEmbedding (ds : list direction)
| InHeads (layer_number : nat) (ds : list direction)
| InFeedforward (layer_number : nat) (ds : list direction)
| InOutput                                          (* the output does not mean the truth of the formula *)
| Nowhere.

(* The directions that hold what M states no longer, after a stage that leads from A to B. *)
Definition lost (M A B : list meaning) : list direction :=
  filter (fun d => negb (is_anything (nth d M IsAnything)) && negb (is_anything (nth d A IsAnything))
                   && is_anything (nth d B IsAnything)) (seq 0 (length M)).

Fixpoint refusal_in_layers (views : list view) (L : lengths) (M : list meaning) (ls : list layer) (number : nat) (A :
    list meaning) :
  refusal :=
  match ls with
  | [] => InOutput
  | l :: ls =>
    let B := for_directions M (heads_stage views L A M l) in
    let C := for_directions M (feedforward_stage views B M l) in
    match lost M A B, lost M B C with
    | [], [] => refusal_in_layers views L M ls (S number) C
    | [], ds => InFeedforward number ds
    | ds, _ => InHeads number ds
    end
  end.

Definition refusal_through (views : list view) (L : lengths) (T : transformer) (M : list meaning) (f : formula) :
    refusal :=
  if check_through views L T M f then Nowhere
  else if negb (well_defined_from (least_length L) T) then Undefined
  else let A := for_directions M (embedding_stage T M) in
       match lost M M A with
       | [] => refusal_in_layers views L M (transformer_layers T) 1 A
       | ds => InEmbedding ds
       end.
Definition find_refusal_for : lengths -> transformer -> list meaning -> formula -> refusal :=
  refusal_through as_it_stands.
Definition find_refusal : transformer -> list meaning -> formula -> refusal := find_refusal_for every_length.

(* The same with names for formulas (check_graph.v), the k-th of which is `User (base + k)`. *)
Definition find_refusal_in_graph (base : nat) (definitions : list formula) : lengths -> transformer -> list meaning ->
  formula -> refusal := refusal_through (both_views base definitions).
