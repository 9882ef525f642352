"""A long word in ball arithmetic from its counts: every ball contains the true value of the row."""

from fractions import Fraction

from flint import arb, arb_mat

from constructions.trained import network as trained
from constructions.trained.claim import Claim
from constructions.trained.network import TrainedNetwork
from proofs.enclosures.exponential import ball, exact_ends, working_precision
from proofs.trained.balls import BITS, BallNetwork, Balls, scores_of
from proofs.trained.lengths.search import SeenWord
from proofs.trained.lengths.truths import reads_last_letter


def enclose_row(network: TrainedNetwork, claim: Claim,
                wrong: SeenWord) -> tuple[bool | None, tuple[Fraction, Fraction]]:
    """Whether the row is above the margin at the end of the word (None if no precision tells), and bounds of it."""
    balls, ends = BallNetwork(network), (Fraction(0), Fraction(0))
    for bits in BITS:
        with working_precision(bits):
            stream = _stream(balls, claim, wrong)
            logits = balls.affine(network.unembedding, stream)[0]
            row = claim.cases[wrong.case].above[wrong.row]
            value = sum((ball(coefficient) * logits[output] for output, coefficient in row), arb(0))
            rest, ends = value - ball(claim.margin), exact_ends(value)
            if rest > 0 or rest <= 0:
                return bool(rest > 0), ends
    return None, ends


def _stream(balls: BallNetwork, claim: Claim, wrong: SeenWord) -> Balls:
    """The last stream at the judged token."""
    seen: dict[int, int] = {}
    around = () if reads_last_letter(claim) else claim.after
    for token, times in [*((token, 1) for token in (*claim.before, *around)),
                         *((claim.tokens[letter], times) for letter, times in wrong.runs)]:
        seen[token] = seen.get(token, 0) + times
    asker = around[-1] if around else claim.tokens[wrong.runs[-1][0]]
    tokens = list(seen)
    stream = balls.embedded(tokens, 0)
    for step in balls.network.steps:
        if isinstance(step, trained.AttentionStep):
            stream = _attended(balls, step, stream, tokens.index(asker), [seen[token] for token in tokens])
        else:
            stream = balls.after(step, stream, 0, range(len(stream)))
    return stream


def _attended(balls: BallNetwork, step: trained.AttentionStep, stream: Balls, asker: int, times: list[int]) -> Balls:
    """The stream of the asker after the step, where each token comes so often."""
    normed, total = balls.normed(step.norm, stream), arb_mat([stream[asker]])
    for head in step.heads:
        queries, keys = balls.affine(head.query, [normed[asker]]), balls.affine(head.key, normed)
        scores = scores_of(step, queries, keys)[0]
        shift = max(score.mid() for score in scores)
        weights = [count * (score - shift).exp() for count, score in zip(times, scores, strict=True)]
        whole = sum(weights, arb(0))
        average = arb_mat([[weight / whole for weight in weights]]) * arb_mat(balls.affine(head.value, normed))
        total += average * balls.matrix(head.out)
    return balls.plus(total.tolist(), step.bias)

