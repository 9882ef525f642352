(* [Hahn] Theorem 6, 2DYCK: separated from the optimal cross-entropy, with constants (docs/background/hahn.md, section
   3).

   Words are drawn from S -> (S)S | [S]S with probability p/2 each, S -> empty with 1 - p. From left to right: a bracket
   opens with probability p, both types alike, or the one that is open closes; where none is open, the word ends.
   Prefixes are lists with the last symbol first (cross_entropy.v).

   Proved, for 0 < p < 1, every n and every predictor: if exchanging the type of one opening bracket before the last
   symbol moves the log-odds of ) against ] by at most s, then its cross-entropy at n exceeds the optimal one,
   h(p) + p ln 2, by at least P_0(n) (1 - p) ln(1 + e^(-s/2)), where P_0(n) is the probability that a prefix ends with a
   closing bracket and is not balanced; P_0(n) >= p^2 (1 - p) from n = 3 on. So where s(n) tends to 0 the excess is
   at least p^2 (1-p)^2 ln 2 in the limit. And h(p) + p ln 2 is optimal: no predictor is below it, at any n, and some
   are as near to it as one likes, at all n.
   Idea: exchange the type of the bracket that is open at the top: it is matched by nothing in the prefix, so the other
   prefix weighs the same, and there the other type closes. One tangent of ln(1 + e^x) bounds what both cost. *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From Certify Require Import finite_sums exponential network cross_entropy.
Import ListNotations.
Open Scope R_scope.

Inductive bracket_kind := RoundBracket | SquareBracket.
Inductive bracket := Opens (k : bracket_kind) | Closes (k : bracket_kind).
Local Definition other (k : bracket_kind) : bracket_kind := match k with RoundBracket => SquareBracket | SquareBracket
  => RoundBracket end.
Local Definition same (k l : bracket_kind) : bool := match k, l with RoundBracket, RoundBracket | SquareBracket,
  SquareBracket => true | _, _ => false end.

(* The types of the brackets that are open after a prefix, the innermost first. *)
Fixpoint bracket_stack (w : list bracket) : list bracket_kind :=
  match w with [] => [] | Opens k :: u => k :: bracket_stack u | Closes _ :: u => tl (bracket_stack u) end.

Definition dyck_language (p : R) (w : list bracket) (x : option bracket) : R :=
  match x, bracket_stack w with
  | Some (Opens _), _ => p / 2
  | Some (Closes k), top :: _ => if same k top then 1 - p else 0
  | None, [] => 1 - p
  | _, _ => 0
  end.
Definition four_brackets : list bracket := [Opens RoundBracket; Opens SquareBracket; Closes RoundBracket;
  Closes SquareBracket].

(* It ends with a closing bracket and is not balanced: the type of the next closing bracket is predicted. *)
Local Definition asked (w : list bracket) : bool :=
  match w, bracket_stack w with Closes _ :: _, _ :: _ => true | _, _ => false end.

(* The log-odds of ) against ]. *)
Definition odds_of_round (q : list bracket -> option bracket -> R) (w : list bracket) : R :=
  ln (q w (Some (Closes RoundBracket)) / q w (Some (Closes SquareBracket))).
(* The log-odds of the right one. *)
Definition odds_of_right (q : list bracket -> option bracket -> R) (w : list bracket) : R :=
  match bracket_stack w with SquareBracket :: _ => - odds_of_round q w | _ => odds_of_round q w end.

Definition moved_by_opening (q : list bracket -> option bracket -> R) (n : nat) (s : R) : Prop := forall c x k y,
  length (Closes c :: x ++ Opens k :: y) = n ->
  Rabs (odds_of_round q (Closes c :: x ++ Opens k :: y) - odds_of_round q (Closes c :: x ++ Opens (other k) :: y)) <= s.

(* ---- exchanging the type of an open bracket, the k-th from the innermost ---- *)
Local Fixpoint exchange (k : nat) (w : list bracket) : list bracket :=
  match w with
  | [] => []
  | Closes c :: u => Closes c :: exchange (S k) u
  | Opens t :: u => match k with O => Opens (other t) :: u | S k => Opens t :: exchange k u end
  end.
