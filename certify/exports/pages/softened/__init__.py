"""The page of a softened transformer: softmax instead of hard attention (docs/howto/soften.md)."""
