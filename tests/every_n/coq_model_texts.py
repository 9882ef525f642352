"""Many model files in one run of Coq: whether the text that Coq writes for each network is the file's."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from certify.requests.subjects import find_formula
from constructions.network.json_form import transformer_to_json, write_canonical
from constructions.network.transformer import Transformer
from proofs.every_n.model_file import definitions_of_model, literal, plain_text, text_file
from tests.with_coq import library_of, staying_coq_or_skip


@dataclass(frozen=True)
class Stated:
    """A network, and a text that its model file is said to have; what Coq reads of the network may be another one."""

    network: Transformer
    text: str
    definitions: str | None = None


def own_text(network: Transformer) -> str:
    """Return the text of the network's model file."""
    return write_canonical(transformer_to_json(network))


def coq_agrees(statements: Iterable[Stated], folder: Path) -> list[bool]:
    """Return, for each file, whether Coq computes it as that of the network, its letters and its formula."""
    source = folder / "texts.v"
    networks = groupby(statements, key=lambda stated: (stated.network, stated.definitions))
    source.write_text("".join(_questions(number, network, definitions, [stated.text for stated in group])
                              for number, ((network, definitions), group) in enumerate(networks)), encoding="utf-8")
    coq = staying_coq_or_skip()
    run = coq.compile(source, library_of(coq))
    assert run.accepted, run.complaint
    return [value == "true" for value in re.findall(r"= (true|false)\s+: bool", run.printed)]


def _questions(number: int, network: Transformer, definitions: str | None, texts: list[str]) -> str:
    formula = find_formula(network)
    assert formula is not None
    letters = "; ".join(map(literal, network.alphabet))
    predicates = "; ".join(literal(definition.description) for definition in network.predicates())
    asked = (f"Module T{place}.\n{text_file(text).partition('model_text.')[2]}\nEval vm_compute in "
             f"file_states every_length model claim text ([{letters}]%string) ([{predicates}]%string) "
             f"{literal(plain_text(formula))}%string.\n"
             f"End T{place}.\n" for place, text in enumerate(texts))
    definitions = definitions or definitions_of_model(network, formula)
    return f"Module M{number}.\n{definitions}\n{''.join(asked)}End M{number}.\n"
