(* What a text states about a trained network: a decision, and no text states two (`states_once`).

   Whoever reads a file need not be believed: it offers a JSON value and formulas. The value is written as text, and
   the texts are compared. *)
From Coq Require Import String List Bool Arith.
From Certify Require Import lists formula json_text formula_text model_text text_trees json_text_once same_text syntax
  decision_json claim.
Import ListNotations.
Open Scope string_scope.

Local Notation "'let*' x ':=' a 'in' b" := (match a with Some x => b | None => None end)
  (at level 200, x pattern, a at level 100, b at level 200).

(* ---- a value that has a text of its own ---- *)
Fixpoint is_json_value (j : json) : bool :=
  match j with
  | Verbatim s => is_verbatim s
  | Quoted s => is_spelling s
  | Items l => forallb is_json_value l
  | Fields l => forallb (fun field : string * json => let (key, value) := field in is_spelling key && is_json_value
      value) l
  end.
Lemma json_value_is j : is_json_value j = true -> is_json j.
Proof.
  revert j. fix IH 1. intros [s|s|l|l] E; cbn in E.
  - now apply is_plain.
  - now apply is_quoted, spelling_closed.
  - apply is_items. induction l as [|j l Each]; constructor; cbn in E; apply andb_prop in E as [J E]; auto.
  - apply is_fields. induction l as [|[key j] l Each]; constructor; cbn in E; apply andb_prop in E as [J E]; auto.
    apply andb_prop in J as [K J]. split; [now apply spelling_closed|now apply IH].
Qed.

Definition states (text : string) (d : decision_syntax) : Prop := exists j offered, is_json_value j = true /\
  json_text j = text /\ read_decision offered j = Some d /\ is_whole_decision d = true.

(* Which formulas are offered does not matter. *)
Lemma traverse_once {X Y} (f g : X -> option Y) l : forall m k, (forall x a b, f x = Some a -> g x = Some b -> a = b) ->
  traverse f l = Some m -> traverse g l = Some k -> m = k.
Proof.
  induction l as [|x l IH]; intros m k Once E F; cbn in E, F; [congruence|].
  destruct (f x) as [a|] eqn:A, (g x) as [b|] eqn:B; try discriminate.
  destruct (traverse f l) as [m'|], (traverse g l) as [k'|]; try discriminate. injection E as <-. injection F as <-.
  f_equal; [now apply (Once x)|now apply IH].
Qed.
Section Once.
Variables (letters : list string) (offered others : list formula).
Hypothesis Letters : are_names letters = true.

Lemma read_formula_once j f g : read_formula offered letters j = Some f -> read_formula others letters j = Some g ->
  f = g.
Proof.
  destruct j as [|s| |]; try discriminate. unfold read_formula. intros A%find_some B%find_some.
  destruct A as [_ A], B as [_ B]. apply andb_prop in A as [A1 A2], B as [B1 B2]. apply String.eqb_eq in A2, B2.
  apply andb_prop in Letters as [Once Spelled]. rewrite forallb_forall in Spelled.
  assert (Closed : forallb closed_string letters = true).
  { apply forallb_forall. intros letter I. now apply spelling_closed, Spelled. }
  apply (formula_text_once letters [] [] [] Closed Once eq_refl eq_refl) with (f := f) (g := g); try easy; congruence.
Qed.
Lemma read_when_once j x y : read_when offered letters j = Some x -> read_when others letters j = Some y -> x = y.
Proof.
  assert (Both : forall j, (let* values := values_of ["formula"; "states"] j in
      match values with
      | [f; states] =>
          let* f := read_formula offered letters f in
          let* states := read_list read_natural states in
          Some (WhenBoth (Some f) (Some states))
      | _ => None
      end) = Some x -> (let* values := values_of ["formula"; "states"] j in
      match values with
      | [f; states] =>
          let* f := read_formula others letters f in
          let* states := read_list read_natural states in
          Some (WhenBoth (Some f) (Some states))
      | _ => None
      end) = Some y -> x = y).
  { clear j. intros j. destruct (values_of _ j) as [[|f [|states [|]]]|]; try discriminate.
    destruct (read_formula offered letters f) as [a|] eqn:A, (read_formula others letters f) as [b|] eqn:B;
      try discriminate. rewrite (read_formula_once f a b A B). congruence. }
  unfold read_when. destruct j as [| | |[|[key value] [|]]]; try apply Both.
  destruct (String.eqb key "states"); [congruence|]. destruct (String.eqb key "formula"); [|discriminate].
  destruct (read_formula offered letters value) as [a|] eqn:A, (read_formula others letters value) as [b|] eqn:B;
    try discriminate. rewrite (read_formula_once value a b A B). congruence.
