(* Attention to one pivot under sparsemax and 1.5-entmax: what gap_rule.v is for softmax.

   With p = k + 1: if the pivot weighs at least r^p >= 1 - e, all others weigh at most e. Else a position whose score is
   by G above that of the pivot weighs at most ([p r + G]_+ / p)^p; so if these sum to at most e over the bad
   positions, the error is at most e (docs/background/obligations.md, A pivot). Sums are of integers, for each pivot by
   itself. Proved: what `check_sparsely` accepts has the error that its limit allows. *)
From Coq Require Import Reals ZArith Lra Lia List Bool Arith.
From Certify Require Import lists finite_sums softmax relu entmax exp_enclosure gap_rule.
Import ListNotations.
Open Scope R_scope.

Section Rule.
Variables (k n : nat) (m : mask) (s v : nat -> R) (t : R) (d : nat) (r e : R).
Hypothesis Vd : visible n m d.
Hypothesis Ht : 0 <= t <= 1.
Hypothesis Hv : forall j, visible n m j -> 0 <= v j <= 1.
Hypothesis Pivot : v d = t.
Hypothesis Hr : 0 <= r.
Hypothesis He : 1 - e <= r ^ S k.

Definition left_over (g : R) : R := entmax_term k (INR (S k) * r + g).
Definition bad_left (j : nat) : R := if Req_EM_T (v j) t then 0 else if m j then left_over (s j - s d) else 0.
Hypothesis Bad : sum_to n bad_left <= e.

Definition bad_share (j : nat) : R := if Req_EM_T (v j) t then 0 else entmax k n m s j.

Lemma error_by_bad_share : Rabs (t - attend_sparsely k n m s v) <= sum_to n bad_share.
Proof.
  pose proof (entmax_total k n m s d Vd) as One. rewrite <- (Rmult_1_r t), <- One. unfold attend_sparsely.
  rewrite <- sum_scale, <- sum_minus. eapply Rle_trans; [apply sum_Rabs|]. apply sum_le. intros j Hj.
  replace (t * entmax k n m s j - entmax k n m s j * v j) with (entmax k n m s j * (t - v j)) by ring.
  pose proof (entmax_nonneg k n m s j) as P. rewrite Rabs_mult, (Rabs_right (entmax k n m s j)) by lra.
  unfold bad_share. destruct (Req_EM_T (v j) t) as [->|Ne]; [rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; lra|].
  destruct (m j) eqn:M; [|unfold entmax; rewrite M; lra]. rewrite <- (Rmult_1_r (entmax k n m s j)) at 2.
  apply Rmult_le_compat_l; [exact P|]. specialize (Hv j (conj Hj M)). apply Rabs_le. lra.
Qed.

Theorem sparse_rule : Rabs (t - attend_sparsely k n m s v) <= e.
Proof.
  eapply Rle_trans; [apply error_by_bad_share|]. destruct (Rlt_le_dec (entmax k n m s d) (r ^ S k)) as [L|L].
  - eapply Rle_trans; [|exact Bad]. apply sum_le. intros j Hj. unfold bad_share, bad_left.
    destruct (Req_EM_T (v j) t); [lra|]. destruct (m j) eqn:M; [|unfold entmax; rewrite M; lra].
    apply entmax_kernel; [exact Vd|now split|exact Hr|exact L].
  - pose proof (entmax_total k n m s d Vd) as One. rewrite (sum_apart n d) in One by apply Vd.
    apply Rle_trans with (sum_to n (zeroed_at d (entmax k n m s))); [|lra]. apply sum_le. intros j Hj.
    unfold bad_share, zeroed_at. pose proof (entmax_nonneg k n m s j). destruct (Nat.eqb_spec j d) as [->|].
    + destruct (Req_EM_T (v d) t); [lra|contradiction].
    + destruct (Req_EM_T (v j) t); lra.
Qed.
End Rule.

(* ---- in integers ---- *)
Local Fixpoint raised (p : nat) (x : Z) : Z := match p with O => 1 | S p => x * raised p x end%Z.
Lemma raised_value p x : IZR (raised p x) = IZR x ^ p.
Proof. induction p as [|p IH]; [reflexivity|]. cbn [raised pow]. now rewrite mult_IZR, IH. Qed.

Definition unit_score : Z := 2 ^ score_bits.
(* A number r in units of a score with r^p at least c/(c + d), for p = 1 and 2; whether it is, is looked at. *)
Definition root_of (k : nat) (limit : Z * Z) : Z :=
  let x := (- ((- (fst limit * raised (S k) unit_score)) / (fst limit + snd limit)))%Z in
  match k with O => x | _ => Z.sqrt_up x end.
Section Pass.
Variables (k : nat) (limit : Z * Z).
Local Definition cost (root y : Z) (o : option Z) : Z :=
  match o with Some x => raised (S k) (Z.max 0 (Z.of_nat (S k) * root + (x - y))) | None => 0 end%Z.
