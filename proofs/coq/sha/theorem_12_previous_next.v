(* [SHA] Theorem 12: `prev` and `next` by two heads, one that looks at even and one that looks at odd positions.

   Proved, for every n, every position and all truth values of the operand: the head whose keys have the other parity
   than i is within e^(-2 gamma) of the operand at i - 1 (at i + 1), edges excepted; for gamma >= ln 2 (the paper: 3)
   two rounded units, gated by the parity and the end marker, then hold `prev` (`next`) exactly, edges included.
   Idea: with q = e^(-gamma), positions of the right parity weigh q^2, q^4, ...; the others, of lower score, at most
   *further* even powers. All are distinct, so together they weigh at most q^2 + q^4 + ... = q^2/(1-q^2). *)
From Coq Require Import Reals Lra Lia Arith Bool.
From Certify Require Import positions finite_sums softmax exponential lemma_06_near_hardmax lemma_08_tie_breaking relu
  lemma_09_rounding proposition_11_end_markers.
Import PositionNotations. Open Scope R_scope.

(* 1/2 where j has the parity of the keys, else -1/2. *)
Definition half_parity (even_keys : bool) (j : nat) : R := (if even_keys then 1 / 2 else - (1 / 2)) * sign_of_parity j.

Lemma half_parity_range e j : half_parity e j <= 1 / 2.
Proof. unfold half_parity, sign_of_parity. destruct e, (Nat.odd j); lra. Qed.
Lemma half_parity_match e j : Nat.odd j = negb e -> half_parity e j = 1 / 2.
Proof. intros H. unfold half_parity, sign_of_parity. rewrite H. destruct e; simpl; lra. Qed.
Lemma half_parity_other e j : Nat.odd j = e -> half_parity e j = - (1 / 2).
Proof. intros H. unfold half_parity, sign_of_parity. rewrite H. destruct e; lra. Qed.

(* Queries from a position of the parity that the keys do not have. *)
Lemma neighbour_parity i e : (1 <= i)%nat -> Nat.odd i = e ->
  half_parity e (i - 1) = 1 / 2 /\ half_parity e (i + 1) = 1 / 2.
Proof.
  intros Hi Par. split; apply half_parity_match; rewrite <- Par.
  - replace i with (S (i - 1)) at 2 by lia. now rewrite Nat.odd_succ, Nat.negb_even.
  - now rewrite Nat.add_1_r, Nat.odd_succ, Nat.negb_odd.
Qed.

Lemma rightmost_neighbour n i e : (2 <= i <= n)%nat -> Nat.odd i = e ->
  is_rightmost n (future_mask i) (half_parity e) (i - 1).
Proof.
  intros Hi Par. destruct (neighbour_parity i e ltac:(lia) Par) as [H1 _].
  split; [split; [lia|apply Nat.leb_le; lia]|]. intros j [Hj Mj]. apply Nat.leb_le in Mj. rewrite H1. split.
  - apply half_parity_range.
  - intros L. replace j with i by lia. rewrite half_parity_other by exact Par. lra.
Qed.

Lemma leftmost_neighbour n i e : (1 <= i < n)%nat -> Nat.odd i = e -> is_leftmost n (past_mask i) (half_parity e) (i +
  1).
Proof.
  intros Hi Par. destruct (neighbour_parity i e ltac:(lia) Par) as [_ H1].
  split; [split; [lia|apply Nat.leb_le; lia]|]. intros j [Hj Mj]. apply Nat.leb_le in Mj. rewrite H1. split.
  - apply half_parity_range.
  - intros L. replace j with i by lia. rewrite half_parity_other by exact Par. lra.
Qed.

(* ---- all rivals together: distinct even powers of q ---- *)
Section EvenPowers.
Variable q : R.
Hypothesis Hq : 0 < q < 1.

Definition even_power (k : nat) : R := if Nat.even k then q ^ k else 0.
Lemma even_power_nonneg k : 0 <= even_power k.
Proof. unfold even_power. destruct (Nat.even k); [apply pow_le|]; lra. Qed.

Lemma even_powers_sum K : sum_to K even_power * (1 - q ^ 2) <= q ^ 2.
Proof.
  cut (sum_to K even_power * (1 - q ^ 2) + q ^ (if Nat.even K then K + 2 else K + 1) = q ^ 2).
  { intros E. assert (0 <= q ^ (if Nat.even K then K + 2 else K + 1)) by (apply pow_le; lra). lra. }
  induction K as [|K IH]; [simpl; ring|]. cbn [sum_to]. unfold even_power at 2.
  rewrite Nat.even_succ, <- Nat.negb_even. destruct (Nat.even K); cbn [negb] in *.
  - rewrite Rplus_0_r. now replace (S K + 1)%nat with (K + 2)%nat by lia.
  - replace (K + 1)%nat with (S K) in IH by lia. rewrite pow_add. lra.
