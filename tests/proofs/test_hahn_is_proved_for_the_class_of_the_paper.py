"""[Hahn]'s impossibility results in Coq speak of the transformers of the paper, not of certify's networks alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofs.by_coq.kernel import find_answer
from tests.proofs.coq_builds import library_with
from tests.with_coq import coq_or_skip

_HARD = "hahn_corollary_2_hard_attention.v"
_HARD_IMPORTS = """From Coq Require Import Reals List String Bool.
From Certify Require Import formula hahn_restrictions hahn_lemma_4_depth_reduction hahn_theorem_1_hard_attention
  hahn_corollary_2_hard_attention.
"""
_ANY_TRANSFORMER = "forall (A : Type) (embedding : nat -> nat -> nat -> A) (layers : list (hard_layer A)), "
_ADDITIVE = """Definition additive : hard_layer (R * string) := HardLayer _
  [HardHead _ (fun _ _ _ => true) (fun x y => PI * Rabs (fst x + sqrt 2 * fst y))%R ToLeft;
   HardHead _ (fun _ i j => Nat.ltb j i) (fun x y => INR (length (snd x ++ snd y))) ToRight]
  (fun x bs => (exp (fst x), fold_right (fun b s => append (snd b) s) (snd x) bs)).
"""
HARD = {
    "Theorem 1": ("", f"""{_ANY_TRANSFORMER} forall s C, 1 <= s -> (C < 1)%R -> exists c N, forall n, N <= n ->
  exists b F, spelled s b /\\ NoDup F /\\ incl F (seq 1 n) /\\ (C * INR n <= INR (List.length F))%R /\\
  exists D : nat -> list nat, (forall i, 1 <= i <= n -> List.length (D i) <= c) /\\
  forall i w w', 1 <= i <= n -> extends s b F w -> extends s b F w' -> (forall p, In p (D i) -> w p = w' p) ->
  run_at_one A embedding layers n w i = run_at_one A embedding layers n w' i""", "hahn_theorem_1"),
    "Corollary 2, PARITY": ("", f"""{_ANY_TRANSFORMER} forall accept : nat -> A -> bool, ~ forall n w, 1 <= n ->
  (forall i, w i < 2) -> accept n (run_at_one A embedding layers n w n)
    = Nat.odd (List.length (filter (fun i => w i =? 1) (seq 1 n)))""", "hahn_corollary_2_parity_not_recognized"),
    "Corollary 2, 2DYCK": ("", f"""{_ANY_TRANSFORMER} forall accept : nat -> A -> bool, ~ forall n w, 1 <= n ->
  (forall i, w i < 4) -> accept n (run_at_one A embedding layers n w n) = balanced n w""",
                           "(fun A e l accept => hahn_corollary_2_dyck_not_recognized A e l 4 accept ltac:(auto))"),
    "an instance with additive scores, real weights, masks and strings": (_ADDITIVE, """forall embedding accept,
  ~ recognizes (R * string) embedding [additive; additive; additive] 2 accept odd_ones""",
        "(fun e accept => hahn_corollary_2_parity_not_recognized _ e _ accept)"),
}


@pytest.mark.parametrize("asked", list(HARD))
def test_theorem_1_and_corollary_2_hold_of_activations_scores_updates_and_embeddings_of_any_kind(
        asked: str, tmp_path: Path) -> None:
    definitions, statement, proof = HARD[asked]
    source = tmp_path / "asked.v"
    source.write_text(f"{_HARD_IMPORTS}Import ListNotations.\nOpen Scope nat_scope.\n{definitions}"
                      f"Theorem asked : {statement}.\nProof. exact {proof}. Qed.\nPrint Assumptions asked.\n",
                      encoding="utf-8")
    coq = coq_or_skip()
    assert find_answer(coq, library_with(coq, _HARD), source, besides=None).proved
