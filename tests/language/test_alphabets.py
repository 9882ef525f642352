"""A text that names an alphabet is read alike wherever there is one."""

import pytest

from certify.exports.pages.certificate.commands import check_softened_command
from constructions.errors import InputError
from constructions.language.alphabets import parse_alphabet, split_symbols
from constructions.regular.automaton_files import language_of_text
from proofs.check import Malformed
from proofs.check.checker.requirements import split_alphabet

READINGS = {"012": ("0", "1", "2"), "0,1,2": ("0", "1", "2"), "0, 1 ,2": ("0", "1", "2"), "go stop": ("go", "stop"),
            "go, stop": ("go", "stop"), "a": ("a",)}


@pytest.mark.parametrize("text", READINGS)
def test_an_alphabet_is_read_alike_by_claims_automaton_files_margins_and_the_checker(text: str) -> None:
    symbols = READINGS[text]
    steps = ", ".join(f'"{symbol}" = "s"' for symbol in symbols)
    for file in (f'alphabet = "{text}"\nstart = "s"\naccepting = ["s"]\n[steps]\ns = {{ {steps} }}\n',
                 f'{{"alphabet": "{text}", "start": "s", "accepting": ["s"], "steps": {{"s": {{}}}}}}'):
        assert language_of_text(file, "f")[1] == symbols
    assert parse_alphabet(text) == split_symbols(text) == split_alphabet(text) == symbols


@pytest.mark.parametrize(("text", "complaint"), [
    ("0,1,1", "f: alphabet '0,1,1': '1' occurs twice, expected distinct symbols"),
    ("0,,1", "f: alphabet '0,,1': symbol 2 is empty, expected at least one character"),
    ("", "f: alphabet: found nothing, expected at least one symbol, such as 01 or a,b,c"),
])  # fmt: skip
def test_what_is_no_alphabet_is_none_in_files_of_automata_and_for_the_checker(text: str, complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        language_of_text(f'alphabet = "{text}"\nstart = "s"\naccepting = []\n[steps]\ns = {{}}\n', "f")
    assert str(caught.value) == complaint
    with pytest.raises(Malformed):
        split_alphabet(text)


@pytest.mark.parametrize(("alphabet", "named"), [
    (("0", "1"), True), (("go", "stop"), True), (("go",), False), (("a", " "), False), (("a", ","), False)])
def test_a_page_names_an_alphabet_only_if_it_is_read_as_it_is(alphabet: tuple[str, ...], named: bool) -> None:
    assert ("--alphabet" in check_softened_command(alphabet, 3, "m.cert")) == named
