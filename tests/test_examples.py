"""The shipped examples, each against a definition of its language that knows nothing of temporal logic."""

import itertools
import random
import re
from collections.abc import Callable, Iterator

import pytest

from certify.claims.formula.examples import Example, load_examples
from certify.claims.formula.outcomes import UnsupportedClaim
from certify.claims.formula.pipeline import certify
from constructions.compiler import compile_formula
from constructions.language.fragments import find_future_subformula
from constructions.language.parser import parse_formula
from constructions.language.printer import format_formula
from constructions.language.semantics import truth_values
from constructions.language.syntax import Formula, counts_of, subformulas
from constructions.network.run import run_hard
from constructions.regimes import ALL_REGIMES, Regime, Sharpening
from proofs.formula.discharge import DischargedObligations
from tests.tiers import few_and_all

EXAMPLES = {example.name: example for example in load_examples()}
ALL_WORDS = 2000
"""All words are compared, length by length, while there are at most so many."""

Holds = Callable[[str, int], bool]
"""Whether the formula should hold for a word (a string of one-character symbols) at a position counted from 0."""


def so_far(pattern: str) -> Holds:
    """Return the prefix up to and with the position matches."""
    return lambda word, i: re.fullmatch(pattern, word[: i + 1]) is not None


def anywhere(pattern: str) -> Holds:
    """Return the whole word matches, whatever the position."""
    return lambda word, i: re.fullmatch(pattern, word) is not None


def starting_here(pattern: str) -> Holds:
    return lambda word, i: re.match(pattern, word[i:]) is not None


def balanced(word: str, depth: int, pairs: dict[str, str]) -> bool:
    stack: list[str] = []
    for symbol in word:
        if symbol in pairs:
            stack.append(pairs[symbol])
        elif not stack or stack.pop() != symbol:
            return False
        if len(stack) > depth:
            return False
    return not stack


def brackets(depth: int, pairs: dict[str, str]) -> Holds:
    return lambda word, i: balanced(word[: i + 1], depth, pairs)


def reads_one(word: str, i: int) -> bool:
    last_write = word.rfind("w", 0, i)
    return word[i] == "r" and last_write >= 0 and word[last_write + 1] == "1"


def flip_flop(word: str, i: int) -> bool:
    text, memory = word[: i + 1], None
    if len(text) % 2:
        return False
    for instruction, bit in zip(text[::2], text[1::2], strict=True):
        if instruction not in "wri" or bit not in "01":
            return False
        if instruction == "w":
            memory = bit
        elif memory is None or (instruction == "r" and bit != memory):
            return False
    return True


def induction_head(word: str, i: int) -> bool:
    earlier = word.rfind("a", 0, i)
    return word[i] == "a" and earlier >= 0 and word[earlier + 1] == "b"


def after_earlier(word: str, i: int, length: int) -> int | None:
    """The last position up to i that follows an earlier occurrence of the factor of this length that ends at i."""
    factor = word[i - length + 1 : i + 1]
    found = word.rfind(factor, 0, i) if i + 1 >= length else -1
    return None if found < 0 else found + length


def predicts_b(hops: int) -> Holds:
    """Return the predicate that the position this many hops back has the symbol b."""

    def holds(word: str, i: int) -> bool:
        place: int | None = i
        for _ in range(hops):
            place = None if place is None else after_earlier(word, place, 1)
        return place is not None and word[place] == "b"

    return holds


def trigram_predicts_b(word: str, i: int) -> bool:
    place = after_earlier(word, i, 2)
    place = after_earlier(word, i, 1) if place is None else place
    return place is not None and word[place] == "b"


def b_before_next_c(word: str, i: int) -> bool:
    after_each_a = [word[j + 1 :] for j in range(i + 1) if word[j] == "a"]
    return all("b" in rest and "c" not in rest[: rest.index("b")] for rest in after_each_a)


