(* A trained network on balls, step by step, and that it encloses the network over the real numbers.

   What is not known (an error too large, an operation that has no rule here) is None, which is related to everything;
   so no step has a side condition. What the file's numbers are in fixed point is computed once: `prepared_...`. *)
From Coq Require Import Reals ZArith QArith Qreals List Lra Lia Bool.
From Certify Require Import lists syntax real_vectors real_network packed_rows balls
  exp_enclosure ball_average ball_norm
  ball_sigmoids ball_activations.
Import ListNotations. Open Scope R_scope.
Local Notation vector := (list R).

Definition bind {X Y} (a : option X) (f : X -> option Y) : option Y := match a with Some x => f x | None => None end.

Section Network.
Variables b g : Z.                                                (* numbers are over 2^b, weights over 2^g *)
Hypothesis b_nonneg : (0 <= b)%Z.
Hypothesis g_nonneg : (0 <= g)%Z.
Notation u := (real_unit b).
Notation encloses := (encloses b).
Notation near := (near b).

Definition within (B : option ball) (x : vector) : Prop := match B with Some B => encloses B x | None => True end.
Lemma bind_within B f x y : within B x -> (forall B, encloses B x -> within (f B) y) -> within (bind B f) y.
Proof. destruct B; simpl; auto. Qed.

(* ---- parts of a network in fixed point ---- *)
Record prepared_affine := PreparedAffine { prepared_weight : integer_matrix; prepared_bias : option (list Z) }.
Definition prepare_affine (a : affine_syntax) : prepared_affine :=
  PreparedAffine (fixed_matrix b g (affine_weight a)) (option_map (fixed_vector b) (affine_bias a)).
Definition ball_shifted (c : option (list Z)) (B : ball) : ball :=
  match c with Some c => ball_sum B (Ball c 1) | None => B end.
Definition ball_affine (a : prepared_affine) (B : ball) : ball :=
  ball_shifted (prepared_bias a) (ball_product g (prepared_weight a) B).
Lemma ball_shifted_encloses c B x : encloses B x ->
  encloses (ball_shifted (option_map (fixed_vector b) c) B) (optional shifted c x).
Proof.
  intros H. destruct c as [c|]; [|exact H]. apply ball_sum_encloses; auto. now apply fixed_vector_encloses.
Qed.
Lemma ball_affine_encloses a B x : encloses B x -> encloses (ball_affine (prepare_affine a) B) (affine a x).
Proof. intros H. apply ball_shifted_encloses. now apply ball_product_encloses. Qed.

Record prepared_norm := PreparedNorm { prepared_kind : norm_kind; prepared_epsilon : Q;
  prepared_gain : option (list Z); prepared_shift : option (list Z); prepared_of : option prepared_affine }.
Definition prepare_norm (n : norm_syntax) : prepared_norm :=
  PreparedNorm (norm_of_kind n) (norm_epsilon n) (option_map (fixed_vector g) (norm_gain n))
    (option_map (fixed_vector b) (norm_bias n)) (option_map prepare_affine (norm_of n)).
Definition ball_normed (n : prepared_norm) (B : ball) : option ball :=
  let B := match prepared_of n with Some a => ball_affine a B | None => B end in
  if (0 <? Qnum (prepared_epsilon n))%Z then
    bind (ball_normalised b (prepared_kind n) (prepared_epsilon n) B) (fun C =>
      Some (ball_shifted (prepared_shift n)
        match prepared_gain n with Some w => ball_times g C (Ball w 1) | None => C end))
  else None.
Definition ball_read (n : option prepared_norm) (B : ball) : option ball :=
  match n with Some n => ball_normed n B | None => Some B end.
Lemma ball_normed_within n B x : encloses B x -> within (ball_normed (prepare_norm n) B) (norm n x).
Proof.
  intros H. unfold ball_normed, norm. cbn [prepare_norm prepared_of prepared_epsilon prepared_kind prepared_shift
    prepared_gain].
  destruct (Z.ltb_spec 0 (Qnum (norm_epsilon n))) as [E|]; [|exact I].
  assert (P : 0 < Q2R (norm_epsilon n)).
  { unfold Q2R. apply Rmult_lt_0_compat; [now apply IZR_lt|]. apply Rinv_0_lt_compat, IZR_lt. lia. }
  assert (A : encloses match option_map prepare_affine (norm_of n) with Some a => ball_affine a B | None => B end
    (optional affine (norm_of n) x)).
  { destruct (norm_of n); simpl; [now apply ball_affine_encloses|exact H]. }
  destruct (ball_normalised _ _ _ _) as [C|] eqn:K; [|exact I]. simpl.
  apply ball_shifted_encloses. pose proof (ball_normalised_encloses b b_nonneg _ _ _ _ _ P A K) as N.
  destruct (norm_gain n) as [w|]; simpl; [|exact N]. apply ball_times_encloses; auto. now apply fixed_vector_encloses.
Qed.
Lemma ball_read_within n B x : encloses B x -> within (ball_read (option_map prepare_norm n) B) (optional norm n x).
Proof. destruct n; simpl; intros H; [now apply ball_normed_within|exact H]. Qed.

(* ---- rotary positions ---- *)
Definition ball_appended (B C : ball) : ball := Ball (numbers B ++ numbers C) (Z.max (error B) (error C)).
Lemma ball_appended_encloses B C x y : encloses B x -> encloses C y -> encloses (ball_appended B C) (x ++ y).
Proof.
  intros H K. split; simpl; [destruct H; lia|]. apply Forall2_app; eapply encloses_weaker; eauto; lia.
Qed.
Definition ball_part (f : list Z -> list Z) (B : ball) : ball := Ball (f (numbers B)) (error B).
Lemma firstn_related {X Y} (P : X -> Y -> Prop) k l m : Forall2 P l m -> Forall2 P (firstn k l) (firstn k m).
Proof. intros F. revert k. induction F; intros [|k]; simpl; constructor; auto. Qed.
Lemma skipn_related {X Y} (P : X -> Y -> Prop) k l m : Forall2 P l m -> Forall2 P (skipn k l) (skipn k m).
Proof. intros F. revert k. induction F; intros [|k]; simpl; auto; constructor; auto. Qed.
Lemma evens_odds_related {X Y} (P : X -> Y -> Prop) n : forall l m, (length l <= n)%nat -> Forall2 P l m ->
  Forall2 P (evens l) (evens m) /\ Forall2 P (odds l) (odds m).
Proof.
  induction n as [|n IH]; intros l m L F; [destruct F; simpl in L; [split; constructor|lia]|].
  destruct F as [|x y l m H F]; [split; constructor|]. destruct F as [|x' y' l m H' F]; [split; constructor|].
  simpl in L. destruct (IH l m ltac:(lia) F). split; simpl; constructor; auto.
Qed.
Lemma interleaved_related {X Y} (P : X -> Y -> Prop) l m : Forall2 P l m -> forall l' m', Forall2 P l' m' ->
  Forall2 P (interleaved l l') (interleaved m m').
Proof. induction 1; intros l'' m'' G; simpl; [constructor|]. destruct G; repeat constructor; auto. Qed.

Record prepared_rotary := PreparedRotary { prepared_cosines : list (list Z); prepared_sines : list (list Z);
  prepared_pairing : pairing }.
Definition fixed_table (k : Z) (m : matrix_syntax) : list (list Z) :=
  map (map (fixed_entry k (matrix_exponent m))) (matrix_rows m).
Definition prepare_rotary (r : rotary_syntax) : prepared_rotary :=
  PreparedRotary (fixed_table g (rotary_cosines r)) (fixed_table g (rotary_sines r)) (rotary_pairing r).
Lemma fixed_table_row k m p : (0 <= k)%Z -> balls.encloses k (Ball (nth p (fixed_table k m) []) 1) (row_of m p).
Proof.
  intros K. split; simpl; [lia|]. unfold fixed_table, row_of.
    pose proof (map_nth (map (fixed_entry k (matrix_exponent m))) (matrix_rows m) [] p) as N.
  change (map (fixed_entry k (matrix_exponent m)) []) with (@nil Z) in N. rewrite N. clear N.
  induction (nth p (matrix_rows m) []); simpl; constructor; auto. now apply fixed_entry_near.
Qed.
Definition ball_rotated (r : prepared_rotary) (p : nat) (B : ball) : ball :=
  let c := Ball (nth p (prepared_cosines r) []) 1 in
  let s := Ball (nth p (prepared_sines r) []) 1 in
  let k := length (numbers c) in
  let paired := ball_part (firstn (2 * k)) B in
  let turned y z := (ball_sum (ball_times g y c) (ball_negated (ball_times g z s)),
                     ball_sum (ball_times g z c) (ball_times g y s)) in
  ball_appended
    match prepared_pairing r with
    | Halves => let (y, z) := turned (ball_part (firstn k) paired) (ball_part (skipn k) paired) in ball_appended y z
    | Neighbours => let (y, z) := turned (ball_part evens paired) (ball_part odds paired) in
        Ball (interleaved (numbers y) (numbers z)) (Z.max (error y) (error z))
    end (ball_part (skipn (2 * k)) B).
Lemma ball_rotated_encloses r p B x : encloses B x -> encloses (ball_rotated (prepare_rotary r) p B) (rotated r p x).
Proof.
  intros H. unfold ball_rotated, rotated. cbn [prepare_rotary prepared_cosines prepared_sines prepared_pairing].
  pose proof (fixed_table_row g (rotary_cosines r) p g_nonneg) as C.
  pose proof (fixed_table_row g (rotary_sines r) p g_nonneg) as S. cbv zeta. cbn [numbers].
  assert (L : length (nth p (fixed_table g (rotary_cosines r)) []) = length (row_of (rotary_cosines r) p))
    by (exact (Forall2_same_length _ _ _ (proj2 C))).
  rewrite L. set (k := length (row_of (rotary_cosines r) p)). 
  set (c := Ball (nth p (fixed_table g (rotary_cosines r)) []) 1) in *.
  set (s := Ball (nth p (fixed_table g (rotary_sines r)) []) 1) in *.
  assert (Part : forall f f' B x, encloses B x -> (forall l m, Forall2 (near (error B)) l m ->
    Forall2 (near (error B)) (f l) (f' m)) -> encloses (ball_part f B) (f' x)) by
    (intros f f' D y [E F] R; split; [exact E|exact (R _ _ F)]).
  assert (First : forall y z D E, encloses D y -> encloses E z -> encloses
    (ball_sum (ball_times g D c) (ball_negated (ball_times g E s)))
    (turned_first (row_of (rotary_cosines r) p) (row_of (rotary_sines r) p) y z)).
  { intros y z D E Hy Hz. apply ball_sum_encloses; auto; [|apply ball_negated_encloses];
    now apply ball_times_encloses. }
  assert (Second : forall y z D E, encloses D y -> encloses E z -> encloses
    (ball_sum (ball_times g E c) (ball_times g D s))
    (turned_second (row_of (rotary_cosines r) p) (row_of (rotary_sines r) p) y z)).
  { intros y z D E Hy Hz. apply ball_sum_encloses; auto; now apply ball_times_encloses. }
  apply ball_appended_encloses; [|apply Part; [exact H|intros; now apply skipn_related]].
  assert (Hp : encloses (ball_part (firstn (2 * k)) B) (firstn (2 * k) x))
    by (apply Part; [exact H|intros; now apply firstn_related]).
  destruct (rotary_pairing r).
  - assert (Hy := Part (firstn k) (firstn k) _ _ Hp (fun l m F => firstn_related _ k l m F)).
    assert (Hz := Part (skipn k) (skipn k) _ _ Hp (fun l m F => skipn_related _ k l m F)).
    apply ball_appended_encloses; [now apply First|now apply Second].
  - assert (Hy := Part evens evens _ _ Hp (fun l m F => proj1 (evens_odds_related _ _ l m (le_n _) F))).
    assert (Hz := Part odds odds _ _ Hp (fun l m F => proj2 (evens_odds_related _ _ l m (le_n _) F))).
    pose proof (First _ _ _ _ Hy Hz) as F1. pose proof (Second _ _ _ _ Hy Hz) as F2. split; cbn [error numbers].
    + destruct F1. lia.
    + apply interleaved_related; eapply encloses_weaker; eauto; lia.
Qed.

(* ---- scores ---- *)
Definition dot_error (eq ek size_q size_k n : Z) : Z := (ek * size_q + eq * (size_k + n * ek))%Z.
Lemma integer_dot_both eq ek q x k y : (0 <= eq)%Z -> (0 <= ek)%Z -> Forall2 (near eq) q x -> Forall2 (near ek) k y ->
  Rabs (IZR (integer_dot q k) - dot x y * (u * u)) <= IZR (dot_error eq ek (size q) (size k) (Z.of_nat (length k))).
Proof.
  intros Eq Ek F. revert k y. assert (N : forall q k, 0 <= IZR (dot_error eq ek (size q) (size k) (Z.of_nat (length
    k)))).
  { intros. apply IZR_le. unfold dot_error. pose proof (size_nonneg q0). pose proof (size_nonneg k). nia. }
  assert (Z0 : forall q k, Rabs (IZR 0 - 0 * (u * u)) <= IZR (dot_error eq ek (size q) (size k) (Z.of_nat (length k)))).
  { intros. rewrite Rmult_0_l, Rminus_0_r, Rabs_R0. apply N. }
  induction F as [|q0 x0 q x H F IH]; intros k y G; [apply (Z0 [] k)|].
  destruct G as [|k0 y0 k y K G]; [apply (Z0 (q0 :: q) [])|].
  specialize (IH k y G). pose proof (near_bound _ _ _ _ K) as B. unfold balls.near in H, K.
  cbn [integer_dot]. unfold dot, times, total in *. cbn [map2 fold_right]. set (d := fold_right Rplus 0 _) in *.
  replace (IZR (q0 * k0 + integer_dot q k) - (x0 * y0 + d) * (u * u)) with
    (IZR q0 * (IZR k0 - y0 * u) + ((IZR q0 - x0 * u) * (y0 * u) + (IZR (integer_dot q k) - d * (u * u))))
    by (rewrite plus_IZR, mult_IZR; ring).
  apply Rle_trans with (Rabs (IZR q0) * IZR ek + (IZR eq * (IZR (Z.abs k0) + IZR ek)
    + IZR (dot_error eq ek (size q) (size k) (Z.of_nat (length k))))).
  - apply Rabs_sum; [now apply Rabs_product; [right|]|]. apply Rabs_sum; [now apply Rabs_product|exact IH].
  - right. unfold dot_error. change (size (q0 :: q)) with (Z.abs q0 + size q)%Z.
    change (size (k0 :: k)) with (Z.abs k0 + size k)%Z. cbn [length]. rewrite Nat2Z.inj_succ. unfold Z.succ.
    rewrite <- IZR_abs. repeat rewrite ?plus_IZR, ?mult_IZR. ring.
Qed.

(* The scale over 2^g: a rational, or the root of 4^g / m. *)
Definition fixed_scale (s : scale_syntax) : Z :=
  match s with ScaleTimes q => fixed_rational g q | ScaleOverRoot m => Z.sqrt (2 ^ (2 * g) / Zpos m) end.
Lemma fixed_scale_near s : Rabs (IZR (fixed_scale s) - score_scale s * real_unit g) <= 2.
Proof.
  destruct s as [q|m]; cbn [fixed_scale score_scale].
  - pose proof (fixed_rational_near g q) as H. unfold balls.near in H. lra.
  - set (D := (2 ^ (2 * g) / Zpos m)%Z). pose proof (unit_pos g g_nonneg) as P.
    assert (Pm : 0 < IZR (Zpos m)) by (apply IZR_lt; lia).
    assert (D0 : (0 <= D)%Z) by (apply Z.div_pos; [apply Z.pow_nonneg; lia|lia]).
    pose proof (Z.sqrt_spec D D0) as [S1 S2]. pose proof (Z.sqrt_nonneg D) as S0. set (r := Z.sqrt D) in *.
    set (t := / sqrt (IZR (Zpos m)) * real_unit g).
    assert (T0 : 0 < t) by (apply Rmult_lt_0_compat; [apply Rinv_0_lt_compat, sqrt_lt_R0, Pm|exact P]).
    assert (TT : t * t = IZR (2 ^ (2 * g)) / IZR (Zpos m)).
    { unfold t. replace (2 * g)%Z with (g + g)%Z by lia. rewrite Z.pow_add_r, mult_IZR by lia.
      change (IZR (2 ^ g)) with (real_unit g).
      replace (/ sqrt (IZR (Zpos m)) * real_unit g * (/ sqrt (IZR (Zpos m)) * real_unit g))
        with (real_unit g * real_unit g * / (sqrt (IZR (Zpos m)) * sqrt (IZR (Zpos m)))).
      - rewrite sqrt_sqrt by lra. reflexivity.
      - field. apply Rgt_not_eq, sqrt_lt_R0, Pm. }
    pose proof (floor_near (2 ^ (2 * g)) (Zpos m) ltac:(lia)) as F. fold D in F. rewrite <- TT in F.
    apply Rabs_between in F. apply IZR_le in S0, S1. apply IZR_lt in S2. unfold Z.succ in S2.
    rewrite mult_IZR in S1, S2. rewrite plus_IZR in S2. apply Rabs_within. split.
    + assert (t <= IZR r + 2); [|lra]. apply Rsqr_incr_0; unfold Rsqr; nra.
    + assert (IZR r <= t + 2); [|lra]. apply Rsqr_incr_0; unfold Rsqr; nra.
Qed.

(* What a token leaves for a head: its key and value, with the norms that errors are computed from. *)
Record seen_token := SeenToken { seen_key : ball; seen_key_size : Z; seen_value : ball; seen_value_largest : Z }.
Definition see_token (key value : ball) : seen_token :=
  SeenToken key (size (numbers key)) value (largest (numbers value)).
Definition token_within (t : seen_token) (x : vector * vector) : Prop :=
  encloses (seen_key t) (fst x) /\ encloses (seen_value t) (snd x) /\ t = see_token (seen_key t) (seen_value t).

Record prepared_head := PreparedHead { prepared_query : prepared_affine; prepared_key : prepared_affine;
  prepared_value : prepared_affine; prepared_out : integer_matrix; prepared_width : nat; prepared_slope : option Q }.
Definition prepare_head (h : head_syntax) : prepared_head :=
  PreparedHead (prepare_affine (head_query_map h)) (prepare_affine (head_key_map h)) (prepare_affine (head_value_map h))
    (fixed_matrix b g (head_out_map h)) (length (matrix_rows (affine_weight (head_value_map h)))) (head_slope h).

(* Under a cap c, a score s becomes c tanh (s / c). *)
Definition is_cap (cap : option Q) : bool := match cap with Some c => (0 <? Qnum c)%Z | None => true end.
Definition ball_capped (cap : option Q) (se : Z * Z) : Z * Z :=
  match cap with
  | Some (Qmake n d) =>
      let (v, f) := tanh_value b (fst se * Zpos d / n) in
      let e := (f + ceiling_div (4 * (snd se * Zpos d / n + 2)) 3)%Z in
      (v * n / Zpos d, n * e / Zpos d + 2)%Z
  | None => se
  end.
Lemma ball_capped_near cap se x : is_cap cap = true -> near (snd se) (fst se) x ->
  near (snd (ball_capped cap se)) (fst (ball_capped cap se)) (capped cap x).
Proof.
  intros C N. destruct cap as [[n d]|]; [|exact N]. cbn [is_cap Qnum] in C. apply Z.ltb_lt in C.
  destruct se as [s e]. cbn [fst snd ball_capped capped] in *. set (t := (s * Zpos d / n)%Z).
  set (f := (e * Zpos d / n + 2)%Z). pose proof (unit_pos b b_nonneg) as U. apply IZR_lt in C as Pn.
  assert (Pd : 0 < IZR (Zpos d)) by (apply IZR_lt; lia). set (y := x / Q2R (n # d)).
  assert (Y : y * IZR n = x * IZR (Zpos d)) by (unfold y, Q2R; cbn [Qnum Qden]; field; lra).
  assert (T : near f t y).
  { unfold balls.near in *. apply divided; [exact C|]. rewrite !mult_IZR.
    replace (IZR s * IZR (Zpos d) - y * u * IZR n) with ((IZR s - x * u) * IZR (Zpos d)).
    - apply Rabs_product; [exact N|]. rewrite Rabs_pos_eq; lra.
    - replace (y * u * IZR n) with (y * IZR n * u) by ring. rewrite Y. ring. }
  pose proof (tanh_value_is b b_nonneg t) as [_ V]. destruct (tanh_value b t) as [v g0]. cbn [fst snd] in *.
  pose proof (tanh_has_slope (number_of b t) y) as S. set (h := activated TanhActivation) in *.
  pose proof (ceiling_div_ge (4 * f) 3 ltac:(lia)) as K. rewrite mult_IZR in K.
  assert (W : near (g0 + ceiling_div (4 * f) 3) v (h y)).
  { unfold balls.near in *. rewrite plus_IZR.
    replace (IZR v - h y * u) with ((IZR v - h (number_of b t) * u) + (h (number_of b t) - h y) * u) by ring.
    apply Rabs_sum; [exact V|]. eapply Rle_trans; [|exact K]. rewrite Rabs_mult, (Rabs_pos_eq u) by lra.
    assert (D : Rabs (number_of b t - y) * u <= IZR f).
    { rewrite <- (Rabs_pos_eq u) at 1 by lra. rewrite <- Rabs_mult.
      replace ((number_of b t - y) * u) with (IZR t - y * u) by (unfold number_of; field; lra). exact T. }
    nra. }
  unfold balls.near in *. apply divided; [lia|]. rewrite !mult_IZR. set (E := IZR (g0 + _)) in *.
  replace (IZR v * IZR n - Q2R (n # d) * h y * u * IZR (Zpos d)) with (IZR n * (IZR v - h y * u))
    by (unfold Q2R; cbn [Qnum Qden]; field; lra).
  apply Rabs_product; [rewrite Rabs_pos_eq; lra|exact W].
Qed.

Section Head.
Variables (scale : scale_syntax) (rotary : option rotary_syntax) (cap : option Q).
Hypothesis cap_positive : is_cap cap = true.
Definition ball_turned (r : option prepared_rotary) (p : nat) (B : ball) : ball :=
  match r with Some r => ball_rotated r p B | None => B end.
Lemma ball_turned_encloses p B x : encloses B x ->
  encloses (ball_turned (option_map prepare_rotary rotary) p B) (optional (fun r => rotated r p) rotary x).
Proof. destruct rotary; simpl; intros H; [now apply ball_rotated_encloses|exact H]. Qed.

Definition ball_slope (m : option Q) : option Z := option_map (fixed_rational b) m.
(* A score, and its error. *)
Definition ball_score (r : Z) (slope : option Z) (p : nat) (q : ball) (size_q : Z) (seen : nat * seen_token) : Z * Z :=
  let k := seen_key (snd seen) in
  let d := integer_dot (numbers q) (numbers k) in
  let E := dot_error (error q) (error k) size_q (seen_key_size (snd seen)) (Z.of_nat (length (numbers k))) in
  let s := Z.shiftr (d * r) (b + g) in
  let e := (Z.shiftr (2 * Z.abs d + E * (Z.abs r + 2)) (b + g) + 2)%Z in
  let (s, e) := ball_capped cap (s, e) in
  match slope with
  | Some m => let distance := (Z.of_nat (fst seen) - Z.of_nat p)%Z in (s + m * distance, e + Z.abs distance)%Z
  | None => (s, e)
  end.
Lemma ball_score_near p q x h seen kv : encloses q x -> token_within (snd seen) kv ->
  let se := ball_score (fixed_scale scale) (ball_slope (head_slope h)) p q (size (numbers q)) seen in
  near (snd se) (fst se) (score scale cap p x h (fst seen, fst kv)).
Proof.
  intros [Eq Fq] (K & _ & Et). unfold ball_score, score. rewrite Et. cbn [see_token seen_key seen_key_size fst snd].
  destruct K as [Ek Fk]. set (k := seen_key (snd seen)) in *.
  pose proof (integer_dot_both _ _ _ _ _ _ Eq Ek Fq Fk) as D. set (E := dot_error _ _ _ _ _) in *.
  set (d := integer_dot (numbers q) (numbers k)) in *. set (y := dot x (fst kv)) in *.
  pose proof (fixed_scale_near scale) as C. set (r := fixed_scale scale) in *. set (c := score_scale scale) in *.
  assert (U : real_unit (b + g) = u * real_unit g) by (unfold real_unit; rewrite Z.pow_add_r by assumption;
    apply mult_IZR).
  assert (S : near (Z.shiftr (2 * Z.abs d + E * (Z.abs r + 2)) (b + g) + 2) (Z.shiftr (d * r) (b + g)) (y * c)).
  { apply shifted_down; [lia|]. rewrite U.
    replace (IZR (d * r) - y * c * u * (u * real_unit g)) with
      (IZR d * (IZR r - c * real_unit g) + (c * real_unit g) * (IZR d - y * (u * u))) by (rewrite mult_IZR; ring).
    assert (Cr : Rabs (c * real_unit g) <= IZR (Z.abs r) + 2).
    { rewrite IZR_abs. replace (c * real_unit g) with (IZR r + - (IZR r - c * real_unit g)) by ring.
      apply Rabs_sum; [lra|]. now rewrite Rabs_Ropp. }
    apply Rle_trans with (Rabs (IZR d) * 2 + (IZR (Z.abs r) + 2) * IZR E).
    - apply Rabs_sum; apply Rabs_product; auto. apply Rle_refl.
    - rewrite plus_IZR, !mult_IZR, plus_IZR, (IZR_abs d). right. ring. }
  pose proof (ball_capped_near cap (_, _) _ cap_positive S) as W. clear S. set (w := capped cap (y * c)) in *.
  destruct (ball_capped cap _) as [s e]. cbn [fst snd] in W.
  unfold ball_slope. destruct (head_slope h) as [m|]; cbn [option_map fst snd sloped]; [|exact W].
  set (l := (Z.of_nat (fst seen) - Z.of_nat p)%Z). pose proof (fixed_rational_near b m) as M.
  unfold balls.near in *. rewrite (plus_IZR s), (mult_IZR _ l), (plus_IZR e).
  replace (IZR s + IZR (fixed_rational b m) * IZR l - (w + Q2R m * IZR l) * u) with
    ((IZR s - w * u) + IZR l * (IZR (fixed_rational b m) - Q2R m * u)) by ring.
  apply Rabs_sum; [exact W|]. rewrite (IZR_abs l).
  rewrite <- (Rmult_1_r (Rabs (IZR l))). apply Rabs_product; [apply Rle_refl|exact M].
Qed.

Definition ball_head (r : Z) (turn : option prepared_rotary) (p : nat) (x : ball) (h : prepared_head)
    (seen : list (nat * seen_token)) : option ball :=
  let q := ball_turned turn p (ball_affine (prepared_query h) x) in
  let scores := map (ball_score r (ball_slope (prepared_slope h)) p q (size (numbers q))) seen in
  bind (ball_softmax b (prepared_width h) (map fst scores) (maximum (map snd scores))
      (map (fun t => numbers (seen_value (snd t))) seen) (maximum (map (fun t => seen_value_largest (snd t)) seen))
      (maximum (map (fun t => error (seen_value (snd t))) seen)))
    (fun C => Some (ball_product g (prepared_out h) C)).
Definition at_one_place (T : seen_token -> vector * vector -> Prop) (t : nat * seen_token) (x : nat * (vector *
  vector)) :=
  fst t = fst x /\ T (snd t) (snd x).
Lemma ball_head_within p B x h seen seen' : encloses B x -> Forall2 (at_one_place token_within) seen seen' ->
  within (ball_head (fixed_scale scale) (option_map prepare_rotary rotary) p B (prepare_head h) seen)
    (head_writes scale rotary cap p x h seen').
Proof.
  intros H F. unfold ball_head, head_writes. cbn [prepare_head prepared_query prepared_slope prepared_width
    prepared_out].
  pose proof (ball_turned_encloses p _ _ (ball_affine_encloses (head_query_map h) B x H)) as Q.
  set (q := ball_turned _ p _) in *. set (y := optional _ rotary _) in *. cbv zeta.
  set (scores := map _ seen). destruct (ball_softmax _ _ _ _ _ _ _) as [C|] eqn:K; [|exact I]. simpl.
  apply ball_product_encloses; auto. eapply ball_softmax_encloses; [exact b_nonneg| | | | | |exact K];
    try apply maximum_nonneg.
  - assert (A : forall e, (forall se, In se scores -> (snd se <= e)%Z) -> Forall2 (near e) (map fst scores)
      (map (fun jkv => score scale cap p y h (fst jkv, fst (snd jkv))) seen')).
    { intros e He. unfold scores in He |- *. rewrite map_map. eapply Forall2_map; [|exact F].
      intros t x' It [Et T]. pose proof (ball_score_near p q y h t (snd x') Q T) as S. cbv zeta in S. rewrite <- Et.
      eapply near_weaker; [|exact S]. apply He. now apply in_map. }
    apply A. intros se Is. apply maximum_bounds. now apply in_map.
  - set (V := maximum _). set (e := maximum _).
    eapply Forall2_map; [|exact F]. intros t x' It [_ (_ & T & Et)]. split.
    + apply Forall_forall. intros z Iz. apply Z.le_trans with (seen_value_largest (snd t)).
      * rewrite Et. now apply largest_bounds.
      * apply maximum_bounds. exact (in_map (fun t => seen_value_largest (snd t)) _ _ It).
    + eapply encloses_weaker; [|exact T]. apply maximum_bounds.
      exact (in_map (fun t => error (seen_value (snd t))) _ _ It).
Qed.
End Head.

(* ---- steps ---- *)
Inductive prepared_step :=
| PreparedNormStep (n : prepared_norm)
| PreparedAttention (n : option prepared_norm) (heads : list prepared_head) (bias : option (list Z)) (scale : Z)
    (turn : option prepared_rotary) (cap : option Q)
| PreparedUnits (n : option prepared_norm) (inward : prepared_affine) (gate : option prepared_affine)
    (a : activation_name) (outward : prepared_affine).
Definition prepare_step (s : step_syntax) : prepared_step :=
  match s with
  | NormStep n => PreparedNormStep (prepare_norm n)
  | AttentionStep n heads bias scale rotary cap => PreparedAttention (option_map prepare_norm n) (map prepare_head
    heads)
      (option_map (fixed_vector b) bias) (fixed_scale scale) (option_map prepare_rotary rotary)
      cap
  | UnitsStep n inward gate a outward => PreparedUnits (option_map prepare_norm n) (prepare_affine inward)
      (option_map prepare_affine gate) a (prepare_affine outward)
  end.

Definition stream := option ball.
Definition token_memory := option (list seen_token).
Definition seen_within (m : token_memory) (x : list (vector * vector)) : Prop :=
  match m with Some l => Forall2 token_within l x | None => True end.
Definition no_token : seen_token := see_token (Ball [] 0) (Ball [] 0).

Definition ball_see turn (p : nat) (x : ball) (h : prepared_head) : seen_token :=
  see_token (ball_turned turn p (ball_affine (prepared_key h) x)) (ball_affine (prepared_value h) x).
Definition known (jm : nat * token_memory) : option (nat * list seen_token) := option_map (pair (fst jm)) (snd jm).
Definition ball_heads cap r turn (p : nat) (x : ball) (hs : list prepared_head) (seen : list (nat * list seen_token))
    (start : stream) : stream :=
  fold_left (fun y kh => bind y (fun y => bind (ball_head cap r turn p x (snd kh)
      (map (fun jm => (fst jm, nth (fst kh) (snd jm) no_token)) seen)) (fun z => Some (ball_sum y z))))
    (numbered 0 hs) start.
Definition ball_units n (inward : prepared_affine) gate a outward (h : ball) : stream :=
  bind (ball_read n h) (fun x =>
    bind match gate with
      | Some gate => bind (ball_activated b a (ball_affine gate x)) (fun y => Some (ball_times b y (ball_affine inward
        x)))
      | None => ball_activated b a (ball_affine inward x)
      end (fun y => Some (ball_sum h (ball_affine outward y)))).
Definition ball_step (s : prepared_step) : step stream token_memory :=
  match s with
  | PreparedNormStep n => Alone (fun h => bind h (ball_normed n))
  | PreparedUnits n inward gate a outward => Alone (fun h => bind h (ball_units n inward gate a outward))
  | PreparedAttention n heads bias scale turn cap => Attend
      (fun p h => bind h (fun h => bind (ball_read n h) (fun x => Some (map (ball_see turn p x) heads))))
      (fun p h seen => if negb (is_cap cap) then None else bind h (fun h => bind (ball_read n h) (fun x =>
        bind (traverse known seen) (fun seen =>
          ball_heads cap scale turn p x heads seen (Some (ball_shifted bias h))))))
  end.

Definition numbered_related {X Y} (M : X -> Y -> Prop) (a : nat * X) (c : nat * Y) : Prop :=
  fst a = fst c /\ M (snd a) (snd c).
Definition steps_related {zs zm rs rm} (S : zs -> rs -> Prop) (M : zm -> rm -> Prop) (a : step zs zm) (c : step rs
  rm) :=
  match a, c with
  | Alone f, Alone f' => forall z x, S z x -> S (f z) (f' x)
  | Attend see read, Attend see' read' => (forall p z x, S z x -> M (see p z) (see' p x)) /\
      (forall p z x m m', S z x -> Forall2 (numbered_related M) m m' -> S (read p z m) (read' p x m'))
  | _, _ => False
  end.

Lemma no_token_within : token_within no_token ([], []).
Proof. repeat split; simpl; (lia || constructor). Qed.
Lemma nth_within j l l' : Forall2 token_within l l' -> token_within (nth j l no_token) (nth j l' ([], [])).
Proof. intros F. revert j. induction F; intros [|j]; simpl; auto using no_token_within. Qed.
Lemma known_within seen seen' l : Forall2 (numbered_related seen_within) seen seen' -> traverse known seen = Some l ->
  Forall2 (numbered_related (Forall2 token_within)) l seen'.
Proof.
  intros F. revert l. induction F as [|[j [m|]] [j' m'] seen seen' [Ej W] F IH];
    cbn [traverse known option_map snd fst];
    intros l E; try discriminate.
  - assert (l = []) as -> by congruence. constructor.
  - destruct (traverse known seen) as [k|]; [|discriminate]. assert (l = (j, m) :: k) as -> by congruence.
    constructor; [split; [exact Ej|exact W]|now apply IH].
Qed.
Lemma ball_heads_within scale rotary cap p B x hs seen seen' : is_cap cap = true -> encloses B x ->
  Forall2 (numbered_related (Forall2 token_within)) seen seen' -> forall start start', within start start' ->
  within (ball_heads cap (fixed_scale scale) (option_map prepare_rotary rotary) p B (map prepare_head hs) seen start)
    (heads_write scale rotary cap p x hs seen' start').
Proof.
  intros Cap H F. unfold ball_heads, heads_write, numbered. rewrite length_map. generalize 0%nat as k.
  induction hs as [|h hs IH]; intros k start start' S; [exact S|]. cbn [map length seq combine fold_left fst snd].
  apply IH. apply bind_within with (1 := S). intros Y HY. cbn [fst snd].
  apply (bind_within _ _ (head_writes scale rotary cap p x h
    (map (fun jm => (fst jm, nth k (snd jm) ([], []))) seen'))).
  - apply ball_head_within; [exact Cap|exact H|]. eapply Forall2_map; [|exact F]. intros t x' _ [E T].
    split; [exact E|]. now apply nth_within.
  - intros Z HZ. now apply ball_sum_encloses.
Qed.

Theorem step_within s : steps_related within seen_within (ball_step (prepare_step s)) (step_of s).
Proof.
  destruct s as [n|n hs bias scale rotary cap|n inward gate a outward];
    cbn [prepare_step ball_step step_of steps_related].
  - intros z x H. apply bind_within with (1 := H). intros B HB. now apply ball_normed_within.
  - split.
    + intros p [B|] x H; [|exact I]. cbn [bind]. pose proof (ball_read_within n B x H) as W.
      destruct (ball_read _ B) as [C|]; [|exact I]. simpl. induction hs as [|h hs IH]; simpl; constructor; auto.
      split; [|split; [|reflexivity]]; cbn [ball_see key_and_value prepare_head prepared_key prepared_value see_token
        seen_key seen_value fst snd]; [apply ball_turned_encloses|]; now apply ball_affine_encloses.
    + intros p z x m m' H F. destruct (is_cap cap) eqn:Cap; [|exact I]. cbn [negb].
      apply bind_within with (1 := H). intros B HB.
      apply (bind_within _ _ (optional norm n x)); [now apply ball_read_within|]. intros C HC.
      destruct (traverse known m) as [l|] eqn:K; [|exact I]. cbn [bind].
      apply ball_heads_within; [exact Cap|exact HC|now apply (known_within m)|]. now apply ball_shifted_encloses.
  - intros z x H. apply bind_within with (1 := H). intros B HB. unfold ball_units.
    apply (bind_within _ _ (optional norm n x)); [now apply ball_read_within|]. intros C HC.
    set (y := match gate with Some _ => _ | None => _ end). apply (bind_within _ _ y).
    + unfold y. clear y. destruct gate as [gate|]; cbn [option_map].
      * apply (bind_within _ _ (map (activated a) (affine gate (optional norm n x)))).
        -- destruct (ball_activated _ _) as [D|] eqn:K; [|exact I].
           eapply ball_activated_encloses; [exact b_nonneg| |exact K]. now apply ball_affine_encloses.
        -- intros D HD. apply ball_times_encloses; auto. now apply ball_affine_encloses.
      * destruct (ball_activated _ _) as [D|] eqn:K; [|exact I].
        eapply ball_activated_encloses; [exact b_nonneg| |exact K]. now apply ball_affine_encloses.
    + intros D HD. apply ball_sum_encloses; auto. now apply ball_affine_encloses.
Qed.
End Network.
