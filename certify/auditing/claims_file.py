"""Parsing of claims files: docs/reference/claims.md; every key is checked, every message is one line."""

import hashlib
import json
import os
import re
import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

from certify.auditing.claims import (
    DEFAULT_WIDTH,
    PARTS,
    About,
    AboutNetwork,
    AuditClaim,
    Demands,
    Expected,
    MalformedClaim,
)
from certify.auditing.kinds.kind import OF_FORMULAS, ClaimEntry, ClaimKind, Question, read_options
from certify.auditing.kinds.registry import KINDS
from certify.auditing.results import OneVerdict, Paper, Verdict
from certify.claims.floats.models import read_model
from certify.common.files import read_text
from certify.common.look import CERTIFICATES, SUFFIXES_OF_PROGRAMS, expect
from certify.common.output_guard import WouldReplace, note_input
from certify.requests.inputs import as_key
from certify.requests.quantities import check_positive, read_expression, read_positive
from certify.requests.request import read_request
from certify.requests.subjects import SubjectKind
from constructions.errors import InputError, Unreadable
from constructions.language.alphabets import parse_word
from constructions.language.expressions import POSITION_AND_LENGTH, Expression, parse_expression
from constructions.network.lengths import Lengths

SUBJECTS = ("formula", "model", "examine", "program", "undecidable")
COMMON = {"name": str, "statement": str, "says": str, "lengths": (str, int), "expect": str, "counterexample": dict,
          "part": str, "reading": str, "rests_on": str, "limit": str, "note": str}
OF_NETWORKS = {"gamma": str, "temperature": str, "delta": str, "embeddings": list, "embedding_bound": str, "gap": str,
               "critical": list, "constants": dict, "width": str, "float": str, "given": str}
KEYS: Mapping[str, Mapping[str, Any]] = {
    "formula": COMMON | OF_NETWORKS | OF_FORMULAS, "model": COMMON | OF_NETWORKS, "examine": COMMON,
    "program": COMMON | {"oracle": (str, dict), "alphabet": str}, "undecidable": COMMON,
}
"""The keys of claims without ``kind``, by the key of their subject."""
ALL_KINDS = {**KINDS, **{name: ClaimKind(name, KEYS[name]) for name in ("examine", "program")}}
NAMES = {str: "a string", int: "a whole number", bool: "true or false", list: "a list", dict: "a table"}
Table = Mapping[str, Any]
_NAME = re.compile(r"[A-Za-z0-9_-]{1,80}")


@dataclass(frozen=True)
class ClaimsFile:
    """A title and its claims, perhaps the paper that they are about; and the source text."""

    title: str
    path: str
    claims: tuple[AuditClaim, ...]
    text: str
    paper: Paper | None = None


def read_claims(path: str) -> ClaimsFile:
    """Return the claims of a file.

    Raises:
        InputError: one line that names the claim, the key and what was expected.
    """
    if path != "-" and not os.path.exists(path):
        raise Unreadable(f"{path}: No such file or directory, expected a claims file (.toml); certify audit --formula "
                         "FORMULA audits a formula")
    expect(path, CERTIFICATES | {"claims", "model"}, "a claims file (.toml)")
    text = read_text(path)
    if text.lstrip().startswith("{"):
        name = shlex.quote(path)
        raise InputError(f"{path}: found a certificate or a model file, expected a claims file (.toml); certify check "
                         f"{name} checks a certificate, certify audit --model {name} audits the network in it")
    return parse_claims(text, path)


