"""Mutants of a certificate: small changes at every place of the file, and hostile names in every role.

All are written in the one spelling of certificates, so that it is not the spelling that is refused; the few whose
spelling is wrong come from ``misspelled``. The order is fixed: the k-th mutant of a certificate is always the same. A
mutant is made when it is looked at, since a few hundred of tens of thousands are enough for most days.
"""

import contextlib
import copy
import itertools
import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from tests.sabotage import mutations
from tests.sabotage.certificates import paths
from tests.sabotage.certificates.names import hostile_names
from tests.sabotage.certificates.paths import Json, Path, dump, look, places
from tests.sabotage.certificates.renaming import rename_directions, rename_symbols, write_symbol

OTHER_TYPES: tuple[Json, ...] = (None, True, False, 0, 1, -1, 2, 4096, 10**30, 1.0, "", "0", "1", "-1", "1/2", [], {},
                                 [[]], {"kind": "any"})
NUMBERS = ("0", "1", "-1", "1/4", "1/3", "2", "1/1000000", "999999999999/1000000000000", "9" * 1000, "1/" + "9" * 1000)
EXPRESSIONS = (*mutations.FUNCTIONS, *mutations.TEMPERATURES, "1/(n-2)", "1/(i-1)", "ln(i-1)", "sqrt(1-i)", "ln(n)/n",
               "0^(i-n)", "(-1)^(1/2)", "i^64", "n^-64", "log2ceil(n)", "i/i", "0*ln(n-1)", "[LAST]", "[true](i-1)")
FORMULAS = ("{f}", "!({f})", "prev ({f})", "next ({f})", "true", "false", "({f}) & true", "({f}) | ({f})",
            "({f}) since ({f})", "({f}) -> ({f})", "({f}) | FIRST", "({f}) & !LAST", "#<[{f}] > 0", "ODD(#<[{f}])",
            "#<[{f}] - #<[{f}] == 0", "2*#<[{f}] >= #<[{f}] + #<[{f}]", "#>[{f}] - #>[{f}] < 0", "0 < 1",
            "#<[prev ({f})] - #<[prev ({f})] == 0", "({f}) & #<[next ({f})] == #<[next ({f})]", "H ({f})", "F ({f})",
            "PRIME", "LAST", "MOD(2,0)", "prev prev ({f})", "({f}) <-> ({f})", "Q_a", "Q_1")


class Mutant(NamedTuple):
    """A description of the change, for failures, and the function that writes the bytes of the file."""

    kind: str
    where: str
    make: Callable[[], bytes]


Change = tuple[str, str, Callable[[], Json]]


def mutants(certificate: Json) -> Iterator[Mutant]:
    """All mutants of a certificate, one family after another; some come twice, and some change nothing."""
    families = (changed_places(certificate), renamed_symbols(certificate), renamed_directions(certificate),
                replaced_formulas(certificate), mutated_models(certificate), pairs(certificate))
    for kind, where, make in itertools.chain.from_iterable(families):
        yield Mutant(kind, where, partial(_dumped, make))
    yield from misspelled(certificate)


def _dumped(make: Callable[[], Json]) -> bytes:
    return dump(make())


def changed_places(certificate: Json) -> Iterator[Change]:
    """Deletion, doubling, renaming, retyping and swapping at every place."""
    texts = [value for path in places(certificate) if isinstance(value := look(certificate, path), str)]
    names = hostile_names()
    for number, path in enumerate(places(certificate)):
        for kind, make in changes_at(certificate, path, number, texts):
            yield kind, show(path), make
        for k in range(3):
            name = names[(7 * number + k) % len(names)]
            where = f"{show(path)} to {name[:30]!r}"
            if isinstance(path[-1], str):
                yield "key renamed", where, partial(paths.renamed_key, certificate, path, name)
            yield "value renamed", where, partial(paths.replaced, certificate, path, name)


