(* What a beginning of a word decides of a claim, letter by letter: the state of the automaton, and what formulas
   that do
   not look ahead must remember. `tracked_rows`: the rows of logits at its last position. *)
From Coq Require Import List Bool Arith ZArith Lia.
From Certify Require Import positions lists formula user_predicates syntax claim past_only.
Import ListNotations PositionNotations.

(* ---- formulas, from what is remembered at the position before ---- *)
Fixpoint remembered_of {X} (default : X) (keys : list formula) (values : list X) (f : formula) : X :=
  match keys, values with
  | k :: keys, x :: values => if formula_eqb k f then x else remembered_of default keys values f
  | _, _ => default
  end.
Section Now.
Variable users : predicate_meanings.
Variables (truths counts : list formula).                (* of which the truth, or the count, is remembered *)
Variables (values : list bool) (numbers : list nat) (letter i : nat).
Fixpoint now_true (f : formula) : bool :=
  match f with
  | Truth x => x
  | Symbol a => letter =? a
  | Not f => negb (now_true f)
  | And f g => now_true f && now_true g
  | Or f g => now_true f || now_true g
  | Implies f g => implb (now_true f) (now_true g)
  | Iff f g => eqb (now_true f) (now_true g)
  | Previous f => negb (i =? 1) && remembered_of false truths values f
  | Since f g => now_true f && (now_true g || remembered_of false truths values (Since f g))
  | Positional p => predicate_holds users p i 0
  | OnCount p _ f => predicate_holds users p (remembered_of 0 counts numbers f + Nat.b2n (now_true f)) 0
  | OnSum p t => holds_at users p (now_sum t) 0
  | Compare r t u => relation_holds r (now_sum t) (now_sum u)
  | Next _ | Until _ _ => false
  end
with now_sum (t : term) : Z :=
  match t with
  | Number z => z
  | Plus a _ f t => (a * Z.of_nat (remembered_of 0 counts numbers f + Nat.b2n (now_true f))%nat + now_sum t)%Z
  end.
(* That all that is needed is remembered. *)
Definition is_key (keys : list formula) (f : formula) : bool := existsb (fun k => formula_eqb k f) keys.
Fixpoint is_tracked (f : formula) : bool :=
  match f with
  | Truth _ | Symbol _ => true
  | Not f => is_tracked f
  | And f g | Or f g | Implies f g | Iff f g => is_tracked f && is_tracked g
  | Previous f => is_key truths f && is_tracked f
  | Since f g => is_key truths (Since f g) && is_tracked f && is_tracked g
  | Positional p => ignores_length p
  | OnCount p s f => ignores_length p && side_eqb s ToLeft && is_key counts f && is_tracked f
  | OnSum p t => ignores_length p && is_tracked_sum t
  | Compare _ t u => is_tracked_sum t && is_tracked_sum u
  | Next _ | Until _ _ => false
  end
with is_tracked_sum (t : term) : bool :=
  match t with Number _ => true | Plus _ s f t => side_eqb s ToLeft && is_key counts f && is_tracked f &&
      is_tracked_sum t
  end.

Variables (n : nat) (w : word) (before : nat).
Hypothesis Position : i = S before.
Hypothesis Letter : w i = letter.
Hypothesis Truths : forall f, is_key truths f = true -> remembered_of false truths values f =
  (1 <=? before) && truth users n w f before.
Hypothesis Counts : forall f, is_key counts f = true -> remembered_of 0 counts numbers f =
  counted_on ToLeft n (truth users n w f) before.
Lemma since_step p q k : since_at p q (S k) = p (S k) && (q (S k) || since_at p q k).
Proof.
  apply eq_true_iff_eq. rewrite andb_true_iff, orb_true_iff, !since_at_iff. split.
  - intros (j & J & Q & P). split; [apply P; lia|]. destruct (Nat.eq_dec j (S k)) as [->|N]; [now left|]. right.
    exists j. split; [lia|]. split; [exact Q|]. intros x X. apply P. lia.
  - intros [P [Q|(j & J & Q & R)]].
    + exists (S k). split; [lia|]. split; [exact Q|]. intros x X. now replace x with (S k) by lia.
    + exists j. split; [lia|]. split; [exact Q|]. intros x X. destruct (Nat.eq_dec x (S k)) as [->|N]; [exact P|].
      apply R. lia.
Qed.
Lemma count_step p k : counted_on ToLeft n p (S k) = counted_on ToLeft n p k + Nat.b2n (p (S k)).
Proof.
  unfold counted_on, looked_at. rewrite seq_S, filter_app, length_app. cbn [filter Nat.add]. now destruct (p (S k)).
Qed.
Lemma now_is : (forall f, is_tracked f = true -> now_true f = truth users n w f i) /\
  (forall t, is_tracked_sum t = true -> now_sum t = value_of_term users n w t i).
