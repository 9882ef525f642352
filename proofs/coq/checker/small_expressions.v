(* Expressions that are 1, and position embeddings that are small, by their monomials,
   or at each position up to a length.

   Proved: at every position of every allowed length `is_one_for` is right,
   and what `is_small_for L 0` (`is_small_for L 2`)
   accepts has an absolute value of at most 1 (of at most n^2). *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia.
From Certify Require Import positions finite_sums softmax formula network linear_combination proposition_11_end_markers
  monomial values_by_rows.
Import PositionNotations. Open Scope R_scope.

Local Definition is_one (x : expression) : bool :=
  match monomial_of x with Some (Monomial c Z0 Z0 Z0 false) => Qeq_bool c 1 | _ => false end.

(* c i^a n^b (n+1-i)^d (+-1)^i is at most n^(max(a,0) + b + max(d,0)) if c is at most 1. *)
Definition is_small (k : Z) (p : position_function) : bool :=
  match p with
  | Bracket _ _ => Z.leb 0 k
  | Formula x =>
      match monomial_of x with
      | Some a => Qle_bool (-1) (monomial_factor a) && Qle_bool (monomial_factor a) 1
          && Z.leb (Z.max (monomial_i a) 0 + monomial_n a + Z.max (monomial_end a) 0) k
      | None => false
      end
  end.

(* At every position of every allowed length the expression has an exact value, and it is so. *)
Definition at_all_rows (L : lengths) (x : expression) (so : nat -> Q -> bool) : bool :=
  match greatest_length L with
  | Some N =>
      let least := Nat.max 1 (least_length L) in
      forallb (fun n => forallb (fun i => match exact_value x n i with Some q => so n q | None => false end) (seq 1 n))
        (seq least (S N - least))
  | None => false
  end.
Definition is_within (k n : nat) (q : Q) : bool :=
  let z := (Z.of_nat n ^ Z.of_nat k * Zpos (Qden q))%Z in Z.leb (- z) (Qnum q) && Z.leb (Qnum q) z.
Definition is_one_for (L : lengths) (x : expression) : bool :=
  if is_one x then true else at_all_rows L x (fun _ q => Qeq_bool q 1).
Definition is_small_for (L : lengths) (k : nat) (p : position_function) : bool :=
  if is_small (Z.of_nat k) p then true
  else match p with Formula x => at_all_rows L x (is_within k) | Bracket _ _ => false end.

Section Small.
Variables (users : predicate_meanings) (n : nat) (i : position n).

Lemma is_one_correct x : is_one x = true -> expression_value x n i = 1.
Proof.
  unfold is_one. destruct (monomial_of x) as [[c [| |] [| |] [| |] []]|] eqn:E; try discriminate. intros H.
  apply Qeq_bool_R in H. rewrite (monomial_of_value n i x _ E). unfold monomial_value. simpl. rewrite H, Q2R_1. ring.
Qed.

Lemma power_pos k a : (1 <= k)%nat -> 0 < powerRZ (INR k) a. Proof. intros H. apply powerRZ_lt, lt_0_INR. lia. Qed.

Local Lemma power_grows k a b : (1 <= k)%nat -> (a <= b)%Z -> powerRZ (INR k) a <= powerRZ (INR k) b.
Proof.
  intros H L. replace b with (a + Z.of_nat (Z.to_nat (b - a)))%Z by lia. rewrite power_add by exact H.
  rewrite <- pow_powerRZ. pose proof (power_pos k a H) as P.
  assert (1 <= INR k ^ Z.to_nat (b - a)) by (apply pow_R1_Rle; change 1 with (INR 1); now apply le_INR). nra.
Qed.

Lemma power_of_less k a : k upto n -> powerRZ (INR k) a <= powerRZ (INR n) (Z.max a 0).
Proof.
  intros H. apply Rle_trans with (powerRZ (INR k) (Z.max a 0)); [apply power_grows; lia|].
  replace (Z.max a 0) with (Z.of_nat (Z.to_nat a)) by lia. rewrite <- !pow_powerRZ.
  apply pow_incr. split; [apply pos_INR|now apply le_INR].
Qed.

Lemma sign_abs b : Rabs (sign_factor b i) = 1.
Proof. unfold sign_factor, sign_of_parity. destruct b, (Nat.odd i); rewrite ?Rabs_Ropp, ?Rabs_R1; try reflexivity;
  unfold Rabs; destruct (Rcase_abs _); lra. Qed.

Lemma is_small_correct k p : is_small k p = true -> Rabs (position_value users p n i) <= powerRZ (INR n) k.
Proof.
  assert (Hn : (1 <= n)%nat) by lia. destruct p as [x|f s]; cbn [is_small position_value]; intros H.
  - destruct (monomial_of x) as [a|] eqn:E; [|discriminate]. rewrite (monomial_of_value n i x a E).
    apply andb_prop in H as [H K]. apply andb_prop in H as [C D]. apply Qle_bool_R in C, D. apply Z.leb_le in K.
    replace (Q2R (-1)) with (-1) in C by (unfold Q2R; simpl; lra). rewrite Q2R_1 in D. unfold monomial_value.
    rewrite !Rabs_mult, sign_abs, Rmult_1_r. assert (Hk : (1 <= S n - i <= n)%nat) by lia.
    pose proof (power_of_less i (monomial_i a) (in_word i)) as I1.
    pose proof (power_of_less _ (monomial_end a) Hk) as I2.
    pose proof (power_pos i (monomial_i a) (proj1 (in_word i))) as P1.
    pose proof (power_pos _ (monomial_end a) (proj1 Hk)) as P2. pose proof (power_pos n (monomial_n a) Hn) as P3.
    rewrite (Rabs_pos_eq (powerRZ (INR i) _)) by lra. rewrite (Rabs_pos_eq (powerRZ (INR n) _)) by lra.
    rewrite (Rabs_pos_eq (powerRZ (INR (S n - i)) _)) by lra.
    assert (F : Rabs (Q2R (monomial_factor a)) <= 1) by (apply Rabs_le; lra).
    pose proof (Rabs_pos (Q2R (monomial_factor a))) as F0.
    apply Rle_trans with (1 * powerRZ (INR n) (Z.max (monomial_i a) 0) * powerRZ (INR n) (monomial_n a)
      * powerRZ (INR n) (Z.max (monomial_end a) 0)).
    + repeat (apply Rmult_le_compat; try lra; try (repeat apply Rmult_le_pos; lra)).
    + rewrite Rmult_1_l, <- !power_add by exact Hn. now apply power_grows.
  - apply Z.leb_le in H. apply Rle_trans with 1; [destruct (truth _ _ _ _ _); simpl; rewrite ?Rabs_R1, ?Rabs_R0; lra|].
    change 1 with (powerRZ (INR n) 0). now apply power_grows.
Qed.

Lemma at_all_rows_correct L x so : length_allowed L n -> at_all_rows L x so = true ->
  exists q, expression_value x n i = Q2R q /\ so n q = true.
Proof.
  unfold at_all_rows. intros (H1 & Hl & Hg) H. destruct (greatest_length L) as [N|]; [|discriminate]. cbv zeta in H.
  rewrite forallb_forall in H. specialize (H n ltac:(apply in_seq; lia)). rewrite forallb_forall in H.
  specialize (H i ltac:(apply in_seq; lia)). destruct (exact_value x n i) as [q|] eqn:E; [|discriminate].
  exists q. split; [exact (proj1 (exact_correct x n i q E))|exact H].
Qed.

Lemma is_one_for_correct L x : length_allowed L n -> is_one_for L x = true -> expression_value x n i = 1.
Proof.
  unfold is_one_for. intros HL H. destruct (is_one x) eqn:E; [now apply is_one_correct|].
  destruct (at_all_rows_correct L x _ HL H) as (q & -> & Hq). apply Qeq_bool_R in Hq. now rewrite Hq, Q2R_1.
Qed.

Lemma is_within_correct k q : is_within k n q = true -> Rabs (Q2R q) <= INR n ^ k.
Proof.
  unfold is_within. cbv zeta. intros H. apply andb_prop in H as [A B]. apply Z.leb_le in A, B.
  apply IZR_le in A, B. rewrite opp_IZR in A. rewrite mult_IZR, <- pow_IZR, <- INR_IZR_INZ in A, B.
  unfold Q2R. destruct q as [a d]. cbn [Qnum Qden] in *. assert (P : 0 < IZR (Zpos d)) by now apply IZR_lt.
  apply Rabs_le. split; (apply Rmult_le_reg_r with (IZR (Zpos d)); [exact P|]);
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r || idtac; try lra; rewrite ?Rmult_assoc, ?Rinv_l; lra.
Qed.

Lemma is_small_for_correct L k p : length_allowed L n -> is_small_for L k p = true ->
  Rabs (position_value users p n i) <= INR n ^ k.
Proof.
  unfold is_small_for. intros HL H. destruct (is_small _ p) eqn:E.
  - apply is_small_correct in E. now rewrite <- pow_powerRZ in E.
  - destruct p as [x|]; [|discriminate]. destruct (at_all_rows_correct L x _ HL H) as (q & Hq & W).
    cbn [position_value]. rewrite Hq. now apply is_within_correct.
Qed.
End Small.