def changes_at(certificate: Json, path: Path, number: int,
               texts: list[str]) -> Iterator[tuple[str, Callable[[], Json]]]:
    """Those of one place; ``number`` takes turns among what is too much to be tried at each."""
    names = hostile_names()
    yield "deleted", partial(paths.removed, certificate, path)
    yield "doubled", partial(paths.doubled, certificate, path, names[number % len(names)])
    yield "order swapped", partial(paths.swapped, certificate, path)
    if isinstance(path[-1], str):
        yield "values swapped", partial(paths.values_swapped, certificate, path)
        yield "key of another place", partial(paths.renamed_key, certificate, path, texts[(5 * number) % len(texts)])
    for kind, other in (*other_values(look(certificate, path), number, texts), *other_meanings(certificate, path)):
        yield kind, partial(paths.replaced, certificate, path, other)


def other_values(value: Json, number: int, texts: list[str]) -> Iterator[tuple[str, Json]]:
    """Values of other types; of a text other texts of the file and numbers, of a number its neighbours."""
    yield from (("retyped", OTHER_TYPES[(4 * number + k) % len(OTHER_TYPES)]) for k in range(4))
    if isinstance(value, str):
        yield from (("text replaced", texts[(3 * number + k) % len(texts)]) for k in range(3))
        yield from (("text replaced", NUMBERS[(2 * number + k) % len(NUMBERS)]) for k in range(2))
    elif isinstance(value, int):
        yield from (("number replaced", other) for other in (value - 1, value + 1, -value, str(value), not value))
    elif value:
        yield "emptied", type(value)()


def other_meanings(certificate: Json, path: Path) -> Iterator[tuple[str, Json]]:
    """Yield all other expressions for an expression, some undefined somewhere; and all formulas for a formula."""
    value = look(certificate, path)
    if path[-1] in ("temperature", "value") or path[-2:-1] == ("position_embedding",):
        yield from (("expression replaced", other) for other in EXPRESSIONS)
    elif path[-1] in ("formula", "when", "count", "term", "given"):
        yield from (("formula replaced here", pattern.format(f=value)) for pattern in FORMULAS)


def renamed_symbols(certificate: Json) -> Iterator[Change]:
    """Yield a symbol by a hostile name, everywhere; and then without its row, or with the row of another symbol."""
    alphabet = certificate["transformer"]["alphabet"]
    for (place, symbol), name in itertools.product(enumerate(alphabet), hostile_names()):
        if name not in alphabet:
            where, rename = f"symbol {place + 1} is {name[:30]!r}", partial(rename_symbols, certificate, {symbol: name})
            yield "symbol renamed", where, rename
            row: Path = ("transformer", "token_embedding", name)
            yield "symbol renamed, row deleted", where, partial(_changed, paths.removed, rename, row)
            yield "symbol renamed, row emptied", where, partial(_changed, paths.replaced, rename, row, {})
            if len(alphabet) > 1:
                yield "symbol renamed, row of another", where, partial(_with_row_of_another, rename, name)
            if len(alphabet) > 1 and symbol in certificate["claim"]["alphabet"]:
                listed: Path = ("claim", "alphabet", certificate["claim"]["alphabet"].index(symbol))
                yield ("symbol renamed, in one alphabet", where,
                       partial(_changed, paths.removed, rename, listed))


def _changed(change: Callable[..., Json], rename: Callable[[], Json], *where: Any) -> Json:
    return change(rename(), *where)


def _with_row_of_another(rename: Callable[[], Json], name: str) -> Json:
    made = rename()
    rows = made["transformer"]["token_embedding"]
    rows[name] = copy.deepcopy(next(row for symbol, row in rows.items() if symbol != name))
    return made


def renamed_directions(certificate: Json) -> Iterator[Change]:
    """Yield a direction by a hostile name, everywhere; and then with one of the places that name it deleted."""
    turns = itertools.count()
    for direction, name in itertools.product(certificate["transformer"]["directions"], hostile_names()):
        where = f"direction {direction!r} is {name[:30]!r}"
        rename = partial(rename_directions, certificate, {direction: name})
        yield "direction renamed", where, rename
        yield "direction renamed, place deleted", where, partial(_without_a_mention, rename, name, next(turns))


