(* The errors that a certificate states of heads that look up one count, with the network's own numbers.

   For a number, both errors are those of `check_lookup`. The rest is about truths.

   As in lookup_by_rows.v scores are -c (j - p)^2 and what does not depend on j, and c0 is the least c of all rows.
   There a position at distance k from p weighs e^(-c0 k^2) times as much as p would: from above and from below, in
   multiples of 2^-60. What is bad, its value is not the truth that is looked for, counts from above; what is good from
   below. If the bad weigh together at most d/c times as much as the good that are visible, the error is at most
   d/(c + d). In rows of greater c the bad weigh e^(c0 - c) times as much at most, and of the good only p counts. Sums
   up to each position are made once for each p, for all lengths if values do not depend on the length, so a row costs
   two of them.
   Proved: what is accepted errs by no more than is stated, at every position of every allowed length. *)
From Coq Require Import Reals QArith Qreals Qround ZArith List Bool Lra Lia Arith.
From Certify Require Import check_head lemma_06_near_hardmax options positions lists finite_sums softmax exponential
  exp_enclosure formula network meaning linear_combination comparison cases theorem_20_counting check_by_cases
  gap_rule values_by_rows output_by_rows check_by_rows lookup_by_rows.
Import ListNotations PositionNotations.
Open Scope R_scope.
Local Notation share := (fixed weight_bits).

(* ---- columns of a list of rows ---- *)
Local Fixpoint columns {X} (x : X) (k : nat) (rows : list (list X)) : list (list X) :=
  match k with O => [] | S k => map (hd x) rows :: columns x k (map (@tl X) rows) end.
Lemma nth_columns {X} (x : X) k : forall j rows, (j < k)%nat ->
  nth j (columns x k rows) [] = map (fun r => nth j r x) rows.
Proof.
  induction k as [|k IH]; intros j rows H; [inversion H|]. destruct j as [|j]; cbn [columns nth].
  - apply map_ext. now intros [|].
  - rewrite IH by lia. rewrite map_map. apply map_ext. intros [|y r]; [now destruct j|reflexivity].
Qed.
Lemma nth_error_combine {X Y} (l : list X) : forall (m : list Y) k x y, nth_error (combine l m) k = Some (x, y) ->
  nth_error l k = Some x /\ nth_error m k = Some y.
Proof.
  induction l as [|u l IH]; intros [|v m] [|k] x y H; try discriminate; cbn in *; [|now apply IH].
  now injection H as -> ->.
Qed.

(* ---- a list beside the numbers from 0: where `on`, f holds of the number and of what stands there ---- *)
Fixpoint all_cases {X} (f : nat -> option X -> bool) (m : nat) (on : list bool) (l : list (option X)) : bool :=
  match on with
  | [] => true
  | o :: on => if (if o then f m (hd None l) else true) then all_cases f (S m) on (tl l) else false
  end.
Lemma all_cases_at {X} (f : nat -> option X -> bool) on : forall m l, all_cases f m on l = true ->
  forall j, nth j on false = true -> f (m + j)%nat (nth j l None) = true.
Proof.
  induction on as [|o on IH]; intros m l H [|j] N; cbn in N; try discriminate; cbn [all_cases] in H;
    apply if_and in H as [H1 H2].
  - subst o. rewrite Nat.add_0_r. now destruct l.
  - specialize (IH _ _ H2 j N). rewrite <- plus_n_Sm. destruct l; [now destruct j|exact IH].
Qed.
(* The list moved, so that its first, of number 1, stands at 1 - off. *)
Local Definition aligned {X} (off : Z) (l : list X) : list (option X) :=
  if (1 <=? off)%Z then map Some (skipn (Z.to_nat (off - 1)) l) else repeat None (Z.to_nat (1 - off)) ++ map Some l.
Lemma nth_skipn {X} k : forall (l : list X) j, nth_error (skipn k l) j = nth_error l (k + j)%nat.
Proof. induction k as [|k IH]; intros [|x l] j; try reflexivity; [now destruct j|apply IH]. Qed.
Lemma nth_map_some {X} (l : list X) : forall j x, nth j (map Some l) None = Some x -> nth_error l j = Some x.
Proof. induction l as [|y l IH]; intros [|j] x H; try discriminate; [exact H|now apply IH]. Qed.
Lemma aligned_nth {X} off (l : list X) j x : nth j (aligned off l) None = Some x ->
  (1 <= Z.of_nat j + off)%Z /\ nth_error l (Z.to_nat (Z.of_nat j + off) - 1)%nat = Some x.
Proof.
  unfold aligned. destruct (Z.leb_spec 1 off) as [L|L]; intros H.
  - apply nth_map_some in H. rewrite nth_skipn in H. split; [lia|]. rewrite <- H. f_equal. lia.
  - set (k := Z.to_nat (1 - off)) in *. destruct (Nat.lt_ge_cases j k) as [B|B].
    + rewrite app_nth1, nth_repeat in H by now rewrite repeat_length. discriminate.
    + rewrite app_nth2, repeat_length in H by now rewrite repeat_length. apply nth_map_some in H. split; [lia|].
      rewrite <- H. f_equal. lia.
Qed.

(* ---- weights at each distance, from above and from below ---- *)
Definition two_sided := (Z * Z)%type.
Definition no_weights : two_sided := (0%Z, 0%Z).
Definition weights_plus (x y : two_sided) : two_sided := (fst x + fst y, snd x + snd y)%Z.
Definition weights_minus (x y : two_sided) : two_sided := (fst x - fst y, snd x - snd y)%Z.
Definition weight_at_least (c : Q) (k : nat) : Z :=
  decay_below weight_bits (Qceiling (c * integer_of (k * k) * inject_Z (2 ^ weight_bits))).
