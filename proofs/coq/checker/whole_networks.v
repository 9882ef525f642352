(* The kinds of whole_numbers.v, layer by layer, through a whole network.

   Proved: if `sharp_network T` computes to true, then for every n the gap of T is at least 1/n and no row ties. *)
From Coq Require Import Reals QArith Qreals Qround ZArith List Bool Lra Lia Arith.
From Certify Require Import positions lists finite_sums softmax relu linear_combination formula network totals
  hard_attention lemma_24_gap norms soft_layers whole_numbers.
Import ListNotations.
Open Scope R_scope.

(* ---- heads ---- *)
Definition sharp_head (K : direction_kinds) (a : head) : bool :=
  match place_coefficient K (head_queries a) (head_keys a) with Some s => Qeq_bool s 1 || Qeq_bool s (-1) | None =>
    false end
  || match is_parabola K (head_queries a) (head_keys a) with Some _ => true | None => false end.

Lemma sharp_head_correct n K h a (i : position n) : stream_holds n K h -> sharp_head K a = true ->
  sharp_row n (mask_at (head_masking a) i) (raw_score a h i).
Proof.
  intros H E. apply orb_prop in E as [E|E].
  - destruct (place_coefficient K (head_queries a) (head_keys a)) as [s|] eqn:P; [|discriminate].
    assert (S : Q2R s = 1 \/ Q2R s = -1).
    { apply orb_prop in E as [E|E]; apply Qeq_bool_R in E; rewrite E; [left; apply Q2R_1|right].
      unfold Q2R. simpl. lra. }
    apply (placed_sharp n _ _ i (fun j => raw_score a h i j - Q2R s * (INR j / INR n)) (Q2R s));
      [lia|now apply visible_self|exact S|]. intros j [Hj _]. split; [|lra]. unfold raw_score.
    destruct (placed_correct n K h i (Position j Hj) _ _ s H P) as (z & Z & Ez). cbn [place] in Ez. rewrite Ez.
    now replace (z + Q2R s * (INR j / INR n) - Q2R s * (INR j / INR n)) with z by ring.
  - destruct (is_parabola K (head_queries a) (head_keys a)) as [b|] eqn:P; [|discriminate].
    destruct (parabola_correct n K h i _ _ b H P) as (m & M & S). now apply (parabola_sharp n _ i _ b m).
Qed.

Definition value_kind (K : direction_kinds) (a : head) (r : row) : direction_kind :=
  if row_is whole_kind K r then
    if uniform_head a then match head_masking a with FutureMasked => KindShare | _ => KindUnknown end
    else if sharp_head K a then KindWhole else KindUnknown
  else KindUnknown.

Lemma uniform_mean n a h (i : position n) v : uniform_head a = true -> head_masking a = FutureMasked ->
  sum_to n (fun j => weights_by hardmax a n h i j * v j) * INR i = sum_to i v.
Proof.
  intros U M. pose proof (INR_i n i) as I1.
  assert (W : forall j, weights_by hardmax a n h i j = bit (future_mask i j) / INR i).
  { intros j. unfold weights_by. rewrite M. cbn [mask_at].
    rewrite (hardmax_constant n (future_mask i) _ i 0 (visible_future n i (in_word i))) by (intros;
      now apply uniform_scores).
    f_equal. rewrite <- (sum_one i), <- (sum_up_to n i) by lia. apply sum_ext. intros k _. unfold future_mask. lra. }
  rewrite (sum_ext n _ (fun j => (bit (j <=? i)%nat * v j) * / INR i)).
  - rewrite sum_scale_r, sum_up_to by lia. field. lra.
  - intros j _. rewrite W. unfold future_mask, Rdiv. ring.
Qed.

Lemma value_kind_correct n K h a (i : position n) r : stream_holds n K h ->
  has_kind n i (value_kind K a r) (attended_by hardmax a n h i r).
