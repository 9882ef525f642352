"""A network with its names as a Coq file, and the file that states that ``model.json`` is proved.

The names are kept as JSON spells them, in ASCII. ``model_text.v`` computes the text of a model file from them and from
the network, and Coq compares it with the text of the file: nothing printed here is trusted.
"""

import json
from collections.abc import Iterable

from constructions.language.printer import FormulaWriter
from constructions.language.syntax import Formula
from constructions.network.json_form import transformer_to_json, write_canonical
from constructions.network.meanings import texts_of_network
from constructions.network.transformer import Transformer
from proofs.every_n.instances import theorem_about
from proofs.every_n.lengths import EVERY_LENGTH, ProvedLengths
from proofs.every_n.transformer_file import CoqFile, listed

FOLDER = "Folder"
"""The logical name of an exported folder."""
MODEL = "model_json"
"""The Coq file that holds the text of ``model.json``; it is made when the folder is checked."""

STATEMENT = "statement"
"""The Coq file with the theorem about that text."""

_TEXT = """\
From Coq Require Import String List.
From Certify Require Import model_text.
"""

_MODEL = """\
From Certify Require Import model_text.
Definition letters : list string := [{letters}]%string.
Definition listed_formulas : list formula := [{listed}].
Definition directions : list string :={directions}%string.
Definition labels : list (list (string * string)) :={labels}%string.
Definition model : model_text.model :=
  Model letters definitions listed_formulas directions labels network meanings.
"""

_STATEMENT = """\
(* What is proved of model.json: it is the file of a network over these letters, with these definitions of predicates,
   that computes this formula, for every length {among}, every word and every position; `{said}` is defined in
   library/model_text.v. *)
From Coq Require Import List String.
From Certify Require Import {imported}.
Require {folder}.{model} {folder}.{theorem}.
Import ListNotations.
Open Scope string_scope.

Theorem model_json_is_proved :
  {said}{lengths} {folder}.{model}.text [{letters}] [{predicates}]
    {formula}.
Proof.
  apply ({said}_if{lengths} {folder}.{theorem}.model {folder}.{theorem}.claim).
  - vm_cast_no_check (eq_refl true).
  - exact {folder}.{theorem}.network_computes.
Qed.

Print Assumptions model_json_is_proved.
"""


def proof_files(transformer: Transformer, formula: Formula, theorem: str, lengths: ProvedLengths = EVERY_LENGTH,
                ) -> dict[str, str]:
    """Return the text of the model file, the network with its theorem, and the statement, in compilation order.

    Raises:
        Unsupported: naming a part of the transformer that the Coq library has no counterpart of.
    """
    return {
        f"{MODEL}.v": text_file(write_canonical(transformer_to_json(transformer))),
        f"{theorem}.v": model_file(transformer, formula, lengths),
        f"{STATEMENT}.v": statement_file(transformer, formula, theorem, lengths),
    }


def text_file(text: str) -> str:
    """Return the text of a model file as a Coq string, in parts of 50 lines (for Coq's stack), as the script does."""
    lines = text.removesuffix("\n").split("\n")
    parts = ["\n".join(lines[k:k + 50]).replace('"', '""') for k in range(0, len(lines), 50)]
    return _TEXT + "".join(f'Definition part{k} : part := "{part}\n"%part.\n' for k, part in enumerate(parts, 1)) + (
        "Definition text : string := text_of_parts ("
        + "".join(f"part{k} :: " for k in range(1, len(parts) + 1)) + "nil).\n")


def model_file(transformer: Transformer, formula: Formula, lengths: ProvedLengths = EVERY_LENGTH) -> str:
    """Return the network, the names in its file, and the theorem that it computes the formula.

    Raises:
        Unsupported: naming a part of the transformer that the Coq library has no counterpart of.
    """
    return f"{definitions_of_model(transformer, formula)}\n{theorem_about(lengths)}"


def definitions_of_model(transformer: Transformer, formula: Formula) -> str:
    """Return the file without the theorem: a ``model``, and the ``claim``.

    Raises:
        Unsupported: as ``model_file``.
    """
    file = CoqFile(transformer, formula)
    texts = texts_of_network(transformer.directions.values(), transformer.position_embedding.values())
    labels = ["[" + "; ".join(f"({literal(head.name)}, {literal(head.source)})" for head in layer.heads) + "]"
              for layer in transformer.layers]
    return file.text(_MODEL.format(
        letters=_literals(transformer.alphabet), labels=listed(labels),
        listed="; ".join(file.names[part] for part in texts.listed),
        directions=listed(list(map(literal, transformer.directions)))))


def statement_file(transformer: Transformer, formula: Formula, theorem: str, lengths: ProvedLengths = EVERY_LENGTH,
                   ) -> str:
    """Return the statement about ``model.json`` and these lengths, and its proof from the file with this theorem."""
    return _STATEMENT.format(
        folder=FOLDER, model=MODEL, theorem=theorem, letters=_literals(transformer.alphabet),
        predicates=_literals(definition.description for definition in transformer.predicates()),
        formula=literal(plain_text(formula)), among=lengths.bounds, said=name_of_statement(lengths),
        lengths="" if lengths.all else f" {lengths.data()}",
        imported="model_text" if lengths.all else "network model_text")


def name_of_statement(lengths: ProvedLengths) -> str:
    """Return the name of the statement about a file and these lengths in ``proofs/coq/network/model_text.v``."""
    return "file_computes" if lengths.all else "file_computes_for"


def plain_text(formula: Formula) -> str:
    """Return the formula, however long, without definitions of its parts."""
    return FormulaWriter({}).formula(formula)


def literal(text: str) -> str:
    r"""Return the text as JSON spells it, as a string of Coq.

    >>> print(literal('"' + "\u00e9"))
    "\""\u00e9"
    """
    return '"' + json.dumps(text, ensure_ascii=True)[1:-1].replace('"', '""') + '"'


def _literals(texts: Iterable[str]) -> str:
    return "; ".join(map(literal, texts))
