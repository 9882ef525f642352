(* [SHA] Theorem 12: `prev` and `next` by two heads, one that looks at even and one that looks at odd positions.

   Proved, for every n, every position and all truth values of the operand: the head whose keys have the other parity
   than i is within e^(-gamma) of the operand at i - 1 (at i + 1), edges excepted; two rounded units, gated by (-1)^i
   and the end marker, then hold `prev` (`next`) exactly, edges included. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Certify Require Import finite_sums softmax exponential lemma_08_tie_breaking lemma_09_rounding
  proposition_11_end_markers.
Open Scope R_scope.

(* 1/2 where j has the parity of the keys, else -1/2. *)
Definition half_parity (even_keys : bool) (j : nat) : R := (if even_keys then 1 / 2 else - (1 / 2)) * alternating j.

Lemma gap_parity n m e : has_gap n m (half_parity e) 1.
Proof.
  intros k V M j Vj. specialize (M j Vj). unfold half_parity, alternating in *.
  destruct e, (Nat.odd j), (Nat.odd k); lra.
Qed.

Lemma half_parity_range e j : half_parity e j <= 1 / 2.
Proof. unfold half_parity, alternating. destruct e, (Nat.odd j); lra. Qed.
Lemma half_parity_match e j : Nat.odd j = negb e -> half_parity e j = 1 / 2.
Proof. intros H. unfold half_parity, alternating. rewrite H. destruct e; simpl; lra. Qed.
Lemma half_parity_other e j : Nat.odd j = e -> half_parity e j = - (1 / 2).
Proof. intros H. unfold half_parity, alternating. rewrite H. destruct e; lra. Qed.

(* Queries from a position of the parity that the keys do not have. *)
Lemma rightmost_neighbour n i e : (2 <= i <= n)%nat -> Nat.odd i = e ->
  is_rightmost n (future i) (half_parity e) (i - 1).
Proof.
  intros Hi Par. assert (H1 : half_parity e (i - 1) = 1 / 2).
  { apply half_parity_match. replace i with (S (i - 1)) in Par by lia.
    rewrite Nat.odd_succ in Par. now rewrite <- Par, Nat.negb_even. }
  split; [split; [lia|apply Nat.leb_le; lia]|]. intros j [Hj Mj]. apply Nat.leb_le in Mj. rewrite H1. split.
  - apply half_parity_range.
  - intros L. replace j with i by lia. rewrite half_parity_other by exact Par. lra.
Qed.

Lemma leftmost_neighbour n i e : (1 <= i < n)%nat -> Nat.odd i = e ->
  is_leftmost n (past i) (half_parity e) (i + 1).
Proof.
  intros Hi Par. assert (H1 : half_parity e (i + 1) = 1 / 2).
  { apply half_parity_match. rewrite <- Par, Nat.add_1_r, Nat.odd_succ, Nat.negb_odd. reflexivity. }
  split; [split; [lia|apply Nat.leb_le; lia]|]. intros j [Hj Mj]. apply Nat.leb_le in Mj. rewrite H1. split.
  - apply half_parity_range.
  - intros L. replace j with i by lia. rewrite half_parity_other by exact Par. lra.
Qed.

Section Heads.
Variables (p : nat -> bool) (n i : nat) (g : R) (e : bool).
Hypothesis Hg : 0 < g.
Hypothesis Parity : Nat.odd i = e.

Theorem previous_head : (2 <= i <= n)%nat -> Rabs (bit (p (i - 1)%nat)
  - attend n (future i) (score_8b (half_parity e) g n) (fun j => bit (p j))) <= exp (- g).
Proof.
  intros Hi. pose proof (rightmost_neighbour n i e Hi Parity) as K.
  apply (attend_8 n (future i) _ g _ Hg (proj1 K)) with (v := fun j => bit (p j)); [|intros; apply bit_range].
  apply dominated_8b; auto using gap_parity. intros j [Hj _]. lia.
Qed.

Theorem next_head : (1 <= i < n)%nat -> Rabs (bit (p (i + 1)%nat)
  - attend n (past i) (score_8c (half_parity e) g n) (fun j => bit (p j))) <= exp (- g).
Proof.
  intros Hi. pose proof (leftmost_neighbour n i e Hi Parity) as K.
  apply (attend_8 n (past i) _ g _ Hg (proj1 K)) with (v := fun j => bit (p j)); [|intros; apply bit_range].
  apply dominated_8c; auto using gap_parity.
Qed.
End Heads.

(* The feed-forward layer: x and y are the heads with even and odd keys, `edge` the end marker. *)
Definition gated (x y : R) (i : nat) (edge : R) : R :=
  rounded (x - 1 / 2 * alternating i - edge - 1 / 2) + rounded (y + 1 / 2 * alternating i - edge - 1 / 2).

Lemma gated_exact x y i (edge b : bool) : 0 <= x <= 1 -> 0 <= y <= 1 ->
  (edge = false -> near b (if Nat.odd i then x else y)) ->
  gated x y i (bit edge) = bit (negb edge && b).
Proof.
  intros Hx Hy H. unfold gated, alternating. destruct edge; simpl.
  - rewrite !lemma_09_false; destruct (Nat.odd i); lra.
  - specialize (H eq_refl). destruct (Nat.odd i).
    + rewrite (lemma_09_false (y + _ - _ - _)) by lra. replace (x - 1 / 2 * -1 - 0 - 1 / 2) with x by lra.
      rewrite (near_rounded b x H). lra.
    + rewrite (lemma_09_false (x - _ - _ - _)) by lra. replace (y + 1 / 2 * 1 - 0 - 1 / 2) with y by lra.
      rewrite (near_rounded b y H). lra.
Qed.

(* ---- the statements, with the printed constant: (a) temperature 1/n, (b) queries 6n ---- *)
Section Printed.
Variables (p : nat -> bool) (n i : nat).
Hypothesis Hi : (1 <= i <= n)%nat.

Let n_pos : 0 < INR n.
Proof. apply lt_0_INR. lia. Qed.

Definition previous_score (e : bool) (j : nat) : R := 6 * (half_parity e j + INR j / (2 * INR n)).
Definition next_score (e : bool) (j : nat) : R := 6 * (half_parity e j - INR j / (2 * INR n)).

Lemma range_of m s : visible n m i -> 0 <= attend n m s (fun j => bit (p j)) <= 1.
Proof. intros V. eapply attend_range; [exact V|intros; apply bit_range]. Qed.

Theorem theorem_12a_previous :
  let head e := attend n (future i) (fun j => previous_score e j / (1 / INR n)) (fun j => bit (p j)) in
  gated (head true) (head false) i (bit (i =? 1)) = bit (negb (i =? 1) && p (i - 1)%nat).
Proof.
  cbv zeta. pose proof (visible_future n i Hi) as V. apply gated_exact; try now apply range_of.
  intros Ne. apply Nat.eqb_neq in Ne.
  assert (E : forall e, Nat.odd i = e -> near (p (i - 1)%nat) (attend n (future i)
     (fun j => previous_score e j / (1 / INR n)) (fun j => bit (p j)))).
  { intros e Par. apply (near_from_error _ (exp (- (3)))); [|apply quarter; lra|now apply range_of].
    erewrite (attend_ext _ _ (fun j => previous_score _ _ / _));
      [apply (previous_head p n i 3 e); lra || lia || exact Par| |reflexivity].
    intros j _. unfold previous_score, score_8b. field. lra. }
  destruct (Nat.odd i) eqn:O; now apply E.
Qed.

Theorem theorem_12a_next :
  let head e := attend n (past i) (fun j => next_score e j / (1 / INR n)) (fun j => bit (p j)) in
  gated (head true) (head false) i (bit (i =? n)) = bit (negb (i =? n) && p (i + 1)%nat).
Proof.
  cbv zeta. pose proof (visible_past n i Hi) as V. apply gated_exact; try now apply range_of.
  intros Ne. apply Nat.eqb_neq in Ne.
  assert (E : forall e, Nat.odd i = e -> near (p (i + 1)%nat) (attend n (past i)
     (fun j => next_score e j / (1 / INR n)) (fun j => bit (p j)))).
  { intros e Par. apply (near_from_error _ (exp (- (3)))); [|apply quarter; lra|now apply range_of].
    erewrite (attend_ext _ _ (fun j => next_score _ _ / _));
      [apply (next_head p n i 3 e); lra || lia || exact Par| |reflexivity].
    intros j _. unfold next_score, score_8c. field. lra. }
  destruct (Nat.odd i) eqn:O; now apply E.
Qed.

Theorem theorem_12b_previous :
  let head e := attend n (future i) (fun j => INR n * previous_score e j / 1) (fun j => bit (p j)) in
  gated (head true) (head false) i (bit (i =? 1)) = bit (negb (i =? 1) && p (i - 1)%nat).
Proof.
  cbv zeta. rewrite <- theorem_12a_previous. cbv zeta. f_equal; (apply attend_ext; [intros; field; lra|reflexivity]).
Qed.

Theorem theorem_12b_next :
  let head e := attend n (past i) (fun j => INR n * next_score e j / 1) (fun j => bit (p j)) in
  gated (head true) (head false) i (bit (i =? n)) = bit (negb (i =? n) && p (i + 1)%nat).
Proof.
  cbv zeta. rewrite <- theorem_12a_next. cbv zeta. f_equal; (apply attend_ext; [intros; field; lra|reflexivity]).
Qed.
End Printed.
