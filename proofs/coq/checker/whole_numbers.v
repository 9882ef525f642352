(* What the directions of a hard-attention network hold for every n: 1, i, i^2, i/n, 1/i, some integer, some integer
   over i; computed from the weights, layer by layer. So scores are integers over i, or integers and j/n.

   Proved: if `kinds_of` accepts a network, then at every length every head that is not uniform has one winner in each
   row, and scores below the greatest are below it by at least 1/n. This holds of the flip-flop of [SHA] Section 6 and
   of the networks of S-RASP programs, that of Appendix E for DYCK-k among them. Idea: s_j + j/n with s_j an integer
   has no ties, nor has 2mj - j^2 with m an integer; units that round integers give integers. *)
From Coq Require Import Reals QArith Qreals Qround ZArith List Bool Lra Lia Arith.
From Certify Require Import positions finite_sums softmax relu linear_combination formula network hard_attention
  lemma_24_gap.
Import ListNotations PositionNotations.
Open Scope R_scope.

Inductive direction_kind := KindOne | KindIndex | KindSquare | KindPlace | KindReciprocal | KindWhole | KindShare |
  KindUnknown.

Definition whole_kind (k : direction_kind) : bool := match k with KindOne | KindIndex | KindSquare | KindWhole =>
  true | _ => false end.
Definition share_kind (k : direction_kind) : bool := match k with KindReciprocal | KindShare => true | _ =>
  whole_kind k end.
Definition is_whole_number (x : R) : Prop := exists z, x = IZR z.

Definition has_kind (n i : nat) (k : direction_kind) (x : R) : Prop :=
  match k with
  | KindOne => x = 1 | KindIndex => x = INR i | KindSquare => x = INR i ^ 2 | KindPlace =>
    x = INR i / INR n | KindReciprocal => x = / INR i
  | KindWhole => is_whole_number x | KindShare => is_whole_number (x * INR i) | KindUnknown => True
  end.

Lemma integer_plus x y : is_whole_number x -> is_whole_number y -> is_whole_number (x + y).
Proof. intros [a ->] [b ->]. exists (a + b)%Z. now rewrite plus_IZR. Qed.
Lemma integer_mult x y : is_whole_number x -> is_whole_number y -> is_whole_number (x * y).
Proof. intros [a ->] [b ->]. exists (a * b)%Z. now rewrite mult_IZR. Qed.
Lemma integer_opp x : is_whole_number x -> is_whole_number (- x).
Proof. intros [a ->]. exists (- a)%Z. now rewrite opp_IZR. Qed.
Lemma integer_nat k : is_whole_number (INR k). Proof. exists (Z.of_nat k). apply INR_IZR_INZ. Qed.
Lemma integer_0 : is_whole_number 0. Proof. now exists 0%Z. Qed.
Lemma integer_1 : is_whole_number 1. Proof. now exists 1%Z. Qed.
Lemma integer_bit b : is_whole_number (bit b). Proof. destruct b; [apply integer_1|apply integer_0]. Qed.
Lemma integer_relu x : is_whole_number x -> is_whole_number (relu x).
Proof. intros H. unfold relu. apply Rmax_case; [apply integer_0|exact H]. Qed.
Lemma integer_sum n f : (each j upto n, is_whole_number (f j)) -> is_whole_number (sum_to n f).
Proof.
  induction n as [|n IH]; intros H; simpl; [apply integer_0|]. apply integer_plus; [apply IH; intros|]; apply H; lia.
Qed.
(* A positive integer is at least 1. *)
Lemma integer_gap x : is_whole_number x -> 0 < x -> 1 <= x.
Proof. intros [z ->] H. apply lt_IZR in H. apply IZR_le. lia. Qed.

Definition reduces_to_integer (q : Q) : bool := Pos.eqb (Qden (Qred q)) 1.
Lemma integral_correct q : reduces_to_integer q = true -> is_whole_number (Q2R q).
Proof.
  unfold reduces_to_integer. intros H. apply Pos.eqb_eq in H. exists (Qnum (Qred q)). rewrite <- Q2R_reduced.
  unfold Q2R. rewrite H. lra.
Qed.

