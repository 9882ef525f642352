(* Formulas and what they mean ([SHA] Definitions 10, 14, 19; docs/reference/certificate.md, section 1).

   The meaning is a Boolean function, written clause by clause as the definitions; the lemmas below it state each clause
   in words of logic. `prev` is false at position 1, `next` at position n; the left side of `since` and `until` holds at
   the witness too; a predicate on a count may be asked about 0, one on a sum of counts about any integer. Positions
   count from 1. To be compared with constructions/language/semantics.py: `truth` is _Reading.satisfies, `counted_on` is
   _count, `value_of_term` is _term, `predicate_holds` and `holds_at` are the table of
   constructions/language/predicates.py. *)
From Coq Require Import Arith Bool List ZArith Lia.
From Certify Require Import positions lists.
Import ListNotations PositionNotations.

Inductive side := ToLeft | ToRight.                                  (* #<[..] and #>[..] *)
Inductive relation := AtMost | Below | AtLeast | Above | Equal | Unequal.

Inductive predicate :=
| ODD | EVEN | FIRST | LAST | SQUARE | POW2 | PRIME
| MOD (m r : nat)
| User (name : nat).                                                 (* defined by the user; see `users` *)

Inductive formula :=
| Truth (b : bool)
| Symbol (a : nat)                                                   (* the a-th symbol of the alphabet, from 0 *)
| Not (f : formula)
| And (f g : formula) | Or (f g : formula) | Implies (f g : formula) | Iff (f g : formula)
| Previous (f : formula) | Next (f : formula)
| Since (f g : formula) | Until (f g : formula)
| Positional (p : predicate)
| OnCount (p : predicate) (s : side) (f : formula)                   (* p(#<[f]) *)
| OnSum (p : predicate) (t : term)                                   (* p(2*#<[f] - #>[g]) *)
| Compare (r : relation) (t u : term)
with term :=                                                         (* a sum of integer multiples of counts *)
| Number (c : Z)
| Plus (a : Z) (s : side) (f : formula) (rest : term).               (* a * #<[f] + rest *)

Scheme formula_mutual := Induction for formula Sort Prop
  with term_mutual := Induction for term Sort Prop.
Combined Scheme formula_term_mutual from formula_mutual, term_mutual.

Definition relation_holds (r : relation) (x y : Z) : bool :=
  match r with
  | AtMost => Z.leb x y | Below => Z.ltb x y | AtLeast => Z.leb y x | Above => Z.ltb y x
  | Equal => Z.eqb x y | Unequal => negb (Z.eqb x y)
  end.

(* A word is its symbols by position; w 0 and what lies beyond the length is never looked at. *)
Definition word := nat -> nat.

(* The user's predicates: name, number k (a position, a count, which may be 0, or a sum of counts), length n. *)
Definition predicate_meanings : Type := nat -> Z -> nat -> bool.
Definition no_users : predicate_meanings := fun _ _ _ => false.

Section Meaning.
Variable users : predicate_meanings.

Definition predicate_holds (p : predicate) (k n : nat) : bool :=
  match p with
  | ODD => Nat.odd k
  | EVEN => Nat.even k
  | FIRST => k =? 1
  | LAST => k =? n
  | SQUARE => Nat.sqrt k * Nat.sqrt k =? k
  | POW2 => 2 ^ Nat.log2 k =? k
  | PRIME => (2 <=? k) && forallb (fun d => negb (k mod d =? 0)) (seq 2 (k - 2))
  | MOD m r => k mod m =? r
  | User name => users name (Z.of_nat k) n
  end.
(* Of an integer: SQUARE, POW2 and PRIME hold of no negative one, and remainders are not negative. *)
Definition holds_at (p : predicate) (z : Z) (n : nat) : bool :=
  match p with
  | ODD => Z.odd z
  | EVEN => Z.even z
  | FIRST => Z.eqb z 1
  | LAST => Z.eqb z (Z.of_nat n)
  | MOD m r => Z.eqb (Z.modulo z (Z.of_nat m)) (Z.of_nat r)
  | User name => users name z n
  | SQUARE | POW2 | PRIME => Z.leb 0 z && predicate_holds p (Z.to_nat z) n
  end.

(* The positions that a count looks at from position i. *)
Definition looked_at (s : side) (n i : nat) : list nat :=
  match s with ToLeft => seq 1 i | ToRight => seq i (S n - i) end.
Definition counted_on (s : side) (n : nat) (p : nat -> bool) (i : nat) : nat := length (filter p (looked_at s n i)).
(* Their number, and the number of them other than i that are counted. *)
Definition span (s : side) (n i : nat) : nat := match s with ToLeft => i | ToRight => S n - i end.
Definition others_on (s : side) (n : nat) (p : nat -> bool) (i : nat) : nat := counted_on s n p i - Nat.b2n (p i).

Definition since_at (p q : nat -> bool) (i : nat) : bool :=
  existsb (fun j => q j && forallb p (seq j (S i - j))) (seq 1 i).
Definition until_at (n : nat) (p q : nat -> bool) (i : nat) : bool :=
  existsb (fun j => q j && forallb p (seq i (S j - i))) (seq i (S n - i)).

Section Word.
Variables (n : nat) (w : word).

Fixpoint truth (f : formula) (i : nat) : bool :=
  match f with
  | Truth b => b
  | Symbol a => w i =? a
  | Not f => negb (truth f i)
  | And f g => truth f i && truth g i
  | Or f g => truth f i || truth g i
  | Implies f g => implb (truth f i) (truth g i)
  | Iff f g => eqb (truth f i) (truth g i)
  | Previous f => negb (i =? 1) && truth f (i - 1)
  | Next f => negb (i =? n) && truth f (i + 1)
  | Since f g => since_at (truth f) (truth g) i
  | Until f g => until_at n (truth f) (truth g) i
  | Positional p => predicate_holds p i n
  | OnCount p s f => predicate_holds p (counted_on s n (truth f) i) n
  | OnSum p t => holds_at p (value_of_term t i) n
  | Compare r t u => relation_holds r (value_of_term t i) (value_of_term u i)
  end
with value_of_term (t : term) (i : nat) : Z :=
  match t with
  | Number c => c
  | Plus a s f rest => (a * Z.of_nat (counted_on s n (truth f) i) + value_of_term rest i)%Z
  end.

Definition satisfies (f : formula) (i : nat) : Prop := truth f i = true.

(* ---- Definitions 10, 14 and 19, clause by clause ---- *)
Lemma satisfies_symbol a i : satisfies (Symbol a) i <-> w i = a. Proof. apply Nat.eqb_eq. Qed.
Lemma satisfies_not f i : satisfies (Not f) i <-> ~ satisfies f i.
Proof. unfold satisfies. simpl. destruct (truth f i); simpl; intuition congruence. Qed.
Lemma satisfies_and f g i : satisfies (And f g) i <-> satisfies f i /\ satisfies g i. Proof. apply andb_true_iff. Qed.
Lemma satisfies_or f g i : satisfies (Or f g) i <-> satisfies f i \/ satisfies g i. Proof. apply orb_true_iff. Qed.
Lemma satisfies_implies f g i : satisfies (Implies f g) i <-> (satisfies f i -> satisfies g i).
Proof. unfold satisfies. simpl. destruct (truth f i), (truth g i); simpl; firstorder discriminate. Qed.
Lemma satisfies_iff f g i : satisfies (Iff f g) i <-> (satisfies f i <-> satisfies g i).
Proof. unfold satisfies. simpl. destruct (truth f i), (truth g i); simpl; firstorder discriminate. Qed.
Lemma satisfies_previous f i : satisfies (Previous f) i <-> i <> 1 /\ satisfies f (i - 1).
Proof. unfold satisfies. simpl. rewrite andb_true_iff, negb_true_iff, Nat.eqb_neq. reflexivity. Qed.
Lemma satisfies_next f i : satisfies (Next f) i <-> i <> n /\ satisfies f (i + 1).
Proof. unfold satisfies. simpl. rewrite andb_true_iff, negb_true_iff, Nat.eqb_neq. reflexivity. Qed.

Lemma all_in_seq p a k : forallb p (seq a k) = true <-> forall j, a <= j < a + k -> p j = true.
Proof. rewrite forallb_forall. split; intros H j Hj; apply H, in_seq, Hj. Qed.
Lemma some_in_seq p a k : existsb p (seq a k) = true <-> exists j, a <= j < a + k /\ p j = true.
Proof. rewrite existsb_exists. split; intros (j & I & H); exists j; split; try exact H; now apply in_seq. Qed.

(* Some position with q, and p from there to here: [since_at] and [until_at], their ranges in words of <=. *)
Ltac by_ranges := rewrite some_in_seq; split; intros (j & I & H); exists j; split; try lia;
  rewrite andb_true_iff, all_in_seq in *; (split; [apply H|]); intros k Hk; apply H; lia.

Lemma since_at_iff p q i : since_at p q i = true <->
  exists j, j upto i /\ q j = true /\ forall k, j <= k <= i -> p k = true.
Proof. unfold since_at. by_ranges. Qed.

Lemma until_at_iff p q i : until_at n p q i = true <->
  exists j, i <= j <= n /\ q j = true /\ forall k, i <= k <= j -> p k = true.
Proof. unfold until_at. by_ranges. Qed.

Lemma satisfies_since f g i : satisfies (Since f g) i <->
  exists j, j upto i /\ satisfies g j /\ forall k, j <= k <= i -> satisfies f k.
Proof. apply since_at_iff. Qed.
Lemma satisfies_until f g i : satisfies (Until f g) i <->
  exists j, i <= j <= n /\ satisfies g j /\ forall k, i <= k <= j -> satisfies f k.
Proof. apply until_at_iff. Qed.
(* Definition 19's terms: counts, 1, sums and differences. Every one of them is a sum of multiples of counts. *)
Fixpoint add_number (c : Z) (t : term) : term :=
  match t with Number d => Number (c + d) | Plus a s f rest => Plus a s f (add_number c rest) end.
Local Fixpoint sum_of (t u : term) : term :=
  match t with Number c => add_number c u | Plus a s f rest => Plus a s f (sum_of rest u) end.
Local Fixpoint opposite (t : term) : term :=
  match t with Number c => Number (- c) | Plus a s f rest => Plus (- a) s f (opposite rest) end.
Definition count_term (s : side) (f : formula) : term := Plus 1 s f (Number 0).

Lemma value_add_number c t i : value_of_term (add_number c t) i = (c + value_of_term t i)%Z.
Proof. induction t as [d|a s f rest IH]; cbn [add_number value_of_term]; [reflexivity|]. rewrite IH. lia. Qed.
Lemma value_sum t u i : value_of_term (sum_of t u) i = (value_of_term t i + value_of_term u i)%Z.
Proof. induction t as [c|a s f rest IH]; cbn [sum_of value_of_term]; [apply value_add_number|]. rewrite IH. lia. Qed.
Lemma value_difference t u i : value_of_term (sum_of t (opposite u)) i = (value_of_term t i - value_of_term u i)%Z.
Proof.
  rewrite value_sum. enough (E : value_of_term (opposite u) i = (- value_of_term u i)%Z) by lia.
  induction u as [c|a s f rest IH]; cbn [opposite value_of_term]; [reflexivity|]. rewrite IH. lia.
Qed.
Lemma value_count s f i : value_of_term (count_term s f) i = Z.of_nat (counted_on s n (truth f) i).
Proof. cbn [count_term value_of_term]. lia. Qed.
Lemma satisfies_positional p i : satisfies (Positional p) i <-> predicate_holds p i n = true. Proof. reflexivity. Qed.
Lemma satisfies_on_count p s f i : satisfies (OnCount p s f) i <-> predicate_holds p (counted_on s n (truth f) i) n =
  true.
Proof. reflexivity. Qed.
Lemma satisfies_on_sum p t i : satisfies (OnSum p t) i <-> holds_at p (value_of_term t i) n = true.
Proof. reflexivity. Qed.
Lemma satisfies_compare r t u i : satisfies (Compare r t u) i <-> relation_holds r (value_of_term t i) (value_of_term u
  i) = true.
Proof. reflexivity. Qed.
End Word.

(* A count is a sum. *)
Lemma holds_at_count p k n : holds_at p (Z.of_nat k) n = predicate_holds p k n.
Proof.
  assert (E : forall a b, Z.eqb (Z.of_nat a) (Z.of_nat b) = (a =? b)).
  { intros a b. destruct (Nat.eqb_spec a b) as [->|N]; [apply Z.eqb_refl|]. apply Z.eqb_neq. lia. }
  destruct p; cbn [holds_at predicate_holds]; rewrite ?Nat2Z.id; try reflexivity; try exact (E _ _).
  - symmetry. apply eq_true_iff_eq. rewrite Nat.odd_spec, Z.odd_spec.
    split; intros [m H]; [exists (Z.of_nat m); lia|]. exists (Z.to_nat m). lia.
  - symmetry. apply eq_true_iff_eq. rewrite Nat.even_spec, Z.even_spec.
    split; intros [m H]; [exists (Z.of_nat m); lia|]. exists (Z.to_nat m). lia.
  - exact (E k 1).
  - now rewrite (proj2 (Z.leb_le 0 (Z.of_nat k)) (Zle_0_nat k)).
  - now rewrite (proj2 (Z.leb_le 0 (Z.of_nat k)) (Zle_0_nat k)).
  - now rewrite (proj2 (Z.leb_le 0 (Z.of_nat k)) (Zle_0_nat k)).
  - rewrite <- Nat2Z.inj_mod. apply E.
Qed.
End Meaning.

(* ---- counting ---- *)
Lemma filter_shorter {X} (p : X -> bool) l : length (filter p l) <= length l.
Proof. induction l as [|x l IH]; simpl; [lia|]. destruct (p x); simpl; lia. Qed.

Lemma filter_ext_on {X} (p q : X -> bool) l : (forall x, In x l -> p x = q x) -> filter p l = filter q l.
Proof.
  induction l as [|x l IH]; intros H; [reflexivity|]. simpl. rewrite (H x (or_introl eq_refl)), IH; [reflexivity|].
  intros y Hy. apply H. now right.
Qed.

(* Reading outside 1, ..., n changes nothing: two truth sequences that agree there are counted alike. *)
Lemma counted_ext s n p q i : (each j upto n, p j = q j) -> i upto n -> counted_on s n p i = counted_on s n q i.
Proof.
  intros H Hi. unfold counted_on. f_equal. apply filter_ext_on. intros j Hj. apply H.
  destruct s; apply in_seq in Hj; lia.
Qed.

(* ---- formulas as data: equality can be computed ---- *)
Definition side_eqb (s t : side) : bool :=
  match s, t with ToLeft, ToLeft | ToRight, ToRight => true | _, _ => false end.
Definition relation_eqb (r q : relation) : bool :=
  match r, q with
  | AtMost, AtMost | Below, Below | AtLeast, AtLeast | Above, Above | Equal, Equal | Unequal, Unequal => true
  | _, _ => false
  end.
Definition predicate_eqb (p q : predicate) : bool :=
  match p, q with
  | ODD, ODD | EVEN, EVEN | FIRST, FIRST | LAST, LAST | SQUARE, SQUARE | POW2, POW2 | PRIME, PRIME => true
  | MOD m r, MOD m' r' => (m =? m') && (r =? r')
  | User a, User b => a =? b
  | _, _ => false
  end.

Fixpoint formula_eqb (f g : formula) : bool :=
  match f, g with
  | Truth b, Truth c => eqb b c
  | Symbol a, Symbol b => a =? b
  | Not f, Not g | Previous f, Previous g | Next f, Next g => formula_eqb f g
  | And f f', And g g' | Or f f', Or g g' | Implies f f', Implies g g' | Iff f f', Iff g g'
  | Since f f', Since g g' | Until f f', Until g g' => formula_eqb f g && formula_eqb f' g'
  | Positional p, Positional q => predicate_eqb p q
  | OnCount p s f, OnCount q t g => predicate_eqb p q && side_eqb s t && formula_eqb f g
  | OnSum p t, OnSum q u => predicate_eqb p q && term_eqb t u
  | Compare r t u, Compare q t' u' => relation_eqb r q && term_eqb t t' && term_eqb u u'
  | _, _ => false
  end
with term_eqb (t u : term) : bool :=
  match t, u with
  | Number c, Number d => Z.eqb c d
  | Plus a s f t, Plus b s' g u => Z.eqb a b && side_eqb s s' && formula_eqb f g && term_eqb t u
  | _, _ => false
  end.

Lemma side_eqb_eq s t : side_eqb s t = true -> s = t. Proof. now destruct s, t. Qed.
Lemma relation_eqb_eq r q : relation_eqb r q = true -> r = q. Proof. now destruct r, q. Qed.
Lemma predicate_eqb_eq p q : predicate_eqb p q = true -> p = q.
Proof.
  destruct p, q; simpl; intros H; try discriminate; try reflexivity.
  - apply andb_prop in H as [A B]. apply Nat.eqb_eq in A, B. now subst.
  - apply Nat.eqb_eq in H. now subst.
Qed.

Lemma formula_term_eqb_eq : (forall f g, formula_eqb f g = true -> f = g) /\ (forall t u, term_eqb t u = true -> t = u).
Proof.
  apply formula_term_mutual; intros; match goal with H : _ ?x ?y = true |- _ = ?y => destruct y end; simpl in *;
    try discriminate; repeat match goal with H : (_ && _)%bool = true |- _ => apply andb_prop in H; destruct H end;
    f_equal; auto using eqb_prop, side_eqb_eq, relation_eqb_eq, predicate_eqb_eq; try (now apply Nat.eqb_eq);
    now apply Z.eqb_eq.
Qed.
Lemma formula_eqb_eq f g : formula_eqb f g = true -> f = g. Proof. apply formula_term_eqb_eq. Qed.
Lemma term_eqb_eq t u : term_eqb t u = true -> t = u. Proof. apply formula_term_eqb_eq. Qed.
