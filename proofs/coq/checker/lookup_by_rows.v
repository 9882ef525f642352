(* Heads that look up one count, at every position of every length up to a greatest one (docs/certificate.md, section 5,
   Lookup head).

   Where the truth b of the counted formula at the position and the number m of other positions counted are known, every
   query is a number; keys are parabolas in j. So scores are -c (j - p)^2 and what does not depend on j, where p is m and
   a number that does not depend on m. c0 is the least c of all rows.
   `near`: the value at p is the truth, and the positions with another value weigh together at most a third as much as p
   (gap_rule.v). `others`: values are j less that number, and the error is at most that of Lemma 7 at c0 and the greatest
   length.
   Proved: if `check_lookup` says yes, the head holds what it should. *)
From Coq Require Import Reals QArith Qreals Qround ZArith List Bool Lra Lia Arith.
From Certify Require Import lists finite_sums softmax relu exponential exp_enclosure lemma_07_table_lookup
  lemma_09_rounding formula network totals meaning linear_combination comparison cases theorem_20_counting gap_rule
  values_by_rows output_by_rows.
Import ListNotations.
Open Scope R_scope.

Notation parabola := (Q * Q * Q)%type.
Definition integer_of (k : nat) : Q := inject_Z (Z.of_nat k).

Section Lookup.
Variables (A : list meaning) (a : head) (values : row) (s : side) (f : formula).

(* ---- keys and values ---- *)
Fixpoint known_row (r : row) (n j : nat) : option Q :=
  match r with
  | [] => Some 0%Q
  | (d, q) :: r =>
      bind (known_number (nth d A IsAnything) n j) (fun x => bind (known_row r n j) (fun y => Some (Qred (q * x + y))))
  end.
(* The parabola with three values at 1, 2 and 3. *)
Definition fitted (x y z : Q) : parabola :=
  let a := Qred ((z - 2 * y + x) / 2) in let b := Qred (y - x - 3 * a) in (a, b, Qred (x - a - b)).
Definition parabola_at (k : parabola) (j : nat) : Q :=
  let '(a, b, c) := k in let x := integer_of j in (a * x * x + b * x + c)%Q.
Definition key_parabola (n : nat) (r : row) : option parabola :=
  bind (known_row r n 1) (fun x => bind (known_row r n 2) (fun y => bind (known_row r n 3) (fun z =>
    let k := fitted x y z in
    if forallb (fun j => match known_row r n j with Some v => Qeq_bool v (parabola_at k j) | None => false end) (seq 1 n)
    then Some k else None))).

(* ---- queries: a number, and how often m is in it ---- *)
Definition query_number (n i : nat) (b : bool) (x : meaning) : option (Q * Q) :=
  match known_number x n i with
  | Some q => Some (q, 0%Q)
  | None =>
    match x with
    | IsMean t g =>
        if side_eqb t s && formula_eqb g f then
          let l := integer_of (span s n i) in Some (number_of b / l, / l)%Q
        else None
    | IsTruth g => if formula_eqb g f then Some (number_of b, 0%Q) else None
    | IsProduct e g =>
        if formula_eqb g f then (if b then option_map (fun q => (q, 0%Q)) (exact e n i) else Some (0%Q, 0%Q)) else None
    | _ => None
    end
  end.
Fixpoint query_row (n i : nat) (b : bool) (r : row) : option (Q * Q) :=
  match r with
  | [] => Some (0%Q, 0%Q)
  | (d, q) :: r =>
      bind (query_number n i b (nth d A IsAnything)) (fun x => bind (query_row n i b r) (fun y =>
        Some (Qred (q * fst x + fst y), Qred (q * snd x + snd y))))
  end.

(* Of what queries and keys give together: the factors of j^2 and j, each as a number and how often m is in it. *)
Fixpoint factors (qs : list (Q * Q)) (ks : list parabola) : Q * Q * Q * Q :=
  match qs, ks with
  | (x, y) :: qs, (a, b, c) :: ks =>
      let '(p, q, r, t) := factors qs ks in (Qred (x * a + p), Qred (y * a + q), Qred (x * b + r), Qred (y * b + t))
  | _, _ => (0, 0, 0, 0)%Q
  end.
