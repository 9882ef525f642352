(* The cases at one position: its parity, whether it is first or last, and truth values of some formulas.

   Proved: a formula evaluated in the case that is real has its value; and the real case is among those listed. So a
   property checked in every listed case holds at every position of every word. *)
From Coq Require Import Arith Bool List ZArith.
From Certify Require Import formula.
Import ListNotations.

Record case := Case {
  case_odd : bool; case_first : bool; case_last : bool;
  case_assumed : list (formula * bool);
  case_order : comparison }.                     (* how the two sides of the comparison in question compare *)

Fixpoint assumed_truth (l : list (formula * bool)) (f : formula) : option bool :=
  match l with [] => None | (g, b) :: l => if formula_eqb g f then Some b else assumed_truth l f end.

(* Three-valued connectives: None is "not known". *)
Definition kleene_not (a : option bool) : option bool := option_map negb a.
Definition kleene_and (a b : option bool) : option bool :=
  match a, b with
  | Some false, _ | _, Some false => Some false
  | Some true, Some true => Some true
  | _, _ => None
  end.
Definition kleene_or (a b : option bool) : option bool := kleene_not (kleene_and (kleene_not a) (kleene_not b)).
Definition kleene_iff (a b : option bool) : option bool :=
  match a, b with Some a, Some b => Some (eqb a b) | _, _ => None end.

(* The truth of a connective, from the hypothesis H: of its parts, those whose truths are known. *)
Ltac by_parts H :=
  repeat match goal with IH : forall b, ?x = Some b -> truth _ _ _ _ _ = b |- _ =>
    destruct x as [[]|]; [specialize (IH _ eq_refl)|specialize (IH _ eq_refl)|clear IH] end;
  try discriminate H; injection H as <-; cbn [truth];
  repeat match goal with T : truth _ _ _ _ _ = _ |- _ => rewrite T; clear T end;
  now rewrite ?andb_false_r, ?orb_true_r, ?implb_true_r.

Section Evaluate.
Variable c : case.

(* Truths that depend on the position only: predicates, and `prev` and `next` at the edges. *)
Definition from_position (f : formula) : option bool :=
  match f with
  | Positional ODD => Some (case_odd c)
  | Positional EVEN => Some (negb (case_odd c))
  | Positional FIRST => Some (case_first c)
  | Positional LAST => Some (case_last c)
  | Previous _ => if case_first c then Some false else None
  | Next _ => if case_last c then Some false else None
  | _ => None
  end.

Fixpoint evaluate (f : formula) : option bool :=
  match from_position f with
  | Some b => Some b
  | None =>
    match assumed_truth (case_assumed c) f with
    | Some b => Some b
    | None =>
      match f with
      | Truth b => Some b
      | Not f => kleene_not (evaluate f)
      | And f g => kleene_and (evaluate f) (evaluate g)
      | Or f g => kleene_or (evaluate f) (evaluate g)
      | Implies f g => kleene_or (kleene_not (evaluate f)) (evaluate g)
      | Iff f g => kleene_iff (evaluate f) (evaluate g)
      | _ => None
      end
    end
  end.
End Evaluate.

(* The same at once for all symbols, of which there are `letters`, with no other assumption than which symbol it is. *)
Fixpoint one_of (letters a : nat) : list (option bool) :=
  match letters, a with
  | O, _ => []
  | S letters, O => Some true :: repeat (Some false) letters
  | S letters, S a => Some false :: one_of letters a
  end.
Fixpoint with_each {X Y Z} (f : X -> Y -> Z) (l : list X) (m : list Y) : list Z :=
  match l, m with x :: l, y :: m => f x y :: with_each f l m | _, _ => [] end.

Section ByLetter.
Variables (c : case) (letters : nat).
Fixpoint by_letter (f : formula) : list (option bool) :=
  match from_position c f with
  | Some b => repeat (Some b) letters
  | None =>
    match f with
    | Truth b => repeat (Some b) letters
    | Symbol a => one_of letters a
    | Not f => map kleene_not (by_letter f)
    | And f g => with_each kleene_and (by_letter f) (by_letter g)
    | Or f g => with_each kleene_or (by_letter f) (by_letter g)
    | Implies f g => with_each kleene_or (map kleene_not (by_letter f)) (by_letter g)
    | Iff f g => with_each kleene_iff (by_letter f) (by_letter g)
    | _ => repeat None letters
    end
  end.
End ByLetter.

Definition all_bools := [true; false].
Fixpoint truth_assignments (atoms : list formula) : list (list (formula * bool)) :=
  match atoms with
  | [] => [[]]
  | f :: atoms => flat_map (fun l => [(f, true) :: l; (f, false) :: l]) (truth_assignments atoms)
  end.
Definition cases_of_atoms (atoms : list formula) (orders : list comparison) : list case :=
  flat_map (fun o => flat_map (fun f => flat_map (fun l => flat_map (fun a =>
    map (fun r => Case o f l a r) orders) (truth_assignments atoms)) all_bools) all_bools) all_bools.

Section Real.
Variables (users : predicate_meanings) (n : nat) (w : word) (i : nat).

Definition case_holds (c : case) : Prop := case_odd c = Nat.odd i /\ case_first c = (i =? 1) /\
  case_last c = (i =? n) /\ forall f b, assumed_truth (case_assumed c) f = Some b -> truth users n w f i = b.

Definition real_case (atoms : list formula) (r : comparison) : case :=
  Case (Nat.odd i) (i =? 1) (i =? n) (map (fun f => (f, truth users n w f i)) atoms) r.

Lemma real_case_real atoms r : case_holds (real_case atoms r).
Proof.
  repeat split. simpl. intros f b. induction atoms as [|g atoms IH]; simpl; [discriminate|].
  destruct (formula_eqb g f) eqn:E; [|exact IH]. apply formula_eqb_eq in E. subst g. now intros [= <-].
