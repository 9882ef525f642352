"""Claim files: docs/howto/decide.md, TOML to a claim; every key is checked, every message is one line."""

from dataclasses import dataclass
from pathlib import Path

from certify.claims.trained.answers import AnswerReader
from certify.claims.trained.conditions import Condition, Conditions
from constructions.errors import InputError
from constructions.language.alphabets import parse_alphabet
from constructions.language.predicates import parse_predicate_definitions
from constructions.regular.automata import Automaton
from constructions.tables import (
    Table,
    boolean,
    check_keys,
    exact,
    natural,
    naturals,
    one_of,
    shown,
    text,
    texts,
)
from constructions.trained.claim import Case, Read, WordsClaim, check_fits, last_offset
from constructions.trained.network import TrainedNetwork

KEYS = ("title", "alphabet", "tokens", "before", "after", "padding", "attention", "read", "at", "empty", "margin",
        "given", "offset", "min_n", "max_n", "predicate", "answer")
NEEDED = ("alphabet", "answer")
LONGEST = 1 << 16
LONGEST_CLAIM = 1 << 40
"""Greatest length of words; LONGEST is that of the input with its padding."""
READS: tuple[Read, ...] = ("each", "last", "first")
AT = ("every", "last", "first")


@dataclass(frozen=True)
class Scope:
    """The lengths and offsets that the command line requests; None leaves them to the file.

    With ``every`` length there is no greatest one; then a claim that states none gets its least one.
    """

    max_n: int | None = None
    min_n: int | None = None
    offsets: tuple[int, int] | str | None = None
    every: bool = False


