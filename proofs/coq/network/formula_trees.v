(* Formulas as trees (text_trees.v) that have the texts of formula_text.v. So a text is that of one formula only, if all
   letters and predicates that it mentions have names, and if those that stand in a list of the file have one text,
     too. *)
From Coq Require Import String Ascii ZArith List Bool Arith Lia.
From Certify Require Import formula network user_predicates json_text formula_text model_text text_trees
  expression_trees.
Import ListNotations.
Open Scope string_scope.
Open Scope nat_scope.


(* ---- formulas ---- *)
(* `->` groups to the right, and so do the sums of counts, which bind more tightly than what compares them; `<->` and
   `since` do not group. *)
Definition from_right (level : nat) (s : string) : operator := Operator s level (S level) level.
Definition temporal_between (s : string) : operator := Operator s 5 6 6.
Lemma place_text_high wanted t : wanted <= tree_level t -> place_text wanted t = tree_text t.
Proof. intros H. rewrite place_text_is. now apply Nat.ltb_ge in H as ->. Qed.

Definition the_iff : operator := Operator " <-> " 0 1 1.
Definition the_times : operator := Operator "*" 6 7 7.
Definition the_comma : operator := Operator "," 6 8 8.
Definition a_reference : operator := Operator "$" 7 9 8.
Definition the_sum (a : Z) : operator := from_right 5 (if (a <? 0)%Z then " - " else " + ").

Definition formula_signs : list operator :=
  a_sign 7 "-" :: a_reference :: map (a_sign 6) ["!"; "prev "; "next "; "H "; "G "; "O "; "F "].
Definition formula_infixes : list operator := the_iff :: the_times :: the_comma :: map (comparison_operator 4 5)
  all_relations ++ map (from_right 1) [" -> "] ++ map (from_left 2) [" | "] ++ map (from_left 3) [" & "]
  ++ map temporal_between [" since "; " until "; " S "; " U "] ++ map (from_right 5) [" + "; " - "].
Lemma formula_language : is_language formula_signs formula_infixes = true. Proof. vm_compute. reflexivity. Qed.
Notation is_formula_tree := (is_tree formula_signs formula_infixes).

(* One summand: a count, with its factor if that is not 1. *)
Definition count_summand (negative : bool) (a : Z) (count : tree) : tree :=
  let sign t := if negative then Signed (a_sign 7 "-") t else t in
  if (Z.abs a =? 1)%Z then sign count else Infixed the_times (sign (Word (integer_text (Z.abs a)))) count.

Section Formulas.
Variables (letters names : list string) (listed : list formula).

Definition symbol_tree (letter : string) : tree :=
  if forallb is_word_character (list_ascii_of_string letter) then Word ("Q_" ++ letter) else Letter letter.
Definition predicate_tree (p : predicate) : tree :=
  match p with
  | ODD => Word "ODD" | EVEN => Word "EVEN" | FIRST => Word "FIRST" | LAST => Word "LAST"
  | SQUARE => Word "SQUARE" | POW2 => Word "POW2" | PRIME => Word "PRIME"
  | MOD m r => Called (Word "MOD") (Infixed the_comma (Word (natural_text m)) (Word (natural_text r)))
  | User name => Word (nth name names "?")
  end.
Definition operand_tree (f : formula) (t : tree) : tree :=
  match place_in listed f 1 with Some place => Signed a_reference (Word (natural_text place)) | None => t end.

