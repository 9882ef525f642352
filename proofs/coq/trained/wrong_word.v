(* The checker of files that state a word on which a claim about a trained network is false; and its theorem,
   `judge_wrong_word_holds`: if it answers `Proved (d, w)`, the text of the file states the claim of d and the word w,
   and no other, and on w a row of the claim is at most its margin, over the real numbers. So the claim is false
   (`wrong_word_is_wrong`).

   What is to be read to know what is proved, besides what check_decision.v names: `states_wrong_word` and
   `is_wrong_on`. To be compared with reading/counterexamples.py and words/wrong_word.py in
   proofs/check/checker/chapters/trained. *)
From Coq Require Import Reals ZArith QArith Qreals String List Bool Arith Lia.
From Certify Require Import lists formula json_text json_text_once model_text syntax decision_json same_decision claim
  real_network network_machine every_word judge_decision check_decision.
Import ListNotations.
Open Scope nat_scope.

Local Notation "'let*' x ':=' a 'in' b" := (match a with Some x => b | None => None end)
  (at level 200, x pattern, a at level 100, b at level 200).

(* ---- what such a file states ---- *)
Record wrong_word := WrongWord {
  wrong_letters : list nat;                                            (* the word, each letter its place *)
  wrong_offset : nat;
  wrong_position : nat;                                                (* in the word; 0 for the token before it *)
  wrong_case : nat;                                                    (* counted from 0, as its row is *)
  wrong_row : nat }.

Fixpoint place_of_letter (letters : list string) (s : string) : option nat :=
  match letters with
  | [] => None
  | letter :: letters => if String.eqb letter s then Some 0 else option_map S (place_of_letter letters s)
  end.
Definition read_wrong_word (letters : list string) (j : json) : option wrong_word :=
  let* values := values_of ["word"; "offset"; "place"; "case"; "row"]%string j in
  match values with
  | [word; offset; place; case; row] =>
      let* word := read_list read_quoted word in
      let* word := traverse (place_of_letter letters) word in
      let* offset := read_natural offset in
      let* place := read_natural place in
      let* case := read_natural case in
      let* row := read_natural row in
      Some (WrongWord word offset place case row)
  | _ => None
  end.
Definition read_wrong_decision (formulas : list formula) (j : json) : option (decision_syntax * wrong_word) :=
  let* (d, evidence) := read_decision_by "wrong word" formulas j in
  let* w := read_wrong_word (claim_alphabet (decision_claim d)) evidence in Some (d, w).
Definition states_wrong_word (text : string) (x : decision_syntax * wrong_word) : Prop := exists j offered,
  is_json_value j = true /\ json_text j = text /\ read_wrong_decision offered j = Some x /\
  is_whole_decision (fst x) = true.

