"""Z3 for the second prover: fresh solvers, truths as terms, scripts; only the families' second files import z3, too."""
