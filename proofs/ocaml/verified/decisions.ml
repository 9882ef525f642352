(* Reader of decisions about trained networks by words (docs/reference/trained.md, section 4), and their claim in words.

   The reader is not trusted: it offers a JSON value and the formulas of the cases, and the checker compares texts. The
   claim is written from what the checker read itself; `describe` is trusted to say what that is. *)

open Outcome
module C = Checker

let int = Integers.int_of_nat

(* ---- reading ---- *)

let is_one found = List.assoc_opt "format" found = Some (Json.String "certify-decision")
let part name = function Json.Object found -> List.assoc_opt name found | _ -> None
let parts name = function Some value -> part name value | None -> None

(* The formulas that the cases name; one that cannot be read is not offered. *)
let formulas value =
  let claim = part "claim" value in
  match parts "alphabet" claim, parts "cases" claim with
  | Some symbols, Some (List cases) ->
    let _, _, _, scope = Model.read_scope "claim" symbols (List []) (List []) in
    List.filter_map (fun case -> match parts "formula" (part "when" case) with
        | Some (String text) -> Some (Formulas.formula scope text).Formulas.node
        | _ -> None) cases
  | _ -> []

let is_about_wrong_word value = part "by" value = Some (Json.String "wrong word")

(* The file as the checker writes it, its formulas as the library does. *)
let canonical value =
  let offered = try formulas value with Malformed _ | Unsupported _ -> [] in
  let letters = match parts "alphabet" (part "claim" value) with
    | Some (List symbols) ->
      List.filter_map (function Json.String s -> Some (Texts.to_coq (Json.spelled s)) | _ -> None) symbols
    | _ -> [] in
  let rest = ref offered in
  let rec within path value = match path, value with
    | [], Json.String _ when !rest <> [] ->
      let f = List.hd !rest in
      rest := List.tl !rest;
      Json.String (Texts.of_coq (C.formula_writer letters [] [] f C.EmptyString))
    | key :: path, Json.Object found ->
      Json.Object (map (fun (name, value) -> (name, if name = key then within path value else value)) found)
    | path, List found -> Json.List (map (within path) found)
    | _ -> value in
  Texts.of_coq (C.json_text (Model.json_of (within [ "claim"; "cases"; "when"; "formula" ] value)))

(* Kinds of decisions without a theorem here, so that a refusal names them. *)
let check_kind value =
  let of_kind name expected = match part name value with
    | Some (Json.String found) when found <> expected ->
      unsupported "%s: this checker is proved for %s only, not for %s" name (quote expected) (quote found)
    | _ -> () in
  List.iter (fun (name, expected) -> of_kind name expected)
    [ ("inputs", "words"); ("execution", "exact"); ("property", "answers");
      ("by", if is_about_wrong_word value then "wrong word" else "cover") ];
  (match parts "predicates" (part "claim" value) with
   | Some (List (_ :: _)) ->
     unsupported "claim.predicates: this checker is not proved for claims that define predicates"
   | _ -> ());
  (match parts "steps" (part "network" value) with
   | Some (List steps) when List.exists (fun step -> match part "activation" step with
       | Some (Json.Object _) -> true | _ -> false) steps ->
     unsupported "network.steps: this checker is not proved for activations that round"
   | Some (List steps) when Integers.are_slow
                         && List.exists (fun step -> part "activation" step = Some (Json.String "gelu")) steps ->
     unsupported "gelu: with numbers as Coq has them it takes too long; the program with those of Zarith takes it"
   | _ -> ());
  match parts "edits" (part "network" value) with
  | Some _ -> unsupported "network.edits: this checker is not proved for networks that were edited"
  | None -> ()

(* ---- the claim in words ---- *)

let counted number noun = Printf.sprintf "%d %s%s" number noun (if number = 1 then "" else "s")
let integer z = Texts.of_coq (C.integer_text z)
let rational (q : C.q) =
  let numerator = integer q.qnum and denominator = Texts.of_coq (C.positive_text q.qden) in
  if denominator = "1" then numerator else numerator ^ "/" ^ denominator
let numbers found = if found = [] then "none" else String.concat " " (map (fun k -> string_of_int (int k)) found)

let network (t : C.network_syntax) =
  let attention = List.filter_map (function C.AttentionStep (_, heads, _, _, _, _) -> Some (List.length heads) | _ -> None)
      t.network_steps in
  Printf.sprintf "%s, %s of attention, %s, width %d, %s, %s"
    (if t.network_causal then "causal" else "bidirectional") (counted (List.length attention) "layer")
    (counted (List.fold_left ( + ) 0 attention) "head") (int (C.width_of t.network_tokens))
    (counted (int (C.height_of t.network_tokens)) "token")
    (match C.network_rows t with Some rows -> counted (int rows) "row" ^ " of positions" | None -> "no table of positions")

let row found =
  if found = [] then "0" else
    String.concat " + " (map (fun (token, q) -> Printf.sprintf "%s * logit %d" (rational q) (int token)) found)
