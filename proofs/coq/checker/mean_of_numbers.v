(* Heads that look everywhere alike, and at numbers that are known: up to a length, they hold the mean of what they see,
   which is compared with what their direction means, row by row (docs/background/obligations.md, Equal scores).

   Proved: if `holds_mean` returns true, the value of the head is that number. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia Arith.
From Certify Require Import positions lists finite_sums softmax weighing formula network meaning linear_combination
  score_form theorem_20_counting check_head values_by_rows output_by_rows lookup_by_rows.
Import ListNotations PositionNotations.
Open Scope R_scope.

(* The sum of those values that are seen, of j and the positions after it. *)
Local Fixpoint seen_sum (m : mask) (j : nat) (vs : list Q) : Q :=
  match vs with [] => 0%Q | v :: vs => let x := seen_sum m (S j) vs in if m j then Qred (v + x) else x end.
Definition mean_at (A : list meaning) (a : head) (b : meaning) (n : nat) (vs : list Q) (i : nat) : bool :=
  let m := mask_at (head_masking a) i in
  match known_number b n i with
  | Some q => Qeq_bool (q * seen_sum m 1 (map (fun _ => 1%Q) vs)) (seen_sum m 1 vs)
  | None => false
  end.
(* Rows of longer words are many. *)
Definition greatest_of_means : nat := 128.
Definition holds_mean (L : lengths) (A : list meaning) (a : head) (r : row) (b : meaning) : bool :=
  match b, score_form A a, greatest_length L with
  | IsPosition _, Some p, Some N =>
      normalises (head_weighing a) && is_zero_combination shape_eqb p && (N <=? greatest_of_means)%nat && all_of (fun n
        =>
        match traverse (known_row A r n) (seq 1 n) with
        | Some vs => all_of (mean_at A a b n vs) (seq 1 n)
        | None => false
        end) (lengths_to L N)
  | _, _, _ => false
  end.

Local Lemma seen_sum_value m vs : forall j, Q2R (seen_sum m j vs)
  = sum_to (length vs) (fun k => bit (m (j + k - 1)%nat) * Q2R (nth (k - 1) vs 0%Q)).
Proof.
  induction vs as [|v vs IH]; intros j; [apply Q2R_0|]. cbn [seen_sum length].
  change (S (length vs)) with (1 + length vs)%nat. rewrite sum_cut. cbn [sum_to]. rewrite Rplus_0_l.
  rewrite (sum_ext _ _ (fun k => bit (m (S j + k - 1)%nat) * Q2R (nth (k - 1) vs 0%Q))).
  - rewrite <- IH. replace (j + 1 - 1)%nat with j by lia. cbn [Nat.sub nth].
    destruct (m j); cbn [bit]; [rewrite Q2R_reduced, Q2R_plus|]; ring.
  - intros k Hk. replace (j + (1 + k) - 1)%nat with (S j + k - 1)%nat by lia.
    replace (1 + k - 1)%nat with (S (k - 1)) by lia. reflexivity.
Qed.

Theorem holds_mean_correct users n w L A h a r b (i : position n) : length_allowed L n -> holds_of users n w A h ->
  holds_mean L A a r b = true -> meaning_holds users n w i b (head_value a n h i r).
Proof.
  intros (N1 & Le & HN) HA H. unfold holds_mean in H.
  destruct b as [v|f|f|chi guard|q f|s f|t|s f|s f e|]; try discriminate.
  destruct (score_form A a) as [p|] eqn:Ep; [|discriminate]. destruct (greatest_length L) as [N|]; [|discriminate].
  apply andb_prop in H as [H C]. apply andb_prop in H as [H _]. apply andb_prop in H as [K Z].
  pose proof (all_of_forall _ _ C n ltac:(unfold lengths_to; apply in_seq; lia)) as F. cbv beta in F. clear C.
  destruct (traverse (known_row A r n) (seq 1 n)) as [vs|] eqn:Vs; [|discriminate].
  pose proof (all_of_forall _ _ F (i : nat) ltac:(apply in_seq; lia)) as M. clear F. unfold mean_at in M. cbv zeta in M.
  destruct (known_number (IsPosition v) n i) as [q|] eqn:Kq; [|discriminate]. apply Qeq_bool_R in M.
  assert (Ln : length vs = n) by (rewrite (traverse_length _ _ _ Vs); apply length_seq).
  assert (V : each j upto n, linear r (h j) = Q2R (nth (j - 1) vs 0%Q)).
  { intros j Hj. destruct (traverse_nth _ _ _ (j - 1) j Vs) as (y & Ny & Ky).
    - rewrite (nth_error_nth' _ 0%nat) by (rewrite length_seq; lia). rewrite seq_nth by lia. f_equal. lia.
    - rewrite (known_row_correct A users n w h HA r j Hj y Ky). f_equal. symmetry. now apply nth_error_nth. }
  set (m := mask_at (head_masking a) i) in *. assert (P : 0 < sum_to n (fun j => bit (m j))).
  { rewrite (sum_apart n i) by lia. pose proof (self_visible n a i) as [_ Mi]. unfold m. rewrite Mi.
    assert (0 <= sum_to n (zeroed_at i (fun j => bit (mask_at (head_masking a) i j)))); [|cbn [bit]; lra].
    apply sum_nonneg. intros j _. unfold zeroed_at. destruct (j =? i)%nat; [lra|apply bit_nonneg]. }
  assert (Zero : forall j, visible n m j -> scaled_score a n h i j = 0).
  { intros j [Hj _]. refine (eq_trans (score_form_correct users n w A h HA a p i (Position j Hj) Ep) _).
    exact (vanishes_correct shape_eqb shape_eqb_eq _ p Z). }
  unfold head_value. fold m. rewrite (attend_as_uniform _ n m i 0 _ _ K Zero).
  rewrite (attend_ext n m _ (fun _ => 0) _ (fun j => linear r (h j))) by (auto; exact Zero).
  rewrite attend_uniform by exact P. rewrite !Q2R_mult, !seen_sum_value, length_map, Ln in M. cbn [meaning_holds].
  rewrite (known_number_correct users n w i (IsPosition v) (position_value users v n i) q eq_refl Kq).
  apply Rmult_eq_reg_r with (sum_to n (fun j => bit (m j))); [|lra]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r
    by lra. symmetry. etransitivity; [|etransitivity; [exact M|]].
  - apply (f_equal (Rmult (Q2R q))), sum_ext. intros j Hj. change (1 + j - 1)%nat with (j - 0)%nat. rewrite Nat.sub_0_r.
    rewrite (nth_indep _ 0%Q 1%Q) by (rewrite length_map; lia). rewrite (map_nth (fun _ => 1%Q) vs 0%Q), Q2R_1. ring.
  - apply sum_ext. intros j Hj. change (1 + j - 1)%nat with (j - 0)%nat. now rewrite Nat.sub_0_r, (V j Hj).
Qed.
