(* Reader of certificates of formulas (docs/reference/certificate.md, section 3), to those of the extracted checker. It is not
   trusted: the checker writes the result as text, and compares the two texts. *)

open Outcome
module C = Checker

type t = { certificate : C.certificate; model : Model.t; least : int; greatest : int }

let longest = 4096 (* the limit of lengths of a claim, as in the format *)
let most_places = 100_000 (* the limit of numbers of layers and heads *)

let integer where least greatest = function
  | Json.Integer digits when Numbers.is_digits digits && String.length digits <= 9
                             && least <= int_of_string digits && int_of_string digits <= greatest -> int_of_string digits
  | other -> Model.expected where other (Printf.sprintf "an integer of %d to %d" least greatest)

let boolean where = function
  | Json.Bool b -> b
  | other -> Model.expected where other "true or false"

let regime where = function
  | Json.String "temperature" -> C.ByTemperature
  | String "position" -> C.ByPosition
  | String "unstated" -> C.Unstated
  | other -> Model.expected where other "one of temperature, position, unstated"

let stated_error (model : Model.t) where value =
  match Model.fields where [ "layer"; "head"; "direction"; "error_if_false"; "error_if_true" ] value with
  | [ layer; head; direction; if_false; if_true ] ->
    let name = Model.text (where ^ ".direction") direction in
    let place key value = Numbers.unary (integer (where ^ key) 1 most_places value) in
    { C.error_layer = place ".layer" layer; error_head = place ".head" head;
      error_direction = Model.place_of model (where ^ ".direction") name;
      error_if_false = Model.rational (where ^ ".error_if_false") if_false;
      error_if_true = Model.rational (where ^ ".error_if_true") if_true }
  | _ -> assert false

(* `min_n` is optional, with the default 1. *)
let claim (model : Model.t) value =
  let where = "claim" in
  let found = Model.entries where value in
  if List.mem_assoc "given" found then
    unsupported "claim.given: this checker is not proved for claims under an assumption";
  let value = if List.mem_assoc "min_n" found then value else Json.Object (("min_n", Json.Integer "1") :: found) in
  match Model.fields where [ "formula"; "alphabet"; "min_n"; "max_n"; "regime"; "causal" ] value with
  | [ formula; alphabet; least; greatest; regime_; causal ] ->
    let formula = Model.located (where ^ ".formula") (Formulas.formula model.scope) formula in
    let symbols = Model.alphabet (where ^ ".alphabet") alphabet in
    if map (fun symbol -> Texts.to_coq (Json.spelled symbol)) symbols <> model.model.C.model_letters then
      rejected "the alphabet of the transformer is not the alphabet of the claim";
    let greatest = integer (where ^ ".max_n") 1 longest greatest in
    let least = integer (where ^ ".min_n") 1 greatest least in
    (formula.Formulas.node, least, greatest, regime (where ^ ".regime") regime_, boolean (where ^ ".causal") causal)
  | _ -> assert false

let of_json value =
  let found = Model.entries "certificate" value in
  (match List.assoc_opt "format" found with
   | Some (String "certify-certificate") -> ()
   | Some other -> Model.expected "format" other "\"certify-certificate\""
   | None -> malformed "certificate: no key \"format\"");
  if List.mem_assoc "floats" found then
    unsupported "floats: this checker is proved for claims about real numbers only";
  if List.mem_assoc "words" found then
    unsupported "words: this checker is not proved for slack on every word, by classes of words";
  match Model.fields "certificate" [ "format"; "version"; "claim"; "transformer"; "bounds" ] value with
  | [ _; version; claimed; transformer; bounds ] ->
    if version <> Integer "1" then Model.expected "version" version "1";
    let model = Model.transformer "transformer" transformer in
    let formula, least, greatest, regime, causal = claim model claimed in
    let errors = Model.list "bounds" (stated_error model) bounds in
    { certificate = { C.certified = model.model; claimed_formula = formula; claimed_least = Numbers.unary least;
                      claimed_greatest = Numbers.unary greatest; claimed_regime = regime; claimed_causal = causal;
                      claimed_errors = errors };
      model; least; greatest }
  | _ -> assert false

let read value text =
  match value with
  | Json.Object found as value ->
    Model.refuse_others found; (* first: the text of the whole file may be too large for a browser *)
    let written = Texts.of_coq (C.json_text (Model.json_of value)) in
    if text <> written then
      malformed "line %d: not in the one spelling of a certificate" (Texts.first_difference text written);
    of_json value
  | other -> Model.expected "file" other "an object: a certificate"

(* ---- files in another spelling ---- *)

(* Whether two values differ only in texts, as if a formula has redundant brackets. *)
let rec are_alike a b =
  match a, b with
  | Json.Object f, Json.Object g ->
    List.compare_lengths f g = 0 && List.for_all2 (fun (k, v) (l, w) -> k = l && are_alike v w) f g
  | List l, List k -> List.compare_lengths l k = 0 && List.for_all2 are_alike l k
  | String _, String _ -> true
  | _ -> a = b

(* The text of a file is not that of the certificate that was read. *)
let refuse_spelling text written =
  let line = Texts.first_difference text written in
  if not (are_alike (Json.parse text "file") (Json.parse written "file")) then
    malformed "line %d: not in the one spelling of a certificate" line
  else unsupported "line %d: a formula or a number is not written as certify writes it; certify-check --canonical FILE \
                    writes it so" line
