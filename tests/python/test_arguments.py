"""Python takes what the command line takes, and refuses everything else in one line."""

import inspect
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import certify as package
from certify import FormulaError, InputError, Network, Regime, Sharpening, audit, build, certify, export, run
from certify.auditing.api import ClaimKeys
from certify.auditing.claims_file import COMMON, KEYS, SUBJECTS
from certify.auditing.kinds.registry import KINDS
from certify.claims.formula.outcomes import Certified
from certify.claims.formula.runs import WordTrace
from certify.requests.arguments import SubjectOptions
from certify.requests.inputs import Options
from constructions.language.parser import parse_formula

OBJECT = object()


@pytest.mark.one_in(6)
@pytest.mark.parametrize("options", [
    {"regime": "position"}, {"regime": Regime(Sharpening.POSITION)}, {"causal": True}, {"gamma": "13/4"},
    {"gamma": "3.25"}, {"gamma": Fraction(13, 4)}, {"gamma": 4}, {"temperature": "1/n"}, {"delta": "1/8"},
    {"predicates": ["THIRD(k,n) := k % 3 == 1"]}, {"predicates": "THIRD(k,n) := k % 3 == 1"}, {"dialect": "spot"},
    {"alphabet": "1,0"}, {"alphabet": ("0", "1", "other")}, {"precision": "binary16"}, {"effort": 2}, {"min_n": 2},
    {"floats": "binary32"},
])  # fmt: skip
def test_whatever_the_command_line_takes_certifies(options: dict[str, Any]) -> None:
    assert certify("prev Q_1 | Q_0", **({"max_n": 4} | options)).verdict == "certified"


