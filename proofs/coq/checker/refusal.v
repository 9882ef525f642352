(* Where `check` says no: the first stage that it does not accept, the directions that it does not accept there, and of
   each what it found.

   Nothing is proved of this and nothing rests on it: it helps a person to find what is wrong. *)
From Coq Require Import QArith ZArith List Bool.
From Certify Require Import formula weighing network meaning linear_combination monomial expression_bounds cases
  well_defined check_defined score_form check_head check_feedforward check_by_cases values_by_rows check_by_rows
  check_by_differences check check_graph.
Import ListNotations.
Open Scope nat_scope.

(* What is the matter with one direction. *)
Inductive trouble :=
| EmbeddedOtherwise | EmbeddedAndWritten            (* the embedding is not what it means; a layer writes it, too *)
| WrittenBefore | WrittenTimes (k : nat)            (* it is written already; the heads write it k times *)
| TemperatureRead                                   (* the temperature is none that the checker reads *)
| QueryReads (e : direction) | KeyReads (e : direction) | ValueReads (e : direction)
| TooWarm                                           (* with queries 1000 times as large the head is accepted *)
| NotPosition | NotMean | NotNeighbour | NotDecided | NotLookup | NoHead      (* by what the direction means *)
| UnitReads (unit : nat) (e : direction)            (* nothing is known of what the ReLU reads *)
| UnitBends (unit : nat)                            (* in some case the ReLU may be on either side of its kink *)
| OtherSum.                                         (* in some case the sum of the ReLUs is not what it means *)
(* A direction, and the head that writes it, counted from 1; 0 where it is no single head. *)
Inductive head_fault := Fault (d : direction) (head_number : nat) (t : trouble).

Inductive refusal :=
| UndefinedEmbedding (d : direction)                (* something may have no value, or a temperature not be positive *)
| UndefinedTemperature (layer_number head_number : nat)
| InEmbedding (faults : list head_fault)
| InHeads (layer_number : nat) (faults : list head_fault)
| InFeedforward (layer_number : nat) (faults : list head_fault)
| InOutput                                          (* the output does not mean the truth of the formula *)
| Nowhere.

(* The directions that hold what M states no longer, after a stage that leads from A to B. *)
Local Definition lost (M A B : list meaning) : list direction := filter (fun d => negb (is_anything (nth d M
  IsAnything)) && negb (is_anything (nth d A IsAnything)) && is_anything (nth d B IsAnything)) (seq 0 (length M)).
Local Definition numbered {X} (l : list X) : list (nat * X) := combine (seq 1 (length l)) l.
Definition faults_of (place : direction -> nat * trouble) (ds : list direction) : list head_fault :=
  map (fun d => Fault d (fst (place d)) (snd (place d))) ds.

(* ---- heads ---- *)
Definition without_term {X} (term_of : meaning -> option X) (A : list meaning) (rows : list row) : option direction :=
  option_map fst (find (fun e => match term_of (nth (fst e) A IsAnything) with Some _ => false | None => true end)
                       (concat rows)).
(* Of a query with directions that do not fit together, one that has a factor which the others lack. *)
Definition query_without_term (A : list meaning) (a : head) : option direction :=
  match without_term (query_term_over (shared_factors A a)) A (head_queries a) with
  | Some d =>
    let has_factor e := negb (same_factors (query_factors (nth (fst e) A IsAnything)) []) in
    match find has_factor (concat (head_queries a)) with Some e => Some (fst e) | None => Some d end
  | None => None
  end.
Definition start_term (a : meaning) : option (monomial * key_atom) :=
  match key_term a with Some t => if Z.eqb (monomial_end (fst t)) 0 then Some t else None | None => None end.
Local Definition colder (a : head) : head := WeighingHead (head_weighing a) (head_masking a) (head_temperature a)
  (map (map (fun e => (fst e, 1000 * snd e)%Q)) (head_queries a)) (head_keys a) (head_values a).
Local Definition unlike (b : meaning) : trouble :=
  match b with
  | IsPosition _ => NotPosition
  | IsMean _ _ | IsAverage _ => NotMean
  | IsNear (Previous _ | Next _) _ => NotNeighbour
  | IsNear (Since _ _ | Until _ _) _ => NotDecided
  | IsNear (OnCount _ _ _ | OnSum _ _) _ | IsOthers _ _ _ => NotLookup
  | _ => NoHead
  end.
Definition head_trouble (views : outlook) (letters : nat) (L : lengths) (A : list meaning) (a : head) (r : row) (b :
  meaning) :
  trouble :=
  match reciprocal_of (head_temperature a), query_without_term A a, without_term start_term A (head_keys a),
        without_term start_term A [r] with
  | None, _, _, _ => TemperatureRead
  | _, Some d, _, _ => QueryReads d
  | _, _, Some d, _ => KeyReads d
  | _, _, _, Some d => ValueReads d
  | _, _, _, _ =>
    if in_some_view views A b (fun A b => check_any_head (known_users views) letters L A (colder a) r b)
    then TooWarm else unlike b
  end.
