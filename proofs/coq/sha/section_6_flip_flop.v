(* [SHA] Section 6, flip-flop: "temperature of Omega(1/(n log n)), a little lower than our 1/n".

   Every position carries a bit, and some positions are writes; position i looks for the last write, future-masked, by
   the score [write at j] + j/n. Proved: at temperature 1/(n ln 4) attention is within 1/4 of its bit, at every n, every
   position and for every word, so no logarithm of n is needed; any larger constant is wrong at some n; and at
   1/(n ln n) it is off by 1/3 at n = 2. Idea: divided by the temperature these are the scores of Lemma 8 b with
   gamma = ln 4. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Certify Require Import positions finite_sums softmax exponential lemma_08_tie_breaking theorem_15_since_until relu
  critical_constants.
Open Scope R_scope.

Definition flip_flop_score (write : nat -> bool) (n : nat) (j : nat) : R := bit (write j) + INR j / INR n.

Theorem flip_flop_found write (value : nat -> R) n (i : position n) p : is_rightmost n (future_mask i)
  (fun j => bit (write j)) p -> (forall j, visible n (future_mask i) j -> 0 <= value j <= 1) ->
  Rabs (value p - attend n (future_mask i) (fun j => flip_flop_score write n j / (1 / (INR n * ln 4))) value) <= 1 / 4.
Proof.
  intros R V. pose proof (INR_at_least_1 n ltac:(lia)) as N1.
  assert (L4 : 0 < ln 4) by (rewrite <- ln_1; apply ln_increasing; lra).
  rewrite (attend_ext n (future_mask i) _ (fun j => INR n * ln 4 * bit (write j) + ln 4 * INR j) value value);
    [|intros j _; unfold flip_flop_score; field; lra|reflexivity].
  replace (1 / 4) with (exp (- ln 4)) by (rewrite exp_Ropp, exp_ln; lra). apply attend_8; [exact L4|apply R| |exact V].
  apply (dominated_8b_any_ratio n (future_mask i) (fun j => bit (write j)) (ln 4) (INR n * ln 4) n p).
  - exact L4.
  - apply gap_bit.
  - lra.
  - intros j [Hj _]. lia.
  - exact R.
Qed.

(* All positions are writes, the bit of the last is 1 and all others are 0. *)
Theorem flip_flop_needs_ln_4 g : 0 < g < ln 4 -> exists n, (1 <= n)%nat /\ ~ near_truth true (attend n (future_mask n)
  (fun j => flip_flop_score (fun _ => true) n j / (1 / (INR n * g))) (fun j => bit (indicator_at n j))).
Proof.
  intros G. destruct (enough_powers (exp (- g)) (above_quarter g G)) as (K & HK). exists (S K). split; [lia|].
  pose proof (INR_at_least_1 (S K) ltac:(lia)) as N1. apply lone_vote with (p := S K).
  - apply visible_future. lia.
  - reflexivity.
  - apply ties_outvote with (d := 1%nat) (g := g) (K := K); try lia; [lra|exact HK|]. intros k Hk. apply Req_le.
    unfold flip_flop_score. rewrite Nat.mul_1_r, minus_INR by lia. field. lra.
Qed.

(* At temperature 1/(n ln n), n = 2. *)
Theorem flip_flop_logarithm_fails : attend 2 (future_mask 2) (fun j => flip_flop_score (fun _ =>
  true) 2 j / (1 / (INR 2 * ln (INR 2)))) (fun j => bit (indicator_at 2 j)) = 2 / 3.
Proof.
  assert (L2 : 0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra).
  set (s := fun j => flip_flop_score (fun _ => true) 2 j / (1 / (INR 2 * ln (INR 2)))).
  assert (S2 : exp (s 2%nat) = 2 * exp (s 1%nat)).
  { replace (s 2%nat) with (ln 2 + s 1%nat)
      by (unfold s, flip_flop_score, bit; replace (INR 2) with 2 by (simpl; lra); change (INR 1) with 1; field; lra).
    now rewrite exp_plus, exp_ln by lra. }
  pose proof (exp_pos (s 1%nat)). unfold attend, softmax, weight, indicator_at. simpl. rewrite S2. field. lra.
Qed.
