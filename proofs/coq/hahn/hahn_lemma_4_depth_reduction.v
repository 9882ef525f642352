(* [Hahn] Lemma 4, the depth reduction lemma: a layer of attention to single positions, read through restrictions.

   y w j is the activation of position j; on the words of a restriction it depends on the symbols at D j only, c of them
   at most (Definition 3, a c-transformer without its upper layers). The heads of a layer look at it in whatever way
   `prefers` says, own activation, masks and ties included.

   Proved: if n >= 2ec, then n/e more symbols may be fixed such that what a position attends to, and what is there,
   depends on c (s^c m H + 1) symbols at most, with s letters, H heads and m = 8 e^2 c^2 H s^(2c), for every n. That is
   the number of the printed lemma, with k = m. *)
From Coq Require Import List Bool Arith Lia.
From Certify Require Import positions lists formula hahn_restrictions.
Import ListNotations PositionNotations.

(* How many positions a settled query may pick. *)
Local Definition enough (s c e H : nat) : nat := 8 * (e * c) * (e * c) * (H * (s ^ c * s ^ c)).

Lemma fixed_at_most s c e H n u queries : 1 <= s -> 1 <= c -> 1 <= e -> 1 <= H -> 2 * (e * c) <= n ->
  queries <= s ^ c * n * H -> let T := n / (2 * (e * c)) in
  u * (s ^ c * n + enough s c e H * T) <= queries * (s ^ c * n) -> e * (c * T + c * u) <= n.
Proof.
  intros Hs Hc He HH Hn Q T E. set (d := e * c) in *. assert (D1 : 1 <= d) by (unfold d; nia).
  pose proof (Nat.div_mod n (2 * d) ltac:(lia)) as Dm. pose proof (Nat.mod_upper_bound n (2 * d) ltac:(lia)) as Md.
  fold T in Dm. assert (T1 : 1 <= T) by (unfold T; apply Nat.div_le_lower_bound; lia).
  assert (N4 : n <= 4 * d * T) by nia. set (g := H * (s ^ c * s ^ c)).
  assert (G1 : 1 <= g) by (unfold g; pose proof (Nat.pow_nonzero s c ltac:(lia)); nia).
  assert (A : g * (8 * d * d * u * T) <= g * (n * n)).
  { apply Nat.le_trans with (u * (s ^ c * n + enough s c e H * T)); [unfold enough; fold d g; nia|].
    eapply Nat.le_trans; [exact E|].
    apply Nat.le_trans with (s ^ c * n * H * (s ^ c * n)); [now apply Nat.mul_le_mono_r|]. unfold g. lia. }
  apply Nat.mul_le_mono_pos_l in A; [|lia]. assert (B : 2 * d * u <= n).
  { apply (Nat.mul_le_mono_pos_r _ _ (4 * d * T)); [nia|]. apply Nat.le_trans with (n * n); [lia|].
    now apply Nat.mul_le_mono_l. }
  replace (e * (c * T + c * u)) with (d * T + d * u) by (unfold d; lia). lia.
Qed.

