(* [SHA] Theorem 15: `since` and `until` by tie-broken attention.

   Proved, for every n, every position and all truth values p, q of the operands: one future-masked head with scores
   2 gamma n ([p -> q] + j/(2n)) and values [p & q] is within e^(-gamma) of `p since q`; past-masked with -j/(2n), of
   `p until q`. So for gamma >= ln 4 (the paper: 3) it is near enough for Lemma 9 to make the answer exact.
   Idea: the head looks at the nearest j where p -> q holds; there p & q is the answer. Where there is no such j, p
   holds and q fails at every visible position, and every value is 0. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Certify Require Import positions finite_sums softmax exponential lemma_08_tie_breaking relu lemma_09_rounding
  formula.
Import PositionNotations. Open Scope R_scope.

(* Truth values have a gap of 1. *)
Lemma gap_bit n m (b : nat -> bool) : has_gap n m (fun j => bit (b j)) 1.
Proof. intros p V M j Vj. specialize (M j Vj). destruct (b j), (b p); simpl in *; lra. Qed.

Section Operands.
Variables p q : nat -> bool.

Definition is_decisive (j : nat) : bool := implb (p j) (q j).
Definition both_hold (j : nat) : bool := p j && q j.
Lemma not_decisive j : is_decisive j = false -> p j = true /\ q j = false.
Proof. unfold is_decisive. destruct (p j), (q j); easy. Qed.

(* The last position that decides, in the order [before], decides; all of [visible] are in that order. *)
Lemma last_decides (visible : nat -> Prop) (before : nat -> nat -> Prop) k : visible k -> (forall j l, j = l \/
  before j l \/ before l j) -> (forall j, visible j -> bit (is_decisive j) <= bit (is_decisive k) /\ (before k j ->
  bit (is_decisive j) < bit (is_decisive k))) -> both_hold k = true <-> exists j, visible j /\ q j = true /\ forall l,
  visible l -> l = j \/ before j l -> p l = true.
Proof.
  intros Vk Total M. unfold both_hold. rewrite andb_true_iff. split.
  - intros [P Q]. exists k. repeat split; [exact Vk|exact Q|]. intros l Vl [->|B]; [exact P|].
    destruct (M l Vl) as [_ L]. specialize (L B). unfold is_decisive in L. rewrite P, Q in L.
    destruct (p l), (q l); simpl in L; lra || easy.
  - intros (j & Vj & Q & P). destruct (M j Vj) as [G L]. unfold is_decisive in G, L. rewrite Q, implb_true_r in G, L.
    destruct (is_decisive k) eqn:D; unfold is_decisive in D; rewrite D in G, L; simpl in G, L; [|lra].
    destruct (Total j k) as [->|[B|B]].
    + rewrite (P k Vk (or_introl eq_refl)) in *. now split.
    + rewrite (P k Vk (or_intror B)) in *. now split.
    + specialize (L B). lra.
Qed.

Lemma rightmost_decides n (i : position n) k : is_rightmost n (future_mask i) (fun j => bit (is_decisive j)) k ->
  both_hold k = since_at p q i.
Proof.
  intros [[Hk Mk] M]. apply Nat.leb_le in Mk. apply eq_true_iff_eq.
  rewrite since_at_iff, (last_decides (fun j => j upto i) lt k (conj (proj1 Hk) Mk) ltac:(lia)).
  - split; intros (j & Hj & Q & P); exists j; (split; [exact Hj|]); (split; [exact Q|]); intros l Hl; [|intros B];
      apply P; lia.
  - intros j Hj. apply M. split; [lia|]. apply Nat.leb_le. lia.
Qed.

Lemma leftmost_decides n (i : position n) k : is_leftmost n (past_mask i) (fun j => bit (is_decisive j)) k ->
  both_hold k = until_at n p q i.
Proof.
  intros [[Hk Mk] M]. apply Nat.leb_le in Mk. apply eq_true_iff_eq.
  rewrite until_at_iff, (last_decides (fun j => i <= j <= n)%nat gt k (conj Mk (proj2 Hk)) ltac:(lia)).
  - split; intros (j & Hj & Q & P); exists j; (split; [exact Hj|]); (split; [exact Q|]); intros l Hl; [|intros B];
      apply P; lia.
  - intros j Hj. apply M. split; [lia|]. apply Nat.leb_le. lia.
Qed.

Section Heads.
Variables (n : nat) (i : position n) (g : R).
Hypothesis Hg : 0 < g.

Theorem since_head : Rabs (bit (since_at p q i)
  - attend n (future_mask i) (score_8b (fun j => bit (is_decisive j)) g n) (fun j => bit (both_hold j))) <= exp (- g).
Proof.
  destruct (rightmost_exists n (future_mask i) (fun j => bit (is_decisive j)) i (visible_future n i (in_word i)))
    as (k & K). rewrite <- (rightmost_decides n i k K).
  apply (attend_8 n (future_mask i) _ g k Hg (proj1 K)) with (v := fun j => bit (both_hold j)); [|intros;
    apply bit_range]. apply dominated_8b; auto using gap_bit. intros j [Hj _]. lia.
Qed.

Theorem until_head : Rabs (bit (until_at n p q i)
  - attend n (past_mask i) (score_8c (fun j => bit (is_decisive j)) g n) (fun j => bit (both_hold j))) <= exp (- g).
Proof.
  destruct (leftmost_exists n (past_mask i) (fun j => bit (is_decisive j)) i (visible_past n i (in_word i))) as (k & K).
  rewrite <- (leftmost_decides n i k K).
  apply (attend_8 n (past_mask i) _ g k Hg (proj1 K)) with (v := fun j => bit (both_hold j)); [|intros;
    apply bit_range]. apply dominated_8c; auto using gap_bit.
Qed.
End Heads.

(* ---- the statements: (a) temperature 1/n, (b) queries 2 gamma n; the paper has gamma = 3 ---- *)
Section Statements.
Variables (n : nat) (i : position n) (g : R).
Hypothesis Enough : ln 4 <= g.

Let n_pos : 0 < INR n.
Proof. apply lt_0_INR. lia. Qed.

Theorem theorem_15a_since : near_truth (since_at p q i) (attend n (future_mask i)
  (fun j => 2 * g * (bit (is_decisive j) + INR j / (2 * INR n)) / (1 / INR n)) (fun j => bit (both_hold j))).
Proof.
  apply (near_from_error _ (exp (- g))); [|now apply exp_at_most_quarter|].
  - erewrite (attend_ext _ _ (fun j => 2 * g * _ / _)); [apply (since_head n i g);
      exact (above_ln_4 g Enough)| |reflexivity]. intros j _. unfold score_8b. field. lra.
  - eapply attend_range; [apply (visible_future n i (in_word i))|intros; apply bit_range].
Qed.

Theorem theorem_15b_since : near_truth (since_at p q i) (attend n (future_mask i)
  (fun j => (2 * g * INR n) * (bit (is_decisive j) + INR j / (2 * INR n)) / 1) (fun j => bit (both_hold j))).
Proof.
  erewrite (attend_ext _ _ (fun j => 2 * g * INR n * _ / _)); [apply theorem_15a_since| |reflexivity].
  intros j _. simpl. field. lra.
Qed.

Theorem theorem_15a_until : near_truth (until_at n p q i) (attend n (past_mask i)
  (fun j => 2 * g * (bit (is_decisive j) - INR j / (2 * INR n)) / (1 / INR n)) (fun j => bit (both_hold j))).
Proof.
  apply (near_from_error _ (exp (- g))); [|now apply exp_at_most_quarter|].
  - erewrite (attend_ext _ _ (fun j => 2 * g * _ / _)); [apply (until_head n i g);
      exact (above_ln_4 g Enough)| |reflexivity]. intros j _. unfold score_8c. field. lra.
  - eapply attend_range; [apply (visible_past n i (in_word i))|intros; apply bit_range].
Qed.

Theorem theorem_15b_until : near_truth (until_at n p q i) (attend n (past_mask i)
  (fun j => (2 * g * INR n) * (bit (is_decisive j) - INR j / (2 * INR n)) / 1) (fun j => bit (both_hold j))).
Proof.
  erewrite (attend_ext _ _ (fun j => 2 * g * INR n * _ / _)); [apply theorem_15a_until| |reflexivity].
  intros j _. simpl. field. lra.
Qed.
End Statements.
End Operands.
