(* A count looked up by several heads whose weights depend on their own score alone (ReLU, ReLU over n, sigmoid), up to
   a length (docs/background/obligations.md, Sum lookup).

   Scores are a (z - j) + e, where z is the count at the row. So together the heads weigh position j by W (p - j), where
   p = z + off is the place that is looked for: different positions have different distances from it. If W is at least
   0, near 1 at 0, and small at all other distances together, the heads hold the value at p, to within these errors. off
   is sought where W is greatest, which nobody need believe: what is proved holds for any.
   Proved: if `looks_up_together` returns true, the sum of the heads has its stated value. *)
From Coq Require Import Reals QArith Qreals Qround Qabs ZArith List Bool Lra Lia Arith.
From Certify Require Import options positions lists finite_sums softmax weighing relu exponential exp_enclosure
  formula network totals meaning linear_combination comparison cases theorem_20_counting check_head check_feedforward
  gap_rule values_by_rows queries_by_rows check_by_rows check_by_sticks output_by_rows lookup_by_rows
  sum_lookup_by_rows check_by_differences.
Import ListNotations PositionNotations.
Open Scope R_scope.

(* ---- the weights of several heads, at distances from 0 to 2 R - 2, of which R - 1 is that of the place ---- *)
(* ReLU over n is ReLU of scores over n. *)
Definition kind_of (k : weighing) : weighing := match k with Sigmoid => Sigmoid | _ => Relu end.
Local Definition divisor (k : weighing) (n : nat) : Q := match k with ReluOverN => inject_Z (Z.of_nat n) | _ => 1%Q end.
Local Definition moved (by_ : Z) (ts : term_list) : term_list :=
  map (fun t => (fst t, (fst (snd t), Qred (snd (snd t) - fst (snd t) * inject_Z by_)))) ts.
(* Where W is greatest, of -R to R - 1: in multiples of 2^-16 that is quickly found, and it is seldom another place. *)
Definition rough_sigmoid (z : Q) : Z :=
  let rough y := (4294967296 / (65536 + decay_above 16 y))%Z in
  let y := Qfloor (z * 65536) in if (0 <=? y)%Z then rough y else (65536 - rough (- y))%Z.
Definition rough_weight (k : weighing) (ts : term_list) (d : nat) : Z :=
  match k with
  | Sigmoid => fold_right (fun t x => Qfloor (fst t * inject_Z (rough_sigmoid (at_distance t d))) + x)%Z 0%Z ts
  | _ => fst (weight_ends k 1 ts d)
  end.
Definition place_beyond (weight : term_list -> nat -> Z) (R : nat) (ts : term_list) : Z :=
  let ts := moved (Z.of_nat R) ts in
  snd (fold_left (fun best d => let w := weight ts d in
    if (fst best <? w)%Z then (w, (Z.of_nat R - Z.of_nat d)%Z) else best) (seq 0 (2 * R)) (0, 0)%Z).
Definition from_place (R : nat) (off : Z) (ts : term_list) : term_list := moved (off + Z.of_nat R - 1) ts.
(* Whether W then is as it should be. *)
Local Definition settles (k : weighing) (x y : Q) (R : nat) (ts : term_list) (off : Z) : bool :=
  singles_out k 1 (2 * R - 1) (R - 1) (from_place R off ts) x y.
Local Definition settle (k : weighing) (x y : Q) (R : nat) (ts : term_list) : option Z :=
  let off := place_beyond (rough_weight k) R ts in
  if settles k x y R ts off then Some off
  else match k with
       | Sigmoid => let off := place_beyond (fun ts d => fst (weight_ends k 1 ts d)) R ts in
                    if settles k x y R ts off then Some off else None
       | _ => None
       end.

(* By how much the first terms are to be moved to be the second, if they can be. *)
Definition shift_between (ts us : term_list) : Z :=
  match ts, us with (_, (a, e)) :: _, (_, (_, e')) :: _ => Qnum (Qred ((e - e') / a)) | _, _ => 0%Z end.

Section Lookup.
Variables (known : option predicate_meanings) (A : list meaning) (D : sum_of_counts) (k : weighing).
Variables (base : row) (scale : Q).          (* values are multiples of this row, of which scale makes 0 and 1 *)

(* ---- what heads score ---- *)
(* Of what queries and keys give together: the factor of j; the rest, as a number and what depends on the word. *)
Fixpoint line_factors (qs : list (Q * row)) (ks : list quadratic) : option (Q * Q * Q * row) :=
  match qs, ks with
  | (x, rest) :: qs, (al, be, ga) :: ks =>
      option_bind (line_factors qs ks) (fun t => let '(p, q, c, r) := t in
        if match rest with [] => true | _ => is_zero al && is_zero be end
        then Some (Qred (x * al + p), Qred (x * be + q), Qred (x * ga + c), scaled_terms ga rest ++ r) else None)
  | _, _ => Some (0%Q, 0%Q, 0%Q, [])
  end.
