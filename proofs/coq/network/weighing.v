(* How a head weighs positions (docs/background/weightings.md): softmax, softmax plus one, sparsemax, 1.5-entmax; ReLU,
   ReLU over n and sigmoid, whose weights depend on their own score alone; geometric and stick-breaking attention,
   which are one. *)
From Coq Require Import Reals Lra Lia Arith Bool List.
From Certify Require Import positions finite_sums exponential softmax relu entmax.
Import PositionNotations. Open Scope R_scope.

Inductive weighing := Softmax | SoftmaxPlusOne | Sparsemax | Entmax | Relu | ReluOverN | Sigmoid
  | Geometric | StickBreaking.

Definition sigmoid (x : R) : R := / (1 + exp (- x)).
Fixpoint product_to (n : nat) (f : nat -> R) : R := match n with O => 1 | S n => product_to n f * f (S n) end.
Local Definition between (i j k : nat) : bool := (Nat.min i j <? k)%nat && (k <? Nat.max i j)%nat.
(* From the row i on every position takes the share sigmoid(s) of what those before it left; i itself takes none. *)
Definition stick_weight (n i : nat) (s : nat -> R) (j : nat) : R :=
  if Nat.eqb j i then 0 else sigmoid (s j) * product_to n (fun k => if between i j k then 1 - sigmoid (s k) else 1).

(* The weight of position j at row i of a word of length n; s are the scores over the temperature. *)
Definition weights_as (k : weighing) (n : nat) (m : mask) (i : nat) (s : nat -> R) (j : nat) : R :=
  let alone x := if m j then x else 0 in
  match k with
  | Softmax => softmax n m s j
  | SoftmaxPlusOne => weight m s j / (1 + sum_to n (weight m s))
  | Sparsemax => entmax 0 n m s j
  | Entmax => entmax 1 n m s j
  | Relu => alone (relu (s j))
  | ReluOverN => alone (relu (s j) / INR n)
  | Sigmoid => alone (sigmoid (s j))
  | Geometric | StickBreaking => alone (stick_weight n i s j)
  end.
(* The weights times the values v, summed. *)
Definition attend_as (k : weighing) (n : nat) (m : mask) (i : nat) (s v : nat -> R) : R :=
  sum_to n (fun j => weights_as k n m i s j * v j).

(* The p of docs/background/weightings.md, less 1, of those that are sparse. *)
Definition sparse_order (k : weighing) : option nat :=
  match k with Sparsemax => Some 0%nat | Entmax => Some 1%nat | _ => None end.
Lemma attend_as_sparsely k order n m i s v : sparse_order k = Some order ->
  attend_as k n m i s v = attend_sparsely order n m s v.
Proof. intros E. destruct k; try discriminate; now injection E as <-. Qed.
(* The weights of a row add up to 1. *)
Definition normalises (k : weighing) : bool := match k with Softmax | Sparsemax | Entmax => true | _ => false end.
Lemma sparse_normalises k order : sparse_order k = Some order -> normalises k = true. Proof. now destruct k. Qed.
(* They add up to at most 1, whatever the mask. *)
Definition has_kernel (k : weighing) : bool :=
  match k with Softmax | SoftmaxPlusOne | Sparsemax | Entmax => true | _ => false end.
Lemma normalises_has_kernel k : normalises k = true -> has_kernel k = true. Proof. now destruct k. Qed.
(* Each takes a share of what is left. *)
Definition breaks_a_stick (k : weighing) : bool := match k with Geometric | StickBreaking => true | _ => false end.

Lemma product_ext n f g : (each j upto n, f j = g j) -> product_to n f = product_to n g.
Proof.
  induction n as [|n IH]; intros E; [reflexivity|]. cbn [product_to]. f_equal; [apply IH; intros; apply E|apply E]; lia.
Qed.
Lemma product_first n f : product_to (S n) f = f 1%nat * product_to n (fun j => f (S j)).
Proof. induction n as [|n IH]; [simpl; ring|]. cbn [product_to] in *. rewrite IH. ring. Qed.
Lemma product_backwards n : forall f, product_to n (fun j => f (S n - j)%nat) = product_to n f.
Proof.
  induction n as [|n IH]; intros f; [reflexivity|]. rewrite product_first. cbn [product_to].
  replace (S (S n) - 1)%nat with (S n) by lia. rewrite Rmult_comm. f_equal. rewrite <- (IH f). now apply product_ext.
