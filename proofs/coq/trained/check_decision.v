(* The checker of decisions about trained networks by words, as it is extracted to OCaml; and its theorem,
   `judge_decision_holds`: if it answers `Proved d`, the text of the file states d, and no other decision, and the claim
   of d holds of the logits of its network over the real numbers.

   Every word of the claim is run with balls, prefixes once if the network is causal. What is to be read to know what is
   proved: `states` (same_decision.v, with decision_json.v and tensors.v), `claim_holds` (claim.v), `network_logits`
   (real_network.v). *)
From Coq Require Import Reals ZArith QArith Qreals String List Bool Arith Lia.
From Certify Require Import formula json_text syntax decision_json same_decision claim real_network network_machine
  every_word judge_decision asked.
Import ListNotations.

(* With so many fractional bits of numbers and of weights. *)
Definition check_with (bits : Z) (d : decision_syntax) : bool :=
  let T := decision_network d in
  let c := decision_claim d in
  match prepare T bits bits with
  | Some m => check_words _ _ c (network_rows T) (feed m) start_memory (whole m)
      (fun y row => row_above m y row (claim_margin c)) (network_causal T)
  | None => false
  end.
Definition precisions : list Z := [53; 64; 104]%Z.
Definition check_decision (d : decision_syntax) : bool := existsb (fun bits => check_with bits d) precisions.
Definition judge_decision (offered : list formula) : string -> json -> answer_about decision_syntax :=
  judge_with (read_decision offered) is_whole_decision check_decision.

Definition decision_holds (d : decision_syntax) : Prop :=
  claim_holds (decision_claim d) (network_rows (decision_network d)) (network_logits (decision_network d)).

(* Whether the claim asks anything (`is_asked_holds`); one that does not is printed as vacuous. *)
Definition decision_asks (d : decision_syntax) : bool :=
  is_asked (decision_claim d) (network_rows (decision_network d)).

(* ---- why it is right ---- *)
Lemma fed_feeds m p tokens x : node_place _ _ x = p ->
  rev (node_outputs _ _ (fold_left (feed_token _ _ (feed m)) tokens x)) =
  (rev (node_outputs _ _ x) ++ feeds m (node_memory _ _ x) p tokens)%list.
Proof.
  revert p x. induction tokens as [|t tokens IH]; intros p x <-; [now rewrite app_nil_r|]. cbn [fold_left feeds].
  rewrite (IH (S (node_place _ _ x))); unfold feed_token; destruct (feed m _ _ t) as [c y]; [|reflexivity].
  cbn [node_outputs node_memory rev]. now rewrite <- app_assoc.
Qed.
Lemma check_with_holds bits d : check_with bits d = true -> decision_holds d.
Proof.
  unfold check_with, decision_holds. cbv zeta. destruct (prepare _ bits bits) as [m|] eqn:P; [|discriminate].
  apply check_words_holds with (within := ball_network.within (machine_bits m)).
  - intros Causal offset tokens. unfold fed. rewrite (fed_feeds m offset) by reflexivity. cbn [node_outputs node_memory
      rev app]. now apply (feeds_within _ _ _ _ P).
  - intros _ offset tokens. now apply (whole_within _ _ _ _ P).
  - intros y x row W A. exact (row_above_holds _ _ _ _ P y x row _ W A).
Qed.

Theorem judge_decision_holds offered text j d : judge_decision offered text j = Proved d ->
  states text d /\ decision_holds d.
Proof.
  intros E. apply judge_with_holds in E as [(J & X & R & W) E]. split; [now exists j, offered|].
  apply existsb_exists in E as (bits & _ & E). now apply (check_with_holds bits).
Qed.
