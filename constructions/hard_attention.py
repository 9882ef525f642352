"""Networks of formulas with hard attention: the same scores, average-hardmax instead of softmax.

Source      [SHA] Definitions 2 and 5, Section 5: a layer is uniform, or tieless if its greatest score is attained once.
Claim       ``compile_hard`` returns a transformer whose heads are uniform or tieless for every n >= 1, every word of
            length n and every position. Under hard attention each direction has exactly its meaning, and ``near``
            directions are 0 or 1. It equals the result of ``compile_formula`` for the regime, with average-hardmax in
            every head and no temperature; the regime still says how ties are broken.
Uniform     The heads of Proposition 11 and the means of counts have neither queries nor keys.
Lemma 8     The other heads, except those by Lemma 7, have scores c (s_j + t_j) with c > 0 the same for all j: γ or 2γ,
            times n or i² in the regimes named position. s_j is 0 or 1 (decides), or -1/2 or 1/2 (parity), so different
            values differ by 1. t_j is j/(2n) or -j/(2n), and -1/j in the causal regimes: injective in j, with
            differences below 1. So two scores are equal only if j is the same. For the visible positions of (n, i) the
            gap is at least γ/n without a causal regime, where |t_j - t_k| >= 1/(2n) and 1 - |t_j - t_k| >= 1/2 +
            1/(2n); and γ/(i (i - 1)) in a causal one, where |1/j - 1/k| >= 1/(i (i - 1)) and 1 - |1/j - 1/k| >= 1/i;
            times n or i² for position.
Lemma 7     Scores c (2 m j - j²) = c (m² - (j - m)²) with c > 0 and m = 1 + (number of other positions counted), an
            integer that is the number of a visible position: of 1, ..., i if the left is counted, where the mask is
            future, and of 1, ..., n + 1 - i if the right is, where all positions are visible. So j = m alone has the
            greatest score, by a gap of c. c is γ C/i, γ C/(n + 1 - i), times n for position (theorem_20_counting.py has
            C). This needs exact means, and they are exact: means of values 0 or 1. As printed
            (theorem_20_as_printed.py) m is the count or the count + 1, which may not be a visible position: then the
            nearest visible one alone has the greatest score. The computed value is then wrong, but there is no tie.
Edges       Where no visible position decides or has the parity, s_j is the same for all visible j and t_j alone orders
            them, so there is no tie either. With n = 1 or one visible position there is no tie.
"""

from collections.abc import Sequence
from dataclasses import replace

from constructions.compiler import PRINTED_GAMMA, compile_formula
from constructions.language.expressions import Constant, parse_expression
from constructions.language.syntax import Formula
from constructions.network.transformer import Head, Layer, Transformer
from constructions.network.weightings import Weighting
from constructions.regimes import Regime


def compile_hard(formula: Formula, alphabet: Sequence[str], regime: Regime = Regime(),
                 gamma: Constant = PRINTED_GAMMA, as_printed: bool = False) -> Transformer:
    """Return a transformer with average-hard attention that computes ``formula`` at every position of every word.

    Raises:
        Unsupported, InputError: as ``compile_formula``.
    """
    soft = compile_formula(formula, alphabet, regime, gamma, as_printed)
    return replace(soft, layers=tuple(Layer(tuple(map(_hardened, layer.heads)), layer.feedforward)
                                      for layer in soft.layers))


def _hardened(head: Head) -> Head:
    return replace(head, weighting=Weighting.AVERAGE_HARDMAX, temperature=parse_expression("1"))