Definition weights_around (c : Q) : list two_sided := map (fun k => (weight_above c k, weight_at_least c k)) (seq 0
    weight_table_length).
Definition weights_beyond (c : Q) : two_sided := (weight_far c, 0%Z).

(* ---- sums over the positions ---- *)
Section Sums.
Variables (table : list two_sided) (beyond : two_sided).
(* The contribution of position j to the bad and to the good, where p is looked up and t is the expected value. *)
Definition brings_at (p : nat) (t : Q) (j : nat) (v : Q) : two_sided :=
  let x := nth (index_distance j p) table beyond in if Qeq_bool v t then (0%Z, snd x) else (fst x, 0%Z).
Fixpoint brought_from (p : nat) (t : Q) (j : nat) (vs : list Q) : list two_sided :=
  match vs with [] => [] | v :: vs => brings_at p t j v :: brought_from p t (S j) vs end.
Local Fixpoint running (x : two_sided) (l : list two_sided) : list two_sided :=
  x :: match l with [] => [] | y :: l => running (weights_plus x y) l end.
Definition running_sums (vs : list Q) (n : nat) (t : Q) : list (list two_sided) :=
  map (fun p => running no_weights (brought_from p t 1 vs)) (seq 1 n).

Lemma nth_brought p t vs : forall st j, j upto length vs ->
  nth (j - 1) (brought_from p t st vs) no_weights = brings_at p t (st + j - 1) (nth (j - 1) vs 0%Q).
Proof.
  induction vs as [|v vs IH]; intros st j Hj; cbn [length] in Hj; [lia|]. destruct j as [|[|j]]; [lia| |].
  - cbn. now replace (st + 1 - 1)%nat with st by lia.
  - cbn [brought_from]. replace (S (S j) - 1)%nat with (S (S j - 1)) by lia. cbn [nth].
    rewrite (IH (S st) (S j)) by lia. f_equal. lia.
Qed.
Lemma brought_length p t vs : forall st, length (brought_from p t st vs) = length vs.
Proof. induction vs as [|v vs IH]; intros st; [reflexivity|]. cbn. now rewrite IH. Qed.
End Sums.

Section Additive.
Variable F : two_sided -> R.
Hypothesis Plus : forall x y, F (weights_plus x y) = F x + F y.
Hypothesis Minus : forall x y, F (weights_minus x y) = F x - F y.
Hypothesis Nothing : F no_weights = 0.

Lemma running_nth l : forall x k, (k <= length l)%nat ->
  F (nth k (running x l) no_weights) = F x + sum_to k (fun j => F (nth (j - 1) l no_weights)).
Proof.
  induction l as [|y l IH]; intros x k Hk; cbn [length] in Hk.
  - replace k with 0%nat by lia. simpl. ring.
  - destruct k as [|k]; [simpl; ring|]. cbn [running nth]. rewrite IH by lia. rewrite Plus.
    change (S k) with (1 + k)%nat. rewrite sum_cut. cbn [sum_to]. rewrite Rplus_0_l, Rplus_assoc. do 2 f_equal.
    apply sum_ext. intros j Hj. destruct j as [|j]; [lia|]. replace (1 + S j - 1)%nat with (S (S j - 1)) by lia.
    reflexivity.
Qed.
End Additive.

(* Of sums up to each position, that over those which a row sees. *)
Local Definition seen_sum (k : masking) (n i : nat) (l : list two_sided) : two_sided :=
  match k with
  | Unmasked => nth n l no_weights
  | FutureMasked => nth i l no_weights
  | PastMasked => weights_minus (nth n l no_weights) (nth (i - 1) l no_weights)
  end.
Local Lemma seen_sum_value F k n (i : position n) l : (forall x y, F (weights_plus x y) = F x + F y) ->
  (forall x y, F (weights_minus x y) = F x - F y) -> F no_weights = 0 -> (n <= length l)%nat ->
  F (seen_sum k n i (running no_weights l)) = sum_to n (fun j => bit (mask_at k i j) * F (nth (j - 1) l no_weights)).
Proof.
  intros P M Z Ln. unfold seen_sum, mask_at. destruct k.
  - rewrite (running_nth F P) by lia. rewrite Z, Rplus_0_l. apply sum_ext. intros j _. unfold no_mask. simpl. ring.
  - rewrite (running_nth F P) by lia. rewrite Z, Rplus_0_l. unfold future_mask. now rewrite sum_up_to by lia.
  - rewrite M, !(running_nth F P) by lia. rewrite Z, !Rplus_0_l. unfold past_mask. now rewrite sum_from by lia.
Qed.

(* For all places at once. *)
Definition seen_column (k : masking) (n i : nat) (l : list (list two_sided)) : list two_sided :=
  match k with
  | Unmasked => nth n l []
  | FutureMasked => nth i l []
  | PastMasked => map (fun e => weights_minus (fst e) (snd e)) (combine (nth n l []) (nth (i - 1) l []))
  end.
Lemma seen_column_of k n (i : position n) N l : (n <= N)%nat ->
  seen_column k n i (columns no_weights (S N) l) = map (seen_sum k n i) l.
Proof.
  intros HN. unfold seen_column, seen_sum. destruct k; rewrite !nth_columns by lia; try reflexivity.
  induction l as [|x l IH]; [reflexivity|]. cbn. now rewrite IH.
Qed.

Section Lookup.
Variables (A : list meaning) (a : head) (values : row) (s : side) (f : formula).
(* As in check_by_rows.v: d/c for each truth. *)
Variable limits : bool -> Z * Z.

