(* One query of a class of words (docs/background/trained_rules.md, section 5): all inputs that follow a path through
   columns of edges to one state. Ranges of the averages of the heads are proved as longest paths, and rows of logits in
   each cell of these ranges (`check_class_query_holds`). *)
From Coq Require Import Reals ZArith QArith Qreals List Lra Lia Bool Arith.
From Certify Require Import lists syntax claim real_vectors real_network packed_rows balls ball_average ball_network
  token_by_token network_machine one_attention longest_path average_range exact_forms exact_cells zonotopes
  zonotope_steps class_average one_attention_step.
Import ListNotations. Open Scope nat_scope.
Local Notation vector := (list R).

(* ---- what paths pick from a table: for each column a list, of which an edge names one ---- *)
Fixpoint picked {X} (table : list (list X)) (es : list edge) : option (list X) :=
  match table, es with
  | l :: table, e :: es => match edge_tokens e with
      | [k] => match nth_error l k, picked table es with Some x, Some xs => Some (x :: xs) | _, _ => None end
      | _ => None end
  | [], [] => Some []
  | _, _ => None
  end.
Lemma picked_total {X} (f : X -> Z) table : forall es xs, picked table es = Some xs ->
  path_total (map (fun l => [map f l]) table) es = integer_total (map f xs).
Proof.
  induction table as [|l table IH]; intros [|e es] xs E; cbn [picked] in E; try discriminate.
  - injection E as <-. reflexivity.
  - destruct (edge_tokens e) as [|k [|]] eqn:T; try discriminate. destruct (nth_error l k) as [x|] eqn:N;
      [|discriminate].
    destruct (picked table es) as [ys|] eqn:P; [|discriminate]. injection E as <-. unfold integer_total.
    cbn [map path_total fold_right]. rewrite T, (IH es ys P). cbn [cost].
    rewrite (nth_error_nth _ _ 0%Z (map_nth_error f k l N)). unfold integer_total. destruct (@nil Z); lia.
Qed.
Lemma picked_map {X Y} (f : X -> Y) table : forall es xs, picked table es = Some xs ->
  picked (map (map f) table) es = Some (map f xs).
Proof.
  induction table as [|l table IH]; intros [|e es] xs E; cbn [picked map] in *; try discriminate.
  - now injection E as <-.
  - destruct (edge_tokens e) as [|k [|]]; try discriminate. destruct (nth_error l k) as [x|] eqn:N; [|discriminate].
    destruct (picked table es) as [ys|] eqn:P; [|discriminate]. injection E as <-.
    rewrite nth_error_map, N, (IH es ys P). reflexivity.
Qed.
Lemma picked_length {X} (table : list (list X)) : forall es xs, picked table es = Some xs ->
  length xs = length table /\ length es = length table.
Proof.
  induction table as [|l table IH]; intros [|e es] xs E; cbn [picked] in E; try discriminate.
  - now injection E as <-.
  - destruct (edge_tokens e) as [|k [|]]; try discriminate. destruct (nth_error l k) as [x|]; [|discriminate].
    destruct (picked table es) as [ys|] eqn:P; [|discriminate]. injection E as <-. destruct (IH es ys P). simpl. lia.
Qed.
Lemma picked_in {X} (table : list (list X)) (d : X) : forall es xs, picked table es = Some xs -> forall j, j < length
  xs -> In (nth j xs d) (nth j table []).
Proof.
  induction table as [|l table IH]; intros [|e es] xs E; cbn [picked] in E; try discriminate.
  - injection E as <-. simpl. lia.
  - destruct (edge_tokens e) as [|k [|]]; try discriminate. destruct (nth_error l k) as [x|] eqn:N; [|discriminate].
    destruct (picked table es) as [ys|] eqn:P; [|discriminate]. injection E as <-. intros [|j] J; cbn [nth].
    + now apply nth_error_In in N.
    + apply (IH es ys P). simpl in J. lia.
Qed.

(* The columns from `place` on, each choice with what a function of both gives. *)
Fixpoint placed {X Y} (f : nat -> X -> Y) (place : nat) (table : list (list X)) : list (list Y) :=
  match table with [] => [] | l :: table => map (f place) l :: placed f (S place) table end.
Fixpoint placed_list {X Y} (f : nat -> X -> Y) (place : nat) (xs : list X) : list Y :=
  match xs with [] => [] | x :: xs => f place x :: placed_list f (S place) xs end.
Lemma picked_placed {X Y} (f : nat -> X -> Y) table : forall place es xs, picked table es = Some xs ->
  picked (placed f place table) es = Some (placed_list f place xs).
Proof.
  induction table as [|l table IH]; intros place [|e es] xs E; cbn [picked placed] in *; try discriminate.
  - now injection E as <-.
  - destruct (edge_tokens e) as [|k [|]]; try discriminate. destruct (nth_error l k) as [x|] eqn:N; [|discriminate].
    destruct (picked table es) as [ys|] eqn:P; [|discriminate]. injection E as <-.
    rewrite nth_error_map, N. cbn [option_map]. now rewrite (IH (S place) es ys P).
Qed.
Lemma placed_list_is {X Y} (f : nat -> X -> Y) d xs : forall place, placed_list f place xs =
  map (fun j => f (place + j) (nth j xs d)) (seq 0 (length xs)).
Proof.
  induction xs as [|x xs IH]; intros place; [reflexivity|]. cbn [placed_list length seq map nth].
  rewrite IH, Nat.add_0_r, <- seq_shift, map_map. f_equal. apply map_ext. intros j. now rewrite Nat.add_succ_r.
Qed.
Lemma placed_in {X Y} (f : nat -> X -> Y) table : forall place j x, In x (nth j table []) -> In (f (place + j) x)
  (concat (placed f place table)).
Proof.
  induction table as [|l table IH]; intros place [|j] x I; cbn [nth] in I; try contradiction; cbn [placed concat];
    apply in_app_iff.
  - left. rewrite Nat.add_0_r. now apply in_map.
  - right. rewrite Nat.add_succ_r, <- Nat.add_succ_l. now apply IH.
Qed.

