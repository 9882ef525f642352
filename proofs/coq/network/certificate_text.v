(* A certificate of a formula as the text of its file (docs/reference/certificate.md, section 3), to be compared with
   `seal` of proofs/formula/certificate.py; and what it means that such a file holds.

   Nothing has to read that file: a certificate is written as text, and the texts are compared, as model_text.v does it.
   What is claimed is `certificate_claim`: read it first. Its errors are those that are proved, which need not be those
   that the file states. *)
From Coq Require Import Reals QArith Qreals String ZArith List Bool Arith Lia.
From Certify Require Import positions finite_sums softmax weighing formula network meaning well_defined user_predicates
  json_text formula_text model_text comparison.
Import ListNotations.

(* How attention is sharpened, as the claim has it. *)
Inductive regime_claim := ByTemperature | ByPosition | Unstated.

(* The stated errors of what a head writes: where the truth is 0, and where it is 1; of a number, above and below it. *)
Record stated_error := StatedError {
  error_layer : nat; error_head : nat; error_direction : direction; error_if_false : Q; error_if_true : Q }.

Record certificate := Certificate {
  certified : model;
  claimed_formula : formula;
  claimed_least : nat;
  claimed_greatest : nat;
  claimed_regime : regime_claim;
  claimed_causal : bool;
  claimed_errors : list stated_error }.

Definition claimed_lengths (c : certificate) : lengths := Lengths (claimed_least c) (Some (claimed_greatest c)).

(* ---- the text ---- *)
Section CertificateText.
Open Scope string_scope.
Open Scope nat_scope.
Variable c : certificate.

Definition number_json (k : nat) : json := Verbatim (natural_text k).
Definition regime_name (r : regime_claim) : string :=
  match r with ByTemperature => "temperature" | ByPosition => "position" | Unstated => "unstated" end.
Definition claim_json : json := Fields ([ ("formula", formula_json (certified c) (claimed_formula c)); ("alphabet",
  Items (map Quoted (model_letters (certified c))))] ++ (if 1 <? claimed_least c then [("min_n",
  number_json (claimed_least c))] else []) ++ [ ("max_n", number_json (claimed_greatest c)); ("regime",
  Quoted (regime_name (claimed_regime c))); ("causal", Verbatim (if claimed_causal c then "true" else "false"))])%list.
Definition stated_error_json (e : stated_error) : json := Fields [ ("layer", number_json (error_layer e)); ("head",
  number_json (error_head e)); ("direction", Quoted (name_of (certified c) (error_direction e))); ("error_if_false",
  rational_json (error_if_false e)); ("error_if_true", rational_json (error_if_true e))].
Definition certificate_json : json := Fields [ ("format", Quoted "certify-certificate"); ("version", Verbatim "1");
  ("claim", claim_json); ("transformer", model_json (certified c)); ("bounds",
  Items (map stated_error_json (claimed_errors c)))].
Definition certificate_text : string := json_text certificate_json.

(* The condition on a certificate for its text to determine it. *)
Definition is_whole_certificate : bool := is_whole (certified c) && output_means (certified c) (claimed_formula c) &&
  is_named_in (certified c) (claimed_formula c) && (1 <=? claimed_least c) && (claimed_least c <=? claimed_greatest c)
  && forallb (fun e => (error_direction e <? length (model_directions (certified c))) &&
  is_reduced (error_if_false e) && is_reduced (error_if_true e)) (claimed_errors c).
End CertificateText.

(* ---- subformulas: of a comparison those of the counts that are left when it is put together ---- *)
Fixpoint all_subformulas (f : formula) : list formula :=
  f :: match f with
  | Truth _ | Symbol _ | Positional _ => []
  | Not g | Previous g | Next g | OnCount _ _ g => all_subformulas g
  | And g h | Or g h | Implies g h | Iff g h | Since g h | Until g h => all_subformulas g ++ all_subformulas h
  | OnSum _ t => term_parts (map fst (term_difference t (Number 0))) t
  | Compare _ t u => let left := map fst (term_difference t u) in term_parts left t ++ term_parts left u
  end
with term_parts (left : list count_atom) (t : term) : list formula :=
  match t with
  | Number _ => []
  | Plus _ s g t => (if existsb (count_eqb (s, g)) left then all_subformulas g else []) ++ term_parts left t
  end.

