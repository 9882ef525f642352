"""Faults of a verdict: rules for the verdict on any file.

1. The verdict is one of four, in lines of printable ASCII, without an exception of the checker's own. 2. An accepted
file is loaded by the producer's strict reader, and a run of all short words agrees (truth.py). 3. Names mean nothing:
with other names for symbols and directions the verdict is the same, and so is the printed claim, except for what is
quoted. 4. The printed claim says no more than what is so: the printed formula is the claimed one and its subformulas
are held, and where a guard never holds, that is said.
"""

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from constructions.errors import InputError
from constructions.language.parser import parse_formula
from tests.sabotage.certificates.judging import VERDICTS, Judge, Judgement
from tests.sabotage.certificates.margin_truth import find_untruth_of_margin, load_margin
from tests.sabotage.certificates.paths import dump
from tests.sabotage.certificates.renaming import with_plain_names
from tests.sabotage.certificates.softened_truth import find_untruth_of_softened, load_softened
from tests.sabotage.certificates.truth import (
    Loaded,
    extension,
    find_subformula_not_held,
    find_untruth,
    guards_that_never_hold,
    load,
)

PRINTED_SYMBOL = re.compile(r"Q\['(?:[^'\\]|\\.)+'\]|Q_[A-Za-z0-9_]+")
ESCAPED = re.compile(r"\\(?:[\\']|[nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")
QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")

KINDS: Mapping[str, tuple[Callable[[bytes], Any], Callable[[bytes], str | None]]] = {
    "certify-softened": (load_softened, find_untruth_of_softened),
    "certify-margin": (load_margin, find_untruth_of_margin)}
"""By the format of a certificate its reader, and how an untruth is found; `load` and `find_untruth` of any other."""


def find_fault(data: bytes, judge: Judge) -> str | None:
    """Find a fault of the verdict on this file, or None."""
    found = judge(data)
    return find_fault_of(data, found, judge)


def find_fault_of(data: bytes, found: Judgement, judge: Judge) -> str | None:
    """Return the same, of a verdict that is known."""
    if found.verdict not in VERDICTS or not found.lines:
        return f"no verdict: {found}"
    if found.verdict != "accepted":
        return None
    load_kind, find_untruth_of_kind = KINDS.get(json.loads(data)["format"], (load, find_untruth))
    try:
        given = load_kind(data)
    except InputError as error:
        return f"the producer does not load it: {error}"
    plain = dump(with_plain_names(json.loads(data)))
    return (_find_untruth(find_untruth_of_kind, plain) or find_meaning_of_names(found, _judged(judge, plain))
            or (find_false_word(given, found) if isinstance(given, Loaded) else None))


@lru_cache(maxsize=4096)
def _find_untruth(find: Callable[[bytes], str | None], data: bytes) -> str | None:
    """Mutants by name, of which there are many, are the same when they have plain names."""
    return find(data)


@lru_cache(maxsize=4096)
def _judged(judge: Judge, data: bytes) -> Judgement:
    return judge(data)


def find_meaning_of_names(found: Judgement, other: Judgement) -> str | None:
    """Find a dependence of the verdict or of the printed claim on names."""
    if other.verdict != "accepted":
        return f"with other names it is {other.verdict}: {other.lines[0]}"
    if re.search(r"[^ -~]", "".join(found.lines)):
        return "something that is printed is not printable ASCII"
    if without_names(found) != without_names(other):
        return f"a name speaks: {without_names(found)}"
    return None


def without_names(found: Judgement) -> str:
    """Return the output without symbols and quoted names, independent of line breaks."""
    text = " ".join(found.lines)
    return " ".join(QUOTED.sub("''", PRINTED_SYMBOL.sub("Q", text)).split())


def unescape(found: re.Match[str]) -> str:
    """Return a character that was printed as ASCII; a quote and a backslash are escaped in formulas, too."""
    return found[0] if found[0] in ("\\\\", "\\'") else found[0].encode("ascii").decode("unicode_escape")


def find_false_word(given: Loaded, found: Judgement) -> str | None:
    """Find a false statement in the output."""
    text = "\n".join(found.lines)
    (formula,) = re.findall(r"^formula +(.*)$", text, re.MULTILINE)[:1]
    try:
        printed = parse_formula(ESCAPED.sub(unescape, formula), given.alphabet, given.predicates)
    except InputError as error:
        return f"the printed formula cannot be read: {error}"
    if extension(given, printed) != extension(given, given.formula):
        return f"the printed formula is another one: {formula}"
    (assumed,) = re.findall(r"^given +(.*)$", text, re.MULTILINE)[:1] or ["true"]
    shown = parse_formula(ESCAPED.sub(unescape, assumed), given.alphabet, given.predicates)
    if extension(given, shown) != extension(given, given.transformer.given):
        return f"what is printed as given is another formula: {assumed}"
    unsaid = [name for name in guards_that_never_hold(given) if ascii(name[:100])[:-1] not in text]
    if unsaid:
        return f"the guard of {unsaid} never holds, which is not said"
    return find_subformula_not_held(given, printed)