Qed.
Lemma product_times n f g : product_to n (fun j => f j * g j) = product_to n f * product_to n g.
Proof. induction n as [|n IH]; [simpl; ring|]. cbn [product_to]. rewrite IH. ring. Qed.
Lemma product_one n f : (each j upto n, f j = 1) -> product_to n f = 1.
Proof.
  induction n as [|n IH]; intros E; [reflexivity|]. cbn [product_to]. rewrite IH, (E (S n)); [ring|lia|].
  intros; apply E; lia.
Qed.
Lemma product_single n p x : p upto n -> product_to n (fun j => if (j =? p)%nat then x else 1) = x.
Proof.
  induction n as [|n IH]; intros Hp; [lia|]. cbn [product_to]. destruct (Nat.eqb_spec (S n) p) as [E|E].
  - rewrite product_one; [ring|]. intros j Hj. now rewrite (proj2 (Nat.eqb_neq j p)) by lia.
  - rewrite IH by lia. ring.
Qed.

Lemma stick_same n i s s' : (each j upto n, s j = s' j) -> each j upto n, stick_weight n i s j = stick_weight n i s' j.
Proof.
  intros E j Hj. unfold stick_weight. rewrite (E j Hj). destruct (j =? i)%nat; [reflexivity|]. f_equal.
  apply product_ext. intros k Hk. now rewrite (E k Hk).
Qed.
Lemma weights_as_same k n m m' i s s' : (each j upto n, m j = m' j /\ s j = s' j) ->
  each j upto n, weights_as k n m i s j = weights_as k n m' i s' j.
