(* A head whose temperature is over a logarithm, 1/(n ln 4): for `since`, `until`, `prev` and `next`.

   `check_at_logarithm A a r b` takes a constant L, a sum of logarithms of rationals and of rationals, out of the
   temperature, so that scaled scores are L times a form with rational coefficients: those of Lemma 8 with gamma = g L.
   Where k is at most exp L, it asks for k^g >= 4 (of `prev` and `next` for k^(2 g) >= 4). Of logarithms k is exp L: at
   gamma = ln 4 this is 4 >= 4. Proved: if it says yes, the head holds b at every position of every word. *)
From Coq Require Import Reals QArith Qreals Qpower ZArith List Bool Lra Lia Arith.
From Certify Require Import positions finite_sums softmax weighing exponential lemma_08_tie_breaking lemma_09_rounding
  formula network meaning linear_combination rational_bounds monomial expression_bounds
  score_form cases theorem_12_previous_next
  theorem_13_previous_causal theorem_15_since_until theorem_16_since_causal check_head.
Import ListNotations.
Open Scope R_scope.

(* ---- sums of logarithms and rationals that are factors ---- *)
Definition constant_of (x : expression) : option Q :=
  match monomial_of x with Some (Monomial q 0 0 0 false) => Some q | _ => None end.
(* At most exp x, and positive: exp x itself for logarithms and their sums. *)
Fixpoint exp_lower (x : expression) : option Q :=
  match x with
  | Apply Ln y => match constant_of y with Some k => if above_zero k then Some k else None | None => None end
  | Add y z => match exp_lower y, exp_lower z with Some b, Some c => Some (Qred (b * c)) | _, _ => None end
  | _ => match constant_of x with
         | Some q => if Qle_bool 0 q then Some (if Qle_bool (exp_below q) (1 + q) then Qred (1 + q) else exp_below q)
                     else None
         | None => None
         end
  end.
Fixpoint has_logarithm (x : expression) : bool :=
  match x with Apply Ln _ => true | Add y z => has_logarithm y || has_logarithm z | _ => false end.
(* x = e L, with a bound k of exp L. *)
Fixpoint take_logarithm (x : expression) : option (expression * expression * Q) :=
  if has_logarithm x then match exp_lower x with Some k => Some (Num 1, x, k) | None => None end
  else match x with
  | Mul y z =>
      match take_logarithm z with
      | Some (e, l, k) => Some (Mul y e, l, k)
      | None => match take_logarithm y with Some (e, l, k) => Some (Mul e z, l, k) | None => None end
      end
  | Div y z => match take_logarithm y with Some (e, l, k) => Some (Div e z, l, k) | None => None end
  | _ => None
  end.
Definition over_logarithm (x : expression) : option (expression * expression * Q) :=
  match x with
  | Div y z => match take_logarithm z with Some (e, l, k) => Some (Div y e, l, k) | None => None end
  | _ => None
  end.

(* `injection` would compute what is inside. *)
Lemma some_is {X} (a b : X) : Some a = Some b -> a = b.
Proof. now intros [= ->]. Qed.

Lemma constant_of_value n (i : position n) x q : constant_of x = Some q -> expression_value x n i = Q2R q.
Proof.
  unfold constant_of. destruct (monomial_of x) as [m|] eqn:M; [|discriminate].
  destruct m as [p [| |] [| |] [| |] [|]]; try discriminate. intros H. apply some_is in H. subst p.
  rewrite (monomial_of_value n i x _ M). unfold monomial_value, sign.
  cbn [monomial_factor monomial_i monomial_n monomial_end monomial_alternates]. rewrite !powerRZ_O. ring.
Qed.

Lemma exp_lower_correct n (i : position n) x : forall k, exp_lower x = Some k ->
  0 < Q2R k <= exp (expression_value x n i).
