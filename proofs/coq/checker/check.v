(* The checker of whole networks.

   `check T M f` goes through the network T stage by stage: embedding, then heads and feed-forward part of each layer.
   M states what each direction means. A direction may be written once, and only directions proved before may be used;
   one without the value that M states is treated as arbitrary, which is sound if it is not read.
   Proved: if the answer is `true`, the network over the real numbers computes f exactly, for every length, every word
   and every position; if that of `check_for users L T M f` is, for every length in L. The check is a computation on
   rational numbers; n occurs in it only where a head is checked by rows, up to a greatest length (check_by_rows.v). *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia Arith.
From Certify Require Import options positions lists finite_sums softmax weighing formula network totals meaning
  linear_combination cases well_defined check_defined score_form theorem_20_counting check_head check_feedforward
  check_at_constant check_by_cases values_by_rows check_by_rows check_by_sticks output_by_signs output_by_rows
  lookup_by_rows sum_lookup_by_rows check_by_differences lookup_by_distances mean_of_numbers.
Import ListNotations PositionNotations.
Open Scope R_scope.

Local Notation at_direction d := (fun e => Nat.eqb (fst e) d).

Definition is_anything (a : meaning) : bool := match a with IsAnything => true | _ => false end.
Definition is_unwritten (a : meaning) : bool :=
  match a with IsPosition (Formula (Num q)) => Qeq_bool q 0 | _ => false end.

Definition for_directions (M : list meaning) (f : direction -> meaning) : list meaning := map f (seq 0 (length M)).

(* A direction that a stage writes takes on its meaning, if it was unwritten and the check of the stage agrees. *)
Local Definition written (A : list meaning) (d : direction) (b : meaning) (agrees : bool) : meaning :=
  if is_anything b then IsAnything
  else if is_unwritten (nth d A IsAnything) && agrees then b else IsAnything.

(* A stage may look at what is known, and at what is to be shown, through any of the views: each means the same
   (check_graph.v unfolds the names of formulas in this way). And it may know which the user's predicates are. *)
Local Notation view := (meaning -> meaning).
Record outlook := Outlook { seen_as : list view; known_users : option predicate_meanings }.
Definition in_some_view (views : outlook) (A : list meaning) (b : meaning) (agrees : list meaning -> meaning -> bool)
  : bool := some_of (fun u => let A := map u A in some_of (fun v => agrees A (v b)) (seen_as views)) (seen_as views).

(* ---- heads ---- *)
Definition rows_to (d : direction) (a : head) : list (head * row) :=
  map (fun e => (a, snd e)) (filter (at_direction d) (head_values a)).
Definition head_rows (l : layer) (d : direction) : list (head * row) := flat_map (rows_to d) (layer_heads l).
(* The error of `others` follows from the head that looks it up; M need not define it. *)
Definition error_at_every_length (A : list meaning) (a : head) (s : side) (f : formula) : option Q :=
  match score_form A a with
  | Some p => if looks_up s f (fun _ => true) p then lookup_error s p else None
  | None => None
  end.
(* Up to a length of 128 the lesser of that error and the one of the rows; rows of longer words are many. *)
Definition error_for (L : lengths) (A : list meaning) (a : head) (s : side) (f : formula) : option Q :=
  let few := match greatest_length L with Some N => (N <=? 128)%nat | None => false end in
  match error_at_every_length A a s f, (if few then others_error_by_rows L A a s f else None) with
  | Some e, Some r => Some (if Qle_bool e r then e else r)
  | Some e, None => Some e
  | None, Some r => Some r
  | None, None => others_error_by_rows L A a s f
  end.
Definition with_error (L : lengths) (A : list meaning) (a : head) (b : meaning) : meaning :=
  match b with IsOthers s f _ => match error_for L A a s f with Some e => IsOthers s f e | None => b end | _ => b end.
(* One after the other, each only if all before it have failed: the first is quickest, and only the last take longer
   the longer words are. For sparse heads, means are those of softmax, and the position looked up has all weight; of
   softmax plus one, and of what breaks a stick, only memories are known. *)
Definition check_any_head (known : option predicate_meanings) (letters : nat) (L : lengths) (A : list meaning)
    (a : head) (r : row) (b : meaning) : bool :=
  let at_every_length := fun _ : unit => if check_head A a r b then true else if check_at_constant A a r b then true
                                         else check_by_cases L A a r b in
  let by_rows := fun _ : unit => check_by_rows letters L A a r b in
  let of_sum := fun _ : unit => check_sum_lookup known L A a r b (1 # 4) (1 # 4) in
  match head_weighing a, sparse_order (head_weighing a) with
  | _, Some order => if scores_vanish A a then at_every_length tt
                     else if by_rows tt then true else if check_sharp_lookup order L A a r b then true else of_sum tt
  | Softmax, None =>
      if at_every_length tt then true else if by_rows tt then true else if check_lookup L A a r b then true
      else of_sum tt
  | _, None => if by_rows tt then true else check_by_sticks letters L A a r b (1 # 4) (1 # 4)
  end.
(* Heads that write one direction, each of which weighs a position by its own score only. *)
Definition check_all_together (known : option predicate_meanings) (L : lengths) (A : list meaning)
    (as_ : list (head * row)) (b : meaning) : bool :=
  if check_together L A as_ b then true
  else match b with IsNear chi guard => looks_up_together known L A as_ chi guard (1 # 4) (1 # 4) | _ => false end.
Definition check_heads (known : option predicate_meanings) (letters : nat) (L : lengths) (A : list meaning)
    (as_ : list (head * row)) (b : meaning) : bool :=
  match as_ with
  | [(a, r)] => if check_any_head known letters L A a r b then true else if holds_mean L A a r b then true
                else check_all_together known L A as_ b
  | _ => check_all_together known L A as_ b
  end.
(* `letters` symbols are in the alphabet. *)
Definition heads_stage (views : outlook) (letters : nat) (L : lengths) (A M : list meaning) (l : layer)
    (d : direction) : meaning :=
  match head_rows l d with
  | [] => nth d A IsAnything
  | ((a, _) :: _) as as_ =>
      let b := with_error L A a (nth d M IsAnything) in written A d b
        (in_some_view views A b (fun A b => check_heads (known_users views) letters L A as_ b))
  end.

(* ---- feed-forward part ---- *)
Definition writes_to (l : layer) (d : direction) : bool := existsb (fun u => existsb (at_direction d) (unit_writes u))
  (layer_units l) || existsb (at_direction d) (layer_bias l).
(* Rows are tried first: they take no longer the more is read. Cases are twice as many for each atom. *)
Definition check_units (L : lengths) (A : list meaning) (l : layer) (d : direction) (b : meaning) : bool :=
  let atoms := length (free_atoms A (layer_units l) d b) in
  let by_rows := fun _ : unit => check_output_by_rows L A (layer_units l) (layer_bias l) d b in
  let by_cases := fun _ : unit => check_output A (layer_units l) (layer_bias l) d b in
  let by_signs := fun _ : unit => check_output_by_signs A (layer_units l) (layer_bias l) d b in
  if by_rows tt then true
  else if (atoms <=? 10)%nat then (if by_cases tt then true else by_signs tt)
  else if by_signs tt then true else if (atoms <=? most_atoms)%nat then by_cases tt else false.
Definition feedforward_stage (views : outlook) (L : lengths) (A M : list meaning) (l : layer) (d : direction)
  : meaning :=
  if writes_to l d then written A d (nth d M IsAnything)
    (in_some_view views A (nth d M IsAnything) (fun A b => check_units L A l d b))
  else nth d A IsAnything.

Definition layer_stages (views : outlook) (letters : nat) (L : lengths) (M : list meaning) (A : list meaning)
    (l : layer) : list meaning :=
  let B := for_directions M (heads_stage views letters L A M l) in for_directions M (feedforward_stage views L B M l).
Definition layers_stages (views : outlook) (letters : nat) (L : lengths) (M : list meaning) (ls : list layer)
    (A : list meaning) : list meaning := fold_left (layer_stages views letters L M) ls A.

(* ---- embedding ---- *)
Definition embedded_functions (T : transformer) (d : direction) : list position_function :=
  map snd (filter (at_direction d) (position_embedding T)).
Definition in_tokens (T : transformer) (d : direction) : bool :=
  existsb (fun r => existsb (at_direction d) r) (token_embedding T).

(* Where a formula over symbols holds, of all symbols: 1 of those with which it is true, 0 of the others. *)
Fixpoint are_truths (bs : list (option bool)) (qs : list Q) : bool :=
  match bs, qs with
  | [], [] => true
  | Some b :: bs, q :: qs => Qeq_bool q (if b then 1 else 0) && are_truths bs qs
  | _, _ => false
  end.
Definition token_is_truth (T : transformer) (d : direction) (f : formula) : bool :=
  let values := map (fun r => entry_rational r d) (token_embedding T) in
  forallb (fun c => are_truths (by_letter c (length values) f) values) (cases_of_atoms [] [Eq]).

Definition check_embedded (T : transformer) (d : direction) (a : meaning) : bool :=
  match a, embedded_functions T d with
  | IsAnything, _ => true
  | IsPosition v, [u] => negb (in_tokens T d) && position_function_eqb u v
  | IsTruth f, [] => token_is_truth T d f
  | IsTruth f, [Bracket g false] => negb (in_tokens T d) && formula_eqb g f && is_positional f
  | _, _ => false
  end.

(* The embedded number is the one that is stated, at every position of every length up to the greatest. *)
Definition embedded_number (T : transformer) (d : direction) (n i : nat) : option Q :=
  fold_right (fun u x => option_bind (known_number (IsPosition u) n i) (fun p => option_bind x (fun q =>
    Some (p + q)%Q))) (Some 0%Q) (embedded_functions T d).
Definition embedded_by_rows (L : lengths) (T : transformer) (d : direction) (a : meaning) : bool :=
  match greatest_length L with
  | None => false
  | Some N => negb (in_tokens T d) && forallb (fun n => forallb (fun i =>
      match known_number a n i, embedded_number T d n i with Some p, Some q => Qeq_bool p q | _, _ => false end)
      (seq 1 n)) (lengths_to L N)
  end.

Definition written_later (T : transformer) (d : direction) : bool :=
  existsb (fun l => match head_rows l d with [] => writes_to l d | _ => true end) (transformer_layers T).
Definition embedding_stage (L : lengths) (T : transformer) (M : list meaning) (d : direction) : meaning :=
  if written_later T d then
    (if negb (in_tokens T d) && match embedded_functions T d with [] => true | _ => false end then unwritten
     else IsAnything)
  else let a := nth d M IsAnything in
       if check_embedded T d a then a else if embedded_by_rows L T d a then a else IsAnything.

(* ---- the whole ---- *)
Definition established (views : outlook) (L : lengths) (T : transformer) (M : list meaning) : list meaning :=
  layers_stages views (length (token_embedding T)) L M (transformer_layers T)
    (for_directions M (embedding_stage L T M)).
Definition check_through (views : outlook) (L : lengths) (T : transformer) (M : list meaning) (f : formula) : bool :=
  defined_there L T &&
  match nth (transformer_output T) (established views L T M) IsAnything with
  | IsTruth g => formula_eqb g f
  | _ => false
  end.
Definition as_it_stands : outlook := Outlook [fun a => a] None.
Definition knowing (users : predicate_meanings) : outlook := Outlook [fun a => a] (Some users).
Definition check_for (users : predicate_meanings) : lengths -> transformer -> list meaning -> formula -> bool :=
  check_through (knowing users).
Definition check : transformer -> list meaning -> formula -> bool := check_through as_it_stands every_length.

(* ---- soundness ---- *)
Lemma for_directions_nth M f d : nth d (for_directions M f) IsAnything = f d \/
  nth d (for_directions M f) IsAnything = IsAnything.
Proof.
  unfold for_directions. destruct (Nat.lt_ge_cases d (length M)) as [H|H]; [left|right].
  - rewrite (nth_indep _ IsAnything (f 0%nat)), map_nth, seq_nth by (rewrite ?length_map, ?length_seq; exact H).
    now rewrite Nat.add_0_l.
  - apply nth_overflow. now rewrite length_map, length_seq.
Qed.

Lemma collect_total {X} (f : X -> R) l d : collect f l d = total_over (fun e => f (snd e)) (filter (at_direction d) l).
Proof.
  induction l as [|[e x] l IH]; [reflexivity|]. cbn [collect filter fst].
  destruct (Nat.eqb e d); cbn [total_over snd]; rewrite IH; lra.
Qed.

Lemma absent_filter {X} (l : list (direction * X)) d : existsb (at_direction d) l = false ->
  filter (at_direction d) l = [].
Proof. induction l as [|e l IH]; simpl; [reflexivity|]. intros H. apply orb_false_iff in H as [-> H]. auto. Qed.

Lemma entry_absent r d : existsb (at_direction d) r = false -> row_entry r d = 0.
Proof. intros H. unfold row_entry. rewrite collect_total, (absent_filter r d H). reflexivity. Qed.

Section Sound.
Variables (users : predicate_meanings) (n : nat) (w : word) (letters : nat) (L : lengths).
Hypothesis HL : length_allowed L n.
Hypothesis Letters : each i upto n, (w i < letters)%nat.
Notation holds_now := (holds_of users n w).
Variable views : outlook.
Hypothesis Views : forall u, In u (seen_as views) -> forall i a x, meaning_holds users n w i a x <->
  meaning_holds users n w i (u a) x.
Hypothesis Known : forall u, known_users views = Some u -> u = users.

Lemma seen_through u A h : In u (seen_as views) -> holds_now A h -> holds_now (map u A) h.
Proof.
  intros Hu HA i d Hi. destruct (Nat.lt_ge_cases d (length A)) as [H|H].
  - rewrite (nth_indep _ IsAnything (u IsAnything)), map_nth by (now rewrite length_map). now apply Views, HA.
  - rewrite nth_overflow; [exact I|now rewrite length_map].
Qed.

Lemma in_some_view_correct A b agrees h i x : holds_now A h -> (forall A b, holds_now A h -> agrees A b = true ->
  meaning_holds users n w i b x) -> in_some_view views A b agrees = true -> meaning_holds users n w i b x.
Proof.
  intros HA C H. apply some_of_exists in H as (u & Hu & H). apply some_of_exists in H as (v & Hv & H).
  apply (Views v Hv). exact (C _ _ (seen_through u A h Hu HA) H).
Qed.

Lemma is_unwritten_zero i a x : is_unwritten a = true -> meaning_holds users n w i a x -> x = 0.
Proof.
  destruct a as [[[q| | | | | | | | |]|]| | | | | | | | |]; try discriminate. simpl. intros H ->.
  apply Qeq_bool_R in H. now rewrite H, Q2R_0.
Qed.

(* The contribution of a stage to a direction that it writes. *)
Lemma written_correct A d b agrees i x y : meaning_holds users n w i (nth d A IsAnything) x ->
  (agrees = true -> meaning_holds users n w i b y) -> meaning_holds users n w i (written A d b agrees) (x + y).
Proof.
  unfold written. intros Hx Hy. destruct (is_anything _); [exact I|].
  destruct (is_unwritten (nth d A IsAnything)) eqn:U; [|exact I]. destruct agrees; [|exact I].
  cbn [andb]. rewrite (is_unwritten_zero i _ x U Hx), Rplus_0_l. now apply Hy.
Qed.

Lemma head_rows_total h i l d : total_over (head_output n h i d) (layer_heads l)
  = total_over (fun ar => head_value (fst ar) n h i (snd ar)) (head_rows l d).
Proof.
  unfold head_rows. induction (layer_heads l) as [|a as_ IH]; [reflexivity|]. cbn [total_over flat_map].
  rewrite total_app, IH. f_equal. unfold head_output, rows_to. rewrite collect_total.
  induction (filter (at_direction d) (head_values a)) as [|e es IHe]; [reflexivity|]. cbn [total_over map fst snd].
  now rewrite IHe.
Qed.

Lemma check_any_head_correct A a r b h (i : position n) : holds_now A h ->
  check_any_head (known_users views) letters L A a r b = true -> meaning_holds users n w i b (head_value a n h i r).
Proof.
  intros HA C. assert (Quarter : Q2R (1 # 4) = 1 / 4) by (unfold Q2R; simpl; lra).
  assert (OfSum : check_sum_lookup (known_users views) L A a r b (1 # 4) (1 # 4) = true ->
    meaning_holds users n w i b (head_value a n h i r)).
  { intros S. destruct b as [v|f|f|chi guard|q f|s f|t|s f|s f e|]; try discriminate S.
    destruct (check_sum_lookup_correct _ users n w L A h a r chi guard _ _ i HL HA Known S) as [R E].
    split; [exact R|]. intros G. specialize (E G). unfold within_errors in E. unfold relu.near_truth.
    rewrite Quarter in E. destruct (truth users n w chi i); simpl; lra. }
  assert (BySticks : check_by_sticks letters L A a r b (1 # 4) (1 # 4) = true ->
    meaning_holds users n w i b (head_value a n h i r)).
  { intros S. destruct b as [v|f|f|chi guard|q f|s f|t|s f|s f e|]; try discriminate S.
    destruct (check_by_sticks_correct users n w letters L A h a r chi guard _ _ i HL HA Letters S) as [R E].
    split; [exact R|]. intros G. specialize (E G). unfold relu.near_truth. rewrite Quarter in E.
    destruct (truth users n w chi i); lra. }
   pose proof (check_by_rows_correct users n w letters L A h a r b i HL HA Letters) as Rows.
  assert (Every : (if check_head A a r b then true else if check_at_constant A a r b then true
    else check_by_cases L A a r b) = true -> meaning_holds users n w i b (softmax_value a n h i r)).
  { intros E. apply if_or in E as [E|E]; [|apply if_or in E as [E|E];
      [exact (check_at_constant_correct users n w A h a r i b HA E)
      |exact (check_by_cases_correct users n w L i HL A h a r HA _ E)]].
    unfold check_head in E. destruct (score_form A a) as [p|] eqn:Ep; [|discriminate].
    destruct (value_form A r) as [v|] eqn:Ev; [|discriminate].
    apply (check_head_correct users n w A h a r i p v HA Ep Ev). unfold check_head. now rewrite Ep, Ev. }
  unfold check_any_head in C. cbv zeta in C. destruct (sparse_order (head_weighing a)) as [order|] eqn:O.
  - assert (C' : (if scores_vanish A a then if check_head A a r b then true else if check_at_constant A a r b then true
      else check_by_cases L A a r b else if check_by_rows letters L A a r b then true else if check_sharp_lookup order L
      A a r b then true else check_sum_lookup (known_users views) L A a r b (1 # 4) (1 # 4)) = true)
      by now destruct (head_weighing a). clear C. destruct (scores_vanish A a) eqn:V.
    + unfold scores_vanish in V. destruct (score_form A a) as [p|] eqn:Ep; [|discriminate].
      rewrite (gathered_uniform users n w A h a r i p HA Ep); [exact (Every C')| |exact V].
      exact (sparse_normalises _ _ O).
    + apply if_or in C' as [C|C]; [exact (Rows C)|]. apply if_or in C as [C|C]; [|exact (OfSum C)]. apply means_exactly.
      exact (check_sharp_lookup_correct users n w L A h a r b i order HL HA O C).
  - assert (Others : (if check_by_rows letters L A a r b then true else check_by_sticks letters L A a r b (1 # 4) (1 #
      4)) = true -> meaning_holds users n w i b (head_value a n h i r)) by (intros D; apply if_or in D as [D|D]; auto).
    destruct (head_weighing a) eqn:K; try discriminate; try exact (Others C). clear Others. apply if_or in C as [C|C].
    + unfold head_value. rewrite K. exact (Every C).
    + apply if_or in C as [C|C]; [exact (Rows C)|]. apply if_or in C as [C|C]; [|exact (OfSum C)]. unfold head_value.
      rewrite K. exact (check_lookup_correct users n w L A h a r b i HL HA C).
Qed.

Lemma check_all_together_correct A as_ b h (i : position n) : holds_now A h -> check_all_together (known_users views)
  L A as_ b = true -> meaning_holds users n w i b (total_over (fun ar => head_value (fst ar) n h i (snd ar)) as_).
Proof.
  intros HA C. apply if_or in C as [C|C]; [exact (check_together_correct users n w L A h as_ b i HL HA C)|].
  destruct b as [v|f|f|chi guard|q f|s f|t|s f|s f e|]; try discriminate C.
  destruct (looks_up_together_correct _ users n w L A h as_ chi guard _ _ i HL HA Known C) as [R E].
  split; [exact R|]. intros G. specialize (E G). unfold within_errors in E. unfold relu.near_truth.
  replace (Q2R (1 # 4)) with (1 / 4) in E by (unfold Q2R; simpl; lra). destruct (truth users n w chi i); lra.
Qed.

Lemma heads_stage_correct A M l h : holds_now A h ->
  holds_now (for_directions M (heads_stage views letters L A M l)) (after_heads n l h).
Proof.
  intros HA i d Hi.
  destruct (for_directions_nth M (heads_stage views letters L A M l) d) as [E|E]; rewrite E; [|exact I].
  unfold after_heads. rewrite head_rows_total. unfold heads_stage. pose proof (HA i d Hi) as Hd.
  destruct (head_rows l d) as [|[a r] as_]; [cbn [total_over]; now rewrite Rplus_0_r|]. cbv zeta.
  apply written_correct; [exact Hd|]. apply (in_some_view_correct A _ _ h); [exact HA|]. clear A HA Hd E.
  intros A b HA C. unfold check_heads in C.
  destruct as_ as [|ar as_]; [|exact (check_all_together_correct A _ b h (Position i Hi) HA C)].
  apply if_or in C as [C|C]; [|apply if_or in C as [C|C]; [|exact (check_all_together_correct A _ b h (Position i Hi) HA
    C)]]; cbn [total_over fst snd]; rewrite Rplus_0_r; [exact (check_any_head_correct A a r b h (Position i Hi) HA C)|].
  exact (holds_mean_correct users n w L A h a r b (Position i Hi) HL HA C).
Qed.

Lemma not_written l d h : writes_to l d = false -> feedforward l h d = 0.
Proof.
  unfold writes_to, feedforward. intros H. apply orb_false_iff in H as [U B]. rewrite (entry_absent _ _ B), Rplus_0_r.
  apply total_zero. intros u Hu. unfold unit_output. rewrite entry_absent; [ring|].
  destruct (existsb (at_direction d) (unit_writes u)) eqn:E; [|reflexivity]. exfalso.
  apply Bool.diff_true_false. rewrite <- U. symmetry. apply existsb_exists. now exists u.
Qed.

Lemma feedforward_stage_correct A M l h : holds_now A h ->
  holds_now (for_directions M (feedforward_stage views L A M l)) (fun i d => h i d + feedforward l (h i) d).
Proof.
  intros HA i d Hi. destruct (for_directions_nth M (feedforward_stage views L A M l) d) as [E|E]; rewrite E; [|exact I].
  unfold feedforward_stage. pose proof (HA i d Hi) as Hd. destruct (writes_to l d) eqn:W.
  - apply written_correct; [exact Hd|]. unfold feedforward. apply (in_some_view_correct A _ _ h); [exact HA|].
    clear A HA Hd E. intros A b HA C.
    assert (ByCases : check_output A (layer_units l) (layer_bias l) d b = true ->
      meaning_holds users n w i b (total_over (unit_output (h i) d) (layer_units l) + row_entry (layer_bias l) d))
      by (intros D; exact (check_output_correct users n w (Position i Hi) A (h i) (fun e => HA i e Hi) _ _ _ _ D)).
    assert (ByRows : check_output_by_rows L A (layer_units l) (layer_bias l) d b = true ->
      meaning_holds users n w i b (total_over (unit_output (h i) d) (layer_units l) + row_entry (layer_bias l) d))
      by (intros D; exact (check_output_by_rows_correct users n w (Position i Hi) L A (h i) _ _ _ _ HL (fun e =>
      HA i e Hi) D)).
    assert (BySigns : check_output_by_signs A (layer_units l) (layer_bias l) d b = true ->
      meaning_holds users n w i b (total_over (unit_output (h i) d) (layer_units l) + row_entry (layer_bias l) d))
      by (intros D; exact (check_output_by_signs_correct users n w (Position i Hi) A (h i) (fun e =>
      HA i e Hi) _ _ _ _ D)). unfold check_units in C. cbv zeta in C. apply if_or in C as [C|C]; [exact (ByRows C)|].
    destruct (_ <=? 10)%nat, (check_output A _ _ d b), (check_output_by_signs A _ _ d b); auto;
      now destruct (_ <=? most_atoms)%nat.
  - rewrite (not_written l d (h i) W), Rplus_0_r. exact Hd.
Qed.

Lemma layers_stages_correct M ls : forall A h, holds_now A h ->
  holds_now (layers_stages views letters L M ls A) (fold_left (fun h l => after_layer n l h) ls h).
Proof.
  induction ls as [|l ls IH]; intros A h HA; [exact HA|]. cbn [layers_stages fold_left]. apply IH.
  exact (feedforward_stage_correct _ M l _ (heads_stage_correct A M l h HA)).
Qed.

(* ---- embedding ---- *)
Section Embedding.
Variable T : transformer.
Hypothesis Over : word_in_alphabet T n w.

Lemma not_in_tokens d i : in_tokens T d = false -> row_entry (nth (w i) (token_embedding T) []) d = 0.
Proof.
  intros H. apply entry_absent. destruct (existsb _ _) eqn:E; [|reflexivity]. exfalso.
  apply Bool.diff_true_false. rewrite <- H. symmetry. unfold in_tokens. apply existsb_exists.
  exists (nth (w i) (token_embedding T) []). split; [|exact E].
  destruct (nth_in_or_default (w i) (token_embedding T) []) as [In|D]; [exact In|rewrite D in E; discriminate].
Qed.

Lemma positions_total d i : collect (fun p => position_value users p n i) (position_embedding T) d
  = total_over (fun p => position_value users p n i) (embedded_functions T d).
Proof.
  rewrite collect_total. unfold embedded_functions.
  induction (filter (at_direction d) (position_embedding T)) as [|e l IH]; [reflexivity|].
  cbn [total_over map]. now rewrite IH.
Qed.

Lemma are_truths_correct bs qs s : are_truths bs qs = true -> (s < length qs)%nat ->
  exists b : bool, nth s bs None = Some b /\ Q2R (nth s qs 0%Q) = bit b.
Proof.
  revert qs s. induction bs as [|[b|] bs IH]; intros [|q qs] s H Hs; try discriminate; [simpl in Hs; lia|].
  apply andb_prop in H as [E H]. destruct s as [|s]; [|apply (IH qs s H); simpl in Hs; lia].
  exists b. split; [reflexivity|]. simpl. rewrite (Qeq_bool_R _ _ E). destruct b; [apply Q2R_1|apply Q2R_0].
Qed.

Lemma token_is_truth_correct d f (i : position n) : token_is_truth T d f = true ->
  row_entry (nth (w i) (token_embedding T) []) d = bit (truth users n w f i).
Proof.
  intros H. unfold token_is_truth in H. rewrite forallb_forall in H.
  specialize (H _ (real_case_listed users n w i [] [Eq] Eq (or_introl eq_refl))).
  destruct (are_truths_correct _ _ (w i) H) as (b & B & V); [rewrite length_map; exact (Over i (in_word i))|].
  apply (by_letter_correct users n w i _ _ (real_case_real users n w i [] Eq)) in B.
  rewrite B, <- V, <- entry_rational_correct.
  rewrite (nth_indep _ 0%Q (entry_rational [] d)) by (rewrite length_map; exact (Over i (in_word i))).
  now rewrite (map_nth (fun r => entry_rational r d)).
Qed.

Lemma check_embedded_correct d a (i : position n) : check_embedded T d a = true ->
  meaning_holds users n w i a (embed users T n w i d).
Proof.
  intros H. unfold embed. rewrite positions_total.
  destruct a as [v|f|f|f g|x f|s f|t|s f|s f g|]; unfold check_embedded in H; try discriminate; try exact I.
  - destruct (embedded_functions T d) as [|u [|]]; try discriminate. apply andb_prop in H as [K E].
    apply negb_true_iff in K. apply position_function_eqb_eq in E. subst u. rewrite (not_in_tokens d i K). simpl. ring.
  - destruct (embedded_functions T d) as [|[x|g [|]] [|]]; try discriminate.
    + cbn [total_over meaning_holds]. rewrite Rplus_0_r. now apply token_is_truth_correct.
    + apply andb_prop in H as [H P]. apply andb_prop in H as [K E]. apply negb_true_iff in K.
      apply formula_eqb_eq in E. subst g. rewrite (not_in_tokens d i K). cbn [total_over meaning_holds position_value].
      rewrite (positional_truth users n w no_word f i P). ring.
Qed.

Lemma embedded_number_correct d i : forall q, embedded_number T d n i = Some q ->
  total_over (fun p => position_value users p n i) (embedded_functions T d) = Q2R q.
Proof.
  unfold embedded_number. induction (embedded_functions T d) as [|u l IH]; intros q H; cbn [fold_right total_over] in *.
  - take H. now rewrite Q2R_0.
  - unfold option_bind in H. destruct (known_number (IsPosition u) n i) as [x|] eqn:K; [|discriminate].
    destruct (fold_right _ _ l) as [y|]; [|discriminate]. take H. rewrite (IH y eq_refl), Q2R_plus.
    now rewrite (known_number_correct users n w i (IsPosition u) (position_value users u n i) x eq_refl K).
Qed.
Lemma embedded_by_rows_correct d a (i : position n) : embedded_by_rows L T d a = true ->
  meaning_holds users n w i a (embed users T n w i d).
Proof.
  intros H. unfold embedded_by_rows in H. destruct HL as (H1 & H2 & H3).
  destruct (greatest_length L) as [N|]; [|discriminate]. apply andb_prop in H as [K H]. apply negb_true_iff in K.
  rewrite forallb_forall in H. specialize (H n ltac:(unfold lengths_to; apply in_seq; lia)).
  rewrite forallb_forall in H. specialize (H i ltac:(apply in_seq; lia)).
  destruct (known_number a n i) as [p|] eqn:A1; [|discriminate].
  destruct (embedded_number T d n i) as [q|] eqn:E; [|discriminate]. apply Qeq_bool_R in H.
  unfold embed. rewrite positions_total, (not_in_tokens d i K), (embedded_number_correct d i q E), Rplus_0_l, <- H.
  now apply known_number_means.
Qed.

Lemma embedding_stage_correct M : holds_now (for_directions M (embedding_stage L T M)) (embed users T n w).
Proof.
  intros i d Hi. destruct (for_directions_nth M (embedding_stage L T M) d) as [E|E]; rewrite E; [|exact I].
  unfold embedding_stage. destruct (written_later T d).
  - destruct (in_tokens T d) eqn:K; [exact I|]. destruct (embedded_functions T d) eqn:F; [|exact I].
    cbn [negb andb]. unfold embed. rewrite positions_total, F, (not_in_tokens d i K). simpl. rewrite Q2R_0. ring.
  - cbv zeta. destruct (check_embedded T d (nth d M IsAnything)) eqn:C;
    [exact (check_embedded_correct d _ (Position i Hi) C)|].
    destruct (embedded_by_rows L T d (nth d M IsAnything)) eqn:C';
      [|exact I]. exact (embedded_by_rows_correct d _ (Position i Hi) C').
Qed.

Lemma established_correct M : letters = length (token_embedding T) ->
  holds_now (established views L T M) (run_transformer users T n w).
Proof.
  intros E. unfold established. rewrite <- E.
  exact (layers_stages_correct M (transformer_layers T) _ _ (embedding_stage_correct M)).
Qed.
End Embedding.
End Sound.

(* What a network does on one word, if on this word all views mean the same. *)
Theorem check_through_correct users n w L views T M f : length_allowed L n -> (forall u, In u (seen_as views) ->
  forall i a x, meaning_holds users n w i a x <-> meaning_holds users n w i (u a) x) -> (forall u,
  known_users views = Some u -> u = users) -> check_through views L T M f = true -> word_in_alphabet T n w -> forall i :
  position n, run_transformer users T n w i (transformer_output T) = bit (truth users n w f i).
Proof.
  unfold check_through. intros HL Views Known H Over i. apply andb_prop in H as [_ H].
  pose proof (established_correct users n w (length (token_embedding T)) L HL Over views Views Known T Over M eq_refl i
    (transformer_output T) (in_word i)) as V.
  destruct (nth (transformer_output T) _ IsAnything); try discriminate. apply formula_eqb_eq in H. now subst.
Qed.

(* For the lengths in L only. *)
Theorem check_for_correct users L T M f : check_for users L T M f = true -> computes_for users L T f.
Proof.
  intros H n w HL Over. apply (check_through_correct users n w L (knowing users) T M f HL); [| |exact H|exact Over].
  - intros u [<-|[]] i a x. reflexivity.
  - now intros u [= <-].
Qed.

Theorem check_for_computes users L T M f : check_for users L T M f = true ->
  defined_for L T /\ computes_for users L T f.
Proof.
  intros H. split; [|exact (check_for_correct users L T M f H)]. apply andb_prop in H as [H _].
  now apply defined_there_correct.
Qed.

Theorem check_correct users T M f : check T M f = true -> computes users T f.
Proof.
  intros H n w Hn Over. apply (check_through_correct users n w every_length as_it_stands T M f); [|
    |easy|exact H|exact Over]; [now repeat split|]. intros u [<-|[]] i a x. reflexivity.
Qed.

(* And every embedding and temperature that it uses has a value, the temperatures a positive one. *)
Corollary check_well_defined T M f : check T M f = true -> well_defined T = true.
Proof. unfold check. intros H. apply andb_prop in H as [H _]. now apply defined_there_always. Qed.

(* What is stated of a concrete network: it has no division by zero, and it computes the formula. *)
Corollary check_computes users T M f : check T M f = true -> defined T /\ computes users T f.
Proof.
  intros H. split; [exact (well_defined_correct T (check_well_defined T M f H))|exact (check_correct users T M f H)].
Qed.

(* In the words of the paper: at the last position the output is 1 if the word satisfies the formula, and 0 if not. *)
Corollary check_recognizes users T M f : check T M f = true -> forall n w, (1 <= n)%nat -> word_in_alphabet T n w ->
  (satisfies users n w f n -> run_transformer users T n w n (transformer_output T) = 1) /\
  (~ satisfies users n w f n -> run_transformer users T n w n (transformer_output T) = 0).
Proof.
  intros H n w Hn Over. pose proof (check_correct users T M f H n w Hn Over (Position n (conj Hn (le_n n)))) as E.
  cbn [place] in E. rewrite E. unfold satisfies.
  destruct (truth users n w f n); simpl; split; intros; try reflexivity; [now destruct H0|discriminate].
Qed.
