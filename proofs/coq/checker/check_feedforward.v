(* One output of a feed-forward layer: does it hold what its direction means?

   In every case (parity, edges, truth values of the formulas that are read and of those that nothing decides, sign of
   the comparison in question) every ReLU must be on one side of its kink; the sum of the active units is then a linear
   form, which must be the target; for slack, 0 where the formula holds and at least 1 elsewhere.
   A form that reads `others` or `total` directions must be a multiple of the comparison's term T beside them: T is an
   integer whose sign the case determines. The same sign decides the slack of comparisons of T.
   Proved: if `check_output` returns true, the layer writes exactly the value of the direction. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia Arith.
From Certify Require Import positions finite_sums softmax relu formula network meaning linear_combination comparison
  cases theorem_20_counting interval.
Import ListNotations.
Open Scope R_scope.

Definition comparison_of (a : meaning) : option (term * term) :=
  match a with IsTruth (Compare _ t u) | IsSlack (Compare _ t u) => Some (t, u) | _ => None end.
Definition sign_range (o : comparison) : interval :=
  match o with Lt => (None, Some (-1 # 1)) | Eq => point_interval 0 | Gt => (Some (1 # 1), None) end.
(* True if two comparisons are about the same T, up to spelling. *)
Definition same_difference (p q : term * term) : bool :=
  equal_combinations count_eqb (term_difference (fst p) (snd p)) (term_difference (fst q) (snd q))
  && Z.eqb (constant_difference (fst p) (snd p)) (constant_difference (fst q) (snd q)).
(* The formula compares the term in question, so the case determines its truth. *)
Definition by_order (cmp : option (term * term)) (f : formula) : bool :=
  match cmp, f with Some p, Compare _ t u => same_difference (t, u) p | _, _ => false end.
(* ---- ranges of linear forms ---- *)
Section Form.
Variables (A : list meaning) (cmp : option (term * term)) (c : case).

Definition slack_known (f : formula) : option bool :=
  match f with
  | Compare r _ _ => if by_order cmp f then Some (relates_so r (case_order c)) else evaluate c f
  | _ => evaluate c f
  end.
Definition direction_range (a : meaning) : interval :=
  match a with IsSlack f => slack_range (slack_known f) | _ => meaning_range c a end.
Local Fixpoint row_range (r : row) : interval :=
  match r with
  | [] => point_interval 0
  | (d, q) :: r => add_intervals (scale_interval q (direction_range (nth d A IsAnything))) (row_range r)
  end.

Definition reads_others (e : direction * Q) : bool :=
  match nth (fst e) A IsAnything with IsOthers _ _ _ | IsTotal _ _ => true | _ => false end.
Fixpoint others_part (r : row) : list (count_atom * Q) :=
  match r with
  | [] => []
  | (d, q) :: r =>
      match nth d A IsAnything with
      | IsOthers s f _ | IsTotal s f => ((s, f), q) :: others_part r
      | _ => others_part r
      end
  end.
Fixpoint without_here (r : row) : list (count_atom * Q) :=
  match r with
  | [] => []
  | (d, q) :: r =>
      match nth d A IsAnything with IsOthers s f _ => ((s, f), q) :: without_here r | _ => without_here r end
  end.
Local Fixpoint others_error (r : row) : option Q :=
  match r with
  | [] => Some 0%Q
  | (d, q) :: r =>
      match nth d A IsAnything, others_error r with
      | IsOthers _ _ x, Some e => Some (Qred (Qabs.Qabs q * x + e))
      | _, e => e
      end
  end.
(* The coefficients of the counts whose formula holds here. *)
Local Fixpoint counted_here (l : list (count_atom * Q)) : option Q :=
  match l with
  | [] => Some 0%Q
  | ((s, f), q) :: l =>
      match evaluate c f, counted_here l with
      | Some b, Some x => Some (if b then Qred (q + x) else x)
      | _, _ => None
      end
  end.

(* The range of what the `others` and `total` directions contribute: a (T - constant), less what `others` leaves out
   here, to within the error. *)
Definition others_range (r : row) : interval :=
  match cmp with
  | None => unbounded_interval
  | Some (t, u) =>
    match term_difference t u with
    | [] => unbounded_interval
    | (k, q) :: _ =>
        let D := term_difference t u in
        let a := Qred (coefficient_of count_eqb (others_part r) k / q) in
        match counted_here (without_here r), others_error r with
        | Some x, Some e =>
            if equal_combinations count_eqb (others_part r) (scaled_terms a D)
            then widen_interval e (add_intervals (scale_interval a (sign_range (case_order c)))
              (point_interval (- (a * inject_Z (constant_difference t u) + x))))
            else unbounded_interval
        | _, _ => unbounded_interval
        end
    end
  end.

Definition form_range (r : row) (b : Q) : interval :=
  let plain := add_intervals (row_range (filter (fun e => negb (reads_others e)) r)) (point_interval b) in
  match others_part r with [] => plain | _ => add_intervals (others_range r) plain end.
End Form.

(* ---- the layer ---- *)
Definition entry_rational (r : row) (d : direction) : Q :=
  fold_right (fun e s => if Nat.eqb (fst e) d then Qred (snd e + s) else s) 0%Q r.
Definition affine_part (A : list meaning) (cmp : option (term * term)) (c : case) (u : relu_unit) (q : Q) :
  option (row * Q) :=
  match form_range A cmp c (unit_reads u) (unit_bias u) with
  | (lo, hi) =>
      if match hi with Some b => Qle_bool b 0 | None => false end then Some ([], 0%Q)
      else if match lo with Some a => Qle_bool 0 a | None => false end then Some (scaled_terms q (unit_reads u),
          Qred (q * unit_bias u))
      else None
  end.
Local Fixpoint active (A : list meaning) (cmp : option (term * term)) (c : case) (us : list relu_unit) (d : direction) :
  option (row * Q) :=
  match us with
  | [] => Some ([], 0%Q)
  | u :: us =>
      let q := entry_rational (unit_writes u) d in
      if is_zero q then active A cmp c us d else
      match affine_part A cmp c u q, active A cmp c us d with
      | Some (r, b), Some (r', b') => Some (r ++ r', Qred (b + b'))
      | _, _ => None
      end
  end.

Definition target_truth (c : case) (f : formula) : option bool :=
  match f with Compare r _ _ => Some (relates_so r (case_order c)) | _ => evaluate c f end.
Definition holds_expression (A : list meaning) (x : expression) (d : direction) : bool :=
  match nth d A IsAnything with IsPosition (Formula y) => expression_eqb y x | _ => false end.

Definition check_case (A : list meaning) (us : list relu_unit) (bias : row) (d : direction) (target : meaning)
  (c : case) : bool :=
  let cmp := comparison_of target in
  match active A cmp c us d with
  | None => false
  | Some (r, b) =>
      let r := merged_terms Nat.eqb r in
      let b := Qred (b + entry_rational bias d) in
      match target with
      | IsTruth f =>
          match target_truth c f with
          | Some v => is_point (form_range A cmp c r b) (if v then 1 else 0)
          | None => false
          end
      | IsSlack f =>
          match target_truth c f with
          | Some true => is_point (form_range A cmp c r b) 0
          | Some false => is_at_least (form_range A cmp c r b) 1
          | None => false
          end
      | IsProduct x f =>
          match evaluate c f with
          | Some false => is_point (form_range A cmp c r b) 0
          | Some true =>                                 (* the form less a direction that holds x must be 0 *)
              existsb (fun e => holds_expression A x (fst e)
                && is_point (form_range A cmp c (merged_terms Nat.eqb ((fst e, (-1)%Q) :: r)) b) 0) r
          | None => false
          end
      | _ => false
      end
  end.

(* The formulas whose truth the units that write d depend on; edges and parity are in every case anyway, and the truth
   of a negation is that of what it negates. *)
Fixpoint add_atom (f : formula) (l : list formula) : list formula :=
  match f with
  | Positional (ODD | EVEN | FIRST | LAST) | Truth _ => l
  | Not f => add_atom f l
  | _ => if existsb (formula_eqb f) l then l else f :: l
  end.
Definition atoms_of (A : list meaning) (cmp : option (term * term)) (us : list relu_unit) (d : direction) :
  list formula :=
  fold_right (fun u l => if is_zero (entry_rational (unit_writes u) d) then l else
    fold_right (fun e l => match nth (fst e) A IsAnything with
      | IsTruth f | IsNear f _ | IsProduct _ f | IsOthers _ f _ => add_atom f l
      | IsSlack f => if by_order cmp f then l else add_atom f l
      | _ => l end) l (unit_reads u)) [] us.
(* What connectives lead to from a formula and no unit reads: free as well, since every word gives it some truth. *)
Fixpoint add_unread (f : formula) (l : list formula) : list formula :=
  if existsb (formula_eqb f) l then l else
  match f with
  | Not f => add_unread f l
  | And f g | Or f g | Implies f g | Iff f g => add_unread g (add_unread f l)
  | _ => add_atom f l
  end.
Definition free_atoms (A : list meaning) (us : list relu_unit) (d : direction) (target : meaning) : list formula :=
  let atoms := atoms_of A (comparison_of target) us d in
  match target with
  | IsTruth (Compare _ _ _) | IsSlack (Compare _ _ _) => atoms            (* decided by the order of its sides *)
  | IsTruth f | IsSlack f | IsProduct _ f => add_unread f atoms
  | _ => atoms
  end.
(* More are not tried: there are cases for each assignment to them. *)
Definition most_atoms : nat := 20.
Definition orders_of (target : meaning) : list comparison :=
  match comparison_of target with Some _ => [Lt; Eq; Gt] | None => [Eq] end.

(* p since q holds where p does, and q or what held one position before; until likewise. *)
Local Definition unfolded (f : formula) : option formula :=
  match f with
  | Since p q => Some (And p (Or q (Previous f)))
  | Until p q => Some (And p (Or q (Next f)))
  | _ => None
  end.
Local Definition coherent (c : case) : bool :=
  forallb (fun e => match unfolded (fst e) with
    | Some f => match evaluate c f with Some b => eqb b (snd e) | None => true end
    | None => true end) (case_assumed c).
Definition check_output (A : list meaning) (us : list relu_unit) (bias : row) (d : direction) (target : meaning) :
  bool := forallb (check_case A us bias d target) (filter coherent (cases_of_atoms (free_atoms A us d target)
  (orders_of target))).

(* ---- soundness ---- *)
Lemma since_at_next p q j : since_at p q (S j) = p (S j) && (q (S j) || since_at p q j).
Proof.
  apply eq_true_iff_eq. rewrite andb_true_iff, orb_true_iff, !since_at_iff. split.
  - intros (d & Hd & Q & P). split; [apply P; lia|]. destruct (Nat.eq_dec d (S j)) as [->|N]; [now left|right].
    exists d. split; [lia|]. split; [exact Q|]. intros l Hl. apply P. lia.
  - intros (Pj & [Q|(d & Hd & Q & P)]).
    + exists (S j). split; [lia|]. split; [exact Q|]. intros l Hl. now replace l with (S j) by lia.
    + exists d. split; [lia|]. split; [exact Q|]. intros l Hl. destruct (Nat.eq_dec l (S j)) as [->|]; [exact Pj|].
      apply P. lia.
Qed.
Lemma until_at_next n p q (i : position n) : until_at n p q i
  = p i && (q i || negb (i =? n)%nat && until_at n p q (i + 1)).
Proof.
  apply eq_true_iff_eq. rewrite andb_true_iff, orb_true_iff, andb_true_iff, negb_true_iff, Nat.eqb_neq,
    !until_at_iff. split.
  - intros (d & Hd & Q & P). split; [apply P; lia|]. destruct (Nat.eq_dec d i) as [->|N]; [now left|right].
    split; [lia|]. exists d. split; [lia|]. split; [exact Q|]. intros l Hl. apply P. lia.
  - intros (Pi & [Q|(Ni & d & Hd & Q & P)]).
    + exists i. split; [lia|]. split; [exact Q|]. intros l Hl. now replace l with (place i) by lia.
    + exists d. split; [lia|]. split; [exact Q|]. intros l Hl. destruct (Nat.eq_dec l i) as [->|]; [exact Pi|].
      apply P. lia.
Qed.
Lemma unfolded_same users n w (i : position n) f g : unfolded f = Some g -> truth users n w f i = truth users n w g i.
Proof.
  intros E. destruct f; try discriminate; injection E as <-.
  - destruct i as [[|[|i]] Hi]; cbn [place]; [lia| |].
    + exact (since_at_next (truth users n w f1) (truth users n w f2) 0).
    + change (since_at (truth users n w f1) (truth users n w f2) (S (S i)) = truth users n w f1 (S (S i)) && (truth
        users n w f2 (S (S i)) || since_at (truth users n w f1) (truth users n w f2) (S i))). apply since_at_next.
  - now apply until_at_next.
Qed.
Lemma real_coherent users n w (i : position n) c : case_holds users n w i c ->
  (forall f b, In (f, b) (case_assumed c) -> truth users n w f i = b) -> coherent c = true.
Proof.
  intros R T. apply forallb_forall. intros [f b] I. cbn [fst snd]. destruct (unfolded f) as [g|] eqn:U; [|reflexivity].
  destruct (evaluate c g) as [x|] eqn:E; [|reflexivity]. apply (evaluate_correct users n w i c R) in E.
  rewrite <- (unfolded_same users n w i f g U), (T f b I) in E. subst x. apply eqb_reflx.
Qed.

Lemma linear_combined r h : linear r h = combination_value h r.
Proof. induction r as [|[d q] r IH]; simpl; [reflexivity|]. now rewrite IH. Qed.

Lemma entry_rational_correct r d : Q2R (entry_rational r d) = row_entry r d.
Proof.
  unfold row_entry. induction r as [|[e q] r IH]; [apply Q2R_0|]. cbn [entry_rational fold_right collect fst snd].
  fold (entry_rational r d). destruct (Nat.eqb e d); [rewrite Q2R_reduced, Q2R_plus, IH|rewrite IH]; lra.
Qed.

Section Correct.
Variables (users : predicate_meanings) (n : nat) (w : word) (i : position n).
Variables (A : list meaning) (h : vector) (cmp : option (term * term)) (c : case).
Hypothesis HA : forall d, meaning_holds users n w i (nth d A IsAnything) (h d).
Hypothesis Rc : case_holds users n w i c.
Hypothesis Ro : match cmp with
  | Some (t, u) => case_order c = Z.compare (value_of_term users n w t i - value_of_term users n w u i) 0 | None =>
    True end.

Notation tr := (truth users n w).

Lemma same_difference_value t u t' u' : same_difference (t, u) (t', u') = true -> (value_of_term users n w t i -
  value_of_term users n w u i = value_of_term users n w t' i - value_of_term users n w u' i)%Z.
Proof.
  unfold same_difference. cbn [fst snd]. intros H. apply andb_prop in H as [D C]. apply Z.eqb_eq in C. apply eq_IZR.
  now rewrite !difference_value, C, (equal_correct count_eqb count_eqb_eq _ _ _ D).
Qed.

Lemma slack_known_correct f b : slack_known cmp c f = Some b -> tr f i = b.
Proof.
  unfold slack_known. intros H. destruct f; try exact (evaluate_correct users n w i c Rc _ b H).
  destruct (by_order cmp _) eqn:B; [|exact (evaluate_correct users n w i c Rc _ b H)]. injection H as <-.
  unfold by_order in B. destruct cmp as [[t' u']|]; [|discriminate]. apply same_difference_value in B.
  rewrite Ro, <- B. apply relates_difference.
Qed.

Lemma direction_range_correct a x : meaning_holds users n w i a x -> in_interval (direction_range cmp c a) x.
Proof.
  pose proof (range_correct users n w i c Rc a x) as W. destruct a; try exact W.
  intros S. exact (slack_range_correct _ _ x S (slack_known_correct f)).
Qed.

Lemma row_range_correct r : in_interval (row_range A cmp c r) (linear r h).
Proof.
  induction r as [|[d q] r IH]; cbn [row_range linear]; [rewrite <- Q2R_0; apply within_point|].
  apply within_add; [|exact IH]. apply within_scale. apply direction_range_correct, HA.
Qed.

Notation counts := (count_value users n w i).
Local Definition is_here (k : count_atom) : R := bit (tr (snd k) i).
Lemma counted_here_correct l : forall x, counted_here c l = Some x -> combination_value is_here l = Q2R x.
Proof.
  induction l as [|[[s f] q] l IH]; intros x H; cbn [counted_here] in H.
  - injection H as <-. simpl. now rewrite Q2R_0.
  - destruct (evaluate c f) as [b|] eqn:E; [|discriminate]. destruct (counted_here c l) as [y|]; [|discriminate].
    replace x with (if b then Qred (q + y) else y) by congruence. cbn [combination_value]. rewrite (IH y eq_refl).
    unfold is_here. cbn [snd]. rewrite (evaluate_correct users n w i c Rc f b E).
    destruct b; simpl bit; [rewrite Q2R_reduced, Q2R_plus|]; ring.
Qed.

(* What the `others` and `total` directions of a row hold, against the true numbers. *)
Lemma others_part_correct r : forall e, others_error A r = Some e -> Rabs (linear (filter (reads_others A) r) h
  - (combination_value counts (others_part A r) - combination_value is_here (without_here A r))) <= Q2R e.
Proof.
  induction r as [|[d q] r IH]; intros e H; cbn [others_error] in H.
  - injection H as <-. simpl. rewrite !Rminus_0_r, Rabs_R0, Q2R_0. lra.
  - cbn [filter others_part without_here]. unfold reads_others at 1. cbn [fst]. pose proof (HA d) as M.
    destruct (nth d A IsAnything) as [v|f|f|f g|x f|s f|t|s f|s f x|]; try (now apply IH).
    + specialize (IH e H). cbn [linear combination_value]. simpl in M. rewrite M. unfold count_value at 1.
      cbn [fst snd]. set (k := INR (counted_on s n (tr f) i)).
      match goal with |- Rabs ?y <= _ => match type of IH with Rabs ?z <= _ => replace y with z by ring end end.
      exact IH.
    + destruct (others_error A r) as [e'|]; [|discriminate]. replace e with (Qred (Qabs.Qabs q * x + e')) by congruence.
      cbn [linear combination_value]. rewrite Q2R_reduced, Q2R_plus, Q2R_mult. specialize (IH e' eq_refl). simpl in M.
        unfold count_value at 1, is_here at 1.
      cbn [fst snd]. rewrite (counted_others s n (tr f) i). set (m := INR (others_on s n (tr f) i)) in *.
      match type of IH with Rabs ?z <= _ => match goal with |- Rabs ?y <= _ => replace y
        with (- (Q2R q * (m - h d)) + z) by ring end end. eapply Rle_trans; [apply Rabs_triang|].
      apply Rplus_le_compat; [|exact IH]. rewrite Rabs_Ropp, Rabs_mult. assert (Ab : Rabs (Q2R q) = Q2R (Qabs.Qabs q)).
      { apply Qabs.Qabs_case; intros L; apply Qle_Rle in L; rewrite Q2R_0 in L;
          [apply Rabs_right; lra|rewrite Q2R_opp; apply Rabs_left1; lra]. }
      rewrite Ab. apply Rmult_le_compat_l; [rewrite <- Ab; apply Rabs_pos|lra].
Qed.

Lemma sign_range_correct t u : cmp = Some (t, u) ->
  in_interval (sign_range (case_order c)) (IZR (value_of_term users n w t i - value_of_term users n w u i)).
Proof.
  intros E. rewrite E in Ro. rewrite Ro. set (T := (value_of_term users n w t i - value_of_term users n w u i)%Z).
  destruct (Z.compare_spec T 0) as [Z|L|G]; cbn [sign_range].
  - rewrite Z, <- Q2R_0. apply within_point.
  - split; simpl; [exact I|]. rationals. assert (K : (T <= -1)%Z) by lia. apply IZR_le in K. lra.
  - split; simpl; [|exact I]. rationals. assert (K : (1 <= T)%Z) by lia. apply IZR_le in K. lra.
Qed.

Lemma others_range_correct r : in_interval (others_range A cmp c r) (linear (filter (reads_others A) r) h).
Proof.
  unfold others_range. case_eq cmp; [intros [t u] C|intros _; apply within_unbounded].
  case_eq (term_difference t u); [intros _; apply within_unbounded|intros [k q] D' D]. cbv zeta. rewrite <- D.
  set (a := Qred _). destruct (counted_here c (without_here A r)) as [x|] eqn:X; [|apply within_unbounded].
  destruct (others_error A r) as [e|] eqn:E; [|apply within_unbounded].
  destruct (equal_combinations _ _ _) eqn:Eq; [|apply within_unbounded].
  apply (within_widen e) with (x := combination_value counts (others_part A r) - combination_value is_here (without_here
    A r)); [|now apply others_part_correct].
  rewrite (equal_correct count_eqb count_eqb_eq counts _ _ Eq), combined_scaled, (counted_here_correct _ x X).
  pose proof (difference_value users n w i t u) as V.
  replace (Q2R a * combination_value counts (term_difference t u) - Q2R x) with (Q2R a * IZR (value_of_term users n w t
    i - value_of_term users n w u i) + Q2R (- (a * inject_Z (constant_difference t u) + x))).
  - apply within_add; [|apply within_point]. apply within_scale. now apply sign_range_correct.
  - rewrite V. rationals. rewrite Q2R_inject_Z. ring.
Qed.

Lemma linear_split r : linear r h = linear (filter (reads_others A) r) h
  + linear (filter (fun e => negb (reads_others A e)) r) h.
Proof.
  induction r as [|e r IH]; simpl; [lra|]. destruct e as [d q], (reads_others A (d, q)); simpl; rewrite IH; lra.
Qed.

Lemma no_others r : others_part A r = [] -> filter (reads_others A) r = [].
Proof.
  induction r as [|[d q] r IH]; [reflexivity|]. cbn [others_part filter]. unfold reads_others at 1. cbn [fst].
  destruct (nth d A IsAnything); auto; discriminate.
Qed.

Theorem form_range_correct r b : in_interval (form_range A cmp c r b) (linear r h + Q2R b).
Proof.
  unfold form_range. rewrite (linear_split r). set (plain := linear (filter (fun e => negb _) r) h).
  assert (P : in_interval (add_intervals (row_range A cmp c (filter (fun e =>
    negb (reads_others A e)) r)) (point_interval b)) (plain + Q2R b)).
  { apply within_add; [apply row_range_correct|apply within_point]. }
  destruct (others_part A r) eqn:O.
  - rewrite (no_others r O). simpl. rewrite Rplus_0_l. exact P.
  - rewrite Rplus_assoc. apply within_add; [apply others_range_correct|exact P].
Qed.

(* ---- units ---- *)
Lemma linear_app r s : linear (r ++ s) h = linear r h + linear s h.
Proof. now rewrite !linear_combined, combined_app. Qed.

Lemma affine_part_correct u q r b : affine_part A cmp c u q = Some (r, b) ->
  relu (linear (unit_reads u) h + Q2R (unit_bias u)) * Q2R q = linear r h + Q2R b.
Proof.
  unfold affine_part. pose proof (form_range_correct (unit_reads u) (unit_bias u)) as W.
  destruct (form_range A cmp c (unit_reads u) (unit_bias u)) as [lo hi]. destruct W as [W1 W2]. cbn [fst snd] in W1, W2.
  assert (Linear : 0 <= linear (unit_reads u) h + Q2R (unit_bias u) ->
    Some (scaled_terms q (unit_reads u), Qred (q * unit_bias u)) = Some (r, b) ->
    relu (linear (unit_reads u) h + Q2R (unit_bias u)) * Q2R q = linear r h + Q2R b).
  { intros Pos E. replace r with (scaled_terms q (unit_reads u)) by congruence. replace b with (Qred (q * unit_bias u))
      by congruence.
    rewrite relu_linear, Q2R_reduced, Q2R_mult, (linear_combined (scaled_terms _ _)) by exact Pos.
    rewrite combined_scaled, <- linear_combined. ring. }
  assert (Low : forall x, above_end (Some x) (linear (unit_reads u) h + Q2R (unit_bias u)) -> Qle_bool 0 x = true ->
    0 <= linear (unit_reads u) h + Q2R (unit_bias u)).
  { intros x Ab X. apply Qle_bool_R in X. rewrite Q2R_0 in X. simpl in Ab. lra. }
  destruct (match hi with Some y => Qle_bool y 0 | None => false end) eqn:Y; intros H.
  - destruct hi as [y|]; [|discriminate]. apply Qle_bool_R in Y. rewrite Q2R_0 in Y. simpl in W2.
    injection H as <- <-. rewrite relu_zero by lra. simpl. rewrite Q2R_0. ring.
  - destruct lo as [x|]; [|discriminate]. destruct (Qle_bool 0 x) eqn:X; [|discriminate]. exact (Linear (Low x W1 X) H).
Qed.

Lemma active_correct us d : forall r b, active A cmp c us d = Some (r, b) ->
  total_over (unit_output h d) us = linear r h + Q2R b.
Proof.
  induction us as [|u us IH]; intros r b H; cbn [active total_over] in *.
  - injection H as <- <-. simpl. rewrite Q2R_0. ring.
  - unfold unit_output at 1. rewrite <- entry_rational_correct. destruct (is_zero (entry_rational (unit_writes u) d))
      eqn:Z.
    + apply Qeq_bool_R in Z. rewrite Z, Q2R_0, (IH r b H). ring.
    + destruct (affine_part A cmp c u _) as [[r1 b1]|] eqn:P; [|discriminate].
      destruct (active A cmp c us d) as [[r2 b2]|]; [|discriminate].
      replace r with (r1 ++ r2) by congruence. replace b with (Qred (b1 + b2)) by congruence.
      rewrite (affine_part_correct u _ r1 b1 P), (IH r2 b2 eq_refl), linear_app, Q2R_reduced, Q2R_plus. ring.
Qed.
End Correct.

Section Output.
Variables (users : predicate_meanings) (n : nat) (w : word) (i : position n) (A : list meaning) (h : vector).
Hypothesis HA : forall d, meaning_holds users n w i (nth d A IsAnything) (h d).

Definition real_order (target : meaning) : comparison :=
  match comparison_of target with
  | Some (t, u) => Z.compare (value_of_term users n w t i - value_of_term users n w u i) 0 | None => Eq end.

Lemma order_listed target : In (real_order target) (orders_of target).
Proof.
  unfold real_order, orders_of. destruct (comparison_of target) as [[t u]|]; [|simpl; auto].
  destruct (Z.compare _ _); simpl; auto.
Qed.

Theorem check_case_correct us bias d target c : case_holds users n w i c ->
  match comparison_of target with
  | Some (t, u) => case_order c = Z.compare (value_of_term users n w t i - value_of_term users n w u i) 0 | None =>
    True end ->
  check_case A us bias d target c = true -> meaning_holds users n w i target (total_over (unit_output h d) us +
    row_entry bias d).
Proof.
  intros Rc Ro H. set (cmp := comparison_of target) in *. unfold check_case in H. cbv zeta in H. fold cmp in H.
  destruct (active A cmp c us d) as [[r b]|] eqn:Ac; [|discriminate].
  pose proof (active_correct users n w i A h cmp c HA Rc Ro us d r b Ac) as V. set (m := merged_terms Nat.eqb r) in *.
  set (b' := Qred (b + entry_rational bias d)) in *.
  assert (E : total_over (unit_output h d) us + row_entry bias d = linear m h + Q2R b').
  { rewrite V. unfold m, b'. rewrite Q2R_reduced, Q2R_plus, entry_rational_correct, !linear_combined.
    rewrite (combined_merged Nat.eqb (fun x y => proj1 (Nat.eqb_eq x y))). apply Rplus_assoc. }
  rewrite E. pose proof (form_range_correct users n w i A h cmp c HA Rc Ro) as F.
  pose proof (evaluate_correct users n w i c Rc) as Ev.
  assert (Tr : forall f v, (target = IsTruth f \/ target = IsSlack f) -> target_truth c f = Some v ->
    truth users n w f i = v).
  { intros f v K T. destruct f; try (now apply Ev). cbn [target_truth] in T. injection T as <-.
    unfold cmp in Ro. destruct K as [-> | ->]; simpl in Ro; rewrite Ro; apply relates_difference. }
  destruct target as [v|f|f|f g|x f|s f|t|s f|s f g|]; try discriminate.
  - destruct (target_truth c f) as [v|] eqn:T; [|discriminate].
    apply is_point_correct with (x := linear m h + Q2R b') in H; [|apply F].
    cbn [meaning_holds]. rewrite H, (Tr f v (or_introl eq_refl) T). destruct v; [apply Q2R_1|apply Q2R_0].
  - destruct (target_truth c f) as [v|] eqn:T; [|discriminate].
    cbn [meaning_holds]. rewrite (Tr f v (or_intror eq_refl) T). destruct v; simpl.
    + apply is_point_correct with (x := linear m h + Q2R b') in H; [|apply F]. rewrite H. apply Q2R_0.
    + apply is_at_least_correct with (x := linear m h + Q2R b') in H; [|apply F]. now rewrite <- Q2R_1.
  - destruct (evaluate c f) as [[]|] eqn:T; [| |discriminate].
    + apply existsb_exists in H as ([e q] & _ & H). apply andb_prop in H as [X P]. cbn [fst] in X, P.
      apply is_point_correct with (x := linear (merged_terms Nat.eqb ((e, (-1)%Q) :: m)) h + Q2R b') in P; [|apply F].
      rewrite linear_combined, (combined_merged Nat.eqb (fun x y => proj1 (Nat.eqb_eq x y))) in P.
      cbn [combination_value] in P. rewrite <- linear_combined, Q2R_0 in P. unfold holds_expression in X.
      pose proof (HA e) as He. destruct (nth e A IsAnything) as [[y|]| | | | | | | | |]; try discriminate.
      apply expression_eqb_eq in X. subst y. cbn [meaning_holds position_value] in *. rewrite (Ev f true T). simpl bit.
      rewrite He in P. revert P. rationals. lra.
    + apply is_point_correct with (x := linear m h + Q2R b') in H; [|apply F].
      cbn [meaning_holds]. rewrite H, (Ev f false T), Q2R_0. simpl. ring.
Qed.

Theorem check_output_correct us bias d target : check_output A us bias d target = true ->
  meaning_holds users n w i target (total_over (unit_output h d) us + row_entry bias d).
Proof.
  intros H. unfold check_output in H. rewrite forallb_forall in H.
  set (c := real_case users n w i (free_atoms A us d target) (real_order target)).
  apply (check_case_correct us bias d target c (real_case_real users n w i _ _)).
  - unfold c, real_order. simpl. now destruct (comparison_of target) as [[t u]|].
  - apply H, filter_In. split; [exact (real_case_listed users n w i _ _ _ (order_listed target))|].
    apply (real_coherent users n w i c (real_case_real users n w i _ _)). intros f b I. unfold c, real_case in I.
    apply in_map_iff in I as (g & E & _). now injection E as <- <-.
Qed.
End Output.
