"""Requests: the kind of a subject, dialects, constructions for low precision and other weightings."""

import json
import random
import shlex
from pathlib import Path
from typing import Any

import pytest

from certify import certify as certify_formula
from certify.claims.formula.pipeline import certify as certify_in_python
from certify.requests.ambiguity_notes import describe_reading, is_core
from certify.requests.inputs import Options, as_option
from certify.requests.request import read_request
from certify.requests.subjects import REFUSED, Programs, SubjectKind, find_subject
from constructions.compiler import compile_formula
from constructions.errors import InputError, Unsupported
from constructions.language.parser import parse_formula
from constructions.language.predicates import parse_predicate_definitions
from constructions.language.spellings import Dialect
from constructions.network.json_form import transformer_to_json, write_canonical
from constructions.network.lengths import up_to
from constructions.network.weightings import Weighting
from constructions.regimes import Regime, Sharpening
from examples.hard import flip_flop
from proofs.formula.discharge import discharge
from proofs.words.replay import find_miss
from tests.network.random_formulas import FUTURE, PAST, random_formula, random_word

MODEL, CERTIFICATE, SOFTENED, PROGRAM = "m.json", "c.cert", "soft.cert", "p.rasp"
ALL = tuple(SubjectKind)
ROOT = Path(__file__).parents[2]


@pytest.fixture
def files(certify: Any) -> None:
    """A model, a certificate of the same network, a certificate of a softened one, and a program."""
    assert certify("build", "Q_a since Q_b", "--alphabet", "ab", "-o", MODEL).code == 0
    assert certify("formula", "Q_a since Q_b", "--alphabet", "ab", "--max-n", "3", "-o", CERTIFICATE).code == 0
    Path("hard.json").write_text(write_canonical(transformer_to_json(flip_flop.build())), encoding="utf-8")
    assert certify("model", "hard.json", "--max-n", "2", "--critical", "none", "-o", SOFTENED).code == 0
    Path(PROGRAM).write_text("alphabet ab\nP(i) := Q_a(i)\n", encoding="utf-8")


def test_what_a_text_is(files: None) -> None:
    Path("model without a suffix").write_bytes(Path(MODEL).read_bytes())
    Path("Q_a").write_text("a file that happens to have this name", encoding="utf-8")
    kinds = {name: find_subject(name, ALL).kind for name in (
        "Q_a since Q_b", PROGRAM, "none.rasp", MODEL, CERTIFICATE, SOFTENED, "none.json", "model without a suffix",
        "Q_a")}
    assert kinds == {
        "Q_a since Q_b": SubjectKind.FORMULA, PROGRAM: SubjectKind.PROGRAM, "none.rasp": SubjectKind.PROGRAM,
        MODEL: SubjectKind.NETWORK,
        CERTIFICATE: SubjectKind.NETWORK, SOFTENED: SubjectKind.NETWORK, "none.json": SubjectKind.NETWORK,
        "model without a suffix": SubjectKind.NETWORK, "Q_a": SubjectKind.FORMULA}


@pytest.mark.parametrize(("name", "arguments", "status"), [
    ("trained_mean", ("run", "-", "01"), 0), ("trained_mean", ("decide", "-", "--max-n", "2"), 0),
    ("trained_mean", ("floats", "-", "--max-n", "2", "--format", "binary32"), 0),
    ("trained_tracks", ("decide", "-"), 0),
    ("trained_tracks_wrong_input", ("decide", "-"), 1)])
def test_a_trained_network_is_read_from_standard_input_as_from_a_file(certify: Any, name: str,
                                                                      arguments: tuple[str, ...], status: int) -> None:
    path = ROOT / "tests" / "corpus" / "accepted" / f"{name}.cert"
    piped = certify(*arguments, stdin=path.read_bytes())
    read = certify(*(str(path) if argument == "-" else argument for argument in arguments))
    assert piped.code == read.code == status
    assert piped.out.replace("-", "") == read.out.replace(str(path), "-").replace("-", "")


