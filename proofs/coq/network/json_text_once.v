(* What a model file has between quotation marks leaves none of them open; and a text is that of one value of JSON
  only. *)
From Coq Require Import String Ascii DecimalString ZArith List Bool Arith Lia.
From Certify Require Import formula network user_predicates json_text formula_text model_text text_trees
  expression_trees formula_trees.
Import ListNotations WriterNotations.
Open Scope string_scope.
Open Scope nat_scope.
Open Scope writer_scope.

(* ---- what may stand between quotation marks ---- *)
Definition quotable (a : writer) : Prop := forall rest, closed_string rest = true -> closed_string (a rest) = true.

Lemma quotable_exactly s : closed_string s = true -> quotable (write_exactly s).
Proof. intros H rest R. unfold write_exactly. now rewrite closed_app. Qed.
Lemma quotable_nothing : quotable write_nothing. Proof. intros rest R. exact R. Qed.
Lemma quotable_both a b : quotable a -> quotable b -> quotable (write_both a b).
Proof. intros A B rest R. apply A, B, R. Qed.
Lemma quotable_between s t a : closed_string s = true -> closed_string t = true -> quotable a ->
  quotable (write_between s t a).
Proof. intros S T A. apply quotable_both; [now apply quotable_exactly|]. apply quotable_both; [exact A|now apply
  quotable_exactly]. Qed.
