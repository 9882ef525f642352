"""Mutants of certificates about parts: whatever the checker accepts is true on every word, by brute force."""

import json
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from certify.claims.trained.ablation import decide_circuit, name_of
from certify.claims.trained.decide import Settings
from certify.claims.trained.head_averages import measure_near, prove_near
from certify.claims.trained.heads import decide_mass
from constructions.errors import InputError
from constructions.trained.claim_form import claim_from_json
from constructions.trained.head_patterns import HeadClaim, parse_pattern
from constructions.trained.json_form import network_from_json
from proofs.check import Refusal, check_text
from proofs.trained.circuits import Part, edges_of, parts_of
from proofs.trained.forward import FloatNetwork
from proofs.trained.words import WordMargins, words_in_batches
from tests.trained.test_ablation import zoo

N = 4
Document = dict[str, Any]


@cache
def document(kind: str) -> Document:
    """Return an accepted certificate of each kind of claim about parts."""
    if kind == "circuit":
        network, claim = zoo("tomita_2", N)
        gone = [part for part in parts_of(network) if not part.is_head and part.number not in (39, 57)]
        text = decide_circuit(network, claim, gone).decision.certificate
    elif kind == "without its head":
        network, claim = zoo("last_letter", N)
        text = decide_circuit(network, claim, [Part(0, 0, True), *(
            part for part in parts_of(network) if part.number > 3)]).decision.certificate
    elif kind == "edges":
        network, claim = zoo("first", N)
        kept = {"tokens -> head 1.1", "positions -> head 1.1", "head 1.1 -> logits", "head 1.1"}
        text = decide_circuit(network, claim, [part for part in [*parts_of(network), *edges_of(network)]
                                               if name_of(network, part) not in kept]).decision.certificate
    elif kind == "edges of two layers":
        network, claim = zoo("tomita_7_deep", N)
        kept = {"tokens -> head 1.1", "tokens -> head 2.1", "head 1.1 -> head 2.1", "head 2.1 -> block 2",
                "block 2 -> logits"}
        text = decide_circuit(network, claim, [part for part in edges_of(network) if part.to and not (
            {name_of(network, part)} & kept) and not name_of(network, part).startswith("block 1")]).decision.certificate
    elif kind == "uniform":
        network, claim = zoo("d_2", 2)
        decision = prove_near(network, claim, measure_near(network, claim, (1, 1), "uniform"), Settings()).decision
        text = None if decision is None else decision.certificate
    else:
        network, claim = zoo("first", N)
        pattern = parse_pattern(kind, "01", {})
        bounds = {"first": (Fraction("0.9968"), None), "previous": (None, Fraction("0.99996"))}[kind]
        text = decide_mass(network, claim, HeadClaim(1, 1, pattern, *bounds)).certificate
    assert text is not None
    found: Document = json.loads(text)
    return found


