(* Positions of a word of length n: the numbers from 1 to n.

   [i upto n] says that i is one of them, [each i upto n, P] that P holds of all of them. These are notations for
   inequalities, so lia and auto see through them. A statement about one position takes a number and its bounds at once,
   [i : position n], which is read as the number wherever one is expected; lia knows its bounds. *)
From Coq Require Import Arith Lia.

Module PositionNotations.
Notation "i 'upto' n" := (1 <= i <= n)%nat (at level 70, no associativity).
Notation "'each' i 'upto' n , P" := (forall i, (1 <= i <= n)%nat -> P)
  (at level 200, i name, n at level 69, P at level 200, right associativity).
End PositionNotations.
Import PositionNotations.

Record position (n : nat) := Position { place :> nat; in_word : place upto n }.
Arguments Position {n} & place in_word.
Arguments place {n}.
Arguments in_word {n}.
Lemma each_position {n} {P : nat -> Prop} : (forall i : position n, P i) -> each i upto n, P i.
Proof. intros H i Hi. exact (H (Position i Hi)). Qed.

Local Ltac know_bounds :=
  repeat match goal with i : position ?n |- _ =>
    lazymatch goal with _ : place i upto n |- _ => fail | _ => pose proof (in_word i) end end.
Local Ltac Zify.zify_pre_hook ::= know_bounds.

#[export] Hint Extern 0 (place _ upto _) => apply in_word : core.
