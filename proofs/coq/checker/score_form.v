(* The scaled score of a head as a combination of shapes i^a n^b (n+1-i)^d (+-1)^i [..at i..] * j^e (+-1)^j [..at j..],
   computed from its rows, its temperature and the meanings of the directions they read.

   Proved: where the form can be computed, it is the scaled score, for every n, i and j. Two heads with equal forms
   compute the same, wherever their factors stand (queries, keys or temperature). *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia.
From Certify Require Import positions finite_sums softmax formula network meaning linear_combination monomial
  theorem_20_counting.
Import ListNotations.
Open Scope R_scope.

(* What a query may know of position i beside numbers, and a key or value of position j. *)
Inductive query_atom := QOne | QCount (s : side) (f : formula) | QTruth (f : formula).
Inductive key_atom := KOne | KTruth (f : formula) | KBefore (f : formula).     (* KBefore: the bracket [f](j-1) *)

Record score_shape := ScoreShape {
  at_i : Z; at_n : Z; shape_end : Z; sign_i : bool; shape_query : query_atom;
  at_j : Z; sign_j : bool; shape_key : key_atom }.
Notation score_terms := (list (score_shape * Q)).

Definition query_atom_eqb (a b : query_atom) : bool :=
  match a, b with
  | QOne, QOne => true
  | QCount s f, QCount t g => side_eqb s t && formula_eqb f g
  | QTruth f, QTruth g => formula_eqb f g
  | _, _ => false
  end.
Definition key_atom_eqb (a b : key_atom) : bool :=
  match a, b with
  | KOne, KOne => true
  | KTruth f, KTruth g | KBefore f, KBefore g => formula_eqb f g
  | _, _ => false
  end.
Definition shape_eqb (a b : score_shape) : bool := Z.eqb (at_i a) (at_i b) && Z.eqb (at_n a) (at_n b) &&
  Z.eqb (shape_end a) (shape_end b) && eqb (sign_i a) (sign_i b) && query_atom_eqb (shape_query a) (shape_query b) &&
  Z.eqb (at_j a) (at_j b) && eqb (sign_j a) (sign_j b) && key_atom_eqb (shape_key a) (shape_key b).

Lemma shape_eqb_eq a b : shape_eqb a b = true -> a = b.
Proof.
  destruct a as [a1 a2 a3 a4 a5 a6 a7 a8], b as [b1 b2 b3 b4 b5 b6 b7 b8]. unfold shape_eqb. simpl. intros H.
  repeat (apply andb_prop in H; let X := fresh in destruct H as [H X]). assert (a5 = b5).
  { destruct a5, b5; simpl in *; try discriminate; try reflexivity; [|f_equal; now apply formula_eqb_eq].
    match goal with X : _ && _ = true |- _ => apply andb_prop in X; destruct X as [X Y] end.
    f_equal; [now apply side_eqb_eq|now apply formula_eqb_eq]. }
  assert (a8 = b8) by (destruct a8, b8; simpl in *; try discriminate; try reflexivity; f_equal;
    now apply formula_eqb_eq). f_equal; auto using eqb_prop; now apply Z.eqb_eq.
Qed.

(* ---- rows as sums of monomials times atoms ---- *)
Definition query_term (a : meaning) : option (monomial * query_atom) :=
  match a with
  | IsPosition (Formula x) => option_map (fun m => (m, QOne)) (monomial_of x)
  | IsTruth f => Some (constant_monomial 1, QTruth f)
  | IsProduct x f => option_map (fun m => (m, QTruth f)) (monomial_of x)
  | IsMean ToLeft f => Some (Monomial 1 (-1) 0 0 false, QCount ToLeft f)
  | IsMean ToRight f => Some (Monomial 1 0 0 (-1) false, QCount ToRight f)
  | _ => None
  end.
Definition key_term (a : meaning) : option (monomial * key_atom) :=
  match a with
  | IsPosition (Formula x) => option_map (fun m => (m, KOne)) (monomial_of x)
  | IsPosition (Bracket f true) => Some (constant_monomial 1, KBefore f)
  | IsTruth f => Some (constant_monomial 1, KTruth f)
  | _ => None
  end.

Section Terms.
Context {X : Type} (term_of : meaning -> option (monomial * X)) (A : list meaning).
Fixpoint row_terms (r : row) : option (list (monomial * X)) :=
  match r with
  | [] => Some []
  | (d, q) :: r =>
      match term_of (nth d A IsAnything), row_terms r with
      | Some (m, x), Some l => Some ((monomial_times (constant_monomial q) m, x) :: l)
      | _, _ => None
      end
  end.
End Terms.

(* A key's monomial must not mention its distance from the end: then i stands for j. *)
Definition pair_form (scale : monomial) (q : monomial * query_atom) (k : monomial * key_atom) : score_terms :=
  let m := monomial_times scale (fst q) in
  [(ScoreShape (monomial_i m) (monomial_n m + monomial_n (fst k)) (monomial_end m) (monomial_alternates m) (snd q)
          (monomial_i (fst k)) (monomial_alternates (fst k)) (snd k), Qred (monomial_factor m * monomial_factor (fst
              k)))].
Definition product_form (scale : monomial) (qs : list (monomial * query_atom)) (ks : list (monomial * key_atom)) :
  score_terms := flat_map (fun q => flat_map (pair_form scale q) ks) qs.
Definition from_start (ks : list (monomial * key_atom)) : bool := forallb (fun k => Z.eqb (monomial_end (fst k)) 0) ks.

(* What a query reads is given by `term_of`, which may leave out a factor that all its directions share. *)
Fixpoint rows_form (term_of : meaning -> option (monomial * query_atom)) (A : list meaning) (scale : monomial)
  (qs ks : list row) : option score_terms :=
  match qs, ks with
  | q :: qs, k :: ks =>
      match row_terms term_of A q, row_terms key_term A k, rows_form term_of A scale qs ks with
      | Some qt, Some kt, Some l => if from_start kt then Some (product_form scale qt kt ++ l) else None
      | _, _, _ => None
      end
  | _, _ => Some []
  end.

(* The scaled score of a head, and what a row of its values reads. *)
Definition score_form (A : list meaning) (a : head) : option score_terms :=
  match monomial_of (head_temperature a) with
  | Some t =>
      match monomial_inverse t with Some scale => rows_form query_term A scale (head_queries a) (head_keys a) | None =>
        None end
  | None => None
  end.
Definition value_form (A : list meaning) (r : row) : option score_terms :=
  match row_terms key_term A r with
  | Some kt => if from_start kt then Some (product_form (constant_monomial 1) [(constant_monomial 1,
    QOne)] kt) else None
  | None => None
  end.

(* ---- what a form stands for ---- *)
Section Value.
Variables (users : predicate_meanings) (n : nat) (w : word).

Definition query_atom_value (a : query_atom) (i : nat) : R :=
  match a with
  | QOne => 1
  | QCount s f => INR (counted_on s n (truth users n w f) i)
  | QTruth f => bit (truth users n w f i)
  end.
Definition key_atom_value (a : key_atom) (j : nat) : R :=
  match a with
  | KOne => 1
  | KTruth f => bit (truth users n w f j)
  | KBefore f => bit (truth users n no_word f (j - 1))
  end.
Definition shape_value (i j : nat) (s : score_shape) : R := powerRZ (INR i) (at_i s) * powerRZ (INR n) (at_n s)
  * powerRZ (INR (S n - i)) (shape_end s) * sign_factor (sign_i s) i * query_atom_value (shape_query s)
  i * (powerRZ (INR j) (at_j s) * sign_factor (sign_j s) j * key_atom_value (shape_key s) j).
Definition form_value (l : score_terms) (i j : nat) : R := combination_value (shape_value i j) l.

Definition terms_value {X} (atom : X -> nat -> R) (l : list (monomial * X)) (i : nat) : R :=
  total_over (fun t => monomial_value (fst t) n i * atom (snd t) i) l.

Lemma row_terms_value {X} (term_of : meaning -> option (monomial * X)) (atom : X -> nat -> R) A h (i :
  position n) factor : (forall d m x, term_of (nth d A IsAnything) = Some (m, x) -> h d = factor * (monomial_value m n i
  * atom x i)) -> forall r l, row_terms term_of A r = Some l -> linear r h = factor * terms_value atom l i.
Proof.
  intros Hd.
  induction r as [|[d q] r IH]; intros l H; cbn [row_terms] in H; [injection H as <-; unfold terms_value; simpl; ring|].
  destruct (term_of _) as [[m x]|] eqn:T; [|discriminate]. destruct (row_terms term_of A r) as [l'|]; [|discriminate].
  injection H as <-. unfold terms_value. cbn [linear total_over fst snd]. rewrite (IH l' eq_refl), (Hd d m x T).
  rewrite times_value, constant_value by lia. unfold terms_value. ring.
Qed.

Lemma power_minus_1 x : powerRZ x (-1) = / x. Proof. simpl. now rewrite Rmult_1_r. Qed.

Lemma query_term_value (i : position n) a x m q : meaning_holds users n w i a x -> query_term a = Some (m, q) ->
  x = monomial_value m n i * query_atom_value q i.
Proof.
  intros Hx H. destruct a as [[e|f s]|f|f|f g|e f|s f|t|s f|s f g|]; simpl in H, Hx; try discriminate.
  - destruct (monomial_of e) as [m'|] eqn:E; [|discriminate]. injection H as <- <-.
    rewrite Hx, (monomial_of_value n i e m' E). simpl. ring.
  - injection H as <- <-. rewrite Hx, constant_value, Q2R_1. simpl. ring.
  - destruct (monomial_of e) as [m'|] eqn:E; [|discriminate]. injection H as <- <-.
    now rewrite Hx, (monomial_of_value n i e m' E).
  - assert (Z : INR (span s n i) <> 0) by (apply not_0_INR; pose proof (span_range s n i); lia).
    destruct s; injection H as <- <-; rewrite Hx; unfold monomial_value, sign_factor;
      cbn [monomial_factor monomial_i monomial_n monomial_end monomial_alternates query_atom_value]; rewrite Q2R_1,
      !powerRZ_O, power_minus_1; unfold span in *; field; exact Z.
Qed.

Lemma key_term_value (j : position n) a x m k : meaning_holds users n w j a x -> key_term a = Some (m, k) ->
  x = monomial_value m n j * key_atom_value k j.
Proof.
  intros Hx H. destruct a as [[e|f [|]]|f|f|f g|e f|s f|t|s f|s f g|]; simpl in H, Hx; try discriminate.
  - destruct (monomial_of e) as [m'|] eqn:E; [|discriminate]. injection H as <- <-.
    rewrite Hx, (monomial_of_value n j e m' E). simpl. ring.
  - injection H as <- <-. rewrite Hx, constant_value, Q2R_1. simpl. ring.
  - injection H as <- <-. rewrite Hx, constant_value, Q2R_1. simpl. ring.
Qed.

Lemma pair_form_value scale q k (i j : position n) : monomial_end (fst k) = 0%Z -> form_value (pair_form scale q k) i j
  = monomial_value scale n i * (monomial_value (fst q) n i * query_atom_value (snd q) i) * (monomial_value (fst k)
  n j * key_atom_value (snd k) j).
Proof.
  intros E. unfold form_value, pair_form. cbn [combination_value]. rewrite Q2R_reduced, Q2R_mult.
  unfold shape_value. cbn [at_i at_n shape_end sign_i shape_query at_j sign_j shape_key].
  rewrite (power_add n) by lia. rewrite Rplus_0_r. set (m := monomial_times scale (fst q)).
  transitivity (monomial_value m n i * query_atom_value (snd q) i *
    (monomial_value (fst k) n j * key_atom_value (snd k) j)).
  - unfold monomial_value. rewrite E. simpl (powerRZ _ 0). ring.
  - unfold m. rewrite times_value by lia. ring.
Qed.

Lemma form_value_app l m i j : form_value (l ++ m) i j = form_value l i j + form_value m i j.
Proof. apply combined_app. Qed.

Lemma product_form_value scale qs ks (i j : position n) : from_start ks = true -> form_value (product_form scale qs ks)
  i j = monomial_value scale n i * terms_value query_atom_value qs i * terms_value key_atom_value ks j.
Proof.
  intros HK. unfold terms_value. induction qs as [|q qs IH]; cbn [product_form flat_map total_over];
    [unfold form_value; simpl; ring|].
  fold (product_form scale qs ks). rewrite form_value_app, IH. clear IH.
  assert (E : form_value (flat_map (pair_form scale q) ks) i j =
    monomial_value scale n i * (monomial_value (fst q) n i * query_atom_value (snd q) i)
    * total_over (fun t => monomial_value (fst t) n j * key_atom_value (snd t) j) ks); [|rewrite E; ring].
  unfold from_start in HK. induction ks as [|k ks IH]; cbn [flat_map total_over]; [unfold form_value; simpl; ring|].
  simpl in HK. apply andb_prop in HK as [Z HK]. apply Z.eqb_eq in Z.
  rewrite form_value_app, (IH HK), pair_form_value by assumption. ring.
Qed.

Section Stream.
Variables (A : list meaning) (h : nat -> vector).
Hypothesis HA : holds_of users n w A h.

Theorem value_form_correct r l (j i : position n) : value_form A r = Some l -> linear r (h j) = form_value l i j.
Proof.
  intros H. unfold value_form in H. destruct (row_terms key_term A r) as [kt|] eqn:E; [|discriminate].
  destruct (from_start kt) eqn:F; [|discriminate].
  replace l with (product_form (constant_monomial 1) [(constant_monomial 1, QOne)] kt) by congruence.
  rewrite product_form_value by assumption.
  rewrite (row_terms_value key_term key_atom_value A (h j) j 1) with (l := kt) (2 := E).
  - unfold terms_value at 2. cbn [total_over fst snd query_atom_value]. rewrite !constant_value, Q2R_1. ring.
  - intros d m x T. rewrite Rmult_1_l. eapply key_term_value; [apply HA, in_word|exact T].
Qed.

Lemma rows_form_correct term_of factor scale ks (i j : position n) : (forall a x m q, meaning_holds users n w i a x ->
  term_of a = Some (m, q) -> x = factor * (monomial_value m n i * query_atom_value q i)) -> forall qs l,
  rows_form term_of A scale qs ks = Some l -> monomial_value scale n i * dot_product qs ks (h i) (h j)
  = factor * form_value l i j.
Proof.
  intros Term. induction ks as [|k ks IH]; intros [|q qs] l H; cbn [rows_form dot_product] in *;
    try (injection H as <-; unfold form_value; simpl; ring).
  destruct (row_terms term_of A q) as [qt|] eqn:EQ; [|discriminate].
  destruct (row_terms key_term A k) as [kt|] eqn:EK; [|discriminate].
  destruct (rows_form term_of A scale qs ks) as [l'|] eqn:EL; [|discriminate].
  destruct (from_start kt) eqn:F; [|discriminate]. injection H as <-.
  rewrite form_value_app, product_form_value, !Rmult_plus_distr_l, (IH qs l' EL) by assumption. f_equal.
  rewrite (row_terms_value term_of query_atom_value A (h i) i factor) with (l := qt) (2 := EQ).
  - rewrite (row_terms_value key_term key_atom_value A (h j) j 1) with (l := kt) (2 := EK); [ring|].
    intros d m x T. rewrite Rmult_1_l. eapply key_term_value; [apply HA, in_word|exact T].
  - intros d m x T. eapply Term; [apply HA, in_word|exact T].
Qed.

Theorem score_form_correct a l (i j : position n) : score_form A a = Some l ->
  scaled_score a n h i j = form_value l i j.
Proof.
  intros H. unfold score_form in H. destruct (monomial_of (head_temperature a)) as [t|] eqn:T; [|discriminate].
  destruct (monomial_inverse t) as [scale|] eqn:S; [|discriminate]. unfold scaled_score.
  rewrite (monomial_of_value n i _ t T). pose proof (inverse_value n i t scale S) as V.
  assert (Z : monomial_value t n i <> 0) by (intros Z; rewrite Z in V; lra). rewrite <- (Rmult_1_l (form_value l i j)).
  rewrite <- (rows_form_correct query_term 1 scale _ i j) with (2 := H); [|intros b x m q Hx B; rewrite Rmult_1_l;
    exact (query_term_value i b x m q Hx B)]. apply Rmult_eq_reg_r with (monomial_value t n i); [|exact Z]. unfold Rdiv.
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r by exact Z. rewrite (Rmult_comm (monomial_value scale n i)), Rmult_assoc, V.
  ring.
Qed.
End Stream.
End Value.

Definition forms_equal (l m : score_terms) : bool := equal_combinations shape_eqb l m.

Lemma forms_equal_correct users n w l m i j : forms_equal l m = true ->
  form_value users n w l i j = form_value users n w m i j.
Proof. exact (equal_correct shape_eqb shape_eqb_eq _ l m). Qed.
