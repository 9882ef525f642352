(* Attention to one pivot, with any values at the other positions: the rule of gaps, for one row or several at once.

   A position is bad if its value is not the truth t that the pivot holds. If the bad positions weigh together at most B
   times as much as the pivot, the error is at most B/(1 + B) (`gap_rule`); that is at most 1/4 if B is at most 1/3.
   Of every position a `pivot_scores` says how much it may weigh: what it scores at least if it is the pivot, and what
   it scores at most if it is bad and before, or after, the pivot. The greatest B is the sum of all that, for each
   pivot: `forward` compares it with 1/3 for all pivots in one pass. It keeps sums of weights relative to their greatest
   score, and asks for an exponential only if the last one asked for is another. Scores are multiples of 2^-80,
   weights of 2^-60: stated errors have room for 10^-15. Proved: an accepted head has an error of at most 1/4 at every
   row. Softmax plus one has a weight beside all positions, which is bad where t is true. *)
From Coq Require Import Reals ZArith Lra Lia List Bool Arith.
From Certify Require Import positions lists finite_sums softmax exponential exp_enclosure.
Import ListNotations PositionNotations.
Open Scope R_scope.

(* ---- over the reals ---- *)
Section Rule.
Variables (n : nat) (m : mask) (s v : nat -> R) (t : R) (d : nat) (B : R).
Variable z : R.                                                  (* the weight beside all positions, of value 0 *)
Hypothesis Hz : 0 <= z.
Hypothesis Vd : visible n m d.
Hypothesis Ht : 0 <= t <= 1.
Hypothesis Hv : forall j, visible n m j -> 0 <= v j <= 1.
Hypothesis Pivot : v d = t.

Definition bad_weight (j : nat) : R := if Req_EM_T (v j) t then 0 else weight m s j.
Hypothesis Bad : sum_to n bad_weight + t * z <= weight m s d * B.
Lemma bad_weight_nonneg j : 0 <= bad_weight j.
Proof. unfold bad_weight. destruct (Req_EM_T _ _); [lra|apply weight_nonneg]. Qed.

(* The share of bad positions bounds the error: each position errs by at most 1, and the extra weight by t. *)
Lemma error_beside : Rabs (t - attend_beside z n m s v) <= (sum_to n bad_weight + t * z) / (z + sum_to n (weight m s)).
Proof.
  pose proof (total_pos n m s d Vd) as T. set (whole := z + sum_to n (weight m s)).
  assert (P : 0 < / whole) by (apply Rinv_0_lt_compat; unfold whole; lra).
  assert (E : t - attend_beside z n m s v = sum_to n (fun j => weight m s j * / whole * (t - v j)) + t * z * / whole).
  { unfold attend_beside. fold whole.
    rewrite (sum_ext n (fun j => _ * (t - v j)) (fun j => t * (weight m s j * / whole) - weight m s j / whole * v j))
      by (intros; unfold Rdiv; ring). rewrite sum_minus, sum_scale, sum_scale_r. unfold whole. field. lra. }
  rewrite E. unfold Rdiv. rewrite Rmult_plus_distr_r. eapply Rle_trans; [apply Rabs_triang|].
  rewrite (Rabs_right (t * z * _)) by (apply Rle_ge; repeat apply Rmult_le_pos; lra). apply Rplus_le_compat_r.
  rewrite <- sum_scale_r. eapply Rle_trans; [apply sum_Rabs|]. apply sum_le. intros j Hj.
  assert (W : 0 <= weight m s j * / whole) by (apply Rmult_le_pos; [apply weight_nonneg|lra]).
  rewrite Rabs_mult, (Rabs_right (weight m s j * / whole)) by lra. unfold bad_weight.
  destruct (Req_EM_T (v j) t) as [->|Ne]; [rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; lra|]. unfold weight in *.
  destruct (m j) eqn:M; [|lra]. rewrite <- (Rmult_1_r (exp (s j) * / _)) at 2. apply Rmult_le_compat_l; [exact W|].
  specialize (Hv j (conj Hj M)). apply Rabs_le. lra.
Qed.