def all_four(word: str, i: int) -> bool:
    ahead = re.match("[bc]*bc", word[i:]) or (i + 1 < len(word) and re.fullmatch(".*ba*", word[: i + 2]))
    return bool(re.fullmatch(".*ba[ab]*", word[:i]) and ahead)


TOMITA_3_COMPLEMENT = r"((0|1)*0)*1(11)*(0(0|1)*1)*0(00)*(1(0|1)*)*"


def prefixes(word: str, i: int) -> list[str]:
    return [word[: j + 1] for j in range(i + 1)]


def equal_blocks(letters: str) -> Holds:
    """Return the prefix is a^n b^n ... for the letters in their order."""
    return lambda word, i: word[: i + 1] == "".join(c * ((i + 1) // len(letters)) for c in letters)


def no_balanced_cut(word: str, i: int) -> bool:
    return all(word[:j].count("1") != word[j:].count("1") for j in range(i + 1))


def in_first_half_of_a(word: str, i: int) -> bool:
    return word[i] == "a" and 2 * word[: i + 1].count("a") <= word.count("a")


def bigram_predicts_b(word: str, i: int) -> bool:
    following = [word[j] for j in range(1, i + 1) if word[j - 1] == "a"]
    return word[i] == "a" and 2 * following.count("b") > len(following)


COUNTING_DEFINITIONS: dict[str, Holds] = {
    "parity": lambda word, i: sum(map(int, word[: i + 1])) % 2 == 1,
    "parity_predicate_free": no_balanced_cut,
    "one_modulo_3": so_far("b*ab*(ab*ab*ab*)*"),
    "square_many": lambda word, i: word[i] == "a" and word[: i + 1].count("a") in {1, 4, 9, 16, 25},
    "prime_positions": lambda word, i: all(word[p - 1] == "a" for p in (2, 3, 5, 7, 11, 13, 17, 19, 23) if p <= i + 1),
    "majority": lambda word, i: 2 * word[: i + 1].count("1") > i + 1,
    "majority_anywhere": lambda word, i: 2 * word.count("1") > len(word),
    "equal_counts": lambda word, i: word[: i + 1].count("a") == word[: i + 1].count("b"),
    "ballot": lambda word, i: all(2 * p.count("a") > len(p) for p in prefixes(word, i)),
    "hot_or_not": lambda word, i: 3 * word[: i + 1].count("a") >= 5 + 2 * word[i:].count("b"),
    "first_half": lambda word, i: 2 * (i + 1) <= len(word) + 1,
    "a_n_b_n": equal_blocks("ab"),
    "a_n_b_n_c_n": equal_blocks("abc"),
    "dyck_1": brackets(1000, {"o": "c"}),
    "dyck_1_depth_3": brackets(3, {"o": "c"}),
    "tomita_3": lambda word, i: re.fullmatch(TOMITA_3_COMPLEMENT, word[: i + 1]) is None,
    "tomita_5": so_far("(00|11|(01|10)(00|11)*(01|10))*"),
    "tomita_6": lambda word, i: sum(1 if symbol == "0" else 2 for symbol in word[: i + 1]) % 3 == 0,
    "leads": lambda word, i: 2 * sum(2 * p.count("a") > len(p) for p in prefixes(word, i)) > i + 1,
    "even_balances": lambda word, i: sum(2 * p.count("a") == len(p) for p in prefixes(word, i)) % 2 == 0,
    "median": in_first_half_of_a,
    "bigram_program": bigram_predicts_b,
}

DEFINITIONS: dict[str, Holds] = COUNTING_DEFINITIONS | {
    "three_gram_110": starting_here("110"),
    "three_gram_110_ends": so_far(".*110"),
    "contains_aab": anywhere(".*aab.*"),
    "contains_aab_so_far": so_far(".*aab.*"),
    "first_symbol_is_a": anywhere("a.*"),
    "last_symbol_is_a": anywhere(".*a"),
    "second_to_last_symbol_is_a": anywhere(".*a."),
    "first_symbol_again": lambda word, i: word[i] == word[0],
    "alternating_ab": so_far("(ab)*"),
    "stutter_free": lambda word, i: not any(word[j] == word[j + 1] for j in range(i)),
    "sorted_abc": so_far("a*b*c*"),
    "subsequence_abc": so_far(".*a.*b.*c.*"),
    "exactly_one_a": lambda word, i: word[: i + 1].count("a") == 1,
    "brackets_depth_1": brackets(1, {"o": "c"}),
    "brackets_depth_2": brackets(2, {"o": "c"}),
    "brackets_depth_3": brackets(3, {"o": "c"}),
    "two_brackets_depth_1": brackets(1, {"(": ")", "[": "]"}),
    "flip_flop": reads_one,
    "flip_flop_language": flip_flop,
    "induction_head": induction_head,
    "induction_head_program": predicts_b(1),
    "k_hop_2": predicts_b(2),
    "k_hop_3": predicts_b(3),
    "flip_flop_program": flip_flop,
    "trigram_lookup": trigram_predicts_b,
    "request_response": lambda word, i: "r" not in word[i:] or word.rfind("g") > word.rfind("r"),
    "no_open_request": so_far("[gi]*|.*g[gi]*"),
    "b_before_next_c": b_before_next_c,
    "tomita_1": so_far("1*"),
    "tomita_2": so_far("(10)*"),
    "tomita_4": lambda word, i: "000" not in word[: i + 1],
    "tomita_7": so_far("0*1*0*1*"),
    "usual_since": so_far(".*01*"),
    "run_of_a_then_b": starting_here("a+b"),
    "all_four": all_four,
}


def all_words(alphabet: tuple[str, ...]) -> Iterator[str]:
    for length in itertools.takewhile(lambda n: sum(len(alphabet) ** k for k in range(1, n + 1)) <= ALL_WORDS,
                                      itertools.count(1)):
        yield from map("".join, itertools.product(alphabet, repeat=length))


def differences(example: Example, words: Iterator[str]) -> list[tuple[str, int]]:
    holds, formula = DEFINITIONS[example.name], example.formula
    return [(word, i) for word in words
            for i, truth in enumerate(truth_values(formula, word)) if truth != holds(word, i)]


def test_every_example_has_a_definition_here() -> None:
    assert set(DEFINITIONS) == set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_agrees_with_its_definition_at_every_position_of_all_short_words(name: str) -> None:
    example = EXAMPLES[name]
    assert differences(example, all_words(example.alphabet)) == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_agrees_with_its_definition_on_longer_random_words(name: str) -> None:
    example, rng = EXAMPLES[name], random.Random(name)
    words = ("".join(rng.choices(example.alphabet, k=rng.randint(8, 24))) for _ in range(100))
    assert differences(example, words) == []


def words_inside(name: str, count: int) -> list[str]:
    """Words of the language, longer than those that all_words reaches."""
    rng, made = random.Random(f"inside {name}"), []
    for _ in range(count):
        if name == "flip_flop_language":
            memory, pairs = "", []
            for instruction in ["w", *rng.choices("wri", k=8)]:
                bit = memory if instruction == "r" else rng.choice("01")
                memory = bit if instruction == "w" else memory
                pairs.append(instruction + bit)
            made.append("".join(pairs))
        else:
            depth = int(name[-1])
            text, level = "", 0
            while len(text) < 24 or level:
                up = level == 0 or (level < depth and len(text) < 24 and rng.random() < 0.6)
                text, level = text + ("o" if up else "c"), level + (1 if up else -1)
            made.append(text)
    return made


@pytest.mark.parametrize("name", ["brackets_depth_1", "brackets_depth_2", "brackets_depth_3", "flip_flop_language"])
def test_example_accepts_long_words_of_its_language_and_rejects_them_with_one_symbol_changed(name: str) -> None:
    example, rng, rejected = EXAMPLES[name], random.Random(name), 0
    for word in words_inside(name, 40):
        assert DEFINITIONS[name](word, len(word) - 1)
        place = rng.randrange(len(word))
        changed = word[:place] + rng.choice(example.alphabet) + word[place + 1 :]
        assert differences(example, iter([word, changed])) == []
        rejected += not truth_values(example.formula, changed)[-1]
    assert rejected > 10


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_is_neither_always_true_nor_always_false(name: str) -> None:
    holds = DEFINITIONS[name]
    assert {holds(word, i) for word in all_words(EXAMPLES[name].alphabet) for i in range(len(word))} == {False, True}


@pytest.mark.parametrize("name", EXAMPLES)
def test_printing_an_example_and_parsing_it_gives_the_same_formula(name: str) -> None:
    formula = EXAMPLES[name].formula
    for style in ("ascii", "unicode"):
        for parenthesize in (False, True):
            assert parse_formula(format_formula(formula, style, parenthesize)) == formula
    assert format_formula(formula, "latex")


def test_every_example_has_a_name_an_alphabet_and_one_line_about_it() -> None:
    assert len(EXAMPLES) >= 25
    for example in EXAMPLES.values():
        assert re.fullmatch(r"[a-z][a-z0-9_]*", example.name)
        assert 20 <= len(example.about) <= 110 and "\n" not in example.about and "\n" not in example.text, example.name
        assert not example.about.endswith("."), example.name
        assert len(set(example.alphabet)) == len(example.alphabet)


@pytest.mark.parametrize("longest", few_and_all(3, 4))
@pytest.mark.parametrize("name", COUNTING_DEFINITIONS)
def test_counting_example_is_computed_by_hard_attention_at_the_last_position_of_every_short_word(
        name: str, longest: int) -> None:
    example = EXAMPLES[name]
    transformer = compile_formula(example.formula, example.alphabet, Regime())
    for n in range(1, longest + (len(example.alphabet) < 3)):
        for word in map("".join, itertools.product(example.alphabet, repeat=n)):
            output = run_hard(transformer, word)[-1].get(transformer.output, 0)
            assert output == DEFINITIONS[name](word, n - 1), word


OF_THE_DEMO = Regime(Sharpening.POSITION, causal=True)
"""`certify formula` without a formula does the same in this one, in tests/cli/test_cli_commands.py."""


def find_unsupported(formula: Formula, regime: Regime) -> Formula | None:
    """Find parts that a causal regime does not support: look-ahead, and counts without a temperature."""
    if not regime.causal:
        return None
    counting = (part for part in subformulas(formula) if counts_of(part))
    by_position = regime.sharpening is Sharpening.POSITION
    return find_future_subformula(formula) or (next(counting, None) if by_position else None)


SHORTEST = 2


@pytest.mark.parametrize("max_n", few_and_all(SHORTEST, 6))
@pytest.mark.parametrize("regime", [
    pytest.param(regime, marks=[pytest.mark.exhaustive] * (regime == OF_THE_DEMO)) for regime in ALL_REGIMES], ids=str)
def test_every_example_is_certified_wherever_it_fits(regime: Regime, max_n: int) -> None:
    """Up to the shortest length half of the examples in each regime, and each of them in one of two regimes."""
    memory, examples = DischargedObligations(), list(EXAMPLES.values())
    half = examples[(ALL_REGIMES.index(regime) + 1) // 2 % 2::2]
    for example in half if max_n == SHORTEST else examples:
        outcome = certify(example.formula, example.alphabet, max_n, regime, memory=memory)
        if refused := find_unsupported(example.formula, regime):
            assert isinstance(outcome, UnsupportedClaim), example.name
            assert outcome.reason.startswith(f"{format_formula(refused)}: "), example.name
        else:
            assert outcome.verdict == "certified", (example.name, getattr(outcome, "reason", ""))
