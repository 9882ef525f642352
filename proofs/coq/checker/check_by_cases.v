(* Heads that somebody wrote by hand: scores and values compared by truth tables, at any ratio of the tie-breaking term.

   The scaled score of a head must be a product K of logarithms, roots and sums times a form; of the form, what depends
   on the key is its *level* i^a n^b (c1 [f1](j) + c2 [f2](j) + ...), where parities count as truths, and a tie-breaking
   term c i^a n^b j or c i^a n^b / j. The level and the value are evaluated in all cases of one position (cases.v).
   `check_by_cases` accepts a head for `since` and `until` if the level tells apart where p -> q holds and the value is
   there that of p & q; a head that looks at the first (last) position, for a `since` (`until`) decided there; and a
   mean, if no score depends on the key and the value is that of the formula.
   Proved: an accepted head has the value of its direction, at every position of every allowed length. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia Arith.
From Certify Require Import positions finite_sums softmax exponential relu formula network meaning linear_combination
  rational_bounds monomial expression_bounds score_form cases theorem_15_since_until attention_by_levels check_head
  check_feedforward proposition_11_end_markers theorem_20_counting.
Import ListNotations PositionNotations.
Open Scope R_scope.

(* ---- the temperature as a monomial over a product of other expressions ---- *)
Local Notation factors := (monomial * list expression)%type.
Fixpoint product_of (x : expression) : factors :=
  match monomial_of x, x with
  | Some m, _ => (m, [])
  | None, Mul y z => (monomial_times (fst (product_of y)) (fst (product_of z)), snd (product_of y) ++ snd (product_of
    z))
  | None, Div y z =>
      match monomial_of z with
      | Some m => match monomial_inverse m with
                  | Some b => (monomial_times (fst (product_of y)) b, snd (product_of y))
                  | None => (constant_monomial 1, [x])
                  end
      | None => (constant_monomial 1, [x])
      end
  | None, Neg y => (monomial_times (constant_monomial (-1)) (fst (product_of y)), snd (product_of y))
  | None, _ => (constant_monomial 1, [x])
  end.
(* 1/x as a monomial times a product. *)
Definition reciprocal_of (x : expression) : option factors :=
  match x with
  | Div y z =>
      match monomial_of y with
      | Some m => option_map (fun b => (monomial_times b (fst (product_of z)), snd (product_of z))) (monomial_inverse m)
      | None => None
      end
  | _ => match monomial_of x with Some m => option_map (fun b => (b, [])) (monomial_inverse m) | None => None end
  end.
Definition product_value (es : list expression) (n i : nat) : R :=
  fold_right (fun x y => expression_value x n i * y) 1 es.
Fixpoint product_below (m : nat) (es : list expression) : option Q :=
  match es with
  | [] => Some 1%Q
  | x :: es =>
      match lower_bound m x, product_below m es with
      | Some p, Some q => if is_above_zero p then Some (Qred (p * q)) else None
      | _, _ => None
      end
  end.

(* ---- queries: a factor such as ln n that all their directions share counts as one of the temperature ---- *)
Definition query_factors (a : meaning) : list expression :=
  match a with IsPosition (Formula x) | IsProduct x _ => snd (product_of x) | _ => [] end.
Definition shared_factors (A : list meaning) (a : head) : list expression :=
  match concat (head_queries a) with (d, _) :: _ => query_factors (nth d A IsAnything) | [] => [] end.
Fixpoint same_factors (es fs : list expression) : bool :=
  match es, fs with
  | [], [] => true
  | e :: es, f :: fs => expression_eqb e f && same_factors es fs
  | _, _ => false
  end.
Definition query_term_over (es : list expression) (a : meaning) : option (monomial * query_atom) :=
  if same_factors (query_factors a) es then
    match a with
    | IsPosition (Formula x) => Some (fst (product_of x), QOne)
    | IsProduct x f => Some (fst (product_of x), QTruth f)
    | _ => query_term a
    end
  else None.

(* ---- levels and the tie-breaking term ---- *)
Definition depends_on_key (s : score_shape) : bool :=
  negb (Z.eqb (at_j s) 0 && negb (sign_j s) && match shape_key s with KOne => true | _ => false end).
Definition for_every_query (s : score_shape) : bool :=
  Z.eqb (shape_end s) 0 && negb (sign_i s) && match shape_query s with QOne => true | _ => false end.
Definition is_tie (e : Z) (s : score_shape) : bool :=
  Z.eqb (at_j s) e && for_every_query s && negb (sign_j s) && match shape_key s with KOne => true | _ => false end.
Definition is_level (a b : Z) (s : score_shape) : bool :=
  Z.eqb (at_j s) 0 && for_every_query s && Z.eqb (at_i s) a && Z.eqb (at_n s) b
  && match shape_key s with KBefore _ => false | _ => true end.

Definition key_case (c : case) (s : score_shape) : option Q :=
  let sign := if sign_j s && case_odd c then (-1)%Q else 1%Q in
  match shape_key s with
  | KOne => Some sign
  | KTruth f => option_map (fun b : bool => if b then sign else 0%Q) (evaluate c f)
  | KBefore _ => None
  end.
Local Fixpoint level (c : case) (l : score_terms) : option Q :=
  match l with
  | [] => Some 0%Q
  | (s, q) :: l =>
      match key_case c s, level c l with Some x, Some y => Some (Qred (q * x + y)) | _, _ => None end
  end.

Record level_scores := LevelScores {
  score_levels : score_terms; level_i : Z; level_n : Z;                     (* i^a n^b, the factor of all levels *)
  tie_power : Z; tie_factor : Q; tie_i : Z; tie_n : Z }.              (* tie i^a n^b j^power *)
Definition scores_of (p : score_terms) : option level_scores :=
  let p := merged_terms shape_eqb (filter (fun e => depends_on_key (fst e)) p) in
  let ties := filter (fun e => is_tie 1 (fst e) || is_tie (-1) (fst e)) p in
  let rest := filter (fun e => negb (is_tie 1 (fst e) || is_tie (-1) (fst e))) p in
  let '(a, b) := match rest with (s, _) :: _ => (at_i s, at_n s) | [] => (0, 0)%Z end in
  if forallb (fun e => is_level a b (fst e)) rest then
    match ties with
    | [] => Some (LevelScores rest a b 1 0 0 0)
    | [(s, q)] => Some (LevelScores rest a b (at_j s) q (at_i s) (at_n s))
    | _ => None
    end
  else None.

(* ---- truth tables ---- *)
(* A position has one symbol only. *)
Local Definition agree (e f : formula * bool) : bool :=
  match e, f with (Symbol a, true), (Symbol b, true) => Nat.eqb a b | _, _ => true end.
Definition consistent_case (c : case) : bool := forallb (fun e => forallb (agree e) (case_assumed c)) (case_assumed c).
Definition key_atoms (l : score_terms) (atoms : list formula) : list formula :=
  fold_right (fun e atoms => match shape_key (fst e) with KTruth f => add_unread f atoms | _ => atoms end) atoms l.

Definition is_bit (y : Q) (b : option bool) : bool :=
  match b with Some b => Qeq_bool y (if b then 1 else 0) | None => false end.
Section Table.
Variables (decides : formula) (good bad : case -> Q -> bool) (l v : score_terms).

(* Where `is_decisive` holds the level is C and the value good; elsewhere the level is at most C - D and the value bad.
   *)
Definition table_case (C D : Q) (c : case) : bool :=
  match evaluate c decides, level c l, level c v with
  | Some true, Some x, Some y => Qeq_bool x C && good c y
  | Some false, Some x, Some y => Qle_bool x (C - D) && bad c y
  | _, _, _ => false
  end.
Definition levels_where (b : bool) (cs : list case) : list Q :=
  flat_map (fun c => match evaluate c decides, level c l with
    | Some d, Some x => if eqb d b then [x] else [] | _, _ => [] end) cs.
Definition greatest_of (l : list Q) : option Q :=
  fold_right (fun x m => match m with Some y => Some (if Qle_bool x y then y else x) | None => Some x end) None l.
(* C and D, from the cases, if they distinguish the deciding positions. *)
Definition level_table (atoms : list formula) : option (Q * Q) :=
  if Nat.leb (length atoms) 10 then
    let cs := filter consistent_case (cases_of_atoms atoms [Eq]) in
    match levels_where true cs with
    | C :: _ =>
        let D := match greatest_of (levels_where false cs) with Some B => Qred (C - B) | None => 1%Q end in
        if forallb (table_case C D) cs then Some (C, D) else None
    | [] => None
    end
  else None.
End Table.

(* The value is that of p & q where p -> q holds, and 0 elsewhere. *)
Definition temporal_table (p q : formula) (l v : score_terms) : option (Q * Q) := level_table (Implies p q) (fun c y =>
  is_bit y (evaluate c (And p q))) (fun _ y => is_zero y) l v (key_atoms l (key_atoms v (add_unread (Implies p q) []))).
(* The value is that of p & q at the edge, and elsewhere p holds and q does not. *)
Definition edge_table (edge : predicate) (p q : formula) (l v : score_terms) : option (Q * Q) :=
  level_table (Positional edge) (fun c y => is_bit y (evaluate c (And p q))) (fun c y => Qle_bool 0 y && Qle_bool y 1 &&
  is_bit 1 (evaluate c (And p (Not q)))) l v (key_atoms l (key_atoms v (add_unread (And p q) []))).

(* ---- what is enough ---- *)
Section Enough.
Variables (L : lengths) (es : list expression) (sc : level_scores).

Local Definition grows (least a b : Z) : bool := Z.leb 0 b && Z.leb least (a + b).      (* i^a n^b >= i^least *)
Definition is_quarter (g : Q) : bool :=
  match product_below (least_length L) es with Some k => exp_at_least 4 (k * g) && Qle_bool 0 g | None => false end.
Definition by_longest (g D : Q) : bool :=
  match greatest_length L with Some N => Qle_bool (g * inject_Z (Z.of_nat N)) D | None => false end.

Definition steps_i := (level_i sc - tie_i sc)%Z.
Definition steps_n := (level_n sc - tie_n sc)%Z.
(* tie i <= D, tie i^2 <= D i^2, tie n <= D n, all times the factors of the level and the tie-breaking term *)
Local Definition rises (D : Q) : bool :=
  Z.eqb (tie_power sc) 1 && is_quarter (tie_factor sc) && grows 0 (tie_i sc) (tie_n sc) &&
  (Qle_bool (tie_factor sc) D && grows 1 steps_i steps_n || by_longest (tie_factor sc) D && grows 0 steps_i steps_n).
Definition rises_to_0 (D : Q) : bool := Z.eqb (tie_power sc) (-1) && is_quarter (- tie_factor sc) &&
  grows 2 (tie_i sc) (tie_n sc) && (Qle_bool (- tie_factor sc) D && grows 0 steps_i steps_n).
Local Definition falls (D : Q) : bool := Z.eqb (tie_power sc) 1 && is_quarter (- tie_factor sc) &&
  grows 0 (tie_i sc) (tie_n sc) && (Qle_bool (- tie_factor sc) D && Z.leb 0 steps_i && Z.leb 1 steps_n ||
  by_longest (- tie_factor sc) D && grows 0 steps_i steps_n).
(* The edge is above all others: by e^D >= 3(n - 1), by n, or by 2 ln n. *)
Definition stands_out (D : Q) : bool :=
  is_zero (tie_factor sc) && Qle_bool 0 D &&
  (match greatest_length L, product_below (least_length L) es with
   | Some N, Some k => grows 0 (level_i sc) (level_n sc) && exp_at_least (3 * (inject_Z (Z.of_nat N) - 1)) (k * D)
   | _, _ => false
   end
   || match product_below (least_length L) es with
      | Some k => Z.leb 0 (level_i sc) && Z.leb 1 (level_n sc) && Qle_bool 1 (k * D)
      | None => false
      end
   || match es with
      | [Apply Ln VarN] => grows 0 (level_i sc) (level_n sc) && Qle_bool 2 D
      | _ => false
      end).
End Enough.

Definition sees_first (k : masking) : bool := match k with PastMasked => false | _ => true end.
Definition sees_last (k : masking) : bool := match k with FutureMasked => false | _ => true end.
Definition gap_enough (table : option (Q * Q)) (enough : Q -> bool) : bool :=
  match table with Some (_, D) => enough D | None => false end.

Definition check_since (L : lengths) (k : masking) (es : list expression) (sc : level_scores) (v : score_terms) (p q :
  formula) : bool :=
  masking_eqb k FutureMasked
    && gap_enough (temporal_table p q (score_levels sc) v) (fun D => rises L es sc D || rises_to_0 L es sc D)
  || sees_first k && gap_enough (edge_table FIRST p q (score_levels sc) v) (fun D =>
       stands_out L es sc D || Z.eqb (tie_power sc) 1 && Qle_bool 0 D && grows 0 (tie_i sc) (tie_n sc)
                               && match score_levels sc with [] => is_quarter L es (- tie_factor sc) | _ => false end).
Definition check_until (L : lengths) (k : masking) (es : list expression) (sc : level_scores) (v : score_terms) (p q :
  formula) : bool :=
  masking_eqb k PastMasked && gap_enough (temporal_table p q (score_levels sc) v) (falls L es sc)
  || sees_last k && gap_enough (edge_table LAST p q (score_levels sc) v) (fun D =>
       stands_out L es sc D || Z.eqb (tie_power sc) 1 && Qle_bool 0 D && grows 0 (tie_i sc) (tie_n sc)
                               && match score_levels sc with [] => is_quarter L es (tie_factor sc) | _ => false end).

(* No score depends on the key, and the value is that of f in every case. *)
Definition check_mean (k : masking) (sc : level_scores) (v : score_terms) (s : side) (f : formula) : bool :=
  masking_eqb k (mean_masking s) && is_zero (tie_factor sc) && match score_levels sc with [] => true | _ => false end
  && match level_table (Truth true) (fun c y => is_bit y (evaluate c f)) (fun _ _ => true) [] v
             (key_atoms v (add_unread f [])) with Some _ => true | None => false end.

Definition check_by_cases (L : lengths) (A : list meaning) (a : head) (r : row) (b : meaning) : bool :=
  match reciprocal_of (head_temperature a), value_form A r with
  | Some (m, of_temperature), Some v =>
    let of_queries := shared_factors A a in
    match rows_form (query_term_over of_queries) A m (head_queries a) (head_keys a) with
    | Some p =>
      match scores_of p with
      | Some sc =>
        let es := of_temperature ++ of_queries in
        surely_positive (least_length L) (head_temperature a) && forallb (fun e => is_level 0 0 (fst e)) v &&
        match b with
        | IsNear (Since x y) _ => check_since L (head_masking a) es sc v x y
        | IsNear (Until x y) _ => check_until L (head_masking a) es sc v x y
        | IsMean s f => check_mean (head_masking a) sc v s f
        | _ => false
        end
      | None => false
      end
    | None => false
    end
  | _, _ => false
  end.

(* ---- what they stand for ---- *)
Section Value.
Variables (n : nat) (i : position n).

Lemma product_value_app es fs : product_value (es ++ fs) n i = product_value es n i * product_value fs n i.
Proof. induction es as [|e es IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma product_of_value x :
  expression_value x n i = monomial_value (fst (product_of x)) n i * product_value (snd (product_of x)) n i.
Proof.
  assert (One : forall y, expression_value y n i = monomial_value (constant_monomial 1) n i * product_value [y] n i).
  { intros y. rewrite constant_value, Q2R_1. simpl. ring. }
  induction x; cbn [product_of]; match goal with |- context [monomial_of ?y] => destruct (monomial_of y) as [m|]
    eqn:E end; try (cbn [fst snd product_value fold_right]; rewrite Rmult_1_r; now apply monomial_of_value);
    try apply One; cbn [fst snd expression_value].
  - rewrite times_value, product_value_app, IHx1, IHx2 by lia. ring.
  - destruct (monomial_of x2) as [m|] eqn:E2; [|exact (One (Div x1 x2))].
    destruct (monomial_inverse m) as [b|] eqn:V; [|exact (One (Div x1 x2))]. pose proof (inverse_value n i m b V) as T.
    cbn [fst snd expression_value]. rewrite times_value, IHx1, (monomial_of_value n i x2 m E2) by lia.
    assert (Z : monomial_value m n i <> 0) by (intros Z; rewrite Z in T; lra).
    apply Rmult_eq_reg_r with (monomial_value m n i); [|exact Z]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by exact Z.
    transitivity (monomial_value (fst (product_of x1)) n i * product_value (snd (product_of x1)) n i
                  * (monomial_value b n i * monomial_value m n i)); [|ring].
    rewrite T. ring.
  - rewrite times_value, constant_value, IHx by lia. replace (Q2R (-1)) with (-1) by (rationals; lra). ring.
Qed.

Lemma same_factors_eq es fs : same_factors es fs = true -> es = fs.
Proof.
  revert fs. induction es as [|e es IH]; intros [|f fs] H; try discriminate; [reflexivity|].
  apply andb_prop in H as [E H]. apply expression_eqb_eq in E. f_equal; auto.
Qed.

Lemma reciprocal_of_value x m es : reciprocal_of x = Some (m, es) -> 0 < expression_value x n i ->
  / expression_value x n i = monomial_value m n i * product_value es n i.
Proof.
  assert (Plain : option_map (fun b => (b, [])) (match monomial_of x with Some m => monomial_inverse m |
    None => None end) = Some (m, es) -> 0 < expression_value x n i -> / expression_value x n i =
    monomial_value m n i * product_value es n i).
  { destruct (monomial_of x) as [t|] eqn:E; [|discriminate]. destruct (monomial_inverse t) as [b|] eqn:V;
      [|discriminate].
    intros [= <- <-]. pose proof (inverse_value n i t b V) as T. rewrite (monomial_of_value n i x t E).
    intros P. simpl. apply Rmult_eq_reg_r with (monomial_value t n i); [|lra]. rewrite Rinv_l by lra. lra. }
  intros H P.
  destruct x; cbn [reciprocal_of] in H; try (apply Plain; [|exact P]; destruct (monomial_of _); [exact H|discriminate]).
  clear Plain. destruct (monomial_of x1) as [t|] eqn:E; [|discriminate].
  destruct (monomial_inverse t) as [b|] eqn:V; [|discriminate]. injection H as <- <-.
  pose proof (inverse_value n i t b V) as T. cbn [expression_value] in *. rewrite (monomial_of_value n i x1 t E) in *.
  rewrite times_value, Rmult_assoc, <- product_of_value by lia.
  assert (monomial_value t n i <> 0) by (intros Z; rewrite Z in T; lra). assert (expression_value x2 n i <> 0).
  { intros Z. rewrite Z in P. unfold Rdiv in P. rewrite Rinv_0 in P. lra. }
  replace (monomial_value b n i) with (/ monomial_value t n i); [field; auto|].
  apply Rmult_eq_reg_r with (monomial_value t n i); [|assumption]. rewrite T, Rinv_l; auto.
Qed.

Lemma product_below_correct m es k : (m <= n)%nat -> product_below m es = Some k -> 0 < Q2R k <= product_value es n i.
Proof.
  intros Hm. revert k. induction es as [|x es IH]; cbn [product_below product_value fold_right]; intros k H.
  - injection H as <-. rewrite Q2R_1. lra.
  - pose proof (lower_bound_correct m n i Hm x) as B. destruct (lower_bound m x) as [p|]; [|discriminate].
    specialize (B p eq_refl). destruct (product_below m es) as [q|]; [|discriminate]. specialize (IH q eq_refl).
    destruct (is_above_zero p) eqn:P; [|discriminate]. apply above_zero_R in P.
    replace k with (Qred (p * q)) by congruence. rewrite Q2R_reduced, Q2R_mult. split.
    + now apply Rmult_lt_0_compat.
    + apply Rmult_le_compat; try apply IH; lra.
Qed.

End Value.

(* i^a n^b *)
Local Definition powers (n i : nat) (a b : Z) : R := powerRZ (INR i) a * powerRZ (INR n) b.

Section Powers.
Variables (n : nat) (i : position n).

Lemma powers_positive a b : 0 < powers n i a b. Proof. apply Rmult_lt_0_compat; apply powerRZ_lt, lt_0_INR; lia. Qed.
Lemma powers_add a b c d : powers n i (a + c) (b + d) = powers n i a b * powers n i c d.
Proof. unfold powers. rewrite !power_add by lia. ring. Qed.

Local Lemma power_grows x a b : 1 <= x -> (a <= b)%Z -> powerRZ x a <= powerRZ x b.
Proof.
  intros Hx H. replace b with (a + (b - a))%Z by lia. rewrite powerRZ_add by lra.
  assert (P : 0 < powerRZ x a) by (apply powerRZ_lt; lra). rewrite <- (Rmult_1_r (powerRZ x a)) at 1.
  apply Rmult_le_compat_l; [lra|]. rewrite <- (Z2Nat.id (b - a)) by lia. rewrite <- pow_powerRZ. now apply pow_R1_Rle.
Qed.

Lemma grows_correct least a b : grows least a b = true -> powerRZ (INR i) least <= powers n i a b.
Proof.
  unfold grows. intros H. apply andb_prop in H as [B S]. apply Z.leb_le in B, S.
  assert (P : 1 <= INR i) by (apply INR_at_least_1; lia). assert (Q : INR i <= INR n) by (apply le_INR; lia).
  eapply Rle_trans; [apply (power_grows (INR i) least (a + b) P S)|]. rewrite powerRZ_add by lra.
  apply Rmult_le_compat_l; [left; apply powerRZ_lt; lra|].
  rewrite <- (Z2Nat.id b B), <- !pow_powerRZ. apply pow_incr. lra.
Qed.

Lemma reaches_end a b : Z.leb 0 a = true -> Z.leb 1 b = true -> INR n <= powers n i a b.
Proof.
  intros A B. apply Z.leb_le in A, B. assert (P : 1 <= INR i) by (apply INR_at_least_1; lia).
  assert (Q : 1 <= INR n) by (apply INR_at_least_1; lia). pose proof (power_grows (INR i) 0 a P A) as H1.
  pose proof (power_grows (INR n) 1 b Q B) as H2. rewrite powerRZ_1 in H2. simpl in H1. unfold powers.
  rewrite <- (Rmult_1_l (INR n)) at 1. apply Rmult_le_compat; lra.
Qed.
End Powers.

Section Word.
Variables (users : predicate_meanings) (n : nat) (w : word).
Notation tr := (truth users n w).
Notation fv := (form_value users n w).

(* The level of a key, without the factor. *)
Definition key_value (j : nat) (s : score_shape) : R := sign_factor (sign_j s) j * key_atom_value users n w (shape_key
  s) j.
Definition level_value (l : score_terms) (j : nat) : R := combination_value (key_value j) l.

Lemma key_case_correct c j s x : case_holds users n w j c -> key_case c s = Some x -> key_value j s = Q2R x.
Proof.
  intros R H. pose proof R as (O & _). unfold key_case in H. unfold key_value, sign_factor, sign_of_parity.
  assert (G : (if sign_j s then if Nat.odd j then -1 else 1 else 1) = Q2R (if sign_j s && case_odd c then -1 else 1)).
  { rewrite <- O. destruct (sign_j s), (case_odd c); cbn [andb]; rationals; lra. }
  rewrite G. destruct (shape_key s) as [|f|f]; try discriminate.
  - injection H as <-. simpl. ring.
  - destruct (evaluate c f) as [b|] eqn:E; [|discriminate]. apply (evaluate_correct users n w j c R) in E.
    cbn [option_map key_atom_value] in *. rewrite E. destruct b; injection H as <-; simpl; rewrite ?Q2R_0; ring.
Qed.

Lemma level_correct c j l : case_holds users n w j c -> forall x, level c l = Some x -> level_value l j = Q2R x.
Proof.
  intros R. unfold level_value. induction l as [|[s q] l IH]; cbn [level combination_value]; intros x H.
  - injection H as <-. now rewrite Q2R_0.
  - destruct (key_case c s) as [y|] eqn:K; [|discriminate]. destruct (level c l) as [z|]; [|discriminate].
    replace x with (Qred (q * y + z)) by congruence. rationals.
    now rewrite (key_case_correct c j s y R K), (IH z eq_refl).
Qed.

Lemma for_every_query_value s (i : position n) j : for_every_query s = true ->
  shape_value users n w i j s = powers n i (at_i s) (at_n s) * (powerRZ (INR j) (at_j s) * key_value j s).
Proof.
  unfold for_every_query. intros H. apply andb_prop in H as [H Q]. apply andb_prop in H as [E S].
  apply Z.eqb_eq in E. apply negb_true_iff in S. destruct (shape_query s) eqn:K; try discriminate.
  unfold shape_value, powers, key_value. rewrite E, S, K. unfold sign_factor at 1. simpl (powerRZ _ 0). simpl. ring.
Qed.

Lemma levels_value a b l (i : position n) j : forallb (fun e => is_level a b (fst e)) l = true ->
  fv l i j = powers n i a b * level_value l j.
Proof.
  intros H. unfold form_value, level_value. induction l as [|[s q] l IH]; cbn [combination_value]; [ring|].
  cbn [forallb fst] in H. apply andb_prop in H as [S H]. rewrite (IH H). unfold is_level in S.
  apply andb_prop in S as [S _]. apply andb_prop in S as [S B]. apply andb_prop in S as [S A].
  apply andb_prop in S as [J Q]. apply Z.eqb_eq in A, B, J.
  rewrite (for_every_query_value s i j Q), A, B, J. simpl (powerRZ _ 0). ring.
Qed.

Lemma combined_split (f : score_shape * Q -> bool) (val : score_shape -> R) (l : score_terms) :
  combination_value val l = combination_value val (filter f l) + combination_value val (filter (fun e => negb (f e)) l).
Proof.
  induction l as [|[s q] l IH]; cbn [filter combination_value]; [ring|].
  destruct (f (s, q)); cbn [negb combination_value]; rewrite IH; ring.
Qed.

Lemma base_value p i j : fv (filter (fun e => negb (depends_on_key (fst e))) p) i j
  = fv (filter (fun e => negb (depends_on_key (fst e))) p) i 1.
Proof.
  unfold form_value. induction p as [|[s q] p IH]; cbn [filter combination_value]; [reflexivity|]. cbn [fst].
  destruct (depends_on_key s) eqn:D; cbn [negb combination_value]; [exact IH|]. rewrite IH. f_equal. f_equal.
  unfold depends_on_key in D. apply negb_false_iff in D. apply andb_prop in D as [D K].
  apply andb_prop in D as [J S]. apply Z.eqb_eq in J. apply negb_true_iff in S.
  unfold shape_value. rewrite J, S. destruct (shape_key s); try discriminate. reflexivity.
Qed.

Local Definition tie_value (sc : level_scores) (i j : nat) : R :=
  powers n i (tie_i sc) (tie_n sc) * (Q2R (tie_factor sc) * powerRZ (INR j) (tie_power sc)).

(* The result of scores_of: a term common to all keys, the level, and the tie-breaking term. *)
Lemma scores_of_value p sc (i : position n) : scores_of p = Some sc -> exists base, forall j,
  fv p i j = base + powers n i (level_i sc) (level_n sc) * level_value (score_levels sc) j + tie_value sc i j.
Proof.
  intros H. exists (fv (filter (fun e => negb (depends_on_key (fst e))) p) i 1). intros j.
  unfold form_value at 1. rewrite (combined_split (fun e => depends_on_key (fst e))).
  fold (fv (filter (fun e => negb (depends_on_key (fst e))) p) i j). rewrite base_value.
  rewrite <- (combined_merged shape_eqb shape_eqb_eq _ (filter (fun e => depends_on_key (fst e)) p)).
  unfold scores_of in H. set (m := merged_terms shape_eqb _) in *. clearbody m.
  rewrite (combined_split (fun e => is_tie 1 (fst e) || is_tie (-1) (fst e)) _ m).
  set (rest := filter (fun e => negb _) m) in *.
  set (ties := filter (fun e => is_tie 1 (fst e) || is_tie (-1) (fst e)) m) in *.
  destruct (match rest with (s, _) :: _ => (at_i s, at_n s) | [] => (0, 0)%Z end) as [a b].
  destruct (forallb _ rest) eqn:F; [|discriminate]. fold (fv rest i j). rewrite (levels_value a b rest i j F).
  assert (T : forall s q, In (s, q) ties -> is_tie 1 s || is_tie (-1) s = true).
  { intros s q I. apply filter_In in I. apply I. }
  destruct ties as [|[s q] [|]]; [| |discriminate].
  - injection H as <-. unfold tie_value.
    cbn [score_levels level_i level_n tie_factor tie_i tie_n tie_power combination_value]. rewrite Q2R_0. ring.
  - specialize (T s q (or_introl eq_refl)). injection H as <-. unfold tie_value.
    cbn [score_levels level_i level_n tie_factor tie_i tie_n tie_power combination_value].
    assert (G : for_every_query s = true /\ key_value j s = 1).
    { unfold key_value. apply orb_prop in T as [T|T]; unfold is_tie in T; apply andb_prop in T as [T K];
        apply andb_prop in T as [T S]; apply andb_prop in T as [_ Q]; apply negb_true_iff in S;
        (split; [exact Q|]); rewrite S; (destruct (shape_key s); try discriminate); simpl; ring. }
    rewrite (for_every_query_value s i j (proj1 G)), (proj2 G). ring.
Qed.

(* ---- truth tables ---- *)
Lemma real_case_possible j atoms : consistent_case (real_case users n w j atoms Eq) = true.
Proof.
  apply forallb_forall. intros e He. apply forallb_forall. intros f Hf. cbn [real_case case_assumed] in He, Hf.
  apply in_map_iff in He as (g & <- & _). apply in_map_iff in Hf as (h & <- & _).
  unfold agree. destruct g; try reflexivity. destruct (tr (Symbol a) j) eqn:E; [|reflexivity].
  destruct h; try reflexivity. destruct (tr (Symbol a0) j) eqn:F; [|reflexivity].
  cbn in E, F. apply Nat.eqb_eq in E, F. apply Nat.eqb_eq. congruence.
Qed.

(* The entry of a table at the position j: in a case that is real there. *)
Lemma table_correct decides good bad l v atoms C D j : level_table decides good bad l v atoms = Some (C, D) ->
  exists c y, case_holds users n w j c /\ level_value v j = Q2R y /\ (tr decides j = true -> level_value l j = Q2R C /\
  good c y = true) /\ (tr decides j = false -> level_value l j <= Q2R C - Q2R D /\ bad c y = true).
Proof.
  unfold level_table. destruct (Nat.leb _ _); [|discriminate]. set (cs := filter consistent_case _).
  destruct (levels_where _ _ true cs) as [|C' rest]; [discriminate|]. cbv zeta.
  set (D' := match greatest_of _ with Some B => _ | None => _ end). destruct (forallb _ cs) eqn:F; [|discriminate].
  intros [= <- <-]. rewrite forallb_forall in F. specialize (F (real_case users n w j atoms Eq)).
  set (c := real_case _ _ _ _ _ _) in *. assert (I : In c cs).
  { apply filter_In. split; [now apply real_case_listed; left|apply real_case_possible]. }
  pose proof (real_case_real users n w j atoms Eq : case_holds users n w j c) as R. clearbody c. specialize (F I).
  unfold table_case in F. exists c. destruct (evaluate c decides) as [d|] eqn:E; [|discriminate].
  apply (evaluate_correct users n w j c R) in E. rewrite E.
  destruct (level c l) as [x|] eqn:X; [|destruct d; discriminate]. apply (level_correct c j l R) in X.
  destruct (level c v) as [y|] eqn:Y; [|destruct d; discriminate]. exists y. apply (level_correct c j v R) in Y.
  rewrite X. split; [exact R|]. split; [exact Y|].
  destruct d; apply andb_prop in F as [F1 F2]; (split; intros H; [|]); try discriminate; (split; [|exact F2]).
  - now apply Qeq_bool_R.
  - apply Qle_bool_R in F1. now rewrite Q2R_minus in F1.
Qed.

Lemma is_bit_correct c j y f : case_holds users n w j c -> is_bit y (evaluate c f) = true -> Q2R y = bit (tr f j).
Proof.
  intros R H. unfold is_bit in H. destruct (evaluate c f) as [b|] eqn:E; [|discriminate].
  apply (evaluate_correct users n w j c R) in E. rewrite E, (Qeq_bool_R _ _ H). destruct b; [apply Q2R_1|apply Q2R_0].
Qed.

Lemma temporal_table_correct p q l v C D j : temporal_table p q l v = Some (C, D) -> (theorem_15_since_until.is_decisive
  (tr p) (tr q) j = true -> level_value l j = Q2R C /\ level_value v j = bit (theorem_15_since_until.both_hold (tr p)
  (tr q) j)) /\ (theorem_15_since_until.is_decisive (tr p) (tr q) j = false -> level_value l j <= Q2R C - Q2R D /\
  level_value v j = 0).
Proof.
  intros H. destruct (table_correct _ _ _ l v _ C D j H) as (c & y & R & V & T & F). rewrite V. split; intros E.
  - destruct (T E) as [X G]. split; [exact X|]. exact (is_bit_correct c j y (And p q) R G).
  - destruct (F E) as [X G]. split; [exact X|]. rewrite (Qeq_bool_R _ _ G). apply Q2R_0.
Qed.

Lemma edge_table_correct edge p q l v C D j : edge_table edge p q l v = Some (C, D) -> 0 <= level_value v j <= 1 /\
  (tr (Positional edge) j = true -> level_value l j = Q2R C /\ level_value v j = bit (theorem_15_since_until.both_hold
  (tr p) (tr q) j)) /\ (tr (Positional edge) j = false -> level_value l j <= Q2R C - Q2R D /\ tr p j = true /\
  tr q j = false).
Proof.
  intros H. destruct (table_correct _ _ _ l v _ C D j H) as (c & y & R & V & T & F). rewrite V.
  destruct (tr (Positional edge) j).
  - destruct (T eq_refl) as [X G]. pose proof (is_bit_correct c j y (And p q) R G) as Y.
    split; [rewrite Y; apply bit_range|]. split; [|discriminate]. intros _. split; [exact X|exact Y].
  - destruct (F eq_refl) as [X G]. apply andb_prop in G as [G P]. apply andb_prop in G as [G0 G1].
    apply Qle_bool_R in G0, G1. rewrite Q2R_0 in G0. rewrite Q2R_1 in G1. split; [lra|]. split; [discriminate|].
    intros _. split; [exact X|]. apply (is_bit_correct c j 1 (And p (Not q)) R) in P. rewrite Q2R_1 in P.
    cbn in P. destruct (tr p j), (tr q j); simpl in P; auto; lra.
Qed.
End Word.

(* ---- what is enough, is enough ---- *)
Section Enough.
Variables (L : lengths) (es : list expression) (sc : level_scores) (n : nat) (i : position n).
Hypothesis HL : length_allowed L n.
Notation K := (product_value es n i).
Notation S := (powers n i (tie_i sc) (tie_n sc)).
Notation F := (powers n i (level_i sc) (level_n sc)).

Lemma factor_of_levels : F = S * powers n i (steps_i sc) (steps_n sc).
Proof. unfold steps_i, steps_n. rewrite <- powers_add by lia. f_equal; lia. Qed.
Lemma product_below_here k : product_below (least_length L) es = Some k -> 0 < Q2R k <= K.
Proof. apply product_below_correct, HL. Qed.
Lemma grows_at_least_1 a b : grows 0 a b = true -> 1 <= powers n i a b.
Proof. intros H. apply (grows_correct n i) in H. exact H. Qed.

Lemma is_quarter_correct g s : is_quarter L es g = true -> 1 <= s ->
  0 < K /\ 0 < Q2R g /\ 0 < K * s * Q2R g /\ exp (- (K * s * Q2R g)) <= 1 / 4.
Proof.
  unfold is_quarter. destruct (product_below _ es) as [k|] eqn:P; [|discriminate]. intros H Hs.
  apply andb_prop in H as [E G]. apply product_below_here in P. apply Qle_bool_R in G. rewrite Q2R_0 in G.
  assert (E4 : Q2R 4 = 4) by (rationals; lra). pose proof (exp_at_least_positive _ _ E ltac:(lra)) as P1.
  pose proof (exp_at_least_negative _ _ E ltac:(lra)) as P2. rewrite Q2R_mult in P1, P2.
  assert (G' : 0 < Q2R g) by nra. assert (B : Q2R k * Q2R g <= K * s * Q2R g).
  { apply Rmult_le_compat_r; [lra|]. rewrite <- (Rmult_1_r (Q2R k)). apply Rmult_le_compat; lra. }
  repeat split; try lra. eapply Rle_trans; [apply exp_monotone; apply Ropp_le_contravar; exact B|lra].
Qed.

Lemma by_longest_correct g D : by_longest L g D = true -> 0 < Q2R g -> Q2R g * INR n <= Q2R D.
Proof.
  unfold by_longest. destruct HL as (_ & _ & G). destruct (greatest_length L) as [N|]; [|discriminate]. intros H P.
  apply Qle_bool_R in H. rewrite Q2R_mult, Q2R_of_nat in H. apply le_INR in G.
  eapply Rle_trans; [|exact H]. apply Rmult_le_compat_l; lra.
Qed.

(* x <= y P becomes the hypothesis of the theorems. *)
Lemma with_factors x y : 0 < K -> x <= y * powers n i (steps_i sc) (steps_n sc) -> K * S * x <= K * F * y.
Proof.
  intros HK H. rewrite factor_of_levels. pose proof (powers_positive n i (tie_i sc) (tie_n sc)) as P.
  replace (K * (S * powers n i (steps_i sc) (steps_n sc)) * y) with (K * S * (y * powers n i (steps_i sc) (steps_n sc)))
    by ring. apply Rmult_le_compat_l; [|exact H]. apply Rmult_le_pos; lra.
Qed.

Lemma long_enough g D P : 0 < g -> g * INR n <= D -> 1 <= P -> g * INR n <= D * P.
Proof. intros Hg H HP. pose proof (pos_INR n). assert (0 <= D) by nra. nra. Qed.

Lemma rises_correct D : rises L es sc D = true -> let g := K * S * Q2R (tie_factor sc) in
  tie_power sc = 1%Z /\ 0 < g /\ exp (- g) <= 1 / 4 /\ g * INR i <= K * F * Q2R D.
Proof.
  unfold rises. intros H. apply andb_prop in H as [H E]. apply andb_prop in H as [H G]. apply andb_prop in H as [T Q].
  apply Z.eqb_eq in T. apply grows_at_least_1 in G. destruct (is_quarter_correct _ _ Q G) as (HK & Ht & Hg & Hq).
  cbv zeta. repeat split; auto.
  replace (K * S * Q2R (tie_factor sc) * INR i) with (K * S * (Q2R (tie_factor sc) * INR i)) by ring.
  apply with_factors; [exact HK|].
  assert (Pi : 1 <= INR i <= INR n) by (split; [apply INR_at_least_1; lia|apply le_INR; lia]).
  apply orb_prop in E as [E|E]; apply andb_prop in E as [E1 E2].
  - apply Qle_bool_R in E1. apply (grows_correct n i) in E2. rewrite powerRZ_1 in E2. apply Rmult_le_compat; lra.
  - apply grows_at_least_1 in E2. pose proof (by_longest_correct _ _ E1 Ht) as B.
    pose proof (long_enough _ _ _ Ht B E2). nra.
Qed.

Lemma is_quarter_positive g : is_quarter L es g = true -> 0 < K.
Proof. intros H. now apply (is_quarter_correct g 1 H (Rle_refl 1)). Qed.

Ltac quarter_positive := intros H; do 2 apply andb_prop in H as [H _]; apply andb_prop in H as [_ H];
  exact (is_quarter_positive _ H).
Lemma rises_positive D : rises L es sc D = true -> 0 < K. Proof. unfold rises. quarter_positive. Qed.
Lemma rises_to_0_positive D : rises_to_0 L es sc D = true -> 0 < K. Proof. unfold rises_to_0. quarter_positive. Qed.
Lemma falls_positive D : falls L es sc D = true -> 0 < K. Proof. unfold falls. quarter_positive. Qed.

Lemma falls_correct D : falls L es sc D = true -> let g := K * S * Q2R (- tie_factor sc) in
  tie_power sc = 1%Z /\ 0 < g /\ exp (- g) <= 1 / 4 /\ g * INR n <= K * F * Q2R D.
Proof.
  unfold falls. intros H. apply andb_prop in H as [H E]. apply andb_prop in H as [H G].
  apply andb_prop in H as [T Q]. apply Z.eqb_eq in T. apply grows_at_least_1 in G.
  destruct (is_quarter_correct _ _ Q G) as (HK & Ht & Hg & Hq). cbv zeta. repeat split; auto.
  replace (K * S * Q2R (- tie_factor sc) * INR n) with (K * S * (Q2R (- tie_factor sc) * INR n)) by ring.
  apply with_factors; [exact HK|]. pose proof (pos_INR n).
  apply orb_prop in E as [E|E]; apply andb_prop in E as [E1 E2].
  - apply andb_prop in E1 as [E1 E3]. apply Qle_bool_R in E1. pose proof (reaches_end n i _ _ E3 E2).
    apply Rmult_le_compat; lra.
  - apply grows_at_least_1 in E2. apply long_enough; auto. now apply by_longest_correct.
Qed.

Lemma rises_to_0_correct D : rises_to_0 L es sc D = true -> exists g, tie_power sc = (-1)%Z /\ 0 < g /\
  exp (- g) <= 1 / 4 /\ g * INR i ^ 2 = K * S * Q2R (- tie_factor sc) /\ g * INR i ^ 2 <= K * F * Q2R D.
Proof.
  unfold rises_to_0. intros H. apply andb_prop in H as [H E]. apply andb_prop in H as [H G].
  apply andb_prop in H as [T Q]. apply Z.eqb_eq in T. apply (grows_correct n i) in G. apply andb_prop in E as [E1 E2].
  apply Qle_bool_R in E1. apply grows_at_least_1 in E2. assert (Pi : 1 <= INR i) by (apply INR_at_least_1; lia).
  change (powerRZ (INR i) 2) with (INR i ^ 2) in G. assert (P2 : 0 < INR i ^ 2) by (apply pow_lt; lra).
  assert (Hs : 1 <= S / INR i ^ 2).
  { apply Rmult_le_reg_r with (INR i ^ 2); [exact P2|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  destruct (is_quarter_correct _ _ Q Hs) as (HK & Ht & Hg & Hq). exists (K * (S / INR i ^ 2) * Q2R (- tie_factor sc)).
  assert (X : K * (S / INR i ^ 2) * Q2R (- tie_factor sc) * INR i ^ 2 = K * S * Q2R (- tie_factor sc)) by (field; lra).
  repeat split; auto. rewrite X. apply with_factors; [exact HK|]. nra.
Qed.

(* 3 (n - 1) <= e^n, and e^(2 ln n). *)
Lemma exp_of_length x : INR n <= x -> 3 * (INR n - 1) <= exp x.
Proof.
  intros H. pose proof (pos_INR n) as P. pose proof (exp_monotone _ _ H).
  pose proof (exp_lower (INR n) 2 P ltac:(lia)) as E. simpl in E.
  pose proof (Rle_0_sqr (INR n / 2 - 2)) as Sq. unfold Rsqr in Sq. lra.
Qed.

Lemma exp_of_logarithm : 3 * (INR n - 1) <= exp (2 * ln (INR n)).
Proof.
  assert (P : 1 <= INR n) by (apply INR_at_least_1; lia). set (x := INR n) in *.
  replace (2 * ln x) with (ln x + ln x) by ring. rewrite exp_plus, exp_ln by lra.
  pose proof (Rle_0_sqr (x - 2)) as Sq. unfold Rsqr in Sq. lra.
Qed.

Lemma logarithm_from_0 : 0 <= ln (INR n).
Proof.
  rewrite <- ln_1. assert (1 <= INR n) by (apply INR_at_least_1; lia).
  destruct (Req_dec (INR n) 1) as [->|]; [lra|]. left. apply ln_increasing; lra.
Qed.

Lemma only_logarithm (b : bool) : match es with [Apply Ln VarN] => b | _ => false end = true ->
  K = ln (INR n) * 1 /\ b = true.
Proof. destruct es as [|[| | | | | | | | |[] []] []]; try discriminate. intros H. now split. Qed.

Lemma stands_out_from_0 D : stands_out L es sc D = true -> 0 <= K.
Proof.
  unfold stands_out. intros H. apply andb_prop in H as [_ H]. apply orb_prop in H as [H|H].
  - pose proof product_below_here as B. destruct (product_below _ es) as [k|].
    + specialize (B k eq_refl). lra.
    + exfalso. destruct (greatest_length L); discriminate.
  - apply only_logarithm in H as [E _]. pose proof logarithm_from_0. rewrite E. lra.
Qed.

Lemma stands_out_correct D : stands_out L es sc D = true -> tie_factor sc == 0 /\ 3 * (INR n - 1) <= exp (K * F * Q2R
  D).
Proof.
  unfold stands_out. intros H. apply andb_prop in H as [H E]. apply andb_prop in H as [T P].
  apply Qeq_bool_iff in T. split; [exact T|]. clear T. apply Qle_bool_R in P. rewrite Q2R_0 in P.
  apply orb_prop in E as [E|E]; [apply orb_prop in E as [E|E]|].
  - destruct HL as (_ & _ & G). destruct (greatest_length L) as [N|]; [|discriminate].
    destruct (product_below _ es) as [k|] eqn:B; [|discriminate]. apply product_below_here in B.
    apply andb_prop in E as [E1 E2]. apply grows_at_least_1 in E1. apply exp_at_least_correct in E2.
    rewrite !Q2R_mult, Q2R_minus, Q2R_of_nat, Q2R_1 in E2. replace (Q2R 3) with 3 in E2 by (rationals; lra).
    apply le_INR in G. eapply Rle_trans; [|eapply Rle_trans; [exact E2|]]; [lra|]. apply exp_monotone.
    apply Rmult_le_compat_r; [exact P|]. rewrite <- (Rmult_1_r (Q2R k)). apply Rmult_le_compat; lra.
  - destruct (product_below _ es) as [k|] eqn:B; [|discriminate]. apply product_below_here in B.
    apply andb_prop in E as [E1 E2]. apply andb_prop in E1 as [E0 E1]. pose proof (reaches_end n i _ _ E0 E1) as R.
    apply Qle_bool_R in E2. rewrite Q2R_mult, Q2R_1 in E2. apply exp_of_length. pose proof (pos_INR n).
    replace (K * F * Q2R D) with (F * (K * Q2R D)) by ring. assert (1 <= K * Q2R D) by nra. nra.
  - apply only_logarithm in E as [X E]. rewrite X. apply andb_prop in E as [E1 E2]. apply grows_at_least_1 in E1.
    apply Qle_bool_R in E2. replace (Q2R 2) with 2 in E2 by (rationals; lra).
    eapply Rle_trans; [apply exp_of_logarithm|]. apply exp_monotone. pose proof logarithm_from_0.
    assert (2 <= F * Q2R D) by nra. nra.
Qed.
End Enough.

(* ---- the check is sound ---- *)
Section Correct.
Variables (users : predicate_meanings) (n : nat) (w : word) (L : lengths) (i : position n).
Hypothesis HL : length_allowed L n.
Notation tr := (truth users n w).

Section Scores.
Variables (es : list expression) (sc : level_scores) (v : score_terms) (base : R) (k : masking) (score value : nat ->
  R).
Notation K := (product_value es n i).
Notation S := (powers n i (tie_i sc) (tie_n sc)).
Notation F := (powers n i (level_i sc) (level_n sc)).
Notation level_at j := (level_value users n w (score_levels sc) j).
Hypothesis Score : each j upto n, score j = K * (base + F * level_at j + tie_value n sc i j).
Hypothesis Value : each j upto n, value j = level_value users n w v j.

Let l (j : nat) : R := K * base + K * F * level_at j.

Lemma linear_tie j : tie_power sc = 1%Z -> j upto n -> score j = l j + K * S * Q2R (tie_factor sc) * INR j.
Proof. intros T Hj. rewrite Score by exact Hj. unfold l, tie_value. rewrite T, powerRZ_1. ring. Qed.

Section Table.
Variables (p q : formula) (C D : Q).
Hypothesis Table : temporal_table p q (score_levels sc) v = Some (C, D).

Lemma level_decided j : j upto n -> is_decisive (tr p) (tr q) j = true ->
  l j = K * base + K * F * Q2R C /\ value j = bit (both_hold (tr p) (tr q) j).
Proof.
  intros Hj E. destruct (temporal_table_correct users n w p q _ v C D j Table) as [T _].
  destruct (T E) as [X V]. rewrite Value by exact Hj. unfold l. now rewrite X.
Qed.

Lemma level_undecided j : 0 <= K -> j upto n -> is_decisive (tr p) (tr q) j = false ->
  l j <= K * base + K * F * Q2R C - K * F * Q2R D /\ value j = 0.
Proof.
  intros HK Hj E. destruct (temporal_table_correct users n w p q _ v C D j Table) as [_ T].
  destruct (T E) as [X V]. rewrite Value by exact Hj. split; [|exact V]. unfold l.
  assert (P : 0 <= K * F) by (pose proof (powers_positive n i (level_i sc) (level_n sc)); nra).
  apply Rmult_le_compat_l with (r := K * F) in X; [lra|exact P].
Qed.

Lemma since_correct : rises L es sc D || rises_to_0 L es sc D = true ->
  near_truth (since_at (tr p) (tr q) i) (attend n (future_mask i) score value).
Proof.
  intros H. apply orb_prop in H as [H|H].
  - destruct (rises_correct L es sc n i HL D H) as (T & Hg & Hq & HD).
    assert (HK : 0 <= K). { left. apply (rises_positive L es sc n i HL D H). }
    rewrite (attend_ext n _ score (fun j => l j + K * S * Q2R (tie_factor sc) * INR j) value value);
      [|intros j [Hj _]; now apply linear_tie|reflexivity].
    apply (since_by_levels (tr p) (tr q) n i l value (K * base + K * F * Q2R C) (K * F * Q2R D)); auto;
      intros j [Hj _] E; [now apply level_decided|now apply level_undecided].
  - destruct (rises_to_0_correct L es sc n i HL D H) as (g & T & Hg & Hq & X & HD).
    assert (HK : 0 <= K). { left. apply (rises_to_0_positive L es sc n i HL D H). }
    rewrite (attend_ext n _ score (fun j => l j - g * INR i ^ 2 * (1 / INR j)) value value); [| |reflexivity].
    + apply (since_by_levels_reciprocal (tr p) (tr q) n i l value (K * base + K * F * Q2R C) (K * F * Q2R D)); auto;
        intros j [Hj _] E; [now apply level_decided|now apply level_undecided].
    + intros j [Hj _]. rewrite X, Score, Q2R_opp by exact Hj. unfold l, tie_value. rewrite T, power_minus_1.
      unfold Rdiv. ring.
Qed.

Lemma until_correct : falls L es sc D = true -> near_truth (until_at n (tr p) (tr q) i) (attend n (past_mask i) score
  value).
Proof.
  intros H. destruct (falls_correct L es sc n i HL D H) as (T & Hg & Hq & HD).
  assert (HK : 0 <= K). { left. apply (falls_positive L es sc n i HL D H). }
  rewrite (attend_ext n _ score (fun j => l j - K * S * Q2R (- tie_factor sc) * INR j) value value); [| |reflexivity].
  - apply (until_by_levels (tr p) (tr q) n i l value (K * base + K * F * Q2R C) (K * F * Q2R D)); auto;
      intros j [Hj _] E; [now apply level_decided|now apply level_undecided].
  - intros j [Hj _]. rewrite linear_tie by auto. rewrite Q2R_opp. ring.
Qed.
End Table.

Section Edge.
Variables (edge : predicate) (e : nat) (p q : formula) (C D : Q).
Hypothesis Table : edge_table edge p q (score_levels sc) v = Some (C, D).
Hypothesis At : each j upto n, tr (Positional edge) j = Nat.eqb j e.
Variable m : mask.
Hypothesis Ve : visible n m e.

Lemma edge_value : value e = bit (both_hold (tr p) (tr q) e).
Proof.
  destruct (edge_table_correct users n w edge p q _ v C D e Table) as (_ & T & _). rewrite Value by apply Ve.
  apply T. rewrite At by apply Ve. apply Nat.eqb_refl.
Qed.

Local Lemma elsewhere j : j upto n -> j <> e -> level_at j <= Q2R C - Q2R D /\ tr p j = true /\ tr q j = false.
Proof.
  intros Hj Ne. destruct (edge_table_correct users n w edge p q _ v C D j Table) as (_ & _ & T). apply T.
  rewrite At by exact Hj. now apply Nat.eqb_neq.
Qed.

Lemma edge_range j : visible n m j -> 0 <= value j <= 1.
Proof. intros [Hj _]. rewrite Value by exact Hj. apply (edge_table_correct users n w edge p q _ v C D j Table). Qed.

Lemma stands_out_near : 0 <= K -> stands_out L es sc D = true -> near_truth (both_hold (tr p) (tr q) e) (attend n m
  score value).
Proof.
  intros HK H. destruct (stands_out_correct L es sc n i HL D H) as [T B].
  apply (near_one n m score value e Ve edge_range); [apply edge_value|].
  apply (one_above n m score e Ve (K * F * Q2R D)); [|exact B]. intros j [Hj _] Ne.
  rewrite !Score by (exact Hj || apply Ve). unfold tie_value. rewrite (Qeq_eqR _ _ T), Q2R_0.
  destruct (elsewhere j Hj Ne) as [X _].
  destruct (edge_table_correct users n w edge p q _ v C D e Table) as (_ & G & _).
  destruct G as [G _]; [rewrite At by apply Ve; apply Nat.eqb_refl|]. rewrite G.
  assert (P : 0 <= K * F) by (pose proof (powers_positive n i (level_i sc) (level_n sc)); nra).
  apply Rmult_le_compat_l with (r := K * F) in X; [|exact P]. nra.
Qed.

(* Without levels, only the tie-breaking term. *)
Local Lemma flat : score_levels sc = [] -> tie_power sc = 1%Z -> forall j, visible n m j ->
  score j = K * base + K * S * Q2R (tie_factor sc) * INR j.
Proof.
  intros E T j [Hj _]. rewrite Score by exact Hj. unfold tie_value, level_value. rewrite E, T, powerRZ_1. simpl. ring.
Qed.

Lemma first_of_falling : e = 1%nat -> score_levels sc = [] -> tie_power sc = 1%Z -> grows 0 (tie_i sc) (tie_n sc) = true
  -> is_quarter L es (- tie_factor sc) = true -> near_truth (both_hold (tr p) (tr q) e) (attend n m score value).
Proof.
  intros E1 E T G Q. apply (grows_at_least_1 n i) in G.
  destruct (is_quarter_correct L es n i HL _ _ Q G) as (_ & _ & Hg & Hq).
  apply (near_one n m score value e Ve edge_range); [apply edge_value|].
  apply (one_of_falling n m score e Ve (K * S * Q2R (- tie_factor sc)) (K * base)); auto.
  intros j Vj. rewrite (flat E T j Vj), Q2R_opp. ring.
Qed.

Lemma last_of_rising : e = n -> score_levels sc = [] -> tie_power sc = 1%Z -> grows 0 (tie_i sc) (tie_n sc) = true ->
  is_quarter L es (tie_factor sc) = true -> near_truth (both_hold (tr p) (tr q) e) (attend n m score value).
Proof.
  intros E1 E T G Q. apply (grows_at_least_1 n i) in G.
  destruct (is_quarter_correct L es n i HL _ _ Q G) as (_ & _ & Hg & Hq).
  apply (near_one n m score value e Ve edge_range); [apply edge_value|].
  apply (one_of_rising n m score e Ve (K * S * Q2R (tie_factor sc)) (K * base)); auto.
  intros j Vj. now rewrite (flat E T j Vj).
Qed.
End Edge.

Lemma gap_enough_found (t : option (Q * Q)) enough : gap_enough t enough = true ->
  exists C D, t = Some (C, D) /\ enough D = true.
Proof. destruct t as [[C D]|]; [|discriminate]. intros H. now exists C, D. Qed.

Lemma no_levels (b : bool) : match score_levels sc with [] => b | _ => false end = true -> score_levels sc = [] /\
  b = true.
Proof. destruct (score_levels sc); [now split|discriminate]. Qed.

Lemma check_since_correct_here p q : check_since L k es sc v p q = true ->
  near_truth (since_at (tr p) (tr q) i) (attend n (mask_at k i) score value).
Proof.
  intros H.
  apply orb_prop in H as [H|H]; apply andb_prop in H as [M H]; apply gap_enough_found in H as (C & D & Table & H).
  - apply masking_eqb_eq in M. rewrite M. now apply (since_correct p q C D Table).
  - assert (At : each j upto n, tr (Positional FIRST) j = Nat.eqb j 1) by reflexivity.
    assert (V : visible n (mask_at k i) 1).
    { split; [lia|]. destruct k; try discriminate; [reflexivity|]. apply Nat.leb_le. lia. }
    rewrite (since_at_first (tr p) (tr q) n i).
    + apply orb_prop in H as [H|H].
      * apply (stands_out_near FIRST 1 p q C D Table At _ V); [|exact H]. exact (stands_out_from_0 L es sc n i HL D H).
      * apply andb_prop in H as [H Q]. apply andb_prop in H as [H G]. apply andb_prop in H as [T _].
        apply Z.eqb_eq in T. apply no_levels in Q as [E Q]. now apply (first_of_falling FIRST 1 p q C D Table At _ V).
    + intros j Hj. apply (elsewhere FIRST 1 p q C D Table At); lia.
Qed.

Lemma check_mean_correct_here s f : check_mean k sc v s f = true ->
  attend n (mask_at k i) score value = INR (counted_on s n (tr f) i) / INR (span s n i).
Proof.
  unfold check_mean. intros H. apply andb_prop in H as [H T]. apply andb_prop in H as [H E].
  apply andb_prop in H as [M Z]. apply masking_eqb_eq in M. apply Qeq_bool_R in Z. rewrite Q2R_0 in Z.
  apply no_levels in E as [E _]. destruct (level_table _ _ _ _ _ _) as [[C D]|] eqn:Table; [|discriminate].
  rewrite <- (mean_head s n (tr f) i (K * base)), M.
  replace (mask_at (mean_masking s) i) with (side_mask s i) by now destruct s. apply attend_ext; intros j [Hj _].
  - rewrite Score by exact Hj. unfold tie_value, level_value. rewrite E, Z. simpl. ring.
  - destruct (table_correct users n w _ _ _ _ v _ C D j Table) as (c & y & R & V & G & _).
    destruct (G eq_refl) as [_ B]. rewrite Value, V by exact Hj. exact (is_bit_correct users n w c j y f R B).
Qed.

Lemma check_until_correct_here p q : check_until L k es sc v p q = true ->
  near_truth (until_at n (tr p) (tr q) i) (attend n (mask_at k i) score value).
Proof.
  intros H.
  apply orb_prop in H as [H|H]; apply andb_prop in H as [M H]; apply gap_enough_found in H as (C & D & Table & H).
  - apply masking_eqb_eq in M. rewrite M. now apply (until_correct p q C D Table).
  - assert (At : each j upto n, tr (Positional LAST) j = Nat.eqb j n) by reflexivity.
    assert (V : visible n (mask_at k i) n).
    { split; [lia|]. destruct k; try discriminate; [reflexivity|]. apply Nat.leb_le. lia. }
    rewrite (until_at_last (tr p) (tr q) n i).
    + apply orb_prop in H as [H|H].
      * apply (stands_out_near LAST n p q C D Table At _ V); [|exact H]. exact (stands_out_from_0 L es sc n i HL D H).
      * apply andb_prop in H as [H Q]. apply andb_prop in H as [H G]. apply andb_prop in H as [T _].
        apply Z.eqb_eq in T. apply no_levels in Q as [E Q]. now apply (last_of_rising LAST n p q C D Table At _ V).
    + intros j Hj. apply (elsewhere LAST n p q C D Table At); lia.
Qed.
End Scores.

Section Head.
Variables (A : list meaning) (h : nat -> vector) (a : head) (r : row).
Hypothesis HA : holds_of users n w A h.

Lemma query_term_over_value es b x m q : meaning_holds users n w i b x -> query_term_over es b = Some (m, q) ->
  x = product_value es n i * (monomial_value m n i * query_atom_value users n w q i).
Proof.
  unfold query_term_over. destruct (same_factors _ es) eqn:E; [|discriminate]. apply same_factors_eq in E. subst es.
  intros Hx H. assert (Plain : query_factors b = [] -> query_term b = Some (m, q) ->
    x = product_value (query_factors b) n i * (monomial_value m n i * query_atom_value users n w q i)).
  { intros -> T. rewrite (query_term_value users n w i b x m q Hx T). simpl. ring. }
  destruct b as [[y|f s]|f|f|f g|y f|s f|t|s f|s f g|]; try (apply Plain; [reflexivity|exact H]); injection H as <- <-;
    simpl in Hx; rewrite Hx, (product_of_value n i y); cbn [query_factors query_atom_value]; ring.
Qed.

Lemma scaled_score_factors m es fs l (j : position n) : reciprocal_of (head_temperature a) = Some (m, es) ->
  surely_positive (least_length L) (head_temperature a) = true -> rows_form (query_term_over fs) A m (head_queries a)
  (head_keys a) = Some l -> scaled_score a n h i j = product_value (es ++ fs) n i * form_value users n w l i j.
Proof.
  intros R P H. apply (surely_positive_correct _ n i (proj1 (proj2 HL))) in P. unfold scaled_score, Rdiv.
  rewrite (reciprocal_of_value n i _ m es R P), product_value_app.
  pose proof (rows_form_correct users n w A h HA (query_term_over fs) (product_value fs n i) m _ i j
    (query_term_over_value fs) _ l H) as V.
  transitivity (product_value es n i * (product_value fs n i * form_value users n w l i j)); [|ring].
  rewrite <- V. ring.
Qed.

Theorem check_by_cases_correct b : check_by_cases L A a r b = true -> meaning_holds users n w i b (softmax_value a n h i
  r).
Proof.
  unfold check_by_cases. destruct (reciprocal_of _) as [[m es]|] eqn:R; [|discriminate].
  destruct (value_form A r) as [v|] eqn:V; [|discriminate].
  cbv zeta. set (fs := shared_factors A a). destruct (rows_form _ A m _ _) as [l|] eqn:Rows; [|discriminate].
  destruct (scores_of l) as [sc|] eqn:Sc; [|discriminate]. intros H. set (all := es ++ fs) in *.
  apply andb_prop in H as [H C]. apply andb_prop in H as [P Lv].
  destruct (scores_of_value users n w l sc i Sc) as (base & B).
  assert (Score : each j upto n, scaled_score a n h i j = product_value all n i *
    (base + powers n i (level_i sc) (level_n sc) * level_value users n w (score_levels sc) j + tie_value n sc i j)).
  { apply each_position. intros j. now rewrite (scaled_score_factors m es fs l j R P Rows), B. }
  assert (Value : each j upto n, linear r (h j) = level_value users n w v j).
  { apply each_position. intros j. rewrite (value_form_correct users n w A h HA r v j i V).
    rewrite (levels_value users n w 0 0 v i j Lv). unfold powers. simpl. ring. }
  assert (Near : forall f x, near_truth f x -> 0 <= x <= 1) by (intros [] x; simpl; lra).
  destruct b as [| | |f g| |s f| | | |]; try discriminate; [|exact (check_mean_correct_here all sc v base (head_masking
    a) _ _ Score Value s f C)]. destruct f; try discriminate; unfold softmax_value.
  - pose proof (check_since_correct_here all sc v base (head_masking a) _ _ Score Value f1 f2 C) as X.
    split; [exact (Near _ _ X)|intros _; exact X].
  - pose proof (check_until_correct_here all sc v base (head_masking a) _ _ Score Value f1 f2 C) as X.
    split; [exact (Near _ _ X)|intros _; exact X].
Qed.
End Head.
End Correct.
