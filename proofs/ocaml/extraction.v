(* The checker of model files as an OCaml program: `check_file` of check_file.v, which decides; `model_text`, which
   writes a model; and `find_refusal_for` of refusal.v, which locates a refusal of `check_for`.

   Only the types of ExtrOcamlBasic are mapped to types of OCaml, which have the same constructors: bool, sumbool,
   option, sumor, list, pairs, unit; and andb and orb are && and ||. Numbers and strings remain as in Coq: nat in unary,
   positive, Z and Q in binary, characters as eight bits. So OCaml's arithmetic does not replace proved arithmetic, and
   nothing can overflow. *)
From Coq Require Import Extraction ExtrOcamlBasic.
From Certify Require Import weighing network model_text check_file refusal.
Extraction Language OCaml.
Print Assumptions check_file.check_file.

(* Extraction appends a number to a name that occurred before, as that of this constructor. *)
Definition negative_of (x : expression) : expression := Neg x.

Extraction "checker.ml" check_file.check_file model_text.model_text model_text.formula_text is_whole
  breaks_a_stick lengths_text find_refusal_for negative_of.
