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
Definition formula_infixes : list operator :=
  the_iff :: the_times :: the_comma :: map (comparison 4 5) relations ++ map (from_right 1) [" -> "]
  ++ map (from_left 2) [" | "] ++ map (from_left 3) [" & "]
  ++ map temporal_between [" since "; " until "; " S "; " U "] ++ map (from_right 5) [" + "; " - "].
Lemma formula_language : is_language formula_signs formula_infixes = true.
Proof. vm_compute. reflexivity. Qed.
Notation is_formula_tree := (is_tree formula_signs formula_infixes).

(* One summand: a count, with its factor if that is not 1. *)
Definition summand (negative : bool) (a : Z) (count : tree) : tree :=
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
  | Compare r t u => Infixed (comparison 4 5 r) (term_tree None t) (term_tree None u)
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
      | None => term_tree (Some (summand (a <? 0)%Z a count)) t
      | Some lead => Infixed (the_sum a) lead (term_tree (Some (summand false a count)) t)
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
Inductive shape := OneOperand (o : operator) (g : formula) | TwoOperands (o : operator) (g h : formula) | NoOperand.
Definition shape_of (f : formula) : shape :=
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

Ltac each_shape f := destruct f; try reflexivity; try exact I; cbn [shape_of own_tree own_text formula_level];
  destruct (abbreviates listed); repeat match goal with
  | |- context [match ?x with _ => _ end] => is_var x; destruct x; try reflexivity; try exact I
  | |- context [formula_eqb ?g ?h] =>
      destruct (formula_eqb g h) eqn:Same; [apply formula_eqb_eq in Same as ->|]; try reflexivity; try exact I
  end.

Lemma own_tree_shape f :
  match shape_of f with
  | OneOperand o g => own_tree f = Signed o (operand_tree g (own_tree g))
  | TwoOperands o g h => own_tree f = Infixed o (operand_tree g (own_tree g)) (operand_tree h (own_tree h))
  | NoOperand => True
  end.
Proof. each_shape f. Qed.
Notation own_writer f := (own_text letters names listed f).
Notation operand_writer wanted f := (operand listed wanted f (own_text letters names listed f)).
Lemma own_text_shape f rest :
  match shape_of f with
  | OneOperand o g => own_text letters names listed f rest = prefix (spelling o) (operand_writer (right_level o) g) rest
  | TwoOperands o g h => own_text letters names listed f rest
      = infix (operand_writer (left_level o) g) (spelling o) (operand_writer (right_level o) h) rest
  | NoOperand => True
  end.
Proof. each_shape f. Qed.
Lemma level_shape f :
  match shape_of f with
  | OneOperand o _ | TwoOperands o _ _ => formula_level (abbreviates listed) f = own_level o
  | NoOperand => True
  end.
Proof. each_shape f. Qed.
(* For what holds of each shape, whether or not another one would be written: few cases in place of hundreds. *)
Definition has_no_operand (f : formula) : Prop :=
  match f with Truth _ | Symbol _ | Positional _ | OnCount _ _ _ | OnSum _ _ | Compare _ _ _ => True | _ => False end.
Lemma shape_by_cases (P : formula -> shape -> Prop) :
  (forall f, has_no_operand f -> P f NoOperand) ->
  (forall g, P (Not g) (OneOperand (a_sign 6 "!") g)) ->
  (forall g, P (Not (Since (Truth true) (Not g))) (OneOperand (a_sign 6 "H ") g)) ->
  (forall g, P (Not (Until (Truth true) (Not g))) (OneOperand (a_sign 6 "G ") g)) ->
  (forall g, P (Previous g) (OneOperand (a_sign 6 "prev ") g)) ->
  (forall g, P (Next g) (OneOperand (a_sign 6 "next ") g)) ->
  (forall g, P (Since (Truth true) g) (OneOperand (a_sign 6 "O ") g)) ->
  (forall g, P (Until (Truth true) g) (OneOperand (a_sign 6 "F ") g)) ->
  (forall g h, P (And g h) (TwoOperands (from_left 3 " & ") g h)) ->
  (forall g h, P (Or g h) (TwoOperands (from_left 2 " | ") g h)) ->
  (forall g h, P (Implies g h) (TwoOperands (from_right 1 " -> ") g h)) ->
  (forall g h, P (Iff g h) (TwoOperands the_iff g h)) ->
  (forall g h, P (Since g h) (TwoOperands (temporal_between " since ") g h)) ->
  (forall g h, P (Until g h) (TwoOperands (temporal_between " until ") g h)) ->
  (forall g h, P (Since (Or g h) h) (TwoOperands (temporal_between " S ") g h)) ->
  (forall g h, P (Until (Or g h) h) (TwoOperands (temporal_between " U ") g h)) ->
  forall f, P f (shape_of f).
