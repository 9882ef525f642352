"""The first prover: exact worst cases in ball arithmetic and exact rationals, one file for each kind of obligation."""
