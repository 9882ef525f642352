(* The constants of Theorems 12, 13, 15, 16 and 20 cannot be smaller (docs/background/critical.md).

   Proved: with gamma < ln 2 a head of Theorem 12 or 13, with gamma < ln 4 a head of Theorem 15 or 16, is not near the
   truth at some position of some word; with gamma < ln 6 the head for ODD of a count is not, already at n = 3. And the
   conditions of Theorem 20 are necessary: if every lookup of a number errs by at most e, then `mean_within` holds of e
   (1.16694... for 1/4); if every table of truth values is read to within 1/4, then q + q^4 + q^9 + ... <= 1/6
   (1.79631...).
   Idea: the position that decides has one vote, all others have the other. Their weights are q, q^2, ... or tend to
   that as the position grows, and q + q^2 + ... > 1/3 as soon as q > 1/4. *)
From Coq Require Import Reals ZArith Lra Lia Arith Bool.
From Certify Require Import positions finite_sums softmax exponential lemma_06_near_hardmax lemma_07_table_lookup relu
  formula proposition_11_end_markers theorem_12_previous_next theorem_13_previous_causal theorem_15_since_until
  theorem_16_since_causal theorem_20_counting.
Import PositionNotations. Open Scope R_scope.

(* ---- one vote against all others ---- *)
Lemma lone_vote n m s v p : visible n m p -> (each j upto n, v j = (j =? p)%nat) ->
  weight m s p < 3 * sum_to n (zeroed_at p (weight m s)) -> ~ near_truth true (attend n m s (fun j => bit (v j))).
Proof.
  intros V Hv H [N _]. pose proof (weight_pos m s p (proj2 V)) as W.
  set (o := sum_to n (zeroed_at p (weight m s))) in *.
  assert (E : attend n m s (fun j => bit (v j)) = weight m s p / (weight m s p + o)).
  { unfold attend. rewrite (sum_apart n p) by apply V. rewrite sum_zero.
    - rewrite (Hv p (proj1 V)), Nat.eqb_refl. unfold softmax, o. rewrite <- (sum_apart n p) by apply V. simpl. lra.
    - intros j Hj. unfold zeroed_at. destruct (Nat.eqb_spec j p) as [|Ne]; [reflexivity|].
      rewrite (Hv j Hj), (proj2 (Nat.eqb_neq j p) Ne). simpl. lra. }
  rewrite E in N. apply Rmult_le_compat_r with (r := weight m s p + o) in N; [|lra].
  unfold Rdiv in N. rewrite !Rmult_assoc, Rinv_l in N by lra. lra.
Qed.

Lemma powers_sum q K : sum_to K (fun k => q ^ k) * (1 - q) = q - q ^ S K.
Proof. induction K as [|K IH]; [simpl; ring|]. cbn [sum_to]. rewrite Rmult_plus_distr_r, IH. simpl. ring. Qed.

(* q + q^2 + ... + q^K > 1/3. *)
Lemma enough_powers q : 1 / 4 < q < 1 -> exists K, 1 < 3 * sum_to K (fun k => q ^ k).
Proof.
  intros Hq. destruct (pow_lt_1_zero q) with (y := (4 * q - 1) / 3) as (K & HK); [rewrite Rabs_right; lra|lra|].
  exists K. specialize (HK (S K) ltac:(lia)). pose proof (powers_sum q K) as E.
  assert (0 <= q ^ S K) by (apply pow_le; lra). rewrite Rabs_right in HK by lra.
  apply Rmult_lt_reg_r with (1 - q); [lra|]. lra.
Qed.

Lemma above_quarter g : 0 < g < ln 4 -> 1 / 4 < exp (- g) < 1.
Proof.
  intros H. pose proof (exp_negative_below_1 g ltac:(lra)). split; [|lra].
  replace (1 / 4) with (exp (- ln 4)); [apply exp_increasing; lra|]. rewrite exp_Ropp, exp_ln; lra.
Qed.

Local Lemma doubled g : 0 < g < ln 2 -> 0 < 2 * g < ln 4.
Proof. intros H. replace (ln 4) with (2 * ln 2); [lra|]. replace 4 with (2 * 2) by lra. rewrite ln_mult; lra. Qed.

(* The last K ties before position p, at distance 1, ..., K steps of d, weigh at least q, ..., q^K. *)
Lemma ties_outvote n i s p d g K : 0 < g -> 1 < 3 * sum_to K (fun k => exp (- g) ^ k) -> (1 <= d)%nat ->
  (K * d < p)%nat -> (p <= i <= n)%nat -> (each k upto K, s p - INR k * g <= s (p - k * d)%nat) ->
  weight (future_mask i) s p < 3 * sum_to n (zeroed_at p (weight (future_mask i) s)).
