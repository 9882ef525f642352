(* Networks of one attention step without a norm or rotary positions, before which there are only feed-forward blocks
   without a norm or gate, with relu or the identity (`units`). After it there may be such blocks, then any steps that
   act on each token by itself: norms, and blocks with norms, gates, other activations. Their logits at the last token
   of an input, from the streams of all tokens before the attention step (`logits_after`). *)
From Coq Require Import Reals ZArith QArith List Lia Arith.
From Certify Require Import lists syntax real_vectors real_network.
Import ListNotations. Open Scope nat_scope.
Local Notation vector := (list R).

Record units := UnitsOf { units_inward : affine_syntax; units_are_relu : bool; units_outward : affine_syntax }.
Record one_attention := OneAttention {
  units_before : list units;
  attention_heads : list head_syntax;
  attention_bias : option vector_syntax;
  attention_scale : scale_syntax;
  attention_cap : option Q;
  units_after : list units;
  rest_after : list step_syntax }.                                     (* from the first step that is no such block *)
Definition units_of (s : step_syntax) : option units :=
  match s with
  | UnitsStep None inward None ReluActivation outward => Some (UnitsOf inward true outward)
  | UnitsStep None inward None IdentityActivation outward => Some (UnitsOf inward false outward)
  | _ => None
  end.
Definition acts_alone (s : step_syntax) : bool := match s with AttentionStep _ _ _ _ _ _ => false | _ => true end.
Fixpoint steps_after (steps : list step_syntax) : option (list units * list step_syntax) :=
  match steps with
  | [] => Some ([], [])
  | s :: others =>
      match units_of s with
      | Some u => option_map (fun found => (u :: fst found, snd found)) (steps_after others)
      | None => if forallb acts_alone steps then Some ([], steps) else None
      end
  end.
Fixpoint one_attention_of (steps : list step_syntax) : option one_attention :=
  match steps with
  | AttentionStep None heads bias scale None cap :: steps =>
      option_map (fun found => OneAttention [] heads bias scale cap (fst found) (snd found)) (steps_after steps)
  | s :: steps =>
      match units_of s, one_attention_of steps with
      | Some u, Some A => Some (OneAttention (u :: units_before A) (attention_heads A) (attention_bias A)
          (attention_scale A) (attention_cap A) (units_after A) (rest_after A))
      | _, _ => None
      end
  | [] => None
  end.

Definition activation_of (u : units) : activation_name := if units_are_relu u then ReluActivation else
  IdentityActivation.
Definition units_pass (h : vector) (u : units) : vector :=
  plus h (affine (units_outward u) (map (activated (activation_of u)) (affine (units_inward u) h))).
Definition pass : list units -> vector -> vector := fold_left units_pass.
Definition alone_pass (h : vector) (s : step_syntax) : vector :=
  match step_of s with Alone f => f h | Attend _ _ => h end.
Definition row_pass (A : one_attention) (x : vector) : vector :=
  fold_left alone_pass (rest_after A) (pass (units_after A) x).

Lemma units_of_step s u : units_of s = Some u -> step_of s = Alone (fun h => units_pass h u).
Proof.
  destruct s as [| |[|] inward [|] a outward]; try discriminate.
  destruct a; try discriminate; intros [= <-]; reflexivity.
Qed.
Lemma run_alone causal p l : forall xs, forallb acts_alone l = true ->
  run_steps causal p (map step_of l) xs = map (fun x => fold_left alone_pass l x) xs.
Proof.
  unfold run_steps. induction l as [|s l IH]; intros xs E; [symmetry; apply map_id|].
  cbn [forallb] in E. apply andb_prop in E as [E1 E2]. cbn [map fold_left].
  destruct s; try discriminate; cbn [step_of run_step]; rewrite IH by exact E2; now rewrite map_map.
Qed.
Lemma run_after causal p steps : forall l rest xs, steps_after steps = Some (l, rest) ->
  run_steps causal p (map step_of steps) xs = map (fun x => fold_left alone_pass rest (pass l x)) xs.
Proof.
  induction steps as [|s steps IH]; intros l rest xs E; cbn [steps_after] in E.
  - injection E as <- <-. symmetry. apply map_id.
  - destruct (units_of s) as [u|] eqn:U.
    + destruct (steps_after steps) as [[l' rest']|]; [|discriminate]. injection E as <- <-.
      unfold run_steps in *. cbn [map fold_left fst snd]. rewrite (units_of_step s u U). cbn [run_step].
      rewrite (IH l' rest') by reflexivity. now rewrite map_map.
    + destruct (forallb acts_alone (s :: steps)) eqn:L; [|discriminate]. injection E as <- <-.
      now apply run_alone.
Qed.

Lemma read_causally_at {stream memory} (see : nat -> stream -> memory) read f i : forall n s p past, i < n ->
  nth_error (read_causally see read p past (map f (seq s n))) i = Some (read (p + i) (f (s + i))
    (map (fun j => (p + j, see (p + j) (f (s + j)))) (rev (seq 0 (S i))) ++ past)).
Proof.
  induction i as [|i IH]; intros [|n] s p past L; try lia.
  - cbn [seq map read_causally nth_error rev app]. now rewrite !Nat.add_0_r.
  - assert (R : rev (seq 0 (S (S i))) = map S (rev (seq 0 (S i))) ++ [0]) by (rewrite map_rev, seq_shift; reflexivity).
    rewrite R. change (seq s (S n)) with (s :: seq (S s) n). cbn [map read_causally nth_error].
    rewrite IH by lia. rewrite !Nat.add_succ_r. f_equal. f_equal.
    rewrite map_app, map_map, <- app_assoc. cbn [map app]. rewrite !Nat.add_0_r. f_equal.
    apply map_ext. intros j. now rewrite !Nat.add_succ_r.
