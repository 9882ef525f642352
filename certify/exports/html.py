"""`certify export --to html`: a certificate as one page (``certify.exports.pages``)."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from certify.claims.formula.sealed import read_accepted_file, read_sealed_text
from certify.claims.trained.certified import read_certified
from certify.claims.trained.certified_count import read_counted
from certify.claims.trained.files import head_in, head_of
from certify.claims.trained.float_show import FloatModelRow, cells_of, describe_row
from certify.common.files import read_text, write_text
from certify.exports.headline import headline, is_of_every_length, is_refutation
from certify.exports.pages.base.page import open_templates, render_page
from certify.exports.pages.certificate.page import certificate_page
from certify.exports.pages.decision.count_page import count_page
from certify.exports.pages.decision.page import Filed, FloatCells, decision_page
from certify.exports.pages.softened.page import read_softened, softened_page
from certify.exports.writing import name_of, text_file
from constructions.errors import InputError, Unsupported
from constructions.network.transformer import check_softmax
from proofs.check import Certificate, Softened, printable
from proofs.trained.certificate import COUNT


def page_of(text: str, path: str, name: str, title: str = "") -> str:
    """Return the page of a certificate with this text; messages name ``path``, the page ``name``.

    ``title`` is the author's title of a claim about a trained network, which its certificate does not contain.

    Raises:
        InputError: if it is not a certificate.
        NotAccepted: if the checker rejects it.
    """
    if (head := head_in(text)) is not None and head.is_by_length():
        return _page_of_trained(text, path, name, title)
    accepted = read_accepted_file(text, path)
    if head is not None and head.property == COUNT:
        return count_page(read_counted(text, path), [Filed(name, text)])
    try:
        if isinstance(accepted.given, Softened):
            return softened_page(read_softened(text, path), name)
        if isinstance(accepted.given, Certificate) and accepted.given.claim.given is None:
            sealed = read_sealed_text(text, path)
            check_softmax(sealed.transformer, "a page")
            return certificate_page(sealed, name)
    except Unsupported:
        pass  # attention other than softmax and hard attention, which pages do not run
    return claim_page(Filed(name, text), [printable(line) for line in accepted.lines])


def claim_page(filed: Filed, lines: Sequence[str]) -> str:
    """Return the page of an accepted certificate of any kind: its claim in the checker's words, and how to check it."""
    beyond = "" if is_of_every_length(lines) else "longer words, "
    return render_page(open_templates(), "claim.html", (), (), filed=filed, lines=lines, beyond=beyond,
                       says=headline(lines).capitalize(), word="refuted" if is_refutation(lines) else "certified")


def _page_of_trained(text: str, path: str, name: str, title: str,
                     floats: Sequence[FloatCells] = ()) -> str:
    is_wrong = read_accepted_file(text, path).is_refutation
    what = "Certificate of a wrong word" if is_wrong else "Certificate about a trained network"
    decision = read_certified(text, path)
    decision = replace(decision, claim=replace(decision.claim, title=title))
    return decision_page(decision, [Filed(name, text, is_wrong)], what, floats)


def write_page_of_floats(path: str, place: str, rows: Sequence[FloatModelRow]) -> None:
    """Write the page of a certificate about a trained network, with the results for float models.

    Raises:
        InputError: if the certificate is rejected.
    """
    floats = [(*cells_of(row), describe_row(row)) for row in rows]
    write_text(place, _page_of_trained(read_text(path), path, PurePath(path).name, "", floats))


def expect_by_length(path: str) -> None:
    """Check that the file is a certificate with a page by length.

    Raises:
        InputError: if it is not.
    """
    head = head_of(path)
    if head is None or not head.is_by_length():
        raise InputError(f"--html: {path} is not a certificate about a trained network over the real numbers")


export_html = text_file(lambda text, path: page_of(text, path, name_of(path)))
