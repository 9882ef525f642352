(* One output of a feed-forward layer, where the signs of several comparisons decide what is read: the slack of a
   comparison, and approximate truths whose guards compare (docs/background/obligations.md, Feed-forward output).

   check_feedforward.v knows the sign of one comparison, that of its target. Here each difference T that is compared,
   up to spelling, has one of three signs, which decides all comparisons of T. They are assumed in a case as truths are.
   Proved: if `check_output_by_signs` says yes, the layer writes exactly what the direction means. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lia Arith.
From Certify Require Import positions formula network totals meaning linear_combination comparison cases
  theorem_20_counting check_feedforward.
Import ListNotations.
Open Scope R_scope.

(* The comparisons that connectives lead to, and what else they lead to. *)
Fixpoint compared_in (f : formula) (l : list formula) : list formula :=
  match f with
  | Compare _ _ _ => if existsb (formula_eqb f) l then l else f :: l
  | Not f => compared_in f l
  | And f g | Or f g | Implies f g | Iff f g => compared_in g (compared_in f l)
  | _ => l
  end.
Fixpoint atoms_in (f : formula) (l : list formula) : list formula :=
  match f with
  | Compare _ _ _ => l
  | Not f => atoms_in f l
  | And f g | Or f g | Implies f g | Iff f g => atoms_in g (atoms_in f l)
  | _ => add_atom f l
  end.
Local Definition formulas_of (a : meaning) : list formula :=
  match a with IsTruth f | IsSlack f | IsProduct _ f | IsOthers _ f _ => [f] | IsNear f guard => [f; guard] | _ => []
    end.
Definition formulas_read (A : list meaning) (us : list relu_unit) (d : direction) : list formula :=
  flat_map (fun u => if is_zero (entry_rational (unit_writes u) d) then []
    else flat_map (fun e => formulas_of (nth (fst e) A IsAnything)) (unit_reads u)) us.

Local Definition differences (fs : list formula) : list (term * term) :=
  fold_right (fun f l => match f with
    | Compare _ t u => if existsb (same_difference (t, u)) l then l else (t, u) :: l | _ => l end) [] fs.
Local Notation signs := (list (term * term * comparison)).
Fixpoint sign_choices (ds : list (term * term)) : list signs :=
  match ds with
  | [] => [[]]
  | p :: ds => flat_map (fun l => map (fun o => (p, o) :: l) [Lt; Eq; Gt]) (sign_choices ds)
  end.
(* What these signs decide. *)
Definition decided_by (s : signs) (fs : list formula) : list (formula * bool) :=
  flat_map (fun f => match f with
    | Compare r t u => match find (fun e => same_difference (t, u) (fst e)) s with
                       | Some e => [(f, relates_so r (snd e))] | None => [] end
    | _ => []
    end) fs.
Definition with_signs (s : signs) (fs : list formula) (c : case) : case :=
  Case (case_odd c) (case_first c) (case_last c) (case_assumed c ++ decided_by s fs) (case_order c).

Definition most_choices : nat := 14.
Definition check_output_by_signs (A : list meaning) (us : list relu_unit) (bias : row) (d : direction)
    (target : meaning) : bool :=
  match comparison_of target with
  | Some _ => false
  | None =>
    let read := formulas_read A us d ++ formulas_of target in
    let fs := fold_right compared_in [] read in
    let atoms := fold_right atoms_in [] read in
    let ds := differences fs in
    (length atoms + 2 * length ds <=? most_choices)%nat
    && forallb (fun s => forallb (fun c => check_case A us bias d target (with_signs s fs c)) (cases_of_atoms atoms
         [Eq])) (sign_choices ds)
  end.

Section Output.
Variables (users : predicate_meanings) (n : nat) (w : word) (i : position n) (A : list meaning) (h : vector).
Hypothesis HA : forall d, meaning_holds users n w i (nth d A IsAnything) (h d).
Notation sign_of := (fun p => Z.compare (value_of_term users n w (fst p) i - value_of_term users n w (snd p) i) 0).
Definition real_signs (ds : list (term * term)) : signs := map (fun p => (p, sign_of p)) ds.

Lemma real_signs_listed ds : In (real_signs ds) (sign_choices ds).
Proof.
  induction ds as [|p ds IH]; simpl; [now left|]. apply in_flat_map. exists (real_signs ds). split; [exact IH|].
  destruct (Z.compare _ _); simpl; auto.
Qed.
Lemma decided_by_real fs ds f b : In (f, b) (decided_by (real_signs ds) fs) -> truth users n w f i = b.
Proof.
  unfold decided_by. intros I. apply in_flat_map in I as (g & _ & I). destruct g; try destruct I.
  destruct (find _ (real_signs ds)) as [e|] eqn:F; [|destruct I]. destruct I as [I|[]]. injection I as <- <-.
  apply find_some in F as [J S]. unfold real_signs in J. apply in_map_iff in J as (p & <- & _). cbn [fst snd] in *.
  change (relation_holds r (value_of_term users n w t i) (value_of_term users n w u i) = relates_so r (sign_of p)).
  rewrite relates_difference. f_equal. f_equal. destruct p as [t' u'].
  exact (same_difference_value users n w i t u t' u' S).
Qed.
Lemma assumption_app l m f b : assumed_truth (l ++ m) f = Some b -> assumed_truth l f = Some b \/ In (f, b) m.
Proof.
  induction l as [|[g x] l IH]; cbn [app assumed_truth].
  - intros H. right. induction m as [|[g x] m IH]; [discriminate|]. cbn [assumed_truth] in H.
    destruct (formula_eqb g f) eqn:E; [|right; now apply IH]. apply formula_eqb_eq in E. injection H as <-. subst. now
      left.
  - destruct (formula_eqb g f); auto.
Qed.

Theorem check_output_by_signs_correct us bias d target : check_output_by_signs A us bias d target = true ->
  meaning_holds users n w i target (total_over (unit_output h d) us + row_entry bias d).
Proof.
  unfold check_output_by_signs. destruct (comparison_of target) eqn:T; [discriminate|]. cbv zeta. set (read := _ ++ _).
  set (fs := fold_right compared_in [] read). set (atoms := fold_right atoms_in [] read). intros H.
  apply andb_prop in H as [_ H]. rewrite forallb_forall in H. specialize (H _ (real_signs_listed (differences fs))).
  rewrite forallb_forall in H. specialize (H _ (real_case_listed users n w i atoms [Eq] Eq (or_introl eq_refl))).
  apply (check_case_correct users n w i A h HA us bias d target _) in H; [exact H| |now rewrite T].
  destruct (real_case_real users n w i atoms Eq) as (O & F & L & As). repeat split; auto. cbn [case_assumed with_signs].
  intros f b K. apply assumption_app in K as [K|K]; [now apply As|]. now apply (decided_by_real fs (differences fs)).
Qed.
End Output.