Section AtPosition.
Variables (n : nat) (i : position n).

Lemma INR_i : 1 <= INR i. Proof. apply INR_at_least_1. lia. Qed.

Lemma whole_correct k x : whole_kind k = true -> has_kind n i k x -> is_whole_number x.
Proof.
  destruct k; simpl; intros H E; try discriminate; try subst; [apply integer_1|apply integer_nat| |exact E].
  simpl. rewrite Rmult_1_r. apply integer_mult; apply integer_nat.
Qed.
Lemma share_correct k x : share_kind k = true -> has_kind n i k x -> is_whole_number (x * INR i).
Proof.
  pose proof INR_i as I1. intros H E. destruct (whole_kind k) eqn:W.
  - apply integer_mult; [now apply (whole_correct k)|apply integer_nat].
  - destruct k; try discriminate; simpl in *; [|exact E]. subst. rewrite Rinv_l by lra. apply integer_1.
Qed.
End AtPosition.

Definition direction_kinds := list direction_kind.
Definition kind_at (K : direction_kinds) (d : direction) : direction_kind := nth d K KindUnknown.
Definition stream_holds (n : nat) (K : direction_kinds) (h : nat -> vector) : Prop :=
  forall i d, i upto n -> has_kind n i (kind_at K d) (h i d).

(* ---- rows ---- *)
Definition row_is (good : direction_kind -> bool) (K : direction_kinds) (r : row) : bool :=
  forallb (fun e => Qeq_bool (snd e) 0 || reduces_to_integer (snd e) && good (kind_at K (fst e))) r.
Local Definition times (q : Q) (r : row) : row := map (fun e => (fst e, (q * snd e)%Q)) r.

Lemma linear_times q r x : linear (times q r) x = Q2R q * linear r x.
Proof.
  induction r as [|[d p] r IH]; cbn [times map linear fst snd]; [lra|]. fold (times q r). rewrite IH, Q2R_mult. ring.
Qed.

Section Rows.
Variables (n : nat) (K : direction_kinds) (h : nat -> vector).
Hypothesis H : stream_holds n K h.

Lemma row_integer good (i : position n) r c : (forall k x, good k = true -> has_kind n i k x ->
  is_whole_number (x * c)) -> row_is good K r = true -> is_whole_number (linear r (h i) * c).
Proof.
  intros G. induction r as [|[d q] r IH]; cbn [row_is forallb linear fst snd]; intros E.
  - rewrite Rmult_0_l. apply integer_0.
  - apply andb_prop in E as [E1 E2]. rewrite Rmult_plus_distr_r. apply integer_plus; [|now apply IH].
    apply orb_prop in E1 as [Z|E1].
    + apply Qeq_bool_R in Z. rewrite Z, Q2R_0, !Rmult_0_l. apply integer_0.
    + apply andb_prop in E1 as [I W]. rewrite Rmult_assoc. apply integer_mult; [now apply integral_correct|].
      apply (G (kind_at K d)); [exact W|apply H; lia].
Qed.
Lemma row_whole (i : position n) r : row_is whole_kind K r = true -> is_whole_number (linear r (h i)).
Proof.
  intros E. rewrite <- Rmult_1_r. apply (row_integer whole_kind); [|exact E]. intros k x W E'.
  rewrite Rmult_1_r. now apply (whole_correct n i k).
Qed.
Lemma row_share (i : position n) r : row_is share_kind K r = true -> is_whole_number (linear r (h i) * INR i).
Proof. apply row_integer, share_correct. Qed.
End Rows.

(* A row that reads one direction of this kind, with this coefficient. *)
Definition kind_eqb (a b : direction_kind) : bool :=
  match a, b with
  | KindOne, KindOne | KindIndex, KindIndex | KindSquare, KindSquare | KindPlace, KindPlace | KindReciprocal,
    KindReciprocal | KindWhole, KindWhole | KindShare, KindShare
  | KindUnknown, KindUnknown => true
  | _, _ => false
  end.
Lemma kind_eqb_eq a b : kind_eqb a b = true -> a = b.
Proof. destruct a, b; simpl; intros; try discriminate; reflexivity. Qed.
Local Definition only (k : direction_kind) (K : direction_kinds) (r : row) : option Q :=
  match r with [(d, q)] => if kind_eqb (kind_at K d) k then Some q else None | _ => None end.

