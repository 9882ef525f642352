(* Lengths of lists, under the names that the standard library has for them from Coq 8.20 on. *)
From Coq Require Import List.
Import ListNotations.

Lemma length_app {X} (l m : list X) : length (l ++ m) = length l + length m.
Proof. induction l as [|x l IH]; simpl; congruence. Qed.

Lemma length_map {X Y} (f : X -> Y) (l : list X) : length (map f l) = length l.
Proof. induction l as [|x l IH]; simpl; congruence. Qed.

Lemma length_seq (k start : nat) : length (seq start k) = k.
Proof. revert start. induction k as [|k IH]; intros start; simpl; congruence. Qed.
