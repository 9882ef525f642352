(* From formulas to networks, for all four regimes (constructions/compiler.py).

   Every operator appends layers ("blocks") that write fresh directions only: two heads write D and D + 1, the units
   write D + 2. Directions below 15 are numbers: embedded, or computed in two layers at the start: the end markers and
   reciprocals of Proposition 11, and the truths of EVEN and ODD, which are ReLU((-1)^i) and ReLU(-(-1)^i), so that the
   corollaries need no further position embedding. Then there is one direction per symbol, and two per predicate. This
   file defines the compiler and says what a block does. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia Arith.
From Certify Require Import finite_sums softmax lemma_09_rounding formula linear_combination comparison network regime.
Import ListNotations.
Open Scope R_scope.

(* ---- the directions of numbers ---- *)
Notation dir_one := 0%nat.
Notation dir_alternation := 1%nat.      (* (-1)^i *)
Notation dir_share := 2%nat.            (* i/n, unless causal *)
Notation dir_sharpening := 3%nat.       (* n or i^2, if by position *)
Notation dir_place := 4%nat.            (* i, times n if by position *)
Notation dir_place_squared := 5%nat.    (* i^2, times n if by position *)
Notation dir_plain_place := 6%nat.      (* i *)
Notation dir_mean_before := 7%nat.
Notation dir_first := 8%nat.
Notation dir_reciprocal := 9%nat.       (* 1/i *)
Notation dir_mean_after := 10%nat.
Notation dir_last := 11%nat.
Notation dir_reciprocal_end := 12%nat.  (* 1/(n+1-i) *)
Notation dir_even := 13%nat.
Notation dir_odd := 14%nat.

Section Compiler.
Local Open Scope nat_scope.
Variables (r : regime) (counting : bool) (k : nat) (predicates : list predicate).

Definition symbol_direction (a : nat) : nat := 15 + a.
Definition predicate_direction (m : nat) : nat := 15 + k + 2 * m.
Definition fresh : nat := 15 + k + 2 * length predicates.
Fixpoint place_of (p : predicate) (l : list predicate) : nat :=
  match l with [] => 0 | q :: l => if predicate_eqb p q then 0 else S (place_of p l) end.

Definition scaled_place (x : expression) : expression := if regime_by_position r then Mul x VarN else x.
Definition number_embeddings : list (direction * position_function) :=
  [(dir_one, Formula (Num 1)); (dir_alternation, Formula (Power (Neg (Num 1)) IntI))]
  ++ (if regime_causal r then [] else [(dir_share, Formula (Div VarI VarN))])
  ++ (if regime_by_position r then [(dir_sharpening, Formula (if regime_causal r then square else VarN))] else [])
  ++ (if counting then [(dir_place, Formula (scaled_place VarI)); (dir_place_squared, Formula (scaled_place square));
                        (dir_plain_place, Formula VarI)] else []).
Definition predicate_embeddings : list (direction * position_function) :=
  flat_map (fun mp => [(predicate_direction (fst mp), Bracket (Positional (snd mp)) false);
                       (S (predicate_direction (fst mp)), Bracket (Positional (snd mp)) true)])
           (combine (seq 0 (length predicates)) predicates).
Definition symbol_rows : list row := map (fun a => [symbol_direction a |-> 1]) (seq 0 k).

(* ---- Proposition 11, and two units that tell even from odd ---- *)
Definition uniform (m : masking) (d : direction) (v : row) : head := Head m (temperature_of r) [] [] [(d, v)].
Definition marker_layer : layer := Layer
  (uniform FutureMasked dir_mean_before [dir_alternation |-> -1]
   :: if regime_causal r then [] else [uniform PastMasked dir_mean_after [dir_alternation |-> -1]])
  (ReluUnit [dir_alternation |-> 1] 0 [dir_even |-> 1] :: ReluUnit [dir_alternation |-> -1] 0 [dir_odd |-> 1]
   :: ReluUnit [dir_mean_before |-> 1] (-1 # 2) [dir_first |-> 2]
   :: if regime_causal r then [] else [ReluUnit [dir_mean_after |-> 1] (-1 # 2) [dir_last |-> 2];
                                ReluUnit [dir_mean_after |-> -1] (-1 # 2) [dir_last |-> 2]])
  [].
Definition reciprocal_layer : layer := Layer
  (uniform FutureMasked dir_reciprocal [dir_first |-> 1]
   :: if regime_causal r then [] else [uniform PastMasked dir_reciprocal_end [dir_last |-> 1]]) [] [].
Definition start : list layer := [marker_layer; reciprocal_layer].

(* ---- blocks ---- *)
Definition block (D : nat) (m : masking) (q1 k1 : list row) (v1 : row) (q2 k2 : list row) (v2 : row)
  (us : list (row * Q * Q)) (c : Q) : layer :=
  Layer [Head m (temperature_of r) q1 k1 [(D, v1)]; Head m (temperature_of r) q2 k2 [(S D, v2)]]
        (map (fun u => let '(reads, b, x) := u in ReluUnit reads b [S (S D) |-> x]) us)
        [S (S D) |-> c].
Definition pointwise (D : nat) (us : list (row * Q * Q)) (c : Q) : layer := block D FutureMasked [] [] [] [] [] [] us c.

Definition connective_not (D x : nat) : layer := pointwise D [([x |-> 1], 0%Q, (-1)%Q)] 1.
Definition connective_and (D x y : nat) : layer := pointwise D [([x |-> 1; y |-> 1], (-1)%Q, 1%Q)] 0.
Definition connective_or (D x y : nat) : layer := pointwise D [([x |-> -1; y |-> -1], 1%Q, (-1)%Q)] 1.
Definition connective_implies (D x y : nat) : layer := pointwise D [([x |-> 1; y |-> -1], 0%Q, (-1)%Q)] 1.
Definition connective_iff (D x y : nat) : layer :=
  pointwise D [([x |-> 1; y |-> -1], 0%Q, (-1)%Q); ([x |-> -1; y |-> 1], 0%Q, (-1)%Q)] 1.

Definition sharp_query : list row :=
  [[(if regime_by_position r then dir_sharpening else dir_one) |-> (if regime_causal r then 3 else 6)]].
Definition rightmost_key (t : row) : list row := [t ++ [if regime_causal r then dir_reciprocal |-> -1 else dir_share
    |-> (1 # 2)]].
Definition leftmost_key (t : row) : list row := [t ++ [dir_share |-> (-1 # 2)]].
(* Lemma 9 on x; each gate is a truth that is subtracted. *)
Definition rounding (x : nat) (gates : list nat) : list (row * Q * Q) :=
  let reads := x |-> 1 :: map (fun d => d |-> -1) gates in [(reads, (-1 # 4)%Q, 2%Q); (reads, (-3 # 4)%Q, (-2)%Q)].

Definition since_block (D decides both : nat) : layer :=
  block D FutureMasked sharp_query (rightmost_key [decides |-> 1]) [both |-> 1] [] [] [] (rounding D []) 0.
Definition until_block (D decides both : nat) : layer :=
  block D PastMasked sharp_query (leftmost_key [decides |-> 1]) [both |-> 1] [] [] [] (rounding D []) 0.

Definition gated_units (D edge : nat) : list (row * Q * Q) :=
  rounding D [dir_even; edge] ++ rounding (S D) [dir_odd; edge].
Definition previous_block (D x : nat) : layer :=
  block D FutureMasked sharp_query (rightmost_key [dir_alternation |-> (1 # 2)]) [x |-> 1]
        sharp_query (rightmost_key [dir_alternation |-> (-1 # 2)]) [x |-> 1] (gated_units D dir_first) 0.
Definition next_block (D x : nat) : layer :=
  block D PastMasked sharp_query (leftmost_key [dir_alternation |-> (1 # 2)]) [x |-> 1]
        sharp_query (leftmost_key [dir_alternation |-> (-1 # 2)]) [x |-> 1] (gated_units D dir_last) 0.

(* The mean of a count at D, and 1/L where the position is counted at D + 2. *)
Definition length_reciprocal (s : side) : nat := match s with ToLeft => dir_reciprocal | ToRight => dir_reciprocal_end
    end.
Definition mean_block (D : nat) (s : side) (x : nat) : layer :=
  block D (match s with ToLeft => FutureMasked | ToRight => PastMasked end) [] [] [x |-> 1] [] [] []
        [([length_reciprocal s |-> 1], 0%Q, 1%Q); ([length_reciprocal s |-> 1; x |-> -1], 0%Q, (-1)%Q)] 0.
Definition lookup_queries (s : side) (g : Q) (mean here : nat) : list row :=
  [[mean |-> g; here |-> - g]; [length_reciprocal s |-> g]].
Definition lookup_keys : list row := [[dir_place |-> 2]; [dir_place |-> 2; dir_place_squared |-> -1]].
Definition lookup_mask_of (s : side) : masking := match s with ToLeft => FutureMasked | ToRight => Unmasked end.
Definition others_block (D : nat) (s : side) (g : Q) (mean here : nat) : layer :=
  block D (lookup_mask_of s) (lookup_queries s g mean here) lookup_keys [dir_plain_place |-> 1; dir_one |-> -1] [] []
      [] [] 0.
Definition on_count_block (D : nat) (s : side) (mean here p x not_x : nat) : layer :=
  block D (lookup_mask_of s) (lookup_queries s 3 mean here) lookup_keys [p |-> 1]
        (lookup_queries s 3 mean here) lookup_keys [S p |-> 1]
        (rounding D [not_x] ++ rounding (S D) [x]) 0.

(* Theorem 20 at H + b: slack of T >= 0 (sign -1) or of T <= 0 (sign 1), then a relation decided by both. *)
Definition slack_block (D : nat) (sign : Q) (h : row) (b : Q) : layer :=
  pointwise D [(scaled (2 * sign) h, (2 * sign * b - (1 # 2))%Q, 1%Q)] 0.
Definition decision_block (D : nat) (q : relation) (at_least at_most : nat) : layer :=
  match q with
  | AtLeast => pointwise D [([at_least |-> -1], 1%Q, 1%Q)] 0
  | AtMost => pointwise D [([at_most |-> -1], 1%Q, 1%Q)] 0
  | Below => pointwise D [([at_least |-> -1], 1%Q, (-1)%Q)] 1
  | Above => pointwise D [([at_most |-> -1], 1%Q, (-1)%Q)] 1
  | Equal => pointwise D [([at_least |-> -1; at_most |-> -1], 1%Q, 1%Q)] 0
  | Unequal => pointwise D [([at_least |-> -1; at_most |-> -1], 1%Q, (-1)%Q)] 1
  end.
Definition comparison_blocks (D : nat) (q : relation) (h : row) (b : Q) : list layer :=
  [slack_block D (-1) h b; slack_block (D + 3) 1 h b; decision_block (D + 6) q (S (S D)) (S (S (D + 3)))].

(* 1 plus the sum of the absolute coefficients. *)
Fixpoint weight_of (t : term) : Z := match t with Number _ => 0 | Plus a _ _ rest => Z.abs a + weight_of rest end%Z.
Definition sharpness (t u : term) : Q := (3 * inject_Z (1 + weight_of t + weight_of u))%Q.

(* ---- the compiler: layers to append, the direction that holds the formula, the next fresh direction ---- *)
Fixpoint compile (f : formula) (D : nat) : list layer * nat * nat :=
  match f with
  | Truth b => ([pointwise D [] (if b then 1%Q else 0%Q)], S (S D), D + 3)
  | Symbol a => ([], symbol_direction a, D)
  | Positional p => ([], predicate_direction (place_of p predicates), D)
  | Not f => let '(ls, x, D) := compile f D in (ls ++ [connective_not D x], S (S D), D + 3)
  | And f g =>
      let '(ls, x, D) := compile f D in let '(ms, y, D) := compile g D in
      (ls ++ ms ++ [connective_and D x y], S (S D), D + 3)
  | Or f g =>
      let '(ls, x, D) := compile f D in let '(ms, y, D) := compile g D in
      (ls ++ ms ++ [connective_or D x y], S (S D), D + 3)
  | Implies f g =>
      let '(ls, x, D) := compile f D in let '(ms, y, D) := compile g D in
      (ls ++ ms ++ [connective_implies D x y], S (S D), D + 3)
  | Iff f g =>
      let '(ls, x, D) := compile f D in let '(ms, y, D) := compile g D in
      (ls ++ ms ++ [connective_iff D x y], S (S D), D + 3)
  | Previous f => let '(ls, x, D) := compile f D in (ls ++ [previous_block D x], S (S D), D + 3)
  | Next f => let '(ls, x, D) := compile f D in (ls ++ [next_block D x], S (S D), D + 3)
  | Since f g =>
      let '(ls, x, D) := compile f D in let '(ms, y, D) := compile g D in
      (ls ++ ms ++ [connective_implies D x y; connective_and (D + 3) x y;
        since_block (D + 6) (S (S D)) (S (S (D + 3)))],
       S (S (D + 6)), D + 9)
  | Until f g =>
      let '(ls, x, D) := compile f D in let '(ms, y, D) := compile g D in
      (ls ++ ms ++ [connective_implies D x y; connective_and (D + 3) x y;
        until_block (D + 6) (S (S D)) (S (S (D + 3)))],
       S (S (D + 6)), D + 9)
  | OnCount p s f =>
      let '(ls, x, D) := compile f D in
      (ls ++ [connective_not D x; mean_block (D + 3) s x;
        on_count_block (D + 6) s (D + 3) (S (S (D + 3))) (predicate_direction (place_of p predicates)) x (S (S D))],
       S (S (D + 6)), D + 9)
  | Compare q t u =>
      let g := sharpness t u in
      let '(ls, h, D) := compile_term g t D in let '(ms, h', D) := compile_term g u D in
      (ls ++ ms ++ comparison_blocks D q (h ++ scaled (-1) h') (inject_Z (constant_difference t u)),
       S (S (D + 6)), D + 9)
  end
with compile_term (g : Q) (t : term) (D : nat) : list layer * row * nat :=
  match t with
  | Number _ => ([], [], D)
  | Plus a s f rest =>
      let '(ls, x, D) := compile f D in
      let '(ms, h, D') := compile_term g rest (D + 6) in
      (ls ++ [mean_block D s x; others_block (D + 3) s g D (S (S D))] ++ ms,
       (D + 3)%nat |-> inject_Z a :: x |-> inject_Z a :: h, D')
  end.

Definition compiled (f : formula) : transformer :=
  let '(ls, x, _) := compile f fresh in
  Transformer symbol_rows (number_embeddings ++ predicate_embeddings) (start ++ ls) x.
End Compiler.

(* ---- what a block does ---- *)
Section Block.
Variables (r : regime) (n : nat) (h : nat -> vector) (D : nat).
Variables (m : masking) (q1 k1 q2 k2 : list row) (v1 v2 : row) (us : list (row * Q * Q)) (c : Q).
Notation B := (block r D m q1 k1 v1 q2 k2 v2 us c).
Hypothesis Clear : forall i d, (1 <= i <= n)%nat -> (D <= d)%nat -> h i d = 0.

Definition first_head (i : nat) : R := attended (Head m (temperature_of r) q1 k1 [(D, v1)]) n h i v1.
Definition second_head (i : nat) : R := attended (Head m (temperature_of r) q2 k2 [(S D, v2)]) n h i v2.
Definition between (i : nat) : vector := fun d =>
  if (d =? D)%nat then first_head i else if (d =? S D)%nat then second_head i else h i d.
Definition units_value (i : nat) : R :=
  total (fun u => let '(reads, b, x) := u in relu (linear reads (between i) + Q2R b) * Q2R x) us + Q2R c.

Lemma linear_ext rw (x y : vector) : (forall d, x d = y d) -> linear rw x = linear rw y.
Proof. intros E. induction rw as [|[d q] rw IH]; simpl; [reflexivity|]. now rewrite E, IH. Qed.

Lemma block_between i d : (1 <= i <= n)%nat -> after_heads n B h i d = between i d.
Proof.
  intros Hi. unfold after_heads, head_output, between. cbn [layer_heads block total collect head_values].
  fold (first_head i). fold (second_head i). destruct (Nat.eqb_spec d D) as [->|N1].
  - rewrite Nat.eqb_refl, (proj2 (Nat.eqb_neq (S D) D)), Clear by lia. lra.
  - rewrite (proj2 (Nat.eqb_neq D d)) by lia. destruct (Nat.eqb_spec d (S D)) as [->|N2].
    + rewrite Nat.eqb_refl, Clear by lia. lra.
    + rewrite (proj2 (Nat.eqb_neq (S D) d)) by lia. lra.
Qed.

Lemma block_feedforward x d : feedforward B x d = if (d =? S (S D))%nat
  then total (fun u => let '(reads, b, y) := u in relu (linear reads x + Q2R b) * Q2R y) us + Q2R c else 0.
Proof.
  unfold feedforward. cbn [layer_units layer_bias block]. unfold entry. cbn [collect].
  rewrite (Nat.eqb_sym (S (S D)) d). destruct (Nat.eqb_spec d (S (S D))) as [->|Ne].
  - rewrite Rplus_0_r. f_equal. induction us as [|[[rd b] y] l IH]; [reflexivity|]. cbn [map total]. rewrite IH.
    f_equal.
    unfold unit_output, entry. cbn [unit_reads unit_bias unit_writes collect]. rewrite Nat.eqb_refl. lra.
  - rewrite Rplus_0_r. replace (total _ _) with 0; [lra|]. symmetry.
    induction us as [|[[rd b] y] l IH]; [reflexivity|]. cbn [map total]. rewrite IH.
    unfold unit_output, entry. cbn [unit_reads unit_bias unit_writes collect]. rewrite (proj2 (Nat.eqb_neq (S (S D))
        d)) by lia. lra.
Qed.

Theorem block_value i d : (1 <= i <= n)%nat -> after_layer n B h i d =
  if (d =? S (S D))%nat then units_value i else between i d.
Proof.
  intros Hi. unfold after_layer. rewrite block_feedforward, block_between by exact Hi.
  destruct (Nat.eqb_spec d (S (S D))) as [->|Ne]; [|lra].
  unfold between at 1. rewrite (proj2 (Nat.eqb_neq (S (S D)) D)), (proj2 (Nat.eqb_neq (S (S D)) (S D))), Clear by lia.
  unfold units_value. rewrite Rplus_0_l. f_equal. pose proof (fun e => block_between i e Hi) as E.
  generalize us at 2 3. intros l. induction l as [|[[rd b] y] l IH]; [reflexivity|].
  cbn [total]. rewrite IH. now rewrite (linear_ext rd _ _ E).
Qed.
End Block.
