"""Embeddings as dense matrices."""

from constructions.network.dense import Matrix, dense_matrix
from constructions.network.transformer import Transformer


def dense_embeddings(transformer: Transformer, n: int) -> tuple[Matrix, Matrix]:
    """Token embeddings (symbols, d) in the order of the alphabet, and position embeddings (n, d) for length n."""
    names = list(transformer.directions)
    tokens = dense_matrix([transformer.token_embedding[symbol] for symbol in transformer.alphabet], names)
    positions = dense_matrix(
        [{name: value.evaluate(i=i, n=n) for name, value in transformer.position_embedding.items()}
         for i in range(1, n + 1)], names)
    return tokens, positions
