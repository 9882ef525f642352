"""The mutants of a small function, and what they compute: each changes one place, and the source is as before."""

import ast
from pathlib import Path

from tests.sabotage.mutants_of_code import codes, compiled, mutants_of

SOURCE = '''
def f(x: int, found: list[int]) -> int:
    """A text of 1 word."""
    if x < 2 and not found:
        found.append(3)
    return min(x // 2, sum(y for y in found if y > 0))
'''


def test_each_place_of_what_a_function_does_is_changed_and_no_other() -> None:
    tree = ast.parse(SOURCE)
    before, found = ast.dump(tree), {}
    for mutant in mutants_of(tree):
        (code, *_) = codes(compiled(tree, mutant, Path("f.py")))
        found[mutant.line, mutant.what.partition("\n")[0]] = code
    assert ast.dump(tree) == before and set(found) == {
        (4, "if True: if x < 2 and (not found):"), (4, "if False: if x < 2 and (not found):"),
        (4, "without part 1: x < 2 and (not found)"), (4, "without part 2: x < 2 and (not found)"), (4, "LtE: x < 2"),
        (4, "sign: not found"), (4, "3: 2"), (5, "nothing: found.append(3)"), (5, "4: 3"),
        (6, "max: min(x // 2, sum((y for y in found if y > 0)))"), (6, "up: x // 2"), (6, "3: 2"),
        (6, "no if:  for y in found if y > 0"), (6, "GtE: y > 0"), (6, "1: 0")}
    computed = {}
    for key, code in found.items():
        namespace: dict[str, object] = {}
        exec(compile(SOURCE, "f.py", "exec"), namespace)
        f = namespace["f"]
        f.__code__ = code  # type: ignore[attr-defined]
        computed[key] = f(5, [-1, 4])  # type: ignore[operator]
    assert computed[6, "up: x // 2"] == 3 and computed[5, "4: 3"] == 2
    assert computed[6, "max: min(x // 2, sum((y for y in found if y > 0)))"] == 4
