(* A checker of decisions by words and by classes of words, for causal networks of one attention step
   (docs/reference/trained.md, section 4): short words one by one, longer ones by abstract words, which are the nodes of
   a graph. What the evidence states is only a hint: `check_by_classes_holds` is about whatever is offered. *)
From Coq Require Import Reals ZArith QArith Qreals List Lra Lia Bool Arith.
From Certify Require Import lists formula user_predicates syntax claim past_only real_vectors real_network packed_rows
  balls ball_network token_by_token network_machine every_word longest_path exact_cells class_average
  one_attention_step class_query class_tracker.
Import ListNotations. Open Scope nat_scope.
Local Notation vector := (list R).

(* A level of a graph: for each node the successors, one for each choice of a token. *)
Notation level := (list (list nat)).
(* Positions from `unit_first` to `unit_last`; for each node that has rows the ends of sums along directions, and
   cuts. *)
Record class_unit := ClassUnit { unit_first : nat; unit_last : nat; unit_width : nat; unit_graph : list level;
  unit_precision : Z; unit_directions : list (list (list Z)); unit_boxes : list (exact_forms.box * cells) }.
Record offset_cover := OffsetCover { cover_offset : nat; cover_words : nat; cover_units : list class_unit }.

(* ---- paths through a graph ---- *)
Definition edges_of (l : level) : list edge :=
  flat_map (fun us => map (fun av => Edge (fst us) (snd av) [] [] [fst av]) (numbered 0 (snd us))) (numbered 0 l).
Definition successor (l : level) (u a : nat) : nat := nth a (nth u l []) 0.
Fixpoint walk_graph (levels : list level) (u : nat) (ks : list nat) : list edge :=
  match levels, ks with
  | l :: levels, a :: ks => Edge u (successor l u a) [] [] [a] :: walk_graph levels (successor l u a) ks
  | _, _ => [] end.
Fixpoint node_after (levels : list level) (u : nat) (ks : list nat) : nat :=
  match levels, ks with l :: levels, a :: ks => node_after levels (successor l u a) ks | _, _ => u end.
(* The choices of a list, one from each row. *)
Inductive chosen : list (list nat) -> list nat -> list nat -> Prop :=
| chosen_none : chosen [] [] []
| chosen_one l rows k ks t ts : nth_error l k = Some t -> chosen rows ks ts -> chosen (l :: rows) (k :: ks) (t :: ts).
Lemma chosen_both r1 k1 t1 : chosen r1 k1 t1 -> forall r2 k2 t2, chosen r2 k2 t2 ->
  chosen (r1 ++ r2) (k1 ++ k2) (t1 ++ t2).
Proof. induction 1; intros; simpl; [assumption|constructor; auto]. Qed.
Lemma chosen_alone l : chosen (map (fun t => [t]) l) (repeat 0 (length l)) l.
Proof. induction l; simpl; constructor; auto. Qed.
Lemma chosen_lengths rows ks ts : chosen rows ks ts -> length ks = length rows /\ length ts = length rows.
Proof. induction 1; simpl; lia. Qed.
Lemma chosen_picked rows ks ts : chosen rows ks ts -> forall levels u, length levels = length rows ->
  picked rows (walk_graph levels u ks) = Some ts.
Proof.
  induction 1 as [|l rows k ks t ts N C IH]; intros [|lv levels] u L; try discriminate; [reflexivity|].
  cbn [walk_graph picked edge_tokens]. rewrite N. now rewrite (IH levels) by (simpl in L; lia).
Qed.
Lemma picked_back {X} (f : X -> nat) table : forall es ts, picked (map (map f) table) es = Some ts ->
  exists xs, picked table es = Some xs /\ map f xs = ts.
Proof.
  induction table as [|l table IH]; intros [|e es] ts E; cbn [map picked] in *; try discriminate.
  - exists []. injection E as <-. now split.
  - destruct (edge_tokens e) as [|k [|]]; try discriminate. rewrite nth_error_map in E.
    destruct (nth_error l k) as [x|]; [|discriminate]. cbn [option_map] in E.
    destruct (picked (map (map f) table) es) as [ts'|] eqn:P; [|discriminate]. injection E as <-.
    destruct (IH es ts' P) as (xs & P' & M). exists (x :: xs). rewrite P'. split; [reflexivity|]. simpl. now rewrite M.
Qed.

(* ---- what is tracked at the nodes ---- *)
Section Sets.
Context {X : Type}.
Variable dec : forall x y : X, {x = y} + {x <> y}.
Variable next : X -> nat -> X.
(* A level of a letter, or of a token that is not one; the number of its choices. *)
Notation kind := (bool * nat)%type.
Definition next_of (k : kind) (x : X) (a : nat) : X := if fst k then next x a else x.
Definition moved (width : nat) (k : kind) (l : level) (S : list (list X)) : option (list (list X)) :=
  if forallb (fun us => match snd us with
      | [] => true
      | _ => (length (nth (fst us) l []) =? snd k) && forallb (fun v => v <? width) (nth (fst us) l [])
      end) (numbered 0 S)
  then Some (map (fun v => nodup dec (flat_map (fun us => flat_map (fun av =>
      if snd av =? v then map (fun x => next_of k x (fst av)) (snd us) else []) (numbered 0 (nth (fst us) l [])))
      (numbered 0 S))) (seq 0 width)) else None.
Fixpoint sets_along (width : nat) (levels : list (kind * level)) (S : list (list X)) : option (list (list (list X))) :=
  match levels with
  | [] => Some [S]
  | kl :: levels => match moved width (fst kl) (snd kl) S with
      | Some S' => option_map (cons S) (sets_along width levels S')
      | None => None end
  end.