(* The sharpness c, and the place less m. *)
Definition lookup_case (ks : list parabola) (n i : nat) (b : bool) : option (Q * Z) :=
  bind (traverse (query_row n i b) (head_queries a)) (fun qs => bind (exact (head_temperature a) n i) (fun tau =>
    let '(p, q, r, t) := factors qs ks in
    let c := Qopp p in let off := Qred (r / (2 * c)) in
    if negb (Qle_bool tau 0) && is_zero q && negb (Qle_bool c 0) && Qeq_bool t (2 * c) && is_integer off
    then Some (Qred (c / tau), Qnum off) else None)).

(* ---- formulas, where b and m are known ---- *)
Fixpoint case_truth (n i : nat) (b : bool) (z : Z) (g : formula) : option bool :=
  if formula_eqb g f then Some b
  else if is_built_in g then Some (truth nobody n no_word g i)
  else match g with
  | OnCount _ _ _ | Compare _ _ _ =>
      match decides (one_count s f) g with Some k => truth_from n z z k | None => None end
  | Not g => not3 (case_truth n i b z g)
  | And g h => and3 (case_truth n i b z g) (case_truth n i b z h)
  | Or g h => or3 (case_truth n i b z g) (case_truth n i b z h)
  | Implies g h => or3 (not3 (case_truth n i b z g)) (case_truth n i b z h)
  | Iff g h => iff3 (case_truth n i b z g) (case_truth n i b z h)
  | _ => None
  end.
Definition count_in_case (b : bool) (m : nat) : Z := (Z.of_nat m + (if b then 1 else 0))%Z.
Definition cannot_be (n i : nat) (b : bool) : bool := is_built_in f && negb (eqb (truth nobody n no_word f i) b).

(* ---- weights ---- *)
(* e^(-c0 k^2) from above, in multiples of 2^-60. *)
Definition weight_above (c0 : Q) (k : nat) : Z :=
  decay_above weight_bits (Qfloor (c0 * integer_of (k * k) * inject_Z (2 ^ weight_bits))).
Definition cut : nat := 16.
Definition weight_table (c0 : Q) (N : nat) : list Z := map (weight_above c0) (seq 0 (Nat.min N cut)).
Definition weight_far (c0 : Q) : Z := weight_above c0 cut.
Definition apart (j p : nat) : nat := (j - p + (p - j))%nat.

Section Near.
Variables (table : list Z) (far : Z).
Definition bad_cost (p : nat) (t : Q) (j : nat) (v : Q) : Z := if Qeq_bool v t then 0 else nth (apart j p) table far.
Fixpoint bad_sum (p : nat) (t : Q) (j : nat) (vs : list Q) : Z :=
  match vs with [] => 0 | v :: vs => bad_cost p t j v + bad_sum p t (S j) vs end.
(* The truth that is read at p, if the others do not disturb it. *)
Definition reads (vs : list Q) (p : nat) : option bool :=
  let fine b := Qeq_bool (nth (p - 1) vs (-1)%Q) (number_of b) && (3 * bad_sum p (number_of b) 1 vs <=? one weight_bits)%Z in
  if fine true then Some true else if fine false then Some false else None.
End Near.

Definition sees (n i : nat) (p : Z) : bool :=
  (1 <=? p)%Z && (p <=? Z.of_nat n)%Z && mask_at (head_masking a) i (Z.to_nat p).

Definition check_near_row (c0 : Q) (ks : list parabola) (read : list (option bool)) (chi guard : formula) (n i : nat)
  (b : bool) : bool :=
  let ms := seq 0 (span s n i) in
  let on m := match case_truth n i b (count_in_case b m) guard with Some false => false | _ => true end in
  if cannot_be n i b then true else if forallb (fun m => negb (on m)) ms then true else
  match lookup_case ks n i b with
  | Some (c, off) => Qle_bool c0 c && forallb (fun m => if on m then
      let p := (Z.of_nat m + off)%Z in
      sees n i p && match case_truth n i b (count_in_case b m) chi, nth (Z.to_nat p - 1) read None with
        | Some t, Some u => eqb t u | _, _ => false end
      else true) ms
  | None => false
  end.
Definition check_near_length (c0 : Q) (table : list Z) (chi guard : formula) (n : nat) : bool :=
  match traverse (known_row values n) (seq 1 n), traverse (key_parabola n) (head_keys a) with
  | Some vs, Some ks =>
      forallb (fun v => Qle_bool 0 v && Qle_bool v 1) vs
      && (let read := map (reads table (weight_far c0) vs) (seq 1 n) in
          forallb (fun i => forallb (check_near_row c0 ks read chi guard n i) all_bools) (seq 1 n))
  | _, _ => false
  end.