Proof.
  intros H. unfold value_kind. destruct (row_is whole_kind K r) eqn:W; [|exact I].
  destruct (uniform_head a) eqn:U; [destruct (head_masking a) eqn:M; try exact I|
    destruct (sharp_head K a) eqn:S; [|exact I]].
  - cbn [has_kind]. unfold attended_by. rewrite uniform_mean by assumption. apply integer_sum. intros j Hj.
    exact (row_whole n K h H (Position j ltac:(lia)) _ W).
  - destruct (sharp_head_correct n K h a i H S) as [(p & V & P) _]. cbn [has_kind]. unfold attended_by, weights_by.
    rewrite (sum_apart n p) by apply V. destruct (hardmax_tieless n _ _ p V P) as (_ & _ & E).
    rewrite E, one_hot_here, sum_zero; [| |apply V].
    + rewrite Rmult_1_l, Rplus_0_r. exact (row_whole n K h H (Position p (proj1 V)) _ W).
    + intros j Hj. unfold zeroed_at. destruct (Nat.eqb_spec j p) as [|N]; [reflexivity|].
      rewrite E, one_hot_elsewhere by assumption. ring.
Qed.

Local Definition join (k c : direction_kind) : direction_kind :=
  if whole_kind k && whole_kind c then KindWhole else if share_kind k && share_kind c then KindShare else KindUnknown.

Lemma join_correct n (i : position n) k c x y : has_kind n i k x -> has_kind n i c y -> has_kind n i (join k c) (x + y).
Proof.
  intros X Y. unfold join. destruct (whole_kind k && whole_kind c) eqn:W.
  - apply andb_prop in W as [A B]. apply integer_plus; [now apply (whole_correct n i k)|now apply (whole_correct n i
      c)].
  - destruct (share_kind k && share_kind c) eqn:S; [|exact I]. apply andb_prop in S as [A B]. cbn [has_kind].
    rewrite Rmult_plus_distr_r. apply integer_plus; [now apply (share_correct n i k)|]. now apply (share_correct n i c).
Qed.

Definition head_kind (K : direction_kinds) (d : direction) (k : direction_kind) (a : head) : direction_kind :=
  fold_left (fun k er => if Nat.eqb (fst er) d then join k (value_kind K a (snd er)) else k) (head_values a) k.
Definition heads_kind (K : direction_kinds) (l : layer) (d : direction) : direction_kind :=
  fold_left (head_kind K d) (layer_heads l) (kind_at K d).

Lemma head_kind_correct n K h a (i : position n) d : stream_holds n K h -> forall k x, has_kind n i k x ->
  has_kind n i (head_kind K d k a) (x + head_output_by hardmax n h i d a).
Proof.
  intros H. unfold head_kind, head_output_by. induction (head_values a) as [|[e r] l IH]; intros k x X.
  - cbn. now rewrite Rplus_0_r.
  - cbn [fold_left collect fst snd]. rewrite <- Rplus_assoc. apply IH. destruct (e =? d)%nat; [|now rewrite Rplus_0_r].
    apply join_correct; [exact X|now apply value_kind_correct].
Qed.

Lemma heads_kind_correct n K h l (i : position n) d : stream_holds n K h ->
  has_kind n i (heads_kind K l d) (after_heads_by hardmax n l h i d).
Proof.
  intros H. unfold heads_kind, after_heads_by. specialize (H i d (in_word i)) as X. revert X.
  generalize (kind_at K d) as k, (h i d) as x.
  induction (layer_heads l) as [|a hs IH]; intros k x X; cbn [fold_left total_over].
  - now rewrite Rplus_0_r.
  - rewrite <- Rplus_assoc. apply IH. now apply head_kind_correct.
Qed.

(* ---- units ---- *)
Definition weight_on (r : row) (d : direction) : Q := total_q (fun e => if Nat.eqb (fst e) d then snd e else 0%Q) r.
Lemma weight_on_correct r d : Q2R (weight_on r d) = row_entry r d.
Proof.
  unfold weight_on, row_entry. rewrite total_q_correct. induction r as [|[e q] r IH]; simpl; [reflexivity|].
  rewrite IH. destruct (e =? d)%nat; [reflexivity|now rewrite Q2R_0].