Fixpoint tracked_along (levels : list (kind * level)) (x : X) (ks : list nat) : X :=
  match levels, ks with kl :: levels, a :: ks => tracked_along levels (next_of (fst kl) x a) ks | _, _ => x end.
Lemma in_numbered {Y} (l : list Y) (d : Y) i : i < length l -> In (i, nth i l d) (numbered 0 l).
Proof.
  intros I. apply (nth_error_In _ i). rewrite numbered_nth, (nth_error_nth' _ d) by exact I. reflexivity.
Qed.
Lemma nonempty_inside (S : list (list X)) u x : In x (nth u S []) -> u < length S.
Proof. intros I. destruct (Nat.lt_ge_cases u (length S)) as [L|L]; [exact L|]. now rewrite nth_overflow in I. Qed.
Lemma moved_spec width k l S S' u x a : moved width k l S = Some S' -> In x (nth u S []) -> a < snd k ->
  let v := successor l u a in
  v < width /\ In (next_of k x a) (nth v S' []) /\ In (Edge u v [] [] [a]) (edges_of l).
Proof.
  unfold moved. destruct (forallb _ (numbered 0 S)) eqn:F; [|discriminate]. intros [= <-] I A. cbv zeta.
  pose proof (nonempty_inside S u x I) as L. rewrite forallb_forall in F. specialize (F _ (in_numbered S [] u L)).
  cbn [fst snd] in F. destruct (nth u S []) as [|y0 ys] eqn:Y; [easy|]. rewrite <- Y in *.
  apply andb_prop in F as [F1 F2]. apply Nat.eqb_eq in F1. rewrite forallb_forall in F2.
  assert (V : successor l u a < width).
  { unfold successor. apply Nat.ltb_lt, F2, nth_In. lia. }
  split; [exact V|]. split.
  - rewrite map_nth_seq by exact V. apply nodup_In, in_flat_map. exists (u, nth u S []). split; [now apply
      in_numbered|].
    apply in_flat_map. cbn [fst snd]. exists (a, successor l u a). split; [apply in_numbered; lia|]. cbn [fst snd].
    rewrite Nat.eqb_refl. exact (in_map (fun x => next_of k x a) _ _ I).
  - unfold edges_of. apply in_flat_map. exists (u, nth u l []). split.
    + apply in_numbered. destruct (Nat.lt_ge_cases u (length l)) as [U|U]; [exact U|]. rewrite nth_overflow in F1 by
        lia.
      simpl in F1. lia.
    + cbn [fst snd]. apply in_map_iff. exists (a, successor l u a). split; [reflexivity|]. apply in_numbered. lia.
Qed.
Lemma sets_along_hold width levels : forall S l u x ks, sets_along width levels S = Some l -> In x (nth u S []) ->
  u < width -> length ks <= length levels -> Forall2 (fun a kl => a < snd (fst kl)) ks (firstn (length ks) levels) ->
  In (tracked_along levels x ks) (nth (node_after (map snd levels) u ks) (nth (length ks) l []) []) /\
  node_after (map snd levels) u ks < width /\
  Forall2 (fun e es => In e (edges_of es)) (walk_graph (map snd levels) u ks) (map snd (firstn (length ks) levels)) /\
  is_chain u (walk_graph (map snd levels) u ks) (node_after (map snd levels) u ks).
Proof.
  induction levels as [|kl levels IH]; intros S l u x ks E I U L F; cbn [sets_along] in E.
  - destruct ks; [|simpl in L; lia]. injection E as <-. cbn. repeat split; auto.
  - destruct (moved width (fst kl) (snd kl) S) as [S'|] eqn:M; [|discriminate].
    destruct (sets_along width levels S') as [l'|] eqn:R; [|discriminate]. injection E as <-.
    destruct ks as [|a ks]; [cbn; repeat split; auto|].
    cbn [length firstn] in F. inversion F as [|? ? ? ? A F']; subst.
    destruct (moved_spec width _ _ S S' u x a M I A) as (V & I' & Ed).
    destruct (IH S' l' (successor (snd kl) u a) (next_of (fst kl) x a) ks R I' V ltac:(simpl in L; lia) F')
      as (H1 & H2 & H3 & H4).
    cbn [map tracked_along node_after walk_graph length nth firstn]. split; [exact H1|]. split; [exact H2|].
    split; [now constructor|]. cbn [is_chain edge_source edge_target]. now split.
Qed.
End Sets.

(* ---- the check of one offset ---- *)
Definition row_dec (x y : logit_row) : {x = y} + {x <> y}.
Proof. apply list_eq_dec. intros [a [n d]] [a' [n' d']]. decide equality; [decide equality; [apply Pos.eq_dec|apply
  Z.eq_dec]|apply Nat.eq_dec]. Defined.
Section Check.
Variables B b : Z.                                                (* bits of balls, of forms *)
Variables (T : network_syntax) (c : claim_syntax).
Variables (before after : list step_syntax) (A : attention_parts) (m : machine) (k : tracking).
Notation letters := (length (claim_alphabet c)).
Notation next := (tracked_next c k).
Variable tail : list nat.                                         (* tokens after the letters, if logits are judged
    there *)
Section Offset.
Variable offset : nat.
Definition unit_levels (x : class_unit) : list (bool * nat * level) :=
  repeat (false, 1, [[0]]) (length (claim_before c)) ++ map (pair (true, letters)) (firstn (unit_last x) (unit_graph x))
  ++ map (pair (false, 1)) (firstn (length tail) (skipn (unit_last x) (unit_graph x))).
Definition token_rows (x : class_unit) : list (list nat) :=
  map (fun t => [t]) (claim_before c) ++ repeat (claim_tokens c) (unit_last x) ++ map (fun t => [t]) tail.
Definition table_of (P : prepared_attention) (p : Z) (rows : list (list nat)) : option (list (list choice)) :=
  traverse (fun jl => traverse (make_choice B before offset m P (fst jl)) (snd jl)) (numbered 0 rows).
(* Node v, entered by a choice. *)
Definition check_entry (P : prepared_attention) (p : Z) (width : nat) (columns : list column) (entered : list edge)
    (table : list (list choice)) (place v : nat) (rows : list logit_row) (box : exact_forms.box * cells)
    (ka : nat * choice) : bool :=
  match filter (fun e => (edge_target e =? v) && existsb (Nat.eqb (fst ka)) (edge_tokens e)) entered with
  | [] => true
  | l => within_states width l && check_class_query B b p A offset P (columns ++ [column_of width l]) v table place
      (snd ka)
      (claim_margin c) rows (fst box) (snd box)
  end.
Definition rows_of_set (set : list tracked) : list logit_row := nodup row_dec (flat_map (tracked_rows c k) set).
Fixpoint check_nodes (P : prepared_attention) (p : Z) (width : nat) (columns : list column) (entered : list edge)
    (table : list (list choice)) (place : nat) (own : list choice) (nodes : list (nat * list tracked))
    (boxes : list (exact_forms.box * cells)) : option (list (exact_forms.box * cells)) :=
  match nodes with
  | [] => Some boxes
  | (v, set) :: nodes =>
      match rows_of_set set with
      | [] => check_nodes P p width columns entered table place own nodes boxes
      | rows => match boxes with
          | box :: boxes =>
              if forallb (check_entry P p width columns entered table place v rows box) (numbered 0 own)
              then check_nodes P p width columns entered table place own nodes boxes else None
          | [] => None
          end
      end
  end.
Fixpoint check_positions (P : prepared_attention) (x : class_unit) (sets : list (list (list tracked)))
    (columns : list column) (table : list (list choice)) (ts : list nat) (boxes : list (exact_forms.box * cells)) :
        bool :=
  match ts with
  | [] => true
  | t :: ts =>
      let n := length (claim_before c) + t + length tail in
      let place := n - 1 in
      (1 <=? t) && match check_nodes P (unit_precision x) (unit_width x) (firstn place columns)
          (nth place (map (fun l => edges_of (snd l)) (unit_levels x)) []) (firstn n table) place (nth place table [])
          (numbered 0 (nth n sets [])) boxes with
        | Some boxes => check_positions P x sets columns table ts boxes
        | None => false
        end
  end.
Definition positions_of (x : class_unit) : list nat := seq (unit_first x) (S (unit_last x) - unit_first x).
Definition check_unit (x : class_unit) : bool :=
  (0 <=? unit_precision x)%Z && (length (unit_directions x) =? length (part_heads A)) && (1 <=? unit_width x)
  && (unit_last x + length tail <=? length (unit_graph x))
  && match tail with [] => true | _ => unit_first x =? unit_last x end
  && forallb (fun l => within_states (unit_width x) (edges_of (snd l))) (unit_levels x)
  && match prepare_attention B b (unit_precision x) T after A (unit_directions x) with
     | Some P => match table_of P (unit_precision x) (token_rows x), sets_along tracked_dec next (unit_width x)
         (unit_levels x) [[tracked_start c k]] with
         | Some table, Some sets => check_positions P x sets
             (map (fun l => column_of (unit_width x) (edges_of (snd l))) (unit_levels x)) table (positions_of x)
             (unit_boxes x)
         | _, _ => false
         end
     | None => false
     end.
(* All positions from `first` on to `last`. *)
Fixpoint check_class_units (first last : nat) (l : list class_unit) : bool :=
  match l with
  | [] => last <? first
  | x :: l => (unit_first x <=? first) && check_unit x && check_class_units (Nat.max first (S (unit_last x))) last l
  end.

(* ---- why it is right ---- *)
Hypothesis b_nonneg : (0 <= b)%Z.
Hypothesis b_less : (b <= B)%Z.
Hypothesis is_prepared : prepare T B B = Some m.
Hypothesis Causal : network_causal T = true.
Hypothesis Parts : around_attention (network_steps T) = Some (before, A, after).
Hypothesis All : tracks_all c k = true.
Hypothesis Alphabet : length (claim_tokens c) = letters.

Lemma check_nodes_hold P p width columns entered table place own nodes : forall boxes rest,
  check_nodes P p width columns entered table place own nodes boxes = Some rest -> forall v set, In (v, set) nodes ->
  rows_of_set set <> [] -> exists box,
  forallb (check_entry P p width columns entered table place v (rows_of_set set) box) (numbered 0 own) = true.
Proof.
  induction nodes as [|[v set] nodes IH]; intros boxes rest E v' set' I N; [easy|]. cbn [check_nodes] in E.
  destruct (rows_of_set set) as [|row rows] eqn:R.
  - destruct I as [[= <- <-]|I]; [congruence|]. now apply (IH boxes rest).
  - destruct boxes as [|box boxes]; [discriminate|]. rewrite <- R in E.
    destruct (forallb _ (numbered 0 own)) eqn:F in E; [|discriminate].
    destruct I as [[= <- <-]|I]; [now exists box|]. now apply (IH boxes rest).
Qed.
Lemma check_positions_hold P x sets columns table ts : forall boxes,
  check_positions P x sets columns table ts boxes = true -> forall t, In t ts ->
  let n := length (claim_before c) + t + length tail in
  let place := n - 1 in 1 <= t /\ forall v set, In (v, set) (numbered 0 (nth n sets [])) -> rows_of_set set <> [] ->
  exists box, forallb (check_entry P (unit_precision x) (unit_width x) (firstn place columns)
    (nth place (map (fun l => edges_of (snd l)) (unit_levels x)) []) (firstn n table) place v (rows_of_set set) box)
    (numbered 0 (nth place table [])) = true.
Proof.
  induction ts as [|t ts IH]; intros boxes E t' I; [easy|]. cbn [check_positions] in E. apply andb_prop in E as [L E].
  destruct (check_nodes _ _ _ _ _ _ _ _ _ _) as [rest|] eqn:N; [|discriminate].
  destruct I as [<-|I]; [|now apply (IH rest)]. split; [now apply Nat.leb_le|].
  intros v set I R. now apply (check_nodes_hold _ _ _ _ _ _ _ _ _ _ _ N).
Qed.
Lemma firstn_repeat {X} (x : X) n t : t <= n -> firstn t (repeat x n) = repeat x t.
Proof. revert t. induction n as [|n IH]; intros [|t] L; try reflexivity; [lia|]. cbn. f_equal. apply IH. lia. Qed.
Lemma firstn_parts {X} (a q z : list X) t : t <= length q -> z = [] \/ t = length q ->
  firstn (length a + t + length z) (a ++ q ++ z) = a ++ firstn t q ++ z.
Proof.
  intros L H. rewrite firstn_app, firstn_all2 by lia. f_equal.
  replace (length a + t + length z - length a) with (t + length z) by lia.
  destruct H as [->| ->]; rewrite ?app_nil_r; cbn [length]; rewrite ?Nat.add_0_r; [reflexivity|].
  rewrite firstn_all. apply firstn_all2. rewrite length_app. lia.
Qed.
Lemma walk_short levels : forall u ks, walk_graph (firstn (length ks) levels) u ks = walk_graph levels u ks.
Proof. induction levels as [|l levels IH]; intros u [|a ks]; simpl; try reflexivity. now rewrite IH. Qed.
Lemma along_short levels : forall x ks, tracked_along next (firstn (length ks) levels) x ks = tracked_along next
    levels x
  ks.
Proof. induction levels as [|l levels IH]; intros x [|a ks]; simpl; try reflexivity. now rewrite IH. Qed.
Lemma along_both l1 : forall k1 x l2 k2, length k1 = length l1 ->
  tracked_along next (l1 ++ l2) x (k1 ++ k2) = tracked_along next l2 (tracked_along next l1 x k1) k2.
Proof.
  induction l1 as [|l l1 IH]; intros [|a k1] x l2 k2 L; try discriminate; [reflexivity|]. cbn [app tracked_along].
  apply IH. simpl in L. lia.
Qed.
Lemma along_letters l : forall x ks, length ks = length l ->
  tracked_along next (map (pair (true, letters)) l) x ks = fold_left next ks x.
Proof.
  induction l as [|lv l IH]; intros x [|a ks] L; try discriminate; [reflexivity|]. cbn [map tracked_along fold_left].
  apply IH. simpl in L. lia.
Qed.
Lemma along_others l : Forall (fun kl => fst (fst kl) = false) l -> forall x ks, tracked_along next l x ks = x.
Proof.
  induction 1 as [|kl l F H IH]; intros x [|a ks]; try reflexivity. cbn [tracked_along]. rewrite IH. unfold next_of. now
    rewrite F.
Qed.
Lemma last_of_path (ls : list (list edge)) : forall es place u v, Forall2 (fun e l => In e l) es ls -> length ls = S
    place
  -> is_chain u es v -> exists es0 e, es = es0 ++ [e] /\ Forall2 (fun e l => In e l) es0 (firstn place ls) /\
  In e (nth place ls []) /\ edge_target e = v.
Proof.
  induction ls as [|l ls IH]; intros es place u v F L C; [discriminate|]. inversion F as [|e ? es' ? I F']; subst.
  destruct C as [_ C]. destruct place as [|place].
  - destruct ls; [|discriminate]. inversion F'; subst. exists [], e. repeat split; auto.
  - destruct (IH es' place _ v F' ltac:(simpl in L; lia) C) as (es0 & e' & -> & F0 & I0 & T0).
    exists (e :: es0), e'. repeat split; auto. cbn [firstn]. now constructor.
Qed.
Lemma picked_at {X} (table : list (list X)) : forall es xs, picked table es = Some xs -> forall j e, nth_error es j =
  Some e -> exists a, edge_tokens e = [a] /\ nth_error (nth j table []) a = nth_error xs j.
Proof.
  induction table as [|l table IH]; intros [|e0 es] xs E j e N; cbn [picked] in E; try discriminate;
    [now destruct j|].
  destruct (edge_tokens e0) as [|a [|]] eqn:Ek; try discriminate. destruct (nth_error l a) as [x|] eqn:Na;
      [|discriminate].
  destruct (picked table es) as [ys|] eqn:P; [|discriminate]. injection E as <-. destruct j as [|j].
  - injection N as <-. exists a. now split.
  - cbn [nth nth_error] in *. now apply (IH es ys P j e).
Qed.
Lemma table_of_spec P p Qs rows : forall table, prepare_attention B b p T after A Qs = Some P -> (0 <= p)%Z ->
  length Qs = length (part_heads A) -> table_of P p rows = Some table -> map (map choice_token) table = rows /\
  forall j x, In x (nth j table []) -> is_choice B p T before A offset Qs j x.
Proof.
  unfold table_of, numbered. intros table HP Hp HQ. cut (forall s, traverse (fun jl => traverse (make_choice B before
    offset m P (fst jl)) (snd jl)) (combine (seq s (length rows)) rows) = Some table ->
    map (map choice_token) table = rows /\ forall j x, In x (nth j table []) -> is_choice B p T before A offset Qs (s +
      j) x); [intros H E; exact (H 0 E)|].
  revert table. induction rows as [|l rows IH]; intros table s E; cbn [length seq combine traverse fst snd] in E.
  - injection E as <-. split; [reflexivity|]. intros [|j] x [].
  - destruct (traverse _ l) as [row|] eqn:R; [|discriminate].
    destruct (traverse _ (combine _ rows)) as [rest|] eqn:R'; [|discriminate]. injection E as <-.
    destruct (IH rest (S s) R') as [H1 H2].
    assert (Row : map choice_token row = l /\ forall x, In x row -> is_choice B p T before A offset Qs s x).
    { clear - R HP HQ b_nonneg b_less is_prepared. revert row R. induction l as [|t l IH]; intros row R; cbn
        [traverse] in
        R.
      - injection R as <-. split; [reflexivity|]. intros x [].
      - destruct (make_choice _ _ _ _ _ _ _) as [ch|] eqn:M; [|discriminate].
        destruct (traverse _ l) as [row'|]; [|discriminate]. injection R as <-.
        destruct (make_choice_is B b p b_nonneg b_less T before after A offset m is_prepared Qs P HP HQ s t ch M) as [C1
          C2].
        destruct (IH row' eq_refl) as [D1 D2]. split; [simpl; congruence|]. intros x [<-|I]; [exact C1|now apply D2]. }
    destruct Row as [Row1 Row2]. split; [simpl; congruence|]. intros [|j] x I; cbn [nth] in I.
    + rewrite Nat.add_0_r. now apply Row2.
    + rewrite Nat.add_succ_r. now apply H2.
Qed.

Lemma holds_of_tokens tokens rest chs place own row : length chs = S place -> map choice_token chs = tokens ->
  (forall d, nth place chs d = own) -> (Q2R (claim_margin c) < value_of_row row (logits_from T before after A offset
      place
    (choice_token own) (map (fun j => left_there T before A offset j (choice_token (nth j chs own)))
      (rev (seq 0 (S place))))))%R ->
  (Q2R (claim_margin c) < value_of_row row (nth place (network_logits T offset (tokens ++ rest)) []))%R.
Proof.
  intros L Toks Own Holds. assert (Lt : length tokens = S place) by (rewrite <- Toks; now rewrite length_map).
  assert (Tok : forall j, j < S place -> nth j (tokens ++ rest) 0 = choice_token (nth j chs own)).
  { intros j J. rewrite app_nth1 by lia. rewrite <- Toks.
    rewrite (nth_indep _ 0 (choice_token own)) by (rewrite length_map; lia). apply map_nth. }
  rewrite (logits_there T before after A offset Causal Parts) by (rewrite length_app; lia).
  rewrite Tok, Own by lia. erewrite map_ext_in; [exact Holds|]. intros j J. cbv beta. rewrite Tok; [reflexivity|].
  rewrite <- in_rev, in_seq in J. lia.
Qed.
(* What a word picks of the tables: its last choice, and the edge to its node. *)
Lemma last_choice n place table es tokens v (lists : list (list edge)) : n = S place -> n <= length lists ->
  picked (map (map choice_token) (firstn n table)) es = Some tokens ->
  Forall2 (fun e l => In e l) es (firstn n lists) -> is_chain 0 es v -> exists chs es0 e own a,
  picked (firstn n table) es = Some chs /\ map choice_token chs = tokens /\ es = es0 ++ [e] /\
  Forall2 (fun e l => In e l) es0 (firstn place lists) /\ In e (nth place lists []) /\ edge_target e = v /\
  edge_tokens e = [a] /\ nth_error (nth place table []) a = Some own /\ nth_error chs place = Some own.
Proof.
  intros SP LL PickT F C. destruct (picked_back _ _ _ _ PickT) as (chs & Picked & Toks). clear PickT.
  destruct (last_of_path (firstn n lists) es place 0 v) as (es0 & e & Ees & F0 & I0 & T0); auto.
  { rewrite firstn_length. lia. }
  rewrite firstn_firstn in F0. replace (Nat.min place n) with place in F0 by lia.
  assert (Le0 : length es0 = place) by (rewrite (Forall2_same_length _ _ _ F0), firstn_length; lia).
  destruct (picked_at _ _ _ Picked place e) as (a & Ea & Na).
  { rewrite Ees, nth_error_app2 by lia. now replace (place - length es0) with 0 by lia. }
  destruct (picked_length _ _ _ Picked) as [Lc Le]. rewrite Ees, length_app in Le. cbn [length] in Le.
  destruct (nth_error chs place) as [own|] eqn:Own; [|apply nth_error_None in Own; lia].
  assert (Nt : nth place (firstn n table) [] = nth place table []).
  { rewrite <- (firstn_skipn n table) at 2. rewrite app_nth1; [reflexivity|]. lia. }
  rewrite Nt in Na. exists chs, es0, e, own, a. repeat split; auto.
  rewrite <- (firstn_skipn n lists). rewrite app_nth1; [exact I0|]. rewrite firstn_length. lia.
Qed.
Lemma entries_hold x P table n es v tokens rest rows box row : (0 <= unit_precision x)%Z ->
  length (unit_directions x) = length (part_heads A) ->
  prepare_attention B b (unit_precision x) T after A (unit_directions x) = Some P ->
  table_of P (unit_precision x) (token_rows x) = Some table ->
  forallb (fun l => within_states (unit_width x) (edges_of (snd l))) (unit_levels x) = true ->
  1 <= n <= length (unit_levels x) -> length tokens = n -> picked (firstn n (token_rows x)) es = Some tokens ->
  Forall2 (fun e l => In e l) es (firstn n (map (fun l => edges_of (snd l)) (unit_levels x))) -> is_chain 0 es v ->
  forallb (check_entry P (unit_precision x) (unit_width x)
    (firstn (n - 1) (map (fun l => column_of (unit_width x) (edges_of (snd l))) (unit_levels x)))
    (nth (n - 1) (map (fun l => edges_of (snd l)) (unit_levels x)) []) (firstn n table) (n - 1) v rows box)
    (numbered 0 (nth (n - 1) table [])) = true -> In row rows ->
  (Q2R (claim_margin c) < value_of_row row (nth (n - 1) (network_logits T offset (tokens ++ rest)) []))%R.
Proof.
  intros Hp HQ HP Tb Inside N Lt PickT F C Entries RowIn. set (place := n - 1) in *.
  assert (SP : n = S place) by (unfold place; lia).
  destruct (table_of_spec P (unit_precision x) (unit_directions x) (token_rows x) table HP Hp HQ Tb) as [Tb1 Tb2].
  set (lists := map (fun l => edges_of (snd l)) (unit_levels x)) in *.
  rewrite <- Tb1, firstn_map in PickT.
  destruct (last_choice n place table es tokens v lists SP ltac:(unfold lists; rewrite length_map; lia) PickT F C)
    as (chs & es0 & e & own & a & Picked & Toks & Ees & F0 & I0 & T0 & Ea & Na & Own).
  assert (Lc : length chs = n) by (rewrite <- (length_map choice_token), Toks; exact Lt).
  assert (Own' : forall d, nth place chs d = own) by (intros d; now apply nth_error_nth).
  assert (LF : length (firstn n table) = n) by (destruct (picked_length _ _ _ Picked); lia).
  assert (Choices : forall j, j <= place -> is_choice B (unit_precision x) T before A offset (unit_directions x) j
      (nth j
    chs own)).
  { intros j J. pose proof (picked_in (firstn n table) own es chs Picked j ltac:(lia)) as I.
    apply Tb2. rewrite <- (firstn_skipn n table), app_nth1 by lia. exact I. }
  rewrite forallb_forall in Entries. specialize (Entries (a, own)).
  assert (In_own : In (a, own) (numbered 0 (nth place table []))).
  { apply (nth_error_In _ a). rewrite numbered_nth, Na. reflexivity. }
  specialize (Entries In_own). unfold check_entry in Entries. cbn [fst snd] in Entries.
  set (entered := filter _ _) in Entries.
  assert (Ie : In e entered).
  { unfold entered. apply filter_In. split; [exact I0|]. rewrite T0, Nat.eqb_refl, Ea. cbn [existsb].
    now rewrite Nat.eqb_refl. }
  assert (Q : within_states (unit_width x) entered && check_class_query B b (unit_precision x) A offset P
    (map (column_of (unit_width x)) (firstn place lists ++ [entered])) v (firstn n table) place own (claim_margin c)
        rows
    (fst box) (snd box) = true).
  { rewrite map_app, <- firstn_map. unfold lists. rewrite map_map. cbn [map]. now destruct entered. }
  clear Entries. apply andb_prop in Q as [Win Q].
  assert (Cap : ball_network.is_cap (part_cap A) = true).
  { unfold check_class_query in Q. apply andb_prop in Q as [Q _]. now apply andb_prop in Q as [Q _]. }
  assert (Path : is_path (firstn place lists ++ [entered]) es).
  { rewrite Ees. apply Forall2_app; [clear - F0; induction F0; constructor; auto|now repeat constructor]. }
  assert (W : forallb (within_states (unit_width x)) (firstn place lists ++ [entered]) = true).
  { apply forallb_forall. intros l I. apply in_app_or in I as [I|[<-|[]]]; [|exact Win].
    rewrite forallb_forall in Inside. unfold lists in I. rewrite firstn_map in I. apply in_map_iff in I as (kl & <-
        & I).
    apply Inside. rewrite <- (firstn_skipn place (unit_levels x)). apply in_or_app. now left. }
  pose proof (check_class_query_holds B b (unit_precision x) b_nonneg Hp b_less T before after A offset (unit_directions
    x) P HP HQ (unit_width x) v (firstn place lists ++ [entered]) es (firstn n table) chs place own Path W
    ltac:(rewrite length_app, LF, firstn_length; unfold lists; rewrite length_map; cbn [length]; lia) C Picked
    ltac:(lia) (Own' own) Choices Cap _ _ _ _ Q row RowIn) as Holds.
  apply (holds_of_tokens tokens rest chs place own row); auto. lia.
Qed.
(* ---- the first letters of a word, with what is before and after them ---- *)
Section Beginning.
Variables (x : class_unit) (u : list nat).
Notation t := (length u).
Notation n := (length (claim_before c) + t + length tail).
Notation ks := (repeat 0 (length (claim_before c)) ++ u ++ repeat 0 (length tail)).
Lemma beginning_length : length ks = n. Proof. rewrite !length_app, !repeat_length. lia. Qed.
Hypothesis Letters : Forall (fun a => a < letters) u.
Hypothesis Upto : t <= unit_last x.
Hypothesis Graph : unit_last x + length tail <= length (unit_graph x).
Hypothesis Tail : tail = [] \/ t = unit_last x.
Lemma tokens_chosen : chosen (firstn n (token_rows x)) ks (claim_before c ++ map (token_of c) u ++ tail).
Proof using All.
  assert (Rows : firstn n (token_rows x) = map (fun t => [t]) (claim_before c) ++ repeat (claim_tokens c) t ++
    map (fun t => [t]) tail).
  { unfold token_rows. rewrite <- (length_map (fun t => [t]) (claim_before c)).
    rewrite <- (length_map (fun t => [t]) tail) at 1. rewrite firstn_parts.
    - rewrite firstn_repeat by lia. reflexivity.
    - rewrite repeat_length. lia.
    - rewrite repeat_length. destruct Tail as [->|]; [now left|now right]. }
  rewrite Rows. apply chosen_both; [apply chosen_alone|]. apply chosen_both; [|apply chosen_alone].
  clear - Letters Alphabet. induction Letters as [|a l L F IH]; simpl; constructor; auto.
  unfold token_of. apply nth_error_nth'. congruence.
Qed.
Lemma levels_there : firstn n (unit_levels x) = repeat (false, 1, [[0]]) (length (claim_before c)) ++
  map (pair (true, letters)) (firstn t (unit_graph x)) ++
  map (pair (false, 1)) (firstn (length tail) (skipn (unit_last x) (unit_graph x))).
Proof using All.
  unfold unit_levels. rewrite <- (repeat_length (false, 1, [[0]]) (length (claim_before c))) at 1.
  assert (LT : length (map (pair (false, 1)) (firstn (length tail) (skipn (unit_last x) (unit_graph x)))) = length
    tail) by (rewrite length_map, firstn_length, skipn_length; lia).
  rewrite <- LT at 1. rewrite firstn_parts.
  - rewrite firstn_map, firstn_firstn. now replace (Nat.min t (unit_last x)) with t by lia.
  - rewrite length_map, firstn_length. lia.
  - rewrite length_map, firstn_length. destruct Tail as [->|]; [now left|right; lia].
Qed.
Lemma levels_enough : n <= length (unit_levels x).
Proof using All. unfold unit_levels. rewrite !length_app, repeat_length, !length_map, !firstn_length, skipn_length.
    lia. Qed.
Lemma choices_valid : Forall2 (fun a kl => a < snd (fst kl)) ks (firstn (length ks) (unit_levels x)).
Proof using All.
  rewrite beginning_length, levels_there. apply Forall2_app; [|apply Forall2_app].
  - clear. induction (length (claim_before c)); simpl; constructor; auto.
  - assert (Lg : length (firstn t (unit_graph x)) = t) by (rewrite firstn_length; lia).
    clear - Letters Lg. revert Lg. generalize (firstn t (unit_graph x)) as g. induction Letters as [|a l L F IH];
      intros [|lv g] Lg; try discriminate; simpl; constructor; auto.
  - assert (Lg : length (firstn (length tail) (skipn (unit_last x) (unit_graph x))) = length tail)
      by (rewrite firstn_length, skipn_length; lia).
    clear - Lg. revert Lg. generalize (firstn (length tail) (skipn (unit_last x) (unit_graph x))) as g.
    induction tail as [|y l IH]; intros [|lv g] Lg; try discriminate; simpl; constructor; auto.
Qed.
Lemma tracked_beginning : tracked_along next (unit_levels x) (tracked_start c k) ks =
  fold_left next u (tracked_start c k).
Proof using All.
  rewrite <- along_short, beginning_length, levels_there. rewrite along_both by now rewrite !repeat_length.
  rewrite (along_others (repeat (false, 1, [[0]]) _)) by (apply Forall_forall; intros kl I; apply repeat_spec in I;
    now rewrite I).
  rewrite along_both by (rewrite length_map, firstn_length; lia).
  rewrite along_letters by (rewrite firstn_length; lia).
  apply along_others. apply Forall_forall. intros kl I. apply in_map_iff in I as (lv & <- & _). reflexivity.
Qed.
End Beginning.
Theorem check_unit_holds x w t rest : check_unit x = true -> unit_first x <= t <= unit_last x -> t <= length w ->
  Forall (fun a => a < letters) w -> forall row, In row (rows_at c w t) ->
  (Q2R (claim_margin c) < value_of_row row (nth (length (claim_before c) + t + length tail - 1) (network_logits T offset
    ((claim_before c ++ map (token_of c) (firstn t w) ++ tail) ++ rest)) []))%R.
Proof.
  unfold check_unit. intros E Between Upto Letters row Row. repeat (apply andb_prop in E as [E ?H]).
  apply Z.leb_le in E. rename E into Hp. rename H4 into HQ. apply Nat.eqb_eq in HQ. apply Nat.leb_le in H3, H2.
  rename H0 into Inside. rename H into E. rename H1 into OneTail.
  destruct (prepare_attention _ _ _ _ _ _ _) as [P|] eqn:HP; [|discriminate].
  destruct (table_of _ _ _) as [table|] eqn:Tb; [|discriminate].
  destruct (sets_along _ _ _ _ _) as [sets|] eqn:Sets; [|discriminate].
  assert (Tail : tail = [] \/ t = unit_last x).
  { destruct tail; [now left|]. apply Nat.eqb_eq in OneTail. right. lia. }
  destruct (check_positions_hold _ _ _ _ _ _ _ E t) as [T1 Nodes].
  { unfold positions_of. apply in_seq. lia. }
  assert (Lu : length (firstn t w) = t) by (rewrite firstn_length; lia).
  assert (Lu' : Forall (fun a => a < letters) (firstn t w)).
  { rewrite <- (firstn_skipn t w) in Letters. now apply Forall_app in Letters. }
  set (u := firstn t w) in *. set (ks := repeat 0 (length (claim_before c)) ++ u ++ repeat 0 (length tail)).
  assert (Upto' : length u <= unit_last x) by lia. assert (Tail' : tail = [] \/ length u = unit_last x) by now
      rewrite Lu.
  pose proof (beginning_length u) as Lk. pose proof (tokens_chosen x u Lu' Upto' H2 Tail') as Ch.
  pose proof (choices_valid x u Lu' Upto' H2 Tail') as Valid. pose proof (levels_enough x u Lu' Upto' H2 Tail') as LL.
  pose proof (tracked_beginning x u Lu' Upto' H2 Tail') as Tr. fold ks in Lk, Ch, Valid, Tr.
  rewrite Lu in Lk, Ch, LL. set (n := length (claim_before c) + t + length tail) in *.
  destruct (sets_along_hold tracked_dec next (unit_width x) (unit_levels x) _ sets 0 (tracked_start c k) ks Sets
    ltac:(now left) ltac:(lia) ltac:(lia) Valid) as (H1 & _ & H3' & H4').
  rewrite Tr, Lk in H1. rewrite Lk in H3'.
  set (v := node_after (map snd (unit_levels x)) 0 ks) in *. set (set := nth v (nth n sets []) []) in *.
  assert (RowIn : In row (rows_of_set set)).
  { unfold rows_of_set. apply nodup_In, in_flat_map. exists (fold_left next u (tracked_start c k)). split; [exact H1|].
    unfold u. rewrite tracked_rows_are by (auto; lia). exact Row. }
  assert (Node : In (v, set) (numbered 0 (nth n sets []))) by (apply in_numbered, (nonempty_inside _ _ _ H1)).
  destruct (Nodes v set Node) as (box & Entries); [intros R; now rewrite R in RowIn|].
  destruct (chosen_lengths _ _ _ Ch) as [C1 C2].
  refine (entries_hold x P table n _ v _ rest (rows_of_set set) box row Hp HQ HP Tb Inside _ _ _ _ H4' Entries RowIn).
  - lia.
  - lia.
  - rewrite <- walk_short, Lk. apply chosen_picked; [exact Ch|]. rewrite firstn_length, length_map. lia.
  - rewrite firstn_map. rewrite <- (map_map snd edges_of). clear - H3'. induction H3'; simpl; constructor; auto.
Qed.
Theorem check_class_units_hold w t rest last l : forall first, check_class_units first last l = true -> first <= t
    <= last ->
  t <= length w -> Forall (fun a => a < letters) w -> forall row, In row (rows_at c w t) ->
  (Q2R (claim_margin c) < value_of_row row (nth (length (claim_before c) + t + length tail - 1) (network_logits T offset
    ((claim_before c ++ map (token_of c) (firstn t w) ++ tail) ++ rest)) []))%R.
Proof.
  induction l as [|x l IH]; intros first E Between Upto Letters row Row; cbn [check_class_units] in E.
  - apply Nat.ltb_lt in E. lia.
  - apply andb_prop in E as [E R]. apply andb_prop in E as [F E]. apply Nat.leb_le in F.
    destruct (Nat.le_gt_cases t (unit_last x)) as [L|L].
    + apply (check_unit_holds x w t rest); auto; lia.
    + apply (IH (Nat.max first (S (unit_last x)))); auto. lia.
Qed.
End Offset.
End Check.
