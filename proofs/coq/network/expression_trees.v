(* Expressions and the conditions of users' predicates as trees (text_trees.v) that have the texts of formula_text.v.
  So a
   text is that of one condition only; and of one expression, but for how numbers are written: `reread_expression`
   writes each in one
   way, and keeps the value. *)
From Coq Require Import Reals QArith Qreals String Ascii DecimalString DecimalNat DecimalPos ZArith List Bool Arith Lia
  Lra Qcanon.
From Certify Require Import linear_combination formula network well_defined user_predicates json_text formula_text
  model_text text_trees.
Import ListNotations.
Open Scope string_scope.
Open Scope nat_scope.

(* ---- numbers as words ---- *)
Definition is_numeral (s : string) : Prop := exists d, d <> Decimal.Nil /\ s = NilZero.string_of_uint d.
Local Definition number_of (s : string) : Z :=
  match NilZero.uint_of_string s with Some d => Z.of_uint d | None => 0%Z end.

Lemma positive_is_number p : is_numeral (positive_text p) /\ number_of (positive_text p) = Zpos p.
Proof.
  pose proof (Unsigned.to_uint_nonnil p) as N. split; [now exists (Pos.to_uint p)|].
  unfold number_of, positive_text. rewrite NilZero.usu by exact N. unfold Z.of_uint. now rewrite Unsigned.of_to.
Qed.
Lemma integer_is_number z : (0 <= z)%Z -> is_numeral (integer_text z) /\ number_of (integer_text z) = z.
Proof.
  destruct z as [|p|p]; intros H; [| |lia].
  - split; [|reflexivity]. now exists (Decimal.D0 Decimal.Nil).
  - exact (positive_is_number p).
Qed.
Lemma negative_text z : (z < 0)%Z -> integer_text z = "-" ++ integer_text (- z). Proof. now destruct z. Qed.
Lemma natural_nonnil n : Nat.to_uint n <> Decimal.Nil.
Proof. intros E. pose proof (DecimalNat.Unsigned.of_to n) as T. rewrite E in T. now subst n. Qed.
Lemma natural_is_number n : is_numeral (natural_text n).
Proof. exists (Nat.to_uint n). split; [apply natural_nonnil|reflexivity]. Qed.
Lemma natural_text_once n m : natural_text n = natural_text m -> n = m.
Proof.
  intros E. apply (f_equal NilZero.uint_of_string) in E. unfold natural_text in E.
  rewrite !NilZero.usu in E by apply natural_nonnil. injection E as E. apply (f_equal Nat.of_uint) in E.
  now rewrite !DecimalNat.Unsigned.of_to in E.
Qed.
Lemma integer_text_once y z : (0 <= y)%Z -> (0 <= z)%Z -> integer_text y = integer_text z -> y = z.
Proof. intros Y Z E. apply integer_is_number in Y as [_ Y], Z as [_ Z]. now rewrite <- Y, <- Z, E. Qed.

Lemma digits_are_run d : is_run (NilEmpty.string_of_uint d) = true.
Proof.
  apply String.eqb_eq. induction d; [reflexivity|..]; cbn [NilEmpty.string_of_uint leading_run]; simpl; now f_equal.
Qed.
Lemma number_is_word signs s : is_numeral s ->
  forallb (fun k => match k with String c _ => negb (is_between 48 57 c) | "" => true end)
    (map leading_run (before_texts signs)) = true -> is_word signs s = true.
Proof.
  intros (d & N & ->) K. unfold is_word.
  assert (R : NilZero.string_of_uint d = NilEmpty.string_of_uint d) by now destruct d.
  rewrite R, digits_are_run, forallb_forall in *. cbn [andb]. apply andb_true_intro. split; [now destruct d|].
  apply negb_true_iff. match goal with |- ?b = false => destruct b eqn:E end; [|reflexivity].
  apply existsb_exists in E as (k & Hk & E). apply String.eqb_eq in E. subst k. apply K in Hk. now destruct d.
Qed.

