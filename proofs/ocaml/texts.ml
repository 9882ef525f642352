(* Texts as in Coq: lists of characters of eight bits, the least first. *)

module C = Checker

let characters = Array.init 256 (fun code ->
    let bit k = code land (1 lsl k) <> 0 in
    C.Ascii (bit 0, bit 1, bit 2, bit 3, bit 4, bit 5, bit 6, bit 7))

let to_coq text =
  let rec go k rest = if k < 0 then rest else go (k - 1) (C.String (characters.(Char.code text.[k]), rest)) in
  go (String.length text - 1) C.EmptyString

let code (C.Ascii (a, b, c, d, e, f, g, h)) =
  List.fold_right (fun bit code -> (2 * code) + if bit then 1 else 0) [ a; b; c; d; e; f; g; h ] 0

let of_coq text =
  let found = Buffer.create 256 in
  let rec go = function
    | C.EmptyString -> Buffer.contents found
    | C.String (c, rest) -> Buffer.add_char found (Char.chr (code c)); go rest
  in
  go text

(* The number, from 1, of the first line in which two texts differ. *)
let first_difference a b =
  let rec go k line =
    if k >= String.length a || k >= String.length b || a.[k] <> b.[k] then line
    else go (k + 1) (if a.[k] = '\n' then line + 1 else line)
  in
  go 0 1