Fixpoint own_tree (f : formula) : tree :=
  let sign s g := Signed (a_sign 6 s) (operand_tree g (own_tree g)) in
  let between o g h := Infixed o (operand_tree g (own_tree g)) (operand_tree h (own_tree h)) in
  match f with
  | Truth b => Word (if b then "true" else "false")
  | Symbol a => symbol_tree (nth a letters "")
  | Positional p => predicate_tree p
  | OnCount p s f => Called (predicate_tree p) (Boxed (side_sign s) (operand_tree f (own_tree f)))
  | OnSum p t => Called (predicate_tree p) (term_tree None t)
  | Compare r t u => Infixed (comparison_operator 4 5 r) (term_tree None t) (term_tree None u)
  | Not f =>
      match f with
      | Since (Truth true) (Not g) => if abbreviates listed then sign "H " g else sign "!" f
      | Until (Truth true) (Not g) => if abbreviates listed then sign "G " g else sign "!" f
      | _ => sign "!" f
      end
  | Previous f => sign "prev " f
  | Next f => sign "next " f
  | And f g => between (from_left 3 " & ") f g
  | Or f g => between (from_left 2 " | ") f g
  | Implies f g => between (from_right 1 " -> ") f g
  | Iff f g => between the_iff f g
  | (Since f g | Until f g) as whole =>
      let word past future := match whole with Since _ _ => past | _ => future end in
      let plain := between (temporal_between (word " since " " until ")) f g in
      match f with
      | Truth true => if abbreviates listed then sign (word "O " "F ") g else plain
      | Or h same => if abbreviates listed && formula_eqb same g
          then between (temporal_between (word " S " " U ")) h g else plain
      | _ => plain
      end
  end
(* What stands before the term in a sum, if something does. *)
with term_tree (lead : option tree) (t : term) : tree :=
  match t with
  | Number c =>
      let size := Word (integer_text (Z.abs c)) in
      match lead with
      | None => if (c <? 0)%Z then Signed (a_sign 7 "-") size else size
      | Some lead => if (c =? 0)%Z then lead else Infixed (the_sum c) lead size
      end
  | Plus a s f t =>
      let count := Boxed (side_sign s) (operand_tree f (own_tree f)) in
      match lead with
      | None => term_tree (Some (count_summand (a <? 0)%Z a count)) t
      | Some lead => Infixed (the_sum a) lead (term_tree (Some (count_summand false a count)) t)
      end
  end.

Fixpoint formula_size (f : formula) : nat :=
  match f with
  | Truth _ | Symbol _ | Positional _ => 1
  | Not f | Previous f | Next f | OnCount _ _ f => S (formula_size f)
  | And f g | Or f g | Implies f g | Iff f g | Since f g | Until f g => S (formula_size f + formula_size g)
  | OnSum _ t => S (term_size t)
  | Compare _ t u => S (term_size t + term_size u)
  end
with term_size (t : term) : nat :=
  match t with Number _ => 0 | Plus _ _ f t => formula_size f + term_size t end.

(* Formulas that are a sign or an operator with their operands. *)
Inductive formula_shape := OneOperand (o : operator) (g : formula) | TwoOperands (o : operator) (g h : formula) |
  NoOperand.
Definition shape_of (f : formula) : formula_shape :=
  let sign s g := OneOperand (a_sign 6 s) g in
  let short := abbreviates listed in
  match f with
  | Not f =>
      match f with
      | Since (Truth true) (Not g) => if short then sign "H " g else sign "!" f
      | Until (Truth true) (Not g) => if short then sign "G " g else sign "!" f
      | _ => sign "!" f
      end
  | Previous f => sign "prev " f
  | Next f => sign "next " f
  | And f g => TwoOperands (from_left 3 " & ") f g
  | Or f g => TwoOperands (from_left 2 " | ") f g
  | Implies f g => TwoOperands (from_right 1 " -> ") f g
  | Iff f g => TwoOperands the_iff f g
  | Since f g =>
      let plain := TwoOperands (temporal_between " since ") f g in
      match f with
      | Truth true => if short then sign "O " g else plain
      | Or h same => if short && formula_eqb same g then TwoOperands (temporal_between " S ") h g else plain
      | _ => plain
      end
  | Until f g =>
      let plain := TwoOperands (temporal_between " until ") f g in
      match f with
      | Truth true => if short then sign "F " g else plain
      | Or h same => if short && formula_eqb same g then TwoOperands (temporal_between " U ") h g else plain
      | _ => plain
      end
  | _ => NoOperand
  end.

(* How a negation and how `since` and `until` are written turns on few forms of what they are about. This lemma
   distinguishes them once, in isolation. *)
Local Definition negated {X} (past future : formula -> X) (other : X) (f : formula) : X :=
  match f with Since (Truth true) (Not g) => past g | Until (Truth true) (Not g) => future g | _ => other end.
Definition on_the_left {X} (once : X) (either : formula -> formula -> X) (other : X) (f : formula) : X :=
  match f with Truth true => once | Or g h => either g h | _ => other end.
