(* Causal networks with one attention step, and any other steps: their logits at a token, from the streams of all tokens
   before that step (`logits_there`); and the set of logits where averages are known (`logits_contained`). *)
From Coq Require Import Reals ZArith QArith Qreals List Lra Lia Bool Arith.
From Certify Require Import lists syntax claim real_vectors real_network packed_rows balls ball_network token_by_token
  network_machine one_attention exact_forms zonotopes zonotope_steps class_average.
Import ListNotations. Open Scope nat_scope.
Local Notation vector := (list R).

Record attention_parts := AttentionParts {
  part_norm : option norm_syntax;
  part_heads : list head_syntax;
  part_bias : option vector_syntax;
  part_scale : scale_syntax;
  part_rotary : option rotary_syntax;
  part_cap : option Q }.
Definition is_on_one_token (s : step_syntax) : bool := match s with AttentionStep _ _ _ _ _ _ => false | _ => true end.
Fixpoint around_attention (steps : list step_syntax) : option (list step_syntax * attention_parts * list step_syntax) :=
  match steps with
  | AttentionStep n heads bias scale rotary cap :: steps =>
      if forallb is_on_one_token steps then Some ([], AttentionParts n heads bias scale rotary cap, steps) else None
  | s :: steps => match around_attention steps with
      | Some (before, A, after) => Some (s :: before, A, after)
      | None => None end
  | [] => None
  end.

Lemma run_alone_steps causal p l : forallb is_on_one_token l = true -> forall xs,
  run_steps causal p (map step_of l) xs = map (alone_steps l) xs.
Proof.
  unfold run_steps, alone_steps. induction l as [|s l IH]; intros A xs; [symmetry; apply map_id|].
  cbn [forallb] in A. apply andb_prop in A as [S A]. cbn [map fold_left]. rewrite IH by exact A.
  destruct s; try discriminate; cbn [step_of run_step]; rewrite map_map; reflexivity.
Qed.

Section Network.
Variables (T : network_syntax) (before after : list step_syntax) (A : attention_parts) (offset : nat).
Hypothesis Causal : network_causal T = true.
Hypothesis Parts : around_attention (network_steps T) = Some (before, A, after).
(* The stream of a token before the attention step, and what its heads read. *)
Definition stream_before (place token : nat) : vector := alone_steps before (embedded T (offset + place) token).
Definition read_there (place token : nat) : vector := optional norm (part_norm A) (stream_before place token).
Definition left_there (place token : nat) : nat * list (vector * vector) :=
  (offset + place, map (key_and_value (part_rotary A) (offset + place) (read_there place token)) (part_heads A)).
Definition logits_from (p token : nat) (seen : list (nat * list (vector * vector))) : vector :=
  affine (network_unembedding T) (alone_steps after (heads_write (part_scale A) (part_rotary A) (part_cap A)
    (offset + p) (read_there p token) (part_heads A) seen (optional shifted (part_bias A) (stream_before p token)))).

Lemma run_around steps : forall bef B aft, around_attention steps = Some (bef, B, aft) -> forall xs, exists see read,
  run_steps true offset (map step_of steps) xs =
    map (alone_steps aft) (read_causally see read offset [] (map (alone_steps bef) xs))
  /\ see = (fun p h => map (key_and_value (part_rotary B) p (optional norm (part_norm B) h)) (part_heads B))
  /\ read = (fun p h seen => heads_write (part_scale B) (part_rotary B) (part_cap B) p (optional norm (part_norm B) h)
      (part_heads B) seen (optional shifted (part_bias B) h)).
