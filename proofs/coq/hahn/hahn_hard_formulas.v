(* What follows from [Hahn] Lemma 5: no transformer with bounded embeddings and temperatures bounded from below computes
   a formula whose truth hangs on one symbol of long words.

   [SHA] computes all of these formulas, with temperatures that fall with n, or with embeddings that grow with n: one of
   both is needed. Not computing is meant in the strongest sense: there are no two numbers low < high such that the
   output is at most low where the formula is false and at least high where it is true.

   sensitive_inside_is_hard      whatever the masks, if the symbol is far from both ends, wherever the formula is read
   sensitive_at_end_is_hard      whatever the masks, whichever symbol, if the formula is read at n
   sensitive_late_is_hard        with future masks only, whichever symbol, if the formula is read at late positions
   sensitive_anywhere_is_hard    without masks, whichever symbol, wherever the formula is read

   PARITY, MAJORITY, `prev`, `next`, `since` and `until` are of the first kind, that the first symbol is 1 of the
   second: all of them are hard whatever the masks (parity_is_hard.v). *)
From Coq Require Import Reals List Bool Lra Lia Arith ZArith.
From Certify Require Import positions finite_sums softmax exponential formula network hahn_one_layer
  hahn_lemma_5_repaired hahn_lemma_5_masked.
Import ListNotations PositionNotations.
Open Scope R_scope.

Section Hard.
Variable users : predicate_meanings.

(* The output tells truth from falsehood, by some margin that does not depend on n. *)
Definition separates_at (n : nat) (T : transformer) (f : formula) (low high : R) :=
  forall w, word_in_alphabet T n w -> each i upto n, if truth users n w f i then high <= run_transformer users T n w i
    (transformer_output T)
  else run_transformer users T n w i (transformer_output T) <= low.
Definition separates_truth (T : transformer) (f : formula) (low high : R) :=
  low < high /\ forall n, (1 <= n)%nat -> separates_at n T f low high.

Lemma computes_separates T f : computes users T f -> separates_truth T f 0 1.
Proof.
  intros C. split; [lra|]. intros n Hn w O. apply each_position. intros i. rewrite (C n w Hn O i).
  destruct (truth users n w f i); simpl; lra.
Qed.

(* The exchange of u for v at p changes the truth at i <> p; and for every N there is a place with such an exchange. *)
Definition changes_at (letters : nat) (f : formula) (n p i : nat) (u v : word) :=
  p upto n /\ i upto n /\ i <> p /\ differ_at p u v /\
  (forall j, u j < letters /\ v j < letters)%nat /\ truth users n u f i = false /\ truth users n v f i = true.
Definition truth_sensitive (place : nat -> nat -> nat -> nat -> Prop) (letters : nat) (f : formula) :=
  forall N, exists n p i u v, place N n p i /\ changes_at letters f n p i u v.

Definition inner_place (N n p i : nat) := (N <= p)%nat /\ (N <= n + 1 - p)%nat.
Local Definition anywhere (N n p i : nat) := (N <= n)%nat.
Local Definition late (N n p i : nat) := (N <= i)%nat.
Definition end_place (N n p i : nat) := (N <= n)%nat /\ i = n.

(* ---- the criterion, once for all masks ---- *)
Lemma separated_words T f low high letters n p i u v : separates_at n T f low high ->
  (letters <= length (token_embedding T))%nat -> changes_at letters f n p i u v -> high - low
  <= Rabs (run_transformer users T n u i (transformer_output T) - run_transformer users T n v i (transformer_output T)).
Proof.
  intros S L (Hp & Hi & _ & _ & A & F & G). assert (Ou : word_in_alphabet T n u) by (intros j _; specialize (A j); lia).
  assert (Ov : word_in_alphabet T n v) by (intros j _; specialize (A j); lia).
  pose proof (S u Ou i Hi) as Su. pose proof (S v Ov i Hi) as Sv. rewrite F in Su. rewrite G in Sv.
  rewrite Rabs_minus_sym. eapply Rle_trans; [|apply Rle_abs]. lra.
Qed.

