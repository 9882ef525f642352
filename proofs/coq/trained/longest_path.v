(* Longest paths through columns of edges: for each state before or after a column an upper bound of the sum of an
   edge's cost in each column, over all paths from a start, or to an end. None: no path is known.

   An edge joins a state before its column to a state after it. Its cost is a sum of entries: one of each row of costs
   of the column, at the places that the edge names. *)
From Coq Require Import ZArith List Lia Bool Arith.
From Certify Require Import lists.
Import ListNotations.
Open Scope Z_scope.

Record edge := Edge { edge_source : nat; edge_target : nat; edge_letters : list nat; edge_written : list nat;
  edge_tokens : list nat }.
Notation costs := (list (list Z)).
Fixpoint cost (rows : costs) (tokens : list nat) : Z :=
  match rows, tokens with row :: rows, t :: tokens => nth t row 0 + cost rows tokens | _, _ => 0 end.
Fixpoint path_total (all : list costs) (es : list edge) : Z :=
  match all, es with rows :: all, e :: es => cost rows (edge_tokens e) + path_total all es | _, _ => 0 end.
Fixpoint is_chain (q : nat) (es : list edge) (last : nat) : Prop :=
  match es with [] => q = last | e :: es => edge_source e = q /\ is_chain (edge_target e) es last end.

(* Edges by a state of theirs. *)
Record column := Column { column_edges : list edge; by_source : list (list edge); by_target : list (list edge) }.
Definition grouped (state : edge -> nat) (states : nat) (l : list edge) : list (list edge) :=
  map (fun q => filter (fun e => (state e =? q)%nat) l) (seq 0 states).
Definition column_of (states : nat) (l : list edge) : column :=
  Column l (grouped edge_source states l) (grouped edge_target states l).
Definition within_states (states : nat) (l : list edge) : bool :=
  forallb (fun e => (edge_source e <? states)%nat && (edge_target e <? states)%nat) l.

Notation bound := (option Z).
Definition is_bound_of (z : Z) (b : bound) : Prop := exists m, b = Some m /\ z <= m.
Definition better (far : edge -> nat) (rows : costs) (reached : list bound) (m : bound) (e : edge) : bound :=
  match nth (far e) reached None with
  | Some z => let z := z + cost rows (edge_tokens e) in Some match m with Some y => Z.max y z | None => z end
  | None => m
  end.
Definition best (far : edge -> nat) (rows : costs) (reached : list bound) (l : list edge) : bound :=
  fold_left (better far rows reached) l None.
Definition advance (far : edge -> nat) (groups : list (list edge)) (rows : costs) (reached : list bound) : list bound :=
  map (best far rows reached) groups.
(* After these columns, from the start on; before these columns, to the end. *)
Fixpoint ahead (columns : list column) (all : list costs) (reached : list bound) : list bound :=
  match columns, all with
  | c :: columns, rows :: all => ahead columns all (advance edge_source (by_target c) rows reached)
  | _, _ => reached
  end.
Fixpoint behind (columns : list column) (all : list costs) (reached : list bound) : list bound :=
  match columns, all with
  | c :: columns, rows :: all => advance edge_target (by_source c) rows (behind columns all reached)
  | _, _ => reached
  end.

(* ---- why it is right ---- *)
Lemma best_keeps far rows reached z l : forall m, is_bound_of z m -> is_bound_of z (fold_left (better far rows
  reached) l m).
Proof.
  induction l as [|e l IH]; intros m A; [exact A|]. cbn [fold_left]. apply IH. unfold better.
  destruct (nth _ _ _) as [y|]; [|exact A]. destruct A as (x & -> & L). eexists. split; [reflexivity|]. lia.
Qed.
Lemma best_bounds far rows reached l z e : In e l -> is_bound_of z (nth (far e) reached None) ->
  is_bound_of (z + cost rows (edge_tokens e)) (best far rows reached l).
