(* Masked softmax, attention, and the hard attention that it approximates ([SHA] Definitions 1, 2, 5).

   Proved: softmax weights are a distribution over the visible positions; if all but one of them weigh at most beta
   times that one, then attention to values in [0, 1] errs by at most beta / (1 + beta). *)
From Coq Require Import Reals Lra Lia Arith Bool List.
From Certify Require Import positions finite_sums.
Import PositionNotations. Open Scope R_scope.

Definition mask := nat -> bool.
Definition no_mask : mask := fun _ => true.
Definition future_mask (i : nat) : mask := fun j => (j <=? i)%nat.   (* positions j <= i are visible *)
Definition past_mask (i : nat) : mask := fun j => (i <=? j)%nat.     (* positions j >= i are visible *)

Definition visible (n : nat) (m : mask) (j : nat) := j upto n /\ m j = true.

(* exp of a score; exp (-infinity) = 0 where the mask hides the position. *)
Definition weight (m : mask) (s : nat -> R) (j : nat) : R := if m j then exp (s j) else 0.
Definition softmax (n : nat) (m : mask) (s : nat -> R) (j : nat) : R := weight m s j / sum_to n (weight m s).

(* The weighted mean of the values; the scores s are already divided by the temperature. *)
Definition attend (n : nat) (m : mask) (s v : nat -> R) : R := sum_to n (fun j => softmax n m s j * v j).

(* The same with a weight z beside all positions, whose value is 0: z = 1 in softmax plus one. *)
Definition attend_beside (z : R) (n : nat) (m : mask) (s v : nat -> R) : R :=
  sum_to n (fun j => weight m s j / (z + sum_to n (weight m s)) * v j).

Lemma visible_future n i : i upto n -> visible n (future_mask i) i.
Proof. intros H. split; [exact H|apply Nat.leb_refl]. Qed.
Lemma visible_past n i : i upto n -> visible n (past_mask i) i. Proof. intros H. split; [exact H|apply Nat.leb_refl].
Qed.

Lemma weight_nonneg m s j : 0 <= weight m s j. Proof. unfold weight. destruct (m j); [left; apply exp_pos|lra]. Qed.
Lemma weight_pos m s j : m j = true -> 0 < weight m s j. Proof. intros H. unfold weight. rewrite H. apply exp_pos. Qed.
Lemma others_nonneg n m s p : 0 <= sum_to n (zeroed_at p (weight m s)).
Proof. apply sum_nonneg. intros j _. unfold zeroed_at. destruct (j =? p)%nat; [lra|apply weight_nonneg]. Qed.

Lemma total_pos n m s p : visible n m p -> 0 < sum_to n (weight m s).
Proof.
  intros [Hp Hm]. rewrite (sum_apart n p) by exact Hp.
  pose proof (others_nonneg n m s p). pose proof (weight_pos m s p Hm). lra.
Qed.

Lemma softmax_nonneg n m s p j : visible n m p -> 0 <= softmax n m s j.
Proof.
  intros V. apply Rmult_le_pos; [apply weight_nonneg|]. left. apply Rinv_0_lt_compat. eapply total_pos; eassumption.
Qed.

Lemma softmax_total n m s p : visible n m p -> sum_to n (softmax n m s) = 1.
Proof. intros V. unfold softmax, Rdiv. rewrite sum_scale_r. apply Rinv_r. pose proof (total_pos n m s p V). lra. Qed.

Lemma attend_ext n m s s' v v' : (forall j, visible n m j -> s j = s' j) -> (forall j, visible n m j -> v j = v' j) ->
  attend n m s v = attend n m s' v'.
