(* [SHA] Lemma 24: hard attention has a strictly positive gap at every length; and x_max is well defined.

   Proved for every transformer, ties or not: for each n some g > 0 separates the greatest score from every lower one,
   in all heads, at all positions, for all words of length n; and some x bounds all initial activations. Idea: there are
   finitely many positions, heads and words. *)
From Coq Require Import Reals QArith List Bool Lra Lia Arith.
From Certify Require Import positions finite_sums softmax formula network hard_attention.
Import ListNotations PositionNotations.
Open Scope R_scope.

(* What holds of smaller positive numbers if it holds of one, and holds of one for each of finitely many things. *)
Local Definition downward {X} (P : X -> R -> Prop) : Prop := forall x g g', P x g -> 0 < g' <= g -> P x g'.

Lemma common_bound {X} (P : X -> R -> Prop) (l : list X) : downward P ->
  (forall x, In x l -> exists g, 0 < g /\ P x g) -> exists g, 0 < g /\ forall x, In x l -> P x g.
Proof.
  intros D. induction l as [|x l IH]; intros H; [exists 1; split; [lra|easy]|].
  destruct IH as (g & G & A); [intros y Hy; apply H; now right|]. destruct (H x (or_introl eq_refl)) as (g' & G' & B).
  exists (Rmin g g'). assert (M : 0 < Rmin g g') by now apply Rmin_glb_lt. split; [exact M|]. intros y [<-|Hy].
  - apply (D x g'); [exact B|]. split; [exact M|apply Rmin_r].
  - apply (D y g); [now apply A|]. split; [exact M|apply Rmin_l].
Qed.

(* ---- one row ---- *)
Lemma has_gap_less n m s g g' : has_gap n m s g -> 0 < g' <= g -> has_gap n m s g'.
Proof. intros H L p Vp Hp j Vj. destruct (H p Vp Hp j Vj); [now left|right; lra]. Qed.

Lemma has_gap_ext n m s s' g : (each j upto n, s j = s' j) -> has_gap n m s g -> has_gap n m s' g.
Proof.
  intros E H p Vp Hp j Vj. rewrite <- !E by (apply Vp || apply Vj). apply H; [exact Vp| |exact Vj].
  intros k Vk. rewrite !E by (apply Vp || apply Vk). now apply Hp.
Qed.

Lemma row_has_gap n m s : exists g, 0 < g /\ has_gap n m s g.
Proof.
  set (P := fun p g => (m (fst p) = true -> m (snd p) = true -> s (snd p) < s (fst p) -> s (snd p) <= s (fst p) - g)).
  destruct (common_bound P (list_prod (seq 1 n) (seq 1 n))) as (g & G & H).
  - intros p g g' A L M1 M2 B. specialize (A M1 M2 B). lra.
  - intros [p j] _. unfold P. simpl. destruct (Rlt_le_dec (s j) (s p)) as [L|L].
    + exists (s p - s j). split; [|intros _ _ _]; lra.
    + exists 1. split; [|intros _ _ B]; lra.
  - exists g. split; [exact G|]. intros p [Hp Mp] Max j [Hj Mj].
    destruct (Max j (conj Hj Mj)) as [L|E]; [right|now left].
    apply (H (p, j)); [apply in_prod; apply in_seq; lia|exact Mp|exact Mj|exact L].
Qed.