Proof.
  assert (Constant : forall x k, match constant_of x with
      | Some q => if Qle_bool 0 q
                  then Some (if Qle_bool (exp_below q) (1 + q) then Qred (1 + q) else exp_below q) else None
      | None => None end = Some k -> 0 < Q2R k <= exp (expression_value x n i)).
  { intros y k H. destruct (constant_of y) as [q|] eqn:C; [|discriminate].
    destruct (Qle_bool 0 q) eqn:P; [|discriminate].
    apply Qle_bool_R in P. rewrite Q2R_0 in P. apply some_is in H. rewrite <- H. clear H.
    rewrite (constant_of_value n i y q C).
    assert (One : Q2R (1 + q) = 1 + Q2R q) by (rewrite Q2R_plus, RMicromega.Q2R_1; ring).
    pose proof (exp_below_correct q) as B. pose proof (exp_ineq1_le (Q2R q)) as I.
    destruct (Qle_bool (exp_below q) (1 + q)) eqn:E.
    - rewrite (Qeq_eqR _ _ (Qred_correct _)), One. lra.
    - assert (~ (exp_below q <= 1 + q)%Q) as N by (intros D; apply Qle_bool_iff in D; congruence).
      apply Qnot_le_lt, Qlt_Rlt in N. rewrite One in N. lra. }
  induction x as [q| | |y IHy z IHz|y IHy z IHz|y IHy z IHz|y IHy z IHz|y IHy|y IHy m|g y IHy]; intros k H;
    try (apply Constant; exact H); cbn [exp_lower] in H.
  - destruct (exp_lower y) as [b|]; [|discriminate]. destruct (exp_lower z) as [c|]; [|discriminate].
    apply some_is in H. rewrite <- H. specialize (IHy b eq_refl). specialize (IHz c eq_refl).
    rewrite (Qeq_eqR _ _ (Qred_correct _)), Q2R_mult. cbn [expression_value]. rewrite exp_plus. split.
    + apply Rmult_lt_0_compat; lra.
    + apply Rmult_le_compat; lra.
  - destruct g; try (apply (Constant (Apply _ y)); exact H). destruct (constant_of y) as [q|] eqn:C; [|discriminate].
    destruct (above_zero q) eqn:P; [|discriminate]. apply some_is in H. subst k. apply above_zero_R in P.
    cbn [expression_value function_value]. rewrite (constant_of_value n i y q C), exp_ln by exact P. lra.
Qed.

Lemma take_logarithm_value n (i : position n) x : forall e l k, take_logarithm x = Some (e, l, k) ->
  expression_value x n i = expression_value e n i * expression_value l n i /\ exp_lower l = Some k.