Lemma Forall2_both {X Y W} (P : Y -> W -> Prop) (f : X -> Y) (g : X -> W) l : (forall x, In x l -> P (f x) (g x)) ->
  Forall2 P (map f l) (map g l).
Proof. intros H. induction l as [|x l IH]; simpl; constructor; [apply H; now left|]. apply IH. intros. apply H. now
  right. Qed.
Lemma map2_both {X Y W V} (k : Y -> W -> V) (f : X -> Y) (g : X -> W) l : map2 k (map f l) (map g l) =
  map (fun x => k (f x) (g x)) l.
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. now rewrite IH. Qed.
Lemma total_rev l : integer_total (rev l) = integer_total l.
Proof.
  assert (A : forall a b, integer_total (a ++ b) = (integer_total a + integer_total b)%Z).
  { unfold integer_total. induction a as [|z a IH]; intros b; [reflexivity|]. cbn [app fold_right]. rewrite IH. lia. }
  induction l as [|z l IH]; [reflexivity|]. cbn [rev]. rewrite A, IH. unfold integer_total. cbn [fold_right]. lia.
Qed.
Lemma Forall2_by_nth {X Y} (d : X) (e : Y) (P : X -> Y -> Prop) l : forall k, length l = length k ->
  (forall i, i < length l -> P (nth i l d) (nth i k e)) -> Forall2 P l k.
Proof.
  induction l as [|x l IH]; intros [|y k] L H; try discriminate; constructor; [apply (H 0); simpl; lia|].
  apply IH; [simpl in L; lia|]. intros i I. apply (H (S i)). simpl. lia.
Qed.
Lemma Forall2_nth_both {X Y} (d : X) (e : Y) (P : X -> Y -> Prop) l k : Forall2 P l k -> forall i, i < length k ->
  P (nth i l d) (nth i k e).
Proof. induction 1 as [|x y l k H F IH]; intros [|i] I; simpl in *; try lia; [exact H|]. apply IH. lia. Qed.
Lemma numbered_nth {X} (l : list X) : forall s k, nth_error (numbered s l) k = option_map (pair (s + k)) (nth_error
    l k).
Proof.
  unfold numbered. induction l as [|x l IH]; intros s [|k]; try reflexivity.
  - cbn. now rewrite Nat.add_0_r.
  - cbn [length seq combine nth_error]. rewrite IH. now rewrite Nat.add_succ_r.
Qed.
Lemma map_nth_seq {X} (f : nat -> X) (d : X) n : forall j, j < n -> nth j (map f (seq 0 n)) d = f j.
Proof.
  intros j J. rewrite (nth_indep _ d (f 0)) by (rewrite length_map, length_seq; exact J). now rewrite map_nth, seq_nth.
Qed.

(* A box is judged, or both halves of its widest side are, so many times. *)
Definition widest (b : box) : nat :=
  fst (snd (fold_left (fun seen ends => let '(i, (best, width)) := seen in
    let w := (snd ends - fst ends)%Z in (S i, if (width <? w)%Z then (i, w) else (best, width))) b (0, (0, 0%Z)))).
Fixpoint judge_parts (fuel : nat) (judge : box -> bool) (b : box) : bool :=
  judge b || match fuel with
    | O => false
    | S fuel => let k := widest b in let at_ := middle (nth k b (0, 0)%Z) in
        forallb (judge_parts fuel judge) (part_of (below_cut at_) k b) &&
        forallb (judge_parts fuel judge) (part_of (above_cut at_) k b)
    end.
Lemma judge_parts_holds bits judge fuel : forall b t, judge_parts fuel judge b = true -> in_box bits b t ->
  exists b', judge b' = true /\ in_box bits b' t.
Proof.
  induction fuel as [|fuel IH]; intros b t E I; cbn [judge_parts] in E; destruct (judge b) eqn:J; try discriminate;
    try (now exists b). cbn [orb] in E. set (k := widest b) in *. set (at_ := middle _) in *.
  apply andb_prop in E as [Eb Ea]. rewrite forallb_forall in Eb, Ea.
  destruct (Rle_dec (nth k t 0%R * real_unit bits) (IZR at_)) as [L|L].
  - destruct (part_of_in bits (below_cut at_) k b t I) as (b' & N & I').
    + intros ends [E1 E2]. unfold between, below_cut. cbn [fst snd]. split; [exact E1|].
      destruct (Z.min_spec (snd ends) at_) as [[_ ->]|[_ ->]]; lra.
    + exact (IH b' t (Eb b' N) I').
  - destruct (part_of_in bits (above_cut at_) k b t I) as (b' & N & I').
    + intros ends [E1 E2]. unfold between, above_cut. cbn [fst snd]. split; [|exact E2].
      destruct (Z.max_spec (fst ends) at_) as [[_ ->]|[_ ->]]; lra.
    + exact (IH b' t (Ea b' N) I').
Qed.

Section Query.
Variables B b p : Z.                                              (* bits of balls, of forms, of directions *)
Hypothesis b_nonneg : (0 <= b)%Z.
Hypothesis p_nonneg : (0 <= p)%Z.
Hypothesis b_less : (b <= B)%Z.
Variables (T : network_syntax) (before after : list step_syntax) (A : attention_parts) (offset : nat).
Variable m : machine.
Hypothesis is_prepared : prepare T B B = Some m.
Notation U := (real_unit B).
Notation heads := (part_heads A).
Notation width_of_head h := (length (matrix_rows (affine_weight (head_value_map h)))).
Lemma B_nonneg : (0 <= B)%Z. Proof. lia. Qed.

(* ---- a token at a place: what each head sees of it ---- *)
(* Of a direction: the greatest sum along it, and along its opposite. *)
Record source := Source { source_token : seen_token; source_tops : list (Z * Z); source_rest : list Z }.
Record choice := Choice { choice_token : nat; choice_stream : ball; choice_read : ball; choice_sources : list source }.
Definition ball_alone (s : step_syntax) : stream -> stream :=
  match ball_step B B (prepare_step B B s) with Alone f => f | Attend _ _ => fun _ => None end.
