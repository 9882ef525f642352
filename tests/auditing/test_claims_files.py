"""docs/reference/claims.md: what a claims file may say, and the one line that refuses anything else."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from certify.auditing.claims import AboutNetwork, AuditClaim
from certify.auditing.claims_file import read_claim, read_claims
from certify.requests.request import Request
from constructions.errors import InputError
from constructions.network.lengths import Lengths

SINCE = {"name": "x", "formula": "Q_1 S Q_0", "alphabet": "01"}


def write(folder: Path, text: str) -> str:
    path = folder / "claims.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def request_of(claim: AuditClaim) -> Request:
    assert isinstance(claim.about, AboutNetwork)
    return claim.about.request


def test_defaults_are_those_of_the_paper() -> None:
    request = request_of(read_claim(SINCE))
    assert (request.gamma, request.allowed_error, str(request.regime)) == (Fraction(3), None, "temperature")
    assert read_claim(SINCE).lengths == Lengths(1, 64)


def test_defaults_of_the_file_are_used_where_they_apply(tmp_path: Path) -> None:
    path = write(tmp_path, """
        [defaults]
        lengths = "2..9"
        gamma = "2"
        [[claim]]
        name = "a"
        formula = "Q_1"
        [[claim]]
        name = "b"
        undecidable = "because"
        [[claim]]
        name = "c"
        formula = "Q_1"
        gamma = "5/2"
    """)
    first, second, third = read_claims(path).claims
    assert (request_of(first).gamma, request_of(third).gamma) == (Fraction(2), Fraction(5, 2))
    assert [claim.lengths for claim in (first, second, third)] == [Lengths(2, 9)] * 3


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "unknown key": ({**SINCE, "gama": "3"}, "key 'gama', expected one of "),
    "wrong type": ({**SINCE, "gamma": 3}, "gamma = 3, expected a string"),
    "no subject": ({"name": "x"}, "keys for the subject: none"),
    "two subjects": ({**SINCE, "undecidable": "so"}, "keys for the subject: formula and undecidable"),
    "bad name": ({**SINCE, "name": "a b"}, "name 'a b', expected 1 to 80"),
    "bad formula": ({**SINCE, "formula": "Q_1 &"}, "column 6"),
    "a statement without a name": ({**SINCE, "statement": ""}, "statement: empty, expected what the source calls it"),
    "unknown verdict": ({**SINCE, "expect": "holds"}, "expect 'holds', expected one of certified, refuted"),
    "unknown regime": ({**SINCE, "regime": "cold"}, "regime: found 'cold', expected temperature or position"),
    "unknown part": ({**SINCE, "part": "half"}, "part 'half', expected one of statement, proof step, transcription"),
    "bad lengths": ({**SINCE, "lengths": "5..2"}, "min-n: 5, expected a number from 1 to 2"),
    "no lengths": ({**SINCE, "lengths": "many"}, "lengths 'many', expected a number or a range"),
    "length 0": ({**SINCE, "lengths": 0}, "max-n: 0, expected a number from 1"),
    "zero gamma": ({**SINCE, "gamma": "0"}, "gamma: found 0, expected a positive number"),
    "delta too large": ({**SINCE, "delta": "1/3"}, "delta: found 1/3, expected at most 1/4"),
    "unsafe expression": ({**SINCE, "temperature": "__import__('os')"}, "temperature: expression"),
    "division by zero": ({**SINCE, "temperature": "1/(n-3)"}, "temperature: 1/(n-3) is -1/2 at i = 1, n = 1"),
    "division by zero at some n": ({**SINCE, "temperature": "1/(n-3)^2"}, "divides by zero at i = 1, n = 3"),
    "negative temperature": ({**SINCE, "temperature": "4-n"}, "4-n is 0 at i = 1, n = 4, expected a positive number"),
    "a gap in i": ({**SINCE, "gap": "1/i"}, "gap: expression '1/i', column 3: found 'i', expected n"),
    "critical outside": ({**SINCE, "critical": [65]}, "critical = [65], expected lengths in 1..64"),
    "critical not a number": ({**SINCE, "critical": [True]}, "critical = [True], expected lengths"),
    "width too large": ({**SINCE, "width": "1"}, "width: found 1, expected a rational"),
    "embeddings of numbers": ({**SINCE, "embeddings": [1]}, "embeddings: expected a list of strings"),
    "unknown symbol in a counterexample": (
        {**SINCE, "counterexample": {"word": "0a", "position": 1}}, "word, position 2: found 'a'"),
    "half a counterexample": ({**SINCE, "counterexample": {"word": "0"}}, "counterexample: expected a word and a pos"),
    "a constant that is no decimal": ({**SINCE, "constants": {"4": "about 1"}}, "constants: 4 = 'about 1'"),
    "unknown examination": ({"name": "x", "examine": "lemma-5"}, "examine 'lemma-5', expected one of"),
    "missing model": ({"name": "x", "model": "nowhere.json"}, "nowhere.json: No such file"),
    "key of another subject": ({"name": "x", "undecidable": "so", "gamma": "3"}, "key 'gamma'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_wrong_is_refused_in_one_line(case: str) -> None:
    entry, message = REFUSED[case]
    with pytest.raises(InputError) as error:
        read_claim(entry)
    assert message in str(error.value) and len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize(("text", "message"), [
    ("title = ", "Invalid value"), ("", "expected at least one [[claim]]"), ("claim = 3", "claim = 3, expected a list"),
    ("claim = [3]", "expected at least one [[claim]]"), ("[[claims]]\nname = 'x'", "key 'claims', expected one of"),
    ("[[claim]]\nformula = 'Q_1'", "claim 1: name ''"),
    ("[[claim]]\nname='a'\nformula='Q_1'\n[[claim]]\nname='a'\nformula='Q_0'", "claim 'a': two claims have this name"),
    ("[defaults]\ncolour = 'red'\n[[claim]]\nname='a'\nformula='Q_1'", "defaults: key 'colour'"),
    ("a = " + "[" * 2000 + "]" * 2000, "claims.toml: "),
])
def test_files_that_are_wrong_are_refused_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read_claims(write(tmp_path, text))
    assert message in str(error.value) and len(str(error.value).splitlines()) == 1


def test_a_claim_is_decided_again_once_it_or_its_model_has_changed(tmp_path: Path) -> None:
    model = Path(__file__).parents[2] / "examples" / "models" / "flip_flop.json"
    copy = tmp_path / "m.json"
    copy.write_text(model.read_text())
    text = "[[claim]]\nname = 'a'\nmodel = 'm.json'\nlengths = 8\n"
    before = read_claims(write(tmp_path, text)).claims[0].digest
    assert read_claims(write(tmp_path, text)).claims[0].digest == before
    assert read_claims(write(tmp_path, text.replace("8", "9"))).claims[0].digest != before
    copy.write_text(model.read_text() + " ")
    assert read_claims(write(tmp_path, text)).claims[0].digest != before