(* What a row sees for each place: the value there, and the sums if it is to be true, and if false. *)
Notation seen_there := (Q * (two_sided * two_sided))%type.
Definition seen_by (n i : nat) (vs : list Q) (columns : bool -> list (list two_sided)) : list seen_there :=
  let seen t := seen_column (head_masking a) n i (columns t) in combine vs (combine (seen true) (seen false)).
(* How much the bad may weigh at c0 where p is good, and all that is bad weighs `cooler` times as much as there. *)
Local Definition room (limit : Z * Z) (cooler : Z) : Z :=
  (snd limit * (fixed_unit weight_bits * fixed_unit weight_bits) / (fst limit * cooler))%Z.
Definition check_error_case (n i : nat) (off : Z) (least : bool) (rooms : bool -> Z) (chi : row_truth) (b : bool) (m :
    nat) (e : option seen_there) : bool :=
  match e, told_truth n (count_in_case b m) chi with
  | Some (v, (yes, no)), Some t =>
      let p := (Z.of_nat m + off)%Z in let x := if t then yes else no in
      (p <=? Z.of_nat n)%Z &&
      if least then (fst (limits t) * fst x <=? snd (limits t) * snd x)%Z
      else sees_place a n i p && Qeq_bool v (bool_rational t) && (fst x <=? rooms t)%Z
  | _, _ => false
  end.
Definition check_error_row (c0 : Q) (known : list (option (Q * Z) * option (Q * Z))) (seen : list seen_there)
    (chi guard : formula) (n i : nat) (b : bool) : bool :=
  if cannot_be f n i b then true else
  let by_guard := row_truth_of s f n i b guard in
  let on := map (fun m => is_on n by_guard (count_in_case b m)) (seq 0 (span s n i)) in
  if forallb negb on then true else
  match case_in known i b with
  | Some (c, off) =>
      let least := Qeq_bool c c0 in
      let cooler := if least then 0%Z else weight_above (c - c0) 1 in
      let rooms := if_true_else (room (limits false) cooler) (room (limits true) cooler) in
      Qle_bool c0 c && (Z.abs off <=? Z.of_nat n)%Z &&
      all_cases (check_error_case n i off least rooms (row_truth_of s f n i b chi) b) 0 on (aligned off seen)
  | None => false
  end.
Definition sums_of (c0 : Q) (vs : list Q) (n : nat) (t : bool) : list (list two_sided) :=
  running_sums (weights_around c0) (weights_beyond c0) vs n (bool_rational t).
Definition columns_of (c0 : Q) (vs : list Q) (n : nat) (t : bool) : list (list two_sided) :=
  columns no_weights (S n) (sums_of c0 vs n t).
Fixpoint is_start (vs us : list Q) : bool :=
  match vs, us with [], _ => true | v :: vs, u :: us => Qeq_bool v u && is_start vs us | _ :: _, [] => false end.
(* `us` are values of a greater length, with their sums; often they are those of this length, too. *)
Definition check_error_length (c0 : Q) (us : list Q) (columns : bool -> list (list two_sided)) (chi guard : formula)
    (n : nat) : bool :=
  match traverse (known_row A values n) (seq 1 n) with
  | Some vs =>
      let known := known_cases (n, without_values a, s, f, A) in
      forallb (fun v => Qle_bool 0 v && Qle_bool v 1) vs
      && (if is_start vs us then
            forallb (fun i => forallb (check_error_row c0 known (seen_by n i us columns) chi guard n i) all_bools)
              (seq 1 n)
          else
            let yes := columns_of c0 vs n true in let no := columns_of c0 vs n false in
            forallb (fun i => forallb (check_error_row c0 known (seen_by n i vs (fun t => if t then yes else no)) chi
              guard n i) all_bools) (seq 1 n))
  | None => false
  end.

(* ---- soundness ---- *)
Lemma weight_below_correct c k : 0 <= Q2R c -> share (weight_at_least c k) <= exp (- (Q2R c * INR (k * k))).
Proof.
  intros C. unfold weight_at_least. set (x := (c * integer_of (k * k) * inject_Z (2 ^ weight_bits))%Q).
  pose proof (u_pos weight_bits weight_bits_nonneg) as U.
  assert (V : Q2R x = Q2R c * INR (k * k) * IZR (2 ^ weight_bits)) by (unfold x;
    now rewrite !Q2R_mult, integer_of_value, Q2R_inject_Z). pose proof (Qle_ceiling x) as G. apply Qle_Rle in G.
  rewrite Q2R_inject_Z, V in G. assert (P : 0 <= Q2R c * INR (k * k)) by (apply Rmult_le_pos; [exact C|apply pos_INR]).
  assert (N : (0 <= Qceiling x)%Z).
  { apply le_IZR. apply Rle_trans with (2 := G). apply Rmult_le_pos; lra. }
  eapply Rle_trans; [apply (decay_below_correct weight_bits weight_bits_nonneg _ N)|].
  apply exp_monotone, Ropp_le_contravar. unfold fixed. apply Rmult_le_reg_r with (IZR (2 ^ weight_bits)); [exact U|].
  unfold Rdiv. rewrite (Rmult_assoc (IZR (Qceiling x))), Rinv_l, Rmult_1_r by lra. exact G.
Qed.
Lemma weights_around_correct c k : 0 <= Q2R c -> share (snd (nth k (weights_around c) (weights_beyond c)))
  <= exp (- (Q2R c * INR (k * k))) <= share (fst (nth k (weights_around c) (weights_beyond c))).