@pytest.mark.parametrize(("options", "message"), [
    ({"gamma": 1.5}, "gamma: found the float 1.5, which is not an exact number, expected a text such as '1.5', "
     "an int or"),
    ({"gamma": True}, "gamma: found True, expected a text, an int or a Fraction"),
    ({"gamma": OBJECT}, "gamma: found an object of type object, expected a text, an int or a Fraction"),
    ({"gamma": []}, "gamma: found [], expected a text, an int or a Fraction"),
    ({"gamma": ""}, "gamma: expression '', column 1: found the end of the expression"),
    ({"gamma": "-1"}, "gamma: found -1, expected a positive number"),
    ({"temperature": 0.5}, "temperature: found the float 0.5"),
    ({"temperature": "k"}, "temperature: "),
    ({"delta": 1}, "delta: found 1, expected at most 1/4"),
    ({"alphabet": 5}, "alphabet: found 5, expected 01, a,b,c, or a list of symbols"),
    ({"alphabet": b"01"}, "alphabet: found b'01', expected 01, a,b,c, or a list of symbols"),
    ({"alphabet": ""}, "alphabet: found nothing"),
    ({"alphabet": ["1", "1"]}, "alphabet "),
    ({"max_n": "8"}, "max_n: found '8', expected a whole number"),
    ({"max_n": 8.0}, "max_n: found 8.0, expected a whole number"),
    ({"max_n": None}, "max_n: found None, expected a whole number"),
    ({"max_n": 10**40}, "max-n: "),
    ({"min_n": 9}, "min-n: 9, expected a number from 1 to 4"),
    ({"regime": "warm"}, "regime: found 'warm', expected temperature or position"),
    ({"regime": 5}, "regime: found 5, expected 'temperature', 'position' or a Regime"),
    ({"causal": "yes"}, "causal: found 'yes', expected True or False"),
    ({"as_printed": 1}, "as_printed: found 1, expected True or False"),
    ({"predicates": [5]}, "predicates: found [5], expected a list of definitions"),
    ({"predicates": "nonsense"}, "predicate"),
    ({"dialect": "klingon"}, "dialect: "),
    ({"precision": "binary8"}, "precision: "),
    ({"symbol": "a"}, "symbol: a formula has no output of symbols"),
    ({"effort": 0}, "effort: 0, expected a number from 1 to 1000000000"),
    ({"effort": "much"}, "effort: found 'much', expected a whole number"),
    ({"floats": "binary7"}, ""),
])  # fmt: skip
def test_every_other_value_is_refused_in_one_line(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refusal:
        certify("prev Q_1 | Q_0", **({"max_n": 4} | options))
    assert str(refusal.value).startswith(message)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("subject", [None, 5, 1.5, b"Q_1", OBJECT, [], ["Q_1"], "missing.json", Path("missing.rasp"),
                                     "", "Q_1 &", "é(", "Q_1\0"])
def test_what_is_no_subject_is_refused_in_one_line(subject: Any) -> None:
    for function in (certify, build, lambda subject: run(subject, "01")):
        with pytest.raises(InputError) as refusal:
            function(subject)
        assert "\n" not in str(refusal.value)


def test_a_regular_language_takes_the_place_of_a_subject() -> None:
    assert certify(regex="(ab)*", max_n=4).verdict == "certified"
    ran = run(None, "abab", regex="(ab)*")
    assert isinstance(ran, WordTrace) and ran.truth == (False, True, False, True)
    with pytest.raises(InputError, match="given together with a regular expression"):
        certify("Q_a", regex="(ab)*")


def test_an_argument_that_there_is_not_is_refused() -> None:
    with pytest.raises(InputError, match="gama: no such argument, expected one of alphabet, "):
        build("Q_1", gama=3)  # type: ignore[call-arg]


@pytest.mark.parametrize("word", [None, 5, b"01", ["0"], "2", ""])
def test_what_is_no_word_is_refused(word: Any) -> None:
    with pytest.raises(InputError):
        run("Q_1", word, alphabet="01")


def test_a_node_means_what_its_text_means() -> None:
    text = "prev Q_a since Q_b"
    of_node, of_text = certify(parse_formula(text), "ab", 4), certify(text, "ab", 4)
    assert isinstance(of_node, Certified) and isinstance(of_text, Certified)
    assert of_node.certificate == of_text.certificate


def test_a_node_is_refused_over_an_alphabet_that_lacks_its_symbols() -> None:
    with pytest.raises(InputError, match="symbol 'b' of the formula is not in the alphabet a"):
        certify(parse_formula("Q_b"), "a", 2)


def test_networks_and_their_files_are_subjects(tmp_path: Path) -> None:
    outcome = certify("prev Q_a", "ab", 4)
    outcome.save(tmp_path / "prev.cert")
    for subject in (outcome.transformer, tmp_path / "prev.cert", str(tmp_path / "prev.cert")):
        assert certify(subject, max_n=4).verdict == "certified"
        ran = run(subject, "aab")
        assert isinstance(ran, WordTrace) and ran.truth == (False, True, True)


def test_what_is_not_certified_is_not_saved(tmp_path: Path) -> None:
    refuted = certify("Q_1 since next Q_0", gamma="13/10", max_n=6)
    with pytest.raises(InputError, match="nothing is written, since the verdict is refuted"):
        refuted.save(tmp_path / "x.cert")
    assert list(tmp_path.iterdir()) == []


def test_a_certificate_is_exported_without_a_file_of_its_own(tmp_path: Path) -> None:
    outcome = certify("prev Q_a", "ab", 3)
    assert isinstance(outcome, Certified)
    export(outcome, "latex", tmp_path / "prev.tex")
    assert "prev" in (tmp_path / "prev.tex").read_text()
    with pytest.raises(InputError, match="to: found 'word', expected one of coq, "):
        export(outcome, "word", tmp_path / "x")  # type: ignore[arg-type]


def test_an_unfinished_network_is_refused() -> None:
    with pytest.raises(InputError):
        certify(Network("01"))


def test_every_public_name_is_there_and_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    for name in package.__all__:
        assert getattr(package, name) is not None
        assert f"`{name}" in page or f", `{name}" in page, name
    assert set(package.__all__) | {"__version__"} == set(dir(package))


def test_errors_are_values() -> None:
    with pytest.raises(FormulaError) as error:
        certify("Q_1 since")
    assert (error.value.line, error.value.column) == (1, 10)
    with pytest.raises(InputError):
        audit(5)  # type: ignore[arg-type]


def test_an_audit_takes_numbers_as_certify_does() -> None:
    for gamma in ("2", 2, Fraction(2)):
        assert audit("Q_1 since next Q_0", alphabet="01", gamma=gamma, max_n=4).gamma == 2
    with pytest.raises(InputError, match=r"gamma: found the float 2\.5, which is not an exact number"):
        audit("Q_1", alphabet="01", gamma=2.5)  # type: ignore[arg-type]
    found = audit("prev Q_1", alphabet=["0", "1"], regime=Regime(Sharpening.POSITION), delta=Fraction(1, 8), lengths=3)
    assert found.verdict == "certified"


def test_the_keywords_of_an_audit_are_the_keys_of_claims() -> None:
    keys = {*SUBJECTS, "kind", "min_n", "max_n"}.union(*KEYS.values(), COMMON, *(kind.keys for kind in KINDS.values()))
    assert set(ClaimKeys.__annotations__) == keys - {"name", "formula"}


def test_the_keywords_of_subjects_are_those_of_certify_and_of_options() -> None:
    names = set(SubjectOptions.__annotations__)
    assert names == {field.name for field in fields(Options)} - {"allowed_error"} | {"delta"}
    assert names - {"attention"} <= set(inspect.signature(certify).parameters)


@pytest.mark.parametrize("name", package.__all__)
def test_no_public_function_takes_keywords_that_it_does_not_name(name: str) -> None:
    function = getattr(package, name)
    for parameter in inspect.signature(function).parameters.values() if inspect.isfunction(function) else ():
        if parameter.kind is parameter.VAR_KEYWORD:
            assert "Unpack[" in str(parameter.annotation)
            with pytest.raises(InputError, match=r"gama.*expected one of .*gamma"):
                function(*["Q_1"] * (2 if name == "run" else 1), gama=3)
