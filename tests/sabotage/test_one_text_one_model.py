"""The text of a model file is that of one function and one claim only: so a reader that errs or lies proves nothing.

The theorem about a file says that some model with its text computes the formula. Here models are drawn, also such as no
reader makes: what is read of their texts is the same model, or there is no file with such a text.
"""

import re
from pathlib import Path

import pytest

from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.regimes import Regime
from proofs.every_n.model_file import definitions_of_model
from tests.every_n.coq_model_texts import Stated, coq_agrees, own_text
from tests.with_ocaml import run_program

DRAWN = Path(__file__).with_name("one_text_one_model.ml")


def check_drawn(seed: int, number: int) -> None:
    done = run_program(str(seed), str(number), main=DRAWN)
    assert done.returncode == 0 and not done.stderr
    counts = re.fullmatch(r"(\d+) read as they are, (\d+) refused\n", done.stdout.decode("ascii"))
    assert counts, done.stdout.decode("ascii")[:3000]
    same, refused = map(int, counts.groups())
    assert same > number / 3 and same + refused == number


def test_what_is_read_of_a_text_is_the_model_that_was_written() -> None:
    check_drawn(1, 1500)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(2, 12))
def test_what_is_read_of_many_texts_is_the_model_that_was_written(seed: int) -> None:
    check_drawn(seed, 100_000)


def test_a_number_that_names_no_letter_is_not_the_letter_that_looks_like_it(tmp_path: Path) -> None:
    """`!(Q['?'] & Q['?']) since Q_a`, with two symbols of which the alphabet has one, was once proved of `O Q_a`."""
    formula = parse_formula("Q['?'] since Q_a", "?a")
    network = compile_formula(formula, "?a", Regime())
    lying = definitions_of_model(network, formula).replace("Symbol 0", "Symbol 7")
    assert "Symbol 7" in lying
    assert coq_agrees([Stated(network, own_text(network)), Stated(network, own_text(network), lying)], tmp_path) == [
        True, False]


def test_models_that_differ_may_have_one_text(tmp_path: Path) -> None:
    """Cases of `same_text_same_function`: how an expression writes -1, and the order of the entries of a row."""
    formula = parse_formula("prev Q_a", "ab")
    network = compile_formula(formula, "ab", Regime())
    right, text = definitions_of_model(network, formula), own_text(network)
    others = [right.replace("Neg (Num 1)", "Num (-1)"),
              right.replace("[1 |-> (1 # 2); 2 |-> (1 # 2)]", "[2 |-> (1 # 2); 1 |-> (1 # 2)]"),
              right.replace("Neg (Num 1)", "Num 1")]
    assert right not in others
    assert coq_agrees([Stated(network, text, other) for other in others], tmp_path) == [True, True, False]
