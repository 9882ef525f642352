(* Expressions may divide by zero or take the logarithm of what is not positive, and a temperature may fail to be
   positive: then the network is undefined. (Over the real numbers of Coq x / 0 is some number, and so is the
   logarithm of 0; nothing rests on it.) *)
From Coq Require Import Reals ZArith List.
From Certify Require Import positions formula network.
Open Scope R_scope.

Definition in_domain (g : real_function) (x : R) : Prop := match g with Sqrt => 0 <= x | _ => 0 < x end.
Fixpoint has_value (x : expression) (n i : nat) : Prop :=
  match x with
  | Num _ | VarI | VarN => True
  | Add x y | Sub x y | Mul x y => has_value x n i /\ has_value y n i
  | Div x y => has_value x n i /\ has_value y n i /\ expression_value y n i <> 0
  | Neg x => has_value x n i
  | Power x k => has_value x n i /\ ((integer_value k n i < 0)%Z -> expression_value x n i <> 0)
  | Apply g x => has_value x n i /\ in_domain g (expression_value x n i)
  end.

(* At every position of every (allowed) length, embeddings have values, and temperatures positive ones. *)
Definition defined_at (T : transformer) (n i : nat) : Prop := (forall d x, In (d, Formula x) (position_embedding T) ->
  has_value x n i) /\ (forall l a, In l (transformer_layers T) -> In a (layer_heads l) ->
  has_value (head_temperature a) n i /\ 0 < expression_value (head_temperature a) n i).
Definition defined (T : transformer) : Prop := forall n (i : position n), defined_at T n i.
Definition defined_for (L : lengths) (T : transformer) : Prop :=
  forall n (i : position n), length_allowed L n -> defined_at T n i.
