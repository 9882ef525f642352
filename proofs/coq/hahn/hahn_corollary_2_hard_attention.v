(* [Hahn] Corollary 2: attention to a single position recognizes neither PARITY nor 2DYCK, nor DYCK-1.

   Proved, for the transformers of hahn_theorem_1_hard_attention.v, those of the paper, whatever their activations,
   scores, updates, embeddings, masks, layers and heads: at every n from some N on there are a word with an even and one
   with an odd number of 1s with the same activation at position n; at every n = 4k from some N on there are a balanced
   and an unbalanced word of brackets with the same activation at position n. So no function of n and of the last
   activation tells them apart: no margin and no precision helps, unlike for softmax. And so none of the transformers of
   network.v with leftmost or with rightmost hardmax computes `ODD(#<[Q_1])`.
   Idea: Theorem 1, and the few symbols that position n depends on are fixed, too; a free symbol is left to exchange. *)
From Coq Require Import Reals List Bool Arith Lia Lra.
From Certify Require Import positions lists finite_sums softmax formula network hard_attention hahn_restrictions
  hahn_lemma_4_depth_reduction hahn_theorem_1_hard_attention hahn_lemma_5_repaired parity_is_hard.
Import ListNotations PositionNotations.
Open Scope nat_scope.

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

Local Definition having (w : word) (a : nat) (l : list nat) : nat := length (filter (fun i => w i =? a) l).

Lemma put_here w p a : put_letter w p a p = a. Proof. unfold put_letter. now rewrite Nat.eqb_refl. Qed.
Lemma put_elsewhere w p a i : i <> p -> put_letter w p a i = w i.
Proof. intros N. unfold put_letter. now rewrite (proj2 (Nat.eqb_neq i p) N). Qed.

