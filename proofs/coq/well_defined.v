(* Expressions may divide by zero, and a temperature may fail to be positive: then there is no network to speak of.

   Proved: `well_defined T = true` implies that every position embedding has a value and every temperature a positive
   one, at every position of every length. (Over the real numbers of Coq x / 0 is some number; nothing rests on it.) *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia.
From Certify Require Import finite_sums formula network linear_combination monomial.
Open Scope R_scope.

Fixpoint has_value (x : expression) (n i : nat) : Prop :=
  match x with
  | Num _ | VarI | VarN => True
  | Add x y | Sub x y | Mul x y => has_value x n i /\ has_value y n i
  | Div x y => has_value x n i /\ has_value y n i /\ expression_value y n i <> 0
  | Neg x => has_value x n i
  | Power x k => has_value x n i /\ ((integer_value k n i < 0)%Z -> expression_value x n i <> 0)
  end.

Definition is_nonzero (x : expression) : bool :=
  match monomial_of x with Some m => negb (is_zero (monomial_factor m)) | None => false end.
Fixpoint always_has_value (x : expression) : bool :=
  match x with
  | Num _ | VarI | VarN => true
  | Add x y | Sub x y | Mul x y => always_has_value x && always_has_value y
  | Div x y => always_has_value x && (always_has_value y && is_nonzero y)
  | Neg x => always_has_value x
  | Power x (Int z) => always_has_value x && (Z.leb 0 z || is_nonzero x)
  | Power x _ => always_has_value x && is_nonzero x
  end.
Definition is_positive (x : expression) : bool :=
  match monomial_of x with
  | Some m => Qle_bool 0 (monomial_factor m) && negb (is_zero (monomial_factor m)) && negb (monomial_alternates m)
  | None => false
  end.

Definition well_defined (T : transformer) : bool :=
  forallb (fun e => match snd e with Formula x => always_has_value x | Bracket _ _ => true end) (position_embedding T)
  && forallb (fun l => forallb (fun a => always_has_value (head_temperature a) && is_positive (head_temperature a))
      (layer_heads l))
             (transformer_layers T).

Section Position.
Variables n i : nat.
Hypothesis Hi : (1 <= i <= n)%nat.

Lemma is_nonzero_correct x : is_nonzero x = true -> expression_value x n i <> 0.
Proof.
  unfold is_nonzero. destruct (monomial_of x) as [m|] eqn:E; [|discriminate]. intros H.
  rewrite (monomial_of_value n i Hi x m E). destruct (inverse m) as [b|] eqn:Inv.
  - pose proof (inverse_value n i Hi m b Inv) as V. intros Z. rewrite Z in V. lra.
  - unfold inverse in Inv. apply negb_true_iff in H. rewrite H in Inv. discriminate.
Qed.

Lemma always_has_value_correct x : always_has_value x = true -> has_value x n i.
Proof.
  induction x as [q| | |x IHx y IHy|x IHx y IHy|x IHx y IHy|x IHx y IHy|x IHx|x IHx k]; simpl; intros H; auto;
    try (apply andb_prop in H as [H1 H2]; auto; fail).
  - apply andb_prop in H as [H1 H2]. apply andb_prop in H2 as [H2 H3].
    split; [auto|split; [auto|now apply is_nonzero_correct]].
  - destruct k as [z| | | |]; apply andb_prop in H as [H1 H2]; (split; [auto|]); intros L;
      try (now apply is_nonzero_correct). apply orb_prop in H2 as [H2|H2]; [|now apply is_nonzero_correct].
    apply Z.leb_le in H2. simpl in L. lia.
Qed.

Lemma is_positive_correct x : is_positive x = true -> 0 < expression_value x n i.
Proof.
  unfold is_positive. destruct (monomial_of x) as [m|] eqn:E; [|discriminate]. intros H.
  apply andb_prop in H as [H A]. apply andb_prop in H as [P Z]. apply negb_true_iff in A, Z.
  rewrite (monomial_of_value n i Hi x m E). unfold monomial_value, sign. rewrite A.
  apply Qle_bool_R in P. rewrite Q2R_0 in P.
  assert (F : Q2R (monomial_factor m) <> 0).
  { intros F. assert (G : (monomial_factor m == 0)%Q) by (apply eqR_Qeq; now rewrite Q2R_0).
    apply Qeq_bool_iff in G. unfold is_zero in Z. congruence. }
  assert (Pos : forall k, (1 <= k)%nat -> forall z, 0 < powerRZ (INR k) z).
  { intros k Hk z. apply powerRZ_lt, lt_0_INR. lia. }
  assert (F' : 0 < Q2R (monomial_factor m)) by lra. rewrite Rmult_1_r.
  pose proof (Rmult_lt_0_compat _ _ F' (Pos i ltac:(lia) (monomial_i m))) as P1.
  pose proof (Rmult_lt_0_compat _ _ P1 (Pos n ltac:(lia) (monomial_n m))) as P2.
  exact (Rmult_lt_0_compat _ _ P2 (Pos (S n - i)%nat ltac:(lia) (monomial_end m))).
Qed.
End Position.

(* At every position of every length, the embeddings have values and the temperatures positive ones. *)
Definition defined (T : transformer) : Prop := forall n i, (1 <= i <= n)%nat ->
  (forall d x, In (d, Formula x) (position_embedding T) -> has_value x n i) /\
  (forall l a, In l (transformer_layers T) -> In a (layer_heads l) ->
     has_value (head_temperature a) n i /\ 0 < expression_value (head_temperature a) n i).

Theorem well_defined_correct T : well_defined T = true -> defined T.
Proof.
  intros H n i Hi. apply andb_prop in H as [E L]. rewrite forallb_forall in E, L. split.
  - intros d x In_. specialize (E _ In_). simpl in E. now apply always_has_value_correct.
  - intros l a Hl Ha. specialize (L l Hl). rewrite forallb_forall in L. specialize (L a Ha).
    apply andb_prop in L as [V P]. split; [now apply always_has_value_correct|now apply is_positive_correct].
Qed.
