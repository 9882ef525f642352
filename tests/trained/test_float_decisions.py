"""Certified claims hold in executions by numpy and torch, and known wrong executions are found."""

import json
import re
from dataclasses import replace
from fractions import Fraction
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from certify.claims.trained import float_classes
from certify.claims.trained.decide import decide
from certify.claims.trained.float_classes import certified_by_classes
from certify.claims.trained.float_decision import decide_floats
from certify.claims.trained.float_search import WrongRuns
from certify.claims.trained.proving import accepted_wrong_word
from certify.claims.trained.show import describe_verdict
from certify.claims.trained.showing import decision_to_json
from certify.cli import app
from certify.exports.pages.decision.pages import page_of_decision
from constructions.errors import InputError, Unsupported
from constructions.network.json_form import write_canonical
from constructions.trained.claim import WordsClaim, claim_of_lengths, input_tokens, judged
from constructions.trained.json_form import network_from_json, network_to_json
from constructions.trained.network import TrainedNetwork
from examples.trained.zoo import plans
from proofs.check import Accepted, Rejected, check_text
from proofs.check.checker.chapters.trained.floats import proof, scaled_rows
from proofs.check.checker.chapters.trained.floats.form_stack import FloatStack
from proofs.check.checker.chapters.trained.floats.key_value_cache import CachedExecutions
from proofs.check.checker.chapters.trained.zonotopes.affine import UNIT, AffineForm, promoted, spread
from proofs.check.checker.chapters.trained.zonotopes.layers import pass_between
from proofs.check.checker.kernel.budget import Budget
from proofs.enclosures.float_models.model import presets
from proofs.trained.certificate import each_word_text
from proofs.trained.float_executions.casting import cast_network
from proofs.trained.float_executions.emulation import Emulation
from proofs.trained.float_executions.execution import executions
from proofs.trained.float_executions.replay import Replay
from tests.check.trained_networks import make_network, parsed
from tests.trained.drawn_runs import DrawnRun
from tests.trained.torch_forward import TorchForward

MAJORITY_WORD = tuple("01111100100111100000001010011")


def of_zoo(name: str, longest: int | None = None) -> tuple[TrainedNetwork, WordsClaim]:
    """Return a network of the zoo and its claim at offset 0."""
    plan = plans()[name]
    network = plan.network()
    claim = replace(plan.claim(network), offsets=(0, 0))
    return network, claim if longest is None else replace(claim, lengths=(claim.lengths[0], longest))


def test_a_network_that_is_right_over_the_reals_is_wrong_in_bfloat16() -> None:
    """majority: 0.0686 over the reals, -0.0742 = -19/256 in bfloat16 with sums in binary32."""
    network, claim = of_zoo("majority", 29)
    run = presets()["bfloat16/binary32"]
    search = WrongRuns(network, claim, run, 1)
    found = [search.replayed(MAJORITY_WORD, 0, 29, case, 0, executions(run)[0]) for case in range(len(claim.cases))]
    (wrong,) = [one for one in found if one]
    assert wrong.value == (Fraction(-19, 256),) * 2
    text = accepted_wrong_word(network, claim, wrong, run)
    assert text is not None
    with pytest.raises(Rejected, match="above the margin"):
        check_text(text.replace('"bfloat16', '"binary32').encode())
    binary32 = presets()["binary32"]
    search = WrongRuns(network, claim, binary32, 1)
    assert not any(search.replayed(MAJORITY_WORD, 0, 29, case, 0, executions(binary32)[0])
                   for case in range(len(claim.cases)))


@pytest.mark.exhaustive
def test_the_search_finds_a_wrong_run_where_words_are_many() -> None:
    network, claim = of_zoo("dyck_1", 32)
    decision = decide_floats(network, replace(claim, lengths=(32, 32)), presets()["bfloat16/binary32"])
    assert (decision.verdict, decision.certificate) == ("refuted", None)
    wrong = decision.wrong
    assert wrong is not None and wrong.execution is not None and wrong.value[1] <= 0 and len(wrong.word) == 32
    assert decision.run is not None
    cast = cast_network(network, decision.run)
    tokens, place = input_tokens(claim, wrong.word), dict(judged(claim, 32))[wrong.place]
    logits = Emulation(cast, decision.run, wrong.execution).logits(np.array([tokens]), 0, np.array([place]))[0, 0]
    row = claim.cases[wrong.case].above[wrong.row]
    assert sum(float(coefficient) * logits[token] for token, coefficient in row) == float(wrong.value[0])