Lemma only_correct n K h (i : position n) k r q : stream_holds n K h -> only k K r = Some q ->
  exists x, has_kind n i k x /\ linear r (h i) = Q2R q * x.
Proof.
  intros H. destruct r as [|[d p] [|e r]]; cbn [only]; try discriminate.
  destruct (kind_eqb (kind_at K d) k) eqn:E; [|discriminate]. intros [= ->]. apply kind_eqb_eq in E.
  exists (h i d). split; [rewrite <- E; now apply H|]. cbn [linear]. lra.
Qed.

(* ---- scores s_j + j/n or s_j - j/n, s_j an integer ---- *)
Definition is_place (K : direction_kinds) (e : direction * Q) : bool := kind_eqb (kind_at K (fst e)) KindPlace.
Definition with_place (K : direction_kinds) (r : row) : option Q :=
  match filter (is_place K) r with
  | [(_, q)] => if row_is whole_kind K (filter (fun e => negb (is_place K e)) r) then Some q else None
  | _ => None
  end.

Lemma linear_filter (p : direction * Q -> bool) r x :
  linear r x = linear (filter p r) x + linear (filter (fun e => negb (p e)) r) x.
Proof. induction r as [|[d q] r IH]; cbn [filter linear]; [lra|]. destruct (p (d, q)); cbn [negb linear]; lra. Qed.

Lemma with_place_correct n K h (j : position n) r q : stream_holds n K h -> with_place K r = Some q ->
  exists z, is_whole_number z /\ linear r (h j) = z + Q2R q * (INR j / INR n).
Proof.
  intros H. unfold with_place. set (p := is_place K). destruct (filter p r) as [|[d c] [|e l]] eqn:F; try discriminate.
  destruct (row_is whole_kind K (filter (fun e => negb (p e)) r)) eqn:W; [|discriminate]. intros [= <-].
  exists (linear (filter (fun e => negb (p e)) r) (h j)). split; [exact (row_whole n K h H j _ W)|].
  rewrite (linear_filter p r), F. cbn [linear].
  assert (P : p (d, c) = true) by (apply (filter_In p (d, c) r); rewrite F; now left). apply kind_eqb_eq in P.
  specialize (H j d (in_word j)). cbn [fst] in P. rewrite P in H. cbn [has_kind] in H. rewrite H. lra.
Qed.

(* All components but those with a place are integers; there is one with a place, of coefficient 1 or -1. *)
Fixpoint place_coefficient (K : direction_kinds) (qs ks : list row) : option Q :=
  match qs, ks with
  | q :: qs, k :: ks =>
    if row_is whole_kind K q && row_is whole_kind K k then place_coefficient K qs ks
    else match only KindOne K q, with_place K k, place_coefficient K qs ks with
         | Some c, Some p, Some s => if reduces_to_integer c then Some (Qred (c * p + s)) else None
         | _, _, _ => None
         end
  | _, _ => Some 0%Q
  end.

Lemma placed_correct n K h (i j : position n) qs : forall ks s, stream_holds n K h -> place_coefficient K qs ks
  = Some s -> exists z, is_whole_number z /\ dot_product qs ks (h i) (h j) = z + Q2R s * (INR j / INR n).
