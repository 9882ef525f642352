(* A network whose rows are in the order of their directions and whose expressions have their numbers written in one
  way:
   what it computes, and where it is defined, is what it was. *)
From Coq Require Import Reals QArith ZArith List Bool Arith Permutation FunctionalExtensionality.
From Certify Require Import finite_sums softmax formula network totals well_defined model_text expression_trees.
Import ListNotations.
Open Scope nat_scope.

Definition in_place_order {X} (f : X -> X) (l : list (direction * X)) : list (direction * X) :=
  map (fun e => (fst e, f (snd e))) (in_order l).
Definition plain_row (r : row) : row := in_place_order (fun q => q) r.
Definition plain_function (p : position_function) : position_function :=
  match p with Formula x => Formula (reread_expression x) | p => p end.
Definition plain_head (a : head) : head :=
  WeighingHead (head_weighing a) (head_masking a) (reread_expression (head_temperature a)) (map plain_row (head_queries
    a)) (map plain_row (head_keys a)) (in_place_order plain_row (head_values a)).
Definition plain_unit (u : relu_unit) : relu_unit :=
  ReluUnit (plain_row (unit_reads u)) (unit_bias u) (plain_row (unit_writes u)).
Definition plain_layer (l : layer) : layer :=
  Layer (map plain_head (layer_heads l)) (map plain_unit (layer_units l)) (plain_row (layer_bias l)).
Definition plain_network (T : transformer) : transformer :=
  Transformer (map plain_row (token_embedding T)) (in_place_order plain_function (position_embedding T))
    (map plain_layer (transformer_layers T)) (transformer_output T).

Lemma insert_permutation {X} (e : direction * X) l : Permutation (insert_entry e l) (e :: l).
Proof.
  induction l as [|a l IH]; [reflexivity|]. simpl. destruct (_ <=? _); [reflexivity|]. rewrite IH. apply perm_swap.
Qed.
Lemma in_order_permutation {X} (l : list (direction * X)) : Permutation (in_order l) l.
Proof. induction l as [|e l IH]; [reflexivity|]. cbn. fold (in_order l). now rewrite insert_permutation, IH. Qed.

Open Scope R_scope.
Lemma collect_plain {X} (f : X -> R) (g : X -> X) l d : collect f (in_place_order g l) d = collect (fun x => f (g x))
  l d.
Proof.
  unfold in_place_order. transitivity (collect (fun x => f (g x)) (in_order l) d).
  - induction (in_order l) as [|[e x] k IH]; [reflexivity|]. cbn. now rewrite IH.
  - induction (in_order_permutation l) as [|[e x] k k' _ IH|[e x] [e' x'] k|k k' k'' _ IH _ IH']; cbn;
      [reflexivity|now rewrite IH|ring|congruence].
Qed.
Lemma entry_plain r d : row_entry (plain_row r) d = row_entry r d. Proof. apply collect_plain. Qed.
Lemma linear_plain r h : linear (plain_row r) h = linear r h.
Proof.
  unfold plain_row, in_place_order. transitivity (linear (in_order r) h).
  - induction (in_order r) as [|[e x] k IH]; [reflexivity|]. cbn. now rewrite IH.
  - induction (in_order_permutation r) as [|[e x] k k' _ IH|[e x] [e' x'] k|k k' k'' _ IH _ IH']; cbn;
      [reflexivity|now rewrite IH|ring|congruence].
Qed.
Lemma dot_product_plain qs ks x y : dot_product (map plain_row qs) (map plain_row ks) x y = dot_product qs ks x y.
Proof. revert ks. induction qs as [|q qs IH]; intros [|k ks]; try reflexivity. cbn. now rewrite !linear_plain, IH. Qed.

Lemma head_plain n h i d a : head_output n h i d (plain_head a) = head_output n h i d a.
Proof.
  unfold head_output. cbn [head_values plain_head]. rewrite collect_plain.
  assert (S : scaled_score (plain_head a) n h i = scaled_score a n h i).
  { extensionality j. unfold scaled_score. cbn [plain_head head_queries head_keys head_temperature].
    rewrite dot_product_plain. f_equal. apply plain_same. }
  assert (V : forall r, (fun j => linear (plain_row r) (h j)) = (fun j => linear r (h j)))
    by (intros r; extensionality j; apply linear_plain).
  f_equal. extensionality r. unfold head_value, softmax_value. rewrite S, V. reflexivity.
Qed.
Lemma layer_plain n l h : after_layer n (plain_layer l) h = after_layer n l h.
Proof.
  assert (H : after_heads n (plain_layer l) h = after_heads n l h).
  { extensionality i. extensionality d. unfold after_heads. cbn [plain_layer layer_heads]. rewrite total_map. f_equal.
    f_equal. extensionality a. apply head_plain. }
  extensionality i. extensionality d. unfold after_layer. rewrite H. f_equal. unfold feedforward.
  cbn [plain_layer layer_units layer_bias]. rewrite total_map, entry_plain. f_equal. f_equal. extensionality u.
  unfold unit_output. cbn [plain_unit unit_reads unit_bias unit_writes]. now rewrite linear_plain, entry_plain.
Qed.
Lemma run_plain users T n w : run_transformer users (plain_network T) n w = run_transformer users T n w.
Proof.
  unfold run_transformer. cbn [plain_network transformer_layers].
  assert (E : embed users (plain_network T) n w = embed users T n w).
  { extensionality i. extensionality d. unfold embed. cbn [plain_network token_embedding position_embedding]. f_equal.
    - change (@nil (direction * Q)) with (plain_row []) at 1. rewrite map_nth. apply entry_plain.
    - rewrite collect_plain. f_equal. extensionality p. destruct p as [x|f s]; [apply plain_same|reflexivity]. }
  rewrite E. generalize (embed users T n w). induction (transformer_layers T) as [|l ls IH]; intros h; [reflexivity|].
  cbn. now rewrite layer_plain.
Qed.

Lemma defined_plain T n i : defined_at (plain_network T) n i <-> defined_at T n i.
Proof.
  unfold defined_at. cbn [plain_network position_embedding transformer_layers]. split; intros [E L]; split.
  - intros d x H. apply (plain_same n i x). apply (E d). unfold in_place_order.
    apply (Permutation_in _ (Permutation_sym (in_order_permutation _))) in H.
    exact (in_map (fun e => (fst e, plain_function (snd e))) _ _ H).
  - intros l a Hl Ha. destruct (L (plain_layer l) (plain_head a)) as [H P]; [now apply in_map|now apply in_map|].
    cbn in H, P. destruct (plain_same n i (head_temperature a)) as [V K]. rewrite V in P. split; [now apply K|exact P].
  - intros d x H. apply in_map_iff in H as ([d' p] & H & I). apply (Permutation_in _ (in_order_permutation _)) in I.
    destruct p as [y|f s]; [|discriminate]. injection H as _ <-. apply (plain_same n i y). exact (E d' y I).
  - intros l a Hl Ha. apply in_map_iff in Hl as (l' & <- & Hl). apply in_map_iff in Ha as (a' & <- & Ha).
    destruct (L l' a' Hl Ha) as [H P]. cbn. destruct (plain_same n i (head_temperature a')) as [V K]. rewrite V.
    split; [now apply K|exact P].
Qed.