Qed.
Lemma read_case_once j x y : read_case offered letters j = Some x -> read_case others letters j = Some y -> x = y.
Proof.
  unfold read_case. destruct (values_of _ j) as [[|when [|above [|]]]|]; try discriminate.
  destruct (read_when offered letters when) as [a|] eqn:A, (read_when others letters when) as [b|] eqn:B;
    try discriminate. rewrite (read_when_once when a b A B). congruence.
Qed.
End Once.
Lemma read_decision_by_once by_what by_what' offered others j d e : are_names (claim_alphabet (decision_claim (fst d)))
  = true -> read_decision_by by_what offered j = Some d -> read_decision_by by_what' others j = Some e ->
  by_what = by_what' /\ d = e.
Proof.
  assert (Parts : forall p q, read_parts by_what j = Some p -> read_parts by_what' j = Some q -> by_what = by_what' /\
      p = q).
  { unfold read_parts. intros p q.
    destruct (values_of _ j) as [[|a1 [|a2 [|a3 [|a4 [|a5 [|a6 [|a7 [|a8 [|a9 [|]]]]]]]]]]|]; try discriminate.
    destruct (read_network a7); [|discriminate]. destruct (read_claim_but_cases a8) as [[c cases]|]; [|discriminate].
    destruct a6; rewrite ?andb_false_r; try discriminate. cbn [is_text].
    destruct (String.eqb_spec by_what s) as [<-|]; rewrite ?andb_false_r; [|discriminate].
    destruct (String.eqb_spec by_what' by_what) as [->|]; rewrite ?andb_false_r; [|discriminate].
    intros E F. split; [reflexivity|congruence]. }
  unfold read_decision_by. intros Names A B. destruct (read_parts by_what j) as [p|] eqn:P; [|discriminate].
  destruct (read_parts by_what' j) as [q|] eqn:Q; [|discriminate]. destruct (Parts p q eq_refl eq_refl) as [-> <-].
  destruct p as [[[network claim] cases] evidence]. split; [reflexivity|].
  destruct (read_list _ cases) as [a|] eqn:E in A; [|discriminate].
  destruct (read_list _ cases) as [b|] eqn:F in B; [|discriminate]. injection A as <-. injection B as <-.
  replace b with a; [reflexivity|]. destruct cases as [| |l|]; try discriminate.
  eapply traverse_once; [|exact E|exact F]. now apply read_case_once.
Qed.

Lemma whole_alphabet d : is_whole_decision d = true -> are_names (claim_alphabet (decision_claim d)) = true.
Proof. unfold is_whole_decision, is_whole_claim. cbv zeta. rewrite !andb_true_iff. tauto. Qed.
Theorem states_once text d e : states text d -> states text e -> d = e.
Proof.
  intros (j & offered & J & T & D & W) (k & others & K & U & E & _).
  assert (j = k) as <- by (apply json_text_once; [now apply json_value_is|now apply json_value_is|congruence]).
  unfold read_decision in D, E. destruct (read_decision_by _ offered j) as [d'|] eqn:A; [|discriminate].
  destruct (read_decision_by _ others j) as [e'|] eqn:B; [|discriminate]. injection D as <-. injection E as <-.
  now destruct (read_decision_by_once _ _ _ _ _ _ _ (whole_alphabet _ W) A B) as [_ ->].
Qed.