Local Definition costs (root y : Z) (l : list (option Z)) : Z := fold_right (fun o x => cost root y o + x)%Z 0%Z l.
Definition whole_cost : Z := raised (S k) (Z.of_nat (S k) * unit_score).
Local Definition bears (root : Z) (next : bool) (ps : list pivot_scores) (j : nat) : bool :=
  match nth_error ps j with
  | Some (PivotScores _ (Some y) _) =>
      let after := skipn (S j) ps in
      ((fst limit + snd limit) * (costs root y (map if_before (firstn j ps))
         + costs root y (map if_after (if next then firstn 1 after else after))) <=? snd limit * whole_cost)%Z
  | _ => true
  end.
Definition check_sparsely (next : bool) (ps : list pivot_scores) : bool :=
  let root := root_of k limit in
  (0 <=? root)%Z && (fst limit * raised (S k) unit_score <=? (fst limit + snd limit) * raised (S k) root)%Z
  && all_of (bears root next ps) (seq 0 (length ps)).

Variable root : Z.
Hypothesis Root : (0 <= root)%Z.
Definition left_at (y : Z) (o : option Z) : R :=
  match o with Some x => left_over k (score_value root) (score_value x - score_value y) | None => 0 end.

Lemma left_at_nonneg y o : 0 <= left_at y o. Proof. destruct o; [apply above_nonneg|simpl; lra]. Qed.
Lemma unit_score_pos : 0 < IZR unit_score. Proof. now apply IZR_lt. Qed.
Lemma whole_cost_pos : 0 < IZR whole_cost.
Proof.
  unfold whole_cost. rewrite raised_value. apply pow_lt. rewrite mult_IZR, <- INR_IZR_INZ.
  apply Rmult_lt_0_compat; [apply order_pos|apply unit_score_pos].
Qed.
Lemma cost_value y o : left_at y o = IZR (cost root y o) / IZR whole_cost.
Proof.
  pose proof unit_score_pos as U. pose proof (order_pos k) as P. destruct o as [x|]; cbn [left_at cost];
    [|unfold Rdiv; ring].
  unfold left_over, entmax_term, whole_cost. rewrite !raised_value. unfold Rdiv. rewrite <- pow_inv, <- Rpow_mult_distr.
  f_equal. set (a := (Z.of_nat (S k) * root + (x - y))%Z).
  assert (E : (INR (S k) * score_value root + (score_value x - score_value y)) * / INR (S k)
    = IZR a * / IZR (Z.of_nat (S k) * unit_score)).
  { unfold a, fixed, unit_score. rewrite plus_IZR, minus_IZR, !mult_IZR, <- INR_IZR_INZ. field.
    split; [|lra]. unfold unit_score in U. lra. }
  rewrite E. assert (D : 0 < / IZR (Z.of_nat (S k) * unit_score)).
  { apply Rinv_0_lt_compat. rewrite mult_IZR, <- INR_IZR_INZ. now apply Rmult_lt_0_compat. }
  destruct (Z.max_spec 0 a) as [[L ->]|[L ->]].
  - apply IZR_lt in L. apply relu_linear, Rmult_le_pos; lra.
  - apply IZR_le in L. rewrite relu_zero; [ring|]. rewrite <- (Rmult_0_l (/ IZR (Z.of_nat (S k) * unit_score))).
    apply Rmult_le_compat_r; lra.
Qed.
Lemma costs_value y l : weigh_by (left_at y) l = IZR (costs root y l) / IZR whole_cost.
Proof.
  induction l as [|o l IH]; cbn [weigh_by costs fold_right]; [unfold Rdiv; ring|].
  fold (weigh_by (left_at y) l). fold (costs root y l). rewrite IH, cost_value, plus_IZR. unfold Rdiv. ring.
Qed.

Lemma bears_correct next ps d p y : all_of (bears root next ps) (seq 0 (length ps)) = true -> (1 <= d)%nat ->
  nth_error ps (d - 1) = Some p -> if_pivot p = Some y ->
  (IZR (fst limit) + IZR (snd limit)) * (weigh_by (left_at y) (map if_before (firstn (d - 1) ps))
    + weigh_by (left_at y) (map if_after (if next then firstn 1 (skipn d ps) else skipn d ps))) <= IZR (snd limit).
Proof.
  intros H Hd Hp Py. assert (L : (d - 1 < length ps)%nat) by (apply nth_error_Some; congruence).
  pose proof (all_of_forall _ _ H (d - 1)%nat ltac:(apply in_seq; lia)) as B. unfold bears in B. rewrite Hp in B.
  destruct p as [q o u]. cbn [if_pivot] in Py. subst o. replace (S (d - 1)) with d in B by lia. cbv zeta in B.
  apply Z.leb_le, IZR_le in B. rewrite !mult_IZR, !plus_IZR in B. rewrite !costs_value.
  pose proof whole_cost_pos as W. set (w := IZR whole_cost) in *.
  apply Rmult_le_reg_r with w; [exact W|]. eapply Rle_trans; [right|exact B]. field. lra.
