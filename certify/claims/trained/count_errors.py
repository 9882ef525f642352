"""Text and JSON of the first errors of a count: by answer, by written token, and by patterns of columns."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby
from typing import Any

from certify.claims.trained.count_patterns import Condition, Pattern, name_of_token
from certify.claims.trained.count_show import count_to_json, number, word_count_to_json
from certify.claims.trained.counting import TracksCount
from certify.claims.trained.show import show_numbers, show_row
from certify.claims.trained.word_counting import WordsCount
from certify.claims.trained.word_patterns import Ending, WordErrors
from certify.common.numbers import decimal_lower
from certify.common.terminal_tables import Cell, TableColumn
from certify.common.words import counted, show_word
from constructions.trained.tracks import TracksClaim

FEW = 3
"""More values that follow each other are shown by the first and the last."""
Table = tuple[str, list[TableColumn], list[tuple[Cell, ...]]]
"""Title, columns, rows."""


@dataclass(frozen=True)
class ErrorsAtAnswer:
    """Lower bounds of the weights of inputs of form ``form`` whose first error is at ``answer``, by written token."""

    form: int
    answer: int
    tokens: Mapping[int, Fraction]

    @property
    def weight(self) -> Fraction:
        """The weight for all tokens."""
        return sum(self.tokens.values(), Fraction(0))


def by_answer(count: TracksCount) -> list[ErrorsAtAnswer]:
    """Return the first errors by form and answer, heaviest first."""
    found = []
    for number_of_form, (row, form) in enumerate(zip(count.rows, count.claim.forms, strict=True)):
        for place in form.asked:
            tokens = {one.token: one.weight for one in row.errors if one.place == place}
            if tokens:
                heaviest = sorted(tokens.items(), key=lambda one: (-one[1], one[0]))
                found.append(ErrorsAtAnswer(number_of_form, place - form.asked[0] + 1, dict(heaviest)))
    return sorted(found, key=lambda one: -one.weight)


def by_token(count: TracksCount) -> dict[int, Fraction]:
    """Return the weights of first errors by the token that is written there, heaviest first."""
    found: dict[int, Fraction] = {}
    for one in (error for row in count.rows for error in row.errors):
        found[one.token] = found.get(one.token, Fraction(0)) + one.weight
    return dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))


def undecided(count: TracksCount) -> Fraction:
    """Return the greatest weight of inputs that are not decided."""
    return sum((row.most - row.least for row in count.rows), Fraction(0))


@dataclass(frozen=True)
class ErrorKind:
    """Patterns that are equal except for the column of the answer, or the number of columns; heaviest first."""

    patterns: tuple[Pattern, ...]

    @property
    def weight(self) -> Fraction:
        """The weight of the inputs with these errors."""
        return sum((one.weight for one in self.patterns), Fraction(0))

    @property
    def matching(self) -> Fraction:
        """The sum of the weights of the inputs that match each."""
        return sum((one.matching for one in self.patterns), Fraction(0))


def kinds_of_errors(count: TracksCount) -> list[ErrorKind]:
    """Return the patterns by kind, heaviest first."""
    found: dict[tuple[object, ...], list[Pattern]] = {}
    for one in count.patterns:
        at = count.claim.forms[one.form].layout[one.place]
        relative = tuple(replace(each, column=each.column - own_column(count.claim, one)) for each in one.conditions)
        found.setdefault((at.kind, at.index, one.token, one.right, relative), []).append(one)
    return sorted((ErrorKind(tuple(those)) for those in found.values()), key=lambda kind: -kind.weight)


def own_column(claim: TracksClaim, pattern: Pattern) -> int:
    """Return the column of the answer that is wrong; for an answer at the end the last one."""
    form = claim.forms[pattern.form]
    at = form.layout[pattern.place]
    return at.column if at.kind == "answer" else len(form.columns) - 1


def tables_of_errors(count: TracksCount, most: int) -> list[Table]:
    """Return the tables of first errors by answer, and of their ``most`` heaviest kinds."""
    answers, kinds = by_answer(count), kinds_of_errors(count) if most else []
    if not answers or not most:
        return []
    columns = [TableColumn("columns", "right")] * (len(count.rows) > 1)
    weighs = TableColumn("at least", "right"), TableColumn("share", "right")
    of_answers: Table = (
        f"first errors by answer{more_than(answers, most)}",
        [*columns, TableColumn("answer", "right"), *weighs, TableColumn("written", folds=True)],
        [cells_of_answer(count, one) for one in answers[:most]])
    of_kinds: Table = (
        f"kinds of first errors{more_than(kinds, most)}: {explained(count, kinds[:most])}",
        [*columns, TableColumn("answer", "right"), TableColumn("written"), TableColumn("right"),
         TableColumn("where", folds=True), *weighs, TableColumn("of matching", "right")],
        [cells_of_kind(count, one) for one in kinds[:most]])
    return [of_answers, of_kinds] if kinds else [of_answers]


def tables_of_word_errors(count: WordsCount, most: int) -> list[Table]:
    """Return the table of the ``most`` heaviest kinds of first errors of the longest words."""
    if not count.kinds or not most:
        return []
    row, kinds = count.rows[-1], count.kinds[:most]
    share = share_in_short(sum((one.weight for one in kinds), Fraction(0)), sum(row.wrong_at.values(), Fraction(0)))
    return [(f"kinds of first errors of words of length {row.n}{more_than(count.kinds, most)}: {share} of the words "
             "that are proved to be wrong",
             [TableColumn("ending in"), TableColumn("not above the margin"), TableColumn("at least", "right"),
              TableColumn("share", "right"), TableColumn("of matching", "right")],
             [cells_of_word_kind(count, one) for one in kinds])]


def cells_of_word_kind(count: WordsCount, one: WordErrors) -> tuple[str, ...]:
    """Return a kind of errors of words as cells."""
    return (show_ending(count.claim.alphabet, one.ending), show_row(one.row), amount(one.weight),
            share_in_short(one.weight, count.rows[-1].total), share_in_short(one.weight, one.matching))


def show_ending(alphabet: Sequence[str], ending: Ending) -> str:
    """Return the last letters of prefixes, or all letters.

    >>> [show_ending("ab", ending) for ending in ((), (0,), (None, 0, 1))]
    ['any', '…a', 'ab only']
    """
    word = show_word([alphabet[letter] for letter in ending if letter is not None])
    return f"{word} only" if None in ending else f"…{word}" if ending else "any"


def more_than(rows: Sequence[object], most: int) -> str:
    """Return which of the rows are shown, unless all are."""
    return f" (the heaviest {most} of {len(rows)})" if len(rows) > most else ""


def explained(count: TracksCount, kinds: Sequence[ErrorKind]) -> str:
    """Return the share of these kinds in the inputs that are known to be wrong."""
    wrong = sum((error.weight for row in count.rows for error in row.errors), Fraction(0))
    share = share_in_short(sum((kind.weight for kind in kinds), Fraction(0)), wrong)
    return f"{share} of the inputs that are proved to be wrong"


def cells_of_answer(count: TracksCount, one: ErrorsAtAnswer) -> tuple[str, ...]:
    """Return the first errors at an answer as cells; the number of columns only if there are several."""
    written = ", ".join(f"{name_of_token(count.claim, token)} ({share_in_short(weight, one.weight)})"
                        for token, weight in one.tokens.items())
    return (*[str(count.rows[one.form].n)] * (len(count.rows) > 1), str(one.answer), amount(one.weight),
            share_in_short(one.weight, count.total), written)


def cells_of_kind(count: TracksCount, kind: ErrorKind) -> tuple[str, ...]:
    """Return a kind of errors as cells; the numbers of columns only if there are several."""
    claim, first = count.claim, kind.patterns[0]
    forms, answers = ({count.rows[one.form].n for one in kind.patterns},
                      {answer_of(claim, one) for one in kind.patterns})
    return (*[show_numbers(sorted(forms))] * (len(count.rows) > 1), show_numbers(sorted(answers)),
            name_of_token(claim, first.token), show_right(claim, first), describe_kind(claim, kind),
            amount(kind.weight), share_in_short(kind.weight, count.total), share_in_short(kind.weight, kind.matching))


def describe_kind(claim: TracksClaim, kind: ErrorKind) -> str:
    """Return the conditions of a kind of errors: columns by number, or relative to that of the answer."""
    first = kind.patterns[0]
    return describe_conditions(first.conditions, None if len(kind.patterns) == 1 else own_column(claim, first))


def answer_of(claim: TracksClaim, pattern: Pattern) -> int:
    """Return the number of the answer, from 1."""
    return pattern.place - claim.forms[pattern.form].asked[0] + 1


def show_right(claim: TracksClaim, pattern: Pattern) -> str:
    """Return the right answers, if they are few."""
    return ", ".join(name_of_token(claim, one) for one in pattern.right) if len(pattern.right) <= FEW else "other"


def describe_conditions(conditions: Iterable[Condition], own: int | None = None) -> str:
    """Return the conditions in words: by column, or relative to the column ``own``.

    >>> digits, carries = tuple("0123456789"), ("0", "1")
    >>> limits = [*(Condition(column, "then carry", ("1",), carries) for column in (0, 1, 2)),
    ...           Condition(4, "a", tuple("012"), digits), Condition(4, "b", tuple("12345678"), digits)]
    >>> describe_conditions(limits)
    'columns 1 to 3: then carry 1; column 5: a 0, 1 or 2, b 1 to 8'
    >>> describe_conditions(limits[2:], 3)
    '1 column before: then carry 1; 1 column after: a 0, 1 or 2, b 1 to 8'
    """
    columns = [(column, tuple((one.feature, show_values(one.values, one.among)) for one in those))
               for column, those in groupby(conditions, key=lambda one: one.column)]
    parts = []
    for (_, limits), those in groupby(enumerate(columns), key=lambda one: (one[1][0] - one[0], one[1][1])):
        run = [column for _, (column, _) in those]
        parts.append(f"{_name_of_run(run, own)}: {', '.join(f'{feature} {values}' for feature, values in limits)}")
    return "; ".join(parts) or "everywhere"


def _name_of_run(run: Sequence[int], own: int | None) -> str:
    if own is None:
        return f"column {run[0] + 1}" if len(run) == 1 else f"columns {run[0] + 1} to {run[-1] + 1}"
    return " and ".join("its column" if column == own else
                        f"{counted(abs(column - own), 'column')} {'before' if column < own else 'after'}"
                        for column in run)


def show_values(values: Sequence[str], among: Sequence[str]) -> str:
    """Return some of the values, or those that are excluded if they are one of many.

    >>> show_values("12", "012"), show_values("12", "0123"), show_values("1234", "012345"), show_values("013", "0134")
    ('not 0', '1 or 2', '1 to 4', 'not 4')
    """
    missing = [one for one in among if one not in values]
    if len(missing) == 1 and len(values) > 1:
        return f"not {missing[0]}"
    first = among.index(values[0])
    if len(values) > FEW and list(among[first:first + len(values)]) == list(values):
        return f"{values[0]} to {values[-1]}"
    return " or ".join(filter(None, (", ".join(values[:-1]), values[-1])))


def amount(weight: Fraction) -> str:
    """Return a number of inputs exactly, and other weights with six digits, rounded down."""
    return number(weight) if weight.denominator == 1 else decimal_lower(weight, 6)


def share_in_short(part: Fraction, whole: Fraction) -> str:
    """Return a share in percent with four digits, rounded down.

    >>> share_in_short(Fraction(2), Fraction(3)), share_in_short(Fraction(3), Fraction(3))
    ('66.66 %', '100 %')
    """
    return f"{decimal_lower(100 * part / whole, 4)} %" if whole else "-"


def count_with_errors_to_json(count: TracksCount) -> dict[str, Any]:
    """Return the count as JSON, and its first errors by answer, token and pattern; numbers are texts."""
    claim = count.claim
    return {
        **count_to_json(count),
        "undecided": str(undecided(count)),
        "by_answer": [{"columns": count.rows[one.form].n, "answer": one.answer, "at_least": str(one.weight),
                       "share": str(one.weight / count.total),
                       "tokens": {str(token): str(weight) for token, weight in one.tokens.items()}}
                      for one in by_answer(count)],
        "by_token": {str(token): str(weight) for token, weight in by_token(count).items()},
        "patterns": [{"columns": count.rows[one.form].n, "answer": answer_of(claim, one), "place": one.place,
                      "token": one.token, "right": list(one.right), "where": describe_conditions(one.conditions),
                      "conditions": list(_conditions_to_json(one.conditions)), "at_least": str(one.weight),
                      "share": str(one.weight / count.total), "matching": str(one.matching),
                      "example": claim.show_input(one.example), "kind": number}
                     for number, kind in enumerate(kinds_of_errors(count), 1) for one in kind.patterns]}


def word_count_with_errors_to_json(count: WordsCount) -> dict[str, Any]:
    """Return the count as JSON, with the kinds of first errors of the longest words; numbers are texts."""
    alphabet = count.claim.alphabet
    return {**word_count_to_json(count), "kinds": [
        {"n": one.n, "ending": [alphabet[letter] for letter in one.ending if letter is not None],
         "is_whole": None in one.ending, "row": [[token, str(coefficient)] for token, coefficient in one.row],
         "at_least": str(one.weight), "share": str(one.weight / count.rows[-1].total), "matching": str(one.matching)}
        for one in count.kinds]}


def _conditions_to_json(conditions: Iterable[Condition]) -> Iterator[dict[str, Any]]:
    for one in conditions:
        yield {"column": one.column + 1, "of": one.feature, "in": list(one.values)}
