"""The steps of the printed proof of Lemma 5 of [Hahn]: five of them on their smallest instances.

Source      [Hahn] Section 6: activations y_i^(k) = f(y_i^(k-1), b_i1, ..., b_iH), b_ih the mean of the y_j^(k-1) with
            weights softmax(scores), no mask. Symbol i is exchanged; D = ‖y_i^(0) - y_i^(0)'‖, F >= ‖y‖, A = F² C_att
            bounds the scores, L_f is the Lipschitz constant of f, C = 2(1 + e^(2A) + L_f). Induction: position i
            changes by at most C^(2k) D, every other one by at most H^k C^(2k) D/n.
Weights     "‖b_j - b_j'‖ <= Σ_w â_jw ‖y_w - y_w'‖" omits the change of the weights. Let y_1 = (key, value) = (0, 4)
            become (1, 4), all others be 0, the score be the key: b_n changes by 4(e/(e+n-1) - 1/n) in its value, D =
            1, and the larger of the two weights of position 1 is e/(e+n-1): at n = 2, 0.924 > 0.731.
Norms       "‖y_j^(k)‖ <= 2 C_f^L (‖p_j‖ + ‖v_j‖)" for each j: means include other embeddings. With f(y, b) = b, y_1 =
            1 and y_j = 0 for the others, y_n^(1) = 1/n > 0. It needs the greatest of ‖p_w‖ + ‖v_w‖ over all w.
j = i       There b_i is taken to change by o(1). But the query of i is exchanged, so all weights of its row change.
            y real, score y_i y_w/8 (C_att = 1/8), D = 1/2: y_i = 0 becomes 1/2, half of the others are 1, half -1 (and
            one is 0 if their number is odd). b_i was 0, by symmetry, and becomes (2m sinh(1/16) + e^(1/32)/2)/
            (2m cosh(1/16) + e^(1/32) [+ 1]), m = ⌊(n-1)/2⌋, which tends to tanh(1/16). All embeddings are in [-1, 1]
            and f(y, b) = b: F = 2 C_f (‖p‖ + ‖v‖) = 2 as printed, A = F² C_att = 1/2. The bound that the previous
            display gives, (e^(2A)/(n-1) + 1/n)D, is below that from n = 25 on.
Heads       So the first bound of the induction, C^(2k) D without a factor of H, is false for many heads, with all
            constants as printed: D = 2^-8, the same others and scores, H = 2^22 equal heads, Σ the sum of what they
            retrieve, f = ReLU(sΣ) - ReLU(sΣ - 1), s = 2^-12. All activations are in [-1, 1], F = 2 and A = 1/2 as
            above; L_f = 2^11 s = 1/2 in the Euclidean norm of all b together (in the sum of their norms it is s). y_i
            = 0 becomes min(1, 2^10 b_i), b_i as above with D in place of 1/2: at least 2^10 tanh(D/8) in the limit,
            1/2, and more before. C²D is 4 (1 + e + 1/2)²/2^8 = 0.278.
As printed  The lemma only says that the embeddings are given. One head that embeds n (not bounded),
            scores n [j = 1] and values [w_j = 1]: y_n changes by e^n/(e^n + n - 1) when symbol 1 is exchanged, at
            least 1/2 at every n >= 2, so no K/n is a bound. In Coq: ``lemma_5_needs_bounded_embeddings``.
What holds  A weight is at most e^A/(e^A + (n-1)e^(-A)) <= e^(2A)/(n-1), for every A: polynomials in x = e^(-2A). And
            e^(2A)/(n-1) + H^(k-1)/n <= H^(k-1) C/n for n >= 2: worst for H = 1 and L_f = 0, where it says that n/(n-1)
            <= x + 2.
"""

from collections.abc import Iterator
from fractions import Fraction

from proofs.enclosures.intervals import Interval, point
from proofs.numbers.instances.comparing import increasing, instance, instance_for_every_gamma, power_of_e, quotient
from proofs.numbers.instances.examination import Examination, Instance, Replay

ZERO, HALF, ONE = (Fraction(*x) for x in ((0, 1), (1, 2), (1, 1)))
VALUE = Fraction(4)
SMALL, ROOT_OF_HEADS, SLOPE = Fraction(1, 2**8), 2**11, Fraction(1, 2**12)
LIPSCHITZ = ROOT_OF_HEADS * SLOPE
AS_PRINTED = Replay("hahn_lemma_5_as_printed.json", "xo")
WEIGHTS = Replay("hahn_lemma_5_weights.json", "xo")
NORMS = Replay("hahn_lemma_5_norms.json", "xo")
SAME_POSITION = Replay("hahn_lemma_5_same_position.json", "x" + 12 * "a" + 12 * "b")
MANY_HEADS = Replay("hahn_lemma_5_heads.json", "xo")


