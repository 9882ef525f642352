"""Any request to the checker, however wrong, is answered in one line and never with a traceback."""

import random
from pathlib import Path

import pytest

from proofs.check import main
from tests.check import handmade

CONDITIONS = ("P(k) := 2 <", "P(k) :=", "P(k)", "", "P(k) := k", "P(k) := ((k == 1)", "k := 1", "P(k,k) := k == 1")
FORMULAS = ("H", "F ", "2<", "Q_0 S", "", " ", "(", ")", "Q_", "Q['", "#<", "#<[", "#<[Q_0", "-", "- 1 <", "1 + < 2",
            "!", "Q_0 since", "S", "ODD(", "ODD()", "ODD(#<", "MOD(", "MOD(1", "MOD(0,1)", "prev", "1", "#<[Q_0]",
            "0 < 1/0", "#<[Q_0] * #<[Q_0] < 1", "9^9^9^9 < #<[Q_0]", "((9^64)^64)^64 < #<[Q_0]", "\0",
            "\ud800", "Q_0 Q_1")


@pytest.fixture
def path(tmp_path: Path) -> str:
    place = tmp_path / "x.cert"
    place.write_bytes(handmade.dump(handmade.prev_certificate(2)))
    return str(place)


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_formula_that_is_none(formula: str, path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([f"--formula={formula}", path]) in (2, 3)
    out = capsys.readouterr().out
    assert out.count("\n") == 1 and out.startswith(("malformed: --formula: ", "incomplete: "))


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_predicate_that_is_none(condition: str, path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([f"--predicate={condition}", path]) == 2
    out = capsys.readouterr().out
    assert out.count("\n") == 1 and out.startswith("malformed: --predicate: ")


@pytest.mark.parametrize(
    "argv", [["--work", "0"], ["--work", "x"], ["--max-n", "many"], ["--none"], ["--alphabet", "aa"]])
def test_other_options_that_make_no_sense(argv: list[str], path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*argv, path]) == 2
    assert capsys.readouterr().out.count("\n") == 1


@pytest.mark.one_in(6)
@pytest.mark.parametrize("seed", range(8))
def test_any_words_in_any_order(seed: int, path: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A question is a formula, or is answered by one line."""
    rng = random.Random(seed)
    words = ["Q_0", "Q_1", "(", ")", "[", "]", "#<[", "#>[", "S", "U", "H", "F", "prev", "next", "since", "until", "!",
             "&", "|", "->", "<->", "<", "<=", "==", "+", "-", "*", "/", "//", "%", "^", "1", "2", "ODD", "MOD(2,1)",
             "true", "LAST", "ln", "sqrt", "k", "i", "n", "Q['a']", "not", "and", ",", ":=", "'", "P"]
    for _ in range(400):
        text = " ".join(rng.choice(words) for _ in range(rng.randrange(1, 9)))
        option = rng.choice(("--formula=", "--predicate=P(k,n) := "))
        assert main([option + text, path]) in (0, 1, 2, 3)
        out = capsys.readouterr().out
        assert out.count("\n") == 1 or out.rstrip().endswith(f"accepted: {path}")
        assert "could not be completed" not in out


def test_several_files_have_the_status_of_the_gravest_verdict(tmp_path: Path, path: str) -> None:
    corpus = Path(__file__).parents[1] / "corpus"
    rejected, malformed, incomplete = (str(next((corpus / verdict).glob("*.cert")))
                                       for verdict in ("rejected", "malformed", "incomplete"))
    assert [main([path, one]) for one in (path, rejected, malformed, incomplete)] == [0, 1, 2, 3]
    assert main([incomplete, malformed]) == 2
    assert main([incomplete, malformed, rejected, path]) == 1
