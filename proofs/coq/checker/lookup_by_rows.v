(* Heads that look up one count, at every position of every length up to a greatest one (docs/background/obligations.md,
   Lookup head).

   Where the truth b of the counted formula at the position and the number m of other positions counted are known, every
   query is a number; keys are parabolas in j. So scores are -c (j - p)^2 and what does not depend on j, where p is m
   and a number that does not depend on m. c0 is the least c of all rows.
   `near`: the value at p is the truth, and the positions with another value weigh together at most a third as much as p
   (gap_rule.v). `others_on`: values are j less that number, and the error is at most that of Lemma 7 at c0 and the
   greatest length.
   Proved: if `check_lookup` returns true, the head has its stated value. *)
From Coq Require Import Reals QArith Qreals Qround ZArith List Bool Lra Lia Arith.
From Certify Require Import lemma_06_near_hardmax options positions lists finite_sums softmax entmax weighing relu
  exponential exp_enclosure lemma_07_table_lookup lemma_09_rounding formula network totals meaning linear_combination
  comparison cases theorem_20_counting check_head gap_rule values_by_rows output_by_rows.
Import ListNotations PositionNotations.
Open Scope R_scope.

Notation quadratic := (Q * Q * Q)%type.
Local Notation mass := lemma_07_table_lookup.gaussian_mass.
Definition integer_of (k : nat) : Q := inject_Z (Z.of_nat k).

Section Cases.
Variables (A : list meaning) (a : head) (s : side) (f : formula).

(* ---- keys and values ---- *)
Fixpoint known_row (r : row) (n j : nat) : option Q :=
  match r with
  | [] => Some 0%Q
  | (d, q) :: r =>
      option_bind (known_number (nth d A IsAnything) n j) (fun x => option_bind (known_row r n j) (fun y =>
        Some (Qred (q * x + y))))
  end.
(* The parabola with three values at 1, 2 and 3. *)
Local Definition fitted (x y z : Q) : quadratic :=
  let a := Qred ((z - 2 * y + x) / 2) in let b := Qred (y - x - 3 * a) in (a, b, Qred (x - a - b)).
Definition parabola_at (k : quadratic) (j : nat) : Q :=
  let '(a, b, c) := k in let x := integer_of j in (a * x * x + b * x + c)%Q.
Definition key_parabola (n : nat) (r : row) : option quadratic :=
  option_bind (known_row r n 1) (fun x => option_bind (known_row r n 2) (fun y => option_bind (known_row r n 3) (fun z
    => let k := fitted x y z in
    if forallb (fun j => match known_row r n j with Some v => Qeq_bool v (parabola_at k j) | None => false end)
         (seq 1 n)
    then Some k else None))).

(* ---- queries: a number, and how often m is in it ---- *)
Definition query_number (n i : nat) (b : bool) (x : meaning) : option (Q * Q) :=
  match known_number x n i with
  | Some q => Some (q, 0%Q)
  | None =>
    match x with
    | IsMean t g =>
        if side_eqb t s && formula_eqb g f then
          let l := integer_of (span s n i) in Some (bool_rational b / l, / l)%Q
        else None
    | IsTruth g => if formula_eqb g f then Some (bool_rational b, 0%Q) else None
    | IsProduct e g =>
        if formula_eqb g f then (if b then option_map (fun q => (q, 0%Q)) (exact_value e n i) else Some (0%Q,
          0%Q)) else None
    | _ => None
    end
  end.
Fixpoint query_row (n i : nat) (b : bool) (r : row) : option (Q * Q) :=
  match r with
  | [] => Some (0%Q, 0%Q)
  | (d, q) :: r =>
      option_bind (query_number n i b (nth d A IsAnything)) (fun x => option_bind (query_row n i b r) (fun y =>
        Some (Qred (q * fst x + fst y), Qred (q * snd x + snd y))))
  end.

(* Of what queries and keys give together: the factors of j^2 and j, each as a number and how often m is in it. *)
Local Fixpoint factors (qs : list (Q * Q)) (ks : list quadratic) : Q * Q * Q * Q :=
  match qs, ks with
  | (x, y) :: qs, (a, b, c) :: ks =>
      let '(p, q, r, t) := factors qs ks in (Qred (x * a + p), Qred (y * a + q), Qred (x * b + r), Qred (y * b + t))
  | _, _ => (0, 0, 0, 0)%Q
  end.
(* The sharpness c, and the place less m. *)
Definition lookup_case (ks : list quadratic) (n i : nat) (b : bool) : option (Q * Z) :=
  option_bind (traverse (query_row n i b) (head_queries a)) (fun qs => option_bind (exact_value (head_temperature a) n
    i) (fun tau => let '(p, q, r, t) := factors qs ks in
    let c := Qopp p in let off := Qred (r / (2 * c)) in
    if negb (Qle_bool tau 0) && is_zero q && negb (Qle_bool c 0) && Qeq_bool t (2 * c) && is_integral off
    then Some (Qred (c / tau), Qnum off) else None)).
Definition cannot_be (n i : nat) (b : bool) : bool := is_built_in f && negb (eqb (truth no_users n no_word f i) b).

(* At each position, where the truth there is 0 and where it is 1. *)
Notation case_pair := (option (Q * Z) * option (Q * Z))%type.
Definition lookup_cases (n : nat) : list case_pair :=
  match traverse (key_parabola n) (head_keys a) with
  | Some ks => let case i b := if cannot_be n i b then None else lookup_case ks n i b in
               map (fun i => (case i false, case i true)) (seq 1 n)
  | None => []
  end.
Definition case_in (l : list case_pair) (i : nat) (b : bool) : option (Q * Z) :=
  let p := nth (i - 1) l (None, None) in if b then snd p else fst p.
Lemma case_in_lookup_cases n i b x : i upto n -> case_in (lookup_cases n) i b = Some x -> exists ks,
  traverse (key_parabola n) (head_keys a) = Some ks /\ lookup_case ks n i b = Some x.
Proof.
  intros Hi. unfold case_in, lookup_cases. destruct (traverse _ _) as [ks|];
    [|destruct (i - 1)%nat; now destruct b]. cbv zeta. intros H. exists ks. split; [reflexivity|].
  set (case := fun j => (if cannot_be n j false then None else lookup_case ks n j false,
    if cannot_be n j true then None else lookup_case ks n j true)) in H.
  rewrite (nth_indep _ _ (case 0%nat)), (map_nth case), seq_nth in H by (rewrite ?length_map, ?length_seq; lia).
  replace (1 + (i - 1))%nat with i in H by lia. unfold case in H.
  destruct b; cbn [fst snd] in H; [destruct (cannot_be n i true)|destruct (cannot_be n i false)]; congruence.
Qed.
End Cases.

(* A head is asked for its error, for what it holds, and for the errors that are stated; and other heads often look the
   same count up in the same way. *)
Definition without_values (a : head) : head := Head Unmasked (head_temperature a) (head_queries a) (head_keys a) [].
Definition known_cases : nat * head * side * formula * list meaning -> list (option (Q * Z) * option (Q * Z)) :=
  memoised (fun '(n, _, _, _, _) => n) (fun '(n, a, s, f, A) => lookup_cases A a s f n).

Section Lookup.
Variables (A : list meaning) (a : head) (values : row) (s : side) (f : formula).
Notation known_row := (known_row A).
Notation key_parabola := (key_parabola A).
Notation query_number := (query_number s f).
Notation query_row := (query_row A s f).
Notation lookup_case := (lookup_case A a s f).
Notation cannot_be := (cannot_be f).
Notation cases n := (known_cases (n, without_values a, s, f, A)).

