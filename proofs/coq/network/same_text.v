(* Two models with one text compute one function (`same_text_same_function`).

   Models may have one text and differ: the entries of a row may be in any order; -1 may be a number or the opposite of
   one, 1/2 a number or a quotient, in expressions; the error of a meaning `others` is in no text.
   Proved: letters and definitions of predicates are the same, and so are the networks, but for the order of entries and
   for how expressions write numbers (`same_text_same_network`). So what `file_computes_for` says of some model with a
   text holds of every one (`file_computes_for_every_model`). *)
From Coq Require Import String Ascii QArith ZArith List Bool Arith Lia Permutation.
From Certify Require Import positions lists weighing formula network meaning well_defined user_predicates json_text
  formula_text model_text text_trees expression_trees formula_trees formula_text_once json_text_once plain_network.
Import ListNotations.
Open Scope string_scope.
Open Scope nat_scope.

(* ---- what `is_whole` says ---- *)
Lemma spelling_closed s : is_spelling s = true -> closed_string s = true.
Proof.
  remember (String.length s) as k eqn:K. assert (L : String.length s <= k) by lia. clear K. revert s L.
  induction k as [|k IH]; intros [|c s] L H; simpl in L; try lia; try reflexivity. destruct (ascii_dec c "\") as [->|C].
  - destruct s as [|d s]; [discriminate|]. simpl in L. cbn [closed_string]. destruct (ascii_dec d "u") as [->|D].
    + destruct s as [|a [|b [|e [|f s]]]]; try discriminate H. simpl in L.
      assert (Hex : forall x, is_one_of "0123456789abcdef" x = true -> forall r, closed_string (String x r) =
        closed_string r).
      { intros x X r. apply existsb_exists in X as (y & Y & X). apply Ascii.eqb_eq in X. subst y.
        repeat destruct Y as [<-|Y]; try reflexivity. destruct Y. }
      cbn [is_spelling] in H. apply andb_prop in H as [S H]. unfold has_no_shorter_spelling in S.
      apply andb_prop in S as [S _]. rewrite forallb_forall in S.
      rewrite !Hex by (apply S; simpl; tauto). apply IH; [lia|exact H].
    + assert (E : is_spelling (String "\" (String d s)) = (is_one_of "\bfnrt" d || (character_code d =? 34))%bool &&
      is_spelling s).
      { cbn [is_spelling]. each_character d; congruence. }
      rewrite E in H. apply andb_prop in H as [_ H]. apply IH; [lia|exact H].
  - assert (E : is_spelling (String c s) = is_between 32 126 c && negb ((character_code c =? 34) ||
      (character_code c =? 92)) && is_spelling s).
    { cbn [is_spelling]. each_character c; congruence. }
    rewrite E in H. apply andb_prop in H as [H S]. apply andb_prop in H as [_ H]. cbn [closed_string].
    destruct (Ascii.eqb_spec c "\"); [congruence|]. apply andb_true_intro. split; [|apply IH; [lia|exact S]].
    destruct (Ascii.eqb_spec c "034") as [->|]; [discriminate|reflexivity].
Qed.

Local Definition row_fits (size : nat) (r : row) : Prop := Forall (fun e => fst e < size /\
  is_reduced (snd e) = true) r.
Local Definition head_fits (size : nat) (a : head) : Prop := Forall (row_fits size) (head_queries a) /\
  Forall (row_fits size) (head_keys a) /\ Forall (fun e => fst e < size /\ row_fits size (snd e)) (head_values a).
Definition unit_fits (size : nat) (u : relu_unit) : Prop :=
  row_fits size (unit_reads u) /\ is_reduced (unit_bias u) = true /\ row_fits size (unit_writes u).
Local Definition layer_fits (size : nat) (e : list (string * string) * layer) : Prop :=
  length (fst e) = length (layer_heads (snd e)) /\ Forall (fun a => closed_string (fst a) = true /\
  closed_string (snd a) = true) (fst e) /\ Forall (head_fits size) (layer_heads (snd e)) /\
  Forall (unit_fits size) (layer_units (snd e)) /\ row_fits size (layer_bias (snd e)).

Lemma places_fit {X} size (l : list (direction * X)) : are_places size l = true -> Forall (fun e => fst e < size) l.
Proof.
  intros H. apply andb_prop in H as [_ H]. rewrite forallb_forall in H. apply Forall_forall. intros e I.
  now apply Nat.ltb_lt, H.
Qed.
Lemma row_fit size r : model_text.is_sparse_row size r = true -> row_fits size r.
Proof.
  intros H. apply andb_prop in H as [P H]. apply places_fit in P. rewrite forallb_forall in H.
  rewrite Forall_forall in P. apply Forall_forall. intros e I. split; [now apply P|].
  specialize (H e I). now apply andb_prop in H as [H _].
Qed.
Local Lemma all_fit {X} (f : X -> bool) (P : X -> Prop) l : (forall x, f x = true -> P x) -> forallb f l = true ->
  Forall P l.
Proof. intros K H. rewrite forallb_forall in H. apply Forall_forall. auto. Qed.
Lemma head_fit size a : is_head size a = true -> head_fits size a.
Proof.
  unfold is_head. rewrite !andb_true_iff. intros [[[[_ Q] K] P] V].
  repeat split; try (now apply (all_fit _ _ _ (row_fit size))). apply places_fit in P. rewrite forallb_forall in V.
  rewrite Forall_forall in *. intros e I. split; [now apply P|now apply row_fit, V].
Qed.
Lemma layer_fit size e : is_layer size (fst e) (snd e) = true -> layer_fits size e.
Proof.
  unfold is_layer. rewrite !andb_true_iff. intros [[[[L N] H] U] B]. repeat split.
  - now apply Nat.eqb_eq.
  - revert N. apply all_fit. intros [x y] X. apply andb_prop in X as [X Y]. split; now apply spelling_closed.
  - revert H. apply all_fit, head_fit.
  - revert U. apply all_fit. intros u X. unfold is_unit in X. rewrite !andb_true_iff in X.
    destruct X as [[X Y] Z]. repeat split; auto using row_fit.
  - now apply row_fit.
Qed.

Record whole_model (m : model) (letters directions names : list string) (size : nat) : Prop := WholeModel {
  whole_letters : forallb closed_string letters = true;
  whole_letters_once : are_distinct letters = true;
  whole_directions : forall s, In s directions -> closed_string s = true;
  whole_directions_once : are_distinct directions = true;
  whole_meanings : length directions = length (model_meanings m);
  whole_names_once : are_distinct names = true;
  whole_names : forallb is_predicate_name names = true;
  whole_conditions : forallb (fun d => is_condition (snd d)) (model_definitions m) = true;
  whole_listed : forall f, In f (model_listed m) -> is_named (length letters) (length names) f = true;
  whole_tokens : length letters = length (token_embedding (model_network m));
  whole_rows : Forall (row_fits size) (token_embedding (model_network m));
  whole_positions : Forall (fun e => fst e < size /\
    is_position_function (length letters) (length names) (snd e) = true) (position_embedding (model_network m));
  whole_labels : length (model_labels m) = length (transformer_layers (model_network m));
  whole_layers : Forall (layer_fits size) (combine (model_labels m) (transformer_layers (model_network m)));
  whole_output : transformer_output (model_network m) < size }.

Local Tactic Notation "parted" hyp(H) ident(X) := apply andb_prop in H as [H X].
Lemma is_whole_whole m : is_whole m = true ->
  whole_model m (model_letters m) (model_directions m) (predicate_names m) (length (model_directions m)).
Proof.
  intros H. parted H O. parted H S. parted H A. parted H F. parted H P. parted H R. parted H T. parted H I. parted H C.
  parted H N. parted H NO. parted H M. parted H D. parted H Filled. parted H L.
  apply andb_prop in D as [DO D], L as [LO L].
  clear H. rewrite forallb_forall in *. apply Nat.eqb_eq in M, T, A. apply Nat.ltb_lt in O.
  assert (E : length (model_definitions m) = length (predicate_names m)) by (symmetry; apply length_map).
  constructor; auto; try (apply forallb_forall; auto).
  - intros s H. now apply spelling_closed, L.
  - apply forallb_forall. intros s H. now apply spelling_closed, D.
  - apply forallb_forall. rewrite <- E. exact I.
  - apply Forall_forall. intros r H. now apply row_fit, R.
  - apply places_fit in P. rewrite Forall_forall in *. rewrite <- E. intros e H. split; [now apply P|now apply F].
  - apply Forall_forall. intros e H. now apply layer_fit, S.
Qed.

(* ---- so the text is that of one value of JSON ---- *)
Lemma quoted_json a : quotable a -> is_json (quoted_text a).
Proof. intros H. apply is_quoted. now apply quotable_text. Qed.

Section Fits.
Variable m : model.
Hypothesis W : whole_model m (model_letters m) (model_directions m) (predicate_names m) (length (model_directions m)).
Notation size := (length (model_directions m)).

Lemma letters_closed s : In s (model_letters m) -> closed_string s = true.
Proof. pose proof (whole_letters _ _ _ _ _ W) as H. rewrite forallb_forall in H. apply H. Qed.
Lemma names_closed s : In s (predicate_names m) -> closed_string s = true.
Proof.
  intros I. pose proof (whole_names _ _ _ _ _ W) as H. rewrite forallb_forall in H.
  now apply run_closed, (is_predicate_name_spec s), H.
Qed.
Lemma own_text_quotable f : quotable (own_text (model_letters m) (predicate_names m) (model_listed m) f).
Proof. apply own_quotable; [apply letters_closed|apply names_closed]. Qed.
Lemma formula_quotable f : quotable (formula_writer (model_letters m) (predicate_names m) (model_listed m) f).
Proof. apply quotable_operand, own_text_quotable. Qed.
Lemma count_quotable s f : quotable (count_writer (model_letters m) (predicate_names m) (model_listed m) s f).
Proof. apply quotable_between; [now destruct s|reflexivity|apply formula_quotable]. Qed.
Lemma average_quotable t : quotable (term_writer (model_letters m) (predicate_names m) (model_listed m) true t).
Proof. apply term_quotable. intros f _ wanted. apply quotable_operand, own_text_quotable. Qed.
Lemma position_function_quotable p :
  quotable (position_function_writer (model_letters m) (predicate_names m) (model_listed m) p).
Proof.
  destruct p as [x|f s]; cbn.
  - intros rest R. rewrite (proj2 (shown_expression x)), <- expression_text_is. rewrite closed_app; [exact R|apply
    expression_closed].
  - apply quotable_both; [apply quotable_between; auto using formula_quotable|]. apply quotable_exactly. now destruct s.
Qed.
Lemma name_closed d : closed_string (name_of m d) = true.
Proof. apply nth_closed; [reflexivity|]. exact (whole_directions _ _ _ _ _ W). Qed.

Lemma by_direction_json {X} (write : X -> json) l : (forall x, is_json (write x)) -> is_json (by_direction m write l).
Proof.
  intros H. apply is_fields. apply Forall_forall. intros e I. apply in_map_iff in I as ([d x] & <- & _).
  split; [apply name_closed|apply H].
Qed.
Lemma row_is_json r : is_json (row_json m r).
Proof. apply by_direction_json. intros q. apply is_quoted, rational_closed. Qed.
Lemma items_json {X} (write : X -> json) l : (forall x, In x l -> is_json (write x)) -> is_json (Items (map write l)).
Proof. intros H. apply is_items, Forall_forall. intros j I. apply in_map_iff in I as (x & <- & I). auto. Qed.
Lemma combined_json {X} (write : X -> json) keys l : (forall s, In s keys -> closed_string s = true) ->
  (forall x, is_json (write x)) -> is_json (Fields (combine keys (map write l))).
Proof.
  intros K H. apply is_fields, Forall_forall. intros [s j] I. split; [apply in_combine_l in I; auto|].
  apply in_combine_r, in_map_iff in I as (x & <- & _). apply H.
Qed.
Ltac fields := apply is_fields; repeat (apply Forall_cons; [split; [reflexivity|cbn]|]); try apply Forall_nil.
Lemma meaning_is_json a : is_json (meaning_json m a).
Proof.
  destruct a; fields; apply is_quoted; try reflexivity; try apply expression_closed;
    apply quotable_text; auto using formula_quotable, count_quotable, average_quotable, position_function_quotable.
Qed.
Lemma layer_is_json e : layer_fits size e -> is_json (layer_json m (fst e) (snd e)).
Proof.
  intros (_ & N & _). rewrite Forall_forall in N. fields.
  - apply items_json. intros [[x y] a] I. apply in_combine_l, N in I as [X Y]. cbn in X, Y. fields.
    + now apply is_quoted.
    + now apply is_quoted.
    + apply is_quoted. now destruct (head_masking a).
    + apply is_quoted. now destruct (head_weighing a).
    + apply is_quoted, expression_closed.
    + apply items_json. intros r _. apply row_is_json.
    + apply items_json. intros r _. apply row_is_json.
    + apply by_direction_json, row_is_json.
  - fields; [|apply row_is_json]. apply items_json. intros u _.
    fields; [apply row_is_json|apply is_quoted, rational_closed|apply row_is_json].
Qed.
Lemma definition_closed d : In d (model_definitions m) -> closed_string (definition_text d) = true.
Proof.
  intros I. destruct d as [name c]. cbn. rewrite closed_app by (apply names_closed; exact (in_map fst _ _ I)).
  rewrite closed_app by now destruct (mentions_length c). rewrite (writes_text _ _ (proj2 (shown_condition c))).
  apply (tree_closed condition_signs condition_infixes); [reflexivity|]. apply condition_tree_is.
  pose proof (whole_conditions _ _ _ _ _ W) as H. rewrite forallb_forall in H. exact (H _ I).
Qed.

Lemma model_is_json : is_json (model_json m).
Proof.
  apply is_fields. apply Forall_app. split; [|apply Forall_app; split].
  - repeat (apply Forall_cons; [split; [reflexivity|cbn]|]); try apply Forall_nil.
    + now apply is_quoted.
    + now apply is_plain.
    + apply items_json. intros s I. now apply is_quoted, letters_closed.
    + apply items_json. intros d I. now apply is_quoted, definition_closed.
  - destruct (model_listed m) as [|f l] eqn:E; [apply Forall_nil|]. rewrite <- E.
    apply Forall_cons; [split; [reflexivity|]|apply Forall_nil]. apply items_json. intros g _.
    apply quoted_json, own_text_quotable.
  - repeat (apply Forall_cons; [split; [reflexivity|cbn]|]); try apply Forall_nil.
    + apply combined_json; [exact (whole_directions _ _ _ _ _ W)|apply meaning_is_json].
    + apply combined_json; [exact letters_closed|apply row_is_json].
    + apply by_direction_json. intros p. apply quoted_json, position_function_quotable.
    + apply items_json. intros e I. apply layer_is_json. pose proof (whole_layers _ _ _ _ _ W) as L.
      rewrite Forall_forall in L. now apply L.
    + apply is_quoted, name_closed.
Qed.
End Fits.

(* ---- and that of one network, in one order and with one way to write numbers ---- *)
Lemma map_once {X Y Z} (f f' : X -> Y) (c : X -> Z) (P P' : X -> Prop) l : forall l', (forall x y, P x -> P' y ->
  f x = f' y -> c x = c y) -> Forall P l -> Forall P' l' -> map f l = map f' l' -> map c l = map c l'.
Proof.
  induction l as [|x l IH]; intros [|y l'] H F F' E; try discriminate E; [reflexivity|]. injection E as E1 E2.
  inversion F as [|? ? Fx Fl]; inversion F' as [|? ? Fy Fl']; subst. cbn. f_equal; [now apply H|now apply IH].
Qed.
Lemma combine_once {X Y} (l l' : list X) (k k' : list Y) : length l = length k -> length l' = length k' ->
  combine l k = combine l' k' -> l = l' /\ k = k'.
Proof.
  revert l' k k'. induction l as [|x l IH]; intros [|x' l'] [|y k] [|y' k'] L L' E; try discriminate; [now split|].
  injection E as -> -> E. injection L as L. injection L' as L'. now destruct (IH _ _ _ L L' E) as [-> ->].
Qed.
Lemma map_snd_combine {X Y Z} (f : Y -> Z) (l : list X) k : length l = length k ->
  map (fun e => f (snd e)) (combine l k) = map f k.
Proof.
  revert k. induction l as [|x l IH]; intros [|y k] L; try discriminate L; [reflexivity|]. cbn. f_equal. apply IH.
  now injection L.
Qed.

Section SameText.
Variables m m' : model.
Variable directions : list string.
Notation size := (length directions).
Hypothesis D : model_directions m = directions.
Hypothesis D' : model_directions m' = directions.
Hypothesis Once : are_distinct directions = true.

Lemma name_once d e : d < size -> e < size -> name_of m d = name_of m' e -> d = e.
Proof. unfold name_of. rewrite D, D'. intros. now apply (distinct_once directions "?"). Qed.

Lemma by_direction_once {X} (write write' : X -> json) (c : X -> X) (P P' : X -> Prop) l l' :
  Forall (fun e => fst e < size /\ P (snd e)) l -> Forall (fun e => fst e < size /\ P' (snd e)) l' ->
  (forall x y, P x -> P' y -> write x = write' y -> c x = c y) ->
  by_direction m write l = by_direction m' write' l' -> in_place_order c l = in_place_order c l'.
Proof.
  intros F F' H E. injection E as E. unfold in_place_order.
  apply (Permutation_Forall (Permutation_sym (in_order_permutation _))) in F, F'.
  revert E. apply (map_once _ _ _ (fun e => fst e < size /\ P (snd e)) (fun e => fst e < size /\ P' (snd e))); auto.
  intros [d x] [e y] [Dx Px] [Ey Py] E. injection E as E1 E2. cbn in *. f_equal; [now apply name_once|now apply H].
Qed.
Lemma quoted_once s t : Quoted s = Quoted t -> s = t. Proof. congruence. Qed.
Lemma row_once_ r r' : row_fits size r -> row_fits size r' -> row_json m r = row_json m' r' -> plain_row r =
  plain_row r'.
Proof.
  intros F F'. apply (by_direction_once _ _ _ (fun q => is_reduced q = true) (fun q => is_reduced q = true)); auto.
  intros p q P R E. now apply rational_text_once, quoted_once.
Qed.
Lemma rows_once l l' : Forall (row_fits size) l -> Forall (row_fits size) l' ->
  map (row_json m) l = map (row_json m') l' -> map plain_row l = map plain_row l'.
Proof. intros F F'. apply (map_once _ _ _ (row_fits size) (row_fits size)); auto. apply row_once_. Qed.
Lemma weighing_once k k' : weighing_name k = weighing_name k' -> k = k'.
Proof.
  pose (named s := find (fun k => String.eqb s (weighing_name k))
    [Softmax; SoftmaxPlusOne; Sparsemax; Entmax; Relu; ReluOverN; Sigmoid; Geometric; StickBreaking]).
  assert (N : forall k, named (weighing_name k) = Some k) by now intros [].
  intros E. apply (f_equal named) in E. rewrite !N in E. now injection E.
Qed.
Lemma head_once s s' a a' : head_fits size a -> head_fits size a' -> head_json m s a = head_json m' s' a' ->
  plain_head a = plain_head a'.
Proof.
  intros (Q & K & V) (Q' & K' & V') E. injection E as _ _ EM EW ET EQ EK EV. unfold plain_head. f_equal.
  - now apply weighing_once.
  - now destruct (head_masking a), (head_masking a').
  - now apply expression_text_once.
  - now apply rows_once.
  - now apply rows_once.
  - revert EV. intros EV. apply (by_direction_once (row_json m) (row_json m') plain_row (row_fits size) (row_fits
    size)); auto.
    + apply row_once_.
    + unfold by_direction. now rewrite EV.
Qed.
Lemma unit_once u u' : unit_fits size u -> unit_fits size u' -> unit_json m u = unit_json m' u' -> plain_unit u =
  plain_unit u'.
Proof.
  intros (R & B & W) (R' & B' & W') E. unfold unit_json in E.
  assert (E1 : row_json m (unit_reads u) = row_json m' (unit_reads u')) by congruence.
  assert (E2 : rational_text (unit_bias u) = rational_text (unit_bias u')) by (unfold rational_json in E; congruence).
  assert (E3 : row_json m (unit_writes u) = row_json m' (unit_writes u')) by congruence.
  unfold plain_unit. f_equal; auto using row_once_, rational_text_once.
Qed.
Lemma layer_once e e' : layer_fits size e -> layer_fits size e' ->
  layer_json m (fst e) (snd e) = layer_json m' (fst e') (snd e') -> plain_layer (snd e) = plain_layer (snd e').
Proof.
  intros (L & _ & H & U & B) (L' & _ & H' & U' & B') E. unfold layer_json in E.
  assert (E1 : map (fun a => head_json m (fst a) (snd a)) (combine (fst e) (layer_heads (snd e)))
    = map (fun a => head_json m' (fst a) (snd a)) (combine (fst e') (layer_heads (snd e')))) by congruence.
  assert (E2 : map (unit_json m) (layer_units (snd e)) = map (unit_json m') (layer_units (snd e'))) by congruence.
  assert (E3 : row_json m (layer_bias (snd e)) = row_json m' (layer_bias (snd e'))) by congruence.
  unfold plain_layer. f_equal.
  - rewrite <- (map_snd_combine plain_head _ _ L), <- (map_snd_combine plain_head _ _ L'). revert E1.
    apply (map_once _ _ _ (fun a => head_fits size (snd a)) (fun a => head_fits size (snd a))).
    + intros a a'. apply head_once.
    + apply Forall_forall. intros [s a] I. rewrite Forall_forall in H. apply in_combine_r in I. now apply H.
    + apply Forall_forall. intros [s a] I. rewrite Forall_forall in H'. apply in_combine_r in I. now apply H'.
  - revert E2. apply (map_once _ _ _ (unit_fits size) (unit_fits size)); auto. apply unit_once.
  - now apply row_once_.
Qed.
End SameText.

Lemma prefix_run name s : is_run name = true -> leading_run (name ++ String "(" s) = name.
Proof. intros H. now apply run_app. Qed.
Lemma definition_once d d' : is_predicate_name (fst d) = true -> is_predicate_name (fst d') = true ->
  is_condition (snd d) = true -> is_condition (snd d') = true -> definition_text d = definition_text d' -> d = d'.
Proof.
  destruct d as [s c], d' as [s' c']. cbn. intros N N' C C' E. apply is_predicate_name_spec in N as [N _], N' as [N' _].
  assert (S : s = s').
  { apply (f_equal leading_run) in E. destruct (mentions_length c), (mentions_length c'); cbn in E;
      now rewrite !prefix_run in E. }
  subst s'. apply app_same in E. f_equal. apply condition_text_once; auto.
  destruct (mentions_length c), (mentions_length c'); cbn in E; try discriminate E; now injection E.
Qed.

Section Formulas.
Variables (letters names : list string) (listed listed' : list formula).
Hypothesis Letters : forallb closed_string letters = true.
Hypothesis LettersOnce : are_distinct letters = true.
Hypothesis Names : forallb is_predicate_name names = true.
Hypothesis NamesOnce : are_distinct names = true.
Notation named f := (is_named (length letters) (length names) f = true).
Hypothesis Listed : forall f, In f listed -> named f.
Hypothesis Listed' : forall f, In f listed' -> named f.
Hypothesis Texts : map (fun f => text_of (own_text letters names listed f)) listed
  = map (fun f => text_of (own_text letters names listed' f)) listed'.

Lemma own_text_tree f g : named f -> named g -> text_of (own_text letters names listed f)
  = text_of (own_text letters names listed' g) -> own_tree letters names listed f = own_tree letters names listed' g.
Proof.
  intros F G E. rewrite !(writes_text _ _ (own_writes _ _ _ _)) in E. revert E.
  apply (tree_text_once _ _ formula_language); now apply own_tree_is.
Qed.
Local Lemma references k : forall f g, nth_error listed k = Some f -> nth_error listed' k = Some g ->
  own_tree letters names listed f = own_tree letters names listed' g.
Proof.
  intros f g F G. apply own_text_tree; [eapply Listed, nth_error_In, F|eapply Listed', nth_error_In, G|].
  apply (map_nth_error (fun f => text_of (own_text letters names listed f))) in F.
  apply (map_nth_error (fun f => text_of (own_text letters names listed' f))) in G. rewrite Texts in F. congruence.
Qed.
Lemma formula_text_once f g : named f -> named g ->
  text_of (formula_writer letters names listed f) = text_of (formula_writer letters names listed' g) -> f = g.
Proof.
  intros F G E. unfold formula_writer in E.
  rewrite !(writes_text _ _ (operand_writes_all _ _ _ _ (own_writes _ _ _ _))) in E.
  apply (tree_text_once _ _ formula_language) in E;
    [|apply (placed_is letters names); now apply own_tree_is|apply (placed_is letters names); now apply own_tree_is].
  apply (placed_once letters names listed listed' references (S (formula_size f))); auto. intros h h' _ H H'.
  now apply (own_tree_once letters names LettersOnce Names NamesOnce listed listed' references h h' H H').
Qed.
End Formulas.

(* ---- position functions ---- *)
Lemma last_once x y c d : x ++ String c "" = y ++ String d "" -> x = y /\ c = d.
Proof.
  revert y. induction x as [|a x IH]; intros [|b y] E; cbn in E.
  - injection E as E. now split.
  - injection E as _ E. now destruct y.
  - injection E as _ E. now destruct x.
  - injection E as -> E. now destruct (IH y E) as [-> ->].
Qed.
Lemma same_end s : forall x y, x ++ s = y ++ s -> x = y.
Proof.
  induction s as [|c s IH]; intros x y E; [now rewrite !text_end in E|].
  change (String c s) with (String c "" ++ s) in E. rewrite <- !app_assoc_text in E. apply IH in E.
  now apply last_once in E as [-> _].
Qed.
Lemma expression_beginning x s : expression_text x <> String "[" s.
Proof.
  rewrite expression_text_is. intros E.
  assert (R : is_token_row expression_signs expression_infixes false (tree_tokens (expression_tree x) ++ [])).
  { apply row_of_tree; [apply expression_tree_is|reflexivity]. }
  rewrite app_nil_r in R. unfold tree_text in E.
  destruct (tree_tokens (expression_tree x)) as [|k l]; [discriminate R|]. destruct R as [B _]. cbn [row_text] in E.
  destruct k as [w|w|o|w|o| |w]; cbn in B, E; try discriminate E.
  - unfold is_word in B. rewrite !andb_true_iff in B. destruct B as [[B N] _]. destruct w as [|c w]; [discriminate N|].
    injection E as -> _. discriminate B.
  - destruct B as [[= <-]|[[=]|[[=]|[[=]|[]]]]]. discriminate E.
  - destruct B as [[=]|[[= <-]|[[= <-]|[[= <-]|[]]]]]; discriminate E.
  - destruct B as [[=]|[[=]|[[=]|[[=]|[]]]]].
  - destruct B as [[=]|[[=]|[[=]|[[=]|[]]]]].
Qed.

(* ---- two models with one text ---- *)
Lemma quoted_map {X} (f f' : X -> string) l : forall l',
  map (fun x => Quoted (f x)) l = map (fun x => Quoted (f' x)) l' -> map f l = map f' l'.
Proof. induction l as [|x l IH]; intros [|y l'] E; try discriminate E; [reflexivity|]. injection E as E1 E2. cbn.
  f_equal; auto. Qed.

Local Definition field (key : string) (j : json) : json :=
  match j with
  | Fields l => match find (fun e => String.eqb (fst e) key) l with Some e => snd e | None => Verbatim "" end
  | _ => Verbatim ""
  end.
Local Definition formulas_of (m : model) : list string :=
  map (fun f => text_of (own_text (model_letters m) (predicate_names m) (model_listed m) f)) (model_listed m).
Lemma fields_are m :
  field "alphabet" (model_json m) = Items (map Quoted (model_letters m))
  /\ field "predicates" (model_json m) = Items (map (fun d => Quoted (definition_text d)) (model_definitions m))
  /\ field "formulas" (model_json m)
     = match model_listed m with [] => Verbatim "" | _ => Items (map (listed_json m) (model_listed m)) end
  /\ field "directions" (model_json m)
     = Fields (combine (model_directions m) (map (meaning_json m) (model_meanings m)))
  /\ field "token_embedding" (model_json m)
     = Fields (combine (model_letters m) (map (row_json m) (token_embedding (model_network m))))
  /\ field "position_embedding" (model_json m)
     = by_direction m (position_function_json m) (position_embedding (model_network m))
  /\ field "layers" (model_json m) = Items (map (fun l => layer_json m (fst l) (snd l))
       (combine (model_labels m) (transformer_layers (model_network m))))
  /\ field "output" (model_json m) = Quoted (name_of m (transformer_output (model_network m))).
Proof. unfold model_json. destruct (model_listed m); repeat split. Qed.

Section TwoModels.
Variables m m' : model.
Hypothesis IsWhole : is_whole m = true.
Hypothesis IsWhole' : is_whole m' = true.
Hypothesis Text : model_text m = model_text m'.

Lemma one_json : model_json m = model_json m'.
Proof. apply json_text_once; auto; apply model_is_json, is_whole_whole; assumption. Qed.
Lemma items_once l l' : Items l = Items l' -> l = l'. Proof. congruence. Qed.
Lemma fields_once l l' : Fields l = Fields l' -> l = l'. Proof. congruence. Qed.

Lemma parts_agree : model_letters m = model_letters m' /\ model_definitions m = model_definitions m' /\ formulas_of m
  = formulas_of m' /\ model_directions m = model_directions m' /\ map (meaning_json m) (model_meanings m)
  = map (meaning_json m') (model_meanings m') /\ map (row_json m) (token_embedding (model_network m)) = map (row_json
  m') (token_embedding (model_network m')) /\ by_direction m (position_function_json m) (position_embedding
  (model_network m)) = by_direction m' (position_function_json m') (position_embedding (model_network m')) /\ map (fun l
  => layer_json m (fst l) (snd l)) (combine (model_labels m) (transformer_layers (model_network m))) = map (fun l =>
  layer_json m' (fst l) (snd l)) (combine (model_labels m') (transformer_layers (model_network m'))) /\ name_of m
  (transformer_output (model_network m)) = name_of m' (transformer_output (model_network m')).
Proof.
  destruct (fields_are m) as (A & P & F & D & T & X & L & O), (fields_are m') as (A' & P' & F' & D' & T' & X' & L' &
    O'). rewrite one_json in *. rewrite A in A'. rewrite P in P'. rewrite F in F'. rewrite D in D'. rewrite T in T'.
  rewrite X in X'. rewrite L in L'. rewrite O in O'. clear A P F D T X L O. pose proof (is_whole_whole m IsWhole) as W.
  pose proof (is_whole_whole m' IsWhole') as W'. apply items_once, (quoted_map (fun s => s) (fun s => s)) in A'.
  rewrite !map_id in A'. apply items_once in P', L'. apply fields_once in D', T'.
  apply combine_once in D' as [D1 D2]; try (rewrite length_map; now apply whole_meanings with (1 := W));
    try (rewrite length_map; now apply whole_meanings with (1 := W')).
  apply combine_once in T' as [_ T2]; try (rewrite length_map; now apply whole_tokens with (1 := W));
    try (rewrite length_map; now apply whole_tokens with (1 := W')). repeat split; auto; [| |congruence].
  - rewrite <- (map_id (model_definitions m)), <- (map_id (model_definitions m')). revert P'.
    apply (map_once _ _ (fun d => d) (fun d => is_predicate_name (fst d) = true /\ is_condition (snd d) = true)
      (fun d => is_predicate_name (fst d) = true /\ is_condition (snd d) = true)).
    + intros d d' [N C] [N' C'] E. apply definition_once; auto. congruence.
    + apply Forall_forall. intros d I. pose proof (whole_names _ _ _ _ _ W) as N.
      pose proof (whole_conditions _ _ _ _ _ W) as C. rewrite forallb_forall in N, C. split; [|now apply C].
      exact (N _ (in_map fst _ _ I)).
    + apply Forall_forall. intros d I. pose proof (whole_names _ _ _ _ _ W') as N.
      pose proof (whole_conditions _ _ _ _ _ W') as C. rewrite forallb_forall in N, C. split; [|now apply C].
      exact (N _ (in_map fst _ _ I)).
  - unfold formulas_of. apply quoted_map.
    assert (K : map (listed_json m) (model_listed m) = map (listed_json m') (model_listed m')); [|exact K].
    destruct (model_listed m), (model_listed m'); try discriminate F'; [reflexivity|]. exact (items_once _ _ F').
Qed.
End TwoModels.

Section OneFunction.
Variables m m' : model.
Hypothesis IsWhole : is_whole m = true.
Hypothesis IsWhole' : is_whole m' = true.
Hypothesis Text : model_text m = model_text m'.

Lemma position_function_once p q : is_position_function (length (model_letters m)) (length (predicate_names m)) p
  = true -> is_position_function (length (model_letters m)) (length (predicate_names m)) q = true ->
  position_function_json m p = position_function_json m' q -> plain_function p = plain_function q.
Proof.
  destruct (parts_agree m m' IsWhole IsWhole' Text) as (A & P & F & _). intros Hp Hq E.
  pose proof (is_whole_whole m IsWhole) as W. pose proof (is_whole_whole m' IsWhole') as W'.
  unfold formulas_of, predicate_names in *. rewrite <- A, <- P in *.
  unfold position_function_json, quoted_text, predicate_names in E. rewrite <- A, <- P in E. injection E as E.
  set (names := map fst (model_definitions m)) in *.
  assert (B : forall l f s, text_of (position_function_writer (model_letters m) names l (Bracket f s))
    = "[" ++ text_of (formula_writer (model_letters m) names l f) ++ "]" ++ if s then "(i-1)" else "").
  { intros l f s. pose proof (operand_writes_all _ _ l f (own_writes (model_letters m) names l f)) as V.
    rewrite (writes_text (formula_writer (model_letters m) names l f) _ V).
    match goal with |- _ = "[" ++ ?t ++ "]" ++ ?e => transitivity (("[" ++ t ++ "]") ++ e) end;
      [|now rewrite !app_assoc_text].
    apply writes_text, (writes_both (write_between "[" "]" (formula_writer (model_letters m) names l f)));
      [now apply writes_between|apply writes_exactly]. }
  destruct p as [x|f s], q as [y|g t].
  - cbn. f_equal. apply expression_text_once. exact E.
  - exfalso. rewrite B in E. now apply (expression_beginning x) in E.
  - exfalso. rewrite B in E. symmetry in E. now apply (expression_beginning y) in E.
  - rewrite !B in E. injection E as E. cbn in Hp, Hq. apply andb_prop in Hp as [_ Hp], Hq as [_ Hq].
    assert (K : s = t /\ text_of (formula_writer (model_letters m) names (model_listed m) f)
      = text_of (formula_writer (model_letters m) names (model_listed m') g)).
    { destruct s, t; [split; [reflexivity|exact (same_end _ _ _ E)]| | |split; [reflexivity|exact (same_end _ _ _ E)]];
        exfalso; [change "](i-1)" with ("](i-1" ++ ")") in E|symmetry in E; change "](i-1)" with ("](i-1" ++ ")") in E];
        rewrite <- app_assoc_text in E; apply last_once in E as [_ E]; discriminate. }
    destruct K as [-> K]. cbn. f_equal.
    apply (formula_text_once (model_letters m) names (model_listed m) (model_listed m')); auto; apply W || apply W'.
Qed.

Theorem same_text_same_network : plain_network (model_network m) = plain_network (model_network m').
Proof.
  destruct (parts_agree m m' IsWhole IsWhole' Text) as (A & P & F & D & _ & T & X & L & O).
  pose proof (is_whole_whole m IsWhole) as W. pose proof (is_whole_whole m' IsWhole') as W'.
  rewrite <- D in W'. unfold predicate_names in W'. rewrite <- A, <- P in W'. fold (predicate_names m) in W'.
  pose proof (whole_directions_once _ _ _ _ _ W) as U. unfold plain_network. f_equal.
  - apply (rows_once m m' (model_directions m)); auto; apply W || apply W'.
  - revert X. apply (by_direction_once m m' (model_directions m)) with (P := fun p => is_position_function
      (length (model_letters m)) (length (predicate_names m)) p = true) (P' := fun p => is_position_function
      (length (model_letters m)) (length (predicate_names m)) p = true); auto; try (apply W || apply W').
    exact position_function_once.
  - rewrite <- (map_snd_combine plain_layer _ _ (whole_labels _ _ _ _ _ W)).
    rewrite <- (map_snd_combine plain_layer _ _ (whole_labels _ _ _ _ _ W')). revert L.
    apply (map_once _ _ _ (layer_fits (length (model_directions m))) (layer_fits (length (model_directions m))));
      try (apply W || apply W'). intros e e'. now apply (layer_once m m' (model_directions m)).
  - revert O. apply (name_once m m' (model_directions m)); auto; apply W || apply W'.
Qed.

(* The letters and the predicates are the same, the networks compute the same numbers, all defined or both not; and what
   one output means, if all in it has a name, the other means, if it means a formula of which that is true. *)
Theorem same_text_same_function : model_letters m = model_letters m' /\ model_definitions m = model_definitions m' /\
  (forall n w i, run_transformer (model_users m) (model_network m) n w i (transformer_output (model_network m))
  = run_transformer (model_users m') (model_network m') n w i (transformer_output (model_network m'))) /\ (forall n i,
  defined_at (model_network m) n i <-> defined_at (model_network m') n i) /\ (forall f g, model_output_meaning m
  = IsTruth f -> model_output_meaning m' = IsTruth g -> is_named_in m f = true -> is_named_in m' g = true -> f = g).
Proof.
  destruct (parts_agree m m' IsWhole IsWhole' Text) as (A & P & F & D & M & _). pose proof same_text_same_network as N.
  pose proof (f_equal transformer_output N) as O. cbn in O. split; [exact A|]. split; [exact P|]. split; [|split].
  - intros n w i. unfold model_users. rewrite <- P, <- O, <- (run_plain _ (model_network m)), N. now rewrite run_plain.
  - intros n i. rewrite <- (defined_plain (model_network m)), N. apply defined_plain.
  - intros f g Mf Mg Nf Ng. pose proof (is_whole_whole m IsWhole) as W. pose proof (is_whole_whole m' IsWhole') as W'.
    unfold model_output_meaning in *. rewrite <- O in Mg.
    assert (E : meaning_json m (IsTruth f) = meaning_json m' (IsTruth g)).
    { rewrite <- Mf, <- Mg, <- !(map_nth (meaning_json _)), M. apply nth_indep. rewrite <- M, length_map.
      rewrite <- (whole_meanings _ _ _ _ _ W). apply W. }
    assert (L : length (model_definitions m) = length (predicate_names m)) by (symmetry; apply length_map).
    unfold is_named_in in *. rewrite <- A, <- P in Ng. rewrite L in *. clear L.
    unfold formulas_of, predicate_names, meaning_json, formula_json, quoted_text, kind_object in *.
    rewrite <- A, <- P in *. injection E as E. unfold predicate_names in E. rewrite <- P in E. revert E.
    apply (formula_text_once (model_letters m) (map fst (model_definitions m)) (model_listed m) (model_listed m'));
      auto; apply W || apply W'.
Qed.
End OneFunction.

(* So what is proved of a file is proved of every model with its text. *)
Corollary file_computes_for_every_model L text letters predicates formula : file_computes_for L text letters predicates
  formula -> forall m f, is_whole m = true -> model_text m = text -> model_output_meaning m = IsTruth f ->
  is_named_in m f = true -> model_letters m = letters /\ predicate_texts m = predicates /\ formula_text m f = formula /\
  defined_for L (model_network m) /\ computes_for (model_users m) L (model_network m) f.
Proof.
  intros (_ & _ & k & g & Wk & Tk & Ak & Pk & Ok & Nk & Fk & Dk & Ck) m f W T O N.
  destruct (same_text_same_function k m Wk W (eq_trans Tk (eq_sym T))) as (A & P & R & D & S).
  specialize (S g f Ok O Nk N). subst g. split; [congruence|]. split; [unfold predicate_texts in *; congruence|].
  split; [unfold formula_text, predicate_names in *; congruence|]. split.
  - intros n i Hn. apply D. now apply Dk.
  - intros n w Hn Over i. rewrite <- R. unfold model_users. rewrite <- P. apply Ck; auto. unfold word_in_alphabet in *.
    intros j Hj. specialize (Over j Hj). pose proof (whole_tokens _ _ _ _ _ (is_whole_whole k Wk)) as K.
    pose proof (whole_tokens _ _ _ _ _ (is_whole_whole m W)) as K'. rewrite <- K, A, K'. exact Over.
Qed.
