(* A network on balls as a machine: what is prepared once, a token at a time, a whole input, and the rows of a claim.
   `feeds_within` and `whole_within`: the logits over the real numbers are within what the machine says. *)
From Coq Require Import Reals ZArith QArith Qreals List Lra Lia Bool.
From Certify Require Import lists syntax real_vectors real_network packed_rows balls ball_network token_by_token.
Import ListNotations. Open Scope R_scope.
Local Notation vector := (list R).

Record machine := Machine {
  machine_bits : Z;                                               (* of numbers *)
  machine_causal : bool;
  machine_tokens : list (list Z);
  machine_positions : option (list (list Z));
  machine_steps : list (step stream token_memory);
  machine_unembedding : ball -> ball }.
Notation memory := (cache token_memory).
Definition start_memory : memory := [].

(* b and g: the fractional bits of numbers and of weights. *)
Definition prepare_unembedding (g : Z) (a : prepared_affine) : ball -> ball := ball_affine g a.
Definition prepare (d : network_syntax) (b g : Z) : option machine :=
  if ((0 <=? b) && (0 <=? g))%Z then
    Some (Machine b (network_causal d) (fixed_table b (network_tokens d)) (option_map (fixed_table b)
      (network_positions d))
      (map (fun s => ball_step b g (prepare_step b g s)) (network_steps d))
      (prepare_unembedding g (prepare_affine b g (network_unembedding d))))
  else None.

Definition embedded_ball (m : machine) (p token : nat) : ball :=
  let x := Ball (nth token (machine_tokens m) []) 1 in
  match machine_positions m with Some t => ball_sum x (Ball (nth p t []) 1) | None => x end.
Definition logits_of (m : machine) (x : stream) : stream := option_map (machine_unembedding m) x.
(* One more token, at a position number. *)
Definition feed (m : machine) (c : memory) (p token : nat) : memory * stream :=
  let (c, x) := push (machine_steps m) p c (Some (embedded_ball m p token)) in (c, logits_of m x).
Fixpoint feeds (m : machine) (c : memory) (p : nat) (tokens : list nat) : list stream :=
  match tokens with [] => [] | t :: tokens => let (c, y) := feed m c p t in y :: feeds m c (S p) tokens end.
(* A whole input, at an offset. *)
Definition whole (m : machine) (offset : nat) (tokens : list nat) : list stream :=
  map (logits_of m) (run_steps (machine_causal m) offset (machine_steps m)
    (map (fun pt => Some (embedded_ball m (fst pt) (snd pt))) (numbered offset tokens))).

(* Numerator and denominator of the sum of coefficient times number, and the sum of |coefficient| times the same
   denominator. *)
Definition row_sums (z : list Z) (row : logit_row) : Z * Z * positive :=
  fold_right (fun tc nsd => let '(n, s, d) := nsd in let (a, q) := (Qnum (snd tc), Qden (snd tc)) in
    (a * nth (fst tc) z 0 * Zpos d + n * Zpos q, Z.abs a * Zpos d + s * Zpos q, (q * d)%positive)%Z) (0%Z, 0%Z,
      1%positive) row.
Definition row_above (m : machine) (y : stream) (row : logit_row) (margin : Q) : bool :=
  match y with
  | Some B => let '(n, s, d) := row_sums (numbers B) row in
      (Qnum margin * 2 ^ machine_bits m * Zpos d <? (n - s * error B) * Zpos (Qden margin))%Z
  | None => false
  end.
(* That the row is at or below the margin. *)
Definition row_not_above (m : machine) (y : stream) (row : logit_row) (margin : Q) : bool :=
  match y with
  | Some B => let '(n, s, d) := row_sums (numbers B) row in
      ((n + s * error B) * Zpos (Qden margin) <=? Qnum margin * 2 ^ machine_bits m * Zpos d)%Z
  | None => false
  end.

Definition value_of_row (row : logit_row) (x : list R) : R :=
  fold_right (fun e sum => Q2R (snd e) * nth (fst e) x 0 + sum) 0 row.

(* ---- why it is right ---- *)
Notation within m := (within (machine_bits m)).
Lemma prepared d b g m : prepare d b g = Some m -> (0 <= b)%Z /\ (0 <= g)%Z /\
  m = Machine b (network_causal d) (fixed_table b (network_tokens d)) (option_map (fixed_table b) (network_positions d))
      (map (fun s => ball_step b g (prepare_step b g s)) (network_steps d))
      (prepare_unembedding g (prepare_affine b g (network_unembedding d))).
Proof.
  unfold prepare. destruct (Z.leb_spec 0 b); [|discriminate]. destruct (Z.leb_spec 0 g); [|discriminate].
  cbn [andb]. match goal with |- Some ?X = _ -> _ => intros E; assert (EM : m = X) by congruence end. auto.
