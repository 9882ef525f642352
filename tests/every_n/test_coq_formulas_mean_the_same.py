"""The meaning of formulas in Coq (``formula.v``), computed there, is that of ``language/semantics.py``."""

import re

from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.language.predicates import parse_predicate_definitions
from constructions.language.semantics import truth_values
from constructions.regimes import Regime
from proofs.every_n.transformer_file import CoqFile
from tests.sabotage.ground_truth import words
from tests.with_coq import printed_by_coq

USERS = parse_predicate_definitions([
    "ODDLY(k,n) := (k - n) // 2 % 3 == 1 or not (k^2 < 2*n + 1 and k != 3)", "NEGATIVE(k,n) := (-k - 1) % 4 >= 2",
])
WORDS = [*words("ab", 4), tuple("abbabaabbaababba"), tuple("b" * 17), tuple("a" * 19)]
_QUESTION = """\
Definition words : list (list nat) := [{words}].
Eval vm_compute in map (fun w => map (truth users (length w) (fun i => nth (i - 1) w 2%nat) claim) (seq 1 (length w)))
  words.
"""


TEXTS = (
    "(prev Q_a since Q_b) <-> (next Q_a until Q_b)",
    "next prev Q_a | prev next Q_b -> O Q_a & F Q_b",
    "#<[Q_a] > #>[Q_b] | 2*#<[Q_a] - #>[prev Q_b] != 1",
    "#<[Q_a] <= 2 & #>[Q_b] >= #<[true] | #<[Q_b] == 3 | #>[Q_a] < 1",
    "ODD | EVEN(#<[Q_a]) & FIRST(#>[Q_a]) | LAST(#<[Q_b])",
    "SQUARE(#<[Q_a]) -> POW2(#>[Q_a])",
    "PRIME(#<[Q_a]) | MOD(3,0)(#>[Q_b]) & MOD(4,1)",
    "PRIME <-> SQUARE & LAST | POW2 & !FIRST",
    "ODDLY(#<[Q_a]) & NEGATIVE | ODDLY & NEGATIVE(#>[Q_b])",
    "SQUARE(#<[Q_a] - #>[Q_b]) | POW2(#<[Q_a] - 2*#<[Q_b])",
    "PRIME(#<[Q_b] - #>[Q_a]) <-> ODDLY(#<[Q_a] - #<[Q_b])",
)


def test_truth_in_coq_is_truth_here() -> None:
    formulas = [parse_formula(text, "ab", predicates=USERS) for text in TEXTS]
    listed = "; ".join(f"[{'; '.join(str('ab'.index(symbol)) for symbol in word)}]%nat" for word in WORDS)
    question = _QUESTION.format(words=listed)
    found = printed_by_coq([CoqFile(compile_formula(formula, "ab", Regime()), formula).text("") + question
                            for formula in formulas])
    answers = [re.findall("true|false", one) for one in found.split(": list (list bool)")[:-1]]
    for text, formula, answer in zip(TEXTS, formulas, answers, strict=True):
        expected = [value for word in WORDS for value in truth_values(formula, word)]
        assert (text, [value == "true" for value in answer]) == (text, expected)