@pytest.mark.parametrize(("kind", "name"), [
    ("post", "binary32"), ("rms", "flash"), ("bidirectional", "bfloat16/binary32"),
    *(pytest.param(kind, name, marks=pytest.mark.exhaustive) for kind in ("post", "bidirectional", "rms")
      for name in ("tf32", "bfloat16", "binary16/binary32", "flash", "binary32"))])
def test_one_run_is_the_same_bit_by_bit_in_numpy_and_in_integers(kind: str, name: str) -> None:
    run, network = presets()[name], network_from_json(make_network(kind, 5), "test")
    cast, tokens = cast_network(network, run), [2, 0, 1]
    for execution in executions(run):
        emulated = Emulation(cast, run, execution).logits(np.array([tokens]), 0, np.array([2]))[0, 0]
        assert Replay(cast, run, execution).logits(tokens, 0, 2) == [Fraction(x) for x in emulated.tolist()]


@pytest.mark.parametrize("name", ["bfloat16/binary32", "bfloat16/tensor-cores"])
def test_short_words_are_certified_and_the_certificate_is_accepted(name: str) -> None:
    network, claim = of_zoo("tomita_2", 3)
    decision = decide_floats(network, claim, presets()[name])
    assert (decision.verdict, decision.certified_to, decision.wrong) == ("certified", 3, None)
    certificate = each_word_text(network, claim, presets()[name])
    accepted = check_text(certificate.encode())
    assert decision.certificate == certificate
    assert any(name in line for line in accepted.lines)
    assert any("truncated sums" in line for line in accepted.lines) == (name == "bfloat16/tensor-cores")
    assert decision_to_json(decision)["float"]["name"] == name


@pytest.mark.parametrize("longest", [7, pytest.param(63, marks=pytest.mark.exhaustive)])
def test_lengths_are_certified_by_classes_and_no_drawn_run_is_wrong(longest: int) -> None:
    network, claim = of_zoo("first", longest)
    run = presets()["binary32"]
    cast = cast_network(network, run)
    reach, reason, text = certified_by_classes(network, cast, claim, run)
    assert (reach, reason) == (longest, "") and text is not None
    cover = json.loads(text)["evidence"]["units"]
    assert [(unit["from"], unit["to"]) for unit in cover if unit["by"] == "classes"] == [(6, longest)]
    draw, search = np.random.default_rng(0), WrongRuns(network, claim, run, 1)
    words = draw.integers(0, 2, (60, longest))
    held = search.judge.cases.hold(words)[:, [longest]]
    for emulation in (DrawnRun(cast, run, one, draw) for one in executions(run)[:2]):
        logits = emulation.logits(search.judge.inputs(words), 0, np.array([judged(claim, longest)[-1][1]]))
        assert search.judge.rows.margins(logits, held).min() > 0


def test_where_a_cover_is_not_proved_shorter_lengths_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    network, claim = of_zoo("first", 40)
    run, tried = presets()["binary32"], list[int]()

    def proved_to_13(network: TrainedNetwork, asked: WordsClaim, run: object, cover: object
                     ) -> tuple[str, list[tuple[int, str]]]:
        tried.append(asked.lengths[1])
        return f"to {tried[-1]}", [(1, "too long")] if tried[-1] > 13 else []

    monkeypatch.setattr(float_classes, "_widened", proved_to_13)
    monkeypatch.setattr(float_classes, "check_text", lambda text, work: None)
    found = certified_by_classes(network, cast_network(network, run), claim, run)
    assert (found, tried) == ((13, "too long", "to 13"), [40, 5, 22, 13, 17, 15])


@pytest.mark.exhaustive
def test_classes_of_runs_reach_as_far_as_over_the_reals() -> None:
    network, claim = of_zoo("dyck_1", 31)
    run = presets()["binary32"]
    reach, reason, text = certified_by_classes(network, cast_network(network, run), claim, run)
    assert (reach, reason) == (31, "") and text is not None


