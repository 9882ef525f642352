(* Expressions such as 2*i, i/n, 1/i^2, (-1)^i, 1/(n+1-i) as monomials c i^a n^b (n+1-i)^d (+-1)^i.

   Proved: where an expression has a monomial, the two agree at every position of every length. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia.
From Certify Require Import positions finite_sums formula network linear_combination proposition_11_end_markers.
Open Scope R_scope.

Record monomial := Monomial { monomial_factor : Q; monomial_i : Z; monomial_n : Z; monomial_end : Z;
    monomial_alternates : bool }.

Definition constant_monomial (q : Q) : monomial := Monomial q 0 0 0 false.

Definition monomial_times (a b : monomial) : monomial := Monomial (Qred (monomial_factor a * monomial_factor b))
  (monomial_i a + monomial_i b) (monomial_n a + monomial_n b) (monomial_end a + monomial_end b)
  (xorb (monomial_alternates a) (monomial_alternates b)).
Definition monomial_inverse (a : monomial) : option monomial :=
  if is_zero (monomial_factor a) then None
  else Some (Monomial (Qred (/ monomial_factor a)) (- monomial_i a) (- monomial_n a) (- monomial_end a)
      (monomial_alternates a)).

Local Definition is_number (x : expression) (q : Q) : bool := match x with Num p => Qeq_bool p q | _ => false end.
(* n + 1 - i or n - i + 1 *)
Definition is_distance_from_end (x : expression) : bool :=
  match x with
  | Sub (Add VarN y) VarI => is_number y 1
  | Add (Sub VarN VarI) y => is_number y 1
  | _ => false
  end.

Fixpoint monomial_of (x : expression) : option monomial :=
  if is_distance_from_end x then Some (Monomial 1 0 0 1 false) else
  match x with
  | Num q => Some (constant_monomial q)
  | VarI => Some (Monomial 1 1 0 0 false)
  | VarN => Some (Monomial 1 0 1 0 false)
  | Mul x y => match monomial_of x, monomial_of y with Some a, Some b => Some (monomial_times a b) | _, _ => None end
  | Div x y =>
      match monomial_of x, monomial_of y with
      | Some a, Some b => option_map (monomial_times a) (monomial_inverse b)
      | _, _ => None
      end
  | Neg x => option_map (monomial_times (constant_monomial (-1))) (monomial_of x)
  | Power x (Int z) =>
      match monomial_of x with
      | Some a => let p := Nat.iter (Z.to_nat (Z.abs z)) (monomial_times a) (constant_monomial 1) in
                  if Z.leb 0 z then Some p else monomial_inverse p
      | None => None
      end
  | Power x IntI =>
      match monomial_of x with
      | Some (Monomial c Z0 Z0 Z0 false) => if Qeq_bool c (-1) then Some (Monomial 1 0 0 0 true) else None
      | _ => None
      end
  | _ => None
  end.

Definition sign_factor (b : bool) (i : nat) : R := if b then sign_of_parity i else 1.
Definition monomial_value (a : monomial) (n i : nat) : R := Q2R (monomial_factor a) * powerRZ (INR i) (monomial_i a)
  * powerRZ (INR n) (monomial_n a) * powerRZ (INR (S n - i)) (monomial_end a) * sign_factor (monomial_alternates a) i.

Lemma sign_xorb a b i : sign_factor (xorb a b) i = sign_factor a i * sign_factor b i.
Proof. unfold sign_factor, sign_of_parity. destruct a, b, (Nat.odd i); simpl; lra. Qed.
Lemma power_add k a b : (1 <= k)%nat -> powerRZ (INR k) (a + b) = powerRZ (INR k) a * powerRZ (INR k) b.
Proof. intros H. apply powerRZ_add, not_0_INR. lia. Qed.
Lemma power_inverse k a : (1 <= k)%nat -> powerRZ (INR k) (- a) * powerRZ (INR k) a = 1.
Proof. intros H. rewrite <- power_add by exact H. now replace (- a + a)%Z with 0%Z by lia. Qed.

Section Value.
Variables (n : nat) (i : position n).

Lemma constant_value q : monomial_value (constant_monomial q) n i = Q2R q.
Proof. unfold monomial_value, sign_factor. simpl. ring. Qed.

Lemma times_value a b : monomial_value (monomial_times a b) n i = monomial_value a n i * monomial_value b n i.
Proof.
  unfold monomial_value, monomial_times. cbn [monomial_factor monomial_i monomial_n monomial_end monomial_alternates].
  rewrite Q2R_reduced, Q2R_mult, !power_add, sign_xorb by lia. ring.
Qed.

Lemma inverse_value a b : monomial_inverse a = Some b -> monomial_value b n i * monomial_value a n i = 1.
Proof.
  unfold monomial_inverse. destruct (is_zero (monomial_factor a)) eqn:Z; [discriminate|]. intros E. injection E as <-.
  assert (F : ~ (monomial_factor a == 0)%Q) by (intros F; apply Qeq_bool_iff in F; unfold is_zero in Z; congruence).
  assert (F' : Q2R (monomial_factor a) <> 0).
  { intros G. apply F. apply eqR_Qeq. now rewrite Q2R_0. }
  unfold monomial_value. cbn [monomial_factor monomial_i monomial_n monomial_end monomial_alternates].
  rewrite Q2R_reduced, Q2R_inv by exact F. transitivity ((/ Q2R (monomial_factor a) * Q2R (monomial_factor a))
    * (powerRZ (INR i) (- monomial_i a) * powerRZ (INR i) (monomial_i a))
    * (powerRZ (INR n) (- monomial_n a) * powerRZ (INR n) (monomial_n a))
    * (powerRZ (INR (S n - i)) (- monomial_end a) * powerRZ (INR (S n - i)) (monomial_end a))
    * (sign_factor (monomial_alternates a) i * sign_factor (monomial_alternates a) i)); [ring|].
  rewrite !power_inverse, <- sign_xorb, xorb_nilpotent by lia. simpl. field. exact F'.
Qed.

Lemma iterated_value a k : monomial_value (Nat.iter k (monomial_times a) (constant_monomial 1)) n i = monomial_value a n
  i ^ k.
Proof.
  induction k as [|k IH]; [apply constant_value || (simpl; rewrite constant_value, Q2R_1; reflexivity)|].
  change (Nat.iter (S k) (monomial_times a) (constant_monomial 1)) with (monomial_times a (Nat.iter k (monomial_times a)
    (constant_monomial 1))). rewrite times_value, IH. reflexivity.
Qed.

Lemma number_value x q : is_number x q = true -> expression_value x n i = Q2R q.
Proof. destruct x; simpl; intros H; try discriminate. now apply Qeq_bool_R. Qed.

Lemma distance_from_end_value x : is_distance_from_end x = true -> expression_value x n i = INR (S n - i).
Proof.
  intros H. rewrite minus_INR, S_INR by lia.
  destruct x as [| | |a b|a b| | | | |]; try discriminate; destruct a; try discriminate; simpl in H;
    [destruct a1, a2|destruct a1, b]; try discriminate; cbn [expression_value];
    rewrite (number_value _ _ H), Q2R_1; lra.
Qed.

Theorem monomial_of_value x : forall a, monomial_of x = Some a -> expression_value x n i = monomial_value a n i.
Proof.
  assert (P : forall x a, is_distance_from_end x = true -> Some (Monomial 1 0 0 1 false) = Some a ->
    expression_value x n i = monomial_value a n i).
  { intros y a D E. injection E as <-. rewrite (distance_from_end_value y D).
    unfold monomial_value, sign_factor. simpl. rewrite Q2R_1. ring. }
  induction x as [q| | |x IHx y IHy|x IHx y IHy|x IHx y IHy|x IHx y IHy|x IHx|x IHx k|g x IHx]; intros a H;
    cbn [monomial_of] in H; match type of H with (if ?c then _ else _) = _ => destruct c eqn:D; [now apply P|] end;
    try discriminate; cbn [expression_value].
  - injection H as <-. now rewrite constant_value.
  - injection H as <-. unfold monomial_value, sign_factor. simpl. rewrite Q2R_1. ring.
  - injection H as <-. unfold monomial_value, sign_factor. simpl. rewrite Q2R_1. ring.
  - destruct (monomial_of x) as [b|], (monomial_of y) as [c|]; try discriminate. injection H as <-.
    now rewrite times_value, (IHx b), (IHy c).
  - destruct (monomial_of x) as [b|], (monomial_of y) as [c|]; try discriminate.
    destruct (monomial_inverse c) as [d|] eqn:E; [|discriminate]. injection H as <-.
    pose proof (inverse_value c d E) as V. rewrite times_value, (IHx b eq_refl), (IHy c eq_refl).
    assert (monomial_value c n i <> 0) by (intros Z; rewrite Z in V; lra).
    replace (monomial_value d n i) with (/ monomial_value c n i); [reflexivity|].
    apply Rmult_eq_reg_r with (monomial_value c n i); [|assumption]. rewrite V, Rinv_l; auto.
  - destruct (monomial_of x) as [b|]; [|discriminate]. injection H as <-.
    rewrite times_value, constant_value, (IHx b eq_refl). rationals. lra.
  - destruct k as [z| | | |]; try discriminate.
    + destruct (monomial_of x) as [b|]; [|discriminate]. rewrite (IHx b eq_refl). cbn [integer_value].
      pose proof (iterated_value b (Z.to_nat (Z.abs z))) as T. set (p := Nat.iter _ _ _) in *.
      destruct (Z.leb_spec 0 z) as [L|L].
      * injection H as <-. rewrite T. rewrite pow_powerRZ. f_equal. lia.
      * pose proof (inverse_value p a H) as V. rewrite T in V.
        destruct z as [|z|z]; try lia. simpl in V |- *. replace (Z.to_nat (Z.pos z)) with (Pos.to_nat z) in V by lia.
        assert (monomial_value b n i ^ Pos.to_nat z <> 0) by (intros Z; rewrite Z in V; lra).
        apply Rmult_eq_reg_r with (monomial_value b n i ^ Pos.to_nat z); [|assumption]. rewrite V, Rinv_l; auto.
    + destruct (monomial_of x) as [[c [] [] [] []]|]; try discriminate.
      destruct (Qeq_bool c (-1)) eqn:E; [|discriminate]. injection H as <-. rewrite (IHx _ eq_refl).
      fold (constant_monomial c). rewrite constant_value, (Qeq_bool_R _ _ E). cbn [integer_value].
      replace (Q2R (-1)) with (-1) by (rationals; lra). rewrite alternating_power. unfold monomial_value, sign_factor.
      simpl. rewrite Q2R_1. ring.
Qed.
End Value.
