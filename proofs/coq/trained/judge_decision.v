(* The checker of decisions about trained networks by words: whoever reads a file need not be believed.

   `judge_with` writes the value that a reader offers as text, compares it with the text of the file, reads the decision
   from the value, and asks a check of decisions. What the file's evidence says is not looked at. *)
From Coq Require Import String List Bool.
From Certify Require Import formula json_text syntax decision_json same_decision claim.
Import ListNotations.

Inductive answer_about (X : Type) := TextDiffers | NotRead | DoesNotFit | NotProved | Proved (x : X).
Arguments TextDiffers {X}. Arguments NotRead {X}. Arguments DoesNotFit {X}. Arguments NotProved {X}.
Arguments Proved {X} x.
Definition decision_answer : Type := answer_about decision_syntax.

(* The same for any statement that is read. *)
Section Judge.
Context {X : Type}.
Variables (read : json -> option X) (fits check : X -> bool).
Definition judge_text (text : string) (j : json) : answer_about X :=
  if negb (is_json_value j && String.eqb (json_text j) text) then TextDiffers else
  match read j with
  | None => NotRead
  | Some x => if negb (fits x) then DoesNotFit else if check x then Proved x else NotProved
  end.
Lemma judge_text_holds text j x : judge_text text j = Proved x ->
  is_json_value j = true /\ json_text j = text /\ read j = Some x /\ fits x = true /\ check x = true.
Proof.
  unfold judge_text. destruct (is_json_value j); [|discriminate].
  destruct (String.eqb_spec (json_text j) text) as [T|]; [|discriminate]. cbn [andb negb].
  destruct (read j) as [found|]; [|discriminate]. destruct (fits found) eqn:F; [|discriminate].
  destruct (check found) eqn:C; [|discriminate]. intros [= <-]. auto.
Qed.
End Judge.

Definition judge_with (check : decision_syntax -> bool) (offered : list formula) : string -> json -> decision_answer :=
  judge_text (read_decision offered) is_whole_decision check.

Theorem judge_with_holds check (holds : decision_syntax -> Prop) offered text j d :
  (forall d, is_whole_decision d = true -> check d = true -> holds d) ->
  judge_with check offered text j = Proved d -> states text d /\ holds d.
Proof.
  intros Check E. apply judge_text_holds in E as (J & T & R & W & C). split; [now exists j, offered|now apply Check].
Qed.
