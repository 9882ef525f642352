"""Claims decided by `certify floats`: that every execution under a float model is right (docs/reference/floats.md)."""

import shlex
from typing import cast

from certify.auditing.demanded import witness_of_run
from certify.auditing.kinds.kind import ClaimEntry, Question
from certify.auditing.results import ClaimAnswer, LengthVerdict, OneVerdict, Verdict
from certify.claims.floats.models import read_model
from certify.claims.floats.show import describe_refutation
from certify.claims.floats.survey import FloatRow, Proved, find_row
from certify.claims.formula.outcomes import Certified
from certify.claims.formula.pipeline import certify_transformer
from certify.claims.formula.sealed import NotAccepted, read_sealed_text
from certify.common.files import read_text
from certify.requests.quantities import read_positive
from certify.requests.subjects import CERTIFICATES
from constructions.errors import InputError
from constructions.network.json_form import read_json, transformer_from_json
from constructions.network.lengths import Lengths
from proofs.formula.discharge import Progress


def read(entry: ClaimEntry) -> Question:
    """Return the question of an entry: a certificate, or a model that is certified first, and a float model."""
    entry.needed("model")
    path, float_model = str(entry.file("model")), read_model(entry.needed("format"), entry.folder)
    if (ulp := entry.get("exp_ulp")) is not None:
        float_model = float_model.with_exp_ulp(read_positive(ulp, "exp_ulp"))

    def decide(lengths: Lengths, progress: Progress) -> ClaimAnswer | OneVerdict:
        """Certify lengths, and search for a wrong execution beyond them."""
        text = read_text(path)
        data = read_json(text, path)
        if not (isinstance(data, dict) and data.get("format") in CERTIFICATES):
            network = transformer_from_json(data, path)
            outcome = certify_transformer(network, lengths.last, min_n=lengths.first, progress=progress)
            if not isinstance(outcome, Certified):
                return OneVerdict(cast(Verdict, outcome.verdict),
                                  f"over the real numbers it is {outcome.verdict}: "
                                  f"certify model {shlex.quote(path)} says why")
            text = outcome.certificate
        found = find_row(_proved(text, path, lengths), float_model, progress)
        return ClaimAnswer(tuple(_row(n, found) for n in lengths), measure="float executions")

    return Question(f"{path} in every execution under {float_model.name}", decide)


def _proved(text: str, path: str, lengths: Lengths) -> Proved:
    try:
        claimed = read_sealed_text(text, path).lengths
    except NotAccepted as reason:
        raise InputError(f"model: {reason}") from None
    if not (claimed.first == lengths.first and lengths.last <= claimed.last):
        raise InputError(f"lengths: {lengths}, expected some from {claimed.first} to {claimed.last}, as in the "
                         "certificate")
    return Proved.read(text, lengths)


def _row(n: int, found: FloatRow) -> LengthVerdict:
    if found.certified is not None and n <= found.certified.last:
        return LengthVerdict(n, "certified")
    wrong = found.refutation
    if wrong is not None and wrong.n == n:
        return LengthVerdict(n, "refuted", reason=describe_refutation(wrong), witness=witness_of_run(wrong, found))
    return LengthVerdict(n, "unknown", reason=found.reason)
