(* Heads that look up a sum of counts, up to a greatest length (docs/background/obligations.md, Lookup of a sum).

   D is a sum of multiples of counts. At a row (n, i) the truths of what is counted are one of a few assignments, and D
     is
   an integer z between two numbers. The scores are -c (j - H)^2 and what does not depend on j, where H is near the
     place
   p = z + off, or p = -z + off, by the errors of the numbers of others that queries read. So position p is the pivot,
     and
   position j weighs at most e^(-c0 (k^2 - 2 k E)) times as much, k = |j - p|, E the greatest error, c0 the least c.
   `x` and `y` are the errors to be shown, where the truth is 0 and where it is 1.
   Predicates of the user's have a truth here if `known` says which they are.
   Proved: if `check_sum_lookup` says yes, the head holds what it should, to within these errors. *)
From Coq Require Import Reals QArith Qreals Qround Qabs ZArith List Bool Lra Lia Arith.
From Certify Require Import lemma_06_near_hardmax options positions lists finite_sums softmax entmax weighing relu
  exponential exp_enclosure formula network totals meaning linear_combination comparison cases theorem_20_counting
  check_head check_feedforward gap_rule values_by_rows output_by_rows lookup_by_rows.
Import ListNotations PositionNotations.
Open Scope R_scope.

Notation truth_list := (list (formula * bool)).

Section SumLookup.
Variables (known : option predicate_meanings) (A : list meaning) (a : head) (values : row) (D : sum_of_counts).

(* ---- values ---- *)
Definition positional_there (n i : nat) (g : formula) : option bool :=
  if is_built_in g then Some (truth no_users n no_word g i) else
  match known with Some u => if is_positional g then Some (truth u n no_word g i) else None | None => None end.
Definition value_there (x : meaning) (n j : nat) : option Q :=
  match x with
  | IsTruth g => option_map bool_rational (positional_there n j g)
  | IsPosition (Bracket g shifted) => option_map bool_rational (positional_there n (if shifted then j - 1 else j)%nat g)
  | _ => known_number x n j
  end.
Fixpoint value_row (r : row) (n j : nat) : option Q :=
  match r with
  | [] => Some 0%Q
  | (d, q) :: r =>
      option_bind (value_there (nth d A IsAnything) n j) (fun x => option_bind (value_row r n j) (fun y =>
        Some (Qred (q * x + y))))
  end.

(* ---- scores ---- *)
(* What a query reads: a number, and the rest. *)
Fixpoint split_row (n i : nat) (r : row) : Q * row :=
  match r with
  | [] => (0%Q, [])
  | (d, q) :: r =>
      let '(x, rest) := split_row n i r in
      match known_number (nth d A IsAnything) n i with
      | Some y => (Qred (q * y + x), rest)
      | None => (x, (d, q) :: rest)
      end
  end.
(* The factors of j^2 and j, of j with what depends on the word. *)
Fixpoint sum_factors (qs : list (Q * row)) (ks : list quadratic) : option (Q * Q * row) :=
  match qs, ks with
  | (x, rest) :: qs, (al, be, _) :: ks =>
      option_bind (sum_factors qs ks) (fun t => let '(p, q, r) := t in
        if match rest with [] => true | _ => is_zero al end
        then Some (Qred (x * al + p), Qred (x * be + q), scaled_terms be rest ++ r) else None)
  | _, _ => Some (0%Q, 0%Q, [])
  end.
(* c, and H as a number and what depends on the word. *)
Definition vertex_at (ks : list quadratic) (n i : nat) : option (Q * Q * row) :=
  option_bind (exact_value (head_temperature a) n i) (fun tau =>
    option_bind (sum_factors (map (split_row n i) (head_queries a)) ks) (fun t => let '(p, q, r) := t in
      let c := Qopp p in
      if negb (Qle_bool tau 0) && negb (Qle_bool c 0)
      then Some (Qred (c / tau), Qred (q / (2 * c)), scaled_terms (/ (2 * c)) r) else None)).
(* What a row reads, up to an error: counts, and truths of what is counted. *)
Fixpoint near_counts (r : row) : option (sum_of_counts * list (formula * Q) * Q) :=
  match r with
  | [] => Some ([], [], 0%Q)
  | (d, q) :: r =>
      option_bind (near_counts r) (fun t => let '(cs, ts, e) := t in
        match nth d A IsAnything with
        | IsOthers s f x => Some (((s, f), q) :: cs, (f, Qopp q) :: ts, Qred (Qabs q * x + e))
        | IsTotal s f => Some (((s, f), q) :: cs, ts, e)
        | IsTruth f => Some (cs, (f, q) :: ts, e)
        | _ => None
        end)
  end.
Fixpoint truths_number (bs : truth_list) (ts : list (formula * Q)) : option Q :=
  match ts with
  | [] => Some 0%Q
  | (f, q) :: ts =>
      option_bind (assumed_truth bs f) (fun b => option_bind (truths_number bs ts) (fun x =>
        Some (if b then Qred (q + x) else x)))
  end.
(* Whether p is z and a number, or -z and a number; that number; and how far H may be from p. *)
Local Definition place_of (bs : truth_list) (shift : Q) (r : row) : option (bool * Z * Q) :=
  option_bind (near_counts r) (fun t => let '(cs, ts, e) := t in option_bind (truths_number bs ts) (fun x =>
    let off := Qred (shift + x) in
    if is_integral off then
      if equal_combinations count_eqb cs D then Some (true, Qnum off, e)
      else if equal_combinations count_eqb cs (scaled_terms (-1) D) then Some (false, Qnum off, e) else None
    else None)).
Definition place_for (positive : bool) (off z : Z) : Z := ((if positive then z else - z) + off)%Z.

(* ---- what is claimed where D is z ---- *)
Definition on_sum (n : nat) (z : Z) (p : predicate) (l : sum_of_counts) : option bool :=
  match ratio_of_sums l D with
  | Some q =>
      if is_integral q then
        if is_users p then option_map (fun u => holds_at u p (Qnum q * z) n) known
        else Some (holds_at no_users p (Qnum q * z) n)
      else None
  | None => None
  end.
Fixpoint sum_truth (n : nat) (bs : truth_list) (z : Z) (g : formula) : option bool :=
  match assumed_truth bs g with
  | Some b => Some b
  | None =>
    match g with
    | Truth b => Some b
    | OnCount p s f => on_sum n z p (one_count s f)
    | OnSum p t => if (term_constant t =? 0)%Z then on_sum n z p (term_difference t (Number 0)) else None
    | Compare r t u =>
        option_map (fun q => relates_so r (sign_at q (constant_difference t u) z)) (ratio_of_sums (term_difference t u)
          D)
    | Not g => kleene_not (sum_truth n bs z g)
    | And g h => kleene_and (sum_truth n bs z g) (sum_truth n bs z h)
    | Or g h => kleene_or (sum_truth n bs z g) (sum_truth n bs z h)
    | Implies g h => kleene_or (kleene_not (sum_truth n bs z g)) (sum_truth n bs z h)
    | Iff g h => kleene_iff (sum_truth n bs z g) (sum_truth n bs z h)
    | _ => None
    end
  end.
Definition counted_formulas : list formula :=
  fold_right (fun e l => if existsb (formula_eqb (snd (fst e))) l then l else snd (fst e) :: l) [] D.
Definition can_be (n i : nat) (bs : truth_list) : bool :=
  forallb (fun e => match positional_there n i (fst e) with Some t => eqb t (snd e) | None => true end) bs.
Local Definition counted_here (bs : truth_list) (f : formula) : Z := match assumed_truth bs f with Some true => 1 | _ =>
  0 end.
Definition least_sum (bs : truth_list) (n i : nat) : Z := fold_right (fun e x => Qnum (snd e)
  * counted_here bs (snd (fst e)) + Z.min (Qnum (snd e) * (Z.of_nat (span (fst (fst e)) n i) - 1)) 0 + x)%Z 0%Z D.
