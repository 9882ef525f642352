(* Ranges of softmax averages (docs/background/tracks_rules.md, section 5, Ranges): with l <= w <= l + g around each
   weight, the average of the values v is at most T if the sum of max(l (v - T), (l + g) (v - T)) is at most 0. *)
From Coq Require Import Reals ZArith List Lra Lia.
From Certify Require Import lists syntax real_vectors balls ball_average.
Import ListNotations. Open Scope R_scope.
Local Notation vector := (list R).

Definition excess (weight : Z * Z) (value limit : Z) : Z :=
  Z.max (fst weight * (value - limit)) ((fst weight + snd weight) * (value - limit)).
Definition integer_total (l : list Z) : Z := fold_right Z.add 0%Z l.

Lemma weighted_coordinate d i w : (i < d)%nat -> forall v, Forall (fun x => length x = d) v ->
  nth i (weighted d w v) 0 = dot w (map (fun x => nth i x 0) v).
Proof.
  intros I. unfold dot, times, total. induction w as [|w0 w IH]; intros v F.
  - cbn [weighted map2 fold_right]. apply nth_repeat.
  - destruct F as [|x v L F]; [apply nth_repeat|]. cbn [weighted map map2 fold_right]. rewrite <- IH by exact F.
    assert (N : length (weighted d w v) = d).
    { clear - F. revert v F. induction w as [|w0 w IH]; intros v F; [apply repeat_length|].
      destruct F as [|x v L F]; [apply repeat_length|]. cbn [weighted]. specialize (IH v F).
      unfold plus. rewrite packed_rows.length_map2; rewrite length_map; congruence. }
    revert N. generalize (weighted d w v) as y. clear - I L. intros y N. revert d y I L N. revert i.
    induction x as [|a x IH]; intros i d y I L N; [simpl in L; lia|].
    destruct y as [|b y]; [simpl in *; lia|]. destruct d as [|d]; [lia|].
    destruct i as [|i]; [reflexivity|]. cbn [map]. unfold plus in *. cbn [map2 nth]. apply (IH i d); simpl in *; lia.
Qed.

(* Places j, with scores s_j and values v_j. *)
Section Average.
Variables (d i : nat) (js : list nat) (s : nat -> R) (v : nat -> vector) (c t : R).
Hypothesis Coordinate : (i < d)%nat.
Hypothesis Some_place : js <> [].
Hypothesis Widths : forall j, In j js -> length (v j) = d.
Hypothesis Positive : 0 < c.
Notation average := (softmax_average d (map s js) (map v js)).
Definition weight_at (j : nat) : R := c * exp (s j - t).

Lemma softmax_width : length average = d.
Proof.
  unfold softmax_average. rewrite length_map. generalize (map exp (map s js)) as w.
  assert (F : Forall (fun x => length x = d) (map v js)).
  { apply Forall_forall. intros x I. apply in_map_iff in I as (j & <- & J). now apply Widths. }
  induction F as [|x l L F IH]; intros [|w0 w]; try apply repeat_length. cbn [weighted]. unfold plus.
  rewrite packed_rows.length_map2; rewrite length_map; [exact L|]. now rewrite IH.
Qed.
Lemma weights_positive l : l <> [] -> 0 < total (map weight_at l).
Proof.
  induction l as [|j l IH]; intros N; [easy|]. unfold total. cbn [map fold_right]. fold (total (map weight_at l)).
  assert (0 < weight_at j) by (apply Rmult_lt_0_compat; [exact Positive|apply exp_pos]).
  destruct l as [|k l]; [unfold total; simpl; lra|]. specialize (IH ltac:(discriminate)). lra.
Qed.
Lemma average_coordinate : nth i average 0 * total (map weight_at js) =
  total (map (fun j => weight_at j * nth i (v j) 0) js).
Proof.
  rewrite (softmax_relative d c t) by (try exact Positive; now destruct js). unfold ball_average.average.
  rewrite map_map. change (map (fun x => c * exp (s x - t)) js) with (map weight_at js).
  pose proof (weights_positive js Some_place) as P. set (W := total (map weight_at js)) in *.
  replace 0 with (0 / W) at 1 by (unfold Rdiv; ring). rewrite (map_nth (fun x => x / W)).
  rewrite weighted_coordinate; [|exact Coordinate|].
  - unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. unfold dot, times, total. f_equal. clear.
    induction js as [|j l IH]; [reflexivity|]. cbn [map map2]. now rewrite IH.
  - apply Forall_forall. intros x I. apply in_map_iff in I as (j & <- & J). now apply Widths.
Qed.

(* With a sign, so that least values are negated greatest ones. *)
Theorem average_at_most (sign : Z) (P : R) (weights : nat -> Z * Z) (value : nat -> Z) (limit : Z) :
  0 < P -> (forall j, In j js -> in_between (weights j) (weight_at j)) ->
  (forall j, In j js -> IZR (value j) = IZR sign * nth i (v j) 0 * P) ->
  (integer_total (map (fun j => excess (weights j) (value j) limit) js) <= 0)%Z ->
  IZR sign * nth i average 0 * P <= IZR limit.
Proof.
  intros HP Between Value Below. pose proof average_coordinate as A.
  pose proof (weights_positive js Some_place) as W.
  assert (S : forall l, (forall j, In j l -> In j js) ->
    IZR sign * total (map (fun j => weight_at j * nth i (v j) 0) l) * P - IZR limit * total (map weight_at l) <=
    IZR (integer_total (map (fun j => excess (weights j) (value j) limit) l))).
  { induction l as [|j l IH]; intros I; [unfold total; simpl; lra|]. unfold total, integer_total. cbn [map fold_right].
    specialize (IH ltac:(intros; apply I; now right)). unfold total, integer_total in IH. rewrite plus_IZR.
    destruct (Between j ltac:(apply I; now left)) as (L & G & B). specialize (Value j ltac:(apply I; now left)).
    assert (E : weight_at j * (IZR (value j) - IZR limit) <= IZR (excess (weights j) (value j) limit)).
    { unfold excess. destruct (weights j) as [l0 g]. cbn [fst snd] in *. set (D := (value j - limit)%Z).
      rewrite <- minus_IZR. fold D. destruct (Z.le_gt_cases 0 D) as [K|K].
      - apply Rle_trans with (IZR ((l0 + g) * D)); [|apply IZR_le; lia]. rewrite mult_IZR, plus_IZR.
        apply IZR_le in K. apply Rmult_le_compat_r; lra.
      - apply Rle_trans with (IZR (l0 * D)); [|apply IZR_le; lia]. rewrite mult_IZR. apply IZR_lt in K. nra. }
    rewrite Value in E. lra. }
  specialize (S js ltac:(auto)). rewrite <- A in S. apply IZR_le in Below.
  apply Rmult_le_reg_r with (total (map weight_at js)); [exact W|]. lra.
Qed.
End Average.