(* ---- what texts and their trees have in common ---- *)
Lemma row_text_app a b : row_text (a ++ b) = row_text a ++ row_text b.
Proof. induction a as [|t a IH]; simpl; [reflexivity|]. now rewrite IH, app_assoc_text. Qed.

Definition place_text (wanted : nat) (t : tree) : string := row_text (in_place wanted (tree_level t) (tree_tokens t)).
Lemma place_text_is wanted t :
  place_text wanted t = if tree_level t <? wanted then "(" ++ tree_text t ++ ")" else tree_text t.
Proof.
  unfold place_text, in_place. destruct (_ <? _); [|reflexivity]. cbn [row_text token_text]. now rewrite row_text_app.
Qed.
Lemma signed_text o t : tree_text (Signed o t) = spelling o ++ place_text (right_level o) t. Proof. reflexivity. Qed.
Lemma infixed_text o a b :
  tree_text (Infixed o a b) = place_text (left_level o) a ++ spelling o ++ place_text (right_level o) b.
Proof. unfold tree_text. cbn [tree_tokens]. now rewrite row_text_app. Qed.
Lemma called_text a t : tree_text (Called a t) = tree_text a ++ "(" ++ tree_text t ++ ")".
Proof. unfold tree_text. cbn [tree_tokens]. rewrite row_text_app. cbn [row_text]. now rewrite row_text_app. Qed.
Lemma boxed_text s t : tree_text (Boxed s t) = s ++ tree_text t ++ "]".
Proof. unfold tree_text. cbn [tree_tokens row_text]. now rewrite row_text_app. Qed.
Lemma text_end (s : string) : s ++ "" = s. Proof. induction s; simpl; congruence. Qed.
Lemma word_text s : tree_text (Word s) = s. Proof. apply text_end. Qed.
Lemma letter_text s : tree_text (Letter s) = "Q['" ++ escaped_letter s ++ "']". Proof. apply text_end. Qed.

Definition is_written_as (a : writer) (s : string) : Prop := forall rest, a rest = s ++ rest.
Lemma writes_text a s : is_written_as a s -> text_of a = s. Proof. intros H. unfold text_of. now rewrite H, text_end.
Qed.
Lemma writes_exactly s : is_written_as (write_exactly s) s. Proof. intros rest. reflexivity. Qed.
Lemma writes_both a b s t : is_written_as a s -> is_written_as b t -> is_written_as (write_both a b) (s ++ t).
Proof. intros A B rest. unfold write_both. now rewrite B, A, app_assoc_text. Qed.
Lemma writes_between s t a u : is_written_as a u -> is_written_as (write_between s t a) (s ++ u ++ t).
Proof. intros A. repeat apply writes_both; auto using writes_exactly. Qed.

Local Definition shown (p : piece) (t : tree) : Prop := piece_level p = tree_level t /\ is_written_as (piece_text p)
  (tree_text t).

Lemma shown_in_place wanted p t : shown p t -> is_written_as (at_level wanted p) (place_text wanted t).
Proof.
  intros [L W]. rewrite place_text_is. unfold at_level. rewrite L. destruct (_ <? _); [|exact W].
  now apply writes_between.
Qed.
Lemma shown_word s : shown (atom_piece s) (Word s).
Proof. split; [reflexivity|]. rewrite word_text. apply writes_exactly. Qed.

(* ---- expressions ---- *)
Definition a_sign (level : nat) (s : string) : operator := Operator s level 9 level.
Definition from_left (level : nat) (s : string) : operator := Operator s level level (S level).
Definition the_power : operator := Operator "^" 7 8 6.

Lemma shown_signed level s p t : shown p t -> shown (signed_piece level s p) (Signed (a_sign level s) t).
Proof.
  intros H. split; [reflexivity|]. rewrite signed_text. apply writes_both; [apply writes_exactly|].
  now apply shown_in_place.
Qed.
Lemma shown_infixed o p q t u : shown p t -> shown q u -> shown (Piece (own_level o) (write_infix (at_level (left_level
  o) p) (spelling o) (at_level (right_level o) q))) (Infixed o t u).
