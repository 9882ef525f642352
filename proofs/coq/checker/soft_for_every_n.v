(* Theorem 26 for a concrete network and every n, by computation: what `certify model --every-n` asks of Coq.

   `softens T b p` computes on the weights of T: kinds of directions (whole_networks.v) give the gap 1/n and that
   nothing
   ties, the embedding gives x_max <= s n^m, and K1, K2 are those of Theorem 26.
   Proved: if it is true, then with softmax
   at temperature 5/(7 n (b + log2ceil(n^p))) nothing moves by more than 1/4, for every n, word and position. *)
From Coq Require Import Reals QArith Qreals Qabs ZArith List Bool Lra Lia Arith.
From Certify Require Import positions finite_sums exponential linear_combination formula network hard_attention norms
  soft_layers theorem_26_uniform_tieless whole_numbers whole_networks.
Import ListNotations PositionNotations.
Open Scope R_scope.

(* ---- x_max <= s n^m ---- *)
Definition position_law (p : position_function) : option (Q * nat) :=
  match p with
  | Formula (Num q) => Some (Qabs q, 0%nat)
  | Formula VarI => Some (1%Q, 1%nat)
  | Formula (Power VarI (Int 2)) => Some (1%Q, 2%nat)
  | Formula (Div VarI VarN) => Some (1%Q, 0%nat)
  | Formula (Div (Num q) VarI) => Some (Qabs q, 0%nat)
  | Formula _ => None
  | Bracket _ _ => Some (1%Q, 0%nat)
  end.

Lemma position_law_correct users n (i : position n) p f m : position_law p = Some (f, m) ->
  0 <= Q2R f /\ Rabs (position_value users p n i) <= Q2R f * INR n ^ m.
