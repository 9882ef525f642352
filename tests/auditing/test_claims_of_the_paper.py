"""examples/claims: what they expect is what comes out, and no statement of [SHA] is left out."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from certify.auditing.claims import AboutNetwork, AuditClaim, Expected
from certify.auditing.claims_file import read_claims
from certify.auditing.decide import AuditSearch
from certify.auditing.judge import judge
from certify.auditing.results import ClaimResult
from certify.auditing.statements import judge_statements
from constructions.network.lengths import Lengths
from proofs.numbers.instances.registry import EXAMINATIONS
from tests.statements.numbered import is_statement

FOLDER = Path(__file__).parents[2] / "examples" / "claims"
SHORT = 6
LATE = {"lemma-5-step-same-position": 25, "recent-write": 9, "section-4-warmer": 9, "geometric-since-1": 9,
        "polynomial-temperature": 9, "written": 21, "never-written": 20}
"""The refuted claims whose first counterexample is longer."""
MANY_LETTERS = {"appendix-e-dyck-2": 4, "appendix-e-dyck-3": 3}
"""Certified ones whose words are many sooner."""
STATEMENTS = [
    "Lemma 6", "Lemma 7", "Lemma 8 a", "Lemma 8 b", "Lemma 8 c", "Lemma 9", "Proposition 11 a", "Proposition 11 b",
    *(f"Theorem {n} {case}" for n in (12, 13, 15, 16, 20) for case in "ab"), "Theorem 21",
    *(f"Corollary {n} {case}" for n in (17, 18, 22) for case in "ab"), "Corollary 23", "Lemma 24", "Lemma 25",
    "Theorem 26", *(f"Lemma {n}" for n in range(27, 35)), "Section 4, optimality", "Section 6, flip-flop",
    "Section 6, induction heads", "Appendix E", "Figure 1",
]  # fmt: skip
WITHOUT_NETWORK = {"hahn/footnote-4-chain", "hahn/footnote-4-length", "sha/section-4-factor-of-n",
                   "compiled_machines/written", "compiled_machines/never-written", "compiled_machines/binary64"}
"""Refuted claims about a distribution or a constant alone, or words of a million tokens: there is no network to run."""
PATHS = sorted(FOLDER.glob("*.toml"))
NAMES = [f"{path.stem}/{name}" for path in PATHS
         for name in re.findall(r'^\[\[claim\]\]\nname = "(.*)"$', path.read_text(encoding="utf-8"), re.MULTILINE)]


@cache
def claims() -> dict[str, AuditClaim]:
    """Return the claims by their names, read where they are looked at: not by those who only collect tests."""
    found = {f"{path.stem}/{claim.name}": claim for path in PATHS for claim in read_claims(str(path)).claims}
    assert list(found) == NAMES
    return found


@cache
def search() -> AuditSearch:
    """Obligations are discharged once in all of these tests."""
    return AuditSearch()


def shortened(claim: AuditClaim) -> AuditClaim:
    """Return the claim at its least lengths, without critical constants."""
    short = {**LATE, **MANY_LETTERS}.get(claim.name, SHORT)
    last = claim.lengths.last if claim.lengths.first > short else min(short, claim.lengths.last)
    claim = replace(claim, lengths=Lengths(claim.lengths.first, last),
                    expected=Expected(claim.expected.verdict, claim.expected.counterexample))
    if isinstance(claim.about, AboutNetwork):
        request = replace(claim.about.request, lengths=claim.lengths)
        return replace(claim, about=AboutNetwork(request, replace(claim.about.demands, critical=())))
    return claim


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", NAMES)
def test_short_words_bear_out_what_is_expected(name: str) -> None:
    """Every expected refutation has its smallest counterexample among them."""
    claim = claims()[name]
    assert claim.expected.verdict is not None
    result = judge(shortened(claim), search())
    assert result.mismatch == "", result
    if result.verdict.startswith("refuted"):
        assert result.witness is not None, result
        assert result.witness.command.startswith("certify run ") == (name not in WITHOUT_NETWORK), result


def test_every_statement_of_the_paper_has_its_verdict_and_its_reason() -> None:
    results = [replace(stub(claim)) for name, claim in claims().items() if name.startswith("sha/")]
    found = {verdict.statement: verdict for verdict in judge_statements(results)}
    assert [statement for statement in STATEMENTS if statement not in found] == []
    assert all(verdict.text for verdict in found.values())


def test_only_what_a_paper_says_is_refuted_as_printed() -> None:
    result = replace(stub(claims()["weightings/plus-one-uniform"]), reason="half of it")
    assert [judge_statements([result], printed)[0].text for printed in (True, False)] == [
        "refuted as printed: half of it", "refuted: half of it"]


def test_every_statement_that_our_claims_about_the_two_papers_name_is_one_of_theirs() -> None:
    named = {claim.statement for name, claim in claims().items() if name.startswith(("sha/", "hahn/", "ties/"))}
    assert [statement for statement in named if statement and not is_statement(statement)] == []


def stub(claim: AuditClaim) -> ClaimResult:
    """Return a result with the expected verdict, to see which statements there are."""
    assert claim.expected.verdict is not None
    return ClaimResult(claim.name, claim.statement, claim.says, "", str(claim.lengths), claim.expected.verdict, "", "",
                       "as expected", 0.0, part=claim.part, covers=claim.name, reading=claim.reading,
                       rests_on=claim.rests_on)


@pytest.mark.parametrize(("statement", "verdict", "message"), [
    ("Lemma 27", "refuted on a reading", [
        "refuted as printed, as interpreted: p' bits are wider", "; as interpreted: p' bits are finer",
        ": certified on n <= 64",
        "this rests on Telgarsky's bound"]),
    ("Section 3.2, bounds of Edelman et al.", "certified", ["this rests on their bound as the remark after Lemma 33",
                                                            "the paper of Edelman et al. was not read"]),
    ("Theorem 26", "refuted", ["as repaired (with min(γ(n), 1) in place of γ(n), as in the proof; flip-flop, one",
                               "on n <= 64, for theorem-26-one-layer", "on n <= 6, for theorem-26-two-layers"]),
    ("Lemma 25", "refuted", ["as repaired (for activations of U on an input of length n"]),
    ("Theorem 20 a", "certified", ["certified on n <= 64, for theorem-20-a-comparison; also theorem-20-a-two-counts",
                                   "; and on n <= 32, for theorem-20-a-both-sides"]),
])
def test_the_row_of_a_statement_says_no_more_than_was_decided(statement: str, verdict: str, message: list[str]) -> None:
    results = [stub(claim) for name, claim in claims().items() if name.startswith("sha/")]
    row, = (one for one in judge_statements(results) if one.statement == statement)
    assert row.verdict == verdict
    assert [text for text in message if text not in row.text] == [], row.text


def test_a_statement_refuted_on_every_reading_or_without_one_is_refuted() -> None:
    result = replace(stub(claims()["sha/lemma-27-integers"]), reading="")
    assert judge_statements([result, replace(result, verdict="refuted")])[0].verdict == "refuted"


def test_every_examination_is_part_of_some_claim() -> None:
    used = {name for path in PATHS
            for name in re.findall(r'^examine = "(.*)"$', path.read_text(encoding="utf-8"), re.MULTILINE)}
    sharper = {"lemma-06-sharp", "lemma-08-a-sharp", "lemma-08-b-sharp", "lemma-08-c-sharp",
               "lemma-29-without-biases", "lemma-32-sharp", "lemma-33-sharp"}
    assert set(EXAMINATIONS) - used == sharper


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", NAMES)
def test_all_words_and_critical_constants_bear_out_what_is_expected(name: str) -> None:
    assert judge(claims()[name], search()).mismatch == ""
