"""The Coq library: complete, without holes; with Coq installed, it accepts right networks and rejects wrong ones."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from constructions.compiler import compile_formula
from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.language.predicates import parse_predicate_definitions
from constructions.network.transformer import Head, Mask, Transformer
from constructions.regimes import ALL_REGIMES, Regime, Sharpening
from constructions.statements.low_precision import GAMMA
from constructions.statements.table import STATEMENTS
from proofs.every_n import EVERY_LENGTH
from proofs.every_n.axioms import allowed_axioms, name_of
from proofs.every_n.compiled import axioms_of_instances
from proofs.every_n.kernel import find_answer
from proofs.every_n.library import LIBRARY, imported_files, listed_files
from proofs.every_n.transformer_file import theorem_file
from tests.with_coq import ask_coq, ask_coq_whether, coq_or_skip, library_of, places_of_kernel, staying_coq_or_skip

SOURCES = sorted(LIBRARY.rglob("*.v"))
TEXTS = {path: path.read_text(encoding="utf-8") for path in SOURCES}
PROOFS = re.compile(r"\bProof\..*?\b(?:Qed|Defined)\.", re.DOTALL)
NAMES_OF_AXIOMS = {
    "ClassicalDedekindReals.sig_forall_dec", "ClassicalDedekindReals.sig_not_dec", "Classical_Prop.classic",
    "FunctionalExtensionality.functional_extensionality_dep",
}
HOLES = re.compile(r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|native_compute|Guard Checking|bypass_check)\b")


def test_the_project_lists_every_file_once() -> None:
    assert sorted(listed_files()) == SOURCES


def test_no_file_names_a_layer() -> None:
    """So files that compile side by side compile in their layers, too."""
    assert [(path, found) for path, text in TEXTS.items() for found in re.findall(r"Certify\.[\w.]*", text)] == []


def test_files_come_after_those_they_need() -> None:
    seen: set[str] = set()
    for path in listed_files():
        assert imported_files(path.read_text(encoding="utf-8")) <= seen, path
        seen.add(path.name)


@pytest.mark.exhaustive
def test_the_library_compiles_in_its_layers_as_its_readme_says(tmp_path: Path) -> None:
    """Elsewhere it is compiled side by side."""
    (command,) = re.findall(r"^(coq_makefile .*? && make) ", README, re.MULTILINE)
    coq_or_skip()
    shutil.copytree(LIBRARY, tmp_path / "coq")
    subprocess.run(["sh", "-c", f"{command} -j2"], cwd=tmp_path / "coq", check=True, capture_output=True)
    assert {path.stem for path in tmp_path.rglob("*.vo")} == {path.stem for path in SOURCES}


def test_no_file_uses_a_name_that_rocq_9_does_not_have() -> None:
    """They are lemmas about lengths of lists; ``base/lists.v`` has them under the later names."""
    assert [path.name for path in SOURCES if re.search(r"\b(app|map|seq|rev)_length\b", TEXTS[path])] == []


def test_no_file_has_a_hole() -> None:
    assert [(path, found) for path, text in TEXTS.items() for found in HOLES.findall(text)] == []


def test_every_file_begins_with_what_is_proved() -> None:
    assert [path for path, text in TEXTS.items() if not text.startswith("(* ")] == []


def test_lines_are_at_most_120_characters_and_proofs_at_most_60_lines() -> None:
    for path, text in TEXTS.items():
        assert (path, [line for line in text.splitlines() if len(line) > 120]) == (path, [])
        assert (path, [proof for proof in PROOFS.findall(text) if proof.count("\n") > 60]) == (path, [])


def test_each_statement_has_its_coq_file() -> None:
    """The compiler's corollaries are proved of what it builds, in a file named after them."""
    stems = {path.stem for path in SOURCES}
    assert {statement.stem for statement in STATEMENTS} - stems == {"compiler"}
    assert "corollaries_17_18_22_23" in stems


def test_the_allowed_axioms_are_the_four_of_the_real_numbers() -> None:
    assert set(map(name_of, allowed_axioms())) == NAMES_OF_AXIOMS
    assert [axiom for axiom in allowed_axioms() if axiom.endswith(" : forall P : Prop, P \\/ ~ P")]


