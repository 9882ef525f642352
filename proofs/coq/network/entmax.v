(* Sparsemax and 1.5-entmax: weights that are exactly 0 where a score is far enough below the greatest.

   With p = k + 1, the weight of a visible position is ([s - t]_+ / p)^p, where t makes the sum of the weights 1:
   sparsemax for p = 1, 1.5-entmax for p = 2 (alpha-entmax, [(alpha - 1) s - t']_+ ^ (1 / (alpha - 1)), at
   alpha = 1 + 1/p). Proved: there is such a t if some position is visible (`entmax_threshold`), and all of them give
   the same weights (`entmax_unique`); if the weight of one position is less than r^p, others weigh no more than their
   gap to it leaves (`entmax_kernel`). *)
From Coq Require Import Reals Lra Lia Arith Bool List.
From Certify Require Import positions finite_sums softmax relu.
Import PositionNotations. Open Scope R_scope.

Definition entmax_term (k : nat) (x : R) : R := relu (x / INR (S k)) ^ S k.
Definition mass_above (k n : nat) (m : mask) (s : nat -> R) (t : R) : R :=
  sum_to n (fun j => if m j then entmax_term k (s j - t) else 0).

Lemma order_pos k : 0 < INR (S k). Proof. apply lt_0_INR. lia. Qed.
Lemma relu_grows x y : x <= y -> relu x <= relu y. Proof. unfold relu, Rmax. repeat destruct (Rle_dec _ _); lra. Qed.
Lemma relu_nonneg x : 0 <= relu x. Proof. apply Rmax_l. Qed.
Lemma above_nonneg k x : 0 <= entmax_term k x. Proof. apply pow_le, relu_nonneg. Qed.
Lemma above_grows k x y : x <= y -> entmax_term k x <= entmax_term k y.
Proof.
  intros H. apply pow_incr. split; [apply relu_nonneg|]. apply relu_grows. apply Rmult_le_compat_r; [|exact H].
  apply Rlt_le, Rinv_0_lt_compat, order_pos.
Qed.
Local Lemma above_zero k x : x <= 0 -> entmax_term k x = 0.
Proof.
  intros H. unfold entmax_term. rewrite relu_zero; [apply pow_i; lia|].
  assert (0 < / INR (S k)) by apply Rinv_0_lt_compat, order_pos.
  pose proof (Rmult_le_compat_r (/ INR (S k)) _ _ ltac:(lra) H). unfold Rdiv. lra.
Qed.
Lemma above_order k r : 0 <= r -> entmax_term k (INR (S k) * r) = r ^ S k.
Proof.
  intros H. pose proof (order_pos k). unfold entmax_term. replace (INR (S k) * r / INR (S k)) with r by (field; lra).
  now rewrite relu_linear.
Qed.
(* A position of weight less than r^p is less than p r above the threshold. *)
Lemma above_less k r x : 0 <= r -> entmax_term k x < r ^ S k -> x <= INR (S k) * r.
Proof.
  intros Hr H. destruct (Rle_lt_dec x (INR (S k) * r)) as [L|L]; [exact L|]. exfalso.
  rewrite <- (above_order k r Hr) in H. pose proof (above_grows k _ _ (Rlt_le _ _ L)). lra.
Qed.

(* ---- the threshold ---- *)
Lemma above_continuous k : continuity (entmax_term k).
Proof.
  assert (C : continuity (fun x => relu (x / INR (S k)))).
  { intros x e He. exists (e * INR (S k)). split; [apply Rmult_lt_0_compat; [exact He|apply order_pos]|].
    intros y [_ D]. change (Rabs (y - x) < e * INR (S k)) in D.
    change (Rabs (relu (y / INR (S k)) - relu (x / INR (S k))) < e). eapply Rle_lt_trans; [apply relu_apart|].
    pose proof (order_pos k) as P. assert (Q : 0 < / INR (S k)) by now apply Rinv_0_lt_compat.
    unfold Rdiv. rewrite <- Rmult_minus_distr_r, Rabs_mult, (Rabs_right (/ INR (S k))) by lra.
    apply Rmult_lt_reg_r with (INR (S k)); [exact P|]. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  exact (continuity_comp _ (fun x => x ^ S k) C (derivable_continuous _ (derivable_pow (S k)))).
Qed.
Lemma mass_continuous k n m s : continuity (mass_above k n m s).
Proof.
  induction n as [|n IH].
  - apply continuity_const. intros x y. reflexivity.
  - apply (continuity_plus (mass_above k n m s)); [exact IH|]. cbv beta. destruct (m (S n)).
    + apply (continuity_comp (fun t => s (S n) - t) (entmax_term k)); [|apply above_continuous].
      apply (continuity_minus (fun _ => s (S n)) (fun t => t)).
      * apply continuity_const. intros x y. reflexivity.
      * apply derivable_continuous, derivable_id.
    + apply continuity_const. intros x y. reflexivity.
Qed.

Lemma mass_at_least k n m s t j : visible n m j -> entmax_term k (s j - t) <= mass_above k n m s t.
Proof.
  intros [Hj Mj]. unfold mass_above. rewrite (sum_apart n j) by exact Hj. rewrite Mj.
  enough (0 <= sum_to n (zeroed_at j (fun j => if m j then entmax_term k (s j - t) else 0))) by lra. apply sum_nonneg.
  intros i _. unfold zeroed_at. destruct (i =? j)%nat; [lra|]. destruct (m i); [apply above_nonneg|lra].
Qed.

Lemma entmax_threshold k n m s : { t : R | forall q, visible n m q -> mass_above k n m s t = 1 }.
Proof.
  destruct (existsb m (seq 1 n)) eqn:E.
  2:{ exists 0. intros q [Hq Mq]. exfalso. assert (X : existsb m (seq 1 n) = true); [|congruence].
      apply existsb_exists. exists q. split; [apply in_seq; lia|exact Mq]. }
  set (b := sum_to n (fun j => Rabs (s j)) + INR (S k)). pose proof (order_pos k) as P.
  assert (Bound : each j upto n, Rabs (s j) + INR (S k) <= b).
  { intros j Hj. unfold b. rewrite (sum_apart n j) by exact Hj.
    enough (0 <= sum_to n (zeroed_at j (fun j => Rabs (s j)))) by lra. apply sum_nonneg. intros i _. unfold zeroed_at.
    destruct (i =? j)%nat; [lra|apply Rabs_pos]. }
  destruct (IVT_cor (fun t => mass_above k n m s t - 1) (- b) b) as (t & _ & T).
  - apply (continuity_minus (mass_above k n m s) (fun _ => 1)); [apply mass_continuous|].
    apply continuity_const. intros x y. reflexivity.
  - assert (0 <= sum_to n (fun j => Rabs (s j))) by (apply sum_nonneg; intros; apply Rabs_pos). unfold b. lra.
  - apply existsb_exists in E as (q & Hq & Mq). apply in_seq in Hq. assert (Low : 1 <= mass_above k n m s (- b)).
    { eapply Rle_trans; [|apply (mass_at_least k n m s (- b) q); split; [lia|exact Mq]].
      rewrite <- (pow1 (S k)), <- above_order by lra. apply above_grows. specialize (Bound q ltac:(lia)).
      pose proof (Rle_abs (- s q)). rewrite Rabs_Ropp in *. lra. }
    assert (High : mass_above k n m s b = 0).
    { apply sum_zero. intros j Hj. destruct (m j); [|reflexivity]. apply above_zero. specialize (Bound j Hj).
      pose proof (Rle_abs (s j)). lra. }
    rewrite High. nra.
  - exists t. intros _ _. lra.
Qed.

Definition entmax (k n : nat) (m : mask) (s : nat -> R) (j : nat) : R :=
  if m j then entmax_term k (s j - proj1_sig (entmax_threshold k n m s)) else 0.
Definition attend_sparsely (k n : nat) (m : mask) (s v : nat -> R) : R := sum_to n (fun j => entmax k n m s j * v j).

Lemma entmax_nonneg k n m s j : 0 <= entmax k n m s j.
Proof. unfold entmax. destruct (m j); [apply above_nonneg|lra]. Qed.
Lemma entmax_total k n m s q : visible n m q -> sum_to n (entmax k n m s) = 1.
Proof. intros V. exact (proj2_sig (entmax_threshold k n m s) q V). Qed.

(* Two thresholds: the weights of one are nowhere less than those of the other, and their sums are equal. *)
Lemma same_weights k n m s t u : t <= u -> mass_above k n m s t = 1 -> mass_above k n m s u = 1 ->
  forall j, visible n m j -> entmax_term k (s j - t) = entmax_term k (s j - u).
Proof.
  intros L T U j [Hj Mj]. unfold mass_above in T, U. rewrite (sum_apart n j) in T, U by exact Hj. rewrite Mj in T, U.
  pose proof (above_grows k (s j - u) (s j - t) ltac:(lra)).
  assert (sum_to n (zeroed_at j (fun j => if m j then entmax_term k (s j - u) else 0)) <=
    sum_to n (zeroed_at j (fun j => if m j then entmax_term k (s j - t) else 0))); [|lra]. apply sum_le. intros i _.
  unfold zeroed_at. destruct (i =? j)%nat; [lra|]. destruct (m i); [|lra]. apply above_grows. lra.
Qed.
Theorem entmax_unique k n m s t : mass_above k n m s t = 1 ->
  forall j, visible n m j -> entmax k n m s j = entmax_term k (s j - t).
Proof.
  intros T j V. unfold entmax. rewrite (proj2 V). pose proof (proj2_sig (entmax_threshold k n m s) j V) as U.
  destruct (Rle_dec t (proj1_sig (entmax_threshold k n m s))).
  - symmetry. now apply (same_weights k n m s).
  - apply (same_weights k n m s); auto. lra.
Qed.

Theorem entmax_kernel k n m s r d j : visible n m d -> visible n m j -> 0 <= r -> entmax k n m s d < r ^ S k ->
  entmax k n m s j <= entmax_term k (INR (S k) * r + (s j - s d)).
Proof.
  intros [_ Md] [_ Mj] Hr. unfold entmax. rewrite Md, Mj. intros H. apply above_less in H; [|exact Hr].
  apply above_grows. lra.
Qed.

(* ---- rows that are the same, or read from the other end ---- *)
Lemma entmax_same k n m m' s s' : (each j upto n, m j = m' j /\ s j = s' j) ->
  each j upto n, entmax k n m s j = entmax k n m' s' j.
Proof.
  intros E j Hj. destruct (E j Hj) as [Em Es]. destruct (m j) eqn:M.
  - assert (T : mass_above k n m s (proj1_sig (entmax_threshold k n m' s')) = 1).
    { rewrite <- (proj2_sig (entmax_threshold k n m' s') j (conj Hj (eq_sym Em))). apply sum_ext. intros i Hi.
      destruct (E i Hi) as [-> ->]. reflexivity. }
    rewrite (entmax_unique k n m s _ T j (conj Hj M)). unfold entmax. now rewrite <- Em, Es.
  - unfold entmax. now rewrite M, <- Em.
Qed.
Lemma entmax_backwards k n m s j : j upto n ->
  entmax k n (fun j => m (S n - j)%nat) (fun j => s (S n - j)%nat) j = entmax k n m s (S n - j).
Proof.
  intros Hj. destruct (m (S n - j)%nat) eqn:M.
  - assert (T : mass_above k n (fun j => m (S n - j)%nat) (fun j => s (S n - j)%nat)
      (proj1_sig (entmax_threshold k n m s)) = 1).
    { rewrite <- (proj2_sig (entmax_threshold k n m s) (S n - j)%nat) by (split; [lia|exact M]).
      apply (sum_backwards n (fun j => if m j then entmax_term k (s j - _) else 0)). }
    rewrite (entmax_unique k n _ _ _ T j (conj Hj M)). unfold entmax. now rewrite M.
  - unfold entmax. now rewrite M.
Qed.

(* Equal scores: equal weights, as of softmax. *)
Lemma entmax_uniform k n m c s j : (forall j, visible n m j -> s j = c) -> visible n m j ->
  entmax k n m s j = softmax n m s j.
Proof.
  intros E V. set (w := entmax_term k (c - proj1_sig (entmax_threshold k n m s))).
  assert (H : each i upto n, entmax k n m s i = w * bit (m i)).
  { intros i Hi. unfold entmax. destruct (m i) eqn:M; cbn [bit]; [|lra]. rewrite (E i (conj Hi M)). unfold w. lra. }
  pose proof (entmax_total k n m s j V) as T. rewrite (sum_ext n _ _ H), sum_scale in T.
  assert (W : each i upto n, weight m s i = exp c * bit (m i)).
  { intros i Hi. unfold weight. destruct (m i) eqn:M; cbn [bit]; [|lra]. rewrite (E i (conj Hi M)). lra. }
  unfold softmax. rewrite (H j (proj1 V)), (W j (proj1 V)), (sum_ext n _ _ W), sum_scale, (proj2 V). cbn [bit].
  pose proof (exp_pos c). set (b := sum_to n (fun j => bit (m j))) in *.
  assert (b <> 0) by (intros Z; rewrite Z in T; lra). apply Rmult_eq_reg_r with b; [|assumption].
  rewrite Rmult_1_r, T. field. split; [assumption|lra].
Qed.

(* A score p below a visible one has weight 0: if all others are, it has all weight. *)
Lemma entmax_far k n m s d j : visible n m d -> visible n m j -> j <> d -> s j <= s d - INR (S k) ->
  entmax k n m s j = 0.
Proof.
  intros Vd Vj N L. pose proof (entmax_nonneg k n m s j) as P. destruct (Rlt_le_dec (entmax k n m s d) 1) as [W|W].
  - rewrite <- (pow1 (S k)) in W. pose proof (entmax_kernel k n m s 1 d j Vd Vj ltac:(lra) W) as K.
    rewrite above_zero in K by lra. lra.
  - pose proof (entmax_total k n m s d Vd) as T. rewrite (sum_apart n d) in T by apply Vd.
    assert (Z : entmax k n m s j <= sum_to n (zeroed_at d (entmax k n m s))); [|lra].
    rewrite (sum_apart n j (zeroed_at d (entmax k n m s))) by apply Vj. unfold zeroed_at at 1.
    rewrite (proj2 (Nat.eqb_neq j d) N). enough (0 <= sum_to n (zeroed_at j (zeroed_at d (entmax k n m s)))) by lra.
    apply sum_nonneg. intros i _. unfold zeroed_at. destruct (i =? j)%nat; [lra|].
    destruct (i =? d)%nat; [lra|apply entmax_nonneg].
Qed.
Lemma attend_sparsely_far k n m s v d : visible n m d ->
  (forall j, visible n m j -> j <> d -> s j <= s d - INR (S k)) -> attend_sparsely k n m s v = v d.
Proof.
  intros Vd Far. assert (Z : each j upto n, j <> d -> entmax k n m s j = 0).
  { intros j Hj N. destruct (m j) eqn:M; [|unfold entmax; now rewrite M].
    apply (entmax_far k n m s d j Vd (conj Hj M) N), Far; [now split|exact N]. }
  pose proof (entmax_total k n m s d Vd) as T. unfold attend_sparsely. rewrite (sum_apart n d) in * by apply Vd.
  assert (E : forall f, sum_to n (zeroed_at d (fun j => entmax k n m s j * f j)) = 0).
  { intros f. apply sum_zero. intros j Hj. unfold zeroed_at. destruct (Nat.eqb_spec j d) as [|N]; [reflexivity|].
    rewrite (Z j Hj N). ring. }
  assert (E1 : sum_to n (zeroed_at d (entmax k n m s)) = 0).
  { apply sum_zero. intros j Hj. unfold zeroed_at. destruct (Nat.eqb_spec j d) as [|N]; [reflexivity|]. now apply Z. }
  rewrite E. rewrite E1 in T. replace (entmax k n m s d) with 1 by lra. ring.
Qed.
