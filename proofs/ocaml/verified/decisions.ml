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

(* Kinds of decisions without a theorem here, so that a refusal names them. *)
let check_kind value =
  let of_kind name expected = match part name value with
    | Some (Json.String found) when found <> expected ->
      unsupported "%s: this checker is proved for %s only, not for %s" name (quote expected) (quote found)
    | _ -> () in
  List.iter (fun (name, expected) -> of_kind name expected)
    [ ("inputs", "words"); ("execution", "exact"); ("property", "answers"); ("by", "cover") ];
  (match parts "steps" (part "network" value) with
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

(* ---- the verdict ---- *)

let judge value text =
  check_kind value;
  let offered = try formulas value with Malformed _ | Unsupported _ -> [] in
  match C.judge_decision offered (Texts.to_coq text) (Model.json_of value) with
  | C.Proved d ->
    (if C.decision_asks d then [] else [ "the claim that follows is VACUOUS: on no word is anything judged:" ])
    @ describe d
  | TextDiffers ->
    let written = Texts.of_coq (C.json_text (Model.json_of value)) in
    malformed "line %d: not in the one spelling of a certificate" (Texts.first_difference text written)
  | NotRead -> unsupported "it is not a decision of the format, or has a part that this checker is not proved for"
  | DoesNotFit -> malformed "its parts do not fit: shapes, tokens, states, logits, lengths or offsets"
  | NotProved -> unsupported "it is not proved word by word: a word may be wrong, or balls are too wide, or a part of the \
                              network has no rule"