Definition greatest_sum (bs : truth_list) (n i : nat) : Z := fold_right (fun e x => Qnum (snd e)
  * counted_here bs (snd (fst e)) + Z.max (Qnum (snd e) * (Z.of_nat (span (fst (fst e)) n i) - 1)) 0 + x)%Z 0%Z D.
Definition sum_reach (n : nat) : Z := (Z.of_nat n * fold_right (fun e x => Z.abs (Qnum (snd e)) + x) 0 D)%Z.

Section Claims.
Variables (chi guard : formula).
(* Of each number that D may be where something is claimed: the place, and whether what is there is right. *)
Definition lookup_claims (n : nat) (bs : truth_list) (places : Z -> Z) (right : Z -> bool ->
  bool) : list (Z * Z * bool) := flat_map (fun z => match sum_truth n bs z guard with
    | Some false => []
    | _ => [(z, places z, match sum_truth n bs z chi with Some t => right (places z) t | None => false end)]
    end) (numbers_from (Z.to_nat (2 * sum_reach n + 1)) (- sum_reach n)).
Definition claims_hold (n i : nat) (bs : truth_list) (visible_there : Z -> bool) (l : list (Z * Z * bool)) : bool :=
  let least := least_sum bs n i in let most := greatest_sum bs n i in
  (- sum_reach n <=? least)%Z && (most <=? sum_reach n)%Z
  && forallb (fun c => let '(z, p, ok) := c in (z <? least)%Z || (most <? z)%Z || (ok && visible_there p)) l.

Variables (x y c0 E : Q) (table : list Z) (far : Z).
Definition limit_for (t : bool) : Q := if t then y else x.
(* The value at p is t, and bad positions have little weight. *)
Definition reads_there (vs : list Q) (p : Z) (t : bool) : bool :=
  let k := Z.to_nat p in let e := limit_for t in
  (1 <=? p)%Z && (p <=? Z.of_nat (length vs))%Z && Qeq_bool (nth (k - 1) vs (-1)%Q) (bool_rational t)
  && ((Zpos (Qden e) - Qnum e) * bad_sum table far k (bool_rational t) 1 vs <=? Qnum e * fixed_unit weight_bits)%Z.
Definition all_same (vs : list Q) : bool := forallb (Qeq_bool (nth 0 vs 0%Q)) vs.
Definition place_eqb (s s' : bool) (o o' : Z) : bool := eqb s s' && (o =? o')%Z.
Definition check_sum_row (n : nat) (bs : truth_list) (s : bool) (o : Z) (l : list (Z * Z * bool)) (e : nat * (Q * Q *
  row)) : bool :=
  let '(i, (c, shift, r)) := e in
  if can_be n i bs then
    Qle_bool c0 c && match place_of bs shift r with
    | Some (s', o', miss) => place_eqb s s' o o' && Qle_bool miss E
    | None => false
    end && claims_hold n i bs (sees_place a n i) l
  else true.
Definition check_sum_length (n : nat) : bool :=
  match traverse (value_row values n) (seq 1 n) with
  | None => false
  | Some vs =>
    forallb (fun v => Qle_bool 0 v && Qle_bool v 1) vs
    && if all_same vs then
         forallb (fun bs =>
           let l := lookup_claims n bs (fun z => z) (fun _ t => Qeq_bool (nth 0 vs 0%Q) (bool_rational t)) in
           forallb (fun i => if can_be n i bs then claims_hold n i bs (fun _ => true) l else true) (seq 1 n))
           (truth_assignments counted_formulas)
       else
         match traverse (key_parabola A n) (head_keys a) with
         | None => false
         | Some ks =>
           match traverse (vertex_at ks n) (seq 1 n) with
           | Some (((c, shift, r) :: _) as vertices) =>
               forallb (fun bs =>
                 match place_of bs shift r with
                 | Some (s, o, _) =>
                     let l := lookup_claims n bs (place_for s o) (reads_there vs) in
                     forallb (check_sum_row n bs s o l) (combine (seq 1 n) vertices)
                 | None => forallb (fun i => negb (can_be n i bs)) (seq 1 n)
                 end) (truth_assignments counted_formulas)
           | _ => false
           end
         end
  end.
End Claims.

(* ---- the least sharpness and the greatest error of all rows ---- *)
Local Definition larger (x y : Q) : Q := if Qle_bool x y then y else x.
Definition row_extremes (m : option Q * Q) (v : Q * Q * row) : option Q * Q :=
  let '(c, _, r) := v in
  (lesser_bound (fst m) c, match near_counts r with Some (_, _, e) => larger (snd m) e | None => snd m end).
Local Definition extremes (lengths : list nat) : option Q * Q :=
  fold_left (fun m n =>
    match traverse (value_row values n) (seq 1 n) with
    | Some vs => if all_same vs then m else
        match traverse (key_parabola A n) (head_keys a) with
        | Some ks => match traverse (vertex_at ks n) (seq 1 n) with Some l => fold_left row_extremes l m | None => m end
        | None => m
        end
    | None => m
    end) lengths (None, 0%Q).
End SumLookup.

(* e^(-c0 (k^2 - 2 k E)) from above. *)
Definition gap_weight (c0 E : Q) (k : nat) : Z :=
  decay_above weight_bits (Qfloor (c0 * (integer_of (k * k) - 2 * E * integer_of k) * weight_unit)).

(* The sum that a predicate of the formula is about. *)
Fixpoint sum_in (f : formula) : option sum_of_counts :=
  match f with
  | OnCount _ s g => Some (one_count s g)
  | OnSum _ t => Some (term_difference t (Number 0))
  | Not f => sum_in f
  | And f g | Or f g | Implies f g | Iff f g => match sum_in f with Some l => Some l | None => sum_in g end
  | _ => None
  end.
Definition is_error (e : Q) : bool := Qle_bool 0 e && negb (Qle_bool 1 e).
Definition check_sum_lookup (known : option predicate_meanings) (L : lengths) (A : list meaning) (a : head) (r : row)
    (b : meaning) (x y : Q) : bool :=
  match b, greatest_length L with
  | IsNear chi guard, Some N =>
    match match sum_in chi with Some l => Some l | None => sum_in guard end with
    | Some D =>
      let ns := lengths_to L N in
      let '(c, E) := extremes known A a r ns in
      let c0 := match c with Some c => c | None => 4%Q end in                 (* nothing is looked for *)
      let check table far := forallb (check_sum_length known A a r D chi guard x y c0 E table far) ns in
      forallb (fun e => is_integral (snd e)) D && is_error x && is_error y
      && negb (Qle_bool c0 0) && Qle_bool 0 E && negb (Qle_bool 1 (2 * E))
      && match head_weighing a, sparse_order (head_weighing a) with
         | _, Some order => Qle_bool (integer_of (S order)) (c0 * (1 - 2 * E)) && check [] 0%Z
         | Softmax, None => check (map (gap_weight c0 E) (seq 0 weight_table_length)) (gap_weight c0 E
           weight_table_length)
         | _, None => false
         end
    | None => false
    end
  | _, _ => false
  end.

(* ---- soundness ---- *)
Lemma pair_inj {X Y} (a c : X) (b d : Y) : (a, b) = (c, d) -> a = c /\ b = d. Proof. now intros [=]. Qed.
Ltac take_pair H := apply pair_inj in H as [<- <-].
Ltac take_triple H := apply pair_inj in H as [H <-]; apply pair_inj in H as [<- <-].
Lemma Q2R_absolute q : Q2R (Qabs q) = Rabs (Q2R q).
Proof.
  apply Qabs_case; intros L; apply Qle_Rle in L; rewrite Q2R_0 in L.
  - now rewrite Rabs_right by lra.
  - now rewrite Rabs_left1, Q2R_opp by lra.
