(* The errors that a file states of its heads, proved with the network's own numbers (check_by_rows.v,
   check_by_sticks.v, check_by_differences.v, lookup_errors.v and lookup_by_distances.v for lookups of one count, and
   sum_lookup_by_rows.v for those of a sum).

   `walk` is `layers_stages` of check.v with all that it comes by: before each layer what is known, the layer, and those
   after it. Proved: an error that `errs` accepts is one of the direction in the whole network, since no other
   stage writes it. *)
From Coq Require Import Reals QArith ZArith List Bool Lra Lia Arith.
From Certify Require Import positions lists finite_sums softmax weighing formula network totals meaning
  linear_combination check_by_rows check_by_sticks check_by_differences lookup_by_rows lookup_errors sum_lookup_by_rows
  lookup_by_distances check.
Import ListNotations PositionNotations.
Open Scope R_scope.

Definition stop := (list meaning * layer * list layer)%type.

Fixpoint walk (views : outlook) (letters : nat) (L : lengths) (M : list meaning) (ls : list layer) (A : list meaning)
  : list stop * list meaning :=
  match ls with
  | [] => ([], A)
  | l :: ls => let (stops, B) := walk views letters L M ls (layer_stages views letters L M A l) in ((A, l,
    ls) :: stops, B)
  end.

Definition leaves_alone (d : direction) (l : layer) : bool :=
  match head_rows l d with [] => negb (writes_to l d) | _ => false end.
(* What a sparse head looks for it holds without an error. *)
Definition errs_otherwise (L : lengths) (A : list meaning) (a : head) (r : row) (b : meaning) (if_false if_true : Q)
  : bool :=
  match head_weighing a, sparse_order (head_weighing a) with
  | _, Some order => Qle_bool 0 if_false && Qle_bool 0 if_true && check_sharp_lookup order L A a r b
  | Softmax, None => errs_by_lookup L A a r b if_false if_true
  | _, None => false
  end.
(* One count of long words: the rule for sums, which is coarser and slow there, would not prove what the first rule does
   not try. *)
Definition is_long_lookup (L : lengths) (A : list meaning) (a : head) : bool :=
  match looked_up A a, greatest_length L with Some _, Some N => (greatest_of_truths <? N)%nat | _, _ => false end.
Definition errs_alone (views : outlook) (letters : nat) (L : lengths) (A : list meaning) (a : head) (r : row) (b :
  meaning)
    (if_false if_true : Q) : bool :=
  if errs_by_rows letters L A a r b if_false if_true then true
  else if check_by_sticks letters L A a r b if_false if_true then true
  else if errs_otherwise L A a r b if_false if_true then true
  else if is_long_lookup L A a then false
  else check_sum_lookup (known_users views) L A a r b if_false if_true.
Definition errs_together (views : outlook) (L : lengths) (A : list meaning) (as_ : list (head * row)) (b : meaning)
    (if_false if_true : Q) : bool :=
  match b with
  | IsNear chi guard => if selects L A as_ chi if_false if_true then true
                        else looks_up_together (known_users views) L A as_ chi guard if_false if_true
  | _ => false
  end.
(* The heads that write the direction have these errors at most, where the meaning asks for any. *)
Definition errs (views : outlook) (letters : nat) (L : lengths) (M : list meaning) (d : direction) (if_false if_true :
  Q) (s : stop) :
  bool :=
  let '(A, l, later) := s in
  let b := nth d M IsAnything in
  is_unwritten (nth d A IsAnything) && negb (writes_to l d) && forallb (leaves_alone d) later
  && match head_rows l d with
     | [(a, r)] => if errs_alone views letters L A a r b if_false if_true then true
                   else errs_together views L A [(a, r)] b if_false if_true
     | as_ => errs_together views L A as_ b if_false if_true
     end.

Section Walk.
Variables (views : outlook) (letters : nat) (L : lengths) (M : list meaning).

