(* A decision procedure: every expression of a network has a value.

   Proved: `well_defined T = true` implies that every position embedding has a value and every temperature a positive
   one, at every position of every length; `well_defined_from m T = true`, of every length from m on. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia.
From Certify Require Import positions finite_sums formula network well_defined linear_combination monomial
  expression_bounds.
Open Scope R_scope.

Section From.
Variable m : nat.                                                  (* the least length *)

Definition is_nonzero (x : expression) : bool :=
  match monomial_of x with Some a => negb (is_zero (monomial_factor a)) | None => false end || surely_positive m x.
Definition surely_in_domain (g : real_function) (x : expression) : bool :=
  surely_positive m x ||
  match g, lower_bound m x with Sqrt, Some q => Qle_bool 0 q | _, _ => false end.
Fixpoint always_has_value (x : expression) : bool :=
  match x with
  | Num _ | VarI | VarN => true
  | Add x y | Sub x y | Mul x y => always_has_value x && always_has_value y
  | Div x y => always_has_value x && (always_has_value y && is_nonzero y)
  | Neg x => always_has_value x
  | Power x (Int z) => always_has_value x && (Z.leb 0 z || is_nonzero x)
  | Power x _ => always_has_value x && is_nonzero x
  | Apply g x => always_has_value x && surely_in_domain g x
  end.

Definition well_defined_from (T : transformer) : bool :=
  forallb (fun e => match snd e with Formula x => always_has_value x | Bracket _ _ => true end) (position_embedding T)
  && forallb (fun l => forallb (fun a =>
       always_has_value (head_temperature a) && surely_positive m (head_temperature a)) (layer_heads l))
     (transformer_layers T).

Section Position.
Variables (n : nat) (i : position n).
Hypothesis Hm : (m <= n)%nat.

Lemma is_nonzero_correct x : is_nonzero x = true -> expression_value x n i <> 0.
Proof.
  unfold is_nonzero. intros H. apply orb_prop in H as [H|H].
  - destruct (monomial_of x) as [a|] eqn:E; [|discriminate].
    rewrite (monomial_of_value n i x a E). destruct (monomial_inverse a) as [b|] eqn:Inv.
    + pose proof (inverse_value n i a b Inv) as V. intros Z. rewrite Z in V. lra.
    + unfold monomial_inverse in Inv. apply negb_true_iff in H. rewrite H in Inv. discriminate.
  - pose proof (surely_positive_correct m n i Hm x H). lra.
Qed.

Lemma surely_in_domain_correct g x : surely_in_domain g x = true -> in_domain g (expression_value x n i).
Proof.
  unfold surely_in_domain. intros H. apply orb_prop in H as [H|H].
  - pose proof (surely_positive_correct m n i Hm x H). destruct g; simpl; lra.
  - destruct g; try discriminate. pose proof (lower_bound_correct m n i Hm x) as B.
    destruct (lower_bound m x) as [q|]; [|discriminate]. apply Qle_bool_R in H. rewrite Q2R_0 in H.
    specialize (B q eq_refl). simpl. lra.
Qed.

Lemma always_has_value_correct x : always_has_value x = true -> has_value x n i.
Proof.
  induction x as [q| | |x IHx y IHy|x IHx y IHy|x IHx y IHy|x IHx y IHy|x IHx|x IHx k|g x IHx];
    cbn [always_has_value has_value]; intros H; auto; try (apply andb_prop in H as [H1 H2]; auto; fail).
  - apply andb_prop in H as [H1 H2]. apply andb_prop in H2 as [H2 H3].
    split; [auto|split; [auto|now apply is_nonzero_correct]].
  - destruct k as [z| | | |]; apply andb_prop in H as [H1 H2]; (split; [auto|]); intros L;
      try (now apply is_nonzero_correct). apply orb_prop in H2 as [H2|H2]; [|now apply is_nonzero_correct].
    apply Z.leb_le in H2. simpl in L. lia.
  - apply andb_prop in H as [H1 H2]. split; [auto|now apply surely_in_domain_correct].
Qed.
End Position.
End From.

Definition well_defined (T : transformer) : bool := well_defined_from 1 T.

Lemma well_defined_at m T n (i : position n) : well_defined_from m T = true -> (m <= n)%nat -> defined_at T n i.
Proof.
  intros H Hm. apply andb_prop in H as [E L]. rewrite forallb_forall in E, L. split.
  - intros d x In_. specialize (E _ In_). simpl in E. now apply (always_has_value_correct m).
  - intros l a Hl Ha. specialize (L l Hl). rewrite forallb_forall in L. specialize (L a Ha).
    apply andb_prop in L as [V P].
    split; [now apply (always_has_value_correct m)|now apply (surely_positive_correct m)].
Qed.

Theorem well_defined_correct T : well_defined T = true -> defined T.
Proof. intros H n i. apply (well_defined_at 1); [exact H|lia]. Qed.

Theorem well_defined_for L T : well_defined_from (least_length L) T = true -> defined_for L T.
Proof. intros H n i (_ & Hm & _). now apply (well_defined_at (least_length L)). Qed.
