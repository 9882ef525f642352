"""One word through a trained network, enclosed: the judged logits, the required rows, and attention.

Every number is a ball of Arb around the true real value; a verdict is given only if the whole ball agrees.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from constructions.errors import InputError
from constructions.trained.claim import Row, WordsClaim, check_fits, input_tokens, judged
from constructions.trained.network import TrainedNetwork
from proofs.enclosures.exponential import ball, exact_ends, working_precision
from proofs.trained.balls import BallNetwork, decide_row, enclose_attention, enclose_logits
from proofs.words.tracking import cases_at

BITS = 128
LONGEST = 4096
Ends = tuple[Fraction, Fraction]


def gravest(verdicts: Collection[str]) -> str:
    """Return the verdict on several rows or places together; empty if there are none."""
    return next((verdict for verdict in ("wrong", "undecided", "right") if verdict in verdicts), "")


@dataclass(frozen=True)
class RequestedRow:
    """A row of a case that holds (by indices), and whether its value, enclosed by ``ends``, exceeds the margin."""

    case: int
    row: int
    above: Row
    ends: Ends | None
    verdict: str


@dataclass(frozen=True)
class JudgedPlace:
    """A place where logits are judged: after ``place`` letters, at the token of this index."""

    place: int
    index: int
    logits: tuple[Ends | None, ...]
    asked: tuple[RequestedRow, ...]

    @property
    def verdict(self) -> str:
        """The verdict on all rows; empty if there are none."""
        return gravest({row.verdict for row in self.asked})

    @property
    def least(self) -> RequestedRow | None:
        """The row with the least lower end."""
        bounded = [(row.ends[0], row) for row in self.asked if row.ends]
        return min(bounded, key=lambda pair: pair[0])[1] if bounded else None


@dataclass(frozen=True)
class WordRun:
    """A word (or bare tokens, without a claim) at an offset.

    ``attention`` has weights [T][T] for each step and head, if requested.
    """

    network: TrainedNetwork
    claim: WordsClaim | None
    word: tuple[str, ...]
    tokens: tuple[int, ...]
    offset: int
    places: tuple[JudgedPlace, ...]
    attention: tuple[tuple[tuple[tuple[Ends | None, ...], ...], ...], ...]

    @property
    def verdict(self) -> str:
        """The verdict on all places; empty if nothing is judged."""
        return gravest({place.verdict for place in self.places})


def run_word(network: TrainedNetwork, claim: WordsClaim, word: Sequence[str], offset: int,
             heads: bool = False) -> WordRun:
    """Run a word of a claim, even if its length or the offset is outside the claim.

    Raises:
        InputError: if it has a symbol outside the alphabet, or does not fit into the position tables.
    """
    check_fits(network, claim)
    tokens = input_tokens(claim, word)
    check_room(network, len(tokens), offset)
    balls = BallNetwork(network)
    where = judged(claim, len(word))
    logits = enclose_logits(balls, tokens, offset, [index for _, index in where], BITS)
    places = []
    for number, (place, index) in enumerate(where):
        mine = [logits[number, output] for output in range(network.outputs)]
        asked = [_seen(claim, mine, case, row) or _decided(balls, claim, tokens, offset, index, case, row)
                 for case in cases_at(claim, word, place) for row in range(len(claim.cases[case].above))]
        places.append(JudgedPlace(place, index, tuple(map(_ends, mine)), tuple(asked)))
    return WordRun(network, claim, tuple(word), tokens, offset, tuple(places),
                   _attention(balls, tokens, offset) if heads else ())


def run_tokens(network: TrainedNetwork, tokens: Sequence[int], offset: int, heads: bool = False) -> WordRun:
    """Run bare tokens: return the logits wherever the network outputs them, without a verdict.

    Raises:
        InputError: if a token is not in the vocabulary, or they do not fit into the position tables.
    """
    for token in tokens:
        if token >= network.vocabulary:
            raise InputError(f"word: token {token}, but the network has the tokens 0 to {network.vocabulary - 1}")
    check_room(network, len(tokens), offset)
    balls = BallNetwork(network)
    read = {"each": range(len(tokens)), "first": range(1), "last": range(len(tokens) - 1, len(tokens))}[network.readout]
    logits = enclose_logits(balls, tokens, offset, read, BITS)
    places = tuple(JudgedPlace(index + 1, index, tuple(_ends(logits[row, output])
                                                       for output in range(network.outputs)), ())
                   for row, index in enumerate(read))  # fmt: skip
    return WordRun(network, None, tuple(map(str, tokens)), tuple(tokens), offset, places,
                   _attention(balls, tokens, offset) if heads else ())


def check_room(network: TrainedNetwork, tokens: int, offset: int) -> None:
    """Check that the tokens have rows of the position tables at the offset.

    Raises:
        InputError: if they do not, or there are very many.
    """
    if tokens == 0:
        raise InputError("word: found nothing, expected at least one token in the input")
    if tokens > LONGEST:
        raise InputError(f"word: an input of {tokens} tokens, expected at most {LONGEST}")
    if network.rows is None:
        if offset:
            raise InputError(f"offset: {offset}, but the network has no position tables, so expected 0")
    elif offset + tokens > network.rows:
        raise InputError(f"word: {tokens} tokens at offset {offset}, but the network has {network.rows} rows of "
                         f"positions")


def _seen(claim: WordsClaim, logits: Sequence[arb], case: int, row: int) -> RequestedRow | None:
    """Return the verdict on a row from balls around the logits; None if they are inconclusive."""
    above = claim.cases[case].above[row]
    with working_precision(BITS):
        value = sum((ball(coefficient) * logits[output] for output, coefficient in above), arb(0))
        rest = value - ball(claim.margin)
        if rest > 0 or rest <= 0:
            return RequestedRow(case, row, above, exact_ends(value), "right" if rest > 0 else "wrong")
    return None


def _decided(balls: BallNetwork, claim: WordsClaim, tokens: Sequence[int], offset: int, index: int, case: int,
             row: int) -> RequestedRow:
    """Decide a row with as many bits as needed."""
    above = claim.cases[case].above[row]
    decision = decide_row(balls, tokens, offset, index, above, claim.margin)
    verdict = "undecided" if decision.above is None else "right" if decision.above else "wrong"
    return RequestedRow(case, row, above, decision.ends, verdict)


def _attention(balls: BallNetwork, tokens: Sequence[int],
               offset: int) -> tuple[tuple[tuple[tuple[Ends | None, ...], ...], ...], ...]:
    found = enclose_attention(balls, tokens, offset, BITS)
    return tuple(tuple(tuple(tuple(map(_ends, row)) for row in head) for head in step) for step in found)


def _ends(x: arb) -> Ends | None:
    return exact_ends(x) if x.is_finite() else None
