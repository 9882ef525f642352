(* A check of claims about aligned words that runs every allowed input on balls, for any network
   (docs/background/tracks_rules.md, section 5, Input by input); and that it is right, `check_each_input_holds`.

   If the network is causal, common beginnings are run once. To be compared with tracks/each_input.py in
   proofs/check/checker/chapters/trained. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Arith Lia Lra.
From Certify Require Import lists syntax real_network tracks_claim network_machine check_decision ball_network.
Import ListNotations. Open Scope nat_scope.

(* ---- sequences, each entry a token and what must follow it, if anything ---- *)
Notation judged_tokens := (list (nat * option nat)).
Section Walk.
Variables (X : Type) (next : X -> nat -> X) (judge : X -> nat -> bool).
Definition distinct (l : list nat) : list nat :=
  fold_left (fun found t => if existsb (Nat.eqb t) found then found else t :: found) l [].
Definition tokens_in_front (seqs : list judged_tokens) : list nat :=
  flat_map (fun s => match s with ta :: _ => [fst ta] | [] => [] end) seqs.
Definition after_token (t : nat) (seqs : list judged_tokens) : list (option nat * judged_tokens) :=
  flat_map (fun s => match s with ta :: s => if fst ta =? t then [(snd ta, s)] else [] | [] => [] end) seqs.
Definition asked_tokens (l : list (option nat * judged_tokens)) : list nat :=
  flat_map (fun s => match fst s with Some a => [a] | None => [] end) l.
Fixpoint walk_sequences (depth : nat) (x : X) (seqs : list judged_tokens) : bool :=
  match depth with
  | O => length (tokens_in_front seqs) =? 0
  | S depth => forallb (fun t =>
      let mine := after_token t seqs in
      let y := next x t in
      forallb (judge y) (distinct (asked_tokens mine)) && walk_sequences depth y (map snd mine))
      (distinct (tokens_in_front seqs))
  end.

Lemma distinct_in t l : In t l -> In t (distinct l).
Proof.
  unfold distinct. set (add := fun _ _ => _).
  assert (Keeps : forall l found, In t found -> In t (fold_left add l found)).
  { induction l0 as [|s l0 IH]; intros found I; [exact I|]. apply IH. unfold add.
    destruct (existsb (Nat.eqb s) found); [exact I|now right]. }
  generalize (@nil nat). induction l as [|s l IH]; intros found I; [contradiction|]. cbn [fold_left].
  destruct I as [->|I]; [|now apply IH]. apply Keeps. unfold add.
  destruct (existsb (Nat.eqb t) found) eqn:E; [|now left]. apply existsb_exists in E as (t' & J & E).
  apply Nat.eqb_eq in E. now subst t'.
Qed.
Theorem walk_holds depth : forall x seqs, walk_sequences depth x seqs = true -> forall s, In s seqs ->
  forall p t a, nth_error s p = Some (t, Some a) -> judge (fold_left next (map fst (firstn (S p) s)) x) a = true.
Proof.
  induction depth as [|depth IH]; intros x seqs W s I p t a N; (destruct s as [|[t0 a0] s]; [now destruct p|]);
    assert (First : In t0 (tokens_in_front seqs)) by (apply in_flat_map; eexists; split; [exact I|now left]).
  - cbn [walk_sequences] in W. destruct (tokens_in_front seqs); [contradiction|discriminate].
  - cbn [walk_sequences] in W. rewrite forallb_forall in W. specialize (W t0 (distinct_in _ _ First)). cbv zeta in W.
    apply andb_prop in W as [J W].
    assert (Mine : In (a0, s) (after_token t0 seqs)).
    { apply in_flat_map. eexists. split; [exact I|]. cbn [fst snd]. rewrite Nat.eqb_refl. now left. }
    destruct p as [|p]; cbn [nth_error firstn map fold_left fst] in *.
    + injection N as <- ->. rewrite forallb_forall in J. apply J, distinct_in, in_flat_map. eexists.
      split; [exact Mine|now left].
    + exact (IH _ _ W s (in_map snd _ _ Mine) p t a N).
Qed.
End Walk.

(* ---- all allowed inputs ---- *)
Section Inputs.
Variables (c : tracks_claim_syntax) (letters : list (list nat)).
Notation machine := (claim_machine c).
(* Whether an input may end after these columns, for each state before them; and that after each of these columns. *)
Fixpoint alive (tables : list nat) : list bool :=
  match tables with
  | [] => map (fun written => match written with Some _ => true | None => false end) (transducer_ends machine)
  | table :: tables =>
      let later := alive tables in
      map (existsb (fun m : move_syntax => match m with Some (target, _) => nth target later false | None => false end))
        (nth table (transducer_tables machine) [])
  end.
Fixpoint guarded (tables : list nat) : list (nat * list bool) :=
  match tables with [] => [] | table :: tables => (table, alive tables) :: guarded tables end.
Fixpoint all_steps (tables : list (nat * list bool)) (q : nat) : list (list step_data) :=
  match tables with
  | [] => match nth q (transducer_ends machine) None with Some written => [[([], written)]] | None => [] end
  | (table, later) :: tables => flat_map (fun s => match move_of c table q s with
      | Some (target, written) => if nth target later false
          then map (cons (nth s letters [], written)) (all_steps tables target) else []
      | None => [] end) (seq 0 (length (nth q (nth table (transducer_tables machine) []) [])))
  end.

Lemma nth_map_false {Y} (g : Y -> bool) l d q : (g d = false) -> nth q (map g l) false = g (nth q l d).
Proof. intros E. rewrite <- E. apply map_nth. Qed.
Lemma all_steps_has tables : letters = all_combinations c -> forall q input steps,
  steps_from c q tables input = Some steps ->
  In steps (all_steps (guarded tables) q) /\ nth q (alive tables) false = true.
Proof.
  intros Letters. induction tables as [|table tables IH]; intros q [|s input] steps E; try discriminate;
    cbn [steps_from] in E.
  - cbn [guarded all_steps alive]. rewrite (nth_map_false _ _ None) by reflexivity.
    destruct (nth q (transducer_ends machine) None); [|discriminate]. injection E as <-. split; [now left|reflexivity].
  - destruct (move_of c table q s) as [[target written]|] eqn:M; [|discriminate].
    destruct (steps_from c target tables input) as [rest|] eqn:R; [|discriminate]. injection E as <-.
    destruct (IH _ _ _ R) as [I A]. cbn [guarded all_steps alive]. rewrite (nth_map_false _ _ []) by reflexivity.
    assert (L : s < length (nth q (nth table (transducer_tables machine) []) [])).
    { unfold move_of in M. destruct (Nat.lt_ge_cases s (length (nth q (nth table (transducer_tables machine) []) [])));
        [assumption|]. rewrite nth_overflow in M by assumption. discriminate. }
    split.
    + apply in_flat_map. exists s. split; [apply in_seq; lia|]. rewrite M, A, <- Letters. now apply in_map.
    + apply existsb_exists. exists (Some (target, written)). split; [|exact A]. unfold move_of in M. rewrite <- M.
      now apply nth_In.
Qed.
End Inputs.

(* ---- the check ---- *)
Fixpoint followed (places : list place_syntax) (tokens : list nat) : judged_tokens :=
  match places, tokens with
  | _ :: (answer :: _) as places, t :: (a :: _) as tokens =>
      (t, if is_answer answer then Some a else None) :: followed places tokens
  | _, _ => []
  end.
Section Check.
Variables (T : network_syntax) (c : tracks_claim_syntax) (f : layout_syntax).
Notation places := (layout_places f).
Definition difference (answer other : nat) : list (nat * Q) := [(answer, 1%Q); (other, (-1)%Q)].
Record reached := Reached { reached_memory : memory; reached_place : nat; reached_logits : stream }.
Definition go_on (m : machine) (x : reached) (t : nat) : reached :=
  let (memory, y) := feed m (reached_memory x) (reached_place x) t in Reached memory (S (reached_place x)) y.
Definition is_above (m : machine) (y : stream) (answer : nat) : bool :=
  forallb (fun other => (other =? answer) || row_above m y (difference answer other) (claim_threshold c))
    (claim_among c).
(* Every beginning by itself. *)
Definition judge_alone (m : machine) (s : judged_tokens) : bool :=
  forallb (fun p => match nth_error s p with
    | Some (_, Some answer) => match nth_error (whole m (claim_offset c) (map fst (firstn (S p) s))) p with
        | Some y => is_above m y answer
        | None => false end
    | _ => true end) (seq 0 (length s)).
(* `stated` inputs, as the file says. *)
Definition check_each_input (stated : nat) : bool :=
  let all := all_steps c (all_combinations c) (guarded c (layout_tables f)) (transducer_start (claim_machine c)) in
  (length all =? stated) &&
  let seqs := map (fun steps => followed places (sequence_of c f steps)) all in
  existsb (fun bits => match prepare T bits bits with
    | Some m => if network_causal T
        then walk_sequences reached (go_on m) (fun x => is_above m (reached_logits x)) (length places)
          (Reached start_memory (claim_offset c) None) seqs
        else forallb (judge_alone m) seqs
    | None => false end) precisions.

(* ---- why it is right ---- *)
Lemma followed_at l : forall tokens p answer a, nth_error l (S p) = Some answer -> is_answer answer = true ->
  nth_error tokens (S p) = Some a -> exists t, nth_error (followed l tokens) p = Some (t, Some a) /\
  map fst (firstn (S p) (followed l tokens)) = firstn (S p) tokens.
Proof.
  induction l as [|x [|y l] IH]; intros [|t [|b tokens]] p answer a N A E; try (destruct p; discriminate).
  destruct p as [|p].
  - injection N as ->. injection E as ->. exists t. cbn [followed nth_error firstn map fst]. now rewrite A.
  - destruct (IH (b :: tokens) p answer a N A E) as (t' & N' & F). exists t'. split; [exact N'|].
    change (followed (x :: y :: l) (t :: b :: tokens)) with
      ((t, if is_answer y then Some b else None) :: followed (y :: l) (b :: tokens)).
    change (firstn (S (S p)) (?z :: ?m)) with (z :: firstn (S p) m). cbn [map fst]. f_equal. exact F.
Qed.
Lemma reached_feeds m tokens : forall x p, length tokens = S p ->
  nth_error (feeds m (reached_memory x) (reached_place x) tokens) p =
    Some (reached_logits (fold_left (go_on m) tokens x)).
Proof.
  induction tokens as [|t tokens IH]; intros x p L; [discriminate|]. cbn [feeds fold_left].
  specialize (IH (go_on m x t)). unfold go_on at 1 2 in IH.
  destruct (feed m (reached_memory x) (reached_place x) t) as [memory y] eqn:F.
  cbn [reached_memory reached_place] in IH.
  destruct p as [|p].
  - destruct tokens; [|discriminate]. cbn [nth_error fold_left]. unfold go_on. now rewrite F.
  - cbn [nth_error]. apply IH. simpl in L. lia.
Qed.
Lemma value_of_difference answer other x :
  value_of_row (difference answer other) x = (nth answer x 0 - nth other x 0)%R.
Proof. unfold value_of_row, difference, Q2R. simpl. lra. Qed.

Theorem check_each_input_holds stated : check_each_input stated = true ->
  forall input steps, steps_of c f input = Some steps ->
  forall p answer, nth_error places (S p) = Some answer -> is_answer answer = true ->
  forall other, In other (claim_among c) -> other <> token_at c f steps answer ->
  let x := nth p (network_logits T (claim_offset c) (firstn (S p) (sequence_of c f steps))) [] in
  (Q2R (claim_threshold c) < nth (token_at c f steps answer) x 0 - nth other x 0)%R.
Proof.
  unfold check_each_input. cbv zeta. intros E input steps S0 p answer N A other O Other.
  apply andb_prop in E as [_ W].
  apply existsb_exists in W as (bits & _ & W). destruct (prepare T bits bits) as [m|] eqn:P; [|discriminate].
  destruct (all_steps_has c _ (layout_tables f) eq_refl _ _ _ S0) as [I _].
  apply (in_map (fun steps => followed places (sequence_of c f steps))) in I.
  assert (Na : nth_error (sequence_of c f steps) (S p) = Some (token_at c f steps answer))
    by (unfold sequence_of; now rewrite nth_error_map, N).
  destruct (followed_at places _ p answer _ N A Na) as (t & Nt & F).
  set (tokens := firstn (S p) (sequence_of c f steps)) in *. set (logits := network_logits T (claim_offset c) tokens).
  assert (Found : exists y, within (machine_bits m) y (nth p logits []) /\ is_above m y (token_at c f steps answer) =
    true).
  { destruct (network_causal T) eqn:Causal.
    - pose proof (walk_holds _ _ _ _ _ _ W _ I p t _ Nt) as J. rewrite F in J.
      assert (L : length tokens = S p).
      { apply firstn_length_le. assert (S p < length (sequence_of c f steps)) by (apply nth_error_Some; congruence).
        lia. }
      eexists. split; [|exact J].
      eapply every_word.related_nth; [exact (feeds_within T bits bits m P _ tokens Causal)|].
      exact (reached_feeds m tokens (Reached start_memory (claim_offset c) None) p L).
    - rewrite forallb_forall in W. specialize (W _ I). unfold judge_alone in W. rewrite forallb_forall in W.
      specialize (W p ltac:(apply in_seq; split; [lia|apply nth_error_Some; congruence])). rewrite Nt, F in W.
      destruct (nth_error (whole _ _ _) p) as [y|] eqn:Y; [|discriminate]. exists y. split; [|exact W].
      eapply every_word.related_nth; [exact (whole_within T bits bits m P _ tokens)|exact Y]. }
  destruct Found as (y & Wi & J).
  unfold is_above in J. rewrite forallb_forall in J. specialize (J other O). apply orb_prop in J as [J|J].
  { apply Nat.eqb_eq in J. contradiction. }
  pose proof (row_above_holds T bits bits m P _ _ _ _ Wi J) as Row. now rewrite value_of_difference in Row.
Qed.
End Check.