Definition top_along (q : list Z) (V : ball) : Z * Z :=
  let d := integer_dot q (numbers V) in let e := (size q * error V)%Z in (d + e, e - d)%Z.
Definition make_source (turn : option prepared_rotary) (place : nat) (read : ball)
    (hQ : prepared_head * (list (list Z) * list (list Z))) : option source :=
  let '(h, (Q, rests)) := hQ in
  let s := ball_see B turn (offset + place) read h in
  if length (numbers (seen_value s)) =? prepared_width h
  then Some (Source s (map (fun q => top_along q (seen_value s)) Q)
    (map (fun r => let (x, y) := top_along r (seen_value s) in Z.max x y) rests)) else None.
Record prepared_attention := PreparedHeads { for_norm : option prepared_norm; for_heads : list prepared_head;
  for_turn : option prepared_rotary; for_scale : Z; for_directions : list (list (list Z));
  for_rests : list (list (list Z)); for_last : last_steps }.
Definition prepare_attention (Qs : list (list (list Z))) : option prepared_attention :=
  option_map (PreparedHeads (option_map (prepare_norm B B) (part_norm A)) (map (prepare_head B B) heads)
    (option_map (prepare_rotary B) (part_rotary A)) (fixed_scale B (part_scale A)) Qs
    (map2 (fun h Q => map (fun i => rest_row p i Q) (seq 0 (width_of_head h))) heads Qs))
    (make_last_steps b T A after).
Definition make_choice (P : prepared_attention) (place token : nat) : option choice :=
  match fold_left (fun x s => ball_alone s x) before (Some (embedded_ball m (offset + place) token)) with
  | Some x => match ball_read B B (for_norm P) x with
      | Some y => option_map (Choice token x y) (traverse (make_source (for_turn P) place y)
          (combine (for_heads P) (combine (for_directions P) (for_rests P))))
      | None => None end
  | None => None
  end.

(* ---- weights ---- *)
Definition no_source : source := Source no_token [] [].
Definition score_of (P : prepared_attention) (k : nat) (h : prepared_head) (q : ball) (place : nat) (at_ : nat)
    (c : choice) : Z * Z :=
  ball_score B B (part_cap A) (for_scale P) (ball_slope B (prepared_slope h)) (offset + place) q (size (numbers q))
    (offset + at_, source_token (nth k (choice_sources c) no_source)).
Definition weights_of (P : prepared_attention) (table : list (list choice)) (place : nat) (own : choice) (k : nat)
    (h : prepared_head) : option (list (list (source * (Z * Z)))) :=
  let q := ball_turned B (for_turn P) (offset + place) (ball_affine B (prepared_query h) (choice_read own)) in
  let scores := placed (fun at_ c => (nth k (choice_sources c) no_source, score_of P k h q place at_ c)) 0 table in
  let all := map snd (concat scores) in
  let top := greatest_score (map fst all) in
  if forallb (fun se => (0 <=? snd se)%Z && (2 * snd se <=? 2 ^ B)%Z) all
  then Some (map (map (fun xs => (fst xs, weight_of B (snd (snd xs)) (top - fst (snd xs))))) scores) else None.

(* ---- ranges ---- *)
Definition stays_at_most_zero (columns : list column) (state : nat) (rows : list (list Z)) : bool :=
  match nth state (ahead columns (map (fun r => [r]) rows) [Some 0%Z]) None with Some z => (z <=? 0)%Z | None =>
      true end.
Definition excesses (top : source -> Z) (limit : Z) (weights : list (list (source * (Z * Z)))) : list (list Z) :=
  map (map (fun sw => excess (snd sw) (top (fst sw)) limit)) weights.
Definition check_range (columns : list column) (state : nat) (weights : list (list (source * (Z * Z))))
    (i : nat) (ends : Z * Z) : bool :=
  stays_at_most_zero columns state (excesses (fun s => fst (nth i (source_tops s) (0, 0)%Z)) (snd ends) weights) &&
  stays_at_most_zero columns state (excesses (fun s => snd (nth i (source_tops s) (0, 0)%Z)) (- fst ends) weights).
Definition rest_bound (weights : list (list (source * (Z * Z)))) (i : nat) : Z :=
  maximum (map (fun sw => nth i (source_rest (fst sw)) 0%Z) (concat weights)).

(* ---- the query ---- *)
(* The part of a box that is of each head. *)
Fixpoint boxes_of (Qs : list (list (list Z))) (ends : box) : list box :=
  match Qs with [] => [] | Q :: Qs => firstn (length Q) ends :: boxes_of Qs (skipn (length Q) ends) end.
Definition check_class_head (columns : list column) (state : nat) (P : prepared_attention) (table : list (list choice))
    (place : nat) (own : choice) (kh : nat * prepared_head) (Q : list (list Z)) (ends : box) : option (list Z) :=
  match weights_of P table place own (fst kh) (snd kh) with
  | Some weights =>
      if (length ends =? length Q) && forallb (fun ie => check_range columns state weights (fst ie) (snd ie))
        (numbered 0 ends)
      then Some (map (rest_bound weights) (seq 0 (prepared_width (snd kh)))) else None
  | None => None
  end.
Definition judge_ends (P : prepared_attention) (own : choice) (rests : list (list Z)) (margin : Q)
    (rows : list logit_row) (ends : box) : bool :=
  match logits_set B b p (for_last P) (for_directions P) (choice_stream own)
    (map2 KnownAverage (boxes_of (for_directions P) ends) rests) with
  | Some Y => forallb (row_is_above b Y margin) rows
  | None => false
  end.
Definition most_cuts : nat := 6.
Definition check_class_query (P : prepared_attention) (columns : list column) (state : nat) (table : list (list choice))
    (place : nat) (own : choice) (margin : Q) (rows : list logit_row) (ends : box) (tree : cells) : bool :=
  is_cap (part_cap A) && (length (for_directions P) =? length heads) &&
  match traverse (fun khQe => check_class_head columns state P table place own (fst khQe) (fst (snd khQe)) (snd (snd
      khQe)))
    (combine (numbered 0 (for_heads P)) (combine (for_directions P) (boxes_of (for_directions P) ends))) with
  | Some rests => (length ends =? fold_right (fun Q n => length Q + n) 0 (for_directions P)) &&
      check_cells (judge_parts most_cuts (judge_ends P own rests margin rows)) tree [ends]
  | None => false
  end.

