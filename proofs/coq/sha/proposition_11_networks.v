(* [SHA] Proposition 11 a, b as networks: a position embedding (-1)^i, one uniform head, one feed-forward part.

   Proved: for any number of symbols, the network computes FIRST with a future mask and LAST with a past mask, exactly,
   at every position of every word of every length. proposition_11_end_markers.v has the head and the units. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia Arith.
From Certify Require Import positions finite_sums softmax relu proposition_11_end_markers formula network totals
  linear_combination hard_attention.
Import ListNotations RowNotations.
Open Scope R_scope.

(* Direction 0 holds (-1)^i, 1 the mean of -(-1)^j, 2 the marker. *)
Definition marking_head (k : masking) : head := Head k (Num 1) [] [] [(1%nat, [0 |-> -1])].
Definition marking_unit (sign : Q) : relu_unit := ReluUnit [1 |-> sign] (- (1 # 2)) [2 |-> 2].
Definition marking_network (symbols : nat) (k : masking) (signs : list Q) : transformer := Transformer (repeat []
  symbols) [(0%nat, Formula (Power (Neg (Num 1)) IntI))] [Layer [marking_head k] (map marking_unit signs) []] 2%nat.
Definition first_network (symbols : nat) : transformer := marking_network symbols FutureMasked [1%Q].
Definition last_network (symbols : nat) : transformer := marking_network symbols PastMasked [1%Q; (-1)%Q].

Lemma marking_embedding users symbols k signs n w i d :
  embed users (marking_network symbols k signs) n w i d = if (d =? 0)%nat then sign_of_parity i else 0.
Proof.
  unfold embed, marking_network. cbn [token_embedding position_embedding].
  replace (nth (w i) (repeat [] symbols) []) with (@nil (direction * Q)).
  - unfold row_entry. cbn [collect position_value expression_value integer_value]. rewrite Q2R_1, alternating_power.
    rewrite (Nat.eqb_sym 0 d). destruct (d =? 0)%nat; lra.
  - destruct (nth_in_or_default (w i) (repeat (@nil (direction * Q)) symbols) []) as [I|E]; [|now rewrite E].
    now apply repeat_spec in I.
Qed.

Lemma marking_output users symbols k signs n w i : run_transformer users (marking_network symbols k signs) n w i 2%nat
  = total_over (fun q => 2 * relu (Q2R q * attend n (mask_at k i) (fun _ => 0) (fun j =>
  - sign_of_parity j) - 1 / 2)) signs.
Proof.
  unfold run_transformer, marking_network. cbn [transformer_layers fold_left]. fold (marking_network symbols k signs).
  set (h := embed users (marking_network symbols k signs) n w).
  assert (H : forall j d, h j d = if (d =? 0)%nat then sign_of_parity j else 0) by (intros; apply marking_embedding).
  set (l := Layer [marking_head k] (map marking_unit signs) []).
  assert (A : forall d, after_heads n l h i d = h i d +
    (if (d =? 1)%nat then attend n (mask_at k i) (fun _ => 0) (fun j => - sign_of_parity j) else 0)).
  { intros d. unfold after_heads, l, head_output, marking_head. cbn [layer_heads total_over head_values collect].
    rewrite (Nat.eqb_sym 1 d), !Rplus_0_r. f_equal. destruct (d =? 1)%nat; [|reflexivity]. unfold softmax_value.
    apply attend_ext; intros j _.
    - unfold scaled_score. cbn. unfold Rdiv. ring.
    - cbn [linear]. rewrite H. cbn [Nat.eqb]. rewrite (Q2R_opp 1 : Q2R (-1) = _), Q2R_1. ring. }
  unfold after_layer. rewrite A, H. cbn [Nat.eqb]. unfold feedforward, l. cbn [layer_units layer_bias].
  unfold row_entry at 1. cbn [collect]. rewrite !Rplus_0_r, Rplus_0_l, total_map. apply total_ext. intros q _.
  unfold unit_output, marking_unit. cbn [unit_reads unit_bias unit_writes linear row_entry collect Nat.eqb]. fold l.
  rewrite A, H. cbn [Nat.eqb]. unfold row_entry. cbn [collect Nat.eqb]. rewrite Rplus_0_l, !Rplus_0_r.
  replace (Q2R 2) with 2 by (unfold Q2R; simpl; lra). rewrite (Q2R_opp (1 # 2)).
  replace (Q2R (1 # 2)) with (1 / 2) by (unfold Q2R; simpl; lra). rewrite Rmult_comm. reflexivity.
Qed.

Theorem proposition_11a_network users symbols : computes users (first_network symbols) (Positional FIRST).
Proof.
  intros n w Hn _ i. unfold first_network. cbn [transformer_output marking_network]. rewrite marking_output.
  cbn [total_over mask_at]. rewrite Q2R_1, Rmult_1_l, Rplus_0_r. exact (proposition_11a n i 0).
Qed.

Theorem proposition_11b_network users symbols : computes users (last_network symbols) (Positional LAST).
Proof.
  intros n w Hn _ i. unfold last_network. cbn [transformer_output marking_network]. rewrite marking_output.
  cbn [total_over mask_at]. rewrite Q2R_1, Rmult_1_l, Rplus_0_r, (Q2R_opp 1 : Q2R (-1) = _), Q2R_1.
  pose proof (proposition_11b n i 0) as P. cbv zeta in P. unfold end_marker in P.
  replace (- (1) * attend n (past_mask i) (fun _ => 0) (fun j => - sign_of_parity j))
    with (- attend n (past_mask i) (fun _ => 0) (fun j => - sign_of_parity j)) by ring. exact P.
Qed.
