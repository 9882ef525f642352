(* The checker of certificates of formulas, as it is extracted to OCaml: whoever reads a file need not be believed.

   A reader, whatever it does, offers a certificate for a text. `judge_certificate` writes it as text, compares the two,
   and goes through the network with the stages of check.v. Proved (`judge_certificate_holds`): if it answers
   `Accepted errors`, the text is that of a certificate whose claim holds, with these errors (certificate_text.v). *)
From Coq Require Import Reals QArith Qreals String ZArith List Bool Arith Lia Lra.
From Certify Require Import positions finite_sums softmax weighing formula network meaning well_defined user_predicates
  linear_combination comparison check_defined check values_by_rows stated_errors model_text certificate_text
  independent_of_length small_expressions.
Import ListNotations PositionNotations.
Local Open Scope bool_scope.
Local Open Scope nat_scope.

Definition meaning_eqb (a b : meaning) : bool :=
  match a, b with
  | IsPosition u, IsPosition v => position_function_eqb u v
  | IsTruth f, IsTruth g | IsSlack f, IsSlack g => formula_eqb f g
  | IsNear f h, IsNear g k => formula_eqb f g && formula_eqb h k
  | IsProduct x f, IsProduct y g => expression_eqb x y && formula_eqb f g
  | IsAverage t, IsAverage u => term_eqb t u
  | IsMean s f, IsMean t g | IsTotal s f, IsTotal t g | IsOthers s f _, IsOthers t g _ =>
      side_eqb s t && formula_eqb f g
  | IsAnything, _ => true
  | _, _ => false
  end.

