"""The page of a certificate of any kind: its claim in the checker's words, its digest, and how to check it."""

from collections.abc import Sequence

from certify.exports.headline import headline, is_of_every_length, is_refutation
from certify.exports.pages.base.page import open_templates, render_page
from certify.exports.pages.certificate.commands import checker_digest, write_checker_command
from certify.exports.pages.decision.page import Filed


def claim_page(filed: Filed, lines: Sequence[str]) -> str:
    """The page of an accepted certificate, of which the checker prints these lines."""
    beyond = "" if is_of_every_length(lines) else "longer words, "
    return render_page(open_templates("certify.exports.pages.claim"), "claim.html", (), (), filed=filed, lines=lines,
                       says=headline(lines).capitalize(), word="refuted" if is_refutation(lines) else "certified",
                       beyond=beyond, checker_digest=checker_digest(), write_checker=write_checker_command())