Proof.
  intros C. unfold weights_around, weights_beyond. destruct (Nat.lt_ge_cases k weight_table_length) as [L|L].
  - rewrite (nth_indep _ _ (weight_above c 0, weight_at_least c 0)) by (now rewrite length_map, length_seq).
    rewrite (map_nth (fun k => (weight_above c k, weight_at_least c k))), seq_nth by exact L. cbn [fst snd].
    split; [now apply weight_below_correct|now apply weight_above_correct].
  - rewrite nth_overflow by (now rewrite length_map, length_seq). cbn [fst snd]. split.
    + rewrite fixed_0. apply exp_nonneg.
    + eapply Rle_trans; [|unfold weight_far; now apply weight_above_correct].
      apply exp_monotone, Ropp_le_contravar, Rmult_le_compat_l; [exact C|]. apply le_INR, Nat.mul_le_mono; exact L.
Qed.

(* The error where the bad and the good are known in multiples of one weight. *)
Lemma error_by_sides n m x v t d E bad good c e : visible n m d -> 0 <= t <= 1 -> (forall j, visible n m j ->
  0 <= v j <= 1) -> 0 <= E -> 0 < c -> 0 <= e -> c * bad <= e * good -> sum_to n (bad_weight m x v t) <= E * bad ->
  E * good <= sum_to n (fun j => weight m x j - bad_weight m x v t j) -> Rabs (t - attend n m x v) <= e / (c + e).
Proof.
  intros V Ht Hv HE Hc He H B G. eapply Rle_trans; [exact (error_by_share n m x v t d V Ht Hv)|].
  pose proof (total_pos n m x d V) as T. rewrite sum_minus in G. set (X := sum_to n (bad_weight m x v t)) in *.
  set (W := sum_to n (weight m x)) in *. apply Rmult_le_reg_r with (W * (c + e)); [apply Rmult_lt_0_compat; lra|].
  replace (X / W * (W * (c + e))) with (X * (c + e)) by (field; lra).
  replace (e / (c + e) * (W * (c + e))) with (e * W) by (field; lra). pose proof (Rmult_le_compat_l E _ _ HE H).
  pose proof (Rmult_le_compat_l c _ _ (Rlt_le _ _ Hc) B). pose proof (Rmult_le_compat_l e _ _ He G). lra.
Qed.

Lemma room_enough limit cooler x : (0 < fst limit)%Z -> (0 < cooler)%Z -> (x <= room limit cooler)%Z ->
  IZR (fst limit) * (share cooler * share x) <= IZR (snd limit) * 1.
Proof.
  intros C K H. pose proof (u_pos weight_bits weight_bits_nonneg) as U. apply IZR_le in H.
  pose proof (floor_div_le (snd limit * (fixed_unit weight_bits * fixed_unit weight_bits)) (fst limit * cooler)
    ltac:(nia)) as F. fold (room limit cooler) in F. rewrite (one_power weight_bits weight_bits_nonneg), !mult_IZR in F.
  set (u := IZR (2 ^ weight_bits)) in *. unfold fixed. fold u. apply IZR_lt in C, K.
  apply Rmult_le_reg_r with (u * u); [now apply Rmult_lt_0_compat|].
  replace (IZR (fst limit) * (IZR cooler / u * (IZR x / u)) * (u * u)) with (IZR x * (IZR (fst limit) * IZR cooler))
    by (field; lra).
  apply Rle_trans with (IZR (snd limit) * (u * u) / (IZR (fst limit) * IZR cooler) * (IZR (fst limit) * IZR cooler)).
  - apply Rmult_le_compat_r; [apply Rmult_le_pos|]; lra.
  - right. field. lra.
Qed.

Section Position.
Variables (users : predicate_meanings) (n : nat) (w : word) (i : position n) (h : nat -> vector).
Hypothesis HA : holds_of users n w A h.
Hypothesis Limits : forall t, (0 < fst (limits t))%Z /\ (0 <= snd (limits t))%Z.
Notation tr := (truth users n w).
Notation m := (others_on s n (tr f) i).
Notation b := (tr f i).
Notation visible_here := (mask_at (head_masking a) i).
Notation scores := (scaled_score a n h i).
Notation held := (fun j => linear values (h j)).

(* What one position weighs, of what is bad and of what is good. *)
Lemma position_sides c c0 e p t v j : 0 <= Q2R c0 -> Q2R c = Q2R c0 ->
  scores j = Q2R c * (2 * INR p * INR j - INR j * INR j) + e -> held j = Q2R v ->
  let E := exp (Q2R c * (2 * INR p * INR p - INR p * INR p) + e) in
  let x := brings_at (weights_around c0) (weights_beyond c0) p (bool_rational t) j v in
  bad_weight visible_here scores held (bit t) j <= E * (bit (visible_here j) * share (fst x)) /\
  E * (bit (visible_here j) * share (snd x)) <=
    weight visible_here scores j - bad_weight visible_here scores held (bit t) j.
Proof.
  intros C0 Cc S V E x. pose proof (exp_pos (Q2R c * (2 * INR p * INR p - INR p * INR p) + e) : 0 < E) as Ep.
  destruct (weights_around_correct c0 (index_distance j p) C0) as [Lo Up]. rewrite <- Cc in Lo, Up.
  pose proof (score_apart n i (Q2R c) p j e _ S) as W. fold E in W. unfold bad_weight, weight, x, brings_at.
  rewrite V, W. assert (Q : if Qeq_bool v (bool_rational t) then Q2R v = bit t else Q2R v <> bit t).
  { rewrite <- number_of_value. destruct (Qeq_bool v (bool_rational t)) eqn:Q; [now apply Qeq_bool_R|]. intros R.
    apply eqR_Qeq, Qeq_bool_iff in R. congruence. }
  pose proof (Rmult_le_compat_l E _ _ (Rlt_le _ _ Ep) Lo). pose proof (Rmult_le_compat_l E _ _ (Rlt_le _ _ Ep) Up).
  destruct (Qeq_bool v (bool_rational t)); destruct (Req_EM_T _ _); try contradiction; cbn [fst snd];
    destruct (visible_here j); cbn [bit]; rewrite ?fixed_0; lra.
