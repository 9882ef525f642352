"""A network with its names as a Coq file, and the file that states that ``model.json`` is proved.

The names are kept as JSON spells them, in ASCII. ``proofs/coq/model_text.v`` writes the text of a model file from them
and from the network, and Coq compares it with the text that lies beside: nothing printed here is trusted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from constructions.language.printer import FormulaWriter
from constructions.language.syntax import Formula
from constructions.network.meanings import texts_of_network
from constructions.network.transformer import Transformer
from proofs.by_coq.transformer_file import THEOREM, CoqFile, listed

FOLDER = "Folder"
"""The logical name of an exported folder."""
MODEL = "model_json"
"""The Coq file that holds the text of ``model.json``; it is made when the folder is checked."""

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
(* What is proved of model.json: it is the file of a network over these letters that computes this formula, for every
   length n >= 1, every word and every position; `file_computes` is defined in library/model_text.v. *)
From Coq Require Import List String.
From Certify Require Import model_text.
From {folder} Require {model} {theorem}.
Import ListNotations.
Open Scope string_scope.

Theorem model_json_is_proved :
  file_computes {model}.text [{letters}] {formula}.
Proof.
  apply (file_computes_if {theorem}.model {theorem}.claim).
  - vm_cast_no_check (eq_refl true).
  - exact {theorem}.network_computes.
Qed.

Print Assumptions model_json_is_proved.
"""


def model_file(transformer: Transformer, formula: Formula) -> str:
    """The network, the theorem about it, and the names that its file has beside: ``theorem_file`` with a ``model``.

    Raises:
        Unsupported: naming a part of the transformer that the Coq library has no counterpart of.
    """
    file = CoqFile(transformer, formula)
    texts = texts_of_network(transformer.directions.values(), transformer.position_embedding.values())
    labels = ["[" + "; ".join(f"({literal(head.name)}, {literal(head.source)})" for head in layer.heads) + "]"
              for layer in transformer.layers]
    names = _MODEL.format(letters=_literals(transformer.alphabet), labels=listed(labels),
                          listed="; ".join(file.names[part] for part in texts.listed),
                          directions=listed(list(map(literal, transformer.directions))))
    return file.text(f"{names}\n{THEOREM}")


def statement_file(transformer: Transformer, formula: Formula, theorem: str) -> str:
    """The statement about ``model.json``, and its proof from the file of that name."""
    return _STATEMENT.format(folder=FOLDER, model=MODEL, theorem=theorem, letters=_literals(transformer.alphabet),
                             formula=literal(FormulaWriter({}).formula(formula)))


def literal(text: str) -> str:
    """The text as JSON spells it, as a string of Coq.

    >>> print(literal('"' + "\\u00e9"))
    "\\\\""\\u00e9"
    """
    return '"' + json.dumps(text, ensure_ascii=True)[1:-1].replace('"', '""') + '"'


def _literals(texts: Iterable[str]) -> str:
    return "; ".join(map(literal, texts))
