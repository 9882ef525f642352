(* The check of a claim on every word, one by one, with prefixes shared; and the theorem: if it says true, the claim
   holds (`check_words_holds`).

   It knows nothing of numbers. A machine takes a token at a time, and gives for each something that encloses its
   logits (`within`); or it takes a whole input. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Arith Lia.
From Certify Require Import positions lists formula user_predicates syntax claim past_only.
Import ListNotations PositionNotations.
Open Scope nat_scope.

(* ---- a walk_words through all words of at most `depth` letters; where it `ends`, no word goes on ---- *)
Section Walk.
Context {X : Type}.
Variables (next : X -> nat -> X) (here ends : X -> bool) (letters : nat).
Fixpoint walk_words (depth : nat) (x : X) : bool :=
  here x && match depth with
    | O => true
    | S depth => ends x || forallb (fun a => walk_words depth (next x a)) (seq 0 letters)
    end.
Lemma walk_words_holds depth : forall x, walk_words depth x = true -> forall w, length w <= depth ->
  Forall (fun a => a < letters) w -> (forall u v, w = u ++ v -> v <> [] -> ends (fold_left next u x) = false) ->
  here (fold_left next w x) = true.
Proof.
  induction depth as [|depth IH]; intros x E w L I N; cbn [walk_words] in E; apply andb_prop in E as [Here E].
  - now destruct w; [|simpl in L; lia].
  - destruct w as [|a w]; [exact Here|]. inversion I as [|? ? A W]; subst.
    assert (Goes : ends x = false) by (apply (N [] (a :: w)); [reflexivity|discriminate]). rewrite Goes in E.
    cbn [orb] in E. rewrite forallb_forall in E. cbn [fold_left]. apply (IH (next x a)); [|simpl in L; lia|exact W|].
    + apply E, in_seq. lia.
    + intros u v -> V. now apply (N (a :: u) v).
Qed.
End Walk.

Section Check.
Variables (stream memory : Type) (c : claim_syntax) (rows : option nat).
Variables (feed : memory -> nat -> nat -> memory * stream) (start_memory : memory).
Variable whole : nat -> list nat -> list stream.
Variable row_above : stream -> logit_row -> bool.

(* ---- states of the automaton after which nothing is claimed: a set that is checked to be closed ---- *)
Definition states_of (A : automaton_syntax) : list nat := seq 0 (length (automaton_steps A)).
Definition asks (state : nat) : bool := existsb (fun case => negb (length (snd case) =? 0) &&
  match when_states (fst case) with Some l => existsb (Nat.eqb state) l | None => true end) (claim_cases c).
Fixpoint live_states (A : automaton_syntax) (rounds : nat) (live : list bool) : list bool :=
  match rounds with
  | O => live
  | S rounds => live_states A rounds (map (fun state => nth state live true || existsb (fun next => nth next live true)
      (nth state (automaton_steps A) [])) (states_of A))
  end.
Definition dead_states : list bool :=
  match claim_automaton c with
  | Some A => map negb (live_states A (length (automaton_steps A)) (map asks (states_of A)))
  | None => []
  end.
Definition is_closed_set (dead : list bool) : bool :=
  match claim_automaton c with
  | Some A => forallb (fun state => negb (nth state dead false) || negb (asks state) && forallb (fun letter =>
      nth (next_state A state letter) dead false) (seq 0 (length (claim_alphabet c)))) (seq 0 (length dead))
  | None => length dead =? 0
  end.

(* ---- what is fed to the machine ---- *)
Record node := Node { node_memory : memory; node_place : nat; node_outputs : list stream }.   (* the last one first *)
Definition feed_token (x : node) (token : nat) : node :=
  let (m, y) := feed (node_memory x) (node_place x) token in Node m (S (node_place x)) (y :: node_outputs x).
Definition fed (offset : nat) (tokens : list nat) : node := fold_left feed_token tokens (Node start_memory offset []).

(* ---- the walk_words ---- *)
(* Letters of the word so far, the last one first; the state of the automaton after it. *)
Record visited := Visited { visited_letters : list nat; visited_state : nat; visited_node : node }.
Definition visit (x : visited) (letter : nat) : visited := Visited (letter :: visited_letters x)
  match claim_automaton c with Some A => next_state A (visited_state x) letter | None => 0 end
  (feed_token (visited_node x) (token_of c letter)).
Definition visit_alone (x : visited) (letter : nat) : visited := Visited (letter :: visited_letters x)
  match claim_automaton c with Some A => next_state A (visited_state x) letter | None => 0 end (visited_node x).
Definition first_state : nat := match claim_automaton c with Some A => automaton_start A | None => 0 end.

(* The rows at the last position of a word in a state. *)
Definition case_holds_now (w : list nat) (state : nat) (x : when_syntax) : bool :=
  match when_states x, claim_automaton c with
  | Some l, Some _ => existsb (Nat.eqb state) l
  | Some _, None => false
  | None, _ => true
  end && formula_holds c w (length w) (when_formula x).
Definition rows_now (w : list nat) (state : nat) : list logit_row :=
  flat_map (fun case => if case_holds_now w state (fst case) then snd case else []) (claim_cases c).
Definition formulas_of_cases : list formula :=
  flat_map (fun case => match when_formula (fst case) with Some f => [f] | None => [] end) (claim_cases c).
Definition is_by_place : bool := forallb is_past_only formulas_of_cases && match claim_read c, claim_after c with
  | EachToken, _ | LastToken, [] => true | _, _ => false end.
Definition reads_each : bool := match claim_read c with EachToken => true | _ => false end.
Definition is_judged_place (i : nat) : bool :=
  if reads_each then (if i =? 0 then claim_empty c else true) else claim_min_n c <=? i.

Definition all_above (y : stream) (l : list logit_row) : bool := forallb (row_above y) l.
Definition judge_place (x : visited) : bool :=
  let letters := rev (visited_letters x) in
  if is_judged_place (length letters)
  then match rows_now letters (visited_state x), node_outputs (visited_node x) with
       | [], _ => true
       | l, y :: _ => all_above y l
       | _, [] => false
       end
  else true.
Definition judge_outputs (w : list nat) (outputs : list stream) : bool :=
  forallb (fun at_place => match rows_at c w (fst at_place), nth_error outputs (snd at_place) with
    | [], _ => true
    | l, Some y => all_above y l
    | _, None => false
    end) (judged c (length w)).
Definition asks_rows (w : list nat) : bool :=
  existsb (fun at_place => match rows_at c w (fst at_place) with [] => false | _ => true end) (judged c (length w)).
Definition judge_length (x : visited) : bool :=
  let w := rev (visited_letters x) in
  if (claim_min_n c <=? length w) && asks_rows w
  then judge_outputs w (rev (node_outputs (fold_left feed_token (claim_after c) (visited_node x)))) else true.
Definition judge_whole (offset : nat) (x : visited) : bool :=
  let w := rev (visited_letters x) in
  if (claim_min_n c <=? length w) && asks_rows w then judge_outputs w (whole offset (input_of c w)) else true.

Definition greatest_length (offset : nat) : nat :=
  match rows with
  | Some k => Nat.min (claim_max_n c) (k - offset - length (claim_before c) - length (claim_after c))
  | None => claim_max_n c
  end.
(* Words of at most `deep` letters; longer ones are claimed as well, if they have rows. *)
Definition check_offset (causal : bool) (dead : list bool) (deep offset : nat) : bool :=
  if has_rows c rows offset (claim_min_n c) then
    let ends := fun x => nth (visited_state x) dead false in
    let goes_on := fun _ => false in
    let depth := Nat.min deep (greatest_length offset) in
    let letters := length (claim_alphabet c) in
    if causal then
      let start := Visited [] first_state (fed offset (claim_before c)) in
      if is_by_place then walk_words visit judge_place ends letters depth start
      else walk_words visit judge_length (if reads_each then goes_on else ends) letters depth start
    else walk_words visit_alone (judge_whole offset) (if reads_each then goes_on else ends) letters depth
      (Visited [] first_state (Node start_memory offset []))
  else true.
Definition closed_dead_states : list bool := let found := dead_states in if is_closed_set found then found else [].
Definition check_words (causal : bool) : bool :=
  forallb (fun offset => check_offset causal closed_dead_states (greatest_length offset) offset) (seq
      (claim_first_offset c) (S (claim_last_offset c) - claim_first_offset c)).

(* ---- why it is right ---- *)
Variable within : stream -> list R -> Prop.
Variable logits : nat -> list nat -> list (list R).
Variable causal : bool.
Hypothesis fed_within : causal = true -> forall offset tokens,
  Forall2 within (rev (node_outputs (fed offset tokens))) (logits offset tokens).
Hypothesis whole_within : causal = false -> forall offset tokens, Forall2 within (whole offset tokens) (logits offset
  tokens).
Hypothesis rows_above : forall y x r, within y x -> row_above y r = true -> (Q2R (claim_margin c) < row_total r x)%R.

Lemma fed_more x tokens : exists more, rev (node_outputs (fold_left feed_token tokens x)) = rev (node_outputs x) ++ more
  /\ length more = length tokens.
Proof.
  revert x. induction tokens as [|t tokens IH]; intros x; [exists []; now rewrite app_nil_r|]. cbn [fold_left].
  destruct (IH (feed_token x t)) as (more & E & L). unfold feed_token in *.
  destruct (feed (node_memory x) (node_place x) t) as [m y]. cbn [node_outputs rev] in E. exists (y :: more).
  rewrite E, <- app_assoc. split; [reflexivity|]. simpl. now rewrite L.
Qed.

Definition state_of (w : list nat) : nat :=
  match claim_automaton c with Some A => state_after A w | None => 0 end.
Lemma state_of_snoc w a : state_of (w ++ [a]) =
  match claim_automaton c with Some A => next_state A (state_of w) a | None => 0 end.
Proof.
  unfold state_of. destruct (claim_automaton c); [|reflexivity]. unfold state_after. now rewrite fold_left_app.
Qed.
Lemma visited_after x0 w : fold_left visit w (Visited [] first_state x0) = Visited (rev w) (state_of w)
  (fold_left feed_token (map (token_of c) w) x0).
Proof.
  induction w as [|a w IH] using rev_ind; [cbn; unfold first_state, state_of; now destruct (claim_automaton c)|].
  rewrite fold_left_app, IH, state_of_snoc, rev_app_distr, map_app, fold_left_app. reflexivity.
Qed.
Lemma visited_alone_after x0 w : fold_left visit_alone w (Visited [] first_state x0) = Visited (rev w) (state_of w) x0.
Proof.
  induction w as [|a w IH] using rev_ind; [cbn; unfold first_state, state_of; now destruct (claim_automaton c)|].
  rewrite fold_left_app, IH, state_of_snoc, rev_app_distr. reflexivity.
Qed.

(* Nothing is asked in a closed set, and it is not left. *)
Section Dead.
Variable dead : list bool.
Hypothesis Closed : is_closed_set dead = true.
Notation is_dead state := (nth state dead false = true).
Lemma dead_in state : is_dead state -> state < length dead.
Proof.
  intros D. destruct (Nat.lt_ge_cases state (length dead)) as [L|L]; [exact L|]. now rewrite nth_overflow in D.
Qed.
Lemma dead_spec state : is_dead state -> asks state = false /\ forall A, claim_automaton c = Some A -> forall a,
  a < length (claim_alphabet c) -> is_dead (next_state A state a).
Proof.
  intros D. pose proof (dead_in state D) as L. unfold is_closed_set in Closed.
  destruct (claim_automaton c) as [A|]; [|apply Nat.eqb_eq in Closed; lia]. rewrite forallb_forall in Closed.
  specialize (Closed state). rewrite in_seq, D in Closed. cbn [negb orb] in Closed.
  destruct (andb_prop _ _ (Closed ltac:(lia))) as [N S]. apply negb_true_iff in N. split; [exact N|].
  intros B [= <-] a I. rewrite forallb_forall in S. apply S, in_seq. lia.
Qed.
Lemma dead_after u v : Forall (fun a => a < length (claim_alphabet c)) v -> is_dead (state_of u) -> is_dead (state_of (u
  ++ v)).
Proof.
  intros V. revert u. induction V as [|a v I V IH]; intros u D; [now rewrite app_nil_r|].
  replace (u ++ a :: v) with ((u ++ [a]) ++ v) by now rewrite <- app_assoc. apply IH. rewrite state_of_snoc.
  destruct (dead_spec _ D) as [_ S]. pose proof (dead_in _ D) as L. unfold is_closed_set in Closed.
  destruct (claim_automaton c) as [A|] eqn:E; [now apply S|]. apply Nat.eqb_eq in Closed. lia.
Qed.
Lemma dead_asks_nothing w i : is_dead (state_of (firstn i w)) -> rows_at c w i = [].
Proof.
  intros D. destruct (dead_spec _ D) as [N _]. unfold rows_at. rewrite flat_map_concat_map.
  replace (map _ (claim_cases c)) with (map (fun _ : when_syntax * list logit_row => @nil logit_row) (claim_cases c)).
  - induction (claim_cases c); auto.
  - apply map_ext_in. intros case I. destruct (when_holds c w i (fst case)) eqn:W; [|reflexivity].
    unfold asks in N. destruct (snd case) as [|r l] eqn:R; [reflexivity|]. exfalso.
    assert (T : existsb (fun case => negb (length (snd case) =? 0) && match when_states (fst case)
      with Some l => existsb (Nat.eqb (state_of (firstn i w))) l | None => true end) (claim_cases c) = true).
    { apply existsb_exists. exists case. split; [exact I|]. rewrite R. cbn [length Nat.eqb negb andb].
      unfold when_holds, states_hold in W. apply andb_prop in W as [_ W]. unfold state_of.
      destruct (when_states (fst case)); [|reflexivity]. now destruct (claim_automaton c). }
    congruence.
Qed.
End Dead.

Lemma rows_now_at w i : forallb is_past_only formulas_of_cases = true -> i <= length w ->
  rows_now (firstn i w) (state_of (firstn i w)) = rows_at c w i.
Proof.
  intros P L. unfold rows_now, rows_at. rewrite !flat_map_concat_map. f_equal. apply map_ext_in. intros case I.
  assert (E : case_holds_now (firstn i w) (state_of (firstn i w)) (fst case) = when_holds c w i (fst case));
    [|now rewrite E].
  unfold case_holds_now, when_holds. rewrite andb_comm. f_equal.
  - unfold formula_holds. destruct (when_formula (fst case)) as [f|] eqn:F; [|reflexivity].
    rewrite firstn_length_le by exact L. destruct (Nat.leb_spec 1 i) as [K|K]; [|reflexivity]. cbn [andb].
    apply (past_only_truth _ _ _ _ _ i).
    + intros j J. unfold spelled. rewrite <- (firstn_skipn i w) at 2. rewrite app_nth1; [reflexivity|].
      rewrite firstn_length_le by exact L. lia.
    + rewrite forallb_forall in P. apply P, in_flat_map. exists case. rewrite F. split; [exact I|now left].
    + lia.
  - unfold states_hold, state_of. destruct (when_states (fst case)); [|reflexivity]. now destruct (claim_automaton c).
Qed.

Lemma all_above_holds y x l r : within y x -> all_above y l = true -> In r l ->
  (Q2R (claim_margin c) < row_total r x)%R.
Proof.
  intros W A I. unfold all_above in A. rewrite forallb_forall in A. exact (rows_above y x r W (A r I)).
Qed.
Lemma related_nth l x k y : Forall2 within l x -> nth_error l k = Some y -> within y (nth k x []).
Proof.
  intros F. revert k. induction F as [|z x0 l x Z F IH]; intros [|k] E; try discriminate; cbn in *.
  - now injection E as <-.
  - now apply IH.
Qed.
Lemma judge_outputs_holds w outputs x : judge_outputs w outputs = true -> Forall2 within outputs x ->
  forall i place, In (i, place) (judged c (length w)) -> forall r, In r (rows_at c w i) ->
  (Q2R (claim_margin c) < row_total r (nth place x []))%R.
Proof.
  intros J F i place I r R. unfold judge_outputs in J. rewrite forallb_forall in J. specialize (J _ I).
  cbn [fst snd] in J.
  destruct (rows_at c w i) as [|r0 l]; [contradiction|].
  destruct (nth_error outputs place) as [y|] eqn:N; [|discriminate].
  exact (all_above_holds y _ _ r (related_nth _ _ _ _ F N) J R).
Qed.

Lemma judged_positions n i place : In (i, place) (judged c n) ->
  if reads_each then (if claim_empty c then 0 else 1) <= i <= n /\ place = length (claim_before c) + i - 1
  else i = n /\ (claim_read c = LastToken -> place = length (claim_before c) + n + length (claim_after c) - 1).
Proof.
  unfold judged, reads_each. destruct (claim_read c); intros I.
  - apply in_map_iff in I as (j & [= -> ->] & I). destruct (claim_empty c); apply in_seq in I; lia.
  - destruct I as [[= <- <-]|[]]. split; [reflexivity|discriminate].
  - destruct I as [[= <- <-]|[]]. now split.
Qed.

Lemma has_rows_less offset n k : n <= k -> has_rows c rows offset k = true -> has_rows c rows offset n = true.
Proof. unfold has_rows. destruct rows; [|auto]. rewrite !Nat.leb_le. lia. Qed.
Lemma within_greatest offset n : n <= claim_max_n c -> has_rows c rows offset n = true -> n <= greatest_length offset.
Proof. unfold has_rows, greatest_length. destruct rows; [|auto]. rewrite Nat.leb_le. lia. Qed.

(* A word of the claim, a place where it is judged, and a row that must be above the margin there. *)
Section Claimed.
Variables (dead : list bool) (offset : nat) (w : list nat) (i place : nat) (r : logit_row).
Hypothesis Closed : is_closed_set dead = true.
Hypothesis Lengths : claim_min_n c <= length w <= claim_max_n c.
Hypothesis Letters : Forall (fun a => a < length (claim_alphabet c)) w.
Hypothesis Rows : has_rows c rows offset (length w) = true.
Hypothesis Judged : In (i, place) (judged c (length w)).
Hypothesis Asked : In r (rows_at c w i).
Notation above := (Q2R (claim_margin c) < row_total r (nth place (logits offset (input_of c w)) []))%R.
Notation ends := (fun x : visited => nth (visited_state x) dead false).
Notation letters := (length (claim_alphabet c)).
Notation start := (Visited [] first_state (fed offset (claim_before c))).

Lemma beginning_letters k : Forall (fun a => a < letters) (firstn k w).
Proof. rewrite <- (firstn_skipn k w) in Letters. now apply Forall_app in Letters. Qed.
Lemma beginning_alive u v : firstn i w = u ++ v -> v <> [] -> nth (state_of u) dead false = false.
Proof.
  intros F _. destruct (nth (state_of u) dead false) eqn:D; [|reflexivity]. exfalso. pose proof Asked as R.
  rewrite (dead_asks_nothing dead Closed) in R; [contradiction|]. rewrite F. apply dead_after; auto.
  pose proof (beginning_letters i) as L. rewrite F in L. now apply Forall_app in L.
Qed.
Lemma word_alive u v : w = u ++ v -> v <> [] -> (if reads_each then false else nth (state_of u) dead false) = false.
Proof.
  pose proof (judged_positions _ _ _ Judged) as P. pose proof beginning_alive as A.
  destruct reads_each; [reflexivity|]. destruct P as [-> _]. rewrite firstn_all in A. exact (A u v).
Qed.
Lemma asks_rows_here : asks_rows w = true.
Proof.
  apply existsb_exists. exists (i, place). split; [exact Judged|]. cbn [fst]. pose proof Asked as R.
  now destruct (rows_at c w i).
Qed.
Lemma depth_is_enough : length w <= greatest_length offset. Proof. apply within_greatest; [lia|exact Rows]. Qed.

Lemma outputs_after tokens : length (rev (node_outputs (fed offset tokens))) = length tokens.
Proof.
  destruct (fed_more (Node start_memory offset []) tokens) as (all & E & L). unfold fed. rewrite E. exact L.
Qed.
(* The last output after a beginning is that of the whole input at its place. *)
Lemma beginning_within y outputs : i <= length w -> place = length (claim_before c) + i - 1 -> causal = true ->
  node_outputs (fold_left feed_token (map (token_of c) (firstn i w)) (fed offset (claim_before c))) = y :: outputs ->
  within y (nth place (logits offset (input_of c w)) []).
Proof.
  intros Upto -> Causal O. set (tokens := claim_before c ++ map (token_of c) (firstn i w)).
  assert (O' : node_outputs (fed offset tokens) = y :: outputs) by (unfold fed, tokens; rewrite fold_left_app; exact O).
  pose proof (outputs_after tokens) as L. rewrite O' in L. cbn [rev] in L. rewrite length_app in L. cbn [length] in L.
  unfold tokens in L at 1. rewrite length_app, length_map, firstn_length_le in L by exact Upto.
  pose proof (fed_within Causal offset (input_of c w)) as F. apply (related_nth _ _ _ _ F).
  assert (W : input_of c w = tokens ++ map (token_of c) (skipn i w) ++ claim_after c).
  { unfold input_of, tokens. rewrite <- app_assoc. f_equal. now rewrite app_assoc, <- map_app, firstn_skipn. }
  rewrite W. unfold fed. rewrite fold_left_app. fold (fed offset tokens).
  destruct (fed_more (fed offset tokens) (map (token_of c) (skipn i w) ++ claim_after c)) as (more & M & _).
  rewrite M, O'. cbn [rev]. rewrite <- app_assoc, nth_error_app2 by lia.
  now replace (length (claim_before c) + i - 1 - length (rev outputs)) with 0 by lia.
Qed.
Lemma judged_at_place : is_by_place = true -> is_judged_place i = true /\ place = length (claim_before c) + i - 1 /\
  i <= length w.
Proof.
  intros P. apply andb_prop in P as [_ P]. pose proof (judged_positions _ _ _ Judged) as J.
  unfold is_judged_place, reads_each in *. destruct (claim_read c) eqn:K; [|discriminate|].
  - split; [|lia]. destruct (Nat.eqb_spec i 0); [|reflexivity]. destruct (claim_empty c); [reflexivity|lia].
  - destruct J as [-> J]. destruct (claim_after c); [|discriminate]. rewrite (J eq_refl). simpl.
    split; [apply Nat.leb_le; lia|lia].
Qed.
Lemma by_place_holds depth : i <= depth -> causal = true -> is_by_place = true ->
  walk_words visit judge_place ends letters depth start = true -> above.
Proof.
  intros Deep Causal Place E. destruct (judged_at_place Place) as (Here & At & Upto).
  assert (J : judge_place (fold_left visit (firstn i w) start) = true).
  { apply walk_words_holds with (1 := E); [|apply beginning_letters|].
    - rewrite firstn_length. lia.
    - intros u v F V. rewrite visited_after. cbn [visited_state]. now apply (beginning_alive u v). }
  apply andb_prop in Place as [Past _]. rewrite visited_after in J. unfold judge_place in J.
  cbn [visited_letters visited_state visited_node] in J.
  rewrite rev_involutive, rows_now_at, firstn_length_le, Here in J by assumption. pose proof Asked as R.
  destruct (rows_at c w i) as [|r0 l]; [contradiction|].
  destruct (node_outputs _) as [|y outputs] eqn:O; [discriminate|].
  exact (all_above_holds y _ _ r (beginning_within y outputs Upto At Causal O) J R).
Qed.
Lemma by_length_holds depth : length w <= depth -> causal = true ->
  walk_words visit judge_length (if reads_each then fun _ => false else ends) letters depth start = true -> above.
Proof.
  intros Deep Causal E. assert (J : judge_length (fold_left visit w start) = true).
  { apply walk_words_holds with (1 := E); [exact Deep|exact Letters|]. intros u v F V.
    rewrite visited_after. pose proof (word_alive u v F V). now destruct reads_each. }
  rewrite visited_after in J. unfold judge_length in J. cbn [visited_letters visited_node] in J.
  rewrite rev_involutive, asks_rows_here in J. destruct (Nat.leb_spec (claim_min_n c) (length w)) as [_|]; [|lia].
  eapply judge_outputs_holds; [exact J| |exact Judged|exact Asked].
  pose proof (fed_within Causal offset (input_of c w)) as F. unfold fed, input_of in F. now rewrite !fold_left_app in F.
Qed.
Lemma whole_words_hold depth : length w <= depth -> causal = false -> walk_words visit_alone (judge_whole offset)
    (if reads_each then
  fun _ => false else ends) letters depth (Visited [] first_state (Node start_memory offset [])) = true -> above.
Proof.
  intros Deep Causal E. assert (J : judge_whole offset (fold_left visit_alone w (Visited [] first_state (Node
      start_memory
    offset []))) = true).
  { apply walk_words_holds with (1 := E); [exact Deep|exact Letters|]. intros u v F V.
    rewrite visited_alone_after. pose proof (word_alive u v F V). now destruct reads_each. }
  rewrite visited_alone_after in J. unfold judge_whole in J. cbn [visited_letters] in J.
  rewrite rev_involutive, asks_rows_here in J. destruct (Nat.leb_spec (claim_min_n c) (length w)) as [_|]; [|lia].
  eapply judge_outputs_holds; [exact J|exact (whole_within Causal offset (input_of c w))|exact Judged|exact Asked].
Qed.
Lemma check_offset_holds deep : (if causal && is_by_place then i <= deep else length w <= deep) ->
  check_offset causal dead deep offset = true -> above.
Proof.
  pose proof depth_is_enough as Enough. unfold check_offset.
  rewrite (has_rows_less _ _ (length w)) by (lia || assumption).
  destruct (bool_dec causal true) as [Causal|Causal%not_true_is_false]; rewrite Causal.
  - destruct is_by_place eqn:Place; cbn [andb]; intros Deep E.
    + destruct (judged_at_place Place) as (_ & _ & Upto). refine (by_place_holds _ _ Causal Place E). lia.
    + refine (by_length_holds _ _ Causal E). lia.
  - cbn [andb]. intros Deep E. refine (whole_words_hold _ _ Causal E). lia.
Qed.
End Claimed.

Lemma closed_dead : is_closed_set closed_dead_states = true.
Proof.
  unfold closed_dead_states. cbv zeta. destruct (is_closed_set dead_states) eqn:D; [exact D|]. unfold is_closed_set.
  now destruct (claim_automaton c).
Qed.
Theorem check_words_holds : check_words causal = true -> claim_holds c rows logits.
Proof.
  intros E offset w (Offsets & Lengths & Letters & Rows) i place I r R. unfold check_words in E.
  rewrite forallb_forall in E. pose proof (depth_is_enough offset w Lengths Rows) as Enough.
  apply (check_offset_holds closed_dead_states offset w i place r closed_dead Lengths Letters Rows I R
    (greatest_length offset)).
  - destruct (causal && is_by_place); [|exact Enough]. pose proof (judged_positions _ _ _ I).
    destruct reads_each; lia.
  - apply E, in_seq. lia.
Qed.
End Check.
