(* [SHA] Lemma 8: scores with a gap of 1 plus a tie-breaking term, sharpened until softmax is close to hard attention.

   Proved, for every mask and every N that no visible position exceeds, with q = e^(-gamma):
   (a) gamma N^2 (s_j - 1/j) and (b) 2 gamma N (s_j + j/(2N)) find the rightmost, (c) 2 gamma N (s_j - j/(2N)) the
   leftmost maximal position, to within 2q in the norm of the paper (which has 4q) and within q in every mean of values
   of [0, 1]. Idea: tied positions lie on one side only and weigh q, q^2, ...; the others go on from there, around
   the end, with the next powers of q. All are distinct, so together they weigh at most q + q^2 + ... = q/(1-q).
   For this the term need not be half of the gap: in D s_j + gamma j and D s_j - gamma j any D >= gamma N will do, in
   D s_j - gamma N^2/j any D >= gamma N^2 (`lemma_08b_any_ratio` and its fellows); the paper's cases follow. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Certify Require Import positions finite_sums softmax exponential lemma_06_near_hardmax.
Import PositionNotations. Open Scope R_scope.

Section OneSided.
Variable q : R.
Hypothesis Hq : 0 < q < 1.

(* q^(p-j) to the left of p; from N backwards to p the powers go on, from q^p to q^(N-1). *)
Definition left_ties (N p j : nat) : R :=
  if (j <? p)%nat then q ^ (p - j) else if (j <=? N)%nat then q ^ (p + N - j) else 0.

Lemma left_ties_sum n N p : p upto N -> (p <= n)%nat -> sum_to n (zeroed_at p (left_ties N p)) <= q / (1 - q).
Proof.
  intros Hp Hn. apply Rmult_le_reg_r with (1 - q); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  assert (G : forall k, (k < p)%nat -> sum_to k (zeroed_at p (left_ties N p)) * (1 - q) = q ^ (p - k) - q ^ p).
  { induction k as [|k IH]; intros Hk; [simpl; rewrite Nat.sub_0_r; lra|]. cbn [sum_to].
    rewrite Rmult_plus_distr_r, IH, except_elsewhere by lia. unfold left_ties.
    rewrite (proj2 (Nat.ltb_lt (S k) p)) by lia. replace (p - k)%nat with (S (p - S k)) by lia. simpl. ring. }
  assert (F : forall k, sum_to (p + k) (zeroed_at p (left_ties N p)) * (1 - q)
    = q - q ^ p + (q ^ (N - Nat.min k (N - p)) - q ^ N)).
  { induction k as [|k IH].
    - rewrite Nat.add_0_r, Nat.sub_0_r. destruct p as [|p']; [lia|]. cbn [sum_to].
      rewrite except_here, Rplus_0_r, G by lia. replace (S p' - p')%nat with 1%nat by lia. simpl. lra.
    - rewrite Nat.add_succ_r. cbn [sum_to]. rewrite except_elsewhere by lia. unfold left_ties at 2.
      rewrite (proj2 (Nat.ltb_ge _ p)) by lia. rewrite Rmult_plus_distr_r, IH. destruct (Nat.leb_spec (S (p + k)) N).
      + replace (Nat.min (S k) (N - p)) with (S k) by lia. replace (Nat.min k (N - p)) with k by lia.
        replace (p + N - S (p + k))%nat with (N - S k)%nat by lia. replace (N - k)%nat with (S (N - S k)) by lia.
        simpl. ring.
      + replace (Nat.min (S k) (N - p)) with (Nat.min k (N - p)) by lia. ring. }
  specialize (F (n - p)%nat). replace (p + (n - p))%nat with n in F by lia. rewrite F. clear F G.
  set (k := Nat.min (n - p) (N - p)). assert (0 < q ^ N) by (apply pow_lt; lra). assert (q ^ (N - k) <= q ^ p); [|lra].
  replace (N - k)%nat with (p + (N - p - k))%nat by lia. rewrite pow_add. rewrite <- (Rmult_1_r (q ^ p)) at 2.
  apply Rmult_le_compat_l; [apply pow_le; lra|]. rewrite <- (pow1 (N - p - k)). apply pow_incr. lra.
Qed.

(* Its mirror image. *)
Definition right_ties (N p j : nat) : R := if (p <? j)%nat then q ^ (j - p) else q ^ (N + j - p).

Lemma right_ties_sum n N p : p upto n -> (n <= N)%nat -> sum_to n (zeroed_at p (right_ties N p)) <= q / (1 - q).
Proof.
  intros Hp Hn. rewrite <- sum_backwards. eapply Rle_trans; [|apply (left_ties_sum n N (S n - p)); lia]. apply sum_le.
  intros j Hj. unfold zeroed_at, right_ties, left_ties.
  destruct (Nat.eqb_spec (S n - j) p), (Nat.eqb_spec j (S n - p)); try lia; [lra|].
  destruct (Nat.ltb_spec p (S n - j)), (Nat.ltb_spec j (S n - p)); try lia.
  - replace (S n - j - p)%nat with (S n - p - j)%nat by lia. lra.
  - rewrite (proj2 (Nat.leb_le j N)) by lia. replace (N + (S n - j) - p)%nat with (S n - p + N - j)%nat by lia. lra.
Qed.
End OneSided.

(* ---- attention whose rivals are dominated in this way ---- *)
Section Sharp.
Variables (n : nat) (m : mask) (s : nat -> R) (g : R) (p : nat).
Hypothesis Hg : 0 < g.
Hypothesis Vp : visible n m p.

Let q := exp (- g).
Hypothesis Dominated : sum_to n (zeroed_at p (weight m s)) <= q / (1 - q) * weight m s p.

Lemma beta_8 : 0 <= q / (1 - q) /\ q / (1 - q) / (1 + q / (1 - q)) = q.
Proof. pose proof (exp_negative_below_1 g Hg : 0 < q < 1). split; [|field; lra]. auto with signs. Qed.
Lemma distance_8 : sum_to n (fun j => Rabs (one_hot p j - softmax n m s j)) <= 2 * exp (- g).
Proof. destruct beta_8 as [B E]. fold q. rewrite <- E at 1. now apply distance_concentrated. Qed.

Lemma attend_8 v : (forall j, visible n m j -> 0 <= v j <= 1) -> Rabs (v p - attend n m s v) <= exp (- g).
Proof. intros Hv. destruct beta_8 as [B E]. fold q. rewrite <- E at 1. now apply attend_concentrated. Qed.
End Sharp.

Lemma dominated_left n m s g p N : 0 < g -> visible n m p -> (p <= N)%nat -> (forall j, visible n m j -> j <> p ->
  (j <= N)%nat /\ s j <= s p - INR (if (j <? p)%nat then p - j else p + N - j) * g) ->
  sum_to n (zeroed_at p (weight m s)) <= exp (- g) / (1 - exp (- g)) * weight m s p.
Proof.
  intros Hg Vp HN H. pose proof (exp_negative_below_1 g Hg) as Hq. pose proof (weight_pos m s p (proj2 Vp)) as W.
  set (q := exp (- g)) in *. apply Rle_trans with (weight m s p * sum_to n (zeroed_at p (left_ties q N p))).
  - rewrite <- sum_scale. apply sum_le. intros j Hj. unfold zeroed_at. destruct (Nat.eqb_spec j p) as [|Ne]; [lra|].
    destruct (m j) eqn:M.
    + destruct (H j (conj Hj M) Ne) as [L B]. unfold left_ties. rewrite (proj2 (Nat.leb_le j N) L).
      destruct (j <? p)%nat; apply weight_below; auto; apply Vp.
    + unfold weight at 1. rewrite M. apply Rmult_le_pos; [lra|]. unfold left_ties.
      destruct (j <? p)%nat, (j <=? N)%nat; try lra; apply pow_le; lra.
  - rewrite Rmult_comm. apply Rmult_le_compat_r; [lra|]. apply left_ties_sum; destruct Vp; lia || exact Hq.
Qed.

Lemma dominated_right n m s g p N : 0 < g -> visible n m p -> (n <= N)%nat ->
  (forall j, visible n m j -> j <> p -> s j <= s p - INR (if (p <? j)%nat then j - p else N + j - p) * g) ->
  sum_to n (zeroed_at p (weight m s)) <= exp (- g) / (1 - exp (- g)) * weight m s p.
Proof.
  intros Hg Vp HN H. pose proof (exp_negative_below_1 g Hg) as Hq. pose proof (weight_pos m s p (proj2 Vp)) as W.
  set (q := exp (- g)) in *. apply Rle_trans with (weight m s p * sum_to n (zeroed_at p (right_ties q N p))).
  - rewrite <- sum_scale. apply sum_le. intros j Hj. unfold zeroed_at. destruct (Nat.eqb_spec j p) as [|Ne]; [lra|].
    unfold right_ties. pose proof (fun M => H j (conj Hj M) Ne) as B.
    destruct (p <? j)%nat; apply weight_below; auto; apply Vp.
  - rewrite Rmult_comm. apply Rmult_le_compat_r; [lra|]. apply right_ties_sum; destruct Vp; lia || exact Hq.
Qed.

(* A gap of 1 between values s: every smaller score is smaller by 1. *)
Lemma pivot_is_greatest n m s (Gap : has_gap n m s 1) p : is_rightmost n m s p \/ is_leftmost n m s p -> forall j,
  visible n m j -> s j = s p \/ s j <= s p - 1.
Proof. intros [[V M]|[V M]]; apply (Gap p V); intros j Vj; now destruct (M j Vj). Qed.

Lemma reciprocal_gap N j p : 1 <= j <= p -> p <= INR N -> p - j <= INR N ^ 2 * (1 / j - 1 / p).
Proof.
  intros Hj Hp. replace (1 / j - 1 / p) with ((p - j) / (j * p)) by (field; lra).
  apply Rmult_le_reg_r with (j * p); [apply Rmult_lt_0_compat; lra|].
  replace (INR N ^ 2 * ((p - j) / (j * p)) * (j * p)) with ((p - j) * (INR N * INR N)) by (field; lra).
  apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat; lra.
Qed.

(* ---- any ratio of the tie-breaking term: levels, whose steps are at least D, beside a slope g with g N <= D ---- *)
Section Levels.
Variables (n : nat) (m : mask) (l : nat -> R) (g : R) (N : nat) (D : R) (p : nat).
Hypothesis Hg : 0 < g.
Hypothesis Vp : visible n m p.
Hypothesis Highest : forall j, visible n m j -> l j <= l p.

Section Right.
Hypothesis HN : forall j, visible n m j -> (j <= N)%nat.
Hypothesis Below : forall j, visible n m j -> (p < j)%nat -> l j <= l p - D.

Lemma dominated_rising : g * INR N <= D -> sum_to n (zeroed_at p (weight m (fun j =>
  l j + g * INR j))) <= exp (- g) / (1 - exp (- g)) * weight m (fun j => l j + g * INR j) p.
Proof.
  intros HD. apply dominated_left with N; auto. intros j Vj Ne. split; [now apply HN|]. pose proof (HN j Vj) as Lj.
  pose proof (HN p Vp) as Lp. pose proof (Highest j Vj) as Hj. destruct (Nat.ltb_spec j p) as [L|L].
  - rewrite minus_INR by lia. lra.
  - specialize (Below j Vj ltac:(lia)). rewrite minus_INR, plus_INR by lia. lra.
Qed.

Lemma dominated_reciprocal : g * INR N ^ 2 <= D -> sum_to n (zeroed_at p (weight m (fun j => l j - g * INR N ^ 2 * (1 /
  INR j)))) <= exp (- g) / (1 - exp (- g)) * weight m (fun j => l j - g * INR N ^ 2 * (1 / INR j)) p.
Proof.
  intros HD. apply dominated_left with N; auto. intros j Vj Ne. split; [now apply HN|].
  pose proof (le_INR _ _ (HN j Vj)) as L1. pose proof (le_INR _ _ (HN p Vp)) as L2.
  assert (P1 : 1 <= INR j) by (apply INR_at_least_1, Vj). assert (P2 : 1 <= INR p) by (apply INR_at_least_1, Vp).
  pose proof (Highest j Vj) as Hj. destruct (Nat.ltb_spec j p) as [L|L].
  - rewrite minus_INR by lia. apply lt_INR in L. pose proof (reciprocal_gap N (INR j) (INR p) ltac:(lra) L2) as G.
    apply Rmult_le_compat_l with (r := g) in G; lra.
  - specialize (Below j Vj ltac:(lia)). assert (F : INR (p + N - j) <= INR N) by (apply le_INR; lia).
    assert (1 / INR p <= 1). { apply Rmult_le_reg_r with (INR p); [lra|]. field_simplify; lra.
    } assert (1 / INR N <= 1 / INR j). { apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
    } assert (T : INR N <= INR N ^ 2 * (1 - 1 / INR p + 1 / INR j)).
    { replace (INR N) with (INR N ^ 2 * (1 / INR N)) at 1 by (field; lra).
      apply Rmult_le_compat_l; [apply pow_le; lra|lra]. }
    apply Rmult_le_compat_l with (r := g) in T; [|lra]. apply Rmult_le_compat_l with (r := g) in F; lra.
Qed.
End Right.

Lemma dominated_falling : (n <= N)%nat -> (forall j, visible n m j -> (j < p)%nat -> l j <= l p - D) ->
  g * INR N <= D -> sum_to n (zeroed_at p (weight m (fun j => l j - g * INR j))) <= exp (- g) / (1 - exp (- g))
  * weight m (fun j => l j - g * INR j) p.
Proof.
  intros HN Below HD. apply dominated_right with N; auto. intros j Vj Ne. assert (j <= N)%nat by (destruct Vj; lia).
  assert (p <= N)%nat by (destruct Vp; lia). pose proof (Highest j Vj) as Hj. destruct (Nat.ltb_spec p j) as [L|L].
  - rewrite minus_INR by lia. lra.
  - specialize (Below j Vj ltac:(lia)). rewrite minus_INR, plus_INR by lia. lra.
Qed.
End Levels.

Section AnyRatio.
Variables (n : nat) (m : mask) (s : nat -> R) (g D : R) (N p : nat).
Hypothesis Hg : 0 < g.
Hypothesis Gap : has_gap n m s 1.

Lemma levels_below : 0 <= D -> is_rightmost n m s p \/ is_leftmost n m s p -> (forall j, visible n m j ->
  D * s j <= D * s p) /\ (forall j, visible n m j -> s j < s p -> D * s j <= D * s p - D).
Proof.
  intros HD R. assert (H : forall j, visible n m j -> s j <= s p) by (destruct R as [[_ M]|[_ M]]; intros; now apply M).
  split; intros j Vj; [now apply Rmult_le_compat_l; auto|]. intros L.
  destruct (pivot_is_greatest n m s Gap p R j Vj); [lra|]. replace (D * s p - D) with (D * (s p - 1)) by ring.
  now apply Rmult_le_compat_l.
Qed.

(* Scores D s_j with a slope, of a size that D exceeds, by the lemma about levels. *)
Ltac by_levels R dominated := assert (HD0 : 0 <= D) by (pose proof (pos_INR N); nra);
  destruct (levels_below HD0 ltac:(now (left + right))) as [Highest Below]; apply (dominated n m (fun j =>
  D * s j) g N D p); auto; [apply R|]; intros j Vj L; apply Below; [exact Vj|now apply (proj2 R j Vj)].

Lemma dominated_8b_any_ratio : g * INR N <= D -> (forall j, visible n m j -> (j <= N)%nat) -> is_rightmost n m s p ->
  sum_to n (zeroed_at p (weight m (fun j => D * s j + g * INR j)))
    <= exp (- g) / (1 - exp (- g)) * weight m (fun j => D * s j + g * INR j) p.
Proof. intros HD HN R. by_levels R dominated_rising. Qed.

Lemma dominated_8c_any_ratio : g * INR N <= D -> (n <= N)%nat -> is_leftmost n m s p -> sum_to n (zeroed_at p (weight m
  (fun j => D * s j - g * INR j))) <= exp (- g) / (1 - exp (- g)) * weight m (fun j => D * s j - g * INR j) p.
Proof. intros HD HN R. by_levels R dominated_falling. Qed.

Lemma dominated_8a_any_ratio : g * INR N ^ 2 <= D -> (forall j, visible n m j -> (j <= N)%nat) ->
  is_rightmost n m s p -> sum_to n (zeroed_at p (weight m (fun j => D * s j - g * INR N ^ 2 * (1 / INR j))))
  <= exp (- g) / (1 - exp (- g)) * weight m (fun j => D * s j - g * INR N ^ 2 * (1 / INR j)) p.
Proof. intros HD HN R. by_levels R dominated_reciprocal. Qed.

(* Within 2 e^(-g) of the one-hot vector, in the norm of the paper. *)
Theorem lemma_08a_any_ratio : g * INR N ^ 2 <= D -> (forall j, visible n m j -> (j <= N)%nat) -> is_rightmost n m s p ->
  sum_to n (fun j => Rabs (one_hot p j - softmax n m (fun j => D * s j - g * INR N ^ 2 * (1 / INR j)) j))
  <= 2 * exp (- g).
Proof. intros HD HN R. apply distance_8; [exact Hg|apply R|now apply dominated_8a_any_ratio]. Qed.

Theorem lemma_08b_any_ratio : g * INR N <= D -> (forall j, visible n m j -> (j <= N)%nat) -> is_rightmost n m s p ->
  sum_to n (fun j => Rabs (one_hot p j - softmax n m (fun j => D * s j + g * INR j) j)) <= 2 * exp (- g).
Proof. intros HD HN R. apply distance_8; [exact Hg|apply R|now apply dominated_8b_any_ratio]. Qed.

Theorem lemma_08c_any_ratio : g * INR N <= D -> (n <= N)%nat -> is_leftmost n m s p ->
  sum_to n (fun j => Rabs (one_hot p j - softmax n m (fun j => D * s j - g * INR j) j)) <= 2 * exp (- g).
Proof. intros HD HN R. apply distance_8; [exact Hg|apply R|now apply dominated_8c_any_ratio]. Qed.
End AnyRatio.

(* ---- the three cases of the paper: the term is 1/j, j/(2N) or -j/(2N) ---- *)
Section Cases.
Variables (n : nat) (m : mask) (s : nat -> R) (g : R) (N : nat).
Hypothesis Hg : 0 < g.
Hypothesis Gap : has_gap n m s 1.

Definition score_8a (j : nat) : R := g * INR N ^ 2 * (s j - 1 / INR j).
Definition score_8b (j : nat) : R := 2 * g * INR N * (s j + INR j / (2 * INR N)).
Definition score_8c (j : nat) : R := 2 * g * INR N * (s j - INR j / (2 * INR N)).

Lemma dominated_ext t t' p : (forall j, visible n m j -> t j = t' j) -> visible n m p ->
  sum_to n (zeroed_at p (weight m t')) <= exp (- g) / (1 - exp (- g)) * weight m t' p ->
  sum_to n (zeroed_at p (weight m t)) <= exp (- g) / (1 - exp (- g)) * weight m t p.
Proof.
  intros E Vp. assert (W : each j upto n, weight m t j = weight m t' j).
  { intros j Hj. unfold weight. destruct (m j) eqn:M; [now rewrite E|reflexivity]. }
  assert (S : sum_to n (zeroed_at p (weight m t)) = sum_to n (zeroed_at p (weight m t'))).
  { apply sum_ext. intros j Hj. unfold zeroed_at. now rewrite W. }
  rewrite S, (W p (proj1 Vp)). easy.
Qed.

Lemma dominated_8a p : (forall j, visible n m j -> (j <= N)%nat) -> is_rightmost n m s p ->
  sum_to n (zeroed_at p (weight m score_8a)) <= exp (- g) / (1 - exp (- g)) * weight m score_8a p.
Proof.
  intros HN R. apply (dominated_ext _ (fun j => g * INR N ^ 2 * s j - g * INR N ^ 2 * (1 / INR j))).
  - intros j _. unfold score_8a. ring.
  - apply R.
  - apply dominated_8a_any_ratio; auto. lra.
Qed.

Lemma dominated_8b p : (forall j, visible n m j -> (j <= N)%nat) -> is_rightmost n m s p ->
  sum_to n (zeroed_at p (weight m score_8b)) <= exp (- g) / (1 - exp (- g)) * weight m score_8b p.
Proof.
  intros HN R. assert (P : 1 <= INR N).
  { apply INR_at_least_1. destruct R as [V _]. specialize (HN p V). destruct V. lia. }
  apply (dominated_ext _ (fun j => 2 * g * INR N * s j + g * INR j)); [|apply R|].
  - intros j _. unfold score_8b. field. lra.
  - apply (dominated_8b_any_ratio n m s g (2 * g * INR N) N p); auto. nra.
Qed.

Lemma dominated_8c p : (n <= N)%nat -> is_leftmost n m s p ->
  sum_to n (zeroed_at p (weight m score_8c)) <= exp (- g) / (1 - exp (- g)) * weight m score_8c p.
Proof.
  intros HN R. assert (P : 1 <= INR N) by (apply INR_at_least_1; destruct R as [[V _] _]; lia).
  apply (dominated_ext _ (fun j => 2 * g * INR N * s j - g * INR j)); [|apply R|].
  - intros j _. unfold score_8c. field. lra.
  - apply (dominated_8c_any_ratio n m s g (2 * g * INR N) N p); auto. nra.
Qed.

(* The statements of the paper, with 2 in place of 4. *)
Theorem lemma_08a p : (forall j, visible n m j -> (j <= N)%nat) -> is_rightmost n m s p ->
  sum_to n (fun j => Rabs (one_hot p j - softmax n m score_8a j)) <= 2 * exp (- g).
Proof. intros HN R. apply distance_8; [exact Hg|apply R|now apply dominated_8a]. Qed.

Theorem lemma_08b p : (forall j, visible n m j -> (j <= N)%nat) -> is_rightmost n m s p ->
  sum_to n (fun j => Rabs (one_hot p j - softmax n m score_8b j)) <= 2 * exp (- g).
Proof. intros HN R. apply distance_8; [exact Hg|apply R|now apply dominated_8b]. Qed.

Theorem lemma_08c p : (n <= N)%nat -> is_leftmost n m s p ->
  sum_to n (fun j => Rabs (one_hot p j - softmax n m score_8c j)) <= 2 * exp (- g).
Proof. intros HN R. apply distance_8; [exact Hg|apply R|now apply dominated_8c]. Qed.
End Cases.