@pytest.mark.parametrize("kind", REFUSED)
def test_each_kind_of_subject_refuses_every_option_of_its_row(files: None, kind: SubjectKind) -> None:
    name = {SubjectKind.FORMULA: "Q_a", SubjectKind.PROGRAM: PROGRAM, SubjectKind.NETWORK: MODEL}.get(kind)
    language: dict[str, Any] = {SubjectKind.REGEX: {"regex": "(ab)*"}, SubjectKind.DFA: {"dfa": "a.att"}}.get(kind, {})
    given: dict[str, Any] = {
        "alphabet": "ab", "symbol": "a", "predicates": ("P(k) := k > 1",), "regime": "position", "causal": True,
        "as_printed": True, "dialect": "spot", "attention": "hard", "weighting": "sparsemax", "precision": "bfloat16"}
    for option in REFUSED[kind]:
        with pytest.raises(InputError, match=f"^{as_option(option)}: "):
            read_request(name, Options(**language, **{option: given[option]}))


def test_a_program_that_is_run_takes_no_option_of_a_formula(files: None) -> None:
    given: dict[str, Any] = {"gamma": "2", "temperature": "1/n", "causal": True}
    for option, value in given.items():
        with pytest.raises(InputError, match=f"^{as_option(option)}: p.rasp states this itself, "
                                             "expected it with a formula"):
            read_request(PROGRAM, Options(**{option: value}), programs=Programs.RUN)


def test_a_factor_of_a_model_is_the_constant_of_its_formula(certify: Any, files: None) -> None:
    """Its scores are multiplied: 3 times 2 is the network of the constant 6."""
    doubled = read_request(MODEL, Options(gamma="2")).network
    assert doubled == read_request("Q_a since Q_b", Options(alphabet="ab", gamma="6")).network
    assert read_request(CERTIFICATE).network == read_request(MODEL).network


@pytest.mark.parametrize(("dialect", "truths"), [
    ("sha", [False, True, False]), ("spot", [False, True, True]), ("black", [False, True, False]),
    ("lydia", [False, True, True]),
])
def test_dialects_differ_at_the_last_position(certify: Any, dialect: str, truths: list[bool]) -> None:
    result = certify("run", "X a", "aba", "--alphabet", "ab", "--dialect", dialect, "--json")
    assert result.json["truth"] == truths
    request = read_request("X a & (a until b)", Options(alphabet="ab", dialect=dialect))
    _, *again = shlex.split(request.run_command.on("aba"))
    assert certify(*again, "--json").json["truth"] == [False, dialect != "sha", False]


def test_a_note_says_how_a_text_was_read_where_tools_differ() -> None:
    weak, strong = "X holds at the last position", "X fails at the last position"
    usual, sha = "since and until are S and U", "since and until require their left side at the witness, too"
    page = " (docs/reference/formulas.md)"
    for text, dialect, note in (
        ("X Q_a since Q_b", Dialect.SHA, ""), ("Q_a U Q_b", Dialect.SPOT, ""), ("Q_a W Q_b", Dialect.SHA, ""),
        ("wX X Q_a", Dialect.SHA, f"dialect sha: {strong}{page}"),
        ("X Q_a", Dialect.SPOT, f"dialect spot: {weak}{page}"),
        ("Q_a until 1", Dialect.SHA, f"dialect sha: {sha}{page}"),
        ("X Q_a since Q_b", Dialect.LYDIA, f"dialect lydia: {weak}, {usual}{page}"),
    ):
        assert describe_reading(text, None, {}, dialect) == note


def test_the_core_language_is_what_the_checker_reads() -> None:
    third = "T(k) := k % 3 == 0"
    for text in ("X Q_a S Y Q_b", "T(#<[Q_a]) | MOD(3,1)", "#<[Q_a] - 2*#>[Q_b] + 1 != 0"):
        assert is_core(text, [third])
        assert parse_formula(text, predicates=parse_predicate_definitions([third])) is not None
    for text in ("Q_a T Q_b", "1", "i > 2", "0 <= #<[Q_a] <= 2", "GFQ_a", "a U b", "Q_a Until"):
        assert not is_core(text)


