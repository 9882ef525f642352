(* Activations on balls, entry by entry. *)
From Coq Require Import Reals ZArith QArith Qreals List Lra Lia Bool.
From Certify Require Import relu syntax real_vectors balls ball_sigmoids ball_gelu.
Import ListNotations. Open Scope R_scope.
Local Notation vector := (list R).
Section Activations.
Variable b : Z.
Hypothesis b_nonneg : (0 <= b)%Z.
Notation u := (real_unit b).

Lemma relu_near e z x : near b e z x -> near b e (Z.max 0 z) (relu x).
Proof.
  unfold near. intros H. pose proof (unit_pos b b_nonneg). eapply Rle_trans; [|exact H].
  replace (IZR (Z.max 0 z)) with (relu (IZR z)).
  - replace (relu x * u) with (relu (x * u)); [apply relu_apart|]. unfold relu.
    rewrite !(Rmult_comm _ u), <- RmaxRmult by lra. now rewrite Rmult_0_r.
  - unfold relu. destruct (Z.max_spec 0 z) as [[L ->]|[L ->]].
    + apply Rmax_right. apply IZR_le. lia.
    + apply Rmax_left. now apply IZR_le.
Qed.

Definition ball_activated (a : activation_name) (B : ball) : option ball :=
  match a with
  | ReluActivation => Some (Ball (map (Z.max 0) (numbers B)) (error B))
  | IdentityActivation => Some B
  | SigmoidActivation => Some (ball_by_values (sigmoid_value b) 1 B)
  | SiluActivation => Some (ball_by_values (silu_value b) 4 B)
  | TanhActivation => Some (ball_by_values (tanh_value b) 4 B)
  | GeluTanhActivation => Some (ball_by_values (gelu_tanh_value b) 6 B)
  | GeluActivation => Some (ball_by_values (gelu_value b) 6 B)
  end.
Theorem ball_activated_encloses a B x C : encloses b B x -> ball_activated a B = Some C ->
  encloses b C (map (activated a) x).
Proof.
  intros H. destruct a; intros K; injection K as <-.
  - destruct H as [E F]. split; [exact E|]. simpl. eapply Forall2_map; [|exact F]. intros. now apply relu_near.
  - apply ball_by_values_encloses; auto using gelu_value_is, gelu_has_slope.
  - apply ball_by_values_encloses; auto using gelu_tanh_value_is, gelu_tanh_has_slope.
  - apply ball_by_values_encloses; auto using silu_value_is, silu_has_slope.
  - apply ball_by_values_encloses; auto using sigmoid_value_is, sigmoid_has_slope.
  - apply ball_by_values_encloses; auto using tanh_value_is, tanh_has_slope.
  - simpl. now rewrite map_id.
Qed.
End Activations.
