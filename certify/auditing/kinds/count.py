"""Claims decided by `certify decide --count`: how many inputs are right (docs/howto/counts.md)."""

from fractions import Fraction
from typing import cast

from certify.auditing.kinds.kind import ClaimEntry, Question
from certify.auditing.results import OneVerdict, Verdict, outward
from certify.claims.floats.models import read_model
from certify.claims.trained.answering import count_right
from certify.claims.trained.claim_file import Scope
from certify.claims.trained.count_question import STATED, read_count_question
from certify.claims.trained.count_show import describe_count, show_question
from certify.claims.trained.decide import Settings
from certify.claims.trained.flags import Flags
from certify.claims.trained.question import read_any_claim
from certify.common.words import show_lengths
from constructions.errors import InputError
from constructions.network.lengths import Lengths
from proofs.enclosures.intervals import Interval
from proofs.formula.discharge import Progress


def read(entry: ClaimEntry) -> Question:
    """Return the question of an entry; one that states no amount is vacuous, and rejected."""
    entry.needed("model")
    question, settings = read_count_question(entry.table), Settings(effort=entry.table.get("effort", 1))
    if not question.stated:
        raise InputError(f"the claim states no number of right inputs, so it is vacuous; expected one of "
                         f"{', '.join(STATED)}")
    path, claim_path, weights = str(entry.file("model")), entry.file("claim"), entry.file("weights")
    network, claim = read_any_claim(path, claim_path, Flags(), Scope(entry.get("max_n"), entry.get("min_n")))
    run = read_model(entry.get("float"), entry.folder) if "float" in entry.table else None
    weighed = f", weighed by {weights}" if weights else ""
    runs = f" in every execution of {run.name}" if run else ""

    def decide(_lengths: Lengths, _progress: Progress) -> OneVerdict:
        """Count the right inputs, and compare certified bounds with the statement; in shares, if it is about one."""
        count = count_right(network, claim, question, settings, run, weights)
        is_share = all(one.is_share for one in question.stated.values())
        least, most = count.shares if is_share else count.bounds
        whole = Fraction(1) if is_share else count.total
        stated = [one.of(whole) for one in question.stated.values()]
        return OneVerdict(
            cast(Verdict, count.verdict), describe_count(count), show_lengths(row.n for row in count.rows),
            "share of right inputs" if is_share else "right inputs", None,
            outward(least, most), Interval(min(stated), max(stated)), (count.certificate,))

    return Question(f"{path} is right{runs} on {show_question(question)} of the inputs of "
                    f"{claim_path or 'its own claim'}{weighed}", decide)