Theorem gap_rule : Rabs (t - attend_beside z n m s v) <= B / (1 + B).
Proof.
  pose proof (weight_pos m s d (proj2 Vd)) as W. set (w := weight m s d) in *.
  assert (X0 : 0 <= sum_to n bad_weight) by (apply sum_nonneg; intros; apply bad_weight_nonneg).
  assert (X1 : 0 <= t * z <= z).
  { split; [apply Rmult_le_pos; lra|]. rewrite <- (Rmult_1_l z) at 2. apply Rmult_le_compat_r; lra. }
  assert (B0 : 0 <= B) by (apply Rmult_le_reg_l with w; lra). assert (X : 0 <= sum_to n bad_weight + t * z) by lra.
  assert (T : w + (sum_to n bad_weight + t * z) <= z + sum_to n (weight m s)).
  { rewrite (sum_apart n d (weight m s)) by apply Vd. fold w.
    enough (sum_to n bad_weight <= sum_to n (zeroed_at d (weight m s))) by lra. apply sum_le. intros j _.
    unfold zeroed_at, bad_weight. destruct (Nat.eqb_spec j d) as [->|].
    - destruct (Req_EM_T (v d) t); [lra|contradiction].
    - destruct (Req_EM_T _ _); [apply weight_nonneg|lra]. }
  eapply Rle_trans; [apply error_beside|]. set (x := sum_to n bad_weight + t * z) in *.
  set (total := z + sum_to n (weight m s)) in *.
  apply Rmult_le_reg_r with (total * (1 + B)); [apply Rmult_lt_0_compat; lra|].
  replace (x / total * (total * (1 + B))) with (x + x * B) by (field; lra).
  replace (B / (1 + B) * (total * (1 + B))) with (total * B) by (field; lra).
  pose proof (Rmult_le_compat_r B _ _ B0 T). lra.
Qed.

(* In the form in which it is checked: the error is at most e/(c + e). *)
Corollary gap_rule_limit c e : 0 < c -> 0 <= e -> c * B <= e -> Rabs (t - attend_beside z n m s v) <= e / (c + e).
Proof.
  intros Hc He H. eapply Rle_trans; [apply gap_rule|]. pose proof (weight_pos m s d (proj2 Vd)) as W.
  assert (X0 : 0 <= sum_to n bad_weight) by (apply sum_nonneg; intros; apply bad_weight_nonneg).
  assert (X1 : 0 <= t * z) by (apply Rmult_le_pos; lra).
  assert (B0 : 0 <= B) by (apply Rmult_le_reg_l with (weight m s d); lra).
  apply Rmult_le_reg_r with ((1 + B) * (c + e)); [apply Rmult_lt_0_compat; lra|].
  replace (B / (1 + B) * ((1 + B) * (c + e))) with (B * (c + e)) by (field; lra).
  replace (e / (c + e) * ((1 + B) * (c + e))) with (e * (1 + B)) by (field; lra). lra.
Qed.
End Rule.

(* The same of softmax. *)
Lemma error_by_share n m s v t d : visible n m d -> 0 <= t <= 1 -> (forall j, visible n m j -> 0 <= v j <= 1) ->
  Rabs (t - attend n m s v) <= sum_to n (bad_weight m s v t) / sum_to n (weight m s).
Proof.
  intros Vd Ht Hv. pose proof (error_beside n m s v t d 0 (Rle_refl 0) Vd Ht Hv) as E.
  now rewrite attend_beside_0, Rmult_0_r, Rplus_0_r, Rplus_0_l in E.
Qed.
Corollary gap_rule_quarter n m s v t d B : visible n m d -> 0 <= t <= 1 -> (forall j, visible n m j -> 0 <= v j <= 1) ->
  v d = t -> sum_to n (bad_weight m s v t) <= weight m s d * B -> 3 * B <= 1 -> Rabs (t - attend n m s v) <= 1 / 4.
Proof.
  intros Vd Ht Hv E Bad H. replace (1 / 4) with (1 / (3 + 1)) by lra. rewrite <- attend_beside_0.
  apply (gap_rule_limit n m s v t d B 0 (Rle_refl 0)); auto; lra.
Qed.

(* ---- places, and what they weigh ---- *)
Definition score_bits : Z := 80.
Definition weight_bits : Z := 60.
Notation score_value := (fixed score_bits).
Local Notation share := (fixed weight_bits).
Lemma score_bits_nonneg : (0 <= score_bits)%Z. Proof. now unfold score_bits. Qed.
Lemma weight_bits_nonneg : (0 <= weight_bits)%Z. Proof. now unfold weight_bits. Qed.
#[local] Hint Resolve score_bits_nonneg weight_bits_nonneg : core.

(* A score that cannot be is None. *)
Record pivot_scores := PivotScores { if_before : option Z; if_pivot : option Z; if_after : option Z }.

Definition exp_score (o : option Z) : R := match o with Some x => exp (score_value x) | None => 0 end.
Definition weigh_by (W : option Z -> R) (l : list (option Z)) : R := fold_right (fun o x => W o + x) 0 l.
Local Notation weigh := (weigh_by exp_score).
Definition score_at_most (o : option Z) (x : R) : Prop := exists y, o = Some y /\ x <= score_value y.

