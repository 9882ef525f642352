"""The page of a softened transformer: hard attention, and softmax in its place (docs/softened.md)."""
