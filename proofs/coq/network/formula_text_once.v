(* A text is that of one formula only, if all letters and predicates that it mentions have names, and if the formulas of
   the file's list have the same texts; and the text of any formula may stand between quotation marks. *)
From Coq Require Import String Ascii ZArith List Bool Arith Lia.
From Certify Require Import formula network user_predicates json_text formula_text model_text text_trees
  expression_trees formula_trees.
Import ListNotations.
Open Scope string_scope.
Open Scope nat_scope.


(* ---- words of formulas ---- *)
Lemma all_run s : forallb is_word_character (list_ascii_of_string s) = true -> is_run s = true.
Proof.
  intros H. apply String.eqb_eq. induction s as [|c s IH]; [reflexivity|]. simpl in *. apply andb_prop in H as [C H].
  rewrite C. now rewrite IH.
Qed.
Lemma formula_number s : is_numeral s -> is_word formula_signs s = true. Proof. intros H. now apply number_is_word. Qed.
Lemma is_predicate_name_spec s : is_predicate_name s = true ->
  is_run s = true /\ s <> "" /\ String.prefix "Q_" s = false /\ forall k, In k reserved_words -> s <> k.
Proof.
  unfold is_predicate_name. rewrite !andb_true_iff, !negb_true_iff. intros [[[A B] C] D].
  repeat split; [now apply all_run|now destruct s|exact D|]. intros k K ->. apply Bool.diff_true_false. rewrite <- C.
  symmetry. apply existsb_exists. exists k. split; [exact K|apply String.eqb_refl].
Qed.
Lemma name_is_word s : is_predicate_name s = true -> is_word formula_signs s = true.
Proof.
  intros H. apply is_predicate_name_spec in H as (R & E & _ & T). unfold is_word. rewrite R.
  destruct (String.eqb_spec s ""); [easy|]. apply negb_true_iff.
  match goal with |- ?b = false => destruct b eqn:X end; [|reflexivity]. apply existsb_exists in X as (k & K & X).
  apply String.eqb_eq in X. subst k. exfalso.
  assert (A : forallb (fun k => existsb (String.eqb k) ("" :: reserved_words)) (map leading_run (before_texts
    formula_signs)) = true) by (vm_compute; reflexivity). rewrite forallb_forall in A.
  apply A, existsb_exists in K as (k & [<-|K] & X); apply String.eqb_eq in X; [easy|]. now apply (T k).
Qed.
Lemma letter_is_word s : forallb is_word_character (list_ascii_of_string s) = true ->
  is_word formula_signs ("Q_" ++ s) = true.
Proof.
  intros H. unfold is_word. rewrite all_run by exact H. apply negb_true_iff.
  match goal with |- ?b = false => destruct b eqn:X end; [|reflexivity]. apply existsb_exists in X as (k & K & X).
  apply String.eqb_eq in X. subst k. exfalso.
  assert (A : forallb (fun k => negb (String.prefix "Q_" k)) (map leading_run (before_texts formula_signs)) = true)
    by (vm_compute; reflexivity). rewrite forallb_forall in A. apply A in K. simpl in K. destruct s; discriminate.
Qed.

Lemma place_in_nth l f : forall p k, place_in l f p = Some k -> p <= k /\ nth_error l (k - p) = Some f.
Proof.
  induction l as [|g l IH]; intros p k H; simpl in H; [discriminate|]. destruct (formula_eqb f g) eqn:E.
  - injection H as <-. rewrite Nat.sub_diag. apply formula_eqb_eq in E. now subst.
  - apply IH in H as [L H]. split; [lia|]. replace (k - p) with (S (k - S p)) by lia. exact H.
Qed.

Section Named.
Variables letters names : list string.
Hypothesis Letters : forallb closed_string letters = true.
Hypothesis LettersOnce : are_distinct letters = true.
Hypothesis Names : forallb is_predicate_name names = true.
Hypothesis NamesOnce : are_distinct names = true.
Notation named f := (is_named (length letters) (length names) f = true).
Notation term_named t := (term_is_named (length letters) (length names) t = true).
Notation predicate_named p := (predicate_is_named (length names) p = true).

Lemma name_is k : k < length names -> is_predicate_name (nth k names "?") = true.
Proof. intros H. rewrite forallb_forall in Names. apply Names, nth_In, H. Qed.
Lemma predicate_tree_is p : predicate_named p -> is_formula_tree (predicate_tree names p).
Proof.
  destruct p; intros H; try reflexivity.
  - repeat split; try (simpl; tauto); apply formula_number, natural_is_number.
  - apply name_is_word, name_is. now apply Nat.ltb_lt.
Qed.
Lemma symbol_tree_is s : closed_string s = true -> is_formula_tree (symbol_tree s).
Proof. intros H. unfold symbol_tree. destruct (forallb is_word_character _) eqn:E; [now apply letter_is_word|exact
  H]. Qed.
Lemma letter_closed a : closed_string (nth a letters "") = true.
Proof.
  destruct (Nat.lt_ge_cases a (length letters)) as [L|L]; [|now rewrite nth_overflow].
  rewrite forallb_forall in Letters. now apply Letters, nth_In.
Qed.

Lemma summand_is (negative : bool) a count : is_formula_tree count -> is_formula_tree (count_summand negative a count).
Proof.
  intros H. unfold count_summand. assert (M : In (a_sign 7 "-") formula_signs) by now left.
  assert (W : is_word formula_signs (integer_text (Z.abs a)) = true) by (apply formula_number, integer_is_number; lia).
  destruct (_ =? _)%Z, negative; [now split|exact H| |]; (split; [simpl; tauto|]); now repeat split.
Qed.
Lemma sum_operator a : In (the_sum a) formula_infixes.
Proof. unfold the_sum. destruct (a <? 0)%Z; repeat (try (left; reflexivity); right). Qed.

Section OneList.
Variable listed : list formula.
Notation tree_of f := (own_tree letters names listed f).
Notation placed f := (operand_tree listed f (tree_of f)).
Notation term_tree_of lead t := (term_tree letters names listed lead t).

Lemma placed_is f : is_formula_tree (tree_of f) -> is_formula_tree (placed f).
Proof.
  intros H. unfold operand_tree. destruct (place_in _ _ _) as [k|]; [|exact H]. split; [simpl; tauto|].
  apply formula_number, natural_is_number.
Qed.
Lemma boxed_is s t : is_formula_tree t -> is_formula_tree (Boxed (side_sign s) t).
Proof. intros H. destruct s; (split; [simpl; tauto|]; split; [discriminate|exact H]). Qed.

Lemma term_tree_is size t : (forall f, formula_size f < size -> named f -> is_formula_tree (tree_of f)) ->
  term_size t < size -> term_named t -> forall lead,
  match lead with Some u => is_formula_tree u | None => True end -> is_formula_tree (term_tree_of lead t).
Proof.
  intros Smaller. assert (W : forall c, is_word formula_signs (integer_text (Z.abs c)) = true).
  { intros c. apply formula_number, integer_is_number. lia. }
  induction t as [c|a s f t IH]; intros S N lead L.
  - destruct lead as [u|]; cbn; [destruct (c =? 0)%Z; [exact L|]|destruct (c <? 0)%Z; [split; [now left|]|]; apply W].
    split; [apply sum_operator|]. split; [exact L|apply W].
  - simpl in N, S. apply andb_prop in N as [Nf N].
    assert (C : is_formula_tree (Boxed (side_sign s) (placed f))) by (apply boxed_is, placed_is, Smaller;
      [lia|exact Nf]). assert (R : forall u, is_formula_tree u -> is_formula_tree (term_tree_of (Some u) t)).
    { intros u U. apply IH; [lia|exact N|exact U]. }
    destruct lead as [u|]; [split; [apply sum_operator|split; [exact L|]]|]; apply R, summand_is, C.
Qed.

Lemma own_tree_is f : named f -> is_formula_tree (tree_of f).
Proof.
  remember (formula_size f) as k eqn:K. assert (L : formula_size f <= k) by lia. clear K. revert f L.
  induction k as [|k IH]; intros f L N; [destruct f; simpl in L; lia|].
  assert (Smaller : forall g, formula_size g < formula_size f -> named g -> is_formula_tree (tree_of g)).
  { intros g H. apply IH. lia. }
  clear IH L. pose proof (own_tree_shape letters names listed f) as T. pose proof (no_operand listed f) as O.
  pose proof (shape_is listed (length letters) (length names) f) as V. pose proof (shape_smaller listed f) as Z.
  destruct (shape_of listed f) as [o g|o g h|].
  - rewrite T. destruct V as (M & _ & V). split; [exact M|]. apply placed_is; auto.
  - rewrite T. destruct V as (M & _ & V), (V N) as [G H]. split; [exact M|]. split; apply placed_is; apply Smaller;
    tauto.
  - clear T V Z. destruct f; try destruct O; simpl in N.
    + now destruct b.
    + apply symbol_tree_is, letter_closed.
    + now apply predicate_tree_is.
    + apply andb_prop in N as [P N]. split; [now destruct p|]. split; [now apply predicate_tree_is|].
      apply boxed_is, placed_is, Smaller; [simpl; lia|exact N].
    + apply andb_prop in N as [P N]. apply andb_prop in P as [P _]. split; [now destruct p|].
      split; [now apply predicate_tree_is|]. simpl in Smaller. apply (term_tree_is _ _ Smaller); auto.
    + apply andb_prop in N as [A B]. simpl in Smaller. split; [destruct r; repeat (try (left; reflexivity); right)|].
      split; apply (term_tree_is _ _ Smaller); auto; lia.
Qed.
End OneList.

(* ---- a tree is that of one formula ---- *)
Lemma distinct_once (l : list string) d : are_distinct l = true -> forall i j, i < length l -> j < length l ->
  nth i l d = nth j l d -> i = j.
Proof.
  intros D. induction l as [|s l IH]; intros i j I J E; [simpl in I; lia|]. simpl in D. apply andb_prop in D as [N D].
  apply negb_true_iff in N. assert (A : forall k, k < length l -> s <> nth k l d).
  { intros k K X. apply Bool.diff_true_false. rewrite <- N. symmetry. apply existsb_exists. exists (nth k l d).
    split; [now apply nth_In|now apply String.eqb_eq]. }
  simpl in I, J. destruct i as [|i], j as [|j]; simpl in E; auto.
  - now destruct (A j ltac:(lia)).
  - symmetry in E. now destruct (A i ltac:(lia)).
  - f_equal. apply IH; auto; lia.
Qed.

Lemma name_not_taken k s : k < length names -> In s reserved_words -> nth k names "?" <> s.
Proof. intros L T. now apply (is_predicate_name_spec _ (name_is k L)). Qed.

Local Definition numberless : list predicate := [ODD; EVEN; FIRST; LAST; SQUARE; POW2; PRIME].
(* The predicate whose name the tree is, if it is one of those. *)
Definition known_predicate (t : tree) : option predicate := find (fun p =>
  match t, predicate_tree [] p with Word s, Word name => String.eqb s name | _, _ => false end) numberless.
Lemma known_predicate_is p : predicate_named p ->
  known_predicate (predicate_tree names p) = match p with MOD _ _ | User _ => None | _ => Some p end.
Proof.
  destruct p as [| | | | | | |m r|k]; try reflexivity. intros P. apply Nat.ltb_lt in P.
  destruct (known_predicate _) as [p|] eqn:F; [|reflexivity]. apply find_some in F as [I F].
  assert (T : forallb (fun p => match predicate_tree [] p with Word s => existsb (String.eqb s) reserved_words |
    _ => true end) numberless = true) by reflexivity. rewrite forallb_forall in T. apply T in I.
  cbn [predicate_tree] in F. destruct (predicate_tree [] p); try discriminate F.
  apply existsb_exists in I as (name & I & N). apply String.eqb_eq in F, N. destruct (name_not_taken k name P I).
  congruence.
Qed.
Lemma predicate_tree_once p q : predicate_named p -> predicate_named q ->
  predicate_tree names p = predicate_tree names q -> p = q.
Proof.
  intros P R E. pose proof (known_predicate_is p P) as K. rewrite E, (known_predicate_is q R) in K.
  destruct p as [| | | | | | |m r|k], q as [| | | | | | |m' r'|k']; try discriminate K; try reflexivity; clear K.
  - injection E as E1 E2. f_equal; now apply natural_text_once.
  - discriminate E.
  - discriminate E.
  - f_equal. apply Nat.ltb_lt in P, R. injection E as E. now apply (distinct_once names "?").
Qed.

Lemma symbol_tree_once a b : a < length letters -> b < length letters ->
  symbol_tree (nth a letters "") = symbol_tree (nth b letters "") -> a = b.
Proof.
  intros A B E. apply (distinct_once letters ""); auto. unfold symbol_tree in E.
  destruct (forallb is_word_character _), (forallb is_word_character _); try discriminate E; now injection E.
Qed.

Lemma symbol_no_predicate a p : predicate_named p -> symbol_tree a <> predicate_tree names p.
Proof.
  intros P E. unfold symbol_tree in E. destruct (forallb is_word_character _); destruct p; try discriminate E.
  injection E as E. apply Nat.ltb_lt, name_is, is_predicate_name_spec in P as (_ & _ & P & _). rewrite <- E in P.
  now destruct a.
Qed.
Lemma truth_no_symbol (b : bool) a : Word (if b then "true" else "false") <> symbol_tree a.
Proof. unfold symbol_tree. destruct b, (forallb is_word_character _); discriminate. Qed.
Lemma truth_no_predicate (b : bool) p : predicate_named p -> Word (if b then "true" else "false") <> predicate_tree
  names p.
Proof.
  intros P E. destruct p; try (now destruct b). injection E as E. apply Nat.ltb_lt in P. symmetry in E. revert E.
  apply name_not_taken; [exact P|]. destruct b; simpl; tauto.
Qed.

Lemma summand_once n n' a a' s s' t t' : count_summand n a (Boxed s t) = count_summand n' a' (Boxed s' t') ->
  n = n' /\ Z.abs a = Z.abs a' /\ s = s' /\ t = t'.
Proof.
  unfold count_summand. intros E.
  destruct (Z.eqb_spec (Z.abs a) 1) as [A|A], (Z.eqb_spec (Z.abs a') 1) as [A'|A'], n, n'; try discriminate E;
    injection E; intros; subst; repeat split; try congruence; apply integer_text_once; auto; lia.
Qed.

Section TwoLists.
Variables listed listed' : list formula.
Notation tree_of f := (own_tree letters names listed f).
Notation tree_of' f := (own_tree letters names listed' f).
Notation placed f := (operand_tree listed f (tree_of f)).
Notation placed' f := (operand_tree listed' f (tree_of' f)).
Notation term_tree_of lead t := (term_tree letters names listed lead t).
Notation term_tree_of' lead t := (term_tree letters names listed' lead t).
Hypothesis References : forall k f g, nth_error listed k = Some f -> nth_error listed' k = Some g -> tree_of f =
  tree_of' g.

Lemma sum_shape l lead t : let u := term_tree letters names l (Some lead) t in
  u = lead \/ exists a x, u = Infixed (the_sum a) lead x.
Proof. intros u. unfold u. destruct t; [rewrite sum_of_number; destruct (c =? 0)%Z|rewrite sum_of_plus]; eauto. Qed.

Lemma no_operand_tree l f : shape_of l f = NoOperand ->
  match own_tree letters names l f with Signed _ _ => False | Infixed o _ _ => own_level o = 4 | _ => True end.
Proof.
  intros S. pose proof (no_operand l f) as O. rewrite S in O. destruct f; try destruct O; try exact I.
  - cbn. unfold symbol_tree. now destruct (forallb is_word_character _).
  - now destruct p.
  - reflexivity.
Qed.
Lemma no_reference l f t : own_tree letters names l f <> Signed a_reference t.
Proof.
  intros E. pose proof (own_tree_shape letters names l f) as T. pose proof (no_operand_tree l f) as O.
  pose proof (shape_is l 0 0 f) as V. rewrite E in *. destruct (shape_of l f) as [o g|o g h|]; try discriminate T.
  - injection T as <- _. now destruct V as (_ & V & _).
  - now apply O.
Qed.

Section Smaller.
Variable size : nat.
Hypothesis Once : forall f f', formula_size f < size -> named f -> named f' -> tree_of f = tree_of' f' -> f = f'.

Lemma placed_once f f' : formula_size f < size -> named f -> named f' -> placed f = placed' f' -> f = f'.
Proof.
  intros S N N' E. apply Once; auto. unfold operand_tree in E.
  destruct (place_in listed f 1) as [k|] eqn:P, (place_in listed' f' 1) as [k'|] eqn:P'.
  - injection E as E. apply natural_text_once in E. subst k'. apply place_in_nth in P as [_ P], P' as [_ P'].
    exact (References _ _ _ P P').
  - now destruct (no_reference listed' f' (Word (natural_text k))).
  - now destruct (no_reference listed f (Word (natural_text k'))).
  - exact E.
Qed.
Lemma sum_once t : term_size t < size -> term_named t -> forall t' u u', term_named t' ->
  6 <= tree_level u -> 6 <= tree_level u' -> term_tree_of (Some u) t = term_tree_of' (Some u') t' -> u = u' /\ t = t'.
Proof.
  assert (Signs : forall a c, the_sum a = the_sum c -> Z.abs a = Z.abs c -> a = c).
  { intros a c H A. unfold the_sum in H. destruct (Z.ltb_spec a 0), (Z.ltb_spec c 0); try discriminate H; lia. }
  assert (NoWord : forall l v s t, 6 <= tree_level v -> (forall x, v <> Word x) ->
    term_tree letters names l (Some v) t <> Word s).
  { intros l v s r _ V E. destruct (sum_shape l v r) as [X|(a & x & X)]; rewrite E in X; [now apply (V
    s)|discriminate]. }
  assert (NoSummand : forall a c x, count_summand false a (Boxed c x) <> Word "" /\ forall s,
    count_summand false a (Boxed c x) <> Word s).
  { intros a c x. unfold count_summand. now destruct (_ =? _)%Z. }
  induction t as [c|a s f t IH]; intros S N [c'|a' s' f' t'] u u' N' L L' E; rewrite ?sum_of_number, ?sum_of_plus in E.
  - destruct (Z.eqb_spec c 0) as [->|C], (Z.eqb_spec c' 0) as [->|C'].
    + now subst.
    + subst u. simpl in L. lia.
    + subst u'. simpl in L'. lia.
    + injection E as E1 E2 E3. split; [exact E2|]. f_equal. apply Signs; [unfold the_sum, from_right; congruence|].
      apply integer_text_once; auto; lia.
  - destruct (Z.eqb_spec c 0) as [->|C]; [subst u; simpl in L; lia|]. injection E as _ _ E. exfalso.
    symmetry in E. revert E. apply NoWord; [now apply summand_level|apply NoSummand].
  - destruct (Z.eqb_spec c' 0) as [->|C]; [subst u'; simpl in L'; lia|]. injection E as _ _ E. exfalso.
    revert E. apply NoWord; [now apply summand_level|apply NoSummand].
  - simpl in N, N', S. apply andb_prop in N as [Nf N], N' as [Nf' N']. injection E as E1 E2 E.
    apply IH in E as [E T]; auto; try lia; try (now apply summand_level).
    apply summand_once in E as (_ & A & B & E). apply placed_once in E; auto; [|lia].
    assert (a = a') by (apply Signs; [unfold the_sum, from_right; congruence|exact A]). split; [exact E2|].
    subst. f_equal. now destruct s, s'.
Qed.

Lemma term_once t t' : term_size t < size -> term_named t -> term_named t' ->
  term_tree_of None t = term_tree_of' None t' -> t = t'.
Proof.
  intros S N N' E.
  assert (Mixed : forall l c a s x t, (if (c <? 0)%Z then Signed (a_sign 7 "-") (Word (integer_text (Z.abs c)))
    else Word (integer_text (Z.abs c))) <> term_tree letters names l (Some (count_summand (a <? 0)%Z a (Boxed s x))) t).
  { intros l c a s x r X0. destruct (sum_shape l (count_summand (a <? 0)%Z a (Boxed s x)) r) as [X|(b & y & X)];
      rewrite X in X0; unfold count_summand in X0; destruct (c <? 0)%Z, (Z.abs a =? 1)%Z, (a <? 0)%Z; discriminate. }
  destruct t as [c|a s f t], t' as [c'|a' s' f' t']; rewrite ?first_plus in E; cbn [term_tree] in E.
  - f_equal. assert (A : Z.abs c = Z.abs c' /\ (c <? 0)%Z = (c' <? 0)%Z).
    { destruct (c <? 0)%Z, (c' <? 0)%Z; try discriminate E; injection E as E; (split; [|reflexivity]);
        apply integer_text_once; auto; lia. }
    destruct A as [A B]. destruct (Z.ltb_spec c 0), (Z.ltb_spec c' 0); try discriminate B; lia.
  - now apply Mixed in E.
  - symmetry in E. now apply Mixed in E.
  - simpl in N, N', S. apply andb_prop in N as [Nf N], N' as [Nf' N'].
    apply sum_once in E as [E T]; auto; try lia; try (now apply summand_level).
    apply summand_once in E as (M & A & B & E). apply placed_once in E; auto; [|lia].
    assert (a = a') by (destruct (Z.ltb_spec a 0), (Z.ltb_spec a' 0); try discriminate M; lia).
    subst. f_equal. now destruct s, s'.
Qed.
End Smaller.

Lemma leaves_once f f' : shape_of listed f = NoOperand -> shape_of listed' f' = NoOperand ->
  (forall g g', formula_size g < formula_size f -> named g -> named g' -> tree_of g = tree_of' g' -> g = g') ->
  named f -> named f' -> tree_of f = tree_of' f' -> f = f'.
Proof.
  intros O O' Once N N' E. pose proof (no_operand listed f) as L. pose proof (no_operand listed' f') as L'.
  rewrite O in L. rewrite O' in L'. clear O O'.
  assert (S : forall a t, symbol_tree a = t -> match t with Word _ | Letter _ => True | _ => False end).
  { intros a t <-. unfold symbol_tree. now destruct (forallb is_word_character _). }
  assert (P : forall p t, predicate_tree names p = t -> match t with Word _ | Called _ (Infixed _ _ _) => True | _ =>
    False end).
  { intros p t <-. now destruct p. }
  assert (B : forall l t, is_sum t = true -> forall c x, term_tree letters names l None t <> Boxed c x).
  { intros l t I c x X. destruct t as [z|a s g [z|a' s' g' t]].
    - cbn [term_tree] in X. now destruct (z <? 0)%Z.
    - apply andb_prop in I as [I K]. change ((z =? 0)%Z = true) in K. apply negb_true_iff, Z.eqb_neq in I.
      rewrite first_plus, sum_of_number, K in X. unfold count_summand in X.
      destruct (Z.eqb_spec (Z.abs a) 1) as [A|A], (Z.ltb_spec a 0); try discriminate X. lia.
    - rewrite first_plus, sum_of_plus in X. discriminate X. }
  assert (C : forall p p' t, predicate_named p' -> predicate_tree names p <> Called (predicate_tree names p') t).
  { intros p p' t H X. destruct p; try discriminate X. injection X as X _. symmetry in X.
    destruct p'; try discriminate X. injection X as X. apply Nat.ltb_lt in H. revert X.
    apply name_not_taken; [exact H|]. simpl. tauto. }
  destruct f as [b|a| | | | | | | | | |p|p s f|p t|r t u]; try destruct L; simpl in N;
    destruct f' as [b'|a'| | | | | | | | | |p'|p' s' f'|p' t'|r' t' u']; try destruct L'; simpl in N';
    rewrite ?own_truth, ?own_symbol, ?own_position, ?own_count, ?own_on_sum, ?own_compare in E; try discriminate E;
    try (exfalso; exact (truth_no_symbol _ _ E)); try (exfalso; exact (truth_no_symbol _ _ (eq_sym E)));
    try (exfalso; exact (truth_no_predicate _ _ N' E)); try (exfalso; exact (truth_no_predicate _ _ N (eq_sym E)));
    try (exfalso; exact (symbol_no_predicate _ _ N' E)); try (exfalso; exact (symbol_no_predicate _ _ N (eq_sym E)));
    try (exfalso; exact (S _ _ E)); try (exfalso; exact (S _ _ (eq_sym E)));
    try (exfalso; exact (P _ _ E)); try (exfalso; exact (P _ _ (eq_sym E))).
  - injection E as E. now destruct b, b'.
  - f_equal. apply symbol_tree_once; auto; now apply Nat.ltb_lt.
  - f_equal. now apply predicate_tree_once.
  - apply andb_prop in N' as [N' _]. apply andb_prop in N' as [N' _]. destruct (C _ _ _ N' E).
  - apply andb_prop in N as [N M], N' as [N' M']. injection E as E1 E2 E3.
    apply (placed_once (formula_size (OnCount p s f)) Once) in E3; auto; try (simpl; lia).
    apply predicate_tree_once in E1; auto. subst. f_equal. now destruct s, s'.
  - apply andb_prop in N' as [N' _]. apply andb_prop in N' as [_ I]. injection E as _ E.
    exfalso. exact (B listed' t' I _ _ (eq_sym E)).
  - apply andb_prop in N as [N _]. apply andb_prop in N as [N _]. destruct (C _ _ _ N (eq_sym E)).
  - apply andb_prop in N as [N _]. apply andb_prop in N as [_ I]. injection E as _ E.
    exfalso. exact (B listed t I _ _ E).
  - apply andb_prop in N as [N M], N' as [N' M']. apply andb_prop in N as [N _], N' as [N' _]. injection E as E1 E2.
    apply (term_once (formula_size (OnSum p t)) Once) in E2; auto; try (simpl; lia).
    apply predicate_tree_once in E1; auto. now subst.
  - apply andb_prop in N as [N M], N' as [N' M']. injection E as E1 E2 E3.
    apply (term_once (formula_size (Compare r t u)) Once) in E2; auto; try (simpl; lia).
    apply (term_once (formula_size (Compare r t u)) Once) in E3; auto; try (simpl; lia).
    subst. f_equal. now destruct r, r'.
Qed.

Theorem own_tree_once f f' : named f -> named f' -> tree_of f = tree_of' f' -> f = f'.
Proof.
  remember (formula_size f) as k eqn:K. assert (L : formula_size f <= k) by lia. clear K. revert f f' L.
  induction k as [|k IH]; intros f f' L N N' E; [destruct f; simpl in L; lia|].
  assert (Once : forall g g', formula_size g < formula_size f -> named g -> named g' -> tree_of g = tree_of' g' -> g
    = g').
  { intros g g' H. apply IH. lia. }
  clear IH L. pose proof (own_tree_shape letters names listed f) as T. pose proof (no_operand listed f) as O.
  pose proof (shape_is listed (length letters) (length names) f) as V. pose proof (shape_smaller listed f) as Z.
  pose proof (unshape_shape listed f) as U. pose proof (own_tree_shape letters names listed' f') as T'.
  pose proof (no_operand listed' f') as O'. pose proof (shape_is listed' (length letters) (length names) f') as V'.
  pose proof (unshape_shape listed' f') as U'. pose proof (no_operand_tree listed f) as W.
  pose proof (no_operand_tree listed' f') as W'. pose proof (leaves_once f f') as B. rewrite E in T, W. clear O O'.
  destruct (shape_of listed f) as [o g|o g h|], (shape_of listed' f') as [o' g'|o' g' h'|];
    try (rewrite T in T'; discriminate T'); [| | | | | |exact (B eq_refl eq_refl Once N N' E)].
  - rewrite T in T'. injection T' as <- G. rewrite <- U, <- U'. replace g' with g; [reflexivity|].
    apply (placed_once (formula_size f)); auto; [now apply V|now apply V'].
  - rewrite T in W'. now destruct (W' eq_refl).
  - rewrite T in T'. injection T' as <- G H. destruct V as (_ & _ & V), V' as (_ & _ & V'), Z. rewrite <- U, <- U'.
    replace g' with g; [replace h' with h; [reflexivity|]|];
      apply (placed_once (formula_size f)); auto; try (now apply V); now apply V'.
  - rewrite T in W'. destruct V as (_ & V & _). destruct V. exact (W' eq_refl).
  - rewrite T' in W. now destruct (W eq_refl).
  - rewrite T' in W. destruct V' as (_ & V' & _). destruct V'. exact (W eq_refl).
Qed.
End TwoLists.
End Named.
