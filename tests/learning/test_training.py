"""Training until proved: what is drawn, what goes back, what comes out; nothing that is trained is trusted."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from certify.claims.trained.claim_file import Scope
from certify.claims.trained.counting import count_tracks
from certify.claims.trained.decide import Settings
from certify.claims.trained.flags import Flags
from certify.common.shards import Workers
from certify.learning.training.fresh import Sizes, begun, recipe
from certify.learning.training.lessons import Lessons, Pool
from certify.learning.training.rounds import Pace, TrainingBudget, compare_with_given
from certify.learning.training.task import lessons_of, new_network, read_task
from certify.learning.training.track_lessons import TrackLessons
from certify.learning.training.word_lessons import WordLessons, WordTraces
from constructions.errors import InputError, Unsupported
from constructions.tables import read_toml
from constructions.trained.claim import WordsClaim, input_tokens, judged
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import TracksClaim
from examples.trained.zoo import plans
from proofs.check import check_text
from proofs.trained.forward import FloatNetwork
from proofs.trained.tracks.wrong import Margins
from proofs.words.tracking import cases_at
from tests.learning.changed import changed, in_bits
from tests.learning.questions import network_of_the_zoo
from tests.trained.tracks.adders import adder, adds
from tests.with_torch import torch_or_skip

DRAW = np.random.default_rng


def of_the_zoo(name: str, max_n: int) -> tuple[TrainedNetwork, WordsClaim]:
    network = network_of_the_zoo(name)
    return network, replace(plans()[name].claim(network), lengths=(1, max_n), offsets=(0, 0))


def letters(words: Iterable[tuple[int, ...]]) -> set[str]:
    return {"".join(map(str, word)) for word in words}


# -- words -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tomita_7", "majority", "palindromes", "flip_flop"])
def test_what_should_be_above_the_margin_is_what_the_claim_says_place_by_place(name: str) -> None:
    network, claim = of_the_zoo(name, 5)
    lessons = WordLessons(network, claim)
    for n in (1, 4):
        words = list(product(range(len(claim.alphabet)), repeat=n))
        batch = lessons.batch([(0, word) for word in words])
        for word, tokens, asked in zip(words, batch.tokens, batch.asked, strict=True):
            symbols = [claim.alphabet[letter] for letter in word]
            assert tuple(tokens) == input_tokens(claim, symbols)
            for (place, at), index, rows in zip(judged(claim, n), batch.at, asked, strict=True):
                wanted = {row for case in cases_at(claim, symbols, place) for row in claim.cases[case].above}
                found = {tuple((token, int(number)) for token, number in enumerate(lessons.forms[:, row]) if number)
                         for row in np.nonzero(rows)[0]}
                assert (at, wanted) == (index, found)


def test_rare_answers_are_drawn_as_often_as_others_and_nothing_that_is_not_asked() -> None:
    _, claim = of_the_zoo("tomita_1", 12)
    ones = Counter(tuple(word) for word in WordTraces(claim, 12).draw(600, 12, DRAW(1)).tolist())
    assert 150 < ones[(1,) * 12] < 250  # one of 4096 words; two thirds are drawn so that it is half of them
    _, claim = of_the_zoo("tomita_7", 8)
    for word in WordTraces(claim, 8).draw(200, 8, DRAW(1)).tolist():
        assert cases_at(claim, list(map(str, word)), 8)


def test_all_short_words_are_looked_at_and_some_of_the_longer_ones() -> None:
    network, claim = of_the_zoo("first", 14)
    counts = Counter(len(word) for _, word in WordLessons(network, claim).screened(DRAW(1)))
    assert counts == {**{n: 2**n for n in range(1, 13)}, 13: 256, 14: 256}


def test_a_wrong_word_comes_back_with_words_like_it_on_which_something_is_asked() -> None:
    network, claim = of_the_zoo("majority", 4)
    pool = Pool(WordLessons(network, claim))
    assert pool.drawn(8, DRAW(1)) is None
    pool.add_with_neighbours([(0, (0, 0, 1))], DRAW(1))
    assert {"0", "00", "000", "101", "0001"} <= letters(word for _, word in pool.items)
    assert all(2 * sum(word) != len(word) <= 4 for _, word in pool.items) and list(pool.items)[-1] == (0, (0, 0, 1))
    batch = pool.drawn(8, DRAW(1))
    assert batch is not None and batch.tokens.shape[0] == 8 and batch.asked.any(axis=(1, 2)).all()


def test_a_count_teaches_inputs_of_each_kind_of_first_errors() -> None:
    torch_or_skip()
    from certify.learning.training.fitting import margins

    network = adder(3, 2, blur=1.7)
    claim = adds(network, 3, 2)
    count = count_tracks(network, claim, workers=Workers(1))
    lessons = TrackLessons(network, claim)
    wrong, close = lessons.taught_by(count)
    assert not close and all(margin <= 0 for margin in margins(network, lessons, wrong, lambda _: None).values())
    runs = Margins(FloatNetwork(network), claim, 0)
    firsts = {int(np.argmax(row <= 0)) for row in runs.of(np.array([item[1] for item in wrong]))[0]}
    assert firsts == {error.place - claim.forms[0].asked[0] for error in count.rows[0].errors}


# -- tasks -------------------------------------------------------------------------------------------------------------


def test_a_task_that_is_written_is_the_same_claim(tmp_path: Path) -> None:
    (tmp_path / "even.att").write_text("e\to\t0\ne\te\t1\no\te\t0\no\to\t1\ne\n", encoding="utf-8")
    (tmp_path / "c.toml").write_text(
        'title = "\\"a\\u0001\\" \U0001f600"\nalphabet = { 0 = 0, "1" = 1 }\nbefore = [2]\nread = "last"\n'
        'margin = 0.25\noffset = "all"\n[[answer]]\nkind = "larger"\ntokens = [1, 0]\ntruth = { dfa = "even.att" }\n',
        encoding="utf-8")
    task = read_task(str(tmp_path / "c.toml"), Flags(), Scope(max_n=5))
    _, network = new_network(task, Sizes(width=2, rows=9), 1)
    claim = task.claim(network)
    text, files = task.text(claim)
    again = tmp_path / "again"
    again.mkdir()
    for name, content in {"claim.toml": text, **files}.items():
        (again / name).write_text(content, encoding="utf-8")
    assert isinstance(claim, WordsClaim) and claim.offsets == (0, 7) and list(files) == ["0_even.att"]
    assert read_task(str(again / "claim.toml"), Flags(), Scope()).claim(network) == claim


@pytest.mark.parametrize(("name", "scope"), [(name, Scope(max_n=3)) for name in plans()] + [
    (name, Scope()) for name in ("sort", "decimal", "reverse", "ternary")])
def test_every_task_of_the_examples_has_a_network_of_the_size_that_it_needs(name: str, scope: Scope) -> None:
    task = read_task(name, Flags(), scope)
    _, network = new_network(task, Sizes(width=4, heads=2), 1)
    claim = task.claim(network)
    text, _ = task.text(claim)
    assert replace(task, asked=replace(task.asked, table=read_toml(text, name)), scope=Scope()).claim(network) == claim
    if isinstance(claim, TracksClaim):
        assert network.rows == max(len(form.layout) for form in claim.forms) - 1
    else:
        assert network.rows == len(claim.before) + 3 + len(claim.after)
    lessons_of(network, claim).draw(4, DRAW(1))


@pytest.mark.parametrize(("sizes", "error"), [
    (Sizes(width=3, heads=2), "--width: 3, expected a multiple of the 2 heads"),
    (Sizes(width=6, heads=3, positions="rotary", units=4), ""),
    (Sizes(width=3, positions="rotary"), "with an even number of coordinates each"),
    (Sizes(layers=0), "--layers: 0, expected from 1"),
    (Sizes(width=10**5), "expected a small network"),
])
def test_sizes_that_no_network_has_are_refused(sizes: Sizes, error: str) -> None:
    if not error:
        return sizes.check()
    with pytest.raises(InputError, match=error):
        sizes.check()


@pytest.mark.parametrize(("attention", "positions", "heads"), [
    ("causal", "learned", 2), ("causal", "none", 1), ("causal", "rotary", 2), ("bidirectional", "learned", 2),
    ("bidirectional", "none", 1)])
def test_each_kind_of_network_learns_in_torch_what_runs_here(attention: Any, positions: Any, heads: int) -> None:
    torch = torch_or_skip()
    from certify.learning.training.forward import TorchNetwork

    network = begun(recipe(Sizes(2, 8, heads, positions=positions), attention, 3, 6), DRAW(3))
    running = TorchNetwork(network, "float32")
    learning = running.learning()
    tokens = DRAW(4).integers(0, 3, (2, 5))
    logits = running(torch.as_tensor(tokens), torch.arange(1, 6).expand(2, 5))
    assert np.allclose(logits.detach().numpy(), FloatNetwork(network).logits(tokens, 1), atol=1e-4)
    logits.sum().backward()
    with torch.no_grad():
        for numbers in learning:
            numbers.sub_(0.1 * numbers.grad)
    changed_one = running.as_data()
    same = [name for name, tensor in network.tensors.items() if changed_one.tensors[name] == tensor]
    assert all(name.startswith("computed.") for name in same) and changed_one.attention == attention


def test_rotary_positions_with_bidirectional_attention_are_unsupported() -> None:
    with pytest.raises(Unsupported, match="rotary positions"):
        recipe(Sizes(positions="rotary"), "bidirectional", 3, 4)


# -- rounds ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def repaired() -> Any:
    """Train tomita_2 in two bits without a search on short words, so that every known error was decided."""
    torch_or_skip()
    from certify.learning.training.train import train

    network, claim = of_the_zoo("tomita_2", 5)
    broken = changed(network, in_bits(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("certify.learning.training.word_lessons.WordLessons.screened", lambda *_: [])
        return broken, claim, train(broken, WordLessons(broken, claim), None, TrainingBudget(20, Pace(60, 16)))


def test_a_network_that_was_refuted_becomes_one_that_is_proved(repaired: Any) -> None:
    _, claim, training = repaired
    first, last = training.rounds[0], training.rounds[-1]
    assert (first.number, first.loss, first.verdict, first.shortest) == (0, None, "refuted", "1")
    assert last.number > 0 and last.verdict == training.verdict == "certified"
    check_text(training.decision.certificate.encode())
    assert training.decision.claim == claim and training.decision.network == training.network


def test_what_repairing_changed_is_what_was_wrong_and_nothing_else(repaired: Any) -> None:
    broken, claim, training = repaired
    repair = compare_with_given(broken, training.decision, Settings())
    wrong = {word for n in range(1, 6) for word in product((0, 1), repeat=n) if is_wrong(broken, claim, word)}
    assert wrong and repair.wrong is not None and repair.wrong.longest == 5
    assert set(repair.wrong.words) == wrong and repair.wrong.total == len(wrong)
    assert repair.equality is not None and repair.equality.difference is not None
    assert repair.equality.verdict == "refuted"
    assert repair.equality.difference.word in {tuple(map(str, word)) for word in wrong}


def is_wrong(network: TrainedNetwork, claim: WordsClaim, word: tuple[int, ...]) -> bool:
    """Return whether the network is wrong at the end of the word, by floats."""
    symbols = [claim.alphabet[letter] for letter in word]
    (at,) = (at for place, at in judged(claim, len(word)) if place == len(word))
    logits = FloatNetwork(network).logits(np.array([input_tokens(claim, symbols)]), 0, [at])[0, 0]
    return any(sum(float(number) * logits[token] for token, number in row) <= 0
               for case in cases_at(claim, symbols, len(word)) for row in claim.cases[case].above)


def test_a_network_that_is_right_already_is_left_as_it_is() -> None:
    torch_or_skip()
    from certify.learning.training.train import repair_of, train

    network, claim = of_the_zoo("tomita_2", 3)
    training = train(network, WordLessons(network, claim), None, TrainingBudget())
    assert training.network is network and training.verdict == "certified" and len(training.rounds) == 1
    assert repair_of(network, training, Settings()) is None


def test_the_same_seed_trains_the_same_numbers() -> None:
    torch_or_skip()
    from certify.learning.training.fitting import fit

    task = read_task("majority", Flags(), Scope(max_n=4))
    _, network = new_network(task, Sizes(width=4), 1)
    lessons: Lessons = lessons_of(network, task.claim(network))
    trained = [fit(network, lessons, Pool(lessons), Pace(5), DRAW(seed), lambda *_: None) for seed in (2, 2, 3)]
    assert trained[0] == trained[1] and trained[0][0].tensors != trained[2][0].tensors


def test_numbers_that_are_none_any_more_are_not_kept() -> None:
    torch_or_skip()
    from certify.learning.training.fitting import fit

    network, claim = of_the_zoo("tomita_2", 3)
    lessons = WordLessons(network, claim)
    fitted, _ = fit(network, lessons, Pool(lessons), Pace(3, rate=float("inf")), DRAW(1), lambda *_: None)
    assert fitted is network
