"""Hardened networks: every word has one marking, and the network on it attends as the pattern says."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from certify import certify
from certify.claims.trained.hard_programs import HardProgram, compare_at_every_length, find_program, fit_answer
from certify.claims.trained.hardening import Hardening, find_greatest, harden, read_patterns, right_to
from certify.claims.trained.hardening_show import describe_hardening, describe_own, hardening_to_json
from constructions.crasp.parser import parse_counting_program
from constructions.crasp.to_formula import counting_program_to_formulas
from constructions.errors import InputError, Unsupported
from constructions.language.parser import parse_formula
from constructions.language.semantics import satisfies
from constructions.language.syntax import And, Not
from constructions.rasp.interpreter import run_program
from constructions.rasp.parser import parse_program
from constructions.regular.automata import Automaton
from constructions.trained.claim import Case, Read, When, WordsClaim
from constructions.trained.hard_patterns import GREATEST, Copies, HardHead, hard_question, unmarked
from constructions.trained.hard_programs import CountTest, HardTable, opposite
from constructions.trained.head_patterns import HeadPattern, or_itself, parse_pattern
from constructions.trained.network import Affine, AttentionStep, Scale, Tensor, TrainedHead, TrainedNetwork, View
from examples.trained.zoo import plans
from proofs.check import check_text
from proofs.trained.forward import FloatAttention, FloatNetwork
from proofs.trained.hardening import HardMargins
from proofs.words.tracking import State, cases_at, track
from tests.trained.random_networks import random_network

Array = NDArray[np.float64]
POSITIONS: dict[str, Callable[[str], list[int]]] = {
    "letters": lambda word: list(range(len(word))),
    "itself": lambda word: [len(word) - 1],
    "previous": lambda word: [len(word) - 2] * (len(word) > 1),
    "first": lambda word: [0],
    "all Q_b": lambda word: [i for i, letter in enumerate(word) if letter == "b"],
    "all ODD": lambda word: list(range(0, len(word), 2)),
    "rightmost Q_b": lambda word: [word.rfind("b")] * ("b" in word),
    "leftmost Q_b": lambda word: [word.find("b")] * ("b" in word),
    "leftmost Q_b & prev Q_a": lambda word: [word.index("ab") + 1] if "ab" in word else []}
"""The positions of each pattern in a prefix, by Python's own searches."""


def words_of(read: Read, n: int) -> WordsClaim:
    return WordsClaim(("a", "b"), (0, 3), (1,), (2,) if read == "last" else (), (0, 0), (1, n), read, False,
                      Fraction(0), None, (), (Case(When(parse_formula("Q_a")), (((0, Fraction(1)),),)),))


def pattern_of(text: str) -> HeadPattern:
    return parse_pattern(text, "ab", {})