Lemma weighs_nonneg o : 0 <= exp_score o. Proof. destruct o; simpl; [apply exp_nonneg|lra]. Qed.
Lemma weigh_by_nonneg W l : (forall o, 0 <= W o) -> 0 <= weigh_by W l.
Proof. intros H. induction l as [|o l IH]; simpl; [lra|]. specialize (H o). lra. Qed.
Lemma weigh_app W l k : weigh_by W (l ++ k) = weigh_by W l + weigh_by W k.
Proof. unfold weigh_by. induction l as [|o l IH]; simpl; [lra|]. rewrite IH. lra. Qed.
Local Lemma weighs_at_most o x : score_at_most o x -> exp x <= exp_score o. Proof. intros (y & -> & H).
now apply exp_monotone. Qed.

Lemma sum_weigh W l : forall f, (forall k, (k < length l)%nat -> f (S k) <= W (nth k l None)) ->
  sum_to (length l) f <= weigh_by W l.
Proof.
  induction l as [|o l IH]; intros f H; [simpl; lra|]. change (length (o :: l)) with (1 + length l)%nat.
  rewrite sum_cut. cbn [sum_to weigh_by fold_right]. fold (weigh_by W l). rewrite Rplus_0_l.
  apply Rplus_le_compat; [apply (H 0%nat); simpl; lia|]. apply IH. intros k Hk. apply (H (S k)). simpl. lia.
Qed.

(* One row: its places are those of the positions from 1 on, and it sees no others. *)
Section Row.
Variables (ps : list pivot_scores) (n : nat) (m : mask) (s v : nat -> R) (t : R) (d : nat).
Notation before := (map if_before (firstn (d - 1) ps)).
Notation after := (map if_after (skipn d ps)).
Hypothesis Short : (length ps <= n)%nat.
Hypothesis Vd : visible n m d.
Hypothesis Pivot : v d = t.
Hypothesis Seen : forall j, visible n m j -> (j <= length ps)%nat.
Hypothesis Before : forall j, visible n m j -> (j < d)%nat -> v j <> t ->
  score_at_most (if_before (nth (j - 1) ps (PivotScores None None None))) (s j).
Hypothesis After : forall j, visible n m j -> (d < j)%nat -> v j <> t ->
  score_at_most (if_after (nth (j - 1) ps (PivotScores None None None))) (s j).

(* Shares q of the bad positions only, with the upper bounds W. *)
Lemma bad_weigh (W : option Z -> R) (q : nat -> R) : (forall o, 0 <= W o) -> (each j upto n, m j = false \/ v j = t ->
  q j = 0) -> (forall j o, visible n m j -> v j <> t -> score_at_most o (s j) -> q j <= W o) ->
  sum_to n q <= weigh_by W before + weigh_by W after.
