"""The kinds of claims: for each the question, the answer and its display; docs/reference/map.md."""
