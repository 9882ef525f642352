(* [Hahn] Lemma 5, one row: how far attention moves if its scores and its values move.

   Proved: if all visible scores lie in [-S, S], all visible values in [-V, V], and score and value of position j move
   by at most ds j and dv j, then the result moves by at most e^(2S) times the mean of dv j + 2 V ds j over what is
   visible. Any mask; values and weights may all move at once. The printed proof has the mean of dv only. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Certify Require Import positions finite_sums softmax exponential.
Import PositionNotations. Open Scope R_scope.

(* How many positions a mask shows, as a real number. *)
Definition shown_count (n : nat) (m : mask) : R := sum_to n (fun j => bit (m j)).

Lemma shown_positive n m p : visible n m p -> 1 <= shown_count n m.
Proof.
  intros [Hp Hm]. unfold shown_count. rewrite (sum_apart n p) by exact Hp. rewrite Hm. simpl.
  assert (0 <= sum_to n (zeroed_at p (fun j => bit (m j)))); [|lra].
  apply sum_nonneg. intros j _. unfold zeroed_at. destruct (Nat.eqb j p); [lra|apply bit_range].
Qed.

Lemma shown_unmasked n : shown_count n no_mask = INR n. Proof. unfold shown_count. rewrite <- sum_one. reflexivity. Qed.
Lemma shown_future n i : (i <= n)%nat -> shown_count n (future_mask i) = INR i.
Proof.
  intros H. unfold shown_count. rewrite <- (sum_one i), <- (sum_up_to n i) by exact H.
  apply sum_ext. intros. unfold future_mask. lra.
Qed.
Lemma shown_past n (i : position n) : shown_count n (past_mask i) = INR (S n - i).
Proof.
  unfold shown_count. rewrite (sum_ext n _ (fun j => bit (i <=? j) * 1)) by (intros; unfold past_mask; lra).
  rewrite sum_from, !sum_one, <- minus_INR by lia. f_equal. lia.
Qed.

(* The mean value theorem for exp, on numbers of at most S. *)
Lemma exp_lipschitz_up a b S : b <= a <= S -> exp a - exp b <= exp S * (a - b).
Proof.
  intros H. assert (E : exp b = exp a * exp (b - a)) by (rewrite <- exp_plus; f_equal; lra).
  pose proof (exp_ineq1_le (b - a)). pose proof (exp_pos a). pose proof (exp_monotone a S ltac:(lra)).
  rewrite E. apply Rle_trans with (exp a * (a - b)); [nra|apply Rmult_le_compat_r; lra].
Qed.

Lemma exp_lipschitz a b S : a <= S -> b <= S -> Rabs (exp a - exp b) <= exp S * Rabs (a - b).
Proof.
  intros Ha Hb. destruct (Rle_dec b a) as [L|L].
  - pose proof (exp_monotone b a L). rewrite !Rabs_right by lra. apply exp_lipschitz_up. lra.
  - pose proof (exp_monotone a b ltac:(lra)). rewrite (Rabs_left1 (exp a - _)), (Rabs_left1 (a - b)) by lra.
    pose proof (exp_lipschitz_up b a S ltac:(lra)). lra.
Qed.

Lemma Rabs_bounds x b : Rabs x <= b -> - b <= x <= b. Proof. unfold Rabs. destruct (Rcase_abs x); lra. Qed.

(* What attention returns is where the weighted deviations cancel. *)
Lemma attend_times_total n m s v p : visible n m p ->
  attend n m s v * sum_to n (weight m s) = sum_to n (fun j => weight m s j * v j).
Proof.
  intros V. pose proof (total_pos n m s p V). unfold attend, softmax, Rdiv. rewrite <- sum_scale_r.
  apply sum_ext. intros. field. lra.
Qed.

Lemma deviations_cancel n m s v p : visible n m p -> sum_to n (fun j => weight m s j * (v j - attend n m s v)) = 0.
Proof.
  intros V. pose proof (attend_times_total n m s v p V) as E.
  rewrite (sum_ext n _ (fun j => weight m s j * v j - weight m s j * attend n m s v)) by (intros; ring).
  rewrite sum_minus, <- E, sum_scale_r. ring.
Qed.

(* A mean is not greater than what is averaged. *)
Lemma attend_bounded n m s v V p : visible n m p -> (forall j, visible n m j -> Rabs (v j) <= V) ->
  Rabs (attend n m s v) <= V.
Proof.
  intros P H. unfold attend. eapply Rle_trans; [apply sum_Rabs|].
  rewrite <- (Rmult_1_l V), <- (softmax_total n m s p P), <- sum_scale_r. apply sum_le. intros j Hj.
  pose proof (softmax_nonneg n m s p j P). rewrite Rabs_mult, (Rabs_right (softmax _ _ _ _)) by lra.
  destruct (m j) eqn:E; [apply Rmult_le_compat_l; [assumption|apply H; now split]|].
  unfold softmax, weight at 1 3. rewrite E. unfold Rdiv. lra.
Qed.

Section Row.
Variables (n : nat) (m : mask) (s s' v v' ds dv : nat -> R) (S V : R) (p : nat).
Hypothesis Seen : visible n m p.
Hypothesis Bounded : forall j, visible n m j ->
  Rabs (s j) <= S /\ Rabs (s' j) <= S /\ Rabs (v j) <= V /\ Rabs (v' j) <= V.
Hypothesis Close : forall j, visible n m j -> Rabs (s j - s' j) <= ds j /\ Rabs (v j - v' j) <= dv j.

Lemma least_total : shown_count n m * exp (- S) <= sum_to n (weight m s).
Proof.
  unfold shown_count. rewrite <- sum_scale_r. apply sum_le. intros j Hj. unfold weight.
  destruct (m j) eqn:E; simpl; [|lra]. rewrite Rmult_1_l. apply exp_monotone.
  destruct (Bounded j (conj Hj E)) as (A & _). apply Rabs_bounds in A. lra.
Qed.

Lemma one_term j : j upto n -> Rabs (weight m s j * (v j - v' j) + (weight m s j - weight m s' j)
  * (v' j - attend n m s' v')) <= exp S * (bit (m j) * (dv j + 2 * V * ds j)).
Proof.
  intros Hj. unfold weight. destruct (m j) eqn:E; simpl;
    [|rewrite !Rmult_0_l, Rminus_0_r, Rmult_0_l, Rplus_0_r, Rabs_R0; lra].
  destruct (Bounded j (conj Hj E)) as (A & A' & B & B'), (Close j (conj Hj E)) as (C & D).
  apply Rabs_bounds in A, A'. pose proof (exp_monotone (s j) S ltac:(lra)). pose proof (exp_pos (s j)).
  pose proof (exp_lipschitz (s j) (s' j) S ltac:(lra) ltac:(lra)) as L.
  assert (M : Rabs (v' j - attend n m s' v') <= 2 * V).
  { pose proof (attend_bounded n m s' v' V p Seen ltac:(intros k Hk; now apply Bounded)) as G.
    apply Rabs_bounds in G, B'. apply Rabs_le. lra. }
  eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult, (Rabs_right (exp (s j))) by lra.
  pose proof (Rmult_le_compat _ _ _ _ (Rlt_le _ _ (exp_pos (s j))) (Rabs_pos _) H D).
  assert (G : Rabs (exp (s j) - exp (s' j)) <= exp S * ds j).
  { eapply Rle_trans; [exact L|]. apply Rmult_le_compat_l; [left; apply exp_pos|exact C]. }
  pose proof (Rmult_le_compat _ _ _ _ (Rabs_pos _) (Rabs_pos _) G M). lra.
Qed.

Theorem row_moves : Rabs (attend n m s v - attend n m s' v') * shown_count n m
  <= exp (2 * S) * sum_to n (fun j => bit (m j) * (dv j + 2 * V * ds j)).
Proof.
  set (A := attend n m s v). set (A' := attend n m s' v'). set (z := sum_to n (weight m s)).
  assert (E : (A - A') * z
    = sum_to n (fun j => weight m s j * (v j - v' j) + (weight m s j - weight m s' j) * (v' j - A'))).
  { rewrite (sum_ext n _ (fun j => weight m s j * v j - weight m s j * A' - weight m s' j * (v' j - A')))
      by (intros; ring).
    pose proof (deviations_cancel n m s' v' p Seen) as D. pose proof (attend_times_total n m s v p Seen) as T.
    fold A' in D. fold A z in T. rewrite !sum_minus, D, sum_scale_r, <- T. fold z. ring. }
  assert (B : Rabs (A - A') * z <= exp S * sum_to n (fun j => bit (m j) * (dv j + 2 * V * ds j))).
  { rewrite <- (Rabs_right z) by (left; now apply (total_pos n m s p)). rewrite <- Rabs_mult, E, <- sum_scale.
    eapply Rle_trans; [apply sum_Rabs|]. apply sum_le. exact one_term. }
  pose proof least_total as Z. fold z in Z. pose proof (Rabs_pos (A - A')) as P. pose proof (exp_pos S) as PS.
  apply (Rmult_le_compat_l _ _ _ P) in Z. apply (Rmult_le_compat_l (exp S)) in Z, B; try lra.
  replace (2 * S) with (S + S) by ring. rewrite exp_plus.
  assert (I : exp S * exp (- S) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  replace (Rabs (A - A') * shown_count n m) with (exp S * (Rabs (A - A') * (shown_count n m * exp (- S)))); [lra|].
  replace (exp S * (Rabs (A - A') * (shown_count n m * exp (- S)))) with (Rabs (A - A') * shown_count n m * (exp S * exp
    (- S))) by ring. rewrite I. ring.
Qed.
End Row.