(* ---- soundness ---- *)
Section Position.
Variables (users : nat -> nat -> nat -> bool) (n : nat) (w : word) (i : nat) (h : nat -> vector).
Hypothesis Hi : (1 <= i <= n)%nat.
Hypothesis HA : holds_of users n w A h.
Notation tr := (truth users n w).
Notation m := (others s n (tr f) i).
Notation b := (tr f i).

Lemma integer_of_value k : Q2R (integer_of k) = INR k.
Proof. unfold integer_of. now rewrite Q2R_inject_Z, <- INR_IZR_INZ. Qed.

Lemma known_row_correct r j : (1 <= j <= n)%nat -> forall q, known_row r n j = Some q -> linear r (h j) = Q2R q.
Proof.
  intros Hj. induction r as [|[d q] r IH]; intros x H; cbn [known_row linear] in *; [take H; now rewrite Q2R_0|].
  unfold bind in H. destruct (known_number _ n j) as [y|] eqn:K; [|discriminate].
  destruct (known_row r n j) as [z|]; [|discriminate]. take H.
  rewrite (known_number_correct users n w j _ _ y (HA j d Hj) K), (IH z eq_refl), Q2R_reduced, Q2R_plus, Q2R_mult.
  reflexivity.
Qed.

Lemma key_parabola_correct r x y z j : key_parabola n r = Some (x, y, z) -> (1 <= j <= n)%nat ->
  linear r (h j) = Q2R x * INR j * INR j + Q2R y * INR j + Q2R z.
Proof.
  unfold key_parabola, bind. intros H Hj. destruct (known_row r n 1) as [u|]; [|discriminate].
  destruct (known_row r n 2) as [v|]; [|discriminate]. destruct (known_row r n 3) as [t|]; [|discriminate].
  cbv zeta in H. set (k := fitted u v t) in *. destruct (forallb _ _) eqn:F; [|discriminate].
  apply some_inj in H. rewrite forallb_forall in F. specialize (F j ltac:(apply in_seq; lia)).
  destruct (known_row r n j) as [q|] eqn:K; [|discriminate]. rewrite (known_row_correct r j Hj q K).
  apply Qeq_bool_R in F. rewrite F, H. cbn [parabola_at].
  rewrite !Q2R_plus, !Q2R_mult, integer_of_value. reflexivity.
Qed.

Lemma query_number_correct x v p q : means users n w i x v -> query_number n i b x = Some (p, q) ->
  v = Q2R p + Q2R q * INR m.
Proof.
  intros M H. unfold query_number in H. destruct (known_number x n i) as [y|] eqn:K.
  - assert (y = p /\ 0%Q = q) as [-> <-] by (split; congruence).
    rewrite (known_number_correct users n w i _ _ p M K), Q2R_0. ring.
  - destruct x as [e|g|g|g k|e g|t g|u|t g|t g e|]; try discriminate.
    + destruct (formula_eqb g f) eqn:E; [|discriminate]. apply formula_eqb_eq in E. subst g.
      assert (number_of b = p /\ 0%Q = q) as [<- <-] by (split; congruence). simpl in M.
      rewrite M, number_of_value, Q2R_0. ring.
    + destruct (formula_eqb g f) eqn:E; [|discriminate]. apply formula_eqb_eq in E. subst g. simpl in M.
      destruct b eqn:B.
      * pose proof (exact_correct e n i) as X. destruct (exact e n i) as [y|]; [|discriminate]. cbn [option_map] in H.
        assert (y = p /\ 0%Q = q) as [-> <-] by (split; congruence). rewrite M, (X p eq_refl), Q2R_0. simpl. ring.
      * assert (0%Q = p /\ 0%Q = q) as [<- <-] by (split; congruence). rewrite M, Q2R_0. simpl. ring.
    + destruct (side_eqb t s && formula_eqb g f) eqn:E; [|discriminate]. apply andb_prop in E as [E1 E2].
      apply side_eqb_eq in E1. apply formula_eqb_eq in E2. subst t g. cbv zeta in H. simpl in M.
      set (l := integer_of (span s n i)) in *.
      assert ((number_of b / l)%Q = p /\ (/ l)%Q = q) as [<- <-] by (split; congruence).
      pose proof (INR_at_least_1 _ (proj1 (span_range s n i Hi))) as P. assert (Lv : Q2R l = INR (span s n i)) by apply integer_of_value.
      assert (Nz : ~ (l == 0)%Q) by (intros Z; apply Qeq_eqR in Z; rewrite Q2R_0 in Z; lra).
      rewrite M, (counted_others s n (tr f) i Hi), Q2R_div, Q2R_inv, number_of_value, Lv by exact Nz. field. lra.
