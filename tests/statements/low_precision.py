"""Helpers of the tests of constructions for low precision."""

from fractions import Fraction

from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.network.lengths import up_to
from constructions.network.transformer import Transformer
from constructions.regimes import Regime, Sharpening
from constructions.statements.low_precision import GAMMA
from proofs.check import check_text
from proofs.formula.certificate import seal
from proofs.formula.discharge import discharge


def low_precision_network(text: str, max_n: int, alphabet: str = "abc", causal: bool = False,
                          gamma: Fraction = GAMMA) -> Transformer:
    return compile_formula(parse_formula(text, tuple(alphabet)), tuple(alphabet), Regime(Sharpening.POSITION, causal),
                           gamma, low_precision_up_to=max_n)


def is_certified(text: str, max_n: int, alphabet: str = "abc", causal: bool = False) -> bool:
    """Return whether both provers prove every obligation, and the checker accepts the certificate."""
    network, regime = low_precision_network(text, max_n, alphabet, causal), Regime(Sharpening.POSITION, causal)
    lines = discharge(network, up_to(max_n))
    if not all(line.proved for line in lines):
        return False
    formula = parse_formula(text, tuple(alphabet))
    check_text(seal(formula, up_to(max_n), regime, network, lines, None).encode())
    return True
