(* What the directions of a draft hold, kept by every operation on drafts.

   `sound d`: in the network of d, at every stage from its own on, every direction holds what its fact says, whatever
   the length and the word; nothing divides by zero. Proved: an operation keeps it if what is written means what it is
   said to mean wherever the directions that the part reads mean what they do (`add_head_sound`,
   `add_feed_forward_sound`, `add_position_sound`, `add_tokens_sound`); and a finished draft whose output is the truth of
   a formula computes it (`finish_computes`). *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia Arith.
From Certify Require Import finite_sums softmax lemma_09_rounding formula network linear_combination meaning
  well_defined draft draft_stages.
Import ListNotations.
Open Scope R_scope.

(* ---- what a draft says ---- *)
Definition holds (d : draft) (x : direction) (m : meaning) : Prop :=
  exists e, nth_error (facts d) x = Some e /\ fact_meaning e = m.
Definition extends (d d' : draft) : Prop := exists l, facts d' = facts d ++ l.
Definition mentioned (rows : list row) : list direction := map fst (concat rows).

Lemma extends_refl d : extends d d.
Proof. exists []. now rewrite app_nil_r. Qed.
Lemma extends_trans d d' d'' : extends d d' -> extends d' d'' -> extends d d''.
Proof. intros [l E] [m G]. exists (l ++ m). now rewrite G, E, app_assoc. Qed.

Lemma holds_below d x m : holds d x m -> (x < fresh d)%nat.
Proof. intros (e & E & _). apply nth_error_Some. congruence. Qed.

Lemma holds_extends d d' x m : extends d d' -> holds d x m -> holds d' x m.
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

Lemma find_fact_correct d test x : find_fact d test = Some x -> exists e, nth_error (facts d) x = Some e /\ test e = true.
Proof.
  intros H. destruct (find_from_correct _ _ _ _ H) as (e & N & T & _). rewrite Nat.sub_0_r in N. now exists e.
Qed.

Lemma find_truth_correct d f x : find_truth d f = Some x -> holds d x (IsTruth f).
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
Lemma mentioned_row rows r x q : In r rows -> In (x, q) r -> In x (mentioned rows).
Proof.
  intros Hr Hx. unfold mentioned. apply in_map_iff. exists (x, q). split; [reflexivity|].
  apply in_concat. now exists r.
Qed.

Lemma mentioned_below F rows : (forall x, In x (mentioned rows) -> (x < F)%nat) <-> Forall (row_below F) rows.
Proof.
  split.
  - intros H. apply Forall_forall. intros r Hr. apply Forall_forall. intros [x q] Hx.
    apply H. now apply (mentioned_row rows r x q).
  - intros H x Hx. apply in_map_iff in Hx as ([y q] & <- & Hy). apply in_concat in Hy as (r & Hr & Hy).
    rewrite Forall_forall in H. specialize (H r Hr). unfold row_below in H. rewrite Forall_forall in H. exact (H _ Hy).
Qed.

Lemma stage_mentioned d rows x : In x (mentioned rows) -> (stage_of d x <= latest d rows)%nat.
Proof.
  intros H. apply in_map_iff in H as ([y q] & <- & Hy). apply in_concat in Hy as (r & Hr & Hy). cbn [fst].
  induction rows as [|r' rows IH]; [destruct Hr|]. cbn [latest fold_right]. fold (latest d rows).
  assert (Grow : forall (r : row) s, (s <= fold_right (fun e t => Nat.max (stage_of d (fst e)) t) s r)%nat).
  { clear. induction r as [|e r IH]; intros s; simpl; [lia|]. specialize (IH s). lia. }
  destruct Hr as [->|Hr]; [|eapply Nat.le_trans; [apply IH, Hr|apply Grow]].
  clear IH. induction r as [|e r IH]; [destruct Hy|]. cbn [fold_right].
  destruct Hy as [->|Hy]; [simpl; lia|]. specialize (IH Hy). lia.
Qed.

(* ---- soundness ---- *)
Definition fact_in_range (k : nat) (d : draft) : Prop :=
  length (tokens d) = k /\ Forall (row_below (fresh d)) (tokens d) /\
  Forall (fun e => (fst e < fresh d)%nat) (positions d) /\ Forall (layer_below (fresh d)) (layers d).

Section Sound.
Variables (users : nat -> nat -> nat -> bool) (k : nat).

Definition stream (d : draft) (n : nat) (w : word) (s : nat) : nat -> vector :=
  halfway n (layers d) (embed users (finish d 0%nat) n w) s.
Definition word_over (n : nat) (w : word) : Prop := forall i, (1 <= i <= n)%nat -> (w i < k)%nat.

Record sound (d : draft) : Prop := {
  sound_range : fact_in_range k d;
  sound_defined : well_defined (finish d 0%nat) = true;
  sound_facts : forall n w, word_over n w -> forall x e, nth_error (facts d) x = Some e ->
    forall s, (fact_stage e <= s)%nat -> forall i, (1 <= i <= n)%nat ->
    means users n w i (fact_meaning e) (stream d n w s i x) }.

(* The directions of these rows hold at h what the draft says. *)
Definition read_at (d : draft) (rows : list row) (n : nat) (w : word) (h : nat -> vector) : Prop :=
  forall x m, holds d x m -> In x (mentioned rows) -> forall i, (1 <= i <= n)%nat -> means users n w i m (h i x).

(* The same at one position, which is all that a feed-forward part sees. *)
Definition read_here (d : draft) (rows : list row) (n : nat) (w : word) (i : nat) (v : vector) : Prop :=
  forall x m, holds d x m -> In x (mentioned rows) -> means users n w i m (v x).

Lemma sound_reads d rows n w s : sound d -> word_over n w -> (latest d rows <= s)%nat ->
  read_at d rows n w (stream d n w s).
Proof.
  intros [_ _ S] Ov L x m (e & E & <-) H i Hi. apply (S n w Ov x e E); [|exact Hi].
  pose proof (stage_mentioned d rows x H) as G. unfold stage_of in G. rewrite E in G. lia.
Qed.

Lemma empty_sound : sound (empty_draft k).
Proof.
  split.
  - unfold fact_in_range. simpl. rewrite repeat_length. repeat split; try constructor.
    apply Forall_forall. intros r Hr. apply repeat_spec in Hr as ->. constructor.
  - reflexivity.
  - intros n w _ x e E. destruct x; discriminate.
Qed.

(* Nothing is embedded in directions that do not exist. *)
Lemma embed_beyond d n w i x : fact_in_range k d -> (fresh d <= x)%nat -> embed users (finish d 0%nat) n w i x = 0.
Proof.
  intros (_ & T & P & _) L. unfold embed. cbn [finish token_embedding position_embedding].
  rewrite (collect_beyond _ (fresh d) _ x P L). unfold entry. rewrite (collect_beyond _ (fresh d) _ x); [lra| |exact L].
  destruct (nth_in_or_default (w i) (tokens d) []) as [I|E]; [|rewrite E; constructor].
  rewrite Forall_forall in T. now apply T.
Qed.

Lemma below_map {X} (f : X -> nat) F G l : (F <= G)%nat -> Forall (fun e => (f e < F)%nat) l ->
  Forall (fun e => (f e < G)%nat) l.
Proof. intros L. apply Forall_impl. intros. lia. Qed.

(* ---- an embedded direction ---- *)
Lemma embedded_sound d d' m : sound d -> fact_in_range k d' -> well_defined (finish d' 0%nat) = true ->
  facts d' = facts d ++ [Fact m 0 0] -> layers d' = layers d ->
  (forall n w i x, (x < fresh d)%nat -> embed users (finish d' 0%nat) n w i x = embed users (finish d 0%nat) n w i x) ->
  (forall n w i, word_over n w -> (1 <= i <= n)%nat ->
     means users n w i m (embed users (finish d' 0%nat) n w i (fresh d))) ->
  sound d' /\ extends d d' /\ holds d' (fresh d) m.
Proof.
  intros [(Lk & T & P & La) Df S] R' Df' Fa Ls Old New.
  assert (Ag : forall n w s, agree (fresh d) (stream d n w s) (stream d' n w s)).
  { intros n w s. unfold stream. rewrite Ls. apply (extension_agrees n _ _ _ _ _ true 0%nat (fun _ _ _ => 0) La).
    - intros i x Hx. now rewrite Old.
    - intros b j h i x. destruct (_ && _); lra.
    - reflexivity. }
  split; [|split].
  - split; [exact R'|exact Df'|]. intros n w Ov x e E s Hs i Hi. rewrite Fa in E.
    destruct (Nat.lt_ge_cases x (fresh d)) as [L|L].
    + rewrite nth_error_app1 in E by exact L. rewrite <- (Ag n w s i x L). now apply (S n w Ov x e E).
    + rewrite nth_error_app2 in E by exact L. assert (X : x = fresh d).
      { assert (x - length (facts d) < 1)%nat by (apply (nth_error_Some [Fact m 0 0]); congruence).
        unfold fresh in *. lia. }
      subst x. unfold fresh in E. rewrite Nat.sub_diag in E. injection E as <-. cbn [fact_meaning].
      unfold stream. rewrite Ls, (halfway_outside n (fresh d)) by (exact La || lia). now apply New.
  - now exists [Fact m 0 0].
  - exists (Fact m 0 0). split; [|reflexivity]. now rewrite Fa, nth_error_app2, Nat.sub_diag by apply le_n.
Qed.

Definition function_defined (p : position_function) : bool :=
  match p with Formula x => always_has_value x | Bracket _ _ => true end.

Lemma add_position_sound d m p d' x : add_position d m p = (d', x) -> sound d -> function_defined p = true ->
  (forall n w i, (1 <= i <= n)%nat -> means users n w i m (position_value users p n i)) ->
  sound d' /\ extends d d' /\ holds d' x m.
Proof.
  intros [= <- <-] Sd Dp M. pose proof Sd as [R Df _]. pose proof R as (Lk & T & P & La).
  assert (Fr : fresh (Draft (facts d ++ [Fact m 0 0]) (tokens d) (positions d ++ [(fresh d, p)]) (layers d))
    = S (fresh d)) by (unfold fresh; simpl; rewrite app_length; simpl; lia).
  apply embedded_sound; auto.
  - unfold fact_in_range. rewrite Fr. cbn [tokens positions layers]. split; [exact Lk|split; [|split]].
    + revert T. apply rows_below_more. lia.
    + apply Forall_app. split; [revert P; apply below_map; lia|]. constructor; [simpl; lia|constructor].
    + revert La. apply Forall_impl. intros l. apply layer_below_more. lia.
  - unfold well_defined in *. cbn [finish position_embedding transformer_layers positions layers] in *.
    apply andb_prop in Df as [D1 D2]. rewrite forallb_app, D1, D2. cbn [forallb snd]. fold (function_defined p).
    now rewrite Dp.
  - intros n w i x Hx. unfold embed. cbn [finish token_embedding position_embedding tokens positions].
    rewrite collect_appended. cbn [collect]. rewrite (proj2 (Nat.eqb_neq (fresh d) x)) by lia. lra.
  - intros n w i Ov Hi. pose proof (embed_beyond d n w i (fresh d) R (le_n _)) as Z.
    unfold embed in *. cbn [finish token_embedding position_embedding tokens positions] in *.
    rewrite collect_appended. cbn [collect]. rewrite Nat.eqb_refl.
    match goal with |- means _ _ _ _ _ ?v => replace v with (position_value users p n i) by lra end. now apply M.
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

Lemma add_tokens_sound d m at_symbol d' x : add_tokens d m at_symbol = (d', x) -> sound d ->
  (forall n w i, word_over n w -> (1 <= i <= n)%nat -> means users n w i m (bit (at_symbol (w i)))) ->
  sound d' /\ extends d d' /\ holds d' x m.
Proof.
  intros [= <- <-] Sd M. pose proof Sd as [R Df _]. pose proof R as (Lk & T & P & La).
  set (d' := Draft _ _ _ _).
  assert (Fr : fresh d' = S (fresh d)) by (unfold fresh, d'; simpl; rewrite app_length; simpl; lia).
  assert (Row : forall n w i x, embed users (finish d' 0%nat) n w i x = embed users (finish d 0%nat) n w i x
    + (if (w i <? length (tokens d))%nat && at_symbol (w i) && (fresh d =? x)%nat then 1 else 0)).
  { intros n w i x. unfold embed, d'. cbn [finish token_embedding position_embedding tokens positions].
    rewrite nth_set_tokens. cbn [Nat.add]. destruct (_ && at_symbol (w i)); [|simpl; lra]. unfold entry.
    rewrite collect_appended. cbn [collect andb]. rewrite Q2R_1. destruct (fresh d =? x)%nat; lra. }
  apply embedded_sound; auto.
  - unfold fact_in_range. rewrite Fr. cbn [tokens positions layers d'].
    destruct (set_tokens_below (fresh d) at_symbol (S (fresh d)) (tokens d)
      (rows_below_more _ (S (fresh d)) _ (le_S _ _ (le_n _)) T) (le_n _) 0%nat) as [A B].
    split; [congruence|split; [exact A|split]].
    + revert P. apply below_map. lia.
    + revert La. apply Forall_impl. intros l. apply layer_below_more. lia.
  - intros n w i x Hx. rewrite Row, (proj2 (Nat.eqb_neq (fresh d) x)), andb_false_r by lia. lra.
  - intros n w i Ov Hi. rewrite Row, (embed_beyond d) by (exact R || lia). rewrite Nat.eqb_refl, andb_true_r.
    rewrite (proj2 (Nat.ltb_lt _ _)) by (rewrite Lk; now apply Ov). cbn [andb].
    match goal with |- means _ _ _ _ _ ?v => replace v with (bit (at_symbol (w i))) end; [now apply M|].
    destruct (at_symbol (w i)); simpl; lra.
Qed.
End Sound.
