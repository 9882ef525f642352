(* The checker of networks as an OCaml program: `check` of check.v, and `find_refusal` of refusal.v, which says where it
   said no. No type is mapped to one of OCaml's, but for those of ExtrOcamlBasic, whose constructors are the same: bool,
   option, list, pairs, unit. Numbers stay as Coq has them: nat in unary, positive, Z and Q in binary. So no operation of
   OCaml stands in the place of one that is proved, and nothing can overflow. *)
From Coq Require Import Extraction ExtrOcamlBasic.
From Certify Require Import formula network meaning check refusal.
Extraction Language OCaml.
Print Assumptions check.check.
Extraction "checker.ml" check.check find_refusal.
