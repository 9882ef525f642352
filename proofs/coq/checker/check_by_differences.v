(* Heads whose weights depend on their own score alone (ReLU, ReLU over n, sigmoid), up to a length: what they count, and
   what several of them select together (docs/certificate.md, section 5, Selecting heads).

   Scores of such heads are a (x - y) + b, for the totals x and y of one count at the row and at the position that is
   seen. So together they weigh a position by W(x - y), a sum of responses. Read towards the row, what is counted has
   different numbers x - y: 0 is the last that is counted, 1 the one before it. If W is at least 0, near 1 at one of
   these numbers, and small at all others together, the heads hold the truth of that position's value: of the last that
   is counted (`since`, `until`), or, where all are counted, of the neighbour (`prev`, `next`). *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia Arith.
From Certify Require Import lists finite_sums softmax weighing exponential exp_enclosure relu formula network totals
  meaning linear_combination comparison cases theorem_15_since_until check_head check_feedforward check_by_cases gap_rule
  values_by_rows queries_by_rows check_by_rows check_by_sticks lookup_by_rows.
Import ListNotations.
Open Scope R_scope.

(* ---- weights of a single score ---- *)
Definition is_alone (k : weighing) : bool := match k with Relu | ReluOverN | Sigmoid => true | _ => false end.
Definition response (k : weighing) (n : nat) (x : R) : R :=
  match k with Relu => relu x | ReluOverN => relu x / INR n | _ => sigmoid x end.
Lemma weights_alone k n m i s j : is_alone k = true ->
  weights_as k n m i s j = if m j then response k n (s j) else 0.
Proof. now destruct k. Qed.
Lemma response_grows k n x y : (1 <= n)%nat -> x <= y -> response k n x <= response k n y.
Proof.
  intros Hn H. assert (R : relu x <= relu y) by (unfold relu; now apply Rle_max_compat_l).
  pose proof (INR_at_least_1 n Hn). destruct k; cbn [response]; try (now apply sigmoid_grows); try exact R.
  apply Rmult_le_compat_r; [apply inverse_nonneg; lra|exact R].
Qed.

(* ---- the sum over what is counted, from the row on ---- *)
Section Selected.
Variables (P G : nat -> bool) (W : nat -> R) (M : nat).
Hypothesis Counted : forall j, G j = true -> P j = true.
Hypothesis W0 : forall d, (d < M)%nat -> 0 <= W d.
Fixpoint tally (j : nat) : nat := match j with O => O | S j => (Nat.b2n (P (S j)) + tally j)%nat end.
Definition given (J c : nat) : R := sum J (fun j => W (c + (tally J - tally j))%nat * bit (G j)).

Lemma sum_first J f : sum (S J) f = f 1%nat + sum J (fun k => f (S k)).
Proof. rewrite (sum_cut 1 J f : sum (S J) f = _). cbn [sum]. now rewrite Rplus_0_l. Qed.
Lemma tally_le i j : (i <= j)%nat -> (tally i <= tally j)%nat.
Proof. induction 1; [lia|]. cbn [tally]. lia. Qed.
Lemma given_next J c : given (S J) c = W c * bit (G (S J)) + given J (Nat.b2n (P (S J)) + c).
Proof.
  unfold given. cbn [sum]. rewrite Nat.sub_diag, Nat.add_0_r, Rplus_comm. f_equal. apply sum_ext. intros j Hj.
  pose proof (tally_le j J ltac:(lia)). cbn [tally]. do 2 f_equal. lia.
Qed.
Lemma not_given J : P (S J) = false -> given (S J) 0 = given J 0.
Proof.
  intros E. rewrite given_next, E. destruct (G (S J)) eqn:G1; [apply Counted in G1; congruence|]. simpl. ring.
Qed.
Lemma given_range J : forall c, (c + J <= M)%nat -> 0 <= given J c <= sum J (fun k => W (c + k - 1)%nat).
Proof.
  induction J as [|J IH]; intros c H; [unfold given; simpl; lra|]. rewrite given_next.
  pose proof (W0 c ltac:(lia)) as Wc. pose proof (bit_range (G (S J))) as B.
  pose proof (sum_first J (fun k => W (c + k - 1)%nat)) as F. cbv beta in F.
  replace (c + 1 - 1)%nat with c in F by lia.
  assert (L : 0 <= W c * bit (G (S J)) <= W c * bit (P (S J))).
  { split; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat_l; [exact Wc|].
    destruct (G (S J)) eqn:E; [rewrite (Counted _ E); lra|apply bit_range]. }
  destruct (P (S J)); cbn [Nat.b2n bit] in *.
  - destruct (IH (1 + c)%nat ltac:(lia)) as [I1 I2]. rewrite Rmult_1_r in L.
    rewrite F, (sum_ext J (fun k => W (c + S k - 1)%nat) (fun k => W (1 + c + k - 1)%nat))
      by (intros; f_equal; lia). lra.
  - destruct (IH c ltac:(lia)) as [I1 I2]. rewrite Rmult_0_r in L.
    assert (T : sum J (fun k => W (c + k - 1)%nat) <= sum (S J) (fun k => W (c + k - 1)%nat))
      by (cbn [sum]; pose proof (W0 (c + S J - 1) ltac:(lia)); lra).
    replace (0 + c)%nat with c by lia. lra.
Qed.

(* All but the one that is looked for. *)
Definition beside (off k : nat) : R := if (k - 1 =? off)%nat then 0 else W (k - 1).
Lemma beside_more off J : (J <= M)%nat -> sum J (beside off) <= sum M (beside off).
Proof.
  intros H. replace M with (J + (M - J))%nat by lia. rewrite sum_cut.
  assert (0 <= sum (M - J) (fun k => beside off (J + k))); [|lra]. apply sum_nonneg. intros k Hk. unfold beside.
  destruct (_ =? off)%nat; [lra|]. apply W0. lia.
Qed.
Fixpoint last_given (j : nat) : bool :=
  match j with O => false | S j => if P (S j) then G (S j) else last_given j end.
Lemma given_last J : (J <= M)%nat -> bit (last_given J) * W 0 <= given J 0
  <= bit (last_given J) * W 0 + sum M (beside 0).
Proof.
  intros H. assert (R : given J 0 - bit (last_given J) * W 0 <= sum J (beside 0) /\
    0 <= given J 0 - bit (last_given J) * W 0); [|pose proof (beside_more 0 J H); lra].
  induction J as [|J IH]; [unfold given; simpl; lra|]. specialize (IH ltac:(lia)). destruct IH as [I1 I2].
  cbn [last_given].
  destruct (P (S J)) eqn:E.
  - rewrite given_next, E. cbn [Nat.b2n Nat.add]. destruct (given_range J 1 ltac:(lia)) as [G1 G2].
    rewrite sum_first, (sum_ext J (fun k => beside 0 (S k)) (fun k => W (1 + k - 1)%nat)).
    + replace (beside 0 1) with 0 by reflexivity. lra.
    + intros k Hk. unfold beside. now rewrite (proj2 (Nat.eqb_neq (S k - 1) 0)) by lia.
  - rewrite (not_given J E). assert (T : sum J (beside 0) <= sum (S J) (beside 0)); [|lra].
    cbn [sum]. unfold beside at 3. destruct (S J - 1 =? 0)%nat; [lra|]. pose proof (W0 (S J - 1)%nat ltac:(lia)). lra.
Qed.
Definition neighbour_given (j : nat) : bool := match j with S (S j) => G (S j) | _ => false end.
Lemma given_neighbour J : (J <= M)%nat -> (forall j, P j = true) ->
  bit (neighbour_given J) * W 1 <= given J 0 <= bit (neighbour_given J) * W 1 + sum M (beside 1).
Proof.
  intros H All. pose proof (beside_more 1 J H) as B. destruct J as [|[|J]].
  - unfold given. simpl in *. lra.
  - rewrite given_next, All. cbn [Nat.b2n Nat.add neighbour_given bit]. unfold given. cbn [sum] in *.
    replace (beside 1 1) with (W 0) in B by reflexivity. pose proof (W0 0 ltac:(lia)). pose proof (bit_range (G 1)).
    assert (0 <= W 0 * bit (G 1) <= W 0); [|lra]. split; [apply Rmult_le_pos; lra|].
    rewrite <- (Rmult_1_r (W 0)) at 2. apply Rmult_le_compat_l; lra.
  - rewrite !given_next, !All. cbn [Nat.b2n Nat.add neighbour_given]. destruct (given_range J 2 ltac:(lia)) as [G1 G2].
    rewrite !sum_first in B. replace (beside 1 1) with (W 0) in B by reflexivity.
    replace (beside 1 2) with 0 in B by reflexivity.
    rewrite (sum_ext J (fun k => beside 1 (S (S k))) (fun k => W (2 + k - 1)%nat)) in B.
    2:{ intros k Hk. unfold beside. now rewrite (proj2 (Nat.eqb_neq (S (S k) - 1) 1)) by lia. }
    pose proof (W0 0 ltac:(lia)). pose proof (bit_range (G (S (S J)))).
    assert (0 <= W 0 * bit (G (S (S J))) <= W 0); [|lra]. split; [apply Rmult_le_pos; lra|].
    rewrite <- (Rmult_1_r (W 0)) at 2. apply Rmult_le_compat_l; lra.
Qed.
End Selected.

(* ---- what heads read ---- *)
Definition place_at (s : side) (n j : nat) : nat := match s with ToLeft => j | ToRight => (S n - j)%nat end.
Definition towards (s : side) : masking := match s with ToLeft => FutureMasked | ToRight => PastMasked end.
Section Heads.
Variables (A : list meaning) (k : weighing) (s : side) (f : formula).                  (* the count *)

(* How many times the total is read, and what is added. *)
Definition affine_entry (x : meaning) : option (Q * Q) :=
  match x with
  | IsTotal s' f' => if side_eqb s' s && formula_eqb f' f then Some (1%Q, 0%Q) else None
  | IsTruth (Truth b) => Some (0%Q, truth_number b)
  | IsPosition (Formula (Num q)) => Some (0%Q, q)
  | _ => None
  end.
Fixpoint affine (r : row) : option (Q * Q) :=
  match r with
  | [] => Some (0%Q, 0%Q)
  | (d, q) :: r => bind (affine_entry (nth d A IsAnything)) (fun e => bind (affine r) (fun t =>
      Some (q * fst e + fst t, q * snd e + snd t)%Q))
  end.
(* The coefficients of x y, x, y and 1. *)
Record bilinear := Bilinear { of_both : Q; of_query : Q; of_key : Q; of_none : Q }.
Fixpoint bilinear_of (qs ks : list row) : option bilinear :=
  match qs, ks with
  | q :: qs, k :: ks => bind (affine q) (fun u => bind (affine k) (fun v => bind (bilinear_of qs ks) (fun c =>
      Some (Bilinear (fst u * fst v + of_both c) (fst u * snd v + of_query c) (snd u * fst v + of_key c)
                     (snd u * snd v + of_none c)))))
  | _, _ => Some (Bilinear 0 0 0 0)
  end.
(* a and b, if the scores are a (x - y) + b at this length. *)
Definition line_of (a : head) (n : nat) : option (Q * Q) :=
  if mentions_i (head_temperature a) then None else
  bind (exact (head_temperature a) n 1) (fun t => bind (bilinear_of (head_queries a) (head_keys a)) (fun c =>
    if negb (is_zero t) && is_zero (of_both c) && is_zero (of_query c + of_key c)
    then Some (of_query c / t, of_none c / t)%Q else None)).
Definition same_weighing (x y : weighing) : bool :=
  match x, y with Relu, Relu | ReluOverN, ReluOverN | Sigmoid, Sigmoid => true | _, _ => false end.
(* A factor of what the heads have as their value, and a line. *)
Notation term := (Q * (Q * Q))%type.
Definition term_of (n : nat) (e : direction) (ar : head * row) : option term :=
  if same_weighing (head_weighing (fst ar)) k && masking_eqb (head_masking (fst ar)) (towards s) then
    match snd ar with
    | [(d, q)] => if Nat.eqb d e then option_map (fun l => (q, l)) (line_of (fst ar) n) else None
    | _ => None
    end
  else None.

Section Correct.
Variables (users : predicate_meanings) (n : nat) (w : word) (h : nat -> vector).
Hypothesis HA : holds_of users n w A h.
Notation tr := (truth users n w).
Notation number := (fun i => INR (counted s n (tr f) i)).

Lemma affine_correct r i : (1 <= i <= n)%nat -> forall t, affine r = Some t ->
  linear r (h i) = Q2R (fst t) * number i + Q2R (snd t).
Proof.
  intros Hi. induction r as [|[d q] r IH]; intros t E; cbn [affine] in E.
  - take E. cbn [linear fst snd]. rewrite Q2R_0. ring.
  - apply bind_some in E as (e & Ee & E). apply bind_some in E as (u & Eu & E). take E. cbn [linear fst snd].
    rewrite (IH u Eu). assert (V : h i d = Q2R (fst e) * number i + Q2R (snd e)).
    { pose proof (HA i d Hi) as M. destruct (nth d A IsAnything) as [[[y| | | | | | | | |]|]|[b| | | | | | | | | | | | | |]| | | | | |s' f'| |];
        try discriminate; cbn [affine_entry] in Ee; cbn [means position_value expression_value] in M.
      - take Ee. cbn [fst snd]. rewrite M, Q2R_0. ring.
      - take Ee. cbn [fst snd]. change (tr (Truth b) i) with b in M. rewrite M, Q2R_0, truth_number_value. ring.
      - destruct (side_eqb s' s && formula_eqb f' f) eqn:S; [|discriminate]. take Ee. cbn [fst snd].
        apply andb_prop in S as [S F]. apply side_eqb_eq in S. apply formula_eqb_eq in F. subst.
        rewrite M, Q2R_0, Q2R_1. ring. }
    rewrite V, !Q2R_plus, !Q2R_mult. ring.
Qed.
Lemma bilinear_correct i j : (1 <= i <= n)%nat -> (1 <= j <= n)%nat -> forall qs ks c, bilinear_of qs ks = Some c ->
  dot_product qs ks (h i) (h j) = Q2R (of_both c) * (number i * number j) + Q2R (of_query c) * number i
    + Q2R (of_key c) * number j + Q2R (of_none c).
Proof.
  intros Hi Hj. induction qs as [|q qs IH]; intros [|r ks] c E; cbn [bilinear_of] in E;
    try (take E; cbn [dot_product of_both of_query of_key of_none]; rewrite Q2R_0; ring).
  apply bind_some in E as (u & Eu & E). apply bind_some in E as (v & Ev & E). apply bind_some in E as (c' & Ec & E).
  take E. cbn [dot_product of_both of_query of_key of_none].
  rewrite (IH ks c' Ec), (affine_correct q i Hi u Eu), (affine_correct r j Hj v Ev), !Q2R_plus, !Q2R_mult. ring.
Qed.
Lemma line_correct a l i j : (1 <= i <= n)%nat -> (1 <= j <= n)%nat -> line_of a n = Some l ->
  scaled_score a n h i j = Q2R (fst l) * (number i - number j) + Q2R (snd l).
Proof.
  intros Hi Hj E. unfold line_of in E. destruct (mentions_i (head_temperature a)) eqn:T; [discriminate|].
  apply bind_some in E as (t & Et & E). apply bind_some in E as (c & Ec & E).
  destruct (negb (is_zero t) && is_zero (of_both c) && is_zero (of_query c + of_key c)) eqn:Z; [|discriminate]. take E.
  apply andb_prop in Z as [Z Z2]. apply andb_prop in Z as [Z0 Z1]. apply negb_true_iff in Z0.
  apply Qeq_bool_R in Z1, Z2. rewrite Q2R_0 in Z1, Z2. rewrite Q2R_plus in Z2.
  assert (N : ~ (t == 0)%Q) by now apply is_zero_Q. pose proof (is_zero_R t Z0) as R.
  unfold scaled_score. rewrite (unmentioned true n n i 1 eq_refl _ T), (proj1 (exact_correct _ _ _ _ Et)).
  rewrite (bilinear_correct i j Hi Hj _ _ c Ec), Z1. cbn [fst snd]. rewrite !Q2R_div by exact N.
  replace (Q2R (of_key c)) with (- Q2R (of_query c)) by lra. field. exact R.
Qed.
End Correct.
End Heads.