Proof.
  intros Leaf Plain Always1 Always2 Prev Nxt Once1 Once2 Both_ Either_ If_ Iff_ Since_ Until_ S_ U_ f.
  destruct f; try (apply Leaf; exact I); try clear Leaf; cbn [shape_of];
    try (now trivial); destruct (abbreviates listed); cbn [andb]; repeat match goal with
    | |- P _ (match ?x with _ => _ end) => is_var x; destruct x; cbn [andb]; trivial
    | |- context [formula_eqb ?g ?h] =>
        destruct (formula_eqb g h) eqn:Same; [apply formula_eqb_eq in Same as ->|]; cbn [andb]; trivial
    end.
Qed.
Lemma no_operand f : match shape_of f with NoOperand => has_no_operand f | _ => True end.
Proof. apply (shape_by_cases (fun f s => match s with NoOperand => has_no_operand f | _ => True end)); easy. Qed.
(* What formula that is. *)
Definition unshape (s : shape) : formula :=
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
Lemma unshape_shape f : match shape_of f with NoOperand => True | s => unshape s = f end.
Proof.
  apply (shape_by_cases (fun f s => match s with
    | OneOperand o g => unshape (OneOperand o g) = f
    | TwoOperands o g h => unshape (TwoOperands o g h) = f
    | NoOperand => True
    end)); easy.
