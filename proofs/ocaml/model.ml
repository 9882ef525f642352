(* Reader of model files (`certify-transformer`) and certificates (`certify-certificate`), to networks of the extracted
   checker: docs/reference/certificate.md, sections 2 and 3. Keys and entries may have any order, as for `certify model`. *)

open Outcome
module C = Checker

type t = {
  model : C.model;
  claim : C.formula option;  (* the formula of a certificate; for a model that of the output's meaning, if it is a truth *)
  directions : string array;
  scope : Formulas.scope;
}

let most_entries = 100_000

(* The tables from names to numbers for the parts of a model. *)
type reader = { formulas : Formulas.scope; places : (string, int * Integers.nat) Hashtbl.t }

(* ---- JSON ---- *)

let kind_of = function
  | Json.Object _ -> "an object" | List _ -> "a list" | String text -> quote text | Integer digits -> digits
  | Bool b -> string_of_bool b | Null -> "null"

let expected where found what = malformed "%s: found %s, expected %s" where (kind_of found) what

let fields where names = function
  | Json.Object found as value ->
    List.iter (fun name ->
        if not (List.mem_assoc name found) then
          malformed "%s: no key %s, expected the keys %s" where (quote name) (String.concat ", " names)) names;
    List.iter (fun (name, _) ->
        if not (List.mem name names) then
          malformed "%s: unknown key %s, expected the keys %s" where (quote name) (String.concat ", " names)) found;
    ignore value;
    map (fun name -> List.assoc name found) names
  | other -> expected where other ("an object with the keys " ^ String.concat ", " names)

let entries where = function Json.Object found -> found | other -> expected where other "an object"
let text where = function Json.String text -> text | other -> expected where other "a string"
let at where key = Printf.sprintf "%s[%s]" where (quote key)

let list where read = function
  | Json.List found -> mapi (fun k value -> read (Printf.sprintf "%s[%d]" where (k + 1)) value) found
  | other -> expected where other "a list"

(* The value of a text in a file; messages have its location. *)
let located where parse value =
  let found = text where value in
  try parse found with
  | Malformed problem -> malformed "%s: %s" where problem
  | Unsupported problem -> unsupported "%s: %s" where problem

let rational where value =
  let found = match value with
    | Json.String text | Json.Integer text -> Numbers.rational text
    | _ -> None
  in
  match found with
  | Some q -> q
  | None -> expected where value "a rational such as \"-3/4\" (at most 1000 digits, no zero denominator)"

(* ---- directions ---- *)

let place reader where name =
  match Hashtbl.find_opt reader.places name with
  | Some place -> place
  | None -> malformed "%s: %s, expected one of the %d directions" where (quote name) (Hashtbl.length reader.places)

(* Sorted by the order of directions, as the file may have any order. *)
let by_direction reader where read value =
  let found = map (fun (name, value) -> (place reader where name, read (at where name) value)) (entries where value) in
  let sorted = List.stable_sort (fun ((a, _), _) ((b, _), _) -> compare a b) found in
  map (fun ((_, place), value) -> (place, value)) sorted

(* Zeros are left out. *)
let row reader where value =
  List.filter (fun (_, q) -> not (Numbers.is_zero q)) (by_direction reader where rational value)

(* Numbers 0, 1, 2, ... for names, in their order, also as numbers of Coq. *)
let numbered names =
  let table = Hashtbl.create 64 in
  let number (place, number) name = Hashtbl.add table name (place, number); (place + 1, Integers.successor number) in
  ignore (List.fold_left number (0, Integers.none) names);
  table

(* ---- embeddings and meanings ---- *)

let bracket reader text =
  let shifted = "](i-1)" in
  let length = String.length text in
  let ends_with part = length > String.length part && Tokens.starts_at text (length - String.length part) part in
  let inside part = String.sub text 1 (length - 1 - String.length part) in
  let formula part =
    let f = Formulas.formula reader.formulas (inside part) in
    if not f.positional then
      malformed "bracket %s: expected a formula of predicates on the position and connectives" (quote text);
    f.node
  in
  if ends_with shifted then C.Bracket (formula shifted, true)
  else if ends_with "]" then C.Bracket (formula "]", false)
  else malformed "bracket %s: expected [formula] or [formula](i-1), and nothing beside it" (quote text)

let position_function reader text =
  if text <> "" && text.[0] = '[' then bracket reader text else C.Formula (Expressions.expression text)

let zero = Numbers.rational_of_integer Integers.zero

let meaning reader where value =
  let kind = match value with
    | Json.Object found -> Option.value (List.assoc_opt "kind" found) ~default:Json.Null
    | _ -> Json.Null
  in
  let part name = match fields where [ "kind"; name ] value with [ _; part ] -> part | _ -> assert false in
  let parts a b = match fields where [ "kind"; a; b ] value with [ _; x; y ] -> (x, y) | _ -> assert false in
  let formula value = (located where (Formulas.formula reader.formulas) value).Formulas.node in
  let count value =
    let side, f = located where (Formulas.count reader.formulas) value in
    (side, f.Formulas.node)
  in
  match kind with
  | String "position" -> C.IsPosition (located where (position_function reader) (part "value"))
  | String "truth" -> C.IsTruth (formula (part "formula"))
  | String "slack" -> C.IsSlack (formula (part "formula"))
  | String "near" -> let f, guard = parts "formula" "when" in C.IsNear (formula f, formula guard)
  | String "product" ->
    let x, f = parts "value" "formula" in
    C.IsProduct (located where Expressions.expression x, formula f)
  | String "mean" -> let side, f = count (part "count") in C.IsMean (side, f)
  | String "others" -> let side, f = count (part "count") in C.IsOthers (side, f, zero)
  | String "any" -> ignore (fields where [ "kind" ] value); C.IsAnything
  | String "average" -> C.IsAverage (located where (Formulas.sum reader.formulas) (part "term"))
  | String "total" -> let side, f = count (part "count") in C.IsTotal (side, f)
  | _ -> malformed "%s: expected a meaning of kind position, truth, near, product, mean, average, total, others, slack or any"
           where

(* ---- layers ---- *)

let weightings =
  [ "average-hardmax"; "leftmost-hardmax"; "rightmost-hardmax" ]
let proved =
  [ ("softmax", C.Softmax); ("softmax-plus-one", C.SoftmaxPlusOne); ("sparsemax", C.Sparsemax); ("entmax-1.5", C.Entmax);
    ("relu", C.Relu); ("relu-over-n", C.ReluOverN); ("sigmoid", C.Sigmoid);
    ("geometric", C.Geometric); ("stick-breaking", C.StickBreaking) ]

let mask where = function
  | Json.String "none" -> C.Unmasked
  | String "future" -> C.FutureMasked
  | String "past" -> C.PastMasked
  | other -> expected where other "one of none, future, past"

let weighing where = function
  | Json.String name when List.mem_assoc name proved -> List.assoc name proved
  | String name when List.mem name weightings ->
    unsupported "%s: weighting %s, in Coq only %s are proved" where name (String.concat ", " (List.map fst proved))
  | other -> expected where other "a weighting such as softmax"

let head reader where value =
  match fields where [ "name"; "source"; "mask"; "weighting"; "temperature"; "queries"; "keys"; "values" ] value with
  | [ name; source; masking; weighting; temperature; queries; keys; values ] ->
    let label = (text (where ^ ".name") name, text (where ^ ".source") source) in
    let queries = list (where ^ ".queries") (row reader) queries and keys = list (where ^ ".keys") (row reader) keys in
    if List.compare_lengths queries keys <> 0 then
      malformed "%s: %d queries and %d keys, expected as many (d_k)" where (List.length queries) (List.length keys);
    let weighing = weighing (where ^ ".weighting") weighting and masking = mask (where ^ ".mask") masking in
    if masking = C.Unmasked && C.breaks_a_stick weighing then
      malformed "%s: weighting %s without a mask, expected the mask future or past" where (text where weighting);
    let head = { C.head_weighing = weighing; head_masking = masking;
                 head_temperature = located (where ^ ".temperature") Expressions.expression temperature;
                 head_queries = queries; head_keys = keys;
                 head_values = List.filter (fun (_, row) -> row <> [])
                     (by_direction reader (where ^ ".values") (row reader) values) } in
    (label, head)
  | _ -> assert false

let relu_unit reader where value =
  match fields where [ "reads"; "bias"; "writes" ] value with
  | [ reads; bias; writes ] ->
    { C.unit_reads = row reader (where ^ ".reads") reads; unit_bias = rational (where ^ ".bias") bias;
      unit_writes = row reader (where ^ ".writes") writes }
  | _ -> assert false

let layer reader where value =
  match fields where [ "heads"; "feedforward" ] value with
  | [ heads; feedforward ] ->
    let inner = where ^ ".feedforward" in
    (match fields inner [ "units"; "bias" ] feedforward with
     | [ units; bias ] ->
       let labels, heads = List.split (list (where ^ ".heads") (head reader) heads) in
       (labels, { C.layer_heads = heads;
         layer_units = list (inner ^ ".units") (relu_unit reader) units;
         layer_bias = row reader (inner ^ ".bias") bias })
     | _ -> assert false)
  | _ -> assert false

(* ---- the whole ---- *)

let keys =
  [ "format"; "version"; "alphabet"; "predicates"; "formulas"; "directions"; "token_embedding"; "position_embedding";
    "layers"; "output" ]

(* `predicates` and `formulas` are optional. *)
let completed where value =
  let found = entries where value in
  let default name = if List.mem_assoc name found then [] else [ (name, Json.List []) ] in
  Json.Object (default "predicates" @ default "formulas" @ found)

let alphabet where value =
  let symbols = list where text value in
  let distinct = Hashtbl.length (numbered (List.sort_uniq compare symbols)) in
  if symbols = [] || List.mem "" symbols || distinct <> List.length symbols then
    malformed "%s: expected distinct non-empty symbols, at least one" where;
  symbols

let tabulate (scope : Formulas.scope) where value =
  let found = list where (fun where value -> (where, value)) value in
  if List.length found > most_entries then malformed "%s: expected at most %d formulas" where most_entries;
  mapi (fun k (where, value) ->
      let formula = located where (Formulas.formula scope) value in
      Hashtbl.replace scope.table (string_of_int (k + 1)) formula;
      formula.Formulas.node) found

let read_scope where value_alphabet value_predicates value_formulas =
  let symbols = alphabet (where ^ ".alphabet") value_alphabet in
  let users = list (where ^ ".predicates") (fun where -> located where Expressions.predicate) value_predicates in
  let names = map fst users in
  if List.length (List.sort_uniq compare names) <> List.length names then
    malformed "%s.predicates: a name is defined twice, expected once" where;
  let scope = { Formulas.letters = numbered symbols; users = numbered names; table = Hashtbl.create 16 } in
  let listed = tabulate scope (where ^ ".formulas") value_formulas in
  (symbols, users, listed, scope)

let tokens reader where symbols value =
  let found = entries where value in
  List.iter (fun (symbol, _) ->
      if not (List.mem symbol symbols) then
        malformed "%s: a row for %s, which is no symbol" where (quote symbol)) found;
  map (fun symbol ->
      match List.assoc_opt symbol found with
      | Some value -> row reader (at where symbol) value
      | None -> malformed "%s: no row for the symbol %s" where (quote symbol)) symbols

let claim meanings place =
  match C.nth place meanings C.IsAnything with
  | C.IsTruth formula -> Some formula
  | _ -> None

let transformer where value =
  match fields where keys (completed where value) with
  | [ format; version; symbols; predicates; table; directions; embedding; positions; layers; output ] ->
    if format <> String "certify-transformer" || version <> Integer "1" then
      malformed "%s: expected the format \"certify-transformer\", version 1" where;
    let symbols, users, listed, scope = read_scope where symbols predicates table in
    let found = entries (where ^ ".directions") directions in
    let names = map fst found in
    let reader = { formulas = scope; places = numbered names } in
    let inner name = where ^ "." ^ name in
    let meanings = map (fun (name, value) -> meaning reader (at (inner "directions") name) value) found in
    let _, place = place reader (inner "output") (text (inner "output") output) in
    let position where value = located where (position_function reader) value in
    let labels, layers = List.split (list (inner "layers") (layer reader) layers) in
    let spelled name = Texts.to_coq (Json.spelled name) in
    let network = {
      C.token_embedding = tokens reader (inner "token_embedding") symbols embedding;
      position_embedding = by_direction reader (inner "position_embedding") position positions;
      transformer_layers = layers; transformer_output = place } in
    { model = {
        C.model_letters = map spelled symbols;
        model_definitions = map (fun (name, condition) -> (spelled name, condition)) users;
        model_listed = listed; model_directions = map spelled names;
        model_labels = map (map (fun (name, source) -> (spelled name, spelled source))) labels;
        model_network = network; model_meanings = meanings };
      claim = claim meanings place; directions = Array.of_list names; scope }
  | _ -> assert false

let place_of model where name =
  let rec go k = if k = Array.length model.directions then malformed "%s: %s is no direction" where (quote name)
    else if model.directions.(k) = name then Numbers.unary k else go (k + 1) in
  go 0

(* A certificate is about lengths up to a bound; only its network and its formula are used. *)
let certificate value =
  let found = entries "certificate" value in
  let part name = match List.assoc_opt name found with
    | Some part -> part
    | None -> malformed "certificate: no key %s" (quote name)
  in
  let model = transformer "certificate.transformer" (part "transformer") in
  let formula = match List.assoc_opt "formula" (entries "certificate.claim" (part "claim")) with
    | Some value -> located "certificate.claim.formula" (Formulas.formula model.scope) value
    | None -> malformed "certificate.claim: no key \"formula\""
  in
  { model with claim = Some formula.node }

(* Certificates of other claims. *)
let others =
  [ ("certify-softened", "transformers with hard attention made soft"); ("certify-margin", "margins");
    ("certify-decision", "trained networks") ]

let refuse_others found =
  match List.assoc_opt "format" found with
  | Some (Json.String name) when List.mem_assoc name others ->
    unsupported "this checker is proved for certificates of formulas; those of %s are checked by python -I -S \
                 proofs/check" (List.assoc name others)
  | _ -> ()

let is_certificate = function
  | Json.Object found -> List.assoc_opt "format" found = Some (Json.String "certify-certificate")
  | _ -> false

(* The checker also writes the canonical form of any JSON value. *)
let rec json_of = function
  | Json.Object found -> C.Fields (map (fun (key, value) -> (Texts.to_coq (Json.spelled key), json_of value)) found)
  | List found -> C.Items (map json_of found)
  | String text -> C.Quoted (Texts.to_coq (Json.spelled text))
  | (Integer _ | Bool _ | Null) as other -> C.Verbatim (Texts.to_coq (kind_of other))

let check_canonical text written =
  if text <> written then
    malformed "line %d: not as certify writes what was read; certify-every-n --canonical FILE writes it so"
      (Texts.first_difference text written)

(* The transformer in a canonical certificate: the lines of that object, each without one space of indentation. *)
let transformer_text text =
  let rec inside found = function
    | (" }" | " },") :: _ -> Some (String.concat "\n" (List.rev ("" :: "}" :: found)))
    | line :: rest when line <> "" -> inside (String.sub line 1 (String.length line - 1) :: found) rest
    | _ -> None
  and outside = function
    | " \"transformer\": {" :: rest -> inside [ "{" ] rest
    | _ :: rest -> outside rest
    | [] -> None
  in
  Option.value (outside (String.split_on_char '\n' text)) ~default:""

(* In a certificate that is not canonical these lines may be elsewhere. *)
let text_in_certificate value text =
  check_canonical text (Texts.of_coq (C.json_text (json_of value)));
  transformer_text text

(* The model in a file, and the text in the file that should be the model's. *)
let read where text =
  match Json.parse text where with
  | Json.Object found as value ->
    refuse_others found;
    if is_certificate value then (certificate value, lazy (text_in_certificate value text))
    else (transformer "model" value, lazy text)
  | other -> expected where other "an object: a model or a certificate"
