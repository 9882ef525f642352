"""Mutants of the checker's code: changes of one place that no test sees.

    python -m pytest -n 0 -p tests.sabotage.mutants_of_code --mutate 'kernel/*.py' --survivors FILE --mutants 99 TESTS

runs the tests once, notes which lines each covers, and then, for each mutant of a line, the quickest of those that
cover it until one fails. A mutant that survives is the same as the code, or is a property that no test states; a reader
decides. Nothing is written into the sources: a forked process gets the mutant's code, and ends.
"""

import ast
import copy
import gc
import os
import random
import resource
import signal
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import coverage
import pytest
from hypothesis import Phase, settings

ROOT = Path(__file__).resolve().parents[2]
CHECKER = ROOT / "proofs" / "check" / "checker"
Place = tuple[str, int, int]


class Mutant(NamedTuple):
    """A node in a field of another (or in its list), and what is put there instead."""

    line: int
    what: str
    parent: ast.AST
    field: str
    at: int | None
    new: ast.AST


COMPARED: dict[type, Sequence[type]] = {
    ast.Lt: [ast.LtE], ast.LtE: [ast.Lt], ast.Gt: [ast.GtE], ast.GtE: [ast.Gt], ast.Eq: [ast.LtE, ast.GtE],
    ast.NotEq: [ast.Lt, ast.Gt]}
CALCULATED: dict[type, Sequence[type]] = {ast.Add: [ast.Sub], ast.Sub: [ast.Add], ast.Mult: [ast.Add]}
CALLED = {"min": "max", "max": "min", "any": "all", "all": "any"}


def constant(value: object) -> ast.Constant:
    return ast.Constant(value)  # type: ignore[arg-type]  # what is passed is a bool or an int


def changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield the replacements of a node."""
    match node:
        case ast.Expr(value=ast.Call()) | ast.Raise() | ast.Assert() | ast.Continue() | ast.AugAssign():
            yield "nothing", ast.Pass()
        case ast.If() | ast.IfExp():
            for value in (True, False):
                changed = copy.copy(node)
                changed.test = constant(value)
                yield f"if {value}", changed
        case ast.comprehension(ifs=[_, *rest]):
            yield "no if", ast.comprehension(node.target, node.iter, rest, node.is_async)
        case ast.Compare(ops=ops):
            for k, operator in enumerate(ops):
                for new in COMPARED.get(type(operator), ()):
                    yield f"{new.__name__}", ast.Compare(node.left, [*ops[:k], new(), *ops[k + 1:]], node.comparators)
        case ast.BoolOp(op=operator, values=values):
            for k in range(len(values)):
                others = [*values[:k], *values[k + 1:]]
                yield f"without part {k + 1}", ast.BoolOp(operator, others) if others[1:] else others[0]
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield "sign", operand
        case ast.BinOp(left=left, op=ast.FloorDiv() | ast.RShift() as operator, right=right):
            yield "up", ast.UnaryOp(ast.USub(), ast.BinOp(ast.UnaryOp(ast.USub(), left), operator, right))
        case ast.BinOp(left=left, op=operator, right=right):
            for new in CALCULATED.get(type(operator), ()):
                yield new.__name__, ast.BinOp(left, new(), right)
        case ast.Call(func=ast.Name(id=name), args=arguments) if name in CALLED:
            yield CALLED[name], ast.Call(ast.Name(CALLED[name], ast.Load()), arguments, node.keywords)
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            yield f"{value + 1}", constant(value + 1)
        case ast.Slice(lower=lower, upper=upper):
            for new_slice in ([ast.Slice(None, upper)] if lower else []) + ([ast.Slice(lower, None)] if upper else []):
                yield "slice", new_slice


def pays(node: ast.AST) -> bool:
    """Return whether the node charges work, which is the subject of tests/check/test_work_is_paid_for.py."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="spend"))):
            return True
        case _:
            return False


def mutants_of(node: ast.AST, inside: bool = False) -> Iterator[Mutant]:
    """All mutants of what functions do; texts and annotations are left alone."""
    inside = inside or isinstance(node, ast.FunctionDef | ast.Lambda)
    for field, value in ast.iter_fields(node):
        if field in {"annotation", "returns", "decorator_list", "type_params", "args", "exc", "msg"} and not (
                field == "args" and isinstance(node, ast.Call)):
            continue
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.JoinedStr) or pays(child):
                continue
            if inside:
                line = getattr(child, "lineno", getattr(node, "lineno", 0))
                for what, new in changes(child):
                    fixed = ast.fix_missing_locations(ast.copy_location(new, child))
                    yield Mutant(line, f"{what}: {ast.unparse(child).splitlines()[0]}", node, field, index, fixed)
            yield from mutants_of(child, inside)


def compiled(tree: ast.Module, mutant: Mutant, path: Path) -> CodeType:
    """Return the file with the mutant in it."""
    fields: Any = getattr(mutant.parent, mutant.field) if mutant.at is not None else vars(mutant.parent)
    key: Any = mutant.field if mutant.at is None else mutant.at
    old = fields[key]
    fields[key] = mutant.new
    try:
        return compile(tree, str(path), "exec")
    finally:
        fields[key] = old


