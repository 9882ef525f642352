"""Check an accepted certificate of margins by the producer's reader of transformers and a run of all short words.

Words are run in binary64, whose errors are far below `NEAR`; docs/reference/margins.md, section 1, says what is
claimed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from constructions.errors import InputError
from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.language.predicates import parse_predicate_definitions
from constructions.language.semantics import satisfies
from constructions.network.json_form import read_json, transformer_from_json
from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer
from proofs.words.margins.claim import MarginClaim, check_fits
from tests.sabotage.certificates.truth import short_words
from tests.words.float_run import Epsilons, FloatRun

KEYS = {"format", "version", "claim", "transformer"}
NEAR = 1e-9


@dataclass(frozen=True)
class MarginFile:
    """A certificate as the producer's own readers see it."""

    transformer: Transformer
    claim: MarginClaim
    epsilons: Epsilons


def load_margin(data: bytes) -> MarginFile:
    """Read the certificate strictly.

    Raises:
        InputError: where it is not what the producer writes.
    """
    document = read_json(data.decode("ascii"), "certificate")
    claim, model = document["claim"], transformer_from_json(document["transformer"])
    norms = document.get("norms", [])
    if set(document) - {"norms"} != KEYS or len(norms) not in (0, len(model.layers)):
        raise InputError(f"keys {sorted(document)}, {len(norms)} norms")
    known = parse_predicate_definitions(claim["predicates"])
    read = MarginClaim(
        parse_formula(claim["formula"], claim["alphabet"], known), tuple(claim["alphabet"]),
        Lengths(claim["min_n"], claim["max_n"]), claim["at"], tuple(claim["before"]), tuple(claim["after"]),
        Fraction(claim["threshold"]), parse_expression(claim["margin"]))
    check_fits(read, model)
    return MarginFile(model, read, [(epsilon(norm["attention"]), epsilon(norm["feedforward"])) for norm in norms])


def epsilon(text: str | None) -> Fraction | None:
    """Return the epsilon of a norm, if there is one."""
    return None if text is None else Fraction(text)


def find_untruth_of_margin(data: bytes) -> str | None:
    """Find the first way in which the claim is false on short words, or None."""
    try:
        return next(find_wrong_words(load_margin(data)), None)
    except InputError as error:
        return f"the producer does not load it: {error}"


def find_wrong_words(given: MarginFile) -> Iterator[str]:
    """Yield each place of a short word where the output is on the wrong side, or too near to the threshold."""
    claim = given.claim
    for word in short_words(claim.letters, range(claim.lengths.first, claim.lengths.last + 1)):
        with np.errstate(all="ignore"):  # what is not finite is not compared
            run = FloatRun(given.transformer, (*claim.before, *word, *claim.after), given.epsilons)
        for read in claim.reads(len(word)):
            above = run.output(read.position) - float(claim.threshold)
            margin = above if satisfies(claim.formula, word, read.letter) else -above
            if margin < float(claim.required(len(word)).lower) - NEAR * max(1.0, abs(above)):
                yield f"the margin on {word} at letter {read.letter} is {margin}"
