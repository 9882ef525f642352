(* A trained transformer over the real numbers: what a network of syntax.v computes (docs/reference/trained.md,
   section 1). This is the definition to be read; `network_logits` is what theorems about decisions speak of. *)
From Coq Require Import Reals ZArith QArith Qreals List.
From Certify Require Import syntax real_vectors.
Import ListNotations. Open Scope R_scope.
Local Notation vector := (list R).

(* ---- steps, over any kind of streams ---- *)
(* A step acts on each token by itself; or each token, at its position number, leaves something in a memory, and reads
   what it may see of the memory, with the position numbers at which it was left. *)
Section Steps.
Variables stream memory : Type.
Inductive step := Alone (f : stream -> stream)
  | Attend (see : nat -> stream -> memory) (read : nat -> stream -> list (nat * memory) -> stream).

(* From token p on, `past` being the memory of the tokens before, the last one first. *)
Fixpoint read_causally see read (p : nat) (past : list (nat * memory)) (xs : list stream) : list stream :=
  match xs with
  | [] => []
  | x :: xs => let seen := (p, see p x) :: past in read p x seen :: read_causally see read (S p) seen xs
  end.
Definition numbered {X} (p : nat) (xs : list X) : list (nat * X) := combine (seq p (length xs)) xs.
Definition run_step (causal : bool) (p : nat) (xs : list stream) (s : step) : list stream :=
  match s with
  | Alone f => map f xs
  | Attend see read =>
      if causal then read_causally see read p [] xs
      else let all := map (fun px => (fst px, see (fst px) (snd px))) (numbered p xs) in
           map (fun px => read (fst px) (snd px) all) (numbered p xs)
  end.
Definition run_steps (causal : bool) (p : nat) (steps : list step) (xs : list stream) : list stream :=
  fold_left (run_step causal p) steps xs.
End Steps.
Arguments Alone {stream memory}. Arguments Attend {stream memory}. Arguments run_steps {stream memory}.
Arguments read_causally {stream memory}. Arguments run_step {stream memory}.

(* ---- numbers of a file ---- *)
Definition entry (exponent z : Z) : R := IZR z * powerRZ 2 exponent.
Definition vector_of (v : vector_syntax) : vector := map (entry (vector_exponent v)) (vector_entries v).
Definition row_of (m : matrix_syntax) (p : nat) : vector := map (entry (matrix_exponent m)) (nth p (matrix_rows m) []).
Definition product (m : matrix_syntax) (x : vector) : vector :=
  map (fun row => dot (map (entry (matrix_exponent m)) row) x) (matrix_rows m).

(* An operation that may be left out. *)
Definition optional {X} (f : X -> vector -> vector) (a : option X) (x : vector) : vector :=
  match a with Some a => f a x | None => x end.
Definition shifted (c : vector_syntax) (x : vector) : vector := plus x (vector_of c).
Definition scaled (c : vector_syntax) (x : vector) : vector := times x (vector_of c).

Definition affine (a : affine_syntax) (x : vector) : vector :=
  optional shifted (affine_bias a) (product (affine_weight a) x).
Definition norm (n : norm_syntax) (x : vector) : vector :=
  optional shifted (norm_bias n) (optional scaled (norm_gain n)
    (normalised (norm_of_kind n) (Q2R (norm_epsilon n)) (optional affine (norm_of n) x))).

(* ---- attention ---- *)
Definition score_scale (s : scale_syntax) : R := match s with ScaleTimes q => Q2R q | ScaleOverRoot m => / sqrt (IZR
  (Zpos m)) end.

(* (x, y) becomes (x c - y s, y c + x s); pair r has the r-th of the cosines c and of the sines s. *)
Definition turned_first (c s x y : vector) : vector := plus (times x c) (map Ropp (times y s)).
Definition turned_second (c s x y : vector) : vector := plus (times y c) (times x s).
Fixpoint evens {X} (x : list X) : list X := match x with a :: _ :: x => a :: evens x | _ => [] end.
Fixpoint odds {X} (x : list X) : list X := match x with _ :: a :: x => a :: odds x | _ => [] end.
Fixpoint interleaved {X} (x y : list X) : list X := match x, y with a :: x, c :: y => a :: c :: interleaved x y | _,
  _ => [] end.
