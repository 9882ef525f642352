(* PARITY, MAJORITY and the temporal operators are hard for transformers of bounded embeddings and temperatures that
   stay above some t > 0 ([Hahn] Section 6, [SHA] Section 1): none separates their truth from their falsehood by any
   margin, so none computes them. [SHA] Theorems 12 to 21 compute all of them, with temperatures that fall or embeddings
   that grow: this file says that one of both is needed, whatever the masks, the layers, the heads and the weights.
   And how cold it must be: PARITY at length n needs a temperature of at most K/ln(n/K), K a constant of the network
   without its temperatures. [SHA] has 1/n; what lies between is not decided here.

   Idea: one symbol in the middle of a word decides, and it moves what other positions compute by at most C/n. *)
From Coq Require Import Reals List Bool Arith ZArith Lra Lia.
From Certify Require Import positions finite_sums exponential formula network hahn_one_layer hahn_lemma_5_repaired
  hahn_hard_formulas hahn_how_cold.
Import ListNotations PositionNotations.
Open Scope nat_scope.

(* ---- words ---- *)
Definition zeros_word : word := fun _ => 0.
Definition lone_one (p : nat) : word := fun j => if j =? p then 1 else 0.          (* 0...010...0 *)
Local Definition ones_up_to (q : nat) : word := fun j => if j <=? q then 1 else 0.   (* 1...10...0 *)

Lemma letter_lone p j : (lone_one p j =? 1) = (j =? p). Proof. unfold lone_one. now destruct (j =? p). Qed.
Lemma zeros_lone p : differ_at p zeros_word (lone_one p).
Proof. intros j H. unfold zeros_word, lone_one. apply Nat.eqb_neq in H. now rewrite H. Qed.
Lemma binary_lone p j : zeros_word j < 2 /\ lone_one p j < 2. Proof. unfold zeros_word, lone_one.
destruct (j =? p); lia. Qed.

Lemma filter_ext_length (f g : nat -> bool) l : (forall j, f j = g j) -> length (filter f l) = length (filter g l).
Proof. intros H. now rewrite (filter_ext f g H). Qed.
Lemma count_none l : length (filter (fun j => zeros_word j =? 1) l) = 0. Proof. now induction l. Qed.

Lemma count_here p k : forall a, a <= p < a + k -> length (filter (fun j => j =? p) (seq a k)) = 1.
Proof.
  assert (None : forall k a, p < a -> length (filter (fun j => j =? p) (seq a k)) = 0).
  { intros l. induction l as [|l IH]; intros a H; [reflexivity|]. cbn [seq filter].
    rewrite (proj2 (Nat.eqb_neq a p)) by lia. apply IH. lia. }
  induction k as [|k IH]; intros a H; [lia|]. cbn [seq filter]. destruct (Nat.eqb_spec a p) as [->|N].
  - cbn [length]. rewrite None by lia. reflexivity.
  - apply IH. lia.
Qed.

Lemma count_ones q k : forall a, length (filter (fun j => ones_up_to q j =? 1) (seq a k)) = Nat.min k (S q - a).
Proof.
  induction k as [|k IH]; intros a; [reflexivity|]. cbn [seq filter]. unfold ones_up_to at 1.
  destruct (Nat.leb_spec a q); cbn [Nat.eqb length]; rewrite IH; lia.
Qed.

Lemma count_zeros q k : forall a, length (filter (fun j => ones_up_to q j =? 0) (seq a k)) = k - (S q - a).
Proof.
  induction k as [|k IH]; intros a; [reflexivity|]. cbn [seq filter]. unfold ones_up_to at 1.
  destruct (Nat.leb_spec a q); cbn [Nat.eqb length]; rewrite IH; lia.
Qed.

(* ---- formulas ---- *)
Definition parity_formula : formula := OnCount ODD ToLeft (Symbol 1).
Local Definition majority : formula :=
  Compare AtLeast (Plus 1 ToLeft (Symbol 1) (Number 0)) (Plus 1 ToLeft (Symbol 0) (Number 0)).
