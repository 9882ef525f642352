"""Claims about position embeddings: that no others are used than those listed, and how large they may become."""

from fractions import Fraction

from certify.auditing.claims import Demands
from certify.auditing.results import Verdict
from certify.frame.numbers import enclosed
from constructions.language.brackets import Bracket
from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer
from proofs.enclosures.expressions import enclose_at
from proofs.enclosures.intervals import Interval


def find_embedding_beyond(network: Transformer, demands: Demands, lengths: Lengths) -> tuple[Verdict, str] | None:
    """What the network embeds, or may embed, beyond what is claimed; None if nothing.

    The constant 1 and numerical predicates are always allowed.
    """
    undecided = ""
    embedded = {str(value): value for value in network.position_embedding.values()
                if not isinstance(value, Bracket) and str(value) != "1"}
    if demands.embeddings is not None:
        more = [text for text in embedded if text not in demands.embeddings]
        if more:
            besides = ", ".join(demands.embeddings) or "nothing"
            return "refuted", f"the network embeds {', '.join(more)} besides {besides}"
    if demands.embedding_bound is not None:
        for n, i in lengths.rows():
            bound = enclose_at(demands.embedding_bound, i, n)
            for text, value in embedded.items():
                found = enclose_at(value, i, n)
                least = max(found.lower, -found.upper, Fraction(0))
                most = max(abs(found.lower), abs(found.upper))
                if least > bound.upper:
                    return "refuted", (f"the position embedding {text} is {_shown(found)} at i = {i}, n = {n}, claimed "
                                       f"to be at most {_shown(bound)}")
                if most > bound.lower and not undecided:
                    undecided = (f"the enclosures are too wide to tell whether the position embedding {text} is at "
                                 f"most {demands.embedding_bound} at i = {i}, n = {n}")
    return ("unknown", undecided) if undecided else None


def _shown(number: Interval) -> str:
    return str(number.lower) if number.is_point else enclosed(number.lower, number.upper)
