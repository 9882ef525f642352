"""The count of right inputs or words in a certificate that the checker has accepted, for its page."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeVar

from certify.claims.trained.answering import AnyCount
from certify.claims.trained.count_patterns import errors_in, find_patterns
from certify.claims.trained.counting import CountRow, TracksCount, first_errors
from certify.claims.trained.question import network_and_claim
from certify.claims.trained.word_counting import WordsCount, row_of
from certify.claims.trained.word_patterns import find_kinds_in
from constructions.network.json_form import read_json
from constructions.trained.tracks import TracksClaim
from constructions.trained.weights import Weights, each_is_one, total_weight, weights_from_json
from proofs.enclosures.float_models.model import FloatModel, read_float_model
from proofs.trained.counting.verdicts import count_by_length
from proofs.trained.counting.words import lemma_from_json

NOT_OF_MODEL = ("name", "max_n")
Row = TypeVar("Row", bound=CountRow)


def read_counted(text: str, path: str) -> AnyCount:
    """Return the count in an accepted certificate, with the bounds that it claims; messages name ``path``."""
    data = read_json(text, path)
    network, claim = network_and_claim(data, path)
    given = data["counts"]["weights"]
    weights = None if given is None else tuple(map(weights_from_json, given))
    run = _run_of(data)
    if isinstance(claim, TracksClaim):
        rows = [_row_of_form(claim, number, data, weights) for number in range(len(claim.forms))]
        return TracksCount(network, claim, _with_claimed(rows, data), text, 0.0, weights, run,
                           patterns=tuple(find_patterns(claim, text, weights)))
    lemmas = [lemma_from_json(data["claim"], part) for part in data["evidence"]["parts"]]
    found = [row_of(one) for one in count_by_length(network, claim, lemmas, weights)]
    return WordsCount(network, claim, _with_claimed(found, data), text, 0.0, weights, run,
                      kinds=find_kinds_in(network, claim, text, weights))


def _with_claimed(rows: Sequence[Row], data: Mapping[str, Any]) -> tuple[Row, ...]:
    return tuple(replace(row, least=Fraction(least), most=Fraction(most))
                 for row, (least, most) in zip(rows, data["counts"]["right"], strict=True))


def _run_of(data: Mapping[str, Any]) -> FloatModel | None:
    """Return the float model of a certificate, if it has one."""
    runs = [read_float_model(given["name"], {key: value for key, value in given.items() if key not in NOT_OF_MODEL})
            for given in data.get("floats", ())]
    return runs[0] if runs else None


def _row_of_form(claim: TracksClaim, number: int, data: Mapping[str, Any], weights: Sequence[Weights] | None
                 ) -> CountRow:
    """Return the total weight of a form, and its first errors by part."""
    form = claim.forms[number]
    weighed = each_is_one(claim, form) if weights is None else weights[number]
    errors = tuple(error for of_form, place, machine in errors_in(data, claim) if of_form == number
                   for error in first_errors(replace(claim, machine=machine), form, place, weighed))
    return CountRow(len(form.columns), total_weight(claim, form, weighed), Fraction(0), Fraction(0), errors)