Proof.
  apply formula_term_mutual; cbn [is_tracked is_tracked_sum now_true now_sum truth value_of_term]; intros;
    repeat match goal with H : _ && _ = true |- _ => apply andb_prop in H; destruct H end; try discriminate;
    repeat match goal with H : ?a = true -> _, K : ?a = true |- _ => specialize (H K) end;
    repeat match goal with H : side_eqb ?s ToLeft = true |- _ => apply side_eqb_eq in H; subst s end.
  - reflexivity.
  - now rewrite Letter.
  - f_equal. auto.
  - f_equal; auto.
  - f_equal; auto.
  - f_equal; auto.
  - f_equal; auto.
  - rewrite Truths by assumption. rewrite Position. destruct before as [|k]; [reflexivity|].
    now replace (S (S k) - 1) with (S k) by lia.
  - rewrite Truths by assumption. rewrite H, H0. cbn [truth]. rewrite Position, since_step. do 2 f_equal.
    destruct before as [|k]; [reflexivity|]. reflexivity.
  - now apply ignores_length_holds.
  - rewrite Counts by assumption. rewrite H. rewrite Position, count_step. now apply ignores_length_holds.
  - rewrite H. now apply (ignores_length_holds users p 0 0 n).
  - f_equal; auto.
  - reflexivity.
  - rewrite Counts by assumption. rewrite H, H0. rewrite Position, count_step. reflexivity.
Qed.
End Now.

Section Tracker.
Variable c : claim_syntax.
Notation users := (users_of (claim_predicates c)).
Notation formulas := (flat_map (fun case => match when_formula (fst case) with Some f => [f] | None => [] end)
  (claim_cases c)).
(* ---- what must be remembered: that it is enough is checked ---- *)
Fixpoint truths_in (f : formula) : list formula :=
  match f with
  | Truth _ | Symbol _ | Positional _ => []
  | Not f | OnCount _ _ f | Next f => truths_in f
  | Previous f => f :: truths_in f
  | And f g | Or f g | Implies f g | Iff f g | Until f g => truths_in f ++ truths_in g
  | Since f' g => f :: truths_in f' ++ truths_in g
  | OnSum _ t => truths_in_sum t
  | Compare _ t u => truths_in_sum t ++ truths_in_sum u
  end
with truths_in_sum (t : term) : list formula :=
  match t with Number _ => [] | Plus _ _ f t => truths_in f ++ truths_in_sum t end.
Fixpoint counts_in (f : formula) : list formula :=
  match f with
  | Truth _ | Symbol _ | Positional _ => []
  | Not f | Next f | Previous f => counts_in f
  | OnCount _ _ f => f :: counts_in f
  | And f g | Or f g | Implies f g | Iff f g | Until f g | Since f g => counts_in f ++ counts_in g
  | OnSum _ t => counts_in_sum t
  | Compare _ t u => counts_in_sum t ++ counts_in_sum u
  end
with counts_in_sum (t : term) : list formula :=
  match t with Number _ => [] | Plus _ _ f t => f :: counts_in f ++ counts_in_sum t end.
Fixpoint once (l : list formula) : list formula :=
  match l with [] => [] | f :: l => let l := once l in if is_key l f then l else f :: l end.
Record tracking := Tracking { tracked_truths : list formula; tracked_counts : list formula }.
Definition make_tracking : tracking :=
  Tracking (once (formulas ++ flat_map truths_in formulas)) (once (flat_map counts_in formulas)).
Variable k : tracking.
Definition tracks_all : bool := forallb (is_tracked (tracked_truths k) (tracked_counts k))
  (tracked_truths k ++ tracked_counts k) && forallb (is_key (tracked_truths k)) formulas.

Record tracked := Tracked { tracked_state : nat; tracked_position : nat; tracked_values : list bool;
  tracked_numbers : list nat }.
Definition tracked_dec (x y : tracked) : {x = y} + {x <> y}.
Proof. decide equality; first [apply Nat.eq_dec | apply list_eq_dec; first [apply Nat.eq_dec | apply bool_dec]].
    Defined.
Definition tracked_start : tracked :=
  Tracked match claim_automaton c with Some A => automaton_start A | None => 0 end 0
    (map (fun _ => false) (tracked_truths k)) (map (fun _ => 0) (tracked_counts k)).
Definition tracked_next (x : tracked) (a : nat) : tracked :=
  let i := S (tracked_position x) in
  let now := now_true users (tracked_truths k) (tracked_counts k) (tracked_values x) (tracked_numbers x) a i in
  Tracked match claim_automaton c with Some A => next_state A (tracked_state x) a | None => 0 end i
    (map now (tracked_truths k))
    (map (fun f => remembered_of 0 (tracked_counts k) (tracked_numbers x) f + Nat.b2n (now f)) (tracked_counts k)).
Definition tracked_rows (x : tracked) : list logit_row :=
  flat_map (fun case => if match when_formula (fst case) with
        | Some f => remembered_of false (tracked_truths k) (tracked_values x) f | None => true end
      && match when_states (fst case), claim_automaton c with
        | Some l, Some _ => existsb (Nat.eqb (tracked_state x)) l
        | Some _, None => false
        | None, _ => true end
    then snd case else []) (claim_cases c).

