(* A decision about a trained network by words, read from the JSON value of its file (docs/reference/trained.md,
   sections 2 to 4): a function, so that every value states one decision at most. `None` is everything else.

   Keys are those of the format, in its order. Of what nothing is said here (sources, the comparison at import, digests,
   the evidence) nothing is claimed. To be compared with network.py, dyadics.py and words_claim.py in
   proofs/check/checker/chapters/trained/reading. *)
From Coq Require Import String Ascii DecimalString Decimal ZArith QArith List Bool Arith.
From Certify Require Import lists formula user_predicates json_text formula_text model_text syntax tensors.
Import ListNotations.
Open Scope string_scope.
Open Scope nat_scope.

Local Notation "'let*' x ':=' a 'in' b" := (match a with Some x => b | None => None end)
  (at level 200, x pattern, a at level 100, b at level 200).

(* ---- values ---- *)
(* The values of an object with these keys, in this order. *)
Definition values_of (keys : list string) (j : json) : option (list json) :=
  match j with
  | Fields l => if list_eq_dec string_dec (map fst l) keys then Some (map snd l) else None
  | _ => None
  end.
Definition key_is_there (key : string) (j : json) : bool :=
  match j with Fields l => existsb (fun field => String.eqb (fst field) key) l | _ => false end.
Definition is_text (s : string) (j : json) : bool := match j with Quoted t => String.eqb s t | _ => false end.
Definition is_plain_value (s : string) (j : json) : bool := match j with Verbatim t => String.eqb s t | _ => false end.
Definition read_list {X} (read : json -> option X) (j : json) : option (list X) :=
  match j with Items l => traverse read l | _ => None end.
Definition read_or_null {X} (read : json -> option X) (j : json) : option (option X) :=
  if is_plain_value "null" j then Some None else option_map Some (read j).
Definition read_quoted (j : json) : option string := match j with Quoted s => Some s | _ => None end.
Definition read_one_of {X} (choices : list (string * X)) (j : json) : option X :=
  match j with
  | Quoted s => option_map snd (find (fun choice => String.eqb (fst choice) s) choices)
  | _ => None
  end.
Definition read_boolean (j : json) : option bool :=
  if is_plain_value "true" j then Some true else if is_plain_value "false" j then Some false else None.

(* Numbers in the one spelling that is written: 0, 12, -3; 1/3 in lowest terms. *)
Definition integer_of_text (s : string) : option Z :=
  let* z := option_map Z.of_int (NilZero.int_of_string s) in if String.eqb (integer_text z) s then Some z else None.
Definition natural_of_text (s : string) : option nat :=
  let* k := option_map Nat.of_uint (NilZero.uint_of_string s) in if String.eqb (natural_text k) s then Some k else None.
Definition read_natural (j : json) : option nat := match j with Verbatim s => natural_of_text s | _ => None end.

(* What is before the first character `c`, and what is after it. *)
Fixpoint split_at (c : ascii) (s : string) : string * option string :=
  match s with
  | "" => ("", None)
  | String d s => if Ascii.eqb c d then ("", Some s) else let (a, b) := split_at c s in (String d a, b)
  end.
