(* The embedding and the two start layers of a compiled network.

   Proved: after them the numbers, symbols and predicates are where the blocks expect them, and all else is 0. What the
   start layers (Proposition 11, parity) establish is found by running the checker on them. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia Arith.
From Certify Require Import lists finite_sums lemma_09_rounding formula linear_combination network meaning
  proposition_11_end_markers check_head check_feedforward check regime compiler compiler_blocks.
Import ListNotations.
Open Scope R_scope.

Definition embedded_number (condition : bool) (x : expression) : meaning :=
  if condition then IsPosition (Formula x) else unwritten.
Definition numbers_embedded (r : regime) (counting : bool) : list meaning :=
  [IsPosition (Formula (Num 1)); IsPosition (Formula (Power (Neg (Num 1)) IntI));
   embedded_number (negb (regime_causal r)) (Div VarI VarN);
   embedded_number (regime_by_position r) (if regime_causal r then square else VarN);
   embedded_number counting (scaled_place r VarI); embedded_number counting (scaled_place r square);
     embedded_number counting VarI].
Definition numbers_before (r : regime) (counting : bool) :
  list meaning := numbers_embedded r counting ++ repeat unwritten 8.
Definition numbers_after (r : regime) (counting : bool) : list meaning := numbers_embedded r counting ++
  [IsPosition (Formula mean_up_to_expression); IsTruth (Positional FIRST); IsPosition (Formula (Div (Num 1) VarI));
   embedded_number (negb (regime_causal r)) mean_from_expression;
   if regime_causal r then unwritten else IsTruth (Positional LAST);
   embedded_number (negb (regime_causal r)) (Div (Num 1) (Sub (Add VarN (Num 1)) VarI));
   IsTruth (Positional EVEN); IsTruth (Positional ODD)].

Lemma start_checked r counting :
  layers_stages every_length (numbers_after r counting) (start r) (numbers_before r counting) = numbers_after r counting.
Proof. destruct r as [[] []], counting; vm_compute; reflexivity. Qed.

Section Start.
Variables (users : nat -> nat -> nat -> bool) (n : nat) (w : word).
Variables (r : regime) (counting : bool) (k : nat) (predicates : list predicate) (ls : list layer) (out : direction).
Notation T := (Transformer (symbol_rows k) (number_embeddings r counting ++ predicate_embeddings k predicates) ls out).
Hypothesis Over : over T n w.

(* ---- the embedding ---- *)
Lemma word_below i : (1 <= i <= n)%nat -> (w i < k)%nat.
Proof. intros Hi. specialize (Over i Hi). cbn [token_embedding] in Over. unfold symbol_rows in Over.
now rewrite length_map, length_seq in Over. Qed.

Lemma symbol_entry i d : (1 <= i <= n)%nat ->
  entry (nth (w i) (symbol_rows k) []) d = if (symbol_direction (w i) =? d)%nat then 1 else 0.
Proof.
  intros Hi. pose proof (word_below i Hi) as L. unfold symbol_rows.
  rewrite (nth_indep _ [] [symbol_direction 0 |-> 1]) by (now rewrite length_map, length_seq).
  rewrite (map_nth (fun a => [symbol_direction a |-> 1])), seq_nth by exact L. unfold entry. cbn [collect].
  destruct (_ =? d)%nat; [rewrite Q2R_1|]; simpl; lra.
Qed.

Lemma collect_app {X} (f : X -> R) l m d : collect f (l ++ m) d = collect f l d + collect f m d.
Proof. induction l as [|[e x] l IH]; simpl; [lra|]. rewrite IH. lra. Qed.

Notation pv i := (fun p => position_value users p n i).

Lemma numbers_beyond i d : (15 <= d)%nat -> collect (pv i) (number_embeddings r counting) d = 0.
Proof.
  intros H. replace d with (15 + (d - 15))%nat by lia. generalize (d - 15)%nat. intros e.
  unfold number_embeddings. destruct (regime_causal r), (regime_by_position r), counting; cbn [app collect Nat.eqb
      Nat.add]; lra.
Qed.

(* Predicate m of those listed from place a on: its two directions, and no others. *)
Lemma predicates_collected i : forall l a d,
  collect (pv i) (flat_map (fun mp => [(predicate_direction k (fst mp), Bracket (Positional (snd mp)) false);
     (S (predicate_direction k (fst mp)), Bracket (Positional (snd mp)) true)]) (combine (seq a (length l)) l)) d
  = if (d <? predicate_direction k a)%nat then 0
    else match nth_error l ((d - predicate_direction k a) / 2) with
         | Some p => position_value users (Bracket (Positional p) (Nat.odd (d - predicate_direction k a))) n i
         | None => 0
         end.
Proof.
  induction l as [|p l IH]; intros a d.
  - cbn [length seq combine flat_map collect]. destruct (d <? predicate_direction k a)%nat; [reflexivity|].
    now destruct ((d - predicate_direction k a) / 2)%nat.
  - cbn [length seq combine flat_map app collect fst snd]. rewrite IH. clear IH. unfold predicate_direction.
    destruct (Nat.ltb_spec d (15 + k + 2 * a)).
    + rewrite (proj2 (Nat.eqb_neq (15 + k + 2 * a) d)), (proj2 (Nat.eqb_neq (S (15 + k + 2 * a)) d)) by lia.
      rewrite (proj2 (Nat.ltb_lt d (15 + k + 2 * S a))) by lia. lra.
    + set (c := (15 + k + 2 * a)%nat) in *. replace (15 + k + 2 * S a)%nat with (c + 2)%nat by (unfold c; lia).
      destruct (Nat.ltb_spec d (c + 2)).
      * assert (d = c \/ d = S c) as [->| ->] by lia.
        -- rewrite Nat.sub_diag, Nat.eqb_refl, (proj2 (Nat.eqb_neq (S c) c)) by lia. simpl. lra.
        -- replace (S c - c)%nat with 1%nat by lia. rewrite Nat.eqb_refl, (proj2 (Nat.eqb_neq c (S c))) by lia. simpl.
           lra.
      * rewrite (proj2 (Nat.eqb_neq c d)), (proj2 (Nat.eqb_neq (S c) d)) by lia.
        replace (d - c)%nat with (2 + (d - (c + 2)))%nat by lia.
        replace ((2 + (d - (c + 2))) / 2)%nat with (S ((d - (c + 2)) / 2)).
        -- cbn [nth_error]. replace (Nat.odd (2 + (d - (c + 2)))) with (Nat.odd (d - (c + 2))) by reflexivity. lra.
        -- change (2 + (d - (c + 2)))%nat with (1 * 2 + (d - (c + 2)))%nat. rewrite Nat.div_add_l by lia. reflexivity.
Qed.

Lemma embedding i d : (1 <= i <= n)%nat -> embed users T n w i d =
  (if (symbol_direction (w i) =? d)%nat then 1 else 0) + collect (pv i) (number_embeddings r counting) d
  + (if (d <? predicate_direction k 0)%nat then 0
     else match nth_error predicates ((d - predicate_direction k 0) / 2) with
          | Some p => position_value users (Bracket (Positional p) (Nat.odd (d - predicate_direction k 0))) n i
          | None => 0
          end).
Proof.
  intros Hi. unfold embed. cbn [token_embedding position_embedding]. rewrite (symbol_entry i d Hi), collect_app.
  unfold predicate_embeddings. rewrite (predicates_collected i predicates 0 d). lra.
Qed.

Lemma numbers_hold : holds_of users n w (numbers_before r counting) (embed users T n w).
Proof.
  intros i d Hi. rewrite (embedding i d Hi). destruct (Nat.ltb_spec d 15) as [L|L].
  - rewrite (proj2 (Nat.ltb_lt d (predicate_direction k 0))) by (unfold predicate_direction; lia).
    rewrite (proj2 (Nat.eqb_neq (symbol_direction (w i)) d)) by (unfold symbol_direction; lia).
    unfold numbers_before, numbers_embedded, embedded_number, number_embeddings.
    do 15 (destruct d as [|d]; [destruct (regime_causal r), (regime_by_position r), counting;
      cbn [app collect Nat.eqb nth repeat means negb unwritten position_value expression_value];
      rewrite ?Q2R_0; ring|]). lia.
  - rewrite nth_overflow; [exact I|]. unfold numbers_before, numbers_embedded. rewrite length_app, repeat_length.
    simpl. lia.
Qed.

(* ---- after the start layers ---- *)
Notation h := (run_layers n (start r) (embed users T n w)).

Lemma numbers_established : holds_of users n w (numbers_after r counting) h.
Proof.
  intros i d Hi. rewrite <- start_checked. assert (HL : allowed every_length n) by (repeat split; simpl; lia).
  now apply (layers_stages_correct users n w every_length HL (numbers_after r counting) (start r) _ _ numbers_hold).
Qed.

Lemma layer_leaves l g i d : head_rows l d = [] -> writes_to l d = false -> after_layer n l g i d = g i d.
Proof.
  intros H W. unfold after_layer. rewrite (not_written l d _ W), Rplus_0_r. unfold after_heads.
  rewrite head_rows_total, H. simpl. lra.
Qed.

Lemma start_leaves i d : (15 <= d)%nat -> h i d = embed users T n w i d.
Proof.
  intros H. replace d with (15 + (d - 15))%nat by lia. generalize (d - 15)%nat. intros e.
  unfold run_layers, start. cbn [fold_left].
  rewrite !layer_leaves; try reflexivity; unfold head_rows, writes_to, marker_layer, reciprocal_layer, rows_to, uniform;
    destruct (regime_causal r); reflexivity.
Qed.

Lemma square_power x : x ^ 2 = powerRZ x 2.
Proof. reflexivity. Qed.

Ltac number d := match goal with Hi : (1 <= ?i <= n)%nat |- _ =>
  let E := fresh "E" in pose proof (numbers_established i d Hi) as E;
  unfold numbers_after, numbers_embedded, embedded_number in E; cbn [nth app] in E end.

Lemma place_of_nth p : listed predicates p = true -> nth_error predicates (place_of p predicates) = Some p.
Proof.
  unfold listed. clear Over. induction predicates as [|q l IH]; simpl; [discriminate|].
  destruct (predicate_eqb p q) eqn:E; [apply predicate_eqb_eq in E; now subst|]. simpl. exact IH.
Qed.

(* Only the meaning is simplified: `counting` also stands in the network. *)
Ltac counted_number E := match type of E with means _ _ _ _ (if ?c then ?x else ?y) _ =>
  replace (if c then x else y) with x in E by (match goal with H : c = true |- _ => now rewrite H end) end.

Lemma start_base i : (1 <= i <= n)%nat -> base users n w r counting k predicates (h i) i.
Proof.
  intros Hi. assert (Pi : INR i <> 0) by (apply not_0_INR; lia). constructor.
  - number 0%nat. cbn [means position_value expression_value] in E. now rewrite E, Q2R_1.
  - number 1%nat. cbn [means position_value expression_value integer_value] in E. rewrite E, Q2R_1.
    replace (Ropp 1) with (-1) by lra. apply alternating_power.
  - intros Nc. number 2%nat. rewrite Nc in E. exact E.
  - unfold growth. destruct (regime_by_position r) eqn:P.
    + number 3%nat. rewrite P in E. unfold square in E. destruct (regime_causal r);
        cbn [means position_value expression_value integer_value] in E; rewrite E;
          [apply eq_sym, square_power|reflexivity].
    + number 0%nat. cbn [means position_value expression_value] in E. now rewrite E, Q2R_1.
  - intros Hc. number 4%nat. counted_number E. unfold scaled_place, stretch in *.
    destruct (regime_by_position r); cbn [means position_value expression_value] in E; rewrite E; ring.
  - intros Hc. number 5%nat. counted_number E. unfold scaled_place, stretch in *. unfold square in E.
    destruct (regime_by_position r); cbn [means position_value expression_value integer_value] in E; rewrite E,
      <- square_power; ring.
  - intros Hc. number 6%nat. counted_number E. exact E.
  - number 8%nat. exact E.
  - number 9%nat. cbn [means position_value expression_value] in E. now rewrite E, Q2R_1.
  - intros Nc. number 11%nat. rewrite Nc in E. exact E.
  - intros Nc. number 12%nat. rewrite Nc in E. cbn [means position_value expression_value negb] in E.
    rewrite E, Q2R_1, minus_INR, S_INR by lia. reflexivity.
  - number 13%nat. exact E.
  - number 14%nat. exact E.
  - intros a Ha. rewrite start_leaves, (embedding i) by (exact Hi || (unfold symbol_direction; lia)).
    rewrite numbers_beyond by (unfold symbol_direction; lia).
    rewrite (proj2 (Nat.ltb_lt _ (predicate_direction k 0))) by (unfold symbol_direction, predicate_direction; lia).
    unfold symbol_direction. destruct (Nat.eqb_spec (w i) a) as [->|Ne]; [rewrite Nat.eqb_refl; simpl; lra|].
    rewrite (proj2 (Nat.eqb_neq (15 + w i) (15 + a))) by lia. simpl. lra.
  - intros p Lp. set (m := place_of p predicates).
    rewrite start_leaves, (embedding i) by (exact Hi || (unfold predicate_direction; lia)).
    rewrite numbers_beyond by (unfold predicate_direction; lia). pose proof (word_below i Hi).
    rewrite (proj2 (Nat.eqb_neq (symbol_direction (w i)) _)) by (unfold symbol_direction, predicate_direction; lia).
    rewrite (proj2 (Nat.ltb_ge _ _)) by (unfold predicate_direction; lia).
    replace (predicate_direction k m - predicate_direction k 0)%nat with (m * 2)%nat by
      (unfold predicate_direction; lia).
    rewrite Nat.div_mul by lia. rewrite Nat.mul_comm, Nat.odd_mul. cbn [Nat.odd Nat.even negb andb].
    unfold m. rewrite (place_of_nth p Lp). simpl.
    change (truth users n no_word (Positional p) i) with (holds users p i n). lra.
  - intros p Lp. set (m := place_of p predicates).
    rewrite start_leaves, (embedding i) by (exact Hi || (unfold predicate_direction; lia)).
    rewrite numbers_beyond by (unfold predicate_direction; lia). pose proof (word_below i Hi).
    rewrite (proj2 (Nat.eqb_neq (symbol_direction (w i)) _)) by (unfold symbol_direction, predicate_direction; lia).
    rewrite (proj2 (Nat.ltb_ge _ _)) by (unfold predicate_direction; lia).
    replace (S (predicate_direction k m) - predicate_direction k 0)%nat with (S (2 * m)) by
      (unfold predicate_direction; lia).
    rewrite Nat.odd_succ, Nat.even_mul. replace (S (2 * m) / 2)%nat with m.
    + unfold m. rewrite (place_of_nth p Lp). simpl.
      change (truth users n no_word (Positional p) (i - 1)) with (holds users p (i - 1) n). lra.
    + replace (S (2 * m)) with (m * 2 + 1)%nat by lia. rewrite Nat.div_add_l by lia. simpl. lia.
Qed.

Lemma start_good : good users n w r counting k predicates (fresh k predicates) h.
Proof.
  split; [lia|]. split; [exact start_base|]. intros i d Hi Hd. unfold fresh in Hd. pose proof (word_below i Hi).
  rewrite start_leaves, (embedding i), numbers_beyond by (exact Hi || lia).
  rewrite (proj2 (Nat.eqb_neq (symbol_direction (w i)) d)) by (unfold symbol_direction; lia).
  rewrite (proj2 (Nat.ltb_ge _ _)) by (unfold predicate_direction; lia).
  replace (nth_error _ _) with (@None predicate); [lra|]. symmetry. apply nth_error_None.
  apply Nat.div_le_lower_bound; [lia|]. unfold predicate_direction. lia.
Qed.
End Start.