Proof.
  intros Hg HK Hd Hp Hi H. set (w := weight (future_mask i) s). set (q := exp (- g)) in *.
  assert (M : forall j, (j <= i)%nat -> future_mask i j = true) by (intros; now apply Nat.leb_le).
  assert (W : 0 < w p) by (apply weight_pos, M; lia).
  assert (L : w p * sum_to K (fun k => q ^ k) <= sum_to n (zeroed_at p w)).
  { replace n with ((p - 1) + (n - (p - 1)))%nat by lia. rewrite sum_cut.
    assert (0 <= sum_to (n - (p - 1)) (fun k => zeroed_at p w (p - 1 + k)%nat)).
    { apply sum_nonneg. intros. unfold zeroed_at. destruct (_ =? p)%nat; [lra|apply weight_nonneg]. }
    cut (w p * sum_to K (fun k => q ^ k) <= sum_to (p - 1) w).
    { intros C. rewrite (sum_ext (p - 1) (zeroed_at p w) w); [lra|]. intros j Hj. apply except_elsewhere. lia. }
    clear HK. assert (G : forall k, (k <= K)%nat ->
      w p * sum_to k (fun k => q ^ k) <= sum_to (k * d) (fun j => w (p - j)%nat)).
    { induction k as [|k IH]; intros Hk; [simpl; lra|]. replace (S k * d)%nat with (k * d + d)%nat by lia.
      rewrite sum_cut. cbn [sum_to]. rewrite Rmult_plus_distr_l. apply Rplus_le_compat; [apply IH; lia|].
      destruct d as [|d']; [lia|]. cbn [sum_to]. assert (0 <= sum_to d' (fun j => w (p - (k * S d' + j))%nat)).
      { apply sum_nonneg. intros. apply weight_nonneg. }
      assert (w p * q ^ S k <= w (p - (k * S d' + S d'))%nat); [|lra].
      replace (k * S d' + S d')%nat with (S k * S d')%nat by lia. unfold w, weight. rewrite !M by lia.
      unfold q. rewrite exp_power, <- exp_plus. apply exp_monotone. specialize (H (S k) ltac:(lia)). lra. }
    eapply Rle_trans; [apply (G K (le_n K))|]. rewrite <- (sum_backwards (p - 1) w).
    replace (p - 1)%nat with (K * d + (p - 1 - K * d))%nat at 1 by lia. rewrite sum_cut.
    assert (0 <= sum_to (p - 1 - K * d) (fun k => w (S (p - 1) - (K * d + k))%nat)).
    { apply sum_nonneg. intros. apply weight_nonneg. }
    rewrite (sum_ext (K * d) (fun j => w (p - j)%nat) (fun j => w (S (p - 1) - j)%nat)); [lra|].
    intros j Hj. f_equal. lia. }
  assert (w p * 1 < w p * (3 * sum_to K (fun k => q ^ k))) by now apply Rmult_lt_compat_l. lra.
Qed.

Lemma some_position x : exists N, x < INR N.
Proof.
  exists (Z.to_nat (up x)). destruct (archimed x) as [A _]. rewrite INR_IZR_INZ.
  assert (L : (up x <= Z.of_nat (Z.to_nat (up x)))%Z) by lia. apply IZR_le in L. lra.
Qed.

(* A larger constant that is still too small, and leaves room from some position on. *)
Lemma larger_constant g bound : 0 < g < bound -> exists g', g < g' < bound /\ 0 < g' /\
  forall x, exists N, forall i, (N <= i)%nat -> x <= (g' - g) * INR i.
Proof.
  intros H. set (g' := (g + bound) / 2). assert (D : 0 < g' - g) by (unfold g'; lra).
  exists g'. repeat split; try (unfold g'; lra). intros x. destruct (some_position (x / (g' - g))) as (N & HN).
  exists N. intros i Hi. apply le_INR in Hi. apply Rmult_le_reg_r with (/ (g' - g)); [now apply Rinv_0_lt_compat|].
  replace ((g' - g) * INR i * / (g' - g)) with (INR i) by (field; lra). unfold Rdiv in HN. lra.
Qed.

(* The operand holds at p only. *)
Definition indicator_at (p j : nat) : bool := (j =? p)%nat.

Lemma since_only i : (1 <= i)%nat -> since_at (indicator_at i) (indicator_at i) i = true.
Proof.
  intros H. apply since_at_iff. exists i. unfold indicator_at. repeat split; [lia|lia|apply Nat.eqb_refl|].
  intros k Hk. apply Nat.eqb_eq. lia.
Qed.

Lemma all_decide p j : is_decisive (indicator_at p) (indicator_at p) j = true. Proof. unfold is_decisive.
now destruct (indicator_at p j). Qed.
Lemma both_only p j : both_hold (indicator_at p) (indicator_at p) j = (j =? p)%nat. Proof. apply andb_diag. Qed.

Theorem theorem_15_needs_ln_4 g : 0 < g < ln 4 -> exists n p q, (1 <= n)%nat /\ ~ near_truth (since_at p q n)
  (attend n (future_mask n) (fun j => 2 * g * (bit (is_decisive p q j) + INR j / (2 * INR n)) / (1 / INR n)) (fun j =>
  bit (both_hold p q j))).
Proof.
  intros H. destruct (enough_powers _ (above_quarter g H)) as (K & HK). set (n := S K).
  exists n, (indicator_at n), (indicator_at n). split; [lia|]. rewrite since_only by lia.
  apply (lone_vote n (future_mask n) _ _ n (visible_future n n ltac:(lia)) (fun j _ => both_only n j)).
  apply (ties_outvote n n _ n 1 g K); [lra|exact HK|lia|lia|lia|]. intros k Hk. rewrite !all_decide.
  rewrite minus_INR by lia. rewrite Nat.mul_1_r. assert (0 < INR n) by (apply lt_0_INR; lia). right. simpl bit. field.
  lra.
Qed.

Theorem theorem_16_needs_ln_4 g : 0 < g < ln 4 -> exists n p q, (1 <= n)%nat /\
  ~ near_truth (since_at p q n) (attend n (future_mask n)
      (fun j => g * (bit (is_decisive p q j) - 1 / INR j) / (1 / INR n ^ 2)) (fun j => bit (both_hold p q j))).
Proof.
  intros H. destruct (larger_constant g _ H) as (g' & Hg & Pos & Room).
  destruct (enough_powers _ (above_quarter g' ltac:(lra))) as (K & HK). destruct (Room (g' * INR K)) as (N & HN).
  set (n := (N + S K)%nat). specialize (HN n ltac:(lia)).
  exists n, (indicator_at n), (indicator_at n). split; [lia|]. rewrite since_only by lia.
  apply (lone_vote n (future_mask n) _ _ n (visible_future n n ltac:(lia)) (fun j _ => both_only n j)).
  apply (ties_outvote n n _ n 1 g' K); [lra|exact HK|lia|lia|lia|]. intros k Hk. rewrite !all_decide, Nat.mul_1_r.
  rewrite minus_INR by lia. assert (K1 : INR k <= INR K) by (apply le_INR; lia).
  assert (K2 : INR K + 1 <= INR n) by (rewrite <- S_INR; apply le_INR; lia). assert (K3 : 0 <= INR k) by apply pos_INR.
  set (x := INR n) in *. set (y := INR k) in *. assert (F : g * x * (y / (x - y)) <= y * g').
  { replace (g * x * (y / (x - y))) with (y * (g * x / (x - y))) by (field; lra). apply Rmult_le_compat_l; [lra|].
    apply Rmult_le_reg_r with (x - y); [lra|]. replace (g * x / (x - y) * (x - y)) with (g * x) by (field; lra). nra. }
  replace (g * (bit true - 1 / x) / (1 / x ^ 2)) with (g * (bit true - 1 / (x - y)) / (1 / x ^ 2)
    + g * x * (y / (x - y))) by (simpl; field; lra). lra.
Qed.

(* ---- Theorems 12 and 13: ties are 2 apart ---- *)
Lemma near_previous_fails n s g K : 0 < g -> 1 < 3 * sum_to K (fun k => exp (- (2 * g)) ^ k) -> (2 * K + 2 <= n)%nat ->
  (each k upto K, s (n - 1)%nat - INR k * (2 * g) <= s (n - 1 - k * 2)%nat) ->
  ~ near_truth (indicator_at (n - 1) (n - 1)) (attend n (future_mask n) s (fun j => bit (indicator_at (n - 1) j))).
Proof.
  intros Hg HK Hn H. unfold indicator_at at 1. rewrite Nat.eqb_refl.
  apply (lone_vote n (future_mask n) s _ (n - 1)); [split; [lia|apply Nat.leb_le; lia]|reflexivity|].
  apply (ties_outvote n n s (n - 1) 2 (2 * g) K); [lra|exact HK|lia|lia|lia|exact H].
Qed.

(* Positions at even distance have the same parity. *)
Lemma half_parity_even e p k : (k * 2 <= p)%nat -> half_parity e (p - k * 2) = half_parity e p.
Proof.
  intros H. unfold half_parity, sign_of_parity.
  replace (Nat.odd p) with (Nat.odd (p - k * 2 + 2 * k)) by (f_equal; lia). now rewrite Nat.odd_add_mul_2.
Qed.

Theorem theorem_12_needs_ln_2 g : 0 < g < ln 2 -> exists n p, (2 <= n)%nat /\ ~ near_truth (p (n - 1)%nat)
  (attend n (future_mask n) (fun j => previous_score n g (Nat.odd n) j / (1 / INR n)) (fun j => bit (p j))).
Proof.
  intros H. destruct (enough_powers _ (above_quarter _ (doubled g H))) as (K & HK). set (n := (2 * K + 2)%nat).
  exists n, (indicator_at (n - 1)). split; [lia|]. apply (near_previous_fails n _ g K); [lra|exact HK|lia|].
  intros k Hk. unfold previous_score. rewrite half_parity_even by lia. rewrite (minus_INR (n - 1)), mult_INR by lia.
  assert (0 < INR n) by (apply lt_0_INR; lia). right. simpl (INR 2). field. lra.
Qed.

Theorem theorem_13_needs_ln_2 g : 0 < g < ln 2 -> exists n p, (2 <= n)%nat /\ ~ near_truth (p (n - 1)%nat)
  (attend n (future_mask n) (fun j => causal_score g (Nat.odd n) j / (1 / INR n ^ 2)) (fun j => bit (p j))).
Proof.
  intros H. destruct (larger_constant g _ H) as (g' & Hg & Pos & Room).
  destruct (enough_powers _ (above_quarter _ (doubled g' ltac:(lra)))) as (K & HK).
  destruct (Room (g' * (2 * INR K + 2))) as (N & HN). set (n := (N + (2 * K + 2))%nat). specialize (HN n ltac:(lia)).
  exists n, (indicator_at (n - 1)). split; [lia|]. apply (near_previous_fails n _ g' K); [lra|exact HK|lia|].
  intros k Hk. unfold causal_score. rewrite half_parity_even by lia.
  rewrite (minus_INR (n - 1)), (minus_INR n), mult_INR by lia. change (INR 1) with 1.
  replace (INR 2) with 2 by (simpl; lra). assert (K1 : INR k <= INR K) by (apply le_INR; lia).
  assert (K3 : 1 <= INR k) by (apply INR_at_least_1; lia). assert (K2 : 2 * INR K + 2 <= INR n).
  { replace (2 * INR K + 2) with (INR (2 * K + 2)) by (rewrite plus_INR, mult_INR; simpl; lra). apply le_INR. lia. }
  set (x := INR n) in *. set (y := INR k) in *. set (c := half_parity _ _).
  assert (P : 0 < (x - 1) * (x - 1 - 2 * y)) by (apply Rmult_lt_0_compat; lra).
  assert (F : g * x ^ 2 * (2 * y / ((x - 1) * (x - 1 - 2 * y))) <= y * (2 * g')).
  { replace (g * x ^ 2 * (2 * y / ((x - 1) * (x - 1 - 2 * y))))
      with (2 * y * (g * x ^ 2 / ((x - 1) * (x - 1 - 2 * y)))) by (field; lra).
    replace (y * (2 * g')) with (2 * y * g') by ring. apply Rmult_le_compat_l; [lra|].
    apply Rmult_le_reg_r with ((x - 1) * (x - 1 - 2 * y)); [exact P|].
    replace (g * x ^ 2 / ((x - 1) * (x - 1 - 2 * y)) * ((x - 1) * (x - 1 - 2 * y))) with (g * x ^ 2) by (field; lra).
    assert (g' * (2 * y + 2) <= g' * (2 * INR K + 2)) by (apply Rmult_le_compat_l; lra).
    assert (x * (g' * (2 * y + 2)) <= x * ((g' - g) * x)) by (apply Rmult_le_compat_l; lra).
    assert (0 <= g' * (1 + 2 * y)) by (apply Rmult_le_pos; lra). lra. }
  replace (g * (c - 1 / (x - 1)) / (1 / x ^ 2)) with (g * (c - 1 / (x - 1 - y * 2)) / (1 / x ^ 2)
    + g * x ^ 2 * (2 * y / ((x - 1) * (x - 1 - 2 * y)))) by (simpl; field; lra).
  lra.
Qed.

(* ---- Theorem 20: ODD of a count, at the last of three positions of which the first and the last count ---- *)
Local Definition ends (j : nat) : bool := negb (j =? 2)%nat.

Theorem theorem_20_needs_ln_6 g : 0 < g < ln 6 -> ~ near_truth (Nat.odd (counted_on ToLeft 3 ends 3)) (attend 3
  (lookup_mask ToLeft 3) (fun j => lookup_raw_score ToLeft 3 3 ends g j / (1 / INR 3)) (fun j => bit (Nat.odd j))).
Proof.
  intros H [_ N]. pose proof (exp_negative_below_1 g ltac:(lra)) as Hq. assert (Q : 1 / 6 < exp (- g)).
  { replace (1 / 6) with (exp (- ln 6)); [apply exp_increasing; lra|]. rewrite exp_Ropp, exp_ln; lra. }
  assert (E : attend 3 (lookup_mask ToLeft 3) (fun j => lookup_raw_score ToLeft 3 3 ends g j / (1 / INR 3))
      (fun j => bit (Nat.odd j)) = attend 3 no_mask (lookup_score g 2) (fun j => bit (Nat.odd j))).
  { refine (eq_trans (attend_lookup ToLeft 3 (Position 3 ltac:(lia)) _ _) _). apply attend_ext;
    [|reflexivity]. intros j _. unfold lookup_raw_score, lookup_score, ends. simpl. field. }
  rewrite E in N. pose proof (lookup_mean 3 2 g ltac:(lia) ltac:(lra) (fun j => bit (Nat.odd j))) as M.
  unfold gaussian_mass, gaussian_term, index_distance in M. simpl in M. set (x := attend _ _ _ _) in *.
  set (q := exp (- g)) in *. nra.
Qed.

(* ---- lookups in general ---- *)
Theorem mean_within_needed g e : 0 < g ->
  (forall n c, c upto n -> Rabs (INR c - attend n no_mask (lookup_score g c) INR) <= e) -> mean_within (exp (- g)) e.
Proof.
  intros Hg H K. pose proof (exp_negative_below_1 g Hg) as Hq. specialize (H (S K) 1%nat ltac:(lia)).
  pose proof (gaussian_mass_nonneg _ Hq K). pose proof (moment_nonneg _ Hq K).
  rewrite (lemma_07_attained_first (S K) 1 g ltac:(lia) Hg eq_refl), Rabs_Ropp in H. unfold sharp_bound in H.
  replace (S K - 1)%nat with K in H by lia.
  apply Rle_trans with (r1 := gaussian_moment (exp (- g)) K / (1 + gaussian_mass (exp (- g)) K)) in H.
  - apply Rmult_le_compat_r with (r := 1 + gaussian_mass (exp (- g)) K) in H; [|lra].
    unfold Rdiv in H. rewrite Rmult_assoc, Rinv_l in H by lra. lra.
  - apply Rle_abs.
Qed.

Theorem mass_within_needed g : 0 < g -> (forall n c (v : nat -> bool), c upto n -> Rabs (bit (v c)
  - attend n no_mask (lookup_score g c) (fun j => bit (v j))) <= 1 / 4) -> mass_within (exp (- g)) (1 / 6).
Proof.
  intros Hg H K. pose proof (exp_negative_below_1 g Hg) as Hq. pose proof (gaussian_mass_nonneg _ Hq K).
  set (n := (2 * K + 1)%nat). set (c := (K + 1)%nat). assert (Hc : c upto n) by lia.
  specialize (H n c (indicator_at c) Hc). pose proof (lookup_mean n c g Hc Hg (fun j => bit (indicator_at c j))) as M.
  replace (c - 1)%nat with K in M by lia. replace (n - c)%nat with K in M by lia.
  rewrite (sum_apart n c) in M by exact Hc. rewrite sum_zero in M.
  - unfold indicator_at in M at 2. rewrite Nat.eqb_refl in M.
    replace (index_distance c c) with 0%nat in M by (unfold index_distance; lia).
    change (gaussian_term (exp (- g)) 0) with 1 in M. simpl bit in M. unfold indicator_at in H at 1.
    rewrite Nat.eqb_refl in H. simpl bit in H. set (x := attend _ _ _ _) in *. set (a := gaussian_mass _ K) in *.
    pose proof (Rle_abs (1 - x)). assert (3 / 4 <= x) by lra.
    assert (3 / 4 * (a + 1 + a) <= x * (a + 1 + a)) by (apply Rmult_le_compat_r; lra). lra.
  - intros j Hj. unfold zeroed_at, indicator_at. destruct (j =? c)%nat; simpl; [reflexivity|lra].
Qed.
