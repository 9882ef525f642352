"""The truth of an accepted certificate, by the producer's loader, the definitions, and a run of all short words.

The checker is not used. Weights and meanings are those of the producer's own reader; words are run by the second
forward pass of the tests, to 60 digits; formulas are evaluated by their definition. A file for lengths up to 4 over two
symbols, or up to 3 over three, is decided completely.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from mpmath import mp

from constructions.errors import InputError
from constructions.language.parser import parse_formula
from constructions.language.predicate_definition import PredicateDefinition
from constructions.language.predicates import parse_predicate_definition
from constructions.language.semantics import truth_values
from constructions.language.syntax import Formula, is_positional, subformulas
from constructions.network.assumption import local_directions
from constructions.network.json_form import read_json, transformer_from_json
from constructions.network.lengths import Lengths
from constructions.network.meanings import Meaning, Near, Others, Truth
from constructions.network.transformer import Mask, Transformer
from constructions.network.weightings import Weighting
from proofs.floats.claims import FloatClaim, read_float_claims
from tests.floats.helpers import find_wrong
from tests.network.second_forward import SecondForward, number
from tests.sabotage.ground_truth import DIGITS, TOLERANCE, Claims

MOST_WORDS = 40
Word = tuple[str, ...]
CLAIM_KEYS = {"formula", "alphabet", "max_n", "regime", "causal"}
MAY_BE_LEFT_OUT = {"min_n", "given"}
BOUND_KEYS = {"layer", "head", "direction", "error_if_false", "error_if_true"}

RUNS = 1000
"""Limit of the search for a wrong execution, in scores computed."""

@dataclass(frozen=True)
class Loaded:
    """A certificate as the producer's own readers see it."""

    formula: Formula
    alphabet: tuple[str, ...]
    lengths: range
    regime: str
    causal: bool
    transformer: Transformer
    predicates: dict[str, PredicateDefinition]
    errors: dict[str, tuple[Fraction, Fraction]]
    floats: tuple[FloatClaim, ...]


def load(data: bytes) -> Loaded:
    """Return the certificate, read strictly.

    Raises:
        InputError: where it is not what the producer writes.
    """
    document = read_json(data.decode("ascii"), "certificate")
    if set(document) - {"floats", "words"} != {"format", "version", "claim", "transformer", "bounds"}:
        raise InputError(f"keys {sorted(document)}")
    claim = document["claim"]
    transformer = transformer_from_json(document["transformer"], given=claim.get("given"))
    if set(claim) - MAY_BE_LEFT_OUT != CLAIM_KEYS or claim["alphabet"] != list(transformer.alphabet):
        raise InputError("claim: other keys, or another alphabet than the transformer's")
    least, most = claim.get("min_n", 1), claim["max_n"]
    if type(least) is not int or type(most) is not int or not 1 <= least <= most or type(claim["causal"]) is not bool:
        raise InputError("claim: lengths or causal")
    if claim["regime"] not in ("temperature", "position", "unstated"):
        raise InputError("claim: regime")
    known = {d.name: d for d in map(parse_predicate_definition, document["transformer"]["predicates"])}
    formula = parse_formula(claim["formula"], transformer.alphabet, known)
    floats = read_float_claims(document["floats"], Lengths(least, most)) if "floats" in document else ()
    return Loaded(formula, transformer.alphabet, range(least, most + 1), claim["regime"], claim["causal"], transformer,
                  known, load_bounds(document["bounds"], transformer), floats)


def load_bounds(entries: Any, transformer: Transformer) -> dict[str, tuple[Fraction, Fraction]]:
    """Return the stated errors of each direction that a head writes approximately: these, in order, and no others.

    Raises:
        InputError: otherwise.
    """
    order = list(transformer.directions).index
    wanted, listed = [], set[str]()  # of several heads that write one direction, the first
    for layer, place, head in transformer.heads():
        names = [name for name in sorted(head.values, key=order) if name not in listed
                 and isinstance(transformer.directions[name], Near | Others)]
        wanted += [(layer, place, name) for name in names]
        listed |= {*names}
    found = [(e["layer"], e["head"], e["direction"]) for e in entries if set(e) == BOUND_KEYS]
    if found != wanted or len(found) != len(entries):
        raise InputError(f"bounds of {found}, expected {wanted}")
    errors = {e["direction"]: (Fraction(e["error_if_false"]), Fraction(e["error_if_true"])) for e in entries}
    for name, pair in errors.items():
        most = Fraction(1, 4) if isinstance(transformer.directions[name], Near) else None
        if min(pair) < 0 or (most is not None and max(pair) > most):
            raise InputError(f"bounds of {name!r}: {pair}")
    return errors


def find_untruth(data: bytes, errors: tuple[Fraction, Fraction] | None = None) -> str | None:
    """Find the first way in which the claim is false on short words, or None.

    With ``errors``, those of its truths and of its numbers are at most these, whatever it states.
    """
    try:
        given = load(data) if errors is None else with_errors(load(data), *errors)
    except InputError as error:
        return f"the producer does not load it: {error}"
    try:
        return find_broken_regime(given) or find_wrong_word(given) or find_wrong_run(given)
    except (ArithmeticError, InputError) as error:
        return f"something has no value: {error}"


def with_errors(given: Loaded, of_truths: Fraction, of_numbers: Fraction) -> Loaded:
    """Return the same, with these errors in place of those that it states."""
    of = {name: of_numbers if isinstance(given.transformer.directions[name], Others) else of_truths
          for name in given.errors}
    return replace(given, errors={name: (error, error) for name, error in of.items()})