Fixpoint has_counts (f : formula) : bool :=
  match f with
  | Truth _ | Symbol _ | Positional _ => false
  | Not g | Previous g | Next g => has_counts g
  | And g h | Or g h | Implies g h | Iff g h | Since g h | Until g h => has_counts g || has_counts h
  | OnCount _ _ _ | OnSum _ _ => true
  | Compare _ t u => match term_difference t u with [] => false | _ => true end
  end.
Definition meaning_has_counts (a : meaning) : bool :=
  match a with
  | IsPosition _ | IsAnything => false
  | IsTruth f | IsSlack f | IsProduct _ f => has_counts f
  | IsNear f guard => has_counts f || has_counts guard
  | IsMean _ _ | IsAverage _ | IsTotal _ _ | IsOthers _ _ _ => true
  end.

(* ---- what is claimed ---- *)
Definition is_of_others (a : meaning) : bool := match a with IsOthers _ _ _ => true | _ => false end.

Section Claim.
Open Scope R_scope.
Variable c : certificate.
Notation m := (certified c).
Notation T := (model_network m).
Notation users := (model_users m).
Notation L := (claimed_lengths c).

(* At every position of every word of the claim the number x that a direction holds is so. *)
Definition everywhere (d : direction) (so : nat -> word -> nat -> R -> Prop) : Prop := forall n w, length_allowed L n ->
  word_in_alphabet T n w -> forall i : position n, so n w i (run_transformer users T n w i d).
Definition holds_exactly (d : direction) (f : formula) : Prop :=
  everywhere d (fun n w i x => x = bit (truth users n w f i)).
(* An error is one of a direction: where the truth is 0 (above the number), and where it is 1 (below it). *)
Definition errs_at_most (e : direction * (Q * Q)) : Prop :=
  everywhere (fst e) (fun n w i x => match nth (fst e) (model_meanings m) IsAnything with
  | IsNear f guard => 0 <= x <= 1 /\ (truth users n w guard i = true ->
      if truth users n w f i then 1 - Q2R (snd (snd e)) <= x else x <= Q2R (fst (snd e)))
  | IsOthers s f _ => - Q2R (snd (snd e)) <= x - INR (others_on s n (truth users n w f) i) <= Q2R (fst (snd e))
  | _ => False
  end).
Definition regime_holds : Prop :=
  match claimed_regime c with
  | Unstated => True
  | ByPosition => forall l a, In l (transformer_layers T) -> In a (layer_heads l) ->
      forall n (i : position n), length_allowed L n -> expression_value (head_temperature a) n i = 1
  | ByTemperature => forall d p, In (d, p) (position_embedding T) ->
      forall n (i : position n), length_allowed L n ->
      Rabs (position_value users p n i) <= if existsb meaning_has_counts (model_meanings m) then INR n ^ 2 else 1
  end.
Definition is_causal : Prop := (forall l a, In l (transformer_layers T) -> In a (layer_heads l) ->
  head_masking a = FutureMasked /\ head_weighing a <> ReluOverN /\ forall n n' i, expression_value (head_temperature a)
  n i = expression_value (head_temperature a) n' i) /\ (forall d p, In (d, p) (position_embedding T) -> forall n n' i,
  position_value users p n i = position_value users p n' i).

(* Nothing divides by zero, temperatures are positive; the output is the truth of the formula, and so is some direction
   of each of its subformulas; every direction holds what the file says (a number of other positions: within the error
   that is proved); the proved errors; the regime. *)
Definition certificate_claim (errors : list (direction * (Q * Q))) : Prop := (exists n, length_allowed L n) /\
  model_letters m <> [] /\ defined_for L T /\ computes_for users L T (claimed_formula c) /\ (forall f,
  In f (all_subformulas (claimed_formula c)) -> exists d, nth d (model_meanings m) IsAnything = IsTruth f /\
  holds_exactly d f) /\ (forall d, is_of_others (nth d (model_meanings m) IsAnything) = false ->
  everywhere d (fun n w i x => meaning_holds users n w i (nth d (model_meanings m) IsAnything) x)) /\
  Forall errs_at_most errors /\ regime_holds /\ (claimed_causal c = true -> is_causal).
End Claim.

(* A file with this text is a certificate whose claim holds, with these errors. *)
Definition file_holds (text : string) (c : certificate) (errors : list (direction * (Q * Q))) : Prop :=
  certificate_text c = text /\ is_whole_certificate c = true /\ certificate_claim c errors.