def test_an_unknown_dialect_is_refused_with_the_word_of_the_user() -> None:
    with pytest.raises(InputError, match=r"^--dialect: found 'ltl', expected sha, spot, black or lydia$"):
        read_request("Q_a", Options(dialect="ltl"))


COUNTING = ("ODD(#<[Q_1])", "--alphabet", "01")


@pytest.mark.one_in(6)
@pytest.mark.parametrize("text", ["Q_1 since prev Q_0", "ODD(#<[Q_1]) & #<[Q_1] > #>[Q_0]"])
@pytest.mark.parametrize("name", ["bfloat16", "binary16", "tf32", "binary32"])
def test_a_formula_is_certified_in_the_regime_of_position(certify: Any, text: str, name: str) -> None:
    result = certify("formula", text, "--alphabet", "01", "--precision", name, "--max-n", "5", "--json")
    assert result.code == 0
    assert result.json["verdict"] == "certified"
    assert (result.json["regime"], result.json["causal"]) == ("position", False)


def test_the_constant_is_4_and_can_be_another(certify: Any) -> None:
    errors = {gamma: certify("formula", "O Q_1", "--precision", "bfloat16", *gamma, "--max-n", "6", "--json").json
              for gamma in ((), ("--gamma", "4"), ("--gamma", "2"))}
    assert errors[()]["worst_error"] == errors["--gamma", "4"]["worst_error"]
    assert float(errors["--gamma", "2"]["worst_error"]["upper"]) > 0.1 > float(errors[()]["worst_error"]["upper"])


def test_build_and_run_take_the_longest_word_that_is_counted_in(certify: Any) -> None:
    sizes = []
    for longest in ("4", "8"):
        assert certify("build", *COUNTING, "--precision", "bfloat16", "--max-n", longest, "-o", "m.json").code == 0
        model = json.loads(Path("m.json").read_text())
        sizes.append(sum("slack" in name for name in model["directions"]))
        assert certify("model", "m.json", "--max-n", longest).code == 0
    assert sizes == [4, 8]
    run = certify("run", *COUNTING[:1], "0110", *COUNTING[1:], "--precision", "bfloat16", "--max-n", "4", "--json")
    assert run.code == 0


def test_python_takes_a_precision() -> None:
    outcome = certify_formula("ODD(#<[Q_1]) & O Q_0", "01", 4, precision="bfloat16")
    assert outcome.verdict == "certified"
    with pytest.raises(InputError, match="precision: found 'x', expected one of bfloat16"):
        certify_formula("Q_1", "01", 4, precision="x")


LIKE_SOFTMAX = ["sparsemax", "entmax-1.5", "softmax-plus-one"]
@pytest.mark.one_in(6)
@pytest.mark.parametrize("weighting", LIKE_SOFTMAX)
@pytest.mark.parametrize("causal", [False, True])
def test_random_formulas_are_certified_and_run_right(weighting: str, causal: bool) -> None:
    rng = random.Random(f"{weighting}{causal}")
    regime = Regime(Sharpening.TEMPERATURE, causal)
    for _ in range(3):
        formula = random_formula(rng, 3, temporal=PAST if causal else PAST + FUTURE)
        try:
            network = compile_formula(formula, "ab", regime, weighting=Weighting(weighting))
        except Unsupported:
            assert weighting == "softmax-plus-one"
            continue
        assert all(line.proved for line in discharge(network, up_to(6)))
        assert all(find_miss(network, random_word(rng, n)) is None for n in (1, 2, 3, 5, 6))


def test_python_takes_it_too() -> None:
    assert certify_in_python("prev Q_a", alphabet="ab", max_n=4, weighting="sparsemax").verdict == "certified"