def find_wrong_run(given: Loaded) -> str | None:
    """Return a class of which a run on a word of the least length is wrong."""
    n = given.lengths[0]
    wrong = [claim.run.name for claim in given.floats if n <= 4 and find_wrong(given.transformer, claim.run, n, RUNS)]
    return f"a run of {wrong} is wrong" if wrong else None


def find_wrong_word(given: Loaded) -> str | None:
    """Return a word, position and direction where the transformer does not hold what is claimed."""
    forward = SecondForward(given.transformer, DIGITS)
    words = short_words(given.alphabet, given.lengths)
    with mp.workdps(DIGITS):
        return next((fault for word in words if (fault := find_fault_on_word(given, forward, word))), None)


def find_fault_on_word(given: Loaded, forward: SecondForward, word: Word) -> str | None:
    """Return the first direction and position of this word that is wrong; compared to 60 digits, like the run."""
    rows, claims = forward.run(word), Claims(word)
    output = list(given.transformer.directions).index(given.transformer.output)
    by_units = {name for layer in given.transformer.layers for name in layer.feedforward.written()}
    for i, row in enumerate(rows, 1):
        is_given = claims.truth(given.transformer.given, i)
        skipped = set() if is_given else by_units & local_directions(given.transformer)
        for value, (name, meaning) in zip(row, given.transformer.directions.items(), strict=True):
            ends = allowed(given, name, meaning, claims, i)
            if ends and name not in skipped and not number(ends[0] - TOLERANCE) <= value <= number(ends[1] + TOLERANCE):
                return f"{name!r} on {word} at {i} is {float(value)}, allowed are {ends[0]} to {ends[1]}"
        if is_given and abs(row[output] - int(claims.truth(given.formula, i))) > number(TOLERANCE):
            return f"the output on {word} at {i} is not the truth of the claimed formula"
    return None


def short_words(alphabet: Sequence[str], lengths: range) -> Iterator[Word]:
    """All words of the least lengths, as long as they are not too many; always those of the first length."""
    seen = 0
    for n in lengths:
        seen += len(alphabet) ** n
        if seen > MOST_WORDS and n > lengths[0]:
            return
        yield from itertools.islice(itertools.product(alphabet, repeat=n), MOST_WORDS)


def allowed(given: Loaded, name: str, meaning: Meaning, claims: Claims, i: int) -> tuple[Fraction, Fraction] | None:
    """Return the least and the greatest number that the direction may hold, by its meaning and its stated bounds."""
    below, above = given.errors.get(name, (Fraction(1, 4), Fraction(1, 4)))
    if isinstance(meaning, Near) and claims.truth(meaning.when, i):
        truth = claims.truth(meaning.formula, i)
        return (1 - above, Fraction(1)) if truth else (Fraction(0), below)
    if isinstance(meaning, Others):
        others = claims.total(meaning.count, i) - claims.truth(meaning.count.operand, i)
        return others - above, others + below
    return claims.ends(meaning, i)


def find_broken_regime(given: Loaded) -> str | None:
    """Find a violation of `regime` or `causal`, or an embedding or temperature without a value."""
    model = given.transformer
    counts = any("#" in str(meaning) for meaning in model.directions.values())
    for n in given.lengths[:6]:
        for i in range(1, n + 1):
            limit = n * n if counts else 1
            values = [value.evaluate(i=i, n=n) for value in model.position_embedding.values()]
            if given.regime == "temperature" and any(abs(value) > limit for value in values):
                return f"regime: an embedding is beyond {limit} at n = {n}, i = {i}"
            temperatures = [head.temperature.evaluate(i=i, n=n) for _, _, head in model.heads()]
            if any(tau <= 0 or (given.regime == "position" and tau != 1) for tau in temperatures):
                return f"regime: a temperature at n = {n}, i = {i}"
    if any(head.weighting.value.endswith("hardmax") for _, _, head in model.heads()):
        return "a head is hard"
    if given.causal and any(head.weighting is Weighting.RELU_OVER_N for _, _, head in model.heads()):
        return "causal: the weights of ReLU over n mention n"
    if given.causal and any(head.mask is not Mask.FUTURE for _, _, head in model.heads()):
        return "causal: a head is not future-masked"
    return None


def find_subformula_not_held(given: Loaded, formula: Formula) -> str | None:
    """A subformula that no direction means: equal on all short words is enough, as formulas may be written anew."""
    meanings = [meaning.formula for meaning in given.transformer.directions.values() if isinstance(meaning, Truth)]
    held = {extension(given, meaning) for meaning in meanings}
    for part in subformulas(formula):
        if extension(given, part) not in held:
            return f"no direction means the truth of {part}"
    return None


def extension(given: Loaded, formula: Formula) -> tuple[tuple[bool, ...], ...]:
    """Return the positions where the formula holds, in all short words."""
    return tuple(truth_values(formula, word) for word in short_words(given.alphabet, range(1, 5)))


def guards_that_never_hold(given: Loaded) -> list[str]:
    """Return the near directions of which nothing is claimed, as their guard holds at no position of any word."""
    rows = [(n, i) for n in given.lengths for i in range(1, n + 1)]
    never = []
    for name, meaning in given.transformer.directions.items():
        if isinstance(meaning, Near) and name in given.errors and is_positional(meaning.when):
            word_of = {n: (given.alphabet[0],) * n for n in given.lengths}
            if not any(truth_values(meaning.when, word_of[n])[i - 1] for n, i in rows):
                never.append(name)
    return never
