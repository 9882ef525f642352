(* Vectors of real numbers as lists, and the operations of a trained network on them (docs/reference/trained.md,
   section 1): linear maps, norms, softmax averages, activations. Lists of different lengths are cut to the shorter one;
   what is read from a file has lengths that match. *)
From Coq Require Import Reals ZArith List Lra.
From Certify Require Import relu weighing syntax.
Import ListNotations. Open Scope R_scope.

Local Notation vector := (list R).
Definition total (x : vector) : R := fold_right Rplus 0 x.
Definition mean (x : vector) : R := total x / INR (length x).
Fixpoint map2 {X Y W} (f : X -> Y -> W) (x : list X) (y : list Y) : list W :=
  match x, y with x0 :: x, y0 :: y => f x0 y0 :: map2 f x y | _, _ => [] end.
Definition plus : vector -> vector -> vector := map2 Rplus.
Definition times : vector -> vector -> vector := map2 Rmult.
Definition dot (a x : vector) : R := total (times a x).

(* ---- norms, before gain and bias ---- *)
Definition squares (x : vector) : vector := map (fun c => c * c) x.
Definition over_deviation (epsilon : R) (c : vector) : vector :=
  map (fun y => y / sqrt (mean (squares c) + epsilon)) c.
Definition centred (x : vector) : vector := map (fun a => a - mean x) x.
Definition normalised (kind : norm_kind) (epsilon : R) (x : vector) : vector :=
  over_deviation epsilon match kind with LayerNorm => centred x | RootMeanSquare => x end.

(* ---- averages ---- *)
(* The sum of w_j v_j; vectors of d coordinates. *)
Fixpoint weighted (d : nat) (w : list R) (v : list vector) : vector :=
  match w, v with w0 :: w, v0 :: v => plus (map (Rmult w0) v0) (weighted d w v) | _, _ => repeat 0 d end.
Definition softmax_average (d : nat) (scores : list R) (v : list vector) : vector :=
  map (fun x => x / total (map exp scores)) (weighted d (map exp scores) v).

(* ---- activations ---- *)
(* e^(-t^2/2) / sqrt(2 pi), and its integral from 0 to x. *)
Definition normal_density (t : R) : R := exp (- (t * t / 2)) / sqrt (2 * PI).
Lemma density_continuous : continuity normal_density.
Proof.
  intros x. unfold normal_density, Rdiv. apply continuity_pt_mult; [|apply continuity_pt_const; now intros ? ?].
  apply (continuity_pt_comp (fun t => - (t * t * / 2)) exp); [|apply derivable_continuous_pt, derivable_pt_exp].
  apply continuity_pt_opp, continuity_pt_mult; [|apply continuity_pt_const; now intros ? ?].
  apply continuity_pt_mult; apply derivable_continuous_pt, derivable_pt_id.
Qed.
Lemma density_integrable x : Riemann_integrable normal_density 0 x.
Proof.
  destruct (Rle_dec 0 x) as [H|H].
  - apply continuity_implies_RiemannInt; [exact H|]. intros. apply density_continuous.
  - apply RiemannInt_P1, continuity_implies_RiemannInt; [lra|]. intros. apply density_continuous.
Qed.
Definition normal_integral (x : R) : R := RiemannInt (density_integrable x).


(* x times the probability that a normal variable is less than x *)
Definition gelu (x : R) : R := x * (1 / 2 + normal_integral x).
(* The binary64 number nearest to sqrt(2/pi), 0x1.9884533d43651p-1. *)
Definition gelu_tanh_factor : R := IZR 7186705221432913 / IZR (2 ^ 53).
Definition gelu_tanh (x : R) : R := x * sigmoid (2 * gelu_tanh_factor * (x + 44715 / 1000000 * (x * x * x))).
Definition activated (a : activation_name) : R -> R :=
  match a with
  | ReluActivation => relu
  | GeluActivation => gelu
  | GeluTanhActivation => gelu_tanh
  | SiluActivation => fun x => x * sigmoid x
  | SigmoidActivation => sigmoid
  | TanhActivation => fun x => 1 - 2 / (1 + exp (2 * x))
  | IdentityActivation => fun x => x
  end.
