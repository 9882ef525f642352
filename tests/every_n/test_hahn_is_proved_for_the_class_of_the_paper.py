"""[Hahn]'s impossibility results in Coq speak of the transformers of the paper, not of certify's networks alone.

They need the whole library, which takes longer to compile than all other tests with Coq; `.ci/run` runs them where it
has compiled it.
"""

from pathlib import Path

import pytest

from proofs.every_n.kernel import find_answer
from tests.with_coq import staying_coq_or_skip, whole_library_of

pytestmark = pytest.mark.exhaustive

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
  exists b F, is_spelled s b /\\ NoDup F /\\ incl F (seq 1 n) /\\ (C * INR n <= INR (List.length F))%R /\\
  exists D : nat -> list nat, (forall i, 1 <= i <= n -> List.length (D i) <= c) /\\
  forall i w w', 1 <= i <= n -> restriction_extends s b F w -> restriction_extends s b F w' -> (forall p, In p (D i)
  -> w p = w' p) ->
  run_at_one A embedding layers n w i = run_at_one A embedding layers n w' i""", "hahn_theorem_1"),
    "Corollary 2, PARITY": ("", f"""{_ANY_TRANSFORMER} forall accept : nat -> A -> bool, ~ forall n w, 1 <= n ->
  (forall i, w i < 2) -> accept n (run_at_one A embedding layers n w n)
    = Nat.odd (List.length (filter (fun i => w i =? 1) (seq 1 n)))""", "hahn_corollary_2_parity_not_recognized"),
    "Corollary 2, 2DYCK": ("", f"""{_ANY_TRANSFORMER} forall accept : nat -> A -> bool, ~ forall n w, 1 <= n ->
  (forall i, w i < 4) -> accept n (run_at_one A embedding layers n w n) = hahn_corollary_2_hard_attention.balanced n
  w""",
                           "(fun A e l accept => hahn_corollary_2_dyck_not_recognized A e l 4 accept ltac:(auto))"),
    "an instance with additive scores, real weights, masks and strings": (_ADDITIVE, """forall embedding accept,
  ~ hahn_corollary_2_hard_attention.recognizes (R * string) embedding [additive; additive; additive] 2 accept
  odd_ones""",
        "(fun e accept => hahn_corollary_2_parity_not_recognized _ e _ accept)"),
}


@pytest.mark.parametrize("asked", list(HARD))
def test_theorem_1_and_corollary_2_hold_of_activations_scores_updates_and_embeddings_of_any_kind(
        asked: str, tmp_path: Path) -> None:
    definitions, statement, proof = HARD[asked]
    assert proved(_HARD_IMPORTS, definitions, statement, f"exact {proof}.", tmp_path)


def proved(imports: str, definitions: str, statement: str, proof: str, folder: Path) -> bool:
    """Return whether Coq accepts the proof of the statement, with the allowed axioms only."""
    source = folder / "asked.v"
    source.write_text(f"{imports}Import ListNotations.\nOpen Scope nat_scope.\n{definitions}"
                      f"Theorem asked : {statement}.\nProof. {proof} Qed.\nPrint Assumptions asked.\n",
                      encoding="utf-8")
    coq = staying_coq_or_skip()
    return find_answer(coq, whole_library_of(coq), source, besides=None).proved


