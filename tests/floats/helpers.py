"""Networks and classes for tests of executions."""

from fractions import Fraction

from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.network.float_formats import FORMATS
from constructions.network.transformer import Transformer
from constructions.regimes import Regime
from proofs.enclosures.float_models.model import ExpBase, FloatModel, Normalised
from proofs.floats.execution.program import FloatProgram
from proofs.floats.execution.replay import Refutation
from proofs.floats.execution.search import DEFAULT_WORK, LengthSearch

ODD = ("ODD(#<[Q_1])", "01")
SINCE = ("(!Q_c) S Q_b", "abc")
PREVIOUS = ("prev Q_a", "ab")
MAJORITY = ("2*#<[Q_1] > #<[true]", "01")


def network(formula: str, alphabet: str, regime: Regime = Regime()) -> Transformer:
    return compile_formula(parse_formula(formula), tuple(alphabet), regime)


def pure(name: str, normalised: str = "either", exp_ulp: Fraction = Fraction(4),
         exp_base: str = "either") -> FloatModel:
    """Everything in one format."""
    one = FORMATS[name]
    return FloatModel(name, one, one, one, one, one, one, Normalised(normalised), exp_ulp, ExpBase(exp_base), 0)


def find_wrong(transformer: Transformer, run_class: FloatModel, n: int, work: int = DEFAULT_WORK) -> Refutation | None:
    """Return a wrong execution on some word of length n, if one is found."""
    return LengthSearch(FloatProgram(transformer, run_class), n, work).find()
