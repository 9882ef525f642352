"""The checker of certificates that is proved in Coq: what it accepts, and what it says of the rest."""

import json
import math
import re
import subprocess
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from certify.claims.formula.outcomes import Certified
from certify.claims.formula.pipeline import certify as certify_formula
from constructions.regimes import ALL_REGIMES, Regime
from proofs.every_n.extracted import VERIFIED, VERIFIED_WITH_ZARITH, OcamlProgram, compiled_files
from tests.sabotage.certificates.judging import judge
from tests.with_ocaml import NOT_PROVED, Checked, check_verified, extracted, verified_place

CORPUS = Path(__file__).parents[1] / "corpus"
Json = dict[str, Any]
ERRORS = ("error_if_false", "error_if_true")


def corpus(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((CORPUS / folder).glob("*.cert"))]


ALL = corpus("accepted", "rejected", "malformed", "incomplete")


@cache
def answers(with_zarith: bool = False) -> dict[Path, Checked]:
    return dict(zip(ALL, check_verified(ALL, with_zarith=with_zarith), strict=True))


@cache
def sealed(text: str, regime: Regime | None = None, max_n: int = 4, alphabet: str = "ab",
           weighting: str | None = None, gamma: str | None = None) -> str:
    """Return the certificate of the producer."""
    outcome = certify_formula(text, alphabet, max_n, regime or Regime(), gamma, weighting=weighting)
    assert isinstance(outcome, Certified)
    return outcome.certificate


def written(folder: Path, content: str | bytes, name: str = "f.cert") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("ascii"))
    return path


def check(folder: Path, content: str | bytes, *options: str) -> Checked:
    (found,) = check_verified([written(folder, content)], *options)
    return found


def dump(document: Json) -> str:
    return json.dumps(document, indent=1) + "\n"


def edited(change: Callable[[Json], object], text: str = "Q_a since Q_b") -> str:
    document = json.loads(sealed(text))
    change(document)
    return dump(document)


# -- what is built -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("program", [VERIFIED, VERIFIED_WITH_ZARITH], ids=["coq", "zarith"])
def test_the_makefile_builds_what_is_there_and_the_readme_explains_it(program: OcamlProgram) -> None:
    sources = program.own_sources()
    files = {*compiled_files(sources["Makefile"]), "checker.mli", "checker.ml"}
    assert files == {"checker.mli", "checker.ml", *(name for name in sources if name.endswith(".ml"))}
    assert {name for name in sources if name.endswith((".ml", ".v"))} <= set(
        re.findall(r"`(\w+\.\w+)`", sources["README.md"]))


@pytest.mark.parametrize("program", [VERIFIED, VERIFIED_WITH_ZARITH], ids=["coq", "zarith"])
def test_the_checker_is_extracted_without_axioms_and_with_nothing_that_can_fail(program: OcamlProgram) -> None:
    source = extracted(program)["checker.ml"]
    assert "let judge_certificate " in source
    assert re.findall(r"\b(AXIOM|failwith|assert|Obj|external|raise|exception)\b", source) == []
    assert program.needs_zarith or not re.search(r"\bint\b", source)


# -- files of the corpus -----------------------------------------------------------------------------------------------

SPARSE = ["sparsemax", "entmax-1.5"]
ALONE = ["relu", "relu-over-n", "sigmoid"]
"""Their weights depend on their own score: they count, select, and look a count up."""
OTHER_WEIGHTINGS = ["softmax-plus-one", *SPARSE, *ALONE, "geometric", "stick-breaking"]
ONLY_PYTHON = {"counts_that_cancel", "given_lookup", "majority_on_every_word"}
MORE = {"a_power_too_long", "slack_with_a_margin_that_is_too_small", "weighting_sigmoid_with_a_bound_that_is_too_small"}
"""Accepted here: where the Python checker ends with incomplete, as no number is made that is so long; and where it
rejects: it takes the stated error of a number that is looked up, 1/4, while less than 1/8 is proved here; and it
rejects a file for a stated error that is too small, of which is said here that it is not proved."""