Qed.

Fixpoint row_eqb (r s : row) : bool :=
  match r, s with
  | [], [] => true
  | (d, p) :: r, (e, q) :: s => Nat.eqb d e && Qeq_bool p q && row_eqb r s
  | _, _ => false
  end.
Lemma row_eqb_linear r x : forall s, row_eqb r s = true -> linear r x = linear s x.
Proof.
  induction r as [|[d p] r IH]; intros [|[e q] s] E; try discriminate; [reflexivity|]. cbn [row_eqb] in E.
  apply andb_prop in E as [E1 E2]. apply andb_prop in E1 as [D P]. apply Nat.eqb_eq in D. apply Qeq_bool_R in P.
  cbn [linear]. now rewrite D, P, (IH s).
Qed.

(* From this integer on the unit is open. *)
Local Definition opens (u : relu_unit) : Z := Qceiling (- unit_bias u).
Local Definition alike (u v : relu_unit) : bool := row_eqb (unit_reads u) (unit_reads v) && Z.eqb (opens u) (opens v).

Lemma opens_correct u z : relu (IZR z + Q2R (unit_bias u)) = if Z.leb (opens u) z then IZR z + Q2R (unit_bias u) else 0.
Proof.
  unfold opens. pose proof (Qle_ceiling (- unit_bias u)) as A. apply Qle_Rle in A. rewrite Q2R_opp in A.
  pose proof (Qceiling_lt (- unit_bias u)) as B. apply Qlt_Rlt in B. rewrite Q2R_opp in B.
  assert (Zq : forall y, Q2R (inject_Z y) = IZR y) by (intros y; unfold Q2R, inject_Z; simpl; lra). rewrite Zq in *.
  destruct (Z.leb_spec (Qceiling (- unit_bias u)) z) as [L|L].
  - apply relu_linear. apply IZR_le in L. lra.
  - apply relu_zero. assert (L' : (z <= Qceiling (- unit_bias u) - 1)%Z) by lia. apply IZR_le in L'. lra.
Qed.

Definition product_q (d : direction) (u : relu_unit) : Q := (weight_on (unit_writes u) d * unit_bias u)%Q.
Local Fixpoint balanced (fuel : nat) (d : direction) (us : list relu_unit) : bool :=
  match fuel, us with
  | _, [] => true
  | O, _ => false
  | S fuel, u :: _ => reduces_to_integer (total_q (product_q d) (filter (alike u) us))
                      && balanced fuel d (filter (fun v => negb (alike u v)) us)
  end.

Lemma total_filter {X} (f : X -> R) (p : X -> bool) l :
  total_over f l = total_over f (filter p l) + total_over f (filter (fun x => negb (p x)) l).
Proof. induction l as [|x l IH]; cbn [filter total_over]; [lra|]. destruct (p x); cbn [negb total_over]; lra. Qed.

Section Units.
Variables (n : nat) (i : position n) (K : direction_kinds) (x : vector) (d : direction).
Hypothesis H : forall e, has_kind n i (kind_at K e) (x e).

(* The stream that is x at every position, so that rows need no lemmas of their own. *)
Let h : nat -> vector := fun j => x.

Lemma whole_row_here r : row_is whole_kind K r = true -> is_whole_number (linear r x).
Proof.
  induction r as [|[e q] r IH]; cbn [row_is forallb linear fst snd]; intros E; [apply integer_0|].
  apply andb_prop in E as [E1 E2]. apply integer_plus; [|now apply IH]. apply orb_prop in E1 as [Z|E1].
  - apply Qeq_bool_R in Z. rewrite Z, Q2R_0, Rmult_0_l. apply integer_0.
  - apply andb_prop in E1 as [I W]. apply integer_mult; [now apply integral_correct|].
    now apply (whole_correct n i (kind_at K e)).
Qed.
Lemma share_row_here r : row_is share_kind K r = true -> is_whole_number (linear r x * INR i).
Proof.
  induction r as [|[e q] r IH]; cbn [row_is forallb linear fst snd]; intros E; [rewrite Rmult_0_l; apply integer_0|].
  apply andb_prop in E as [E1 E2]. rewrite Rmult_plus_distr_r. apply integer_plus; [|now apply IH].
  apply orb_prop in E1 as [Z|E1].
  - apply Qeq_bool_R in Z. rewrite Z, Q2R_0, !Rmult_0_l. apply integer_0.
  - apply andb_prop in E1 as [I W]. rewrite Rmult_assoc. apply integer_mult; [now apply integral_correct|].
    now apply (share_correct n i (kind_at K e)).
Qed.

Definition whole_unit (u : relu_unit) : bool :=
  row_is whole_kind K (unit_reads u) && reduces_to_integer (weight_on (unit_writes u) d).
Definition share_unit (u : relu_unit) : bool := row_is share_kind K (unit_reads u) &&
  reduces_to_integer (unit_bias u) && reduces_to_integer (weight_on (unit_writes u) d).

(* Units that read the same integer z and open at the same one. *)
Lemma alike_integer z t us : (forall u, In u us -> linear (unit_reads u) x = IZR z /\ opens u = t /\
  reduces_to_integer (weight_on (unit_writes u) d) = true) -> reduces_to_integer (total_q (product_q d) us) = true ->
  is_whole_number (total_over (unit_output x d) us).
Proof.
  intros A B. apply integral_correct in B. rewrite total_q_correct in B. destruct (Z.leb_spec t z) as [L|L].
  - assert (E : total_over (unit_output x d) us = IZR z * total_over (fun u => row_entry (unit_writes u) d) us
      + total_over (fun u => Q2R (product_q d u)) us).
    { rewrite <- total_scale, <- total_plus. apply total_ext. intros u U. destruct (A u U) as (E & T & _).
      unfold unit_output, product_q. rewrite E, opens_correct, T, (proj2 (Z.leb_le t z) L).
      rewrite Q2R_mult, weight_on_correct. ring. }
    rewrite E. apply integer_plus; [|exact B]. apply integer_mult; [now exists z|].
    clear E B. induction us as [|u us IH]; cbn [total_over]; [apply integer_0|]. apply integer_plus.
    + rewrite <- weight_on_correct. apply integral_correct. now apply A; left.
    + apply IH. intros v V. apply A. now right.
  - replace (total_over (unit_output x d) us) with 0; [apply integer_0|]. symmetry.
    rewrite (total_ext _ (fun _ => 0 * 0)); [rewrite total_scale; lra|]. intros u U. destruct (A u U) as (E & T & _).
    unfold unit_output. rewrite E, opens_correct, T, (proj2 (Z.leb_gt t z) L). lra.
Qed.

Lemma balanced_integer fuel : forall us, forallb whole_unit us = true -> balanced fuel d us = true ->
  is_whole_number (total_over (unit_output x d) us).
Proof.
  induction fuel as [|fuel IH]; intros [|u us] W B; try discriminate; try apply integer_0. cbn [balanced] in B.
  apply andb_prop in B as [B1 B2]. rewrite (total_filter _ (alike u)). rewrite forallb_forall in W. apply integer_plus.
  - destruct (whole_row_here (unit_reads u)) as [z Z].
    { specialize (W u (or_introl eq_refl)). now apply andb_prop in W. }
    apply (alike_integer z (opens u)); [|exact B1]. intros v V. apply filter_In in V as [V E].
    apply andb_prop in E as [R T]. apply Z.eqb_eq in T. split; [|split; [now symmetry|]].
    + now rewrite <- (row_eqb_linear _ x _ R).
    + specialize (W v V). now apply andb_prop in W.
  - apply IH; [|exact B2]. apply forallb_forall. intros v V. apply filter_In in V as [V _]. now apply W.
Qed.

Lemma share_units us : forallb share_unit us = true -> is_whole_number (total_over (unit_output x d) us * INR i).
Proof.
  induction us as [|u us IH]; cbn [forallb total_over]; intros E; [rewrite Rmult_0_l; apply integer_0|].
  apply andb_prop in E as [E1 E2]. rewrite Rmult_plus_distr_r. apply integer_plus; [|now apply IH].
  apply andb_prop in E1 as [E1 W]. apply andb_prop in E1 as [R B]. unfold unit_output. pose proof (INR_i n i) as I1.
  set (y := linear (unit_reads u) x + Q2R (unit_bias u)). assert (Y : is_whole_number (y * INR i)).
  { unfold y. rewrite Rmult_plus_distr_r. apply integer_plus; [now apply share_row_here|].
    apply integer_mult; [now apply integral_correct|apply integer_nat]. }
  replace (relu y * row_entry (unit_writes u) d * INR i) with (row_entry (unit_writes u) d * relu (y * INR i)).
  - apply integer_mult; [rewrite <- weight_on_correct; now apply integral_correct|now apply integer_relu].
  - destruct (Rle_lt_dec 0 y) as [P|N].
    + rewrite !relu_linear by (try apply Rmult_le_pos; lra). ring.
    + rewrite !relu_zero by nra. ring.
Qed.

Local Definition writers (l : layer) : list relu_unit :=
  filter (fun u => negb (Qeq_bool (weight_on (unit_writes u) d) 0)) (layer_units l).
Definition units_kind (l : layer) : direction_kind :=
  let us := writers l in let b := weight_on (layer_bias l) d in
  match us with
  | [] => if Qeq_bool b 0 then kind_at K d else if reduces_to_integer b then join (kind_at K d) KindWhole else
    KindUnknown
  | _ => if reduces_to_integer b then
           if forallb whole_unit us && balanced (length us) d us then join (kind_at K d) KindWhole
           else if forallb share_unit us then join (kind_at K d) KindShare else KindUnknown
         else KindUnknown
  end.

Local Lemma writers_total l : total_over (unit_output x d) (layer_units l) = total_over (unit_output x d) (writers l).
Proof.
  unfold writers. rewrite (total_filter _ (fun u => negb (Qeq_bool (weight_on (unit_writes u) d) 0))).
  rewrite <- (Rplus_0_r (total_over _ (filter _ _))) at 2. f_equal.
  rewrite (total_ext _ (fun _ => 0 * 0)); [rewrite total_scale; lra|]. intros u U. apply filter_In in U as [_ Z].
  rewrite negb_involutive in Z. apply Qeq_bool_R in Z. rewrite weight_on_correct, Q2R_0 in Z. unfold unit_output.
  rewrite Z. ring.
Qed.

Lemma units_kind_correct l : has_kind n i (units_kind l) (x d + feedforward l x d).
Proof.
  unfold feedforward. rewrite writers_total, <- weight_on_correct. unfold units_kind.
  set (b := weight_on (layer_bias l) d). specialize (H d) as Hd. destruct (writers l) as [|u us] eqn:W.
  - cbn [total_over]. rewrite Rplus_0_l. destruct (Qeq_bool b 0) eqn:Z.
    + apply Qeq_bool_R in Z. rewrite Z, Q2R_0, Rplus_0_r. exact Hd.
    + destruct (reduces_to_integer b) eqn:I; [|exact Logic.I]. apply join_correct; [exact Hd|].
      now apply integral_correct.
  - destruct (reduces_to_integer b) eqn:I; [|exact Logic.I]. apply integral_correct in I.
    destruct (forallb whole_unit (u :: us) && balanced (length (u :: us)) d (u :: us)) eqn:B.
    + apply andb_prop in B as [B1 B2]. apply join_correct; [exact Hd|]. apply integer_plus; [|exact I].
      now apply (balanced_integer (length (u :: us))).
    + destruct (forallb share_unit (u :: us)) eqn:S; [|exact Logic.I]. apply join_correct; [exact Hd|]. cbn [has_kind].
      rewrite Rmult_plus_distr_r. apply integer_plus; [now apply share_units|].
      apply integer_mult; [exact I|apply integer_nat].
Qed.
End Units.

(* ---- layers ---- *)
Definition from_each (f : direction -> direction_kind) (D : nat) : direction_kinds := map f (seq 0 D).
Lemma from_each_at f D d : kind_at (from_each f D) d = f d \/ kind_at (from_each f D) d = KindUnknown.
Proof.
  unfold kind_at, from_each. destruct (Nat.lt_ge_cases d D) as [L|L]; [left|right].
  - rewrite (nth_indep _ KindUnknown (f 0%nat)) by now rewrite length_map, length_seq.
    rewrite map_nth, seq_nth by exact L. reflexivity.
  - apply nth_overflow. now rewrite length_map, length_seq.
Qed.
Lemma from_each_holds n i f D x : (forall d, has_kind n i (f d) (x d)) ->
  forall d, has_kind n i (kind_at (from_each f D) d) (x d).
Proof. intros H d. destruct (from_each_at f D d) as [-> | ->]; [apply H|exact I]. Qed.

Definition layer_kinds (D : nat) (K : direction_kinds) (l : layer) : direction_kinds :=
  let A := from_each (heads_kind K l) D in from_each (fun d => units_kind A d l) D.

Lemma layer_kinds_correct n D K l h : stream_holds n K h ->
  stream_holds n (layer_kinds D K l) (after_layer_by hardmax n l h).
Proof.
  intros H i d Hi. apply (from_each_holds n i _ D (after_layer_by hardmax n l h i)). intros e. unfold after_layer_by.
  apply (units_kind_correct n (Position i Hi)). apply (from_each_holds n i _ D (after_heads_by hardmax n l h i)).
  intros e'. exact (heads_kind_correct n K h l (Position i Hi) e' H).
