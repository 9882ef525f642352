"""Claims without a file: options of the command line as the table of a claim file."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from constructions.errors import InputError
from constructions.tables import shown

_TOKENS = re.compile(r"[0-9]{1,9}(,[0-9]{1,9})*", re.ASCII)
_LANGUAGE = re.compile(r"(regex|dfa):(.*)", re.DOTALL)
_OF_TRACKS = ("alphabet", "tokens", "margin", "machine", "columns", "layout")
_OFFSETS = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", re.ASCII)


@dataclass(frozen=True)
class Flags:
    """The options of a claim, as texts; None and () if they are not given."""

    alphabet: str | None = None
    tokens: str | None = None
    before: str | None = None
    after: str | None = None
    read: str | None = None
    at: str | None = None
    empty: bool = False
    margin: str | None = None
    given: str | None = None
    sign: Sequence[str] = ()
    larger: Sequence[str] = ()
    argmax: Sequence[str] = ()
    follow: str | None = None
    end: str | None = None
    predicate: Sequence[str] = ()
    machine: str | None = None
    columns: str | None = None
    layout: str | None = None

    def given_options(self) -> list[str]:
        """Return the given options, as the user wrote them."""
        return [f"--{name}" for name, value in vars(self).items() if value]


def flags_of(options: Mapping[str, Any]) -> Flags:
    """Return the options of a command by name; None is one that is not given."""
    given: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value
                             for name, value in options.items() if value is not None}
    return Flags(**given)


def table_of_flags(flags: Flags) -> dict[str, Any]:
    """Return the equivalent table of a claim file, about words or about inputs in tracks.

    >>> table_of_flags(Flags("ab", before="2", at="every", sign=("0: Q_a", "1: regex:(ab)*"))) == {
    ...     "alphabet": "ab", "before": [2], "at": "every", "answer": [
    ...         {"kind": "sign", "token": 0, "truth": "Q_a"},
    ...         {"kind": "sign", "token": 1, "truth": {"regex": "(ab)*"}}]}
    True

    Raises:
        InputError: if an option is malformed, or one is missing.
    """
    if flags.machine is not None:
        return tracks_table_of_flags(flags)
    if flags.columns is not None or flags.layout is not None:
        raise InputError(f"--{'layout' if flags.columns is None else 'columns'}: expected --machine beside it")
    if flags.alphabet is None:
        raise InputError("no claim: expected --claim FILE, or --alphabet, --read and one of --sign, --larger, "
                         "--argmax, --follow")
    table: dict[str, Any] = {"alphabet": flags.alphabet}
    table |= {key: value for key, value in (("read", flags.read), ("at", flags.at)) if value is not None}
    for key in ("tokens", "before", "after"):
        if (value := getattr(flags, key)) is not None:
            table[key] = _tokens(f"--{key}", value)
    if flags.empty:
        table["empty"] = True
    if flags.margin is not None:
        table["margin"] = flags.margin
    if flags.given is not None:
        table["given"] = _truth(flags.given)
    if flags.predicate:
        table["predicate"] = list(flags.predicate)
    return table | {"answer": _answers(flags)}


def tracks_table_of_flags(flags: Flags) -> dict[str, Any]:
    """Return the equivalent table of a claim file about inputs in tracks.

    >>> tracks_table_of_flags(Flags(machine="multiply-by:3", columns="1-9", layout="a:last,11,answer:last")) == {
    ...     "alphabet": "0123456789", "machine": "multiply-by", "by": 3, "columns": [1, 9], "tracks": ["a"],
    ...     "layout": [{"track": "a", "from": "last"}, 11, {"track": "answer", "from": "last"}]}
    True

    Raises:
        InputError: if an option is malformed, is missing, or is not about inputs in tracks.
    """
    others = [name for name in flags.given_options() if name[2:] not in _OF_TRACKS]
    if others:
        raise InputError(f"{others[0]}: the claim is about inputs in tracks (--machine), expected no such option")
    if flags.columns is None or flags.layout is None:
        raise InputError(f"--machine: expected --{'columns' if flags.columns is None else 'layout'} beside it")
    layout = [_laid(item.strip()) for item in flags.layout.split(",")]
    names = dict.fromkeys(item["track"] if isinstance(item, dict) else item for item in layout
                          if not isinstance(item, int))
    table = {"alphabet": flags.alphabet or "0123456789", **_machine(flags.machine or ""),
             "columns": _columns(flags.columns), "tracks": [name for name in names if name != "answer"],
             "layout": layout}
    if flags.tokens is not None:
        table["tokens"] = _tokens("--tokens", flags.tokens)
    if flags.margin is not None:
        table["margin"] = flags.margin
    return table


def _machine(text: str) -> dict[str, Any]:
    """Parse a built-in transducer, perhaps with its number, or a language of columns."""
    if _LANGUAGE.fullmatch(text.strip()):
        return {"machine": _truth(text)}
    name, colon, number = text.partition(":")
    if colon and not _TOKENS.fullmatch(number):
        raise InputError(f"--machine: {shown(text)}, expected a name such as add or multiply-by:3, or dfa:FILE")
    return {"machine": name, **({"by": int(number)} if colon else {})}


def _columns(text: str) -> int | list[int]:
    found = _OFFSETS.fullmatch(text)
    if not found:
        raise InputError(f"--columns: {shown(text)}, expected a number or a range such as 1-10")
    return [int(found[1]), int(found[2])] if found[2] else int(found[1])


def _laid(item: str) -> Any:
    """Parse a token, the name of a track, or a track from its last column to its first."""
    if item.isdecimal() and item.isascii():
        return int(item)
    name, _, order = item.partition(":")
    if not name.isidentifier() or order not in ("", "last"):
        raise InputError(f"--layout: {shown(item)}, expected tokens and tracks such as a,10,b:last,11,answer")
    return {"track": name, "from": "last"} if order else name


def _answers(flags: Flags) -> list[Mapping[str, Any]]:
    answers: list[Mapping[str, Any]] = []
    for text in flags.sign:
        (token,), truth = _answer("--sign", text, 1)
        answers.append({"kind": "sign", "token": token, "truth": truth})
    for text in flags.larger:
        tokens, truth = _answer("--larger", text, 2)
        answers.append({"kind": "larger", "tokens": tokens, "truth": truth})
    if flags.argmax:
        choices = [_answer("--argmax", text, 1) for text in flags.argmax]
        answers.append({"kind": "argmax", "choices": [{"token": token, "truth": truth} for (token,), truth in choices]})
    if flags.follow is not None:
        end = {} if flags.end is None else {"end": _tokens("--end", flags.end)[0]}
        answers.append({"kind": "follow", "language": _truth(flags.follow), **end})
    if not answers:
        raise InputError("no meaning of the logits: expected one of --sign, --larger, --argmax, --follow")
    return answers


def _answer(option: str, text: str, count: int) -> tuple[list[int], Any]:
    """Parse tokens, a colon and a truth."""
    tokens, colon, truth = text.partition(":")
    example = f"'{','.join('01'[:count])}: FORMULA'"
    if not colon or not _TOKENS.fullmatch(tokens.strip()) or len(tokens.split(",")) != count:
        raise InputError(f"{option}: {shown(text)}, expected {example}")
    return _tokens(option, tokens.strip()), _truth(truth)


def _truth(text: str) -> Any:
    """Parse a formula, or a language after `regex:` or `dfa:`."""
    language = _LANGUAGE.fullmatch(text.strip())
    return {language[1]: language[2].strip()} if language else text.strip()


def _tokens(option: str, text: str) -> list[int]:
    if not _TOKENS.fullmatch(text):
        raise InputError(f"{option}: {shown(text)}, expected tokens such as 2 or 2,3")
    return [int(token) for token in text.split(",")]


def read_offsets(text: str | None) -> tuple[int, int] | str | None:
    """Parse --offset: all, an offset, or two joined by -.

    >>> read_offsets("3-5"), read_offsets("7"), read_offsets("all"), read_offsets(None)
    ((3, 5), (7, 7), 'all', None)

    Raises:
        InputError: if the text is malformed.
    """
    if text is None or text == "all":
        return text
    found = _OFFSETS.fullmatch(text)
    if not found:
        raise InputError(f"--offset: {shown(text)}, expected all, an offset, or a range such as 0-10")
    return int(found[1]), int(found[2] or found[1])