Proof.
  intros Hs Hv. assert (W : each j upto n, weight m s j = weight m s' j).
  { intros j Hj. unfold weight. destruct (m j) eqn:E; [|reflexivity]. now rewrite (Hs j (conj Hj E)). }
  apply sum_ext. intros j Hj. unfold softmax. rewrite (W j Hj), (sum_ext n _ _ W).
  destruct (m j) eqn:E; [now rewrite (Hv j (conj Hj E))|]. unfold weight at 1 3. rewrite E. unfold Rdiv. lra.
Qed.

Lemma attend_hidden n m s v j : m j = false -> softmax n m s j * v j = 0.
Proof. intros E. unfold softmax, weight at 1. rewrite E. unfold Rdiv. lra. Qed.

Lemma attend_range n m s v p : visible n m p -> (forall j, visible n m j -> 0 <= v j <= 1) -> 0 <= attend n m s v <= 1.
Proof.
  intros V Hv. split.
  - apply sum_nonneg. intros j Hj. destruct (m j) eqn:E; [|rewrite attend_hidden by exact E; lra].
    apply Rmult_le_pos; [eapply softmax_nonneg; eassumption|apply Hv; now split].
  - rewrite <- (softmax_total n m s p V). apply sum_le. intros j Hj. pose proof (softmax_nonneg n m s p j V) as A.
    destruct (m j) eqn:E; [|rewrite attend_hidden by exact E; exact A]. rewrite <- (Rmult_1_r (softmax n m s j)) at 2.
    apply Rmult_le_compat_l; [exact A|apply Hv; now split].
Qed.

Lemma attend_beside_0 n m s v : attend_beside 0 n m s v = attend n m s v.
Proof. unfold attend_beside. now rewrite Rplus_0_l. Qed.

Lemma attend_beside_range z n m s v p : 0 <= z ->
  visible n m p -> (forall j, visible n m j -> 0 <= v j <= 1) -> 0 <= attend_beside z n m s v <= 1.
Proof.
  intros Hz V Hv. pose proof (total_pos n m s p V) as T. pose proof (attend_range n m s v p V Hv) as A.
  assert (E : attend_beside z n m s v = attend n m s v * (sum_to n (weight m s) / (z + sum_to n (weight m s)))).
  { unfold attend_beside, attend, softmax. rewrite <- sum_scale_r. apply sum_ext. intros j _. field. lra. }
  assert (F : 0 <= sum_to n (weight m s) / (z + sum_to n (weight m s)) <= 1).
  { split; [apply Rmult_le_pos; [lra|apply Rlt_le, Rinv_0_lt_compat; lra]|].
    apply Rmult_le_reg_r with (z + sum_to n (weight m s)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  rewrite E. split; [now apply Rmult_le_pos|]. rewrite <- (Rmult_1_r 1). apply Rmult_le_compat; lra.
Qed.

Lemma attend_plus n m s c u v : attend n m s (fun j => c * u j + v j) = c * attend n m s u + attend n m s v.
Proof. unfold attend. rewrite <- sum_scale, <- sum_plus. apply sum_ext. intros j _. ring. Qed.

(* Equal scores: the mean of the visible values. *)
Lemma attend_uniform n m c v : (0 < sum_to n (fun j => bit (m j))) ->
  attend n m (fun _ => c) v = sum_to n (fun j => bit (m j) * v j) / sum_to n (fun j => bit (m j)).
Proof.
  intros Z. assert (E : forall j, weight m (fun _ => c) j = exp c * bit (m j)).
  { intros j. unfold weight, bit. destruct (m j); lra. }
  unfold attend, softmax. rewrite (sum_ext n (weight m _) _ (fun j _ => E j)), sum_scale. unfold Rdiv at 2.
  rewrite <- sum_scale_r. apply sum_ext. intros j _. rewrite E. pose proof (exp_pos c). field. lra.
Qed.

Lemma attend_uniform_future n (i : position n) c v : attend n (future_mask i) (fun _ => c) v = sum_to i v / INR i.
Proof.
  assert (L : sum_to n (fun j => bit (future_mask i j)) = INR i).
  { rewrite <- sum_one, <- (sum_up_to n i) by lia. apply sum_ext. intros j _. unfold future_mask. lra. }
  pose proof (INR_at_least_1 i ltac:(lia)). rewrite attend_uniform, L by lra.
  unfold future_mask. now rewrite sum_up_to by lia.
Qed.

Lemma attend_uniform_past n (i : position n) c v : attend n (past_mask i) (fun _ => c) v
  = (sum_to n v - sum_to (i - 1) v) / INR (S n - i).
Proof.
  assert (L : sum_to n (fun j => bit (past_mask i j)) = INR (S n - i)).
  { replace (S n - i)%nat with (n - (i - 1))%nat by lia. rewrite minus_INR, <- !sum_one by lia.
    rewrite <- (sum_from n i) by lia. apply sum_ext. intros j _. unfold past_mask. lra. }
  pose proof (INR_at_least_1 (S n - i) ltac:(lia)). rewrite attend_uniform, L by lra.
  unfold past_mask. now rewrite sum_from by lia.
Qed.

(* ---- attention that is concentrated on one position p ---- *)
Section Concentrated.
Variables (n : nat) (m : mask) (s : nat -> R) (p : nat) (beta : R).
Hypothesis Vp : visible n m p.
Hypothesis Hbeta : 0 <= beta.
Hypothesis Dominated : sum_to n (zeroed_at p (weight m s)) <= beta * weight m s p.

Let others := sum_to n (zeroed_at p (weight m s)).
Let total := sum_to n (weight m s).

Lemma missed_mass : 0 <= others / total <= beta / (1 + beta).
Proof.
  assert (T : total = weight m s p + others) by (apply sum_apart, Vp). pose proof (others_nonneg n m s p : 0 <= others).
  pose proof (weight_pos m s p (proj2 Vp)). change (others <= beta * weight m s p) in Dominated. rewrite T. split.
  - auto with signs.
  - apply Rmult_le_reg_r with ((weight m s p + others) * (1 + beta)); [apply Rmult_lt_0_compat; lra|].
    replace (others / (weight m s p + others) * ((weight m s p + others) * (1 + beta)))
      with (others * (1 + beta)) by (field; lra).
    replace (beta / (1 + beta) * ((weight m s p + others) * (1 + beta)))
      with (beta * (weight m s p + others)) by (field; lra). lra.
Qed.

Lemma softmax_missed : 1 - softmax n m s p = others / total.
Proof.
  pose proof (total_pos n m s p Vp : 0 < total) as Z. unfold softmax. fold total.
  apply Rmult_eq_reg_r with total; [|lra]. unfold Rdiv. rewrite Rmult_minus_distr_r, !Rmult_assoc, Rinv_l by lra.
  unfold total, others. rewrite (sum_apart n p) by apply Vp. lra.
Qed.

Lemma softmax_others : sum_to n (zeroed_at p (softmax n m s)) = others / total.
Proof.
  unfold others, Rdiv. rewrite <- sum_scale_r. apply sum_ext. intros j _. unfold zeroed_at.
  destruct (j =? p)%nat; [lra|reflexivity].
Qed.

(* The distance between the weights and the one-hot vector ([SHA] Lemma 6's norm). *)
Theorem distance_concentrated : sum_to n (fun j => Rabs (one_hot p j - softmax n m s j)) <= 2 * (beta / (1 + beta)).
Proof.
  rewrite (sum_apart n p) by apply Vp. pose proof missed_mass as M.
  rewrite one_hot_here, softmax_missed, (Rabs_right (_ / _)) by lra.
  rewrite (sum_ext n _ (zeroed_at p (softmax n m s))).
  - rewrite softmax_others. lra.
  - intros j Hj. unfold zeroed_at. destruct (Nat.eqb_spec j p) as [|N]; [reflexivity|].
    rewrite (one_hot_elsewhere p j N), Rminus_0_l, Rabs_Ropp. apply Rabs_right, Rle_ge.
    exact (softmax_nonneg n m s p j Vp).
Qed.

Theorem attend_concentrated v : (forall j, visible n m j -> 0 <= v j <= 1) ->
  Rabs (v p - attend n m s v) <= beta / (1 + beta).
Proof.
  intros Hv. pose proof missed_mass as M. unfold attend. rewrite (sum_apart n p) by apply Vp.
  assert (A : 0 <= sum_to n (zeroed_at p (fun j => softmax n m s j * v j)) <= others / total).
  { rewrite <- softmax_others.
    split; [apply sum_nonneg|apply sum_le]; intros j Hj; unfold zeroed_at;
      (destruct (j =? p)%nat; [lra|]); pose proof (softmax_nonneg n m s p j Vp) as P;
      (destruct (m j) eqn:E; [|rewrite attend_hidden by exact E; lra]); specialize (Hv j (conj Hj E)).
    - apply Rmult_le_pos; lra.
    - rewrite <- (Rmult_1_r (softmax n m s j)) at 2. apply Rmult_le_compat_l; lra. }
  pose proof softmax_missed as E. specialize (Hv p Vp).
  set (b := sum_to n (zeroed_at p (fun j => softmax n m s j * v j))) in *. set (a := softmax n m s p) in *.
  replace (v p - (a * v p + b)) with (v p * (1 - a) - b) by lra. rewrite E. set (x := others / total) in *.
  assert (0 <= v p * x <= x).
  { split; [apply Rmult_le_pos; lra|]. rewrite <- (Rmult_1_l x) at 2. apply Rmult_le_compat_r; lra. }
  apply Rabs_le. lra.
Qed.
End Concentrated.

(* ---- hard attention (Definition 2): the rightmost or leftmost maximal visible position ---- *)
Definition is_rightmost n m (s : nat -> R) p :=
  visible n m p /\ forall j, visible n m j -> s j <= s p /\ ((p < j)%nat -> s j < s p).
Definition is_leftmost n m (s : nat -> R) p :=
  visible n m p /\ forall j, visible n m j -> s j <= s p /\ ((j < p)%nat -> s j < s p).

(* Definition 5, over the visible positions: scores below the greatest are below it by g. *)
Definition has_gap n m (s : nat -> R) (g : R) := forall p, visible n m p -> (forall j, visible n m j -> s j <= s p) ->
  forall j, visible n m j -> s j = s p \/ s j <= s p - g.

(* Positions seen by the mask up to n, one more at a time. *)
Lemma visible_S n m j : visible (S n) m j -> visible n m j \/ (j = S n /\ m (S n) = true).
Proof. intros [H M]. destruct (Nat.eq_dec j (S n)) as [->|]; [now right|left]. split; [lia|exact M]. Qed.

Lemma rightmost_exists n m s j : visible n m j -> exists p, is_rightmost n m s p.
Proof.
  revert j. induction n as [|n IH]; intros j V; [destruct V; lia|].
  assert (Grow : forall k, visible n m k -> visible (S n) m k) by (intros k []; split; [lia|assumption]).
  destruct (m (S n)) eqn:E.
  - assert (Last : visible (S n) m (S n)) by (split; [lia|exact E]).
    assert (C : (exists p, is_rightmost n m s p /\ s (S n) < s p) \/ (forall k, visible n m k -> s k <= s (S n))).
    { destruct (Nat.eq_dec n 0) as [->|]; [right; intros k []; lia|]. destruct (existsb m (seq 1 n)) eqn:X.
      - apply existsb_exists in X. destruct X as (k & Hk & Mk). apply in_seq in Hk.
        destruct (IH k) as (p & R); [split; [lia|exact Mk]|].
        destruct (Rlt_le_dec (s (S n)) (s p)) as [L|L]; [left; now exists p|right]. intros l Vl.
        destruct (proj2 R l Vl). lra.
      - right. intros k [Hk Mk]. exfalso. assert (T : existsb m (seq 1 n) = true).
        { apply existsb_exists. exists k. split; [apply in_seq; lia|exact Mk]. }
        congruence. }
    destruct C as [(p & [Vp Mp] & L)|C].
    + exists p. split; [now apply Grow|]. intros k Vk. apply visible_S in Vk.
      destruct Vk as [Vk|[-> _]]; [now apply Mp|lra].
    + exists (S n). split; [exact Last|]. intros k Vk. apply visible_S in Vk.
      destruct Vk as [Vk|[-> _]]; [split; [now apply C|intros; destruct Vk; lia]|split; [lra|lia]].
  - destruct (visible_S n m j V) as [Vj|[_ T]]; [|congruence]. destruct (IH j Vj) as (p & Vp & Mp). exists p.
    split; [now apply Grow|]. intros k Vk. apply visible_S in Vk. destruct Vk as [Vk|[_ T]]; [now apply Mp|congruence].
Qed.

Lemma leftmost_exists n m s j : visible n m j -> exists p, is_leftmost n m s p.
Proof.
  intros V. (* the rightmost one, read backwards *)
  destruct (rightmost_exists n (fun k => m (S n - k)%nat) (fun k => s (S n - k)%nat) (S n - j)) as (p & Vp & Mp).
  { destruct V as [H M]. split; [lia|]. now replace (S n - (S n - j))%nat with j by lia. }
  exists (S n - p)%nat. destruct Vp as [Hp Mp']. split; [split; [lia|exact Mp']|].
  intros k [Hk Mk]. destruct (Mp (S n - k)%nat) as [A B].
  { split; [lia|]. now replace (S n - (S n - k))%nat with k by lia. }
  replace (S n - (S n - k))%nat with k in * by lia. split; [exact A|]. intros L. apply B. lia.
Qed.
