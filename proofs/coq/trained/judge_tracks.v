(* The checker of decisions about aligned words, such as two numbers and their sum, as it is extracted to OCaml; and its
   theorem, `judge_tracks_holds`: if it answers `Proved d`, the text of the file states d, and no other decision, and
   the claim of d holds: for every allowed input, of which an adder of ten digits has 10^20, and each of its answers.
   Every layout has an allowed input.

   What is to be read to know what is proved: `states_tracks` (tracks_json.v, with decision_json.v and tensors.v),
   `tracks_claim_holds` (tracks_claim.v), `network_logits` (real_network.v). The evidence may be anything. *)
From Coq Require Import String.
From Certify Require Import json_text judge_decision tracks_claim tracks_json check_tracks tracks_sound.

Definition judge_tracks (evidence : list form_evidence) : string -> json -> answer_about tracks_syntax :=
  judge_with read_tracks is_whole_tracks (check_tracks evidence).

Theorem judge_tracks_holds evidence text j d : judge_tracks evidence text j = Proved d ->
  states_tracks text d /\ tracks_hold d /\ have_inputs (tracks_claim d).
Proof.
  intros E. apply judge_with_holds in E as [States E]. split; [now exists j|]. now apply (check_tracks_holds evidence).
Qed.
