(* Predicting what follows a prefix, as in [Hahn] Section 6: masses of prefixes, cross-entropy, and Gibbs' inequality.

   A prefix is a list in which the *last* symbol stands first: b :: u is the prefix u followed by b. What follows a
   prefix is a letter, `Some a`, or the end of the word, `None`. A language is what `chance u x` says: the probability
   that x follows u. A predictor gives every symbol a positive probability after every prefix, in nats it costs the
   mean of - ln of what it gave to what follows.

   Proved: r x + h(r) <= ln(1 + e^x), with equality where x = ln(r/(1-r)) only; this one inequality is Gibbs' for two
   outcomes, the convexity of ln(1 + e^x) and the concavity of h. *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From Certify Require Import finite_sums lists exponential network totals.
Import ListNotations.
Open Scope R_scope.

(* ---- entropy of two outcomes, and the cost of log-odds ---- *)
Definition binary_entropy (r : R) : R := - r * ln r - (1 - r) * ln (1 - r).
Definition softplus (x : R) : R := ln (1 + exp x).
Definition log_odds (r : R) : R := ln (r / (1 - r)).

Lemma ln_minus_1 y : 0 < y -> ln y <= y - 1.
Proof. intros H. pose proof (exp_ineq1_le (ln y)) as E. rewrite exp_ln in E by exact H. lra. Qed.

Lemma ln_minus_1_strict y : 0 < y -> y <> 1 -> ln y < y - 1.
Proof.
  intros H N. assert (L : ln y <> 0) by (intros E; apply N; rewrite <- (exp_ln y H), E; apply exp_0).
  pose proof (exp_ineq1 (ln y) L) as E. rewrite exp_ln in E by exact H. lra.
Qed.

Lemma ln_quotient a b : 0 < a -> 0 < b -> ln (a / b) = ln a - ln b.
Proof. intros Ha Hb. unfold Rdiv. rewrite ln_mult, ln_Rinv; [lra|exact Hb|exact Ha|now apply Rinv_0_lt_compat]. Qed.

(* What the part r of all costs if it is given a. *)
Lemma gibbs_part r a : 0 < r -> 0 < a -> r * (ln a - ln r) <= a - r.
Proof.
  intros Hr Ha. pose proof (ln_minus_1 (a / r) ltac:(now apply Rdiv_lt_0_compat)) as L.
  rewrite ln_quotient in L by assumption. apply Rmult_le_compat_l with (r := r) in L; [|lra].
  replace (r * (a / r - 1)) with (a - r) in L by (field; lra). exact L.
Qed.

Lemma gibbs_part_strict r a : 0 < r -> 0 < a -> a <> r -> r * (ln a - ln r) < a - r.
Proof.
  intros Hr Ha N. pose proof (ln_minus_1_strict (a / r) ltac:(now apply Rdiv_lt_0_compat)) as L.
  rewrite ln_quotient in L by assumption. apply Rmult_lt_compat_l with (r := r) in L; [|lra|].
  - now replace (r * (a / r - 1)) with (a - r) in L by (field; lra).
  - intros E. apply N. replace a with (a / r * r) by (field; lra). rewrite E. lra.
Qed.

Lemma gibbs_inequality r a b : 0 < r < 1 -> 0 < a -> 0 < b -> a + b <= 1 -> binary_entropy r <= - r * ln a - (1 - r) *
  ln b.
Proof.
  intros Hr Ha Hb H. unfold binary_entropy. pose proof (gibbs_part r a ltac:(lra) Ha).
  pose proof (gibbs_part (1 - r) b ltac:(lra) Hb). lra.
Qed.

Lemma entropy_half : binary_entropy (1 / 2) = ln 2.
Proof. unfold binary_entropy. replace (1 - 1 / 2) with (1 / 2) by lra. rewrite ln_quotient, ln_1 by lra. lra. Qed.
Lemma ln_2_positive : 0 < ln 2. Proof. rewrite <- ln_1. apply ln_increasing; lra. Qed.

(* Two outcomes that are equally likely cost least if they are given the same. *)
Lemma equal_halves a b : 0 < a -> 0 < b -> 2 * ln 2 - 2 * ln (a + b) <= - ln a - ln b.
Proof.
  intros Ha Hb. pose proof (gibbs_inequality (1 / 2) (a / (a + b)) (b / (a + b)) ltac:(lra)) as G.
  rewrite entropy_half, !ln_quotient in G by lra. assert (a / (a + b) + b / (a + b) <= 1) by (right; field; lra).
  specialize (G ltac:(apply Rdiv_lt_0_compat; lra) ltac:(apply Rdiv_lt_0_compat; lra) ltac:(assumption)). lra.
Qed.

Lemma softplus_positive x : 0 < softplus x.
Proof. unfold softplus. rewrite <- ln_1. pose proof (exp_pos x). apply ln_increasing; lra. Qed.

Lemma softplus_gibbs r x : 0 < r < 1 -> r * x + binary_entropy r <= softplus x.
Proof.
  intros Hr. pose proof (exp_pos x) as E. assert (Q : 0 < 1 + exp x) by lra.
  pose proof (gibbs_inequality r (exp x / (1 + exp x)) (1 / (1 + exp x)) Hr) as G.
  rewrite !ln_quotient, ln_1, ln_exp in G by lra. fold (softplus x) in G.
  assert (exp x / (1 + exp x) + 1 / (1 + exp x) <= 1) by (right; field; lra).
  specialize (G ltac:(apply Rdiv_lt_0_compat; lra) ltac:(apply Rdiv_lt_0_compat; lra) ltac:(assumption)). lra.
Qed.

Lemma softplus_gibbs_strict r x : 0 < r < 1 -> exp x / (1 + exp x) <> r -> r * x + binary_entropy r < softplus x.
Proof.
  intros Hr N. pose proof (exp_pos x) as E. set (q := exp x / (1 + exp x)) in *.
  assert (Q : 0 < q) by (apply Rdiv_lt_0_compat; lra). assert (Q1 : 1 - q = 1 / (1 + exp x)) by (unfold q; field; lra).
  assert (0 < 1 - q) by (rewrite Q1; apply Rdiv_lt_0_compat; lra).
  pose proof (gibbs_part_strict r q ltac:(lra) Q N) as G.
  pose proof (gibbs_part (1 - r) (1 - q) ltac:(lra) ltac:(lra)) as G1.
  rewrite Q1 in G1 at 1. unfold q in G at 1. rewrite ln_quotient in G, G1 by lra.
  rewrite ln_1 in G1. rewrite ln_exp in G. fold (softplus x) in G, G1. unfold binary_entropy. lra.
Qed.

Lemma log_odds_inverse r : 0 < r < 1 -> exp (log_odds r) / (1 + exp (log_odds r)) = r.
Proof. intros Hr. unfold log_odds. rewrite exp_ln by (apply Rdiv_lt_0_compat; lra). field. lra. Qed.

Lemma softplus_log_odds r : 0 < r < 1 -> softplus (log_odds r) = r * log_odds r + binary_entropy r.
Proof.
  intros Hr. unfold softplus, binary_entropy, log_odds. rewrite exp_ln by (apply Rdiv_lt_0_compat; lra).
  replace (1 + r / (1 - r)) with (1 / (1 - r)) by (field; lra). rewrite !ln_quotient, ln_1 by lra. lra.
Qed.

Lemma logistic_range x : 0 < exp x / (1 + exp x) < 1.
Proof.
  pose proof (exp_pos x). split; [apply Rdiv_lt_0_compat; lra|].
  apply Rmult_lt_reg_r with (1 + exp x); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma log_odds_logistic x : log_odds (exp x / (1 + exp x)) = x.
Proof.
  pose proof (exp_pos x). unfold log_odds. replace (exp x / (1 + exp x) / (1 - exp x / (1 + exp x))) with (exp x).
  - apply ln_exp.
  - field. lra.
Qed.

(* The tangent at y, of slope r. *)
Lemma softplus_tangent y : exists r, 0 < r < 1 /\ softplus y = r * y + binary_entropy r.
Proof.
  exists (exp y / (1 + exp y)). pose proof (logistic_range y) as H. split; [exact H|].
  rewrite <- (log_odds_logistic y) at 1 4. now apply softplus_log_odds.
Qed.

Lemma softplus_middle x y : 2 * softplus ((x + y) / 2) <= softplus x + softplus y.
Proof.
  destruct (softplus_tangent ((x + y) / 2)) as (r & Hr & E). rewrite E.
  pose proof (softplus_gibbs r x Hr). pose proof (softplus_gibbs r y Hr). lra.
Qed.

Lemma softplus_monotone x y : x <= y -> softplus x <= softplus y.
Proof.
  intros H. pose proof (exp_monotone x y H) as E. pose proof (exp_pos x). unfold softplus.
  destruct E as [L|E]; [left; apply ln_increasing; lra|rewrite E; lra].
Qed.

(* ln(1 + e^(-s/2)) >= ln 2 - s/4 is the tangent at 0. *)
Lemma softplus_above_tangent_at_0 x : ln 2 + x / 2 <= softplus x.
Proof. pose proof (softplus_gibbs (1 / 2) x ltac:(lra)) as G. rewrite entropy_half in G. lra. Qed.

(* h is strictly concave. *)
Lemma entropy_concave r s : 0 < r < 1 -> 0 < s < 1 -> r <> s -> binary_entropy r + binary_entropy s < 2 * binary_entropy
  ((r + s) / 2).
Proof.
  intros Hr Hs N. set (m := (r + s) / 2). assert (Hm : 0 < m < 1) by (unfold m; lra). set (x := log_odds m).
  assert (Q : exp x / (1 + exp x) = m) by now apply log_odds_inverse.
  pose proof (softplus_gibbs_strict r x Hr ltac:(rewrite Q; unfold m; lra)). pose proof (softplus_gibbs s x Hs).
  pose proof (softplus_log_odds m Hm) as E. fold x in E. assert (x * (r + s) = 2 * (m * x)) by (unfold m; field). lra.
Qed.

(* ... and 0 at 0. *)
Lemma entropy_of_part l r : 0 < l < 1 -> 0 < r < 1 -> l * binary_entropy r < binary_entropy (l * r).
Proof.
  intros Hl Hr. assert (Hm : 0 < l * r < 1) by nra. set (x := log_odds (l * r)).
  pose proof (softplus_log_odds _ Hm) as E. fold x in E. pose proof (softplus_gibbs r x Hr) as G.
  pose proof (softplus_positive x) as P. apply Rmult_le_compat_l with (r := l) in G; [|lra].
  assert (0 < (1 - l) * softplus x) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

(* ---- sums over all words of one length ---- *)
Section Words.
Variable X : Type.
Variable letters : list X.

Fixpoint sum_words (n : nat) (f : list X -> R) : R :=
  match n with O => f [] | S n => total_over (fun a => sum_words n (fun u => f (a :: u))) letters end.

Lemma sum_words_ext n : forall f g, (forall u, length u = n -> f u = g u) -> sum_words n f = sum_words n g.
Proof.
  induction n as [|n IH]; intros f g H; simpl; [now apply H|]. apply total_ext. intros a _. apply IH.
  intros u Hu. apply H. simpl. now rewrite Hu.
Qed.
Lemma sum_words_le n : forall f g, (forall u, length u = n -> f u <= g u) -> sum_words n f <= sum_words n g.
Proof.
  induction n as [|n IH]; intros f g H; simpl; [now apply H|]. apply total_le. intros a _. apply IH.
  intros u Hu. apply H. simpl. now rewrite Hu.
Qed.
Lemma sum_words_plus n : forall f g, sum_words n (fun u => f u + g u) = sum_words n f + sum_words n g.
Proof.
  induction n as [|n IH]; intros f g; simpl; [reflexivity|]. rewrite <- total_plus. apply total_ext.
  intros a _. apply (IH (fun u => f (a :: u)) (fun u => g (a :: u))).
Qed.
Lemma sum_words_scale n c : forall f, sum_words n (fun u => c * f u) = c * sum_words n f.
Proof.
  induction n as [|n IH]; intros f; simpl; [reflexivity|]. rewrite <- total_scale. apply total_ext.
  intros a _. apply (IH (fun u => f (a :: u))).
Qed.

(* The last symbol may be summed over first, or last. *)
Lemma sum_words_total n {Y} (f : Y -> list X -> R) l :
  total_over (fun a => sum_words n (f a)) l = sum_words n (fun u => total_over (fun a => f a u) l).
Proof.
  induction l as [|a l IH]; simpl.
  - rewrite (sum_words_ext n (fun _ => 0) (fun _ => 0 * 0)) by (intros; lra).
    rewrite (sum_words_scale n 0 (fun _ => 0)). lra.
  - rewrite sum_words_plus. now rewrite IH.
Qed.
Lemma sum_words_S n f : sum_words (S n) f = sum_words n (fun u => total_over (fun a => f (a :: u)) letters).
Proof. apply (sum_words_total n (fun a u => f (a :: u))). Qed.

(* ---- a language, and predictors ---- *)
Variable chance : list X -> option X -> R.

Fixpoint word_mass (w : list X) : R := match w with [] => 1 | a :: u => chance u (Some a) * word_mass u end.
Definition symbols_and_end : list (option X) := None :: map Some letters.
Definition is_predictor (q : list X -> option X -> R) : Prop :=
  forall w, (forall x, 0 < q w x) /\ total_over (q w) symbols_and_end = 1.
Definition word_cost (q : list X -> option X -> R) (w : list X) : R := - total_over (fun x =>
  chance w x * ln (q w x)) symbols_and_end.

Definition alive_mass (n : nat) : R := sum_words n word_mass.
Definition mean_over_words (n : nat) (f : list X -> R) : R := sum_words n (fun w => word_mass w * f w) / alive_mass n.
Definition cross_entropy (n : nat) (q : list X -> option X -> R) : R := mean_over_words n (word_cost q).

Lemma mean_at_least n f b : 0 < alive_mass n -> b * alive_mass n <= sum_words n (fun w => word_mass w * f w) ->
  b <= mean_over_words n f.
Proof.
  intros A H. unfold mean_over_words. apply Rmult_le_reg_r with (alive_mass n); [exact A|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.
Lemma mean_is n f b : 0 < alive_mass n -> sum_words n (fun w => word_mass w * f w) = b * alive_mass n ->
  mean_over_words n f = b.
Proof. intros A H. unfold mean_over_words. rewrite H. field. lra. Qed.
End Words.
Arguments sum_words {X}. Arguments word_mass {X}. Arguments is_predictor {X}. Arguments word_cost {X}.
Arguments alive_mass {X}. Arguments mean_over_words {X}. Arguments cross_entropy {X}. Arguments symbols_and_end {X}.

(* ---- a prefix as a word of network.v, and what exchanging a symbol changes in it ---- *)
Definition as_word {X} (code : X -> nat) (w : list X) : formula.word := fun i => nth (length w - i) (map code w) 0%nat.

Lemma as_word_exchange {X} (code : X -> nat) b x a a' y : let p := S (length y) in (p < length (b :: x ++ a :: y))%nat
  /\ forall i, i <> p -> as_word code (b :: x ++ a :: y) i = as_word code (b :: x ++ a' :: y) i.
Proof.
  assert (L : forall z, length (b :: x ++ z :: y) = (length (b :: x) + S (length y))%nat).
  { intros z. change (b :: x ++ z :: y) with ((b :: x) ++ z :: y). now rewrite length_app. }
  cbv zeta. rewrite L. split; [simpl; lia|]. intros i Ne. unfold as_word. rewrite !L.
  change (b :: x ++ a :: y) with ((b :: x) ++ a :: y). change (b :: x ++ a' :: y) with ((b :: x) ++ a' :: y).
  rewrite !map_app. set (l := map code (b :: x)). assert (M : length l = length (b :: x)) by apply length_map.
  set (j := (_ - i)%nat). destruct (Nat.lt_ge_cases j (length l)) as [J|J].
  - now rewrite !app_nth1.
  - rewrite !app_nth2 by exact J. destruct (j - length l)%nat eqn:E; [|reflexivity].
    exfalso. apply Ne. unfold j in *. simpl length in *. lia.
Qed.
