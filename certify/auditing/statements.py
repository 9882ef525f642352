"""The joint verdict of the claims about one statement: certified on some lengths, refuted, or not decidable."""

from collections.abc import Sequence

from certify.auditing.claims import PARTS
from certify.auditing.results import ClaimResult, StatementVerdict, Verdict
from certify.auditing.wording import describe_witness

ORDER: tuple[Verdict, ...] = ("refuted", "refuted on a reading", "unknown", "unproved", "unsupported", "certified",
                              "proved", "vacuous", "not decidable", "malformed")
"""The statement's verdict is the first of these among the claims about the statement itself."""


def judge_statements(results: Sequence[ClaimResult], printed: bool = True) -> tuple[StatementVerdict, ...]:
    """Return a verdict for each statement, in the order of their first claims; ``printed`` for those of a paper.

    Only claims about the statement itself decide its verdict; a step of its proof, a transcription error, a repair or a
    remark is reported beside it. Without such a claim the statement is unknown.
    """
    by_statement: dict[str, list[ClaimResult]] = {}
    for result in results:
        if result.statement:
            by_statement.setdefault(result.statement, []).append(result)
    return tuple(_judge(statement, claims, printed) for statement, claims in by_statement.items())


def _judge(statement: str, claims: Sequence[ClaimResult], printed: bool) -> StatementVerdict:
    own, steps, transcribed, repairs, besides = ([claim for claim in claims if claim.part == part] for part in PARTS)
    found = {claim.verdict for claim in own}
    verdict: Verdict = next((one for one in ORDER if one in found), "unknown")
    decisive = [claim for claim in own if claim.verdict == verdict]
    as_printed = " as printed" if printed else ""
    texts = [_describe(verdict, decisive, as_printed)] if decisive else [f"no claim is about the statement{as_printed}"]
    if verdict == "refuted on a reading":
        texts += [f"as interpreted: {one.reading}: {_certified([one])}" for one in own if one.verdict == "certified"]
    texts += [f"a step of the proof is false: {_shown(claim)}" for claim in steps if claim.verdict == "refuted"]
    texts += [f"{claim.name}: {claim.verdict}" for claim in steps if claim.verdict not in ("refuted", "certified")]
    texts += [f"in the text that was read, perhaps not in the source: {claim.says}: {claim.verdict}"
              for claim in transcribed]
    texts += [f"as repaired ({claim.says}) it is {_certified([claim])}" for claim in repairs
              if claim.verdict == "certified"]
    texts += [f"the repair {claim.name} is {claim.verdict}" for claim in repairs if claim.verdict != "certified"]
    texts += [f"besides, {claim.says}: {claim.verdict}" for claim in besides]
    return StatementVerdict(statement, verdict, "; ".join(texts), tuple(claim.name for claim in claims))


def _describe(verdict: Verdict, claims: Sequence[ClaimResult], as_printed: str) -> str:
    first = claims[0]
    match verdict:
        case "certified":
            return _certified(claims)
        case "proved":
            return f"proved for {', '.join(dict.fromkeys(claim.lengths for claim in claims))}"
        case "refuted" | "refuted on a reading":
            smallest = min(claims, key=lambda claim: claim.witness.n if claim.witness else 10**9)
            where = f", as interpreted: {smallest.reading}" if smallest.reading else ""
            return f"refuted{as_printed}{where}: {_shown(smallest)}"
        case "not decidable":
            return f"not decidable by instances: {first.reason}"
    return f"{verdict}: {first.reason}"


def _shown(claim: ClaimResult) -> str:
    return describe_witness(claim.witness) if claim.witness else claim.reason


def _certified(claims: Sequence[ClaimResult]) -> str:
    """Describe the lengths, the covered instances and the assumptions of certified claims."""
    covered: dict[str, dict[str, None]] = {}
    for claim in claims:
        covered.setdefault(_range(claim.lengths), {})[claim.covers] = None
    texts = [f"on {lengths}" + (f", for {'; also '.join(filter(None, names))}" if any(names) else "")
             for lengths, names in covered.items()]
    unchecked = dict.fromkeys(claim.rests_on for claim in claims if claim.rests_on)
    return f"certified {'; and '.join(texts)}" + "".join(f"; this rests on {text}" for text in unchecked)


def _range(lengths: str) -> str:
    """Format lengths as an inequality in n, if they are a range.

    >>> _range("1..64"), _range("4..64"), _range("1..1"), _range("every n")
    ('n <= 64', '4 <= n <= 64', 'n = 1', 'every n')
    """
    first, dots, last = lengths.partition("..")
    if not dots:
        return lengths
    return f"n = {last}" if first == last else f"n <= {last}" if first == "1" else f"{first} <= n <= {last}"
