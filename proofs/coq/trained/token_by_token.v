(* Running a network token by token, each common beginning once; and that whatever relates the steps of two networks
   relates what they compute. Nothing here is about numbers. *)
From Coq Require Import List Lia Arith.
From Certify Require Import real_network ball_network.
Import ListNotations.

(* ---- token by token ---- *)
Section Push.
Variables stream memory : Type.
Notation step := (step stream memory).
(* What is kept: for each step that attends, what all tokens so far have left, the last one first. *)
Definition cache := list (list (nat * memory)).
Fixpoint push (ss : list step) (p : nat) (c : cache) (x : stream) : cache * stream :=
  match ss with
  | [] => (c, x)
  | Alone f :: ss => push ss p c (f x)
  | Attend see read :: ss =>
      let seen := (p, see p x) :: hd [] c in
      let (later, y) := push ss p (tl c) (read p x seen) in (seen :: later, y)
  end.
Fixpoint pushes (ss : list step) (p : nat) (c : cache) (xs : list stream) : list stream :=
  match xs with [] => [] | x :: xs => let (c, y) := push ss p c x in y :: pushes ss (S p) c xs end.

Lemma pushes_nothing p c xs : pushes [] p c xs = xs.
Proof. revert p c. induction xs as [|x xs IH]; intros; simpl; [reflexivity|now rewrite IH]. Qed.
Lemma pushes_alone f ss xs : forall p c, pushes (Alone f :: ss) p c xs = pushes ss p c (map f xs).
Proof. induction xs as [|x xs IH]; intros; simpl; [reflexivity|]. destruct (push ss p c (f x)). now rewrite IH. Qed.
Lemma pushes_attend see read ss xs : forall p c,
  pushes (Attend see read :: ss) p c xs = pushes ss p (tl c) (read_causally see read p (hd [] c) xs).
Proof.
  induction xs as [|x xs IH]; intros; simpl; [reflexivity|].
  destruct (push ss p (tl c) (read p x ((p, see p x) :: hd [] c))) as [later y]. now rewrite IH.
Qed.
Theorem pushes_run ss p xs : pushes ss p [] xs = run_steps true p ss xs.
Proof.
  revert xs. induction ss as [|[f|see read] ss IH]; intros xs; unfold run_steps in *; simpl.
  - apply pushes_nothing.
  - now rewrite pushes_alone, IH.
  - now rewrite pushes_attend, IH.
Qed.
End Push.
Arguments push {stream memory}. Arguments pushes {stream memory}.

(* ---- two kinds of streams ---- *)
Section Related.
Variables stream memory stream' memory' : Type.
Variable S : stream -> stream' -> Prop.
Variable M : memory -> memory' -> Prop.
Notation memories := (Forall2 (numbered_related M)).

Lemma read_causally_related see read see' read' : steps_related S M (Attend see read) (Attend see' read') ->
  forall zs xs, Forall2 S zs xs -> forall p m m', memories m m' ->
  Forall2 S (read_causally see read p m zs) (read_causally see' read' p m' xs).
Proof.
  intros [R1 R2]. induction 1 as [|z x zs xs H F IH]; intros p m m' Hm; simpl; constructor.
  - apply R2; [exact H|]. constructor; [split; [reflexivity|now apply R1]|exact Hm].
  - apply IH. constructor; [split; [reflexivity|now apply R1]|exact Hm].
Qed.
Lemma numbered_relation l xs : Forall2 S l xs -> forall p,
  Forall2 (numbered_related S) (numbered p l) (numbered p xs).
Proof.
  unfold numbered. induction 1 as [|z x l xs H F IH]; intros p; simpl; constructor; [now split|apply IH].
Qed.
Lemma run_step_related causal p s s' : steps_related S M s s' -> forall zs xs, Forall2 S zs xs ->
  Forall2 S (run_step causal p zs s) (run_step causal p xs s').
Proof.
  destruct s as [f|see read], s' as [f'|see' read']; intros R zs xs F; try contradiction; simpl.
  - induction F; simpl; constructor; auto.
  - destruct causal; [apply read_causally_related; auto; constructor|]. destruct R as [R1 R2].
    pose proof (numbered_relation zs xs F p) as N.
    set (all := map (fun px => (fst px, see _ _)) (numbered p zs)).
    set (all' := map (fun px => (fst px, see' _ _)) (numbered p xs)). assert (A : memories all all').
    { unfold all, all'. clear R2. induction N as [|[i z] [j x] l m [E H] N IH]; simpl; constructor; auto.
      simpl in *. subst j. split; [reflexivity|now apply R1]. }
    clearbody all all'. induction N as [|[i z] [j x] l m [E H] N IH]; simpl in *; constructor; auto. subst j.
      now apply R2.
Qed.
Theorem run_steps_related causal p ss ss' : Forall2 (steps_related S M) ss ss' -> forall zs xs, Forall2 S zs xs ->
  Forall2 S (run_steps causal p ss zs) (run_steps causal p ss' xs).
Proof.
  unfold run_steps. induction 1 as [|s s' ss ss' R F IH]; intros zs xs H; simpl; [exact H|].
  apply IH. now apply run_step_related.
Qed.
End Related.
