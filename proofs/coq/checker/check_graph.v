(* Formulas as graphs: a network checked with names for the formulas that it mentions.

   Written out, a formula may be longer than its graph by a factor that is exponential in its depth, and the checker
   compares formulas as trees. Here big subformulas have names: `User (base + k)` denotes the k-th of a list of
   definitions, each of which may use the names of those before it. Names are compared as numbers; where the checker
   needs the definition, it unfolds a name once.

   Proved: if `check_graph` returns true, the network computes the formula with all names unfolded, `written_out`. Idea:
   on one word, let the user's predicate `base + k` hold where the k-th formula does; then a name and what it stands for
   mean the same, and check.v looks at directions through views that mean the same. *)
From Coq Require Import Reals ZArith Arith Bool List Lia FunctionalExtensionality.
From Certify Require Import positions lists formula network meaning well_defined check_defined values_by_rows check.
Import ListNotations.
Open Scope nat_scope.

Section Names.
Variable base : nat.

(* ---- names unfolded ---- *)
Fixpoint with_names (E : list formula) (f : formula) : formula :=
  match f with
  | Positional (User m) => if m <? base then f else nth (m - base) E (Truth false)
  | Truth _ | Symbol _ | Positional _ => f
  | Not f => Not (with_names E f)
  | And f g => And (with_names E f) (with_names E g)
  | Or f g => Or (with_names E f) (with_names E g)
  | Implies f g => Implies (with_names E f) (with_names E g)
  | Iff f g => Iff (with_names E f) (with_names E g)
  | Previous f => Previous (with_names E f)
  | Next f => Next (with_names E f)
  | Since f g => Since (with_names E f) (with_names E g)
  | Until f g => Until (with_names E f) (with_names E g)
  | OnCount p s f => OnCount p s (with_names E f)
  | OnSum p t => OnSum p (terms_with_names E t)
  | Compare r t u => Compare r (terms_with_names E t) (terms_with_names E u)
  end
with terms_with_names (E : list formula) (t : term) : term :=
  match t with Number c => Number c | Plus a s f rest => Plus a s (with_names E f) (terms_with_names E rest) end.

(* Each definition with the names before it unfolded, one after the other. *)
Fixpoint unfold_all (E definitions : list formula) : list formula :=
  match definitions with [] => E | f :: l => unfold_all (E ++ [with_names E f]) l end.
Local Definition unfolded (definitions : list formula) : list formula := unfold_all [] definitions.
Definition written_out (definitions : list formula) (f : formula) : formula := with_names (unfolded definitions) f.

(* ---- only names below a bound, and only where a predicate on the position may stand ---- *)
Definition plain_predicate (p : predicate) : bool := match p with User m => m <? base | _ => true end.
Fixpoint names_below (bound : nat) (f : formula) : bool :=
  match f with
  | Positional (User m) => m <? base + bound
  | Truth _ | Symbol _ | Positional _ => true
  | Not f | Previous f | Next f => names_below bound f
  | And f g | Or f g | Implies f g | Iff f g | Since f g | Until f g => names_below bound f && names_below bound g
  | OnCount p _ f => plain_predicate p && names_below bound f
  | OnSum p t => plain_predicate p && term_names_below bound t
  | Compare _ t u => term_names_below bound t && term_names_below bound u
  end
with term_names_below (bound : nat) (t : term) : bool :=
  match t with Number _ => true | Plus _ _ f rest => names_below bound f && term_names_below bound rest end.

Local Fixpoint in_order (k : nat) (definitions : list formula) : bool :=
  match definitions with [] => true | f :: l => names_below k f && in_order (S k) l end.

(* ---- what names mean on one word ---- *)
Section Word.
Variables (users users' : predicate_meanings) (n : nat) (w : word) (E : list formula) (bound : nat).
Hypothesis Users : forall m k, m < base -> users' m k n = users m k n.
Hypothesis Named : forall m i, m < bound -> users' (base + m) (BinInt.Z.of_nat i) n = truth users n w (nth m E (Truth
  false)) i.

Lemma plain_holds p k : plain_predicate p = true -> predicate_holds users' p k n = predicate_holds users p k n.
Proof. destruct p; try reflexivity. intros H. apply Nat.ltb_lt in H. now apply Users. Qed.

Lemma names_mean : (forall f, names_below bound f = true -> truth users' n w f = truth users n w (with_names E f)) /\
  (forall t, term_names_below bound t = true -> value_of_term users' n w t = value_of_term users n w (terms_with_names E
  t)).