(* Changes that become smaller than any margin. *)
Local Definition fades (T : transformer) (place : nat -> nat -> nat -> nat -> Prop) := forall e, 0 < e -> exists N,
  forall n (p i : position n) u v, place N n p i -> i <> p :> nat -> differ_at p u v -> Rabs (run_transformer users T n
  u i (transformer_output T) - run_transformer users T n v i (transformer_output T)) < e.

Lemma fading_is_hard T place letters f low high : fades T place -> (letters <= length (token_embedding T))%nat ->
  truth_sensitive place letters f -> ~ separates_truth T f low high.
Proof.
  intros Fd L Sf S. destruct (Fd (high - low)) as (N & B); [destruct S; lra|].
  destruct (Sf N) as (n & p & i & u & v & P & H).
  pose proof (separated_words T f low high letters n p i u v (proj2 S n ltac:(destruct H; lia)) L H).
  destruct H as (Hp & Hi & Ne & D & _). specialize (B n (Position p Hp) (Position i Hi) u v P Ne D). cbn in B. lra.
Qed.

(* ---- C / N, and C (1 + ln N)^k / N, become small ---- *)
Lemma INR_exceeds x : exists N, (1 <= N)%nat /\ x < INR N.
Proof.
  exists (S (Z.to_nat (up (Rabs x)))). split; [lia|]. rewrite S_INR, INR_IZR_INZ. destruct (archimed (Rabs x)).
  pose proof (Rabs_pos x). rewrite Z2Nat.id; [pose proof (Rle_abs x); lra|]. apply le_IZR. lra.
Qed.

Lemma quotient_small C e N : 0 < e -> 0 < INR N -> C / e < INR N -> C / INR N < e.
Proof.
  intros He HN H. apply Rmult_lt_reg_r with (INR N); [exact HN|].
  replace (C / INR N * INR N) with (C / e * e) by (field; lra). rewrite Rmult_comm. now apply Rmult_lt_compat_l.
Qed.

Lemma power_below_exp x k : 0 <= x -> x ^ S k <= INR (S k) ^ S k * exp x.
Proof.
  intros Hx. assert (P : 0 < INR (S k)) by (apply lt_0_INR; lia). pose proof (exp_lower x (S k) Hx ltac:(lia)) as E.
  replace x with (INR (S k) * (x / INR (S k))) at 1 by (field; lra). rewrite Rpow_mult_distr.
  assert (Q : 0 <= x / INR (S k)) by auto with signs.
  apply Rmult_le_compat_l; [apply pow_le; lra|]. eapply Rle_trans; [|exact E]. apply pow_incr. lra.
Qed.

Lemma logarithms_small C k e : 0 <= C -> 0 < e ->
  exists N, (1 <= N)%nat /\ forall m, (N <= m)%nat -> C * ((1 + ln (INR m)) ^ k * / INR m) < e.
Proof.
  intros HC He. set (K := INR (S k) ^ S k). set (y := C * (K * 3) / e).
  assert (PK : 0 < K) by (apply pow_lt, lt_0_INR; lia). destruct (INR_exceeds (exp y)) as (N & HN & L). exists N.
  split; [exact HN|]. intros m Hm. apply le_INR in Hm. pose proof (exp_pos y) as Py. set (x := 1 + ln (INR m)).
  assert (Px : y < x).
  { unfold x. rewrite <- (ln_exp y). pose proof (ln_increasing (exp y) (INR m) Py ltac:(lra)). lra. }
  assert (Y : 0 <= y) by (apply Rmult_le_pos; [nra|left; now apply Rinv_0_lt_compat]).
  pose proof (power_below_exp x k ltac:(lra)) as E. fold K in E. assert (Ex : exp x <= 3 * INR m).
  { unfold x. rewrite exp_plus, exp_ln by lra. pose proof exp_le_3. apply Rmult_le_compat_r; lra. }
  assert (F : C * (x ^ k * x) < e * x * INR m).
  { apply Rle_lt_trans with (C * (K * (3 * INR m))).
    - apply Rmult_le_compat_l; [exact HC|]. rewrite Rmult_comm. change (x * x ^ k) with (x ^ S k).
      eapply Rle_trans; [exact E|]. apply Rmult_le_compat_l; lra.
    - replace (C * (K * (3 * INR m))) with (e * y * INR m) by (unfold y; field; lra). apply Rmult_lt_compat_r; [lra|].
      now apply Rmult_lt_compat_l. }
  apply Rmult_lt_reg_r with (x * INR m); [apply Rmult_lt_0_compat; lra|].
  replace (C * (x ^ k * / INR m) * (x * INR m)) with (C * (x ^ k * x)) by (field; lra). lra.
