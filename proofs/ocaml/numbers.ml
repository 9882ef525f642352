(* Decimal digits to the numbers of the extracted checker. *)

open Outcome
module C = Checker

let most_digits = 1000
let most_unary = 100_000

let is_digits text = text <> "" && String.for_all (fun c -> c >= '0' && c <= '9') text

(* A natural number as an integer of type Z. *)
let natural = Integers.natural

let one = Option.get (Integers.positive Integers.one)
let rational_of_integer z = { C.qnum = z; C.qden = one }

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
    let sign z = if negative then Integers.opposite z else z in
    match Integers.positive (natural denominator) with
    | Some p when p = one -> Some (rational_of_integer (sign (natural numerator)))
    | Some p -> Some (C.qred { C.qnum = sign (natural numerator); C.qden = p })
    | None -> None

let is_zero q = q.C.qnum = Integers.zero

let is_long z = Integers.is_longer_than 3322 z

(* A number of type nat. *)
let unary = Integers.unary

let unary_of_digits digits =
  if String.length digits > 9 || int_of_string digits > most_unary then
    unsupported "the number %s of a predicate, which Coq writes in unary: at most %d here" (quote digits) most_unary;
  unary (int_of_string digits)