Qed.
Lemma shape_is size size' f :
  match shape_of f with
  | OneOperand o g => In o formula_signs /\ own_level o = 6
      /\ (is_named size size' f = true -> is_named size size' g = true)
  | TwoOperands o g h => In o formula_infixes /\ own_level o <> 4
      /\ (is_named size size' f = true -> is_named size size' g = true /\ is_named size size' h = true)
  | NoOperand => True
  end.
Proof.
  apply (shape_by_cases (fun f s => match s with
    | OneOperand o g => In o formula_signs /\ own_level o = 6
        /\ (is_named size size' f = true -> is_named size size' g = true)
    | TwoOperands o g h => In o formula_infixes /\ own_level o <> 4
        /\ (is_named size size' f = true -> is_named size size' g = true /\ is_named size size' h = true)
    | NoOperand => True
    end)); try easy; intros; (split; [simpl; tauto|]; split; [simpl; lia|]); cbn; rewrite ?andb_true_iff; tauto.
Qed.
Lemma shape_levels f :
  match shape_of f with
  | OneOperand o _ => right_level o <= 6
  | TwoOperands o _ _ => left_level o <= 6 /\ right_level o <= 6
  | NoOperand => True
  end.
Proof.
  apply (shape_by_cases (fun _ s => match s with
    | OneOperand o _ => right_level o <= 6
    | TwoOperands o _ _ => left_level o <= 6 /\ right_level o <= 6
    | NoOperand => True
    end)); intros; simpl; lia.
Qed.
Lemma shape_smaller f :
  match shape_of f with
  | OneOperand _ g => formula_size g < formula_size f
  | TwoOperands _ g h => formula_size g < formula_size f /\ formula_size h < formula_size f
  | NoOperand => True
  end.
Proof.
  apply (shape_by_cases (fun f s => match s with
    | OneOperand _ g => formula_size g < formula_size f
    | TwoOperands _ g h => formula_size g < formula_size f /\ formula_size h < formula_size f
    | NoOperand => True
    end)); intros; simpl; lia.
Qed.

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

Lemma operand_writes wanted f : wanted <= 6 -> writes (own_writer f) (tree_text (own_tree f)) ->
  writes (operand_writer wanted f) (place_text wanted (operand_tree f (own_tree f))).
Proof.
  intros W H rest. unfold operand, operand_tree. destruct (place_in listed f 1) as [k|].
  - rewrite place_text_is. cbn [tree_level a_reference own_level]. destruct (Nat.ltb_spec 7 wanted); [lia|].
    rewrite signed_text, place_text_is. cbn [tree_level a_reference right_level spelling Nat.ltb Nat.leb].
    rewrite word_text. now rewrite app_assoc_text.
  - rewrite place_text_is, <- own_level_is by exact W. unfold at_level. cbn [piece_level piece_text].
    destruct (_ <? _); [apply writes_between; exact H|apply H].
Qed.
Lemma operand_writes_all f : writes (own_writer f) (tree_text (own_tree f)) ->
  writes (operand_writer 0 f) (tree_text (operand_tree f (own_tree f))).
Proof. intros H. apply (operand_writes 0 f); [lia|exact H]. Qed.

Lemma word_writes s : writes (exactly s) (tree_text (Word s)).
Proof. exact (proj2 (shown_word s)). Qed.
Lemma predicate_writes p : writes (predicate_writer names p) (tree_text (predicate_tree p)).
Proof.
  destruct p; try apply word_writes. cbn [predicate_tree predicate_writer].
  rewrite called_text, infixed_text, !place_text_is. cbn [tree_level the_comma left_level right_level spelling Nat.ltb
    Nat.leb]. rewrite !word_text. apply (writes_between ("MOD" ++ "(") ")").
  apply writes_both; [|apply writes_both]; apply writes_exactly.
Qed.
Lemma symbol_writes letter : writes (symbol_writer letter) (tree_text (symbol_tree letter)).
Proof.
  unfold symbol_writer, symbol_tree. destruct (forallb _ _).
  - rewrite word_text. apply writes_both; apply writes_exactly.
  - rewrite letter_text. apply writes_between, writes_exactly.
Qed.

Lemma count_writes s a t : writes a (tree_text t) -> writes (between (side_sign s) "]" a) (tree_text (Boxed
  (side_sign s) t)).
Proof. intros H. rewrite boxed_text. now apply writes_between. Qed.

Lemma summand_writes (negative : bool) a count c : tree_level count = 8 -> writes c (tree_text count) ->
  writes (both (exactly (if negative then "-" else ""))
    (both (if (Z.abs a =? 1)%Z then nothing else both (exactly (integer_text (Z.abs a))) (exactly "*")) c))
    (tree_text (summand negative a count)).
Proof.
  intros L W rest. unfold summand. destruct (Z.abs a =? 1)%Z.
  - destruct negative; [|exact (W rest)]. rewrite signed_text, place_text_is, L. cbn. unfold both, exactly, nothing.
    cbn.
    now rewrite W.
  - rewrite infixed_text, (place_text_is _ count), L. cbn [right_level the_times left_level spelling Nat.ltb Nat.leb].
    unfold both, exactly. rewrite W. destruct negative.
    + rewrite place_text_is. cbn [tree_level a_sign own_level Nat.ltb Nat.leb]. rewrite signed_text, place_text_is.
      cbn [tree_level a_sign right_level spelling Nat.ltb Nat.leb]. rewrite word_text, !app_assoc_text. reflexivity.
    + rewrite place_text_is. cbn [tree_level Nat.ltb Nat.leb]. rewrite word_text, !app_assoc_text. reflexivity.
Qed.
Lemma summand_level negative a count : tree_level count = 8 -> 6 <= tree_level (summand negative a count).
Proof. intros L. unfold summand. destruct (_ =? _)%Z, negative; simpl; lia. Qed.
Lemma sum_level t : forall lead, 5 <= tree_level lead -> 5 <= tree_level (term_tree (Some lead) t).
Proof. destruct t; intros lead L; cbn; [destruct (c =? 0)%Z|]; simpl; lia. Qed.
Lemma term_level t : 5 <= tree_level (term_tree None t).
Proof.
  destruct t; cbn; [destruct (c <? 0)%Z; simpl; lia|]. apply sum_level.
  pose proof (summand_level (a <? 0)%Z a (Boxed (side_sign s) (operand_tree f (own_tree f))) eq_refl). lia.
Qed.

Section Terms.
Variable size : nat.
Hypothesis Smaller : forall f, formula_size f < size -> writes (own_writer f) (tree_text (own_tree f)).

Lemma sum_writes t : term_size t < size -> forall lead, 6 <= tree_level lead -> forall rest,
  tree_text lead ++ term_writer letters names listed false t rest = tree_text (term_tree (Some lead) t) ++ rest.
Proof.
  induction t as [c|a s f t IH]; intros S lead L rest; cbn [term_tree term_writer term_size negb andb] in *.
  - destruct (c =? 0)%Z; [reflexivity|]. rewrite infixed_text, !place_text_high by (simpl; lia).
    rewrite word_text, !app_assoc_text. unfold sign_before, the_sum. now destruct (c <? 0)%Z.
  - set (count := Boxed (side_sign s) (operand_tree f (own_tree f))).
    assert (C : writes (between (side_sign s) "]" (operand_writer 0 f)) (tree_text count)).
    { apply count_writes, operand_writes_all, Smaller. lia. }
    pose proof (summand_level false a count eq_refl) as L'.
    pose proof (sum_level t (summand false a count) ltac:(lia)) as L''.
    rewrite infixed_text, !place_text_high by assumption. rewrite !app_assoc_text, <- IH by lia. f_equal.
    rewrite <- (summand_writes false a count _ eq_refl C). unfold both, sign_before, the_sum. cbn. now destruct (a <?
      0)%Z.
Qed.
Lemma term_writes t : term_size t < size -> writes (term_writer letters names listed true t) (tree_text (term_tree
  None t)).
Proof.
  intros S rest. destruct t as [c|a s f t]; cbn [term_tree term_writer term_size negb andb] in *.
  - unfold both, sign_before, exactly. destruct (c <? 0)%Z; [|now rewrite word_text].
    rewrite signed_text, place_text_is. cbn [right_level a_sign tree_level spelling Nat.ltb Nat.leb].
    now rewrite word_text, app_assoc_text.
  - set (count := Boxed (side_sign s) (operand_tree f (own_tree f))).
    assert (C : writes (between (side_sign s) "]" (operand_writer 0 f)) (tree_text count)).
    { apply count_writes, operand_writes_all, Smaller. lia. }
    rewrite <- sum_writes by (try lia; apply (summand_level _ a count eq_refl)).
    now rewrite <- (summand_writes (a <? 0)%Z a count _ eq_refl C).
Qed.
End Terms.

Lemma own_writes f : writes (own_writer f) (tree_text (own_tree f)).
Proof.
  remember (formula_size f) as k eqn:K. assert (L : formula_size f <= k) by lia. clear K. revert f L.
  induction k as [|k IH]; intros f L; [destruct f; simpl in L; lia|].
  assert (Smaller : forall g, formula_size g < formula_size f -> writes (own_writer g) (tree_text (own_tree g))).
  { intros g H. apply IH. lia. }
  clear IH L. pose proof (own_tree_shape f) as T. pose proof (own_text_shape f) as W. pose proof (no_operand f) as N.
  pose proof (shape_levels f) as V. pose proof (shape_smaller f) as Z. destruct (shape_of f) as [o g|o g h|].
  - intros rest. rewrite T, W, signed_text. apply writes_both; [apply writes_exactly|]. apply operand_writes; auto.
  - intros rest. rewrite T, W, infixed_text. destruct V, Z.
    repeat apply writes_both; try apply writes_exactly; apply operand_writes; auto.
  - clear T W V Z. destruct f; try destruct N; cbn [own_tree].
    + destruct b; apply word_writes.
    + apply symbol_writes.
    + apply predicate_writes.
    + rewrite called_text. apply (writes_both (predicate_writer names p)); [apply predicate_writes|].
      pose proof (operand_writes_all f (Smaller f ltac:(simpl; lia))) as W. rewrite boxed_text. intros rest.
      cbn. unfold between, both, exactly. rewrite W. now rewrite !app_assoc_text.
    + cbn [formula_size] in Smaller. rewrite called_text. apply (writes_both (predicate_writer names p));
        [apply predicate_writes|]. apply writes_between, (term_writes _ Smaller). lia.
    + cbn [formula_size] in Smaller. rewrite infixed_text. cbn [comparison left_level right_level spelling].
      rewrite !place_text_high by apply term_level.
      apply (writes_both (term_writer letters names listed true t)); [apply (term_writes _ Smaller); lia|].
      apply writes_both; [apply writes_exactly|apply (term_writes _ Smaller); lia].
Qed.
End Formulas.