(* ---- why it is right ---- *)
Hypothesis All : tracks_all = true.
Lemma remembered_of_map {X} (d : X) (g : formula -> X) keys f : is_key keys f = true -> remembered_of d keys (map g
    keys) f = g
  f.
Proof.
  unfold is_key. induction keys as [|x keys IH]; [discriminate|]. cbn [existsb map remembered_of].
  destruct (formula_eqb x f) eqn:E; [|exact IH]. intros _. apply formula_eqb_eq in E. now subst.
Qed.
Lemma key_in keys f : is_key keys f = true -> In f keys.
Proof.
  unfold is_key. intros H. apply existsb_exists in H as (x & I & E). apply formula_eqb_eq in E. now subst.
Qed.
Definition remembers (w : list nat) (i : nat) (x : tracked) : Prop :=
  tracked_state x = match claim_automaton c with Some A => state_after A (firstn i w) | None => tracked_state x end /\
  tracked_position x = i /\
  (forall f, is_key (tracked_truths k) f = true -> remembered_of false (tracked_truths k) (tracked_values x) f =
    (1 <=? i) && truth users (length w) (spelled w) f i) /\
  (forall f, is_key (tracked_counts k) f = true -> remembered_of 0 (tracked_counts k) (tracked_numbers x) f =
    counted_on ToLeft (length w) (truth users (length w) (spelled w) f) i).
Lemma remembers_all w i : i <= length w -> remembers w i (fold_left tracked_next (firstn i w) tracked_start).
Proof.
  unfold tracks_all in All. apply andb_prop in All as [Tracks _]. rewrite forallb_forall in Tracks.
  induction i as [|i IH]; intros L.
  - cbn [firstn fold_left]. repeat split; cbn [tracked_start tracked_state tracked_position tracked_values
      tracked_numbers].
    + now destruct (claim_automaton c).
    + intros f K. rewrite remembered_of_map by exact K. reflexivity.
    + intros f K. rewrite remembered_of_map by exact K. reflexivity.
  - specialize (IH ltac:(lia)). set (a := nth i w 0).
    assert (F : firstn (S i) w = firstn i w ++ [a]).
    { unfold a. clear - L. revert w L. induction i as [|i IH]; intros [|x w] L; simpl in L; try lia; [reflexivity|].
      cbn [firstn app nth]. f_equal. apply (IH w). lia. }
    rewrite F, fold_left_app. cbn [fold_left]. destruct IH as (Q & P & Ts & Cs).
    set (x := fold_left tracked_next (firstn i w) tracked_start) in *.
    assert (Now : forall f, In f (tracked_truths k ++ tracked_counts k) -> now_true users (tracked_truths k)
      (tracked_counts k) (tracked_values x) (tracked_numbers x) a (S i) f = truth users (length w) (spelled w) f (S i)).
    { intros f I. apply (now_is users _ _ _ _ a (S i) (length w) (spelled w) i eq_refl); auto.
      unfold spelled, a. do 2 f_equal. lia. }
    unfold remembers, tracked_next. cbn [tracked_state tracked_position tracked_values tracked_numbers]. rewrite P.
    split; [|split; [reflexivity|split]].
    + destruct (claim_automaton c) as [A|]; [|reflexivity]. unfold state_after in *. rewrite F, fold_left_app.
      cbn [fold_left]. now rewrite <- Q.
    + intros f K. rewrite remembered_of_map by exact K. apply Now, in_or_app. left. now apply key_in.
    + intros f K. rewrite remembered_of_map by exact K. rewrite count_step, Cs by exact K.
      rewrite Now by (apply in_or_app; right; now apply key_in). reflexivity.
Qed.
Theorem tracked_rows_are w i : 1 <= i <= length w ->
  tracked_rows (fold_left tracked_next (firstn i w) tracked_start) = rows_at c w i.
Proof.
  intros I. destruct (remembers_all w i ltac:(lia)) as (Q & P & Ts & _).
  set (x := fold_left tracked_next (firstn i w) tracked_start) in *. unfold tracked_rows, rows_at.
  unfold tracks_all in All. apply andb_prop in All as [_ Keys]. rewrite forallb_forall in Keys.
  rewrite !flat_map_concat_map. f_equal. apply map_ext_in. intros case J.
  assert (E : (match when_formula (fst case) with
        | Some f => remembered_of false (tracked_truths k) (tracked_values x) f | None => true end
      && match when_states (fst case), claim_automaton c with
        | Some l, Some _ => existsb (Nat.eqb (tracked_state x)) l
        | Some _, None => false
        | None, _ => true end) = when_holds c w i (fst case)); [|now rewrite E].
  unfold when_holds. f_equal.
  - unfold formula_holds. destruct (when_formula (fst case)) as [f|] eqn:W; [|reflexivity]. apply Ts, Keys, in_flat_map.
    exists case. rewrite W. split; [exact J|now left].
  - unfold states_hold. destruct (when_states (fst case)); [|reflexivity]. destruct (claim_automaton c); [|reflexivity].
    now rewrite Q.
Qed.
End Tracker.
