"""The page of a count of right inputs: bounds by columns or length, first errors, their kinds, and what is open."""

from collections.abc import Sequence
from typing import Any, Protocol

from certify.claims.trained.count_errors import (
    amount,
    by_answer,
    by_token,
    cells_of_answer,
    cells_of_kind,
    cells_of_word_kind,
    explained,
    kinds_of_errors,
    share_in_short,
)
from certify.claims.trained.count_patterns import name_of_token
from certify.claims.trained.count_show import share_of
from certify.claims.trained.counting import CountRow, TracksCount
from certify.claims.trained.showing import SHOWN
from certify.claims.trained.word_counting import WordsCount
from certify.exports.pages.base.page import open_templates, render_page
from certify.exports.pages.decision.curve import Share, draw_shares
from certify.exports.pages.decision.page import Filed, HasCertificates
from certify.requests.run_command import RunCommand
from constructions.trained.network import TrainedNetwork
from proofs.enclosures.float_models.model import FloatModel

MOST_KINDS = 64
"""Kinds of errors on the page; the JSON object has all patterns."""


class AnyCount(HasCertificates, Protocol):
    """A count of right inputs in tracks, or of right words: a row for each number of columns, or length."""

    @property
    def network(self) -> TrainedNetwork:
        """The network."""

    @property
    def run(self) -> FloatModel | None:
        """The float model; None over the reals."""

    @property
    def rows(self) -> Sequence[CountRow]:
        """The bounds."""

    @property
    def verdict(self) -> str:
        """The verdict."""


def count_page(count: AnyCount, files: Sequence[Filed] = ()) -> str:
    """Return the whole page; its commands check the certificates in ``files``."""
    in_tracks, shown = isinstance(count, TracksCount), SHOWN[type(count)]
    shares = [Share(row.n, float(row.least / row.total), float(row.most / row.total))
              for row in count.rows if row.total]
    errors: dict[str, Any] = _errors(count, files) if isinstance(count, TracksCount) else {}
    word_kinds = ([cells_of_word_kind(count, one) for one in count.kinds[:MOST_KINDS]]
                  if isinstance(count, WordsCount) else [])
    undecided = [(row.n, amount(row.most - row.least), share_in_short(row.most - row.least, row.total),
                  row.reason or "parts were not found, or not proved") for row in count.rows if not row.is_exact]
    return render_page(
        open_templates("certify.exports.pages.decision"), "count.html", (), (), count=count, files=files,
        what="inputs" if in_tracks else "words", by="columns" if in_tracks else "length",
        says=shown.verdict(count), question=shown.question(count), undecided=undecided,
        rows=[(row.n, *map(amount, (row.total, row.least, row.most)), share_of(row)) for row in count.rows],
        curve=draw_shares(shares, "columns" if in_tracks else "length n") if len(shares) > 1 else None,
        errors=errors, word_kinds=word_kinds,
        contents=[("right", "How many are right"), *[("errors", "First errors")] * bool(errors),
                  *[("kinds", "Kinds of errors")] * bool(word_kinds or (errors and errors["kinds"])),
                  *[("open", "What is open")] * bool(undecided), *[("check", "Check it")] * bool(files)])


def _errors(count: TracksCount, files: Sequence[Filed]) -> dict[str, Any]:
    """Return the tables of first errors; none if no input is known to be wrong."""
    kinds, claim, answers = kinds_of_errors(count), count.claim, by_answer(count)
    if not answers:
        return {}
    name = files[0].name if files else "COUNT.cert"
    return {"several": len(count.rows) > 1, "answers": [cells_of_answer(count, one) for one in answers],
            "tokens": [(name_of_token(claim, token), amount(weight), share_in_short(weight, count.total))
                       for token, weight in by_token(count).items()],
            "number": len(kinds), "explained": explained(count, kinds[:MOST_KINDS]), "kinds": [
                (cells_of_kind(count, kind), claim.show_input(kind.patterns[0].example),
                 RunCommand(name).on(" ".join(claim.typed(kind.patterns[0].example)))) for kind in kinds[:MOST_KINDS]]}
