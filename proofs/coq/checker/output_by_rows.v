(* One output of a feed-forward layer, at every value that one sum of counts may have,
   at every position of every length up
   to a greatest one (docs/background/obligations.md, Feed-forward output by value).

   The output is about one sum of counts D: a total, a predicate on a count, the truth or the slack of a comparison.
   What the units read must be known from n and i, or a multiple of D (divided by how many positions its counts look
   at), or the slack of a formula that D decides; or numbers of positions and truths here, which together are a multiple
   of D to within the errors of those numbers. Values of D that follow one another are looked at as one interval, in
   which every ReLU is a linear form, or between its least and its greatest number.
   Proved: if `check_output_by_rows` returns true, the layer writes exactly the value of the direction. *)
From Coq Require Import Reals QArith Qreals Qround ZArith List Bool Lra Lia Arith.
From Certify Require Import positions lists finite_sums softmax relu formula network totals meaning linear_combination
  comparison theorem_20_counting values_by_rows interval check_feedforward.
Import ListNotations.
Open Scope R_scope.


(* ---- a layer whose inputs are in intervals ---- *)
Section Units.
Variable ranges : direction -> interval.

Local Fixpoint row_range (r : row) : interval :=
  match r with [] => point_interval 0 | (d, q) :: r => add_intervals (scale_interval q (ranges d)) (row_range r) end.

(* q times what a unit gives: a linear form where it is on one side of its kink, and an interval. *)
Definition unit_part (q : Q) (u : relu_unit) : row * interval :=
  let '(lo, hi) := add_intervals (row_range (unit_reads u)) (point_interval (unit_bias u)) in
  match lo, hi with
  | _, Some b =>
      if Qle_bool b 0 then ([], point_interval 0)
      else match lo with
           | Some a => if Qeq_bool a b then ([], point_interval (Qred (q * a)))
                       else if Qle_bool 0 a then (scaled_terms q (unit_reads u), point_interval (Qred (q * unit_bias
                         u)))
                       else ([], scale_interval q (from_to 0 b))
           | None => ([], scale_interval q (from_to 0 b))
           end
  | Some a, None => if Qle_bool 0 a then (scaled_terms q (unit_reads u), point_interval (Qred (q * unit_bias u)))
                    else ([], scale_interval q (Some 0%Q, None))
  | None, None => ([], scale_interval q (Some 0%Q, None))
  end.
Fixpoint units_part (us : list (Q * relu_unit)) : row * interval :=
  match us with
  | [] => ([], point_interval 0)
  | (q, u) :: us =>
      let '(r, v) := unit_part q u in let '(r', v') := units_part us in (r ++ r', add_intervals v v')
  end.
Definition output_range (us : list (Q * relu_unit)) (b : Q) : interval :=
  let '(r, v) := units_part us in
  let v := add_intervals v (point_interval b) in
  match r with [] => v | _ => add_intervals (row_range (merged_terms Nat.eqb r)) v end.

Variable h : vector.
Hypothesis In_ranges : forall d, in_interval (ranges d) (h d).

Lemma row_range_within r : in_interval (row_range r) (linear r h).
Proof.
  induction r as [|[d q] r IH]; cbn [row_range linear]; [rewrite <- Q2R_0; apply within_point|].
  apply within_add; [|exact IH]. now apply within_scale.
Qed.

Lemma linear_part q u : 0 <= linear (unit_reads u) h + Q2R (unit_bias u) ->
  in_interval (point_interval (Qred (q * unit_bias u)))
    (Q2R q * relu (linear (unit_reads u) h + Q2R (unit_bias u)) - linear (scaled_terms q (unit_reads u)) h).
Proof.
  intros P. rewrite relu_linear, (linear_combined (scaled_terms _ _)), combined_scaled, <- linear_combined by exact P.
  match goal with |- in_interval _ ?y => replace y with (Q2R (Qred (q * unit_bias u)))
    by (rewrite Q2R_reduced, Q2R_mult; ring) end. apply within_point.
Qed.
Lemma unit_part_within q u : in_interval (snd (unit_part q u))
  (Q2R q * relu (linear (unit_reads u) h + Q2R (unit_bias u)) - linear (fst (unit_part q u)) h).
Proof.
  unfold unit_part. set (x := linear (unit_reads u) h + Q2R (unit_bias u)).
  assert (W : in_interval (add_intervals (row_range (unit_reads u)) (point_interval (unit_bias u))) x)
    by (apply within_add; [apply row_range_within|apply within_point]).
  destruct (add_intervals _ _) as [lo hi]. destruct W as [W1 W2]. cbn [fst snd] in W1, W2.
  assert (None_ : forall v, in_interval v (relu x) -> in_interval (scale_interval q v) (Q2R q * relu x - linear [] h)).
  { intros v V. cbn [linear]. rewrite Rminus_0_r. now apply within_scale. }
  assert (Low : in_interval (Some 0%Q, None) (relu x)) by (split; cbn; [rewrite Q2R_0; apply Rmax_l|exact I]).
  assert (Both : forall b, x <= Q2R b -> Qle_bool b 0 = false -> in_interval (from_to 0 b) (relu x)).
  { intros b Hb B. apply within_from_to. rewrite Q2R_0. split; [apply Rmax_l|]. apply Rmax_lub; [|exact Hb].
    destruct (Rle_lt_dec 0 (Q2R b)) as [L|L]; [exact L|]. exfalso.
    assert (T : (b <= 0)%Q) by (apply Rle_Qle; rewrite Q2R_0; lra). apply Qle_bool_iff in T. congruence. }
  destruct hi as [b|].
  - cbn [interval.below_end] in W2. destruct (Qle_bool b 0) eqn:B.
    + apply Qle_bool_R in B. rewrite Q2R_0 in B. replace (match lo with Some _ | _ => ([] : row, point_interval 0) end)
      with ([] : row, point_interval 0)
        by now destruct lo. cbn [fst snd linear]. rewrite relu_zero by lra. rewrite Rmult_0_r, Rminus_0_r, <- Q2R_0.
          apply within_point.
    + destruct lo as [a|]; [|now apply None_, Both]. cbn [interval.above_end] in W1. destruct (Qeq_bool a b) eqn:E.
      * apply Qeq_bool_R in E. assert (X : x = Q2R a) by lra.
        assert (Pb : 0 <= Q2R b) by (specialize (Both b W2 B); destruct Both as [_ Z]; cbn in Z;
          pose proof (Rmax_l 0 x); unfold relu in Z; lra).
        cbn [fst snd linear]. rewrite X, relu_linear, Rminus_0_r, <- Q2R_mult, <- Q2R_reduced by lra.
          apply within_point.
      * destruct (Qle_bool 0 a) eqn:P; [|now apply None_, Both]. apply Qle_bool_R in P. rewrite Q2R_0 in P.
        apply linear_part. fold x. lra.
  - destruct lo as [a|]; [|now apply None_]. cbn [interval.above_end] in W1.
    destruct (Qle_bool 0 a) eqn:P; [|now apply None_].
    apply Qle_bool_R in P. rewrite Q2R_0 in P. apply linear_part. fold x. lra.