Qed.

(* ---- which networks fade where ---- *)
Section Fading.
Variables (T : transformer) (B t : R).
Hypothesis Bounded : bounded_embeddings users T B.
Hypothesis Warm : warm_everywhere T t.

Lemma fades_inside : fades T inner_place.
Proof.
  intros e He. destruct (INR_exceeds (lemma_5_constant T B t / e)) as (N & HN & L). exists N.
  intros n p i u v [P1 P2] Ne D.
  eapply Rle_lt_trans; [apply (hahn_lemma_5_any_masks users T B t Bounded Warm n p u v D N); auto|].
  apply quotient_small; auto. apply lt_0_INR. lia.
Qed.

Lemma fades_anywhere : every_head T (fun a => head_masking a = Unmasked) -> fades T anywhere.
Proof.
  intros U e He. destruct (INR_exceeds (lemma_5_constant T B t / e)) as (N & HN & L). exists N. intros n p i u v P Ne D.
  unfold anywhere in P. eapply Rle_lt_trans; [apply (hahn_lemma_5 users T B t Bounded Warm n p u v D U); auto|].
  apply quotient_small; auto; [apply lt_0_INR; lia|]. apply le_INR in P. lra.
Qed.

Lemma shape_small L e : 0 < e -> exists N, (1 <= N)%nat /\ forall m, (N <= m)%nat ->
  lemma_5_constant T B t * decay_shape (fun _ => m) L m < e.
Proof.
  intros He. destruct L as [|k]; [exists 1%nat; split; [lia|]; intros; simpl; lra|].
  apply logarithms_small; [|exact He].
  exact (lemma_5_constant_nonneg T B t (proj1 (Bounded 0%nat)) (proj1 (Warm 0%nat))).
Qed.

Lemma fades_late : every_head T (fun a => head_masking a = FutureMasked) -> fades T late.
Proof.
  intros U e He. destruct (shape_small (length (transformer_layers T)) e He) as (N & HN & S). exists N.
  intros n p i u v P Ne D.
  eapply Rle_lt_trans; [apply (hahn_lemma_5_future_masked users T B t Bounded Warm n p u v D U); auto|]. exact (S i P).
Qed.

Lemma fades_at_end : fades T end_place.
Proof.
  intros e He. destruct (shape_small (length (transformer_layers T)) e He) as (N & HN & S). exists N.
  intros n p i u v [P E] Ne D. rewrite E. eapply Rle_lt_trans; [|exact (S n P)].
  apply (hahn_lemma_5_last_position n p users T B t (Bounded n) (Warm n) u v D). lia.
Qed.

(* ---- the theorems ---- *)
Variables (letters : nat) (f : formula) (low high : R).
Hypothesis Alphabet : (letters <= length (token_embedding T))%nat.

Theorem sensitive_inside_is_hard : truth_sensitive inner_place letters f -> ~ separates_truth T f low high.
Proof. apply fading_is_hard; [apply fades_inside|exact Alphabet]. Qed.

Theorem sensitive_anywhere_is_hard : every_head T (fun a => head_masking a = Unmasked) ->
  truth_sensitive anywhere letters f -> ~ separates_truth T f low high.
Proof. intros U. apply fading_is_hard; [now apply fades_anywhere|exact Alphabet]. Qed.

Theorem sensitive_late_is_hard : every_head T (fun a => head_masking a = FutureMasked) ->
  truth_sensitive late letters f -> ~ separates_truth T f low high.
Proof. intros U. apply fading_is_hard; [now apply fades_late|exact Alphabet]. Qed.

Theorem sensitive_at_end_is_hard : truth_sensitive end_place letters f -> ~ separates_truth T f low high.
Proof. apply fading_is_hard; [apply fades_at_end|exact Alphabet]. Qed.
End Fading.
End Hard.
