(* Heads whose weights depend on their own score only (ReLU, ReLU over n, sigmoid), up to a length: what they count,
   and what several of them select together (docs/background/obligations.md, Selecting heads).

   Scores of such heads are a (x - y) + b, for the totals x and y of one count at the row and at the position that is
   seen. So together they weigh a position by W(x - y), a sum of responses. Read towards the row, what is counted has
   different numbers x - y: 0 is the last that is counted, 1 the one before it. If W is at least 0, near 1 at one of
   these numbers, and small at all others together, the heads hold the truth of that position's value: of the last that
   is counted (`since`, `until`), or, where all are counted, of the neighbour (`prev`, `next`). *)
From Coq Require Import Reals QArith Qreals Qabs ZArith List Bool Lra Lia Arith.
From Certify Require Import options positions lists finite_sums softmax weighing exponential exp_enclosure relu
  formula network totals meaning linear_combination comparison cases theorem_15_since_until check_head
  check_feedforward check_by_cases gap_rule values_by_rows queries_by_rows check_by_rows check_by_sticks
  lookup_by_rows.
Import ListNotations PositionNotations.
Open Scope R_scope.

(* ---- weights of a single score ---- *)
Definition is_alone (k : weighing) : bool := match k with Relu | ReluOverN | Sigmoid => true | _ => false end.
Definition weighing_response (k : weighing) (n : nat) (x : R) : R :=
  match k with Relu => relu x | ReluOverN => relu x / INR n | _ => sigmoid x end.
Lemma weights_alone k n m i s j : is_alone k = true ->
  weights_as k n m i s j = if m j then weighing_response k n (s j) else 0.
Proof. now destruct k. Qed.
Lemma response_grows k n x y : (1 <= n)%nat -> x <= y -> weighing_response k n x <= weighing_response k n y.
Proof.
  intros Hn H. assert (R : relu x <= relu y) by (unfold relu; now apply Rle_max_compat_l).
  pose proof (INR_at_least_1 n Hn). destruct k; cbn [weighing_response]; try (now apply sigmoid_grows); try exact R.
  apply Rmult_le_compat_r; [apply inverse_nonneg; lra|exact R].
Qed.

(* ---- the sum over what is counted, from the row on ---- *)
Section Selected.
Variables (P G : nat -> bool) (W : nat -> R) (M : nat).
Hypothesis Counted : forall j, G j = true -> P j = true.
Hypothesis W0 : forall d, (d < M)%nat -> 0 <= W d.
Local Fixpoint tally (j : nat) : nat := match j with O => O | S j => (Nat.b2n (P (S j)) + tally j)%nat end.
Local Definition given (J c : nat) : R := sum_to J (fun j => W (c + (tally J - tally j))%nat * bit (G j)).

Lemma sum_first J f : sum_to (S J) f = f 1%nat + sum_to J (fun k => f (S k)).
Proof. rewrite (sum_cut 1 J f : sum_to (S J) f = _). cbn [sum_to]. now rewrite Rplus_0_l. Qed.
Lemma tally_le i j : (i <= j)%nat -> (tally i <= tally j)%nat. Proof. induction 1; [lia|]. cbn [tally]. lia. Qed.
Lemma given_next J c : given (S J) c = W c * bit (G (S J)) + given J (Nat.b2n (P (S J)) + c).
Proof.
  unfold given. cbn [sum_to]. rewrite Nat.sub_diag, Nat.add_0_r, Rplus_comm. f_equal. apply sum_ext. intros j Hj.
  pose proof (tally_le j J ltac:(lia)). cbn [tally]. do 2 f_equal. lia.
Qed.
Lemma not_given J : P (S J) = false -> given (S J) 0 = given J 0.
Proof. intros E. rewrite given_next, E. destruct (G (S J)) eqn:G1; [apply Counted in G1; congruence|]. simpl. ring. Qed.
Lemma given_range J : forall c, (c + J <= M)%nat -> 0 <= given J c <= sum_to J (fun k => W (c + k - 1)%nat).
Proof.
  induction J as [|J IH]; intros c H; [unfold given; simpl; lra|]. rewrite given_next.
  pose proof (W0 c ltac:(lia)) as Wc. pose proof (bit_range (G (S J))) as B.
  pose proof (sum_first J (fun k => W (c + k - 1)%nat)) as F. cbv beta in F. replace (c + 1 - 1)%nat with c in F by lia.
  assert (L : 0 <= W c * bit (G (S J)) <= W c * bit (P (S J))).
  { split; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat_l; [exact Wc|].
    destruct (G (S J)) eqn:E; [rewrite (Counted _ E); lra|apply bit_range]. }
  destruct (P (S J)); cbn [Nat.b2n bit] in *.
  - destruct (IH (1 + c)%nat ltac:(lia)) as [I1 I2]. rewrite Rmult_1_r in L.
    rewrite F, (sum_ext J (fun k => W (c + S k - 1)%nat) (fun k => W (1 + c + k - 1)%nat))
      by (intros; f_equal; lia). lra.
  - destruct (IH c ltac:(lia)) as [I1 I2]. rewrite Rmult_0_r in L.
    assert (T : sum_to J (fun k => W (c + k - 1)%nat) <= sum_to (S J) (fun k => W (c + k - 1)%nat)) by (cbn [sum_to];
      pose proof (W0 (c + S J - 1) ltac:(lia)); lra). replace (0 + c)%nat with c by lia. lra.
Qed.

(* All but the one that is looked for. *)
Definition beside (off k : nat) : R := if (k - 1 =? off)%nat then 0 else W (k - 1).
Lemma beside_more off J : (J <= M)%nat -> sum_to J (beside off) <= sum_to M (beside off).
Proof.
  intros H. replace M with (J + (M - J))%nat by lia. rewrite sum_cut.
  assert (0 <= sum_to (M - J) (fun k => beside off (J + k))); [|lra]. apply sum_nonneg. intros k Hk. unfold beside.
  destruct (_ =? off)%nat; [lra|]. apply W0. lia.
Qed.
Fixpoint last_given (j : nat) : bool := match j with O => false | S j => if P (S j) then G (S j) else last_given j end.
Lemma given_last J : (J <= M)%nat -> bit (last_given J) * W 0 <= given J 0
  <= bit (last_given J) * W 0 + sum_to M (beside 0).
Proof.
  intros H.
  assert (R : given J 0 - bit (last_given J) * W 0 <= sum_to J (beside 0) /\ 0 <= given J 0 - bit (last_given J) * W 0);
    [|pose proof (beside_more 0 J H); lra]. induction J as [|J IH]; [unfold given; simpl; lra|].
  specialize (IH ltac:(lia)). destruct IH as [I1 I2]. cbn [last_given]. destruct (P (S J)) eqn:E.
  - rewrite given_next, E. cbn [Nat.b2n Nat.add]. destruct (given_range J 1 ltac:(lia)) as [G1 G2].
    rewrite sum_first, (sum_ext J (fun k => beside 0 (S k)) (fun k => W (1 + k - 1)%nat)).
    + replace (beside 0 1) with 0 by reflexivity. lra.
    + intros k Hk. unfold beside. now rewrite (proj2 (Nat.eqb_neq (S k - 1) 0)) by lia.
  - rewrite (not_given J E). assert (T : sum_to J (beside 0) <= sum_to (S J) (beside 0)); [|lra]. cbn [sum_to].
    unfold beside at 3. destruct (S J - 1 =? 0)%nat; [lra|]. pose proof (W0 (S J - 1)%nat ltac:(lia)). lra.
Qed.
Definition neighbour_given (j : nat) : bool := match j with S (S j) => G (S j) | _ => false end.
Lemma given_neighbour J : (J <= M)%nat -> (forall j, P j = true) ->
  bit (neighbour_given J) * W 1 <= given J 0 <= bit (neighbour_given J) * W 1 + sum_to M (beside 1).
