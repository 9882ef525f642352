(* Numbers of the extracted checker where Coq's types nat, positive, N and Z are numbers of Zarith. *)

type nat = Z.t
type z = Z.t
type positive = Z.t

let are_slow = false

let none = Z.zero
let successor = Z.succ
let unary = Z.of_int
let int_of_nat = Z.to_int
let zero = Z.zero
let one = Z.one
let minus_one = Z.minus_one
let add = Z.add
let multiply = Z.mul
let opposite = Z.neg

(* A natural number from its decimal digits. *)
let natural digits = Z.of_string_base 10 digits

(* A positive number as positive, and as N. *)
let positive z = if Z.sign z > 0 then Some z else None
let natural_of z = if Z.sign z > 0 then z else Z.zero

(* Whether a number has more than this many bits. *)
let is_longer_than limit z = Z.numbits z > limit
