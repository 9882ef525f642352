(* Balls in fixed point: integers that stand for a real vector, all with one error bound (max-norm), and what sums,
   linear maps and products do to them.

   A number z stands for x in units of 2^-b: z is near x within e if |z - x 2^b| <= e. Nothing is assumed of a weight
   but that it is near its real number within 1, in units of 2^-g. So a linear map costs products of integers alone; the
   error is computed from 1-norms. *)
From Coq Require Import Reals ZArith QArith Qreals List Lra Lia Bool.
From Certify Require Import lists relu syntax real_vectors real_network packed_rows.
Import ListNotations. Open Scope R_scope.
Local Notation vector := (list R).

Definition real_unit (b : Z) : R := IZR (2 ^ b).
Definition near (b e z : Z) (x : R) : Prop := Rabs (IZR z - x * real_unit b) <= IZR e.
Record ball := Ball { numbers : list Z; error : Z }.
Definition encloses (b : Z) (B : ball) (x : vector) : Prop := (0 <= error B)%Z /\ Forall2 (near b (error B))
  (numbers B) x.

(* For the extraction: the function, with a table of what it gave before. *)
Definition with_table {X} (f : Z -> Z -> X) : Z -> Z -> X := f.

(* ---- absolute values ---- *)
Lemma Rabs_between x e : Rabs x <= e -> - e <= x <= e. Proof. unfold Rabs. destruct (Rcase_abs x); lra. Qed.
Lemma Rabs_within x e : - e <= x <= e -> Rabs x <= e. Proof. unfold Rabs. destruct (Rcase_abs x); lra. Qed.
Lemma Rabs_product x y e f : Rabs x <= e -> Rabs y <= f -> Rabs (x * y) <= e * f.
Proof. intros. rewrite Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos. Qed.
Lemma Rabs_sum x y e f : Rabs x <= e -> Rabs y <= f -> Rabs (x + y) <= e + f.
Proof. intros. eapply Rle_trans; [apply Rabs_triang|lra]. Qed.
Lemma unit_pos b : (0 <= b)%Z -> 0 < real_unit b. Proof. intros. apply IZR_lt. now apply Z.pow_pos_nonneg. Qed.
Lemma IZR_abs z : IZR (Z.abs z) = Rabs (IZR z). Proof. apply abs_IZR. Qed.

(* ---- rounding ---- *)
(* What is near within E before a division is near within E/d + 2 after it. *)
Lemma divided p r E d : (0 < d)%Z -> Rabs (IZR p - r * IZR d) <= IZR E -> Rabs (IZR (p / d) - r) <= IZR (E / d + 2).
Proof.
  intros D H. assert (P : 0 < IZR d) by now apply IZR_lt. apply Rabs_between in H.
  pose proof (Z.div_mod p d ltac:(lia)) as Ep. pose proof (Z.mod_pos_bound p d D) as Bp.
  pose proof (Z.div_mod E d ltac:(lia)) as Ee. pose proof (Z.mod_pos_bound E d D) as Be.
  apply (f_equal IZR) in Ep, Ee. rewrite plus_IZR, mult_IZR in Ep, Ee.
  assert (0 <= IZR (p mod d) <= IZR d) by (split; apply IZR_le; lia).
  assert (0 <= IZR (E mod d) <= IZR d) by (split; apply IZR_le; lia).
  rewrite plus_IZR. set (q := IZR (p / d)) in *. set (f := IZR (E / d)) in *.
  apply Rabs_within. split; apply Rmult_le_reg_r with (IZR d); try exact P; nra.
Qed.
Lemma shifted_down p r E k : (0 <= k)%Z -> Rabs (IZR p - r * real_unit k) <= IZR E ->
  Rabs (IZR (Z.shiftr p k) - r) <= IZR (Z.shiftr E k + 2).
Proof.
  intros K. rewrite !Z.shiftr_div_pow2 by exact K. apply divided. now apply Z.pow_pos_nonneg.
