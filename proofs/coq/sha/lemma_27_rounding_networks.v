(* [SHA] Lemma 27: feed-forward networks that round to p bits have (2m)^l >= 2^p, for l layers of width m.

   Proved: a network R -> R of l layers of at most m ReLUs is affine off at most (m+1)^l - 1 points, so it has at most
   (2m)^l pieces; and if between any two neighbours of n numbers there is another number of the domain, a network that
   leaves the n numbers as they are and rounds the others to some of them has n <= (2m)^l: the lemma, with the condition
   that it needs, whichever way ties go. Refuted: without the condition (integers of p bits and of more: one ReLU does
   it), and the step of the printed proof that finds a number between the least two that are rounded to neighbours. *)
From Coq Require Import Reals List Bool Lra Lia Arith Classical.
From Certify Require Import lists relu.
Import ListNotations.
Open Scope R_scope.

(* ---- networks from R to R: a unit has a weight for each unit below it, and a bias ---- *)
Definition unit_of := (list R * R)%type.
Fixpoint combination_of (ws : list R) (fs : list (R -> R)) (x : R) : R :=
  match ws, fs with w :: ws, f :: fs => w * f x + combination_of ws fs x | _, _ => 0 end.
Local Definition preactivation (u : unit_of) (fs : list (R -> R)) (x : R) : R := combination_of (fst u) fs x + snd u.
Definition relu_layer (fs : list (R -> R)) (us : list unit_of) : list (R -> R) :=
  map (fun u x => relu (preactivation u fs x)) us.
Record relu_network := ReluNetwork { hidden : list (list unit_of); output : unit_of }.
Definition function_of (N : relu_network) : R -> R :=
  preactivation (output N) (fold_left relu_layer (hidden N) [fun x => x]).
Definition width_at_most (m : nat) (N : relu_network) : Prop := forall us, In us (hidden N) -> (length us <= m)%nat.

(* ---- affine off finitely many points: one piece more than there are points ---- *)
Definition affine_on (f : R -> R) (a b : R) : Prop := exists s c, forall x, a <= x <= b -> f x = s * x + c.
Local Definition clear (B : list R) (a b : R) : Prop := forall t, In t B -> ~ (a < t < b).
Definition affine_off (B : list R) (f : R -> R) : Prop := forall a b, a < b -> clear B a b -> affine_on f a b.