Lemma negated_cases (P : formula -> Prop) :
  (forall g, P (Since (Truth true) (Not g))) -> (forall g, P (Until (Truth true) (Not g))) ->
  (forall f, (forall X past future (other : X), negated past future other f = other) -> P f) -> forall f, P f.
Proof.
  intros Past Future Other f. destruct f; try (now apply Other); (destruct f1 as [[]| | | | | | | | | | | | | |];
    [destruct f2; trivial|..]); now apply Other.
Qed.
Lemma left_cases (P : formula -> Prop) : P (Truth true) -> (forall g h, P (Or g h)) ->
  (forall f, (forall X once either (other : X), on_the_left once either other f = other) -> P f) -> forall f, P f.
Proof. intros Once Either_ Other [[]| | | | | | | | | | | | | |]; trivial; now apply Other. Qed.

(* What the functions give of them, Qed finds by itself; of shapes and trees the virtual machine does, in no time. *)
Ltac computed := match goal with |- ?x = _ => vm_cast_no_check (eq_refl x) end.
Ltac compared := match goal with |- ?x = _ => exact_no_check (eq_refl x) end.
Notation shorter a b := (if abbreviates listed then a else b).
Notation with_same h g a b := (if abbreviates listed && formula_eqb h g then a else b).
Lemma shape_not f : shape_of (Not f) = negated (fun g => shorter (OneOperand (a_sign 6 "H ") g)
  (OneOperand (a_sign 6 "!") f)) (fun g => shorter (OneOperand (a_sign 6 "G ") g) (OneOperand (a_sign 6 "!") f))
  (OneOperand (a_sign 6 "!") f) f.
Proof. computed. Qed.
Lemma shape_since f g : shape_of (Since f g) = on_the_left (shorter (OneOperand (a_sign 6 "O ") g)
  (TwoOperands (temporal_between " since ") f g)) (fun h same => with_same same g (TwoOperands (temporal_between " S ")
  h g) (TwoOperands (temporal_between " since ") f g)) (TwoOperands (temporal_between " since ") f g) f.
Proof. computed. Qed.
Lemma shape_until f g : shape_of (Until f g) = on_the_left (shorter (OneOperand (a_sign 6 "F ") g)
  (TwoOperands (temporal_between " until ") f g)) (fun h same => with_same same g (TwoOperands (temporal_between " U ")
  h g) (TwoOperands (temporal_between " until ") f g)) (TwoOperands (temporal_between " until ") f g) f.
Proof. computed. Qed.
Notation signed_tree s g := (Signed (a_sign 6 s) (operand_tree g (own_tree g))).
Notation temporal_tree g s h :=
  (Infixed (temporal_between s) (operand_tree g (own_tree g)) (operand_tree h (own_tree h))).
Lemma tree_not f : own_tree (Not f) = negated (fun g => shorter (signed_tree "H " g) (signed_tree "!" f))
  (fun g => shorter (signed_tree "G " g) (signed_tree "!" f)) (signed_tree "!" f) f.
Proof. computed. Qed.
Lemma tree_since f g : own_tree (Since f g) = on_the_left (shorter (signed_tree "O " g) (temporal_tree f " since " g))
  (fun h same => with_same same g (temporal_tree h " S " g) (temporal_tree f " since " g))
  (temporal_tree f " since " g) f.
Proof. computed. Qed.
Lemma tree_until f g : own_tree (Until f g) = on_the_left (shorter (signed_tree "F " g) (temporal_tree f " until " g))
  (fun h same => with_same same g (temporal_tree h " U " g) (temporal_tree f " until " g))
  (temporal_tree f " until " g) f.
Proof. computed. Qed.
Notation own_writer f := (own_text letters names listed f).
Notation signed_writer s g := (write_signed listed s g (own_writer g)).
Notation temporal_writer g s h := (write_temporal listed g (own_writer g) s h (own_writer h)).
Lemma text_not f rest : own_text letters names listed (Not f) rest = negated (fun g => shorter (signed_writer "H " g)
  (signed_writer "!" f)) (fun g => shorter (signed_writer "G " g) (signed_writer "!" f)) (signed_writer "!" f) f rest.