def mutants(given: Document) -> Iterator[tuple[str, Document]]:
    """Yield certificates with one thing changed: an edit, a neuron, a mark, a position, the alphabet, a bound."""
    network, claim = given["network"], given["claim"]

    def of_network(edits: list[Document]) -> Document:
        return given | {"network": {key: value for key, value in network.items() if key != "edits"} | (
            {"edits": edits} if edits else {})}

    def of_claim(**changed: object) -> Document:
        return given | {"claim": claim | changed}

    for place, edit in enumerate(network["edits"]):
        others = [*network["edits"][:place], *network["edits"][place + 1:]]
        yield "edit dropped", of_network(others)
        changes: list[tuple[str, Document]] = [("another part", {"step": 1 - edit["step"]})] if "step" in edit else []
        if "neurons" in edit:
            changes += [("neuron", {"neurons": sorted({*edit["neurons"], 5} - {kept})}) for kept in edit["neurons"]]
            changes += [("neuron", {"neurons": edit["neurons"][:-1]}), ("neuron", {"neurons": []}),
                        ("constants", {"to": ["1"] * 62})]
        if "from" in edit:
            earlier = [[step, 0] for step in range(-1, edit["step"])] + [[-1, 1]]
            changes += [("edge", {"from": sorted(one for one in earlier if (one in edit["from"]) != (one == other))})
                        for other in earlier]
            changes += [("edge", {"step": edit["step"] - 1}), ("edge", {"step": edit["step"] + 1}),
                        ("constants of an edge", {"to": ["1", "-1"] * 8})]
        if "tokens" in edit:
            changes += [("mark", {"tokens": tokens}) for tokens in ([0], [1], [0, 2], [1, 2], [0, 1, 2])]
        if "what" in edit:
            changes += [("read", {"what": what}) for what in ("mass", "average", "average less uniform")]
        for name, change in changes:
            yield name, of_network([*network["edits"][:place], edit | change, *network["edits"][place + 1:]])
    yield "sharpened", of_network(sorted([*network["edits"], {"edit": "sharpen head", "step": 0, "head": 0,
                                                                "doublings": 2}], key=_order))
    yield "head set", of_network([{"edit": "set head", "step": 0, "head": 0, "to": None}, *network["edits"]])
    tokens = claim["tokens"]
    for some in ([*tokens[1:], tokens[0]], list(reversed(tokens)), [tokens[0]] * len(tokens),
                 [token + 1 for token in tokens]):
        yield "tokens", of_claim(tokens=some)
    yield "before", of_claim(before=[])
    yield "before", of_claim(before=tokens[:1])
    yield "alphabet", of_claim(alphabet=claim["alphabet"][:-1], tokens=tokens[:-1])
    yield "alphabet", of_claim(alphabet=list(reversed(claim["alphabet"])))
    yield "lengths", of_claim(max_n=claim["max_n"] + 1)
    yield "lengths", of_claim(max_n=claim["max_n"] - 1)
    for place, case in enumerate(claim["cases"]):
        formula = case["when"].get("formula")
        patterns = {"H ($1 <-> !prev true)", "H $1", "H !$1", "$1 & !prev O $1", "!$1 & prev ($1 & !prev O $1)", "true"}
        marked = "(" + " | ".join(f"Q['{one}']" for one in claim["alphabet"][len(tokens) // 2:]) + ")"
        for other in sorted(patterns) if formula else ():
            changed = [*claim["cases"][:place], case | {"when": case["when"] | {
                "formula": other.replace("$1", marked)}}, *claim["cases"][place + 1:]]
            yield "position", of_claim(cases=changed)
        if case["when"].get("states"):
            yield "states", of_claim(cases=[*claim["cases"][:place], case | {"when": case["when"] | {
                "states": [state + 1 for state in case["when"]["states"]]}}, *claim["cases"][place + 1:]])
        for row in range(len(case["above"])):
            for factor in (-1, 2):
                rows = json.loads(json.dumps(case["above"]))
                rows[row][0][1] = str(Fraction(rows[row][0][1]) * factor)
                yield "row", of_claim(cases=[*claim["cases"][:place], case | {"above": rows},
                                             *claim["cases"][place + 1:]])


def _order(edit: Document) -> tuple[int, int]:
    kinds = ("set head", "keep neurons", "sharpen head", "mark tokens", "cut edges", "read head")
    return kinds.index(edit["edit"]), edit.get("step", 0)


def text_of(given: Document) -> bytes:
    return (json.dumps(given, indent=1) + "\n").encode()


def is_true(mutant: Document) -> bool:
    """Return whether the claim of a certificate is true on all of its words, run in floating point."""
    claim = claim_from_json(mutant["claim"], "m")
    network = network_from_json(mutant["network"], "m")
    judge = WordMargins(FloatNetwork(network), claim)
    return all(judge.margins(words, 0).min(initial=np.inf) > 0 for n in range(claim.lengths[0], claim.lengths[1] + 1)
               for words in words_in_batches(len(claim.alphabet), n, 1 << 12))


KINDS = ["first", "previous", "uniform", "circuit", "edges", pytest.param(
    "edges of two layers", marks=pytest.mark.exhaustive), "without its head"]


@pytest.mark.parametrize("kind", KINDS)
def test_no_mutant_that_is_accepted_is_false(kind: str) -> None:
    given, verdicts = document(kind), Counter[str]()
    check_text(text_of(given))
    for name, mutant in mutants(given):
        try:
            check_text(text_of(mutant))
        except Refusal:
            verdicts["rejected"] += 1
        else:
            assert is_true(mutant), name
            verdicts["accepted and true"] += 1
    assert verdicts["rejected"] > 10 and verdicts["accepted and true"] > 0, verdicts


def test_false_claims_about_parts_are_among_the_mutants_and_all_are_rejected() -> None:
    false = Counter[str]()
    for kind in ("first", "circuit", "edges"):
        for name, mutant in mutants(document(kind)):
            try:
                if is_true(mutant):
                    continue
            except (InputError, IndexError, ValueError):
                continue
            false[name] += 1
            with pytest.raises(Refusal):
                check_text(text_of(mutant))
    assert {"edit dropped", "neuron", "mark", "position", "tokens", "row", "edge"} <= set(false), false