Lemma having_put w p a a' l : NoDup l -> In p l -> a <> a' -> having (put_letter w p a) a l = S (having (put_letter w p
  a') a l).
Proof.
  intros N Hp Ne. unfold having. apply one_more with (p := p); auto.
  - rewrite put_here. apply Nat.eqb_neq. congruence.
  - rewrite put_here. apply Nat.eqb_refl.
  - intros i Hi. now rewrite !put_elsewhere.
Qed.

Lemma put_extends b F w p a : restriction_extends 2 b F w -> In p F -> a < 2 -> restriction_extends 2 b F (put_letter w
  p a).
Proof.
  intros [W E] Hp Ha. split; [now apply put_spelled|]. intros i Hi. rewrite put_elsewhere by congruence. now apply E.
Qed.

(* ---- no activation of one position tells the words of some restriction apart ---- *)
Section Consequences.
Variables (Activation : Type) (embedding : nat -> nat -> nat -> Activation) (layers : list (hard_layer Activation)).
Notation activation := (run_at_one Activation embedding layers).

Theorem hahn_theorem_1_fixed e : 1 <= e -> exists N, forall n b F i, N <= n -> i upto n -> is_spelled 2 b -> NoDup F ->
  exists b' F', restriction_narrower 2 b F b' F' /\ e * length F <= e * length F' + 2 * n /\
  forall w w', restriction_extends 2 b' F' w -> restriction_extends 2 b' F' w' -> activation n w i = activation n w' i.
Proof.
  intros He. destruct (hahn_theorem_1_from Activation embedding layers 2 e ltac:(lia) He) as (c & N & H).
  exists (Nat.max N (e * c)). intros n b F i Hn Hi Sp Nd.
  destruct (H n b F ltac:(lia) Sp Nd) as (b1 & F1 & N1 & L1 & D & Few & Reads). pose proof N1 as (Sp1 & Nd1 & _).
  pose proof (fix_more 2 b1 F1 b1 (D i) Nd1 (extends_itself 2 b1 F1 Sp1)) as N2.
  exists b1, (positions_without (D i) F1). split; [exact (narrower_trans 2 _ _ _ _ _ _ N1 N2)|]. split.
  - pose proof (without_length (D i) F1 Nd1) as G. pose proof (Few i Hi). nia.
  - intros w w' Ww Ww'. apply (Reads i); [exact Hi|now apply N2|now apply N2|]. intros p Hp.
    assert (Out : ~ In p (positions_without (D i) F1)) by (rewrite in_without; tauto).
    now rewrite (proj2 Ww p Out), (proj2 Ww' p Out).
Qed.

(* ---- PARITY ---- *)
Definition odd_ones (n : nat) (w : word) : bool := Nat.odd (having w 1 (seq 1 n)).

Theorem hahn_corollary_2_parity : exists N, forall n, N <= n -> exists u v, is_spelled 2 u /\ is_spelled 2 v /\
  activation n u n = activation n v n /\ odd_ones n u = false /\ odd_ones n v = true.
Proof.
  destruct (hahn_theorem_1_fixed 3 ltac:(lia)) as (N & H). exists (N + 1). intros n Hn.
  destruct (H n zeros_word (seq 1 n) n ltac:(lia) ltac:(lia) ltac:(intros i; unfold zeros_word; lia) (seq_NoDup n 1))
    as (b & F & (Sp & Nd & I & _) & L & Same). rewrite length_seq in L.
  destruct F as [|p F]; [simpl in L; lia|]. assert (Hp : In p (p :: F)) by now left.
  pose proof (extends_itself 2 b (p :: F) Sp) as B.
  pose proof (put_extends b _ b p 0 B Hp ltac:(lia)) as E0. pose proof (put_extends b _ b p 1 B Hp ltac:(lia)) as E1.
  pose proof (having_put b p 1 0 (seq 1 n) (seq_NoDup n 1) (I p Hp) ltac:(lia)) as C. unfold odd_ones.
  destruct (Nat.odd (having (put_letter b p 0) 1 (seq 1 n))) eqn:O.
  - exists (put_letter b p 1), (put_letter b p 0). split; [apply E1|split; [apply E0|split; [now apply Same|]]].
    rewrite O, C, Nat.odd_succ, <- Nat.negb_odd, O. now split.
  - exists (put_letter b p 0), (put_letter b p 1). split; [apply E0|split; [apply E1|split; [now apply Same|]]].
    rewrite O, C, Nat.odd_succ, <- Nat.negb_odd, O. now split.
Qed.

(* The words of length n over s letters that are told apart by n and the activation at position n. *)
Local Definition recognizes (s : nat) (accept : nat -> Activation -> bool) (language : nat -> word -> bool) : Prop :=
  forall n w, 1 <= n -> is_spelled s w -> accept n (activation n w n) = language n w.

Corollary hahn_corollary_2_parity_not_recognized accept : ~ recognizes 2 accept odd_ones.
Proof.
  intros R. destruct hahn_corollary_2_parity as (N & H).
  destruct (H (S N) ltac:(lia)) as (u & v & U & V & Same & E0 & E1).
  rewrite <- (R _ u), <- (R _ v), Same in * by (lia || assumption). congruence.
Qed.

(* ---- brackets of any number of types; words of round ones are enough ---- *)
(* An even letter opens, the next letter closes it: 0 1 are ( ), 2 3 are [ ]. *)
Local Fixpoint closes (opening l : list nat) : bool :=
  match l, opening with
  | [], _ => match opening with [] => true | _ => false end
  | x :: l, _ => if Nat.even x then closes (x :: opening) l
                 else match opening with o :: opening => (x =? S o) && closes opening l | [] => false end
  end.
Local Definition balanced (n : nat) (w : word) : bool := closes [] (map w (seq 1 n)).

Local Definition opened (w : word) (i : nat) : nat := having w 0 (seq 1 i).
Local Definition closed (w : word) (i : nat) : nat := having w 1 (seq 1 i).
Definition dyck_1 (n : nat) (w : word) : Prop :=
  opened w n = closed w n /\ forall i, i <= n -> closed w i <= opened w i.

Lemma closes_round w : is_spelled 2 w -> forall k a h, closes (repeat 0 h) (map w (seq a k)) = true <-> h + having w 0
  (seq a k) = having w 1 (seq a k) /\ forall i, i <= k -> having w 1 (seq a i) <= h + having w 0 (seq a i).
Proof.
  intros Sp. induction k as [|k IH]; intros a h.
  - change (closes (repeat 0 h) (map w (seq a 0))) with (match repeat 0 h with [] => true | _ => false end).
    destruct h; cbn; (split; [intros H|intros [H _]]); try easy; try lia. split; [reflexivity|]. intros i Hi.
    now replace i with 0 by lia.
  - assert (Cons : forall x i, having w x (seq a (S i)) = (if w a =? x then 1 else 0) + having w x (seq (S a) i)).
    { intros x i. unfold having. cbn [seq filter]. now destruct (w a =? x). }
    rewrite !Cons. cbn [seq map closes]. pose proof (Sp a) as La.
    assert (All : forall P : nat -> Prop, (forall i, i <= S k -> P i) <-> P 0 /\ forall i, i <= k -> P (S i)).
    { intros P. split; [intros H; split; [|intros i Hi]; apply H; lia|]. intros [H0 H] [|i] Hi; [exact H0|].
      apply H. lia. }
    rewrite All. destruct (w a) as [|[|x]]; [| |lia]; cbn [Nat.even].
    + change (0 :: repeat 0 h) with (repeat 0 (S h)). rewrite IH.
      split; (intros [E P]; cbn in *; split; [lia|]); [split; [lia|]|destruct P as [_ P]]; intros i Hi;
        specialize (P i Hi); rewrite ?Cons in *; cbn in *; lia.
    + destruct h as [|h]; cbn [repeat].
      * split; [discriminate|]. intros [_ [_ P]]. specialize (P 0 ltac:(lia)). rewrite !Cons in P. cbn in P. lia.
      * change (1 =? 1) with true. cbn [andb]. rewrite IH.
        split; (intros [E P]; cbn in *; split; [lia|]); [split; [lia|]|destruct P as [_ P]]; intros i Hi;
          specialize (P i Hi); rewrite ?Cons in *; cbn in *; lia.
Qed.

Lemma balanced_round n w : is_spelled 2 w -> balanced n w = true <-> dyck_1 n w.
Proof. intros Sp. exact (closes_round w Sp n 1 0). Qed.

Lemma opened_closed w l : is_spelled 2 w -> having w 0 l + having w 1 l = length l.
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
Lemma balanced_between k w : is_spelled 2 w -> (each i upto k, w i = 0) ->
  (forall i, 3 * k < i <= 4 * k -> w i = 1) -> opened w (4 * k) = 2 * k -> dyck_1 (4 * k) w.
Proof.
  intros S Op Z O. pose proof (opened_closed w (seq 1 (4 * k)) S) as E. rewrite length_seq in E.
  unfold dyck_1, opened, closed in *. split; [lia|]. intros i Hi.
  assert (Cut : seq 1 (4 * k) = seq 1 i ++ seq (1 + i) (4 * k - i)) by (rewrite <- seq_app; f_equal; lia).
  rewrite Cut, !having_app in *. destruct (le_lt_dec i k) as [L|L]; [|destruct (le_lt_dec i (3 * k)) as [M|M]].
  - replace (having w 1 (seq 1 i)) with 0; [lia|]. unfold having. rewrite filter_nothing; [reflexivity|]. intros j Hj.
    apply in_seq in Hj. rewrite Op by lia. reflexivity.
  - assert (k <= having w 0 (seq 1 i)).
    { rewrite <- (length_seq k 1) at 1. apply having_at_least; [apply seq_NoDup| |]; intros j Hj; apply in_seq in Hj.
      - apply in_seq. lia.
      - apply Op. lia. }
    assert (k <= having w 1 (seq (1 + i) (4 * k - i))); [|lia]. rewrite <- (length_seq k (3 * k + 1)) at 1.
    apply having_at_least; [apply seq_NoDup| |]; intros j Hj; apply in_seq in Hj.
    + apply in_seq. lia.
    + apply Z. lia.
  - assert (R : having w 0 (seq (1 + i) (4 * k - i)) = 0); [|lia]. unfold having.
    rewrite filter_nothing; [reflexivity|]. intros j Hj. apply in_seq in Hj. rewrite Z by lia. reflexivity.
Qed.

(* The free symbols one after another: 0 from 1, so that some word in between has any number of 0s that lies between. *)
Lemma some_filling b F l k : is_spelled 2 b -> NoDup l -> NoDup F -> incl F l -> (forall w, restriction_extends 2 b F w
  -> (forall i, In i F -> w i = 1) -> having w 0 l <= k) -> (forall w, restriction_extends 2 b F w -> (forall i,
  In i F -> w i = 0) -> k <= having w 0 l) -> exists w, restriction_extends 2 b F w /\ having w 0 l = k.
Proof.
  intros Sp Nl Nd I Low High.
  assert (G : forall G, incl G F -> NoDup G -> (exists w, restriction_extends 2 b F w /\ having w 0 l = k) \/
    exists w, restriction_extends 2 b F w /\ having w 0 l <= k /\ (forall i, In i F -> In i G -> w i = 0) /\
      forall i, In i F -> ~ In i G -> w i = 1).
  { intros G. induction G as [|p G IH]; intros IG NG.
    - right. set (w := fun i => if is_among F i then 1 else b i). assert (E : restriction_extends 2 b F w).
      { split; [intros i; unfold w; destruct (is_among F i); [lia|apply Sp]|]. intros i Hi. unfold w.
        destruct (is_among F i) eqn:A; [now apply among_In in A|reflexivity]. }
      assert (One : forall i, In i F -> w i = 1) by (intros i Hi; unfold w; now rewrite (proj2 (among_In F i) Hi)).
      exists w. split; [exact E|]. split; [now apply Low|]. split; [easy|]. intros i Hi _. now apply One.
    - apply NoDup_cons_iff in NG as [Out NG]. assert (Hp : In p F) by (apply IG; now left).
      destruct (IH ltac:(intros i Hi; apply IG; now right) NG) as [Done|(w & E & L & Z & O)]; [now left|].
      pose proof (having_put w p 0 1 l Nl (I p Hp) ltac:(lia)) as C.
      assert (Same : having (put_letter w p 1) 0 l = having w 0 l).
      { unfold having. f_equal. apply filter_ext. intros i. destruct (Nat.eq_dec i p) as [->|Ne];
          [rewrite put_here; now rewrite (O p Hp Out)|now rewrite put_elsewhere]. }
      destruct (Nat.eq_dec (having w 0 l) k) as [D|D]; [left; now exists w|right]. exists (put_letter w p 0).
      split; [apply put_extends; [exact E|exact Hp|lia]|]. split; [lia|]. split; intros i Hi Gi.
      + destruct (Nat.eq_dec i p) as [->|Ne]; [apply put_here|]. rewrite put_elsewhere by exact Ne.
        apply Z; [exact Hi|]. destruct Gi; [congruence|assumption].
      + assert (i <> p) by (intros ->; apply Gi; now left). rewrite put_elsewhere by assumption.
        apply O; [exact Hi|]. intros H'. apply Gi. now right. }
  destruct (G F (incl_refl F) Nd) as [Done|(w & E & L & Z & _)]; [exact Done|]. exists w. split; [exact E|].
  pose proof (High w E ltac:(intros; now apply Z)). lia.
Qed.

Local Definition outer (k i : nat) : nat := if i <=? k then 0 else 1.                           (* 0...0 *...* 1...1 *)

Theorem hahn_corollary_2_dyck : exists N, forall k, N <= k -> exists u v, is_spelled 2 u /\ is_spelled 2 v /\ activation
  (4 * k) u (4 * k) = activation (4 * k) v (4 * k) /\ balanced (4 * k) u = true /\ balanced (4 * k) v = false.
Proof.
  destruct (hahn_theorem_1_fixed 8 ltac:(lia)) as (N & H). exists (N + 1). intros k Hk. set (n := 4 * k).
  assert (Sp0 : is_spelled 2 (outer k)) by (intros i; unfold outer; destruct (i <=? k); lia).
  destruct (H n (outer k) (seq (1 + k) (2 * k)) n ltac:(lia) ltac:(lia) Sp0 (seq_NoDup _ _)) as (b & F & Nr & L & Same).
  pose proof Nr as (Sp & Nd & I & Ext). rewrite length_seq in L. assert (LF : k <= length F) by (unfold n in L; lia).
  assert (In_F : forall i, In i F -> 1 + k <= i <= 3 * k) by (intros i Hi; apply I, in_seq in Hi; lia).
  assert (Ends : forall w, restriction_extends 2 b F w -> (each i upto k, w i = 0) /\ forall i, 3 * k < i <= 4 * k ->
    w i = 1).
  { intros w E. apply Ext in E as [_ E].
    split; intros i Hi; rewrite E by (rewrite in_seq; lia); unfold outer; destruct (Nat.leb_spec i k); lia. }
  assert (Count : forall w a z, restriction_extends 2 b F w -> (forall i, In i F -> w i = a) -> (forall i, In i z ->
    w i = a) -> incl z (seq 1 n) -> NoDup z -> (forall i, In i z -> ~ In i F) -> length z = k -> 2 * k <=
    having w a (seq 1 n)).
  { intros w a z E EF Ez Iz Nz Dj Lz. apply Nat.le_trans with (length (F ++ z)); [rewrite length_app; lia|].
    apply having_at_least.
    - apply NoDup_app_disjoint; auto.
    - intros i Hi. apply in_app_iff in Hi as [Hi|Hi]; [apply In_F in Hi; apply in_seq; lia|now apply Iz].
    - intros i Hi. apply in_app_iff in Hi as [Hi|Hi]; auto. }
  destruct (some_filling b F (seq 1 n) (2 * k) Sp (seq_NoDup n 1) Nd) as (u & Eu & Cu).
  - intros i Hi. apply In_F in Hi. apply in_seq. lia.
  - intros w E One. pose proof (opened_closed w (seq 1 n) (proj1 E)) as S. rewrite length_seq in S.
    destruct (Ends w E) as [_ Z]. assert (2 * k <= having w 1 (seq 1 n)); [|unfold n in *; lia].
    apply (Count w 1 (seq (3 * k + 1) k)); auto; try apply seq_NoDup; try apply length_seq;
      intros i Hi; apply in_seq in Hi; [apply Z; lia|apply in_seq; lia|intros G; apply In_F in G; lia].
  - intros w E Zero. destruct (Ends w E) as [A _].
    apply (Count w 0 (seq 1 k)); auto; try apply seq_NoDup; try apply length_seq;
      intros i Hi; apply in_seq in Hi; [apply A; lia|apply in_seq; lia|intros G; apply In_F in G; lia].
  - destruct F as [|p F]; [simpl in LF; lia|]. assert (Hp : In p (p :: F)) by now left.
    assert (Up : u p < 2) by apply Eu. pose proof (put_extends b _ u p (1 - u p) Eu Hp ltac:(lia)) as Ev.
    exists u, (put_letter u p (1 - u p)). split; [apply Eu|split; [apply Ev|split; [now apply Same|]]].
    destruct (Ends u Eu) as [O C1].
    split; [apply balanced_round; [apply Eu|]; apply balanced_between; [apply Eu|exact O|exact C1|exact Cu]|].
    apply not_true_iff_false. intros Bal. apply balanced_round in Bal; [|apply Ev]. destruct Bal as [Bal _].
    pose proof (opened_closed (put_letter u p (1 - u p)) (seq 1 n) (proj1 Ev)) as S. rewrite length_seq in S.
    fold n in Bal. unfold opened, closed in Bal.
    assert (C : having (put_letter u p (1 - u p)) 0 (seq 1 n) <> 2 * k); [|unfold n in *; lia].
    assert (Back : having (put_letter u p (u p)) 0 (seq 1 n) = 2 * k).
    { rewrite <- Cu. unfold having. f_equal. apply filter_ext. intros i. unfold put_letter.
      now destruct (Nat.eqb_spec i p) as [->|]. }
    assert (Pn : In p (seq 1 n)) by (apply In_F in Hp; apply in_seq; lia).
    pose proof (having_put u p 0 1 (seq 1 n) (seq_NoDup n 1) Pn ltac:(lia)) as One.
    destruct (u p) as [|[|j]]; simpl Nat.sub in *; lia.
Qed.

Corollary hahn_corollary_2_dyck_not_recognized s accept : 2 <= s -> ~ recognizes s accept balanced.
Proof.
  intros Hs R. destruct hahn_corollary_2_dyck as (N & H).
  destruct (H (S N) ltac:(lia)) as (u & v & U & V & Same & E1 & E0).
  assert (W : forall w, is_spelled 2 w -> is_spelled s w) by (intros w Hw i; specialize (Hw i); lia).
  rewrite <- (R _ u), <- (R _ v), Same in * by (lia || auto). congruence.
Qed.
End Consequences.

(* ---- the transformers of network.v ---- *)
Definition computes_by (W : attention_weights) users (T : transformer) (f : formula) : Prop := forall n w, 1 <= n ->
  word_in_alphabet T n w -> each i upto n, run_by W users T n w i (transformer_output T) = bit (truth users n w f i).

Corollary parity_is_hard_for_single t users T : 2 <= length (token_embedding T) ->
  ~ computes_by (hardmax_to t) users T parity_formula.
Proof.
  intros L C.
  apply (hahn_corollary_2_parity_not_recognized vector (network_embedding users T) (map (single_layer t)
    (transformer_layers T)) (fun _ x => if Req_EM_T (x (transformer_output T)) 1 then true else false)).
  intros n w Hn Sp. rewrite <- single_network_right by lia. rewrite C by (lia || (intros i _; specialize (Sp i); lia)).
  change (truth users n w parity_formula n) with (odd_ones n w).
  destruct (odd_ones n w), (Req_EM_T _ 1) as [E|E]; cbn in *; (reflexivity || lra).
Qed.
