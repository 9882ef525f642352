"""Claims about position embeddings: that no others are used than those listed, and how large they may become."""

from __future__ import annotations

from certify.auditing.claims import Demands
from constructions.language.brackets import Bracket
from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer


def find_embedding_beyond(network: Transformer, demands: Demands, lengths: Lengths) -> str:
    """What the network embeds beyond what is claimed; empty if nothing.

    The constant 1 and numerical predicates are always allowed.
    """
    embedded = {str(value): value for value in network.position_embedding.values()
                if not isinstance(value, Bracket) and str(value) != "1"}
    if demands.embeddings is not None:
        more = [text for text in embedded if text not in demands.embeddings]
        if more:
            return f"the network embeds {', '.join(more)} besides {', '.join(demands.embeddings) or 'nothing'}"
    if demands.embedding_bound is not None:
        for n, i in lengths.rows():
            bound = demands.embedding_bound.evaluate(i=i, n=n)
            for text, value in embedded.items():
                found = value.evaluate(i=i, n=n)
                if abs(found) > bound:
                    return (f"the position embedding {text} is {found} at i = {i}, n = {n}, claimed to be at most "
                            f"{bound}")
    return ""