Proof. compared. Qed.
Lemma text_since f g rest : own_text letters names listed (Since f g) rest = on_the_left (shorter (signed_writer "O " g)
  (temporal_writer f " since " g)) (fun h same => with_same same g (temporal_writer h " S " g)
  (temporal_writer f " since " g)) (temporal_writer f " since " g) f rest.
Proof. compared. Qed.
Lemma text_until f g rest : own_text letters names listed (Until f g) rest = on_the_left (shorter (signed_writer "F " g)
  (temporal_writer f " until " g)) (fun h same => with_same same g (temporal_writer h " U " g)
  (temporal_writer f " until " g)) (temporal_writer f " until " g) f rest.
Proof. compared. Qed.

Ltac told_apart := try match goal with E : forall X, _ |- _ => rewrite !E; reflexivity end;
  cbn [negated on_the_left]; destruct (abbreviates listed); try reflexivity; cbn [andb]; destruct (formula_eqb _ _);
  reflexivity.

Lemma own_tree_shape f :
  match shape_of f with
  | OneOperand o g => own_tree f = Signed o (operand_tree g (own_tree g))
  | TwoOperands o g h => own_tree f = Infixed o (operand_tree g (own_tree g)) (operand_tree h (own_tree h))
  | NoOperand => True
  end.
Proof.
  destruct f as [| |f| | | | | | |f h|f h| | | |]; try exact I; try reflexivity.
  - rewrite shape_not, tree_not. revert f. apply negated_cases; intros; told_apart.
  - rewrite shape_since, tree_since. revert f. apply left_cases; intros; told_apart.
  - rewrite shape_until, tree_until. revert f. apply left_cases; intros; told_apart.
Qed.
Notation operand_writer wanted f := (write_operand listed wanted f (own_text letters names listed f)).
Lemma own_text_shape f rest :
  match shape_of f with
  | OneOperand o g => own_text letters names listed f rest = write_prefix (spelling o) (operand_writer (right_level o)
    g) rest
  | TwoOperands o g h => own_text letters names listed f rest
      = write_infix (operand_writer (left_level o) g) (spelling o) (operand_writer (right_level o) h) rest
  | NoOperand => True
  end.
Proof.
  destruct f as [| |f| | | | | | |f h|f h| | | |]; try exact I; try reflexivity.
  - rewrite shape_not, text_not. revert f. apply negated_cases; intros; told_apart.
  - rewrite shape_since, text_since. revert f. apply left_cases; intros; told_apart.
  - rewrite shape_until, text_until. revert f. apply left_cases; intros; told_apart.
Qed.
Lemma level_shape f :
  match shape_of f with
  | OneOperand o _ | TwoOperands o _ _ => formula_level (abbreviates listed) f = own_level o
  | NoOperand => True
  end.
Proof.
  destruct f as [| |f| | | | | | |f h|f h| | | |]; try exact I; try reflexivity.
  - rewrite shape_not. revert f. apply negated_cases; intros; told_apart.
  - rewrite shape_since. change (formula_level _ _) with (on_the_left (shorter 6 5) (fun _ _ => 5) 5 f).
    revert f. apply left_cases; intros; told_apart.
  - rewrite shape_until. change (formula_level _ _) with (on_the_left (shorter 6 5) (fun _ _ => 5) 5 f).
    revert f. apply left_cases; intros; told_apart.
Qed.
(* For what holds of each shape, whether or not another one would be written: few cases in place of hundreds. *)
Definition has_no_operand (f : formula) : Prop :=
  match f with Truth _ | Symbol _ | Positional _ | OnCount _ _ _ | OnSum _ _ | Compare _ _ _ => True | _ => False end.
