(* Linear combinations with rational coefficients, as data: lists of pairs of an unknown and its coefficient.

   Proved: merging equal unknowns changes no value, so a combination whose merged coefficients are 0 is 0 whatever the
   unknowns stand for. Rows of matrices and scores of heads are compared in this way. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra.
Import ListNotations.
Open Scope R_scope.

Lemma Q2R_0 : Q2R 0 = 0. Proof. unfold Q2R. simpl. lra. Qed.
Lemma Q2R_1 : Q2R 1 = 1. Proof. unfold Q2R. simpl. lra. Qed.
Lemma Q2R_inject_Z z : Q2R (inject_Z z) = IZR z. Proof. unfold Q2R. simpl. lra. Qed.
Lemma Q2R_of_nat k : Q2R (inject_Z (Z.of_nat k)) = INR k. Proof. now rewrite Q2R_inject_Z, INR_IZR_INZ. Qed.
Lemma Q2R_reduced q : Q2R (Qred q) = Q2R q. Proof. apply Qeq_eqR, Qred_correct. Qed.
Lemma Qeq_bool_R p q : Qeq_bool p q = true -> Q2R p = Q2R q. Proof. intros H. now apply Qeq_eqR, Qeq_bool_eq. Qed.
Lemma Qle_bool_R p q : Qle_bool p q = true -> Q2R p <= Q2R q.
Proof. intros H. now apply Qle_Rle, Qle_bool_iff. Qed.

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
Fixpoint combined (v : K -> R) (l : combination) : R :=
  match l with [] => 0 | (k, q) :: l => Q2R q * v k + combined v l end.
Definition scaled (c : Q) (l : combination) : combination := map (fun kq => (fst kq, Qred (c * snd kq))) l.

Fixpoint insert (k : K) (q : Q) (l : combination) : combination :=
  match l with
  | [] => [(k, q)]
  | (k', q') :: l => if same k k' then (k', Qred (q + q')) :: l else (k', q') :: insert k q l
  end.
Definition is_zero (q : Q) : bool := Qeq_bool q 0.
(* Each unknown once, none with coefficient 0. *)
Definition merged (l : combination) : combination :=
  filter (fun kq => negb (is_zero (snd kq))) (fold_right (fun kq => insert (fst kq) (snd kq)) [] l).
Definition vanishes (l : combination) : bool := match merged l with [] => true | _ => false end.
Definition equal (l m : combination) : bool := vanishes (l ++ scaled (-1) m).

Definition coefficient (l : combination) (k : K) : Q :=
  fold_right (fun kq s => if same k (fst kq) then Qred (snd kq + s) else s) 0%Q l.
Lemma combined_app v l m : combined v (l ++ m) = combined v l + combined v m.
Proof. induction l as [|[k q] l IH]; simpl; [lra|]. rewrite IH. lra. Qed.

Lemma combined_scaled v c l : combined v (scaled c l) = Q2R c * combined v l.
Proof. induction l as [|[k q] l IH]; cbn [combined scaled map fst snd]; [lra|].
  fold (scaled c l). rewrite IH, Q2R_reduced, Q2R_mult. ring.
Qed.

Lemma combined_insert v k q l : combined v (insert k q l) = Q2R q * v k + combined v l.
Proof.
  induction l as [|[k' q'] l IH]; cbn [insert combined]; [reflexivity|]. destruct (same k k') eqn:E; cbn [combined].
  - apply same_eq in E. subst k'. rewrite Q2R_reduced, Q2R_plus. ring.
  - rewrite IH. ring.
Qed.

Lemma combined_merged v l : combined v (merged l) = combined v l.
Proof.
  assert (F : forall m : combination, combined v (filter (fun kq => negb (is_zero (snd kq))) m) = combined v m).
  { induction m as [|[k q] m IH]; simpl; [reflexivity|]. destruct (is_zero q) eqn:Z; simpl; rewrite IH; [|reflexivity].
    apply Qeq_bool_R in Z. rewrite Z, Q2R_0. ring. }
  unfold merged. rewrite F. induction l as [|[k q] l IH]; [reflexivity|].
  cbn [fold_right fst snd combined]. now rewrite combined_insert, IH.
Qed.

Lemma vanishes_correct v l : vanishes l = true -> combined v l = 0.
Proof. unfold vanishes. rewrite <- (combined_merged v l). destruct (merged l); [reflexivity|discriminate]. Qed.

Lemma equal_correct v l m : equal l m = true -> combined v l = combined v m.
Proof.
  intros H. apply (vanishes_correct v) in H. rewrite combined_app, combined_scaled in H. revert H. rationals. lra.
Qed.
End Combination.
