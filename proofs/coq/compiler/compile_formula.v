(* Formula and regime to transformer, as `certify build` does it (constructions/compiler.py).

   `build` gives the network, number by number, and the meanings of its directions, or nothing where compile_formula
   raises Unsupported or InputError. To be compared with constructions/: each function here has the name of one there;
   what it adds to a draft, and in which order, is the same. Left out: predicates on sums of counts, the constructions
   as printed and for low precision, other temperatures and other weightings than softmax. *)
From Coq Require Import QArith Qabs ZArith List Bool Arith.
From Certify Require Import formula network meaning linear_combination comparison regime draft.
Import ListNotations.
Open Scope nat_scope.

(* ---- what formulas are made of ---- *)
Definition is_connective (f : formula) : bool :=
  match f with Not _ | And _ _ | Or _ _ | Implies _ _ | Iff _ _ => true | _ => false end.

(* From symbols, constants and connectives only. *)
Fixpoint is_symbolic (f : formula) : bool :=
  match f with
  | Truth _ | Symbol _ => true
  | Not f => is_symbolic f
  | And f g | Or f g | Implies f g | Iff f g => is_symbolic f && is_symbolic g
  | _ => false
  end.
(* The truth of a symbolic formula at a position that has the symbol. *)
Definition symbolic_truth (f : formula) (a : nat) : bool := truth no_users 1 (fun _ => a) f 1.

(* The difference of two terms: each count once, in the order of mention, and none with coefficient 0. *)
Definition ordered_difference (t u : term) : list (count_atom * Q) := filter (fun e => negb (is_zero (snd e)))
  (fold_left (fun l e => insert_term count_eqb (fst e) (snd e) l) (counts_of t ++ scaled_terms (-1) (counts_of u)) []).
Definition is_constant_comparison (t u : term) : bool := match ordered_difference t u with [] => true | _ => false end.

Section Somewhere.
Variable has : formula -> bool.
(* Whether a formula or one of its subformulas, those inside counts included, has a property. *)
Fixpoint some_subformula (f : formula) : bool :=
  has f || match f with
  | Truth _ | Symbol _ | Positional _ => false
  | Not f | Previous f | Next f | OnCount _ _ f => some_subformula f
  | And f g | Or f g | Implies f g | Iff f g | Since f g | Until f g => some_subformula f || some_subformula g
  | OnSum _ t => somewhere_in_term t
  | Compare _ t u => somewhere_in_term t || somewhere_in_term u
  end
with somewhere_in_term (t : term) : bool :=
  match t with Number _ => false | Plus _ _ f rest => some_subformula f || somewhere_in_term rest end.
End Somewhere.

(* Whether the formula itself needs the value of a count. *)
Definition is_counting (f : formula) : bool :=
  match f with
  | OnCount _ _ _ | OnSum _ _ => true
  | Compare _ t u => negb (is_constant_comparison t u)
  | _ => false
  end.
Definition is_previous (f : formula) : bool := match f with Previous _ => true | _ => false end.
Definition is_temporal (f : formula) : bool :=
  match f with Previous _ | Next _ | Since _ _ | Until _ _ => true | _ => false end.

(* ---- what is refused ---- *)
Definition weight_of_difference (l : list (count_atom * Q)) : Q :=
  fold_right (fun e s => Qred (Qabs (snd e) + s)) 0%Q l.

Section Supported.
Variables (r : regime) (alphabet : nat) (mentions_length : nat -> bool).

Definition side_supported (s : side) : bool := match s with ToLeft => true | ToRight => negb (regime_causal r) end.
Definition predicate_supported (p : predicate) : bool :=
  match p with
  | LAST => negb (regime_causal r)
  | User name => negb (regime_causal r && mentions_length name)
  | _ => true
  end.
Definition counting_supported : bool := negb (regime_causal r && regime_by_position r).
Fixpoint sides_supported (t : term) : bool :=
  match t with Number _ => true | Plus _ s _ rest => side_supported s && sides_supported rest end.
Definition comparison_supported (t u : term) : bool :=
  sides_supported t && sides_supported u && (is_constant_comparison t u || counting_supported).

(* The part of the formula that is its own, without its operands. *)
Definition supported_itself (f : formula) : bool :=
  match f with
  | Symbol a => a <? alphabet
  | Next _ | Until _ _ => negb (regime_causal r)
  | Positional p => predicate_supported p
  | OnCount p s _ => predicate_supported p && side_supported s && counting_supported
  | OnSum _ _ => false                                               (* of sums `build` has no networks *)
  | Compare _ t u => comparison_supported t u
  | _ => true
  end.
