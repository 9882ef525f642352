(* Expressions and positional formulas whose value at a position is the same in words of every length. *)
From Coq Require Import Reals QArith ZArith List Bool Lra Lia.
From Certify Require Import finite_sums formula user_predicates network meaning comparison.
Open Scope R_scope.

Fixpoint integer_keeps_length_out (k : integer) : bool :=
  match k with
  | Int _ | IntI => true | IntN => false
  | IntPlus a b | IntMinus a b => integer_keeps_length_out a && integer_keeps_length_out b
  end.
Fixpoint keeps_length_out (x : expression) : bool :=
  match x with
  | Num _ | VarI => true | VarN => false
  | Add x y | Sub x y | Mul x y | Div x y => keeps_length_out x && keeps_length_out y
  | Neg x | Apply _ x => keeps_length_out x
  | Power x k => keeps_length_out x && integer_keeps_length_out k
  end.

Section Formulas.
Variable definitions : list predicate_definition.
Definition predicate_keeps_length_out (p : predicate) : bool :=
  match p with
  | LAST => false
  | User name => match nth_error definitions name with Some d => negb (mentions_length (snd d)) | None => true end
  | _ => true
  end.
Fixpoint formula_keeps_length_out (f : formula) : bool :=
  match f with
  | Truth _ => true
  | Positional p => predicate_keeps_length_out p
  | Not f => formula_keeps_length_out f
  | And f g | Or f g | Implies f g | Iff f g => formula_keeps_length_out f && formula_keeps_length_out g
  | Compare _ t u => match term_difference t u with nil => true | _ => false end
  | _ => false
  end.
Definition position_keeps_length_out (p : position_function) : bool :=
  match p with Formula x => keeps_length_out x | Bracket f _ => formula_keeps_length_out f end.

Variables n n' i : nat.

Lemma integer_keeps_length_out_correct k : integer_keeps_length_out k = true ->
  integer_value k n i = integer_value k n' i.
Proof.
  induction k; cbn; intros H; try discriminate; try reflexivity; apply andb_prop in H as [A B]; now rewrite IHk1, IHk2.
Qed.
Lemma keeps_length_out_correct x : keeps_length_out x = true -> expression_value x n i = expression_value x n' i.
Proof.
  induction x; cbn; intros H; try discriminate; try reflexivity; try (apply andb_prop in H as [A B]);
    rewrite ?IHx, ?IHx1, ?IHx2 by assumption; try reflexivity. now rewrite (integer_keeps_length_out_correct k B).
Qed.

Lemma amount_keeps_length_out x k : amount_mentions_length x = false -> amount_value x k n = amount_value x k n'.
Proof.
  induction x; cbn; intros H; try discriminate; try reflexivity; try (apply orb_false_iff in H as [A B]);
    rewrite ?IHx, ?IHx1, ?IHx2 by assumption; reflexivity.
Qed.
Lemma condition_keeps_length_out c k : mentions_length c = false -> condition_holds c k n = condition_holds c k n'.
Proof.
  induction c; cbn; intros H; try (apply orb_false_iff in H as [A B]); rewrite ?IHc, ?IHc1, ?IHc2 by assumption;
    try reflexivity.
  - now rewrite (amount_keeps_length_out x k A), (amount_keeps_length_out y k B).
  - now rewrite (amount_keeps_length_out x k H).
Qed.
Lemma predicate_keeps_length_out_correct p k : predicate_keeps_length_out p = true ->
  predicate_holds (users_of definitions) p k n = predicate_holds (users_of definitions) p k n'.
Proof.
  destruct p; cbn; intros H; try discriminate; try reflexivity. unfold users_of.
  destruct (nth_error definitions name) as [[s c]|]; [|reflexivity]. cbn in H. apply condition_keeps_length_out.
  now apply negb_true_iff.
Qed.
Lemma formula_keeps_length_out_correct w f k : formula_keeps_length_out f = true ->
  truth (users_of definitions) n w f k = truth (users_of definitions) n' w f k.
Proof.
  induction f; cbn [formula_keeps_length_out]; intros H; try discriminate; try reflexivity;
    try (apply andb_prop in H as [A B]); cbn [truth]; rewrite ?IHf, ?IHf1, ?IHf2 by assumption; try reflexivity.
  - now apply predicate_keeps_length_out_correct.
  - change (truth (users_of definitions) n w (Compare r t u) k = truth (users_of definitions) n' w (Compare r t u) k).
    destruct (term_difference t u) eqn:D; [|discriminate]. now rewrite !(constant_comparison _ _ _ _ r t u D).
Qed.
Lemma position_keeps_length_out_correct p : position_keeps_length_out p = true ->
  position_value (users_of definitions) p n i = position_value (users_of definitions) p n' i.
Proof.
  destruct p as [x|f s]; cbn; intros H; [now apply keeps_length_out_correct|].
  now rewrite (formula_keeps_length_out_correct no_word f _ H).
Qed.
End Formulas.