def test_what_is_accepted_python_accepts() -> None:
    """Decisions about trained networks: test_verified_decisions.py."""
    accepted = {path.stem for path, found in answers().items() if found.verdict == "accepted"
                and not path.stem.startswith("trained_")}
    assert accepted - MORE <= {path.stem for path in corpus("accepted")}
    assert len(accepted) >= 15


def test_of_certificates_of_formulas_only_these_are_incomplete_here_and_accepted_by_python() -> None:
    """Others are not spelled as they must be."""
    refused = {path.stem for path in corpus("accepted") if answers()[path].verdict != "accepted"
               and "is not written as certify writes it" not in answers()[path].reason}
    others = ("floats_", "margin_", "softened_", "trained_")
    assert {stem for stem in refused if not stem.startswith(others)} == ONLY_PYTHON


def test_both_builds_print_the_same_of_every_file() -> None:
    """Except for trained networks with gelu, and tracks: the slower build takes none of them."""
    slow, quick = answers(), answers(with_zarith=True)
    left_out = {path for path, found in slow.items() if ": with numbers as Coq has them" in found.reason}
    assert {path: found for path, found in quick.items() if path not in left_out} == {
        path: found for path, found in slow.items() if path not in left_out}
    assert left_out <= {path for path in ALL if path.stem.startswith("trained_")}


def test_what_is_malformed_or_rejected_here_is_so_for_python_too() -> None:
    for path, found in answers().items():
        if found.verdict in ("malformed", "rejected"):
            assert path.parent.name == found.verdict


@pytest.mark.parametrize(("name", "reason"), [
    ("softened_counting", "proved for certificates of formulas; those of transformers with hard attention"),
    ("trained_tracks", "inputs: with numbers as Coq has them tracks take too long"),
    ("trained_float_executions_of_relu",
     "execution: this checker is proved for \"exact\" only, not for \"float executions\""),
    ("floats_since", "floats: this checker is proved for claims about real numbers only"),
])
def test_kinds_that_are_not_covered_are_incomplete_for_that_reason(name: str, reason: str) -> None:
    found = answers()[CORPUS / "accepted" / f"{name}.cert"]
    assert found.verdict == "incomplete" and reason in found.reason


# -- what the producer writes ------------------------------------------------------------------------------------------


def test_the_printed_claim_is_that_of_the_file(tmp_path: Path) -> None:
    found = check(tmp_path, sealed("Q_a since Q_b & ODD(#<[Q_b])")).lines
    assert found == (
        "formula      Q_a since Q_b & ODD(#<[Q_b])",
        'alphabet     "a", "b"',
        "claim        for every n from 1 to 4, every word of length n over the alphabet and every",
        "             position of it, the output is exactly 1 where the formula holds, and exactly 0 where not;",
        "             so is some direction for each subformula of the formula; every direction holds what the file",
        "             says that it means (exact reals, real softmax)",
        "regime       temperature: every position embedding has absolute value at most n^2",
        "causal       not claimed",
        "error bound  0.090558 of a truth, before the feed-forward part (rounded up): 3 near directions, where",
        "             their guards hold; elsewhere they are in 0..1",
        f"accepted: {tmp_path / 'f.cert'}")


def test_the_page_on_coq_shows_what_the_program_prints(tmp_path: Path) -> None:
    """The checker with Zarith, which is faster: both print the same."""
    path = written(tmp_path, sealed("Q_a S Q_b", max_n=64, alphabet="abc"))
    (lines,) = (found.lines for found in check_verified([path], with_zarith=True))
    page = (CORPUS.parents[1] / "docs" / "howto" / "coq.md").read_text(encoding="utf-8")
    assert "\n".join([*lines[:-1], "accepted: since.cert"]) in page