Proof.
  intros W0 Good Bad. pose proof (Seen d Vd) as Ld. destruct Vd as [Hd Md].
  assert (One : forall j o, j upto n -> (visible n m j -> v j <> t -> score_at_most o (s j)) -> q j <= W o).
  { intros j o Hj H. pose proof (W0 o) as P. destruct (Req_EM_T (v j) t) as [E|E]; [rewrite Good; auto|].
    destruct (m j) eqn:M; [|rewrite Good; auto]. apply Bad; [now split|exact E|]. apply H; [now split|exact E]. }
  replace n with ((d - 1) + (1 + ((length ps - d) + (n - length ps))))%nat by lia. rewrite !sum_cut.
  cbn [sum_to]. rewrite (sum_zero (n - length ps)); [rewrite Rplus_0_r|].
  2:{ intros k Hk. match goal with |- q ?j = _ => set (j' := j) end. apply Good; [unfold j'; lia|]. left.
      destruct (m j') eqn:M; [|reflexivity]. exfalso. assert (visible n m j') as V by (split; [unfold j'; lia|exact M]).
      apply Seen in V. unfold j' in V. lia. }
  assert (Z : q (d - 1 + 1)%nat = 0).
  { replace (d - 1 + 1)%nat with d by lia. apply Good; auto. }
  rewrite Z, !Rplus_0_l. apply Rplus_le_compat.
  - replace (d - 1)%nat with (length before) at 1 by (rewrite length_map, firstn_length; lia). apply sum_weigh.
    intros k Hk. rewrite length_map, firstn_length in Hk. apply One; [lia|]. intros Vj Ne.
    change None with (if_before (PivotScores None None None)) at 1. rewrite map_nth.
    replace (nth k (firstn (d - 1) ps) (PivotScores None None None)) with (nth (S k - 1) ps (PivotScores None None
      None)); [apply Before; auto; lia|]. rewrite <- (firstn_skipn (d - 1) ps) at 1.
    rewrite app_nth1 by (rewrite firstn_length; lia). f_equal. lia.
  - replace (length ps - d)%nat with (length after) by (rewrite length_map, skipn_length; lia). apply sum_weigh.
    intros k Hk. rewrite length_map, skipn_length in Hk. apply One; [lia|]. intros Vj Ne.
    change None with (if_after (PivotScores None None None)) at 1. rewrite map_nth.
    replace (nth k (skipn d ps) (PivotScores None None None)) with (nth (d - 1 + (1 +
      S k) - 1) ps (PivotScores None None None)); [apply After; auto; lia|]. rewrite <- (firstn_skipn d ps) at 1.
    rewrite app_nth2 by (rewrite firstn_length; lia). f_equal. rewrite firstn_length. lia.
Qed.

Hypothesis Ht : 0 <= t <= 1.
Hypothesis Hv : forall j, visible n m j -> 0 <= v j <= 1.
Variables (y : Z) (z : R) (aside : option Z).                    (* what is bad beside all positions *)
Hypothesis Least : score_value y <= s d.
Hypothesis Hz : 0 <= z.
Hypothesis Beside : t * z <= exp_score aside.
Variables c e : R.
Hypothesis Hc : 0 < c.
Hypothesis He : 0 <= e.
Hypothesis Bound : c * (exp_score aside + weigh before + weigh after) <= e * exp (score_value y).

Theorem row_near : Rabs (t - attend_beside z n m s v) <= e / (c + e).
Proof.
  assert (X : sum_to n (bad_weight m s v t) <= weigh before + weigh after).
  { apply bad_weigh; [exact weighs_nonneg| |].
    - intros j _ [M|G]; unfold bad_weight, weight; [rewrite M|rewrite G]; destruct (Req_EM_T _ _); congruence || lra.
    - intros j o [_ M] Ne A. unfold bad_weight, weight. rewrite M. destruct (Req_EM_T _ _); [contradiction|].
      now apply weighs_at_most. }
  pose proof (exp_pos (s d)) as E. pose proof (exp_monotone _ _ Least) as L.
  assert (W : weight m s d = exp (s d)) by (unfold weight; now rewrite (proj2 Vd)).
  apply (gap_rule_limit n m s v t d ((exp_score aside + weigh before + weigh after) / exp (s d)) z Hz Vd Ht Hv Pivot)
    with (c := c); auto.
  - rewrite W. replace (exp (s d) * _) with (exp_score aside + weigh before + weigh after) by (field; lra). lra.
  - apply Rmult_le_reg_r with (exp (s d)); [exact E|]. unfold Rdiv. rewrite Rmult_assoc, Rmult_assoc, Rinv_l by lra.
    rewrite Rmult_1_r. pose proof (Rmult_le_compat_l e _ _ He L). lra.
Qed.
End Row.

(* ---- exponentials of gaps; of each only the last is kept ---- *)
Local Definition cache := (Z * Z)%type.
Local Definition valid (c : cache) : Prop := exp (- share (fst c)) <= share (snd c).
Definition no_cache : cache := (0%Z, fixed_unit weight_bits).
(* The gap as a multiple of 2^-60, rounded down from a little below: half a multiple off, so that rounding of scores
   seldom changes it. From almost 48 on, one is as good as the other. *)
Definition slack_of_gap : Z := 16252928.
Local Definition far : Z := 55340232221128654800.
Local Definition argument (g : Z) : Z := Z.min far (Z.max 0 (Z.shiftr (g - slack_of_gap) 20)).
(* A build of the checker may keep what f was found to be, for the next time (proofs/ocaml/verified/zarith), where the
   argument is not too large. *)
Definition memoised {X Y} (size : X -> nat) (f : X -> Y) : X -> Y := f.
Definition decay_kept : Z -> Z := memoised (fun _ => 1%nat) (decay_above weight_bits).
Local Definition decayed (c : cache) (g : Z) : cache :=
  let x := argument g in if (x =? fst c)%Z then c else (x, decay_kept x).

Lemma no_cache_valid : valid no_cache.
Proof. unfold valid, no_cache. cbn [fst snd]. rewrite fixed_0, Ropp_0, exp_0, fixed_one by auto. lra. Qed.
Lemma argument_nonneg g : (0 <= argument g)%Z. Proof. unfold argument, far. lia. Qed.
Lemma argument_le g : (0 <= g)%Z -> share (argument g) <= score_value g.
Proof.
  intros G. apply Rle_trans with (share (Z.max 0 (Z.shiftr (g - slack_of_gap) 20))).
  { apply fixed_le; [auto|]. apply Z.le_min_r. }
  destruct (Z.max_spec 0 (Z.shiftr (g - slack_of_gap) 20)) as [[_ ->]|[_ ->]]; [|rewrite fixed_0;
    now apply fixed_nonneg]. pose proof (shiftr_down (g - slack_of_gap) 20 ltac:(lia)) as D. unfold fixed.
  replace (2 ^ score_bits)%Z with (2 ^ 20 * 2 ^ weight_bits)%Z by reflexivity. rewrite mult_IZR.
  assert (P : 0 < IZR (2 ^ 20)) by (apply IZR_lt; reflexivity). pose proof (u_pos weight_bits weight_bits_nonneg) as U.
  replace (IZR g / (IZR (2 ^ 20) * IZR (2 ^ weight_bits))) with (IZR g / IZR (2 ^ 20) * / IZR (2 ^ weight_bits))
    by (field; lra). apply Rmult_le_compat_r; [now apply inverse_nonneg|]. eapply Rle_trans; [exact D|].
  apply Rmult_le_compat_r; [now apply inverse_nonneg|]. apply IZR_le. unfold slack_of_gap. lia.
Qed.
Lemma decayed_correct c g : valid c -> (0 <= g)%Z -> valid (decayed c g) /\
  exp (- score_value g) <= share (snd (decayed c g)).
Proof.
  intros V G. assert (W : valid (decayed c g) /\ fst (decayed c g) = argument g).
  { unfold decayed. destruct (Z.eqb_spec (argument g) (fst c)) as [E|]; [now split|]. split; [|reflexivity].
    exact (decay_above_correct weight_bits weight_bits_nonneg _ (argument_nonneg g)). }
  destruct W as [W E]. split; [exact W|]. eapply Rle_trans; [|exact W]. apply exp_monotone. rewrite E.
  pose proof (argument_le g G). lra.
Qed.

(* ---- sums of weights, relative to the greatest of them ---- *)
Record weight_heap := WeightHeap { heap_top : Z; heap_mass : Z; heap_rising : cache; heap_falling : cache }.
Local Definition bounds (h : option weight_heap) (x : R) : Prop :=
  match h with
  | None => x <= 0
  | Some h => (0 <= heap_mass h)%Z /\ x <= exp (score_value (heap_top h)) * share (heap_mass h) /\
    valid (heap_rising h) /\ valid (heap_falling h)
  end.
Local Definition add (h : option weight_heap) (o : option Z) : option weight_heap :=
  match h, o with
  | _, None => h
  | None, Some x => Some (WeightHeap x (fixed_unit weight_bits) no_cache no_cache)
  | Some h, Some x =>
      if (x <=? heap_top h)%Z then
        let c := decayed (heap_falling h) (heap_top h - x) in Some (WeightHeap (heap_top h) (heap_mass h + snd c)
          (heap_rising h) c)
      else
        let c := decayed (heap_rising h) (x - heap_top h) in
        Some (WeightHeap x (fixed_unit weight_bits + product_up weight_bits (heap_mass h) (snd c)) c (heap_falling h))
  end.

Lemma exp_apart x y : exp (score_value x) = exp (score_value y) * exp (- score_value (y - x)).
Proof. rewrite <- exp_plus, fixed_minus. f_equal. ring. Qed.
Lemma valid_nonneg c : valid c -> (0 <= snd c)%Z.
Proof.
  intros V. apply (fixed_le_iff weight_bits); [auto|]. rewrite fixed_0. pose proof (exp_pos (- share (fst c))).
  unfold valid in V. lra.
Qed.
Lemma product_up_nonneg x y : (0 <= x)%Z -> (0 <= y)%Z -> (0 <= product_up weight_bits x y)%Z.
Proof.
  intros X Y. apply (fixed_le_iff weight_bits); [auto|]. rewrite fixed_0.
  eapply Rle_trans; [|now apply product_up_ge]. apply Rmult_le_pos; now apply fixed_nonneg.
Qed.

Local Lemma add_bounds h o x : bounds h x -> bounds (add h o) (x + exp_score o).
Proof.
  assert (One : (0 <= fixed_unit weight_bits)%Z) by discriminate.
  destruct h as [h|], o as [z|]; cbn [add exp_score bounds]; try (rewrite Rplus_0_r; exact (fun H => H)).
  - intros (M & H & Vr & Vf).
    destruct (Z.leb_spec z (heap_top h)) as [L|L]; cbn [bounds heap_top heap_mass heap_rising heap_falling].
    + destruct (decayed_correct (heap_falling h) (heap_top h - z) Vf ltac:(lia)) as [V D].
      pose proof (valid_nonneg _ V). repeat split; auto; [lia|]. rewrite fixed_plus, Rmult_plus_distr_l.
      apply Rplus_le_compat; [exact H|]. rewrite (exp_apart z (heap_top h)).
      apply Rmult_le_compat_l; [apply exp_nonneg|exact D].
    + destruct (decayed_correct (heap_rising h) (z - heap_top h) Vr ltac:(lia)) as [V D]. pose proof (valid_nonneg _ V).
      set (c := decayed (heap_rising h) (z - heap_top h)) in *. pose proof (product_up_nonneg _ _ M H0).
      repeat split; auto; [lia|]. rewrite fixed_plus, fixed_one, Rmult_plus_distr_l, Rmult_1_r, (Rplus_comm x) by auto.
      apply Rplus_le_compat_l. eapply Rle_trans; [exact H|]. rewrite (exp_apart (heap_top h) z), Rmult_assoc.
      apply Rmult_le_compat_l; [apply exp_nonneg|]. eapply Rle_trans; [|now apply product_up_ge]. rewrite Rmult_comm.
      apply Rmult_le_compat_l; [now apply fixed_nonneg|exact D].
  - intros H. cbn [bounds heap_top heap_mass heap_rising heap_falling]. rewrite fixed_one by auto.
    repeat split; auto using no_cache_valid. lra.
Qed.

(* `injection` would reduce the arguments. *)
Lemma some_pair {X Y} (a c : X) (b d : Y) : Some (a, b) = Some (c, d) -> a = c /\ b = d.
Proof. now intros [= -> ->]. Qed.

(* The sum over the score of a pivot, with the exponential that was asked for; None if it is 1 or more. *)
Local Definition part (c : cache) (h : option weight_heap) (y : Z) : option (cache * Z) :=
  match h with
  | None => Some (c, 0%Z)
  | Some h => if (heap_top h <=? y)%Z then let c := decayed c (y - heap_top h) in Some (c,
    product_up weight_bits (heap_mass h) (snd c))
              else None
  end.

Lemma part_correct c h y x c' z : valid c -> bounds h x -> part c h y = Some (c', z) ->
  valid c' /\ x <= exp (score_value y) * share z.
Proof.
  intros V. destruct h as [h|]; cbn [part bounds]; [intros (M & H & _)|intros H].
  - destruct (Z.leb_spec (heap_top h) y) as [L|]; [|discriminate]. intros E. apply some_pair in E as [<- <-].
    destruct (decayed_correct c (y - heap_top h) V ltac:(lia)) as [V' D]. split; [exact V'|].
    eapply Rle_trans; [exact H|]. rewrite (exp_apart (heap_top h) y), Rmult_assoc.
    apply Rmult_le_compat_l; [apply exp_nonneg|]. eapply Rle_trans; [|now apply product_up_ge]. rewrite Rmult_comm.
    apply Rmult_le_compat_l; [now apply fixed_nonneg|exact D].
  - intros E. apply some_pair in E as [<- <-]. split; [exact V|]. rewrite fixed_0. lra.
Qed.

(* ---- all pivots in one pass: `afters` has for each place the sum of what is after it ---- *)
Section Limit.
(* The total weight of bad positions, in units of the pivot's, is at most 1/3, or the bound for a stated error. *)
Variable limit : Z * Z.

Local Fixpoint forward (before : option weight_heap) (c c' : cache) (ps : list pivot_scores) (afters : list (option
  weight_heap)) : bool :=
  match ps, afters with
  | p :: ps, a :: afters =>
      match if_pivot p with
      | None => forward (add before (if_before p)) c c' ps afters
      | Some y =>
          match part c before y, part c' a y with
          | Some (c, x), Some (c', z) =>
              if (fst limit * (x + z) <=? snd limit * fixed_unit weight_bits)%Z
              then forward (add before (if_before p)) c c' ps afters else false
          | _, _ => false
          end
      end
  | _, _ => true
  end.

Hypothesis Limit : (0 <= fst limit)%Z.

Lemma forward_correct ps : forall h c c' afters k p a y x z, forward h c c' ps afters = true -> valid c -> valid c' ->
  bounds h x -> nth_error ps k = Some p -> nth_error afters k = Some a -> if_pivot p = Some y -> bounds a z ->
  IZR (fst limit) * (x + weigh (map if_before (firstn k ps)) + z) <= IZR (snd limit) * exp (score_value y).
Proof.
  induction ps as [|p0 ps IH]; intros h c c' afters k p a y x z F V V' Hx Hp Ha Py Hz; [now destruct k|].
  destruct afters as [|a0 afters]; [now destruct k|]. cbn [forward] in F.
  destruct k as [|k]; cbn [nth_error firstn map weigh_by fold_right] in *.
  - injection Hp as ->. injection Ha as ->. rewrite Py in F. destruct (part c h y) as [[c1 x1]|] eqn:E; [|discriminate].
    destruct (part c' a y) as [[c2 x2]|] eqn:E'; [|discriminate]. apply if_and in F as [F _]. apply Z.leb_le in F.
    apply (part_correct _ _ _ x) in E as [_ E]; auto. apply (part_correct _ _ _ z) in E' as [_ E']; auto.
    apply (fixed_le weight_bits weight_bits_nonneg) in F. rewrite !fixed_times, fixed_plus, fixed_one in F by auto.
    pose proof (exp_pos (score_value y)). pose proof (Rmult_le_compat_l (exp (score_value y)) _ _ ltac:(lra) F).
    apply IZR_le in Limit. pose proof (Rmult_le_compat_l (IZR (fst limit)) _ _ Limit (Rplus_le_compat _ _ _ _ E E')).
      lra.
  - rewrite <- Rplus_assoc. fold (weigh (map if_before (firstn k ps))). apply add_bounds with (o := if_before p0) in Hx.
    destruct (if_pivot p0) as [y0|].
    + destruct (part c h y0) as [[c1 x1]|] eqn:E; [|discriminate].
      destruct (part c' a0 y0) as [[c2 x2]|] eqn:E'; [|discriminate]. apply if_and in F as [_ F].
      assert (V1 : valid c1).
      { clear - E V. destruct h as [h|]; cbn [part] in E; [|now apply some_pair in E as [<- <-]].
        destruct (Z.leb_spec (heap_top h) y0); [|discriminate]. apply some_pair in E as [<- <-].
        refine (proj1 (decayed_correct _ _ V _)). lia. }
      assert (V2 : valid c2).
      { clear - E' V'. destruct a0 as [h|]; cbn [part] in E'; [|now apply some_pair in E' as [<- <-]].
        destruct (Z.leb_spec (heap_top h) y0); [|discriminate]. apply some_pair in E' as [<- <-].
        refine (proj1 (decayed_correct _ _ V' _)). lia. }
      exact (IH _ c1 c2 afters k p a y _ z F V1 V2 Hx Hp Ha Py Hz).
    + exact (IH _ c c' afters k p a y _ z F V V' Hx Hp Ha Py Hz).
Qed.

(* The places after a place are the rest of the list, or only the next one. *)
Fixpoint sums_after (ps : list pivot_scores) : option weight_heap * list (option weight_heap) :=
  match ps with [] => (None, []) | p :: ps => let '(h, l) := sums_after ps in (add h (if_after p), h :: l) end.
Fixpoint next_after (ps : list pivot_scores) : list (option weight_heap) :=
  match ps with
  | [] => []
  | _ :: ps => match ps with [] => None | q :: _ => add None (if_after q) end :: next_after ps
  end.
(* What weighs beside all places. *)
Variable aside : option Z.
Definition check_places (ps : list pivot_scores) : bool :=
  forward (add None aside) no_cache no_cache ps (snd (sums_after ps)).
Definition check_next (ps : list pivot_scores) : bool := forward (add None aside) no_cache no_cache ps (next_after ps).

Lemma aside_bounds : bounds (add None aside) (exp_score aside).
Proof. rewrite <- (Rplus_0_l (exp_score aside)). apply add_bounds. simpl. lra. Qed.

Lemma sums_after_bounds ps : bounds (fst (sums_after ps)) (weigh (map if_after ps)) /\ forall k p, nth_error ps k
  = Some p -> exists a, nth_error (snd (sums_after ps)) k = Some a /\ bounds a (weigh (map if_after (skipn (S k) ps))).
Proof.
  induction ps as [|p0 ps [IH1 IH2]]; [split; [simpl; lra|now intros []]|].
  cbn [sums_after map weigh_by fold_right]. destruct (sums_after ps) as [h l]. cbn [fst snd] in *. split.
  - rewrite Rplus_comm. now apply add_bounds.
  - intros [|k] p H; [exists h; split; [reflexivity|exact IH1]|exact (IH2 k p H)].
Qed.

Theorem check_places_correct ps d p y : check_places ps = true -> (1 <= d)%nat -> nth_error ps (d - 1) = Some p ->
  if_pivot p = Some y -> IZR (fst limit) * (exp_score aside + weigh (map if_before (firstn (d - 1) ps))
  + weigh (map if_after (skipn d ps))) <= IZR (snd limit) * exp (score_value y).
Proof.
  intros H Hd Hp Py. destruct (proj2 (sums_after_bounds ps) (d - 1)%nat p Hp) as (a & Ha & Ba).
  replace (S (d - 1)) with d in Ba by lia.
  pose proof (forward_correct ps _ no_cache no_cache _ (d - 1) p a y _ _ H no_cache_valid no_cache_valid
    aside_bounds Hp Ha Py Ba). lra.
Qed.

Lemma next_after_bounds ps : forall k p, nth_error ps k = Some p -> exists a, nth_error (next_after ps) k = Some a /\
  bounds a (weigh (map if_after (firstn 1 (skipn (S k) ps)))).
Proof.
  induction ps as [|p0 ps IH]; intros k p H; [now destruct k|]. destruct k as [|k]; [|exact (IH k p H)].
  cbn [next_after nth_error]. eexists. split; [reflexivity|]. destruct ps as [|q ps]; [simpl; lra|].
  cbn [skipn firstn map weigh_by fold_right]. rewrite Rplus_comm. apply add_bounds. simpl. lra.
Qed.

Local Theorem check_next_correct ps d p y : check_next ps = true -> (1 <= d)%nat -> nth_error ps (d - 1) = Some p ->
  if_pivot p = Some y -> IZR (fst limit) * (exp_score aside + weigh (map if_before (firstn (d - 1) ps))
  + weigh (map if_after (firstn 1 (skipn d ps)))) <= IZR (snd limit) * exp (score_value y).
Proof.
  intros H Hd Hp Py. destruct (next_after_bounds ps (d - 1)%nat p Hp) as (a & Ha & Ba).
  replace (S (d - 1)) with d in Ba by lia.
  pose proof (forward_correct ps _ no_cache no_cache _ (d - 1) p a y _ _ H no_cache_valid no_cache_valid
    aside_bounds Hp Ha Py Ba). lra.
Qed.

End Limit.

(* A row that sees fewer places has less to bear. *)
Lemma weigh_fewer W (f : pivot_scores -> option Z) k r ps : (forall o, 0 <= W o) ->
  weigh_by W (map f (skipn k (firstn r ps))) <= weigh_by W (map f (skipn k ps)).
Proof.
  intros W0. rewrite skipn_firstn_comm. rewrite <- (firstn_skipn (r - k) (skipn k ps)) at 2.
  rewrite map_app, weigh_app. pose proof (weigh_by_nonneg W (map f (skipn (r - k) (skipn k ps))) W0). lra.
Qed.

(* One row, of which `ps` are the places of the first r positions and of more. *)
Theorem dense_row_near limit next ps r n m s v t d p y z o : (if next : bool then check_next limit o ps else
  check_places limit o ps) = true -> (0 < fst limit)%Z -> (0 <= snd limit)%Z -> 0 <= z -> t * z <= exp_score o ->
  (r <= length ps)%nat -> (r <= n)%nat -> (next = true -> r = S d) -> visible n m d -> v d = t -> 0 <= t <= 1 ->
  (forall j, visible n m j -> 0 <= v j <= 1) -> (forall j, visible n m j -> (j <= r)%nat) -> (forall j, visible n m j ->
  (j < d)%nat -> v j <> t -> score_at_most (if_before (nth (j - 1) (firstn r ps) (PivotScores None None None))) (s j))
  -> (forall j, visible n m j -> (d < j)%nat -> v j <> t -> score_at_most (if_after (nth (j - 1) (firstn r ps)
  (PivotScores None None None))) (s j)) -> nth_error ps (d - 1) = Some p -> if_pivot p = Some y ->
  score_value y <= s d -> Rabs (t - attend_beside z n m s v) <= IZR (snd limit) / (IZR (fst limit) + IZR (snd limit)).
Proof.
  intros C Lc Ld Hz Ho Lr Rn Next Vd Pv Ht Hv Seen Before After Hp Py Y.
  assert (Short : length (firstn r ps) = r) by (rewrite firstn_length; lia).
  pose proof (Seen d Vd) as Dr. assert (D1 : (1 <= d)%nat) by (destruct Vd; lia).
  apply (row_near (firstn r ps) n m s v t d) with (y := y) (aside := o); auto;
    [lia|intros j Vj; rewrite Short; now apply Seen|now apply IZR_lt|now apply IZR_le|].
  assert (Fn : firstn (d - 1) (firstn r ps) = firstn (d - 1) ps) by (rewrite firstn_firstn; f_equal; lia).
  rewrite Fn. destruct next.
  - pose proof (check_next_correct limit ltac:(lia) o ps d p y C D1 Hp Py) as X.
    rewrite (Next eq_refl), skipn_firstn_comm. now replace (S d - d)%nat with 1%nat by lia.
  - pose proof (check_places_correct limit ltac:(lia) o ps d p y C D1 Hp Py) as X.
    pose proof (weigh_fewer exp_score if_after d r ps weighs_nonneg) as F0. apply IZR_lt in Lc.
    eapply Rle_trans; [|exact X]. apply Rmult_le_compat_l; lra.
Qed.