Lemma walk_end ls : forall A, snd (walk views letters L M ls A) = layers_stages views letters L M ls A.
Proof.
  induction ls as [|l ls IH]; intros A; [reflexivity|]. cbn [walk]. unfold layers_stages in *. cbn [fold_left].
  rewrite <- IH. now destruct (walk _ _ _ _ ls _).
Qed.

Variables (users : predicate_meanings) (n : nat) (w : word).
Hypothesis HL : length_allowed L n.
Hypothesis Over : each i upto n, (w i < letters)%nat.
Hypothesis Views : forall u, In u (seen_as views) -> forall i a x, meaning_holds users n w i a x <->
  meaning_holds users n w i (u a) x.
Hypothesis Known : forall u, known_users views = Some u -> u = users.
Notation holds_now := (holds_of users n w).
Notation through := (fold_left (fun h l => after_layer n l h)).

Lemma walk_stops ls : forall A h, holds_now A h -> forall B l later, In (B, l, later)
  (fst (walk views letters L M ls A)) -> exists g, holds_now B g /\ through ls h = through later (after_layer n l g).
Proof.
  induction ls as [|l0 ls IH]; intros A h HA B l later I; [destruct I|]. cbn [walk] in I.
  specialize (IH (layer_stages views letters L M A l0) (after_layer n l0 h)
    (layers_stages_correct users n w letters L HL Over views Views Known M [l0] A h HA)).
  destruct (walk views letters L M ls (layer_stages views letters L M A l0)) as [stops C]. cbn [fst] in *.
    destruct I as [E|I].
  - injection E as <- <- <-. now exists h.
  - exact (IH B l later I).
Qed.

Lemma after_layer_writes l g i d : writes_to l d = false ->
  after_layer n l g i d = g i d + total_over (fun ar => head_value (fst ar) n g i (snd ar)) (head_rows l d).
Proof.
  intros W. unfold after_layer, after_heads. rewrite (not_written l d _ W), Rplus_0_r. f_equal. apply head_rows_total.
Qed.

Lemma left_alone d later : forall h i, forallb (leaves_alone d) later = true -> through later h i d = h i d.
Proof.
  induction later as [|l later IH]; intros h i H; [reflexivity|]. cbn [forallb fold_left] in *.
  apply andb_prop in H as [A H]. rewrite (IH _ i H). unfold leaves_alone in A.
  rewrite after_layer_writes; destruct (head_rows l d); try discriminate; [cbn [total_over]; ring|].
  now apply negb_true_iff.
Qed.

Lemma errs_otherwise_cases B a r b if_false if_true : errs_otherwise L B a r b if_false if_true = true -> head_weighing
  a = Softmax /\ errs_by_lookup L B a r b if_false if_true = true \/ exists order, sparse_order (head_weighing a)
  = Some order /\ 0 <= Q2R if_false /\ 0 <= Q2R if_true /\ check_sharp_lookup order L B a r b = true.
Proof.
  unfold errs_otherwise. intros H. destruct (sparse_order (head_weighing a)) as [order|] eqn:O.
  - right. exists order. assert (H' : Qle_bool 0 if_false && Qle_bool 0 if_true && check_sharp_lookup order L B a r b
      = true) by now destruct (head_weighing a). apply andb_prop in H' as [H' C]. apply andb_prop in H' as [F T].
    apply Qle_bool_R in F, T. rewrite Q2R_0 in F, T. now repeat split.
  - left. now destruct (head_weighing a).
Qed.

(* The head that has these errors, and what holds before its layer. *)
Lemma errs_of_head ls A h d if_false if_true (i : position n) : holds_now A h ->
  existsb (errs views letters L M d if_false if_true) (fst (walk views letters L M ls A)) = true ->
  exists B k as_, holds_now B k /\ through ls h i d = total_over (fun ar => head_value (fst ar) n k i (snd ar)) as_
    /\ (errs_together views L B as_ (nth d M IsAnything) if_false if_true = true
        \/ exists a r, as_ = [(a, r)] /\ errs_alone views letters L B a r (nth d M IsAnything) if_false if_true = true).
