"""Answer of Z3 to an SMT-LIB script: ``python proofs/formula/z3/read_script.py FILE`` prints sat, unsat or unknown."""

import sys

import z3

if __name__ == "__main__":
    solver = z3.Solver()
    solver.from_file(sys.argv[1])
    print(solver.check())