Proof.
  intros P Q. split; [reflexivity|]. rewrite infixed_text. apply writes_both; [now apply shown_in_place|].
  apply writes_both; [apply writes_exactly|now apply shown_in_place].
Qed.
Lemma shown_binary level s p q t u : shown p t -> shown q u ->
  shown (binary_piece level p s q) (Infixed (from_left level s) t u).
Proof. exact (shown_infixed (from_left level s) p q t u). Qed.
Lemma shown_power p q t u : shown p t -> shown q u -> shown (power_piece p q) (Infixed the_power t u).
Proof. exact (shown_infixed the_power p q t u). Qed.
Lemma shown_called name p t : shown p t -> shown (Piece 8 (write_call name (piece_text p))) (Called (Word name) t).
Proof.
  intros [_ W]. split; [reflexivity|]. rewrite called_text, word_text, <- app_assoc_text. now apply writes_between.
Qed.
Create HintDb texts.
#[local] Hint Resolve shown_word shown_signed shown_binary shown_power shown_called : texts.

Definition expression_signs : list operator := [a_sign 6 "-"].
Definition expression_infixes : list operator :=
  [from_left 4 "+"; from_left 4 "-"; from_left 5 "*"; from_left 5 "/"; the_power].
Lemma expression_language : is_language expression_signs expression_infixes = true. Proof. vm_compute. reflexivity. Qed.

Definition integer_tree (z : Z) : tree :=
  if (z <? 0)%Z then Signed (a_sign 6 "-") (Word (integer_text (- z))) else Word (integer_text z).
Definition rational_tree (q : Q) : tree :=
  match Qden q with
  | xH => integer_tree (Qnum q)
  | d => Infixed (from_left 5 "/") (integer_tree (Qnum q)) (Word (positive_text d))
  end.
Fixpoint exponent_tree (k : integer) : tree :=
  match k with
  | Int z => integer_tree z
  | IntI => Word "i" | IntN => Word "n"
  | IntMinus (Int 0) b => Signed (a_sign 6 "-") (exponent_tree b)
  | IntPlus a b => Infixed (from_left 4 "+") (exponent_tree a) (exponent_tree b)
  | IntMinus a b => Infixed (from_left 4 "-") (exponent_tree a) (exponent_tree b)
  end.
Fixpoint expression_tree (x : expression) : tree :=
  match x with
  | Num q => rational_tree q
  | VarI => Word "i" | VarN => Word "n"
  | Add x y => Infixed (from_left 4 "+") (expression_tree x) (expression_tree y)
  | Sub x y => Infixed (from_left 4 "-") (expression_tree x) (expression_tree y)
  | Mul x y => Infixed (from_left 5 "*") (expression_tree x) (expression_tree y)
  | Div x y => Infixed (from_left 5 "/") (expression_tree x) (expression_tree y)
  | Neg x => Signed (a_sign 6 "-") (expression_tree x)
  | Power x k => Infixed the_power (expression_tree x) (exponent_tree k)
  | Apply g x => Called (Word (function_name g)) (expression_tree x)
  end.

Lemma shown_integer z : shown (integer_piece z) (integer_tree z).
Proof.
  unfold integer_piece, integer_tree. destruct (Z.ltb_spec z 0) as [L|L]; [|apply shown_word]. split; [reflexivity|].
  change (is_written_as (write_exactly (integer_text z)) ("-" ++ tree_text (Word (integer_text (- z))))).
  rewrite word_text, <- negative_text by exact L. apply writes_exactly.
Qed.
Lemma shown_rational q : shown (rational_piece q) (rational_tree q).
Proof.
  assert (K : forall d, shown (Piece 5 (write_infix (write_exactly (integer_text (Qnum q))) "/" (write_exactly
    (positive_text d)))) (Infixed (from_left 5 "/") (integer_tree (Qnum q)) (Word (positive_text d)))).
  { intros d. pose proof (shown_binary 5 "/" _ _ _ _ (shown_integer (Qnum q)) (shown_word (positive_text d))) as [L W].
    split; [exact L|]. intros rest. rewrite <- W. unfold binary_piece, at_level, integer_piece.
    now destruct (Qnum q <? 0)%Z. }
  unfold rational_piece, rational_tree. destruct (Qden q); [apply K..|apply shown_integer].
