(* What a head reads, row by row: exact numbers and enclosures of the rows of its matrices, in a case of one position.

   A row of a matrix has a part that the case decides (truths, constants) and a part that the position decides. The
   query of a position is enclosed, over the temperature; if neither mentions i (or n), it is the query of all positions
   (of all lengths). Proved: the enclosures hold the real numbers of the network. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia Arith.
From Certify Require Import options positions lists finite_sums exp_enclosure formula network meaning
  linear_combination cases gap_rule values_by_rows.
Import ListNotations PositionNotations.
Open Scope R_scope.

Section Rows.
Variables (A : list meaning) (a : head).

(* ---- rows: a part that the case decides, and a part that the position decides ---- *)
Fixpoint constant_part (c : case) (r : row) : option Q :=
  match r with
  | [] => Some 0%Q
  | (d, q) :: r =>
      option_bind (constant_part c r) (fun x =>
        let if_true f := option_bind (evaluate c f) (fun b : bool => Some (if b then Qred (q + x) else x)) in
        match nth d A IsAnything with
        | IsPosition (Formula (Num y)) => Some (Qred (q * y + x))
        | IsPosition (Formula _) => Some x
        | IsPosition (Bracket f false) => if is_positional f then if_true f else None
        | IsTruth f => if_true f
        | _ => None
        end)
  end.
Fixpoint position_part (r : row) : list (Q * expression) :=
  match r with
  | [] => []
  | (d, q) :: r =>
      match nth d A IsAnything with
      | IsPosition (Formula (Num _)) => position_part r
      | IsPosition (Formula e) => (q, e) :: position_part r
      | _ => position_part r
      end
  end.
Fixpoint exact_part (l : list (Q * expression)) (n j : nat) : option Q :=
  match l with
  | [] => Some 0%Q
  | (q, e) :: l => option_bind (exact_value e n j) (fun x => option_bind (exact_part l n j) (fun y =>
    Some (q * x + y)%Q))
  end.
Fixpoint enclosed_part (l : list (Q * expression)) (n j : nat) : option fixed_interval :=
  match l with
  | [] => Some (0, 0)%Z
  | (q, e) :: l =>
      option_bind (match exact_value e n j with
            | Some x => Some (rational_enclosure (q * x))
            | None => option_map (product_enclosure (rational_enclosure q)) (expression_enclosure e n j)
            end)
        (fun I => option_bind (enclosed_part l n j) (fun J => Some (plus_enclosure I J)))
  end.
Fixpoint interval_dot (Is Js : list fixed_interval) : fixed_interval :=
  match Is, Js with
  | [x], [y] => product_enclosure x y
  | x :: Is, y :: Js => plus_enclosure (product_enclosure x y) (interval_dot Is Js)
  | _, _ => (0, 0)%Z
  end.

(* ---- the query of a row, over the temperature ---- *)
Definition place_case (n i : nat) : case := Case (Nat.odd i) (i =? 1)%nat (i =? n)%nat [] Eq.
Definition query_entry (n i : nat) (r : row) : option fixed_interval :=
  option_bind (constant_part (place_case n i) r) (fun x =>
    match exact_part (position_part r) n i, exact_value (head_temperature a) n i with
    | Some y, Some t => if is_zero t then None else Some (rational_enclosure ((x + y) / t))
    | _, _ => option_bind (enclosed_part (position_part r) n i) (fun I => option_bind (expression_enclosure
      (head_temperature a) n i) (fun J =>
                option_bind (reciprocal_enclosure J) (fun J => Some (product_enclosure (plus_enclosure
                  (rational_enclosure x) I) J))))
    end).
Definition query_at (n i : nat) : option (list fixed_interval) := traverse (query_entry n i) (head_queries a).

Definition rows_mention (f : expression -> bool) (rs : list row) : bool :=
  existsb (fun r => existsb (fun e => f (snd e)) (position_part r)) rs.
Definition reads_truths (r : row) : bool :=
  existsb (fun e => match nth (fst e) A IsAnything with IsPosition (Formula _) => false | _ => true end) r.
Definition query_mentions (f : expression -> bool) : bool :=
  existsb reads_truths (head_queries a) || rows_mention f (head_queries a) || f (head_temperature a).

(* ---- soundness ---- *)
Definition part_value (l : list (Q * expression)) (n j : nat) : R :=
  fold_right (fun e x => Q2R (fst e) * expression_value (snd e) n j + x) 0 l.

Lemma bind_some {X Y} (x : option X) (f : X -> option Y) y : option_bind x f = Some y -> exists z, x = Some z /\
  f z = Some y.
Proof. destruct x as [z|]; [|discriminate]. now exists z. Qed.
Lemma exact_part_correct l n j : forall y, exact_part l n j = Some y -> part_value l n j = Q2R y.
Proof.
  induction l as [|[q e] l IH]; intros y H; cbn [exact_part] in H.
  - take H. now rewrite Q2R_0.
  - apply bind_some in H as (x & E & H). apply bind_some in H as (z & F & H). take H. unfold part_value in *.
    cbn [fold_right fst snd]. rewrite (IH z F), (proj1 (exact_correct _ _ _ _ E)), Q2R_plus, Q2R_mult. reflexivity.
Qed.
Lemma within_0 : in_enclosure (0, 0)%Z 0. Proof. unfold in_enclosure. cbn [fst snd]. rewrite fixed_0. lra. Qed.
Lemma enclosed_part_correct l n j : forall I, enclosed_part l n j = Some I -> in_enclosure I (part_value l n j).
Proof.
  induction l as [|[q e] l IH]; intros I H; cbn [enclosed_part] in H.
  - take H. apply within_0.
  - apply bind_some in H as (J & E & H). apply bind_some in H as (K & F & H). take H.
    unfold part_value in *. cbn [fold_right fst snd]. apply plus_within; [|now apply IH].
    pose proof (exact_correct e n j) as X. destruct (exact_value e n j) as [x|].
    + take E. rewrite (proj1 (X x eq_refl)), <- Q2R_mult. apply around_within.
    + destruct (expression_enclosure e n j) as [J'|] eqn:V; [|discriminate]. cbn [option_map] in E. take E.
      apply product_within; [apply around_within|now apply (enclosure_correct _ _ _ _ V)].
Qed.

Lemma unread_temperature f : query_mentions f = false -> f (head_temperature a) = false.
Proof. intros H. now apply orb_false_iff in H as [_ T]. Qed.
Lemma unread_truths f r : query_mentions f = false -> In r (head_queries a) -> reads_truths r = false.
Proof.
  intros H Hr. apply orb_false_iff in H as [H _]. apply orb_false_iff in H as [H _].
  destruct (reads_truths r) eqn:E; [|reflexivity]. rewrite <- H. symmetry. apply existsb_exists. now exists r.
Qed.
Lemma unread_rows f rs : rows_mention f rs = false -> forall r e, In r rs -> In e (position_part r) ->
  f (snd e) = false.
Proof.
  intros H r e Hr He. destruct (f (snd e)) eqn:E; [|reflexivity]. rewrite <- H. symmetry. apply existsb_exists.
  exists r. split; [exact Hr|]. apply existsb_exists. now exists e.
Qed.
Local Lemma unread f : query_mentions f = false -> rows_mention f (head_queries a) = false.
Proof. intros H. apply orb_false_iff in H as [H _]. now apply orb_false_iff in H as [_ H]. Qed.

Section Correct.
Variables (users : predicate_meanings) (n : nat) (w : word) (h : nat -> vector).
Hypothesis HA : holds_of users n w A h.
Notation tr := (truth users n w).

Lemma parts_value c r j : j upto n -> case_holds users n w j c -> forall x, constant_part c r = Some x ->
  linear r (h j) = Q2R x + part_value (position_part r) n j.
Proof.
  intros Hj Rc. induction r as [|[d q] r IH]; intros z H; cbn [constant_part position_part linear] in *.
  - take H. rewrite Q2R_0. cbn [part_value fold_right]. ring.
  - apply bind_some in H as (x & E & H). rewrite (IH x E). clear IH E. pose proof (HA j d Hj) as M.
    assert (If : forall f (y : Q), h j d = bit (tr f j) -> option_bind (evaluate c f) (fun b : bool =>
      Some (if b then Qred (q + x) else x)) = Some y -> Q2R q * h j d + Q2R x = Q2R y).
    { intros f y V T. apply bind_some in T as (b & E & T). take T. apply (evaluate_correct users n w j c Rc) in E.
      rewrite V, E. destruct b; rewrite ?Q2R_reduced, ?Q2R_plus; simpl; ring. }
    destruct (nth d A IsAnything) as [[e|f [|]]|f|f|f g|e f|s f|t|s f|s f g|]; try discriminate;
      cbn [meaning_holds] in M.
    + destruct e; try (take H; rewrite M; unfold part_value; cbn [fold_right fst snd position_value]; ring).
      take H. rewrite M, Q2R_reduced, Q2R_plus, Q2R_mult. cbn [position_value expression_value]. ring.
    + destruct (is_positional f) eqn:P; [|discriminate]. rewrite <- (If f z); [ring| |exact H]. rewrite M.
      cbn [position_value]. now rewrite (positional_truth users n w no_word f j P).
    + rewrite <- (If f z M H). ring.
Qed.

(* ---- products of rows ---- *)
Fixpoint dot_real (xs ys : list R) : R := match xs, ys with x :: xs, y :: ys => x * y + dot_real xs ys | _, _ => 0 end.
Lemma dot_within Is xs : Forall2 in_enclosure Is xs -> forall Js ys, Forall2 in_enclosure Js ys ->
  in_enclosure (interval_dot Is Js) (dot_real xs ys).
Proof.
  induction 1 as [|I x Is xs HI Hs IH]; intros Js ys HJ; [cbn [interval_dot dot_real]; destruct Js; apply within_0|].
  destruct HJ as [|J y Js ys HJ HJs]; [cbn [dot_real]; destruct Is; apply within_0|].
  specialize (IH Js ys HJs). cbn [dot_real]. destruct Hs; [destruct HJs|].
  - cbn [interval_dot dot_real]. rewrite Rplus_0_r. now apply product_within.
  - exact (plus_within (product_enclosure I J) _ _ _ (product_within _ _ _ _ HI HJ) IH).
  - exact (plus_within (product_enclosure I J) _ _ _ (product_within _ _ _ _ HI HJ) IH).
Qed.
Lemma dot_product_real qs ks x y t :
  dot_product qs ks x y / t = dot_real (map (fun r => linear r x / t) qs) (map (fun r => linear r y) ks).
Proof.
  revert ks. induction qs as [|q qs IH]; intros [|r ks]; cbn [dot_product dot_real map]; try (unfold Rdiv; ring).
  rewrite <- IH. unfold Rdiv. ring.
Qed.
Lemma dot_real_plus xs (f g : row -> R) ks :
  dot_real xs (map (fun r => f r + g r) ks) = dot_real xs (map f ks) + dot_real xs (map g ks).
Proof. revert xs. induction ks as [|r ks IH]; intros [|x xs]; simpl; try ring. rewrite IH. ring. Qed.
Lemma traverse_related {X Y Z} (P : Y -> Z -> Prop) (f : X -> option Y) (g : X -> Z) l : forall m,
  traverse f l = Some m -> (forall x y, In x l -> f x = Some y -> P y (g x)) -> Forall2 P m (map g l).
Proof.
  induction l as [|x l IH]; intros m H K; cbn [traverse map] in *.
  - assert (m = []) as -> by congruence. constructor.
  - destruct (f x) as [y|] eqn:E; [|discriminate]. destruct (traverse f l) as [m'|]; [|discriminate].
    assert (m = y :: m') as -> by congruence. constructor; [apply K; [now left|exact E]|].
    apply IH; [reflexivity|]. intros x' y' I. apply K. now right.
Qed.

(* ---- queries: of this row, or of one with the same query ---- *)
Section Query.
Variables (n' : nat) (i : position n) (i' : nat).
Hypothesis Hn' : n' = n \/ query_mentions mentions_n = false.
Hypothesis Hi' : i' = i \/ query_mentions mentions_i = false.

Lemma same_value e : (query_mentions mentions_n = false -> mentions_n e = false) ->
  (query_mentions mentions_i = false -> mentions_i e = false) -> expression_value e n i = expression_value e n' i'.
Proof.
  intros E F. transitivity (expression_value e n' i).
  - destruct Hn' as [->|H]; [reflexivity|]. apply (value_unmentioned false n n' i i eq_refl), E, H.
  - destruct Hi' as [->|H]; [reflexivity|]. apply (value_unmentioned true n' n' i i' eq_refl), F, H.
Qed.
Lemma same_temperature : expression_value (head_temperature a) n i = expression_value (head_temperature a) n' i'.
Proof. apply same_value; intros H; now apply unread_temperature. Qed.
Lemma same_part r : In r (head_queries a) -> part_value (position_part r) n i = part_value (position_part r) n' i'.
Proof.
  intros Hr. assert (E : forall e, In e (position_part r) -> expression_value (snd e) n i = expression_value (snd e)
    n' i').
  { intros e He. apply same_value; intros H; exact (unread_rows _ _ (unread _ H) r e Hr He). }
  revert E. generalize (position_part r). intros l. induction l as [|e l IH]; intros E; [reflexivity|].
  unfold part_value in *. cbn [fold_right]. rewrite IH, (E e) by (intros; (apply E;
    now right) || now left). reflexivity.
Qed.
Lemma constant_anywhere r c c' : reads_truths r = false -> constant_part c r = constant_part c' r.
Proof.
  induction r as [|[d q] r IH]; [reflexivity|]. cbn [reads_truths existsb fst constant_part]. intros H.
  apply orb_false_iff in H as [H T]. rewrite (IH T). destruct (constant_part c' r); [|reflexivity]. cbn [option_bind].
  destruct (nth d A IsAnything) as [[e|f s]|f|f|f g|e f|s f|t|s f|s f g|]; try discriminate. reflexivity.
Qed.
Lemma same_constant r : In r (head_queries a) -> constant_part (place_case n' i') r = constant_part (place_case n i) r.
Proof.
  intros Hr. destruct Hn' as [->|H]; [destruct Hi' as [->|H]; [reflexivity|]|];
    apply constant_anywhere; exact (unread_truths _ r H Hr).
Qed.

Lemma place_case_real : case_holds users n w i (place_case n i). Proof. exact (real_case_real users n w i [] Eq). Qed.

Lemma query_entry_correct r I : In r (head_queries a) -> query_entry n' i' r = Some I ->
  in_enclosure I (linear r (h i) / expression_value (head_temperature a) n i).
Proof.
  intros Hr H. unfold query_entry in H. apply bind_some in H as (x & E & H). rewrite (same_constant r Hr) in E.
  rewrite (parts_value _ r i (in_word i) place_case_real x E), (same_part r Hr), same_temperature.
  assert (Other : option_bind (enclosed_part (position_part r) n' i') (fun I =>
    option_bind (expression_enclosure (head_temperature a) n' i') (fun J => option_bind (reciprocal_enclosure J) (fun J
    => Some (product_enclosure (plus_enclosure (rational_enclosure x) I) J)))) = Some I -> in_enclosure I ((Q2R x +
    part_value (position_part r) n' i') / expression_value (head_temperature a) n' i')).
  { intros O. apply bind_some in O as (J & EJ & O). apply bind_some in O as (K & EK & O).
    apply bind_some in O as (K' & ER & O). take O. apply enclosure_correct in EK as [EK _].
    apply product_within; [apply plus_within; [apply around_within|]|now apply (reciprocal_within K)].
    now apply enclosed_part_correct. }
  destruct (exact_part (position_part r) n' i') as [y|] eqn:Y; [|now apply Other].
  destruct (exact_value (head_temperature a) n' i') as [t|] eqn:T; [|now apply Other].
  destruct (is_zero t) eqn:Z; [discriminate|]. take H. apply exact_part_correct in Y. apply exact_correct in T as [T _].
  rewrite Y, T, <- Q2R_plus, <- Q2R_div by (now apply is_zero_Q). apply around_within.
Qed.
Lemma query_at_correct qs : query_at n' i' = Some qs ->
  Forall2 in_enclosure qs (map (fun r => linear r (h i) / expression_value (head_temperature a) n i) (head_queries a)).
Proof. intros H. apply (traverse_related _ _ _ _ _ H). intros r I Hr. now apply query_entry_correct. Qed.
End Query.
End Correct.
End Rows.