Qed.
Lemma formula_eqb_same f : formula_eqb f f = true.
Proof.
  enough (B : (forall f, formula_eqb f f = true) /\ (forall t, term_eqb t t = true)) by apply B.
  apply formula_term_mutual; intros; cbn [formula_eqb term_eqb]; rewrite ?Nat.eqb_refl, ?Z.eqb_refl, ?eqb_reflx;
    repeat match goal with | p : predicate |- _ => assert (predicate_eqb p p = true) as -> by (destruct p; simpl;
    now rewrite ?Nat.eqb_refl); clear p || idtac; fail | _ => idtac end; try (destruct p; simpl; rewrite ?Nat.eqb_refl;
    cbn [andb]); try (destruct s); try (destruct r); cbn [side_eqb relation_eqb andb];
    repeat match goal with H : _ = true |- _ => rewrite H end; reflexivity.
Qed.

Section Position.
Variables (known : option predicate_meanings) (A : list meaning) (a : head) (values : row) (D : sum_of_counts).
Variables (users : predicate_meanings) (n : nat) (w : word) (i : position n) (h : nat -> vector).
Hypothesis HA : holds_of users n w A h.
Hypothesis Known : forall u, known = Some u -> u = users.
Notation tr := (truth users n w).
Notation counts := (count_value users n w i).
Notation bit_of := (fun f => bit (tr f i)).

Lemma positional_there_correct j g b : positional_there known n j g = Some b -> tr g j = b.
Proof.
  unfold positional_there. destruct (is_built_in g) eqn:B.
  - intros H. take H. now apply built_in_truth.
  - destruct known as [u|]; [|discriminate]. rewrite (Known u eq_refl).
    destruct (is_positional g) eqn:P; [|discriminate]. intros H. take H. now apply positional_truth.
Qed.

Lemma value_there_correct j b x q : meaning_holds users n w j b x -> value_there known b n j = Some q -> x = Q2R q.
Proof.
  destruct b as [[e|f shifted]|f|f|f g|e f|s f|t|s f|s f e|]; cbn [value_there]; intros M H;
    try (now apply (known_number_correct users n w j _ x q M)).
  - destruct (positional_there known n _ f) as [t|] eqn:P; [|discriminate]. cbn [option_map] in H. take H.
    rewrite number_of_value. cbn [meaning_holds position_value] in M. rewrite M. f_equal. unfold positional_there in P.
    destruct (is_built_in f) eqn:B; [take P; now apply built_in_truth|]. destruct known as [u|]; [|discriminate].
    rewrite (Known u eq_refl) in P. destruct (is_positional f); [|discriminate]. now take P.
  - destruct (positional_there known n j f) as [t|] eqn:P; [|discriminate]. cbn [option_map] in H. take H.
    rewrite number_of_value. cbn [meaning_holds] in M. now rewrite M, (positional_there_correct j f t P).
Qed.
Lemma value_row_correct r j : j upto n -> forall q, value_row known A r n j = Some q -> linear r (h j) = Q2R q.
Proof.
  intros Hj. induction r as [|[d q] r IH]; intros x H; cbn [value_row linear] in *; [take H; now rewrite Q2R_0|].
  unfold option_bind in H. destruct (value_there known _ n j) as [y|] eqn:K; [|discriminate].
  destruct (value_row known A r n j) as [z|]; [|discriminate]. take H.
  rewrite (value_there_correct j _ _ y (HA j d Hj) K), (IH z eq_refl). rationals. reflexivity.
Qed.
Lemma values_are vs : traverse (value_row known A values n) (seq 1 n) = Some vs -> length vs = n /\
  each j upto n, linear values (h j) = Q2R (nth (j - 1) vs 0%Q).
