(* Two certificates with one text have one claim: the formula, the letters and the predicates, the lengths, the regime,
   the errors that are stated; and their networks are one function, since their models have one text
   (`same_text_same_function`). *)
From Coq Require Import QArith String Ascii List Bool Arith Lia.
From Certify Require Import lists formula network user_predicates json_text formula_text model_text text_trees
  expression_trees formula_text_once json_text_once same_text certificate_text.
Import ListNotations.
Open Scope string_scope.
Open Scope nat_scope.

Lemma natural_is_json n : is_json (Verbatim (natural_text n)).
Proof.
  apply is_plain. destruct (natural_is_number n) as (d & N & E). unfold is_verbatim. rewrite E. apply andb_true_intro.
  replace (_ d) with (DecimalString.NilEmpty.string_of_uint d) by now destruct d.
  split; [now destruct d|]. pose proof (digits_are_run d) as R. apply String.eqb_eq in R.
  induction (DecimalString.NilEmpty.string_of_uint d) as [|c s IH]; [reflexivity|]. simpl in R |- *.
  unfold verbatim_character at 1. destruct (is_word_character c); [|discriminate R]. injection R as R. now apply IH.
Qed.

Section Parts.
Variable c : certificate.
Hypothesis IsWhole : is_whole_certificate c = true.
Notation m := (certified c).

Lemma certificate_parts : is_whole m = true /\ output_means m (claimed_formula c) = true /\
  is_named_in m (claimed_formula c) = true /\ 1 <= claimed_least c /\ Forall (fun e =>
  error_direction e < length (model_directions m) /\ is_reduced (error_if_false e) = true /\
  is_reduced (error_if_true e) = true) (claimed_errors c).
Proof.
  pose proof IsWhole as W. unfold is_whole_certificate in W. rewrite !andb_true_iff, !Nat.leb_le, forallb_forall in W.
  destruct W as [[[[[A B] C] D] _] E]. repeat split; auto. apply Forall_forall. intros e I. specialize (E e I).
  rewrite !andb_true_iff, Nat.ltb_lt in E. tauto.
Qed.

Lemma certificate_is_json : is_json (certificate_json c).
Proof.
  destruct certificate_parts as (W & _). apply is_whole_whole in W.
  assert (Claim : is_json (claim_json c)).
  { apply is_fields. repeat (apply Forall_app; split); [| |].
    - apply Forall_cons; [split; [reflexivity|apply quoted_json; now apply formula_quotable]|]. apply Forall_cons;
        [|apply Forall_nil]. split; [reflexivity|]. apply items_json. intros s I. apply is_quoted.
      now apply (letters_closed m W).
    - destruct (1 <? claimed_least c); [|apply Forall_nil]. apply Forall_cons; [|apply Forall_nil].
      split; [reflexivity|apply natural_is_json].
    - repeat (apply Forall_cons; [split; [reflexivity|cbn [snd]]|]); try apply Forall_nil; [apply natural_is_json| |].
      + apply is_quoted. now destruct (claimed_regime c).
      + apply is_plain. now destruct (claimed_causal c). }
  apply is_fields. repeat (apply Forall_cons; [split; [reflexivity|cbn [snd]]|]); try apply Forall_nil; auto.
  - now apply is_quoted.
  - now apply is_plain.
  - now apply model_is_json.
  - apply items_json. intros e _. apply is_fields.
    repeat (apply Forall_cons; [split; [reflexivity|cbn [snd]]|]); try apply Forall_nil; try apply natural_is_json;
      apply is_quoted; [now apply name_closed|apply rational_closed..].
Qed.
End Parts.

Lemma claim_json_once c c' : 1 <= claimed_least c -> 1 <= claimed_least c' -> claim_json c = claim_json c' ->
  claimed_least c = claimed_least c' /\ claimed_greatest c = claimed_greatest c' /\
  claimed_regime c = claimed_regime c' /\ claimed_causal c = claimed_causal c'.
Proof.
  assert (Regimes : forall r s, regime_name r = regime_name s -> r = s) by now intros [] [].
  assert (Causals : forall a b : bool, (if a then "true" else "false") = (if b then "true" else "false") -> a = b)
    by now intros [] [].
  intros L L' E. unfold claim_json in E.
  destruct (Nat.ltb_spec 1 (claimed_least c)), (Nat.ltb_spec 1 (claimed_least c')); cbn [app] in E; try discriminate E.
  - injection E as _ _ Least Greatest Regime Causal. apply natural_text_once in Least, Greatest. auto.
  - injection E as _ _ Greatest Regime Causal. apply natural_text_once in Greatest. split; [lia|auto].
Qed.

Theorem same_text_same_claim c c' : is_whole_certificate c = true -> is_whole_certificate c' = true ->
  certificate_text c = certificate_text c' -> claimed_formula c = claimed_formula c' /\
  model_letters (certified c) = model_letters (certified c') /\
  model_definitions (certified c) = model_definitions (certified c') /\ claimed_least c = claimed_least c' /\
  claimed_greatest c = claimed_greatest c' /\ claimed_regime c = claimed_regime c' /\
  claimed_causal c = claimed_causal c' /\ claimed_errors c = claimed_errors c' /\
  model_text (certified c) = model_text (certified c').
Proof.
  intros W W' T. apply json_text_once in T; [|now apply certificate_is_json..].
  destruct (certificate_parts c W) as (M & O & N & L & E), (certificate_parts c' W') as (M' & O' & N' & L' & E').
  assert (Parts : forall f v a b d a' b' d', Fields [f; v; ("claim", a); ("transformer", b); ("bounds", Items d)]
    = Fields [f; v; ("claim", a'); ("transformer", b'); ("bounds", Items d')] -> a = a' /\ b = b' /\ d = d')
    by (intros * K; now injection K).
  apply Parts in T as (Claim & Model & Errors).
  assert (Text : model_text (certified c) = model_text (certified c')) by (unfold model_text; now rewrite Model).
  destruct (same_text_same_function _ _ M M' Text) as (A & P & _ & _ & Same).
  destruct (parts_agree _ _ M M' Text) as (_ & _ & _ & D & _).
  destruct (claim_json_once c c' L L' Claim) as (Least & Greatest & Regime & Causal).
  split; [apply Same; auto; now apply output_means_eq|]. repeat split; auto.
  rewrite <- (map_id (claimed_errors c)), <- (map_id (claimed_errors c')). revert Errors.
  eapply map_once; [|exact E|exact E']. intros [l h d x y] [l' h' d' x' y'] (Fd & X & Y) (Fd' & X' & Y') J.
  cbn in Fd, X, Y, Fd', X', Y', J.
  injection J as J1 J2 J3 J4 J5. apply natural_text_once in J1, J2. f_equal; auto using rational_text_once.
  apply (name_once _ _ (model_directions (certified c))) in J3; auto; [|now rewrite D].
  exact (whole_directions_once _ _ _ _ _ (is_whole_whole _ M)).
Qed.
