(* Linear combinations with rational coefficients, as data: lists of pairs of an unknown and its coefficient.

   Proved: merging equal unknowns changes no value, so a combination whose merged coefficients are 0 is 0 for all values
   of the unknowns. Rows of matrices and scores of heads are compared in this way. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra.
Import ListNotations.
Open Scope R_scope.

Lemma Q2R_0 : Q2R 0 = 0. Proof. unfold Q2R. simpl. lra. Qed.
Lemma Q2R_1 : Q2R 1 = 1. Proof. unfold Q2R. simpl. lra. Qed.
Lemma Q2R_inject_Z z : Q2R (inject_Z z) = IZR z. Proof. unfold Q2R. simpl. lra. Qed.
Lemma Q2R_of_nat k : Q2R (inject_Z (Z.of_nat k)) = INR k. Proof. now rewrite Q2R_inject_Z, INR_IZR_INZ. Qed.
Lemma Q2R_reduced q : Q2R (Qred q) = Q2R q. Proof. apply Qeq_eqR, Qred_correct. Qed.
Lemma Qeq_bool_R p q : Qeq_bool p q = true -> Q2R p = Q2R q. Proof. intros H. now apply Qeq_eqR, Qeq_bool_eq. Qed.
Lemma Qle_bool_R p q : Qle_bool p q = true -> Q2R p <= Q2R q. Proof. intros H. now apply Qle_Rle, Qle_bool_iff. Qed.

(* Sums, products and the like of rational numbers, as those of real numbers, and literals as quotients. *)
#[export] Hint Rewrite Q2R_reduced Q2R_plus Q2R_minus Q2R_mult Q2R_opp Q2R_0 Q2R_1 : to_reals.
Ltac rationals := autorewrite with to_reals; repeat match goal with
  | |- context [Q2R ?q] => is_ground q; let v := eval hnf in q in
      match v with ?a # ?b => let a := eval cbv in a in let b := eval cbv in b in
        replace (Q2R q) with (IZR a / IZR (Zpos b)) by (unfold Q2R; simpl; lra) end
  end.

Section Combination.
Context {K : Type} (same : K -> K -> bool).
Hypothesis same_eq : forall k l, same k l = true -> k = l.

Notation combination := (list (K * Q)).
Fixpoint combination_value (v : K -> R) (l : combination) : R :=
  match l with [] => 0 | (k, q) :: l => Q2R q * v k + combination_value v l end.
Definition scaled_terms (c : Q) (l : combination) : combination := map (fun kq => (fst kq, Qred (c * snd kq))) l.

Fixpoint insert_term (k : K) (q : Q) (l : combination) : combination :=
  match l with
  | [] => [(k, q)]
  | (k', q') :: l => if same k k' then (k', Qred (q + q')) :: l else (k', q') :: insert_term k q l
  end.
Definition is_zero (q : Q) : bool := Qeq_bool q 0.
(* Each unknown once, none with coefficient 0. *)
Definition merged_terms (l : combination) : combination :=
  filter (fun kq => negb (is_zero (snd kq))) (fold_right (fun kq => insert_term (fst kq) (snd kq)) [] l).
Definition is_zero_combination (l : combination) : bool := match merged_terms l with [] => true | _ => false end.
Definition equal_combinations (l m : combination) : bool := is_zero_combination (l ++ scaled_terms (-1) m).

Definition coefficient_of (l : combination) (k : K) : Q :=
  fold_right (fun kq s => if same k (fst kq) then Qred (snd kq + s) else s) 0%Q l.
Lemma combined_app v l m : combination_value v (l ++ m) = combination_value v l + combination_value v m.
Proof. induction l as [|[k q] l IH]; simpl; [lra|]. rewrite IH. lra. Qed.

Lemma combined_scaled v c l : combination_value v (scaled_terms c l) = Q2R c * combination_value v l.
Proof. induction l as [|[k q] l IH]; cbn [combination_value scaled_terms map fst snd]; [lra|].
  fold (scaled_terms c l). rewrite IH, Q2R_reduced, Q2R_mult. ring.
Qed.

Lemma combined_insert v k q l : combination_value v (insert_term k q l) = Q2R q * v k + combination_value v l.
Proof.
  induction l as [|[k' q'] l IH]; cbn [insert_term combination_value]; [reflexivity|].
  destruct (same k k') eqn:E; cbn [combination_value].
  - apply same_eq in E. subst k'. rewrite Q2R_reduced, Q2R_plus. ring.
  - rewrite IH. ring.
Qed.

Lemma combined_merged v l : combination_value v (merged_terms l) = combination_value v l.
Proof.
  assert (F : forall m : combination, combination_value v (filter (fun kq => negb (is_zero (snd kq))) m) =
    combination_value v m).
  { induction m as [|[k q] m IH]; simpl; [reflexivity|]. destruct (is_zero q) eqn:Z; simpl; rewrite IH; [|reflexivity].
    apply Qeq_bool_R in Z. rewrite Z, Q2R_0. ring. }
  unfold merged_terms. rewrite F. induction l as [|[k q] l IH]; [reflexivity|].
  cbn [fold_right fst snd combination_value]. now rewrite combined_insert, IH.
Qed.

Lemma vanishes_correct v l : is_zero_combination l = true -> combination_value v l = 0.
Proof. unfold is_zero_combination. rewrite <- (combined_merged v l).
  destruct (merged_terms l); [reflexivity|discriminate]. Qed.

Lemma equal_correct v l m : equal_combinations l m = true -> combination_value v l = combination_value v m.
Proof.
  intros H. apply (vanishes_correct v) in H. rewrite combined_app, combined_scaled in H. revert H. rationals. lra.
Qed.
End Combination.
