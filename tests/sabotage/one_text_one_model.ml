(* No text is that of two models: random models, also such as no reader makes, are written by the checker and read back.

   `SEED NUMBER` on the command line: of so many models this prints how many were read as they are and how many were
   refused; before that, each text of which something else was read. *)

open Outcome
module C = Checker

let below = Random.int
let pick list = List.nth list (below (List.length list))
let small () =
  let size = Numbers.natural (string_of_int (below 4)) in
  if Random.bool () then size else C.Z.opp size
let positive () = match Numbers.natural (string_of_int (1 + below 4)) with C.Zpos p -> p | _ -> assert false
let side () = pick [ C.ToLeft; ToRight ]
let relation () = pick [ C.AtMost; Below; AtLeast; Above; Equal; Unequal ]

(* As JSON spells them. *)
let letters =
  map Texts.to_coq
    [ "?"; "a"; "'"; "\\\\"; "\\\""; "Q_a"; "_"; "a b"; "\\u00e9"; "\\\\'"; "\\n"; "1"; "\\ud83d\\ude00"; "']" ]

(* ---- formulas: some numbers name no letter and no predicate ---- *)

let predicate () =
  pick [ C.ODD; EVEN; FIRST; LAST; SQUARE; POW2; PRIME; MOD (Numbers.unary (1 + below 9), Numbers.unary (below 9));
         User (Numbers.unary (if below 99 = 0 then 2 else below 2)) ]

let leaf () = match below 4 with
  | 0 -> C.Truth (Random.bool ())
  | 1 | 2 -> C.Symbol (Numbers.unary (if below 99 = 0 then List.length letters else below (List.length letters)))
  | _ -> C.Positional (predicate ())

let rec formula depth =
  if depth = 0 then leaf ()
  else
    let f = formula (below depth) and g = formula (below depth) in
    match below 14 with
    | 0 -> C.Not f | 1 -> C.Previous f | 2 -> C.Next f | 3 -> C.And (f, g) | 4 -> C.Or (f, g) | 5 -> C.Implies (f, g)
    | 6 -> C.Iff (f, g) | 7 -> C.Since (f, g) | 8 -> C.Until (f, g) | 9 -> C.OnCount (predicate (), side (), f)
    | 10 -> C.Compare (relation (), term depth, term depth)
    | 11 -> C.Since (C.Truth true, f) | 12 -> C.Until (C.Truth true, f) | _ -> C.Since (C.Or (f, g), g)

and term depth =
  if Random.bool () then C.Number (small ())
  else
    let f = formula (below depth) in
    C.Plus (small (), side (), f, term depth)

(* ---- conditions of the users' predicates, and whether they hold ---- *)

let rec amount depth =
  if depth = 0 then pick [ C.TheNumber; TheLength; Literal C.N0; Literal (C.Npos (positive ())) ]
  else
    let x = amount (below depth) and y = amount (below depth) in
    pick [ C.Negated x; Sum (x, y); Difference (x, y); Times (x, y); Quotient (x, positive ());
           Remainder (x, positive ()); Raised (x, positive ()) ]

let rec condition depth =
  if depth = 0 then
    pick [ C.Tested (pick [ C.SQUARE; POW2; PRIME ], amount (below 3));
           Related (relation (), amount (below 3), amount (below 3)) ]
  else
    let c = condition (below depth) and d = condition (below depth) in
    pick [ C.Fails c; Both (c, d); Either (c, d) ]

let rec number p = match p with C.XH -> 1. | C.XO p -> 2. *. number p | C.XI p -> (2. *. number p) +. 1.

let rec worth (k, n) x =
  let at = worth (k, n) in
  match x with
  | C.Literal C.N0 -> 0. | Literal (C.Npos p) -> number p | TheNumber -> k | TheLength -> n
  | Negated x -> -. at x | Sum (x, y) -> at x +. at y | Difference (x, y) -> at x -. at y
  | Times (x, y) -> at x *. at y
  | Quotient (x, p) -> floor (at x /. number p) | Raised (x, p) -> at x ** number p
  | Remainder (x, p) -> at x -. (number p *. floor (at x /. number p))

let rec holds at = function
  | C.Related (relation, x, y) ->
    let x = worth at x and y = worth at y in
    (match relation with
     | AtMost -> x <= y | Below -> x < y | AtLeast -> x >= y | Above -> x > y | Equal -> x = y | Unequal -> x <> y)
  | Tested (test, x) -> Hashtbl.hash (test, worth at x) land 1 = 0
  | Fails c -> not (holds at c) | Both (c, d) -> holds at c && holds at d | Either (c, d) -> holds at c || holds at d

let places = List.concat_map (fun n -> List.map (fun k -> (k, n)) [ -3.; 0.; 1.; 2.; 5. ]) [ 1.; 2.; 7. ]

(* ---- models ---- *)

let model () =
  let some = Texts.to_coq "SOME", condition 0 and other = Texts.to_coq "OTHER", condition (below 4) in
  { C.model_letters = letters; model_definitions = [ some; other ];
    model_listed = List.init (below 4) (fun _ -> formula (below 3));
    model_directions = [ Texts.to_coq "out" ]; model_labels = []; model_meanings = [ C.IsTruth (formula (below 5)) ];
    model_network = { C.token_embedding = map (fun _ -> []) letters; position_embedding = []; transformer_layers = [];
                      transformer_output = C.O } }

(* Conditions may be read in another form. *)
let mean_the_same (a : C.model) (b : C.model) =
  a.model_listed = b.model_listed && a.model_meanings = b.model_meanings
  && List.for_all2 (fun (_, c) (_, d) -> List.for_all (fun at -> holds at c = holds at d) places)
       a.model_definitions b.model_definitions

let () =
  Random.init (int_of_string Sys.argv.(1));
  let same = ref 0 and refused = ref 0 in
  for _ = 1 to int_of_string Sys.argv.(2) do
    let model = model () in
    let text = Texts.of_coq (C.model_text model) in
    let whole = C.is_whole model in
    match Model.read "model" text with
    | exception (Malformed _ | Unsupported _) -> incr refused
    | found, _ -> if whole && mean_the_same model found.model then incr same else print_string text
  done;
  Printf.printf "%d read as they are, %d refused\n" !same !refused
