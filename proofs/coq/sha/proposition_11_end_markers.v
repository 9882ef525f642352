(* [SHA] Proposition 11 a, b and the remark after it: marking the first and the last position; 1/i and 1/(n+1-i).

   Proved: uniform attention over -(-1)^j is the mean of an alternating sum, 1 in absolute value over a single position
   and at most 1/3 over several, so 2 ReLU(x - 1/2) (for the last position also of -x) marks the end exactly; and
   uniform attention over the marker is exactly 1/i or 1/(n+1-i). *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Certify Require Import positions finite_sums softmax relu.
Open Scope R_scope.

(* (-1)^j *)
Definition sign_of_parity (j : nat) : R := if Nat.odd j then -1 else 1.

Lemma alternating_power j : powerRZ (-1) (Z.of_nat j) = sign_of_parity j.
Proof.
  rewrite <- pow_powerRZ. unfold sign_of_parity. induction j as [|j IH]; [reflexivity|].
  cbn [pow]. rewrite IH, Nat.odd_succ, <- Nat.negb_odd. destruct (Nat.odd j); simpl; lra.
Qed.

Lemma alternating_sum k : sum_to k (fun j => - sign_of_parity j) = if Nat.odd k then 1 else 0.
Proof.
  induction k as [|k IH]; [reflexivity|]. cbn [sum_to]. rewrite IH. unfold sign_of_parity.
  rewrite Nat.odd_succ, <- Nat.negb_odd. destruct (Nat.odd k); simpl; lra.
Qed.

Definition end_marker (x : R) : R := 2 * relu (x - 1 / 2).

Local Lemma third k : (3 <= k)%nat -> 0 < 1 / INR k <= 1 / 3.
Proof.
  intros H. apply le_INR in H. replace (INR 3) with 3 in H by (simpl; lra). split.
  - auto with signs.
  - apply Rmult_le_compat_l; [lra|apply Rinv_le_contravar; lra].
Qed.

(* ---- (a) the first position ---- *)
Definition mean_up_to (i : nat) : R := (1 - sign_of_parity i) / (2 * INR i).

Lemma alternating_mean_future n (i : position n) c : attend n (future_mask i) (fun _ => c)
  (fun j => - sign_of_parity j) = mean_up_to i.
Proof.
  pose proof (INR_at_least_1 i ltac:(lia)). rewrite attend_uniform_future, alternating_sum by lia.
  unfold mean_up_to, sign_of_parity. destruct (Nat.odd i); field; lra.
Qed.

Lemma mean_up_to_range i : (1 <= i)%nat -> if (i =? 1)%nat then mean_up_to i = 1 else 0 <= mean_up_to i <= 1 / 3.
Proof.
  intros H. unfold mean_up_to, sign_of_parity. destruct (Nat.eqb_spec i 1) as [->|Ne]; [simpl; lra|].
  pose proof (INR_at_least_1 i H). destruct (Nat.odd i) eqn:O.
  - assert (L : (3 <= i)%nat) by (destruct i as [|[|[|i]]]; simpl in O; try discriminate; lia).
    pose proof (third i L). replace ((1 - -1) / (2 * INR i)) with (1 / INR i) by (field; lra). lra.
  - unfold Rdiv. rewrite Rminus_diag_eq, Rmult_0_l by reflexivity. lra.
Qed.

Theorem proposition_11a n (i : position n) c : end_marker (attend n (future_mask i) (fun _ => c)
  (fun j => - sign_of_parity j)) = bit (i =? 1).
Proof.
  rewrite alternating_mean_future. pose proof (mean_up_to_range i ltac:(lia)) as M.
  unfold end_marker. destruct (i =? 1)%nat; simpl; [rewrite relu_linear|rewrite relu_zero]; lra.
Qed.

Theorem proposition_11a_reciprocal n (i : position n) c : attend n (future_mask i) (fun _ => c)
  (fun j => bit (j =? 1)) = 1 / INR i.
Proof.
  rewrite attend_uniform_future. f_equal. rewrite (sum_apart i 1) by lia. rewrite sum_zero; [simpl; lra|]. intros j _.
  unfold zeroed_at. now destruct (j =? 1)%nat.
Qed.

(* ---- (b) the last position ---- *)
Definition mean_from (n i : nat) : R := - sign_of_parity i * (1 + sign_of_parity (n - i)) / (2 * (INR n - INR i + 1)).

Lemma alternating_mean_past n (i : position n) c : attend n (past_mask i) (fun _ => c)
  (fun j => - sign_of_parity j) = mean_from n i.
Proof.
  rewrite attend_uniform_past, !alternating_sum by lia. unfold mean_from, sign_of_parity.
  replace (INR (S n - i)) with (INR n - INR i + 1) by (rewrite minus_INR, S_INR by lia; lra).
  assert (1 <= INR n - INR i + 1) by (assert (INR i <= INR n) by (apply le_INR; lia); lra).
  assert (E : Nat.odd n = xorb (Nat.odd i) (Nat.odd (n - i))) by (rewrite <- Nat.odd_add; f_equal; lia).
  assert (F : Nat.odd i = negb (Nat.odd (i - 1))) by (rewrite Nat.negb_odd, <- Nat.odd_succ; f_equal; lia).
  rewrite E, F. destruct (Nat.odd (i - 1)), (Nat.odd (n - i)); simpl; field; lra.
Qed.

Lemma mean_from_range n (i : position n) : if (i =? n)%nat then mean_from n i = - sign_of_parity i else -1 / 3
  <= mean_from n i <= 1 / 3.
Proof.
  unfold mean_from. destruct (Nat.eqb_spec i n) as [->|Ne].
  - rewrite Nat.sub_diag. unfold sign_of_parity at 2. simpl. field. lra.
  - replace (INR n - INR i + 1) with (INR (S (n - i))) by (rewrite S_INR, minus_INR by lia; lra).
    unfold sign_of_parity at 2 4. destruct (Nat.odd (n - i)) eqn:O.
    + replace (1 + -1) with 0 by lra. rewrite Rmult_0_r. unfold Rdiv. rewrite Rmult_0_l. lra.
    + assert (L : (3 <= S (n - i))%nat) by (destruct (n - i)%nat as [|[|k]] eqn:E; simpl in O; try discriminate; lia).
      pose proof (third _ L) as T. pose proof (INR_at_least_1 (S (n - i)) ltac:(lia)).
      replace (- sign_of_parity i * (1 + 1) / (2 * INR (S (n - i)))) with (- sign_of_parity i * (1 / INR (S (n - i))))
        by (field; lra). unfold sign_of_parity. destruct (Nat.odd i); lra.
Qed.

Theorem proposition_11b n (i : position n) c : let x := attend n (past_mask i) (fun _ => c)
  (fun j => - sign_of_parity j) in end_marker x + end_marker (- x) = bit (i =? n).
Proof.
  cbv zeta. rewrite alternating_mean_past. pose proof (mean_from_range n i) as M.
  unfold end_marker. destruct (i =? n)%nat; simpl.
  - rewrite M. unfold sign_of_parity. destruct (Nat.odd i);
      [rewrite relu_linear, relu_zero by lra|rewrite relu_zero, relu_linear by lra]; lra.
  - rewrite !relu_zero by lra. lra.
Qed.

Theorem proposition_11b_reciprocal n (i : position n) c : attend n (past_mask i) (fun _ => c) (fun j => bit
  (j =? n)) = 1 / INR (S n - i).
Proof.
  rewrite attend_uniform_past. f_equal.
  rewrite (sum_apart n n) by lia. rewrite Nat.eqb_refl, !sum_zero; [simpl; lra| |].
  - intros j Hj. destruct (Nat.eqb_spec j n); [lia|reflexivity].
  - intros j _. unfold zeroed_at. destruct (j =? n)%nat; reflexivity.
Qed.
