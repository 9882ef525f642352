"""The meanings of logits: the sign of one, the tokens that may follow, the larger of two, argmax; as cases."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from certify.claims.trained.conditions import Condition, Conditions
from constructions.errors import InputError
from constructions.regular.automata import viable
from constructions.tables import Table, check_keys, natural, naturals, one_of, shown
from constructions.trained.claim import Row

Answer = tuple[Condition, tuple[Row, ...]]
_KEYS: Mapping[str, tuple[str, ...]] = {
    "sign": ("token", "truth"), "follow": ("language", "end", "others"), "larger": ("tokens", "truth"),
    "argmax": ("choices", "among"),
}  # fmt: skip
_NEEDED: Mapping[str, tuple[str, ...]] = {
    "sign": ("token", "truth"), "follow": ("language",), "larger": ("tokens", "truth"), "argmax": ("choices",),
}  # fmt: skip


@dataclass(frozen=True)
class AnswerReader:
    """A reader of [[answer]] tables for a claim's letters and a network's logits."""

    conditions: Conditions
    tokens: tuple[int, ...]
    outputs: int

    def answers(self, where: str, table: Table) -> list[Answer]:
        """Return the conditions of one table, each with the rows that must exceed the margin.

        Raises:
            InputError: naming the first deviation from docs/howto/decide.md.
            Unsupported: if a language has no finite automaton, or a very large one.
        """
        if not isinstance(table, dict) or "kind" not in table:
            raise InputError(f"{where}: no key kind, expected one of {', '.join(_KEYS)}")
        kind = one_of(f"{where}: kind", table["kind"], _KEYS)
        check_keys(where, table, ("kind", *_KEYS[kind]), _NEEDED[kind])
        readers: dict[str, Callable[[str, Table], list[Answer]]] = {
            "sign": self._sign, "follow": self._follow, "larger": self._larger, "argmax": self._argmax}
        return readers[kind](where, table)

    def _sign(self, where: str, table: Table) -> list[Answer]:
        token = self._token(f"{where}: token", table["token"])
        holds, fails = self.conditions.truth(f"{where}: truth", table["truth"])
        return [(holds, (_row({token: 1}),)), (fails, (_row({token: -1}),))]

    def _larger(self, where: str, table: Table) -> list[Answer]:
        tokens = naturals(f"{where}: tokens", table["tokens"], self.outputs, "tokens with a logit")
        if len(tokens) != 2 or tokens[0] == tokens[1]:
            raise InputError(f"{where}: tokens: {shown(table['tokens'])}, expected two different tokens")
        holds, fails = self.conditions.truth(f"{where}: truth", table["truth"])
        first, second = tokens
        return [(holds, (_row({first: 1, second: -1}),)), (fails, (_row({first: -1, second: 1}),))]

    def _argmax(self, where: str, table: Table) -> list[Answer]:
        choices = table["choices"]
        if not isinstance(choices, list) or len(choices) < 1:
            raise InputError(f"{where}: choices: {shown(choices)}, expected a list of {{token = …, truth = …}}")
        holds: dict[int, Condition] = {}
        for number, choice in enumerate(choices, start=1):
            place = f"{where}: choice {number}"
            check_keys(place, choice, ("token", "truth"), ("token", "truth"))
            token = self._token(f"{place}: token", choice["token"])
            if token in holds:
                raise InputError(f"{place}: token {token} has two truths, expected one")
            holds[token], _ = self.conditions.truth(f"{place}: truth", choice["truth"])
        among = one_of(f"{where}: among", table.get("among", "choices"), ("choices", "all"))
        rivals = list(holds) if among == "choices" else list(range(self.outputs))
        if len(rivals) < 2:
            raise InputError(f"{where}: choices: one token, expected at least two, or among = \"all\"")
        return [(condition, tuple(_row({token: 1, rival: -1}) for rival in rivals if rival != token))
                for token, condition in holds.items()]

    def _follow(self, where: str, table: Table) -> list[Answer]:
        language = self.conditions.language(f"{where}: language", table["language"])
        goes_on = viable(language)
        if not goes_on:
            raise InputError(f"{where}: language: it has no word, expected at least one")
        allowed = {self._token(f"{where}: the token of letter {letter + 1}", token):
                   frozenset(state for state in goes_on if language.automaton.steps[state][letter] in goes_on)
                   for letter, token in enumerate(self.tokens)}
        if "end" in table:
            end = self._token(f"{where}: end", table["end"])
            if end in allowed:
                raise InputError(f"{where}: end: {end} is the token of a letter, expected another one")
            allowed[end] = language.accepting
        answers = [(self.conditions.inside(language, states)[0], (_row({token: sign}),))
                   for token, among in allowed.items() for sign, states in ((1, among), (-1, goes_on - among))]
        never = tuple(_row({token: -1}) for token in self._others(where, table, set(allowed)))
        return [*answers, *([(self.conditions.inside(language, goes_on)[0], never)] if never else [])]

    def _others(self, where: str, table: Table, allowed: set[int]) -> list[int]:
        """Return the tokens that may never follow: the listed ones, or all others."""
        if table.get("others", "all") == "all":
            return [token for token in range(self.outputs) if token not in allowed]
        listed = naturals(f"{where}: others", table["others"], self.outputs, "tokens with a logit, or \"all\"")
        for token in listed:
            if token in allowed:
                raise InputError(f"{where}: others: token {token} may follow, expected tokens that never do")
        return list(dict.fromkeys(listed))

    def _token(self, where: str, value: object) -> int:
        return natural(where, value, self.outputs, "a token with a logit,")


def _row(coefficients: Mapping[int, int]) -> Row:
    return tuple((token, Fraction(coefficients[token])) for token in sorted(coefficients))