Definition rotated (r : rotary_syntax) (p : nat) (x : vector) : vector :=
  let c := row_of (rotary_cosines r) p in
  let s := row_of (rotary_sines r) p in
  let k := length c in
  let paired := firstn (2 * k) x in
  match rotary_pairing r with
  | Halves => let (y, z) := (firstn k paired, skipn k paired) in turned_first c s y z ++ turned_second c s y z
  | Neighbours => let (y, z) := (evens paired, odds paired) in interleaved (turned_first c s y z) (turned_second c s
    y z)
  end ++ skipn (2 * k) x.

Definition capped (cap : option Q) (score : R) : R :=
  match cap with Some c => Q2R c * activated TanhActivation (score / Q2R c) | None => score end.
Definition sloped (slope : option Q) (distance : Z) (score : R) : R :=
  match slope with Some m => score + Q2R m * IZR distance | None => score end.

Section Attention.
Variables (scale : scale_syntax) (rotary : option rotary_syntax) (cap : option Q).
(* The key and the value of a token at position number p. *)
Definition key_and_value (p : nat) (x : vector) (h : head_syntax) : vector * vector :=
  (optional (fun r => rotated r p) rotary (affine (head_key_map h) x), affine (head_value_map h) x).
Definition score (p : nat) (query : vector) (h : head_syntax) (seen : nat * vector) : R :=
  sloped (head_slope h) (Z.of_nat (fst seen) - Z.of_nat p) (capped cap (dot query (snd seen) * score_scale scale)).
Definition head_writes (p : nat) (x : vector) (h : head_syntax) (seen : list (nat * (vector * vector))) : vector :=
  let query := optional (fun r => rotated r p) rotary (affine (head_query_map h) x) in
  product (head_out_map h) (softmax_average (length (matrix_rows (affine_weight (head_value_map h))))
    (map (fun jkv => score p query h (fst jkv, fst (snd jkv))) seen) (map (fun jkv => snd (snd jkv)) seen)).
End Attention.

(* A token leaves a key and a value for each head. *)
Notation memory := (list (vector * vector)).
Definition heads_write scale rotary cap (p : nat) (x : vector) (hs : list head_syntax) (seen : list (nat * memory))
    (start : vector) : vector :=
  fold_left (fun y kh => plus y (head_writes scale rotary cap p x (snd kh)
    (map (fun jm => (fst jm, nth (fst kh) (snd jm) ([], []))) seen))) (numbered 0 hs) start.

Definition step_of (s : step_syntax) : step vector memory :=
  match s with
  | NormStep n => Alone (norm n)
  | UnitsStep n inward gate a outward => Alone (fun h =>
      let x := optional norm n h in
      plus h (affine outward
        match gate with
        | Some gate => times (map (activated a) (affine gate x)) (affine inward x)
        | None => map (activated a) (affine inward x)
        end))
  | AttentionStep n heads bias scale rotary cap => Attend
      (fun p h => map (key_and_value rotary p (optional norm n h)) heads)
      (fun p h seen => heads_write scale rotary cap p (optional norm n h) heads seen (optional shifted bias h))
  end.

(* ---- the network ---- *)
Definition embedded (d : network_syntax) (p token : nat) : vector :=
  let x := row_of (network_tokens d) token in
  match network_positions d with Some t => plus x (row_of t p) | None => x end.
Definition streams (d : network_syntax) (offset : nat) (tokens : list nat) : list vector :=
  run_steps (network_causal d) offset (map step_of (network_steps d))
    (map (fun pt => embedded d (fst pt) (snd pt)) (numbered offset tokens)).
(* The logits at every token of an input; token p has position number offset + p. *)
Definition network_logits (d : network_syntax) (offset : nat) (tokens : list nat) : list vector :=
  map (affine (network_unembedding d)) (streams d offset tokens).
