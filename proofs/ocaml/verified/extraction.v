(* The checker of certificates as an OCaml program: `judge_certificate` of check_certificate.v, which decides, the
   functions that write a certificate and its claim, and `refusal_through` of refusal.v, which locates a refusal.

   Only the types of ExtrOcamlBasic are mapped to types of OCaml, which have the same constructors, as in the checker
   for every n. *)
From Coq Require Import Extraction ExtrOcamlBasic List QArith.
From Certify Require Import formula network comparison json_text formula_text model_text certificate_text weighing check_by_differences check_certificate refusal
  syntax claim check_decision wrong_word tracks_claim judge_tracks.
Extraction Language OCaml.
Definition judges := (check_certificate.judge_certificate, check_decision.judge_decision, wrong_word.judge_wrong_word,
  judge_tracks.judge_tracks).
Print Assumptions judges.

(* Extraction appends a number to a name that occurred before, as that of this constructor. *)
Definition negative_of (x : expression) : expression := Neg x.

Extraction "checker.ml" check_certificate.judge_certificate certificate_text.certificate_text model_text.formula_text
  lengths_text definition_text weighing_name breaks_a_stick is_alone json_text.json_text Qred nth formula_eqb symbol_writer error_text exceeds
  greatest_error fits with_definitions refusal_through negative_of
  check_decision.judge_decision wrong_word.judge_wrong_word judge_tracks.judge_tracks tracks_claim.all_combinations
  check_decision.decision_asks integer_text positive_text formula_writer width_of height_of network_rows.
