"""Claims decided by `certify prove`: a theorem about words of every length, by Coq (docs/howto/coq.md)."""

from dataclasses import dataclass
from pathlib import Path

from certify.auditing.kinds.kind import EVERY_N, ClaimEntry, Question
from certify.auditing.results import OneVerdict
from certify.claims.every_n.claim import TheoremClaim, claim_theorem
from certify.requests.inputs import FormulaSubject
from certify.requests.subjects import Programs
from constructions.network.lengths import Lengths
from proofs.every_n import ProvedLengths
from proofs.formula.discharge import Progress


@dataclass(frozen=True)
class EveryLengthQuestion(Question):
    """A network, its formula, and the lengths; by default every length."""

    name: str
    claim: TheoremClaim
    theorem_lengths: ProvedLengths

    @property
    def subject(self) -> str:
        """The network."""
        return f"{self.name}, for {self.theorem_lengths}"

    def decide(self, lengths: Lengths, progress: Progress) -> OneVerdict:
        """Return Coq's answer, or a word on which the output is wrong; unknown without Coq."""
        from certify.auditing.decide import ClaimedNetwork, describe_counterexample
        from certify.claims.every_n.theorems import prove, reason_in_words
        from proofs.every_n import CoqMissing

        label = EVERY_N if self.theorem_lengths.all else str(self.theorem_lengths)
        try:
            theorem = prove(self.claim, progress, self.theorem_lengths)
        except CoqMissing as missing:
            return OneVerdict("unknown", str(missing), lengths=label)
        if theorem.verdict == "unsupported":
            return OneVerdict("unsupported", theorem.reason, lengths=label)
        if theorem.counterexample and self.claim.run_command:
            claimed = ClaimedNetwork(self.claim.network, self.claim.regime, None, self.claim.run_command)
            witness = describe_counterexample(theorem.counterexample, claimed)
            return OneVerdict("refuted", lengths=label, witness=witness)
        return OneVerdict("proved" if theorem.verdict == "proved" else "unproved",
                      "" if theorem.verdict == "proved" else reason_in_words(theorem), lengths=label)


def read(entry: ClaimEntry) -> EveryLengthQuestion:
    """Return the claim of an entry."""
    request = entry.request(Programs.FORMULA)
    is_formula = isinstance(request.subject, FormulaSubject)
    name = "formula" if is_formula else Path(str(entry.file(entry.subject_key()))).stem
    return EveryLengthQuestion(request.description, claim_theorem(request, name),
                               ProvedLengths(entry.table.get("min_n", 1), entry.get("max_n")))