Definition some_one_before : formula := Since (Truth true) (Symbol 1).
Definition some_one_from_here : formula := Until (Truth true) (Symbol 1).
Definition first_is_one : formula := Since (Truth true) (And (Positional FIRST) (Symbol 1)).
Definition previous_times (k : nat) : formula := Nat.iter k Previous (Symbol 1).

Section Examples.
Variable users : predicate_meanings.

Lemma lone_changes f n (p i : position n) : i <> p :> nat -> truth users n zeros_word f i = false ->
  truth users n (lone_one p) f i = true -> changes_at users 2 f n p i zeros_word (lone_one p).
Proof.
  unfold changes_at. pose proof (zeros_lone p). pose proof (binary_lone p). pose proof (in_word p).
  pose proof (in_word i). tauto.
Qed.

(* A formula that is false on 0...0 and true at i if the only 1 is at p, for p and n beyond N. *)
Lemma lone_decides f (place : nat -> nat -> nat -> nat -> Prop) :
  (forall N, exists n p i, place N n p i /\ p upto n /\ i upto n /\ i <> p /\
    truth users n zeros_word f i = false /\ truth users n (lone_one p) f i = true) -> truth_sensitive users place 2 f.
Proof.
  intros H N. destruct (H N) as (n & p & i & P & Hp & Hi & Ne & F & G). exists n, p, i, zeros_word, (lone_one p).
  split; [exact P|]. exact (lone_changes f n (Position p Hp) (Position i Hi) Ne F G).
Qed.

Lemma parity_of_zeros n i : truth users n zeros_word parity_formula i = false.
Proof. change (Nat.odd (length (filter (fun j => zeros_word j =? 1) (seq 1 i))) = false). now rewrite count_none. Qed.
Lemma parity_of_lone n p i : p upto i -> truth users n (lone_one p) parity_formula i = true.
Proof.
  intros H. change (Nat.odd (length (filter (fun j => lone_one p j =? 1) (seq 1 i))) = true).
  rewrite (filter_ext_length _ (fun j => j =? p)) by apply letter_lone. rewrite count_here by lia. reflexivity.
Qed.

Lemma parity_sensitive : truth_sensitive users inner_place 2 parity_formula.
Proof.
  apply lone_decides. intros N. exists (2 * N + 2), (N + 1), (2 * N + 2). unfold inner_place.
  rewrite parity_of_zeros, parity_of_lone by lia. repeat split; lia.
Qed.

Lemma majority_on n q : truth users n (ones_up_to q) majority n
  = (1 * Z.of_nat (n - q) + 0 <=? 1 * Z.of_nat (Nat.min n q) + 0)%Z.
Proof.
  change (truth users n (ones_up_to q) majority n) with (1 * Z.of_nat (length (filter (fun j =>
    ones_up_to q j =? 0)%nat (seq 1 n))) + 0 <=? 1 * Z.of_nat (length (filter (fun j =>
    ones_up_to q j =? 1)%nat (seq 1 n))) + 0)%Z. rewrite count_zeros, count_ones. now rewrite Nat.sub_succ, Nat.sub_0_r.
Qed.

Lemma majority_sensitive : truth_sensitive users inner_place 2 majority.
Proof.
  intros N. exists (2 * N + 2), (N + 1), (2 * N + 2), (ones_up_to N), (ones_up_to (N + 1)). unfold inner_place.
  split; [lia|]. unfold changes_at. rewrite !majority_on.
  split; [lia|split; [lia|split; [lia|split; [|split; [|split]]]]].
  - intros j H. unfold ones_up_to. destruct (Nat.leb_spec j N), (Nat.leb_spec j (N + 1)); try reflexivity; lia.
  - intros j. unfold ones_up_to. destruct (j <=? N), (j <=? N + 1); lia.
  - apply Z.leb_gt. lia.
  - apply Z.leb_le. lia.
Qed.

Lemma previous_times_at n w k : forall i, 1 <= i -> truth users n w (previous_times k) i = (k <? i) && (w (i - k) =? 1).
Proof.
  induction k as [|k IH]; intros i Hi.
  - rewrite Nat.sub_0_r, (proj2 (Nat.ltb_lt 0 i)) by lia. reflexivity.
  - change (negb (i =? 1) && truth users n w (previous_times k) (i - 1) = (S k <? i) && (w (i - S k) =? 1)).
    destruct (Nat.eqb_spec i 1) as [->|N]; cbn [negb andb].
    + now rewrite (proj2 (Nat.ltb_ge (S k) 1)) by lia.
    + rewrite IH by lia. replace (i - 1 - k) with (i - S k) by lia. f_equal.
      destruct (Nat.ltb_spec k (i - 1)), (Nat.ltb_spec (S k) i); try reflexivity; lia.
