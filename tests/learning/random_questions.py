"""A claim about a random network, whose truths mean nothing: only its rows count."""

from fractions import Fraction

from constructions.regular.automata import Automaton
from constructions.trained.claim import Case, When, WordsClaim
from constructions.trained.network import TrainedNetwork


def claim_about(network: TrainedNetwork, read: str, max_n: int) -> WordsClaim:
    """Return a claim which of the first logits is the greatest (or the sign of a difference), over two letters."""
    one = Fraction(1)
    rows = [tuple(sorted(((token, one), (rival, -one)))) for token in range(min(3, network.outputs))
            for rival in range(min(3, network.outputs)) if rival != token]
    per_token = max(1, min(3, network.outputs) - 1)
    cases = tuple(Case(When(None, (0,)), tuple(rows[start : start + per_token]))
                  for start in range(0, len(rows), per_token))
    return WordsClaim(("a", "b"), (0, 1), (2,), (3,) if read == "last" else (), (0, 0), (1, max_n), read, False,  # type: ignore[arg-type]
                      Fraction(0), Automaton(0, ((0, 0),)), (), cases)
