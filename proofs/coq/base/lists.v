(* Lengths of lists, under the names that the standard library has for them from Coq 8.20 on. *)
From Coq Require Import List.
Import ListNotations.

Lemma length_app {X} (l m : list X) : length (l ++ m) = length l + length m.
Proof. induction l as [|x l IH]; simpl; congruence. Qed.

Lemma length_map {X Y} (f : X -> Y) (l : list X) : length (map f l) = length l.
Proof. induction l as [|x l IH]; simpl; congruence. Qed.

Lemma length_seq (k start : nat) : length (seq start k) = k.
Proof. revert start. induction k as [|k IH]; intros start; simpl; congruence. Qed.

(* All of the results, if there are such. *)
Fixpoint traverse {X Y} (f : X -> option Y) (l : list X) : option (list Y) :=
  match l with
  | [] => Some []
  | x :: l => match f x with
              | Some y => match traverse f l with Some m => Some (y :: m) | None => None end
              | None => None
              end
  end.

Lemma traverse_in {X Y} (f : X -> option Y) l : forall m x, traverse f l = Some m -> In x l ->
  exists y, f x = Some y /\ In y m.
Proof.
  induction l as [|x0 l IH]; intros m x H I; [easy|]. cbn [traverse] in H. destruct (f x0) as [y|] eqn:E; [|discriminate].
  destruct (traverse f l) as [m'|]; [|discriminate]. assert (m = y :: m') as -> by congruence. destruct I as [->|I].
  - exists y. split; [exact E|now left].
  - destruct (IH m' x eq_refl I) as (z & Ez & Iz). exists z. split; [exact Ez|now right].
Qed.
Lemma traverse_nth {X Y} (f : X -> option Y) l : forall m k x, traverse f l = Some m -> nth_error l k = Some x ->
  exists y, nth_error m k = Some y /\ f x = Some y.
Proof.
  induction l as [|x0 l IH]; intros m [|k] x H I; try discriminate; cbn [traverse] in H;
    destruct (f x0) as [y|] eqn:E; try discriminate; destruct (traverse f l) as [m'|]; try discriminate;
    (assert (m = y :: m') as -> by congruence).
  - injection I as <-. now exists y.
  - exact (IH _ k x eq_refl I).
Qed.
Lemma traverse_length {X Y} (f : X -> option Y) l : forall m, traverse f l = Some m -> length m = length l.
Proof.
  induction l as [|x0 l IH]; intros m H; cbn [traverse] in H; [now injection H as <-|].
  destruct (f x0); [|discriminate]. destruct (traverse f l) as [m'|]; [|discriminate].
  assert (m = y :: m') as -> by congruence. simpl. now rewrite (IH m').
Qed.