Qed.

Fixpoint sharp_layers (D : nat) (K : direction_kinds) (ls : list layer) : bool :=
  match ls with
  | [] => true
  | l :: ls => forallb (fun a => uniform_head a || sharp_head K a) (layer_heads l) && sharp_layers D (layer_kinds D K
    l) ls
  end.

Lemma sharp_layers_correct n D ls : forall K h, stream_holds n K h -> sharp_layers D K ls = true ->
  every_row (sharp_row n) n ls h.
Proof.
  induction ls as [|l ls IH]; intros K h H E; [exact I|]. cbn [sharp_layers] in E. apply andb_prop in E as [A B]. split.
  - intros a i Ha U Hi. rewrite forallb_forall in A. specialize (A a Ha). rewrite U in A.
    exact (sharp_head_correct n K h a (Position i Hi) H A).
  - apply (IH (layer_kinds D K l)); [now apply layer_kinds_correct|exact B].
Qed.

(* ---- embeddings ---- *)
Definition position_kind (p : position_function) : direction_kind :=
  match p with
  | Formula (Num q) => if Qeq_bool q 1 then KindOne else if reduces_to_integer q then KindWhole else KindUnknown
  | Formula VarI => KindIndex
  | Formula (Power VarI (Int 2)) => KindSquare
  | Formula (Div VarI VarN) => KindPlace
  | Formula (Div (Num q) VarI) => if Qeq_bool q 1 then KindReciprocal else KindUnknown
  | Formula _ => KindUnknown
  | Bracket _ _ => KindWhole
  end.
