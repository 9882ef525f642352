(* Rows of a network of one attention step above a margin, wherever the averages of its heads lie in one of many boxes:
   the boxes are cut into cells, and in each cell the network is passed with affine forms in exact numbers, and with
   balls from the first step on that these have no rule for (a norm, a gate, another activation than relu). *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Bool Arith.
From Certify Require Import lists relu syntax real_vectors real_network balls ball_network exact_forms
  one_attention.
Import ListNotations. Open Scope R_scope.
Local Notation vector := (list R).

Section Bits.
Variable bits : Z.                                                     (* boxes are over 2^bits *)
Hypothesis bits_nonneg : (0 <= bits)%Z.
Notation in_box := (in_box bits).

(* ---- feed-forward blocks ---- *)
Definition form_units (Fb : form * box) (s : units) : form * box :=
  let (F, b) := Fb in
  let n := (length b - 1)%nat in
  let x := form_affine n (units_inward s) F in
  if units_are_relu s then
    let e := Z.min 0 (form_exponent x) in
    let '(rows, b, k) := relu_rows e (rows_over e x) b in
    (form_sum (form_lifted k F) (form_affine (length b - 1) (units_outward s) (FormOf rows (e - slope_bits))), b)
  else (form_sum F (form_affine n (units_outward s) x), b).
Definition form_pass : list units -> form * box -> form * box := fold_left form_units.
(* The last variable is 1. *)
Definition one : Z * Z := (2 ^ bits, 2 ^ bits)%Z.
Definition stands_for (Fb : form * box) (vars x : vector) : Prop :=
  in_box (snd Fb) (vars ++ [1]) /\ form_meaning (fst Fb) (vars ++ [1]) = x.

Lemma one_between : between bits one 1.
Proof. unfold between, one. cbn [fst snd]. unfold real_unit. lra. Qed.
Lemma in_box_length b vars : in_box b (vars ++ [1]) -> (length b - 1)%nat = length vars.
Proof. intros I. apply Forall2_same_length in I. rewrite length_app in I. simpl in I. lia. Qed.
Lemma form_units_hold Fb s vars x : stands_for Fb vars x ->
  exists more, stands_for (form_units Fb s) (more ++ vars) (units_pass x s).
Proof.
  destruct Fb as [F b]. intros [I E]. cbn [fst snd] in *. unfold form_units, units_pass, activation_of.
  pose proof (in_box_length b vars I) as L. rewrite L.
  assert (X := affine_meaning (length vars) (units_inward s) F vars eq_refl). rewrite E in X.
  set (y := form_affine _ (units_inward s) F) in *. destruct (units_are_relu s).
  - set (e := Z.min 0 (form_exponent y)).
    pose proof (relu_rows_hold bits bits_nonneg e ltac:(lia) (rows_over e y) b _ I) as H.
    destruct (relu_rows e (rows_over e y) b) as [[rows b'] k]. destruct H as (more & K & J & M).
    rewrite rows_over_meaning in M by lia. exists more. rewrite app_assoc in J. split; [exact J|]. cbn [fst].
    rewrite sum_meaning, (affine_meaning _ _ _ (more ++ vars)) by (symmetry; now apply in_box_length).
    rewrite <- app_assoc, lifted_meaning by exact K. rewrite E. f_equal. f_equal. rewrite X in M. exact M.
  - exists []. cbn [app]. split; [exact I|]. cbn [fst]. rewrite sum_meaning, affine_meaning, X, E by reflexivity.
    f_equal. f_equal. symmetry. apply map_id.
Qed.
Theorem form_pass_holds l : forall Fb vars x, stands_for Fb vars x ->
  exists more, stands_for (form_pass l Fb) (more ++ vars) (pass l x).
Proof.
  induction l as [|s l IH]; intros Fb vars x H; [exists []; exact H|]. cbn [form_pass fold_left].
  destruct (form_units_hold Fb s vars x H) as (more & H'). destruct (IH _ _ _ H') as (more' & H'').
  exists (more' ++ more). now rewrite <- app_assoc.
Qed.

(* ---- a stream without variables ---- *)
Definition vector_from (F : form) : vector_syntax :=
  VectorOf (map (fun r => hd 0%Z r) (form_rows F)) (form_exponent F).
Lemma vector_from_meaning F : vector_of (vector_from F) = form_meaning F [1].
Proof.
  unfold vector_from, vector_of, form_meaning. cbn [vector_entries vector_exponent]. rewrite map_map. apply map_ext.
  intros [|a r]; unfold entry; cbn [hd value_of]; rewrite ?value_nil; ring.
Qed.
Definition point_affine (a : affine_syntax) (c : vector_syntax) : vector_syntax :=
  vector_from (form_affine 0 a (constant 0 c)).
Lemma point_affine_meaning a c : vector_of (point_affine a c) = affine a (vector_of c).
Proof.
  unfold point_affine. rewrite vector_from_meaning. change [1] with ([] ++ [1]) at 1.
  rewrite affine_meaning, constant_meaning; reflexivity.
Qed.
(* None if some sign is not known, which cannot be. *)
Definition point_pass (l : list units) (c : vector_syntax) : option vector_syntax :=
  let (F, b) := form_pass l (constant 0 c, [one]) in if (length b =? 1)%nat then Some (vector_from F) else None.
Lemma point_pass_meaning l c d : point_pass l c = Some d -> vector_of d = pass l (vector_of c).
Proof.
  unfold point_pass. pose proof (form_pass_holds l (constant 0 c, [one]) [] (vector_of c)) as H.
  destruct (form_pass l _) as [F b]. destruct H as (more & J & M).
  { split; [constructor; [apply one_between|constructor]|]. now apply (constant_meaning 0 c []). }
  destruct (Nat.eqb_spec (length b) 1) as [L|]; [|discriminate]. intros [= <-]. cbn [fst snd] in *.
  apply in_box_length in J. rewrite app_nil_r in *. destruct more; [|simpl in *; lia].
  now rewrite vector_from_meaning.
Qed.

(* ---- steps that affine forms have no rule for: balls over 2^row_bits ---- *)
Definition row_bits : Z := 64.
Lemma row_bits_nonneg : (0 <= row_bits)%Z. Proof. discriminate. Qed.
(* A number over 2^bits times 2^e, over 2^row_bits: rounded down, or up. *)
Definition rescaled (e z : Z) : Z := Z.shiftl z (e + row_bits - bits).
Definition row_ends (e : Z) (b : box) (r : list Z) : Z * Z :=
  (rescaled e (least r b), rescaled e (greatest r b) + 1)%Z.
Definition centre_of (ends : Z * Z) : Z := ((fst ends + snd ends) / 2)%Z.
Definition ball_of_form (F : form) (b : box) : ball :=
  let ends := map (row_ends (form_exponent F) b) (form_rows F) in
  Ball (map centre_of ends) (fold_right (fun lh m => Z.max (snd lh - fst lh) m) 0 ends)%Z.
Definition ball_passes (B : option ball) (s : step_syntax) : option ball :=
  match ball_step row_bits row_bits (prepare_step row_bits row_bits s) with Alone f => f B | Attend _ _ => None end.

Lemma rescaled_between e z : IZR (rescaled e z) <= IZR z / real_unit bits * powerRZ 2 e * real_unit row_bits
  < IZR (rescaled e z) + 1.
Proof.
  unfold rescaled. set (k := (e + row_bits - bits)%Z).
  assert (E : IZR z / real_unit bits * powerRZ 2 e * real_unit row_bits = IZR z * powerRZ 2 k).
  { unfold k, Zminus. rewrite !power_2_added. rewrite (power_2_unit row_bits) by discriminate.
    rewrite <- (power_2_unit bits) by exact bits_nonneg. pose proof (powerRZ_lt 2 bits ltac:(lra)) as P.
    pose proof (power_2_added bits (- bits)) as I. rewrite Z.add_opp_diag_r in I. change (powerRZ 2 0) with 1 in I.
    replace (powerRZ 2 (- bits)) with (/ powerRZ 2 bits); [field; lra|].
    apply Rmult_eq_reg_l with (powerRZ 2 bits); [rewrite <- I; field; lra|lra]. }
  rewrite E. destruct (Z.le_gt_cases 0 k) as [K|K].
  - rewrite Z.shiftl_mul_pow2, mult_IZR, power_2_unit by exact K. unfold real_unit. lra.
  - replace k with (- - k)%Z by lia. rewrite Z.shiftl_div_pow2, Z.opp_involutive by lia.
    set (m := (- k)%Z). replace k with (- m)%Z by (unfold m; lia). assert (M : (0 <= m)%Z) by (unfold m; lia).
    pose proof (unit_pos m M) as P. pose proof (power_2_added m (- m)) as I. rewrite Z.add_opp_diag_r in I.
    change (powerRZ 2 0) with 1 in I. rewrite power_2_unit in I by exact M.
    assert (P' : (0 < 2 ^ m)%Z) by (apply Z.pow_pos_nonneg; lia).
    pose proof (Z.div_mod z (2 ^ m) ltac:(lia)) as D. pose proof (Z.mod_pos_bound z (2 ^ m) P') as L.
    assert (L1 : (2 ^ m * (z / 2 ^ m) <= z)%Z) by lia. assert (L2 : (z < 2 ^ m * (z / 2 ^ m + 1))%Z) by lia.
    apply IZR_le in L1. apply IZR_lt in L2. rewrite mult_IZR in L1, L2. rewrite plus_IZR in L2.
    change (IZR (2 ^ m)) with (real_unit m) in *. set (v := powerRZ 2 (- m)) in *.
    assert (V : 0 < v) by (apply powerRZ_lt; lra). split.
    + apply Rmult_le_reg_r with (real_unit m); [exact P|]. replace (IZR z * v * real_unit m) with (IZR z)
        by (rewrite Rmult_assoc, (Rmult_comm v), <- I; ring). lra.
    + apply Rmult_lt_reg_r with (real_unit m); [exact P|]. replace (IZR z * v * real_unit m) with (IZR z)
        by (rewrite Rmult_assoc, (Rmult_comm v), <- I; ring). lra.
Qed.
Lemma middle_near low high x : IZR low <= x <= IZR high -> Rabs (IZR (centre_of (low, high)) - x) <= IZR (high - low).
Proof.
  intros H. assert (L : (low <= high)%Z) by (apply le_IZR; lra). unfold centre_of. cbn [fst snd].
  assert (M : (low <= (low + high) / 2 /\ (low + high) / 2 <= high)%Z).
  { split; [apply Z.div_le_lower_bound; lia|apply Z.div_le_upper_bound; lia]. }
  destruct M as [M1%IZR_le M2%IZR_le]. rewrite minus_IZR. apply Rabs_le. lra.
Qed.
Lemma ball_of_form_encloses F b t : in_box b t -> encloses row_bits (ball_of_form F b) (form_meaning F t).
Proof.
  intros I. unfold ball_of_form, form_meaning. set (e := form_exponent F). split; cbn [numbers error].
  - induction (form_rows F) as [|r rows IH]; cbn [map fold_right]; lia.
  - set (m := fold_right _ _ _).
    assert (B : forall r, In r (form_rows F) -> (snd (row_ends e b r) - fst (row_ends e b r) <= m)%Z).
    { unfold m. clear m. induction (form_rows F) as [|r rows IH]; intros r0 J; [contradiction|]. cbn [map fold_right].
      destruct J as [->|J]; [lia|]. specialize (IH r0 J). lia. }
    clearbody m. induction (form_rows F) as [|r rows IH]; cbn [map]; constructor.
    + unfold balls.near. apply Rle_trans with (IZR (snd (row_ends e b r) - fst (row_ends e b r)));
        [|apply IZR_le, B; now left].
      apply middle_near. unfold row_ends. cbn [fst snd]. pose proof (ends_hold bits r b t I) as [L H].
      pose proof (rescaled_between e (least r b)) as [RL _]. pose proof (rescaled_between e (greatest r b)) as [_ RH].
      rewrite plus_IZR. pose proof (unit_pos bits bits_nonneg) as U. pose proof (powerRZ_lt 2 e ltac:(lra)) as P.
      pose proof (unit_pos row_bits row_bits_nonneg) as P'. set (w := powerRZ 2 e) in *. set (u := real_unit bits) in *.
      set (v := real_unit row_bits) in *. set (y := value_of r t) in *.
      assert (Y : y = y * u / u) by (field; lra).
      assert (0 < w * v) by (now apply Rmult_lt_0_compat).
      assert (A1 : IZR (least r b) / u <= y) by (rewrite Y; apply Rmult_le_compat_r; [left; now apply
        Rinv_0_lt_compat|exact L]).
      assert (A2 : y <= IZR (greatest r b) / u) by (rewrite Y; apply Rmult_le_compat_r; [left; now apply
        Rinv_0_lt_compat|exact H]).
      assert (C1 : IZR (least r b) / u * (w * v) <= y * (w * v)) by (apply Rmult_le_compat_r; lra).
      assert (C2 : y * (w * v) <= IZR (greatest r b) / u * (w * v)) by (apply Rmult_le_compat_r; lra).
      rewrite <- !Rmult_assoc in C1, C2. lra.
    + apply IH. intros r0 J. apply B. now right.
Qed.
Lemma ball_passes_within rest : forall B x, within row_bits B x ->
  within row_bits (fold_left ball_passes rest B) (fold_left alone_pass rest x).
Proof.
  induction rest as [|s rest IH]; intros B x H; [exact H|]. cbn [fold_left]. apply IH. unfold ball_passes, alone_pass.
  pose proof (step_within row_bits row_bits row_bits_nonneg row_bits_nonneg s) as W.
  destruct s; [exact (W B x H)|exact I|exact (W B x H)].
Qed.

(* ---- the logits of averages ---- *)
(* Variables k to k + d - 1. *)
Definition variables (k d : nat) : form := FormOf (map (fun i => lifted i [1%Z]) (seq k d)) 0.
Lemma value_of_variable i : forall t, value_of (lifted i [1%Z]) t = nth i t 0.
Proof.
  unfold lifted. induction i as [|i IH]; intros [|x t]; cbn [repeat app value_of nth]; try reflexivity.
  - rewrite value_nil || (destruct t; cbn [value_of]); lra.
  - rewrite IH. lra.
Qed.
Lemma variables_meaning before x after : form_meaning (variables (length before) (length x)) (before ++ x ++ after) = x.
Proof.
  unfold form_meaning, variables. cbn [form_rows form_exponent]. rewrite map_map.
  rewrite (map_ext _ (fun i => nth i (before ++ x ++ after) 0)).
  - revert before. induction x as [|a x IH]; intros before; [reflexivity|]. cbn [length seq map].
    rewrite app_nth2, Nat.sub_diag by lia. cbn [app nth]. f_equal. specialize (IH (before ++ [a])).
    rewrite length_app, <- app_assoc in IH. simpl in IH. rewrite Nat.add_comm in IH. exact IH.
  - intros i. rewrite value_of_variable. simpl powerRZ. ring.
Qed.

Section Judged.
Variables (T : network_syntax) (A : one_attention).
Notation width_of_head h := (length (matrix_rows (affine_weight (head_value_map h)))).
Fixpoint with_heads (heads : list head_syntax) (k : nat) (F : form) : form :=
  match heads with
  | [] => F
  | h :: heads => with_heads heads (k + width_of_head h) (form_sum F (image (head_out_map h) (variables k
    (width_of_head h))))
  end.
Definition form_of_linear_row (x : vector_syntax) (b : box) : form * box :=
  let n := length b in
  let F := form_shifted n (attention_bias A) (constant n x) in
  form_pass (units_after A) (with_heads (attention_heads A) 0 F, b ++ [one]).
(* The answer's logit minus each other one. *)
Definition row_difference (F : form) (answer other : nat) : list Z :=
  added (nth answer (form_rows F) []) (map Z.opp (nth other (form_rows F) [])).
Definition judge_form (margin : Q) (answer : nat) (among : list nat) (Fb : form * box) : bool :=
  let b := snd Fb in
  let F := form_affine (length b - 1) (network_unembedding T) (fst Fb) in
  let k := (bits - Z.min 0 (form_exponent F))%Z in
  let up := (form_exponent F - Z.min 0 (form_exponent F))%Z in
  forallb (fun other => (other =? answer)%nat || (Z.shiftl (Qnum margin) k <?
    Z.shiftl (least (row_difference F answer other) b) up * Zpos (Qden margin))%Z) among.
Definition judge_ball (margin : Q) (answer : nat) (among : list nat) (B : ball) : bool :=
  let C := ball_affine row_bits (prepare_affine row_bits row_bits (network_unembedding T)) B in
  forallb (fun other => (other =? answer)%nat || (Qnum margin * 2 ^ row_bits <?
    (nth answer (numbers C) 0 - nth other (numbers C) 0 - 2 * error C) * Zpos (Qden margin))%Z) among.
Definition judge_cell (margin : Q) (x : vector_syntax) (answer : nat) (among : list nat) (b : box) : bool :=
  let Fb := form_of_linear_row x b in
  match rest_after A with
  | [] => judge_form margin answer among Fb
  | rest => match fold_left ball_passes rest (Some (ball_of_form (fst Fb) (snd Fb))) with
            | Some B => judge_ball margin answer among B
            | None => false
            end
  end.

(* What the heads write, from their averages. *)
Fixpoint heads_add (heads : list head_syntax) (averages : list vector) (y : vector) : vector :=
  match heads, averages with
  | h :: heads, a :: averages => heads_add heads averages (plus y (product (head_out_map h) a))
  | _, _ => y
  end.
Definition logits_of_averages (x : vector) (averages : list vector) : vector :=
  affine (network_unembedding T) (row_pass A (heads_add (attention_heads A) averages
    (optional shifted (attention_bias A) x))).
Lemma with_heads_meaning heads averages : Forall2 (fun h a => length a = width_of_head h) heads averages ->
  forall before after F, form_meaning (with_heads heads (length before) F) (before ++ concat averages ++ after) =
    heads_add heads averages (form_meaning F (before ++ concat averages ++ after)).
Proof.
  induction 1 as [|h a heads averages L P IH]; intros before after F; [reflexivity|]. cbn [with_heads concat heads_add].
  specialize (IH (before ++ a) after). rewrite <- L. rewrite length_app in IH. rewrite <- !app_assoc in *.
  rewrite IH, sum_meaning, image_meaning, variables_meaning. reflexivity.
Qed.
Lemma judge_form_holds margin answer among Fb vars x : stands_for Fb vars x ->
  judge_form margin answer among Fb = true -> forall other, In other among -> other <> answer ->
  let y := affine (network_unembedding T) x in Q2R margin < nth answer y 0 - nth other y 0.
Proof.
  destruct Fb as [F b']. intros [I' M] J other O N. unfold judge_form in J. cbn [fst snd] in *. cbv zeta in *.
  pose proof (affine_meaning (length b' - 1) (network_unembedding T) F vars) as U.
  rewrite M in U. specialize (U ltac:(symmetry; now apply in_box_length)).
  rewrite <- U. set (G := form_affine _ _ F) in *. set (t := vars ++ [1]) in *.
  rewrite forallb_forall in J. specialize (J other O). apply orb_prop in J as [J|J].
  { apply Nat.eqb_eq in J. contradiction. }
  apply Z.ltb_lt in J. pose proof (ends_hold bits (row_difference G answer other) b' t I') as [Least _].
  unfold row_difference in Least at 2. rewrite value_added in Least.
  assert (Op : forall r, value_of (map Z.opp r) t = - value_of r t).
  { intros r. rewrite (map_ext Z.opp (Z.mul (-1))) by (intros; lia). rewrite value_scaled. lra. }
  rewrite Op in Least.
  set (e := form_exponent G) in *. set (w := powerRZ 2 e).
  assert (At : forall k, nth k (form_meaning G t) 0 = value_of (nth k (form_rows G) []) t * w).
  { intros k. unfold form_meaning. fold e. fold w. rewrite <- (map_nth (fun r => value_of r t * w)). f_equal.
    cbn [value_of]. ring. }
  rewrite !At. set (va := value_of (nth answer _ _) t) in *. set (vo := value_of (nth other _ _) t) in *. set (z :=
    least _ b') in *.
  set (e0 := Z.min 0 e) in *. apply IZR_lt in J. rewrite !Z.shiftl_mul_pow2, !mult_IZR in J by lia.
  change (IZR (2 ^ (bits - e0))) with (real_unit (bits - e0)) in J.
  change (IZR (2 ^ (e - e0))) with (real_unit (e - e0)) in J. rewrite <- !power_2_unit in J by lia.
  unfold Zminus in J. rewrite !power_2_added, power_2_unit in J by exact bits_nonneg. fold w in J.
  pose proof (powerRZ_lt 2 (- e0) ltac:(lra)) as P0. pose proof (powerRZ_lt 2 e ltac:(lra)) as P1. fold w in P1.
  pose proof (unit_pos bits bits_nonneg) as U0. set (u := real_unit bits) in *. set (q := powerRZ 2 (- e0)) in *.
  destruct margin as [a d]. unfold Q2R. cbn [Qnum Qden] in *. assert (Pd : 0 < IZR (Zpos d)) by (now apply IZR_lt).
  apply Rmult_lt_reg_r with (u * q * IZR (Zpos d)); [repeat apply Rmult_lt_0_compat; assumption|].
  replace (IZR a * / IZR (Zpos d) * (u * q * IZR (Zpos d))) with (IZR a * (u * q)) by (field; lra).
  eapply Rlt_le_trans; [exact J|].
  replace ((va * w - vo * w) * (u * q * IZR (Zpos d))) with ((va + - vo) * u * (w * q * IZR (Zpos d))) by ring.
  replace (IZR z * (w * q) * IZR (Zpos d)) with (IZR z * (w * q * IZR (Zpos d))) by ring.
  apply Rmult_le_compat_r; [repeat apply Rmult_le_pos; lra|exact Least].
Qed.
Lemma judge_ball_holds margin answer among B x : encloses row_bits B x -> judge_ball margin answer among B = true ->
  forall other, In other among -> other <> answer ->
  let y := affine (network_unembedding T) x in Q2R margin < nth answer y 0 - nth other y 0.
Proof.
  intros H J other O N. cbv zeta. unfold judge_ball in J. cbv zeta in J.
  pose proof (ball_affine_encloses _ _ row_bits_nonneg row_bits_nonneg (network_unembedding T) B x H) as [E F].
  set (C := ball_affine _ _ B) in *. set (y := affine _ x) in *. rewrite forallb_forall in J. specialize (J other O).
  apply orb_prop in J as [J|J]; [apply Nat.eqb_eq in J; contradiction|]. apply Z.ltb_lt, IZR_lt in J.
  rewrite !mult_IZR, !minus_IZR, mult_IZR in J. change (IZR (2 ^ row_bits)) with (real_unit row_bits) in J.
  assert (At : forall k, Rabs (IZR (nth k (numbers C) 0%Z) - nth k y 0 * real_unit row_bits) <= IZR (error C)).
  { apply IZR_le in E. clear J. induction F as [|z r l m Hz F IH]; intros [|k]; cbn [nth]; auto;
      rewrite Rmult_0_l, Rminus_0_r, Rabs_R0; exact E. }
  pose proof (At answer) as A1. pose proof (At other) as A2. clear At. apply Rabs_between in A1, A2.
  pose proof (unit_pos row_bits row_bits_nonneg) as U. set (u := real_unit row_bits) in *.
  destruct margin as [a d]. unfold Q2R. cbn [Qnum Qden] in *. assert (Pd : 0 < IZR (Zpos d)) by (now apply IZR_lt).
  apply Rmult_lt_reg_r with (u * IZR (Zpos d)); [now apply Rmult_lt_0_compat|].
  replace (IZR a * / IZR (Zpos d) * (u * IZR (Zpos d))) with (IZR a * u) by (field; lra).
  eapply Rlt_le_trans; [exact J|].
  replace ((nth answer y 0 - nth other y 0) * (u * IZR (Zpos d))) with
    ((nth answer y 0 * u - nth other y 0 * u) * IZR (Zpos d)) by ring.
  apply Rmult_le_compat_r; lra.
Qed.
Theorem judge_cell_holds margin x averages answer among b :
  Forall2 (fun h a => length a = width_of_head h) (attention_heads A) averages -> in_box b (concat averages) ->
  judge_cell margin x answer among b = true -> forall other, In other among -> other <> answer ->
  let y := logits_of_averages (vector_of x) averages in Q2R margin < nth answer y 0 - nth other y 0.
Proof.
  intros L I J other O N. unfold judge_cell, form_of_linear_row in J. cbv zeta in J.
  pose proof (Forall2_same_length _ _ _ I) as Lb.
  set (F0 := form_shifted _ _ _) in J. pose proof (form_pass_holds (units_after A) (with_heads (attention_heads A) 0 F0,
    b ++ [one]) (concat averages) (heads_add (attention_heads A) averages (optional shifted (attention_bias A)
    (vector_of x)))) as H.
  set (Fb := form_pass _ _) in *. destruct H as (more & S).
  { split; cbn [fst snd]; [apply Forall2_app; [exact I|constructor; [apply one_between|constructor]]|].
    pose proof (with_heads_meaning _ _ L [] [1] F0) as W. cbn [length app] in W. rewrite W. f_equal.
    unfold F0. rewrite shifted_meaning, constant_meaning by congruence. reflexivity. }
  cbv zeta. unfold logits_of_averages, row_pass. destruct (rest_after A) as [|s rest].
  { exact (judge_form_holds _ _ _ _ _ _ S J other O N). }
  destruct S as [I' M]. pose proof (ball_of_form_encloses (fst Fb) (snd Fb) _ I') as B. rewrite M in B.
  pose proof (ball_passes_within (s :: rest) (Some _) _ B) as W. destruct (fold_left ball_passes _ _) as [C|];
    [|discriminate]. exact (judge_ball_holds _ _ _ _ _ W J other O N).
Qed.
End Judged.

(* ---- cells ---- *)
(* A cut of a coordinate: boxes below it, and above it. *)
Inductive cells := Cell | Cut (coordinate : nat) (at_ : Z) (below above : cells).
Fixpoint replaced (k : nat) (ends : Z * Z) (b : box) : box :=
  match k, b with O, _ :: b => ends :: b | S k, e :: b => e :: replaced k ends b | _, [] => [] end.
Definition part_of (part : Z * Z -> Z * Z) (k : nat) (b : box) : list box :=
  match nth_error b k with
  | Some ends => let (low, high) := part ends in if (low <=? high)%Z then [replaced k (low, high) b] else []
  | None => [b]
  end.
Definition below_cut (at_ : Z) (ends : Z * Z) : Z * Z := (fst ends, Z.min (snd ends) at_).
Definition above_cut (at_ : Z) (ends : Z * Z) : Z * Z := (Z.max (fst ends) at_, snd ends).
Definition hull : box -> box -> box :=
  map2 (fun a b : Z * Z => (Z.min (fst a) (fst b), Z.max (snd a) (snd b))).
Fixpoint check_cells (judge : box -> bool) (tree : cells) (boxes : list box) : bool :=
  match tree with
  | Cell => match boxes with [] => true | b :: boxes => judge (fold_left hull boxes b) end
  | Cut k at_ below above => check_cells judge below (flat_map (part_of (below_cut at_) k) boxes)
      && check_cells judge above (flat_map (part_of (above_cut at_) k) boxes)
  end.

Lemma replaced_in k ends : forall b t, in_box b t -> between bits ends (nth k t 0) -> in_box (replaced k ends b) t.
Proof.
  induction k as [|k IH]; intros b t I H; destruct I as [|e x b t E I]; cbn [replaced nth] in *; constructor; auto.
  now apply IH.
Qed.
Lemma part_of_in part k b t : in_box b t -> (forall ends, between bits ends (nth k t 0) ->
  between bits (part ends) (nth k t 0)) -> exists b', In b' (part_of part k b) /\ in_box b' t.
Proof.
  intros I H. unfold part_of. destruct (nth_error b k) as [ends|] eqn:E; [|exists b; split; [now left|exact I]].
  assert (B : between bits ends (nth k t 0)).
  { clear H. revert k E. induction I as [|e x b t B I IH]; intros [|k] E; try discriminate.
    - now injection E as ->.
    - now apply IH. }
  specialize (H ends B). destruct (part ends) as [low high]. destruct (Z.leb_spec low high) as [L|L].
  - exists (replaced k (low, high) b). split; [now left|now apply replaced_in].
  - unfold between in H. cbn [fst snd] in H. apply IZR_lt in L. lra.
Qed.
Lemma hull_in b b' t : length b' = length b -> in_box b t -> in_box (hull b b') t /\ in_box (hull b' b) t.
Proof.
  intros L I. revert b' L. induction I as [|e x b t [E1 E2] I IH]; intros [|e' b'] L; try discriminate; [split;
    constructor|].
  destruct (IH b' ltac:(simpl in L; lia)) as [H1 H2].
  assert (IZR (Z.min (fst e) (fst e')) <= IZR (fst e)) by (apply IZR_le; lia).
  assert (IZR (snd e) <= IZR (Z.max (snd e) (snd e'))) by (apply IZR_le; lia).
  split; constructor; auto; unfold between; cbn [fst snd]; rewrite 1?(Z.min_comm (fst e')), 1?(Z.max_comm (snd e'));
    lra.
Qed.
Lemma hull_length b b' : length b' = length b -> length (hull b b') = length b.
Proof. intros L. unfold hull. now apply packed_rows.length_map2. Qed.
Lemma hulls_in boxes t : (forall b, In b boxes -> length b = length t) -> forall b, length b = length t ->
  (in_box b t \/ exists b', In b' boxes /\ in_box b' t) -> in_box (fold_left hull boxes b) t.
Proof.
  induction boxes as [|b' boxes IH]; intros L b Lb H; cbn [fold_left].
  - destruct H as [H|(x & [] & _)]. exact H.
  - assert (L' : length b' = length t) by (apply L; now left).
    apply IH; [intros; apply L; now right|rewrite hull_length; congruence|].
    destruct H as [H|(x & [E|I] & H)]; [| |right; now exists x].
    + left. apply (hull_in b b'); [congruence|exact H].
    + subst x. left. apply (hull_in b' b); [congruence|exact H].
Qed.
Lemma replaced_length k ends b : length (replaced k ends b) = length b.
Proof. revert b. induction k; intros [|e b]; simpl; auto. Qed.
Lemma part_of_length part k b b' : In b' (part_of part k b) -> length b' = length b.
Proof.
  unfold part_of. destruct (nth_error b k) as [ends|]; [|intros [<-|[]]; reflexivity].
  destruct (part ends) as [low high]. destruct (low <=? high)%Z; [|easy]. intros [<-|[]]. apply replaced_length.
Qed.

(* A point in a box is in a box of a cell that was judged. *)
Theorem check_cells_holds judge t tree : forall boxes b, (forall b, In b boxes -> length b = length t) ->
  check_cells judge tree boxes = true -> In b boxes -> in_box b t -> exists b', judge b' = true /\ in_box b' t.
Proof.
  induction tree as [|k at_ below IHb above IHa]; intros boxes b L C I H; cbn [check_cells] in C.
  - destruct boxes as [|b0 boxes]; [easy|]. exists (fold_left hull boxes b0). split; [exact C|].
    apply hulls_in; [intros; apply L; now right|apply L; now left|].
    destruct I as [->|I]; [now left|]. right. now exists b.
  - apply andb_prop in C as [Cb Ca].
    assert (P : forall part b', In b' (flat_map (part_of part k) boxes) -> length b' = length t).
    { intros part b' J. apply in_flat_map in J as (x & Jx & J). rewrite (part_of_length _ _ _ _ J). now apply L. }
    destruct (Rle_dec (nth k t 0 * real_unit bits) (IZR at_)) as [B|B].
    + destruct (part_of_in (below_cut at_) k b t H) as (b' & J & H').
      { intros ends [E1 E2]. unfold between, below_cut. cbn [fst snd]. split; [exact E1|].
        destruct (Z.min_spec (snd ends) at_) as [[_ ->]|[_ ->]]; lra. }
      apply (IHb (flat_map (part_of (below_cut at_) k) boxes) b'); auto; [apply P|].
      apply in_flat_map. now exists b.
    + destruct (part_of_in (above_cut at_) k b t H) as (b' & J & H').
      { intros ends [E1 E2]. unfold between, above_cut. cbn [fst snd]. split; [|exact E2].
        destruct (Z.max_spec (fst ends) at_) as [[_ ->]|[_ ->]]; lra. }
      apply (IHa (flat_map (part_of (above_cut at_) k) boxes) b'); auto; [apply P|].
      apply in_flat_map. now exists b.
Qed.
End Bits.