Proof.
  intros I A. unfold best. generalize (@None Z). induction l as [|e' l IH]; [contradiction|].
  intros m. cbn [fold_left]. destruct I as [->|I]; [|now apply IH]. apply best_keeps. unfold better.
  destruct A as (x & -> & L). eexists. split; [reflexivity|]. destruct m; lia.
Qed.
Lemma grouped_has state states l e : In e l -> (state e < states)%nat -> In e (nth (state e) (grouped state states l)
  []).
Proof.
  intros I L. unfold grouped.
  rewrite (nth_indep _ [] (filter (fun e => (state e =? 0)%nat) l)) by (rewrite length_map, length_seq; exact L).
  rewrite (map_nth (fun q => filter (fun e => (state e =? q)%nat) l)), seq_nth by exact L.
  apply filter_In. split; [exact I|]. apply Nat.eqb_refl.
Qed.
Lemma within_states_in states l e : within_states states l = true -> In e l -> (edge_source e < states)%nat /\
  (edge_target e < states)%nat.
Proof.
  intros F I. unfold within_states in F. rewrite forallb_forall in F. specialize (F e I). apply andb_prop in F as [A B].
  now split; apply Nat.ltb_lt.
Qed.
Lemma advance_bounds far near states l rows reached z e : In e l -> (near e < states)%nat ->
  is_bound_of z (nth (far e) reached None) ->
  is_bound_of (z + cost rows (edge_tokens e)) (nth (near e) (advance far (grouped near states l) rows reached) None).
Proof.
  intros I L A. pose proof (grouped_has near states l e I L) as G. unfold advance.
  rewrite (nth_indep _ None (best far rows reached [])).
  - rewrite map_nth. now apply best_bounds.
  - rewrite length_map. unfold grouped. now rewrite length_map, length_seq.
Qed.

Section Paths.
Variable states : nat.
Definition is_path (lists : list (list edge)) (es : list edge) : Prop := Forall2 (fun l e => In e l) lists es.
Notation columns lists := (map (column_of states) lists).

Theorem ahead_bounds lists all es : is_path lists es -> forallb (within_states states) lists = true ->
  length all = length lists -> forall q last z reached, is_chain q es last -> is_bound_of z (nth q reached None) ->
  is_bound_of (z + path_total all es) (nth last (ahead (columns lists) all reached) None).
Proof.
  intros P. revert all. induction P as [|l e lists es I P IH]; intros [|rows all] F L q last z reached C A;
    try discriminate.
  - cbn [is_chain] in C. subst. cbn [path_total ahead map]. now rewrite Z.add_0_r.
  - cbn [forallb] in F. apply andb_prop in F as [Fl F]. destruct C as [<- C]. destruct (within_states_in _ _ _ Fl I)
    as [S T].
    cbn [map ahead path_total]. rewrite Z.add_assoc. apply IH with (q := edge_target e); auto.
    unfold column_of. cbn [by_target]. now apply (advance_bounds edge_source edge_target).
Qed.
Theorem behind_bounds lists all es : is_path lists es -> forallb (within_states states) lists = true ->
  length all = length lists -> forall q last z reached, is_chain q es last -> is_bound_of z (nth last reached None) ->
  is_bound_of (z + path_total all es) (nth q (behind (columns lists) all reached) None).
Proof.
  intros P. revert all. induction P as [|l e lists es I P IH]; intros [|rows all] F L q last z reached C A;
    try discriminate.
  - cbn [is_chain] in C. subst. cbn [path_total behind map]. now rewrite Z.add_0_r.
  - cbn [forallb] in F. apply andb_prop in F as [Fl F]. destruct C as [<- C]. destruct (within_states_in _ _ _ Fl I)
    as [S T].
    cbn [map behind path_total]. unfold column_of at 1. cbn [by_source].
    rewrite (Z.add_comm (cost _ _)), Z.add_assoc. apply (advance_bounds edge_target edge_source); auto.
    apply IH with (last := last); auto.
Qed.

(* A path through an edge of column c: no more than what may come before it, its own cost, and what may come after. *)
Theorem through_edge lists all es last c e finish : is_path lists es -> forallb (within_states states) lists = true ->
  length all = length lists -> nth_error es c = Some e -> is_bound_of 0 (nth last finish None) ->
  forall q z reached, is_chain q es last -> is_bound_of z (nth q reached None) -> exists before after,
    nth (edge_source e) (ahead (columns (firstn c lists)) (firstn c all) reached) None = Some before /\
    nth (edge_target e) (behind (columns (skipn (S c) lists)) (skipn (S c) all) finish) None = Some after /\
    z + path_total all es <= before + cost (nth c all []) (edge_tokens e) + after.
Proof.
  intros P. revert all c. induction P as [|l e' lists es I P IH]; intros [|rows all] [|c] F L N B q z reached C A;
    try discriminate.
  - injection N as ->. cbn [firstn skipn map ahead nth]. cbn [forallb] in F. apply andb_prop in F as [Fl F].
    destruct C as [<- C]. destruct A as (x & E & X).
    destruct (behind_bounds lists all es P F ltac:(simpl in L; lia) _ _ 0 finish C B) as (y & E' & Y).
    exists x, y. split; [exact E|]. split; [exact E'|]. cbn [path_total]. lia.
  - cbn [forallb] in F. apply andb_prop in F as [Fl F]. destruct C as [<- C]. destruct (within_states_in _ _ _ Fl I)
    as [S T].
    cbn [nth_error] in N. cbn [firstn skipn map ahead nth path_total]. rewrite Z.add_assoc.
    apply IH with (q := edge_target e'); auto. unfold column_of. cbn [by_target].
    now apply (advance_bounds edge_source edge_target).
Qed.
End Paths.