Proof.
  intros Vs. split; [rewrite (traverse_length _ _ _ Vs); apply length_seq|]. intros j Hj.
  destruct (traverse_nth _ _ _ (j - 1) j Vs) as (y & N & K).
  - rewrite (nth_error_nth' _ 0%nat) by (rewrite length_seq; lia). rewrite seq_nth by lia. f_equal. lia.
  - rewrite (value_row_correct _ j Hj y K). f_equal. symmetry. now apply nth_error_nth.
Qed.

Lemma split_row_correct r : forall x rest, split_row A n i r = (x, rest) -> linear r (h i) = Q2R x + linear rest (h i).
Proof.
  induction r as [|[d q] r IH]; intros x rest H; cbn [split_row linear] in *.
  - take_pair H. cbn [linear]. rewrite Q2R_0. ring.
  - destruct (split_row A n i r) as [y s]. rewrite (IH y s eq_refl).
    destruct (known_number (nth d A IsAnything) n i) as [z|] eqn:K; take_pair H.
    + rewrite (known_number_correct users n w i _ _ z (HA i d (in_word i)) K), Q2R_reduced, Q2R_plus, Q2R_mult. ring.
    + cbn [linear]. ring.
Qed.

Lemma linear_joined r s x : linear (r ++ s) x = linear r x + linear s x.
Proof. rewrite !linear_combined. apply combined_app. Qed.
Lemma linear_scaled q r x : linear (scaled_terms q r) x = Q2R q * linear r x.
Proof. rewrite !linear_combined. apply combined_scaled. Qed.

Lemma sum_factors_correct rows : forall keys ks p q r, traverse (key_parabola A n) keys = Some ks ->
  sum_factors (map (split_row A n i) rows) ks = Some (p, q, r) -> exists e,
  each j upto n, dot_product rows keys (h i) (h j) = Q2R p * INR j * INR j + (Q2R q + linear r (h i)) * INR j + e.
Proof.
  induction rows as [|row rows IH]; intros keys ks p q r K F; cbn [map sum_factors] in F.
  - apply some_inj in F. take_triple F. exists 0. intros j _. cbn [dot_product linear]. rewrite Q2R_0. ring.
  - destruct keys as [|key keys]; cbn [traverse] in K.
    + take K. destruct (split_row A n i row). apply some_inj in F. take_triple F. exists 0. intros j _.
      cbn [dot_product linear]. rewrite Q2R_0. ring.
    + destruct (key_parabola A n key) as [[[al be] ga]|] eqn:Ek; [|discriminate].
      destruct (traverse (key_parabola A n) keys) as [ks'|] eqn:Ks; [|discriminate]. take K.
      destruct (split_row A n i row) as [x rest] eqn:S. unfold option_bind in F.
      destruct (sum_factors (map (split_row A n i) rows) ks') as [[[p' q'] r']|] eqn:F'; [|discriminate].
      destruct (IH keys ks' p' q' r' Ks F') as (e & He).
      destruct (match rest with [] => true | _ => is_zero al end) eqn:Z; [|discriminate]. apply some_inj in F.
      take_triple F. exists ((Q2R x + linear rest (h i)) * Q2R ga + e). intros j Hj. cbn [dot_product].
      rewrite (He j Hj), (split_row_correct row x rest S), (key_parabola_correct A users n w i h HA key al be ga j Ek
        Hj). rewrite linear_joined, linear_scaled. rationals. assert (R : linear rest (h i) * Q2R al = 0).
      { destruct rest; [cbn [linear]; ring|]. apply Qeq_bool_R in Z. rewrite Z, Q2R_0. ring. }
      replace ((Q2R x + linear rest (h i)) * (Q2R al * INR j * INR j + Q2R be * INR j + Q2R ga))
        with (Q2R x * (Q2R al * INR j * INR j + Q2R be * INR j + Q2R ga)
        + (linear rest (h i) * Q2R al) * INR j * INR j + linear rest (h i) * (Q2R be * INR j + Q2R ga)) by ring.
      rewrite R. ring.
Qed.

Lemma vertex_at_correct ks c shift r : traverse (key_parabola A n) (head_keys a) = Some ks ->
  vertex_at A a ks n i = Some (c, shift, r) -> 0 < Q2R c /\ exists e, each j upto n,
  scaled_score a n h i j = Q2R c * (2 * (Q2R shift + linear r (h i)) * INR j - INR j * INR j) + e.
Proof.
  intros K H. unfold vertex_at, option_bind in H. pose proof (exact_correct (head_temperature a) n i) as X.
  destruct (exact_value _ n i) as [tau|]; [|discriminate]. specialize (proj1 (X tau eq_refl)) as Xt. clear X.
  destruct (sum_factors _ ks) as [[[p q] s]|] eqn:F; [|discriminate]. cbv zeta in H.
  destruct (Qle_bool tau 0) eqn:T0; [discriminate|]. destruct (Qle_bool (- p) 0) eqn:C0; [discriminate|].
  cbn [negb andb] in H. apply some_inj in H. take_triple H.
  apply not_below in T0, C0. assert (P : Q2R (- p) = - Q2R p) by apply Q2R_opp. rewrite P in C0.
  assert (Two : Q2R (2 * - p) = 2 * - Q2R p) by (rewrite Q2R_mult, P; f_equal; unfold Q2R; simpl; lra).
  assert (N1 : ~ (tau == 0)%Q) by (intros Z; apply Qeq_eqR in Z; rewrite Q2R_0 in Z; lra).
  assert (N2 : ~ (2 * - p == 0)%Q) by (intros Z; apply Qeq_eqR in Z; rewrite Two, Q2R_0 in Z; lra).
  rewrite linear_scaled, !Q2R_reduced, !Q2R_div, Q2R_inv, P, Two by assumption.
  destruct (sum_factors_correct _ _ ks p q s K F) as (e & E). split.
  - apply Rmult_lt_0_compat; [exact C0|now apply Rinv_0_lt_compat].
  - exists (e / Q2R tau). intros j Hj. unfold scaled_score. rewrite (E j Hj), Xt. field. lra.
Qed.

Lemma near_counts_correct r : forall cs ts e, near_counts A r = Some (cs, ts, e) ->
  Rabs (linear r (h i) - (combination_value counts cs + combination_value bit_of ts)) <= Q2R e.
Proof.
  induction r as [|[d q] r IH]; intros cs ts e H; cbn [near_counts linear] in *.
  - apply some_inj in H. take_triple H. cbn [combination_value]. rewrite Q2R_0.
    replace (0 - (0 + 0)) with 0 by ring. rewrite Rabs_R0. lra.
  - unfold option_bind in H. destruct (near_counts A r) as [[[cs' ts'] e']|]; [|discriminate].
    specialize (IH cs' ts' e' eq_refl). pose proof (HA i d (in_word i)) as M.
    destruct (nth d A IsAnything) as [v|f|f|f g|x f|s f|t|s f|s f x|]; try discriminate; apply some_inj in H;
      take_triple H; cbn [combination_value meaning_holds] in *.
    + rewrite M. match goal with |- Rabs ?u <= _ => match type of IH with Rabs ?v <= _ => replace u with v by ring end
      end.
      exact IH.
    + rewrite M. unfold count_value at 1. cbn [fst snd].
      match goal with |- Rabs ?u <= _ => match type of IH with Rabs ?v <= _ => replace u with v by ring end end.
      exact IH.
    + unfold count_value at 1. cbn [fst snd]. rewrite (counted_others s n (tr f) i), Q2R_opp.
      rewrite Q2R_reduced, Q2R_plus, Q2R_mult.
      match goal with |- Rabs ?u <= _ => match type of IH with Rabs ?v <= _ =>
        replace u with (Q2R q * - (INR (others_on s n (tr f) i) - h i d) + v) by ring end end.
      eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [|exact IH].
      rewrite Rabs_mult, Rabs_Ropp, Q2R_absolute. apply Rmult_le_compat_l; [apply Rabs_pos|exact M].
Qed.

(* ---- the assignment that is real ---- *)
Notation fs := (counted_formulas D).
Definition real_truths : truth_list := map (fun f => (f, tr f i)) fs.
Lemma real_truths_listed : In real_truths (truth_assignments fs).
Proof.
  unfold real_truths. induction fs as [|f l IH]; simpl; [now left|]. apply in_flat_map. eexists. split; [exact IH|].
  destruct (tr f i); simpl; auto.
Qed.
Lemma real_truths_real f b : assumed_truth real_truths f = Some b -> tr f i = b.
Proof.
  unfold real_truths. induction fs as [|g l IH]; simpl; [discriminate|]. destruct (formula_eqb g f) eqn:E; [|exact IH].
  apply formula_eqb_eq in E. subst g. now intros [= <-].
Qed.
Lemma real_truths_known s f q : In ((s, f), q) D -> assumed_truth real_truths f = Some (tr f i).
Proof.
  intros I. assert (J : existsb (formula_eqb f) fs = true).
  { unfold counted_formulas. clear - I. induction D as [|e l IH]; [destruct I|]. cbn [fold_right].
    set (m := fold_right _ [] l) in *. destruct I as [->|I]; cbn [fst snd].
    - destruct (existsb (formula_eqb f) m) eqn:E; [exact E|]. cbn [existsb]. now rewrite formula_eqb_same.
    - specialize (IH I). destruct (existsb (formula_eqb (snd (fst e))) m); [exact IH|]. cbn [existsb].
      rewrite IH. apply orb_true_r. }
  unfold real_truths. induction fs as [|g l IH]; [discriminate|]. cbn [map assumed_truth existsb] in *.
  destruct (formula_eqb g f) eqn:E; [apply formula_eqb_eq in E; now subst|]. apply IH.
  destruct (formula_eqb f g) eqn:E'; [|exact J]. apply formula_eqb_eq in E'. subst g. now rewrite formula_eqb_same in E.
Qed.
Lemma real_truths_can_be : can_be known n i real_truths = true.
Proof.
  unfold can_be, real_truths. apply forallb_forall. intros e I. apply in_map_iff in I as (f & <- & _). cbn [fst snd].
  destruct (positional_there known n i f) as [t|] eqn:P; [|reflexivity].
  rewrite (positional_there_correct i f t P). apply eqb_reflx.
Qed.
Lemma truths_number_correct ts : forall x, truths_number real_truths ts = Some x -> combination_value bit_of ts = Q2R x.
Proof.
  induction ts as [|[f q] ts IH]; intros x H; cbn [truths_number combination_value] in *; [take H; now rewrite Q2R_0|].
  unfold option_bind in H. destruct (assumed_truth real_truths f) as [b|] eqn:B; [|discriminate].
  destruct (truths_number real_truths ts) as [y|]; [|discriminate]. take H.
  rewrite (real_truths_real f b B), (IH y eq_refl). destruct b; cbn [bit]; rationals; ring.
Qed.

(* ---- the number that D is ---- *)
Hypothesis Whole : forallb (fun e => is_integral (snd e)) D = true.
Lemma sum_there_in l : (forall e, In e l -> In e D) -> exists z, combination_value counts l = IZR z
  /\ (least_sum l real_truths n i <= z <= greatest_sum l real_truths n i)%Z.
Proof.
  induction l as [|[[s f] q] l IH]; intros S; [exists 0%Z; split; [reflexivity|simpl; lia]|].
  destruct IH as (z & V & B); [intros e I; apply S; now right|]. pose proof (S _ (or_introl eq_refl)) as I.
  rewrite forallb_forall in Whole. pose proof (Whole _ I) as W. cbn [snd] in W. set (k := counted_on s n (tr f) i).
  exists (Qnum q * Z.of_nat k + z)%Z. split.
  - cbn [combination_value]. rewrite V, (integer_value_of q W), plus_IZR, mult_IZR, <- INR_IZR_INZ. reflexivity.
  - cbn [fold_right least_sum greatest_sum fst snd].
    fold (least_sum l real_truths n i) (greatest_sum l real_truths n i). unfold counted_here.
    rewrite (real_truths_known s f q I). destruct (counted_apart s n (tr f) i) as (r & E & L).
    assert (K : Z.of_nat k = (Z.of_nat r + (if tr f i then 1 else 0))%Z) by (unfold k; rewrite E; destruct (tr f i);
      simpl; lia). rewrite K. set (u := Z.of_nat (span s n i)) in *.
    assert (R : (0 <= Z.of_nat r <= u - 1)%Z) by (unfold u; lia). clearbody u. destruct (Z.le_gt_cases 0 (Qnum q)).
    + assert (0 <= Qnum q * Z.of_nat r <= Qnum q * (u - 1))%Z by nia. destruct (tr f i); lia.
    + assert (Qnum q * (u - 1) <= Qnum q * Z.of_nat r <= 0)%Z by nia. destruct (tr f i); lia.
Qed.
Lemma sum_there : exists z, combination_value counts D = IZR z
  /\ (least_sum D real_truths n i <= z <= greatest_sum D real_truths n i)%Z.
Proof. now apply sum_there_in. Qed.
End Position.

(* ---- claims ---- *)
Section Claimed.
Variables (known : option predicate_meanings) (A : list meaning) (a : head) (values : row) (D : sum_of_counts).
Variables (users : predicate_meanings) (n : nat) (w : word) (i : position n) (h : nat -> vector).
Hypothesis HA : holds_of users n w A h.
Hypothesis Known : forall u, known = Some u -> u = users.
Hypothesis Whole : forallb (fun e => is_integral (snd e)) D = true.
Notation tr := (truth users n w).
Notation counts := (count_value users n w i).
Notation real := (real_truths D users n w i).
Variables (chi guard : formula) (z : Z).
Hypothesis Value : combination_value counts D = IZR z.

Lemma on_sum_correct l p v b : combination_value counts l = IZR v -> on_sum known D n z p l = Some b ->
  holds_at users p v n = b.
Proof.
  intros V H. unfold on_sum in H. destruct (ratio_of_sums l D) as [q|] eqn:R; [|discriminate].
  destruct (is_integral q) eqn:I; [|discriminate]. apply integer_value_of in I. assert (E : v = (Qnum q * z)%Z).
  { apply eq_IZR. rewrite <- V, (ratio_correct users n w i D l q R), Value, I, mult_IZR. reflexivity. }
  rewrite E. destruct (is_users p) eqn:U.
  - destruct known as [u|]; [|discriminate]. cbn [option_map] in H. rewrite (Known u eq_refl) in H. now take H.
  - take H. now destruct p.
Qed.
Lemma sum_truth_correct g : forall b, sum_truth known D n real z g = Some b -> tr g i = b.
Proof.
  induction g as [t|s|g IH|g IHg k IHk|g IHg k IHk|g IHg k IHk|g IHg k IHk|g IH|g IH|g IHg k IHk|g IHg k IHk|p|p s g IH
    |p t|r t u]; intros b H; cbn [sum_truth] in H; (match type of H with match assumed_truth ?l ?f
    with _ => _ end = _ => destruct (assumed_truth l f) as [c|] eqn:S; [injection H as <-;
    exact (real_truths_real D users n w i f c S)|] end); try discriminate. 1-6: by_parts H.
  - change (predicate_holds users p (counted_on s n (tr g) i) n = b). rewrite <- holds_at_count.
    apply (on_sum_correct (one_count s g)); [|exact H]. now rewrite one_count_value, INR_IZR_INZ.
  - change (holds_at users p (value_of_term users n w t i) n = b).
    destruct (Z.eqb_spec (term_constant t) 0) as [C|]; [|discriminate].
    apply (on_sum_correct (term_difference t (Number 0))); [|exact H].
    pose proof (difference_value users n w i t (Number 0)) as V. unfold constant_difference in V. rewrite C in V.
    cbn [term_constant] in V. change (value_of_term users n w (Number 0) i) with 0%Z in V. rewrite Z.sub_0_r in V.
    simpl in V.
      lra.
  - change (relation_holds r (value_of_term users n w t i) (value_of_term users n w u i) = b).
    destruct (ratio_of_sums (term_difference t u) D) as [q|] eqn:R; [|discriminate]. cbn [option_map] in H. take H.
    rewrite relates_difference. f_equal. pose proof (difference_value users n w i t u) as V.
    rewrite (ratio_correct users n w i D _ q R), Value in V.
    exact (sign_at_value q (constant_difference t u) z _ (eq_sym V)).
Qed.

Lemma numbers_from_in k : forall y x, (y <= x < y + Z.of_nat k)%Z -> In x (numbers_from k y).
Proof.
  induction k as [|k IH]; intros y x Hx; [lia|]. cbn [numbers_from]. destruct (Z.eq_dec x y) as [->|N]; [now left|].
  right. apply IH. lia.
Qed.

(* What is claimed where D is z, and what was checked of it. *)
Lemma claims_hold_there places right sees_there : claims_hold D n i real sees_there (lookup_claims known D chi guard n
  real places right) = true -> (least_sum D real n i <= z <= greatest_sum D real n i)%Z -> tr guard i = true ->
  right (places z) (tr chi i) = true /\ sees_there (places z) = true.
Proof.
  unfold claims_hold. intros H B G. apply andb_prop in H as [R H]. apply andb_prop in R as [R1 R2].
  apply Z.leb_le in R1, R2. rewrite forallb_forall in H.
  set (ok := match sum_truth known D n real z chi with Some t => right (places z) t | None => false end).
  assert (I : In (z, places z, ok) (lookup_claims known D chi guard n real places right)).
  { unfold lookup_claims. apply in_flat_map. exists z. split; [apply numbers_from_in; lia|].
    pose proof (sum_truth_correct guard) as T. destruct (sum_truth known D n real z guard) as [[]|]; try (now left).
    rewrite (T false eq_refl) in G. discriminate. }
  specialize (H _ I). cbv beta iota in H. rewrite (proj2 (Z.ltb_ge z (least_sum D real n i))) in H by lia.
  rewrite (proj2 (Z.ltb_ge (greatest_sum D real n i) z)) in H by lia. cbn [orb] in H. apply andb_prop in H as [O S].
  split; [|exact S]. unfold ok in O. pose proof (sum_truth_correct chi) as T.
  destruct (sum_truth known D n real z chi) as [t|]; [|discriminate]. now rewrite (T t eq_refl).
Qed.

(* H is near the place. *)
Lemma place_of_correct shift r s o e : place_of A D real shift r = Some (s, o, e) ->
  Rabs (Q2R shift + linear r (h i) - IZR (place_for s o z)) <= Q2R e.
Proof.
  unfold place_of, option_bind. intros H. destruct (near_counts A r) as [[[cs ts] e']|] eqn:N; [|discriminate].
  destruct (truths_number real ts) as [x|] eqn:T; [|discriminate]. cbv zeta in H.
  destruct (is_integral (Qred (shift + x))) eqn:I; [|discriminate]. apply integer_value_of in I.
  rewrite Q2R_reduced, Q2R_plus in I. pose proof (near_counts_correct A users n w i h HA r cs ts e' N) as E.
  rewrite (truths_number_correct D users n w i ts x T) in E.
  destruct (equal_combinations count_eqb cs D) eqn:E1; [|destruct (equal_combinations count_eqb cs (scaled_terms (-1)
    D)) eqn:E2; [|discriminate]]; apply some_inj in H; take_triple H; unfold place_for; rewrite plus_IZR, <- I.
  - rewrite (equal_correct count_eqb count_eqb_eq counts _ _ E1), Value in E.
    match goal with |- Rabs ?u <= _ => match type of E with Rabs ?v <= _ => replace u with v by ring end end. exact E.
  - rewrite (equal_correct count_eqb count_eqb_eq counts _ _ E2), combined_scaled, Value in E. rewrite opp_IZR.
    replace (Q2R (-1)) with (-1) in E by (unfold Q2R; simpl; lra).
    match goal with |- Rabs ?u <= _ => match type of E with Rabs ?v <= _ => replace u with v by ring end end. exact E.
Qed.
End Claimed.

(* ---- weights ---- *)
Local Notation share := (fixed weight_bits).
Lemma gap_value c0 E k : 0 <= Q2R E -> 2 * Q2R E < 1 -> Q2R (c0 * (integer_of (k * k) - 2 * E * integer_of k))
  = Q2R c0 * (INR k * INR k - 2 * Q2R E * INR k) /\ 0 <= INR k * INR k - 2 * Q2R E * INR k.
Proof.
  intros E0 E1. split.
  - rewrite Q2R_mult, Q2R_minus, !Q2R_mult, !integer_of_value, mult_INR. f_equal. f_equal. f_equal. f_equal.
    unfold Q2R. simpl. lra.
  - destruct k as [|k]; [simpl; lra|]. pose proof (INR_at_least_1 (S k) ltac:(lia)) as K.
    replace (INR (S k) * INR (S k) - 2 * Q2R E * INR (S k)) with (INR (S k) * (INR (S k) - 2 * Q2R E)) by ring.
    apply Rmult_le_pos; lra.
Qed.
Lemma gap_weight_correct c0 E k : 0 <= Q2R c0 -> 0 <= Q2R E -> 2 * Q2R E < 1 ->
  exp (- (Q2R c0 * (INR k * INR k - 2 * Q2R E * INR k))) <= share (gap_weight c0 E k).
Proof.
  intros C E0 E1. destruct (gap_value c0 E k E0 E1) as [V P]. apply decay_of_floor; [exact V|]. now apply Rmult_le_pos.
Qed.
Lemma nth_gap_weight c0 E k : 0 <= Q2R c0 -> 0 <= Q2R E -> 2 * Q2R E < 1 -> exp (- (Q2R c0 * (INR k * INR k - 2 * Q2R E
  * INR k))) <= share (nth k (map (gap_weight c0 E) (seq 0 weight_table_length)) (gap_weight c0 E weight_table_length)).
Proof.
  intros C E0 E1. destruct (Nat.lt_ge_cases k weight_table_length) as [L|L].
  - rewrite (nth_indep _ _ (gap_weight c0 E 0)) by (now rewrite length_map, length_seq).
    rewrite map_nth, seq_nth by exact L. now apply gap_weight_correct.
  - rewrite nth_overflow by (now rewrite length_map, length_seq).
    eapply Rle_trans; [|now apply (gap_weight_correct c0 E weight_table_length)].
    apply exp_monotone, Ropp_le_contravar, Rmult_le_compat_l; [exact C|]. apply le_INR in L.
    assert (K : 1 <= INR weight_table_length) by (apply INR_at_least_1; unfold weight_table_length; lia).
    assert (0 <= (INR k - INR weight_table_length) * (INR k + INR weight_table_length - 2 * Q2R E))
      by (apply Rmult_le_pos; lra). lra.
Qed.
(* How much less position j scores than the place p, near H. *)
Lemma score_gap c H E p j : 0 <= c -> Rabs (H - INR p) <= E -> c * (2 * H * INR j - INR j * INR j)
  <= c * (2 * H * INR p - INR p * INR p) - c * (INR (index_distance j p) * INR (index_distance j p) - 2 * E * INR
    (index_distance j p)).
Proof.
  intros C B. assert (K : INR (index_distance j p) = Rabs (INR j - INR p)).
  { unfold index_distance. destruct (Nat.le_ge_cases j p) as [L|L].
    - replace (j - p + (p - j))%nat with (p - j)%nat by lia. rewrite minus_INR by exact L. apply le_INR in L.
      rewrite Rabs_left1 by lra. ring.
    - replace (j - p + (p - j))%nat with (j - p)%nat by lia. rewrite minus_INR by exact L. apply le_INR in L.
      rewrite Rabs_right by lra. ring. }
  rewrite K. set (d := INR j - INR p). assert (S : Rabs d * Rabs d = d * d) by (rewrite <- Rabs_mult; apply Rabs_right;
    nra).
  rewrite S. assert (X : (H - INR p) * d <= E * Rabs d).
  { eapply Rle_trans; [apply Rle_abs|]. rewrite Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos|exact B]. }
  assert (Y : c * ((H - INR p) * d) <= c * (E * Rabs d)) by now apply Rmult_le_compat_l.
  replace (INR j) with (d + INR p) by (unfold d; ring). lra.
Qed.

(* ---- the head ---- *)
Section Head.
Variables (known : option predicate_meanings) (A : list meaning) (a : head) (values : row) (D : sum_of_counts).
Variables (users : predicate_meanings) (n : nat) (w : word) (i : position n) (h : nat -> vector).
Hypothesis HA : holds_of users n w A h.
Hypothesis Known : forall u, known = Some u -> u = users.
Hypothesis Whole : forallb (fun e => is_integral (snd e)) D = true.
Notation tr := (truth users n w).
Notation real := (real_truths D users n w i).
Variables (chi guard : formula) (x y c0 E : Q) (table : list Z) (far : Z).
Notation m := (mask_at (head_masking a) i).
Notation checked := (check_sum_length known A a values D chi guard x y c0 E table far n = true).

Lemma sum_range_there : checked -> forall j, visible n m j -> 0 <= linear values (h j) <= 1.
Proof.
  intros H j [Hj _]. unfold check_sum_length in H.
  destruct (traverse (value_row known A values n) (seq 1 n)) as [vs|] eqn:Vs; [|discriminate].
  apply andb_prop in H as [Range _]. rewrite forallb_forall in Range.
  destruct (values_are known A values users n w i h HA Known vs Vs) as [Ln V].
  rewrite (V j Hj). specialize (Range (nth (j - 1) vs 0%Q) ltac:(apply nth_In; lia)).
  apply andb_prop in Range as [R1 R2]. apply Qle_bool_R in R1, R2. rewrite Q2R_0 in R1. rewrite Q2R_1 in R2. lra.
Qed.

(* Either all values are the truth; or a place is looked for, and there it stands. *)
Lemma sum_found : checked -> tr guard i = true -> (each j upto n, linear values (h j) = bit (tr chi i)) \/
  exists vs c H e p, length vs = n /\ (each j upto n, linear values (h j) = Q2R (nth (j - 1) vs 0%Q)) /\
  Q2R c0 <= Q2R c /\ Rabs (H - INR p) <= Q2R E /\ visible n m p /\ (each j upto n, scaled_score a n h i j
  = Q2R c * (2 * H * INR j - INR j * INR j) + e) /\ reads_there x y table far vs (Z.of_nat p) (tr chi i) = true.
Proof.
  intros H G. unfold check_sum_length in H.
  destruct (traverse (value_row known A values n) (seq 1 n)) as [vs|] eqn:Vs; [|discriminate].
  apply andb_prop in H as [_ H]. destruct (values_are known A values users n w i h HA Known vs Vs) as [Ln V].
  destruct (sum_there D users n w i Whole) as (z & Vz & Bz). assert (I : In (i : nat) (seq 1 n)) by (apply in_seq; lia).
  destruct (all_same vs) eqn:Same.
  - left. intros j Hj. rewrite forallb_forall in H. specialize (H _ (real_truths_listed D users n w i)). cbv zeta in H.
    rewrite forallb_forall in H. specialize (H i I). rewrite (real_truths_can_be known D users n w i Known) in H.
    apply (claims_hold_there known D users n w i Known chi guard z Vz) in H as [R _]; [|exact Bz|exact G].
    apply Qeq_bool_R in R. rewrite number_of_value in R. rewrite <- R, (V j Hj).
    unfold all_same in Same. rewrite forallb_forall in Same. symmetry. apply Qeq_bool_R, Same, nth_In. lia.
  - right. destruct (traverse (key_parabola A n) (head_keys a)) as [ks|] eqn:Ks; [|discriminate].
    destruct (traverse (vertex_at A a ks n) (seq 1 n)) as [vertices|] eqn:Vx; [|discriminate].
    pose proof (traverse_length _ _ _ Vx) as Lx. rewrite length_seq in Lx.
    destruct vertices as [|[[c1 shift1] r1] rest] eqn:Vd; [discriminate|]. rewrite <- Vd in *.
    rewrite forallb_forall in H. specialize (H _ (real_truths_listed D users n w i)). cbv beta in H.
    destruct (place_of A D real shift1 r1) as [[[s o] e1]|].
    2:{ exfalso. rewrite forallb_forall in H. specialize (H i I).
        now rewrite (real_truths_can_be known D users n w i Known) in H. }
    cbv zeta in H. rewrite forallb_forall in H.
    destruct (traverse_nth _ _ _ (i - 1) (i : nat) Vx) as ([[c shift] r] & Nv & Kv).
    { rewrite (nth_error_nth' _ 0%nat) by (rewrite length_seq; lia). rewrite seq_nth by lia. f_equal. lia. }
    assert (Ic : In ((i : nat), (c, shift, r)) (combine (seq 1 n) vertices)).
    { apply nth_error_In with (n := (i - 1)%nat). clear - Nv Lx i.
      assert (C : forall k st (l : list (Q * Q * row)) v, nth_error l k = Some v -> (k < n)%nat ->
        nth_error (combine (seq st (length l)) l) k = Some ((st + k)%nat, v)).
      { induction k as [|k IH]; intros st [|u l] v N K; try discriminate; simpl in *.
        - injection N as ->. now rewrite Nat.add_0_r.
        - rewrite (IH (S st) l v N ltac:(lia)). now rewrite Nat.add_succ_r. }
      rewrite <- Lx at 1. rewrite (C (i - 1)%nat 1%nat vertices _ Nv ltac:(lia)). repeat f_equal. lia. }
    specialize (H _ Ic). unfold check_sum_row in H. rewrite (real_truths_can_be known D users n w i Known) in H.
    apply andb_prop in H as [H Cl]. apply andb_prop in H as [Cc H]. apply Qle_bool_R in Cc.
    destruct (place_of A D real shift r) as [[[s' o'] miss]|] eqn:P; [|discriminate]. apply andb_prop in H as [Eq Me].
    unfold place_eqb in Eq. apply andb_prop in Eq as [Es Eo]. apply eqb_prop in Es. apply Z.eqb_eq in Eo. subst s' o'.
    apply Qle_bool_R in Me.
    apply (claims_hold_there known D users n w i Known chi guard z Vz) in Cl as [R S]; [|exact Bz|exact G].
    destruct (vertex_at_correct A a users n w i h HA ks c shift r Ks Kv) as (Cp & e & Score).
    pose proof (place_of_correct A D users n w i h HA z Vz shift r s o miss P) as Near. unfold sees_place in S.
    apply andb_prop in S as [S Mp]. apply andb_prop in S as [P1 P2]. apply Z.leb_le in P1, P2.
    set (pz := place_for s o z) in *. exists vs, c, (Q2R shift + linear r (h i)), e, (Z.to_nat pz).
    assert (Pv : INR (Z.to_nat pz) = IZR pz) by (rewrite INR_IZR_INZ, Z2Nat.id by lia; reflexivity). split; [exact Ln|].
    split; [exact V|]. split; [exact Cc|]. split; [rewrite Pv; lra|]. split; [split; [lia|exact Mp]|].
    split; [exact Score|]. now rewrite Z2Nat.id by lia.
Qed.
End Head.

(* What is written is the truth, to within these errors. *)
Definition within_errors (x y : Q) (t : bool) (v : R) : Prop := if t then 1 - Q2R y <= v else v <= Q2R x.
Lemma exact_within x y t : 0 <= Q2R x -> 0 <= Q2R y -> within_errors x y t (bit t).
Proof. intros X Y. unfold within_errors. destruct t; simpl; lra. Qed.
Lemma is_error_spec e : is_error e = true -> 0 <= Q2R e < 1.
Proof.
  unfold is_error. intros H. apply andb_prop in H as [H1 H2]. apply Qle_bool_R in H1. rewrite Q2R_0 in H1.
  split; [exact H1|]. destruct (Rlt_le_dec (Q2R e) 1) as [L|L]; [exact L|]. exfalso.
  assert (T : (1 <= e)%Q) by (apply Rle_Qle; rewrite Q2R_1; exact L). apply Qle_bool_iff in T. now rewrite T in H2.
Qed.

Section Written.
Variables (users : predicate_meanings) (n : nat) (w : word) (i : position n) (h : nat ->
  vector) (a : head) (values : row).
Variables (x y c0 E : Q) (t : bool).
Notation m := (mask_at (head_masking a) i).
Hypothesis In01 : forall j, visible n m j -> 0 <= linear values (h j) <= 1.
Hypothesis Hx : 0 <= Q2R x < 1.
Hypothesis Hy : 0 <= Q2R y < 1.
Hypothesis C0 : 0 < Q2R c0.
Hypothesis E0 : 0 <= Q2R E.
Hypothesis E1 : 2 * Q2R E < 1.

Lemma same_written v : (each j upto n, linear values (h j) = v) ->
  normalises (head_weighing a) = true -> head_value a n h i values = v.
Proof.
  intros V K. unfold head_value, attend_as. set (ws := weights_as (head_weighing a) n m i (scaled_score a n h i)).
  rewrite (sum_ext n _ (fun j => ws j * v)) by (intros j Hj; now rewrite (V j Hj)).
  rewrite sum_scale_r. unfold ws. rewrite (attend_as_total _ n m i _ i K (self_visible n a i)). ring.
Qed.

Variables (vs : list Q) (c : Q) (H e : R) (p : nat) (table : list Z) (far : Z).
Hypothesis Ln : length vs = n.
Hypothesis Value : each j upto n, linear values (h j) = Q2R (nth (j - 1) vs 0%Q).
Hypothesis Cc : Q2R c0 <= Q2R c.
Hypothesis Near : Rabs (H - INR p) <= Q2R E.
Hypothesis Vp : visible n m p.
Hypothesis Score : each j upto n, scaled_score a n h i j = Q2R c * (2 * H * INR j - INR j * INR j) + e.
Hypothesis Reads : reads_there x y table far vs (Z.of_nat p) t = true.

Lemma gap_below j : j upto n -> scaled_score a n h i j <= scaled_score a n h i p
  - Q2R c0 * (INR (index_distance j p) * INR (index_distance j p) - 2 * Q2R E * INR (index_distance j p)).
Proof.
  intros Hj. destruct Vp as [Hp _]. rewrite (Score j Hj), (Score p Hp).
  pose proof (score_gap (Q2R c) H (Q2R E) p j ltac:(lra) Near) as G.
  destruct (gap_value c0 E (index_distance j p) E0 E1) as [_ P].
  assert (Q2R c0 * (INR (index_distance j p) * INR (index_distance j p) - 2 * Q2R E * INR (index_distance j p)) <=
    Q2R c * (INR (index_distance j p) * INR (index_distance j p) - 2 * Q2R E * INR (index_distance j p))) by now
      apply Rmult_le_compat_r. lra.
Qed.
Lemma reads_there_spec : linear values (h p) = bit t
  /\ (1 - Q2R (limit_for x y t)) * share (bad_sum table far p (bool_rational t) 1 vs) <= Q2R (limit_for x y t).
Proof.
  destruct Vp as [Hp _]. unfold reads_there in Reads. cbv zeta in Reads. rewrite Nat2Z.id in Reads.
  apply andb_prop in Reads as [R B]. apply andb_prop in R as [_ R]. apply Qeq_bool_R in R. split.
  - rewrite (Value p Hp), <- number_of_value, <- R. f_equal. apply nth_indep. lia.
  - set (l := limit_for x y t) in *. set (s := bad_sum table far p (bool_rational t) 1 vs) in *. apply Z.leb_le in B.
    apply (fixed_le weight_bits weight_bits_nonneg) in B. rewrite !fixed_times, fixed_one in B by apply
      weight_bits_nonneg.
    rewrite minus_IZR in B. unfold Q2R. assert (P : 0 < IZR (Zpos (Qden l))) by now apply IZR_lt.
    apply Rmult_le_reg_r with (IZR (Zpos (Qden l))); [exact P|].
    replace ((1 - IZR (Qnum l) * / IZR (Zpos (Qden l))) * share s * IZR (Zpos (Qden l)))
      with ((IZR (Zpos (Qden l)) - IZR (Qnum l)) * share s) by (field; lra).
    replace (IZR (Qnum l) * / IZR (Zpos (Qden l)) * IZR (Zpos (Qden l))) with (IZR (Qnum l) * 1) by (field; lra). exact
      B.
Qed.

Lemma softmax_written : table = map (gap_weight c0 E) (seq 0 weight_table_length) -> far
  = gap_weight c0 E weight_table_length -> head_weighing a = Softmax -> within_errors x y t (head_value a n h i values).
Proof.
  intros Et Ef K. destruct reads_there_spec as [Rp B]. destruct Vp as [Hp Mp].
  set (S := bad_sum table far p (bool_rational t) 1 vs) in *. unfold head_value. rewrite K.
  set (att := attend_as _ _ _ _ _ _).
  change att with (attend n m (scaled_score a n h i) (fun j => linear values (h j))). clear att.
  assert (L : 0 <= Q2R (limit_for x y t) < 1) by (unfold limit_for; destruct t; lra).
  set (l := Q2R (limit_for x y t)) in *.
  assert (G : Rabs (bit t - attend n m (scaled_score a n h i) (fun j => linear values (h j))) <= l).
  { rewrite <- attend_beside_0. replace l with (l / ((1 - l) + l)) by (field; lra).
    apply (gap_rule_limit n m _ _ (bit t) p (share S) 0 (Rle_refl 0)); auto; try lra; try (split; assumption);
      [apply bit_range|]. rewrite Rmult_0_r, Rplus_0_r.
    assert (W : forall k, exp (- (Q2R c0 * (INR k * INR k - 2 * Q2R E * INR k))) <= share (nth k table far))
      by (intros k; rewrite Et, Ef; apply nth_gap_weight; lra). apply (bad_sum_bound n i); auto.
    - intros k. eapply Rle_trans; [apply exp_nonneg|apply W].
    - intros j Hj. eapply Rle_trans; [apply exp_monotone, (gap_below j Hj)|]. unfold Rminus.
      rewrite exp_plus. apply Rmult_le_compat_l; [apply exp_nonneg|apply W]. }
  unfold within_errors. revert G. unfold l, limit_for, Rabs. destruct t; cbn [bit]; destruct (Rcase_abs _); lra.
Qed.

Lemma sparse_written order : sparse_order (head_weighing a) = Some order ->
  INR (S order) <= Q2R c0 * (1 - 2 * Q2R E) -> within_errors x y t (head_value a n h i values).
Proof.
  intros K Sharp. destruct reads_there_spec as [Rp _]. destruct Vp as [Hp Mp]. unfold head_value.
  rewrite (attend_as_sparsely _ order) by exact K. rewrite (attend_sparsely_far order n m _ _ p Vp).
  - rewrite Rp. apply exact_within; lra.
  - intros j [Hj _] N. pose proof (gap_below j Hj) as G. set (k := index_distance j p) in *.
    assert (K1 : 1 <= INR k) by (apply INR_at_least_1; unfold k, index_distance; lia).
    assert (P : 0 <= (INR k - 1) * (INR k + 1 - 2 * Q2R E)) by (apply Rmult_le_pos; lra).
    assert (Q2R c0 * (1 - 2 * Q2R E) <= Q2R c0 * (INR k * INR k - 2 * Q2R E * INR k))
      by (apply Rmult_le_compat_l; lra). lra.
Qed.
End Written.

Theorem check_sum_lookup_correct known users n w L A h a r chi guard x y (i : position n) : length_allowed L n ->
  holds_of users n w A h -> (forall u, known = Some u -> u = users) -> check_sum_lookup known L A a r (IsNear chi guard)
  x y = true -> 0 <= head_value a n h i r <= 1 /\ (truth users n w guard i = true -> within_errors x y (truth users n w
  chi i) (head_value a n h i r)).
Proof.
  intros (N1 & Le & HN) HA Known H. unfold check_sum_lookup in H. destruct (greatest_length L) as [N|]; [|discriminate].
  destruct (match sum_in chi with Some l => Some l | None => sum_in guard end) as [D|]; [|discriminate]. cbv zeta in H.
  destruct (extremes known A a r _) as [c' E]. set (c0 := match c' with Some c => c | None => 4%Q end) in *.
  apply andb_prop in H as [H K]. apply andb_prop in H as [H E1]. apply andb_prop in H as [H E0].
  apply andb_prop in H as [H C0]. apply andb_prop in H as [H Hy]. apply andb_prop in H as [Whole Hx].
  apply is_error_spec in Hx, Hy. apply negb_true_iff, not_below in C0. apply Qle_bool_R in E0. rewrite Q2R_0 in E0.
  assert (E1' : 2 * Q2R E < 1).
  { destruct (Rlt_le_dec (2 * Q2R E) 1) as [B|B]; [exact B|]. exfalso. assert (T : (1 <= 2 * E)%Q).
    { apply Rle_Qle. rewrite Q2R_1, Q2R_mult. replace (Q2R 2) with 2 by (unfold Q2R; simpl; lra). exact B. }
    apply Qle_bool_iff in T. now rewrite T in E1. }
  assert (In_ : In n (lengths_to L N)) by (unfold lengths_to; apply in_seq; lia).
  assert (One : forall table far, forallb (check_sum_length known A a r D chi guard x y c0 E table far) (lengths_to L
    N) = true -> check_sum_length known A a r D chi guard x y c0 E table far n = true).
  { intros table far F. rewrite forallb_forall in F. now apply F. }
  assert (Ends : forall table far, check_sum_length known A a r D chi guard x y c0 E table far n = true ->
    normalises (head_weighing a) = true -> 0 <= head_value a n h i r <= 1).
  { intros table far F NP. unfold head_value.
    apply (attend_as_range _ n _ _ _ _ i (normalises_has_kernel _ NP) (self_visible n a i)).
    exact (sum_range_there known A a r D users n w i h HA Known chi guard x y c0 E table far F). }
  destruct (sparse_order (head_weighing a)) as [order|] eqn:O.
  - assert (K' : Qle_bool (integer_of (S order)) (c0 * (1 - 2 * E)) && forallb (check_sum_length known A a r D chi guard
      x y c0 E [] 0%Z) (lengths_to L N) = true) by (destruct (head_weighing a); try discriminate O; exact K). clear K.
    apply andb_prop in K' as [Sharp F]. apply One in F. apply Qle_bool_R in Sharp.
    assert (Sharp' : INR (S order) <= Q2R c0 * (1 - 2 * Q2R E)).
    { rewrite integer_of_value in Sharp. revert Sharp. rationals. lra. }
    pose proof (sparse_normalises _ _ O) as NP. split; [exact (Ends _ _ F NP)|]. intros G.
    destruct (sum_found known A a r D users n w i h HA Known Whole chi guard x y c0 E [] 0%Z F G)
      as [S|(vs & c & V & e & p & Ln & Va & Cc & Ne & Vp & Sc & Rd)].
    + rewrite (same_written n i h a r _ S NP). apply exact_within; lra.
    + apply (sparse_written n i h a r) with (c0 := c0) (E := E) (vs := vs) (c := c) (H := V) (e := e) (p := p)
        (table := []) (far := 0%Z) (order := order); assumption.
  - destruct (head_weighing a) eqn:W; try discriminate. apply One in K.
    split; [exact (Ends _ _ K ltac:(reflexivity || now rewrite W))|]. intros G.
    destruct (sum_found known A a r D users n w i h HA Known Whole chi guard x y c0 E _ _ K G)
      as [S|(vs & c & V & e & p & Ln & Va & Cc & Ne & Vp & Sc & Rd)].
    + rewrite (same_written n i h a r _ S ltac:(reflexivity || now rewrite W)). apply exact_within; lra.
    + apply (softmax_written n i h a r) with (c0 := c0) (E := E) (vs := vs) (c := c) (H := V) (e := e) (p :=
        p) (table := map (gap_weight c0 E) (seq 0 weight_table_length)) (far := gap_weight c0 E weight_table_length);
        try assumption; try reflexivity.
      exact (sum_range_there known A a r D users n w i h HA Known chi guard x y c0 E _ _ K).
Qed.
