(* Transformers as `certify build` writes them, and what they compute over the real numbers
   (docs/reference/certificate.md, 2).

   A direction of the residual stream is a number (its place in the file). Rows are sparse: pairs of a direction and a
   rational. A layer is h' = h + heads(h), h'' = h' + feedforward(h'); 1/sqrt(d_k) is folded into the queries; the
   temperature may depend on n and, row by row, on i.

   To be compared with constructions/network/run.py, definition by definition: `embed` is its embed; `linear` is
   combine; `scaled_score` is scaled_scores; `mask_at` is Mask.visible; `head_output` is attend_hard, with the weighing
   of the head in place of its limit; `feedforward` is feed_exactly; `after_layer` is the loop of run_layers, in which
   all heads of a layer read the same h. A direction without a value is 0 there, and here. Expressions are real numbers
   here: the limits on exponents and on arguments of functions (docs/reference/certificate.md, 1) have no counterpart;
   x / 0 and logarithms of what is not positive are excluded by well_defined.v. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool.
From Certify Require Import positions finite_sums softmax weighing relu formula.
Import ListNotations PositionNotations.
Open Scope R_scope.

(* ---- expressions in the position i and the length n ---- *)
Inductive integer := Int (z : Z) | IntI | IntN | IntPlus (a b : integer) | IntMinus (a b : integer).
Inductive real_function := Ln | Sqrt | Log2Floor | Log2Ceil.
Inductive expression :=
| Num (q : Q) | VarI | VarN
| Add (x y : expression) | Sub (x y : expression) | Mul (x y : expression) | Div (x y : expression)
| Neg (x : expression) | Power (x : expression) (k : integer)
| Apply (g : real_function) (x : expression).

Fixpoint integer_value (k : integer) (n i : nat) : Z :=
  match k with
  | Int z => z | IntI => Z.of_nat i | IntN => Z.of_nat n
  | IntPlus a b => integer_value a n i + integer_value b n i
  | IntMinus a b => integer_value a n i - integer_value b n i
  end%Z.

(* ln and sqrt are the real functions, log2floor and log2ceil rounded to an integer. *)
Definition function_value (g : real_function) (x : R) : R :=
  match g with
  | Ln => ln x
  | Sqrt => sqrt x
  | Log2Floor => IZR (Int_part (ln x / ln 2))
  | Log2Ceil => - IZR (Int_part (- (ln x / ln 2)))
  end.

Fixpoint expression_value (x : expression) (n i : nat) : R :=
  match x with
  | Num q => Q2R q | VarI => INR i | VarN => INR n
  | Add x y => expression_value x n i + expression_value y n i
  | Sub x y => expression_value x n i - expression_value y n i
  | Mul x y => expression_value x n i * expression_value y n i
  | Div x y => expression_value x n i / expression_value y n i
  | Neg x => - expression_value x n i
  | Power x k => powerRZ (expression_value x n i) (integer_value k n i)
  | Apply g x => function_value g (expression_value x n i)
  end.

(* [f]: 1 where f holds; with `shifted`, where it holds one position to the left (at i = 1, position 0). The formula
   is built from predicates on the position, so the word it is read in does not matter. *)
Inductive position_function := Formula (x : expression) | Bracket (f : formula) (shifted : bool).

Definition no_word : word := fun _ => 0%nat.

Definition position_value (users : predicate_meanings) (p : position_function) (n i : nat) : R :=
  match p with
  | Formula x => expression_value x n i
  | Bracket f shifted => bit (truth users n no_word f (if shifted then i - 1 else i))
  end.

(* ---- the parameters ---- *)
Definition direction := nat.
Notation row := (list (direction * Q)).
Module RowNotations.
Notation "d |-> q" := (@pair nat Q d%nat q%Q) (at level 59).
End RowNotations.

Inductive masking := Unmasked | FutureMasked | PastMasked.
Record head := WeighingHead {
  head_weighing : weighing; head_masking : masking; head_temperature : expression;
  head_queries : list row; head_keys : list row;
  head_values : list (direction * row) }.
Notation Head := (WeighingHead Softmax).
Record relu_unit := ReluUnit { unit_reads : row; unit_bias : Q; unit_writes : row }.
Record layer := Layer { layer_heads : list head; layer_units : list relu_unit; layer_bias : row }.
Record transformer := Transformer {
  token_embedding : list row;                                   (* one row per symbol of the alphabet *)
  position_embedding : list (direction * position_function);
  transformer_layers : list layer;
  transformer_output : direction }.

(* Some lengths: from the least on, and up to the greatest if there is one. Length 0 never counts. *)
Record lengths := Lengths { least_length : nat; greatest_length : option nat }.
Definition every_length : lengths := Lengths 1 None.
Definition length_allowed (L : lengths) (n : nat) : Prop :=
  (1 <= n)%nat /\ (least_length L <= n)%nat /\ match greatest_length L with Some N => (n <= N)%nat | None => True end.

(* ---- what it computes ---- *)
Definition vector := direction -> R.

(* The sum of f over the entries (e, x) of a list with e = d. *)
Fixpoint collect {X} (f : X -> R) (l : list (direction * X)) (d : direction) : R :=
  match l with [] => 0 | (e, x) :: l => (if Nat.eqb e d then f x else 0) + collect f l d end.
Definition row_entry (r : row) (d : direction) : R := collect Q2R r d.
Fixpoint linear (r : row) (h : vector) : R := match r with [] => 0 | (d, q) :: r => Q2R q * h d + linear r h end.
Fixpoint total_over {X} (f : X -> R) (l : list X) : R := match l with [] => 0 | x :: l => f x + total_over f l end.

Definition mask_at (k : masking) (i : nat) : mask :=
  match k with Unmasked => no_mask | FutureMasked => future_mask i | PastMasked => past_mask i end.

Fixpoint dot_product (qs ks : list row) (x y : vector) : R :=
  match qs, ks with q :: qs, k :: ks => linear q x * linear k y + dot_product qs ks x y | _, _ => 0 end.

Definition scaled_score (a : head) (n : nat) (h : nat -> vector) (i j : nat) : R :=
  dot_product (head_queries a) (head_keys a) (h i) (h j) / expression_value (head_temperature a) n i.

(* What a head with softmax makes of the value row r, and what this head makes of it. *)
Definition softmax_value (a : head) (n : nat) (h : nat -> vector) (i : nat) (r : row) : R :=
  attend n (mask_at (head_masking a) i) (scaled_score a n h i) (fun j => linear r (h j)).

Definition head_value (a : head) (n : nat) (h : nat -> vector) (i : nat) (r : row) : R :=
  attend_as (head_weighing a) n (mask_at (head_masking a) i) i (scaled_score a n h i) (fun j => linear r (h j)).
Definition head_output (n : nat) (h : nat -> vector) (i : nat) (d : direction) (a : head) : R :=
  collect (head_value a n h i) (head_values a) d.
Definition unit_output (h : vector) (d : direction) (u : relu_unit) : R :=
  relu (linear (unit_reads u) h + Q2R (unit_bias u)) * row_entry (unit_writes u) d.

Definition after_heads (n : nat) (l : layer) (h : nat -> vector) : nat -> vector :=
  fun i d => h i d + total_over (head_output n h i d) (layer_heads l).
Definition feedforward (l : layer) (h : vector) : vector :=
  fun d => total_over (unit_output h d) (layer_units l) + row_entry (layer_bias l) d.
Definition after_layer (n : nat) (l : layer) (h : nat -> vector) : nat -> vector :=
  fun i d => after_heads n l h i d + feedforward l (after_heads n l h i) d.

Section Run.
Variable users : predicate_meanings.

Definition embed (T : transformer) (n : nat) (w : word) : nat -> vector := fun i d => row_entry (nth (w i)
  (token_embedding T) []) d + collect (fun p => position_value users p n i) (position_embedding T) d.

Definition run_transformer (T : transformer) (n : nat) (w : word) : nat -> vector :=
  fold_left (fun h l => after_layer n l h) (transformer_layers T) (embed T n w).

(* The word is written in the alphabet of the transformer. *)
Definition word_in_alphabet (T : transformer) (n : nat) (w : word) : Prop := each i upto n,
  (w i < length (token_embedding T))%nat.

(* The theorem to prove: every length, every word, every position, exactly. *)
Definition computes (T : transformer) (f : formula) : Prop := forall n w, (1 <= n)%nat -> word_in_alphabet T n w ->
  forall i : position n, run_transformer T n w i (transformer_output T) = bit (truth users n w f i).

(* The same for some lengths only. *)
Definition computes_for (L : lengths) (T : transformer) (f : formula) : Prop := forall n w, length_allowed L n ->
  word_in_alphabet T n w -> forall i : position n, run_transformer T n w i (transformer_output T) = bit (truth users n w
    f i).
End Run.
