(* What a claim about words says of the logits of a network (docs/reference/trained.md, section 3), and the condition on
   a decision for its parts to fit.

   The logits are a function of an offset and the tokens of a whole input: for each token a list of real numbers. *)
From Coq Require Import Reals QArith Qreals ZArith String List Bool Arith Lia.
From Certify Require Import formula user_predicates json_text formula_text model_text syntax.
Import ListNotations.
Open Scope nat_scope.

(* ---- words ---- *)
(* A word is the list of its letters, each its place in the alphabet; formulas count positions from 1. *)
Definition spelled (w : list nat) : word := fun i => nth (i - 1) w 0.
Definition next_state (A : automaton_syntax) (state letter : nat) : nat :=
  nth letter (nth state (automaton_steps A) []) 0.
Definition state_after (A : automaton_syntax) (w : list nat) : nat := fold_left (next_state A) w (automaton_start A).

Section Claim.
Variable c : claim_syntax.
Variable rows : option nat.                  (* for how many position numbers the network has rows, if it has tables *)
Notation users := (users_of (claim_predicates c)).

(* At position i of the word, which is 0 for the token before it. *)
Definition formula_holds (w : list nat) (i : nat) (f : option formula) : bool :=
  match f with Some f => (1 <=? i) && truth users (length w) (spelled w) f i | None => true end.
Definition states_hold (w : list nat) (i : nat) (states : option (list nat)) : bool :=
  match states, claim_automaton c with
  | Some l, Some A => existsb (Nat.eqb (state_after A (firstn i w))) l
  | Some _, None => false
  | None, _ => true
  end.
Definition when_holds (w : list nat) (i : nat) (x : when_syntax) : bool :=
  formula_holds w i (when_formula x) && states_hold w i (when_states x).

Definition token_of (letter : nat) : nat := nth letter (claim_tokens c) 0.
Definition input_of (w : list nat) : list nat := (claim_before c ++ map token_of w ++ claim_after c)%list.

(* Where logits are judged: the position in the word, and the place of the token in the input, which counts from 0. *)
Definition judged (n : nat) : list (nat * nat) :=
  match claim_read c with
  | EachToken => map (fun i => (i, length (claim_before c) + i - 1)) (if claim_empty c then seq 0 (S n) else seq 1 n)
  | LastToken => [(n, length (claim_before c) + n + length (claim_after c) - 1)]
  | FirstToken => [(n, 0)]
  end.

(* All tokens of words of this length have rows at this offset. *)
Definition has_rows (offset n : nat) : bool :=
  match rows with
  | Some k => offset + length (claim_before c) + n + length (claim_after c) <=? k
  | None => true
  end.
Definition is_claimed (offset : nat) (w : list nat) : Prop :=
  claim_first_offset c <= offset <= claim_last_offset c /\ claim_min_n c <= length w <= claim_max_n c /\
  Forall (fun letter => letter < length (claim_alphabet c)) w /\ has_rows offset (length w) = true.

(* The rows that must be above the margin at a position. *)
Definition rows_at (w : list nat) (i : nat) : list logit_row :=
  flat_map (fun case => if when_holds w i (fst case) then snd case else []) (claim_cases c).

Section Logits.
Open Scope R_scope.
Variable logits : nat -> list nat -> list (list R).
Definition row_total (r : logit_row) (x : list R) : R := fold_right (fun e sum => Q2R (snd e) * nth (fst e) x 0 + sum) 0
  r.
Definition claim_holds : Prop := forall offset w, is_claimed offset w -> forall i place,
  In (i, place) (judged (length w)) -> forall r, In r (rows_at w i) ->
  Q2R (claim_margin c) < row_total r (nth place (logits offset (input_of w)) []).
End Logits.

(* ---- the parts fit: no token, letter, state or logit is asked about that is not there ---- *)
Definition is_when (x : when_syntax) : bool :=
  match when_states x, claim_automaton c with
  | Some l, Some A => forallb (fun state => state <? length (automaton_steps A)) l
  | Some _, None => false
  | None, _ => match when_formula x with Some _ => true | None => false end
  end.
Definition is_automaton (A : automaton_syntax) : bool :=
  (automaton_start A <? length (automaton_steps A)) && forallb (fun row => (length row =? length (claim_alphabet c)) &&
  forallb (fun state => state <? length (automaton_steps A)) row) (automaton_steps A).
Definition is_whole_claim (vocabulary outputs : nat) : bool :=
  negb (length (claim_alphabet c) =? 0) && are_names (claim_alphabet c)
  && forallb (fun s => negb (String.eqb s "")) (claim_alphabet c)
  && (length (claim_tokens c) =? length (claim_alphabet c))
  && forallb (fun t => t <? vocabulary) (claim_before c ++ claim_tokens c ++ claim_after c)
  && (claim_first_offset c <=? claim_last_offset c) && (1 <=? claim_min_n c) && (claim_min_n c <=? claim_max_n c)
  && has_rows (claim_first_offset c) (claim_max_n c) && has_rows (claim_last_offset c) (claim_min_n c)
  && implb (claim_empty c) (match claim_read c, claim_before c with EachToken, _ :: _ => true | _, _ => false end)
  && (0 <=? Qnum (claim_margin c))%Z
  && match claim_automaton c with Some A => is_automaton A | None => true end
  && forallb (fun case => is_when (fst case) && forallb (forallb (fun e => fst e <? outputs)) (snd case))
       (claim_cases c).