Qed.

Section Prepared.
Variables (d : network_syntax) (b g : Z) (m : machine).
Hypothesis is_prepared : prepare d b g = Some m.

Lemma embedded_within p token : within m (Some (embedded_ball m p token)) (embedded d p token).
Proof.
  destruct (prepared _ _ _ _ is_prepared) as (B & G & E). rewrite E. unfold embedded_ball, embedded.
  cbn [machine_tokens machine_positions machine_bits]. pose proof (fixed_table_row b (network_tokens d) token B) as T.
  destruct (network_positions d) as [t|]; cbn [option_map]; [|exact T].
  apply ball_sum_encloses; [exact T|]. now apply fixed_table_row.
Qed.
Lemma inputs_within offset tokens : Forall2 (within m)
  (map (fun pt => Some (embedded_ball m (fst pt) (snd pt))) (numbered offset tokens))
  (map (fun pt => embedded d (fst pt) (snd pt)) (numbered offset tokens)).
Proof. induction (numbered offset tokens); simpl; constructor; auto. apply embedded_within. Qed.
Lemma steps_within : Forall2 (steps_related (within m) (seen_within (machine_bits m))) (machine_steps m)
  (map step_of (network_steps d)).
Proof.
  destruct (prepared _ _ _ _ is_prepared) as (B & G & E). rewrite E. cbn [machine_steps machine_bits]. clear E.
  induction (network_steps d); simpl; constructor; auto. now apply step_within.
Qed.
Lemma logits_within l xs : Forall2 (within m) l xs ->
  Forall2 (within m) (map (logits_of m) l) (map (affine (network_unembedding d)) xs).
Proof.
  destruct (prepared _ _ _ _ is_prepared) as (B & G & E). rewrite E. cbn [machine_bits].
  intros F. eapply Forall2_map; [|exact F]. intros [C|] x _ W; [|exact I]. now apply ball_affine_encloses.
Qed.

Theorem whole_within offset tokens : Forall2 (within m) (whole m offset tokens) (network_logits d offset tokens).
Proof.
  unfold whole, network_logits, streams. apply logits_within.
  replace (machine_causal m) with (network_causal d) by (destruct (prepared _ _ _ _ is_prepared) as (_ & _ & ->); auto).
  eapply run_steps_related; [apply steps_within|apply inputs_within].
Qed.
Lemma feeds_pushes tokens : forall c p, feeds m c p tokens = map (logits_of m) (pushes (machine_steps m) p c
  (map (fun pt => Some (embedded_ball m (fst pt) (snd pt))) (numbered p tokens))).