Qed.

Lemma power_decreases a b : (a <= b)%nat -> q ^ b <= q ^ a.
Proof.
  intros H. replace b with (a + (b - a))%nat by lia. rewrite pow_add. rewrite <- (Rmult_1_r (q ^ a)) at 2.
  apply Rmult_le_compat_l; [apply pow_le; lra|]. rewrite <- (pow1 (b - a)). apply pow_incr. lra.
Qed.

(* Seen from p + 1: positions of the parity of p at their distance from p, the others as far as p + 2 from there. *)
Definition rival_distance (p j : nat) : nat := if Nat.even (p + j) then p - j else p + (p + 2) - j.

(* Of the latter, rounded down to even numbers, the nearest is the first even number from p on. *)
Lemma rivals_sum p : (1 <= p)%nat -> sum_to (p + 1) (zeroed_at p (fun j => q ^ rival_distance p j)) <= q ^ 2 / (1 - q ^
  2).
Proof.
  intros Hp. assert (S2 : 0 < 1 - q ^ 2) by nra. apply Rmult_le_reg_r with (1 - q ^ 2); [exact S2|]. unfold Rdiv.
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. set (e := if Nat.even p then p else S p).
  assert (He : (p <= e <= S p)%nat) by (unfold e; destruct (Nat.even p); lia). assert (Ee : Nat.even e = true).
  { unfold e. destruct (Nat.even p) eqn:E; [exact E|]. now rewrite Nat.even_succ, <- Nat.negb_even, E. }
  eapply Rle_trans; [|apply (even_powers_sum (e - 1 + (p + 1)))]. apply Rmult_le_compat_r; [lra|].
  apply Rle_trans with (sum_to (p + 1) (fun j => bit (j <=? p - 1) * even_power (p - j) + even_power (e + p + 1 - j))).
  - apply sum_le. intros j Hj. unfold zeroed_at. destruct (Nat.eqb_spec j p) as [|Ne].
    { pose proof (bit_range (j <=? p - 1)). pose proof (even_power_nonneg (p - j)).
      pose proof (even_power_nonneg (e + p + 1 - j)). nra. }
    unfold rival_distance. destruct (Nat.even (p + j)) eqn:E.
    + assert (j <> p + 1)%nat.
      { intros ->. replace (p + (p + 1))%nat with (1 + 2 * p)%nat in E by lia. rewrite Nat.even_add_mul_2 in E.
        discriminate. }
      rewrite (proj2 (Nat.leb_le j (p - 1))) by lia. cbn [bit]. rewrite Rmult_1_l.
      pose proof (even_power_nonneg (e + p + 1 - j)). unfold even_power at 1.
      replace (p + j)%nat with (p - j + 2 * j)%nat in E by lia. rewrite Nat.even_add_mul_2 in E. rewrite E. lra.
    + pose proof (bit_range (j <=? p - 1)). pose proof (even_power_nonneg (p - j)).
      assert (E' : Nat.even (e + p + 1 - j) = true).
      { rewrite <- (Nat.even_add_mul_2 _ j). replace (e + p + 1 - j + 2 * j)%nat with (S (e + (p + j))) by lia.
        rewrite Nat.even_succ, <- Nat.negb_even, Nat.even_add, Ee, E. reflexivity. }
      unfold even_power at 2. rewrite E'. pose proof (power_decreases (e + p + 1 - j) (p + (p + 2) - j) ltac:(lia)).
      nra.
  - rewrite sum_plus, sum_up_to, (sum_cut (e - 1)) by lia. apply Rplus_le_compat.
    + rewrite (sum_ext (p - 1) _ (fun j => even_power (S (p - 1) - j))) by (intros; f_equal; lia).
      rewrite sum_backwards. pose proof (even_power_nonneg p).
      assert (D : (e - 1 = p - 1 \/ e - 1 = S (p - 1))%nat) by lia. destruct D as [-> | ->]; [lra|]. cbn [sum_to].
      replace (S (p - 1)) with p by lia. lra.
    + rewrite <- (sum_backwards (p + 1)). right. apply sum_ext. intros j Hj. f_equal. lia.
Qed.
End EvenPowers.

Lemma dominated_previous n s g i : 0 < g -> (2 <= i <= n)%nat -> (each j upto i, j <> (i - 1)%nat ->
  s j <= s (i - 1)%nat - INR (rival_distance (i - 1) j) * g) -> sum_to n (zeroed_at (i - 1) (weight (future_mask i) s))
  <= exp (- (2 * g)) / (1 - exp (- (2 * g))) * weight (future_mask i) s (i - 1).
Proof.
  intros Hg Hi H. pose proof (exp_negative_below_1 g Hg) as Hq. set (p := (i - 1)%nat) in *.
  assert (M : future_mask i p = true) by (apply Nat.leb_le; lia). pose proof (weight_pos (future_mask i) s p M) as W.
  replace (exp (- (2 * g))) with (exp (- g) ^ 2) by (rewrite exp_power; do 2 f_equal; simpl; lra).
  set (q := exp (- g)) in *.
  apply Rle_trans with (weight (future_mask i) s p *
    sum_to n (fun j => bit (j <=? i) * zeroed_at p (fun j => q ^ rival_distance p j) j)).
  - rewrite <- sum_scale. apply sum_le. intros j Hj. unfold zeroed_at.
    destruct (Nat.eqb_spec j p) as [->|Ne]; [rewrite Rmult_0_r; lra|]. destruct (Nat.leb_spec j i) as [L|L].
    + cbn [bit]. rewrite Rmult_1_l. apply weight_below; [exact M|]. intros _. apply H; lia || exact Ne.
    + unfold weight, future_mask. rewrite (proj2 (Nat.leb_gt j i) L). simpl. lra.
  - rewrite sum_up_to by lia. rewrite Rmult_comm. apply Rmult_le_compat_r; [lra|].
    replace i with (p + 1)%nat by lia. apply rivals_sum; [exact Hq|lia].
Qed.

(* Its mirror image. *)
Lemma dominated_next n s g i : 0 < g -> (1 <= i < n)%nat -> (forall j, (i <= j <= n)%nat -> j <> (i + 1)%nat ->
  s j <= s (i + 1)%nat - INR (rival_distance (n - i) (S n - j)) * g) -> sum_to n (zeroed_at (i + 1)
  (weight (past_mask i) s)) <= exp (- (2 * g)) / (1 - exp (- (2 * g))) * weight (past_mask i) s (i + 1).
Proof.
  intros Hg Hi H. assert (W : each j upto n, weight (past_mask i) s (S n - j)
                                       = weight (future_mask (S n - i)) (fun j => s (S n - j)%nat) j).
  { intros j Hj. unfold weight, past_mask, future_mask.
    destruct (Nat.leb_spec i (S n - j)), (Nat.leb_spec j (S n - i)); try lia; reflexivity. }
  pose proof (dominated_previous n (fun j => s (S n - j)%nat) g (S n - i) Hg ltac:(lia)) as D. cbv beta in D.
  replace (S n - i - 1)%nat with (n - i)%nat in D by lia. rewrite <- (W (n - i)%nat) in D by lia.
  replace (S n - (n - i))%nat with (i + 1)%nat in D by lia. rewrite <- sum_backwards. erewrite sum_ext; [apply D|].
  - intros j Hj Ne. replace j with (S n - (S n - j))%nat at 2 by lia. apply H; lia.
  - intros j Hj. unfold zeroed_at. destruct (Nat.eqb_spec (S n - j) (i + 1)), (Nat.eqb_spec j (n - i)); try lia;
      [reflexivity|now apply W].
Qed.

(* A position other than i of the parity of i - 1 is not i. *)
Lemma even_neighbour i j : (1 <= i)%nat -> Nat.even (i - 1 + j) = true -> j <> i.
Proof.
  intros Hi E ->. replace (i - 1 + i)%nat with (1 + 2 * (i - 1))%nat in E by lia.
  rewrite Nat.even_add_mul_2 in E. discriminate.
Qed.

Lemma half_parity_as e p j : half_parity e p = 1 / 2 -> half_parity e j = if Nat.even (p + j) then 1 / 2 else - (1 / 2).
Proof.
  unfold half_parity, sign_of_parity. rewrite Nat.even_add, <- !Nat.negb_odd.
  destruct e, (Nat.odd p), (Nat.odd j); simpl; lra.
Qed.

Section Heads.
Variables (p : nat -> bool) (n i : nat) (g : R) (e : bool).
Hypothesis Hg : 0 < g.
Hypothesis Parity : Nat.odd i = e.

Theorem previous_head : (2 <= i <= n)%nat -> Rabs (bit (p (i - 1)%nat)
  - attend n (future_mask i) (score_8b (half_parity e) g n) (fun j => bit (p j))) <= exp (- (2 * g)).
Proof.
  intros Hi. destruct (rightmost_neighbour n i e Hi Parity) as [V _].
  apply (attend_8 n (future_mask i) _ (2 * g) _ ltac:(lra) V) with (v := fun j => bit (p j)); [|intros;
    apply bit_range]. apply dominated_previous; [exact Hg|exact Hi|]. intros j Hj Ne. unfold score_8b.
  destruct (neighbour_parity i e ltac:(lia) Parity) as [K _]. rewrite (half_parity_as e (i - 1) j K), K.
  assert (Ln : INR i <= INR n) by (apply le_INR; lia). assert (Li : 2 <= INR i) by (apply (le_INR 2); lia).
  assert (Lj : INR j <= INR i) by (apply le_INR; lia).
  match goal with |- ?a <= ?b - ?d * g => cut (d * g <= b - a); [lra|] end. unfold rival_distance.
  destruct (Nat.even (i - 1 + j)) eqn:E.
  - pose proof (even_neighbour i j ltac:(lia) E). rewrite !minus_INR by lia. simpl (INR 1). right. field. lra.
  - rewrite minus_INR, !plus_INR, minus_INR by lia. simpl (INR 1). simpl (INR 2).
    match goal with |- _ <= ?b => replace b with ((2 * INR n + (INR i - 1 - INR j)) * g) by (field; lra) end.
    apply Rmult_le_compat_r; lra.
Qed.

Theorem next_head : (1 <= i < n)%nat -> Rabs (bit (p (i + 1)%nat)
  - attend n (past_mask i) (score_8c (half_parity e) g n) (fun j => bit (p j))) <= exp (- (2 * g)).
Proof.
  intros Hi. destruct (leftmost_neighbour n i e Hi Parity) as [V _].
  apply (attend_8 n (past_mask i) _ (2 * g) _ ltac:(lra) V) with (v := fun j => bit (p j)); [|intros; apply bit_range].
  apply dominated_next; [exact Hg|exact Hi|]. intros j Hj Ne. unfold score_8c.
  destruct (neighbour_parity i e ltac:(lia) Parity) as [_ K].
  rewrite (half_parity_as e (i + 1) j K), K. assert (Ln : INR i <= INR n) by (apply le_INR; lia).
  assert (Li : 1 <= INR i) by (apply (le_INR 1); lia). assert (Lj : INR i <= INR j) by (apply le_INR; lia).
  match goal with |- ?a <= ?b - ?d * g => cut (d * g <= b - a); [lra|] end.
  assert (Same : Nat.even (n - i + (S n - j)) = Nat.even (i + 1 + j)).
  { rewrite <- (Nat.even_add_mul_2 (n - i + (S n - j)) (i + j)), <- (Nat.even_add_mul_2 (i + 1 + j) n). f_equal. lia. }
  unfold rival_distance. rewrite Same. destruct (Nat.even (i + 1 + j)) eqn:E.
  - assert (j <> i).
    { intros ->. replace (i + 1 + i)%nat with (1 + 2 * i)%nat in E by lia.
      rewrite Nat.even_add_mul_2 in E. discriminate. }
    replace (n - i - (S n - j))%nat with (j - (i + 1))%nat by lia. rewrite minus_INR, plus_INR by lia.
    simpl (INR 1). right. field. lra.
  - replace (n - i + (n - i + 2) - (S n - j))%nat with (n + 1 + j - 2 * i)%nat by lia.
    rewrite minus_INR, mult_INR, !plus_INR by lia. simpl (INR 1). simpl (INR 2).
    match goal with |- _ <= ?b => replace b with ((2 * INR n + (INR j - (INR i + 1))) * g) by (field; lra) end.
    apply Rmult_le_compat_r; lra.
Qed.
End Heads.

(* The feed-forward layer: x and y are the heads with even and odd keys, read at odd and at even positions; `edge` is
   the end marker. Gates only subtract truths. *)
Definition gated_rounding (x y : R) (i : nat) (edge : R) : R :=
  rounded_truth (x + (- bit (Nat.even i) - edge)) + rounded_truth (y + (- bit (Nat.odd i) - edge)).

Lemma gated_exact x y i (edge b : bool) : 0 <= x <= 1 -> 0 <= y <= 1 -> (edge = false ->
  near_truth b (if Nat.odd i then x else y)) -> gated_rounding x y i (bit edge) = bit (negb edge && b).
Proof.
  intros Hx Hy H. unfold gated_rounding. rewrite <- Nat.negb_odd. destruct edge; simpl.
  - rewrite !lemma_09_shut; destruct (Nat.odd i); simpl; lra.
  - specialize (H eq_refl). destruct (Nat.odd i); simpl.
    + rewrite (lemma_09_open x), (lemma_09_shut y), (near_rounded b x H) by lra. lra.
    + rewrite (lemma_09_open y), (lemma_09_shut x), (near_rounded b y H) by lra. lra.
Qed.

(* For one position's operand, found by the head with keys of the position's own parity. *)
Lemma gated_by_parity n i m (p : nat -> bool) (score : bool -> nat -> R) eps (edge b : bool) :
  let head e := attend n m (score e) (fun j => bit (p j)) in
  visible n m i -> eps <= 1 / 4 -> (edge = false -> forall e, Nat.odd i = e -> Rabs (bit b - head e) <= eps) ->
  gated_rounding (head true) (head false) i (bit edge) = bit (negb edge && b).
Proof.
  intros head V Small E. assert (R : forall e, 0 <= head e <= 1).
  { intros e. eapply attend_range; [exact V|intros; apply bit_range]. }
  apply gated_exact; try apply R. intros Ne.
  destruct (Nat.odd i); (apply (near_from_error _ eps); [now apply E|exact Small|apply R]).
Qed.

(* ---- the statements: (a) temperature 1/n, (b) queries 2 gamma n; the paper has gamma = 3 ---- *)
Section Statements.
Variables (p : nat -> bool) (n : nat) (i : position n) (g : R).
Hypothesis Enough : ln 2 <= g.

Let n_pos : 0 < INR n.
Proof. apply lt_0_INR. lia. Qed.

Definition previous_score (e : bool) (j : nat) : R := 2 * g * (half_parity e j + INR j / (2 * INR n)).
Definition next_score (e : bool) (j : nat) : R := 2 * g * (half_parity e j - INR j / (2 * INR n)).

Theorem theorem_12a_previous :
  let head e := attend n (future_mask i) (fun j => previous_score e j / (1 / INR n)) (fun j => bit (p j)) in
  gated_rounding (head true) (head false) i (bit (i =? 1)) = bit (negb (i =? 1) && p (i - 1)%nat).
Proof.
  apply (gated_by_parity n i (future_mask i) p (fun e j => previous_score e j / (1 / INR n)) (exp (- (2 * g))));
    [apply visible_future; lia|now apply quarter_doubled|].
  intros Ne%Nat.eqb_neq e Par. erewrite (attend_ext _ _ (fun j => previous_score _ _ / _));
    [apply (previous_head p n i g e); exact (above_ln_2 g Enough) || lia || exact Par| |reflexivity].
  intros j _. unfold previous_score, score_8b. field. lra.
Qed.

Theorem theorem_12a_next :
  let head e := attend n (past_mask i) (fun j => next_score e j / (1 / INR n)) (fun j => bit (p j)) in
  gated_rounding (head true) (head false) i (bit (i =? n)) = bit (negb (i =? n) && p (i + 1)%nat).
Proof.
  apply (gated_by_parity n i (past_mask i) p (fun e j => next_score e j / (1 / INR n)) (exp (- (2 * g))));
    [apply visible_past; lia|now apply quarter_doubled|]. intros Ne%Nat.eqb_neq e Par.
  erewrite (attend_ext _ _ (fun j => next_score _ _ / _)); [apply (next_head p n i g e);
    exact (above_ln_2 g Enough) || lia || exact Par| |reflexivity]. intros j _. unfold next_score, score_8c. field. lra.
Qed.

Theorem theorem_12b_previous :
  let head e := attend n (future_mask i) (fun j => INR n * previous_score e j / 1) (fun j => bit (p j)) in
  gated_rounding (head true) (head false) i (bit (i =? 1)) = bit (negb (i =? 1) && p (i - 1)%nat).
Proof.
  cbv zeta. rewrite <- theorem_12a_previous. cbv zeta. f_equal; (apply attend_ext; [intros; field; lra|reflexivity]).
Qed.

Theorem theorem_12b_next :
  let head e := attend n (past_mask i) (fun j => INR n * next_score e j / 1) (fun j => bit (p j)) in
  gated_rounding (head true) (head false) i (bit (i =? n)) = bit (negb (i =? n) && p (i + 1)%nat).
Proof.
  cbv zeta. rewrite <- theorem_12a_next. cbv zeta. f_equal; (apply attend_ext; [intros; field; lra|reflexivity]).
Qed.
End Statements.
