(* gelu by calculus, with Coq's own Riemann integral: its derivative, how fast it and its derivative move, and the
   integral of the normal density between two finite sums. No power series, and not the value of the whole integral:
   all is by derivatives, `moves_by` and `grows_from_0`. *)
From Coq Require Import Reals ZArith Lra Lia.
From Certify Require Import exponential real_vectors.
Open Scope R_scope.
Local Notation density := normal_density.
Local Notation integral := normal_integral.

(* ---- derivatives ---- *)
Lemma derivative_is f x d d' : derivable_pt_lim f x d -> d = d' -> derivable_pt_lim f x d'.
Proof. now intros H <-. Qed.
Lemma derivative_near f g x d r : 0 < r -> (forall y, Rabs (y - x) < r -> f y = g y) -> derivable_pt_lim f x d ->
  derivable_pt_lim g x d.
Proof.
  intros P E H eps Pe. destruct (H eps Pe) as [delta D]. assert (Q : 0 < Rmin delta r).
  { apply Rmin_pos; [apply cond_pos|exact P]. }
  exists (mkposreal _ Q). intros h N L. simpl in L. pose proof (Rmin_l delta r). pose proof (Rmin_r delta r).
  rewrite <- !E.
  - apply D; [exact N|lra].
  - unfold Rminus. rewrite Rplus_opp_r, Rabs_R0. exact P.
  - replace (x + h - x) with h by ring. lra.
