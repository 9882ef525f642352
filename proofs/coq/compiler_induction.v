(* Every formula that the regime supports is compiled rightly.

   Proved by induction on the formula, from the blocks of compiler_blocks.v: from a good residual stream the appended
   layers reach a good one in which the answer's direction holds the truth of the formula at every position. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia Arith.
From Certify Require Import finite_sums lemma_09_rounding formula linear_combination comparison network meaning
  proposition_11_end_markers theorem_15_since_until theorem_20_counting check_head check_feedforward check
  regime compiler compiler_blocks.
Import ListNotations.
Open Scope R_scope.

Section Induction.
Variables (users : nat -> nat -> nat -> bool) (n : nat) (w : word).
Variables (r : regime) (counting : bool) (k : nat) (predicates : list predicate).
Hypothesis Counts : counting = true -> regime_causal r = true -> regime_by_position r = false.
Notation tr := (truth users n w).
Notation compile := (compile r k predicates).
Notation compile_term := (compile_term r k predicates).
Notation good := (good users n w r counting k predicates).
Notation grows := (grows n).
Notation achieves := (achieves n r).
Notation supported := (supported r counting k predicates).
Notation supported_term := (supported_term r counting k predicates).
Notation run := (run_layers n).

Lemma achieved_good D h ls x D' p : good D h -> achieves D h (ls, x, D') p -> good D' (run ls h).
Proof. intros G (Gr & _). eapply good_grows; eassumption. Qed.

Lemma chain D h ls x D1 p ms y D2 q : achieves D h (ls, x, D1) p -> achieves D1 (run ls h) (ms, y, D2) q ->
  achieves D h (ls ++ ms, y, D2) q.
Proof.
  intros (G1 & X1 & F1 & V1) (G2 & Y2 & F2 & V2). unfold compiler_blocks.achieves.
  rewrite run_layers_app. split; [eapply grows_trans; eassumption|]. split; [exact Y2|].
  split; [apply Forall_app; now split|exact V2].
Qed.

(* What an earlier part has achieved stays. *)
Lemma kept D h ls x D1 p ms y D2 q : achieves D h (ls, x, D1) p -> achieves D1 (run ls h) (ms, y, D2) q ->
  (x < D2)%nat /\ forall i, (1 <= i <= n)%nat -> run ms (run ls h) i x = bit (p i).
Proof.
  intros (_ & X1 & _ & V1) ((L & Old & _) & _). split; [lia|]. intros i Hi. rewrite Old by assumption. now apply V1.
Qed.

Lemma result D h ls x D1 p : achieves D h (ls, x, D1) p ->
  (x < D1)%nat /\ forall i, (1 <= i <= n)%nat -> run ls h i x = bit (p i).
Proof. intros (_ & X & _ & V). now split. Qed.

Definition term_achieved (D : nat) (h : nat -> vector) (out : list layer * list (direction * Q) * nat) (t : term)
  (C : R) : Prop :=
  let '(ls, row, D') := out in
  grows D h D' (run ls h) /\ Forall (fun e => (fst e < D')%nat) row /\ Forall (layer_of r) ls /\
  forall i, (1 <= i <= n)%nat ->
    Rabs (linear row (run ls h i) + IZR (constant_of t) - IZR (value users n w t i)) <= IZR (weight_of t) * exp
      (- (3 * C)).

Lemma weight_nonneg t : (0 <= weight_of t)%Z.
Proof. induction t; simpl; lia. Qed.

