"""`certify model --every-n`: Theorem 26 for one network and words of every length, decided by Coq."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from certify.claims.formula.pipeline import Clock
from certify.claims.formula.show import print_shape
from certify.common.terminal_tables import plain
from certify.common.verdicts import WithExitStatus, colour
from certify.common.words import show_alphabet
from constructions.network.transformer import Transformer
from constructions.statements.theorem_26_uniform_tieless import Constants, constants_of
from proofs.every_n import Coq, KernelAnswer, compiled_library, find_coq
from proofs.every_n.library import SOFTENING
from proofs.every_n.softened_file import Temperature, ask_softened, temperature_of


@dataclass(frozen=True)
class SoftenedForEveryN(WithExitStatus):
    """Coq's answer on softmax at a temperature instead of a network's hard attention."""

    network: Transformer
    constants: Constants
    temperature: Temperature
    answer: KernelAnswer
    coq: Coq
    seconds: float

    @property
    def verdict(self) -> str:
        """Proved or unproved; unproved does not mean refuted."""
        return "proved" if self.answer.proved else "unproved"


def soften_for_every_n(network: Transformer, progress: Callable[[str], None] = lambda _: None) -> SoftenedForEveryN:
    """Let Coq decide whether softmax at Theorem 26's temperature for a gap of 1/n moves results by at most 1/4.

    Raises:
        CoqMissing: if there is no ``coqc``.
        InputError: if the cache of the compiled library cannot be written.
        Unsupported: naming a part of the network without a counterpart in the Coq library.
    """
    clock, coq = Clock(), find_coq()
    constants, temperature = constants_of(network), temperature_of(network)
    library = compiled_library(coq, progress, SOFTENING)
    progress("Coq checks the theorem")
    answer = ask_softened(coq, library, network, temperature)
    return SoftenedForEveryN(network, constants, temperature, answer, coq, clock.total)


def softened_for_every_n_to_json(found: SoftenedForEveryN) -> dict[str, Any]:
    """Return the content of ``print_softened_for_every_n`` as a JSON object."""
    return {
        "verdict": found.verdict,
        "alphabet": list(found.network.alphabet),
        "lengths": "every n",
        "gap": "1/n",
        "temperature": str(found.temperature.expression()),
        "K1": str(found.constants.k1),
        "K2": str(found.constants.k2),
        "axioms": sorted(found.answer.axioms),
        "coq": found.coq.version,
        "reason": found.answer.reason or None,
        "seconds": round(found.seconds, 3),
    }


def print_softened_for_every_n(out: Console, found: SoftenedForEveryN) -> None:
    """Print the claim, the axioms that the theorem rests on, and the verdict."""
    k = found.constants
    out.print(plain(f"alphabet  {show_alphabet(found.network.alphabet)}"))
    out.print(plain("claim     for every n, every word of length n and every position: "
                    "softmax at this temperature moves the result by at most 1/4"))
    print_shape(out, found.network)
    out.print(plain(f"constants d = {k.d}, p_max = {k.p_max}, L = {k.layers}, K1 = {k.k1}, K2 = {k.k2}"))
    out.print(plain(f"softmax   at temperature {found.temperature.expression()}, by Theorem 26 for a gap of 1/n"))
    if found.answer.axioms:
        out.print(plain(f"axioms    {', '.join(sorted(found.answer.axioms))}"))
    out.print()
    outcome = (f"for every n: the kernel of Coq {found.coq.version} accepts the theorem, with allowed axioms only"
               if found.answer.proved else found.answer.reason)
    out.print(plain(f"{found.verdict.upper()}  {outcome}; {found.seconds:.2f} s", style=colour(found.verdict)))
