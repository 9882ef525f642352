(* What was read, as text again: the formula, and the place where the checker said no. *)

open Outcome
module C = Checker

let rec int_of_nat n = match n with C.O -> 0 | C.S n -> 1 + int_of_nat n

(* Decimal digits of a natural number: twice the digits so far, and a bit. *)
let digits p =
  let base = 100_000_000 in
  let double limbs bit =
    let carry, doubled = List.fold_left (fun (carry, done_) limb ->
        let now = (2 * limb) + carry in
        (now / base, (now mod base) :: done_)) (bit, []) limbs in
    let doubled = List.rev doubled in
    if carry = 0 then doubled else doubled @ [ carry ]
  in
  let rec go = function C.XH -> [ 1 ] | C.XO p -> double (go p) 0 | C.XI p -> double (go p) 1 in
  match List.rev (go p) with
  | [] -> "0"
  | first :: rest -> String.concat "" (string_of_int first :: map (Printf.sprintf "%08d") rest)

let natural = function C.Z0 -> "0" | C.Zpos p | C.Zneg p -> digits p

let symbol text =
  if text <> "" && String.for_all Tokens.is_of_word text then "Q_" ^ text
  else
    let shown = Buffer.create 8 in
    String.iter (fun c -> if c = '\'' || c = '\\' then Buffer.add_char shown '\\'; Buffer.add_char shown c) text;
    "Q['" ^ Buffer.contents shown ^ "']"

(* How tightly operators bind, and how tightly their operands must to go without brackets: as the printer of certify. *)
let rec write (model : Model.t) least formula =
  let level, text = piece model formula in
  if level >= least then text else "(" ^ text ^ ")"

and piece model formula =
  let infix level left sign right f g = (level, write model left f ^ sign ^ write model right g) in
  let prefix sign f = (6, sign ^ write model 6 f) in
  match formula with
  | C.Truth b -> (7, string_of_bool b)
  | Symbol a -> (7, symbol model.letters.(int_of_nat a))
  | Iff (f, g) -> infix 0 1 " <-> " 1 f g
  | Implies (f, g) -> infix 1 2 " -> " 1 f g
  | Or (f, g) -> infix 2 2 " | " 3 f g
  | And (f, g) -> infix 3 3 " & " 4 f g
  | Since (f, g) -> infix 5 6 " since " 5 f g
  | Until (f, g) -> infix 5 6 " until " 5 f g
  | Not f -> prefix "!" f
  | Previous f -> prefix "prev " f
  | Next f -> prefix "next " f
  | Positional p -> (7, predicate model p)
  | OnCount (p, side, f) -> (7, predicate model p ^ "(" ^ count model side f ^ ")")
  | Compare (r, t, u) ->
    let sign = fst (List.find (fun (_, relation) -> relation = r) Formulas.relations) in
    (4, term model t ^ " " ^ sign ^ " " ^ term model u)

and count model side f = (if side = C.ToLeft then "#<[" else "#>[") ^ write model 0 f ^ "]"

and predicate model = function
  | C.ODD -> "ODD" | EVEN -> "EVEN" | FIRST -> "FIRST" | LAST -> "LAST" | SQUARE -> "SQUARE" | POW2 -> "POW2"
  | PRIME -> "PRIME"
  | MOD (m, r) -> Printf.sprintf "MOD(%d,%d)" (int_of_nat m) (int_of_nat r)
  | User k -> model.users.(int_of_nat k)

and term model t =
  let rec summands = function
    | C.Number C.Z0 -> []
    | Number z -> [ (z, natural z) ]
    | Plus (z, side, f, rest) ->
      let factor = match z with Zpos XH | Zneg XH -> "" | _ -> natural z ^ "*" in
      (z, factor ^ count model side f) :: summands rest
  in
  let is_negative = function C.Zneg _ -> true | _ -> false in
  match summands t with
  | [] -> "0"
  | (z, first) :: rest ->
    let shown = map (fun (z, text) -> (if is_negative z then " - " else " + ") ^ text) rest in
    String.concat "" ((if is_negative z then "-" else "") :: first :: shown)

let formula model f = printable (write model 0 f)
let most_shown = 2000

let briefly text = if String.length text <= most_shown then text else String.sub text 0 200 ^ "..."

let alphabet (model : Model.t) = String.concat ", " (map printable (Array.to_list model.letters))

(* ---- where the checker said no ---- *)

let directions (model : Model.t) places =
  let names = map (fun place -> printable model.directions.(int_of_nat place)) places in
  let shown = List.filteri (fun k _ -> k < 20) names in
  String.concat ", " shown ^ (if List.length names > 20 then ", ..." else "")

let refusal model = function
  | C.Undefined -> "an embedding or temperature may have no value, or a temperature not be positive"
  | InEmbedding places -> "the embedding: " ^ directions model places
  | InHeads (layer, places) -> Printf.sprintf "layer %d, heads: %s" (int_of_nat layer) (directions model places)
  | InFeedforward (layer, places) -> Printf.sprintf "layer %d, ReLUs: %s" (int_of_nat layer) (directions model places)
  | InOutput -> "the output does not mean the truth of the formula"
  | Nowhere -> "nowhere"
