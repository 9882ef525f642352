(* General statements, of which theorems about one network are instances.

   Compiling this file prints the axioms of all of them, so that whoever compiles an instance need not have Coq look for
   them in the whole library again: the proof of an instance is one of these, and a computation. *)
From Certify Require Import check check_graph.

Definition instances := (@check_computes, @check_for_computes, @check_graph_computes, @check_graph_computes_always).
Print Assumptions instances.
