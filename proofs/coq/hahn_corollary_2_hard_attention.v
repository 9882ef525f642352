(* [Hahn] Corollary 2: attention to a single position recognizes neither PARITY nor 2DYCK, nor DYCK-1.

   Proved, for the transformers of hahn_theorem_1_hard_attention.v, whatever their embeddings, masks, layers, heads and
   weights: at every n from some N on there are a word with an even and one with an odd number of 1s with the same
   activations at position n, so none computes `ODD(#<[Q_1])`; at every n = 4k from some N on there are a balanced and
   an unbalanced word of round brackets with the same activations at position n. So it is with leftmost and with
   rightmost hardmax. No margin, no precision and no function of the last activation helps, unlike for softmax.
   Idea: Theorem 1, and the few symbols that position n depends on are fixed, too; a free symbol is left to exchange. *)
From Coq Require Import Reals List Bool Arith Lia Lra Sorted.
From Certify Require Import lists finite_sums softmax formula network hard_attention hahn_restrictions
  hahn_lemma_4_depth_reduction hahn_theorem_1_hard_attention hahn_lemma_5_repaired parity_is_hard.
Import ListNotations.
Open Scope nat_scope.

(* ---- leftmost and rightmost hardmax are single ---- *)
Definition front (places : nat -> list nat) : weighting := fun n m s =>
  one_hot (match find (winner n m s) (places n) with Some p => p | None => 0 end).
Fixpoint countdown (n : nat) : list nat := match n with O => [] | S k => S k :: countdown k end.
Definition leftmost_hardmax : weighting := front (seq 1).
Definition rightmost_hardmax : weighting := front countdown.

Lemma find_first (f : nat -> bool) (R : nat -> nat -> Prop) l p : (forall i, R i i) -> StronglySorted R l ->
  find f l = Some p -> forall k, In k l -> f k = true -> R p k.
Proof.
  intros Refl S. induction S as [|i l S IH H]; simpl; [easy|]. destruct (f i) eqn:E.
  - intros G k [<-|Hk] _; inversion G; subst; [apply Refl|]. rewrite Forall_forall in H. now apply H.
  - intros G k [<-|Hk] Fk; [congruence|]. now apply IH.
Qed.

Lemma front_single places first : (forall i j, first i j = true \/ first j i = true) ->
  (forall i j k, first i j = true -> first j k = true -> first i k = true) ->
  (forall i j, first i j = true -> first j i = true -> i = j) ->
  (forall n, StronglySorted (fun i j => first i j = true) (places n)) ->
  (forall n i, In i (places n) <-> 1 <= i <= n) -> single (front places) first.
Proof.
  intros Total Trans Anti Sorted Places. split; [exact Total|split; [exact Trans|split; [exact Anti|]]].
  intros n m s j V. destruct (leftmost_exists n m s j V) as (q & Vq & G).
  assert (Wq : winner n m s q = true) by (apply winner_correct; [apply Vq|split; [exact Vq|intros; now apply G]]).
  unfold front. destruct (find (winner n m s) (places n)) as [p|] eqn:E.
  - apply find_some in E as I. destruct I as [Hp Wp]. apply Places in Hp.
    apply winner_correct in Wp as [Vp Gp]; [|exact Hp]. exists p. split; [exact Vp|split; [reflexivity|]]. intros k Vk.
    destruct (Rle_lt_or_eq_dec _ _ (Gp k Vk)) as [L|Eq]; [now left|right]. split; [exact Eq|].
    apply (find_first _ (fun i j => first i j = true) _ p) with (2 := Sorted n) (3 := E).
    + intros i. now destruct (Total i i).
    + apply Places, Vk.
    + apply winner_correct; [apply Vk|]. split; [exact Vk|]. intros l Vl. rewrite Eq. now apply Gp.
  - pose proof (find_none _ _ E q (proj2 (Places n q) (proj1 Vq))). congruence.
Qed.