Qed.

Lemma previous_times_sensitive k : 1 <= k -> truth_sensitive users inner_place 2 (previous_times k).
Proof.
  intros Hk. apply lone_decides. intros N. exists (2 * N + 1 + k), (N + 1), (N + 1 + k). unfold inner_place.
  rewrite !previous_times_at, (proj2 (Nat.ltb_lt k (N + 1 + k))) by lia.
  replace (N + 1 + k - k) with (N + 1) by lia. rewrite letter_lone, Nat.eqb_refl. repeat split; lia.
Qed.

Lemma next_sensitive : truth_sensitive users inner_place 2 (Next (Symbol 1)).
Proof.
  apply lone_decides. intros N. exists (2 * N + 3), (N + 2), (N + 1). unfold inner_place. repeat split; try lia.
  - cbn. now destruct (negb _).
  - change (negb (N + 1 =? 2 * N + 3) && (lone_one (N + 2) (N + 1 + 1) =? 1) = true).
    rewrite letter_lone, (proj2 (Nat.eqb_neq _ _)) by lia. apply Nat.eqb_eq. lia.
Qed.

(* Without the 1 nothing is found; with it, the 1. *)
Ltac found_where_the_1_is p meaning := unfold inner_place; repeat split; try lia;
  [apply not_true_iff_false; intros H; apply meaning in H; destruct H as (j & _ & H & _); discriminate H
  |apply meaning; exists p; repeat split; try lia; unfold satisfies; cbn; now rewrite letter_lone, Nat.eqb_refl].

Lemma since_sensitive : truth_sensitive users inner_place 2 some_one_before.
Proof.
  apply lone_decides. intros N. exists (2 * N + 2), (N + 1), (2 * N + 2). found_where_the_1_is (N + 1) satisfies_since.
Qed.

Lemma until_sensitive : truth_sensitive users inner_place 2 some_one_from_here.
Proof. apply lone_decides. intros N. exists (2 * N + 3), (N + 2), 1. found_where_the_1_is (N + 2) satisfies_until. Qed.

Lemma first_is_one_sensitive : truth_sensitive users end_place 2 first_is_one.
Proof.
  apply lone_decides. intros N. exists (N + 2), 1, (N + 2). unfold end_place. repeat split; try lia.
  - apply not_true_iff_false. intros H. apply satisfies_since in H. destruct H as (j & _ & H & _).
    apply satisfies_and in H. destruct H as [_ H]. discriminate H.
  - apply satisfies_since. exists 1. repeat split; lia.
Qed.

(* ---- the theorems ---- *)
Variables (T : transformer) (B t : R).
Hypothesis Bounded : bounded_embeddings users T B.
Hypothesis Warm : warm_everywhere T t.
Hypothesis Binary : 2 <= length (token_embedding T).

Theorem inside_is_hard f : truth_sensitive users inner_place 2 f -> forall low high, ~ separates_truth users T f low
  high.
Proof. intros S low high. now apply (sensitive_inside_is_hard users T B t Bounded Warm 2). Qed.

Theorem parity_is_hard : ~ computes users T parity_formula.
Proof. intros C. exact (inside_is_hard parity_formula parity_sensitive _ _ (computes_separates users T _ C)). Qed.
Theorem majority_is_hard : ~ computes users T majority.
Proof. intros C. exact (inside_is_hard majority majority_sensitive _ _ (computes_separates users T _ C)). Qed.
Theorem previous_is_hard k : 1 <= k -> ~ computes users T (previous_times k).
Proof. intros H C. exact (inside_is_hard _ (previous_times_sensitive k H) _ _ (computes_separates users T _ C)). Qed.
Theorem next_is_hard : ~ computes users T (Next (Symbol 1)).
Proof. intros C. exact (inside_is_hard _ next_sensitive _ _ (computes_separates users T _ C)). Qed.
Theorem since_is_hard : ~ computes users T some_one_before.
Proof. intros C. exact (inside_is_hard _ since_sensitive _ _ (computes_separates users T _ C)). Qed.
Theorem until_is_hard : ~ computes users T some_one_from_here.
Proof. intros C. exact (inside_is_hard _ until_sensitive _ _ (computes_separates users T _ C)). Qed.

