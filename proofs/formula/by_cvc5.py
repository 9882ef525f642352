"""Answer of cvc5 to an SMT-LIB script: ``python proofs/formula/by_cvc5.py FILE`` prints sat, unsat or unknown.

It runs in its own process, which can be stopped, and imports nothing of this project.
"""

import sys


def answer(path: str) -> str:
    """Return the answer to the one ``check-sat`` of a script."""
    import cvc5

    solver = cvc5.Solver()
    parser = cvc5.InputParser(solver)
    parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, path)
    symbols = parser.getSymbolManager()
    printed = []
    while not (command := parser.nextCommand()).isNull():
        if command.getCommandName() != "set-info":  # cvc5 would call an answer that is not the stated one an error
            printed.append(str(command.invoke(solver, symbols)).strip())
    return " ".join(text for text in printed if text)


if __name__ == "__main__":
    print(answer(sys.argv[1]))