Qed.
Lemma shown_exponent k : shown (exponent_piece k) (exponent_tree k).
Proof.
  induction k as [z| | |a IHa b IHb|a IHa b IHb]; cbn [exponent_piece exponent_tree];
    auto using shown_integer with texts. destruct a as [[|z|z]| | | |]; auto with texts.
Qed.
Lemma shown_expression x : shown (expression_piece x) (expression_tree x).
Proof. induction x; cbn [expression_piece expression_tree]; auto using shown_rational, shown_exponent with texts. Qed.

Lemma expression_text_is x : expression_text x = tree_text (expression_tree x).
Proof. apply writes_text, shown_expression. Qed.

Local Notation is_expression_tree := (is_tree expression_signs expression_infixes).
Lemma integer_word z : (0 <= z)%Z -> is_word expression_signs (integer_text z) = true.
Proof. intros H. apply number_is_word; [now apply integer_is_number|reflexivity]. Qed.
Lemma integer_tree_is z : is_expression_tree (integer_tree z).
Proof. unfold integer_tree. destruct (Z.ltb_spec z 0); [split; [now left|]|]; apply integer_word; lia. Qed.
Lemma rational_tree_is q : is_expression_tree (rational_tree q).
Proof.
  assert (K : forall d, is_expression_tree (Infixed (from_left 5 "/") (integer_tree (Qnum q)) (Word (positive_text
    d)))).
  { intros d. split; [simpl; auto|]. split; [apply integer_tree_is|]. apply (integer_word (Zpos d)). lia. }
  unfold rational_tree. destruct (Qden q); [apply K..|apply integer_tree_is].
Qed.
Lemma exponent_tree_is k : is_expression_tree (exponent_tree k).
Proof.
  induction k as [z| | |a IHa b IHb|a IHa b IHb]; cbn [exponent_tree]; try reflexivity; [apply integer_tree_is| |].
  - simpl. auto.
  - assert (H : is_expression_tree (Infixed (from_left 4 "-") (exponent_tree a) (exponent_tree b))) by (simpl; auto).
    destruct a as [[|z|z]| | | |]; try exact H. simpl. auto.
Qed.
Lemma expression_tree_is x : is_expression_tree (expression_tree x).
Proof.
  induction x; cbn [expression_tree]; try reflexivity; try apply rational_tree_is; cbn [is_tree];
    auto 10 using exponent_tree_is; try (split; [simpl; auto 10|]; auto using exponent_tree_is). now destruct g.
Qed.

(* What a tree is read as. *)
Fixpoint exponent_of (t : tree) : integer :=
  match t with
  | Word s => if String.eqb s "i" then IntI else if String.eqb s "n" then IntN else Int (number_of s)
  | Signed _ t => IntMinus (Int 0) (exponent_of t)
  | Infixed o a b =>
      if String.eqb (spelling o) "+" then IntPlus (exponent_of a) (exponent_of b)
      else IntMinus (exponent_of a) (exponent_of b)
  | _ => Int 0
  end.
Fixpoint expression_of (t : tree) : expression :=
  match t with
  | Word s => if String.eqb s "i" then VarI else if String.eqb s "n" then VarN else Num (inject_Z (number_of s))
  | Signed _ t => Neg (expression_of t)
  | Infixed o a b =>
      if String.eqb (spelling o) "+" then Add (expression_of a) (expression_of b)
      else if String.eqb (spelling o) "-" then Sub (expression_of a) (expression_of b)
      else if String.eqb (spelling o) "*" then Mul (expression_of a) (expression_of b)
      else if String.eqb (spelling o) "/" then Div (expression_of a) (expression_of b)
      else Power (expression_of a) (exponent_of b)
  | Called (Word s) t => Apply (if String.eqb s "ln" then Ln else if String.eqb s "sqrt" then Sqrt
      else if String.eqb s "log2floor" then Log2Floor else Log2Ceil) (expression_of t)
  | _ => VarI
  end.