Qed.
Lemma floor_near p d : (0 < d)%Z -> Rabs (IZR (p / d) - IZR p / IZR d) <= 1.
Proof.
  intros D. assert (P : 0 < IZR d) by now apply IZR_lt. pose proof (Z.div_mod p d ltac:(lia)) as Ep.
  pose proof (Z.mod_pos_bound p d D) as Bp. apply (f_equal IZR) in Ep. rewrite plus_IZR, mult_IZR in Ep.
  assert (0 <= IZR (p mod d) <= IZR d) by (split; apply IZR_le; lia).
  replace (IZR (p / d) - IZR p / IZR d) with (- (IZR (p mod d) / IZR d)) by (rewrite Ep; field; lra).
  apply Rabs_within. assert (0 <= IZR (p mod d) / IZR d <= 1); [|lra]. split.
  - apply Rmult_le_pos; [lra|]. left. now apply Rinv_0_lt_compat.
  - apply Rmult_le_reg_r with (IZR d); [exact P|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(* A rational, and z 2^e, in units of 2^-k. *)
Definition fixed_rational (k : Z) (q : Q) : Z := (Qnum q * 2 ^ k / Zpos (Qden q))%Z.
Lemma fixed_rational_near k q : near k 1 (fixed_rational k q) (Q2R q).
Proof.
  unfold near, fixed_rational. pose proof (floor_near (Qnum q * 2 ^ k) (Zpos (Qden q)) ltac:(lia)) as F.
  replace (Q2R q * real_unit k) with (IZR (Qnum q * 2 ^ k) / IZR (Zpos (Qden q))); [exact F|].
  rewrite mult_IZR. unfold Q2R, real_unit. field. apply IZR_neq. lia.
Qed.
Definition fixed_entry (k exponent z : Z) : Z := Z.shiftl z (exponent + k).
Lemma power_2_unit k : (0 <= k)%Z -> powerRZ 2 k = real_unit k.
Proof.
  intros K. unfold real_unit. rewrite <- (Z2Nat.id k) by exact K. rewrite <- pow_IZR, pow_powerRZ. reflexivity.
Qed.
Lemma fixed_entry_near k exponent z : (0 <= k)%Z -> near k 1 (fixed_entry k exponent z) (entry exponent z).
Proof.
  intros K. unfold near, fixed_entry, entry. rewrite <- (power_2_unit k K), Rmult_assoc, <- powerRZ_add by lra.
  destruct (Z.le_gt_cases 0 (exponent + k)) as [P|N].
  - rewrite Z.shiftl_mul_pow2, mult_IZR, power_2_unit by exact P. unfold real_unit.
    rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
  - rewrite Z.shiftl_div_pow2 by lia.
    replace (powerRZ 2 (exponent + k)) with (/ IZR (2 ^ - (exponent + k))).
    + apply floor_near. apply Z.pow_pos_nonneg; lia.
    + change (IZR (2 ^ - (exponent + k))) with (real_unit (- (exponent + k))). rewrite <- power_2_unit by lia.
      destruct (exponent + k)%Z; [lia|lia|reflexivity].
Qed.

(* ---- lists ---- *)
Lemma Forall2_map {X Y X' Y'} (P : X -> Y -> Prop) (Q : X' -> Y' -> Prop) f g l m :
  (forall x y, In x l -> P x y -> Q (f x) (g y)) -> Forall2 P l m -> Forall2 Q (map f l) (map g m).
Proof. intros H F. induction F; simpl; constructor; [apply H; simpl; auto|apply IHF; intros; apply H; simpl; auto]. Qed.
Lemma Forall2_map2 {X Y V W X' Y'} (P : X -> Y -> Prop) (Q : V -> W -> Prop) (S : X' -> Y' -> Prop) f g l m l' m' :
  (forall x y v w, In x l -> In v l' -> P x y -> Q v w -> S (f x v) (g y w)) -> Forall2 P l m -> Forall2 Q l' m' ->
  Forall2 S (map2 f l l') (map2 g m m').
Proof.
  intros H F. revert l' m' H. induction F as [|x y l m A F IH]; intros l' m' H G; [constructor|].
  destruct G as [|v w l' m' B G]; simpl; constructor; [apply H; simpl; auto|].
  apply IH; [|exact G]. intros. apply H; simpl; auto.
Qed.
Lemma Forall2_weaker {X Y} (P Q : X -> Y -> Prop) l m :
  (forall x y, In x l -> P x y -> Q x y) -> Forall2 P l m -> Forall2 Q l m.
Proof. intros H F. induction F; constructor; [apply H; simpl; auto|apply IHF; intros; apply H; simpl; auto]. Qed.
Lemma Forall2_same_length {X Y} (P : X -> Y -> Prop) l m : Forall2 P l m -> length l = length m.
Proof. induction 1; simpl; congruence. Qed.

Section Balls.
Variables b g : Z.                                                (* numbers are over 2^b, weights over 2^g *)
Hypothesis b_nonneg : (0 <= b)%Z.
Hypothesis g_nonneg : (0 <= g)%Z.
Notation u := (real_unit b).
Notation v := (real_unit g).
Notation near := (near b).
Notation encloses := (encloses b).
Definition is_weight (w : Z) (x : R) : Prop := Rabs (IZR w - x * v) <= 1.

Lemma near_weaker e e' z x : (e <= e')%Z -> near e z x -> near e' z x.
Proof. intros H N. apply IZR_le in H. unfold near in *. lra. Qed.
Lemma encloses_weaker e B x : (error B <= e)%Z -> encloses B x -> Forall2 (near e) (numbers B) x.
Proof. intros H [_ F]. eapply Forall2_weaker; [|exact F]. intros. eapply near_weaker; eauto. Qed.
Lemma near_bound e z x : near e z x -> Rabs (x * u) <= IZR (Z.abs z) + IZR e.
Proof.
  unfold near. intros H. rewrite IZR_abs. replace (x * u) with (IZR z + - (IZR z - x * u)) by ring.
  apply Rabs_sum; [lra|]. now rewrite Rabs_Ropp.
Qed.

(* ---- linear maps ---- *)
(* The product of a row of weights, in units of 2^-(b+g). *)
Definition row_error (a z : list Z) (e : Z) : Z := (size a * e + size z + Z.of_nat (length z) * e)%Z.
Lemma integer_dot_near e a w z x : (0 <= e)%Z -> Forall2 is_weight a w -> Forall2 (near e) z x ->
  Rabs (IZR (integer_dot a z) - dot w x * (u * v)) <= IZR (row_error a z e).
Proof.
  intros E A. revert z x. assert (E' : 0 <= IZR e) by now apply IZR_le.
  assert (N : forall a z, 0 <= IZR (row_error a z e)).
  { intros. apply IZR_le. unfold row_error. pose proof (size_nonneg a0). pose proof (size_nonneg z). nia. }
  assert (Z0 : forall a z, Rabs (IZR 0 - 0 * (u * v)) <= IZR (row_error a z e)).
  { intros. rewrite Rmult_0_l, Rminus_0_r, Rabs_R0. apply N. }
  induction A as [|a0 w0 a w H A IH]; intros z x F; [apply (Z0 [] z)|].
  destruct F as [|z0 x0 z x K F]; [apply (Z0 (a0 :: a) [])|].
  specialize (IH z x F). pose proof (near_bound _ _ _ K) as B. unfold is_weight in H. unfold balls.near in K.
  cbn [integer_dot]. unfold dot, times, total in *. cbn [map2 fold_right]. set (d := fold_right Rplus 0 _) in *.
  replace (IZR (a0 * z0 + integer_dot a z) - (w0 * x0 + d) * (u * v)) with
    (IZR a0 * (IZR z0 - x0 * u) + ((IZR a0 - w0 * v) * (x0 * u) + (IZR (integer_dot a z) - d * (u * v))))
    by (rewrite plus_IZR, mult_IZR; ring).
  apply Rle_trans with (Rabs (IZR a0) * IZR e + (1 * (IZR (Z.abs z0) + IZR e) + IZR (row_error a z e))).
  - apply Rabs_sum; [now apply Rabs_product; [right|]|]. apply Rabs_sum; [now apply Rabs_product|exact IH].
  - right. unfold row_error. change (size (a0 :: a)) with (Z.abs a0 + size a)%Z.
    change (size (z0 :: z)) with (Z.abs z0 + size z)%Z. cbn [length]. rewrite Nat2Z.inj_succ. unfold Z.succ.
    rewrite <- IZR_abs. rewrite ?plus_IZR, ?mult_IZR, ?plus_IZR, ?mult_IZR. ring.
Qed.

(* A matrix of weights; a product of numbers below 2^16 with weights has room in a slot. *)
Definition slot_of : Z := (64 * ((b + g + 20) / 64 + 1))%Z.
Definition fixed_matrix (m : matrix_syntax) : integer_matrix :=
  make_matrix slot_of (map (map (fixed_entry g (matrix_exponent m))) (matrix_rows m)).
Definition ball_product (m : integer_matrix) (B : ball) : ball :=
  Ball (map (fun y => Z.shiftr y g) (products m (numbers B)))
    (Z.shiftr (growth m * error B + size (numbers B) + Z.of_nat (length (numbers B)) * error B) g + 2).

Lemma fixed_row_near exponent l : Forall2 is_weight (map (fixed_entry g exponent) l) (map (entry exponent) l).
Proof. induction l; simpl; constructor; auto. now apply fixed_entry_near. Qed.
Theorem ball_product_encloses m B x : encloses B x -> encloses (ball_product (fixed_matrix m) B) (product m x).
Proof.
  intros [E F]. pose proof (size_nonneg (numbers B)) as S. unfold ball_product, product, fixed_matrix.
  rewrite products_exact. cbn [make_matrix growth]. rewrite map_map.
  set (l := map (map (fixed_entry g (matrix_exponent m))) (matrix_rows m)). pose proof (maximum_nonneg (map size l))
    as M.
  set (G := maximum (map size l)) in *. split; cbn [numbers error].
  - match goal with |- (0 <= Z.shiftr ?z g + 2)%Z => assert (0 <= Z.shiftr z g)%Z by (apply Z.shiftr_nonneg;
      nia) end. lia.
  - assert (I : forall r, In r l -> (size r <= G)%Z) by (intros r I; apply maximum_bounds; now apply in_map).
    clearbody G. subst l. induction (matrix_rows m) as [|r rest IH]; simpl; constructor; [|apply IH; intros; apply I;
      simpl; auto].
    pose proof (integer_dot_near _ _ _ _ _ E (fixed_row_near (matrix_exponent m) r) F) as D.
    apply shifted_down; [exact g_nonneg|]. rewrite Rmult_assoc. eapply Rle_trans; [exact D|]. apply IZR_le.
    unfold row_error. specialize (I _ (or_introl eq_refl)). nia.
Qed.

(* ---- sums, products entry by entry ---- *)
Definition ball_sum (B C : ball) : ball := Ball (map2 Z.add (numbers B) (numbers C)) (error B + error C).
Theorem ball_sum_encloses B C x y : encloses B x -> encloses C y -> encloses (ball_sum B C) (plus x y).
Proof.
  intros [E F] [E' F']. split; simpl; [lia|]. eapply Forall2_map2; [|exact F|exact F'].
  intros z r w s _ _ H K. unfold balls.near in *. rewrite !plus_IZR.
  replace (IZR z + IZR w - (r + s) * u) with ((IZR z - r * u) + (IZR w - s * u)) by ring. now apply Rabs_sum.
Qed.
Definition ball_negated (B : ball) : ball := Ball (map Z.opp (numbers B)) (error B).
Lemma ball_negated_encloses B x : encloses B x -> encloses (ball_negated B) (map Ropp x).
Proof.
  intros [E F]. split; [exact E|]. simpl. eapply Forall2_map; [|exact F]. intros z r _ H. unfold balls.near in *.
  rewrite opp_IZR. replace (- IZR z - - r * u) with (- (IZR z - r * u)) by ring. now rewrite Rabs_Ropp.
Qed.
(* Constants of the file: numbers that are added, weights that multiply. *)
Definition fixed_vector (k : Z) (c : vector_syntax) : list Z := map (fixed_entry k (vector_exponent c))
  (vector_entries c).
Lemma fixed_vector_encloses c : encloses (Ball (fixed_vector b c) 1) (vector_of c).
Proof. split; simpl; [lia|]. unfold fixed_vector, vector_of. induction (vector_entries c); simpl; constructor; auto.
  now apply fixed_entry_near. Qed.

Lemma product_near z x e w y f Z0 W0 k : Rabs (IZR z - x * u) <= IZR e -> Rabs (IZR w - y * real_unit k) <= IZR f ->
  (0 <= e)%Z -> (0 <= f)%Z -> (Z.abs z <= Z0)%Z -> (Z.abs w <= W0)%Z ->
  Rabs (IZR (z * w) - x * y * (u * real_unit k)) <= IZR (W0 * e + (Z0 + e) * f).
Proof.
  intros H K E F Hz Hw. pose proof (near_bound _ _ _ H) as B. apply IZR_le in E, F, Hz, Hw.
  replace (IZR (z * w) - x * y * (u * real_unit k)) with
    (IZR w * (IZR z - x * u) + (x * u) * (IZR w - y * real_unit k)) by (rewrite mult_IZR; ring).
  rewrite plus_IZR, !mult_IZR, plus_IZR. apply Rabs_sum; apply Rabs_product; try assumption;
    [now rewrite <- IZR_abs|lra].
Qed.
(* Entries times weights, or times the entries of another ball, which are over 2^b. *)
Definition ball_times (k : Z) (B C : ball) : ball :=
  Ball (map2 (fun z w => Z.shiftr (z * w) k) (numbers B) (numbers C))
    (Z.shiftr (largest (numbers C) * error B + (largest (numbers B) + error B) * error C) k + 2).
Theorem ball_times_encloses k B C x y : (0 <= k)%Z -> encloses B x -> balls.encloses k C y ->
  encloses (ball_times k B C) (times x y).
Proof.
  intros K [E F] [E' F']. pose proof (largest_nonneg (numbers B)). pose proof (largest_nonneg (numbers C)). split;
    simpl.
  - match goal with |- (0 <= Z.shiftr ?z k + 2)%Z => assert (0 <= Z.shiftr z k)%Z by (apply Z.shiftr_nonneg;
    nia) end. lia.
  - eapply Forall2_map2; [|exact F|exact F']. intros z r w s Iz Iw N M. apply shifted_down; [exact K|].
    rewrite Rmult_assoc. apply product_near; auto using largest_bounds.
Qed.

(* ---- weighted sums of a row of a claim: integers as coefficients ---- *)
Lemma encloses_nth B x i : encloses B x -> near (error B) (nth i (numbers B) 0%Z) (nth i x 0).
Proof.
  intros [E F]. revert i. induction F as [|z r l m H F IH]; intros [|i]; simpl; auto;
    unfold balls.near; rewrite Rmult_0_l, Rminus_0_r, Rabs_R0; now apply IZR_le.
Qed.
End Balls.