Qed.

(* The same at a greater sharpness, where p is good. *)
Lemma cooler_sides c c0 e p t v j : 0 <= Q2R c0 <= Q2R c -> Qeq_bool v (bool_rational t) = true \/ j <> p ->
  scores j = Q2R c * (2 * INR p * INR j - INR j * INR j) + e -> held j = Q2R v -> bad_weight visible_here scores held
  (bit t) j <= exp (Q2R c * (2 * INR p * INR p - INR p * INR p) + e) * (share (weight_above (c - c0) 1)
  * (bit (visible_here j) * share (fst (brings_at (weights_around c0) (weights_beyond c0) p (bool_rational t) j v)))).
Proof.
  intros [C0 Cc] P S V. set (E := exp (Q2R c * (2 * INR p * INR p - INR p * INR p) + e)).
  assert (Ep : 0 < E) by apply exp_pos. destruct (weights_around_correct c0 (index_distance j p) C0) as [_ Up].
  assert (D0 : 0 <= Q2R (c - c0)) by (rewrite Q2R_minus; lra). pose proof (weight_above_correct (c - c0) 1 D0) as D.
  rewrite Q2R_minus in D. pose proof (score_apart n i (Q2R c) p j e _ S) as W. fold E in W.
  unfold bad_weight, weight, brings_at. rewrite V, W. set (k := index_distance j p) in *.
  pose proof (exp_nonneg (- ((Q2R c - Q2R c0) * INR (1 * 1)))) as D1.
  pose proof (exp_nonneg (- (Q2R c0 * INR (k * k)))) as D2. destruct (Qeq_bool v (bool_rational t)) eqn:Q; cbn [fst].
  - apply Qeq_bool_R in Q. rewrite number_of_value in Q. destruct (Req_EM_T _ _); [|contradiction]. rewrite fixed_0.
    lra.
  - destruct P as [P|P]; [discriminate|]. assert (K : (1 <= k * k)%nat).
    { assert (1 <= k)%nat by (unfold k, index_distance; lia). change 1%nat with (1 * 1)%nat. now apply
      Nat.mul_le_mono. }
    assert (B : exp (- (Q2R c * INR (k * k))) <= share (weight_above (c - c0) 1) *
      share (fst (nth k (weights_around c0) (weights_beyond c0)))).
    { eapply Rle_trans; [|apply Rmult_le_compat; [exact D1|exact D2|exact D|exact Up]]. rewrite <- exp_plus.
      apply exp_monotone. apply le_INR in K. change (INR (1 * 1)) with 1 in *. change (INR 1) with 1 in K.
      pose proof (Rmult_le_compat_l (Q2R c - Q2R c0) _ _ ltac:(lra) K). lra. }
    pose proof (Rmult_le_compat_l E _ _ (Rlt_le _ _ Ep) B) as EB.
    assert (0 <= E * (share (weight_above (c - c0) 1) * share (fst (nth k (weights_around c0) (weights_beyond c0))))).
    { apply Rle_trans with (2 := EB). apply Rmult_le_pos; [lra|apply exp_nonneg]. }
    destruct (Req_EM_T _ _), (visible_here j); cbn [bit]; lra.
Qed.

Section OneRow.
Variables (c c0 : Q) (e : R) (p : nat) (t : bool) (vs : list Q) (N : nat).
Hypothesis C0 : 0 < Q2R c0 <= Q2R c.
Hypothesis Hp : p upto n.
Hypothesis Ln : (n <= length vs)%nat.
Hypothesis LN : (n <= N)%nat.
Hypothesis S : each j upto n, scores j = Q2R c * (2 * INR p * INR j - INR j * INR j) + e.
Hypothesis V : each j upto n, held j = Q2R (nth (j - 1) vs 0%Q).
Hypothesis In01 : forall j, visible n visible_here j -> 0 <= held j <= 1.
Notation x := (seen_sum (head_masking a) n i (nth (p - 1) (sums_of c0 vs N t) [])).
Notation brought_by := (fun j =>
  brings_at (weights_around c0) (weights_beyond c0) p (bool_rational t) j (nth (j - 1) vs 0%Q)).

Lemma row_sum G : (forall x y, G (weights_plus x y) = G x + G y) -> (forall x y, G (weights_minus x y) = G x - G y) ->
  G no_weights = 0 -> G x = sum_to n (fun j => bit (visible_here j) * G (brought_by j)).
Proof.
  intros P M Z. unfold sums_of, running_sums.
  rewrite (nth_indep _ [] (running no_weights (brought_from (weights_around c0) (weights_beyond c0) 0 (bool_rational t)
    1 vs))) by (rewrite length_map, length_seq; lia).
  rewrite (map_nth (fun p => running no_weights (brought_from _ _ p _ 1 vs))), seq_nth by lia.
  rewrite (seen_sum_value G) by (auto; now rewrite brought_length). apply sum_ext. intros j Hj. do 2 f_equal.
  rewrite nth_brought by lia. f_equal; lia.
