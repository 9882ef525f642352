(* Products of a matrix of integers with a vector, several at once: the entries of a column of the matrix are packed
   into one integer, in slots of as many bits as a product may need. So the sum of the entries of the vector times the
   packed columns has all products in its slots. `products_exact`: they are the products. *)
From Coq Require Import ZArith List Lia Bool.
From Certify Require Import lists real_vectors.
Import ListNotations. Open Scope Z_scope.

Definition size (a : list Z) : Z := fold_right (fun z t => Z.abs z + t) 0 a.                          (* 1-norm *)
Definition maximum (l : list Z) : Z := fold_right Z.max 0 l.
Definition largest (l : list Z) : Z := fold_right (fun z m => Z.max (Z.abs z) m) 0 l.                 (* max-norm *)
Fixpoint integer_dot (a x : list Z) : Z :=
  match a, x with a0 :: a, x0 :: x => a0 * x0 + integer_dot a x | _, _ => 0 end.
Lemma size_nonneg l : 0 <= size l. Proof. induction l; simpl; lia. Qed.
Lemma maximum_nonneg l : 0 <= maximum l. Proof. induction l; simpl; lia. Qed.
Lemma maximum_bounds l x : In x l -> x <= maximum l.
Proof. induction l as [|y l IH]; intros []; simpl; [lia|]. specialize (IH H). lia. Qed.
Lemma largest_nonneg l : 0 <= largest l. Proof. induction l; simpl; lia. Qed.
Lemma largest_bounds l x : In x l -> Z.abs x <= largest l.
Proof. induction l as [|y l IH]; intros []; simpl; [subst; lia|]. specialize (IH H). lia. Qed.
Lemma integer_dot_bound a x : Z.abs (integer_dot a x) <= size a * largest x.
Proof.
  revert x. induction a as [|a0 a IH]; intros [|x0 x]; simpl; try lia.
  - specialize (IH x). pose proof (size_nonneg a). pose proof (largest_nonneg x).
    assert (Z.abs (a0 * x0) <= Z.abs a0 * Z.max (Z.abs x0) (largest x)) by (rewrite Z.abs_mul; apply
      Z.mul_le_mono_nonneg_l; lia).
    assert (size a * largest x <= size a * Z.max (Z.abs x0) (largest x)) by (apply Z.mul_le_mono_nonneg_l; lia). lia.
Qed.

(* ---- slots of S bits ---- *)
Section Slots.
Variable S : Z.
Hypothesis S_pos : 0 < S.
Definition pack (l : list Z) : Z := fold_right (fun y t => y + 2 ^ S * t) 0 l.
(* A matrix as one row of packed columns; n is its width. *)
Fixpoint pack_rows (n : nat) (rows : list (list Z)) : list Z :=
  match rows with [] => repeat 0 n | r :: rows => map2 (fun w p => w + 2 ^ S * p) r (pack_rows n rows) end.
(* The mask has a 1 for each bit of a slot. *)
Fixpoint unpack (mask half from : Z) (k : nat) (M : Z) : list Z :=
  match k with O => [] | Datatypes.S k => Z.land (Z.shiftr M from) mask - half :: unpack mask half (from + S) k M end.

Lemma dot_combined c r : forall q x, length r = length q ->
  integer_dot (map2 (fun w p => w + c * p) r q) x = integer_dot r x + c * integer_dot q x.
Proof.
  induction r as [|w r IH]; intros [|p q] x L; try discriminate; simpl; [destruct x; lia|].
  destruct x as [|x0 x]; simpl; [lia|]. rewrite IH by (simpl in L; lia). lia.
Qed.
Lemma length_map2 {X Y W} (f : X -> Y -> W) l : forall m, length l = length m -> length (map2 f l m) = length l.
Proof. induction l as [|x l IH]; intros [|y m] H; try discriminate; simpl; auto. Qed.
Lemma length_packed n rows : Forall (fun r => length r = n) rows -> length (pack_rows n rows) = n.
Proof. induction 1 as [|r rows H F IH]; simpl; [apply repeat_length|]. rewrite length_map2; congruence. Qed.
Lemma packed_dot n rows x : Forall (fun r => length r = n) rows ->
  integer_dot (pack_rows n rows) x = pack (map (fun a => integer_dot a x) rows).
Proof.
  induction 1 as [|r rows H F IH]; simpl.
  - clear. revert x. induction n as [|n IH]; intros [|x0 x]; simpl; auto.
  - rewrite dot_combined, IH; [reflexivity|]. now rewrite length_packed.