def test_units_of_a_class_of_words_are_as_near_their_lines_in_runs_as_over_the_reals() -> None:
    network, claim = of_zoo("dyck_1", 2)
    document = json.loads(each_word_text(network, claim, presets()["binary32"]))
    document["floats"] = [{key: "binary64" if x == "binary32" else x for key, x in document["floats"][0].items()}]
    given = parsed(document, Budget(8))
    budget = given.budget
    stack = FloatStack(budget, given.network, given.floats[0])
    token = stack.embed(2, 0)
    wide = AffineForm(token.rows, token.slots, [UNIT // 4] * len(token.rows), [x + UNIT for x in token.sizes], True)
    reals = spread(budget, pass_between(budget, [*stack.stages[0].after], promoted(wide))).reaches
    for quick in (False, True):
        runs = spread(budget, stack.between(stack.stages[0].after, wide, quick)).reaches
        assert (max(b / a for a, b in zip(reals, runs, strict=True)) < 1.01) == (not quick)


def test_what_is_not_proved_is_unknown_with_both_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scaled_rows, "is_above", lambda *_: False)
    network, claim = of_zoo("d_2", 3)
    decision = decide_floats(network, replace(claim, margin=Fraction(55, 8)), presets()["bfloat16/binary32"])
    open_one = decision.first("unknown")
    assert decision.verdict == "unknown" and open_one is not None
    assert "is about" in open_one.reason and "with an error of up to" in open_one.reason
    assert f"the smallest margin found at n = {open_one.n} is " in describe_verdict(decision)
    assert decision.certificate is None or check_text(decision.certificate.encode())


@pytest.mark.slow
def test_brackets_are_certified_in_bfloat16_with_two_layers() -> None:
    """As over the reals; at 9 letters only by way of the last norm."""
    plan = plans()["d_2_deep"]
    network = plan.network()
    claim = claim_of_lengths(network, plan.claim(network), 9, 9)
    decision = decide_floats(network, claim, presets()["bfloat16/binary32"])
    assert (decide(network, claim).certified_to, decision.certified_to) == (9, 9)
    assert decision.certificate is not None and check_text(decision.certificate.encode())


def test_runs_of_torch_are_within_what_is_proved() -> None:
    """Whatever order torch sums in; its layer norm merges variances, which moves them less than the bounds allow."""
    network, claim = of_zoo("tomita_2", 6)
    step = network.attention_steps[0]
    capped = tuple(replace(one, cap=Fraction(5, 2)) if one == step else one for one in network.steps)
    for form in ("float32", "bfloat16"):
        for given in (network, replace(network, steps=capped)):
            expect_torch_within(given, claim, form)


def expect_torch_within(network: TrainedNetwork, claim: WordsClaim, form: str) -> None:
    run = presets()["binary32" if form == "float32" else "bfloat16/binary32"]
    given = parsed(json.loads(each_word_text(network, claim, run)), Budget(1))
    prover = proof.ModelProver(given, given.floats[0])
    walk, torch = CachedExecutions(prover.network.forms, 0), TorchForward(cast_network(network, run), form)
    for word in ("101010", "110", "0"):
        tokens = input_tokens(claim, word)
        ((_, stream),) = walk.attended(tokens, [len(tokens) - 1])
        known = spread(Budget(1), prover.network.forms.finish(stream))
        seen = torch.logits(np.array([tokens]), 0)[0, -1]
        assert (np.abs(seen - np.array(known.centres) / UNIT) <= np.array(known.reaches) / UNIT).all()


def test_what_has_no_rule_is_said() -> None:
    claim = of_zoo("tomita_2", 2)[1]
    with pytest.raises(Unsupported, match="norms are computed in it"):
        wide = replace(presets()["binary32"], softmax=presets()["bfloat16"].softmax,
                       scores=presets()["bfloat16"].scores, weights=presets()["bfloat16"].weights)
        decide_floats(of_zoo("tomita_2")[0], claim, wide)
    with pytest.raises(InputError, match="too large"):
        small = replace(presets()["bfloat16"].storage, greatest=0)
        cast_network(network_from_json(make_network("post"), "test"),
                     replace(presets()["bfloat16"], storage=small, inputs=small))


def test_the_command(tmp_path: Path) -> None:
    network, _ = of_zoo("tomita_2")
    model, certificate = tmp_path / "model.json", tmp_path / "runs.cert"
    model.write_text(write_canonical(network_to_json(network)), encoding="utf-8")
    claim = Path(__file__).parents[2] / "examples" / "trained" / "tomita_2" / "claim.toml"
    asked = ["decide", str(model), "--claim", str(claim), "--max-n", "2", "--offset", "0", "--float"]
    found = CliRunner().invoke(app, [*asked, "binary32", "--json", "-o", str(certificate)])
    assert found.exit_code == 0 and json.loads(found.stdout)["certified_to"] == 2
    assert check_text(certificate.read_bytes())
    again = CliRunner().invoke(app, ["decide", str(certificate), "--max-n", "1", "--float", "bfloat16/binary32"])
    assert again.exit_code == 0 and "every execution is right on every word of length 1 .. 1" in again.stdout


def test_a_page_says_class_lengths_wrong_run_and_what_is_open_with_both_numbers() -> None:
    network, claim = of_zoo("tomita_7", 5)
    decision = decide_floats(network, replace(claim, margin=Fraction(49, 10)), presets()["bfloat16/binary32"])
    page = unescape(page_of_decision(decision, "right.cert", "wrong.cert"))
    open_one, wrong = decision.first("unknown"), decision.wrong
    assert open_one is not None and open_one.seen is not None and wrong is not None and not decision.is_shortest
    bound = re.search(r"is about \S+, with an error of up to \S+", open_one.reason)
    (row,) = re.findall(r'<h2 id="open">.*?<tbody>(.*?)</tbody>', page, re.DOTALL)
    assert bound and bound[0] in row and f'<td class="number">{open_one.seen.value:.5g}</td>' in row
    assert "in every execution under the float model bfloat16/binary32: stored in bfloat16, sums in binary32" in page
    assert "on the word 0111 (n = 4)" in page and str(wrong.execution) in page and "is -0.5039 in an execution" in page
    assert re.findall(r'class="number">\d+</th><td><span class="verdict (\w+)', page) == [
        row.verdict for row in decision.rows]
    for each in ("python -I -S check.pyz right.cert", "python -I -S check.pyz wrong.cert",
                 "certificate of a wrong execution accepted", "executions outside the float model bfloat16/binary32"):
        assert each in page
    proved = page_of_decision(decide_floats(network, replace(claim, lengths=(1, 2)), presets()["bfloat16/binary32"]))
    assert 'id="open"' not in proved and 'id="wrong"' not in proved and 'class="verdict certified"' in proved


def test_the_page_of_a_certificate_says_of_each_class_what_is_wrong_and_what_is_open(tmp_path: Path) -> None:
    network, claim = of_zoo("tomita_7", 2)
    certificate, page = tmp_path / "m.cert", tmp_path / "m.html"
    text = decide(network, claim).certificate
    assert text is not None
    certificate.write_text(text, encoding="utf-8")
    asked = ["floats", str(certificate), "--format", "bfloat16/binary32", "--format", "bfloat16", "--html", str(page)]
    found = CliRunner().invoke(app, asked)
    assert found.exit_code in (1, 3)
    printed = unescape(page.read_text(encoding="utf-8"))
    assert "<dt>bfloat16/binary32</dt><dd>Every execution is right on every word of length 1 .. 2. </dd>" in printed
    reason = r"<dt>bfloat16</dt><dd>Open at n = 1 .. 2 \(.*; the smallest margin found at n = 1 is \S+\)"
    assert re.search(reason, printed)


def test_a_wrong_run_is_written_as_a_certificate(tmp_path: Path) -> None:
    """A claim that is false over the reals, too: after a 1 the first letter is one."""
    network, _ = of_zoo("first")
    model, wrong = tmp_path / "model.json", tmp_path / "wrong.cert"
    model.write_text(write_canonical(network_to_json(network)), encoding="utf-8")
    asked = ["decide", str(model), "--alphabet", "01", "--before", "2", "--at", "last", "--larger", "1,0: Q_1",
             "--max-n", "2", "--float", "bfloat16/binary32", "--wrong", str(wrong)]
    found = CliRunner().invoke(app, asked)
    assert found.exit_code == 1 and "replayed bit by bit" in found.stdout
    lines = check_text(wrong.read_bytes()).lines
    assert lines[0] == "the claim that follows is FALSE:" and "'bfloat16/binary32', words of up to 2 symbols:" in lines[
        next(k for k, line in enumerate(lines) if line.startswith("float model"))]
    again = CliRunner().invoke(app, ["decide", str(wrong), "--max-n", "1", "--float", "binary32"])
    assert again.exit_code in (0, 1, 3) and "length 1 .. 1" in again.stdout


def test_scores_of_hundreds_that_are_known_in_16_bits_leave_no_word_to_forms(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first attention of balls is computed on forms, once for each token at each place."""
    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(CachedExecutions, "attended", refuse)
    network, plan = plans()["first"].network(), plans()["first"]
    claim = replace(plan.claim(network), lengths=(1, 4), offsets=(0, 0))
    text = each_word_text(network, claim, presets()["bfloat16/binary32"])
    assert isinstance(check_text(text.encode(), work=100), Accepted)