Qed.
Lemma row_bad : share (fst x) = sum_to n (fun j => bit (visible_here j) * share (fst (brought_by j))).
Proof. apply (row_sum (fun x => share (fst x))); intros; cbn; rewrite ?fixed_plus, ?fixed_minus, ?fixed_0; lra. Qed.
Lemma row_good : share (snd x) = sum_to n (fun j => bit (visible_here j) * share (snd (brought_by j))).
Proof. apply (row_sum (fun x => share (snd x))); intros; cbn; rewrite ?fixed_plus, ?fixed_minus, ?fixed_0; lra. Qed.

Lemma row_errs : Q2R c = Q2R c0 -> (fst (limits t) * fst x <=? snd (limits t) * snd x)%Z = true ->
  Rabs (bit t - softmax_value a n h i values) <= allowed_error limits t.
Proof.
  intros Cc H. unfold allowed_error, softmax_value. destruct (Limits t) as [Lc Ld].
  apply Z.leb_le, (fixed_le weight_bits weight_bits_nonneg) in H. rewrite !fixed_times, row_bad, row_good in H.
  apply IZR_lt in Lc. apply IZR_le in Ld.
  eapply (error_by_sides n visible_here scores held (bit t) i (exp (Q2R c * (2 * INR p * INR p - INR p * INR p) +
    e)) _ _ (IZR (fst (limits t))) (IZR (snd (limits t))) (self_visible n a i) (bit_range t) In01);
    [apply exp_nonneg|exact Lc|exact Ld|exact H| |].
  - rewrite <- sum_scale. apply sum_le. intros j Hj.
    exact (proj1 (position_sides c c0 e p t _ j (Rlt_le _ _ (proj1 C0)) Cc (S j Hj) (V j Hj))).
  - rewrite <- sum_scale. apply sum_le. intros j Hj.
    exact (proj2 (position_sides c c0 e p t _ j (Rlt_le _ _ (proj1 C0)) Cc (S j Hj) (V j Hj))).
Qed.

Lemma cooler_positive : (0 < weight_above (c - c0) 1)%Z.
Proof.
  pose proof (weight_above_correct (c - c0) 1 ltac:(rewrite Q2R_minus; lra)) as D. apply lt_IZR.
  apply Rmult_lt_reg_r with (/ IZR (2 ^ weight_bits)); [apply Rinv_0_lt_compat, u_pos, weight_bits_nonneg|].
  rewrite Rmult_0_l. exact (Rlt_le_trans _ _ _ (exp_pos _) D).
Qed.
Lemma cooler_row_errs : visible_here p = true -> Qeq_bool (nth (p - 1) vs 0%Q) (bool_rational t) = true ->
  (fst x <=? room (limits t) (weight_above (c - c0) 1))%Z = true ->
  Rabs (bit t - softmax_value a n h i values) <= allowed_error limits t.
Proof.
  intros Vp Gp H. unfold allowed_error, softmax_value. destruct (Limits t) as [Lc Ld]. apply Z.leb_le in H.
  pose proof (room_enough _ _ _ Lc cooler_positive H) as B. rewrite row_bad in B. apply IZR_lt in Lc.
  apply IZR_le in Ld.
  eapply (error_by_sides n visible_here scores held (bit t) i (exp (Q2R c * (2 * INR p * INR p - INR p * INR p) +
    e)) _ _ (IZR (fst (limits t))) (IZR (snd (limits t))) (self_visible n a i) (bit_range t) In01);
    [apply exp_nonneg|exact Lc|exact Ld|exact B| |].
  - rewrite <- !sum_scale. apply sum_le. intros j Hj. apply (cooler_sides c c0 e p t _ j); auto; [lra|].
    destruct (Nat.eq_dec j p) as [->|]; auto.
  - rewrite Rmult_1_r, (sum_apart n p) by exact Hp. apply Qeq_bool_R in Gp. rewrite number_of_value in Gp.
    unfold bad_weight at 1, weight at 1. rewrite (V p Hp), Gp, Vp, (S p Hp).
    destruct (Req_EM_T (bit t) (bit t)); [|contradiction].
    assert (O : 0 <= sum_to n (zeroed_at p (fun j => weight visible_here scores j - bad_weight visible_here scores held
      (bit t) j))); [|lra]. apply sum_nonneg. intros j Hj. unfold zeroed_at, bad_weight.
    pose proof (weight_nonneg visible_here scores j). destruct (j =? p)%nat; [lra|]. destruct (Req_EM_T _ _); lra.
Qed.
End OneRow.

(* The conclusion about a row of this length, for any values and sums. *)
Lemma checked_row_errs c0 vs N cols chi guard : 0 < Q2R c0 -> (n <= length vs)%nat -> (n <= N)%nat -> (forall t,
  cols t = columns_of c0 vs N t) -> (each j upto n, held j = Q2R (nth (j - 1) vs 0%Q)) -> (forall j,
  visible n visible_here j -> 0 <= held j <= 1) -> check_error_row c0 (known_cases (n, without_values a, s, f,
  A)) (seen_by n i vs cols) chi guard n i b = true -> tr guard i = true -> Rabs (bit (tr chi i)
  - softmax_value a n h i values) <= allowed_error limits (tr chi i).