Qed.

Lemma query_row_correct r : forall p q, query_row n i b r = Some (p, q) -> linear r (h i) = Q2R p + Q2R q * INR m.
Proof.
  induction r as [|[d c] r IH]; intros p q H; cbn [query_row linear] in *.
  - assert (0%Q = p /\ 0%Q = q) as [<- <-] by (split; congruence). rewrite Q2R_0. ring.
  - unfold bind in H. destruct (query_number _ _ _ _) as [[x y]|] eqn:K; [|discriminate].
    destruct (query_row n i b r) as [[z t]|]; [|discriminate]. cbn [fst snd] in H.
    assert (Qred (c * x + z) = p /\ Qred (c * y + t) = q) as [<- <-] by (split; congruence).
    rewrite (query_number_correct _ _ x y (HA i d Hi) K), (IH z t eq_refl). rationals. ring.
Qed.

Lemma factors_correct rows : forall keys qs ks, traverse (query_row n i b) rows = Some qs ->
  traverse (key_parabola n) keys = Some ks -> forall p q r t, factors qs ks = (p, q, r, t) -> exists e,
  forall j, (1 <= j <= n)%nat -> dot_product rows keys (h i) (h j)
    = (Q2R p + Q2R q * INR m) * INR j * INR j + (Q2R r + Q2R t * INR m) * INR j + e.
