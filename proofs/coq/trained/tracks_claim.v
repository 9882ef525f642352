(* A claim about aligned words (docs/reference/tracks.md, sections 1 and 3): its parts as data, what it says of the
   logits of a network, and the condition for the parts to fit.

   An input is a list of columns, each with a letter of each track: the number of their combination. A machine reads the
   columns and writes the answers. Every answer is judged after the right answers before it. *)
From Coq Require Import Reals QArith Qreals ZArith String List Bool Arith.
From Certify Require Import json_text formula_text model_text syntax claim real_network.
Import ListNotations.
Open Scope nat_scope.

(* ---- parts ---- *)
Record track_syntax := TrackOf { track_name : string; track_letters : list string; track_tokens : list nat }.
Definition move_syntax := option (nat * list nat).                   (* the next state, and a token for each answer *)
Record transducer_syntax := TransducerOf {
  transducer_start : nat;
  transducer_tables : list (list (list move_syntax));                (* for each table, state and combination *)
  transducer_ends : list (option (list nat)) }.                      (* for each state, the tokens at the end *)
Inductive place_syntax :=
| TokenPlace (token : nat)
| TrackPlace (track column : nat)
| AnswerPlace (answer column : nat)                                  (* written in a column *)
| EndPlace (answer : nat).                                           (* written at the end *)
Record layout_syntax := LayoutOf { layout_tables : list nat; layout_places : list place_syntax }.
Record tracks_claim_syntax := TracksClaimOf {
  claim_tracks : list track_syntax;
  claim_machine : transducer_syntax;
  claim_layouts : list layout_syntax;
  claim_offset : nat;
  claim_among : list nat;
  claim_threshold : Q;
  claim_last_first : bool }.                                         (* how people write inputs; nothing rests on it *)
Record tracks_syntax := TracksOf { tracks_network : network_syntax; tracks_claim : tracks_claim_syntax }.

(* ---- inputs ---- *)
(* The combinations of letters of all tracks, in lexicographic order. *)
Fixpoint combinations (sizes : list nat) : list (list nat) :=
  match sizes with
  | [] => [[]]
  | size :: sizes => flat_map (fun letter => map (cons letter) (combinations sizes)) (seq 0 size)
  end.

Section Claim.
Variable c : tracks_claim_syntax.
Definition all_combinations : list (list nat) := combinations (map (fun t => length (track_letters t)) (claim_tracks
  c)).
Definition move_of (table q combination : nat) : move_syntax :=
  nth combination (nth q (nth table (transducer_tables (claim_machine c)) []) []) None.

(* The letters that are read and the tokens that are written in each column, and at the end; None if not allowed. *)
Definition step_data := (list nat * list nat)%type.
Fixpoint steps_from (q : nat) (tables input : list nat) : option (list step_data) :=
  match tables, input with
  | [], [] => option_map (fun written => [([], written)]) (nth q (transducer_ends (claim_machine c)) None)
  | table :: tables, combination :: input =>
      match move_of table q combination with
      | Some (q, written) =>
          option_map (cons (nth combination all_combinations [], written)) (steps_from q tables input)
      | None => None
      end
  | _, _ => None
  end.
Definition steps_of (f : layout_syntax) (input : list nat) : option (list step_data) :=
  steps_from (transducer_start (claim_machine c)) (layout_tables f) input.

(* The step that decides the token of a place, the last one being the end; and that token. *)
Definition step_of_place (f : layout_syntax) (place : place_syntax) : option nat :=
  match place with
  | TokenPlace _ => None
  | TrackPlace _ k | AnswerPlace _ k => Some k
  | EndPlace _ => Some (length (layout_tables f))
  end.
Definition token_of_step (place : place_syntax) (step : step_data) : nat :=
  match place with
  | TokenPlace t => t
  | TrackPlace i _ => nth (nth i (fst step) 0) (nth i (map track_tokens (claim_tracks c)) []) 0
  | AnswerPlace i _ | EndPlace i => nth i (snd step) 0
  end.
Definition token_at (f : layout_syntax) (steps : list step_data) (place : place_syntax) : nat :=
  token_of_step place match step_of_place f place with Some k => nth k steps ([], []) | None => ([], []) end.
Definition sequence_of (f : layout_syntax) (steps : list step_data) : list nat :=
  map (token_at f steps) (layout_places f).
Definition is_answer (place : place_syntax) : bool :=
  match place with AnswerPlace _ _ | EndPlace _ => true | _ => false end.

(* Of every allowed input, at the token before each answer: the logit of the answer is above that of each other token,
   by more than the margin. The logits are those after the right sequence up to there. *)