Definition embedding_kind (T : transformer) (d : direction) : direction_kind :=
  let positions := filter (fun e => Nat.eqb (fst e) d) (position_embedding T) in
  if forallb (fun r => Qeq_bool (weight_on r d) 0) (token_embedding T)
  then match positions with [] => KindWhole | [e] => position_kind (snd e) | _ => KindUnknown end
  else match positions with
       | [] => if forallb (fun r => reduces_to_integer (weight_on r d)) (token_embedding T) then KindWhole else
         KindUnknown
       | _ => KindUnknown
       end.

Lemma position_kind_correct users n (i : position n) p : has_kind n i (position_kind p) (position_value users p n i).
Proof.
  destruct p as [x|f s]; [|apply integer_bit].
  destruct x as [q| | | | | |x y| |x k|g x]; try exact I; cbn [position_kind position_value expression_value].
  - destruct (Qeq_bool q 1) eqn:E; [apply Qeq_bool_R in E; rewrite E; apply Q2R_1|].
    destruct (reduces_to_integer q) eqn:J; [now apply integral_correct|exact I].
  - reflexivity.
  - destruct x; try exact I; destruct y; try exact I; cbn [position_kind expression_value].
    + destruct (Qeq_bool q 1) eqn:E; [|exact I]. apply Qeq_bool_R in E. cbn [has_kind]. rewrite E, Q2R_1. unfold Rdiv.
    ring.
    + reflexivity.
  - destruct x; try exact I. destruct k as [z| | | |]; try exact I. destruct z as [|[| [| |] |]|]; try exact I.
    reflexivity.