Proof.
  induction rows as [|row rows IH]; intros keys qs ks Q K p q r t F; cbn [traverse] in Q.
  - take Q. cbn [factors] in F. injection F as <- <- <- <-. exists 0. intros j _. cbn [dot_product]. rewrite Q2R_0. ring.
  - destruct (query_row n i b row) as [[x y]|] eqn:Er; [|discriminate].
    destruct (traverse (query_row n i b) rows) as [qs'|] eqn:Qs; [|discriminate]. take Q.
    destruct keys as [|key keys]; cbn [traverse] in K.
    + take K. cbn [factors] in F. injection F as <- <- <- <-. exists 0. intros j _. cbn [dot_product]. rewrite Q2R_0. ring.
    + destruct (key_parabola n key) as [[[u v] c]|] eqn:Ek; [|discriminate].
      destruct (traverse (key_parabola n) keys) as [ks'|] eqn:Ks; [|discriminate]. take K. cbn [factors] in F.
      destruct (factors qs' ks') as [[[p' q'] r'] t'] eqn:F'. injection F as <- <- <- <-.
      destruct (IH keys qs' ks' eq_refl Ks p' q' r' t' F') as (e & He).
      exists ((Q2R x + Q2R y * INR m) * Q2R c + e). intros j Hj. cbn [dot_product].
      rewrite (He j Hj), (query_row_correct row x y Er), (key_parabola_correct key u v c j Ek Hj). rationals. ring.
Qed.

Lemma not_below q : Qle_bool q 0 = false -> 0 < Q2R q.
Proof.
  intros H. destruct (Rlt_le_dec 0 (Q2R q)) as [L|L]; [exact L|]. exfalso.
  assert (T : (q <= 0)%Q) by (apply Rle_Qle; rewrite Q2R_0; exact L). apply Qle_bool_iff in T. congruence.
Qed.

Lemma lookup_case_correct ks c off : traverse (key_parabola n) (head_keys a) = Some ks -> lookup_case ks n i b = Some (c, off) ->
  0 < Q2R c /\ exists e, forall j, (1 <= j <= n)%nat ->
  scaled_score a n h i j = Q2R c * (2 * (INR m + IZR off) * INR j - INR j * INR j) + e.
Proof.
  intros K H. unfold lookup_case, bind in H. destruct (traverse _ (head_queries a)) as [qs|] eqn:Q; [|discriminate].
  pose proof (exact_correct (head_temperature a) n i) as X. destruct (exact _ n i) as [tau|]; [|discriminate].
  specialize (X tau eq_refl). destruct (factors qs ks) as [[[p q] r] t] eqn:F. cbv zeta in H.
  destruct (Qle_bool tau 0) eqn:T0; [discriminate|]. destruct (is_zero q) eqn:Q0; [|discriminate].
  destruct (Qle_bool (- p) 0) eqn:C0; [discriminate|]. destruct (Qeq_bool t (2 * - p)) eqn:T1; [|discriminate].
  destruct (is_integer _) eqn:I1; [|discriminate]. cbn [negb andb] in H.
  assert (Qred (- p / tau) = c /\ Qnum (Qred (r / (2 * - p))) = off) as [<- <-] by (split; congruence).
  apply not_below in T0, C0. apply Qeq_bool_R in Q0, T1. rewrite Q2R_0 in Q0. apply integer_value_of in I1.
  assert (N1 : ~ (tau == 0)%Q) by (intros Z; apply Qeq_eqR in Z; rewrite Q2R_0 in Z; lra).
  assert (N2 : ~ (2 * - p == 0)%Q) by (intros Z; apply Qeq_eqR in Z; revert Z C0; rationals; intros; lra).
  assert (P : Q2R (- p) = - Q2R p) by apply Q2R_opp. rewrite P in C0.
  assert (Two : Q2R (2 * - p) = 2 * - Q2R p) by (rewrite Q2R_mult, P; f_equal; unfold Q2R; simpl; lra).
  rewrite <- I1, !Q2R_reduced, !Q2R_div, P, Two by assumption.
  assert (Tv : Q2R t = 2 * - Q2R p) by now rewrite T1.
  destruct (factors_correct _ _ qs ks Q K p q r t F) as (e & E). split.
  - apply Rmult_lt_0_compat; [exact C0|now apply Rinv_0_lt_compat].
  - exists (e / Q2R tau). intros j Hj. unfold scaled_score. rewrite (E j Hj), X, Q0, Tv. field. lra.
Qed.

Lemma case_truth_correct g : forall x, case_truth n i b (count_in_case b m) g = Some x -> tr g i = x.
Proof.
  assert (V : combined (count_value users n w i) (one_count s f) = IZR (count_in_case b m)).
  { rewrite one_count_value, (counted_others s n (tr f) i Hi). unfold count_in_case. rewrite plus_IZR, <- INR_IZR_INZ.
    destruct b; simpl; ring. }
  assert (D : forall g x, match decides (one_count s f) g with
    | Some k => truth_from n (count_in_case b m) (count_in_case b m) k | None => None end = Some x -> tr g i = x).
  { intros g' x H. destruct (decides _ g') as [k|] eqn:E; [|discriminate].
    exact (truth_from_correct users n w i _ n g' k _ _ _ x V (conj (Z.le_refl _) (Z.le_refl _)) (or_introl eq_refl) E H). }
  induction g; intros x H; cbn [case_truth] in H;
    (match type of H with (if formula_eqb ?g f then _ else _) = _ => destruct (formula_eqb g f) eqn:E;
       [apply formula_eqb_eq in E; rewrite E; now apply some_inj in H|clear E] end);
    (match type of H with (if is_built_in ?g then _ else _) = _ => destruct (is_built_in g) eqn:E;
       [apply some_inj in H; rewrite (built_in_truth users n w g i E); exact H|clear E] end); try discriminate;
    try (now apply D).
  - change (negb (tr g i) = x). destruct (case_truth n i b _ g) as [y|]; [|discriminate].
    rewrite (IHg y eq_refl). now injection H.
  - change (tr g1 i && tr g2 i = x). destruct (case_truth n i b _ g1) as [[]|], (case_truth n i b _ g2) as [[]|];
      try discriminate; injection H as <-; rewrite ?(IHg1 _ eq_refl), ?(IHg2 _ eq_refl); now rewrite ?andb_false_r.
  - change (tr g1 i || tr g2 i = x). destruct (case_truth n i b _ g1) as [[]|], (case_truth n i b _ g2) as [[]|];
      try discriminate; injection H as <-; rewrite ?(IHg1 _ eq_refl), ?(IHg2 _ eq_refl); now rewrite ?orb_true_r.
  - change (implb (tr g1 i) (tr g2 i) = x). destruct (case_truth n i b _ g1) as [[]|], (case_truth n i b _ g2) as [[]|];
      try discriminate; injection H as <-; rewrite ?(IHg1 _ eq_refl), ?(IHg2 _ eq_refl); now rewrite ?implb_true_r.
  - change (eqb (tr g1 i) (tr g2 i) = x). destruct (case_truth n i b _ g1) as [y|], (case_truth n i b _ g2) as [z|];
      try discriminate. injection H as <-. now rewrite (IHg1 _ eq_refl), (IHg2 _ eq_refl).
Qed.
End Position.
End Lookup.