README = (LIBRARY / "README.md").read_text(encoding="utf-8")
ROWS = [line.split(" | ") for line in README.splitlines()
        if line.startswith("| ") and line.count(" | ") == 3 and not line.startswith("| statement")]
NAMED = re.compile(r"^(?:Lemma|Theorem|Corollary) (\w+)", re.MULTILINE)
STATED = ("Lemma 6", "Lemma 7", "Lemma 8 a, b, c", "Lemma 9", "Proposition 11 a, b", "Proposition 11, remark",
          "Theorem 12 a", "Theorem 12 b", "Theorem 13 a, b", "Theorem 15 a", "Theorem 15 b", "Theorem 16 a, b",
          "Theorem 20 a, repaired", "Theorem 20 b, repaired", "Theorem 21, repaired", "Theorem 20 as printed",
          "Theorem 21 as printed", "Corollary 17 a, b", "Corollary 18 a, b", "Corollary 22 a, b", "Corollary 23")


def test_the_table_of_statements_has_them_all() -> None:
    assert set(STATED) - {row[0].removeprefix("| ") for row in ROWS} == set()


def test_what_the_table_names_is_proved_in_the_file_it_names() -> None:
    for row in ROWS:
        (file,), names = re.findall(r"`([\w/]+\.v)`", row[1]), re.findall(r"`(\w+)`", row[2])
        assert names and set(names) - set(NAMED.findall(TEXTS[LIBRARY / file])) == set(), row


def test_the_axioms_of_every_statement_are_printed() -> None:
    """Theorems and corollaries with a number; what is said of definitions is used by them all."""
    collected = set(re.findall(r"@(\w+)", TEXTS[LIBRARY / "assumptions.v"]))
    for row in ROWS:
        assert row[0].startswith("| Definition") or set(re.findall(r"`(\w+)`", row[2])) <= collected, row


def test_every_file_of_the_library_is_explained() -> None:
    paths = {str(path.relative_to(LIBRARY)) for path in SOURCES}
    assert paths - set(re.findall(r"`([\w/]+\.v)`", README)) == set()


LAYERED = [line.split(" | ") for line in README.splitlines() if re.match(r"\| `\w+/\w+\.v`", line)]
DECLARED = re.compile(r"(?m)^ *(?:Lemma|Theorem|Corollary|Definition|Fixpoint|with|Record|Inductive|Ltac) (\w+)")
WORDS = {path: set(re.findall(r"\w+", path.read_text(encoding="utf-8")))
         for path in [*SOURCES, *(LIBRARY.parent / "every_n").glob("*.py"), *(LIBRARY.parent / "ocaml").glob("*.v")]}


@pytest.mark.parametrize("row", LAYERED, ids=lambda row: row[0].removeprefix("| "))
def test_what_a_file_gives_the_others_is_declared_there_and_named_elsewhere(row: list[str]) -> None:
    files = [LIBRARY / file for file in re.findall(r"`([\w/]+\.v)`", row[0])]
    names = set(re.findall(r"`(\w+)`", row[2]))
    assert names <= {name for file in files for name in DECLARED.findall(file.read_text(encoding="utf-8"))}
    assert names <= set().union(*(words for path, words in WORDS.items() if path not in files))


GLOBAL = re.compile(r"(?m)^ *(?:Lemma|Theorem|Corollary|Definition|Fixpoint|Record|Inductive) ([\w']+)")


def test_no_two_files_declare_one_global_name() -> None:
    """Names of one file only are ``Local`` where they are too general for one namespace."""
    names = [name for text in TEXTS.values() for name in set(GLOBAL.findall(text))]
    assert len(names) == len(set(names)), {name for name in names if names.count(name) > 1}


def test_that_one_text_is_one_function_is_proved_and_its_axioms_are_printed() -> None:
    stated = {"same_text_same_network", "same_text_same_function", "file_computes_for_every_model"}
    assert stated <= set(NAMED.findall((LIBRARY / "network" / "same_text.v").read_text(encoding="utf-8")))
    assert stated <= set(re.findall(r"@(\w+)", (LIBRARY / "assumptions.v").read_text(encoding="utf-8")))