Qed.

Lemma collect_filter {X} (f : X -> R) l d :
  collect f l d = total_over (fun e => f (snd e)) (filter (fun e => Nat.eqb (fst e) d) l).
Proof.
  induction l as [|[e x] l IH]; cbn [collect filter fst]; [reflexivity|]. rewrite IH.
  destruct (e =? d)%nat; cbn [total_over snd]; lra.
Qed.

Lemma embedding_kind_correct users T n w (i : position n) d : word_in_alphabet T n w ->
  has_kind n i (embedding_kind T d) (embed users T n w i d).
Proof.
  intros O. unfold embed, embedding_kind. rewrite collect_filter. set (r := nth (w i) (token_embedding T) []).
  assert (In r (token_embedding T)) as R by (apply nth_In; now apply O). rewrite <- weight_on_correct.
  destruct (forallb (fun r => Qeq_bool (weight_on r d) 0) (token_embedding T)) eqn:Z.
  - rewrite forallb_forall in Z. specialize (Z r R). apply Qeq_bool_R in Z. rewrite Z, Q2R_0, Rplus_0_l.
    destruct (filter (fun e => Nat.eqb (fst e) d) (position_embedding T)) as [|e [|e' l]]; cbn [total_over];
      try exact I; [apply integer_0|]. rewrite Rplus_0_r. now apply position_kind_correct.
  - destruct (filter (fun e => Nat.eqb (fst e) d) (position_embedding T)) as [|e l]; [|exact I].
    cbn [total_over]. rewrite Rplus_0_r.
    destruct (forallb (fun r => reduces_to_integer (weight_on r d)) (token_embedding T)) eqn:J; [|exact I].
    rewrite forallb_forall in J. apply integral_correct. now apply J.
Qed.

Definition sharp_network (T : transformer) : bool := sharp_layers (first_unused_direction T)
  (from_each (embedding_kind T) (first_unused_direction T)) (transformer_layers T).

Theorem sharp_network_correct users T n : sharp_network T = true -> (1 <= n)%nat ->
  gap_at users T n (/ INR n) /\ tieless_at users T n.
Proof.
  intros E Hn.
  assert (A : forall w, word_in_alphabet T n w -> every_row (sharp_row n) n (transformer_layers T) (embed users T n w)).
  { intros w O. apply (sharp_layers_correct n (first_unused_direction T) _ (from_each (embedding_kind T)
      (first_unused_direction T))); [|exact E].
    intros i d Hi. apply (from_each_holds n i _ (first_unused_direction T) (embed users T n w i)).
    intros e. exact (embedding_kind_correct users T n w (Position i Hi) e O). }
  split; [split|].
  - apply Rinv_0_lt_compat, lt_0_INR. lia.
  - intros w O. eapply every_row_impl; [|now apply A]. now intros m s [_ G].
  - intros w O. eapply every_row_impl; [|now apply A]. now intros m s [G _].
Qed.
