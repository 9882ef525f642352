(* The checker of decisions about trained networks by words, as it is extracted to OCaml; and its theorem,
   `judge_decision_holds`: if it answers `Proved d`, the text of the file states d, and no other decision, and the claim
   of d holds of the logits of its network over the real numbers.

   Every word of the claim is run with balls, prefixes once if the network is causal. Long words are taken by classes,
   if whoever reads the file offers some (check_classes.v). What is to be read to know what is proved: `states`
   (same_decision.v, with decision_json.v and tensors.v), `claim_holds` (claim.v), `network_logits` (real_network.v). *)
From Coq Require Import Reals ZArith QArith Qreals String List Bool Arith Lia.
From Certify Require Import formula json_text syntax decision_json same_decision claim real_network network_machine
  every_word judge_decision asked one_attention_step class_tracker check_classes.
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

(* ---- by classes ---- *)
(* The tokens after the letters that the judged token sees. *)
Definition judged_tail (c : claim_syntax) : list nat := if is_by_place c then [] else claim_after c.
Definition check_cover (bits forms : Z) (covers : list offset_cover) (d : decision_syntax) : bool :=
  let T := decision_network d in
  let c := decision_claim d in
  let k := make_tracking c in
  match prepare T bits bits, around_attention (network_steps T) with
  | Some m, Some (before, A, after) =>
      (0 <=? forms)%Z && (forms <=? bits)%Z && network_causal T && tracks_all c k
      && (length (claim_tokens c) =? length (claim_alphabet c)) &&
      let dead := closed_dead_states c in
      let greatest := greatest_length c (network_rows T) in
      let words deep := check_offset _ _ c (network_rows T) (feed m) start_memory (whole m)
        (fun y row => row_above m y row (claim_margin c)) true dead deep in
      forallb (fun offset => match find (fun x => cover_offset x =? offset) covers with
        | None => words (greatest offset) offset
        | Some x => words (cover_words x) offset && if has_rows c (network_rows T) offset (claim_min_n c) then
            (is_by_place c || match claim_read c with LastToken => true | _ => false end)
            && check_class_units bits forms T c before after A m k (judged_tail c) offset
                 (if reads_each c then S (cover_words x) else Nat.max (S (cover_words x)) (claim_min_n c))
                 (greatest offset) (cover_units x)
            else true
        end) (seq (claim_first_offset c) (S (claim_last_offset c) - claim_first_offset c))
  | _, _ => false
  end.