(* a and e, where the scores are a (z - j) + e and z is D. *)
Definition line_at (n i : nat) (bs : truth_list) (a : head) (ks : list quadratic) : option (Q * Q) :=
  option_bind (exact_value (head_temperature a) n i) (fun tau =>
    option_bind (line_factors (map (split_row A n i) (head_queries a)) ks) (fun t => let '(p, q, c, r) := t in
      option_bind (near_counts A r) (fun u => let '(cs, ts, miss) := u in option_bind (truths_number bs ts) (fun x =>
        if negb (is_zero tau) && is_zero p && is_zero miss && equal_combinations count_eqb cs (scaled_terms (- q) D)
        then Some (- q / tau, (c + x) / tau)%Q else None)))).
Definition term_at (n i : nat) (bs : truth_list) (e : head * row * list quadratic) : option (Q * (Q * Q)) :=
  let '(a, r, ks) := e in
  option_bind (row_multiple base r) (fun c => option_bind (line_at n i bs a ks) (fun l =>
    Some (Qred (c * scale), (Qred (fst l / divisor k n), Qred (snd l / divisor k n))))).
Definition with_keys (n : nat) (ar : head * row) : option (head * row * list quadratic) :=
  option_map (fun ks => (ar, ks)) (traverse (key_parabola A n) (head_keys (fst ar))).
Definition terms_at (n i : nat) (bs : truth_list) (es : list (head * row * list quadratic)) : option term_list :=
  traverse (term_at n i bs) es.

(* ---- the check of a length ---- *)
Variables (as_ : list (head * row)) (masked : head) (chi guard : formula) (x y : Q).
Notation fs := (counted_formulas D).
(* The possible terms of the first row, in each case of the counted positions. *)
Definition first_row (n : nat) (bs : truth_list) : option nat := find (fun i => can_be known n i bs) (seq 1 n).
(* Those of the greatest length, and their place: where there are the same, or moved ones, it need not be sought. *)
Definition settled_at (N : nat) : option (term_list * Z) :=
  let can_be_somewhere bs := match first_row N bs with Some _ => true | None => false end in
  option_bind (traverse (with_keys N) as_) (fun es => option_bind (find can_be_somewhere (truth_assignments fs)) (fun bs
    => option_bind (first_row N bs) (fun i => option_bind (terms_at N i bs es) (fun ts =>
      option_map (fun off => (ts, off)) (settle (kind_of k) x y N ts))))).
Definition place_off (settled : option (term_list * Z)) (n : nat) (ts : term_list) : option Z :=
  match settled with
  | Some (us, off) => let b := shift_between ts us in
      if terms_eqb (moved b ts) us then Some (off + b)%Z else settle (kind_of k) x y n ts
  | None => settle (kind_of k) x y n ts
  end.
Definition right_at (vs : list Q) (p : Z) (t : bool) : bool :=
  Qeq_bool (nth (Z.to_nat p - 1) vs (-1)%Q) (bool_rational t * scale).
Definition row_agrees (n : nat) (bs : truth_list) (es : list (head * row * list quadratic)) (ts : term_list) (off : Z)
    (l : list (Z * Z * bool)) (i : nat) : bool :=
  if can_be known n i bs then
    match terms_at n i bs es with
    | Some us => terms_eqb ts us && sees_place masked n i (least_sum D bs n i + off)
        && sees_place masked n i (greatest_sum D bs n i + off) && claims_hold D n i bs (sees_place masked n i) l
    | None => false
    end
  else true.
Definition case_agrees (settled : option (term_list * Z)) (n : nat) (es : list (head * row * list quadratic))
    (vs : list Q) (bs : truth_list) : bool :=
  match first_row n bs with
  | None => true
  | Some i0 =>
      match terms_at n i0 bs es with
      | Some ts =>
          match place_off settled n ts with
          | Some off => let l := lookup_claims known D chi guard n bs (fun z => z + off)%Z (right_at vs) in
              all_of (row_agrees n bs es ts off l) (seq 1 n)
          | None => false
          end
      | None => false
      end
  end.
Definition length_agrees (settled : option (term_list * Z)) (n : nat) : bool :=
  match traverse (value_row known A base n) (seq 1 n), traverse (with_keys n) as_ with
  | Some vs, Some es =>
      forallb (fun v => Qle_bool 0 (v / scale) && Qle_bool (v / scale) 1) vs
      && all_of (case_agrees settled n es vs) (truth_assignments fs)
  | _, _ => false
  end.
