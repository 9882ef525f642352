"""Theorems for words of every length, as users ask for them: decided by Coq."""