(* Numbers as quotients and opposites of natural numbers: the same text, the same value. *)
Definition reread_expression (x : expression) : expression := expression_of (expression_tree x).

Theorem expression_text_once x y : expression_text x = expression_text y -> reread_expression x = reread_expression y.
Proof.
  rewrite !expression_text_is. intros E. unfold reread_expression. f_equal. revert E.
  apply (tree_text_once _ _ expression_language); apply expression_tree_is.
Qed.

Lemma number_no_name z s : (0 <= z)%Z -> match s with String c _ => is_between 48 57 c = false | "" => True end ->
  String.eqb (integer_text z) s = false.
Proof.
  intros H S. apply integer_is_number in H as [(d & N & ->) _]. apply String.eqb_neq. intros <-. now destruct d.
Qed.

Section Values.
Variables n i : nat.
Definition same_reading (x y : expression) : Prop :=
  expression_value x n i = expression_value y n i /\ (has_value x n i <-> has_value y n i).

Lemma plain_natural z : (0 <= z)%Z -> expression_of (Word (integer_text z)) = Num (inject_Z z) /\
  exponent_of (Word (integer_text z)) = Int z.
Proof. intros H. cbn. rewrite !number_no_name by (auto; reflexivity). now rewrite (proj2 (integer_is_number z H)). Qed.
Lemma plain_integer z :
  expression_value (expression_of (integer_tree z)) n i = IZR z /\ has_value (expression_of (integer_tree z)) n i.
Proof.
  unfold integer_tree. destruct (Z.ltb_spec z 0) as [L|L].
  - destruct (plain_natural (- z) ltac:(lia)) as [P _]. cbn [expression_of] in *. rewrite P. split; [|exact I].
    cbn [expression_value]. rewrite Q2R_inject_Z, opp_IZR. ring.
  - rewrite (proj1 (plain_natural z L)). split; [|exact I]. apply Q2R_inject_Z.
Qed.
Lemma plain_exponent k : integer_value (exponent_of (exponent_tree k)) n i = integer_value k n i.
Proof.
  induction k as [z| | |a IHa b IHb|a IHa b IHb]; cbn [exponent_tree]; try reflexivity.
  - unfold integer_tree. destruct (Z.ltb_spec z 0) as [L|L].
    + destruct (plain_natural (- z) ltac:(lia)) as [_ P]. cbn [exponent_of] in *. rewrite P. cbn. lia.
    + now rewrite (proj2 (plain_natural z L)).
  - cbn. now rewrite IHa, IHb.
  - assert (H : integer_value (exponent_of (Infixed (from_left 4 "-") (exponent_tree a) (exponent_tree b))) n i
      = integer_value (IntMinus a b) n i) by (cbn; now rewrite IHa, IHb).
    destruct a as [[|z|z]| | | |]; exact H || (cbn; now rewrite IHb).
Qed.

