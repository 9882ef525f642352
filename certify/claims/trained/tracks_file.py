"""Claim files about tracks: docs/howto/aligned.md, TOML to a claim; every key is checked, every message is one line."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from certify.claims.trained.claim_file import Scope, check_attention, read_letters
from certify.claims.trained.conditions import Conditions
from constructions.errors import InputError, Unsupported
from constructions.regular.automata import RegularLanguage, small_language
from constructions.tables import Table, check_keys, exact, natural, naturals, one_of, shown, text, texts
from constructions.trained.machines import BUILT_IN, TransducerMaker, TransducerText, built_in
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import Layout, TokenSource, Track, TracksClaim, check_tracks_fit

KEYS = ("title", "alphabet", "tokens", "answers", "columns", "tracks", "lengths", "layout", "machine", "by", "among",
        "margin", "offset", "typed", "attention")
NEEDED = ("alphabet", "columns", "tracks", "layout", "machine")
MACHINE_KEYS = ("start", "write", "next", "end", "allow", "given")
MOST_COLUMNS = 1 << 12
MOST_FORMS = 64
MOST_SYMBOLS = 4096
LANGUAGES = ("dfa", "regex", "formula")
VERDICT = TransducerText({}, end={"answer": ["accepted"]})
"""The output of the transducer of a language: 1 at the end if it accepts, else 0."""


def is_about_tracks(table: Mapping[str, Any]) -> bool:
    """Return whether the table of a claim file is about inputs in tracks."""
    return "tracks" in table or "machine" in table


def tracks_claim_of_table(table: Table, where: str, network: TrainedNetwork, scope: Scope = Scope(),
                          folder: Path = Path()) -> TracksClaim:
    """Return the claim of a table with the keys of a claim about tracks; its file names are relative to the folder.

    Raises:
        InputError: one line that names the key and what was expected.
        Unsupported: if the transducer has very many states.
    """
    try:
        claim = _TracksReader(check_keys("the claim", table, KEYS, NEEDED), network, folder).claim(scope)
        check_tracks_fit(network, claim, "the claim")
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    except Unsupported as error:
        raise Unsupported(f"{where}: {error}") from None
    return claim


class _TracksReader:
    """A reader of one table, key by key."""

    def __init__(self, table: Table, network: TrainedNetwork, folder: Path) -> None:
        self.table, self.network, self.folder = table, network, folder
        text("title", table.get("title", ""))
        self.letters, self.tokens = read_letters(table, network)
        self.names = texts("tracks", table["tracks"])
        taken = {*self.names, "answer", "column", "columns"}
        if not self.names or len(taken) != len(self.names) + 3 or not all(map(str.isidentifier, self.names)):
            raise InputError(f"tracks: {shown(table['tracks'])}, expected names such as a and b, none twice")
        self.answers = naturals("answers", table.get("answers", list(self.tokens)), network.vocabulary,
                                "tokens of the network,")

    def claim(self, scope: Scope) -> TracksClaim:
        check_attention(self.table, self.network)
        numbers = self._columns(scope)
        sizes = [len(self.letters)] * len(self.names)
        maker = TransducerMaker(self.names, sizes, self.answers, self._lengths(numbers[-1]))
        if self._is_language():
            written = dict.fromkeys(numbers, VERDICT)
            machine, tables = maker.of_language(self._language(maker), numbers)
        else:
            written = {columns: self._written(columns) for columns in numbers}
            machine, tables = maker.make(written)
        return TracksClaim(
            tuple(Track(name, self.letters, self.tokens) for name in self.names), machine,
            tuple(Layout(tables[columns], self._layout(written[columns], columns)) for columns in numbers),
            self._offset(scope), self._among(), self._margin(), self._typed(written[numbers[0]]))

    def _columns(self, scope: Scope) -> list[int]:
        value = self.table["columns"]
        ends = (value, value) if isinstance(value, int) else value
        if not isinstance(ends, list | tuple) or len(ends) != 2:
            raise InputError(f"columns: {shown(value)}, expected a number, or [first, last]")
        first, last = (natural("columns", one, MOST_COLUMNS, "a number of columns") for one in ends)
        first = first if scope.min_n is None else max(first, scope.min_n)
        last = last if scope.max_n is None else min(last, scope.max_n)
        if not 1 <= first <= last or last - first >= MOST_FORMS:
            raise InputError(f"columns: {first} to {last}, expected from 1 on, at most {MOST_FORMS} numbers")
        return list(range(first, last + 1))

    def _lengths(self, columns: int) -> dict[str, int]:
        value = self.table.get("lengths", {})
        if not isinstance(value, dict) or not {*value} <= {*self.names}:
            raise InputError(f"lengths: {shown(value)}, expected the lengths of shorter tracks, by their names")
        return {name: natural(f"lengths: {name}", one, columns + 1, "a length") for name, one in value.items()}

    def _is_language(self) -> bool:
        value = self.table["machine"]
        return isinstance(value, dict) and any(key in value for key in LANGUAGES)

    def _language(self, maker: TransducerMaker) -> RegularLanguage:
        """Return the language of columns; a column is a symbol: the letters of its tracks, joined by commas."""
        if "by" in self.table:
            raise InputError("by: only for a built-in machine")
        if len(self.answers) < 2:
            raise InputError("answers: expected a token for no and one for yes")
        if len(maker.letters) > MOST_SYMBOLS:
            raise Unsupported(f"machine: a language of {len(maker.letters)} different columns, expected fewer")
        symbols = tuple(",".join(self.letters[letter] for letter in column) for column in maker.letters)
        conditions = Conditions(symbols, {}, self.folder)
        return small_language(conditions.language("machine", self.table["machine"]), "machine")

    def _written(self, columns: int) -> TransducerText:
        value = self.table["machine"]
        by = self.table.get("by")
        if isinstance(value, str):
            number = None if by is None else natural("by", by)
            return built_in(value, self.names, len(self.letters), columns, number)
        if by is not None:
            raise InputError(f"by: only for a built-in machine: one of {', '.join(BUILT_IN)}")
        given = check_keys("machine", value, MACHINE_KEYS, ())
        start = given.get("start", {})
        if not isinstance(start, dict) or not all(name.isidentifier() and name not in self.names and type(one) is int
                                                  for name, one in start.items()):
            raise InputError(f"machine: start: {shown(start)}, expected whole numbers by names that no track has")
        return TransducerText(start, _texts_by_name("write", given), _texts_by_name("next", given), _ends(given),
                       text("machine: allow", given.get("allow", "1")), text("machine: given", given.get("given", "1")))

    def _typed(self, written: TransducerText) -> bool:
        default = "last-first" if written.last_first else "first-first"
        return one_of("typed", self.table.get("typed", default), ("first-first", "last-first")) == "last-first"

    def _margin(self) -> Fraction:
        return exact("margin", self.table.get("margin", 0))

    def _among(self) -> tuple[int, ...]:
        value = self.table.get("among", "all")
        if value == "all":
            return tuple(range(self.network.outputs))
        if value == "answers":
            return tuple(sorted(set(self.answers)))
        return tuple(sorted(set(naturals("among", value, self.network.outputs, "logits of the network,"))))

    def _offset(self, scope: Scope) -> int:
        value = self.table.get("offset", 0) if scope.offsets is None else scope.offsets
        if isinstance(value, tuple) and value[0] == value[1]:
            value = value[0]
        return natural("offset", value, self.network.rows or 1, "one offset")

    def _layout(self, written: TransducerText, columns: int) -> tuple[TokenSource, ...]:
        value = self.table["layout"]
        if not isinstance(value, list) or not value:
            raise InputError(f"layout: {shown(value)}, expected a list of tokens and of names of tracks")
        places = [place for item in value for place in _Laid(self, written, columns).item(item)]
        judged = [index for index, place in enumerate(places) if place.is_answer]
        if not judged or judged[0] == 0 or len(judged) != len(places) - judged[0]:
            raise InputError("layout: expected a token or a track before the answers, and nothing but answers after "
                             "them")
        return tuple(places)


class _Laid:
    """The places of one item of a layout, for a number of columns."""

    def __init__(self, reader: _TracksReader, written: TransducerText, columns: int) -> None:
        self.reader, self.written, self.columns = reader, written, columns
        self.is_reversed = reader.table["machine"] == "reverse"

    def item(self, item: object) -> list[TokenSource]:
        """Return its places, in order."""
        if isinstance(item, str):
            return self._ordered(self._named(item), self.is_reversed and item in self.written.answers)
        if isinstance(item, dict):
            return self._table(item)
        return [TokenSource("token",
                            natural("layout", item, self.reader.network.vocabulary, "a token of the network,"))]

    def _table(self, item: Mapping[str, Any]) -> list[TokenSource]:
        table = check_keys("layout", item, ("track", "each", "from", "pad", "to"))
        backwards = one_of("layout: from", table.get("from", "first"), ("first", "last")) == "last"
        if ("track" in table) == ("each" in table):
            raise InputError(f"layout: {shown(item)}, expected either track or each")
        if "track" in table:
            places = self._ordered(self._named(text("layout: track", table["track"])), backwards)
        else:
            places = self._each(table["each"], backwards)
        if ("pad" in table) != ("to" in table):
            raise InputError(f"layout: {shown(item)}, expected both pad and to, or neither")
        if "pad" in table:
            pad = natural("layout: pad", table["pad"], self.reader.network.vocabulary, "a token of the network,")
            places += [TokenSource("token", pad)] * (natural("layout: to", table["to"], MOST_COLUMNS) - len(places))
        return places

    def _each(self, items: object, backwards: bool) -> list[TokenSource]:
        """Return the places of the items, column by column."""
        if not isinstance(items, list):
            raise InputError(f"layout: each: {shown(items)}, expected a list of tokens and of names of tracks")
        parts = [self._named(one) if isinstance(one, str) else self.item(one) * self.columns for one in items]
        if any(len(part) < self.columns for part in parts):
            raise InputError(f"layout: each: {shown(items)}, expected tracks that have all columns")
        order = list(range(self.columns))
        return [part[column] for column in (order[::-1] if backwards else order) for part in parts]

    @staticmethod
    def _ordered(places: list[TokenSource], backwards: bool) -> list[TokenSource]:
        return places[::-1] if backwards else places

    def _named(self, name: str) -> list[TokenSource]:
        """Return the places of a track: its columns, and for an answer track also its final symbols."""
        reader, written = self.reader, self.written
        if name in reader.names:
            length = min(self.columns, reader._lengths(self.columns).get(name, self.columns))
            return [TokenSource("track", reader.names.index(name), column) for column in range(length)]
        if name not in written.answers:
            names = ", ".join([*reader.names, *written.answers])
            raise InputError(f"layout: {name!r}, expected one of {names}, or tokens")
        places = []
        if name in written.write:
            index = list(written.write).index(name)
            places = [TokenSource("answer", index, column) for column in range(self.columns)]
        first = 0
        for one in written.answers:
            count = len(written.end.get(one, ()))
            if one == name:
                places += [TokenSource("end", first + k) for k in range(count)]
            first += count
        return places


def _texts_by_name(key: str, table: Table) -> dict[str, str]:
    value = table.get(key, {})
    if not isinstance(value, dict):
        raise InputError(f"machine: {key}: {shown(value)}, expected expressions by names")
    return {name: text(f"machine: {key}: {name}", one) for name, one in value.items()}


def _ends(table: Table) -> dict[str, list[str]]:
    value = table.get("end", {})
    if not isinstance(value, dict):
        raise InputError(f"machine: end: {shown(value)}, expected lists of expressions by names of answer tracks")
    return {name: texts(f"machine: end: {name}", one) for name, one in value.items()}