Proof.
  intros C0 Ln LN Cols Value In01 H G. unfold check_error_row in H. cbv zeta in H.
  rewrite (real_can_be f users n w i) in H. set (on := map _ _) in H.
  pose proof (others_listed s f users n w i) as Listed. apply in_seq in Listed. assert (On : nth m on false = true).
  { unfold on. rewrite (nth_indep _ _ (is_on n (row_truth_of s f n i b guard) (count_in_case b 0)))
      by (rewrite length_map, length_seq; lia).
    rewrite (map_nth (fun m => is_on n _ (count_in_case b m))), seq_nth by lia.
    now apply (on_where_guarded s f users n w i). }
  destruct (forallb negb on) eqn:Off.
  { exfalso. rewrite forallb_forall in Off. specialize (Off (nth m on false)). rewrite On in Off.
    enough (In true on) by (specialize (Off H0); discriminate). rewrite <- On. apply nth_In. unfold on.
    rewrite length_map, length_seq. lia. }
  destruct (case_in _ i b) as [[c off]|] eqn:Case; [|discriminate]. cbv zeta in H.
  apply andb_prop in H as [Cc H]. apply andb_prop in Cc as [Cc _]. apply Qle_bool_R in Cc.
  apply (all_cases_at _ on) with (j := m) in H; [|exact On]. rewrite Nat.add_0_l in H. unfold check_error_case in H.
  destruct (nth m (aligned off _) None) as [[v [yes no]]|] eqn:Seen; [|discriminate].
  destruct (told_truth n _ (row_truth_of s f n i b chi)) as [t|] eqn:T; [|discriminate].
  rewrite (foretold_correct s f users n w i chi t T).
  destruct (known_case_correct A a s f users n w i h HA c off Case) as (_ & e & Score).
  apply aligned_nth in Seen as [P1 Seen]. cbv zeta in H. set (pz := (Z.of_nat m + off)%Z) in *.
  apply andb_prop in H as [P2 H]. apply Z.leb_le in P2. assert (Hp : (1 <= Z.to_nat pz <= n)%nat) by lia.
  assert (Pv : INR m + IZR off = INR (Z.to_nat pz)).
  { rewrite (INR_IZR_INZ (Z.to_nat pz)), Z2Nat.id by lia. unfold pz. now rewrite plus_IZR, <- INR_IZR_INZ. }
  rewrite Pv in Score. set (p := Z.to_nat pz) in *. assert (CC : 0 < Q2R c0 <= Q2R c) by lra.
  apply nth_error_combine in Seen as [Sv Seen]. apply nth_error_combine in Seen as [Sy Sn].
  apply (nth_error_nth _ _ 0%Q) in Sv.
  assert (X : (if t then yes else no) = seen_sum (head_masking a) n i (nth (p - 1) (sums_of c0 vs N t) [])).
  { assert (E : forall t x, nth_error (seen_column (head_masking a) n i (cols t)) (p - 1) = Some x ->
      x = seen_sum (head_masking a) n i (nth (p - 1) (sums_of c0 vs N t) [])).
    { intros u x. rewrite Cols. unfold columns_of. rewrite seen_column_of by (exact (in_word i) || exact LN).
      rewrite nth_error_map. intros E. destruct (nth_error (sums_of c0 vs N u) (p - 1)) as [r|] eqn:R; [|discriminate].
      apply some_inj in E. apply (nth_error_nth _ _ []) in R. now rewrite R. }
    destruct t; now apply E. }
  rewrite X in H. destruct (Qeq_bool c c0) eqn:Least.
  - apply Qeq_bool_R in Least. exact (row_errs c c0 e _ t vs N CC Hp Ln LN Score Value In01 Least H).
  - apply andb_prop in H as [H B]. apply andb_prop in H as [Vp Gp]. unfold sees_place in Vp.
    apply andb_prop in Vp as [_ Vp].
    replace (if_true_else _ _ t) with (room (limits t) (weight_above (c - c0) 1)) in B by now destruct t.
    rewrite <- Sv in Gp. exact (cooler_row_errs c c0 e _ t vs N CC Hp Ln LN Score Value In01 Vp Gp B).
Qed.

Lemma is_start_nth vs : forall us, is_start vs us = true -> (length vs <= length us)%nat /\
  forall k, (k < length vs)%nat -> Q2R (nth k vs 0%Q) = Q2R (nth k us 0%Q).
Proof.
  induction vs as [|v vs IH]; intros [|u us] H; try discriminate; cbn [length]; try (split; [lia|intros; lia]).
  cbn [is_start] in H. apply andb_prop in H as [E H]. destruct (IH us H) as [L K]. split; [lia|].
  intros [|k] Hk; cbn [nth]; [now apply Qeq_bool_R|apply K; lia].
Qed.

Theorem check_error_length_correct c0 us N cols chi guard : 0 < Q2R c0 -> (n <= N)%nat -> (forall t,
  cols t = columns_of c0 us N t) -> check_error_length c0 us cols chi guard n = true -> tr guard i = true ->
  Rabs (bit (tr chi i) - softmax_value a n h i values) <= allowed_error limits (tr chi i).
Proof.
  intros C0 LN Cols H G. unfold check_error_length in H.
  destruct (traverse (known_row A values n) (seq 1 n)) as [vs|] eqn:Vs; [|discriminate].
  cbv zeta in H. apply andb_prop in H as [Range H]. rewrite forallb_forall in Range.
  assert (Ln : length vs = n) by (rewrite (traverse_length _ _ _ Vs); apply length_seq).
  pose proof (known_values A values users n w i h HA vs Vs) as Value.
  assert (In01 : forall j, visible n visible_here j -> 0 <= held j <= 1).
  { intros j [Hj _]. cbv beta. rewrite (Value j Hj). specialize (Range (nth (j - 1) vs 0%Q) ltac:(apply nth_In; lia)).
    apply andb_prop in Range as [R1 R2]. apply Qle_bool_R in R1, R2. rewrite Q2R_0 in R1. rewrite Q2R_1 in R2. lra. }
  destruct (is_start vs us) eqn:Start; rewrite forallb_forall in H; specialize (H i ltac:(apply in_seq; lia));
    rewrite forallb_forall in H; specialize (H b (bool_listed b)).
  - destruct (is_start_nth vs us Start) as [L K].
    apply (checked_row_errs c0 us N cols chi guard C0 ltac:(lia) LN Cols); auto.
    intros j Hj. rewrite <- K by lia. now apply Value.
  - refine (checked_row_errs c0 vs n _ chi guard C0 ltac:(lia) (le_n n) _ Value In01 H G). now intros [].
