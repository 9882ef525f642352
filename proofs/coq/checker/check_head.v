(* One output of one head: does it hold what its direction means?

   `check_head A a r b` compares the scaled score of head a and its value row r, as forms, with those of Theorems 12,
   13, 15, 16, 20, 21 and Proposition 11, and with those for low precision, given the meanings A of the directions it
   reads and the meaning b it writes; the constant gamma must be enough for the theorem, which rational_bounds.v
   decides. Proved: if it returns true, the value of the head is b at every position of every word of every length. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia Arith.
From Certify Require Import positions finite_sums softmax weighing exponential lemma_07_table_lookup
  lemma_08_tie_breaking lemma_09_rounding formula network meaning linear_combination comparison rational_bounds monomial
  score_form cases proposition_11_end_markers theorem_12_previous_next theorem_13_previous_causal theorem_15_since_until
  theorem_16_since_causal low_precision_tie_breaking low_precision_since_until low_precision_previous_next
  theorem_20_counting.
Import ListNotations.
Open Scope R_scope.

(* ---- forms to compare with ---- *)
Definition number_shape (at_i at_n at_j : Z) : score_shape := ScoreShape at_i at_n 0 false QOne at_j false KOne.
Definition key_form (k : key_atom) : score_terms := [(ScoreShape 0 0 0 false QOne 0 false k, 1%Q)].
Definition minus_alternating : score_terms := [(ScoreShape 0 0 0 false QOne 0 true KOne, (-1)%Q)].
Definition place_minus_1 : score_terms := [(number_shape 0 0 1, 1%Q); (number_shape 0 0 0, (-1)%Q)].

(* The scores with a gap of 1: truth of a formula, or half the parity. *)
Inductive tie_trigger := Decides (f : formula) | Parity (even_keys : bool).
Definition trigger_form (t : tie_trigger) (at_i at_n : Z) (c : Q) : score_terms :=
  match t with
  | Decides f => [(ScoreShape at_i at_n 0 false QOne 0 false (KTruth f), c)]
  | Parity e => [(ScoreShape at_i at_n 0 false QOne 0 true KOne, (if e then 1 # 2 else -1 # 2) * c)%Q]
  end.
Definition form_8a (t : tie_trigger) (g : Q) : score_terms := trigger_form t 2 0 g ++ [(number_shape 2 0 (-1), - g)%Q].
Definition form_8b (t : tie_trigger) (g : Q) : score_terms := trigger_form t 0 1 (2 * g) ++ [(number_shape 0 0 1, g)].
Definition form_8c (t : tie_trigger) (g : Q) : score_terms := trigger_form t 0 1 (2 * g) ++ [(number_shape 0 0 1,
  - g)%Q].

(* The same for low precision, with integer scores: g (j + i s_j) and g (n s_j - j); where s_j is a parity, i + 1 and n
    + 1
   stand for i and n, and g is half of that file's gamma. *)
Local Definition sought (t : tie_trigger) : formula :=
  match t with Decides f => f | Parity e => Positional (if e then EVEN else ODD) end.
Definition truth_shape (at_i at_n : Z) (f : formula) : score_shape := ScoreShape at_i at_n 0 false QOne 0 false (KTruth
  f).
Definition lead_form (t : tie_trigger) (at_i at_n : Z) (g : Q) : score_terms :=
  (truth_shape at_i at_n (sought t), g)
  :: match t with Decides _ => [] | Parity _ => [(truth_shape 0 0 (sought t), g)] end.
Definition form_rightmost (t : tie_trigger) (g : Q) : score_terms := lead_form t 1 0 g ++ [(number_shape 0 0 1, g)].
Definition form_leftmost (t : tie_trigger) (g : Q) : score_terms := lead_form t 0 1 g ++ [(number_shape 0 0 1, - g)%Q].

(* gamma >= ln 4 for `since` and `until`, gamma >= ln 2 for `prev` and `next`. *)
Definition sharp_enough (t : tie_trigger) (g : Q) : bool :=
  match t with Decides _ => exp_at_least 4 g | Parity _ => exp_at_least 4 (2 * g) end.
Definition matches_8 (of : tie_trigger -> Q -> score_terms) (t : tie_trigger) (g : Q) (p : score_terms) : bool :=
  if forms_equal p (of t g) then sharp_enough t g else false.
Definition finds_rightmost (t : tie_trigger) (p : score_terms) : bool :=
  matches_8 form_8b t (coefficient_of shape_eqb p (number_shape 0 0 1)) p
  || matches_8 form_rightmost t (coefficient_of shape_eqb p (number_shape 0 0 1)) p
  || matches_8 form_8a t (- coefficient_of shape_eqb p (number_shape 2 0 (-1))) p.
Definition finds_leftmost (t : tie_trigger) (p : score_terms) : bool :=
  matches_8 form_8c t (- coefficient_of shape_eqb p (number_shape 0 0 1)) p
  || matches_8 form_leftmost t (- coefficient_of shape_eqb p (number_shape 0 0 1)) p.

(* The scores of a lookup of m + 1, sharpened by i^a n^b / L. *)
Definition lookup_shape (scale : Z * Z * Z) (q : query_atom) (at_j : Z) : score_shape :=
  let '(a, b, d) := scale in ScoreShape a b d false q at_j false KOne.
Definition lookup_form (s : side) (f : formula) (g : Q) (scale : Z * Z * Z) : score_terms :=
  [(lookup_shape scale (QCount s f) 1, 2 * g); (lookup_shape scale (QTruth f) 1, - (2) * g);
   (lookup_shape scale QOne 1, 2 * g); (lookup_shape scale QOne 2, - g)]%Q.
(* n/L, and for counts to the left also i/L = 1 and i^2/L = i. *)
Definition lookup_scales (s : side) : list (Z * Z * Z) :=
  match s with ToLeft => [(-1, 1, 0); (0, 0, 0); (1, 0, 0)] | ToRight => [(0, 1, -1)] end%Z.
Definition looks_up (s : side) (f : formula) (sharp : Q -> bool) (p : score_terms) : bool :=
  existsb (fun scale => let g := (- coefficient_of shape_eqb p (lookup_shape scale QOne 2))%Q in
             if forms_equal p (lookup_form s f g scale) then sharp g else false) (lookup_scales s).

(* The greatest g that `looks_up` may find, and the error of such a lookup. *)
Definition sharpness_of (s : side) (p : score_terms) : Q :=
  fold_right (fun scale g => let x := (- coefficient_of shape_eqb p (lookup_shape scale QOne 2))%Q in
                             if Qle_bool g x then x else g) 0%Q (lookup_scales s).
Definition lookup_error (s : side) (p : score_terms) : option Q := mean_error (sharpness_of s p).
Definition within_error (e g : Q) : bool := match mean_error g with Some x => Qle_bool x e | None => false end.

(* gamma >= ln 6 for what alternates, a little more for other predicates. *)
Definition alternating_predicate (t : predicate) : bool :=
  match t with ODD | EVEN => true | MOD m r => (m =? 2)%nat && (r <? 2)%nat | _ => false end.
Definition sharp_for_predicate (t : predicate) (g : Q) : bool :=
  if alternating_predicate t then exp_at_least 6 g else reads_tables g.

(* (1 - (-1)^i) / (2*i)  and  -(-1)^i * (1 + (-1)^(n-i)) / (2*(n-i+1)), as Proposition 11 writes them. *)
Definition minus_one : expression := Neg (Num 1).
Definition mean_up_to_expression : expression := Div (Sub (Num 1) (Power minus_one IntI)) (Mul (Num 2) VarI).
Definition mean_from_expression : expression := Div (Mul (Neg (Power minus_one IntI)) (Add (Num 1)
  (Power minus_one (IntMinus IntN IntI)))) (Mul (Num 2) (Add (Sub VarN VarI) (Num 1))).
Definition same_monomial (x : expression) (m : monomial) : bool :=
  match monomial_of x with
  | Some a => Qeq_bool (monomial_factor a) (monomial_factor m) && Z.eqb (monomial_i a) (monomial_i m) && Z.eqb
      (monomial_n a) (monomial_n m)
              && Z.eqb (monomial_end a) (monomial_end m) && eqb (monomial_alternates a) (monomial_alternates m)
  | None => false
  end.

Definition masking_eqb (a b : masking) : bool :=
  match a, b with
  | Unmasked, Unmasked | FutureMasked, FutureMasked | PastMasked, PastMasked => true
  | _, _ => false
  end.
Definition mean_masking (s : side) : masking := match s with ToLeft => FutureMasked | ToRight => PastMasked end.
Definition lookup_masking (s : side) : masking := match s with ToLeft => FutureMasked | ToRight => Unmasked end.

(* ---- the check ---- *)
Definition check_position (k : masking) (v : score_terms) (x : expression) : bool :=
  match k with
  | FutureMasked =>
      (forms_equal v minus_alternating && expression_eqb x mean_up_to_expression)
      || (forms_equal v (key_form (KTruth (Positional FIRST))) && same_monomial x (Monomial 1 (-1) 0 0 false))
  | PastMasked =>
      (forms_equal v minus_alternating && expression_eqb x mean_from_expression)
      || (forms_equal v (key_form (KTruth (Positional LAST))) && same_monomial x (Monomial 1 0 0 (-1) false))
  | Unmasked => false
  end.

Definition check_neighbour (finds : tie_trigger -> score_terms -> bool) (edge : case -> bool) (p v :
  score_terms) (f guard : formula) : bool := forms_equal v (key_form (KTruth f)) && existsb (fun e =>
  finds (Parity e) p && guard_ensures guard [] (fun c => eqb (case_odd c) e && negb (edge c))) all_bools.

Local Definition counted_here (f : formula) (b : bool) (c : case) : bool :=
  match evaluate c f with Some x => eqb x b | None => false end.
Definition check_on_count (t : predicate) (s : side) (f guard : formula) (p v : score_terms) : bool :=
  looks_up s f (sharp_for_predicate t) p &&
  ((forms_equal v (key_form (KTruth (Positional t))) && guard_ensures guard [f] (counted_here f true))
   || (forms_equal v (key_form (KBefore (Positional t))) && guard_ensures guard [f] (counted_here f false))).

Definition check_near (k : masking) (p v : score_terms) (f guard : formula) : bool :=
  match f with
  | Since x y => masking_eqb k FutureMasked && finds_rightmost (Decides (Implies x y)) p
                 && forms_equal v (key_form (KTruth (And x y)))
  | Until x y => masking_eqb k PastMasked && finds_leftmost (Decides (Implies x y)) p
                 && forms_equal v (key_form (KTruth (And x y)))
  | Previous x => masking_eqb k FutureMasked && check_neighbour finds_rightmost case_first p v x guard
  | Next x => masking_eqb k PastMasked && check_neighbour finds_leftmost case_last p v x guard
  | OnCount t s x => masking_eqb k (lookup_masking s) && check_on_count t s x guard p v
  | _ => false
  end.

(* Multiples of truths whose counts are of one side. *)
Fixpoint is_one_sided (s : side) (t : term) : bool :=
  match t with Number c => Z.eqb c 0 | Plus _ s' _ t => side_eqb s' s && is_one_sided s t end.
Definition average_form (t : term) : score_terms :=
  flat_map (fun kq => scaled_terms (snd kq) (key_form (KTruth (snd (fst kq))))) (counts_of t).

Definition check_head (A : list meaning) (a : head) (r : row) (b : meaning) : bool :=
  match score_form A a, value_form A r with
  | Some p, Some v =>
    match b with
    | IsPosition (Formula x) => is_zero_combination shape_eqb p && check_position (head_masking a) v x
    | IsMean s f => is_zero_combination shape_eqb p && masking_eqb (head_masking a) (mean_masking s) && forms_equal v
      (key_form (KTruth f))
    | IsAverage t => is_zero_combination shape_eqb p && masking_eqb (head_masking a) (mean_masking (side_of t))
                     && is_one_sided (side_of t) t && forms_equal v (average_form t)
    | IsNear f guard => check_near (head_masking a) p v f guard
    | IsOthers s f e => masking_eqb (head_masking a) (lookup_masking s) && looks_up s f (within_error e) p
                        && forms_equal v place_minus_1
    | _ => false
    end
  | _, _ => false
  end.

(* All positions weigh alike. *)
Definition scores_vanish (A : list meaning) (a : head) : bool :=
  match score_form A a with Some p => is_zero_combination shape_eqb p | None => false end.

(* ---- what the forms stand for ---- *)
Lemma masking_eqb_eq a b : masking_eqb a b = true -> a = b. Proof. now destruct a, b. Qed.

Section Correct.
Variables (users : predicate_meanings) (n : nat) (w : word).
Notation tr := (truth users n w).
Notation fv := (form_value users n w).

Definition trigger_value (t : tie_trigger) (j : nat) : R :=
  match t with Decides f => bit (tr f j) | Parity e => half_parity e j end.

Lemma trigger_form_value t a b c i j :
  fv (trigger_form t a b c) i j = Q2R c * (powerRZ (INR i) a * powerRZ (INR n) b * trigger_value t j).
Proof.
  destruct t as [f|e]; unfold form_value, shape_value, sign_factor; simpl; [ring|].
  unfold half_parity. destruct e; rationals; field.
Qed.

Lemma form_8a_value t g i j : (1 <= i)%nat -> (1 <= j)%nat ->
  fv (form_8a t g) i j = score_8a (trigger_value t) (Q2R g) i j.
Proof.
  intros Hi Hj. unfold form_8a. rewrite form_value_app, trigger_form_value.
  unfold form_value, shape_value, sign_factor, score_8a.
  simpl. rewrite Q2R_opp. assert (INR j <> 0) by (apply not_0_INR; lia). field. assumption.
Qed.
Lemma form_8b_value t g i j : (1 <= n)%nat -> fv (form_8b t g) i j = score_8b (trigger_value t) (Q2R g) n j.
Proof.
  intros Hn. unfold form_8b. rewrite form_value_app, trigger_form_value.
  unfold form_value, shape_value, sign_factor, score_8b. simpl. rationals.
  assert (INR n <> 0) by (apply not_0_INR; lia). field. assumption.
Qed.
Lemma form_8c_value t g i j : (1 <= n)%nat -> fv (form_8c t g) i j = score_8c (trigger_value t) (Q2R g) n j.
Proof.
  intros Hn. unfold form_8c. rewrite form_value_app, trigger_form_value.
  unfold form_value, shape_value, sign_factor, score_8c. simpl. rationals.
  assert (INR n <> 0) by (apply not_0_INR; lia). field. assumption.
Qed.

(* The truth that low-precision heads seek, and the number that it is multiplied by. *)
Definition sought_value (t : tie_trigger) (j : nat) : R :=
  match t with Decides f => bit (tr f j) | Parity e => bit (has_parity e j) end.
Local Definition lead (t : tie_trigger) (x : R) : R := match t with Decides _ => x | Parity _ => x + 1 end.

Lemma sought_truth t j : bit (tr (sought t) j) = sought_value t j. Proof. now destruct t as [f|[|]]. Qed.

Lemma form_rightmost_value t g i j :
  fv (form_rightmost t g) i j = rightmost_score (sought_value t) (Q2R g) (lead t (INR i)) j.
Proof.
  unfold form_rightmost, rightmost_score. rewrite form_value_app, <- sought_truth.
  destruct t; unfold form_value, shape_value, sign_factor; simpl; ring.
Qed.
Lemma form_leftmost_value t g i j :
  fv (form_leftmost t g) i j = leftmost_score (sought_value t) (Q2R g) (lead t (INR n)) j.
Proof.
  unfold form_leftmost, leftmost_score. rewrite form_value_app, <- sought_truth.
  destruct t; unfold form_value, shape_value, sign_factor; simpl; rewrite Q2R_opp; ring.
Qed.

Lemma matches_8_correct of t g p : matches_8 of t g p = true ->
  sharp_enough t g = true /\ forall i j, fv p i j = fv (of t g) i j.
Proof.
  unfold matches_8. destruct (forms_equal p (of t g)) eqn:E; [|discriminate]. intros H. split; [exact H|].
  intros i j. now apply forms_equal_correct.
Qed.

Lemma enough_to_decide f g : sharp_enough (Decides f) g = true -> 0 < Q2R g /\ exp (- Q2R g) <= 1 / 4.
Proof.
  assert (E : Q2R 4 = 4) by (rationals; lra). intros H. cbn [sharp_enough] in H.
  split; [apply (exp_at_least_positive _ _ H)|pose proof (exp_at_least_negative _ _ H)]; lra.
Qed.

Lemma enough_for_parity e g : sharp_enough (Parity e) g = true -> 0 < Q2R g /\ exp (- (2 * Q2R g)) <= 1 / 4.
Proof.
  assert (E : Q2R 4 = 4) by (rationals; lra). assert (D : Q2R (2 * g) = 2 * Q2R g) by (rationals; lra). intros H.
  cbn [sharp_enough] in H. rewrite <- D. pose proof (exp_at_least_positive _ _ H ltac:(lra)).
  pose proof (exp_at_least_negative _ _ H ltac:(lra)). lra.
Qed.

(* The scores that were found are those of Lemma 8, or those for low precision. *)
Lemma finds_rightmost_scores t p (i : position n) v : finds_rightmost t p = true -> exists g, sharp_enough t g = true /\
  (attend n (future_mask i) (fv p i) v = attend n (future_mask i) (score_8b (trigger_value t) (Q2R g) n) v \/ attend n
  (future_mask i) (fv p i) v = attend n (future_mask i) (rightmost_score (sought_value t) (Q2R g) (lead t (INR i))) v \/
  attend n (future_mask i) (fv p i) v = attend n (future_mask i) (score_8a (trigger_value t) (Q2R g) i) v).
Proof.
  intros H. apply orb_prop in H as [H|H]; [apply orb_prop in H as [H|H]|];
    apply matches_8_correct in H as [G E]; eexists; (split; [exact G|]).
  - left. apply attend_ext; [|reflexivity]. intros j _. rewrite E. apply form_8b_value. lia.
  - right. left. apply attend_ext; [|reflexivity]. intros j _. rewrite E. apply form_rightmost_value.
  - right. right. apply attend_ext; [|reflexivity]. intros j [Hj _]. rewrite E. apply form_8a_value; lia.
Qed.

Lemma finds_leftmost_scores t p (i : position n) v : finds_leftmost t p = true -> exists g, sharp_enough t g = true /\
  (attend n (past_mask i) (fv p i) v = attend n (past_mask i) (score_8c (trigger_value t) (Q2R g) n) v \/ attend n
  (past_mask i) (fv p i) v = attend n (past_mask i) (leftmost_score (sought_value t) (Q2R g) (lead t (INR n))) v).
Proof.
  intros H. apply orb_prop in H as [H|H]; apply matches_8_correct in H as [G E]; eexists; (split; [exact G|]).
  - left. apply attend_ext; [|reflexivity]. intros j _. rewrite E. apply form_8c_value. lia.
  - right. apply attend_ext; [|reflexivity]. intros j _. rewrite E. apply form_leftmost_value.
Qed.

(* The factor i^a n^b (n+1-i)^d of a lookup is at least 1. *)
Local Definition scale_value (scale : Z * Z * Z) (i : nat) : R :=
  let '(a, b, d) := scale in powerRZ (INR i) a * powerRZ (INR n) b * powerRZ (INR (S n - i)) d.

Lemma scale_at_least_1 s scale (i : position n) : In scale (lookup_scales s) -> 1 <= scale_value scale i.
Proof.
  intros H. assert (Pi : 1 <= INR i) by (apply INR_at_least_1; lia).
  assert (Pe : 1 <= INR (S n - i)) by (apply INR_at_least_1; lia).
  assert (Li : INR i <= INR n) by (apply le_INR; lia). assert (Le : INR (S n - i) <= INR n) by (apply le_INR; lia).
  assert (D : forall x, 1 <= x <= INR n -> 1 <= / x * INR n).
  { intros x Hx. apply Rmult_le_reg_l with x; [lra|]. rewrite <- Rmult_assoc, Rinv_r by lra. lra. }
  destruct s; simpl in H; repeat (destruct H as [<-|H]); try easy; unfold scale_value;
    rewrite ?power_minus_1, ?powerRZ_O, ?powerRZ_1; pose proof (D _ (conj Pi Li)); pose proof (D _ (conj Pe Le)); lra.
Qed.

Lemma lookup_form_value s f g scale (i : position n) j : fv (lookup_form s f g scale) i j
  = lookup_score (Q2R g * scale_value scale i) (others_on s n (tr f) i + 1) j.
Proof.
  destruct scale as [[a b] d]. unfold lookup_form, lookup_shape, form_value, shape_value, sign_factor, scale_value,
    lookup_score.
  cbn [combination_value at_i at_n shape_end sign_i shape_query at_j sign_j shape_key query_atom_value key_atom_value].
  rewrite (counted_others s n (tr f) i), plus_INR. simpl. rationals. field.
Qed.

Lemma looks_up_correct s f sharp p (i : position n) : looks_up s f sharp p = true -> exists g, sharp g = true /\
  (0 < Q2R g -> exists h, Q2R g <= h /\ forall j, fv p i j = lookup_score h (others_on s n (tr f) i + 1) j).
Proof.
  intros H. apply existsb_exists in H as (scale & In & H). cbv zeta in H.
  set (g := (- coefficient_of shape_eqb p _)%Q) in *. destruct (forms_equal p _) eqn:E; [|discriminate].
  pose proof (scale_at_least_1 s scale i In) as S. exists g. split; [exact H|]. intros Pos.
  exists (Q2R g * scale_value scale i). split.
  - rewrite <- (Rmult_1_r (Q2R g)) at 1. apply Rmult_le_compat_l; lra.
  - intros j. rewrite (forms_equal_correct users n w _ _ i j E). now apply lookup_form_value.
Qed.

Lemma within_error_correct e g : within_error e g = true ->
  0 < Q2R g /\ exists x, Q2R x <= Q2R e /\ Q2R x <= 1 /\ mean_within (exp (- Q2R g)) (Q2R x).
Proof.
  unfold within_error. destruct (mean_error g) as [x|] eqn:E; [|discriminate]. intros H. apply Qle_bool_R in H.
  apply mean_error_correct in E as (G & X & W). split; [exact G|]. now exists x.
Qed.

Lemma alternating_predicate_correct t : alternating_predicate t = true -> is_alternating (fun k =>
  predicate_holds users t k n).
Proof.
  destruct t as [| | | | | | |m r|]; try discriminate; intros H.
  - exists false. intros k. simpl. now destruct (Nat.odd k).
  - exists true. intros k. simpl. now rewrite <- Nat.negb_odd.
  - apply andb_prop in H as [M R]. apply Nat.eqb_eq in M. apply Nat.ltb_lt in R. subst m. exists (r =? 0)%nat.
    intros k. cbn [predicate_holds]. rewrite <- Nat.bit0_mod, Nat.bit0_odd. destruct r as [|[|]]; [| |lia];
      now destruct (Nat.odd k).
Qed.

Lemma sharp_for_predicate_correct t g : sharp_for_predicate t g = true ->
  0 < Q2R g /\ sharp_for (exp (- Q2R g)) (fun k => predicate_holds users t k n).
Proof.
  unfold sharp_for_predicate. destruct (alternating_predicate t) eqn:E; intros H.
  - assert (S : Q2R 6 = 6) by (rationals; lra). split; [apply (exp_at_least_positive _ _ H); lra|]. right.
    split; [pose proof (exp_at_least_negative _ _ H); lra|now apply alternating_predicate_correct].
  - split; [now apply reads_tables_positive|left; now apply reads_tables_correct].
Qed.

Lemma key_form_value k i j : fv (key_form k) i j = key_atom_value users n w k j.
Proof. unfold form_value, shape_value, sign_factor. simpl. rewrite Q2R_1. ring. Qed.
Lemma key_atom_range k j : 0 <= key_atom_value users n w k j <= 1.
Proof. destruct k; simpl; [lra|apply bit_range|apply bit_range]. Qed.

Lemma same_monomial_value x m (i : position n) : same_monomial x m = true ->
  expression_value x n i = monomial_value m n i.
Proof.
  unfold same_monomial. intros H. destruct (monomial_of x) as [a|] eqn:E; [|discriminate].
  repeat (apply andb_prop in H; let X := fresh "X" in destruct H as [H X]).
  rewrite (monomial_of_value n i x a E). unfold monomial_value.
  apply Qeq_bool_R in H. apply Z.eqb_eq in X0, X1, X2. apply eqb_prop in X. now rewrite H, X, X0, X1, X2.
Qed.

Lemma minus_one_value i : expression_value minus_one n i = -1. Proof. simpl. rewrite Q2R_1. lra. Qed.

Lemma mean_up_to_value i : expression_value mean_up_to_expression n i = mean_up_to i.
Proof.
  unfold mean_up_to_expression, mean_up_to. cbn [expression_value integer_value].
  fold (expression_value minus_one n i). rewrite minus_one_value, alternating_power. rationals. f_equal; f_equal; lra.
Qed.

Lemma mean_from_value (i : position n) : expression_value mean_from_expression n i = mean_from n i.
Proof.
  unfold mean_from_expression, mean_from. cbn [expression_value integer_value]. fold (expression_value minus_one n i).
  rewrite minus_one_value. rewrite <- Nat2Z.inj_sub, !alternating_power by lia. rationals. f_equal; f_equal; lra.
Qed.

(* ---- the check is sound ---- *)
Section Head.
Variables (A : list meaning) (h : nat -> vector) (a : head) (r : row) (i : position n) (p v : score_terms).
Hypothesis HA : holds_of users n w A h.
Hypothesis Score : score_form A a = Some p.
Hypothesis Value : value_form A r = Some v.

Lemma attended_form : softmax_value a n h i r = attend n (mask_at (head_masking a) i) (fv p i) (fv v i).
Proof.
  apply attend_ext; intros j [Hj _]; [exact (score_form_correct users n w A h HA _ _ i (Position j Hj) Score)|
    exact (value_form_correct users n w A h HA _ _ (Position j Hj) i Value)].
Qed.

Lemma attended_key k : forms_equal v (key_form k) = true ->
  softmax_value a n h i r = attend n (mask_at (head_masking a) i) (fv p i) (fun j => key_atom_value users n w k j).
Proof.
  intros E. rewrite attended_form. apply attend_ext; [reflexivity|]. intros j _.
  rewrite (forms_equal_correct users n w _ _ i j E). apply key_form_value.
Qed.

Lemma self_visible : visible n (mask_at (head_masking a) i) i.
Proof. destruct (head_masking a); [now split|apply visible_future; lia|apply visible_past; lia]. Qed.

Lemma attended_range k : forms_equal v (key_form k) = true -> 0 <= softmax_value a n h i r <= 1.
Proof.
  intros E. rewrite (attended_key k E). eapply attend_range; [apply self_visible|]. intros. apply key_atom_range.
Qed.

Lemma attended_uniform : is_zero_combination shape_eqb p = true ->
  softmax_value a n h i r = attend n (mask_at (head_masking a) i) (fun _ => 0) (fv v i).
Proof.
  intros Z. rewrite attended_form. apply attend_ext; [|reflexivity]. intros j _.
  exact (vanishes_correct shape_eqb shape_eqb_eq _ p Z).
Qed.

Lemma gathered_uniform : normalises (head_weighing a) = true -> is_zero_combination shape_eqb p = true ->
  head_value a n h i r = softmax_value a n h i r.
Proof.
  intros K Z. apply (attend_as_uniform _ n _ i 0 _ _ K). intros j [Hj _]. transitivity (fv p i j).
  - exact (score_form_correct users n w A h HA _ _ i (Position j Hj) Score).
  - exact (vanishes_correct shape_eqb shape_eqb_eq _ p Z).
Qed.

Lemma average_form_value t s : is_one_sided s t = true ->
  attend n (side_mask s i) (fun _ => 0) (fv (average_form t) i) = IZR (value_of_term users n w t i) / INR (span s n i).
Proof.
  induction t as [c|b s' f t IH]; cbn [is_one_sided]; intros H.
  - apply Z.eqb_eq in H as ->. cbn [value_of_term]. transitivity 0; [|unfold Rdiv; ring]. apply sum_zero. intros j _.
    change (fv (average_form (Number 0)) i j) with 0. ring.
  - apply andb_prop in H as [S H]. apply side_eqb_eq in S as ->. cbn [average_form counts_of flat_map].
    fold (average_form t). rewrite (attend_ext n _ _ (fun _ => 0) _ (fun j => Q2R (inject_Z b) * bit (tr f j)
      + fv (average_form t) i j)); [|reflexivity|].
    + rewrite attend_plus, (IH H), (mean_head s n (tr f) i 0), Q2R_inject_Z.
      change (value_of_term users n w (Plus b s f t) i) with (b * Z.of_nat (counted_on s n (tr f) i) +
        value_of_term users n w t i)%Z. rewrite plus_IZR, mult_IZR, <- INR_IZR_INZ. unfold Rdiv. ring.
    + intros j _. unfold form_value at 1. rewrite combined_app, combined_scaled. f_equal. f_equal. cbn [fst snd].
      exact (key_form_value (KTruth f) i j).
Qed.

Lemma check_position_correct x : is_zero_combination shape_eqb p = true -> check_position (head_masking a) v x = true ->
  softmax_value a n h i r = expression_value x n i.
Proof.
  intros Z H. rewrite (attended_uniform Z). assert (F : forall m, forms_equal v m = true ->
    forall k, attend n k (fun _ => 0) (fv v i) = attend n k (fun _ => 0) (fv m i)).
  { intros m E k. apply attend_ext; [reflexivity|]. intros. now apply forms_equal_correct. }
  assert (Alt : forall k, attend n k (fun _ => 0) (fv minus_alternating i) = attend n k (fun _ => 0)
    (fun j => - sign_of_parity j)).
  { intros k. apply attend_ext; [reflexivity|]. intros. unfold form_value, shape_value, sign_factor. simpl. rationals.
    lra. }
  assert (Key : forall k x, attend n k (fun _ => 0) (fv (key_form x) i) = attend n k (fun _ => 0)
    (key_atom_value users n w x)).
  { intros k y. apply attend_ext; [reflexivity|]. intros. apply key_form_value. }
  destruct (head_masking a); simpl in H |- *; [discriminate| |]; apply orb_prop in H as [H|H];
    apply andb_prop in H as [E X]; rewrite (F _ E).
  - apply expression_eqb_eq in X. subst x. rewrite Alt, mean_up_to_value. now apply alternating_mean_future.
  - rewrite Key, (same_monomial_value x _ i X). cbn. rewrite proposition_11a_reciprocal.
    unfold monomial_value, sign_factor. cbn [monomial_factor monomial_i monomial_n monomial_end monomial_alternates].
    rewrite power_minus_1, !powerRZ_O, Q2R_1. lra.
  - apply expression_eqb_eq in X. subst x. rewrite Alt, mean_from_value. now apply alternating_mean_past.
  - rewrite Key, (same_monomial_value x _ i X). cbn. rewrite proposition_11b_reciprocal by lia.
    unfold monomial_value, sign_factor. cbn [monomial_factor monomial_i monomial_n monomial_end monomial_alternates].
    rewrite power_minus_1, !powerRZ_O, Q2R_1. lra.
Qed.

Lemma real_position guard good : guard_ensures guard [] good = true -> tr guard i = true ->
  good (Case (Nat.odd i) (i =? 1) (i =? n) [] Eq) = true.
Proof. intros H G. exact (guard_ensures_correct users n w i guard [] good H G). Qed.

(* Keys of one parity find the neighbour of a position of that parity, where there is one. *)
Ltac neighbour_found f x guard edge there finds M H := apply andb_prop in H as [E H]; split; [eapply attended_range;
  exact E|]; intros G; apply existsb_exists in H as (e & _ & H); apply andb_prop in H as [Fi Gu]; apply (real_position
  guard _ Gu) in G; simpl in G; apply andb_prop in G as [O F]; apply eqb_prop in O; apply negb_true_iff,
  Nat.eqb_neq in F; change (tr f i) with (negb (i =? edge) && there); rewrite (proj2 (Nat.eqb_neq i edge)) by exact F;
  destruct (finds (Parity e) p i (fun j => bit (tr x j)) Fi) as (g & G & Sc); apply enough_for_parity in G as [G G4];
  apply (near_from_error _ (exp (- (2 * Q2R g)))); [|exact G4|eapply attended_range; exact E]; rewrite (attended_key _
  E), M; cbn [mask_at key_atom_value]; cbn [negb andb].

Lemma check_previous_correct x guard : head_masking a = FutureMasked -> check_neighbour finds_rightmost case_first p v x
  guard = true -> meaning_holds users n w i (IsNear (Previous x) guard) (softmax_value a n h i r).
Proof.
  intros M H. neighbour_found (Previous x) x guard 1%nat (tr x (i - 1)) finds_rightmost_scores M H.
  destruct Sc as [-> | [-> | ->]];
    [apply previous_head|apply previous_integer_head|apply previous_head_causal]; lia || exact G || exact O.
Qed.

Local Lemma check_next_correct x guard : head_masking a = PastMasked -> check_neighbour finds_leftmost case_last p v x
  guard = true -> meaning_holds users n w i (IsNear (Next x) guard) (softmax_value a n h i r).
Proof.
  intros M H. neighbour_found (Next x) x guard n (tr x (i + 1)) finds_leftmost_scores M H.
  destruct Sc as [-> | ->]; [apply next_head|apply next_integer_head]; lia || exact G || exact O.
Qed.

Lemma check_since_correct x y guard : head_masking a = FutureMasked -> finds_rightmost (Decides (Implies x y)) p
  = true -> forms_equal v (key_form (KTruth (And x y))) = true -> meaning_holds users n w i (IsNear (Since x y) guard)
  (softmax_value a n h i r).
Proof.
  intros M F E. split; [eapply attended_range; exact E|]. intros _.
  change (tr (Since x y) i) with (since_at (tr x) (tr y) i).
  destruct (finds_rightmost_scores _ p i (fun j => bit (tr (And x y) j)) F) as (g & G & Sc).
  apply enough_to_decide in G as [G G4].
  apply (near_from_error _ (exp (- Q2R g))); [|exact G4|eapply attended_range; exact E].
  rewrite (attended_key _ E), M. cbn [mask_at key_atom_value].
  destruct Sc as [-> | [-> | ->]]; [exact (since_head (tr x) (tr y) n i _ G)
    |exact (low_precision_since_error (tr x) (tr y) n i _ G)|exact (since_head_causal (tr x) (tr y) n i _ G)].
Qed.

Lemma check_until_correct x y guard : head_masking a = PastMasked -> finds_leftmost (Decides (Implies x y)) p = true ->
  forms_equal v (key_form (KTruth (And x y))) = true ->
  meaning_holds users n w i (IsNear (Until x y) guard) (softmax_value a n h i r).
Proof.
  intros M F E. split; [eapply attended_range; exact E|]. intros _.
  change (tr (Until x y) i) with (until_at n (tr x) (tr y) i).
  destruct (finds_leftmost_scores _ p i (fun j => bit (tr (And x y) j)) F) as (g & G & Sc).
  apply enough_to_decide in G as [G G4].
  apply (near_from_error _ (exp (- Q2R g))); [|exact G4|eapply attended_range; exact E].
  rewrite (attended_key _ E), M. cbn [mask_at key_atom_value].
  destruct Sc as [-> | ->];
    [exact (until_head (tr x) (tr y) n i _ G)|exact (low_precision_until_error (tr x) (tr y) n i _ G)].
Qed.

Lemma mask_of_lookup s : head_masking a = lookup_masking s -> mask_at (head_masking a) i = lookup_mask s i.
Proof. intros ->. now destruct s. Qed.

Lemma check_on_count_correct t s x guard : head_masking a = lookup_masking s -> check_on_count t s x guard p v = true ->
  meaning_holds users n w i (IsNear (OnCount t s x) guard) (softmax_value a n h i r).
Proof.
  intros M H. apply andb_prop in H as [L H]. destruct (looks_up_correct s x _ p i L) as (g & G & Sc).
  apply sharp_for_predicate_correct in G as [G Sharp]. destruct (Sc G) as (k & Gk & Sk). clear Sc.
  destruct (predicate_heads s n i (tr x) (Q2R g) k G Gk _ Sharp) as [P1 P0].
  assert (Here : forall b guarded, guard_ensures guard [x] (counted_here x b) = true -> guarded = tr guard i ->
    guarded = true -> tr x i = b).
  { intros b ? Gu -> Hg. apply (guard_ensures_correct users n w i guard [x] _ Gu) in Hg. unfold counted_here in Hg.
    pose proof (evaluate_correct users n w i _ (real_case_real users n w i [x] Eq) x) as Ev.
    destruct (evaluate _ x) as [y|]; [|discriminate]. apply eqb_prop in Hg. subst y. now apply Ev. }
  apply orb_prop in H as [H|H]; apply andb_prop in H as [E Gu]; (split; [eapply attended_range; exact E|]); intros Hg;
    specialize (Here _ _ Gu eq_refl Hg); rewrite (attended_key _ E), (mask_of_lookup s M);
    (erewrite attend_ext; [|intros j _; apply Sk|intros j _; reflexivity]).
  - exact (P1 Here).
  - exact (P0 Here).
Qed.

Theorem check_head_correct b : check_head A a r b = true -> meaning_holds users n w i b (softmax_value a n h i r).
Proof.
  unfold check_head. rewrite Score, Value.
  destruct b as [[x|]|f|f|f guard|x f|s f|t|s f|s f g|]; intros H; try discriminate.
  - apply andb_prop in H as [Z C]. now apply check_position_correct.
  - destruct f; try discriminate; simpl in H.
    + apply andb_prop in H as [M H]. apply masking_eqb_eq in M. now apply check_previous_correct.
    + apply andb_prop in H as [M H]. apply masking_eqb_eq in M. now apply check_next_correct.
    + apply andb_prop in H as [H E]. apply andb_prop in H as [M F]. apply masking_eqb_eq in M.
      now apply check_since_correct.
    + apply andb_prop in H as [H E]. apply andb_prop in H as [M F]. apply masking_eqb_eq in M.
      now apply check_until_correct.
    + apply andb_prop in H as [M H]. apply masking_eqb_eq in M. now apply check_on_count_correct.
  - apply andb_prop in H as [H E]. apply andb_prop in H as [Z M]. apply masking_eqb_eq in M. simpl.
    rewrite <- (mean_head s n (tr f) i 0), (attended_uniform Z), M.
    replace (mask_at (mean_masking s) i) with (side_mask s i) by now destruct s. apply attend_ext; [reflexivity|].
    intros j _. rewrite (forms_equal_correct users n w _ _ i j E). apply key_form_value.
  - apply andb_prop in H as [H E]. apply andb_prop in H as [H S]. apply andb_prop in H as [Z M].
    apply masking_eqb_eq in M. simpl. rewrite <- (average_form_value t _ S), (attended_uniform Z), M.
    replace (mask_at (mean_masking (side_of t)) i) with (side_mask (side_of t) i) by now destruct (side_of t).
    apply attend_ext; [reflexivity|]. intros j _. exact (forms_equal_correct users n w _ _ i j E).
  - apply andb_prop in H as [H E]. apply andb_prop in H as [M L]. apply masking_eqb_eq in M.
    destruct (looks_up_correct s f _ p i L) as (g' & G & Sc). apply within_error_correct in G as (G & x & He & X & W).
    destruct (Sc G) as (k & Gk & Sk). simpl. rewrite attended_form, (mask_of_lookup s M).
    rewrite (attend_ext n _ (fv p i) (lookup_score k (others_on s n (tr f) i + 1)) (fv v i) (fun j => INR j - 1)).
    + eapply Rle_trans; [|exact He]. exact (others_head s n i (tr f) (Q2R g') k G Gk _ X W).
    + intros j _. apply Sk.
    + intros j _. rewrite (forms_equal_correct users n w _ _ i j E). unfold form_value, shape_value, sign_factor. simpl.
      rationals. field.
Qed.
End Head.
End Correct.
