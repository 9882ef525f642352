(* The four regimes of [SHA]: how attention is sharpened, and whether the network may look ahead and know n. *)
From Coq Require Import QArith ZArith.
From Certify Require Import formula network.

(* Causal: future-masked only and independent of n. By position: temperature 1, an unbounded position embedding. *)
Record regime := Regime { regime_causal : bool; regime_by_position : bool }.

Definition temperature_regime := Regime false false.
Definition position_regime := Regime false true.
Definition causal_temperature_regime := Regime true false.
Definition causal_position_regime := Regime true true.

Definition square_of_i : expression := Power VarI (Int 2).
Definition temperature_of (r : regime) : expression :=
  if regime_by_position r then Num 1 else if regime_causal r then Div (Num 1) square_of_i else Div (Num 1) VarN.