# -- with Coq ----------------------------------------------------------------------------------------------------------


def accepted(transformer: Transformer, text: str) -> bool:
    """Return whether Coq proves that the transformer computes the formula, with the allowed axioms only."""
    answer = ask_coq_whether(transformer, parse_formula(text, "ab"))
    assert answer.axioms == (NAMES_OF_AXIOMS if answer.proved else frozenset()), answer
    return answer.proved


def build(text: str, regime: Regime) -> Transformer:
    return compile_formula(parse_formula(text, "ab"), "ab", regime)


@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
def test_every_regime_is_proved_for_every_length(regime: Regime) -> None:
    text = "prev Q_a since (Q_b -> O Q_a)" if regime.causal else "(next Q_a until Q_b) | prev (Q_a since Q_b)"
    assert accepted(build(text, regime), text)


def places(*claims: tuple[Transformer, str]) -> list[str]:
    """Return the location of the refusal of each in the kernel; empty if it is accepted."""
    return places_of_kernel([(network, parse_formula(text, "ab"), EVERY_LENGTH) for network, text in claims])


def test_counting_is_proved_for_every_length() -> None:
    texts = ("ODD(#<[Q_a])", "3*#<[Q_a] - 2*#>[prev Q_b] != 5", "PRIME & #<[ODD] == #>[Q_a] | LAST")
    assert places(*((build(text, Regime()), text) for text in texts)) == ["", "", ""]


def build_for_low_precision(text: str, causal: bool = False, gamma: Fraction = GAMMA) -> Transformer:
    return compile_formula(parse_formula(text, "ab"), "ab", Regime(Sharpening.POSITION, causal), gamma,
                           low_precision_up_to=64)


def test_temporal_operators_for_low_precision_are_proved_for_every_length() -> None:
    cases = (("(next Q_a until Q_b) | prev (Q_a since Q_b)", False), ("prev Q_a since (Q_b -> O Q_a)", True))
    assert places(*((build_for_low_precision(text, causal), text) for text, causal in cases)) == ["", ""]


def test_heads_for_low_precision_are_proved_from_ln_4_on() -> None:
    """Which is 1.386294...."""
    texts = ("Q_a since Q_b", "Q_a until Q_b", "prev Q_a", "next Q_a")
    enough, below = ([(build_for_low_precision(text, gamma=Fraction(gamma)), text) for text in texts]
                     for gamma in ("1.386295", "1.386294"))
    found = places(*enough, *below)
    assert found[:4] == [""] * 4 and all(found[4:])


def test_a_head_for_low_precision_that_leads_by_less_is_not_proved() -> None:
    changed = []
    for text, lead in (("Q_a since Q_b", {"i": GAMMA / 2}), ("Q_a since Q_b", {"one": GAMMA}),
                       ("Q_a until Q_b", {"n": GAMMA / 2}), ("prev Q_a", {"i": GAMMA / 2}),
                       ("next Q_a", {"n": GAMMA / 2})):
        right = build_for_low_precision(text)
        _, by_place = right.layers[0].heads[0].queries
        changed.append((changed_head(right, 0, queries=(lead, by_place)), text))
    assert all(places(*changed))


def test_counts_for_low_precision_are_not_proved_for_every_length() -> None:
    """Their weights depend on the greatest length."""
    assert all(places((build_for_low_precision("#<[Q_a] >= 2"), "#<[Q_a] >= 2")))


def changed_head(transformer: Transformer, layer: int, **changes: object) -> Transformer:
    """Return the transformer with the first head of a layer (from 0) changed."""
    part = transformer.layers[layer]
    head: Head = replace(part.heads[0], **changes)  # type: ignore[arg-type]
    layers = list(transformer.layers)
    layers[layer] = replace(part, heads=(head, *part.heads[1:]))
    return replace(transformer, layers=tuple(layers))


