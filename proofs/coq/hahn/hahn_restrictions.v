(* [Hahn] Section 5, restrictions: words of which some symbols are fixed and the others are free, and how attention to a
   single position comes to hang on few of them.

   A restriction is a word b and the list F of free positions; w `restriction_extends` it if it is b elsewhere. A query
   looks at the positions that it sees and picks the one that is above all others; what position i offers depends on
   the symbols at D i only, c of them at most. A query is settled if no more than m positions are picked, over all
   words that extend the restriction.

   Proved: if more than m positions are picked, then m of them have symbols that settle the query if they are fixed. So
   one choice of a position and of its symbols settles a share of m/(n s^c) of any list of queries, T choices all but
   1/(1 + T m/(n s^c)) of it, and the rest is settled one by one (`settle_all`).
   The printed proof restricts at random and needs Lovasz's local lemma; this is a mean and a greedy choice. *)
From Coq Require Import List Bool Arith Lia FunctionalExtensionality.
From Certify Require Import positions lists formula.
Import ListNotations PositionNotations.

(* ---- lists ---- *)
Lemma greatest_exists {X} (le : X -> X -> bool) (l : list X) : (forall x y, le x y = true \/ le y x = true) ->
  (forall x y z, le x y = true -> le y z = true -> le x z = true) -> l <> [] -> exists x, In x l /\ forall y, In y l ->
  le x y = true.
Proof.
  intros Total Trans N. assert (Refl : forall x, le x x = true) by (intros x; now destruct (Total x x)).
  induction l as [|a l IH]; [easy|]. destruct l as [|b l].
  - exists a. split; [now left|]. intros y [<-|[]]. apply Refl.
  - destruct (IH ltac:(easy)) as (x & Hx & Gx). destruct (Total a x) as [A|A].
    + exists a. split; [now left|]. intros y [<-|Hy]; [apply Refl|]. apply (Trans a x y A). now apply Gx.
    + exists x. split; [now right|]. intros y [<-|Hy]; [exact A|now apply Gx].
Qed.

Lemma filter_app_length {X} (f : X -> bool) l1 x l2 :
  length (filter f (l1 ++ x :: l2)) <= S (length (filter f (l1 ++ l2))).
Proof. rewrite !filter_app, !length_app. simpl. destruct (f x); simpl; lia. Qed.

(* The k greatest: no more than k are as great as one of them. *)
Lemma greatest_few {X} (le : X -> X -> bool) : (forall x y, le x y = true \/ le y x = true) ->
  (forall x y z, le x y = true -> le y z = true -> le x z = true) -> forall k l, NoDup l ->
  (forall x y, In x l -> In y l -> le x y = true -> le y x = true -> x = y) -> k <= length l ->
  exists t, length t = k /\ NoDup t /\ incl t l /\ forall x, In x t -> length (filter (fun y => le y x) l) <= k.
Proof.
  intros Total Trans. induction k as [|k IH]; intros l Nd Anti L.
  - exists []. repeat split; [constructor|easy|easy].
  - destruct (greatest_exists le l Total Trans ltac:(now destruct l)) as (x & Hx & G).
    destruct (in_split x l Hx) as (l1 & l2 & ->). apply NoDup_remove in Nd as Nd'. destruct Nd' as [Nd' Out].
    assert (Inc : incl (l1 ++ l2) (l1 ++ x :: l2)).
    { intros y Hy. apply in_app_iff in Hy. apply in_app_iff. simpl. tauto. }
    destruct (IH (l1 ++ l2) Nd') as (t & Lt & Ndt & It & Ft).
    { intros y z Hy Hz. apply Anti; now apply Inc. }
    { rewrite length_app in *. simpl in L. lia. }
    exists (x :: t). repeat split.
    + simpl. lia.
    + constructor; [intros H; apply Out; now apply It|exact Ndt].
    + intros y [<-|Hy]; [exact Hx|]. apply Inc. now apply It.
    + intros y [<-|Hy].
      * assert (Le : length (filter (fun y => le y x) (l1 ++ x :: l2)) <= length [x]); [|simpl in Le; lia].
        apply NoDup_incl_length; [now apply NoDup_filter|]. intros y Hy. apply filter_In in Hy as [Hy E]. left.
        apply Anti; [exact Hx|exact Hy|now apply G|exact E].
      * pose proof (filter_app_length (fun z => le z y) l1 x l2). specialize (Ft y Hy). lia.
Qed.

Local Lemma choose_each {X Y} (P : X -> Y -> Prop) l : (forall x, In x l -> exists y, P x y) ->
  exists L, map fst L = l /\ forall z, In z L -> P (fst z) (snd z).
Proof.
  induction l as [|x l IH]; intros H; [now exists []|]. destruct (H x ltac:(now left)) as (y & Hy).
  destruct IH as (L & E & A); [intros; apply H; now right|]. exists ((x, y) :: L). simpl. rewrite E.
  split; [reflexivity|]. intros z [<-|Hz]; [exact Hy|now apply A].
Qed.

(* If every x has m of the ys, some y has its share of the xs. *)
Definition sum_of_numbers {X} (f : X -> nat) (l : list X) : nat := list_sum (map f l).

Lemma number_at_most {X} (f : X -> nat) k l : (forall x, In x l -> f x <= k) -> sum_of_numbers f l <= k * length l.
Proof.
  unfold sum_of_numbers. induction l as [|x l IH]; intros H; simpl; [lia|]. pose proof (H x ltac:(now left)).
  specialize (IH ltac:(intros; apply H; now right)). lia.
Qed.
Lemma number_at_least {X} (f : X -> nat) k l : (forall x, In x l -> k <= f x) -> k * length l <= sum_of_numbers f l.
Proof.
  unfold sum_of_numbers. induction l as [|x l IH]; intros H; simpl; [lia|]. pose proof (H x ltac:(now left)).
  specialize (IH ltac:(intros; apply H; now right)). lia.
Qed.

Lemma count_by_rows {X Y} (R : X -> Y -> bool) xs ys : sum_of_numbers (fun y => length (filter (fun x =>
  R x y) xs)) ys = sum_of_numbers (fun x => length (filter (R x) ys)) xs.
Proof.
  unfold sum_of_numbers. induction xs as [|x xs IH]; simpl.
  - induction ys as [|y ys IHy]; simpl; [reflexivity|exact IHy].
  - rewrite <- IH. clear IH. induction ys as [|y ys IHy]; simpl; [reflexivity|].
    destruct (R x y); simpl; rewrite IHy; lia.
Qed.

Lemma some_has_its_share {X Y} (R : X -> Y -> bool) xs ys m : ys <> [] -> (forall x, In x xs -> m <= length (filter (R
  x) ys)) -> exists y, In y ys /\ m * length xs <= length ys * length (filter (fun x => R x y) xs).
Proof.
  intros N H. set (f := fun y => length (filter (fun x => R x y) xs)).
  destruct (greatest_exists (fun y z => f z <=? f y) ys) as (y & Hy & G); [| |exact N|].
  - intros y z. rewrite !Nat.leb_le. lia.
  - intros x y z. rewrite !Nat.leb_le. lia.
  - exists y. split; [exact Hy|]. eapply Nat.le_trans; [exact (number_at_least _ m xs H)|].
    rewrite <- count_by_rows. fold f. eapply Nat.le_trans; [apply (number_at_most f (f y))|unfold f; lia].
    intros z Hz. apply Nat.leb_le. now apply G.
Qed.

Lemma filter_rest {X} (f : X -> bool) l : length l = length (filter f l) + length (filter (fun x => negb (f x)) l).
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. destruct (f x); simpl; lia. Qed.

(* ---- restrictions; s letters ---- *)
Definition is_among (D : list nat) (p : nat) : bool := if in_dec Nat.eq_dec p D then true else false.
Definition positions_without (D F : list nat) : list nat := filter (fun p => negb (is_among D p)) F.
Definition positions_within (D F : list nat) : list nat := filter (is_among D) F.

Lemma among_In D p : is_among D p = true <-> In p D.
Proof. unfold is_among. destruct (in_dec Nat.eq_dec p D); split; (easy || tauto). Qed.
Lemma in_without D F p : In p (positions_without D F) <-> In p F /\ ~ In p D.
Proof. unfold positions_without. rewrite filter_In, negb_true_iff, <- not_true_iff_false, among_In. tauto. Qed.
Lemma in_within D F p : In p (positions_within D F) <-> In p F /\ In p D.
Proof. unfold positions_within. now rewrite filter_In, among_In. Qed.

Lemma within_length D F : NoDup F -> length (positions_within D F) <= length D.
Proof. intros N. apply NoDup_incl_length; [now apply NoDup_filter|]. intros p Hp. now apply in_within in Hp. Qed.
Lemma without_length D F : NoDup F -> length F <= length (positions_without D F) + length D.
Proof.
  intros N. pose proof (filter_rest (is_among D) F) as E. pose proof (within_length D F N).
  unfold positions_within, positions_without in *. lia.
Qed.

Section Letters.
Variable s : nat.

Definition is_spelled (w : word) := forall i, w i < s.
Definition restriction_extends (b : word) (F : list nat) (w : word) := is_spelled w /\ forall i, ~ In i F -> w i = b i.
Definition put_letter (w : word) (p a : nat) : word := fun i => if i =? p then a else w i.
Fixpoint fillings (b : word) (F : list nat) : list word :=
  match F with [] => [b] | p :: F => flat_map (fun w => map (put_letter w p) (seq 0 s)) (fillings b F) end.

Lemma product_length {X Y} (f : X -> list Y) k l : (forall x, In x l -> length (f x) <= k) ->
  length (flat_map f l) <= k * length l.
Proof.
  induction l as [|x l IH]; intros H; simpl; [lia|]. rewrite length_app. pose proof (H x ltac:(now left)).
  specialize (IH ltac:(intros; apply H; now right)). lia.
Qed.

Lemma fillings_length b F : length (fillings b F) <= s ^ length F.
Proof.
  induction F as [|p F IH]; simpl; [lia|].
  eapply Nat.le_trans; [apply (product_length _ s)|now apply Nat.mul_le_mono_l].
  intros w _. now rewrite length_map, length_seq.
Qed.

Lemma put_spelled w p a : is_spelled w -> a < s -> is_spelled (put_letter w p a).
Proof. intros W A i. unfold put_letter. destruct (i =? p); auto. Qed.

Lemma in_fillings b F : is_spelled b -> forall w, In w (fillings b F) <-> restriction_extends b F w.
Proof.
  intros B. induction F as [|p F IH]; intros w; simpl.
  - split; [intros [<-|[]]; now split|]. intros [W E]. left. apply functional_extensionality. intros i. symmetry.
    now apply E.
  - rewrite in_flat_map. split.
    + intros (v & Hv & Hw). apply in_map_iff in Hw as (a & <- & Ha). apply in_seq in Ha. apply IH in Hv as [V E].
      split; [apply put_spelled; [exact V|lia]|]. intros i Hi. unfold put_letter.
      destruct (Nat.eqb_spec i p) as [->|N]; [exfalso; apply Hi; now left|]. apply E. intros G. apply Hi. now right.
    + intros [W E]. exists (put_letter w p (b p)). split.
      * apply IH. split; [now apply put_spelled|]. intros i Hi. unfold put_letter.
        destruct (Nat.eqb_spec i p) as [->|N]; [easy|]. apply E. intros [H|H]; [congruence|tauto].
      * apply in_map_iff. exists (w p). split; [|apply in_seq; specialize (W p); lia].
        apply functional_extensionality. intros i. unfold put_letter. now destruct (Nat.eqb_spec i p) as [->|].
Qed.

(* (b', F') fixes more than (b, F). *)
Definition restriction_narrower (b : word) (F : list nat) (b' : word) (F' : list nat) :=
  is_spelled b' /\ NoDup F' /\ incl F' F /\ forall w, restriction_extends b' F' w -> restriction_extends b F w.

Lemma narrower_refl b F : is_spelled b -> NoDup F -> restriction_narrower b F b F.
Proof. intros B N. split; [exact B|split; [exact N|split; [apply incl_refl|auto]]]. Qed.
Lemma narrower_trans b F b1 F1 b2 F2 : restriction_narrower b F b1 F1 -> restriction_narrower b1 F1 b2 F2 ->
  restriction_narrower b F b2 F2.
Proof.
  intros (_ & _ & I & E) (A & N & I' & E'). split; [exact A|split; [exact N|split; [now apply (incl_tran I')|]]].
  intros w W. now apply E, E'.
Qed.

(* The symbols of u at D are fixed. *)
Lemma fix_more b F u D : NoDup F -> restriction_extends b F u -> restriction_narrower b F u (positions_without D F).
Proof.
  intros N [U E]. split; [exact U|split; [now apply NoDup_filter|split]].
  - intros p Hp. now apply in_without in Hp.
  - intros w [W H]. split; [exact W|]. intros i Hi. rewrite H; [now apply E|]. intros G. apply in_without in G. tauto.
Qed.

Lemma extends_itself b F : is_spelled b -> restriction_extends b F b. Proof. now split. Qed.

(* Any word that extends b, at D only. *)
Definition only_at (D : list nat) (b w : word) : word := fun p => if is_among D p then w p else b p.
Lemma only_at_extends b F D w : is_spelled b -> restriction_extends b F w -> restriction_extends b (positions_within D
  F) (only_at D b w).
Proof.
  intros B [W E]. split.
  - intros p. unfold only_at. destruct (is_among D p); auto.
  - intros p Hp. unfold only_at. destruct (is_among D p) eqn:A; [|reflexivity]. apply E. intros H. apply Hp, in_within.
    split; [exact H|now apply among_In].
Qed.
Lemma only_at_same D b w p : In p D -> only_at D b w p = w p.
Proof. intros H. unfold only_at. now rewrite (proj2 (among_In D p) H). Qed.
Lemma within_extends b F D w : restriction_extends b (positions_within D F) w -> restriction_extends b F w.
Proof. intros [W E]. split; [exact W|]. intros p Hp. apply E. intros H. apply in_within in H. tauto. Qed.

(* ---- queries ---- *)
Section Queries.
Variables (n c m : nat) (D : nat -> list nat) (b0 : word) (F0 : list nat).
Variable query : Type.
Variable seen : query -> list nat.
Variable above : query -> nat -> word -> nat -> word -> bool.
Hypothesis Few : each i upto n, length (D i) <= c.
Hypothesis Seen : forall q, NoDup (seen q) /\ forall i, In i (seen q) -> i upto n.
Hypothesis Total : forall q i u j v, above q i u j v = true \/ above q j v i u = true.
Hypothesis Trans : forall q i u j v k w, above q i u j v = true -> above q j v k w = true -> above q i u k w = true.
Hypothesis Anti : forall q i u j v, above q i u j v = true -> above q j v i u = true -> i = j.
(* What position i offers depends on D i. *)
Hypothesis Local : forall q i u u' j v, In i (seen q) -> restriction_extends b0 F0 u -> restriction_extends b0 F0 u' ->
  (forall p, In p (D i) -> u p = u' p) -> above q i u j v = above q i u' j v /\ above q j v i u = above q j v i u'.

Definition query_wins (q : query) (w : word) (i : nat) : bool := forallb (fun j => above q i w j w) (seen q).
Definition picked_positions (q : query) (b : word) (F : list nat) : list nat :=
  filter (fun i => existsb (fun w => query_wins q w i) (fillings b F)) (seen q).
Definition is_settled (q : query) (b : word) (F : list nat) : bool := length (picked_positions q b F) <=? m.

Lemma in_picked q b F i : is_spelled b ->
  In i (picked_positions q b F) <-> In i (seen q) /\ exists w, restriction_extends b F w /\ query_wins q w i = true.
Proof.
  intros B. unfold picked_positions. rewrite filter_In, existsb_exists.
  split; intros [A (w & W & E)]; (split; [exact A|]); exists w; (split; [now apply (in_fillings b F B)|exact E]).
Qed.
Lemma picked_NoDup q b F : NoDup (picked_positions q b F). Proof. apply NoDup_filter, Seen. Qed.

Lemma picked_fewer q b F b' F' : is_spelled b -> restriction_narrower b F b' F' -> incl (picked_positions q b' F')
  (picked_positions q b F).
Proof.
  intros B (B' & _ & _ & E) i Hi. apply in_picked in Hi as [A (w & W & Wn)]; [|exact B'].
  apply in_picked; [exact B|]. split; [exact A|]. exists w. split; [now apply E|exact Wn].
Qed.
Lemma settled_stays q b F b' F' : is_spelled b -> restriction_narrower b F b' F' -> is_settled q b F = true ->
  is_settled q b' F' = true.
Proof.
  intros B N. unfold is_settled. rewrite !Nat.leb_le. intros H. eapply Nat.le_trans; [|exact H].
  apply NoDup_incl_length; [apply picked_NoDup|now apply picked_fewer].
Qed.

(* The best that position i has to offer. *)
Lemma best_offer q b F i : restriction_narrower b0 F0 b F -> In i (seen q) -> exists u,
  restriction_extends b (positions_within (D i) F) u /\ forall w, restriction_extends b F w -> above q i u i w = true.
Proof.
  intros (B & N & _ & E) Hi.
  destruct (greatest_exists (fun u v => above q i u i v) (fillings b (positions_within (D i) F))) as (u & Hu & G).
  - intros. apply Total.
  - intros x y z. apply Trans.
  - intros H. pose proof (proj2 (in_fillings b (positions_within (D i) F) B b) (extends_itself b _ B)) as I.
    now rewrite H in I.
  - apply in_fillings in Hu; [|exact B]. exists u. split; [exact Hu|]. intros w W.
    pose proof (only_at_extends b F (D i) w B W) as O.
    rewrite (proj2 (Local q i w (only_at (D i) b w) i u Hi (E w W) (E _ (within_extends b F _ _ O))
      (fun p Hp => eq_sym (only_at_same (D i) b w p Hp)))). apply G. now apply in_fillings.
Qed.

Local Definition choices (b : word) (F : list nat) : list (nat * word) :=
  flat_map (fun i => map (pair i) (fillings b (positions_within (D i) F))) (seq 1 n).
Local Definition settles (b : word) (F : list nat) (q : query) (x : nat * word) : bool :=
  is_settled q (snd x) (positions_without (D (fst x)) F).

Lemma in_choices b F x : is_spelled b ->
  In x (choices b F) <-> 1 <= fst x <= n /\ restriction_extends b (positions_within (D (fst x)) F) (snd x).
Proof.
  intros B. unfold choices. rewrite in_flat_map. split.
  - intros (i & Hi & Hx). apply in_seq in Hi. apply in_map_iff in Hx as (u & <- & Hu). simpl.
    apply in_fillings in Hu; [|exact B]. split; [lia|exact Hu].
  - intros [Hi Hu]. exists (fst x). split; [apply in_seq; lia|]. apply in_map_iff. exists (snd x).
    split; [now destruct x|]. now apply in_fillings.
Qed.
Lemma choices_length b F : 1 <= s -> NoDup F -> length (choices b F) <= s ^ c * n.
Proof.
  intros Hs N. unfold choices. rewrite <- (length_seq n 1) at 2. apply product_length. intros i Hi. apply in_seq in Hi.
  rewrite length_map. eapply Nat.le_trans; [apply fillings_length|]. apply Nat.pow_le_mono_r; [lia|].
  eapply Nat.le_trans; [now apply within_length|apply Few; lia].
Qed.

(* As many positions are picked as there are positions in L as good as x, if x is fixed. *)
Lemma fixed_picks q b F L x : restriction_narrower b0 F0 b F -> map fst L = picked_positions q b F -> (forall z,
  In z L -> restriction_extends b (positions_within (D (fst z)) F) (snd z) /\ forall w, restriction_extends b F w ->
  above q (fst z) (snd z) (fst z) w = true) -> In x L -> length (picked_positions q (snd x)
  (positions_without (D (fst x)) F)) <= length (filter (fun y => above q (fst y) (snd y) (fst x) (snd x)) L).
Proof.
  intros Nb ML HL Hx. pose proof Nb as (B & N & _ & E). destruct (HL x Hx) as [Ex _]. apply within_extends in Ex as Ex'.
  pose proof (fix_more b F (snd x) (D (fst x)) N Ex') as Nx. assert (Sx : In (fst x) (seen q)).
  { assert (I : In (fst x) (picked_positions q b F)) by (rewrite <- ML; now apply in_map). now apply in_picked in I. }
  rewrite <- (length_map fst (filter _ L)). apply NoDup_incl_length; [apply picked_NoDup|]. intros i Hi.
  pose proof (picked_fewer q b F _ _ B Nx i Hi) as Hp. rewrite <- ML in Hp. apply in_map_iff in Hp as (z & <- & Hz).
  apply in_picked in Hi as [Si (w & W & Wn)]; [|apply Ex]. apply in_map_iff. exists z. split; [reflexivity|].
  apply filter_In. split; [exact Hz|]. assert (W' : restriction_extends b F w) by now apply Nx.
  apply (Trans q _ _ (fst z) w); [now apply HL|].
  rewrite <- (proj2 (Local q (fst x) w (snd x) (fst z) w Sx (E w W') (E _ Ex') ltac:(intros p Hp; apply W;
    rewrite in_without; tauto))). unfold query_wins in Wn. rewrite forallb_forall in Wn. now apply Wn.
Qed.

Lemma many_settle q b F : restriction_narrower b0 F0 b F -> is_settled q b F = false ->
  m <= length (filter (settles b F q) (choices b F)).
Proof.
  intros Nb U. pose proof Nb as (B & N & _ & E). unfold is_settled in U. apply Nat.leb_gt in U.
  destruct (choose_each (fun i u => restriction_extends b (positions_within (D i) F) u /\ forall w,
    restriction_extends b F w -> above q i u i w = true) (picked_positions q b F)) as (L & ML & HL).
  { intros i Hi. apply best_offer; [exact Nb|]. now apply in_picked in Hi. }
  assert (NL : NoDup L) by (apply (NoDup_map_inv fst); rewrite ML; apply picked_NoDup).
  set (le := fun x y : nat * word => above q (fst x) (snd x) (fst y) (snd y)).
  destruct (greatest_few le ltac:(intros; apply Total) ltac:(intros x y z; apply Trans) m L NL)
    as (t & Lt & Nt & It & Ft).
  - intros x y Hx Hy A A'. pose proof (Anti q _ _ _ _ A A') as Same.
    assert (Inj : forall l : list (nat * word), NoDup (map fst l) -> In x l -> In y l -> x = y).
    { intros l. induction l as [|a l IH]; [easy|]. intros Nd [->|Ia] [->|Ib]; try reflexivity;
        apply NoDup_cons_iff in Nd as [Out Nd].
      - exfalso. apply Out. rewrite Same. now apply in_map.
      - exfalso. apply Out. rewrite <- Same. now apply in_map.
      - now apply IH. }
    apply (Inj L); auto. rewrite ML. apply picked_NoDup.
  - rewrite <- ML, length_map in U. lia.
  - rewrite <- Lt. apply NoDup_incl_length; [exact Nt|]. intros x Hx. apply filter_In. pose proof (It x Hx) as HxL.
    split.
    + apply in_choices; [exact B|]. split; [|now apply HL].
      assert (I : In (fst x) (picked_positions q b F)) by (rewrite <- ML; now apply in_map).
      apply in_picked in I as [I _]; [|exact B]. now apply (Seen q).
    + unfold settles, is_settled. apply Nat.leb_le. eapply Nat.le_trans; [|exact (Ft x Hx)].
      now apply (fixed_picks q b F L).
Qed.

(* ---- one choice for many queries ---- *)
Variable queries : list query.
(* All but those of U are settled, and k positions at most have been fixed since (b1, F1). *)
Definition but_for (b1 : word) (F1 : list nat) (b : word) (F : list nat) (U : list query) (k : nat) :=
  restriction_narrower b1 F1 b F /\ length F1 <= length F + k /\ forall q, In q queries -> In q U \/ is_settled q b F =
    true.

Lemma chosen_narrower b F x : is_spelled b -> NoDup F -> In x (choices b F) -> restriction_narrower b F (snd x)
  (positions_without (D (fst x)) F) /\ length F <= length (positions_without (D (fst x)) F) + c.
Proof.
  intros B N Hx. apply in_choices in Hx as [Hi Hx]; [|exact B]. split.
  - apply fix_more; [exact N|]. now apply within_extends in Hx.
  - pose proof (without_length (D (fst x)) F N). pose proof (Few (fst x) Hi). lia.
Qed.

Lemma but_for_chosen b1 F1 b F U k x V : but_for b1 F1 b F U k -> In x (choices b F) ->
  (forall q, In q U -> In q V \/ is_settled q b F = true \/ settles b F q x = true) ->
  but_for b1 F1 (snd x) (positions_without (D (fst x)) F) V (k + c).
Proof.
  intros (Nr & L & A) Hx H. pose proof Nr as (B & N & _). destruct (chosen_narrower b F x B N Hx) as [Nx Lx].
  split; [exact (narrower_trans _ _ _ _ _ _ Nr Nx)|]. split; [lia|]. intros q Hq.
  assert (St : is_settled q b F = true -> In q V \/ is_settled q (snd x) (positions_without (D (fst x)) F) = true)
    by (intros E; right; now apply (settled_stays q b F)).
  destruct (A q Hq) as [I|E]; [|now apply St]. destruct (H q I) as [I'|[E|E]]; [now left|now apply St|now right].
Qed.

Section From.
Variables (b1 : word) (F1 : list nat).
Hypothesis Start : restriction_narrower b0 F0 b1 F1.
Hypothesis Hs : 1 <= s.
Hypothesis Hn : 1 <= n.

Lemma not_settled b F U : exists W, length W <= length U /\
  (forall q, In q W -> is_settled q b F = false) /\ forall q, In q U -> In q W \/ is_settled q b F = true.
Proof.
  exists (filter (fun q => negb (is_settled q b F)) U). split; [|split].
  - rewrite (filter_rest (fun q => is_settled q b F) U). lia.
  - intros q Hq. apply filter_In in Hq. now apply negb_true_iff.
  - intros q Hq. destruct (is_settled q b F) eqn:E; [now right|left]. apply filter_In. now rewrite E.
Qed.

(* N y + m x <= N x, where x of the queries were left, and y are. *)
Lemma one_choice b F U k : but_for b1 F1 b F U k -> exists b' F' V x, but_for b1 F1 b' F' V (k + c) /\
  x <= length U /\ s ^ c * n * length V + m * x <= s ^ c * n * x.
Proof.
  intros H. pose proof H as (Nr & L & A). pose proof Nr as (B & N & _).
  destruct (not_settled b F U) as (W & LW & Un & HW). destruct W as [|q0 W0].
  - exists b, F, [], 0. simpl. split; [|lia]. split; [exact Nr|]. split; [lia|]. intros q Hq. right.
    destruct (A q Hq) as [I|I]; [|exact I]. now destruct (HW q I).
  - assert (Nb : restriction_narrower b0 F0 b F) by exact (narrower_trans _ _ _ _ _ _ Start Nr).
    assert (Ne : choices b F <> []).
    { intros E. pose proof (many_settle q0 b F Nb (Un q0 ltac:(now left))) as M. destruct (seen q0) as [|i l] eqn:Es.
      - pose proof (Un q0 ltac:(now left)) as G. unfold is_settled, picked_positions in G. now rewrite Es in G.
      - assert (I : In (i, b) (choices b F)); [|now rewrite E in I]. apply in_choices; [exact B|]. simpl. split.
        + apply (Seen q0). rewrite Es. now left.
        + now apply extends_itself. }
    destruct (some_has_its_share (settles b F) (q0 :: W0) (choices b F) m Ne) as (x & Hx & Sh).
    { intros q Hq. apply many_settle; [exact Nb|now apply Un]. }
    exists (snd x), (positions_without (D (fst x)) F), (filter (fun q => negb (settles b F q x)) (q0 :: W0)),
      (length (q0 :: W0)). split; [|split; [exact LW|]].
    + apply (but_for_chosen b1 F1 b F U); [exact H|exact Hx|]. intros q Hq. destruct (HW q Hq) as [I|I]; [|tauto].
      destruct (settles b F q x) eqn:E; [tauto|left]. apply filter_In. now rewrite E.
    + pose proof (filter_rest (fun q => settles b F q x) (q0 :: W0)) as E. pose proof (choices_length b F Hs N) as C.
      set (f := length (filter (fun q => settles b F q x) (q0 :: W0))) in *.
      set (g := length (filter (fun q => negb (settles b F q x)) (q0 :: W0))) in *. rewrite E in Sh |- *.
      pose proof (Nat.mul_le_mono_r _ _ f C). lia.
Qed.

Lemma choose_often T : exists b F U, but_for b1 F1 b F U (c * T) /\
  length U * (s ^ c * n + m * T) <= length queries * (s ^ c * n).
Proof.
  induction T as [|T (b & F & U & H & E)].
  - exists b1, F1, queries. split; [|lia]. pose proof Start as (B & N & _). split; [now apply narrower_refl|].
    split; [lia|tauto].
  - destruct (one_choice b F U (c * T) H) as (b' & F' & V & x & H' & Lx & G). exists b', F', V.
    split; [now replace (c * S T) with (c * T + c) by lia|]. set (M := s ^ c * n) in *. set (y := length V) in *.
    set (z := length queries) in *. set (A := M + m * T) in *. replace (M + m * S T) with (A + m) by (unfold A; lia).
    pose proof (Nat.mul_le_mono_r _ _ A Lx) as Ex. pose proof (Nat.mul_le_mono_r _ _ (A + m) G) as G'.
    assert (Am : m * x * M <= m * x * (A + m)) by (apply Nat.mul_le_mono_l; unfold A; lia).
    assert (PM : 0 < M) by (unfold M; pose proof (Nat.pow_nonzero s c ltac:(lia)); nia).
    apply (Nat.mul_le_mono_pos_l _ _ M); [exact PM|]. apply Nat.le_trans with (M * (x * A)); [lia|].
    apply Nat.mul_le_mono_l. lia.
Qed.

Lemma one_by_one U : forall b F k, 1 <= m -> but_for b1 F1 b F U k ->
  exists b' F', but_for b1 F1 b' F' [] (k + c * length U).
Proof.
  induction U as [|q U IH]; intros b F k Hm H.
  - exists b, F. simpl. now rewrite Nat.mul_0_r, Nat.add_0_r.
  - pose proof H as (Nr & L & A). pose proof Nr as (B & N & _). destruct (is_settled q b F) eqn:E.
    + destruct (IH b F k Hm) as (b' & F' & Nr' & L' & A').
      { split; [exact Nr|split; [exact L|]]. intros r Hr. destruct (A r Hr) as [[->|I]|I]; tauto. }
      exists b', F'. split; [exact Nr'|split; [simpl; lia|exact A']].
    + assert (Nb : restriction_narrower b0 F0 b F) by exact (narrower_trans _ _ _ _ _ _ Start Nr).
      pose proof (many_settle q b F Nb E) as M.
      destruct (filter (settles b F q) (choices b F)) as [|x l] eqn:Fx; [simpl in M; lia|].
      assert (Hx : In x (choices b F) /\ settles b F q x = true) by (apply filter_In; rewrite Fx; now left).
      destruct (IH (snd x) (positions_without (D (fst x)) F) (k + c) Hm) as (b' & F' & H').
      { apply (but_for_chosen b1 F1 b F (q :: U)); [exact H|apply Hx|].
        intros r [<-|Hr]; [right; right; apply Hx|now left]. }
      exists b', F'. replace (k + c * length (q :: U)) with (k + c + c * length U) by (simpl; lia). exact H'.
Qed.

Theorem settle_all T : 1 <= m -> exists b F u, restriction_narrower b1 F1 b F /\ length F1 <= length F + c * T + c * u
  /\ u * (s ^ c * n + m * T) <= length queries * (s ^ c * n) /\ forall q, In q queries -> is_settled q b F = true.
Proof.
  intros Hm. destruct (choose_often T) as (b & F & U & H & E).
  destruct (one_by_one U b F (c * T) Hm H) as (b' & F' & Nr & L & A). exists b', F', (length U).
  split; [exact Nr|]. split; [lia|]. split; [exact E|]. intros q Hq. now destruct (A q Hq).
Qed.
End From.
End Queries.
End Letters.
