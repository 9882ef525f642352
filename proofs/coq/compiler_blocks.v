(* Every block of the compiler does what its operator means.

   Proved, operator by operator: given directions that hold the truths of the operands, the block that is appended
   leaves older directions alone, leaves what is fresh at 0, and holds the truth of the whole at every position,
   whatever the word. Its heads are those of Theorems 12, 13, 15, 16, 20 and 21 with gamma = 3. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia Arith.
From Certify Require Import finite_sums softmax exponential lemma_08_tie_breaking lemma_09_rounding formula
  linear_combination comparison network proposition_11_end_markers theorem_12_previous_next theorem_15_since_until
  theorem_20_counting check_feedforward regime compiler.
Import ListNotations.
Open Scope R_scope.

Definition run_layers (n : nat) (ls : list layer) (h : nat -> vector) : nat -> vector :=
  fold_left (fun h l => after_layer n l h) ls h.

(* What the statements say of all layers: one temperature, and in causal regimes future masks. *)
Definition layer_of (r : regime) (l : layer) : Prop :=
  Forall (fun a => head_temperature a = temperature_of r /\ (regime_causal r = true -> head_masking a = FutureMasked))
      (layer_heads l).

Ltac relus := repeat match goal with
  | |- context [relu ?x] => first [rewrite (relu_linear x) by lra | rewrite (relu_zero x) by lra]
  end.

Section Correct.
Variables (users : nat -> nat -> nat -> bool) (n : nat) (w : word).
Variables (r : regime) (counting : bool) (k : nat) (predicates : list predicate).
Hypothesis Counts : counting = true -> regime_causal r = true -> regime_by_position r = false.
Notation tr := (truth users n w).
Notation compile := (compile r k predicates).
Notation compile_term := (compile_term r k predicates).
Notation fresh := (fresh k predicates).
Notation predicate_direction := (predicate_direction k).

(* ---- what the network can compile ---- *)
Definition side_ok (s : side) : bool := match s with ToLeft => true | ToRight => negb (regime_causal r) end.
Definition listed (p : predicate) : bool := existsb (predicate_eqb p) predicates.
Fixpoint supported (f : formula) : bool :=
  match f with
  | Truth _ => true
  | Symbol a => Nat.ltb a k
  | Positional p => listed p
  | Not f | Previous f => supported f
  | Next f => negb (regime_causal r) && supported f
  | And f g | Or f g | Implies f g | Iff f g | Since f g => supported f && supported g
  | Until f g => negb (regime_causal r) && supported f && supported g
  | OnCount p s f => counting && listed p && side_ok s && supported f
  | Compare _ t u => supported_term t && supported_term u
  end
with supported_term (t : term) : bool :=
  match t with
  | Number _ => true
  | Plus _ s f rest => counting && side_ok s && supported f && supported_term rest
  end.

(* ---- the numbers at a position ---- *)
Definition growth (i : nat) : R := if regime_by_position r then (if regime_causal r then INR i ^ 2 else INR n) else 1.
Definition stretch : R := if regime_by_position r then INR n else 1.

Record base (v : vector) (i : nat) : Prop := {
  base_one : v dir_one = 1;
  base_alternation : v dir_alternation = alternating i;
  base_share : regime_causal r = false -> v dir_share = INR i / INR n;
  base_growth : v (if regime_by_position r then dir_sharpening else dir_one) = growth i;
  base_place : counting = true -> v dir_place = INR i * stretch;
  base_square : counting = true -> v dir_place_squared = INR i ^ 2 * stretch;
  base_plain : counting = true -> v dir_plain_place = INR i;
  base_first : v dir_first = bit (i =? 1);
  base_reciprocal : v dir_reciprocal = 1 / INR i;
  base_last : regime_causal r = false -> v dir_last = bit (i =? n);
  base_end : regime_causal r = false -> v dir_reciprocal_end = 1 / INR (S n - i);
  base_even : v dir_even = bit (Nat.even i);
  base_odd : v dir_odd = bit (Nat.odd i);
  base_symbol : forall a, (a < k)%nat -> v (symbol_direction a) = bit (w i =? a);
  base_truth : forall p, listed p = true ->
    v (predicate_direction (place_of p predicates)) = bit (holds users p i n);
  base_before : forall p, listed p = true ->
    v (S (predicate_direction (place_of p predicates))) = bit (holds users p (i - 1) n) }.

Lemma place_below p : listed p = true -> (S (predicate_direction (place_of p predicates)) < fresh)%nat.
Proof.
  unfold listed, compiler.predicate_direction, compiler.fresh. intros H.
  assert (L : (place_of p predicates < length predicates)%nat); [|lia].
  induction predicates as [|q l IH]; simpl in *; [discriminate|]. destruct (predicate_eqb p q); [lia|].
  simpl in H. specialize (IH H). lia.
Qed.

Definition good (D : nat) (h : nat -> vector) : Prop := (fresh <= D)%nat /\
  (forall i, (1 <= i <= n)%nat -> base (h i) i) /\ (forall i d, (1 <= i <= n)%nat -> (D <= d)%nat -> h i d = 0).
Definition grows (D : nat) (h : nat -> vector) (D' : nat) (h' : nat -> vector) : Prop := (D <= D')%nat /\
  (forall i d, (1 <= i <= n)%nat -> (d < D)%nat -> h' i d = h i d) /\
  (forall i d, (1 <= i <= n)%nat -> (D' <= d)%nat -> h' i d = 0).

Lemma base_same v v' i : (forall d, (d < fresh)%nat -> v' d = v d) -> base v i -> base v' i.
Proof.
  intros E []. assert (F : (15 <= fresh)%nat) by (unfold compiler.fresh; lia).
  constructor; intros; rewrite ?E by (destruct (regime_by_position r); lia); auto.
  - rewrite E by (unfold symbol_direction, compiler.fresh; lia). auto.
  - pose proof (place_below p H). rewrite E by lia. auto.
  - pose proof (place_below p H). rewrite E by lia. auto.
Qed.

Lemma good_grows D h D' h' : good D h -> grows D h D' h' -> good D' h'.
Proof.
  intros (F & B & Z) (L & Old & New). split; [lia|]. split; [|exact New].
  intros i Hi. apply (base_same (h i)); [|now apply B]. intros d Hd. apply Old; [exact Hi|lia].
Qed.

Lemma grows_refl D h : good D h -> grows D h D h.
Proof. intros (_ & _ & Z). split; [lia|]. split; [reflexivity|exact Z]. Qed.

Lemma grows_trans D h D' h' D'' h'' : grows D h D' h' -> grows D' h' D'' h'' -> grows D h D'' h''.
Proof.
  intros (L & O & _) (L' & O' & Z). split; [lia|]. split; [|exact Z].
  intros i d Hi Hd. rewrite O', O by lia. reflexivity.
Qed.

Lemma run_layers_app ls ms h : run_layers n (ls ++ ms) h = run_layers n ms (run_layers n ls h).
Proof. apply fold_left_app. Qed.

(* ---- blocks in general ---- *)
Section OneBlock.
Variables (h : nat -> vector) (D : nat) (m : masking) (q1 k1 q2 k2 : list row) (v1 v2 : row).
Variables (us : list (row * Q * Q)) (c : Q).
Notation B := (block r D m q1 k1 v1 q2 k2 v2 us c).
Hypothesis G : good D h.

Lemma block_grows : grows D h (D + 3) (after_layer n B h).
Proof.
  destruct G as (_ & _ & Z). split; [lia|]. split; intros i d Hi Hd;
    rewrite (block_value r n h D m q1 k1 q2 k2 v1 v2 us c Z i d Hi);
    rewrite (proj2 (Nat.eqb_neq d (S (S D)))) by lia; unfold between;
    rewrite (proj2 (Nat.eqb_neq d D)), (proj2 (Nat.eqb_neq d (S D))) by lia; [reflexivity|apply Z; lia].
Qed.

Lemma block_result i : (1 <= i <= n)%nat ->
  after_layer n B h i (S (S D)) = units_value r n h D m q1 k1 q2 k2 v1 v2 us c i.
Proof.
  intros Hi. destruct G as (_ & _ & Z). rewrite (block_value r n h D m q1 k1 q2 k2 v1 v2 us c Z i _ Hi).
  now rewrite Nat.eqb_refl.
Qed.

Lemma block_first i : (1 <= i <= n)%nat -> after_layer n B h i D = first_head r n h D m q1 k1 v1 i.
Proof.
  intros Hi. destruct G as (_ & _ & Z). rewrite (block_value r n h D m q1 k1 q2 k2 v1 v2 us c Z i _ Hi).
  rewrite (proj2 (Nat.eqb_neq D (S (S D)))) by lia. unfold between. now rewrite Nat.eqb_refl.
Qed.

Lemma between_old i d : (d < D)%nat -> between r n h D m q1 k1 q2 k2 v1 v2 i d = h i d.
Proof. intros H. unfold between. now rewrite (proj2 (Nat.eqb_neq d D)), (proj2 (Nat.eqb_neq d (S D))) by lia. Qed.
Lemma between_first i : between r n h D m q1 k1 q2 k2 v1 v2 i D = first_head r n h D m q1 k1 v1 i.
Proof. unfold between. now rewrite Nat.eqb_refl. Qed.
Lemma between_second i : between r n h D m q1 k1 q2 k2 v1 v2 i (S D) = second_head r n h D m q2 k2 v2 i.
Proof. unfold between. now rewrite (proj2 (Nat.eqb_neq (S D) D)), Nat.eqb_refl by lia. Qed.
End OneBlock.

Lemma block_layer D m q1 k1 v1 q2 k2 v2 us c : (regime_causal r = true -> m = FutureMasked) ->
  layer_of r (block r D m q1 k1 v1 q2 k2 v2 us c).
Proof. intros H. repeat constructor; auto. Qed.

(* What compiling a formula must achieve; the same for one more block that holds `b`. *)
Definition achieves (D : nat) (h : nat -> vector) (out : list layer * nat * nat) (b : nat -> bool) : Prop :=
  let '(ls, x, D') := out in
  grows D h D' (run_layers n ls h) /\ (x < D')%nat /\ Forall (layer_of r) ls /\
  forall i, (1 <= i <= n)%nat -> run_layers n ls h i x = bit (b i).