def weight_of_first(n: int, score: Fraction) -> Interval:
    """Enclose the weight of position 1 among n, with this score beside scores 0."""
    odds = power_of_e(score).scaled(Fraction(1, n - 1))
    return increasing(odds)


def _weights(n: int) -> Instance:
    before, after = Fraction(1, n), weight_of_first(n, Fraction(1))
    return instance(n, "y_1 = (key, value) from (0, 4) to (1, 4), all others 0, j = n",
                    (after + point(-before)).scaled(VALUE), after, WEIGHTS)


def mean_at_exchanged(n: int, after: Fraction = HALF) -> Interval:
    """Enclose b_i once y_i is ``after``, at position i = 1 of n, with scores y_i y_w/8."""
    pairs, zeros = divmod(n - 1, 2)
    pair = after / 8
    up, down, own = power_of_e(pair), power_of_e(-pair), power_of_e(pair * after)
    above = (up + down.scaled(Fraction(-1))).scaled(Fraction(pairs)) + own.scaled(after)
    below = (up + down).scaled(Fraction(pairs)) + own + point(Fraction(zeros))
    return Interval(above.lower / below.upper, above.upper / below.lower)


def _same_position(n: int) -> Instance:
    bound = (power_of_e(Fraction(1)).scaled(Fraction(1, n - 1)) + point(Fraction(1, n))).scaled(HALF)
    return instance(n, "i = 1, y_1 from 0 to 1/2, half of the others 1, half -1, scores y_i y_w/8",
                    mean_at_exchanged(n), bound, SAME_POSITION)


def _heads(n: int) -> Instance:
    root = power_of_e(Fraction(1)) + point(1 + LIPSCHITZ)
    total = mean_at_exchanged(n, SMALL).scaled(ROOT_OF_HEADS**2 * SLOPE)
    return instance(n, f"y_1 from 0 to {SMALL}, 2^22 equal heads with scores y_i y_w/8, f = ReLU(sΣ) - ReLU(sΣ - 1), "
                    f"s = {SLOPE}", Interval(min(total.lower, ONE), min(total.upper, ONE)),
                    (root * root).scaled(4 * SMALL), MANY_HEADS)


def _as_printed(n: int) -> Iterator[Instance]:
    for k in (1, 2, 3, 4):
        yield instance(n, f"one head with scores n [j = 1], values [w_j = 1], K = {k}", weight_of_first(n, Fraction(n)),
                       Fraction(k, n), AS_PRINTED if k == 1 else None)


NAME = "Hahn, Lemma 5"
ALONE = "one position: no other one is exchanged"
EXAMINATIONS = (
    Examination("hahn-lemma-5-as-printed", NAME, "exchanging a symbol changes y_n by at most K/n, for K = 1, 2, 3, 4",
                "one layer, one head that embeds n", _as_printed, ALONE),
    Examination("hahn-lemma-5-step-weights", NAME, "‖b_j - b_j'‖ <= Σ_w â_jw ‖y_w - y_w'‖, in the proof",
                "one layer, one head, j = n", _weights, ALONE),
    Examination("hahn-lemma-5-step-norms", NAME, "‖y_j^(k)‖ <= 2 C_f^L (‖p_j‖ + ‖v_j‖), in the proof",
                "one layer, one head, every C_f", lambda n: instance(
                    n, "f(y, b) = b, y_1 = 1, all others 0, j = n", Fraction(1, n), ZERO, NORMS), ALONE),
    Examination("hahn-lemma-5-step-same-position", NAME,
                "j = i: ‖b_i - b_i'‖ <= (e^(2A)/(n-1) + 1/n) D, which is o(1), in the proof",
                "one layer, one head; A and F as printed", _same_position, ALONE),
    Examination("hahn-lemma-5-step-heads", NAME,
                "‖y_i^(k) - y_i^(k)'‖ <= C^(2k) D for any number of heads, in the proof",
                "one layer, 2^22 equal heads; A, F, L_f and C as printed", _heads, ALONE),
    Examination("hahn-lemma-5-step-greatest-weight", NAME, "attention weights are at most e^(2A)/(n-1), in the proof",
                "every A and every score in [-A, A]", lambda n: instance_for_every_gamma(
                    n, "one score A, the others -A, 2A in place of γ", quotient({0: 1}, {0: 1, 1: n - 1}),
                    quotient({0: 1}, {1: n - 1}), Fraction(1)), ALONE),
    Examination("hahn-lemma-5-step-sum", NAME,
                "e^(2A)/(n-1) + H^(k-1)/n <= H^(k-1) C/n, in the proof", "every A, H, k and L_f",
                lambda n: instance_for_every_gamma(
                    n, "times n e^(-2A), H = 1, L_f = 0, 2A in place of γ", quotient({0: n}, {0: n - 1}),
                    quotient({0: 2, 1: 1}), Fraction(1)), ALONE),
)
