"""Characters that only look like letters, digits or spaces: one line of complaint, wherever they stand."""

import itertools
from collections.abc import Callable

import pytest

from constructions.errors import InputError
from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.language.predicates import parse_predicate_definition
from constructions.rasp.parser import parse_program

ODD = ("¹", "²", "½", "Ⅳ", "٣", "߁", "𝟏", "ª", "ǅ", "ʰ", "é", "\u0301", "\u200d", "\u202e", "\u00a0", "\u2028",
       "\ufeff", "\x00", "\x1c", "🙂", "\U000e0041")
FORMULAS = ("S", "F", "Q_a", "Q_a S Q_b", "!Q_a", "#<[Q_a] <= 2*#>[Q_b] - 1", "ODD", "MOD(3,1)", "since",
            "Q['a'] & true", "Y Q_a U X Q_b", "O", "or")
EXPRESSIONS = ("1/n", "log2ceil(n)", "(-1)^i", "n", "2*i/n")
PREDICATES = ("P(k) := k % 3 == 1", "P(k,n) := k < n")
PROGRAMS = ("P(i) := Q_a(i)", "alphabet ab\nP(i) := rightmost j [j<i, Q_a(j)] true : false", "P(i) := psum j [j<=i] 1")


def spoiled(text: str) -> list[str]:
    """Return the text with each odd character inserted at each place, alone or twice, by turns."""
    return [text[:place] + odd * (1 + (place + number) % 2) + text[place:]
            for (number, odd), place in itertools.product(enumerate(ODD), range(len(text) + 1))]


@pytest.mark.parametrize(("parse", "texts"), [
    (parse_formula, FORMULAS), (parse_expression, EXPRESSIONS), (parse_predicate_definition, PREDICATES),
    (parse_program, PROGRAMS),
], ids=["formula", "expression", "predicate", "program"])
def test_an_odd_character_anywhere_is_read_or_refused_in_one_line(
        parse: Callable[[str], object], texts: tuple[str, ...]) -> None:
    for text in itertools.chain.from_iterable(map(spoiled, texts)):
        try:
            parse(text)
        except InputError as error:
            assert str(error) and not set("\n\r") & set(str(error)), ascii(text)


def test_a_keyword_before_a_letter_it_does_not_end_at_is_refused_where_the_letter_is() -> None:
    with pytest.raises(InputError, match="line 1, column 2: found '¹', expected"):
        parse_formula("S¹")
