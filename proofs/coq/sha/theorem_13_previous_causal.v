(* [SHA] Theorem 13: `prev` future-masked and independent of n.

   Proved: as Theorem 12, error e^(-2 gamma), so gamma >= ln 2 is enough here too (the paper: 3); with the scores of
   Lemma 8 a in place of Lemma 8 b: the tie-breaking term is -1/j. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Certify Require Import positions finite_sums softmax exponential lemma_08_tie_breaking proposition_11_end_markers
  theorem_12_previous_next.
Open Scope R_scope.

(* i^2 (1 + 1/j - 1/p) >= 2i - j for i = p + 1 and j <= i. *)
Lemma other_parity_far x y : 1 <= y -> 1 <= x <= y + 1 -> y + (y + 2) - x <= (y + 1) ^ 2 * (1 + (1 / x - 1 / y)).
Proof.
  intros Hy Hx. assert (A : y + (y + 2) - x <= (y + 1) ^ 2 * (1 / x)).
  { apply Rmult_le_reg_r with x; [lra|]. replace ((y + 1) ^ 2 * (1 / x) * x) with ((y + 1) ^ 2) by (field; lra). nra. }
  assert (B : 1 / y <= 1). { apply Rmult_le_reg_r with y; [lra|]. field_simplify; lra. }
  assert (0 <= (y + 1) ^ 2 * (1 - 1 / y)) by (apply Rmult_le_pos; [apply pow_le|]; lra). lra.
Qed.

Theorem previous_head_causal p n i g e : 0 < g -> Nat.odd i = e -> (2 <= i <= n)%nat -> Rabs (bit (p (i - 1)%nat)
  - attend n (future_mask i) (score_8a (half_parity e) g i) (fun j => bit (p j))) <= exp (- (2 * g)).
Proof.
  intros Hg Par Hi. destruct (rightmost_neighbour n i e Hi Par) as [V _].
  apply (attend_8 n (future_mask i) _ (2 * g) _ ltac:(lra) V) with (v := fun j => bit (p j)); [|intros;
    apply bit_range]. apply dominated_previous; [exact Hg|exact Hi|]. intros j Hj Ne. unfold score_8a.
  destruct (neighbour_parity i e ltac:(lia) Par) as [K _]. rewrite (half_parity_as e (i - 1) j K), K.
  assert (Ei : INR i = INR (i - 1) + 1) by (rewrite <- S_INR; f_equal; lia).
  assert (Y : 1 <= INR (i - 1)) by (apply INR_at_least_1; lia). assert (X : 1 <= INR j) by (apply INR_at_least_1; lia).
  cut (INR (rival_distance (i - 1) j) <= INR i ^ 2 * ((if Nat.even (i - 1 + j) then 0 else 1) +
    (1 / INR j - 1 / INR (i - 1)))).
  { intros T. apply Rmult_le_compat_l with (r := g) in T; [|lra]. destruct (Nat.even (i - 1 + j)); lra. }
  unfold rival_distance. destruct (Nat.even (i - 1 + j)) eqn:E.
  - pose proof (even_neighbour i j ltac:(lia) E). rewrite minus_INR, Rplus_0_l by lia.
    apply reciprocal_gap; [split; [exact X|apply le_INR; lia]|lra].
  - rewrite minus_INR, !plus_INR, Ei by lia. simpl (INR 2). apply other_parity_far; [exact Y|]. split; [exact X|].
    rewrite <- Ei. apply le_INR. lia.
Qed.

(* ---- the statements: (a) temperature 1/i^2, (b) queries gamma i^2; the paper has gamma = 3 ---- *)
Section Statements.
Variables (p : nat -> bool) (n : nat) (i : position n) (g : R).
Hypothesis Enough : ln 2 <= g.

Let i_pos : 0 < INR i.
Proof. apply lt_0_INR. lia. Qed.

Definition causal_score (e : bool) (j : nat) : R := g * (half_parity e j - 1 / INR j).

Theorem theorem_13a :
  let head e := attend n (future_mask i) (fun j => causal_score e j / (1 / INR i ^ 2)) (fun j => bit (p j)) in
  gated_rounding (head true) (head false) i (bit (i =? 1)) = bit (negb (i =? 1) && p (i - 1)%nat).
Proof.
  apply (gated_by_parity n i (future_mask i) p (fun e j => causal_score e j / (1 / INR i ^ 2)) (exp (- (2 * g))));
    [apply visible_future; lia|now apply quarter_doubled|].
  intros Ne%Nat.eqb_neq e Par. erewrite (attend_ext _ _ (fun j => causal_score _ _ / _));
    [apply (previous_head_causal p n i g e); exact (above_ln_2 g Enough) || lia || exact Par| |reflexivity].
  intros j [Hj _]. unfold causal_score, score_8a. pose proof (lt_0_INR j ltac:(lia)). field. lra.
Qed.

Theorem theorem_13b :
  let head e := attend n (future_mask i) (fun j => INR i ^ 2 * causal_score e j / 1) (fun j => bit (p j)) in
  gated_rounding (head true) (head false) i (bit (i =? 1)) = bit (negb (i =? 1) && p (i - 1)%nat).
Proof. cbv zeta. rewrite <- theorem_13a. cbv zeta. f_equal; (apply attend_ext; [intros; field; lra|reflexivity]). Qed.
End Statements.
