(* Parser of formulas of the core language (docs/reference/certificate.md, section 1), to those of the extracted checker. *)

open Outcome
module C = Checker

(* Limits of the formula as a tree, which the checker traverses. *)
let deepest = 1000
let most_nodes = 100_000
let most_counts = 1000

type formula = { node : C.formula; depth : int; size : int; positional : bool }
type count = C.side * formula

(* A sum of multiples of counts, or of 1; the last summand first. *)
type summand = Integers.z * count option
type value = Truth of formula | Sum of summand list

type scope = {
  letters : (string, int * Integers.nat) Hashtbl.t;  (* the symbols of the alphabet *)
  users : (string, int * Integers.nat) Hashtbl.t;  (* the user's predicates *)
  table : (string, formula) Hashtbl.t;  (* the values of $1, $2, ..., and of the names of definitions *)
}

(* ---- nodes ---- *)

let make ?(positional = false) node operands =
  let depth = 1 + List.fold_left (fun most f -> max most f.depth) 0 operands in
  let size = 1 + List.fold_left (fun sum f -> sum + f.size) 0 operands in
  if depth > deepest then unsupported "a formula more than %d deep" deepest;
  if size > most_nodes then
    unsupported "a formula of more than %d parts, each counted as often as it occurs: the checker looks at all of them"
      most_nodes;
  { node; depth; size; positional }

let connect node operands = make ~positional:(List.for_all (fun f -> f.positional) operands) node operands
let truth b = make ~positional:true (C.Truth b) []
let negation f = connect (C.Not f.node) [ f ]
let disjunction f g = connect (C.Or (f.node, g.node)) [ f; g ]
let since f g = make (C.Since (f.node, g.node)) [ f; g ]
let until f g = make (C.Until (f.node, g.node)) [ f; g ]

let binary = function
  | "<->" -> fun f g -> connect (C.Iff (f.node, g.node)) [ f; g ]
  | "->" -> fun f g -> connect (C.Implies (f.node, g.node)) [ f; g ]
  | "|" -> disjunction
  | "&" -> fun f g -> connect (C.And (f.node, g.node)) [ f; g ]
  | "since" -> since
  | "until" -> until
  | "S" -> fun f g -> since (disjunction f g) g
  | "U" -> fun f g -> until (disjunction f g) g
  | _ -> assert false

let unary = function
  | "!" -> negation
  | "prev" -> fun f -> make (C.Previous f.node) [ f ]
  | "next" -> fun f -> make (C.Next f.node) [ f ]
  | "O" -> since (truth true)
  | "F" -> until (truth true)
  | "H" -> fun f -> negation (since (truth true) (negation f))
  | "G" -> fun f -> negation (until (truth true) (negation f))
  | _ -> assert false

let temporal = [ "since"; "until"; "S"; "U" ]
let prefixes = [ "prev"; "next"; "O"; "F"; "H"; "G" ]

let relations =
  [ ("<=", C.AtMost); ("<", C.Below); (">=", C.AtLeast); (">", C.Above); ("==", C.Equal); ("!=", C.Unequal) ]

let predicates =
  [ ("ODD", C.ODD); ("EVEN", C.EVEN); ("FIRST", C.FIRST); ("LAST", C.LAST); ("SQUARE", C.SQUARE); ("POW2", C.POW2);
    ("PRIME", C.PRIME) ]

(* Reserved words, which user's predicates cannot have as names. *)
let reserved =
  [ "true"; "false"; "not"; "and"; "or"; "X"; "Y"; "MOD"; "Q"; "let"; "ln"; "sqrt"; "log2ceil"; "log2floor" ]
  @ temporal @ prefixes @ List.map fst predicates

(* ---- sums ---- *)

let check_length z = if Numbers.is_long z then malformed "found a number of more than %d digits" Numbers.most_digits
let constant_of summands = List.fold_left (fun sum (z, _) -> Integers.add sum z) Integers.zero summands
let is_constant = List.for_all (fun (_, count) -> count = None)
let scale z = map (fun (x, count) -> let product = Integers.multiply z x in check_length product; (product, count))

(* The term of the library: the counts in the order of mention, and one constant. *)
let term summands =
  let constant = constant_of (List.filter (fun (_, count) -> count = None) summands) in
  check_length constant;
  List.fold_left (fun rest (z, count) ->
      match count with None -> rest | Some (side, f) -> C.Plus (z, side, f.node, rest))
    (C.Number constant) summands

let counted summands = List.filter_map (fun (_, count) -> Option.map snd count) summands

(* Whether all counts cancel, so that the comparison is of numbers only. *)
let cancels summands =
  let sums = List.fold_left (fun sums (z, count) ->
      match count with
      | None -> sums
      | Some (side, f) ->
        let key = (side, f.node) in
        let others = List.remove_assoc key sums in
        (key, Integers.add z (Option.value (List.assoc_opt key sums) ~default:Integers.zero)) :: others) [] summands in
  List.for_all (fun (_, z) -> z = Integers.zero) sums

let check_counts mentioned =
  if List.length mentioned > most_counts then
    unsupported "a comparison of %d counts, expected at most %d" (List.length mentioned) most_counts

let comparison relation left right =
  let mentioned = counted left @ counted right in
  check_counts mentioned;
  let positional = cancels (scale Integers.minus_one right @ left) in
  make ~positional (C.Compare (List.assoc relation relations, term left, term right)) mentioned

(* ---- parsing ---- *)

let as_formula column = function
  | Truth f -> f
  | Sum _ -> malformed "column %d: found a number, expected a formula" column

let as_sum column = function
  | Sum s -> s
  | Truth _ -> malformed "column %d: found a formula, expected a number or a count such as #<[Q_a]" column

let rec value scope tokens : value =
  Tokens.left_to_right tokens [ "<->" ] (fun () -> implication scope tokens) (combine_formulas)

and combine_formulas column sign left right =
  Truth (binary sign (as_formula column left) (as_formula column right))

(* A right-associative operator. *)
and to_the_right tokens operators operand =
  let left = operand () in
  match tokens.Tokens.token with
  | Sign sign | Word sign when List.mem sign operators ->
    let column = tokens.start + 1 in
    Tokens.advance tokens;
    let right = Tokens.nested tokens (fun () -> to_the_right tokens operators operand) in
    combine_formulas column sign left right
  | _ -> left

and implication scope tokens = to_the_right tokens [ "->" ] (fun () -> disjunctions scope tokens)

and disjunctions scope tokens =
  Tokens.left_to_right tokens [ "|" ] (fun () -> conjunctions scope tokens) combine_formulas

and conjunctions scope tokens =
  let operand () = to_the_right tokens temporal (fun () -> prefixed scope tokens) in
  Tokens.left_to_right tokens [ "&" ] operand combine_formulas

and prefixed scope tokens =
  match tokens.token with
  | Sign ("!" as sign) -> prefix scope tokens sign
  | Word word when List.mem word prefixes -> prefix scope tokens word
  | _ -> compared scope tokens

and prefix scope tokens sign =
  let column = tokens.start + 1 in
  Tokens.advance tokens;
  Truth (unary sign (as_formula column (Tokens.nested tokens (fun () -> prefixed scope tokens))))

and compared scope tokens =
  let left = sum scope tokens in
  match tokens.token with
  | Sign relation when List.mem_assoc relation relations ->
    let column = tokens.start + 1 in
    Tokens.advance tokens;
    let right = sum scope tokens in
    Truth (comparison relation (as_sum column left) (as_sum column right))
  | _ -> left

and sum scope tokens =
  Tokens.left_to_right tokens [ "+"; "-" ] (fun () -> product scope tokens) (fun column sign left right ->
      let left = as_sum column left and right = as_sum column right in
      Sum ((if sign = "-" then scale Integers.minus_one right else right) @ left))

and product scope tokens =
  Tokens.left_to_right tokens [ "*" ] (fun () -> signed scope tokens) (fun column _ left right ->
      let left = as_sum column left and right = as_sum column right in
      if is_constant left then Sum (scale (constant_of left) right)
      else if is_constant right then Sum (scale (constant_of right) left)
      else malformed "column %d: found a product of two counts, expected a number on one side of '*'" column)

and signed scope tokens =
  if Tokens.is tokens "-" then begin
    let column = tokens.start + 1 in
    Tokens.advance tokens;
    Sum (scale Integers.minus_one (as_sum column (Tokens.nested tokens (fun () -> signed scope tokens))))
  end
  else atom scope tokens

and atom scope tokens =
  let column = tokens.start + 1 in
  let token = tokens.token in
  match token with
  | Word "true" -> Tokens.advance tokens; Truth (truth true)
  | Word "false" -> Tokens.advance tokens; Truth (truth false)
  | Word name ->
    (match Hashtbl.find_opt scope.table name with
     | Some f -> Tokens.advance tokens; Truth f
     | None -> predicate scope tokens name column)
  | Symbol symbol ->
    (match Hashtbl.find_opt scope.letters symbol with
     | None -> malformed "column %d: symbol %s is not in the alphabet" column (quote symbol)
     | Some (_, letter) -> Tokens.advance tokens; Truth (make (C.Symbol letter) []))
  | Reference k ->
    (match Hashtbl.find_opt scope.table k with
     | None -> malformed "column %d: found $%s, expected an entry of the table of formulas before here" column k
     | Some f -> Tokens.advance tokens; Truth f)
  | Digits digits -> Tokens.advance tokens; Sum [ (number digits, None) ]
  | Sign (("#<[" | "#>[") as sign) ->
    Tokens.advance tokens;
    let inner = as_formula (column + 3) (Tokens.nested tokens (fun () -> value scope tokens)) in
    Tokens.expect tokens "]";
    Sum [ (Integers.one, Some ((if sign = "#<[" then C.ToLeft else C.ToRight), inner)) ]
  | Sign "(" ->
    Tokens.advance tokens;
    let inner = Tokens.nested tokens (fun () -> value scope tokens) in
    Tokens.expect tokens ")";
    inner
  | _ -> Tokens.fail tokens "a formula of the core language"

and number digits =
  if String.length digits > Numbers.most_digits then
    malformed "an integer of %d digits, expected at most %d" (String.length digits) Numbers.most_digits;
  Numbers.natural digits

(* A predicate of the position or, if brackets follow, of a count. *)
and predicate scope tokens name column =
  let found = match List.assoc_opt name predicates, Hashtbl.find_opt scope.users name with
    | Some p, _ -> Tokens.advance tokens; p
    | None, Some (_, k) -> Tokens.advance tokens; C.User k
    | None, None -> if name = "MOD" then remainder tokens else Tokens.fail tokens "a formula of the core language"
  in
  if Tokens.is tokens "(" then begin
    Tokens.advance tokens;
    let argument = as_sum column (Tokens.nested tokens (fun () -> value scope tokens)) in
    Tokens.expect tokens ")";
    match argument with
    | [ (unit_, Some (side, f)) ] when unit_ = Integers.one -> Truth (make (C.OnCount (found, side, f.node)) [ f ])
    | summands ->
      let mentioned = counted summands in
      check_counts mentioned;
      if mentioned = [] || constant_of (List.filter (fun (_, count) -> Option.is_none count) summands) <> Integers.zero then
        malformed "column %d: %s: expected a sum of counts, and no constant" column name;
      Truth (make (C.OnSum (found, term summands)) mentioned)
  end
  else Truth (make ~positional:true (C.Positional found) [])

and remainder tokens =
  Tokens.advance tokens;
  let parameter () =
    match tokens.Tokens.token with
    | Digits digits -> Tokens.advance tokens; digits
    | _ -> Tokens.fail tokens "a natural number"
  in
  Tokens.expect tokens "(";
  let modulus = Numbers.unary_of_digits (parameter ()) in
  if modulus = Integers.none then Tokens.fail tokens "MOD with a first parameter of at least 1";
  Tokens.expect tokens ",";
  let rest = Numbers.unary_of_digits (parameter ()) in
  Tokens.expect tokens ")";
  C.MOD (modulus, rest)

let whole scope text =
  let tokens = Tokens.of_text text in
  let found = value scope tokens in
  Tokens.expect_end tokens "formula";
  found

(* ---- formulas in files ---- *)

let formula scope text = as_formula 1 (whole scope text)

let count scope text : count =
  match whole scope text with
  | Sum [ (unit_, Some count) ] when unit_ = Integers.one -> count
  | _ -> malformed "found %s, expected a count such as #<[Q_a]" (quote text)

let sum scope text =
  let summands = as_sum 1 (whole scope text) in
  check_counts (counted summands);
  term summands

(* ---- requested formulas: let p = ...; q = ...; ... ---- *)

let definition scope tokens =
  match tokens.Tokens.token with
  | Word name ->
    if List.mem name reserved || Hashtbl.mem scope.users name || Hashtbl.mem scope.table name then
      Tokens.fail tokens "a name that means nothing yet";
    Tokens.advance tokens;
    Tokens.expect tokens "=";
    let column = tokens.start + 1 in
    let found = as_formula column (value scope tokens) in
    Tokens.expect tokens ";";
    Hashtbl.replace scope.table name found
  | _ -> Tokens.fail tokens "a definition such as p = Q_a;"

let asked scope text =
  let scope = { scope with table = Hashtbl.copy scope.table } in
  let tokens = Tokens.of_text text in
  if Tokens.take_word tokens "let" then begin
    definition scope tokens;
    while Tokens.is_definition tokens do definition scope tokens done
  end;
  let found = as_formula 1 (value scope tokens) in
  Tokens.expect_end tokens "formula";
  found
