"""docs/reference/statements.toml: the page, the claims files, DIVERGENCES.md and Coq agree with it."""

import importlib.util
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from certify.auditing.claims_file import read_claims
from certify.auditing.results import ClaimResult
from certify.auditing.statements import judge_statements
from proofs.every_n.library import LIBRARY

ROOT = Path(__file__).resolve().parents[2]


def load_writer() -> Any:
    """Load docs/tools/write_statements.py as a module: tools is not a package."""
    spec = importlib.util.spec_from_file_location("write_statements", ROOT / "docs" / "tools" / "write_statements.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["write_statements"] = module
    spec.loader.exec_module(module)
    return module


WRITER = load_writer()
LIST: Sequence[Any] = WRITER.read_statements()
PAPERS = {"SHA": "sha.toml", "Hahn": "hahn.toml"}
DIVERGENCES = (ROOT / "DIVERGENCES.md").read_text(encoding="utf-8")
NAMES_THAT_REFUTE = re.compile(r"as_printed|printed_\w*(fails|parity)|lemma_5_needs_")


# -- each source, read -------------------------------------------------------------------------------------------------


def results() -> list[ClaimResult]:
    """The claims about both papers with the verdicts that they expect, which other tests hold to what comes out."""
    claims = [claim for name in PAPERS.values()
              for claim in read_claims(str(ROOT / "examples" / "claims" / name)).claims]
    return [ClaimResult(claim.name, claim.statement, claim.says, "", str(claim.lengths), claim.expected.verdict, "", "",
                        "as expected", 0.0, part=claim.part) for claim in claims if claim.expected.verdict]


def divergences(text: str) -> dict[tuple[str, str], set[str]]:
    """Return the entries of DIVERGENCES.md by statement, named as in the list (a section by its number)."""
    found: dict[tuple[str, str], set[str]] = {}
    of_sha, _, of_hahn = text.partition("## Hahn 2020")
    for paper, part in (("SHA", of_sha), ("Hahn", of_hahn)):
        for cells in re.findall(r"^\| (.*?) \| ((?:statement|proof) [a-z; ]+|perhaps the conversion|built otherwise|"
                                r"open question) \|", part, re.MULTILINE):
            for name in cells[0].split("; "):
                found.setdefault((paper, short(name)), set()).update(cells[1].split("; "))
    return found


def short(name: str) -> str:
    """Return a name without what follows its number; Theorem 6 has two halves, and Section 1 several remarks."""
    if "after Lemma 5" in name or ", ties" in name or re.match("Theorem 6,", name):
        return re.sub(", proof.*", "", name)
    found = re.match(r"(?:[A-Z][a-z]+) (?:\d+(?:\.\d)?|[A-E])", name)
    assert found, name
    return found[0]


def refuting_theorems(library: Mapping[str, str]) -> set[str]:
    """Return the theorems of the library whose names say that they refute what is printed."""
    declared = {name for text in library.values()
                for name in re.findall(r"^ *(?:Theorem|Corollary) (\w+)", text, re.MULTILINE)}
    return {name for name in declared if NAMES_THAT_REFUTE.search(name)}


LIBRARY_FILES = {path.name: path.read_text(encoding="utf-8") for path in LIBRARY.rglob("*.v")}


# -- the comparison ----------------------------------------------------------------------------------------------------


def disagreements(listed: Sequence[Any], claims: Sequence[ClaimResult], text: str, refuting: set[str]) -> list[str]:
    """Return the statements on which an audit, DIVERGENCES.md or Coq differs from the list."""
    return [*of_audits(listed, claims), *of_divergences(listed, text), *of_coq(listed, refuting)]


def of_audits(listed: Sequence[Any], claims: Sequence[ClaimResult]) -> list[str]:
    verdicts = {found.statement: found.verdict for found in judge_statements(claims)}
    allowed = {"definition": (), "holds": ("certified",), "fails": ("refuted",),
               "fails on a reading": ("refuted on a reading",), "incomplete": ("not decidable",),
               "not decided": ("not decidable",), "open": ("not decidable",)}
    found = []
    for one in listed:
        found += [f"{name}: the list says {one.statement}, the audit {verdicts[name]}" for name in one.names_in_audits
                  if name in verdicts and verdicts[name] not in allowed[one.statement]]
        steps = {claim.verdict for claim in claims if claim.statement in one.names_in_audits
                 and claim.part == "proof step"}
        if "refuted" in steps and one.proof != "fails":
            found.append(f"{one.name}: an audit refutes a step of its proof, the list says {one.proof or 'nothing'}")
    known = {name for one in listed for name in one.names_in_audits}
    return found + [f"{name}: not in the list" for name in verdicts if name not in known]


def of_divergences(listed: Sequence[Any], text: str) -> list[str]:
    printed, found = divergences(text), []
    for one in listed:
        words = printed.pop((one.paper, short(one.name)), set())
        wanted = {f"statement {one.statement}"} & {
            "statement fails", "statement fails on a reading", "statement incomplete"}
        if {word for word in words if word.startswith("statement")} != wanted:
            found.append(f"{one.name}: the list says {one.statement}, DIVERGENCES.md {sorted(words)}")
        proof = ({"fails"} if "proof fails" in words else {"incomplete"} if "proof incomplete" in words else
                 {"", "holds", "proves the repair"})
        if one.proof not in proof:
            found.append(f"{one.name}: of its proof the list says {one.proof}, DIVERGENCES.md {sorted(words)}")
        if "conversion" in one.refuted and "perhaps the conversion" not in words:
            found.append(f"{one.name}: DIVERGENCES.md does not say that it is perhaps the conversion")
    return found + [f"{name}: in DIVERGENCES.md, not in the list" for _, name in printed]


def of_coq(listed: Sequence[Any], refuting: set[str]) -> list[str]:
    found = []
    named = [name for one in listed for names in one.refuted.values() for name in names]
    for one in listed:
        if bool(one.refuted.get("statement")) and one.statement != "fails":
            found.append(f"{one.name}: Coq refutes it, the list says {one.statement}")
        if bool(one.refuted.get("reading")) != (one.statement == "fails on a reading"):
            found.append(f"{one.name}: Coq refutes it on a reading, or does not, and the list says {one.statement}")
        if bool(one.refuted.get("proof")) and one.proof != "fails":
            found.append(f"{one.name}: Coq refutes its proof, the list says {one.proof}")
        if one.statement == "fails" and one.coq and not one.refuted.get("statement"):
            found.append(f"{one.name}: the list says fails, and names nothing in Coq that refutes it")
        theirs = {name for names in one.coq.values() for name in names}
        found += [f"{one.name}: {name} refutes it and is not among its theorems"
                  for names in one.refuted.values() for name in names if name not in theirs]
    return found + [f"{name}: refutes something in Coq, not in the list" for name in sorted(refuting - {*named})]


def test_the_page_is_written_from_the_list() -> None:
    text = WRITER.PAGE.read_text(encoding="utf-8")
    assert WRITER.page(text, LIST) == text


def test_every_entry_says_what_it_may() -> None:
    for one in LIST:
        assert one.statement in WRITER.STATEMENTS and one.proof in WRITER.PROOFS and one.of in WRITER.CLASSES, one.name
        assert one.statement == "not decided" or one.coq or one.reason, one.name
        assert bool(one.repair) or one.statement not in ("fails", "fails on a reading", "incomplete"), one.name
        assert set(one.refuted) <= {"statement", "reading", "proof", "conversion"}, one.name


def test_the_page_the_audits_the_divergences_and_coq_say_one_thing_of_each_statement() -> None:
    assert disagreements(LIST, results(), DIVERGENCES, refuting_theorems(LIBRARY_FILES)) == []


@pytest.mark.parametrize(("claim", "change", "printed"), [
    ("theorem-20-a-predicate-as-printed", {"part": "statement"}, "the list says holds, the audit refuted"),
    ("theorem-26-large-gap", {"part": "remark"}, "the audit unknown"),
    ("lemma-27-integers", {"statement": "Lemma 27, numbers of another range"}, "not in the list"),
    ("lemma-27-integers", {"verdict": "refuted"}, "the list says fails on a reading, the audit refuted"),
    ("lemma-25-step-sign", {"part": "proof step"}, "an audit refutes a step of its proof"),
])
def test_a_claim_under_another_label_is_found(claim: str, change: dict[str, Any], printed: str) -> None:
    changed = [replace(one, **change) if one.name == claim else one for one in results()]
    found = of_audits(LIST, changed)
    assert found and any(printed in text for text in found), found


@pytest.mark.parametrize(("before", "after", "printed"), [
    ("| Theorem 26, order of 1/τ | statement fails |", "| Theorem 26, order of 1/τ | proof fails |", "Theorem 26"),
    ("| Lemma 7, proof | proof fails |", "| Lemma 7 | statement fails |", "Lemma 7"),
    ("| Lemma 5 | statement fails |", "| Lemma 5 | proof fails |", "Lemma 5"),
    ("| Lemma 27 |", "| Lemma 35 |", "Lemma 35"),
])
def test_another_label_in_the_divergences_is_found(before: str, after: str, printed: str) -> None:
    assert before in DIVERGENCES
    assert any(text.startswith(printed) for text in of_divergences(LIST, DIVERGENCES.replace(before, after)))


def test_a_theorem_that_refutes_and_is_not_listed_is_found() -> None:
    library = {**LIBRARY_FILES, "new.v": "Theorem lemma_24_as_printed_false : True."}
    assert of_coq(LIST, refuting_theorems(library)) == [
        "lemma_24_as_printed_false: refutes something in Coq, not in the list"]


def test_another_verdict_in_the_list_is_found_by_all_three() -> None:
    listed = [replace(one, statement="holds") if one.paper == "SHA" and one.name == "Theorem 26" else one
              for one in LIST]
    found = disagreements(listed, results(), DIVERGENCES, refuting_theorems(LIBRARY_FILES))
    assert len(found) == 3 and all(text.startswith("Theorem 26") for text in found)
