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
  induction l as [|x0 l IH]; intros m x H I; [easy|]. cbn [traverse] in H. destruct (f x0) as [y|] eqn:E;
    [|discriminate].
  destruct (traverse f l) as [m'|]; [|discriminate]. assert (m = y :: m') as -> by congruence. destruct I as [->|I].
  - exists y. split; [exact E|now left].
  - destruct (IH m' x eq_refl I) as (z & Ez & Iz). exists z. split; [exact Ez|now right].
Qed.
Lemma traverse_nth {X Y} (f : X -> option Y) l : forall m k x, traverse f l = Some m -> nth_error l k = Some x ->
  exists y, nth_error m k = Some y /\ f x = Some y.
Proof.
  induction l as [|x0 l IH]; intros m [|k] x H I; try discriminate; cbn [traverse] in H; destruct (f x0) as [y|] eqn:E;
    try discriminate; destruct (traverse f l) as [m'|]; try discriminate; (assert (m = y :: m') as -> by congruence).
  - injection I as <-. now exists y.
  - exact (IH _ k x eq_refl I).
Qed.
Lemma traverse_length {X Y} (f : X -> option Y) l : forall m, traverse f l = Some m -> length m = length l.
Proof.
  induction l as [|x0 l IH]; intros m H; cbn [traverse] in H; [now injection H as <-|].
  destruct (f x0); [|discriminate]. destruct (traverse f l) as [m'|]; [|discriminate].
  assert (m = y :: m') as -> by congruence. simpl. now rewrite (IH m').
Qed.

(* `existsb` and `forallb` stop early only where || and && do;
  these do so in Coq's virtual machine, too. *)
Fixpoint some_of {X} (f : X -> bool) (l : list X) : bool :=
  match l with [] => false | x :: l => if f x then true else some_of f l end.
Fixpoint all_of {X} (f : X -> bool) (l : list X) : bool :=
  match l with [] => true | x :: l => if f x then all_of f l else false end.

Lemma some_of_exists {X} (f : X -> bool) l : some_of f l = true -> exists x, In x l /\ f x = true.
Proof.
  induction l as [|x l IH]; cbn [some_of]; [discriminate|]. destruct (f x) eqn:E; intros H.
  - exists x. split; [now left|exact E].
  - destruct (IH H) as (y & I & F). exists y. split; [now right|exact F].
Qed.
Lemma all_of_forall {X} (f : X -> bool) l : all_of f l = true -> forall x, In x l -> f x = true.
Proof.
  induction l as [|x l IH]; cbn [all_of]; [easy|]. destruct (f x) eqn:E; [|discriminate].
  intros H y [->|I]; [exact E|now apply IH].
Qed.
Lemma if_or (a b : bool) : (if a then true else b) = true -> a = true \/ b = true. Proof. destruct a; auto. Qed.
Lemma if_and (a b : bool) : (if a then b else false) = true -> a = true /\ b = true.
Proof. destruct a; [auto|discriminate]. Qed.