Qed.

Definition weighed_units (us : list (Q * relu_unit)) : R :=
  total_over (fun e => Q2R (fst e) * relu (linear (unit_reads (snd e)) h + Q2R (unit_bias (snd e)))) us.
Lemma units_part_within us : in_interval (snd (units_part us)) (weighed_units us - linear (fst (units_part us)) h).
Proof.
  unfold weighed_units. induction us as [|[q u] us IH]; cbn [units_part total_over fst snd].
  - cbn [linear]. rewrite Rminus_0_r, <- Q2R_0. apply within_point.
  - pose proof (unit_part_within q u) as U. destruct (unit_part q u) as [r v], (units_part us) as [r' v'].
    cbn [fst snd] in *. rewrite linear_app.
    match goal with |- in_interval _ ?y => match type of U with in_interval _ ?a => match type of IH
      with in_interval _ ?b => replace y with (a + b) by ring end end end. now apply within_add.
Qed.

Theorem output_range_within us b : in_interval (output_range us b) (weighed_units us + Q2R b).
Proof.
  unfold output_range. pose proof (units_part_within us) as W. destruct (units_part us) as [r v]. cbn [fst snd] in W.
  assert (V : in_interval (add_intervals v (point_interval b)) (weighed_units us - linear r h + Q2R b))
    by (apply within_add; [exact W|apply within_point]).
  destruct r as [|e r]; [now cbn [linear] in V; rewrite Rminus_0_r in V|]. set (s := e :: r) in *.
  assert (M : linear (merged_terms Nat.eqb s) h = linear s h).
  { rewrite !linear_combined. apply (combined_merged Nat.eqb (fun x y => proj1 (Nat.eqb_eq x y))). }
  replace (weighed_units us + Q2R b) with (linear (merged_terms Nat.eqb s) h + (weighed_units us - linear s h + Q2R b)).
  - apply within_add; [apply row_range_within|exact V].
  - rewrite M. ring.
Qed.
End Units.

(* The units that write a direction, with what they write there. *)
Local Definition writers (us : list relu_unit) (d : direction) : list (Q * relu_unit) :=
  filter (fun e => negb (is_zero (fst e))) (map (fun u => (entry_rational (unit_writes u) d, u)) us).
Local Lemma writers_total h us d : weighed_units h (writers us d) = total_over (unit_output h d) us.
Proof.
  unfold weighed_units, writers. induction us as [|u us IH]; [reflexivity|]. cbn [map filter fst total_over].
  unfold unit_output at 1. rewrite <- entry_rational_correct.
    destruct (is_zero (entry_rational (unit_writes u) d)) eqn:Z;
    cbn [negb total_over fst snd]; rewrite IH; [apply Qeq_bool_R in Z; rewrite Z, Q2R_0|]; ring.
Qed.

(* ---- formulas that the value of a sum of counts decides ---- *)
Notation sum_of_counts := (list (count_atom * Q)).
Definition is_users (p : predicate) : bool := match p with User _ => true | _ => false end.
Lemma holds_built_in users p k n : is_users p = false -> predicate_holds users p k n = predicate_holds no_users p k n.
Proof. now destruct p. Qed.

Definition ratio_of_sums (l D : sum_of_counts) : option Q :=
  match D with
  | [] => None
  | (k, q) :: _ => let a := Qred (coefficient_of count_eqb l k / q) in if equal_combinations count_eqb l (scaled_terms a
    D) then Some a
    else None
  end.
Inductive sum_decision := ByValue (p : predicate) | BySign (r : relation) (a : Q) (c : Z).
Definition one_count (s : side) (f : formula) : sum_of_counts := [((s, f), 1%Q)].
Definition decision_of (D : sum_of_counts) (f : formula) : option sum_decision :=
  match f with
  | OnCount p s g => if negb (is_users p) && equal_combinations count_eqb D (one_count s g) then Some (ByValue p) else
    None
  | Compare r t u =>
      match ratio_of_sums (term_difference t u) D with Some a => Some (BySign r a (constant_difference t u)) | None =>
        None end
  | _ => None
  end.
