(* `prev` and `next` for low precision: Theorem 12 with scores that are integers times gamma/2, at temperature 1.

   Proved, for every n, every position i and all truth values of the operand: with s_j = 1 where j has the parity of the
   keys, else 0, the future-masked (past-masked) head with scores gamma/2 (j + (i + 1) s_j) (gamma/2 ((n + 1) s_j - j))
   whose keys have the other parity than i is within e^(-gamma) of the operand at i - 1 (at i + 1), edges excepted; for
   gamma >= ln 4 two rounded units, gated as in Theorem 12, then hold `prev` (`next`) exactly, edges included. The heads
   of `prev` do not mention n. Idea: that of Theorem 12, for which these scores are just enough. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Certify Require Import positions finite_sums softmax exponential lemma_08_tie_breaking theorem_12_previous_next
  low_precision_tie_breaking.
Open Scope R_scope.

(* Whether j has the parity of the keys. *)
Definition has_parity (even_keys : bool) (j : nat) : bool := if even_keys then Nat.even j else Nat.odd j.

(* Numbered backwards from n, two positions have the same parity if and only if they have it numbered forwards. *)
Lemma even_backwards n p j : (p <= S n)%nat -> (j <= S n)%nat -> Nat.even (S n - p + (S n - j)) = Nat.even (p + j).
Proof.
  intros. rewrite <- (Nat.even_add_mul_2 (S n - p + (S n - j)) (p + j)), <- (Nat.even_add_mul_2 (p + j) (S n)).
  f_equal. lia.
Qed.

Lemma has_parity_as e p j : has_parity e p = true -> has_parity e j = Nat.even (p + j).
Proof. unfold has_parity. rewrite Nat.even_add, <- !Nat.negb_even. destruct e, (Nat.even p), (Nat.even j); easy. Qed.

Section Heads.
Variables (p : nat -> bool) (n i : nat) (g : R) (e : bool).
Hypothesis Hg : 0 < g.
Hypothesis Parity : Nat.odd i = e.

Lemma neighbours_have_parity : (1 <= i)%nat -> has_parity e (i - 1) = true /\ has_parity e (i + 1) = true.
Proof.
  intros Hi. assert (E : Nat.even (i - 1) = Nat.even (i + 1)).
  { replace (i + 1)%nat with (i - 1 + 2 * 1)%nat by lia. now rewrite Nat.even_add_mul_2. }
  unfold has_parity. rewrite <- !Nat.negb_even, E, Nat.add_1_r, Nat.even_succ, Parity. now destruct e.
Qed.

Theorem previous_integer_head : (2 <= i <= n)%nat -> Rabs (bit (p (i - 1)%nat) - attend n (future_mask i)
  (rightmost_score (fun j => bit (has_parity e j)) g (INR i + 1)) (fun j => bit (p j))) <= exp (- (2 * g)).
Proof.
  intros Hi. assert (V : visible n (future_mask i) (i - 1)) by (split; [|apply Nat.leb_le]; lia).
  apply (attend_8 n (future_mask i) _ (2 * g) _ ltac:(lra) V) with (v := fun j => bit (p j)); [|intros;
    apply bit_range]. apply dominated_previous; [exact Hg|exact Hi|]. intros j Hj Ne. unfold rightmost_score.
  destruct (neighbours_have_parity ltac:(lia)) as [K _]. rewrite K, (has_parity_as e (i - 1) j K).
  match goal with |- ?a <= ?b - ?d * _ => cut (d * g <= b - a); [lra|] end.
  assert (Li : 2 <= INR i) by (apply (le_INR 2); lia). unfold rival_distance.
  destruct (Nat.even (i - 1 + j)) eqn:E; cbn [bit].
  - pose proof (even_neighbour i j ltac:(lia) E). rewrite !minus_INR by lia. simpl (INR 1). right. ring.
  - rewrite minus_INR, !plus_INR, minus_INR by lia. simpl (INR 1). simpl (INR 2). right. ring.
Qed.

Theorem next_integer_head : (1 <= i < n)%nat -> Rabs (bit (p (i + 1)%nat) - attend n (past_mask i)
  (leftmost_score (fun j => bit (has_parity e j)) g (INR n + 1)) (fun j => bit (p j))) <= exp (- (2 * g)).
Proof.
  intros Hi. assert (V : visible n (past_mask i) (i + 1)) by (split; [|apply Nat.leb_le]; lia).
  apply (attend_8 n (past_mask i) _ (2 * g) _ ltac:(lra) V) with (v := fun j => bit (p j)); [|intros; apply bit_range].
  apply dominated_next; [exact Hg|exact Hi|]. intros j Hj Ne. unfold leftmost_score.
  destruct (neighbours_have_parity ltac:(lia)) as [_ K]. rewrite K, (has_parity_as e (i + 1) j K).
  match goal with |- ?a <= ?b - ?d * _ => cut (d * g <= b - a); [lra|] end.
  assert (Li : 1 <= INR i) by (apply (le_INR 1); lia).
  unfold rival_distance. replace (n - i)%nat with (S n - (i + 1))%nat by lia. rewrite even_backwards by lia.
  destruct (Nat.even (i + 1 + j)) eqn:E; cbn [bit].
  - assert (j <> i).
    { intros ->. replace (i + 1 + i)%nat with (1 + 2 * i)%nat in E by lia.
      rewrite Nat.even_add_mul_2 in E. discriminate. }
    replace (S n - (i + 1) - (S n - j))%nat with (j - (i + 1))%nat by lia. rewrite minus_INR, plus_INR by lia.
    simpl (INR 1). right. ring.
  - replace (S n - (i + 1) + (S n - (i + 1) + 2) - (S n - j))%nat with (n + 1 + j - 2 * i)%nat by lia.
    rewrite minus_INR, mult_INR, !plus_INR by lia. simpl (INR 1). simpl (INR 2).
    apply Rle_trans with ((INR n + INR j - INR i) * g); [apply Rmult_le_compat_r; lra|right; ring].
Qed.
End Heads.

(* ---- the statements, with gamma/2 for g ---- *)
Section Statements.
Variables (p : nat -> bool) (n : nat) (i : position n) (g : R).

Theorem low_precision_previous_error e : 0 < g -> Nat.odd i = e -> i <> 1%nat :> nat -> Rabs (bit (p (i - 1)%nat)
  - attend n (future_mask i) (fun j => g / 2 * (INR j + (INR i + 1) * bit (has_parity e j))) (fun j => bit (p j)))
  <= exp (- g).
Proof.
  intros Hg Par Ne. pose proof (previous_integer_head p n i (g / 2) e ltac:(lra) Par ltac:(lia)) as H.
  now replace (2 * (g / 2)) with g in H by lra.
Qed.

Theorem low_precision_next_error e : 0 < g -> Nat.odd i = e -> i <> n :> nat -> Rabs (bit (p (i + 1)%nat) - attend n
  (past_mask i) (fun j => g / 2 * ((INR n + 1) * bit (has_parity e j) - INR j)) (fun j => bit (p j))) <= exp (- g).
Proof.
  intros Hg Par Ne. pose proof (next_integer_head p n i (g / 2) e ltac:(lra) Par ltac:(lia)) as H.
  now replace (2 * (g / 2)) with g in H by lra.
Qed.

(* For gamma >= ln 4: exact, edges included. *)
Hypothesis Enough : ln 4 <= g.

Theorem low_precision_previous :
  let head e := attend n (future_mask i) (fun j => g / 2 * (INR j + (INR i + 1) * bit (has_parity e j)))
    (fun j => bit (p j)) in
  gated_rounding (head true) (head false) i (bit (i =? 1)) = bit (negb (i =? 1) && p (i - 1)%nat).
Proof.
  apply (gated_by_parity n i (future_mask i) p (fun e j => g / 2 * (INR j + (INR i + 1) * bit (has_parity e j)))
    (exp (- g))); [apply visible_future; lia|now apply exp_at_most_quarter|].
  intros Ne%Nat.eqb_neq e Par. apply low_precision_previous_error; [exact (above_ln_4 g Enough)|exact Par|exact Ne].
Qed.

Theorem low_precision_next :
  let head e := attend n (past_mask i) (fun j => g / 2 * ((INR n + 1) * bit (has_parity e j) - INR j))
    (fun j => bit (p j)) in
  gated_rounding (head true) (head false) i (bit (i =? n)) = bit (negb (i =? n) && p (i + 1)%nat).
Proof.
  apply (gated_by_parity n i (past_mask i) p (fun e j => g / 2 * ((INR n + 1) * bit (has_parity e j) - INR j))
    (exp (- g))); [apply visible_past; lia|now apply exp_at_most_quarter|].
  intros Ne%Nat.eqb_neq e Par. apply low_precision_next_error; [exact (above_ln_4 g Enough)|exact Par|exact Ne].
Qed.
End Statements.
