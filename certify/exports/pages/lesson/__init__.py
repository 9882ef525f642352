"""The page of `certify explain --html`: a lesson about a formula, step by step, on a word that the user edits."""