Proof.
  assert (Whole : forall x e l k, match exp_lower x with Some k => Some (Num 1, x, k) | None => None end
      = Some (e, l, k) ->
    expression_value x n i = expression_value e n i * expression_value l n i /\ exp_lower l = Some k).
  { intros y e l k H. destruct (exp_lower y) as [b|] eqn:B; [|discriminate]. injection H as <- <- <-.
    split; [|exact B]. cbn [expression_value]. rewrite RMicromega.Q2R_1. ring. }
  induction x as [q| | |y IHy z IHz|y IHy z IHz|y IHy z IHz|y IHy z IHz|y IHy|y IHy m|g y IHy]; intros e l k H;
    cbn [take_logarithm] in H; try discriminate H.
  - destruct (has_logarithm (Add y z)); [now apply Whole|discriminate].
  - cbn [has_logarithm] in H. destruct (take_logarithm z) as [[[e' l'] k']|].
    + injection H as <- <- <-. destruct (IHz _ _ _ eq_refl) as [V B]. split; [|exact B]. cbn [expression_value].
      rewrite V. ring.
    + destruct (take_logarithm y) as [[[e' l'] k']|]; [|discriminate]. injection H as <- <- <-.
      destruct (IHy _ _ _ eq_refl) as [V B]. split; [|exact B]. cbn [expression_value]. rewrite V. ring.
  - cbn [has_logarithm] in H. destruct (take_logarithm y) as [[[e' l'] k']|]; [|discriminate]. injection H as <- <- <-.
    destruct (IHy _ _ _ eq_refl) as [V B]. split; [|exact B]. cbn [expression_value]. rewrite V. unfold Rdiv. ring.
  - destruct (has_logarithm (Apply g y)); [now apply Whole|discriminate].
Qed.

Definition cooler (a : head) (x : expression) : head :=
  WeighingHead (head_weighing a) (head_masking a) x (head_queries a) (head_keys a) (head_values a).

Lemma over_logarithm_value a x l k n h (i : position n) j : over_logarithm (head_temperature a) = Some (x, l, k) ->
  scaled_score a n h i j = expression_value l n i * scaled_score (cooler a x) n h i j /\ exp_lower l = Some k.
Proof.
  intros H. unfold over_logarithm in H. destruct (head_temperature a) as [| | | | | |y z| | |] eqn:T; try discriminate.
  destruct (take_logarithm z) as [[[e l'] k']|] eqn:Z; [|discriminate]. injection H as <- <- <-.
  destruct (take_logarithm_value n i z e l' k' Z) as [V B]. split; [|exact B]. unfold scaled_score, cooler.
  cbn [head_queries head_keys head_temperature]. rewrite T. cbn [expression_value].
  rewrite V. unfold Rdiv. rewrite !Rinv_mult, !Rinv_inv. ring.
Qed.

(* ---- the check ---- *)
Definition most_power : Z := 64.
(* k^g >= c for g = p/q: k^p >= c^q. *)
Definition power_at_least (c k g : Q) : bool :=
  (0 <? Qnum g)%Z && (Qnum g <=? most_power)%Z && (Z.pos (Qden g) <=? most_power)%Z && Qle_bool 1 k
  && Qle_bool (c ^ Z.pos (Qden g))%Q (k ^ Qnum g)%Q.
Definition enough_at (k : Q) (t : trigger) (g : Q) : bool :=
  match t with Decides _ => power_at_least 4 k g | Parity _ => power_at_least 4 k (Qred (2 * g)) end.
Definition matches_at (k : Q) (of : trigger -> Q -> form) (t : trigger) (g : Q) (p : form) : bool :=
  if forms_equal p (of t (Qred g)) then enough_at k t (Qred g) else false.
Definition finds_rightmost_at (k : Q) (t : trigger) (p : form) : bool :=
  matches_at k form_8b t (coefficient shape_eqb p (number_shape 0 0 1)) p
  || matches_at k form_8a t (- coefficient shape_eqb p (number_shape 2 0 (-1))) p.
Definition finds_leftmost_at (k : Q) (t : trigger) (p : form) : bool :=
  matches_at k form_8c t (- coefficient shape_eqb p (number_shape 0 0 1)) p.

Definition check_near_at (m : masking) (k : Q) (p v : form) (f guard : formula) : bool :=
  match f with
  | Since x y => masking_eqb m FutureMasked && finds_rightmost_at k (Decides (Implies x y)) p
                 && forms_equal v (key_form (KTruth (And x y)))
  | Until x y => masking_eqb m PastMasked && finds_leftmost_at k (Decides (Implies x y)) p
                 && forms_equal v (key_form (KTruth (And x y)))
  | Previous x => masking_eqb m FutureMasked && check_neighbour (finds_rightmost_at k) case_first p v x guard
  | Next x => masking_eqb m PastMasked && check_neighbour (finds_leftmost_at k) case_last p v x guard
  | _ => false
  end.
Definition check_at_logarithm (A : list meaning) (a : head) (r : row) (b : meaning) : bool :=
  match b, over_logarithm (head_temperature a) with
  | IsNear f guard, Some (x, _, k) =>
      match score_form A (cooler a x), value_form A r with
      | Some p, Some v => check_near_at (head_masking a) k p v f guard
      | _, _ => false
      end
  | _, _ => false
  end.

(* ---- what is enough, is enough ---- *)
Lemma Q2R_power q p : Q2R (q ^ Z.pos p)%Q = Q2R q ^ Pos.to_nat p.
Proof.
  induction p as [|p IH] using Pos.peano_ind.
  - simpl. ring.
  - rewrite Pos2Nat.inj_succ. rewrite <- tech_pow_Rmult, <- IH, <- Q2R_mult. apply Qeq_eqR.
    rewrite Pos2Z.inj_succ. unfold Z.succ. rewrite Qpower_plus' by lia. change (q ^ 1)%Q with q. ring.
Qed.

Lemma ln_power x p : 0 < x -> ln (x ^ p) = INR p * ln x.
Proof.
  intros H. induction p as [|p IH]; [simpl; rewrite ln_1; ring|].
  rewrite <- tech_pow_Rmult, ln_mult, IH, S_INR by (try exact H; now apply pow_lt). ring.
Qed.

Lemma power_at_least_correct c k g s : 1 < Q2R c -> Q2R k <= exp s -> power_at_least c k g = true ->
  0 < s * Q2R g /\ ln (Q2R c) <= s * Q2R g.
Proof.
  intros Hc Hs H. unfold power_at_least in H. repeat (apply andb_prop in H; let X := fresh "X" in destruct H as [H X]).
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
  assert (E : Q2R 4 = 4) by (unfold Q2R; simpl; lra). rewrite E. intros H.
  apply Rle_trans with (exp (- ln 4)).
  - destruct H as [H|H]; [left; apply exp_increasing; lra|right; now rewrite H].
  - rewrite exp_Ropp, exp_ln by lra. lra.
Qed.
Lemma above_one : 1 < Q2R 4.
Proof. unfold Q2R. simpl. lra. Qed.

(* ---- the check is sound ---- *)
Section Correct.
Variables (users : predicate_meanings) (n : nat) (w : word).
Notation tr := (truth users n w).
Notation fv := (form_value users n w).
Variables (A : list meaning) (h : nat -> vector) (a : head) (r : row) (i : position n) (x l : expression)
  (k : Q) (p v : form).
Hypothesis HA : holds_of users n w A h.
Hypothesis Over : over_logarithm (head_temperature a) = Some (x, l, k).
Hypothesis Score : score_form A (cooler a x) = Some p.
Hypothesis Value : value_form A r = Some v.
Notation scale := (expression_value l n i).

Lemma attended_key_at u : forms_equal v (key_form u) = true -> attended a n h i r =
  attend n (mask_at (head_masking a) i) (fun j => scale * fv p i j) (fun j => key_atom_value users n w u j).
Proof.
  intros E. apply attend_ext; intros j [Hj _].
  - rewrite (proj1 (over_logarithm_value a x l k n h i j Over)). f_equal.
    exact (score_form_correct users n w A h HA _ _ i (Position j Hj) Score).
  - transitivity (fv v i j); [exact (value_form_correct users n w A h HA _ _ (Position j Hj) i Value)|].
    rewrite (forms_equal_correct users n w _ _ i j E). apply key_form_value.
Qed.

Lemma attended_range_at u : forms_equal v (key_form u) = true -> 0 <= attended a n h i r <= 1.
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
  let found := attend n (future i) (fun j => scale * fv p i j) u in
  (found = attend n (future i) (score_8b (triggered t) (scale * Q2R g) n) u \/
   found = attend n (future i) (score_8a (triggered t) (scale * Q2R g) i) u).
Proof.
  intros H. apply orb_prop in H as [H|H]; apply matches_at_correct in H as [G E]; eexists; (split; [exact G|]).
  - left. apply attend_ext; [|reflexivity]. intros j _. rewrite E, form_8b_value by lia. unfold score_8b. ring.
  - right. apply attend_ext; [|reflexivity]. intros j [Hj _]. rewrite E, form_8a_value by lia. unfold score_8a. ring.
Qed.

Lemma finds_leftmost_at_scores t u : finds_leftmost_at k t p = true -> exists g, enough_at k t g = true /\
  attend n (past i) (fun j => scale * fv p i j) u = attend n (past i) (score_8c (triggered t) (scale * Q2R g) n) u.
Proof.
  intros H. apply matches_at_correct in H as [G E]. eexists. split; [exact G|].
  apply attend_ext; [|reflexivity]. intros j _. rewrite E, form_8c_value by lia. unfold score_8c. ring.
Qed.

Lemma scale_enough : Q2R k <= exp scale.
Proof. exact (proj2 (exp_lower_correct n i l k (proj2 (over_logarithm_value a x l k n h i i Over)))). Qed.

Lemma enough_at_to_decide f g : enough_at k (Decides f) g = true ->
  0 < scale * Q2R g /\ exp (- (scale * Q2R g)) <= 1 / 4.
Proof.
  intros H. destruct (power_at_least_correct 4 k g scale above_one scale_enough H) as [P G].
  split; [exact P|now apply exp_quarter].
Qed.

Lemma enough_at_for_parity e g : enough_at k (Parity e) g = true ->
  0 < scale * Q2R g /\ exp (- (2 * (scale * Q2R g))) <= 1 / 4.
Proof.
  intros H. destruct (power_at_least_correct 4 k _ scale above_one scale_enough H) as [P G].
  assert (D : Q2R (Qred (2 * g)) = 2 * Q2R g).
  { rewrite (Qeq_eqR _ _ (Qred_correct _)), Q2R_mult. f_equal. unfold Q2R. simpl. lra. }
  rewrite D in *. split; [lra|]. apply exp_quarter. lra.
Qed.

Ltac neighbour_found_at f x guard edge there finds M H :=
  apply andb_prop in H as [E H]; split; [eapply attended_range_at; exact E|]; intros G;
  apply existsb_exists in H as (e & _ & H); apply andb_prop in H as [Fi Gu];
  apply (real_position users n w i guard _ Gu) in G; simpl in G; apply andb_prop in G as [O F];
  apply eqb_prop in O; apply negb_true_iff, Nat.eqb_neq in F;
  change (tr f i) with (negb (i =? edge)%nat && there); rewrite (proj2 (Nat.eqb_neq i edge)) by exact F;
  destruct (finds (Parity e) (fun j => bit (tr x j)) Fi) as (g & G & Sc); apply enough_at_for_parity in G as [G G4];
  apply (near_from_error _ (exp (- (2 * (scale * Q2R g))))); [|exact G4|eapply attended_range_at; exact E];
  rewrite (attended_key_at _ E), M; cbn [mask_at key_atom_value]; cbn [negb andb].

Lemma check_near_at_correct f guard : check_near_at (head_masking a) k p v f guard = true ->
  means users n w i (IsNear f guard) (attended a n h i r).
Proof.
  intros H. destruct f as [| | | | | | |y|y|y z|y z| | | |]; try discriminate; cbn [check_near_at] in H.
  - apply andb_prop in H as [M H]. apply masking_eqb_eq in M.
    neighbour_found_at (Previous y) y guard 1%nat (tr y (i - 1)) finds_rightmost_at_scores M H.
    destruct Sc as [-> | ->]; [apply previous_head|apply previous_head_causal]; lia || exact G || exact O.
  - apply andb_prop in H as [M H]. apply masking_eqb_eq in M.
    neighbour_found_at (Next y) y guard n (tr y (i + 1)) finds_leftmost_at_scores M H.
    rewrite Sc. apply next_head; lia || exact G || exact O.
  - apply andb_prop in H as [H E]. apply andb_prop in H as [M F]. apply masking_eqb_eq in M.
    split; [eapply attended_range_at; exact E|]. intros _.
    change (tr (Since y z) i) with (since_at (tr y) (tr z) i).
    destruct (finds_rightmost_at_scores _ (fun j => bit (tr (And y z) j)) F) as (g & G & Sc).
    apply enough_at_to_decide in G as [G G4].
    apply (near_from_error _ (exp (- (scale * Q2R g)))); [|exact G4|eapply attended_range_at; exact E].
    rewrite (attended_key_at _ E), M. cbn [mask_at key_atom_value].
    destruct Sc as [-> | ->];
      [exact (since_head (tr y) (tr z) n i _ G)|exact (since_head_causal (tr y) (tr z) n i _ G)].
  - apply andb_prop in H as [H E]. apply andb_prop in H as [M F]. apply masking_eqb_eq in M.
    split; [eapply attended_range_at; exact E|]. intros _.
    change (tr (Until y z) i) with (until_at n (tr y) (tr z) i).
    destruct (finds_leftmost_at_scores _ (fun j => bit (tr (And y z) j)) F) as (g & G & Sc).
    apply enough_at_to_decide in G as [G G4].
    apply (near_from_error _ (exp (- (scale * Q2R g)))); [|exact G4|eapply attended_range_at; exact E].
    rewrite (attended_key_at _ E), M. cbn [mask_at key_atom_value]. rewrite Sc.
    exact (until_head (tr y) (tr z) n i _ G).
Qed.
End Correct.

Theorem check_at_logarithm_correct users n w A h a r (i : position n) b : holds_of users n w A h ->
  check_at_logarithm A a r b = true -> means users n w i b (attended a n h i r).
Proof.
  intros HA H. unfold check_at_logarithm in H. destruct b; try discriminate.
  destruct (over_logarithm (head_temperature a)) as [[[x l] k]|] eqn:O; [|discriminate].
  destruct (score_form A (cooler a x)) as [p|] eqn:S; [|discriminate].
  destruct (value_form A r) as [v|] eqn:V; [|discriminate].
  eapply check_near_at_correct; eassumption.
Qed.