Proof.
  intros E j Hj. assert (W : each j upto n, weight m s j = weight m' s' j)
    by (intros l Hl; destruct (E l Hl) as [Em Es]; unfold weight; now rewrite Em, Es).
  destruct (E j Hj) as [Em Es].
  destruct k; cbn [weights_as]; try (now apply entmax_same); try (now rewrite Em, Es);
    try (rewrite Em; destruct (m' j); [apply stick_same; [intros l Hl; apply (E l Hl)|exact Hj]|reflexivity]).
  - unfold softmax. now rewrite (W j Hj), (sum_ext n _ _ W).
  - now rewrite (W j Hj), (sum_ext n _ _ W).
Qed.
Lemma stick_backwards n (i : position n) s j : j upto n ->
  stick_weight n (S n - i) (fun j => s (S n - j)%nat) j = stick_weight n i s (S n - j).
Proof.
  intros Hj. unfold stick_weight.
  destruct (Nat.eqb_spec j (S n - i)) as [|N], (Nat.eqb_spec (S n - j) i) as [|N']; try lia; [reflexivity|]. f_equal.
  rewrite <- (product_backwards n (fun k => if between i (S n - j) k then _ else _)). apply product_ext. intros k Hk.
  replace (between (S n - i) j k) with (between i (S n - j) (S n - k)); [reflexivity|]. unfold between.
  destruct (Nat.ltb_spec (Nat.min i (S n - j)) (S n - k)), (Nat.ltb_spec (S n - k) (Nat.max i (S n - j))),
    (Nat.ltb_spec (Nat.min (S n - i) j) k), (Nat.ltb_spec k (Nat.max (S n - i) j)); reflexivity || (exfalso; lia).
Qed.
Lemma weights_as_backwards k n m (i : position n) s j : j upto n ->
  weights_as k n (fun j => m (S n - j)%nat) (S n - i) (fun j => s (S n - j)%nat) j = weights_as k n m i s (S n - j).
Proof.
  intros Hj. destruct k; cbn [weights_as]; try (now apply entmax_backwards); try reflexivity;
    try now rewrite stick_backwards.
  - unfold softmax. now rewrite <- (sum_backwards n (weight m s)).
  - now rewrite <- (sum_backwards n (weight m s)).
Qed.
Lemma weights_as_hidden k n m i s j : m j = false -> weights_as k n m i s j = 0.
Proof. intros E. destruct k; cbn [weights_as]; unfold softmax, entmax, weight; rewrite E; unfold Rdiv; ring. Qed.

Lemma attend_as_same k n m m' i s s' v v' : (each j upto n, m j = m' j /\ s j = s' j /\ v j = v' j) ->
  attend_as k n m i s v = attend_as k n m' i s' v'.
Proof.
  intros E. apply sum_ext. intros j Hj. destruct (E j Hj) as (_ & _ & ->). f_equal.
  apply weights_as_same; [|exact Hj]. intros l Hl. now destruct (E l Hl) as (Em & Es & _).
Qed.
Lemma attend_as_backwards k n m (i : position n) s v : attend_as k n m i s v
  = attend_as k n (fun j => m (S n - j)%nat) (S n - i) (fun j => s (S n - j)%nat) (fun j => v (S n - j)%nat).
Proof.
  unfold attend_as. rewrite <- (sum_backwards n (fun j => _ * v j)). apply sum_ext. intros j Hj.
  now rewrite weights_as_backwards.
Qed.
Lemma attend_as_zero k n m i s v : (forall j, visible n m j -> v j = 0) -> attend_as k n m i s v = 0.
Proof.
  intros Z. apply sum_zero. intros j Hj. destruct (m j) eqn:E.
  - rewrite (Z j (conj Hj E)). ring.
  - rewrite weights_as_hidden by exact E. ring.
Qed.
Lemma attend_as_range k n m i s v p : has_kernel k = true -> visible n m p ->
  (forall j, visible n m j -> 0 <= v j <= 1) -> 0 <= attend_as k n m i s v <= 1.
Proof.
  intros K V Hv. assert (Sparsely : forall k, 0 <= attend_sparsely k n m s v <= 1).
  { clear k K. intros k. split.
    - apply sum_nonneg. intros j Hj. pose proof (entmax_nonneg k n m s j). destruct (m j) eqn:E.
      + specialize (Hv j (conj Hj E)). apply Rmult_le_pos; lra.
      + unfold entmax. rewrite E. lra.
    - rewrite <- (entmax_total k n m s p V). apply sum_le. intros j Hj. pose proof (entmax_nonneg k n m s j).
      destruct (m j) eqn:E.
      + rewrite <- (Rmult_1_r (entmax k n m s j)) at 2. apply Rmult_le_compat_l; [assumption|].
        now apply (Hv j (conj Hj E)).
      + unfold entmax. rewrite E. lra. }
  destruct k; try discriminate; [| |apply Sparsely|apply Sparsely].
  - now apply (attend_range n m s v p).
  - apply (attend_beside_range 1 n m s v p); [lra|exact V|exact Hv].
Qed.
Lemma attend_as_total k n m i s p : normalises k = true -> visible n m p -> sum_to n (weights_as k n m i s) = 1.
Proof.
  intros K V. destruct k; try discriminate; [exact (softmax_total n m s p V)| |]; exact (entmax_total _ n m s p V).
Qed.

(* Equal scores: the mean of the visible values, where weights add up to 1. *)
Lemma attend_as_uniform k n m i c s v : normalises k = true -> (forall j, visible n m j -> s j = c) ->
  attend_as k n m i s v = attend n m s v.
Proof.
  intros K E. apply sum_ext. intros j Hj. destruct (m j) eqn:M.
  - f_equal. destruct k; try discriminate; [reflexivity| |]; cbn [weights_as];
      exact (entmax_uniform _ n m c s j E (conj Hj M)).
  - rewrite (weights_as_hidden k n m i s j M), (weights_as_hidden Softmax n m i s j M : softmax n m s j = 0). ring.
Qed.

(* ---- attention that breaks a stick: a pass over what is to the left of the row ---- *)
Lemma sigmoid_range x : 0 < sigmoid x < 1.
Proof.
  unfold sigmoid. pose proof (exp_pos (- x)). split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1.
  apply Rinv_lt_contravar; lra.
Qed.
Lemma sigmoid_opp x : sigmoid (- x) = 1 - sigmoid x.
Proof. unfold sigmoid. rewrite Ropp_involutive, exp_Ropp. pose proof (exp_pos x). field. split; lra. Qed.
Lemma sigmoid_grows x y : x <= y -> sigmoid x <= sigmoid y.
Proof.
  intros H. unfold sigmoid. pose proof (exp_pos (- y)). apply Rinv_le_contravar; [lra|].
  pose proof (exp_monotone (- y) (- x) ltac:(lra)). lra.
Qed.

Fixpoint stick_value (s v : nat -> R) (j : nat) : R :=
  match j with O => 0 | S j => (1 - sigmoid (s (S j))) * stick_value s v j + sigmoid (s (S j)) * v (S j) end.
Lemma held_range s v j : (each k upto j, 0 <= v k <= 1) -> 0 <= stick_value s v j <= 1.
Proof.
  induction j as [|j IH]; intros Hv; [simpl; lra|]. cbn [stick_value]. specialize (IH ltac:(intros; apply Hv; lia)).
  specialize (Hv (S j) ltac:(lia)). pose proof (sigmoid_range (s (S j))). set (q := sigmoid (s (S j))) in *.
  assert (0 <= (1 - q) * stick_value s v j <= 1 - q).
  { split; [apply Rmult_le_pos; lra|]. rewrite <- (Rmult_1_r (1 - q)) at 2. apply Rmult_le_compat_l; lra. }
  assert (0 <= q * v (S j) <= q); [|lra].
  split; [apply Rmult_le_pos; lra|]. rewrite <- (Rmult_1_r q) at 2. apply Rmult_le_compat_l; lra.
Qed.
Lemma held_sum n s v i : i upto S n -> sum_to n (fun j => if (j <? i)%nat then stick_weight n i s j * v j else 0)
  = stick_value s v (i - 1).
Proof.
  induction i as [|i IH]; intros Hi; [lia|]. destruct i as [|i].
  { cbn [Nat.sub stick_value]. apply sum_zero. intros j Hj. now rewrite (proj2 (Nat.ltb_ge j 1)) by lia. }
  replace (S (S i) - 1)%nat with (S (S i - 1)) by lia. cbn [stick_value]. rewrite <- IH by lia.
    replace (S (S i - 1)) with (S i) by lia.
  set (q := sigmoid (s (S i))).
  rewrite (sum_ext n _ (fun j => (1 - q) * (if (j <? S i)%nat then stick_weight n (S i) s j * v j else 0)
    + (if (j =? S i)%nat then q * v j else 0))).
  - rewrite sum_plus, sum_scale. f_equal. rewrite (sum_apart n (S i)), Nat.eqb_refl by lia.
    rewrite sum_zero; [ring|]. intros j _. unfold zeroed_at. now destruct (j =? S i)%nat.
  - intros j Hj. destruct (Nat.eqb_spec j (S i)) as [->|N].
    + rewrite (proj2 (Nat.ltb_lt (S i) (S (S i)))), (proj2 (Nat.ltb_ge (S i) (S i))) by lia. unfold stick_weight.
      rewrite (proj2 (Nat.eqb_neq (S i) (S (S i)))), product_one by (intros; try lia; unfold between;
        destruct (Nat.ltb_spec (Nat.min (S (S i)) (S i)) j), (Nat.ltb_spec j (Nat.max (S (S i)) (S i)));
        reflexivity || (exfalso; lia)). fold q. ring.
    + destruct (Nat.ltb_spec j (S i)), (Nat.ltb_spec j (S (S i))); try lia; [|ring]. unfold stick_weight.
      rewrite (proj2 (Nat.eqb_neq j (S i))), (proj2 (Nat.eqb_neq j (S (S i)))) by lia.
      rewrite (product_ext n (fun k => if between (S (S i)) j k then _ else _) (fun k =>
        (if between (S i) j k then 1 - sigmoid (s k) else 1) * (if (k =? S i)%nat then 1 - q else 1))).
      * rewrite product_times, product_single by lia. ring.
      * intros k Hk. unfold between, q. destruct (Nat.eqb_spec k (S i)) as [E|E];
          destruct (Nat.ltb_spec (Nat.min (S (S i)) j) k), (Nat.ltb_spec k (Nat.max (S (S i)) j)),
            (Nat.ltb_spec (Nat.min (S i) j) k), (Nat.ltb_spec k (Nat.max (S i) j)); cbn [andb]; try lia;
            rewrite ?E; ring.
Qed.
Theorem attend_as_held k n (i : position n) s v : breaks_a_stick k = true ->
  attend_as k n (future_mask i) i s v = stick_value s v (i - 1).
Proof.
  intros K. rewrite <- (held_sum n) by lia. apply sum_ext. intros j Hj.
  assert (E : weights_as k n (future_mask i) i s j = if future_mask i j then stick_weight n i s j else 0)
    by now destruct k. rewrite E. unfold future_mask.
  destruct (Nat.leb_spec j i), (Nat.ltb_spec j i); try lia; try reflexivity; [|ring]. unfold stick_weight.
  rewrite (proj2 (Nat.eqb_eq j i)) by lia. ring.
Qed.