(* ---- Boolean connectives ---- *)
Section Connectives.
Variables (h : nat -> vector) (D x y : nat) (p q : nat -> bool).
Hypothesis G : good D h.
Hypothesis Hx : (x < D)%nat /\ forall i, (1 <= i <= n)%nat -> h i x = bit (p i).
Hypothesis Hy : (y < D)%nat /\ forall i, (1 <= i <= n)%nat -> h i y = bit (q i).

Ltac one_block := unfold achieves; split; [now apply block_grows|split; [lia|split;
  [apply Forall_cons; [apply block_layer; auto|apply Forall_nil]|]]].
Ltac connective := one_block; intros i Hi; unfold run_layers; cbn [fold_left];
  unfold connective_not, connective_and, connective_or, connective_implies, connective_iff, pointwise;
  rewrite block_result by assumption; unfold units_value; cbn [total linear];
  rewrite ?between_old by (destruct Hx, Hy; lia); destruct Hx as [_ Ex], Hy as [_ Ey]; rewrite ?Ex, ?Ey by exact Hi;
  rationals; destruct (p i), (q i); simpl; relus; lra.

Lemma not_block : achieves D h ([connective_not r D x], S (S D), (D + 3)%nat) (fun i => negb (p i)).
Proof. connective. Qed.
Lemma and_block : achieves D h ([connective_and r D x y], S (S D), (D + 3)%nat) (fun i => p i && q i).
Proof. connective. Qed.
Lemma or_block : achieves D h ([connective_or r D x y], S (S D), (D + 3)%nat) (fun i => p i || q i).
Proof. connective. Qed.
Lemma implies_block : achieves D h ([connective_implies r D x y], S (S D), (D + 3)%nat) (fun i => implb (p i) (q i)).
Proof. connective. Qed.
Lemma iff_block : achieves D h ([connective_iff r D x y], S (S D), (D + 3)%nat) (fun i => eqb (p i) (q i)).
Proof. connective. Qed.
End Connectives.