(* ---- formulas, where b and m are known ---- *)
(* The truth of a formula at a row, for each count z. *)
Inductive row_truth := Told (x : option bool) | ByNumber (k : sum_decision) | NotTold (x : row_truth) | AndTold (x y :
  row_truth)
  | OrTold (x y : row_truth) | IffTold (x y : row_truth).
Fixpoint row_truth_of (n i : nat) (b : bool) (g : formula) : row_truth :=
  if formula_eqb g f then Told (Some b)
  else if is_built_in g then Told (Some (truth no_users n no_word g i))
  else match g with
  | OnCount _ _ _ | Compare _ _ _ => match decision_of (one_count s f) g with Some k => ByNumber k | None =>
    Told None end
  | Not g => NotTold (row_truth_of n i b g)
  | And g h => AndTold (row_truth_of n i b g) (row_truth_of n i b h)
  | Or g h => OrTold (row_truth_of n i b g) (row_truth_of n i b h)
  | Implies g h => OrTold (NotTold (row_truth_of n i b g)) (row_truth_of n i b h)
  | Iff g h => IffTold (row_truth_of n i b g) (row_truth_of n i b h)
  | _ => Told None
  end.
Fixpoint told_truth (n : nat) (z : Z) (x : row_truth) : option bool :=
  match x with
  | Told x => x
  | ByNumber k => truth_from n z z k
  | NotTold x => kleene_not (told_truth n z x)
  | AndTold x y => kleene_and (told_truth n z x) (told_truth n z y)
  | OrTold x y => kleene_or (told_truth n z x) (told_truth n z y)
  | IffTold x y => kleene_iff (told_truth n z x) (told_truth n z y)
  end.
Definition is_on (n : nat) (guard : row_truth) (z : Z) : bool :=
  match told_truth n z guard with Some false => false | _ => true end.
Definition count_in_case (b : bool) (m : nat) : Z := (Z.of_nat m + (if b then 1 else 0))%Z.

(* ---- weights ---- *)
(* e^(-c0 k^2) from above, in multiples of 2^-60. *)
Definition weight_unit : Q := inject_Z (2 ^ weight_bits).
Definition weight_above (c0 : Q) (k : nat) : Z := decay_kept (Qfloor (c0 * integer_of (k * k) * weight_unit)).
Lemma decay_of_floor q x : Q2R q = x -> 0 <= x ->
  exp (- x) <= fixed weight_bits (decay_above weight_bits (Qfloor (q * weight_unit))).