def markings(copies: Copies, word: str) -> list[tuple[str, ...]]:
    """Return the markings of a word that the claim judges."""
    marked = product(*[[copies.symbols[letter, one] for one in range(len(copies.symbols) // 2)] for letter in word])
    return [one for one in marked if satisfies(copies.formula(), one, len(one))]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("pair", [("previous", "rightmost Q_b"), ("first", "leftmost Q_b & prev Q_a"),
                                  ("all ODD", "leftmost Q_b")])
def test_every_word_has_one_marking_and_its_positions_are_those_of_the_patterns(pair: tuple[str, str]) -> None:
    network, words = random_network(0), words_of("each", 4)
    copies = Copies(network, words, [pattern_of(text) for text in pair])
    for word in ("".join(letters) for n in range(1, 4) for letters in product("ab", repeat=n)):
        (found,) = markings(copies, word)
        assert unmarked(words, found) == tuple(word)
        for bit, text in enumerate(pair):
            marked = [i for i, symbol in enumerate(found) if symbol.count("*") >> bit & 1]
            assert marked == POSITIONS[text](word)


def direct_logits(network: TrainedNetwork, words: WordsClaim, hard: dict[tuple[int, int], str], word: str) -> Array:
    """Return the logits where the word is read, with the positions of every query by definition."""
    floats = FloatNetwork(network)
    tokens = np.array([*words.before, *({"a": 0, "b": 3}[letter] for letter in word), *words.after])
    numbers, before, layer = np.arange(len(tokens)), len(words.before), 0
    x = floats.embedded(tokens, numbers)
    for step in floats.steps:
        if not isinstance(step, FloatAttention):
            x = floats.alone(step, x)
            continue
        layer, normed, averages = layer + 1, step.normed(x), []
        for place, head in enumerate(step.heads, 1):
            values = head.value(normed)
            if (layer, place) not in hard:
                averages.append(step.weights(head, normed, numbers, numbers) @ values)
                continue
            rows = []
            for query in range(len(tokens)):
                prefix = word[:query - before + 1] if query >= before else ""
                found = POSITIONS[hard[layer, place]](prefix) if prefix else []
                if hard[layer, place] == "itself" and not words.after:
                    found = []
                rows.append(np.mean([values[before + j] for j in found] or [values[query]], axis=0))
            averages.append(np.array(rows))
        x = step.write(x, averages)
    return np.asarray(floats.unembedding(x)[-1])


def judged_markings(marked: WordsClaim, letters: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the marked words, as letters, of which some case holds at the end."""
    tracker, sets = track(marked), len(marked.alphabet) // 2
    level: dict[State, list[tuple[int, ...]]] = {tracker.start: [()]}
    for letter in letters:
        after: dict[State, list[tuple[int, ...]]] = {}
        for state, paths in level.items():
            for one in range(sets):
                reached = tracker.step(state, letter + 2 * one)
                after.setdefault(reached, []).extend((*path, letter + 2 * one) for path in paths)
        level = after
    return [path for state, paths in level.items() if tracker.cases(state) for path in paths]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("seed", range(12))
def test_the_hardened_network_on_a_marked_word_attends_as_the_patterns_say(seed: int) -> None:
    network, draw = replace(random_network(seed), readout="each"), np.random.default_rng(seed)
    words, layers = words_of("each" if network.is_causal and seed % 2 else "last", 8), len(network.attention_steps)
    network = replace(network, attention="causal")
    inner = ["letters", "first", "all Q_b", "all ODD", "leftmost Q_b"]
    hard = {(layer, 1): str(draw.choice(inner if layer < layers else [*POSITIONS]))
            for layer in range(max(1, layers - 1), layers + 1)}
    edited, marked = hard_question(network, words, [HardHead(*part, pattern_of(text)) for part, text in hard.items()])
    floats, patterns = FloatNetwork(edited), {part: pattern_of(text) for part, text in hard.items()}
    search = HardMargins(FloatNetwork(network), words, patterns)
    for n in (1, 2, 3, 8):
        for letters in [letters for letters in product((0, 1), repeat=n) if letters[-1] == 0][:: 1 + 8 * (n == 8)]:
            expected = direct_logits(network, words, hard, "".join("ab"[letter] for letter in letters))
            (only,) = judged_markings(marked, letters)
            tokens = [*marked.before, *(marked.tokens[letter] for letter in only), *marked.after]
            assert floats.logits(np.array([tokens]), 0)[0][-1] == pytest.approx(expected, abs=1e-9)
            assert search.margins(np.array([letters]), 0)[0, -1, 0] == pytest.approx(expected[0], abs=1e-9)


def test_marks_of_a_position_that_moves_are_refused_before_the_last_layer() -> None:
    network = next(one for one in map(random_network, range(20)) if len(one.attention_steps) > 1)
    with pytest.raises(Unsupported, match="rightmost Q_b: another position for each query"):
        hard_question(replace(network, attention="causal", readout="each"), words_of("each", 4),
                      [HardHead(1, 1, pattern_of("rightmost Q_b"))])


def test_marks_by_a_formula_are_refused_as_a_word_may_have_several() -> None:
    network, words = zoo("first", 4)
    with pytest.raises(Unsupported, match="may hold of several markings of a word"):
        hard_question(network, words, [HardHead(1, 1, parse_pattern("marks Q['0*']", words.alphabet, {}))])


def zoo(name: str, n: int) -> tuple[TrainedNetwork, WordsClaim]:
    network = plans()[name].network()
    return network, replace(plans()[name].claim(network), lengths=(1, n), offsets=(0, 0))


@pytest.fixture(scope="module")
def repaired() -> Hardening:
    network, words = zoo("flip_flop", 8)
    return harden(network, words, read_patterns(network, words, ["1.1=rightmost Q_r | Q_s"]))


@pytest.mark.slow
def test_a_network_that_is_wrong_as_trained_is_right_with_hard_attention(repaired: Hardening) -> None:
    assert (repaired.verdict, repaired.is_repaired, repaired.exit_code) == ("certified", True, 0)
    assert (right_to(repaired.soft), right_to(repaired.decision)) == (7, 8)
    assert describe_hardening(repaired).endswith("as trained it is wrong at n = 8")
    assert repaired.decision.certificate is not None
    printed = str(check_text(repaired.decision.certificate.encode()))
    assert "head 0 of step 0 attends to the tokens 5 6 7 alone" in printed
    assert "tokens 5 to 7 are marked copies of the tokens 0 1 2" in printed


@pytest.mark.slow
def test_its_json_has_the_pattern_and_both_verdicts(repaired: Hardening) -> None:
    found = json.loads(json.dumps(hardening_to_json(repaired)))
    assert found["heads"][0] == {
        "head": "1.1", "attends_to": "rightmost Q_r | Q_s", "otherwise": "itself",
        "soft_mass": pytest.approx(0.185, abs=0.02), "soft_mass_word": found["heads"][0]["soft_mass_word"]}
    assert (found["soft"]["verdict"], found["hard"]["verdict"], found["repaired"]) == ("refuted", "certified", True)


def test_the_answers_of_the_hardened_network_are_right_on_every_word_to_8() -> None:
    """By the definition of the last r or s, in Python's own loops."""
    network, words = zoo("flip_flop", 8)
    floats, step = FloatNetwork(network), FloatNetwork(network).steps[0]
    assert isinstance(step, FloatAttention)
    tokens = np.array([words.before[0], *words.tokens])
    values: dict[tuple[int, str, int, str], Array] = {}
    for word in (word for n in range(1, 9) for word in product("rsk", repeat=n)):
        at = max((i for i, letter in enumerate(word) if letter != "k"), default=len(word) - 1)
        key = (at, word[at], len(word) - 1, word[-1])
        if key not in values:
            place = {letter: i for i, letter in enumerate("rsk", 1)}
            rows = floats.embedded(tokens[[place[word[at]], place[word[-1]]]], np.array([at + 1, len(word)]))
            written = step.write(rows[1:], [step.heads[0].value(step.normed(rows[:1]))])
            values[key] = floats.tail(written)[0]
        logits = values[key]
        assert (logits[1] > logits[0]) == (word[at] == "s")


@pytest.mark.parametrize(("name", "n", "pattern", "to"), [
    ("first", 6, "first", 6), ("tomita_1", 6, "rightmost Q_0", 4),
    pytest.param("last_letter_alone", 6, "itself", 6, marks=pytest.mark.slow)])
def test_the_search_finds_the_pattern(name: str, n: int, pattern: str, to: int) -> None:
    found = harden(*zoo(name, n))
    assert [str(one.pattern) for one in found.heads] == [pattern]
    assert right_to(found.decision) == to
    assert found.verdict == ("certified" if to == n else "unknown")


def test_a_network_that_averages_has_no_pattern() -> None:
    with pytest.raises(Unsupported, match="no pattern that was tried keeps the tried words right"):
        harden(*zoo("d_2", 4))


def test_the_prefix_before_the_first_letter_is_judged_without_marks() -> None:
    network, words = zoo("first", 4)
    claim = replace(words, empty=True, cases=(Case(When(parse_formula("true")), words.cases[0].above), Case(
        When(None, (0,)), words.cases[1].above)), automaton=Automaton(0, ((1, 1), (1, 1))))
    _, marked = hard_question(network, claim, [HardHead(1, 1, parse_pattern("first", "01", {}))])
    tracker = track(marked)
    assert [marked.cases[case].above for case in tracker.cases(tracker.start)] == [words.cases[1].above]
    assert {marked.cases[case].above for case in tracker.cases(tracker.step(tracker.start, 2))} == {
        words.cases[0].above}


@pytest.mark.parametrize(("text", "complaint"), [
    ("1.1", "--pattern: found 1.1, expected a head and a pattern such as 1.1=first"),
    ("1.2=first", "head 1.2, expected 1 to 1 in layer 1"),
    ("1=first", "--pattern: found 1, expected a layer and a head such as 1.2"),
    *[(f"1.1={name}", f"{name.split()[0]}: expected one of start, letters, itself, previous, first, all, rightmost, "
       "leftmost, greatest") for name in ("last", "marks Q_0")]])
def test_a_pattern_that_does_not_fit_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(InputError) as found:
        read_patterns(*zoo("first", 4), [text])
    assert str(found.value) == complaint


PATTERNS_OF_ZOO = {"first": "first", "flip_flop": "rightmost Q_r | Q_s", "tomita_2": "leftmost Q_0"}


def program_of_zoo(name: str, n: int) -> tuple[HardProgram, WordsClaim]:
    network, words = zoo(name, n)
    return find_program(network, words, read_patterns(network, words, [f"1.1={PATTERNS_OF_ZOO[name]}"])), words


@pytest.mark.parametrize("name", PATTERNS_OF_ZOO)
def test_the_program_and_its_formulas_have_the_answers_of_the_claim_on_every_word(name: str) -> None:
    found, words = program_of_zoo(name, 5)
    assert found.decision.verdict == "certified" and found.states and found.wrong is None
    assert found.decision.certificate is not None
    check_text(found.decision.certificate.encode())
    program, count = parse_program(found.text), len(found.formulas)
    rows = list(dict.fromkeys(row for case in words.cases for row in case.above))
    canonical = [row for place, row in enumerate(rows) if opposite(row) not in rows[:place]]
    for word in (word for n in range(1, 6) for word in product(words.alphabet, repeat=n)):
        vectors = run_program(program, word)
        answers = [list(vectors.values())[place][-1] for place in range(-count, 0)]
        assert answers == [satisfies(formula, word, len(word)) for formula in found.formulas]
        for row in (row for case in cases_at(words, word, len(word)) for row in words.cases[case].above):
            assert answers[canonical.index(row if row in canonical else opposite(row))] == (row in canonical)


def test_the_program_of_the_flip_flop_is_one_line_and_its_formula_is_certified() -> None:
    found, _ = program_of_zoo("flip_flop", 3)
    assert found.text.splitlines()[1:] == [
        "auxiliary 'none'", "c1(i) := rightmost j [j<=i, in(j) == 'r' | in(j) == 's'] in(j) : 'none'",
        "answer(i) := c1(i) == 's'"]
    assert certify(found.formulas[0], alphabet="rsk", max_n=6).verdict == "certified"


def test_a_claim_that_the_program_breaks_is_named_with_its_word() -> None:
    network, words = zoo("flip_flop", 4)
    found = find_program(network, words, read_patterns(network, words, ["1.1=first"]))
    assert found.wrong == ("r", "s") and not found.states
    assert found.decision.verdict == "certified"


@pytest.mark.parametrize(("name", "pattern", "reason"), [
    ("first", "start", "start: a program is written of heads that attend to one position, by its letter, or to all "
     "positions with some letters"),
    ("first", "rightmost ODD", "rightmost ODD: a program is written of heads that attend to one position, by its "
     "letter, or to all positions with some letters"),
    ("first", "letters", "the answer depends on more than the letters 1 and one comparison of counts"),
    ("tomita_1", "first", "the answer depends on more than the letters 0, 1")])
def test_what_has_no_program_is_refused(name: str, pattern: str, reason: str) -> None:
    network, words = zoo(name, 5)
    with pytest.raises(Unsupported) as found:
        find_program(network, words, read_patterns(network, words, [f"1.1={pattern}"]))
    assert str(found.value) == reason


def test_the_greatest_own_score_is_at_the_pattern_that_is_found_and_proved() -> None:
    """By the weights of every word, in Python's own loops."""
    network, words = zoo("first", 4)
    found, own = find_greatest(network, words, HardHead(1, 1, GREATEST), None)
    assert str(found.pattern) == "first" and own.decision.verdict == "certified" and own.decision.certificate
    assert "Q['0*']" in own.decision.certificate and '"mass"' in own.decision.certificate
    for word in (word for n in range(1, 5) for word in product((0, 1), repeat=n)):
        weights = FloatNetwork(network).attention(np.array([2, *word]), 0)[0][0]
        assert all(row[:place + 1].argmax() == 1 for place, row in enumerate(weights) if place)
    done = harden(network, words, [HardHead(1, 1, GREATEST)])
    assert done.verdict == "certified" and [*done.certificates_of_scores] == ["head_1_1.cert"]
    assert describe_own(done.heads[0], own) == (
        "the greatest score of head 1.1 is at the first letter, without ties; that its mass is above 1/2 is right on "
        "every word of length 1 .. 4")


def test_scores_without_a_pattern_are_refused_with_a_word() -> None:
    with pytest.raises(Unsupported, match=r"head 1\.1: its own score is greatest at no pattern that was tried; the "
                       "last of them, first, is another position on the word 1"):
        harden(*zoo("tomita_1", 4), [HardHead(1, 1, GREATEST)])


@pytest.mark.parametrize(("pattern", "positions"), [
    ("previous", lambda word: [max(len(word) - 2, 0)]), ("first", lambda word: [0]),
    ("rightmost Q_b", lambda word: [word.rfind("b") if "b" in word else len(word) - 1])])
def test_the_query_is_marked_where_a_pattern_has_no_position(pattern: str, positions: Callable[[str], list[int]]
                                                             ) -> None:
    formula = or_itself("ab", pattern_of(pattern)).keys
    for word in ("".join(letters) for n in range(1, 5) for letters in product("ab", repeat=n)):
        marked = [word_ for word_ in product(*[(letter, letter + "*") for letter in word])
                  if satisfies(formula, word_, len(word_))]
        assert [[i for i, symbol in enumerate(one) if len(symbol) > 1] for one in marked] == [positions(word)]


def test_an_averaging_head_has_a_counting_program_that_is_right_at_every_length() -> None:
    """The text is read again; its formula is certified, and its answers are those of the claim."""
    network, words = zoo("majority", 7)
    found = find_program(network, words, read_patterns(network, words, ["1.1=letters"]))
    assert found.text == '// --alphabet 0,1\nanswer = (# "1") > (# "0")\n' and found.counts
    assert found.decision.verdict == "certified" and found.states and found.wrong is None
    (formula,) = counting_program_to_formulas(parse_counting_program(found.text, "01")).values()
    assert formula == found.formulas[0] and certify(formula, alphabet="01", max_n=6).verdict == "certified"


def counting_and_choosing() -> TrainedNetwork:
    """Return a network of integers and eighths; its heads, with equal weights as it is, are to be hardened.

    Over letters a, b, c, head 1.1 averages 1 for a and -1 for b, head 1.2 averages 8 for c; logit 1 is their sum - 1/8.
    """
    arrays = {"tokens": np.eye(3, 5), "zero": np.zeros((5, 1)), "first": np.array([[1.0, -1, 0, 0, 0]]).T,
              "second": np.array([[0.0, 0, 8, 0, 0]]).T, "to_first": np.eye(1, 5, 3), "to_second": np.eye(1, 5, 4),
              "logits": np.array([[0.0, 0], [0, 0], [0, 0], [0, 1], [0, 1]]), "bias": np.array([0, -1 / 8])}
    views = {name: View(name, 0, one.shape, (one.shape[1], 1) if one.ndim > 1 else (1,))
             for name, one in arrays.items()}
    zero = Affine(views["zero"])
    heads = tuple(TrainedHead(zero, zero, Affine(views[name]), views[f"to_{name}"]) for name in ("first", "second"))
    return TrainedNetwork("causal", views["tokens"], None, (AttentionStep(None, heads, None, Scale(root=1)),), Affine(
        views["logits"], views["bias"]), {name: Tensor("binary64", one.shape, np.ascontiguousarray(one).tobytes())
                                          for name, one in arrays.items()})


def test_a_network_that_counts_and_chooses_has_a_program_with_both() -> None:
    """By the definition of its answers, in Python's own loops."""
    row, other = ((1, Fraction(1)),), ((1, Fraction(-1)),)
    truth = parse_formula("(Q_b S Q_c) | O Q_a & #<[Q_a] > #<[Q_b]", "abc")
    words = replace(words_of("each", 4), alphabet=("a", "b", "c"), tokens=(0, 1, 2), before=(), cases=(
        Case(When(truth), (row,)), Case(When(Not(truth)), (other,))))
    network = counting_and_choosing()
    program = find_program(network, words, read_patterns(network, words, ["1.1=letters", "1.2=rightmost Q_a | Q_c"]))
    assert program.decision.verdict == "certified" and not program.counts
    assert program.states and program.wrong is None
    assert "n1(i) := psum j [j<=i] 1 if in(j) == 'a' else 0" in program.text and "rightmost j" in program.text
    for word in (word for n in range(1, 6) for word in product("abc", repeat=n)):
        chosen = [letter for letter in word if letter != "b"][-1:]
        answer = chosen == ["c"] or (not chosen and word[-1] == "c") or word.count("a") > word.count("b")
        assert [*run_program(parse_program(program.text), word).values()][-1][-1] == answer == satisfies(
            program.formulas[0], word, len(word))


@given(st.lists(st.integers(-3, 3), min_size=2, max_size=2), st.booleans(), st.integers(2, 9))
def test_a_comparison_that_is_fitted_agrees_with_every_point(coefficients: list[int], strict: bool, n: int) -> None:
    points = np.array([[a, b, (coefficients[0] * a + coefficients[1] * b) >= strict]
                       for a in range(n) for b in range(n) if a or b])
    found = fit_answer(points)
    truths = points[:, -1] > 0
    if isinstance(found, CountTest):
        assert [sum(c * x for c, x in zip(found.coefficients, row[:2], strict=True)) >= found.strict
                for row in points.tolist()] == truths.tolist()
    else:
        assert found is not None and (truths == found).all()


@pytest.mark.parametrize(("where", "truth", "program", "right"), [
    ("#<[Q_a] != #<[Q_b]", "#<[Q_a] > #<[Q_b]", "#<[Q_a] >= #<[Q_b]", True),
    ("true", "#<[Q_a] > #<[Q_b]", "#<[Q_a] >= #<[Q_b]", False),
    ("true", "2*#<[Q_a] < 3*#<[Q_b] + 1", "!(6*#<[Q_b] <= 4*#<[Q_a] - 1)", True),
    ("true", "Q_a & #<[Q_b] >= 2", "!(Q_b | #<[Q_b] < 2)", True), ("true", "Q_a & #<[Q_b] >= 2", "Q_a", False)])
def test_programs_with_counts_are_compared_with_the_claim_at_every_length(where: str, truth: str, program: str,
                                                                         right: bool) -> None:
    """A program that is wrong has a word on which it is."""
    formulas = [parse_formula(text, "ab") for text in (where, truth, program)]
    row = ((0, Fraction(1)),)
    words = replace(words_of("each", 4), cases=tuple(Case(When(And(formulas[0], one)), (above,)) for one, above in (
        (formulas[1], row), (Not(formulas[1]), opposite(row)))))
    table = HardTable(words, (), ("a", "b"), True, {}, (row,))
    states, wrong = compare_at_every_length(words, table, [formulas[2]])
    assert (states > 0, wrong is None) == (right, right)
    assert wrong is None or len({satisfies(formula, wrong, len(wrong)) for formula in formulas[1:]}) == 2
