(* Expressions in i and n, and the conditions of the user's predicates in k and n (docs/reference/certificate.md, section 1). *)

open Outcome
module C = Checker

let longest = 300

(* Part of an expression, in those forms that it has: an expression of the library, an exponent, an amount of a
   condition; and a positive number. *)
type part = {
  expression : C.expression option;
  exponent : C.integer option;
  amount : C.number_expression option;
  literal : Integers.positive option;
}
type value = Number of part | Condition of C.predicate_condition

type language = { variables : (string * part) list; is_condition : bool; name : string }

let functions = [ ("log2ceil", C.Log2Ceil); ("log2floor", C.Log2Floor); ("ln", C.Ln); ("sqrt", C.Sqrt) ]
let tests = [ ("SQUARE", C.SQUARE); ("POW2", C.POW2); ("PRIME", C.PRIME) ]
let nothing = { expression = None; exponent = None; amount = None; literal = None }
let of_position x k = { nothing with expression = Some x; exponent = Some k }

let of_positions =
  { variables = [ ("i", of_position C.VarI C.IntI); ("n", of_position C.VarN C.IntN) ];
    is_condition = false; name = "" }

let of_predicate name variables =
  let amount = function "k" -> C.TheNumber | _ -> C.TheLength in
  { variables = map (fun variable -> (variable, { nothing with amount = Some (amount variable) })) variables;
    is_condition = true; name }

let as_number column = function
  | Number part -> part
  | Condition _ -> malformed "column %d: found a condition, expected a number" column

let as_condition column = function
  | Condition condition -> condition
  | Number _ -> malformed "column %d: found a number, expected a condition" column

let amount column value = Option.get (as_number column value).amount
let both make x y = match x, y with Some x, Some y -> Some (make x y) | _ -> None

(* -i is represented by 0-i, the only form that the library has in an exponent. *)
let added make left right = if left = Some (C.Int Integers.zero) then None else both make left right

(* In a condition. *)
let combine_amounts language sign left right =
  let amount make = Number { nothing with amount = both make left.amount right.amount } in
  let by make = match right.literal with
    | Some p -> Number { nothing with amount = Option.map (fun x -> make x p) left.amount }
    | None ->
      unsupported "predicate %s: %s with anything but a positive number on its right has no Coq form" language.name sign
  in
  match sign with
  | "+" -> amount (fun x y -> C.Sum (x, y))
  | "-" -> amount (fun x y -> C.Difference (x, y))
  | "*" -> amount (fun x y -> C.Times (x, y))
  | "//" -> by (fun x p -> C.Quotient (x, p))
  | "%" -> by (fun x p -> C.Remainder (x, p))
  | "^" -> by (fun x p -> C.Raised (x, p))
  | _ -> unsupported "predicate %s: %s has no Coq form" language.name sign

let combine language column sign left right =
  let made ?exponent make = Number { nothing with expression = both make left.expression right.expression;
                                                  exponent = Option.join exponent } in
  if language.is_condition then combine_amounts language sign left right
  else match sign with
    | "+" ->
      made (fun x y -> C.Add (x, y)) ~exponent:(added (fun a b -> C.IntPlus (a, b)) left.exponent right.exponent)
    | "-" ->
      made (fun x y -> C.Sub (x, y)) ~exponent:(added (fun a b -> C.IntMinus (a, b)) left.exponent right.exponent)
    | "*" -> made (fun x y -> C.Mul (x, y))
    | "/" -> made (fun x y -> C.Div (x, y))
    | "^" ->
      (match left.expression, right.exponent with
       | Some x, Some k -> Number { nothing with expression = Some (C.Power (x, k)) }
       | _ -> unsupported "an expression with ^ as it is used here: the Coq library has no counterpart of it")
    | _ -> malformed "column %d: found %s, which only the conditions of predicates may use" column sign

let negative part =
  { expression = Option.map C.negative_of part.expression;
    exponent = Option.map (fun k -> C.IntMinus (C.Int Integers.zero, k)) part.exponent;
    amount = Option.map (fun x -> C.Negated x) part.amount; literal = None }

let numeral digits =
  let z = Numbers.natural digits in
  let n = Integers.natural_of z and literal = Integers.positive z in
  { expression = Some (C.Num (Numbers.rational_of_integer z)); exponent = Some (C.Int z);
    amount = Some (C.Literal n); literal }

let rec disjunction language tokens =
  Tokens.left_to_right tokens [ "or" ] (fun () -> conjunction language tokens) conditions

and conjunction language tokens =
  Tokens.left_to_right tokens [ "and" ] (fun () -> negation language tokens) conditions

and conditions column sign left right =
  let left = as_condition column left and right = as_condition column right in
  Condition (if sign = "or" then C.Either (left, right) else C.Both (left, right))

and negation language tokens =
  let column = tokens.Tokens.start + 1 in
  if Tokens.take_word tokens "not" then
    Condition (C.Fails (as_condition column (Tokens.nested tokens (fun () -> negation language tokens))))
  else comparison language tokens

and comparison language tokens =
  let left = sum language tokens in
  match tokens.token with
  | Sign sign when List.mem_assoc sign Formulas.relations ->
    let column = tokens.start + 1 in
    Tokens.advance tokens;
    let right = sum language tokens in
    Condition (C.Related (List.assoc sign Formulas.relations, amount column left, amount column right))
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
  | Word name when List.mem_assoc name functions ->
    Tokens.advance tokens;
    Tokens.expect tokens "(";
    let column = tokens.start + 1 in
    let operand = as_number column (inside language tokens) in
    if language.is_condition then unsupported "predicate %s: %s has no Coq form" language.name name;
    Number { nothing with expression = Option.map (fun x -> C.Apply (List.assoc name functions, x)) operand.expression }
  | Word name when language.is_condition && List.mem_assoc name tests ->
    Tokens.advance tokens;
    Tokens.expect tokens "(";
    let column = tokens.start + 1 in
    Condition (C.Tested (List.assoc name tests, amount column (inside language tokens)))
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

(* The definition NAME(k) := condition or NAME(k,n) := condition: the name and the condition. *)
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
  (name, as_condition 1 (whole (of_predicate name variables) disjunction condition))
