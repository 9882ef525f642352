(* A checker of claims about aligned words (docs/background/tracks_rules.md, section 5), layout by layout. Networks of
   one attention step are checked by classes, in exact numbers up to the first norm, gate or other activation than relu
   after it: ranges of the averages of all classes of inputs as longest paths, and all rows in all cells. Any network is
   run on each input (tracks_each_input.v). What the evidence states is only a hint: `check_tracks_holds` is about
   whatever is offered. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Bool Arith.
From Certify Require Import lists syntax claim real_vectors real_network packed_rows balls ball_average ball_network
  tracks_claim one_attention longest_path average_range exact_forms exact_cells tracks_edges tracks_each_input.
Import ListNotations. Open Scope nat_scope.
Local Notation vector := (list R).

(* Boxes, one for each class of each query, over 2^bits; trees of cells, one for each group; the fractional bits of
   weights. *)
Record layout_evidence := LayoutEvidence {
  stated_precision : Z;
  stated_bits : Z;
  stated_boxes : list box;
  stated_cells : list cells }.
Inductive form_evidence := ByClasses (e : layout_evidence) | InputByInput (inputs : nat).

Definition row_syntax (m : matrix_syntax) (p : nat) : vector_syntax :=
  VectorOf (nth p (matrix_rows m) []) (matrix_exponent m).
Definition table X := (list (list X)).                                 (* by place and token *)
Definition at_ {X} (l : table X) (place token : nat) : option X :=
  match nth_error l place with Some row => nth_error row token | None => None end.

Section Check.
Variables (T : network_syntax) (A : one_attention) (c : tracks_claim_syntax) (f : layout_syntax).
Variables (precision bits : Z).
Notation places := (layout_places f).
Notation offset := (claim_offset c).
Notation heads := (attention_heads A).
Notation width_of_head h := (length (matrix_rows (affine_weight (head_value_map h)))).
Definition vocabulary : nat := height_of (network_tokens T).
Definition layout_place (j : nat) : place_syntax := nth j places outside_place.

(* ---- streams of tokens at places, keys, values ---- *)
Definition embedding (j token : nat) : vector_syntax :=
  let x := row_syntax (network_tokens T) token in
  match network_positions T with
  | Some m => vector_from (form_sum (constant 0 x) (constant 0 (row_syntax m (offset + j))))
  | None => x
  end.
Definition all_streams : option (table vector_syntax) :=
  traverse (fun j => traverse (fun t => point_pass bits (units_before A) (embedding j t)) (seq 0 vocabulary))
    (seq 0 (length places - 1)).
Definition key_of (h : head_syntax) (x : vector_syntax) : seen_token :=
  see_token (Ball (fixed_vector precision (point_affine (head_key_map h) x)) 1) (Ball [] 0).
Definition value_over (up : Z) (h : head_syntax) (x : vector_syntax) : option (list Z) :=
  let v := point_affine (head_value_map h) x in
  if (0 <=? vector_exponent v + up)%Z && (length (vector_entries v) =? width_of_head h)
  then Some (map (fun z => Z.shiftl z (vector_exponent v + up)) (vector_entries v)) else None.
(* Values are over 2^up. *)
Record head_tables := HeadTables { of_head : head_syntax; up : Z; keys : table seen_token; values : table (list Z) }.
Definition tables_of (streams : table vector_syntax) (h : head_syntax) : option head_tables :=
  let up := fold_left (fun m x => Z.max m (- vector_exponent (point_affine (head_value_map h) x))%Z) (concat streams)
    (Z.max 0 bits) in
  option_map (HeadTables h up (map (map (key_of h)) streams)) (traverse (traverse (value_over up h)) streams).

(* ---- a query: a place, and the token there ---- *)
Notation zero := 0%nat.
Definition start_bounds : list bound := map (fun q => if q =? transducer_start (claim_machine c) then Some 0%Z else
  None)
  (seq 0 (machine_states c)).
Definition end_bounds : list bound := [Some 0%Z].
Record query := Query {
  query_place : nat;
  query_own : nat;
  query_step : nat;                                                    (* that of the answer after it *)
  query_lists : list (list edge);
  columns_before : list column;
  columns_after : list column }.
Definition token_query_at (lists : list (list edge)) (p own : nat) : option query :=
  match step_of_place f (layout_place (S p)) with
  | Some k =>
      let l := kept c f (layout_place p) own 0 lists in
      Some (Query p own k l (map (column_of (machine_states c)) (firstn k l)) (map (column_of (machine_states c))
        (skipn (S k) l)))
  | None => None
  end.
Definition is_known (b : bound) : bool := match b with Some _ => true | None => false end.
Definition classes (q : query) : list edge :=
  let before := ahead (columns_before q) (map (fun _ => []) (columns_before q)) start_bounds in
  let after := behind (columns_after q) (map (fun _ => []) (columns_after q)) end_bounds in
  filter (fun e => is_known (nth (edge_source e) before None) && is_known (nth (edge_target e) after None))
    (nth (query_step q) (query_lists q) []).
(* The tokens that may be at a place. *)
Definition possible (q : query) (j : nat) : list nat :=
  match step_of_place f (layout_place j) with
  | Some k => map (token_of_edge c (layout_place j)) (nth k (query_lists q) [])
  | None => [token_of_step c (layout_place j) ([], [])]
  end.

(* Weights of what a head attends to. *)
Definition score_range (h : head_syntax) (x : ball) (q : query) (j : nat) (key : seen_token) : Z * Z :=
  ball_score precision precision (attention_cap A) (fixed_scale precision (attention_scale A))
    (ball_slope precision (head_slope h)) (offset + query_place q) x (size (numbers x)) (offset + j, key).
Definition query_vector (h : head_syntax) (x : vector_syntax) : ball :=
  Ball (fixed_vector precision (point_affine (head_query_map h) x)) 1.
Definition scores (h : head_tables) (x : ball) (q : query) : table (option (Z * Z)) :=
  map (fun jl => let may_be := possible q (fst jl) in
      map (fun tk => if existsb (Nat.eqb (fst tk)) may_be then Some (score_range (of_head h) x q (fst jl) (snd tk))
        else None) (numbered 0 (snd jl)))
    (numbered 0 (firstn (S (query_place q)) (keys h))).
Definition known_scores (l : table (option (Z * Z))) : list (Z * Z) :=
  flat_map (fun s => match s with Some s => [s] | None => [] end) (concat l).
Definition weights (l : table (option (Z * Z))) : option (table (option (Z * Z))) :=
  let known := known_scores l in
  let error := maximum (map snd known) in
  let top := greatest_score (map fst known) in
  if (2 * error <=? 2 ^ precision)%Z
  then Some (map (map (option_map (fun s => weight_of precision error (top - fst s)))) l) else None.

(* ---- ranges ---- *)
(* What a threshold needs: for all classes, longest paths before and after their edges. *)
Record range_pass := PassOf { pass_before : list bound; pass_here : costs; pass_after : list bound; pass_fixed : Z }.
Definition pass_of (q : query) (rows : list (list Z)) : range_pass :=
  let all := column_costs f rows (S (query_place q)) in
  let k := query_step q in
  PassOf (ahead (columns_before q) (firstn k all) start_bounds) (nth k all [])
    (behind (columns_after q) (skipn (S k) all) end_bounds) (fixed_cost c f rows (S (query_place q))).
Definition stays_below (e : edge) (P : range_pass) : bool :=
  match nth (edge_source e) (pass_before P) None, nth (edge_target e) (pass_after P) None with
  | Some a, Some b => (a + cost (pass_here P) (edge_tokens e) + b + pass_fixed P <=? 0)%Z
  | _, _ => false
  end.
(* A head's weights and values, and the power of two that values are over. *)
Record weighed := Weighed { weighed_width : nat; weighed_up : Z; weighed_weights : table (option (Z * Z));
  weighed_values : table (list Z) }.
Definition excess_rows (w : weighed) (i : nat) (sign limit : Z) : list (list Z) :=
  map2 (map2 (fun weight v => match weight with
    | Some weight => excess weight (sign * nth i v 0%Z) limit
    | None => 0%Z end)) (weighed_weights w) (weighed_values w).
Definition passes_of_head (q : query) (w : weighed) (part : box) : list range_pass :=
  flat_map (fun ie => let limit z := Z.shiftl z (weighed_up w - bits) in
      [pass_of q (excess_rows w (fst ie) 1 (limit (snd (snd ie))));
       pass_of q (excess_rows w (fst ie) (-1) (limit (- fst (snd ie))%Z))]) (numbered 0 part).
Fixpoint passes_of (q : query) (ws : list weighed) (b : box) : list range_pass :=
  match ws with
  | w :: ws => passes_of_head q w (firstn (weighed_width w) b) ++ passes_of q ws (skipn (weighed_width w) b)
  | [] => []
  end.
Definition box_dec (a b : box) : {a = b} + {a <> b}.
Proof. apply list_eq_dec. intros x y. decide equality; apply Z.eq_dec. Defined.
Definition check_ranges (q : query) (ws : list weighed) (stated : list (edge * box)) : bool :=
  forallb (fun b => (length b =? fold_right (fun w n => weighed_width w + n) 0 ws) &&
    let all := passes_of q ws b in
    forallb (fun eb => if box_dec (snd eb) b then forallb (stays_below (fst eb)) all else true) stated)
    (nodup box_dec (map snd stated)).
Definition weigh (q : query) (x : vector_syntax) (h : head_tables) : option weighed :=
  option_map (fun w => Weighed (width_of_head (of_head h)) (up h) w (values h))
    (weights (scores h (query_vector (of_head h) x) q)).

(* ---- groups: classes of one place, token and answer ---- *)
Definition group_key := (nat * nat * nat)%type.
Definition same_key (a b : group_key) : bool :=
  let '(p, t, o) := a in let '(p', t', o') := b in (p =? p') && (t =? t') && (o =? o').
Definition less_key (a b : group_key) : bool :=
  let '(p, t, o) := a in let '(p', t', o') := b in
  (p <? p') || (p =? p') && ((t <? t') || (t =? t') && (o <? o')).
Fixpoint insert (key : group_key) (b : box) (groups : list (group_key * list box)) : list (group_key * list box) :=
  match groups with
  | [] => [(key, [b])]
  | (k, l) :: rest =>
      if same_key key k then (key, b :: l) :: rest else
      if less_key key k then (key, [b]) :: groups else (k, l) :: insert key b rest
  end.
Definition key_place (p : nat) : nat := match network_positions T with Some _ => p | None => 0 end.
Definition key_of_class (q : query) (e : edge) : group_key :=
  (key_place (query_place q), query_own q, token_of_edge c (layout_place (S (query_place q))) e).

Definition check_token_query (streams : table vector_syntax) (hs : list head_tables) (q : query) (stated : list (edge
  * box))
    : bool :=
  match at_ streams (query_place q) (query_own q) with
  | Some x => match traverse (weigh q x) hs with Some ws => check_ranges q ws stated | None => false end
  | None => false
  end.
(* The groups of all queries, if their ranges hold. *)
Fixpoint check_queries streams hs (qs : list query) (boxes : list box) : option (list (group_key * list box)) :=
  match qs with
  | [] => match boxes with [] => Some [] | _ => None end
  | q :: qs =>
      let l := classes q in
      let n := length l in
      let mine := firstn n boxes in
      if (length mine =? n) && check_token_query streams hs q (combine l mine) then
        option_map (fun groups => fold_right (fun eb => insert (key_of_class q (fst eb)) (snd eb)) groups
          (combine l mine)) (check_queries streams hs qs (skipn n boxes))
      else None
  end.

Definition tokens_at (lists : list (list edge)) (place : place_syntax) : list nat :=
  match step_of_place f place with
  | Some k => map (token_of_edge c place) (nth k lists [])
  | None => [token_of_step c place ([], [])]
  end.
Definition queries (lists : list (list edge)) : list query :=
  flat_map (fun p => if is_answer (layout_place (S p)) then
      let here := tokens_at lists (layout_place p) in
      flat_map (fun own => match token_query_at lists p own with Some q => [q] | None => [] end)
        (filter (fun t => existsb (Nat.eqb t) here) (seq 0 vocabulary))
    else []) (seq 0 (length places - 1)).
Definition is_known_step (place : place_syntax) : bool :=
  match step_of_place f place with Some k => k <=? length (layout_tables f) | None => true end.
Definition box_width : nat := fold_right (fun h n => width_of_head h + n) 0 heads.
Definition check_group streams (among : list nat) (margin : Q) (group : (group_key * list box) * cells) : bool :=
  let '((p, own, answer), boxes, tree) := group in
  match at_ streams p own with
  | Some x => forallb (fun b : box => length b =? box_width) boxes
      && check_cells (judge_cell bits T A margin x answer among) tree boxes
  | None => false
  end.
Definition check_parts (boxes : list box) (trees : list cells) : bool :=
  let lists := edge_lists c f in
  (0 <=? precision)%Z && (0 <=? bits)%Z && is_cap (attention_cap A)
  && forallb is_known_step places && forallb (within_states (machine_states c)) lists
  && forallb (fun place => forallb (fun t => t <? vocabulary) (tokens_at lists place)) places
  && match all_streams with
     | Some streams =>
         match traverse (tables_of streams) heads with
         | Some hs =>
             match check_queries streams hs (queries lists) boxes with
             | Some groups => (length groups =? length trees)
                 && forallb (check_group streams (claim_among c) (claim_threshold c)) (combine groups trees)
             | None => false
             end
         | None => false
         end
     | None => false
     end.
End Check.

Definition check_layout (T : network_syntax) (c : tracks_claim_syntax) (fe : layout_syntax * layout_evidence) : bool :=
  let (f, e) := fe in
  match one_attention_of (network_steps T) with
  | Some A => network_causal T && check_parts T A c f (stated_precision e) (stated_bits e) (stated_boxes e)
    (stated_cells e)
  | None => false
  end.
Definition check_form (T : network_syntax) (c : tracks_claim_syntax) (fe : layout_syntax * form_evidence) : bool :=
  match snd fe with
  | ByClasses e => check_layout T c (fst fe, e)
  | InputByInput inputs => check_each_input T c (fst fe) inputs
  end.
(* An input of each state before these columns, if there is one. *)
Fixpoint some_inputs (c : tracks_claim_syntax) (tables : list nat) : list (option (list nat)) :=
  match tables with
  | [] => map (option_map (fun _ => [])) (transducer_ends (claim_machine c))
  | table :: tables =>
      let rest := some_inputs c tables in
      map (fun moves => fold_right (fun (numbered_move : nat * move_syntax) found =>
          match snd numbered_move with
          | Some (target, _) => match nth target rest None with
              | Some input => Some (fst numbered_move :: input)
              | None => found end
          | None => found
          end) None (numbered 0 moves)) (nth table (transducer_tables (claim_machine c)) [])
  end.
Definition has_input (c : tracks_claim_syntax) (f : layout_syntax) : bool :=
  match nth (transducer_start (claim_machine c)) (some_inputs c (layout_tables f)) None with
  | Some input => match steps_of c f input with Some _ => true | None => false end
  | None => false
  end.
Definition check_tracks (evidence : list form_evidence) (d : tracks_syntax) : bool :=
  let c := tracks_claim d in
  (length evidence =? length (claim_layouts c)) && forallb (has_input c) (claim_layouts c)
  && forallb (check_form (tracks_network d) c) (combine (claim_layouts c) evidence).