Proof.
  pose proof (INR_at_least_1 i ltac:(lia)) as I1. pose proof (le_INR i n ltac:(lia)) as In.
  assert (Num_case : forall q, 0 <= Q2R (Qabs q) /\ Rabs (Q2R q) <= Q2R (Qabs q) * INR n ^ 0).
  { intros q. rewrite Q2R_Qabs. pose proof (Rabs_pos (Q2R q)). simpl. lra. }
  destruct p as [x|g s]; cbn [position_law position_value].
  2:{ intros [= <- <-]. pose proof (bit_range (truth users n no_word g (if s then (i - 1)%nat else i))).
      rewrite Q2R_1, Rabs_right; simpl; lra. }
  destruct x as [q| | | | | |x y| |x k|g x]; try discriminate; cbn [position_law expression_value].
  - intros [= <- <-]. apply Num_case.
  - intros [= <- <-]. rewrite Q2R_1, Rabs_right; simpl; lra.
  - destruct x as [q| | | | | | | | |]; try discriminate; destruct y; try discriminate; cbn [expression_value].
    + intros [= <- <-]. destruct (Num_case q) as [A B]. split; [exact A|]. unfold Rdiv. rewrite Rabs_mult.
      rewrite (Rabs_right (/ INR i)) by (left; apply Rinv_0_lt_compat; lra). assert (/ INR i <= 1) by auto with signs.
      simpl in *. pose proof (Rabs_pos (Q2R q)).
      assert (Rabs (Q2R q) * / INR i <= Rabs (Q2R q) * 1) by (apply Rmult_le_compat_l; lra). lra.
    + intros [= <- <-]. rewrite Q2R_1. split; [lra|]. assert (0 <= INR i / INR n <= 1).
      { split; [auto with signs|].
        apply Rmult_le_reg_r with (INR n); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
      rewrite Rabs_right; simpl; lra.
  - destruct x; try discriminate. destruct k as [z| | | |]; try discriminate.
    destruct z as [|[| [| |] |]|]; try discriminate. intros [= <- <-]. rewrite Q2R_1. split; [lra|].
    cbn [expression_value integer_value powerRZ Pos.to_nat Pos.iter_op]. simpl. rewrite Rabs_right by nra. nra.
Qed.

(* One source for every direction, a factor and an exponent for all of them. *)
Local Definition alone (T : transformer) (d : direction) : bool :=
  match filter (fun e => Nat.eqb (fst e) d) (position_embedding T) with
  | [_] => forallb (fun r => Qeq_bool (weight_on r d) 0) (token_embedding T)
  | _ => false
  end.
Fixpoint position_laws (l : list (direction * position_function)) : option (Q * nat) :=
  match l with
  | [] => Some (1%Q, 0%nat)
  | (_, p) :: l => match position_law p, position_laws l with
                   | Some (f, m), Some (g, k) => Some (larger_rational f g, Nat.max m k)
                   | _, _ => None
                   end
  end.
Definition token_factor (T : transformer) : Q :=
  greatest_rational (flat_map (fun r => map (fun d => Qabs (weight_on r d)) (directions_of r)) (token_embedding T)).
Definition initial_law (T : transformer) : option (Q * nat) :=
  if forallb (fun e => alone T (fst e)) (position_embedding T)
  then match position_laws (position_embedding T) with Some (f, m) => Some (larger_rational (token_factor T) f,
    m) | None => None end
  else None.

Lemma law_grows (n m k : nat) f g : (1 <= n)%nat -> (m <= k)%nat -> 0 <= f <= g -> f * INR n ^ m <= g * INR n ^ k.
Proof.
  intros Hn L F. pose proof (INR_at_least_1 n Hn) as N1. apply Rmult_le_compat; try lra; [apply pow_le; lra|].
  now apply Rle_pow.
Qed.

Lemma position_laws_correct users n (i : position n) l : forall f m, position_laws l = Some (f, m) ->
  1 <= Q2R f /\ forall d p, In (d, p) l -> Rabs (position_value users p n i) <= Q2R f * INR n ^ m.
Proof.
  induction l as [|[e q] l IH]; cbn [position_laws]; intros f m.
  - intros [= <- <-]. rewrite Q2R_1. split; [lra|easy].
  - destruct (position_law q) as [[g k]|] eqn:P; [|discriminate].
    destruct (position_laws l) as [[g' k']|] eqn:L; [|discriminate]. intros E.
    assert (E1 : f = larger_rational g g') by congruence. assert (E2 : m = Nat.max k k') by congruence. subst f m.
    destruct (IH g' k' eq_refl) as [G A]. destruct (position_law_correct users n i q g k P) as [G0 B].
    rewrite larger_correct. pose proof (Rmax_l (Q2R g) (Q2R g')) as M1. pose proof (Rmax_r (Q2R g) (Q2R g')) as M2.
    split; [lra|]. intros d p [[= <- <-]|I].
    + eapply Rle_trans; [exact B|]. apply law_grows; [lia|lia|lra].
    + eapply Rle_trans; [exact (A d p I)|]. apply law_grows; [lia|lia|lra].
Qed.

Lemma token_factor_correct T r d : In r (token_embedding T) -> Rabs (row_entry r d) <= Q2R (token_factor T).
Proof.
  intros R. rewrite <- weight_on_correct, <- Q2R_Qabs. destruct (in_dec Nat.eq_dec d (directions_of r)) as [I|N].
  - apply greatest_bounds, in_flat_map. exists r. split; [exact R|]. now apply (in_map (fun d => Qabs (weight_on r d))).
  - rewrite Q2R_Qabs, weight_on_correct. unfold row_entry. rewrite (lemma_24_gap.collect_absent Q2R r d N), Rabs_R0.
    apply greatest_nonneg.
Qed.

Theorem initial_law_correct users T n f m : (1 <= n)%nat -> initial_law T = Some (f, m) ->
  initial_at_most users T n (Q2R f * INR n ^ m).
Proof.
  intros Hn. unfold initial_law. destruct (forallb (fun e => alone T (fst e)) (position_embedding T)) eqn:A;
    [|discriminate].
  destruct (position_laws (position_embedding T)) as [[g k]|] eqn:P; [|discriminate]. intros E.
  assert (E1 : f = larger_rational (token_factor T) g) by congruence. assert (E2 : m = k) by congruence. subst f m.
  rewrite forallb_forall in A. rewrite larger_correct. set (t := Q2R (token_factor T)).
  pose proof (greatest_nonneg (flat_map (fun r => map (fun d => Qabs (weight_on r d)) (directions_of r))
    (token_embedding T)) : 0 <= t) as T0. pose proof (Rmax_l t (Q2R g)) as M1. pose proof (Rmax_r t (Q2R g)) as M2.
  pose proof (pow_R1_Rle (INR n) k (INR_at_least_1 n Hn)) as N1.
  destruct (position_laws_correct users n (Position 1 ltac:(lia)) _ g k P) as [G _]. split.
  - apply product_at_least_1; lra.
  - intros w O i d Hi. destruct (position_laws_correct users n (Position i Hi) _ g k P) as [_ B].
    assert (Up : forall y, 0 <= y -> y <= Rmax t (Q2R g) -> y <= Rmax t (Q2R g) * INR n ^ k).
    { intros y Y L. rewrite <- (Rmult_1_r y). apply Rmult_le_compat; lra. }
    unfold embed. rewrite collect_filter. set (r := nth (w i) (token_embedding T) []).
    assert (R : In r (token_embedding T)) by (apply nth_In; now apply O).
    destruct (filter (fun e => Nat.eqb (fst e) d) (position_embedding T)) as [|[e p] l] eqn:F.
    + cbn [total_over]. rewrite Rplus_0_r. apply Up; [apply Rabs_pos|]. pose proof (token_factor_correct T r d R).
    fold t in H. lra.
    + assert (I : In (e, p) (position_embedding T) /\ (e =? d)%nat = true).
      { apply (filter_In (fun x => Nat.eqb (fst x) d) (e, p)). rewrite F. now left. }
      destruct I as [I D]. apply Nat.eqb_eq in D. subst e. specialize (A (d, p) I). unfold alone in A. cbn [fst] in A.
      rewrite F in A. destruct l; [|discriminate]. rewrite forallb_forall in A. specialize (A r R).
      apply Qeq_bool_R in A. rewrite weight_on_correct, Q2R_0 in A. cbn [total_over snd].
      rewrite A, Rplus_0_l, Rplus_0_r. eapply Rle_trans; [exact (B d p I)|]. apply law_grows; [exact Hn|lia|lra].
Qed.

(* ---- the temperature ---- *)
Local Fixpoint power (q : Q) (k : nat) : Q := match k with O => 1%Q | S k => Qred (q * power q k) end.
Lemma power_correct q k : Q2R (power q k) = Q2R q ^ k.
Proof. induction k as [|k IH]; cbn [power pow]; [apply Q2R_1|]. now rewrite Q2R_reduced, Q2R_mult, IH. Qed.

Local Definition scale (T : transformer) (f : Q) : Q := Qred (2 * power (2 * theorem_26_K1 T) (transformer_depth T) *
  theorem_26_K2 T * (f * f)).
(* A letter, so that nothing is said of no word. *)
Definition has_letter (T : transformer) : bool := match token_embedding T with [] => false | _ => true end.
Local Definition softens (T : transformer) (b : Z) (p : nat) : bool :=
  has_letter T && sharp_network T &&
  match initial_law T with
  | Some (f, m) => Qle_bool (scale T f) (inject_Z (2 ^ b)) && Z.leb 0 b && Nat.leb (2 + 2 * m) p
  | None => false
  end.
Local Definition temperature (b : Z) (p n : nat) : R := 5 / (7 * INR n * IZR (b + Z.log2_up (Z.of_nat n ^ Z.of_nat p))).

Lemma ln_2_below : ln 2 <= 7 / 10.
Proof.
  apply ln_below; [lra|]. eapply Rle_trans; [|apply (exp_lower (7 / 10) 40); [lra|lia]].
  replace (INR 40) with 40 by (simpl; lra). replace 40%nat with (10 * 4)%nat by lia. rewrite pow_mult.
  assert (A : 1189 / 1000 <= (1 + 7 / 10 / 40) ^ 10) by (simpl; lra).
  assert (B : (11893 / 10000) ^ 4 <= ((1 + 7 / 10 / 40) ^ 10) ^ 4).
  { apply pow_incr. split; [lra|]. simpl. lra. }
  eapply Rle_trans; [|exact B]. simpl. lra.
Qed.

Lemma log2_up_bound n p : (1 <= n)%nat -> INR n ^ p <= 2 ^ Z.to_nat (Z.log2_up (Z.of_nat n ^ Z.of_nat p)).
Proof.
  intros Hn. set (a := (Z.of_nat n ^ Z.of_nat p)%Z). assert (A : (0 < a)%Z) by (apply Z.pow_pos_nonneg; lia).
  assert (L : (a <= 2 ^ Z.log2_up a)%Z) by (apply Z.log2_up_le_pow2; lia). pose proof (Z.log2_up_nonneg a) as N.
  apply IZR_le in L. unfold a in L at 1. rewrite <- pow_IZR, <- INR_IZR_INZ in L.
  rewrite <- (Z2Nat.id (Z.log2_up a)), <- pow_IZR in L by exact N. exact L.
Qed.

Theorem softened_for_every_n users T b p : softens T b p = true -> (forall n, exists w, word_in_alphabet T n w) /\
  forall n w i D, word_in_alphabet T n w -> i upto n -> run_distance users (temperature b p) T n w i D <= 1 / 4.
Proof.
  unfold softens. intros E. apply andb_prop in E as [S E]. apply andb_prop in S as [Letter S]. split.
  { intros n. exists (fun _ => 0%nat). intros i _. unfold has_letter in Letter.
    destruct (token_embedding T); [discriminate|simpl; lia]. }
  intros n w i D O Hi. destruct (initial_law T) as [[f m]|] eqn:X; [|discriminate]. apply andb_prop in E as [E P].
  apply andb_prop in E as [E B0]. apply Nat.leb_le in P. apply Z.leb_le in B0. apply Qle_bool_R in E.
  assert (Hn : (1 <= n)%nat) by lia. destruct (sharp_network_correct users T n S Hn) as [Gap Tie].
  pose proof (initial_law_correct users T n f m Hn X) as Init. pose proof (INR_at_least_1 n Hn) as N1.
  set (x := Q2R f * INR n ^ m) in *. assert (G : Rmin (/ INR n) 1 = / INR n) by (apply Rmin_left; auto with signs).
  assert (HG : 0 < / INR n <= 1) by (split; auto with signs). set (e := Z.log2_up (Z.of_nat n ^ Z.of_nat p)).
  assert (E0 : (0 <= e)%Z) by apply Z.log2_up_nonneg.
  assert (R2 : 2 <= R_26 T n (/ INR n) x) by (apply R_26_above_1; [exact Hn|exact HG|apply Init]).
  assert (RB : R_26 T n (/ INR n) x <= 2 ^ Z.to_nat (b + e)).
  { rewrite Z2Nat.inj_add, pow_add by assumption. unfold R_26, inverse_share, x.
    replace (2 * (2 * Q2R (theorem_26_K1 T)) ^ transformer_depth T * Q2R (theorem_26_K2 T) * INR n * (Q2R f * INR n ^ m)
      ^ 2 / / INR n) with (Q2R (scale T f) * INR n ^ (2 + 2 * m)).
    - apply Rmult_le_compat.
      + unfold scale. rewrite Q2R_reduced, !Q2R_mult, power_correct, Q2R_mult, Q2R_two.
        pose proof (constant_1_at_least_1 (transformer_layers T) (inject_Z (Z.of_nat (embedded_count T))) : 1 <=
          Q2R (theorem_26_K1 T)).
        pose proof (constant_2_at_least_1 (transformer_layers T) (inject_Z (Z.of_nat (embedded_count T))) : 1 <=
          Q2R (theorem_26_K2 T)). apply Rmult_le_pos; [auto with signs|apply Rle_0_sqr].
      + apply pow_le. lra.
      + eapply Rle_trans; [exact E|]. apply Req_le. unfold Q2R, inject_Z. simpl. rewrite Rinv_1, Rmult_1_r.
        rewrite <- (Z2Nat.id b) at 1 by exact B0. now rewrite <- pow_IZR.
      + eapply Rle_trans; [|now apply log2_up_bound]. now apply Rle_pow.
    - unfold scale. rewrite Q2R_reduced, !Q2R_mult, power_correct, Q2R_mult, Q2R_two, pow_add, pow_mult.
      replace ((INR n ^ 2) ^ m) with ((INR n ^ m) ^ 2) by (rewrite <- !pow_mult; f_equal; lia). field. lra. }
  assert (LR : ln (R_26 T n (/ INR n) x) <= 7 / 10 * IZR (b + e)).
  { apply Rle_trans with (ln (2 ^ Z.to_nat (b + e))).
    - apply ln_monotone; lra.
    - rewrite ln_pow by lra. rewrite INR_IZR_INZ, Z2Nat.id by lia. rewrite Rmult_comm.
      apply Rmult_le_compat_r; [apply IZR_le; lia|exact ln_2_below]. }
  assert (LP : 0 < ln (R_26 T n (/ INR n) x)) by auto with signs.
  destruct (theorem_26 users T n w (/ INR n) x (temperature b p) (Position i Hi) D Gap Tie Init) as [M1 M2];
    try assumption; [|cbn [place] in M1; lra].
  rewrite G. unfold temperature. fold e. set (z := IZR (b + e)) in *. assert (Z0 : 0 < z) by lra. split.
  - auto with signs.
  - replace (5 / (7 * INR n * z)) with (/ INR n * / (7 / 5 * z)) by (field; lra). unfold Rdiv at 2.
    apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
Qed.

(* For people: the layer and the place, from 1, of the first head that is neither uniform nor one of those above. *)
Fixpoint first_dull (D : nat) (K : direction_kinds) (ls : list layer) (number : nat) : option (nat * nat) :=
  match ls with
  | [] => None
  | l :: ls =>
    match filter (fun ha => negb (uniform_head (snd ha) || sharp_head K (snd ha)))
                 (combine (seq 1 (length (layer_heads l))) (layer_heads l)) with
    | (place, _) :: _ => Some (number, place)
    | [] => first_dull D (layer_kinds D K l) ls (S number)
    end
  end.
Definition dull_head (T : transformer) : option (nat * nat) := first_dull (first_unused_direction T)
  (from_each (embedding_kind T) (first_unused_direction T)) (transformer_layers T) 1.