Definition sign_at (a : Q) (c z : Z) : comparison := Qcompare (a * inject_Z z + inject_Z c) 0.
Definition comparison_eqb (o o' : comparison) : bool :=
  match o, o' with Lt, Lt | Eq, Eq | Gt, Gt => true | _, _ => false end.
(* Its truth at all values from least to most, if they decide alike. *)
Definition truth_from (n : nat) (least most : Z) (k : sum_decision) : option bool :=
  match k with
  | ByValue p => if (least =? most)%Z && (0 <=? least)%Z then Some (holds_at no_users p least n) else None
  | BySign r a c =>
      let o := sign_at a c least in
      if comparison_eqb o (sign_at a c most) then Some (relates_so r o) else None
  end.

Section Decided.
Variables (users : predicate_meanings) (n : nat) (w : word) (i : nat) (D : sum_of_counts).
Notation counts := (count_value users n w i).
Notation tr := (truth users n w).

Lemma ratio_correct l a : ratio_of_sums l D = Some a -> combination_value counts l = Q2R a * combination_value counts D.
Proof.
  unfold ratio_of_sums. destruct D as [|[k q] D'] eqn:E; [discriminate|]. cbv zeta. rewrite <- E. set (b := Qred _).
  destruct (equal_combinations count_eqb l (scaled_terms b D)) eqn:X; [|discriminate]. intros H. take H.
  now rewrite (equal_correct count_eqb count_eqb_eq _ _ _ X), combined_scaled.
Qed.
Lemma one_count_value s f : combination_value counts (one_count s f) = INR (counted_on s n (tr f) i).
Proof. unfold one_count, count_value. cbn [combination_value fst snd]. rewrite Q2R_1. ring. Qed.

Lemma sign_at_value a c z x : Q2R a * IZR z + IZR c = IZR x -> Z.compare x 0 = sign_at a c z.
Proof.
  intros E. unfold sign_at. set (q := (a * inject_Z z + inject_Z c)%Q).
  assert (V : Q2R q = IZR x) by (unfold q; rewrite Q2R_plus, Q2R_mult, !Q2R_inject_Z; exact E).
  symmetry. destruct (Z.compare_spec x 0) as [Z|L|G].
  - apply Qeq_alt. apply eqR_Qeq. rewrite V, Z, Q2R_0. reflexivity.
  - apply (Qlt_alt q 0). apply Rlt_Qlt. rewrite V, Q2R_0. now apply IZR_lt.
  - apply (Qgt_alt q 0). apply Rlt_Qlt. rewrite V, Q2R_0. now apply IZR_lt.
Qed.
Lemma sign_between a c least most z : (least <= z <= most)%Z -> sign_at a c least = sign_at a c most ->
  sign_at a c z = sign_at a c least.
Proof.
  intros Hz E. unfold sign_at in *. set (f := fun z => (a * inject_Z z + inject_Z c)%Q).
  change ((f z ?= 0)%Q = (f least ?= 0)%Q). change ((f least ?= 0)%Q = (f most ?= 0)%Q) in E.
  assert (V : forall z, Q2R (f z) = Q2R a * IZR z + IZR c)
    by (intros y; unfold f; now rewrite Q2R_plus, Q2R_mult, !Q2R_inject_Z).
  assert (B : (Q2R (f least) <= Q2R (f z) <= Q2R (f most)) \/ (Q2R (f most) <= Q2R (f z) <= Q2R (f least))).
  { rewrite !V. destruct Hz as [H1 H2]. apply IZR_le in H1, H2. destruct (Rle_dec 0 (Q2R a)) as [P|P].
    - left. split; apply Rplus_le_compat_r, Rmult_le_compat_l; assumption.
    - right. split; apply Rplus_le_compat_r, Rmult_le_compat_neg_l; lra. }
  destruct (Qcompare_spec (f least) 0) as [X|X|X]; symmetry in E.
  - apply Qeq_alt in E. apply Qeq_eqR in X, E. rewrite Q2R_0 in *. apply Qeq_alt, eqR_Qeq. rewrite Q2R_0. lra.
  - apply (Qlt_alt (f most) 0) in E. apply Qlt_Rlt in X, E. rewrite Q2R_0 in *. apply (Qlt_alt (f z) 0), Rlt_Qlt.
    rewrite Q2R_0. lra.
  - apply (Qgt_alt (f most) 0) in E. apply Qlt_Rlt in X, E. rewrite Q2R_0 in *. apply (Qgt_alt (f z) 0), Rlt_Qlt.
    rewrite Q2R_0. lra.
Qed.

Lemma truth_from_correct n' f k least most z b : combination_value counts D = IZR z -> (least <= z <= most)%Z ->
  (n' = n \/ k <> ByValue LAST) -> decision_of D f = Some k -> truth_from n' least most k = Some b -> tr f i = b.
Proof.
  intros V Hz Hn Df T. destruct f; try discriminate; cbn [decision_of] in Df.
  - destruct (negb (is_users p)) eqn:U; [|discriminate].
    destruct (equal_combinations count_eqb D (one_count s f)) eqn:E; [|discriminate]. cbn [andb] in Df. take Df.
    cbn [truth_from] in T. destruct (Z.eqb_spec least most); [|discriminate].
    destruct (Z.leb_spec 0 least); [|discriminate]. cbn [andb] in T. take T.
    change (tr (OnCount p s f) i) with (predicate_holds users p (counted_on s n (tr f) i) n).
    rewrite (equal_correct count_eqb count_eqb_eq counts _ _ E), one_count_value, INR_IZR_INZ in V. apply eq_IZR in V.
    apply negb_true_iff in U. rewrite (holds_built_in users p _ _ U).
    replace least with (Z.of_nat (counted_on s n (tr f) i)) by lia. rewrite holds_at_count.
    destruct Hn as [->|Hn]; [reflexivity|]. destruct p; try reflexivity. now destruct Hn.
  - destruct (ratio_of_sums (term_difference t u) D) as [a|] eqn:R; [|discriminate]. take Df. cbn [truth_from] in T.
    destruct (comparison_eqb _ _) eqn:E; [|discriminate]. take T.
    change (tr (Compare r t u) i) with (relation_holds r (value_of_term users n w t i) (value_of_term users n w u i)).
    rewrite relates_difference. f_equal. pose proof (difference_value users n w i t u) as Dv.
    rewrite (ratio_correct _ a R), V in Dv. rewrite (sign_at_value a (constant_difference t u) z _ (eq_sym Dv)).
    apply (sign_between a _ least most z Hz). now destruct (sign_at _ _ least), (sign_at _ _ most).
Qed.
End Decided.

(* ---- what a unit reads ---- *)
(* Positional formulas without predicates of users: their truth can be computed. *)
Fixpoint is_built_in (f : formula) : bool :=
  match f with
  | Truth _ => true
  | Positional p => negb (is_users p)
  | Not f => is_built_in f
  | And f g | Or f g | Implies f g | Iff f g => is_built_in f && is_built_in g
  | _ => false
  end.
Lemma built_in_truth users n w f i : is_built_in f = true -> truth users n w f i = truth no_users n no_word f i.
Proof.
  induction f; cbn; intros H; try discriminate; try reflexivity; try (apply andb_prop in H as [H1 H2]);
    rewrite ?IHf, ?IHf1, ?IHf2 by assumption; try reflexivity. apply negb_true_iff in H. now apply holds_built_in.
Qed.
Definition bool_rational (b : bool) : Q := if b then 1 else 0.
Lemma number_of_value b : Q2R (bool_rational b) = bit b. Proof. destruct b; [apply Q2R_1|apply Q2R_0]. Qed.

(* The number that a direction holds at (n, i), if the word does not matter. *)
Definition known_number (a : meaning) (n i : nat) : option Q :=
  match a with
  | IsPosition (Formula x) => option_map Qred (exact_value x n i)
  | IsPosition (Bracket f shifted) =>
      if is_built_in f then Some (bool_rational (truth no_users n no_word f (if shifted then i - 1 else i)%nat)) else
        None
  | IsTruth f => if is_built_in f then Some (bool_rational (truth no_users n no_word f i)) else None
  | IsProduct x f =>
      if is_built_in f then
        if truth no_users n no_word f i then option_map Qred (exact_value x n i) else Some 0%Q
      else None
  | _ => None
  end.
Lemma known_number_correct users n w i a x q : meaning_holds users n w i a x -> known_number a n i = Some q ->
  x = Q2R q.
Proof.
  intros M K. destruct a as [[e|f s]|f|f|f g|e f|s f|t|s f|s f g|]; cbn [known_number] in K; try discriminate.
  - pose proof (exact_correct e n i) as X. destruct (exact_value e n i) as [p|]; [|discriminate]. cbn [option_map] in K.
    take K. simpl in M. now rewrite Q2R_reduced, M, (proj1 (X p eq_refl)).
  - destruct (is_built_in f) eqn:B; [|discriminate]. take K. rewrite number_of_value. simpl in M. rewrite M.
    now rewrite (built_in_truth users n no_word f _ B).
  - destruct (is_built_in f) eqn:B; [|discriminate]. take K. rewrite number_of_value. simpl in M. rewrite M.
    now rewrite (built_in_truth users n w f _ B).
  - destruct (is_built_in f) eqn:B; [|discriminate]. simpl in M. rewrite (built_in_truth users n w f _ B) in M.
    destruct (truth no_users n no_word f i).
    + pose proof (exact_correct e n i) as X. destruct (exact_value e n i) as [p|]; [|discriminate].
      cbn [option_map] in K. take K. rewrite Q2R_reduced, M, (proj1 (X p eq_refl)). simpl. ring.
    + take K. rewrite M, Q2R_0. simpl. ring.
Qed.

Lemma known_number_means users n w i a q : known_number a n i = Some q -> meaning_holds users n w i a (Q2R q).
Proof.
  intros K. assert (M : exists x, meaning_holds users n w i a x).
  { destruct a as [e|f|f|f g|e f|s f|t|s f|s f g|]; try discriminate K; eexists; reflexivity. }
  destruct M as (x & M). now rewrite <- (known_number_correct users n w i a x q M K).
Qed.

Inductive sum_source :=
| Known (a : meaning)                                    (* n and i decide it *)
| Multiple (a : Q) (over : option side)                  (* a D, divided by the positions that a side has *)
| ZeroWhere (k : sum_decision)                                (* the slack of a formula *)
| Between (x : Q).                                       (* the error of a number of other positions, at most x *)
Definition source_of (D : sum_of_counts) (a : meaning) : option sum_source :=
  match a with
  | IsPosition _ | IsTruth _ | IsProduct _ _ => Some (Known a)
  | IsSlack f => option_map ZeroWhere (decision_of D f)
  | IsMean s f => option_map (fun q => Multiple q (Some s)) (ratio_of_sums (one_count s f) D)
  | IsAverage t =>
      if (term_constant t =? 0)%Z then option_map (fun q => Multiple q (Some (side_of t))) (ratio_of_sums (counts_of t)
        D)
        else None
  | IsTotal s f => option_map (fun q => Multiple q None) (ratio_of_sums (one_count s f) D)
  | IsOthers _ _ x => Some (Between x)
  | _ => None
  end.
Definition source_range (n i : nat) (least most : Z) (s : sum_source) : interval :=
  match s with
  | Known a => match known_number a n i with Some q => point_interval q | None => unbounded_interval end
  | Multiple a over =>
      let a := match over with Some s => Qred (a / inject_Z (Z.of_nat (span s n i))) | None => a end in
      scale_interval a (from_to (inject_Z least) (inject_Z most))
  | ZeroWhere k => slack_range (truth_from n least most k)
  | Between x => from_to (- x) x
  end.

(* What depends on the length only through the positions before. *)
Definition forgets_length (s : sum_source) : bool :=
  match s with
  | Known (IsPosition (Formula x)) => negb (mentions_n x)
  | Known _ => false
  | Multiple _ (Some ToRight) => false
  | Multiple _ _ => true
  | ZeroWhere (ByValue LAST) => false
  | ZeroWhere _ | Between _ => true
  end.
(* What a direction holds, less the number of other positions that it is near. *)
Definition less_number (users : predicate_meanings) (n : nat) (w : word) (i : nat) (a : meaning) (x : R) : R :=
  match a with IsOthers s f _ => x - INR (others_on s n (truth users n w f) i) | _ => x end.

Section Source.
Variables (users : predicate_meanings) (n n' : nat) (w : word) (i : position n) (D : sum_of_counts) (z least most : Z).
Hypothesis Value : combination_value (count_value users n w i) D = IZR z.
Hypothesis Hz : (least <= z <= most)%Z.

Lemma multiple_within q y : y = Q2R q * IZR z -> in_interval (scale_interval q (from_to (inject_Z least) (inject_Z
  most))) y.
Proof. intros ->. apply within_scale, within_from_to. rewrite !Q2R_inject_Z. destruct Hz. split; now apply IZR_le. Qed.
Lemma divided_within q s y : n' = n \/ s = ToLeft -> y = Q2R q * IZR z / INR (span s n i) -> in_interval (scale_interval
  (Qred (q / inject_Z (Z.of_nat (span s n' i)))) (from_to (inject_Z least) (inject_Z most))) y.
Proof.
  intros Hs ->. assert (E : span s n' i = span s n i) by (destruct Hs as [->| ->]; reflexivity). rewrite E.
  apply multiple_within. pose proof (INR_at_least_1 _ (proj1 (span_range s n i))) as P.
  rewrite Q2R_reduced, Q2R_div, Q2R_inject_Z, <- INR_IZR_INZ; [field; lra|].
  intros X. apply Qeq_eqR in X. rewrite Q2R_inject_Z, <- INR_IZR_INZ, Q2R_0 in X. lra.
Qed.

Lemma source_range_correct a s x : n' = n \/ forgets_length s = true -> source_of D a = Some s ->
  meaning_holds users n w i a x -> in_interval (source_range n' i least most s) (less_number users n w i a x).
Proof.
  intros F S M. assert (Known_ : forall b, s = Known b -> b = a -> in_interval (source_range n' i least most s) x).
  { intros b -> ->. cbn [source_range]. destruct (known_number a n' i) as [q|] eqn:K; [|apply within_unbounded].
    destruct F as [->|F]; [rewrite (known_number_correct users n w i a x q M K); apply within_point|].
    cbn [forgets_length] in F. destruct a as [[e|f0 s0]| | | | | | | | |]; try discriminate. apply negb_true_iff in F.
    cbn [known_number] in K. pose proof (exact_correct e n' i) as X.
    destruct (exact_value e n' i) as [p|]; [|discriminate]. cbn [option_map] in K. take K. simpl in M.
    rewrite M, (value_unmentioned false n n' i i eq_refl e F), (proj1 (X p eq_refl)), <- Q2R_reduced.
    apply within_point. }
  destruct a as [v|f|f|f g|e f|s' f|t|s' f|s' f g|]; cbn [source_of] in S; try discriminate.
  - take S. now apply (Known_ (IsPosition v)).
  - take S. now apply (Known_ (IsTruth f)).
  - destruct (decision_of D f) as [k|] eqn:E; [|discriminate]. cbn [option_map] in S. take S.
    apply (slack_range_correct (truth users n w f i)); [exact M|]. intros b T.
    apply (truth_from_correct users n w i D n' f k least most z b Value Hz); auto.
    destruct F as [F|F]; [now left|right]. intros ->. discriminate.
  - take S. now apply (Known_ (IsProduct e f)).
  - destruct (ratio_of_sums _ D) as [q|] eqn:E; [|discriminate]. cbn [option_map] in S. take S. cbn [source_range].
    apply divided_within; [destruct F as [F|F]; [now left|right; now destruct s']|]. simpl in M. rewrite M.
    rewrite <- (one_count_value users n w i), (ratio_correct users n w i D _ q E), Value. reflexivity.
  - destruct (Z.eqb_spec (term_constant t) 0) as [C|]; [|discriminate].
    destruct (ratio_of_sums _ D) as [q|] eqn:E; [|discriminate]. cbn [option_map] in S. take S. cbn [source_range].
    apply divided_within; [destruct F as [F|F]; [now left|right; now destruct (side_of t)]|]. simpl in M. rewrite M.
    rewrite term_value, C, (ratio_correct users n w i D _ q E), Value, Rplus_0_r. reflexivity.
  - destruct (ratio_of_sums _ D) as [q|] eqn:E; [|discriminate]. cbn [option_map] in S. take S. cbn [source_range].
    apply multiple_within. simpl in M |- *. rewrite M.
    now rewrite <- (one_count_value users n w i), (ratio_correct users n w i D _ q E), Value.
  - take S. cbn [source_range less_number meaning_holds] in *. apply within_from_to. rewrite Q2R_opp. revert M.
    unfold Rabs. destruct (Rcase_abs _); lra.
Qed.
End Source.

(* ---- units that read numbers of positions ---- *)
(* Of a row that reads some, what is left: one more direction that holds D, as often as they give it, and their errors.
   A number of other positions is its count, less the truth here of what is counted: those truths must cancel. *)
Section WithSum.
Variables (A : list meaning) (D : sum_of_counts).
Local Definition is_here (fs : list formula) (e : direction * Q) : option formula :=
  match nth (fst e) A IsAnything with IsTruth f => if existsb (formula_eqb f) fs then Some f else None | _ => None end.
Fixpoint here_part (fs : list formula) (r : row) : list (formula * Q) :=
  match r with
  | [] => []
  | e :: r => match is_here fs e with Some f => (f, snd e) :: here_part fs r | None => here_part fs r end
  end.
Local Definition stays (fs : list formula) (e : direction * Q) : bool :=
  match nth (fst e) A IsAnything with
  | IsTotal _ _ => false
  | _ => match is_here fs e with Some _ => false | None => true end
  end.
Definition with_sum (r : row) : option row :=
  if existsb (fun e => length A <=? fst e)%nat r then None else
  match others_part A r with
  | [] => Some r
  | l => let left_out := map (fun e => (snd (fst e), snd e)) (without_here A r) in
         let fs := map fst left_out in
         if equal_combinations formula_eqb (here_part fs r) left_out
         then match ratio_of_sums l D with Some a => Some ((length A, a) :: filter (stays fs) r) | None => None end
         else None
  end.
Fixpoint units_with_sum (us : list (Q * relu_unit)) : option (list (Q * relu_unit)) :=
  match us with
  | [] => Some []
  | (q, u) :: us =>
      match with_sum (unit_reads u), units_with_sum us with
      | Some r, Some us => Some ((q, ReluUnit r (unit_bias u) (unit_writes u)) :: us)
      | _, _ => None
      end
  end.

Variables (users : predicate_meanings) (n : nat) (w : word) (i : position n) (h : vector) (z : Z).
Hypothesis HA : forall d, meaning_holds users n w i (nth d A IsAnything) (h d).
Hypothesis Value : combination_value (count_value users n w i) D = IZR z.
Local Definition summed : vector := fun d =>
  if (d =? length A)%nat then IZR z else less_number users n w i (nth d A IsAnything) (h d).
Notation here := (fun f => bit (truth users n w f i)).

Local Lemma summed_inside d : (length A <=? d)%nat = false -> summed d = less_number users n w i (nth d A IsAnything) (h
  d).
Proof. unfold summed. intros L. apply Nat.leb_gt in L. destruct (Nat.eqb_spec d (length A)); [lia|reflexivity]. Qed.

Lemma row_with_sum fs r : existsb (fun e => length A <=? fst e)%nat r = false -> linear r h
  = combination_value (count_value users n w i) (others_part A r) - combination_value here (map (fun e => (snd (fst e),
  snd e)) (without_here A r)) + combination_value here (here_part fs r) + linear (filter (stays fs) r) summed.
Proof.
  induction r as [|[d q] r IH]; cbn [existsb fst]; [intros _; cbn; lra|]. intros L.
  apply orb_false_iff in L as [L1 L2]. specialize (IH L2). pose proof (summed_inside d L1) as S. pose proof (HA d) as M.
  cbn [linear others_part without_here here_part filter]. unfold stays at 1. change (is_here fs (d, q)) with
    (match nth d A IsAnything with IsTruth f => if existsb (formula_eqb f) fs then Some f else None | _ => None end).
  cbn [fst snd].
  destruct (nth d A IsAnything) as [v|f|f|f g|x f|s f|t|s f|s f x|]; cbn [less_number meaning_holds] in *;
    try (cbn [linear]; rewrite S, IH; lra).
  - destruct (existsb (formula_eqb f) fs); cbn [linear combination_value fst snd]; rewrite IH; [rewrite M|rewrite S];
      lra.
  - cbn [combination_value]. rewrite IH, M. unfold count_value at 2. cbn [fst snd]. lra.
  - cbn [combination_value map linear fst snd]. rewrite IH, S. unfold count_value at 2. cbn [fst snd].
    rewrite (counted_others s n (truth users n w f) i). lra.
Qed.

Lemma with_sum_correct r r' : with_sum r = Some r' -> linear r' summed = linear r h.
Proof.
  unfold with_sum. destruct (existsb (fun e => length A <=? fst e)%nat r) eqn:L; [discriminate|].
  set (left_out := map _ (without_here A r)). destruct (others_part A r) as [|k l] eqn:O; intros H.
  - take H. rewrite (row_with_sum [] r L), O. fold left_out. 
    assert (W : left_out = [] /\ here_part [] r = [] /\ filter (stays []) r = r).
    { unfold left_out. clear - O. induction r as [|[d q] r IH]; [now split|].
      cbn [others_part without_here here_part filter] in *. unfold stays at 1, is_here. cbn [fst snd existsb].
      destruct (nth d A IsAnything); try discriminate; destruct (IH O) as (-> & -> & ->); now split. }
    destruct W as (-> & -> & ->). cbn [combination_value]. lra.
  - rewrite <- O in H. cbv zeta in H. destruct (equal_combinations formula_eqb _ left_out) eqn:E; [|discriminate].
    destruct (ratio_of_sums (others_part A r) D) as [a|] eqn:R; [|discriminate]. take H.
    rewrite (row_with_sum (map fst left_out) r L). fold left_out.
    rewrite <- (equal_correct formula_eqb formula_eqb_eq here _ _ E).
    rewrite (ratio_correct users n w i D _ a R), Value. cbn [linear]. unfold summed at 1. rewrite Nat.eqb_refl. lra.
Qed.

Lemma units_with_sum_correct us : forall us', units_with_sum us = Some us' ->
  weighed_units summed us' = weighed_units h us.
Proof.
  unfold weighed_units. induction us as [|[q u] us IH]; cbn [units_with_sum]; intros us' H; [now take H|].
  destruct (with_sum (unit_reads u)) as [r|] eqn:W; [|discriminate].
  destruct (units_with_sum us) as [us2|]; [|discriminate]. take H. cbn [total_over fst snd unit_reads unit_bias].
  now rewrite (with_sum_correct _ r W), (IH us2 eq_refl).
Qed.
End WithSum.

(* ---- the values that a sum of counts may have ---- *)
Definition is_integral (q : Q) : bool := Pos.eqb (Qden q) 1.
Definition least_value (D : sum_of_counts) (n i : nat) : Z :=
  fold_right (fun e x => Z.min (Qnum (snd e) * Z.of_nat (span (fst (fst e)) n i)) 0 + x)%Z 0%Z D.
Definition greatest_value (D : sum_of_counts) (n i : nat) : Z :=
  fold_right (fun e x => Z.max (Qnum (snd e) * Z.of_nat (span (fst (fst e)) n i)) 0 + x)%Z 0%Z D.

Lemma integer_value_of q : is_integral q = true -> Q2R q = IZR (Qnum q).
Proof. unfold is_integral. intros H. apply Pos.eqb_eq in H. unfold Q2R. rewrite H. simpl. lra. Qed.

(* Each count is at most what its side has at (n, i), and so at most what it has at a place where it has more. *)
Lemma sum_range users n w (i : position n) D n' i' : forallb (fun e => is_integral (snd e)) D = true -> (forall s f q,
  In ((s, f), q) D -> (span s n i <= span s n' i')%nat) -> exists z, combination_value (count_value users n w i) D
  = IZR z /\ (least_value D n' i' <= z <= greatest_value D n' i')%Z.
Proof.
  induction D as [|[[s f] q] D IH]; intros H M; [now exists 0%Z|]. cbn [forallb snd] in H.
  apply andb_prop in H as [Q1 H]. destruct (IH H) as (z & V & B); [intros; eapply M; right; eassumption|].
  set (k := counted_on s n (truth users n w f) i). exists (Qnum q * Z.of_nat k + z)%Z. split.
  - cbn [combination_value]. rewrite V, (integer_value_of q Q1), plus_IZR, mult_IZR, <- INR_IZR_INZ. reflexivity.
  - cbn [least_value greatest_value fold_right fst snd]. fold (least_value D n' i') (greatest_value D n' i').
    assert (K : (k <= span s n i)%nat).
    { destruct (counted_apart s n (truth users n w f) i) as (r & E & L). unfold k. rewrite E.
      destruct (truth users n w f i); simpl; lia. }
    specialize (M s f q (or_introl eq_refl)). assert (K' : (0 <= Z.of_nat k <= Z.of_nat (span s n' i'))%Z) by lia.
    destruct (Z.le_gt_cases 0 (Qnum q)).
    + assert (0 <= Qnum q * Z.of_nat k <= Qnum q * Z.of_nat (span s n' i'))%Z by nia. lia.
    + assert (Qnum q * Z.of_nat (span s n' i') <= Qnum q * Z.of_nat k <= 0)%Z by nia. lia.
Qed.

(* Intervals of values: a new one begins at each of some numbers. *)
Fixpoint insert_number (z : Z) (l : list Z) : list Z :=
  match l with [] => [z] | y :: l => if (z <=? y)%Z then z :: y :: l else y :: insert_number z l end.
Local Fixpoint runs (least most : Z) (starts : list Z) : list (Z * Z) :=
  match starts with
  | [] => [(least, most)]
  | s :: starts =>
      if ((least <? s) && (s <=? most))%Z then (least, s - 1)%Z :: runs s most starts else runs least most starts
  end.
Lemma runs_cover starts : forall least most z, (least <= z <= most)%Z ->
  exists r, In r (runs least most starts) /\ (fst r <= z <= snd r)%Z.
Proof.
  induction starts as [|s l IH]; intros least most z Hz; cbn [runs]; [exists (least, most); now split; [left|]|].
  destruct (Z.ltb_spec least s), (Z.leb_spec s most); cbn [andb]; try (now apply IH). destruct (Z.lt_ge_cases z s).
  - exists (least, s - 1)%Z. split; [now left|]. simpl. lia.
  - destruct (IH s most z ltac:(lia)) as (r & I & B). exists r. split; [now right|exact B].
Qed.
Fixpoint numbers_from (k : nat) (z : Z) : list Z := match k with O => [] | S k => z :: numbers_from k (z + 1) end.

(* ---- the output ---- *)
Inductive output_target := TotalOf | TruthOf (k : sum_decision) | SlackOf (k : sum_decision).
Definition common_divisor (l : sum_of_counts) : Q := inject_Z (fold_right (fun e g => Z.gcd (Qnum (snd e)) g) 0%Z l).
Definition in_lowest (l : sum_of_counts) : sum_of_counts := scaled_terms (/ common_divisor l) l.
Local Definition sum_of (b : meaning) : sum_of_counts :=
  match b with
  | IsTotal s f | IsTruth (OnCount _ s f) => one_count s f
  | IsTruth (Compare _ t u) | IsSlack (Compare _ t u) => in_lowest (term_difference t u)
  | _ => []
  end.
Definition target_of (D : sum_of_counts) (b : meaning) : option output_target :=
  match b with
  | IsTotal s f => if equal_combinations count_eqb D (one_count s f) then Some TotalOf else None
  | IsTruth f => option_map TruthOf (decision_of D f)
  | IsSlack f => option_map SlackOf (decision_of D f)
  | _ => None
  end.
Definition of_target (t : output_target) : list sum_decision := match t with TotalOf => [] | TruthOf k | SlackOf k =>
  [k] end.
Definition of_source (s : option sum_source) : list sum_decision := match s with Some (ZeroWhere k) => [k] | _ =>
  [] end.

Section Check.
Variables (A : list meaning) (us : list (Q * relu_unit)) (bias : Q) (D : sum_of_counts) (t : output_target).

Local Definition sources : list (option sum_source) := map (source_of D) A ++ [Some (Multiple 1 None)].
Definition range_at (table : list (option sum_source)) (n i : nat) (least most : Z) (d : direction) : interval :=
  match nth d table None with Some s => source_range n i least most s | None => unbounded_interval end.
Definition check_run (table : list (option sum_source)) (n i : nat) (r : Z * Z) : bool :=
  let v := output_range (range_at table n i (fst r) (snd r)) us bias in
  match t with
  | TotalOf => (fst r =? snd r)%Z && is_point v (inject_Z (fst r))
  | TruthOf k => match truth_from n (fst r) (snd r) k with Some b => is_point v (bool_rational b) | None => false end
  | SlackOf k =>
      match truth_from n (fst r) (snd r) k with
      | Some true => is_point v 0 | Some false => is_at_least v 1 | None => false
      end
  end.

Definition is_by_value (k : sum_decision) : bool := match k with ByValue _ => true | _ => false end.
Definition changes_of (k : sum_decision) : list Z :=
  match k with
  | ByValue _ => []
  | BySign _ a c => if is_zero a then [] else
      let z := (- inject_Z c / a)%Q in [Qceiling z; Qfloor z + 1]%Z
  end.
Definition check_values (table : list (option sum_source)) (ks : list sum_decision) (starts : list Z) (n i : nat) (least
  most : Z)
  : bool :=
  let every := match t with TotalOf => true | _ => existsb is_by_value ks end in
  forallb (check_run table n i)
    (runs least most (if every then numbers_from (Z.to_nat (most - least)) (least + 1) else starts)).
Definition check_row (table : list (option sum_source)) (ks : list sum_decision) (starts : list Z) (n i : nat) : bool :=
  check_values table ks starts n i (least_value D n i) (greatest_value D n i).

(* Where no row is like another: slack and totals, which do not see n and i. *)
Definition needs_no_row (s : sum_source) : bool :=
  match s with Known _ | Multiple _ (Some _) => false | _ => forgets_length s end.
Local Definition only (f : sum_source -> bool) (s : option sum_source) : option sum_source :=
  match s with Some s => if f s then Some s else None | None => None end.
Definition all_read (f : sum_source -> bool) (table : list (option sum_source)) : bool :=
  forallb (fun e => forallb (fun x => match nth (fst x) table None with Some s => f s | None => false end)
    (unit_reads (snd e))) us.
Definition is_last (k : sum_decision) : bool := match k with ByValue LAST => true | _ => false end.
(* The sum with all counts of the side on which position N of N positions sees all. *)
Local Definition widest : sum_of_counts := map (fun e => ((ToLeft, snd (fst e)), snd e)) D.
Definition is_to_left (e : count_atom * Q) : bool := match fst (fst e) with ToLeft => true | ToRight => false end.

Definition check_rows (L : lengths) (N : nat) : bool :=
  let table := sources in
  let read := flat_map (fun e => map (fun x => nth (fst x) table None) (unit_reads (snd e))) us in
  let ks := of_target t ++ flat_map of_source read in
  let starts := fold_right insert_number [] (flat_map changes_of ks) in
  let sees_last := existsb is_last (of_target t) in
  if negb sees_last && all_read needs_no_row table
  then check_values (map (only needs_no_row) table) ks starts N N (least_value widest N N) (greatest_value widest N N)
  else if negb sees_last && forallb is_to_left D && all_read forgets_length table
  then forallb (check_row (map (only forgets_length) table) ks starts N) (seq 1 N)
  else let least := Nat.max 1 (least_length L) in
       forallb (fun n => forallb (check_row table ks starts n) (seq 1 n)) (seq least (S N - least)).
End Check.

Definition check_output_by_rows (L : lengths) (A : list meaning) (us : list relu_unit) (bias : row) (d : direction)
  (b : meaning) : bool :=
  let D := sum_of b in
  match greatest_length L, D, target_of D b, units_with_sum A D (writers us d) with
  | Some N, _ :: _, Some t, Some ws =>
      forallb (fun e => is_integral (snd e)) D && check_rows A ws (entry_rational bias d) D t L N
  | _, _, _, _ => false
  end.

(* ---- soundness ---- *)
Definition is_source (A : list meaning) (D : sum_of_counts) (e : direction) (s : sum_source) : Prop :=
  e = length A /\ s = Multiple 1 None \/ (e < length A)%nat /\ source_of D (nth e A IsAnything) = Some s.
Lemma is_source_listed A D e s : nth e (sources A D) None = Some s -> is_source A D e s.
Proof.
  unfold sources, is_source. intros E. destruct (Nat.lt_trichotomy e (length A)) as [L|[L|L]].
  - right. split; [exact L|]. rewrite app_nth1 in E by (now rewrite length_map).
    rewrite (nth_indep _ None (source_of D IsAnything)) in E by (now rewrite length_map).
    now rewrite (map_nth (source_of D)) in E.
  - left. split; [exact L|].
    rewrite app_nth2, length_map, L, Nat.sub_diag in E by (rewrite length_map; lia). now take E.
  - rewrite nth_overflow in E; [discriminate|]. rewrite length_app, length_map. simpl. lia.
Qed.

Section Sound.
Variables (users : predicate_meanings) (n : nat) (w : word) (i : position n) (A : list meaning) (h : vector).
Variables (us : list relu_unit) (bias : row) (d : direction) (D : sum_of_counts) (t : output_target) (b : meaning) (z :
  Z).
Hypothesis HA : forall d, meaning_holds users n w i (nth d A IsAnything) (h d).
Hypothesis Target : target_of D b = Some t.
Hypothesis Value : combination_value (count_value users n w i) D = IZR z.
Notation out := (total_over (unit_output h d) us + row_entry bias d).
Variable ws : list (Q * relu_unit).
Hypothesis Units : units_with_sum A D (writers us d) = Some ws.
Notation h' := (summed A users n w i h z).

(* What is known of a table of sources. *)
Variables (n' i' : nat) (table : list (option sum_source)).
Hypothesis Table : forall e s, nth e table None = Some s -> is_source A D e s /\
  ((n' = n /\ i' = i) \/ (i' = i /\ forgets_length s = true) \/ needs_no_row s = true).
Hypothesis Last : n' = n \/ existsb is_last (of_target t) = false.

Lemma range_at_within least most e : (least <= z <= most)%Z -> in_interval (range_at table n' i' least most e) (h' e).
Proof.
  intros Hz. unfold range_at. pose proof (Table e) as Te.
  destruct (nth e table None) as [s|]; [|apply within_unbounded]. destruct (Te s eq_refl) as [[[-> ->]|[L S]] F].
  { unfold summed. rewrite Nat.eqb_refl. apply (multiple_within z least most Hz 1). rewrite Q2R_1. lra. }
  rewrite summed_inside by (now apply Nat.leb_gt).
  assert (E : source_range n' i' least most s = source_range n' i least most s).
  { destruct F as [[_ ->]|[[-> _]|F]]; try reflexivity. now destruct s as [|q [o|]| |]. }
  rewrite E.
  apply (source_range_correct users n n' w i D z least most Value Hz (nth e A IsAnything) s); [|exact S|apply HA].
  destruct F as [[-> _]|[[_ F]|F]]; [now left|now right|right]. now destruct s as [|q [o|]| |].
Qed.

Theorem check_run_correct r : (fst r <= z <= snd r)%Z -> check_run ws (entry_rational bias d) t table n' i' r = true ->
  meaning_holds users n w i b out.
Proof.
  intros Hz C.
  pose proof (output_range_within _ h' (fun e => range_at_within _ _ e Hz) ws (entry_rational bias d)) as W.
  rewrite (units_with_sum_correct A D users n w i h z HA Value _ ws Units), writers_total, entry_rational_correct in W.
  unfold check_run in C. cbv zeta in C. set (v := output_range _ _ _) in *.
  assert (T : forall f k x, decision_of D f = Some k -> In k (of_target t) -> truth_from n' (fst r) (snd r) k =
    Some x -> truth users n w f i = x).
  { intros f k x Df I. apply (truth_from_correct users n w i D n' f k _ _ z x Value Hz); [|exact Df].
    destruct Last as [->|Hn]; [now left|right]. intros ->.
    enough (existsb is_last (of_target t) = true) by congruence. apply existsb_exists. now exists (ByValue LAST). }
  destruct b as [v'|f|f|f g|e f|s f|t'|s f|s f g|]; cbn [target_of] in Target; try discriminate.
  - destruct (decision_of D f) as [k|] eqn:E; [|discriminate]. cbn [option_map] in Target. take Target.
    destruct (truth_from n' _ _ k) as [x|] eqn:X; [|discriminate]. apply (is_point_correct _ _ _ C) in W. simpl.
    rewrite W, number_of_value. now rewrite (T f k x E (or_introl eq_refl) X).
  - destruct (decision_of D f) as [k|] eqn:E; [|discriminate]. cbn [option_map] in Target. take Target.
    destruct (truth_from n' _ _ k) as [x|] eqn:X; [|discriminate]. cbn [meaning_holds].
    rewrite (T f k x E (or_introl eq_refl) X). destruct x; simpl.
    + apply (is_point_correct _ _ _ C) in W. now rewrite W, Q2R_0.
    + apply (is_at_least_correct _ _ _ C) in W. now rewrite <- Q2R_1.
  - destruct (equal_combinations count_eqb D (one_count s f)) eqn:E; [|discriminate]. take Target.
    apply andb_prop in C as [Z1 C]. apply Z.eqb_eq in Z1. apply (is_point_correct _ _ _ C) in W. simpl.
    rewrite W, <- (one_count_value users n w i), <- (equal_correct count_eqb count_eqb_eq _ _ _ E), Value, Q2R_inject_Z.
    f_equal. lia.
Qed.

Lemma check_values_correct ks starts least most : (least <= z <= most)%Z ->
  check_values ws (entry_rational bias d) t table ks starts n' i' least most = true -> meaning_holds users n w i b out.
Proof.
  intros Hz C. unfold check_values in C. rewrite forallb_forall in C.
  match type of C with context [runs _ _ ?starts] => destruct (runs_cover starts least most z Hz) as (r & I & B) end.
  exact (check_run_correct r B (C r I)).
Qed.
End Sound.

Lemma widest_range D n (i : position n) N : (n <= N)%nat ->
  (least_value (widest D) N N <= least_value D n i /\ greatest_value D n i <= greatest_value (widest D) N N)%Z.
Proof.
  intros HN. induction D as [|[[s f] q] D IH]; [simpl; lia|].
  cbn [widest map least_value greatest_value fold_right fst snd] in *. fold (widest D) in *.
  fold (least_value (widest D) N N) (greatest_value (widest D) N N) (least_value D n i) (greatest_value D n i) in *.
  assert (S : (Z.of_nat (span s n i) <= Z.of_nat (span ToLeft N N))%Z) by (unfold span; destruct s; lia).
  destruct (Z.le_gt_cases 0 (Qnum q)).
  - assert (0 <= Qnum q * Z.of_nat (span s n i) <= Qnum q * Z.of_nat (span ToLeft N N))%Z by nia. lia.
  - assert (Qnum q * Z.of_nat (span ToLeft N N) <= Qnum q * Z.of_nat (span s n i) <= 0)%Z by nia. lia.
Qed.

Theorem check_output_by_rows_correct users n w (i : position n) L A h us bias d b : length_allowed L n ->
  (forall d, meaning_holds users n w i (nth d A IsAnything) (h d)) -> check_output_by_rows L A us bias d b = true ->
  meaning_holds users n w i b (total_over (unit_output h d) us + row_entry bias d).
Proof.
  intros (_ & Ln & HN) HA H. unfold check_output_by_rows in H. set (D := sum_of b) in *.
  destruct (greatest_length L) as [N|]; [|discriminate]. destruct D as [|e0 D0] eqn:ED; [discriminate|].
  rewrite <- ED in *. clear e0 D0 ED. destruct (target_of D b) as [t|] eqn:T; [|discriminate].
  destruct (units_with_sum A D (writers us d)) as [ws|] eqn:U; [|discriminate]. apply andb_prop in H as [I H].
  assert (Listed : forall (f : sum_source -> bool) e s, nth e (map (only f) (sources A D)) None = Some s ->
    is_source A D e s /\ f s = true).
  { intros f e s E. change None with (only f None) in E at 1. rewrite map_nth in E.
    pose proof (is_source_listed A D e) as K. destruct (nth e (sources A D) None) as [s'|]; [|discriminate].
    cbn [only] in E. destruct (f s') eqn:F; [|discriminate]. take E. split; [now apply K|exact F]. }
  unfold check_rows in H. cbv zeta in H. set (l := existsb is_last (of_target t)) in *.
  destruct (sum_range users n w i D n i I) as (z & V & B); [reflexivity|].
  destruct (negb l && all_read _ needs_no_row _) eqn:C1.
  { apply andb_prop in C1 as [La _]. apply negb_true_iff in La. pose proof (widest_range D n i N HN) as W.
    eapply (check_values_correct users n w i A h us bias d D t b z HA T V ws U N N); [|now right| |exact H]; [|lia].
    intros e s E. apply Listed in E as [S F]. split; [exact S|]. right. now right. }
  destruct (negb l && forallb is_to_left D && _) eqn:C2.
  { apply andb_prop in C2 as [C2 _]. apply andb_prop in C2 as [La Left_]. apply negb_true_iff in La.
    destruct (sum_range users n w i D N i I) as (y & Vy & By).
    { intros s f q In_. rewrite forallb_forall in Left_. specialize (Left_ _ In_). now destruct s. }
    rewrite forallb_forall in H. specialize (H i ltac:(apply in_seq; lia)). unfold check_row in H.
    eapply (check_values_correct users n w i A h us bias d D t b y HA T Vy ws U N i); [|now right|exact By|exact H].
    intros e s E. apply Listed in E as [S F]. split; [exact S|]. right. now left. }
  rewrite forallb_forall in H. specialize (H n ltac:(apply in_seq; lia)). rewrite forallb_forall in H.
  specialize (H i ltac:(apply in_seq; lia)). unfold check_row in H.
  eapply (check_values_correct users n w i A h us bias d D t b z HA T V ws U n i); [|now left|exact B|exact H].
  intros e s E. split; [now apply is_source_listed|now left].
Qed.
