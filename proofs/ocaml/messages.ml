(* Letters, and the location of a refusal of the checker, in words. *)

open Outcome
module C = Checker

let int_of_nat = Integers.int_of_nat
let most_named = 20

(* As in formulas, Q_a or Q['(']: a letter with commas or braces does not look like several letters. *)
let letter name =
  let shown = Texts.of_coq (C.symbol_writer name C.EmptyString) in
  let rest = String.sub shown 2 (String.length shown - 2) in
  if shown.[1] = '_' then rest else String.sub rest 0 (String.length rest - 1)

(* The definitions of the user's predicates, of which formulas have the names only. *)
let definitions model =
  match map (fun definition -> Texts.of_coq (C.definition_text definition)) model.C.model_definitions with
  | [] -> ""
  | texts -> "; where " ^ String.concat ", " texts

let direction (model : Model.t) place = printable model.directions.(int_of_nat place)

let read = "expected truths, and powers of the position and of n"

(* As in proofs/every_n/refusals.py. *)
let trouble model = function
  | C.EmbeddedOtherwise -> "its embedding does not hold what it means"
  | EmbeddedAndWritten -> "it is embedded, and a layer writes it, too"
  | WrittenBefore -> "it is written before"
  | WrittenTimes k -> Printf.sprintf "it is written %d times, expected once" (int_of_nat k)
  | TemperatureRead -> "the temperature cannot be read, expected powers of i and n, over factors such as ln(n)"
  | QueryReads place ->
    Printf.sprintf "the query reads %s, expected truths, counts, and powers of i and n; a factor such as ln(n) must be \
                    one of the temperature, or of all that the query reads" (direction model place)
  | KeyReads place -> Printf.sprintf "a key reads %s, %s" (direction model place) read
  | ValueReads place -> Printf.sprintf "a value reads %s, %s" (direction model place) read
  | TooWarm -> "the scores are too close together: 1000 times as large, they would be accepted"
  | NotPosition -> "tried: means without scores, as in Proposition 11"
  | NotMean -> "tried: a mean of the formula over all positions on its side, with scores that are equal"
  | NotNeighbour -> "tried: the scores of Theorems 12 and 13, and those for low precision"
  | NotDecided ->
    "tried: the scores of Theorems 15 and 16, those for low precision, any levels with a tie-breaking term, and the \
     first or the last position alone"
  | NotLookup -> "tried: the lookups of Theorems 20 and 21"
  | NoHead -> "no rule shows that a head holds what it means"
  | UnitReads (number, place) ->
    Printf.sprintf "ReLU %d reads %s, of which nothing is known" (int_of_nat number) (direction model place)
  | UnitBends number -> Printf.sprintf "ReLU %d may be on either side of its kink" (int_of_nat number)
  | OtherSum -> "in some case the sum of the ReLUs does not hold what it means"

(* Consecutive directions with the same fault are named together. *)
let faults model found =
  let named = map (fun (C.Fault (place, head, what)) ->
      let number = int_of_nat head in
      let shown = direction model place ^ if number = 0 then "" else Printf.sprintf " (head %d)" number in
      (trouble model what, shown)) (List.filteri (fun k _ -> k < most_named) found) in
  let add (what, shown) = function
    | (same, names) :: rest when same = what -> (same, shown :: names) :: rest
    | rest -> (what, [shown]) :: rest
  in
  let groups = map (fun (what, names) -> String.concat ", " names ^ ": " ^ what) (List.fold_right add named []) in
  String.concat "; " groups ^ if List.length found > most_named then "; ..." else ""

let refusal model = function
  | C.UndefinedEmbedding place -> Printf.sprintf "the embedding: %s: it may have no value" (direction model place)
  | UndefinedTemperature (layer, head) ->
    Printf.sprintf "layer %d, head %d: the temperature may have no value, or not be positive" (int_of_nat layer)
      (int_of_nat head)
  | InEmbedding found -> "the embedding: " ^ faults model found
  | InHeads (layer, found) -> Printf.sprintf "layer %d, heads: %s" (int_of_nat layer) (faults model found)
  | InFeedforward (layer, found) -> Printf.sprintf "layer %d, ReLUs: %s" (int_of_nat layer) (faults model found)
  | InOutput | Nowhere -> "the output does not mean the truth of the formula"