Qed.
Lemma pack_sum c l : pack (map (fun y => y + c) l) = pack l + pack (repeat c (length l)).
Proof. induction l as [|y l IH]; simpl; [lia|]. rewrite IH. lia. Qed.
Lemma unpack_digits half M l : Forall (fun d => 0 <= d < 2 ^ S) l -> forall from, 0 <= from ->
  Z.shiftr M from = pack l -> unpack (Z.ones S) half from (length l) M = map (fun d => d - half) l.
Proof.
  induction 1 as [|d l H F IH]; intros from P E; [reflexivity|]. cbn [length unpack map]. rewrite Z.land_ones, E by lia.
  change (pack (d :: l)) with (d + 2 ^ S * pack l). pose proof (Z.pow_pos_nonneg 2 S ltac:(lia) ltac:(lia)).
  assert (D : (d + 2 ^ S * pack l) mod 2 ^ S = d).
  { rewrite Z.mul_comm, Z_mod_plus_full. now apply Z.mod_small. }
  rewrite D, IH; [reflexivity|lia|]. rewrite <- Z.shiftr_shiftr, E by lia.
  change (pack (d :: l)) with (d + 2 ^ S * pack l). rewrite Z.shiftr_div_pow2 by lia.
  rewrite Z.mul_comm, Z.div_add by lia. rewrite Z.div_small by exact H. lia.
Qed.
Theorem unpack_packed l : Forall (fun y => Z.abs y < 2 ^ (S - 1)) l ->
  unpack (Z.ones S) (2 ^ (S - 1)) 0 (length l) (pack l + pack (repeat (2 ^ (S - 1)) (length l))) = l.
Proof.
  intros F. assert (P : 2 ^ S = 2 ^ (S - 1) + 2 ^ (S - 1)).
  { replace S with (S - 1 + 1) at 1 by lia. rewrite Z.pow_add_r by lia. lia. }
  set (h := 2 ^ (S - 1)) in *. rewrite <- pack_sum. pose proof (length_map (fun y => y + h) l) as L.
  rewrite <- L at 1. rewrite unpack_digits.
  - rewrite map_map. rewrite <- (map_id l) at 2. apply map_ext. intros. lia.
  - rewrite Forall_map. eapply Forall_impl; [|exact F]. intros y Y. cbv beta in *. lia.
  - lia.
  - apply Z.shiftr_0_r.
Qed.
End Slots.

(* ---- matrices ---- *)
Record packed_matrix := PackedMatrix { packed_slot : Z; packed_width : nat; packed_columns : list Z; packed_bias : Z }.
Record integer_matrix := IntegerMatrix { rows : list (list Z); growth : Z; packed : option packed_matrix }.
(* Slots of S bits; growth is the greatest 1-norm of a row. *)
Definition make_matrix (S : Z) (rows : list (list Z)) : integer_matrix :=
  let n := match rows with r :: _ => length r | [] => O end in
  IntegerMatrix rows (maximum (map size rows))
    (if (0 <? S) && forallb (fun r => Nat.eqb (length r) n) rows
     then Some (PackedMatrix S n (pack_rows S n rows) (pack S (repeat (2 ^ (S - 1)) (length rows)))) else None).
Definition products (m : integer_matrix) (x : list Z) : list Z :=
  match packed m with
  | Some p => if growth m * largest x <? 2 ^ (packed_slot p - 1)
      then unpack (packed_slot p) (Z.ones (packed_slot p)) (2 ^ (packed_slot p - 1)) 0 (length (rows m))
        (integer_dot (packed_columns p) x + packed_bias p)
      else map (fun a => integer_dot a x) (rows m)
  | None => map (fun a => integer_dot a x) (rows m)
  end.
Theorem products_exact S l x : products (make_matrix S l) x = map (fun a => integer_dot a x) l.
Proof.
  unfold products, make_matrix. cbn [packed rows growth]. set (n := match l with r :: _ => length r | [] => O end).
  destruct (Z.ltb_spec 0 S) as [P|]; [|reflexivity]. destruct (forallb _ l) eqn:F; [|reflexivity]. cbn [andb].
  cbn [packed_slot packed_columns packed_bias]. destruct (Z.ltb_spec (maximum (map size l) * largest x)
    (2 ^ (S - 1))) as [B|];
    [|reflexivity].
  assert (L : Forall (fun r => length r = n) l).
  { apply Forall_forall. intros r I. rewrite forallb_forall in F. now apply Nat.eqb_eq, F. }
  rewrite packed_dot by exact L. rewrite <- (length_map (fun a => integer_dot a x) l). apply unpack_packed; [exact P|].
  apply Forall_map, Forall_forall. intros a I. eapply Z.le_lt_trans; [apply integer_dot_bound|].
  eapply Z.le_lt_trans; [|exact B]. apply Z.mul_le_mono_nonneg_r; [apply largest_nonneg|].
  apply maximum_bounds. now apply in_map.
Qed.
