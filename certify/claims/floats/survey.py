"""One certificate and several float models: the certified length of each, and what is wrong beyond it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from certify.common.verdicts import OWN_WORK
from constructions.deadline import TimeIsUp
from constructions.errors import Unsupported
from constructions.language.expressions import Expression
from constructions.network.float_formats import Format
from constructions.network.json_form import transformer_from_json
from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer
from proofs.check import Refusal, check_text
from proofs.enclosures.float_models.model import FloatModel
from proofs.floats.claims import FloatClaim, claim_floats, read_float_claims
from proofs.floats.execution.replay import Refutation
from proofs.floats.execution.search import find_first_wrong
from proofs.floats.verdict import Bounds, FloatProof, HeadFigures

Progress = Callable[[str], None]
USUAL_WORK = 20_000
"""Budget of the search for a wrong execution at each length, in scores computed: some seconds."""


@dataclass(frozen=True)
class FloatRow:
    """The results for one float model.

    Every execution under it is certified on all words of the ``certified`` lengths, by the bounds and by the checker;
    None if there are none. ``refutation`` is a wrong execution on the shortest word that was found. ``reason`` is what
    is not derived at the length after the last certified one; ``heads`` bounds the errors of the heads up to that
    length.
    """

    float_model: FloatModel
    lengths: Lengths
    certified: Lengths | None
    reason: str = ""
    refutation: Refutation | None = None
    heads: tuple[HeadFigures, ...] = ()

    @property
    def verdict(self) -> str:
        """Certified if all lengths are, refuted if an execution is wrong, else unknown."""
        if self.certified == self.lengths:
            return "certified"
        return "refuted" if self.refutation else "unknown"


@dataclass(frozen=True)
class Proved:
    """A certificate over the real numbers, to be examined under float models.

    ``claims`` are its claims about float executions so far.
    """

    text: str
    transformer: Transformer
    lengths: Lengths
    bounds: Bounds
    claims: tuple[FloatClaim, ...] = ()

    @classmethod
    def read(cls, text: str, lengths: Lengths | None = None) -> Proved:
        """Read an accepted certificate; ``lengths`` are those to examine, by default all."""
        data = json.loads(text)
        claim = data["claim"]
        bounds = {bound["direction"]: (Fraction(bound["error_if_false"]), Fraction(bound["error_if_true"]))
                  for bound in data["bounds"]}
        certified = Lengths(claim.get("min_n", 1), claim["max_n"])
        claims = read_float_claims(data["floats"], certified) if "floats" in data else ()
        transformer = transformer_from_json(data["transformer"], "certificate")
        return cls(text, transformer, lengths or certified, bounds, claims)

    def with_floats(self, rows: Iterable[FloatRow]) -> str:
        """Return the certificate extended by the claims of these rows; its claims about other models stay."""
        found = [FloatClaim(row.float_model, row.certified.last) for row in rows if row.certified]
        names = {claim.run.name for claim in found}
        return claim_floats(self.text, [*(claim for claim in self.claims if claim.run.name not in names), *found])


def survey(proved: Proved, classes: Sequence[FloatModel], progress: Progress = lambda _: None,
           work: int = USUAL_WORK) -> list[FloatRow]:
    """Return a row for each float model, in this order; those that are left when time is up are unknown."""
    rows: list[FloatRow] = []
    for float_model in classes:
        try:
            rows.append(find_row(proved, float_model, progress, work))
        except TimeIsUp as up:
            rows.append(FloatRow(float_model, proved.lengths, None, str(up)))
    return rows


def find_row(proved: Proved, float_model: FloatModel, progress: Progress = lambda _: None,
             work: int = USUAL_WORK) -> FloatRow:
    """Find the certified lengths, and a wrong execution at a longer length, if there is one."""
    if reason := name_irrational(proved.transformer, proved.lengths, float_model):
        return FloatRow(float_model, proved.lengths, None, reason)
    progress(f"bounding runs of {float_model.name}")
    row = _certify(proved, float_model)
    if row.certified == proved.lengths:
        return row
    progress(f"looking for a wrong execution of {float_model.name}")
    first = row.certified.last + 1 if row.certified else proved.lengths.first
    left = Lengths(first, proved.lengths.last)
    try:
        found = find_first_wrong(proved.transformer, float_model, left, work)
    except Unsupported as construct:
        return replace(row, reason=f"{row.reason}; no run was looked for: {construct}")
    return replace(row, refutation=found)


def name_irrational(transformer: Transformer, lengths: Lengths, float_model: FloatModel) -> str:
    """Return the irrational number whose rounding to the format is not proved; empty if there is none."""
    places = {f"layer {layer}, head {place}: the temperature": (head.temperature, -1)
              for layer, place, head in transformer.heads()}
    places |= {f"the embedding of {name}": (value, 1) for name, value in transformer.position_embedding.items()
               if isinstance(value, Expression)}
    for what, (value, power) in places.items():
        if value.may_be_irrational and not all(_has_known_float(value.enclose(i=i, n=n), power, float_model.storage)
                                               for n, i in lengths.rows()):
            return f"{what} {value} is irrational, and it is not proved which float it is rounded to"
    return ""


def _has_known_float(ends: tuple[Fraction, Fraction], power: int, storage: Format) -> bool:
    """Return whether both are equal, or round to one normal number of the format."""
    lower, upper = sorted(end**power for end in ends)
    return lower == upper or (min(abs(lower), abs(upper)) >= storage.smallest_normal
                              and storage.round(lower) == storage.round(upper))


def _certify(proved: Proved, float_model: FloatModel) -> FloatRow:
    """Return the lengths for which the bounds hold and the checker accepts the claim."""
    proof = FloatProof(proved.transformer, proved.bounds, float_model)
    last = proof.find_largest_length(proved.lengths)
    first = proved.lengths.first
    next_one = proof.verdict(Lengths(first, first if last is None else min(last + 1, proved.lengths.last)))
    row = FloatRow(float_model, proved.lengths, None, str(next_one.fault or ""))
    if last is None:
        return row
    accepted, refusal = _largest_accepted(proved, row, last)
    if accepted is None:
        return replace(row, reason=refusal)
    certified = Lengths(first, accepted)
    return replace(row, certified=certified, heads=proof.verdict(certified).heads, reason=refusal or row.reason)


def _largest_accepted(proved: Proved, row: FloatRow, last: int) -> tuple[int | None, str]:
    """Find by bisection the largest length <= ``last`` that the checker accepts; None if there is none.

    Also return the checker's reason for longer words; empty if it accepts all.
    """
    refusal = _find_refusal(proved, row, last)
    if not refusal:
        return last, ""
    good, bad = proved.lengths.first - 1, last
    while bad - good > 1:
        middle = (good + bad) // 2
        if found := _find_refusal(proved, row, middle):
            bad, refusal = middle, found
        else:
            good = middle
    return (good if good >= proved.lengths.first else None), refusal


def _find_refusal(proved: Proved, row: FloatRow, last: int) -> str:
    """Return why the checker rejects the claim up to this length; empty if it accepts."""
    try:
        check_text(claim_floats(proved.text, [FloatClaim(row.float_model, last)]).encode(), work=OWN_WORK)
    except Refusal as refusal:
        return f"the bounds hold to n = {last}, but the checker does not accept that: {refusal}"
    return ""