Lemma seq_sorted k : forall a, StronglySorted (fun i j => (i <=? j) = true) (seq a k).
Proof.
  induction k as [|k IH]; intros a; simpl; constructor; [apply IH|]. apply Forall_forall. intros i Hi.
  apply in_seq in Hi. apply Nat.leb_le. lia.
Qed.
Lemma in_countdown n i : In i (countdown n) <-> 1 <= i <= n.
Proof. induction n as [|n IH]; simpl; [lia|]. rewrite IH. lia. Qed.
Lemma countdown_sorted n : StronglySorted (fun i j => (j <=? i) = true) (countdown n).
Proof.
  induction n as [|n IH]; simpl; constructor; [exact IH|]. apply Forall_forall. intros i Hi. apply in_countdown in Hi.
  apply Nat.leb_le. lia.
Qed.

Theorem leftmost_single : single leftmost_hardmax Nat.leb.
Proof.
  apply front_single; intros; rewrite ?Nat.leb_le in *; try lia; [apply seq_sorted|]. rewrite in_seq. lia.
Qed.
Theorem rightmost_single : single rightmost_hardmax (fun i j => j <=? i).
Proof.
  apply front_single; intros; rewrite ?Nat.leb_le in *; try lia; [apply countdown_sorted|apply in_countdown].
Qed.

(* ---- counts of words that differ in one symbol ---- *)
Lemma filter_nothing (f : nat -> bool) l : (forall i, In i l -> f i = false) -> filter f l = [].
Proof.
  induction l as [|i l IH]; intros H; simpl; [reflexivity|]. rewrite (H i ltac:(now left)).
  apply IH. intros. apply H. now right.
Qed.

Lemma one_more (f g : nat -> bool) p l : NoDup l -> In p l -> f p = false -> g p = true ->
  (forall i, i <> p -> f i = g i) -> length (filter g l) = S (length (filter f l)).
Proof.
  intros N. induction N as [|i l Out N IH]; intros Hp Fp Gp E; [easy|]. simpl. destruct (Nat.eq_dec i p) as [->|Ne].
  - rewrite Fp, Gp. simpl. f_equal. f_equal. apply filter_ext_on. intros j Hj. symmetry. apply E. congruence.
  - destruct Hp as [H|Hp]; [congruence|]. rewrite (E i Ne). destruct (g i); simpl; rewrite IH; auto.
Qed.

Lemma NoDup_app_disjoint (l l' : list nat) : NoDup l -> NoDup l' -> (forall i, In i l' -> ~ In i l) -> NoDup (l ++ l').
Proof.
  intros N N' D. induction N as [|i l Out N IH]; simpl; [exact N'|]. constructor.
  - intros H. apply in_app_iff in H as [H|H]; [now apply Out|]. apply (D i H). now left.
  - apply IH. intros j Hj H. apply (D j Hj). now right.
Qed.

Definition having (w : word) (a : nat) (l : list nat) : nat := length (filter (fun i => w i =? a) l).

Lemma put_here w p a : put w p a p = a.
Proof. unfold put. now rewrite Nat.eqb_refl. Qed.
Lemma put_elsewhere w p a i : i <> p -> put w p a i = w i.
Proof. intros N. unfold put. now rewrite (proj2 (Nat.eqb_neq i p) N). Qed.