(* On the words of a restriction, y at a position depends on the symbols at D. *)
Definition reads_at_most {A} (s n : nat) (D : nat -> list nat) (y : word -> nat -> A) (b : word) (F : list nat) :=
  forall i w w', i upto n -> restriction_extends s b F w -> restriction_extends s b F w' -> (forall p, In p (D i) ->
  w p = w' p) -> y w i = y w' i.
Definition few_positions (n c : nat) (D : nat -> list nat) := each i upto n, length (D i) <= c.

Section Layer.
Variables (s n c e H : nat) (A head : Type) (heads : list head).
Variable sees : head -> nat -> list nat.
Variable prefers : head -> nat -> A -> nat * A -> nat * A -> bool.
Variable y : word -> nat -> A.
Hypothesis Hs : 1 <= s.
Hypothesis Hc : 1 <= c.
Hypothesis He : 1 <= e.
Hypothesis HH : 1 <= H.
Hypothesis Hn : 2 * (e * c) <= n.
Hypothesis Heads : length heads <= H.
Hypothesis Sees : forall a j, NoDup (sees a j) /\ forall i, In i (sees a j) -> i upto n.
Hypothesis Total : forall a j x u v, prefers a j x u v = true \/ prefers a j x v u = true.
Hypothesis Trans : forall a j x u v w, prefers a j x u v = true -> prefers a j x v w = true -> prefers a j x u w = true.
Hypothesis Anti : forall a j x u v, prefers a j x u v = true -> prefers a j x v u = true -> fst u = fst v.

(* Head a at position j attends to i. *)
Local Definition attends (a : head) (w : word) (j i : nat) := In i (sees a j) /\
  forall k, In k (sees a j) -> prefers a j (y w j) (i, y w i) (k, y w k) = true.

Let m : nat := enough s c e H.
Definition reduced_reads : nat := c * (s ^ c * m * H + 1).

Variables (b : word) (F : list nat) (D : nat -> list nat).
Hypothesis Spelled : is_spelled s b.
Hypothesis Free : NoDup F.
Hypothesis Few : few_positions n c D.
Hypothesis Reads : reads_at_most s n D y b F.

(* A head, a position, and the symbols that its own activation depends on. *)
Let query : Type := (head * nat * word)%type.
Let seen (q : query) : list nat := sees (fst (fst q)) (snd (fst q)).
Let above (q : query) (i : nat) (u : word) (k : nat) (v : word) : bool :=
  let (aj, own) := q in let (a, j) := aj in prefers a j (y own j) (i, y u i) (k, y v k).
Let owns (j : nat) : list word := fillings s b (positions_within (D j) F).
Let queries_of (a : head) : list query := flat_map (fun j => map (pair (a, j)) (owns j)) (seq 1 n).
Let queries : list query := flat_map queries_of heads.

Lemma owns_length j : j upto n -> length (owns j) <= s ^ c.
Proof.
  intros Hj. unfold owns. eapply Nat.le_trans; [apply fillings_length|]. apply Nat.pow_le_mono_r; [lia|].
  eapply Nat.le_trans; [now apply within_length|now apply Few].
Qed.

Lemma queries_length : length queries <= s ^ c * n * H.
Proof.
  unfold queries. eapply Nat.le_trans; [apply (product_length _ (s ^ c * n))|now apply Nat.mul_le_mono_l]. intros a _.
  unfold queries_of. rewrite <- (length_seq n 1) at 2. apply product_length. intros j Hj. apply in_seq in Hj.
  rewrite length_map. apply owns_length. lia.
Qed.

Lemma in_queries a j own : In a heads -> j upto n -> In own (owns j) -> In (a, j, own) queries.
Proof.
  intros Ha Hj Ho. unfold queries. apply in_flat_map. exists a. split; [exact Ha|]. unfold queries_of.
  apply in_flat_map. exists j. split; [apply in_seq; lia|]. now apply in_map.
Qed.

Lemma same_offer q i u u' k v : In i (seen q) -> restriction_extends s b F u -> restriction_extends s b F u' ->
  (forall p, In p (D i) -> u p = u' p) -> above q i u k v = above q i u' k v /\ above q k v i u = above q k v i u'.
Proof.
  intros Hi U U' E. destruct q as [[a j] own]. unfold above.
  rewrite (Reads i u u'); [now split|now apply (Sees a j)|exact U|exact U'|exact E].
Qed.

(* The symbols that position j depends on behind the layer. *)
Let picks (b' : word) (F' : list nat) (a : head) (j : nat) (own : word) : list nat :=
  picked_positions s query seen above (a, j, own) b' F'.
Let reads_of (b' : word) (F' : list nat) (j : nat) : list nat :=
  D j ++ flat_map (fun a => flat_map (fun own => flat_map D (picks b' F' a j own)) (owns j)) heads.

Lemma reads_of_length b' F' : (forall q, In q queries -> is_settled s m query seen above q b' F' = true) ->
  few_positions n reduced_reads (reads_of b' F').
Proof.
  intros St j Hj. unfold reads_of, reduced_reads. rewrite length_app. pose proof (Few j Hj) as L.
  assert (P : length (flat_map (fun a => flat_map (fun own => flat_map D (picks b' F' a j own)) (owns j)) heads)
    <= c * m * s ^ c * length heads).
  { apply product_length. intros a Ha. eapply Nat.le_trans; [apply (product_length _ (c * m))|].
    - intros own Ho. pose proof (St _ (in_queries a j own Ha Hj Ho)) as S1. unfold is_settled in S1.
      apply Nat.leb_le in S1. eapply Nat.le_trans; [apply (product_length _ c)|apply Nat.mul_le_mono_l; exact S1].
      intros i Hi. apply Few. apply filter_In in Hi as [Hi _]. now apply (Sees a j).
    - apply Nat.mul_le_mono_l. now apply owns_length. }
  pose proof (Nat.mul_le_mono_l _ _ (c * m * s ^ c) Heads). lia.
Qed.

Lemma same_attention b' F' : restriction_narrower s b F b' F' -> forall j w w', j upto n -> restriction_extends s b' F'
  w -> restriction_extends s b' F' w' -> (forall p, In p (reads_of b' F' j) -> w p = w' p) -> y w j = y w' j /\
  forall a i i', In a heads -> attends a w j i -> attends a w' j i' -> i = i' /\ y w i = y w' i.
Proof.
  intros (B' & _ & _ & E) j w w' Hj W W' Eq. pose proof (E w W) as Wb. pose proof (E w' W') as Wb'.
  assert (Own : y w j = y w' j).
  { apply (Reads j); auto. intros p Hp. apply Eq. unfold reads_of. apply in_app_iff. now left. }
  split; [exact Own|]. intros a i i' Ha [Si At] [Si' At']. set (own := only_at (D j) b w).
  pose proof (only_at_extends s b F (D j) w Spelled Wb) as O. assert (Ho : In own (owns j)) by now apply in_fillings.
  assert (Oy : y own j = y w j).
  { apply (Reads j); auto; [now apply (within_extends s b F (D j))|]. intros p Hp. now apply only_at_same. }
  assert (Pick : forall v k, restriction_extends s b' F' v -> y v j = y w j -> In k (sees a j) -> (forall l,
    In l (sees a j) -> prefers a j (y v j) (k, y v k) (l, y v l) = true) -> forall p, In p (D k) -> w p = w' p).
  { intros v k V Yv Sk Pv p Hp. apply Eq. unfold reads_of. apply in_app_iff. right. apply in_flat_map. exists a.
    split; [exact Ha|]. apply in_flat_map. exists own. split; [exact Ho|]. apply in_flat_map. exists k.
    split; [|exact Hp]. unfold picks. apply in_picked; [exact B'|]. split; [exact Sk|]. exists v. split; [exact V|].
    unfold query_wins, seen. apply forallb_forall. intros l Hl. cbn in *. rewrite Oy, <- Yv. now apply Pv. }
  assert (Yi : y w i = y w' i) by (apply (Reads i); auto; [now apply (Sees a j)|now apply (Pick w i)]).
  assert (Yi' : y w i' = y w' i') by (apply (Reads i'); auto; [now apply (Sees a j)|now apply (Pick w' i')]).
  assert (Same : i = i'); [|subst; now split]. apply (Anti a j (y w j) (i, y w i) (i', y w i')); [now apply At|].
  rewrite Own, Yi, Yi'. now apply At'.
Qed.

Theorem depth_reduction : exists b' F' D', restriction_narrower s b F b' F' /\ e * length F <= e * length F' + n /\
  few_positions n reduced_reads D' /\ forall j w w', j upto n -> restriction_extends s b' F' w ->
  restriction_extends s b' F' w' -> (forall p, In p (D' j) -> w p = w' p) -> y w j = y w' j /\ forall a i i',
  In a heads -> attends a w j i -> attends a w' j i' -> i = i' /\ y w i = y w' i.
Proof.
  set (T := n / (2 * (e * c))). assert (M1 : 1 <= m).
  { unfold m, enough. pose proof (Nat.pow_nonzero s c ltac:(lia)). assert (1 <= e * c) by nia.
    set (d := e * c) in *. set (g := s ^ c) in *. assert (1 <= g * g) by nia. assert (1 <= H * (g * g)) by nia.
    set (k := H * (g * g)) in *. nia. }
  destruct (settle_all s n c m D b F query seen above Few) with (queries := queries) (b1 := b) (F1 := F) (T := T)
    as (b' & F' & u & Nr & L & U & St); auto.
  - intros [[a j] own]. apply Sees.
  - intros [[a j] own]. intros. apply Total.
  - intros [[a j] own] i u k v l w. apply Trans.
  - intros [[a j] own] i u k v P1 P2. exact (Anti _ _ _ _ _ P1 P2).
  - intros. now apply same_offer.
  - now apply narrower_refl.
  - nia.
  - exists b', F', (reads_of b' F'). split; [exact Nr|]. split; [|split].
    + pose proof (fixed_at_most s c e H n u _ Hs Hc He HH Hn queries_length U) as G. fold T in G. nia.
    + now apply reads_of_length.
    + now apply same_attention.
Qed.
End Layer.