Definition rational_of_text (s : string) : option Q :=
  match split_at "/" s with
  | (s, None) => option_map inject_Z (integer_of_text s)
  | (s, Some t) =>
      let* numerator := integer_of_text s in
      match integer_of_text t with
      | Some (Zpos denominator) =>
          let q := (numerator # denominator)%Q in
          if is_reduced q && negb (denominator =? 1)%positive then Some q else None
      | _ => None
      end
  end.
Definition read_rational (j : json) : option Q := match j with Quoted s => rational_of_text s | _ => None end.

(* ---- tensors and views ---- *)
Definition named_tensors := list (string * vector_syntax).
Definition read_tensor (j : json) : option vector_syntax :=
  let* values := values_of ["format"; "shape"; "sha256"; "data"] j in
  match values with
  | [Quoted format; shape; _; Quoted data] =>
      let* shape := read_list read_natural shape in
      let* tensor := tensor_of format data in
      if length (vector_entries tensor) =? fold_right Nat.mul 1 shape then Some tensor else None
  | _ => None
  end.
Definition read_tensors (j : json) : option named_tensors :=
  match j with
  | Fields l => if are_names (map fst l) then traverse (fun field : string * json => let (name, value) := field in
      option_map (fun tensor => (name, tensor)) (read_tensor value)) l else None
  | _ => None
  end.

Section Views.
Variable tensors : named_tensors.
Definition find_tensor (name : string) : option vector_syntax :=
  option_map snd (find (fun tensor => String.eqb (fst tensor) name) tensors).

(* Every `stride`-th entry, the first one included; fewer than so many if the list ends. *)
Fixpoint strided (stride : nat) (l : list Z) (number : nat) : list Z :=
  match number, l with S number, z :: _ => z :: strided stride (skipn stride l) number | _, _ => [] end.
Fixpoint strided_rows (stride step width : nat) (l : list Z) (number : nat) : list (list Z) :=
  match number with
  | O => []
  | S number => strided step l width :: strided_rows stride step width (skipn stride l) number
  end.
Definition read_view (j : json) : option (vector_syntax * list nat * list nat) :=
  let* values := values_of ["tensor"; "start"; "shape"; "strides"] j in
  match values with
  | [Quoted name; start; shape; strides] =>
      let* tensor := find_tensor name in
      let* start := read_natural start in
      let* shape := read_list read_natural shape in
      let* strides := read_list read_natural strides in
      if fold_right Nat.mul 1 shape <=? length (vector_entries tensor)
      then Some (VectorOf (skipn start (vector_entries tensor)) (vector_exponent tensor), shape, strides) else None
  | _ => None
  end.
Definition read_vector (j : json) : option vector_syntax :=
  let* view := read_view j in
  match view with
  | (tensor, [size], [stride]) =>
      let entries := strided stride (vector_entries tensor) size in
      if (1 <=? size) && (length entries =? size) then Some (VectorOf entries (vector_exponent tensor)) else None
  | _ => None
  end.
Definition matrix_from (tensor : vector_syntax) (number width stride step : nat) : option matrix_syntax :=
  let rows := strided_rows stride step width (vector_entries tensor) number in
  if (1 <=? number) && (1 <=? width) && forallb (fun row => length row =? width) rows
  then Some (MatrixOf rows (vector_exponent tensor)) else None.
(* Element (i, j) is in row i of a table, and in row j of a linear map. *)
Definition read_table (j : json) : option matrix_syntax :=
  let* view := read_view j in
  match view with
  | (tensor, [height; width], [down; across]) => matrix_from tensor height width down across
  | _ => None
  end.
Definition read_linear (j : json) : option matrix_syntax :=
  let* view := read_view j in
  match view with
  | (tensor, [height; width], [down; across]) => matrix_from tensor width height across down
  | _ => None
  end.

(* ---- the network ---- *)
Definition read_affine (j : json) : option affine_syntax :=
  let* values := values_of ["weight"; "bias"] j in
  match values with
  | [weight; bias] =>
      let* weight := read_linear weight in let* bias := read_or_null read_vector bias in Some (AffineMap weight bias)
  | _ => None
  end.
Definition read_norm (j : json) : option norm_syntax :=
  let of := if key_is_there "of" j then ["of"] else [] in
  let* values := values_of (["kind"; "epsilon"; "gain"; "bias"] ++ of) j in
  match values with
  | kind :: epsilon :: gain :: bias :: rest =>
      let* kind := read_one_of [("layer", LayerNorm); ("rms", RootMeanSquare)] kind in
      let* epsilon := read_rational epsilon in
      let* gain := read_or_null read_vector gain in
      let* bias := read_or_null read_vector bias in
      let* of := traverse read_affine rest in
      Some (NormWith kind epsilon gain bias (hd_error of))
  | _ => None
  end.
Definition read_head (j : json) : option head_syntax :=
  let* values := values_of ["query"; "key"; "value"; "out"; "slope"] j in
  match values with
  | [query; key; value; out; slope] =>
      let* query := read_affine query in
      let* key := read_affine key in
      let* value := read_affine value in
      let* out := read_linear out in
      let* slope := read_or_null read_rational slope in
      Some (TrainedHead query key value out slope)
  | _ => None
  end.
Definition read_scale (j : json) : option scale_syntax :=
  match j with
  | Fields [(key, Verbatim s)] =>
      match String.eqb key "root", integer_of_text s with
      | true, Some (Zpos m) => Some (ScaleOverRoot m)
      | _, _ => None
      end
  | Fields [(key, Quoted s)] => if String.eqb key "times" then option_map ScaleTimes (rational_of_text s) else None
  | _ => None
  end.
Definition read_rotary (j : json) : option rotary_syntax :=
  let* values := values_of ["cosines"; "sines"; "pairing"] j in
  match values with
  | [cosines; sines; paired] =>
      let* cosines := read_table cosines in
      let* sines := read_table sines in
      let* paired := read_one_of [("halves", Halves); ("neighbours", Neighbours)] paired in
      Some (RotaryTables cosines sines paired)
  | _ => None
  end.
Definition activation_names : list (string * activation_name) := [ ("relu", ReluActivation); ("gelu", GeluActivation);
  ("gelu-tanh", GeluTanhActivation); ("silu", SiluActivation); ("sigmoid", SigmoidActivation); ("tanh", TanhActivation);
  ("identity", IdentityActivation)].

Definition read_norm_step (j : json) : option step_syntax :=
  let* values := values_of ["step"; "norm"] j in
  match values with
  | [step; norm] => if is_text "norm" step then option_map NormStep (read_norm norm) else None
  | _ => None
  end.
Definition read_attention_step (j : json) : option step_syntax :=
  let cap := if key_is_there "cap" j then ["cap"] else [] in
  let* values := values_of (["step"; "norm"; "heads"; "bias"; "scale"; "rotary"] ++ cap) j in
  match values with
  | step :: norm :: heads :: bias :: scale :: rotary :: rest =>
      let* norm := read_or_null read_norm norm in
      let* heads := read_list read_head heads in
      let* bias := read_or_null read_vector bias in
      let* scale := read_scale scale in
      let* rotary := read_or_null read_rotary rotary in
      let* cap := traverse read_rational rest in
      if is_text "attention" step then Some (AttentionStep norm heads bias scale rotary (hd_error cap)) else None
  | _ => None
  end.
Definition read_units_step (j : json) : option step_syntax :=
  let* values := values_of ["step"; "norm"; "in"; "gate"; "activation"; "out"] j in
  match values with
  | [step; norm; inward; gate; activation; outward] =>
      let* norm := read_or_null read_norm norm in
      let* inward := read_affine inward in
      let* gate := read_or_null read_affine gate in
      let* activation := read_one_of activation_names activation in
      let* outward := read_affine outward in
      if is_text "units" step then Some (UnitsStep norm inward gate activation outward) else None
  | _ => None
  end.
Definition read_step (j : json) : option step_syntax :=
  if key_is_there "heads" j then read_attention_step j else if key_is_there "in" j then read_units_step j else
  read_norm_step j.
End Views.

Definition places_of_reading : list (string * place_of_reading) :=
  [("each", EachToken); ("first", FirstToken); ("last", LastToken)].
Definition read_network (j : json) : option network_syntax :=
  let* values := values_of ["format"; "version"; "sources"; "compared"; "attention"; "readout"; "tokens"; "positions";
    "steps"; "unembedding"; "tensors"] j in
  match values with
  | [format; version; _; _; attention; readout; tokens; positions; steps; unembedding; tensors] =>
      let* tensors := read_tensors tensors in
      let* causal := read_one_of [("causal", true); ("bidirectional", false)] attention in
      let* readout := read_one_of places_of_reading readout in
      let* tokens := read_table tensors tokens in
      let* positions := read_or_null (read_table tensors) positions in
      let* steps := read_list (read_step tensors) steps in
      let* unembedding := read_affine tensors unembedding in
      if is_text "certify-trained" format && is_plain_value "1" version
      then Some (TrainedNetwork causal readout tokens positions steps unembedding) else None
  | _ => None
  end.

(* ---- the claim ---- *)
Definition read_row (j : json) : option logit_row :=
  read_list (fun entry => match entry with
    | Items [token; coefficient] =>
        let* token := read_natural token in let* coefficient := read_rational coefficient in Some (token, coefficient)
    | _ => None
    end) j.
Definition read_automaton (j : json) : option automaton_syntax :=
  let* values := values_of ["start"; "steps"] j in
  match values with
  | [start; steps] =>
      let* start := read_natural start in
      let* steps := read_list (read_list read_natural) steps in Some (AutomatonOf start steps)
  | _ => None
  end.
(* The claim without its cases, and the value of its cases. Predicates that the file defines are not read. *)
Definition read_claim_but_cases (j : json) : option (claim_syntax * json) :=
  let* values := values_of ["alphabet"; "tokens"; "before"; "after"; "offsets"; "min_n"; "max_n"; "read"; "empty";
    "margin"; "automaton"; "predicates"; "cases"] j in
  match values with
  | [alphabet; tokens; before; after; Items [first; last]; least; greatest; read; empty; margin; automaton;
     Items []; cases] =>
      let* alphabet := read_list read_quoted alphabet in
      let* tokens := read_list read_natural tokens in
      let* before := read_list read_natural before in
      let* after := read_list read_natural after in
      let* first := read_natural first in
      let* last := read_natural last in
      let* least := read_natural least in
      let* greatest := read_natural greatest in
      let* read := read_one_of places_of_reading read in
      let* empty := read_boolean empty in
      let* margin := read_rational margin in
      let* automaton := read_or_null read_automaton automaton in
      Some (ClaimOf alphabet tokens before after first last least greatest read empty margin automaton [] [], cases)
  | _ => None
  end.
Definition with_cases (c : claim_syntax) (cases : list (when_syntax * list logit_row)) : claim_syntax :=
  ClaimOf (claim_alphabet c) (claim_tokens c) (claim_before c) (claim_after c) (claim_first_offset c)
    (claim_last_offset c) (claim_min_n c) (claim_max_n c) (claim_read c) (claim_empty c) (claim_margin c)
    (claim_automaton c) (claim_predicates c) cases.
(* Network, claim without its cases, the value of its cases, and that of the evidence of this kind. *)
Definition read_parts (by_what : string) (j : json) : option (network_syntax * claim_syntax * json * json) :=
  let* values := values_of ["format"; "version"; "inputs"; "execution"; "property"; "by"; "network"; "claim";
    "evidence"] j in
  match values with
  | [format; version; inputs; execution; property; by_; network; claim; evidence] =>
      let* network := read_network network in
      let* (claim, cases) := read_claim_but_cases claim in
      if is_text "certify-decision" format && is_plain_value "1" version && is_text "words" inputs &&
        is_text "exact" execution && is_text "answers" property && is_text by_what by_
      then Some (network, claim, cases, evidence) else None
  | _ => None
  end.

(* Formulas are not parsed: whoever reads offers some, and one that has this text is taken. No text is that of two. *)
Section Cases.
Variables (formulas : list formula) (letters : list string).
Definition read_formula (j : json) : option formula :=
  match j with
  | Quoted s => find (fun f => is_named (length letters) 0 f &&
      String.eqb (text_of (formula_writer letters [] [] f)) s) formulas
  | _ => None
  end.
Definition read_when (j : json) : option when_syntax :=
  match j with
  | Fields [(key, value)] =>
      if String.eqb key "states" then option_map (fun l => WhenBoth None (Some l)) (read_list read_natural value) else
      if String.eqb key "formula" then option_map (fun f => WhenBoth (Some f) None) (read_formula value) else None
  | j =>
      let* values := values_of ["formula"; "states"] j in
      match values with
      | [f; states] =>
          let* f := read_formula f in
          let* states := read_list read_natural states in
          Some (WhenBoth (Some f) (Some states))
      | _ => None
      end
  end.
Definition read_case (j : json) : option (when_syntax * list logit_row) :=
  let* values := values_of ["when"; "above"] j in
  match values with
  | [when; above] => let* when := read_when when in let* above := read_list read_row above in Some (when, above)
  | _ => None
  end.
End Cases.

(* Network and claim, and the value of the evidence, of which a cover claims nothing. *)
Definition read_decision_by (by_what : string) (formulas : list formula) (j : json) : option (decision_syntax * json) :=
  let* (network, claim, cases, evidence) := read_parts by_what j in
  option_map (fun cases => (DecisionOf network (with_cases claim cases), evidence))
    (read_list (read_case formulas (claim_alphabet claim)) cases).
Definition read_decision (formulas : list formula) (j : json) : option decision_syntax :=
  option_map fst (read_decision_by "cover" formulas j).
