(* The residual stream of a network after any number of half-layers, and what a part that is added changes.

   Proved (`extension`): if a head or units are added that read directions below F only and write directions from F on,
   no direction below F changes at any stage, and the new directions hold exactly what the part computes from the
   stage before it, from the stage after it on. So constructions can be proved one by one, wherever they are put. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia Arith FunctionalExtensionality.
From Certify Require Import lists finite_sums softmax relu formula network totals linear_combination draft.
Import ListNotations.
Open Scope R_scope.

(* ---- rows that mention directions below F only ---- *)
Definition row_below (F : nat) (r : row) : Prop := Forall (fun e => (fst e < F)%nat) r.
Definition head_below (F : nat) (a : head) : Prop := Forall (row_below F) (head_queries a) /\
  Forall (row_below F) (head_keys a) /\ Forall (fun v => (fst v < F)%nat /\ row_below F (snd v)) (head_values a).
Definition unit_below (F : nat) (u : relu_unit) : Prop := row_below F (unit_reads u) /\ row_below F (unit_writes u).
Definition layer_below (F : nat) (l : layer) : Prop :=
  Forall (head_below F) (layer_heads l) /\ Forall (unit_below F) (layer_units l) /\ row_below F (layer_bias l).

Lemma row_below_more F G r : (F <= G)%nat -> row_below F r -> row_below G r.
Proof. intros L. apply Forall_impl. intros e H. lia. Qed.
Lemma rows_below_more F G rows : (F <= G)%nat -> Forall (row_below F) rows -> Forall (row_below G) rows.
Proof. intros L. apply Forall_impl. intros r. now apply row_below_more. Qed.

Lemma layer_below_more F G l : (F <= G)%nat -> layer_below F l -> layer_below G l.
Proof.
  intros L (H & U & B). split; [|split; [|now apply (row_below_more F)]].
  - revert H. apply Forall_impl. intros a (Q & K & V).
    split; [now apply (rows_below_more F)|split; [now apply (rows_below_more F)|]].
    revert V. apply Forall_impl. intros v [V1 V2]. split; [lia|now apply (row_below_more F)].
  - revert U. apply Forall_impl. intros u [U1 U2]. split; now apply (row_below_more F).
Qed.

Lemma empty_below F : layer_below F empty_layer. Proof. repeat split; constructor. Qed.

Lemma nth_below F ls k : Forall (layer_below F) ls -> layer_below F (nth k ls empty_layer).
Proof.
  intros H. destruct (nth_in_or_default k ls empty_layer) as [I|E].
  - rewrite Forall_forall in H. now apply H.
  - rewrite E. apply empty_below.
Qed.

(* ---- layers of a draft ---- *)
Lemma nth_nil_empty k : nth k (@nil layer) empty_layer = empty_layer. Proof. now destruct k. Qed.

Lemma nth_at_layer change ls : forall k j, nth j (at_layer k change ls) empty_layer
  = if (j =? k)%nat then change (nth j ls empty_layer) else nth j ls empty_layer.
Proof.
  induction ls as [|l ls IH].
  - induction k as [|k IHk]; intros [|j]; simpl; try reflexivity; [now destruct j|].
    rewrite IHk, nth_nil_empty. reflexivity.
  - intros [|k] [|j]; simpl; try reflexivity. apply IH.
Qed.

Lemma at_layer_forall (P : layer -> Prop) change ls : P empty_layer -> (forall l, P l -> P (change l)) ->
  Forall P ls -> forall k, Forall P (at_layer k change ls).
Proof.
  intros E C H. induction H as [|l ls Hl H IH].
  - induction k as [|k IH]; simpl; constructor; auto.
  - intros [|k]; simpl; constructor; auto.
Qed.

(* ---- half-layers ---- *)
Section Stages.
Variable n : nat.

(* What the heads (the units) of a layer add. *)
Definition half_layer_output (heads : bool) (l : layer) (h : nat -> vector) : nat -> vector := fun i d =>
  if heads then total_over (head_output n h i d) (layer_heads l) else feedforward l (h i) d.
Definition half_step (heads : bool) (l : layer) (h : nat -> vector) : nat -> vector :=
  if heads then after_heads n l h else fun i d => h i d + feedforward l (h i) d.
Fixpoint halfway (ls : list layer) (e : nat -> vector) (s : nat) : nat -> vector :=
  match s with O => e | S s => half_step (Nat.even s) (nth (s / 2) ls empty_layer) (halfway ls e s) end.

Lemma half_step_added heads l h i d : half_step heads l h i d = h i d + half_layer_output heads l h i d.
Proof. now destruct heads. Qed.
Lemma even_double k : Nat.even (2 * k) = true /\ Nat.even (S (2 * k)) = false.
Proof. rewrite Nat.even_succ, <- Nat.negb_even, Nat.even_mul. now split. Qed.

Lemma half_double k : (2 * k / 2 = k)%nat /\ (S (2 * k) / 2 = k)%nat.
Proof.
  split; [rewrite Nat.mul_comm; now apply Nat.div_mul|].
  replace (S (2 * k)) with (1 + k * 2)%nat by lia. now rewrite Nat.div_add by lia.
Qed.

Lemma two_halves ls e k : halfway ls e (S (S (2 * k))) = after_layer n (nth k ls empty_layer) (halfway ls e (2 * k)).
Proof. cbn [halfway]. destruct (even_double k) as [-> ->], (half_double k) as [-> ->]. reflexivity. Qed.

Lemma layers_halfway e ls : fold_left (fun h l => after_layer n l h) ls e = halfway ls e (2 * length ls).
Proof.
  assert (H : forall later before, fold_left (fun h l => after_layer n l h) later
    (halfway (before ++ later) e (2 * length before)) = halfway (before ++ later) e (2 * length (before ++ later))).
  { induction later as [|l later IH]; intros before; cbn [fold_left]; [now rewrite !app_nil_r|].
    specialize (IH (before ++ [l])). rewrite <- !app_assoc in IH. cbn [app] in IH. rewrite <- IH. f_equal.
    rewrite length_app, Nat.add_1_r. replace (2 * S (length before))%nat with (S (S (2 * length before))) by lia.
    rewrite two_halves, app_nth2, Nat.sub_diag by lia. reflexivity. }
  exact (H ls []).
Qed.

Lemma run_halfway users T w :
  run_transformer users T n w = halfway (transformer_layers T) (embed users T n w) (2 * length (transformer_layers T)).
Proof. apply layers_halfway. Qed.

Lemma added_empty heads h i d : half_layer_output heads empty_layer h i d = 0.
Proof. destruct heads; unfold half_layer_output, feedforward, row_entry; simpl; lra. Qed.

(* After the last layer nothing changes. *)
Lemma halfway_beyond ls e s i d : (2 * length ls <= s)%nat -> halfway ls e s i d = halfway ls e (2 * length ls) i d.
Proof.
  induction 1 as [|s L IH]; [reflexivity|]. cbn [halfway]. rewrite half_step_added, IH.
  rewrite nth_overflow by (apply Nat.div_le_lower_bound; lia). rewrite added_empty. lra.
Qed.

(* ---- parts read and write what they mention ---- *)
Definition agree_below (F : nat) (h g : nat -> vector) : Prop := forall i d, (d < F)%nat -> h i d = g i d.

Local Lemma linear_agree F r (x y : vector) : row_below F r -> (forall d, (d < F)%nat -> x d = y d) ->
  linear r x = linear r y.
Proof. intros H E. induction H as [|[d q] r Hd H IH]; [reflexivity|]. cbn [linear]. now rewrite IH, E. Qed.

Lemma dot_product_agree F qs ks (x x' y y' : vector) : Forall (row_below F) qs -> Forall (row_below F) ks ->
  (forall d, (d < F)%nat -> x d = x' d) -> (forall d, (d < F)%nat -> y d = y' d) ->
  dot_product qs ks x y = dot_product qs ks x' y'.
Proof.
  intros Hq. revert ks. induction Hq as [|q qs H Hq IH]; intros ks Hk Ex Ey; [reflexivity|].
  destruct Hk as [|k ks K Hk]; [reflexivity|]. cbn [dot_product].
  now rewrite (linear_agree F q x x'), (linear_agree F k y y'), (IH ks).
Qed.

Lemma gathered_agree F a h g i r : Forall (row_below F) (head_queries a) -> Forall (row_below F) (head_keys a) ->
  row_below F r -> agree_below F h g -> head_value a n h i r = head_value a n g i r.
Proof.
  intros Q K V E. assert (S : scaled_score a n h i = scaled_score a n g i).
  { apply functional_extensionality. intros j. unfold scaled_score. f_equal. apply (dot_product_agree F); auto. }
  assert (L : (fun j => linear r (h j)) = (fun j => linear r (g j))) by (apply functional_extensionality; intros j;
    apply (linear_agree F); auto). unfold head_value, softmax_value. now rewrite S, L.
Qed.

Lemma added_agree F heads l h g i d : layer_below F l -> agree_below F h g -> half_layer_output heads l h i d =
  half_layer_output heads l g i d.
Proof.
  intros (H & U & _) E. unfold half_layer_output. rewrite Forall_forall in H, U. destruct heads.
  - apply total_ext. intros a Ha. destruct (H a Ha) as (Q & K & V). unfold head_output. clear H Ha.
    induction V as [|[x r] vs [Vx Vr] V IH]; [reflexivity|]. cbn [collect snd] in *.
    now rewrite IH, (gathered_agree F a h g).
  - unfold feedforward. f_equal. apply total_ext. intros u Hu. destruct (U u Hu) as [Ur _]. unfold unit_output.
    now rewrite (linear_agree F (unit_reads u) (h i) (g i)) by auto.
Qed.

Lemma collect_beyond {X} (f : X -> R) F l d : Forall (fun e => (fst e < F)%nat) l -> (F <= d)%nat -> collect f l d = 0.
Proof.
  intros H L. induction H as [|[e x] l He H IH]; [reflexivity|]. cbn [collect fst] in *.
  rewrite (proj2 (Nat.eqb_neq e d)), IH by lia. lra.
Qed.

Lemma added_beyond F heads l h i d : layer_below F l -> (F <= d)%nat -> half_layer_output heads l h i d = 0.
Proof.
  intros (H & U & B) L. unfold half_layer_output. rewrite Forall_forall in H, U. destruct heads.
  - apply total_zero. intros a Ha. destruct (H a Ha) as (_ & _ & V). apply (collect_beyond _ F); [|exact L].
    revert V. apply Forall_impl. tauto.
  - unfold feedforward, row_entry. rewrite (collect_beyond _ F _ d B L), total_zero; [lra|].
    intros u Hu. destruct (U u Hu) as [_ W]. unfold unit_output, row_entry. rewrite (collect_beyond _ F _ d W L). lra.
Qed.

Lemma halfway_outside F ls e i d : Forall (layer_below F) ls -> (F <= d)%nat -> forall s, halfway ls e s i d = e i d.
Proof.
  intros H L. induction s as [|s IH]; [reflexivity|]. cbn [halfway].
  rewrite half_step_added, (added_beyond F), IH by (auto using nth_below). lra.
Qed.

(* ---- a part is added ---- *)
Definition stage_before (heads : bool) (l : nat) : nat := if heads then (2 * l)%nat else S (2 * l).

Section Extension.
Variables (F : nat) (ls ls' : list layer) (e e' : nat -> vector) (heads : bool) (l : nat).
Variable part : (nat -> vector) -> nat -> vector.
Hypothesis Below : Forall (layer_below F) ls.
Hypothesis Embedded : agree_below F e e'.
Hypothesis Part : forall b k h i d, half_layer_output b (nth k ls' empty_layer) h i d
  = half_layer_output b (nth k ls empty_layer) h i d + (if eqb b heads && (k =? l)%nat then part h i d else 0).
Hypothesis Writes : forall h i d, (d < F)%nat -> part h i d = 0.

Lemma stage_before_unique s : eqb (Nat.even s) heads && (s / 2 =? l)%nat = (s =? stage_before heads l)%nat.
Proof.
  assert (E : exists k, s = (2 * k)%nat \/ s = S (2 * k)).
  { exists (s / 2)%nat. pose proof (Nat.div_mod s 2 ltac:(lia)). pose proof (Nat.mod_upper_bound s 2 ltac:(lia)). lia. }
  destruct E as [k [->| ->]]; destruct (even_double k) as [E1 E2], (half_double k) as [D1 D2];
    rewrite ?E1, ?E2, ?D1, ?D2; unfold stage_before; destruct heads; cbn [eqb andb];
    destruct (Nat.eqb_spec k l); symmetry; try (apply Nat.eqb_eq; lia); try (apply Nat.eqb_neq; lia).
Qed.

Lemma extension_agrees s : agree_below F (halfway ls e s) (halfway ls' e' s).
Proof.
  induction s as [|s IH]; [exact Embedded|]. intros i d L. cbn [halfway].
  rewrite !half_step_added, Part, Writes by exact L.
  rewrite <- (added_agree F _ _ _ _ i d (nth_below F ls _ Below) IH), (IH i d L). destruct (_ && _); lra.
Qed.

Lemma extension_writes s i d : (F <= d)%nat -> halfway ls' e' s i d
  = e' i d + (if (stage_before heads l <? s)%nat then part (halfway ls' e' (stage_before heads l)) i d else 0).
Proof.
  intros L. induction s as [|s IH]; [simpl; lra|]. cbn [halfway].
  rewrite half_step_added, Part, IH, (added_beyond F _ _ _ i d (nth_below F ls _ Below) L), stage_before_unique.
  destruct (Nat.eqb_spec s (stage_before heads l)) as [->|Ne].
  - rewrite (proj2 (Nat.ltb_ge _ _)), (proj2 (Nat.ltb_lt _ _)) by lia. lra.
  - destruct (Nat.ltb_spec (stage_before heads l) s), (Nat.ltb_spec (stage_before heads l) (S s)); try lia; lra.
Qed.
End Extension.

(* ---- what `put_head` and `put_units` add ---- *)
Lemma collect_appended {X} (f : X -> R) l m d : collect f (l ++ m) d = collect f l d + collect f m d.
Proof. induction l as [|[e x] l IH]; simpl; [lra|]. rewrite IH. lra. Qed.

Lemma added_put_head a b l h i d :
  half_layer_output b (put_head a l) h i d = half_layer_output b l h i d + (if b then head_output n h i d a else 0).
Proof.
  destruct b; unfold half_layer_output, put_head, feedforward; cbn [layer_heads layer_units layer_bias]; [|lra].
  rewrite total_app. cbn [total_over]. lra.
Qed.

Definition units_value (units : list draft_unit) (bias : Q) (x : vector) : R :=
  total_over (fun u => let '(reads, b, write) := u in relu (linear reads x + Q2R b) * Q2R write) units + Q2R bias.

Lemma added_put_units x units bias b l h i d : half_layer_output b (put_units x units bias l) h i d
  = half_layer_output b l h i d + (if b then 0 else if (x =? d)%nat then units_value units bias (h i) else 0).
Proof.
  destruct b; unfold half_layer_output, put_units, feedforward; cbn [layer_heads layer_units layer_bias]; [lra|].
  unfold row_entry. rewrite total_app, collect_appended.
  assert (B : collect Q2R (if Qeq_bool bias 0 then [] else [(x, bias)]) d = if (x =? d)%nat then Q2R bias else 0).
  { destruct (Qeq_bool bias 0) eqn:Z; simpl; [|lra]. apply Qeq_bool_R in Z. rewrite Z, Q2R_0.
    now destruct (x =? d)%nat. }
  rewrite B.
  assert (U : total_over (unit_output (h i) d) (map (unit_at x) units) = if (x =? d)%nat then total_over (fun u =>
    let '(reads, b, write) := u in relu (linear reads (h i) + Q2R b) * Q2R write) units else 0).
  { clear B. induction units as [|[[r c] y] us IH]; cbn [map total_over]; [now destruct (x =? d)%nat|].
    rewrite IH. unfold unit_output, unit_at, row_entry. cbn [unit_reads unit_bias unit_writes collect].
    destruct (x =? d)%nat; lra. }
  rewrite U. unfold units_value. destruct (x =? d)%nat; lra.
Qed.
End Stages.
