"""Z3 for the second prover: solvers, formulas as terms, scripts; apart from these, only ``second`` files import z3."""