Lemma shape_by_cases (P : formula -> formula_shape -> Prop) : (forall f, has_no_operand f -> P f NoOperand) ->
  (forall g, P (Not g) (OneOperand (a_sign 6 "!") g)) -> (forall g, P (Not (Since (Truth true) (Not g)))
  (OneOperand (a_sign 6 "H ") g)) -> (forall g, P (Not (Until (Truth true) (Not g))) (OneOperand (a_sign 6 "G ") g)) ->
  (forall g, P (Previous g) (OneOperand (a_sign 6 "prev ") g)) -> (forall g, P (Next g) (OneOperand (a_sign 6 "next ")
  g)) -> (forall g, P (Since (Truth true) g) (OneOperand (a_sign 6 "O ") g)) -> (forall g, P (Until (Truth true) g)
  (OneOperand (a_sign 6 "F ") g)) -> (forall g h, P (And g h) (TwoOperands (from_left 3 " & ") g h)) -> (forall g h,
  P (Or g h) (TwoOperands (from_left 2 " | ") g h)) -> (forall g h, P (Implies g h) (TwoOperands (from_right 1 " -> ")
  g h)) -> (forall g h, P (Iff g h) (TwoOperands the_iff g h)) -> (forall g h, P (Since g h)
  (TwoOperands (temporal_between " since ") g h)) -> (forall g h, P (Until g h) (TwoOperands (temporal_between
  " until ") g h)) -> (forall g h, P (Since (Or g h) h) (TwoOperands (temporal_between " S ") g h)) -> (forall g h,
  P (Until (Or g h) h) (TwoOperands (temporal_between " U ") g h)) -> forall f, P f (shape_of f).
Proof.
  intros Leaf Plain Always1 Always2 Prev Nxt Once1 Once2 Both_ Either_ If_ Iff_ Since_ Until_ S_ U_ f.
  destruct f as [| |f| | | | | | |f h|f h| | | |]; try (now apply Leaf); try (cbn [shape_of]; now trivial);
    rewrite ?shape_not, ?shape_since, ?shape_until; revert f; [apply negated_cases|apply left_cases|apply left_cases];
    try (intros f E; rewrite E; trivial); intros; cbn [negated on_the_left]; destruct (abbreviates listed); cbn [andb];
    trivial; destruct (formula_eqb _ _) eqn:Same; trivial; apply formula_eqb_eq in Same as ->; trivial.
Qed.
Lemma no_operand f : match shape_of f with NoOperand => has_no_operand f | _ => True end.
Proof. apply (shape_by_cases (fun f s => match s with NoOperand => has_no_operand f | _ => True end)); easy. Qed.
Ltac by_shape f := pattern f, (shape_of f); apply shape_by_cases.
(* What formula that is. *)
Local Definition unshape (s : formula_shape) : formula :=
  match s with
  | OneOperand o g => match spelling o with
    | "H " => Not (Since (Truth true) (Not g)) | "G " => Not (Until (Truth true) (Not g)) | "!" => Not g
    | "prev " => Previous g | "next " => Next g | "O " => Since (Truth true) g | _ => Until (Truth true) g
    end
  | TwoOperands o g h => match spelling o with
    | " & " => And g h | " | " => Or g h | " -> " => Implies g h | " <-> " => Iff g h
    | " since " => Since g h | " until " => Until g h | " S " => Since (Or g h) h | _ => Until (Or g h) h
    end
  | NoOperand => Truth true
  end.