Qed.
End Pass.

(* ---- one row ---- *)
Theorem sparse_row_near k limit next ps r n m s v t d p y : check_sparsely k limit next ps = true -> (0 < fst limit)%Z
  -> (0 <= snd limit)%Z -> (r <= length ps)%nat -> (r <= n)%nat -> (next = true -> r = S d) -> visible n m d -> v d = t
  -> 0 <= t <= 1 -> (forall j, visible n m j -> 0 <= v j <= 1) -> (forall j, visible n m j -> (j <= r)%nat) -> (forall
  j, visible n m j -> (j < d)%nat -> v j <> t -> score_at_most (if_before (nth (j - 1) (firstn r ps) (PivotScores None
  None None))) (s j)) -> (forall j, visible n m j -> (d < j)%nat -> v j <> t -> score_at_most (if_after (nth (j - 1)
  (firstn r ps) (PivotScores None None None))) (s j)) -> nth_error ps (d - 1) = Some p -> if_pivot p = Some y ->
  score_value y <= s d -> Rabs (t - attend_sparsely k n m s v) <= IZR (snd limit) / (IZR (fst limit) + IZR (snd limit)).
Proof.
  intros C Lc Ld Lr Rn Next Vd Pv Ht Hv Seen Before After Hp Py Y. unfold check_sparsely in C. cbv zeta in C.
  set (root := root_of k limit) in *. apply andb_prop in C as [C B]. apply andb_prop in C as [R0 C].
  apply Z.leb_le in R0, C. apply IZR_le in C. rewrite !mult_IZR, plus_IZR, !raised_value in C.
  pose proof unit_score_pos as U. apply IZR_lt in Lc. apply IZR_le in Ld.
  assert (Short : length (firstn r ps) = r) by (rewrite firstn_length; lia). pose proof (Seen d Vd) as Dr.
  assert (D1 : (1 <= d)%nat) by (destruct Vd; lia).
  pose proof (bears_correct k limit root next ps d p y B D1 Hp Py) as X. pose proof (left_at_nonneg k root y) as W0.
  set (c := IZR (fst limit)) in *. set (e := IZR (snd limit)) in *.
  assert (Root : 0 <= score_value root) by (apply fixed_nonneg; [apply score_bits_nonneg|exact R0]).
  apply (sparse_rule k n m s v t d (score_value root)); auto.
  - replace (1 - e / (c + e)) with (c / (c + e)) by (field; lra). unfold fixed, Rdiv. rewrite Rpow_mult_distr, pow_inv.
    assert (P : 0 < IZR unit_score ^ S k) by now apply pow_lt. fold unit_score.
    apply Rmult_le_reg_r with ((c + e) * IZR unit_score ^ S k); [apply Rmult_lt_0_compat; lra|].
    replace (c * / (c + e) * ((c + e) * IZR unit_score ^ S k)) with (c * IZR unit_score ^ S k) by (field; lra).
    replace (IZR root ^ S k * / IZR unit_score ^ S k * ((c + e) * IZR unit_score ^ S k)) with ((c + e) * IZR root ^ S k)
      by (field; lra). exact C.
  - apply Rle_trans with (weigh_by (left_at k root y) (map if_before (firstn (d - 1) (firstn r ps)))
      + weigh_by (left_at k root y) (map if_after (skipn d (firstn r ps)))).
    + apply (bad_weigh (firstn r ps) n m s v t d); auto; [lia|intros j Vj; rewrite Short; now apply Seen| |].
      * intros j _ [M|G]; unfold bad_left; [rewrite M|rewrite G]; destruct (Req_EM_T _ _); congruence || reflexivity.
      * intros j o [_ M] Ne (x & -> & Hx). unfold bad_left. destruct (Req_EM_T _ _); [contradiction|]. rewrite M.
        apply above_grows. lra.
    + assert (Fn : firstn (d - 1) (firstn r ps) = firstn (d - 1) ps) by (rewrite firstn_firstn; f_equal; lia).
      rewrite Fn. apply Rmult_le_reg_l with (c + e); [lra|]. replace ((c + e) * (e / (c + e))) with e by (field; lra).
      eapply Rle_trans; [|exact X]. apply Rmult_le_compat_l; [lra|]. apply Rplus_le_compat_l. destruct next.
      * rewrite (Next eq_refl), skipn_firstn_comm. replace (S d - d)%nat with 1%nat by lia. lra.
      * apply weigh_fewer. exact W0.
Qed.