Qed.
Lemma moves_between f f' M x y : (forall z, derivable_pt_lim f z (f' z)) ->
  (forall z, Rmin x y <= z <= Rmax x y -> Rabs (f' z) <= M) -> Rabs (f x - f y) <= M * Rabs (x - y).
Proof.
  intros D B. assert (K : forall a c, a < c -> (forall z, a <= z <= c -> Rabs (f' z) <= M) ->
    Rabs (f c - f a) <= M * (c - a)).
  { intros a c L C. destruct (MVT_cor2 f f' a c L (fun z _ => D z)) as (z & E & I). rewrite E, Rabs_mult.
    rewrite (Rabs_pos_eq (c - a)) by lra. apply Rmult_le_compat_r; [lra|apply C; lra]. }
  destruct (Rtotal_order x y) as [L|[->|L]].
  - rewrite (Rabs_minus_sym x y), (Rabs_pos_eq (y - x)), (Rabs_minus_sym (f x)) by lra.
    rewrite Rmin_left, Rmax_right in B by lra. now apply K.
  - unfold Rminus. rewrite !Rplus_opp_r, Rabs_R0. lra.
  - rewrite (Rabs_pos_eq (x - y)) by lra. rewrite Rmin_right, Rmax_left in B by lra. now apply K.
Qed.
Lemma moves_by f f' M x y : (forall z, derivable_pt_lim f z (f' z)) -> (forall z, Rabs (f' z) <= M) ->
  Rabs (f x - f y) <= M * Rabs (x - y).
Proof. intros D B. apply (moves_between f f'); auto. Qed.
(* With a second derivative that moves by at most M, a parabola is within M h^3 up to a distance of h. *)
Lemma parabola_near f f1 f2 M a x h : (forall z, derivable_pt_lim f z (f1 z)) ->
  (forall z, derivable_pt_lim f1 z (f2 z)) -> (forall y z, Rabs (f2 y - f2 z) <= M * Rabs (y - z)) -> 0 <= M ->
  Rabs (x - a) <= h -> Rabs (f x - (f a + (f1 a + f2 a / 2 * (x - a)) * (x - a))) <= M * (h * h * h).
Proof.
  intros D1 D2 B P H. assert (In : forall y z, Rabs (y - a) <= h -> Rmin y a <= z <= Rmax y a -> Rabs (z - a) <= h).
  { intros y z Y I. unfold Rmin, Rmax in I. destruct (Rle_dec y a); unfold Rabs in *; repeat destruct (Rcase_abs _);
    lra. }
  assert (H0 : 0 <= h) by (pose proof (Rabs_pos (x - a)); lra).
  set (r1 := fun y => f1 y - f2 a * (y - a)). set (r0 := fun y => f y - (f1 a + f2 a / 2 * (y - a)) * (y - a)).
  assert (E1 : forall z, derivable_pt_lim r1 z (f2 z - f2 a)).
  { intros z. refine (derivative_is _ _ _ _ (derivable_pt_lim_minus _ _ _ _ _ (D2 z) (derivable_pt_lim_scal _ (f2 a) _ _
      (derivable_pt_lim_minus _ _ _ _ _ (derivable_pt_lim_id z) (derivable_pt_lim_const a z)))) _). ring. }
  assert (E0 : forall z, derivable_pt_lim r0 z (r1 z - r1 a)).
  { intros z. refine (derivative_is _ _ _ _ (derivable_pt_lim_minus _ _ _ _ _ (D1 z) (derivable_pt_lim_mult _ _ _ _ _
      (derivable_pt_lim_plus _ _ _ _ _ (derivable_pt_lim_const (f1 a) z) (derivable_pt_lim_scal _ (f2 a / 2) _ _
      (derivable_pt_lim_minus _ _ _ _ _ (derivable_pt_lim_id z) (derivable_pt_lim_const a z))))
      (derivable_pt_lim_minus _ _ _ _ _ (derivable_pt_lim_id z) (derivable_pt_lim_const a z)))) _).
    unfold r1, plus_fct, minus_fct, mult_real_fct, fct_cte, id. field. }
  assert (R1 : forall y, Rabs (y - a) <= h -> Rabs (r1 y - r1 a) <= M * h * h).
  { intros y Y. eapply Rle_trans; [apply (moves_between r1 (fun z => f2 z - f2 a) (M * h) y a E1)|].
    - intros z I. eapply Rle_trans; [apply B|]. apply Rmult_le_compat_l; [exact P|]. now apply (In y).
    - apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|exact Y]. }
  pose proof (moves_between r0 (fun z => r1 z - r1 a) (M * h * h) x a E0 (fun z I => R1 z (In x z H I))) as K.
  replace (f x - (f a + (f1 a + f2 a / 2 * (x - a)) * (x - a))) with (r0 x - r0 a) by (unfold r0; ring).
  eapply Rle_trans; [exact K|]. replace (M * (h * h * h)) with (M * h * h * h) by ring.
  apply Rmult_le_compat_l; [|exact H]. repeat apply Rmult_le_pos; lra.
Qed.
Lemma grows_from_0 f f' y : 0 <= y -> f 0 = 0 -> (forall t, derivable_pt_lim f t (f' t)) ->
  (forall t, 0 <= t <= y -> 0 <= f' t) -> 0 <= f y.
Proof.
  intros [Y|<-] F D P; [|lra]. destruct (MVT_cor2 f f' 0 y Y (fun z _ => D z)) as (c & E & C). rewrite F in E.
  assert (0 <= f' c * (y - 0)) by (apply Rmult_le_pos; [apply P|]; lra). lra.
Qed.

(* ---- the density ---- *)
Lemma root_pos : 0 < sqrt (2 * PI). Proof. apply sqrt_lt_R0. pose proof PI_RGT_0. lra. Qed.
Lemma density_derivative y : derivable_pt_lim density y (- y * density y).
Proof.
  pose proof root_pos. unfold normal_density at 1.
  refine (derivative_is _ _ _ _ (derivable_pt_lim_mult _ _ _ _ _ (derivable_pt_lim_comp (fun t => - (t * t / 2)) exp
    _ _ _ (derivable_pt_lim_opp _ _ _ (derivable_pt_lim_mult _ _ _ _ _ (derivable_pt_lim_mult _ _ _ _ _
      (derivable_pt_lim_id y) (derivable_pt_lim_id y)) (derivable_pt_lim_const (/ 2) y))) (derivable_pt_lim_exp _))
    (derivable_pt_lim_const (/ sqrt (2 * PI)) y)) _).
  unfold normal_density, comp, mult_fct, fct_cte, id. unfold Rdiv. field. lra.
Qed.
Lemma density_below t : 0 < density t <= / sqrt (2 * PI) * / (1 + t * t / 2).
Proof.
  pose proof root_pos as R. unfold normal_density, Rdiv at 1. split.
  - apply Rmult_lt_0_compat; [apply exp_pos|now apply Rinv_0_lt_compat].
  - assert (0 <= t * t) by (apply Rle_0_sqr).
    apply Rle_trans with (/ (1 + t * t / 2) * / sqrt (2 * PI)); [|right; ring].
    apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
    rewrite exp_Ropp. apply Rinv_le_contravar; [lra|].
    destruct (Req_dec (t * t / 2) 0) as [Z|N]; [rewrite Z, exp_0; lra|left; now apply exp_ineq1].
Qed.
Lemma root_inverse_small : / sqrt (2 * PI) <= 1 / 2.
Proof.
  assert (2 <= sqrt (2 * PI)).
  { apply Rle_trans with (sqrt (2 * 2)); [rewrite sqrt_square; lra|]. apply sqrt_le_1_alt. pose proof PI2_1. lra. }
  replace (1 / 2) with (/ 2) by lra. apply Rinv_le_contravar; lra.
Qed.

(* ---- the integral ---- *)
Lemma integral_derivative x : derivable_pt_lim integral x (density x).
Proof.
  set (M := Rabs x + 1). pose proof (Rabs_pos x) as P. assert (H : - M <= M) by (unfold M; lra).
  assert (C : forall z, - M <= z <= M -> continuity_pt density z) by (intros; apply density_continuous).
  assert (B : - (M - 1) <= x <= M - 1) by (unfold M, Rabs; destruct (Rcase_abs x); lra).
  pose proof (RiemannInt_P28 H C (conj (ltac:(lra) : - M <= x) (ltac:(lra) : x <= M))) as D.
  pose proof (RiemannInt_P1 (density_integrable (- M))) as I.
  assert (E : derivable_pt_lim (fun y => primitive H (FTC_P1 H C) y - RiemannInt I) x (density x)).
  { refine (derivative_is _ _ _ _ (derivable_pt_lim_minus _ _ _ _ _ D (derivable_pt_lim_const (RiemannInt I) x)) _).
    ring. }
  refine (derivative_near _ _ _ _ 1 _ _ E); [lra|]. intros y Y.
  assert (Y' : - M <= y <= M) by (unfold Rabs in Y; destruct (Rcase_abs (y - x)); lra).
  unfold primitive. destruct (Rle_dec (- M) y) as [L|]; [|lra]. destruct (Rle_dec y M) as [L'|]; [|lra].
  pose proof (RiemannInt_P26 I (density_integrable y) (FTC_P1 H C L L')) as A. unfold normal_integral. lra.
Qed.
Lemma integral_at_0 : integral 0 = 0. Proof. apply RiemannInt_P9. Qed.

(* 1/(1 + t^2/2) is the derivative of sqrt 2 atan (t / sqrt 2), which is at most sqrt 2 pi / 2. *)
Lemma sqrt_2_squared : 0 < sqrt 2 /\ sqrt 2 * sqrt 2 = 2.
Proof. split; [apply sqrt_lt_R0; lra|apply sqrt_sqrt; lra]. Qed.
Definition majorant (x : R) : R := / sqrt (2 * PI) * (sqrt 2 * atan (x * / sqrt 2)).
Lemma majorant_derivative x : derivable_pt_lim majorant x (/ sqrt (2 * PI) * / (1 + x * x / 2)).
Proof.
  destruct sqrt_2_squared as [S SS]. pose proof root_pos. unfold majorant.
  assert (P : 0 <= x * x) by apply Rle_0_sqr.
  refine (derivative_is _ _ _ _ (derivable_pt_lim_scal _ (/ sqrt (2 * PI)) _ _ (derivable_pt_lim_scal _ (sqrt 2) _ _
    (derivable_pt_lim_comp (fun x => x * / sqrt 2) atan _ _ _ (derivable_pt_lim_mult _ _ _ _ _ (derivable_pt_lim_id x)
      (derivable_pt_lim_const (/ sqrt 2) x)) (derivable_pt_lim_atan _)))) _).
  unfold id, fct_cte. assert (E : x * / sqrt 2 * (x * / sqrt 2) = x * x / 2).
  { replace (x * / sqrt 2 * (x * / sqrt 2)) with (x * x / (sqrt 2 * sqrt 2)) by (field; lra). now rewrite SS. }
  replace (1 + _) with (1 + x * x / 2) by (rewrite <- E; unfold Rsqr; ring). field. repeat split; lra.
Qed.
Lemma majorant_small x : Rabs (majorant x) <= 1.
Proof.
  destruct sqrt_2_squared as [S SS]. pose proof root_pos as R. pose proof PI_4. pose proof PI_RGT_0.
  pose proof (atan_bound (x * / sqrt 2)) as [A1 A2].
  assert (K : / sqrt (2 * PI) * sqrt 2 * (PI / 2) <= 1).
  { assert (RR : sqrt (2 * PI) = sqrt 2 * sqrt PI) by (apply sqrt_mult; lra).
    assert (Sp : 0 < sqrt PI) by (now apply sqrt_lt_R0). assert (SPP : sqrt PI * sqrt PI = PI) by (apply sqrt_sqrt;
      lra).
    rewrite RR. set (p := sqrt PI) in *. replace (PI / 2) with (p * p / 2) by lra.
    replace (/ (sqrt 2 * p) * sqrt 2 * (p * p / 2)) with (p / 2) by (field; split; lra). nra. }
  unfold majorant. rewrite <- Rmult_assoc, Rabs_mult.
  assert (P : 0 < / sqrt (2 * PI) * sqrt 2) by (apply Rmult_lt_0_compat; [now apply Rinv_0_lt_compat|exact S]).
  rewrite (Rabs_pos_eq (_ * _)) by lra.
  apply Rle_trans with (/ sqrt (2 * PI) * sqrt 2 * (PI / 2)); [|exact K]. apply Rmult_le_compat_l; [lra|].
  unfold Rabs. destruct (Rcase_abs _); lra.
Qed.
(* Both grow from 0, the majorant faster. *)
Lemma integral_small x : Rabs (integral x) <= 1.
Proof.
  pose proof (majorant_small x) as M. assert (M0 : majorant 0 = 0) by (unfold majorant; rewrite Rmult_0_l, atan_0;
    ring).
  assert (D : forall z, derivable_pt_lim (fun x => majorant x - integral x) z
    (/ sqrt (2 * PI) * / (1 + z * z / 2) - density z)).
  { intros z. apply (derivable_pt_lim_minus majorant integral); [apply majorant_derivative|apply integral_derivative]. }
  assert (B : forall a c, a < c -> 0 <= integral c - integral a <= majorant c - majorant a).
  { intros a c L. destruct (MVT_cor2 _ _ a c L (fun z _ => D z)) as (z & E1 & _).
    destruct (MVT_cor2 integral density a c L (fun z _ => integral_derivative z)) as (z' & E2 & _).
    pose proof (density_below z). pose proof (density_below z').
    assert (0 <= (/ sqrt (2 * PI) * / (1 + z * z / 2) - density z) * (c - a)) by (apply Rmult_le_pos; lra).
    assert (0 <= density z' * (c - a)) by (apply Rmult_le_pos; lra). lra. }
  pose proof integral_at_0. destruct (Rtotal_order x 0) as [L|[->|L]].
  - specialize (B _ _ L). unfold Rabs in *. repeat destruct (Rcase_abs _); lra.
  - rewrite H, Rabs_R0. lra.
  - specialize (B _ _ L). unfold Rabs in *. repeat destruct (Rcase_abs _); lra.
Qed.

(* ---- gelu moves by at most 2, its second derivative by at most 1 ---- *)
Definition gelu_derivative (x : R) : R := 1 / 2 + integral x + x * density x.
Lemma gelu_derivative_is x : derivable_pt_lim gelu x (gelu_derivative x).
Proof.
  unfold gelu. refine (derivative_is _ _ _ _ (derivable_pt_lim_mult _ _ _ _ _ (derivable_pt_lim_id x)
    (derivable_pt_lim_plus _ _ _ _ _ (derivable_pt_lim_const (1 / 2) x) (integral_derivative x))) _).
  unfold gelu_derivative, plus_fct, fct_cte, id. ring.
Qed.
Lemma moment_small c : Rabs (c * density c) <= 1 / 2.
Proof.
  pose proof (density_below c) as [D0 D1]. pose proof root_inverse_small as H. pose proof root_pos as RP.
  assert (Q : 0 <= c * c) by apply Rle_0_sqr. assert (I0 : 0 < / sqrt (2 * PI)) by now apply Rinv_0_lt_compat.
  assert (K : forall w, Rabs w <= 1 + c * c / 2 -> Rabs (w * density c) <= 1 / 2).
  { intros w W. rewrite Rabs_mult, (Rabs_pos_eq (density c)) by lra.
    apply Rle_trans with ((1 + c * c / 2) * (/ sqrt (2 * PI) * / (1 + c * c / 2))).
    - apply Rmult_le_compat; auto using Rabs_pos; lra.
    - replace ((1 + c * c / 2) * (/ sqrt (2 * PI) * / (1 + c * c / 2))) with (/ sqrt (2 * PI)) by (field; split; lra).
      exact H. }
  apply K. unfold Rabs. destruct (Rcase_abs c); nra.
Qed.
Theorem gelu_moves x y : Rabs (gelu x - gelu y) <= 2 * Rabs (x - y).
Proof.
  apply (moves_by gelu gelu_derivative); [apply gelu_derivative_is|]. intros z. unfold gelu_derivative.
  pose proof (moment_small z). pose proof (integral_small z). eapply Rle_trans; [apply Rabs_triang|].
  eapply Rle_trans; [apply Rplus_le_compat_r, Rabs_triang|]. rewrite (Rabs_pos_eq (1 / 2)) by lra. lra.
Qed.
Definition gelu_second_derivative (x : R) : R := (2 - x * x) * density x.
Lemma gelu_second_derivative_is z : derivable_pt_lim gelu_derivative z (gelu_second_derivative z).
Proof.
  unfold gelu_derivative. refine (derivative_is _ _ _ _ (derivable_pt_lim_plus _ _ _ _ _
    (derivable_pt_lim_plus _ _ _ _ _ (derivable_pt_lim_const (1 / 2) z) (integral_derivative z))
    (derivable_pt_lim_mult _ _ _ _ _ (derivable_pt_lim_id z) (density_derivative z))) _).
  unfold gelu_second_derivative, id. ring.
Qed.
Lemma density_below_squared t : density t <= / sqrt (2 * PI) * / (1 + t * t / 2 + t * t * (t * t) / 8).
Proof.
  pose proof root_pos as R. unfold normal_density, Rdiv at 1. assert (P : 0 <= t * t) by apply Rle_0_sqr.
  assert (0 <= t * t * (t * t)) by (now apply Rmult_le_pos). rewrite (Rmult_comm (exp _)).
  apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat|]. rewrite exp_Ropp. apply Rinv_le_contravar; [lra|].
  pose proof (exp_series (t * t / 2) 2 ltac:(lra)) as E. cbn [sum_f_R0 fact pow INR Nat.mul Nat.add] in E.
  replace (/ (1 + 1)) with (1 / 2) in E by field. rewrite Rinv_1 in E. lra.
Qed.
Lemma gelu_second_derivative_moves x y :
  Rabs (gelu_second_derivative x - gelu_second_derivative y) <= 1 * Rabs (x - y).
Proof.
  apply (moves_by gelu_second_derivative (fun z => (z * z * z - 4 * z) * density z)).
  - intros z. unfold gelu_second_derivative. refine (derivative_is _ _ _ _ (derivable_pt_lim_mult _ _ _ _ _
      (derivable_pt_lim_minus _ _ _ _ _ (derivable_pt_lim_const 2 z) (derivable_pt_lim_mult _ _ _ _ _
      (derivable_pt_lim_id z) (derivable_pt_lim_id z))) (density_derivative z)) _).
    unfold minus_fct, mult_fct, fct_cte, id. ring.
  - intros z. pose proof (density_below_squared z) as D. pose proof (density_below z) as [D0 _].
    pose proof root_inverse_small as H. pose proof root_pos as RP. set (q := 1 + z * z / 2 + z * z * (z * z) / 8) in *.
    assert (P : 0 <= z * z) by apply Rle_0_sqr. assert (Q : 0 < q) by (unfold q; nra).
    assert (W : Rabs (z * z * z - 4 * z) <= 2 * q).
    { pose proof (Rle_0_sqr (z * z / 2 - z - 1)). pose proof (Rle_0_sqr (z + 1)). pose proof (Rle_0_sqr (z - 1)).
      pose proof (Rle_0_sqr (z * z / 2 + z - 1)). unfold q, Rabs, Rsqr in *. destruct (Rcase_abs _); lra. }
    rewrite Rabs_mult, (Rabs_pos_eq (density z)) by lra.
    apply Rle_trans with (2 * q * (/ sqrt (2 * PI) * / q)).
    + apply Rmult_le_compat; auto using Rabs_pos; lra.
    + replace (2 * q * (/ sqrt (2 * PI) * / q)) with (2 * / sqrt (2 * PI)) by (field; split; lra). lra.
Qed.
Lemma integral_odd x : integral (- x) = - integral x.
Proof.
  assert (E : forall z, derivable_pt_lim (fun z => integral z + integral (- z)) z 0).
  { intros z. refine (derivative_is _ _ _ _ (derivable_pt_lim_plus _ _ _ _ _ (integral_derivative z)
      (derivable_pt_lim_comp (fun z => - z) integral _ _ _ (derivable_pt_lim_opp _ _ _ (derivable_pt_lim_id z))
      (integral_derivative (- z)))) _).
    unfold normal_density. replace (- z * - z) with (z * z) by ring. ring. }
  pose proof (moves_by _ (fun _ => 0) 0 x 0 E (fun z => Req_le _ _ Rabs_R0)) as K. cbv beta in K.
  rewrite Ropp_0, integral_at_0, Rmult_0_l, Rplus_0_r, Rminus_0_r in K. pose proof (Rabs_pos (integral x + integral
    (- x))).
  assert (Z : Rabs (integral x + integral (- x)) = 0) by lra.
  destruct (Req_dec (integral x + integral (- x)) 0) as [Y|N]; [lra|]. apply Rabs_no_R0 in N. lra.
Qed.
Lemma density_even x : density (- x) = density x.
Proof. unfold normal_density. now replace (- x * - x) with (x * x) by ring. Qed.

(* ---- the integral between finite sums ---- *)
(* y, y^3/3, y^5/15, ...: y^(2k+1) / (1 3 5 ... (2k+1)), and their sums *)
Fixpoint odd_term (k : nat) (y : R) : R :=
  match k with O => y | S j => odd_term j y * (y * y) / INR (2 * j + 3) end.
Fixpoint odd_sum (k : nat) (y : R) : R := match k with O => y | S j => odd_sum j y + odd_term (S j) y end.
Definition term_derivative (k : nat) (y : R) : R := match k with O => 1 | S j => y * odd_term j y end.
Definition shorter_sum (k : nat) (y : R) : R := match k with O => 0 | S j => odd_sum j y end.
Lemma odd_pos j : 0 < INR (2 * j + 3). Proof. apply lt_0_INR. lia. Qed.
Lemma odd_term_derivative k y : derivable_pt_lim (odd_term k) y (term_derivative k y).
Proof.
  induction k as [|j IH]; [apply derivable_pt_lim_id|]. cbn [odd_term term_derivative]. pose proof (odd_pos j) as P.
  refine (derivative_is _ _ _ _ (derivable_pt_lim_mult _ _ _ _ _ (derivable_pt_lim_mult _ _ _ _ _ IH
    (derivable_pt_lim_mult _ _ _ _ _ (derivable_pt_lim_id y) (derivable_pt_lim_id y)))
    (derivable_pt_lim_const (/ INR (2 * j + 3)) y)) _).
  unfold id, fct_cte, mult_fct. assert (E : term_derivative j y * (y * y) = y * (odd_term j y * INR (2 * j + 1))).
  { destruct j as [|j]; cbn [term_derivative odd_term]; [simpl; ring|].
    replace (2 * S j + 1)%nat with (2 * j + 3)%nat by lia. pose proof (odd_pos j). field. lra. }
  rewrite E. replace (INR (2 * j + 3)) with (INR (2 * j + 1) + 2) in * by (rewrite !plus_INR; simpl; ring). field. lra.
Qed.
Lemma odd_sum_derivative k y : derivable_pt_lim (odd_sum k) y (1 + y * shorter_sum k y).
Proof.
  induction k as [|j IH].
  - refine (derivative_is _ _ _ _ (odd_term_derivative 0 y) _). simpl. ring.
  - refine (derivative_is _ _ _ _ (derivable_pt_lim_plus (odd_sum j) (odd_term (S j)) y _ _ IH
      (odd_term_derivative (S j) y)) _). destruct j; cbn [shorter_sum odd_sum term_derivative]; simpl; ring.
Qed.
Lemma odd_sum_last k y : odd_sum k y = shorter_sum k y + odd_term k y. Proof. destruct k; simpl; ring. Qed.
Lemma odd_term_nonneg k y : 0 <= y -> 0 <= odd_term k y.
Proof.
  intros H. induction k as [|j IH]; simpl odd_term; [exact H|]. pose proof (odd_pos j).
  apply Rmult_le_pos; [apply Rmult_le_pos; [exact IH|nra]|left; now apply Rinv_0_lt_compat].
Qed.
Lemma odd_term_at_0 k : odd_term k 0 = 0. Proof. induction k; simpl; [reflexivity|rewrite IHk; unfold Rdiv; ring]. Qed.
Lemma odd_sum_at_0 k : odd_sum k 0 = 0.
Proof. induction k; [reflexivity|]. cbn [odd_sum]. rewrite IHk, odd_term_at_0. ring. Qed.
Lemma times_density_derivative f d y : derivable_pt_lim f y d ->
  derivable_pt_lim (fun y => density y * f y) y (density y * (d - y * f y)).
Proof.
  intros F. refine (derivative_is _ _ _ _ (derivable_pt_lim_mult _ _ _ _ _ (density_derivative y) F) _). ring.
Qed.

Theorem integral_at_least k y : 0 <= y -> density y * odd_sum k y <= integral y.
Proof.
  intros Y. assert (0 <= integral y - density y * odd_sum k y); [|lra].
  apply (grows_from_0 (fun y => integral y - density y * odd_sum k y)
    (fun t => density t - density t * (1 + t * shorter_sum k t - t * odd_sum k t)) y Y).
  - rewrite integral_at_0, odd_sum_at_0. ring.
  - intros t. apply (derivable_pt_lim_minus integral (fun y => density y * odd_sum k y)); [apply integral_derivative|].
    apply times_density_derivative, odd_sum_derivative.
  - intros t [T _]. rewrite odd_sum_last. pose proof (density_below t). pose proof (odd_term_nonneg k t T).
    replace (density t - density t * (1 + t * shorter_sum k t - t * (shorter_sum k t + odd_term k t)))
      with (density t * (t * odd_term k t)) by ring. apply Rmult_le_pos; [lra|nra].
Qed.
Theorem integral_at_most k y : 0 <= y -> 2 * (y * y) <= INR (2 * k + 3) ->
  integral y <= density y * (odd_sum k y + 2 * odd_term (S k) y).
Proof.
  intros Y B. set (f := fun y => odd_sum k y + 2 * odd_term (S k) y).
  assert (0 <= density y * f y - integral y); [|unfold f in *; lra].
  apply (grows_from_0 (fun y => density y * f y - integral y)
    (fun t => density t * ((1 + t * shorter_sum k t + 2 * (t * odd_term k t)) - t * f t) - density t) y Y).
  - unfold f. rewrite integral_at_0, odd_sum_at_0, odd_term_at_0. ring.
  - intros t. apply (derivable_pt_lim_minus (fun y => density y * f y) integral); [|apply integral_derivative].
    apply times_density_derivative. unfold f. apply (derivable_pt_lim_plus (odd_sum k) (fun y => 2 * odd_term (S k) y));
      [apply odd_sum_derivative|]. exact (derivable_pt_lim_scal _ 2 t _ (odd_term_derivative (S k) t)).
  - intros t [T1 T2]. unfold f. rewrite odd_sum_last. pose proof (density_below t).
    pose proof (odd_term_nonneg k t T1) as N. pose proof (odd_pos k) as P.
    assert (H2 : 2 * odd_term (S k) t <= odd_term k t).
    { cbn [odd_term]. replace (2 * (odd_term k t * (t * t) / INR (2 * k + 3))) with
        (odd_term k t * (2 * (t * t) / INR (2 * k + 3))) by (field; lra).
      rewrite <- (Rmult_1_r (odd_term k t)) at 2. apply Rmult_le_compat_l; [exact N|].
      apply Rmult_le_reg_r with (INR (2 * k + 3)); [exact P|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
      assert (t * t <= y * y) by (apply Rmult_le_compat; lra). lra. }
    replace (density t * (1 + t * shorter_sum k t + 2 * (t * odd_term k t) - t * (shorter_sum k t + odd_term k t
      + 2 * odd_term (S k) t)) - density t) with (density t * (t * (odd_term k t - 2 * odd_term (S k) t))) by ring.
    apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; lra.
Qed.
