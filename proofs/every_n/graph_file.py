"""A transformer as a Coq file in which large formulas have names, so that formulas are as large as their graphs.

``check_graph.v`` has the checker and its theorem: the k-th named formula is ``User (b + k)``, where b is the number of
users' predicates, and the theorem is about the claim with all names unfolded.
"""

from collections.abc import Sequence

from constructions.errors import Unsupported
from constructions.language.printer import format_briefly, written_length
from constructions.language.syntax import Formula, Not, is_positional, is_symbolic
from constructions.network.transformer import Transformer
from proofs.every_n.instances import PRINT_AXIOMS, theorem_about_graph
from proofs.every_n.lengths import EVERY_LENGTH, ProvedLengths
from proofs.every_n.transformer_file import CoqFile, comment, listed, mentioned_formulas

LONGEST_AS_TREES = 2_000
"""Formulas up to this many characters are written without names."""
_LONGEST_WITHOUT_NAME = 60
MOST_NAMES = 20_000
"""Coq writes the numbers of names in unary."""

_HEADER = """\
From Certify Require Import check_graph.
"""

_REFUSAL = """\
From Certify Require Import refusal.
Eval vm_compute in find_refusal_in_graph {base} named_formulas {lengths} network meanings claim.
"""


def is_large(transformer: Transformer, formula: Formula) -> bool:
    """Return whether names are useful: for the formula, or another one that the transformer mentions."""
    return max(map(written_length, mentioned_formulas(transformer, formula))) > LONGEST_AS_TREES


def graph_theorem_file(transformer: Transformer, formula: Formula, lengths: ProvedLengths = EVERY_LENGTH) -> str:
    """Return the text of ``transformer_file.theorem_file``, with names for large formulas.

    Raises:
        Unsupported: naming a part of the transformer that the Coq library has no counterpart of.
    """
    return GraphFile(transformer, formula).theorem(lengths)


def graph_refusal_file(transformer: Transformer, formula: Formula, lengths: ProvedLengths = EVERY_LENGTH) -> str:
    """Return the text of ``transformer_file.refusal_file``, with names for large formulas.

    Raises:
        Unsupported: as ``graph_theorem_file``.
    """
    file = GraphFile(transformer, formula)
    return file.text(_HEADER + _REFUSAL.format(base=file.base, lengths=lengths.data()))


class GraphFile(CoqFile):
    """Printer of a file; for a large formula, ``names`` has the constant that is its name."""

    @property
    def base(self) -> str:
        """The number of the first name."""
        return f"{len(self.users)}%nat"

    def theorem(self, lengths: ProvedLengths = EVERY_LENGTH) -> str:
        """Return the whole file, with the theorem about these lengths."""
        return self.text(_HEADER + theorem_about_graph(lengths, self.base) + PRINT_AXIOMS)

    def _check_sizes(self, formula: Formula, mentioned: Sequence[Formula]) -> None:
        """Accept any size, as graphs stay small."""

    def _formulas(self) -> str:
        lines, named = [], []
        for formula, name in self.names.items():
            text, note = self._top(formula), comment(format_briefly(formula))
            if _has_name(formula):
                named.append(f"{text} {note}")
                text = f"Positional (User {len(self.users) + len(named) - 1})"
            lines.append(f"Definition {name} : formula := {text}. {note}")
        if len(named) > MOST_NAMES:
            raise Unsupported(f"the formula has {len(named)} large parts, expected at most {MOST_NAMES}")
        return "\n".join([*lines, f"Definition named_formulas : list formula :={listed(named)}.\n"])


def _has_name(formula: Formula) -> bool:
    """Return whether a formula gets a name; a negation gets none, as it is recognised next to its operand."""
    return (written_length(formula) > _LONGEST_WITHOUT_NAME
            and not isinstance(formula, Not) and not is_symbolic(formula) and not is_positional(formula))
