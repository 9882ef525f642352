(* What the directions of a draft hold, kept by every operation on drafts.

   `sound d`: in the network of d, at every stage from its own on, every direction holds what its fact says, whatever
   the length and the word; nothing divides by zero. Proved: an operation keeps it if what is written means what it is
   said to mean wherever the directions that the part reads mean what they do (`add_head_sound`,
   `add_feed_forward_sound`, `add_position_sound`, `add_tokens_sound`); and a finished draft whose output is the truth
   of a formula computes it (`finish_computes`). *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia Arith.
From Certify Require Import positions lists finite_sums softmax formula network linear_combination meaning
  expression_bounds well_defined check_defined draft draft_stages.
Import ListNotations PositionNotations.
Open Scope R_scope.

(* ---- what a draft says ---- *)
Definition draft_holds (d : draft) (x : direction) (m : meaning) : Prop :=
  exists e, nth_error (draft_facts d) x = Some e /\ fact_meaning e = m.
Definition draft_extends (d d' : draft) : Prop := exists l, draft_facts d' = draft_facts d ++ l.
Definition rows_mentioned (rows : list row) : list direction := map fst (concat rows).

Lemma extends_refl d : draft_extends d d. Proof. exists []. now rewrite app_nil_r. Qed.
Lemma extends_trans d d' d'' : draft_extends d d' -> draft_extends d' d'' -> draft_extends d d''.
Proof. intros [l E] [m G]. exists (l ++ m). now rewrite G, E, app_assoc. Qed.

Lemma holds_below d x m : draft_holds d x m -> (x < new_direction d)%nat.
Proof. intros (e & E & _). apply nth_error_Some. congruence. Qed.

Lemma holds_extends d d' x m : draft_extends d d' -> draft_holds d x m -> draft_holds d' x m.
Proof.
  intros [l E] H. pose proof (holds_below _ _ _ H) as L. destruct H as (e & H & M). exists e. split; [|exact M].
  now rewrite E, nth_error_app1.
Qed.

Lemma find_from_correct test l : forall x y, find_from test x l = Some y ->
  exists e, nth_error l (y - x) = Some e /\ test e = true /\ (x <= y)%nat.
Proof.
  induction l as [|e l IH]; intros x y; simpl; [discriminate|]. destruct (test e) eqn:T.
  - intros [= <-]. exists e. rewrite Nat.sub_diag. now repeat split.
  - intros H. destruct (IH _ _ H) as (f & N & Tf & L). exists f. replace (y - x)%nat with (S (y - S x)) by lia.
    repeat split; [exact N|exact Tf|lia].
Qed.

Lemma find_fact_correct d test x : find_fact d test = Some x ->
  exists e, nth_error (draft_facts d) x = Some e /\ test e = true.
Proof. intros H. destruct (find_from_correct _ _ _ _ H) as (e & N & T & _). rewrite Nat.sub_0_r in N. now exists e. Qed.

Lemma find_truth_correct d f x : find_truth d f = Some x -> draft_holds d x (IsTruth f).
Proof.
  intros H. destruct (find_fact_correct _ _ _ H) as (e & N & T). exists e. split; [exact N|].
  unfold is_truth_of in T. destruct (fact_meaning e); try discriminate. apply formula_eqb_eq in T. now subst.
Qed.

Lemma is_position_of_eq p e : is_position_of p e = true -> fact_meaning e = IsPosition p.
Proof.
  unfold is_position_of. destruct (fact_meaning e); try discriminate. intros H. apply position_function_eqb_eq in H.
  now subst.
Qed.
Lemma is_mean_of_eq s f e : is_mean_of s f e = true -> fact_meaning e = IsMean s f.
Proof.
  unfold is_mean_of. destruct (fact_meaning e); try discriminate. intros H. apply andb_prop in H as [A B].
  apply side_eqb_eq in A. apply formula_eqb_eq in B. now subst.
Qed.
Lemma is_product_of_eq x f e : is_product_of x f e = true -> fact_meaning e = IsProduct x f.
Proof.
  unfold is_product_of. destruct (fact_meaning e); try discriminate. intros H. apply andb_prop in H as [A B].
  apply expression_eqb_eq in A. apply formula_eqb_eq in B. now subst.
Qed.

(* ---- mentioned directions ---- *)
Lemma mentioned_row rows r x q : In r rows -> In (x, q) r -> In x (rows_mentioned rows).
Proof.
  intros Hr Hx. unfold rows_mentioned. apply in_map_iff. exists (x, q). split; [reflexivity|].
  apply in_concat. now exists r.
Qed.

Lemma mentioned_below F rows : (forall x, In x (rows_mentioned rows) -> (x < F)%nat) <-> Forall (row_below F) rows.
Proof.
  split.
  - intros H. apply Forall_forall. intros r Hr. apply Forall_forall. intros [x q] Hx.
    apply H. now apply (mentioned_row rows r x q).
  - intros H x Hx. apply in_map_iff in Hx as ([y q] & <- & Hy). apply in_concat in Hy as (r & Hr & Hy).
    rewrite Forall_forall in H. specialize (H r Hr). unfold row_below in H. rewrite Forall_forall in H. exact (H _ Hy).
Qed.

Lemma stage_mentioned d rows x : In x (rows_mentioned rows) -> (stage_of d x <= latest_stage d rows)%nat.
Proof.
  intros H. apply in_map_iff in H as ([y q] & <- & Hy). apply in_concat in Hy as (r & Hr & Hy). cbn [fst].
  induction rows as [|r' rows IH]; [destruct Hr|]. cbn [latest_stage fold_right]. fold (latest_stage d rows).
  assert (Grow : forall (r : row) s, (s <= fold_right (fun e t => Nat.max (stage_of d (fst e)) t) s r)%nat).
  { clear. induction r as [|e r IH]; intros s; simpl; [lia|]. specialize (IH s). lia. }
  destruct Hr as [->|Hr]; [|eapply Nat.le_trans; [apply IH, Hr|apply Grow]].
  clear IH. induction r as [|e r IH]; [destruct Hy|]. cbn [fold_right].
  destruct Hy as [->|Hy]; [simpl; lia|]. specialize (IH Hy). lia.
Qed.

(* ---- soundness ---- *)
Definition fact_in_range (k : nat) (d : draft) : Prop := length (draft_tokens d) = k /\
  Forall (row_below (new_direction d)) (draft_tokens d) /\ Forall (fun e =>
  (fst e < new_direction d)%nat) (draft_positions d) /\ Forall (layer_below (new_direction d)) (draft_layers d).

Section Sound.
Variables (users : predicate_meanings) (k : nat).

Definition draft_stream (d : draft) (n : nat) (w : word) (s : nat) : nat -> vector :=
  halfway n (draft_layers d) (embed users (finish_draft d 0%nat) n w) s.
Definition word_over (n : nat) (w : word) : Prop := each i upto n, (w i < k)%nat.

Record is_sound (d : draft) : Prop := {
  sound_range : fact_in_range k d;
  sound_defined : well_defined (finish_draft d 0%nat) = true;
  sound_facts : forall n w, word_over n w -> forall x e, nth_error (draft_facts d) x = Some e ->
    forall s, (fact_stage e <= s)%nat -> forall i : position n,
    meaning_holds users n w i (fact_meaning e) (draft_stream d n w s i x) }.

(* The directions of these rows hold at h what the draft says. *)
Definition read_at (d : draft) (rows : list row) (n : nat) (w : word) (h : nat -> vector) : Prop :=
  forall x m, draft_holds d x m -> In x (rows_mentioned rows) -> each i upto n, meaning_holds users n w i m (h i x).

(* The same at one position, which is all that a feed-forward part sees. *)
Definition read_here (d : draft) (rows : list row) (n : nat) (w : word) (i : nat) (v : vector) : Prop :=
  forall x m, draft_holds d x m -> In x (rows_mentioned rows) -> meaning_holds users n w i m (v x).

Lemma sound_reads d rows n w s : is_sound d -> word_over n w -> (latest_stage d rows <= s)%nat ->
  read_at d rows n w (draft_stream d n w s).
Proof.
  intros [_ _ S] Ov L x m (e & E & <-) H. apply each_position. intros i. apply (S n w Ov x e E).
  pose proof (stage_mentioned d rows x H) as G. unfold stage_of in G. rewrite E in G. lia.
Qed.

Lemma empty_sound : is_sound (empty_draft k).
Proof.
  split.
  - unfold fact_in_range. simpl. rewrite repeat_length. repeat split; try constructor.
    apply Forall_forall. intros r Hr. apply repeat_spec in Hr as ->. constructor.
  - reflexivity.
  - intros n w _ x e E. destruct x; discriminate.
Qed.

(* Nothing is embedded in directions that do not exist. *)
Lemma embed_beyond d n w i x : fact_in_range k d -> (new_direction d <= x)%nat -> embed users (finish_draft d 0%nat) n w
  i x = 0.
Proof.
  intros (_ & T & P & _) L. unfold embed. cbn [finish_draft token_embedding position_embedding].
  rewrite (collect_beyond _ (new_direction d) _ x P L). unfold row_entry.
  rewrite (collect_beyond _ (new_direction d) _ x); [lra| |exact L].
  destruct (nth_in_or_default (w i) (draft_tokens d) []) as [I|E]; [|rewrite E; constructor].
  rewrite Forall_forall in T. now apply T.
Qed.

Lemma below_map {X} (f : X -> nat) F G l : (F <= G)%nat -> Forall (fun e => (f e < F)%nat) l ->
  Forall (fun e => (f e < G)%nat) l.
Proof. intros L. apply Forall_impl. intros. lia. Qed.

(* ---- an embedded direction ---- *)
Lemma embedded_sound d d' m : is_sound d -> fact_in_range k d' -> well_defined (finish_draft d' 0%nat) = true ->
  draft_facts d' = draft_facts d ++ [DraftFact m 0 0] -> draft_layers d' = draft_layers d -> (forall n w i x,
  (x < new_direction d)%nat -> embed users (finish_draft d' 0%nat) n w i x = embed users (finish_draft d 0%nat) n w i x)
  -> (forall n w (i : position n), word_over n w -> meaning_holds users n w i m (embed users (finish_draft d' 0%nat)
  n w i (new_direction d))) -> is_sound d' /\ draft_extends d d' /\ draft_holds d' (new_direction d) m.
Proof.
  intros [(Lk & T & P & La) Df S] R' Df' Fa Ls Old New.
  assert (Ag : forall n w s, agree_below (new_direction d) (draft_stream d n w s) (draft_stream d' n w s)).
  { intros n w s. unfold draft_stream. rewrite Ls. apply (extension_agrees n _ _ _ _ _ true 0%nat (fun _ _ _ => 0) La).
    - intros i x Hx. now rewrite Old.
    - intros b j h i x. destruct (_ && _); lra.
    - reflexivity. }
  split; [|split].
  - split; [exact R'|exact Df'|]. intros n w Ov x e E s Hs i. rewrite Fa in E.
    destruct (Nat.lt_ge_cases x (new_direction d)) as [L|L].
    + rewrite nth_error_app1 in E by exact L. rewrite <- (Ag n w s i x L). now apply (S n w Ov x e E).
    + rewrite nth_error_app2 in E by exact L. assert (X : x = new_direction d).
      { assert (x - length (draft_facts d) < 1)%nat by (apply (nth_error_Some [DraftFact m 0 0]); congruence).
        unfold new_direction in *. lia. }
      subst x. unfold new_direction in E. rewrite Nat.sub_diag in E. injection E as <-. cbn [fact_meaning].
      unfold draft_stream. rewrite Ls, (halfway_outside n (new_direction d)) by (exact La || lia). now apply New.
  - now exists [DraftFact m 0 0].
  - exists (DraftFact m 0 0). split; [|reflexivity]. now rewrite Fa, nth_error_app2, Nat.sub_diag by apply le_n.
Qed.

(* It has a value, and a positive one, at every position. *)
Definition temperature_fits (x : expression) : bool := always_has_value 1 x && surely_positive 1 x.
Definition function_defined (p : position_function) : bool :=
  match p with Formula x => always_has_value 1 x | Bracket _ _ => true end.

Lemma add_position_sound d m p d' x : add_position d m p = (d', x) -> is_sound d -> function_defined p = true ->
  (forall n w (i : position n), meaning_holds users n w i m (position_value users p n i)) ->
  is_sound d' /\ draft_extends d d' /\ draft_holds d' x m.
Proof.
  intros [= <- <-] Sd Dp M. pose proof Sd as [R Df _]. pose proof R as (Lk & T & P & La).
  assert (Fr : new_direction (Draft (draft_facts d ++ [DraftFact m 0 0]) (draft_tokens d) (draft_positions d ++
    [(new_direction d, p)]) (draft_layers d)) = S (new_direction d)) by (unfold new_direction; simpl;
    rewrite length_app; simpl; lia). apply embedded_sound; auto.
  - unfold fact_in_range. rewrite Fr. cbn [draft_tokens draft_positions draft_layers].
    split; [exact Lk|split; [|split]].
    + revert T. apply rows_below_more. lia.
    + apply Forall_app. split; [revert P; apply below_map; lia|]. constructor; [simpl; lia|constructor].
    + revert La. apply Forall_impl. intros l. apply layer_below_more. lia.
  - unfold well_defined, well_defined_from in *.
    cbn [finish_draft position_embedding transformer_layers draft_positions draft_layers] in *.
    apply andb_prop in Df as [D1 D2]. rewrite forallb_app, D1, D2. cbn [forallb snd]. fold (function_defined p).
    now rewrite Dp.
  - intros n w i x Hx. unfold embed. cbn [finish_draft token_embedding position_embedding draft_tokens draft_positions].
    rewrite collect_appended. cbn [collect]. rewrite (proj2 (Nat.eqb_neq (new_direction d) x)) by lia. lra.
  - intros n w i Ov. pose proof (embed_beyond d n w i (new_direction d) R (le_n _)) as Z. unfold embed in *.
    cbn [finish_draft token_embedding position_embedding draft_tokens draft_positions] in *. rewrite collect_appended.
    cbn [collect]. rewrite Nat.eqb_refl.
    match goal with |- meaning_holds _ _ _ _ _ ?v => replace v with (position_value users p n i) by lra end.
    now apply M.
Qed.

Lemma nth_set_tokens y at_symbol rows : forall a j, nth j (set_tokens y at_symbol a rows) []
  = if (j <? length rows)%nat && at_symbol (a + j)%nat then nth j rows [] ++ [(y, 1%Q)] else nth j rows [].
Proof.
  induction rows as [|r rows IH]; intros a j; [now destruct j|]. destruct j as [|j]; cbn [set_tokens nth length].
  - rewrite Nat.add_0_r. cbn. now destruct (at_symbol a).
  - rewrite IH. replace (a + S j)%nat with (S a + j)%nat by lia. reflexivity.
Qed.

Lemma set_tokens_below y at_symbol F rows : Forall (row_below F) rows -> (y < F)%nat -> forall a,
  Forall (row_below F) (set_tokens y at_symbol a rows) /\ length (set_tokens y at_symbol a rows) = length rows.
Proof.
  intros H L. induction H as [|r rows Hr H IH]; intros a; [split; constructor|]. destruct (IH (S a)) as [A B].
  cbn [set_tokens length]. rewrite B. split; [|reflexivity]. constructor; [|exact A].
  destruct (at_symbol a); [|exact Hr]. apply Forall_app. split; [exact Hr|]. now constructor.
Qed.

Lemma add_tokens_sound d m at_symbol d' x : add_tokens d m at_symbol = (d', x) -> is_sound d ->
  (forall n w (i : position n), word_over n w -> meaning_holds users n w i m (bit (at_symbol (w i)))) ->
  is_sound d' /\ draft_extends d d' /\ draft_holds d' x m.
Proof.
  intros [= <- <-] Sd M. pose proof Sd as [R Df _]. pose proof R as (Lk & T & P & La). set (d' := Draft _ _ _ _).
  assert (Fr : new_direction d' = S (new_direction d)) by (unfold new_direction, d'; simpl; rewrite length_app; simpl;
    lia).
  assert (Row : forall n w i x, embed users (finish_draft d' 0%nat) n w i x = embed users (finish_draft d 0%nat) n w i x
    + (if (w i <? length (draft_tokens d))%nat && at_symbol (w i) && (new_direction d =? x)%nat then 1 else 0)).
  { intros n w i x. unfold embed, d'. cbn [finish_draft token_embedding position_embedding draft_tokens
      draft_positions].
    rewrite nth_set_tokens. cbn [Nat.add]. destruct (_ && at_symbol (w i)); [|simpl; lra]. unfold row_entry.
    rewrite collect_appended. cbn [collect andb]. rewrite Q2R_1. destruct (new_direction d =? x)%nat; lra. }
  apply embedded_sound; auto.
  - unfold fact_in_range. rewrite Fr. cbn [draft_tokens draft_positions draft_layers d'].
    destruct (set_tokens_below (new_direction d) at_symbol (S (new_direction d)) (draft_tokens d) (rows_below_more _ (S
      (new_direction d)) _ (le_S _ _ (le_n _)) T) (le_n _) 0%nat) as [A B]. split; [congruence|split; [exact A|split]].
    + revert P. apply below_map. lia.
    + revert La. apply Forall_impl. intros l. apply layer_below_more. lia.
  - intros n w i x Hx. rewrite Row, (proj2 (Nat.eqb_neq (new_direction d) x)), andb_false_r by lia. lra.
  - intros n w i Ov. rewrite Row, (embed_beyond d) by (exact R || lia). rewrite Nat.eqb_refl, andb_true_r.
    rewrite (proj2 (Nat.ltb_lt _ _)) by (rewrite Lk; now apply Ov). cbn [andb].
    match goal with |- meaning_holds _ _ _ _ _ ?v => replace v with (bit (at_symbol (w i))) end; [now apply M|].
    destruct (at_symbol (w i)); simpl; lra.
Qed.
(* ---- a part in a layer ---- *)
Lemma part_sound d d' heads l (part : nat -> (nat -> vector) -> nat -> vector) rows new : is_sound d -> fact_in_range k
  d' -> well_defined (finish_draft d' 0%nat) = true -> draft_facts d' = draft_facts d ++ new -> draft_tokens d'
  = draft_tokens d -> draft_positions d' = draft_positions d -> (forall n b j h i x, half_layer_output n b (nth j
  (draft_layers d') empty_layer) h i x = half_layer_output n b (nth j (draft_layers d) empty_layer) h i x + (if eqb b
  heads && (j =? l)%nat then part n h i x else 0)) -> (forall n h i x, (x < new_direction d)%nat -> part n h i x = 0) ->
  (latest_stage d rows <= stage_before heads l)%nat -> (forall j e, nth_error new j = Some e -> (stage_before heads l
  < fact_stage e)%nat /\ forall n w h (i : position n), word_over n w -> read_at d rows n w h -> meaning_holds users n w
  i (fact_meaning e) (part n h i (new_direction d + j)%nat)) -> is_sound d' /\ draft_extends d d'.
Proof.
  intros Sd R' Df' Fa To Po Part Writes La New. pose proof Sd as [R _ S]. pose proof R as (_ & _ & _ & Be).
  assert (Em : forall n w, embed users (finish_draft d' 0%nat) n w = embed users (finish_draft d 0%nat) n w).
  { intros n w. unfold embed. cbn [finish_draft token_embedding position_embedding]. now rewrite To, Po. }
  assert (Ag : forall n w s, agree_below (new_direction d) (draft_stream d n w s) (draft_stream d' n w s)).
  { intros n w s. unfold draft_stream. rewrite Em.
    apply (extension_agrees n _ _ _ _ _ heads l (part n) Be); [now intros ? ? ?|apply Part|apply Writes]. }
  split; [|now exists new]. split; [exact R'|exact Df'|]. intros n w Ov x e E s Hs i. rewrite Fa in E.
  destruct (Nat.lt_ge_cases x (new_direction d)) as [L|L].
  - rewrite nth_error_app1 in E by exact L. rewrite <- (Ag n w s i x L). now apply (S n w Ov x e E).
  - rewrite nth_error_app2 in E by exact L. fold (new_direction d) in E. destruct (New _ _ E) as [St M].
    replace (new_direction d + (x - new_direction d))%nat with x in M by lia. unfold draft_stream.
    rewrite (extension_writes n (new_direction d) _ _ _ heads l (part n) Be (Part n)) by exact L.
    rewrite (proj2 (Nat.ltb_lt _ _)), Em, (embed_beyond d n w i x R L), Rplus_0_l by lia. rewrite <- Em.
    apply M; [exact Ov|]. intros y m Hy In j Hj.
    change (meaning_holds users n w j m (draft_stream d' n w (stage_before heads l) j y)).
    rewrite <- (Ag n w _ j y (holds_below _ _ _ Hy)). exact (sound_reads d rows n w _ Sd Ov La y m Hy In j Hj).
Qed.

Lemma well_defined_at_layer d d' l change : well_defined (finish_draft d 0%nat) = true -> draft_positions d'
  = draft_positions d -> draft_layers d' = at_layer l change (draft_layers d) -> (forall m, forallb (fun a =>
  temperature_fits (head_temperature a)) (layer_heads m) = true -> forallb (fun a => temperature_fits (head_temperature
  a)) (layer_heads (change m)) = true) -> well_defined (finish_draft d' 0%nat) = true.
Proof.
  unfold well_defined, well_defined_from. cbn [finish_draft position_embedding transformer_layers]. intros H -> -> C.
  apply andb_prop in H as [H1 H2]. rewrite H1. cbn [andb]. apply forallb_forall. apply Forall_forall.
  apply at_layer_forall; [reflexivity|exact C|]. apply Forall_forall. now apply forallb_forall.
Qed.

(* ---- heads ---- *)
Lemma collect_values (f : row -> R) outs : forall x j o, nth_error outs j = Some o ->
  collect f (values_from x outs) (x + j)%nat = f (output_row o).
Proof.
  unfold values_from. induction outs as [|p outs IH]; intros x j o; [now destruct j|]. destruct j as [|j]; simpl.
  - intros [= ->]. rewrite Nat.add_0_r, Nat.eqb_refl.
    assert (Z : forall (rows : list row) m y, (x < y)%nat -> collect f (combine (seq y m) rows) x = 0).
    { clear. induction rows as [|r rows IH]; intros [|m] y L; try reflexivity. cbn [seq combine collect].
      rewrite (proj2 (Nat.eqb_neq y x)), IH by lia. lra. }
    rewrite Z by lia. lra.
  - intros E. rewrite (proj2 (Nat.eqb_neq x (x + S j)%nat)) by lia. replace (x + S j)%nat with (S x + j)%nat by lia.
    rewrite (IH (S x) j o E). lra.
Qed.

Lemma collect_values_before (f : row -> R) outs : forall x y, (y < x)%nat -> collect f (values_from x outs) y = 0.
Proof.
  unfold values_from. induction outs as [|p outs IH]; intros x y L; [reflexivity|].
  cbn [length seq map combine collect]. rewrite (proj2 (Nat.eqb_neq x y)), IH by lia. lra.
Qed.

Lemma values_from_below F outs : forall x, (x + length outs <= F)%nat -> Forall (row_below F) (map output_row outs) ->
  Forall (fun v => (fst v < F)%nat /\ row_below F (snd v)) (values_from x outs).
Proof.
  unfold values_from. induction outs as [|p outs IH]; intros x L H; [constructor|]. cbn [length seq map combine] in *.
  inversion H; subst. constructor; [simpl; split; [lia|assumption]|]. apply IH; [lia|assumption].
Qed.

Lemma facts_at_nth stage outs j : nth_error (facts_at stage outs) j
  = option_map (fun o => DraftFact (output_meaning o) stage (output_note o)) (nth_error outs j).
Proof. apply nth_error_map. Qed.

Theorem add_head_sound d msk temperature queries keys outs : is_sound d -> temperature_fits temperature = true ->
  (forall x, In x (rows_mentioned (queries ++ keys ++ map output_row outs)) -> (x < new_direction d)%nat) ->
  (forall n w h (i : position n) o, In o outs -> word_over n w ->
     read_at d (queries ++ keys ++ map output_row outs) n w h ->
     meaning_holds users n w i (output_meaning o) (softmax_value (Head msk temperature queries keys []) n h i
       (output_row o))) ->
  let d' := add_head d msk temperature queries keys outs in is_sound d' /\ draft_extends d d' /\
  forall j o, nth_error outs j = Some o -> draft_holds d' (new_direction d + j)%nat (output_meaning o).
Proof.
  intros Sd Te Be M. cbv zeta. set (rows := queries ++ keys ++ map output_row outs) in *.
  set (d' := add_head _ _ _ _ _ _). set (l := head_layer d queries keys outs). pose proof Sd as [R Df _].
  pose proof R as (Lk & T & P & La). assert (Fr : new_direction d' = (new_direction d + length outs)%nat).
  { unfold new_direction, d', add_head, facts_at. cbn [draft_facts]. now rewrite length_app, length_map. }
  apply mentioned_below in Be. unfold rows in Be. apply Forall_app in Be as [Bq Be]. apply Forall_app in Be as [Bk Bv].
  assert (Range : fact_in_range k d').
  { unfold fact_in_range. rewrite Fr. cbn [draft_tokens draft_positions draft_layers d' add_head].
    split; [exact Lk|split; [revert T; apply rows_below_more; lia|split; [revert P; apply below_map; lia|]]].
    apply at_layer_forall; [apply empty_below| |].
    - intros m (H & U & B). split; [|now split]. unfold put_head. cbn [layer_heads]. apply Forall_app.
      split; [exact H|]. repeat constructor; cbn [head_queries head_keys head_values].
      + revert Bq. apply rows_below_more. lia.
      + revert Bk. apply rows_below_more. lia.
      + apply values_from_below; [lia|]. revert Bv. apply rows_below_more. lia.
    - revert La. apply Forall_impl. intros m. apply layer_below_more. lia. }
  assert (Parts : forall j e, nth_error (facts_at (2 * l + 1)%nat outs) j = Some e ->
    exists o, nth_error outs j = Some o /\ fact_meaning e = output_meaning o /\ fact_stage e = (2 * l + 1)%nat).
  { intros j e E. rewrite facts_at_nth in E. destruct (nth_error outs j) as [o|]; [|discriminate].
    injection E as <-. now exists o. }
  destruct (part_sound d d' true l (fun n h i x => head_output n h i x (Head msk temperature queries keys
    (values_from (new_direction d) outs))) rows (facts_at (2 * l + 1)%nat outs)) as [S' X']; auto.
  - apply (well_defined_at_layer d d' l (put_head (Head msk temperature queries keys (values_from (new_direction d)
      outs))) Df eq_refl eq_refl). intros m H. unfold put_head. cbn [layer_heads]. rewrite forallb_app, H.
    cbn [forallb andb]. cbn [head_temperature]. now rewrite Te.
  - intros n b j h i x. cbn [draft_layers d' add_head]. rewrite nth_at_layer. fold l.
    destruct (j =? l)%nat; [|rewrite andb_false_r; lra]. rewrite added_put_head, andb_true_r. now destruct b.
  - intros n h i x L. unfold head_output. cbn [head_values]. now apply collect_values_before.
  - unfold stage_before, l, head_layer. fold rows. pose proof (Nat.div_mod (latest_stage d rows + 1) 2 ltac:(lia)).
    pose proof (Nat.mod_upper_bound (latest_stage d rows + 1) 2 ltac:(lia)). lia.
  - intros j e E. destruct (Parts j e E) as (o & Eo & -> & ->). split; [unfold stage_before; lia|].
    intros n w h i Ov Rd. unfold head_output. cbn [head_values]. rewrite (collect_values _ _ _ _ _ Eo).
    apply (M n w h i o); auto. now apply nth_error_In in Eo.
  - split; [exact S'|split; [exact X'|]]. intros j o Eo.
    exists (DraftFact (output_meaning o) (2 * l + 1)%nat (output_note o)). split; [|reflexivity]. unfold d', add_head.
    cbn [draft_facts]. rewrite nth_error_app2 by (unfold new_direction; lia). unfold new_direction.
    replace (length (draft_facts d) + j - length (draft_facts d))%nat with j by lia. fold l.
    now rewrite facts_at_nth, Eo.
Qed.

(* ---- feed-forward parts ---- *)
Definition unit_reads_of (units : list draft_unit) : list row := map (fun u => fst (fst u)) units.

Theorem add_feed_forward_sound d m units bias d' x : add_feed_forward d m units bias = (d', x) -> is_sound d ->
  (forall y, In y (rows_mentioned (unit_reads_of units)) -> (y < new_direction d)%nat) ->
  (forall n w (i : position n) v, word_over n w -> read_here d (unit_reads_of units) n w i v ->
     meaning_holds users n w i m (units_value units bias v)) -> is_sound d' /\ draft_extends d d' /\ draft_holds d' x m.
Proof.
  intros E Sd Be M. set (l := feed_forward_layer d units).
  assert (Ed : d' = Draft (draft_facts d ++ [DraftFact m (2 * l + 2)%nat 0]) (draft_tokens d) (draft_positions d)
    (at_layer l (put_units (new_direction d) units bias) (draft_layers d))) by now injection E as <- <-.
  assert (Ex : x = new_direction d) by now injection E as <- <-. clear E. pose proof Sd as [R Df _].
  pose proof R as (Lk & T & P & La).
  assert (Fr : new_direction d' = S (new_direction d)) by (rewrite Ed; unfold new_direction; cbn [draft_facts];
    rewrite length_app; simpl; lia). apply mentioned_below in Be. assert (Range : fact_in_range k d').
  { unfold fact_in_range. rewrite Fr, Ed. cbn [draft_tokens draft_positions draft_layers].
    split; [exact Lk|split; [revert T; apply rows_below_more; lia|split; [revert P; apply below_map; lia|]]].
    apply at_layer_forall; [apply empty_below| |].
    - intros b (H & U & B). split; [exact H|]. unfold put_units. cbn [layer_units layer_bias]. split.
      + apply Forall_app. split; [exact U|]. apply Forall_map. unfold unit_reads_of in Be. rewrite Forall_map in Be.
        revert Be. apply Forall_impl. intros [[r c] y] Hr. split; cbn in *; [revert Hr; apply row_below_more; lia|].
        constructor; [simpl; lia|constructor].
      + apply Forall_app. split; [exact B|]. destruct (Qeq_bool bias 0); constructor; [simpl; lia|constructor].
    - revert La. apply Forall_impl. intros b. apply layer_below_more. lia. }
  destruct (part_sound d d' false l (fun n h i y => if (new_direction d =? y)%nat then units_value units bias (h i) else
    0) (unit_reads_of units) [DraftFact m (2 * l + 2)%nat 0]) as [S' X']; try (rewrite Ed; reflexivity); auto.
  - apply (well_defined_at_layer d d' l (put_units (new_direction d) units bias) Df); try (rewrite Ed; reflexivity).
    auto.
  - intros n b j h i y. rewrite Ed. cbn [draft_layers]. rewrite nth_at_layer.
    destruct (j =? l)%nat; [|rewrite andb_false_r; lra]. rewrite added_put_units, andb_true_r. now destruct b.
  - intros n h i y L. now rewrite (proj2 (Nat.eqb_neq (new_direction d) y)) by lia.
  - unfold stage_before, l, feed_forward_layer. fold (unit_reads_of units).
    set (t := latest_stage d (unit_reads_of units)). pose proof (Nat.div_mod t 2 ltac:(lia)).
    pose proof (Nat.mod_upper_bound t 2 ltac:(lia)). lia.
  - intros j e E. destruct j as [|j]; [|now destruct j]. injection E as <-. cbn [fact_stage fact_meaning].
    split; [unfold stage_before; lia|]. intros n w h i Ov Rd. rewrite Nat.add_0_r, Nat.eqb_refl.
    apply (M n w i (h i) Ov). intros y a Hy In. exact (Rd y a Hy In i (in_word i)).
  - split; [exact S'|split; [exact X'|]]. exists (DraftFact m (2 * l + 2)%nat 0). split; [|reflexivity].
    rewrite Ex, Ed. cbn [draft_facts]. unfold new_direction. now rewrite nth_error_app2, Nat.sub_diag by apply le_n.
Qed.

(* ---- what is there already, and the whole ---- *)
Lemma once_sound d test build d' x m : add_once d test build = (d', x) -> is_sound d -> (forall e, test e = true ->
  fact_meaning e = m) -> (build d = (d', x) -> is_sound d' /\ draft_extends d d' /\ draft_holds d' x m) ->
  is_sound d' /\ draft_extends d d' /\ draft_holds d' x m.
Proof.
  unfold add_once. intros E Sd T B. destruct (find_fact d test) as [y|] eqn:F; [|now apply B].
  injection E as <- <-. split; [exact Sd|]. split; [apply extends_refl|].
  destruct (find_fact_correct _ _ _ F) as (e & N & H). exists e. split; [exact N|now apply T].
Qed.

Lemma embed_position_sound d x d' y : embed_position d x = (d', y) -> is_sound d -> always_has_value 1 x = true ->
  is_sound d' /\ draft_extends d d' /\ draft_holds d' y (IsPosition (Formula x)).
Proof.
  intros E Sd D. apply (once_sound _ _ _ _ _ _ E Sd (is_position_of_eq (Formula x))). intros B.
  apply (add_position_sound _ _ _ _ _ B Sd D). reflexivity.
Qed.

Lemma embed_before_sound d f d' y : embed_before d f = (d', y) -> is_sound d ->
  is_sound d' /\ draft_extends d d' /\ draft_holds d' y (IsPosition (Bracket f true)).
Proof.
  intros E Sd. apply (once_sound _ _ _ _ _ _ E Sd (is_position_of_eq (Bracket f true))). intros B.
  apply (add_position_sound _ _ _ _ _ B Sd eq_refl). reflexivity.
Qed.

Lemma embed_positional_sound d f d' y : embed_positional d f = (d', y) -> is_sound d -> is_positional f = true ->
  is_sound d' /\ draft_extends d d' /\ draft_holds d' y (IsTruth f).
Proof.
  intros E Sd P. apply (add_position_sound _ _ _ _ _ E Sd eq_refl). intros n w i. simpl.
  now rewrite (positional_truth users n w no_word f i P).
Qed.

Theorem finish_computes d x f : is_sound d -> draft_holds d x (IsTruth f) ->
  defined (finish_draft d x) /\ computes users (finish_draft d x) f.
Proof.
  intros [R Df S] (e & E & M). split.
  - apply well_defined_correct. exact Df.
  - intros n w Hn Ov i. rewrite run_halfway. cbn [finish_draft transformer_layers transformer_output].
    change (embed users (finish_draft d x) n w) with (embed users (finish_draft d 0%nat) n w).
    set (s := (2 * length (draft_layers d))%nat). assert (Hw : word_over n w).
    { intros j Hj. destruct R as [<- _]. exact (Ov j Hj). }
    specialize (S n w Hw x e E (fact_stage e + s)%nat ltac:(lia) i). rewrite M in S. cbn [meaning_holds] in S.
    rewrite <- S. unfold draft_stream. symmetry. apply halfway_beyond. unfold s. lia.
Qed.
End Sound.