(* Several proofs by classes may be offered, each with the bits of balls and of forms; without one, word by word. *)
Definition cover_offered := (Z * Z * list offset_cover)%type.
Definition check_decision (covers : list cover_offered) (d : decision_syntax) : bool :=
  match covers with
  | [] => existsb (fun bits => check_with bits d) precisions
  | _ => existsb (fun x => let '(bits, forms, l) := x in check_cover bits forms l d) covers
  end.
Definition judge_decision (offered : list formula) (covers : list cover_offered) :
    string -> json -> answer_about decision_syntax :=
  judge_with (read_decision offered) is_whole_decision (check_decision covers).

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

Lemma check_cover_holds bits forms covers d : check_cover bits forms covers d = true -> decision_holds d.
Proof.
  unfold check_cover, decision_holds. set (T := decision_network d). set (c := decision_claim d). cbv zeta.
  destruct (prepare _ bits bits) as [m|] eqn:P; [|discriminate].
  destruct (around_attention (network_steps T)) as [[[before A] after]|] eqn:Parts; [|discriminate].
  intros E. repeat (apply andb_prop in E as [E ?H]). apply Z.leb_le in E, H3. apply Nat.eqb_eq in H0.
  rename H2 into Causal. rename H1 into Tracks. rename H into Each.
  intros offset w (Offsets & Lengths & Letters & Rows) i place I r R. rewrite forallb_forall in Each.
  specialize (Each offset ltac:(apply in_seq; lia)).
  assert (Words : forall deep, (if true && is_by_place c then i <= deep else length w <= deep) ->
    check_offset _ _ c (network_rows T) (feed m) start_memory (whole m)
      (fun y row => row_above m y row (claim_margin c)) true (closed_dead_states c) deep offset = true ->
    (Q2R (claim_margin c) < row_total r (nth place (network_logits T offset (input_of c w)) []))%R).
  { intros deep Deep. refine (check_offset_holds _ _ c (network_rows T) (feed m) start_memory (whole m) _
      (ball_network.within (machine_bits m)) (network_logits T) true _ _ _ (closed_dead_states c) offset w i place r
      (closed_dead c) Lengths Letters Rows I R deep Deep).
    - intros _ o tokens. unfold fed. rewrite (fed_feeds m o) by reflexivity. cbn [node_outputs node_memory rev app].
      now apply (feeds_within _ _ _ _ P).
    - discriminate.
    - intros y x row W A'. exact (row_above_holds _ _ _ _ P y x row _ W A'). }
  pose proof (judged_positions _ _ _ _ I) as J.
  pose proof (within_greatest c (network_rows T) offset (length w) ltac:(lia) Rows) as Enough.
  destruct (find _ covers) as [x|] eqn:F.
  - apply andb_prop in Each as [Each Units].
    destruct (Nat.le_gt_cases (if is_by_place c then i else length w) (cover_words x)) as [Deep|Deep].
    + apply (Words (cover_words x)); [|exact Each]. cbn [andb]. destruct (is_by_place c); exact Deep.
    + rewrite (has_rows_less c (network_rows T) offset (claim_min_n c) (length w)) in Units by (lia || assumption).
      apply andb_prop in Units as [Kind Units].
      assert (At : i <= length w /\ place = length (claim_before c) + i + length (judged_tail c) - 1 /\
        (judged_tail c = [] \/ i = length w) /\
        (if reads_each c then S (cover_words x) else Nat.max (S (cover_words x)) (claim_min_n c)) <= i /\
        exists rest, input_of c w = ((claim_before c ++ map (token_of c) (firstn i w) ++ judged_tail c) ++ rest)%list).
      { unfold judged_tail. destruct (is_by_place c) eqn:Place.
        - destruct (judged_at_place c w i place r Lengths I R Place) as (_ & At & Upto).
          split; [exact Upto|]. split; [cbn [length]; lia|]. split; [now left|]. split.
          + destruct (reads_each c); [lia|]. destruct J as [-> _]. lia.
          + exists (map (token_of c) (skipn i w) ++ claim_after c)%list. unfold input_of. rewrite app_nil_r, <-
              !app_assoc.
            f_equal. rewrite app_assoc, <- map_app, firstn_skipn. reflexivity.
        - cbn [orb] in Kind. unfold reads_each in *. destruct (claim_read c); try discriminate.
          destruct J as [-> J]. specialize (J eq_refl). split; [lia|]. split; [lia|]. split; [now right|].
          split; [lia|]. exists []. rewrite app_nil_r, firstn_all. reflexivity. }
      destruct At as (Upto & -> & _ & First & rest & Input). rewrite Input.
      apply (check_class_units_hold bits forms T c before after A m (make_tracking c) (judged_tail c) offset E H3 P
          Causal
          Parts
        Tracks H0 w i rest _ _ _ Units); auto. lia.
  - apply (Words (greatest_length c (network_rows T) offset)); [|exact Each]. cbn [andb].
    destruct (is_by_place c); [|exact Enough]. destruct (reads_each c); lia.
Qed.

Theorem judge_decision_holds offered covers text j d : judge_decision offered covers text j = Proved d ->
  states text d /\ decision_holds d.
Proof.
  intros E. apply judge_with_holds in E as [(J & X & R & W) E]. split; [now exists j, offered|].
  unfold check_decision in E. destruct covers as [|x covers].
  - apply existsb_exists in E as (bits & _ & E). now apply (check_with_holds bits).
  - apply existsb_exists in E as ([[bits forms] l] & _ & E). now apply (check_cover_holds bits forms l).
Qed.
