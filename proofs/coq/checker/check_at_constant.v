(* A head whose temperature is over a constant with logarithms or roots, 1/(n ln 4): `since`, `until`, `prev`, `next`.

   `check_at_constant A a r b` takes such a constant L out of the temperature, so that scaled scores are L times a form
   with rational coefficients: those of Lemma 8 with gamma = g L. Where k is at most exp(d L), it asks for k^(g/d) >= 4
   (of `prev` and `next` for k^(2 g/d) >= 4). Of logarithms k is exp(d L): at gamma = ln 4 this is 4 >= 4; where L has
   roots k is a bound (constant_bounds.v). Proved: if it returns true, its value is b at all positions of all words. *)
From Coq Require Import Reals QArith Qreals Qpower ZArith List Bool Lra Lia Arith.
From Certify Require Import positions finite_sums softmax weighing exponential lemma_08_tie_breaking lemma_09_rounding
  formula network meaning linear_combination rational_bounds monomial
  constant_bounds expression_bounds
  score_form cases theorem_12_previous_next
  theorem_13_previous_causal theorem_15_since_until theorem_16_since_causal check_head.
Import ListNotations.
Open Scope R_scope.

(* ---- constants that are factors ---- *)
Fixpoint is_constant (x : expression) : bool :=
  match x with
  | Num _ => true
  | Add y z | Sub y z | Mul y z | Div y z => if is_constant y then is_constant z else false
  | Neg y | Apply _ y | Power y (Int _) => is_constant y
  | _ => false
  end.
(* x = e L, where L has logarithms or roots; bounds of it are computed only if scores fit. *)
Fixpoint take_constant (x : expression) : option (expression * expression) :=
  match rational_constant x, is_constant x with
  | None, true => Some (Num 1, x)
  | _, _ =>
      match x with
      | Mul y z =>
          match take_constant z with
          | Some (e, l) => Some (Mul y e, l)
          | None => match take_constant y with Some (e, l) => Some (Mul e z, l) | None => None end
          end
      | Div y z => match take_constant y with Some (e, l) => Some (Div e z, l) | None => None end
      | _ => None
      end
  end.
Definition over_constant (x : expression) : option (expression * expression) :=
  match x with
  | Div y z => match take_constant z with Some (e, l) => Some (Div y e, l) | None => None end
  | _ => None
  end.

Lemma take_constant_value n (i : position n) x : forall e l, take_constant x = Some (e, l) ->
  expression_value x n i = expression_value e n i * expression_value l n i.
Proof.
  induction x as [q| | |y IHy z IHz|y IHy z IHz|y IHy z IHz|y IHy z IHz|y IHy|y IHy m|g y IHy]; intros e l H;
    cbn [take_constant] in H; match type of H with match rational_constant ?x
    with _ => _ end = _ => destruct (rational_constant x), (is_constant x); try discriminate H;
    try (injection H as <- <-; cbn [expression_value]; rewrite RMicromega.Q2R_1; ring) end.
  all: try (destruct (take_constant z) as [[e' l']|]; [injection H as <- <-; cbn [expression_value];
    rewrite (IHz _ _ eq_refl); ring|]).
  all: destruct (take_constant y) as [[e' l']|]; [|discriminate]; injection H as <- <-; cbn [expression_value];
    rewrite (IHy _ _ eq_refl); unfold Rdiv; ring.
Qed.

Local Definition cooler (a : head) (x : expression) : head :=
  WeighingHead (head_weighing a) (head_masking a) x (head_queries a) (head_keys a) (head_values a).

Lemma over_constant_value a x l n h (i : position n) j : over_constant (head_temperature a) = Some (x, l) ->
  scaled_score a n h i j = expression_value l n i * scaled_score (cooler a x) n h i j.
