(* [SHA] Lemma 7: with scores gamma (2cj - j^2) over j = 1, ..., n attention finds position c.

   Proved, with q = e^(-gamma): the mean of the positions is within (q + 2q^4 + 3q^9 + ...) / (1 + q + q^4 + q^9 + ...)
   of c, with equality if c is the first or the last position and for no other c; that is at most q as soon as
   q^2 <= 1/2 (the paper: 3/2 q for gamma >= 1). A table of values in [0, 1] is read to within 2a/(1+2a) of its value
   at c, where a = q + q^4 + q^9 + ...; a table that alternates between 0 and 1 to within 1/4 as soon as q <= 1/6.
   Idea: the weights are q^((j-c)^2). The error is the difference of two sums of k q^(k^2), one per side of c, and term
   by term k q^(k^2) <= q q^((k-1)^2): each sum is at most q times the total weight. No integral is needed. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Certify Require Import positions finite_sums softmax exponential lemma_06_near_hardmax.
Import PositionNotations. Open Scope R_scope.

Definition lookup_score (g : R) (c : nat) (j : nat) : R := g * (2 * INR c * INR j - INR j * INR j).

Section Squares.
Variable q : R.
Hypothesis Hq : 0 < q < 1.

Definition gaussian_term (k : nat) : R := q ^ (k * k).
Definition gaussian_mass (K : nat) : R := sum_to K gaussian_term.
Definition gaussian_moment (K : nat) : R := sum_to K (fun k => INR k * gaussian_term k).

Lemma bell_nonneg k : 0 <= gaussian_term k. Proof. apply pow_le. lra. Qed.
Lemma gaussian_mass_nonneg K : 0 <= gaussian_mass K. Proof. apply sum_nonneg. intros. apply bell_nonneg. Qed.
Lemma moment_nonneg K : 0 <= gaussian_moment K.
Proof. apply sum_nonneg. intros. apply Rmult_le_pos; [apply pos_INR|apply bell_nonneg]. Qed.

(* The mean of 0, ..., K with weights bell grows with K: each further number exceeds the mean of those before. *)
Lemma mean_grows K N : (K <= N)%nat -> gaussian_moment K / (1 + gaussian_mass K) <= gaussian_moment N / (1 +
  gaussian_mass N).
Proof.
  intros H. induction H as [|N H IH]; [lra|]. eapply Rle_trans; [exact IH|]. clear IH H.
  pose proof (gaussian_mass_nonneg N). pose proof (gaussian_mass_nonneg (S N)). pose proof (bell_nonneg (S N)).
  assert (M : gaussian_moment N <= INR N * gaussian_mass N).
  { unfold gaussian_moment, gaussian_mass. rewrite <- sum_scale. apply sum_le. intros k Hk.
    apply Rmult_le_compat_r; [apply bell_nonneg|apply le_INR; lia]. }
  assert (E : gaussian_mass (S N) = gaussian_mass N + gaussian_term (S N)) by reflexivity.
  assert (F : gaussian_moment (S N) = gaussian_moment N + INR (S N) * gaussian_term (S N)) by reflexivity. rewrite E, F.
  pose proof (pos_INR N). rewrite S_INR. set (a := gaussian_mass N) in *. set (m := gaussian_moment N) in *.
  set (b := gaussian_term (S N)) in *. set (x := INR N) in *.
  apply Rmult_le_reg_r with ((1 + a) * (1 + (a + b))); [apply Rmult_lt_0_compat; lra|].
  replace (m / (1 + a) * ((1 + a) * (1 + (a + b)))) with (m * (1 + (a + b))) by (field; lra).
  replace ((m + (x + 1) * b) / (1 + (a + b)) * ((1 + a) * (1 + (a + b)))) with ((m + (x + 1) * b) * (1 + a)) by (field;
    lra). assert (0 <= b * ((x + 1) * (1 + a) - m)) by (apply Rmult_le_pos; [lra|nra]). lra.
Qed.

Hypothesis Half : q * q <= / 2.

Lemma double_power k : INR (S k) * (q * q) ^ k <= 1.
Proof.
  induction k as [|k IH]; [simpl; lra|]. rewrite S_INR. cbn [pow]. assert (0 <= (q * q) ^ k) by (apply pow_le; nra).
  pose proof (pos_INR k). rewrite S_INR in *. set (x := (q * q) ^ k) in *. assert (A : INR k * x + x <= 1) by lra.
  assert (x <= 1) by nra. replace ((INR k + 1 + 1) * (q * q * x)) with ((q * q) * (INR k * x + x + x)) by ring.
  apply Rle_trans with (/ 2 * (INR k * x + x + x)); [|lra]. apply Rmult_le_compat_r; [nra|lra].
Qed.

Lemma moment_term k : INR (S k) * gaussian_term (S k) <= q * gaussian_term k.
Proof.
  unfold gaussian_term. replace (S k * S k)%nat with (S (k * k) + 2 * k)%nat by lia. rewrite pow_add, pow_mult.
  replace (q ^ 2) with (q * q) by ring. pose proof (double_power k). assert (0 <= q ^ S (k * k)) by (apply pow_le; lra).
  replace (q * q ^ (k * k)) with (q ^ S (k * k)) by reflexivity. rewrite <- (Rmult_1_r (q ^ S (k * k))) at 2.
  rewrite (Rmult_comm (q ^ S _)), <- Rmult_assoc, Rmult_comm. now apply Rmult_le_compat_l.
Qed.

Lemma moment_bound K : gaussian_moment K <= q * (1 + gaussian_mass K).
Proof.
  cut (gaussian_moment K <= q * (1 + gaussian_mass K - gaussian_term K)).
  { intros H. pose proof (bell_nonneg K). assert (0 <= q * gaussian_term K) by (apply Rmult_le_pos; lra). lra. }
  induction K as [|K IH]; [unfold gaussian_moment, gaussian_mass, gaussian_term; simpl; lra|].
  unfold gaussian_moment, gaussian_mass in *. cbn [sum_to]. pose proof (moment_term K). lra.
Qed.

Lemma bell_around_c n c (f : nat -> R) : c upto n -> sum_to n (fun j => gaussian_term (index_distance j c) * (f (n + c -
  j)%nat - f n)) = sum_to (c - 1) (fun k => gaussian_term k * (f (n + k)%nat - f n)) + sum_to (n - c) (fun k =>
    gaussian_term k * (f (n - k)%nat - f n)).
Proof.
  intros H. replace n with ((c - 1) + (1 + (n - c)))%nat at 1 by lia. rewrite sum_cut, (sum_cut 1). cbn [sum_to].
  replace (n + c - (c - 1 + 1))%nat with n by lia.
  replace (0 + gaussian_term (index_distance (c - 1 + 1) c) * (f n - f n)) with 0 by lra. rewrite Rplus_0_l. f_equal.
  - rewrite <- (sum_backwards (c - 1) (fun k => gaussian_term k * (f (n + k)%nat - f n))). apply sum_ext. intros j Hj.
    unfold index_distance. replace (j - c + (c - j))%nat with (S (c - 1) - j)%nat by lia. do 3 f_equal. lia.
  - apply sum_ext. intros k Hk. unfold index_distance. f_equal; [f_equal; lia|do 2 f_equal; lia].
Qed.

Lemma sum_around_c n c (F : nat -> R) : c upto n ->
  sum_to n (fun j => F (index_distance j c)) = sum_to (c - 1) F + F 0%nat + sum_to (n - c) F.
Proof.
  intros H. replace n with ((c - 1) + (1 + (n - c)))%nat at 1 by lia. rewrite sum_cut, (sum_cut 1). cbn [sum_to].
  replace (index_distance (c - 1 + 1) c) with 0%nat by (unfold index_distance; lia).
  replace (sum_to (c - 1) (fun j => F (index_distance j c))) with (sum_to (c - 1) F).
  - replace (sum_to (n - c) _) with (sum_to (n - c) F); [lra|]. apply sum_ext. intros k Hk. f_equal.
    unfold index_distance. lia.
  - rewrite <- (sum_backwards (c - 1) F). apply sum_ext. intros j Hj. f_equal. unfold index_distance. lia.
Qed.

Lemma mass_around_c n c : c upto n -> sum_to n (fun j => gaussian_term (index_distance j c)) = gaussian_mass (c - 1) + 1
  + gaussian_mass (n - c).
Proof. exact (sum_around_c n c gaussian_term). Qed.
End Squares.

(* ---- bounds for all lengths at once ---- *)
(* The mean of 0, ..., K with weights bell is at most e, whatever K is. *)
Definition mean_within (q e : R) : Prop := forall K, gaussian_moment q K <= e * (1 + gaussian_mass q K).
(* q + q^4 + q^9 + ... is at most a. *)
Definition mass_within (q a : R) : Prop := forall K, gaussian_mass q K <= a.

Lemma bell_monotone q q' k : 0 < q' <= q -> gaussian_term q' k <= gaussian_term q k. Proof. intros H. apply pow_incr.
lra. Qed.

Lemma mean_within_smaller q q' e : 0 < q' <= q -> e <= 1 -> mean_within q e -> mean_within q' e.
Proof.
  intros Hq He H K. specialize (H K).
  cut (gaussian_moment q' K - e * gaussian_mass q' K <= gaussian_moment q K - e * gaussian_mass q K); [lra|].
  unfold gaussian_moment, gaussian_mass. rewrite <- !sum_scale, <- !sum_minus. apply sum_le. intros k Hk.
  pose proof (INR_at_least_1 k ltac:(lia)). pose proof (bell_monotone q q' k Hq). rewrite <- !Rmult_minus_distr_r.
  apply Rmult_le_compat_l; lra.
Qed.

Lemma mass_within_smaller q q' a : 0 < q' <= q -> mass_within q a -> mass_within q' a.
Proof. intros Hq H K. eapply Rle_trans; [|apply H]. apply sum_le. intros k _. now apply bell_monotone. Qed.
Lemma mean_within_itself q : 0 < q < 1 -> q * q <= / 2 -> mean_within q q.
Proof. intros Hq Half K. now apply moment_bound. Qed.

(* Sharper, from the first K terms. *)
Lemma mean_within_terms q e K : 0 < q < 1 -> q * q <= / 2 -> 0 <= e ->
  gaussian_moment q K + q ^ S (K * K) / (1 - q) <= e * (1 + gaussian_mass q K) -> mean_within q e.
Proof.
  intros Hq Half He H N. assert (T : 0 <= q ^ S (K * K) / (1 - q)).
  { auto with signs. }
  destruct (le_ge_dec N K) as [L|L].
  - pose proof (mean_grows q Hq N K L) as M. pose proof (gaussian_mass_nonneg q Hq N).
    pose proof (gaussian_mass_nonneg q Hq K). assert (gaussian_moment q K / (1 + gaussian_mass q K) <= e).
    { apply Rmult_le_reg_r with (1 + gaussian_mass q K); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    apply Rmult_le_reg_r with (/ (1 + gaussian_mass q N)); [apply Rinv_0_lt_compat; lra|].
    rewrite Rmult_assoc, Rinv_r, Rmult_1_r by lra. unfold Rdiv in *. lra.
  - replace N with (K + (N - K))%nat by lia. generalize (N - K)%nat as d. intros d. clear N L.
    assert (M : gaussian_mass q K <= gaussian_mass q (K + d)).
    { unfold gaussian_mass. rewrite sum_cut. assert (0 <= sum_to d (fun k => gaussian_term q (K + k))); [|lra].
      apply sum_nonneg. intros. now apply bell_nonneg. }
    assert (B : gaussian_moment q (K + d) * (1 - q) <= gaussian_moment q K * (1 - q) + q ^ (K * K) * (q - q ^ S d)).
    { clear M. induction d as [|d IH]; [rewrite Nat.add_0_r, pow_1; lra|]. rewrite Nat.add_succ_r.
      change (gaussian_moment q (S (K + d))) with (gaussian_moment q (K + d) + INR (S (K + d)) * gaussian_term q (S (K +
        d))). pose proof (moment_term q Hq Half (K + d)) as S1.
      assert (S2 : gaussian_term q (K + d) <= q ^ (K * K) * q ^ d).
      { unfold gaussian_term. rewrite <- pow_add. replace ((K + d) * (K + d))%nat with (K * K + d + (2 * K * d + d * d -
          d))%nat by nia. rewrite (pow_add q (K * K + d)). rewrite <- (Rmult_1_r (q ^ (K * K + d))) at 2.
        apply Rmult_le_compat_l; [apply pow_le; lra|]. rewrite <- (pow1 (2 * K * d + d * d - d)). apply pow_incr. lra. }
      assert (INR (S (K + d)) * gaussian_term q (S (K + d)) * (1 - q) <= q * (q ^ (K * K) * q ^ d) * (1 - q)).
      { apply Rmult_le_compat_r; [lra|]. eapply Rle_trans; [exact S1|]. apply Rmult_le_compat_l; lra. }
      cbn [pow]. cbn [pow] in IH. lra. }
    assert (C : gaussian_moment q (K + d) <= gaussian_moment q K + q ^ S (K * K) / (1 - q)).
    { apply Rmult_le_reg_r with (1 - q); [lra|]. rewrite Rmult_plus_distr_r. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. eapply Rle_trans; [exact B|].
      assert (0 <= q ^ (K * K) * q ^ S d) by auto with signs. cbn [pow] in *. lra. }
    assert (e * gaussian_mass q K <= e * gaussian_mass q (K + d)) by now apply Rmult_le_compat_l. lra.
Qed.

Lemma mass_within_terms q : 0 < q < 1 -> mass_within q (q + q ^ 4 / (1 - q ^ 5)).
Proof.
  intros Hq K. assert (L : 0 < 1 - q ^ 5) by (pose proof (pow_lt_1_compat q 5 ltac:(lra) ltac:(lia)); lra).
  destruct K as [|d].
  - assert (0 < q ^ 4 / (1 - q ^ 5)); [|unfold gaussian_mass; simpl sum_to; lra]. auto with signs.
  - apply Rmult_le_reg_r with (1 - q ^ 5); [assumption|]. rewrite Rmult_plus_distr_r. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    assert (B : gaussian_mass q (S d) * (1 - q ^ 5) <= q * (1 - q ^ 5) + q ^ 4 - q ^ (4 + 5 * d)).
    { induction d as [|d IH]; [unfold gaussian_mass, gaussian_term; simpl; lra|].
      change (gaussian_mass q (S (S d))) with (gaussian_mass q (S d) + gaussian_term q (S (S d))).
      assert (T : gaussian_term q (S (S d)) <= q ^ (4 + 5 * d)).
      { unfold gaussian_term. replace (S (S d) * S (S d))%nat with (4 + 5 * d + (d * d - d))%nat by nia.
        rewrite pow_add. rewrite <- (Rmult_1_r (q ^ (4 + 5 * d))) at 2. apply Rmult_le_compat_l; [apply pow_le; lra|].
        rewrite <- (pow1 (d * d - d)). apply pow_incr. lra. }
      replace (4 + 5 * S d)%nat with (4 + 5 * d + 5)%nat by lia. rewrite (pow_add q (4 + 5 * d) 5).
      apply Rmult_le_compat_r with (r := 1 - q ^ 5) in T; lra. }
    assert (0 <= q ^ (4 + 5 * d)) by (apply pow_le; lra). lra.
Qed.

(* The places at odd distance weigh at most a quarter of all. *)
Definition odd_bell (q : R) (k : nat) : R := if Nat.odd k then gaussian_term q k else 0.
Lemma odd_mass q K : 0 < q <= 1 / 6 -> 4 * sum_to K (odd_bell q) <= gaussian_mass q K + 1 / 2.
Proof.
  intros Hq. assert (Hq1 : 0 < q < 1) by lra.
  cut ((if Nat.odd K then 0 else gaussian_term q K / 2) <= gaussian_mass q K + 1 / 2 - 4 * sum_to K (odd_bell q)).
  { pose proof (bell_nonneg q Hq1 K). destruct (Nat.odd K); lra. }
  induction K as [|K IH]; [unfold gaussian_mass, gaussian_term; simpl; lra|].
  change (gaussian_mass q (S K)) with (gaussian_mass q K + gaussian_term q (S K)). cbn [sum_to]. unfold odd_bell at 2.
  rewrite Nat.odd_succ, <- Nat.negb_odd. pose proof (bell_nonneg q Hq1 (S K)). pose proof (bell_nonneg q Hq1 K).
  destruct (Nat.odd K); cbn [negb]; [lra|]. assert (gaussian_term q (S K) <= 1 / 6 * gaussian_term q K); [|lra].
  unfold gaussian_term. replace (S K * S K)%nat with (K * K + 2 * K + 1)%nat by lia. rewrite !pow_add, pow_1.
  assert (0 <= q ^ (K * K)) by (apply pow_le; lra). assert (0 <= q ^ (2 * K) <= 1).
  { split; [apply pow_le; lra|]. rewrite <- (pow1 (2 * K)). apply pow_incr. lra. }
  set (x := q ^ (K * K)) in *. set (y := q ^ (2 * K)) in *. assert (x * y <= x) by nra. assert (0 <= x * y) by nra. nra.
Qed.

Section Lemma7.
Variables (n c : nat) (g : R).
Hypothesis Hc : c upto n.
Hypothesis Hg : 0 < g.

Let q := exp (- g).

Lemma weight_lookup j : weight no_mask (lookup_score g c) j = exp (g * (INR c * INR c)) * gaussian_term q
  (index_distance j c).
Proof.
  unfold weight, no_mask, gaussian_term, q. rewrite exp_power, <- exp_plus. f_equal.
  rewrite mult_INR, INR_distance, <- Rabs_mult, Rabs_right by apply Rle_ge, Rle_0_sqr. unfold lookup_score. ring.
Qed.

Lemma Z_at_least_1 : 1 <= gaussian_mass q (c - 1) + 1 + gaussian_mass q (n - c).
Proof.
  pose proof (exp_negative_below_1 g Hg : 0 < q < 1) as Hq.
  pose proof (gaussian_mass_nonneg q Hq (c - 1)). pose proof (gaussian_mass_nonneg q Hq (n - c)). lra.
Qed.

Let Z := gaussian_mass q (c - 1) + 1 + gaussian_mass q (n - c).

(* What is read from a table of values. *)
Lemma lookup_mean v : attend n no_mask (lookup_score g c) v * Z = sum_to n (fun j => gaussian_term q (index_distance j
  c) * v j).
Proof.
  pose proof Z_at_least_1 as HZ. fold Z in HZ. set (K := exp (g * (INR c * INR c))).
  assert (HK : 0 < K) by apply exp_pos. assert (EZ : sum_to n (weight no_mask (lookup_score g c)) = K * Z).
  { rewrite (sum_ext n _ _ (fun j _ => weight_lookup j)), sum_scale, mass_around_c by exact Hc. reflexivity. }
  unfold attend, softmax. rewrite EZ, <- sum_scale_r. apply sum_ext. intros j _. rewrite weight_lookup. fold K. field.
  split; lra.
Qed.

(* The error, exactly. *)
Local Lemma lookup_error : INR c - attend n no_mask (lookup_score g c) INR = (gaussian_moment q (c - 1) -
  gaussian_moment q (n - c)) / Z.
Proof.
  pose proof Z_at_least_1 as HZ. fold Z in HZ.
  apply Rmult_eq_reg_r with Z; [|lra]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  rewrite Rmult_minus_distr_r, lookup_mean. unfold Z. rewrite <- (mass_around_c q n c Hc), <- sum_scale, <- sum_minus.
  rewrite (sum_ext n _ (fun j => gaussian_term q (index_distance j c) * (INR (n + c - j) - INR n))).
  - rewrite (bell_around_c q n c INR Hc). unfold gaussian_moment.
    match goal with |- _ = ?x - ?y => replace (x - y) with (x + -1 * y) by ring end. rewrite <- sum_scale.
    apply f_equal2; apply sum_ext; intros k Hk; [rewrite plus_INR|rewrite minus_INR by lia]; ring.
  - intros j Hj. rewrite minus_INR, plus_INR by lia. ring.
Qed.

(* The sharp bound: (q + 2 q^4 + 3 q^9 + ...) / (1 + q + q^4 + q^9 + ...), up to (n-1)^2. *)
Definition sharp_bound : R := gaussian_moment q (n - 1) / (1 + gaussian_mass q (n - 1)).

Lemma sharp_side K : (K <= n - 1)%nat -> 1 + gaussian_mass q K <= Z -> gaussian_moment q K / Z <= sharp_bound.
Proof.
  pose proof (exp_negative_below_1 g Hg : 0 < q < 1) as Hq. intros L Le. pose proof (gaussian_mass_nonneg q Hq K).
  eapply Rle_trans; [|exact (mean_grows q Hq K (n - 1) L)].
  apply Rmult_le_compat_l; [now apply moment_nonneg|apply Rinv_le_contravar; lra].
Qed.

Theorem lemma_07_sharp : Rabs (INR c - attend n no_mask (lookup_score g c) INR) <= sharp_bound.
Proof.
  pose proof (exp_negative_below_1 g Hg : 0 < q < 1) as Hq. pose proof Z_at_least_1 as HZ. fold Z in HZ.
  pose proof (gaussian_mass_nonneg q Hq (c - 1)). pose proof (gaussian_mass_nonneg q Hq (n - c)).
  pose proof (sharp_side (c - 1) ltac:(lia) ltac:(unfold Z; lra)).
  pose proof (sharp_side (n - c) ltac:(lia) ltac:(unfold Z; lra)). assert (P : forall K, 0 <= gaussian_moment q K / Z).
  { intros K. apply Rmult_le_pos; [now apply moment_nonneg|left; apply Rinv_0_lt_compat; lra]. }
  pose proof (P (c - 1)%nat). pose proof (P (n - c)%nat). rewrite lookup_error, Rdiv_minus_distr. unfold Rabs.
  destruct Rcase_abs; lra.
Qed.

(* It is attained at the first place and at the last. *)
Theorem lemma_07_attained_first : c = 1%nat -> INR c - attend n no_mask (lookup_score g c) INR = - sharp_bound.
Proof.
  intros E. rewrite lookup_error. unfold Z, sharp_bound. rewrite E. change (1 - 1)%nat with 0%nat.
  change (gaussian_moment q 0) with 0. change (gaussian_mass q 0) with 0.
  pose proof (gaussian_mass_nonneg q (exp_negative_below_1 g Hg) (n - 1)). field. lra.
Qed.

Theorem lemma_07_attained_last : c = n -> INR c - attend n no_mask (lookup_score g c) INR = sharp_bound.
Proof.
  intros E. rewrite lookup_error. unfold Z, sharp_bound. rewrite E, Nat.sub_diag. change (gaussian_moment q 0) with 0.
  change (gaussian_mass q 0) with 0. pose proof (gaussian_mass_nonneg q (exp_negative_below_1 g Hg) (n - 1)). field.
  lra.
Qed.

(* And nowhere else: between them both sides weigh something, so each side's share is smaller. *)
Theorem lemma_07_equality : Rabs (INR c - attend n no_mask (lookup_score g c) INR) = sharp_bound <-> c = 1%nat \/ c = n.
Proof.
  pose proof (exp_negative_below_1 g Hg : 0 < q < 1) as Hq. split.
  - intros E. destruct (Nat.eq_dec c 1) as [|N1]; [now left|]. destruct (Nat.eq_dec c n) as [|N2]; [now right|].
    exfalso. pose proof Z_at_least_1 as HZ. fold Z in HZ.
    assert (Pos : forall K, (1 <= K)%nat -> 0 < gaussian_mass q K /\ 0 < gaussian_moment q K).
    { intros K HK. replace K with (1 + (K - 1))%nat by lia. unfold gaussian_mass, gaussian_moment. rewrite !sum_cut.
      cbn [sum_to]. assert (B : forall k, 0 <= gaussian_term q k) by (intros; now apply bell_nonneg).
      assert (B1 : 0 < gaussian_term q 1) by (apply pow_lt; lra). simpl (INR 1).
      split; (match goal with |- 0 < 0 + ?a + sum_to ?k ?f => assert (0 <= sum_to k f) end;
        [apply sum_nonneg; intros; try (apply Rmult_le_pos; [apply pos_INR|]); apply B|lra]). }
    assert (Strict : forall K K', (1 <= K)%nat -> (K <= n - 1)%nat -> (1 <= K')%nat -> gaussian_mass q K + 1 +
      gaussian_mass q K' = Z -> gaussian_moment q K / Z < sharp_bound).
    { intros K K' HK L HK' EZ. destruct (Pos K HK), (Pos K' HK').
      eapply Rlt_le_trans; [|exact (mean_grows q Hq K (n - 1) L)].
      apply Rmult_lt_compat_l; [assumption|]. apply Rinv_lt_contravar; [apply Rmult_lt_0_compat|]; lra. }
    pose proof (Strict (c - 1) (n - c) ltac:(lia) ltac:(lia) ltac:(lia) ltac:(unfold Z; lra))%nat as S1.
    pose proof (Strict (n - c) (c - 1) ltac:(lia) ltac:(lia) ltac:(lia) ltac:(unfold Z; lra))%nat as S2.
    assert (P : forall K, 0 <= gaussian_moment q K / Z).
    { intros K. apply Rmult_le_pos; [now apply moment_nonneg|left; apply Rinv_0_lt_compat; lra]. }
    pose proof (P (c - 1)%nat). pose proof (P (n - c)%nat).
    rewrite lookup_error, Rdiv_minus_distr in E. revert E. unfold Rabs. destruct Rcase_abs; lra.
  - assert (0 <= sharp_bound).
    { pose proof (gaussian_mass_nonneg q Hq (n - 1)).
      apply Rmult_le_pos; [now apply moment_nonneg|left; apply Rinv_0_lt_compat; lra]. }
    intros [E|E]; [rewrite lemma_07_attained_first, Rabs_Ropp by exact E|rewrite lemma_07_attained_last by exact E];
      apply Rabs_right; lra.
Qed.

(* A bound for all lengths. *)
Theorem lemma_07_within e : mean_within q e -> Rabs (INR c - attend n no_mask (lookup_score g c) INR) <= e.
Proof.
  intros H. pose proof (exp_negative_below_1 g Hg : 0 < q < 1) as Hq. eapply Rle_trans; [apply lemma_07_sharp|].
  specialize (H (n - 1)%nat). pose proof (gaussian_mass_nonneg q Hq (n - 1)). unfold sharp_bound.
  apply Rmult_le_reg_r with (1 + gaussian_mass q (n - 1)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Theorem lemma_07 : exp (- g) * exp (- g) <= / 2 -> Rabs (INR c - attend n no_mask (lookup_score g c) INR) <= exp (- g).
Proof. intros Half. apply lemma_07_within, mean_within_itself; [now apply exp_negative_below_1|exact Half]. Qed.

(* As the paper prints it. *)
Corollary lemma_07_printed : 1 <= g -> Rabs (INR c - attend n no_mask (lookup_score g c) INR) <= 3 / 2 * exp (- g).
Proof.
  intros H1. pose proof (exp_pos (- g)). eapply Rle_trans; [apply lemma_07|lra]. rewrite <- exp_plus.
  replace (- g + - g) with (- (2 * g)) by lra. apply exp_negative_upper; [lra|]. pose proof (exp_ineq1 (2 * g)). lra.
Qed.

(* ---- a table of values in [0, 1] instead of the positions themselves ---- *)
Lemma lookup_table_error v F : (each j upto n, Rabs (v c - v j) * gaussian_term q (index_distance j c) <= F
  (index_distance j c)) -> Rabs (v c - attend n no_mask (lookup_score g c) v) * Z <= sum_to (c - 1) F + F 0%nat + sum_to
    (n - c) F.
Proof.
  pose proof (exp_negative_below_1 g Hg : 0 < q < 1) as Hq. pose proof Z_at_least_1 as HZ. fold Z in HZ. intros H.
  assert (AZ : Rabs Z = Z) by (apply Rabs_right; lra).
  rewrite <- (sum_around_c n c F Hc), <- AZ, <- Rabs_mult, Rmult_minus_distr_r, lookup_mean. unfold Z.
  rewrite <- (mass_around_c q n c Hc), <- sum_scale, <- sum_minus. eapply Rle_trans; [apply sum_Rabs|]. apply sum_le.
  intros j Hj. eapply Rle_trans; [|now apply H].
  rewrite <- (Rabs_right (gaussian_term q (index_distance j c))) at 3 by now apply Rle_ge, bell_nonneg.
  rewrite <- Rabs_mult. right. f_equal. ring.
Qed.

Theorem lookup_table v a : mass_within q a -> (each j upto n, 0 <= v j <= 1) ->
  Rabs (v c - attend n no_mask (lookup_score g c) v) <= 2 * a / (1 + 2 * a).
Proof.
  pose proof (exp_negative_below_1 g Hg : 0 < q < 1) as Hq. intros A Hv.
  pose proof (lookup_table_error v (zeroed_at 0 (gaussian_term q))) as E. rewrite except_here, Rplus_0_r in E.
  assert (M : forall K, sum_to K (zeroed_at 0 (gaussian_term q)) = gaussian_mass q K).
  { intros K. apply sum_ext. intros k Hk. apply except_elsewhere. lia. }
  rewrite !M in E. unfold Z in E. pose proof (A (c - 1)%nat). pose proof (A (n - c)%nat).
  pose proof (gaussian_mass_nonneg q Hq (c - 1)). pose proof (gaussian_mass_nonneg q Hq (n - c)).
  assert (B2 : 0 <= gaussian_mass q (c - 1) + gaussian_mass q (n - c) <= 2 * a) by lra. set (x := Rabs _) in *.
  set (b := gaussian_mass q (c - 1) + gaussian_mass q (n - c)) in *. assert (B : x * (1 + b) <= b).
  { unfold b at 1. replace (1 + _) with (gaussian_mass q (c - 1) + 1 + gaussian_mass q (n - c)) by lra. apply E.
    intros j Hj. pose proof (Hv j Hj). pose proof (Hv c Hc). pose proof (bell_nonneg q Hq (index_distance j c)).
    destruct (Nat.eq_dec j c) as [->|Ne].
    - replace (index_distance c c) with 0%nat by (unfold index_distance; lia).
      rewrite except_here, Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
    - rewrite except_elsewhere by (unfold index_distance; lia). rewrite <- Rmult_1_l.
      apply Rmult_le_compat_r; [assumption|]. apply Rabs_le. lra. }
  apply Rmult_le_reg_r with (1 + 2 * a); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  assert (0 <= x) by apply Rabs_pos. nra.
Qed.

Theorem lookup_alternating (v : nat -> bool) (b : bool) : q <= 1 / 6 -> (each j upto n, v j = xorb b (Nat.odd j)) ->
  Rabs (bit (v c) - attend n no_mask (lookup_score g c) (fun j => bit (v j))) <= 1 / 4.
Proof.
  pose proof (exp_negative_below_1 g Hg : 0 < q < 1) as Hq. intros Small Hv.
  pose proof Z_at_least_1 as HZ. fold Z in HZ.
  pose proof (lookup_table_error (fun j => bit (v j)) (odd_bell q)) as E. change (odd_bell q 0) with 0 in E.
  pose proof (odd_mass q (c - 1) ltac:(lra)). pose proof (odd_mass q (n - c) ltac:(lra)).
  apply Rmult_le_reg_r with Z; [lra|]. eapply Rle_trans; [apply E|unfold Z; lra].
  intros j Hj. rewrite (Hv j Hj), (Hv c Hc). unfold odd_bell. pose proof (bell_nonneg q Hq (index_distance j c)).
  assert (O : Nat.odd (index_distance j c) = xorb (Nat.odd j) (Nat.odd c)).
  { rewrite <- Nat.odd_add. unfold index_distance. destruct (le_ge_dec j c).
    - replace (j + c)%nat with (j - c + (c - j) + 2 * j)%nat by lia. now rewrite Nat.odd_add_mul_2.
    - replace (j + c)%nat with (j - c + (c - j) + 2 * c)%nat by lia. now rewrite Nat.odd_add_mul_2. }
  rewrite O. destruct b, (Nat.odd j), (Nat.odd c); simpl;
    rewrite ?Rminus_0_r, ?Rminus_diag_eq, ?Rminus_0_l, ?Rabs_Ropp, ?Rabs_R0, ?Rabs_R1 by reflexivity; lra.
Qed.
End Lemma7.