def test_a_network_with_another_mask_temperature_or_formula_is_not_proved_and_one_of_half_the_sharpness_is() -> None:
    text = "Q_a since Q_b"
    right = build(text, Regime())
    changed = [changed_head(right, 0, temperature=parse_expression("1/i")),
               changed_head(right, 0, temperature=parse_expression("3/n")),
               changed_head(right, 0, mask=Mask.PAST), changed_head(right, 0, mask=Mask.NONE)]
    cooler = changed_head(right, 0, temperature=parse_expression("2/n"))
    *refused, halved = places(*((network, text) for network in changed), (right, "Q_b since Q_a"), (cooler, text))
    assert all(refused) and len(refused) == 5 and halved == ""


def test_a_users_predicate_is_proved() -> None:
    predicates = parse_predicate_definitions(["THIRD(k,n) := k % 3 == 1 and not k > n"])
    formula = parse_formula("THIRD(#<[Q_a]) | THIRD", "ab", predicates=predicates)
    assert ask_coq(compile_formula(formula, "ab", Regime()), formula).proved


COMPARISON = "#<[Q_a] >= 2"


def changed_unit(transformer: Transformer, direction: str, **changes: object) -> Transformer:
    """Return the transformer with the one unit that writes a direction changed."""
    layers = [replace(layer, feedforward=replace(layer.feedforward, units=tuple(
        replace(unit, **changes) if direction in unit.writes else unit  # type: ignore[arg-type]
        for unit in layer.feedforward.units))) for layer in transformer.layers]
    return replace(transformer, layers=tuple(layers))


SLACK, TRUTH = f"slack[{COMPARISON}]", f"is[{COMPARISON}]"


CHANGES: Sequence[tuple[str, dict[str, object]]] = [
    (SLACK, {"writes": {SLACK: Fraction(1, 2)}}),  # at least 0.7 where the formula fails
    (SLACK, {"bias": Fraction(4)}),  # may be above 0 where T is 0
    (SLACK, {"bias": Fraction(3)}),  # may be below 1 where T is -1
    (SLACK, {"writes": {SLACK: Fraction(-1)}}),
    (TRUTH, {"reads": {SLACK: Fraction(-1, 2)}}),  # shut from 2 on only
    (TRUTH, {"reads": {SLACK: Fraction(1)}}),
    (TRUTH, {"bias": Fraction(2)}),
]
STEEPER: Sequence[tuple[str, dict[str, object]]] = [
    (SLACK, {"writes": {SLACK: Fraction(2)}}), (TRUTH, {"reads": {SLACK: Fraction(-2)}}),
]


def test_what_is_no_slack_or_does_not_shut_on_slack_is_not_proved_and_slack_may_be_any_number_from_1_on() -> None:
    right = build(COMPARISON, Regime())
    found = places(*((changed_unit(right, writes, **changes), COMPARISON) for writes, changes in (*CHANGES, *STEEPER)))
    for (writes, _), message in zip(CHANGES, found, strict=False):
        assert f", ReLUs: {writes}: " in message
    assert found[len(CHANGES):] == ["", ""]


def test_a_head_may_not_read_slack() -> None:
    text = f"prev ({COMPARISON})"
    right = build(text, Regime())
    layer = next(number for number, part in enumerate(right.layers)
                 if any(TRUTH in row for head in part.heads for row in head.values.values()))
    values = {name: {SLACK: Fraction(1)} for name in right.layers[layer].heads[0].values}
    assert re.match(rf"layer {layer + 1}, heads: near", refusal(changed_head(right, layer, values=values), text))


def test_a_truth_read_beside_that_of_its_negation_is_one_choice() -> None:
    text = "ODD(#<[!(prev Q_a)])"
    assert accepted(build(text, Regime()), text)