Definition formula_supported (f : formula) : bool := negb (some_subformula (fun g => negb (supported_itself g)) f).
End Supported.

(* Numbers so large that they must be a mistake: `build` refuses them, although the network would be right. *)
Definition max_coefficient : Q := inject_Z (10 ^ 9).
Definition max_constant : Z := (10 ^ 12)%Z.
Definition moderate_itself (f : formula) : bool :=
  match f with
  | Compare _ t u => is_constant_comparison t u ||
      (forallb (fun e => Qle_bool (Qabs (snd e)) max_coefficient) (ordered_difference t u)
       && (Z.abs (constant_difference t u) <=? max_constant)%Z)
  | _ => true
  end.
Definition coefficients_moderate (f : formula) : bool := negb (some_subformula (fun g => negb (moderate_itself g)) f).

(* ---- expressions ---- *)
Definition sign_of_position : expression := Power (Neg (Num 1)) IntI.                                     (* (-1)^i *)
Definition share_of_position : expression := Div VarI VarN.                                                   (* i/n *)
Definition reciprocal_expression (s : side) : expression :=                                       (* 1/i, 1/(n+1-i) *)
  match s with ToLeft => Div (Num 1) VarI | ToRight => Div (Num 1) (Sub (Add VarN (Num 1)) VarI) end.
(* (1-(-1)^i)/(2*i), and -(-1)^i*(1+(-1)^(n-i))/(2*(n-i+1)) *)
Definition alternating_mean (s : side) : expression :=
  match s with
  | ToLeft => Div (Sub (Num 1) sign_of_position) (Mul (Num 2) VarI)
  | ToRight => Div (Mul (Neg sign_of_position) (Add (Num 1) (Power (Neg (Num 1)) (IntMinus IntN IntI))))
                   (Mul (Num 2) (Add (Sub VarN VarI) (Num 1)))
  end.

(* What all parts of one network have in common. *)
Record setting := Setting {
  set_regime : regime; set_gamma : Q; set_temperature : expression; reciprocal_embedded : bool }.

Section Constructions.
Variable c : setting.
Notation causal := (regime_causal (set_regime c)).
Notation by_position := (regime_by_position (set_regime c)).
Notation gamma := (set_gamma c).
Notation entry x q := (@pair direction Q x q%Q).

Definition truth_of (d : draft) (f : formula) : direction := match find_truth d f with Some x => x | None => 0 end.
Definition add_one (d : draft) : draft * direction := embed_position d (Num 1).
Definition add_one_head (d : draft) (k : masking) (queries keys : list row) (value : row) (m : meaning) :
  draft * direction := (add_head d k (set_temperature c) queries keys [DraftOutput value m 0], new_direction d).

(* ---- Boolean connectives (boolean_connectives.py) ---- *)
Definition connective_units (d : draft) (f : formula) : list draft_unit * Q :=
  let x := truth_of d in
  match f with
  | Not f => ([(merged_row [entry (x f) 1], 0, -1)], 1)
  | And f g => ([(merged_row [entry (x f) 1; entry (x g) 1], -1, 1)], 0)
  | Or f g => ([(merged_row [entry (x f) (-1); entry (x g) (-1)], 1, -1)], 1)
  | Implies f g =>
      if formula_eqb f g && is_connective f then ([([entry (x f) 1], -1, -1)], 1)
      else ([(merged_row [entry (x f) 1; entry (x g) (-1)], 0, -1)], 1)
  | Iff f g =>
      if formula_eqb f g && is_connective f then ([([entry (x f) 1], -1, -1)], 1)
      else ([(merged_row [entry (x f) 1; entry (x g) (-1)], 0, -1);
             (merged_row [entry (x f) (-1); entry (x g) 1], 0, -1)], 1)
  | _ => ([], 0)
  end%Q.
(* The direction of a formula over symbols, of a predicate, or of a connective whose operands have directions. *)
Definition require_truth (d : draft) (f : formula) : draft * direction :=
  add_once d (is_truth_of f) (fun d =>
    if is_symbolic f then add_tokens d (IsTruth f) (symbolic_truth f)
    else match f with
    | Positional _ | Compare _ _ _ => embed_positional d f
    | _ => let '(units, bias) := connective_units d f in add_feed_forward d (IsTruth f) units bias
    end).