Section Logits.
Open Scope R_scope.
Variable logits : nat -> list nat -> list (list R).
Definition tracks_claim_holds : Prop := forall f input steps, In f (claim_layouts c) -> steps_of f input = Some steps ->
  forall p answer, nth_error (layout_places f) (S p) = Some answer -> is_answer answer = true ->
  forall other, In other (claim_among c) -> other <> token_at f steps answer ->
  let x := nth p (logits (claim_offset c) (firstn (S p) (sequence_of f steps))) [] in
  Q2R (claim_threshold c) < nth (token_at f steps answer) x 0 - nth other x 0.
End Logits.

(* Every layout has an allowed input. *)
Definition have_inputs : Prop := forall f, In f (claim_layouts c) -> exists input steps, steps_of f input = Some steps.

(* ---- the parts fit ---- *)
Definition is_whole_move (states outputs vocabulary : nat) (among : list nat) (m : move_syntax) : bool :=
  match m with
  | Some (q, written) => (q <? states) && (length written =? outputs)
      && forallb (fun t => (t <? vocabulary) && existsb (Nat.eqb t) among) written
  | None => true
  end.
Definition written_in_a_move (M : transducer_syntax) : nat :=
  match flat_map (flat_map (flat_map (fun m : move_syntax => match m with Some m => [length (snd m)] | None => [] end)))
      (transducer_tables M) with k :: _ => k | [] => 0 end.
Definition written_at_an_end (M : transducer_syntax) : nat :=
  match flat_map (fun end_ => match end_ with Some l => [length l] | None => [] end) (transducer_ends M) with
  | k :: _ => k | [] => 0 end.
Definition is_whole_place (vocabulary columns : nat) (M : transducer_syntax) (place : place_syntax) : bool :=
  match place with
  | TokenPlace t => t <? vocabulary
  | TrackPlace i k => (i <? length (claim_tracks c)) && (k <? columns)
  | AnswerPlace i k => (i <? written_in_a_move M) && (k <? columns)
  | EndPlace i => i <? written_at_an_end M
  end.
(* The answers are the last places, at least one, and not the first place. *)
Fixpoint answers_last (l : list place_syntax) : bool :=
  match l with [] => true | place :: l => if is_answer place then forallb is_answer l else answers_last l end.
Definition is_whole_layout (vocabulary : nat) (rows : option nat) (f : layout_syntax) : bool :=
  let places := layout_places f in
  negb (length (layout_tables f) =? 0)
  && forallb (fun t => t <? length (transducer_tables (claim_machine c))) (layout_tables f)
  && forallb (is_whole_place vocabulary (length (layout_tables f)) (claim_machine c)) places
  && answers_last places && existsb is_answer places
  && match places with place :: _ => negb (is_answer place) | [] => false end
  && match rows with Some k => claim_offset c + length places - 1 <=? k | None => true end.
Fixpoint is_ascending (l : list nat) : bool :=
  match l with a :: (b :: _) as l => (a <? b) && is_ascending l | _ => true end.
Definition is_whole_tracks_claim (vocabulary outputs : nat) (rows : option nat) : bool :=
  let M := claim_machine c in
  let states := length (transducer_ends M) in
  let among := claim_among c in
  negb (length (claim_tracks c) =? 0)
  && forallb (fun t => are_names (track_letters t) && negb (length (track_letters t) =? 0)
       && (length (track_tokens t) =? length (track_letters t)) && forallb (fun t => t <? vocabulary) (track_tokens t))
       (claim_tracks c)
  && (transducer_start M <? states) && negb (length (transducer_tables M) =? 0)
  && forallb (fun table => (length table =? states) && forallb (fun row => (length row =? length all_combinations)
       && forallb (is_whole_move states (written_in_a_move M) vocabulary among) row) table) (transducer_tables M)
  && forallb (fun end_ => match end_ with
       | Some l => (length l =? written_at_an_end M) && forallb (fun t => (t <? vocabulary) && existsb (Nat.eqb t)
         among) l
       | None => true end) (transducer_ends M)
  && existsb (fun end_ => match end_ with Some _ => true | None => false end) (transducer_ends M)
  && negb (length (claim_layouts c) =? 0) && forallb (is_whole_layout vocabulary rows) (claim_layouts c)
  && (2 <=? length among) && is_ascending among && forallb (fun t => t <? outputs) among
  && (0 <=? Qnum (claim_threshold c))%Z && match rows with Some _ => true | None => claim_offset c =? 0 end.
End Claim.

(* Every token outputs logits, or the last one of a causal network does. *)
Definition is_whole_tracks (d : tracks_syntax) : bool :=
  let T := tracks_network d in
  is_whole_network T
  && is_whole_tracks_claim (tracks_claim d) (height_of (network_tokens T)) (outputs_of (network_unembedding T))
       (network_rows T)
  && match network_readout T with EachToken => true | LastToken => network_causal T | FirstToken => false end.
Definition tracks_hold (d : tracks_syntax) : Prop :=
  tracks_claim_holds (tracks_claim d) (network_logits (tracks_network d)).
