(* [Hahn] Theorem 6, PARITY: no better than chance given the last symbol (docs/background/hahn.md, section 2).

   After an even number of 1s the word ends with probability p, else 0 or 1 follows, both alike; after an odd number 0
   or 1 follows. Prefixes are lists with the last symbol first (cross_entropy.v).

   Proved, for 0 < p < 1, every n >= 2 and every predictor: if exchanging the symbol before the last moves the log-odds
   of the end by at most s, its cross-entropy at n is at least H_1 - p(1-p)/(2-p)^2 s; H_1 is chance given the last
   symbol. So if s(n) tends to 0, no better than H_1 in the limit. As printed, "converges to unigram chance level", the
   theorem is false: H_1 < H_0, unigram chance, and a network without attention comes as near to H_1 as one likes, so
   it is below H_0 by a constant at every n >= 2.
   Idea: of u0b and u1b one is even; with log-odds a and c that are s apart, one tangent of ln(1 + e^x) bounds both. *)
From Coq Require Import Reals QArith Qreals List Lra Lia Arith Bool.
From Certify Require Import finite_sums exponential network cross_entropy.
Import ListNotations.
Open Scope R_scope.

Fixpoint even_ones (w : list bool) : bool := match w with [] => true | b :: u => xorb b (even_ones u) end.

Definition parity_language (p : R) (w : list bool) (x : option bool) : R :=
  match x with None => if even_ones w then p else 0 | Some _ => if even_ones w then (1 - p) / 2 else 1 / 2 end.
Definition bit_letters : list bool := [false; true].

(* The log-odds of the end. *)
Definition odds_of_end (q : list bool -> option bool -> R) (w : list bool) : R :=
  ln (q w None / (q w (Some false) + q w (Some true))).

(* P(even | the last symbol is b). *)
Definition even_given (p : R) (b : bool) : R := if b then 1 / (2 - p) else (1 - p) / (2 - p).

Definition chance_given_last (p : R) : R :=                                              (* H_1 *)
  (binary_entropy (even_given p false * p) + binary_entropy (even_given p true * p)) / 2 + (1 - p / 2) * ln 2.
Definition unigram_chance (p : R) : R := binary_entropy (p / 2) + (1 - p / 2) * ln 2.           (* H_0 *)
Definition parity_optimum (p : R) : R := binary_entropy p / 2 + (1 - p / 2) * ln 2.

Section Parity.
Variable p : R.
Hypothesis Hp : 0 < p < 1.

Let chance := parity_language p.
Notation ce := (cross_entropy bit_letters chance).

(* ---- masses ---- *)
Lemma chance_letter w a b : chance w (Some a) = chance w (Some b). Proof. reflexivity. Qed.
Lemma chance_after u a b : chance (a :: u) (Some b) = if xorb a (even_ones u) then (1 - p) / 2 else 1 / 2.
Proof. reflexivity. Qed.
Lemma chance_positive w b : 0 < chance w (Some b).
Proof. unfold chance, parity_language. destruct (even_ones w); lra. Qed.
Lemma mass_positive w : 0 < word_mass chance w.
Proof. induction w as [|b u IH]; simpl; [lra|]. apply Rmult_lt_0_compat; [exact (chance_positive u b)|exact IH]. Qed.

Local Lemma alive_positive n : 0 < alive_mass bit_letters chance n.
Proof.
  assert (G : forall f : list bool -> R, (forall w, 0 < f w) -> 0 < sum_words bit_letters n f);
    [|apply G, mass_positive]. induction n as [|n IH]; intros f H; simpl; [apply H|].
  pose proof (IH (fun u => f (false :: u)) (fun u => H _)). pose proof (IH (fun u => f (true :: u)) (fun u => H _)).
  lra.
Qed.

(* What the even prefixes of length n weigh, and the odd ones. *)
Definition mass_where (e : bool) (n : nat) : R := sum_words bit_letters n (fun w => word_mass chance w * bit (eqb
  (even_ones w) e)).

Lemma mass_where_S e n : mass_where e (S n) = sum_words bit_letters n (fun u => word_mass chance u * chance u (Some
  true)).
Proof.
  unfold mass_where. rewrite sum_words_S. apply sum_words_ext. intros u _.
  cbn [total_over bit_letters word_mass even_ones]. rewrite (chance_letter u false true).
  destruct (even_ones u), e; simpl; lra.
