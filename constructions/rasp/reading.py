"""Common parts of the readers of both languages: grammar, unique names, errors with a place."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

from lark import Lark, Token, UnexpectedInput, v_args
from lark.exceptions import VisitError
from lark.visitors import Transformer_NonRecursive

from constructions.errors import ProgramError
from constructions.language.alphabets import MAX_LENGTH
from constructions.language.diagnosis import diagnose, list_names, place_of, quote

MAX_DEPTH = 200
END = "the end of the program"


def program_error(text: str, place: int, message: str) -> ProgramError:
    """Return the error about ``text`` at an offset."""
    return ProgramError(message, *place_of(text, place), text)


@v_args(inline=True)
class ProgramBuilder(Transformer_NonRecursive[Token, object]):
    """Base class of the transformers from parse trees to definitions."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def _refuse(self, token: Token, message: str) -> NoReturn:
        raise program_error(self._text, begin(token), message)

    def start(self, *items: object) -> list[object]:
        """Return the definitions; headers are None and dropped."""
        return [item for item in items if item is not None]


def begin(token: Token) -> int:
    """Return the offset where a token begins."""
    return token.start_pos or 0


def read_program(text: str, parser: Lark, builder: ProgramBuilder,
                 explain: Callable[[str, int, str, frozenset[str]], ProgramError]) -> Any:
    """Parse a program into its definitions.

    ``explain`` makes the error from the offset of the failure, the text found there, and the accepted terminals.

    Raises:
        ProgramError: if the text does not parse, or is too long.
    """
    if len(text) > MAX_LENGTH:
        raise ProgramError(f"found {len(text)} characters, expected at most {MAX_LENGTH}", 1, 1, text[:MAX_LENGTH])
    try:
        return builder.transform(parser.parse(text))
    except UnexpectedInput as error:
        raise explain(text, *diagnose(parser, "start", text, error, END)) from None
    except VisitError as error:
        raise error.orig_exc from None


class DefinedNames:
    """The names that a program defines, and where; each is defined once, before it is used."""

    def __init__(self, text: str, definitions: Iterable[tuple[str, int]]) -> None:
        """Store ``definitions``: all names with their offsets."""
        self._text = text
        self._places: dict[str, int] = {}
        for name, place in definitions:
            self._places.setdefault(name, place)

    def refuse(self, place: int, message: str) -> NoReturn:
        """Raise the error about an offset."""
        raise program_error(self._text, place, message)

    def check(self, name: str, place: int, what: str, depth: int) -> None:
        """Reject a second definition of a name, and a definition of ``what`` that is nested too deep."""
        if self._places[name] != place:
            self.refuse(place, f"found a second definition of {quote(name)}, expected another name (the first is in "
                               f"{self._line(name)})")
        if depth > MAX_DEPTH:
            self.refuse(place, f"found {what} nested {depth} deep in {quote(name)}, expected at most {MAX_DEPTH}")

    def refuse_unknown(self, place: int, name: str, kind: str, known: Sequence[str], hint: str = "") -> NoReturn:
        """Reject a name that is not among the ``known`` ones of its kind."""
        expected = f"a {kind} that is defined above" + (f", such as {list_names(known)}" if known else "")
        if name in self._places:
            self.refuse(place, f"found {quote(name)} before the end of its definition ({self._line(name)}), expected "
                               f"{expected}")
        self.refuse(place, f"found {quote(name)}, expected {expected}{hint}")

    def _line(self, name: str) -> str:
        return f"line {place_of(self._text, self._places[name])[0]}"