Lemma clear_incl B B' a b : incl B B' -> clear B' a b -> clear B a b. Proof. intros I H t T. now apply H, I. Qed.
Lemma affine_off_incl B B' f : incl B B' -> affine_off B f -> affine_off B' f.
Proof. intros I H a b L C. apply H; [exact L|]. now apply (clear_incl B B'). Qed.

Lemma combination_affine B ws fs : (forall f, In f fs -> affine_off B f) -> affine_off B (combination_of ws fs).
Proof.
  revert fs. induction ws as [|w ws IH]; intros [|f fs] H a b L C; try (exists 0, 0; intros; simpl; lra).
  destruct (H f (or_introl eq_refl) a b L C) as (s & c & E).
  destruct (IH fs (fun g G => H g (or_intror G)) a b L C) as (s' & c' & E').
  exists (w * s + s'), (w * c + c'). intros x Hx. simpl. rewrite (E x Hx), (E' x Hx). ring.
Qed.
Lemma preactivation_affine B u fs : (forall f, In f fs -> affine_off B f) -> affine_off B (preactivation u fs).
Proof.
  intros H a b L C. destruct (combination_affine B (fst u) fs H a b L C) as (s & c & E).
  exists s, (c + snd u). intros x Hx. unfold preactivation. rewrite (E x Hx). ring.
Qed.

(* ---- a ReLU adds one point per piece: where its argument is 0 ---- *)
(* z is a zero in the piece that begins at t, or in the first piece. *)
Local Definition begins (B : list R) (t : option R) (z : R) : Prop :=
  match t with Some t => t < z /\ clear B t z | None => forall s, In s B -> z <= s end.
Local Definition starts (B : list R) : list (option R) := None :: map Some B.

Local Lemma choose_each {X} (P : X -> R -> Prop) (l : list X) : exists zs, length zs = length l /\
  forall t z, In t l -> P t z -> exists z', In z' zs /\ P t z'.
Proof.
  induction l as [|t l (zs & L & H)]; [exists []; split; [reflexivity|easy]|].
  destruct (classic (exists z, P t z)) as [(z & Z)|N].
  - exists (z :: zs). split; [simpl; now rewrite L|]. intros t' z' [<-|I] P'.
    + exists z. split; [now left|exact Z].
    + destruct (H t' z' I P') as (y & Y & Q). exists y. split; [now right|exact Q].
  - exists (0 :: zs). split; [simpl; now rewrite L|]. intros t' z' [<-|I] P'.
    + exfalso. apply N. now exists z'.
    + destruct (H t' z' I P') as (y & Y & Q). exists y. split; [now right|exact Q].
Qed.

(* The last point of B that is not behind a. *)
Lemma last_before (B : list R) a : (forall t, In t B -> a < t) \/
  exists t, In t B /\ t <= a /\ forall s, In s B -> s <= a -> s <= t.
Proof.
  induction B as [|t B [N|(s & S & Sa & M)]]; [now left| |].
  - destruct (Rle_lt_dec t a) as [L|L].
    + right. exists t. split; [now left|]. split; [exact L|]. intros s [->|I] Hs; [lra|]. specialize (N s I). lra.
    + left. intros s [->|I]; [exact L|now apply N].
  - right. destruct (Rle_lt_dec t a) as [L|L]; [destruct (Rle_lt_dec t s) as [L'|L']|].
    + exists s. split; [now right|]. split; [exact Sa|]. intros r [->|I] Hr; [exact L'|now apply M].
    + exists t. split; [now left|]. split; [exact L|]. intros r [->|I] Hr; [lra|]. specialize (M r I Hr). lra.
    + exists s. split; [now right|]. split; [exact Sa|]. intros r [->|I] Hr; [lra|now apply M].
Qed.

(* Every interval off B lies in one piece, whose zeros, if isolated, are one. *)
Lemma one_zero B f a b x : affine_off B f -> clear B a b -> a < x < b -> f x = 0 -> (exists y, a <= y <= b /\
  f y <> 0) -> exists t, In t (starts B) /\ begins B t x /\ forall z, begins B t z -> f z = 0 -> z = x.
Proof.
  intros A C X F (y & Y & Fy).
  assert (Same : forall z lo hi, lo < hi -> clear B lo hi -> lo <= a -> b <= hi -> lo <= z <= hi -> f z = 0 -> z = x).
  { intros z lo hi L D La Lb Z Fz. destruct (A lo hi L D) as (s & c & E). pose proof (E x ltac:(lra)) as Ex.
    pose proof (E y ltac:(lra)) as Ey. pose proof (E z Z) as Ez. destruct (Req_dec s 0) as [->|S]; [exfalso; lra|].
    apply (Rmult_eq_reg_l s); [|exact S]. lra. }
  destruct (last_before B a) as [N|(t & T & Ta & M)].
  - exists None. split; [now left|]. assert (Nb : forall s, In s B -> b <= s).
    { intros s S. specialize (N s S). specialize (C s S). destruct (Rle_lt_dec b s); [assumption|]. exfalso. apply C.
      lra. }
    split; [intros s S; specialize (Nb s S); lra|]. intros z Z Fz. apply (Same z (Rmin a z) (Rmax b z)); try assumption.
    + pose proof (Rmin_l a z). pose proof (Rmax_l b z). lra.
    + intros s S [L1 L2]. specialize (Nb s S). specialize (Z s S). apply (Rlt_not_le _ _ L2). now apply Rmax_lub.
    + apply Rmin_l.
    + apply Rmax_l.
    + split; [apply Rmin_r|apply Rmax_r].
  - exists (Some t). split; [right; now apply in_map|]. assert (Ct : clear B t b).
    { intros s S [L1 L2]. destruct (Rle_lt_dec s a) as [L|L]; [specialize (M s S L); lra|]. apply (C s S). lra. }
    split; [split; [lra|intros s S [L1 L2]; apply (Ct s S); lra]|]. intros z [Z1 Z2] Fz.
    apply (Same z t (Rmax b z)); try assumption.
    + pose proof (Rmax_l b z). lra.
    + intros s S [L1 L2]. destruct (Rle_lt_dec b s) as [L|L]; [|apply (Ct s S); lra].
      destruct (Rle_lt_dec z s) as [L'|L']; [|apply (Z2 s S); lra]. apply (Rlt_not_le _ _ L2). now apply Rmax_lub.
    + apply Rmax_l.
    + split; [lra|apply Rmax_r].
Qed.

Lemma relu_affine s c a b : a < b -> (forall x, a < x < b -> s * x + c = 0 -> s * a + c = 0 /\ s * b + c = 0) ->
  (forall x, a <= x <= b -> 0 <= s * x + c) \/ (forall x, a <= x <= b -> s * x + c <= 0).
Proof.
  intros L H. destruct (Rle_lt_dec 0 (s * a + c)) as [A|A], (Rle_lt_dec 0 (s * b + c)) as [B|B].
  - left. intros x Hx. destruct (Rle_lt_dec 0 s); nra.
  - destruct (Req_dec (s * a + c) 0) as [Z|Z]; [right; intros x Hx; assert (s < 0) by nra; nra|]. exfalso.
    assert (S : s < 0) by nra. destruct (H (- c / s)) as [Ha _]; [|field; lra|lra].
    assert (E : s * (- c / s) = - c) by (field; lra). split; nra.
  - destruct (Req_dec (s * b + c) 0) as [Z|Z]; [right; intros x Hx; assert (0 < s) by nra; nra|]. exfalso.
    assert (S : 0 < s) by nra. destruct (H (- c / s)) as [_ Hb]; [|field; lra|lra].
    assert (E : s * (- c / s) = - c) by (field; lra). split; nra.
  - right. intros x Hx. destruct (Rle_lt_dec 0 s); nra.
Qed.

Lemma relu_breaks B f : affine_off B f ->
  exists zs, length zs = S (length B) /\ affine_off (B ++ zs) (fun x => relu (f x)).
Proof.
  intros A. destruct (choose_each (fun t z => begins B t z /\ f z = 0) (starts B)) as (zs & L & H). exists zs.
  split; [rewrite L; unfold starts; simpl; now rewrite length_map|]. intros a b Lab C.
  assert (CB : clear B a b) by (apply (clear_incl B (B ++ zs)); [apply incl_appl, incl_refl|exact C]).
  destruct (A a b Lab CB) as (s & c & E).
  assert (Z : forall x, a < x < b -> s * x + c = 0 -> s * a + c = 0 /\ s * b + c = 0).
  { intros x X Zx. destruct (Req_dec s 0) as [->|S]; [lra|]. exfalso.
    assert (Fx : f x = 0) by (rewrite E by lra; exact Zx). destruct (one_zero B f a b x A CB X) as (t & T & Bx & U).
    - exact Fx.
    - exists a. split; [lra|]. rewrite E by lra. intros Za. apply S. apply (Rmult_eq_reg_r (x - a)); lra.
    - destruct (H t x T (conj Bx Fx)) as (z & Iz & Bz & Fz). rewrite (U z Bz Fz) in Iz.
      apply (C x); [apply in_or_app; now right|exact X]. }
  destruct (relu_affine s c a b Lab Z) as [P|N].
  - exists s, c. intros x Hx. rewrite E by exact Hx. apply relu_linear. now apply P.
  - exists 0, 0. intros x Hx. rewrite E by exact Hx. rewrite relu_zero by now apply N. lra.
Qed.

(* ---- a layer of m ReLUs makes at most m + 1 pieces of each ---- *)
Lemma layer_breaks B fs us : (forall f, In f fs -> affine_off B f) -> exists zs,
  length zs = (length us * S (length B))%nat /\ forall f, In f (relu_layer fs us) -> affine_off (B ++ zs) f.
Proof.
  intros H. induction us as [|u us (zs & L & A)]; [exists []; split; [reflexivity|easy]|].
  destruct (relu_breaks B (preactivation u fs) (preactivation_affine B u fs H)) as (ys & Ly & Ay).
  exists (ys ++ zs). split; [rewrite length_app; simpl; lia|]. intros f [<-|I].
  - apply (affine_off_incl (B ++ ys)); [|exact Ay]. rewrite app_assoc. apply incl_appl, incl_refl.
  - apply (affine_off_incl (B ++ zs)); [|now apply A]. apply incl_app; [apply incl_appl, incl_refl|].
    apply incl_appr, incl_appr, incl_refl.
Qed.

Lemma layers_break m uss : (forall us, In us uss -> (length us <= m)%nat) -> forall B fs,
  (forall f, In f fs -> affine_off B f) -> exists B', (S (length B') <= S (length B) * (m + 1) ^ length uss)%nat /\
  forall f, In f (fold_left relu_layer uss fs) -> affine_off B' f.
Proof.
  induction uss as [|us uss IH]; intros W B fs H; [exists B; split; [simpl; lia|exact H]|].
  destruct (layer_breaks B fs us H) as (zs & L & A).
  destruct (IH (fun vs V => W vs (or_intror V)) (B ++ zs) (relu_layer fs us) A) as (B' & L' & A').
  exists B'. split; [|exact A']. eapply Nat.le_trans; [exact L'|]. cbn [length Nat.pow]. rewrite Nat.mul_assoc.
  apply Nat.mul_le_mono_r. rewrite length_app, L. specialize (W us (or_introl eq_refl)). nia.
Qed.

(* Telgarsky's lemma; the number of pieces is one more than that of the points. *)
Theorem few_pieces N m : (1 <= m)%nat -> width_at_most m N -> exists B,
  affine_off B (function_of N) /\ (S (length B) <= (2 * m) ^ length (hidden N))%nat.
Proof.
  intros M W. destruct (layers_break m (hidden N) W [] [fun x => x]) as (B & L & A).
  { intros f [<-|[]] a b _ _. exists 1, 0. intros; lra. }
  exists B. split; [now apply preactivation_affine|]. cbn [length] in L. rewrite Nat.mul_1_l in L.
  eapply Nat.le_trans; [exact L|]. apply Nat.pow_le_mono_l. lia.
Qed.

(* ---- rounding takes many pieces ---- *)
Section Rounding.
Variables (n : nat) (y z : nat -> R) (f : R -> R).
Hypothesis Between : forall j, (S j < n)%nat -> y j < z j < y (S j).
Hypothesis Fixed : forall j, (j < n)%nat -> f (y j) = y j.
Hypothesis Rounds : forall j, (S j < n)%nat -> exists k, (k < n)%nat /\ f (z j) = y k.

Local Lemma increasing k : forall j, (j <= k)%nat -> (k < n)%nat -> y j <= y k.
Proof.
  induction k as [|k IH]; intros j L K; [replace j with 0%nat by lia; lra|].
  destruct (Nat.eq_dec j (S k)) as [->|N]; [lra|]. specialize (IH j ltac:(lia) ltac:(lia)).
  pose proof (Between k K). lra.
Qed.

Lemma break_between B j : affine_off B f -> (S j < n)%nat -> exists t, In t B /\ y j < t < y (S j).
Proof.
  intros A J. apply NNPP. intros N. pose proof (Between j J) as [Z1 Z2].
  destruct (A (y j) (y (S j)) ltac:(lra)) as (s & c & E).
  { intros t T L. apply N. now exists t. }
  pose proof (E (y j) ltac:(lra)) as E1. pose proof (E (y (S j)) ltac:(lra)) as E2.
  pose proof (E (z j) ltac:(lra)) as E3. rewrite Fixed in E1, E2 by lia. destruct (Rounds j J) as (k & K & R).
  rewrite R in E3. assert (S1 : s = 1) by (apply (Rmult_eq_reg_r (y (S j) - y j)); lra). subst s.
  destruct (Nat.le_gt_cases k j) as [L|L]; [pose proof (increasing j k L ltac:(lia))|
    pose proof (increasing k (S j) L K)]; lra.
Qed.

Lemma many_breaks B : affine_off B f -> forall k, (k < n)%nat -> exists l,
  length l = k /\ NoDup l /\ incl l B /\ forall t, In t l -> t < y k.
Proof.
  intros A. induction k as [|k IH]; intros K; [exists []; repeat split; try constructor; easy|].
  destruct (IH ltac:(lia)) as (l & L & ND & I & M). destruct (break_between B k A K) as (t & T & Y1 & Y2).
  exists (t :: l). split; [simpl; now rewrite L|]. split; [constructor; [intros H; specialize (M t H); lra|exact ND]|].
  split; [intros s [<-|S]; [exact T|now apply I]|]. intros s [<-|S]; [exact Y2|]. specialize (M s S). lra.
Qed.

Theorem rounding_takes_pieces B : affine_off B f -> (n <= S (length B))%nat.
Proof.
  intros A. destruct (Nat.eq_dec n 0) as [E|E]; [lia|].
  destruct (many_breaks B A (n - 1)) as (l & L & ND & I & _); [lia|]. pose proof (NoDup_incl_length ND I). lia.
Qed.
End Rounding.

(* y: the n = 2^p numbers of p bits, in order; z j: a number of p' bits between y j and the next. *)
Theorem lemma_27 N m n y z : (1 <= m)%nat -> width_at_most m N -> (forall j, (S j < n)%nat -> y j < z j < y (S j)) ->
  (forall j, (j < n)%nat -> function_of N (y j) = y j) -> (forall j, (S j < n)%nat -> exists k, (k < n)%nat /\
  function_of N (z j) = y k) -> (n <= (2 * m) ^ length (hidden N))%nat.
Proof.
  intros M W Between Fixed Rounds. destruct (few_pieces N m M W) as (B & A & L).
  pose proof (rounding_takes_pieces n y z _ Between Fixed Rounds B A). lia.
Qed.

(* As printed, for any numbers: integers of p' bits to the nearest integer of p bits, by one ReLU. *)
Definition one_relu (g : R) : relu_network := ReluNetwork [[([-1], g)]] ([-1], g).

Theorem lemma_27_integers p : (2 <= p)%nat -> let g := INR (2 ^ p - 1) in width_at_most 1 (one_relu g) /\ ((2 * 1) ^
  length (hidden (one_relu g)) < 2 ^ p)%nat /\ forall x, function_of (one_relu g) (INR x) = INR (Nat.min x (2 ^ p - 1)).
Proof.
  intros P g. split; [intros us [<-|[]]; simpl; lia|]. split.
  - cbn [length hidden one_relu Nat.pow]. assert (2 ^ 2 <= 2 ^ p)%nat by (apply Nat.pow_le_mono_r; lia). simpl in *.
    lia.
  - intros x. unfold function_of, one_relu, preactivation. cbn. unfold preactivation. cbn. rewrite !Rplus_0_r. unfold g.
    destruct (Nat.le_gt_cases x (2 ^ p - 1)) as [L|L].
    + rewrite Nat.min_l by exact L. apply le_INR in L. rewrite relu_linear; lra.
    + rewrite Nat.min_r by lia. assert (INR (2 ^ p - 1) <= INR x) by (apply le_INR; lia). rewrite relu_zero; lra.
Qed.

(* The step of the printed proof, with ties to even, 3 bits to 2: nothing lies between the least numbers that are
   rounded to 2 and to 4. *)
Definition ties_to_even (x : nat) : nat := nth x [0; 0; 2; 4; 4; 4; 6; 6]%nat 0%nat.
Theorem lemma_27_proof_step : let least y x := ties_to_even x = y /\ forall x', ties_to_even x' = y -> (x <= x')%nat in
  least 2%nat 2%nat /\ least 4%nat 3%nat /\ ~ exists x, (2 < x < 3)%nat.
Proof.
  cbv zeta. split; [|split; [|intros (x & X); lia]]; (split; [reflexivity|]); intros x H;
    do 8 (destruct x as [|x]; [cbn in H; try discriminate; lia|]); destruct x; discriminate.
Qed.