_SOFT_IMPORTS = """From Coq Require Import Reals List Lra.
From Certify Require Import positions softmax relu formula network cross_entropy hahn_theorem_6_parity
  hahn_soft_layer hahn_lemma_5_repaired hahn_lemma_5_masked hahn_lemma_5_of_the_paper cross_entropy_of_transformers
  hahn_lemma_5_proof_steps.
"""
_REAL_WEIGHTS = """Definition dot := dot_product_score
  [([(0, sqrt 2); (1, (- PI)%R)], [(0, PI)]); ([(1, 1%R)], [(1, exp 1)])].
Definition additive := additive_score relu
  [(PI, sqrt 3, [(0%nat, PI)], [(1%nat, sqrt 5)]); ((-1)%R, 0%R, [(1%nat, PI)], [])].
Definition updated := hahn_lemma_5_of_the_paper.relu_network
  [(PI, [((Some 0, 1), sqrt 2); ((None, 0), PI)], fun d => sqrt (INR d))] (fun _ => PI).
Definition mixed : soft_layer nat := SoftLayer
  [SoftHead Unmasked (fun _ _ => dot); SoftHead Unmasked (fun _ _ => additive)]
  (fun x bs d => if d <? 2 then updated d (hahn_lemma_5_of_the_paper.all_of x bs) else 0%R).
Lemma mixed_mild : mild_layer 2 mixed.
Proof.
  split.
  - intros a [<-|[<-|[]]]; [exists dot|exists additive]; (split; [|reflexivity]).
    + apply dot_product_mild.
    + apply additive_mild, relu_lipschitz.
  - exists updated. split; [apply relu_network_mild|reflexivity].
Qed.
"""
SOFT = {
    "Lemma 5, dot-product and additive attention with real weights": (_REAL_WEIGHTS, """exists C : R,
  forall n p u v i d,
  1 <= p <= n -> 1 <= i <= n -> i <> p -> (forall j, j <> p -> u j = v j) ->
  (Rabs (soft_run [mixed; mixed] (fun n i x d => cos (INR (n + i * x + d))) n u i d
    - soft_run [mixed; mixed] (fun n i x d => cos (INR (n + i * x + d))) n v i d) <= C / INR n)%R""", """
  destruct (hahn_lemma_5_of_the_paper 2 [mixed; mixed] (fun n i x d => cos (INR (n + i * x + d))) 1) as (C & _ & H).
  - repeat constructor; apply mixed_mild.
  - lra.
  - intros n i x d. pose proof (COS_bound (INR (n + i * x + d))). apply Rabs_le. lra.
  - intros l a [<-|[<-|[]]] [<-|[<-|[]]]; reflexivity.
  - exists C. intros n p u v i d Hp Hi. exact (H n (Position p Hp) u v (Position i Hi) d)."""),
    "Theorem 6": ("", """forall dim layers embedding B G K p, Forall (mild_layer dim) layers -> (0 <= B)%R ->
  (forall n i x, activation_within B (embedding n i x)) -> cross_entropy_of_transformers.lipschitz G K -> (0 < p <
  1)%R ->
  forall q, is_predictor bit_letters q ->
  (forall w, odds_of_end q w = G (cross_entropy_of_transformers.at_end (fun n w => soft_run layers embedding n w n)
  bit_code w)) ->
  forall e, (0 < e)%R -> exists N, forall n, N <= n ->
  (chance_given_last p - e <= cross_entropy bit_letters (parity_language p) n q)%R""", """
  intros dim layers embedding B G K p M HB E L Hp.
  exact (proj1 (hahn_theorem_6_of_the_paper dim layers embedding B G K p M HB E L Hp))."""),
}


@pytest.mark.parametrize("asked", list(SOFT))
def test_lemma_5_and_theorem_6_hold_of_real_weights_and_additive_attention(asked: str, tmp_path: Path) -> None:
    assert proved(_SOFT_IMPORTS, *SOFT[asked], tmp_path)


def test_the_printed_step_about_heads_fails_with_every_printed_constant_respected(tmp_path: Path) -> None:
    """Activations in [-1, 1] around the layer, so F = 2 and, with C_att = 1/8, A = F²/8; L_f <= 1; D = 1/128."""
    assert proved(_SOFT_IMPORTS, "", """(forall m,
    let f b := hahn_lemma_5_proof_steps.squash (/ 2 ^ 11 * (2 ^ 22 * b)) in
    (2 * (1 + exp (2 * (2 ^ 2 * (1 / 8))) + 1)) ^ 2 * (1 / 128)
    < f (hahn_lemma_5_proof_steps.retrieved 8 m (1 / 128)) - f (hahn_lemma_5_proof_steps.retrieved 8 m 0))%R /\\
  (forall x, 0 <= hahn_lemma_5_proof_steps.squash x <= 1)%R /\\
  (forall m y j, Rabs y <= 1 -> Rabs (hahn_lemma_5_proof_steps.activation m y j) <= 1)%R""", """
  split; [|split].
  - intros m f. replace (2 ^ 2 * (1 / 8))%R with (1 / 2)%R by field. exact (printed_heads_fails m).
  - exact squash_range.
  - intros m y j H. unfold hahn_lemma_5_proof_steps.activation, hahn_lemma_5_proof_steps.others. destruct (j =? 1);
  [exact H|]. destruct (j <=? S m); apply Rabs_le; lra.
""", tmp_path)