let case letters ({ C.when_formula; when_states }, above) =
  let formula f = "where " ^ Texts.of_coq (C.formula_writer letters [] [] f C.EmptyString) in
  let states found = "where the automaton is in state " ^
                     (if found = [] then "none" else String.concat " or " (map (fun k -> string_of_int (int k)) found)) in
  Option.to_list (Option.map formula when_formula) @ Option.to_list (Option.map states when_states) @ map row above

let automaton letters ({ C.automaton_start; automaton_steps } : C.automaton_syntax) =
  let step letter target = Printf.sprintf "%s to %d" (Claim.quoted letter) (int target) in
  Printf.sprintf "starts in state %d" (int automaton_start) :: mapi (fun state targets ->
      Printf.sprintf "state %d: %s" state (String.concat ", " (List.map2 step letters targets))) automaton_steps

let where (c : C.claim_syntax) = match c.claim_read with
  | C.EachToken -> "at every letter's token" ^ if c.claim_empty then " and at the last token before" else ""
  | LastToken -> "at the last token, for the whole word"
  | FirstToken -> "at the first token, for the whole word"

let describe (d : C.decision_syntax) =
  let c = d.decision_claim in
  let letters = c.claim_alphabet in
  List.concat ([
      Claim.entry "network" [ network d.decision_network ];
      Claim.entry "alphabet" [ String.concat ", " (map Claim.quoted letters) ];
      Claim.entry "input" [
        "a token for each letter, in the order of the alphabet: " ^ numbers c.claim_tokens;
        Printf.sprintf "tokens before them: %s; after them: %s" (numbers c.claim_before) (numbers c.claim_after) ];
      Claim.entry "claim" [
        Printf.sprintf "on every word of length %d..%d over the alphabet, at every offset %d..%d" (int c.claim_min_n)
          (int c.claim_max_n) (int c.claim_first_offset) (int c.claim_last_offset);
        "at which its tokens have rows of the tables:";
        where c ^ ", wherever a case holds, each of its rows is more than";
        rational c.claim_margin ^ " (exact reals, real exponentials and square roots)" ];
      Claim.entry "automaton" (Option.fold ~none:[] ~some:(automaton letters) c.claim_automaton) ]
      @ mapi (fun k found -> Claim.entry (Printf.sprintf "case %d" (k + 1)) (case letters found)) c.claim_cases)

let describe_wrong_word ((d : C.decision_syntax), (w : C.wrong_word)) =
  let c = d.decision_claim in
  let letter k = Claim.quoted (C.nth k c.claim_alphabet C.EmptyString) in
  let _, above = C.nth w.wrong_case c.claim_cases ({ C.when_formula = None; when_states = None }, []) in
  List.concat [
    [ "the claim that follows is FALSE:" ];
    describe d;
    Claim.entry "wrong word" [ String.concat ", " (map letter w.wrong_letters) ];
    Claim.entry "where" [
      Printf.sprintf "at offset %d, place %d, in case %d:" (int w.wrong_offset) (int w.wrong_position)
        (int w.wrong_case + 1);
      Printf.sprintf "%s is at most %s" (row (C.nth w.wrong_row above [])) (rational c.claim_margin) ] ]

(* ---- the verdict ---- *)

(* What is said of what was proved, or the refusal; of claims that are not proved this is the reason. *)
let say value text describe reason = function
  | C.Proved found -> describe found
  | TextDiffers ->
    let written = Texts.of_coq (C.json_text (Model.json_of value)) in
    malformed "line %d: not in the one spelling of a certificate" (Texts.first_difference text written)
  | NotRead -> unsupported "it is not a decision of the format, or has a part that this checker is not proved for"
  | DoesNotFit -> malformed "its parts do not fit: shapes, tokens, states, logits, lengths or offsets"
  | NotProved -> unsupported "%s, or balls are too wide, or a part of the network has no rule" reason

(* So few words that all may be run. *)
let are_few value =
  match parts "alphabet" (part "claim" value), parts "max_n" (part "claim" value) with
  | Some (List symbols), Some (Integer digits) when String.length digits < 3 ->
    float_of_int (List.length symbols) ** float_of_string digits <= 65536.
  | _ -> false

(* `covers`: proofs by classes that are offered. *)
let judge covers value text =
  check_kind value;
  let offered = try formulas value with Malformed _ | Unsupported _ -> [] in
  let given = Texts.to_coq text and read = Model.json_of value in
  if is_about_wrong_word value then
    say value text describe_wrong_word "it is not proved: word, offset, place or case may not be in the claim, or the \
                                        row may be above the margin" (C.judge_wrong_word offered given read)
  else
    say value text (fun d ->
        (if C.decision_asks d then [] else [ "the claim that follows is VACUOUS: on no word is anything judged:" ])
        @ describe d) "it is not proved by words or classes: a word may be wrong"
      (match C.judge_decision offered covers given read with
       | C.NotProved when covers <> [] && are_few value -> C.judge_decision offered [] given read
       | answer -> answer)
