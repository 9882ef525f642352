"""Theorem 26 of one network for every n, as a Coq file, and its proof by Coq.

The library's ``soft_for_every_n.v`` computes from the weights that no head ties and that the gap is at least 1/n; by
the theorem, softmax at 5/(7 n (b + log2ceil(n^p))) then changes no output by more than 1/4, at any length.
"""

import re
import tempfile
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from constructions.errors import Unsupported
from constructions.language.brackets import Bracket, PositionFunction
from constructions.language.expressions import Expression, parse_expression
from constructions.language.functions import log2ceil
from constructions.language.syntax import Constant
from constructions.network.meanings import Anything
from constructions.network.transformer import Transformer
from constructions.network.validation import not_positive
from constructions.statements.theorem_26_uniform_tieless import Law, constants_of, is_uniform, soften
from proofs.every_n.kernel import Coq, KernelAnswer, find_answer
from proofs.every_n.transformer_file import CoqFile, comment

ONE = Fraction(1)
DULL = "which does not make it false: the Coq library proves scores of integers and j/n, or 2mj - j^2, m an integer"
_DEGREES = {"1": 0, "i": 1, "i^2": 2, "i/n": 0, "1/i": 0}
_HEADER = """\
From Coq Require Import String Reals QArith ZArith List Bool.
From Certify Require Import formula network user_predicates soft_layers soft_for_every_n.
Import ListNotations RowNotations.
Open Scope Q_scope.
"""
_THEOREM = """\
(* There are words of every length n over the alphabet; and for every n >= 1, every such word and every position i, hard
   attention and softmax at this temperature differ by at most 1/4, summed over any number of directions. *)
Theorem network_softened : (forall n, exists w, word_in_alphabet network n w) /\\
  forall n w i D, word_in_alphabet network n w -> (1 <= i <= n)%nat ->
  (run_distance users (fun n => 5 / (7 * INR n * IZR ({b} + Z.log2_up (Z.of_nat n ^ {p})))) network n w i D <= 1 / 4)%R.
Proof.
  apply (softened_for_every_n users network {b} {p}%nat).
  vm_cast_no_check (eq_refl true).
Qed.

Print Assumptions network_softened.
"""
_DULL_HEAD = "Eval vm_compute in dull_head network.\n"


@dataclass(frozen=True)
class Temperature:
    """The temperature 5/(7 n (b + log2ceil(n^p)))."""

    b: int
    p: int

    def expression(self) -> Expression:
        """Return the temperature as model files write it.

        >>> str(Temperature(8, 2).expression())
        '5/(7*n*(8+log2ceil(n^2)))'
        """
        return parse_expression(f"5/(7*n*({self.b}+log2ceil(n^{self.p})))")


def temperature_of(transformer: Transformer) -> Temperature:
    """Return the temperature of Theorem 26 if the gap is at least 1/n at every n.

    Raises:
        Unsupported: if a head has softmax of scores, or if the library has no bound of an embedding for every n.
    """
    constants, law = constants_of(transformer), initial_law(transformer)
    return Temperature(log2ceil(constants.inverse_share(1, None, law.factor)), 2 + 2 * law.exponent)


def initial_law(transformer: Transformer) -> Law:
    """Return a law that is nowhere below x_max(n), n >= 1.

    Raises:
        Unsupported: if the Coq library has no bound of a position embedding, or symbols embed the direction, too.
    """
    tokens = transformer.token_embedding.values()
    for name in transformer.position_embedding:
        if any(row.get(name) for row in tokens):
            raise Unsupported(f"direction {name!r}: it is embedded by the position and by symbols, and for every n the "
                              "Coq library knows a bound only where it is one of them")
    factors = [ONE, *(abs(x) for row in tokens for x in row.values())]
    degrees = (_degree(name, value) for name, value in transformer.position_embedding.items())
    return Law(max(factors), max(degrees, default=0))


def _degree(name: str, value: PositionFunction) -> int:
    if isinstance(value, Bracket):
        return 0
    if str(value) not in _DEGREES:
        raise Unsupported(f"position embedding {name!r}: {value}, for every n the Coq library knows a bound of "
                          f"{', '.join(_DEGREES)} and predicates")
    return _DEGREES[str(value)]


def softened_file(transformer: Transformer, temperature: Temperature) -> str:
    """Return the text of a Coq file that states and proves the effect of softmax at this temperature, for every n.

    Coq decides whether the proof is accepted.

    Raises:
        Unsupported: naming a part of the transformer that the Coq library has no counterpart of.
    """
    check_ties(transformer)
    return _network(transformer) + _THEOREM.format(b=temperature.b, p=temperature.p)


def check_ties(transformer: Transformer) -> None:
    """Check that ties are averaged: the theorem is about average-hard attention, not leftmost or rightmost.

    A head whose scores are not all 0 is proved to have no ties. Softmax of scores that are all 0 averages at any
    positive temperature.

    Raises:
        Unsupported: if a leftmost or rightmost head has scores that are all 0, or softmax another temperature than a
            positive number.
    """
    for number, place, head in transformer.heads():
        name, temperature = f"head {number}.{place} ({head.name})", head.temperature
        if is_uniform(head):
            if head.weighting.is_softmax and (temperature.variables or not_positive(temperature, 1, 1)):
                raise Unsupported(f"{name}: softmax at temperature {temperature}, expected a positive number: Coq "
                                  "does not decide whether another expression is one")
        elif not any(any(query.values()) and any(key.values())
                     for query, key in zip(head.queries, head.keys, strict=True)):
            raise Unsupported(f"{name}: {head.weighting.value} of scores that are all 0, where softmax tends to the "
                              "average of what it sees, not to one position")


def _network(transformer: Transformer) -> str:
    """Return the parameters, with Coq's only kind of head: the theorem states how scores are weighed."""
    bare = replace(soften(transformer, parse_expression("1")),
                   directions=dict.fromkeys(transformer.directions, Anything()))
    title = comment(f"Hard attention made soft, over the alphabet {', '.join(transformer.alphabet)}.")
    return "\n".join([title, _HEADER, CoqFile(bare, Constant(True)).network_text()])


def ask_softened(coq: Coq, library: Path, transformer: Transformer, temperature: Temperature) -> KernelAnswer:
    """Return whether Coq proves that softmax at this temperature changes nothing by more than 1/4, for every n.

    Raises:
        Unsupported: as ``softened_file``.
    """
    with tempfile.TemporaryDirectory(prefix="certify-") as folder:
        source = Path(folder) / "softened.v"
        source.write_text(softened_file(transformer, temperature), encoding="utf-8")
        answer = find_answer(coq, library, source, besides=None)
        if answer.proved:
            return answer
        source.write_text(_network(transformer) + _DULL_HEAD, encoding="utf-8")
        reason = describe_dull_head(coq.compile(source, library).printed, transformer)
        return replace(answer, reason=reason or answer.reason)


def describe_dull_head(printed: str, transformer: Transformer) -> str:
    """Describe the head that is not shown to be tieless with gap 1/n; empty if all are."""
    found = re.search(r"= Some \((\d+)%?\w*, (\d+)%?\w*\)", re.sub(r"\s+", " ", printed))
    if not found:
        return ""
    layer, place = map(int, found.groups())
    return (f"head {layer}.{place} ({transformer.layers[layer - 1].heads[place - 1].name}) is not shown to be tieless "
            f"with gap 1/n, {DULL}")

