(* Reader of the evidence of decisions by classes of words (docs/reference/trained.md, section 4), for networks of one
   attention step: the graph of each unit, its directions, ranges and cuts. It is not trusted: the checker proves what is
   offered. *)

open Outcome
module C = Checker

let part, parts, items, small = Decisions.part, Decisions.parts, Tracks.items, Tracks.small

let bits_of_directions = 30 (* fractional bits of an entry, as in the format *)
let precisions = [ (53, 30); (64, 44) ] (* fractional bits of balls, and of forms *)

let int32s data = List.init (String.length data / 4) (fun k -> Int32.to_int (String.get_int32_le data (4 * k)))
let natural k = Integers.natural (string_of_int k)
let whole k = if k < 0 then Integers.opposite (natural (- k)) else natural k
let rec rows_of width = function
  | [] -> []
  | found -> List.filteri (fun k _ -> k < width) found :: rows_of width (List.filteri (fun k _ -> k >= width) found)

let level found = match found with
  | Json.List nodes -> map (function
      | Json.List targets -> map (fun target -> Integers.unary (small (Some target))) targets
      | _ -> malformed "graphs: expected a list of successors") nodes
  | _ -> malformed "graphs: expected a list of nodes"
let graph = function Json.List levels -> map level levels | _ -> malformed "graphs: expected a list of levels"

(* The directions of each head of the one attention step: rows of integers. *)
let directions widths = function
  | Json.List [ Json.List heads ] when List.compare_lengths heads widths = 0 ->
    List.map2 (fun width head -> map (map whole) (rows_of width (int32s (Tracks.base64 (Some head))))) widths heads
  | _ -> unsupported "directions: this checker is proved for classes of networks with one attention step"

let rec power k = if k <= 0 then natural 1 else Integers.multiply (natural 2) (power (k - 1))

let unit_of balls graphs sets given =
  (* A range is over 2^bits; what is offered is a unit wider, over 2^(bits of a ball + bits of a direction). *)
  let factor = power (balls + bits_of_directions - small (part "bits" given)) in
  let scaled k = Integers.multiply factor (whole k) in
  let heads = List.nth sets (small (part "directions" given)) in
  let widths = map List.length heads in
  let total = List.fold_left ( + ) 0 widths in
  let levels = List.nth graphs (small (part "graph" given)) in
  let rec pairs = function
    | low :: high :: rest -> (scaled (low - 1), scaled (high + 1)) :: pairs rest
    | _ -> [] in
  let boxes = rows_of total (pairs (int32s (Tracks.base64 (part "ranges" given)))) in
  let rec tree = function
    | Json.Object found when List.mem_assoc "below" found ->
      let value = Json.Object found in
      let head = small (part "head" value) in
      let before = List.fold_left ( + ) 0 (List.filteri (fun k _ -> k < head) widths) in
      let at = match part "at" value with
        | Some (Json.Integer digits) -> int_of_string digits | _ -> malformed "cells: expected an integer" in
      let side name = tree (Option.value ~default:Json.Null (part name value)) in
      C.Cut (Integers.unary (before + small (part "direction" value)), scaled at, side "below", side "above")
    | _ -> C.Cell in
  let trees = match part "cells" given with Some (Json.List found) -> map tree found | _ -> map (fun _ -> C.Cell) boxes in
  let rec paired boxes trees = match boxes, trees with
    | box :: boxes, tree :: trees -> (box, tree) :: paired boxes trees | _ -> [] in
  { C.unit_first = Integers.unary (small (part "from" given)); unit_last = Integers.unary (small (part "to" given));
    unit_width = Integers.unary (List.fold_left (fun most found -> max most (List.length found)) 1 levels);
    unit_graph = levels; unit_precision = natural bits_of_directions; unit_directions = heads;
    unit_boxes = paired boxes trees }

(* For each offset with classes: up to which length or place words are run, and its units by classes. *)
let covers value =
  let evidence = part "evidence" value in
  let units = match parts "units" evidence with Some (Json.List found) -> found | _ -> [] in
  let is_by kind given = part "by" given = Some (Json.String kind) in
  let heads = Tracks.heads value in
  let steps = List.filter (fun step -> part "heads" step <> None) (items "steps" (parts "steps" (part "network" value))) in
  if Integers.are_slow || not (List.exists (is_by "classes") units) || List.length steps <> 1
     || parts "attention" (part "network" value) <> Some (Json.String "causal") then []
  else
    let graphs = map graph (items "graphs" (parts "graphs" evidence)) in
    let sets = map (directions (map Tracks.width_of heads)) (items "directions" (parts "directions" evidence)) in
    let number name given = small (part name given) in
    let at_offset offset = List.filter (fun given -> number "offset" given = offset) units in
    let rec reached until = function
      | [] -> until
      | given :: rest -> reached (if number "from" given <= until + 1 then max until (number "to" given) else until) rest in
    let by_start = List.sort (fun a b -> compare (number "from" a) (number "from" b)) in
    let offsets = List.sort_uniq compare (map (number "offset") (List.filter (is_by "classes") units)) in
    map (fun (balls, forms) -> ((natural balls, natural forms), map (fun offset ->
        let here = by_start (at_offset offset) in
        { C.cover_offset = Integers.unary offset;
          cover_words = Integers.unary (reached 0 (List.filter (is_by "words") here));
          cover_units = map (unit_of balls graphs sets) (List.filter (is_by "classes") here) }) offsets)) precisions

(* What cannot be read is not offered: then words are run one by one. *)
let covers value = try covers value with Malformed _ | Unsupported _ | Failure _ | Invalid_argument _ -> []