def parse_claims(text: str, path: str) -> ClaimsFile:
    """Return the claims of a text, whose file names are relative to this path.

    Raises:
        InputError: as for ``read_claims``.
    """
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"{path}: not TOML, expected a claims file: {str(error).splitlines()[0]}") from None
    check_keys(path, data, {"title": str, "paper": dict, "defaults": dict, "claim": list})
    paper = _read_paper(path, data["paper"]) if "paper" in data else None
    entries = data.get("claim", [])
    if not entries or not all(isinstance(entry, dict) for entry in entries):
        raise InputError(f"{path}: expected at least one [[claim]]")
    defaults = data.get("defaults", {})
    reader = _ClaimsReader(Path(path).parent if path != "-" else Path(), defaults)
    claims: dict[str, AuditClaim] = {}
    for number, entry in enumerate(entries, start=1):
        where = f"{path}, claim {entry.get('name', number)!r}" if entry.get("name") else f"{path}, claim {number}"
        try:
            claim = reader.claim(entry)
        except InputError as error:
            if len(entries) == 1 or isinstance(error, WouldReplace):
                raise InputError(f"{where}: {error}") from None
            claim = _wrong_claim(entry, number, error)
        if claim.name in claims:
            raise InputError(f"{where}: two claims have this name")
        claims[claim.name] = claim
    title = data.get("title", paper.title if paper else Path(path).stem)
    return ClaimsFile(title, path, tuple(claims.values()), text, paper)


def _wrong_claim(entry: Table, number: int, why: InputError) -> AuditClaim:
    """Return a malformed claim with its name and the reason, so that the others can be decided."""
    name = str(entry.get("name", ""))
    text = json.dumps(entry, sort_keys=True, default=str)
    digest = hashlib.sha256(f"{text}\0{why}".encode()).hexdigest()[:16]
    name = name if _NAME.fullmatch(name) else f"claim-{number}"
    return AuditClaim(name, "", "", MalformedClaim(str(why)), Lengths(1, 1), Expected(), digest=digest)


def _read_paper(path: str, table: Table) -> Paper:
    """Return the paper of the statements; a file that names one states which version was read."""
    keys = {field.name: str for field in fields(Paper)}
    check_keys(f"{path}, paper", table, keys)
    for key in keys:
        if not table.get(key, "").strip():
            raise InputError(f"{path}, paper: no {key}, expected {', '.join(keys)}: the version is the one that was "
                             "read")
    return Paper(**table)


def read_claim(entry: Table) -> AuditClaim:
    """Return one claim outside a file; its file names are relative to the current folder.

    Raises:
        InputError: one line that names the key and what was expected.
    """
    return _ClaimsReader(Path(), {}).claim(entry)


def with_lengths(entry: Table, keys: Mapping[str, Any], defaults: Table) -> Table:
    """Return the claim with its defaults, and with ``max_n`` and ``min_n`` as the key ``lengths``."""
    if "lengths" in keys and "max_n" not in keys:
        entry, defaults = _with_lengths(entry), _with_lengths(defaults)
    return {**{key: value for key, value in defaults.items() if key in keys}, **entry}


def _with_lengths(table: Table) -> Table:
    if "max_n" not in table:
        return table
    ends = {"min_n": table.get("min_n", 1), "max_n": table["max_n"]}
    check_keys("lengths", ends, dict.fromkeys(ends, int))
    if "lengths" in table:
        raise InputError("max_n: lengths are given, too, expected one of the two")
    others = {key: value for key, value in table.items() if key not in ends}
    return {**others, "lengths": f"{ends['min_n']}..{ends['max_n']}"}


def check_keys(where: str, table: Table, expected: Mapping[str, Any]) -> None:
    """Raise InputError for a key that is not expected, or a value of another type."""
    for key, value in table.items():
        if key not in expected:
            raise InputError(f"{where}: key {key!r}, expected one of {', '.join(expected)}")
        types = expected[key] if isinstance(expected[key], tuple) else (expected[key],)
        if type(value) not in types:
            raise InputError(f"{where}: {key} = {json.dumps(value, default=str)[:60]}, expected "
                             + " or ".join(NAMES[kind] for kind in types))