PAST = ("prev Q_a", "Q_a since Q_b", "#<[Q_a] > 2*#<[Q_b]", "PRIME(#<[Q_a])", "H (Q_a -> O Q_b)")
ALL_WAYS = (*PAST, "Q_a until Q_b", "#<[Q_a] > #>[Q_b]", "ODD(#>[next Q_a])", "LAST | FIRST | G Q_a")
CASES = [(regime, text) for regime in ALL_REGIMES for text in (PAST if regime.causal else ALL_WAYS)
         if "#" not in text or str(regime) != "position, causal"]


@pytest.mark.one_in(12)
@pytest.mark.parametrize(("regime", "text"), CASES, ids=str)
def test_certificates_of_every_operator_and_regime_are_accepted(tmp_path: Path, regime: Regime, text: str) -> None:
    found = check(tmp_path, sealed(text, regime))
    assert found.verdict == "accepted", found.reason
    assert ("causal       yes" in "\n".join(found.lines)) is regime.causal




SUMS = ("SQUARE(#<[Q_a] - #<[Q_b])", "PRIME(#<[Q_a since Q_b] - 2*#<[ODD])", "POW2(#<[Q_a] + #>[prev Q_b])",
        "SQUARE(#<[Q_a] - #>[prev Q_a] + #>[Q_b])")


SUM_REGIMES = [regime for regime in ALL_REGIMES if str(regime) != "position, causal"]


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("regime", "text"), [(regime, text) for regime in SUM_REGIMES for text in SUMS
                                              if not (regime.causal and ">[" in text)], ids=str)
def test_predicates_on_sums_are_accepted(tmp_path: Path, regime: Regime, text: str) -> None:
    (found,) = check_verified([written(tmp_path, sealed(text, regime))], with_zarith=True)
    assert found.verdict == "accepted", found.reason


@pytest.mark.parametrize("weighting", [None, "sparsemax", "entmax-1.5"])
def test_the_errors_that_are_stated_of_a_predicate_on_a_sum_are_proved(tmp_path: Path, weighting: str | None) -> None:
    paths = [written(tmp_path, sealed(SUMS[0], regime, weighting=weighting), f"{number}.cert")
             for number, regime in enumerate(SUM_REGIMES)]
    assert [(found.verdict, found.leaves_errors_unproved) for found in check_verified(paths, with_zarith=True)] == [
        ("accepted", False)] * len(paths)


def is_covered(weighting: str, regime: Regime, text: str) -> bool:
    """Return whether this network exists, and a rule covers it."""
    if weighting in ALONE:
        return not (weighting == "relu-over-n" and regime.causal)
    return weighting in SPARSE or "#" not in text


@pytest.mark.parametrize("weighting", OTHER_WEIGHTINGS)
def test_certificates_of_other_weightings_are_accepted_with_their_errors_and_name_them(tmp_path: Path,
                                                                                      weighting: str) -> None:
    paths = [written(tmp_path, sealed(text, regime, weighting=weighting), f"{number}.cert")
             for number, (regime, text) in enumerate(CASES) if is_covered(weighting, regime, text)]
    for found in check_verified(paths, with_zarith=True):
        assert found.verdict == "accepted", found.reason
        assert not found.leaves_errors_unproved or weighting == "softmax-plus-one"
        assert found.errors == (0, 0) or weighting not in (*SPARSE, "relu", "relu-over-n")
        assert f"says that it means (exact reals, weightings: {weighting})" in "\n".join(found.lines)


KERNELS = [("sparsemax", "1/2"), ("entmax-1.5", "0.757"), ("softmax-plus-one", "7/5")]


