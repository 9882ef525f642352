(* Expressions in i and n, and the conditions of the user's predicates in k and n (docs/certificate.md, section 1). *)

open Outcome
module C = Checker

let longest = 300

(* Part of an expression: as one of the library, and as an exponent, as far as it has them; is it a positive number? *)
type part = { expression : C.expression option; exponent : C.integer option; is_positive_number : bool }
type value = Number of part | Condition

type language = { variables : (string * part) list; is_condition : bool; name : string }

let functions = [ "log2ceil"; "log2floor"; "ln"; "sqrt" ]
let tests = [ "SQUARE"; "POW2"; "PRIME" ]
let relations = [ "<="; ">="; "=="; "!="; "<"; ">" ]
let plain expression exponent = { expression; exponent; is_positive_number = false }
let no_form = plain None None

let of_positions =
  { variables = [ ("i", plain (Some C.VarI) (Some C.IntI)); ("n", plain (Some C.VarN) (Some C.IntN)) ];
    is_condition = false; name = "" }

let of_predicate name variables =
  { variables = map (fun variable -> (variable, no_form)) variables; is_condition = true; name }

let as_number column = function
  | Number part -> part
  | Condition -> malformed "column %d: found a condition, expected a number" column

let as_condition column = function
  | Condition -> ()
  | Number _ -> malformed "column %d: found a number, expected a condition" column

let both make x y = match x, y with Some x, Some y -> Some (make x y) | _ -> None

let combine language column sign left right =
  let made make make_exponent =
    Number (plain (both make left.expression right.expression)
              (Option.bind make_exponent (fun make -> both make left.exponent right.exponent))) in
  if language.is_condition && (sign = "/" || (List.mem sign [ "//"; "%"; "^" ] && not right.is_positive_number)) then
    unsupported "predicate %s: %s with anything but a positive number on its right has no Coq form" language.name sign;
  match sign with
  | "+" -> made (fun x y -> C.Add (x, y)) (Some (fun a b -> C.IntPlus (a, b)))
  | "-" -> made (fun x y -> C.Sub (x, y)) (Some (fun a b -> C.IntMinus (a, b)))
  | "*" -> made (fun x y -> C.Mul (x, y)) None
  | "/" -> made (fun x y -> C.Div (x, y)) None
  | "^" when language.is_condition -> Number no_form
  | "^" ->
    (match left.expression, right.exponent with
     | Some x, Some k -> Number (plain (Some (C.Power (x, k))) None)
     | _ -> unsupported "an expression with ^ as it is used here: the Coq library has no counterpart of it")
  | _ when language.is_condition -> Number no_form
  | _ -> malformed "column %d: found %s, which only the conditions of predicates may use" column sign

let negative part =
  plain (Option.map (fun x -> C.Neg x) part.expression)
    (Option.map (fun k -> C.IntMinus (C.Int C.Z0, k)) part.exponent)

let numeral digits =
  let z = Numbers.natural digits in
  { expression = Some (C.Num (Numbers.rational_of_integer z)); exponent = Some (C.Int z);
    is_positive_number = z <> C.Z0 }

let rec disjunction language tokens =
  Tokens.left_to_right tokens [ "or" ] (fun () -> conjunction language tokens) conditions

and conjunction language tokens =
  Tokens.left_to_right tokens [ "and" ] (fun () -> negation language tokens) conditions

and conditions column _ left right = as_condition column left; as_condition column right; Condition

and negation language tokens =
  let column = tokens.Tokens.start + 1 in
  if Tokens.take_word tokens "not" then begin
    as_condition column (Tokens.nested tokens (fun () -> negation language tokens));
    Condition
  end
  else comparison language tokens

and comparison language tokens =
  let left = sum language tokens in
  match tokens.token with
  | Sign sign when List.mem sign relations ->
    let column = tokens.start + 1 in
    Tokens.advance tokens;
    ignore (as_number column left);
    ignore (as_number column (sum language tokens));
    Condition
  | _ -> left

and sum language tokens =
  Tokens.left_to_right tokens [ "+"; "-" ] (fun () -> product language tokens) (numbers language)

and product language tokens =
  Tokens.left_to_right tokens [ "*"; "/"; "//"; "%" ] (fun () -> signed language tokens) (numbers language)

and numbers language column sign left right =
  combine language column sign (as_number column left) (as_number column right)

and signed language tokens =
  let column = tokens.start + 1 in
  if Tokens.take tokens "-" then
    Number (negative (as_number column (Tokens.nested tokens (fun () -> signed language tokens))))
  else begin
    let base = atom language tokens in
    let column = tokens.start + 1 in
    if Tokens.take tokens "^" then
      numbers language column "^" base (Tokens.nested tokens (fun () -> signed language tokens))
    else base
  end

and atom language tokens =
  match tokens.token with
  | Digits digits -> Tokens.advance tokens; Number (numeral digits)
  | Word name when List.mem_assoc name language.variables ->
    Tokens.advance tokens;
    Number (List.assoc name language.variables)
  | Word name when List.mem name functions ->
    unsupported "an expression with %s: the Coq library has no counterpart of it" name
  | Word name when language.is_condition && List.mem name tests ->
    Tokens.advance tokens;
    Tokens.expect tokens "(";
    ignore (as_number (tokens.start + 1) (inside language tokens));
    Condition
  | Sign "(" -> Tokens.advance tokens; inside language tokens
  | _ -> Tokens.fail tokens (if language.is_condition then "k, n or a number" else "i, n or a number")

(* Up to the closing bracket. *)
and inside language tokens =
  let found = Tokens.nested tokens (fun () -> if language.is_condition then disjunction language tokens
                                     else sum language tokens) in
  Tokens.expect tokens ")";
  found

let whole language read text =
  if String.length text > longest then
    malformed "expression of %d characters: expected at most %d" (String.length text) longest;
  let tokens = Tokens.of_text text in
  let found = read language tokens in
  Tokens.expect_end tokens "expression";
  found

(* An expression in i and n. *)
let expression text =
  match as_number 1 (whole of_positions sum text) with
  | { expression = Some x; _ } -> x
  | _ -> unsupported "the expression %s: the Coq library has no counterpart of it" (quote text)

(* The definition NAME(k) := condition or NAME(k,n) := condition: its name. Nothing but its form is looked at: what is
   proved holds of any predicate of that name. *)
let predicate text =
  let bad () = malformed "predicate %s: expected a definition such as THIRD(k,n) := k%%3 == 1" (quote text) in
  let opening, closing = match String.index_opt text '(', String.index_opt text ')' with
    | Some a, Some b when a < b -> (a, b) | _ -> bad () in
  let name = String.sub text 0 opening in
  let variables = match String.sub text opening (closing - opening + 1) with
    | "(k)" -> [ "k" ] | "(k,n)" -> [ "k"; "n" ] | _ -> bad () in
  let fits = name <> "" && Tokens.is_letter name.[0] && String.for_all Tokens.is_of_word name in
  if not (fits && Tokens.starts_at text (closing + 1) " := ") then bad ();
  if List.mem name Formulas.reserved || Tokens.starts_at name 0 "Q_" then
    malformed "predicate %s: the name is taken by the language, expected another one" (quote name);
  let condition = String.sub text (closing + 5) (String.length text - closing - 5) in
  as_condition 1 (whole (of_predicate name variables) disjunction condition);
  name
