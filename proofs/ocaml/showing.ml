(* Letters, and the place where the checker said no, in words. *)

open Outcome
module C = Checker

let rec int_of_nat n = match n with C.O -> 0 | C.S n -> 1 + int_of_nat n
let most_named = 20

(* As in formulas, where it is Q_a or Q['(']: a letter that has commas or braces does not look like several. *)
let letter name =
  let shown = Texts.of_coq (C.symbol_writer name C.EmptyString) in
  let rest = String.sub shown 2 (String.length shown - 2) in
  if shown.[1] = '_' then rest else String.sub rest 0 (String.length rest - 1)

(* What the users' predicates are, of which formulas have the names alone. *)
let definitions model =
  match map (fun definition -> Texts.of_coq (C.definition_text definition)) model.C.model_definitions with
  | [] -> ""
  | texts -> "; where " ^ String.concat ", " texts

let directions (model : Model.t) places =
  let names = map (fun place -> printable model.directions.(int_of_nat place)) places in
  let shown = List.filteri (fun k _ -> k < most_named) names in
  String.concat ", " shown ^ if List.length names > most_named then ", ..." else ""

let refusal model = function
  | C.Undefined -> "an embedding or temperature may have no value, or a temperature not be positive"
  | InEmbedding places -> "the embedding: " ^ directions model places
  | InHeads (layer, places) -> Printf.sprintf "layer %d, heads: %s" (int_of_nat layer) (directions model places)
  | InFeedforward (layer, places) -> Printf.sprintf "layer %d, ReLUs: %s" (int_of_nat layer) (directions model places)
  | InOutput | Nowhere -> "the output does not mean the truth of the formula"
