(* [SHA] Theorem 13: `prev` future-masked and independent of n.

   Proved: as Theorem 12, with Lemma 8 a in place of Lemma 8 b; the tie-breaking term is -1/j. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Certify Require Import finite_sums softmax exponential lemma_08_tie_breaking lemma_09_rounding
  proposition_11_end_markers theorem_12_previous_next.
Open Scope R_scope.

Theorem previous_head_causal p n i g e : 0 < g -> Nat.odd i = e -> (2 <= i <= n)%nat ->
  Rabs (bit (p (i - 1)%nat)
        - attend n (future i) (score_8a (half_parity e) g i) (fun j => bit (p j))) <= exp (- g).
Proof.
  intros Hg Par Hi. pose proof (rightmost_neighbour n i e Hi Par) as K.
  apply (attend_8 n (future i) _ g _ Hg (proj1 K)) with (v := fun j => bit (p j)); [|intros; apply bit_range].
  apply dominated_8a; auto using gap_parity. intros j [_ M]. now apply Nat.leb_le in M.
Qed.

(* ---- the statements, with the printed constant: (a) temperature 1/i^2, (b) queries 3 i^2 ---- *)
Section Printed.
Variables (p : nat -> bool) (n i : nat).
Hypothesis Hi : (1 <= i <= n)%nat.

Let i_pos : 0 < INR i.
Proof. apply lt_0_INR. lia. Qed.

Definition causal_score (e : bool) (j : nat) : R := 3 * (half_parity e j - 1 / INR j).

Theorem theorem_13a :
  let head e := attend n (future i) (fun j => causal_score e j / (1 / INR i ^ 2)) (fun j => bit (p j)) in
  gated (head true) (head false) i (bit (i =? 1)) = bit (negb (i =? 1) && p (i - 1)%nat).
Proof.
  cbv zeta. pose proof (visible_future n i Hi) as V.
  apply gated_exact; try (eapply attend_range; [exact V|intros; apply bit_range]).
  intros Ne. apply Nat.eqb_neq in Ne.
  assert (E : forall e, Nat.odd i = e -> near (p (i - 1)%nat) (attend n (future i)
     (fun j => causal_score e j / (1 / INR i ^ 2)) (fun j => bit (p j)))).
  { intros e Par. apply (near_from_error _ (exp (- (3))));
    [|apply quarter; lra|eapply attend_range; [exact V|intros; apply bit_range]].
    erewrite (attend_ext _ _ (fun j => causal_score _ _ / _));
      [apply (previous_head_causal p n i 3 e); lra || lia || exact Par| |reflexivity].
    intros j [Hj _]. unfold causal_score, score_8a. pose proof (lt_0_INR j ltac:(lia)). field. lra. }
  destruct (Nat.odd i) eqn:O; now apply E.
Qed.

Theorem theorem_13b :
  let head e := attend n (future i) (fun j => INR i ^ 2 * causal_score e j / 1) (fun j => bit (p j)) in
  gated (head true) (head false) i (bit (i =? 1)) = bit (negb (i =? 1) && p (i - 1)%nat).
Proof.
  cbv zeta. rewrite <- theorem_13a. cbv zeta. f_equal; (apply attend_ext; [intros; field; lra|reflexivity]).
Qed.
End Printed.