Local Definition writers (l : layer) (d : direction) : list (nat * head * row) :=
  flat_map (fun ka => map (fun ar => (fst ka, fst ar, snd ar)) (rows_to d (snd ka))) (numbered (layer_heads l)).
Definition heads_trouble (views : outlook) (letters : nat) (L : lengths) (A M : list meaning) (l : layer) (d :
  direction) :
  nat * trouble :=
  match writers l d with
  | [(k, a, r)] => (k, if is_unwritten (nth d A IsAnything)
                       then head_trouble views letters L A a r (with_error L A a (nth d M IsAnything))
                         else WrittenBefore)
  | ((k, a, _) :: _) as l => if is_alone (head_weighing a) then (k, unlike (nth d M IsAnything))
                             else (0, WrittenTimes (length l))
  | [] => (0, WrittenTimes 0)
  end.

(* ---- feed-forward part ---- *)
Definition unit_bends (A : list meaning) (cmp : option (term * term)) (d : direction) (cs : list case) (u : relu_unit) :
  bool :=
  let q := entry_rational (unit_writes u) d in
  negb (is_zero q) && existsb (fun c => match affine_part A cmp c u q with Some _ => false | None => true end) cs.
Definition unit_reads_anything (A : list meaning) (d : direction) (u : relu_unit) : bool := negb (is_zero
  (entry_rational (unit_writes u) d)) && existsb (fun e => is_anything (nth (fst e) A IsAnything)) (unit_reads u).
Definition feedforward_trouble (A M : list meaning) (l : layer) (d : direction) : nat * trouble :=
  let b := nth d M IsAnything in
  let atoms := free_atoms A (layer_units l) d b in
  let cs := if length atoms <=? most_atoms then cases_of_atoms atoms (orders_of b) else [] in
  (0, if negb (is_unwritten (nth d A IsAnything)) then WrittenBefore else
      match find (fun ku => unit_reads_anything A d (snd ku)) (numbered (layer_units l)) with
      | Some (k, u) =>
        match find (fun e => is_anything (nth (fst e) A IsAnything)) (unit_reads u) with
        | Some (e, _) => UnitReads k e
        | None => OtherSum
        end
      | None =>
        match find (fun ku => unit_bends A (comparison_of b) d cs (snd ku)) (numbered (layer_units l)) with
        | Some (k, _) => UnitBends k
        | None => OtherSum
        end
      end).

(* ---- the whole ---- *)
Fixpoint refusal_in_layers (views : outlook) (letters : nat) (L : lengths) (M : list meaning) (ls : list layer)
    (number : nat) (A : list meaning) : refusal :=
  match ls with
  | [] => InOutput
  | l :: ls =>
    let B := for_directions M (heads_stage views letters L A M l) in
    let C := for_directions M (feedforward_stage views L B M l) in
    match lost M A B, lost M B C with
    | [], [] => refusal_in_layers views letters L M ls (S number) C
    | [], ds => InFeedforward number (faults_of (feedforward_trouble B M l) ds)
    | ds, _ => InHeads number (faults_of (heads_trouble views letters L A M l) ds)
    end
  end.

Definition embedding_trouble (T : transformer) (d : direction) : nat * trouble :=
  (0, if written_later T d then EmbeddedAndWritten else EmbeddedOtherwise).
Local Definition undefined (m : nat) (T : transformer) : refusal :=
  match find (fun e => match snd e with Formula x => negb (always_has_value m x) | Bracket _ _ => false end)
             (position_embedding T),
        find (fun p => let t := head_temperature (snd p) in negb (always_has_value m t && surely_positive m t))
             (flat_map (fun kl => map (fun ka => ((fst kl, fst ka), snd ka)) (numbered (layer_heads (snd kl))))
                       (numbered (transformer_layers T))) with
  | Some (d, _), _ => UndefinedEmbedding d
  | None, Some (k, h, _) => UndefinedTemperature k h
  | None, None => Nowhere
  end.

Definition refusal_through (views : outlook) (L : lengths) (T : transformer) (M : list meaning) (f : formula) :
    refusal :=
  if check_through views L T M f then Nowhere
  else if negb (defined_there L T) then undefined (least_length L) T
  else let A := for_directions M (embedding_stage L T M) in
       match lost M M A with
       | [] => refusal_in_layers views (length (token_embedding T)) L M (transformer_layers T) 1 A
       | ds => InEmbedding (faults_of (embedding_trouble T) ds)
       end.
Definition find_refusal_for (users : predicate_meanings) : lengths -> transformer -> list meaning -> formula ->
  refusal := refusal_through (knowing users).
Definition find_refusal : transformer -> list meaning -> formula -> refusal :=
  refusal_through as_it_stands every_length.

(* The same with names for formulas (check_graph.v), the k-th of which is `User (base + k)`. *)
Definition find_refusal_in_graph (base : nat) (definitions : list formula) : lengths -> transformer -> list meaning ->
  formula -> refusal := refusal_through (both_views base definitions).
