(* [Hahn] Section 6, footnote 4: heights of prefixes of 2DYCK, and how long words are (docs/background/hahn.md, section
   3).

   Proved, for 0 < p < 1: what the prefixes of length n and height k weigh, by ballot numbers, and P_0(n) from that. The
   footnote takes the heights for a Markov chain with fixed transitions; as words end at height 0, given that there is a
   prefix of length n they are none: at p = 1/2 the height is 0 at n = 4 with probability 1/3, and the chain says 3/8.
   Its words of finite expected length exist for p < 1/2 only: at most 2p/(1 - 2p) then, no bound for p >= 1/2.
   Idea: the mean of height + 1, over what is alive, falls by 1 - 2p times what is alive, at each step. *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From Certify Require Import finite_sums exponential network critical_constants cross_entropy hahn_theorem_6_brackets.
Import ListNotations.
Open Scope R_scope.

Definition bracket_height (w : list bracket) : nat := length (bracket_stack w).

Section Heights.
Variable p : R.
Let chance := dyck_language p.

(* What the prefixes of length n and height k weigh, and all of length n. *)
Definition height_mass (n k : nat) : R := sum_words four_brackets n (fun w => word_mass chance w * bit (bracket_height w
  =? k)%nat).
Definition alive_dyck (n : nat) : R := alive_mass four_brackets chance n.

(* ---- one step ---- *)
Lemma step_weighs (g : nat -> R) n : sum_words four_brackets (S n) (fun w => word_mass chance w * g (bracket_height w))
  = sum_words four_brackets n (fun w => word_mass chance w
      * (p * g (S (bracket_height w)) + (1 - p) * match bracket_height w with O => 0 | S k => g k end)).
Proof.
  rewrite sum_words_S. apply sum_words_ext. intros u _. unfold bracket_height.
  cbn [total_over four_brackets word_mass bracket_stack length]. unfold chance, dyck_language.
  destruct (bracket_stack u) as [|[|] l]; simpl; field.
Qed.

Lemma by_two_heights n a b i j : sum_words four_brackets n (fun w => word_mass chance w * (a * bit (bracket_height w
  =? i)%nat + b * bit (bracket_height w =? j)%nat)) = a * height_mass n i + b * height_mass n j.
Proof. unfold height_mass. rewrite <- !sum_words_scale, <- sum_words_plus. apply sum_words_ext. intros w _. ring. Qed.

Theorem weighs_0 n : height_mass (S n) 0 = (1 - p) * height_mass n 1.
Proof.
  unfold height_mass. rewrite (step_weighs (fun h => bit (h =? 0)%nat)), <- sum_words_scale. apply sum_words_ext.
  intros w _. destruct (bracket_height w) as [|[|h]]; simpl; ring.
Qed.

Theorem weighs_S n k : height_mass (S n) (S k) = p * height_mass n k + (1 - p) * height_mass n (S (S k)).
Proof.
  rewrite <- by_two_heights. unfold height_mass. rewrite (step_weighs (fun h => bit (h =? S k)%nat)).
  apply sum_words_ext. intros w _. simpl Nat.eqb at 1. destruct (bracket_height w) as [|h]; simpl; ring.
Qed.

(* ---- ballot numbers ---- *)
(* How many paths with u steps up and d steps down never go below 0: (u-d+1)/(u+1) (u+d choose d). *)
Definition ballot_number (u d : nat) : R := (INR u - INR d + 1) * INR (fact (u + d)) / (INR (fact d) * INR (fact (S
  u))).

Lemma fact_positive n : 0 < INR (fact n). Proof. apply lt_0_INR, lt_O_fact. Qed.

Lemma ballot_step u d : ballot_number (S u) (S d) = ballot_number u (S d) + ballot_number (S u) d.
Proof.
  unfold ballot_number. replace (S u + S d)%nat with (S (u + S d)) by lia.
  replace (S u + d)%nat with (u + S d)%nat by lia.
  rewrite (fact_simpl (u + S d)), (fact_simpl (S u)), (fact_simpl u), (fact_simpl d).
  rewrite !mult_INR, !S_INR, plus_INR, S_INR. pose proof (fact_positive u). pose proof (fact_positive d).
  pose proof (pos_INR u). pose proof (pos_INR d). field. lra.
Qed.

Lemma ballot_up u : ballot_number u 0 = 1.
Proof.
  unfold ballot_number. rewrite Nat.add_0_r, fact_simpl, mult_INR, S_INR. simpl. pose proof (fact_positive u).
  pose proof (pos_INR u). field. lra.
Qed.

Lemma ballot_below u : ballot_number u (S u) = 0. Proof. unfold ballot_number. rewrite S_INR. unfold Rdiv. ring. Qed.

Lemma weighs_nothing_above n : forall k, (n < k)%nat -> height_mass n k = 0.
Proof.
  induction n as [|n IH]; intros k H.
  - unfold height_mass. simpl. destruct k; [lia|]. simpl. lra.
  - destruct k as [|k]; [lia|]. rewrite weighs_S, !IH by lia. lra.
Qed.

Theorem weighs_by_ballot_numbers n : forall u d, (u + d = n)%nat -> (d <= u)%nat ->
  height_mass n (u - d) = ballot_number u d * (p ^ u * (1 - p) ^ d).
Proof.
  induction n as [|n IH]; intros u d E L.
  - replace u with 0%nat by lia. replace d with 0%nat by lia. unfold height_mass, ballot_number. simpl. field.
  - destruct u as [|u]; [lia|]. destruct (Nat.eq_dec d (S u)) as [->|Ne].
    + rewrite Nat.sub_diag, weighs_0. replace 1%nat with (S u - u)%nat by lia. rewrite (IH (S u) u) by lia.
      rewrite ballot_step, ballot_below. simpl. ring.
    + replace (S u - d)%nat with (S (u - d)) by lia. rewrite weighs_S, (IH u d) by lia. destruct d as [|d].
      * rewrite weighs_nothing_above by lia. rewrite !ballot_up. simpl. ring.
      * replace (S (S (u - S d))) with (S u - d)%nat by lia. rewrite (IH (S u) d), ballot_step by lia. simpl. ring.
Qed.

Theorem weighs_of_the_other_parity n : forall k, Nat.odd (n + k) = true -> height_mass n k = 0.
Proof.
  induction n as [|n IH]; intros k O.
  - unfold height_mass. simpl. destruct k; [discriminate|]. simpl. lra.
  - destruct k as [|k].
    + rewrite weighs_0, IH; [lra|]. now replace (n + 1)%nat with (S n + 0)%nat by lia.
    + replace (S n + S k)%nat with (S (S (n + k))) in O by lia. rewrite weighs_S, !IH; [lra| |exact O].
      now replace (n + S (S k))%nat with (S (S (n + k))) by lia.
Qed.

(* ---- P_0 by heights: all but heights 0 and 1 may close ---- *)
Theorem share_asked_by_heights n : 0 < p < 1 ->
  share_asked p (S n) * alive_dyck (S n) = (1 - p) * (alive_dyck n - height_mass n 0 - height_mass n 1).
Proof.
  intros Hp. pose proof (alive_positive p Hp (S n)) as A. unfold share_asked, mean_over_words, alive_dyck. unfold Rdiv.
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r by (fold chance in A; lra). rewrite sum_words_S.
  replace (alive_mass four_brackets chance n - height_mass n 0 - height_mass n 1) with (sum_words four_brackets n (fun w
    => word_mass chance w + -1 * (word_mass chance w * bit (bracket_height w =? 0)%nat)
      + -1 * (word_mass chance w * bit (bracket_height w =? 1)%nat))).
  - rewrite <- sum_words_scale. apply sum_words_ext. intros u _. rewrite (asked_next p).
    unfold stack_is_high, bracket_height. fold chance. destruct (bracket_stack u) as [|a [|b l]]; simpl; ring.
  - rewrite !sum_words_plus, !sum_words_scale. unfold alive_mass, height_mass. ring.
Qed.

(* ---- words may be long ---- *)
Local Definition raised (n : nat) : R := sum_words four_brackets n (fun w => word_mass chance w * INR (S (bracket_height
  w))).

Lemma raised_falls n : raised (S n) = raised n - (1 - 2 * p) * alive_dyck n.
Proof.
  unfold raised, alive_dyck, alive_mass. rewrite (step_weighs (fun h => INR (S h))).
  replace (sum_words four_brackets n (fun w => word_mass chance w * INR (S (bracket_height w)))
    - (1 - 2 * p) * sum_words four_brackets n (word_mass chance)) with
    (sum_words four_brackets n (fun w => word_mass chance w * INR (S (bracket_height w)) +
      - (1 - 2 * p) * word_mass chance w)).
  - apply sum_words_ext. intros w _. destruct (bracket_height w) as [|h]; rewrite ?S_INR; simpl (INR 0); ring.
  - rewrite sum_words_plus, sum_words_scale. ring.
Qed.

(* The expected length is the sum of alive_dyck n over n >= 1. *)
Theorem lengths_up_to n : (1 - 2 * p) * (1 + sum_to n alive_dyck) = 1 - raised (S n).
Proof.
  induction n as [|n IH].
  - rewrite raised_falls. unfold raised, alive_dyck, alive_mass. simpl. ring.
  - cbn [sum_to]. rewrite raised_falls. lra.
Qed.

Lemma mass_nonneg' w : 0 < p < 1 -> 0 <= word_mass chance w. Proof. intros Hp. now apply (word_mass_nonneg p). Qed.

Theorem expected_length_at_most n : 0 < p < 1 / 2 -> sum_to n alive_dyck <= 2 * p / (1 - 2 * p).
Proof.
  intros Hp. pose proof (lengths_up_to n) as E. assert (R : 0 <= raised (S n)).
  { apply sum_words_nonneg. intros w. apply Rmult_le_pos; [apply mass_nonneg'; lra|apply pos_INR]. }
  apply Rmult_le_reg_r with (1 - 2 * p); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma height_at_most w : (bracket_height w <= length w)%nat.
Proof. unfold bracket_height. induction w as [|[k|k] w IH]; simpl; [lia|lia|]. destruct (bracket_stack w); simpl in *;
  lia. Qed.

Local Lemma alive_at_least n : 1 / 2 <= p < 1 -> / INR (S n) <= alive_dyck n.
Proof.
  intros Hp. assert (R : 1 <= raised n).
  { clear - Hp. induction n as [|n IH]; [unfold raised; simpl; lra|]. rewrite raised_falls.
    assert (0 <= alive_dyck n) by (apply Rlt_le, (alive_positive p); lra). nra. }
  assert (U : raised n <= INR (S n) * alive_dyck n).
  { unfold raised, alive_dyck, alive_mass. rewrite <- sum_words_scale. apply sum_words_le. intros w L.
    rewrite (Rmult_comm (INR (S n))). apply Rmult_le_compat_l; [apply mass_nonneg'; lra|]. apply le_INR.
    pose proof (height_at_most w). lia. }
  pose proof (INR_at_least_1 (S n) ltac:(lia)). apply Rmult_le_reg_l with (INR (S n)); [lra|]. rewrite Rinv_r; lra.
Qed.

Theorem no_expected_length b : 1 / 2 <= p < 1 -> exists n, b <= sum_to n alive_dyck.
Proof.
  intros Hp. assert (L : forall n, ln (INR (S (S n))) - ln 2 <= sum_to n alive_dyck).
  { induction n as [|n IH]; [simpl; replace (1 + 1) with 2 by lra; lra|]. cbn [sum_to].
    pose proof (alive_at_least (S n) Hp) as A. pose proof (INR_at_least_1 (S (S n)) ltac:(lia)) as N.
    set (x := INR (S (S n))) in *. rewrite (S_INR (S (S n))). fold x.
    pose proof (ln_minus_1 ((x + 1) / x) ltac:(apply Rdiv_lt_0_compat; lra)) as B. rewrite ln_quotient in B by lra.
    replace ((x + 1) / x - 1) with (/ x) in B by (field; lra). lra. }
  destruct (some_position (exp (b + ln 2))) as (n & Hn). exists n. eapply Rle_trans; [|apply L].
  assert (INR n <= INR (S (S n))) by (apply le_INR; lia). pose proof (exp_pos (b + ln 2)).
  assert (b + ln 2 <= ln (INR (S (S n)))); [|lra]. rewrite <- (ln_exp (b + ln 2)) at 1. left. apply ln_increasing; lra.
Qed.
End Heights.

(* ---- not a Markov chain with fixed transitions ---- *)
(* The law that such a chain would have: up with p, down with 1 - p, and from 0 always up, as a next symbol is given. *)
Local Fixpoint chain (p : R) (n k : nat) : R :=
  match n, k with
  | O, _ => bit (k =? 0)%nat
  | S n, O => (1 - p) * chain p n 1
  | S n, S O => chain p n 0 + (1 - p) * chain p n 2
  | S n, S k => p * chain p n k + (1 - p) * chain p n (S (S k))
  end.

Lemma weighs_start p k : height_mass p 0 k = bit (0 =? k)%nat. Proof. unfold height_mass. simpl. lra. Qed.

Lemma alive_step p n : alive_dyck p (S n) = alive_dyck p n - (1 - p) * height_mass p n 0.
Proof.
  unfold alive_dyck, alive_mass, height_mass. rewrite sum_words_S.
  rewrite (sum_words_ext _ _ _ _ (fun u => word_mass (dyck_language p) u + - (1 - p) *
    (word_mass (dyck_language p) u * bit (bracket_height u =? 0)%nat))).
  - rewrite sum_words_plus, sum_words_scale. ring.
  - intros u _. rewrite mass_of_next. unfold bracket_height, dyck_language. destruct (bracket_stack u); simpl; ring.
Qed.

Theorem heights_are_no_chain : height_mass (1 / 2) 4 0 / alive_dyck (1 / 2) 4 = 1 / 3 /\ chain (1 / 2) 4 0 = 3 / 8.
Proof.
  split; [|simpl; lra]. assert (W : height_mass (1 / 2) 4 0 = 1 / 8).
  { repeat first [rewrite weighs_S | rewrite weighs_0 | rewrite weighs_start]. simpl. lra. }
  rewrite W. replace (alive_dyck (1 / 2) 4) with (3 / 8); [lra|].
  repeat first [rewrite alive_step | rewrite weighs_S | rewrite weighs_0 | rewrite weighs_start].
  unfold alive_dyck, alive_mass. simpl. lra.
Qed.