Lemma having_put w p a a' l : NoDup l -> In p l -> a <> a' -> having (put w p a) a l = S (having (put w p a') a l).
Proof.
  intros N Hp Ne. unfold having. apply one_more with (p := p); auto.
  - rewrite put_here. apply Nat.eqb_neq. congruence.
  - rewrite put_here. apply Nat.eqb_refl.
  - intros i Hi. now rewrite !put_elsewhere.
Qed.

Lemma put_extends b F w p a : extends 2 b F w -> In p F -> a < 2 -> extends 2 b F (put w p a).
Proof.
  intros [W E] Hp Ha. split; [now apply put_spelled|]. intros i Hi. rewrite put_elsewhere by congruence. now apply E.
Qed.

(* ---- no activation of one position tells the words of some restriction apart ---- *)
Section Consequences.
Variables (W : weighting) (first : nat -> nat -> bool).
Hypothesis Single : single W first.
Variables (users : nat -> nat -> nat -> bool) (T : transformer).

Theorem hahn_theorem_1_fixed e : 1 <= e -> exists N, forall n b F i, N <= n -> 1 <= i <= n -> spelled 2 b -> NoDup F ->
  exists b' F', narrower 2 b F b' F' /\ e * length F <= e * length F' + 2 * n /\
  forall w w', extends 2 b' F' w -> extends 2 b' F' w' -> run_by W users T n w i = run_by W users T n w' i.
Proof.
  intros He. destruct (hahn_theorem_1_from W first Single users T 2 e ltac:(lia) He) as (c & N & H).
  exists (Nat.max N (e * c)). intros n b F i Hn Hi Sp Nd.
  destruct (H n b F ltac:(lia) Sp Nd) as (b1 & F1 & N1 & L1 & D & Few & Reads). pose proof N1 as (Sp1 & Nd1 & _).
  pose proof (fix_more 2 b1 F1 b1 (D i) Nd1 (extends_itself 2 b1 F1 Sp1)) as N2. exists b1, (without (D i) F1).
  split; [exact (narrower_trans 2 _ _ _ _ _ _ N1 N2)|]. split.
  - pose proof (without_length (D i) F1 Nd1) as G. pose proof (Few i Hi). nia.
  - intros w w' Ww Ww'. apply (Reads i); [exact Hi|now apply N2|now apply N2|]. intros p Hp.
    assert (Out : ~ In p (without (D i) F1)) by (rewrite in_without; tauto).
    now rewrite (proj2 Ww p Out), (proj2 Ww' p Out).
Qed.

(* ---- PARITY ---- *)
Theorem hahn_corollary_2_parity : exists N, forall n, N <= n -> exists u v, spelled 2 u /\ spelled 2 v /\
  run_by W users T n u n = run_by W users T n v n /\
  truth users n u parity n = false /\ truth users n v parity n = true.
Proof.
  destruct (hahn_theorem_1_fixed 3 ltac:(lia)) as (N & H). exists (N + 1). intros n Hn.
  destruct (H n zeros (seq 1 n) n ltac:(lia) ltac:(lia) ltac:(intros i; unfold zeros; lia) (seq_NoDup n 1))
    as (b & F & (Sp & Nd & I & _) & L & Same). rewrite length_seq in L.
  destruct F as [|p F]; [simpl in L; lia|]. assert (Hp : In p (p :: F)) by now left.
  pose proof (extends_itself 2 b (p :: F) Sp) as B.
  pose proof (put_extends b _ b p 0 B Hp ltac:(lia)) as E0. pose proof (put_extends b _ b p 1 B Hp ltac:(lia)) as E1.
  assert (P : forall w, truth users n w parity n = Nat.odd (having w 1 (seq 1 n))) by reflexivity.
  pose proof (having_put b p 1 0 (seq 1 n) (seq_NoDup n 1) (I p Hp) ltac:(lia)) as C.
  destruct (Nat.odd (having (put b p 0) 1 (seq 1 n))) eqn:O.
  - exists (put b p 1), (put b p 0). split; [apply E1|split; [apply E0|split; [now apply Same|]]].
    rewrite !P, O, C, Nat.odd_succ, <- Nat.negb_odd, O. now split.
  - exists (put b p 0), (put b p 1). split; [apply E0|split; [apply E1|split; [now apply Same|]]].
    rewrite !P, O, C, Nat.odd_succ, <- Nat.negb_odd, O. now split.
Qed.

Definition computes_by (f : formula) : Prop := forall n w, 1 <= n -> over T n w ->
  forall i, 1 <= i <= n -> run_by W users T n w i (transformer_output T) = bit (truth users n w f i).

Corollary parity_is_hard_for_single : 2 <= length (token_embedding T) -> ~ computes_by parity.
Proof.
  intros A C. destruct hahn_corollary_2_parity as (N & H).
  destruct (H (N + 1) ltac:(lia)) as (u & v & U & V & Same & E0 & E1).
  assert (Ov : forall w, spelled 2 w -> over T (N + 1) w) by (intros w Hw i _; specialize (Hw i); lia).
  pose proof (C (N + 1) u ltac:(lia) (Ov u U) (N + 1) ltac:(lia)) as Cu.
  pose proof (C (N + 1) v ltac:(lia) (Ov v V) (N + 1) ltac:(lia)) as Cv.
  rewrite Same, Cv, E0, E1 in Cu. simpl in Cu. lra.
Qed.

(* ---- DYCK-1, and the words of 2DYCK that have round brackets only ---- *)
(* 0 opens, 1 closes. *)
Definition opened (w : word) (i : nat) : nat := having w 0 (seq 1 i).
Definition closed (w : word) (i : nat) : nat := having w 1 (seq 1 i).
Definition dyck_1 (n : nat) (w : word) : Prop :=
  opened w n = closed w n /\ forall i, i <= n -> closed w i <= opened w i.

Lemma opened_closed w l : spelled 2 w -> having w 0 l + having w 1 l = length l.
Proof.
  intros S. unfold having. induction l as [|i l IH]; simpl; [reflexivity|]. specialize (S i).
  destruct (w i) as [|[|k]]; simpl; lia.
Qed.

Lemma having_at_least w a l l' : NoDup l' -> incl l' l -> (forall i, In i l' -> w i = a) -> length l' <= having w a l.
Proof.
  intros N I E. apply NoDup_incl_length; [exact N|]. intros i Hi. apply filter_In. split; [now apply I|].
  apply Nat.eqb_eq. now apply E.
Qed.
Lemma having_app w a l l' : having w a (l ++ l') = having w a l + having w a l'.
Proof. unfold having. now rewrite filter_app, length_app. Qed.

(* k brackets open, k close at the end, and 2k of all open: whatever is between, the word is balanced. *)
Lemma balanced_between k w : spelled 2 w -> (forall i, 1 <= i <= k -> w i = 0) ->
  (forall i, 3 * k < i <= 4 * k -> w i = 1) -> opened w (4 * k) = 2 * k -> dyck_1 (4 * k) w.
Proof.
  intros S A Z O. pose proof (opened_closed w (seq 1 (4 * k)) S) as E. rewrite length_seq in E.
  unfold dyck_1, opened, closed in *. split; [lia|]. intros i Hi.
  assert (Cut : seq 1 (4 * k) = seq 1 i ++ seq (1 + i) (4 * k - i)) by (rewrite <- seq_app; f_equal; lia).
  rewrite Cut, !having_app in *. destruct (le_lt_dec i k) as [L|L]; [|destruct (le_lt_dec i (3 * k)) as [M|M]].
  - replace (having w 1 (seq 1 i)) with 0; [lia|]. unfold having. rewrite filter_nothing; [reflexivity|].
    intros j Hj. apply in_seq in Hj. rewrite A by lia. reflexivity.
  - assert (k <= having w 0 (seq 1 i)).
    { rewrite <- (length_seq k 1) at 1. apply having_at_least; [apply seq_NoDup| |]; intros j Hj; apply in_seq in Hj.
      - apply in_seq. lia.
      - apply A. lia. }
    assert (k <= having w 1 (seq (1 + i) (4 * k - i))); [|lia].
    rewrite <- (length_seq k (3 * k + 1)) at 1.
    apply having_at_least; [apply seq_NoDup| |]; intros j Hj; apply in_seq in Hj.
    + apply in_seq. lia.
    + apply Z. lia.
  - assert (R : having w 0 (seq (1 + i) (4 * k - i)) = 0); [|lia]. unfold having.
    rewrite filter_nothing; [reflexivity|].
    intros j Hj. apply in_seq in Hj. rewrite Z by lia. reflexivity.
Qed.

(* The free symbols one after another: 0 from 1, so that some word in between has any number of 0s that lies between. *)
Lemma some_filling b F l k : spelled 2 b -> NoDup l -> NoDup F -> incl F l ->
  (forall w, extends 2 b F w -> (forall i, In i F -> w i = 1) -> having w 0 l <= k) ->
  (forall w, extends 2 b F w -> (forall i, In i F -> w i = 0) -> k <= having w 0 l) ->
  exists w, extends 2 b F w /\ having w 0 l = k.
Proof.
  intros Sp Nl Nd I Low High.
  assert (G : forall G, incl G F -> NoDup G -> (exists w, extends 2 b F w /\ having w 0 l = k) \/
    exists w, extends 2 b F w /\ having w 0 l <= k /\ (forall i, In i F -> In i G -> w i = 0) /\
      forall i, In i F -> ~ In i G -> w i = 1).
  { intros G. induction G as [|p G IH]; intros IG NG.
    - right. set (w := fun i => if among F i then 1 else b i). assert (E : extends 2 b F w).
      { split; [intros i; unfold w; destruct (among F i); [lia|apply Sp]|]. intros i Hi. unfold w.
        destruct (among F i) eqn:A; [now apply among_In in A|reflexivity]. }
      assert (One : forall i, In i F -> w i = 1) by (intros i Hi; unfold w; now rewrite (proj2 (among_In F i) Hi)).
      exists w. split; [exact E|]. split; [now apply Low|]. split; [easy|]. intros i Hi _. now apply One.
    - apply NoDup_cons_iff in NG as [Out NG]. assert (Hp : In p F) by (apply IG; now left).
      destruct (IH ltac:(intros i Hi; apply IG; now right) NG) as [Done|(w & E & L & Z & O)]; [now left|].
      pose proof (having_put w p 0 1 l Nl (I p Hp) ltac:(lia)) as C.
      assert (Same : having (put w p 1) 0 l = having w 0 l).
      { unfold having. f_equal. apply filter_ext. intros i. destruct (Nat.eq_dec i p) as [->|Ne];
          [rewrite put_here; now rewrite (O p Hp Out)|now rewrite put_elsewhere]. }
      destruct (Nat.eq_dec (having w 0 l) k) as [D|D]; [left; now exists w|right]. exists (put w p 0).
      split; [apply put_extends; [exact E|exact Hp|lia]|]. split; [lia|]. split; intros i Hi Gi.
      + destruct (Nat.eq_dec i p) as [->|Ne]; [apply put_here|]. rewrite put_elsewhere by exact Ne.
        apply Z; [exact Hi|]. destruct Gi; [congruence|assumption].
      + assert (i <> p) by (intros ->; apply Gi; now left). rewrite put_elsewhere by assumption.
        apply O; [exact Hi|]. intros H'. apply Gi. now right. }
  destruct (G F (incl_refl F) Nd) as [Done|(w & E & L & Z & _)]; [exact Done|]. exists w. split; [exact E|].
  pose proof (High w E ltac:(intros; now apply Z)). lia.
Qed.

Definition outer (k i : nat) : nat := if i <=? k then 0 else 1.                           (* 0...0 *...* 1...1 *)

Theorem hahn_corollary_2_dyck : exists N, forall k, N <= k -> exists u v, spelled 2 u /\ spelled 2 v /\
  run_by W users T (4 * k) u (4 * k) = run_by W users T (4 * k) v (4 * k) /\ dyck_1 (4 * k) u /\ ~ dyck_1 (4 * k) v.
Proof.
  destruct (hahn_theorem_1_fixed 8 ltac:(lia)) as (N & H). exists (N + 1). intros k Hk. set (n := 4 * k).
  assert (Sp0 : spelled 2 (outer k)) by (intros i; unfold outer; destruct (i <=? k); lia).
  destruct (H n (outer k) (seq (1 + k) (2 * k)) n ltac:(lia) ltac:(lia) Sp0 (seq_NoDup _ _))
    as (b & F & Nr & L & Same). pose proof Nr as (Sp & Nd & I & Ext). rewrite length_seq in L.
  assert (LF : k <= length F) by (unfold n in L; lia).
  assert (In_F : forall i, In i F -> 1 + k <= i <= 3 * k) by (intros i Hi; apply I, in_seq in Hi; lia).
  assert (Ends : forall w, extends 2 b F w ->
    (forall i, 1 <= i <= k -> w i = 0) /\ forall i, 3 * k < i <= 4 * k -> w i = 1).
  { intros w E. apply Ext in E as [_ E]. split; intros i Hi; rewrite E by (rewrite in_seq; lia); unfold outer;
      destruct (Nat.leb_spec i k); lia. }
  assert (Count : forall w a z, extends 2 b F w -> (forall i, In i F -> w i = a) -> (forall i, In i z -> w i = a) ->
    incl z (seq 1 n) -> NoDup z -> (forall i, In i z -> ~ In i F) -> length z = k -> 2 * k <= having w a (seq 1 n)).
  { intros w a z E EF Ez Iz Nz Dj Lz. apply Nat.le_trans with (length (F ++ z)); [rewrite length_app; lia|].
    apply having_at_least.
    - apply NoDup_app_disjoint; auto.
    - intros i Hi. apply in_app_iff in Hi as [Hi|Hi]; [apply In_F in Hi; apply in_seq; lia|now apply Iz].
    - intros i Hi. apply in_app_iff in Hi as [Hi|Hi]; auto. }
  destruct (some_filling b F (seq 1 n) (2 * k) Sp (seq_NoDup n 1) Nd) as (u & Eu & Cu).
  - intros i Hi. apply In_F in Hi. apply in_seq. lia.
  - intros w E One. pose proof (opened_closed w (seq 1 n) (proj1 E)) as S. rewrite length_seq in S.
    destruct (Ends w E) as [_ Z].
    assert (2 * k <= having w 1 (seq 1 n)); [|unfold n in *; lia].
    apply (Count w 1 (seq (3 * k + 1) k)); auto; try apply seq_NoDup; try apply length_seq;
      intros i Hi; apply in_seq in Hi; [apply Z; lia|apply in_seq; lia|intros G; apply In_F in G; lia].
  - intros w E Zero. destruct (Ends w E) as [A _].
    apply (Count w 0 (seq 1 k)); auto; try apply seq_NoDup; try apply length_seq;
      intros i Hi; apply in_seq in Hi; [apply A; lia|apply in_seq; lia|intros G; apply In_F in G; lia].
  - destruct F as [|p F]; [simpl in LF; lia|]. assert (Hp : In p (p :: F)) by now left.
    assert (Up : u p < 2) by apply Eu. pose proof (put_extends b _ u p (1 - u p) Eu Hp ltac:(lia)) as Ev.
    exists u, (put u p (1 - u p)). split; [apply Eu|split; [apply Ev|split; [now apply Same|]]].
    destruct (Ends u Eu) as [A Z]. split; [apply balanced_between; [apply Eu|exact A|exact Z|exact Cu]|].
    intros [Bal _].
    pose proof (opened_closed (put u p (1 - u p)) (seq 1 n) (proj1 Ev)) as S. rewrite length_seq in S.
    fold n in Bal. unfold opened, closed in Bal.
    assert (C : having (put u p (1 - u p)) 0 (seq 1 n) <> 2 * k); [|unfold n in *; lia].
    assert (Back : having (put u p (u p)) 0 (seq 1 n) = 2 * k).
    { rewrite <- Cu. unfold having. f_equal. apply filter_ext. intros i. unfold put.
      now destruct (Nat.eqb_spec i p) as [->|]. }
    assert (Pn : In p (seq 1 n)) by (apply In_F in Hp; apply in_seq; lia).
    pose proof (having_put u p 0 1 (seq 1 n) (seq_NoDup n 1) Pn ltac:(lia)) as One.
    destruct (u p) as [|[|j]]; simpl Nat.sub in *; lia.
Qed.
End Consequences.