@pytest.mark.parametrize(("definition", "axiom"), [
    ("Definition users : predicate_meanings := users_of definitions.", "users"),
    ("Lemma check_accepts : check network meanings claim = true.\nProof. vm_cast_no_check (eq_refl true). Qed.",
     "check_accepts"),
])
def test_an_axiom_in_the_place_of_a_part_is_found(definition: str, axiom: str, tmp_path: Path) -> None:
    """Coq accepts the theorem, and prints the axiom, though it looks at the parts of the proof alone."""
    text = theorem_file(build("Q_a since Q_b", Regime()), parse_formula("Q_a since Q_b", "ab"))
    statement = definition.partition(" : ")[2].partition(" :=")[0].partition(".")[0]
    source = tmp_path / "theorem.v"
    source.write_text(text.replace(definition, f"Axiom {axiom} : {statement}."), encoding="utf-8")
    coq = staying_coq_or_skip()
    library = library_of(coq)
    assert find_answer(coq, library, source, besides=axioms_of_instances(library)).reason == (
        f"it rests on axioms that are not allowed: {axiom} : {statement}")


# -- where it says no --------------------------------------------------------------------------------------------------


NEAR = "layer 1, heads: near[Q_a since Q_b] (head 1)"
NOT_DECIDED = ("tried: the scores of Theorems 15 and 16, those for low precision, any levels with a tie-breaking term, "
               "and the first or the last position alone")


def refusal(transformer: Transformer, text: str = "Q_a since Q_b") -> str:
    answer = ask_coq(transformer, parse_formula(text, "ab"))
    assert not answer.proved
    return answer.reason.partition("make it wrong: ")[2]


def refusals(*networks: Transformer) -> list[str]:
    """Return the refusals of several at once, for `Q_a since Q_b`."""
    return places(*((network, "Q_a since Q_b") for network in networks))


def test_a_refusal_names_the_stage_and_its_directions() -> None:
    right = build("Q_a since Q_b", Regime())
    (layer,) = right.layers
    silent = replace(layer, feedforward=replace(layer.feedforward, units=layer.feedforward.units[:1]))
    swapped = {**right.token_embedding, "a": right.token_embedding["b"]}
    head, units, embedding = refusals(changed_head(right, 0, mask=Mask.NONE), replace(right, layers=(silent,)),
                                      replace(right, token_embedding=swapped))
    assert head == f"{NEAR}: {NOT_DECIDED}"
    assert units == "layer 1, ReLUs: is[Q_a since Q_b]: in some case the sum of the ReLUs does not hold what it means"
    assert embedding.startswith(
        "the embedding: is[Q_a], is[Q_b], is[Q_a -> Q_b]: its embedding does not hold what it means")
    assert refusal(right, "Q_b since Q_a") == "the output does not mean the truth of the formula"


def test_a_refusal_says_what_is_the_matter_with_a_temperature() -> None:
    right = build("Q_a since Q_b", Regime())
    message = {
        "1/(i-1)": "layer 1, head 1: the temperature may have no value, or not be positive",
        "1/n+1/n": f"{NEAR}: the temperature cannot be read, expected powers of i and n, over factors such as ln(n)",
        "3/n": f"{NEAR}: the scores are too close together: 1000 times as large, they would be accepted",
    }
    changed = (changed_head(right, 0, temperature=parse_expression(text)) for text in message)
    assert refusals(*changed) == [*message.values()]


def test_a_refusal_names_the_head_and_what_was_tried() -> None:
    network = build("prev Q_a since Q_b", Regime())
    first = network.layers[0].heads[0]
    near = next(iter(first.values))
    reading = changed_head(network, 0, values={near: {**first.values[near], "is[Q_b]": Fraction(1)}})
    assert refusal(reading, "prev Q_a since Q_b") == (
        "layer 1, heads: near[prev Q_a] by even keys (head 1): tried: the scores of Theorems 12 and 13, and those for "
        "low precision")


def test_a_refusal_names_the_unit() -> None:
    right = build("Q_a since Q_b", Regime())
    (layer,) = right.layers
    first, *others = layer.feedforward.units
    changed = [replace(layer, feedforward=replace(layer.feedforward, units=(bent, *others)))
               for bent in (replace(first, bias=first.bias + by) for by in (Fraction(-1, 2), Fraction(1, 8)))]
    assert refusals(*(replace(right, layers=(layer,)) for layer in changed)) == [
        "layer 1, ReLUs: is[Q_a since Q_b]: in some case the sum of the ReLUs does not hold what it means",
        "layer 1, ReLUs: is[Q_a since Q_b]: ReLU 1 may be on either side of its kink"]
