(* Sums over lists, as networks have them: the usual laws of `total`. *)
From Coq Require Import Reals List Lra.
From Certify Require Import network.
Import ListNotations.
Open Scope R_scope.

Lemma total_ext {X} (f g : X -> R) l : (forall x, In x l -> f x = g x) -> total f l = total g l.
Proof. induction l as [|x l IH]; simpl; intros H; [reflexivity|]. rewrite H, IH by auto. reflexivity. Qed.
Lemma total_map {X Y} (f : Y -> R) (g : X -> Y) l : total f (map g l) = total (fun x => f (g x)) l.
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. now rewrite IH. Qed.
Lemma total_app {X} (f : X -> R) l m : total f (l ++ m) = total f l + total f m.
Proof. induction l as [|x l IH]; simpl; [lra|]. rewrite IH. lra. Qed.
Lemma total_zero {X} (f : X -> R) l : (forall x, In x l -> f x = 0) -> total f l = 0.
Proof. induction l as [|x l IH]; simpl; intros H; [reflexivity|]. rewrite H, IH by auto. lra. Qed.
Lemma total_le {X} (f g : X -> R) l : (forall x, In x l -> f x <= g x) -> total f l <= total g l.
Proof. induction l as [|x l IH]; simpl; intros H; [lra|]. apply Rplus_le_compat; auto. Qed.
Lemma total_nonneg {X} (f : X -> R) l : (forall x, In x l -> 0 <= f x) -> 0 <= total f l.
Proof. intros H. rewrite <- (total_zero (fun _ => 0) l) by reflexivity. now apply total_le. Qed.
Lemma total_plus {X} (f g : X -> R) l : total (fun x => f x + g x) l = total f l + total g l.
Proof. induction l as [|x l IH]; simpl; lra. Qed.
Lemma total_scale {X} c (f : X -> R) l : total (fun x => c * f x) l = c * total f l.
Proof. induction l as [|x l IH]; simpl; [lra|]. rewrite IH. lra. Qed.
