(* The user's predicates as data: conditions on an integer k (a position, a count or a sum of counts) and the length n,
   and what they mean (docs/reference/certificate.md, section 1). To be compared with
   constructions/language/expressions.py.

   Numbers are integers. `//` rounds down and `%` is never negative, as in docs/reference/formulas.md; what is on their
   right, and on the right of `^`, is a positive number, so that everything has a value. *)
From Coq Require Import String ZArith List Bool.
From Certify Require Import formula.
Import ListNotations.

Inductive number_expression :=
| Literal (z : N) | TheNumber | TheLength
| Negated (x : number_expression) | Sum (x y : number_expression) | Difference (x y : number_expression) | Times (x y :
  number_expression)
| Quotient (x : number_expression) (divisor : positive) | Remainder (x : number_expression) (divisor : positive)
| Raised (x : number_expression) (exponent : positive).

Inductive predicate_condition :=
| Related (r : relation) (x y : number_expression)
| Tested (p : predicate) (x : number_expression)                                  (* SQUARE, POW2 or PRIME *)
| Fails (c : predicate_condition) | Both (c d : predicate_condition) | Either (c d : predicate_condition).

Fixpoint amount_value (x : number_expression) (k : Z) (n : nat) : Z :=
  match x with
  | Literal z => Z.of_N z | TheNumber => k | TheLength => Z.of_nat n
  | Negated x => - amount_value x k n
  | Sum x y => amount_value x k n + amount_value y k n
  | Difference x y => amount_value x k n - amount_value y k n
  | Times x y => amount_value x k n * amount_value y k n
  | Quotient x d => amount_value x k n / Zpos d
  | Remainder x d => amount_value x k n mod Zpos d
  | Raised x d => amount_value x k n ^ Zpos d
  end%Z.

(* No negative number is a square, a power of two or a prime. *)
Fixpoint condition_holds (c : predicate_condition) (k : Z) (n : nat) : bool :=
  match c with
  | Related r x y => relation_holds r (amount_value x k n) (amount_value y k n)
  | Tested p x => let z := amount_value x k n in (0 <=? z)%Z && predicate_holds (fun _ _ _ => false) p (Z.to_nat z) 0
  | Fails c => negb (condition_holds c k n)
  | Both c d => condition_holds c k n && condition_holds d k n
  | Either c d => condition_holds c k n || condition_holds d k n
  end.

(* Name by name: the predicate `User name` of a formula is the one at that place, from 0. *)
Definition predicate_definition := (string * predicate_condition)%type.
Definition users_of (definitions : list predicate_definition) (name : nat) (k : Z) (n : nat) : bool :=
  match nth_error definitions name with Some (_, c) => condition_holds c k n | None => false end.

Fixpoint amount_mentions_length (x : number_expression) : bool :=
  match x with
  | TheLength => true
  | Literal _ | TheNumber => false
  | Negated x | Quotient x _ | Remainder x _ | Raised x _ => amount_mentions_length x
  | Sum x y | Difference x y | Times x y => amount_mentions_length x || amount_mentions_length y
  end.
Fixpoint mentions_length (c : predicate_condition) : bool :=
  match c with
  | Related _ x y => amount_mentions_length x || amount_mentions_length y
  | Tested _ x => amount_mentions_length x
  | Fails c => mentions_length c
  | Both c d | Either c d => mentions_length c || mentions_length d
  end.
