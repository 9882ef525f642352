(* How a head weighs positions: softmax, softmax plus one, sparsemax, 1.5-entmax (docs/weightings.md). *)
From Coq Require Import Reals Lra Lia Arith Bool List.
From Certify Require Import finite_sums softmax entmax.
Open Scope R_scope.

Inductive weighing := Softmax | SoftmaxPlusOne | Sparsemax | Entmax.

(* The weights times the values v, summed; s are the scores over the temperature. *)
Definition attend_as (k : weighing) (n : nat) (m : mask) (s v : nat -> R) : R :=
  match k with
  | Softmax => attend n m s v
  | SoftmaxPlusOne => attend_beside 1 n m s v
  | Sparsemax => attend_sparsely 0 n m s v
  | Entmax => attend_sparsely 1 n m s v
  end.

(* The p of docs/weightings.md, less 1, of those that are sparse. *)
Definition sparse_order (k : weighing) : option nat :=
  match k with Sparsemax => Some 0%nat | Entmax => Some 1%nat | _ => None end.
Lemma attend_as_sparsely k order n m s v : sparse_order k = Some order ->
  attend_as k n m s v = attend_sparsely order n m s v.
Proof. intros E. destruct k; try discriminate; now injection E as <-. Qed.

(* One number of weights and their properties, for what the four have in common. *)
Definition weights_as (k : weighing) (n : nat) (m : mask) (s : nat -> R) (j : nat) : R :=
  match k with
  | Softmax => softmax n m s j
  | SoftmaxPlusOne => weight m s j / (1 + sum n (weight m s))
  | Sparsemax => entmax 0 n m s j
  | Entmax => entmax 1 n m s j
  end.
Lemma attend_as_weights k n m s v : attend_as k n m s v = sum n (fun j => weights_as k n m s j * v j).
Proof. now destruct k. Qed.

Lemma weights_as_same k n m m' s s' : (forall j, (1 <= j <= n)%nat -> m j = m' j /\ s j = s' j) ->
  forall j, (1 <= j <= n)%nat -> weights_as k n m s j = weights_as k n m' s' j.
Proof.
  intros E j Hj. assert (W : forall j, (1 <= j <= n)%nat -> weight m s j = weight m' s' j)
    by (intros i Hi; destruct (E i Hi) as [Em Es]; unfold weight; now rewrite Em, Es).
  destruct k; cbn [weights_as]; try now apply entmax_same.
  - unfold softmax. now rewrite (W j Hj), (sum_ext n _ _ W).
  - now rewrite (W j Hj), (sum_ext n _ _ W).
Qed.
Lemma weights_as_backwards k n m s j : (1 <= j <= n)%nat ->
  weights_as k n (fun j => m (S n - j)%nat) (fun j => s (S n - j)%nat) j = weights_as k n m s (S n - j).
Proof.
  intros Hj. destruct k; cbn [weights_as]; try now apply entmax_backwards.
  - unfold softmax. now rewrite <- (sum_backwards n (weight m s)).
  - now rewrite <- (sum_backwards n (weight m s)).
Qed.
Lemma weights_as_hidden k n m s j : m j = false -> weights_as k n m s j = 0.
Proof.
  intros E. destruct k; cbn [weights_as]; unfold softmax, entmax, weight; rewrite E; unfold Rdiv; ring.
Qed.

Lemma attend_as_same k n m m' s s' v v' : (forall j, (1 <= j <= n)%nat -> m j = m' j /\ s j = s' j /\ v j = v' j) ->
  attend_as k n m s v = attend_as k n m' s' v'.
Proof.
  intros E. rewrite !attend_as_weights. apply sum_ext. intros j Hj. destruct (E j Hj) as (_ & _ & ->). f_equal.
  apply weights_as_same; [|exact Hj]. intros i Hi. now destruct (E i Hi) as (Em & Es & _).
Qed.
Lemma attend_as_backwards k n m s v : attend_as k n m s v
  = attend_as k n (fun j => m (S n - j)%nat) (fun j => s (S n - j)%nat) (fun j => v (S n - j)%nat).
Proof.
  rewrite !attend_as_weights, <- (sum_backwards n (fun j => _ * v j)). apply sum_ext. intros j Hj.
  now rewrite weights_as_backwards.
Qed.
Lemma attend_as_zero k n m s v : (forall j, visible n m j -> v j = 0) -> attend_as k n m s v = 0.
Proof.
  intros Z. rewrite attend_as_weights. apply sum_zero. intros j Hj. destruct (m j) eqn:E.
  - rewrite (Z j (conj Hj E)). ring.
  - rewrite weights_as_hidden by exact E. ring.
Qed.
Lemma attend_as_range k n m s v p : visible n m p -> (forall j, visible n m j -> 0 <= v j <= 1) ->
  0 <= attend_as k n m s v <= 1.
Proof.
  intros V Hv. assert (Sparsely : forall k, 0 <= attend_sparsely k n m s v <= 1).
  { clear k. intros k. split.
    - apply sum_nonneg. intros j Hj. pose proof (entmax_nonneg k n m s j). destruct (m j) eqn:E.
      + specialize (Hv j (conj Hj E)). apply Rmult_le_pos; lra.
      + unfold entmax. rewrite E. lra.
    - rewrite <- (entmax_total k n m s p V). apply sum_le. intros j Hj. pose proof (entmax_nonneg k n m s j).
      destruct (m j) eqn:E.
      + rewrite <- (Rmult_1_r (entmax k n m s j)) at 2. apply Rmult_le_compat_l; [assumption|].
        now apply (Hv j (conj Hj E)).
      + unfold entmax. rewrite E. lra. }
  destruct k; cbn [attend_as]; auto.
  - now apply (attend_range n m s v p).
  - apply (attend_beside_range 1 n m s v p); [lra|exact V|exact Hv].
Qed.

(* Equal scores: the mean of the visible values, but for softmax plus one. *)
Lemma attend_as_uniform k n m c s v : k <> SoftmaxPlusOne -> (forall j, visible n m j -> s j = c) ->
  attend_as k n m s v = attend n m s v.
Proof.
  intros K E. rewrite attend_as_weights. apply sum_ext. intros j Hj. destruct (m j) eqn:M.
  - f_equal. destruct k; [reflexivity|contradiction| |]; cbn [weights_as];
      exact (entmax_uniform _ n m c s j E (conj Hj M)).
  - rewrite (weights_as_hidden k n m s j M), (weights_as_hidden Softmax n m s j M : softmax n m s j = 0). ring.
Qed.
