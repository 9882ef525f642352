(* The complete claim of an accepted certificate in words, restricted to what is proved. All text is written from the
   accepted value, by functions that are extracted from Coq; names and symbols are between quotes, as in JSON. *)

module C = Checker

let shown = Texts.of_coq
let quoted name = "\"" ^ shown name ^ "\""
let entry name lines = List.mapi (fun k line -> Printf.sprintf "%-13s%s" (if k = 0 then name else "") line) lines

let regime (c : C.certificate) =
  match c.claimed_regime with
  | C.ByPosition -> "position: every temperature is 1"
  | Unstated -> "unstated: nothing more is claimed"
  | ByTemperature ->
    let counts = List.exists C.meaning_has_counts c.certified.model_meanings in
    "temperature: every position embedding has absolute value at most " ^ if counts then "n^2" else "1"

let errors (c : C.certificate) proved =
  let meanings = c.certified.model_meanings in
  let greatest of_others = shown (C.error_text (C.greatest_error of_others meanings proved)) in
  let are_others (d, _) = C.is_of_others (C.nth d meanings C.IsAnything) in
  let others, near = List.partition are_others proved in
  let of_truths = if near = [] then [ "none of a truth: no head approximates one" ] else
      [ Printf.sprintf "%s of a truth, before the feed-forward part (rounded up): %d near directions, where"
          (greatest false) (List.length near); "their guards hold; elsewhere they are in 0..1" ]
  and of_others = if others = [] then [] else
      [ Printf.sprintf "%s of a number of other positions (rounded up)" (greatest true) ] in
  of_truths @ of_others

let less = [ "the file states smaller errors of some directions, which this checker does not prove" ]

(* As in proofs/check. *)
let weights (m : C.model) =
  let heads = List.concat_map (fun (l : C.layer) -> l.layer_heads) m.model_network.transformer_layers in
  match List.sort_uniq compare (List.map (fun (a : C.head) -> shown (C.weighing_name a.head_weighing)) heads) with
  | [] | [ "softmax" ] -> "real softmax"
  | names -> "weightings: " ^ String.concat ", " names

let describe (c : C.certificate) proved =
  let m = c.certified in
  let lengths = { C.least_length = c.claimed_least; greatest_length = Some c.claimed_greatest } in
  List.concat [
    entry "formula" [ shown (C.formula_text m c.claimed_formula) ];
    entry "where" (List.map (fun d -> shown (C.definition_text d)) m.model_definitions);
    entry "alphabet" [ String.concat ", " (List.map quoted m.model_letters) ];
    entry "claim" [
      Printf.sprintf "for %s, every word of length n over the alphabet and every" (shown (C.lengths_text lengths));
      "position of it, the output is exactly 1 where the formula holds, and exactly 0 where not;";
      "so is some direction for each subformula of the formula; every direction holds what the file";
      "says that it means (exact reals, " ^ weights m ^ ")" ];
    entry "regime" [ regime c ];
    entry "causal" [ if c.claimed_causal then "yes: future masks only, nothing depends on n" else "not claimed" ];
    entry "error bound" (errors c proved);
    entry "not proved" (if C.exceeds proved c.claimed_errors then less else []) ]
