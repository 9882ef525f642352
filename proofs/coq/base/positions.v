(* Positions of a word of length n: the numbers from 1 to n.

   [i upto n] says that i is one of them, [each i upto n, P] that P holds of all of them. These are notations for
   inequalities, so lia and auto see through them. *)
From Coq Require Import Arith.

Notation "i 'upto' n" := (1 <= i <= n)%nat (at level 70, no associativity).
Notation "'each' i 'upto' n , P" := (forall i, (1 <= i <= n)%nat -> P)
  (at level 200, i name, n at level 69, P at level 200, right associativity).