@pytest.mark.parametrize(("weighting", "gamma"), KERNELS)
def test_a_constant_a_little_above_the_critical_one_is_enough_and_one_below_it_is_not(tmp_path: Path, weighting: str,
                                                                                     gamma: str) -> None:
    """Up to n = 3 they are 1/2 and 0.756388...; softmax plus one needs more than softmax, 1.33271..."""
    stated = sealed("(Q_a | Q_b) since Q_b", max_n=3, alphabet="abc", weighting=weighting, gamma=gamma)

    def softer(part: str) -> str:
        document = json.loads(stated)
        for head in document["transformer"]["layers"][0]["heads"]:
            head["queries"] = [{d: str(Fraction(x) * Fraction(part)) for d, x in row.items()}
                               for row in head["queries"]]
        return dump(document)

    paths = [written(tmp_path, softer(part), f"{number}.cert") for number, part in enumerate(("1.001", "0.95"))]
    assert [found.verdict for found in check_verified(paths, with_zarith=True)] == ["accepted", "incomplete"]


@pytest.mark.parametrize("text", ["prev Q_a", "(Q_a | Q_b) since Q_b", "(Q_a | Q_b) until Q_b"])
def test_of_geometric_attention_a_constant_just_above_the_critical_one_is_enough_and_one_below_is_not(
        tmp_path: Path, text: str) -> None:
    """γ of n at temperature 1/(log2ceil(n) + 1): docs/background/weightings.md has the closed forms."""
    least = [-math.log((4 / 3) ** (1 / (n - 1)) - 1) / (math.ceil(math.log2(n)) + 1)
             for n in range(2, 3 if text == "prev Q_a" else 7)]
    document = json.loads(sealed(text, max_n=6, alphabet="abc", weighting="geometric"))
    paths = []
    for part in ("1.001", "0.999"):
        for head in document["transformer"]["layers"][0]["heads"]:
            gamma = str(Fraction(max(least)) * Fraction(part))
            head["queries"] = [dict.fromkeys(row, gamma) for row in head["queries"]]
        for bound in document["bounds"]:
            bound["error_if_false"] = bound["error_if_true"] = "1/4"
        paths.append(written(tmp_path, dump(document), f"{part}.cert"))
    assert [found.verdict for found in check_verified(paths, with_zarith=True)] == ["accepted", "incomplete"]
    assert [judge(path.read_bytes()).verdict for path in paths] == ["accepted", "rejected"]


@pytest.mark.parametrize(("text", "least"), [
    ("prev Q_a", 7), ("(Q_a | Q_b) since Q_b", 7), ("(Q_a | Q_b) until Q_b", 7), ("MOD(3,1)(#>[Q_a])", 13)])
def test_sigmoid_heads_that_select_together_need_a_constant_of_ln_7_and_those_that_look_up_ln_13(
        tmp_path: Path, text: str, least: int) -> None:
    document = json.loads(sealed(text, max_n=6, alphabet="abc", weighting="sigmoid"))
    stated, paths = json.dumps(document), []
    for part in ("1.001", "0.999"):
        document = json.loads(stated)
        for head in document["transformer"]["layers"][-1]["heads"]:
            factor = Fraction(math.log(least)) * Fraction(part) / 3
            head["queries"] = [{d: str(Fraction(x) * factor) for d, x in row.items()} for row in head["queries"]]
        for bound in document["bounds"]:
            bound["error_if_false"] = bound["error_if_true"] = "1/4"
        paths.append(written(tmp_path, dump(document), f"{part}.cert"))
    assert [found.verdict for found in check_verified(paths, with_zarith=True)] == ["accepted", "incomplete"]
    assert [judge(path.read_bytes()).verdict for path in paths] == ["accepted", "rejected"]


def test_relu_heads_that_select_hold_a_truth_exactly_or_are_not_accepted(tmp_path: Path) -> None:
    """With a slope of less than 1 the position before the last decision still has some weight."""
    document = json.loads(sealed("(Q_a | Q_b) since Q_b", alphabet="abc", weighting="relu"))
    (head,) = document["transformer"]["layers"][1]["heads"]
    (row,) = [row for row in head["queries"] if len(row) == 1]
    key = next(iter(row))
    assert check(tmp_path, dump(document)).verdict == "accepted"
    row[key] = "2"
    assert check(tmp_path, dump(document)).verdict == "incomplete"
    assert judge(dump(document).encode()).verdict == "rejected"


