(* Comparisons of counts as signs: t R u holds as T R 0, where T = t - u has each count once.

   Proved: the value of a term is that combination of its counts, and only the sign of T matters. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia.
From Certify Require Import formula linear_combination.
Import ListNotations.
Open Scope R_scope.

Notation count_atom := (side * formula)%type.
Definition count_eqb (a b : count_atom) : bool := side_eqb (fst a) (fst b) && formula_eqb (snd a) (snd b).
Lemma count_eqb_eq a b : count_eqb a b = true -> a = b.
Proof.
  destruct a, b. intros H. apply andb_prop in H as [H1 H2]. apply side_eqb_eq in H1. apply formula_eqb_eq in H2.
  simpl in *. now subst.
Qed.

Fixpoint counts_of (t : term) : list (count_atom * Q) :=
  match t with Number _ => [] | Plus a s f rest => ((s, f), inject_Z a) :: counts_of rest end.
Fixpoint term_constant (t : term) : Z := match t with Number c => c | Plus _ _ _ rest => term_constant rest end.
Definition term_difference (t u : term) : list (count_atom * Q) :=
  merged_terms count_eqb (counts_of t ++ scaled_terms (-1) (counts_of u)).
Definition constant_difference (t u : term) : Z := (term_constant t - term_constant u)%Z.

(* The truth of T R 0, from the comparison of T with 0. *)
Definition relates_so (r : relation) (o : comparison) : bool :=
  relation_holds r (match o with Lt => -1 | Eq => 0 | Gt => 1 end)%Z 0.

Lemma relates_difference r x y : relation_holds r x y = relates_so r (Z.compare (x - y) 0).
Proof.
  unfold relates_so.
  destruct (Z.compare_spec (x - y) 0); destruct r; simpl; repeat match goal with | |- context [(?a <=? ?b)%Z]
    => destruct (Z.leb_spec a b) | |- context [(?a <? ?b)%Z] => destruct (Z.ltb_spec a b) | |- context [(?a =? ?b)%Z]
    => destruct (Z.eqb_spec a b) end; try reflexivity; lia.
Qed.

Section Value.
Variables (users : predicate_meanings) (n : nat) (w : word) (i : nat).

Definition count_value (k : count_atom) : R := INR (counted_on (fst k) n (truth users n w (snd k)) i).

Lemma term_value t : IZR (value_of_term users n w t i) = combination_value count_value (counts_of t) + IZR
  (term_constant t).
Proof.
  induction t as [z|a s f rest IH]; [change (IZR z = 0 + IZR z); lra|].
  change (value_of_term users n w (Plus a s f rest) i) with (a * Z.of_nat (counted_on s n (truth users n w f) i) +
    value_of_term users n w rest i)%Z. rewrite plus_IZR, mult_IZR, <- INR_IZR_INZ, IH.
  cbn [counts_of combination_value term_constant]. rewrite Q2R_inject_Z. unfold count_value. cbn [fst snd]. lra.
Qed.

Lemma difference_value t u : IZR (value_of_term users n w t i - value_of_term users n w u i)
  = combination_value count_value (term_difference t u) + IZR (constant_difference t u).
Proof.
  unfold term_difference, constant_difference. rewrite (combined_merged count_eqb count_eqb_eq), combined_app,
    combined_scaled.
  rewrite !minus_IZR, !term_value. rationals. lra.
Qed.

Lemma constant_comparison r t u : term_difference t u = [] ->
  truth users n w (Compare r t u) i = relates_so r (Z.compare (constant_difference t u) 0).
Proof.
  intros D. pose proof (difference_value t u) as V. rewrite D in V. simpl in V. rewrite Rplus_0_l in V.
  apply eq_IZR in V. change (truth users n w (Compare r t u) i) with
    (relation_holds r (value_of_term users n w t i) (value_of_term users n w u i)).
  now rewrite relates_difference, V.
Qed.
End Value.