End Lookup.

(* ---- the heads ---- *)
Definition total_read (A : list meaning) (as_ : list (head * row)) : option (side * formula) :=
  match find (fun x => match x with IsTotal _ _ => true | _ => false end)
    (map (fun e => nth (fst e) A IsAnything) (concat (flat_map (fun ar => head_queries (fst ar)) as_))) with
  | Some (IsTotal s f) => Some (s, f) | _ => None
  end.
(* The value that is greatest in size; where all are 0, the coefficient. *)
Definition scale_of (known : option predicate_meanings) (A : list meaning) (base : row) (ns : list nat) : Q :=
  let most := fold_left (fun q n => match traverse (value_row known A base n) (seq 1 n) with
    | Some vs => fold_left greater_size vs q | None => q end) ns 0%Q in
  if is_zero most then fold_left greater_size (map snd base) 0%Q else most.
Definition looks_up_together (known : option predicate_meanings) (L : lengths) (A : list meaning)
    (as_ : list (head * row)) (chi guard : formula) (x y : Q) : bool :=
  match as_, greatest_length L, total_read A as_ with
  | (a, base) :: _, Some N, Some (s, f) =>
      let k := head_weighing a in
      if is_alone k && (N <=? greatest_by_rows)%nat && Qle_bool x 1 && forallb (fun ar =>
        same_weighing (head_weighing (fst ar)) k && masking_eqb (head_masking (fst ar)) (head_masking a)) as_
      then
        let D := one_count s f in let scale := scale_of known A base (lengths_to L N) in
        let settled := settled_at known A D k base scale as_ x y N in
        negb (is_zero scale) && all_of (length_agrees known A D k base scale as_ a chi guard x y settled)
          (lengths_to L N)
      else false
  | _, _, _ => false
  end.

(* ---- soundness: weights ---- *)
Local Definition weigh (k : weighing) (ts : term_list) (t : R) : R :=
  total_over (fun u => Q2R (fst u) * weighing_response k 1 (Q2R (fst (snd u)) * t + Q2R (snd (snd u)))) ts.
Lemma weighs_moved k b ts d : weighs_as k 1 (moved b ts) d = weigh k ts (INR d - IZR b).
Proof.
  unfold weighs_as, weigh, moved. rewrite total_map. apply total_ext. intros t _. cbn [fst snd]. do 2 f_equal.
  rewrite Q2R_reduced, Q2R_minus, Q2R_mult, Q2R_inject_Z. ring.
Qed.
Lemma kind_is_alone k : is_alone k = true -> is_alone (kind_of k) = true. Proof. now destruct k. Qed.
Lemma response_kind k n z : (1 <= n)%nat -> is_alone k = true ->
  weighing_response k n z = weighing_response (kind_of k) 1 (z / Q2R (divisor k n)).
Proof.
  intros Hn K. pose proof (INR_at_least_1 n Hn) as P.
  destruct k; try discriminate; cbn [kind_of divisor weighing_response].
  - f_equal. rewrite Q2R_1. field.
  - rewrite Q2R_of_nat. unfold relu, Rdiv. rewrite (Rmult_comm (Rmax 0 z)), <- RmaxRmult by (apply inverse_nonneg; lra).
    f_equal; ring.
  - f_equal. rewrite Q2R_1. field.
Qed.
Lemma divisor_not_0 k n : (1 <= n)%nat -> Q2R (divisor k n) <> 0.
Proof. intros Hn. pose proof (INR_at_least_1 n Hn). destruct k; cbn [divisor]; rewrite ?Q2R_of_nat, ?Q2R_1; lra. Qed.

Section Settled.
Variables (k : weighing) (x y : Q) (R : nat) (ts : term_list) (off : Z).
Hypothesis K : is_alone k = true.
Hypothesis E1 : Q2R x <= 1.
Hypothesis Found : settle k x y R ts = Some off.
Variables (n p : nat) (z : Z) (m : mask) (v : nat -> Rdefinitions.R).
Hypothesis Fits : (n <= R)%nat.
Hypothesis Hp : p upto n.
Hypothesis Place : Z.of_nat p = (z + off)%Z.
Hypothesis In01 : each j upto n, 0 <= v j <= 1.
Notation W := (weighs_as k 1 (from_place R off ts)).
Notation M := (2 * R - 1)%nat.
Notation gives := (fun j => if m j then weigh k ts (IZR z - INR j) * v j else 0).