(* ---- why it is right ---- *)
Open Scope R_scope.
Variable Qs : list (list (list Z)).
Variable P : prepared_attention.
Hypothesis Prepared : prepare_attention Qs = Some P.
Notation read_at place token := (read_there T before A offset place token).
Notation seen_by h place token := (key_and_value (part_rotary A) (offset + place) (read_at place token) h).
Notation rests_of h Q := (map (fun i => rest_row p i Q) (seq 0 (width_of_head h))).
Lemma prepared_parts : exists last, make_last_steps b T A after = Some last /\ P = PreparedHeads
    (option_map (prepare_norm B B) (part_norm A)) (map (prepare_head B B) heads)
    (option_map (prepare_rotary B) (part_rotary A)) (fixed_scale B (part_scale A)) Qs
    (map2 (fun h Q => rests_of h Q) heads Qs) last.
Proof.
  pose proof Prepared as E. unfold prepare_attention in E. destruct (make_last_steps b T A after) as [last|];
    [|discriminate]. exists last. split; [reflexivity|]. cbn [option_map] in E. congruence.
Qed.
Definition is_source_of (place token : nat) (s : source) (hQ : head_syntax * list (list Z)) : Prop :=
  let v := snd (seen_by (fst hQ) place token) in
  token_within B (source_token s) (seen_by (fst hQ) place token) /\ length v = width_of_head (fst hQ) /\
  Forall2 (fun top q => value_of q v * U <= IZR (fst top) /\ - value_of q v * U <= IZR (snd top)) (source_tops s)
    (snd hQ) /\
  Forall2 (fun r row => Rabs (value_of row v * U) <= IZR r) (source_rest s) (rests_of (fst hQ) (snd hQ)).
Definition is_choice (place : nat) (c : choice) : Prop :=
  encloses B (choice_stream c) (stream_before T before offset place (choice_token c)) /\
  encloses B (choice_read c) (read_at place (choice_token c)) /\
  Forall2 (is_source_of place (choice_token c)) (choice_sources c) (combine heads Qs).

Lemma top_along_bounds q V v : encloses B V v -> value_of q v * U <= IZR (fst (top_along q V)) /\
  - value_of q v * U <= IZR (snd (top_along q V)).
Proof.
  intros [E F]. pose proof (row_of_ball B q _ _ _ E F) as H. apply Rabs_between in H. unfold top_along. cbn [fst snd].
  rewrite plus_IZR, minus_IZR. lra.