class _ClaimsReader:
    def __init__(self, folder: Path, defaults: Table):
        self.folder = folder
        every: dict[str, Any] = {}
        for keys in (*KEYS.values(), *({**COMMON, **kind.keys} for kind in KINDS.values())):
            for key, kinds in keys.items():
                every[key] = (*every.get(key, ()), *(kinds if isinstance(kinds, tuple) else (kinds,)))
        del every["name"]
        check_keys("defaults", defaults, every)
        self.defaults = defaults

    def claim(self, entry: Table) -> AuditClaim:
        kind, keys = _kind_of(entry)
        entry = with_lengths(entry, keys, self.defaults)
        check_keys(kind, entry, keys)
        if not _NAME.fullmatch(entry.get("name", "")):
            raise InputError(f"name {entry.get('name', '')!r}, expected 1 to 80 letters, digits, - and _")
        if not (statement := entry.get("statement", "")).strip() and "statement" in entry:
            raise InputError("statement: empty, expected what the source calls it, such as Theorem 1")
        if (part := entry.get("part", PARTS[0])) not in PARTS:
            raise InputError(f"part {part!r}, expected one of {', '.join(PARTS)}")
        lengths = parse_lengths(entry.get("lengths", 64))
        about = self.about(kind, entry, lengths)
        return AuditClaim(entry["name"], statement, entry.get("says", ""), about, lengths,
                          _read_expected(entry, about), part, entry.get("limit", ""), entry.get("note", ""),
                          self.digest(entry), entry.get("reading", ""), entry.get("rests_on", ""))

    def about(self, kind: str, entry: Table, lengths: Lengths) -> About:
        match kind:
            case "formula":
                text = entry["formula"]
                return self.network(str(self.place(text)) if text.endswith(SUFFIXES_OF_PROGRAMS) else text,
                                    (SubjectKind.FORMULA, SubjectKind.PROGRAM), entry, lengths)
            case "model":
                return self.network(str(self.place(entry["model"])), (SubjectKind.NETWORK,), entry, lengths)
            case "undecidable":
                found = OneVerdict("not decidable", entry["undecidable"], measure="worst error")
                return Question("", lambda _lengths, _progress: found)
        return ALL_KINDS[kind].read(ClaimEntry(entry, lengths, self.folder))

    def network(self, subject: str, taken: tuple[SubjectKind, ...], entry: Table, lengths: Lengths) -> AboutNetwork:
        request = read_request(subject, read_options(entry), taken, lengths, as_key)
        return AboutNetwork(request, read_demands(entry, lengths, self.folder))

    def place(self, path: str) -> Path:
        """Return a file that the claims file names, relative to the current folder."""
        return Path(os.path.normpath(self.folder / path))

    def digest(self, entry: Table) -> str:
        """Return a digest of everything that a claim depends on: its keys, and the files that it names."""
        named_by = KINDS[entry["kind"]].files if "kind" in entry else ("model", "program", "float")
        files = [entry[key] for key in named_by if key in entry]
        if isinstance(oracle := entry.get("oracle"), dict):
            files += [name for name in oracle.values() if isinstance(name, str)]
        files += [entry["formula"]] if entry.get("formula", "").endswith(SUFFIXES_OF_PROGRAMS) else []
        places = [self.place(name) for name in files if self.place(name).is_file()]
        for place in places:
            note_input(place)
        named = [place.read_bytes() for place in places]
        text = json.dumps(entry, sort_keys=True, default=str).encode()
        return hashlib.sha256(b"\0".join([text, *named])).hexdigest()[:16]


def _kind_of(entry: Table) -> tuple[str, Mapping[str, Any]]:
    """Return the kind of an entry, or the key of its subject; and the keys that go with it."""
    if "kind" in entry:
        if entry["kind"] not in KINDS:
            raise InputError(f"kind {entry['kind']!r}, expected one of {', '.join(KINDS)}, or none")
        kind = KINDS[entry["kind"]]
        common = COMMON if kind.has_lengths else {key: types for key, types in COMMON.items() if key != "lengths"}
        return kind.name, {"kind": str, **common, **kind.keys}
    kinds = [kind for kind in SUBJECTS if kind in entry]
    if len(kinds) != 1:
        raise InputError(f"keys for the subject: {' and '.join(kinds) or 'none'}, expected exactly one "
                         f"of {', '.join(SUBJECTS)}")
    return kinds[0], {kinds[0]: str, **KEYS[kinds[0]]}


