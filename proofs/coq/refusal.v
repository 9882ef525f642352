(* Where `check` says no: the first stage that it does not accept, and the directions that it does not accept there.

   Nothing is proved of this and nothing rests on it: it helps a person to find what is wrong. *)
From Coq Require Import QArith List Bool.
From Certify Require Import formula network meaning well_defined check.
Import ListNotations.

Inductive refusal :=
| Undefined                                         (* something may have no value, or a temperature not be positive *)
| InEmbedding (ds : list direction)
| InHeads (layer_number : nat) (ds : list direction)
| InFeedforward (layer_number : nat) (ds : list direction)
| InOutput                                          (* the output does not mean the truth of the formula *)
| Nowhere.

Definition refused (M : list meaning) (stage : direction -> option meaning) : list direction :=
  filter (fun d => match stage d with None => true | Some _ => false end) (seq 0 (length M)).

Fixpoint refusal_in_layers (M : list meaning) (ls : list layer) (number : nat) (A : list meaning) : refusal :=
  match ls with
  | [] => InOutput
  | l :: ls =>
    match for_directions M (heads_stage A M l) with
    | None => InHeads number (refused M (heads_stage A M l))
    | Some B =>
      match for_directions M (feedforward_stage B M l) with
      | None => InFeedforward number (refused M (feedforward_stage B M l))
      | Some C => refusal_in_layers M ls (S number) C
      end
    end
  end.

Definition find_refusal (T : transformer) (M : list meaning) (f : formula) : refusal :=
  if check T M f then Nowhere
  else if negb (well_defined T) then Undefined
  else match for_directions M (embedding_stage T M) with
       | None => InEmbedding (refused M (embedding_stage T M))
       | Some A => refusal_in_layers M (transformer_layers T) 1 A
       end.