End Claim.

(* ---- shapes of the network ---- *)
Definition height_of (m : matrix_syntax) : nat := length (matrix_rows m).
Definition width_of (m : matrix_syntax) : nat := match matrix_rows m with row :: _ => length row | [] => 0 end.
Definition has_shape (height width : nat) (m : matrix_syntax) : bool :=
  (height_of m =? height) && forallb (fun row => length row =? width) (matrix_rows m).
Definition has_size (n : nat) (v : option vector_syntax) : bool :=
  match v with Some v => length (vector_entries v) =? n | None => true end.
Definition outputs_of (a : affine_syntax) : nat := height_of (affine_weight a).
Definition is_affine (inputs outputs : nat) (a : affine_syntax) : bool :=
  has_shape outputs inputs (affine_weight a) && has_size outputs (affine_bias a).
Definition is_positive_rational (q : Q) : bool := (0 <? Qnum q)%Z.

Definition width_after (n : norm_syntax) (width : nat) : nat :=
  match norm_of n with Some a => outputs_of a | None => width end.
Definition is_norm (width : nat) (n : norm_syntax) : bool :=
  match norm_of n with Some a => is_affine width (outputs_of a) a | None => true end
  && is_positive_rational (norm_epsilon n) && has_size (width_after n width) (norm_gain n)
  && has_size (width_after n width) (norm_bias n).
Definition width_read (n : option norm_syntax) (width : nat) : nat :=
  match n with Some n => width_after n width | None => width end.
Definition is_read (width : nat) (n : option norm_syntax) : bool :=
  match n with Some n => is_norm width n | None => true end.

Definition is_trained_head (read width pairs : nat) (h : head_syntax) : bool :=
  let queries := outputs_of (head_query_map h) in let values := outputs_of (head_value_map h) in
  is_affine read queries (head_query_map h) && is_affine read queries (head_key_map h) && (2 * pairs <=? queries)
  && is_affine read values (head_value_map h) && has_shape width values (head_out_map h).
Definition is_rotary (r : rotary_syntax) : bool :=
  let pairs := width_of (rotary_cosines r) in let rows := height_of (rotary_cosines r) in
  has_shape rows pairs (rotary_cosines r) && has_shape rows pairs (rotary_sines r).
Definition is_whole_step (width : nat) (s : step_syntax) : bool :=
  match s with
  | NormStep n => is_norm width n
  | AttentionStep n heads bias _ rotary cap =>
      is_read width n && negb (length heads =? 0) && has_size width bias
      && match rotary with Some r => is_rotary r | None => true end
      && match cap with Some q => is_positive_rational q | None => true end
      && forallb (is_trained_head (width_read n width) width (match rotary with
           | Some r => width_of (rotary_cosines r) | None => 0 end)) heads
  | UnitsStep n inward gate _ outward =>
      let units := outputs_of inward in
      is_read width n && is_affine (width_read n width) units inward && is_affine units width outward
      && match gate with Some gate => is_affine (width_read n width) units gate | None => true end
  end.
Definition width_after_step (width : nat) (s : step_syntax) : nat :=
  match s with NormStep n => width_after n width | _ => width end.
Fixpoint are_whole_steps (width : nat) (l : list step_syntax) : bool :=
  match l with [] => true | s :: l => is_whole_step width s && are_whole_steps (width_after_step width s) l end.

(* For how many position numbers all tables have rows. *)
Definition least_rows (a b : option nat) : option nat :=
  match a, b with Some x, Some y => Some (Nat.min x y) | Some x, None => Some x | None, b => b end.
Definition rows_of_step (s : step_syntax) : option nat :=
  match s with
  | AttentionStep _ _ _ _ (Some rotary) _ => Some (height_of (rotary_cosines rotary))
  | _ => None
  end.
Definition network_rows (T : network_syntax) : option nat :=
  least_rows (option_map height_of (network_positions T)) (fold_right least_rows None (map rows_of_step
    (network_steps T))).

Definition is_whole_network (T : network_syntax) : bool :=
  let width := width_of (network_tokens T) in
  (1 <=? width) && has_shape (height_of (network_tokens T)) width (network_tokens T)
  && match network_positions T with Some m => has_shape (height_of m) width m | None => true end
  && are_whole_steps width (network_steps T)
  && is_affine (fold_left width_after_step (network_steps T) width) (outputs_of (network_unembedding T))
       (network_unembedding T).

(* The network outputs the logits that the claim reads; without tables there is one offset. *)
Definition is_whole_decision (d : decision_syntax) : bool :=
  let T := decision_network d in let c := decision_claim d in
  is_whole_network T && is_whole_claim c (network_rows T) (height_of (network_tokens T)) (outputs_of
    (network_unembedding T))
  && match network_readout T, claim_read c with
     | EachToken, _ | FirstToken, FirstToken | LastToken, LastToken => true | _, _ => false end
  && match network_rows T with Some _ => true | None => claim_last_offset c =? 0 end.
