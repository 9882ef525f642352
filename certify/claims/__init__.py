"""The kinds of claims, as users ask for them: in each the question, the answer, what is shown; docs/map.md."""