def _without_a_mention(rename: Callable[[], Json], name: str, turn: int) -> Json:
    made = rename()
    mentions = [path for path in places(made) if path[-1] == name or look(made, path) == name]
    return paths.removed(made, mentions[turn % len(mentions)])


def replaced_formulas(certificate: Json) -> Iterator[Change]:
    """Yield replacements of a formula at all of its places; so the output still means the claim."""
    texts = {path: look(certificate, path) for path in places(certificate) if path[-1] in ("formula", "when", "given")}
    symbols = [write_symbol(symbol) for symbol in certificate["transformer"]["alphabet"]]
    for old, pattern in itertools.product(sorted(set(texts.values())), (*FORMULAS, *symbols)):
        where = [path for path, text in texts.items() if text == old]
        yield "formula replaced", f"{old} by {pattern}", partial(_with_text, certificate, where, pattern.format(f=old))


def _with_text(certificate: Json, where: list[Path], text: str) -> Json:
    for path in where:
        certificate = paths.replaced(certificate, path, text)
    return certificate


def mutated_models(certificate: Json) -> Iterator[Change]:
    """One weight, function, wire, part or meaning of the transformer; every bound is as large as may be."""
    for seed in range(4 * len(mutations.MUTATIONS)):
        yield "model mutated", f"seed {seed}", partial(_with_mutated_model, certificate, seed)


def _with_mutated_model(certificate: Json, seed: int) -> Json:
    made = copy.deepcopy(certificate)
    with contextlib.suppress(IndexError, KeyError, ValueError):  # there is nothing of that kind to change
        _, _, made["transformer"] = mutations.mutate(made["transformer"], seed)
    for bound in made.get("bounds", []):
        bound.update(error_if_false="1/4", error_if_true="1/4")
    return made


def pairs(certificate: Json) -> Iterator[Change]:
    """Two changes, drawn from a fixed seed, of which neither need be refused for itself."""
    for seed in range(150):
        yield "pair", f"seed {seed}", partial(_with_two_changes, certificate, seed)


def _with_two_changes(certificate: Json, seed: int) -> Json:
    rng, made = random.Random(seed), certificate
    for _ in range(2):
        path = rng.choice(list(places(made)))
        value = look(made, path)
        others = (*OTHER_TYPES, *NUMBERS, *EXPRESSIONS, *hostile_names(), *(f.format(f=value) for f in FORMULAS))
        changes = [partial(paths.removed, made, path), partial(paths.swapped, made, path),
                   partial(paths.doubled, made, path, rng.choice(hostile_names())),
                   partial(paths.replaced, made, path, rng.choice(others))]
        made = rng.choice([*changes, changes[-1]])()
    return made


def misspelled(certificate: Json) -> Iterator[Mutant]:
    """Yield the same object in another spelling; none of them may be accepted."""
    data = dump(certificate)
    lines = data.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if line.endswith(b",\n") and b'": ' in line:
            twice = b"".join([*lines[:number], line, *lines[number:]])
            yield Mutant("misspelled", f"line {number + 1} twice", partial(bytes, twice))
    spellings = {"no final line break": data[:-1], "another line break": data + b"\n", "a BOM": b"\xef\xbb\xbf" + data,
                 "CRLF": data.replace(b"\n", b"\r\n"), "other indent": data.replace(b"\n ", b"\n  "),
                 "a NUL": data + b"\x00", "twice": data + data, "UTF-16": data.decode().encode("utf-16"),
                 "cut": data[: len(data) // 2], "escaped": data.replace(b'"claim"', b'"\\u0063laim"')}
    yield from (Mutant("misspelled", what, partial(bytes, spelling)) for what, spelling in spellings.items())


def show(path: Path) -> str:
    """Return a path in one line."""
    return ".".join(str(step)[:30] for step in path)