Qed.

Section Network.
Variables (T : network_syntax) (A : one_attention) (offset : nat).
Hypothesis Causal : network_causal T = true.
Hypothesis Parts : one_attention_of (network_steps T) = Some A.
(* The stream of a token at a place before the attention step. *)
Definition stream_at (place token : nat) : vector := pass (units_before A) (embedded T (offset + place) token).
Definition seen_at (place token : nat) : nat * list (vector * vector) :=
  (offset + place, map (key_and_value None (offset + place) (stream_at place token)) (attention_heads A)).
Definition logits_at (p token : nat) (seen : list (nat * list (vector * vector))) : vector :=
  let x := stream_at p token in
  affine (network_unembedding T) (row_pass A (heads_write (attention_scale A) None (attention_cap A)
    (offset + p) x (attention_heads A) seen (optional shifted (attention_bias A) x))).

Lemma run_one_attention steps : forall B xs, one_attention_of steps = Some B ->
  exists see read, run_steps true offset (map step_of steps) xs =
    map (row_pass B) (read_causally see read offset [] (map (pass (units_before B)) xs))
  /\ see = (fun p h => map (key_and_value None p h) (attention_heads B))
  /\ read = (fun p h seen => heads_write (attention_scale B) None (attention_cap B) p h (attention_heads B) seen
       (optional shifted (attention_bias B) h)).
Proof.
  induction steps as [|s steps IH]; intros B xs E; [discriminate|]. cbn [one_attention_of] in E.
  assert (Else : match units_of s, one_attention_of steps with
      | Some u, Some A => Some (OneAttention (u :: units_before A) (attention_heads A) (attention_bias A)
          (attention_scale A) (attention_cap A) (units_after A) (rest_after A))
      | _, _ => None end = Some B -> exists see read, run_steps true offset (map step_of (s :: steps)) xs =
    map (row_pass B) (read_causally see read offset [] (map (pass (units_before B)) xs))
  /\ see = (fun p h => map (key_and_value None p h) (attention_heads B))
  /\ read = (fun p h seen => heads_write (attention_scale B) None (attention_cap B) p h (attention_heads B) seen
       (optional shifted (attention_bias B) h))).
  { clear E. intros E. destruct (units_of s) as [u|] eqn:U; [|discriminate].
    destruct (one_attention_of steps) as [C|]; [|discriminate]. injection E as <-. cbn [units_before units_after
      attention_heads attention_bias attention_scale attention_cap].
    destruct (IH C (map (fun h => units_pass h u) xs) eq_refl) as (see & read & R & S1 & S2).
    exists see, read. split; [|now split]. unfold run_steps in *. cbn [map fold_left].
    rewrite (units_of_step s u U). cbn [run_step]. rewrite R, map_map. reflexivity. }
  destruct s as [| [|] heads bias scale [|] cap |]; try now apply Else. clear Else.
  destruct (steps_after steps) as [[l rest]|] eqn:U; [|discriminate]. injection E as <-.
  cbn [units_before attention_heads attention_bias attention_scale attention_cap fst snd].
  eexists _, _. split; [|split; reflexivity]. unfold run_steps. cbn [map fold_left].
  change (fold_left _ ?l ?x) with (run_steps true offset l x).
  rewrite (run_after _ _ steps l rest) by exact U. unfold row_pass.
  cbn [units_after rest_after]. f_equal.
  cbn [step_of run_step]. replace (map (pass []) xs) with xs by (symmetry; apply map_id). reflexivity.
Qed.

Lemma embedded_tokens (f : nat -> nat -> vector) tokens : forall start,
  map (fun pt => f (fst pt) (snd pt)) (numbered start tokens) =
  map (fun j => f (start + j) (nth j tokens 0)) (seq 0 (length tokens)).
Proof.
  unfold numbered. induction tokens as [|t tokens IH]; intros start; [reflexivity|].
  cbn [length seq combine map fst snd nth]. rewrite IH, Nat.add_0_r, <- seq_shift, map_map. f_equal. apply map_ext.
  intros j. now rewrite Nat.add_succ_r.
Qed.

Theorem logits_after tokens p : length tokens = S p -> nth p (network_logits T offset tokens) [] =
  logits_at p (nth p tokens 0) (map (fun j => seen_at j (nth j tokens 0)) (rev (seq 0 (S p)))).
Proof.
  intros L. unfold network_logits, streams. rewrite Causal, embedded_tokens, L.
  destruct (run_one_attention _ _ (map (fun j => embedded T (offset + j) (nth j tokens 0)) (seq 0 (S p))) Parts)
    as (see & read & R & S1 & S2).
  rewrite R. clear R. rewrite (map_map _ (pass (units_before A))).
  change (fun x => pass (units_before A) _) with (fun j => stream_at j (nth j tokens 0)).
  pose proof (read_causally_at see read (fun j => stream_at j (nth j tokens 0)) p (S p) 0 offset [] ltac:(lia)) as N.
  apply nth_error_nth. rewrite !nth_error_map, N. cbn [option_map]. rewrite app_nil_r, S1, S2. reflexivity.
Qed.
End Network.
