"""The page of `certify explain --html`: a formula taught, step by step, on a word that one edits."""