Qed.

Theorem even_and_odd_weigh_the_same e n : mass_where e (S n) = (1 - p) / 2 * (1 - p / 2) ^ n.
Proof.
  rewrite mass_where_S. induction n as [|n IH]; [simpl; lra|]. rewrite sum_words_S.
  rewrite (sum_words_ext _ _ _ _ (fun u => (1 - p / 2) * (word_mass chance u * chance u (Some true)))).
  - rewrite sum_words_scale, IH. simpl. lra.
  - intros u _. cbn [total_over bit_letters word_mass]. unfold chance, parity_language. simpl.
    destruct (even_ones u); simpl; field.
Qed.

(* What the prefixes of length n that end with b weigh, even ones or all. *)
Definition ends_with (b : bool) (w : list bool) : bool := match w with a :: _ => eqb a b | [] => false end.
Theorem even_given_last n b : sum_words bit_letters (S (S n)) (fun w => word_mass chance w * bit (ends_with b w &&
  even_ones w)) = even_given p b * sum_words bit_letters (S (S n)) (fun w => word_mass chance w * bit (ends_with b w)).
Proof.
  rewrite <- sum_words_scale, !(sum_words_S _ bit_letters (S n)), !(sum_words_S _ bit_letters n). apply sum_words_ext.
  intros u _. cbn [total_over bit_letters word_mass even_ones]. unfold chance, parity_language, even_given. simpl.
  destruct (even_ones u), b; simpl; field; lra.
Qed.

(* ---- what one prefix costs ---- *)
Definition end_cost (e : bool) (a : R) : R := softplus a - (if e then p * a else 0).
Definition letters_cost (e : bool) : R := (if e then 1 - p else 1) * ln 2.

Lemma end_given q w : is_predictor bit_letters q -> let a := odds_of_end q w in
  ln (q w None) = a - softplus a /\ ln (q w (Some false) + q w (Some true)) = - softplus a.
Proof.
  intros Q a. destruct (Q w) as [P T]. pose proof (P None) as PE. pose proof (P (Some false)) as P0.
  pose proof (P (Some true)) as P1. simpl in T. set (E := q w None) in *.
  set (F := q w (Some false) + q w (Some true)) in *. assert (PF : 0 < F) by (unfold F; lra).
  assert (A : a = ln E - ln F) by (unfold a, odds_of_end; fold E F; now apply ln_quotient).
  assert (S : softplus a = - ln F).
  { unfold softplus, a, odds_of_end. fold E F. rewrite exp_ln by now apply Rdiv_lt_0_compat.
    replace (1 + E / F) with (1 / F).
    - rewrite ln_quotient, ln_1; lra.
    - replace 1 with (E + F) at 1 by (unfold F in *; lra). field. lra. }
  lra.
Qed.

Local Lemma cost_at_least q w : is_predictor bit_letters q ->
  end_cost (even_ones w) (odds_of_end q w) + letters_cost (even_ones w) <= word_cost bit_letters chance q w.
Proof.
  intros Q. destruct (end_given q w Q) as [E F]. destruct (Q w) as [P _].
  pose proof (equal_halves _ _ (P (Some false)) (P (Some true))) as H. rewrite F in H.
  unfold word_cost, end_cost, letters_cost, chance, parity_language. cbn [total_over symbols_and_end map bit_letters].
  rewrite E. destruct (even_ones w); [|lra]. apply Rmult_le_compat_l with (r := (1 - p) / 2) in H; lra.
Qed.

(* ---- pairs of prefixes ---- *)
Local Lemma pair_cost l a c s : 0 < l < 1 -> a - c <= s ->
  binary_entropy (l * p) - l * (1 - l) * p * s <= l * end_cost true a + (1 - l) * end_cost false c.
Proof.
  intros Hl H. assert (R1 : 0 < l * p < 1) by nra. unfold end_cost.
  pose proof (softplus_gibbs (l * p) a R1) as Ga. pose proof (softplus_gibbs (l * p) c R1) as Gc.
  apply Rmult_le_compat_l with (r := l) in Ga; [|lra]. apply Rmult_le_compat_l with (r := 1 - l) in Gc; [|lra].
  assert (0 <= l * (1 - l) * p) by (repeat apply Rmult_le_pos; lra).
  assert (l * (1 - l) * p * (a - c) <= l * (1 - l) * p * s) by now apply Rmult_le_compat_l. lra.