Lemma settled_singles : singles_out k 1 M (R - 1) (from_place R off ts) x y = true.
Proof.
  unfold settle in Found. cbv zeta in Found. destruct (settles _ _ _ _ _ _) eqn:O in Found; [take Found; exact O|].
  destruct k; try discriminate. destruct (settles _ _ _ _ _ _) eqn:P in Found; [take Found; exact P|discriminate].
Qed.
Lemma weigh_at j : j upto n -> weigh k ts (IZR z - INR j) = W (p + (R - 1) - j)%nat.
Proof.
  intros Hj. unfold from_place. rewrite weighs_moved. f_equal. rewrite minus_INR, plus_INR, minus_INR by lia.
  rewrite minus_IZR, plus_IZR, <- INR_IZR_INZ. apply (f_equal IZR) in Place. rewrite plus_IZR, <- INR_IZR_INZ in Place.
  simpl. lra.
Qed.
Lemma weights_nonneg d : (d < M)%nat -> 0 <= W d.
Proof. exact (singles_out_nonneg k 1 M (R - 1) _ x y d (le_n 1) K settled_singles). Qed.
Lemma others_give : 0 <= sum_to n (zeroed_at p gives) <= sum_to M (beside W (R - 1)).
Proof.
  assert (B : each j upto n, 0 <= zeroed_at p gives j <= zeroed_at p (fun j => W (p + (R - 1) - j)%nat) j).
  { intros j Hj. unfold zeroed_at. destruct (Nat.eqb_spec j p) as [|N]; [lra|]. rewrite (weigh_at j Hj).
    pose proof (weights_nonneg (p + (R - 1) - j) ltac:(lia)) as P. pose proof (In01 j Hj). destruct (m j); [|lra].
    split; [apply Rmult_le_pos; lra|]. rewrite <- (Rmult_1_r (W _)) at 2. apply Rmult_le_compat_l; lra. }
  split; [apply sum_nonneg; intros j Hj; apply B, Hj|]. eapply Rle_trans; [apply sum_le; intros j Hj; apply B, Hj|].
  clear B. rewrite <- sum_backwards. set (c := (p + (R - 1) - n)%nat).
  rewrite (sum_ext n _ (fun j => beside W (R - 1) (c + j))).
  - replace M with (c + (n + (M - c - n)))%nat by (unfold c; lia). rewrite !sum_cut.
    assert (P : each j upto M, 0 <= beside W (R - 1) j).
    { intros j Hj. unfold beside. destruct (_ =? _)%nat; [lra|]. apply weights_nonneg. lia. }
    assert (0 <= sum_to c (beside W (R - 1))) by (apply sum_nonneg; intros j Hj; apply P; unfold c in *; lia).
    assert (0 <= sum_to (M - c - n) (fun j => beside W (R - 1) (c + (n + j)))) by (apply sum_nonneg; intros j Hj;
      apply P; unfold c in *; lia). lra.
  - intros j Hj. unfold zeroed_at, beside, c.
    destruct (Nat.eqb_spec (S n - j) p), (Nat.eqb_spec (p + (R - 1) - n + j - 1) (R - 1)); try lia; try reflexivity.
    f_equal. lia.
Qed.
Lemma settled_gives : let o := sum_to n gives in 0 <= o <= 1
  /\ forall t, m p = true -> v p = bit t -> within_errors x y t o.
Proof.
  cbv zeta. pose proof others_give as [O1 O2]. pose proof (weights_nonneg (R - 1) ltac:(lia)) as P.
  rewrite (sum_apart n p) by exact Hp. pose proof (In01 p Hp) as V.
  assert (E : weigh k ts (IZR z - INR p) = W (R - 1)) by (rewrite (weigh_at p Hp); f_equal; lia). rewrite E.
  assert (B : 0 <= (if m p then W (R - 1)%nat * v p else 0) <= W (R - 1)%nat).
  { destruct (m p); [|lra]. split; [apply Rmult_le_pos; lra|]. rewrite <- (Rmult_1_r (W _)) at 2.
    apply Rmult_le_compat_l; lra. }
  pose proof (fun t o => singles_out_correct k 1 M (R - 1) _ x y t o (le_n 1) K settled_singles ltac:(lia) E1) as Out.
  split.
  - destruct (Out true (W (R - 1)%nat + sum_to M (beside W (R - 1)))) as [Top _]; [cbn [bit]; lra|]. lra.
  - intros t Mp Vp. rewrite Mp, Vp. unfold within_errors. apply Out. lra.
Qed.
End Settled.

(* ---- soundness: heads ---- *)
Section Heads.
Variables (known : option predicate_meanings) (A : list meaning) (D : sum_of_counts) (k : weighing).
Variables (base : row) (scale : Q) (users : predicate_meanings) (n : nat) (w : word) (i : position n)
  (h : nat -> vector).