def read_demands(entry: Table, lengths: Lengths, folder: Path = Path()) -> Demands:
    """Read the demands on a network from keys (or options); file names are relative to the ``folder``."""
    critical = [*entry.get("critical", []), *_read_constants(entry)]
    if not all(type(n) is int and lengths.first <= n <= lengths.last for n in critical):
        raise InputError(f"critical = {critical}, expected lengths in {lengths}")
    width = entry.get("width")
    return Demands(
        embeddings=tuple(str(parse_expression(text)) for text in _texts("embeddings", entry["embeddings"]))
        if "embeddings" in entry else None,
        embedding_bound=_positive_expression("embedding_bound", entry, lengths),
        gap=_positive_expression("gap", entry, lengths, frozenset("n")),
        critical=tuple(sorted({*critical})),
        width=DEFAULT_WIDTH if width is None else read_width(width),
        runs=read_model(entry["float"], folder) if "float" in entry else None,
    )


def read_width(text: str) -> Fraction:
    """Parse the relative width of a bracket: a rational from 10^-15 to below 1."""
    width = read_positive(text, "width")
    if not Fraction(1, 10**15) <= width < 1:
        raise InputError(f"width: found {text}, expected a rational from 10^-15 to below 1")
    return width


def _positive_expression(key: str, entry: Table, lengths: Lengths,
                         variables: frozenset[str] = POSITION_AND_LENGTH) -> Expression | None:
    """Return the expression, which must be positive at every (n, i)."""
    if key not in entry:
        return None
    expression = read_expression(entry[key], key, variables)
    check_positive(expression, lengths, key)
    return expression


def _texts(key: str, values: list[Any]) -> list[str]:
    if not all(isinstance(value, str) for value in values):
        raise InputError(f"{key}: expected a list of strings")
    return values


def parse_lengths(value: str | int) -> Lengths:
    """Parse the lengths ``"2..64"``, or a number, which means from 1.

    >>> parse_lengths("2..64"), parse_lengths(8)
    (Lengths(first=2, last=64), Lengths(first=1, last=8))
    """
    found = re.fullmatch(r"(?:([0-9]{1,9})\s*\.\.\s*)?([0-9]{1,9})", str(value))
    if not found:
        raise InputError(f"lengths {value!r}, expected a number or a range such as 2..64")
    return Lengths(int(found[1] or 1), int(found[2]))


def _read_expected(entry: Table, about: About) -> Expected:
    verdict = entry.get("expect")
    if verdict is not None and verdict not in get_args(Verdict):
        raise InputError(f"expect {verdict!r}, expected one of {', '.join(get_args(Verdict))}")
    counterexample = entry.get("counterexample")
    if counterexample is not None:
        check_keys("counterexample", counterexample, {"word": str, "position": int})
        if set(counterexample) != {"word", "position"}:
            raise InputError("counterexample: expected a word and a position")
        if isinstance(about, AboutNetwork):
            parse_word(counterexample["word"], about.request.alphabet)
        counterexample = (counterexample["word"], counterexample["position"])
    return Expected(verdict, counterexample, _read_constants(entry))


def _read_constants(entry: Table) -> dict[int, str]:
    """Return the claimed critical constants by length; they are compared with brackets."""
    constants = {}
    for n, value in entry.get("constants", {}).items():
        if not re.fullmatch("[0-9]{1,4}", n) or not re.fullmatch(r"[0-9]+(\.[0-9]+)?", str(value)):
            raise InputError(f"constants: {n} = {value!r}, expected a length and a decimal such as 8 = \"1.3854\"")
        constants[int(n)] = str(value)
    return constants
