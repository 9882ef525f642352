(* Optional values: one computation after another, and `Some` is injective (`injection` would reduce the arguments). *)
Definition option_bind {X Y} (x : option X) (f : X -> option Y) : option Y := match x with Some x => f x | None =>
  None end.
Lemma some_inj {X} (x y : X) : Some x = Some y -> x = y. Proof. now intros [=]. Qed.
