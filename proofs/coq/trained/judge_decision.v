(* Judges of decisions about trained networks: whoever reads a file need not be believed.

   `judge_with` writes the value that a reader offers as text, compares it with the text of the file, reads what it
   states from the value, and asks a check of that. *)
From Coq Require Import String List Bool.
From Certify Require Import json_text syntax same_decision.
Import ListNotations.

Inductive answer_about (D : Type) := TextDiffers | NotRead | DoesNotFit | NotProved | Proved (d : D).
Arguments TextDiffers {D}. Arguments NotRead {D}. Arguments DoesNotFit {D}. Arguments NotProved {D}.
Arguments Proved {D}.

Section Judge.
Context {D : Type}.
Variables (read : json -> option D) (is_whole check : D -> bool).
Definition judge_with (text : string) (j : json) : answer_about D :=
  if negb (is_json_value j && String.eqb (json_text j) text) then TextDiffers else
  match read j with
  | None => NotRead
  | Some d => if negb (is_whole d) then DoesNotFit else if check d then Proved d else NotProved
  end.

Theorem judge_with_holds text j d : judge_with text j = Proved d ->
  (is_json_value j = true /\ json_text j = text /\ read j = Some d /\ is_whole d = true) /\ check d = true.
Proof.
  intros E. unfold judge_with in E. destruct (is_json_value j) eqn:J; [|discriminate].
  destruct (String.eqb_spec (json_text j) text) as [T|]; [|discriminate]. cbn [andb negb] in E.
  destruct (read j) as [found|] eqn:F; [|discriminate].
  destruct (is_whole found) eqn:W; [|discriminate]. destruct (check found) eqn:C; [|discriminate].
  injection E as <-. auto.
Qed.
End Judge.