Qed.
End Position.
End Lookup.

(* ---- the head ---- *)
(* Longer words would take too long: for truths work grows as N^3, for numbers as N^2. *)
Definition greatest_of_truths : nat := 64.
Definition greatest_of_numbers : nat := 512.
Definition lesser_of (x y : Q) : Q := if Qle_bool x y then x else y.
Definition errs_by_lookup (L : lengths) (A : list meaning) (a : head) (r : row) (b : meaning) (if_false if_true : Q)
  : bool :=
  match b, greatest_length L, looked_up A a with
  | IsOthers s f _, Some N, _ =>
      if (greatest_of_numbers <? N)%nat then false
      else check_lookup L A a r (IsOthers s f (lesser_of if_false if_true))
  | IsNear chi guard, Some N, Some (s, f) =>
      if (greatest_of_truths <? N)%nat then false else
      let ns := lengths_to L N in
      match least_sharpness A a s f ns with
      | Some c0 =>
          let limits := if_true_else (limit_of if_false) (limit_of if_true) in
          let us := match traverse (known_row A r N) (seq 1 N) with Some us => us | None => [] end in
          let yes := columns_of c0 us N true in let no := columns_of c0 us N false in
          is_above_0 c0 && forallb (fun e => Qle_bool 0 e && negb (Qle_bool 1 e)) [if_false; if_true]
          && all_of (check_error_length A a r s f limits c0 us (fun t => if t then yes else no) chi guard) ns
      | None => false
      end
  | _, _, _ => false
  end.

Lemma lesser_of_le x y : Q2R (lesser_of x y) <= Q2R x /\ Q2R (lesser_of x y) <= Q2R y.
Proof.
  unfold lesser_of. destruct (Qle_bool x y) eqn:E; [apply Qle_bool_R in E; lra|].
  destruct (Rle_lt_dec (Q2R x) (Q2R y)) as [K|K]; [|lra]. apply Rle_Qle, Qle_bool_iff in K. congruence.
Qed.
Theorem errs_by_lookup_of_others users n w L A h a r s f e if_above if_below (i : position n) : length_allowed L n ->
  holds_of users n w A h -> errs_by_lookup L A a r (IsOthers s f e) if_above if_below = true ->
  - Q2R if_below <= softmax_value a n h i r - INR (others_on s n (truth users n w f) i) <= Q2R if_above.
Proof.
  intros HL HA H. unfold errs_by_lookup in H. destruct (greatest_length L) as [N|]; [|discriminate].
  destruct (_ <? N)%nat in H; [discriminate|]. apply (check_lookup_correct users n w L A h a r _ i HL HA) in H.
  cbn [meaning_holds] in H. destruct (lesser_of_le if_above if_below). revert H. unfold Rabs.
  destruct (Rcase_abs _); lra.
Qed.

Theorem errs_by_lookup_correct users n w L A h a r f g if_false if_true (i : position n) : length_allowed L n ->
  holds_of users n w A h -> errs_by_lookup L A a r (IsNear f g) if_false if_true = true -> truth users n w g i = true ->
  if truth users n w f i then 1 - Q2R if_true <= softmax_value a n h i r else softmax_value a n h i r <= Q2R if_false.
Proof.
  intros (N1 & Ln & HN) HA H G. unfold errs_by_lookup in H. destruct (greatest_length L) as [N|]; [|discriminate].
  destruct (looked_up A a) as [[s k]|]; [|discriminate]. destruct (_ <? N)%nat in H; [discriminate|]. cbv zeta in H.
  destruct (least_sharpness A a s k _) as [c0|]; [|discriminate]. apply andb_prop in H as [H F].
  apply andb_prop in H as [P E]. cbn [forallb] in E. rewrite andb_true_r in E. apply andb_prop in E as [E0 E1].
  assert (Each : forall t, Qle_bool 0 (errors_of if_false if_true t) && negb (Qle_bool 1 (errors_of if_false if_true t))
    = true) by now intros []. assert (C0 : 0 < Q2R c0) by (apply not_below; now apply negb_true_iff in P).
  pose proof (all_of_forall _ _ F n ltac:(unfold lengths_to; apply in_seq; lia)) as Near.
  assert (Limit : forall t, if_true_else (limit_of if_false) (limit_of if_true) t = limit_of (errors_of if_false if_true
    t)) by now intros [].
  eapply (check_error_length_correct A a r s k (if_true_else (limit_of if_false) (limit_of if_true)) users n w i h HA
    (fun t => eq_ind_r (fun x => (0 < fst x)%Z /\ (0 <= snd x)%Z) (proj1 (limit_of_error _ (Each t))) (Limit t)) c0 _ N)
    in Near; [|exact C0|exact HN|now intros []|exact G]. unfold allowed_error in Near.
  rewrite Limit, (proj2 (limit_of_error _ (Each _))) in Near. revert Near.
  destruct (truth users n w f i); cbn [errors_of bit]; unfold Rabs; destruct (Rcase_abs _); lra.
Qed.
