(* The checker of decisions about trained networks by words: whoever reads a file need not be believed.

   `judge_with` writes the value that a reader offers as text, compares it with the text of the file, reads the decision
   from the value, and asks a check of decisions. What the file's evidence says is not looked at. *)
From Coq Require Import String List Bool.
From Certify Require Import formula json_text syntax decision_json same_decision claim.
Import ListNotations.

Inductive decision_answer := TextDiffers | NotRead | DoesNotFit | NotProved | Proved (d : decision_syntax).

Definition judge_with (check : decision_syntax -> bool) (offered : list formula) (text : string) (j : json)
  : decision_answer :=
  if negb (is_json_value j && String.eqb (json_text j) text) then TextDiffers else
  match read_decision offered j with
  | None => NotRead
  | Some d => if negb (is_whole_decision d) then DoesNotFit else if check d then Proved d else NotProved
  end.

Theorem judge_with_holds check (holds : decision_syntax -> Prop) offered text j d :
  (forall d, is_whole_decision d = true -> check d = true -> holds d) ->
  judge_with check offered text j = Proved d -> states text d /\ holds d.
Proof.
  intros Check E. unfold judge_with in E. destruct (is_json_value j) eqn:J; [|discriminate].
  destruct (String.eqb_spec (json_text j) text) as [T|]; [|discriminate]. cbn [andb negb] in E.
  destruct (read_decision offered j) as [found|] eqn:F; [|discriminate].
  destruct (is_whole_decision found) eqn:W; [|discriminate]. destruct (check found) eqn:C; [|discriminate].
  injection E as <-. split; [now exists j, offered|now apply Check].
Qed.