Proof.
  induction qs as [|q qs IH]; intros [|k ks] s H; cbn [place_coefficient dot_product]; try (intros [= <-]; exists 0;
    split; [apply integer_0|rewrite Q2R_0; lra]). destruct (row_is whole_kind K q && row_is whole_kind K k) eqn:W.
  - intros E. apply andb_prop in W as [Wq Wk]. destruct (IH ks s H E) as (z & Z & ->).
    exists (linear q (h i) * linear k (h j) + z). split; [|lra]. apply integer_plus; [|exact Z].
    apply integer_mult; [now apply (row_whole n K h)|now apply (row_whole n K h)].
  - destruct (only KindOne K q) as [c|] eqn:Oq; [|discriminate].
    destruct (with_place K k) as [p|] eqn:Pk; [|discriminate].
    destruct (place_coefficient K qs ks) as [t|] eqn:E; [|discriminate].
    destruct (reduces_to_integer c) eqn:I; [|discriminate]. intros Es.
    assert (Es' : s = Qred (c * p + t)) by congruence. subst s. destruct (IH ks t H E) as (z & Z & ->).
    destruct (only_correct n K h i KindOne q c H Oq) as (x & X & ->).
    destruct (with_place_correct n K h j k p H Pk) as (y & Y & ->). simpl in X. subst x. exists (Q2R c * y + z). split.
    + apply integer_plus; [apply integer_mult; [now apply integral_correct|exact Y]|exact Z].
    + rationals. ring.
Qed.

(* ---- scores b (2 m j - j^2), m an integer, b = 1 or 1/i ---- *)
Local Definition half (c : Q) (q : row) : row := times (c * (1 # 2)) q.
Definition is_parabola (K : direction_kinds) (qs ks : list row) : option bool :=
  match qs, ks with
  | [q1; q2], [k1; k2] =>
    match only KindIndex K k1, only KindSquare K k2 with
    | Some c, Some s =>
      if Qeq_bool s (-1) then
        match only KindOne K q2, only KindReciprocal K q2 with
        | Some b, _ => if Qeq_bool b 1 && row_is whole_kind K (half c q1) then Some true else None
        | _, Some b => if Qeq_bool b 1 && row_is share_kind K (half c q1) then Some false else None
        | _, _ => None
        end
      else None
    | _, _ => None
    end
  | _, _ => None
  end.

Lemma parabola_correct n K h (i : position n) qs ks b : stream_holds n K h -> is_parabola K qs ks = Some b ->
  exists m, is_whole_number m /\ each j upto n,
    dot_product qs ks (h i) (h j) = (if b then 1 else / INR i) * (2 * m * INR j - INR j ^ 2).
Proof.
  intros H. destruct qs as [|q1 [|q2 [|q3 qs]]], ks as [|k1 [|k2 [|k3 ks]]]; cbn [is_parabola]; try discriminate.
  destruct (only KindIndex K k1) as [c|] eqn:O1; [|discriminate].
  destruct (only KindSquare K k2) as [s|] eqn:O2; [|discriminate]. destruct (Qeq_bool s (-1)) eqn:S; [|discriminate].
  apply Qeq_bool_R in S. assert (S1 : Q2R s = -1) by (rewrite S; unfold Q2R; simpl; lra).
  assert (Hf : linear (half c q1) (h i) = Q2R c * linear q1 (h i) / 2).
  { unfold half. rewrite linear_times, Q2R_mult. unfold Q2R at 2. simpl. lra. }
  assert (Kj : each j upto n, linear k1 (h j) = Q2R c * INR j /\ linear k2 (h j) = - INR j ^ 2).
  { apply each_position. intros j. destruct (only_correct n K h j KindIndex k1 c H O1) as (x & X & ->).
    destruct (only_correct n K h j KindSquare k2 s H O2) as (y & Y & ->). simpl in X, Y. subst. split; [lra|].
    rewrite S1. simpl. ring. }
  pose proof (INR_i n i) as I1. intros E.
  destruct (only KindOne K q2) as [d|] eqn:Oo; [|destruct (only KindReciprocal K q2) as [d|] eqn:Or; [|discriminate]].
  - destruct (Qeq_bool d 1) eqn:D; [|discriminate]. cbn [andb] in E.
    destruct (row_is whole_kind K (half c q1)) eqn:W; [|discriminate]. injection E as <-. apply Qeq_bool_R in D.
    destruct (only_correct n K h i KindOne q2 d H Oo) as (x & X & Ex). simpl in X. subst x.
    exists (linear (half c q1) (h i)). split; [now apply (row_whole n K h)|]. intros j Hj.
    destruct (Kj j Hj) as [E1 E2]. cbn [dot_product]. rewrite E1, E2, Ex, D, Q2R_1, Hf. field.
  - destruct (Qeq_bool d 1) eqn:D; [|discriminate]. cbn [andb] in E.
    destruct (row_is share_kind K (half c q1)) eqn:W; [|discriminate]. injection E as <-. apply Qeq_bool_R in D.
    destruct (only_correct n K h i KindReciprocal q2 d H Or) as (x & X & Ex). simpl in X. subst x.
    exists (linear (half c q1) (h i) * INR i). split; [now apply (row_share n K h)|]. intros j Hj.
    destruct (Kj j Hj) as [E1 E2]. cbn [dot_product]. rewrite E1, E2, Ex, D, Q2R_1, Hf. field. lra.
Qed.

(* ---- both kinds of rows are tieless with gap 1/n ---- *)
Definition sharp_row (n : nat) (m : mask) (s : nat -> R) : Prop := tieless n m s /\ has_gap n m s (/ INR n).

Lemma sharp_from_lattice n m s p c : (1 <= n)%nat -> visible n m p -> 0 < c <= INR n -> (forall j k, visible n m j ->
  visible n m k -> is_whole_number (c * (s j - s k))) -> (forall j k, visible n m j -> visible n m k -> (j < k)%nat ->
  s j = s k -> exists l, visible n m l /\ s k < s l) -> sharp_row n m s.
Proof.
  intros Hn Vp Hc Lat NoTie. destruct (rightmost_exists n m s p Vp) as (q & Vq & Max). split.
  - exists q. split; [exact Vq|]. intros j Vj N. destruct (Max j Vj) as [L _]. destruct L as [L|E]; [exact L|exfalso].
    assert (D : (j < q \/ q < j)%nat) by lia. destruct D as [D|D].
    + destruct (NoTie j q Vj Vq D E) as (l & Vl & B). destruct (Max l Vl). lra.
    + destruct (NoTie q j Vq Vj D (eq_sym E)) as (l & Vl & B). destruct (Max l Vl). lra.
  - intros r Vr Mr j Vj. destruct (Mr j Vj) as [L|E]; [right|now left].
    assert (1 <= c * (s r - s j)) by (apply integer_gap; [now apply Lat|apply Rmult_lt_0_compat; lra]).
    assert (/ INR n <= s r - s j); [|lra]. pose proof (INR_at_least_1 n Hn). apply Rmult_le_reg_l with (INR n); [lra|].
    rewrite Rinv_r by lra. assert (c * (s r - s j) <= INR n * (s r - s j)) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Lemma placed_sharp n m s p (z : nat -> R) (c : R) : (1 <= n)%nat -> visible n m p -> c = 1 \/ c = -1 ->
  (forall j, visible n m j -> is_whole_number (z j) /\ s j = z j + c * (INR j / INR n)) -> sharp_row n m s.
Proof.
  intros Hn Vp Hc S. pose proof (INR_at_least_1 n Hn) as N1. apply (sharp_from_lattice n m s p (INR n) Hn Vp); [lra| |].
  - intros j k Vj Vk. destruct (S j Vj) as [Zj ->]. destruct (S k Vk) as [Zk ->].
    replace (INR n * (z j + c * (INR j / INR n) - (z k + c * (INR k / INR n)))) with (INR n * (z j + - z k) +
      c * (INR j + - INR k)) by (field; lra). apply integer_plus; apply integer_mult.
    + apply integer_nat.
    + apply integer_plus; [exact Zj|now apply integer_opp].
    + destruct Hc as [->| ->]; [apply integer_1|now exists (-1)%Z].
    + apply integer_plus; [|apply integer_opp]; apply integer_nat.
  - intros j k Vj Vk L E. exfalso. destruct (S j Vj) as [Zj Ej]. destruct (S k Vk) as [Zk Ek].
    assert (D : is_whole_number ((INR k - INR j) / INR n)).
    { assert (A : (INR k - INR j) / INR n = c * (z j + - z k)).
      { rewrite Ej, Ek in E. assert (c * c = 1) by (destruct Hc as [->| ->]; lra).
        assert (B : c * ((INR k - INR j) / INR n) = z j + - z k) by (unfold Rdiv in *; lra).
        rewrite <- B, <- Rmult_assoc, H. lra. }
      rewrite A. apply integer_mult; [destruct Hc as [->| ->]; [apply integer_1|now exists (-1)%Z]|].
      apply integer_plus; [exact Zj|now apply integer_opp]. }
    assert (P : 0 < (INR k - INR j) / INR n).
    { apply Rmult_lt_0_compat; [apply lt_INR in L; lra|apply Rinv_0_lt_compat; lra]. }
    apply (integer_gap _ D) in P. assert (A : INR n <= INR k - INR j).
    { apply (Rmult_le_compat_r (INR n)) in P; [|lra]. unfold Rdiv in P. rewrite Rmult_assoc, Rinv_l in P by lra. lra. }
    destruct Vj as [Hj _]. destruct Vk as [Hk _]. pose proof (le_INR k n ltac:(lia)).
    pose proof (INR_at_least_1 j ltac:(lia)). lra.
Qed.

(* Masks see all that lies between two positions that they see. *)
Lemma mask_convex n k i j l c : visible n (mask_at k i) j -> visible n (mask_at k i) l -> (j <= c <= l)%nat ->
  visible n (mask_at k i) c.
Proof.
  intros [Hj Mj] [Hl Ml] Hc. split; [lia|].
  destruct k; simpl in *; unfold future_mask, past_mask in *; [reflexivity| |]; apply Nat.leb_le in Mj;
    apply Nat.leb_le in Ml; apply Nat.leb_le; lia.
Qed.

Lemma parabola_sharp n k (i : position n) s (b : bool) m : is_whole_number m ->
  (each j upto n, s j = (if b then 1 else / INR i) * (2 * m * INR j - INR j ^ 2)) -> sharp_row n (mask_at k i) s.
Proof.
  intros M S. pose proof (INR_i n i) as I1. pose proof (le_INR i n ltac:(lia)) as In.
  set (a := if b then 1 else / INR i) in *.
  assert (A : 0 < a) by (unfold a; destruct b; [lra|apply Rinv_0_lt_compat; lra]).
  apply (sharp_from_lattice n (mask_at k i) s i (if b then 1 else INR i)); [lia|now apply visible_self| | |].
  - destruct b; split; lra.
  - intros j l [Hj _] [Hl _]. rewrite !S by assumption.
    replace (_ * (_ - _)) with (2 * m * INR j + - (INR j * INR j) + - (2 * m * INR l + - (INR l * INR l))) by (unfold a;
      destruct b; simpl; field; lra). assert (G : forall t, is_whole_number (2 * m * INR t + - (INR t * INR t))).
    { intros t. apply integer_plus; [|apply integer_opp, integer_mult; apply integer_nat].
      apply integer_mult; [|apply integer_nat]. apply integer_mult; [now exists 2%Z|exact M]. }
    apply integer_plus; [|apply integer_opp]; apply G.
  - intros j l Vj Vl L E. pose proof Vj as [Hj _]. pose proof Vl as [Hl _]. rewrite !S in E by assumption.
    assert (E' : 2 * m * INR j - INR j ^ 2 = 2 * m * INR l - INR l ^ 2) by (apply (Rmult_eq_reg_l a); lra).
    apply lt_INR in L as L'. assert (F : 2 * m = INR j + INR l).
    { apply (Rmult_eq_reg_r (INR l - INR j)); [|lra]. simpl in E'. lra. }
    destruct M as [z Z]. assert (Zz : z = Z.of_nat (Z.to_nat z)).
    { rewrite Z2Nat.id; [reflexivity|]. apply le_IZR. pose proof (pos_INR j). pose proof (pos_INR l). lra. }
    set (c := Z.to_nat z) in *. assert (C : INR c = m) by (rewrite INR_IZR_INZ, <- Zz; now symmetry).
    assert (jc : (j < c)%nat) by (apply INR_lt; lra). assert (cl : (c < l)%nat) by (apply INR_lt; lra).
    exists c. assert (Vc : visible n (mask_at k i) c) by (apply (mask_convex n k i j l c Vj Vl); lia).
    split; [exact Vc|]. rewrite !S by (exact Hl || apply Vc). apply Rmult_lt_compat_l; [exact A|]. rewrite C.
    assert (0 < (INR l - m) ^ 2) by (apply pow_lt; lra). simpl in *. lra.
Qed.
