(* Sums over lists, as networks have them: the usual laws of `total_over`. *)
From Coq Require Import Reals List Lra.
From Certify Require Import network.
Import ListNotations.
Open Scope R_scope.

Lemma total_ext {X} (f g : X -> R) l : (forall x, In x l -> f x = g x) -> total_over f l = total_over g l.
Proof. induction l as [|x l IH]; simpl; intros H; [reflexivity|]. rewrite H, IH by auto. reflexivity. Qed.
Lemma total_map {X Y} (f : Y -> R) (g : X -> Y) l : total_over f (map g l) = total_over (fun x => f (g x)) l.
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. now rewrite IH. Qed.
Lemma total_app {X} (f : X -> R) l m : total_over f (l ++ m) = total_over f l + total_over f m.
Proof. induction l as [|x l IH]; simpl; [lra|]. rewrite IH. lra. Qed.
Lemma total_zero {X} (f : X -> R) l : (forall x, In x l -> f x = 0) -> total_over f l = 0.
Proof. induction l as [|x l IH]; simpl; intros H; [reflexivity|]. rewrite H, IH by auto. lra. Qed.
Lemma total_le {X} (f g : X -> R) l : (forall x, In x l -> f x <= g x) -> total_over f l <= total_over g l.
Proof. induction l as [|x l IH]; simpl; intros H; [lra|]. apply Rplus_le_compat; auto. Qed.
Lemma total_nonneg {X} (f : X -> R) l : (forall x, In x l -> 0 <= f x) -> 0 <= total_over f l.
Proof. intros H. rewrite <- (total_zero (fun _ => 0) l) by reflexivity. now apply total_le. Qed.
Lemma total_plus {X} (f g : X -> R) l : total_over (fun x => f x + g x) l = total_over f l + total_over g l.
Proof. induction l as [|x l IH]; simpl; lra. Qed.
Lemma total_scale {X} c (f : X -> R) l : total_over (fun x => c * f x) l = c * total_over f l.
Proof. induction l as [|x l IH]; simpl; [lra|]. rewrite IH. lra. Qed.