def used() -> float:
    """Seconds of processor so far: the order of tests depends on them, and how many are tried."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def place(code: CodeType) -> Place:
    return code.co_qualname, code.co_firstlineno, next((c for _, _, c, _ in code.co_positions() if c is not None), 0)


def codes(code: CodeType) -> Iterator[CodeType]:
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield inner
            yield from codes(inner)


class Hunt:
    """The tests of this session, what they cover, and the functions that live."""

    def __init__(self, session: pytest.Session) -> None:
        config = session.config
        self.session, self.items = session, session.items
        asked = [one.partition(":") for one in config.getoption("mutate")]
        self.lines = {(p, int(line)) for glob, _, line in asked if line for p in CHECKER.glob(glob)}
        self.files = sorted({p for glob, _, _ in asked for p in CHECKER.glob(glob) if p.suffix == ".py"})
        self.log = Path(config.getoption("survivors"))
        self.budget, self.most = config.getoption("mutant_seconds"), config.getoption("mutants")
        self.covers: dict[tuple[str, int], list[int]] = {}
        self.seconds = [0.0] * len(self.items)

    def passed_by(self, indices: Sequence[int]) -> Iterator[int]:
        """Run these tests, and say which pass."""
        items = [self.items[index] for index in indices]
        for index, item, following in zip(indices, items, [*items[1:], None], strict=True):
            before = self.session.testsfailed
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            yield index if self.session.testsfailed == before else -1

    def look(self) -> None:
        """Run all tests once."""
        covered = coverage.Coverage(data_file=None, include=[str(p) for p in self.files], config_file=False)
        covered.start()
        covered.switch_context("0")
        start, passed = used(), set()
        for index, found in enumerate(self.passed_by(range(len(self.items)))):
            passed.add(found)
            self.seconds[index] = used() - start
            covered.switch_context(str(index + 1))
            start = used()
        covered.stop()
        data = covered.get_data()
        for path in self.files:
            for line, contexts in data.contexts_by_lineno(str(path)).items():
                indices = {int(c) for c in contexts if c} & passed
                self.covers[str(path), line] = sorted(indices, key=lambda i: self.seconds[i])
        gc.unfreeze()
        self.functions = defaultdict[str, list[FunctionType]](list)
        self.caches = []
        for thing in gc.get_objects():
            if isinstance(thing, FunctionType):
                self.functions[thing.__code__.co_filename].append(thing)
            elif hasattr(type(thing), "cache_clear") and thing.__module__.startswith("proofs.check"):
                self.caches.append(thing)
        gc.freeze()

    def outcome(self, code: CodeType, path: Path, tests: Sequence[int]) -> str:
        """Return the result of a forked process that runs the tests with this code."""
        new = {place(inner): inner for inner in codes(code)}
        changed = [(f, new[place(f.__code__)]) for f in self.functions[str(path)]
                   if place(f.__code__) in new and new[place(f.__code__)] != f.__code__]
        if not changed:
            return "not tried"
        child = os.fork()
        if child == 0:
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            resource.setrlimit(resource.RLIMIT_CPU, (int(3 * self.budget) + 5,) * 2)
            resource.setrlimit(resource.RLIMIT_AS, (8 << 30,) * 2)
            signal.alarm(int(20 * self.budget) + 60)
            try:
                for function, other in changed:
                    function.__code__ = other
                for cache in self.caches:
                    cache.cache_clear()
                os._exit(0 if -1 not in self.passed_by(tests) else 1)
            finally:
                os._exit(2)
        _, status = os.waitpid(child, 0)
        return {0: "survived", 1: "found"}.get(os.waitstatus_to_exitcode(status), "found (ended)")

    def hunt(self, share: int, shares: int) -> None:
        """Try this share of all mutants, in an order that says something of all files however soon it ends."""
        trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in self.files}
        mutants = [(path, mutant) for path, tree in trees.items() for mutant in mutants_of(tree)
                   if not self.lines or (path, mutant.line) in self.lines]
        random.Random(0).shuffle(mutants)
        for path, mutant in mutants[share::shares][:self.most]:
            tests, spent = list[int](), 0.0
            for index in self.covers.get((str(path), mutant.line), ()):
                spent += self.seconds[index]
                if tests and spent > self.budget:
                    break
                tests.append(index)
            try:
                found = self.outcome(compiled(trees[path], mutant, path), path, tests) if tests else "no test"
            except (ValueError, SyntaxError, TypeError) as reason:
                found = f"no code: {reason}"
            self.write(f"{found}: {path.relative_to(CHECKER)}:{mutant.line}: {mutant.what} [{len(tests)} tests]")

    def write(self, line: str) -> None:
        with self.log.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("mutants of code")
    group.addoption("--mutate", action="append", default=[], help="files of proofs/check/checker, or FILE:LINE")
    group.addoption("--survivors", default=os.devnull, help="where a line for each mutant is written")
    group.addoption("--mutant-seconds", type=float, default=10, help="the most that the tests of a mutant take")
    group.addoption("--mutant-processes", type=int, default=2, help="how many processes share the files")
    group.addoption("--mutants", type=int, help="the most mutants that a process tries, in a random order")


@pytest.hookimpl(trylast=True)
def pytest_configure() -> None:
    """A failing example is not made smaller."""
    settings.register_profile("short", settings(), phases=[Phase.explicit, Phase.generate])
    settings.load_profile("short")


def pytest_runtestloop(session: pytest.Session) -> bool | None:
    if not session.config.getoption("mutate"):
        return None
    hunt = Hunt(session)
    hunt.look()
    print(f"{len(hunt.items)} tests, {sum(hunt.seconds):.0f} s", file=sys.stderr)
    processes = session.config.getoption("mutant_processes")
    first = next((k for k in range(1, processes) if os.fork() == 0), 0)
    hunt.hunt(first, processes)
    if first:
        os._exit(0)
    for _ in range(1, processes):
        os.wait()
    return True