Lemma unshape_shape f : match shape_of f with NoOperand => True | s => unshape s = f end. Proof. by_shape f; easy. Qed.
Lemma shape_is size size' f :
  match shape_of f with
  | OneOperand o g => In o formula_signs /\ own_level o = 6
      /\ (is_named size size' f = true -> is_named size size' g = true)
  | TwoOperands o g h => In o formula_infixes /\ own_level o <> 4
      /\ (is_named size size' f = true -> is_named size size' g = true /\ is_named size size' h = true)
  | NoOperand => True
  end.
Proof.
  by_shape f; try easy; intros;
    (split; [repeat (try (left; reflexivity); right)|]; split; [easy|]); cbn; rewrite ?andb_true_iff; tauto.
Qed.
Lemma shape_levels f :
  match shape_of f with
  | OneOperand o _ => right_level o <= 6
  | TwoOperands o _ _ => left_level o <= 6 /\ right_level o <= 6
  | NoOperand => True
  end.
Proof. by_shape f; intros; simpl; lia. Qed.
Lemma shape_smaller f :
  match shape_of f with
  | OneOperand _ g => formula_size g < formula_size f
  | TwoOperands _ g h => formula_size g < formula_size f /\ formula_size h < formula_size f
  | NoOperand => True
  end.
Proof. by_shape f; intros; simpl; lia. Qed.

(* ---- what trees and texts are made of: equations that keep terms small ---- *)
Notation count_tree s f := (Boxed (side_sign s) (operand_tree f (own_tree f))).
Lemma sum_of_number u c : term_tree (Some u) (Number c)
  = if (c =? 0)%Z then u else Infixed (the_sum c) u (Word (integer_text (Z.abs c))).
Proof. reflexivity. Qed.
Lemma sum_of_plus u a s f t : term_tree (Some u) (Plus a s f t)
  = Infixed (the_sum a) u (term_tree (Some (count_summand false a (count_tree s f))) t).
Proof. reflexivity. Qed.
Lemma first_plus a s f t : term_tree None (Plus a s f t) = term_tree (Some (count_summand (a <? 0)%Z a (count_tree s
  f))) t.
Proof. reflexivity. Qed.
Lemma own_truth b : own_tree (Truth b) = Word (if b then "true" else "false"). Proof. reflexivity. Qed.
Lemma own_symbol a : own_tree (Symbol a) = symbol_tree (nth a letters ""). Proof. reflexivity. Qed.
Lemma own_position p : own_tree (Positional p) = predicate_tree p. Proof. reflexivity. Qed.
Lemma own_count p s f : own_tree (OnCount p s f) = Called (predicate_tree p) (count_tree s f). Proof. reflexivity. Qed.
Lemma own_on_sum p t : own_tree (OnSum p t) = Called (predicate_tree p) (term_tree None t). Proof. reflexivity. Qed.
Lemma own_compare r t u : own_tree (Compare r t u) = Infixed (comparison_operator 4 5 r) (term_tree None t) (term_tree
  None u).
Proof. reflexivity. Qed.
Lemma plus_text first a s f t rest : term_writer letters names listed first (Plus a s f t) rest
  = write_both (sign_before first a) (write_both (write_both (if (Z.abs a =? 1)%Z then write_nothing
      else write_both (write_exactly (integer_text (Z.abs a))) (write_exactly "*")) (write_between (side_sign s) "]"
        (operand_writer 0 f)))
    (term_writer letters names listed false t)) rest.
Proof. reflexivity. Qed.
Lemma count_text p s f rest : own_text letters names listed (OnCount p s f) rest
  = write_both (predicate_writer names p) (write_between ("(" ++ side_sign s) "])" (operand_writer 0 f)) rest.
Proof. reflexivity. Qed.

(* ---- their texts ---- *)
Lemma own_level_is wanted f : wanted <= 6 ->
  (formula_level (abbreviates listed) f <? wanted) = (tree_level (own_tree f) <? wanted).
Proof.
  intros W. pose proof (own_tree_shape f) as T. pose proof (level_shape f) as L. pose proof (no_operand f) as N.
  destruct (shape_of f); [now rewrite T, L..|].
  assert (K : forall t, tree_level t = 8 -> (7 <? wanted) = (tree_level t <? wanted)).
  { intros t ->. destruct (Nat.ltb_spec 7 wanted), (Nat.ltb_spec 8 wanted); lia. }
  destruct f; try destruct N; try (now apply K); try reflexivity.
  - apply K. cbn. unfold symbol_tree. now destruct (forallb _ _).
  - apply K. now destruct p.
Qed.

Lemma operand_writes wanted f : wanted <= 6 -> is_written_as (own_writer f) (tree_text (own_tree f)) ->
  is_written_as (operand_writer wanted f) (place_text wanted (operand_tree f (own_tree f))).
Proof.
  intros W H rest. unfold write_operand, operand_tree. destruct (place_in listed f 1) as [k|].
  - rewrite place_text_is. cbn [tree_level a_reference own_level]. destruct (Nat.ltb_spec 7 wanted); [lia|].
    rewrite signed_text, place_text_is. cbn [tree_level a_reference right_level spelling Nat.ltb Nat.leb].
    rewrite word_text. now rewrite app_assoc_text.
  - rewrite place_text_is, <- own_level_is by exact W. unfold at_level. cbn [piece_level piece_text].
    destruct (_ <? _); [apply writes_between; exact H|apply H].
Qed.
Lemma operand_writes_all f : is_written_as (own_writer f) (tree_text (own_tree f)) ->
  is_written_as (operand_writer 0 f) (tree_text (operand_tree f (own_tree f))).
Proof. intros H. apply (operand_writes 0 f); [lia|exact H]. Qed.

Lemma word_writes s : is_written_as (write_exactly s) (tree_text (Word s)). Proof. exact (proj2 (shown_word s)). Qed.
Lemma predicate_writes p : is_written_as (predicate_writer names p) (tree_text (predicate_tree p)).
Proof.
  destruct p; try apply word_writes. cbn [predicate_tree predicate_writer].
  rewrite called_text, infixed_text, !place_text_is. cbn [tree_level the_comma left_level right_level spelling Nat.ltb
    Nat.leb]. rewrite !word_text. apply (writes_between ("MOD" ++ "(") ")").
  apply writes_both; [|apply writes_both]; apply writes_exactly.
Qed.
Lemma symbol_writes letter : is_written_as (symbol_writer letter) (tree_text (symbol_tree letter)).
Proof.
  unfold symbol_writer, symbol_tree. destruct (forallb _ _).
  - rewrite word_text. apply writes_both; apply writes_exactly.
  - rewrite letter_text. apply writes_between, writes_exactly.
Qed.

Lemma count_writes s a t : is_written_as a (tree_text t) -> is_written_as (write_between (side_sign s) "]" a) (tree_text
  (Boxed (side_sign s) t)).
Proof. intros H. rewrite boxed_text. now apply writes_between. Qed.

Lemma summand_writes (negative : bool) a count c : tree_level count = 8 -> is_written_as c (tree_text count) ->
  is_written_as (write_both (write_exactly (if negative then "-" else "")) (write_both (if (Z.abs a
  =? 1)%Z then write_nothing else write_both (write_exactly (integer_text (Z.abs a))) (write_exactly "*")) c))
  (tree_text (count_summand negative a count)).
Proof.
  intros L W rest. unfold count_summand. destruct (Z.abs a =? 1)%Z.
  - destruct negative; [|exact (W rest)]. rewrite signed_text, place_text_is, L. cbn.
    unfold write_both, write_exactly, write_nothing. cbn. now rewrite W.
  - rewrite infixed_text, (place_text_is _ count), L. cbn [right_level the_times left_level spelling Nat.ltb Nat.leb].
    unfold write_both, write_exactly. rewrite W. destruct negative.
    + rewrite place_text_is. cbn [tree_level a_sign own_level Nat.ltb Nat.leb]. rewrite signed_text, place_text_is.
      cbn [tree_level a_sign right_level spelling Nat.ltb Nat.leb]. rewrite word_text, !app_assoc_text. reflexivity.
    + rewrite place_text_is. cbn [tree_level Nat.ltb Nat.leb]. rewrite word_text, !app_assoc_text. reflexivity.
Qed.
Lemma summand_level negative a count : tree_level count = 8 -> 6 <= tree_level (count_summand negative a count).
Proof. intros L. unfold count_summand. destruct (_ =? _)%Z, negative; simpl; lia. Qed.
Lemma sum_level t : forall lead, 5 <= tree_level lead -> 5 <= tree_level (term_tree (Some lead) t).
Proof. destruct t; intros lead L; cbn; [destruct (c =? 0)%Z|]; simpl; lia. Qed.
Lemma term_level t : 5 <= tree_level (term_tree None t).
Proof.
  destruct t; cbn; [destruct (c <? 0)%Z; simpl; lia|]. apply sum_level.
  pose proof (summand_level (a <? 0)%Z a (Boxed (side_sign s) (operand_tree f (own_tree f))) eq_refl). lia.
Qed.

Section Terms.
Variable size : nat.
Hypothesis Smaller : forall f, formula_size f < size -> is_written_as (own_writer f) (tree_text (own_tree f)).

Lemma sum_writes t : term_size t < size -> forall lead, 6 <= tree_level lead -> forall rest,
  tree_text lead ++ term_writer letters names listed false t rest = tree_text (term_tree (Some lead) t) ++ rest.
Proof.
  induction t as [c|a s f t IH]; intros S lead L rest; cbn [term_size] in S.
  - rewrite sum_of_number. cbn [term_writer negb andb].
    destruct (c =? 0)%Z; [reflexivity|]. rewrite infixed_text, !place_text_high by (simpl; lia).
    rewrite word_text, !app_assoc_text. unfold sign_before, the_sum. now destruct (c <? 0)%Z.
  - rewrite sum_of_plus, plus_text. set (count := count_tree s f).
    assert (C : is_written_as (write_between (side_sign s) "]" (operand_writer 0 f)) (tree_text count)).
    { apply count_writes, operand_writes_all, Smaller. lia. }
    pose proof (summand_level false a count eq_refl) as L'.
    pose proof (sum_level t (count_summand false a count) ltac:(lia)) as L''.
    rewrite infixed_text, !place_text_high by assumption. rewrite !app_assoc_text, <- IH by lia.
    rewrite <- (summand_writes false a count _ eq_refl C). unfold write_both, sign_before, the_sum.
    cbn [spelling from_right]. now destruct (a <? 0)%Z.
Qed.
Lemma term_writes t : term_size t < size -> is_written_as (term_writer letters names listed true t) (tree_text
  (term_tree None t)).
Proof.
  intros S rest. destruct t as [c|a s f t]; cbn [term_size] in S.
  - cbn [term_tree term_writer negb andb]. unfold write_both, sign_before, write_exactly.
    destruct (c <? 0)%Z; [|now rewrite word_text]. rewrite signed_text, place_text_is.
    cbn [right_level a_sign tree_level spelling Nat.ltb Nat.leb]. now rewrite word_text, app_assoc_text.
  - rewrite first_plus, plus_text. set (count := count_tree s f).
    assert (C : is_written_as (write_between (side_sign s) "]" (operand_writer 0 f)) (tree_text count)).
    { apply count_writes, operand_writes_all, Smaller. lia. }
    rewrite <- sum_writes by (try lia; apply (summand_level _ a count eq_refl)).
    now rewrite <- (summand_writes (a <? 0)%Z a count _ eq_refl C).
Qed.
End Terms.

Lemma own_writes f : is_written_as (own_writer f) (tree_text (own_tree f)).
Proof.
  remember (formula_size f) as k eqn:K. assert (L : formula_size f <= k) by lia. clear K. revert f L.
  induction k as [|k IH]; intros f L; [destruct f; simpl in L; lia|].
  assert (Smaller : forall g, formula_size g < formula_size f -> is_written_as (own_writer g) (tree_text (own_tree g))).
  { intros g H. apply IH. lia. }
  clear IH L. pose proof (own_tree_shape f) as T. pose proof (own_text_shape f) as W. pose proof (no_operand f) as N.
  pose proof (shape_levels f) as V. pose proof (shape_smaller f) as Z. destruct (shape_of f) as [o g|o g h|].
  - intros rest. rewrite T, W, signed_text. apply writes_both; [apply writes_exactly|]. apply operand_writes; auto.
  - intros rest. rewrite T, W, infixed_text. destruct V, Z.
    repeat apply writes_both; try apply writes_exactly; apply operand_writes; auto.
  - clear T W V Z. destruct f; try destruct N;
      rewrite ?own_truth, ?own_symbol, ?own_position, ?own_count, ?own_on_sum, ?own_compare.
    + destruct b; apply word_writes.
    + apply symbol_writes.
    + apply predicate_writes.
    + pose proof (operand_writes_all f (Smaller f ltac:(simpl; lia))) as W. intros rest.
      rewrite count_text, called_text, boxed_text. unfold write_between, write_both, write_exactly.
      rewrite W, predicate_writes. now rewrite !app_assoc_text.
    + cbn [formula_size] in Smaller. rewrite called_text. apply (writes_both (predicate_writer names p));
        [apply predicate_writes|]. apply writes_between, (term_writes _ Smaller). lia.
    + cbn [formula_size] in Smaller. rewrite infixed_text. cbn [comparison_operator left_level right_level spelling].
      rewrite !place_text_high by apply term_level.
      apply (writes_both (term_writer letters names listed true t)); [apply (term_writes _ Smaller); lia|].
      apply writes_both; [apply writes_exactly|apply (term_writes _ Smaller); lia].
Qed.
End Formulas.