(* Even the first symbol is lost from sight. *)
Theorem first_is_one_is_hard : ~ computes users T first_is_one.
Proof.
  intros C. apply (sensitive_at_end_is_hard users T B t Bounded Warm 2 first_is_one 0%R 1%R Binary).
  - exact first_is_one_sensitive.
  - now apply computes_separates.
Qed.
End Examples.

(* ---- how cold: at most K/ln(n/K), for a network that computes PARITY at length n ---- *)
Open Scope R_scope.

Theorem parity_needs_cold users T B : 0 <= B -> (2 <= length (token_embedding T))%nat -> exists K, 0 < K /\ forall n t,
  (1 <= n)%nat -> 0 < t <= 1 -> bounded_at users T n B -> warm_at T n t -> computes users T parity_formula ->
  INR n <= K * exp (K / t).
Proof.
  intros HB L. destruct (sensitive_needs_cold users T B 2 parity_formula HB L) as (K & HK & H).
  exists (3 * K + 3). split; [lra|]. intros n t Hn Ht Bd W C.
  assert (E : exp (K / t) <= exp ((3 * K + 3) / t)) by (apply exp_quotient_monotone; lra).
  assert (O : 1 <= exp (K / t)).
  { pose proof (exp_ineq1_le (K / t)). pose proof (quotient_nonneg K t HK ltac:(lra)). lra. }
  assert (G : (3 * K + 3) * exp (K / t) <= (3 * K + 3) * exp ((3 * K + 3) / t)) by (apply Rmult_le_compat_l; lra).
  assert (Z : 0 <= K * exp (K / t)) by (apply Rmult_le_pos; lra). destruct (Nat.eq_dec n 1) as [->|N1]; [simpl; lra|].
  set (N := (n / 2)%nat). assert (HN : (1 <= N /\ 2 * N <= n <= 2 * N + 1)%nat).
  { pose proof (Nat.div_mod n 2 ltac:(lia)). pose proof (Nat.mod_upper_bound n 2 ltac:(lia)). fold N in H0. lia. }
  destruct (computes_separates users T parity_formula C) as [_ S]. specialize (S n Hn).
  assert (M : (1 - 0) * INR N <= K * exp (K / t)).
  { apply (H n N n zeros_word (lone_one N) N t 0 1); auto; [|unfold inner_place; lia|lia].
    apply (lone_changes users parity_formula n (Position N ltac:(lia)) (Position n ltac:(lia))); cbn [place];
      [lia|apply parity_of_zeros|apply parity_of_lone; lia]. }
  assert (F : INR n <= 3 * INR N).
  { replace 3 with (INR 3) by (simpl; lra). rewrite <- mult_INR. apply le_INR. lia. }
  lra.
Qed.

Corollary parity_needs_temperature users T B : 0 <= B -> (2 <= length (token_embedding T))%nat -> exists K, 0 < K /\
  forall n t, (1 <= n)%nat -> 0 < t <= 1 -> bounded_at users T n B -> warm_at T n t ->
  computes users T parity_formula -> t * ln (INR n / K) <= K.
Proof.
  intros HB L. destruct (parity_needs_cold users T B HB L) as (K & HK & H). exists K. split; [exact HK|].
  intros n t Hn Ht Bd W C. specialize (H n t Hn Ht Bd W C). assert (P : 0 < INR n / K) by auto with signs.
  assert (E : ln (INR n / K) <= K / t).
  { apply ln_below; [exact P|]. apply Rmult_le_reg_r with K; [exact HK|].
    replace (INR n / K * K) with (INR n) by (field; lra). lra. }
  replace K with (t * (K / t)) at 2 by (field; lra). apply Rmult_le_compat_l; lra.
Qed.
