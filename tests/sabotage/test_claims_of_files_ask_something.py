"""An empty claim is not proved: no claim about no length or no letter, and none with an empty name.

Each attack is a model that its attacker is free to write, with the text, the letters, the definitions and the formula
that Coq itself writes of it: so no text gives it away.
"""

import re
from collections.abc import Callable
from pathlib import Path

from certify.commands.soften import read_hard_network
from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.language.predicates import parse_predicate_definitions
from constructions.regimes import Regime
from proofs.every_n.model_file import definitions_of_model
from proofs.every_n.softened_file import softened_file, temperature_of
from tests.with_coq import larger_library_of, library_of, printed_by_coq, staying_coq_or_skip

EXAMPLES = Path(__file__).parents[2] / "examples"
FORMULA = "MOD(3,1)(#<[Q_a]) & THIRD & !Q_b"
DEFINED = parse_predicate_definitions(["THIRD(k) := PRIME(k) or k % 3 == 0"])
QUESTION = """
Eval vm_compute in file_states {lengths} model claim (model_text model) (model_letters model) (predicate_texts model)
  (model_text.formula_text model claim).
"""
NO_WORD = """\
From Coq Require Import String List Lia.
From Certify Require Import network model_text.
Import ListNotations.
Goal forall t l p f, ~ file_computes_for (Lengths 5 (Some 3)) t l p f.
Proof. intros t l p f ((n & H) & _). unfold length_allowed in H. simpl in H. lia. Qed.
Goal forall t l p f, ~ file_computes_for (Lengths 0 (Some 0)) t l p f.
Proof. intros t l p f ((n & H) & _). unfold length_allowed in H. simpl in H. lia. Qed.
Goal forall L t p f, ~ file_computes_for L t [] p f.
Proof. intros L t p f (_ & H & _). now apply H. Qed.
Check file_computes_for_some_word.
"""


NO_LETTER = """\
From Coq Require Import List Bool.
From Certify Require Import formula network soft_for_every_n.
Import ListNotations.
Goal forall T b p, token_embedding T = [] -> soft_for_every_n.softens T b p = false.
Proof. intros T b p H. unfold soft_for_every_n.softens, has_letter. now rewrite H. Qed.
Goal forall (users : predicate_meanings) T b p, soft_for_every_n.softens T b p = true ->
  forall n, exists w, word_in_alphabet T n w.
Proof. intros users T b p H. exact (proj1 (softened_for_every_n users T b p H)). Qed.
"""


def definitions() -> str:
    """Return a network and its names, as Coq reads them."""
    formula = parse_formula(FORMULA, "ab", predicates=DEFINED)
    return definitions_of_model(compile_formula(formula, "ab", Regime()), formula)


def accepted(*asked: tuple[str, str]) -> list[bool]:
    """Return whether Coq accepts each model as one whose file has a claim about these lengths."""
    printed = printed_by_coq([text + QUESTION.format(lengths=lengths) for text, lengths in asked])
    values = re.findall(r"= (true|false)\s+: bool", printed)
    assert len(values) == len(asked)
    return [value == "true" for value in values]


def replaced(old: str, new: str) -> Callable[[str], str]:
    """Return the same text with something else in it, which must be there."""
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new)
    return change


def without_letters(text: str) -> str:
    """No letter, and no row for one."""
    text = re.sub(r"(Definition letters : list string :=) \[.*\]", r"\1 []", text)
    return re.sub(r"(Definition tokens : list \(list \(direction \* Q\)\) :=)\n.*?\]\.\n", r"\1 [].\n", text,
                  flags=re.DOTALL)


ATTACKS = {
    "no letter": without_letters,
    "a letter twice": replaced('["a"; "b"]', '["a"; "a"]'),
    "a letter that looks like none": replaced('["a"; "b"]', '["a"; ""]'),
    "a letter with a quotation mark, which looks like two": replaced('["a"; "b"]', '["a"; "c"", ""b"]'),
    "a letter that is none of the alphabet": replaced("Symbol 1", "Symbol 2"),
    "a predicate that is not defined": replaced("(User 0)", "(User 1)"),
    "a remainder by 0": replaced("(MOD 3 1)", "(MOD 0 1)"),
    "a condition without a name": replaced("Tested PRIME", "Tested ODD"),
    "a definition twice": replaced("Model letters definitions", "Model letters (definitions ++ definitions)"),
    "a predicate with the name of another": replaced('("THIRD"%string', '("PRIME"%string'),
    "a predicate with a text for a name": replaced('("THIRD"%string', '("true | FIRST"%string'),
}
LENGTHS = {"from 5 to 3": "(Lengths 5 (Some 3))", "up to 0": "(Lengths 1 (Some 0))", "0 alone": "(Lengths 0 (Some 0))"}


def test_no_file_states_what_asks_nothing_or_has_no_name_and_the_one_that_is_attacked_does() -> None:
    changed = {name: attack(definitions()) for name, attack in ATTACKS.items()}
    assert definitions() not in changed.values()
    found = accepted((definitions(), "every_length"), (definitions(), "(Lengths 3 (Some 3))"),
                     *((text, "every_length") for text in changed.values()))
    assert found[:2] == [True, True]
    assert [name for name, stated in zip(changed, found[2:], strict=True) if stated] == []


def test_no_file_states_something_of_no_length() -> None:
    assert accepted(*((definitions(), lengths) for lengths in LENGTHS.values())) == [False] * len(LENGTHS)


def test_no_theorem_about_a_file_is_about_no_word(tmp_path: Path) -> None:
    source, coq = tmp_path / "no_word.v", staying_coq_or_skip()
    source.write_text(NO_WORD, encoding="utf-8")
    run = coq.compile(source, library_of(coq))
    assert run.accepted, run.complaint


def softens(text: str, folder: Path) -> bool:
    """Return whether Coq accepts a theorem about softened hard attention."""
    source, coq = folder / "softened.v", staying_coq_or_skip()
    source.write_text(text, encoding="utf-8")
    return coq.compile(source, larger_library_of(coq)).accepted


def test_no_theorem_about_hard_attention_made_soft_is_about_no_word(tmp_path: Path) -> None:
    network = read_hard_network(str(EXAMPLES / "hard" / "flip_flop.json"), None)
    text = softened_file(network, temperature_of(network))
    nothing = re.sub(r"(Definition tokens : list \(list \(direction \* Q\)\) :=)\n.*?\]\.\n", r"\1 [].\n", text,
                     flags=re.DOTALL)
    assert nothing != text and "(forall n, exists w, word_in_alphabet network n w) /\\\n" in text
    assert softens(NO_LETTER, tmp_path) and softens(text, tmp_path)
    assert not softens(nothing, tmp_path)