(* ---- one word ---- *)
Lemma layers_have_gap n ls : forall h, exists g, 0 < g /\ every_row (fun m s => has_gap n m s g) n ls h.
Proof.
  induction ls as [|l ls IH]; intros h; [exists 1; split; [lra|exact I]|].
  destruct (IH (after_layer_by hardmax n l h)) as (g & G & H).
  destruct (common_bound (fun ai g => has_gap n (mask_at (head_masking (fst ai)) (snd ai))
    (raw_score (fst ai) h (snd ai)) g) (list_prod (layer_heads l) (seq 1 n))) as (g' & G' & H').
  - intros [a i] ? ? A L. simpl in *. now exact (has_gap_less n _ _ _ _ A L).
  - intros ai _. apply row_has_gap.
  - assert (M : 0 < Rmin g g') by now apply Rmin_glb_lt. exists (Rmin g g'). split; [exact M|]. split.
    + intros a i Ha _ Hi. apply (has_gap_less n _ _ g'); [|split; [exact M|apply Rmin_r]].
      apply (H' (a, i)), in_prod; [exact Ha|apply in_seq; lia].
    + eapply every_row_impl; [|exact H]. intros m s A. apply (has_gap_less n m s g _ A). split; [exact M|apply Rmin_l].
Qed.

(* ---- all words of length n ---- *)
Definition with_symbol (w : word) (p a : nat) : word := fun i => if (i =? p)%nat then a else w i.

Section Words.
Variables (size n : nat) (P : word -> R -> Prop).
Let within (w : word) := each i upto n, (w i < size)%nat.
Hypothesis Down : downward P.
Hypothesis First_n : forall w w' g, (each i upto n, w i = w' i) -> P w g -> P w' g.
Hypothesis Each : forall w, within w -> exists g, 0 < g /\ P w g.

(* For all words that agree with w from position k + 1 on. *)
Lemma common_bound_beyond k : (k <= n)%nat -> forall w, within w ->
  exists g, 0 < g /\ forall w', within w' -> (forall i, (k < i <= n)%nat -> w' i = w i) -> P w' g.
Proof.
  induction k as [|k IH]; intros Hk w Hw.
  - destruct (Each w Hw) as (g & G & H). exists g. split; [exact G|]. intros w' _ E.
    apply (First_n w); [|exact H]. intros i Hi. symmetry. apply E. lia.
  - destruct (common_bound (fun a g => forall w', within w' ->
      (forall i, (k < i <= n)%nat -> w' i = with_symbol w (S k) a i) -> P w' g) (seq 0 size)) as (g & G & H).
    + intros a g g' A L w' Hw' E. apply (Down w' g); [now apply A|exact L].
    + intros a Ha. apply in_seq in Ha. apply (IH ltac:(lia)). intros i Hi. unfold with_symbol.
      destruct (i =? S k)%nat; [lia|now apply Hw].
    + exists g. split; [exact G|]. intros w' Hw' E. apply (H (w' (S k))).
      * apply in_seq. specialize (Hw' (S k) ltac:(lia)). lia.
      * exact Hw'.
      * intros i Hi. unfold with_symbol. destruct (Nat.eqb_spec i (S k)) as [->|N]; [reflexivity|]. apply E. lia.
Qed.

Lemma common_bound_words : exists g, 0 < g /\ forall w, within w -> P w g.
Proof.
  destruct (le_lt_dec n 0) as [N|N]; [|destruct (le_lt_dec size 0) as [Z|Z]].
  - destruct (common_bound_beyond 0 (Nat.le_0_l n) no_word) as (g & G & H); [intros i Hi; lia|].
    exists g. split; [exact G|]. intros w Hw. apply H; [exact Hw|]. intros i Hi. lia.
  - exists 1. split; [lra|]. intros w Hw. specialize (Hw 1%nat ltac:(lia)). lia.
  - destruct (common_bound_beyond n (le_n n) no_word) as (g & G & H); [intros i _; exact Z|].
    exists g. split; [exact G|]. intros w Hw. apply H; [exact Hw|]. intros i Hi. lia.
Qed.
End Words.

Theorem lemma_24 users T n : exists g, gap_at users T n g.
Proof.
  destruct (common_bound_words (length (token_embedding T)) n (fun w g =>
    every_row (fun m s => has_gap n m s g) n (transformer_layers T) (embed users T n w))) as (g & G & H).
  - intros w g g' A L. eapply every_row_impl; [|exact A]. intros m s B. exact (has_gap_less n m s g _ B L).
  - intros w w' g E. apply every_row_ext; [intros m s s'; apply has_gap_ext|now apply embed_ext].
  - intros w _. apply layers_have_gap.
  - exists g. split; [exact G|exact H].
Qed.

(* ---- x_max(n) ---- *)
Local Definition mentioned (T : transformer) (w : word) (i : nat) : list direction :=
  map fst (nth (w i) (token_embedding T) []) ++ map fst (position_embedding T).

Lemma collect_absent {X} (f : X -> R) l d : ~ In d (map fst l) -> collect f l d = 0.
Proof.
  induction l as [|[e x] l IH]; simpl; intros H; [reflexivity|]. rewrite IH by tauto.
  destruct (Nat.eqb_spec e d); [tauto|lra].
Qed.

Lemma embed_absent users T n w i d : ~ In d (mentioned T w i) -> embed users T n w i d = 0.
Proof.
  unfold mentioned. rewrite in_app_iff. intros H. unfold embed, row_entry. rewrite !collect_absent by tauto. lra.
Qed.

Lemma word_is_bounded users T n w : exists g, 0 < g /\ forall i d, i upto n -> Rabs (embed users T n w i d) <= / g.
Proof.
  destruct (common_bound (fun id g => Rabs (embed users T n w (fst id) (snd id)) <= / g)
    (flat_map (fun i => map (pair i) (mentioned T w i)) (seq 1 n))) as (g & G & H).
  - intros id g g' A [L B]. apply Rle_trans with (/ g); [exact A|]. now apply Rinv_le_contravar.
  - intros id _. set (x := Rabs _). assert (X : 0 <= x) by apply Rabs_pos. exists (/ (1 + x)).
    split; [apply Rinv_0_lt_compat; lra|]. rewrite Rinv_inv; lra.
  - exists g. split; [exact G|]. intros i d Hi. destruct (in_dec Nat.eq_dec d (mentioned T w i)) as [M|M].
    + apply (H (i, d)), in_flat_map. exists i. split; [apply in_seq; lia|]. now apply in_map.
    + rewrite (embed_absent users T n w i d M), Rabs_R0. left. now apply Rinv_0_lt_compat.
Qed.

Theorem x_max_exists users T n : exists x, initial_at_most users T n x.
Proof.
  destruct (common_bound_words (length (token_embedding T)) n (fun w g =>
    forall i d, i upto n -> Rabs (embed users T n w i d) <= / g)) as (g & G & H).
  - intros w g g' A [L B] i d Hi. apply Rle_trans with (/ g); [now apply A|]. now apply Rinv_le_contravar.
  - intros w w' g E A i d Hi. rewrite <- (embed_ext users T n w w' E i d Hi). now apply A.
  - intros w _. apply word_is_bounded.
  - exists (Rmax 1 (/ g)). split; [apply Rmax_l|]. intros w Hw i d Hi.
    apply Rle_trans with (/ g); [now apply H|apply Rmax_r].
Qed.