(* No text states two, and none that does is a cover's. *)
Theorem states_wrong_word_once text x y : states_wrong_word text x -> states_wrong_word text y -> x = y.
Proof.
  intros (j & offered & J & T & D & W) (k & others & K & U & E & _).
  assert (j = k) as <- by (apply json_text_once; [now apply json_value_is|now apply json_value_is|congruence]).
  unfold read_wrong_decision in D, E. destruct (read_decision_by _ offered j) as [[d a]|] eqn:A; [|discriminate].
  destruct (read_decision_by _ others j) as [[e b]|] eqn:B; [|discriminate].
  destruct (read_wrong_word _ a) as [w|] eqn:R; [|discriminate]. injection D as <-.
  assert (M : (d, a) = (e, b)) by (eapply read_decision_by_once; [now apply whole_alphabet|exact A|exact B]).
  injection M as <- <-. rewrite R in E. now injection E.
Qed.
Theorem cover_states_no_wrong_word text d x : states text d -> ~ states_wrong_word text x.
Proof.
  intros (j & offered & J & T & D & W) (k & others & K & U & E & _).
  assert (j = k) as <- by (apply json_text_once; [now apply json_value_is|now apply json_value_is|congruence]).
  unfold read_decision in D. unfold read_wrong_decision in E.
  destruct (read_decision_by _ offered j) as [[d' a]|] eqn:A; [|discriminate]. injection D as ->.
  destruct (read_decision_by _ others j) as [[e b]|] eqn:B; [|discriminate].
  now destruct (read_decision_by_once _ _ _ _ _ (d, a) (e, b) (whole_alphabet _ W) A B).
Qed.

(* ---- what it says ---- *)
Section Wrong.
Variables (d : decision_syntax) (w : wrong_word).
Notation T := (decision_network d).
Notation c := (decision_claim d).
Notation word := (wrong_letters w).

(* Word and offset are in the claim; at the position logits are judged, the case holds there, and its row is at most the
   margin. *)
Definition is_wrong_on : Prop := is_claimed c (network_rows T) (wrong_offset w) word /\ exists place when above row,
  In (wrong_position w, place) (judged c (length word)) /\ nth_error (claim_cases c) (wrong_case w) = Some (when, above)
  /\ when_holds c word (wrong_position w) when = true /\ nth_error above (wrong_row w) = Some row /\
  (row_total row (nth place (network_logits T (wrong_offset w) (input_of c word)) []) <= Q2R (claim_margin c))%R.

Theorem wrong_word_is_wrong : is_wrong_on -> ~ decision_holds d.
Proof.
  intros (Claimed & place & when & above & row & Judged & Case & When & Row & Least) Holds.
  apply (Rlt_not_le _ _ (Holds _ _ Claimed _ _ Judged row ltac:(apply in_flat_map; exists (when, above);
    split; [now apply nth_error_In in Case|cbn; rewrite When; now apply nth_error_In in Row])) Least).
Qed.

(* ---- the check ---- *)
Definition is_claimed_word : bool :=
  (claim_first_offset c <=? wrong_offset w) && (wrong_offset w <=? claim_last_offset c)
  && (claim_min_n c <=? length word) && (length word <=? claim_max_n c)
  && forallb (fun letter => letter <? length (claim_alphabet c)) word
  && has_rows c (network_rows T) (wrong_offset w) (length word).
Definition check_wrong_with (bits : Z) : bool :=
  match prepare T bits bits, find (fun at_place => fst at_place =? wrong_position w) (judged c (length word)),
    nth_error (claim_cases c) (wrong_case w) with
  | Some m, Some (_, place), Some (when, above) =>
      match nth_error above (wrong_row w), nth_error (whole m (wrong_offset w) (input_of c word)) place with
      | Some row, Some y => when_holds c word (wrong_position w) when && row_not_above m y row (claim_margin c)
      | _, _ => false
      end
  | _, _, _ => false
  end.
Definition check_wrong_word : bool := is_claimed_word && existsb check_wrong_with precisions.

Lemma check_wrong_word_holds : check_wrong_word = true -> is_wrong_on.
Proof.
  unfold check_wrong_word, is_claimed_word. rewrite !andb_true_iff, !Nat.leb_le, forallb_forall.
  intros [[[[[[A B] C] D] L] R] E]. split.
  - split; [lia|]. split; [lia|]. split; [|exact R]. apply Forall_forall. intros a I. now apply Nat.ltb_lt, L.
  - apply existsb_exists in E as (bits & _ & E). unfold check_wrong_with in E.
    destruct (prepare T bits bits) as [m|] eqn:P; [|discriminate].
    destruct (find _ _) as [[i place]|] eqn:F; [|discriminate]. apply find_some in F as [F I]. apply Nat.eqb_eq in I.
    cbn in I. subst i. destruct (nth_error (claim_cases c) _) as [[when above]|] eqn:Case; [|discriminate].
    destruct (nth_error above _) as [row|] eqn:Row; [|discriminate].
    destruct (nth_error (whole m _ _) place) as [y|] eqn:Y; [|discriminate]. apply andb_prop in E as [When Least].
    exists place, when, above, row. repeat split; auto. apply (row_not_above_holds _ _ _ _ P y); [|exact Least].
    eapply related_nth; [apply (whole_within _ _ _ _ P)|exact Y].
Qed.
End Wrong.

Definition judge_wrong_word (offered : list formula) : string -> json -> answer_about (decision_syntax * wrong_word) :=
  judge_with (read_wrong_decision offered) (fun x => is_whole_decision (fst x))
    (fun x => check_wrong_word (fst x) (snd x)).

Theorem judge_wrong_word_holds offered text j d w : judge_wrong_word offered text j = Proved (d, w) ->
  states_wrong_word text (d, w) /\ is_wrong_on d w.
Proof.
  intros E. apply judge_with_holds in E as [States E]. split; [now exists j, offered|].
  now apply check_wrong_word_holds.
Qed.
