(* [SHA] Lemma 33, and what it becomes with ties: softmax of scores that are off by delta is near to hardmax.

   Proved, for every mask: if scores below the greatest are below it by g, and s' is within delta of s, then the weights
   softmax of s'/tau differ from those of average-hardmax of s by at most 2n e^((2 delta - g)/tau) + e^(2 delta/tau) - 1
   in 1-norm; the second term is 0 where nothing ties, which is Lemma 33. Idea: tied weights are apart by factors of at
   most e^(2 delta/tau), and every other weight is at most e^((2 delta - g)/tau) times each of them. *)
From Coq Require Import Reals List Bool Lra Lia Arith.
From Certify Require Import positions finite_sums softmax exponential hard_attention.
Import PositionNotations. Open Scope R_scope.

Section Row.
Variables (n : nat) (m : mask) (s s' : nat -> R) (p : nat) (delta g tau : R).
Hypothesis Vp : visible n m p.
Hypothesis Htau : 0 < tau.
Hypothesis Near : forall j, visible n m j -> Rabs (s j - s' j) <= delta.
Hypothesis Gap : has_gap n m s g.

Let t j := s' j / tau.
Let w := weight m t.
Let tied j := bit (winner n m s j) * w j.
Let Z := sum_to n w.
Let M := sum_to n tied.
Let k := winner_count n m s.
Let q := exp ((2 * delta - g) / tau).
Let rho := exp (2 * delta / tau).

Lemma delta_nonneg : 0 <= delta. Proof. specialize (Near p Vp). pose proof (Rabs_pos (s p - s' p)). lra. Qed.
Lemma rho_at_least_1 : 1 <= rho.
Proof. unfold rho. rewrite <- exp_0. apply exp_monotone. pose proof delta_nonneg. auto with signs. Qed.

Lemma weight_visible j : visible n m j -> w j = exp (t j). Proof. intros [_ H]. unfold w, weight. now rewrite H. Qed.
Lemma winner_visible j : j upto n -> winner n m s j = true -> visible n m j.
Proof. intros Hj W. now apply winner_correct in W. Qed.

Lemma scaled_below x y c : x - y <= c -> exp (x / tau) <= exp (c / tau) * exp (y / tau).
Proof.
  intros H. rewrite <- exp_plus. apply exp_monotone. unfold Rdiv. rewrite <- Rmult_plus_distr_r.
  apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|lra].
Qed.

Lemma near_both i j : visible n m i -> visible n m j -> s' i - s' j <= s i - s j + 2 * delta.
Proof.
  intros Vi Vj. pose proof (Near i Vi) as A. pose proof (Near j Vj) as B.
  pose proof (Rle_abs (- (s i - s' i))). pose proof (Rle_abs (s j - s' j)). rewrite Rabs_Ropp in *. lra.
Qed.

(* Two winners, and a winner and another position. *)
Lemma winners_close i j : i upto n -> j upto n -> winner n m s i = true -> winner n m s j = true -> w i <= rho * w j.
Proof.
  intros Hi Hj Wi Wj. pose proof (winner_visible i Hi Wi) as Vi. pose proof (winner_visible j Hj Wj) as Vj.
  rewrite !weight_visible by assumption. apply scaled_below. pose proof (near_both i j Vi Vj).
  apply winner_correct in Wi; [|exact Hi]. apply winner_correct in Wj; [|exact Hj].
  pose proof (proj2 Wi j Vj). pose proof (proj2 Wj i Vi). lra.
Qed.
Lemma others_far i j : i upto n -> j upto n -> winner n m s i = false -> winner n m s j = true -> w i <= q * w j.
Proof.
  intros Hi Hj Wi Wj. pose proof (winner_visible j Hj Wj) as Vj. apply winner_correct in Wj; [|exact Hj].
  destruct (m i) eqn:E.
  - assert (Vi : visible n m i) by now split. rewrite !weight_visible by assumption.
    apply scaled_below. pose proof (near_both i j Vi Vj). destruct (Gap j Vj (proj2 Wj) i Vi) as [S|S]; [|lra].
    exfalso. assert (T : winner n m s i = true); [|congruence]. apply winner_correct; [exact Hi|].
    split; [exact Vi|]. intros l Vl. rewrite S. now apply Wj.
  - rewrite (weight_visible j Vj). unfold w, weight. rewrite E. left. apply Rmult_lt_0_compat; apply exp_pos.
Qed.

Lemma k_at_least_1 : 1 <= k. Proof. exact (winners_at_least_1 n m s p Vp). Qed.

(* k times one winner's weight equals the sum of all winners' weights up to rho. *)
Lemma times_k (x c : R) : (each j upto n, winner n m s j = true -> x <= c * w j) -> x * k <= c * M.
Proof.
  intros H. unfold k, M, winner_count. rewrite <- !sum_scale. apply sum_le. intros j Hj. unfold tied.
  specialize (H j Hj). destruct (winner n m s j); simpl; [specialize (H eq_refl)|]; lra.
Qed.
Lemma times_k_below (x c : R) : (each j upto n, winner n m s j = true -> w j <= c * x) -> M <= c * x * k.
Proof.
  intros H. unfold k, M, winner_count. rewrite <- sum_scale. apply sum_le. intros j Hj. unfold tied.
  specialize (H j Hj). destruct (winner n m s j); simpl; [specialize (H eq_refl)|]; lra.
Qed.

Local Lemma M_pos : 0 < M.
Proof.
  destruct (winner_exists n m s p Vp) as (j & Hj & W). pose proof k_at_least_1. assert (P : 0 < w j).
  { rewrite weight_visible; [apply exp_pos|now apply winner_visible]. }
  pose proof rho_at_least_1. pose proof (times_k (w j) rho) as T.
  assert (w j * k <= rho * M) by (apply T; intros; now apply winners_close).
  assert (0 < w j * k) by (apply Rmult_lt_0_compat; lra). apply Rmult_lt_reg_l with rho; lra.
Qed.

(* The losers' total weight is at most n q times the winners'. *)
Local Lemma losers : Z - M <= INR n * q * M.
Proof.
  unfold Z, M. rewrite <- sum_minus, Rmult_assoc, <- sum_one, <- sum_scale_r. apply sum_le. intros i Hi. fold M.
  unfold tied. rewrite Rmult_1_l. assert (0 < q * M) by (apply Rmult_lt_0_compat; [apply exp_pos|apply M_pos]).
  destruct (winner n m s i) eqn:E; simpl; [lra|]. rewrite Rmult_0_l, Rminus_0_r.
  pose proof (times_k (w i) q (fun j Hj W => others_far i j Hi Hj E W)) as T. pose proof k_at_least_1.
  assert (0 <= w i) by apply weight_nonneg. apply Rle_trans with (w i * k); [|exact T].
  rewrite <- (Rmult_1_r (w i)) at 1. apply Rmult_le_compat_l; lra.
Qed.
Lemma Z_at_least_M : M <= Z.
Proof.
  apply sum_le. intros j Hj. unfold tied. assert (0 <= w j) by apply weight_nonneg.
  destruct (winner n m s j); simpl; lra.
Qed.

Local Definition distortion := sum_to n (fun j => Rabs (hardmax n m s j - tied j / M)).

Lemma distance_split : sum_to n (fun j => Rabs (hardmax n m s j - softmax n m t j)) <= 2 * (INR n * q) + distortion.
Proof.
  pose proof M_pos as MP. pose proof Z_at_least_M as ZM. pose proof losers as L.
  assert (A : each j upto n, Rabs (hardmax n m s j - softmax n m t j)
    <= Rabs (hardmax n m s j - tied j / M) + (tied j * (/ M - / Z) + (w j - tied j) * / Z)).
  { intros j Hj. assert (W : 0 <= w j) by apply weight_nonneg.
    assert (T : 0 <= tied j <= w j) by (unfold tied; destruct (winner n m s j); simpl; lra).
    replace (hardmax n m s j - softmax n m t j) with ((hardmax n m s j - tied j / M)
      + (tied j * (/ M - / Z) - (w j - tied j) * / Z)).
    - eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat_l.
      assert (I : 0 < / Z <= / M) by (split; [apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra]).
      assert (0 <= tied j * (/ M - / Z)) by (apply Rmult_le_pos; lra).
      assert (0 <= (w j - tied j) * / Z) by (apply Rmult_le_pos; lra). apply Rabs_le. lra.
    - unfold softmax. fold w Z. unfold Rdiv. ring. }
  eapply Rle_trans; [apply (sum_le n _ _ A)|]. rewrite !sum_plus, sum_scale_r, sum_scale_r, sum_minus.
  fold M Z distortion. assert (E : M * (/ M - / Z) + (Z - M) * / Z = 2 * ((Z - M) / Z)) by (field; lra). rewrite E.
  assert ((Z - M) / Z <= INR n * q); [|lra]. apply Rmult_le_reg_r with Z; [lra|]. unfold Rdiv.
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. eapply Rle_trans; [exact L|]. apply Rmult_le_compat_l; [|exact ZM].
  apply Rmult_le_pos; [apply pos_INR|left; apply exp_pos].
Qed.

Lemma distortion_at_most : distortion <= rho - 1.
Proof.
  pose proof M_pos as MP. pose proof k_at_least_1 as K. pose proof rho_at_least_1 as R1.
  apply Rle_trans with (sum_to n (fun j => (rho - 1) * hardmax n m s j)); [|rewrite sum_scale,
    (hardmax_total n m s p Vp); lra]. apply sum_le. intros j Hj. unfold tied, hardmax. fold k.
  destruct (winner n m s j) eqn:W; simpl. 2:{ unfold Rdiv. rewrite !Rmult_0_l, Rminus_0_r, Rabs_R0. lra.
  } pose proof (times_k (w j) rho (fun i Hi E => winners_close j i Hj Hi W E)) as A.
  pose proof (times_k_below (w j) rho (fun i Hi E => winners_close i j Hi Hj E W)) as B. rewrite Rmult_1_l.
  set (x := w j / M). assert (X : x * k <= rho /\ 1 <= rho * (x * k)).
  { unfold x. replace (w j / M * k) with (w j * k / M) by (field; lra). split.
    - apply Rmult_le_reg_r with M; [exact MP|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
    - apply Rmult_le_reg_r with M; [exact MP|].
      replace (rho * (w j * k / M) * M) with (rho * w j * k) by (field; lra). lra. }
  assert (D : - (rho - 1) <= 1 - x * k <= rho - 1). { split; [lra|]. nra. }
  replace (1 / k - x) with ((1 - x * k) / k) by (field; lra).
  replace ((rho - 1) * (1 / k)) with ((rho - 1) / k) by (field; lra).
  unfold Rdiv. rewrite Rabs_mult, (Rabs_right (/ k)).
  - apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|]. apply Rabs_le. lra.
  - left. apply Rinv_0_lt_compat. lra.
Qed.

Lemma distortion_tieless : tieless n m s -> distortion = 0.
Proof.
  intros T. destruct T as (j & Vj & H). assert (K : k = 1) by (apply winners_alone; exists j; now split).
  assert (E : M = w j).
  { unfold M. rewrite (sum_apart n j) by apply Vj. unfold tied at 1. rewrite (winner_alone n m s j Vj H) by apply Vj.
    rewrite Nat.eqb_refl, sum_zero; [simpl; lra|]. intros i Hi. unfold zeroed_at, tied.
    rewrite (winner_alone n m s j Vj H i Hi). destruct (i =? j)%nat; simpl; lra. }
  apply sum_zero. intros i Hi. unfold hardmax, tied. fold k. rewrite K, (winner_alone n m s j Vj H i Hi).
  pose proof M_pos. destruct (Nat.eqb_spec i j) as [->|N]; simpl; rewrite E in *.
  - replace (1 / 1 - 1 * w j / w j) with 0 by (field; lra). apply Rabs_R0.
  - replace (0 / 1 - 0 * w i / w j) with 0 by (field; lra). apply Rabs_R0.
Qed.

Theorem near_hard_with_ties :
  sum_to n (fun j => Rabs (hardmax n m s j - softmax_at tau n m s' j)) <= 2 * (INR n * q) + (rho - 1).
Proof. pose proof distance_split. pose proof distortion_at_most. unfold softmax_at. fold t. lra. Qed.

Theorem near_hard_tieless : tieless n m s ->
  sum_to n (fun j => Rabs (hardmax n m s j - softmax_at tau n m s' j)) <= 2 * (INR n * q).
Proof. intros T. pose proof distance_split. rewrite (distortion_tieless T) in *. unfold softmax_at. fold t. lra. Qed.
End Row.

(* As printed: the winner has at least M - epsilon, every other position at most M - gamma + epsilon. *)
Theorem lemma_33 n m s p M epsilon gamma tau : visible n m p -> 0 < tau -> 0 <= epsilon < gamma / 2 ->
  M - epsilon <= s p -> (forall j, visible n m j -> j <> p -> s j <= M - gamma + epsilon) ->
  sum_to n (fun j => Rabs (one_hot p j - softmax_at tau n m s j)) <= 2 * INR n / exp ((gamma - 2 * epsilon) / tau).
Proof.
  intros V T E P O. set (d := gamma - 2 * epsilon). assert (L : forall j, visible n m j -> j <> p -> s j <= s p - d).
  { intros j Vj N. specialize (O j Vj N). unfold d. lra. }
  assert (B : forall j, visible n m j -> j <> p -> s j < s p).
  { intros j Vj N. specialize (L j Vj N). unfold d in L. lra. }
  destruct (hardmax_tieless n m s p V B) as (_ & _ & H).
  rewrite (sum_ext n _ (fun j => Rabs (hardmax n m s j - softmax_at tau n m s j))) by (intros j Hj; now rewrite H).
  eapply Rle_trans; [apply (near_hard_tieless n m s s p 0 d tau V T)|].
  - intros j _. rewrite (Rminus_diag_eq _ _ eq_refl), Rabs_R0. lra.
  - intros j Vj Max i Vi. destruct (Nat.eq_dec j p) as [->|N].
    + destruct (Nat.eq_dec i p) as [->|N']; [now left|right; now apply L].
    + specialize (Max p V). specialize (B j Vj N). lra.
  - exists p. now split.
  - rewrite Rmult_0_r. unfold Rminus, Rdiv. rewrite Rplus_0_l, Ropp_mult_distr_l_reverse, exp_Ropp. lra.
Qed.
