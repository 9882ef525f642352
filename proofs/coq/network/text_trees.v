(* Trees of words, signs, operators and brackets, and their text with no more parentheses than it needs: no text is that
   of two trees.

   Expressions, conditions and formulas are such trees (one_text.v). A language is a table of signs and operators, each
   with its own level and those of its operands; whether a table is in order is a computation. Proved in two steps: the
   text is that of one row of tokens only, and a machine with a stack makes the tree of its tokens. *)
From Coq Require Import String Ascii List Bool Arith Lia.
From Certify Require Import json_text formula_text.
Import ListNotations.
Open Scope string_scope.
Open Scope nat_scope.

(* ---- strings that a quotation mark ends: each backslash has a character after it ---- *)
Fixpoint closed_string (s : string) : bool :=
  match s with
  | "" => true
  | String c r =>
    if Ascii.eqb c "\" then match r with "" => false | String _ r => closed_string r end
    else negb (Ascii.eqb c "034") && closed_string r
  end.

Inductive is_closed : string -> Prop :=
| closed_end : is_closed ""
| closed_character c s : c <> "\"%char -> c <> "034"%char -> is_closed s -> is_closed (String c s)
| closed_pair c s : is_closed s -> is_closed (String "\" (String c s)).

Lemma closed_is_closed s : closed_string s = true -> is_closed s.
Proof.
  remember (String.length s) as k eqn:K. assert (L : String.length s <= k) by lia. clear K. revert s L.
  induction k as [|k IH]; intros [|c s] L H; simpl in *; try lia; try exact closed_end.
  destruct (Ascii.eqb_spec c "\") as [->|C].
  - destruct s as [|d s]; [discriminate|]. simpl in L. apply closed_pair, IH; [lia|exact H].
  - apply andb_prop in H as [Q H]. destruct (Ascii.eqb_spec c "034") as [->|D]; [discriminate|].
    apply closed_character; auto. apply IH; [lia|exact H].
Qed.

Lemma closed_app s t : closed_string s = true -> closed_string (s ++ t) = closed_string t.
Proof.
  intros H. apply closed_is_closed in H. induction H as [|c s C D H IH|c s H IH]; [reflexivity| |exact IH].
  simpl. rewrite IH. destruct (Ascii.eqb_spec c "\"); [easy|]. now destruct (Ascii.eqb_spec c "034").
Qed.

Lemma closed_until_quote s t r r' : closed_string s = true -> closed_string t = true ->
  s ++ String "034" r = t ++ String "034" r' -> s = t /\ r = r'.
Proof.
  intros H. apply closed_is_closed in H. revert t. induction H as [|c s C D H IH|c s H IH]; intros t Ht E.
  - destruct t as [|d t]; [now injection E|]. simpl in E. injection E as <- _. simpl in Ht. discriminate.
  - destruct t as [|d t]; simpl in E; injection E as -> E; [easy|]. simpl in Ht.
    destruct (Ascii.eqb_spec d "\"); [easy|]. apply andb_prop in Ht as [_ Ht]. now destruct (IH t Ht E) as [-> ->].
  - destruct t as [|d t]; simpl in E; [easy|]. injection E as <- E. simpl in Ht.
    destruct t as [|e t]; [discriminate|]. simpl in E. injection E as <- E. now destruct (IH t Ht E) as [-> ->].
Qed.

(* What `escaped_letter` does can be undone, character by character. *)
Local Fixpoint unescaped (s : string) : string * string :=
  match s with
  | "" => ("", "")
  | String "'" r => ("", r)
  | String "\" (String "\" (String "\" (String "\" r))) => let (x, q) := unescaped r in ("\\" ++ x, q)
  | String "\" (String "\" (String "'" r)) => let (x, q) := unescaped r in ("'" ++ x, q)
  | String "\" (String c r) => let (x, q) := unescaped r in (String "\" (String c x), q)
  | String c r => let (x, q) := unescaped r in (String c x, q)
  end.

(* The cases of a match: few of the 256. *)
Ltac each_character c := destruct c as [? ? ? ? ? ? ? ?];
  repeat match goal with |- match ?bit with true => _ | false => _ end = _ => destruct bit end; try reflexivity.

Lemma escaped_other c s : c <> "\"%char -> c <> "'"%char -> escaped_letter (String c s) = String c (escaped_letter s).
Proof. intros B Q. cbn [escaped_letter]. each_character c; congruence. Qed.
Lemma escaped_pair c s : c <> "\"%char -> escaped_letter (String "\" (String c s)) = String "\" (String c
  (escaped_letter s)).
Proof. intros B. cbn [escaped_letter]. each_character c; congruence. Qed.
Lemma unescaped_other c s : c <> "\"%char -> c <> "'"%char ->
  unescaped (String c s) = let (x, q) := unescaped s in (String c x, q).
Proof. intros B Q. cbn [unescaped]. each_character c; congruence. Qed.
Lemma unescaped_pair c s : c <> "\"%char ->
  unescaped (String "\" (String c s)) = let (x, q) := unescaped s in (String "\" (String c x), q).
Proof. intros B. cbn [unescaped]. each_character c; congruence. Qed.

Lemma unescaped_escaped s r : closed_string s = true -> unescaped (escaped_letter s ++ String "'" r) = (s, r).
Proof.
  intros H. apply closed_is_closed in H. induction H as [|c s C D H IH|c s H IH]; [reflexivity| |].
  - destruct (ascii_dec c "'") as [->|Q]; [simpl; now rewrite IH|].
    rewrite escaped_other by assumption. cbn [append]. now rewrite unescaped_other, IH.
  - destruct (ascii_dec c "\") as [->|B]; [simpl; now rewrite IH|].
    rewrite escaped_pair by assumption. cbn [append]. now rewrite unescaped_pair, IH.
Qed.

Lemma escaped_once s t r r' : closed_string s = true -> closed_string t = true ->
  escaped_letter s ++ String "'" r = escaped_letter t ++ String "'" r' -> s = t /\ r = r'.
Proof.
  intros Hs Ht E. apply (f_equal unescaped) in E. rewrite !unescaped_escaped in E by assumption. now injection E.
Qed.

(* ---- trees ---- *)
Record operator := Operator { spelling : string; own_level : nat; left_level : nat; right_level : nat }.

Inductive tree :=
| Word (s : string)
| Letter (s : string)                                                  (* Q['...'] *)
| Signed (o : operator) (t : tree)
| Infixed (o : operator) (a b : tree)
| Called (a t : tree)                                                  (* a(t) *)
| Boxed (opening : string) (t : tree).                                 (* as in #<[t] *)

(* Before an operand or as one; after one. *)
Inductive token :=
| AWord (s : string) | ALetter (s : string) | ASign (o : operator) | AnOpening (s : string)
| AnInfix (o : operator) | ACall | AClosing (s : string).

Definition tree_level (t : tree) : nat := match t with Signed o _ | Infixed o _ _ => own_level o | _ => 8 end.
Definition in_place (wanted level : nat) (l : list token) : list token :=
  if level <? wanted then AnOpening "(" :: l ++ [AClosing ")"] else l.
Fixpoint tree_tokens (t : tree) : list token :=
  match t with
  | Word s => [AWord s]
  | Letter s => [ALetter s]
  | Signed o t => ASign o :: in_place (right_level o) (tree_level t) (tree_tokens t)
  | Infixed o a b => in_place (left_level o) (tree_level a) (tree_tokens a)
      ++ AnInfix o :: in_place (right_level o) (tree_level b) (tree_tokens b)
  | Called a t => tree_tokens a ++ ACall :: tree_tokens t ++ [AClosing ")"]
  | Boxed s t => AnOpening s :: tree_tokens t ++ [AClosing "]"]
  end.

Definition token_text (t : token) : string :=
  match t with
  | AWord s | AnOpening s | AClosing s => s
  | ALetter s => "Q['" ++ escaped_letter s ++ "']"
  | ASign o | AnInfix o => spelling o
  | ACall => "("
  end.
Fixpoint row_text (l : list token) : string := match l with [] => "" | t :: l => token_text t ++ row_text l end.
Definition tree_text (t : tree) : string := row_text (tree_tokens t).

(* ---- the machine: what is to come, the operand that stands before it, what waits for one ---- *)
Inductive stack_frame := SignOf (o : operator) | LeftOf (a : tree) (o : operator) | CallOf (a : tree) | Opened (s :
  string).

(* An operator of this level ends what binds more tightly; level 0 is a bracket. *)
Local Fixpoint reduce (level : nat) (t : tree) (waiting : list stack_frame) : tree * list stack_frame :=
  match waiting with
  | SignOf o :: rest => if level <? right_level o then reduce level (Signed o t) rest else (t, waiting)
  | LeftOf a o :: rest => if level <? right_level o then reduce level (Infixed o a t) rest else (t, waiting)
  | _ => (t, waiting)
  end.

Local Fixpoint machine (l : list token) (operand : option tree) (waiting : list stack_frame) : option tree :=
  match l, operand with
  | [], Some t => Some (fst (reduce 0 t waiting))
  | AWord s :: l, None => machine l (Some (Word s)) waiting
  | ALetter s :: l, None => machine l (Some (Letter s)) waiting
  | ASign o :: l, None => machine l None (SignOf o :: waiting)
  | AnOpening s :: l, None => machine l None (Opened s :: waiting)
  | AnInfix o :: l, Some t => let (a, rest) := reduce (own_level o) t waiting in machine l None (LeftOf a o :: rest)
  | ACall :: l, Some t => machine l None (CallOf t :: waiting)
  | AClosing _ :: l, Some t =>
      match reduce 0 t waiting with
      | (t, Opened "(" :: rest) => machine l (Some t) rest
      | (t, Opened s :: rest) => machine l (Some (Boxed s t)) rest
      | (t, CallOf a :: rest) => machine l (Some (Called a t)) rest
      | _ => None
      end
  | _, _ => None
  end.

(* ---- languages ---- *)
Section Language.
Variables signs infixes : list operator.

Local Definition openings : list string := ["("; "#<["; "#>["].
Definition first_tokens : list token := map ASign signs ++ map AnOpening openings.
Local Definition after : list token := map AnInfix infixes ++ [ACall; AClosing ")"; AClosing "]"].
Definition before_texts : list string := "Q['" :: map token_text first_tokens.
Definition after_texts : list string := map token_text after.

(* The word characters at the beginning. *)
Fixpoint leading_run (s : string) : string :=
  match s with String c r => if is_word_character c then String c (leading_run r) else "" | "" => "" end.
Definition is_run (s : string) : bool := String.eqb (leading_run s) s.
Fixpoint no_beginnings (l : list string) : bool :=
  match l with
  | [] => true
  | s :: l => forallb (fun t => negb (String.prefix s t) && negb (String.prefix t s)) l && no_beginnings l
  end.

Definition levels_fit : bool := forallb (fun o => (1 <=? right_level o) && forallb (fun e =>
  implb (right_level o <=? own_level e) (right_level o <=? right_level e)) (signs ++ infixes)) (signs ++ infixes) &&
  forallb (fun o => (own_level o <=? left_level o) && forallb (fun e => implb (left_level o <=? own_level e)
  (own_level o <? right_level e)) (signs ++ infixes)) infixes.
Definition is_language : bool :=
  levels_fit && no_beginnings before_texts && no_beginnings after_texts
  && forallb (fun s => negb (is_run s)) before_texts
  && forallb (fun s => match leading_run s with "" => negb (String.eqb s "") | _ => false end) after_texts.

Definition is_word (s : string) : bool :=
  is_run s && negb (String.eqb s "") && negb (existsb (String.eqb s) (map leading_run before_texts)).

Fixpoint is_tree (t : tree) : Prop :=
  match t with
  | Word s => is_word s = true
  | Letter s => closed_string s = true
  | Signed o t => In o signs /\ is_tree t
  | Infixed o a b => In o infixes /\ is_tree a /\ is_tree b
  | Called a t => match a with Word _ | Called _ _ => True | _ => False end /\ is_tree a /\ is_tree t
  | Boxed s t => In s openings /\ s <> "(" /\ is_tree t
  end.

Hypothesis Language : is_language = true.

(* ---- the machine makes the tree of its tokens ---- *)
(* What follows a tree may not belong to its last operand. *)
Local Definition ends (level : nat) (l : list token) : Prop :=
  match l with
  | [] | AClosing _ :: _ => True
  | AnInfix o :: _ => own_level o < level
  | _ => False
  end.
Definition may_follow (t : tree) (l : list token) : Prop :=
  match t with Signed o _ | Infixed o _ _ => ends (right_level o) l | _ => True end.
Local Definition waits (waiting : list stack_frame) (level : nat) : Prop :=
  match waiting with SignOf o :: _ | LeftOf _ o :: _ => right_level o <= level | _ => True end.

Local Lemma levels o e : In o (signs ++ infixes) -> In e (signs ++ infixes) ->
  1 <= right_level o /\ (right_level o <= own_level e -> right_level o <= right_level e) /\
  (In o infixes -> own_level o <= left_level o /\ (left_level o <= own_level e -> own_level o < right_level e)).
Proof.
  unfold is_language, levels_fit in Language. rewrite !andb_true_iff, !forallb_forall in Language.
  destruct Language as [[[[[A B] _] _] _] _]. intros Ho He. specialize (A o Ho).
  rewrite andb_true_iff, forallb_forall in A. destruct A as [A1 A2]. apply Nat.leb_le in A1. specialize (A2 e He).
  split; [exact A1|]. split; [intros H; apply Nat.leb_le in H; rewrite H in A2; now apply Nat.leb_le|]. intros I.
  specialize (B o I). rewrite andb_true_iff, forallb_forall in B. destruct B as [B1 B2]. specialize (B2 e He).
  split; [now apply Nat.leb_le|]. intros H. apply Nat.leb_le in H. rewrite H in B2. now apply Nat.ltb_lt.
Qed.

Lemma reduce_waits level t waiting : waits waiting level -> reduce level t waiting = (t, waiting).
Proof. destruct waiting as [|[] rest]; simpl; intros H; try reflexivity; now apply Nat.ltb_ge in H as ->. Qed.

(* A frame on top takes its operand, whatever comes, if what comes ends it. *)
Lemma reduced_by_next l t o a waiting frame : 1 <= right_level o -> ends (right_level o) l ->
  (frame = SignOf o /\ a = Signed o t \/ exists b, frame = LeftOf b o /\ a = Infixed o b t) ->
  machine l (Some t) (frame :: waiting) = machine l (Some a) waiting.
Proof.
  intros H1 H F. assert (R : forall level, level < right_level o ->
    reduce level t (frame :: waiting) = reduce level a waiting).
  { intros level L. apply Nat.ltb_lt in L. destruct F as [[-> ->]|[b [-> ->]]]; simpl; now rewrite L. }
  destruct l as [|[] l]; try destruct H; cbn [machine]; rewrite R; auto; simpl in H; lia.
Qed.

Local Definition made (t : tree) : Prop := forall l waiting, waits waiting (tree_level t) -> may_follow t l ->
  machine (tree_tokens t ++ l) None waiting = machine l (Some t) waiting.

Lemma made_in_place t wanted l waiting : made t -> waits waiting wanted -> (wanted <= tree_level t -> may_follow t l) ->
  machine (in_place wanted (tree_level t) (tree_tokens t) ++ l) None waiting = machine l (Some t) waiting.
Proof.
  intros M W F. unfold in_place. destruct (Nat.ltb_spec (tree_level t) wanted) as [L|L].
  - cbn [app machine]. rewrite <- app_assoc, M; [| exact I |destruct t; exact I || exact I]. reflexivity.
  - apply M; [|now apply F]. destruct waiting as [|[] rest]; simpl in *; lia.
Qed.

Lemma follows_on o t l : In o (signs ++ infixes) -> is_tree t -> ends (right_level o) l ->
  right_level o <= tree_level t -> may_follow t l.
Proof.
  intros Ho T E L. assert (K : forall e, In e (signs ++ infixes) -> right_level o <= own_level e ->
    ends (right_level e) l).
  { intros e He H. apply (levels o e Ho He) in H. destruct l as [|[] l]; try exact E. simpl in *. lia. }
  destruct t as [| |e t|e a b| |]; try exact I; apply K; auto; apply in_or_app; [left|right]; apply T.
Qed.

Lemma every_tree_made t : is_tree t -> made t.
Proof.
  induction t as [s|s|o t IH|o a IHa b IHb|a IHa t IH|s t IH]; intros T l waiting W F; cbn [tree_tokens app machine].
  - reflexivity.
  - reflexivity.
  - destruct T as [Ho T]. assert (Ho' : In o (signs ++ infixes)) by (apply in_or_app; auto).
    rewrite (made_in_place t) by (first [solve [auto] | simpl; lia | now apply (follows_on o)]).
    apply (reduced_by_next l t o); auto. now apply (levels o o).
  - destruct T as (Ho & Ta & Tb). assert (Ho' : In o (signs ++ infixes)) by (apply in_or_app; auto).
    destruct (levels o o Ho' Ho') as (R1 & _ & R2). destruct (R2 Ho) as [R3 _].
    rewrite <- app_assoc. cbn [app]. rewrite (made_in_place a); auto.
    + cbn [machine]. rewrite reduce_waits by exact W.
      rewrite (made_in_place b) by (first [solve [auto] | simpl; lia | now apply (follows_on o)]).
      apply (reduced_by_next l b o); eauto.
    + destruct waiting as [|[] rest]; simpl in *; lia.
    + intros L. destruct a as [| |e a|e a c| |]; try exact I; simpl; apply (levels o e); auto; apply in_or_app;
        [left|right]; apply Ta.
  - destruct T as (C & Ta & T). rewrite <- app_assoc. cbn [app].
    rewrite (IHa Ta); [|destruct a; try easy; exact W|destruct a; easy]. cbn [machine]. rewrite <- app_assoc, (IH T);
      [reflexivity|exact I|destruct t; exact I].
  - destruct T as (S & N & T). rewrite <- app_assoc, (IH T); [|exact I|destruct t; exact I]. cbn [app machine reduce].
    destruct S as [<-|[<-|[<-|[]]]]; [congruence|reflexivity|reflexivity].
Qed.

Lemma tokens_once t u : is_tree t -> is_tree u -> tree_tokens t = tree_tokens u -> t = u.
Proof.
  intros T U E. apply (f_equal (fun l => machine (l ++ []) None [])) in E.
  rewrite !every_tree_made in E by (auto; try exact I; match goal with |- may_follow ?t _ => destruct t; exact I end).
  cbn in E. congruence.
Qed.

(* ---- a text is that of one row of tokens ---- *)
Definition is_before (t : token) : Prop :=
  match t with AWord s => is_word s = true | ALetter s => closed_string s = true | t => In t first_tokens end.
Definition stands_alone (t : token) : bool := match t with AWord _ | ALetter _ | AClosing _ => true | _ => false end.
(* `operand` is true after an operand. *)
Fixpoint is_token_row (operand : bool) (l : list token) : Prop :=
  match l with
  | [] => operand = true
  | t :: l => (if operand then In t after else is_before t) /\ is_token_row (stands_alone t) l
  end.

Lemma app_once (s t r r' : string) : s ++ r = t ++ r' -> String.prefix s t = true \/ String.prefix t s = true.
Proof.
  revert t. induction s as [|c s IH]; intros [|d t] E; simpl; auto. injection E as -> E.
  destruct (ascii_dec d d); [|easy]. apply (IH t E).
Qed.
Lemma app_same (s r r' : string) : s ++ r = s ++ r' -> r = r'.
Proof. induction s as [|c s IH]; simpl; [easy|]. intros E. injection E. auto. Qed.
Lemma app_assoc_text (s t r : string) : (s ++ t) ++ r = s ++ t ++ r.
Proof. induction s as [|c s IH]; simpl; congruence. Qed.

Lemma listed_once {X} (text : X -> string) l x y r r' : no_beginnings (map text l) = true -> In x l -> In y l ->
  text x ++ r = text y ++ r' -> x = y.
Proof.
  induction l as [|z l IH]; intros N Hx Hy E; [easy|]. simpl in N. apply andb_prop in N as [N1 N].
  rewrite forallb_forall in N1.
  assert (K : forall u, In u l -> String.prefix (text z) (text u) = false /\ String.prefix (text u) (text z) = false).
  { intros u Hu. specialize (N1 _ (in_map text l u Hu)).
    now apply andb_prop in N1 as [A%negb_true_iff B%negb_true_iff]. }
  destruct Hx as [<-|Hx], Hy as [<-|Hy]; auto; exfalso.
  - destruct (K y Hy). destruct (app_once _ _ _ _ E); congruence.
  - destruct (K x Hx). destruct (app_once _ _ _ _ E); congruence.
Qed.

Lemma run_app s r : leading_run r = "" -> is_run s = true -> leading_run (s ++ r) = s.
Proof.
  intros R H. apply String.eqb_eq in H. revert H. induction s as [|c s IH]; intros H; [exact R|]. simpl in *.
  destruct (is_word_character c); [|discriminate]. injection H as H. now rewrite IH.
Qed.
Lemma run_of_no_run s r : is_run s = false -> leading_run (s ++ r) = leading_run s.
Proof.
  intros H. apply String.eqb_neq in H. induction s as [|c s IH]; [easy|]. simpl in *.
  destruct (is_word_character c); [|reflexivity]. rewrite IH; congruence.
Qed.

Local Lemma parts : no_beginnings before_texts = true /\ no_beginnings after_texts = true /\ (forall s,
  In s before_texts -> is_run s = false) /\ (forall s r, In s after_texts -> leading_run (s ++ r) = "" /\ s <> "").
Proof.
  unfold is_language in Language. rewrite !andb_true_iff, !forallb_forall in Language.
  destruct Language as [[[[_ B] A] R] S]. repeat split; auto.
  - intros s H. now apply negb_true_iff, R.
  - specialize (S s H). rewrite run_of_no_run; [now destruct (leading_run s)|]. unfold is_run.
    destruct (leading_run s); [|easy]. destruct s; easy.
  - specialize (S s H). intros ->. discriminate.
Qed.

Lemma run_of_row l : is_token_row true l -> leading_run (row_text l) = "".
Proof. destruct l as [|t l]; [reflexivity|]. intros [H _]. cbn [row_text]. now apply parts, in_map. Qed.

(* A token's fixed beginning, and what comes after it. *)
Local Definition key (t : token) : token := match t with ALetter _ => ALetter "" | t => t end.
Definition key_text (t : token) : string := match t with ALetter _ => "Q['" | t => token_text t end.
Definition after_key (t : token) : string := match t with ALetter s => escaped_letter s ++ "']" | _ => "" end.
Local Definition keys : list token := ALetter "" :: first_tokens.

Lemma key_texts : map key_text keys = before_texts.
Proof.
  unfold before_texts, keys. cbn [map]. f_equal. apply map_ext_in. intros t H.
  apply in_app_or in H as [H|H]; apply in_map_iff in H as (? & <- & _); reflexivity.
Qed.
Lemma starts_with_key t r : token_text t ++ r = key_text (key t) ++ after_key t ++ r. Proof. now destruct t. Qed.

Lemma no_word_begins w t r r' : is_word w = true -> leading_run r = "" -> In (key t) keys ->
  w ++ r <> token_text t ++ r'.
Proof.
  intros W R K E. unfold is_word in W. rewrite !andb_true_iff, !negb_true_iff in W. destruct W as [[W _] N].
  apply (in_map key_text) in K. rewrite key_texts in K. rewrite starts_with_key in E. apply (f_equal leading_run) in E.
  rewrite run_app, run_of_no_run in E by (auto; now apply parts). apply Bool.diff_true_false. rewrite <- N. symmetry.
  apply existsb_exists. exists (leading_run (key_text (key t))). split; [now apply in_map|]. now apply String.eqb_eq.
Qed.

Lemma word_or_key t : is_before t -> (exists w, t = AWord w /\ is_word w = true) \/ In (key t) keys.
Proof. destruct t; intros H; [left; eauto|right; now left|right; right; exact H..]. Qed.

Lemma token_once_before s t r r' : is_before s -> is_before t -> (stands_alone s = true -> leading_run r = "") ->
  (stands_alone t = true -> leading_run r' = "") -> token_text s ++ r = token_text t ++ r' -> s = t.
Proof.
  intros Hs Ht Rs Rt E. destruct (word_or_key s Hs) as [(w & -> & W)|Ks], (word_or_key t Ht) as [(w' & -> & W')|Kt].
  - f_equal. cbn [token_text] in E. apply (f_equal leading_run) in E. unfold is_word in *.
    rewrite !andb_true_iff in *. rewrite !run_app in E; tauto.
  - now apply no_word_begins in E; auto.
  - symmetry in E. now apply no_word_begins in E; auto.
  - rewrite !starts_with_key in E. assert (K : key s = key t).
    { apply (listed_once key_text keys) with (r := after_key s ++ r) (r' := after_key t ++ r'); auto.
      rewrite key_texts. apply parts. }
    rewrite K in E. apply app_same in E.
    destruct s as [| x | | | | | ], t as [| y | | | | |]; try discriminate; try exact K. simpl in E, Hs, Ht.
    rewrite !app_assoc_text in E. now destruct (escaped_once x y _ _ Hs Ht E) as [-> _].
Qed.

Lemma row_once l : forall operand l', is_token_row operand l -> is_token_row operand l' -> row_text l = row_text l' ->
  l = l'.
Proof.
  assert (A : forall s r, In s after -> "" <> token_text s ++ r).
  { intros s r H E. apply (in_map token_text) in H. destruct (token_text s) eqn:T; [|discriminate].
    now destruct parts as (_ & _ & _ & P), (P "" "" H). }
  induction l as [|s l IH]; intros operand [|t l'] H H' E; [reflexivity| | |].
  - simpl in H. subst operand. destruct (A t (row_text l') (proj1 H') E).
  - simpl in H'. subst operand. destruct (A s (row_text l) (proj1 H) (eq_sym E)).
  - destruct H as [Hs H], H' as [Ht H']. cbn [row_text] in E. assert (K : s = t).
    { destruct operand.
      - apply (listed_once token_text after) with (r := row_text l) (r' := row_text l'); auto. apply parts.
      - apply (token_once_before s t (row_text l) (row_text l')); auto; intros S; rewrite S in *;
          now apply run_of_row. }
    subst t. f_equal. apply app_same in E. now apply (IH (stands_alone s)).
Qed.

(* ---- a text is that of one tree ---- *)
Lemma row_in_place t wanted l : (forall l, is_token_row true l -> is_token_row false (tree_tokens t ++ l)) ->
  is_token_row true l -> is_token_row false (in_place wanted (tree_level t) (tree_tokens t) ++ l).
Proof.
  intros R H. unfold in_place. destruct (_ <? _); [|now apply R]. cbn [app is_token_row stands_alone]. split.
  - apply in_or_app. right. now left.
  - rewrite <- app_assoc. apply R. simpl. split; [|exact H]. apply in_or_app. right. simpl. auto.
Qed.

Lemma row_of_tree t : is_tree t -> forall l, is_token_row true l -> is_token_row false (tree_tokens t ++ l).
Proof.
  induction t as [s|s|o t IH|o a IHa b IHb|a IHa t IH|s t IH]; intros T l H;
    cbn [tree_tokens app is_token_row stands_alone].
  - now split.
  - now split.
  - destruct T as [Ho T]. split; [apply in_or_app; left; now apply in_map|]. now apply row_in_place; auto.
  - destruct T as (Ho & Ta & Tb). rewrite <- app_assoc. apply row_in_place; auto. cbn [app is_token_row stands_alone].
    split; [apply in_or_app; left; now apply in_map|]. now apply row_in_place; auto.
  - destruct T as (_ & Ta & T). rewrite <- app_assoc. apply IHa; auto. cbn [app is_token_row stands_alone].
    split; [apply in_or_app; right; now left|]. rewrite <- app_assoc. apply IH; auto.
    cbn [app is_token_row stands_alone]. split; [apply in_or_app; right; simpl; auto|exact H].
  - destruct T as (S & _ & T). split; [apply in_or_app; right; now apply in_map|]. rewrite <- app_assoc. apply IH; auto.
    cbn [app is_token_row stands_alone]. split; [apply in_or_app; right; simpl; auto|exact H].
Qed.

Theorem tree_text_once t u : is_tree t -> is_tree u -> tree_text t = tree_text u -> t = u.
Proof.
  intros T U E. apply tokens_once; auto. apply (row_once _ false); auto; rewrite <- (app_nil_r (tree_tokens _));
    now apply row_of_tree.
Qed.
End Language.