Proof.
  intros H All. pose proof (beside_more 1 J H) as B. destruct J as [|[|J]].
  - unfold given. simpl in *. lra.
  - rewrite given_next, All. cbn [Nat.b2n Nat.add neighbour_given bit]. unfold given. cbn [sum_to] in *.
    replace (beside 1 1) with (W 0) in B by reflexivity. pose proof (W0 0 ltac:(lia)). pose proof (bit_range (G 1)).
    assert (0 <= W 0 * bit (G 1) <= W 0); [|lra]. split; [apply Rmult_le_pos; lra|].
    rewrite <- (Rmult_1_r (W 0)) at 2. apply Rmult_le_compat_l; lra.
  - rewrite !given_next, !All. cbn [Nat.b2n Nat.add neighbour_given]. destruct (given_range J 2 ltac:(lia)) as [G1 G2].
    rewrite !sum_first in B. replace (beside 1 1) with (W 0) in B by reflexivity.
    replace (beside 1 2) with 0 in B by reflexivity.
    rewrite (sum_ext J (fun k => beside 1 (S (S k))) (fun k => W (2 + k - 1)%nat)) in B. 2:{ intros k Hk. unfold beside.
    now rewrite (proj2 (Nat.eqb_neq (S (S k) - 1) 1)) by lia. } pose proof (W0 0 ltac:(lia)).
    pose proof (bit_range (G (S (S J)))). assert (0 <= W 0 * bit (G (S (S J))) <= W 0); [|lra].
    split; [apply Rmult_le_pos; lra|]. rewrite <- (Rmult_1_r (W 0)) at 2. apply Rmult_le_compat_l; lra.
Qed.
End Selected.

(* ---- what heads read ---- *)
(* By which number a row is a multiple of the first one. *)
Definition row_multiple (base r : row) : option Q :=
  match base with
  | (d, _) :: _ => let c := Qred (coefficient_of Nat.eqb r d / coefficient_of Nat.eqb base d) in
                   if equal_combinations Nat.eqb r (scaled_terms c base) then Some c else None
  | [] => None
  end.
Lemma multiple_correct base r c v : row_multiple base r = Some c -> linear r v = Q2R c * linear base v.
Proof.
  unfold row_multiple. destruct base as [|[d q] rest]; [discriminate|]. cbv zeta.
  destruct (equal_combinations _ _ _) eqn:E; [|discriminate]. intros H. take H. rewrite !linear_combined.
  etransitivity; [exact (equal_correct Nat.eqb (fun u v => proj1 (Nat.eqb_eq u v)) v _ _ E)|apply combined_scaled].
Qed.
Definition greater_size (p q : Q) : Q := if Qle_bool (Qabs p) (Qabs q) then q else p.
Definition place_at (s : side) (n j : nat) : nat := match s with ToLeft => j | ToRight => (S n - j)%nat end.
Section Heads.
Variables (A : list meaning) (k : weighing) (s : side) (f : formula).                  (* the count *)

(* How many times the total is read, and what is added, at length n. *)
Variable n : nat.
Definition affine_entry (x : meaning) : option (Q * Q) :=
  match x with
  | IsTotal s' f' => if side_eqb s' s && formula_eqb f' f then Some (1%Q, 0%Q) else None
  | IsTruth (Truth b) => Some (0%Q, truth_number b)
  | IsPosition (Formula e) => if mentions_i e then None else option_map (fun q => (0%Q, q)) (exact_value e n 1)
  | _ => None
  end.
Local Fixpoint affine (r : row) : option (Q * Q) :=
  match r with
  | [] => Some (0%Q, 0%Q)
  | (d, q) :: r => option_bind (affine_entry (nth d A IsAnything)) (fun e => option_bind (affine r) (fun t =>
      Some (q * fst e + fst t, q * snd e + snd t)%Q))
  end.
(* The coefficients of x y, x, y and 1. *)
Record bilinear_form := BilinearForm { of_both : Q; of_query : Q; of_key : Q; of_none : Q }.
Fixpoint bilinear_of (qs ks : list row) : option bilinear_form :=
  match qs, ks with
  | q :: qs, k :: ks => option_bind (affine q) (fun u => option_bind (affine k) (fun v =>
    option_bind (bilinear_of qs ks) (fun c =>
      Some (BilinearForm (fst u * fst v + of_both c) (fst u * snd v + of_query c) (snd u * fst v + of_key c)
                     (snd u * snd v + of_none c)))))
  | _, _ => Some (BilinearForm 0 0 0 0)
  end.
(* a and b, if the scores are a (x - y) + b at this length. *)
Definition line_of (a : head) : option (Q * Q) :=
  if mentions_i (head_temperature a) then None else
  option_bind (exact_value (head_temperature a) n 1) (fun t => option_bind (bilinear_of (head_queries a) (head_keys a))
    (fun c => if negb (is_zero t) && is_zero (of_both c) && is_zero (of_query c + of_key c)
    then Some (of_query c / t, of_none c / t)%Q else None)).
Definition same_weighing (x y : weighing) : bool :=
  match x, y with Relu, Relu | ReluOverN, ReluOverN | Sigmoid, Sigmoid => true | _, _ => false end.
(* A factor of what the heads have as their value, 0 or 1 where the base is 0 or the scale, and a line. *)
Notation share_of_head := (Q * (Q * Q))%type.
Definition term_of (base : row) (scale : Q) (ar : head * row) : option share_of_head :=
  if same_weighing (head_weighing (fst ar)) k && masking_eqb (head_masking (fst ar)) (mean_masking s) then
    option_bind (row_multiple base (snd ar)) (fun c => option_map (fun l => (Qred (c * scale), l)) (line_of (fst ar)))
  else None.

Section Correct.
Variables (users : predicate_meanings) (w : word) (h : nat -> vector).
Hypothesis HA : holds_of users n w A h.
Notation tr := (truth users n w).
Notation number := (fun i => INR (counted_on s n (tr f) i)).

Lemma affine_correct r (i : position n) : forall t, affine r = Some t ->
  linear r (h i) = Q2R (fst t) * number i + Q2R (snd t).
