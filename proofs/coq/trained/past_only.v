(* Formulas that do not look ahead: their truth at a position depends on the letters up to it alone, not on the
   length. *)
From Coq Require Import List Bool Arith ZArith Lia.
From Certify Require Import positions formula.
Import ListNotations PositionNotations.

Definition ignores_length (p : predicate) : bool := match p with LAST | User _ => false | _ => true end.
Fixpoint is_past_only (f : formula) : bool :=
  match f with
  | Truth _ | Symbol _ => true
  | Not f | Previous f => is_past_only f
  | And f g | Or f g | Implies f g | Iff f g | Since f g => is_past_only f && is_past_only g
  | Next _ | Until _ _ => false
  | Positional p => ignores_length p
  | OnCount p s f => ignores_length p && side_eqb s ToLeft && is_past_only f
  | OnSum p t => ignores_length p && term_is_past_only t
  | Compare _ t u => term_is_past_only t && term_is_past_only u
  end
with term_is_past_only (t : term) : bool :=
  match t with Number _ => true | Plus _ s f t => side_eqb s ToLeft && is_past_only f && term_is_past_only t end.

Lemma ignores_length_holds users p k n m : ignores_length p = true -> predicate_holds users p k n =
  predicate_holds users p k m /\ forall z, holds_at users p z n = holds_at users p z m.
Proof. destruct p; intros H; try discriminate H; split; reflexivity. Qed.

Section Past.
Variables (users : predicate_meanings) (n m : nat) (w v : word) (k : nat).
Hypothesis Same : each j upto k, w j = v j.
Notation agrees f := (forall i, i upto k -> truth users n w f i = truth users m v f i).

Lemma since_same p q r s i : (each j upto k, p j = r j) -> (each j upto k, q j = s j) -> i upto k ->
  since_at p q i = since_at r s i.
Proof.
  intros P Q L. apply eq_true_iff_eq. rewrite !since_at_iff.
  assert (A : forall j, j upto i -> j upto k) by lia.
  split; intros (j & J & B & C); exists j; (split; [exact J|split; [|intros x X; specialize (C x X)]]).
  - now rewrite <- Q by auto.
  - now rewrite <- P by lia.
  - now rewrite Q by auto.
  - now rewrite P by lia.
Qed.
Lemma counted_left_same p q i : (each j upto k, p j = q j) -> i upto k ->
  counted_on ToLeft n p i = counted_on ToLeft m q i.
Proof.
  intros P L. unfold counted_on. f_equal. apply filter_ext_on. intros j J. apply in_seq in J. apply P. lia.
Qed.

Ltac by_agreement := repeat match goal with Agree : forall i, i upto _ -> _ = _ |- _ => rewrite Agree by lia end.
Lemma past_only_same : (forall f, is_past_only f = true -> agrees f) /\
  (forall t, term_is_past_only t = true -> forall i, i upto k -> value_of_term users n w t i = value_of_term users m v t
    i).
Proof.
  apply formula_term_mutual; cbn [is_past_only term_is_past_only truth value_of_term]; intros;
    repeat match goal with H : _ && _ = true |- _ => apply andb_prop in H; destruct H end; try discriminate;
    repeat match goal with H : ?a = true -> _, K : ?a = true |- _ => specialize (H K) end;
    repeat match goal with H : side_eqb ?s ToLeft = true |- _ => apply side_eqb_eq in H; subst s end.
  - reflexivity.
  - now rewrite Same.
  - f_equal. auto.
  - f_equal; auto.
  - f_equal; auto.
  - f_equal; auto.
  - f_equal; auto.
  - destruct (Nat.eqb_spec i 1) as [E|E]; [reflexivity|]. cbn [negb andb]. now by_agreement.
  - apply since_same; auto.
  - now apply ignores_length_holds.
  - erewrite counted_left_same by (eauto; lia). now apply ignores_length_holds.
  - by_agreement. now apply (ignores_length_holds users p 0 n m).
  - now by_agreement.
  - reflexivity.
  - erewrite counted_left_same by (eauto; lia). now by_agreement.
Qed.
Lemma past_only_truth f i : is_past_only f = true -> i upto k -> truth users n w f i = truth users m v f i.
Proof. intros P. now apply past_only_same. Qed.
End Past.
