(* What a direction of the residual stream is claimed to hold (docs/reference/certificate.md, section 2: meanings).

   `near` and `others` are approximate, the rest exact: `slack` is exactly 0 where its formula holds, and some number of
   at least 1 elsewhere. An `average` is of counts of one side. `others` comes with a bound of its error. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia.
From Certify Require Import positions finite_sums softmax relu formula network comparison.
Import ListNotations PositionNotations.
Open Scope R_scope.

Inductive meaning :=
| IsPosition (v : position_function)
| IsTruth (f : formula)
| IsSlack (f : formula)
| IsNear (f guard : formula)
| IsProduct (x : expression) (f : formula)
| IsMean (s : side) (f : formula)
| IsAverage (t : term)
| IsTotal (s : side) (f : formula)
| IsOthers (s : side) (f : formula) (error : Q)
| IsAnything.

(* The side of an average's counts; where there are none the average is 0. *)
Definition side_of (t : term) : side := match t with Plus _ s _ _ => s | Number _ => ToLeft end.

(* What holds of a direction that nothing has written yet. *)
Definition unwritten : meaning := IsPosition (Formula (Num 0)).

Section Means.
Variables (users : predicate_meanings) (n : nat) (w : word).

Definition meaning_holds (i : nat) (a : meaning) (x : R) : Prop :=
  match a with
  | IsPosition v => x = position_value users v n i
  | IsTruth f => x = bit (truth users n w f i)
  | IsSlack f => is_slack (truth users n w f i) x
  | IsNear f guard => 0 <= x <= 1 /\ (truth users n w guard i = true -> near_truth (truth users n w f i) x)
  | IsProduct e f => x = expression_value e n i * bit (truth users n w f i)
  | IsMean s f => x = INR (counted_on s n (truth users n w f) i) / INR (span s n i)
  | IsAverage t => x = IZR (value_of_term users n w t i) / INR (span (side_of t) n i)
  | IsTotal s f => x = INR (counted_on s n (truth users n w f) i)
  | IsOthers s f e => Rabs (INR (others_on s n (truth users n w f) i) - x) <= Q2R e
  | IsAnything => True
  end.

(* A list of meanings, one per direction, holds of the residual stream h at every position. *)
Definition holds_of (A : list meaning) (h : nat -> vector) : Prop :=
  forall i d, i upto n -> meaning_holds i (nth d A IsAnything) (h i d).
End Means.

(* ---- expressions and position functions as data: equality can be computed ---- *)
Fixpoint integer_eqb (a b : integer) : bool :=
  match a, b with
  | Int x, Int y => Z.eqb x y
  | IntI, IntI | IntN, IntN => true
  | IntPlus a a', IntPlus b b' | IntMinus a a', IntMinus b b' => integer_eqb a b && integer_eqb a' b'
  | _, _ => false
  end.
Definition real_function_eqb (g h : real_function) : bool :=
  match g, h with Ln, Ln | Sqrt, Sqrt | Log2Floor, Log2Floor | Log2Ceil, Log2Ceil => true | _, _ => false end.
Fixpoint expression_eqb (x y : expression) : bool :=
  match x, y with
  | Num p, Num q => Z.eqb (Qnum p) (Qnum q) && Pos.eqb (Qden p) (Qden q)
  | VarI, VarI | VarN, VarN => true
  | Add x x', Add y y' | Sub x x', Sub y y' | Mul x x', Mul y y' | Div x x', Div y y' =>
      expression_eqb x y && expression_eqb x' y'
  | Neg x, Neg y => expression_eqb x y
  | Power x a, Power y b => expression_eqb x y && integer_eqb a b
  | Apply g x, Apply h y => real_function_eqb g h && expression_eqb x y
  | _, _ => false
  end.
Definition position_function_eqb (u v : position_function) : bool :=
  match u, v with
  | Formula x, Formula y => expression_eqb x y
  | Bracket f s, Bracket g t => formula_eqb f g && eqb s t
  | _, _ => false
  end.

Lemma integer_eqb_eq a : forall b, integer_eqb a b = true -> a = b.
Proof.
  induction a; intros [] H; simpl in H; try discriminate; try reflexivity.
  - apply Z.eqb_eq in H. now subst.
  - apply andb_prop in H as [H1 H2]. f_equal; auto.
  - apply andb_prop in H as [H1 H2]. f_equal; auto.
Qed.
Lemma real_function_eqb_eq g h : real_function_eqb g h = true -> g = h. Proof. now destruct g, h. Qed.
Lemma expression_eqb_eq x : forall y, expression_eqb x y = true -> x = y.
Proof.
  induction x; intros [] H; simpl in H; try discriminate; try reflexivity;
    try (apply andb_prop in H as [H1 H2]; f_equal; auto using integer_eqb_eq, real_function_eqb_eq); [|f_equal; auto].
  destruct q, q0. simpl in *. apply Z.eqb_eq in H1. apply Pos.eqb_eq in H2. now subst.
Qed.
Lemma position_function_eqb_eq u v : position_function_eqb u v = true -> u = v.
Proof.
  destruct u, v; simpl; intros H; try discriminate; [f_equal; now apply expression_eqb_eq|].
  apply andb_prop in H as [H1 H2]. apply formula_eqb_eq in H1. apply eqb_prop in H2. now subst.
Qed.

(* ---- formulas that do not depend on the word ---- *)
Fixpoint is_positional (f : formula) : bool :=
  match f with
  | Truth _ | Positional _ => true
  | Not f => is_positional f
  | And f g | Or f g | Implies f g | Iff f g => is_positional f && is_positional g
  | Compare _ t u => match term_difference t u with [] => true | _ => false end      (* the counts cancel *)
  | _ => false
  end.

Lemma positional_truth users n w w' f i : is_positional f = true -> truth users n w f i = truth users n w' f i.
Proof.
  induction f; cbn; intros H; try discriminate; try reflexivity; try (apply andb_prop in H as [H1 H2]);
    rewrite ?IHf, ?IHf1, ?IHf2 by assumption; try reflexivity.
  match goal with H : match term_difference ?t ?u with _ => _ end = true |- relation_holds ?r _ _ = _ =>
    change (truth users n w (Compare r t u) i = truth users n w' (Compare r t u) i);
    destruct (term_difference t u) eqn:D; [|discriminate]; now rewrite !(constant_comparison users n _ i r t u D) end.
Qed.