(* Two operands, then a block. *)
Lemma binary D h f g (block : nat -> nat -> nat -> list layer) (out : nat -> nat) (size : nat) (b : nat -> bool) :
  good D h -> achieves D h (compile f D) (tr f) ->
  (forall D' h', good D' h' -> achieves D' h' (compile g D') (tr g)) ->
  (forall D' h' x y, good D' h' ->
     ((x < D')%nat /\ forall i, (1 <= i <= n)%nat -> h' i x = bit (tr f i)) ->
     ((y < D')%nat /\ forall i, (1 <= i <= n)%nat -> h' i y = bit (tr g i)) ->
     achieves D' h' (block D' x y, out D', (D' + size)%nat) b) ->
  achieves D h (let '(ls, x, D) := compile f D in let '(ms, y, D) := compile g D in
                (ls ++ ms ++ block D x y, out D, (D + size)%nat)) b.
Proof.
  intros G A1 A2 Bl. destruct (compile f D) as [[ls x] D1] eqn:E1. pose proof (achieved_good _ _ _ _ _ _ G A1) as G1.
  specialize (A2 D1 (run ls h) G1). destruct (compile g D1) as [[ms y] D2] eqn:E2.
  pose proof (achieved_good _ _ _ _ _ _ G1 A2) as G2.
  eapply chain; [exact A1|]. eapply chain; [exact A2|].
  apply Bl; [exact G2|exact (kept _ _ _ _ _ _ _ _ _ _ A1 A2)|exact (result _ _ _ _ _ _ A2)].
Qed.

Lemma unary D h f (block : nat -> nat -> list layer) (out : nat -> nat) (size : nat) (b : nat -> bool) :
  good D h -> achieves D h (compile f D) (tr f) ->
  (forall D' h' x, good D' h' -> ((x < D')%nat /\ forall i, (1 <= i <= n)%nat -> h' i x = bit (tr f i)) ->
     achieves D' h' (block D' x, out D', (D' + size)%nat) b) ->
  achieves D h (let '(ls, x, D) := compile f D in (ls ++ block D x, out D, (D + size)%nat)) b.
Proof.
  intros G A1 Bl. destruct (compile f D) as [[ls x] D1] eqn:E1. pose proof (achieved_good _ _ _ _ _ _ G A1) as G1.
  eapply chain; [exact A1|]. apply Bl; [exact G1|exact (result _ _ _ _ _ _ A1)].
Qed.

(* The two auxiliary truths of `since` and `until`, then their head. *)
Lemma three_blocks D h x y (p q : nat -> bool) dir_last b : good D h ->
  ((x < D)%nat /\ forall i, (1 <= i <= n)%nat -> h i x = bit (p i)) ->
  ((y < D)%nat /\ forall i, (1 <= i <= n)%nat -> h i y = bit (q i)) ->
  (forall D' h' x y, good D' h' ->
     ((x < D')%nat /\ forall i, (1 <= i <= n)%nat -> h' i x = bit (decides p q i)) ->
     ((y < D')%nat /\ forall i, (1 <= i <= n)%nat -> h' i y = bit (both p q i)) ->
     achieves D' h' ([dir_last D' x y], S (S D'), (D' + 3)%nat) b) ->
  achieves D h ([connective_implies r D x y; connective_and r (D + 3) x y;
                 dir_last (D + 6)%nat (S (S D)) (S (S (D + 3)))], S (S (D + 6)), (D + 9)%nat) b.
Proof.
  intros G Hx Hy L. pose proof (implies_block users n w r counting k predicates h D x y p q G Hx Hy) as A1.
  pose proof (achieved_good _ _ _ _ _ _ G A1) as G1. pose proof A1 as ((_ & Old & _) & _).
  assert (Keep : forall z c, ((z < D)%nat /\ forall i, (1 <= i <= n)%nat -> h i z = bit (c i)) ->
    (z < D + 3)%nat /\ forall i, (1 <= i <= n)%nat -> run [connective_implies r D x y] h i z = bit (c i)).
  { intros z c [Lz V]. split; [lia|]. intros i Hi. rewrite Old by assumption. now apply V. }
  pose proof (and_block users n w r counting k predicates _ (D + 3) x y p q G1 (Keep x p Hx) (Keep y q Hy)) as A2.
  pose proof (achieved_good _ _ _ _ _ _ G1 A2) as G2. pose proof (kept _ _ _ _ _ _ _ _ _ _ A1 A2) as K1.
  pose proof (result _ _ _ _ _ _ A2) as K2.
  replace (D + 9)%nat with (D + 6 + 3)%nat by lia. replace (D + 3 + 3)%nat with (D + 6)%nat in * by lia.
  change [connective_implies r D x y; connective_and r (D + 3) x y; dir_last (D + 6)%nat (S (S D)) (S (S (D + 3)))]
    with ([connective_implies r D x y] ++ [connective_and r (D + 3) x y] ++
      [dir_last (D + 6)%nat (S (S D)) (S (S (D + 3)))]).
  eapply chain; [exact A1|]. eapply chain; [exact A2|]. apply L; assumption.
Qed.

Lemma constant_block D h (b : bool) : good D h ->
  achieves D h ([pointwise r D [] (if b then 1%Q else 0%Q)], S (S D), (D + 3)%nat) (fun _ => b).
Proof.
  intros G. unfold compiler_blocks.achieves. split; [eapply block_grows; exact G|]. split; [lia|].
  split; [apply Forall_cons; [apply block_layer; auto|apply Forall_nil]|].
  intros i Hi. unfold run_layers. cbn [fold_left]. unfold pointwise. erewrite block_result by eassumption.
  unfold units_value. cbn [total]. destruct b; rationals; simpl; lra.
Qed.

Lemma mean_then_lookup D h s x p : good D h -> counting = true -> side_ok r s = true ->
  ((x < D)%nat /\ forall i, (1 <= i <= n)%nat -> h i x = bit (p i)) ->
  let h' := after_layer n (mean_block r D s x) h in
  good (D + 3) h' /\ grows D h (D + 3) h' /\ layer_of r (mean_block r D s x) /\
  (forall i, (1 <= i <= n)%nat -> h' i D = INR (counted s n p i) / INR (span s n i)) /\
  (forall i, (1 <= i <= n)%nat -> h' i (S (S D)) = 1 / INR (span s n i) * bit (p i)) /\
  ((x < D + 3)%nat /\ forall i, (1 <= i <= n)%nat -> h' i x = bit (p i)).
Proof.
  intros G Hc Hs Hx. cbv zeta.
  destruct (mean_achieved users n w r counting k predicates h D x s p G Hx Hs) as (Gr & La & V).
  split; [eapply good_grows; eassumption|]. split; [exact Gr|]. split; [exact La|].
  split; [intros i Hi; apply V, Hi|]. split; [intros i Hi; apply V, Hi|].
  destruct Gr as (_ & Old & _), Hx as [Lx Vx]. split; [lia|]. intros i Hi. rewrite Old by assumption. now apply Vx.
Qed.

Theorem compile_achieves :
  (forall f, supported f = true -> forall D h, good D h -> achieves D h (compile f D) (tr f)) /\
  (forall t, supported_term t = true -> forall g C, Q2R g = 3 * C -> 1 <= C -> forall D h, good D h ->
     term_achieved D h (compile_term g t D) t C).
Proof.
  apply formula_term_mutual.
  - intros b _ D h G. apply (constant_block D h b G).
  - intros a Sa D h G. unfold compiler_blocks.achieves. cbn [compiler.compile]. pose proof G as (Fr & B & _).
    apply Nat.ltb_lt in Sa. split; [eapply grows_refl; exact G|].
    split; [unfold symbol_direction; unfold compiler.fresh in Fr; lia|]. split; [constructor|].
    intros i Hi. destruct (B i Hi). now apply base_symbol.
  - intros f IH Sf D h G. apply (unary D h f (fun D x => [connective_not r D x]) (fun D => S (S D)) 3); auto.
    intros. eapply not_block; eassumption.
  - intros f IHf g IHg Sf D h G. apply andb_prop in Sf as [S1 S2].
    apply (binary D h f g (fun D x y => [connective_and r D x y]) (fun D => S (S D)) 3); auto. intros.
    eapply and_block; eassumption.
  - intros f IHf g IHg Sf D h G. apply andb_prop in Sf as [S1 S2].
    apply (binary D h f g (fun D x y => [connective_or r D x y]) (fun D => S (S D)) 3); auto. intros.
    eapply or_block; eassumption.
  - intros f IHf g IHg Sf D h G. apply andb_prop in Sf as [S1 S2].
    apply (binary D h f g (fun D x y => [connective_implies r D x y]) (fun D => S (S D)) 3); auto. intros.
    eapply implies_block; eassumption.
  - intros f IHf g IHg Sf D h G. apply andb_prop in Sf as [S1 S2].
    apply (binary D h f g (fun D x y => [connective_iff r D x y]) (fun D => S (S D)) 3); auto. intros.
    eapply iff_block; eassumption.
  - intros f IH Sf D h G. apply (unary D h f (fun D x => [previous_block r D x]) (fun D => S (S D)) 3); auto.
    intros. eapply previous_achieved; eassumption.
  - intros f IH Sf D h G. apply andb_prop in Sf as [Nc S1]. apply negb_true_iff in Nc.
    apply (unary D h f (fun D x => [next_block r D x]) (fun D => S (S D)) 3); auto. intros.
    eapply next_achieved; eassumption.
  - intros f IHf g IHg Sf D h G. apply andb_prop in Sf as [S1 S2].
    apply (binary D h f g (fun D x y => [connective_implies r D x y; connective_and r (D + 3) x y;
      since_block r (D + 6) (S (S D)) (S (S (D + 3)))]) (fun D => S (S (D + 6))) 9); auto.
    intros D' h' x y G' Hx Hy. apply (three_blocks D' h' x y (tr f) (tr g) (since_block r)); auto.
    intros. eapply since_achieved; eassumption.
  - intros f IHf g IHg Sf D h G. apply andb_prop in Sf as [Sf S2]. apply andb_prop in Sf as [Nc S1].
    apply negb_true_iff in Nc.
    apply (binary D h f g (fun D x y => [connective_implies r D x y; connective_and r (D + 3) x y;
      until_block r (D + 6) (S (S D)) (S (S (D + 3)))]) (fun D => S (S (D + 6))) 9); auto.
    intros D' h' x y G' Hx Hy. apply (three_blocks D' h' x y (tr f) (tr g) (until_block r)); auto.
    intros. eapply until_achieved; eassumption.
  - intros p Sp D h G. unfold compiler_blocks.achieves. cbn [compiler.compile]. pose proof G as (Fr & B & _).
    split; [eapply grows_refl; exact G|]. pose proof (place_below k predicates p Sp). split; [lia|].
    split; [constructor|].
    intros i Hi. destruct (B i Hi). now apply base_truth.
  - intros p s f IH Sf D h G. apply andb_prop in Sf as [Sf S1]. apply andb_prop in Sf as [Sf Ss].
    apply andb_prop in Sf as [Hc Lp].
    apply (unary D h f (fun D x => [connective_not r D x; mean_block r (D + 3) s x; on_count_block r (D + 6) s (D + 3)
      (S (S (D + 3))) (predicate_direction k (place_of p predicates)) x (S (S D))]) (fun D => S (S (D + 6))) 9); auto.
    intros D' h' x G' Hx.
    pose proof (not_block users n w r counting k predicates h' D' x x (tr f) (tr f) G' Hx Hx) as A.
    pose proof (achieved_good _ _ _ _ _ _ G' A) as G1. destruct (result _ _ _ _ _ _ A) as [Ln Vn].
    destruct A as (Gr1 & _ & La1 & _). apply Forall_inv in La1. cbn [run_layers fold_left] in *.
    set (h1 := after_layer n (connective_not r D' x) h') in *.
    assert (Hx1 : (x < D' + 3)%nat /\ forall i, (1 <= i <= n)%nat -> h1 i x = bit (tr f i)).
    { destruct Hx as [Lx Vx], Gr1 as (_ & Old & _). split; [lia|]. intros i Hi. rewrite Old by assumption.
      now apply Vx. }
    destruct (mean_then_lookup (D' + 3) h1 s x (tr f) G1 Hc Ss Hx1) as (G2 & Gr2 & La2 & Vm & Vh & Hx2).
    replace (D' + 9)%nat with (D' + 6 + 3)%nat by lia. replace (D' + 3 + 3)%nat with (D' + 6)%nat in * by lia.
    assert (Hn : (S (S D') < D' + 6)%nat /\ forall i, (1 <= i <= n)%nat ->
      after_layer n (mean_block r (D' + 3) s x) h1 i (S (S D')) = bit (negb (tr f i))).
    { destruct Gr2 as (_ & Old & _). split; [lia|]. intros i Hi. rewrite Old by assumption. now apply Vn. }
    pose proof (on_count_achieved users n w r counting k predicates Counts _ (D' + 6) x s (tr f) G2 Hx2 Hc Ss (D' + 3)
      (S (S (D' + 3))) Vm Vh p (S (S D')) Lp Hn) as A.
    destruct A as (GA & XA & FA & VA). unfold compiler_blocks.achieves. cbn [run_layers fold_left] in *.
    split; [eapply grows_trans; [exact Gr1|eapply grows_trans; [exact Gr2|exact GA]]|]. split; [lia|].
    split; [exact (Forall_cons _ La1 (Forall_cons _ La2 FA))|exact VA].
  - intros q t IHt u IHu Su D h G. apply andb_prop in Su as [S1 S2].
    change (compile (Compare q t u) D) with
      (let '(ls, x, D) := compile_term (sharpness t u) t D in let '(ms, y, D) := compile_term (sharpness t u) u D in
       (ls ++ ms ++ comparison_blocks r D q (x ++ scaled (-1) y) (inject_Z (constant_difference t u)), S (S (D + 6)),
         (D + 9)%nat)).
    set (C := IZR (1 + weight_of t + weight_of u)). pose proof (weight_nonneg t) as W1.
    pose proof (weight_nonneg u) as W2.
    assert (HC : 1 <= C) by (apply (IZR_le 1); lia).
    assert (Eg : Q2R (sharpness t u) = 3 * C) by (unfold sharpness; rewrite Q2R_mult, IZR_rational; rationals;
      unfold C; lra).
    specialize (IHt S1 (sharpness t u) C Eg HC D h G). destruct (compile_term (sharpness t u) t D) as [[ls row] D1].
    destruct IHt as (Gr1 & Fo1 & La1 & V1). assert (G1 : good D1 (run ls h)) by (eapply good_grows; eassumption).
    specialize (IHu S2 (sharpness t u) C Eg HC D1 (run ls h) G1).
    destruct (compile_term (sharpness t u) u D1) as [[ms row'] D2].
    destruct IHu as (Gr2 & Fo2 & La2 & V2). assert (G2 : good D2 (run ms (run ls h))) by
      (eapply good_grows; eassumption).
    assert (A : achieves D2 (run ms (run ls h)) (comparison_blocks r D2 q (row ++ scaled (-1) row')
      (inject_Z (constant_difference t u)), S (S (D2 + 6)), (D2 + 9)%nat)
      (fun i => relates q (value users n w t i - value users n w u i) 0)).
    { eapply comparison_achieved; [exact Counts|exact G2| |].
      - apply Forall_app. destruct Gr2 as (L2 & _). split; [eapply Forall_impl; [|exact Fo1]; simpl; intros; lia|].
        unfold scaled. apply Forall_map. exact Fo2.
      - intros i Hi. rewrite linear_app_row. destruct Gr2 as (L2 & Old & _).
        rewrite (linear_same D1 row (run ls h i)) by (exact Fo1 || (intros d Hd; now apply Old)).
        rewrite (linear_combined (scaled _ _)), combined_scaled, <- linear_combined, IZR_rational.
        unfold constant_difference. rewrite !minus_IZR. specialize (V1 i Hi). specialize (V2 i Hi).
        apply Rle_trans with (IZR (weight_of t) * exp (- (3 * C)) + IZR (weight_of u) * exp (- (3 * C))).
        + match goal with |- Rabs ?e <= _ => replace e with
            ((linear row (run ls h i) + IZR (constant_of t) - IZR (value users n w t i))
             + - (linear row' (run ms (run ls h) i) + IZR (constant_of u) - IZR (value users n w u i))) by
                 (rationals; lra) end.
          eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra.
        + eapply Rle_trans; [|apply (weight_enough C); lra]. pose proof (exp_pos (- (3 * C))).
          rewrite <- Rmult_plus_distr_r. apply Rmult_le_compat_r; [lra|]. unfold C. rewrite <- plus_IZR. apply IZR_le.
          lia. }
    destruct A as (GA & XA & FA & VA). unfold compiler_blocks.achieves. rewrite !run_layers_app.
    split; [eapply grows_trans; [exact Gr1|eapply grows_trans; [exact Gr2|exact GA]]|]. split; [exact XA|].
    split; [repeat (apply Forall_app; split); assumption|].
    intros i Hi. rewrite (VA i Hi). f_equal. change (tr (Compare q t u) i) with
      (relates q (value users n w t i) (value users n w u i)).
    rewrite (relates_difference q (value users n w t i)), (relates_difference q (_ - _) 0). now rewrite Z.sub_0_r.
  - intros c _ g C Eg HC D h G. unfold term_achieved. cbn [compiler.compile_term run_layers fold_left].
    split; [eapply grows_refl; exact G|]. split; [constructor|]. split; [constructor|]. intros i Hi.
    change (value users n w (Number c) i) with c. simpl. rewrite Rplus_0_l, Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
  - intros a s f IHf rest IHr St g C Eg HC D h G. apply andb_prop in St as [St S2]. apply andb_prop in St as [St S1].
    apply andb_prop in St as [Hc Ss]. specialize (IHf S1 D h G).
    change (compile_term g (Plus a s f rest) D) with
      (let '(ls, x, D) := compile f D in let '(ms, row, D') := compile_term g rest (D + 6) in
       (ls ++ [mean_block r D s x; others_block r (D + 3) s g D (S (S D))] ++ ms,
        (D + 3)%nat |-> inject_Z a :: x |-> inject_Z a :: row, D')).
    destruct (compile f D) as [[ls x] D1]. pose proof (achieved_good _ _ _ _ _ _ G IHf) as G1.
    destruct (mean_then_lookup D1 (run ls h) s x (tr f) G1 Hc Ss (result _ _ _ _ _ _ IHf)) as
      (G2 & Gr2 & La2 & Vm & Vh & Hx).
    destruct (others_achieved users n w r counting k predicates Counts _ (D1 + 3) x s (tr f) G2 Hx Hc Ss D1 (S (S D1))
      Vm Vh g C Eg HC)
      as (Gr3 & La3 & V3).
    replace (D1 + 3 + 3)%nat with (D1 + 6)%nat in * by lia.
    set (h3 := after_layer n (others_block r (D1 + 3) s g D1 (S (S D1)))
      (after_layer n (mean_block r D1 s x) (run ls h))) in *.
    assert (G3 : good (D1 + 6) h3) by (eapply good_grows; eassumption).
    specialize (IHr S2 g C Eg HC (D1 + 6)%nat h3 G3). destruct (compile_term g rest (D1 + 6)) as [[ms row] D'].
    destruct IHr as (Gr4 & Fo4 & La4 & V4). destruct IHf as (Gr1 & X1 & F1 & _).
    assert (Run : run (ls ++ [mean_block r D1 s x; others_block r (D1 + 3) s g D1 (S (S D1))] ++ ms) h = run ms h3).
    { now rewrite !run_layers_app. }
    unfold term_achieved. rewrite Run. pose proof Gr4 as (L4 & Old4 & _). pose proof Gr3 as (_ & Old3 & _).
    split; [eapply grows_trans; [exact Gr1|eapply grows_trans; [exact Gr2|eapply grows_trans; [exact Gr3|exact Gr4]]]|].
    split; [constructor; [simpl; lia|constructor; [simpl; lia|exact Fo4]]|].
    split; [apply Forall_app; split; [exact F1|exact (Forall_cons _ La2 (Forall_cons _ La3 La4))]|].
    intros i Hi. cbn [linear constant_of weight_of]. rewrite (Old4 i (D1 + 3)%nat), (Old4 i x),
      (Old3 i x) by (lia || exact Hi).
    rewrite (proj2 Hx i Hi), !IZR_rational. specialize (V3 i Hi). specialize (V4 i Hi).
    change (value users n w (Plus a s f rest) i) with (a * Z.of_nat (counted s n (tr f) i) + value users n w rest i)%Z.
    rewrite !plus_IZR, mult_IZR, <- INR_IZR_INZ, (counted_others s n (tr f) i Hi), abs_IZR.
    set (m := INR (others s n (tr f) i)) in *. set (y := h3 i (D1 + 3)%nat) in *. set (z := linear row _) in *.
    set (b := bit _).
    match goal with |- Rabs ?e <= _ => replace e with (- (IZR a * (m - y)) +
      (z + IZR (constant_of rest) - IZR (value users n w rest i))) by ring end.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp, Rabs_mult, Rmult_plus_distr_r.
    apply Rplus_le_compat; [|exact V4]. apply Rmult_le_compat_l; [apply Rabs_pos|exact V3].
Qed.
End Induction.