def test_every_error_that_an_accepted_file_states_is_proved() -> None:
    for path in corpus("accepted"):
        assert not answers()[path].leaves_errors_unproved, path.stem


@pytest.mark.parametrize("lowered", [(0,), (1,), (0, 1), ()])
def test_of_heads_that_are_alike_each_is_judged_by_the_errors_that_are_stated_of_it(tmp_path: Path,
                                                                                    lowered: tuple[int, ...]) -> None:
    """Results for one of them are cached for the other, except those that depend on the claim."""
    document = json.loads(sealed("(O Q_a) & (O Q_b)", max_n=12))
    first, second = document["bounds"]
    assert [first[key] for key in ERRORS] == [second[key] for key in ERRORS]
    for number in lowered:
        document["bounds"][number] |= {key: str(Fraction(first[key]) * Fraction(999, 1000)) for key in ERRORS}
    path = written(tmp_path, dump(document))
    quick, plain = (check_verified([path], with_zarith=with_zarith)[0] for with_zarith in (True, False))
    assert (quick.verdict, quick.leaves_errors_unproved) == ("accepted", bool(lowered))
    assert quick.lines == plain.lines


def canonical(path: Path) -> str:
    """Return the text that the program writes instead of a file."""
    done = subprocess.run([verified_place(), "--canonical", path], capture_output=True, check=True)
    return done.stdout.decode("ascii")


SPELLED_OTHERWISE = {"by_hand_causal", "by_hand_since", "from_length_2", "weighting_relu_since"}


def test_files_that_are_spelled_otherwise_are_accepted_as_the_program_writes_them(tmp_path: Path) -> None:
    for name in SPELLED_OTHERWISE:
        path = CORPUS / "accepted" / f"{name}.cert"
        assert "--canonical FILE writes it so" in answers()[path].reason
        text = canonical(path)
        assert check(tmp_path, text).verdict == "accepted"
        assert canonical(tmp_path / "f.cert") == text
        assert judge(text.encode()).lines == judge(path.read_bytes()).lines


