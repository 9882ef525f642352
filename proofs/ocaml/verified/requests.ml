(* The requested claim: a certificate of another claim is rejected. *)

open Outcome
module C = Checker

type t = {
  formula : string option;
  predicates : string list;  (* definitions, the last first *)
  alphabet : string option;
  least : string option;
  greatest : string option;
  regime : string option;
  causal : bool;
  strict : bool;     (* the stated errors are claimed, too *)
  canonical : bool;  (* no verdict: the text in the spelling that is checked *)
}

let nothing = { formula = None; predicates = []; alphabet = None; least = None; greatest = None; regime = None; causal = false; strict = false;
                canonical = false }
let regimes = [ ("temperature", C.ByTemperature); ("position", C.ByPosition); ("unstated", C.Unstated) ]
let most_shown = 200

(* The option and value at the beginning of a command line, and the rest. *)
let option asked word rest =
  match word, rest with
  | "--formula", value :: rest when asked.formula = None -> Some ({ asked with formula = Some value }, rest)
  | "--predicate", value :: rest -> Some ({ asked with predicates = value :: asked.predicates }, rest)
  | "--alphabet", value :: rest when asked.alphabet = None -> Some ({ asked with alphabet = Some value }, rest)
  | "--min-n", value :: rest when asked.least = None -> Some ({ asked with least = Some value }, rest)
  | "--max-n", value :: rest when asked.greatest = None -> Some ({ asked with greatest = Some value }, rest)
  | "--regime", value :: rest when List.mem_assoc value regimes -> Some ({ asked with regime = Some value }, rest)
  | "--causal", rest -> Some ({ asked with causal = true }, rest)
  | "--strict", rest -> Some ({ asked with strict = true }, rest)
  | "--canonical", rest -> Some ({ asked with canonical = true }, rest)
  | _ -> None

(* The requested claim as words of a command line. *)
let options asked =
  let given name = Option.fold ~none:[] ~some:(fun value -> [ name; value ]) in
  given "--formula" asked.formula @ List.concat_map (fun text -> [ "--predicate"; text ]) (List.rev asked.predicates)
  @ given "--alphabet" asked.alphabet @ given "--min-n" asked.least @ given "--max-n" asked.greatest
  @ given "--regime" asked.regime @ List.filter_map (fun (name, is_asked) -> if is_asked then Some name else None)
    [ ("--causal", asked.causal); ("--strict", asked.strict); ("--canonical", asked.canonical) ]

let length name digits =
  if Numbers.is_digits digits && String.length digits <= 9 then int_of_string digits
  else malformed "%s: found %s, expected a length" name (quote digits)

(* Requests that are invalid for every file. *)
let check_sense asked =
  let least = Option.map (length "--min-n") asked.least and greatest = Option.map (length "--max-n") asked.greatest in
  if asked.canonical && asked <> { nothing with canonical = true } then
    malformed "--canonical: gives no verdict, so nothing else is asked";
  (match least, greatest with
   | Some a, Some b when a > b -> malformed "--min-n: expected at most --max-n"
   | _ -> ());
  ignore (List.map Expressions.predicate asked.predicates)

(* Symbols in sequence, or separated by commas. *)
let symbols text =
  if String.contains text ',' then List.map String.trim (String.split_on_char ',' text)
  else
    let rec go k = if k >= String.length text then [] else
        let _, length = Json.character text k in
        String.sub text k length :: go (k + length) in
    Json.check_utf_8 text "--alphabet"; go 0

let briefly (c : C.certificate) f =
  let text = Texts.of_coq (C.formula_text c.certified f) in
  if String.length text <= most_shown then text else String.sub text 0 most_shown ^ "..."

let check_formula asked (given : Certificate.t) text =
  let written (name, condition) = Texts.of_coq (C.definition_text (Texts.to_coq (Json.spelled name), condition)) in
  let allowed = map (fun text -> written (Expressions.predicate text)) asked.predicates in
  let users = Hashtbl.create 4 in
  List.iteri (fun k definition ->
      let text = Texts.of_coq (C.definition_text definition) in
      let name = Texts.of_coq (fst definition) in
      if List.mem text allowed then Hashtbl.replace users name (k, Numbers.unary k)) given.certificate.certified.model_definitions;
  let scope = { given.model.scope with users; table = Hashtbl.create 4 } in
  let formula =
    try (Formulas.asked scope text).Formulas.node
    with Malformed problem -> malformed "--formula: %s (predicates of one's own are those of --predicate, as the file has them)" problem
  in
  let c = given.certificate in
  if not (C.formula_eqb formula c.claimed_formula) then
    rejected "the claim is about the formula %s, not the one asked for" (briefly c c.claimed_formula)

let check asked (given : Certificate.t) =
  let c = given.certificate in
  Option.iter (fun text ->
      let letters = map (fun symbol -> Texts.to_coq (Json.spelled symbol)) (symbols text) in
      if letters <> c.certified.model_letters then rejected "the claim is about another alphabet") asked.alphabet;
  Option.iter (check_formula asked given) asked.formula;
  let least = match asked.least, asked.greatest with Some digits, _ -> Some digits | None, Some _ -> Some "1" | _ -> None in
  Option.iter (fun digits -> if int_of_string digits <> given.least then
                  rejected "the claim begins at n = %d, not %s" given.least digits) least;
  Option.iter (fun digits -> if int_of_string digits <> given.greatest then
                  rejected "the claim ends at n = %d, not %s" given.greatest digits) asked.greatest;
  Option.iter (fun name -> if List.assoc name regimes <> c.claimed_regime then
                  rejected "the claim is about another regime than %s" name) asked.regime;
  if asked.causal && not c.claimed_causal then rejected "the claim is not causal"
