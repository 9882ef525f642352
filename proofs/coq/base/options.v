(* Optional values: one computation after another, and `Some` is injective. *)

Definition option_bind {X Y} (x : option X) (f : X -> option Y) : option Y := match x with Some x => f x | None =>
  None end.
(* `injection` would reduce the arguments. *)
Lemma some_inj {X} (x y : X) : Some x = Some y -> x = y. Proof. now intros [=]. Qed.
