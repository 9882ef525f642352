(* Heads that break a stick (geometric and stick-breaking attention), at every length and row up to a bound.

   Before the row nothing is held; with every letter of score z and value v that is read towards the row, o becomes
   (1 - sigmoid(z)) o + sigmoid(z) v (weighing.v, `attend_as_held`). What a head with one memory makes of all letters
   that lead to one truth of this memory lies between two numbers, since that is linear in o, growing, and linear in
   sigmoid(z): `follow` keeps these two, rounded outward, and compares them with the truth at every row
   (docs/background/obligations.md, Attention head, 8). The row itself weighs nothing, so the memory is that of the
   position before it: `prev` of the remembered truth. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia Arith.
From Certify Require Import positions lists finite_sums softmax weighing exponential exp_enclosure relu
  lemma_09_rounding formula network meaning linear_combination cases theorem_15_since_until check_feedforward
  check_by_cases gap_rule values_by_rows queries_by_rows check_by_rows.
Import ListNotations PositionNotations.
Open Scope R_scope.

#[local] Hint Resolve score_bits_nonneg : core.
Notation value_ends := (Z * Z)%type.
Definition ends_contain (o : value_ends) (x : R) : Prop := score_value (fst o) <= x <= score_value (snd o).

(* A number, exactly if it is a multiple of 2^-80. *)
Definition enclosed_rational (q : Q) : value_ends :=
  let z := Z.shiftl (Qnum q) score_bits in (z / Zpos (Qden q), ceiling_div z (Zpos (Qden q)))%Z.
Lemma closely_inside q : ends_contain (enclosed_rational q) (Q2R q).
Proof.
  unfold ends_contain, enclosed_rational. cbn [fst snd]. rewrite Z.shiftl_mul_pow2 by easy. set (d := Zpos (Qden q)).
  pose proof (u_pos score_bits score_bits_nonneg) as U. assert (D : 0 < IZR d) by (apply IZR_lt; reflexivity).
  assert (E : Q2R q = IZR (Qnum q * 2 ^ score_bits) / IZR d / IZR (2 ^ score_bits)) by (unfold Q2R; rewrite mult_IZR;
    fold d; field; lra). rewrite E.
  split; (apply Rmult_le_compat_r; [now apply inverse_nonneg|]); [now apply floor_div_le|]. now apply ceiling_div_ge.
Qed.

(* ---- the sigmoid ---- *)
Local Notation whole := (fixed_unit score_bits).
Definition falls_short (y : Z) : Z := (whole * whole / (whole + decay_above score_bits y))%Z.
Definition goes_beyond (y : Z) : Z := ceiling_div (whole * whole) (whole + Z.max 0 (decay_below score_bits y)).
Definition sigmoid_below (z : Z) : Z := if (0 <=? z)%Z then falls_short z else (whole - goes_beyond (- z))%Z.
Definition sigmoid_above (z : Z) : Z := (whole - sigmoid_below (- z))%Z.

Lemma whole_pos : (0 < whole)%Z. Proof. reflexivity. Qed.
Lemma score_whole : score_value whole = 1. Proof. now apply fixed_one. Qed.
Lemma quotient_of_shares d : (0 < d)%Z -> IZR (whole * whole) / IZR d / IZR (2 ^ score_bits) = / score_value d.
Proof.
  intros D. apply IZR_lt in D. pose proof (u_pos score_bits score_bits_nonneg). unfold fixed.
  rewrite mult_IZR, one_power by auto. field. lra.
Qed.
Lemma falls_short_correct y : (0 <= y)%Z -> score_value (falls_short y) <= sigmoid (score_value y).
Proof.
  intros Y. pose proof (decay_above_correct score_bits score_bits_nonneg _ Y) as E.
  set (e := decay_above score_bits y) in *.
  assert (E0 : 0 < score_value e) by (eapply Rlt_le_trans; [apply exp_pos|exact E]). assert (P : (0 < whole + e)%Z).
  { apply lt_IZR. apply Rmult_lt_reg_r with (/ IZR (2 ^ score_bits)); [apply Rinv_0_lt_compat, u_pos; auto|].
    fold (score_value (whole + e)). rewrite Rmult_0_l. change (0 < score_value (whole + e)).
    rewrite fixed_plus, score_whole. lra. }
  apply Rle_trans with (/ score_value (whole + e)).
  - rewrite <- quotient_of_shares by exact P. apply Rmult_le_compat_r; [apply inverse_nonneg, u_pos; auto|].
    now apply floor_div_le.
  - unfold sigmoid. rewrite fixed_plus, score_whole. pose proof (exp_pos (- score_value y)).
    apply Rinv_le_contravar; lra.
Qed.
Lemma goes_beyond_correct y : (0 <= y)%Z -> sigmoid (score_value y) <= score_value (goes_beyond y).
Proof.
  intros Y. pose proof (decay_below_correct score_bits score_bits_nonneg _ Y) as E. unfold goes_beyond.
  set (e := Z.max 0 (decay_below score_bits y)). assert (E0 : (0 <= e)%Z) by apply Z.le_max_l.
  assert (E1 : score_value e <= exp (- score_value y)).
  { unfold e. pose proof (exp_pos (- score_value y)).
    destruct (Z.max_spec 0 (decay_below score_bits y)) as [[_ ->]|[_ ->]]; [|rewrite fixed_0]; lra. }
  assert (P : (0 < whole + e)%Z) by (pose proof whole_pos; lia). apply (fixed_nonneg score_bits) in E0; [|auto].
  apply Rle_trans with (/ score_value (whole + e)).
  - unfold sigmoid. rewrite fixed_plus, score_whole. apply Rinv_le_contravar; lra.
  - rewrite <- quotient_of_shares by exact P. apply Rmult_le_compat_r; [apply inverse_nonneg, u_pos; auto|].
    now apply ceiling_div_ge.
Qed.
Lemma sigmoid_below_correct z : score_value (sigmoid_below z) <= sigmoid (score_value z).
Proof.
  unfold sigmoid_below. destruct (Z.leb_spec 0 z); [now apply falls_short_correct|].
  pose proof (goes_beyond_correct (- z) ltac:(lia)) as G. rewrite fixed_opp, sigmoid_opp in G.
  rewrite fixed_minus, score_whole. lra.
Qed.
Lemma sigmoid_above_correct z : sigmoid (score_value z) <= score_value (sigmoid_above z).
Proof.
  unfold sigmoid_above. pose proof (sigmoid_below_correct (- z)) as B. rewrite fixed_opp, sigmoid_opp in B.
  rewrite fixed_minus, score_whole. lra.
Qed.

(* ---- one more letter ---- *)
Local Definition mixed (s o v : Z) : Z := ((whole - s) * o + s * v)%Z.
Local Definition advance (s v o : value_ends) : value_ends :=
  (Z.shiftr (Z.min (mixed (fst s) (fst o) (fst v)) (mixed (snd s) (fst o) (fst v))) score_bits,
   rounded_up (Z.max (mixed (fst s) (snd o) (snd v)) (mixed (snd s) (snd o) (snd v))) score_bits).

Local Notation unit_2 := (IZR (2 ^ score_bits)).
Lemma mixed_value s o v : IZR (mixed s o v) / unit_2 / unit_2 = score_value o + score_value s * (score_value v -
  score_value o).
Proof.
  pose proof (u_pos score_bits score_bits_nonneg). unfold mixed, fixed.
  rewrite plus_IZR, !mult_IZR, minus_IZR, one_power by auto. field. lra.
Qed.
Lemma mixed_least p q s o v : score_value p <= s <= score_value q ->
  IZR (Z.min (mixed p o v) (mixed q o v)) / unit_2 / unit_2 <= score_value o + s * (score_value v - score_value o).
Proof.
  intros [P Q]. pose proof (u_pos score_bits score_bits_nonneg) as U.
  assert (L : forall x y, (x <= y)%Z -> IZR x / unit_2 / unit_2 <= IZR y / unit_2 / unit_2).
  { intros x y H. apply IZR_le in H. repeat apply Rmult_le_compat_r; try (now apply inverse_nonneg). exact H. }
  destruct (Rle_dec 0 (score_value v - score_value o)) as [D|D].
  - eapply Rle_trans; [apply L, Z.le_min_l|]. rewrite mixed_value. pose proof (Rmult_le_compat_r _ _ _ D P). lra.
  - eapply Rle_trans; [apply L, Z.le_min_r|]. rewrite mixed_value.
    pose proof (Rmult_le_compat_r (score_value o - score_value v) _ _ ltac:(lra) Q). lra.
Qed.
Lemma mixed_greatest p q s o v : score_value p <= s <= score_value q ->
  score_value o + s * (score_value v - score_value o) <= IZR (Z.max (mixed p o v) (mixed q o v)) / unit_2 / unit_2.
Proof.
  intros B. pose proof (mixed_least p q s (- o) (- v) B) as M. rewrite !fixed_opp in M.
  replace (Z.min (mixed p (- o) (- v)) (mixed q (- o) (- v))) with (- Z.max (mixed p o v) (mixed q o v))%Z in M
    by (unfold mixed; lia). rewrite opp_IZR in M. unfold Rdiv in *. rewrite !Ropp_mult_distr_l_reverse in M. lra.
Qed.
Lemma advance_correct s v o x y z : ends_contain s x -> 0 <= x <= 1 -> ends_contain v y -> ends_contain o z ->
  ends_contain (advance s v o) ((1 - x) * z + x * y).
Proof.
  intros S X [V1 V2] [O1 O2]. unfold ends_contain, advance. cbn [fst snd].
  assert (G : forall a b, a <= z -> b <= y -> a + x * (b - a) <= (1 - x) * z + x * y).
  { intros a b A B. pose proof (Rmult_le_compat_l (1 - x) a z ltac:(lra) A).
    pose proof (Rmult_le_compat_l x b y ltac:(lra) B). lra. }
  assert (F : forall a b, z <= a -> y <= b -> (1 - x) * z + x * y <= a + x * (b - a)).
  { intros a b A B. pose proof (Rmult_le_compat_l (1 - x) z a ltac:(lra) A).
    pose proof (Rmult_le_compat_l x y b ltac:(lra) B). lra. }
  pose proof (u_pos score_bits score_bits_nonneg) as U. split.
  - eapply Rle_trans; [|exact (G _ _ O1 V1)]. eapply Rle_trans; [|exact (mixed_least _ _ x _ _ S)].
    apply Rmult_le_compat_r; [now apply inverse_nonneg|]. now apply shiftr_down.
  - eapply Rle_trans; [exact (F _ _ O2 V2)|]. eapply Rle_trans; [exact (mixed_greatest _ _ x _ _ S)|].
    apply Rmult_le_compat_r; [now apply inverse_nonneg|]. now apply rounded_up_ge.
Qed.

(* ---- what may be held, for each truth of the memory ---- *)
Definition possible_ends := option value_ends.                                         (* None: no word leads there *)
Local Definition hull (e f : possible_ends) : possible_ends :=
  match e, f with
  | Some p, Some q => Some (Z.min (fst p) (fst q), Z.max (snd p) (snd q))
  | Some _, None => e
  | None, _ => f
  end.
Definition may_be (e : possible_ends) (x : R) : Prop := exists o, e = Some o /\ ends_contain o x.
Lemma may_be_left e f x : may_be e x -> may_be (hull e f) x.
Proof.
  intros (o & -> & L & U). destruct f as [q|]; cbn [hull]; eexists; (split; [reflexivity|]); [|now split].
  split; cbn [fst snd]; (eapply Rle_trans; [|eassumption]) || (eapply Rle_trans; [eassumption|]); apply fixed_le; auto;
    lia.
Qed.
Lemma hull_comm e f : hull e f = hull f e.
Proof. destruct e, f; cbn [hull]; [now rewrite Z.min_comm, Z.max_comm|reflexivity..]. Qed.
Lemma may_be_right e f x : may_be f x -> may_be (hull e f) x. Proof. rewrite hull_comm. apply may_be_left. Qed.

Record stick_cell := StickCell { share_taken : value_ends; cell_value : value_ends; cell_brings : option bool }.
Local Definition leads (c : stick_cell) (b : bool) : bool := match cell_brings c with Some x => x | None => b end.
Local Definition memories := (possible_ends * possible_ends)%type.                          (* of false, and of true *)
Definition held_of (st : memories) (b : bool) : possible_ends := if b then snd st else fst st.
Definition goes_on (st : memories) (c : stick_cell) (b' b : bool) : possible_ends :=
  if eqb (leads c b) b' then option_map (advance (share_taken c) (cell_value c)) (held_of st b) else None.
Local Definition reached (cs : list stick_cell) (st : memories) (b : bool) : possible_ends :=
  fold_right (fun c e => hull (hull (goes_on st c b false) (goes_on st c b true)) e) None cs.
Local Definition after (cs : list stick_cell) (st : memories) : memories := (reached cs st false, reached cs st true).

Lemma after_correct cs c st b x y z : In c cs -> ends_contain (share_taken c) x -> 0 <= x <= 1 -> ends_contain
  (cell_value c) y -> may_be (held_of st b) z -> may_be (held_of (after cs st) (leads c b)) ((1 - x) * z + x * y).
Proof.
  intros Hc S X V (o & E & O). assert (G : may_be (goes_on st c (leads c b) b) ((1 - x) * z + x * y)).
  { unfold goes_on. rewrite eqb_reflx, E. eexists. split; [reflexivity|]. now apply advance_correct. }
  replace (held_of (after cs st) (leads c b)) with (reached cs st (leads c b)) by (unfold after;
    now destruct (leads c b)). induction cs as [|c' cs IH]; [destruct Hc|]. cbn [reached fold_right].
  fold (reached cs st (leads c b)). destruct Hc as [->|Hc]; [|apply may_be_right; exact (IH Hc)]. apply may_be_left.
  destruct b; [now apply may_be_right|now apply may_be_left].
Qed.

(* ---- the pass ---- *)
Section Head.
Variables (letters : nat) (A : list meaning) (a : head) (values : row) (k : row_task).
Variable limits : bool -> Z * Z.
Hypothesis Limits : forall t, (0 < fst (limits t))%Z /\ (0 <= snd (limits t))%Z.
Notation letter_of := (letter_of A a values k).
Notation site := (nat * fixed_interval)%type.

Definition cell_of (qs : list fixed_interval) (I : fixed_interval) (l : key_letter) : stick_cell :=
  let K := interval_dot qs (letter_keys l) in
  StickCell (sigmoid_below (fst I + fst K), sigmoid_above (snd I + snd K)) (enclosed_rational (letter_value l))
    (letter_brought l).
Local Definition row_fits (st : memories) : bool :=
  forallb (fun b => match held_of st b with
    | Some o => ((fst (limits b) + snd (limits b)) * (if b then whole - fst o else snd o) <=? snd (limits b) * whole)%Z
    | None => true end) all_bools.

Section Pass.
Variables (table : list (option (list key_letter))) (qs : list fixed_interval) (wanted : nat -> bool).
Definition cells_of (s : site) : option (list stick_cell) := option_map (map (cell_of qs (snd s))) (nth (fst s) table
  None).
(* Those that were asked for last are kept: often all places score alike. *)
Local Definition memo := list (site * list stick_cell).
Definition site_eqb (s t : site) : bool :=
  (fst s =? fst t)%nat && (fst (snd s) =? fst (snd t))%Z && (snd (snd s) =? snd (snd t))%Z.
Local Definition ask (m : memo) (s : site) : option (memo * list stick_cell) :=
  match find (fun e => site_eqb (fst e) s) m with
  | Some e => Some (m, snd e)
  | None => option_map (fun cs => (firstn 8 ((s, cs) :: m), cs)) (cells_of s)
  end.
Local Fixpoint follow (j : nat) (m : memo) (st : memories) (sites : list site) : bool :=
  match sites with
  | [] => true
  | s :: sites =>
      if wanted j && negb (row_fits st) then false else
      match ask m s with Some (m, cs) => follow (S j) m (after cs st) sites | None => false end
  end.
Definition nothing_held : memories := (Some (0, 0)%Z, None).
End Pass.

Definition check_stick_length (table : list (option (list key_letter))) (any_length : bool) (n : nat) : bool :=
  match traverse (site_at A a k n) (seq 1 n) with
  | None => false
  | Some sites =>
      let go (qs : list fixed_interval) wanted sites :=
        follow table qs wanted 1 [] nothing_held (map (fun s => (fst s, interval_dot qs (snd s))) sites) in
      if negb (forallb (fun s => match nth (fst s) table None with Some _ => true | None => false end) sites) then false
      else if query_mentions A a mentions_i then
        all_of (fun j =>
          if guard_off k any_length n j then true else
          match query_at A a n (scanned_place k n j) with
          | Some qs => go qs (Nat.eqb j) (firstn j sites)
          | None => false
          end) (seq 1 n)
      else match query_at A a n 1 with Some qs => go qs (fun j => negb (guard_off k any_length n j)) sites | None =>
        false end
  end.
Definition check_stick_task (L : lengths) : bool := breaks_a_stick (head_weighing a) && is_masked a &&
  check_lengths letters A a values k (fun _ => true) check_stick_length L.

(* ---- soundness of the pass ---- *)
Notation bound := (allowed_error limits).
Lemma row_fits_correct st b x : row_fits st = true -> may_be (held_of st b) x ->
  if b then 1 - bound b <= x else x <= bound b.
Proof.
  intros F (o & E & [O1 O2]). unfold row_fits in F. rewrite forallb_forall in F. specialize (F b (bool_listed b)).
  cbv beta in F. rewrite E in F. destruct (Limits b) as [C D]. apply Z.leb_le in F. unfold allowed_error.
  apply (fixed_le score_bits score_bits_nonneg) in F. rewrite !fixed_times, score_whole, plus_IZR in F.
  apply IZR_lt in C. apply IZR_le in D. set (c := IZR (fst (limits b))) in *. set (d := IZR (snd (limits b))) in *.
  assert (G : forall y, (c + d) * y <= d * 1 -> y <= d / (c + d)).
  { intros y H. apply Rmult_le_reg_l with (c + d); [lra|]. replace ((c + d) * (d / (c + d))) with d by (field; lra).
    lra. }
  apply G in F. destruct b; [rewrite fixed_minus, score_whole in F|]; lra.
Qed.

Section PassCorrect.
Variables (table : list (option (list key_letter))) (qs : list fixed_interval) (wanted : nat -> bool).
Definition true_memo (m : memo) : Prop := Forall (fun e => cells_of table qs (fst e) = Some (snd e)) m.
Lemma site_eqb_eq s t : site_eqb s t = true -> s = t.
Proof.
  destruct s as [x [y z]], t as [x' [y' z']]. unfold site_eqb. cbn [fst snd]. intros H. apply andb_prop in H as [H Z].
  apply andb_prop in H as [X Y]. apply Nat.eqb_eq in X. apply Z.eqb_eq in Y, Z. congruence.
Qed.
Lemma ask_correct m s m' cs : true_memo m -> ask table qs m s = Some (m', cs) ->
  true_memo m' /\ cells_of table qs s = Some cs.
Proof.
  intros M H. unfold ask in H. destruct (find _ m) as [e|] eqn:F.
  - apply some_pair in H as [<- <-]. split; [exact M|]. apply find_some in F as [I E]. apply site_eqb_eq in E. subst s.
    unfold true_memo in M. rewrite Forall_forall in M. exact (M e I).
  - destruct (cells_of table qs s) as [cs'|] eqn:C; [|discriminate]. cbn [option_map] in H.
    apply some_pair in H as [<- <-]. split; [|reflexivity]. unfold true_memo in *. rewrite Forall_forall in *.
    intros e He. assert (I : In e ((s, cs') :: m)) by (rewrite <- (firstn_skipn 8); apply in_or_app; now left).
    destruct I as [<-|I]; [exact C|exact (M e I)].
Qed.

(* The true value at a place: its score, value and the truth that it brings. *)
Variables (z v : nat -> R) (brings : nat -> option bool).
Fixpoint memory_at (j : nat) : bool :=
  match j with O => false | S j => match brings (S j) with Some b => b | None => memory_at j end end.
Local Definition stands (j : nat) (s : site) : Prop := forall cs, cells_of table qs s = Some cs -> exists c, In c cs /\
  ends_contain (share_taken c) (sigmoid (z j)) /\ ends_contain (cell_value c) (v j) /\ cell_brings c = brings j.

Lemma follow_correct sites : forall j m st l, true_memo m -> may_be (held_of st (memory_at j)) (stick_value z v j) ->
  follow table qs wanted (S j) m st sites = true -> (l < length sites)%nat -> wanted (S (j + l)) = true ->
  (forall l' s, (l' < l)%nat -> nth_error sites l' = Some s -> stands (S (j + l')) s) ->
    if memory_at (j + l) then 1 - bound true <= stick_value z v (j + l) else stick_value z v (j + l) <= bound false.
Proof.
  induction sites as [|s sites IH]; intros j m st l M H F Hl W St; [simpl in Hl; lia|]. cbn [follow] in F.
  destruct (wanted (S j) && negb (row_fits st)) eqn:R; [discriminate|].
  destruct (ask table qs m s) as [[m' cs]|] eqn:K; [|discriminate]. destruct (ask_correct m s m' cs M K) as [M' C].
  destruct l as [|l].
  - rewrite Nat.add_0_r in *. rewrite W in R. apply negb_false_iff in R. pose proof (row_fits_correct st _ _ R H).
    now destruct (memory_at j).
  - replace (j + S l)%nat with (S j + l)%nat by lia. apply (IH (S j) m' (after cs st) l M').
    + destruct (St 0%nat s ltac:(lia) eq_refl cs C) as (c & Ic & Sc & V & B). rewrite Nat.add_0_r in *.
      cbn [memory_at stick_value]. pose proof (sigmoid_range (z (S j))).
      replace (match brings (S j) with Some b => b | None => memory_at j end) with (leads c (memory_at j))
        by (unfold leads; now rewrite B). apply after_correct; auto; lra.
    + exact F.
    + simpl in Hl. lia.
    + replace (S (S j + l)) with (S (j + S l)) by lia. exact W.
    + intros l' s' L' E. replace (S (S j + l')) with (S (j + S l')) by lia. apply St; [lia|exact E].
Qed.
End PassCorrect.

(* ---- soundness of the check ---- *)
Section Correct.
Variables (users : predicate_meanings) (n : nat) (w : word) (h : nat -> vector) (i : position n).
Hypothesis HA : holds_of users n w A h.
Hypothesis Over : each i upto n, (w i < letters)%nat.
Notation tr := (truth users n w).
Notation J := (if task_backwards k then S n - i else i)%nat.
Notation brings := (fun j => truth_brought k users n w (scanned_place k n j)).
Notation kept := (memory_at brings).
Notation z := (row_score a k n h i).
Notation v := (row_value values k n h).

Lemma row_place : J upto n /\ scanned_place k n J = i. Proof. unfold scanned_place. destruct (task_backwards k); lia.
Qed.
Lemma place_range j : j upto n -> scanned_place k n j upto n. Proof. unfold scanned_place. destruct (task_backwards k);
  lia. Qed.

Section Row.
Variables (any : bool) (n' : nat).
Hypothesis Pv : position_part A values = [].
Hypothesis Length : n' = n \/ any = true /\ (n <= n')%nat /\ is_masked a = true /\ task_backwards k = false /\
  rows_mention A mentions_n (head_keys a) = false.
Hypothesis Queries : n' = n \/ query_mentions A a mentions_n = false.
Hypothesis Direction :
  match head_masking a with Unmasked => True | FutureMasked => task_backwards k = false | PastMasked =>
    task_backwards k = true
    end.
Hypothesis Checked : check_stick_length (letter_table letters A a values k any) any n' = true.
Notation table := (letter_table letters A a values k any).

Lemma length_le : (n <= n')%nat. Proof. destruct Length as [->|[_ []]]; lia. Qed.

(* The letter of a position is one of those that its site has. *)
Lemma letter_there j s : j upto n -> site_at A a k n' j = Some s ->
  match nth (fst s) table None with
  | Some ls => exists l, letter_of (real_case users n w (scanned_place k n j) (task_atoms A a values k) Eq) = Some l /\
    In l ls
  | None => True
  end.
Proof.
  intros Hj Sx. destruct row_place as [HJ Scan]. unfold site_at in Sx.
  rewrite (scanned_same A a k n any n' Length) in Sx. apply bind_some in Sx as (Is & _ & Sx). take Sx. cbn [fst].
  rewrite table_kind. destruct (letters_at letters A a values k any _ _ _) as [ls|] eqn:E; [|exact I].
  apply (letters_at_real letters A a values k users n w any n' (scanned_place k n j) ls);
    [apply Over, place_range, Hj| |exact E]. destruct Length as [|[]]; auto.
Qed.
Lemma site_stands qs j s : j upto n -> Forall2 in_enclosure qs (map (fun r =>
  linear r (h i) / expression_value (head_temperature a) n i) (head_queries a)) -> site_at A a k n' j = Some s ->
  stands table qs z v brings j (fst s, interval_dot qs (snd s)).
Proof.
  intros Hj Hq Hs cs C. destruct row_place as [HJ Scan]. pose proof (letter_there j s Hj Hs) as T.
  unfold cells_of in C. cbn [fst snd] in C. destruct (nth (fst s) table None) as [ls|]; [|discriminate]. take C.
  destruct T as (l & L & Il). exists (cell_of qs (interval_dot qs (snd s)) l). split; [now apply in_map|].
  destruct (letter_of_correct A a values k users n w h HA _ l (place_range j Hj) Pv L) as (B & V & _).
  destruct (site_score A a values k users n w h HA any n' i J HJ Scan Pv Length qs s j l Hj Hq Hs L) as [S1 S2].
  unfold cell_of. cbn [share_taken cell_value cell_brings]. repeat split; cbn [fst snd].
  - eapply Rle_trans; [apply sigmoid_below_correct|now apply sigmoid_grows].
  - eapply Rle_trans; [|apply sigmoid_above_correct]. now apply sigmoid_grows.
  - unfold row_value. rewrite V. apply closely_inside.
  - unfold row_value. rewrite V. apply closely_inside.
  - exact B.
Qed.

Lemma checked_sites : exists sites, traverse (site_at A a k n') (seq 1 n') = Some sites /\ length sites = n' /\
  (each j upto n', exists s, nth_error sites (j - 1) = Some s /\ site_at A a k n' j = Some s) /\
  (forall s, In s sites -> nth (fst s) table None <> None).
Proof.
  pose proof Checked as C. unfold check_stick_length in C.
  destruct (traverse (site_at A a k n') (seq 1 n')) as [sites|] eqn:T; [|discriminate]. cbv zeta in C.
  destruct (forallb _ sites) eqn:F; [|discriminate]. rewrite forallb_forall in F. exists sites. split; [reflexivity|].
  split; [|split].
  - rewrite (traverse_length _ _ _ T). apply length_seq.
  - intros j Hj. apply (traverse_nth _ _ _ _ j T). rewrite (nth_error_nth' _ 0%nat) by (rewrite length_seq; lia).
    rewrite seq_nth by lia. f_equal. lia.
  - intros s Is E. specialize (F s Is). now rewrite E in F.
Qed.

Local Lemma values_range j : j upto n -> 0 <= v j <= 1.
Proof.
  intros Hj. pose proof length_le. destruct checked_sites as (sites & _ & _ & Sites & Known).
  destruct (Sites j ltac:(lia)) as (s & Es & Ss). pose proof (letter_there j s Hj Ss) as T.
  pose proof (Known s (nth_error_In _ _ Es)) as N. destruct (nth (fst s) table None) as [ls|]; [|contradiction].
  destruct T as (l & L & _).
  destruct (letter_of_correct A a values k users n w h HA _ l (place_range j Hj) Pv L) as (_ & V & V1 & _).
  unfold row_value. now rewrite V.
Qed.

Lemma row_held : tr (task_guard k) i = true ->
  if kept (J - 1) then 1 - bound true <= stick_value z v (J - 1) else stick_value z v (J - 1) <= bound false.
Proof.
  intros G. pose proof length_le as Nn. destruct row_place as [HJ Scan]. assert (On : guard_off k any n' J = false).
  { eapply guard_on with (i := i) (J := J); eauto. }
  destruct checked_sites as (sites & T & Ls & Sites & _). pose proof Checked as C. unfold check_stick_length in C.
  rewrite T in C. cbv zeta in C. destruct (negb _) in C; [discriminate|].
  assert (Pass : forall qs wanted seen, (J <= length seen)%nat -> wanted J = true -> Forall2 in_enclosure qs (map (fun r
    => linear r (h i) / expression_value (head_temperature a) n i) (head_queries a)) -> (forall l s, (l < J)%nat ->
    nth_error seen l = Some s -> nth_error sites l = Some s) -> follow table qs wanted 1 []
    nothing_held (map (fun s => (fst s, interval_dot qs (snd s))) seen) = true -> if kept (J - 1) then 1 - bound true <=
    stick_value z v (J - 1) else stick_value z v (J - 1) <= bound false).
  { intros qs wanted seen Lj W Hq Seen F.
    refine (follow_correct table qs wanted z v brings _ 0 [] nothing_held (J - 1) (Forall_nil _) _ F _ _ _).
    - exists (0, 0)%Z. split; [reflexivity|]. unfold ends_contain. cbn [fst snd stick_value]. rewrite fixed_0. lra.
    - rewrite length_map. lia.
    - now replace (S (0 + (J - 1))) with J by lia.
    - intros l s Hl E. cbn [plus_enclosure]. rewrite nth_error_map in E.
      destruct (nth_error seen l) as [s'|] eqn:E'; [|discriminate]. cbn [option_map] in E. take E.
      destruct (Sites (S l) ltac:(lia)) as (s & Es & Ss). cbn [Nat.sub] in Es. rewrite Nat.sub_0_r in Es.
      assert (s = s') as -> by (apply Seen in E'; [congruence|lia]). apply site_stands; [lia|exact Hq|exact Ss]. }
  destruct (query_mentions A a mentions_i) eqn:Qi.
  - pose proof (all_of_forall _ _ C J ltac:(apply in_seq; lia)) as C'. clear C. cbv beta in C'. rewrite On in C'.
    rewrite (scanned_same A a k n any n' Length), Scan in C'. destruct (query_at A a n' i) as [qs|] eqn:Q;
      [|discriminate].
    apply (query_at_correct A a users n w h HA n' i i Queries (or_introl eq_refl)) in Q.
    apply (Pass qs (Nat.eqb J) (firstn J sites)); auto.
    + rewrite firstn_length. lia.
    + apply Nat.eqb_refl.
    + intros l s Hl E. rewrite <- (firstn_skipn J sites). rewrite nth_error_app1; [exact E|]. rewrite firstn_length.
      lia.
  - destruct (query_at A a n' 1) as [qs|] eqn:Q; [|discriminate].
    apply (query_at_correct A a users n w h HA n' i 1 Queries (or_intror Qi)) in Q.
    apply (Pass qs (fun j => negb (guard_off k any n' j)) sites); auto; [lia|now rewrite On].
Qed.

Lemma gathered_held : breaks_a_stick (head_weighing a) = true -> is_masked a = true ->
  head_value a n h i values = stick_value z v (J - 1).
Proof.
  intros St M. destruct row_place as [HJ Scan].
  rewrite (gathered_scanned A a values k n h any n' i J HJ Scan Length Queries Direction). unfold row_sees.
  rewrite M. exact (attend_as_held _ n (Position _ HJ) _ _ St).
Qed.
End Row.

(* The memory one position before the row. *)
Definition recalled_before : bool :=
  match task_memory k, task_backwards k with
  | Holds x y, false => negb (i =? 1)%nat && since_at (tr x) (tr y) (i - 1)
  | Holds x y, true => negb (i =? n)%nat && until_at n (tr x) (tr y) (i + 1)
  | Passes x, false => negb (i =? 1)%nat && tr x (i - 1)%nat
  | Passes x, true => negb (i =? n)%nat && tr x (i + 1)%nat
  end.
Lemma kept_recalled : kept (J - 1) = recalled_before.
Proof.
  destruct row_place as [HJ Scan].
  assert (Sn : forall x y, task_memory k = Holds x y -> forall j,
    kept j = since_at (fun j => tr x (scanned_place k n j)) (fun j => tr y (scanned_place k n j)) j).
  { intros x y K. induction j as [|j IH]; [reflexivity|]. rewrite since_at_next. cbn [memory_at].
    unfold truth_brought at 1. rewrite K, IH. unfold is_decisive, both_hold.
    now destruct (tr x (scanned_place k n (S j))), (tr y (scanned_place k n (S j))). }
  assert (Ps : forall x, task_memory k = Passes x -> forall j, kept (S j) = tr x (scanned_place k n (S j))).
  { intros x K j. cbn [memory_at]. unfold truth_brought. now rewrite K. }
  unfold recalled_before. destruct (task_memory k) as [x y|x] eqn:K, (task_backwards k) eqn:B.
  - rewrite (Sn x y eq_refl). unfold scanned_place. rewrite B. destruct (Nat.eqb_spec i n) as [->|N].
    + now replace (S n - n - 1)%nat with 0%nat by lia.
    + cbn [negb andb]. rewrite until_backwards by lia. f_equal. lia.
  - rewrite (Sn x y eq_refl). unfold scanned_place. rewrite B. destruct (Nat.eqb_spec i 1) as [->|N]; reflexivity.
  - destruct (Nat.eqb_spec i n) as [->|N]; [now replace (S n - n - 1)%nat with 0%nat by lia|]. cbn [negb andb].
    replace (S n - i - 1)%nat with (S (n - i - 1)) by lia. rewrite (Ps x eq_refl). unfold scanned_place. rewrite B.
    f_equal.
      lia.
  - destruct (Nat.eqb_spec i 1) as [->|N]; [reflexivity|]. cbn [negb andb].
    replace (i - 1)%nat with (S (i - 2)) by lia. rewrite (Ps x eq_refl). unfold scanned_place. now rewrite B.
Qed.

Theorem check_stick_task_correct L : length_allowed L n -> check_stick_task L = true ->
  0 <= head_value a n h i values <= 1 /\ (tr (task_guard k) i = true ->
    if recalled_before then 1 - bound true <= head_value a n h i values else head_value a n h i values <= bound false).
Proof.
  intros HL C. unfold check_stick_task in C. apply andb_prop in C as [C Checked]. apply andb_prop in C as [St M].
  destruct (task_parts letters A a values k n L i HL _ _ Checked) as (any & n' & C & _ & Pv & D & Ln & Qn).
  rewrite (gathered_held any n') by assumption. split.
  - apply held_range. intros j Hj. destruct row_place as [HJ _]. apply (values_range any n'); auto. lia.
  - intros G. rewrite <- kept_recalled. now apply (row_held any n').
Qed.
End Correct.
End Head.

(* ---- the whole check ---- *)
(* The target of a head may be its own memory, or a copy of a truth. *)
Definition stick_tasks (b : meaning) : list row_task :=
  match b with
  | IsNear (Previous x) g => RowTask (Passes x) false g ::
      match x with Since p q => [RowTask (Holds p q) false g] | _ => [] end
  | IsNear (Next x) g => RowTask (Passes x) true g ::
      match x with Until p q => [RowTask (Holds p q) true g] | _ => [] end
  | _ => []
  end.
Definition check_by_sticks (letters : nat) (L : lengths) (A : list meaning) (a : head) (r : row) (b : meaning) (if_false
  if_true : Q) : bool := forallb (fun e => Qle_bool 0 e && negb (Qle_bool 1 e)) [if_false; if_true] && existsb (fun k =>
  check_stick_task letters A a r k (fun t => limit_of (errors_of if_false if_true t)) L) (stick_tasks b).

Theorem check_by_sticks_correct users n w letters L A h a r f g if_false if_true (i : position n) : length_allowed L n
  -> holds_of users n w A h -> (each i upto n, (w i < letters)%nat) ->
  check_by_sticks letters L A a r (IsNear f g) if_false if_true = true ->
  0 <= head_value a n h i r <= 1 /\ (truth users n w g i = true ->
    if truth users n w f i then 1 - Q2R if_true <= head_value a n h i r else head_value a n h i r <= Q2R if_false).
Proof.
  intros HL HA Over H. unfold check_by_sticks in H. apply andb_prop in H as [E H]. cbn [forallb] in E.
  rewrite andb_true_r in E. apply andb_prop in E as [E0 E1]. apply existsb_exists in H as (k & Ik & C).
  assert (Each : forall t, Qle_bool 0 (errors_of if_false if_true t) && negb (Qle_bool 1 (errors_of if_false if_true t))
    = true) by now intros [].
  destruct (check_stick_task_correct letters A a r k _ (fun t => proj1 (limit_of_error _ (Each t))) users n w h i HA
    Over L HL C) as [Range Near]. unfold allowed_error in Near. rewrite !(proj2 (limit_of_error _ (Each _))) in Near.
  split; [exact Range|].
  assert (K : task_guard k = g /\ recalled_before k users n w i = truth users n w f i); [|destruct K as [<- <-];
    exact Near]. destruct f; try destruct Ik; try (subst k; split; reflexivity).
  - destruct f; destruct H as [|[]] || destruct H; subst; split; reflexivity.
  - destruct f; destruct H as [|[]] || destruct H; subst; split; reflexivity.
Qed.