(* ---- Lemma 9 ---- *)
Definition rounding_units (near : direction) (gates : list direction) : list draft_unit :=
  let reads := entry near 1 :: map (fun x => entry x (-1)) gates in [(reads, -1 # 4, 2); (reads, -3 # 4, -2)]%Q.

(* ---- Proposition 11 ---- *)
Definition edge_of (s : side) : predicate := match s with ToLeft => FIRST | ToRight => LAST end.
Definition mask_of (s : side) : masking := match s with ToLeft => FutureMasked | ToRight => PastMasked end.
Definition add_uniform_head (d : draft) (s : side) (value : row) (m : meaning) : draft * direction :=
  add_one_head d (mask_of s) [[]] [[]] value m.
Definition above_half (mean : direction) (sign : Q) : draft_unit := ([entry mean sign], -1 # 2, 2)%Q.
(* The truth of FIRST, or of LAST. *)
Definition edge_marker (s : side) (d : draft) : draft * direction :=
  add_once d (is_truth_of (Positional (edge_of s))) (fun d =>
    let '(d, alternation) := embed_position d sign_of_position in
    let '(d, mean) := add_uniform_head d s [entry alternation (-1)] (IsPosition (Formula (alternating_mean s))) in
    add_feed_forward d (IsTruth (Positional (edge_of s)))
      (above_half mean 1 :: match s with ToLeft => [] | ToRight => [above_half mean (-1)] end) 0).
(* 1/i, or 1/(n+1-i): embedded, or uniform attention over the marker. *)
Definition add_reciprocal (s : side) (d : draft) : draft * direction :=
  let m := IsPosition (Formula (reciprocal_expression s)) in
  add_once d (is_position_of (Formula (reciprocal_expression s))) (fun d =>
    if reciprocal_embedded c then add_position d m (Formula (reciprocal_expression s))
    else let '(d, marker) := edge_marker s d in add_uniform_head d s [entry marker 1] m).

(* ---- Lemma 8: the head whose score is largest at the nearest position of the largest score ---- *)
Definition tie_breaking (s : side) (d : draft) : draft * row * Q :=
  if causal then let '(d, x) := add_reciprocal ToLeft d in (d, [entry x (-1)], Qred gamma)
  else let '(d, x) := embed_position d share_of_position in
       (d, [entry x (match s with ToLeft => 1 # 2 | ToRight => -1 # 2 end)], Qred (2 * gamma)).
Definition add_scale (d : draft) : draft * direction :=
  if by_position then embed_position d (if causal then square_of_i else VarN) else add_one d.
Definition tie_broken_head (s : side) (d : draft) (score value : row) (m : meaning) : draft * direction :=
  let '(d, tie, factor) := tie_breaking s d in
  let '(d, x) := add_scale d in
  add_one_head d (mask_of s) [[entry x factor]] [score ++ tie] value m.

(* ---- Theorems 12 and 13; the side says where the neighbour is ---- *)
Definition neighbour_formula (s : side) (f : formula) : formula := match s with ToLeft => Previous f | ToRight =>
  Next f end.
(* The head that looks at even (odd) positions, asked from odd (even) ones. *)
Definition parity_head (s : side) (f : formula) (even_keys : bool) (d : draft) : draft * direction :=
  let asked := Positional (if even_keys then ODD else EVEN) in
  let '(d, alternation) := embed_position d sign_of_position in
  tie_broken_head s d [entry alternation (if even_keys then 1 # 2 else -1 # 2)] [entry (truth_of d f) 1]
    (IsNear (neighbour_formula s f) (And asked (Not (Positional (edge_of s))))).
Definition gated_units (s : side) (near : direction) (even_keys : bool) (d : draft) : draft * list draft_unit :=
  let '(d, wrong_parity) := require_truth d (Positional (if even_keys then EVEN else ODD)) in
  let '(d, edge) := edge_marker s d in (d, rounding_units near [wrong_parity; edge]).
Definition add_neighbour (s : side) (f : formula) (d : draft) : draft * direction :=
  let '(d, by_even) := parity_head s f true d in
  let '(d, by_odd) := parity_head s f false d in
  let '(d, even_units) := gated_units s by_even true d in
  let '(d, odd_units) := gated_units s by_odd false d in
  add_feed_forward d (IsTruth (neighbour_formula s f)) (even_units ++ odd_units) 0.

(* ---- Theorems 15 and 16 ---- *)
Definition since_or_until (s : side) (f g : formula) : formula :=
  match s with ToLeft => Since f g | ToRight => Until f g end.
Definition add_since_or_until (s : side) (f g : formula) (d : draft) : draft * direction :=
  let '(d, decides) := require_truth d (Implies f g) in
  let '(d, both) := require_truth d (And f g) in
  let '(d, near) := tie_broken_head s d [entry decides 1] [entry both 1]
    (IsNear (since_or_until s f g) (Truth true)) in
  add_feed_forward d (IsTruth (since_or_until s f g)) (rounding_units near []) 0.

(* ---- Theorems 20 and 21 ---- *)
Definition add_mean (s : side) (f : formula) (d : draft) : draft * direction :=
  add_once d (is_mean_of s f) (fun d => add_uniform_head d s [entry (truth_of d f) 1] (IsMean s f)).
Definition add_here (s : side) (f : formula) (d : draft) : draft * direction :=
  let '(d, x) := add_reciprocal s d in
  add_once d (is_product_of (reciprocal_expression s) f) (fun d =>
    add_feed_forward d (IsProduct (reciprocal_expression s) f)
      [([entry x 1], 0, 1); ([entry x 1; entry (truth_of d f) (-1)], 0, -1)]%Q 0).

Definition growing_weight (x : expression) : expression := if by_position then Mul x VarN else x.
(* Lemma 7: the head that attends to position m + 1, where m other positions are counted. *)
Definition lookup_head (s : side) (f : formula) (weight : Q) (d : draft) (outs : list draft_output) : draft :=
  let '(d, mean) := add_mean s f d in
  let '(d, here) := add_here s f d in
  let '(d, place) := embed_position d (growing_weight VarI) in
  let '(d, place_squared) := embed_position d (growing_weight square_of_i) in
  let '(d, x) := add_reciprocal s d in
  let sharpness := Qred (gamma * weight) in
  add_head d (match s with ToLeft => FutureMasked | ToRight => Unmasked end) (set_temperature c)
    [[entry mean sharpness; entry here (- sharpness)]; [entry x sharpness]]
    [[entry place 2]; [entry place_squared (-1); entry place 2]] outs.

(* The error that `others_on` may have beside coefficients of this total weight. *)
Definition lookup_error_limit (weight : Q) : Q := Qred (/ (4 * weight)).
Definition is_others_of (s : side) (f : formula) (error : Q) (e : draft_fact) : bool :=
  match fact_meaning e with
  | IsOthers t g x => side_eqb t s && formula_eqb g f && (Qnum x =? Qnum error)%Z && (Qden x =? Qden error)%positive
  | _ => false
  end.
Definition add_others (s : side) (f : formula) (weight : Q) (d : draft) : draft * direction :=
  add_once d (is_others_of s f (lookup_error_limit weight)) (fun d =>
    let '(d, place) := embed_position d VarI in
    let '(d, unity) := add_one d in
    let '(d, others) := let e := lookup_head s f weight d
        [DraftOutput [entry place 1; entry unity (-1)] (IsOthers s f (lookup_error_limit weight)) 0] in (e,
          pred (new_direction e)) in
    (d, others)).
(* The counts of a comparison, and the row whose value is near their combination. *)
Fixpoint add_all_others (weight : Q) (l : list (count_atom * Q)) (d : draft) : draft * row :=
  match l with
  | [] => (d, [])
  | ((s, f), q) :: l =>
      let '(d, others) := add_others s f weight d in
      let x := truth_of d f in
      let '(d, rest) := add_all_others weight l d in (d, entry others q :: entry x q :: rest)
  end.

(* ---- comparisons by saturation (saturated_comparison.py) ---- *)
Fixpoint differences_eqb (l m : list (count_atom * Q)) : bool :=
  match l, m with
  | [], [] => true
  | (k, p) :: l, (k', q) :: m => count_eqb k k' && Qeq_bool p q && differences_eqb l m
  | _, _ => false
  end.
Definition is_slack_of (r : relation) (t u : term) (e : draft_fact) : bool :=
  match fact_meaning e with
  | IsSlack (Compare r' t' u') => relation_eqb r' r
      && differences_eqb (ordered_difference t' u') (ordered_difference t u)
      && Z.eqb (constant_difference t' u') (constant_difference t u)
  | _ => false
  end.
(* T >= 0 or T <= 0, where the value of the row, plus a constant, is near T = t - u. *)
Definition add_slack (t u : term) (h : row) (r : relation) (d : draft) : draft * direction :=
  let factor := match r with AtLeast => -2 | _ => 2 end%Q in
  add_once d (is_slack_of r t u) (fun d => add_feed_forward d (IsSlack (Compare r t u))
    [(scaled_terms factor h, Qred (factor * inject_Z (constant_difference t u) - (1 # 2)), 1%Q)] 0).
Definition is_negated (r : relation) : bool := match r with Below | Above | Unequal => true | _ => false end.
Definition add_bounds (r : relation) (t u : term) (h : row) (d : draft) : draft * row :=
  match r with
  | AtLeast | Below => let '(d, x) := add_slack t u h AtLeast d in (d, [entry x (-1)])
  | AtMost | Above => let '(d, x) := add_slack t u h AtMost d in (d, [entry x (-1)])
  | Equal | Unequal =>
      let '(d, x) := add_slack t u h AtLeast d in
      let '(d, y) := add_slack t u h AtMost d in (d, [entry x (-1); entry y (-1)])
  end.
Definition add_comparison (r : relation) (t u : term) (d : draft) : draft * direction :=
  let l := ordered_difference t u in
  let '(d, h) := add_all_others (weight_of_difference l) l d in
  let '(d, reads) := add_bounds r t u (merged_row h) d in
  if is_negated r then add_feed_forward d (IsTruth (Compare r t u)) [(reads, 1, -1)]%Q 1
  else add_feed_forward d (IsTruth (Compare r t u)) [(reads, 1, 1)]%Q 0.

(* ---- predicates on counts ---- *)
Definition position_truth (d : draft) (p : predicate) : draft * direction :=
  add_once d (is_truth_of (Positional p)) (fun d => embed_positional d (Positional p)).
Definition add_predicate (p : predicate) (s : side) (f : formula) (d : draft) : draft * direction :=
  let '(d, at_place) := position_truth d p in
  let '(d, before) := embed_before d (Positional p) in
  let d := lookup_head s f 1 d [DraftOutput [entry at_place 1] (IsNear (OnCount p s f) f) 0;
                                DraftOutput [entry before 1] (IsNear (OnCount p s f) (Not f)) 0] in
  let if_here := pred (pred (new_direction d)) in
  let '(d, negation) := require_truth d (Not f) in
  add_feed_forward d (IsTruth (OnCount p s f))
    (rounding_units if_here [negation] ++ rounding_units (S if_here) [truth_of d f]) 0.

(* ---- the compiler ---- *)
(* The draft with a direction for the formula, and for what it is made of. *)
Fixpoint add_formula (f : formula) (d : draft) : draft :=
  match find_truth d f with
  | Some _ => d
  | None => match f with
    | Truth _ | Symbol _ | Positional _ => fst (require_truth d f)
    | Not g => fst (require_truth (add_formula g d) f)
    | And g h | Or g h | Implies g h | Iff g h => fst (require_truth (add_formula h (add_formula g d)) f)
    | Previous g => fst (add_neighbour ToLeft g (add_formula g d))
    | Next g => fst (add_neighbour ToRight g (add_formula g d))
    | Since g h => fst (add_since_or_until ToLeft g h (add_formula h (add_formula g d)))
    | Until g h => fst (add_since_or_until ToRight g h (add_formula h (add_formula g d)))
    | OnCount p s g => fst (add_predicate p s g (add_formula g d))
    | OnSum _ _ => d
    | Compare r t u =>
        let d := add_counted u (add_counted t d) in
        if is_constant_comparison t u then fst (require_truth d f) else fst (add_comparison r t u d)
    end
  end
with add_counted (t : term) (d : draft) : draft :=
  match t with Number _ => d | Plus _ _ f rest => add_counted rest (add_formula f d) end.
End Constructions.

(* Temperature and reciprocals as Theorems 12 to 21 and Corollaries 17 to 23 list them (new_draft). *)
Definition setting_for (r : regime) (gamma : Q) (f : formula) : setting :=
  let counts := some_subformula is_counting f in
  let temporal := some_subformula is_temporal f in
  Setting r gamma (if regime_causal r && counts && negb temporal then Div (Num 1) VarI else temperature_of r)
    (negb (some_subformula is_previous f || (counts && temporal))).

(* As a file states it: errors are not written. *)
Definition written_meaning (m : meaning) : meaning := match m with IsOthers s f _ => IsOthers s f 0 | _ => m end.

Definition draft_of (r : regime) (gamma : Q) (alphabet : nat) (f : formula) : draft :=
  add_formula (setting_for r gamma f) f (empty_draft alphabet).
Definition network_for (r : regime) (gamma : Q) (alphabet : nat) (f : formula) : transformer :=
  let d := draft_of r gamma alphabet f in finish_draft d (truth_of d f).

(* `mentions_length` says which of the user's predicates depend on n: causal regimes refuse them. *)
Definition build (r : regime) (gamma : Q) (alphabet : nat) (mentions_length : nat -> bool) (f : formula)
  : option (transformer * list meaning) :=
  if formula_supported r alphabet mentions_length f && coefficients_moderate f && negb (Qle_bool gamma 0)
  then Some (network_for r gamma alphabet f, map written_meaning (draft_meanings (draft_of r gamma alphabet f)))
  else None.