def test_with_a_canonical_text_nothing_else_is_asked(tmp_path: Path) -> None:
    done = subprocess.run([verified_place(), "--canonical", "--causal", "f.cert"], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (
        2, b"malformed: --canonical: gives no verdict, so nothing else is asked\n")


def test_what_is_only_stated_is_incomplete_if_asked_strictly(tmp_path: Path) -> None:
    text = sealed("O Q_a", max_n=12)
    assert check(tmp_path, text, "--strict").verdict == "accepted"
    assert check(tmp_path, lower_errors(text)).leaves_errors_unproved
    found = check(tmp_path, lower_errors(text), "--strict")
    assert (found.verdict, found.reason) == ("incomplete", f"bounds: {NOT_PROVED}")


def lower_errors(text: str) -> str:
    """All stated errors less by a millionth."""
    document = json.loads(text)
    for entry in document["bounds"]:
        for side in ("error_if_false", "error_if_true"):
            entry[side] = str(Fraction(entry[side]) * Fraction(999_999, 1_000_000))
    return dump(document)


@pytest.mark.parametrize("weighting", ["relu", "sigmoid"])
@pytest.mark.parametrize("parts", [("1/3", "1/3", "1/3"), ("2", "-1")])
def test_heads_that_are_split_into_parts_hold_together_what_they_held(tmp_path: Path, weighting: str,
                                                                      parts: tuple[str, ...]) -> None:
    paths = []
    for number, text in enumerate(("prev Q_a", "ODD(#<[Q_a])")):
        document = json.loads(sealed(text, weighting=weighting))
        layer = document["transformer"]["layers"][-1]
        layer["heads"] = [head | {"values": {name: {d: str(Fraction(x) * Fraction(part)) for d, x in row.items()}
                                             for name, row in head["values"].items()}}
                          for head in layer["heads"] for part in parts]
        paths.append(written(tmp_path, dump(document), f"{number}.cert"))
    assert [found.verdict for found in check_verified(paths, with_zarith=True)] == ["accepted", "accepted"]
    assert [judge(path.read_bytes()).verdict for path in paths] == ["accepted", "accepted"]


@pytest.mark.parametrize("change", [
    lambda row: row.update({"is[true]": "5"}), lambda row: row.update({"is[Q_a]": "0"}), lambda row: row.pop("is[Q_a]"),
    lambda row: row.update({"total[#<[Q_a]]": "2"})], ids=["another place", "a zero", "not here", "twice the count"])
def test_relu_heads_that_look_up_another_number_are_refused_by_both_checkers(
        tmp_path: Path, change: Callable[[dict[str, str]], object]) -> None:
    document = json.loads(sealed("ODD(#<[Q_a])", weighting="relu"))
    change(document["transformer"]["layers"][-1]["heads"][1]["queries"][0])
    assert check(tmp_path, dump(document)).verdict != "accepted"
    assert judge(dump(document).encode()).verdict != "accepted"


@pytest.mark.one_in(6)
@pytest.mark.parametrize("text", ["ODD(#<[Q_a])", "PRIME(#>[Q_a])", "MOD(3,1)(#<[Q_a since Q_b])", "SQUARE(#<[Q_a])",
                                  "#<[Q_a] > 2*#>[Q_b]", "#<[Q_a] == 1"])
@pytest.mark.parametrize("max_n", [4, 12])
def test_errors_of_lookups_are_proved_as_stated_and_none_that_is_a_millionth_less(tmp_path: Path, text: str,
                                                                                  max_n: int) -> None:
    stated = sealed(text, max_n=max_n)
    paths = [written(tmp_path, stated, "stated.cert"), written(tmp_path, lower_errors(stated), "less.cert")]
    found = check_verified(paths, with_zarith=True)
    assert [one.verdict for one in found] == ["accepted", "accepted"]
    assert [one.leaves_errors_unproved for one in found] == [False, True]
    assert judge(paths[1].read_bytes()).verdict == "rejected"


# -- what is asked for -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("options", "verdict"), [
    (("--formula", "(Q_a since Q_b)"), "accepted"), (("--formula", "Q_b since Q_a"), "rejected"),
    (("--formula", "let p = Q_a; p since Q_b", "--alphabet", "ab", "--max-n", "4"), "accepted"),
    (("--alphabet", "a,b"), "accepted"), (("--alphabet", "ba"), "rejected"), (("--max-n", "5"), "rejected"),
    (("--min-n", "1"), "accepted"), (("--min-n", "2"), "rejected"), (("--regime", "temperature"), "accepted"),
    (("--regime", "position"), "rejected"), (("--causal",), "rejected"), (("--work", "2"), "accepted"),
])
def test_a_certificate_of_another_claim_than_the_one_asked_for_is_rejected(tmp_path: Path, options: tuple[str, ...],
                                                                          verdict: str) -> None:
    assert check(tmp_path, sealed("Q_a since Q_b"), *options).verdict == verdict


def test_a_formula_with_a_predicate_is_that_with_this_definition_only(tmp_path: Path) -> None:
    document = json.loads(sealed("Q_a"))
    document["transformer"]["predicates"] = ["THIRD(k) := k%3 == 1"]
    found = [check(tmp_path, dump(document), "--formula", "Q_a & THIRD", *given).verdict for given in (
        (), ("--predicate", "THIRD(k) := k % 3 == 2"), ("--predicate", "THIRD(k) := k % 3 == 1"))]
    assert found == ["malformed", "malformed", "rejected"]


# -- what is wrong -----------------------------------------------------------------------------------------------------


def move_error(document: Json) -> None:
    document["bounds"][0]["layer"] += 1