(* ---- heads of Lemma 8 ---- *)
Section Sharp.
Variables (h : nat -> vector) (D : nat) (i : nat).
Hypothesis G : good D h.
Hypothesis Hi : (1 <= i <= n)%nat.

Let base_at j : (1 <= j <= n)%nat -> base (h j) j.
Proof. apply G. Qed.

Lemma linear_app_row s t v : linear (s ++ t) v = linear s v + linear t v.
Proof. now rewrite !linear_combined, combined_app. Qed.

Lemma rightmost_score t s vals j : (1 <= j <= n)%nat -> linear t (h j) = s j ->
  scaled_score (Head FutureMasked (temperature_of r) (sharp_query r) (rightmost_key r t) vals) n h i j
  = if regime_causal r then score_8a s 3 i j else score_8b s 3 n j.
Proof.
  intros Hj E. unfold scaled_score, sharp_query, rightmost_key, temperature_of.
  cbn [head_queries head_keys head_temperature dot_product].
  rewrite linear_app_row, E. assert (Pj : INR j <> 0) by (apply not_0_INR; lia).
  assert (Pi : INR i <> 0) by (apply not_0_INR; lia).
  assert (Pn : INR n <> 0) by (apply not_0_INR; lia). destruct (base_at i Hi), (base_at j Hj).
  unfold growth in *. destruct (regime_causal r), (regime_by_position r); cbn [linear];
    rewrite ?base_growth0, ?base_reciprocal1, ?base_share1 by reflexivity; unfold score_8a, score_8b; simpl; rationals;
      field; auto.
Qed.

Lemma leftmost_score t s vals j : regime_causal r = false -> (1 <= j <= n)%nat -> linear t (h j) = s j ->
  scaled_score (Head PastMasked (temperature_of r) (sharp_query r) (leftmost_key t) vals) n h i j = score_8c s 3 n j.
Proof.
  intros Nc Hj E. unfold scaled_score, sharp_query, leftmost_key, temperature_of.
  cbn [head_queries head_keys head_temperature dot_product].
  rewrite linear_app_row, E. assert (Pn : INR n <> 0) by (apply not_0_INR; lia).
  destruct (base_at i Hi), (base_at j Hj).
  unfold growth in *. rewrite Nc in *. destruct (regime_by_position r); cbn [linear];
    rewrite ?base_growth0, ?base_share1 by reflexivity; unfold score_8c; simpl; rationals; field; auto.
Qed.

Variables (t : row) (s v : nat -> R) (x : nat).
Hypothesis Trigger : forall j, (1 <= j <= n)%nat -> linear t (h j) = s j.
Hypothesis Gap : forall m, has_gap n m s 1.
Hypothesis Value : forall j, (1 <= j <= n)%nat -> h j x = v j.
Hypothesis Range : forall j, 0 <= v j <= 1.

Lemma value_row j : (1 <= j <= n)%nat -> linear [x |-> 1] (h j) = v j.
Proof. intros Hj. cbn [linear]. rewrite Value by exact Hj. rationals. lra. Qed.

Lemma rightmost_head D0 j : is_rightmost n (future i) s j ->
  let y := attended (Head FutureMasked (temperature_of r) (sharp_query r) (rightmost_key r t) [(D0, [x |-> 1])]) n h i
    [x |-> 1] in
  0 <= y <= 1 /\ Rabs (v j - y) <= 1 / 4.
Proof.
  intros K. cbv zeta. unfold attended. cbn [mask_at head_masking].
  rewrite (attend_ext _ _ _ (if regime_causal r then score_8a s 3 i else score_8b s 3 n) _ v).
  - split; [eapply attend_range; [apply (visible_future n i Hi)|auto]|].
    eapply Rle_trans; [|apply (quarter 3), ln_below_3; lra]. destruct (regime_causal r);
      (apply attend_8; [lra|apply K| |auto]); [apply dominated_8a|apply dominated_8b]; auto; try lra.
    + intros l [_ M]. now apply Nat.leb_le in M.
    + intros l [Hl _]. lia.
  - intros l [Hl _]. rewrite (rightmost_score t s _ l Hl (Trigger l Hl)). now destruct (regime_causal r).
  - intros l [Hl _]. now apply value_row.
