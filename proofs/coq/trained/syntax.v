(* A trained network and a claim about words as data (docs/reference/trained.md, sections 2 and 3): what the file of a
   decision states, before anything is said about what it computes. Only integers, rationals and names: what they mean
   as real numbers, other files say.

   What has no place here, a decision with it is not read, and so is never accepted: roundings as activations, edits. *)
From Coq Require Import ZArith QArith String List.
From Certify Require Import formula user_predicates.
Import ListNotations.

(* Numbers of one tensor: each entry times 2^exponent, exactly. *)
Record vector_syntax := VectorOf { vector_entries : list Z; vector_exponent : Z }.
(* Of a table (tokens, positions, cosines, sines) the rows are those of the file, the p-th of token or position p.
   Of a linear map there is a row for each OUTPUT, with the weight of each input: the columns of the file's matrix. *)
Record matrix_syntax := MatrixOf { matrix_rows : list (list Z); matrix_exponent : Z }.

Record affine_syntax := AffineMap { affine_weight : matrix_syntax; affine_bias : option vector_syntax }.

Inductive norm_kind := LayerNorm | RootMeanSquare.
(* A norm of x, or of an affine image of it. *)
Record norm_syntax := NormWith {
  norm_of_kind : norm_kind;
  norm_epsilon : Q;                                                    (* above 0 *)
  norm_gain : option vector_syntax;
  norm_bias : option vector_syntax;
  norm_of : option affine_syntax }.

Inductive scale_syntax := ScaleTimes (q : Q) | ScaleOverRoot (m : positive). (* times q, or times 1/sqrt(m) *)

(* Pair r is coordinates (r, r + pairs) of a query or key, or (2r, 2r + 1): (x, y) becomes (xc - ys, yc + xs). *)
Inductive pairing := Halves | Neighbours.
Record rotary_syntax := RotaryTables {
  rotary_cosines : matrix_syntax;                                      (* a row for each position number *)
  rotary_sines : matrix_syntax;
  rotary_pairing : pairing }.

Record head_syntax := TrainedHead {
  head_query_map : affine_syntax;
  head_key_map : affine_syntax;
  head_value_map : affine_syntax;
  head_out_map : matrix_syntax;                                            (* a row for each coordinate of the stream *)
  head_slope : option Q }.                                             (* slope (j - i) is added to the score *)

Inductive activation_name := ReluActivation | GeluActivation | GeluTanhActivation | SiluActivation |
  SigmoidActivation | TanhActivation | IdentityActivation.

Inductive step_syntax :=
| NormStep (n : norm_syntax)                                           (* h := norm(h) *)
| AttentionStep (n : option norm_syntax) (heads : list head_syntax) (bias : option vector_syntax)
    (scale : scale_syntax) (rotary : option rotary_syntax) (cap : option Q)
| UnitsStep (n : option norm_syntax) (inward : affine_syntax) (gate : option affine_syntax)
    (activation : activation_name) (outward : affine_syntax).

Inductive place_of_reading := EachToken | FirstToken | LastToken.

Record network_syntax := TrainedNetwork {
  network_causal : bool;                                               (* token i sees tokens j <= i; else all *)
  network_readout : place_of_reading;
  network_tokens : matrix_syntax;
  network_positions : option matrix_syntax;
  network_steps : list step_syntax;
  network_unembedding : affine_syntax }.

(* ---- the claim ---- *)
Definition logit_row := list (nat * Q).                                (* the sum of coefficient times logit *)

(* Where a formula holds and the automaton is in one of the states; what is absent asks nothing. *)
Record when_syntax := WhenBoth { when_formula : option formula; when_states : option (list nat) }.

Record automaton_syntax := AutomatonOf { automaton_start : nat; automaton_steps : list (list nat) }.

Record claim_syntax := ClaimOf {
  claim_alphabet : list string;
  claim_tokens : list nat;                                             (* the token of each letter *)
  claim_before : list nat;
  claim_after : list nat;
  claim_first_offset : nat;
  claim_last_offset : nat;
  claim_min_n : nat;
  claim_max_n : nat;
  claim_read : place_of_reading;
  claim_empty : bool;                                                  (* position 0 is judged, too *)
  claim_margin : Q;
  claim_automaton : option automaton_syntax;
  claim_predicates : list predicate_definition;
  claim_cases : list (when_syntax * list logit_row) }.

Record decision_syntax := DecisionOf { decision_network : network_syntax; decision_claim : claim_syntax }.