Proof.
  intros H. unfold over_constant in H. destruct (head_temperature a) as [| | | | | |y z| | |] eqn:T; try discriminate.
  destruct (take_constant z) as [[e l']|] eqn:Z; [|discriminate]. injection H as <- <-.
  unfold scaled_score, cooler. cbn [head_queries head_keys head_temperature]. rewrite T. cbn [expression_value].
  rewrite (take_constant_value n i z e l' Z). unfold Rdiv. rewrite !Rinv_mult, !Rinv_inv. ring.
Qed.

(* ---- the check ---- *)
(* k^g >= c for g = p/q: k^p >= c^q. *)
Definition power_at_least (c k g : Q) : bool :=
  if (0 <? Qnum g)%Z && (Qnum g <=? most_power)%Z && (Z.pos (Qden g) <=? most_power)%Z && Qle_bool 1 k
  then Qle_bool (c ^ Z.pos (Qden g))%Q (k ^ Qnum g)%Q else false.
Definition enough_at (k : expression) (t : tie_trigger) (g : Q) : bool :=
  match constant_power k with
  | Some (d, q) => power_at_least 4 q (Qred (match t with Decides _ => g | Parity _ => 2 * g end / inject_Z d))
  | None => false
  end.
Definition matches_at (k : expression) (of : tie_trigger -> Q -> score_terms) (t : tie_trigger) (g : Q) (p :
  score_terms) : bool := if forms_equal p (of t (Qred g)) then enough_at k t (Qred g) else false.
Definition finds_rightmost_at (k : expression) (t : tie_trigger) (p : score_terms) : bool :=
  matches_at k form_8b t (coefficient_of shape_eqb p (number_shape 0 0 1)) p
  || matches_at k form_8a t (- coefficient_of shape_eqb p (number_shape 2 0 (-1))) p.
Definition finds_leftmost_at (k : expression) (t : tie_trigger) (p : score_terms) : bool :=
  matches_at k form_8c t (- coefficient_of shape_eqb p (number_shape 0 0 1)) p.

Definition check_near_at (m : masking) (k : expression) (p v : score_terms) (f guard : formula) : bool :=
  match f with
  | Since x y => masking_eqb m FutureMasked && finds_rightmost_at k (Decides (Implies x y)) p
                 && forms_equal v (key_form (KTruth (And x y)))
  | Until x y => masking_eqb m PastMasked && finds_leftmost_at k (Decides (Implies x y)) p
                 && forms_equal v (key_form (KTruth (And x y)))
  | Previous x => masking_eqb m FutureMasked && check_neighbour (finds_rightmost_at k) case_first p v x guard
  | Next x => masking_eqb m PastMasked && check_neighbour (finds_leftmost_at k) case_last p v x guard
  | _ => false
  end.
Definition check_at_constant (A : list meaning) (a : head) (r : row) (b : meaning) : bool :=
  match b, over_constant (head_temperature a) with
  | IsNear f guard, Some (x, l) =>
      match score_form A (cooler a x), value_form A r with
      | Some p, Some v => check_near_at (head_masking a) l p v f guard
      | _, _ => false
      end
  | _, _ => false
  end.

(* ---- what is enough, is enough ---- *)
Lemma power_at_least_correct c k g s : 1 < Q2R c -> Q2R k <= exp s -> power_at_least c k g = true ->
  0 < s * Q2R g /\ ln (Q2R c) <= s * Q2R g.
Proof.
  intros Hc Hs H. unfold power_at_least in H. destruct (_ && _)%bool eqn:G in H; [|discriminate].
  rename H into X, G into H. repeat (apply andb_prop in H; let X := fresh "X" in destruct H as [H X]).
  apply Z.ltb_lt in H. apply Qle_bool_iff, Qle_Rle in X. apply Qle_bool_iff, Qle_Rle in X0.
  rewrite RMicromega.Q2R_1 in X0. destruct g as [p q]. cbn [Qnum Qden] in *. destruct p as [|p|p]; try lia.
  rewrite !Q2R_power in X. assert (L : ln (Q2R c ^ Pos.to_nat q) <= ln (Q2R k ^ Pos.to_nat p)).
  { destruct X as [X|X]; [left; apply ln_increasing; [apply pow_lt; lra|exact X]|right; now rewrite X]. }
  rewrite !ln_power in L by lra. pose proof (pos_INR_nat_of_P q) as Pq. pose proof (pos_INR_nat_of_P p) as Pp.
  assert (Lc : 0 < ln (Q2R c)) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (E : Q2R (Z.pos p # q) = INR (Pos.to_nat p) / INR (Pos.to_nat q)).
  { unfold Q2R. cbn [Qnum Qden]. rewrite !INR_IZR_INZ, !positive_nat_Z. reflexivity. }
  assert (K : ln (Q2R k) <= s).
  { rewrite <- (ln_exp s). destruct Hs as [Hs|Hs]; [left; apply ln_increasing; lra|right; now rewrite Hs]. }
  assert (G0 : 0 <= INR (Pos.to_nat p) / INR (Pos.to_nat q)).
  { unfold Rdiv. apply Rmult_le_pos; [lra|]. left. now apply Rinv_0_lt_compat. }
  apply (Rmult_le_compat_r _ _ _ G0) in K. rewrite E.
  replace (ln (Q2R k) * (INR (Pos.to_nat p) / INR (Pos.to_nat q)))
    with (INR (Pos.to_nat p) * ln (Q2R k) / INR (Pos.to_nat q)) in K by (field; lra).
  assert (G : ln (Q2R c) <= INR (Pos.to_nat p) * ln (Q2R k) / INR (Pos.to_nat q)).
  { apply Rmult_le_reg_r with (INR (Pos.to_nat q)); [exact Pq|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  lra.
Qed.

Lemma exp_quarter x : ln (Q2R 4) <= x -> exp (- x) <= 1 / 4.
Proof.
  assert (E : Q2R 4 = 4) by (unfold Q2R; simpl; lra). rewrite E. intros H. apply Rle_trans with (exp (- ln 4)).
  - destruct H as [H|H]; [left; apply exp_increasing; lra|right; now rewrite H].
  - rewrite exp_Ropp, exp_ln by lra. lra.
Qed.
Lemma above_one : 1 < Q2R 4. Proof. unfold Q2R. simpl. lra. Qed.

(* ---- the check is sound ---- *)
Section Correct.
Variables (users : predicate_meanings) (n : nat) (w : word).
Notation tr := (truth users n w).
Notation fv := (form_value users n w).
Variables (A : list meaning) (h : nat -> vector) (a : head) (r : row) (i : position n) (x k : expression)
  (p v : score_terms).
Hypothesis HA : holds_of users n w A h.
Hypothesis Over : over_constant (head_temperature a) = Some (x, k).
Hypothesis Score : score_form A (cooler a x) = Some p.
Hypothesis Value : value_form A r = Some v.
Notation scale := (expression_value k n i).

Lemma attended_key_at u : forms_equal v (key_form u) = true -> softmax_value a n h i r =
  attend n (mask_at (head_masking a) i) (fun j => scale * fv p i j) (fun j => key_atom_value users n w u j).
Proof.
  intros E. apply attend_ext; intros j [Hj _].
  - rewrite (over_constant_value a x k n h i j Over). f_equal.
    exact (score_form_correct users n w A h HA _ _ i (Position j Hj) Score).
  - transitivity (fv v i j); [exact (value_form_correct users n w A h HA _ _ (Position j Hj) i Value)|].
    rewrite (forms_equal_correct users n w _ _ i j E). apply key_form_value.
Qed.

Lemma attended_range_at u : forms_equal v (key_form u) = true -> 0 <= softmax_value a n h i r <= 1.
Proof.
  intros E. rewrite (attended_key_at u E). eapply attend_range; [apply self_visible|]. intros. apply key_atom_range.
Qed.

Notation triggered := (trigger_value users n w).

Lemma matches_at_correct of t g : matches_at k of t g p = true ->
  enough_at k t (Qred g) = true /\ forall i j, fv p i j = fv (of t (Qred g)) i j.
Proof.
  unfold matches_at. destruct (forms_equal p (of t (Qred g))) eqn:E; [|discriminate]. intros H. split; [exact H|].
  intros i' j. now apply forms_equal_correct.
Qed.

Lemma finds_rightmost_at_scores t u : finds_rightmost_at k t p = true -> exists g, enough_at k t g = true /\
  let found := attend n (future_mask i) (fun j => scale * fv p i j) u in
  (found = attend n (future_mask i) (score_8b (triggered t) (scale * Q2R g) n) u \/
   found = attend n (future_mask i) (score_8a (triggered t) (scale * Q2R g) i) u).
Proof.
  intros H. apply orb_prop in H as [H|H]; apply matches_at_correct in H as [G E]; eexists; (split; [exact G|]).
  - left. apply attend_ext; [|reflexivity]. intros j _. rewrite E, form_8b_value by lia. unfold score_8b. ring.
  - right. apply attend_ext; [|reflexivity]. intros j [Hj _]. rewrite E, form_8a_value by lia. unfold score_8a. ring.
Qed.

Lemma finds_leftmost_at_scores t u : finds_leftmost_at k t p = true -> exists g, enough_at k t g = true /\ attend n
  (past_mask i) (fun j => scale * fv p i j) u = attend n (past_mask i) (score_8c (triggered t) (scale * Q2R g) n) u.
Proof.
  intros H. apply matches_at_correct in H as [G E]. eexists. split; [exact G|].
  apply attend_ext; [|reflexivity]. intros j _. rewrite E, form_8c_value by lia. unfold score_8c. ring.
Qed.

Lemma scale_enough t g : enough_at k t g = true ->
  let g' := match t with Decides _ => g | Parity _ => (2 * g)%Q end in
  0 < scale * Q2R g' /\ ln (Q2R 4) <= scale * Q2R g'.
Proof.
  unfold enough_at. destruct (constant_power k) as [[d q]|] eqn:C; [|discriminate]. cbv zeta.
  set (g' := match t with Decides _ => g | Parity _ => (2 * g)%Q end). apply (constant_power_correct n i) in C as [D C].
  intros H. apply IZR_lt in D. apply (power_at_least_correct 4 q _ _ above_one C) in H.
  rewrite Q2R_reduced, Q2R_quotient, Q2R_inject_Z in H by (rewrite Q2R_inject_Z; lra).
  replace (IZR d * scale * (Q2R g' / IZR d)) with (scale * Q2R g') in H by (field; lra). exact H.
Qed.

Lemma enough_at_to_decide f g : enough_at k (Decides f) g = true ->
  0 < scale * Q2R g /\ exp (- (scale * Q2R g)) <= 1 / 4.
Proof. intros H. apply scale_enough in H as [P G]. split; [exact P|now apply exp_quarter]. Qed.

Lemma enough_at_for_parity e g : enough_at k (Parity e) g = true ->
  0 < scale * Q2R g /\ exp (- (2 * (scale * Q2R g))) <= 1 / 4.
Proof.
  intros H. apply scale_enough in H as [P G]. rewrite Q2R_mult in *.
  replace (Q2R 2) with 2 in * by (unfold Q2R; simpl; lra). split; [lra|]. apply exp_quarter. lra.
Qed.

Ltac neighbour_found_at f x guard edge there finds M H := apply andb_prop in H as [E H]; split; [eapply
  attended_range_at; exact E|]; intros G; apply existsb_exists in H as (e & _ & H); apply andb_prop in H as [Fi Gu];
  apply (real_position users n w i guard _ Gu) in G; simpl in G; apply andb_prop in G as [O F]; apply eqb_prop in O;
  apply negb_true_iff, Nat.eqb_neq in F; change (tr f i) with (negb (i =? edge)%nat && there); rewrite (proj2
  (Nat.eqb_neq i edge)) by exact F; destruct (finds (Parity e) (fun j => bit (tr x j)) Fi) as (g & G & Sc); apply
  enough_at_for_parity in G as [G G4]; apply (near_from_error _ (exp (- (2 * (scale * Q2R g))))); [|exact G4|eapply
  attended_range_at; exact E]; rewrite (attended_key_at _ E), M; cbn [mask_at key_atom_value]; cbn [negb andb].

Lemma check_near_at_correct f guard : check_near_at (head_masking a) k p v f guard = true ->
  meaning_holds users n w i (IsNear f guard) (softmax_value a n h i r).
Proof.
  intros H. destruct f as [| | | | | | |y|y|y z|y z| | | |]; try discriminate; cbn [check_near_at] in H.
  - apply andb_prop in H as [M H]. apply masking_eqb_eq in M.
    neighbour_found_at (Previous y) y guard 1%nat (tr y (i - 1)) finds_rightmost_at_scores M H.
    destruct Sc as [-> | ->]; [apply previous_head|apply previous_head_causal]; lia || exact G || exact O.
  - apply andb_prop in H as [M H]. apply masking_eqb_eq in M.
    neighbour_found_at (Next y) y guard n (tr y (i + 1)) finds_leftmost_at_scores M H. rewrite Sc.
    apply next_head; lia || exact G || exact O.
  - apply andb_prop in H as [H E]. apply andb_prop in H as [M F]. apply masking_eqb_eq in M.
    split; [eapply attended_range_at; exact E|]. intros _. change (tr (Since y z) i) with (since_at (tr y) (tr z) i).
    destruct (finds_rightmost_at_scores _ (fun j => bit (tr (And y z) j)) F) as (g & G & Sc).
    apply enough_at_to_decide in G as [G G4].
    apply (near_from_error _ (exp (- (scale * Q2R g)))); [|exact G4|eapply attended_range_at; exact E].
    rewrite (attended_key_at _ E), M. cbn [mask_at key_atom_value].
    destruct Sc as [-> | ->];
      [exact (since_head (tr y) (tr z) n i _ G)|exact (since_head_causal (tr y) (tr z) n i _ G)].
  - apply andb_prop in H as [H E]. apply andb_prop in H as [M F]. apply masking_eqb_eq in M.
    split; [eapply attended_range_at; exact E|]. intros _. change (tr (Until y z) i) with (until_at n (tr y) (tr z) i).
    destruct (finds_leftmost_at_scores _ (fun j => bit (tr (And y z) j)) F) as (g & G & Sc).
    apply enough_at_to_decide in G as [G G4].
    apply (near_from_error _ (exp (- (scale * Q2R g)))); [|exact G4|eapply attended_range_at; exact E].
    rewrite (attended_key_at _ E), M. cbn [mask_at key_atom_value]. rewrite Sc.
    exact (until_head (tr y) (tr z) n i _ G).
Qed.
End Correct.

Theorem check_at_constant_correct users n w A h a r (i : position n) b : holds_of users n w A h ->
  check_at_constant A a r b = true -> meaning_holds users n w i b (softmax_value a n h i r).
Proof.
  intros HA H. unfold check_at_constant in H. destruct b; try discriminate.
  destruct (over_constant (head_temperature a)) as [[x l]|] eqn:O; [|discriminate].
  destruct (score_form A (cooler a x)) as [p|] eqn:S; [|discriminate].
  destruct (value_form A r) as [v|] eqn:V; [|discriminate]. eapply check_near_at_correct; eassumption.
Qed.
