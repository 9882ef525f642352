(* Decimal digits to the numbers of the extracted checker, which are in binary (or, nat, in unary). *)

open Outcome
module C = Checker

let most_digits = 1000
let most_unary = 100_000

let is_digits text = text <> "" && String.for_all (fun c -> c >= '0' && c <= '9') text

(* The bits, the least first in the making and so the greatest first in the list: halve until nothing is left. *)
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

(* A natural number as an integer of type Z. *)
let natural digits =
  match bits digits with
  | [] -> C.Z0
  | _ :: rest -> C.Zpos (List.fold_left (fun p bit -> if bit then C.XI p else C.XO p) C.XH rest)

let rational_of_integer z = { C.qnum = z; C.qden = C.XH }

(* The rational -?digits(/digits)?, in lowest terms; None if the text is not of that form. *)
let rational text =
  let negative = text <> "" && text.[0] = '-' in
  let body = if negative then String.sub text 1 (String.length text - 1) else text in
  let numerator, denominator =
    match String.index_opt body '/' with
    | None -> (body, "1")
    | Some k -> (String.sub body 0 k, String.sub body (k + 1) (String.length body - k - 1))
  in
  let fits digits = is_digits digits && String.length digits <= most_digits in
  if not (fits numerator && fits denominator) then None
  else
    let sign z = if negative then C.Z.opp z else z in
    match natural denominator with
    | C.Zpos C.XH -> Some (rational_of_integer (sign (natural numerator)))
    | C.Zpos p -> Some (C.qred { C.qnum = sign (natural numerator); C.qden = p })
    | _ -> None

let is_zero q = q.C.qnum = C.Z0

(* How many bits a positive number has, as far as a limit. *)
let rec is_longer_than limit p =
  limit = 0 || match p with C.XH -> false | C.XO p | C.XI p -> is_longer_than (limit - 1) p

let is_long z = match z with C.Z0 -> false | C.Zpos p | C.Zneg p -> is_longer_than 3322 p

(* A number of type nat, which is in unary. *)
let unary k =
  let rec go k found = if k = 0 then found else go (k - 1) (C.S found) in
  go k C.O

let unary_of_digits digits =
  if String.length digits > 9 || int_of_string digits > most_unary then
    unsupported "the number %s of a predicate, which Coq writes in unary: at most %d here" (quote digits) most_unary;
  unary (int_of_string digits)
