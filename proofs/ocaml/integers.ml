(* Numbers of the extracted checker as in Coq: in binary, or, those of type nat, in unary.

   Only this file and `checker.ml` depend on the representation of numbers, so that a checker with other numbers
   (verified/zarith/integers.ml) has the same readers. *)

module C = Checker

type nat = C.nat
type z = C.z
type positive = C.positive

let are_slow = true (* with them gelu, which takes long sums, is not tried *)

(* ---- nat ---- *)

let none = C.O
let successor k = C.S k

let unary k =
  let rec go k found = if k = 0 then found else go (k - 1) (C.S found) in
  go k C.O

let int_of_nat k =
  let rec go found = function C.O -> found | C.S k -> go (found + 1) k in
  go 0 k

(* ---- z ---- *)

let zero = C.Z0
let one = C.Zpos C.XH
let minus_one = C.Zneg C.XH
let add = C.Z.add
let multiply = C.Z.mul
let opposite = C.Z.opp

(* The bits, the greatest first: repeated halving yields the least one first, and the list is built in reverse. *)
let bits digits =
  let width = 8 and base = 100_000_000 in
  let length = String.length digits in
  let count = (length + width - 1) / width in
  let limbs = Array.init count (fun k ->
      let stop = length - (count - 1 - k) * width in
      let start = max 0 (stop - width) in
      int_of_string (String.sub digits start (stop - start))) in
  let rec go first found =
    if first = count then found
    else if limbs.(first) = 0 then go (first + 1) found
    else begin
      let carry = ref 0 in
      for k = first to count - 1 do
        let now = (!carry * base) + limbs.(k) in
        limbs.(k) <- now / 2;
        carry := now mod 2
      done;
      go first ((!carry = 1) :: found)
    end
  in
  go 0 []

(* A natural number from its decimal digits. *)
let natural digits =
  match bits digits with
  | [] -> C.Z0
  | _ :: rest -> C.Zpos (List.fold_left (fun p bit -> if bit then C.XI p else C.XO p) C.XH rest)

(* A positive number as positive, and as N. *)
let positive = function C.Zpos p -> Some p | _ -> None
let natural_of = function C.Zpos p -> C.Npos p | _ -> C.N0

(* Whether a number has more than this many bits. *)
let is_longer_than limit z =
  let rec go limit p = limit = 0 || match p with C.XH -> false | C.XO p | C.XI p -> go (limit - 1) p in
  match z with C.Z0 -> false | C.Zpos p | C.Zneg p -> go limit p