Lemma quotable_text a : quotable a -> closed_string (text_of a) = true. Proof. intros A. now apply A. Qed.
Lemma run_closed s : is_run s = true -> closed_string s = true.
Proof.
  intros H. apply String.eqb_eq in H. induction s as [|c s IH]; [reflexivity|]. simpl in *.
  destruct (is_word_character c) eqn:C; [|discriminate]. injection H as H.
  destruct (Ascii.eqb_spec c "\") as [->|]; [discriminate|].
  destruct (Ascii.eqb_spec c "034") as [->|]; [discriminate|]. now apply IH.
Qed.
Lemma escaped_closed s : closed_string s = true -> closed_string (escaped_letter s) = true.
Proof.
  intros H. apply closed_is_closed in H. induction H as [|c s C D H IH|c s H IH]; [reflexivity| |].
  - destruct (ascii_dec c "'") as [->|Q]; [exact IH|]. rewrite escaped_other by assumption. cbn [closed_string].
    rewrite IH. destruct (Ascii.eqb_spec c "\"); [easy|]. now destruct (Ascii.eqb_spec c "034").
  - destruct (ascii_dec c "\") as [->|B]; [exact IH|]. now rewrite escaped_pair.
Qed.
Lemma number_closed s : is_numeral s -> closed_string s = true.
Proof. intros (d & N & ->). apply run_closed. replace (_ d) with (DecimalString.NilEmpty.string_of_uint d) by now
  destruct d. apply digits_are_run. Qed.

Create HintDb quotable.
#[local] Hint Resolve quotable_exactly quotable_nothing number_closed natural_is_number : quotable.

Lemma tree_closed signs infixes t : forallb (fun o => closed_string (spelling o)) (signs ++ infixes) = true ->
  is_tree signs infixes t -> closed_string (tree_text t) = true.
Proof.
  intros S. rewrite forallb_forall in S.
  assert (Row : forall l operand, is_token_row signs infixes operand l -> closed_string (row_text l) = true).
  { induction l as [|k l IH]; intros operand R; [reflexivity|]. destruct R as [K R]. simpl.
    rewrite closed_app; [now apply (IH (stands_alone k))|].
    assert (B : In k (first_tokens signs) -> closed_string (token_text k) = true).
    { intros I. apply in_app_or in I as [I|I]; apply in_map_iff in I as (x & <- & I); [apply S, in_or_app; now left|].
      destruct I as [<-|[<-|[<-|[]]]]; reflexivity. }
    destruct operand.
    - apply in_app_or in K as [K|[<-|[<-|[<-|[]]]]]; try reflexivity. apply in_map_iff in K as (x & <- & K).
      apply S, in_or_app. now right.
    - destruct k; try (now apply B); simpl in *.
      + unfold is_word in K. rewrite !andb_true_iff in K. now apply run_closed.
      + rewrite closed_app; [reflexivity|now apply escaped_closed]. }
  intros T. apply (Row (tree_tokens t) false). rewrite <- (app_nil_r (tree_tokens t)). now apply row_of_tree.
Qed.

Lemma expression_closed x : closed_string (expression_text x) = true.
Proof. rewrite expression_text_is. now apply (tree_closed expression_signs expression_infixes), expression_tree_is. Qed.
Lemma rational_closed q : closed_string (rational_text q) = true. Proof. exact (expression_closed (Num q)). Qed.

Section FormulasClosed.
Variables (letters names : list string) (listed : list formula).
Hypothesis Letters : forall s, In s letters -> closed_string s = true.
Hypothesis Names : forall s, In s names -> closed_string s = true.

Lemma nth_closed (l : list string) k d : closed_string d = true -> (forall s, In s l -> closed_string s = true) ->
  closed_string (nth k l d) = true.
Proof. intros D L. destruct (nth_in_or_default k l d) as [I| ->]; auto. Qed.
Lemma quotable_operand wanted f a : quotable a -> quotable (write_operand listed wanted f a).
Proof.
  intros A rest R. unfold write_operand. destruct (place_in listed f 1).
  - apply (quotable_both (write_exactly "$")); auto with quotable.
  - unfold at_level. destruct (_ <? _); [apply (quotable_between "(" ")")|apply A]; auto.
Qed.
Lemma quotable_predicate p : quotable (predicate_writer names p).
Proof.
  destruct p; try (now apply quotable_exactly).
  - apply (quotable_between ("MOD" ++ "(") ")"); try reflexivity.
    apply quotable_both; [|apply quotable_both]; auto with quotable.
  - apply quotable_exactly, nth_closed; auto.
Qed.
Lemma quotable_symbol a : quotable (symbol_writer (nth a letters "")).
Proof.
  assert (C : closed_string (nth a letters "") = true) by (apply nth_closed; auto). unfold symbol_writer.
  destruct (forallb _ _); [apply quotable_both; auto with quotable|].
  apply quotable_between; auto. now apply quotable_exactly, escaped_closed.
Qed.

Lemma term_quotable v : (forall f, formula_size f <= term_size v -> forall wanted, quotable (write_operand listed wanted
  f (own_text letters names listed f))) -> forall first, quotable (term_writer letters names listed first v).
Proof.
  assert (A : forall z, closed_string (integer_text (Z.abs z)) = true).
  { intros z. apply number_closed, integer_is_number. lia. }
  assert (B : forall first z, quotable (sign_before first z)).
  { intros first z. apply quotable_exactly. now destruct first, (z <? 0)%Z. }
  induction v as [c|a s f v IH]; intros Smaller first rest R; cbn [term_writer term_size] in *.
  - destruct (negb first && (c =? 0)%Z); [exact R|]. apply (quotable_both (sign_before first c)); auto with quotable.
  - apply (quotable_both (sign_before first a)); auto. apply quotable_both.
    + destruct (Z.abs a =? 1)%Z; [apply quotable_nothing|apply quotable_both; auto with quotable].
    + apply quotable_both; [|intros x X; apply IH; [intros g G; apply Smaller; lia|exact X]].
      apply quotable_between; [now destruct s|reflexivity|]. apply Smaller. lia.
Qed.

Lemma own_quotable f : quotable (own_text letters names listed f).
Proof.
  remember (formula_size f) as k eqn:K. assert (L : formula_size f <= k) by lia. clear K. revert f L.
  induction k as [|k IH]; intros f L; [destruct f; simpl in L; lia|].
  assert (Smaller : forall g wanted, formula_size g < formula_size f ->
    quotable (write_operand listed wanted g (own_text letters names listed g))).
  { intros g wanted H. apply quotable_operand, IH. lia. }
  clear IH L. pose proof (own_text_shape letters names listed f) as T. pose proof (no_operand listed f) as O.
  pose proof (shape_smaller listed f) as Z. pose proof (shape_is listed 0 0 f) as V.
  assert (C : forall o, In o (formula_signs ++ formula_infixes) -> closed_string (spelling o) = true).
  { apply forallb_forall. vm_compute. reflexivity. }
  destruct (shape_of listed f) as [o g|o g h|].
  - intros rest R. rewrite T. destruct V as [V _].
    apply quotable_both; [apply quotable_exactly, C, in_or_app; now left|auto|exact R].
  - intros rest R. rewrite T. destruct V as [V _], Z.
    apply quotable_both; [auto|apply quotable_both; [apply quotable_exactly, C, in_or_app; now right|auto]|exact R].
  - clear T V Z. destruct f; try destruct O.
    + destruct b; now apply quotable_exactly.
    + apply quotable_symbol.
    + apply quotable_predicate.
    + apply (quotable_both (predicate_writer names p)); [apply quotable_predicate|].
      apply quotable_between; [now destruct s|reflexivity|]. apply Smaller. simpl. lia.
    + apply (quotable_both (predicate_writer names p)); [apply quotable_predicate|].
      apply quotable_between; [reflexivity..|]. apply term_quotable. intros g G wanted. apply Smaller. simpl. lia.
    + assert (Terms : forall v, term_size v < formula_size (Compare r t u) ->
      quotable (term_writer letters names listed true v)).
      { intros v S. apply term_quotable. intros g G wanted. apply Smaller. lia. }
      apply (quotable_both (term_writer letters names listed true t)); [apply Terms; simpl; lia|].
      apply quotable_both; [destruct r; now apply quotable_exactly|apply Terms; simpl; lia].
Qed.
End FormulasClosed.

(* ---- JSON: a text is that of one value ---- *)
Section Nested.
Variable P : json -> Prop.
Hypothesis OfVerbatim : forall s, P (Verbatim s).
Hypothesis OfQuoted : forall s, P (Quoted s).
Hypothesis OfItems : forall l, Forall P l -> P (Items l).
Hypothesis OfFields : forall l, Forall (fun e => P (snd e)) l -> P (Fields l).
Local Fixpoint nested (j : json) : P j :=
  match j with
  | Verbatim s => OfVerbatim s
  | Quoted s => OfQuoted s
  | Items l => OfItems l ((fix all l : Forall P l :=
      match l with [] => Forall_nil _ | a :: l => Forall_cons a (nested a) (all l) end) l)
  | Fields l => OfFields l ((fix all l : Forall (fun e : string * json => P (snd e)) l :=
      match l with [] => Forall_nil _ | e :: l => Forall_cons e (nested (snd e)) (all l) end) l)
  end.
End Nested.

(* What stands without quotation marks: digits, a minus, true, false, null. Something else comes after it. *)
Definition verbatim_character (c : ascii) : bool := is_word_character c || Ascii.eqb c "-".
Definition is_verbatim (s : string) : bool := negb (String.eqb s "") && forallb verbatim_character
  (list_ascii_of_string s).
Definition stops (r : string) : bool := match r with "" => true | String c _ => negb (verbatim_character c) end.

Inductive is_json : json -> Prop :=
| is_plain s : is_verbatim s = true -> is_json (Verbatim s)
| is_quoted s : closed_string s = true -> is_json (Quoted s)
| is_items l : Forall is_json l -> is_json (Items l)
| is_fields l : Forall (fun e => closed_string (fst e) = true /\ is_json (snd e)) l -> is_json (Fields l).

Lemma verbatim_until s t r r' : forallb verbatim_character (list_ascii_of_string s) = true ->
  forallb verbatim_character (list_ascii_of_string t) = true -> stops r = true -> stops r' = true -> s ++ r = t ++ r' ->
  s = t /\ r = r'.
Proof.
  revert t. induction s as [|c s IH]; intros [|d t] S T R R' E; cbn in *; subst; auto.
  - apply andb_prop in T as [T _]. cbn in R. now rewrite T in R.
  - apply andb_prop in S as [S _]. cbn in R'. now rewrite S in R'.
  - injection E as -> E. apply andb_prop in S as [_ S], T as [_ T]. now destruct (IH t S T R R' E) as [-> ->].
Qed.

Definition reads_once {X} (ok : X -> Prop) (write : X -> writer) (x : X) : Prop :=
  ok x -> forall y r r', ok y -> stops r = true -> stops r' = true -> write x r = write y r' -> x = y /\ r = r'.

Lemma joined_once {X} (ok : X -> Prop) (write : X -> writer) s l l' r r' c d : c <> d -> verbatim_character c =
  false -> verbatim_character d = false -> Forall (reads_once ok write) l -> Forall ok l -> Forall ok l' ->
  fold_right (fun b rest => write_both (write_exactly (String c s))
  (write_both b rest)) write_nothing (map write l) (String d r) = fold_right (fun b rest => write_both (write_exactly
  (String c s)) (write_both b rest)) write_nothing (map write l') (String d r') -> l = l' /\ r = r'.
Proof.
  intros N C D H O. assert (S : forall l r, stops (fold_right (fun b rest => write_both (write_exactly (String c s))
    (write_both b rest)) write_nothing l (String d r)) = true) by (intros [|b k] q; cbn; now rewrite ?C, ?D).
  revert l'. induction H as [|x l Hx H IH]; intros [|y l'] O' E; cbn in E.
  - injection E as E. now split.
  - injection E as E _. congruence.
  - injection E as E _. congruence.
  - injection E as E. apply app_same in E. inversion O as [|? ? Ox Ol]; inversion O' as [|? ? Oy Ol']; subst.
    apply Hx in E as [-> E]; auto. apply IH in E as [-> ->]; auto.
Qed.

Lemma enclosed_once {X} (ok : X -> Prop) (write : X -> writer) a b m l l' r r' : b <> "010"%char ->
  Forall (reads_once
  ok write) l -> Forall ok l -> Forall ok l' -> write_enclosed (String a "") (String b "") (String "010" m) (map write
  l) r = write_enclosed (String a "") (String b "") (String "010" m) (map write l') r' -> l = l' /\ r = r'.
Proof.
  intros B H O O' E. destruct l as [|x l], l' as [|y l']; cbn in E.
  - injection E as E. now subst.
  - injection E as E _. congruence.
  - injection E as E _. congruence.
  - injection E as E. apply app_same in E.
    inversion H as [|? ? Hx Hl]; inversion O as [|? ? Ox Ol]; inversion O' as [|? ? Oy Ol']; subst.
    apply Hx in E as [-> E]; [|auto|auto|now destruct (map write l)|now destruct (map write l')].
    apply (joined_once ok write) in E as [-> E]; auto; [|discriminate].
    rewrite !app_assoc_text in E. apply app_same in E. injection E as ->. now split.
Qed.

Definition field_writer (margin : string) (e : string * json) : writer := write_between quotation_mark quotation_mark
  (write_exactly (fst e)) ^^ write_exactly ": " ^^ write_json (margin ++ " ") (snd e).

Lemma written_items margin l : write_json margin (Items l) = write_enclosed "[" "]" margin (map (write_json (margin ++
  " ")) l).
Proof. reflexivity. Qed.
Lemma written_fields margin l : write_json margin (Fields l) = write_enclosed "{" "}" margin (map (field_writer margin)
  l).
Proof. cbn. f_equal. apply map_ext. now intros []. Qed.
(* The first character determines the kind of value. *)
Definition is_first_of (j : json) (c : ascii) : Prop :=
  match j with
  | Verbatim _ => verbatim_character c = true | Quoted _ => c = "034"%char | Items _ => c = "["%char
  | Fields _ => c = "{"%char
  end.
Lemma written_first margin j r : is_json j -> exists c s, write_json margin j r = String c s /\ is_first_of j c.
Proof.
  intros [[|c s] P|s _|l _|l _]; try (cbn; eauto; fail).
  - discriminate P.
  - apply andb_prop in P as [_ P]. apply andb_prop in P as [P _]. cbn. eauto.
  - rewrite written_items. destruct l; cbn; eauto.
  - rewrite written_fields. destruct l; cbn; eauto.
Qed.

Lemma written_once j : forall m, reads_once is_json (write_json (String "010" m)) j.
Proof.
  induction j as [s|s|l IH|l IH] using nested; intros m J k r r' K R R' X;
    destruct (written_first (String "010" m) _ r J) as (c & x & A & C),
      (written_first (String "010" m) _ r' K) as (d & y & B & D);
    pose proof X as E; rewrite A, B in E; injection E as <- _; clear x y A B; destruct K as [t|t|k|k]; cbn in C, D;
    subst; try discriminate.
  - inversion J as [u P| | |]. subst u. cbn in X. unfold write_exactly in X.
    match goal with Q : is_verbatim t = true |- _ => apply andb_prop in P as [_ P], Q as [_ Q];
      now destruct (verbatim_until s t r r' P Q R R' X) as [-> ->] end.
  - inversion J. subst. cbn in X. injection X as X. apply closed_until_quote in X as [-> ->]; auto.
  - inversion J as [| |l1 F|]. subst. rewrite !written_items in X.
    apply (enclosed_once is_json) in X as [-> ->]; auto; [discriminate|].
    apply Forall_forall. intros a Ha. rewrite Forall_forall in IH. apply (IH a Ha).
  - inversion J as [| | |l1 F]. subst. rewrite !written_fields in X.
    apply (enclosed_once (fun e => closed_string (fst e) = true /\ is_json (snd e))) in X as [-> ->]; auto;
      [discriminate|]. apply Forall_forall. intros [key a] Ha. rewrite Forall_forall in IH.
    intros [C1 A] [key' a'] q q' [C2 A'] Q Q' E.
    unfold field_writer, write_between, write_both, write_exactly, quotation_mark in E. cbn in E. injection E as E.
    apply closed_until_quote in E as [-> E]; auto. injection E as E. apply (IH _ Ha (m ++ " ") A) in E as [E ->]; auto.
    cbn in E. subst. now split.
Qed.

Theorem json_text_once j k : is_json j -> is_json k -> json_text j = json_text k -> j = k.
Proof. intros J K E. now apply (written_once j "" J) in E. Qed.