(* The errors that the established meanings come with. *)
Definition established_error (a : meaning) : option (Q * Q) :=
  match a with IsNear _ _ => Some (1 # 4, 1 # 4) | IsOthers _ _ e => Some (e, e) | _ => None end.
(* The stated number where no less is proved. *)
Definition no_less (stated proved : Q) : Q := if Qle_bool proved stated then stated else proved.
Definition proved_error (views : outlook) (letters : nat) (L : lengths) (M : list meaning)
    (known : list stop * list meaning) (e : stated_error) : option (direction * (Q * Q)) :=
  let A := snd known in
  if is_anything (nth (error_direction e) M IsAnything) then None else
  match established_error (nth (error_direction e) A IsAnything) with
  | Some (x, y) =>
      if negb (Qle_bool x (error_if_false e) && Qle_bool y (error_if_true e))
         && existsb (errs views letters L M (error_direction e) (error_if_false e) (error_if_true e)) (fst known)
      then Some (error_direction e, (error_if_false e, error_if_true e))
      else Some (error_direction e, (no_less (error_if_false e) x, no_less (error_if_true e) y))
  | None => None
  end.
Fixpoint proved_errors (views : outlook) (letters : nat) (L : lengths) (M : list meaning)
    (known : list stop * list meaning) (l : list stated_error) : option (list (direction * (Q * Q))) :=
  match l with
  | [] => Some []
  | e :: l =>
      match proved_error views letters L M known e, proved_errors views letters L M known l with
      | Some x, Some r => Some (x :: r)
      | _, _ => None
      end
  end.

(* The user's predicates are those of the file. *)
Definition with_definitions (m : model) : outlook := knowing (model_users m).

Local Definition is_truth_of (f : formula) (a : meaning) : bool := match a with IsTruth g => formula_eqb g f | _ =>
  false end.
Definition is_shown (m : model) (A : list meaning) (d : direction) : bool :=
  meaning_eqb (nth d (model_meanings m) IsAnything) (nth d A IsAnything).
Definition shows_regime (c : certificate) : bool :=
  let T := model_network (certified c) in
  let L := claimed_lengths c in
  match claimed_regime c with
  | Unstated => true
  | ByPosition => forallb (fun l => forallb (fun a => is_one_for L (head_temperature a)) (layer_heads l))
    (transformer_layers T)
  | ByTemperature =>
      let counts := existsb meaning_has_counts (model_meanings (certified c)) in
      forallb (fun e => is_small_for L (if counts then 2 else 0)%nat (snd e)) (position_embedding T)
  end.
Definition shows_causal (c : certificate) : bool :=
  let T := model_network (certified c) in
  forallb (fun l => forallb (fun a => match head_masking a, head_weighing a with
        FutureMasked, ReluOverN => false | FutureMasked, _ => true | _, _ => false end
      && keeps_length_out (head_temperature a)) (layer_heads l)) (transformer_layers T)
  && forallb (fun e => position_keeps_length_out (model_definitions (certified c)) (snd e)) (position_embedding T).

(* The findings about a file, in the order of the search. *)
Inductive answer :=
| Accepted (errors : list (direction * (Q * Q)))
| OtherText | NotWhole                                                 (* the offered certificate is not the file's *)
| Undefined                                                            (* something may have no value *)
| NotShown (d : direction)                                             (* that this direction has its stated value *)
| NotHeld (f : formula)                                                (* no direction means this subformula *)
| NoError | NotOfRegime | NotCausal.

Definition judge_certificate (text : string) (c : certificate) : answer :=
  let m := certified c in
  let T := model_network m in
  let M := model_meanings m in
  if negb (String.eqb (certificate_text c) text) then OtherText
  else if negb (is_whole_certificate c) then NotWhole
  else if negb (shows_regime c) then NotOfRegime
  else if claimed_causal c && negb (shows_causal c) then NotCausal
  else match find (fun f => negb (existsb (is_truth_of f) M)) (all_subformulas (claimed_formula c)) with
    Some f => NotHeld f | None =>
  if negb (defined_there (claimed_lengths c) T) then Undefined
  else
    let known := walk (with_definitions m) (length (token_embedding T)) (claimed_lengths c) M (transformer_layers T)
      (for_directions M (embedding_stage (claimed_lengths c) T M)) in
    let A := snd known in
    match find (fun d => negb (is_shown m A d)) (seq 0 (length M)) with Some d => NotShown d | None =>
    match proved_errors (with_definitions m) (length (token_embedding T)) (claimed_lengths c) M known (claimed_errors
      c) with
      Some l => Accepted l | None => NoError end end end.
Definition accepts_certificate (text : string) (c : certificate) : bool :=
  match judge_certificate text c with Accepted _ => true | _ => false end.

(* ---- errors in words ---- *)
(* Stated errors are at least 0, those of a truth at most 1/4. *)
Definition fits (of_truth : bool) (e : stated_error) : bool :=
  forallb (fun q => Qle_bool 0 q && (negb of_truth || Qle_bool q (1 # 4))) [error_if_false e; error_if_true e].
(* True if some proved error is above the stated one, so that less is proved than the file states. *)
Fixpoint exceeds (proved : list (direction * (Q * Q))) (stated : list stated_error) : bool :=
  match proved, stated with
  | (_, (x, y)) :: proved, e :: stated =>
      negb (Qle_bool x (error_if_false e) && Qle_bool y (error_if_true e)) || exceeds proved stated
  | _, _ => false
  end.
Local Definition greater (x y : Q) : Q := if Qle_bool x y then y else x.
(* The greatest error of directions that mean a number of other positions, or of the others. *)
Definition greatest_error (of_others : bool) (M : list meaning) (l : list (direction * (Q * Q))) : Q :=
  fold_right (fun e q => if Bool.eqb of_others (is_of_others (nth (fst e) M IsAnything))
    then greater q (greater (fst (snd e)) (snd (snd e))) else q) 0%Q l.
(* A number of at least 0 in decimal, rounded up to six digits. *)
Local Definition millionths (q : Q) : Z := (- ((- (Qnum q * 1000000)) / Zpos (Qden q)))%Z.
Definition error_text (q : Q) : string :=
  let z := millionths q in
  let digits := json_text.integer_text (1000000 + z mod 1000000) in
  (json_text.integer_text (z / 1000000) ++ "." ++ String.substring 1 6 digits)%string.



(* ---- soundness ---- *)
Lemma find_none_all {X} (p : X -> bool) l : find (fun x => negb (p x)) l = None -> forall x, In x l -> p x = true.
Proof. intros H x I. apply negb_false_iff, (find_none _ _ H x I). Qed.

Section Sound.
Variable c : certificate.
Notation m := (certified c).
Notation T := (model_network m).
Notation M := (model_meanings m).
Notation users := (model_users m).
Notation L := (claimed_lengths c).
Notation A := (established (with_definitions m) L T M).
Open Scope R_scope.

Lemma meaning_eqb_means a b n w i x : meaning_eqb a b = true -> is_of_others a = false -> meaning_holds users n w i b x
  -> meaning_holds users n w i a x.
Proof.
  destruct a, b; cbn [meaning_eqb is_of_others]; intros E O H; try discriminate; try exact I;
    repeat match goal with K : (_ && _)%bool = true |- _ => apply andb_prop in K as [? ?] end;
    repeat match goal with | K : formula_eqb _ _ = true |- _ => apply formula_eqb_eq in K |
    K : term_eqb _ _ = true |- _ => apply term_eqb_eq in K | K : position_function_eqb _ _ = true |- _ =>
    apply position_function_eqb_eq in K | K : expression_eqb _ _ = true |- _ => apply expression_eqb_eq in K |
    K : side_eqb _ _ = true |- _ => apply side_eqb_eq in K end; subst; exact H.
Qed.

Lemma established_everywhere d : everywhere c d (fun n w i x => meaning_holds users n w i (nth d A IsAnything) x).
Proof.
  intros n w HL Over i. apply (established_correct users n w (length (token_embedding T)) L HL Over); try assumption;
    [|now intros u [= <-]|reflexivity|apply in_word]. intros u [<-|[]] i' a x. reflexivity.
Qed.

Lemma shown_everywhere d : is_shown m A d = true -> is_of_others (nth d M IsAnything) = false ->
  everywhere c d (fun n w i x => meaning_holds users n w i (nth d M IsAnything) x).
Proof.
  intros S O n w HL Over i. exact (meaning_eqb_means _ _ n w i _ S O (established_everywhere d n w HL Over i)).
Qed.

Lemma no_less_le s p : Q2R p <= Q2R (no_less s p).
Proof. unfold no_less. destruct (Qle_bool p s) eqn:E; [now apply Qle_bool_R|lra]. Qed.

Notation known := (walk (with_definitions m) (length (token_embedding T)) L M (transformer_layers T)
  (for_directions M (embedding_stage L T M))).
Lemma known_established : snd known = A. Proof. apply walk_end. Qed.

Lemma proved_error_errs e r : is_shown m A (error_direction e) = true -> proved_error (with_definitions m)
  (length (token_embedding T)) L M known e = Some r -> errs_at_most c r.
Proof.
  unfold proved_error. cbv zeta. rewrite known_established. intros S E.
  destruct (is_anything _) eqn:Any in E; [discriminate|].
  destruct (established_error _) as [[x y]|] eqn:K; [|discriminate].
  destruct (negb _ && existsb _ (fst known)) eqn:Errs in E.
  { apply andb_prop in Errs as [_ Errs]. injection E as <-. intros n w HL Over i. cbn [fst snd].
    pose proof (established_everywhere (error_direction e) n w HL Over i) as V. cbv beta in V. unfold is_shown in S.
    destruct (nth (error_direction e) A IsAnything) as [v|f|f|f g|q f|s f|t|s f|s f u|]; try discriminate;
      destruct (nth (error_direction e) M IsAnything) as [v'|f'|f'|f' g'|q' f'|s' f'|t'|s' f'|s' f' u'|] eqn:N;
      try discriminate.
    - cbn in S. apply andb_prop in S as [S1 S2]. apply formula_eqb_eq in S1, S2. subst f' g'. split; [exact (proj1 V)|].
      apply (errs_correct (with_definitions m) (length (token_embedding T)) L M users n w HL Over)
        with (g := g) (A := for_directions M (embedding_stage L T M)); auto.
      + intros u [<-|[]] i' a z. reflexivity.
      + now intros u [= <-].
      + now apply embedding_stage_correct.
    - cbn in S. apply andb_prop in S as [S1 S2]. apply side_eqb_eq in S1. apply formula_eqb_eq in S2. subst s' f'.
      apply (errs_of_others_correct (with_definitions m) (length (token_embedding T)) L M users n w HL Over) with (e :=
        u') (A := for_directions M (embedding_stage L T M)); auto.
      + intros v [<-|[]] i' a z. reflexivity.
      + now intros v [= <-].
      + now apply embedding_stage_correct. }
  injection E as <-. intros n w HL Over i. cbn [fst snd].
  pose proof (established_everywhere (error_direction e) n w HL Over i) as V.
  pose proof (no_less_le (error_if_false e) x) as X. pose proof (no_less_le (error_if_true e) y) as Y. cbv beta in V.
  unfold is_shown in S. set (z := run_transformer users T n w i (error_direction e)) in *. clearbody z.
  destruct (nth (error_direction e) A IsAnything) as [v|f|f|f g|q f|s f|t|s f|s f u|]; try discriminate;
    destruct (nth (error_direction e) M IsAnything) as [v'|f'|f'|f' g'|q' f'|s' f'|t'|s' f'|s' f' u'|];
    try discriminate.
  - cbn in S. apply andb_prop in S as [S1 S2]. apply formula_eqb_eq in S1, S2. subst f' g'. injection K as <- <-.
    destruct V as [V1 V2]. split; [exact V1|]. intros G. specialize (V2 G). unfold relu.near_truth in V2.
    replace (Q2R (1 # 4)) with (1 / 4) in * by (unfold Q2R; simpl; lra). destruct (truth users n w f i); lra.
  - cbn in S. apply andb_prop in S as [S1 S2]. apply side_eqb_eq in S1. apply formula_eqb_eq in S2. subst s' f'.
    injection K as <- <-. unfold meaning_holds in V. revert V. unfold Rabs. destruct (Rcase_abs _); intros V; lra.
Qed.

Lemma shows_regime_holds : shows_regime c = true -> regime_holds c.
Proof.
  unfold shows_regime, regime_holds. destruct (claimed_regime c); intros H; [| |exact I].
  - rewrite forallb_forall in H. intros d p I n i HL. specialize (H _ I). cbn [snd] in H.
    pose proof (is_small_for_correct users n i _ _ p HL H) as B. destruct (existsb _ _); [exact B|].
      now rewrite pow_O in B.
  - rewrite forallb_forall in H. intros l a Il Ia n i HL. specialize (H _ Il). rewrite forallb_forall in H.
    apply (is_one_for_correct n i L); [exact HL|now apply H].
Qed.

Lemma shows_causal_holds : shows_causal c = true -> is_causal c.
Proof.
  unfold shows_causal, is_causal. intros H. apply andb_prop in H as [H K]. rewrite forallb_forall in H, K. split.
  - intros l a Il Ia. specialize (H _ Il). rewrite forallb_forall in H. specialize (H _ Ia).
    apply andb_prop in H as [H1 H2]. split; [now destruct (head_masking a)|].
    split; [now destruct (head_masking a), (head_weighing a)|]. intros n n' i. now apply keeps_length_out_correct.
  - intros d p I n n' i. apply position_keeps_length_out_correct. exact (K _ I).
Qed.
End Sound.

Lemma whole_parts c : is_whole_certificate c = true -> is_whole (certified c) = true /\
  output_means (certified c) (claimed_formula c) = true /\ claimed_least c upto claimed_greatest c.
Proof.
  unfold is_whole_certificate. intros H. do 5 apply andb_prop in H as [H ?].
  repeat match goal with K : (_ <=? _) = true |- _ => apply Nat.leb_le in K end. auto.
Qed.

Theorem judge_certificate_holds text c errors : judge_certificate text c = Accepted errors -> file_holds text c errors.
Proof.
  unfold judge_certificate. intros H. destruct (String.eqb _ text) eqn:E; [|discriminate]. apply String.eqb_eq in E.
  cbn [negb] in H. destruct (is_whole_certificate c) eqn:W; [|discriminate]. cbn [negb] in H.
  destruct (shows_regime c) eqn:R; [|discriminate]. cbn [negb] in H.
  destruct (claimed_causal c && negb (shows_causal c)) eqn:C; [discriminate|].
  match type of H with context [find ?p (all_subformulas ?f)] => destruct (find p (all_subformulas f)) eqn:P;
    [discriminate|] end. destruct (defined_there _ _) eqn:D; [|discriminate]. cbn [negb] in H. cbv zeta in H.
  rewrite known_established in H.
  match type of H with context [find ?p (seq ?a ?k)] => destruct (find p (seq a k)) eqn:S; [discriminate|] end.
  destruct (proved_errors _ _ _ _ _ _) as [l|] eqn:Q; [|discriminate]. injection H as <-.
  destruct (whole_parts c W) as (WM & O & LE). pose proof (find_none_all _ _ S) as Shown. clear S.
  pose proof (find_none_all _ _ P) as Held. clear P.
  assert (Out : forall d, (length (model_meanings (certified c)) <= d)%nat -> is_shown (certified c) (established
    (with_definitions (certified c)) (claimed_lengths c) (model_network (certified c)) (model_meanings (certified c))) d
    = true).
  { intros d Hd. unfold is_shown. now rewrite nth_overflow. }
  assert (All : forall d, is_shown (certified c) (established (with_definitions (certified c)) (claimed_lengths c)
    (model_network (certified c)) (model_meanings (certified c))) d = true).
  { intros d. destruct (Nat.lt_ge_cases d (length (model_meanings (certified c)))) as [Hd|Hd]; [|now apply Out].
    apply Shown, in_seq. lia. }
  clear Shown Out.
  assert (Exact : forall d f, nth d (model_meanings (certified c)) IsAnything = IsTruth f -> holds_exactly c d f).
  { intros d f N. pose proof (shown_everywhere c d (All d)) as V. rewrite N in V. exact (V eq_refl). }
  split; [exact E|]. split; [exact W|]. split; [exists (claimed_least c); repeat split; simpl; lia|].
  split; [now apply is_whole_letters|].
  split; [exact (defined_there_correct (claimed_lengths c) (model_network (certified c)) D)|].
  split; [|split; [|split; [|split; [|split]]]].
  - exact (Exact _ _ (output_means_eq _ _ O)).
  - intros f F. specialize (Held f F). apply existsb_exists in Held as (a & Ia & Ha).
    apply (In_nth _ _ IsAnything) in Ia as (d & _ & N). exists d. destruct a; try discriminate.
    apply formula_eqb_eq in Ha. subst. split; [exact N|now apply Exact].
  - intros d. apply shown_everywhere. apply All.
  - revert l Q. induction (claimed_errors c) as [|e r IH]; simpl; intros l Q; [injection Q as <-; constructor|].
    destruct (proved_error _ _ _ _ _ e) as [x|] eqn:X; [|discriminate].
    destruct (proved_errors _ _ _ _ _ r) as [y|]; [|discriminate]. injection Q as <-.
    constructor; [exact (proved_error_errs c e x (All _) X)|now apply IH].
  - now apply shows_regime_holds.
  - intros K. rewrite K in C. apply shows_causal_holds. now apply negb_false_iff.
Qed.

Theorem accepts_certificate_holds text c : accepts_certificate text c = true -> exists errors, file_holds text c errors.
Proof.
  unfold accepts_certificate. destruct (judge_certificate text c) as [errors| | | | | | | |] eqn:J; try discriminate.
  intros _. exists errors. now apply judge_certificate_holds.
Qed.