Proof.
  induction steps as [|s steps IH]; intros bef B aft E xs; [discriminate|].
  assert (Else : is_on_one_token s = true -> match around_attention steps with
      | Some (bef, B, aft) => Some (s :: bef, B, aft) | None => None end = Some (bef, B, aft) -> exists see read,
    run_steps true offset (map step_of (s :: steps)) xs =
      map (alone_steps aft) (read_causally see read offset [] (map (alone_steps bef) xs))
    /\ see = (fun p h => map (key_and_value (part_rotary B) p (optional norm (part_norm B) h)) (part_heads B))
    /\ read = (fun p h seen => heads_write (part_scale B) (part_rotary B) (part_cap B) p (optional norm (part_norm B) h)
        (part_heads B) seen (optional shifted (part_bias B) h))).
  { clear E. intros S E. destruct (around_attention steps) as [[[bef' B'] aft']|]; [|discriminate].
    injection E as <- <- <-. destruct (IH bef' B' aft' eq_refl (map (alone_step s) xs)) as (see & read & R & S1 & S2).
    exists see, read. split; [|now split]. unfold run_steps in *. cbn [map fold_left].
    replace (run_step true offset xs (step_of s)) with (map (alone_step s) xs) by (destruct s; try discriminate;
      reflexivity).
    rewrite R, map_map. reflexivity. }
  destruct s as [n|n heads bias scale rotary cap|n inward gate a outward]; cbn [around_attention] in E;
    try now apply Else. clear Else.
  destruct (forallb is_on_one_token steps) eqn:F; [|discriminate]. injection E as <- <- <-.
  eexists _, _. split; [|split; reflexivity]. unfold run_steps at 1. cbn [map fold_left].
  change (fold_left _ ?l ?x) with (run_steps true offset l x). rewrite run_alone_steps by exact F. f_equal.
  cbn [step_of run_step]. replace (map (alone_steps []) xs) with xs by (symmetry; apply map_id). reflexivity.
Qed.
Theorem logits_there tokens p : p < length tokens -> nth p (network_logits T offset tokens) [] =
  logits_from p (nth p tokens 0) (map (fun j => left_there j (nth j tokens 0)) (rev (seq 0 (S p)))).
Proof.
  intros L. unfold network_logits, streams. rewrite Causal, embedded_tokens.
  destruct (run_around _ _ _ _ Parts (map (fun j => embedded T (offset + j) (nth j tokens 0)) (seq 0 (length tokens))))
    as (see & read & R & S1 & S2).
  rewrite R. clear R. rewrite (map_map _ (alone_steps before)).
  change (fun x => alone_steps before _) with (fun j => stream_before j (nth j tokens 0)).
  pose proof (read_causally_at see read (fun j => stream_before j (nth j tokens 0)) p (length tokens) 0 offset [] L)
      as N.
  apply nth_error_nth. rewrite !nth_error_map, N. cbn [option_map]. rewrite app_nil_r, S1, S2. reflexivity.
Qed.
End Network.

(* ---- the logits where averages are known ---- *)
Section Set_of_logits.
Variables B b p : Z.                                              (* bits of balls, of forms, of directions *)
Hypothesis b_nonneg : (0 <= b)%Z.
Hypothesis p_nonneg : (0 <= p)%Z.
Hypothesis b_less : (b <= B)%Z.
Variables (T : network_syntax) (A : attention_parts) (after : list step_syntax).
Record last_steps := LastSteps { last_outs : list (list (list Z)); last_bias : option (list Z);
  last_forms : list form_step; last_unembedding : form_map }.
Definition make_last_steps : option last_steps :=
  option_map (fun forms => LastSteps (map (fun h => fixed_table b (head_out_map h)) (part_heads A))
    (option_map (fixed_vector b) (part_bias A)) forms (make_form_map b b (network_unembedding T)))
    (traverse (make_form_step b b) after).
(* A ball of B bits as forms of b bits. *)
Definition coarser (C : ball) : zonotope := map (fun z => scaled_coordinate (B - b) [z] (error C)) (numbers C).
Fixpoint write_heads (outs : list (list (list Z))) (Qs : list (list (list Z))) (known : list known_average)
    (X : vectors) : vectors :=
  match outs, Qs, known with
  | out :: outs, Q :: Qs, K :: known => write_heads outs Qs known
      (fst X + length Q, zonotope_sum (snd X) (zonotope_product b out (average_zonotope B b p (fst X) Q K)))
  | _, _, _ => X
  end.
Definition logits_set (last : last_steps) (Qs : list (list (list Z))) (x : ball) (known : list known_average) :
    option zonotope :=
  let X := zonotope_shifted (last_bias last) (coarser x) in
  option_map (fun Y => zonotope_affine b (last_unembedding last) (snd Y))
    (zonotope_steps b b (last_forms last) (write_heads (last_outs last) Qs known (1, X))).

(* A row of a claim: a row of integers, its radius, and the denominator of both. *)
Definition row_form (X : zonotope) (row : logit_row) : list Z * Z * positive :=
  fold_right (fun tc red => let '(r, e, d) := red in let (a, q) := (Qnum (snd tc), Qden (snd tc)) in
    let c := nth (fst tc) X ([], 0%Z) in
    (added (map (Z.mul (a * Zpos d)) (fst c)) (map (Z.mul (Zpos q)) r), (Z.abs a * Zpos d * snd c + e * Zpos q)%Z,
     (q * d)%positive)) ([], 0%Z, 1%positive) row.
Definition row_is_above (X : zonotope) (margin : Q) (row : logit_row) : bool :=
  let '(r, e, d) := row_form X row in
  (Qnum margin * 2 ^ b * Zpos d <? (centre r - generators_size r - e) * Zpos (Qden margin))%Z.

Open Scope R_scope.
Notation u := (real_unit b).
Lemma coarser_contains t C x : are_symbols t -> encloses B C x -> contains b t (coarser C) x.
Proof.
  intros S [E F]. unfold coarser, contains. rewrite <- (map_id x). eapply Forall2_map; [|exact F]. intros z y _ N.
  destruct t as [|t0 t]; [destruct S as [S _]; simpl in S; lra|].
  apply scaled_coordinate_holds; [exact S|lia|exact E|simpl; lia|]. destruct S as [S _]. simpl in S. subst t0.
  cbn [value_of]. replace (IZR z * 1 + 0) with (IZR z) by ring. unfold near in N.
  replace (y * u * real_unit (B - b)) with (y * real_unit B); [exact N|].
  unfold real_unit. rewrite Rmult_assoc, <- mult_IZR, <- Z.pow_add_r by lia. do 3 f_equal. lia.
Qed.
Lemma write_heads_contains zs : forall hs Qs known t X x, contains_all b t X x ->
  length Qs = length zs -> length hs = length zs -> Forall2 (fun QK z => is_known_average B p (fst QK) (snd QK) z)
    (combine Qs known) zs -> length known = length zs -> exists more,
  contains_all b (t ++ more) (write_heads (map (fun h => fixed_table b (head_out_map h)) hs) Qs known X)
    (fold_left (fun y hz => plus y (product (head_out_map (fst hz)) (snd hz))) (combine hs zs) x).
Proof.
  induction zs as [|z zs IH]; intros [|h hs] [|Q Qs] [|K known] t X x C LQ LH F LK; try discriminate.
  - exists []. rewrite app_nil_r. exact C.
  - cbn [combine] in F. inversion F as [|? ? ? ? Fz F']; subst. cbn [fst snd] in Fz.
    destruct C as (L & S & C).
    destruct (average_zonotope_contains B b p b_nonneg p_nonneg b_less Q K z t S Fz) as (more & M & Lm & Cz).
    assert (S1 : are_symbols (t ++ more)) by now apply symbols_appended.
    destruct (IH hs Qs known (t ++ more)
      (fst X + length Q, zonotope_sum (snd X) (zonotope_product b (fixed_table b (head_out_map h))
        (average_zonotope B b p (fst X) Q K)))%nat (plus x (product (head_out_map h) z))) as (more' & C');
      try (simpl in *; congruence).
    + split; [cbn [fst]; rewrite length_app; congruence|]. split; [exact S1|]. cbn [snd].
      apply zonotope_sum_contains; [now apply contains_appended|]. rewrite <- L.
      now apply (zonotope_product_contains b b b_nonneg).
    + exists (more ++ more'). rewrite app_assoc. exact C'.
Qed.
Lemma row_form_near X x row t : are_symbols t -> contains b t X x -> let '(r, e, d) := row_form X row in
  (length r <= length t)%nat /\ Rabs (value_of r t - value_of_row row x * u * IZR (Zpos d)) <= IZR e.
Proof.
  intros S C. unfold row_form, value_of_row. induction row as [|[k c] row IH]; cbn [fold_right fst snd].
  - split; [simpl; lia|]. cbn [value_of]. replace (0 - 0 * u * 1) with 0 by ring. rewrite Rabs_R0. lra.
  - destruct (fold_right _ ([], 0%Z, 1%positive) row) as [[r e] d]. set (w := fold_right _ 0 row) in *.
    destruct IH as [L IH]. destruct c as [a q]. cbn [Qnum Qden].
    assert (H : holds b t (nth k X ([], 0%Z)) (nth k x 0)).
    { revert k. clear - C. induction C as [|c y X x H C IH]; intros [|k]; cbn [nth]; auto;
        (split; [simpl; lia|]; split; [simpl; lia|]; cbn [fst snd value_of];
         rewrite Rmult_0_l, Rminus_0_r, Rabs_R0; lra). }
    destruct (nth k X ([], 0%Z)) as [s f]. destruct H as (Ls & _ & H). cbn [fst snd] in *. set (y := nth k x 0) in *.
    split; [rewrite length_added, !length_map; lia|].
    rewrite value_added, !value_scaled, Pos2Z.inj_mul, !mult_IZR. unfold Q2R. cbn [Qnum Qden].
    assert (Pq : 0 < IZR (Zpos q)) by (apply IZR_lt; lia). assert (Pd : 0 < IZR (Zpos d)) by (apply IZR_lt; lia).
    replace (IZR a * IZR (Z.pos d) * value_of s t + IZR (Z.pos q) * value_of r t -
        (IZR a * / IZR (Z.pos q) * y + w) * u * (IZR (Z.pos q) * IZR (Z.pos d))) with
      (IZR a * IZR (Z.pos d) * (value_of s t - y * u) + IZR (Z.pos q) * (value_of r t - w * u * IZR (Z.pos d)))
      by (field; lra).
    rewrite plus_IZR, !mult_IZR, (Rmult_comm (IZR e)), (IZR_abs a).
    apply Rabs_sum; apply Rabs_product; try assumption.
    + rewrite Rabs_mult, (Rabs_pos_eq (IZR (Z.pos d))); lra.
    + rewrite Rabs_pos_eq; lra.
Qed.
Lemma row_is_above_holds X x row margin t : are_symbols t -> contains b t X x -> row_is_above X margin row = true ->
  Q2R margin < value_of_row row x.
Proof.
  intros S C. unfold row_is_above. pose proof (row_form_near X x row t S C) as N.
  destruct (row_form X row) as [[r e] d]. destruct N as [_ N]. intros J. apply Z.ltb_lt, IZR_lt in J.
  pose proof (value_centre r t S) as V. apply Rabs_between in N, V. rewrite !mult_IZR, !minus_IZR in J.
  change (IZR (2 ^ b)) with u in J. pose proof (unit_pos b b_nonneg) as U.
  destruct margin as [a q]. unfold Q2R. cbn [Qnum Qden] in *.
  assert (Pq : 0 < IZR (Zpos q)) by (apply IZR_lt; lia). assert (Pd : 0 < IZR (Zpos d)) by (apply IZR_lt; lia).
  set (w := value_of_row row x) in *.
  apply Rmult_lt_reg_r with (u * IZR (Z.pos d) * IZR (Z.pos q)); [repeat apply Rmult_lt_0_compat; assumption|].
  replace (IZR a * / IZR (Z.pos q) * (u * IZR (Z.pos d) * IZR (Z.pos q))) with (IZR a * u * IZR (Z.pos d))
    by (field; lra).
  eapply Rlt_le_trans; [exact J|].
  replace (w * (u * IZR (Z.pos d) * IZR (Z.pos q))) with (w * u * IZR (Z.pos d) * IZR (Z.pos q)) by ring.
  apply Rmult_le_compat_r; lra.
Qed.
Theorem logits_contained last Qs C known x zs Y row margin : make_last_steps = Some last -> encloses B C x ->
  length Qs = length zs -> length (part_heads A) = length zs -> length known = length zs ->
  Forall2 (fun QK z => is_known_average B p (fst QK) (snd QK) z) (combine Qs known) zs ->
  logits_set last Qs C known = Some Y -> row_is_above Y margin row = true ->
  Q2R margin < value_of_row row (affine (network_unembedding T) (alone_steps after
    (fold_left (fun y hz => plus y (product (head_out_map (fst hz)) (snd hz))) (combine (part_heads A) zs)
      (optional shifted (part_bias A) x)))).
Proof.
  intros M E LQ LH LK F. unfold make_last_steps in M.
  destruct (traverse (make_form_step b b) after) as [forms|] eqn:Forms; [|discriminate].
  assert (EL : last = LastSteps (map (fun h => fixed_table b (head_out_map h)) (part_heads A))
    (option_map (fixed_vector b) (part_bias A)) forms (make_form_map b b (network_unembedding T)))
    by (injection M; congruence). subst last. clear M.
  unfold logits_set. cbn [last_outs last_bias last_forms last_unembedding].
  assert (S : are_symbols [1]) by (split; [reflexivity|constructor; [rewrite Rabs_R1; lra|constructor]]).
  assert (C0 : contains_all b [1] (1%nat, zonotope_shifted (option_map (fixed_vector b) (part_bias A)) (coarser C))
    (optional shifted (part_bias A) x)).
  { split; [reflexivity|]. split; [exact S|]. apply zonotope_shifted_contains; auto. now apply coarser_contains. }
  destruct (write_heads_contains zs (part_heads A) Qs known [1] _ _ C0 LQ LH F LK) as (more & C1).
  destruct (zonotope_steps b b forms _) as [Y1|] eqn:St; [|discriminate]. cbn [option_map]. intros EY.
  assert (Y = zonotope_affine b (make_form_map b b (network_unembedding T)) (snd Y1)) as -> by congruence.
  destruct (alone_steps_hold b b b_nonneg b_nonneg after forms _ _ _ Y1 Forms C1 St) as (more' & _ & S2 & C2).
  apply (row_is_above_holds _ _ row margin (([1] ++ more) ++ more')); [exact S2|].
  now apply zonotope_affine_contains.
Qed.
End Set_of_logits.