Fixpoint exchange_nth (k : nat) (l : list bracket_kind) : list bracket_kind :=
  match l, k with [], _ => [] | t :: l, O => other t :: l | t :: l, S k => t :: exchange_nth k l end.

Lemma stack_exchange w : forall k, bracket_stack (exchange k w) = exchange_nth k (bracket_stack w).
Proof.
  induction w as [|[t|c] w IH]; intros k; simpl; [now destruct k|destruct k; simpl; now rewrite ?IH|].
  rewrite IH. destruct (bracket_stack w) as [|t l]; [now destruct k|reflexivity].
Qed.

(* It is one symbol that changes. *)
Lemma exchange_splits w : forall k, (k < length (bracket_stack w))%nat ->
  exists x t y, w = x ++ Opens t :: y /\ exchange k w = x ++ Opens (other t) :: y.
Proof.
  induction w as [|[t|c] w IH]; intros k H; simpl in *; [lia| |].
  - destruct k as [|k]; [now exists [], t, w|]. destruct (IH k ltac:(lia)) as (x & t' & y & -> & E).
    exists (Opens t :: x), t', y. now rewrite E.
  - destruct (IH (S k) ltac:(destruct (bracket_stack w); simpl in *; lia)) as (x & t' & y & -> & E).
    exists (Closes c :: x), t', y. now rewrite E.
Qed.

(* A bijection of the words of one length. *)
Lemma sum_exchange n : forall k f, sum_words four_brackets n (fun w => f (exchange k w)) = sum_words four_brackets n f.
Proof.
  induction n as [|n IH]; intros k f; [reflexivity|]. cbn [sum_words total_over four_brackets exchange].
  rewrite (IH (S k) (fun u => f (Closes RoundBracket :: u))), (IH (S k) (fun u => f (Closes SquareBracket :: u))).
  destruct k as [|k]; [cbn [other]; lra|].
  rewrite (IH k (fun u => f (Opens RoundBracket :: u))), (IH k (fun u => f (Opens SquareBracket :: u))). lra.
Qed.

Lemma asked_unbalanced w : asked w = true -> bracket_stack w <> [].
Proof. unfold asked. destruct w as [|[t|c] w]; try discriminate. now destruct (bracket_stack (Closes c :: w)). Qed.

Lemma asked_exchange w : asked w = true -> asked (exchange 0 w) = true.
Proof.
  destruct w as [|[t|c] w]; simpl; try discriminate. intros H. rewrite stack_exchange.
  destruct (bracket_stack w) as [|t [|t' l]]; simpl in *; congruence.
Qed.

Lemma exchange_moves q n s w : moved_by_opening q n s -> length w = n -> asked w = true ->
  Rabs (odds_of_round q w - odds_of_round q (exchange 0 w)) <= s.
Proof.
  intros H L A. destruct w as [|[t|c] u]; simpl in A; try discriminate.
  destruct (exchange_splits u 1) as (x & t & y & -> & E).
  - destruct (bracket_stack u) as [|t [|t' l]]; simpl in *; try discriminate; lia.
  - simpl exchange. rewrite E. now apply H.
Qed.

Section Dyck.
Variable p : R.
Hypothesis Hp : 0 < p < 1.
Let chance := dyck_language p.
Notation ce := (cross_entropy four_brackets chance).

Definition dyck_optimum : R := binary_entropy p + p * ln 2.
Definition share_asked (n : nat) : R := mean_over_words four_brackets chance n (fun w => bit (asked w)).    (* P_0(n) *)

(* ---- masses ---- *)
Lemma chance_nonneg w x : 0 <= chance w x.
Proof.
  unfold chance, dyck_language. destruct x as [[k|k]|], (bracket_stack w) as [|t l]; try lra. destruct (same k t); lra.
Qed.
Lemma word_mass_nonneg w : 0 <= word_mass chance w.
Proof. induction w as [|a u IH]; simpl; [lra|]. apply Rmult_le_pos; [apply (chance_nonneg u (Some a))|exact IH]. Qed.

Lemma chance_exchange w k x : chance (exchange (S k) w) x = chance w x.
Proof. unfold chance, dyck_language. rewrite stack_exchange. now destruct (bracket_stack w) as [|t l]. Qed.

Lemma mass_exchange w : forall k, word_mass chance (exchange k w) = word_mass chance w.
Proof.
  induction w as [|[t|c] w IH]; intros k; cbn [exchange word_mass]; [reflexivity| |].
  - destruct k as [|k]; cbn [word_mass]; [reflexivity|now rewrite IH].
  - now rewrite IH, chance_exchange.
Qed.

(* A prefix goes on, or ends. *)
Lemma mass_of_next u : total_over (fun a => word_mass chance (a :: u)) four_brackets = (1 - chance u None) * word_mass
  chance u.
Proof. cbn [total_over four_brackets word_mass]. unfold chance, dyck_language. destruct (bracket_stack u) as [|[|] l];
  simpl; field. Qed.

Lemma alive_falls n : alive_mass four_brackets chance (S n) <= alive_mass four_brackets chance n.
Proof.
  unfold alive_mass. rewrite sum_words_S. apply sum_words_le. intros u _. rewrite mass_of_next.
  pose proof (chance_nonneg u None). pose proof (word_mass_nonneg u). nra.
Qed.

Lemma sum_words_nonneg n f : (forall w, 0 <= f w) -> 0 <= sum_words four_brackets n f.
Proof.
  intros H. apply Rle_trans with (sum_words four_brackets n (fun w => 0 * f w)).
  - rewrite sum_words_scale. lra.
  - apply sum_words_le. intros w _. specialize (H w). lra.
Qed.

Lemma alive_positive n : 0 < alive_mass four_brackets chance n.
Proof.
  apply Rlt_le_trans with (p ^ n); [apply pow_lt; lra|]. induction n as [|n IH]; [unfold alive_mass; simpl; lra|].
  unfold alive_mass. rewrite sum_words_S.
  apply Rle_trans with (sum_words four_brackets n (fun u => p * word_mass chance u)).
  - rewrite sum_words_scale. simpl. apply Rmult_le_compat_l; [lra|exact IH].
  - apply sum_words_le. intros u _. rewrite mass_of_next. pose proof (word_mass_nonneg u).
    assert (chance u None <= 1 - p) by (unfold chance, dyck_language; destruct (bracket_stack u); lra).
    apply Rmult_le_compat_r; lra.
Qed.

(* ---- what one prefix costs ---- *)
Lemma softplus_odds a b : 0 < a -> 0 < b -> softplus (- ln (a / b)) = ln (a + b) - ln a.
Proof.
  intros Ha Hb. rewrite ln_quotient by assumption. unfold softplus.
  replace (- (ln a - ln b)) with (ln b - ln a) by ring.
  rewrite <- ln_quotient, exp_ln by (assumption || now apply Rdiv_lt_0_compat).
  rewrite <- ln_quotient by lra. f_equal. field. lra.
Qed.

Definition asked_cost (q : list bracket -> option bracket -> R) (w : list bracket) : R :=
  if asked w then softplus (- odds_of_right q w) else 0.

(* Whether one opens, a closing one follows or the end: at least h(p); the type of an opening one: at least ln 2. *)
Lemma first_task a b c : 0 < a -> 0 < b -> 0 < c -> a + b + c <= 1 ->
  dyck_optimum <= - (p / 2) * ln a - p / 2 * ln b - (1 - p) * ln c.
Proof.
  intros Ha Hb Hc H. pose proof (gibbs_inequality p (a + b) c Hp ltac:(lra) Hc H) as G.
  pose proof (equal_halves a b Ha Hb) as E. apply Rmult_le_compat_l with (r := p / 2) in E; [|lra]. unfold dyck_optimum.
  lra.
Qed.

Local Lemma cost_at_least q w : is_predictor four_brackets q ->
  dyck_optimum + (1 - p) * asked_cost q w <= word_cost four_brackets chance q w.
Proof.
  intros Q. destruct (Q w) as [P T]. unfold word_cost, asked_cost, odds_of_right, odds_of_round, chance, dyck_language.
  cbn [total_over symbols_and_end map four_brackets] in *. pose proof (P None) as PN.
  pose proof (P (Some (Opens RoundBracket))) as A. pose proof (P (Some (Opens SquareBracket))) as B.
  pose proof (P (Some (Closes RoundBracket))) as C. pose proof (P (Some (Closes SquareBracket))) as D.
  set (a := q w (Some (Opens RoundBracket))) in *. set (b := q w (Some (Opens SquareBracket))) in *.
  set (c := q w (Some (Closes RoundBracket))) in *. set (d := q w (Some (Closes SquareBracket))) in *.
  set (e := q w None) in *.
  assert (Half : forall x, (1 - p) * (if asked w then softplus x else 0) <= (1 - p) * softplus x).
  { intros x. apply Rmult_le_compat_l; [lra|]. pose proof (softplus_positive x). destruct (asked w); lra. }
  pose proof (first_task a b (c + d) A B ltac:(lra) ltac:(lra)) as F.
  destruct (bracket_stack w) as [|[|] l] eqn:S; simpl same.
  - pose proof (first_task a b e A B PN ltac:(lra)). replace (asked w) with false; [lra|].
    unfold asked. destruct w as [|[|] ?]; [reflexivity|reflexivity|now rewrite S].
  - eapply Rle_trans; [apply Rplus_le_compat_l, Half|]. rewrite softplus_odds by assumption. lra.
  - eapply Rle_trans; [apply Rplus_le_compat_l, Half|].
    replace (- - ln (c / d)) with (- ln (d / c)) by (rewrite !ln_quotient; lra).
    rewrite (softplus_odds d c), (Rplus_comm d) by assumption. lra.
Qed.

(* ---- the pair ---- *)
Local Lemma pair_cost q n s w : moved_by_opening q n s -> length w = n ->
  2 * softplus (- (s / 2)) * bit (asked w) <= asked_cost q w + asked_cost q (exchange 0 w).
Proof.
  intros H L. unfold asked_cost. destruct (asked w) eqn:A.
  - rewrite (asked_exchange w A). pose proof (exchange_moves q n s w H L A) as D. simpl bit. rewrite Rmult_1_r.
    set (a := odds_of_right q w). set (c := odds_of_right q (exchange 0 w)).
    apply Rle_trans with (2 * softplus ((- a + - c) / 2)); [|apply softplus_middle]. apply Rmult_le_compat_l; [lra|].
    apply softplus_monotone. cut (a + c <= s); [lra|]. unfold a, c, odds_of_right. rewrite stack_exchange.
    pose proof (Rle_abs (odds_of_round q w - odds_of_round q (exchange 0 w))).
    pose proof (Rle_abs (odds_of_round q (exchange 0 w) - odds_of_round q w)) as B. rewrite Rabs_minus_sym in B.
    set (x := odds_of_round q w) in *. set (y := odds_of_round q (exchange 0 w)) in *.
    pose proof (asked_unbalanced w A) as St. destruct (bracket_stack w) as [|[|] l]; [easy| |]; simpl; lra.
  - simpl bit. rewrite Rmult_0_r. assert (forall b x, 0 <= if b : bool then softplus x else 0).
    { intros b x. pose proof (softplus_positive x). destruct b; lra. }
    pose proof (H0 (asked (exchange 0 w)) (- odds_of_right q (exchange 0 w))). lra.
Qed.

Lemma asked_total q n s : moved_by_opening q n s -> softplus (- (s / 2)) * sum_words four_brackets n (fun w =>
  word_mass chance w * bit (asked w)) <= sum_words four_brackets n (fun w => word_mass chance w * asked_cost q w).
Proof.
  intros H. set (f w := word_mass chance w * asked_cost q w).
  assert (E : sum_words four_brackets n (fun w => word_mass chance w * asked_cost q (exchange 0 w))
    = sum_words four_brackets n f).
  { rewrite <- (sum_exchange n 0 f). apply sum_words_ext. intros w _. unfold f. now rewrite mass_exchange. }
  apply Rmult_le_reg_l with 2; [lra|].
  replace (2 * sum_words four_brackets n f) with (sum_words four_brackets n f + sum_words four_brackets n f) by lra.
  rewrite <- E at 2. rewrite <- Rmult_assoc, <- sum_words_scale, <- sum_words_plus. apply sum_words_le. intros w L.
  unfold f. pose proof (pair_cost q n s w H L) as P. pose proof (word_mass_nonneg w) as M.
  apply Rmult_le_compat_l with (r := word_mass chance w) in P; [|exact M]. lra.
Qed.

Theorem hahn_theorem_6_dyck q n s : is_predictor four_brackets q -> moved_by_opening q n s ->
  dyck_optimum + share_asked n * (1 - p) * softplus (- (s / 2)) <= ce n q.
Proof.
  intros Q H. pose proof (alive_positive n) as A. apply mean_at_least; [exact A|].
  apply Rle_trans with (sum_words four_brackets n (fun w => dyck_optimum * word_mass chance w
    + (1 - p) * (word_mass chance w * asked_cost q w))).
  - rewrite sum_words_plus, !sum_words_scale. pose proof (asked_total q n s H) as T.
    apply Rmult_le_compat_l with (r := 1 - p) in T; [|lra]. unfold share_asked, mean_over_words.
    fold (alive_mass four_brackets chance n). set (A' := alive_mass four_brackets chance n) in *.
    set (S := sum_words four_brackets n (fun w => word_mass chance w * bit (asked w))) in *.
    replace ((dyck_optimum + S / A' * (1 - p) * softplus (- (s / 2))) * A')
      with (dyck_optimum * A' + (1 - p) * (softplus (- (s / 2)) * S)) by (field; lra). lra.
  - apply sum_words_le. intros w _. pose proof (cost_at_least q w Q) as C.
    apply Rmult_le_compat_l with (r := word_mass chance w) in C; [lra|apply word_mass_nonneg].
Qed.

(* ---- the expected number of predictions of the type ---- *)
Definition stack_is_high (w : list bracket) : bool := match bracket_stack w with _ :: _ :: _ => true | _ => false end.

Lemma asked_next u : total_over (fun a => word_mass chance (a :: u) * bit (asked (a :: u))) four_brackets
  = (1 - p) * (word_mass chance u * bit (stack_is_high u)).
Proof.
  unfold asked, stack_is_high. cbn [total_over four_brackets word_mass bracket_stack]. unfold chance, dyck_language.
  destruct (bracket_stack u) as [|[|] [|t l]]; simpl; field.
Qed.

Lemma high_after_two u : p * p * word_mass chance u <= total_over (fun a => total_over (fun b =>
  word_mass chance (b :: a :: u) * bit (stack_is_high (b :: a :: u))) four_brackets) four_brackets.
Proof.
  assert (N : forall a b, 0 <= word_mass chance (b :: a :: u) * bit (stack_is_high (b :: a :: u))).
  { intros a b. apply Rmult_le_pos; [apply word_mass_nonneg|apply bit_range]. }
  assert (E : forall k l, word_mass chance (Opens k :: Opens l :: u) * bit (stack_is_high (Opens k :: Opens l :: u))
    = p / 2 * (p / 2) * word_mass chance u) by (intros k l; unfold stack_is_high; simpl; ring).
  assert (T : forall f : bracket -> R, (forall b, 0 <= f b) ->
    f (Opens RoundBracket) + f (Opens SquareBracket) <= total_over f four_brackets).
  { intros f Hf. cbn [total_over four_brackets]. pose proof (Hf (Closes RoundBracket)).
    pose proof (Hf (Closes SquareBracket)). lra. }
  eapply Rle_trans; [|apply T].
  - eapply Rle_trans; [|apply Rplus_le_compat; apply T; intros b; apply N]. cbv beta. rewrite !E. lra.
  - intros a. eapply Rle_trans; [|apply T; intros b; apply N]. pose proof (N a (Opens RoundBracket)).
    pose proof (N a (Opens SquareBracket)). cbv beta in *. lra.
Qed.

Theorem share_asked_at_least n : (3 <= n)%nat -> p ^ 2 * (1 - p) <= share_asked n.
Proof.
  intros Hn. destruct n as [|[|[|n]]]; [lia|lia|lia|]. apply mean_at_least; [apply alive_positive|].
  apply Rle_trans with (p ^ 2 * (1 - p) * alive_mass four_brackets chance n).
  { apply Rmult_le_compat_l; [apply Rmult_le_pos; [apply pow_le|]; lra|].
    pose proof (alive_falls n). pose proof (alive_falls (S n)). pose proof (alive_falls (S (S n))). lra. }
  rewrite sum_words_S, (sum_words_ext _ _ _ _ (fun u => (1 - p) * (word_mass chance u * bit (stack_is_high u))))
    by (intros; apply asked_next). rewrite sum_words_scale, !sum_words_S. unfold alive_mass.
  replace (p ^ 2 * (1 - p) * sum_words four_brackets n (word_mass chance)) with ((1 - p) * sum_words four_brackets n
    (fun u => p * p * word_mass chance u)) by (rewrite sum_words_scale; ring). apply Rmult_le_compat_l; [lra|].
  apply sum_words_le. intros u _. apply high_after_two.
Qed.

(* ---- a constant, and the limit ---- *)
Theorem dyck_separated q n s : is_predictor four_brackets q -> (3 <= n)%nat -> moved_by_opening q n s ->
  dyck_optimum + p ^ 2 * (1 - p) ^ 2 * softplus (- (s / 2)) <= ce n q.
Proof.
  intros Q Hn H. pose proof (hahn_theorem_6_dyck q n s Q H) as G. pose proof (share_asked_at_least n Hn) as P.
  pose proof (softplus_positive (- (s / 2))) as S.
  assert (p ^ 2 * (1 - p) * ((1 - p) * softplus (- (s / 2))) <= share_asked n * ((1 - p) * softplus (- (s / 2)))).
  { apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|exact P]. }
  lra.
Qed.

Lemma share_asked_range n : 0 <= share_asked n <= 1.
Proof.
  unfold share_asked, mean_over_words. pose proof (alive_positive n) as A.
  assert (0 <= sum_words four_brackets n (fun w => word_mass chance w * bit (asked w)) <=
    alive_mass four_brackets chance n).
  { split; [apply sum_words_nonneg; intros w; apply Rmult_le_pos; [apply word_mass_nonneg|apply bit_range]|].
    apply sum_words_le. intros w _. pose proof (word_mass_nonneg w). pose proof (bit_range (asked w)). nra. }
  split; apply Rmult_le_reg_r with (alive_mass four_brackets chance n); try exact A;
    unfold Rdiv; rewrite ?Rmult_assoc, ?Rinv_l; lra.
Qed.

(* By the tangent at 0. *)
Theorem dyck_separated_from q n s : is_predictor four_brackets q -> moved_by_opening q n s -> 0 <= s ->
  dyck_optimum + share_asked n * (1 - p) * ln 2 - s <= ce n q.
Proof.
  intros Q H S. pose proof (hahn_theorem_6_dyck q n s Q H) as G.
  pose proof (softplus_above_tangent_at_0 (- (s / 2))) as T. pose proof (share_asked_range n) as P.
  assert (K : 0 <= share_asked n * (1 - p) <= 1) by nra. set (k := share_asked n * (1 - p)) in *.
  assert (k * (ln 2 - s) <= k * softplus (- (s / 2))) by (apply Rmult_le_compat_l; lra).
  assert (k * s <= 1 * s) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Theorem dyck_separated_limit q s : is_predictor four_brackets q -> (forall n, moved_by_opening q n (s n)) -> Un_cv s 0
  -> forall e, 0 < e -> exists N, forall n, (N <= n)%nat -> dyck_optimum + share_asked n * (1 - p) * ln 2 - e <= ce n q.
Proof.
  intros Q H C e He. destruct (C e He) as (N & HN). exists N. intros n Hn. specialize (HN n Hn). unfold R_dist in HN.
  rewrite Rminus_0_r in HN. pose proof (Rle_abs (s n)). apply dyck_separated_from; [exact Q| |lra].
  intros c x k y L. eapply Rle_trans; [apply (H n c x k y L)|]. lra.
Qed.

(* ---- the optimum is the greatest lower bound ---- *)
Theorem dyck_optimum_least q n : is_predictor four_brackets q -> dyck_optimum <= ce n q.
Proof.
  intros Q. apply mean_at_least; [apply alive_positive|]. unfold alive_mass. rewrite <- sum_words_scale.
  apply sum_words_le. intros w _. pose proof (cost_at_least q w Q) as C. assert (A : 0 <= asked_cost q w).
  { unfold asked_cost. pose proof (softplus_positive (- odds_of_right q w)). destruct (asked w); lra. }
  rewrite Rmult_comm. apply Rmult_le_compat_l; [apply word_mass_nonneg|].
  pose proof (Rmult_le_pos (1 - p) _ ltac:(lra) A). lra.
Qed.

(* What follows, but for d of it, which all symbols share. *)
Local Definition nearly (d : R) (w : list bracket) (x : option bracket) : R := (1 - d) * chance w x + d / 5.

Lemma nearly_predicts d : 0 < d < 1 -> is_predictor four_brackets (nearly d).
Proof.
  intros Hd w. split.
  - intros x. unfold nearly. pose proof (Rmult_le_pos (1 - d) _ ltac:(lra) (chance_nonneg w x)). lra.
  - unfold nearly, chance, dyck_language. simpl. destruct (bracket_stack w) as [|[|] l]; simpl; field.
Qed.

Lemma nearly_costs e w : 0 < e -> word_cost four_brackets chance (nearly (1 - exp (- e))) w <= dyck_optimum + e.
Proof.
  intros He. pose proof (exp_negative_below_1 e He) as E. set (d := 1 - exp (- e)).
  assert (L : forall y, 0 < y -> ln y - e <= ln ((1 - d) * y + d / 5)).
  { intros y Hy. replace (ln y - e) with (ln ((1 - d) * y)).
    - pose proof (Rmult_lt_0_compat (1 - d) y ltac:(unfold d; lra) Hy) as P.
      assert (P' : (1 - d) * y < (1 - d) * y + d / 5) by (unfold d; lra). left. now apply ln_increasing.
    - replace (1 - d) with (exp (- e)) by (unfold d; ring). rewrite ln_mult, ln_exp by lra. ring. }
  pose proof (L (p / 2) ltac:(lra)) as A. pose proof (L (1 - p) ltac:(lra)) as B. rewrite ln_quotient in A by lra.
  apply Rmult_le_compat_l with (r := p) in A; [|lra]. apply Rmult_le_compat_l with (r := 1 - p) in B; [|lra].
  unfold word_cost, dyck_optimum, binary_entropy, nearly, chance, dyck_language.
  cbn [total_over symbols_and_end map four_brackets]. destruct (bracket_stack w) as [|[|] l]; simpl; lra.
Qed.

Theorem dyck_optimum_approached e : 0 < e ->
  exists q, is_predictor four_brackets q /\ forall n, ce n q <= dyck_optimum + e.
Proof.
  intros He. pose proof (exp_negative_below_1 e He). exists (nearly (1 - exp (- e))).
  split; [apply nearly_predicts; lra|]. intros n. pose proof (alive_positive n) as A.
  unfold cross_entropy, mean_over_words. apply Rmult_le_reg_r with (alive_mass four_brackets chance n); [exact A|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. unfold alive_mass. rewrite <- sum_words_scale.
  apply sum_words_le. intros w _. rewrite Rmult_comm. apply Rmult_le_compat_r; [apply word_mass_nonneg|].
  now apply nearly_costs.
Qed.
End Dyck.

(* ---- a step of the printed proof ---- *)
(* "When such a prefix is followed by the correct closing bracket, the model will incur at least log 2": not after each
   one. Whoever always prefers ), whatever the prefix is, pays as little as one likes after (() . *)
Local Definition always (r : R) (w : list bracket) (x : option bracket) : R :=
  match x with None | Some (Opens _) => 1 / 4 | Some (Closes RoundBracket) => r / 4 | Some (Closes SquareBracket) =>
    (1 - r) / 4 end.

Theorem second_task_as_printed_fails e : 0 < e -> exists q, is_predictor four_brackets q /\
  (forall n, moved_by_opening q n 0) /\ asked_cost q [Closes RoundBracket; Opens RoundBracket; Opens RoundBracket] = e.
Proof.
  intros He. set (r := exp (- e)). pose proof (exp_negative_below_1 e He : 0 < r < 1) as Hr. exists (always r).
  split; [|split].
  - intros w. split; [intros [[k|[|]]|]; simpl; lra|]. simpl. lra.
  - intros n c x k y _. unfold odds_of_round, always. rewrite Rminus_diag_eq by reflexivity. rewrite Rabs_R0. lra.
  - unfold asked_cost, odds_of_right, odds_of_round, always. simpl. rewrite softplus_odds by lra.
    replace (r / 4 + (1 - r) / 4) with (1 / 4) by field. rewrite !ln_quotient, ln_1 by lra.
    unfold r. rewrite ln_exp. lra.
Qed.