WRONG: dict[str, tuple[str, Callable[[Json], object], str]] = {
    "another formula": ("incomplete", lambda d: d["claim"].update(formula="Q_a"), "does not say all"),
    "another alphabet": ("rejected", lambda d: d["claim"].update(alphabet=["a", "c"]), "the alphabet of the claim"),
    "no error": ("rejected", lambda d: d.update(bounds=[]), "bounds: expected exactly one entry"),
    "an error elsewhere": ("rejected", move_error, "bounds: expected exactly one entry"),
    "an error above 1/4": ("rejected", lambda d: d["bounds"][0].update(error_if_true="1/3"), "0 to 1/4"),
    "a negative error": ("rejected", lambda d: d["bounds"][0].update(error_if_true="-1/3"), "0 to 1/4"),
    "not causal": ("rejected", lambda d: d["claim"].update(causal=True), "causal: "),
    "another regime": ("incomplete", lambda d: d["claim"].update(regime="position"), "regime: "),
    "no length": ("malformed", lambda d: d["claim"].update(max_n=0), "claim.max_n: found 0, expected an integer of 1"),
    "a great length": ("malformed", lambda d: d["claim"].update(max_n=4097), "claim.max_n: found 4097"),
    "a least length": ("malformed", lambda d: d["claim"].update(min_n=5), "claim.min_n: found 5, expected an"),
    "another version": ("malformed", lambda d: d.update(version=2), "version: found 2, expected 1"),
    "a key more": ("malformed", lambda d: d.update(more=1), 'unknown key "more"'),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_certificate_that_is_wrong_is_refused_for_that_reason(tmp_path: Path, name: str) -> None:
    verdict, change, reason = WRONG[name]
    found = check(tmp_path, edited(change))
    assert (found.verdict, reason in found.reason) == (verdict, True), found


def test_a_head_that_is_too_hot_is_not_proved_and_the_head_is_named(tmp_path: Path) -> None:
    found = check(tmp_path, edited(
        lambda d: d["transformer"]["layers"][0]["heads"][0].update(temperature="100"), "prev Q_a"))
    assert found.verdict == "incomplete"
    assert "do not show what direction" in found.reason and "layer 1, heads: " in found.reason


@pytest.mark.parametrize("data", [b"", b"null", b"\xff", b'{"format": 1}', b"[" * 100_000, b'{"a": 1, "a": 2}'])
def test_what_is_no_certificate_is_malformed(tmp_path: Path, data: bytes) -> None:
    assert check(tmp_path, data).verdict == "malformed"


def test_another_spelling_of_a_formula_is_incomplete_and_entries_in_another_order_malformed(tmp_path: Path) -> None:
    def spell(document: Json) -> None:
        document["claim"]["formula"] = "(Q_a) since Q_b"

    def turn(document: Json) -> None:
        document["transformer"]["position_embedding"] = dict(
            reversed(document["transformer"]["position_embedding"].items()))

    found = check(tmp_path, edited(spell))
    assert found.verdict == "incomplete"
    assert found.reason == ("line 5: a formula or a number is not written as certify writes it; "
                            "certify-check --canonical FILE writes it so")
    assert check(tmp_path, edited(turn)).verdict == "malformed"
    assert check(tmp_path, sealed("Q_a since Q_b").replace("\n  ", "\n   ", 1)).verdict == "malformed"


def test_the_gravest_verdict_of_several_files_is_the_exit_status(tmp_path: Path) -> None:
    paths = [written(tmp_path, sealed("prev Q_a"), "a.cert"), written(tmp_path, "{}", "b.cert"), tmp_path / "none.cert"]
    assert [found.verdict for found in check_verified(paths)] == ["accepted", "malformed", "malformed"]


@pytest.mark.exhaustive
def test_a_check_that_would_go_on_for_hours_ends(tmp_path: Path) -> None:
    found = check(tmp_path, edited(
        lambda d: d["transformer"]["layers"][0]["heads"][0].update(temperature="(n+1)^100000")))
    assert found.verdict == "incomplete"