def read_letters(table: Table, network: TrainedNetwork) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the symbols and their tokens: a table, or a string or list of symbols beside ``tokens``.

    Raises:
        InputError: if they are malformed, or not tokens of the network.
    """
    value = table["alphabet"]
    if isinstance(value, dict):
        if "tokens" in table:
            raise InputError("tokens: the table of the alphabet states them already")
        letters, tokens = list(value), list(value.values())
    else:
        letters = list(parse_alphabet(value)) if isinstance(value, str) else texts("alphabet", value)
        tokens = table.get("tokens", list(range(len(letters))))
    if not letters or "" in letters or len(set(letters)) != len(letters):
        raise InputError(f"alphabet: {shown(value)}, expected at least one symbol, none empty and none twice")
    found = read_tokens("tokens", tokens, network)
    if len(found) != len(letters):
        raise InputError(f"tokens: {len(found)}, expected one for each of the {len(letters)} letters")
    if len(set(found)) != len(found):
        raise InputError(f"tokens: {shown(list(found))}, expected a token of its own for each letter")
    return tuple(letters), found


def read_tokens(key: str, value: object, network: TrainedNetwork) -> tuple[int, ...]:
    """Parse tokens of the network."""
    return naturals(key, value, network.vocabulary, "tokens of the network,")


def check_attention(table: Table, network: TrainedNetwork) -> None:
    """Check that the network has the claim's attention, causal or bidirectional.

    Raises:
        InputError: if it is not.
    """
    attention = one_of("attention", table.get("attention", network.attention), ("causal", "bidirectional"))
    if attention != network.attention:
        raise InputError(f"attention: \"{attention}\", but the network was imported as {network.attention}")


def claim_of_table(table: Table, where: str, folder: Path, network: TrainedNetwork,
                   scope: Scope = Scope()) -> WordsClaim:
    """Return the claim of a table with the keys of a claim file; its file names are relative to the folder.

    Raises:
        InputError: naming the first malformed key.
        Unsupported: if a language has no finite automaton, or a very large one.
    """
    try:
        claim = _ClaimReader(check_keys("the claim", table, KEYS, NEEDED), folder, network).claim(scope)
        check_fits(network, claim, "the claim")
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    return claim


class _ClaimReader:
    """A reader of one table, key by key."""

    def __init__(self, table: Table, folder: Path, network: TrainedNetwork) -> None:
        self.table = table
        self.folder = folder
        self.network = network
        self.alphabet, self.tokens = read_letters(table, network)

    def claim(self, scope: Scope) -> WordsClaim:
        check_attention(self.table, self.network)
        lengths = self._lengths(scope)
        before = self._tokens("before")
        read, at = self._read_and_at()
        empty = boolean("empty", self.table.get("empty", False))
        if empty and (read != "each" or not before):
            raise InputError("empty: true, expected read = \"each\" and a token before the word")
        predicates = parse_predicate_definitions(texts("predicate", self.table.get("predicate", [])))
        conditions = Conditions(self.alphabet, predicates, self.folder, at == "first")
        automaton, cases = self._cases(conditions)
        after = self._after(before, lengths, scope.every)
        offsets = self.table.get("offset", 0) if scope.offsets is None else scope.offsets
        return WordsClaim(
            alphabet=self.alphabet, tokens=self.tokens, before=before, after=after,
            offsets=self._offsets(offsets, len(before) + lengths[0] + len(after)),
            lengths=lengths, read=read, empty=empty,
            margin=exact("margin", self.table.get("margin", 0)), automaton=automaton,
            predicates=tuple(predicates.values()), cases=cases, title=text("title", self.table.get("title", "")),
        )  # fmt: skip

    def _read_and_at(self) -> tuple[Read, str]:
        """Return where logits are read, and at which position of the word truths are judged."""
        at = None if "at" not in self.table else one_of("at", self.table["at"], AT)
        read = self.network.readout if self.network.readout != "each" else {"every": "each", "last": "last"}.get(
            str(at))
        if "read" in self.table:
            read = one_of("read", self.table["read"], READS)
        if read is None:
            raise InputError("read: not stated, and the network outputs logits at each token; expected where they "
                             "are read: each (letter), first or last (token)")
        at = at or ("every" if read == "each" else "last")
        if (read == "each") != (at == "every"):
            raise InputError(f"at: \"{at}\", but logits are read at {'each letter' if read == 'each' else 'one token'}"
                             f", expected {'every' if read == 'each' else 'first or last'}")
        return next(one for one in READS if one == read), at

    def _cases(self, conditions: Conditions) -> tuple[Automaton | None, tuple[Case, ...]]:
        given = Condition()
        if "given" in self.table:
            given, _ = conditions.truth("given", self.table["given"])
        tables = self.table["answer"]
        if not isinstance(tables, list) or not tables:
            raise InputError(f"answer: {shown(tables)}, expected at least one [[answer]]")
        reader = AnswerReader(conditions, self.tokens, self.network.outputs)
        answers = [answer for number, table in enumerate(tables, start=1)
                   for answer in reader.answers(f"answer {number}", table)]
        automaton, cases = conditions.cases([(condition & given, rows) for condition, rows in answers])
        if not cases:
            raise InputError("given: no word is left to be judged")
        return automaton, tuple(cases)

    def _tokens(self, key: str) -> tuple[int, ...]:
        return read_tokens(key, self.table.get(key, []), self.network)

    def _after(self, before: tuple[int, ...], lengths: tuple[int, int], every: bool) -> tuple[int, ...]:
        """Return the tokens after the word, with the padding if attention sees it; then words have one length."""
        after = self._tokens("after")
        if "padding" not in self.table:
            return after
        padding = check_keys("padding", self.table["padding"], ("token", "length"), ("token", "length"))
        token = natural("padding: token", padding["token"], self.network.vocabulary, "a token of the network,")
        length = natural("padding: length", padding["length"], LONGEST, "a length")
        if lengths[0] != lengths[1] or every:
            words = "every length" if every else f"the lengths {lengths[0]} to {lengths[1]}"
            raise InputError(f"padding: words of {words}, but seen padding makes a claim of one length: min_n = max_n "
                             "(padding that attention does not see is left out)")
        missing = length - len(before) - lengths[0] - len(after)
        if missing < 0:
            raise InputError(f"padding: length: {length}, but the word with what is around it has {length - missing}")
        return after + (token,) * missing

    def _lengths(self, scope: Scope) -> tuple[int, int]:
        longest = self.table.get("max_n") if scope.max_n is None else scope.max_n
        shortest = self.table.get("min_n", 1) if scope.min_n is None else scope.min_n
        if longest is None and scope.every:
            longest = shortest
        if longest is None:
            raise InputError("max_n: neither the file nor --max-n says up to which length")
        lengths = (natural("min_n", shortest, LONGEST_CLAIM, "a length"),
                   natural("max_n", longest, LONGEST_CLAIM, "a length"))
        if not 1 <= lengths[0] <= lengths[1]:
            raise InputError(f"min_n {lengths[0]} and max_n {lengths[1]}, expected 1 <= min_n <= max_n")
        return lengths

    def _offsets(self, value: object, tokens: int) -> tuple[int, int]:
        """Parse offsets; ``all`` are those at which the shortest words, of this many tokens, fit."""
        rows = self.network.rows
        if value == "all":
            return 0, max(0, last_offset(self.network, tokens))
        offsets = (value, value) if isinstance(value, int) else value
        if not isinstance(offsets, list | tuple) or len(offsets) != 2:
            raise InputError(f"offset: {shown(value)}, expected \"all\", an offset, or [first, last]")
        first, last = (natural("offset", one, rows or 1, "an offset") for one in offsets)
        if first > last:
            raise InputError(f"offset: {shown(value)}, expected [first, last] with first <= last")
        return first, last
