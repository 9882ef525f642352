"""Theorems about one network: instances of the theorems that ``instances.v`` lists.

The proof of each is one of those, and a computation: that the checker's answer is ``true``. So its axioms are those of
the theorem, which Coq prints when the library is compiled. Coq prints those of the few constants of the file each time.
Printing the axioms of the whole theorem would traverse the library again.
"""

from proofs.every_n.lengths import ProvedLengths

_INSTANCE = """\
(* The checker accepts the network: a computation. *)
Lemma check_accepts : {check} = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

(* For every length {lengths}, every word over the alphabet and every position i, the output is exactly 1 if the word
   satisfies the formula at i, and exactly 0 if not. Nothing divides by zero, and temperatures are positive. *)
Theorem network_computes :
  {statement}.
Proof. exact ({theorem} check_accepts). Qed.
"""

PRINT_AXIOMS = """
(* The theorem rests on the axioms of what it is an instance of (Certify.instances prints them), and on those of: *)
Definition parts := (users, network, meanings, claim, check_accepts).
Print Assumptions parts.
"""

_SOME_LENGTHS = "Definition some_lengths : lengths := {lengths}.\n\n"
_FROM_ONE = "n >= 1"
_AMONG = "n among these"


def theorem_about(lengths: ProvedLengths) -> str:
    """Return the theorem that the network computes the claim, and its proof."""
    if lengths.all:
        return _INSTANCE.format(
            lengths=_FROM_ONE, check="check network meanings claim",
            statement="defined network /\\ computes users network claim",
            theorem="check_computes users network meanings claim")
    return _SOME_LENGTHS.format(lengths=lengths.data()) + _INSTANCE.format(
        lengths=_AMONG, check="check_for users some_lengths network meanings claim",
        statement="defined_for some_lengths network /\\ computes_for users some_lengths network claim",
        theorem="check_for_computes users some_lengths network meanings claim")


def theorem_about_graph(lengths: ProvedLengths, base: str) -> str:
    """Return the theorem and its proof for a claim with named formulas; ``base`` is the number of the first name."""
    claim = f"(written_out {base} named_formulas claim)"
    if lengths.all:
        return _INSTANCE.format(
            lengths=_FROM_ONE, check=f"check_graph {base} every_length network meanings named_formulas claim",
            statement=f"defined network /\\ computes users network {claim}",
            theorem=f"check_graph_computes_always {base} users network meanings named_formulas claim")
    return _SOME_LENGTHS.format(lengths=lengths.data()) + _INSTANCE.format(
        lengths=_AMONG, check=f"check_graph {base} some_lengths network meanings named_formulas claim",
        statement=f"defined_for some_lengths network /\\ computes_for users some_lengths network\n    {claim}",
        theorem=f"check_graph_computes {base} users some_lengths network meanings named_formulas claim")