Qed.
Lemma ball_alone_within s x y : ball_network.within B x y -> ball_network.within B (ball_alone s x) (alone_step s y).
Proof.
  intros W. pose proof (step_within B B B_nonneg B_nonneg s) as R. unfold ball_alone, alone_step.
  destruct (ball_step B B (prepare_step B B s)) as [f|], (step_of s) as [f'|]; try contradiction; [now apply R|exact I].
Qed.
Lemma make_source_is place token read s h Q : encloses B read (read_at place token) ->
  make_source (option_map (prepare_rotary B) (part_rotary A)) place read (prepare_head B B h, (Q, rests_of h Q)) =
      Some s
    -> is_source_of place token s (h, Q).
Proof.
  intros R. unfold make_source. cbn [prepare_head prepared_width].
  set (x := ball_see B _ _ read _). destruct (Nat.eqb_spec (length (numbers (seen_value x))) (width_of_head h)) as [L|];
    [|discriminate]. intros E. assert (s = Source x (map (fun q => top_along q (seen_value x)) Q)
      (map (fun r => let (x, y) := top_along r (seen_value x) in Z.max x y) (rests_of h Q))) as -> by congruence.
  clear E. unfold is_source_of. cbn [fst snd source_token source_tops source_rest].
  assert (W : token_within B x (seen_by h place token)).
  { unfold x, ball_see, key_and_value. cbn [prepare_head prepared_key prepared_value].
    split; [|split; [|reflexivity]]; cbn [see_token seen_key seen_value fst snd];
      [apply ball_turned_encloses; [exact B_nonneg|]|]; (apply ball_affine_encloses; [exact B_nonneg|exact
        B_nonneg|exact R]). }
  split; [exact W|]. destruct W as (_ & V & _). pose proof (Forall2_same_length _ _ _ (proj2 V)) as LV.
  set (v := snd (seen_by h place token)) in *. split; [congruence|]. split.
  - clear L. induction Q as [|q Q IH]; cbn [map]; constructor; [|exact IH]. now apply top_along_bounds.
  - clear L. induction (rests_of h Q) as [|q l IH]; cbn [map]; constructor; [|exact IH].
    pose proof (top_along_bounds q _ _ V) as [H1 H2]. destruct (top_along q (seen_value x)) as [y z].
    cbn [fst snd] in *. apply Rabs_within. assert (K1 : (y <= Z.max y z)%Z) by lia.
    assert (K2 : (z <= Z.max y z)%Z) by lia. apply IZR_le in K1, K2. lra.
Qed.
Hypothesis Directions : length Qs = length heads.
Lemma make_choice_is place token c : make_choice P place token = Some c ->
  is_choice place c /\ choice_token c = token.
Proof.
  destruct prepared_parts as (last & _ & EP). unfold make_choice. rewrite EP. cbn [for_norm for_heads for_turn
    for_directions for_rests].
  assert (W : ball_network.within B (fold_left (fun x s => ball_alone s x) before
    (Some (embedded_ball m (offset + place) token))) (stream_before T before offset place token)).
  { unfold stream_before, alone_steps. pose proof (embedded_within _ _ _ _ is_prepared (offset + place) token) as E0.
    destruct (prepared _ _ _ _ is_prepared) as (_ & _ & Em). rewrite Em in E0 at 1. cbn [machine_bits] in E0.
    revert E0. generalize (Some (embedded_ball m (offset + place) token)) as x.
    generalize (embedded T (offset + place) token) as y. induction before as [|s l IH]; intros y x E0; [exact E0|].
    cbn [fold_left]. apply IH. now apply ball_alone_within. }
  destruct (fold_left _ before _) as [x|]; [|discriminate]. simpl in W.
  pose proof (ball_read_within B B B_nonneg B_nonneg (part_norm A) x _ W) as R.
  destruct (ball_read B B _ x) as [y|]; [|discriminate]. simpl in R.
  destruct (traverse _ _) as [sources|] eqn:Tr; [|discriminate]. cbn [option_map]. intros E.
  assert (c = Choice token x y sources) as -> by congruence. split; [|reflexivity].
  split; [exact W|]. split; [exact R|]. cbn [choice_sources choice_token].
  pose proof Directions as D. revert Tr D. clear - R is_prepared b_nonneg b_less.
  generalize Qs as l, sources as ss, (part_heads A) as hs. intros l ss hs. revert l ss.
  induction hs as [|h hs IH]; intros [|Q l] ss Tr D; try discriminate.
  - cbn in Tr. assert (ss = []) as -> by congruence. constructor.
  - cbn [map map2 combine traverse] in Tr. destruct (make_source _ _ _ _) as [s|] eqn:M; [|discriminate].
    destruct (traverse _ _) as [rest|] eqn:Tr'; [|discriminate]. assert (ss = s :: rest) as -> by congruence.
    cbn [combine]. constructor; [now apply (make_source_is _ _ y)|]. apply IH; [exact Tr'|simpl in D; lia].
Qed.

(* ---- an input: what it picks of the table ---- *)
Section Input.
Variables (states state : nat) (lists : list (list edge)) (es : list edge) (table : list (list choice)).
Variables (chs : list choice) (place : nat) (own : choice).
Hypothesis Path : is_path lists es.
Hypothesis States : forallb (within_states states) lists = true.
Hypothesis Lengths : length table = length lists.
Hypothesis Chain : is_chain 0 es state.
Hypothesis Picked : picked table es = Some chs.
Hypothesis Places : length chs = S place.
Hypothesis Own : nth place chs own = own.
Hypothesis Choices : forall j, (j <= place)%nat -> is_choice j (nth j chs own).
Hypothesis cap_positive : is_cap (part_cap A) = true.
Notation columns := (map (column_of states) lists).
Notation js := (rev (seq 0 (S place))).
Notation token j := (choice_token (nth j chs own)).
Notation kv h j := (seen_by h j (token j)).
Notation query h := (optional (fun r => rotated r (offset + place)) (part_rotary A)
  (affine (head_query_map h) (read_at place (choice_token own)))).
Notation score_at h j := (score (part_scale A) (part_cap A) (offset + place) (query h) h ((offset + j)%nat, fst (kv
    h j))).
Definition class_average_of (h : head_syntax) : vector := softmax_average (width_of_head h) (map (fun j => score_at
    h j) js)
  (map (fun j => snd (kv h j)) js).
Lemma in_js j : In j js -> (j <= place)%nat. Proof. rewrite <- in_rev, in_seq. lia. Qed.

Section Head.
Variables (k : nat) (h : head_syntax) (Q : list (list Z)) (weights : list (list (source * (Z * Z)))).
Hypothesis Head : nth_error (combine heads Qs) k = Some (h, Q).
Hypothesis Weights : weights_of P table place own k (prepare_head B B h) = Some weights.
Definition source_at (j : nat) : source := nth k (choice_sources (nth j chs own)) no_source.
Lemma source_at_is j : (j <= place)%nat -> is_source_of j (token j) (source_at j) (h, Q).
Proof.
  intros J. destruct (Choices j J) as (_ & _ & F). unfold source_at. revert F Head.
  generalize (choice_sources (nth j chs own)) as ss, (combine heads Qs) as l. clear. intros ss l F. revert k.
  induction F as [|s x ss l S F IH]; intros [|k] N; try discriminate; cbn [nth nth_error] in *.
  - now injection N as ->.
  - now apply IH.
Qed.
Lemma weights_spec : exists W : nat -> Z * Z, picked weights es = Some (map (fun j => (source_at j, W j)) (seq 0 (S
  place))) /\ exists t, forall j, (j <= place)%nat -> in_between (W j) (U * exp (score_at h j - t)).
Proof.
  destruct prepared_parts as (last & _ & EP). pose proof Weights as E. unfold weights_of in E.
  set (q := ball_turned B _ _ _) in *. set (f := fun at_ c => (nth k (choice_sources c) no_source, score_of P k
    (prepare_head B B h) q place at_ c)) in *. set (scores := placed f 0 table) in *.
  set (all := map snd (concat scores)) in *. set (top := greatest_score (map fst all)) in *.
  destruct (forallb _ all) eqn:Small; [|discriminate].
  match type of E with Some ?X = _ => assert (EW : weights = X) by congruence end. clear E.
  set (se := fun j => score_of P k (prepare_head B B h) q place j (nth j chs own)).
  exists (fun j => weight_of B (snd (se j)) (top - fst (se j))). split.
  - rewrite EW. rewrite (picked_map _ _ _ (placed_list f 0 chs)) by now apply picked_placed.
    rewrite (placed_list_is f own), map_map, Places. reflexivity.
  - exists (IZR top / U). intros j J.
    assert (I : In (f j (nth j chs own)) (concat scores)).
    { apply (placed_in f table 0 j). apply (picked_in table own es); [exact Picked|lia]. }
    assert (I' : In (se j) all) by exact (in_map snd _ _ I).
    rewrite forallb_forall in Small. specialize (Small _ I'). apply andb_prop in Small as [S1 S2].
    apply Z.leb_le in S1, S2. apply weight_of_correct; auto; [exact B_nonneg| |].
    + apply greatest_score_bounds. now apply in_map.
    + unfold se, score_of. rewrite EP. cbn [for_scale]. cbn [prepare_head prepared_slope].
      destruct (source_at_is j J) as (W & _). unfold source_at in W.
      apply (ball_score_near B B B_nonneg B_nonneg (part_scale A) (part_cap A) cap_positive (offset + place) q
          (query h) h
        ((offset + j)%nat, source_token (nth k (choice_sources (nth j chs own)) no_source)) (kv h j)); [|exact W].
      unfold q. rewrite EP. cbn [for_turn]. apply ball_turned_encloses; [exact B_nonneg|].
      cbn [prepare_head prepared_query]. apply ball_affine_encloses; [exact B_nonneg|exact B_nonneg|].
      pose proof (Choices place (le_n _)) as (_ & R & _). rewrite Own in R. exact R.
Qed.
(* An integer row is at most a limit, if the excesses of its tops are on all paths at most 0. *)
Lemma row_stays_below c limit (top : source -> Z) :
  (forall j, (j <= place)%nat -> value_of c (snd (kv h j)) * U <= IZR (top (source_at j))) ->
  (forall W : nat -> Z * Z, picked weights es = Some (map (fun j => (source_at j, W j)) (seq 0 (S place))) ->
    (integer_total (map (fun j => excess (W j) (top (source_at j)) limit) (seq 0 (S place))) <= 0)%Z) ->
  value_of c (class_average_of h) * U <= IZR limit.
Proof.
  intros Top Total. destruct weights_spec as (W & Pick & t & Between). specialize (Total W Pick).
  pose proof (unit_pos B B_nonneg) as HU.
  apply (row_average_at_most (width_of_head h) c U limit U t _ (map W js) (map (fun j => top (source_at j)) js)); auto.
  - intros E. apply map_eq_nil in E. apply (f_equal (@rev nat)) in E. rewrite rev_involutive in E. discriminate.
  - now rewrite !length_map.
  - apply Forall2_both. intros j J. apply in_js in J. split; [|now apply Top]. now destruct (source_at_is j J) as (_
      & L & _).
  - rewrite map_map. apply Forall2_both. intros j J. apply in_js in J. now apply Between.
  - rewrite map2_both, map_rev, total_rev. exact Total.
Qed.
Lemma stays_below_holds limit (top : source -> Z) W :
  stays_at_most_zero columns state (excesses top limit weights) = true ->
  picked weights es = Some (map (fun j => (source_at j, W j)) (seq 0 (S place))) ->
  (integer_total (map (fun j => excess (W j) (top (source_at j)) limit) (seq 0 (S place))) <= 0)%Z.
Proof.
  intros S Pick. unfold stays_at_most_zero, excesses in S. rewrite map_map in S.
  pose proof (picked_total (fun sw => excess (snd sw) (top (fst sw)) limit) weights es _ Pick) as E.
  rewrite map_map in E. cbn [fst snd] in E. rewrite <- E.
  destruct (picked_length _ _ _ Pick) as [L _]. rewrite length_map, length_seq in L.
  destruct (picked_length _ _ _ Picked) as [L' _].
  destruct (ahead_bounds states lists (map (fun l => [map (fun sw => excess (snd sw) (top (fst sw)) limit) l])
      weights) es
    Path States ltac:(rewrite length_map; congruence) 0%nat state 0%Z [Some 0%Z] Chain
    ltac:(exists 0%Z; split; [reflexivity|lia])) as (z & N & Z0).
  rewrite N in S. apply Z.leb_le in S. lia.
Qed.
Lemma length_average : length (class_average_of h) = width_of_head h.
Proof.
  apply length_softmax. apply Forall_forall. intros x I. apply in_map_iff in I as (j & <- & J). apply in_js in J.
  now destruct (source_at_is j J) as (_ & L & _).
Qed.
Lemma ends_known ends : length ends = length Q ->
  forallb (fun ie => check_range columns state weights (fst ie) (snd ie)) (numbered 0 ends) = true ->
  Forall2 (between B) ends (map (fun q => value_of q (class_average_of h)) Q).
Proof.
  intros L C.
  apply (Forall2_by_nth (0, 0)%Z 0); [now rewrite length_map|]. intros i I.
    assert (E : nth i (map (fun q => value_of q (class_average_of h)) Q) 0 = value_of (nth i Q []) (class_average_of
        h)).
    { rewrite (nth_indep _ 0 (value_of [] (class_average_of h))) by (rewrite length_map; congruence).
      now rewrite (map_nth (fun q => value_of q (class_average_of h))). }
    rewrite E. assert (R : check_range columns state weights i (nth i ends (0, 0)%Z) = true).
    { rewrite forallb_forall in C. apply (C (i, nth i ends (0, 0)%Z)). apply (nth_error_In _ i).
      rewrite numbered_nth, (nth_error_nth' _ (0, 0)%Z) by exact I. reflexivity. }
    apply andb_prop in R as [R1 R2].
    assert (Tops : forall j, (j <= place)%nat -> value_of (nth i Q []) (snd (kv h j)) * U <=
        IZR (fst (nth i (source_tops (source_at j)) (0, 0)%Z)) /\ - value_of (nth i Q []) (snd (kv h j)) * U <=
        IZR (snd (nth i (source_tops (source_at j)) (0, 0)%Z))).
    { intros j J. destruct (source_at_is j J) as (_ & _ & F & _). cbn [fst snd] in F.
      apply (Forall2_nth_both (0, 0)%Z [] _ _ _ F). congruence. }
    split.
    + assert (N : value_of (map Z.opp (nth i Q [])) (class_average_of h) * U <= IZR (- fst (nth i ends (0, 0)%Z))).
      { apply (row_stays_below _ _ (fun s => snd (nth i (source_tops s) (0, 0)%Z))).
        - intros j J. rewrite value_opposite. now apply Tops.
        - intros W. exact (stays_below_holds _ (fun s => snd (nth i (source_tops s) (0, 0)%Z)) W R2). }
      rewrite value_opposite, opp_IZR in N. lra.
    + apply (row_stays_below _ _ (fun s => fst (nth i (source_tops s) (0, 0)%Z))).
      * intros j J. now apply Tops.
      * intros W. exact (stays_below_holds _ (fun s => fst (nth i (source_tops s) (0, 0)%Z)) W R1).
Qed.
Lemma average_is_known ends' : Forall2 (between B) ends' (map (fun q => value_of q (class_average_of h)) Q) ->
  is_known_average B p Q (KnownAverage ends' (map (rest_bound weights) (seq 0 (width_of_head h)))) (class_average_of h).
Proof.
  intros F. split; [cbn [known_rest]; now rewrite length_map, length_seq, length_average|]. cbn [known_ends
      known_rest]. split.
    { clear - F. revert F. generalize (class_average_of h) as z. intros z. revert ends'. induction Q as [|q l IH];
        intros ends' F; inversion F; subst; constructor; auto. }
    intros i I. rewrite length_average in I.
    assert (M : nth i (map (rest_bound weights) (seq 0 (width_of_head h))) 0%Z = rest_bound weights i).
    { rewrite (nth_indep _ 0%Z (rest_bound weights 0)) by (rewrite length_map, length_seq; exact I).
      rewrite map_nth, seq_nth by exact I. reflexivity. }
    rewrite M. set (limit := rest_bound weights i). set (c := rest_row p i Q).
    destruct weights_spec as (W & Pick & _).
    assert (Small : forall j, (j <= place)%nat -> Rabs (value_of c (snd (kv h j)) * U) <= IZR limit).
    { intros j J. destruct (source_at_is j J) as (_ & _ & _ & G). cbn [fst snd] in G.
      assert (N : Rabs (value_of c (snd (kv h j)) * U) <= IZR (nth i (source_rest (source_at j)) 0%Z)).
      { pose proof (Forall2_nth_both 0%Z [] _ _ _ G i) as N. rewrite length_map, length_seq in N. specialize (N I).
        rewrite (nth_indep _ [] (rest_row p 0 Q)) in N by (rewrite length_map, length_seq; exact I).
        rewrite (map_nth (fun i => rest_row p i Q)), seq_nth in N by exact I. exact N. }
      eapply Rle_trans; [exact N|]. apply IZR_le. unfold limit, rest_bound. apply maximum_bounds.
      apply in_map_iff. exists (source_at j, W j). split; [reflexivity|]. apply in_concat.
      exists (nth j weights []). split.
      - apply nth_In. destruct (picked_length _ _ _ Pick) as [Lp _]. rewrite length_map, length_seq in Lp. lia.
      - pose proof (picked_in weights (source_at j, W j) _ _ Pick j) as Pi. rewrite length_map, length_seq in Pi.
        specialize (Pi ltac:(lia)). rewrite (map_nth_seq (fun j => (source_at j, W j))) in Pi by lia. exact Pi. }
    assert (Zero : forall W : nat -> Z * Z, (integer_total (map (fun j => excess (W j) limit limit) (seq 0 (S
        place))) <=
      0)%Z).
    { intros W0. unfold integer_total. generalize (seq 0 (S place)) as l. induction l as [|j l IH]; [simpl; lia|].
        cbn [map fold_right].
      assert (E0 : excess (W0 j) limit limit = 0%Z) by (unfold excess; rewrite Z.sub_diag, !Z.mul_0_r; reflexivity).
      rewrite E0. exact IH. }
    apply Rabs_within. split.
    + assert (N : value_of (map Z.opp c) (class_average_of h) * U <= IZR limit).
      { apply (row_stays_below _ _ (fun _ => limit)); [|auto]. intros j J. rewrite value_opposite. specialize (Small
          j J).
        apply Rabs_between in Small. lra. }
      rewrite value_opposite in N. lra.
    + apply (row_stays_below _ _ (fun _ => limit)); [|auto]. intros j J. specialize (Small j J). apply Rabs_between
        in Small.
      lra.
Qed.
End Head.

(* ---- all heads ---- *)
Fixpoint sums_along (Ds : list (list (list Z))) (zs : list vector) : vector :=
  match Ds, zs with D :: Ds, z :: zs => map (fun q => value_of q z) D ++ sums_along Ds zs | _, _ => [] end.
Definition check_class_heads k0 hs Ds ends := traverse (fun khQe => check_class_head columns state P table place own
    (fst khQe)
    (fst (snd khQe)) (snd (snd khQe))) (combine (numbered k0 (map (prepare_head B B) hs)) (combine Ds (boxes_of Ds
        ends))).
Lemma split_related (x y : vector) ends k : Forall2 (between B) ends (x ++ y) -> length x = k ->
  Forall2 (between B) (firstn k ends) x /\ Forall2 (between B) (skipn k ends) y.
Proof.
  intros F <-. split.
  - pose proof (firstn_related _ (length x) _ _ F) as G. rewrite firstn_app, Nat.sub_diag, firstn_all in G. simpl in G.
    now rewrite app_nil_r in G.
  - pose proof (skipn_related _ (length x) _ _ F) as G. rewrite skipn_app, Nat.sub_diag, skipn_all in G. exact G.
Qed.
Lemma heads_known hs : forall k0 Ds ends rests, length Ds = length hs ->
  (forall k, nth_error (combine hs Ds) k = nth_error (combine heads Qs) (k0 + k)) ->
  length ends = fold_right (fun Q n => length Q + n)%nat 0%nat Ds -> check_class_heads k0 hs Ds ends = Some rests ->
  let zs := map class_average_of hs in
  Forall2 (between B) ends (sums_along Ds zs) /\ length rests = length hs /\
  forall ends', Forall2 (between B) ends' (sums_along Ds zs) ->
    Forall2 (fun QK z => is_known_average B p (fst QK) (snd QK) z) (combine Ds (map2 KnownAverage (boxes_of Ds
        ends') rests)) zs
    /\ length (boxes_of Ds ends') = length hs.
Proof.
  induction hs as [|h hs IH]; intros k0 [|Q Ds] ends rests LD N LE E; try discriminate; cbv zeta.
  - cbn in LE. destruct ends; [|discriminate]. cbn in E. assert (rests = []) as -> by congruence.
    split; [constructor|]. split; [reflexivity|]. intros ends' F. split; [constructor|reflexivity].
  - unfold check_class_heads, numbered in E. cbn [map length seq combine boxes_of traverse fst snd] in E.
    destruct (check_class_head _ _ _ _ _ _ _ _ _) as [rest|] eqn:C; [|discriminate].
    destruct (traverse _ _) as [rests'|] eqn:Tr; [|discriminate]. assert (rests = rest :: rests') as -> by congruence.
    clear E. cbn [fold_right] in LE. unfold check_class_head in C. cbn [fst snd] in C.
    destruct (weights_of _ _ _ _ _ _) as [weights|] eqn:W; [|discriminate].
    destruct (Nat.eqb_spec (length (firstn (length Q) ends)) (length Q)) as [LQ|]; [|discriminate].
    cbn [andb] in C. destruct (forallb _ (numbered 0 (firstn (length Q) ends))) eqn:R in C; [|discriminate].
    cbn [prepare_head prepared_width] in C.
    assert (rest = map (rest_bound weights) (seq 0 (width_of_head h))) as -> by congruence. clear C.
    pose proof (N 0%nat) as N0. rewrite Nat.add_0_r in N0. cbn [combine nth_error] in N0. symmetry in N0.
    pose proof (ends_known k0 h Q weights N0 W _ LQ R) as H1.
    pose proof (average_is_known k0 h Q weights N0 W) as H2.
    destruct (IH (S k0) Ds (skipn (length Q) ends) rests') as (I1 & I2 & I3).
    + simpl in LD. lia.
    + intros k. specialize (N (S k)). now rewrite Nat.add_succ_r in N.
    + rewrite skipn_length. lia.
    + exact Tr.
    + cbn [map sums_along]. split; [|split].
      * rewrite <- (firstn_skipn (length Q) ends). now apply Forall2_app.
      * simpl. congruence.
      * intros ends' F. destruct (split_related _ _ _ (length Q) F ltac:(apply length_map)) as [F1 F2].
        destruct (I3 _ F2) as [K1 K2]. cbn [boxes_of combine map2]. split; [|simpl; congruence].
        constructor; [|exact K1]. cbn [fst snd]. now apply H2.
Qed.
Lemma class_heads_written hs : forall k0 start, (forall k h, nth_error hs k = Some h -> nth_error heads (k0 + k) =
    Some h) ->
  fold_left (fun y kh => plus y (head_writes (part_scale A) (part_rotary A) (part_cap A) (offset + place)
      (read_at place (choice_token own)) (snd kh) (map (fun jm => (fst jm, nth (fst kh) (snd jm) ([], [])))
        (map (fun j => left_there T before A offset j (token j)) js)))) (numbered k0 hs) start =
  fold_left (fun y hz => plus y (product (head_out_map (fst hz)) (snd hz))) (combine hs (map class_average_of hs))
      start.
Proof.
  unfold numbered. induction hs as [|h hs IH]; intros k0 start N; [reflexivity|].
  cbn [length seq combine map fold_left fst snd]. rewrite IH.
  - f_equal. f_equal. unfold head_writes, class_average_of. cbv zeta. f_equal.
    specialize (N 0%nat h eq_refl). rewrite Nat.add_0_r in N.
    assert (K : forall j, nth k0 (snd (left_there T before A offset j (token j))) ([], []) = kv h j).
    { intros j. unfold left_there. cbn [snd]. apply nth_error_nth. now apply map_nth_error. }
    rewrite !map_map. cbn [fst snd]. f_equal; apply map_ext; intros j; now rewrite K.
  - intros k h' N'. specialize (N (S k) h' N'). now rewrite Nat.add_succ_r in N.
Qed.
Theorem check_class_query_holds margin rows ends tree :
  check_class_query P columns state table place own margin rows ends tree = true -> forall row, In row rows ->
  Q2R margin < value_of_row row (logits_from T before after A offset place (choice_token own)
    (map (fun j => left_there T before A offset j (token j)) js)).
Proof.
  intros C row I. destruct prepared_parts as (last & Last & EP).
  assert (EQ : for_directions P = Qs) by (rewrite EP; reflexivity).
  assert (EH : for_heads P = map (prepare_head B B) heads) by (rewrite EP; reflexivity).
  assert (EL : for_last P = last) by (rewrite EP; reflexivity).
  unfold check_class_query in C. rewrite EQ, EH in C. apply andb_prop in C as [C0 C]. apply andb_prop in C0 as [_ LQ].
  destruct (traverse _ _) as [rests|] eqn:Tr; [|discriminate]. apply andb_prop in C as [LE C]. apply Nat.eqb_eq in LE.
  destruct (heads_known heads 0%nat Qs ends rests Directions (fun k => eq_refl) LE Tr) as (F & LR & Known).
  set (zs := map class_average_of heads) in *.
  destruct (check_cells_holds B (judge_parts most_cuts (judge_ends P own rests margin rows)) (sums_along Qs zs) tree
      [ends]
    ends) as (ends0 & J0 & F0).
  - intros e [<-|[]]. exact (Forall2_same_length _ _ _ F).
  - exact C.
  - now left.
  - exact F.
  - destruct (judge_parts_holds _ _ _ _ _ J0 F0) as (ends' & J & F'). clear J0 F0 ends0.
    unfold judge_ends in J. rewrite EQ, EL in J. destruct (Known ends' F') as [K1 K2].
    destruct (logits_set _ _ _ _ _ _ _) as [Y|] eqn:LS; [|discriminate]. rewrite forallb_forall in J.
    specialize (J row I). pose proof (Choices place (le_n _)) as (Own1 & _). rewrite Own in Own1.
    unfold logits_from, heads_write. rewrite class_heads_written by (intros; exact H).
    apply (logits_contained B b p b_nonneg p_nonneg b_less T A after last Qs (choice_stream own)
      (map2 KnownAverage (boxes_of Qs ends') rests) _ zs Y row margin Last Own1); auto.
    + unfold zs. now rewrite length_map.
    + unfold zs. now rewrite length_map.
    + unfold zs. rewrite length_map, packed_rows.length_map2; [exact K2|]. etransitivity; [exact K2|symmetry; exact LR].
Qed.
End Input.
End Query.
