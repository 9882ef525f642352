"""Theorems for words of every length, decided by Coq."""
