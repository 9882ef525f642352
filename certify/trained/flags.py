"""Claims without a file: options of the command line as the table that a claim file would be."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from constructions.errors import InputError
from constructions.tables import shown

_TOKENS = re.compile(r"[0-9]{1,9}(,[0-9]{1,9})*", re.ASCII)
_LANGUAGE = re.compile(r"(regex|dfa):(.*)", re.DOTALL)
_OFFSETS = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", re.ASCII)


@dataclass(frozen=True)
class Flags:
    """The options that say what is claimed, as texts; None and () where they are left out."""

    alphabet: str | None = None
    tokens: str | None = None
    before: str | None = None
    after: str | None = None
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

    def given_options(self) -> list[str]:
        """The options that were given, as the user wrote them."""
        return [f"--{name}" for name, value in vars(self).items() if value]


def table_of_flags(flags: Flags) -> dict[str, Any]:
    """The table of a claim file that says the same.

    >>> table_of_flags(Flags("ab", before="2", at="every", sign=("0: Q_a", "1: regex:(ab)*"))) == {
    ...     "letters": "ab", "before": [2], "answers": "each", "answer": [
    ...         {"kind": "sign", "token": 0, "truth": "Q_a"},
    ...         {"kind": "sign", "token": 1, "truth": {"regex": "(ab)*"}}]}
    True

    Raises:
        InputError: if an option is not of its form, or one is missing.
    """
    if flags.alphabet is None or flags.at is None:
        raise InputError("what is claimed? expected --claim FILE, or --alphabet, --at and one of --sign, --larger, "
                         "--argmax, --follow")
    table: dict[str, Any] = {"letters": flags.alphabet, "answers": "each" if flags.at == "every" else flags.at}
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
        table["predicates"] = list(flags.predicate)
    return table | {"answer": _answers(flags)}


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
        raise InputError("what should the logits tell? expected one of --sign, --larger, --argmax, --follow")
    return answers


def _answer(option: str, text: str, count: int) -> tuple[list[int], Any]:
    """Tokens, a colon and a truth."""
    tokens, colon, truth = text.partition(":")
    example = f"'{','.join('01'[:count])}: FORMULA'"
    if not colon or not _TOKENS.fullmatch(tokens.strip()) or len(tokens.split(",")) != count:
        raise InputError(f"{option}: {shown(text)}, expected {example}")
    return _tokens(option, tokens.strip()), _truth(truth)


def _truth(text: str) -> Any:
    """A formula, or a language behind `regex:` or `dfa:`."""
    language = _LANGUAGE.fullmatch(text.strip())
    return {language[1]: language[2].strip()} if language else text.strip()


def _tokens(option: str, text: str) -> list[int]:
    if not _TOKENS.fullmatch(text):
        raise InputError(f"{option}: {shown(text)}, expected tokens such as 2 or 2,3")
    return [int(token) for token in text.split(",")]


def read_offsets(text: str | None) -> tuple[int, int] | str | None:
    """What --offset says: all, an offset, or two with a - between.

    >>> read_offsets("3-5"), read_offsets("7"), read_offsets("all"), read_offsets(None)
    ((3, 5), (7, 7), 'all', None)

    Raises:
        InputError: if it is none of these.
    """
    if text is None or text == "all":
        return text
    found = _OFFSETS.fullmatch(text)
    if not found:
        raise InputError(f"--offset: {shown(text)}, expected all, an offset, or a range such as 0-10")
    return int(found[1]), int(found[2] or found[1])