Proof.
  induction tokens as [|t tokens IH]; intros c p; [reflexivity|]. cbn [feeds]. unfold feed, numbered in *.
  cbn [length seq combine map fst snd pushes].
  destruct (push (machine_steps m) p c (Some (embedded_ball m p t))) as [c' x]. cbn [map]. now rewrite IH.
Qed.
Theorem feeds_within offset tokens : network_causal d = true ->
  Forall2 (within m) (feeds m start_memory offset tokens) (network_logits d offset tokens).
Proof.
  intros C. rewrite feeds_pushes, pushes_run. unfold network_logits, streams. rewrite C. apply logits_within.
  eapply run_steps_related; [apply steps_within|apply inputs_within].
Qed.

(* ---- rows ---- *)
Lemma row_sums_near B x row : encloses b B x -> let '(n, s, k) := row_sums (numbers B) row in
  Rabs (IZR n - value_of_row row x * real_unit b * IZR (Zpos k)) <= IZR (s * error B) /\ (0 <= s)%Z.
Proof.
  intros H. unfold row_sums, value_of_row. induction row as [|[t c] row IH]; cbn [fold_right fst snd].
  - rewrite Rmult_0_l, Rmult_0_l, Rminus_0_r, Rabs_R0, Z.mul_0_l. lra + (split; [lra|lia]).
  - destruct (fold_right _ (0%Z, 0%Z, 1%positive) row) as [[n s] k]. set (v := fold_right _ 0 row) in *.
    destruct IH as [IH S]. pose proof (encloses_nth b B x t H) as N. unfold near in N.
    set (z := nth t (numbers B) 0%Z) in *. set (y := nth t x 0) in *. destruct c as [a q]. cbn [Qnum Qden].
    assert (Pq : 0 < IZR (Zpos q)) by (apply IZR_lt; lia). assert (Pk : 0 < IZR (Zpos k)) by (apply IZR_lt; lia).
    split; [|nia]. rewrite Pos2Z.inj_mul, mult_IZR. unfold Q2R. cbn [Qnum Qden].
    replace (IZR (a * z * Z.pos k + n * Z.pos q) - (IZR a * / IZR (Z.pos q) * y + v) * real_unit b
        * (IZR (Z.pos q) * IZR (Z.pos k)))
      with (IZR a * IZR (Z.pos k) * (IZR z - y * real_unit b) + IZR (Z.pos q) * (IZR n - v * real_unit b * IZR (Z.pos
        k)))
      by (rewrite plus_IZR, !mult_IZR; field; lra).
    replace (IZR ((Z.abs a * Z.pos k + s * Z.pos q) * error B)) with
      (Rabs (IZR a) * IZR (Z.pos k) * IZR (error B) + IZR (Z.pos q) * IZR (s * error B))
      by (rewrite <- IZR_abs, <- !mult_IZR, <- plus_IZR; f_equal; ring).
    apply Rabs_sum; apply Rabs_product; auto.
    + rewrite Rabs_mult, (Rabs_pos_eq (IZR (Z.pos k))); lra.
    + rewrite Rabs_pos_eq; lra.
Qed.
Theorem row_above_holds y x row margin : within m y x -> row_above m y row margin = true ->
  Q2R margin < value_of_row row x.
Proof.
  destruct (prepared _ _ _ _ is_prepared) as (Hb & _ & E). rewrite E. unfold row_above. cbn [machine_bits].
  destruct y as [B|]; [|discriminate]. intros H. pose proof (row_sums_near B x row H) as S.
  destruct (row_sums (numbers B) row) as [[n s] k]. destruct S as [S _]. intros J. apply Z.ltb_lt, IZR_lt in J.
  rewrite !mult_IZR, minus_IZR in J. change (IZR (2 ^ b)) with (real_unit b) in J. pose proof (unit_pos b Hb) as U.
  destruct margin as [a q]. unfold Q2R. cbn [Qnum Qden] in *.
  assert (Pq : 0 < IZR (Zpos q)) by (apply IZR_lt; lia). assert (Pk : 0 < IZR (Zpos k)) by (apply IZR_lt; lia).
  apply Rabs_between in S. set (v := value_of_row row x) in *.
  apply Rmult_lt_reg_r with (real_unit b * IZR (Z.pos k) * IZR (Z.pos q)); [repeat apply Rmult_lt_0_compat;
    assumption|].
  replace (IZR a * / IZR (Z.pos q) * (real_unit b * IZR (Z.pos k) * IZR (Z.pos q))) with (IZR a * real_unit b * IZR
    (Z.pos k))
    by (field; lra).
  eapply Rlt_le_trans; [exact J|].
  replace (v * (real_unit b * IZR (Z.pos k) * IZR (Z.pos q))) with (v * real_unit b * IZR (Z.pos k) * IZR (Z.pos q))
    by ring.
  apply Rmult_le_compat_r; lra.
Qed.
Theorem row_not_above_holds y x row margin : within m y x -> row_not_above m y row margin = true ->
  value_of_row row x <= Q2R margin.
Proof.
  destruct (prepared _ _ _ _ is_prepared) as (Hb & _ & E). rewrite E. unfold row_not_above. cbn [machine_bits].
  destruct y as [B|]; [|discriminate]. intros H. pose proof (row_sums_near B x row H) as S.
  destruct (row_sums (numbers B) row) as [[n s] k]. destruct S as [S _]. intros J. apply Z.leb_le, IZR_le in J.
  rewrite !mult_IZR, plus_IZR in J. change (IZR (2 ^ b)) with (real_unit b) in J. pose proof (unit_pos b Hb) as U.
  destruct margin as [a q]. unfold Q2R. cbn [Qnum Qden] in *.
  assert (Pq : 0 < IZR (Zpos q)) by (apply IZR_lt; lia). assert (Pk : 0 < IZR (Zpos k)) by (apply IZR_lt; lia).
  apply Rabs_between in S. set (v := value_of_row row x) in *.
  apply Rmult_le_reg_r with (real_unit b * IZR (Z.pos k) * IZR (Z.pos q)); [repeat apply Rmult_lt_0_compat;
    assumption|].
  replace (IZR a * / IZR (Z.pos q) * (real_unit b * IZR (Z.pos k) * IZR (Z.pos q))) with (IZR a * real_unit b * IZR
    (Z.pos k))
    by (field; lra).
  eapply Rle_trans; [|exact J].
  replace (v * (real_unit b * IZR (Z.pos k) * IZR (Z.pos q))) with (v * real_unit b * IZR (Z.pos k) * IZR (Z.pos q))
    by ring.
  apply Rmult_le_compat_r; lra.
Qed.
End Prepared.