Proof.
  apply formula_term_mutual; try reflexivity; try (intros f IHf H; apply functional_extensionality; intros i; cbn;
    now rewrite IHf); try (intros f IHf g IHg H; cbn in H; apply andb_prop in H as [H1 H2];
    apply functional_extensionality; intros i; cbn; now rewrite IHf, IHg).
  - intros p H. apply functional_extensionality. intros i. destruct p; try reflexivity. cbn [names_below] in H.
    apply Nat.ltb_lt in H. cbn [with_names]. destruct (Nat.ltb_spec name base) as [L|L]; [now apply Users|].
    specialize (Named (name - base) i ltac:(lia)). replace (base + (name - base)) with name in Named by lia. exact
        Named.
  - intros p s f IHf H. cbn in H. apply andb_prop in H as [H1 H2]. apply functional_extensionality. intros i.
    change (predicate_holds users' p (counted_on s n (truth users' n w f) i) n = predicate_holds users p (counted_on s n
      (truth users n w (with_names E f)) i) n). rewrite IHf by exact H2. now apply plain_holds.
  - intros p t IHt H. cbn in H. apply andb_prop in H as [H1 H2]. apply functional_extensionality. intros i.
    change (holds_at users' p (value_of_term users' n w t i) n = holds_at users p (value_of_term users n w
      (terms_with_names E t) i) n). rewrite IHt by exact H2. destruct p; try reflexivity. apply Nat.ltb_lt in H1.
    now apply Users.
  - intros r t IHt u IHu H. cbn in H. apply andb_prop in H as [H1 H2]. apply functional_extensionality. intros i.
    change (relation_holds r (value_of_term users' n w t i) (value_of_term users' n w u i) =
      relation_holds r (value_of_term users n w (terms_with_names E t) i) (value_of_term users n w (terms_with_names E
      u) i)). now rewrite IHt, IHu.
  - intros a s f IHf rest IHr H. cbn in H. apply andb_prop in H as [H1 H2]. apply functional_extensionality. intros i.
    change (a * BinInt.Z.of_nat (counted_on s n (truth users' n w f) i) + value_of_term users' n w rest i
      = a * BinInt.Z.of_nat (counted_on s n (truth users n w (with_names E f)) i)
        + value_of_term users n w (terms_with_names E rest) i)%Z. now rewrite IHf, IHr.
Qed.
End Word.

Lemma no_names E : (forall f, names_below 0 f = true -> with_names E f = f) /\
  (forall t, term_names_below 0 t = true -> terms_with_names E t = t).
Proof.
  apply formula_term_mutual; try reflexivity; try (intros f IHf H; cbn; f_equal; now apply IHf);
    try (intros f IHf g IHg H; cbn in H; apply andb_prop in H as [H1 H2]; cbn; now rewrite IHf, IHg).
  - intros [] H; try reflexivity. cbn [names_below] in H. cbn [with_names]. rewrite Nat.add_0_r in H. now rewrite H.
  - intros q s f IHf H. cbn in H. apply andb_prop in H as [_ H]. cbn. now rewrite IHf.
  - intros q t IHt H. cbn in H. apply andb_prop in H as [_ H]. change (OnSum q (terms_with_names E t) = OnSum q t).
    now rewrite IHt.
  - intros r t IHt u IHu H. cbn in H. apply andb_prop in H as [H1 H2].
    change (Compare r (terms_with_names E t) (terms_with_names E u) = Compare r t u). now rewrite IHt, IHu.
  - intros a s f IHf rest IHr H. cbn in H. apply andb_prop in H as [H1 H2].
    change (Plus a s (with_names E f) (terms_with_names E rest) = Plus a s f rest). now rewrite IHf, IHr.
Qed.

(* Names that are there already do not change when others are added. *)
Lemma more_names E X b : b <= length E -> (forall f, names_below b f = true -> with_names (E ++ X) f = with_names E f)
  /\ (forall t, term_names_below b t = true -> terms_with_names (E ++ X) t = terms_with_names E t).
Proof.
  intros B. apply formula_term_mutual; try reflexivity;
    try (intros f IHf H; cbn; f_equal; now apply IHf);
    try (intros f IHf g IHg H; cbn in H; apply andb_prop in H as [H1 H2]; cbn; now rewrite IHf, IHg).
  - intros [] H; try reflexivity. cbn [names_below] in H. cbn [with_names]. apply Nat.ltb_lt in H.
    destruct (Nat.ltb_spec name base); [reflexivity|]. apply app_nth1. lia.
  - intros q s f IHf H. cbn in H. apply andb_prop in H as [_ H]. cbn. now rewrite IHf.
  - intros q t IHt H. cbn in H. apply andb_prop in H as [_ H].
    change (OnSum q (terms_with_names (E ++ X) t) = OnSum q (terms_with_names E t)). now rewrite IHt.
  - intros r t IHt u IHu H. cbn in H. apply andb_prop in H as [H1 H2].
    change (Compare r (terms_with_names (E ++ X) t) (terms_with_names (E ++ X) u)
      = Compare r (terms_with_names E t) (terms_with_names E u)). now rewrite IHt, IHu.
  - intros a s f IHf rest IHr H. cbn in H. apply andb_prop in H as [H1 H2].
    change (Plus a s (with_names (E ++ X) f) (terms_with_names (E ++ X) rest)
      = Plus a s (with_names E f) (terms_with_names E rest)). now rewrite IHf, IHr.
Qed.

Lemma names_below_more a b : a <= b -> (forall f, names_below a f = true -> names_below b f = true) /\
  (forall t, term_names_below a t = true -> term_names_below b t = true).
Proof.
  intros L. apply formula_term_mutual; try reflexivity;
    try (intros f IHf H; now apply IHf);
    try (intros f IHf g IHg H; cbn in H |- *; apply andb_prop in H as [H1 H2]; now rewrite IHf, IHg).
  - intros [] H; try reflexivity. cbn [names_below] in *. apply Nat.ltb_lt in H. apply Nat.ltb_lt. lia.
  - intros q s f IHf H. cbn in H |- *. apply andb_prop in H as [-> H]. now apply IHf.
  - intros q t IHt H. cbn in H |- *. apply andb_prop in H as [-> H]. now apply IHt.
  - intros r t IHt u IHu H. cbn in H |- *. apply andb_prop in H as [H1 H2]. now rewrite IHt, IHu.
  - intros a' s f IHf rest IHr H. cbn in H |- *. apply andb_prop in H as [H1 H2]. now rewrite IHf, IHr.
Qed.

(* Each formula of the list is its definition with all names unfolded. *)
Lemma unfold_all_spec definitions : forall E, in_order (length E) definitions = true -> exists X,
  unfold_all E definitions = E ++ X /\ length X = length definitions /\ forall k, k < length definitions ->
  nth k X (Truth false) = with_names (E ++ X) (nth k definitions (Truth false)).
Proof.
  induction definitions as [|f l IH]; intros E H; cbn [in_order unfold_all] in *.
  - exists []. rewrite app_nil_r. repeat split. intros k Hk. simpl in Hk. lia.
  - apply andb_prop in H as [Hf H]. destruct (IH (E ++ [with_names E f])) as (X & U & Le & V).
    { rewrite length_app. simpl. now rewrite Nat.add_1_r. }
    exists (with_names E f :: X). rewrite <- app_assoc in U, V. simpl app in U, V. split; [exact U|].
    split; [simpl; now rewrite Le|]. intros [|k] Hk; cbn [nth length] in *.
    + symmetry. now apply (proj1 (more_names E (with_names E f :: X) (length E) (le_n _))).
    + apply V. lia.
Qed.

Lemma definitions_below definitions : forall k, in_order k definitions = true -> forall m, m < length definitions ->
  names_below (k + length definitions) (nth m definitions (Truth false)) = true.
Proof.
  induction definitions as [|f l IH]; intros k H m Hm; cbn [length in_order] in *; [lia|].
  apply andb_prop in H as [Hf H]. destruct m as [|m]; cbn [nth].
  - apply (proj1 (names_below_more k (k + S (length l)) ltac:(lia)) f Hf).
  - replace (k + S (length l)) with (S k + length l) by lia. apply IH; [exact H|lia].
Qed.

(* ---- the views: as it stands, and with the name on top unfolded ---- *)
Definition unfold_name (definitions : list formula) (f : formula) : formula :=
  match f with Positional (User m) => if m <? base then f else nth (m - base) definitions f | _ => f end.
Definition unfold_meaning (definitions : list formula) (a : meaning) : meaning :=
  match a with
  | IsTruth f => IsTruth (unfold_name definitions f)
  | IsSlack f => IsSlack (unfold_name definitions f)
  | IsNear f guard => IsNear (unfold_name definitions f) guard
  | _ => a
  end.
Definition both_views (definitions : list formula) : outlook := Outlook [fun a => a; unfold_meaning definitions] None.

Definition embeds_no_names (T : transformer) : bool :=
  forallb (fun e => match snd e with Formula _ => true | Bracket g _ => names_below 0 g end) (position_embedding T).
Definition check_graph (L : lengths) (T : transformer) (M : list meaning) (definitions : list formula) (f : formula) :
  bool := in_order 0 definitions && names_below (length definitions) f && embeds_no_names T &&
  check_through (both_views definitions) L T M f.

(* ---- soundness ---- *)
Section Sound.
Variables (users : predicate_meanings) (n : nat) (w : word) (definitions : list formula).
Hypothesis Order : in_order 0 definitions = true.

Definition users_and_names : predicate_meanings := fun m k l =>
  if m <? base then users m k l else truth users n w (nth (m - base) (unfolded definitions) (Truth false))
    (BinInt.Z.to_nat k).

Lemma names_as_written f : names_below (length definitions) f = true ->
  truth users_and_names n w f = truth users n w (written_out definitions f).
Proof.
  apply (proj1 (names_mean users users_and_names n w (unfolded definitions) (length definitions)
    ltac:(intros m k H; unfold users_and_names; now rewrite (proj2 (Nat.ltb_lt _ _) H))
    ltac:(intros m i H; unfold users_and_names; rewrite (proj2 (Nat.ltb_ge (base + m) base)) by lia;
    rewrite Znat.Nat2Z.id; now replace (base + m - base) with m by lia))).
Qed.

Lemma unfolding_means_the_same f : truth users_and_names n w f = truth users_and_names n w (unfold_name definitions f).
Proof.
  destruct f as [| | | | | | | | | | |p| | |]; try reflexivity. destruct p as [| | | | | | | |m]; try reflexivity.
  cbn [unfold_name]. destruct (Nat.ltb_spec m base) as [L|L]; [reflexivity|].
  destruct (Nat.lt_ge_cases (m - base) (length definitions)) as [H|H]; [|now rewrite nth_overflow].
  rewrite (nth_indep _ _ (Truth false) H), (names_as_written _ (definitions_below definitions 0 Order _ H)).
  unfold written_out. destruct (unfold_all_spec definitions [] Order) as (X & U & _ & V). unfold unfolded in *.
  simpl app in *. rewrite U. rewrite <- V by exact H. apply functional_extensionality. intros i.
  cbn [truth predicate_holds]. unfold users_and_names, unfolded. rewrite (proj2 (Nat.ltb_ge m base) L), Znat.Nat2Z.id.
  now rewrite U.
Qed.

Lemma views_mean_the_same u : In u (seen_as (both_views definitions)) -> forall i a x,
  meaning_holds users_and_names n w i a x <-> meaning_holds users_and_names n w i (u a) x.
Proof.
  intros [<-|[<-|[]]] i a x; [reflexivity|].
  destruct a; cbn [unfold_meaning meaning_holds]; rewrite <- ?unfolding_means_the_same; reflexivity.
Qed.

Local Lemma collect_ext {X} (f g : X -> R) l d : (forall e, In e l -> f (snd e) = g (snd e)) ->
  collect f l d = collect g l d.
Proof.
  induction l as [|[e x] l IH]; intros H; [reflexivity|]. cbn [collect]. rewrite IH by (intros; apply H; now right).
  pose proof (H (e, x) (or_introl eq_refl)) as E. cbn [snd] in E. now rewrite E.
Qed.

Lemma embedded_alike T : embeds_no_names T = true -> embed users_and_names T n w = embed users T n w.
Proof.
  intros H. apply functional_extensionality. intros i. apply functional_extensionality. intros d. unfold embed. f_equal.
  apply collect_ext. intros [e p] He. unfold embeds_no_names in H. rewrite forallb_forall in H. specialize (H _ He).
  destruct p as [x|g shifted]; [reflexivity|]. cbn [snd position_value] in *. f_equal.
  rewrite (proj1 (names_mean users users_and_names n no_word [] 0 ltac:(intros m k L; unfold users_and_names;
    now rewrite (proj2 (Nat.ltb_lt _ _) L)) ltac:(intros m j L; lia)) g H). now rewrite (proj1 (no_names []) g H).
Qed.
End Sound.

Theorem check_graph_computes users L T M definitions f : check_graph L T M definitions f = true ->
  defined_for L T /\ computes_for users L T (written_out definitions f).
Proof.
  unfold check_graph. intros H. apply andb_prop in H as [H C]. apply andb_prop in H as [H E].
  apply andb_prop in H as [O F]. split.
  - unfold check_through in C. apply andb_prop in C as [C _]. now apply defined_there_correct.
  - intros n w HL Over i. rewrite <- (names_as_written users n w definitions f F).
    rewrite <- (check_through_correct (users_and_names users n w definitions) n w L _ T M f HL
      (views_mean_the_same users n w definitions O) ltac:(easy) C Over i).
    unfold run_transformer. now rewrite (embedded_alike users n w definitions T E).
Qed.

Corollary check_graph_computes_always users T M definitions f : check_graph every_length T M definitions f = true ->
  defined T /\ computes users T (written_out definitions f).
Proof.
  intros H. destruct (check_graph_computes users every_length T M definitions f H) as [_ C]. split.
  - unfold check_graph, check_through in H. apply andb_prop in H as [_ H]. apply andb_prop in H as [H _].
    now apply well_defined_correct, defined_there_always.
  - intros n w Hn. apply C. now repeat split.
Qed.
End Names.