Qed.

Lemma leftmost_head D0 j : regime_causal r = false -> is_leftmost n (past i) s j ->
  let y := attended (Head PastMasked (temperature_of r) (sharp_query r) (leftmost_key t) [(D0, [x |-> 1])]) n h i
    [x |-> 1] in
  0 <= y <= 1 /\ Rabs (v j - y) <= 1 / 4.
Proof.
  intros Nc K. cbv zeta. unfold attended. cbn [mask_at head_masking].
  rewrite (attend_ext _ _ _ (score_8c s 3 n) _ v).
  - split; [eapply attend_range; [apply (visible_past n i Hi)|auto]|].
    eapply Rle_trans; [|apply (quarter 3), ln_below_3; lra].
    apply attend_8; [lra|apply K| |auto]. apply dominated_8c; auto; lra.
  - intros l [Hl _]. exact (leftmost_score t s _ l Nc Hl (Trigger l Hl)).
  - intros l [Hl _]. now apply value_row.
Qed.
End Sharp.

Ltac one_block := unfold achieves; split; [now apply block_grows|split; [lia|split;
  [apply Forall_cons; [apply block_layer; auto; congruence|apply Forall_nil]|]]].

Lemma total_app_units v us us' : total (fun u => let '(reads, b, y) := u in relu (linear reads v + Q2R b) * Q2R y)
  (us ++ us')
  = total (fun u => let '(reads, b, y) := u in relu (linear reads v + Q2R b) * Q2R y) us
  + total (fun u => let '(reads, b, y) := u in relu (linear reads v + Q2R b) * Q2R y) us'.
Proof. induction us as [|u us IH]; simpl; [lra|]. rewrite IH. lra. Qed.

(* The two units of Lemma 9, with gates. *)
Lemma rounding_total v x gates :
  total (fun u => let '(reads, b, y) := u in relu (linear reads v + Q2R b) * Q2R y) (rounding x gates)
  = rounded (v x + - total v gates).
Proof.
  assert (E : linear (map (fun d => d |-> -1) gates) v = - total v gates).
  { induction gates as [|d l IH]; simpl; [lra|]. rewrite IH. rationals. lra. }
  unfold rounding, rounded. cbn [total linear]. rewrite E. rationals.
  match goal with |- relu ?a * _ + (relu ?b * _ + 0) = 2 * relu ?c - 2 * relu ?d =>
    replace a with c by lra; replace b with d by lra end. lra.
Qed.

(* ---- since, until ---- *)
Section SinceUntil.
Variables (h : nat -> vector) (D x y : nat) (p q : nat -> bool).
Hypothesis G : good D h.
Hypothesis Hx : (x < D)%nat /\ forall i, (1 <= i <= n)%nat -> h i x = bit (decides p q i).
Hypothesis Hy : (y < D)%nat /\ forall i, (1 <= i <= n)%nat -> h i y = bit (both p q i).

Lemma decides_row j : (1 <= j <= n)%nat -> linear [x |-> 1] (h j) = bit (decides p q j).
Proof. intros Hj. cbn [linear]. rewrite (proj2 Hx) by exact Hj. rationals. lra. Qed.

Lemma since_achieved : achieves D h ([since_block r D x y], S (S D), (D + 3)%nat) (since_at p q).
Proof.
  one_block. intros i Hi. unfold run_layers. cbn [fold_left]. unfold since_block. rewrite block_result by assumption.
  unfold units_value. rewrite rounding_total, between_first. cbn [total].
  rewrite lemma_09_open, Q2R_0, Rplus_0_r by lra.
  destruct (rightmost_exists n (future i) (fun j => bit (decides p q j)) i (visible_future n i Hi)) as (j & K).
  destruct (rightmost_head h D i G Hi [x |-> 1] (fun j => bit (decides p q j)) (fun j => bit (both p q j)) y
    decides_row (fun m => gap_bit n m _) (proj2 Hy) (fun j => bit_range _) D j K) as [Rg E].
  rewrite (rightmost_decides p q n i j Hi K) in E. fold
    (first_head r n h D FutureMasked (sharp_query r) (rightmost_key r [x |-> 1]) [y |-> 1] i) in Rg, E.
  apply near_rounded, (near_from_error _ (1 / 4)); lra || assumption.
Qed.

Lemma until_achieved : regime_causal r = false -> achieves D h ([until_block r D x y], S (S D), (D + 3)%nat) (until_at
    n p q).
Proof.
  intros Nc. one_block. intros i Hi. unfold run_layers. cbn [fold_left]. unfold until_block.
  rewrite block_result by assumption.
  unfold units_value. rewrite rounding_total, between_first. cbn [total].
  rewrite lemma_09_open, Q2R_0, Rplus_0_r by lra.
  destruct (leftmost_exists n (past i) (fun j => bit (decides p q j)) i (visible_past n i Hi)) as (j & K).
  destruct (leftmost_head h D i G Hi [x |-> 1] (fun j => bit (decides p q j)) (fun j => bit (both p q j)) y
    decides_row (fun m => gap_bit n m _) (proj2 Hy) (fun j => bit_range _) D j Nc K) as [Rg E].
  rewrite (leftmost_decides p q n i j Hi K) in E. fold (first_head r n h D PastMasked (sharp_query r)
    (leftmost_key [x |-> 1]) [y |-> 1] i) in Rg, E.
  apply near_rounded, (near_from_error _ (1 / 4)); lra || assumption.
Qed.
End SinceUntil.

(* ---- previous, next ---- *)
Section Neighbours.
Variables (h : nat -> vector) (D x : nat) (p : nat -> bool).
Hypothesis G : good D h.
Hypothesis Hx : (x < D)%nat /\ forall i, (1 <= i <= n)%nat -> h i x = bit (p i).

Lemma parity_row (e : bool) j : (1 <= j <= n)%nat ->
  linear [dir_alternation |-> (if e then (1 # 2) else (-1 # 2))] (h j) = half_parity e j.
Proof.
  intros Hj. destruct G as (_ & B & _). destruct (B j Hj). cbn [linear]. rewrite base_alternation0. unfold half_parity.
  destruct e; rationals; lra.
Qed.

(* The units are the gated ones of Theorem 12. *)
Lemma gated_total v e i (edge : nat) : v dir_even = bit (Nat.even i) -> v dir_odd = bit (Nat.odd i) ->
  total (fun u => let '(reads, b, y) := u in relu (linear reads v + Q2R b) * Q2R y) (gated_units e edge)
  = gated (v e) (v (S e)) i (v edge).
Proof.
  intros Ev Od. unfold gated_units, gated. rewrite total_app_units, !rounding_total. cbn [total]. rewrite Ev, Od.
  f_equal; f_equal; lra.
Qed.

Lemma previous_achieved : achieves D h ([previous_block r D x], S (S D), (D + 3)%nat)
  (fun i => negb (i =? 1) && p (i - 1)).
Proof.
  one_block. intros i Hi. unfold run_layers. cbn [fold_left]. unfold previous_block. rewrite block_result by assumption.
  unfold units_value. pose proof G as (Fr & B & Z). pose proof (B i Hi) as [].
  rewrite (gated_total _ _ i); rewrite ?between_first, ?between_second;
    rewrite ?between_old by (unfold compiler.fresh in Fr; lia); [|exact base_even0|exact base_odd0].
  rewrite base_first0, Q2R_0, Rplus_0_r. apply gated_exact.
  - destruct (rightmost_exists n (future i) (half_parity true) i (visible_future n i Hi)) as (j & K).
    exact (proj1 (rightmost_head h D i G Hi _ _ _ x (parity_row true) (fun m => gap_parity n m true) (proj2 Hx)
      (fun j => bit_range _) D j K)).
  - destruct (rightmost_exists n (future i) (half_parity false) i (visible_future n i Hi)) as (j & K).
    exact (proj1 (rightmost_head h D i G Hi _ _ _ x (parity_row false) (fun m => gap_parity n m false) (proj2 Hx)
      (fun j => bit_range _) (S D) j K)).
  - intros Ne. apply Nat.eqb_neq in Ne. destruct (Nat.odd i) eqn:O.
    + pose proof (rightmost_neighbour n i true ltac:(lia) O) as K.
      destruct (rightmost_head h D i G Hi _ _ _ x (parity_row true) (fun m => gap_parity n m true) (proj2 Hx)
        (fun j => bit_range _) D _ K) as [Rg E].
      apply (near_from_error _ (1 / 4)); [exact E|lra|exact Rg].
    + pose proof (rightmost_neighbour n i false ltac:(lia) O) as K.
      destruct (rightmost_head h D i G Hi _ _ _ x (parity_row false) (fun m => gap_parity n m false) (proj2 Hx)
        (fun j => bit_range _) (S D) _ K) as [Rg E].
      apply (near_from_error _ (1 / 4)); [exact E|lra|exact Rg].
Qed.

Lemma next_achieved : regime_causal r = false -> achieves D h ([next_block r D x], S (S D), (D + 3)%nat)
  (fun i => negb (i =? n) && p (i + 1)).
Proof.
  intros Nc. one_block. intros i Hi. unfold run_layers. cbn [fold_left]. unfold next_block.
  rewrite block_result by assumption.
  unfold units_value. pose proof G as (Fr & B & Z). pose proof (B i Hi) as [].
  rewrite (gated_total _ _ i); rewrite ?between_first, ?between_second;
    rewrite ?between_old by (unfold compiler.fresh in Fr; lia); [|exact base_even0|exact base_odd0].
  rewrite (base_last0 Nc), Q2R_0, Rplus_0_r. apply gated_exact.
  - destruct (leftmost_exists n (past i) (half_parity true) i (visible_past n i Hi)) as (j & K).
    exact (proj1 (leftmost_head h D i G Hi _ _ _ x (parity_row true) (fun m => gap_parity n m true) (proj2 Hx)
      (fun j => bit_range _) D j Nc K)).
  - destruct (leftmost_exists n (past i) (half_parity false) i (visible_past n i Hi)) as (j & K).
    exact (proj1 (leftmost_head h D i G Hi _ _ _ x (parity_row false) (fun m => gap_parity n m false) (proj2 Hx)
      (fun j => bit_range _) (S D) j Nc K)).
  - intros Ne. apply Nat.eqb_neq in Ne. destruct (Nat.odd i) eqn:O.
    + pose proof (leftmost_neighbour n i true ltac:(lia) O) as K.
      destruct (leftmost_head h D i G Hi _ _ _ x (parity_row true) (fun m => gap_parity n m true) (proj2 Hx)
        (fun j => bit_range _) D _ Nc K) as [Rg E].
      apply (near_from_error _ (1 / 4)); [exact E|lra|exact Rg].
    + pose proof (leftmost_neighbour n i false ltac:(lia) O) as K.
      destruct (leftmost_head h D i G Hi _ _ _ x (parity_row false) (fun m => gap_parity n m false) (proj2 Hx)
        (fun j => bit_range _) (S D) _ Nc K) as [Rg E].
      apply (near_from_error _ (1 / 4)); [exact E|lra|exact Rg].
Qed.
End Neighbours.

(* ---- counting ---- *)
Section Counting.
Variables (h : nat -> vector) (D x : nat) (s : side) (p : nat -> bool).
Hypothesis G : good D h.
Hypothesis Hx : (x < D)%nat /\ forall i, (1 <= i <= n)%nat -> h i x = bit (p i).
Hypothesis Hc : counting = true.
Hypothesis Hs : side_ok s = true.

Lemma not_causal : s = ToRight -> regime_causal r = false.
Proof. intros E. rewrite E in Hs. simpl in Hs. now apply negb_true_iff in Hs. Qed.

Lemma length_reciprocal_value j : (1 <= j <= n)%nat -> h j (length_reciprocal s) = 1 / INR (span s n j).
Proof.
  intros Hj. destruct G as (_ & B & _). destruct (B j Hj). pose proof not_causal as Nc. unfold length_reciprocal, span.
  destruct s; auto.
Qed.

Lemma mean_achieved : let h' := after_layer n (mean_block r D s x) h in
  grows D h (D + 3) h' /\ layer_of r (mean_block r D s x) /\ forall i, (1 <= i <= n)%nat ->
  h' i D = INR (counted s n p i) / INR (span s n i) /\ h' i (S (S D)) = 1 / INR (span s n i) * bit (p i).
Proof.
  cbv zeta. unfold mean_block. split; [now apply block_grows|]. split.
  { apply block_layer. intros Ca. pose proof not_causal as Nc. destruct s; [reflexivity|rewrite Nc in Ca; congruence]. }
  intros i Hi. rewrite block_first, block_result by assumption. split.
  - rewrite <- (mean_head s n p i 0 Hi). unfold first_head, attended. cbn [head_masking].
    replace (mask_at _ i) with (side_mask s i) by now destruct s. apply attend_ext; intros j [Hj _].
    + unfold scaled_score. cbn [head_queries dot_product]. unfold Rdiv. now rewrite Rmult_0_l.
    + cbn [linear]. rewrite (proj2 Hx) by exact Hj. rationals. lra.
  - unfold units_value. cbn [total linear]. pose proof G as (Fr & _ & _).
    rewrite !between_old by (unfold compiler.fresh in Fr; destruct Hx, s; simpl; lia).
    rewrite (length_reciprocal_value i Hi), (proj2 Hx) by exact Hi.
    rewrite <- (here_units (p i) (span s n i)) by apply (span_range s n i Hi). rationals.
    match goal with |- relu ?a * _ + (relu ?b * _ + 0) + _ = relu ?c - relu ?d =>
      replace a with c by lra; replace b with d by lra end. lra.
Qed.

(* The factor of the lookup's scores: n, or i^2 in the causal regime. *)
Definition lookup_factor (i : nat) : R := if regime_causal r then INR i ^ 2 else INR n.

Lemma lookup_factor_large i : (1 <= i <= n)%nat -> 1 <= lookup_factor i / INR (span s n i).
Proof.
  intros Hi. unfold lookup_factor. destruct (regime_causal r) eqn:Ca; [|now apply scale_n].
  pose proof not_causal as Nc. destruct s; [|rewrite Nc in Ca; congruence]. simpl.
  assert (1 <= INR i) by (apply INR_at_least_1; lia). replace (INR i * (INR i * 1) / INR i) with (INR i) by
    (field; lra). lra.
Qed.

Variables (mean here : nat).
Hypothesis Hmean : forall i, (1 <= i <= n)%nat -> h i mean = INR (counted s n p i) / INR (span s n i).
Hypothesis Hhere : forall i, (1 <= i <= n)%nat -> h i here = 1 / INR (span s n i) * bit (p i).

Lemma lookup_raw g vals i j : (1 <= i <= n)%nat -> (1 <= j <= n)%nat ->
  scaled_score (Head (lookup_mask_of s) (temperature_of r) (lookup_queries s g mean here) lookup_keys vals) n h i j
  = raw_score s n i p (Q2R g) j * lookup_factor i.
Proof.
  intros Hi Hj. unfold scaled_score, lookup_queries, lookup_keys, temperature_of, raw_score, lookup_factor.
  cbn [head_queries head_keys head_temperature dot_product linear].
  rewrite (Hmean i Hi), (Hhere i Hi), (length_reciprocal_value i Hi), Q2R_opp.
  assert (Pi : INR i <> 0) by (apply not_0_INR; lia). assert (Pn : INR n <> 0) by (apply not_0_INR; lia).
  assert (Ps : INR (span s n i) <> 0) by (apply not_0_INR; pose proof (span_range s n i Hi); lia).
  destruct G as (_ & B & _). destruct (B j Hj). rewrite (base_place0 Hc), (base_square0 Hc). unfold stretch.
  pose proof (Counts Hc) as NC. destruct (regime_causal r), (regime_by_position r); try (discriminate NC; reflexivity);
    simpl; rationals; field; auto.
Qed.

Lemma lookup_mask_correct i : mask_at (lookup_mask_of s) i = lookup_mask s i.
Proof. now destruct s. Qed.

Lemma lookup_layer_mask : regime_causal r = true -> lookup_mask_of s = FutureMasked.
Proof. intros Ca. pose proof not_causal as Nc. destruct s; [reflexivity|rewrite Nc in Ca; congruence]. Qed.

Lemma others_achieved g C : Q2R g = 3 * C -> 1 <= C -> let h' := after_layer n (others_block r D s g mean here) h in
  grows D h (D + 3) h' /\ layer_of r (others_block r D s g mean here) /\
  forall i, (1 <= i <= n)%nat -> Rabs (INR (others s n p i) - h' i D) <= exp (- (3 * C)).
Proof.
  intros Eg HC. destruct (three_enough C HC) as (Le & Within & _). rewrite <- Eg in *. cbv zeta.
  unfold others_block. split; [now apply block_grows|].
  split; [apply block_layer, lookup_layer_mask|].
  intros i Hi. rewrite block_first by assumption. unfold first_head, attended. cbn [head_masking].
  rewrite lookup_mask_correct, (attend_ext _ _ _ (fun j => raw_score s n i p (Q2R g) j * lookup_factor i) _
    (fun j => INR j - 1)).
  - apply (others_scaled s n i p (Q2R g) Hi ltac:(lra) (lookup_factor i)); try assumption;
      [now apply lookup_factor_large|reflexivity].
  - intros j [Hj _]. now apply lookup_raw.
  - intros j [Hj _]. destruct G as (_ & B & _). destruct (B j Hj). cbn [linear].
    rewrite (base_plain0 Hc), base_one0. rationals. lra.
Qed.

Lemma on_count_achieved t not_x : listed t = true ->
  ((not_x < D)%nat /\ forall i, (1 <= i <= n)%nat -> h i not_x = bit (negb (p i))) ->
  achieves D h ([on_count_block r D s mean here (predicate_direction (place_of t predicates)) x not_x],
    S (S D), (D + 3)%nat) (fun i => holds users t (counted s n p i) n).
Proof.
  intros Lt Hn. unfold achieves. split; [now apply block_grows|]. split; [lia|]. split.
  { apply Forall_cons; [apply block_layer, lookup_layer_mask|apply Forall_nil]. }
  intros i Hi. unfold run_layers. cbn [fold_left]. unfold on_count_block. rewrite block_result by assumption.
  set (d := predicate_direction _). unfold units_value. rewrite total_app_units, !rounding_total. cbn [total].
  rewrite between_first, between_second, !between_old by (destruct Hx, Hn; lia).
  rewrite (proj2 Hx i Hi), (proj2 Hn i Hi), !Rplus_0_r, Q2R_0, Rplus_0_r.
  assert (E3 : Q2R 3 = 3 * 1) by (rationals; lra). destruct (three_enough 1 ltac:(lra)) as (_ & _ & Sharp).
  rewrite <- E3 in Sharp.
  assert (Read : forall D0 vrow v, (forall j, (1 <= j <= n)%nat -> linear vrow (h j) = v j) ->
    attended (Head (lookup_mask_of s) (temperature_of r) (lookup_queries s 3 mean here) lookup_keys [(D0, vrow)]) n h i
      vrow
    = attend n (lookup_mask s i) (fun j => raw_score s n i p (Q2R 3) j * lookup_factor i) v).
  { intros D0 vrow v E. unfold attended. cbn [head_masking]. rewrite lookup_mask_correct.
    apply attend_ext; intros j [Hj _]; [now apply lookup_raw|now apply E]. }
  destruct (predicate_scaled s n i p (Q2R 3) Hi ltac:(lra) (lookup_factor i) (fun j => holds users t j n)
    (lookup_factor_large i Hi) (Sharp _) (fun j => raw_score s n i p (Q2R 3) j * lookup_factor i)
    (fun j => eq_refl)) as [P1 P0].
  unfold first_head, second_head.
  rewrite (Read _ _ (fun j => bit (holds users t j n))), (Read _ _ (fun j => bit (holds users t (j - 1) n))).
  - assert (V : visible n (lookup_mask s i) i) by (destruct s; [now apply visible_future|now split]).
    assert (Rg : forall v, (forall j, 0 <= v j <= 1) -> 0 <= attend n (lookup_mask s i)
      (fun j => raw_score s n i p (Q2R 3) j * lookup_factor i) v <= 1) by
      (intros v Hv; eapply attend_range; [exact V|auto]).
    pose proof (Rg (fun j => bit (holds users t j n)) (fun j => bit_range _)) as R1.
    pose proof (Rg (fun j => bit (holds users t (j - 1) n)) (fun j => bit_range _)) as R0.
    set (a := attend _ _ _ (fun j => bit (holds users t j n))) in *.
    set (b := attend _ _ _ (fun j => bit (holds users t (j - 1) n))) in *.
    exact (picked_exact a b (p i) (holds users t (counted s n p i) n) R1 R0 P1 P0).
  - intros j Hj. destruct G as (_ & B & _). destruct (B j Hj). cbn [linear]. unfold d. rewrite (base_before0 t Lt).
    rationals. lra.
  - intros j Hj. destruct G as (_ & B & _). destruct (B j Hj). cbn [linear]. unfold d. rewrite (base_truth0 t Lt).
    rationals. lra.
Qed.
End Counting.

(* ---- comparisons ---- *)
Lemma linear_same D row v v' : Forall (fun e => (fst e < D)%nat) row -> (forall d, (d < D)%nat -> v' d = v d) ->
  linear row v' = linear row v.
Proof.
  intros F E. induction row as [|[d q] row IH]; [reflexivity|]. inversion F; subst. cbn [linear fst] in *.
  rewrite IH, E; auto.
Qed.

(* One unit that gives slack: the residual stream grows by it, and nothing else is said. *)
Lemma slack_achieved h D sign row b : good D h -> Forall (fun e => (fst e < D)%nat) row ->
  let h' := after_layer n (slack_block r D sign row b) h in
  grows D h (D + 3) h' /\ layer_of r (slack_block r D sign row b) /\
  forall i, (1 <= i <= n)%nat ->
    h' i (S (S D)) = relu (2 * Q2R sign * (linear row (h i) + Q2R b) - 1 / 2).
Proof.
  intros G F. cbv zeta. unfold slack_block, pointwise. split; [now apply block_grows|].
  split; [apply block_layer; auto|]. intros i Hi. rewrite block_result by assumption. unfold units_value.
  cbn [total]. rewrite (linear_combined (scaled _ _)), combined_scaled, <- linear_combined.
  rewrite (linear_same D row (h i)) by (exact F || (intros d Hd; now apply between_old)).
  rewrite Q2R_minus, !Q2R_mult. rationals.
  match goal with |- relu ?x * _ + 0 + _ = relu ?y => replace x with y by lra end. lra.
Qed.

Lemma decision_achieved h D q x y a b : good D h -> (x < D)%nat -> (y < D)%nat ->
  (forall i, (1 <= i <= n)%nat -> decided q (h i x) (h i y) = bit (relates q (a i) b)) ->
  achieves D h ([decision_block r D q x y], S (S D), (D + 3)%nat) (fun i => relates q (a i) b).
Proof.
  intros G Lx Ly E. assert (X : exists us c, decision_block r D q x y = pointwise r D us c /\
    forall v, total (fun u => let '(reads, b, y) := u in relu (linear reads v + Q2R b) * Q2R y) us + Q2R c
      = decided q (v x) (v y)).
  { destruct q; (do 2 eexists; split; [reflexivity|]; intros v; cbn [total linear decided]; rationals;
      match goal with |- relu ?u * _ + 0 + _ = relu ?u' => replace u with u' by lra
        | |- relu ?u * _ + 0 + _ = 1 - relu ?u' => replace u with u' by lra end; lra). }
  destruct X as (us & c & -> & X). one_block.
  intros i Hi. unfold run_layers. cbn [fold_left]. unfold pointwise. rewrite block_result by assumption.
  unfold units_value. rewrite X, !between_old by assumption. now apply E.
Qed.

Lemma comparison_achieved h D q row b (T : nat -> Z) : good D h -> Forall (fun e => (fst e < D)%nat) row ->
  (forall i, (1 <= i <= n)%nat -> Rabs (linear row (h i) + Q2R b - IZR (T i)) <= 1 / 4) ->
  achieves D h (comparison_blocks r D q row b, S (S (D + 6)), (D + 9)%nat) (fun i => relates q (T i) 0).
Proof.
  intros G F E. destruct (slack_achieved h D (-1) row b G F) as (Gr1 & La1 & V1).
  set (h1 := after_layer n (slack_block r D (-1) row b) h) in *. pose proof (good_grows _ _ _ _ G Gr1) as G1.
  assert (F1 : Forall (fun e => (fst e < D + 3)%nat) row) by (eapply Forall_impl; [|exact F]; simpl; intros; lia).
  destruct (slack_achieved h1 (D + 3) 1 row b G1 F1) as (Gr2 & La2 & V2).
  set (h2 := after_layer n (slack_block r (D + 3) 1 row b) h1) in *. pose proof (good_grows _ _ _ _ G1 Gr2) as G2.
  replace (D + 3 + 3)%nat with (D + 6)%nat in Gr2, G2 by lia.
  assert (A : achieves (D + 6) h2 ([decision_block r (D + 6) q (S (S D)) (S (S (D + 3)))], S (S (D + 6)),
    (D + 6 + 3)%nat) (fun i => relates q (T i) 0)).
  { apply decision_achieved; [exact G2|lia|lia|]. intros i Hi. pose proof Gr1 as (_ & Old1 & _).
    pose proof Gr2 as (_ & Old2 & _). rewrite (Old2 i (S (S D))), V1, V2 by (exact Hi || lia).
    rewrite (linear_same D row (h i) (h1 i)) by (exact F || (intros d Hd; now apply Old1)).
    rewrite <- (decided_exact q (T i) (linear row (h i) + Q2R b) (E i Hi)). unfold slack_at_least, slack_at_most.
    f_equal; f_equal; rationals; lra. }
  destruct A as (Gr3 & X3 & La3 & V3). unfold achieves, comparison_blocks.
  replace (D + 9)%nat with (D + 6 + 3)%nat by lia.
  split; [eapply grows_trans; [exact Gr1|eapply grows_trans; [exact Gr2|exact Gr3]]|].
  split; [exact X3|]. split; [exact (Forall_cons _ La1 (Forall_cons _ La2 La3))|exact V3].
Qed.
End Correct.