Theorem plain_same x : same_reading (reread_expression x) x.
Proof.
  unfold same_reading, reread_expression.
  induction x as [q| | |x [Vx Hx] y [Vy Hy]|x [Vx Hx] y [Vy Hy]|x [Vx Hx] y [Vy Hy]|x [Vx Hx] y [Vy Hy]|x [Vx Hx]
    |x [Vx Hx] k|g x [Vx Hx]]; try (cbn; rewrite ?Vx, ?Vy, ?Hx, ?Hy; now split).
  - assert (K : forall d, same_reading (expression_of (Infixed (from_left 5 "/") (integer_tree (Qnum q)) (Word
      (positive_text d)))) (Num (Qnum q # d))).
    { intros d. destruct (plain_natural (Zpos d) ltac:(lia)) as [P _]. change (integer_text (Zpos d)) with
        (positive_text d) in P. cbn [expression_of spelling from_left String.eqb Ascii.eqb Bool.eqb] in *. rewrite P.
      unfold same_reading. cbn [expression_value has_value]. destruct (plain_integer (Qnum q)) as [-> HV].
      rewrite Q2R_inject_Z. assert (D : IZR (Zpos d) <> 0%R) by (apply not_0_IZR; lia). now split. }
    cbn [expression_tree]. unfold rational_tree. destruct q as [p [d|d|]]; cbn [Qnum Qden]; try apply K.
    destruct (plain_integer p) as [V HV]. split; [rewrite V; symmetry; apply Q2R_inject_Z|now split].
  - cbn. rewrite Vx, Hx, plain_exponent. now split.
  - destruct g; cbn; rewrite Vx, Hx; now split.
Qed.
End Values.

Lemma rational_text_once p q : is_reduced p = true -> is_reduced q = true -> rational_text p = rational_text q -> p = q.
Proof.
  intros P R E. apply (expression_text_once (Num p) (Num q)) in E. assert (V : Q2R p = Q2R q).
  { destruct (plain_same 0 0 (Num p)) as [VP _], (plain_same 0 0 (Num q)) as [VQ _]. rewrite E in VP.
    exact (eq_trans (eq_sym VP) VQ). }
  apply eqR_Qeq in V. unfold is_reduced in *. apply Z.eqb_eq in P, R.
  rewrite <- (Qred_identity p P), <- (Qred_identity q R). now apply Qred_complete.
Qed.


(* ---- conditions ---- *)
Definition comparison_operator (level inner : nat) (r : relation) : operator := Operator (relation_sign r) level inner
  inner.
Definition all_relations : list relation := [AtMost; Below; AtLeast; Above; Equal; Unequal].

Definition condition_signs : list operator := [a_sign 6 "-"; a_sign 2 "not "].
Definition condition_infixes : list operator := map (comparison_operator 3 4) all_relations ++ [from_left 4 "+";
  from_left 4 "-"; from_left 5 "*"; from_left 5 "//"; from_left 5 "%"; the_power; from_left 1 " and ";
  from_left 0 " or "].
Lemma condition_language : is_language condition_signs condition_infixes = true. Proof. vm_compute. reflexivity. Qed.

Fixpoint amount_tree (x : number_expression) : tree :=
  match x with
  | Literal z => Word (integer_text (Z.of_N z))
  | TheNumber => Word "k" | TheLength => Word "n"
  | Negated x => Signed (a_sign 6 "-") (amount_tree x)
  | Sum x y => Infixed (from_left 4 "+") (amount_tree x) (amount_tree y)
  | Difference x y => Infixed (from_left 4 "-") (amount_tree x) (amount_tree y)
  | Times x y => Infixed (from_left 5 "*") (amount_tree x) (amount_tree y)
  | Quotient x d => Infixed (from_left 5 "//") (amount_tree x) (Word (positive_text d))
  | Remainder x d => Infixed (from_left 5 "%") (amount_tree x) (Word (positive_text d))
  | Raised x d => Infixed the_power (amount_tree x) (Word (positive_text d))
  end.
Fixpoint condition_tree (c : predicate_condition) : tree :=
  match c with
  | Related r x y => Infixed (comparison_operator 3 4 r) (amount_tree x) (amount_tree y)
  | Tested p x => Called (Word (number_test p)) (amount_tree x)
  | Fails c => Signed (a_sign 2 "not ") (condition_tree c)
  | Both c d => Infixed (from_left 1 " and ") (condition_tree c) (condition_tree d)
  | Either c d => Infixed (from_left 0 " or ") (condition_tree c) (condition_tree d)
  end.

Lemma shown_amount x : shown (amount_piece x) (amount_tree x).
Proof.
  induction x; cbn [amount_piece amount_tree]; auto with texts. unfold integer_piece.
  destruct (Z.ltb_spec (Z.of_N z) 0); [lia|]. apply shown_word.
Qed.
Lemma amount_level x : 4 <= tree_level (amount_tree x). Proof. destruct x; simpl; lia. Qed.
Lemma shown_condition c : shown (condition_piece c) (condition_tree c).
Proof.
  induction c as [r x y|p x|c IH|c IHc d IHd|c IHc d IHd]; cbn [condition_piece condition_tree];
    auto using shown_amount with texts. assert (P : forall x, place_text 4 (amount_tree x) = tree_text (amount_tree x)).
  { intros z. rewrite place_text_is. pose proof (amount_level z) as L. now apply Nat.ltb_ge in L as ->. }
  split; [reflexivity|]. rewrite infixed_text. cbn [left_level right_level comparison_operator]. rewrite !P.
  apply writes_both; [apply shown_amount|]. apply writes_both; [apply writes_exactly|apply shown_amount].
Qed.

Local Notation is_condition_tree := (is_tree condition_signs condition_infixes).
Lemma condition_word s : is_numeral s -> is_word condition_signs s = true.
Proof. intros H. now apply number_is_word. Qed.
Lemma amount_tree_is x : is_condition_tree (amount_tree x).
Proof.
  induction x; cbn [amount_tree]; try reflexivity; try (apply condition_word, integer_is_number; lia);
    (split; [simpl; tauto|]); auto; (split; [assumption|]); apply condition_word, positive_is_number.
Qed.
Lemma condition_tree_is c : is_condition c = true -> is_condition_tree (condition_tree c).
Proof.
  induction c as [r x y|p x|c IH|c IHc d IHd|c IHc d IHd]; cbn [is_condition condition_tree]; intros H.
  - split; [destruct r; simpl; tauto|]. split; apply amount_tree_is.
  - split; [exact I|]. split; [now destruct p|apply amount_tree_is].
  - split; [simpl; tauto|auto].
  - apply andb_prop in H as [C D]. split; [simpl; tauto|auto].
  - apply andb_prop in H as [C D]. split; [simpl; tauto|auto].
Qed.

Lemma positive_text_once p q : positive_text p = positive_text q -> p = q.
Proof. intros E. assert (K : Zpos p = Zpos q) by (now apply integer_text_once). congruence. Qed.
Lemma amount_tree_once x : forall y, amount_tree x = amount_tree y -> x = y.
Proof.
  assert (L : forall z s, match s with String c _ => is_between 48 57 c = false | "" => True end ->
    integer_text (Z.of_N z) <> s).
  { intros z s S E. apply String.eqb_eq in E. rewrite number_no_name in E by (auto; lia). discriminate. }
  induction x; intros y E; destruct y; try discriminate E; try reflexivity; injection E as E1;
    try (now apply L in E1); try (symmetry in E1; now apply L in E1); f_equal; auto using positive_text_once.
  apply N2Z.inj, integer_text_once; auto; lia.
Qed.
Lemma condition_tree_once c : forall d, is_condition c = true -> is_condition d = true ->
  condition_tree c = condition_tree d -> c = d.
Proof.
  induction c as [r x y|p x|c IH|c IHc e IHe|c IHc e IHe]; intros [r' x' y'|p' x'|c'|c' e'|c' e'] C D E; simpl in C, D;
    try discriminate E; try (now destruct r); try (now destruct r').
  - injection E as R X Y. f_equal; auto using amount_tree_once. now destruct r, r'.
  - injection E as P X. f_equal; auto using amount_tree_once. now destruct p, p'.
  - injection E as E. f_equal; auto.
  - apply andb_prop in C as [C1 C2], D as [D1 D2]. injection E as E1 E2. f_equal; auto.
  - apply andb_prop in C as [C1 C2], D as [D1 D2]. injection E as E1 E2. f_equal; auto.
Qed.

Theorem condition_text_once c d : is_condition c = true -> is_condition d = true ->
  text_of (piece_text (condition_piece c)) = text_of (piece_text (condition_piece d)) -> c = d.
Proof.
  intros C D E. apply condition_tree_once; auto.
  apply (tree_text_once _ _ condition_language); auto using condition_tree_is.
  now rewrite (writes_text _ _ (proj2 (shown_condition c))), (writes_text _ _ (proj2 (shown_condition d))) in E.
Qed.