Qed.

(* Of two prefixes that differ in the symbol before the last, which stands first, l is the share of the even one. *)
Lemma pair_before_last q s u b : is_predictor bit_letters q ->
  Rabs (odds_of_end q (b :: false :: u) - odds_of_end q (b :: true :: u)) <= s ->
  let m := (2 - p) / 2 * (chance u (Some true) * word_mass chance u) in let l := even_given p b in
  m * (binary_entropy (l * p) + (1 - l * p) * ln 2 - p * (1 - p) / (2 - p) ^ 2 * s)
  <= total_over (fun a => word_mass chance (b :: a :: u) * word_cost bit_letters chance q (b :: a :: u)) bit_letters.
Proof.
  intros Q H m l. set (k := chance u (Some true) * word_mass chance u) in *.
  assert (K : 0 < k) by (apply Rmult_lt_0_compat; [apply (chance_positive u true)|apply mass_positive]).
  pose proof (cost_at_least q (b :: false :: u) Q) as C0. pose proof (cost_at_least q (b :: true :: u) Q) as C1.
  set (x0 := odds_of_end q (b :: false :: u)) in *. set (x1 := odds_of_end q (b :: true :: u)) in *.
  pose proof (Rle_abs (x0 - x1)) as B0. pose proof (Rle_abs (x1 - x0)) as B1. rewrite Rabs_minus_sym in B1.
  assert (Hl : 0 < l < 1).
  { unfold l, even_given. destruct b; (split; [apply Rdiv_lt_0_compat; lra|]);
      apply Rmult_lt_reg_r with (2 - p); try lra; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
  assert (L : l * (1 - l) = (1 - p) / (2 - p) ^ 2) by (unfold l, even_given; destruct b; field; lra).
  assert (Pair : forall a c, a - c <= s -> m * (binary_entropy (l * p) + (1 - l * p) * ln 2 - p * (1 - p) / (2 - p) ^ 2
    * s) <= m * l * (end_cost true a + letters_cost true) + m * (1 - l) * (end_cost false c + letters_cost false)).
  { intros a c D. pose proof (pair_cost l a c s Hl D) as G. rewrite L in G. unfold letters_cost.
    apply Rmult_le_compat_l with (r := m) in G; [|unfold m; apply Rmult_le_pos; lra].
    replace (p * (1 - p) / (2 - p) ^ 2) with ((1 - p) / (2 - p) ^ 2 * p) by (field; lra). lra. }
  assert (W : forall a, word_mass chance (b :: a :: u) = chance (a :: u) (Some b) * k).
  { intros a. reflexivity. }
  cbn [total_over bit_letters]. rewrite !W. simpl even_ones in C0, C1.
  assert (M1 : m * l = (if b then 1 / 2 else (1 - p) / 2) * k) by (unfold m, l, even_given; destruct b; field; lra).
  assert (M0 : m * (1 - l) = (if b then (1 - p) / 2 else 1 / 2) * k) by (unfold m, l, even_given; destruct b; field;
    lra). assert (K0 : 0 < (1 - p) / 2 * k) by (apply Rmult_lt_0_compat; lra). rewrite M1, M0 in Pair.
  rewrite !chance_after. set (c0 := word_cost _ _ _ _) in *. set (c1 := word_cost _ _ _ _) in *.
  destruct b, (even_ones u); simpl xorb in *; cbn iota.
  all: match goal with |- _ <= ?a0 * _ * _ + (?a1 * _ * _ + 0) => apply Rmult_le_compat_l with (r := a0 * k) in C0;
    [|lra]; apply Rmult_le_compat_l with (r := a1 * k) in C1; [|lra] end.
  all: first [specialize (Pair x0 x1 ltac:(lra)); lra | specialize (Pair x1 x0 ltac:(lra)); lra].
Qed.

(* ---- the theorem, repaired ---- *)
(* No exchange of the symbol before the last, of the last symbol, moves the log-odds of the end by more than s. *)
Definition moved_before_last (q : list bool -> option bool -> R) (n : nat) (s : R) : Prop := forall u b,
  length (b :: false :: u) = n -> Rabs (odds_of_end q (b :: false :: u) - odds_of_end q (b :: true :: u)) <= s.
Definition moved_by_last (q : list bool -> option bool -> R) (n : nat) (s : R) : Prop := forall u,
  length (false :: u) = n -> Rabs (odds_of_end q (false :: u) - odds_of_end q (true :: u)) <= s.

Lemma mass_of_four u : total_over (fun a => total_over (fun b => word_mass chance (b :: a :: u)) bit_letters)
  bit_letters = (2 - p) * (chance u (Some true) * word_mass chance u).
Proof.
  cbn [total_over bit_letters word_mass]. rewrite !chance_after, (chance_letter u false true).
  destruct (even_ones u); simpl; lra.
Qed.

Theorem hahn_theorem_6_parity q n s : is_predictor bit_letters q -> (2 <= n)%nat -> moved_before_last q n s ->
  chance_given_last p - p * (1 - p) / (2 - p) ^ 2 * s <= ce n q.
Proof.
  intros Q Hn H. apply mean_at_least; [apply alive_positive|]. destruct n as [|[|n]]; [lia|lia|]. unfold alive_mass.
  rewrite <- sum_words_scale, !(sum_words_S _ bit_letters (S n)), !(sum_words_S _ bit_letters n). apply sum_words_le.
  intros u Hu. pose proof (mass_of_four u) as M. cbn [total_over bit_letters] in *.
  set (k := chance u (Some true) * word_mass chance u) in *.
  pose proof (pair_before_last q s u false Q (H u false ltac:(simpl; now rewrite Hu))) as P0.
  pose proof (pair_before_last q s u true Q (H u true ltac:(simpl; now rewrite Hu))) as P1. cbv zeta in P0, P1.
  cbn [total_over bit_letters] in P0, P1. fold k in P0, P1.
  assert (E : (chance_given_last p - p * (1 - p) / (2 - p) ^ 2 * s) * ((2 - p) * k) =
    (2 - p) / 2 * k * (binary_entropy (even_given p false * p) + (1 - even_given p false * p) * ln 2
      - p * (1 - p) / (2 - p) ^ 2 * s)
    + (2 - p) / 2 * k * (binary_entropy (even_given p true * p) + (1 - even_given p true * p) * ln 2
      - p * (1 - p) / (2 - p) ^ 2 * s)).
  { unfold chance_given_last. set (h0 := binary_entropy _). set (h1 := binary_entropy _). unfold even_given. field. lra.
    }
  rewrite <- M in E. lra.
Qed.

(* Two prefixes that differ in the last symbol weigh the same; one of them is even. *)
Lemma pair_by_last f u (E O : R) : E <= f (xorb (even_ones u) true :: u) -> O <= f (even_ones u :: u) ->
  (E + O) / 2 * total_over (fun b => word_mass chance (b :: u)) bit_letters <= total_over (fun b =>
    word_mass chance (b :: u) * f (b :: u)) bit_letters.
Proof.
  intros HE HO. cbn [total_over bit_letters word_mass]. rewrite (chance_letter u false true).
  assert (K : 0 < chance u (Some true) * word_mass chance u).
  { apply Rmult_lt_0_compat; [apply chance_positive|apply mass_positive]. }
  set (k := chance u (Some true) * word_mass chance u) in *. apply Rmult_le_compat_l with (r := k) in HE, HO; try lra.
  destruct (even_ones u); simpl xorb in HE; lra.
Qed.

Lemma mean_by_last f n E O : (forall u, length u = n -> (E + O) / 2 * total_over (fun b =>
    word_mass chance (b :: u)) bit_letters <= total_over (fun b => word_mass chance (b :: u) * f (b :: u)) bit_letters)
      -> (E + O) / 2 <= mean_over_words bit_letters chance (S n) f.
Proof.
  intros H. apply mean_at_least; [apply alive_positive|]. unfold alive_mass.
  rewrite <- sum_words_scale, !(sum_words_S _ bit_letters n). apply sum_words_le. intros u Hu. specialize (H u Hu).
  cbn [total_over bit_letters] in *. lra.
Qed.

Theorem unigram_chance_bound q n s : is_predictor bit_letters q -> (1 <= n)%nat -> moved_by_last q n s ->
  unigram_chance p - p / 4 * s <= ce n q.
Proof.
  intros Q Hn H. destruct n as [|n]; [lia|]. unfold cross_entropy.
  replace (unigram_chance p - p / 4 * s) with ((2 * binary_entropy (1 / 2 * p) - p / 2 * s + letters_cost true +
    letters_cost false) / 2). 2: { unfold unigram_chance, letters_cost. replace (1 / 2 * p) with (p / 2) by lra. field.
  } apply Rle_trans with ((2 * binary_entropy (1 / 2 * p) - p / 2 * s + letters_cost true + letters_cost false +
    0) / 2); [lra|]. apply mean_by_last. intros u Hu. specialize (H u ltac:(simpl; now rewrite Hu)).
  set (a := odds_of_end q (xorb (even_ones u) true :: u)). set (c := odds_of_end q (even_ones u :: u)).
  assert (D : a - c <= s).
  { unfold a, c. destruct (even_ones u); simpl xorb; [|rewrite Rabs_minus_sym in H];
      (eapply Rle_trans; [apply Rle_abs|exact H]). }
  pose proof (pair_cost (1 / 2) a c s ltac:(lra) D) as G.
  eapply Rle_trans; [|apply pair_by_last; [apply (cost_at_least q (_ :: u) Q)|apply (cost_at_least q (_ :: u) Q)]].
  fold a c. apply Rmult_le_compat_r.
  - cbn [total_over bit_letters]. pose proof (mass_positive (false :: u)). pose proof (mass_positive (true :: u)). lra.
  - assert (E1 : even_ones (xorb (even_ones u) true :: u) = true) by (simpl; now destruct (even_ones u)).
    assert (E0 : even_ones (even_ones u :: u) = false) by (simpl; now destruct (even_ones u)). rewrite E1, E0. lra.
Qed.

(* A predictor that uses the whole prefix does not do better. *)
Theorem parity_optimum_least q n : is_predictor bit_letters q -> (1 <= n)%nat -> parity_optimum p <= ce n q.
Proof.
  intros Q Hn. destruct n as [|n]; [lia|].
  replace (parity_optimum p) with ((binary_entropy p + letters_cost true + ln 2) / 2).
  2: { unfold parity_optimum, letters_cost. field. } apply mean_by_last. intros u _. apply pair_by_last.
  - eapply Rle_trans; [|apply (cost_at_least q (_ :: u) Q)].
    replace (even_ones (xorb (even_ones u) true :: u)) with true by (simpl; now destruct (even_ones u)).
    unfold end_cost. pose proof (softplus_gibbs p (odds_of_end q (xorb (even_ones u) true :: u)) Hp). lra.
  - eapply Rle_trans; [|apply (cost_at_least q (_ :: u) Q)].
    replace (even_ones (even_ones u :: u)) with false by (simpl; now destruct (even_ones u)).
    unfold end_cost, letters_cost. pose proof (softplus_positive (odds_of_end q (even_ones u :: u))). lra.
Qed.

(* ---- optimal < chance given the last symbol < unigram chance ---- *)
Lemma even_given_range b : 0 < even_given p b < 1.
Proof.
  unfold even_given. destruct b; (split; [apply Rdiv_lt_0_compat; lra|]);
    apply Rmult_lt_reg_r with (2 - p); try lra; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra.
Qed.
Lemma even_given_sum : even_given p false + even_given p true = 1. Proof. unfold even_given. field. lra. Qed.

Theorem optimum_below_chance_given_last : parity_optimum p < chance_given_last p.
Proof.
  unfold parity_optimum, chance_given_last. pose proof (entropy_of_part _ p (even_given_range false) Hp) as A.
  pose proof (entropy_of_part _ p (even_given_range true) Hp) as B. pose proof even_given_sum as S.
  replace (even_given p true) with (1 - even_given p false) in B at 1 by lra. lra.
Qed.

Theorem chance_given_last_below_unigram : chance_given_last p < unigram_chance p.
Proof.
  unfold unigram_chance, chance_given_last. pose proof even_given_sum as S. pose proof (even_given_range false) as A.
  pose proof (even_given_range true) as B. assert (N : even_given p false * p <> even_given p true * p).
  { intros E. apply Rmult_eq_reg_r in E; [|lra]. unfold even_given in E.
    apply Rmult_eq_compat_r with (r := 2 - p) in E. unfold Rdiv in E. rewrite !Rmult_assoc, Rinv_l in E; lra. }
  pose proof (entropy_concave (even_given p false * p) (even_given p true * p) ltac:(nra) ltac:(nra) N) as C.
  replace ((even_given p false * p + even_given p true * p) / 2) with (p / 2) in C; [lra|].
  rewrite <- Rmult_plus_distr_r, S. lra.
Qed.

(* ---- what is attained ---- *)
(* The predictor with these log-odds of the end, and no preference between 0 and 1. *)
Definition fair_predictor (L : list bool -> R) (w : list bool) (x : option bool) : R :=
  let r := exp (L w) / (1 + exp (L w)) in match x with None => r | Some _ => (1 - r) / 2 end.

Lemma fair_predicts L : is_predictor bit_letters (fair_predictor L).
Proof. intros w. pose proof (logistic_range (L w)). split; [intros [b|]; simpl; lra|]. simpl. lra. Qed.

Lemma odds_of_fair L w : odds_of_end (fair_predictor L) w = L w.
Proof.
  pose proof (log_odds_logistic (L w)) as E. unfold odds_of_end, fair_predictor.
  set (r := exp (L w) / (1 + exp (L w))) in *. replace ((1 - r) / 2 + (1 - r) / 2) with (1 - r) by field. exact E.
Qed.

Lemma cost_of_fair L w : word_cost bit_letters chance (fair_predictor L) w = end_cost (even_ones w) (L w) + letters_cost
  (even_ones w).
Proof.
  pose proof (logistic_range (L w)) as Hr. pose proof (softplus_log_odds _ Hr) as S. rewrite log_odds_logistic in S.
  destruct (end_given (fair_predictor L) w (fair_predicts L)) as [E F]. rewrite odds_of_fair in E, F. unfold word_cost.
  cbn [total_over symbols_and_end map bit_letters]. rewrite E. unfold fair_predictor in F |- *.
  set (r := exp (L w) / (1 + exp (L w))) in *. rewrite ln_quotient by lra.
  replace ((1 - r) / 2 + (1 - r) / 2) with (1 - r) in F by field. rewrite F.
  unfold end_cost, letters_cost, chance, parity_language. destruct (even_ones w); field.
Qed.

(* A predictor that looks at the last symbol only. *)
Definition by_last (a : bool -> R) (w : list bool) : R := match w with b :: _ => a b | [] => 0 end.

Theorem cost_by_last a n : (2 <= n)%nat -> ce n (fair_predictor (by_last a)) = ((softplus (a false)
  - even_given p false * p * a false) + (softplus (a true) - even_given p true * p * a true)) / 2 + (1 - p / 2) * ln 2.
Proof.
  intros Hn. destruct n as [|[|n]]; [lia|lia|]. apply mean_is; [apply alive_positive|]. unfold alive_mass.
  rewrite <- sum_words_scale, !(sum_words_S _ bit_letters (S n)), !(sum_words_S _ bit_letters n). apply sum_words_ext.
  intros u _. cbn [total_over bit_letters word_mass].
  rewrite !cost_of_fair, !chance_after, (chance_letter u false true). unfold even_given, end_cost, letters_cost.
  cbn [even_ones by_last]. destruct (even_ones u); simpl xorb; cbn iota; field; lra.
Qed.

(* A predictor that knows the parity. *)
Theorem cost_by_parity a c n : (1 <= n)%nat -> ce n (fair_predictor (fun w => if even_ones w then a else c)) =
  (softplus a - p * a + softplus c) / 2 + (1 - p / 2) * ln 2.
Proof.
  intros Hn. destruct n as [|n]; [lia|]. apply mean_is; [apply alive_positive|]. unfold alive_mass.
  rewrite <- sum_words_scale, !(sum_words_S _ bit_letters n). apply sum_words_ext. intros u _.
  cbn [total_over bit_letters word_mass]. rewrite !cost_of_fair, (chance_letter u false true).
  unfold end_cost, letters_cost. cbn [even_ones]. destruct (even_ones u); simpl xorb; cbn iota; field.
Qed.

Definition best_by_last (b : bool) : R := log_odds (even_given p b * p).
Lemma even_given_end b : 0 < even_given p b * p < 1. Proof. pose proof (even_given_range b). nra. Qed.

Theorem chance_given_last_attained n : (2 <= n)%nat -> ce n (fair_predictor (by_last best_by_last)) = chance_given_last
  p.
Proof.
  intros Hn. rewrite cost_by_last by exact Hn. unfold best_by_last, chance_given_last.
  rewrite !softplus_log_odds by apply even_given_end. lra.
Qed.

(* ... and is the least of whoever looks at the last symbol only; unigram chance of whoever looks at nothing. *)
Theorem chance_given_last_least q n : is_predictor bit_letters q -> (2 <= n)%nat ->
  (forall b u v, odds_of_end q (b :: u) = odds_of_end q (b :: v)) -> chance_given_last p <= ce n q.
Proof.
  intros Q Hn H. pose proof (hahn_theorem_6_parity q n 0 Q Hn) as G.
  assert (M : moved_before_last q n 0) by (intros u b _; rewrite (H b _ (true :: u)), (Rminus_diag_eq _ _ eq_refl),
    Rabs_R0; lra). specialize (G M). lra.
Qed.

Theorem unigram_chance_least q n : is_predictor bit_letters q -> (1 <= n)%nat ->
  (forall u v, odds_of_end q u = odds_of_end q v) -> unigram_chance p <= ce n q.
Proof.
  intros Q Hn H. pose proof (unigram_chance_bound q n 0 Q Hn) as G.
  assert (M : moved_by_last q n 0) by (intros u _; rewrite (H _ (true :: u)), (Rminus_diag_eq _ _ eq_refl), Rabs_R0;
    lra). specialize (G M). lra.
Qed.

Theorem unigram_chance_attained n : (2 <= n)%nat -> ce n (fair_predictor (fun _ => log_odds (p / 2))) = unigram_chance
  p.
Proof.
  intros Hn. transitivity (ce n (fair_predictor (by_last (fun _ => log_odds (p / 2))))).
  - unfold cross_entropy, mean_over_words. f_equal. apply sum_words_ext.
    intros [|b u] Hu; [simpl in Hu; lia|reflexivity].
  - rewrite cost_by_last, softplus_log_odds by (exact Hn || lra). unfold unigram_chance, even_given. field. lra.
Qed.

(* ---- the limit ---- *)
Theorem hahn_theorem_6_parity_limit q s : is_predictor bit_letters q -> (forall n, moved_before_last q n (s n)) ->
  Un_cv s 0 -> forall e, 0 < e -> exists N, forall n, (N <= n)%nat -> chance_given_last p - e <= ce n q.
Proof.
  intros Q H C e He. set (c := p * (1 - p) / (2 - p) ^ 2).
  assert (Hc : 0 < c) by (apply Rdiv_lt_0_compat; [nra|apply pow_lt; lra]).
  destruct (C (e / c) ltac:(now apply Rdiv_lt_0_compat)) as (N & HN). exists (N + 2)%nat. intros n Hn.
  specialize (HN n ltac:(lia)). unfold R_dist in HN. rewrite Rminus_0_r in HN. pose proof (Rle_abs (s n)).
  pose proof (hahn_theorem_6_parity q n (s n) Q ltac:(lia) (H n)) as G. fold c in G.
  assert (c * s n <= c * (e / c)) by (apply Rmult_le_compat_l; lra).
  replace (c * (e / c)) with e in * by (field; lra). lra.
Qed.
End Parity.

(* ---- as printed ---- *)
Lemma softplus_lipschitz x y : softplus y <= softplus x + Rabs (y - x).
Proof.
  destruct (softplus_tangent y) as (r & Hr & E). pose proof (softplus_gibbs r x Hr).
  assert (r * (y - x) <= Rabs (y - x)); [|lra]. apply Rle_trans with (Rabs (r * (y - x))); [apply Rle_abs|].
  rewrite Rabs_mult, (Rabs_right r) by lra. pose proof (Rabs_pos (y - x)). nra.
Qed.

Lemma rational_near x e : 0 < e -> exists q, Rabs (Q2R q - x) <= e.
Proof.
  intros He. set (k := up (/ e)). assert (Hk : / e < IZR k) by apply archimed.
  assert (I : 0 < / e) by now apply Rinv_0_lt_compat. assert (M : 0 < IZR k) by lra.
  assert (K : (0 < k)%Z) by (apply lt_IZR; lra). destruct (archimed (x * IZR k)) as [A B].
  exists (up (x * IZR k) # Z.to_pos k)%Q. unfold Q2R. simpl. rewrite Z2Pos.id by exact K.
  apply Rmult_lt_compat_l with (r := e) in Hk; [|exact He]. rewrite Rinv_r in Hk by lra.
  set (z := IZR (up _)) in *. set (m := IZR k) in *.
  replace (z * / m - x) with ((z - x * m) * / m) by (field; lra). rewrite Rabs_mult, !Rabs_right; try lra.
  - apply Rmult_le_reg_r with m; [exact M|]. rewrite Rmult_assoc, Rinv_l; lra.
  - left. now apply Rinv_0_lt_compat.
Qed.

(* The symbols 0 and 1 of a network, and what it says at the last position of a prefix. *)
Definition bit_code (b : bool) : nat := if b then 1 else 0.
Definition output_at_end users (T : transformer) (w : list bool) : R :=
  run_transformer users T (length w) (as_word bit_code w) (length w) (transformer_output T).

(* Without attention, without any layer: what is embedded for 0, and for 1. *)
Definition embedding_only (a b : Q) : transformer := Transformer [[(0%nat, a)]; [(0%nat, b)]] [] [] 0%nat.

Lemma embedding_only_reads users a b n w : length w = S n ->
  output_at_end users (embedding_only a b) w = by_last (fun x => Q2R (if x then b else a)) w.
Proof.
  intros H. destruct w as [|x w]; [discriminate|].
  unfold output_at_end, run_transformer, embed, embedding_only, as_word. simpl. rewrite Nat.sub_diag.
  unfold row_entry, bit_code. destruct x; simpl; lra.
Qed.

(* Chance given the last symbol is what such a network may come to, at every n >= 2. *)
Theorem chance_given_last_approached p e : 0 < p < 1 -> 0 < e -> exists T, transformer_layers T = [] /\
  forall users n, (2 <= n)%nat ->
  cross_entropy bit_letters (parity_language p) n (fair_predictor (output_at_end users T)) <= chance_given_last p + e.
Proof.
  intros Hp He. destruct (rational_near (best_by_last p false) (e / 2) ltac:(lra)) as (a & Ha).
  destruct (rational_near (best_by_last p true) (e / 2) ltac:(lra)) as (b & Hb). exists (embedding_only a b).
  split; [reflexivity|]. intros users n Hn.
  replace (cross_entropy _ _ _ _) with (cross_entropy bit_letters (parity_language p) n (fair_predictor (by_last (fun x
    => Q2R (if x then b else a))))). 2: { unfold cross_entropy, mean_over_words. f_equal. apply sum_words_ext.
  intros w Hw. unfold word_cost, fair_predictor.
       now rewrite <- (embedding_only_reads users a b (n - 1)) by lia. }
  rewrite cost_by_last by assumption. pose proof (chance_given_last_attained p Hp n Hn) as E.
  rewrite cost_by_last in E by assumption. pose proof (even_given_end p Hp false) as R0.
  pose proof (even_given_end p Hp true) as R1. set (r0 := even_given p false * p) in *.
  set (r1 := even_given p true * p) in *. set (x := best_by_last p false) in *. set (y := best_by_last p true) in *.
  pose proof (softplus_lipschitz x (Q2R a)). pose proof (softplus_lipschitz y (Q2R b)).
  assert (N : forall r u v, 0 < r < 1 -> Rabs (u - v) <= e / 2 -> - (r * u) <= - (r * v) + e / 2).
  { intros r u v Hr H'. rewrite Rabs_minus_sym in H'. pose proof (Rle_abs (v - u)).
    assert (r * (v - u) <= r * (e / 2)) by (apply Rmult_le_compat_l; lra). assert (r * (e / 2) <= 1 * (e / 2)); [|lra].
    apply Rmult_le_compat_r; lra. }
  pose proof (N r0 _ _ R0 Ha). pose proof (N r1 _ _ R1 Hb). lra.
Qed.

(* "Converges to unigram chance level": no, and not from any n on. *)
Theorem hahn_theorem_6_parity_as_printed_fails p : 0 < p < 1 -> exists T e,
  transformer_layers T = [] /\ 0 < e /\ forall users n, (2 <= n)%nat ->
  cross_entropy bit_letters (parity_language p) n (fair_predictor (output_at_end users T)) <= unigram_chance p - e.
Proof.
  intros Hp. pose proof (chance_given_last_below_unigram p Hp) as Gap.
  set (e := unigram_chance p - chance_given_last p).
  destruct (chance_given_last_approached p (e / 2) Hp ltac:(unfold e; lra)) as (T & L & C). exists T, (e / 2).
  split; [exact L|]. split; [unfold e; lra|]. intros users n Hn. specialize (C users n Hn). unfold e in *. lra.
Qed.
