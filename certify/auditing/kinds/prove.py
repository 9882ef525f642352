"""Claims decided by `certify prove`: a theorem about words of every length, by Coq (docs/howto/coq.md)."""

from pathlib import Path

from certify.auditing.kinds.kind import EVERY_N, ClaimEntry, Question
from certify.auditing.results import OneVerdict
from certify.claims.every_n.claim import claim_theorem
from certify.requests.inputs import FormulaSubject
from certify.requests.subjects import Programs
from constructions.network.lengths import Lengths
from proofs.every_n import CoqMissing, ProvedLengths
from proofs.formula.discharge import Progress


def read(entry: ClaimEntry) -> Question:
    """Return the question of an entry; by default about every length."""
    request = entry.request(Programs.FORMULA)
    is_formula = isinstance(request.subject, FormulaSubject)
    claim = claim_theorem(request, "formula" if is_formula else Path(str(entry.file(entry.subject_key()))).stem)
    proved = ProvedLengths(entry.table.get("min_n", 1), entry.get("max_n"))

    def decide(_lengths: Lengths, progress: Progress) -> OneVerdict:
        """Return Coq's answer, or a word on which the output is wrong; unknown without Coq."""
        from certify.auditing.decide import ClaimedNetwork, describe_counterexample
        from certify.claims.every_n.theorems import prove, reason_in_words

        label = EVERY_N if proved.all else str(proved)
        try:
            theorem = prove(claim, progress, proved)
        except CoqMissing as missing:
            return OneVerdict("unknown", str(missing), lengths=label)
        if theorem.verdict == "unsupported":
            return OneVerdict("unsupported", theorem.reason, lengths=label)
        if theorem.counterexample and claim.run_command:
            claimed = ClaimedNetwork(claim.network, claim.regime, None, claim.run_command)
            witness = describe_counterexample(theorem.counterexample, claimed)
            return OneVerdict("refuted", lengths=label, witness=witness)
        return OneVerdict("proved" if theorem.verdict == "proved" else "unproved",
                          "" if theorem.verdict == "proved" else reason_in_words(theorem), lengths=label)

    return Question(f"{request.description}, for {proved}", decide)