Hypothesis HA : holds_of users n w A h.
Hypothesis K : is_alone k = true.
Hypothesis Scale : is_zero scale = false.
Variable z : Z.
Hypothesis Value : combination_value (count_value users n w i) D = IZR z.
Notation real := (real_truths D users n w i).
Notation gives a us v := (fun j => if mask_at (head_masking a) i j then weigh (kind_of k) us (IZR z - INR j) * v j
  else 0).

Lemma line_factors_correct rows : forall keys ks p q c r, traverse (key_parabola A n) keys = Some ks ->
  line_factors (map (split_row A n i) rows) ks = Some (p, q, c, r) -> each j upto n,
  dot_product rows keys (h i) (h j) = Q2R p * INR j * INR j + Q2R q * INR j + (Q2R c + linear r (h i)).
Proof.
  induction rows as [|row rows IH]; intros keys ks p q c r Ek F j Hj; cbn [map line_factors] in F.
  - apply some_inj in F. apply pair_inj in F as [F <-]. take_triple F. cbn [dot_product linear]. rewrite Q2R_0. ring.
  - destruct keys as [|key keys]; cbn [traverse] in Ek.
    + take Ek. destruct (split_row A n i row). apply some_inj in F. apply pair_inj in F as [F <-]. take_triple F.
      cbn [dot_product linear]. rewrite Q2R_0. ring.
    + destruct (key_parabola A n key) as [[[al be] ga]|] eqn:Ey; [|discriminate].
      destruct (traverse (key_parabola A n) keys) as [ks'|] eqn:Ks; [|discriminate]. take Ek.
      destruct (split_row A n i row) as [x rest] eqn:S. unfold option_bind in F.
      destruct (line_factors (map (split_row A n i) rows) ks') as [[[[p' q'] c'] r']|] eqn:F'; [|discriminate].
      destruct (match rest with [] => true | _ => is_zero al && is_zero be end) eqn:Z; [|discriminate].
      apply some_inj in F. apply pair_inj in F as [F <-]. take_triple F. cbn [dot_product].
      rewrite (IH keys ks' p' q' c' r' Ks F' j Hj), (split_row_correct A users n w i h HA row x rest S).
      rewrite (key_parabola_correct A users n w i h HA key al be ga j Ey Hj), linear_joined, linear_scaled. rationals.
      assert (Rest : linear rest (h i) * Q2R al = 0 /\ linear rest (h i) * Q2R be = 0).
      { destruct rest; [cbn [linear]; lra|]. apply andb_prop in Z as [Z1 Z2]. apply Qeq_bool_R in Z1, Z2.
        rewrite Z1, Z2, Q2R_0. lra. }
      destruct Rest as [R1 R2].
      replace ((Q2R x + linear rest (h i)) * (Q2R al * INR j * INR j + Q2R be * INR j + Q2R ga))
        with (Q2R x * (Q2R al * INR j * INR j + Q2R be * INR j + Q2R ga) + linear rest (h i) * Q2R al * INR j * INR j
        + linear rest (h i) * Q2R be * INR j + linear rest (h i) * Q2R ga) by ring.
      rewrite R1, R2. ring.
Qed.
Lemma line_at_correct a ks l j : traverse (key_parabola A n) (head_keys a) = Some ks -> line_at A D n i real a ks
  = Some l -> j upto n -> scaled_score a n h i j = Q2R (fst l) * (IZR z - INR j) + Q2R (snd l).
Proof.
  intros Ek H Hj. unfold line_at in H. apply bind_some in H as (tau & Et & H). apply bind_some in H as (t & F & H).
  destruct t as [[[p q] c] r]. apply bind_some in H as (u & N & H). destruct u as [[cs ts] miss].
  apply bind_some in H as (x & T & H).
  destruct (negb (is_zero tau) && is_zero p && is_zero miss && equal_combinations count_eqb cs (scaled_terms (- q) D))
    eqn:C; [|discriminate]. take H. apply andb_prop in C as [C E]. apply andb_prop in C as [C Zm].
  apply andb_prop in C as [Zt Zp]. apply negb_true_iff in Zt. apply Qeq_bool_R in Zp, Zm. rewrite Q2R_0 in Zp, Zm.
  pose proof (near_counts_correct A users n w i h HA r cs ts miss N) as B. rewrite Zm in B.
  assert (Rv : linear r (h i) = combination_value (count_value users n w i) cs
    + combination_value (fun f => bit (truth users n w f i)) ts) by (revert B; unfold Rabs; destruct (Rcase_abs _);
        lra).
  rewrite (equal_correct count_eqb count_eqb_eq _ _ _ E), combined_scaled, Value, Q2R_opp in Rv.
  rewrite (truths_number_correct D users n w i ts x T) in Rv. pose proof (is_zero_Q tau Zt) as Nz.
  pose proof (is_zero_R tau Zt) as Nr. unfold scaled_score. rewrite (proj1 (exact_correct _ _ _ _ Et)).
  rewrite (line_factors_correct _ _ ks p q c r Ek F j Hj), Zp, Rv. cbn [fst snd].
  rewrite !Q2R_div, Q2R_opp, Q2R_plus by exact Nz. field. exact Nr.
Qed.
Lemma term_at_correct a r ks t : traverse (key_parabola A n) (head_keys a) = Some ks ->
  same_weighing (head_weighing a) k = true -> term_at A D k base scale n i real (a, r, ks) = Some t ->
  head_value a n h i r = sum_to n (gives a [t] (fun j => linear base (h j) / Q2R scale)).
Proof.
  intros Ek Same H. unfold term_at in H. apply bind_some in H as (c & C & H). apply bind_some in H as (l & L & H).
  take H. assert (Ew : head_weighing a = k) by (destruct (head_weighing a), k; try discriminate; reflexivity).
  unfold head_value, attend_as. rewrite Ew. apply sum_ext. intros j Hj. rewrite (weights_alone k n _ i _ j K).
  destruct (mask_at _ i j); [|ring]. rewrite (multiple_correct base r c _ C). unfold weigh. cbn [total_over fst snd].
  rewrite (line_at_correct a ks l j Ek L Hj), (response_kind k n _ ltac:(lia) K), !Q2R_reduced, !Q2R_div, Q2R_mult.
  2,3: intros Z; apply Qeq_eqR in Z; rewrite Q2R_0 in Z; now apply (divisor_not_0 k n ltac:(lia)).
  pose proof (is_zero_R scale Scale) as Ns. pose proof (divisor_not_0 k n ltac:(lia)) as Nd.
  replace ((Q2R (fst l) * (IZR z - INR j) + Q2R (snd l)) / Q2R (divisor k n)) with (Q2R (fst l) / Q2R (divisor k n) *
    (IZR z - INR j) + Q2R (snd l) / Q2R (divisor k n)) by (field; exact Nd). field. exact Ns.
Qed.
Lemma terms_at_correct b as_ : forall es us, traverse (with_keys A n) as_ = Some es ->
  terms_at A D k base scale n i real es = Some us -> forallb (fun ar => same_weighing (head_weighing (fst ar)) k &&
  masking_eqb (head_masking (fst ar)) (head_masking b)) as_ = true -> total_over (fun ar =>
  head_value (fst ar) n h i (snd ar)) as_ = sum_to n (gives b us (fun j => linear base (h j) / Q2R scale)).
Proof.
  induction as_ as [|[a r] as_ IH]; intros es us E T F; cbn [traverse] in E.
  - take E. take T. cbn [total_over]. symmetry. apply sum_zero. intros j _. unfold weigh. cbn [total_over].
    destruct (mask_at _ i j); ring.
  - destruct (with_keys A n (a, r)) as [e|] eqn:Ee; [|discriminate].
    destruct (traverse (with_keys A n) as_) as [es'|] eqn:Es; [|discriminate]. take E. unfold terms_at in T.
    cbn [traverse] in T. destruct (term_at _ _ _ _ _ _ _ _ e) as [t|] eqn:Et; [|discriminate].
    destruct (traverse _ es') as [us'|] eqn:Eu; [|discriminate]. take T. cbn [forallb fst] in F.
    apply andb_prop in F as [F Fs]. apply andb_prop in F as [Fw Fm]. apply masking_eqb_eq in Fm.
    unfold with_keys in Ee. cbn [fst] in Ee. destruct (traverse _ (head_keys a)) as [ks|] eqn:Ks; [|discriminate].
    cbn [option_map] in Ee. take Ee. cbn [total_over fst snd]. rewrite (term_at_correct a r ks t Ks Fw Et).
    rewrite (IH es' us' eq_refl Eu Fs), Fm, <- sum_plus. apply sum_ext. intros j _. unfold weigh. cbn [total_over].
    destruct (mask_at _ i j); ring.
Qed.
End Heads.

(* ---- soundness: a length, and the whole ---- *)
Lemma weigh_moved k b ts t : weigh k (moved b ts) (t + IZR b) = weigh k ts t.
Proof.
  unfold weigh, moved. rewrite total_map. apply total_ext. intros u _. cbn [fst snd]. do 2 f_equal.
  rewrite Q2R_reduced, Q2R_minus, Q2R_mult, Q2R_inject_Z. ring.
Qed.
Lemma settled_at_is known A D k base scale as_ x y N us off :
  settled_at known A D k base scale as_ x y N = Some (us, off) -> settle (kind_of k) x y N us = Some off.
Proof.
  unfold settled_at. intros H. apply bind_some in H as (es & _ & H). apply bind_some in H as (bs & _ & H).
  apply bind_some in H as (i & _ & H). apply bind_some in H as (ts & _ & H).
  destruct (settle (kind_of k) x y N ts) as [off'|] eqn:S; [|discriminate]. cbn [option_map] in H.
  apply some_inj in H. take_pair H. exact S.
Qed.
(* They weigh as terms whose place is settled do, a step away. *)
Lemma place_off_found k x y N settled n ts off : (n <= N)%nat -> (forall us o, settled = Some (us, o) -> settle (kind_of
  k) x y N us = Some o) -> place_off k x y settled n ts = Some off -> exists R us o b, (n <= R)%nat /\ settle (kind_of
  k) x y R us = Some o /\ off = (o + b)%Z /\ forall t, weigh (kind_of k) us (t + IZR b) = weigh (kind_of k) ts t.
Proof.
  intros HN Tab H. unfold place_off in H. assert (Own : settle (kind_of k) x y n ts = Some off ->
    exists R us o b, (n <= R)%nat /\ settle (kind_of k) x y R us = Some o /\ off = (o + b)%Z
      /\ forall t, weigh (kind_of k) us (t + IZR b) = weigh (kind_of k) ts t).
  { intros S. exists n, ts, off, 0%Z. repeat split; [lia|exact S|lia|]. intros t. now rewrite Rplus_0_r. }
  destruct settled as [[us o]|]; [|exact (Own H)]. cbv zeta in H. destruct (terms_eqb _ us) eqn:E; [|exact (Own H)].
  apply terms_eqb_eq in E. take H. exists N, us, o, (shift_between ts us). repeat split; [exact HN|now apply Tab|].
  intros t. rewrite <- E at 1. apply weigh_moved.
Qed.

Section Length.
Variables (known : option predicate_meanings) (A : list meaning) (s : side) (f : formula) (k : weighing).
Variables (base : row) (scale : Q) (as_ : list (head * row)) (masked : head) (chi guard : formula) (x y : Q) (N : nat).
Variables (users : predicate_meanings) (n : nat) (w : word) (i : position n) (h : nat -> vector).
Hypothesis HN : (n <= N)%nat.
Hypothesis HA : holds_of users n w A h.
Hypothesis Known : forall u, known = Some u -> u = users.
Hypothesis K : is_alone k = true.
Hypothesis E1 : Q2R x <= 1.
Hypothesis Scale : is_zero scale = false.
Hypothesis Alike : forallb (fun ar => same_weighing (head_weighing (fst ar)) k
  && masking_eqb (head_masking (fst ar)) (head_masking masked)) as_ = true.
Notation D := (one_count s f).
Notation real := (real_truths D users n w i).
Notation settled := (settled_at known A D k base scale as_ x y N).

Lemma length_agrees_correct : length_agrees known A D k base scale as_ masked chi guard x y settled n = true ->
  let o := total_over (fun ar => head_value (fst ar) n h i (snd ar)) as_ in
  0 <= o <= 1 /\ (truth users n w guard i = true -> within_errors x y (truth users n w chi i) o).
Proof.
  intros H. unfold length_agrees in H.
  destruct (traverse (value_row known A base n) (seq 1 n)) as [vs|] eqn:Vs; [|discriminate].
  destruct (traverse (with_keys A n) as_) as [es|] eqn:Es; [|discriminate]. apply andb_prop in H as [Range H].
  destruct (values_are known A base users n w i h HA Known vs Vs) as [Ln V]. pose proof (is_zero_Q scale Scale) as Ns.
  assert (In01 : each j upto n, 0 <= linear base (h j) / Q2R scale <= 1).
  { intros j Hj. rewrite (V j Hj). rewrite forallb_forall in Range.
    specialize (Range (nth (j - 1) vs 0%Q) ltac:(apply nth_In; lia)). apply andb_prop in Range as [R1 R2].
    apply Qle_bool_R in R1, R2. rewrite Q2R_0, Q2R_div in R1 by exact Ns. rewrite Q2R_1, Q2R_div in R2 by exact Ns.
    now split. }
  pose proof (all_of_forall _ _ H real (real_truths_listed D users n w i)) as C. clear H. unfold case_agrees in C.
  assert (Whole : forallb (fun e => is_integral (snd e)) D = true) by reflexivity.
  destruct (sum_there D users n w i Whole) as (z & Vz & Bz).
  pose proof (real_truths_can_be known D users n w i Known) as Be. unfold first_row in C.
  destruct (find (fun i => can_be known n i real) (seq 1 n)) as [i0|] eqn:F. 2:{ exfalso.
  pose proof (find_none _ _ F i ltac:(apply in_seq; lia)) as X. cbv beta in X. congruence.
  } destruct (terms_at A D k base scale n i0 real es) as [ts|] eqn:T0; [|discriminate].
  destruct (place_off k x y settled n ts) as [off|] eqn:O; [|discriminate]. cbv zeta in C.
  pose proof (all_of_forall _ _ C (i : nat) ltac:(apply in_seq; lia)) as R. clear C. unfold row_agrees in R.
  rewrite Be in R. destruct (terms_at A D k base scale n i real es) as [us|] eqn:T; [|discriminate].
  apply andb_prop in R as [R Cl]. apply andb_prop in R as [R S2]. apply andb_prop in R as [Te S1].
  apply terms_eqb_eq in Te. subst us.
  destruct (place_off_found k x y N settled n ts off HN (settled_at_is known A D k base scale as_ x y N) O)
    as (R & us & o & b & HR & Se & -> & Sh). unfold sees_place in S1, S2. apply andb_prop in S1 as [S1 _].
  apply andb_prop in S1 as [S1 _]. apply Z.leb_le in S1. apply andb_prop in S2 as [S2 _].
  apply andb_prop in S2 as [_ S2]. apply Z.leb_le in S2. set (p := Z.to_nat (z + (o + b))).
  assert (Pv : Z.of_nat p = (z + b + o)%Z) by (unfold p; lia). assert (Hp : p upto n) by lia. cbv zeta.
  rewrite (terms_at_correct A D k base scale users n w i h HA K Scale z Vz masked as_ es ts Es T Alike).
  destruct (settled_gives (kind_of k) x y R us o (kind_is_alone k K) E1 Se n p (z + b) (mask_at (head_masking masked) i)
    (fun j => linear base (h j) / Q2R scale) HR Hp Pv In01) as [B W].
  rewrite (sum_ext n _ (fun j => if mask_at (head_masking masked) i j then weigh (kind_of k) us (IZR (z +
    b) - INR j) * (linear base (h j) / Q2R scale) else 0)). 2:{ intros j _. rewrite <- Sh, plus_IZR.
  now replace (IZR z - INR j + IZR b) with (IZR z + IZR b - INR j) by ring. } split; [exact B|]. intros G.
  apply (claims_hold_there known D users n w i Known chi guard z Vz) in Cl as [Rt Sp]; [|exact Bz|exact G].
  unfold sees_place in Sp. apply andb_prop in Sp as [_ Mp]. fold p in Mp. apply W; [exact Mp|]. unfold right_at in Rt.
  fold p in Rt. apply Qeq_bool_R in Rt. rewrite Q2R_mult, number_of_value in Rt.
  rewrite (V p Hp), (nth_indep vs 0%Q (-1)%Q) by lia. rewrite Rt. field. now apply is_zero_R.
Qed.
End Length.

Theorem looks_up_together_correct known users n w L A h as_ chi guard x y (i : position n) : length_allowed L n ->
  holds_of users n w A h ->
  (forall u, known = Some u -> u = users) -> looks_up_together known L A as_ chi guard x y = true ->
  let o := total_over (fun ar => head_value (fst ar) n h i (snd ar)) as_ in
  0 <= o <= 1 /\ (truth users n w guard i = true -> within_errors x y (truth users n w chi i) o).
Proof.
  intros (N1 & Le & HN) HA Known H. unfold looks_up_together in H. destruct as_ as [|[a base] rest]; [discriminate|].
  destruct (greatest_length L) as [N|]; [|discriminate]. destruct (total_read A _) as [[s f]|]; [|discriminate].
  cbv zeta in H. set (as_ := (a, base) :: rest) in *. destruct (is_alone _ && _ && _ && _) eqn:C; [|discriminate].
  apply andb_prop in C as [C Alike]. apply andb_prop in C as [C E1]. apply andb_prop in C as [K _].
  apply Qle_bool_R in E1. rewrite Q2R_1 in E1. apply andb_prop in H as [Sc H]. apply negb_true_iff in Sc.
  pose proof (all_of_forall _ _ H n ltac:(unfold lengths_to; apply in_seq; lia)) as F.
  exact (length_agrees_correct known A s f (head_weighing a) base _ as_ a chi guard x y N users n w i h HN HA Known
    K E1 Sc Alike F).
Qed.