Proof.
  intros HA H. apply existsb_exists in H as (((B & l) & later) & I & H).
  destruct (walk_stops ls A h HA B l later I) as (k & HB & ->). unfold errs in H. cbv zeta in H.
  apply andb_prop in H as [H R]. apply andb_prop in H as [H F]. apply andb_prop in H as [U W]. apply negb_true_iff in W.
  exists B, k, (head_rows l d). split; [exact HB|]. split.
  - rewrite (left_alone d later _ i F), (after_layer_writes l k i d W).
    rewrite (is_unwritten_zero users n w i _ _ U (HB i d (in_word i))). ring.
  - destruct (head_rows l d) as [|[a r] [|]]; [now left| |now left].
    apply if_or in R as [R|R]; [right; now exists a, r|now left].
Qed.

Theorem errs_correct ls A h d f g if_false if_true (i : position n) : holds_now A h ->
  nth d M IsAnything = IsNear f g ->
  existsb (errs views letters L M d if_false if_true) (fst (walk views letters L M ls A)) = true ->
  truth users n w g i = true ->
  if truth users n w f i then 1 - Q2R if_true <= through ls h i d else through ls h i d <= Q2R if_false.
Proof.
  intros HA N H G. destruct (errs_of_head ls A h d if_false if_true i HA H) as (B & k & as_ & HB & -> & R).
  rewrite N in R. destruct R as [R|(a & r & -> & R)].
  { apply if_or in R as [R|R]; [exact (proj2 (selects_correct B L users n w k i HL HB as_ f _ _ R))|].
    exact (proj2 (looks_up_together_correct _ users n w L B k as_ f g _ _ i HL HB Known R) G). }
  cbn [total_over fst snd]. rewrite Rplus_0_r. unfold errs_alone in R.
  apply if_or in R as [R|R]; [|apply if_or in R as [R|R]; [|apply if_or in R as [R|R]]].
  - exact (errs_by_rows_correct users n w letters L B k a r f g if_false if_true i HL HB Over R G).
  - exact (proj2 (check_by_sticks_correct users n w letters L B k a r f g _ _ i HL HB Over R) G).
  - destruct (errs_otherwise_cases _ _ _ _ _ _ R) as [[S E]|(order & O & F & T & E)].
    + unfold head_value. rewrite S. exact (errs_by_lookup_correct users n w L B k a r f g if_false if_true i HL HB E G).
    + destruct (check_sharp_lookup_correct users n w L B k a r _ i order HL HB O E) as [_ X]. rewrite (X G).
      destruct (truth users n w f i); simpl; lra.
  - destruct (is_long_lookup L B a); [discriminate|].
    exact (proj2 (check_sum_lookup_correct _ users n w L B k a r f g _ _ i HL HB Known R) G).
Qed.

Theorem errs_of_others_correct ls A h d s f e if_above if_below (i : position n) : holds_now A h -> nth d M IsAnything
  = IsOthers s f e -> existsb (errs views letters L M d if_above if_below) (fst (walk views letters L M ls A)) = true ->
  - Q2R if_below <= through ls h i d - INR (others_on s n (truth users n w f) i) <= Q2R if_above.
Proof.
  intros HA N H. destruct (errs_of_head ls A h d if_above if_below i HA H) as (B & k & as_ & HB & -> & R).
  rewrite N in R. destruct R as [R|(a & r & -> & R)]; [discriminate|]. cbn [total_over fst snd]. rewrite Rplus_0_r.
  unfold errs_alone in R. apply if_or in R as [R|R]; [discriminate|].
  apply if_or in R as [R|R]; [|apply if_or in R as [R|R]; [|now destruct (is_long_lookup L B a)]].
  { unfold check_by_sticks in R. now rewrite andb_false_r in R. }
  destruct (errs_otherwise_cases _ _ _ _ _ _ R) as [[S E]|(order & O & F & T & E)].
  - unfold head_value. rewrite S.
    exact (errs_by_lookup_of_others users n w L B k a r s f e if_above if_below i HL HB E).
  - destruct (check_sharp_lookup_correct users n w L B k a r _ i order HL HB O E) as [-> _]. lra.
Qed.
End Walk.