Proof.
  intros V P. pose proof (u_pos weight_bits weight_bits_nonneg) as U. pose proof (Qfloor_le (q * weight_unit)) as F.
  apply Qle_Rle in F. rewrite Q2R_inject_Z, Q2R_mult, V in F. unfold weight_unit in *. rewrite Q2R_inject_Z in F.
  assert (N : (0 <= Qfloor (q * inject_Z (2 ^ weight_bits)))%Z).
  { apply (Qfloor_resp_le 0). apply Rle_Qle. rewrite Q2R_mult, Q2R_inject_Z, V, Q2R_0. apply Rmult_le_pos; lra. }
  eapply Rle_trans; [|apply (decay_above_correct weight_bits weight_bits_nonneg _ N)].
  apply exp_monotone, Ropp_le_contravar. unfold fixed. apply Rmult_le_reg_r with (IZR (2 ^ weight_bits)); [exact U|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. exact F.
Qed.
Definition weight_table_length : nat := 16.
Definition weight_table (c0 : Q) : list Z := map (weight_above c0) (seq 0 weight_table_length).
Definition weight_far (c0 : Q) : Z := weight_above c0 weight_table_length.

Section Near.
Variables (table : list Z) (far : Z).
Definition bad_cost (p : nat) (t : Q) (j : nat) (v : Q) : Z := if Qeq_bool v t then 0 else nth (index_distance j p)
  table far.
Fixpoint bad_sum (p : nat) (t : Q) (j : nat) (vs : list Q) : Z :=
  match vs with [] => 0 | v :: vs => bad_cost p t j v + bad_sum p t (S j) vs end.
(* The truth that is read at p, if the others do not disturb it. *)
Local Definition reads (vs : list Q) (p : nat) : option bool :=
  let fine b := Qeq_bool (nth (p - 1) vs (-1)%Q) (bool_rational b) &&
    (3 * bad_sum p (bool_rational b) 1 vs <=? fixed_unit weight_bits)%Z in
  if fine true then Some true else if fine false then Some false else None.
End Near.

Definition sees_place (n i : nat) (p : Z) : bool :=
  (1 <=? p)%Z && (p <=? Z.of_nat n)%Z && mask_at (head_masking a) i (Z.to_nat p).

Definition check_near_row (c0 : Q) (known : list (option (Q * Z) * option (Q * Z))) (read : list (option bool))
    (chi guard : formula) (n i : nat) (b : bool) : bool :=
  let ms := seq 0 (span s n i) in
  let by_guard := row_truth_of n i b guard in let by_chi := row_truth_of n i b chi in
  let on m := is_on n by_guard (count_in_case b m) in
  if cannot_be n i b then true else if forallb (fun m => negb (on m)) ms then true else
  match case_in known i b with
  | Some (c, off) => Qle_bool c0 c && forallb (fun m => if on m then
      let p := (Z.of_nat m + off)%Z in
      sees_place n i p && match told_truth n (count_in_case b m) by_chi, nth (Z.to_nat p - 1) read None with
        | Some t, Some u => eqb t u | _, _ => false end
      else true) ms
  | None => false
  end.
Definition check_near_length (c0 : Q) (table : list Z) (chi guard : formula) (n : nat) : bool :=
  match traverse (known_row values n) (seq 1 n) with
  | Some vs =>
      forallb (fun v => Qle_bool 0 v && Qle_bool v 1) vs
      && (let read := map (reads table (weight_far c0) vs) (seq 1 n) in let known := cases n in
          forallb (fun i => forallb (check_near_row c0 known read chi guard n i) all_bools) (seq 1 n))
  | None => false
  end.

(* ---- others ---- *)
(* What all values of length n are less than their positions. *)
Definition value_shift (n : nat) : option Z :=
  option_bind (known_row values n 1) (fun v => let off := Qred (1 - v) in
    if is_integral off && forallb (fun j => match known_row values n j with
         | Some v => Qeq_bool v (integer_of j - inject_Z (Qnum off)) | None => false end) (seq 1 n)
    then Some (Qnum off) else None).
Definition sees_up_to (n i : nat) : nat := match head_masking a with FutureMasked => i | _ => n end.
Definition check_others_row (c0 : Q) (known : list (option (Q * Z) * option (Q * Z))) (shift : Z) (n i : nat) (b : bool)
  : bool :=
  if cannot_be n i b then true else
  match case_in known i b with
  | Some (c, off) => Qle_bool c0 c && (off =? shift)%Z && (1 <=? off)%Z
      && (Z.of_nat (span s n i - 1) + off <=? Z.of_nat (sees_up_to n i))%Z
  | None => false
  end.
Definition check_others_length (c0 : Q) (n : nat) : bool :=
  match value_shift n with
  | Some shift => let known := cases n in
                  forallb (fun i => forallb (check_others_row c0 known shift n i) all_bools) (seq 1 n)
  | None => false
  end.

(* The least sharpness of all rows. *)
Definition lesser_bound (x : option Q) (y : Q) : option Q :=
  match x with Some x => Some (if Qle_bool x y then x else y) | None => Some y end.
Definition lesser_case (x : option Q) (y : option (Q * Z)) : option Q :=
  match y with Some (c, _) => lesser_bound x c | None => x end.
Definition least_sharpness (lengths : list nat) : option Q :=
  fold_left (fun x n => fold_left (fun x p => lesser_case (lesser_case x (snd p)) (fst p)) (cases n) x) lengths None.

(* The error of Lemma 7 at N positions: sums of weights and of their multiples, in multiples of 2^-60. *)
Definition weight_sum (c0 : Q) (N : nat) : Z := fold_right (fun k x => weight_above c0 k + x)%Z 0%Z (seq 1 (N - 1)).
Definition moment_sum (c0 : Q) (N : nat) : Z :=
  fold_right (fun k x => Z.of_nat k * weight_above c0 k + x)%Z 0%Z (seq 1 (N - 1)).
Definition mean_error_at (c0 : Q) (N : nat) : Q :=
  Qred (inject_Z (moment_sum c0 N) / inject_Z (2 ^ weight_bits + weight_sum c0 N)).
Definition within_error_at (c0 e : Q) (N : nat) : bool :=
  Qle_bool e 1 && Qle_bool (inject_Z (moment_sum c0 N)) (e * inject_Z (2 ^ weight_bits + weight_sum c0 N)).

(* ---- soundness ---- *)
Section Position.
Variables (users : predicate_meanings) (n : nat) (w : word) (i : position n) (h : nat -> vector).
Hypothesis HA : holds_of users n w A h.
Notation tr := (truth users n w).
Notation m := (others_on s n (tr f) i).
Notation b := (tr f i).

Lemma integer_of_value k : Q2R (integer_of k) = INR k.
Proof. unfold integer_of. now rewrite Q2R_inject_Z, <- INR_IZR_INZ. Qed.

Lemma known_row_correct r j : j upto n -> forall q, known_row r n j = Some q -> linear r (h j) = Q2R q.
Proof.
  intros Hj. induction r as [|[d q] r IH]; intros x H; cbn [known_row linear] in *; [take H; now rewrite Q2R_0|].
  unfold option_bind in H. destruct (known_number _ n j) as [y|] eqn:K; [|discriminate].
  destruct (known_row r n j) as [z|]; [|discriminate]. take H.
  rewrite (known_number_correct users n w j _ _ y (HA j d Hj) K), (IH z eq_refl), Q2R_reduced, Q2R_plus, Q2R_mult.
  reflexivity.
Qed.

Lemma key_parabola_correct r x y z j : key_parabola n r = Some (x, y, z) -> j upto n ->
  linear r (h j) = Q2R x * INR j * INR j + Q2R y * INR j + Q2R z.
Proof.
  unfold key_parabola, option_bind. intros H Hj. destruct (known_row r n 1) as [u|]; [|discriminate].
  destruct (known_row r n 2) as [v|]; [|discriminate]. destruct (known_row r n 3) as [t|]; [|discriminate].
  cbv zeta in H. set (k := fitted u v t) in *. destruct (forallb _ _) eqn:F; [|discriminate]. apply some_inj in H.
  rewrite forallb_forall in F. specialize (F j ltac:(apply in_seq; lia)).
  destruct (known_row r n j) as [q|] eqn:K; [|discriminate]. rewrite (known_row_correct r j Hj q K).
  apply Qeq_bool_R in F. rewrite F, H. cbn [parabola_at]. rewrite !Q2R_plus, !Q2R_mult, integer_of_value. reflexivity.
Qed.

Lemma query_number_correct x v p q : meaning_holds users n w i x v -> query_number n i b x = Some (p, q) ->
  v = Q2R p + Q2R q * INR m.
Proof.
  intros M H. unfold query_number in H. destruct (known_number x n i) as [y|] eqn:K.
  - assert (y = p /\ 0%Q = q) as [-> <-] by (split; congruence).
    rewrite (known_number_correct users n w i _ _ p M K), Q2R_0. ring.
  - destruct x as [e|g|g|g k|e g|t g|u|t g|t g e|]; try discriminate.
    + destruct (formula_eqb g f) eqn:E; [|discriminate]. apply formula_eqb_eq in E. subst g.
      assert (bool_rational b = p /\ 0%Q = q) as [<- <-] by (split; congruence). simpl in M.
      rewrite M, number_of_value, Q2R_0. ring.
    + destruct (formula_eqb g f) eqn:E; [|discriminate]. apply formula_eqb_eq in E. subst g. simpl in M.
      destruct b eqn:B.
      * pose proof (exact_correct e n i) as X. destruct (exact_value e n i) as [y|]; [|discriminate].
        cbn [option_map] in H. assert (y = p /\ 0%Q = q) as [-> <-] by (split; congruence).
        rewrite M, (proj1 (X p eq_refl)), Q2R_0. simpl.
          ring.
      * assert (0%Q = p /\ 0%Q = q) as [<- <-] by (split; congruence). rewrite M, Q2R_0. simpl. ring.
    + destruct (side_eqb t s && formula_eqb g f) eqn:E; [|discriminate]. apply andb_prop in E as [E1 E2].
      apply side_eqb_eq in E1. apply formula_eqb_eq in E2. subst t g. cbv zeta in H. simpl in M.
      set (l := integer_of (span s n i)) in *.
      assert ((bool_rational b / l)%Q = p /\ (/ l)%Q = q) as [<- <-] by (split; congruence).
      pose proof (INR_at_least_1 _ (proj1 (span_range s n i))) as P.
        assert (Lv : Q2R l = INR (span s n i)) by apply integer_of_value.
      assert (Nz : ~ (l == 0)%Q) by (intros Z; apply Qeq_eqR in Z; rewrite Q2R_0 in Z; lra).
      rewrite M, (counted_others s n (tr f) i), Q2R_div, Q2R_inv, number_of_value, Lv by exact Nz. field. lra.
Qed.

Lemma query_row_correct r : forall p q, query_row n i b r = Some (p, q) -> linear r (h i) = Q2R p + Q2R q * INR m.
Proof.
  induction r as [|[d c] r IH]; intros p q H; cbn [query_row linear] in *.
  - assert (0%Q = p /\ 0%Q = q) as [<- <-] by (split; congruence). rewrite Q2R_0. ring.
  - unfold option_bind in H. destruct (query_number _ _ _ _) as [[x y]|] eqn:K; [|discriminate].
    destruct (query_row n i b r) as [[z t]|]; [|discriminate]. cbn [fst snd] in H.
    assert (Qred (c * x + z) = p /\ Qred (c * y + t) = q) as [<- <-] by (split; congruence).
    rewrite (query_number_correct _ _ x y (HA i d (in_word i)) K), (IH z t eq_refl). rationals. ring.
Qed.

Lemma factors_correct rows : forall keys qs ks, traverse (query_row n i b) rows = Some qs ->
  traverse (key_parabola n) keys = Some ks -> forall p q r t, factors qs ks = (p, q, r, t) -> exists e, each j upto n,
  dot_product rows keys (h i) (h j) = (Q2R p + Q2R q * INR m) * INR j * INR j + (Q2R r + Q2R t * INR m) * INR j + e.
Proof.
  induction rows as [|row rows IH]; intros keys qs ks Q K p q r t F; cbn [traverse] in Q.
  - take Q. cbn [factors] in F. injection F as <- <- <- <-. exists 0. intros j _. cbn [dot_product]. rewrite Q2R_0.
    ring.
  - destruct (query_row n i b row) as [[x y]|] eqn:Er; [|discriminate].
    destruct (traverse (query_row n i b) rows) as [qs'|] eqn:Qs; [|discriminate]. take Q.
    destruct keys as [|key keys]; cbn [traverse] in K.
    + take K. cbn [factors] in F. injection F as <- <- <- <-. exists 0. intros j _. cbn [dot_product]. rewrite Q2R_0.
      ring.
    + destruct (key_parabola n key) as [[[u v] c]|] eqn:Ek; [|discriminate].
      destruct (traverse (key_parabola n) keys) as [ks'|] eqn:Ks; [|discriminate]. take K. cbn [factors] in F.
      destruct (factors qs' ks') as [[[p' q'] r'] t'] eqn:F'.
      assert (Qred (x * u + p') = p /\ Qred (y * u + q') = q /\ Qred (x * v + r') = r /\ Qred (y * v + t') = t)
        as (<- & <- & <- & <-) by (repeat split; congruence). clear F.
      destruct (IH keys qs' ks' eq_refl Ks p' q' r' t' F') as (e & He).
      exists ((Q2R x + Q2R y * INR m) * Q2R c + e). intros j Hj. cbn [dot_product].
      rewrite (He j Hj), (query_row_correct row x y Er), (key_parabola_correct key u v c j Ek Hj). rationals. ring.
Qed.

Lemma not_below q : Qle_bool q 0 = false -> 0 < Q2R q.
Proof.
  intros H. destruct (Rlt_le_dec 0 (Q2R q)) as [L|L]; [exact L|]. exfalso.
  assert (T : (q <= 0)%Q) by (apply Rle_Qle; rewrite Q2R_0; exact L). apply Qle_bool_iff in T. congruence.
Qed.

Lemma lookup_case_correct ks c off : traverse (key_parabola n) (head_keys a) = Some ks ->
  lookup_case ks n i b = Some (c, off) -> 0 < Q2R c /\ exists e, each j upto n,
  scaled_score a n h i j = Q2R c * (2 * (INR m + IZR off) * INR j - INR j * INR j) + e.
Proof.
  intros K H. unfold lookup_case, option_bind in H.
  destruct (traverse _ (head_queries a)) as [qs|] eqn:Q; [|discriminate].
  pose proof (exact_correct (head_temperature a) n i) as X. destruct (exact_value _ n i) as [tau|]; [|discriminate].
  specialize (proj1 (X tau eq_refl)) as Xt. clear X. rename Xt into X. destruct (factors qs ks) as [[[p q] r] t] eqn:F.
  cbv zeta in H. destruct (Qle_bool tau 0) eqn:T0; [discriminate|]. destruct (is_zero q) eqn:Q0; [|discriminate].
  destruct (Qle_bool (- p) 0) eqn:C0; [discriminate|]. destruct (Qeq_bool t (2 * - p)) eqn:T1; [|discriminate].
  destruct (is_integral _) eqn:I1; [|discriminate]. cbn [negb andb] in H.
  assert (Qred (- p / tau) = c /\ Qnum (Qred (r / (2 * - p))) = off) as [<- <-] by (split; congruence).
  apply not_below in T0, C0. apply Qeq_bool_R in Q0, T1. rewrite Q2R_0 in Q0. apply integer_value_of in I1.
  assert (N1 : ~ (tau == 0)%Q) by (intros Z; apply Qeq_eqR in Z; rewrite Q2R_0 in Z; lra).
  assert (N2 : ~ (2 * - p == 0)%Q) by (intros Z; apply Qeq_eqR in Z; revert Z C0; rationals; intros; lra).
  assert (P : Q2R (- p) = - Q2R p) by apply Q2R_opp. rewrite P in C0.
  assert (Two : Q2R (2 * - p) = 2 * - Q2R p) by (rewrite Q2R_mult, P; f_equal; unfold Q2R; simpl; lra).
  rewrite <- I1, !Q2R_reduced, !Q2R_div, P, Two by assumption. assert (Tv : Q2R t = 2 * - Q2R p) by now rewrite T1.
  destruct (factors_correct _ _ qs ks Q K p q r t F) as (e & E). split.
  - apply Rmult_lt_0_compat; [exact C0|now apply Rinv_0_lt_compat].
  - exists (e / Q2R tau). intros j Hj. unfold scaled_score. rewrite (E j Hj), X, Q0, Tv. field. lra.
Qed.

Lemma known_case_correct c off : case_in (cases n) i b = Some (c, off) -> 0 < Q2R c /\ exists e, each j upto n,
  scaled_score a n h i j = Q2R c * (2 * (INR m + IZR off) * INR j - INR j * INR j) + e.
Proof.
  intros H. destruct (case_in_lookup_cases A (without_values a) s f n i b _ (in_word i) H) as (ks & K & C).
  exact (lookup_case_correct ks c off K C).
Qed.

Notation told_here g := (told_truth n (count_in_case b m) (row_truth_of n i b g)).
Lemma foretold_correct g : forall x, told_truth n (count_in_case b m) (row_truth_of n i b g) = Some x -> tr g i = x.
Proof.
  assert (V : combination_value (count_value users n w i) (one_count s f) = IZR (count_in_case b m)).
  { rewrite one_count_value, (counted_others s n (tr f) i). unfold count_in_case. rewrite plus_IZR, <- INR_IZR_INZ.
    destruct b; simpl; ring. }
  assert (D : forall g x, told_truth n (count_in_case b m) match decision_of (one_count s f) g with
    | Some k => ByNumber k | None => Told None end = Some x -> tr g i = x).
  { intros g' x H. destruct (decision_of _ g') as [k|] eqn:E; [|discriminate].
    exact (truth_from_correct users n w i _ n g' k _ _ _ x V (conj (Z.le_refl _) (Z.le_refl _)) (or_introl eq_refl) E
      H). }
  induction g; intros x H; cbn [row_truth_of] in H; (match type of H with told_truth _ _ (if formula_eqb ?g f then _
    else _) = _ => destruct (formula_eqb g f) eqn:E; [apply formula_eqb_eq in E; rewrite E;
    now apply some_inj in H|clear E] end); (match type of H with told_truth _ _ (if is_built_in ?g then _ else _) = _ =>
    destruct (is_built_in g) eqn:E; [apply some_inj in H; rewrite (built_in_truth users n w g i E);
    exact H|clear E] end); try discriminate; try (now apply D); cbn [told_truth] in H. all: by_parts H.
Qed.

Lemma on_where_guarded guard : tr guard i = true -> is_on n (row_truth_of n i b guard) (count_in_case b m) = true.
Proof.
  intros G. unfold is_on. pose proof (foretold_correct guard) as T.
  destruct (told_truth n _ (row_truth_of n i b guard)) as [[]|]; try reflexivity. rewrite (T false eq_refl) in G.
  discriminate.
Qed.

(* ---- weights ---- *)
Notation share := (fixed weight_bits).
Lemma weight_above_correct c0 k : 0 <= Q2R c0 -> exp (- (Q2R c0 * INR (k * k))) <= share (weight_above c0 k).
Proof.
  intros C. apply (decay_of_floor (c0 * integer_of (k * k))).
  - rewrite Q2R_mult, integer_of_value. reflexivity.
  - apply Rmult_le_pos; [exact C|apply pos_INR].
Qed.
Lemma nth_weight c0 k : 0 <= Q2R c0 -> exp (- (Q2R c0 * INR (k * k))) <=
  share (nth k (weight_table c0) (weight_far c0)).
Proof.
  intros C. unfold weight_table, weight_far. destruct (Nat.lt_ge_cases k weight_table_length) as [L|L].
  - rewrite (nth_indep _ _ (weight_above c0 0)) by (now rewrite length_map, length_seq).
    rewrite map_nth, seq_nth by exact L. now apply weight_above_correct.
  - rewrite nth_overflow by (now rewrite length_map, length_seq). eapply Rle_trans; [|now apply weight_above_correct].
    apply exp_monotone, Ropp_le_contravar, Rmult_le_compat_l; [exact C|]. apply le_INR, Nat.mul_le_mono; exact L.
Qed.

Lemma bad_sum_value table far p t vs : forall j, sum_to (length vs) (fun k => share (bad_cost table far p t (j + k - 1)
  (nth (k - 1) vs 0%Q))) = share (bad_sum table far p t j vs).
Proof.
  induction vs as [|v vs IH]; intros j; [simpl; now rewrite fixed_0|].
  change (length (v :: vs)) with (1 + length vs)%nat. rewrite sum_cut. cbn [bad_sum].
  rewrite fixed_plus, <- (IH (S j)). f_equal.
  - cbn [sum_to]. rewrite Rplus_0_l. replace (j + 1 - 1)%nat with j by lia. reflexivity.
  - apply sum_ext. intros k Hk. replace (j + (1 + k) - 1)%nat with (S j + k - 1)%nat by lia.
    destruct k as [|k]; [lia|]. replace (1 + S k - 1)%nat with (S k) by lia. now replace (S k - 1)%nat with k by lia.
Qed.

(* What is bad at a row, where position j weighs at most so much of what the place does. *)
Lemma bad_sum_bound M sc v table far p t vs : visible n M p -> length vs = n ->
  (each j upto n, v j = Q2R (nth (j - 1) vs 0%Q)) -> (forall k, 0 <= share (nth k table far)) ->
  (each j upto n, exp (sc j) <= exp (sc p) * share (nth (index_distance j p) table far)) ->
  sum_to n (bad_weight M sc v (bit t)) <= weight M sc p * share (bad_sum table far p (bool_rational t) 1 vs).
Proof.
  intros [Hp Mp] Ln Value Nz W. rewrite <- (bad_sum_value table far p (bool_rational t) vs 1), Ln, <- sum_scale.
  apply sum_le. intros j Hj. replace (1 + j - 1)%nat with j by lia. pose proof (weight_nonneg M sc p) as W0.
  unfold bad_weight, bad_cost. destruct (Qeq_bool (nth (j - 1) vs 0%Q) (bool_rational t)) eqn:Q.
  - rewrite fixed_0, Rmult_0_r. destruct (Req_EM_T _ _) as [|E]; [lra|]. exfalso. apply E.
    rewrite (Value j Hj). apply Qeq_bool_R in Q. now rewrite Q, number_of_value.
  - destruct (Req_EM_T _ _); [now apply Rmult_le_pos|]. unfold weight at 1. destruct (M j); [|now apply Rmult_le_pos].
    unfold weight. rewrite Mp. now apply W.
Qed.

(* A position at distance k weighs e^(-c k^2) times as much as the place. *)
Lemma score_apart g p j e x : x = g * (2 * INR p * INR j - INR j * INR j) + e ->
  exp x = exp (g * (2 * INR p * INR p - INR p * INR p) + e) * exp (- (g * INR (index_distance j p * index_distance j
    p))).
Proof.
  intros ->. rewrite <- exp_plus. f_equal. rewrite mult_INR. unfold index_distance. destruct (Nat.le_ge_cases j p)
    as [L|L].
  - replace (j - p + (p - j))%nat with (p - j)%nat by lia. rewrite minus_INR by exact L. ring.
  - replace (j - p + (p - j))%nat with (j - p)%nat by lia. rewrite minus_INR by exact L. ring.
Qed.

Lemma others_listed : In m (seq 0 (span s n i)). Proof. apply in_seq. pose proof (others_bound s n (tr f) i). lia. Qed.
Lemma real_can_be : cannot_be n i b = false.
Proof.
  unfold cannot_be. destruct (is_built_in f) eqn:B; [|reflexivity].
  rewrite (built_in_truth users n w f i B). now destruct (truth no_users n no_word f i).
Qed.

(* A place reads the value at its position, and bad positions have little weight. *)
Lemma reads_right table far vs p t : p upto length vs -> reads table far vs p = Some t ->
  Q2R (nth (p - 1) vs 0%Q) = bit t /\ (3 * bad_sum table far p (bool_rational t) 1 vs <= fixed_unit weight_bits)%Z.
Proof.
  intros Hp Rp. unfold reads in Rp. cbv zeta in Rp. rewrite (nth_indep _ 0%Q (-1)%Q) by lia.
  destruct (Qeq_bool (nth (p - 1) vs (-1)%Q) (bool_rational true) && _) eqn:F1.
  - assert (t = true) as -> by congruence. apply andb_prop in F1 as [F1 F2]. apply Qeq_bool_R in F1.
    apply Z.leb_le in F2. now rewrite F1, number_of_value.
  - destruct (Qeq_bool (nth (p - 1) vs (-1)%Q) (bool_rational false) && _) eqn:F2; [|discriminate].
    assert (t = false) as -> by congruence. apply andb_prop in F2 as [F2 F3]. apply Qeq_bool_R in F2.
    apply Z.leb_le in F3. now rewrite F2, number_of_value.
Qed.

Lemma known_values vs : traverse (known_row values n) (seq 1 n) = Some vs ->
  each j upto n, linear values (h j) = Q2R (nth (j - 1) vs 0%Q).
Proof.
  intros Vs j Hj. destruct (traverse_nth _ _ _ (j - 1) j Vs) as (y & N & K).
  - rewrite (nth_error_nth' _ 0%nat) by (rewrite length_seq; lia). rewrite seq_nth by lia. f_equal. lia.
  - rewrite (known_row_correct _ j Hj y K). f_equal. symmetry. now apply nth_error_nth.
Qed.

Lemma read_at_position table far vs p t : p upto n ->
  nth (p - 1) (map (reads table far vs) (seq 1 n)) None = Some t -> reads table far vs p = Some t.
Proof.
  intros Hp H. rewrite (nth_indep _ None (reads table far vs 0)) in H by (rewrite length_map, length_seq; lia).
  rewrite (map_nth (reads table far vs)), seq_nth in H by lia. now replace (1 + (p - 1))%nat with p in H by lia.
Qed.

(* The position that the row looks for, its score, and what stands there. *)
Notation found c p e := (visible n (mask_at (head_masking a) i) p /\ each j upto n,
  scaled_score a n h i j = Q2R c * (2 * INR p * INR j - INR j * INR j) + e).
Notation in_range := (forall j, visible n (mask_at (head_masking a) i) j -> 0 <= linear values (h j) <= 1).
Lemma near_length_range c0 table chi guard : check_near_length c0 table chi guard n = true -> in_range.
Proof.
  intros H j [Hj _]. unfold check_near_length in H.
  destruct (traverse (known_row values n) (seq 1 n)) as [vs|] eqn:Vs; [|discriminate].
  apply andb_prop in H as [Range _]. rewrite forallb_forall in Range.
  assert (Ln : length vs = n) by (rewrite (traverse_length _ _ _ Vs); apply length_seq).
  rewrite (known_values vs Vs j Hj). specialize (Range (nth (j - 1) vs 0%Q) ltac:(apply nth_In; lia)).
  apply andb_prop in Range as [R1 R2]. apply Qle_bool_R in R1, R2. rewrite Q2R_0 in R1. rewrite Q2R_1 in R2. lra.
Qed.
Lemma near_length_found c0 table chi guard : check_near_length c0 table chi guard n = true -> tr guard i = true ->
  exists vs c p e, length vs = n /\ (each j upto n, linear values (h j) = Q2R (nth (j - 1) vs 0%Q)) /\
    Q2R c0 <= Q2R c /\ found c p e /\ reads table (weight_far c0) vs p = Some (tr chi i).
Proof.
  intros H G. unfold check_near_length in H.
  destruct (traverse (known_row values n) (seq 1 n)) as [vs|] eqn:Vs; [|discriminate]. apply andb_prop in H as [_ H].
  cbv zeta in H. assert (Ln : length vs = n) by (rewrite (traverse_length _ _ _ Vs); apply length_seq).
  rewrite forallb_forall in H. specialize (H i ltac:(apply in_seq; lia)). rewrite forallb_forall in H.
  specialize (H b (bool_listed b)). unfold check_near_row in H. cbv zeta in H. rewrite real_can_be in H.
  pose proof (on_where_guarded guard G) as On. destruct (forallb (fun m => negb _) _) eqn:Off.
  { exfalso. rewrite forallb_forall in Off. specialize (Off m others_listed). rewrite On in Off. discriminate. }
  destruct (case_in _ i b) as [[c off]|] eqn:Case; [|discriminate]. apply andb_prop in H as [Cc H].
  rewrite forallb_forall in H. specialize (H m others_listed). rewrite On in H. apply andb_prop in H as [Sees Read].
  destruct (told_truth n _ (row_truth_of n i b chi)) as [t|] eqn:T; [|discriminate]. rewrite (foretold_correct chi t T).
  apply Qle_bool_R in Cc. destruct (known_case_correct c off Case) as (Cp & e & Score).
  set (pz := (Z.of_nat m + off)%Z) in *. unfold sees_place in Sees. apply andb_prop in Sees as [Sees Mp].
  apply andb_prop in Sees as [P1 P2]. apply Z.leb_le in P1, P2. set (p := Z.to_nat pz) in *.
  assert (Hp : p upto n) by (unfold p; lia). assert (Pv : INR m + IZR off = INR p).
  { unfold p. rewrite (INR_IZR_INZ (Z.to_nat pz)), Z2Nat.id by lia. unfold pz. now rewrite plus_IZR, <- INR_IZR_INZ. }
  rewrite Pv in Score. destruct (nth (p - 1) _ None) as [u|] eqn:Rd; [|discriminate]. apply eqb_prop in Read. subst u.
  apply (read_at_position _ _ _ _ _ Hp) in Rd. rename Rd into Rp. exists vs, c, p, e. split; [exact Ln|].
  split; [exact (known_values vs Vs)|]. split; [exact Cc|]. split; [|exact Rp].
  split; [split; [exact Hp|exact Mp]|exact Score].
Qed.

Theorem check_near_length_correct c0 chi guard : 0 < Q2R c0 -> check_near_length c0 (weight_table c0) chi guard n
  = true -> meaning_holds users n w i (IsNear chi guard) (softmax_value a n h i values).
Proof.
  intros C0 H. pose proof (near_length_range _ _ _ _ H) as In01.
  assert (R : 0 <= softmax_value a n h i values <= 1) by (apply (attend_range n _ _ _ i (self_visible n a i)); exact
    In01).
  split; [exact R|]. intros G.
  destruct (near_length_found _ _ _ _ H G) as (vs & c & p & e & Ln & Value & Cc & [[Hp Mp] Score] & Rp).
  assert (Pvs : p upto length vs) by lia. destruct (reads_right _ _ _ _ _ Pvs Rp) as [Vp Sum].
  set (t := tr chi i) in *. set (table := weight_table c0) in *. set (far := weight_far c0) in *.
  set (S := bad_sum table far p (bool_rational t) 1 vs) in *. apply (near_from_error _ (1 / 4)); [|lra|exact R].
  unfold softmax_value. apply (gap_rule_quarter n _ _ _ (bit t) p (share S)).
  - split; [exact Hp|exact Mp].
  - apply bit_range.
  - exact In01.
  - rewrite (Value p Hp). exact Vp.
  - apply bad_sum_bound; [now split|exact Ln|exact Value| |].
    + intros k. eapply Rle_trans; [apply exp_nonneg|apply nth_weight; lra].
    + intros j Hj. rewrite (score_apart (Q2R c) p j e _ (Score j Hj)), (Score p Hp).
      apply Rmult_le_compat_l; [apply exp_nonneg|]. eapply Rle_trans; [|apply nth_weight; lra].
      apply exp_monotone, Ropp_le_contravar, Rmult_le_compat_r; [apply pos_INR|lra].
  - rewrite <- (fixed_one weight_bits weight_bits_nonneg). replace 3 with (IZR 3) by reflexivity.
    rewrite <- fixed_times. now apply fixed_le; [apply weight_bits_nonneg|].
Qed.

(* ---- others ---- *)
Lemma attend_plain N g p e x (off : R) : (1 <= N)%nat -> (each j upto N, x j = lookup_score g p j + e) ->
  attend N no_mask x (fun j => INR j - off) = attend N no_mask (lookup_score g p) INR - off.
Proof.
  intros HN E. assert (V : visible N no_mask N) by (split; [lia|reflexivity]).
  assert (W : each j upto N, weight no_mask x j = exp e * weight no_mask (lookup_score g p) j).
  { intros j Hj. unfold weight, no_mask. rewrite (E j Hj), exp_plus. ring. }
  assert (S : each j upto N, softmax N no_mask x j = softmax N no_mask (lookup_score g p) j).
  { intros j Hj. unfold softmax. rewrite (sum_ext N _ _ W), sum_scale, (W j Hj).
    pose proof (total_pos N no_mask (lookup_score g p) N V). pose proof (exp_pos e). field. split; lra. }
  transitivity (attend N no_mask (lookup_score g p) INR - sum_to N (softmax N no_mask (lookup_score g p)) * off);
    [|rewrite (softmax_total N no_mask (lookup_score g p) N V); ring].
  unfold attend. rewrite <- sum_scale_r, <- sum_minus. apply sum_ext. intros j Hj. rewrite (S j Hj). ring.
Qed.

Definition weight_total (c0 : Q) (K : nat) : R := sum_to K (fun k => share (weight_above c0 k)).
Definition moment_total (c0 : Q) (K : nat) : R := sum_to K (fun k => INR k * share (weight_above c0 k)).
Lemma seq_sum (F : nat -> Z) k : forall st, share (fold_right (fun j x => F j + x)%Z 0%Z (seq st k))
  = sum_to k (fun j => share (F (st + j - 1)%nat)).
Proof.
  induction k as [|k IH]; intros st; [simpl; apply fixed_0|]. cbn [seq fold_right]. rewrite fixed_plus, (IH (S st)).
  change (S k) with (1 + k)%nat. rewrite sum_cut. cbn [sum_to]. rewrite Rplus_0_l. f_equal.
  - now replace (st + 1 - 1)%nat with st by lia.
  - apply sum_ext. intros j Hj. f_equal. f_equal. lia.
Qed.
Lemma weight_sum_value c0 N : share (weight_sum c0 N) = weight_total c0 (N - 1).
Proof. unfold weight_sum. rewrite seq_sum. apply sum_ext. intros j Hj. now replace (1 + j - 1)%nat with j by lia. Qed.
Lemma moment_sum_value c0 N : share (moment_sum c0 N) = moment_total c0 (N - 1).
Proof.
  unfold moment_sum. rewrite seq_sum. apply sum_ext. intros j Hj. replace (1 + j - 1)%nat with j by lia.
  now rewrite fixed_times, <- INR_IZR_INZ.
Qed.

Lemma within_error_at_correct c0 c e N K : 0 < Q2R c0 <= Q2R c -> within_error_at c0 e N = true -> (K <= N - 1)%nat ->
  gaussian_moment (exp (- Q2R c)) K / (1 + mass (exp (- Q2R c)) K) <= Q2R e.
Proof.
  intros C H HK. unfold within_error_at in H. apply andb_prop in H as [E1 H]. apply Qle_bool_R in E1, H.
  rewrite Q2R_1 in E1. rewrite Q2R_mult, !Q2R_inject_Z in H. pose proof (u_pos weight_bits weight_bits_nonneg) as U.
  assert (M : moment_total c0 (N - 1) <= Q2R e * (1 + weight_total c0 (N - 1))).
  { rewrite <- weight_sum_value, <- moment_sum_value. unfold fixed.
    apply Rmult_le_reg_r with (IZR (2 ^ weight_bits)); [exact U|].
    rewrite plus_IZR in H. set (u := IZR (2 ^ weight_bits)) in *.
    replace (IZR (moment_sum c0 N) / u * u) with (IZR (moment_sum c0 N)) by (field; lra).
    replace (Q2R e * (1 + IZR (weight_sum c0 N) / u) * u) with (Q2R e * (u + IZR (weight_sum c0 N))) by (field; lra).
      exact H. }
  set (q := exp (- Q2R c)). assert (Hq : 0 < q < 1) by (apply exp_negative_below_1; lra).
  eapply Rle_trans; [exact (mean_grows q Hq K (N - 1) HK)|]. pose proof (gaussian_mass_nonneg q Hq (N - 1)) as Mn.
  apply Rmult_le_reg_r with (1 + mass q (N - 1)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    rewrite Rmult_1_r.
  cut (gaussian_moment q (N - 1) - Q2R e * mass q (N - 1) <= moment_total c0 (N - 1) - Q2R e * weight_total c0 (N - 1));
    [lra|]. unfold gaussian_moment, gaussian_mass, moment_total, weight_total. rewrite <- !sum_scale, <- !sum_minus.
  apply sum_le. intros k Hk. pose proof (INR_at_least_1 k ltac:(lia)) as Kp. rewrite <- !Rmult_minus_distr_r.
  apply Rmult_le_compat_l; [lra|]. eapply Rle_trans; [|apply weight_above_correct; lra]. unfold gaussian_term, q.
  rewrite exp_power. apply exp_monotone. rewrite Rmult_comm.
  apply Ropp_le_contravar, Rmult_le_compat_r; [apply pos_INR|lra].
Qed.

Lemma others_length_found c0 : masking_eqb (head_masking a) PastMasked = false -> check_others_length c0 n = true ->
  exists shift c p e, Q2R c0 <= Q2R c /\ 0 < Q2R c /\ INR m + IZR shift = INR p /\ p upto sees_up_to n i /\
    (each j upto n, linear values (h j) = INR j - IZR shift) /\ found c p e.
Proof.
  intros Mask H. unfold check_others_length in H. destruct (value_shift n) as [shift|] eqn:Sh; [|discriminate].
  cbv zeta in H. rewrite forallb_forall in H. specialize (H i ltac:(apply in_seq; lia)). rewrite forallb_forall in H.
  specialize (H b (bool_listed b)). unfold check_others_row in H. rewrite real_can_be in H.
  destruct (case_in _ i b) as [[c off]|] eqn:Case; [|discriminate]. apply andb_prop in H as [H Fit].
  apply andb_prop in H as [H O1]. apply andb_prop in H as [Cc Eo]. apply Z.eqb_eq in Eo. subst off.
  apply Z.leb_le in O1, Fit. apply Qle_bool_R in Cc. destruct (known_case_correct c shift Case) as (Cp & e0 & Score).
  pose proof (others_bound s n (tr f) i) as Bound. set (p := (m + Z.to_nat shift)%nat).
  assert (Hp : p upto sees_up_to n i) by (unfold p; lia).
  assert (HW : (sees_up_to n i <= n)%nat) by (unfold sees_up_to; destruct (head_masking a); lia).
  assert (Pv : INR m + IZR shift = INR p).
  { unfold p. now rewrite plus_INR, (INR_IZR_INZ (Z.to_nat shift)), Z2Nat.id by lia. }
  rewrite Pv in Score. exists shift, c, p, e0. repeat split; auto; try lia.
  - intros j Hj. unfold value_shift, option_bind in Sh. destruct (known_row values n 1) as [v|]; [|discriminate].
    cbv zeta in Sh. destruct (is_integral _ && _) eqn:F; [|discriminate]. apply some_inj in Sh.
    apply andb_prop in F as [_ F]. rewrite forallb_forall in F. specialize (F j ltac:(apply in_seq; lia)).
    destruct (known_row values n j) as [x|] eqn:K; [|discriminate]. rewrite (known_row_correct _ j Hj x K).
    apply Qeq_bool_R in F. now rewrite F, Q2R_minus, integer_of_value, Q2R_inject_Z, Sh.
  - unfold sees_up_to in Hp. destruct (head_masking a); cbn [mask_at]; [reflexivity| |discriminate Mask].
    apply Nat.leb_le. lia.
Qed.

Theorem check_others_length_correct c0 e N : 0 < Q2R c0 -> (n <= N)%nat -> within_error_at c0 e N = true ->
  masking_eqb (head_masking a) PastMasked = false -> check_others_length c0 n = true ->
  meaning_holds users n w i (IsOthers s f e) (softmax_value a n h i values).
Proof.
  intros C0 HN He Mask H.
  destruct (others_length_found c0 Mask H) as (shift & c & p & e0 & Cc & Cp & Pv & Hp & Value & _ & Score).
  set (W := sees_up_to n i) in *. assert (HW : W upto n) by (unfold W, sees_up_to; destruct (head_masking a); lia).
  assert (At : softmax_value a n h i values = attend W no_mask (lookup_score (Q2R c) p) INR - IZR shift).
  { unfold softmax_value. transitivity (attend W no_mask (scaled_score a n h i) (fun j => INR j - IZR shift)).
    - transitivity (attend n (mask_at (head_masking a) i) (scaled_score a n h i) (fun j => INR j - IZR shift)).
      + apply attend_ext; [reflexivity|]. intros j [Hj _]. exact (Value j Hj).
      + unfold W, sees_up_to. destruct (head_masking a); cbn [mask_at];
          [reflexivity|now apply attend_future|discriminate Mask].
    - apply (attend_plain W (Q2R c) p e0); [lia|]. intros j Hj. rewrite (Score j ltac:(lia)). unfold lookup_score.
      ring. }
  cbn [meaning_holds]. rewrite At. replace (INR m - (attend W no_mask (lookup_score (Q2R c) p) INR - IZR shift))
    with (INR p - attend W no_mask (lookup_score (Q2R c) p) INR) by (rewrite <- Pv; ring).
  eapply Rle_trans; [exact (lemma_07_sharp W p (Q2R c) Hp Cp)|]. unfold sharp_bound.
  apply (within_error_at_correct c0 c e N (W - 1)); [lra|exact He|lia].
Qed.

(* ---- sparse heads whose scores are far enough apart: what is looked for has all weight ---- *)
Lemma gathered_far order c0 c p e : sparse_order (head_weighing a) = Some order -> INR (S order) <= Q2R c0 ->
  Q2R c0 <= Q2R c -> found c p e -> head_value a n h i values = linear values (h p).
Proof.
  intros K C0 Cc [Vp Score]. unfold head_value. rewrite (attend_as_sparsely _ order) by exact K.
  apply (attend_sparsely_far order n _ _ (fun j => linear values (h j)) p Vp). intros j [Hj _] N.
  rewrite (Score j Hj), (Score p (proj1 Vp)). assert (D : 1 <= (INR j - INR p) * (INR j - INR p)).
  { rewrite !INR_IZR_INZ, <- minus_IZR, <- mult_IZR. apply IZR_le. nia. }
  assert (INR (S order) <= Q2R c * ((INR j - INR p) * (INR j - INR p))); [|lra].
  rewrite <- (Rmult_1_r (INR (S order))). apply Rmult_le_compat; try lra. apply pos_INR.
Qed.
Lemma near_length_exact order c0 table chi guard : sparse_order (head_weighing a) = Some order ->
  INR (S order) <= Q2R c0 -> check_near_length c0 table chi guard n = true ->
  0 <= head_value a n h i values <= 1 /\ (tr guard i = true -> head_value a n h i values = bit (tr chi i)).
Proof.
  intros K C0 H. split.
  { apply (attend_as_range _ n _ _ _ _ i (normalises_has_kernel _ (sparse_normalises _ _ K)) (self_visible n a i)).
    exact (near_length_range _ _ _ _ H). }
  intros G. destruct (near_length_found _ _ _ _ H G) as (vs & c & p & e & Ln & Value & Cc & F & Rp).
  rewrite (gathered_far order c0 c p e K C0 Cc F). destruct F as [[Hp _] _].
  rewrite (Value p Hp). apply (reads_right table (weight_far c0) vs p); [lia|exact Rp].
Qed.
Lemma others_length_exact order c0 : sparse_order (head_weighing a) = Some order -> INR (S order) <= Q2R c0 ->
  masking_eqb (head_masking a) PastMasked = false -> check_others_length c0 n = true ->
  head_value a n h i values = INR m.
Proof.
  intros K C0 Mask H. destruct (others_length_found c0 Mask H) as (shift & c & p & e & Cc & _ & Pv & _ & Value & F).
  rewrite (gathered_far order c0 c p e K C0 Cc F). destruct F as [[Hp _] _]. rewrite (Value p Hp), <- Pv. ring.
Qed.
End Position.
End Lookup.

(* ---- the head ---- *)
Definition lengths_to (L : lengths) (N : nat) : list nat :=
  let least := Nat.max 1 (least_length L) in seq least (S N - least).
Definition is_mean (x : meaning) : bool := match x with IsMean _ _ => true | _ => false end.
(* The count that queries read. *)
Definition looked_up (A : list meaning) (a : head) : option (side * formula) :=
  match find is_mean (map (fun e => nth (fst e) A IsAnything) (concat (head_queries a))) with
  | Some (IsMean s f) => Some (s, f) | _ => None
  end.
Definition is_above_0 (q : Q) : bool := negb (Qle_bool q 0).

(* `near_truth` and `others_on` are true if the least sharpness is enough. *)
Definition check_lookup_if (near : Q -> bool) (others : Q -> Q -> nat -> bool) (L : lengths) (A : list meaning)
    (a : head) (r : row) (b : meaning) : bool :=
  match greatest_length L with
  | None => false
  | Some N =>
    let ns := lengths_to L N in
    match b with
    | IsNear chi guard =>
        match looked_up A a with
        | Some (s, f) =>
            match least_sharpness A a s f ns with
            | Some c0 => let table := weight_table c0 in
                near c0 && forallb (check_near_length A a r s f c0 table chi guard) ns
            | None => false
            end
        | None => false
        end
    | IsOthers s f e =>
        match least_sharpness A a s f ns with
        | Some c0 => others c0 e N && negb (masking_eqb (head_masking a) PastMasked)
                     && forallb (check_others_length A a r s f c0) ns
        | None => false
        end
    | _ => false
    end
  end.

Definition check_lookup := check_lookup_if is_above_0 (fun c0 e N => is_above_0 c0 && within_error_at c0 e N).
(* Of sparse heads: all positions but one weigh nothing. *)
Definition is_sharp (order : nat) (c0 : Q) : bool := Qle_bool (integer_of (S order)) c0.
Definition check_sharp_lookup (order : nat) := check_lookup_if (is_sharp order) (fun c0 e _ =>
  is_sharp order c0 && Qle_bool 0 e).

(* The error with which a head then holds a number of others. *)
Definition others_error_by_rows (L : lengths) (A : list meaning) (a : head) (s : side) (f : formula) : option Q :=
  match greatest_length L with
  | None => None
  | Some N => match least_sharpness A a s f (lengths_to L N) with
              | Some c0 => if is_above_0 c0 then Some (mean_error_at c0 N) else None
              | None => None
              end
  end.

Theorem check_lookup_correct users n w L A h a r b (i : position n) : length_allowed L n -> holds_of users n w A h ->
  check_lookup L A a r b = true -> meaning_holds users n w i b (softmax_value a n h i r).
Proof.
  intros (N1 & Ln & HN) HA H. unfold check_lookup, check_lookup_if in H.
  destruct (greatest_length L) as [N|]; [|discriminate]. cbv zeta in H.
  assert (In_ : In n (lengths_to L N)) by (unfold lengths_to; apply in_seq; lia).
  assert (Pos : forall q, is_above_0 q = true -> 0 < Q2R q) by (intros q P; apply not_below;
    now apply negb_true_iff in P). destruct b as [v|g|g|chi guard|x g|s f|t|s f|s f e|]; try discriminate.
  - destruct (looked_up A a) as [[s f]|]; [|discriminate].
    destruct (least_sharpness A a s f _) as [c0|]; [|discriminate]. apply andb_prop in H as [P H].
    rewrite forallb_forall in H. specialize (H n In_).
    exact (check_near_length_correct A a r s f users n w i h HA c0 chi guard (Pos c0 P) H).
  - destruct (least_sharpness A a s f _) as [c0|]; [|discriminate]. apply andb_prop in H as [H F].
    apply andb_prop in H as [H M]. apply andb_prop in H as [P E]. rewrite forallb_forall in F. specialize (F n In_).
    apply negb_true_iff in M. exact (check_others_length_correct A a r s f users n w i h HA c0 e N (Pos c0 P) HN E M F).
Qed.

Definition holds_exactly_there users n w i (b : meaning) (x : R) : Prop :=
  match b with
  | IsNear chi guard => 0 <= x <= 1 /\ (truth users n w guard i = true -> x = bit (truth users n w chi i))
  | IsOthers s f e => x = INR (others_on s n (truth users n w f) i) /\ 0 <= Q2R e
  | _ => False
  end.
Theorem check_sharp_lookup_correct users n w L A h a r b (i : position n) order : length_allowed L n ->
  holds_of users n w A h -> sparse_order (head_weighing a) = Some order -> check_sharp_lookup order L A a r b = true ->
  holds_exactly_there users n w i b (head_value a n h i r).
Proof.
  intros (N1 & Ln & HN) HA K H. unfold check_sharp_lookup, check_lookup_if in H.
  destruct (greatest_length L) as [N|]; [|discriminate].
  cbv zeta in H. assert (In_ : In n (lengths_to L N)) by (unfold lengths_to; apply in_seq; lia).
  assert (Sharp : forall q, is_sharp order q = true -> INR (S order) <= Q2R q)
    by (intros q P; apply Qle_bool_R in P; now rewrite integer_of_value in P).
  destruct b as [v|g|g|chi guard|x g|s f|t|s f|s f e|]; try discriminate; cbn [holds_exactly_there].
  - destruct (looked_up A a) as [[s f]|]; [|discriminate].
    destruct (least_sharpness A a s f _) as [c0|]; [|discriminate]. apply andb_prop in H as [P H].
    rewrite forallb_forall in H. specialize (H n In_).
    exact (near_length_exact A a r s f users n w i h HA order c0 _ chi guard K (Sharp c0 P) H).
  - destruct (least_sharpness A a s f _) as [c0|]; [|discriminate]. apply andb_prop in H as [H F].
    apply andb_prop in H as [H M]. apply andb_prop in H as [P E]. rewrite forallb_forall in F. specialize (F n In_).
    apply negb_true_iff in M. apply Qle_bool_R in E. rewrite Q2R_0 in E. split; [|exact E].
    exact (others_length_exact A a r s f users n w i h HA order c0 K (Sharp c0 P) M F).
Qed.
Lemma means_exactly users n w i b x : holds_exactly_there users n w i b x -> meaning_holds users n w i b x.
Proof.
  destruct b; cbn [holds_exactly_there meaning_holds]; try contradiction.
  - intros [R E]. split; [exact R|]. intros G. rewrite (E G). unfold relu.near_truth.
    destruct (truth users n w f i); simpl; lra.
  - intros [-> P]. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. exact P.
Qed.