Proof.
  induction r as [|[d q] r IH]; intros t E; cbn [affine] in E.
  - take E. cbn [linear fst snd]. rewrite Q2R_0. ring.
  - apply bind_some in E as (e & Ee & E). apply bind_some in E as (u & Eu & E). take E. cbn [linear fst snd].
    rewrite (IH u Eu). assert (V : h i d = Q2R (fst e) * number i + Q2R (snd e)).
    { pose proof (HA i d (in_word i)) as M.
      destruct (nth d A IsAnything) as [[y|]|[b| | | | | | | | | | | | | |]| | | | | |
        s' f'| |]; try discriminate; cbn [affine_entry] in Ee; cbn [meaning_holds position_value expression_value] in M.
      - destruct (mentions_i y) eqn:Y; [discriminate|]. destruct (exact_value y n 1) as [q'|] eqn:X; [|discriminate].
        cbn [option_map] in Ee. take Ee. cbn [fst snd].
        rewrite M, (value_unmentioned true n n i 1 eq_refl _ Y), (proj1 (exact_correct _ _ _ _ X)), Q2R_0. ring.
      - take Ee. cbn [fst snd]. change (tr (Truth b) i) with b in M. rewrite M, Q2R_0, truth_number_value. ring.
      - destruct (side_eqb s' s && formula_eqb f' f) eqn:S; [|discriminate]. take Ee. cbn [fst snd].
        apply andb_prop in S as [S F]. apply side_eqb_eq in S. apply formula_eqb_eq in F. subst.
        rewrite M, Q2R_0, Q2R_1. ring. }
    rewrite V, !Q2R_plus, !Q2R_mult. ring.
Qed.
Lemma bilinear_correct (i j : position n) : forall qs ks c, bilinear_of qs ks = Some c -> dot_product qs ks (h i) (h j)
  = Q2R (of_both c) * (number i * number j) + Q2R (of_query c) * number i + Q2R (of_key c) * number j + Q2R (of_none c).
Proof.
  induction qs as [|q qs IH]; intros [|r ks] c E; cbn [bilinear_of] in E;
    try (take E; cbn [dot_product of_both of_query of_key of_none]; rewrite Q2R_0; ring).
  apply bind_some in E as (u & Eu & E). apply bind_some in E as (v & Ev & E). apply bind_some in E as (c' & Ec & E).
  take E. cbn [dot_product of_both of_query of_key of_none].
  rewrite (IH ks c' Ec), (affine_correct q i u Eu), (affine_correct r j v Ev), !Q2R_plus, !Q2R_mult. ring.
Qed.
Lemma line_correct a l (i j : position n) : line_of a = Some l ->
  scaled_score a n h i j = Q2R (fst l) * (number i - number j) + Q2R (snd l).
Proof.
  intros E. unfold line_of in E. destruct (mentions_i (head_temperature a)) eqn:T; [discriminate|].
  apply bind_some in E as (t & Et & E). apply bind_some in E as (c & Ec & E).
  destruct (negb (is_zero t) && is_zero (of_both c) && is_zero (of_query c + of_key c)) eqn:Z; [|discriminate]. take E.
  apply andb_prop in Z as [Z Z2]. apply andb_prop in Z as [Z0 Z1]. apply negb_true_iff in Z0.
  apply Qeq_bool_R in Z1, Z2. rewrite Q2R_0 in Z1, Z2. rewrite Q2R_plus in Z2.
  assert (N : ~ (t == 0)%Q) by now apply is_zero_Q. pose proof (is_zero_R t Z0) as R.
  unfold scaled_score. rewrite (value_unmentioned true n n i 1 eq_refl _ T), (proj1 (exact_correct _ _ _ _ Et)).
  rewrite (bilinear_correct i j _ _ c Ec), Z1. cbn [fst snd]. rewrite !Q2R_div by exact N.
  replace (Q2R (of_key c)) with (- Q2R (of_query c)) by lra. field. exact R.
Qed.
End Correct.
End Heads.

(* ---- what they weigh together, between two numbers ---- *)
Local Notation share_of_head := (Q * (Q * Q))%type.
Notation term_list := (list (Q * (Q * Q))).
Definition at_distance (t : share_of_head) (d : nat) : Q := (fst (snd t) * inject_Z (Z.of_nat d) + snd (snd t))%Q.
Definition scaled_ends (q : Q) (I : value_ends) : value_ends :=
  let J := if Qle_bool 0 q then I else (snd I, fst I) in
  (Qnum q * fst J / Zpos (Qden q), ceiling_div (Qnum q * snd J) (Zpos (Qden q)))%Z.
(* Those of ReLUs are rational. *)
Definition relu_of (z : Q) : Q := if Qle_bool 0 z then z else 0%Q.
Definition summed_relus (d : nat) (ts : list share_of_head) : Q :=
  fold_right (fun t x => Qred (fst t * relu_of (at_distance t d) + x)) 0%Q ts.
Definition summed_ends (k : weighing) (n d : nat) (ts : list share_of_head) : value_ends :=
  match k with
  | Relu => enclosed_rational (summed_relus d ts)
  | ReluOverN => enclosed_rational (summed_relus d ts / inject_Z (Z.of_nat n))
  | _ => fold_right (fun t I => let z := enclosed_rational (at_distance t d) in
      let J := scaled_ends (fst t) (sigmoid_below (fst z), sigmoid_above (snd z)) in
      (fst J + fst I, snd J + snd I)%Z) (0, 0)%Z ts
  end.
(* Responses grow with scores. So if the factors of the greatest scores add up to at least 0, however many are taken,
   the sum is not negative, however small it is. *)
Local Fixpoint inserted (t : Q * Q) (l : list (Q * Q)) : list (Q * Q) :=
  match l with
  | [] => [t]
  | u :: m => if Qeq_bool (snd u) (snd t) then (fst u + fst t, snd u)%Q :: m
              else if Qle_bool (snd u) (snd t) then t :: l else u :: inserted t m
  end.
Definition by_score (d : nat) (ts : list share_of_head) : list (Q * Q) :=
  fold_right (fun t => inserted (fst t, at_distance t d)) [] ts.
Fixpoint stays_above (sum : Q) (l : list (Q * Q)) : bool :=
  match l with
  | [] => true
  | t :: m => let x := (sum + fst t)%Q in
              Qle_bool 0 x && match m with u :: _ => Qle_bool (snd u) (snd t) | [] => true end && stays_above x m
  end.
Definition never_negative (d : nat) (ts : list share_of_head) : bool := stays_above 0 (by_score d ts).
Definition weight_ends (k : weighing) (n : nat) (ts : list share_of_head) (d : nat) : value_ends :=
  let I := summed_ends k n d ts in if never_negative d ts then (Z.max 0 (fst I), snd I) else I.
Definition weighs_as (k : weighing) (n : nat) (ts : list share_of_head) (d : nat) : R :=
  total_over (fun t => Q2R (fst t) * weighing_response k n (Q2R (fst (snd t)) * INR d + Q2R (snd (snd t)))) ts.

Lemma at_distance_value t d : Q2R (at_distance t d) = Q2R (fst (snd t)) * INR d + Q2R (snd (snd t)).
Proof. unfold at_distance. rewrite Q2R_plus, Q2R_mult, Q2R_of_nat. reflexivity. Qed.
Lemma relu_of_value z : Q2R (relu_of z) = relu (Q2R z).
Proof.
  unfold relu_of. destruct (Qle_bool 0 z) eqn:E.
  - apply Qle_bool_R in E. rewrite Q2R_0 in E. now rewrite relu_linear.
  - rewrite Q2R_0, relu_zero; [reflexivity|]. apply Rnot_lt_le. intros L.
    assert (T : (0 <= z)%Q) by (apply Rle_Qle; rewrite Q2R_0; lra). apply Qle_bool_iff in T. congruence.
Qed.
Lemma summed_relus_value n d ts : Q2R (summed_relus d ts) = weighs_as Relu n ts d.
Proof.
  unfold weighs_as. induction ts as [|t ts IH]; [apply Q2R_0|].
  cbn [summed_relus fold_right total_over weighing_response]. fold (summed_relus d ts).
  rewrite Q2R_reduced, Q2R_plus, Q2R_mult, relu_of_value, at_distance_value, IH. reflexivity.
Qed.
Lemma sigmoid_inside z : ends_contain (sigmoid_below (fst (enclosed_rational z)), sigmoid_above (snd (enclosed_rational
  z))) (sigmoid (Q2R z)).
Proof.
  destruct (closely_inside z) as [L U]. split; cbn [fst snd].
  - eapply Rle_trans; [apply sigmoid_below_correct|now apply sigmoid_grows].
  - eapply Rle_trans; [|apply sigmoid_above_correct]. now apply sigmoid_grows.
Qed.
Lemma scaled_inside q I x : ends_contain I x -> ends_contain (scaled_ends q I) (Q2R q * x).
Proof.
  intros [L U]. unfold scaled_ends. set (d := Zpos (Qden q)). assert (D : (0 < d)%Z) by reflexivity.
  pose proof (u_pos score_bits score_bits_nonneg) as P. assert (Dr : 0 < IZR d) by now apply IZR_lt.
  assert (E : forall z, IZR (Qnum q * z) / IZR d / IZR (2 ^ score_bits) = Q2R q * score_value z).
  { intros z. unfold Q2R, fixed. rewrite mult_IZR. fold d. field. lra. }
  assert (F : forall z, score_value (Qnum q * z / d) <= Q2R q * score_value z).
  { intros z. rewrite <- E. apply Rmult_le_compat_r; [now apply inverse_nonneg|]. now apply floor_div_le. }
  assert (G : forall z, Q2R q * score_value z <= score_value (ceiling_div (Qnum q * z) d)).
  { intros z. rewrite <- E. apply Rmult_le_compat_r; [now apply inverse_nonneg|]. now apply ceiling_div_ge. }
  destruct (Qle_bool 0 q) eqn:S; cbn [fst snd].
  - apply Qle_bool_R in S. rewrite Q2R_0 in S.
    split; [eapply Rle_trans; [apply F|]|eapply Rle_trans; [|apply G]]; now apply Rmult_le_compat_l.
  - assert (N : Q2R q <= 0).
    { apply Rnot_lt_le. intros L0. assert (T : (0 <= q)%Q) by (apply Rle_Qle; rewrite Q2R_0; lra).
      apply Qle_bool_iff in T. congruence. }
    split; [eapply Rle_trans; [apply F|]|eapply Rle_trans; [|apply G]]; now apply Rmult_le_compat_neg_l.
Qed.
Local Lemma summed_inside k n d ts : (1 <= n)%nat -> is_alone k = true ->
  ends_contain (summed_ends k n d ts) (weighs_as k n ts d).
Proof.
  intros Hn K. destruct k; try discriminate; cbn [summed_ends].
  - rewrite <- summed_relus_value. apply closely_inside.
  - replace (weighs_as ReluOverN n ts d) with (Q2R (summed_relus d ts / inject_Z (Z.of_nat n)));
      [apply closely_inside|].
    pose proof (INR_at_least_1 n Hn) as P. rewrite Q2R_div, Q2R_of_nat, (summed_relus_value n).
    + unfold weighs_as, Rdiv. rewrite Rmult_comm, <- total_scale. apply total_ext. intros t _. cbn [weighing_response].
      unfold Rdiv. ring.
    + intros E. apply Qeq_eqR in E. rewrite Q2R_of_nat, Q2R_0 in E. lra.
  - induction ts as [|t ts [L U]]; [split; cbn; rewrite fixed_0; lra|].
    pose proof (scaled_inside (fst t) _ _ (sigmoid_inside (at_distance t d))) as [L' U'].
    rewrite at_distance_value in L', U'. unfold weighs_as in *. cbn [fold_right total_over weighing_response] in *.
    split; cbn [fst snd]; rewrite fixed_plus; lra.
Qed.
Lemma response_nonneg k n x : (1 <= n)%nat -> 0 <= weighing_response k n x.
Proof.
  intros Hn. pose proof (INR_at_least_1 n Hn). assert (P : 0 <= relu x) by apply Rmax_l.
  pose proof (sigmoid_range x). destruct k; cbn [weighing_response]; try lra. apply quotient_nonneg; lra.
Qed.
Local Notation responds k n := (fun t => Q2R (fst t) * weighing_response k n (Q2R (snd t))).
Lemma inserted_total k n t l : total_over (responds k n) (inserted t l) = responds k n t + total_over (responds k n) l.
Proof.
  induction l as [|u l IH]; [reflexivity|]. cbn [inserted]. destruct (Qeq_bool (snd u) (snd t)) eqn:E.
  - apply Qeq_bool_R in E. cbn [total_over fst snd]. rewrite Q2R_plus, E. ring.
  - destruct (Qle_bool _ _); [reflexivity|]. cbn [total_over]. rewrite IH. ring.
Qed.
Lemma stays_above_correct k n l : (1 <= n)%nat -> forall sum x, 0 <= Q2R sum -> stays_above sum l = true ->
  match l with t :: _ => Q2R (snd t) <= x | [] => True end -> 0 <= Q2R sum * weighing_response k n x + total_over
    (responds k n) l.
Proof.
  intros Hn. induction l as [|t l IH]; intros sum x S H L; cbn [total_over].
  - pose proof (response_nonneg k n x Hn) as P. pose proof (Rmult_le_pos _ _ S P). lra.
  - cbn [stays_above] in H. cbv zeta in H. apply andb_prop in H as [H A]. apply andb_prop in H as [X O].
    apply Qle_bool_R in X. rewrite Q2R_0 in X.
    assert (Next : match l with u :: _ => Q2R (snd u) <= Q2R (snd t) | [] => True end) by (destruct l;
      [exact I|now apply Qle_bool_R]). specialize (IH _ _ X A Next). rewrite Q2R_plus in IH.
    pose proof (Rmult_le_compat_l _ _ _ S (response_grows k n _ _ Hn L)). lra.
Qed.
Lemma never_negative_correct k n d ts : (1 <= n)%nat -> never_negative d ts = true -> 0 <= weighs_as k n ts d.
Proof.
  intros Hn H. assert (E : total_over (responds k n) (by_score d ts) = weighs_as k n ts d).
  { clear H. unfold weighs_as. induction ts as [|t ts IH]; [reflexivity|]. cbn [by_score fold_right total_over].
    rewrite inserted_total. fold (by_score d ts). rewrite IH. cbn [fst snd]. now rewrite at_distance_value. }
  rewrite <- E. unfold never_negative in H. destruct (by_score d ts) as [|t l] eqn:B; [cbn [total_over]; lra|].
  pose proof (stays_above_correct k n (t :: l) Hn 0 (Q2R (snd t))) as T. rewrite Q2R_0 in T.
  specialize (T (Rle_refl 0) H (Rle_refl _)). lra.
Qed.
Lemma weight_inside k n ts d : (1 <= n)%nat -> is_alone k = true -> ends_contain (weight_ends k n ts d) (weighs_as k n
  ts d).
Proof.
  intros Hn K. unfold weight_ends. pose proof (summed_inside k n d ts Hn K) as [L U].
  destruct (never_negative d ts) eqn:N; [|now split]. pose proof (never_negative_correct k n d ts Hn N).
  split; cbn [fst snd]; [|exact U]. destruct (Z.max_spec 0 (fst (summed_ends k n d ts))) as [[_ ->]|[_ ->]]; [exact L|].
  rewrite fixed_0. exact H.
Qed.

(* At one length: near 1 at the number that is looked for, at least 0 and small at all others below M together. *)
Definition rest_of (off : nat) (ws : list (nat * value_ends)) : Z :=
  fold_right (fun e x => if Nat.eqb (fst e) off then x else (snd (snd e) + x)%Z) 0%Z ws.
Definition weights_to (k : weighing) (n : nat) (ts : list share_of_head) (M : nat) : list (nat * value_ends) :=
  map (fun d => (d, weight_ends k n ts d)) (seq 0 M).
Definition is_single (M off : nat) (ws : list (nat * value_ends)) (if_false if_true : Q) : bool :=
  let rest := rest_of off ws in
  let main := snd (nth off ws (off, (0, 0)%Z)) in
  forallb (fun e => 0 <=? fst (snd e))%Z ws
  && Qle_bool (inject_Z rest) (if_false * inject_Z (fixed_unit score_bits))
  && ((M <=? off)%nat || Qle_bool ((1 - if_true) * inject_Z (fixed_unit score_bits)) (inject_Z (fst main))
        && (snd main + rest <=? fixed_unit score_bits)%Z).
Definition singles_out (k : weighing) (n M off : nat) (ts : list share_of_head) (if_false if_true : Q) : bool :=
  is_single M off (weights_to k n ts M) if_false if_true.
Lemma weights_to_nth k n ts M d x : (d < M)%nat -> nth d (weights_to k n ts M) x = (d, weight_ends k n ts d).
Proof.
  intros H. unfold weights_to. rewrite (nth_indep _ x (0%nat, weight_ends k n ts 0))
    by now rewrite length_map, length_seq. rewrite (map_nth (fun d => (d, weight_ends k n ts d))). now rewrite seq_nth.
Qed.

Lemma rest_value k n off ts : (1 <= n)%nat -> is_alone k = true -> forall M,
  sum_to M (beside (weighs_as k n ts) off) <= score_value (rest_of off (weights_to k n ts M)).
Proof.
  intros Hn K. assert (App : forall l m, rest_of off (l ++ m) = (rest_of off l + rest_of off m)%Z).
  { induction l as [|e l IH]; intros m; [reflexivity|]. cbn [rest_of fold_right app]. fold (rest_of off (l ++ m)).
    fold (rest_of off l). rewrite IH. destruct (fst e =? off)%nat; lia. }
  induction M as [|M IH]; [simpl; rewrite fixed_0; lra|]. unfold weights_to. rewrite seq_S, map_app, App, fixed_plus.
  fold (weights_to k n ts M). cbn [sum_to]. apply Rplus_le_compat; [exact IH|]. unfold beside.
  cbn [map rest_of fold_right fst snd Nat.add]. replace (S M - 1)%nat with M by lia.
  destruct (M =? off)%nat; [rewrite fixed_0; lra|]. rewrite Z.add_0_r. now apply weight_inside.
Qed.
(* The contributions; `t` is true if the position looked up contributes. *)
Lemma singles_out_correct k n M off ts e_false e_true (t : bool) x : (1 <= n)%nat -> is_alone k = true ->
  singles_out k n M off ts e_false e_true = true -> (t = true -> (off < M)%nat) -> Q2R e_false <= 1 ->
  bit t * weighs_as k n ts off <= x <= bit t * weighs_as k n ts off + sum_to M (beside (weighs_as k n ts) off) ->
  0 <= x <= 1 /\ if t then 1 - Q2R e_true <= x else x <= Q2R e_false.
Proof.
  intros Hn K H Ht E1 [X1 X2]. unfold singles_out, is_single in H. cbv zeta in H. apply andb_prop in H as [H Main].
  apply andb_prop in H as [Lows Rest]. pose proof (rest_value k n off ts Hn K M) as R.
  set (rest := rest_of off _) in *. pose proof (weight_inside k n ts off Hn K) as [L U].
  set (main := weight_ends k n ts off) in *. pose proof (u_pos score_bits score_bits_nonneg) as P.
  assert (Of : forall q z, Q2R (q * inject_Z (fixed_unit score_bits)) <= IZR z -> Q2R q <= score_value z).
  { intros q z Q. rewrite Q2R_mult, Q2R_inject_Z, one_power in Q by apply score_bits_nonneg. unfold fixed.
    apply Rmult_le_reg_r with (IZR (2 ^ score_bits)); [exact P|]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. exact Q. }
  assert (Up : score_value rest <= Q2R e_false).
  { apply Qle_bool_R in Rest. rewrite Q2R_mult, !Q2R_inject_Z, one_power in Rest by apply score_bits_nonneg.
    unfold fixed. apply Rmult_le_reg_r with (IZR (2 ^ score_bits)); [exact P|]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. exact Rest. }
  destruct t; cbn [bit] in *; rewrite ?Rmult_1_l, ?Rmult_0_l in *; [|split; lra]. specialize (Ht eq_refl).
  rewrite weights_to_nth, (proj2 (Nat.leb_gt M off) Ht) in Main by exact Ht. cbn [orb snd] in Main. fold main in Main.
  apply andb_prop in Main as [M1 M2]. apply Qle_bool_R in M1. rewrite Q2R_inject_Z in M1. apply Of in M1.
  rewrite Q2R_minus, Q2R_1 in M1. apply Z.leb_le in M2. apply (fixed_le score_bits score_bits_nonneg) in M2.
  rewrite fixed_plus, fixed_one in M2 by apply score_bits_nonneg. rewrite forallb_forall in Lows.
  assert (W : 0 <= score_value (fst main)).
  { specialize (Lows (off, main)). cbn [fst snd] in Lows. apply fixed_nonneg; [apply score_bits_nonneg|].
    apply Z.leb_le, Lows, (in_map (fun d => (d, weight_ends k n ts d))), in_seq. lia. }
  lra.
Qed.
Lemma singles_out_nonneg k n M off ts x y d : (1 <= n)%nat -> is_alone k = true ->
  singles_out k n M off ts x y = true -> (d < M)%nat -> 0 <= weighs_as k n ts d.
Proof.
  intros Hn K H Hd. unfold singles_out, is_single in H. cbv zeta in H. apply andb_prop in H as [H _].
  apply andb_prop in H as [H _]. rewrite forallb_forall in H. specialize (H (d, weight_ends k n ts d)). cbn [snd] in H.
  destruct (weight_inside k n ts d Hn K) as [L _]. eapply Rle_trans; [|exact L].
  apply fixed_nonneg; [apply score_bits_nonneg|]. apply Z.leb_le, H.
  apply (in_map (fun d => (d, weight_ends k n ts d))), in_seq. lia.
Qed.

(* ---- several heads at one row ---- *)
Section Sum.
Variables (A : list meaning) (k : weighing) (s : side) (f : formula) (base : row) (scale : Q) (g : nat -> bool).
Variables (users : predicate_meanings) (n : nat) (w : word) (h : nat -> vector) (i : position n).
Hypothesis HA : holds_of users n w A h.
Hypothesis K : is_alone k = true.
Hypothesis Values : each j upto n, linear base (h j) = Q2R scale * bit (g j).
Notation tr := (truth users n w).
Notation P := (fun j => tr f (place_at s n j)).
Notation G := (fun j => g (place_at s n j)).
Notation J := (place_at s n i).

Lemma place_row : J upto n /\ place_at s n J = i. Proof. unfold place_at. destruct s; lia. Qed.
Lemma counted_tally i' : i' upto n -> counted_on s n (tr f) i' = tally P (place_at s n i').
Proof.
  intros Hi'. unfold counted_on, looked_at, place_at. destruct s; clear - Hi'.
  - induction i' as [|i' IH]; [reflexivity|]. destruct (Nat.eq_dec i' 0) as [->|N].
    + cbn. now destruct (tr f 1).
    + rewrite seq_S, filter_app, length_app, IH by lia. change (1 + i')%nat with (S i'). cbn [tally filter].
      destruct (tr f (S i')); cbn [length Nat.b2n]; lia.
  - assert (T : forall m, (m <= n)%nat -> length (filter (tr f) (seq (S n - m) m))
      = tally (fun j => tr f (S n - j)%nat) m).
    { induction m as [|m IH]; intros Hm; [reflexivity|]. cbn [seq filter tally].
      replace (S (S n - S m)) with (S n - m)%nat by lia. destruct (tr f (S n - S m)); cbn [length Nat.b2n];
        rewrite IH; lia. }
    rewrite <- T by lia. now replace (S n - (S n - i'))%nat with i' by lia.
Qed.
Lemma alone_term ar t : term_of A k s f n base scale ar = Some t -> head_value (fst ar) n h i (snd ar)
  = sum_to n (fun j => (if mask_at (mean_masking s) i j
      then Q2R (fst t) * weighing_response k n (Q2R (fst (snd t)) * (INR (counted_on s n (tr f) i) - INR (counted_on s n
        (tr f) j))
        + Q2R (snd (snd t))) else 0) * bit (g j)).
Proof.
  intros T. unfold term_of in T. destruct (same_weighing _ k && _) eqn:S; [|discriminate].
  apply andb_prop in S as [S M]. apply masking_eqb_eq in M.
  assert (Kh : head_weighing (fst ar) = k) by (destruct (head_weighing (fst ar)), k; discriminate || reflexivity).
  apply bind_some in T as (c & C & T). destruct (line_of A s f n (fst ar)) as [l|] eqn:L; [|discriminate].
  cbn [option_map] in T. take T. cbn [fst snd]. unfold head_value, attend_as. apply sum_ext. intros j Hj.
  rewrite Kh, M, weights_alone by exact K. destruct (mask_at (mean_masking s) i j); [|ring].
  pose proof (line_correct A s f n users w h HA _ l i (Position j Hj) L) as Line. cbn [positions.place] in Line.
  rewrite Line, (multiple_correct base _ c _ C), (Values j Hj). rewrite Q2R_reduced, Q2R_mult. ring.
Qed.
Lemma alone_terms as_ : forall ts, traverse (term_of A k s f n base scale) as_ = Some ts ->
  total_over (fun ar => head_value (fst ar) n h i (snd ar)) as_ = given P G (weighs_as k n ts) J 0.
Proof.
  assert (T : forall ts, traverse (term_of A k s f n base scale) as_ = Some ts ->
    total_over (fun ar => head_value (fst ar) n h i (snd ar)) as_ = sum_to n (fun j => (if mask_at (mean_masking s) i j
      then total_over (fun t => Q2R (fst t) * weighing_response k n (Q2R (fst (snd t)) * (INR (counted_on s n (tr f) i)
        - INR (counted_on s n (tr f) j)) + Q2R (snd (snd t)))) ts else 0) * bit (g j))).
  { induction as_ as [|ar as_ IH]; intros ts E; cbn [traverse] in E.
    - injection E as <-. cbn [total_over]. symmetry. apply sum_zero. intros j _. destruct (mask_at _ i j); ring.
    - destruct (term_of A k s f n base scale ar) as [t|] eqn:Et; [|discriminate].
      destruct (traverse _ as_) as [ts'|] eqn:Es; [|discriminate]. injection E as <-. cbn [total_over].
      rewrite (alone_term ar t Et), (IH ts' eq_refl), <- sum_plus. apply sum_ext. intros j _.
      destruct (mask_at (mean_masking s) i j); ring. }
  intros ts E. rewrite (T ts E). clear T E. destruct place_row as [HJ HS].
  unfold given. set (F := fun j => weighs_as k n ts (0 + (tally P J - tally P j)) * bit (G j)).
  transitivity (sum_to n (fun j => bit (j <=? J)%nat * F j)); [|apply sum_up_to; lia].
  assert (Swap : forall X, sum_to n X = sum_to n (fun j => X (place_at s n j))).
  { intros X. unfold place_at. destruct s; [reflexivity|symmetry; apply sum_backwards]. }
  rewrite Swap. apply sum_ext. intros j Hj. assert (Hp : place_at s n j upto n) by (unfold place_at; destruct s; lia).
  assert (Back : place_at s n (place_at s n j) = j) by (unfold place_at; destruct s; lia).
  assert (M : mask_at (mean_masking s) i (place_at s n j) = (j <=? J)%nat).
  { unfold place_at, mean_masking, mask_at, future_mask, past_mask. destruct s; [reflexivity|].
    destruct (Nat.leb_spec i (S n - j)), (Nat.leb_spec j (S n - i)); reflexivity || (exfalso; lia). }
  rewrite M. destruct (Nat.leb_spec j J) as [L|L]; cbn [bit]; [|ring]. unfold F, weighs_as. rewrite Rmult_1_l. f_equal.
  apply total_ext. intros t _. rewrite (counted_tally i (in_word i)), (counted_tally _ Hp), Back, Nat.add_0_l.
  rewrite minus_INR by (now apply tally_le). reflexivity.
Qed.
End Sum.

(* ---- which position is looked for ---- *)
Definition settled_cases (l : list formula) (agrees : case -> bool) : bool :=
  let atoms := fold_right add_unread [] l in
  (length atoms <=? 8)%nat && forallb agrees (filter consistent_case (cases_of_atoms atoms [Eq])).
Section Values.
Variables (A : list meaning) (base : row).
Definition row_truths : list formula :=
  flat_map (fun e => match nth (fst e) A IsAnything with IsTruth g => [g] | _ => [] end) base.
(* The value that is greatest in size; where all are 0, any will do. *)
Definition scale_by_cases : Q :=
  let values := flat_map (fun c => match constant_part A c base with Some q => [q] | None => [] end)
    (filter consistent_case (cases_of_atoms (fold_right add_unread [] row_truths) [Eq])) in
  let most := fold_left greater_size values 0%Q in
  if is_zero most then 1%Q else most.
Variable scale : Q.
Definition is_worth (c : case) (b : bool) : bool :=
  match constant_part A c base with Some q => Qeq_bool q (if b then scale else 0) | None => false end.
(* What is counted decides x since y, and then the value is what it brings; what is not counted has none. *)
Definition brings_as (x y f : formula) (c : case) : bool :=
  match evaluate c x, evaluate c y, evaluate c f with
  | Some p, Some q, Some cf => eqb cf (implb p q) && is_worth c (p && q)
  | _, _, _ => false
  end.
Local Definition brings (x : formula) (c : case) : bool :=
  match evaluate c x with Some p => is_worth c p | None => false end.
(* 0: the last that is counted; 1: the neighbour. *)
Definition looked_for (chi : formula) (s : side) (f : formula) : option nat :=
  match position_part A base, chi, s with
  | [], Since x y, ToLeft | [], Until x y, ToRight =>
      if settled_cases (x :: y :: f :: row_truths) (brings_as x y f) then Some 0%nat else None
  | [], Previous x, ToLeft | [], Next x, ToRight =>
      if formula_eqb f (Truth true) && settled_cases (x :: row_truths) (brings x) then Some 1%nat else None
  | _, _, _ => None
  end.
End Values.

Section LookedFor.
Variables (A : list meaning) (base : row) (scale : Q).
Variables (users : predicate_meanings) (n : nat) (w : word) (h : nat -> vector).
Hypothesis HA : holds_of users n w A h.
Hypothesis Whole : position_part A base = [].
Notation tr := (truth users n w).
Lemma settled_correct l agrees j : settled_cases l agrees = true -> exists c, case_holds users n w j c /\
  agrees c = true.
Proof.
  intros H. unfold settled_cases in H. apply andb_prop in H as [_ H]. rewrite forallb_forall in H.
  exists (real_case users n w j (fold_right add_unread [] l) Eq). split; [apply real_case_real|]. apply H, filter_In.
  split; [now apply real_case_listed; left|apply real_case_possible].
Qed.
Notation worth g := (each j upto n, linear base (h j) = Q2R scale * bit (g j)).
Lemma worth_correct c j b : j upto n -> case_holds users n w j c -> is_worth A base scale c b = true ->
  linear base (h j) = Q2R scale * bit b.
Proof.
  intros Hj R H. unfold is_worth in H. destruct (constant_part A c base) as [q|] eqn:E; [|discriminate].
  apply Qeq_bool_R in H. rewrite (parts_value A users n w h HA c base j Hj R q E), Whole, H.
  cbn [part_value fold_right]. destruct b; cbn [bit]; rewrite ?Q2R_0; ring.
Qed.
Lemma brings_as_correct x y f atoms : settled_cases atoms (brings_as A base scale x y f) = true ->
  worth (fun j => tr x j && tr y j) /\ forall j, tr f j = implb (tr x j) (tr y j).
Proof.
  intros H. assert (T : forall j, exists c p q, case_holds users n w j c /\ tr x j = p /\ tr y j = q
    /\ tr f j = implb p q /\ is_worth A base scale c (p && q) = true).
  { intros j. destruct (settled_correct _ _ j H) as (c & R & B). unfold brings_as in B.
    pose proof (evaluate_correct users n w j c R) as E. destruct (evaluate c x) as [p|] eqn:X; [|discriminate].
    destruct (evaluate c y) as [q|] eqn:Y; [|discriminate]. destruct (evaluate c f) as [cf|] eqn:F; [|discriminate].
    apply andb_prop in B as [B1 B2]. apply eqb_prop in B1. subst cf. exists c, p, q. auto 6. }
  split; intros j; [intros Hj|]; destruct (T j) as (c & p & q & R & -> & -> & F & V); [|exact F].
  exact (worth_correct c j _ Hj R V).
Qed.
Lemma brings_correct x atoms : settled_cases atoms (brings A base scale x) = true -> worth (tr x).
Proof.
  intros H j Hj. destruct (settled_correct _ _ j H) as (c & R & B). unfold brings in B.
  destruct (evaluate c x) as [p|] eqn:X; [|discriminate]. rewrite (evaluate_correct users n w j c R x p X).
  exact (worth_correct c j p Hj R B).
Qed.
Notation last s f g i := (last_given (fun j => tr f (place_at s n j)) (fun j => g (place_at s n j)) (place_at s n i)).
Notation beside_it s g i := (neighbour_given (fun j => g (place_at s n j)) (place_at s n i)).
Lemma looked_for_correct chi s f off (i : position n) : looked_for A base scale chi s f = Some off ->
  exists g, worth g /\ ((off = 0%nat /\ (forall j, g j = true -> tr f j = true) /\ tr chi i = last s f g i)
    \/ (off = 1%nat /\ (forall j, tr f j = true) /\ tr chi i = beside_it s g i)).
Proof.
  intros H. assert (Last : forall s x y atoms, settled_cases atoms (brings_as A base scale x y f) = true ->
    worth (fun j => tr x j && tr y j) /\ (forall j, tr x j && tr y j = true -> tr f j = true)
    /\ forall J, last_given (fun j => tr f (place_at s n j))
      (fun j => tr x (place_at s n j) && tr y (place_at s n j)) J
      = since_at (fun j => tr x (place_at s n j)) (fun j => tr y (place_at s n j)) J).
  { intros s' x y atoms B. destruct (brings_as_correct x y f atoms B) as [V T]. split; [exact V|]. split.
    - intros j G. rewrite (T j). now destruct (tr x j), (tr y j).
    - induction J as [|J IH]; [reflexivity|]. rewrite since_at_next. cbn [last_given].
      rewrite (T (place_at s' n (S J))), IH. now destruct (tr x (place_at s' n (S J))), (tr y (place_at s' n (S J))). }
  assert (Beside : forall x atoms, formula_eqb f (Truth true) && settled_cases atoms (brings A base scale x) = true ->
    worth (tr x) /\ forall j, tr f j = true).
  { intros x atoms B. apply andb_prop in B as [B1 B2]. apply formula_eqb_eq in B1. subst f.
    split; [exact (brings_correct x atoms B2)|reflexivity]. }
  unfold looked_for in H. rewrite Whole in H. destruct chi as [| | | | | | |x|x|x y|x y| | | |], s; try discriminate.
  - destruct (formula_eqb _ _ && _) eqn:B; [|discriminate]. injection H as <-. exists (tr x).
    destruct (Beside x _ B) as [V T]. split; [exact V|]. right.
    split; [reflexivity|]. split; [exact T|]. cbn [place_at]. destruct i as [[|[|i]] Hi]; [lia|reflexivity|reflexivity].
  - destruct (formula_eqb _ _ && _) eqn:B; [|discriminate]. injection H as <-. exists (tr x).
    destruct (Beside x _ B) as [V T]. split; [exact V|]. right. split; [reflexivity|]. split; [exact T|].
    cbn [place_at]. change (tr (Next x) i) with (negb (i =? n)%nat && tr x (i + 1)%nat).
    destruct (Nat.eqb_spec i n) as [->|N]; [now replace (S n - n)%nat with 1%nat by lia|].
    destruct (S n - i)%nat as [|[|m]] eqn:E; try lia. cbn [negb andb neighbour_given]. f_equal. lia.
  - destruct (settled_cases _ _) eqn:B; [|discriminate]. injection H as <-. exists (fun j => tr x j && tr y j).
    destruct (Last ToLeft x y _ B) as (V & T & S). split; [exact V|]. left.
    split; [reflexivity|]. split; [exact T|]. now rewrite S.
  - destruct (settled_cases _ _) eqn:B; [|discriminate]. injection H as <-. exists (fun j => tr x j && tr y j).
    destruct (Last ToRight x y _ B) as (V & T & S). split; [exact V|]. left.
    split; [reflexivity|]. split; [exact T|]. rewrite S. cbn [place_at]. now apply until_backwards.
Qed.
End LookedFor.

(* ---- the whole check ---- *)
(* The count whose total keys read first; where none is read, any will do. *)
Definition count_read (A : list meaning) (a : head) : side * formula :=
  match find (fun x => match x with IsTotal _ _ => true | _ => false end)
    (map (fun e => nth (fst e) A IsAnything) (concat (head_keys a))) with
  | Some (IsTotal s f) => (s, f) | _ => (ToLeft, Truth true)
  end.
Definition truth_read (A : list meaning) (r : row) : option (Q * formula) :=
  match r with [(d, q)] => match nth d A IsAnything with IsTruth g => Some (q, g) | _ => None end | _ => None end.
Local Definition Q_eqb (p q : Q) : bool := Z.eqb (Qnum p) (Qnum q) && Pos.eqb (Qden p) (Qden q).
Fixpoint terms_eqb (ts us : term_list) : bool :=
  match ts, us with
  | [], [] => true
  | (q, (a, e)) :: ts, (q', (a', e')) :: us => Q_eqb q q' && Q_eqb a a' && Q_eqb e e' && terms_eqb ts us
  | _, _ => false
  end.
Lemma Q_eqb_eq p q : Q_eqb p q = true -> p = q.
Proof.
  unfold Q_eqb. destruct p as [a b], q as [a' b']. cbn. intros H. apply andb_prop in H as [H1 H2]. apply Z.eqb_eq in H1.
  apply Pos.eqb_eq in H2. now subst.
Qed.
Lemma terms_eqb_eq ts : forall us, terms_eqb ts us = true -> ts = us.
Proof.
  induction ts as [|(q & a & e) ts IH]; intros [|(q' & a' & e') us] H; try discriminate; [reflexivity|].
  cbn [terms_eqb] in H. apply andb_prop in H as [H T]. apply andb_prop in H as [H E]. apply andb_prop in H as [Q S].
  apply Q_eqb_eq in Q, S, E. apply IH in T. now subst.
Qed.

(* The weights of the greatest length: where the heads are the same at another, its weights are the first of these. *)
Definition same_at_lengths (k : weighing) : bool := match k with ReluOverN => false | _ => true end.
Definition weights_at (k : weighing) (greatest : option (term_list * list (nat * value_ends))) (n : nat) (ts :
  term_list) : list (nat * value_ends) :=
  match greatest with
  | Some (us, ws) => if same_at_lengths k && terms_eqb us ts then firstn n ws else weights_to k n ts n
  | None => weights_to k n ts n
  end.
Definition single_at_all (k : weighing) (terms : nat -> option term_list) (off : nat) (if_false if_true : Q)
    (greatest : option (term_list * list (nat * value_ends))) (ns : list nat) : bool :=
  all_of (fun n => match terms n with
    | Some ts => is_single n off (weights_at k greatest n ts) if_false if_true
    | None => false
    end) ns.
Lemma firstn_seq m : forall n start, (n <= m)%nat -> firstn n (seq start m) = seq start n.
Proof.
  induction m as [|m IH]; intros [|n] start H; try reflexivity; [lia|]. cbn [seq firstn]. now rewrite IH by lia.
Qed.
Lemma weights_at_length k N us n ts : (n <= N)%nat ->
  weights_at k (option_map (fun us => (us, weights_to k N us N)) us) n ts = weights_to k n ts n.
Proof.
  intros H. destruct us as [us|]; [|reflexivity]. cbn [option_map weights_at].
  destruct (same_at_lengths k && terms_eqb us ts) eqn:E; [|reflexivity]. apply andb_prop in E as [S E].
  apply terms_eqb_eq in E. subst us. unfold weights_to. rewrite firstn_map, firstn_seq by exact H. now destruct k.
Qed.
Definition selects (L : lengths) (A : list meaning) (as_ : list (head * row)) (chi : formula) (if_false if_true : Q)
  : bool :=
  match as_, greatest_length L with
  | (a, base) :: _, Some N =>
      let k := head_weighing a in let '(s, f) := count_read A a in let scale := scale_by_cases A base in
      match looked_for A base scale chi s f with
      | Some off =>
          let terms n := traverse (term_of A k s f n base scale) as_ in
          is_alone k && (N <=? greatest_by_rows)%nat && Qle_bool if_false 1
          && single_at_all k terms off if_false if_true
            (option_map (fun us => (us, weights_to k N us N)) (terms N)) (lengths_to L N)
      | None => false
      end
  | _, _ => false
  end.
(* The exact number of positions, if each counted one adds 1. *)
Definition counts_exactly (L : lengths) (A : list meaning) (a : head) (r : row) (s : side) (f : formula) : bool :=
  let k := head_weighing a in
  match truth_read A r, greatest_length L with
  | Some (scale, g), Some N => is_alone k && formula_eqb g f && all_of (fun n =>
      match term_of A k s f n r scale (a, r) with
      | Some (q, (x, z)) => is_zero x && match k with
          | Relu => Qle_bool 0 z && Qeq_bool (q * z) 1
          | ReluOverN => Qle_bool 0 z && Qeq_bool (q * z) (inject_Z (Z.of_nat n))
          | _ => is_zero z && Qeq_bool q 2
          end
      | None => false
      end) (lengths_to L N)
  | _, _ => false
  end.

Section Whole.
Variables (A : list meaning) (L : lengths).
Variables (users : predicate_meanings) (n : nat) (w : word) (h : nat -> vector) (i : position n).
Hypothesis HL : length_allowed L n.
Hypothesis HA : holds_of users n w A h.
Notation tr := (truth users n w).

Lemma listed_length N : greatest_length L = Some N -> In n (lengths_to L N).
Proof. intros E. destruct HL as (H1 & H2 & H3). rewrite E in H3. unfold lengths_to. apply in_seq. lia. Qed.
Lemma truth_read_correct r q g j : truth_read A r = Some (q, g) -> j upto n -> linear r (h j) = Q2R q * bit (tr g j).
Proof.
  unfold truth_read. destruct r as [|[d q'] [|]]; try discriminate.
  destruct (nth d A IsAnything) eqn:E; try discriminate. intros H Hj. apply some_pair in H as [<- <-].
  pose proof (HA j d Hj) as V. rewrite E in V. cbn [meaning_holds linear] in *. rewrite V. ring.
Qed.
Theorem selects_correct as_ chi x y : selects L A as_ chi x y = true ->
  let o := total_over (fun ar => head_value (fst ar) n h i (snd ar)) as_ in
  0 <= o <= 1 /\ if tr chi i then 1 - Q2R y <= o else o <= Q2R x.
Proof.
  intros H. unfold selects in H. destruct as_ as [|[a base] rest]; [discriminate|].
  destruct (greatest_length L) as [N|] eqn:EN; [|discriminate]. destruct (count_read A a) as [s f].
  set (scale := scale_by_cases A base) in *.
  destruct (looked_for A base scale chi s f) as [off|] eqn:O; [|discriminate]. apply andb_prop in H as [H C].
  apply andb_prop in H as [H E1]. apply andb_prop in H as [K _]. apply Qle_bool_R in E1. rewrite Q2R_1 in E1.
  unfold single_at_all in C. pose proof (all_of_forall _ _ C n (listed_length N EN)) as S. clear C. cbv beta in S.
  set (as_ := (a, base) :: rest) in *. set (k := head_weighing a) in *.
  destruct (traverse (term_of A k s f n base scale) as_) as [ts|] eqn:T; [|discriminate]. cbv zeta.
  rewrite weights_at_length in S by (destruct HL as (_ & _ & HN); now rewrite EN in HN).
  fold (singles_out k n n off ts x y) in S.
  assert (Whole : position_part A base = []) by (unfold looked_for in O; destruct (position_part A base);
    [reflexivity|discriminate]).
  destruct (looked_for_correct A base scale users n w h HA Whole chi s f off i O) as (g & V & O').
  rewrite (alone_terms A k s f base scale g users n w h i HA K V as_ ts T). destruct (place_row s n i) as [HJ _].
  assert (Hn : (1 <= n)%nat) by lia. pose proof (fun d => singles_out_nonneg k n n off ts x y d Hn K S) as W0.
  destruct O' as [(-> & Cg & E)|(-> & All & E)]; rewrite E;
    (eapply singles_out_correct; [exact Hn|exact K|exact S| |exact E1|]).
  - intros _. lia.
  - apply given_last; [intros j; apply Cg|exact W0|lia].
  - intros Q. destruct (place_at s n i) as [|[|m]]; try discriminate; lia.
  - apply given_neighbour; [intros j _; apply All|exact W0|lia|intros j; apply All].
Qed.

Theorem counts_exactly_correct a r s f : counts_exactly L A a r s f = true ->
  head_value a n h i r = INR (counted_on s n (tr f) i).
Proof.
  intros H. unfold counts_exactly in H. destruct (truth_read A r) as [[scale g]|] eqn:Er; [|discriminate].
  destruct (greatest_length L) as [N|] eqn:EN; [|discriminate]. apply andb_prop in H as [H C].
  apply andb_prop in H as [K F]. apply formula_eqb_eq in F. subst g.
  pose proof (all_of_forall _ _ C n (listed_length N EN)) as S. clear C. cbv beta in S. set (k := head_weighing a) in *.
  destruct (term_of A k s f n r scale (a, r)) as [[q [x z]]|] eqn:T; [|discriminate]. apply andb_prop in S as [X S].
  apply Qeq_bool_R in X. rewrite Q2R_0 in X. pose proof (INR_at_least_1 n ltac:(lia)) as N1.
  assert (One : Q2R q * weighing_response k n (Q2R z) = 1).
  { destruct k; try discriminate; cbn [weighing_response]; apply andb_prop in S as [Z S]; apply Qeq_bool_R in S.
    - apply Qle_bool_R in Z. rewrite Q2R_0 in Z. rewrite Q2R_mult, Q2R_1 in S. now rewrite relu_linear.
    - apply Qle_bool_R in Z. rewrite Q2R_0 in Z. rewrite Q2R_mult, Q2R_of_nat in S. rewrite relu_linear by exact Z.
      unfold Rdiv. rewrite <- Rmult_assoc, S. field. lra.
    - apply Qeq_bool_R in Z. rewrite Q2R_0 in Z. rewrite Z, S. unfold sigmoid. rewrite Ropp_0, exp_0.
      unfold Q2R. simpl. lra. }
  pose proof (alone_terms A k s f r scale (tr f) users n w h i HA K (fun j => truth_read_correct r scale f j Er) [(a,
    r)] [(q, (x, z))]) as G. cbn [traverse] in G. rewrite T in G. specialize (G eq_refl). cbn [total_over fst snd] in G.
  rewrite Rplus_0_r in G. rewrite G, (counted_tally s f users n w i) by lia. destruct (place_row s n i) as [HJ _].
  unfold given, weighs_as. cbn [total_over fst snd]. rewrite (sum_ext _ _ (fun j => bit (tr f (place_at s n j)))).
  - clear. generalize (place_at s n i). intros m. induction m as [|m IH]; [reflexivity|]. cbn [sum_to tally].
    rewrite IH, plus_INR. destruct (tr f (place_at s n (S m))); simpl; ring.
  - intros j _. rewrite X, Rmult_0_l, Rplus_0_l, One. ring.
Qed.
End Whole.

(* ---- what heads that write one direction together hold ---- *)
Definition check_together (L : lengths) (A : list meaning) (as_ : list (head * row)) (b : meaning) : bool :=
  match b, as_ with
  | IsTruth chi, _ => selects L A as_ chi 0 0
  | IsNear chi _, _ => selects L A as_ chi (1 # 4) (1 # 4)
  | IsTotal s f, [(a, r)] => counts_exactly L A a r s f
  | _, _ => false
  end.
Theorem check_together_correct users n w L A h as_ b (i : position n) : length_allowed L n -> holds_of users n w A h ->
  check_together L A as_ b = true -> meaning_holds users n w i b (total_over (fun ar => head_value (fst ar) n h i (snd
    ar)) as_).
Proof.
  intros HL HA H. destruct b as [v|chi|f|chi guard|q f|s f|t|s f|s f e|]; try discriminate.
  - destruct (selects_correct A L users n w h i HL HA as_ chi 0 0 H) as [R E]. rewrite Q2R_0 in E. cbn [meaning_holds].
    destruct (truth users n w chi i); simpl; lra.
  - destruct (selects_correct A L users n w h i HL HA as_ chi _ _ H) as [R E]. cbn [meaning_holds]. split; [exact R|].
    intros _. unfold near_truth. replace (Q2R (1 # 4)) with (1 / 4) in E by (unfold Q2R; simpl; lra).
    destruct (truth users n w chi i); lra.
  - destruct as_ as [|[a r] [|]]; try discriminate. cbn [total_over fst snd meaning_holds]. rewrite Rplus_0_r.
    exact (counts_exactly_correct A L users n w h i HL HA a r s f H).
Qed.