Qed.

Lemma bool_listed b : In b all_bools. Proof. destruct b; simpl; auto. Qed.

Lemma real_case_listed atoms orders r : In r orders -> In (real_case atoms r) (cases_of_atoms atoms orders).
Proof.
  intros Hr. unfold cases_of_atoms, real_case. apply in_flat_map. exists (Nat.odd i). split; [apply bool_listed|].
  apply in_flat_map. exists (i =? 1). split; [apply bool_listed|]. apply in_flat_map. exists (i =? n).
  split; [apply bool_listed|]. apply in_flat_map. exists (map (fun f => (f, truth users n w f i)) atoms).
  split; [|now apply (in_map (Case _ _ _ _))]. clear Hr. induction atoms as [|f atoms IH]; simpl; [now left|].
  apply in_flat_map. eexists. split; [exact IH|]. destruct (truth users n w f i); simpl; auto.
Qed.

Lemma from_position_correct c f b : case_holds c -> from_position c f = Some b -> truth users n w f i = b.
Proof.
  intros (O & F & L & _) H.
  destruct f as [| | | | | | |g|g| | |[]| | |]; simpl in H; try discriminate; cbn; try (injection H as <-; congruence).
  - destruct (case_first c) eqn:E; [|discriminate]. injection H as <-. now rewrite <- F.
  - destruct (case_last c) eqn:E; [|discriminate]. injection H as <-. now rewrite <- L.
  - injection H as <-. now rewrite O, Nat.negb_odd.
Qed.

Theorem evaluate_correct c : case_holds c -> forall f b, evaluate c f = Some b -> truth users n w f i = b.
Proof.
  intros R. pose proof R as (_ & _ & _ & A).
  induction f as [b0| |f IHf|f IHf g IHg|f IHf g IHg|f IHf g IHg|f IHf g IHg| | | | | | | |]; intros b H;
    cbn [evaluate] in H; (match type of H with match from_position ?c ?f with _ => _ end = _ =>
    destruct (from_position c f) eqn:P; [injection H as <-; now apply (from_position_correct c)|] end);
    (match type of H with match assumed_truth ?l ?f with _ => _ end = _ => destruct (assumed_truth l f) eqn:S;
    [injection H as <-; now apply A|] end); try discriminate. all: by_parts H.
Qed.

Lemma one_of_nth letters a s b : nth s (one_of letters a) None = Some b -> Nat.eqb s a = b.
Proof.
  revert a s. induction letters as [|k IH]; intros a s H; [destruct s; discriminate|].
  destruct a as [|a], s as [|s]; simpl in H |- *; try congruence; [|now apply IH].
  destruct (nth_in_or_default s (repeat (Some false) k) None) as [I|E]; [|congruence].
  apply repeat_spec in I. congruence.
Qed.

Lemma repeat_nth {X} (x : option X) k s y : nth s (repeat x k) None = Some y -> x = Some y.
Proof.
  intros H. destruct (nth_in_or_default s (repeat x k) None) as [I|E]; [|congruence].
  apply repeat_spec in I. congruence.
Qed.

Lemma with_each_nth {X Y Z} (f : option X -> option Y -> option Z) l m s z :
  nth s (with_each f l m) None = Some z -> f (nth s l None) (nth s m None) = Some z.
Proof. revert m s. induction l as [|x l IH]; intros [|y m] [|s] H; try discriminate; [exact H|exact (IH m s H)]. Qed.

Lemma map_not3_nth l s : nth s (map kleene_not l) None = kleene_not (nth s l None).
Proof. change None with (kleene_not None) at 1. apply map_nth. Qed.

(* The symbol at i determines the truth of a statement about it. *)
Theorem by_letter_correct c letters : case_holds c -> forall f b, nth (w i) (by_letter c letters f) None = Some b ->
  truth users n w f i = b.
Proof.
  intros R.
  induction f as [b0| |f IHf|f IHf g IHg|f IHf g IHg|f IHf g IHg|f IHf g IHg| | | | | | | |]; intros b H;
    cbn [by_letter] in H; (match type of H with context [from_position ?c ?f] => destruct (from_position c f) eqn:P;
    [apply repeat_nth in H; injection H as <-; now apply (from_position_correct c)|] end); try (apply repeat_nth in H;
    discriminate).
  - apply repeat_nth in H. now injection H.
  - exact (one_of_nth _ _ _ _ H).
  - rewrite map_not3_nth in H. by_parts H.
  - apply with_each_nth in H. by_parts H.
  - apply with_each_nth in H. by_parts H.
  - apply with_each_nth in H. rewrite map_not3_nth in H. by_parts H.
  - apply with_each_nth in H. by_parts H.
Qed.
End Real.

(* Where the guard may hold, `good` holds. *)
Definition guard_ensures (guard : formula) (atoms : list formula) (good : case -> bool) : bool :=
  forallb (fun c => match evaluate c guard with Some false => true | _ => good c end) (cases_of_atoms atoms [Eq]).

Lemma guard_ensures_correct users n w i guard atoms good : guard_ensures guard atoms good = true ->
  truth users n w guard i = true -> good (real_case users n w i atoms Eq) = true.
Proof.
  intros H G. unfold guard_ensures in H. rewrite forallb_forall in H.
  specialize (H _ (real_case_listed users n w i atoms [Eq] Eq (or_introl eq_refl))).
  pose proof (evaluate_correct users n w i _ (real_case_real users n w i atoms Eq) guard) as E.
  destruct (evaluate _ guard) as [[]|]; auto. specialize (E false eq_refl). congruence.
Qed.
