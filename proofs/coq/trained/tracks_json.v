(* A decision about aligned words, read from the JSON value of its file (docs/reference/tracks.md, section 3): a
   function, so that every text states one decision at most (`states_tracks_once`). `None` is everything else; of the
   evidence nothing is read.

   To be compared with tracks_claim.py in proofs/check/checker/chapters/trained/reading. *)
From Coq Require Import String QArith List Bool Arith.
From Certify Require Import lists json_text json_text_once syntax decision_json same_decision tracks_claim.
Import ListNotations.
Open Scope string_scope.
Open Scope nat_scope.

Local Notation "'let*' x ':=' a 'in' b" := (match a with Some x => b | None => None end)
  (at level 200, x pattern, a at level 100, b at level 200).

Definition read_track (j : json) : option track_syntax :=
  let* values := values_of ["name"; "letters"; "tokens"] j in
  match values with
  | [Quoted name; letters; tokens] =>
      let* letters := read_list read_quoted letters in
      let* tokens := read_list read_natural tokens in Some (TrackOf name letters tokens)
  | _ => None
  end.
Definition read_move (j : json) : option (nat * list nat) :=
  let* numbers := read_list read_natural j in
  match numbers with target :: written => Some (target, written) | [] => None end.
Definition read_machine (j : json) : option transducer_syntax :=
  let* values := values_of ["start"; "tables"; "end"] j in
  match values with
  | [start; tables; ends] =>
      let* start := read_natural start in
      let* tables := read_list (read_list (read_list (read_or_null read_move))) tables in
      let* ends := read_list (read_or_null (read_list read_natural)) ends in
      Some (TransducerOf start tables ends)
  | _ => None
  end.
Definition read_place (j : json) : option place_syntax :=
  match j with
  | Items [Quoted kind; index] =>
      let* index := read_natural index in
      if String.eqb kind "token" then Some (TokenPlace index) else
      if String.eqb kind "end" then Some (EndPlace index) else None
  | Items [Quoted kind; index; column] =>
      let* index := read_natural index in
      let* column := read_natural column in
      if String.eqb kind "track" then Some (TrackPlace index column) else
      if String.eqb kind "answer" then Some (AnswerPlace index column) else None
  | _ => None
  end.
Definition read_layout (j : json) : option layout_syntax :=
  let* values := values_of ["columns"; "layout"] j in
  match values with
  | [tables; places] =>
      let* tables := read_list read_natural tables in
      let* places := read_list read_place places in Some (LayoutOf tables places)
  | _ => None
  end.
Definition read_tracks_claim (j : json) : option tracks_claim_syntax :=
  let* values := values_of ["tracks"; "machine"; "forms"; "offset"; "among"; "margin"; "typed"] j in
  match values with
  | [tracks; machine; layouts; offset; among; margin; typed] =>
      let* tracks := read_list read_track tracks in
      let* machine := read_machine machine in
      let* layouts := read_list read_layout layouts in
      let* offset := read_natural offset in
      let* among := read_list read_natural among in
      let* margin := read_rational margin in
      let* last_first := read_one_of [("first-first", false); ("last-first", true)] typed in
      Some (TracksClaimOf tracks machine layouts offset among margin last_first)
  | _ => None
  end.
Definition read_tracks (j : json) : option tracks_syntax :=
  let* values := values_of ["format"; "version"; "inputs"; "execution"; "property"; "by"; "network"; "claim";
    "evidence"] j in
  match values with
  | [format; version; inputs; execution; property; by_; network; claim; _] =>
      let* network := read_network network in
      let* claim := read_tracks_claim claim in
      if is_text "certify-decision" format && is_plain_value "1" version && is_text "tracks" inputs &&
        is_text "exact" execution && is_text "answers" property && is_text "forms" by_
      then Some (TracksOf network claim) else None
  | _ => None
  end.

Definition states_tracks (text : string) (d : tracks_syntax) : Prop := exists j, is_json_value j = true /\
  json_text j = text /\ read_tracks j = Some d /\ is_whole_tracks d = true.
Theorem states_tracks_once text d e : states_tracks text d -> states_tracks text e -> d = e.
Proof.
  intros (j & J & T & D & _) (k & K & U & E & _).
  assert (j = k) as <- by (apply json_text_once; [now apply json_value_is|now apply json_value_is|congruence]).
  congruence.
Qed.
